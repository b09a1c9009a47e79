//! Two parties in two threads with real correlations.

use rand_chacha::ChaCha20Rng;
use volery_channel::{Channel, Tag};
use volery_field::Gf128;
use volery_testing::{Edit, Link, between, deal, rng};
use volery_vole::correlations::{Generator, Pool, Profile};
use volery_vole::cot::{ProverParty, VerifierParty};
use volery_vole::ole::{OleField, Receiver, Sender};
use volery_vole::softspoken::{self, FieldBits};
use volery_vole::{Delta, SessionId};

pub(crate) const SESSION: SessionId = SessionId::new([8; 32]);

/// Changes a message before it leaves.
pub(crate) type Change = fn(Tag, &mut Vec<u8>);

/// What `prover` and `verifier` return when they run against each other with `n` products prepared; see
/// [`prepared_parties`].
pub(crate) fn two_parties<F: OleField, A: Send, B: Send>(
    n: usize,
    seed: u64,
    changes: [impl FnMut(Tag, &mut Vec<u8>) + Send; 2],
    prover: impl FnOnce(&mut dyn Channel, &mut Sender<F>, &mut ChaCha20Rng) -> A + Send,
    verifier: impl FnOnce(&mut dyn Channel, &mut Receiver<F>, &mut ChaCha20Rng) -> B + Send,
) -> (A, B) {
    let sender = |channel: &mut dyn Channel, delta, pool: &mut Pool, rng: &mut ChaCha20Rng| {
        let mut products = Sender::new(&SESSION, delta);
        products.prepare(channel, pool, n, rng).unwrap();
        products
    };
    let receiver = |channel: &mut dyn Channel, pool: &mut Pool, rng: &mut ChaCha20Rng| {
        let mut products = Receiver::new(&SESSION);
        products.prepare(channel, pool, n, rng).unwrap();
        products
    };
    prepared_parties(seed, changes, (sender, receiver), prover, verifier)
}

/// What `prover` and `verifier` return when they run against each other with what `prepare` has made at each.
/// `changes` apply to P's and V's messages, those of the preparation excepted. Each party's generator starts
/// from `seed`, so equal draws are equal.
pub(crate) fn prepared_parties<P, V, A: Send, B: Send>(
    seed: u64,
    changes: [impl FnMut(Tag, &mut Vec<u8>) + Send; 2],
    prepare: (
        impl FnOnce(&mut dyn Channel, Delta, &mut Pool, &mut ChaCha20Rng) -> P + Send,
        impl FnOnce(&mut dyn Channel, &mut Pool, &mut ChaCha20Rng) -> V + Send,
    ),
    prover: impl FnOnce(&mut dyn Channel, &mut P, &mut ChaCha20Rng) -> A + Send,
    verifier: impl FnOnce(&mut dyn Channel, &mut V, &mut ChaCha20Rng) -> B + Send,
) -> (A, B) {
    let (p_prepare, v_prepare) = prepare;
    let [p_change, v_change] = changes;
    let p = move |link: &mut Link| {
        let rng = &mut rng(101);
        let (delta, mut pool) = keys(link, SESSION, rng).unwrap();
        let mut prepared = p_prepare(link, delta, &mut pool, rng);
        let mut channel = Edit::on(link, p_change);
        let result = prover(&mut channel, &mut prepared, &mut volery_testing::rng(seed));
        let _ = channel.flush();
        result
    };
    let v = move |link: &mut Link| {
        let rng = &mut rng(102);
        let mut pool = tags(link, SESSION, rng).unwrap();
        let mut prepared = v_prepare(link, &mut pool, rng);
        let mut channel = Edit::on(link, v_change);
        let result = verifier(&mut channel, &mut prepared, &mut volery_testing::rng(seed));
        let _ = channel.flush();
        result
    };
    between(p, v)
}

/// P's random tags, and V's keys for them with its delta.
pub(crate) fn tags(
    channel: &mut dyn Channel,
    session: SessionId,
    rng: &mut ChaCha20Rng,
) -> Result<Pool, volery_vole::Error> {
    let extension = softspoken::Receiver::setup(channel, &session, FieldBits::Eight, rng)?;
    let party = ProverParty::new(session, extension, rng);
    Ok(Pool::new(Box::new(Generator::new(party, Profile::Lan.plan(), None))))
}

/// V's side of [`tags`].
pub(crate) fn keys(
    channel: &mut dyn Channel,
    session: SessionId,
    rng: &mut ChaCha20Rng,
) -> Result<(Delta, Pool), volery_vole::Error> {
    let delta = Delta::random(rng);
    let extension = softspoken::Sender::setup(channel, &session, FieldBits::Eight, delta.duplicate(), rng)?;
    let party = VerifierParty::new(session, extension, delta.duplicate(), rng);
    Ok((delta, Pool::new(Box::new(Generator::new(party, Profile::Lan.plan(), None)))))
}

/// Correlations from nowhere, for a party whose peer is not honest anyway.
pub(crate) fn worthless() -> Pool {
    deal::pool(1 << 12, || Gf128::ONE)
}

/// The bytes that `digits` stand for.
pub(crate) fn hex(digits: &str) -> Vec<u8> {
    let digit = |i: usize| u8::from_str_radix(&digits[i..i + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(digit).collect()
}
