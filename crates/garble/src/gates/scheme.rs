//! What distinguishes the ways of garbling AND gates; everything else is the same for all of them.

use volery_field::Gf128;

use super::s_box;
use crate::hash::{Keys, Pair};

/// A way of garbling AND gates: [`HalfGates`](super::HalfGates) or [`ThreeHalves`](super::ThreeHalves).
///
/// It is sealed, because the methods pass labels in the form that the hash uses.
pub trait Scheme: private::Gate + 'static {}

impl<S: private::Gate + 'static> Scheme for S {}

pub(crate) mod private {
    use super::{Gf128, Keys, Pair, s_box};

    /// The ANDs of an S-box's circuit that one-hot garbling saves.
    const SAVED: u64 = s_box::CIRCUIT - s_box::GATES;

    /// One AND gate. Both labels of an input are at the same index of two [`Pair`]s. The gate chooses which
    /// labels it hashes, at [`Gate::PAIRS`] such indices.
    pub trait Gate {
        /// The name, which enters the digest that both parties compare.
        const NAME: &'static str;

        /// Whether an S-box of AES can be garbled one-hot (module `s_box`), and not only by its circuit.
        const ONE_HOT: bool;

        /// The number of pairs of hash keys that a gate takes, 1 or 2.
        const PAIRS: usize;

        /// The length of a gate's table, in bytes.
        const TABLE_BYTES: usize;

        /// The number of tables of this many ANDs, of which 32 are in each of the S-boxes that are garbled
        /// one-hot.
        fn tables(ands: u64, one_hot: u64) -> u64 {
            ands.saturating_sub((SAVED - s_box::TABLES).saturating_mul(one_hot))
        }

        /// The number of pairs of hash keys that they take. `None` if it is over 2^64.
        fn pairs(ands: u64, one_hot: u64) -> Option<u64> {
            let gates = ands.checked_sub(SAVED.checked_mul(one_hot)?)?;
            gates.checked_mul(Self::PAIRS as u64)?.checked_add(s_box::PAIRS.checked_mul(one_hot)?)
        }

        /// The number of ANDs that take this many pairs of hash keys.
        fn ands(pairs: u64, one_hot: u64) -> u64 {
            let gates = pairs.saturating_sub(s_box::PAIRS.saturating_mul(one_hot)) / Self::PAIRS as u64;
            gates.saturating_add(SAVED.saturating_mul(one_hot))
        }

        /// The labels that the garbler hashes for inputs with zero labels `x` and `y`.
        fn garbler_labels(x: Gf128, y: Gf128, offset: Gf128, out: &mut [[Pair; 2]]);

        /// The zero label of the product, computed from those hashes. Appends the table.
        fn garble(x: Gf128, y: Gf128, offset: Gf128, hashes: &[[Pair; 2]], tables: &mut Vec<u8>) -> Gf128;

        /// The labels that the evaluator hashes for inputs with labels `x` and `y`.
        fn evaluator_labels(x: Gf128, y: Gf128, out: &mut [[Pair; 1]]);

        /// The label of the product, computed from those hashes and the table.
        fn evaluate(x: Gf128, y: Gf128, hashes: &[[Pair; 1]], table: &[u8]) -> Gf128;

        /// The zero label of the product under the next keys; those of at least one gate must be ready.
        /// Appends the table. If no kernel computes a whole gate at once, does nothing and returns `None`.
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

        /// The label of the product, in the same way. `table` begins with the gate's table.
        #[inline(always)]
        fn evaluate_in_registers(_keys: &mut Keys, _x: &Gf128, _y: &Gf128, _table: &[u8]) -> Option<Gf128> {
            None
        }
    }
}
