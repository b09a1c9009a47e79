//! Proofs from VOLE in the head: files.

use std::io::Cursor;

use volery::public::voleith::{Demands, Error, Header, Parameters, Settings, prove, verify};
use volery_field::F2;

use crate::public::{Powers, of_the_lie_with};
use crate::replay::rng;

/// An honest proof.
#[must_use]
pub fn proof(parameters: Parameters) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    let settings = Settings { parameters, ..Settings::default() };
    prove(&Powers::<F2>::KNOWN, &settings, &mut rng(7), &mut out).expect("an honest proof");
    out.into_inner()
}

/// An honest proof with the digest of the false statement in place of the true one's, so that the claim is
/// what is refused and not the name.
#[must_use]
pub fn of_the_lie(proof: &[u8]) -> Vec<u8> {
    let digest = |lie| match verified(&[proof, &[0]].concat(), lie) {
        Err(Error::OtherStatement { expected, .. }) => expected,
        _ => *Header::read(&mut &proof[..]).expect("a header").statement(),
    };
    of_the_lie_with(proof, digest(false), digest(true))
}

/// A file. The first byte says whether the statement is false (bit 2): then nothing is accepted.
pub fn voleith_proof(bytes: &[u8]) {
    let Some((mode, proof)) = bytes.split_first() else { return };
    let lie = mode & 4 != 0;
    let result = verified(proof, lie);
    assert!(!lie || result.is_err(), "a false statement is accepted");
}

/// What becomes of a file.
///
/// # Errors
/// Why it is no proof.
pub fn verified(proof: &[u8], lie: bool) -> Result<(), Error> {
    let demands = Demands { sigma: 80, ..Demands::default() };
    verify(&Powers::<F2>::claimed(lie), &demands, &mut &proof[..]).map(drop)
}
