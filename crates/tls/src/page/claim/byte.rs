//! Tests of one byte as circuits: is it in this set?
//!
//! A byte has two nibbles. Any property of a nibble is a sum of products of its bits (its algebraic normal
//! form). There are 11 products of two bits or more; they are made when they are first needed, and serve
//! every later test of the byte. For each different set `T` of lower nibbles, a set then contains the
//! bytes with a lower nibble in `T` whose upper nibble goes with `T`:
//!
//! ```text
//! [x in set]  =  sum over T of [upper(x) in U_T] * [lower(x) in T]          at most one of the products is 1
//! ```

use volery_circuit::Prove;
use volery_circuit::gadgets::not;
use volery_field::F2;

/// A set of bytes: for each upper nibble, the set of lower nibbles as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ByteSet([u16; 16]);

/// The set of all nibbles.
const ALL: u16 = u16::MAX;

impl ByteSet {
    /// The bytes for which `contains` is true.
    pub(super) fn of(contains: impl Fn(u8) -> bool) -> Self {
        let mut set = Self::default();
        (0..=u8::MAX).filter(|byte| contains(*byte)).for_each(|byte| set.insert(byte));
        set
    }

    pub(super) fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte >> 4)] |= 1 << (byte & 15);
    }

    /// This byte alone.
    pub(super) fn one(byte: u8) -> Self {
        Self::of(|other| other == byte)
    }

    /// Whether it has every byte.
    pub(super) fn is_all(&self) -> bool {
        self.0 == [ALL; 16]
    }

    /// The different nonempty sets of lower nibbles, each with the upper nibbles that it goes with.
    fn products(&self) -> Vec<(u16, u16)> {
        let mut products: Vec<(u16, u16)> = Vec::new();
        for (upper, lower) in self.0.into_iter().enumerate().filter(|(_, lower)| *lower != 0) {
            match products.iter_mut().find(|(_, other)| *other == lower) {
                Some((uppers, _)) => *uppers |= 1 << upper,
                None => products.push((1 << upper, lower)),
            }
        }
        products
    }

    /// The most ANDs that one more test of a byte takes when its bits' products are known.
    pub(super) fn price(&self) -> usize {
        self.products().iter().filter(|(upper, lower)| *upper != ALL && *lower != ALL).count()
    }
}

/// Which nibble of a byte.
#[derive(Clone, Copy)]
enum Nibble {
    Lower,
    Upper,
}

/// A byte's bits, and the products of them that were needed so far.
pub(super) struct Byte<'a, W> {
    bits: &'a [W; 8],
    /// For each nibble, by the set of factors.
    products: [[Option<W>; 16]; 2],
}

impl<'a, W: Clone> Byte<'a, W> {
    /// The number of ANDs of all products of bits.
    pub(super) const PRODUCTS: usize = 22;

    pub(super) fn new(bits: &'a [W; 8]) -> Self {
        Self { bits, products: core::array::from_fn(|_| core::array::from_fn(|_| None)) }
    }

    /// The bytes of a string's bits.
    pub(super) fn all(bits: &'a [W]) -> Vec<Self> {
        bits.as_chunks().0.iter().map(Self::new).collect()
    }

    /// Its bits.
    pub(super) fn bits(&self) -> &[W] {
        self.bits
    }

    /// The bits of its lower nibble.
    pub(super) fn lower(&self) -> &[W] {
        self.bits.split_at(4).0
    }

    /// Whether the byte is in this set. Takes at most [`ByteSet::price`] ANDs, and products of bits that were
    /// not needed before.
    pub(super) fn is_in<B>(&mut self, b: &mut B, set: &ByteSet) -> Result<W, B::Error>
    where
        B: Prove<F2, Wire = W> + ?Sized,
    {
        let mut sum = None;
        for (upper, lower) in set.products() {
            let term = match (upper, lower) {
                (ALL, _) => self.nibble(b, Nibble::Lower, lower)?,
                (_, ALL) => self.nibble(b, Nibble::Upper, upper)?,
                _ => {
                    let (upper, lower) =
                        (self.nibble(b, Nibble::Upper, upper)?, self.nibble(b, Nibble::Lower, lower)?);
                    b.mul(&upper, &lower)?
                }
            };
            sum = Some(plus(b, sum, term));
        }
        Ok(sum.unwrap_or_else(|| b.constant(F2::ZERO)))
    }

    /// Whether a nibble is in a set of nibbles.
    fn nibble<B>(&mut self, b: &mut B, nibble: Nibble, set: u16) -> Result<W, B::Error>
    where
        B: Prove<F2, Wire = W> + ?Sized,
    {
        // Converts a function's values to its coefficients (Moebius), one variable after the other.
        let steps = [(1, 0x5555), (2, 0x3333), (4, 0x0f0f), (8, 0x00ff)];
        let coefficients = steps.iter().fold(set, |c: u16, (shift, mask)| c ^ (c & mask) << shift);
        let mut sum = None;
        for factors in (1..16).filter(|factors| coefficients >> factors & 1 == 1) {
            let product = self.product(b, nibble, factors)?;
            sum = Some(plus(b, sum, product));
        }
        let sum = sum.unwrap_or_else(|| b.constant(F2::ZERO));
        Ok(if coefficients & 1 == 1 { not(b, &sum) } else { sum })
    }

    /// The product of a nibble's bits in `factors`, which must not be empty.
    fn product<B>(&mut self, b: &mut B, nibble: Nibble, factors: usize) -> Result<W, B::Error>
    where
        B: Prove<F2, Wire = W> + ?Sized,
    {
        let [lower, upper] = &self.products;
        let known = match nibble {
            Nibble::Lower => lower,
            Nibble::Upper => upper,
        };
        if let Some(Some(known)) = known.get(factors) {
            return Ok(known.clone());
        }
        let first = factors.trailing_zeros() as usize % 4;
        let (offset, index) = match nibble {
            Nibble::Lower => (0, 0),
            Nibble::Upper => (4, 1),
        };
        let bit = self.bits[offset + first].clone();
        let rest = factors & (factors - 1);
        let product = if rest == 0 {
            bit
        } else {
            let rest = self.product(b, nibble, rest)?;
            b.mul(&bit, &rest)?
        };
        self.products[index][factors % 16] = Some(product.clone());
        Ok(product)
    }
}

/// A sum with one more term.
pub(super) fn plus<B: Prove<F2> + ?Sized>(b: &mut B, sum: Option<B::Wire>, term: B::Wire) -> B::Wire {
    match sum {
        Some(sum) => b.add(&sum, &term),
        None => term,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use volery_circuit::gadgets::bytes_to_bits;
    use volery_circuit::{Evaluator, Recorder};

    use super::*;

    fn check(set: &ByteSet, expected: impl Fn(u8) -> bool) {
        for byte in 0..=u8::MAX {
            let bits: [F2; 8] = bytes_to_bits(&[byte]).try_into().unwrap();
            let found = Byte::new(&bits).is_in(&mut Evaluator::new(), set).unwrap();
            assert_eq!(found.to_bool(), expected(byte), "{byte}");
        }
    }

    #[test]
    fn a_byte_is_in_the_sets_that_hold_it() {
        for set in [ByteSet::of(|_| true), ByteSet::of(|_| false), ByteSet::one(b'-')] {
            check(&set, |byte| set == ByteSet::of(|_| true) || set == ByteSet::one(byte));
        }
        check(&ByteSet::of(|byte| byte.is_ascii_digit()), |byte| byte.is_ascii_digit());
        check(&ByteSet::of(|byte| byte.is_ascii_hexdigit()), |byte| byte.is_ascii_hexdigit());
    }

    #[test]
    fn later_questions_use_the_products_of_earlier_ones() {
        let mut recorder = Recorder::<F2>::new();
        let bits: [_; 8] = recorder.input("byte", 8, false).unwrap().try_into().unwrap();
        let mut byte = Byte::new(&bits);
        let sets: Vec<_> =
            (0..40).map(|step| ByteSet::of(|byte| byte.count_ones() * 37 % 41 > step)).collect();
        for set in &sets {
            byte.is_in(&mut recorder, set).unwrap();
        }
        let most = Byte::<'_, F2>::PRODUCTS as u64 + sets.iter().map(|set| set.price() as u64).sum::<u64>();
        let made = recorder.finish(&[]).unwrap().multiplications();
        assert!(made <= most && made > 0, "{made} of {most}");
    }

    proptest! {
        #[test]
        fn any_set_holds_what_it_holds(rows: [u16; 16], byte: u8) {
            let bits: [F2; 8] = bytes_to_bits(&[byte]).try_into().unwrap();
            let found = Byte::new(&bits).is_in(&mut Evaluator::new(), &ByteSet(rows)).unwrap();
            prop_assert_eq!(found.to_bool(), rows[usize::from(byte >> 4)] >> (byte & 15) & 1 == 1);
        }
    }
}
