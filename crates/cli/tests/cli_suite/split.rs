//! Statements split over processes.

use crate::support::*;

/// The numbers from 1 to 100, a line each.
fn message() -> String {
    (1..=100).map(|n| format!("{n}\n")).collect()
}

const DIGEST: &str = "93d4e5c77838e0aa5cb6647c385c810a7c2782bf769029e6c420052048ab22bb";

fn shards(count: &str) -> [&str; 6] {
    ["--digest", DIGEST, "--length", "292", "--shards", count]
}

fn verifier(options: &[&str]) -> Running {
    let listen = ["--listen", "127.0.0.1:0", "--json"];
    Running::listening(&join(&[&["split", "verify"], &shards("3"), &listen, options]), "")
}

fn prove(verifier: &Running, count: &str, options: &[&str], message: &str) -> Ended {
    let dir = tempfile::tempdir().expect("a directory");
    let path = write(dir.path(), "message", message);
    let rest = ["--message", &path, "--connect", &verifier.address, "--json"];
    run(&join(&[&["split", "prove"], &shards(count), &rest, options]), "")
}

#[test]
fn a_split_statement_is_proved_by_processes() {
    let verifier = verifier(&[]);
    let proved = prove(&verifier, "3", &[], &message()).expect(0, "").object();
    let verified = verifier.end().expect(0, "").object();
    for object in [&proved, &verified] {
        assert_eq!((&object["result"], &object["shards"]), (&"accepted".into(), &3.into()), "{object}");
        assert_eq!(object["lost_workers"], 0);
        assert!(object["soundness_bits"].as_f64().expect("a number") > 100.0);
    }
    assert_eq!(proved["workers_bytes_sent"], verified["workers_bytes_received"]);
}

fn number(object: &serde_json::Value, key: &str) -> f64 {
    object[key].as_f64().unwrap_or_else(|| panic!("{key} in {object}"))
}

/// What is said before agrees with what P says that both have sent.
fn agrees(info: &serde_json::Value, proved: &serde_json::Value) {
    for (said, [first, second]) in [
        ("bytes_prover", ["bytes_sent", "workers_bytes_sent"]),
        ("bytes_verifier", ["bytes_received", "workers_bytes_received"]),
    ] {
        let (said, sent) = (number(info, said), number(proved, first) + number(proved, second));
        assert!((said / sent - 1.0).abs() < 0.02, "{said} {sent}");
    }
    for key in ["statement", "shards", "soundness_bits"] {
        assert_eq!(info[key], proved[key], "{key}");
    }
    for object in [info, proved] {
        crate::json::is_of_the_schema(object, 0, "split");
    }
}

/// What is said before agrees with what is sent, apart from what TLS adds to the coordinators' session.
#[test]
fn what_a_split_proof_takes_is_said_before() {
    let info = run(&join(&[&["split", "info"], &shards("3"), &["--json"]]), "").expect(0, "").object();
    let verifier = verifier(&[]);
    let proved = prove(&verifier, "3", &[], &message()).expect(0, "").object();
    verifier.end().expect(0, "");
    agrees(&info, &proved);
    assert!((number(&info, "soundness_bits_retries") - 9_f64.log2()).abs() < 1e-9);
    // Without retries it is worth as much more.
    let none = join(&[&["split", "info"], &shards("3"), &["--json", "--retries", "0", "--cores", "1"]]);
    let none = run(&none, "").expect(0, "").object();
    let more = number(&none, "soundness_bits") - number(&info, "soundness_bits");
    assert!((more - 9_f64.log2()).abs() < 1e-9);
    // Hardly enough without retries is too little with them.
    let refused = run(&join(&[&["split", "info"], &shards("3"), &["--rho", "124"]]), "");
    assert_ne!(refused.code, 0, "{refused:?}");
}

#[test]
fn challenges_of_all_workers_are_hashes_if_both_parties_say_so() {
    let hashed = verifier(&["--fiat-shamir"]);
    let proved = prove(&hashed, "3", &["--fiat-shamir"], &message()).expect(0, "").object();
    hashed.end().expect(0, "");
    let info = run(&join(&[&["split", "info"], &shards("3"), &["--json"]]), "").expect(0, "").object();
    assert_eq!(info["soundness_bits_fiat_shamir"], proved["soundness_bits"]);
    let other = verifier(&[]);
    assert_ne!(prove(&other, "3", &["--fiat-shamir"], &message()).code, 0);
    assert_ne!(other.end().code, 0);
}

/// The first worker of shard 1 dies as soon as it is started, or it never comes.
#[test]
fn a_worker_that_dies_is_replaced() {
    let dir = tempfile::tempdir().expect("a directory");
    let mark = dir.path().join("mark");
    let program = env!("CARGO_BIN_EXE_volery");
    let launch = |role: &str, first: &str| {
        let mark = mark.display();
        format!(
            "if [ $VOLERY_SHARD = 1 ] && ! [ -e {mark} ]; then touch {mark}; {first}; fi; exec {program} split worker {role}"
        )
    };
    for (ours, theirs) in [(true, "exit 1"), (false, "exit 1"), (false, "kill -KILL $$")] {
        let _ = std::fs::remove_file(&mark);
        let (p, v) = (launch("prover", theirs), launch("verifier", theirs));
        let (short, p, v) = (["--arrive", "2"], ["--launch", &p], ["--launch", &v]);
        let verifier = verifier(&join(&[&short, if ours { &[] } else { &v }]));
        let options = join(&[&short, if ours { &p } else { &[] }]);
        let proved = prove(&verifier, "3", &options, &message()).expect(0, "").object();
        let verified = verifier.end().expect(0, "").object();
        assert_eq!((&proved["lost_workers"], &verified["lost_workers"]), (&1.into(), &1.into()));
    }
}

/// Counts up to this number, writes two bytes of it, and exits with 7.
fn counting(to: i32) -> Vec<u8> {
    use volery_machine::instruction::Operation::{Addi, Bne, Ecall, Lui, Sw};
    use volery_machine::{Instruction, Kind, Program, Segment, elf};

    let code = [
        (Lui, 6, 0, 0, to << 12),
        (Addi, 5, 5, 0, 1),
        (Sw, 0, 2, 5, -4),
        (Addi, 6, 6, 0, -1),
        (Bne, 0, 6, 0, -12),
        (Addi, 10, 0, 0, 1),
        (Addi, 11, 2, 0, -4),
        (Addi, 12, 0, 0, 4),
        (Addi, 17, 0, 0, 64),
        (Ecall, 0, 0, 0, 0),
        (Addi, 10, 0, 0, 7),
        (Addi, 17, 0, 0, 93),
        (Ecall, 0, 0, 0, 0),
    ];
    let bytes = code.iter().flat_map(|&(operation, rd, rs1, rs2, immediate)| {
        Instruction::new(operation, rd, rs1, rs2, immediate).expect("an instruction").encode().to_le_bytes()
    });
    let bytes: Vec<u8> = bytes.collect();
    let text = Segment { address: 0x1_0000, size: bytes.len() as u32, bytes, kind: Kind::Text };
    elf::write(&Program::new(0x1_0000, vec![text]).expect("a program"))
}

/// A run of two segments or more, in two groups, and the memory between them.
#[test]
fn a_run_of_a_program_is_proved_by_processes() {
    let dir = tempfile::tempdir().expect("a directory");
    let program = dir.path().join("program.elf");
    std::fs::write(&program, counting(5)).expect("written");
    let program = program.display().to_string();
    let secret = write(dir.path(), "secret", "");
    let listen = ["--listen", "127.0.0.1:0", "--json"];
    let both = [&program, "--exit", "7", "--shards", "2", "--retries", "0"];
    let verifier = Running::listening(&join(&[&["split", "verify"], &both, &listen]), "");
    let rest = ["--witness", &secret, "--connect", &verifier.address, "--json"];
    let proved = run(&join(&[&["split", "prove"], &both, &rest]), "").expect(0, "").object();
    let verified = verifier.end().expect(0, "").object();
    for object in [&proved, &verified] {
        assert_eq!((&object["result"], &object["shards"]), (&"accepted".into(), &3.into()), "{object}");
        assert_eq!((&object["code"], &object["journal"]), (&7.into(), &"00500000".into()), "{object}");
        let bits = object["soundness_bits"].as_f64().expect("a number");
        assert!((40.0..61.0).contains(&bits), "{bits}");
    }
}

/// The run that P has says what its proof takes, whichever field its options lead to. Workers are told what
/// they prove, and that is counted within each party.
#[test]
fn what_the_proof_of_a_run_takes_is_said_before() {
    let dir = tempfile::tempdir().expect("a directory");
    let program = dir.path().join("program.elf");
    std::fs::write(&program, counting(5)).expect("written");
    let program = program.display().to_string();
    let secret = write(dir.path(), "secret", "");
    let longer = write(dir.path(), "longer", &"0".repeat(100_000));
    let options = ["--retries", "0", "--rho", "90"];
    let both = join(&[&[&program, "--exit", "7", "--shards", "2", "--json"], &options]);
    let said = |witness: &str| {
        run(&join(&[&["split", "info", "--witness", witness], &both]), "").expect(0, "").object()
    };
    let info = said(&secret);
    let verifier = Running::listening(&join(&[&["split", "verify", "--listen", "127.0.0.1:0"], &both]), "");
    let rest = ["split", "prove", "--witness", &secret, "--connect", &verifier.address];
    let proved = run(&join(&[&rest, &both]), "").expect(0, "").object();
    verifier.end().expect(0, "");
    agrees(&info, &proved);
    // A correlation is two elements at P and one at V.
    let (within, dealt) = (|party| number(&info, party), number(&info, "correlations_dealt"));
    assert!(within("bytes_within_prover") > 16.0 * dealt, "{info}");
    assert!(within("bytes_within_verifier") > 8.0 * dealt, "{info}");
    let memory = |info, party| number(info, &format!("memory_worker_{party}"));
    // A segment has some dozens of columns for each step.
    assert!(memory(&info, "prover") > memory(&info, "verifier"), "{info}");
    assert!(memory(&info, "verifier") > f64::from(65_536 * 30 * 8), "{info}");
    assert_eq!(said(&longer)["bytes_prover"], info["bytes_prover"]);
    run(&["split", "info", &program, "--shards", "2"], "").expect(2, "--witness");
    let hashed = ["split", "info", &program, "--witness", &secret, "--shards", "2", "--fiat-shamir"];
    run(&hashed, "").expect(2, "verifier must choose");
}

/// Another end than is claimed is found before anything is sent; other numbers of groups, and a verifier who
/// claims something else, end the session.
#[test]
fn runs_that_are_not_as_claimed_are_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let program = dir.path().join("program.elf");
    std::fs::write(&program, counting(1)).expect("written");
    let (program, secret) = (program.display().to_string(), write(dir.path(), "secret", ""));
    let verifier = |exit, count| {
        let named = ["split", "verify", &program, "--exit", exit, "--shards", count];
        Running::listening(&join(&[&named, &["--listen", "127.0.0.1:0", "--listen-timeout", "10"]]), "")
    };
    let prove = |verifier: &Running, exit, count| {
        let named = ["split", "prove", &program, "--exit", exit, "--shards", count, "--witness", &secret];
        run(&join(&[&named, &["--connect", &verifier.address, "--json"]]), "")
    };
    let one = verifier("7", "2");
    assert_eq!(prove(&one, "0", "2").expect(1, "exit with code 7").object()["result"], "rejected");
    prove(&one, "7", "3").expect(3, "");
    one.end().expect(3, "");
    let other = verifier("0", "2");
    assert_ne!(prove(&other, "7", "2").code, 0);
    other.end().expect(1, "exit with code 7");
    // Options of the other kind of statement, and a file that is no program.
    for (words, said) in [
        (&["--digest", DIGEST, "--length", "292", "--shards", "1", "--exit", "1"][..], "cannot be used with"),
        (&[&program, "--digest", DIGEST, "--shards", "1"], "cannot be used with"),
        (&[&secret, "--shards", "1"], "RISC-V"),
        (&["--shards", "1"], "PROGRAM"),
    ] {
        run(&join(&[&["split", "verify"], words, &["--listen", "127.0.0.1:0"]]), "").expect(2, said);
    }
    run(&["split", "info", &secret, "--witness", &secret, "--shards", "1"], "").expect(2, "RISC-V");
    let both =
        ["split", "info", "--digest", DIGEST, "--length", "292", "--witness", &secret, "--shards", "1"];
    run(&both, "").expect(2, "cannot be used with");
}

#[test]
fn a_wrong_message_is_found_before_anything_is_sent() {
    let verifier = verifier(&["--listen-timeout", "2"]);
    let ended = prove(&verifier, "3", &[], &message().replace('7', "8")).expect(1, "does not hold");
    assert_eq!(ended.object()["result"], "rejected");
    prove(&verifier, "3", &[], "short").expect(2, "292");
    verifier.end().expect(3, "");
}

#[test]
fn parties_that_split_differently_refuse_each_other() {
    for (count, options) in [("2", vec![]), ("3", vec!["--retries", "3"])] {
        let verifier = verifier(&[]);
        prove(&verifier, count, &options, &message()).expect(3, "");
        verifier.end().expect(3, "");
    }
}

/// Each party refuses for itself: what the other one demands is the other one's.
#[test]
fn a_proof_that_is_worth_less_than_demanded_is_refused() {
    let (much, little): (&[&str], &[&str]) = (&["--rho", "128"], &["--rho", "100"]);
    for (p, v, codes) in [(much, little, (2, 0)), (little, much, (0, 2))] {
        let verifier = verifier(v);
        let said = |code| if code == 0 { "" } else { "128" };
        prove(&verifier, "3", p, &message()).expect(codes.0, said(codes.0));
        verifier.end().expect(codes.1, said(codes.1));
    }
}

#[test]
fn bad_digests_and_workers_without_an_invitation_are_bad_usage() {
    let wrong =
        ["split", "verify", "--digest", "12", "--length", "1", "--shards", "1", "--listen", "127.0.0.1:0"];
    run(&wrong, "").expect(2, "64 hexadecimal digits");
    run(&["split", "worker", "prover"], "").expect(2, "invitation");
    run(&["split", "worker", "prover"], "nobody invites").expect(2, "ADDRESS KEY TOKEN");
    let many = [
        "split",
        "verify",
        "--digest",
        DIGEST,
        "--length",
        "1",
        "--shards",
        "65537",
        "--listen",
        "127.0.0.1:0",
    ];
    run(&many, "").expect(2, "65536");
}

/// Kills one worker or two, of either party, at any moment. Over bits every loss can be made good.
#[test]
#[ignore = "long: a hundred proofs, in each of which workers are killed"]
fn long_workers_killed_at_random_are_replaced() {
    use rand_chacha::ChaCha20Rng;
    use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
    use rustix::process::{Pid, Signal, kill_process};
    use std::time::Duration;

    let dir = tempfile::tempdir().expect("a directory");
    let message: String = "0123456789abcdef".repeat(2000);
    let path = write(dir.path(), "message", &message);
    let computed =
        run(&["compute", "sha256-preimage", "--length", "32000", "--witness", "-"], &hex_of(&message));
    let public = computed.expect(0, "").stdout;
    let digest = public.lines().find_map(|line| line.strip_prefix("digest = ")).expect("a digest").to_owned();
    let named = ["--digest", &digest, "--length", "32000", "--shards", "4", "--json"];
    let program = env!("CARGO_BIN_EXE_volery");
    let mut rng = ChaCha20Rng::seed_from_u64(22);
    let (mut killed, mut lost) = (0, 0);
    for turn in 0..100 {
        let pids = dir.path().join(format!("pids.{turn}"));
        let launch = |role| format!("echo $$ >> {}; exec {program} split worker {role}", pids.display());
        let (p, v) = (launch("prover"), launch("verifier"));
        let listen = ["split", "verify", "--listen", "127.0.0.1:0", "--arrive", "20", "--launch", &v];
        let verifier = Running::listening(&join(&[&listen, &named]), "");
        let connect = ["split", "prove", "--connect", &verifier.address, "--arrive", "20", "--launch", &p];
        let prover = join(&[&connect, &named, &["--message", &path]]);
        let ended = std::thread::scope(|scope| {
            let prover = scope.spawn(|| run(&prover, ""));
            for _ in 0..=rng.next_u32() % 2 {
                std::thread::sleep(Duration::from_millis(u64::from(rng.next_u32() % 3000)));
                let started = std::fs::read_to_string(&pids).unwrap_or_default();
                let started: Vec<i32> = started.lines().filter_map(|line| line.parse().ok()).collect();
                let Some(one) = started.get(rng.next_u32() as usize % started.len().max(1)) else { continue };
                let pid = Pid::from_raw(*one).expect("a process");
                // One that has ended is nobody's any more.
                killed += usize::from(kill_process(pid, Signal::KILL).is_ok());
            }
            prover.join().expect("no panic")
        });
        let proved = ended.expect(0, "").object();
        let verified = verifier.end().expect(0, "").object();
        assert_eq!(proved["lost_workers"], verified["lost_workers"], "{turn}");
        lost += proved["lost_workers"].as_u64().expect("a number");
    }
    assert!(killed > 50 && lost > 30, "{killed} were killed, {lost} were missed");
}

/// A witness file of a message.
fn hex_of(message: &str) -> String {
    let digits: String = message.bytes().map(|byte| format!("{byte:02x}")).collect();
    format!("message = 0x{digits}\n")
}
