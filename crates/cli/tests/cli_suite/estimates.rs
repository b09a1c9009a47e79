//! `info` predicts what a session sends, byte for byte and wait for wait.

use serde_json::Value;

use crate::guest;
use crate::many::{PUBLIC, circuits};
use crate::support::*;

/// Runs the session, compares it with what `info` says about its way, and returns how often the prover waits.
fn as_said(statement: &[&str], witness: &str, options: &[&str], way: impl Fn(&Value) -> bool) -> u64 {
    let info = run(&join(&[&["info", "--json"], statement]), "").expect(0, "").object();
    let options = join(&[options, &["--json"]]);
    let ended = session([statement, statement], witness, &options, &options);
    compared(&info, ended, way)
}

/// Compares what `info` said about this way with how both parties of its session ended.
fn compared(info: &Value, (prover, verifier): (Ended, Ended), way: impl Fn(&Value) -> bool) -> u64 {
    let (prover, verifier) = (prover.expect(0, "").object(), verifier.expect(0, "").object());
    let ways = info["protocols"].as_array().expect("a list");
    let cost = ways.iter().find(|cost| way(cost)).expect("this way");
    for (said, sent) in [
        (&cost["bytes_prover"], &prover["bytes_sent"]),
        (&cost["bytes_verifier"], &verifier["bytes_sent"]),
        (&cost["round_trips"], &prover["round_trips"]),
        (&cost["soundness_bits"], &prover["soundness_bits"]),
    ] {
        assert_eq!(said, sent, "{cost} {prover}");
    }
    assert!(cost["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0), "{cost}");
    assert!(cost["correlations"].as_u64().is_some_and(|correlations| correlations > 0), "{cost}");
    cost["round_trips"].as_u64().expect("a number")
}

#[test]
fn of_circuits_of_one_of_several_and_of_repetitions() {
    let dir = tempfile::tempdir().expect("a directory");
    let files = circuits(dir.path());
    let names: Vec<&str> = files.iter().map(String::as_str).collect();
    let public = write(dir.path(), "public", PUBLIC);
    let profiles = ["lan", "wan"];
    for profile in profiles {
        let one = [names[0], "--public", &public];
        as_said(&one, "0x07\n", &["--profile", profile], |cost| cost["profile"] == profile);
    }
    let any = join(&[&["--public", public.as_str(), "--any-of"], &names]);
    let two = join(&[&["--public", public.as_str(), "--at-least", "2", "--any-of"], &names]);
    let repetitions: String = (0..12).map(|n| format!("repetition {n}\noutput 0 = 0x07\n")).collect();
    let repetitions = write(dir.path(), "repetitions", &repetitions);
    let repeat = join(&[&["--public", repetitions.as_str(), "--repeat", "12", "--any-of"], &names]);
    for (protocol, profile) in [("robin", "lan"), ("macncheese", "lan"), ("robin", "wan")] {
        let options = ["--profile", profile];
        let way = |cost: &Value| cost["protocol"] == protocol && cost["profile"] == profile;
        let waits = [
            (&any, "branch 1\n0x0f\n".to_owned()),
            (&two, "branch 0\n0x07\nbranch 1\n0x0f\n".to_owned()),
            (&repeat, "branch 0\n0x07\n".repeat(12)),
        ]
        .map(|(statement, witness)| {
            let statement = join(&[statement, &["--disjunction", protocol]]);
            as_said(&statement, &witness, &options, way)
        });
        // All repetitions wait together. For two different branches the parties compare at the end which one
        // each was.
        let [one, two, twelve] = waits;
        assert!(protocol == "robin" || two <= one + 15 && twelve <= one + 2, "{waits:?}");
    }
}

/// What a run shows is known before, so `info` knows what its proof sends, also if it is padded.
#[test]
fn of_runs_of_programs() {
    let [program, public] = ["sum-c.elf", "public.txt"].map(|name| guest::path("sum", name));
    let secret = std::fs::read_to_string(guest::path("sum", "secret.txt")).expect("readable");
    let statement = [&*program, "--public", &public];
    let mut sent = Vec::new();
    for (profile, padding) in [("lan", &[][..]), ("wan", &[]), ("lan", &["--pad-to", "65537"])] {
        let witness = join(&[&statement, padding, &["--json", "--witness", "-"]]);
        let info = run(&join(&[&["info"], &witness]), &secret).expect(0, "").object();
        let options = ["--profile", profile, "--json"];
        let prover = join(&[padding, &options]);
        let ended = session([&statement, &statement], &secret, &prover, &options);
        compared(&info, ended, |cost| cost["profile"] == profile);
        sent.push(info["protocols"][0]["bytes_prover"].as_u64().expect("a number"));
    }
    // Two segments in place of one.
    assert!(sent[2] > sent[0] + 100_000, "{sent:?}");
}
