//! Estimates against what proofs really take.

use core::time::Duration;

use volery_channel::{Channel as _, ChannelExt as _, tags};
use volery_field::F2;

use super::many::Wide;
use super::statements::SplitPreimage;
use super::*;

/// Workers that are reached where sockets would be.
struct Reached<W>(W);

impl<L, M: Copy + Default, W: Workers<L, M>> Workers<L, M> for Reached<W> {
    fn start(&mut self, lot: L) -> Result<(), Error> {
        self.0.start(lot)
    }

    fn address(&mut self, _: usize, _: Duration) -> Result<Option<String>, Error> {
        Ok(Some(format!("127.0.0.1:40000 {}", "0".repeat(64))))
    }

    fn wait(&mut self, patience: Duration) -> Result<Option<Ended<M>>, Error> {
        self.0.wait(patience)
    }

    fn ask(&mut self, question: &Question) -> Result<(), Error> {
        self.0.ask(question)
    }

    fn answered(&mut self, patience: Duration) -> Result<Option<Answered<M>>, Error> {
        self.0.answered(patience)
    }
}

/// The bytes that P and V sent, all workers' and the set-up included, how often P's coordinator waited, and
/// the outcome at V.
fn really<Y, T>(system: Y, whole: &T, options: Options, settings: Settings) -> ([u64; 2], u64, Outcome)
where
    Y: Dealt + Copy + Send,
    T: Sharded,
    for<'a, 's> T::Shard<'s>: Shard<Y::Ring, Y::Prover<'a>> + Shard<Y::Ring, Y::Verifier<'a>>,
    for<'p> Y::Prover<'p>: Boundary<Y::Ring, Y::Mac>,
    for<'v> Y::Verifier<'v>: Boundary<Y::Ring, Y::Mac>,
{
    let meeting = Meeting::new();
    let (ours, theirs) = memory_pair(&Limits::default());
    let p_connect = |lot: &ProverLot<Y>| {
        let mut end = meeting.join(lot.token())?;
        end.send(tags::WORKER_TOKEN, &[0; 32])?;
        Ok(end)
    };
    let v_connect = |lot: &VerifierLot<Y>| {
        let mut end = meeting.join(lot.token())?;
        end.flush()?;
        let _pass: [u8; 32] = end.recv_array(tags::WORKER_TOKEN)?;
        Ok(end)
    };
    let layout = whole.layout().expect("a layout");
    let workers = |outcome: &Outcome| outcome.shards.iter().map(|shard| shard.bytes_sent).sum::<u64>();
    std::thread::scope(|scope| {
        let (layout, v_connect) = (&layout, &v_connect);
        let verified = scope.spawn(move || {
            std::thread::scope(|scope| {
                let mut rng = rng(2);
                let mut verifier = Verifier::start(theirs, options, &mut rng).expect("set up");
                let mut threads = Reached(VerifierThreads::new(scope, system, whole, v_connect));
                let outcome = verifier.verify_split(system, layout, settings, &mut threads, &mut rng);
                let outcome = outcome.expect("verified");
                (verifier.channel().stats().bytes_sent + workers(&outcome), outcome)
            })
        });
        let (proved, round_trips) = std::thread::scope(|scope| {
            let mut rng = rng(1);
            let mut prover = Prover::start(ours, options, &mut rng).expect("set up");
            let mut threads = ProverThreads::new(scope, system, whole, &p_connect);
            let outcome = prover.prove_split(system, layout, settings, &mut threads, &mut rng);
            let stats = prover.channel().stats();
            (stats.bytes_sent + workers(&outcome.expect("proved")), stats.round_trips)
        });
        let (verified, outcome) = verified.join().expect("no panic");
        ([proved, verified], round_trips, outcome)
    })
}

fn agrees<Y, T>(system: Y, whole: &T, options: Options)
where
    Y: Dealt + Copy + Send,
    T: Sharded,
    for<'a, 's> T::Shard<'s>: Shard<Y::Ring, Y::Prover<'a>> + Shard<Y::Ring, Y::Verifier<'a>>,
    for<'p> Y::Prover<'p>: Boundary<Y::Ring, Y::Mac>,
    for<'v> Y::Verifier<'v>: Boundary<Y::Ring, Y::Mac>,
{
    let settings = Settings::default();
    let estimate = estimate(options, system, whole, settings).expect("an estimate");
    let (sent, round_trips, outcome) = really(system, whole, options, settings);
    assert_eq!(estimate.coordinators.round_trips, round_trips, "{} shards", outcome.shards.len());
    let estimated = [estimate.bytes_prover(), estimate.bytes_verifier()];
    for (estimated, sent) in estimated.into_iter().zip(sent) {
        let error = estimated as f64 / sent as f64 - 1.0;
        assert!(error.abs() < 0.02, "{} shards: {estimated} and {sent}", outcome.shards.len());
    }
    let figures = |shard: &Summary| (shard.correlations, shard.soundness_bits);
    let shards: Vec<_> = outcome.shards.iter().map(figures).collect();
    let estimated = estimate.workers.iter().map(|worker| (worker.correlations, worker.soundness.bits()));
    assert_eq!(estimated.collect::<Vec<_>>(), shards);
    assert_eq!(estimate.soundness_bits(), outcome.soundness_bits);
    assert_eq!(estimate.correlations(), outcome.shards.iter().map(|shard| shard.correlations).sum::<u64>());
}

#[test]
fn bytes_correlations_and_worth_are_those_of_the_proof() {
    for (shards, steps) in [(1, 10), (3, 60_000), (8, 100)] {
        agrees(Bits, &Chain::<F2>::new(shards, steps), Options::default());
        agrees(Field::new(), &Chain::<F61>::new(shards, steps), Options::default());
    }
    agrees(Bits, &Wide::<F2>::new(2, MOST_BROUGHT + 1), Options::default());
    agrees(Field::new(), &Wide::<F61>::new(2, MOST_BROUGHT + 1), Options::default());
    let hashed = Options { fiat_shamir: true, ..Options::default() };
    for steps in [100, 60_000] {
        agrees(Bits, &Chain::<F2>::new(2, steps), hashed);
        agrees(Field::new(), &Chain::<F61>::new(2, steps), hashed);
    }
    let wan = Options { profile: crate::Profile::Wan, ..Options::default() };
    agrees(Bits, &Chain::<F2>::new(2, 60_000), wan);
}

/// A worker over more correlations than it reads its lot for makes a round, whatever a session that has no
/// lot would do.
#[test]
fn the_rounds_of_a_lot_are_in_the_memory_of_a_worker() {
    let memory = |steps| {
        let chain = Chain::<F2>::new(1, steps);
        let estimate = estimate(Options::default(), Bits, &chain, Settings::default()).expect("an estimate");
        estimate.memory_worker()[1]
    };
    let lot = Bits::lot_len(&Options::default()).expect("a length");
    let (alone, round) = (memory(lot / 4), memory(lot * 3 / 4));
    assert!(round > alone + 16 * lot as u64, "{alone} {round}");
}

#[test]
fn workers_with_more_threads_take_more_cores() {
    let options = Options { threads: 2, ..Options::default() };
    let estimate = estimate(options, Bits, &Chain::<F2>::new(3, 10_000), Settings::default());
    let estimate = estimate.expect("an estimate");
    let first = estimate.coordinators.set_up + estimate.coordinators.dealing;
    let all = estimate.workers.iter().map(crate::Estimate::work).sum::<Duration>();
    for cores in 1..4 {
        assert_eq!(estimate.work(cores), first + all, "{cores}");
    }
    assert!(estimate.work(4) < first + all);
}

/// The public side is enough: a statement without its message is estimated.
#[test]
fn a_statement_without_its_witness_is_estimated() {
    let claim = SplitPreimage::new([7; 32], 10_000, 4).expect("a claim");
    let estimate = estimate(Options::default(), Bits, &claim, Settings::default()).expect("an estimate");
    assert_eq!(estimate.workers.len(), 4);
    // A lot of tags for each worker, and its boundary.
    let lot = 16 * Bits::lot_len(&Options::default()).expect("a length") as u64;
    assert!((4 * lot..4 * (lot + 20_000)).contains(&estimate.within_prover), "{estimate:?}");
    let [prover, verifier] = estimate.memory_worker();
    assert!(prover > lot && verifier > lot);
}

#[test]
fn each_retry_that_is_allowed_is_one_more_try() {
    let chain = Chain::<F2>::new(2, 10);
    let estimate =
        |retries| estimate(Options::default(), Bits, &chain, Settings { retries }).expect("an estimate");
    let none = estimate(0);
    for retries in [1, 8, Bits::MOST_RETRIES] {
        let some = estimate(retries);
        let lost = f64::from(retries + 1).log2();
        assert!((some.retries_bits() - lost).abs() < 1e-9);
        assert!((none.soundness_bits() - some.soundness_bits() - lost).abs() < 1e-9, "{retries}");
        let terms: f64 = some.soundness_terms().iter().map(|term| (-term.bits).exp2()).sum();
        assert!((terms.log2() + some.soundness_bits()).abs() < 1e-9);
    }
    let settings = Settings { retries: Bits::MOST_RETRIES + 1 };
    let refused = super::estimate(Options::default(), Bits, &chain, settings);
    assert!(matches!(refused, Err(Error::Options(_))));
}

#[test]
fn an_estimate_says_what_hashed_challenges_are_worth_where_the_field_stands_them() {
    let of = |fiat_shamir| {
        let options = Options { fiat_shamir, ..Options::default() };
        estimate(options, Bits, &Chain::<F2>::new(2, 10), Settings::default()).expect("an estimate")
    };
    let (asked, hashed) = (of(false), of(true));
    assert_eq!(asked.soundness_bits_hashed(), Some(hashed.soundness_bits()));
    assert!(hashed.soundness_bits() < asked.soundness_bits());
    let small =
        estimate(Options::default(), Over::<F61, F61>::new(), &Chain::<F61>::new(2, 10), Settings::default());
    assert_eq!(small.expect("an estimate").soundness_bits_hashed(), None);
}

/// More cores share the work of more workers, until the longest worker counts; bytes and waits remain.
#[test]
fn cores_share_the_work_and_not_the_bytes() {
    use crate::Network;

    let chain = Chain::<F2>::new(4, 20_000);
    let estimate = estimate(Options::default(), Bits, &chain, Settings::default()).expect("an estimate");
    let longest = estimate.workers.iter().map(crate::Estimate::work).max().expect("some");
    let first = estimate.coordinators.set_up + estimate.coordinators.dealing;
    assert_eq!(
        estimate.work(1),
        first + estimate.workers.iter().map(crate::Estimate::work).sum::<Duration>()
    );
    assert_eq!(estimate.work(1000), first + longest);
    assert_eq!(estimate.work(0), estimate.work(1));
    let slow = Network::new(Duration::from_millis(10), 1e4);
    let bytes = estimate.bytes_prover().max(estimate.bytes_verifier());
    let waits = 0.01 * estimate.round_trips() as f64;
    let expected = estimate.coordinators.set_up.as_secs_f64() + bytes as f64 * 8.0 / 1e4 + waits;
    for cores in [1, 1000] {
        assert!((estimate.seconds_on(slow, cores) - expected).abs() < 1e-9);
    }
}
