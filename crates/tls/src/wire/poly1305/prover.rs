//! P: multiplies with powers of a random number.

use rand_core::CryptoRng;
use volery_channel::Channel;
use volery_channel::tags::{POLY1305_AHEAD, POLY1305_FACTOR, POLY1305_MASK, POLY1305_POWERS, POLY1305_SHARE};
use volery_field::{Bits, F2, F130, Field, Ring};
use volery_vole::SessionId;
use volery_vole::ole::{Pending, Sender};
use zeroize::Zeroizing;

use super::shares::{Messages, Shares};
use crate::Error;
use crate::wire::products::{packed, random_factor, receive, unpacked};

/// P's random factor `1 / x` for a record. The products of several records' conversions may be begun before
/// those of their powers, if V begins them in the same order.
pub(crate) struct ProverFactor {
    x: Zeroizing<F130>,
    inverse: Zeroizing<F130>,
    conversion: Pending<F130>,
}

impl ProverFactor {
    /// Draws `x`.
    ///
    /// # Errors
    /// [`Error::Products`] if no product is prepared.
    pub(crate) fn new(
        products: &mut Sender<F130>,
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<Self, Error> {
        let x = random_factor::<F130>(rng);
        let inverse = Zeroizing::new(x.inverse_or_zero());
        let conversion = products.begin(&[*inverse])?;
        Ok(Self { x, inverse, conversion })
    }

    /// Sends the corrections of `1 / x` and of the powers of `x` up to `x^powers`. `number` is the record's
    /// among those of the session. V calls [`VerifierAhead::new`](super::VerifierAhead::new).
    ///
    /// # Errors
    /// [`Error::Products`] if too few products are prepared; what sending meets.
    pub(crate) fn ahead(
        self,
        channel: &mut dyn Channel,
        record: (&SessionId, u64),
        products: &mut Sender<F130>,
        powers: usize,
    ) -> Result<ProverAhead, Error> {
        self.ahead_of(channel, record, products, |x| self::powers(x, powers))
    }

    /// The same with the factors that `factors` makes from `x`: its powers unless P cheats.
    pub(super) fn ahead_of(
        self,
        channel: &mut dyn Channel,
        (session, number): (&SessionId, u64),
        products: &mut Sender<F130>,
        factors: impl FnOnce(F130) -> Zeroizing<Vec<F130>>,
    ) -> Result<ProverAhead, Error> {
        let Self { x, inverse, conversion } = self;
        let powers = products.begin(&factors(*x))?;
        let message = packed(&[conversion.corrections(), powers.corrections()].concat());
        channel.send(POLY1305_AHEAD, &message)?;
        let mut messages = Messages::new(session, number);
        messages.add(&message);
        Ok(ProverAhead { inverse, conversion, powers, messages })
    }
}

/// P's part of a record's tag, before `r` is there.
pub(crate) struct ProverAhead {
    /// `1 / x`.
    inverse: Zeroizing<F130>,
    conversion: Pending<F130>,
    powers: Pending<F130>,
    messages: Messages,
}

/// P's part once it has V's correction.
pub(crate) struct ProverFactored {
    /// What V adds to its share of `b / x`.
    factor: Vec<u8>,
    converted: ProverConverted,
}

/// P's part once V has its factor of `r`.
pub(crate) struct ProverConverted {
    powers: Pending<F130>,
    messages: Messages,
}

impl ProverAhead {
    /// Makes V's factor of `r`, given P's share `a`. This waits for V's correction.
    ///
    /// # Errors
    /// [`Error::Malformed`] unless V's message is one canonical element; the channel's.
    pub(crate) fn factor(self, channel: &mut dyn Channel, a: F130) -> Result<ProverFactored, Error> {
        let Self { inverse, conversion, powers, mut messages } = self;
        let message = receive::<F130>(channel, POLY1305_SHARE, 1)?;
        messages.add(&message);
        let share = conversion.finish(&unpacked(POLY1305_SHARE, &message, 1)?)?;
        let factor = share.iter().fold(*inverse * a, |sum, share| sum + *share);
        let factor = packed(&[factor]);
        messages.add(&factor);
        Ok(ProverFactored { factor, converted: ProverConverted { powers, messages } })
    }
}

impl ProverFactored {
    /// Gives V its factor of `r`. It does not wait.
    ///
    /// # Errors
    /// What sending meets.
    pub(crate) fn send(self, channel: &mut dyn Channel) -> Result<ProverConverted, Error> {
        channel.send(POLY1305_FACTOR, &self.factor)?;
        Ok(self.converted)
    }
}

impl ProverConverted {
    /// P's shares of the powers of `r`. This waits for V's corrections.
    ///
    /// # Errors
    /// [`Error::Malformed`] unless V's message has one canonical element for each power; the channel's.
    pub(crate) fn shares(self, channel: &mut dyn Channel) -> Result<Shares, Error> {
        let Self { powers, mut messages } = self;
        let count = powers.corrections().len();
        let message = receive::<F130>(channel, POLY1305_POWERS, count)?;
        messages.add(&message);
        let shares = powers.finish(&unpacked(POLY1305_POWERS, &message, count)?)?;
        Ok(Shares::new(shares, messages.challenge()))
    }
}

/// Sends V the mask of its share of `r`, so that V has that share.
///
/// # Errors
/// What sending meets.
pub(crate) fn send_mask(channel: &mut dyn Channel, mask: &[F2]) -> Result<(), Error> {
    Ok(channel.send(POLY1305_MASK, &mask.iter().copied().collect::<Bits>().to_bytes())?)
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
