//! Making and checking proofs: two passes at P, one at V, and the transcript from which both challenges come.
//! (P runs the statement once more, before, for its values alone. If they are few enough to be kept, the
//! first pass is over these values and does not run the statement.)
//!
//! | absorbed, in this order | by P | by V |
//! |---|---|---|
//! | parameters, statement's digest, message | at the start | at the start |
//! | digest of the commitments to all leaves | as computed | from the opening |
//! | of each block of rows: corrections, masks | as made in the first pass | as read |
//! | counts and hash of all constants | of the first pass | of its own run |
//! | **challenge of columns and relations** | | |
//! | that challenge | | |
//! | hash of `u`, digest of all columns' hashes | as computed | the first as read, the second as computed |
//! | relations' combination, hash of zeros | as computed | as read |
//! | **key** | | |
//!
//! Each challenge is the first hash of a counter, under what was absorbed, that has enough zeros
//! ([`Parameters::key_grinding`], [`Parameters::column_grinding`]) and, for the key, an opening. V uses the
//! challenges that the proof begins with, absorbs what it reads, and at the end compares them with those that
//! follow.

mod prove;
mod verify;

#[cfg(test)]
pub(crate) use prove::Prover;
pub use prove::prove;
pub use verify::verify;

use std::sync::Arc;

use volery_circuit::{Digest, Message, Statement};
use volery_vole::{Oracle, SessionId, Transcript, keyed_hash_rows};
use volery_zk::quicksilver::{Seed, Tally};

use crate::header::Header;
use crate::{Error, Parameters, Shape};

/// How to make a proof.
#[derive(Clone, Default)]
pub struct Settings {
    /// The parameters.
    pub parameters: Parameters,
    /// A message that the proof is about, too.
    pub message: Option<Message>,
    /// Threads to work on. The proof's bytes do not depend on them.
    pub threads: Option<Arc<rayon::ThreadPool>>,
}

/// What a verifier demands: by default 128 bits, and no message.
#[derive(Clone)]
pub struct Demands {
    /// The least bits of soundness.
    pub sigma: u16,
    /// The message that the proof must be about; `None` if it must be about none.
    pub message: Option<Message>,
    /// Threads to work on.
    pub threads: Option<Arc<rayon::ThreadPool>>,
}

impl Default for Demands {
    fn default() -> Self {
        Self { sigma: 128, message: None, threads: None }
    }
}

/// What was proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proved {
    /// The parameters.
    pub parameters: Parameters,
    /// The counts of the statement's operations.
    pub tally: Tally,
    /// The proof's length in bytes.
    pub bytes: u64,
}

/// The identity of a statement over bits. Proofs contain it.
fn identity<B: volery_circuit::Backend>(statement: &(impl Statement<B> + ?Sized)) -> [u8; 32] {
    let mut digest = Digest::new();
    digest.bytes("public proof from VOLE in the head over", b"F2");
    statement.identify(&mut digest);
    digest.finish()
}

/// The transcript of a proof up to the commitments to leaves.
fn start(header: &Header, message: Option<&Message>, root: &[u8; 32]) -> Transcript {
    let mut transcript = Transcript::new("voleith", &SessionId::new(header.salt));
    transcript.absorb("parameters", header.parameters.name().as_bytes());
    transcript.absorb("statement", &header.statement);
    match message {
        Some(message) => transcript.absorb("message", message.digest()),
        None => transcript.absorb("no message", &[]),
    }
    transcript.absorb("commitments to leaves", root);
    transcript
}

/// The hash of a counter under a seed, if it has this many zeros; a challenge that costs work.
fn work(seed: &[u8; 32], counter: u32, zeros: u32) -> Option<[u8; 32]> {
    let hash = *blake3::keyed_hash(seed, &counter.to_le_bytes()).as_bytes();
    has_zeros(&hash, zeros).then_some(hash)
}

fn has_zeros(hash: &[u8; 32], zeros: u32) -> bool {
    let word = hash.as_chunks().0.last().map_or(0, |word| u64::from_le_bytes(*word));
    u64::from(word.trailing_zeros()) >= u64::from(zeros)
}

/// The counters for which there is [`work`], and their hashes, which are made several at once.
pub(crate) fn all_work(seed: &[u8; 32], zeros: u32) -> impl Iterator<Item = (u32, [u8; 32])> {
    const AT_ONCE: usize = 64;
    let hashes = |first: u32| {
        let (mut counters, mut hashes) = ([[0; 4]; AT_ONCE], [[0; 32]; AT_ONCE]);
        let numbers = (first..=u32::MAX).zip(&mut counters);
        numbers.for_each(|(counter, bytes)| *bytes = counter.to_le_bytes());
        keyed_hash_rows(seed, counters.as_flattened(), 4, &mut hashes);
        (first..=u32::MAX).zip(hashes)
    };
    (0..=u32::MAX).step_by(AT_ONCE).flat_map(hashes).filter(move |(_, hash)| has_zeros(hash, zeros))
}

/// The bits of the key in its hash.
pub(crate) fn key_of(shape: Shape, hash: &[u8; 32]) -> u128 {
    let low = hash.as_chunks().0.first().map_or(0, |low| u128::from_le_bytes(*low));
    low & ((1 << shape.key_bits()) - 1)
}

/// What the first challenge selects: the hash of the columns, and the coefficients of the relations.
fn selected(challenge: [u8; 32]) -> ([u8; 32], Seed) {
    let oracle = Oracle::new("voleith: columns and relations", &SessionId::new(challenge));
    (oracle.hash(0, &[b"columns"]), Seed::from(oracle.hash::<24>(0, &[b"relations"])))
}

/// Absorbs what comes between the two challenges.
fn absorb_answers(
    transcript: &mut Transcript,
    challenge: &[u8; 32],
    columns: &[u8],
    opening: &[u8],
    assertions: &[u8],
) {
    transcript.absorb("challenge", challenge);
    transcript.absorb("hashes of the columns", columns);
    transcript.absorb("combination of the relations", opening);
    transcript.absorb("hash of the zeros", assertions);
}

/// The error of a run, or the one that its channel could only describe.
pub(crate) fn resolve<T>(result: Result<T, volery_zk::Error>, fault: Option<Error>) -> Result<T, Error> {
    use volery_zk::Error as Zk;
    result.map_err(|error| match (fault, error) {
        (Some(fault), _) => fault,
        (None, Zk::Statement(error)) => Error::Statement(error),
        (None, Zk::Rejected { reason }) => Error::Rejected(reason),
        (None, Zk::Malformed { reason, .. }) => Error::malformed("the masks", reason),
        (None, Zk::Correlations(error @ volery_vole::Error::Misuse(_))) => {
            Error::malformed("the corrections", error.to_string())
        }
        (None, error) => Error::Internal(error.to_string()),
    })
}

/// A proof without claims would be accepted from anybody.
fn claims_something(tally: &Tally) -> Result<(), Error> {
    if tally.claims() > 0 {
        return Ok(());
    }
    Err(volery_circuit::Error::nothing_claimed().into())
}

/// The greatest degree of a relation, products included.
fn degree_of(tally: &Tally) -> Result<u32, Error> {
    u32::try_from(tally.degree.max(2))
        .map_err(|_| Error::Parameters("a polynomial has too great a degree".into()))
}

fn no_counter() -> Error {
    Error::Internal("no counter gives a challenge".into())
}

pub(crate) fn too_long() -> Error {
    Error::Parameters("the statement is too long for a file".into())
}
