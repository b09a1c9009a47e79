//! `--json`: one object on every exit, with the keys of one schema (docs/guide/json.md).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::many::{PUBLIC, circuits};
use crate::support::*;

/// The keys that every object has, and what the page says of them.
const COMMON: [&str; 3] = ["result", "exit_code", "error"];

/// The keys that the page lists: those in code font at the start of a line of a table.
fn listed() -> BTreeSet<String> {
    let page = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/json.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('|').next());
    let keys = rows.flat_map(|cell| cell.split('`').step_by(2).map(str::to_owned).collect::<Vec<_>>());
    keys.collect()
}

/// Checks an object against the schema.
pub(crate) fn is_of_the_schema(object: &Value, code: i32, context: &str) {
    let listed = listed();
    let keys: Vec<&String> = object.as_object().expect("an object").keys().collect();
    for key in &keys {
        assert!(listed.contains(*key), "{context}: docs/guide/json.md has no `{key}`");
    }
    assert!(COMMON.iter().all(|key| keys.iter().any(|other| other == key)), "{context}: {object}");
    assert_eq!(object["exit_code"], code, "{context}: {object}");
    let result = object["result"].as_str().expect("a word");
    let error = &object["error"];
    match code {
        0 => assert!(["accepted", "done"].contains(&result) && error.is_null(), "{context}: {object}"),
        1 => assert!(result == "rejected" && error["kind"] == "rejected", "{context}: {object}"),
        2 => assert!(result == "error" && ["usage", "input"].iter().any(|kind| error["kind"] == *kind)),
        _ => assert!(result == "error" && ["mismatch", "session"].iter().any(|kind| error["kind"] == *kind)),
    }
    assert_eq!(
        error["message"].as_str().is_some_and(|text| !text.is_empty()),
        code != 0,
        "{context}: {object}"
    );
}

/// Runs a command with `--json`: one object, as the exit code says.
fn object(args: &[&str], stdin: &str, code: i32) -> Value {
    let ended = run(&join(&[args, &["--json"]]), stdin);
    assert_eq!(ended.code, code, "{args:?}: {ended:?}");
    let object = ended.object();
    is_of_the_schema(&object, code, &format!("{args:?}"));
    object
}

fn path(dir: &Path, name: &str) -> String {
    dir.join(name).to_str().expect("UTF-8").to_owned()
}

#[test]
fn every_command_prints_one_object_on_every_exit() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = |name: &str| path(dir.path(), name);
    let witness = write(dir.path(), "witness", ABC_WITNESS);
    let wrong = write(dir.path(), "wrong", "0x616264\n");
    let abc = |command: &'static str, rest: &[&'static str]| join(&[&[command], ABC, rest]);
    // Usage: clap's, before there is a command.
    for args in [&["prove"][..], &["frobnicate"], &["verify", "--listen", "nowhere"], &[]] {
        assert_eq!(object(args, "", 2)["error"]["kind"], "usage", "{args:?}");
    }
    object(&abc("check", &["--witness", "-"]), ABC_WITNESS, 0);
    let failed = object(&abc("check", &["--witness", "-"]), "0x616264", 1);
    assert_eq!((&failed["place"], &failed["claimed"]), (&"digest, byte 0".into(), &"0xba".into()));
    let zeros = ["check", "sis", "--rows", "1", "--columns", "1", "--bound", "1", "--seed", &"00".repeat(32)];
    let numbers = write(dir.path(), "numbers", "1\n");
    let failed = object(&join(&[&zeros, &["--public", &numbers, "--witness", "-"]]), "0", 1);
    assert_eq!((&failed["assertion"], &failed["place"]), (&1.into(), &"sis/linear".into()));
    object(&abc("check", &["--witness", "/nonexistent"]), "", 2);
    object(&abc("info", &[]), "", 0);
    object(&["info", "/nonexistent"], "", 2);
    object(&["compute", "sha1-preimage", "--length", "3", "--witness", "-"], ABC_WITNESS, 0);
    object(&["compute", "sha1-preimage", "--witness", "-"], ABC_WITNESS, 2);
    object(&["soundness"], "", 0);
    object(&["soundness", "--players", "3", "--privacy", "2"], "", 0);
    object(&["soundness", "--players", "3", "--privacy", "3"], "", 2);

    let prove = |witness: &str, rest: &[&str], code| {
        let args = join(&[&["prove"], ABC, &["--witness", witness], rest]);
        object(&args, "", code)
    };
    prove(&witness, &["--connect", "127.0.0.1:1", "--connect-timeout", "0.1"], 3);
    prove(&wrong, &["--connect", "127.0.0.1:1"], 1);
    let proof = path("proof");
    prove(&witness, &["--out", &proof, "--sigma", "40"], 0);
    prove(&witness, &["--out", &proof, "--sigma", "40"], 2);
    prove(&wrong, &["--out", &path("none")], 1);
    let verify = |rest: &[&str], code| object(&join(&[&["verify"], ABC, rest]), "", code);
    verify(&["--sigma", "40", &proof], 0);
    assert_eq!(verify(&[&proof], 3)["error"]["kind"], "mismatch");
    let mut bytes = std::fs::read(&proof).expect("readable");
    *bytes.last_mut().expect("long") ^= 1;
    std::fs::write(path("damaged"), bytes).expect("writable");
    verify(&["--sigma", "40", &path("damaged")], 1);
    verify(&["--preprocessed", &path("none"), &proof], 2);

    let key = object(&["notary", "key", &path("key")], "", 0);
    assert_eq!(key["public_key"].as_str().map(str::len), Some(64));
    object(&["notary", "key", &path("key")], "", 2);
    object(&["attestation", "show", &path("none")], "", 2);
    object(
        &["attestation", "verify", &path("none"), "--key", key["public_key"].as_str().expect("hex")],
        "",
        2,
    );
    object(
        &["web", "prove", "https://localhost:1/", "--out", &path("page"), "--roots", &path("none")],
        "",
        2,
    );
    object(&["bench", "zkbpp", "--size", "3", "--sigma", "1"], "", 0);
    object(&["bench", "boolean", "--size", "0"], "", 2);
}

#[test]
fn both_parties_of_a_session_print_objects_of_the_schema() {
    let (prover, verifier) = session([ABC, ABC], ABC_WITNESS, &["--json"], &["--json"]);
    let [prover, verifier] = [prover, verifier].map(|ended| ended.object());
    is_of_the_schema(&prover, 0, "prover");
    is_of_the_schema(&verifier, 0, "verifier");
    assert!(verifier["waits"].is_u64() && prover["round_trips"] == prover["waits"], "{prover} {verifier}");
    let listen = ["--listen", "127.0.0.1:0", "--json"];
    let verifier = Running::listening(&join(&[&["verify"], ABC, &listen]), "");
    assert!(lie_to(&verifier.address).is_rejection());
    is_of_the_schema(&verifier.end().object(), 1, "a lie");

    let other = ["sha256-preimage", "--digest", ABC[2], "--length", "4"];
    let (prover, verifier) = session([ABC, &other], ABC_WITNESS, &["--json"], &["--json"]);
    let objects = [prover.object(), verifier.object()];
    objects.iter().for_each(|object| is_of_the_schema(object, 3, "other statements"));
    // One of the two finds it; the other one hears it.
    assert!(objects.iter().any(|object| object["error"]["kind"] == "mismatch"), "{objects:?}");
}

/// The verifier does not see what the prover waits for, and prints the prover's number all the same.
#[test]
fn both_parties_print_the_same_round_trips() {
    let dir = tempfile::tempdir().expect("a directory");
    let many = circuits(dir.path());
    let public = write(dir.path(), "public", PUBLIC);
    let one_of = ["--public", &public, "--any-of", &many[0], &many[1]];
    let branch = "branch 1\n0x0f\n";
    let r1cs = constraint_file("mimc.f61.r1cs");
    let json = constraint_file("mimc.f61.public.json");
    let wtns = format!("branch 0\n{}\n", constraint_file("mimc.f61.wtns"));
    let system = ["--public", &json, "--any-of", &r1cs, &r1cs];
    for (statement, witness, options) in [
        (ABC, ABC_WITNESS, &[][..]),
        (ABC, ABC_WITNESS, &["--fiat-shamir"]),
        (&system, &wtns, &[]),
        (&system, &wtns, &["--rho", "100", "--profile", "wan"]),
        (&one_of, branch, &["--disjunction", "robin"]),
        (&one_of, branch, &["--disjunction", "macncheese"]),
    ] {
        let options = join(&[&["--json"], options]);
        let (prover, verifier) = session([statement, statement], witness, &options, &options);
        let [prover, verifier] = [prover, verifier].map(|ended| ended.expect(0, "").object());
        assert!(prover["round_trips"].as_u64().is_some_and(|count| count > 0), "{prover}");
        assert_eq!(prover["round_trips"], verifier["round_trips"], "{options:?}: {prover} {verifier}");
    }
}

#[test]
fn making_correlations_and_proofs_with_them_print_objects_of_the_schema() {
    let dir = tempfile::tempdir().expect("a directory");
    let (p, v, proof) = (path(dir.path(), "P"), path(dir.path(), "V"), path(dir.path(), "proof"));
    let listen = ["--count", "50000", "--json", "--listen", "127.0.0.1:0"];
    let verifier = Running::listening(&join(&[&["preprocess", "verifier", "--out", &v], &listen]), "");
    object(&["preprocess", "prover", "--out", &p, "--count", "50000", "--connect", &verifier.address], "", 0);
    is_of_the_schema(&verifier.end().object(), 0, "preprocess");
    let prove = |witness: &str, code| {
        let rest = ["--witness", "-", "--preprocessed", &p, "--out", &proof];
        object(&join(&[&["prove"], ABC, &rest]), witness, code)
    };
    prove("0x616264", 1);
    prove(ABC_WITNESS, 0);
    let verify = |statement: &[&str], code| {
        object(&join(&[&["verify"], statement, &["--preprocessed", &v, &proof]]), "", code)
    };
    let other = ["sha256-preimage", "--digest", ABC[2], "--length", "4"];
    let message = verify(&other, 3)["error"].clone();
    assert!(message["message"].as_str().is_some_and(|text| text.contains("another statement")), "{message}");
    verify(ABC, 0);
    verify(ABC, 3);
}
