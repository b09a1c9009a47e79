//! Both parties of a session, on two threads with a channel between them.

use std::time::Duration;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use volery_channel::{Channel, Framed, Limits, memory_pair, transport::Memory};
use volery_field::{F2, Gf128};
use volery_vole::supply::{Chain, Correlations, Stock};
use volery_vole::{Delta, Prg, SessionId};

use super::super::{Evaluator, Garbler, Input, Masks, Owner, Sealed, Settings, Wire};
use super::functions::Toy;
use crate::Error;

pub(super) const SESSION: SessionId = SessionId::new([3; 32]);

/// What both roles can do, so that a scenario is written once.
pub(super) trait Party {
    /// Who this is.
    const SELF: Owner;

    fn input(&mut self, channel: &mut dyn Channel, owner: Owner, n: usize) -> Result<Input, Error>;
    fn give(&mut self, channel: &mut dyn Channel, input: Input, bits: &[F2]) -> Result<(), Error>;
    fn take(&mut self, channel: &mut dyn Channel, input: Input) -> Result<(), Error>;
    fn give_public(&mut self, channel: &mut dyn Channel, input: Input, bits: &[F2]) -> Result<(), Error>;
    fn call(&mut self, channel: &mut dyn Channel, function: Toy, wires: &[Wire]) -> Result<Vec<Wire>, Error>;
    fn public(&mut self, channel: &mut dyn Channel, wires: &[Wire]) -> Result<Vec<F2>, Error>;
    fn shared(&mut self, channel: &mut dyn Channel, wires: &[Wire], masks: Masks) -> Result<Vec<F2>, Error>;
    fn masks(&mut self, channel: &mut dyn Channel, n: usize) -> Result<Masks, Error>;
    fn seal(
        &mut self,
        channel: &mut dyn Channel,
        wires: &[Wire],
        masks: Option<Masks>,
    ) -> Result<Sealed, Error>;
    fn public_sealed(&mut self, channel: &mut dyn Channel, sealed: Sealed) -> Result<Vec<F2>, Error>;
    fn shared_sealed(&mut self, channel: &mut dyn Channel, sealed: Sealed) -> Result<Vec<F2>, Error>;

    /// The values of an input of `owner`'s come, at whichever party this is.
    fn deliver(
        &mut self,
        channel: &mut dyn Channel,
        owner: Owner,
        input: Input,
        bits: &[F2],
    ) -> Result<(), Error> {
        if owner == Owner::Both {
            self.give_public(channel, input, bits)
        } else if owner == Self::SELF {
            self.give(channel, input, bits)
        } else {
            self.take(channel, input)
        }
    }
}

macro_rules! party {
    ($type:ty, $owner:ident) => {
        impl Party for $type {
            const SELF: Owner = Owner::$owner;

            fn input(&mut self, channel: &mut dyn Channel, owner: Owner, n: usize) -> Result<Input, Error> {
                Self::input(self, channel, owner, n)
            }
            fn give(&mut self, channel: &mut dyn Channel, input: Input, bits: &[F2]) -> Result<(), Error> {
                Self::give(self, channel, input, bits)
            }
            fn take(&mut self, channel: &mut dyn Channel, input: Input) -> Result<(), Error> {
                Self::take(self, channel, input)
            }
            fn give_public(
                &mut self,
                channel: &mut dyn Channel,
                input: Input,
                bits: &[F2],
            ) -> Result<(), Error> {
                Self::give_public(self, channel, input, bits)
            }
            fn call(
                &mut self,
                channel: &mut dyn Channel,
                function: Toy,
                wires: &[Wire],
            ) -> Result<Vec<Wire>, Error> {
                Self::call(self, channel, function, wires)
            }
            fn public(&mut self, channel: &mut dyn Channel, wires: &[Wire]) -> Result<Vec<F2>, Error> {
                Self::public(self, channel, wires)
            }
            fn shared(
                &mut self,
                channel: &mut dyn Channel,
                wires: &[Wire],
                masks: Masks,
            ) -> Result<Vec<F2>, Error> {
                Self::shared(self, channel, wires, masks)
            }
            fn masks(&mut self, channel: &mut dyn Channel, n: usize) -> Result<Masks, Error> {
                Self::masks(self, channel, n)
            }
            fn seal(
                &mut self,
                channel: &mut dyn Channel,
                wires: &[Wire],
                masks: Option<Masks>,
            ) -> Result<Sealed, Error> {
                Self::seal(self, channel, wires, masks)
            }
            fn public_sealed(&mut self, channel: &mut dyn Channel, sealed: Sealed) -> Result<Vec<F2>, Error> {
                Self::public_sealed(self, channel, sealed)
            }
            fn shared_sealed(&mut self, channel: &mut dyn Channel, sealed: Sealed) -> Result<Vec<F2>, Error> {
                Self::shared_sealed(self, channel, sealed)
            }
        }
    };
}
party!(Garbler<Toy>, Prover);
party!(Evaluator<Toy>, Verifier);

/// Correlations from a seed that both parties know.
struct Dealt {
    tags: Prg,
    /// The key, at the party that holds it.
    delta: Option<Delta>,
    /// How many come at once, each party's own affair.
    batch: usize,
}

impl Correlations for Dealt {
    fn refill(&mut self, _: &mut dyn Channel, out: &mut Vec<Gf128>) -> Result<(), volery_vole::Error> {
        out.clear();
        for _ in 0..self.batch {
            let tag = self.tags.block();
            out.push(match &self.delta {
                Some(delta) if tag.to_bits() & 1 == 1 => tag + delta.expose(),
                _ => tag,
            });
        }
        Ok(())
    }

    fn may_wait(&self) -> bool {
        false
    }

    fn chain(&mut self, _channel: &mut dyn Channel, _taken: u64) -> Result<Chain, volery_vole::Error> {
        Ok(Chain::from_bytes([0xd7; 32]))
    }
}

fn dealt(seed: u8, delta: Option<Delta>) -> Stock {
    dealt_in_batches(seed, delta, 777)
}

fn dealt_in_batches(seed: u8, delta: Option<Delta>, batch: usize) -> Stock {
    Stock::new(Box::new(Dealt { tags: Prg::new([seed; 16]), delta, batch }))
}

pub(super) fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

/// V's key.
pub(super) fn delta() -> Delta {
    Delta::random(&mut rng(5))
}

/// P's offset.
pub(super) fn offset() -> Delta {
    Delta::random(&mut rng(6))
}

/// P with dealt correlations.
pub(super) fn garbler() -> Garbler<Toy> {
    garbler_with(settings())
}

pub(super) fn garbler_with(settings: Settings) -> Garbler<Toy> {
    let labels = (offset(), dealt(2, Some(offset())));
    Garbler::new(&SESSION, settings, labels, dealt(1, None), &mut rng(7))
}

/// P that gets so many commitments at once.
pub(super) fn garbler_in_batches(batch: usize) -> Garbler<Toy> {
    let labels = (offset(), dealt(2, Some(offset())));
    Garbler::new(&SESSION, settings(), labels, dealt_in_batches(1, None, batch), &mut rng(7))
}

/// V likewise.
pub(super) fn evaluator_in_batches(batch: usize) -> Evaluator<Toy> {
    let keys = dealt_in_batches(1, Some(delta()), batch);
    Evaluator::new(&SESSION, settings(), dealt(2, None), (delta(), keys))
}

/// The same P before it has its labels, and these.
pub(super) fn garbler_without_labels() -> (Garbler<Toy>, Stock) {
    let p = Garbler::without_labels(&SESSION, settings(), offset(), dealt(1, None), &mut rng(7));
    (p, dealt(2, Some(offset())))
}

/// V with dealt correlations.
pub(super) fn evaluator() -> Evaluator<Toy> {
    evaluator_with(settings())
}

pub(super) fn evaluator_with(settings: Settings) -> Evaluator<Toy> {
    Evaluator::new(&SESSION, settings, dealt(2, None), (delta(), dealt(1, Some(delta()))))
}

pub(super) fn settings() -> Settings {
    Settings { stored_tables: 1 << 20, ..Settings::default() }
}

/// Runs both parties; each one's end is closed when it returns.
pub(super) fn between<P: Send, V: Send>(
    prover: impl FnOnce(Framed<Memory>) -> P + Send,
    verifier: impl FnOnce(Framed<Memory>) -> V + Send,
) -> (P, V) {
    between_within(Duration::from_secs(20), prover, verifier)
}

/// As [`between`], where no wait is longer than `patience`.
pub(super) fn between_within<P: Send, V: Send>(
    patience: Duration,
    prover: impl FnOnce(Framed<Memory>) -> P + Send,
    verifier: impl FnOnce(Framed<Memory>) -> V + Send,
) -> (P, V) {
    let (p, v) = memory_pair(&Limits { read: patience, write: patience, ..Limits::default() });
    std::thread::scope(|scope| {
        let prover = scope.spawn(move || prover(p));
        let verifier = scope.spawn(move || verifier(v));
        (prover.join().expect("no panic"), verifier.join().expect("no panic"))
    })
}
