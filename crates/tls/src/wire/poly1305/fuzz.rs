//! Both parties' messages about the powers of `r`, for fuzz targets.

use rand_core::CryptoRng;
use volery_channel::Channel;
use volery_field::{F130, Ring};
use volery_vole::correlations::Pool;
use volery_vole::{Delta, SessionId, ole};

use super::{MIN_POWERS, ProverAhead, Sign, VerifierAhead, coefficients, products};
use crate::Error;

const SESSION: SessionId = SessionId::new([11; 32]);

/// P's part, with dealt keys under this offset.
///
/// # Errors
/// What V does wrong.
pub fn powers_prover(
    channel: &mut dyn Channel,
    (offset, pool): (Delta, &mut Pool),
    rng: &mut dyn CryptoRng,
) -> Result<(), Error> {
    let mut random = ole::Sender::<F130>::new(&SESSION, offset);
    random.prepare(channel, pool, products(MIN_POWERS), rng)?;
    let ahead = ProverAhead::new(channel, &mut random, MIN_POWERS, rng)?;
    let shares = ahead.factor(channel, &[F130::ONE; 2])?.products(channel)?.shares(channel)?;
    shares.inputs(&coefficients(&[5; 13], b""), Sign::Plus)?;
    Ok(())
}

/// V's part.
///
/// # Errors
/// What P does wrong.
pub fn powers_verifier(
    channel: &mut dyn Channel,
    pool: &mut Pool,
    rng: &mut dyn CryptoRng,
) -> Result<(), Error> {
    let mut random = ole::Receiver::<F130>::new(&SESSION);
    random.prepare(channel, pool, products(MIN_POWERS), rng)?;
    let ahead = VerifierAhead::new(channel, MIN_POWERS)?;
    let offered = ahead.factor(channel, &[F130::ONE; 2])?.offer(channel, &mut random, rng)?;
    let shares = offered.shares(channel)?;
    shares.inputs(&coefficients(&[5; 13], b""), Sign::Minus)?;
    Ok(())
}
