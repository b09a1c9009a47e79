//! The stream of masked bits, `d = w + u`, one for each slot of a block.
//!
//! Bits travel in frames of at most [`FRAME`] bytes, least significant bit of each byte first. A frame ends
//! early only if P may have to wait for the peer's part of a correlation, or if a block ends. There the last
//! byte is padded with zeros, which V, who knows these places, checks.

use volery_channel::{Channel, tags};
use volery_field::{Gf128, Wipe as _};
use zeroize::Zeroize;

use super::super::challenges::{CHUNK, Challenges};
use crate::Error;

/// The size of a full frame in bytes: a fraction of a millisecond of work, so that V follows closely.
pub(super) const FRAME: usize = 1 << 11;

/// P's side. Wiped on drop, because under correlations that are zeros the bits are the values themselves.
pub(super) struct MaskWriter {
    word: u64,
    bits: u32,
    frame: Vec<u8>,
}

impl Drop for MaskWriter {
    fn drop(&mut self) {
        self.word.zeroize();
        self.frame.wipe();
    }
}

impl MaskWriter {
    /// With room for a frame and the window that makes it full, because a vector that grows leaves its old
    /// content behind.
    pub(super) fn new() -> Self {
        Self { word: 0, bits: 0, frame: Vec::with_capacity(FRAME + CHUNK / 8 + 8) }
    }

    /// Appends the least significant bits of `a[i] + b[i]`.
    pub(super) fn extend(&mut self, a: &[Gf128], b: &[Gf128]) {
        let mut pairs = a.iter().zip(b).map(|(a, b)| (a.to_bits() ^ b.to_bits()) as u64 & 1);
        // Bit by bit up to a word boundary, then whole words.
        while self.bits != 0 {
            let Some(bit) = pairs.next() else { return };
            self.push(bit);
        }
        let done = a.len().min(b.len()) - pairs.len();
        let (a, b) = (&a[done..], &b[done..]);
        let (words_a, rest_a) = a.as_chunks::<64>();
        let (words_b, rest_b) = b.as_chunks::<64>();
        for (a, b) in words_a.iter().zip(words_b) {
            let mut word = 0;
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                word |= ((a.to_bits() ^ b.to_bits()) as u64 & 1) << i;
            }
            self.frame.extend_from_slice(&word.to_le_bytes());
        }
        for (a, b) in rest_a.iter().zip(rest_b) {
            self.push((a.to_bits() ^ b.to_bits()) as u64 & 1);
        }
    }

    fn push(&mut self, bit: u64) {
        self.word |= bit << self.bits;
        self.bits += 1;
        if self.bits == 64 {
            self.frame.extend_from_slice(&self.word.to_le_bytes());
            (self.word, self.bits) = (0, 0);
        }
    }

    /// Whether a frame is full.
    pub(super) fn full(&self) -> bool {
        self.frame.len() >= FRAME
    }

    /// Sends the whole bytes; up to seven bits stay.
    pub(super) fn send(
        &mut self,
        challenges: &mut Challenges<'_>,
        channel: &mut dyn Channel,
    ) -> Result<(), Error> {
        let whole = self.bits / 8;
        self.frame.extend_from_slice(&self.word.to_le_bytes()[..whole as usize]);
        self.word = self.word.checked_shr(8 * whole).unwrap_or(0);
        self.bits %= 8;
        for frame in self.frame.chunks(FRAME) {
            challenges.send(channel, tags::MASKS, frame)?;
        }
        self.frame.clear();
        Ok(())
    }

    /// Ends a block, or a part of one: sends everything, with the last byte padded with zeros.
    pub(super) fn finish(
        &mut self,
        challenges: &mut Challenges<'_>,
        channel: &mut dyn Channel,
    ) -> Result<(), Error> {
        self.bits = self.bits.next_multiple_of(8);
        self.send(challenges, channel)
    }
}

/// V's side.
#[derive(Default)]
pub(super) struct MaskReader {
    frame: Vec<u8>,
    /// The next bit of `frame`.
    at: usize,
}

impl MaskReader {
    /// The number of bits at hand.
    pub(super) fn available(&self) -> usize {
        8 * self.frame.len() - self.at
    }

    /// Receives a frame. Call it when no bit is at hand.
    pub(super) fn receive(
        &mut self,
        challenges: &mut Challenges<'_>,
        channel: &mut dyn Channel,
    ) -> Result<(), Error> {
        // This comes before the frame, which is empty after an error.
        self.at = 0;
        channel.recv_into(tags::MASKS, FRAME, &mut self.frame)?;
        if self.frame.is_empty() {
            return Err(Error::Malformed { step: tags::MASKS, reason: "an empty frame".into() });
        }
        challenges.absorb(tags::MASKS, &self.frame);
        Ok(())
    }

    /// Adds `one` to every key whose bit is set; the next bit belongs to the first key. There must be a bit
    /// at hand for each key.
    pub(super) fn apply(&self, keys: &mut [Gf128], one: u128) {
        for (i, key) in keys.iter_mut().enumerate() {
            let at = self.at + i;
            let byte = self.frame.get(at / 8).copied().unwrap_or_default();
            let bit = u128::from(byte >> (at % 8) & 1);
            *key = Gf128::from_bits(key.to_bits() ^ (bit.wrapping_neg() & one));
        }
    }

    /// Marks the next `n` bits as used.
    pub(super) fn advance(&mut self, n: usize) {
        self.at = (self.at + n).min(8 * self.frame.len());
    }

    /// Ends a block, or a part of one: any remaining bits must be the padding of the last byte.
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        let left = self.available();
        let last = self.frame.last().copied().unwrap_or_default();
        if left >= 8 || (left > 0 && last >> (8 - left) != 0) {
            let reason = "bits beyond those of the block: the prover runs another program, or cheats".into();
            return Err(Error::Malformed { step: tags::MASKS, reason });
        }
        self.at = 8 * self.frame.len();
        Ok(())
    }
}
