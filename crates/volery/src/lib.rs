//! Prove statements about secret data, fast, without revealing it.
//!
//! A [`Prover`] convinces a [`Verifier`] over any [`Channel`] that it knows a witness for a [`Statement`];
//! the verifier learns nothing else. Proofs convince that verifier only, and their size is linear in the
//! statement. [`Report::soundness`] says what a proof is worth.
//!
//! ```text
//! statement  (volery-circuit)    a program over a backend: yours, a built-in, or a circuit file
//!     v
//! proof      (volery-zk)         QuickSilver: k = m + x * delta for every wire; P holds (x, m), V holds k and delta
//!     v
//! correlations  (volery-vole)    base OT, SoftSpokenOT, Ferret; or files made before
//!     v
//! channel    (volery-channel)    TCP, Unix sockets, TLS, in memory
//! ```
//!
//! | what | where |
//! |---|---|
//! | one set-up, any number of proofs over a connection | [`Prover`], [`Verifier`], [`Options`], [`Report`] |
//! | what they prove with: QuickSilver over bits or fields, Mac'n'Cheese | [`system`] |
//! | both parties in one call, to try a statement out | [`testing`] |
//! | what a proof will take | [`estimate()`], [`Estimate`], [`Network`]; of a page [`PagePlan`] |
//! | proofs without a connection, from correlations made before | [`stored`] |
//! | what a website said, proved and attested | [`Prover::fetch`], [`Prover::prepare_web`], [`Verifier::relay`], [`Verifier::prepare_web`], [`web`] |
//! | all of that at the prover, for one connection | [`visit`] |
//! | commitments to parts of it, opened later | [`ProvedPage`], [`VerifiedPage`], [`web::commitment`] |
//! | proofs as a file that anyone can verify | [`public`] |
//! | that a RISC-V program ran as claimed | [`Prover::prove_run`], [`Verifier::verify_run`], [`programs`]; by many workers [`split::statements::SplitRun`] |
//! | statements by name; statements as values | [`builtin`]; [`statements`] |
//! | writing statements: traits, gadgets, circuit files | [`circuit`], over the bits of [`field`] |
//! | connections and their limits | [`connect`], [`Listener`], [`Framed`], [`Address`], [`Limits`], [`memory_pair`] |
//! | TLS between the parties; connections of web pages | [`channel::tls`], [`channel::websocket`] |
//! | randomness | [`os_rng`] |
//!
//! # Features
//!
//! All are on by default. Without any, everything but these is there, and 55 crates are compiled.
//!
//! | feature | what it brings | further crates |
//! |---|---|---|
//! | `programs` | runs of RISC-V programs: [`programs`], the sessions' methods about runs | 8 |
//! | `public` | proofs that anyone can verify: [`public`] | 2 |
//! | `tls` | connections over TLS: [`channel::tls`] | 7 |
//! | `web` | what a website said: [`web`], [`notary`], [`visit`], the sessions' methods about web pages | 42 |
//! | `claim-proofs` | claims in presentations of attestations; brings `web` | 1 more than `web` |
//! | `contracts` | attestations for contracts on blockchains (brings `web`) | 11 more than `web` |
//! | `range-proofs` | range proofs on committed numbers of web pages (brings `web`) | 16 more than `web` |
//! | `websocket` | connections of web pages: [`channel::websocket`] | 3 |
//! | all of them | | 69 |
//!
//! The repository's README has a whole program, and the guide in `docs/guide` has more; all of them are
//! tested. The `volery` program is a package of its own, `volery-cli`.

#![forbid(unsafe_code)]
// docs.rs says at each item which feature brings it.
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod builtin;
mod error;
#[cfg(test)]
mod forgery;
#[cfg(feature = "web")]
pub mod notary;
mod rng;
mod session;
#[cfg(not(target_family = "wasm"))]
pub mod stored;
pub mod testing;

pub use error::Error;
pub use rng::os_rng;
#[cfg(feature = "programs")]
pub use session::estimate_run;
#[cfg(feature = "web")]
pub use session::{
    Attested, FetchedTogether, PageFault, PagePlan, PreparedProver, PreparedVerifier, ProvedPage, Signed,
    VerifiedPage, Watched, visit,
};
pub use session::{
    Estimate, Network, Options, Prover, Report, Verifier, estimate, estimate_through, split, system,
};
pub use volery_channel as channel;
pub use volery_channel::{Address, Channel, Framed, Limits, Rehearsal, memory_pair};
#[cfg(not(target_family = "wasm"))]
pub use volery_channel::{Listener, connect};
pub use volery_circuit as circuit;
pub use volery_circuit::{Statement, statements};
pub use volery_field as field;
/// Proofs that anyone can verify: ZKB++ and ZKBoo over bits, fields and machine words; and in
/// [`voleith`](public::voleith), over bits, ten times shorter ones.
#[cfg(feature = "public")]
pub mod public {
    pub use volery_mpcith::*;
    pub use volery_voleith as voleith;
}
/// RISC-V programs, and the statement that one ran as claimed.
#[cfg(feature = "programs")]
pub use volery_machine as programs;
#[cfg(feature = "web")]
pub use volery_tls as web;
pub use volery_vole::correlations::Profile;
pub use volery_zk::macncheese;
pub use zeroize::Zeroizing;

/// The examples of the README and of the guide, as tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/guide/fields.md")]
    struct Fields;
    #[doc = include_str!("../../../docs/guide/one-of-many.md")]
    struct OneOfMany;
    #[doc = include_str!("../../../docs/guide/rust.md")]
    struct Rust;
}
