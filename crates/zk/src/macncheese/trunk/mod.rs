//! The root's link: correlations from a stock, messages over a channel.
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
//! Pieces grow up to [`PIECE`], so that a small proof makes few correlations that it does not use; whoever
//! knows how much it needs gets it at once. Lengths
//! and order depend on the programs alone, never on which branch holds.

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
use volery_vole::supply::Stock;
use zeroize::Zeroizing;

use super::half::{Half, Wide};
use super::link::{Ask, Length};
use super::tally::Counters;
use super::{Multiplier, Settings};
use crate::Error;
use crate::quicksilver::Challenges;
use reserve::Reserve;

/// Commitments in the longest piece: some 100 microseconds of work, far more than handing it on takes.
const PIECE: usize = 1 << 14;

/// Commitments in the first piece.
const FIRST_PIECE: usize = 1 << 8;

/// The longest piece that branches may ask for: thresholds in thresholds need one as long as the product of
/// their numbers, repetitions in step with each other one for all of them.
const LONGEST: usize = 1 << 20;

/// A round's random commitments: to elements of the MAC field, and to values.
type Drawn<H> = (Vec<Wide<<H as Half>::Mac>>, Vec<<H as Half>::Wire>);

/// What both parties' trunks have.
pub(super) struct Trunk<'a, H: Half> {
    half: H,
    channel: &'a mut dyn Channel,
    stock: &'a mut Stock<H::Wire>,
    challenges: Challenges<'a>,
    counters: Arc<Counters>,
    reserve: Reserve<H::Wire>,
    /// The length of the next piece.
    piece: usize,
    frame: Vec<u8>,
}

impl<'a, H: Half> Trunk<'a, H> {
    pub(super) fn new(
        half: H,
        settings: Settings,
        mut challenges: Challenges<'a>,
        stock: &'a mut Stock<H::Wire>,
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
        parameters.extend_from_slice(&stock.index().to_le_bytes());
        challenges.absorb(tags::BEGIN, &parameters);
        Self {
            half,
            channel,
            stock,
            challenges,
            counters,
            reserve: Reserve::new(),
            piece: FIRST_PIECE,
            frame: Vec::new(),
        }
    }

    /// Makes the next piece's random correlations ready: how many they are.
    fn next_piece(&mut self, length: Length) -> Result<usize, Error> {
        let Length { least, room } = length;
        if least > LONGEST {
            let reason = format!(
                "thresholds in thresholds need pieces of {least} commitments; {LONGEST} are possible"
            );
            return Err(StatementError::misuse(reason).into());
        }
        let length = self.piece.max(least).max(room.min(LONGEST));
        self.reserve.get(length, self.stock, self.channel)?;
        Ok(length)
    }

    fn end_piece(&mut self, used: usize) {
        self.reserve.advance(used);
        self.piece = (2 * self.piece).min(PIECE);
    }

    /// A round's random correlations, all of them used.
    fn next_round(&mut self, ask: Ask) -> Result<Drawn<H>, Error> {
        let wide = ask.wide.fix.saturating_add(ask.wide.random);
        let narrow = ask.narrow.fix.saturating_add(ask.narrow.random);
        let total = wide.saturating_mul(H::DEGREE).saturating_add(narrow);
        let random = Zeroizing::new(self.reserve.get(total, self.stock, self.channel)?.to_vec());
        self.reserve.advance(total);
        let (first, rest) = random.split_at(wide * H::DEGREE);
        Ok((first.chunks_exact(H::DEGREE).map(H::pack).collect(), rest.to_vec()))
    }

    /// What everything so far was: absorbed before every challenge that is a hash.
    fn absorb_counts(&mut self) {
        let counts = self.counters.read().encode();
        self.challenges.absorb(tags::ASSERTIONS, &counts);
    }

    /// Ends every check that is half way in the making of correlations.
    fn settle_stock(&mut self) -> Result<(), Error> {
        Ok(self.stock.settle(self.channel)?)
    }
}
