//! How a party holds committed values: the one place where P and V, bits and fields differ.
//!
//! A **wire** `[x]`, `x` a value, is tag and value at P and a key at V, as everywhere. A **wide** commitment
//! `[X]`, `X` in the field of MACs and challenges, is a [`Wide`] at either party. Protocols compute with both
//! without knowing whose they are: at V all values are zero, and nothing that V does depends on them.

use core::ops::{Add, AddAssign, Sub, SubAssign};

use volery_circuit::Error as StatementError;
use volery_field::{Element, Field, LengthError, Ring};
use volery_vole::Prg;
use zeroize::Zeroize;

use crate::Error;

/// A party's half of a commitment to an element of `M`: `k = m + x * delta` in `M`.
#[derive(Clone, Copy, Default)]
pub struct Wide<M> {
    /// The value at P; zero at V.
    pub(super) x: M,
    /// The tag at P, the key at V.
    pub(super) m: M,
}

impl<M> core::fmt::Debug for Wide<M> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Wide(..)")
    }
}

impl<M: Zeroize> Zeroize for Wide<M> {
    fn zeroize(&mut self) {
        self.x.zeroize();
        self.m.zeroize();
    }
}

impl<M: Element> Add for Wide<M> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, m: self.m + other.m }
    }
}

impl<M: Element> Sub for Wide<M> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, m: self.m - other.m }
    }
}

impl<M: Element> AddAssign for Wide<M> {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<M: Element> SubAssign for Wide<M> {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl<M: Element> Wide<M> {
    /// `c` times this, for a public `c`.
    #[must_use]
    pub fn times(self, c: M) -> Self {
        Self { x: self.x * c, m: self.m * c }
    }
}

/// All ones to select, zero not to.
pub type Mask = u64;

/// The mask of a condition.
#[must_use]
pub(super) fn mask(condition: bool) -> Mask {
    u64::from(condition).wrapping_neg()
}

/// One party's half of everything, for one pair of fields.
pub trait Half: Clone + Send + Sync + 'static {
    /// Values.
    type Value: Ring + Zeroize;
    /// MACs and challenges.
    type Mac: Element;
    /// A commitment to a value; also a random correlation.
    type Wire: Copy + Default + Zeroize + Send + Sync + 'static;

    /// Whether values are here: at P.
    const KNOWS: bool;
    /// Random correlations that one commitment to a random element of the MAC field takes.
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

    /// P: `random` as a commitment to `x` where `write` selects, `random` where not. V: `random`, whose key
    /// the message shifts.
    fn commit(write: Mask, random: Self::Wire, x: Self::Value) -> Self::Wire;
    /// As [`Half::commit`], to the product of two wires.
    fn commit_product(write: Mask, random: Self::Wire, x: Self::Wire, y: Self::Wire) -> Self::Wire;

    /// `chosen` where `write` selects, `other` where not.
    fn select(write: Mask, other: Self::Value, chosen: Self::Value) -> Self::Value;

    /// The public constant `c` of the MAC field.
    fn wide_constant(&self, c: Self::Mac) -> Wide<Self::Mac>;
    /// Different elements of the MAC field for different `i` up to [`super::MAX_BRANCHES`], zero for zero.
    fn point(i: usize) -> Self::Mac;
    /// The tag of a wire at P, its key at V.
    fn tag(x: Self::Wire) -> Self::Mac;
    /// A wire as a wide commitment.
    fn widen(x: Self::Wire) -> Wide<Self::Mac>;
    /// A random wide commitment from [`Half::DEGREE`] random wires.
    fn pack(random: &[Self::Wire]) -> Wide<Self::Mac>;
    /// `sum c_i [x_i]`.
    ///
    /// # Errors
    /// [`volery_circuit::Error::Misuse`] if the lengths differ.
    fn combine(x: &[Self::Wire], c: &[Self::Mac]) -> Result<Wide<Self::Mac>, Error>;

    /// `sum a_i b_i`.
    ///
    /// # Errors
    /// As [`Half::combine`].
    fn dot(a: &[Self::Mac], b: &[Self::Mac]) -> Result<Self::Mac, Error>;
    /// `out_i += e a_i`.
    ///
    /// # Errors
    /// As [`Half::combine`].
    fn scale_add(e: Self::Mac, a: &[Self::Mac], out: &mut [Self::Mac]) -> Result<(), Error>;
    /// `out_i = a_i b_i`.
    ///
    /// # Errors
    /// As [`Half::combine`].
    fn products(a: &[Self::Mac], b: &[Self::Mac], out: &mut [Self::Mac]) -> Result<(), Error>;

    /// The field that strings are mixed over where several branches write (see [`super::Run::at_least`]):
    /// that of values, or of [`Half::GROUP`] of them.
    type Point: Field;
    /// Values that are mixed together.
    const GROUP: usize;
    /// Different points for different bytes, zero for zero.
    fn mixing_point(byte: u8) -> Self::Point;
    /// The point in the field of MACs.
    fn widen_point(c: Self::Point) -> Self::Mac;
    /// `out += c x`, for vectors of whole groups; `c` is public.
    fn mix(c: Self::Point, x: &[Self::Wire], out: &mut [Self::Wire]);
    /// `out += c x` on values; `c` may be secret.
    fn mix_values(c: Self::Point, x: &[Self::Value], out: &mut [Self::Value]);

    /// Bits that a value takes in a message.
    const BITS: u32;
    /// Bytes that `n` values take in a message.
    fn bytes(n: usize) -> usize;
    /// The most values that a message of so many bytes can hold.
    fn capacity(bytes: usize) -> usize;
    /// Appends the encoding of values.
    fn put(values: &[Self::Value], out: &mut Vec<u8>);
    /// Reads `n` values that fill hostile `bytes`.
    ///
    /// # Errors
    /// Why they are not the encoding of `n` values.
    fn get(bytes: &[u8], n: usize) -> Result<Vec<Self::Value>, String>;
    /// Uniform values.
    fn uniform(prg: &mut Prg, out: &mut [Self::Value]);

    /// The embedding-based check of a block, which exists for bits only.
    ///
    /// # Errors
    /// [`volery_circuit::Error::Misuse`] elsewhere; the check's own.
    fn check_embedded(
        _run: &mut super::Run<'_, Self>,
        _block: &super::block::Block<Self>,
    ) -> Result<[u8; 16], Error> {
        Err(StatementError::misuse("the embedding-based check is for bits").into())
    }
}

/// Vectors of different lengths met: a defect of this crate, told as misuse.
pub(super) fn lengths(error: LengthError) -> Error {
    StatementError::misuse(error.to_string()).into()
}

#[cfg(test)]
mod tests {
    use volery_field::{Bn254Scalar, F2, F32, F32x4, F61, F61x2, Gf128, Gf256, Value};

    use super::super::{MAX_BRANCHES, ProverBits, ProverField};
    use super::*;

    fn points_differ<H: Half>() {
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
    fn mixing_is_linear_on_values<H: Half>(values: &[H::Value]) {
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
