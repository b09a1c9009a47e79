//! Every built-in holds for its witness and for no other, and hostile values are refused.

use proptest::prelude::*;
use sha2::Digest as _;
use volery_circuit::{Counter, Evaluator};

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
    assert!(ENTRIES.iter().all(|entry| KNOWN.iter().any(|(name, ..)| *name == entry.name)));
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
