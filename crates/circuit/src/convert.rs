//! Statements over bits and a field at once.
//!
//! A value can be needed as bits (to hash it, to compare it) and as an element (to add and multiply it). A
//! backend that implements [`Convert`] has wires of both kinds and ties them: [`Convert::convert_bits`]
//! gives, for each bit, an element that is zero or one like the bit. Everything else is linear: an element is
//! computed from its bits, and the bits of an element are brought in as secrets and tied to it.
//!
//! Backends implement this for each field by name, not for all fields at once, because Rust cannot express
//! that `F` is never the field of bits.

use volery_field::{F2, Value};
use zeroize::Zeroizing;

use crate::elements::encode;
use crate::gadgets::field::{capacity, from_bits};
use crate::{Backend, Error, Evaluator, Ops, Polynomials, Prove, Statement};

/// A wire that carries a bit.
pub type BitOf<B> = <B as Ops<F2>>::Wire;

/// A wire that carries an element of `F`.
pub type ElementOf<B, F> = <B as Ops<F>>::Wire;

/// A backend for bits and for elements of `F`, with conversions between them.
pub trait Convert<F: Value>: Prove<F2> + Polynomials<F> {
    /// For each bit, the element of `F` that is 0 or 1 like the bit.
    ///
    /// # Errors
    /// [`Error::Misuse`] if `F` has fewer than 2^32 elements or is not a prime field; the backend's own.
    fn convert_bits(&mut self, bits: &[BitOf<Self>]) -> Result<Vec<ElementOf<Self, F>>, Self::Error>;

    /// The element `sum 2^i bits[i]`. If the sum could wrap, this also claims that it does not: see
    /// [`widest`].
    ///
    /// # Errors
    /// [`Error::Misuse`] for more bits than [`widest`]; as [`Convert::convert_bits`].
    fn to_element(&mut self, bits: &[BitOf<Self>]) -> Result<ElementOf<Self, F>, Self::Error> {
        check_width::<F>(bits.len())?;
        let lifted = self.convert_bits(bits)?;
        assert_below::<F, Self>(self, &lifted, bits.len())?;
        Ok(from_bits::<F, Self>(self, &lifted))
    }

    /// The `width` bits of every element, least significant first, one element after the other. This claims
    /// that each element is in `[0, 2^width)`. With the [`widest`] width that claims nothing about the
    /// elements, and the bits are those of integers below the modulus.
    ///
    /// # Errors
    /// As [`Convert::to_element`].
    fn to_bits(
        &mut self,
        elements: &[ElementOf<Self, F>],
        width: usize,
    ) -> Result<Vec<BitOf<Self>>, Self::Error> {
        check_width::<F>(width)?;
        let count =
            elements.len().checked_mul(width).ok_or_else(|| Error::misuse("more bits than memory holds"))?;
        // Room for all bits at once: a vector that grows leaves copies behind. Only the prover has values to
        // put there.
        let mut values = Zeroizing::new(Vec::new());
        self.peek(elements.get(..1).unwrap_or_default(), &mut |_| values.reserve_exact(count));
        self.peek(elements, &mut |value| {
            let bytes = Zeroizing::new(encode(&[value]));
            values.extend((0..width).map(|i| bytes.get(i / 8).map_or(0, |byte| byte >> (i % 8) & 1)));
        });
        let bits = Prove::<F2>::secret(self, count, &mut |_| {
            Ok(values.iter().map(|bit| F2::from_lsb(u64::from(*bit))).collect())
        })?;
        let lifted = self.convert_bits(&bits)?;
        assert_below::<F, Self>(self, &lifted, width)?;
        let mut differences = Vec::with_capacity(elements.len());
        for (i, element) in elements.iter().enumerate() {
            let value =
                from_bits::<F, Self>(self, lifted.get(i * width..(i + 1) * width).unwrap_or_default());
            differences.push(Ops::<F>::sub(self, &value, element));
        }
        Prove::<F>::assert_zero(self, &differences)?;
        Ok(bits)
    }

    /// Passes the values of `elements` to `look` where values exist; elsewhere it does nothing.
    fn peek(&self, elements: &[ElementOf<Self, F>], look: &mut dyn FnMut(F));
}

/// The most bits that can be converted to or from an element of `F`: as many as cannot wrap ([`capacity`]),
/// and one more if `F` has `2^k - 1` elements. These then all have `k` bits. Only `k` ones would wrap, and
/// the conversion claims that the bits are not all ones.
#[must_use]
pub fn widest<F: Value>() -> usize {
    let capacity = capacity::<F>();
    if is_mersenne::<F>() { capacity + 1 } else { capacity }
}

fn is_mersenne<F: Value>() -> bool {
    F::CHARACTERISTIC.is_some_and(|p| p.checked_add(1).is_some_and(u64::is_power_of_two))
}

/// Rejects a width that could wrap.
fn check_width<F: Value>(width: usize) -> Result<(), Error> {
    if width > widest::<F>() {
        let most = widest::<F>();
        return Err(Error::misuse(format!("{width} bits in one element of {}, which holds {most}", F::NAME)));
    }
    Ok(())
}

/// Claims for each `width` elements of `lifted`, which are zeros and ones, that `sum 2^i lifted[i]` is below
/// the modulus. There is nothing to claim unless the width is [`widest`] and beyond [`capacity`]. In that
/// case the number of ones minus `width` must have an inverse.
fn assert_below<F: Value, B: Prove<F> + ?Sized>(
    b: &mut B,
    lifted: &[B::Wire],
    width: usize,
) -> Result<(), B::Error> {
    if width <= capacity::<F>() {
        return Ok(());
    }
    let all = -F::from_u64(width as u64);
    let mut missing = Vec::with_capacity(lifted.len() / width);
    for bits in lifted.chunks(width) {
        let mut sum = b.constant(all);
        for bit in bits {
            sum = b.add(&sum, bit);
        }
        missing.push(sum);
    }
    let inverses = b.secret(missing.len(), &mut |peek| {
        // If all bits are ones, there is no inverse, and no other value satisfies the claim.
        Ok(missing.iter().map(|x| peek.value(x).inverse_or_zero()).collect())
    })?;
    let ones = vec![b.constant(F::ONE); missing.len()];
    b.assert_products(&missing, &inverses, &ones)
}

/// Rejects a field for which [`Convert::convert_bits`] is not sound: sums of 2^31 bits must not wrap.
///
/// # Errors
/// [`Error::Misuse`] for such a field.
pub fn check_field<F: Value>() -> Result<(), Error> {
    if capacity::<F>() < 31 {
        return Err(Error::misuse(format!(
            "bits cannot be converted to elements of {}: it is too small",
            F::NAME
        )));
    }
    Ok(())
}

/// Evaluates statements over bits and `F`.
#[derive(Clone, Debug, Default)]
pub struct MixedEvaluator<F: Value> {
    bits: Evaluator<F2>,
    elements: Evaluator<F>,
}

impl<F: Value> MixedEvaluator<F> {
    /// A new evaluator.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Checks that `statement` holds for the witness inside it.
    ///
    /// # Errors
    /// As [`Evaluator::check`].
    pub fn check(statement: &(impl Statement<Self> + ?Sized)) -> Result<(), Error> {
        let mut evaluator = Self::new();
        statement.run(&mut evaluator)?;
        evaluator.elements.open_arguments().check()?;
        match evaluator.bits.assertions() + evaluator.elements.assertions() {
            0 => Err(Error::nothing_claimed()),
            _ => Ok(()),
        }
    }

    /// What `statement` puts out for the witness inside it: its bits and its elements, each in order. See
    /// [`Evaluator::compute`].
    ///
    /// # Errors
    /// As [`Evaluator::compute`].
    pub fn compute(statement: &(impl Statement<Self> + ?Sized)) -> Result<(Vec<F2>, Vec<F>), Error> {
        let mut evaluator = Self { bits: Evaluator::computing(), elements: Evaluator::computing() };
        statement.run(&mut evaluator)?;
        match (evaluator.bits.into_outputs(), evaluator.elements.into_outputs()) {
            (bits, elements) if bits.values().is_empty() && elements.values().is_empty() => {
                Err(Error::no_outputs())
            }
            (bits, elements) => Ok((bits.values().to_vec(), elements.values().to_vec())),
        }
    }
}

impl<F: Value> Backend for MixedEvaluator<F> {
    type Error = Error;

    fn enter(&mut self, part: &str) {
        self.bits.enter(part);
        self.elements.enter(part);
    }

    fn leave(&mut self) {
        self.bits.leave();
        self.elements.leave();
    }
}

/// Implements [`Ops`] and [`Prove`] over a ring for a generic backend, by passing every call to one of its
/// parts.
#[macro_export]
#[doc(hidden)]
macro_rules! delegate_ring {
    ([$($generics:tt)*] $backend:ty, $ring:ty, $part:ty, |$this:ident| $to:expr) => {
        impl<$($generics)*> $crate::Ops<$ring> for $backend {
            type Wire = <$part as $crate::Ops<$ring>>::Wire;

            #[inline(always)]
            fn constant(&mut self, c: $ring) -> Self::Wire {
                let $this = self;
                $crate::Ops::<$ring>::constant($to, c)
            }
            #[inline(always)]
            fn add(&mut self, x: &Self::Wire, y: &Self::Wire) -> Self::Wire {
                let $this = self;
                $crate::Ops::<$ring>::add($to, x, y)
            }
            #[inline(always)]
            fn sub(&mut self, x: &Self::Wire, y: &Self::Wire) -> Self::Wire {
                let $this = self;
                $crate::Ops::<$ring>::sub($to, x, y)
            }
            #[inline(always)]
            fn add_constant(&mut self, x: &Self::Wire, c: $ring) -> Self::Wire {
                let $this = self;
                $crate::Ops::<$ring>::add_constant($to, x, c)
            }
            #[inline(always)]
            fn scale(&mut self, x: &Self::Wire, c: $ring) -> Self::Wire {
                let $this = self;
                $crate::Ops::<$ring>::scale($to, x, c)
            }
            #[inline(always)]
            fn mul(&mut self, x: &Self::Wire, y: &Self::Wire) -> Result<Self::Wire, Self::Error> {
                self.prepare_ring::<$ring>()?;
                let $this = self;
                $crate::Ops::<$ring>::mul($to, x, y)
            }
            fn substitute(
                &mut self,
                x: &[Self::Wire; 8],
            ) -> Result<Option<[Self::Wire; 8]>, Self::Error> {
                self.prepare_batch::<$ring>()?;
                let $this = self;
                $crate::Ops::<$ring>::substitute($to, x)
            }
        }

        impl<$($generics)*> $crate::Prove<$ring> for $backend {
            fn secret(
                &mut self,
                n: usize,
                hint: $crate::Hint<'_, $ring, Self::Wire>,
            ) -> Result<Vec<Self::Wire>, Self::Error> {
                self.prepare_batch::<$ring>()?;
                let $this = self;
                $crate::Prove::<$ring>::secret($to, n, hint)
            }
            fn assert_zero(&mut self, x: &[Self::Wire]) -> Result<(), Self::Error> {
                let $this = self;
                $crate::Prove::<$ring>::assert_zero($to, x)
            }
            fn takes_outputs(&mut self, x: &[Self::Wire]) -> bool {
                let $this = self;
                $crate::Prove::<$ring>::takes_outputs($to, x)
            }
            fn assert_substituted(
                &mut self,
                x: &[Self::Wire; 8],
                s: &[Self::Wire; 8],
            ) -> Result<bool, Self::Error> {
                self.prepare_batch::<$ring>()?;
                let $this = self;
                $crate::Prove::<$ring>::assert_substituted($to, x, s)
            }
            fn assert_dot(
                &mut self,
                x: &[Self::Wire],
                y: &[Self::Wire],
                z: &Self::Wire,
            ) -> Result<(), Self::Error> {
                self.prepare_batch::<$ring>()?;
                let $this = self;
                $crate::Prove::<$ring>::assert_dot($to, x, y, z)
            }
            fn assert_linear(
                &mut self,
                matrix: &[$ring],
                x: &[Self::Wire],
                t: &[$ring],
            ) -> Result<(), Self::Error> {
                let $this = self;
                $crate::Prove::<$ring>::assert_linear($to, matrix, x, t)
            }
            fn assert_products(
                &mut self,
                x: &[Self::Wire],
                y: &[Self::Wire],
                z: &[Self::Wire],
            ) -> Result<(), Self::Error> {
                self.prepare_batch::<$ring>()?;
                let $this = self;
                $crate::Prove::<$ring>::assert_products($to, x, y, z)
            }
        }
    };
}

/// Implements [`Polynomials`] in the same way.
#[macro_export]
#[doc(hidden)]
macro_rules! delegate_polynomials {
    ([$($generics:tt)*] $backend:ty, $ring:ty, $part:ty, |$this:ident| $to:expr) => {
        impl<$($generics)*> $crate::Polynomials<$ring> for $backend {
            type Poly = <$part as $crate::Polynomials<$ring>>::Poly;

            fn poly(&mut self, x: &Self::Wire) -> Self::Poly {
                let $this = self;
                $crate::Polynomials::<$ring>::poly($to, x)
            }
            fn poly_constant(&mut self, c: $ring) -> Self::Poly {
                let $this = self;
                $crate::Polynomials::<$ring>::poly_constant($to, c)
            }
            fn poly_add(&mut self, p: &Self::Poly, q: &Self::Poly) -> Self::Poly {
                let $this = self;
                $crate::Polynomials::<$ring>::poly_add($to, p, q)
            }
            fn poly_scale(&mut self, p: &Self::Poly, c: $ring) -> Self::Poly {
                let $this = self;
                $crate::Polynomials::<$ring>::poly_scale($to, p, c)
            }
            fn poly_mul(&mut self, p: &Self::Poly, q: &Self::Poly) -> Result<Self::Poly, Self::Error> {
                let $this = self;
                $crate::Polynomials::<$ring>::poly_mul($to, p, q)
            }
            fn assert_poly_zero(&mut self, p: &[Self::Poly]) -> Result<(), Self::Error> {
                self.prepare_batch::<$ring>()?;
                let $this = self;
                $crate::Polynomials::<$ring>::assert_poly_zero($to, p)
            }
            fn assert_matrix_product(
                &mut self,
                shape: $crate::MatrixShape,
                a: &[Self::Wire],
                b: &[Self::Wire],
                c: &[Self::Wire],
            ) -> Result<(), Self::Error> {
                self.prepare_batch::<$ring>()?;
                let $this = self;
                $crate::Polynomials::<$ring>::assert_matrix_product($to, shape, a, b, c)
            }
        }
    };
}

#[expect(clippy::extra_unused_type_parameters, reason = "other backends ask which part the operation is of")]
impl<F: Value> MixedEvaluator<F> {
    /// Called before an operation of one part. Backends that send messages override it; this one does
    /// nothing.
    fn prepare_ring<R>(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// Called before many operations of one part.
    fn prepare_batch<R>(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

delegate_ring!([F: Value] MixedEvaluator<F>, F2, Evaluator<F2>, |this| &mut this.bits);
delegate_polynomials!([F: Value] MixedEvaluator<F>, F2, Evaluator<F2>, |this| &mut this.bits);

macro_rules! mixed_evaluator {
    ($($field:ty: $row:tt;)*) => {$(
        delegate_ring!([] MixedEvaluator<$field>, $field, Evaluator<$field>, |this| &mut this.elements);
        delegate_polynomials!([] MixedEvaluator<$field>, $field, Evaluator<$field>, |this| &mut this.elements);
        crate::delegate_challenge!([] MixedEvaluator<$field>, $field, Evaluator<$field>, |this| this.elements);

        impl Convert<$field> for MixedEvaluator<$field> {
            fn convert_bits(&mut self, bits: &[F2]) -> Result<Vec<$field>, Error> {
                check_field::<$field>()?;
                Ok(bits.iter().map(|bit| <$field>::from_u64(bit.to_u8().into())).collect())
            }

            fn peek(&self, elements: &[$field], look: &mut dyn FnMut($field)) {
                elements.iter().for_each(|element| look(*element));
            }
        }
    )*};
}
volery_field::prime_fields!(mixed_evaluator);

#[cfg(test)]
mod tests {
    use volery_field::{F61, Goldilocks, PallasBase};

    use super::*;
    use crate::{Peek, gadgets};

    #[test]
    fn a_value_goes_from_element_to_bits_through_an_adder_and_back() {
        let mut b = MixedEvaluator::<F61>::new();
        let x = [F61::from_u64(123_456), F61::from_u64(u64::from(u32::MAX))];
        let bits = b.to_bits(&x, 32).unwrap();
        assert_eq!(bits.len(), 64);
        let sum = gadgets::add(&mut b, &bits[..32], &bits[32..]).unwrap();
        let back: F61 = b.to_element(&sum).unwrap();
        assert!(back == F61::from_u64(123_455));
    }

    #[test]
    fn an_element_that_is_too_large_and_a_width_that_wraps_are_refused() {
        let mut b = MixedEvaluator::<F61>::new();
        let error = b.to_bits(&[F61::from_u64(256)], 8).unwrap_err();
        assert!(matches!(error, Error::Unsatisfied { .. }), "{error}");
        assert!(matches!(b.to_bits(&[F61::from_u64(1)], 62), Err(Error::Misuse(_))));
        let ones = [F2::ONE; 62];
        assert!(matches!(Convert::<F61>::to_element(&mut b, &ones), Err(Error::Misuse(_))));
    }

    #[test]
    fn all_bits_of_a_mersenne_prime_s_element_are_converted_and_all_ones_are_refused() {
        assert_eq!((widest::<F61>(), widest::<volery_field::F32>()), (61, 31));
        assert_eq!((widest::<Goldilocks>(), widest::<PallasBase>()), (63, 254));
        let p = (1_u64 << 61) - 1;
        for x in [0, 1, p - 1, 1 << 60, p >> 1] {
            let mut b = MixedEvaluator::<F61>::new();
            let bits = b.to_bits(&[F61::from_u64(x), F61::from_u64(7)], 61).unwrap();
            assert_eq!(bits.len(), 122);
            let read = |bits: &[F2]| bits.iter().rev().fold(0, |n, bit| 2 * n + u64::from(bit.to_u8()));
            assert_eq!((read(&bits[..61]), read(&bits[61..])), (x, 7));
            assert!(b.to_element(&bits[..61]) == Ok(F61::from_u64(x)));
        }
        let mut b = MixedEvaluator::<F61>::new();
        let error = Convert::<F61>::to_element(&mut b, &[F2::ONE; 61]).map(drop).unwrap_err();
        assert!(matches!(error, Error::Unsatisfied { .. }), "{error}");
    }

    /// The hash of an element's bits, and arithmetic on the same element.
    #[test]
    fn hints_see_both_kinds_of_wires() {
        let mut b = MixedEvaluator::<F61>::new();
        let secret =
            Prove::<F61>::secret(&mut b, 1, &mut |_: &dyn Peek<F61, F61>| Ok(vec![F61::from_u64(5)]))
                .unwrap();
        let bits = b.to_bits(&secret, 3).unwrap();
        assert_eq!(bits.iter().map(|bit| bit.to_u8()).collect::<Vec<_>>(), [1, 0, 1]);
    }
}
