//! The trunk at P.

use std::sync::Arc;

use rand_core::CryptoRng;
use volery_channel::{ChannelExt as _, tags};
use volery_circuit::Error as StatementError;
use volery_field::{Ring, pack_elements};
use volery_vole::Prg;
use zeroize::Zeroizing;

use super::super::half::{Half, Wide, mask};
use super::super::link::{Ask, Length, Link, Piece, Round, Slots};
use super::super::tally::Tally;
use super::Trunk;
use crate::Error;

/// The trunk at P.
pub(in super::super) struct ProverTrunk<'a, H: Half> {
    trunk: Trunk<'a, H>,
    /// What nobody writes is uniform.
    dummies: Prg,
    /// The random part of the commitments in the round that is being filled.
    masks: Option<Masks<H>>,
}

struct Masks<H: Half> {
    wide: Zeroizing<Vec<H::Mac>>,
    narrow: Zeroizing<Vec<H::Value>>,
}

impl<'a, H: Half> ProverTrunk<'a, H> {
    pub(in super::super) fn new(trunk: Trunk<'a, H>, rng: &mut dyn CryptoRng) -> Self {
        let mut seed = Zeroizing::new([0; 16]);
        rng.fill_bytes(&mut *seed);
        Self { trunk, dummies: Prg::new(*seed), masks: None }
    }

    /// A generator for a run's own random choices.
    pub(in super::super) fn prg(&mut self) -> Prg {
        Prg::new(self.dummies.block().to_bytes())
    }

    /// Commitments to uniform values.
    fn dummy_wires(&mut self, wires: &mut [H::Wire]) {
        let mut values = Zeroizing::new(vec![H::Value::ZERO; wires.len().min(1 << 10)]);
        for wires in wires.chunks_mut(1 << 10) {
            let values = &mut values[..wires.len()];
            H::uniform(&mut self.dummies, values);
            wires.iter_mut().zip(values).for_each(|(w, x)| *w = H::commit(mask(true), *w, *x));
        }
    }

    /// The last message: the tag of the last query, which is zero.
    pub(in super::super) fn finish(mut self, query: Wide<H::Mac>) -> Result<Tally, Error> {
        let trunk = &mut self.trunk;
        let tally = trunk.counters.read();
        // From the tag of a query that is not zero V, who has its key, would learn the query's value.
        #[cfg(test)]
        let lies = super::super::multiply::cheat::lies() || super::super::stack::cheats::lies();
        #[cfg(test)]
        let query = if lies { Wide { x: H::Mac::ZERO, ..query } } else { query };
        if !query.x.is_zero() && !trunk.stock.is_blank() {
            let place = "a check at the end of the statement".to_owned();
            return Err(StatementError::Unsatisfied { assertion: tally.assertions, place }.into());
        }
        trunk.settle_stock()?;
        let mut message = Vec::new();
        pack_elements(&[query.m], &mut message);
        message.extend_from_slice(&tally.encode());
        trunk.challenges.send(trunk.channel, tags::ASSERTIONS, &message)?;
        trunk.channel.flush()?;
        Ok(tally)
    }
}

impl<H: Half> Link<H> for ProverTrunk<'_, H> {
    fn piece(&mut self, dummies: bool, length: Length) -> Result<Arc<Piece<H>>, Error> {
        let trunk = &mut self.trunk;
        let length = trunk.next_piece(length)?;
        let mut wires = trunk.reserve.get(length, trunk.stock, trunk.channel)?.to_vec();
        if dummies {
            self.dummy_wires(&mut wires);
        }
        Ok(Arc::new(Piece { wires, due: length }))
    }

    fn settle(&mut self, piece: Arc<Piece<H>>, used: usize) -> Result<(), Error> {
        let trunk = &mut self.trunk;
        let random = trunk.reserve.get(used, trunk.stock, trunk.channel)?;
        // What travels is masked: nothing of it is secret.
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
        let (mut wide, mut narrow) = self.trunk.next_round(ask)?;
        let masks = Masks {
            wide: Zeroizing::new(wide.iter().take(ask.wide.fix).map(|r| r.x).collect()),
            narrow: Zeroizing::new(narrow.iter().take(ask.narrow.fix).map(|r| H::value(*r)).collect()),
        };
        self.masks = Some(masks);
        let mut values = Zeroizing::new(vec![H::Mac::ZERO; ask.wide.fix]);
        self.dummies.elements(&mut values);
        wide.iter_mut().zip(values.iter()).for_each(|(w, x)| w.x = *x);
        self.dummy_wires(&mut narrow[..ask.narrow.fix]);
        let mut sent = vec![H::Mac::ZERO; ask.wide.send];
        self.dummies.elements(&mut sent);
        let mut sent_values = vec![H::Value::ZERO; ask.narrow.send];
        H::uniform(&mut self.dummies, &mut sent_values);
        Ok(Box::new(Round {
            wide: Slots::new(wide, ask.wide.fix, sent),
            narrow: Slots::new(narrow, ask.narrow.fix, sent_values),
        }))
    }

    fn challenge(&mut self, round: Box<Round<H>>) -> Result<[u8; 16], Error> {
        let Some(masks) = self.masks.take() else {
            return Err(StatementError::misuse("a round that was not begun").into());
        };
        let trunk = &mut self.trunk;
        let (wide, narrow) = (&round.wide, &round.narrow);
        let mut elements: Vec<H::Mac> =
            wide.fix.iter().zip(masks.wide.iter()).map(|(w, r)| w.x - *r).collect();
        elements.extend_from_slice(&wide.send);
        let mut values: Vec<H::Value> =
            narrow.fix.iter().zip(masks.narrow.iter()).map(|(w, r)| H::value(*w) - *r).collect();
        values.extend_from_slice(&narrow.send);
        trunk.frame.clear();
        pack_elements(&elements, &mut trunk.frame);
        H::put(&values, &mut trunk.frame);
        if trunk.frame.is_empty() {
            trunk.frame.extend_from_slice(&trunk.counters.read().encode());
        }
        trunk.challenges.send(trunk.channel, tags::CHECK_OPENING, &trunk.frame)?;
        trunk.absorb_counts();
        if let Some(seed) = trunk.challenges.hash(trunk.stock, trunk.channel)? {
            return Ok(seed);
        }
        trunk.channel.flush()?;
        Ok(trunk.channel.recv_array(tags::CHALLENGE)?)
    }
}
