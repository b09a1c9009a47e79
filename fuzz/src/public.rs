//! Proofs that anyone can verify: files, and the messages of their interactive form at either party.

use volery::public::{
    Demands, Error, Header, Message, Parameters, Program, Protocol, PublicRing, Settings, interactive,
    prove_program, verify_program,
};
use volery_channel::Channel;
use volery_circuit::{Digest, Error as StatementError, Prove, Statement};
use volery_field::{F2, F61, Ring, Z32};

use crate::replay::{against, rng};

/// Enough that no fuzzer guesses a challenge.
const SIGMA: u16 = 40;

/// "I know three elements from which a chain of products ends in this one."
pub struct Powers<R> {
    /// The end of the chain: one, or a false claim.
    pub end: R,
    /// Whether this party has the witness.
    pub knows: bool,
}

impl<R: Ring> Powers<R> {
    /// The true statement or a false one, at the verifier.
    #[must_use]
    pub fn claimed(lie: bool) -> Self {
        Self { end: if lie { R::ZERO } else { R::ONE }, knows: false }
    }

    /// The true statement, at the prover.
    pub const KNOWN: Self = Self { end: R::ONE, knows: true };
}

impl<R: Ring, B: Prove<R>> Statement<B> for Powers<R> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"fuzz: powers");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let x = b.secret(3, &mut |_| {
            let values = self.knows.then(|| vec![R::ONE; 3]);
            values.ok_or_else(|| StatementError::Witness("none was given".into()))
        })?;
        let mut last = x[0].clone();
        for i in 0..12 {
            last = b.mul(&last, &x[i % x.len()])?;
        }
        // A claim that one is zero is false for every witness; so is "x = 0" beside "x = 1".
        let difference = b.add_constant(&last, -self.end);
        let one = b.add_constant(&last, -R::ONE);
        b.assert_zero(&[difference, one])
    }
}

fn parameters() -> Parameters {
    Parameters::new(SIGMA).expect("is possible")
}

fn settings(protocol: Protocol) -> Settings<'static> {
    Settings { protocol, parameters: parameters(), ..Settings::default() }
}

fn program<R: PublicRing>(lie: bool) -> Program<R> {
    Program::new(&Powers::<R>::claimed(lie)).expect("a statement without values")
}

/// An honest proof.
#[must_use]
pub fn proof<R: PublicRing>(protocol: Protocol) -> Vec<u8> {
    let witness = Program::witness(&Powers::<R>::KNOWN).expect("holds");
    prove_program(&program::<R>(false), &witness, settings(protocol), &mut rng(7)).expect("an honest proof")
}

/// An honest proof about a message, too.
#[must_use]
pub fn bound_proof(protocol: Protocol) -> Vec<u8> {
    let witness = Program::witness(&Powers::<F2>::KNOWN).expect("holds");
    let settings = Settings { message: message(true), ..settings(protocol) };
    prove_program(&program::<F2>(false), &witness, settings, &mut rng(7)).expect("an honest proof")
}

fn message(bound: bool) -> Option<Message> {
    bound.then(|| Message::new(b"a message"))
}

/// What holds `bytes` of an honest run, made out for the false statement: its digest takes the place of the
/// true one's, so that the claim is what is refused and not the name.
#[must_use]
pub fn of_the_lie<R: PublicRing>(bytes: &[u8]) -> Vec<u8> {
    of_the_lie_with(bytes, *program::<R>(false).digest(), *program::<R>(true).digest())
}

/// The same, with the digests of both statements given.
#[must_use]
pub fn of_the_lie_with(bytes: &[u8], truth: [u8; 32], lie: [u8; 32]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let mut rest = &mut bytes[..];
    while let Some(at) = rest.windows(truth.len()).position(|window| *window == truth) {
        let (digest, after) = rest[at..].split_at_mut(truth.len());
        digest.copy_from_slice(&lie);
        rest = after;
    }
    bytes
}

/// What the first byte of an input says.
struct Mode {
    ring: u8,
    lie: bool,
    bound: bool,
    protocol: Protocol,
}

impl Mode {
    fn new(byte: u8) -> Self {
        let protocol = if byte & 8 == 0 { Protocol::Zkbpp } else { Protocol::Zkboo };
        Self { ring: byte & 3, lie: byte & 4 != 0, bound: byte & 16 != 0, protocol }
    }
}

/// A file. The first byte picks the ring (bits 0 and 1), whether it should be about a message (bit 4), and
/// whether the statement is false (bit 2): then nothing is accepted.
pub fn public_proof(bytes: &[u8]) {
    let Some((mode, proof)) = bytes.split_first() else { return };
    if let Ok(header) = Header::decode(proof) {
        assert_eq!(Header::decode(proof.get(..Header::BYTES).unwrap_or_default()), Ok(header));
    }
    let mode = Mode::new(*mode);
    let result = match mode.ring {
        0 | 1 => verified::<F2>(proof, mode.bound, mode.lie),
        2 => verified::<Z32>(proof, mode.bound, mode.lie),
        _ => verified::<F61>(proof, mode.bound, mode.lie),
    };
    assert!(!mode.lie || result.is_err(), "a false statement is accepted");
}

/// What becomes of a file.
///
/// # Errors
/// Why it is no proof.
pub fn verified<R: PublicRing>(proof: &[u8], bound: bool, lie: bool) -> Result<(), Error> {
    let demands = Demands { message: message(bound), ..parameters().into() };
    verify_program(&program::<R>(lie), proof, demands).map(drop)
}

/// All that a verifier sends, at the prover. The first byte picks the protocol (bit 3).
pub fn head_prover(bytes: &[u8]) {
    let Some((mode, rest)) = bytes.split_first() else { return };
    let _ = against(rest, |channel| as_prover(channel, Mode::new(*mode).protocol));
}

/// All that a prover sends, at the verifier. The first byte picks the protocol (bit 3) and whether the
/// statement is false (bit 2).
pub fn head_verifier(bytes: &[u8]) {
    let Some((mode, rest)) = bytes.split_first() else { return };
    let mode = Mode::new(*mode);
    let result = against(rest, |channel| as_verifier(channel, mode.protocol, mode.lie));
    assert!(!mode.lie || result.is_err(), "a false statement is accepted");
}

/// An honest prover.
///
/// # Errors
/// What its peer does wrong.
pub fn as_prover(channel: &mut dyn Channel, protocol: Protocol) -> Result<(), Error> {
    let witness = Program::witness(&Powers::<F2>::KNOWN)?;
    interactive::prove(channel, &program::<F2>(false), &witness, settings(protocol), &mut rng(3))
}

/// An honest verifier.
///
/// # Errors
/// What its peer does wrong.
pub fn as_verifier(channel: &mut dyn Channel, protocol: Protocol, lie: bool) -> Result<(), Error> {
    interactive::verify(channel, &program::<F2>(lie), settings(protocol), &mut rng(5)).map(drop)
}
