//! Runs one program on garbled circuits twice: ahead of the connection, and during it.
//!
//! | | [`Rehearsal`], ahead | [`Performance`], during the connection |
//! |---|---|---|
//! | `public` | announces an input | gives the prepared one its bits |
//! | `call` | garbles, or receives tables | has it already: the same step on the same wires |
//! | `open` | sends what decodes, sealed | opens the seal, decodes |
//! | `share` | P commits to masks; likewise | likewise |
//!
//! The rehearsal uses zeros where the performance has values; the program's calls do not depend on them. It
//! records what it prepared, in order. The performance takes one entry after the other, and refuses another
//! step, other wires or another order, at either party. So a connection can do nothing that was not prepared,
//! and nothing that was prepared is used twice.
//!
//! Everything that a connection does is prepared, and it does everything that is prepared. The exception is
//! what the server's records take, whose number is not known ahead: blocks of key stream, and the circuits of
//! ChaCha20-Poly1305's tags. These are *spare*: each kind is in a [list](Queue) of its own, from which a
//! connection takes as many as it needs. The rest is never evaluated and not proved.

use std::collections::VecDeque;

use volery_channel::Channel;
use volery_field::F2;
use volery_garble::two_party::{Evaluator, Garbler, Input, Masks, Owner, Sealed, Wire};

use super::Error;
use crate::wire::step::{Counting, Step, TwoParty};

/// The common interface of both parties' ends of garbling.
pub(super) trait Party {
    fn input(&mut self, channel: &mut dyn Channel, owner: Owner, n: usize) -> Result<Input, Error>;
    fn masks(&mut self, channel: &mut dyn Channel, n: usize) -> Result<Masks, Error>;
    fn call(&mut self, channel: &mut dyn Channel, step: Step, inputs: &[Wire]) -> Result<Vec<Wire>, Error>;
    fn give_public(&mut self, channel: &mut dyn Channel, input: Input, bits: &[F2]) -> Result<(), Error>;
    /// The bits of a private input come: this party's `own`, or the other party's.
    fn give_or_take(
        &mut self,
        channel: &mut dyn Channel,
        input: Input,
        own: Option<&[F2]>,
    ) -> Result<(), Error>;
    fn seal(
        &mut self,
        channel: &mut dyn Channel,
        wires: &[Wire],
        masks: Option<Masks>,
    ) -> Result<Sealed, Error>;
    fn public(&mut self, channel: &mut dyn Channel, sealed: Sealed) -> Result<Vec<F2>, Error>;
    fn shared(&mut self, channel: &mut dyn Channel, sealed: Sealed) -> Result<Vec<F2>, Error>;
}

macro_rules! party {
    ($type:ty) => {
        impl Party for $type {
            fn input(&mut self, channel: &mut dyn Channel, owner: Owner, n: usize) -> Result<Input, Error> {
                Ok(Self::input(self, channel, owner, n)?)
            }
            fn masks(&mut self, channel: &mut dyn Channel, n: usize) -> Result<Masks, Error> {
                Ok(Self::masks(self, channel, n)?)
            }
            fn call(
                &mut self,
                channel: &mut dyn Channel,
                step: Step,
                inputs: &[Wire],
            ) -> Result<Vec<Wire>, Error> {
                Ok(Self::call(self, channel, step, inputs)?)
            }
            fn give_public(
                &mut self,
                channel: &mut dyn Channel,
                input: Input,
                bits: &[F2],
            ) -> Result<(), Error> {
                Ok(Self::give_public(self, channel, input, bits)?)
            }
            fn give_or_take(
                &mut self,
                channel: &mut dyn Channel,
                input: Input,
                own: Option<&[F2]>,
            ) -> Result<(), Error> {
                Ok(match own {
                    Some(bits) => Self::give(self, channel, input, bits)?,
                    None => Self::take(self, channel, input)?,
                })
            }
            fn seal(
                &mut self,
                channel: &mut dyn Channel,
                wires: &[Wire],
                masks: Option<Masks>,
            ) -> Result<Sealed, Error> {
                Ok(Self::seal(self, channel, wires, masks)?)
            }
            fn public(&mut self, channel: &mut dyn Channel, sealed: Sealed) -> Result<Vec<F2>, Error> {
                Ok(Self::public_sealed(self, channel, sealed)?)
            }
            fn shared(&mut self, channel: &mut dyn Channel, sealed: Sealed) -> Result<Vec<F2>, Error> {
                Ok(Self::shared_sealed(self, channel, sealed)?)
            }
        }
    };
}
party!(Garbler<Step>);
party!(Evaluator<Step>);

/// A machine that also takes bits of one party in the course of a connection.
pub(super) trait PrivateInputs: TwoParty {
    /// `n` wires with bits that only `owner` knows: `own` at that party. V opens its bits in the end, and P
    /// is committed to its own.
    ///
    /// # Errors
    /// The machine's.
    fn private(&mut self, owner: Owner, n: usize, own: Option<&[F2]>)
    -> Result<Vec<Self::Wire>, Self::Error>;
}

impl PrivateInputs for Counting {
    fn private(&mut self, owner: Owner, n: usize, _: Option<&[F2]>) -> Result<Vec<()>, crate::Error> {
        if owner == Owner::Prover {
            self.commit(n);
        }
        Ok(vec![(); n])
    }
}

/// An entry that the rehearsal has prepared.
enum Prepared {
    Public(Input),
    Private(Owner, Input),
    Call { step: Step, inputs: Vec<Wire>, outputs: Vec<Wire> },
    Open(Sealed),
    Share(Sealed),
}

impl Prepared {
    fn name(&self) -> &'static str {
        match self {
            Self::Public(_) => "public bits",
            Self::Private(..) => "a party's bits",
            Self::Call { .. } => "a step",
            Self::Open(_) => "an opening",
            Self::Share(_) => "a sharing",
        }
    }
}

/// Wires that were shared, with their masks.
#[derive(Clone)]
pub(super) struct SharedWires {
    pub(super) wires: Vec<Wire>,
    pub(super) masks: Vec<Wire>,
}

/// A party's end of garbling, with everything prepared.
pub(super) struct Machine<P> {
    pub(super) party: P,
    prepared: VecDeque<Prepared>,
    /// Entries that may be left over: blocks, tags.
    spare: [VecDeque<Prepared>; 2],
    shared: Vec<SharedWires>,
}

/// The list of prepared entries from which a run takes.
#[derive(Clone, Copy)]
pub(super) enum Queue {
    /// The entries that every connection takes, all of them.
    Needed,
    /// Blocks for the server's records. A connection takes as many of them as it needs.
    SpareBlocks,
    /// What tags of the server's records take, likewise.
    SpareTags,
}

impl<P: Party> Machine<P> {
    pub(super) fn new(party: P) -> Self {
        Self { party, prepared: VecDeque::new(), spare: Default::default(), shared: Vec::new() }
    }

    /// Starts the run ahead of the connection.
    pub(super) fn rehearse<'a>(&'a mut self, channel: &'a mut dyn Channel) -> Rehearsal<'a, P> {
        self.rehearse_in(Queue::Needed, channel)
    }

    /// Starts the run ahead of the connection for the entries of a list.
    pub(super) fn rehearse_in<'a>(
        &'a mut self,
        queue: Queue,
        channel: &'a mut dyn Channel,
    ) -> Rehearsal<'a, P> {
        Rehearsal { machine: self, channel, queue }
    }

    /// Starts the run during the connection.
    pub(super) fn perform<'a>(&'a mut self, channel: &'a mut dyn Channel) -> Performance<'a, P> {
        self.perform_in(Queue::Needed, channel)
    }

    /// Starts the run during the connection for the entries of a list.
    pub(super) fn perform_in<'a>(
        &'a mut self,
        queue: Queue,
        channel: &'a mut dyn Channel,
    ) -> Performance<'a, P> {
        Performance { machine: self, channel, queue }
    }

    /// What was shared so far, in order.
    pub(super) fn shared(&self) -> &[SharedWires] {
        &self.shared
    }

    /// The party, once all prepared entries except the spare ones have been used.
    pub(super) fn into_party(self) -> Result<P, Error> {
        match self.prepared.front() {
            None => Ok(self.party),
            Some(next) => Err(Error::misuse(format!("the connection ends before {}", next.name()))),
        }
    }

    fn queue(&mut self, queue: Queue) -> &mut VecDeque<Prepared> {
        match queue {
            Queue::Needed => &mut self.prepared,
            Queue::SpareBlocks => &mut self.spare[0],
            Queue::SpareTags => &mut self.spare[1],
        }
    }

    fn next(&mut self, queue: Queue, asked: &'static str) -> Result<Prepared, Error> {
        let next = self.queue(queue).pop_front();
        next.ok_or_else(|| Error::misuse(format!("{asked} after all that was prepared")))
    }
}

/// The error for a request that differs from what was prepared.
fn other<T>(asked: &str, prepared: &Prepared) -> Result<T, Error> {
    Err(Error::misuse(format!("{asked} where {} was prepared, or another one", prepared.name())))
}

/// The program's run ahead of the connection.
pub(super) struct Rehearsal<'a, P> {
    machine: &'a mut Machine<P>,
    channel: &'a mut dyn Channel,
    queue: Queue,
}

impl<P: Party> TwoParty for Rehearsal<'_, P> {
    type Wire = Wire;
    type Error = Error;

    fn public(&mut self, bits: &[F2]) -> Result<Vec<Wire>, Error> {
        let input = self.machine.party.input(self.channel, Owner::Both, bits.len())?;
        let wires = input.wires().to_vec();
        self.machine.queue(self.queue).push_back(Prepared::Public(input));
        Ok(wires)
    }

    fn call(&mut self, step: &Step, inputs: &[Wire]) -> Result<Vec<Wire>, Error> {
        let outputs = self.machine.party.call(self.channel, step.clone(), inputs)?;
        let call = Prepared::Call { step: step.clone(), inputs: inputs.to_vec(), outputs: outputs.clone() };
        self.machine.queue(self.queue).push_back(call);
        Ok(outputs)
    }

    fn open(&mut self, wires: &[Wire]) -> Result<Vec<F2>, Error> {
        let sealed = self.machine.party.seal(self.channel, wires, None)?;
        self.machine.queue(self.queue).push_back(Prepared::Open(sealed));
        Ok(vec![F2::ZERO; wires.len()])
    }

    fn share(&mut self, wires: &[Wire]) -> Result<Vec<F2>, Error> {
        let masks = self.machine.party.masks(self.channel, wires.len())?;
        let sealed = self.machine.party.seal(self.channel, wires, Some(masks))?;
        self.machine.queue(self.queue).push_back(Prepared::Share(sealed));
        Ok(vec![F2::ZERO; wires.len()])
    }
}

impl<P: Party> PrivateInputs for Rehearsal<'_, P> {
    fn private(&mut self, owner: Owner, n: usize, _: Option<&[F2]>) -> Result<Vec<Wire>, Error> {
        let input = self.machine.party.input(self.channel, owner, n)?;
        let wires = input.wires().to_vec();
        self.machine.queue(self.queue).push_back(Prepared::Private(owner, input));
        Ok(wires)
    }
}

/// The program's run during the connection.
pub(super) struct Performance<'a, P> {
    machine: &'a mut Machine<P>,
    channel: &'a mut dyn Channel,
    queue: Queue,
}

impl<P: Party> TwoParty for Performance<'_, P> {
    type Wire = Wire;
    type Error = Error;

    fn public(&mut self, bits: &[F2]) -> Result<Vec<Wire>, Error> {
        match self.machine.next(self.queue, "public bits")? {
            Prepared::Public(input) if input.wires().len() == bits.len() => {
                let wires = input.wires().to_vec();
                self.machine.party.give_public(self.channel, input, bits)?;
                Ok(wires)
            }
            prepared => other("public bits", &prepared),
        }
    }

    fn call(&mut self, step: &Step, inputs: &[Wire]) -> Result<Vec<Wire>, Error> {
        match self.machine.next(self.queue, "a step")? {
            Prepared::Call { step: prepared, inputs: wires, outputs }
                if prepared == *step && wires == inputs =>
            {
                Ok(outputs)
            }
            prepared => other("a step", &prepared),
        }
    }

    fn open(&mut self, wires: &[Wire]) -> Result<Vec<F2>, Error> {
        match self.machine.next(self.queue, "an opening")? {
            Prepared::Open(sealed) if sealed.wires() == wires => {
                self.machine.party.public(self.channel, sealed)
            }
            prepared => other("an opening", &prepared),
        }
    }

    fn share(&mut self, wires: &[Wire]) -> Result<Vec<F2>, Error> {
        match self.machine.next(self.queue, "a sharing")? {
            Prepared::Share(sealed) if sealed.wires() == wires => {
                let shared = SharedWires { wires: wires.to_vec(), masks: sealed.masks().to_vec() };
                self.machine.shared.push(shared);
                self.machine.party.shared(self.channel, sealed)
            }
            prepared => other("a sharing", &prepared),
        }
    }
}

impl<P: Party> PrivateInputs for Performance<'_, P> {
    fn private(&mut self, owner: Owner, n: usize, own: Option<&[F2]>) -> Result<Vec<Wire>, Error> {
        match self.machine.next(self.queue, "a party's bits")? {
            Prepared::Private(prepared, input) if prepared == owner && input.wires().len() == n => {
                let wires = input.wires().to_vec();
                self.machine.party.give_or_take(self.channel, input, own)?;
                Ok(wires)
            }
            prepared => other("a party's bits", &prepared),
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;
    use volery_channel::{Limits, memory_pair};
    use volery_garble::two_party::Settings;
    use volery_vole::Delta;

    use super::*;
    use crate::testing::{SESSION, worthless};
    use crate::wire::hash::HashFunction;
    use crate::wire::suite::KeySize;

    /// P with an input, a key expansion, an opening and a sharing prepared, and their wires.
    fn prepared(channel: &mut dyn Channel) -> (Machine<Garbler<Step>>, [Vec<Wire>; 2]) {
        let rng = &mut ChaCha20Rng::seed_from_u64(1);
        let labels = (Delta::random(rng), worthless());
        let garbler = Garbler::new(&SESSION, Settings::default(), labels, worthless(), rng);
        let mut machine = Machine::new(garbler);
        let mut rehearsal = machine.rehearse(channel);
        let key = rehearsal.public(&[F2::ONE; 128]).unwrap();
        let expanded = rehearsal.call(&Step::ExpandKey(KeySize::Bits128), &key).unwrap();
        assert_eq!(rehearsal.open(&expanded[..8]).unwrap(), [F2::ZERO; 8]);
        assert_eq!(rehearsal.share(&expanded[8..16]).unwrap(), [F2::ZERO; 8]);
        (machine, [key, expanded])
    }

    #[test]
    fn a_performance_is_what_was_rehearsed_and_nothing_else() {
        type Ask = fn(&mut Performance<'_, Garbler<Step>>, &[Vec<Wire>; 2]) -> Result<(), Error>;
        let too_early: Ask =
            |machine, [key, _]| machine.call(&Step::ExpandKey(KeySize::Bits128), key).map(drop);
        let too_short: Ask = |machine, _| machine.public(&[F2::ONE; 127]).map(drop);
        let other_wires: Ask = |machine, [_, expanded]| {
            machine.public(&[F2::ONE; 128])?;
            machine.call(&Step::ExpandKey(KeySize::Bits128), &expanded[..128]).map(drop)
        };
        let other_step: Ask = |machine, [key, _]| {
            machine.public(&[F2::ONE; 128])?;
            machine.call(&Step::MasterKey(HashFunction::Sha256), key).map(drop)
        };
        let other_output: Ask = |machine, [key, expanded]| {
            machine.public(&[F2::ONE; 128])?;
            machine.call(&Step::ExpandKey(KeySize::Bits128), key)?;
            machine.open(&expanded[1..9]).map(drop)
        };
        let shared_not_opened: Ask = |machine, [key, expanded]| {
            machine.public(&[F2::ONE; 128])?;
            machine.call(&Step::ExpandKey(KeySize::Bits128), key)?;
            machine.share(&expanded[..8]).map(drop)
        };
        for ask in [too_early, too_short, other_wires, other_step, other_output, shared_not_opened] {
            let (mut channel, _peer) = memory_pair(&Limits::default());
            let (mut machine, wires) = prepared(&mut channel);
            let result = ask(&mut machine.perform(&mut channel), &wires);
            assert!(matches!(result, Err(Error::Parties(crate::Error::Misuse(_)))), "{result:?}");
        }
    }

    #[test]
    fn what_is_spare_is_taken_in_its_own_order_and_may_be_left() {
        let (mut channel, _peer) = memory_pair(&Limits::default());
        let rng = &mut ChaCha20Rng::seed_from_u64(1);
        let labels = (Delta::random(rng), worthless());
        let garbler = Garbler::new(&SESSION, Settings::default(), labels, worthless(), rng);
        let mut machine = Machine::new(garbler);
        let queues = [Queue::SpareBlocks, Queue::SpareTags];
        for queue in queues.into_iter().cycle().take(4) {
            let mut rehearsal = machine.rehearse_in(queue, &mut channel);
            let key = rehearsal.public(&[F2::ONE; 128]).unwrap();
            rehearsal.call(&Step::ExpandKey(KeySize::Bits128), &key).unwrap();
        }
        assert!(machine.perform(&mut channel).public(&[F2::ONE; 128]).is_err(), "it is not what is needed");
        for queue in queues {
            let mut performance = machine.perform_in(queue, &mut channel);
            let key = performance.public(&[F2::ONE; 128]).unwrap();
            performance.call(&Step::ExpandKey(KeySize::Bits128), &key).unwrap();
            assert_eq!(machine.queue(queue).len(), 2);
        }
        assert!(machine.into_party().is_ok());
    }

    #[test]
    fn a_connection_does_not_end_before_all_that_was_prepared_is_used() {
        let (mut channel, _peer) = memory_pair(&Limits::default());
        let (machine, _) = prepared(&mut channel);
        assert!(machine.into_party().is_err());
    }
}
