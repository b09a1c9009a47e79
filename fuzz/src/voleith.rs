//! Proofs from VOLE in the head: files.

use std::io::Cursor;

use volery::public::Message;
use volery::public::voleith::{Demands, Error, Header, Parameters, Proved, Settings, prove, verify};
use volery_field::F2;
use volery_zk::disjunction::AnyOf;

use crate::public::{Powers, of_the_lie_with};
use crate::replay::rng;

/// What a file is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// One of two statements.
    pub one_of_two: bool,
    /// A message.
    pub message: bool,
}

impl About {
    /// As the first byte of an input says, in bits 0 and 1.
    #[must_use]
    pub fn of(mode: u8) -> Self {
        Self { one_of_two: mode & 1 != 0, message: mode & 2 != 0 }
    }

    fn message(self) -> Option<Message> {
        self.message.then(|| Message::new(b"a message"))
    }
}

/// One of two statements, of which the second is always false.
fn one_of_two(first: Powers<F2>) -> AnyOf<F2, Powers<F2>> {
    AnyOf::new(vec![first, Powers::claimed(true)]).expect("two branches of one shape")
}

/// An honest proof.
#[must_use]
pub fn proof(parameters: Parameters, about: About) -> Vec<u8> {
    let (mut out, mut rng) = (Cursor::new(Vec::new()), rng(7));
    let settings = Settings { parameters, message: about.message(), ..Settings::default() };
    let proved: Result<Proved, Error> = if about.one_of_two {
        let known = one_of_two(Powers::KNOWN).with_choice(0).expect("one of two");
        prove(&known, &settings, &mut rng, &mut out)
    } else {
        prove(&Powers::<F2>::KNOWN, &settings, &mut rng, &mut out)
    };
    proved.expect("an honest proof");
    out.into_inner()
}

/// An honest proof with the digest of the false statement in place of the true one's, so that the claim is
/// what is refused and not the name.
#[must_use]
pub fn of_the_lie(proof: &[u8], about: About) -> Vec<u8> {
    let digest = |lie| match verified(&[proof, &[0]].concat(), about, lie) {
        Err(Error::OtherStatement { expected, .. }) => expected,
        _ => *Header::read(&mut &proof[..]).expect("a header").statement(),
    };
    of_the_lie_with(proof, digest(false), digest(true))
}

/// A file. The first byte says what it should be about ([`About::of`]), and whether the statement is false
/// (bit 2): then nothing is accepted.
pub fn voleith_proof(bytes: &[u8]) {
    let Some((mode, proof)) = bytes.split_first() else { return };
    let lie = mode & 4 != 0;
    let result = verified(proof, About::of(*mode), lie);
    assert!(!lie || result.is_err(), "a false statement is accepted");
}

/// What becomes of a file.
///
/// # Errors
/// Why it is no proof.
pub fn verified(proof: &[u8], about: About, lie: bool) -> Result<(), Error> {
    let demands = Demands { sigma: 80, message: about.message(), ..Demands::default() };
    let mut proof = proof;
    if about.one_of_two {
        return verify(&one_of_two(Powers::claimed(lie)), &demands, &mut proof).map(drop);
    }
    verify(&Powers::<F2>::claimed(lie), &demands, &mut proof).map(drop)
}
