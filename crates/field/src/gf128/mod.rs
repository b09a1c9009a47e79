//! GF(2^128), the MAC field of Boolean statements.
//!
//! Elements are polynomials over F2 modulo `x^128 + x^7 + x^2 + x + 1`, little-endian: the coefficient of
//! `x^i` is bit `i` of the `u128`, and bit `i % 8` of byte `i / 8` of the encoding. (GCM uses the same
//! polynomial with the reverse order of bits; code that needs GHASH converts at its boundary.)
//!
//! For single elements, use the operators of [`Gf128`]: they check whether the CPU has carry-less
//! multiplication, and cost a call. For slices, use a [`Kernel`], which works on several elements at once:
//!
//! | file | instruction set | elements at once |
//! |---|---|---|
//! | `portable` | any; the reference for the others | 1 |
//! | `x86_clmul` | x86-64 with PCLMULQDQ | 1 |
//! | `x86_vpclmul` | and AVX2, VPCLMULQDQ | 2 |
//! | `x86_vpclmul512` | and AVX-512 F, BW, VPCLMULQDQ | 4 |
//! | `neon_pmull` | AArch64 with Neon, PMULL | 1 |
//! | `wasm_simd128` | WebAssembly with simd128 | 128, bitsliced (`sliced`) |
//!
//! The files of the instruction sets hold single instructions only (`x86_leaves` makes those of x86 from the
//! names of their intrinsics). The algorithms above them are in `vector` (and `runs`, `transpose`), once, for
//! any width. `dispatch` picks the file, and `harness` tests each one against `portable`.

mod dispatch;
mod element;
#[cfg(test)]
mod harness;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod neon_pmull;
mod portable;
mod register;
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little"),
    all(target_arch = "wasm32", target_feature = "simd128")
))]
// Without carry-less multiplication only what shifts and shuffles is used.
#[cfg_attr(target_arch = "wasm32", allow(dead_code, unused_imports, unused_macros))]
mod runs;
mod single;
#[cfg(any(all(test, target_arch = "x86_64"), all(target_arch = "wasm32", target_feature = "simd128")))]
mod sliced;
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little"),
    all(target_arch = "wasm32", target_feature = "simd128")
))]
mod transpose;
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little"),
    all(target_arch = "wasm32", target_feature = "simd128")
))]
// Without carry-less multiplication only what shifts and shuffles is used.
#[cfg_attr(target_arch = "wasm32", allow(dead_code, unused_imports, unused_macros))]
mod vector;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm_simd128;
#[cfg(target_arch = "x86_64")]
mod x86_clmul;
#[cfg(target_arch = "x86_64")]
mod x86_leaves;
#[cfg(target_arch = "x86_64")]
mod x86_vpclmul;
#[cfg(target_arch = "x86_64")]
mod x86_vpclmul512;

use core::fmt;
use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use rand_core::CryptoRng;
use subtle::{Choice, ConstantTimeEq};

use crate::{EncodingError, F2, Field, Ring};

pub use dispatch::Kernel;

/// The number of elements that share a coefficient in [`Kernel::weigh_prover`]: the number of bits of a field
/// element.
pub const RUN: usize = 128;

/// An element of GF(2^128). `Debug` does not show the value, since most elements here are secret.
///
/// ```
/// use volery_field::{Field, Gf128};
/// let x = Gf128::X;
/// let x_to_127 = Gf128::from_bits(1 << 127);
/// assert_eq!(x * x_to_127, Gf128::from_bits(0b1000_0111)); // x^128 = x^7 + x^2 + x + 1
/// assert_eq!(x.inverse().map(|inverse| inverse * x), Some(Gf128::ONE));
/// ```
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Gf128(register::Register);

impl Default for Gf128 {
    #[inline(always)]
    fn default() -> Self {
        Self::ZERO
    }
}

/// Wiping writes zeros, in slices too.
impl zeroize::DefaultIsZeroes for Gf128 {}

impl Gf128 {
    /// Zero.
    pub const ZERO: Self = Self::from_bits(0);
    /// One.
    pub const ONE: Self = Self::from_bits(1);
    /// The polynomial `x`.
    pub const X: Self = Self::from_bits(2);

    /// The element whose coefficient of `x^i` is bit `i` of `bits`.
    #[inline(always)]
    #[must_use]
    pub const fn from_bits(bits: u128) -> Self {
        Self(register::load(bits))
    }

    /// The coefficients: bit `i` is the coefficient of `x^i`.
    #[inline(always)]
    #[must_use]
    pub const fn to_bits(self) -> u128 {
        register::store(self.0)
    }

    /// The element with this encoding. Every 16 bytes encode an element.
    #[inline(always)]
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self::from_bits(u128::from_le_bytes(bytes))
    }

    /// The encoding.
    #[inline(always)]
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 16] {
        self.to_bits().to_le_bytes()
    }

    /// The coefficient of `x^0`, in which a prover's wire keeps its bit.
    #[inline(always)]
    #[must_use]
    pub const fn lsb(self) -> F2 {
        F2::from_lsb(self.to_bits() as u64)
    }

    /// This element with `bit` as its coefficient of `x^0`.
    #[inline(always)]
    #[must_use]
    pub const fn with_lsb(self, bit: F2) -> Self {
        Self::from_bits(self.to_bits() & !1 | bit.to_u8() as u128)
    }

    /// This element with its coefficient of `x^0` replaced by the product of those of `a` and `b`. This
    /// multiplies the bits of two provers' wires without leaving the vector registers.
    #[inline(always)]
    #[must_use]
    pub fn with_lsb_product(self, a: Self, b: Self) -> Self {
        Self(register::blend(Self::ONE.0, self.0, register::and(a.0, b.0)))
    }

    /// `self * x`, by a shift.
    #[inline(always)]
    #[must_use]
    pub const fn mul_x(self) -> Self {
        let bits = self.to_bits();
        Self::from_bits((bits << 1) ^ ((bits >> 127).wrapping_neg() & 0x87))
    }

    /// `self * self`; cheaper than a multiplication.
    #[inline]
    #[must_use]
    pub fn square(self) -> Self {
        single::square(self)
    }

    /// A uniform element.
    pub fn random(rng: &mut impl CryptoRng) -> Self {
        let mut bytes = [0; 16];
        rng.fill_bytes(&mut bytes);
        Self::from_bytes(bytes)
    }
}

impl Field for Gf128 {
    /// `self^(2^128 - 2)`, by Itoh and Tsujii's chain: 12 multiplications and 127 squarings, zero included.
    fn inverse_or_zero(self) -> Self {
        // power = self^(2^ones - 1), for ones = 1, 3, 7, ..., 127.
        let mut power = self;
        for ones in [1, 3, 7, 15, 31, 63] {
            let shifted = (0..ones).fold(power, |power, _| power.square());
            power = (shifted * power).square() * self;
        }
        power.square()
    }
}

impl Ring for Gf128 {
    const NAME: &'static str = "GF(2^128)";
    const BYTES: usize = 16;
    const ZERO: Self = Self::ZERO;
    const ONE: Self = Self::ONE;

    fn encode(self, out: &mut [u8]) -> Result<(), EncodingError> {
        let got = out.len();
        let wrong = |_| EncodingError::Length { ring: Self::NAME, expected: 16, got };
        let out: &mut [u8; 16] = out.try_into().map_err(wrong)?;
        *out = self.to_bytes();
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<Self, EncodingError> {
        let wrong = |_| EncodingError::Length { ring: Self::NAME, expected: 16, got: bytes.len() };
        bytes.try_into().map(Self::from_bytes).map_err(wrong)
    }
}

impl From<F2> for Gf128 {
    /// F2 is the subfield of the constants 0 and 1.
    #[inline(always)]
    fn from(bit: F2) -> Self {
        Self::from_bits(bit.to_u8().into())
    }
}

impl ConstantTimeEq for Gf128 {
    #[inline(always)]
    fn ct_eq(&self, other: &Self) -> Choice {
        self.to_bits().ct_eq(&other.to_bits())
    }
}

/// In constant time.
impl PartialEq for Gf128 {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.ct_eq(other).into()
    }
}

impl Eq for Gf128 {}

impl fmt::Debug for Gf128 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Gf128(..)")
    }
}

impl Add for Gf128 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(register::xor(self.0, other.0))
    }
}

impl Sub for Gf128 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(register::xor(self.0, other.0))
    }
}

impl Neg for Gf128 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self
    }
}

impl Mul for Gf128 {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        single::mul(self, other)
    }
}

/// Keeps the element or makes it zero, without a branch.
impl Mul<F2> for Gf128 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, bit: F2) -> Self {
        Self(register::and(self.0, register::load(bit.mask())))
    }
}

impl AddAssign for Gf128 {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Gf128 {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl MulAssign for Gf128 {
    #[inline]
    fn mul_assign(&mut self, other: Self) {
        *self = *self * other;
    }
}

impl core::iter::Sum for Gf128 {
    fn sum<I: Iterator<Item = Self>>(elements: I) -> Self {
        elements.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_element() -> impl Strategy<Value = Gf128> {
        let special = prop::sample::select(vec![0, 1, 2, 1 << 127, u128::MAX, 0x87, 1 << 63, 1 << 64]);
        prop_oneof![4 => any::<u128>(), 1 => special].prop_map(Gf128::from_bits)
    }

    crate::laws::field_laws!(Gf128, any_element());

    /// `a * b` as one learns it: shift and add.
    fn schoolbook(a: Gf128, b: Gf128) -> Gf128 {
        let mut shifted = a;
        let mut sum = Gf128::ZERO;
        for i in 0..128 {
            sum += if b.to_bits() >> i & 1 == 1 { shifted } else { Gf128::ZERO };
            shifted = shifted.mul_x();
        }
        sum
    }

    /// GCM's bit order, read as an element of ours.
    fn from_gcm(block: u128) -> Gf128 {
        Gf128::from_bits(block.reverse_bits())
    }

    crate::properties::properties! {
        #[test]
        fn products_are_those_of_shift_and_add(a in any_element(), b in any_element()) {
            let expected = schoolbook(a, b).to_bits();
            prop_assert_eq!((a * b).to_bits(), expected);
            prop_assert_eq!(portable::mul(a, b).to_bits(), expected);
        }

        #[test]
        fn squares_are_products(a in any_element()) {
            prop_assert_eq!(a.square().to_bits(), (a * a).to_bits());
            prop_assert_eq!(portable::square(a).to_bits(), (a * a).to_bits());
            prop_assert_eq!(a.mul_x().to_bits(), (a * Gf128::X).to_bits());
        }

        #[test]
        fn a_bit_keeps_or_clears(a in any_element(), bit in any::<bool>()) {
            prop_assert_eq!((a * F2::new(bit)).to_bits(), (a * Gf128::from(F2::new(bit))).to_bits());
            prop_assert_eq!(a.with_lsb(F2::new(bit)).lsb(), F2::new(bit));
            prop_assert_eq!(a.with_lsb(a.lsb()), a);
            let b = Gf128::from(F2::new(bit));
            prop_assert_eq!(a.with_lsb_product(a, b), a.with_lsb(a.lsb() * F2::new(bit)));
        }
    }

    /// The GHASH values of McGrew and Viega, "The Galois/Counter Mode of Operation (GCM)", appendix B, test
    /// case 2: `H`, the ciphertext block `C`, `C * H`, and `(C * H + length) * H`.
    #[test]
    fn ghash_of_gcm_test_case_2_is_known() {
        let h = from_gcm(0x66e9_4bd4_ef8a_2c3b_884c_fa59_ca34_2b2e);
        let c = from_gcm(0x0388_dace_60b6_a392_f328_c2b9_71b2_fe78);
        let first = c * h;
        assert_eq!(first, from_gcm(0x5e2e_c746_9170_6288_2c85_b068_5353_deb7));
        assert_eq!((first + from_gcm(0x80)) * h, from_gcm(0xf38c_bb1a_d692_23dc_c345_7ae5_b6b0_f885));
    }

    #[test]
    fn debug_does_not_show_the_value() {
        assert_eq!(format!("{:?}", Gf128::from_bits(0x1234_5678)), "Gf128(..)");
    }
}
