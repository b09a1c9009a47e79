//! Proofs without a connection: correlations are made over the network once, stored, and spent later.
//!
//! ```text
//!          over the network, before anybody knows what will be proved
//! P, V     preprocess::prover / preprocess::verifier    ->  P.vole (tags)   V.vole (keys and delta)
//!          later, without a connection
//! P        ProverFile::open(P.vole).prove(system, statement)    ->  proof
//! V        VerifierFile::open(V.vole).verify(system, statement, proof)
//! ```
//!
//! A proof is P's part of [`volery_zk::quicksilver`] with hashed challenges, in a file. It convinces the
//! holder of V.vole and nobody else.
//!
//! # A correlation is used once
//!
//! Two proofs that use the same correlation show the XOR of two secret bits, and more. So:
//!
//! * P takes correlations from the front to the back; V takes what a proof names, in any order, each once.
//! * Before a correlation is used, its range is recorded as consumed in both of the file's state slots, one
//!   after the other, each followed by `fsync`. Only then is anything written that depends on it. Whenever
//!   the process is killed or the power fails, one slot is sound and says at least as much as has left;
//!   ranges that were recorded and not used are lost. As both slots hold the state, damage to either does not
//!   bring a correlation back.
//! * After use the range is overwritten with zeros, checksums included. (Best effort: file systems that copy
//!   on write and flash keep older versions. It guards the past: who takes the file later cannot open earlier
//!   proofs; and it is a second fence: a range that was wiped cannot be read.)
//! * The file is locked while it is open; a second process is refused.
//!
//! **A copy of the file defeats all of this**, and so does a restored backup, a rolled back snapshot of a
//! virtual machine, and a file synchroniser. Exclude the files from backups; if in doubt about a file, delete
//! it. The lock needs a file system that has locks; do not share the file between machines.
//!
//! # After a rejection V's file is gone
//!
//! That a proof was rejected may tell a cheating P something about delta, so all correlations under that
//! delta are destroyed: V records the file as burnt before it says so, and wipes it. Whatever is wrong with a
//! proof before the first key is used (a damaged file, another session, another statement, a range that was
//! used) does not burn. But who can hand V a proof with a valid header can burn the file: take proofs from P
//! only. A pair belongs to one session, and a session makes one pair, so that no sibling under the same delta
//! outlives it.
//!
//! # P may know everything but V's last bytes
//!
//! A P that guesses a piece of V's delta while correlations are made chooses their values, and the session
//! that made the pair is known then. So challenges also depend on what V draws when nothing of the
//! correlations can change any more: the pair is made in a linked session
//! ([`volery_vole::correlations::Source::chain`]), both headers keep the chain of all of the file, and the
//! transcript of every proof begins with it. However long a file lives and whatever is proved from it, all of
//! its correlations were fixed before any of its challenges could be computed. Files and proofs of version 1
//! had no chain: a P that chose its correlations could prove what is false. They are refused
//! ([`Error::Unsound`]).
//!
//! The challenges are hashes of session, statement, settings, the range of correlations and the chain, and of
//! all that P sends; what a proof is worth is in its [`Report::soundness`], hash computations counted over
//! the life of the file.
//!
//! # Formats
//!
//! Numbers are little-endian, unused bytes zero, checksums BLAKE3 in derive-key or keyed mode. One value has
//! one encoding. Checksums find accidents; who may write to the file can do anything to its owner, and who
//! may read it can break the proofs (P's: learn the witness; V's: forge). Files are made with mode 0600.
//!
//! ```text
//! correlation file                                        proof file
//!      0  header: 4096 bytes                                   0  header, see below: 174 bytes
//!   4096  state slot A: 4096                                 174  frames: tag u8 | length u32 | payload
//!   8192  state slot B: 4096
//!  12288  key block: 4096 (V: delta 16 | checksum 16; P: zeros)
//!  16384  chunks of 4112 bytes: 256 correlations of 16 bytes | checksum 16
//!
//! header   magic 16 | version u16 | role u8 | session id 32 | correlations u64 | interval u32 | chain 32 | zeros | checksum 32
//! slot     magic 8 | sequence u64 | burnt u8 | last range 2 x u64 | n u16 | n consumed ranges 2 x u64 | zeros | checksum 32
//! proof    magic 16 | version u16 | session id 32 | statement digest 32 | interval u32 | range 2 x u64
//!          | length of the frames u64 | hash of the frames 32 | checksum 32
//! ```
//!
//! Ranges are half-open, in correlations, and begin and end at chunks, so that consumed chunks can be wiped:
//! a proof wastes at most 255 correlations (and, of a statement with polynomials or disjunctions, some
//! hundreds for each check). V's list has at most 248 ranges; beyond that the lowest gap between two of them
//! is given up (proofs that fill it can no longer be verified).
//!
//! Correlations are stored plain, 16 bytes each. The seeds that they grow from would take a hundredth of it,
//! but a seed makes a whole round: what is consumed could not be wiped before the round ends.
//!
//! # Map
//!
//! | module | what it holds |
//! |---|---|
//! | [`preprocess`] | making a pair of files over a session |
//! | `prover`, `verifier` | [`ProverFile`], [`VerifierFile`] |
//! | `store` | an open correlation file: lock, consumption, wiping |
//! | `header`, `state`, `chunks` | its three parts |
//! | `proof` | a proof's header, and its frames as a [`Channel`](crate::Channel) |
//! | `disk` | the file operations underneath, which tests replace |

mod chunks;
mod codec;
mod disk;
mod error;
#[doc(hidden)]
pub mod fuzz;
mod header;
mod info;
pub mod preprocess;
mod proof;
mod prover;
mod state;
mod store;
mod temporary;
#[cfg(test)]
mod tests;
mod verifier;

pub use error::Error;
pub use info::{Info, Report};
pub use proof::MAGIC as PROOF_MARK;
pub use prover::ProverFile;
pub use verifier::VerifierFile;

use volery_circuit::{Counter, Error as StatementError, Statement};
use volery_field::F2;
use volery_zk::quicksilver::{
    Challenges,
    bits::{Program, Settings},
};

/// Correlations that a proof of `statement` takes out of a file with this header: whole chunks.
///
/// Where blocks end depends on the order of what a statement with polynomials or disjunctions does; of such a
/// statement this is what its proof takes at most, and what is left of it is given up.
///
/// # Errors
/// The statement's.
fn needed(statement: &(impl Statement<Counter<F2>> + ?Sized), header: &header::Header) -> Result<u64, Error> {
    let counts = Counter::<F2>::count(statement)?.total();
    if counts.assertions == 0 {
        return Err(StatementError::nothing_claimed().into());
    }
    let settings = Settings { interval: header.interval as usize };
    let most = Program::from(&counts).correlations(settings);
    Ok(most.checked_next_multiple_of(chunks::CHUNK).unwrap_or(u64::MAX))
}

/// A pool of threads, as sessions have it.
fn pool(threads: usize) -> Result<Option<std::sync::Arc<rayon::ThreadPool>>, Error> {
    let options = crate::Options { threads, ..crate::Options::default() };
    options.pool().map_err(|error| Error::Options(error.to_string()))
}

/// Challenges that bind a stored proof to all that its header says it is, and to the chain of the whole file.
fn challenges<'a>(header: &proof::Header, file: &header::Header) -> Challenges<'a> {
    let mut transcript = crate::session::transcript(
        "stored",
        &header.session,
        &header.statement,
        header.interval as usize,
        header.range.start,
        &[file.chain],
    );
    transcript.absorb_number("end", header.range.end);
    Challenges::FiatShamir(transcript)
}
