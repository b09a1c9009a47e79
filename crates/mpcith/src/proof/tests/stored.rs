//! Proofs of released formats still verify: small ones, checked in.
//!
//! `cargo test -p volery-mpcith --lib make_stored -- --ignored` makes them anew, for a new version of the
//! format only. The tests only use what the crate exports. They are here and not in a program of their own
//! because that would compile every protocol over every ring once more.

use std::path::PathBuf;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use volery_circuit::statements::Sha256Preimage;
use volery_circuit::{BristolFile, Claim, Digest, Error, FileStatement, Prove, Statement, Witness};
use volery_field::{Bn254Scalar, F2, F61, Gf256, Ring, Z32, Z64};
use zeroize::Zeroizing;

use crate::{Parameters, Protocol, PublicRing, Settings, Verified, prove, verify};

/// "I know x and y with (x + y + 1) x y = c", with a hint that computes the product of both.
struct Cubic<R> {
    c: R,
    witness: Option<[R; 2]>,
}

impl<R: Ring, B: Prove<R>> Statement<B> for Cubic<R> {
    fn identify(&self, digest: &mut Digest) {
        let mut c = vec![0; R::BYTES];
        self.c.encode(&mut c).expect("has the length");
        digest.bytes("statement", b"test: cubic v1").bytes("c", &c);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let none = || Error::Witness("none was given".into());
        let x = b.secret(2, &mut |_| Ok(self.witness.ok_or_else(none)?.to_vec()))?;
        let product = b.secret(1, &mut |peek| Ok(vec![peek.value(&x[0]) * peek.value(&x[1])]))?;
        let same = b.mul(&x[0], &x[1])?;
        let difference = b.sub(&same, &product[0]);
        let sum = b.add(&x[0], &x[1]);
        let sum = b.add_constant(&sum, R::ONE);
        let cube = b.mul(&sum, &product[0])?;
        let rest = b.add_constant(&cube, -self.c);
        b.assert_zero(&[difference, rest])
    }
}

/// The path of a stored proof of `statement` over `ring`.
fn path(statement: &str, ring: &str, protocol: Protocol) -> PathBuf {
    let ring =
        ring.to_lowercase().replace(' ', "-").replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "");
    [env!("CARGO_MANIFEST_DIR"), "tests", "data", &format!("{statement}-{ring}-{protocol}-v1.proof")]
        .iter()
        .collect()
}

fn parameters() -> Parameters {
    Parameters::new(40).expect("in range")
}

fn cubic<R: Ring>() -> Cubic<R> {
    Cubic { c: (R::ONE + R::ONE + R::ONE) * R::ONE, witness: Some([R::ONE, R::ONE]) }
}

fn stored<R: PublicRing>() {
    for protocol in [Protocol::Zkboo, Protocol::Zkbpp] {
        let proof = std::fs::read(path("cubic", R::NAME, protocol)).expect("is there");
        let statement = Cubic::<R> { witness: None, ..cubic() };
        let verified = verify::<R, _>(&statement, &proof, parameters().into());
        assert_eq!(verified, Ok(Verified { protocol, parameters: parameters() }), "{}", R::NAME);
        let other = Cubic::<R> { c: R::ZERO, witness: None };
        verify::<R, _>(&other, &proof, parameters().into()).expect_err("another statement");
    }
}

/// Calls a function for a ring of every kind; with the feature `every-field` for every ring of which a proof
/// is stored.
macro_rules! over_every_ring {
    ($function:ident) => {
        $function::<F2>();
        $function::<Z32>();
        $function::<Z64>();
        $function::<F61>();
        $function::<Gf256>();
        $function::<Bn254Scalar>();
        #[cfg(feature = "every-field")]
        {
            use volery_field::{Bls12381Scalar, F32, Goldilocks, P256Base, RistrettoScalar, Secp256k1Base};
            $function::<F32>();
            $function::<Goldilocks>();
            $function::<Bls12381Scalar>();
            $function::<RistrettoScalar>();
            $function::<Secp256k1Base>();
            $function::<P256Base>();
        }
    };
}

#[test]
fn proofs_of_version_one_still_verify() {
    over_every_ring!(stored);
}

/// FIPS 180-4's example: SHA-256 of "abc".
const ABC: [u8; 32] = [
    0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23, 0xb0,
    0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad,
];

/// Few repetitions keep the file small; the circuit is what matters.
fn preimage_parameters() -> Parameters {
    Parameters::new(4).expect("in range")
}

fn preimage() -> Sha256Preimage {
    Sha256Preimage::new(ABC, 3).expect("fits")
}

/// A change of the SHA-256 gadget would be one of what proofs are about.
#[test]
fn proofs_of_a_sha256_preimage_still_verify() {
    for protocol in [Protocol::Zkboo, Protocol::Zkbpp] {
        let proof = std::fs::read(path("sha256-abc", F2::NAME, protocol)).expect("is there");
        let verified = verify::<F2, _>(&preimage(), &proof, preimage_parameters().into());
        assert_eq!(verified, Ok(Verified { protocol, parameters: preimage_parameters() }));
        let other = Sha256Preimage::new(ABC, 4).expect("fits");
        verify::<F2, _>(&other, &proof, preimage_parameters().into()).expect_err("another statement");
    }
}

/// A circuit file with a constant gate. The claim names both outputs; the second is that constant.
fn constants() -> FileStatement {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "data", "constants.txt"].iter().collect();
    let file = BristolFile::open(path).expect("well-formed");
    let claim = Claim::parse(b"output 0 = 0b1\noutput 1 = 0b1\n", "claim", file.signature()).expect("fits");
    FileStatement::new(file, claim).expect("claims something")
}

/// What constants fold to is part of what proofs are about: a gate more, and old proofs are of another
/// statement.
#[test]
fn proofs_of_a_circuit_with_constant_outputs_still_verify() {
    for protocol in [Protocol::Zkboo, Protocol::Zkbpp] {
        let proof = std::fs::read(path("constants", F2::NAME, protocol)).expect("is there");
        let verified = verify::<F2, _>(&constants(), &proof, parameters().into());
        assert_eq!(verified, Ok(Verified { protocol, parameters: parameters() }));
    }
}

fn make<R: PublicRing>() {
    for protocol in [Protocol::Zkboo, Protocol::Zkbpp] {
        let settings = Settings { protocol, parameters: parameters(), ..Settings::default() };
        let proof = prove(&cubic::<R>(), settings, &mut ChaCha20Rng::from_seed([1; 32])).expect("it holds");
        std::fs::write(path("cubic", R::NAME, protocol), proof).expect("can be written");
    }
}

#[test]
#[ignore = "makes the stored proofs anew"]
fn make_stored_proofs() {
    over_every_ring!(make);
    let witness = Witness::parse(b"0b11", "witness", &constants().signature()).expect("fits");
    let with_constants = constants().with_witness(witness).expect("fits");
    let statement = preimage().with_message(Zeroizing::new(b"abc".to_vec())).expect("fits");
    for protocol in [Protocol::Zkboo, Protocol::Zkbpp] {
        let settings = Settings { protocol, parameters: preimage_parameters(), ..Settings::default() };
        let proof = prove(&statement, settings, &mut ChaCha20Rng::from_seed([1; 32])).expect("it holds");
        std::fs::write(path("sha256-abc", F2::NAME, protocol), proof).expect("can be written");
        let settings = Settings { protocol, parameters: parameters(), ..Settings::default() };
        let proof = prove(&with_constants, settings, &mut ChaCha20Rng::from_seed([1; 32])).expect("it holds");
        std::fs::write(path("constants", F2::NAME, protocol), proof).expect("can be written");
    }
}
