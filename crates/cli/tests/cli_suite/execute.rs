//! `run`: programs for RISC-V, executed.

use volery_machine::Operation::{Add, Addi, Auipc, Bne, Ebreak, Ecall, Jal, Lb, Lbu, Lui, Lw, Sw};
use volery_machine::{Instruction, Kind, Operation, Program, Segment, elf};

use crate::json::is_of_the_schema;
use crate::support::*;

const TEXT: u32 = 0x1_0000;
const DATA: u32 = 0x2_0000;

fn i(operation: Operation, rd: u8, rs1: u8, rs2: u8, immediate: i32) -> Instruction {
    Instruction::new(operation, rd, rs1, rs2, immediate).expect("legal")
}

/// An environment call with these arguments; buffers are at `DATA`.
fn call(number: i32, file: i32, length: i32) -> Vec<Instruction> {
    vec![
        i(Addi, 17, 0, 0, number),
        i(Addi, 10, 0, 0, file),
        i(Auipc, 11, 0, 0, (DATA - TEXT) as i32),
        i(Addi, 12, 0, 0, length),
        i(Ecall, 0, 0, 0, 0),
    ]
}

/// Writes the file of a program. Buffers are somewhere in the 64 KiB that follow `DATA`.
fn file(dir: &std::path::Path, name: &str, code: &[Instruction]) -> String {
    let bytes: Vec<u8> = code.iter().flat_map(|instruction| instruction.encode().to_le_bytes()).collect();
    let text = Segment { address: TEXT, size: bytes.len() as u32, bytes, kind: Kind::Text };
    let data = Segment { address: DATA, size: 0x2_0000, bytes: Vec::new(), kind: Kind::Writable };
    let program = Program::new(TEXT, vec![text, data]).expect("a program");
    let path = dir.join(name);
    std::fs::write(&path, elf::write(&program)).expect("writable");
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn a_program_reads_its_inputs_and_says_its_journal() {
    let dir = tempfile::tempdir().expect("a directory");
    // All of the same buffer.
    let mut code = vec![i(Auipc, 8, 0, 0, (DATA - TEXT) as i32)];
    for (number, file, length) in [(63, 0, 100), (64, 1, 4), (63, 3, 100), (64, 1, 4), (64, 2, 4), (93, 0, 0)]
    {
        let mut call = call(number, file, length);
        call[2] = i(Addi, 11, 8, 0, 0);
        code.extend(call);
    }
    let program = file(dir.path(), "program", &code);
    let public = write(dir.path(), "public", "p2\x1b\n");
    let args = ["run", &program, "--public", &public, "--witness", "-"];
    let ended = run(&args, "s1\n\n").expect(0, "31 steps, 1 word of memory touched");
    assert_eq!(ended.stdout, "s1\n\np2\x1b\n");
    // What goes to a terminal has no control characters.
    assert!(ended.stderr.contains("\np2\\u{1b}\n") || ended.stderr.starts_with("p2\\u{1b}\n"), "{ended:?}");
    assert!(ended.stderr.contains("the program exited with code 0"), "{ended:?}");

    let object = run(&join(&[&args, &["--json"]]), "s1\n\n").expect(0, "").object();
    assert_eq!(
        (&object["result"], &object["code"], &object["trap"]),
        (&"done".into(), &0.into(), &().into())
    );
    assert_eq!((&object["journal"], &object["steps"]), (&"73310a0a70321b0a".into(), &31.into()));
    assert_eq!((&object["classes"]["system"], &object["touched_words"]), (&6.into(), &1.into()));
    assert_eq!(object["program"].as_str().map(str::len), Some(64));
    run(&["run", &program, "--public", "-", "--witness", "-"], "").refused("standard input");
}

#[test]
fn other_ends_are_failures_that_say_where() {
    let dir = tempfile::tempdir().expect("a directory");
    let exits = file(dir.path(), "exits", &call(93, 3, 0));
    let ended = run(&["run", &exits, "--json"], "").expect(1, "the program exited with code 3");
    assert_eq!(ended.object()["code"], 3);
    let traps = file(dir.path(), "traps", &[i(Add, 0, 0, 0, 0), i(Lw, 5, 0, 0, 2)]);
    let why = "the program was ended at 0x00010004 (lw t0, 2(zero)): misaligned load from 0x00000002";
    let object = run(&["run", &traps, "--json"], "").expect(1, why).object();
    is_of_the_schema(&object, 1, "run");
    assert_eq!((&object["result"], &object["code"]), (&"rejected".into(), &().into()));
    let trap = &object["trap"];
    assert_eq!((&trap["pc"], &trap["cause"]), (&(TEXT + 4).into(), &"misaligned_load".into()));
    let endless = file(dir.path(), "endless", &[i(Jal, 0, 0, 0, 0), i(Ebreak, 0, 0, 0, 0)]);
    run(&["run", &endless, "--max-steps", "1000"], "").refused("not ended after 1000 steps");
    // Two bytes of an unserved call; then a load from nowhere.
    let mut code = call(214, 0, 0);
    code.extend([i(Lb, 5, 0, 0, 0), i(Lbu, 5, 0, 0, 0)]);
    let unserved = file(dir.path(), "unserved", &code);
    let ended =
        run(&["run", &unserved], "").expect(1, "environment call 214 was answered with ENOSYS, 1 time");
    assert!(ended.stderr.contains("load from 0x00000000, which is in no segment"), "{ended:?}");
    // A stack where no memory is, and one that overflows.
    for (place, hint) in [(0x2000_8000, true), (TEXT, false)] {
        let code = [i(Lui, 2, 0, 0, place as i32), i(Sw, 0, 2, 1, -16)];
        let stack = file(dir.path(), "stack", &code);
        let ended = run(&["run", &stack], "").expect(1, "which is in no segment");
        assert_eq!(ended.stderr.contains("no stack is there: link with volery.ld"), hint, "{ended:?}");
    }
}

#[test]
fn a_run_is_proved_between_two_processes_and_both_learn_its_end_and_its_journal() {
    let dir = tempfile::tempdir().expect("a directory");
    // Two secret bytes go to the journal; the public one is the code.
    let mut code = [call(63, 0, 2), call(64, 1, 2), call(63, 3, 1)].concat();
    // All of the same buffer.
    let base = |at: usize, code: &mut Vec<Instruction>| {
        code[at] = i(Auipc, 11, 0, 0, (DATA - TEXT) as i32);
        code.insert(at + 1, i(Addi, 11, 11, 0, -4 * at as i32));
    };
    (0..3).for_each(|number| base(2 + 6 * number, &mut code));
    code.extend([i(Lbu, 10, 11, 0, 0), i(Addi, 17, 0, 0, 93), i(Ecall, 0, 0, 0, 0)]);
    let program = file(dir.path(), "program", &code);
    let public = |code: &str| write(dir.path(), &format!("public{}", code.len()), code);
    let (zero, three) = (public("\0"), public("\x03."));
    let statement: [&[&str]; 2] = [&[&program, "--public", &zero], &[&program, "--public", &zero]];
    let (proved, verified) = session(statement, "hi there", &[], &["--json"]);
    let proved = proved.expect(0, "").stdout;
    assert!(proved.contains("the program exited with code 0\njournal: \"hi\"\n"), "{proved}");
    let object = verified.expect(0, "").object();
    is_of_the_schema(&object, 0, "verify");
    assert_eq!((&object["code"], &object["journal"]), (&0.into(), &"6869".into()));

    let args = [&*program, "--public", &three, "--witness", "-"];
    let with =
        |command: &'static str, more: &[&'static str]| run(&join(&[&[command], &args, more]), "hi there");
    let refused =
        with("prove", &["--connect", "127.0.0.1:9"]).expect(1, "the program ended by exit with code 3");
    assert_eq!(refused.stdout, "rejected\n");
    with("check", &[]).expect(1, "claimed exit with code 0");
    with("check", &["--exit", "3"]).expect(0, "");
    with("check", &["--trap", "0x10000"]).expect(1, "claimed a trap at 0x00010000");
    with("check", &["--trap", "zero"]).refused("--trap zero: an address is up to 8 hex digits");
    with("check", &["--max-steps", "3"]).refused("after 3 steps, the limit; --max-steps changes it");
    with("info", &["--pad-to", "0"]).refused("--pad-to 1 or more holds it");
    with("info", &["--pad-to", "99999999999999"]).refused("--pad-to: 99999999999999 steps; at most");
    with("prove", &["--out", "p"]).refused("--connect");
    let shown = with("info", &[]).expect(0, "").stdout;
    assert!(shown.contains("shows: take_secret") && shown.contains("the prover sends"), "{shown}");
    run(&["check", "sha1-preimage", "--trap", "0", "--witness", "-"], "").refused("trap");
}

/// The verifier sees rows and no steps: a short run passes with any number, and a long one says what to
/// raise.
#[test]
fn max_steps_bounds_the_work_of_a_verifier() {
    let dir = tempfile::tempdir().expect("a directory");
    let counts = |name: &str, rounds: i32| {
        let code = [
            i(Lui, 6, 0, 0, rounds << 12),
            i(Addi, 6, 6, 0, -1),
            i(Bne, 0, 6, 0, -4),
            i(Addi, 17, 0, 0, 93),
            i(Ecall, 0, 0, 0, 0),
        ];
        file(dir.path(), name, &code)
    };
    let (short, long) = (counts("short", 1), counts("long", 18));
    let accepted = |program: &str| session([&[program], &[program, "--max-steps", "5"]], "", &[], &[]);
    accepted(&short).1.expect(0, "");
    let why = "the run is more work than this verifier accepts: it takes 147";
    let refused = accepted(&long).1.expect(1, why);
    assert!(refused.stderr.contains("65546 are accepted; --max-steps raises it"), "{refused:?}");
}

#[test]
fn files_that_are_no_program_are_refused_with_what_to_do() {
    let dir = tempfile::tempdir().expect("a directory");
    let text = write(dir.path(), "text", "#!/bin/sh\n");
    run(&["run", &text], "").refused("it is not an ELF file; compile with -march=rv32im -mabi=ilp32 -static");
    run(&["run", env!("CARGO_BIN_EXE_volery")], "").refused("it is for a 64-bit machine");
    run(&["run", "/nonexistent"], "").refused("/nonexistent");
}
