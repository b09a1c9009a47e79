//! A party's shares of committed values: the one place where P and V, bits and fields differ.
//!
//! A party's share of a **wire** `[x]`, `x` a value, is value and tag at P and a key at V, as everywhere. Its
//! share of a committed **element** `[X]`, `X` in the field of MACs and challenges, is an [`ElementShare`].
//! Protocols compute with both kinds of share and do not ask whose they are. At V all values are zero, and
//! nothing that V does depends on them.

mod bits;
mod field;

pub use bits::{ProverBits, VerifierBits};
pub use field::{ProverField, VerifierField};

use volery_circuit::Error as StatementError;
use volery_field::{Element, Field, LengthError, Ring};
use volery_vole::Prg;
use zeroize::Zeroize;

use crate::Error;
use crate::shares::ElementShare;

/// All ones to select, zero to leave.
pub(super) type Mask = u64;

/// The mask of a condition.
#[must_use]
pub(super) fn mask(condition: bool) -> Mask {
    u64::from(condition).wrapping_neg()
}

/// One party's shares of wires and elements, for one pair of fields.
pub trait Share: Clone + Send + Sync + 'static {
    /// Values.
    type Value: Ring + Zeroize;
    /// MACs and challenges.
    type Mac: Element;
    /// A share of a committed value, and of a random correlation.
    type Wire: Copy + Default + Zeroize + Send + Sync + 'static;

    /// Whether this party knows the values: P does.
    const KNOWS: bool;
    /// The number of random correlations that make one committed random element of the MAC field.
    const DEGREE: usize;

    /// The public constant `c`.
    fn constant(&self, c: Self::Value) -> Self::Wire;
    /// `x + y`.
    fn add(x: Self::Wire, y: Self::Wire) -> Self::Wire;
    /// `x - y`.
    fn sub(x: Self::Wire, y: Self::Wire) -> Self::Wire;
    /// `c x`.
    fn scale(x: Self::Wire, c: Self::Value) -> Self::Wire;
    /// The value of a wire at P, zero at V.
    fn value(x: Self::Wire) -> Self::Value;

    /// The value of a wire as an element of the MAC field, at P; zero at V.
    fn embedded(x: Self::Wire) -> Self::Mac;
    /// `c` times the value of a wire, at P; zero at V.
    fn embedded_times(x: Self::Wire, c: Self::Mac) -> Self::Mac;

    /// P: turns `random` into a commitment to `x` if `write` selects, and leaves it otherwise. V: leaves
    /// `random`; the message shifts its key.
    fn commit(write: Mask, random: Self::Wire, x: Self::Value) -> Self::Wire;
    /// As [`Share::commit`], for the product of two wires.
    fn commit_product(write: Mask, random: Self::Wire, x: Self::Wire, y: Self::Wire) -> Self::Wire;

    /// `chosen` if `write` selects, `other` otherwise.
    fn select(write: Mask, other: Self::Value, chosen: Self::Value) -> Self::Value;

    /// The public constant `c` of the MAC field.
    fn element_constant(&self, c: Self::Mac) -> ElementShare<Self::Mac>;
    /// A different element of the MAC field for each `i` up to [`super::MAX_BRANCHES`]; zero for zero.
    fn point(i: usize) -> Self::Mac;
    /// The tag of a wire at P, its key at V.
    fn tag(x: Self::Wire) -> Self::Mac;
    /// A wire as a committed element.
    fn lift(x: Self::Wire) -> ElementShare<Self::Mac>;
    /// A random committed element from [`Share::DEGREE`] random wires.
    fn pack(random: &[Self::Wire]) -> ElementShare<Self::Mac>;
    /// `sum c_i [x_i]`.
    ///
    /// # Errors
    /// [`volery_circuit::Error::Misuse`] if the lengths differ.
    fn combine(x: &[Self::Wire], c: &[Self::Mac]) -> Result<ElementShare<Self::Mac>, Error>;

    /// `sum a_i b_i`.
    ///
    /// # Errors
    /// As [`Share::combine`].
    fn dot(a: &[Self::Mac], b: &[Self::Mac]) -> Result<Self::Mac, Error>;
    /// `out_i += e a_i`.
    ///
    /// # Errors
    /// As [`Share::combine`].
    fn scale_add(e: Self::Mac, a: &[Self::Mac], out: &mut [Self::Mac]) -> Result<(), Error>;
    /// `out_i = a_i b_i`.
    ///
    /// # Errors
    /// As [`Share::combine`].
    fn products(a: &[Self::Mac], b: &[Self::Mac], out: &mut [Self::Mac]) -> Result<(), Error>;

    /// The field over which strings are mixed if several branches write (see [`super::Run::at_least`]). Its
    /// elements are values, or groups of [`Share::GROUP`] values.
    type Point: Field;
    /// The number of values in a group.
    const GROUP: usize;
    /// A different point for each byte; zero for zero.
    fn mixing_point(byte: u8) -> Self::Point;
    /// The point in the field of MACs.
    fn lift_point(c: Self::Point) -> Self::Mac;
    /// `out += c x`, for vectors of whole groups; `c` is public.
    fn mix(c: Self::Point, x: &[Self::Wire], out: &mut [Self::Wire]);
    /// `out += c x` on values; `c` may be secret.
    fn mix_values(c: Self::Point, x: &[Self::Value], out: &mut [Self::Value]);

    /// The number of bits of a value in a message.
    const BITS: u32;
    /// The number of bytes of `n` values in a message.
    fn bytes(n: usize) -> usize;
    /// The most values that a message of this many bytes can hold.
    fn capacity(bytes: usize) -> usize;
    /// Appends the encoding of values.
    fn put(values: &[Self::Value], out: &mut Vec<u8>);
    /// Reads `n` values from untrusted `bytes`, which they must fill.
    ///
    /// # Errors
    /// The reason why the bytes are not the encoding of `n` values.
    fn get(bytes: &[u8], n: usize) -> Result<Vec<Self::Value>, String>;
    /// Fills `out` with uniform values.
    fn uniform(prg: &mut Prg, out: &mut [Self::Value]);

    /// The check of a block that uses an embedding. It exists only for bits.
    ///
    /// # Errors
    /// [`volery_circuit::Error::Misuse`] over other fields; the check's own.
    fn check_embedded(
        _run: &mut super::Run<'_, Self>,
        _block: &super::block::Block<Self>,
    ) -> Result<[u8; 16], Error> {
        Err(StatementError::misuse("the embedding-based check is for bits").into())
    }
}

/// The error for vectors of different lengths, which would be a defect of this crate.
pub(super) fn lengths(error: LengthError) -> Error {
    StatementError::misuse(error.to_string()).into()
}

#[cfg(test)]
mod tests {
    use volery_field::{Bn254Scalar, F2, F32, F32x4, F61, F61x2, Gf128, Gf256, Value};

    use super::super::MAX_BRANCHES;
    use super::*;

    fn points_differ<H: Share>() {
        let mut seen = std::collections::HashSet::new();
        for i in 0..=MAX_BRANCHES {
            let mut bytes = vec![0; H::Mac::BYTES];
            H::point(i).encode(&mut bytes).expect("fits");
            assert!(seen.insert(bytes), "{i}");
        }
        assert!(H::point(0).is_zero());
    }

    #[test]
    fn points_are_different_and_only_the_first_is_zero() {
        points_differ::<ProverBits>();
        points_differ::<ProverField<F61, F61>>();
        points_differ::<ProverField<F61, F61x2>>();
        points_differ::<ProverField<F32, F32x4>>();
        points_differ::<ProverField<Gf256, Gf128>>();
        points_differ::<ProverField<Bn254Scalar, Bn254Scalar>>();
    }

    /// Wires are mixed as their values are.
    fn mixing_is_linear_on_values<H: Share>(values: &[H::Value]) {
        let wires: Vec<_> = values.iter().map(|x| H::commit(mask(true), H::Wire::default(), *x)).collect();
        for byte in 0..=255 {
            let c = H::mixing_point(byte);
            let mut mixed = vec![H::Wire::default(); wires.len()];
            H::mix(c, &wires, &mut mixed);
            let mut expected = vec![H::Value::ZERO; values.len()];
            H::mix_values(c, values, &mut expected);
            assert!(mixed.iter().zip(&expected).all(|(w, x)| H::value(*w) == *x), "{byte}");
        }
    }

    #[test]
    fn wires_are_mixed_as_their_values_are() {
        let bits: Vec<F2> = (0..256_u64).map(|i| F2::from_lsb(i.wrapping_mul(0x9e37_79b9) >> 7)).collect();
        mixing_is_linear_on_values::<ProverBits>(&bits);
        mixing_is_linear_on_values::<ProverField<F61, F61>>(&[5, 6, 7].map(F61::new));
        mixing_is_linear_on_values::<ProverField<Gf256, Gf128>>(&[5, 6, 255].map(Gf256::digit));
    }
}
