//! Proofs as bytes, made and verified without interaction.
//!
//! The challenge is a hash of the header and of the first message (Fiat-Shamir), so a proof is
//!
//! ```text
//! header   magic 16 | version u16 | protocol u8 | message bound u8 | sigma u16 | repetitions u16
//!          | secrets u64 | multiplications u64 | claims u64 | statement digest 32 | salt 32           112 bytes
//! ZKBoo    header | first message | response
//! ZKB++    header | digest 32 | response             digest: the hash of the first message
//! ```
//!
//! Numbers are little-endian, and packed elements are canonical. A verifier of ZKB++ expands the challenge
//! from the digest, computes the first message that the response implies, and compares its hash. A verifier
//! of ZKBoo reads the first message from the file, and can say which repetition is wrong and how. Either way
//! the challenge comes only from a hash, and the hash covers **all three output shares** of every repetition:
//! without them anyone could forge.
//!
//! **A message** ([`Settings::message`]) that the proof is about, too, enters the challenge: its digest
//! follows the header in the hash, and the header says whether there is one. So a proof about one message is,
//! for another message or for none, a first message with the answer to another challenge, which is worth
//! nothing. Nor does P answer two challenges about one first message if its generator repeats: seeds depend
//! on the message.

mod header;
pub(crate) mod sigma;
#[cfg(test)]
pub(crate) mod tests;

use rand_core::CryptoRng;
use volery_circuit::{Evaluator, Message, Recorder, Statement, Witness, counted};
use zeroize::{Zeroize, Zeroizing};

pub use header::Header;

use crate::challenge::{self, Trit};
use crate::program::{Program, Shape};
use crate::rings::PublicRing;
use crate::{Counts, Error, Parameters, Protocol};
use sigma::Committed;

/// The settings of a proof.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings<'a> {
    /// The proof system.
    pub protocol: Protocol,
    /// The soundness.
    pub parameters: Parameters,
    /// A message that the proof is about, too.
    pub message: Option<Message>,
    /// The threads to compute on; `None` means the caller's thread.
    pub threads: Option<&'a rayon::ThreadPool>,
}

/// What a verifier demands of a proof: by default 128 bits of soundness, and no message.
#[derive(Clone, Copy, Debug, Default)]
pub struct Demands<'a> {
    /// The least soundness.
    pub parameters: Parameters,
    /// The message that the proof must be about; `None` if it must be about none.
    pub message: Option<Message>,
    /// The threads to compute on; `None` means the caller's thread.
    pub threads: Option<&'a rayon::ThreadPool>,
}

impl From<Parameters> for Demands<'_> {
    fn from(parameters: Parameters) -> Self {
        Self { parameters, ..Self::default() }
    }
}

/// The length of the digest of the first message, in bytes.
const DIGEST: usize = 32;

/// The occasion of a proof in a file. That of an interactive proof is its verifier's promise.
const FILE: &[u8] = b"file";

/// Makes a proof of `statement`, which holds its witness.
///
/// # Errors
/// [`Error::Statement`] if it does not hold or cannot be recorded as a circuit; [`Error::Parameters`].
pub fn prove<R, S>(statement: &S, settings: Settings<'_>, rng: &mut impl CryptoRng) -> Result<Vec<u8>, Error>
where
    R: PublicRing,
    S: Statement<Recorder<R>> + Statement<Evaluator<R>> + ?Sized,
{
    let witness = Program::witness(statement)?;
    prove_program(&Program::new(statement)?, &witness, settings, rng)
}

/// Makes a proof of `program` for a witness from [`Program::witness`].
///
/// # Errors
/// [`Error::Parameters`] unless there is one value for each secret; [`Error::Statement`] if they do not
/// satisfy the program.
pub fn prove_program<R: PublicRing>(
    program: &Program<R>,
    witness: &Witness<R>,
    settings: Settings<'_>,
    rng: &mut impl CryptoRng,
) -> Result<Vec<u8>, Error> {
    let (header, committed) = commit(program, witness, settings, FILE, rng)?;
    let digest = header.digest(settings.message.as_ref(), committed.first());
    let challenge = challenge::expand(&digest, header.repetitions());
    let response = sigma::response_bytes(header.protocol(), program.shape(), &challenge);
    let mut proof = Vec::with_capacity(Header::BYTES + DIGEST + committed.first().len() + response);
    proof.extend_from_slice(&header.encode());
    match header.protocol() {
        Protocol::Zkboo => proof.extend_from_slice(committed.first()),
        Protocol::Zkbpp => proof.extend_from_slice(&digest),
    }
    committed.respond(&challenge, &mut proof);
    Ok(proof)
}

/// The first move, with fresh salt and seeds.
///
/// They also depend on the message and on `occasion`, which together with the first message itself are
/// everything that the challenge can depend on. See [`draw`].
pub(crate) fn commit<R: PublicRing>(
    program: &Program<R>,
    witness: &Witness<R>,
    settings: Settings<'_>,
    occasion: &[u8],
    rng: &mut impl CryptoRng,
) -> Result<(Header, Committed), Error> {
    let mut secret = Zeroizing::new([0; 32]);
    rng.fill_bytes(&mut *secret);
    let (header, seeds) = draw(&secret, program, witness, settings, occasion);
    let committed = Committed::new(program, witness.values(), &header, &seeds, settings.threads)?;
    if !committed.claims_hold::<R>() {
        // Nobody would accept the proof, and its output shares would reveal the values of the claimed wires.
        let reason = "its values do not satisfy the statement".to_owned();
        return Err(volery_circuit::Error::Witness(reason).into());
    }
    Ok((header, committed))
}

/// The header with its salt, and three seeds for each repetition. They are BLAKE3, keyed with the secret, of
/// everything that a proof depends on.
///
/// So repeated randomness (after a snapshot of a machine, say) is not a disaster: a proof of another
/// statement, for another witness, about another message or on another occasion has other seeds. Message and
/// occasion matter because a verifier who meets the same prover twice, with two challenges, would otherwise
/// get two answers to one first message, which together open all three players.
fn draw<R: PublicRing>(
    secret: &[u8; 32],
    program: &Program<R>,
    witness: &Witness<R>,
    settings: Settings<'_>,
    occasion: &[u8],
) -> (Header, Zeroizing<Vec<[u8; Shape::SEED]>>) {
    let mut header = Header::new(program, &settings, [0; 32]);
    let mut encodings = Zeroizing::new(vec![0; witness.values().len().saturating_mul(R::BYTES)]);
    for (value, encoding) in witness.values().iter().zip(encodings.chunks_exact_mut(R::BYTES)) {
        // Encoding fails only for a wrong length, and the chunk has the right one.
        let encoded = value.encode(encoding);
        debug_assert_eq!(encoded, Ok(()));
    }
    let mut hasher = blake3::Hasher::new_keyed(secret);
    hasher.update(&(occasion.len() as u64).to_le_bytes()).update(occasion);
    // The header says whether there is a message.
    let message = settings.message.as_ref().map_or(&[][..], |message| message.digest());
    hasher.update(&header.encode()).update(message).update(&encodings);
    let mut stream = hasher.finalize_xof();
    hasher.zeroize();
    let mut seeds = Zeroizing::new(vec![[0; Shape::SEED]; 3 * header.repetitions()]);
    stream.fill(&mut header.salt);
    stream.fill(seeds.as_flattened_mut());
    stream.zeroize();
    (header, seeds)
}

/// The properties of a verified proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Its protocol.
    pub protocol: Protocol,
    /// Its soundness.
    pub parameters: Parameters,
}

/// Verifies a proof of `statement`, of either protocol. The bytes are hostile.
///
/// # Errors
/// [`Error::Malformed`] and [`Error::Version`] for bytes that are not a proof; [`Error::OtherStatement`],
/// [`Error::Mismatch`], [`Error::Message`] and [`Error::Soundness`] for a proof of something else, or worth
/// less; [`Error::Repetition`] and [`Error::Challenge`] for a wrong proof ([`Error::is_rejection`]);
/// [`Error::Statement`].
pub fn verify<R, S>(statement: &S, proof: &[u8], demands: Demands<'_>) -> Result<Verified, Error>
where
    R: PublicRing,
    S: Statement<Recorder<R>> + ?Sized,
{
    verify_program(&Program::<R>::new(statement)?, proof, demands)
}

/// Verifies a proof of `program`; see [`verify`].
///
/// # Errors
/// As [`verify`].
pub fn verify_program<R: PublicRing>(
    program: &Program<R>,
    proof: &[u8],
    demands: Demands<'_>,
) -> Result<Verified, Error> {
    let header = Header::decode(proof)?;
    header.suits(program, &demands)?;
    let body = proof.get(Header::BYTES..).unwrap_or_default();
    match header.protocol() {
        Protocol::Zkboo => verify_zkboo(program, &header, body, &demands)?,
        Protocol::Zkbpp => verify_zkbpp(program, &header, body, &demands)?,
    }
    Ok(Verified { protocol: header.protocol(), parameters: header.parameters() })
}

fn verify_zkboo<R: PublicRing>(
    program: &Program<R>,
    header: &Header,
    body: &[u8],
    demands: &Demands<'_>,
) -> Result<(), Error> {
    let first = program.shape().first().saturating_mul(header.repetitions());
    let (first, response) = split(body, first, "the first message")?;
    let digest = header.digest(demands.message.as_ref(), first);
    let challenge = challenge::expand(&digest, header.repetitions());
    measure(program, header, &challenge, first.len(), response)?;
    sigma::check(program, header, &challenge, Some(first), response, demands.threads).map(drop)
}

fn verify_zkbpp<R: PublicRing>(
    program: &Program<R>,
    header: &Header,
    body: &[u8],
    demands: &Demands<'_>,
) -> Result<(), Error> {
    let (digest, response) = split(body, DIGEST, "the digest")?;
    // `split` has checked the length.
    let digest: &[u8; DIGEST] =
        digest.first_chunk().ok_or(Error::Internal("the length of the digest was not checked"))?;
    let challenge = challenge::expand(digest, header.repetitions());
    measure(program, header, &challenge, DIGEST, response)?;
    let first = sigma::check(program, header, &challenge, None, response, demands.threads)?;
    if header.digest(demands.message.as_ref(), &first) == *digest { Ok(()) } else { Err(Error::Challenge) }
}

fn split<'a>(body: &'a [u8], at: usize, part: &'static str) -> Result<(&'a [u8], &'a [u8]), Error> {
    body.split_at_checked(at).ok_or_else(|| {
        let reason = format!("the file has {} of its {at} bytes: it was cut off", body.len());
        Error::malformed(Header::BYTES, part, reason)
    })
}

/// Checks that the response to `challenge` has the right length.
fn measure<R: PublicRing>(
    program: &Program<R>,
    header: &Header,
    challenge: &[Trit],
    before: usize,
    response: &[u8],
) -> Result<(), Error> {
    let expected = sigma::response_bytes(header.protocol(), program.shape(), challenge);
    if response.len() == expected {
        return Ok(());
    }
    let reason = format!(
        "{}, not {expected}: the file was cut off or changed, something was appended, or it is about another message",
        counted(response.len() as u64, "byte")
    );
    Err(Error::malformed(Header::BYTES + before, "the opened views", reason))
}

/// The least and the greatest length, in bytes, of a proof of a statement with these counts. They differ for
/// ZKB++, where two of the three challenges require player 3's input share. The average is
/// [`expected_bytes`].
#[must_use]
pub fn proof_bytes<R: PublicRing>(counts: Counts, protocol: Protocol, parameters: Parameters) -> [u64; 2] {
    let (shape, repetitions) = (Shape::new::<R>(counts), parameters.repetitions());
    let before = match protocol {
        Protocol::Zkboo => shape.first().saturating_mul(repetitions),
        Protocol::Zkbpp => DIGEST,
    };
    [Trit::ALL[0], Trit::ALL[1]].map(|e| {
        let response = sigma::response_bytes(protocol, shape, &vec![e; repetitions]);
        (Header::BYTES as u64).saturating_add(before as u64).saturating_add(response as u64)
    })
}

/// The average length, in bytes, of a proof of a statement with these counts: two thirds of the way from the
/// least of [`proof_bytes`] to the greatest. The length of a ZKB++ proof with 219 repetitions has a standard
/// deviation of 7 input shares.
#[must_use]
pub fn expected_bytes<R: PublicRing>(counts: Counts, protocol: Protocol, parameters: Parameters) -> u64 {
    let [least, most] = proof_bytes::<R>(counts, protocol, parameters);
    most - (most - least) / 3
}
