//! The products that a key exchange takes, prepared before the server chooses a curve.
//!
//! Both curves' products are prepared, and those of the other curve are thrown away: 43 KB out of 9 MB. V
//! requests all of them before it reads any, so both take one round trip.

use rand_core::CryptoRng;
use volery_channel::Channel;
use volery_field::{Curve25519Base, P256Base};
use volery_vole::correlations::Pool;
use volery_vole::{Delta, SessionId, ole};

use crate::Error;

/// Products over a curve's field that one key exchange takes.
const PRODUCTS: usize = 5;

/// The number of correlations that the preparation takes.
///
/// # Errors
/// [`Error::Products`] for more than one batch may hold, which never happens.
pub(crate) fn correlations() -> Result<usize, Error> {
    Ok(ole::correlations::<P256Base>(PRODUCTS)? + ole::correlations::<Curve25519Base>(PRODUCTS)?)
}

/// P's products.
pub struct ProverProducts {
    pub(super) p256: ole::Sender<P256Base>,
    pub(super) x25519: ole::Sender<Curve25519Base>,
}

impl ProverProducts {
    /// Prepares them from keys of `pool` under `delta`. One round trip.
    ///
    /// # Errors
    /// [`Error::Products`]: the pool's, the channel's.
    pub fn prepare(
        channel: &mut dyn Channel,
        session: &SessionId,
        (delta, pool): (&Delta, &mut Pool),
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, Error> {
        let mut p256 = ole::Sender::new(session, delta.duplicate());
        p256.prepare(channel, pool, PRODUCTS, rng)?;
        let mut x25519 = ole::Sender::new(session, delta.duplicate());
        x25519.prepare(channel, pool, PRODUCTS, rng)?;
        Ok(Self { p256, x25519 })
    }
}

/// V's products.
pub struct VerifierProducts {
    pub(super) p256: ole::Receiver<P256Base>,
    pub(super) x25519: ole::Receiver<Curve25519Base>,
}

/// V's products after the request.
pub struct RequestedProducts {
    products: VerifierProducts,
    p256: ole::Requested<P256Base>,
    x25519: ole::Requested<Curve25519Base>,
}

impl VerifierProducts {
    /// Requests them from P, using tags of `pool`. With [`correlations`] at hand it does not wait.
    ///
    /// # Errors
    /// [`Error::Products`]: the pool's, the channel's.
    pub fn request(
        channel: &mut dyn Channel,
        session: &SessionId,
        pool: &mut Pool,
        rng: &mut dyn CryptoRng,
    ) -> Result<RequestedProducts, Error> {
        let mut products = Self { p256: ole::Receiver::new(session), x25519: ole::Receiver::new(session) };
        let p256 = products.p256.request(channel, pool, PRODUCTS, rng)?;
        let x25519 = products.x25519.request(channel, pool, PRODUCTS, rng)?;
        Ok(RequestedProducts { products, p256, x25519 })
    }
}

impl RequestedProducts {
    /// Receives P's answer.
    ///
    /// # Errors
    /// [`Error::Products`] if it is malformed; the channel's.
    pub fn receive(self, channel: &mut dyn Channel) -> Result<VerifierProducts, Error> {
        let Self { mut products, p256, x25519 } = self;
        products.p256.receive(channel, p256)?;
        products.x25519.receive(channel, x25519)?;
        Ok(products)
    }
}
