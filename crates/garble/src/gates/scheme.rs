//! What a way of garbling AND gates has to say; everything else is alike for all of them.

use volery_field::Gf128;

use crate::hash::{Keys, Pair};

/// A way of garbling AND gates: [`HalfGates`](super::HalfGates) or [`ThreeHalves`](super::ThreeHalves).
///
/// Sealed: the methods take and give labels as the hash has them.
pub trait Scheme: private::Gate + 'static {}

impl<S: private::Gate + 'static> Scheme for S {}

pub(crate) mod private {
    use super::{Gf128, Keys, Pair};

    /// One AND gate. Both labels of an input stand at the same place of two [`Pair`]s; which labels a gate
    /// hashes, in [`Gate::PAIRS`] such places for pairs, is its own affair.
    pub trait Gate {
        /// The name, as it goes into the digest that both parties compare.
        const NAME: &'static str;

        /// Pairs of keys of the hash that a gate takes, 1 or 2.
        const PAIRS: usize;

        /// Bytes of a gate's table.
        const TABLE_BYTES: usize;

        /// What the garbler hashes for inputs with zero labels `x` and `y`.
        fn garbler_labels(x: Gf128, y: Gf128, offset: Gf128, out: &mut [[Pair; 2]]);

        /// The zero label of the product, from those hashes; appends the table.
        fn garble(x: Gf128, y: Gf128, offset: Gf128, hashes: &[[Pair; 2]], tables: &mut Vec<u8>) -> Gf128;

        /// What the evaluator hashes for inputs with labels `x` and `y`.
        fn evaluator_labels(x: Gf128, y: Gf128, out: &mut [[Pair; 1]]);

        /// The label of the product, from those hashes and the table.
        fn evaluate(x: Gf128, y: Gf128, hashes: &[[Pair; 1]], table: &[u8]) -> Gf128;

        /// The zero label of the product under the next keys, of which at least a gate's are ready; appends
        /// the table. None, and nothing is done, where no kernel does all of a gate at once.
        #[inline(always)]
        fn garble_in_registers(
            _keys: &mut Keys,
            _x: &Gf128,
            _y: &Gf128,
            _offset: &Gf128,
            _tables: &mut Vec<u8>,
        ) -> Option<Gf128> {
            None
        }

        /// The label of the product, likewise; `table` begins with the gate's.
        #[inline(always)]
        fn evaluate_in_registers(_keys: &mut Keys, _x: &Gf128, _y: &Gf128, _table: &[u8]) -> Option<Gf128> {
            None
        }
    }
}
