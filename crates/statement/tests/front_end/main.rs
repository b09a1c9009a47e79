//! The library as a front end without files uses it: statements, witnesses and proofs are bytes.
//!
//! ```text
//! bits       built-in statements, circuits, some of several circuits
//! fields     numbers, constraint systems, one of several constraint systems
//! runs       RISC-V programs
//! public     proofs that anyone can verify
//! refusals   what is refused, and in which words
//! ```

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod bits;
mod fields;
#[cfg(feature = "public")]
mod public;
mod refusals;
#[cfg(feature = "programs")]
mod runs;

use std::thread;

use volery::{Channel, Limits, Options, Prover, memory_pair, os_rng};
use volery_channel::{Layer, Layered, Tag, tags};
use volery_statement::{Error, Instance, Kind, Named, Proved, Source, Target, Watch, load, settle};

/// Bytes with a name.
fn bytes(content: impl AsRef<[u8]>) -> Source {
    Source::bytes("bytes", content.as_ref().to_vec())
}

/// A file in memory.
fn file(content: impl AsRef<[u8]>) -> Target {
    Target::File(Source::bytes("the statement", content.as_ref().to_vec()))
}

/// A built-in statement with these public values.
fn builtin(name: &str, values: &[(&str, &str)]) -> Named {
    Named {
        target: Target::Builtin(name.to_owned()),
        values: values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        ..Named::default()
    }
}

/// Both results of a session: the prover has `known`, the verifier `public`.
fn meet(known: &dyn Instance, public: &dyn Instance) -> [Result<Proved, Error>; 2] {
    meet_with(known, public, Options::default(), &Watch::none())
}

fn meet_with(
    known: &dyn Instance,
    public: &dyn Instance,
    options: Options,
    watch: &Watch,
) -> [Result<Proved, Error>; 2] {
    let (prover, verifier) = memory_pair(&Limits::default());
    thread::scope(|scope| {
        let proving = scope.spawn(move || settle(known, options, None)?.prove_over(Box::new(prover), watch));
        let settled = settle(public, options, None);
        let verified = settled.and_then(|settled| settled.verify_over(Box::new(verifier), &Watch::none()));
        [proving.join().expect("no panic"), verified]
    })
}

/// Changes a bit of the first committed value that the prover sends.
struct Flip {
    is_done: bool,
}

impl<C: Channel> Layer<C> for Flip {
    fn send(&mut self, below: &mut C, tag: Tag, payload: &[u8]) -> Result<(), volery_channel::Error> {
        if self.is_done || !(tag == tags::MASKS || tag == tags::ELEMENTS) {
            return below.send(tag, payload);
        }
        self.is_done = true;
        let mut changed = payload.to_vec();
        if let Some(first) = changed.first_mut() {
            *first ^= 1;
        }
        below.send(tag, &changed)
    }
}

/// What an honest verifier says to a prover that does not look whether its witness is right, and whose first
/// value is changed on the way if it is to be flipped.
fn cheat(known: &dyn Instance, public: &dyn Instance, flip: bool) -> Error {
    let options = Options::default();
    let (prover, verifier) = memory_pair(&Limits::default());
    thread::scope(|scope| {
        let proving = scope.spawn(move || {
            let settled = settle(known, options, None)?;
            let channel = Layered { channel: prover, layer: Flip { is_done: !flip } };
            let wire = settled.wire(Box::new(channel), &Watch::none());
            let mut prover = Prover::start(wire, options, &mut os_rng()?)?.without_evaluation();
            settled.prove(&mut prover, &Watch::none(), &mut os_rng()?).map_err(Error::from)
        });
        let verified = settle(public, options, None)
            .and_then(|settled| settled.verify_over(Box::new(verifier), &Watch::none()));
        assert!(proving.join().expect("no panic").is_err());
        verified.expect_err("a wrong proof was accepted")
    })
}

/// Proves the statement with this witness, and with a wrong one. The first proof is accepted. The wrong
/// witness is found before a session, and not accepted in one. Nor is a proof that is changed.
fn honest_and_cheating(
    named: &Named,
    witness: &volery_statement::WitnessSource,
    wrong: &volery_statement::WitnessSource,
) {
    let public = load(named).expect("is a statement");
    let known = load(named).and_then(|statement| statement.with_witness(witness)).expect("suits it");
    known.check().expect("the witness is right");
    for proved in meet(&*known, &*public) {
        let proved = proved.expect("an honest proof");
        assert!(proved.report.soundness.bits() >= 40.0);
    }
    let wrong = load(named).and_then(|statement| statement.with_witness(wrong)).expect("has the right form");
    let told = Error::from(wrong.check().expect_err("the witness is wrong"));
    assert_eq!(told.kind(), Kind::Unsatisfied);
    assert!(told.statement().is_some());
    // The prover notices, and so the verifier hears from it.
    let heard = cheat(&*wrong, &*public, false);
    assert!(matches!(heard.kind(), Kind::Rejected | Kind::Session), "{heard}");
    // A prover that knows the witness, and sends something else.
    let rejected = cheat(&*known, &*public, true);
    assert_eq!(rejected.kind(), Kind::Rejected, "{rejected}");
}
