//! Where input may come from: pipes, standard input, paths that are no text.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use volery_circuit::r1cs::{Assignment, Builder, Counts, R1csStatement, write_public};
use volery_field::{Bn254Scalar, Ring as _, Value as _};

use crate::many::{PUBLIC, circuits};
use crate::support::*;

/// Runs a line of bash, in which `volery` is the program.
fn bash(line: &str) -> std::process::Output {
    let line = format!("volery() {{ {} \"$@\"; }}; {line}", env!("CARGO_BIN_EXE_volery"));
    std::process::Command::new("bash").args(["-c", &line]).output().expect("there is bash")
}

#[test]
fn witnesses_and_public_files_of_every_format_may_be_pipes() {
    let dir = tempfile::tempdir().expect("a directory");
    let circuit = write(dir.path(), "c.txt", "1 3\n1 2\n1 1\n\n2 1 0 1 2 AND\n");
    let ring = write(dir.path(), "r.txt", "1 3\n1 2\n1 1\n\n2 1 0 1 2 MUL\n");
    let data = constraint_file;
    let [r1cs, wtns, json] =
        ["r1cs", "wtns", "public.json"].map(|kind| data(&format!("factors.bn254.{kind}")));
    let many = circuits(dir.path());
    let many = format!("--any-of {} {}", many[0], many[1]);
    let systems = format!("--any-of {r1cs} {r1cs}");
    let abc = format!("digest = {}\nlength = 3\n", ABC[2]);
    for (statement, public, witness) in [
        (&*circuit, "echo 'output 0 = 0x1'", "echo 0x3".to_owned()),
        (&format!("{ring} --ring z32"), "echo 'output 0 = 42'", "echo 6 7".to_owned()),
        ("inner-product --length 1", "echo 42", "echo 6 7".to_owned()),
        ("sha256-preimage", &format!("echo '{abc}'"), "echo 0x616263".to_owned()),
        (&r1cs, &format!("cat {json}"), format!("cat {wtns}")),
        // All read the one file: a pipe can be read once.
        (&many, &format!("echo '{PUBLIC}'"), "printf 'branch 1\\n0x0f\\n'".to_owned()),
        (
            &format!("--repeat 2 {many}"),
            &format!("echo '{PUBLIC}'"),
            "printf 'branch 1\\n0x0f\\n%.0s' 1 2".to_owned(),
        ),
        (&systems, &format!("cat {json}"), format!("printf 'branch 1\\n{wtns}\\n'")),
    ] {
        let checked = bash(&format!("volery check --public <({public}) --witness <({witness}) {statement}"));
        assert!(checked.status.success() && checked.stdout == b"holds\n", "{statement}: {checked:?}");
        let checked = bash(&format!("{public} | volery check --public - --witness <({witness}) {statement}"));
        assert!(checked.status.success() && checked.stdout == b"holds\n", "{statement}: {checked:?}");
    }
    run(&["check", "--public", "-", "--witness", "-", &circuit], "0x3")
        .refused("standard input can be only one of them");
}

#[test]
fn proofs_may_be_pipes() {
    let dir = tempfile::tempdir().expect("a directory");
    let proof = dir.path().join("proof");
    let proof = proof.to_str().expect("UTF-8");
    let args = ["--witness", "-", "--out", proof, "--sigma", "40"];
    run(&join(&[&["prove"], ABC, &args]), ABC_WITNESS).expect(0, "");
    let statement = ABC.join(" ");
    let verified = bash(&format!("volery verify {statement} --sigma 40 <(cat {proof})"));
    assert!(verified.status.success(), "{verified:?}");
}

/// A name that is no text in any encoding that we know of.
fn odd(dir: &Path, name: &str) -> OsString {
    dir.join(OsStr::from_bytes(&[name.as_bytes(), b"\xff\xfe.txt"].concat())).into_os_string()
}

#[test]
fn paths_need_not_be_utf_8() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = |name: &str, content: &[u8]| {
        let path = odd(dir.path(), name);
        std::fs::write(&path, content).expect("writable");
        path
    };
    let command = |words: &[&OsStr]| run(words, "");
    let word = OsStr::new;
    let circuit = file("circuit", b"1 3\n1 2\n1 1\n\n2 1 0 1 2 AND\n");
    let public = file("public", b"output 0 = 0x1\n");
    let witness = file("witness", b"0x3\n");
    let rest = [word("--public"), &public, word("--witness"), &witness];
    let check = |statement: &[&OsStr]| command(&[&[word("check")], &rest[..], statement].concat());
    check(&[&circuit]).expect(0, "");
    for json in [&[][..], &[word("--json")]] {
        let broken = file("broken", b"1 3\n1 2\n1 1\n\n2 1 0 7 2 AND\n");
        let ended = command(&[&[word("info"), &broken], json].concat()).expect(2, "broken");
        assert!(ended.stderr.contains("line 5, column 7"), "{ended:?}");
    }
    let out = odd(dir.path(), "proof");
    let sigma = [word("--sigma"), word("40")];
    command(&[&[word("prove"), &circuit, word("--out"), &out], &rest[..], &sigma].concat()).expect(0, "");
    command(&[&[word("verify"), &circuit, &out, word("--public"), &public], &sigma[..]].concat())
        .expect(0, "");

    // One of several, with a public file of its own, and a witness file that names another.
    let mut own = circuit.clone();
    own.push("=");
    own.push(&public);
    let branch = file("branch", b"branch 0\n0x3\n");
    command(&[word("check"), word("--witness"), &branch, word("--any-of"), &own]).expect(0, "");
    let copy = |kind: &str| {
        let path = odd(dir.path(), kind);
        std::fs::copy(constraint_file(&format!("factors.f61.{kind}")), &path).expect("copied");
        path
    };
    let [r1cs, wtns, json] = ["r1cs", "wtns", "public.json"].map(copy);
    command(&[word("check"), &r1cs, word("--public"), &json, word("--witness"), &wtns]).expect(0, "");
    let branch = file("wtns-of", &[b"branch 0\n", wtns.as_bytes(), b"\n"].concat());
    let several = [word("--public"), &*json, word("--witness"), &branch, word("--any-of"), &r1cs, &r1cs];
    command(&[&[word("check")], &several[..]].concat()).expect(0, "");
}

/// Circom leaves inputs that no constraint uses out of the wires, and counts them in the header.
#[test]
fn inputs_that_no_constraint_uses_do_no_harm() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = |name: &str| dir.path().join(name).to_str().expect("UTF-8").to_owned();
    let create = |name: &str| std::fs::File::create(path(name)).expect("writable");
    // y = x * x; of 12 private inputs one has a wire, and the public input 3 is in no constraint.
    let counts = Counts { wires: 4, outputs: 1, public_inputs: 1, private_inputs: 12 };
    let one = Bn254Scalar::ONE;
    let mut builder = Builder::new(counts).expect("enough");
    builder.constraint(&[(3, one)], &[(3, one)], &[(1, one)]).expect("wires");
    let system = Arc::new(builder.finish());
    system.write(create("a.r1cs")).expect("written");
    let values = [1, 49, 5, 7].map(Bn254Scalar::from_u64).to_vec();
    let assignment = Assignment::new(values).expect("wire 0 is one");
    assignment.write(create("a.wtns")).expect("written");
    let statement = R1csStatement::prove(system, assignment).expect("fits");
    write_public(statement.public(), create("public.json")).expect("written");

    let [r1cs, wtns, json] = ["a.r1cs", "a.wtns", "public.json"].map(path);
    run(&["info", &r1cs], "").expect(0, "").says("secret values   1");
    let computed = run(&["compute", &r1cs, "--witness", &wtns], "").expect(0, "").stdout;
    assert_eq!(computed, std::fs::read_to_string(&json).expect("readable"));
    let args = ["verify", &r1cs, "--public", &json, "--listen", "127.0.0.1:0"];
    let verifier = Running::listening(&args, "");
    let args = ["prove", &r1cs, "--public", &json, "--witness", &wtns, "--connect", &verifier.address];
    run(&args, "").expect(0, "");
    verifier.end().expect(0, "");
    // The unused one is public all the same: another value is another statement.
    let other = write(dir.path(), "other.json", "[\"49\", \"6\"]");
    run(&["check", &r1cs, "--public", &other, "--witness", &wtns], "")
        .expect(1, "public input 0 (wire 2): claimed 6");
}
