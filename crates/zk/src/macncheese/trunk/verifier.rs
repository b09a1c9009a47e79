//! V's trunk: reads what P sent, shifts the keys by it, and sends challenges.

use std::sync::Arc;

use volery_channel::{Tag, tags};
use volery_circuit::Error as StatementError;
use volery_field::{packed_bytes, unpack_elements};

use super::super::link::{Ask, Length, Link, Piece, Round, Slots};
use super::super::share::Share;
use super::super::tally::Tally;
use super::Trunk;
use crate::Error;
use crate::shares::ElementShare;

/// V's trunk.
pub(in super::super) struct VerifierTrunk<'a, H: Share> {
    pub(super) trunk: Trunk<'a, H>,
}

impl<'a, H: Share> VerifierTrunk<'a, H> {
    pub(in super::super) fn new(trunk: Trunk<'a, H>) -> Self {
        Self { trunk }
    }

    /// Compares the last query's key with the tag that P sends.
    pub(in super::super) fn finish(mut self, query: ElementShare<H::Mac>) -> Result<Tally, Error> {
        let trunk = &mut self.trunk;
        trunk.settle_pool()?;
        let tally = trunk.counters.read();
        let step = tags::ASSERTIONS;
        let tag_bytes = packed_bytes::<H::Mac>(1);
        trunk.frame.resize(tag_bytes + Tally::BYTES, 0);
        trunk.channel.recv_exact(step, &mut trunk.frame)?;
        trunk.challenges.absorb(step, &trunk.frame);
        let (tag, counts) = trunk.frame.split_at(tag_bytes);
        tally.compare(counts)?;
        let tag = unpack_elements::<H::Mac>(tag, 1).map_err(|error| malformed(step, error.to_string()))?;
        if tag.first() != Some(&query.m) {
            return Err(Error::Rejected {
                reason: "a product, an assertion or a disjunction is wrong".into(),
            });
        }
        Ok(tally)
    }

    /// Receives a piece's masked values: at least `least`, because every run takes these, and at most `most`.
    fn receive(&mut self, least: usize, most: usize) -> Result<Vec<H::Value>, Error> {
        let (trunk, step) = (&mut self.trunk, tags::MASKS);
        trunk.channel.recv_into(step, H::bytes(most), &mut trunk.frame)?;
        trunk.challenges.absorb(step, &trunk.frame);
        let count = H::capacity(trunk.frame.len()).min(most);
        if count < least.max(1) || H::bytes(count) != trunk.frame.len() {
            let reason = format!(
                "{} bytes are not a whole number of values from {} to {most}",
                trunk.frame.len(),
                least.max(1)
            );
            return Err(malformed(step, reason));
        }
        H::get(&trunk.frame, count).map_err(|reason| malformed(step, reason))
    }
}

impl<H: Share> Link<H> for VerifierTrunk<'_, H> {
    fn piece(&mut self, _dummies: bool, asked: Length) -> Result<Arc<Piece<H>>, Error> {
        // Correlations come first, because P makes them before it sends. A block may hold many pieces, so
        // this one keeps no more than what arrived.
        let length = self.trunk.next_piece(asked)?;
        let masked = self.receive(asked.least, length)?;
        let trunk = &mut self.trunk;
        let random = trunk.reserve.get(masked.len(), trunk.pool, trunk.channel)?;
        let share = &trunk.share;
        let wires = random.iter().zip(&masked).map(|(w, d)| H::add(*w, share.constant(*d))).collect();
        Ok(Arc::new(Piece { wires, due: length }))
    }

    fn settle(&mut self, _piece: Arc<Piece<H>>, used: usize) -> Result<(), Error> {
        // The last piece's message is still in the frame. Its last byte was read as if all bits were values,
        // so the unused bits are checked here.
        let frame = &self.trunk.frame;
        let bits = (used as u64).saturating_mul(H::BITS.into());
        let beyond = frame.last().is_some_and(|last| bits % 8 != 0 && last >> (bits % 8) != 0);
        if frame.len() != H::bytes(used) || beyond {
            let reason = format!(
                "{} bytes for {used} values: the prover runs another program, or cheats",
                frame.len()
            );
            return Err(malformed(tags::MASKS, reason));
        }
        self.trunk.end_piece(used);
        Ok(())
    }

    fn round(&mut self, ask: Ask) -> Result<Box<Round<H>>, Error> {
        let (mut elements, mut values) = self.trunk.next_round(ask)?;
        let (trunk, step) = (&mut self.trunk, tags::CHECK_OPENING);
        trunk.frame.resize(message_bytes::<H>(ask), 0);
        trunk.channel.recv_exact(step, &mut trunk.frame)?;
        trunk.challenges.absorb(step, &trunk.frame);
        trunk.absorb_counts();
        if ask.elements.sent() + ask.values.sent() == 0 {
            trunk.counters.read().compare(&trunk.frame)?;
            return Ok(Box::new(Round {
                elements: Slots::new(elements, 0, Vec::new()),
                values: Slots::new(values, 0, Vec::new()),
            }));
        }
        let (masked, masked_values) = trunk.frame.split_at(packed_bytes::<H::Mac>(ask.elements.sent()));
        let mut masked = unpack_elements::<H::Mac>(masked, ask.elements.sent())
            .map_err(|error| malformed(step, error.to_string()))?;
        let mut masked_values =
            H::get(masked_values, ask.values.sent()).map_err(|reason| malformed(step, reason))?;
        let sent = masked.split_off(ask.elements.fix);
        let sent_values = masked_values.split_off(ask.values.fix);
        elements.iter_mut().zip(&masked).for_each(|(w, d)| *w += trunk.share.element_constant(*d));
        values.iter_mut().zip(&masked_values).for_each(|(w, d)| *w = H::add(*w, trunk.share.constant(*d)));
        Ok(Box::new(Round {
            elements: Slots::new(elements, ask.elements.fix, sent),
            values: Slots::new(values, ask.values.fix, sent_values),
        }))
    }

    fn challenge(&mut self, _round: Box<Round<H>>) -> Result<[u8; 16], Error> {
        let trunk = &mut self.trunk;
        if let Some(seed) = trunk.challenges.draw() {
            trunk.channel.send(tags::CHALLENGE, &seed)?;
            trunk.channel.flush()?;
            return Ok(seed);
        }
        let seed = trunk.challenges.hash(trunk.pool, trunk.channel)?;
        seed.ok_or_else(|| StatementError::misuse("no challenge").into())
    }
}

/// The length of a round's message in bytes.
fn message_bytes<H: Share>(ask: Ask) -> usize {
    match packed_bytes::<H::Mac>(ask.elements.sent()).saturating_add(H::bytes(ask.values.sent())) {
        0 => Tally::BYTES,
        bytes => bytes,
    }
}

fn malformed(step: Tag, reason: impl Into<String>) -> Error {
    Error::Malformed { step, reason: reason.into() }
}
