//! Proofs of released formats still verify: small ones, checked in.
//!
//! `cargo test -p volery-mpcith --test stored -- --ignored` makes them anew, for a new version of the format only.

// Helpers outside test functions may fail a test too.
#![allow(clippy::expect_used)]

use std::path::PathBuf;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use volery_circuit::{Digest, Error, Prove, Statement};
use volery_field::{Bn254Scalar, F2, F61, Ring, Z32};
use volery_mpcith::{Parameters, Protocol, PublicRing, Settings, Verified, prove, verify};

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

fn path(ring: &str, protocol: Protocol) -> PathBuf {
    let name: String = ring.to_lowercase().replace(' ', "-");
    [env!("CARGO_MANIFEST_DIR"), "tests", "data", &format!("cubic-{name}-{protocol}-v1.proof")]
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
        let proof = std::fs::read(path(R::NAME, protocol)).expect("is there");
        let statement = Cubic::<R> { witness: None, ..cubic() };
        let verified = verify::<R, _>(&statement, &proof, parameters(), None);
        assert_eq!(verified, Ok(Verified { protocol, parameters: parameters() }), "{}", R::NAME);
        let other = Cubic::<R> { c: R::ZERO, witness: None };
        verify::<R, _>(&other, &proof, parameters(), None).expect_err("another statement");
    }
}

#[test]
fn proofs_of_version_one_still_verify() {
    stored::<F2>();
    stored::<Z32>();
    stored::<F61>();
    stored::<Bn254Scalar>();
}

fn make<R: PublicRing>() {
    for protocol in [Protocol::Zkboo, Protocol::Zkbpp] {
        let settings = Settings { protocol, parameters: parameters(), threads: None };
        let proof = prove(&cubic::<R>(), settings, &mut ChaCha20Rng::from_seed([1; 32])).expect("it holds");
        std::fs::write(path(R::NAME, protocol), proof).expect("can be written");
    }
}

#[test]
#[ignore = "makes the stored proofs anew"]
fn make_stored_proofs() {
    make::<F2>();
    make::<Z32>();
    make::<F61>();
    make::<Bn254Scalar>();
}
