//! Generators over a field between two threads, through several stages.

mod cheats;
mod linked;
mod roots;
mod settling;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use volery_channel::{Channel, Limits, Tag, tags};
use volery_field::{Authenticated, F61, Gf128, Gf256, Mac, Value};
use volery_testing::{between_edited, every_pair, rng, untouched};

use super::*;
use crate::correlations::{Plan, Profile, Source};
use crate::ferret::Params;
use crate::softspoken::{FieldBits, Receiver, Sender};
use crate::{Delta, Error, SessionId};

/// Small rounds, so that a few thousand correlations pass through all kinds of stages.
const PLAN: Plan = Plan {
    extension: 4 * 64,
    chunk: 64,
    long: 1 << 10,
    lead: 0,
    rounds: &[Params { log_k: 6, log_block: 4, trees: 20 }, Params { log_k: 7, log_block: 5, trees: 40 }],
};

const SESSION: SessionId = SessionId::new([7; 32]);

fn workers(threads: usize) -> Option<std::sync::Arc<rayon::ThreadPool>> {
    (threads > 1)
        .then(|| std::sync::Arc::new(rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()))
}

fn take<T: crate::correlations::Correlation>(
    mut source: impl Source<T>,
    channel: &mut dyn Channel,
    n: usize,
) -> Result<Vec<T>, Error> {
    let (mut all, mut batch) = (Vec::new(), Vec::new());
    while all.len() < n {
        if let Err(error) = source.refill(channel, &mut batch) {
            // It stays shut.
            assert!(batch.is_empty() && source.refill(channel, &mut batch) == Err(error.clone()));
            assert!(batch.is_empty());
            return Err(error);
        }
        assert!(!batch.is_empty());
        all.extend_from_slice(&batch);
    }
    source.settle(channel)?;
    // Nobody leaves while the other still sends.
    channel.send(tags::GOODBYE, &[])?;
    channel.recv(tags::GOODBYE, 0)?;
    channel.flush()?;
    all.truncate(n);
    Ok(all)
}

struct Run<F: Value, M: Mac<F>> {
    p: Result<Vec<Authenticated<F, M>>, Error>,
    v: Result<Vec<M>, Error>,
    delta: M,
    bytes: [u64; 2],
}

/// `n` correlations at both parties; what P sends passes through `taps[0]`, what V sends through `taps[1]`.
fn run<F: Value, M: Mac<F>>(
    plan: Plan,
    n: usize,
    threads: [usize; 2],
    taps: [impl FnMut(Tag, &mut Vec<u8>) + Send; 2],
) -> Run<F, M> {
    let run = run_with::<F, M, _, _>(
        taps,
        |party, channel, _| take(Generator::new(party, plan, workers(threads[0])), channel, n),
        |party, channel, _| take(Generator::new(party, plan, workers(threads[1])), channel, n),
    );
    Run { p: run.0, v: run.1, delta: run.2, bytes: run.3 }
}

/// What the parties make of their ends, V's delta, and the bytes that either sent.
fn run_with<F: Value, M: Mac<F>, A: Send, B: Send>(
    edits: [impl FnMut(Tag, &mut Vec<u8>) + Send; 2],
    prove: impl FnOnce(ProverParty<F, M>, &mut dyn Channel, &mut ChaCha20Rng) -> Result<A, Error> + Send,
    verify: impl FnOnce(VerifierParty<F, M>, &mut dyn Channel, &mut ChaCha20Rng) -> Result<B, Error> + Send,
) -> (Result<A, Error>, Result<B, Error>, M, [u64; 2]) {
    let mut rng = rng(1);
    let (bits, key) = (Delta::random(&mut rng), Delta::random(&mut rng));
    let delta = FieldDelta::<M>::from_digits::<F>(&key).expose();
    let prover = |channel: &mut dyn Channel| {
        let rng = &mut self::rng(2);
        let bits = Receiver::setup(channel, &SESSION, FieldBits::Eight, rng)?.fork("field")?;
        let trees = Receiver::setup(channel, &SESSION, tree_size::<F, M>(), rng)?;
        prove(ProverParty::<F, M>::new(SESSION, trees, bits, rng)?, channel, rng)
    };
    let verifier = |channel: &mut dyn Channel| {
        let rng = &mut self::rng(3);
        let bits = Sender::setup(channel, &SESSION, FieldBits::Eight, bits, rng)?.fork("field")?;
        let trees = Sender::setup(channel, &SESSION, tree_size::<F, M>(), key, rng)?;
        verify(VerifierParty::<F, M>::new(SESSION, trees, bits, rng)?, channel, rng)
    };
    let ((p, p_sent), (v, v_sent)) = between_edited(
        &Limits::default(),
        edits.into(),
        |p| (prover(p).inspect_err(|_| p.fail("P ends")), p.stats().bytes_sent),
        |v| (verifier(v).inspect_err(|_| v.fail("V ends")), v.stats().bytes_sent),
    );
    (p, v, delta, [p_sent, v_sent])
}

fn holds<F: Value, M: Mac<F>>(run: &Run<F, M>) {
    let (p, v) = (run.p.as_ref().unwrap(), run.v.as_ref().unwrap());
    assert_eq!(p.len(), v.len());
    for (i, (p, k)) in p.iter().zip(v).enumerate() {
        assert!(*k == p.m + run.delta.scale(p.x), "correlation {i}");
    }
    // Values look like anything but constants.
    let distinct = std::collections::HashSet::<Vec<u8>>::from_iter(p.iter().take(200).map(|p| {
        let mut bytes = vec![0; F::BYTES];
        p.x.encode(&mut bytes).unwrap();
        bytes
    }));
    assert!(distinct.len() > 100, "{} different values", distinct.len());
}

#[test]
fn correlations_hold_through_all_stages_whatever_the_threads() {
    for threads in [[1, 1], [1, 3], [4, 2]] {
        holds(&run::<F61, F61>(PLAN, 7_000, threads, [untouched; 2]));
    }
}

/// Of a field with rounds and of one without.
#[test]
fn each_correlation_of_a_long_session_takes_the_bytes_that_are_said() {
    fn check<F: Value, M: Mac<F>>(each: usize) {
        let plan = plan::<F, M>(Profile::Lan);
        let sent = |n| {
            let run = run::<F, M>(plan, n, [1, 1], [untouched; 2]);
            assert!(run.p.is_ok() && run.v.is_ok());
            run.bytes.iter().sum::<u64>() as f64
        };
        // Beyond the first rounds, and as many as one round makes more.
        let start = each / 2 + each / 4;
        let measured = (sent(start + each) - sent(start)) / each as f64;
        let said = bytes_per_correlation::<F, M>(Profile::Lan);
        let fields = (F::NAME, M::NAME);
        assert!((0.95..1.05).contains(&(said / measured)), "{fields:?}: {said} said, {measured} sent");
    }
    let last = plan::<F61, F61>(Profile::Lan).round(usize::MAX).unwrap();
    check::<F61, F61>(last.outputs() - round::base_len::<F61, F61>(&last));
    check::<Gf256, Gf128>(4 << 9);
}

#[test]
fn correlations_hold_over_every_pair_of_fields() {
    fn check<F: Value, M: Mac<F>>() {
        // Extension fields have no rounds.
        let plan =
            if plan::<F, M>(Profile::Lan).rounds.is_empty() { Plan { rounds: &[], ..PLAN } } else { PLAN };
        holds(&run::<F, M>(plan, 2_000, [1, 1], [untouched; 2]));
    }
    every_pair!(check);
}

#[test]
fn the_stages_of_the_profiles_hold_and_the_ramp_is_cheap() {
    for profile in [Profile::Lan, Profile::Wan] {
        let run = run::<F61, F61>(plan::<F61, F61>(profile), 200_000, [1, 1], [untouched; 2]);
        holds(&run);
        assert!(run.bytes.iter().sum::<u64>() < 2_000_000, "{:?} bytes", run.bytes);
    }
}
