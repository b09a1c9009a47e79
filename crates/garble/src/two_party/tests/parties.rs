//! Both parties of a session, with dealt correlations.

use volery_channel::Channel;
use volery_field::F2;
use volery_testing::{deal, rng};
use volery_vole::correlations::Pool;
use volery_vole::{Delta, SessionId};

use super::super::{Evaluator, Garbler, Input, Masks, Owner, Sealed, Settings, Wire};
use super::functions::Toy;
use crate::Error;

pub(super) const SESSION: SessionId = SessionId::new([3; 32]);

/// Correlations that come at once.
const BATCH: usize = 777;

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
    let labels = (offset(), deal::bits(2, Some(offset()), BATCH));
    Garbler::new(&SESSION, settings, labels, deal::bits(1, None, BATCH), &mut rng(7))
}

/// P that gets so many commitments at once.
pub(super) fn garbler_in_batches(batch: usize) -> Garbler<Toy> {
    let labels = (offset(), deal::bits(2, Some(offset()), BATCH));
    Garbler::new(&SESSION, settings(), labels, deal::bits(1, None, batch), &mut rng(7))
}

/// V likewise.
pub(super) fn evaluator_in_batches(batch: usize) -> Evaluator<Toy> {
    let keys = deal::bits(1, Some(delta()), batch);
    Evaluator::new(&SESSION, settings(), deal::bits(2, None, BATCH), (delta(), keys))
}

/// The same P before it has its labels, and these.
pub(super) fn garbler_without_labels() -> (Garbler<Toy>, Pool) {
    let p = Garbler::without_labels(&SESSION, settings(), offset(), deal::bits(1, None, BATCH), &mut rng(7));
    (p, deal::bits(2, Some(offset()), BATCH))
}

/// V with dealt correlations.
pub(super) fn evaluator() -> Evaluator<Toy> {
    evaluator_with(settings())
}

pub(super) fn evaluator_with(settings: Settings) -> Evaluator<Toy> {
    Evaluator::new(
        &SESSION,
        settings,
        deal::bits(2, None, BATCH),
        (delta(), deal::bits(1, Some(delta()), BATCH)),
    )
}

pub(super) fn settings() -> Settings {
    Settings { stored_tables: 1 << 20, ..Settings::default() }
}
