//! Statements over fields: constraint systems and numbers.

use std::sync::Arc;

use volery::statements::InnerProduct;
use volery::system::Over;
use volery_circuit::r1cs::{Assignment, R1cs, R1csStatement};
use volery_field::{Bn254Scalar, F61, Field, Ring, Value};

use crate::support::*;

/// Runs a session with the witness in a file. The parties' own arguments come last.
fn prove(statement: [&[&str]; 2], witness: &str, prover: &[&str], verifier: &[&str]) -> (Ended, Ended) {
    let args = join(&[&["verify"], statement[1], verifier, &["--listen", "127.0.0.1:0"]]);
    let listening = Running::listening(&args, "");
    let address = listening.address.clone();
    let args = join(&[&["prove"], statement[0], prover, &["--witness", witness, "--connect", &address]]);
    (run(&args, ""), listening.end())
}

#[test]
fn constraint_systems_are_proved_over_the_field_that_their_file_names() {
    for (name, field, mac) in [
        ("mimc.bn254", "BN254 scalars", "BN254 scalars"),
        ("threshold.bls12381", "BLS12-381 scalars", "BLS12-381 scalars"),
        ("factors.f61", "F61", "F61"),
        ("threshold.goldilocks", "Goldilocks", "Goldilocks"),
    ] {
        let [r1cs, wtns, json] =
            ["r1cs", "wtns", "public.json"].map(|kind| constraint_file(&format!("{name}.{kind}")));
        let (prover, verifier) =
            prove([&[&r1cs], &[&r1cs, "--public", &json]], &wtns, &["--json"], &["--json"]);
        for ended in [prover, verifier] {
            let object = ended.expect(0, "").object();
            assert_eq!(object["result"], "accepted");
            assert_eq!((&object["field"], &object["mac_field"]), (&field.into(), &mac.into()), "{object}");
            assert!(object["statement"].as_str().is_some_and(|text| text.starts_with("r1cs of ")));
            assert!(object["polynomials"].as_u64().is_some_and(|n| n > 0));
        }
    }
}

#[test]
fn the_name_of_a_constraint_system_does_not_matter_and_its_witness_may_come_through_a_pipe() {
    let dir = tempfile::tempdir().expect("a directory");
    let r1cs = dir.path().join("sha256-preimage.txt");
    std::fs::copy(constraint_file("mimc.f61.r1cs"), &r1cs).expect("copied");
    let r1cs = r1cs.to_str().expect("UTF-8");
    let json = constraint_file("mimc.f61.public.json");
    let witness = std::fs::read(constraint_file("mimc.f61.wtns")).expect("readable");
    let args = ["check", r1cs, "--public", &json, "--witness", "-"];
    assert_eq!(run_bytes(&args, &witness).expect(0, "").stdout, "holds\n");
    run_bytes(&args, &witness[..witness.len() - 1]).refused("standard input, byte ");
    run_bytes(&args, &vec![b'w'; 3 << 20]).refused("too long");
}

#[test]
fn other_public_values_are_told_to_the_prover_and_end_a_session_with_the_verifier() {
    let dir = tempfile::tempdir().expect("a directory");
    let [r1cs, wtns] = ["r1cs", "wtns"].map(|kind| constraint_file(&format!("factors.bn254.{kind}")));
    let wrong = write(dir.path(), "public.json", "[\"10097064\"]");
    run(&["prove", &r1cs, "--public", &wrong, "--witness", &wtns, "--connect", "127.0.0.1:1"], "")
        .expect(1, "output 0 (wire 1): claimed 10097064");
    let (prover, verifier) = prove([&[&r1cs], &[&r1cs, "--public", &wrong]], &wtns, &[], &[]);
    assert_eq!((prover.code, verifier.code), (3, 3), "{prover:?} {verifier:?}");
    assert!(format!("{}{}", prover.stderr, verifier.stderr).contains("different statements"));
}

#[test]
fn a_witness_that_violates_a_constraint_is_found_before_anything_is_sent() {
    let dir = tempfile::tempdir().expect("a directory");
    let r1cs = constraint_file("mimc.bn254.r1cs");
    let mut witness = std::fs::read(constraint_file("mimc.bn254.wtns")).expect("readable");
    // This is the lowest byte of the last value.
    let place = witness.len() - 32;
    witness[place] ^= 1;
    let wrong = dir.path().join("wrong.wtns");
    std::fs::write(&wrong, &witness).expect("writable");
    let args = ["prove", &r1cs, "--witness", wrong.to_str().expect("UTF-8"), "--connect", "127.0.0.1:1"];
    run(&args, "").expect(1, "constraint ");
}

#[test]
fn provers_that_cheat_are_rejected_with_code_1() {
    let listen = ["--listen", "127.0.0.1:0", "--json"];
    let rejected = |verifier: Running, error: volery::Error| {
        assert!(error.is_rejection(), "{error}");
        let ended = verifier.end().expect(1, "rejected");
        assert_eq!(ended.object()["result"], "rejected");
    };
    let mut rng = volery::os_rng().expect("randomness");

    // These are factors of another product.
    let [r1cs, json] = ["r1cs", "public.json"].map(|kind| constraint_file(&format!("factors.bn254.{kind}")));
    let verifier = Running::listening(&join(&[&["verify", &r1cs, "--public", &json], &listen]), "");
    let system = Arc::new(R1cs::<Bn254Scalar>::open(&r1cs).expect("reads"));
    let right = Assignment::<Bn254Scalar>::open(constraint_file("factors.bn254.wtns")).expect("reads");
    let (p, q) = (Bn254Scalar::from_u64(1013), Bn254Scalar::from_u64(10_007));
    let inverse = |x: Bn254Scalar| (x - Bn254Scalar::ONE).inverse().expect("not 1");
    let other =
        Assignment::new(vec![Bn254Scalar::ONE, p * q, p, q, inverse(p), inverse(q)]).expect("wire 0 is 1");
    let liar = Liar {
        claimed: R1csStatement::prove(Arc::clone(&system), right).expect("fits"),
        known: R1csStatement::prove(system, other).expect("fits"),
    };
    let result = prover_at(&verifier.address).prove(Over::<Bn254Scalar, Bn254Scalar>::new(), &liar, &mut rng);
    rejected(verifier, result.expect_err("a lie was accepted"));

    let files = Files::new(INNER, NUMBERS[2].1, &[]);
    let statement = join(&[&["verify"], INNER, &["--public", &files.public], &listen]);
    let verifier = Running::listening(&statement, "");
    let claim = |product| InnerProduct::new(4, Some(F61::new(product))).expect("short");
    let x: Vec<F61> = [1, 2, 3, 4].map(F61::new).to_vec();
    let known = claim(30).with_vectors(x.clone(), x).expect("fits");
    let liar = Liar { claimed: claim(6), known };
    let result = prover_at(&verifier.address).prove(Over::<F61, F61>::new(), &liar, &mut rng);
    rejected(verifier, result.expect_err("a lie was accepted"));
}

#[test]
fn malformed_files_of_constraint_systems_are_refused_with_their_place() {
    let dir = tempfile::tempdir().expect("a directory");
    let (r1cs, json) = (constraint_file("factors.bn254.r1cs"), constraint_file("factors.bn254.public.json"));
    let good = std::fs::read(&r1cs).expect("readable");
    let changed = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = good.clone();
        change(&mut bytes);
        let path = dir.path().join("changed.r1cs");
        std::fs::write(&path, bytes).expect("writable");
        path.to_str().expect("UTF-8").to_owned()
    };
    for (change, message) in [
        (&(|bytes: &mut Vec<u8>| bytes[4] = 9) as &dyn Fn(&mut Vec<u8>), "byte 4: version 9"),
        (&|bytes| bytes[8] = 200, "byte 8: 200 sections"),
        (&|bytes| bytes.truncate(bytes.len() - 1), "byte "),
        (&|bytes| bytes.push(0), "after the last section"),
        // The header section is first, so the prime begins at byte 28.
        (&|bytes| bytes[28] ^= 2, "prime"),
    ] {
        let path = changed(change);
        run(&["info", &path], "").refused(message);
        run(&["verify", &path, "--public", &json, "--connect", "127.0.0.1:1"], "").refused(message);
    }
    for (public, message) in [
        ("[]", "public.json has 0 values"),
        ("[\"1\", \"2\"]", "public.json, line 1, column "),
        ("[\n 1]", "public.json, line 2, column 2"),
        ("[\"01\"]", "leading zeros"),
        ("", "line 1, column 1"),
    ] {
        let public = write(dir.path(), "public.json", public);
        run(&["verify", &r1cs, "--public", &public, "--connect", "127.0.0.1:1"], "").refused(message);
    }
    run(&["verify", &r1cs, "--connect", "127.0.0.1:1"], "").refused("--public public.json");
    run(&["verify", &r1cs, "--public", "/nonexistent", "--connect", "127.0.0.1:1"], "")
        .refused("/nonexistent");
    run(&["info", &r1cs, "--field", "f61"], "").refused("--field");
    run(&["info", &r1cs, "--rows", "1"], "").refused("--rows");
    let other = constraint_file("factors.bls12381.wtns");
    run(&["check", &r1cs, "--witness", &other], "").refused("factors.bls12381.wtns");
    let args = [
        "prove",
        &r1cs,
        "--witness",
        &constraint_file("factors.bn254.wtns"),
        "--preprocessed",
        "P",
        "--out",
        "x",
    ];
    run(&args, "").refused("--preprocessed is for statements about bits");
}

const SEED: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

const SIS: &[&str] = &["sis", "--rows", "20", "--columns", "8", "--bound", "1", "--seed", SEED];
const MATMUL: &[&str] = &["matmul", "--rows", "3", "--inner", "2", "--columns", "3"];
const INNER: &[&str] = &["inner-product", "--length", "4"];

/// A statement and its witness.
const NUMBERS: [(&[&str], &str); 3] = [
    (SIS, "1 0 -1 -1 0 1 1 0"),
    (MATMUL, "1 2 3 4 5 6 # the first\n7 8 9 10 11 12"),
    (INNER, "1 2 3 4\n5 6 7 -8\n"),
];

/// Files of public and secret numbers, in a folder.
struct Files {
    dir: tempfile::TempDir,
    public: String,
    witness: String,
}

impl Files {
    /// Writes the witness and computes the public file from it.
    fn new(statement: &[&str], witness: &str, more: &[&str]) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let witness = write(dir.path(), "witness.txt", witness);
        let computed =
            run(&join(&[&["compute"], statement, more, &["--witness", &witness]]), "").expect(0, "");
        let public = write(dir.path(), "public.txt", &computed.stdout);
        Self { dir, public, witness }
    }
}

#[test]
fn statements_about_numbers_are_proved_in_every_mode() {
    for (statement, witness) in NUMBERS {
        let files = Files::new(statement, witness, &[]);
        let statement = join(&[statement, &["--public", &files.public]]);
        for options in
            [&[][..], &["--rho", "100"], &["--fiat-shamir"], &["--profile", "wan", "--threads", "2"]]
        {
            let options = join(&[options, &["--json"]]);
            let (prover, verifier) = prove([&statement, &statement], &files.witness, &options, &options);
            let (prover, verifier) = (prover.expect(0, "").object(), verifier.expect(0, "").object());
            assert_eq!((&prover["result"], &verifier["result"]), (&"accepted".into(), &"accepted".into()));
            let bits = verifier["soundness_bits"].as_f64().expect("a number");
            let least = if options.len() == 2 || options.contains(&"100") { 100.0 } else { 40.0 };
            assert!(bits >= least, "{verifier}");
            let extended = verifier["mac_field"] != verifier["field"];
            assert_eq!(extended, least == 100.0 || statement[0] == "sis", "{verifier}");
        }
    }
}

/// ZKB++ without being asked; who asks for VOLE in the head is told what else there is.
#[test]
fn public_proofs_about_numbers_are_by_zkbpp() {
    let files = Files::new(INNER, NUMBERS[2].1, &[]);
    let out = files.dir.path().join("proof");
    let out = out.to_str().expect("UTF-8");
    let statement = join(&[INNER, &["--public", &files.public]]);
    let proving = |options: &[&str]| {
        let witness = ["--witness", &files.witness, "--out", out, "--sigma", "20"];
        run(&join(&[&["prove"], &statement, &witness, options]), "")
    };
    proving(&["--protocol", "voleith"]).refused("with --protocol zkbpp, the default for these");
    assert!(!std::path::Path::new(out).exists());
    assert_eq!(proving(&["--json"]).expect(0, "").object()["protocol"], "zkbpp");
    let other = write(files.dir.path(), "other", "VOLERY VOLEITH\r\n");
    let verifying = |proof: &str| run(&join(&[&["verify"], &statement, &[proof, "--sigma", "20"]]), "");
    verifying(out).expect(0, "").says("accepted: 4 multiplications, zkbpp");
    verifying(&other).refused("ask for a proof by zkbpp or zkboo");
}

#[test]
fn numbers_may_be_of_another_field() {
    for (field, name) in [
        ("f32", "F32"),
        ("goldilocks", "Goldilocks"),
        ("bn254", "BN254 scalars"),
        ("bls12-381", "BLS12-381 scalars"),
        ("bls12-377", "BLS12-377 scalars"),
        ("pallas", "Pallas base field"),
        ("vesta", "Vesta base field"),
        ("grumpkin", "Grumpkin scalars"),
        ("p256", "P-256 base field"),
        ("secp256k1", "secp256k1 base field"),
        ("ristretto", "Ristretto scalars"),
    ] {
        let files = Files::new(INNER, NUMBERS[2].1, &["--field", field]);
        assert_eq!(std::fs::read_to_string(&files.public).expect("readable"), "6\n");
        let statement = join(&[INNER, &["--field", field, "--public", &files.public]]);
        let (prover, verifier) = prove([&statement, &statement], &files.witness, &["--json"], &["--json"]);
        prover.expect(0, "");
        assert_eq!(verifier.expect(0, "").object()["field"], name);
    }
}

#[test]
fn a_field_whose_elements_are_their_own_macs_takes_an_extension_for_100_bits() {
    let files = Files::new(INNER, NUMBERS[2].1, &["--field", "goldilocks"]);
    let statement = join(&[INNER, &["--field", "goldilocks", "--public", &files.public]]);
    for (option, least) in [("--threads=1", 40.0), ("--rho=100", 100.0), ("--fiat-shamir", 100.0)] {
        let options = [option, "--json"];
        let (prover, verifier) = prove([&statement, &statement], &files.witness, &options, &options);
        prover.expect(0, "");
        let verifier = verifier.expect(0, "").object();
        let extended = verifier["mac_field"] == "Goldilocks[X]/(X^2-7)";
        assert_eq!(extended, least == 100.0, "{verifier}");
        assert!(verifier["soundness_bits"].as_f64().is_some_and(|bits| bits >= least), "{verifier}");
    }
}

#[test]
fn computed_products_are_right_and_wrong_witnesses_are_found() {
    let files = Files::new(MATMUL, NUMBERS[1].1, &[]);
    let product = std::fs::read_to_string(&files.public).expect("readable");
    assert_eq!(product.lines().collect::<Vec<_>>(), ["27", "30", "33", "61", "68", "75", "95", "106", "117"]);
    let wrong = write(files.dir.path(), "wrong.txt", "1 2 3 4 5 6 7 8 9 10 11 13");
    let args = join(&[MATMUL, &["--public", &files.public, "--witness", &wrong]]);
    assert_eq!(run(&join(&[&["check"], &args]), "").expect(1, "matrix product").stdout, "fails\n");
    run(&join(&[&["prove"], &args, &["--connect", "127.0.0.1:1"]]), "").expect(1, "matrix product");
    let files = Files::new(SIS, "1 0 -1 -1 0 1 2 0", &[]);
    let args = join(&[&["check"], SIS, &["--public", &files.public, "--witness", &files.witness]]);
    run(&args, "").expect(1, "sis/short");
}

#[test]
fn bad_numbers_are_refused_with_their_place_and_not_shown() {
    let files = Files::new(INNER, NUMBERS[2].1, &[]);
    let check = join(&[&["check"], INNER, &["--public", &files.public, "--witness", "-"]]);
    for (witness, message) in [
        ("1 2 3 4\n5 6 7", "standard input has 7 numbers of the 8 that are needed"),
        ("1 2 3 4\n5 6 7 8 4242", "standard input, line 2, column 9: one number too many"),
        ("1 2 3 4\n5 6 7 0x4242", "standard input, line 2, column 8"),
        ("1 2 3 4\n5 6 7 424242424242424242424242", "below F61's modulus"),
        ("1 2 3 4\n5 6 7 42.42", "line 2, column 9"),
        ("\u{e9}", "line 1, column 1"),
    ] {
        let ended = run(&check, witness);
        assert!(!ended.stderr.contains("42"), "{ended:?}");
        ended.refused(message);
    }
    let info = |args: &[&str]| run(&[&["info"], args].concat(), "");
    info(INNER).refused("--public FILE: the inner product");
    info(&join(&[INNER, &["--public", "/nonexistent"]])).refused("/nonexistent");
    info(&join(&[INNER, &["--public", &files.witness]])).refused("one number too many");
    let empty = write(files.dir.path(), "empty.txt", "# nothing");
    info(&join(&[INNER, &["--public", &empty]])).refused("public inputs: ");
    info(&join(&[INNER, &["--public", &files.public, "--field", "f62"]])).refused("f61, f32");
    info(&["inner-product", "--length", "1000000000000", "--public", &files.public]).refused("at most");
    info(&["inner-product", "--length", "4", "--rows", "4"]).refused("`rows`");
    info(&["sis", "--rows", "1", "--columns", "1", "--bound", "x", "--seed", SEED]).refused("bound");
    info(&["sis", "--rows", "1", "--columns", "1", "--bound", "1", "--seed", "00"]).refused("64 hex digits");
    run(&join(&[&["info"], ABC, &["--field", "f61"]]), "")
        .refused("--field is for sis, matmul, inner-product");
}

#[test]
fn parties_that_want_different_fields_end_with_code_3_and_the_difference() {
    let files = Files::new(INNER, NUMBERS[2].1, &[]);
    let statement = join(&[INNER, &["--public", &files.public]]);
    for (prover, verifier, message) in [
        (&["--rho", "100"][..], &[][..], "both must give the same --rho"),
        (&[], &["--fiat-shamir"], "both must give --fiat-shamir, or neither"),
        (&["--profile", "wan"], &[], "both must give the same --profile"),
        (&["--field", "f32"], &[], "`field`"),
    ] {
        let (prover, verifier) = prove([&statement, &statement], &files.witness, prover, verifier);
        assert_eq!((prover.code, verifier.code), (3, 3), "{prover:?} {verifier:?}");
        let both = format!("{}{}", prover.stderr, verifier.stderr);
        assert!(both.contains(message), "no {message} in {both}");
    }
    let args = join(&[&["verify"], &statement, &["--rho", "128", "--connect", "127.0.0.1:1"]]);
    run(&args, "").refused("out of reach");
}

#[test]
fn info_counts_claims_and_predicts_what_a_proof_sends() {
    let files = Files::new(SIS, NUMBERS[0].1, &[]);
    let statement = join(&[SIS, &["--public", &files.public]]);
    let info = run(&join(&[&["info"], &statement, &["--json"]]), "").expect(0, "").object();
    assert_eq!((&info["field"], &info["secrets"], &info["linear"]), (&"F32".into(), &8.into(), &20.into()));
    assert_eq!((&info["polynomials"][0]["degree"], &info["polynomials"][0]["count"]), (&3.into(), &8.into()));
    let profile = ["--profile", "wan", "--json"];
    let (prover, _) = prove([&statement, &statement], &files.witness, &profile, &profile);
    let sent = prover.expect(0, "").object();
    let costs = info["protocols"].as_array().expect("a list");
    let cost = costs.iter().find(|cost| cost["profile"] == "wan").expect("one of them");
    for (said, name) in
        [("bytes_prover", "bytes_sent"), ("bytes_verifier", "bytes_received"), ("round_trips", "round_trips")]
    {
        assert_eq!(cost[said], sent[name], "{name}: {cost}");
    }
    assert!(cost["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0), "{cost}");
    assert_eq!(cost["mac_field"], "F32[X]/(X^4-2)");
    let r1cs = constraint_file("threshold.f61.r1cs");
    let info = run(&["info", &r1cs, "--json"], "").expect(0, "").object();
    let macs: Vec<&str> = info["protocols"]
        .as_array()
        .expect("an array")
        .iter()
        .filter_map(|p| p["mac_field"].as_str())
        .collect();
    assert_eq!(macs, ["F61", "F61[i]", "F61", "F61[i]"]);
    assert!(info["protocols"][0]["soundness_bits_fiat_shamir"].is_null());
    assert!(info["protocols"][1]["soundness_bits_fiat_shamir"].as_f64().is_some_and(|bits| bits > 100.0));
    let text = run(&["info", &r1cs], "").expect(0, "").stdout;
    assert!(text.contains("32 of degree 2") || text.contains("33 of degree 2"), "{text}");
    assert!(text.contains("MACs in F61[i]") && text.contains("round trips"), "{text}");
}
