//! The root's link: correlations from a pool, messages over a channel.
//!
//! ```text
//! P                                              V
//! piece: masked values        ----------->                         no answer
//! piece ...                   ----------->
//! round: masked values, values sent in the open, or counts --->
//!                             <-----------       its challenge (nothing where challenges are hashes)
//! ...
//! last query's tag, counts    ----------->
//! ```
//!
//! Pieces grow up to [`PIECE`], so that a small proof makes few correlations that it does not use. A run that
//! knows how much it needs gets that at once. Lengths and order depend only on the programs, never on which
//! branch holds.

mod prover;
mod reserve;
#[cfg(test)]
mod tests;
mod verifier;

pub(super) use prover::ProverTrunk;
pub(super) use verifier::VerifierTrunk;

use std::sync::Arc;

use volery_channel::{Channel, tags};
use volery_circuit::Error as StatementError;
use volery_field::Ring;
use volery_vole::correlations::Pool;
use zeroize::Zeroizing;

use super::link::{Ask, Length};
use super::share::Share;
use super::tally::Counters;
use super::{Multiplier, Settings};
use crate::Error;
use crate::quicksilver::Challenges;
use crate::shares::ElementShare;
use reserve::Reserve;

/// The number of commitments in the longest piece: about 100 microseconds of work, far more than passing it
/// on takes.
const PIECE: usize = 1 << 14;

/// The number of commitments in the first piece.
const FIRST_PIECE: usize = 1 << 8;

/// The longest piece that branches may ask for. Thresholds in thresholds need one whose length is the product
/// of their numbers; repetitions in step with each other need one for all of them.
const LONGEST: usize = 1 << 20;

/// A round's random commitments to elements of the MAC field, and to values.
type Drawn<H> = (Vec<ElementShare<<H as Share>::Mac>>, Vec<<H as Share>::Wire>);

/// The part of a trunk that both parties have.
pub(super) struct Trunk<'a, H: Share> {
    share: H,
    channel: &'a mut dyn Channel,
    pool: &'a mut Pool<H::Wire>,
    challenges: Challenges<'a>,
    counters: Arc<Counters>,
    reserve: Reserve<H::Wire>,
    /// The length of the next piece.
    piece: usize,
    frame: Vec<u8>,
}

impl<'a, H: Share> Trunk<'a, H> {
    pub(super) fn new(
        share: H,
        settings: Settings,
        mut challenges: Challenges<'a>,
        pool: &'a mut Pool<H::Wire>,
        channel: &'a mut dyn Channel,
        counters: Arc<Counters>,
    ) -> Self {
        let multiplier = match settings.multiplier {
            Multiplier::Simple => 0,
            Multiplier::Batched => 1,
            Multiplier::BatchedPowers => 2,
            Multiplier::EmbeddedRho40 => 3,
        };
        let mut parameters = b"mac'n'cheese v2 ".to_vec();
        parameters.extend_from_slice(H::Value::NAME.as_bytes());
        parameters.push(b'/');
        parameters.extend_from_slice(H::Mac::NAME.as_bytes());
        parameters.extend_from_slice(&[0, multiplier]);
        parameters.extend_from_slice(&(settings.interval as u64).to_le_bytes());
        parameters.extend_from_slice(&pool.index().to_le_bytes());
        challenges.absorb(tags::BEGIN, &parameters);
        Self {
            share,
            channel,
            pool,
            challenges,
            counters,
            reserve: Reserve::new(),
            piece: FIRST_PIECE,
            frame: Vec::new(),
        }
    }

    /// Prepares the next piece's random correlations, and returns their number.
    fn next_piece(&mut self, length: Length) -> Result<usize, Error> {
        let Length { least, room } = length;
        if least > LONGEST {
            let reason = format!(
                "thresholds in thresholds need pieces of {least} commitments; {LONGEST} are possible"
            );
            return Err(StatementError::misuse(reason).into());
        }
        let length = self.piece.max(least).max(room.min(LONGEST));
        self.reserve.get(length, self.pool, self.channel)?;
        Ok(length)
    }

    fn end_piece(&mut self, used: usize) {
        self.reserve.advance(used);
        self.piece = (2 * self.piece).min(PIECE);
    }

    /// Takes a round's random correlations.
    fn next_round(&mut self, ask: Ask) -> Result<Drawn<H>, Error> {
        let elements = ask.elements.fix.saturating_add(ask.elements.random);
        let values = ask.values.fix.saturating_add(ask.values.random);
        let total = elements.saturating_mul(H::DEGREE).saturating_add(values);
        let random = Zeroizing::new(self.reserve.get(total, self.pool, self.channel)?.to_vec());
        self.reserve.advance(total);
        let (first, rest) = random.split_at(elements * H::DEGREE);
        Ok((first.chunks_exact(H::DEGREE).map(H::pack).collect(), rest.to_vec()))
    }

    /// Absorbs the counts so far, before every challenge that is a hash.
    fn absorb_counts(&mut self) {
        let counts = self.counters.read().encode();
        self.challenges.absorb(tags::ASSERTIONS, &counts);
    }

    /// Finishes every pending check of the correlations.
    fn settle_pool(&mut self) -> Result<(), Error> {
        Ok(self.pool.settle(self.channel)?)
    }
}
