//! P's trunk: masks and sends what the runs wrote, and reads V's challenges.

use std::sync::Arc;

use rand_core::CryptoRng;
use volery_channel::{ChannelExt as _, tags};
use volery_circuit::Error as StatementError;
use volery_field::{Ring, pack_elements};
use volery_vole::Prg;
use zeroize::Zeroizing;

use super::super::link::{Ask, Length, Link, Piece, Round, Slots};
use super::super::share::{Share, mask};
use super::super::tally::Tally;
use super::Trunk;
use crate::Error;
use crate::shares::ElementShare;

/// P's trunk.
pub(in super::super) struct ProverTrunk<'a, H: Share> {
    trunk: Trunk<'a, H>,
    /// Makes uniform values for whatever no run writes.
    dummies: Prg,
    /// The values of the random correlations in the round that is being filled.
    masks: Option<Masks<H>>,
}

struct Masks<H: Share> {
    elements: Zeroizing<Vec<H::Mac>>,
    values: Zeroizing<Vec<H::Value>>,
}

impl<'a, H: Share> ProverTrunk<'a, H> {
    pub(in super::super) fn new(trunk: Trunk<'a, H>, rng: &mut dyn CryptoRng) -> Self {
        let mut seed = Zeroizing::new([0; 16]);
        rng.fill_bytes(&mut *seed);
        Self { trunk, dummies: Prg::new(*seed), masks: None }
    }

    /// A generator for a run's own random choices.
    pub(in super::super) fn prg(&mut self) -> Prg {
        Prg::new(self.dummies.block().to_bytes())
    }

    /// Turns these commitments into commitments to uniform values.
    fn dummy_wires(&mut self, wires: &mut [H::Wire]) {
        let mut values = Zeroizing::new(vec![H::Value::ZERO; wires.len().min(1 << 10)]);
        for wires in wires.chunks_mut(1 << 10) {
            let values = &mut values[..wires.len()];
            H::uniform(&mut self.dummies, values);
            wires.iter_mut().zip(values).for_each(|(w, x)| *w = H::commit(mask(true), *w, *x));
        }
    }

    /// The last message: the tag of the last query, which is zero.
    pub(in super::super) fn finish(mut self, query: ElementShare<H::Mac>) -> Result<Tally, Error> {
        let trunk = &mut self.trunk;
        let tally = trunk.counters.read();
        // V has the query's key. From the tag of a query that is not zero it would learn the query's value.
        #[cfg(test)]
        let lies = super::super::multiply::cheat::lies() || super::super::stack::cheats::lies();
        #[cfg(test)]
        let query = if lies { ElementShare { x: H::Mac::ZERO, ..query } } else { query };
        if !query.x.is_zero() && !trunk.pool.is_blank() {
            let place = "a check at the end of the statement".to_owned();
            return Err(StatementError::Unsatisfied { assertion: tally.assertions, place }.into());
        }
        trunk.settle_pool()?;
        let mut message = Vec::new();
        pack_elements(&[query.m], &mut message);
        message.extend_from_slice(&tally.encode());
        trunk.challenges.send(trunk.channel, tags::ASSERTIONS, &message)?;
        trunk.channel.flush()?;
        Ok(tally)
    }
}

impl<H: Share> Link<H> for ProverTrunk<'_, H> {
    fn piece(&mut self, dummies: bool, length: Length) -> Result<Arc<Piece<H>>, Error> {
        let trunk = &mut self.trunk;
        let length = trunk.next_piece(length)?;
        let mut wires = trunk.reserve.get(length, trunk.pool, trunk.channel)?.to_vec();
        if dummies {
            self.dummy_wires(&mut wires);
        }
        Ok(Arc::new(Piece { wires, due: length }))
    }

    fn settle(&mut self, piece: Arc<Piece<H>>, used: usize) -> Result<(), Error> {
        let trunk = &mut self.trunk;
        let random = trunk.reserve.get(used, trunk.pool, trunk.channel)?;
        // The values are masked, so nothing of this is secret.
        let masked: Vec<H::Value> =
            piece.wires.iter().zip(random).map(|(w, r)| H::value(*w) - H::value(*r)).collect();
        trunk.frame.clear();
        H::put(&masked, &mut trunk.frame);
        trunk.challenges.send(trunk.channel, tags::MASKS, &trunk.frame)?;
        trunk.channel.flush()?;
        trunk.end_piece(used);
        Ok(())
    }

    fn round(&mut self, ask: Ask) -> Result<Box<Round<H>>, Error> {
        let (mut elements, mut values) = self.trunk.next_round(ask)?;
        let masks = Masks {
            elements: Zeroizing::new(elements.iter().take(ask.elements.fix).map(|r| r.x).collect()),
            values: Zeroizing::new(values.iter().take(ask.values.fix).map(|r| H::value(*r)).collect()),
        };
        self.masks = Some(masks);
        let mut dummies = Zeroizing::new(vec![H::Mac::ZERO; ask.elements.fix]);
        self.dummies.elements(&mut dummies);
        elements.iter_mut().zip(dummies.iter()).for_each(|(w, x)| w.x = *x);
        self.dummy_wires(&mut values[..ask.values.fix]);
        let mut sent = vec![H::Mac::ZERO; ask.elements.send];
        self.dummies.elements(&mut sent);
        let mut sent_values = vec![H::Value::ZERO; ask.values.send];
        H::uniform(&mut self.dummies, &mut sent_values);
        Ok(Box::new(Round {
            elements: Slots::new(elements, ask.elements.fix, sent),
            values: Slots::new(values, ask.values.fix, sent_values),
        }))
    }

    fn challenge(&mut self, round: Box<Round<H>>) -> Result<[u8; 16], Error> {
        let Some(masks) = self.masks.take() else {
            return Err(StatementError::misuse("a round that was not begun").into());
        };
        let trunk = &mut self.trunk;
        let (elements, values) = (&round.elements, &round.values);
        let mut masked: Vec<H::Mac> =
            elements.fix.iter().zip(masks.elements.iter()).map(|(w, r)| w.x - *r).collect();
        masked.extend_from_slice(&elements.send);
        let mut masked_values: Vec<H::Value> =
            values.fix.iter().zip(masks.values.iter()).map(|(w, r)| H::value(*w) - *r).collect();
        masked_values.extend_from_slice(&values.send);
        trunk.frame.clear();
        pack_elements(&masked, &mut trunk.frame);
        H::put(&masked_values, &mut trunk.frame);
        if trunk.frame.is_empty() {
            trunk.frame.extend_from_slice(&trunk.counters.read().encode());
        }
        trunk.challenges.send(trunk.channel, tags::CHECK_OPENING, &trunk.frame)?;
        trunk.absorb_counts();
        if let Some(seed) = trunk.challenges.hash(trunk.pool, trunk.channel)? {
            return Ok(seed);
        }
        trunk.channel.flush()?;
        Ok(trunk.channel.recv_array(tags::CHALLENGE)?)
    }
}
