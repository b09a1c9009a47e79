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

#[test]
fn of_the_sessions_that_options_choose() {
    let [r1cs, wtns, json] =
        ["r1cs", "wtns", "public.json"].map(|kind| constraint_file(&format!("factors.f61.{kind}")));
    let statement = [&*r1cs, "--public", &json];
    for (options, fields) in [
        (&["--rho", "100"][..], &["F61[i]", "F61[i]"][..]),
        (&["--rho", "40", "--profile", "wan"], &["F61"]),
        (&["--fiat-shamir", "--profile", "lan", "--threads", "2"], &["F61[i]"]),
        (&["--profile", "wan"], &["F61", "F61[i]"]),
    ] {
        let info = run(&join(&[&["info", "--json"], &statement, options]), "").expect(0, "").object();
        let priced = info["protocols"].as_array().expect("a list");
        let of: Vec<_> = priced.iter().map(|cost| cost["mac_field"].as_str().expect("a name")).collect();
        assert_eq!(of, fields, "{options:?}");
        let hashed = options.contains(&"--fiat-shamir");
        assert!(priced.iter().all(|cost| cost["fiat_shamir"] == hashed), "{info}");
        if fields.len() == 1 {
            let options = join(&[options, &["--json"]]);
            let args = join(&[&["verify"], &statement, &options, &["--listen", "127.0.0.1:0"]]);
            let verifier = Running::listening(&args, "");
            let connect = ["--witness", &wtns, "--connect", &verifier.address];
            let prover = run(&join(&[&["prove"], &statement, &options, &connect]), "").expect(0, "").object();
            verifier.end().expect(0, "");
            for (said, sent) in [("bytes_prover", "bytes_sent"), ("round_trips", "round_trips")] {
                assert_eq!(priced[0][said], prover[sent], "{options:?}: {info} {prover}");
            }
        }
    }
    let text = run(&join(&[&["info"], ABC, &["--fiat-shamir", "--threads", "2"]]), "").expect(0, "").stdout;
    assert!(text.contains("quicksilver --profile wan --fiat-shamir --threads 2, MACs in"), "{text}");
    run(&join(&[&["info"], ABC, &["--rho", "128"]]), "").refused("--rho 128 is out of reach");
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
    let large = join(&[&["info", "--json"], &statement, &["--witness", "-", "--rho", "100"]]);
    let large = run(&large, &secret).expect(0, "").object();
    assert!(large["protocols"][0]["soundness_bits"].as_f64().is_some_and(|bits| bits >= 100.0), "{large}");
    run(&join(&[&["info"], &statement, &["--rho", "100"]]), "").refused("give --witness");
    // Two segments in place of one.
    assert!(sent[2] > sent[0] + 100_000, "{sent:?}");
}
