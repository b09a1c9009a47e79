//! The trunk at V.

use std::sync::Arc;

use volery_channel::{Tag, tags};
use volery_circuit::Error as StatementError;
use volery_field::{packed_bytes, unpack_elements};

use super::super::half::{Half, Wide};
use super::super::link::{Ask, Length, Link, Piece, Round, Slots};
use super::super::tally::Tally;
use super::Trunk;
use crate::Error;

/// The trunk at V.
pub(in super::super) struct VerifierTrunk<'a, H: Half> {
    pub(super) trunk: Trunk<'a, H>,
}

impl<'a, H: Half> VerifierTrunk<'a, H> {
    pub(in super::super) fn new(trunk: Trunk<'a, H>) -> Self {
        Self { trunk }
    }

    /// Compares the last query's key with the tag that P shows.
    pub(in super::super) fn finish(mut self, query: Wide<H::Mac>) -> Result<Tally, Error> {
        let trunk = &mut self.trunk;
        trunk.settle_stock()?;
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

    /// Receives a piece's masked values, as many as came: from `least`, which every use of it takes, to
    /// `most`.
    fn receive(&mut self, least: usize, most: usize) -> Result<Vec<H::Value>, Error> {
        let (trunk, step) = (&mut self.trunk, tags::MASKS);
        trunk.channel.recv_into(step, H::bytes(most), &mut trunk.frame)?;
        trunk.challenges.absorb(step, &trunk.frame);
        let count = H::capacity(trunk.frame.len()).min(most);
        if count < least.max(1) || H::bytes(count) != trunk.frame.len() {
            let reason = format!(
                "{} bytes are no number of values from {} to {most}",
                trunk.frame.len(),
                least.max(1)
            );
            return Err(malformed(step, reason));
        }
        H::get(&trunk.frame, count).map_err(|reason| malformed(step, reason))
    }
}

impl<H: Half> Link<H> for VerifierTrunk<'_, H> {
    fn piece(&mut self, _dummies: bool, asked: Length) -> Result<Arc<Piece<H>>, Error> {
        // Correlations first, as P makes them before it sends. What is kept is as long as what came, since a
        // block may hold many pieces.
        let length = self.trunk.next_piece(asked)?;
        let masked = self.receive(asked.least, length)?;
        let trunk = &mut self.trunk;
        let random = trunk.reserve.get(masked.len(), trunk.stock, trunk.channel)?;
        let half = &trunk.half;
        let wires = random.iter().zip(&masked).map(|(w, d)| H::add(*w, half.constant(*d))).collect();
        Ok(Arc::new(Piece { wires, due: length }))
    }

    fn settle(&mut self, _piece: Arc<Piece<H>>, used: usize) -> Result<(), Error> {
        // The last piece's message is still in the frame, and was read as if it had values up to its last
        // bit.
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
        let (mut wide, mut narrow) = self.trunk.next_round(ask)?;
        let (trunk, step) = (&mut self.trunk, tags::CHECK_OPENING);
        trunk.frame.resize(message_bytes::<H>(ask), 0);
        trunk.channel.recv_exact(step, &mut trunk.frame)?;
        trunk.challenges.absorb(step, &trunk.frame);
        trunk.absorb_counts();
        if ask.wide.sent() + ask.narrow.sent() == 0 {
            trunk.counters.read().compare(&trunk.frame)?;
            return Ok(Box::new(Round {
                wide: Slots::new(wide, 0, Vec::new()),
                narrow: Slots::new(narrow, 0, Vec::new()),
            }));
        }
        let (elements, values) = trunk.frame.split_at(packed_bytes::<H::Mac>(ask.wide.sent()));
        let mut elements = unpack_elements::<H::Mac>(elements, ask.wide.sent())
            .map_err(|error| malformed(step, error.to_string()))?;
        let mut values = H::get(values, ask.narrow.sent()).map_err(|reason| malformed(step, reason))?;
        let sent = elements.split_off(ask.wide.fix);
        let sent_values = values.split_off(ask.narrow.fix);
        wide.iter_mut().zip(&elements).for_each(|(w, d)| *w += trunk.half.wide_constant(*d));
        narrow.iter_mut().zip(&values).for_each(|(w, d)| *w = H::add(*w, trunk.half.constant(*d)));
        Ok(Box::new(Round {
            wide: Slots::new(wide, ask.wide.fix, sent),
            narrow: Slots::new(narrow, ask.narrow.fix, sent_values),
        }))
    }

    fn challenge(&mut self, _round: Box<Round<H>>) -> Result<[u8; 16], Error> {
        let trunk = &mut self.trunk;
        if let Some(seed) = trunk.challenges.draw() {
            trunk.channel.send(tags::CHALLENGE, &seed)?;
            trunk.channel.flush()?;
            return Ok(seed);
        }
        let seed = trunk.challenges.hash(trunk.stock, trunk.channel)?;
        seed.ok_or_else(|| StatementError::misuse("no challenge").into())
    }
}

/// Bytes of a round's message.
fn message_bytes<H: Half>(ask: Ask) -> usize {
    match packed_bytes::<H::Mac>(ask.wide.sent()).saturating_add(H::bytes(ask.narrow.sent())) {
        0 => Tally::BYTES,
        bytes => bytes,
    }
}

fn malformed(step: Tag, reason: impl Into<String>) -> Error {
    Error::Malformed { step, reason: reason.into() }
}
