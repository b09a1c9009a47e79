//! The programs in `guest/examples`, which are kept compiled: what they say about their inputs, and about
//! others. `guest/run` checks that they are what their sources build.

use serde_json::Value;

use crate::support::{Ended, Running, run};

/// A file of an example.
fn path(example: &str, name: &str) -> String {
    format!("{}/../../guest/examples/{example}/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// How a program of an example ends: what `run` says of it.
fn ended(example: &str, program: &str, public: &str, secret: &str) -> Value {
    let [program, public, secret] = [program, public, secret].map(|name| path(example, name));
    let ended = run(&["run", "--json", &program, "--public", &public, "--witness", &secret], "");
    let object = ended.object();
    assert_eq!(ended.code, i32::from(object["code"] != 0), "{ended:?}");
    object
}

#[test]
fn examples_accept_their_inputs_and_no_others() {
    for (example, program, public, secret, code, journal) in [
        ("sum", "sum-c.elf", "public.txt", "secret.txt", 0, "17 bytes\n"),
        ("sum", "sum-c.elf", "other-public.txt", "secret.txt", 1, ""),
        ("sum", "sum-c.elf", "public.txt", "other-secret.txt", 1, ""),
        ("sum", "sum-rust.elf", "public.txt", "secret.txt", 0, "17 bytes\n"),
        ("sum", "sum-rust.elf", "other-public.txt", "secret.txt", 1, ""),
        ("sum", "sum-rust.elf", "public.txt", "other-secret.txt", 1, ""),
        ("sudoku", "sudoku.elf", "public.txt", "secret.txt", 0, ""),
        ("sudoku", "sudoku.elf", "public.txt", "other-secret.txt", 1, ""),
        // Neither is a puzzle or a solution.
        ("sudoku", "sudoku.elf", "sudoku.rs", "secret.txt", 1, ""),
        ("sudoku", "sudoku.elf", "public.txt", "sudoku.rs", 1, ""),
        ("sudoku", "sudoku.elf", "public.txt", "../archive/public.bin", 2, ""),
        ("range", "range.elf", "public.json", "secret.json", 0, ""),
        // A range without the number; another document.
        ("range", "range.elf", "other-public.json", "secret.json", 1, ""),
        ("range", "range.elf", "public.json", "other-secret.json", 1, ""),
        ("range", "range.elf", "range.rs", "secret.json", 2, ""),
    ] {
        let object = ended(example, program, public, secret);
        let expected: String = journal.bytes().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(object["code"], code, "{program} {public} {secret}: {object}");
        assert_eq!(object["journal"], expected, "{program} {public} {secret}: {object}");
    }
}

/// No branch depends on the solution, so the number of steps says nothing about it.
#[test]
fn every_solution_of_the_sudoku_takes_the_same_steps() {
    let steps = ["secret.txt", "other-secret.txt", "sudoku.rs"]
        .map(|secret| ended("sudoku", "sudoku.elf", "public.txt", secret)["steps"].as_u64());
    assert!(steps[0].is_some() && steps.iter().all(|other| *other == steps[0]), "{steps:?}");
}

#[test]
fn the_parser_with_a_bug_traps_at_the_place_of_the_bug() {
    let object = ended("archive", "archive.elf", "public.bin", "secret.bin");
    let trap = &object["trap"];
    assert_eq!((&trap["pc"], &trap["cause"]), (&0x1_0034.into(), &"load_outside".into()), "{object}");
    assert_eq!(trap["place"], "checksum + 16", "{object}");
    // A right archive has two checksums.
    let object = ended("archive", "archive.elf", "public.bin", "other-secret.bin");
    assert_eq!(object["code"], 0, "{object}");
    assert_eq!(object["journal"].as_str().map(str::len), Some(16), "{object}");
}

/// It verifies a signature, by 3.6 million steps.
#[test]
fn the_signed_record_has_to_be_signed_and_valid() {
    for (public, secret, code) in [
        ("public.bin", "secret.bin", 0),
        // Another day; another record with the same signature.
        ("other-public.bin", "secret.bin", 1),
        ("public.bin", "other-secret.bin", 1),
    ] {
        let object = ended("adult", "adult.elf", public, secret);
        assert_eq!(object["code"], code, "{public} {secret}: {object}");
    }
}

/// Proves a run between two processes: what the prover says, and what the verifier does.
fn proved(example: &str, program: &str) -> [Ended; 2] {
    let program = path(example, program);
    let folder = std::fs::read_dir(path(example, "")).expect("a folder");
    let names: Vec<_> = folder.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    let input = |kind| path(example, names.iter().find(|name| name.starts_with(kind)).expect("an input"));
    let (public, secret) = (input("public."), input("secret."));
    let statement: [&str; 3] = [&program, "--public", &public];
    let listen = ["--listen", "127.0.0.1:0"];
    let listening = Running::listening(&[&["verify"], &statement[..], &listen].concat(), "");
    let connect = ["--witness", &secret, "--connect", &listening.address];
    let proved = run(&[&["prove"], &statement[..], &connect].concat(), "");
    [proved, listening.end()]
}

/// The guide's page has proofs of the others.
#[test]
fn short_examples_are_proved_and_both_parties_learn_their_journals() {
    for (example, program, journal) in
        [("sum", "sum-rust.elf", "journal: \"17 bytes\\n\"\n"), ("range", "range.elf", "")]
    {
        for party in proved(example, program) {
            party.expect(0, "").says(&format!("the program exited with code 0\n{journal}"));
        }
    }
}

#[test]
#[ignore = "long: a proof of 3.6 million steps"]
fn long_the_example_with_a_signature_is_proved() {
    for party in proved("adult", "adult.elf") {
        party.expect(0, "").says("the program exited with code 0\n");
    }
}
