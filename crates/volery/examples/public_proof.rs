//! A proof that anyone can verify: "I know a message with this SHA-256 digest", as a file.
//!
//! Run it with `cargo run -p volery --example public_proof`.
//!
//! The other examples convince one verifier, who takes part. This proof is a string of bytes. It can be put
//! on a website, and whoever likes verifies it, at any time and without a secret. It is larger for that: some
//! 27 bytes an AND gate.

use std::error::Error;

use volery::circuit::Evaluator;
use volery::circuit::gadgets::bits_to_bytes;
use volery::field::F2;
use volery::public::{Demands, Settings, prove, verify};
use volery::statements::Sha256Preimage;
use volery::{Zeroizing, os_rng};

fn main() -> Result<(), Box<dyn Error>> {
    let message = b"Meet me at the pier at nine.";
    let length = message.len() as u64;
    let statement = |digest| Sha256Preimage::new(digest, length);
    let secret = || Zeroizing::new(message.to_vec());

    // What the digest is: the statement computes it, whatever it claims.
    let bits = Evaluator::<F2>::compute(&statement([0; 32])?.with_message(secret())?)?;
    let digest: [u8; 32] = bits_to_bytes(&bits).ok_or("whole bytes")?.try_into().map_err(|_| "32 bytes")?;

    // The prover needs the message, and randomness.
    let known = statement(digest)?.with_message(secret())?;
    let proof = prove::<F2, _>(&known, Settings::default(), &mut os_rng()?)?;
    println!("the proof has {} bytes", proof.len());

    // Anyone verifies it with the claim alone. `Demands` say how much soundness it must have: 128 bits
    // here.
    let claim = statement(digest)?;
    verify::<F2, _>(&claim, &proof, Demands::default())?;
    println!("the proof holds");

    // A proof of another claim it is not.
    let mut other = digest;
    other[0] ^= 1;
    let refused = verify::<F2, _>(&statement(other)?, &proof, Demands::default());
    println!("of another digest: {}", refused.err().ok_or("it was taken for a proof of another digest")?);

    // Nor can it be changed: there is one bit wrong in the middle of this one.
    let mut changed = proof;
    let middle = changed.len() / 2;
    changed[middle] ^= 1;
    let refused = verify::<F2, _>(&claim, &changed, Demands::default());
    println!("with a bit changed: {}", refused.err().ok_or("a changed proof was accepted")?);
    Ok(())
}

#[test]
fn the_example_ends_well() -> Result<(), Box<dyn Error>> {
    main()
}
