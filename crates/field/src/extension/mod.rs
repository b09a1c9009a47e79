//! A value field and the field of its MACs: what every protocol over a pair `(F_p, F_{p^r})` requires of the
//! two.
//!
//! ```text
//! k = m + x * delta        x in F = F_p,   m, k and delta in M = F_{p^r},   r = [M : F]
//! ```
//!
//! * [`Element`] is what both need: uniform elements from pseudorandom blocks, packing, and sums that are
//!   reduced late.
//! * [`Value`] is a field of values; [`Mac<F>`] says that a field is an extension of it, and holds the
//!   kernels.
//! * [`Coordinates`] takes an element of `M` apart into values.
//! * [`Authenticated`] is the prover's share of a value, `(x, m)`. The verifier's share is an element of `M`.
//!
//! The kernels have defaults (`plain`) that are correct for any pair. A field with vector code overrides
//! them, and its tests compare the two.

pub(crate) mod plain;

use core::ops::{Add, AddAssign, Neg, Sub, SubAssign};

use zeroize::Zeroize;

use crate::{EncodingError, Field, Gf128, LengthError};

/// A field whose elements can be drawn, packed and summed in bulk.
pub trait Element: Field + Zeroize {
    /// Bits of a packed element, at most 256; see [`pack_elements`](crate::pack_elements).
    const BITS: u32;
    /// The number of pseudorandom 128-bit blocks that make one uniform element.
    const BLOCKS: usize;

    /// An element from [`Element::BLOCKS`] uniform blocks (missing ones count as zero), at most `2^-60` from
    /// uniform; in constant time.
    fn from_blocks(blocks: &[u128]) -> Self;

    /// The number of pseudorandom blocks that make two elements: twice [`Element::BLOCKS`], or one where half
    /// a block is enough.
    const BLOCKS_OF_PAIR: usize = 2 * Self::BLOCKS;

    /// Makes two elements from [`Element::BLOCKS_OF_PAIR`] uniform blocks, otherwise as
    /// [`Element::from_blocks`]. If that is one block, the elements also serve as coefficients: half a block
    /// selects no element more often, in proportion, than [`Element::coefficient`] allows.
    #[inline(always)]
    fn pair_from_blocks(blocks: &[u128]) -> [Self; 2] {
        let (first, second) = blocks.split_at(blocks.len().min(Self::BLOCKS));
        [Self::from_blocks(first), Self::from_blocks(second)]
    }

    /// The packed form: bit `i` is bit `i % 64` of word `i / 64`, and bits from [`Element::BITS`] on are
    /// zero. Unless a field says otherwise, these are the bits of the canonical encoding.
    #[inline(always)]
    fn to_packed(self) -> [u64; 4] {
        let mut bytes = [0; 32];
        // An encoding has at most 32 bytes, so this cannot fail.
        let encoded = bytes.get_mut(..Self::BYTES).map(|bytes| self.encode(bytes));
        debug_assert_eq!(encoded, Some(Ok(())));
        let mut words = [0; 4];
        words
            .iter_mut()
            .zip(bytes.as_chunks().0)
            .for_each(|(word, bytes)| *word = u64::from_le_bytes(*bytes));
        words
    }

    /// The element with this packed form; the words are hostile.
    ///
    /// # Errors
    /// [`EncodingError::NotCanonical`] if the words are not the packed form of any element.
    #[inline(always)]
    fn from_packed(words: [u64; 4]) -> Result<Self, EncodingError> {
        let mut bytes = [0; 32];
        bytes.as_chunks_mut().0.iter_mut().zip(words).for_each(|(bytes, word)| *bytes = word.to_le_bytes());
        match bytes.split_at_checked(Self::BYTES) {
            Some((encoding, rest)) if rest.iter().all(|byte| *byte == 0) => Self::decode(encoding),
            _ => Err(EncodingError::NotCanonical { ring: Self::NAME }),
        }
    }

    /// The coefficient that a uniform block selects in a random linear combination. At most
    /// `2^(128 - min(120, bits of the field) + 1)` blocks select the same element. This bounds the
    /// probability that a combination vanishes although its terms are not all zero.
    #[inline(always)]
    #[must_use]
    fn coefficient(block: u128) -> Self {
        Self::from_blocks(&[block])
    }

    /// Packs elements from the first on with vector code, if there is any, into as many bytes as they take.
    /// Returns how many; they end with a byte.
    #[doc(hidden)]
    fn pack_vectors(_elements: &[Self], _out: &mut [u8]) -> usize {
        0
    }

    /// Unpacks elements from the first on with vector code, if there is any. Returns how many; they end with
    /// a byte and are canonical.
    #[doc(hidden)]
    fn unpack_vectors(_bytes: &[u8], _out: &mut [Self]) -> usize {
        0
    }

    /// Makes `first[i]` and `second[i]` from `blocks[i]`, as [`Element::pair_from_blocks`], where one block
    /// makes a pair. The shortest slice says how many.
    #[doc(hidden)]
    fn pairs_from_blocks(blocks: &[Gf128], first: &mut [Self], second: &mut [Self]) {
        for (block, (first, second)) in blocks.iter().zip(first.iter_mut().zip(second)) {
            [*first, *second] = Self::pair_from_blocks(&[block.to_bits()]);
        }
    }

    /// The sum of elements.
    #[doc(hidden)]
    #[must_use]
    fn total(elements: &[Self]) -> Self {
        elements.iter().fold(Self::ZERO, |sum, x| sum + *x)
    }

    /// `elements[index] += x` for a secret index, without an access or a branch that depends on it. An index
    /// beyond them changes nothing.
    #[doc(hidden)]
    fn add_at(elements: &mut [Self], index: u32, x: Self) {
        plain::add_at(elements.iter_mut().enumerate(), index, x);
    }

    /// This element where `mask` is all ones, zero where it is zero; without a branch. Other masks are not
    /// allowed.
    #[must_use]
    fn masked(self, mask: u64) -> Self;

    /// `other` where `mask` is all ones, this element where it is zero; without a branch. Other masks are not
    /// allowed.
    #[inline(always)]
    #[must_use]
    fn select(self, other: Self, mask: u64) -> Self {
        self.masked(!mask) + other.masked(mask)
    }

    /// `self + sum of entries`: one output of the local code.
    #[inline(always)]
    #[must_use]
    fn add_ten(self, entries: [&Self; 10]) -> Self {
        entries.into_iter().fold(self, |sum, entry| sum + *entry)
    }
}

/// A field whose elements are the secret values of a statement.
pub trait Value: Element {
    /// The number of elements of its prime field, if it fits in 64 bits.
    const CHARACTERISTIC: Option<u64>;

    /// The image of an integer: `n` times one.
    fn from_u64(n: u64) -> Self;

    /// `sum of a_i * b_i`.
    ///
    /// # Errors
    /// [`LengthError`] unless the slices are equally long.
    fn dot(a: &[Self], b: &[Self]) -> Result<Self, LengthError> {
        same(a.len(), &[b.len()])?;
        Ok(a.iter().zip(b).fold(Self::ZERO, |sum, (a, b)| sum + *a * *b))
    }

    /// A different element for each of the 256 bytes: the byte's integer if the field is prime. These are
    /// delta's digits.
    fn digit(byte: u8) -> Self;
}

/// An extension of the value field `F`; MACs under a global key are its elements.
pub trait Mac<F: Value>: Element {
    /// The degree `r` of the extension.
    const DEGREE: usize;
    /// The number of bits of a digit of delta in the base VOLE, 4 or 8. A digit has a tree of `2^DIGIT_BITS`
    /// leaves and costs one value for each correlation: 8 halves the bytes and takes eight times the work.
    const DIGIT_BITS: usize;
    /// The number of digits of delta: `delta = sum over t of digit_t * weight(t)`.
    const DIGITS: usize;

    /// The value as an element of the extension.
    fn embed(x: F) -> Self;

    /// `self * embed(x)`.
    #[inline(always)]
    #[must_use]
    fn scale(self, x: F) -> Self {
        self * Self::embed(x)
    }

    /// The basis element number `h` below [`Mac::DEGREE`]; basis element 0 is one.
    fn basis(h: usize) -> Self;

    /// `sum of x_h * basis(h)` over the first [`Mac::DEGREE`] of `x`: packs `r` values, tags or keys into
    /// one.
    fn pack(x: &[Self]) -> Self {
        x.iter().take(Self::DEGREE).enumerate().fold(Self::ZERO, |sum, (h, x)| sum + *x * Self::basis(h))
    }

    /// The weight of delta's digit number `t` below [`Mac::DIGITS`].
    fn weight(t: usize) -> Self;

    /// `sum of a_i * b_i`.
    ///
    /// # Errors
    /// [`LengthError`] unless the slices are equally long.
    fn inner_product(a: &[Self], b: &[Self]) -> Result<Self, LengthError> {
        plain::inner_product(a, b)
    }

    /// The prover's `(sum m_x m_y, sum (x m_y + y m_x), sum x y)`: the coefficients of `sum k_x k_y` as a
    /// polynomial in delta, lowest first.
    ///
    /// # Errors
    /// [`LengthError`] unless the slices are equally long.
    fn dot_prover(
        x: &[Authenticated<F, Self>],
        y: &[Authenticated<F, Self>],
    ) -> Result<[Self; 3], LengthError> {
        plain::dot_prover(x, y)
    }

    /// The prover's `sum chi_i A_0,i` and `sum chi_i A_1,i` over the multiplications `c_i = a_i * b_i`
    /// (QuickSilver, figure 4): `A_0 = m_a m_b`, `A_1 = x_a m_b + x_b m_a - m_c`.
    ///
    /// # Errors
    /// [`LengthError`] unless the slices are equally long.
    fn check_prover(
        a: &[Authenticated<F, Self>],
        b: &[Authenticated<F, Self>],
        c: &[Authenticated<F, Self>],
        chi: &[Self],
    ) -> Result<[Self; 2], LengthError> {
        plain::check_prover(a, b, c, chi)
    }

    /// The verifier's `sum chi_i k_a,i k_b,i` and `sum chi_i k_c,i` over the multiplications
    /// `c_i = a_i * b_i`.
    ///
    /// # Errors
    /// [`LengthError`] unless the slices are equally long.
    fn check_verifier(a: &[Self], b: &[Self], c: &[Self], chi: &[Self]) -> Result<[Self; 2], LengthError> {
        plain::check_verifier::<F, Self>(a, b, c, chi)
    }

    /// The prover's multiplications `z_i = x_i y_i` (QuickSilver, figure 4). Each takes a random value `r_i`:
    /// `masked` is `z_i - r_i`, which P sends, the tag of `z_i` is that of `r_i`, and `relations` are the
    /// coefficients `A_0 = m_x m_y` and `A_1 = x m_y + y m_x - m_z` of what has to be checked.
    ///
    /// # Errors
    /// [`LengthError`] (and everything unchanged) unless all slices are equally long.
    fn multiply_prover(
        x: &[Authenticated<F, Self>],
        y: &[Authenticated<F, Self>],
        random: &[Authenticated<F, Self>],
        z: &mut [Authenticated<F, Self>],
        masked: &mut [F],
        relations: [&mut [Self]; 2],
    ) -> Result<(), LengthError> {
        plain::multiply_prover(x, y, random, z, masked, relations)
    }

    /// The verifier's part of [`Mac::multiply_prover`], with the keys of `x`, `y` and the random values: the
    /// keys `k_z = k_r + masked * delta`, and the relations' values `k_x k_y - k_z delta`.
    ///
    /// # Errors
    /// [`LengthError`] (and everything unchanged) unless all slices are equally long.
    fn multiply_verifier(
        [x, y, random]: [&[Self]; 3],
        masked: &[F],
        delta: Self,
        z: &mut [Self],
        values: &mut [Self],
    ) -> Result<(), LengthError> {
        plain::multiply_verifier([x, y, random], masked, delta, z, values)
    }

    /// Adds the prover's shares `x` to `sums`.
    ///
    /// # Errors
    /// [`LengthError`] (and `sums` unchanged) unless the slices are equally long.
    fn add_prover(
        sums: &mut [Authenticated<F, Self>],
        x: &[Authenticated<F, Self>],
    ) -> Result<(), LengthError> {
        plain::add(sums, x)
    }

    /// Adds the verifier's keys `k` to `sums`.
    ///
    /// # Errors
    /// [`LengthError`] (and `sums` unchanged) unless the slices are equally long.
    fn add_verifier(sums: &mut [Self], k: &[Self]) -> Result<(), LengthError> {
        plain::add(sums, k)
    }

    /// The prover's claims `x_i y_i = z_i` about values that are committed to: `relations` are the
    /// coefficients `A_0 = m_x m_y` and `A_1 = x m_y + y m_x - m_z` of what has to be checked. Returns
    /// whether all claims are true; the time does not depend on which are.
    ///
    /// # Errors
    /// [`LengthError`] (and everything unchanged) unless all slices are equally long.
    fn relate_prover(
        x: &[Authenticated<F, Self>],
        y: &[Authenticated<F, Self>],
        z: &[Authenticated<F, Self>],
        relations: [&mut [Self]; 2],
    ) -> Result<bool, LengthError> {
        plain::relate_prover(x, y, z, relations)
    }

    /// The verifier's part of [`Mac::relate_prover`]: the relations' values `k_x k_y - k_z delta`.
    ///
    /// # Errors
    /// [`LengthError`] (and everything unchanged) unless all slices are equally long.
    fn relate_verifier([x, y, z]: [&[Self]; 3], delta: Self, values: &mut [Self]) -> Result<(), LengthError> {
        plain::relate_verifier::<F, Self>([x, y, z], delta, values)
    }

    /// `sum of c_i * x_i` for public values `c`: the tag or key of a public linear combination.
    ///
    /// # Errors
    /// [`LengthError`] unless the slices are equally long.
    fn combine_public(c: &[F], x: &[Self]) -> Result<Self, LengthError> {
        plain::combine_public(c, x)
    }

    /// Computes [`Mac::combine_public`] for each row of a public matrix. `rows` holds the rows one after the
    /// other, one for each element of `out`.
    ///
    /// # Errors
    /// [`LengthError`] (and `out` unchanged) unless `rows` has `out.len() * x.len()` entries.
    fn combine_rows(rows: &[F], x: &[Self], out: &mut [Self]) -> Result<(), LengthError> {
        same(rows.len(), &[x.len().saturating_mul(out.len())])?;
        for (r, out) in out.iter_mut().enumerate() {
            *out = Self::combine_public(rows.get(r * x.len()..(r + 1) * x.len()).unwrap_or_default(), x)?;
        }
        Ok(())
    }

    /// The prover's share of `sum of r_i * [x_i]` for public `r`: the tag `sum r_i m_i` and the value
    /// `sum r_i x_i`, which is an element of the extension because `r` is. The verifier's share is the
    /// [`Mac::inner_product`] of its keys and `r`.
    ///
    /// # Errors
    /// [`LengthError`] unless the slices are equally long.
    fn combine_prover(x: &[Authenticated<F, Self>], r: &[Self]) -> Result<[Self; 2], LengthError> {
        plain::combine_prover(x, r)
    }

    /// Adds the prover's share of `r * [x_j]` to each of `sums`, which hold `(tag, value)` as
    /// [`Mac::combine_prover`] returns them. One call adds one row of a matrix to a linear combination of all
    /// rows.
    ///
    /// # Errors
    /// [`LengthError`] (and `sums` unchanged) unless the slices are equally long.
    fn accumulate_prover(
        sums: &mut [[Self; 2]],
        x: &[Authenticated<F, Self>],
        r: Self,
    ) -> Result<(), LengthError> {
        plain::accumulate_prover(sums, x, r)
    }

    /// Adds the verifier's share of `r * [x_j]`, which is `r * k_j`, to each of `sums`.
    ///
    /// # Errors
    /// [`LengthError`] (and `sums` unchanged) unless the slices are equally long.
    fn accumulate_verifier(sums: &mut [Self], k: &[Self], r: Self) -> Result<(), LengthError> {
        plain::accumulate_verifier(sums, k, r)
    }
}

/// A field of MACs whose elements can be committed to, as their coordinates over the field of values.
pub trait Coordinates<F: Value>: Mac<F> {
    /// Coordinate `h` below [`Mac::DEGREE`] in the basis of [`Mac::basis`]: [`Mac::pack`] of all of them is
    /// this element.
    fn coordinate(self, h: usize) -> F;
}

/// All ones if `i` is `j`, else zero; without a branch.
#[doc(hidden)]
#[inline(always)]
#[must_use]
pub fn equal(i: usize, j: u32) -> u64 {
    // The difference minus one has its top bit set only if the difference is zero.
    (u64::from(i as u32 ^ j).wrapping_sub(1) >> 63).wrapping_neg()
}

/// Checks that the operands of a kernel are equally long.
pub(crate) fn same(first: usize, others: &[usize]) -> Result<(), LengthError> {
    others.iter().try_for_each(|other| LengthError::check("an operand", first, *other))
}

/// The prover's share of an authenticated value: the value and its tag, `m = k - x * delta`.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Authenticated<F, M> {
    /// The value.
    pub x: F,
    /// Its tag.
    pub m: M,
}

/// A type that can be summed row by row: the prover's share or the verifier's share of a relation.
pub trait Summand: Copy + Default + Send + Sync + Zeroize + 'static {
    /// `self + sum of entries`.
    #[must_use]
    fn add_rows(self, entries: [&Self; 10]) -> Self;
}

impl<E: Element> Summand for E {
    #[inline(always)]
    fn add_rows(self, entries: [&Self; 10]) -> Self {
        self.add_ten(entries)
    }
}

impl<F: Value, M: Mac<F>> Summand for Authenticated<F, M> {
    #[inline(always)]
    fn add_rows(self, entries: [&Self; 10]) -> Self {
        Self { x: self.x.add_ten(entries.map(|e| &e.x)), m: self.m.add_ten(entries.map(|e| &e.m)) }
    }
}

impl<F: Value, M: Mac<F>> Authenticated<F, M> {
    /// The public constant `c`: its tag is zero, its key `c * delta`.
    #[inline(always)]
    #[must_use]
    pub fn constant(c: F) -> Self {
        Self { x: c, m: M::ZERO }
    }

    /// `c` times this value.
    #[inline(always)]
    #[must_use]
    pub fn scale(self, c: F) -> Self {
        Self { x: self.x * c, m: self.m.scale(c) }
    }
}

impl<F, M> core::fmt::Debug for Authenticated<F, M> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Authenticated(..)")
    }
}

impl<F: Zeroize, M: Zeroize> Zeroize for Authenticated<F, M> {
    fn zeroize(&mut self) {
        self.x.zeroize();
        self.m.zeroize();
    }
}

impl<F: Value, M: Mac<F>> Add for Authenticated<F, M> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, m: self.m + other.m }
    }
}

impl<F: Value, M: Mac<F>> AddAssign for Authenticated<F, M> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<F: Value, M: Mac<F>> Sub for Authenticated<F, M> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, m: self.m - other.m }
    }
}

impl<F: Value, M: Mac<F>> SubAssign for Authenticated<F, M> {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl<F: Value, M: Mac<F>> Neg for Authenticated<F, M> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { x: -self.x, m: -self.m }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bn254Scalar, F32, F32x4, F61, F61x2, Goldilocks, GoldilocksX2};

    fn coordinates_are_those_of_the_basis<F: Value, M: Coordinates<F>>() {
        let mut random = crate::laws::Words(5);
        for _ in 0..20 {
            let blocks: Vec<_> = (0..M::BLOCKS).map(|_| random.block()).collect();
            let element = M::from_blocks(&blocks);
            let coordinates: Vec<M> = (0..M::DEGREE).map(|h| M::embed(element.coordinate(h))).collect();
            assert!(M::pack(&coordinates) == element, "{}", M::NAME);
        }
    }

    #[test]
    fn an_element_is_packed_from_its_coordinates() {
        coordinates_are_those_of_the_basis::<F61, F61>();
        coordinates_are_those_of_the_basis::<F61, F61x2>();
        coordinates_are_those_of_the_basis::<F32, F32x4>();
        coordinates_are_those_of_the_basis::<Goldilocks, Goldilocks>();
        coordinates_are_those_of_the_basis::<Goldilocks, GoldilocksX2>();
        coordinates_are_those_of_the_basis::<Bn254Scalar, Bn254Scalar>();
    }
}
