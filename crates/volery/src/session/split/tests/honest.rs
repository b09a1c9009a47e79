//! What should be accepted is.

use sha2::{Digest as _, Sha256};
use volery_circuit::statements::AndChain;
use volery_field::F2;
use zeroize::Zeroizing;

use super::statements::{Batch, SplitPreimage};
use super::*;

fn accepted((proved, verified): (Result<Outcome, Error>, Result<Outcome, Error>)) -> Outcome {
    let (proved, verified) = (proved.expect("proved"), verified.expect("verified"));
    assert_eq!(proved.soundness_bits, verified.soundness_bits);
    assert_eq!((proved.lost, proved.bytes_sent), (verified.lost, verified.bytes_received));
    for (p, v) in proved.shards.iter().zip(&verified.shards) {
        assert_eq!((p.bytes_sent, p.correlations), (v.bytes_received, v.correlations));
    }
    verified
}

#[test]
fn a_chain_is_proved_whether_its_shards_take_a_round_or_not() {
    // A lot has some 47,000 correlations.
    for steps in [10, 200_000] {
        let chain = Chain::<F2>::new(3, steps);
        check::<F2, _>(&chain).expect("holds");
        let outcome = accepted(Both::of(&chain).run(Bits));
        assert_eq!(outcome.shards.len(), 3);
        assert!(outcome.shards.iter().all(|shard| shard.commitments == 1 + steps as u64));
    }
}

#[test]
fn a_chain_over_a_field_is_proved_whether_its_shards_take_a_round_or_not() {
    for steps in [10, 100_000] {
        let chain = Chain::<F61>::new(2, steps);
        check::<F61, _>(&chain).expect("holds");
        accepted(Both::of(&chain).run(Field::new()));
    }
}

#[test]
fn the_profile_for_few_bytes_serves_as_well() {
    let chain = Chain::<F2>::new(2, 100_000);
    let options = Options { profile: crate::Profile::Wan, ..Options::default() };
    accepted(Both { options, ..Both::of(&chain) }.run(Bits));
    let chain = Chain::<F61>::new(2, 100_000);
    accepted(Both { options, ..Both::of(&chain) }.run(Field::new()));
}

/// Challenges that are hashes, of shards that take a round or not, with a worker that is lost.
#[test]
fn hashed_challenges_serve_over_bits_and_over_fields_that_stand_them() {
    let options = Options { fiat_shamir: true, ..Options::default() };
    let breaks = |shard, attempt| (shard == 1 && attempt == 0).then_some(Break(1));
    for steps in [10, 100_000] {
        let chain = Chain::<F2>::new(3, steps);
        let outcome = accepted(Both { options, p_breaks: &breaks, ..Both::of(&chain) }.run(Bits));
        assert_eq!(outcome.lost, 1);
        let asked = accepted(Both::of(&chain).run(Bits));
        assert!(outcome.soundness_bits < asked.soundness_bits, "{outcome:?} {asked:?}");
        let chain = Chain::<F61>::new(2, steps);
        accepted(Both { options, ..Both::of(&chain) }.run(Field::new()));
    }
}

#[test]
fn a_preimage_is_proved_in_any_number_of_shards_at_every_border_of_blocks() {
    for (length, shards) in [(0, 4), (1, 1), (55, 2), (56, 2), (63, 2), (64, 2), (119, 3), (120, 3), (300, 4)]
    {
        let message: Vec<u8> = (0..length).map(|i| i as u8).collect();
        let digest: [u8; 32] = Sha256::digest(&message).into();
        let claim = || SplitPreimage::new(digest, length, shards).expect("a claim");
        let known = claim().with_message(Zeroizing::new(message)).expect("a message");
        check::<F2, _>(&known).expect("holds");
        let outcome = accepted(Both::between(&known, &claim()).run(Bits));
        assert_eq!(outcome.shards.len(), shards.min((length as usize + 9).div_ceil(64)));
    }
}

#[test]
fn a_worker_s_job_has_its_part_of_the_message_and_no_other() {
    let message: Vec<u8> = (0..300_u16).map(|i| i as u8 ^ 0x5a).collect();
    let digest: [u8; 32] = Sha256::digest(&message).into();
    let claim = SplitPreimage::new(digest, 300, 3).expect("a claim");
    let known = SplitPreimage::new(digest, 300, 3).expect("a claim");
    let known = known.with_message(Zeroizing::new(message.clone())).expect("a message");
    for n in 0..3 {
        let (mine, theirs) = (known.job(n).expect("a job"), claim.job(n).expect("a job"));
        assert!(!theirs.windows(8).any(|window| message.windows(8).any(|part| part == window)));
        assert!(mine.len() > theirs.len() && mine.len() < theirs.len() + 200);
        let (part, at) = SplitPreimage::from_job(&mine).expect("a job");
        assert_eq!(at, n);
        // It runs with what it has, and says the same of its boundary.
        let run = |whole: &SplitPreimage| {
            let shard = whole.shard(n).expect("a shard");
            Shard::<F2, _>::run(&shard, &mut Evaluator::<F2>::new()).expect("holds")
        };
        assert_eq!(run(&part), run(&known));
        for other in (0..3).filter(|other| *other != n) {
            let shard = part.shard(other).expect("a shard");
            assert!(Shard::<F2, _>::run(&shard, &mut Evaluator::<F2>::new()).is_err(), "{n} {other}");
        }
        let shard = SplitPreimage::from_job(&theirs).expect("a job").0;
        assert!(Shard::<F2, _>::run(&shard.shard(n).expect("a shard"), &mut Evaluator::<F2>::new()).is_err());
        for end in 0..mine.len() {
            let cut = SplitPreimage::from_job(&mine[..end]);
            assert!(cut.is_err() || end == theirs.len(), "{end}");
        }
    }
    assert!(known.job(3).is_err());
}

#[test]
fn a_batch_has_shards_of_several_statements_and_no_boundary() {
    let statements = || (0..5).map(|n| AndChain::new(1000 + n)).collect();
    let batch = Batch::new(statements(), 2);
    check::<F2, _>(&batch).expect("holds");
    let outcome = accepted(Both::of(&batch).run(Bits));
    let commitments: Vec<u64> = outcome.shards.iter().map(|shard| shard.commitments).collect();
    assert_eq!(commitments, [2 * 128 + 2001, 3 * 128 + 3009]);
}

#[test]
fn several_statements_are_split_in_one_session() {
    let chain = Chain::<F2>::new(2, 10);
    let layout = chain.layout().expect("a layout");
    let meeting = Meeting::new();
    let (ours, theirs) = memory_pair(&Limits::default());
    let p_connect = |lot: &ProverLot<Bits>| meeting.join(lot.token());
    let v_connect = |lot: &VerifierLot<Bits>| meeting.join(lot.token());
    std::thread::scope(|scope| {
        let (chain, layout) = (&chain, &layout);
        let v_connect = &v_connect;
        scope.spawn(move || {
            std::thread::scope(|scope| {
                let mut rng = rng(2);
                let mut verifier = Verifier::start(theirs, Options::default(), &mut rng).expect("set up");
                for _ in 0..2 {
                    let mut workers = VerifierThreads::new(scope, Bits, chain, v_connect);
                    let settings = Settings::default();
                    verifier.verify_split(Bits, layout, settings, &mut workers, &mut rng).expect("verified");
                }
                // An ordinary proof goes on in the same session.
                verifier.verify(Bits, &AndChain::new(100), &mut rng).expect("verified");
            });
        });
        let mut rng = rng(1);
        let mut prover = Prover::start(ours, Options::default(), &mut rng).expect("set up");
        for _ in 0..2 {
            let mut workers = ProverThreads::new(scope, Bits, chain, &p_connect);
            prover.prove_split(Bits, layout, Settings::default(), &mut workers, &mut rng).expect("proved");
        }
        prover.prove(Bits, &AndChain::new(100), &mut rng).expect("proved");
    });
}

#[test]
fn retries_that_are_allowed_cost_soundness_whether_or_not_they_are_used() {
    let chain = Chain::<F2>::new(2, 10);
    let bits = |retries| {
        let settings = Settings { retries };
        accepted(Both { settings, ..Both::of(&chain) }.run(Bits)).soundness_bits
    };
    let [none, three] = [bits(0), bits(3)];
    assert!((none - three - 2.0).abs() < 1e-9, "{none} {three}");
    assert!((120.0..127.0).contains(&none), "{none}");
}
