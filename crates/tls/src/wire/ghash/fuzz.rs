//! Both parties' messages about the products of a hash key, for fuzz targets.

use rand_core::CryptoRng;
use volery_channel::Channel;
use volery_field::{F2, Gf128};
use volery_vole::correlations::Pool;
use volery_vole::{Delta, SessionId, ole};

use super::{Blinding, ProverBlinding, VerifierBlinding, products};
use crate::Error;
use crate::wire::step::BLOCK_BITS;

const SESSION: SessionId = SessionId::new([12; 32]);

/// The powers that are made.
const POWERS: usize = 6;

/// What an honest party does with its blinding.
fn used(blinding: &Blinding) -> Result<(), Error> {
    assert_eq!(blinding.inputs().len(), Blinding::BITS);
    blinding.powers(&[F2::ONE; BLOCK_BITS], POWERS).map(drop)
}

/// P's part, with dealt keys under this offset.
///
/// # Errors
/// What V does wrong.
pub fn blinding_prover(
    channel: &mut dyn Channel,
    (offset, pool): (Delta, &mut Pool),
    rng: &mut dyn CryptoRng,
) -> Result<(), Error> {
    let mut random = ole::Sender::<Gf128>::new(&SESSION, offset);
    random.prepare(channel, pool, products(POWERS), rng)?;
    used(&ProverBlinding::new(channel, &mut random, POWERS, rng)?.finish(channel)?)
}

/// V's part.
///
/// # Errors
/// What P does wrong.
pub fn blinding_verifier(
    channel: &mut dyn Channel,
    pool: &mut Pool,
    rng: &mut dyn CryptoRng,
) -> Result<(), Error> {
    let mut random = ole::Receiver::<Gf128>::new(&SESSION);
    random.prepare(channel, pool, products(POWERS), rng)?;
    let blinding = VerifierBlinding::new(channel, POWERS)?.finish(channel, &mut random, rng)?;
    channel.flush()?;
    used(&blinding)
}
