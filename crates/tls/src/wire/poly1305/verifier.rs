//! V: multiplies with powers of its factor of `r`.

use rand_core::CryptoRng;
use volery_channel::Channel;
use volery_channel::tags::{POLY1305_AHEAD, POLY1305_FACTOR, POLY1305_POWERS, POLY1305_SUM};
use volery_field::F130;
use volery_vole::ole::Receiver;
use zeroize::Zeroizing;

use super::products;
use super::prover::powers;
use super::shares::{Products, Shares};
use crate::Error;
use crate::wire::products::{packed, random_element, receive, unpacked};

/// V's part of a record's tag, before `r` is there.
pub(crate) struct VerifierAhead {
    /// P's corrections.
    corrections: Vec<F130>,
}

/// V's part with its factor of `r`.
pub(crate) struct VerifierConverted {
    corrections: Vec<F130>,
    /// Its share of `r`.
    b: Zeroizing<F130>,
    /// `r / x`.
    y: Zeroizing<F130>,
}

/// V's part with shares of all products.
pub(crate) struct VerifierOffered {
    products: Products,
    b: Zeroizing<F130>,
    /// Its share of the masked sum.
    own: F130,
}

impl VerifierAhead {
    /// Receives P's corrections for powers up to this one.
    ///
    /// # Errors
    /// [`Error::Malformed`] unless P's message has one canonical element for each product; the channel's.
    pub(crate) fn new(channel: &mut dyn Channel, powers: usize) -> Result<Self, Error> {
        let count = products(powers);
        let message = receive::<F130>(channel, POLY1305_AHEAD, count)?;
        Ok(Self { corrections: unpacked(POLY1305_AHEAD, &message, count)? })
    }

    /// Receives V's factor of `r`, given its shares of `r` times
    /// [P's factors](super::ProverAhead::factors).
    ///
    /// # Errors
    /// [`Error::Misuse`] for another number of shares; [`Error::Malformed`] unless P's message is one
    /// canonical element; the channel's.
    pub(crate) fn factor(
        self,
        channel: &mut dyn Channel,
        shares: &[F130],
    ) -> Result<VerifierConverted, Error> {
        let [b, part] = shares else { return Err(Error::Misuse("shares of other products than r's".into())) };
        let message = receive::<F130>(channel, POLY1305_FACTOR, 1)?;
        let theirs = unpacked(POLY1305_FACTOR, &message, 1)?;
        let y = theirs.iter().fold(*part, |sum, part| sum + *part);
        Ok(VerifierConverted { corrections: self.corrections, b: Zeroizing::new(*b), y: Zeroizing::new(y) })
    }
}

impl VerifierConverted {
    /// Sends V's corrections and its share of the masked sum. It does not wait.
    ///
    /// # Errors
    /// [`Error::Products`] if too few products are prepared; what sending meets.
    pub(crate) fn offer(
        self,
        channel: &mut dyn Channel,
        products: &mut Receiver<F130>,
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<VerifierOffered, Error> {
        self.offer_of(channel, products, rng, |y, mask, n| {
            let mut factors = Zeroizing::new(Vec::with_capacity(n + 2));
            factors.extend(powers(y, n).iter().copied().chain([y, y * mask]));
            factors
        })
    }

    /// The same with V's factors made by `factors`, from `y`, its part of the mask and the number of powers.
    /// Others than [`VerifierConverted::offer`] has are a cheat.
    pub(crate) fn offer_of(
        self,
        channel: &mut dyn Channel,
        products: &mut Receiver<F130>,
        rng: &mut (impl CryptoRng + ?Sized),
        factors: impl FnOnce(F130, F130, usize) -> Zeroizing<Vec<F130>>,
    ) -> Result<VerifierOffered, Error> {
        let Self { corrections, b, y } = self;
        let mask = random_element::<F130>(rng);
        let powers = corrections.len().saturating_sub(2);
        let pending = products.begin(&factors(*y, *mask, powers))?;
        let sent = pending.corrections().to_vec();
        let products = Shares::of_products(pending.finish(&corrections)?)?;
        let own = products.sum() + *mask;
        channel.send(POLY1305_POWERS, &packed(&[&*sent, &[own]].concat()))?;
        Ok(VerifierOffered { products, b, own })
    }
}

impl VerifierOffered {
    /// V's shares of the powers of `r`. This waits for P's share of the masked sum.
    ///
    /// # Errors
    /// [`Error::Malformed`] unless P's message is one canonical element; the channel's.
    pub(crate) fn shares(self, channel: &mut dyn Channel) -> Result<Shares, Error> {
        let Self { products, b, own } = self;
        let message = receive::<F130>(channel, POLY1305_SUM, 1)?;
        let theirs = unpacked(POLY1305_SUM, &message, 1)?;
        let sum = theirs.iter().fold(own, |sum, part| sum + *part);
        Ok(products.checked(*b, sum))
    }
}
