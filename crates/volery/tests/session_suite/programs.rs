//! Runs of programs: what the prover says of its run, and what the verifier accepts.

use volery::programs::instruction::Operation::{Add, Addi, Ebreak, Ecall, Lbu, Sb};
use volery::programs::proof::{Ending, ProgramRun, RunClaim, Settings, Terms};
use volery::programs::{Cause, End, Instruction, Kind, Limits, Program, Segment};
use volery::{Error, Options, Prover, Verifier};
use volery_channel::handshake::Mismatch;
use volery_channel::{Channel, Error as ChannelError, tags};

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
        &[(volery::programs::Operation::Bne, 0, 5, 0, 8), (Ebreak, 0, 0, 0, 0), (Ecall, 0, 0, 0, 0)],
    ]
    .concat();
    let word = |(operation, rd, rs1, rs2, immediate)| {
        Instruction::new(operation, rd, rs1, rs2, immediate).expect("an instruction").encode()
    };
    let bytes: Vec<u8> = code.into_iter().flat_map(|line| word(line).to_le_bytes()).collect();
    let text = Segment { address: 0x1_0000, size: bytes.len() as u32, bytes, kind: Kind::Text };
    Program::new(0x1_0000, vec![text]).expect("a program")
}

/// P's run with this public byte.
fn run(public: u8) -> ProgramRun {
    let inputs = [vec![30, 12], vec![public]];
    ProgramRun::of(program(0), inputs, Settings::default(), Limits::default()).expect("it ends")
}

/// Both parties' ends; `change` is made to one of P's messages about its run.
fn session(
    (options, run): (Options, &ProgramRun),
    (program, public): (&Program, &[u8]),
    terms: &Terms,
    change: Option<(usize, Change)>,
) -> (Result<(), Error>, Result<RunClaim, Error>, Vec<usize>) {
    let (p, v) = between(
        &patient(),
        |channel| {
            let mut tapped = match change {
                Some((at, change)) => Tap::among(channel, tags::RUN, at, change),
                None => Tap::recorder(channel),
            };
            let result = Prover::start(&mut tapped as &mut dyn Channel, options, &mut rng(1))
                .and_then(|mut prover| prover.prove_run(run, &mut rng(3)).map(drop));
            let said = tapped.layer.sent.iter().filter(|(tag, _)| *tag == tags::RUN);
            (result, said.map(|(_, payload)| payload.len()).collect())
        },
        |channel| {
            let mut verifier = Verifier::start(channel, options, &mut rng(2))?;
            let verified = verifier.verify_run((program, public), Settings::default(), terms, &mut rng(4));
            verified.map(|(claim, report)| {
                assert!(report.soundness.bits() >= 40.0, "{}", report.soundness.bits());
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
        let (p, v, _) = session((interactive(), &run(public)), (&program(0), &[public]), &terms, None);
        p.expect("proved");
        assert_eq!(v, Ok(RunClaim { end, journal: vec![42] }));
    }
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
        let (p, v, _) = session((interactive(), &run(public)), (&program(0), &[public]), &terms, None);
        assert!(v.as_ref().is_err_and(Error::is_rejection), "{v:?}");
        assert!(matches!(&p, Err(Error::Channel(ChannelError::Peer { .. }))), "{p:?}");
    }
    let terms = Terms { journal: 0, ..terms };
    let (_, v, _) = session((interactive(), &run(0)), (&program(0), &[0]), &terms, None);
    assert!(matches!(v, Err(Error::Statement(_))), "a journal that is too long: {v:?}");
}

#[test]
fn of_another_program_or_public_input_nothing_is_said() {
    for (program, public) in [(program(1), 0), (program(0), 1)] {
        let (p, v, said) = session((interactive(), &run(0)), (&program, &[public]), &Terms::default(), None);
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
    let session = |change| session((interactive(), &run), (&program(0), &[7]), &terms, change);
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

#[test]
fn the_verifier_chooses_the_challenges_of_a_run() {
    let hashed = options(true, 1);
    let (p, v, said) = session((hashed, &run(0)), (&program(0), &[0]), &Terms::default(), None);
    assert!(matches!((p, v), (Err(Error::Options(_)), Err(Error::Options(_)))) && said.is_empty());
}
