//! Any statement about bits is a claim about bytes, and one that nobody explains proves nothing.

use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use volery_circuit::statements::Sha256Preimage;
use volery_circuit::{Digest, Prove, Statement};

use super::*;

fn preimage(of: &[u8], length: usize) -> Sha256Preimage {
    Sha256Preimage::new(Sha256::digest(of).into(), length as u64).unwrap()
}

#[test]
fn a_hash_of_a_hidden_string_can_be_claimed() {
    let (secret, other) = (b"account 4711".to_vec(), b"account 4712".to_vec());
    let of = |message: &[u8]| {
        StatementClaim(
            preimage(&secret, secret.len()).with_message(Zeroizing::new(message.to_vec())).unwrap(),
        )
    };
    assert!(holds(&of(&secret), &secret));
    assert!(!holds(&of(&other), &secret), "P's statement holds another string");
    assert!(!holds(&of(&secret), &other), "the hidden string is another");
    assert!(!holds(&of(&other), &other));
    // V's circuit is P's: it needs no witness.
    let blind =
        circuit(&StatementClaim(preimage(&secret, secret.len())), Class::Opaque, secret.len()).unwrap();
    assert_eq!(blind, circuit(&of(&secret), Class::Opaque, secret.len()).unwrap());
    let longer = circuit(&StatementClaim(preimage(&secret, 3)), Class::Opaque, secret.len());
    assert!(matches!(longer, Err(Error::Public(_))));
}

/// "I know a salt whose XOR with the first byte is this."
struct Salted {
    sum: u8,
    witness: Option<(u8, u8)>,
}

impl<B: Prove<F2>> Statement<B> for Salted {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"salted").number("sum", self.sum.into());
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let known = || self.witness.ok_or_else(|| Error::Witness("none".into()));
        let byte = b.secret(8, &mut |_| Ok(bytes_to_bits(&[known()?.0])))?;
        let salt = b.secret(8, &mut |_| Ok(bytes_to_bits(&[known()?.1])))?;
        for ((byte, salt), bit) in byte.iter().zip(&salt).zip(bytes_to_bits(&[self.sum])) {
            let sum = b.add(byte, salt);
            let difference = b.add_constant(&sum, bit);
            b.assert_zero(&[difference])?;
        }
        Ok(())
    }
}

#[test]
fn a_statement_may_have_a_witness_of_its_own() {
    let claim = |salt| StatementClaim(Salted { sum: 5, witness: Some((7, salt)) });
    assert!(holds(&claim(2), &[7]) && !holds(&claim(3), &[7]) && !holds(&claim(2), &[6]));
    assert_eq!(circuit(&claim(2), Class::Opaque, 1).unwrap().input_wires(), 16);
    assert!(!holds(&StatementClaim(Salted { sum: 5, witness: None }), &[7]));
}

#[test]
fn a_claim_that_nobody_explains_proves_nothing() {
    let claim: Arc<dyn Claim> = Arc::new(Assertion::Digits);
    let own = CustomClaim::new("example.com/digits", &[1], claim).unwrap();
    assert!(holds(&own, b"17") && !holds(&own, b"x"));
    let known = vec![own.clone()];
    let mut read = CustomClaim::read(b"example.com/digits", &[1]).unwrap();
    assert_eq!(read, own);
    assert!(matches!(circuit(&read, Class::Opaque, 2), Err(Error::Public(_))));
    assert!(!read.explain(&Vec::new()) && !holds(&read, b"17"));
    assert!(read.explain(&known) && holds(&read, b"17"));
    let mut other = CustomClaim::read(b"example.com/digits", &[2]).unwrap();
    assert!(!other.explain(&known));
    for name in ["", "two words", &"n".repeat(MAX_NAME + 1)] {
        assert!(CustomClaim::read(name.as_bytes(), &[]).is_err(), "{name}");
    }
    assert!(CustomClaim::read(b"a", &[0; MAX_PARAMETERS + 1]).is_err());
}
