//! Supplies over a field between two threads, through several stages.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use volery_channel::{Channel, Limits, Tag, memory_pair, tags};
use volery_field::{
    Authenticated, Bls12381Scalar, Bn254Scalar, F32, F32x4, F61, F61x2, Gf128, Gf256, Mac, P256Base,
    RistrettoScalar, Secp256k1Base, Value,
};

use super::*;
use crate::ferret::Params;
use crate::softspoken::{FieldBits, Receiver, Sender};
use crate::supply::{Correlations, Plan, Profile};
use crate::testing::Tap;
use crate::{Delta, Error, SessionId};

/// Small rounds, so that a few thousand correlations pass through all kinds of stages.
const PLAN: Plan = Plan {
    extension: 4 * 64,
    chunk: 64,
    long: 1 << 10,
    rounds: &[Params { log_k: 6, log_block: 4, trees: 20 }, Params { log_k: 7, log_block: 5, trees: 40 }],
};

const SESSION: SessionId = SessionId::new([7; 32]);

type Tampering = fn(Tag, &mut Vec<u8>);

fn untouched(_: Tag, _: &mut Vec<u8>) {}

fn pool(threads: usize) -> Option<std::sync::Arc<rayon::ThreadPool>> {
    (threads > 1)
        .then(|| std::sync::Arc::new(rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()))
}

fn take<T: crate::supply::Item>(
    mut source: impl Correlations<T>,
    channel: &mut dyn Channel,
    n: usize,
) -> Result<Vec<T>, Error> {
    let (mut all, mut batch) = (Vec::new(), Vec::new());
    while all.len() < n {
        source.refill(channel, &mut batch)?;
        assert!(!batch.is_empty());
        all.extend_from_slice(&batch);
    }
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
fn run<F: Value, M: Mac<F>>(plan: Plan, n: usize, threads: [usize; 2], taps: [Tampering; 2]) -> Run<F, M> {
    let (p, v) = memory_pair(&Limits::default());
    let (mut p, mut v) = (Tap { inner: p, tap: taps[0] }, Tap { inner: v, tap: taps[1] });
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let (bits, key) = (Delta::random(&mut rng), Delta::random(&mut rng));
    let delta = FieldDelta::<M>::from_digits::<F>(&key).expose();
    std::thread::scope(|scope| {
        let prover = scope.spawn(move || {
            let mut rng = ChaCha20Rng::seed_from_u64(2);
            let result = (|| {
                let bits = Receiver::setup(&mut p, &SESSION, FieldBits::Eight, &mut rng)?.fork("field")?;
                let trees = Receiver::setup(&mut p, &SESSION, tree_size::<F, M>(), &mut rng)?;
                let party = ProverParty::<F, M>::new(SESSION, trees, bits, &mut rng)?;
                take(Supply::new(party, plan, pool(threads[0])), &mut p, n)
            })();
            if result.is_err() {
                p.fail("P ends");
            }
            (result, p.stats().bytes_sent)
        });
        let mut rng = ChaCha20Rng::seed_from_u64(3);
        let result = (|| {
            let bits = Sender::setup(&mut v, &SESSION, FieldBits::Eight, bits, &mut rng)?.fork("field")?;
            let trees = Sender::setup(&mut v, &SESSION, tree_size::<F, M>(), key, &mut rng)?;
            let party = VerifierParty::<F, M>::new(SESSION, trees, bits, &mut rng)?;
            take(Supply::new(party, plan, pool(threads[1])), &mut v, n)
        })();
        if result.is_err() {
            v.fail("V ends");
        }
        let sent = v.stats().bytes_sent;
        let (p, p_sent) = prover.join().unwrap();
        Run { p, v: result, delta, bytes: [p_sent, sent] }
    })
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

#[test]
fn correlations_hold_over_every_pair_of_fields() {
    fn check<F: Value, M: Mac<F>>() {
        // Extension fields have no rounds.
        let plan =
            if plan::<F, M>(Profile::Lan).rounds.is_empty() { Plan { rounds: &[], ..PLAN } } else { PLAN };
        holds(&run::<F, M>(plan, 2_000, [1, 1], [untouched; 2]));
    }
    check::<F61, F61x2>();
    check::<F32, F32x4>();
    check::<Gf256, Gf128>();
    check::<Bn254Scalar, Bn254Scalar>();
    check::<Bls12381Scalar, Bls12381Scalar>();
    check::<Secp256k1Base, Secp256k1Base>();
    check::<P256Base, P256Base>();
    check::<RistrettoScalar, RistrettoScalar>();
}

#[test]
fn the_stages_of_the_profiles_hold_and_the_ramp_is_cheap() {
    for profile in [Profile::Lan, Profile::Wan] {
        let run = run::<F61, F61>(plan::<F61, F61>(profile), 200_000, [1, 1], [untouched; 2]);
        holds(&run);
        assert!(run.bytes.iter().sum::<u64>() < 2_000_000, "{:?} bytes", run.bytes);
    }
}

/// Flips a bit of the first message with tag `TAG` at byte `AT` (from the end if negative).
fn flip<const TAG: u8, const AT: isize>(tag: Tag, payload: &mut Vec<u8>) {
    if tag.byte() == TAG {
        let at = if AT < 0 { payload.len().checked_add_signed(AT) } else { Some(AT as usize) };
        if let Some(byte) = at.and_then(|at| payload.get_mut(at)) {
            *byte ^= 1;
        }
    }
}

const EXTEND: u8 = tags::SUBFIELD_EXTEND.byte();
const TREES: u8 = tags::SUBFIELD_TREES.byte();
const CHECK: u8 = tags::SUBFIELD_CHECK.byte();
const ANSWER: u8 = tags::SUBFIELD_ANSWER.byte();
const OPENING: u8 = tags::SUBFIELD_OPENING.byte();

#[test]
fn a_prover_that_changes_any_part_of_its_messages_is_caught() {
    let cases: [(&str, Tampering); 7] = [
        ("a correction", flip::<EXTEND, 8>),
        ("a mask's correction", flip::<EXTEND, { -(32 + 4 * 8) - 8 }>),
        ("a combination of values", flip::<EXTEND, { -40 }>),
        ("the digest", flip::<EXTEND, { -1 }>),
        ("the masked sum of noise", flip::<CHECK, 16>),
        ("the commitment", flip::<CHECK, { -1 }>),
        ("the nonce", flip::<OPENING, 3>),
    ];
    for (name, tap) in cases {
        let run = run::<F61, F61>(PLAN, 7_000, [1, 1], [tap, untouched]);
        // P is honest and the connection lies, so what V answers to another message can be what P notices first.
        let errors = [run.p.err(), run.v.err()].map(|e| e.unwrap_or_else(|| panic!("{name}: not noticed")));
        let caught = errors.iter().any(|error| matches!(error, Error::Cheat { .. }));
        assert!(caught, "{name}: {errors:?}");
    }
}

#[test]
fn a_verifier_that_changes_any_part_of_its_messages_is_caught() {
    // The trees' difference is used whatever the path is; a level's sum only on one side of the path, so two are changed.
    let all_levels: Tampering = |tag, payload| {
        if tag.byte() == TREES {
            let sums = 20 * 4 * 16;
            payload.iter_mut().take(sums).step_by(16).for_each(|byte| *byte ^= 2);
        }
    };
    let cases: [(&str, Tampering); 3] = [
        ("level sums", all_levels),
        ("a tree's difference", flip::<TREES, { 20 * 4 * 16 }>),
        ("the value", flip::<ANSWER, 0>),
    ];
    for (name, tap) in cases {
        let run = run::<F61, F61>(PLAN, 7_000, [1, 1], [untouched, tap]);
        let error = run.p.err().unwrap_or_else(|| panic!("{name}: P accepts"));
        assert!(matches!(error, Error::Cheat { .. }), "{name}: {error}");
        assert!(run.v.is_err(), "{name}: V goes on");
    }
}

#[test]
fn elements_that_are_not_canonical_are_malformed() {
    fn ones<const TAG: u8, const AT: usize>(tag: Tag, payload: &mut Vec<u8>) {
        if tag.byte() == TAG {
            payload[AT..AT + 8].fill(0xff);
        }
    }
    let cases: [[Tampering; 2]; 4] = [
        [ones::<EXTEND, 0>, untouched],
        [ones::<CHECK, 16>, untouched],
        [untouched, ones::<TREES, { 20 * 4 * 16 }>],
        [untouched, ones::<ANSWER, 0>],
    ];
    for (i, taps) in cases.into_iter().enumerate() {
        let run = run::<F61, F61>(PLAN, 7_000, [1, 1], taps);
        let error = if i < 2 { run.v.err() } else { run.p.err() };
        assert!(matches!(error, Some(Error::Malformed { .. })), "{i}: {error:?}");
    }
}
