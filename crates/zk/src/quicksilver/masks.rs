//! The stream of masked bits, `d = w + u`, one for each secret value and each multiplication.
//!
//! Bits travel in frames of at most [`FRAME`] bytes, least significant bit of each byte first. A frame ends early only
//! where P has to wait or a block ends. A block's last byte is filled up with zeros, and V demands that.

use volery_channel::{Channel, tags};

use super::challenges::Challenges;
use crate::Error;

/// Bytes of a full frame: half a millisecond of work, so that V follows closely.
pub(super) const FRAME: usize = 1 << 11;

/// P's end.
#[derive(Default)]
pub(super) struct MaskWriter {
    word: u64,
    bits: u32,
    frame: Vec<u8>,
}

impl MaskWriter {
    pub(super) fn new() -> Self {
        Self { word: 0, bits: 0, frame: Vec::with_capacity(FRAME + 8) }
    }

    /// Appends the least significant bit of `d`; whether a frame is full.
    #[inline(always)]
    pub(super) fn push(&mut self, d: u128) -> bool {
        self.word |= ((d & 1) as u64) << self.bits;
        self.bits += 1;
        if self.bits < 64 {
            return false;
        }
        self.frame.extend_from_slice(&self.word.to_le_bytes());
        (self.word, self.bits) = (0, 0);
        self.frame.len() >= FRAME
    }

    /// Sends the whole bytes that there are; up to seven bits stay.
    #[cold]
    pub(super) fn send(&mut self, challenges: &mut Challenges<'_>, channel: &mut dyn Channel) -> Result<(), Error> {
        let whole = self.bits / 8;
        self.frame.extend_from_slice(&self.word.to_le_bytes()[..whole as usize]);
        self.word = self.word.checked_shr(8 * whole).unwrap_or(0);
        self.bits %= 8;
        if !self.frame.is_empty() {
            challenges.send(channel, tags::MASKS, &self.frame)?;
            self.frame.clear();
        }
        Ok(())
    }

    /// Ends a block: sends everything, the last byte filled up with zeros.
    pub(super) fn finish(
        &mut self,
        challenges: &mut Challenges<'_>,
        channel: &mut dyn Channel,
    ) -> Result<(), Error> {
        self.bits = self.bits.next_multiple_of(8);
        self.send(challenges, channel)
    }
}

/// V's end.
#[derive(Default)]
pub(super) struct MaskReader {
    word: u64,
    bits: u32,
    frame: Vec<u8>,
    at: usize,
}

impl MaskReader {
    /// The next bit if one is at hand.
    #[inline(always)]
    pub(super) fn pop(&mut self) -> Option<u64> {
        self.bits = self.bits.checked_sub(1)?;
        let bit = self.word & 1;
        self.word >>= 1;
        Some(bit)
    }

    /// Makes at least one bit available.
    #[cold]
    pub(super) fn refill(
        &mut self,
        challenges: &mut Challenges<'_>,
        channel: &mut dyn Channel,
    ) -> Result<(), Error> {
        if self.at == self.frame.len() {
            channel.recv_into(tags::MASKS, FRAME, &mut self.frame)?;
            self.at = 0;
            if self.frame.is_empty() {
                return Err(Error::Malformed { step: tags::MASKS, reason: "an empty frame".into() });
            }
            challenges.absorb(tags::MASKS, &self.frame);
        }
        let mut word = [0; 8];
        let n = (self.frame.len() - self.at).min(8);
        word[..n].copy_from_slice(&self.frame[self.at..self.at + n]);
        self.at += n;
        (self.word, self.bits) = (u64::from_le_bytes(word), 8 * n as u32);
        Ok(())
    }

    /// Ends a block: whatever is left must be the padding of the last byte.
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        if self.at != self.frame.len() || self.bits >= 8 || self.word != 0 {
            let reason = "bits beyond those of the block: the prover runs another program, or cheats".into();
            return Err(Error::Malformed { step: tags::MASKS, reason });
        }
        self.bits = 0;
        Ok(())
    }
}

