//! Workers that are lost on the way.

use volery_field::F2;

use super::*;

/// Each party loses a worker: at its first message, at those around its last one, and after it.
#[test]
fn a_lost_worker_is_replaced_wherever_it_was() {
    let chain = Chain::<F2>::new(2, 50_000);
    let (mut lost, mut ended) = (0, 0);
    for at in [0, 2, 4, 5, 6, 7, 8, 9, 12] {
        let breaks = |shard, attempt| (shard == 1 && attempt == 0).then_some(Break(at));
        for both in
            [Both { p_breaks: &breaks, ..Both::of(&chain) }, Both { v_breaks: &breaks, ..Both::of(&chain) }]
        {
            let (proved, verified) = both.run(Bits);
            let (proved, verified) = (proved.expect("proved"), verified.expect("verified"));
            assert_eq!(proved.lost, verified.lost, "{at}");
            match proved.lost {
                0 => ended += 1,
                1 => lost += 1,
                more => panic!("{more} were lost"),
            }
        }
    }
    // Some are lost, and in the end the worker sends fewer messages than that.
    assert!(lost > 10 && ended > 5, "{lost} {ended}");
}

#[test]
fn more_losses_than_allowed_end_the_session_at_both_parties() {
    let chain = Chain::<F2>::new(3, 10);
    let settings = Settings { retries: 2 };
    let breaks = |shard, _| (shard == 2).then_some(Break(1));
    let (proved, verified) = Both { settings, p_breaks: &breaks, ..Both::of(&chain) }.run(Bits);
    for result in [proved, verified] {
        let error = result.expect_err("too many are lost");
        assert!(
            matches!(&error, Error::Split(reason) if reason.contains("3 workers were lost, and 2 may")),
            "{error}"
        );
    }
}

/// Over a field V's answer in a round may have told P the key of all shards.
#[test]
fn a_verifier_that_has_answered_and_was_not_opened_to_ends_the_session() {
    // More than a lot is read for without a round.
    let chain = Chain::<F61>::new(2, 40_000);
    let mut words = [0; 2];
    // Between message 5 and message 8 it opens.
    for at in 4..10 {
        let breaks = |shard, attempt| (shard == 1 && attempt == 0).then_some(Break(at));
        let (proved, verified) = Both { p_breaks: &breaks, ..Both::of(&chain) }.run(Field::new());
        match verified {
            Ok(outcome) => {
                assert!(outcome.lost <= 1 && proved.is_ok());
                words[0] += 1;
            }
            Err(Error::Split(reason)) => {
                assert!(reason.contains("may have told the prover the key"), "{reason}");
                assert!(proved.is_err());
                words[1] += 1;
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert!(words[0] > 2 && words[1] > 1, "{words:?}");
    // If V's answer itself does not get away, nobody knows whether it did.
    let ends = |at: usize| {
        let breaks = |shard, attempt| (shard == 1 && attempt == 0).then_some(Break(at));
        let (_, verified) = Both { v_breaks: &breaks, ..Both::of(&chain) }.run(Field::new());
        verified.is_err_and(|error| error.to_string().contains("may have told the prover the key"))
    };
    assert!((9..13).any(ends));
}

/// A worker whose process is gone cannot say how far it was.
#[test]
fn a_verifier_s_worker_that_is_gone_ends_a_session_over_a_field_and_none_over_bits() {
    fn gone<Y: Dealt + Copy + Send>(system: Y, chain: &Chain<Y::Ring>) -> Result<Outcome, Error>
    where
        for<'a, 's> <Chain<Y::Ring> as Sharded>::Shard<'s>:
            Shard<Y::Ring, Y::Prover<'a>> + Shard<Y::Ring, Y::Verifier<'a>>,
        Chain<Y::Ring>: Sharded,
        for<'p> Y::Prover<'p>: Boundary<Y::Ring, Y::Mac>,
        for<'v> Y::Verifier<'v>: Boundary<Y::Ring, Y::Mac>,
    {
        let meeting = Meeting::new();
        let layout = chain.layout()?;
        let (ours, theirs) = memory_pair(&Limits::default());
        let p_connect = |lot: &ProverLot<Y>| meeting.join(lot.token());
        let v_connect = |lot: &VerifierLot<Y>| meeting.join(lot.token());
        std::thread::scope(|scope| {
            let (layout, p_connect) = (&layout, &p_connect);
            scope.spawn(move || {
                std::thread::scope(|scope| {
                    let mut rng = rng(1);
                    let mut prover = Prover::start(ours, Options::default(), &mut rng).expect("set up");
                    let mut workers = ProverThreads::new(scope, system, chain, p_connect);
                    let _ = prover.prove_split(system, layout, Settings::default(), &mut workers, &mut rng);
                });
            });
            let mut rng = rng(2);
            let mut verifier = Verifier::start(theirs, Options::default(), &mut rng)?;
            let threads = VerifierThreads::new(scope, system, chain, &v_connect);
            let mut workers = Killed { threads, done: false };
            verifier.verify_split(system, layout, Settings::default(), &mut workers, &mut rng)
        })
    }

    /// The first worker that ends is gone.
    struct Killed<W> {
        threads: W,
        done: bool,
    }

    impl<L, M: Copy + Default, W: Workers<L, M>> Workers<L, M> for Killed<W> {
        fn start(&mut self, lot: L) -> Result<(), Error> {
            self.threads.start(lot)
        }

        fn wait(&mut self, patience: core::time::Duration) -> Result<Option<Ended<M>>, Error> {
            let mut ended = self.threads.wait(patience)?;
            if let (false, Some(ended)) = (self.done, &mut ended) {
                ended.result = Err(Lost::Gone("killed".into()));
                self.done = true;
            }
            Ok(ended)
        }

        fn ask(&mut self, question: &Question) -> Result<(), Error> {
            self.threads.ask(question)
        }

        fn answered(&mut self, patience: core::time::Duration) -> Result<Option<Answered<M>>, Error> {
            self.threads.answered(patience)
        }
    }

    assert_eq!(gone(Bits, &Chain::new(2, 10)).expect("tried again").lost, 1);
    let error = gone(Field::new(), &Chain::new(2, 10)).expect_err("nobody knows what it said");
    assert!(matches!(error, Error::Split(_)), "{error}");
}
