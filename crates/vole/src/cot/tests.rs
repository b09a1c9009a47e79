//! Generators between two threads, through several stages.

mod roots;

use rand_chacha::ChaCha20Rng;
use volery_channel::{Channel, Limits, Stats, Tag, tags};
use volery_field::Gf128;
use volery_testing::{between_edited, rng, untouched};

use super::*;
use crate::correlations::{Plan, Pool, Profile, Source};
use crate::softspoken::{FieldBits, Receiver, Sender};
use crate::testing::{Chains, chains, kinds_that_part};
use crate::{Delta, Error, Params, SessionId};

/// Rounds of 6,400, so that a few ten thousand correlations pass through many stages.
const PLAN: Plan = Plan {
    extension: 4 * Plan::CHUNK,
    ..Plan::bits(&[
        Params { log_k: 9, log_block: 6, trees: 100 },
        Params { log_k: 9, log_block: 7, trees: 60 },
    ])
};

const SESSION: SessionId = SessionId::new([7; 32]);

fn workers(threads: usize) -> Option<std::sync::Arc<rayon::ThreadPool>> {
    (threads > 1)
        .then(|| std::sync::Arc::new(rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()))
}

fn take(mut source: impl Source, channel: &mut dyn Channel, n: usize) -> Result<(Vec<Gf128>, Stats), Error> {
    let (mut all, mut batch) = (Vec::new(), Vec::new());
    while all.len() < n {
        source.refill(channel, &mut batch)?;
        assert!(!batch.is_empty());
        all.extend_from_slice(&batch);
    }
    let stats = channel.stats();
    // Nobody leaves while the other still sends.
    channel.send(tags::GOODBYE, &[])?;
    channel.recv(tags::GOODBYE, 0)?;
    channel.flush()?;
    all.truncate(n);
    Ok((all, stats))
}

/// What the parties make of the setups of their OT extensions, and V's delta. P's randomness begins with
/// `seed`; messages pass through P's and V's edit; a party that fails tells the other.
fn parties<A: Send, B: Send>(
    seed: u64,
    edits: (impl FnMut(Tag, &mut Vec<u8>) + Send, impl FnMut(Tag, &mut Vec<u8>) + Send),
    prove: impl FnOnce(ProverParty, &mut dyn Channel, &mut ChaCha20Rng) -> Result<A, Error> + Send,
    verify: impl FnOnce(VerifierParty, &mut dyn Channel, &mut ChaCha20Rng) -> Result<B, Error> + Send,
) -> (Result<A, Error>, Result<B, Error>, Delta) {
    let delta = Delta::random(&mut rng(1));
    let prover = |channel: &mut dyn Channel| {
        let rng = &mut rng(seed);
        let extension = Receiver::setup(channel, &SESSION, FieldBits::Eight, rng)?;
        prove(ProverParty::new(SESSION, extension, rng), channel, rng)
    };
    let verifier = |channel: &mut dyn Channel| {
        let rng = &mut rng(3);
        let extension = Sender::setup(channel, &SESSION, FieldBits::Eight, delta.duplicate(), rng)?;
        verify(VerifierParty::new(SESSION, extension, delta.duplicate(), rng), channel, rng)
    };
    let (p, v) = between_edited(
        &Limits::default(),
        edits,
        |p| prover(p).inspect_err(|error| p.fail(&error.to_string())),
        |v| verifier(v).inspect_err(|error| v.fail(&error.to_string())),
    );
    (p, v, delta)
}

type Taken = Result<(Vec<Gf128>, Stats), Error>;

/// `n` correlations at both parties; what V sends passes through `edit`.
fn run(plan: Plan, n: usize, threads: [usize; 2], edit: fn(Tag, &mut Vec<u8>)) -> (Taken, Taken, Delta) {
    parties(
        2,
        (untouched, edit),
        |party, p, _| take(Generator::new(party, plan, workers(threads[0])), p, n),
        |party, v, _| take(Generator::new(party, plan, workers(threads[1])), v, n),
    )
}

fn assert_correlated(m: &[Gf128], k: &[Gf128], delta: &Delta) {
    assert_eq!(m.len(), k.len());
    for (i, (m, k)) in m.iter().zip(k).enumerate() {
        let x = m.to_bits() & 1 == 1;
        assert_eq!(*k, if x { *m + delta.expose() } else { *m }, "correlation {i}");
    }
}

#[test]
fn correlations_hold_through_all_stages_whatever_the_threads() {
    let n = 80_000;
    let mut first = None;
    for threads in [[1, 1], [1, 3], [4, 2], [8, 8]] {
        let (m, k, delta) = run(PLAN, n, threads, untouched);
        let ((m, _), (k, _)) = (m.unwrap(), k.unwrap());
        assert_correlated(&m, &k, &delta);
        // The generators are seeded, so the outputs must be the same ones.
        match &first {
            None => first = Some(m),
            Some(first) => assert!(*first == m, "{threads:?}"),
        }
    }
}

#[test]
fn each_correlation_of_a_long_session_takes_the_bytes_that_are_said() {
    for profile in [Profile::Lan, Profile::Wan] {
        let plan = profile.plan();
        let last = plan.rounds.last().unwrap();
        let each = last.outputs() - last.base_len();
        // Beyond the first rounds, and one round more.
        let sent = |n| {
            let (p, v, _) = run(plan, n, [1, 1], untouched);
            let ((_, p), (_, v)) = (p.unwrap(), v.unwrap());
            (p.bytes_sent + v.bytes_sent) as f64
        };
        let start = plan.extension + Params::SMALL.outputs() + each / 2;
        let measured = (sent(start + each) - sent(start)) / each as f64;
        let said = bytes_per_correlation(profile);
        assert!((0.95..1.05).contains(&(said / measured)), "{profile:?}: {said} said, {measured} sent");
    }
}

#[test]
fn expectations_of_any_size_keep_parties_with_different_threads_in_step() {
    // Statements of many lengths, each announced or not, so that rounds open at every quarter and at the last
    // chance.
    fn take(mut pool: Pool, channel: &mut dyn Channel) -> Result<Vec<Gf128>, Error> {
        let mut all = Vec::new();
        for (i, n) in
            [100, 30_000, 9_000, 1_000, 5_500, 2_700, 2_700, 1, 20_000, 700_000, 3_000, 3_000, 50_000]
                .into_iter()
                .enumerate()
        {
            pool.expect((i % 4 != 3).then_some(n as u64));
            let start = all.len();
            all.resize(start + n, Gf128::ZERO);
            pool.fill(channel, &mut all[start..])?;
        }
        channel.send(tags::GOODBYE, &[])?;
        channel.recv(tags::GOODBYE, 0)?;
        channel.flush()?;
        Ok(all)
    }
    for threads in [[1, 1], [8, 1], [1, 8], [3, 5]] {
        with_pools(threads, |pool, channel, _| take(pool, channel));
    }
}

#[test]
fn fitted_rounds_make_what_was_announced_in_fewer_bytes_and_more_when_asked() {
    // What V sends until what was announced is taken; then more is taken.
    fn sent(announced: usize, fit: bool, threads: [usize; 2], more: usize) -> u64 {
        let (bytes, said) = std::sync::mpsc::channel();
        with_pools(threads, |mut pool, channel, is_p| {
            if fit {
                pool.fit();
            }
            pool.expect(Some(announced as u64));
            let mut all = vec![Gf128::ZERO; announced];
            pool.fill(channel, &mut all)?;
            if !is_p {
                bytes.clone().send(channel.stats().bytes_sent).expect("is read");
            }
            let mut rest = vec![Gf128::ZERO; more];
            pool.fill(channel, &mut rest)?;
            channel.send(tags::GOODBYE, &[])?;
            channel.recv(tags::GOODBYE, 0)?;
            channel.flush()?;
            Ok([all, rest].concat())
        });
        said.recv().expect("is sent")
    }
    // The extension's chunks, then rounds of 6,400 and of 7,680.
    for announced in [32_769, 38_300, 45_000, 90_000] {
        for threads in [[1, 1], [3, 5]] {
            let [whole, fitted] = [false, true].map(|fit| sent(announced, fit, threads, 0));
            assert!(fitted <= whole, "{announced}: {fitted} bytes, {whole} if not fitted");
            assert_eq!(sent(announced, true, threads, 30_000), fitted, "{announced}");
        }
    }
    // One more than the extension makes: a round of one tree.
    let [whole, fitted] = [false, true].map(|fit| sent(32_769, fit, [1, 1], 0));
    assert_eq!(whole - fitted, 16 * 6 * (100 - 1));
}

/// Both parties run this on pools with so many threads, P with `true`: P's correlations, of which V has the
/// keys.
fn with_pools(
    threads: [usize; 2],
    run: impl Fn(Pool, &mut dyn Channel, bool) -> Result<Vec<Gf128>, Error> + Sync,
) -> Vec<Gf128> {
    let (m, k, delta) = parties(
        2,
        (untouched, untouched),
        |party, p, _| run(Pool::new(Box::new(Generator::new(party, PLAN, workers(threads[0])))), p, true),
        |party, v, _| run(Pool::new(Box::new(Generator::new(party, PLAN, workers(threads[1])))), v, false),
    );
    let (m, k) = (m.unwrap(), k.unwrap());
    assert_correlated(&m, &k, &delta);
    m
}

#[test]
fn no_correlation_is_given_out_twice() {
    let (m, _, _) = run(PLAN, 60_000, [1, 1], untouched);
    let mut seen: Vec<u128> = m.unwrap().0.iter().map(|m| m.to_bits()).collect();
    seen.sort_unstable();
    assert!(seen.windows(2).all(|w| w[0] != w[1]));
}

#[test]
fn the_stages_of_the_profiles_hold_and_a_small_generator_is_cheap() {
    for profile in [Profile::Lan, Profile::Wan] {
        let n = Plan::EXTENSION + 100_000;
        let (m, k, delta) = run(profile.plan(), n, [1, 1], untouched);
        let ((m, _), (k, _)) = (m.unwrap(), k.unwrap());
        assert_correlated(&m, &k, &delta);
    }
    let (m, k, _) = run(Profile::Lan.plan(), 23_213, [1, 1], untouched);
    let (p, v) = (m.unwrap().1, k.unwrap().1);
    let bytes = p.bytes_sent + v.bytes_sent;
    // Base OT 8 KiB, trees, and three chunks of two bytes a correlation.
    assert!(bytes < 80_000, "{bytes} bytes");
    assert!(p.round_trips <= 1, "{} round trips", p.round_trips);
}

#[test]
fn a_verifier_that_lies_in_any_round_s_trees_is_caught_and_the_generator_stays_shut() {
    fn flip(tag: Tag, payload: &mut Vec<u8>) {
        if tag == tags::FERRET_TREES {
            let middle = payload.len() / 2;
            payload[middle] ^= 1;
        }
    }
    let (m, _, _) = run(PLAN, 80_000, [1, 1], flip);
    assert!(matches!(m, Err(Error::Cheat { step: tags::FERRET_VERDICT, .. })), "{:?}", m.err());
}

/// Takes and makes correlations in turns with messages of another kind, and says which were taken.
fn beside(mut pool: Pool, channel: &mut dyn Channel, sends: bool) -> Result<Vec<Gf128>, Error> {
    let mut all = vec![Gf128::ZERO; 100];
    pool.expect(Some(50_000));
    pool.reserve(50_000);
    pool.fill(channel, &mut all)?;
    for end in (0..50_000).step_by(777) {
        if sends {
            channel.send(tags::GARBLED_TABLES, &[0; 100])?;
        } else {
            channel.recv_exact(tags::GARBLED_TABLES, &mut [0; 100])?;
        }
        pool.make(channel, end)?;
        assert!(pool.index() + pool.at_hand().len() as u64 >= end);
        assert_eq!(pool.prepared(), end.saturating_sub(pool.index()));
        let mut few = [Gf128::ZERO; 70];
        pool.fill(channel, &mut few)?;
        all.extend_from_slice(&few);
    }
    let left = 50_000 - all.len();
    pool.prepare(channel, left)?;
    assert_eq!(pool.index(), all.len() as u64);
    all.extend_from_slice(&pool.at_hand()[..left]);
    channel.send(tags::GOODBYE, &[])?;
    channel.recv(tags::GOODBYE, 0)?;
    channel.flush()?;
    Ok(all)
}

#[test]
fn correlations_made_beside_other_messages_hold_and_are_the_same_whatever_the_threads() {
    let mut first = None;
    for threads in [[1, 1], [3, 1], [2, 8]] {
        let m = with_pools(threads, beside);
        assert_eq!(m.len(), 50_000);
        assert!(*first.get_or_insert_with(|| m.clone()) == m, "{threads:?}");
    }
}

/// P's seeds of the rounds that `n` correlations take, from a P whose generator starts with `rng`.
fn seeds_of_checks(rng: u64, n: usize) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    let listen = |tag: Tag, payload: &mut Vec<u8>| {
        if tag == tags::FERRET_CHECK {
            seeds.push(payload[..16].to_vec());
        }
    };
    let (p, v, _) = parties(
        rng,
        (listen, untouched),
        |party, p, _| take(Generator::new(party, PLAN, None), p, n),
        |party, v, _| take(Generator::new(party, PLAN, None), v, n),
    );
    assert!(p.is_ok() && v.is_ok());
    seeds
}

/// A V that knew a seed before it sends its trees could make wrong ones that pass, and would know the code.
#[test]
fn v_can_foresee_no_seed_of_p_s_checks() {
    let mut all = seeds_of_checks(2, 60_000);
    assert!(all.len() > 3);
    all.extend(seeds_of_checks(4, 60_000));
    let different = std::collections::HashSet::<_>::from_iter(all.iter());
    assert_eq!(different.len(), all.len());
}

/// Both parties' chains up to `n` taken; what they send passes through their edits.
fn linked(n: usize, threads: [usize; 2], edits: [impl FnMut(Tag, &mut Vec<u8>) + Send; 2]) -> [Chains; 2] {
    fn made(generator: impl Source + Send + 'static, n: usize, channel: &mut dyn Channel) -> Chains {
        chains(Pool::new(Box::new(generator)), [n, 1_000], channel)
    }
    let (p, v, _) = parties(
        2,
        edits.into(),
        |party, p, rng| made(Generator::linked(party, PLAN, workers(threads[0]), rng), n, p),
        |party, v, rng| made(Generator::linked(party, PLAN, workers(threads[1]), rng), n, v),
    );
    [p, v]
}

#[test]
fn linked_generators_have_one_chain_through_all_stages_whatever_the_threads() {
    let mut first = None;
    for threads in [[1, 1], [4, 1], [1, 3]] {
        let [p, v] = linked(60_000, threads, [untouched; 2]);
        let (p, v) = (p.unwrap(), v.unwrap());
        assert_eq!(p, v);
        assert_eq!(*first.get_or_insert_with(|| p.clone()), p, "{threads:?}");
        assert!(std::collections::HashSet::<_>::from_iter(&p).len() > 8);
    }
}

/// A look at the chain is one wait, however many chunks there were since the last.
#[test]
fn extension_alone_costs_one_wait_where_the_chain_is_asked_for() {
    fn once(mut pool: Pool, channel: &mut dyn Channel) -> Result<u64, Error> {
        pool.expect(Some(30_000));
        let before = channel.stats().round_trips;
        pool.fill(channel, &mut [Gf128::ZERO; 30_000])?;
        pool.chain(channel)?;
        let after = channel.stats().round_trips;
        channel.send(tags::GOODBYE, &[])?;
        channel.recv(tags::GOODBYE, 0)?;
        channel.flush()?;
        Ok(after - before)
    }
    let plan = Plan::bits(&[]);
    let (waits, v, _) = parties(
        2,
        (untouched, untouched),
        |party, p, rng| once(Pool::new(Box::new(Generator::linked(party, plan, None, rng))), p),
        |party, v, rng| once(Pool::new(Box::new(Generator::linked(party, plan, None, rng))), v),
    );
    assert_eq!((waits, v.is_ok()), (Ok(1), true));
}

/// Whatever changes on its way ends the session, or the parties have different chains and so different
/// challenges.
#[test]
fn a_flipped_bit_in_any_message_of_a_linked_generator_ends_it_or_parts_the_chains() {
    let kinds = [
        (tags::SOFT_SPOKEN_EXTEND, true),
        (tags::FERRET_TREES, false),
        (tags::FERRET_CHECK, true),
        (tags::FERRET_VERDICT, false),
        (tags::BITS_LINK, false),
    ];
    let parted = kinds_that_part(&kinds, |taps| linked(50_000, [1, 1], taps));
    // All other messages have a check of their own.
    assert_eq!(Vec::from_iter(parted), [tags::BITS_LINK]);
}
