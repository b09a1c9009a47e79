//! P: multiplies with powers of a random number.

use rand_core::CryptoRng;
use volery_channel::Channel;
use volery_channel::tags::{POLY1305_AHEAD, POLY1305_FACTOR, POLY1305_POWERS, POLY1305_SUM};
use volery_field::{F130, Field, Ring};
use volery_vole::ole::{Pending, Sender};
use zeroize::Zeroizing;

use super::products;
use super::shares::{Products, Shares};
use crate::Error;
use crate::wire::products::{packed, random_element, random_factor, receive, unpacked};

/// P's part of a record's tag, before `r` is there.
pub(crate) struct ProverAhead {
    /// `1 / x`.
    inverse: Zeroizing<F130>,
    /// P's part of the sum's mask.
    mask: Zeroizing<F130>,
    products: Pending<F130>,
}

/// P's part once V has its factor of `r`.
pub(crate) struct ProverConverted {
    /// P's share of `r`.
    a: Zeroizing<F130>,
    mask: Zeroizing<F130>,
    products: Pending<F130>,
}

impl ProverAhead {
    /// Draws `x`, and sends the corrections of its powers up to `x^powers`, of `x` times the mask, and of
    /// `x`. V calls [`VerifierAhead::new`](super::VerifierAhead::new).
    ///
    /// # Errors
    /// [`Error::Products`] if too few products are prepared; what sending meets.
    pub(crate) fn new(
        channel: &mut dyn Channel,
        products: &mut Sender<F130>,
        powers: usize,
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<Self, Error> {
        Self::of(channel, products, rng, |x| self::powers(x, powers))
    }

    /// The same with the factors that `factors` makes from `x`: its powers unless P cheats.
    pub(super) fn of(
        channel: &mut dyn Channel,
        products: &mut Sender<F130>,
        rng: &mut (impl CryptoRng + ?Sized),
        factors: impl FnOnce(F130) -> Zeroizing<Vec<F130>>,
    ) -> Result<Self, Error> {
        let (x, mask) = (random_factor::<F130>(rng), random_element::<F130>(rng));
        let powers = factors(*x);
        let mut all = Zeroizing::new(Vec::with_capacity(self::products(powers.len())));
        all.extend(powers.iter().copied().chain([*x * *mask, *x]));
        let products = products.begin(&all)?;
        channel.send(POLY1305_AHEAD, &packed(products.corrections()))?;
        Ok(Self { inverse: Zeroizing::new(x.inverse_or_zero()), mask, products })
    }

    /// The factors by which the parties multiply `r` into shares.
    pub(crate) fn factors(&self) -> Zeroizing<[F130; 2]> {
        Zeroizing::new([F130::ONE, *self.inverse])
    }

    /// Gives V its factor of `r`, given P's shares of `r` times [`ProverAhead::factors`]. It does not wait.
    ///
    /// # Errors
    /// [`Error::Misuse`] for another number of shares; what sending meets.
    pub(crate) fn factor(self, channel: &mut dyn Channel, shares: &[F130]) -> Result<ProverConverted, Error> {
        let Self { mask, products, .. } = self;
        let [a, part] = shares else { return Err(Error::Misuse("shares of other products than r's".into())) };
        channel.send(POLY1305_FACTOR, &packed(&[*part]))?;
        Ok(ProverConverted { a: Zeroizing::new(*a), mask, products })
    }
}

/// P's part with shares of all products.
pub(crate) struct ProverSummed {
    products: Products,
    a: Zeroizing<F130>,
    /// P's share of the masked sum, and V's.
    shares: [F130; 2],
}

impl ProverConverted {
    /// P's shares of all products. This waits for V's corrections.
    ///
    /// # Errors
    /// [`Error::Malformed`] unless V's message has one canonical element for each product and one more; the
    /// channel's.
    pub(crate) fn products(self, channel: &mut dyn Channel) -> Result<ProverSummed, Error> {
        let Self { a, mask, products } = self;
        let count = products.corrections().len() + 1;
        let message = receive::<F130>(channel, POLY1305_POWERS, count)?;
        let mut elements: Vec<F130> = unpacked(POLY1305_POWERS, &message, count)?;
        let theirs = elements.pop().unwrap_or_default();
        let products = Shares::of_products(products.finish(&elements)?)?;
        let own = products.sum() + *mask;
        Ok(ProverSummed { products, a, shares: [own, theirs] })
    }
}

impl ProverSummed {
    /// P's shares of the powers of `r`. This sends P's share of the masked sum. It does not wait.
    ///
    /// # Errors
    /// What sending meets.
    pub(crate) fn shares(self, channel: &mut dyn Channel) -> Result<Shares, Error> {
        let Self { products, a, shares: [own, theirs] } = self;
        channel.send(POLY1305_SUM, &packed(&[own]))?;
        Ok(products.checked(*a, own + theirs))
    }
}

/// `x, x^2, ..., x^n`.
pub(crate) fn powers(x: F130, n: usize) -> Zeroizing<Vec<F130>> {
    let mut powers = Zeroizing::new(Vec::with_capacity(n));
    let mut power = F130::ONE;
    for _ in 0..n {
        power *= x;
        powers.push(power);
    }
    powers
}
