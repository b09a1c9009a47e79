//! Statements that somebody names: a file, a built-in, some of many, with public values and a witness. They
//! are loaded, checked, counted, estimated, proved over a session, proved with stored correlations or in
//! public.
//!
//! The `volery` program, the Python package and the JavaScript package are front ends of this library.
//! Whoever writes statements in Rust does not need it: see [`volery`].
//!
//! ```text
//! Named            what somebody names; Source says where its files are: on a disk, in memory, a stream
//!   v load
//! Instance         a statement of any kind; with_witness gives it its secret side
//!   v check        does the witness satisfy it?        compute: its public file, from a witness
//!   v describe     what it is: gates, inputs           ways: how it can be proved, each with an estimate
//!   v settle
//! Settled          proved or verified over a session of volery::Prover and volery::Verifier
//!
//! stored, public   proofs without a session
//! ```
//!
//! A whole proof, of a built-in statement, with both parties in one process:
//!
//! ```
//! use std::thread;
//!
//! use volery::{Limits, Options, memory_pair};
//! use volery_statement::{Named, Source, Target, Watch, load, settle};
//!
//! let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
//! let named = Named {
//!     target: Target::Builtin("sha256-preimage".into()),
//!     values: vec![("digest".into(), digest.into()), ("length".into(), "3".into())],
//!     ..Named::default()
//! };
//! let public = load(&named)?;
//! let known = load(&named)?.with_witness(&Source::bytes("witness", b"0x616263".to_vec()).into())?;
//!
//! let (prover, verifier) = memory_pair(&Limits::default());
//! let proved = thread::scope(|scope| {
//!     scope.spawn(|| settle(&*known, Options::default(), None)?.prove_over(Box::new(prover), &Watch::none()));
//!     settle(&*public, Options::default(), None)?.verify_over(Box::new(verifier), &Watch::none())
//! })?;
//! assert!(proved.report.soundness.bits() > 100.0);
//! # Ok::<(), volery_statement::Error>(())
//! ```
//!
//! Messages name options as each front end writes them ([`Error::message`]). Nothing here writes to a
//! terminal or ends the process.
//!
//! # Features
//!
//! All are on by default. `programs` brings runs of RISC-V programs; `public` proofs that anyone can verify,
//! and with them circuits over machine words, which have no others; `stored` proofs with stored correlations,
//! which are in files, so there are none in WebAssembly.

#![forbid(unsafe_code)]
// docs.rs says at each item which feature brings it.
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod describe;
mod error;
pub mod fields;
mod instance;
mod kinds;
mod named;
pub mod progress;
#[cfg(feature = "public")]
pub mod public;
mod ran;
mod refusal;
mod settle;
mod source;
mod spelling;
#[cfg(feature = "stored")]
pub mod stored;
pub mod system;
pub mod way;
pub mod words;

pub use error::{Error, Kind, Marked};
pub use instance::{Instance, explained};
#[cfg(feature = "programs")]
pub use kinds::RunOf;
pub use kinds::{compute, load};
pub use named::{Branch, Disjunction, MachineRing, Named, Padding, Target};
pub use progress::{Progress, Watch, Wire};
pub use ran::{Ran, Trap};
pub use refusal::Refusal;
pub use settle::{Settled, choose, reached, settle};
pub use source::{Source, WitnessSource};
pub use system::Proved;
