//! Two parties with correlations from a dealer, and a plain computation of what they commit to.

use curve25519_dalek::scalar::Scalar;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use volery_channel::{Channel, Limits, Stats};
use volery_field::Gf128;
use volery_testing::{between_edited, deal};
use volery_vole::correlations::Pool;
use volery_vole::{Delta, Prg};

use super::super::*;
use crate::Error;
use crate::testing::{Change, SESSION};

/// What a dealer makes: tags at P, keys at V, who has delta.
pub(super) fn dealt(delta: Option<Delta>) -> Pool {
    deal::bits(7, delta, 100)
}

/// V's key in these tests.
pub(super) fn delta() -> Delta {
    Delta::random(&mut ChaCha20Rng::seed_from_u64(1))
}

/// Tags of bits.
pub(super) fn tags(bits: &[bool]) -> Vec<Gf128> {
    let mut prg = Prg::new([8; 16]);
    bits.iter().map(|bit| Gf128::from_bits(prg.block().to_bits() & !1 | u128::from(*bit))).collect()
}

/// What a run leaves at P: the openings, the commitments as P has them, and what it cost.
pub(super) struct Committed {
    pub(super) openings: Vec<Opening>,
    pub(super) commitments: Vec<Commitment>,
    pub(super) stats: Stats,
}

/// P's part.
pub(super) fn prover(channel: &mut dyn Channel, layout: &Layout, tags: &[Gf128]) -> Result<Committed, Error> {
    let (mut pool, rng) = (dealt(None), &mut ChaCha20Rng::seed_from_u64(2));
    let prover = Prover::commit(channel, &mut pool, &SESSION, layout, tags, rng)?;
    let commitments = prover.commitments();
    let openings = prover.open(channel, pool)?;
    Ok(Committed { openings, commitments, stats: channel.stats() })
}

/// V's part, with its keys of the converted bits under `claimed`, and correlations under [`delta`].
pub(super) fn verifier(
    channel: &mut dyn Channel,
    layout: &Layout,
    keys: &[Gf128],
    claimed: Delta,
) -> Result<Vec<Commitment>, Error> {
    let (mut pool, rng) = (dealt(Some(delta())), &mut ChaCha20Rng::seed_from_u64(3));
    let verifier = Verifier::receive(channel, &mut pool, &claimed, &SESSION, layout, keys, rng)?;
    verifier.reveal(channel, claimed, pool)
}

/// Two parties, one thread each; P's and V's messages pass through `changes`.
pub(super) fn between<A: Send, B: Send>(
    changes: [Change; 2],
    prover: impl FnOnce(&mut dyn Channel) -> A + Send,
    verifier: impl FnOnce(&mut dyn Channel) -> B + Send,
) -> (A, B) {
    between_edited(&Limits::default(), changes.into(), |p| prover(p), |v| verifier(v))
}

/// A run on these bits.
pub(super) fn run(
    layout: &Layout,
    bits: &[bool],
    changes: [Change; 2],
) -> (Result<Committed, Error>, Result<Vec<Commitment>, Error>) {
    let tags = tags(bits);
    let keys: Vec<_> = tags.iter().map(|tag| deal::key(*tag, &delta())).collect();
    between(
        changes,
        |channel| prover(channel, layout, &tags),
        |channel| verifier(channel, layout, &keys, delta()),
    )
}

/// The bits of bytes, as authenticated payloads have them.
pub(super) fn bits(bytes: &[u8]) -> Vec<bool> {
    volery_circuit::gadgets::bytes_to_bits(bytes).into_iter().map(|bit| bit.to_bool()).collect()
}

/// The value of bits, lowest first, by powers of two.
pub(super) fn plain_value(bits: &[bool]) -> Scalar {
    let mut power = Scalar::ONE;
    let mut value = Scalar::ZERO;
    for bit in bits {
        value += if *bit { power } else { Scalar::ZERO };
        power += power;
    }
    value
}
