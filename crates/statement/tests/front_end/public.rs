//! Proofs that anyone can verify, from bytes to bytes.

use std::io::Cursor;

use volery::public::Message;
use volery_statement::public::{Checking, Made, Making, ProofReader, PublicProtocol, prove, verify};
use volery_statement::{Error, Instance, Kind, MachineRing, Named, Refusal, load};

use super::{builtin, bytes, file};

const PROTOCOLS: [PublicProtocol; 3] =
    [PublicProtocol::Zkbpp, PublicProtocol::Zkboo, PublicProtocol::Voleith { small: false }];

/// FIPS 197, appendix C.1.
fn aes() -> Named {
    let (plaintext, ciphertext) = ("00112233445566778899aabbccddeeff", "69c4e0d86a7b0430d8cdb78070b4c55a");
    builtin("aes128-key", &[("plaintext", plaintext), ("ciphertext", ciphertext)])
}

const KEY: &str = "0x000102030405060708090a0b0c0d0e0f";

fn known(named: &Named, witness: &str) -> Box<dyn Instance> {
    load(named).and_then(|it| it.with_witness(&bytes(witness).into())).expect("suits it")
}

fn made(
    statement: &dyn Instance,
    protocol: PublicProtocol,
    message: Option<Message>,
) -> Result<(Vec<u8>, Made), Error> {
    let mut proof = Cursor::new(Vec::new());
    let made = prove(statement, &Making { protocol, sigma: 128, message, threads: 1 }, &mut proof)?;
    Ok((proof.into_inner(), made))
}

fn verified(statement: &dyn Instance, proof: &[u8], message: Option<Message>) -> Result<Made, Error> {
    let checking = Checking { sigma: 128, message, threads: 1 };
    verify(statement, &checking, ProofReader::new(Box::new(proof), "the proof")?)
}

#[test]
fn proofs_about_bits_are_verified_and_wrong_ones_are_rejected() {
    let (known, public) = (known(&aes(), KEY), load(&aes()).expect("is a statement"));
    assert_eq!(PublicProtocol::of(&*known), PROTOCOLS[2]);
    let message = Some(Message::new(b"I have read this."));
    for protocol in PROTOCOLS {
        let (mut proof, made) = made(&*known, protocol, message).expect("is proved");
        assert_eq!((made.protocol, made.bytes), (protocol, proof.len() as u64));
        let accepted = verified(&*public, &proof, message).expect("is a proof");
        assert_eq!((accepted.protocol, accepted.soundness_bits), (protocol, 128));
        let other = verified(&*public, &proof, Some(Message::new(b"I have not."))).expect_err("differs");
        assert!(matches!(other.kind(), Kind::Rejected | Kind::Mismatch), "{other}");
        assert_eq!(verified(&*public, &proof, None).expect_err("has a message").kind(), Kind::Mismatch);
        let middle = proof.len() / 2;
        proof[middle] ^= 1;
        assert!(verified(&*public, &proof, message).expect_err("was changed").is_rejection());
    }
}

#[test]
fn a_wrong_witness_makes_no_proof() {
    let wrong = known(&aes(), "0x000102030405060708090a0b0c0d0e0e");
    for protocol in PROTOCOLS {
        assert_eq!(made(&*wrong, protocol, None).expect_err("is wrong").kind(), Kind::Unsatisfied);
    }
}

#[test]
fn numbers_and_machine_words_have_proofs_of_one_kind_only() {
    let numbers = Named { public: Some(bytes("11\n")), ..builtin("inner-product", &[("length", "2")]) };
    let product = "1 3\n2 1 1\n1 1\n\n2 1 0 1 2 MUL\n";
    let words = Named {
        target: file(product),
        ring: Some(MachineRing::Z32),
        public: Some(bytes("output 0 = 6\n")),
        ..Named::default()
    };
    for (named, witness) in [(numbers, "1 2 3 4"), (words, "2 3")] {
        let (known, public) = (known(&named, witness), load(&named).expect("is a statement"));
        let (proof, _) = made(&*known, PublicProtocol::of(&*known), None).expect("is proved");
        verified(&*public, &proof, None).expect("is a proof");
        let refused = made(&*known, PROTOCOLS[2], None).expect_err("is not about bits");
        assert!(matches!(refused, Error::Refused(Refusal::OnlyBitsInTheHead)));
    }
}

/// A circuit without a claim has no assertion, so everybody could prove it.
#[test]
fn nothing_is_proved_of_a_circuit_without_a_claim() {
    let bare = Named { target: file("1 3\n2 1 1\n1 1\n\n2 1 0 1 2 AND\n"), ..Named::default() };
    let statement = load(&bare).expect("is a circuit");
    for protocol in PROTOCOLS {
        let refused = made(&*statement, protocol, None).expect_err("claims nothing");
        assert!(matches!(refused, Error::Refused(Refusal::Bare { .. })), "{refused}");
    }
    let (proof, _) = made(&*known(&aes(), KEY), PROTOCOLS[2], None).expect("is proved");
    let refused = verified(&*statement, &proof, None).expect_err("claims nothing");
    assert!(matches!(refused, Error::Refused(Refusal::Bare { .. })), "{refused}");
}
