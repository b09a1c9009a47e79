//! P: the receiver, with random bits and their tags.

use rand_core::CryptoRng;
use volery_channel::Channel;
use volery_channel::tags::{BASE_OT_RECEIVER, BASE_OT_SENDER, SOFT_SPOKEN_EXTEND, SOFT_SPOKEN_TREE};
use volery_field::Gf128;
use zeroize::Zeroizing;

use super::check::{LinearHash, digest, encode};
use super::columns::Streams;
use super::{BLOCK, CHUNK, COLUMNS, FieldBits, Leaves, blocks, discard, setup_transcript, tree};
use crate::{Error, SessionId, Transcript, base_ot};

/// P between its first message and V's.
pub struct ReceiverSetup(base_ot::Sender);

impl ReceiverSetup {
    /// Makes the first message, which can travel with the session's handshake.
    pub fn start<R: CryptoRng + ?Sized>(rng: &mut R) -> Self {
        Self(base_ot::Sender::start(rng))
    }

    /// The first message, for V; [`base_ot::SENDER_MESSAGE_BYTES`] long.
    #[must_use]
    pub fn message(&self) -> [u8; base_ot::SENDER_MESSAGE_BYTES] {
        self.0.message()
    }

    /// Reads V's first message and sends the trees. It does not wait.
    ///
    /// # Errors
    /// [`Error::Malformed`] if `peer` is not a base OT message for 128 instances; any error of sending.
    pub fn finish<C: Channel + ?Sized>(
        self,
        session: &SessionId,
        bits: FieldBits,
        peer: &[u8],
        channel: &mut C,
    ) -> Result<Receiver, Error> {
        let (receiver, message) = self.finish_with(session, bits, peer)?;
        channel.send(SOFT_SPOKEN_TREE, &message)?;
        Ok(receiver)
    }

    /// As [`finish`](Self::finish), but returns the message instead of sending it.
    pub(super) fn finish_with(
        self,
        session: &SessionId,
        bits: FieldBits,
        peer: &[u8],
    ) -> Result<(Receiver, Vec<u8>), Error> {
        let point = self.message();
        let keys = self.0.finish(session, COLUMNS, peer)?;
        Ok(Self::grow(session, bits, &keys, [&point, peer]))
    }

    /// Receives V's first message, part by part, and sends the trees.
    ///
    /// # Errors
    /// As [`finish`](Self::finish), and any error of receiving.
    pub fn receive<C: Channel + ?Sized>(
        self,
        session: &SessionId,
        bits: FieldBits,
        channel: &mut C,
    ) -> Result<Receiver, Error> {
        let point = self.message();
        let mut answers = self.0.answers(COLUMNS)?;
        for length in base_ot::parts(COLUMNS) {
            let mut part = vec![0; length];
            channel.recv_exact(BASE_OT_RECEIVER, &mut part)?;
            answers.absorb(&part)?;
        }
        let keys = answers.finish(session)?;
        let (receiver, message) = Self::grow(session, bits, &keys, [&point, answers.message()]);
        channel.send(SOFT_SPOKEN_TREE, &message)?;
        Ok(receiver)
    }

    /// Makes the trees and their message, from the keys of the base OT and both of its messages.
    fn grow(
        session: &SessionId,
        bits: FieldBits,
        keys: &[[Gf128; 2]],
        [point, peer]: [&[u8]; 2],
    ) -> (Receiver, Vec<u8>) {
        let (leaf_seeds, message) = tree::grow_all(session, bits, keys);
        let transcript = setup_transcript(session, bits, point, peer, &message);
        (Receiver { bits, transcript, streams: Some(Streams::new(bits, leaf_seeds)) }, message)
    }
}

/// P: extends on demand, in constant memory. Made by [`ReceiverSetup`] or [`Receiver::setup`].
pub struct Receiver {
    pub(super) bits: FieldBits,
    pub(super) transcript: Transcript,
    /// `None` after an error.
    pub(super) streams: Option<Streams>,
}

impl Receiver {
    /// Runs the whole setup over `channel`: one round trip.
    ///
    /// # Errors
    /// As [`ReceiverSetup::finish`], and any error of receiving.
    pub fn setup<C: Channel + ?Sized, R: CryptoRng + ?Sized>(
        channel: &mut C,
        session: &SessionId,
        bits: FieldBits,
        rng: &mut R,
    ) -> Result<Self, Error> {
        let setup = ReceiverSetup::start(rng);
        channel.send(BASE_OT_SENDER, &setup.message())?;
        setup.receive(session, bits, channel)
    }

    /// A second receiver under the same delta, whose correlations are independent of this one's. V must fork
    /// in the same way; nothing is sent. Each label can be used once, and forks must come before the first
    /// correlations.
    ///
    /// # Errors
    /// [`Error::Misuse`] after an error, for a label that was used before, and after this receiver has made
    /// correlations.
    pub fn fork(&mut self, label: &str) -> Result<Self, Error> {
        let streams = self.streams.as_mut().ok_or_else(failed)?.fork(label)?;
        let mut transcript = self.transcript.clone();
        transcript.absorb("fork", label.as_bytes());
        Ok(Self { bits: self.bits, transcript, streams: Some(streams) })
    }

    /// The seeds of the trees' leaves.
    pub(crate) fn into_leaves(self) -> Result<Leaves, Error> {
        let seeds = self.streams.ok_or_else(failed)?.into_seeds()?;
        Ok(Leaves { bits: self.bits, seeds, transcript: self.transcript })
    }

    /// Appends `n` tags `m_i` to `out`; their lowest bits are the random bits `u_i`. V must extend by the
    /// same `n`.
    ///
    /// Sends [`FieldBits::extension_bytes`] in messages of at most 33 KB, and does not wait.
    ///
    /// # Errors
    /// Any error of sending; `out` is then unchanged. After an error the receiver only returns
    /// [`Error::Misuse`].
    pub fn extend<C: Channel + ?Sized>(
        &mut self,
        channel: &mut C,
        n: usize,
        out: &mut Vec<Gf128>,
    ) -> Result<(), Error> {
        let start = out.len();
        let mut left = n;
        while left > 0 {
            let rows = left.min(CHUNK);
            let message = self.extend_with(rows, out);
            let result = message.and_then(|message| Ok(channel.send(SOFT_SPOKEN_EXTEND, &message)?));
            if let Err(error) = result {
                self.streams = None;
                discard(out, start);
                return Err(error);
            }
            left -= rows;
        }
        Ok(())
    }

    /// Makes one chunk of `rows` correlations, at most [`CHUNK`], and returns the message.
    pub(super) fn extend_with(&mut self, rows: usize, out: &mut Vec<Gf128>) -> Result<Vec<u8>, Error> {
        let streams = self.streams.as_mut().ok_or_else(failed)?;
        let blocks = blocks(rows);
        let mut message = Vec::with_capacity(self.bits.chunk_message_bytes(rows));
        let mut u = Zeroizing::new(Vec::with_capacity(blocks));
        streams.advance(blocks, |t, sum, _| {
            if t == 0 {
                u.extend_from_slice(sum);
            } else {
                push_sum(&mut message, sum, &u);
            }
        });
        #[cfg(any(test, feature = "cheats"))]
        if let Some((guess, errors)) = crate::cheats::bits(&u, rows) {
            lie(streams, &mut message, &mut u, guess, &errors);
        }
        streams.set_first(|i| u[i]);

        self.transcript.absorb_number("rows", rows as u64);
        self.transcript.absorb("corrections", &message);
        let hash = LinearHash::new(self.transcript.challenge_seed("linear hash"), blocks);
        let hash_of_u = encode(&hash.hash(&u)?);
        let hashes = hash.hash_all(streams.columns(), blocks)?;
        let digest = digest(&mut self.transcript, &hash_of_u, &hashes);
        message.extend_from_slice(&hash_of_u);
        message.extend_from_slice(&digest);
        streams.rows(rows, out)?;
        Ok(message)
    }
}

/// For all trees except the first, sends `u + errors`. Repairs the first with a guess of its piece of delta.
#[cfg(any(test, feature = "cheats"))]
fn lie(streams: &mut Streams, message: &mut [u8], u: &mut [Gf128], guess: u8, errors: &[Gf128]) {
    for (bytes, error) in message.chunks_exact_mut(BLOCK).zip(errors.iter().cycle()) {
        bytes.iter_mut().zip(error.to_bits().to_le_bytes()).for_each(|(byte, error)| *byte ^= error);
    }
    (0..8).filter(|b| guess >> b & 1 == 1).for_each(|b| streams.add_to_column(b, errors));
    u.iter_mut().zip(errors).for_each(|(u, error)| *u += *error);
}

fn failed() -> Error {
    Error::misuse("this OT receiver has failed before; start a new session")
}

/// Appends the bytes of `a + b`.
fn push_sum(message: &mut Vec<u8>, a: &[Gf128], b: &[Gf128]) {
    message.reserve(a.len() * BLOCK);
    for (a, b) in a.iter().zip(b) {
        message.extend_from_slice(&(*a + *b).to_bits().to_le_bytes());
    }
}
