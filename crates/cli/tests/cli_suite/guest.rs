//! The programs in `guest/examples`, which are kept compiled: what they say about their inputs, and about
//! others. `guest/run` checks that they are what their sources build.

use serde_json::Value;

use crate::support::{ABC, ABC_WITNESS, Ended, Running, join, run, session};

/// A file of an example.
pub(crate) fn path(example: &str, name: &str) -> String {
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

/// Proves a run between two processes: what the prover says, and what the verifier does. Of a secret program
/// the verifier has the number of words.
fn proved(example: &str, program: &str, secret_words: Option<&str>) -> [Ended; 2] {
    let program = path(example, program);
    let folder = std::fs::read_dir(path(example, "")).expect("a folder");
    let names: Vec<_> = folder.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    let input = |kind| path(example, names.iter().find(|name| name.starts_with(kind)).expect("an input"));
    let (public, secret) = (input("public."), input("secret."));
    let mut statement = vec!["--public", &public];
    secret_words.iter().for_each(|words| statement.extend(["--secret-program", words]));
    let named = if secret_words.is_some() { vec![] } else { vec![&program[..]] };
    let listen = ["--listen", "127.0.0.1:0"];
    let listening = Running::listening(&[&["verify"], &named[..], &statement, &listen].concat(), "");
    let connect = ["--witness", &secret, "--connect", &listening.address];
    let proved = run(&[&["prove", &program], &statement[..], &connect].concat(), "");
    [proved, listening.end()]
}

/// Secret inputs of different lengths in one class: the parties send the same number of bytes.
#[test]
fn runs_of_one_class_show_the_same_counts_and_send_as_many_bytes() {
    let dir = tempfile::tempdir().expect("a directory");
    let class = dir.path().join("class").to_str().expect("UTF-8").to_owned();
    let [program, public] = ["sum-c.elf", "public.txt"].map(|name| path("sum", name));
    let statement = [&*program, "--public", &public];
    let short = std::fs::read_to_string(path("sum", "secret.txt")).expect("readable");
    // Journals of the same length: 17 and 97 bytes.
    let secrets = [short.clone(), short + &"\0".repeat(80)];
    let with = |command: &'static str, options: &[&str], secret: &str| {
        run(&join(&[&[command], &statement, options, &["--witness", "-"]]), secret)
    };
    let shows = |options: &[&str], secret: &str| {
        let object = with("info", &join(&[options, &["--json"]]), secret).expect(0, "").object();
        ["segments", "rows", "touched_words", "new_words"].map(|key| object[key].clone())
    };
    let own = [0, 1].map(|number| shows(&["--uniform"], &secrets[number]));
    assert_ne!(own[0], own[1]);
    // The class of the first run does not hold the second one until it is enlarged.
    assert_eq!(shows(&["--write-profile-class", &class], &secrets[0]), own[0]);
    with("check", &["--profile-class", &class], &secrets[0]).expect(0, "");
    let larger = "segment 1 of the run has ";
    for (command, options) in [("check", &[][..]), ("prove", &["--connect", "127.0.0.1:9"])] {
        with(command, &join(&[options, &["--profile-class", &class]]), &secrets[1]).refused(larger);
    }
    let all = shows(&["--write-profile-class", &class], &secrets[1]);
    assert_eq!(
        [0, 1].map(|number| shows(&["--profile-class", &class], &secrets[number])),
        [all.clone(), all]
    );
    let sent = secrets.map(|secret| {
        let options = ["--profile-class", &class, "--json"];
        let (prover, verifier) = session([&statement, &statement], &secret, &options, &[]);
        verifier.expect(0, "").says("accepted: ");
        let object = prover.expect(0, "").object();
        ["bytes_sent", "bytes_received", "secrets", "polynomials"].map(|key| object[key].clone())
    });
    assert_eq!(sent[0], sent[1]);
}

#[test]
fn what_cannot_be_padded_is_refused_with_what_to_do() {
    let dir = tempfile::tempdir().expect("a directory");
    let [program, public, secret] =
        ["sudoku.elf", "public.txt", "secret.txt"].map(|name| path("sudoku", name));
    let other = path("sum", "sum-c.elf");
    let class = dir.path().join("class").to_str().expect("UTF-8").to_owned();
    let check = |options: &[&str]| {
        run(&join(&[&["check", &program, "--public", &public, "--witness", &secret], options]), "")
    };
    check(&["--pad-to", "1"]).expect(0, "");
    check(&["--pad-to", "0"]).refused("the run is longer: it has 1 segment");
    check(&["--pad-to", "9000000000000"]).refused("--pad-to: 9000000000000 steps; at most 4294967296");
    check(&["--uniform", "--profile-class", &class]).refused("cannot be used with");
    check(&["--profile-class", &class]).refused("No such file");
    std::fs::write(&class, "{}").expect("writable");
    check(&["--profile-class", &class]).refused("class: this is not a profile class: missing field");
    std::fs::remove_file(&class).expect("it is there");
    let info = ["info", &*other, "--witness", &secret, "--write-profile-class", &class];
    run(&info, "").expect(0, "");
    check(&["--profile-class", &class]).refused("the profile class's `program`: it is");
    run(&["info", &*program, "--public", &public, "--uniform"], "").refused("give --witness");
    let abc = join(&[&["check"], ABC, &["--witness", "-", "--uniform"]]);
    run(&abc, ABC_WITNESS).refused("profile classes are for RISC-V programs");
    run(&join(&[&["verify"], &info[1..2], &["--uniform", "--listen", "127.0.0.1:0"]]), "")
        .refused("--uniform");
}

/// The guide's page has proofs of the others.
#[test]
fn short_examples_are_proved_and_both_parties_learn_their_journals() {
    for (example, program, journal) in
        [("sum", "sum-rust.elf", "journal: \"17 bytes\\n\"\n"), ("range", "range.elf", "")]
    {
        for party in proved(example, program, None) {
            party.expect(0, "").says(&format!("the program exited with code 0\n{journal}"));
        }
    }
}

#[test]
#[ignore = "long: a proof of 3.6 million steps"]
fn long_the_example_with_a_signature_is_proved() {
    for party in proved("adult", "adult.elf", None) {
        party.expect(0, "").says("the program exited with code 0\n");
    }
}

#[test]
fn a_run_is_proved_with_100_bits_if_both_parties_demand_them() {
    let [program, public] = ["sum-c.elf", "public.txt"].map(|name| path("sum", name));
    let secret = std::fs::read_to_string(path("sum", "secret.txt")).expect("readable");
    let statement = [&*program, "--public", &public];
    let bits = |rho: &'static str| {
        let parties =
            session([&statement, &statement], &secret, &["--rho", rho, "--json"], &["--rho", rho, "--json"]);
        <[Ended; 2]>::from(parties)
            .map(|party| party.expect(0, "").object()["soundness_bits"].as_f64().expect("a number"))
    };
    assert!(bits("100").iter().all(|bits| *bits >= 100.0));
    assert!(bits("40").iter().all(|bits| (40.0..100.0).contains(bits)));
    let out_of_reach = [&["verify"], &statement[..], &["--rho", "101", "--listen", "127.0.0.1:0"]].concat();
    run(&out_of_reach, "").refused("this proof has 100.0 bits");
}

#[test]
fn what_runs_do_not_have_is_refused_before_anybody_connects() {
    let [program, public, secret] = ["sum-c.elf", "public.txt", "secret.txt"].map(|name| path("sum", name));
    let hashed = [&*program, "--public", &public, "--fiat-shamir"];
    let connect = ["--witness", &secret, "--connect", "127.0.0.1:1"];
    run(&join(&[&["prove"], &hashed, &connect]), "").refused("--fiat-shamir is not for runs of programs");
    run(&join(&[&["verify"], &hashed, &["--listen", "127.0.0.1:0"]]), "").refused("--fiat-shamir is not");
    let several = ["info", "--public", &public, "--any-of", &program, &program];
    run(&several, "").refused("a run cannot be one of several statements yet");
}

/// A run is polynomials; and the verifier learns only during the session how long it is.
#[test]
fn the_figures_of_a_run_are_those_that_a_run_has() {
    let [program, public] = ["sum-c.elf", "public.txt"].map(|name| path("sum", name));
    let secret = std::fs::read_to_string(path("sum", "secret.txt")).expect("readable");
    let statement = [&*program, "--public", &public];
    let parties = session([&statement, &statement], &secret, &["--json"], &["--json"]);
    let [prover, verifier] = <[Ended; 2]>::from(parties).map(|party| party.expect(0, "").object());
    for object in [&prover, &verifier] {
        assert!(object["polynomials"].as_u64().is_some_and(|number| number > 0), "{object}");
        let none = ["multiplications", "multiplications_per_second"].map(|key| object.get(key).is_none());
        assert_eq!(none, [true; 2], "{object}");
    }
    assert!(prover["round_trips"].is_u64() && verifier["round_trips"].is_null(), "{prover} {verifier}");
}

#[test]
fn an_example_is_proved_as_a_secret_program() {
    for party in proved("sum", "sum-c.elf", Some("4000")) {
        party.expect(0, "").says("the program exited with code 0\njournal: \"17 bytes\\n\"\n");
    }
}

#[test]
fn options_of_a_secret_program_that_do_not_fit_are_refused() {
    let program = path("sum", "sum-c.elf");
    let [public, secret] = ["public.txt", "secret.txt"].map(|name| path("sum", name));
    let inputs = ["--public", &public, "--witness", &secret];
    let check = |options: &[&str]| run(&[&["check"], options, &inputs].concat(), "");
    check(&[&program, "--secret-program", "3000"]).expect(0, "").says("holds");
    // Too few words, no number, none at all, more than can be; no program; a trap.
    check(&[&program, "--secret-program", "2000"]).expect(2, "2933 words of text");
    check(&[&program, "--secret-program", "many"]).expect(2, "--secret-program many");
    check(&[&program, "--secret-program", "0"]).expect(2, "at most 0 words");
    check(&[&program, "--secret-program", "300000"]).expect(2, "at most 300000 words");
    check(&["--secret-program", "3000"]).expect(2, "name the program");
    check(&[&program, "--secret-program", "3000", "--trap", "0x10000"]).expect(2, "has to exit");
    let verify = ["verify", &program, "--secret-program", "3000", "--listen", "127.0.0.1:0"];
    run(&verify, "").expect(2, "leave out its name");
    // Another end than claimed, and a run that traps.
    check(&[&program, "--secret-program", "3000", "--exit", "1"]).expect(1, "exit with code 0");
    let [archive, witness] = ["archive.elf", "secret.bin"].map(|name| path("archive", name));
    run(&["check", &archive, "--secret-program", "3000", "--witness", &witness], "").expect(2, "has to exit");
}

#[test]
fn info_says_what_a_secret_program_shows() {
    let ended = run(&["info", "--json", "--secret-program", "4096"], "").object();
    assert_eq!((&ended["secret_program_words"], &ended["program"]), (&[4096, 4096].into(), &Value::Null));
    let program = path("sudoku", "sudoku.elf");
    let [public, secret] = ["public.txt", "secret.txt"].map(|name| path("sudoku", name));
    let options = ["--secret-program", "4096", "--public", &public, "--witness", &secret];
    let ended = run(&[&["info", "--json", &program], &options[..]].concat(), "").object();
    assert_eq!(ended["text_words"], 413, "{ended}");
    assert_eq!(ended["secret_program_words"], Value::from([4096, 4096]), "{ended}");
}

#[test]
#[ignore = "long: a proof of 3.6 million steps"]
fn long_the_signed_record_is_proved_by_a_secret_program() {
    for party in proved("adult", "adult.elf", Some("32000")) {
        party.expect(0, "").says("the program exited with code 0\n");
    }
}
