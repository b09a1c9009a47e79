//! V: multiplies with powers of its factor of `r`.

use volery_channel::Channel;
use volery_channel::tags::{POLY1305_AHEAD, POLY1305_FACTOR, POLY1305_MASK, POLY1305_POWERS, POLY1305_SHARE};
use volery_field::{Bits, F2, F130};
use volery_vole::SessionId;
use volery_vole::ole::Receiver;
use zeroize::Zeroizing;

use super::prover::powers;
use super::shares::{Messages, Shares};
use super::{element, products};
use crate::Error;
use crate::wire::products::{packed, receive, unpacked};

/// V's share of `r`, from the masked one and P's message with the mask.
///
/// # Errors
/// [`Error::Malformed`] unless P's message is as many bits; the channel's.
pub(crate) fn receive_mask(channel: &mut dyn Channel, masked: &[F2]) -> Result<Zeroizing<F130>, Error> {
    let mut message = vec![0; masked.len().div_ceil(8)];
    channel.recv_exact(POLY1305_MASK, &mut message)?;
    let mask = Bits::from_bytes(&message, masked.len())
        .map_err(|error| Error::malformed(POLY1305_MASK, error.to_string()))?;
    let bits = masked.iter().enumerate().map(|(i, bit)| *bit + mask.get(i).unwrap_or_default());
    Ok(Zeroizing::new(element(&Zeroizing::new(bits.collect::<Vec<_>>()))?))
}

/// V's part of a record's tag, before `r` is there.
pub(crate) struct VerifierAhead {
    /// P's corrections, of the factor of the conversion first.
    corrections: Vec<F130>,
    messages: Messages,
}

/// V's part when it has offered its share of `r`.
pub(crate) struct VerifierOffered {
    /// Its share of `b / x`.
    share: Zeroizing<F130>,
    /// P's corrections of the powers.
    corrections: Vec<F130>,
    messages: Messages,
}

impl VerifierAhead {
    /// Receives P's corrections for powers up to this one. `number` is the record's among those of the
    /// session.
    ///
    /// # Errors
    /// [`Error::Malformed`] unless P's message has one canonical element for each product; the channel's.
    pub(crate) fn new(
        channel: &mut dyn Channel,
        (session, number): (&SessionId, u64),
        powers: usize,
    ) -> Result<Self, Error> {
        let count = products(powers);
        let message = receive::<F130>(channel, POLY1305_AHEAD, count)?;
        let corrections = unpacked(POLY1305_AHEAD, &message, count)?;
        let mut messages = Messages::new(session, number);
        messages.add(&message);
        Ok(Self { corrections, messages })
    }

    /// Sends the correction of V's share `b` of `r`. It does not wait.
    ///
    /// # Errors
    /// [`Error::Products`] if too few products are prepared; what sending meets.
    pub(crate) fn offer(
        self,
        channel: &mut dyn Channel,
        products: &mut Receiver<F130>,
        b: F130,
    ) -> Result<VerifierOffered, Error> {
        let Self { mut corrections, mut messages } = self;
        let powers = corrections.split_off(1.min(corrections.len()));
        let pending = products.begin(&[b])?;
        let message = packed(pending.corrections());
        channel.send(POLY1305_SHARE, &message)?;
        messages.add(&message);
        let share = pending.finish(&corrections)?;
        let share = Zeroizing::new(share.first().copied().unwrap_or_default());
        Ok(VerifierOffered { share, corrections: powers, messages })
    }
}

impl VerifierOffered {
    /// V's shares of the powers of `r`. This waits for P's message, and sends V's corrections.
    ///
    /// # Errors
    /// [`Error::Malformed`] unless P's message is one canonical element; [`Error::Products`] if too few
    /// products are prepared; the channel's.
    pub(crate) fn shares(
        self,
        channel: &mut dyn Channel,
        products: &mut Receiver<F130>,
    ) -> Result<Shares, Error> {
        self.shares_of(channel, products, powers)
    }

    /// The same with V's factors made by `factors`, from `y` and their number. Others than `y`'s powers are a
    /// cheat.
    pub(crate) fn shares_of(
        self,
        channel: &mut dyn Channel,
        products: &mut Receiver<F130>,
        factors: impl FnOnce(F130, usize) -> Zeroizing<Vec<F130>>,
    ) -> Result<Shares, Error> {
        let Self { share, corrections, mut messages } = self;
        let message = receive::<F130>(channel, POLY1305_FACTOR, 1)?;
        messages.add(&message);
        let factor = unpacked(POLY1305_FACTOR, &message, 1)?;
        let y = Zeroizing::new(factor.iter().fold(*share, |sum, part| sum + *part));
        let pending = products.begin(&factors(*y, corrections.len()))?;
        let message = packed(pending.corrections());
        channel.send(POLY1305_POWERS, &message)?;
        messages.add(&message);
        Ok(Shares::new(pending.finish(&corrections)?, messages.challenge()))
    }
}
