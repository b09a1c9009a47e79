//! A party's shares of the powers of `r`, and what it gives to the circuits.

use volery_field::{F2, F130, Ring};
use zeroize::{Zeroize, Zeroizing};

use super::element_bits;
use crate::Error;
use crate::wire::step::{BLOCK_BITS, ONE_TIME_KEY_BITS, POLY1305_SHARE_BITS, Step, TwoParty};

/// A party's shares of all products.
pub(super) struct Products {
    /// Entry `i - 1` is the share of `r^i`.
    powers: Zeroizing<Vec<F130>>,
    /// Its share of `r` times the mask.
    masked: Zeroizing<F130>,
}

/// A party's shares of `r, r^2, r^3, ...`, and of what has to be zero; wiped on drop.
pub(crate) struct Shares {
    powers: Zeroizing<Vec<F130>>,
    check: Zeroizing<[F130; 2]>,
}

/// A party, who gives numbers to the check with its sign.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    /// P's share counts as it is.
    Plus,
    /// V's share counts negated.
    Minus,
}

/// What a party gives to the circuits that check and finish a tag: both numbers of the check, and its share
/// of `C(r)`, as bits (see the [module](super#the-check)).
pub(crate) struct TagInputs(Zeroizing<Vec<F2>>);

impl Shares {
    /// Shares of products in the order in which they were begun.
    ///
    /// # Errors
    /// [`Error::Misuse`] for fewer than four.
    pub(super) fn of_products(mut products: Zeroizing<Vec<F130>>) -> Result<Products, Error> {
        let powers = products.len().checked_sub(2).filter(|powers| *powers >= super::MIN_POWERS);
        let powers = powers.ok_or_else(|| Error::Misuse(format!("{} products of a tag", products.len())))?;
        let masked = products.iter().skip(powers).fold(F130::ZERO, |sum, part| sum + *part);
        if let Some(last) = products.get_mut(powers..) {
            last.fill(F130::ZERO);
        }
        products.truncate(powers);
        Ok(Products { powers: products, masked: Zeroizing::new(masked) })
    }

    /// This party's inputs for the tag of a record with these [`coefficients`](super::coefficients).
    ///
    /// # Errors
    /// [`Error::Misuse`] for more coefficients than powers.
    pub(crate) fn inputs(&self, coefficients: &[F130], sign: Sign) -> Result<TagInputs, Error> {
        if coefficients.len() > self.powers.len() {
            let reason =
                format!("a tag of {} blocks with {} powers of r", coefficients.len(), self.powers.len());
            return Err(Error::Misuse(reason));
        }
        let value = coefficients.iter().zip(self.powers.iter()).fold(F130::ZERO, |sum, (c, z)| sum + *c * *z);
        let [first, second] = self.check.map(|x| if sign == Sign::Plus { x } else { -x });
        let mut elements = [first, second, value];
        // In one piece from the start: a vector that grows leaves copies behind.
        let mut bits = Zeroizing::new(Vec::with_capacity(TagInputs::BITS));
        elements.iter().for_each(|x| bits.extend(element_bits(*x)));
        elements.zeroize();
        Ok(TagInputs(bits))
    }
}

impl Products {
    /// This party's share of `X`, the sum of all powers but the last.
    pub(super) fn sum(&self) -> F130 {
        self.powers.iter().rev().skip(1).fold(F130::ZERO, |sum, power| sum + *power)
    }

    /// The shares, given this party's share of `r` and the masked sum.
    pub(super) fn checked(self, r: F130, sum: F130) -> Shares {
        let Self { powers, masked } = self;
        let first = powers.first().copied().unwrap_or_default();
        let next = powers.iter().skip(1).fold(F130::ZERO, |sum, power| sum + *power);
        let check = Zeroizing::new([first - r, sum * first - next - *masked]);
        Shares { powers, check }
    }
}

impl TagInputs {
    /// The number of bits.
    pub(crate) const BITS: usize = 3 * POLY1305_SHARE_BITS;

    /// The bits.
    pub(crate) fn bits(&self) -> &[F2] {
        &self.0
    }

    /// The check's answer (one wire) and the tag (128), from the record's one-time key and the parties'
    /// [inputs](TagInputs::BITS), P's first.
    ///
    /// # Errors
    /// [`Error::Misuse`] for another number of wires; the machine's.
    pub(crate) fn finish<M: TwoParty + ?Sized>(
        machine: &mut M,
        key: &[M::Wire],
        inputs: [&[M::Wire]; 2],
    ) -> Result<[Vec<M::Wire>; 2], M::Error> {
        let [prover, verifier] = inputs;
        if key.len() != ONE_TIME_KEY_BITS || prover.len() != Self::BITS || verifier.len() != Self::BITS {
            return Err(Error::Misuse("a tag with another number of wires".into()).into());
        }
        let [(p_check, p_value), (v_check, v_value)] =
            inputs.map(|wires| wires.split_at(2 * POLY1305_SHARE_BITS));
        let (_, s) = key.split_at(BLOCK_BITS);
        let right = machine.call(&Step::Poly1305Check, &[p_check, v_check].concat())?;
        let tag = machine.call(&Step::Poly1305Tag, &[p_value, v_value, s].concat())?;
        Ok([right, tag])
    }
}
