//! Proofs without a connection, through the program.

use std::path::Path;

use crate::many::{PUBLIC, circuits};
use crate::support::*;

/// Makes a pair of correlation files in `dir`: the prover's and the verifier's.
fn preprocess(dir: &Path, count: &str) -> (String, String) {
    let path = |name: &str| dir.join(name).to_str().expect("UTF-8").to_owned();
    let (p, v) = (path("P.vole"), path("V.vole"));
    let args = ["preprocess", "verifier", "--out", &v, "--count", count, "--listen", "127.0.0.1:0"];
    let verifier = Running::listening(&args, "");
    let args = ["preprocess", "prover", "--out", &p, "--count", count, "--connect", &verifier.address];
    assert!(run(&args, "").expect(0, "").stdout.starts_with("stored: "));
    assert!(verifier.end().expect(0, "").stdout.starts_with("stored: "));
    (p, v)
}

fn prove(file: &str, out: &str, witness: &str) -> Ended {
    let args = ["--json", "--witness", "-", "--preprocessed", file, "--out", out];
    run(&join(&[&["prove"], ABC, &args]), witness)
}

fn verify(file: &str, proof: &str) -> Ended {
    run(&join(&[&["verify"], ABC, &["--json", "--preprocessed", file, proof]]), "")
}

#[test]
fn a_proof_is_made_and_verified_without_a_connection_once() {
    let dir = tempfile::tempdir().expect("a directory");
    let (p, v) = preprocess(dir.path(), "50000");
    let proof = dir.path().join("proof").to_str().expect("UTF-8").to_owned();

    // A wrong witness costs nothing, and nothing is written.
    prove(&p, &proof, "0x616264").expect(1, "digest, byte 0: claimed 0xba");
    assert!(!Path::new(&proof).exists());

    let proved = prove(&p, &proof, ABC_WITNESS).expect(0, "").object();
    assert_eq!((&proved["result"], &proved["correlations"][0]), (&"done".into(), &0.into()));
    let accepted = verify(&v, &proof).expect(0, "").object();
    assert_eq!(accepted["result"], "accepted");
    assert_eq!(accepted["correlations"], proved["correlations"]);
    verify(&v, &proof).expect(3, "used before");
    run(&join(&[&["verify"], ABC, &[&proof]]), "").refused("give that with --preprocessed V.vole");

    // The proof's file exists already. The next proof takes the next correlations.
    prove(&p, &proof, ABC_WITNESS).refused("exists already");
    let second = format!("{proof}2");
    let next = prove(&p, &second, ABC_WITNESS).expect(0, "").object();
    assert_eq!(next["correlations"][0], proved["correlations"][1]);
    verify(&v, &second).expect(0, "");
    prove(&p, &format!("{proof}3"), ABC_WITNESS).expect(3, "preprocess more");
}

#[test]
fn one_of_several_circuits_is_proved_without_a_connection_and_its_number_does_not_show() {
    let dir = tempfile::tempdir().expect("a directory");
    let (p, v) = preprocess(dir.path(), "5000");
    let files = circuits(dir.path());
    let public = write(dir.path(), "public", PUBLIC);
    let names: Vec<&str> = files.iter().map(String::as_str).collect();
    let statement = [&["--public", public.as_str(), "--any-of"], names.as_slice()].concat();
    let mut lengths = Vec::new();
    for witness in ["branch 0\n0x07\n", "branch 1\n0x0f\n"] {
        let proof = dir.path().join(format!("proof{}", lengths.len())).to_str().expect("UTF-8").to_owned();
        let args = ["--json", "--witness", "-", "--preprocessed", &p, "--out", &proof];
        let proved = run(&[&["prove"], statement.as_slice(), &args].concat(), witness);
        let proved = proved.expect(0, "").object();
        let args = ["--json", "--preprocessed", &v, &proof];
        let accepted = run(&[&["verify"], statement.as_slice(), &args].concat(), "");
        let accepted = accepted.expect(0, "").object();
        assert_eq!((&proved["result"], &accepted["result"]), (&"done".into(), &"accepted".into()));
        assert!(accepted["soundness_bits"].as_f64().is_some_and(|bits| bits >= 100.0), "{accepted}");
        lengths.push(accepted["proof_bytes"].clone());
    }
    assert_eq!(lengths[0], lengths[1]);
    let stacked = ["--disjunction", "macncheese", "--preprocessed", &v, "proof"];
    run(&[&["verify"], statement.as_slice(), &stacked].concat(), "")
        .refused("do not work with --disjunction macncheese");
}

#[test]
fn a_statement_with_polynomials_is_proved_without_a_connection() {
    let dir = tempfile::tempdir().expect("a directory");
    let (p, v) = preprocess(dir.path(), "5000");
    let proof = dir.path().join("proof").to_str().expect("UTF-8").to_owned();
    let args = ["--products", "00000006", "--witness", "-", "--preprocessed", &p, "--out", &proof];
    run(&join(&[&["prove", "mul32"], &args]), "0x0000000200000003").expect(0, "");
    run(&["verify", "mul32", "--products", "00000006", "--preprocessed", &v, &proof], "").expect(0, "");
}

#[test]
fn files_that_are_damaged_or_the_other_partys_are_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let (p, v) = preprocess(dir.path(), "25000");
    let proof = dir.path().join("proof").to_str().expect("UTF-8").to_owned();
    prove(&v, &proof, ABC_WITNESS).refused("for the verifier");
    prove("/nonexistent", &proof, ABC_WITNESS).refused("/nonexistent");
    prove(&p, &proof, ABC_WITNESS).expect(0, "");
    verify(&p, &proof).refused("for the prover");
    let mut bytes = std::fs::read(&proof).expect("readable");
    let damaged = format!("{proof}.damaged");
    *bytes.last_mut().expect("long") ^= 1;
    std::fs::write(&damaged, &bytes).expect("writable");
    verify(&v, &damaged).refused("damaged");
    std::fs::write(&damaged, "no proof").expect("writable");
    verify(&v, &damaged).refused("damaged");
    // The verifier's file still works after all of this.
    verify(&v, &proof).expect(0, "");
}

#[test]
fn parties_that_want_different_counts_store_nothing() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = |name: &str| dir.path().join(name).to_str().expect("UTF-8").to_owned();
    let (p, v) = (path("P.vole"), path("V.vole"));
    let args = ["preprocess", "verifier", "--out", &v, "--count", "1000", "--listen", "127.0.0.1:0"];
    let verifier = Running::listening(&args, "");
    let args = ["preprocess", "prover", "--out", &p, "--count", "2000", "--connect", &verifier.address];
    run(&args, "").expect(3, "");
    verifier.end().expect(3, "");
    assert_eq!(std::fs::read_dir(dir.path()).expect("readable").count(), 0);
}
