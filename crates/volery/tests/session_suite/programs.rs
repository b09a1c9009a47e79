//! Runs of programs: what the prover says of its run, and what the verifier accepts.

use std::sync::Mutex;

use volery::programs::instruction::Operation::{Add, Addi, Bne, Ebreak, Ecall, Lbu, Sb, Sw};
use volery::programs::proof::{
    Bounds, Ending, ProfileClass, ProgramRun, Progress, RunClaim, Settings, Subject, Terms,
};
use volery::programs::{Cause, End, Instruction, Kind, Limits, Operation, Program, Segment};
use volery::system::{Over, ProvesRuns};
use volery::{Error, Options, Prover, Verifier};
use volery_channel::handshake::Mismatch;
use volery_channel::{Channel, Error as ChannelError, Tag, tags};
use volery_field::{F61, F61x2};

use crate::support::{Change, Tap, between, options, patient, rng};

/// Reads two secret bytes, writes their sum to the journal, and exits with what one public byte says; with 7
/// it is ended by `ebreak`.
fn program(add: i32) -> Program {
    let call = |file, length, number| {
        [
            (Addi, 10, 0, 0, file),
            (Addi, 11, 2, 0, 0),
            (Addi, 12, 0, 0, length),
            (Addi, 17, 0, 0, number),
            (Ecall, 0, 0, 0, 0),
        ]
    };
    let code = [
        &[(Addi, 2, 2, 0, -16)][..],
        &call(0, 2, 63),
        &[(Lbu, 5, 2, 0, 0), (Lbu, 6, 2, 0, 1), (Add, 5, 5, 6, 0), (Addi, 5, 5, 0, add), (Sb, 0, 2, 5, 0)],
        &call(1, 1, 64),
        &call(3, 1, 63),
        &[(Lbu, 10, 2, 0, 0), (Addi, 17, 0, 0, 93), (Addi, 5, 10, 0, -7)],
        &[(Bne, 0, 5, 0, 8), (Ebreak, 0, 0, 0, 0), (Ecall, 0, 0, 0, 0)],
    ]
    .concat();
    linked(&code)
}

/// A program of these instructions.
fn linked(code: &[(Operation, u8, u8, u8, i32)]) -> Program {
    let word = |&(operation, rd, rs1, rs2, immediate)| {
        Instruction::new(operation, rd, rs1, rs2, immediate).expect("an instruction").encode()
    };
    let bytes: Vec<u8> = code.iter().flat_map(|line| u32::to_le_bytes(word(line))).collect();
    let text = Segment { address: 0x1_0000, size: bytes.len() as u32, bytes, kind: Kind::Text };
    Program::new(0x1_0000, vec![text]).expect("a program")
}

/// P's run with this public byte.
fn run(public: u8) -> ProgramRun {
    let inputs = [vec![30, 12], vec![public]];
    ProgramRun::of(program(0), inputs, Settings::default(), Limits::default()).expect("it ends")
}

/// What is enough for most tests.
const SMALL: Over<F61, F61> = Over::new();

/// Both parties' ends; `change` is made to one of P's messages about its run.
fn session(
    proved: (Options, &ProgramRun),
    asked: (impl Into<Subject>, &[u8]),
    terms: &Terms,
    change: Option<(usize, Change)>,
) -> (Result<(), Error>, Result<RunClaim, Error>, Vec<usize>) {
    session_over((SMALL, SMALL), 40.0, proved, asked, terms, change)
}

/// As [`session`], with P's system and V's, and the bits that a proof has to have.
fn session_over<P: ProvesRuns, V: ProvesRuns>(
    (p, v): (P, V),
    bits: f64,
    (options, run): (Options, &ProgramRun),
    (subject, public): (impl Into<Subject>, &[u8]),
    terms: &Terms,
    change: Option<(usize, Change)>,
) -> (Result<(), Error>, Result<RunClaim, Error>, Vec<usize>) {
    let subject = subject.into();
    let (p, v) = between(
        &patient(),
        |channel| {
            let mut tapped = match change {
                Some((at, change)) => Tap::among(channel, tags::RUN, at, change),
                None => Tap::recorder(channel),
            };
            let result = Prover::start(&mut tapped as &mut dyn Channel, options, &mut rng(1))
                .and_then(|mut prover| prover.prove_run(p, run, &mut rng(3)).map(drop));
            let said = tapped.layer.sent.iter().filter(|(tag, _)| *tag == tags::RUN);
            (result, said.map(|(_, payload)| payload.len()).collect())
        },
        |channel| {
            let mut verifier = Verifier::start(channel, options, &mut rng(2))?;
            let verified =
                verifier.verify_run(v, (&subject, public), Settings::default(), terms, &mut rng(4));
            verified.map(|(claim, report)| {
                assert!(report.soundness.bits() >= bits, "{}", report.soundness.bits());
                claim
            })
        },
    );
    (p.0, v, p.1)
}

fn interactive() -> Options {
    options(false, 1)
}

#[test]
fn a_run_is_proved_and_the_verifier_learns_its_end_and_its_journal() {
    let trap = |terms: Terms| Terms { ending: Ending::Trap(0x1_0064), ..terms };
    let code = |code| Terms { ending: Ending::Exit(code), ..Terms::default() };
    for (public, terms, end) in [
        (0, Terms::default(), End::Exit(0)),
        (9, code(9), End::Exit(9)),
        (7, trap(code(0)), End::Trap { pc: 0x1_0064, cause: Cause::Breakpoint, value: 0 }),
        (5, Terms { ending: Ending::Any, ..Terms::default() }, End::Exit(5)),
    ] {
        let (p, v, _) = session((interactive(), &run(public)), (program(0), &[public]), &terms, None);
        p.expect("proved");
        assert_eq!(v, Ok(RunClaim { end, journal: vec![42] }));
    }
}

#[test]
fn over_the_larger_field_a_proof_of_a_run_has_100_bits() {
    let (run, terms) = (run(0), Terms::default());
    let large = Over::<F61, F61x2>::new();
    let (p, v, _) =
        session_over((large, large), 100.0, (interactive(), &run), (program(0), &[0]), &terms, None);
    p.expect("proved");
    assert_eq!(v, Ok(RunClaim { end: End::Exit(0), journal: vec![42] }));
}

#[test]
fn parties_with_different_fields_of_macs_do_not_begin() {
    let (run, terms) = (run(0), Terms::default());
    let systems = (SMALL, Over::<F61, F61x2>::new());
    let (p, v, said) = session_over(systems, 40.0, (interactive(), &run), (program(0), &[0]), &terms, None);
    assert!(p.is_err() && v.is_err(), "{p:?} {v:?}");
    assert_eq!(said, Vec::<usize>::new());
}

#[test]
fn a_run_that_the_verifier_did_not_ask_for_is_rejected_before_its_proof() {
    let terms = Terms::default();
    for (public, terms) in [
        (3, terms),
        (7, terms),
        (0, Terms { ending: Ending::Exit(1), ..terms }),
        (0, Terms { ending: Ending::Trap(0x1_0000), ..terms }),
        (0, Terms { rows: 20, ..terms }),
    ] {
        let (p, v, _) = session((interactive(), &run(public)), (program(0), &[public]), &terms, None);
        assert!(v.as_ref().is_err_and(Error::is_rejection), "{v:?}");
        assert!(matches!(&p, Err(Error::Channel(ChannelError::Peer { .. }))), "{p:?}");
    }
    let terms = Terms { journal: 0, ..terms };
    let (_, v, _) = session((interactive(), &run(0)), (program(0), &[0]), &terms, None);
    assert!(matches!(v, Err(Error::Statement(_))), "a journal that is too long: {v:?}");
}

#[test]
fn of_another_program_or_public_input_nothing_is_said() {
    for (program, public) in [(program(1), 0), (program(0), 1)] {
        let (p, v, said) = session((interactive(), &run(0)), (program, &[public]), &Terms::default(), None);
        let mismatch = |error: &Error| {
            matches!(error, Error::Channel(ChannelError::Incompatible(Mismatch::Statement { .. })))
        };
        assert!(p.as_ref().is_err_and(mismatch) || v.as_ref().is_err_and(mismatch), "{p:?} {v:?}");
        assert!(p.is_err() && v.is_err());
        assert_eq!(said, Vec::<usize>::new());
    }
}

#[test]
fn what_the_prover_says_of_its_run_cannot_be_changed() {
    let terms = Terms { ending: Ending::Any, ..Terms::default() };
    let run = run(7);
    let session = |change| session((interactive(), &run), (program(0), &[7]), &terms, change);
    let (_, accepted, said) = session(None);
    accepted.expect("the honest one");
    assert_eq!(said.len(), 2);
    for (at, length) in said.into_iter().enumerate() {
        for byte in (0..length).step_by(3) {
            let (p, v, _) = session(Some((at, Change::Flip(8 * byte + byte % 8))));
            assert!(p.is_err() && v.is_err(), "message {at}, byte {byte}");
        }
        for change in Change::WHOLE {
            let (p, v, _) = session(Some((at, change)));
            assert!(p.is_err() && v.is_err(), "message {at}: {change:?}");
        }
    }
}

/// Segments of this length; the log is checked after each.
const SHORT: Settings = Settings { steps: 512, unit: 16, log: 128 };

/// Writes as many words as the secret byte says.
fn counting() -> Program {
    let call = [(Addi, 11, 2, 0, 0), (Addi, 12, 0, 0, 1), (Addi, 17, 0, 0, 63), (Ecall, 0, 0, 0, 0)];
    let words = [
        (Lbu, 5, 2, 0, 0),
        (Addi, 6, 2, 0, 0),
        // The loop.
        (Addi, 6, 6, 0, -4),
        (Sw, 0, 6, 5, 0),
        (Addi, 5, 5, 0, -1),
        (Bne, 0, 5, 0, -12),
        (Addi, 10, 0, 0, 0),
        (Addi, 17, 0, 0, 93),
        (Ecall, 0, 0, 0, 0),
    ];
    linked(&[&call[..], &words].concat())
}

fn counted(secret: u8) -> ProgramRun {
    ProgramRun::of(counting(), [vec![secret], Vec::new()], SHORT, Limits::default()).expect("it ends")
}

/// What the prover said of a run that was accepted; the messages of both parties with their lengths; and how
/// far each party's proof was, again and again.
type Seen = (Vec<Vec<u8>>, [Vec<(Tag, usize)>; 2], [Vec<Progress>; 2]);

fn seen(run: &ProgramRun) -> Seen {
    let lengths = |sent: &[(Tag, Vec<u8>)]| sent.iter().map(|(tag, payload)| (*tag, payload.len())).collect();
    let progress = [(); 2].map(|()| Mutex::new(Vec::new()));
    let noted = |party: usize| progress[party].lock().expect("no panic");
    let ((said, p), v) = between(
        &patient(),
        |channel| {
            let mut tapped = Tap::recorder(channel);
            let mut prover =
                Prover::start(&mut tapped as &mut dyn Channel, interactive(), &mut rng(1)).expect("P");
            prover.prove_run_watched(SMALL, run, &|steps| noted(0).push(steps), &mut rng(3)).expect("proved");
            drop(prover);
            let sent = &tapped.layer.sent;
            let said = sent.iter().filter(|(tag, _)| *tag == tags::RUN).map(|(_, payload)| payload.clone());
            (said.collect(), lengths(sent))
        },
        |channel| {
            let mut tapped = Tap::recorder(channel);
            let mut verifier =
                Verifier::start(&mut tapped as &mut dyn Channel, interactive(), &mut rng(2)).expect("V");
            let watch = |steps| noted(1).push(steps);
            let terms = &Terms::default();
            let verified =
                verifier.verify_run_watched(SMALL, (run.about(), &[]), SHORT, terms, &watch, &mut rng(4));
            verified.expect("accepted");
            drop(verifier);
            lengths(&tapped.layer.sent)
        },
    );
    (said, [p, v], progress.map(|progress| progress.into_inner().expect("no panic")))
}

#[test]
fn runs_of_one_class_look_the_same_to_the_verifier() {
    let runs = [3, 200].map(counted);
    assert_ne!(runs[0].profile(), runs[1].profile());
    let mut class = ProfileClass::of(&runs[0]);
    class.enlarge(&ProfileClass::of(&runs[1])).expect("the same program");
    let segments = class.segments();
    assert!(segments > runs[0].profile().segments() && runs[1].profile().new_words() > 100);
    let [short, long] = runs.map(|run| seen(&run.in_class(&class).expect("it holds both")));
    assert_eq!(short, long);
    // Two messages of what shows, and steps at the begin and after each segment.
    let (said, _, progress) = short;
    assert_eq!(said.len(), 2);
    let total = 512 * segments as u64;
    let expected: Vec<_> = (0..=segments as u64).map(|done| Progress { done: 512 * done, total }).collect();
    assert_eq!(progress, [expected.clone(), expected]);
}

#[test]
fn the_verifier_chooses_the_challenges_of_a_run() {
    let hashed = options(true, 1);
    let (p, v, said) = session((hashed, &run(0)), (program(0), &[0]), &Terms::default(), None);
    assert!(matches!((p, v), (Err(Error::Options(_)), Err(Error::Options(_)))) && said.is_empty());
}

/// P's run of the program as a secret of at most 40 words, and of 8 words of data.
fn secret_run(public: u8) -> ProgramRun {
    let inputs = [vec![30, 12], vec![public]];
    ProgramRun::of_secret(program(0), BOUNDS, inputs, Settings::default(), Limits::default())
        .expect("it exits")
}

const BOUNDS: Bounds = Bounds { text: 0x1_0000, words: 40, data: 8 };

#[test]
fn a_run_of_a_secret_program_is_proved_to_a_verifier_with_the_same_bounds() {
    let terms = Terms::default();
    let (p, v, _) = session((interactive(), &secret_run(0)), (BOUNDS, &[0]), &terms, None);
    p.expect("proved");
    assert_eq!(v, Ok(RunClaim { end: End::Exit(0), journal: vec![42] }));
    // Other bounds, another public input, and the program itself.
    let others = [Bounds { words: 41, ..BOUNDS }, Bounds { data: 9, ..BOUNDS }, Bounds { text: 0, ..BOUNDS }];
    let others = others.map(|bounds| (Subject::Secret(bounds), 0));
    for (subject, public) in others.into_iter().chain([(BOUNDS.into(), 1), (program(0).into(), 0)]) {
        let (p, v, said) = session((interactive(), &secret_run(0)), (subject, &[public]), &terms, None);
        assert!(p.is_err() && v.is_err());
        assert_eq!(said, Vec::<usize>::new());
    }
}

/// The head says so: 1 for a trap, in place of 0 for an exit.
#[test]
fn a_secret_program_that_is_said_to_trap_is_refused() {
    let terms = Terms { ending: Ending::Any, ..Terms::default() };
    let change = Some((0, Change::Flip(0)));
    let (p, v, _) = session((interactive(), &secret_run(0)), (BOUNDS, &[0]), &terms, change);
    assert!(p.is_err());
    assert!(matches!(&v, Err(Error::Statement(why)) if why.to_string().contains("has to exit")), "{v:?}");
}
