//! Runs of programs whose segments are proved by many workers.

use std::sync::Arc;

use volery_machine::instruction::Operation::{Add, Addi, Bne, Ebreak, Ecall, Lbu, Lw, Sw};
use volery_machine::proof::{Ending, ProgramRun, RunClaim, Settings as Cut, Subject, Terms};
use volery_machine::{End as Ended, Instruction, Kind, Limits as RunLimits, Operation, Program, Segment};

use super::statements::{SplitRun, SplitRunPart, estimate_run};
use super::*;
use crate::system::ProvesRuns;

/// Bits enough for tests.
type Small = Over<F61, F61>;

/// Short segments, and one check or several.
const CUT: Cut = Cut { steps: 60, unit: 8, log: 8 };

/// Reads `count` bytes of the secret input, one after the other, and keeps their sums in memory. Writes the
/// first bytes of those to the journal, and ends.
fn summing(count: i32, trap: bool) -> Program {
    let call = |file, length, number| {
        [(Addi, 10, 0, 0, file), (Addi, 12, 0, 0, length), (Addi, 17, 0, 0, number), (Ecall, 0, 0, 0, 0)]
    };
    let code = [
        &[(Addi, 2, 2, 0, -1024), (Addi, 8, 2, 0, 4), (Addi, 9, 0, 0, count), (Addi, 11, 2, 0, 0)][..],
        &call(0, 1, 63),
        &[(Lbu, 5, 2, 0, 0), (Add, 6, 6, 5, 0), (Sw, 0, 8, 6, 0), (Addi, 8, 8, 0, 4), (Addi, 9, 9, 0, -1)],
        &[(Bne, 0, 9, 0, -36), (Addi, 11, 2, 0, 4)],
        &call(1, 4, 64),
        &[(Lw, 10, 2, 0, 4), (Addi, 17, 0, 0, 93), (if trap { Ebreak } else { Ecall }, 0, 0, 0, 0)],
    ]
    .concat();
    assembled(&code)
}

/// The program of these instructions.
fn assembled(code: &[(Operation, u8, u8, u8, i32)]) -> Program {
    let word = |&(operation, rd, rs1, rs2, immediate): &(Operation, u8, u8, u8, i32)| {
        Instruction::new(operation, rd, rs1, rs2, immediate).expect("an instruction").encode()
    };
    let bytes: Vec<u8> = code.iter().flat_map(|line| u32::to_le_bytes(word(line))).collect();
    let text = Segment { address: 0x1_0000, size: bytes.len() as u32, bytes, kind: Kind::Text };
    Program::new(0x1_0000, vec![text]).expect("a program")
}

fn program_run(program: &Program, secret: &[u8]) -> ProgramRun {
    let inputs = [secret.to_vec(), b"public".to_vec()];
    ProgramRun::of(program.clone(), inputs, CUT, RunLimits::default()).expect("it ends")
}

/// P's shards of a run, and V's.
fn both(program: &Program, secret: &[u8], groups: usize) -> [SplitRun; 2] {
    let run = program_run(program, secret);
    let public = run.without_secret();
    [run, public].map(|run| SplitRun::new(run, groups).expect("shards"))
}

#[test]
fn a_run_is_proved_by_one_worker_or_by_many() {
    for (groups, trap) in [(1, false), (3, true), (100, false)] {
        let [ours, theirs] = both(&summing(30, trap), &[3; 40], groups);
        assert!(theirs.run().profile().segments() > 5 && theirs.shards() > theirs.groups() + 1, "{theirs:?}");
        assert_eq!(theirs.groups(), groups.min(theirs.run().profile().segments()));
        let (proved, verified) = Both::between(&ours, &theirs).run(Small::new());
        let (proved, verified) = (proved.expect("proved"), verified.expect("verified"));
        assert_eq!(proved.soundness_bits, verified.soundness_bits);
        // 40 bits, less what eight retries cost.
        assert!(verified.soundness_bits > 36.0, "{}", verified.soundness_bits);
    }
    let [ours, theirs] = both(&summing(30, false), &[3; 40], 3);
    check::<F61, _>(&ours).expect("it holds");
    let (proved, verified) = Both::between(&ours, &theirs).run(Field::new());
    let verified = verified.expect("verified");
    assert!(proved.is_ok() && verified.soundness_bits > 96.0, "{}", verified.soundness_bits);
    let estimate = estimate(Options::default(), Field::new(), &theirs, Settings::default()).expect("told");
    assert_eq!(estimate.soundness_bits(), verified.soundness_bits);
}

/// What the coordinator says before, and what workers are told, comes to what shards take by themselves.
#[test]
fn the_estimate_of_a_run_has_what_is_said_of_it_and_what_workers_are_told() {
    let [ours, theirs] = both(&summing(30, false), &[3; 40], 3);
    let (options, settings) = (Options::default(), Settings::default());
    let shards = estimate(options, Small::new(), &theirs, settings).expect("told");
    let run = estimate_run(options, Small::new(), &ours, settings).expect("told");
    assert_eq!(run.soundness_bits(), shards.soundness_bits());
    let announced = run.bytes_prover() - shards.bytes_prover();
    assert!(announced as usize > 4 * theirs.run().profile().segments(), "{announced}");
    assert!(run.round_trips() > shards.round_trips());
    let told = |run: &SplitRun| -> Vec<u64> {
        (0..run.shards()).map(|n| run.job(n).expect("a job").len() as u64).collect()
    };
    let (p_told, v_told) = (told(&ours), told(&theirs));
    assert_eq!(run.within_prover - shards.within_prover, p_told.iter().sum::<u64>());
    assert_eq!(run.within_verifier - shards.within_verifier, v_told.iter().sum::<u64>());
    for (n, (with, without)) in run.workers.iter().zip(&shards.workers).enumerate() {
        let own = theirs.shard(n).expect("a shard").memory(Small::WIRE, Small::WIRE[1]);
        assert_eq!(with.memory_prover - without.memory_prover, p_told[n] + own[0]);
        assert_eq!(with.memory_verifier - without.memory_verifier, v_told[n] + own[1]);
        // A wire is two elements at P and one at V.
        let boundary = 2 * 8 * theirs.boundary(n) as u64;
        assert!(own[0] > 2 * boundary && own[1] > boundary, "{own:?}");
    }
}

/// A run that touches so many words that its shards keep their boundary wires: it reads a byte into one of
/// them, which nobody uses, and counts in the others.
fn filling(secret: u8) -> ProgramRun {
    let down = (Addi, 8, 8, 0, -2048);
    let start = [(Addi, 8, 2, 0, -2048), down, down, down, (Addi, 9, 0, 0, 2047)];
    let read = [(Addi, 11, 8, 0, -4), (Addi, 12, 0, 0, 1), (Addi, 17, 0, 0, 63), (Ecall, 0, 0, 0, 0)];
    let body = [(Sw, 0, 8, 9, 0), (Addi, 8, 8, 0, 4), (Addi, 9, 9, 0, -1), (Bne, 0, 9, 0, -12)];
    let code = [&start[..], &read, &body, &[(Addi, 17, 0, 0, 93), (Ecall, 0, 0, 0, 0)]].concat();
    let settings = Cut { steps: 1500, unit: 64, log: 1 << 12 };
    let run = ProgramRun::of(assembled(&code), [vec![secret], Vec::new()], settings, RunLimits::default());
    run.expect("it ends")
}

#[test]
fn a_run_that_touches_many_words_is_proved() {
    let run = filling(3);
    let [theirs, ours] = [run.without_secret(), run].map(|run| SplitRun::new(run, 2).expect("shards"));
    assert!(theirs.layout().expect("a layout").is_combined());
    let (proved, verified) = Both::between(&ours, &theirs).run(Small::new());
    assert!(proved.is_ok() && verified.is_ok(), "{verified:?}");
}

/// Each shard holds, and one word of thousands is another in one of them. No worker brings such a wire to its
/// coordinator: only sums show it.
#[test]
fn one_of_many_words_that_differs_is_rejected() {
    let [one, other] = [3, 4].map(|secret| Arc::new(SplitRun::new(filling(secret), 2).expect("shards")));
    let theirs = SplitRun::new(one.run().without_secret(), 2).expect("shards");
    assert_eq!((theirs.groups(), theirs.shards()), (2, 3));
    assert!([0, 2].into_iter().all(|shard| theirs.boundary(shard) > MOST_BROUGHT));
    let mixed = |of: [usize; 3]| Mixed { runs: [Arc::clone(&one), Arc::clone(&other)], of: of.to_vec() };
    // The second group has nothing to do with that word.
    for same in [[1, 1, 1], [1, 0, 1]] {
        Both::between(&mixed(same), &theirs).run(Small::new()).1.expect("verified");
    }
    for of in [[0, 0, 1], [1, 0, 0]] {
        assert!(check::<F61, _>(&mixed(of)).is_err());
        let (proved, verified) = Both::between(&mixed(of), &theirs).run(Small::new());
        assert!(is_rejected(&proved) && is_rejected(&verified), "{of:?} {verified:?}");
        let (proved, verified) = Both::between(&mixed(of), &theirs).run(Field::new());
        assert!(is_rejected(&proved) && is_rejected(&verified), "{of:?} {verified:?}");
    }
}

/// Shards of several runs: each is of one of them.
struct Mixed {
    runs: [Arc<SplitRun>; 2],
    /// By shard, which run it is of.
    of: Vec<usize>,
}

impl Sharded for Mixed {
    type Shard<'a> = SplitRunPart<'a>;

    fn layout(&self) -> Result<Layout, Error> {
        self.runs[0].layout()
    }

    fn shard(&self, n: usize) -> Result<SplitRunPart<'_>, volery_circuit::Error> {
        self.runs[self.of[n]].shard(n)
    }
}

/// Each shard holds, and is of a run with the same claim and the same profile. They differ in the secret
/// input.
#[test]
fn shards_of_different_runs_are_rejected() {
    let program = summing(30, false);
    let input = |last: u8| [&[3; 29][..], &[last]].concat();
    let [one, theirs] = both(&program, &input(3), 2);
    let [other, _] = both(&program, &input(4), 2);
    assert_eq!(one.run().claim(), other.run().claim());
    let checks = theirs.shards() - 2;
    let [one, other] = [one, other].map(Arc::new);
    let mix = |other: &Arc<SplitRun>, groups: [usize; 2], check: usize| Mixed {
        runs: [Arc::clone(&one), Arc::clone(other)],
        of: [&groups[..], &vec![check; checks]].concat(),
    };
    Both::between(&mix(&other, [1, 1], 1), &theirs).run(Small::new()).1.expect("verified");
    for mixed in [mix(&other, [1, 1], 0), mix(&other, [0, 1], 0)] {
        assert!(check::<F61, _>(&mixed).is_err());
        let (proved, verified) = Both::between(&mixed, &theirs).run(Small::new());
        assert!(is_rejected(&proved) && is_rejected(&verified), "{verified:?}");
    }
    // The bytes before are others, so the state between the groups is.
    let [other, _] = both(&program, &[&[3][..], &[5], &[3; 28]].concat(), 2);
    let other = Arc::new(other);
    for mixed in [mix(&other, [0, 1], 0), mix(&other, [0, 1], 1), mix(&other, [1, 0], 0)] {
        let (proved, verified) = Both::between(&mixed, &theirs).run(Small::new());
        assert!(is_rejected(&proved) && is_rejected(&verified), "{verified:?}");
    }
}

/// A shard in the place of another one, and of a run with another claim.
#[test]
fn another_shard_is_refused() {
    struct Twice(SplitRun);
    impl Sharded for Twice {
        type Shard<'a> = SplitRunPart<'a>;

        fn layout(&self) -> Result<Layout, Error> {
            self.0.layout()
        }

        fn shard(&self, n: usize) -> Result<SplitRunPart<'_>, volery_circuit::Error> {
            self.0.shard(if n == 1 { 0 } else { n })
        }
    }
    let program = summing(30, false);
    let [ours, theirs] = both(&program, &[3; 40], 3);
    let (_, verified) =
        Both::between(&Twice(both(&program, &[3; 40], 3).into_iter().next().expect("P's")), &theirs)
            .run(Small::new());
    assert!(verified.is_err());
    let run = program_run(&program, &[3; 40]).without_secret();
    let claim = RunClaim { end: Ended::Exit(7), ..run.claim().clone() };
    let subject = run.about().clone();
    let other = ProgramRun::new(subject, b"public".to_vec(), claim, run.profile().clone(), CUT);
    let other = SplitRun::new(other.expect("a claim"), 3).expect("shards");
    let (proved, verified) = Both::between(&ours, &other).run(Small::new());
    assert!(proved.is_err() && verified.is_err());
    // P takes the claim for its own, and proves what it can.
    let lying = program_run(&program, &[7; 40]);
    assert_ne!(lying.claim().end, Ended::Exit(3));
    assert!(Both::between(&SplitRun::new(lying, 3).expect("shards"), &theirs).run(Small::new()).1.is_err());
}

/// The coordinators: P says what its run shows, V hears it within its terms, and then it is proved.
fn announced<Y: Dealt<Ring = F61> + ProvesRuns + Copy + Send>(
    system: Y,
    options: Options,
    groups: [usize; 2],
    terms: &Terms,
) -> [Result<RunClaim, Error>; 2]
where
    for<'p, 's> SplitRunPart<'s>: Shard<F61, Y::Prover<'p>>,
    for<'v, 's> SplitRunPart<'s>: Shard<F61, Y::Verifier<'v>>,
    for<'p> Y::Prover<'p>: Boundary<F61, Y::Mac>,
    for<'v> Y::Verifier<'v>: Boundary<F61, Y::Mac>,
{
    let (meeting, program) = (Meeting::new(), summing(30, false));
    let ours = SplitRun::new(program_run(&program, &[3; 40]), groups[0]).expect("shards");
    let (p_end, v_end) = memory_pair(&Limits::default());
    let p_connect = |lot: &ProverLot<Y>| meeting.join(lot.token());
    let v_connect = |lot: &VerifierLot<Y>| meeting.join(lot.token());
    let settings = Settings::default();
    std::thread::scope(|scope| {
        let verified = scope.spawn(|| {
            let mut rng = rng(2);
            let mut verifier = Verifier::start(v_end, options, &mut rng)?;
            let about = (&Subject::from(program.clone()), &b"public"[..]);
            let theirs = verifier.hear_split_run(system, about, (CUT, groups[1]), terms)?;
            std::thread::scope(|scope| {
                let mut workers = VerifierThreads::new(scope, system, &theirs, &v_connect);
                verifier.verify_split(system, &theirs.layout()?, settings, &mut workers, &mut rng)
            })?;
            Ok(theirs.run().claim().clone())
        });
        let proved = std::thread::scope(|scope| {
            let mut rng = rng(1);
            let mut prover = Prover::start(p_end, options, &mut rng)?;
            prover.announce_split_run(system, &ours)?;
            let mut workers = ProverThreads::new(scope, system, &ours, &p_connect);
            prover.prove_split(system, &ours.layout()?, settings, &mut workers, &mut rng)?;
            Ok(ours.run().claim().clone())
        });
        [proved, verified.join().expect("no panic")]
    })
}

#[test]
fn a_run_is_announced_and_proved_within_the_verifiers_terms() {
    let terms = Terms { ending: Ending::Exit(3), ..Terms::default() };
    let claim = RunClaim { end: Ended::Exit(3), journal: vec![3, 0, 0, 0] };
    for result in announced(Small::new(), Options::default(), [3, 3], &terms) {
        assert_eq!(result.expect("accepted"), claim);
    }
    let refused = |options, groups, terms: &Terms| {
        announced(Field::new(), options, groups, terms).map(|result| result.expect_err("refused"))
    };
    let [_, verified] = refused(Options::default(), [3, 3], &Terms { ending: Ending::Exit(0), ..terms });
    assert!(verified.is_rejection(), "{verified}");
    let [_, verified] = refused(Options::default(), [3, 3], &Terms { rows: 100, ..terms });
    assert!(verified.is_rejection(), "{verified}");
    for error in refused(Options::default(), [3, 2], &terms) {
        assert!(matches!(error, Error::Channel(_)), "{error}");
    }
    for error in refused(Options { fiat_shamir: true, ..Options::default() }, [3, 3], &terms) {
        assert!(matches!(error, Error::Options(_) | Error::Channel(_)), "{error}");
    }
}
