//! Every built-in holds for its witness and for no other, and hostile values are refused.

use proptest::prelude::*;
use sha2::Digest as _;
use volery_circuit::{Counter, Evaluator};
use volery_field::{Bn254Scalar, F32, F61, Ring, Value};

use super::*;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A statement's name, its public values, a witness.
type Known = (&'static str, &'static [(&'static str, &'static str)], &'static str);

/// FIPS 180-4's first example, and FIPS 197, appendix C.1.
const KNOWN: &[Known] = &[
    (
        "sha256-preimage",
        &[("length", "3"), ("digest", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")],
        "0x616263",
    ),
    (
        "sha1-preimage",
        &[("digest", "0xA9993E364706816ABA3E25717850C26C9CD0D89D"), ("length", "3")],
        "message = 0b011000010110001001100011",
    ),
    (
        "aes128-key",
        &[
            ("plaintext", "00112233445566778899aabbccddeeff"),
            ("ciphertext", "69c4e0d86a7b0430d8cdb78070b4c55a"),
        ],
        "key = 0x000102030405060708090a0b0c0d0e0f",
    ),
    // 7907 * 7919, and 65537 * 65537 without what is beyond 2^32.
    ("mul32", &[("products", "03bb6fed00020001")], "factors = 0x00001ee300001eef0001000100010001"),
];

fn check(name: &str, public: &[(&str, &str)], witness: &str) -> Result<(), Error> {
    let statement = Builtin::new(name, public)?;
    let witness = Witness::parse(witness.as_bytes(), "w", &statement.signature())?;
    Evaluator::check(&statement.with_witness(&witness)?)
}

#[test]
fn published_examples_hold_and_cover_every_entry() {
    for (name, public, witness) in KNOWN {
        assert_eq!(check(name, public, witness), Ok(()), "{name}");
    }
    let known = |name| {
        KNOWN.iter().any(|(known, ..)| *known == name) || NUMBERS.iter().any(|(known, ..)| *known == name)
    };
    assert!(ENTRIES.iter().all(|entry| known(entry.name)));
}

#[test]
fn another_witness_fails_at_an_assertion() {
    for (name, public, witness) in KNOWN {
        let wrong = match witness.strip_suffix(['3', '1', 'f']) {
            Some(rest) => format!("{rest}0"),
            None => panic!("the last digit of {witness} is another"),
        };
        assert!(matches!(check(name, public, &wrong), Err(Error::Unsatisfied { .. })), "{name}");
    }
}

#[test]
fn a_wrong_witness_is_told_which_public_value_it_contradicts() {
    let check = |name: &str, public: &[(&str, &str)], witness: &str| {
        let statement = Builtin::new(name, public).expect("known");
        let witness = Witness::parse(witness.as_bytes(), "w", &statement.signature()).expect("fits");
        statement.with_witness(&witness).expect("fits").check()
    };
    for (name, public, witness) in KNOWN {
        assert_eq!(check(name, public, witness), Ok(()));
    }
    let contradicted = |place: &str, claimed: &str| {
        Err(Error::Contradicted { place: place.to_owned(), claimed: claimed.to_owned() })
    };
    // One byte of the digest is another, in capital letters.
    let public = [("digest", "0xA9993E364706816ABA3E25717850C26C9CD0D8EF"), ("length", "3")];
    assert_eq!(check("sha1-preimage", &public, "0x616263"), contradicted("digest, byte 19", "0xef"));
    let public = [("products", "000000060000000800000009")];
    let factors = "0x000000020000000300000002000000030000000300000003";
    assert_eq!(check("mul32", &public, factors), contradicted("products, number 1", "0x00000008"));
    let [_, _, (name, public, _), _] = KNOWN else { panic!("aes128-key is the third") };
    let refused = check(name, public, "0x000102030405060708090a0b0c0d0e10");
    assert!(
        matches!(&refused, Err(Error::Contradicted { place, .. }) if place.starts_with("ciphertext, byte ")),
        "{refused:?}"
    );
}

#[test]
fn the_value_that_follows_from_a_witness_is_the_public_one() {
    for (name, public, witness) in KNOWN {
        let computed = find(name).and_then(|entry| entry.computed).expect("each has one");
        let (given, others): (Vec<_>, Vec<_>) = public.iter().partition(|(name, _)| *name == computed);
        // Two products need two placeholders; everything else has its length.
        let zeros = "0".repeat(16);
        let known = if *name == "mul32" { vec![(computed, zeros.as_str())] } else { others };
        let statement = Builtin::to_compute(name, &known).expect("known");
        assert!(matches!(statement.compute(), Err(Error::Witness(_))), "{name}");
        let witness = Witness::parse(witness.as_bytes(), "w", &statement.signature()).expect("fits");
        let value = statement.with_witness(&witness).expect("fits").compute().expect("computed");
        assert_eq!(value, given[0].1.trim_start_matches("0x").to_lowercase(), "{name}");
    }
    let one = Builtin::to_compute("mul32", &[]).expect("one product");
    assert_eq!(one.signature().inputs[0].width, 64);
    assert!(matches!(Builtin::to_compute("sha256-preimage", &[]), Err(Error::Public(_))));
    assert!(matches!(Builtin::to_compute("matmul", &[]), Err(Error::Public(_))));
}

#[test]
fn the_public_side_counts_and_needs_no_witness() {
    let (name, public, _) = KNOWN[2];
    let statement = Builtin::new(name, public).expect("known");
    assert_eq!(Counter::<F2>::count(&statement).expect("counts").total().multiplications, 6400);
    assert!(matches!(Evaluator::check(&statement), Err(Error::Witness(_))));
}

#[test]
fn an_empty_message_has_no_witness_value() {
    let digest = hex(&sha2::Sha256::digest(b""));
    assert_eq!(check("sha256-preimage", &[("digest", &digest), ("length", "0")], "# nothing\n"), Ok(()));
}

#[test]
fn bad_public_values_are_refused_with_the_reason() {
    let digest = "00".repeat(32);
    let digest = digest.as_str();
    let over = (MOST_BYTES + 1).to_string();
    for (name, public, reason) in [
        ("sha257-preimage", vec![], "no built-in"),
        ("sha256-preimage", vec![("digest", digest)], "`length`"),
        ("sha256-preimage", vec![("digest", digest), ("length", "1"), ("plaintext", "00")], "`plaintext`"),
        ("sha256-preimage", vec![("digest", digest), ("digest", digest), ("length", "1")], "two values"),
        ("sha256-preimage", vec![("digest", digest), ("length", "-1")], "decimal"),
        ("sha256-preimage", vec![("digest", digest), ("length", "+1")], "decimal"),
        ("sha256-preimage", vec![("digest", digest), ("length", "")], "decimal"),
        ("sha256-preimage", vec![("digest", digest), ("length", &over)], "at most"),
        ("sha256-preimage", vec![("digest", digest), ("length", "99999999999999999999")], "at most"),
        ("sha256-preimage", vec![("digest", &digest[1..]), ("length", "1")], "64 hex digits"),
        ("sha256-preimage", vec![("digest", &digest[2..]), ("length", "1")], "64 hex digits"),
        ("sha1-preimage", vec![("digest", digest), ("length", "1")], "40 hex digits"),
        ("aes128-key", vec![("plaintext", "g0112233445566778899aabbccddeeff"), ("ciphertext", "")], "32 hex"),
        ("mul32", vec![("products", "")], "8 hex digits"),
        ("mul32", vec![("products", "0x")], "8 hex digits"),
        ("mul32", vec![("products", "0123456")], "8 hex digits"),
        ("mul32", vec![("products", "012345678")], "8 hex digits"),
        ("mul32", vec![("products", "012345678a")], "8 hex digits"),
        ("mul32", vec![("products", "0123456g")], "8 hex digits"),
        (
            "aes128-key",
            vec![("plaintext", "\u{e9}0112233445566778899aabbccddeef"), ("ciphertext", "")],
            "32 hex",
        ),
    ] {
        match Builtin::new(name, &public) {
            Err(Error::Public(message)) => assert!(message.contains(reason), "{public:?}: {message}"),
            other => panic!("{name} {public:?}: {other:?}"),
        }
    }
}

#[test]
fn debug_and_text_show_no_secret() {
    let (name, public, witness) = KNOWN[2];
    let statement = Builtin::new(name, public).expect("known");
    let witness = Witness::parse(witness.as_bytes(), "w", &statement.signature()).expect("fits");
    let statement = statement.with_witness(&witness).expect("fits");
    let shown = format!("{statement:?} {}", statement.text());
    assert!(!shown.contains("0102030405") && !shown.contains("2, 3, 4"), "{shown}");
}

proptest! {
    #[test]
    fn a_message_in_hex_is_its_bytes_in_order(message in proptest::collection::vec(any::<u8>(), 1..80)) {
        let (digest, length) = (hex(&sha2::Sha256::digest(&message)), message.len().to_string());
        let public = [("digest", digest.as_str()), ("length", length.as_str())];
        prop_assert_eq!(check("sha256-preimage", &public, &format!("0x{}", hex(&message))), Ok(()));
    }
}

/// A statement over a field: its name, its sizes, secret numbers.
type Numbers = (&'static str, &'static [(&'static str, &'static str)], &'static str);

const SEED: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

const NUMBERS: &[Numbers] = &[
    ("sis", &[("rows", "3"), ("columns", "5"), ("bound", "2"), ("seed", SEED)], "2 -1 0 1 -2"),
    ("sis", &[("rows", "9"), ("columns", "4"), ("bound", "binary"), ("seed", SEED)], "1 0 0 1"),
    ("matmul", &[("rows", "2"), ("inner", "3"), ("columns", "1")], "1 2 3  4 5 6   7 8 9"),
    ("inner-product", &[("length", "3")], "1 -2 3  4 5 6"),
];

/// The statement for whose public numbers `secret` is a witness, with `witness`.
fn over<F: Value>((name, sizes, secret): Numbers, witness: &str) -> Result<(Vec<F>, OverField<F>), Error> {
    let sizes = FieldBuiltin::new(name, sizes)?;
    let read = |text: &str| read_numbers::<F>(text.as_bytes(), "w", sizes.secret_numbers());
    let public = sizes.compute(&read(secret)?)?;
    assert_eq!(public.len(), sizes.public_numbers());
    let statement = sizes.over(&public)?.with_witness(&read(witness)?)?;
    Ok((public, statement))
}

#[test]
fn statements_over_fields_hold_for_what_they_were_computed_from_and_nothing_else() {
    fn check<F: Value>() {
        for numbers in NUMBERS {
            let (_, right) = over::<F>(*numbers, numbers.2).expect("fits");
            assert_eq!(Evaluator::<F>::check(&right), Ok(()), "{numbers:?}");
            let (name, _, secret) = numbers;
            let wrong =
                if *name == "sis" { secret.replacen('1', "0", 1) } else { secret.replacen('1', "2", 1) };
            let (_, wrong) = over::<F>(*numbers, &wrong).expect("fits");
            assert!(matches!(Evaluator::<F>::check(&wrong), Err(Error::Unsatisfied { .. })), "{numbers:?}");
        }
    }
    check::<F61>();
    check::<F32>();
    check::<Bn254Scalar>();
}

#[test]
fn a_solution_beyond_the_bound_is_none() {
    let (_, beyond) = over::<F32>(NUMBERS[0], "2 -1 0 1 -2").expect("fits");
    assert_eq!(Evaluator::<F32>::check(&beyond), Ok(()));
    let three = (NUMBERS[0].0, NUMBERS[0].1, "3 -1 0 1 -2");
    let (_, beyond) = over::<F32>(three, three.2).expect("fits");
    assert!(
        matches!(Evaluator::<F32>::check(&beyond), Err(Error::Unsatisfied { place, .. }) if place == "sis/short")
    );
}

#[test]
fn products_are_those_of_the_integers() {
    let (public, _) = over::<F61>(NUMBERS[2], NUMBERS[2].2).expect("fits");
    assert!(public == [50, 122].map(F61::new));
    let (public, _) = over::<F61>(NUMBERS[3], NUMBERS[3].2).expect("fits");
    assert!(public == [12].map(F61::new));
}

#[test]
fn bad_sizes_are_refused_with_the_reason() {
    for (name, sizes, reason) in [
        ("matmul", vec![("rows", "1"), ("inner", "1")], "`columns`"),
        ("matmul", vec![("rows", "1"), ("inner", "1"), ("columns", "x")], "decimal"),
        ("inner-product", vec![("length", "999999999999")], "at most"),
        ("sis", vec![("rows", "1"), ("columns", "1"), ("bound", "ternary"), ("seed", SEED)], "decimal"),
        ("sis", vec![("rows", "1"), ("columns", "1"), ("bound", "1"), ("seed", "00")], "64 hex digits"),
        ("sha256-preimage", vec![("digest", SEED), ("length", "1")], "about bits"),
        ("nothing", vec![], "no built-in"),
    ] {
        match FieldBuiltin::new(name, &sizes) {
            Err(Error::Public(message)) => assert!(message.contains(reason), "{name}: {message}"),
            other => panic!("{name} {sizes:?}: {other:?}"),
        }
    }
    let error = Builtin::new("inner-product", &[("length", "1")]).expect_err("not about bits");
    assert!(error.to_string().contains("over F61"), "{error}");
    let most = [("rows", "268435456"), ("inner", "268435456"), ("columns", "268435456")];
    let sizes = FieldBuiltin::new("matmul", &most).expect("each is possible");
    assert!(matches!(sizes.over::<F61>(&[]), Err(Error::Public(_))));
    assert!(sizes.compute::<F61>(&[]).is_err());
    let bound = [("rows", "1"), ("columns", "1"), ("bound", "60000"), ("seed", SEED)];
    let sizes = FieldBuiltin::new("sis", &bound).expect("a number");
    assert!(
        matches!(sizes.over::<F61>(&[F61::ONE]), Err(Error::Public(reason)) if reason.contains("too large"))
    );
}
