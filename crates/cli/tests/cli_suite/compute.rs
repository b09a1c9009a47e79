//! `compute`: the public file of a witness, for every kind of statement, and what contradicts it.

use std::path::Path;

use crate::many::circuits;
use crate::support::*;

const SEED: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

/// A statement without its public file, and a witness.
struct Case {
    /// The arguments that every command takes.
    statement: Vec<String>,
    /// What `compute` takes besides.
    compute: Vec<String>,
    witness: Vec<u8>,
    /// A value of the computed file, another one in its place, and what a witness contradicts then.
    wrong: (&'static str, &'static str, &'static str),
}

fn case(
    statement: &[&str],
    compute: &[&str],
    witness: impl AsRef<[u8]>,
    wrong: (&'static str, &'static str, &'static str),
) -> Case {
    let owned = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
    Case { statement: owned(statement), compute: owned(compute), witness: witness.as_ref().to_vec(), wrong }
}

/// One of each format.
fn cases(dir: &Path) -> Vec<Case> {
    let file = |name: &str, content: &str| write(dir, name, content);
    let bits = file("fashion", "3 8\n2 3 2\n2 2 1\n\n2 1 0 3 5 AND\n2 1 1 4 6 AND\n1 1 2 7 INV\n");
    let old = file("old", "2 6\n2 2 2\n\n2 1 0 2 4 AND\n2 1 1 3 5 XOR\n");
    let extended = file("extended", "3 8\n1 4\n1 4\n\n4 2 0 1 2 3 4 5 MAND\n1 1 1 6 EQ\n1 1 0 7 EQW\n");
    let open = file("open", "input 1 = 0b11\noutput 1 = any\n");
    let ring = file("ring", "3 5\n2 1 1\n2 1 1\n\n2 1 0 1 3 MUL\n1 1 4 2 EQ\n2 1 0 2 4 ADD\n");
    let ring_open = file("ring.open", "input 1 = 9 # public\n");
    let data = |name: &str| constraint_file(name);
    let wtns = |name: &str| std::fs::read(data(name)).expect("readable");
    let many = circuits(dir);
    let any_of = ["--any-of", &many[0], &many[1]];
    let factors = format!("branch 0\n{}\n", data("factors.f61.wtns"));
    vec![
        case(&[&bits], &[], "0b011\n0b01\n", ("= 0b01", "= 0b11", "output 0, bit 1: claimed 1")),
        case(
            &[&bits],
            &["--public", &open],
            "0b111\n",
            ("= 0b11\noutput 1", "= 0b10\noutput 1", "output 0, bit 0"),
        ),
        case(&[&old], &[], "0b11\n0b01\n", ("0b11", "0b01", "output 0, bit 1: claimed 0")),
        case(&[&extended], &[], "0xd\n", ("0xd", "0x9", "output 0, bit 2: claimed 0")),
        case(&[&ring, "--ring", "z32"], &[], "7 -2\n", ("11", "12", "output 1: claimed 12")),
        case(
            &[&ring, "--ring", "z64"],
            &["--public", &ring_open],
            "7\n",
            ("63", "62", "output 0: claimed 62"),
        ),
        case(
            &["sha256-preimage"],
            &["--length", "3"],
            ABC_WITNESS,
            ("ba7816bf", "ba7816be", "digest, byte 3: claimed 0xbe"),
        ),
        case(
            &["sha1-preimage"],
            &["--length", "3"],
            ABC_WITNESS,
            ("a9993e36", "a9993e37", "digest, byte 3: claimed 0x37"),
        ),
        case(
            &["aes128-key"],
            &["--plaintext", "00112233445566778899aabbccddeeff"],
            "0x000102030405060708090a0b0c0d0e0f",
            ("69c4e0d8", "69c4e0d9", "ciphertext, byte 3: claimed 0xd9"),
        ),
        case(
            &["mul32"],
            &[],
            "0x00001ee300001eef0001000100010001",
            ("03bb6fed", "03bb6fec", "products, number 0: claimed 0x03bb6fec"),
        ),
        case(
            &["sis", "--rows", "6", "--columns", "3", "--bound", "1", "--seed", SEED],
            &[],
            "0 0 0",
            ("0", "1", "sis"),
        ),
        case(
            &["matmul", "--rows", "1", "--inner", "2", "--columns", "2"],
            &[],
            "1 2 3 4 5 6",
            ("13", "14", "matrix product"),
        ),
        case(
            &["inner-product", "--length", "1", "--field", "bn254"],
            &[],
            "6 7",
            ("42", "43", "inner product"),
        ),
        case(
            &[&data("factors.bn254.r1cs")],
            &[],
            wtns("factors.bn254.wtns"),
            ("\"1", "\"2", "output 0 (wire 1): claimed "),
        ),
        case(&any_of, &[], "branch 1\n0x0f\n", ("0x07", "0x03", "output 0, bit 2: claimed 0")),
        case(
            &[&any_of[..], &["--at-least", "2"]].concat(),
            &[],
            "branch 1\n0x0f\nbranch 0\n0x07\n",
            ("0x07", "0x05", "output 0, bit 1: claimed 0"),
        ),
        case(
            &[&any_of[..], &["--repeat", "2"]].concat(),
            &[],
            "branch 0\n0x18\nbranch 1\n0x0f\n",
            ("0x07", "0x0f", "repetition 1, output 0, bit 3: claimed 1"),
        ),
        case(
            &["--any-of", &data("factors.f61.r1cs"), &data("factors.f61.r1cs")],
            &[],
            factors,
            ("\"1", "\"2", "output 0 (wire 1): claimed "),
        ),
    ]
}

/// The arguments of a command.
fn args<'a>(command: &'a str, parts: &[&'a [String]], rest: &[&'a str]) -> Vec<&'a str> {
    let parts = parts.iter().flat_map(|part| part.iter().map(String::as_str));
    // A value that belongs to `--any-of` must not come last, or it would take what follows.
    std::iter::once(command).chain(rest.iter().copied()).chain(parts).collect()
}

#[test]
fn a_computed_file_holds_for_its_witness_and_a_changed_one_is_contradicted_with_code_1() {
    let dir = tempfile::tempdir().expect("a directory");
    for (number, Case { statement, compute, witness, wrong }) in cases(dir.path()).into_iter().enumerate() {
        let line = args("compute", &[&compute, &statement], &["--witness", "-"]);
        let computed = run_bytes(&line, &witness).expect(0, "").stdout;
        let json =
            run_bytes(&[&line[..1], &["--json"], &line[1..]].concat(), &witness).expect(0, "").object();
        assert_eq!(json["public"].as_str().map(str::trim_end), Some(computed.trim_end()), "{line:?}");
        let public = write(dir.path(), &format!("{number}.public"), &computed);
        let rest = ["--public", &public, "--witness", "-"];
        let check = args("check", &[&statement], &rest);
        assert_eq!(run_bytes(&check, &witness).expect(0, "").stdout, "holds\n", "{check:?}");

        let (from, to, place) = wrong;
        let changed = computed.replacen(from, to, 1);
        assert_ne!(changed, computed, "{line:?}: {computed}");
        write(dir.path(), &format!("{number}.public"), &changed);
        let ended = run_bytes(&check, &witness).expect(1, place);
        assert_eq!(ended.stdout, "fails\n", "{check:?}");
        // So does a prover: nobody listens there, so it found it before it called.
        let prove =
            args("prove", &[&statement], &[&rest[..], &["--json", "--connect", "127.0.0.1:1"]].concat());
        let ring = statement.iter().any(|word| word == "--ring");
        let out = dir.path().join("none").display().to_string();
        let public = ["--json", "--out", &out];
        let prove = if ring { args("prove", &[&statement], &[&rest[..], &public].concat()) } else { prove };
        let ended = run_bytes(&prove, &witness).expect(1, place);
        let object = ended.object();
        assert_eq!((&object["result"], &object["exit_code"]), (&"rejected".into(), &1.into()), "{object}");
        let told = object["place"].as_str().expect("a place");
        assert!(place.starts_with(told) || told.contains(place), "{object}");
    }
}

#[test]
fn a_computed_file_is_proved_with() {
    let dir = tempfile::tempdir().expect("a directory");
    for number in [0, 1, 6, 15] {
        let Case { statement, compute, witness, .. } = cases(dir.path()).swap_remove(number);
        let line = args("compute", &[&compute, &statement], &["--witness", "-"]);
        let public = run_bytes(&line, &witness).expect(0, "").stdout;
        let public = write(dir.path(), "public", &public);
        let statement = args("--public", &[&statement], &[&public]);
        let text = String::from_utf8(witness).expect("text");
        let (prover, verifier) = session([&statement, &statement], &text, &[], &[]);
        assert!(prover.expect(0, "").stdout.starts_with("accepted: "));
        assert!(verifier.expect(0, "").stdout.starts_with("accepted: "));
    }
}

#[test]
fn what_cannot_be_computed_is_refused_with_a_reason() {
    let dir = tempfile::tempdir().expect("a directory");
    let files = circuits(dir.path());
    let compute =
        |args: &[&str], witness: &str| run(&[&["compute", "--witness", "-"], args].concat(), witness);
    let wrong = write(dir.path(), "wrong", "input 0 = 0x1\n");
    compute(&[&files[0], "--public", &wrong], "0x07").refused("wrong, line 1");
    compute(&[&files[0]], "0x7").refused("standard input, line 1");
    compute(&["sha256-preimage"], ABC_WITNESS).refused("`length`");
    compute(&["--at-least", "2", "--any-of", &files[0], &files[1]], "branch 0\n0x07\nbranch 1\n0x00\n")
        .refused("the witness's branches have different outputs");
    compute(&["--any-of", &files[0]], "").refused("branch N");
    compute(&["--repeat", "2", "--any-of", &files[0]], "branch 0\n0x07\n").refused("1 of 2 repetitions");
    compute(&["inner-product", "--length", "1", "--public", &wrong], "1 2")
        .refused("follow from the witness");
    // Values that violate a constraint put nothing out.
    let mut witness = std::fs::read(constraint_file("mimc.bn254.wtns")).expect("readable");
    let place = witness.len() - 32;
    witness[place] ^= 1;
    run_bytes(&["compute", &constraint_file("mimc.bn254.r1cs"), "--witness", "-"], &witness)
        .expect(1, "constraint ");
}
