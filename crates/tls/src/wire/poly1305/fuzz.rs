//! Both parties' messages about the powers of `r`, for fuzz targets.

use rand_core::CryptoRng;
use volery_channel::Channel;
use volery_field::{F2, F130};
use volery_vole::correlations::Pool;
use volery_vole::{Delta, SessionId, ole};

use super::{
    MIN_POWERS, ProverFactor, VerifierAhead, coefficients, element_bits, products, receive_mask, send_mask,
};
use crate::Error;
use crate::wire::step::POLY1305_SHARE_BITS;

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
    let factor = ProverFactor::new(&mut random, rng)?;
    let ahead = factor.ahead(channel, (&SESSION, 1), &mut random, MIN_POWERS)?;
    let a = F130::from_u128(1 << 99);
    send_mask(channel, &element_bits(a).collect::<Vec<F2>>())?;
    ahead.factor(channel, a)?.send(channel)?.shares(channel)?.inputs(&coefficients(&[5; 13], b"a record"))?;
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
    let ahead = VerifierAhead::new(channel, (&SESSION, 1), MIN_POWERS)?;
    let b = receive_mask(channel, &[F2::ONE; POLY1305_SHARE_BITS])?;
    let shares = ahead.offer(channel, &mut random, *b)?.shares(channel, &mut random)?;
    channel.flush()?;
    shares.inputs(&coefficients(&[5; 13], b"a record"))?;
    Ok(())
}
