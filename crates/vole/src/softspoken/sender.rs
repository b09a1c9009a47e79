//! V: the sender, with delta and keys.

use rand_core::CryptoRng;
use subtle::ConstantTimeEq;
use volery_channel::Channel;
use volery_channel::tags::{BASE_OT_RECEIVER, BASE_OT_SENDER, SOFT_SPOKEN_EXTEND, SOFT_SPOKEN_TREE};
use volery_field::Gf128;
use zeroize::Zeroizing;

use super::check::{LinearHash, decode, digest};
use super::columns::{Streams, add_masked};
use super::{BLOCK, CHUNK, COLUMNS, DIGEST, FieldBits, Leaves, blocks, discard, setup_transcript, tree};
use crate::{Delta, Error, SessionId, Transcript, base_ot};

/// V between its first message and P's trees.
pub struct SenderSetup {
    delta: Delta,
    base: base_ot::Receiver,
}

impl SenderSetup {
    /// Makes the first message, which can travel with the session's handshake.
    ///
    /// # Errors
    /// None in practice: the number of base OTs is fixed.
    pub fn start<R: CryptoRng + ?Sized>(delta: Delta, rng: &mut R) -> Result<Self, Error> {
        let mut setup = Self::begin(delta, rng)?;
        while setup.base.part(rng).is_some() {}
        Ok(setup)
    }

    /// Makes the first message and sends it, each part as soon as it is made, so that P works on it while the
    /// next one is made.
    ///
    /// # Errors
    /// Any error of sending.
    pub fn send<C: Channel + ?Sized, R: CryptoRng + ?Sized>(
        delta: Delta,
        channel: &mut C,
        rng: &mut R,
    ) -> Result<Self, Error> {
        let mut setup = Self::begin(delta, rng)?;
        while let Some(part) = setup.base.part(rng) {
            channel.send(BASE_OT_RECEIVER, part)?;
            channel.flush()?;
        }
        Ok(setup)
    }

    fn begin<R: CryptoRng + ?Sized>(delta: Delta, rng: &mut R) -> Result<Self, Error> {
        #[cfg(any(test, feature = "cheats"))]
        crate::cheats::note(&delta);
        // V opens the sides that delta's path does not take, so it chooses by the complement.
        let choices = Zeroizing::new((0..COLUMNS).map(|i| !delta.mask(i) as u8 & 1).collect::<Vec<_>>());
        let base = base_ot::Receiver::begin(&choices, rng)?;
        Ok(Self { delta, base })
    }

    /// The first message, for P; [`base_ot::receiver_message_bytes`]`(128)` long.
    #[must_use]
    pub fn message(&self) -> &[u8] {
        self.base.message()
    }

    /// Reads P's first message `peer`, then receives and checks the trees.
    ///
    /// # Errors
    /// [`Error::Malformed`] if `peer` is not a base OT message, [`Error::Cheat`] if the trees are not
    /// consistent, and any error of receiving.
    pub fn finish<C: Channel + ?Sized>(
        self,
        session: &SessionId,
        bits: FieldBits,
        peer: &[u8],
        channel: &mut C,
    ) -> Result<Sender, Error> {
        // This runs while P works on its larger half of the base OT.
        let keyed = self.keys(session, peer)?;
        let mut trees = vec![0; bits.tree_message_bytes()];
        channel.recv_exact(SOFT_SPOKEN_TREE, &mut trees)?;
        keyed.finish(session, bits, peer, &trees)
    }

    /// As [`finish`](Self::finish), with the trees given.
    pub(super) fn finish_with(
        self,
        session: &SessionId,
        bits: FieldBits,
        peer: &[u8],
        trees: &[u8],
    ) -> Result<Sender, Error> {
        self.keys(session, peer)?.finish(session, bits, peer, trees)
    }

    fn keys(self, session: &SessionId, peer: &[u8]) -> Result<KeyedSetup, Error> {
        let message = self.message().to_vec();
        Ok(KeyedSetup { message, delta: self.delta, keys: self.base.finish(session, peer)? })
    }
}

/// V after the base OT.
pub(super) struct KeyedSetup {
    /// V's own message in the base OT.
    pub(super) message: Vec<u8>,
    pub(super) delta: Delta,
    pub(super) keys: Zeroizing<Vec<Gf128>>,
}

impl KeyedSetup {
    pub(super) fn finish(
        self,
        session: &SessionId,
        bits: FieldBits,
        peer: &[u8],
        trees: &[u8],
    ) -> Result<Sender, Error> {
        let transcript = setup_transcript(session, bits, peer, &self.message, trees);
        let leaf_seeds = tree::puncture_all(session, bits, &self.keys, &self.delta, trees)?;
        Ok(Sender::from_leaf_seeds(bits, self.delta, transcript, leaf_seeds))
    }
}

/// V: extends on demand, in constant memory. Made by [`SenderSetup`] or [`Sender::setup`].
pub struct Sender {
    bits: FieldBits,
    delta: Delta,
    transcript: Transcript,
    /// `None` after an error.
    streams: Option<Streams>,
}

impl Sender {
    pub(super) fn from_leaf_seeds(
        bits: FieldBits,
        delta: Delta,
        transcript: Transcript,
        leaf_seeds: tree::LeafSeeds,
    ) -> Self {
        Self { bits, delta, transcript, streams: Some(Streams::new(bits, leaf_seeds)) }
    }

    /// Runs the whole setup over `channel`: one round trip.
    ///
    /// # Errors
    /// As [`SenderSetup::finish`].
    pub fn setup<C: Channel + ?Sized, R: CryptoRng + ?Sized>(
        channel: &mut C,
        session: &SessionId,
        bits: FieldBits,
        delta: Delta,
        rng: &mut R,
    ) -> Result<Self, Error> {
        let setup = SenderSetup::send(delta, channel, rng)?;
        let mut peer = [0; base_ot::SENDER_MESSAGE_BYTES];
        channel.recv_exact(BASE_OT_SENDER, &mut peer)?;
        setup.finish(session, bits, &peer, channel)
    }

    /// The global key of all correlations.
    #[must_use]
    pub fn delta(&self) -> &Delta {
        &self.delta
    }

    /// A second sender under the same delta; see [`Receiver::fork`](super::Receiver::fork).
    ///
    /// # Errors
    /// [`Error::Misuse`] after an error, for a label that was used before, and after this sender has made
    /// correlations.
    pub fn fork(&mut self, label: &str) -> Result<Self, Error> {
        let streams = self.streams.as_mut().ok_or_else(failed)?.fork(label)?;
        let mut transcript = self.transcript.clone();
        transcript.absorb("fork", label.as_bytes());
        Ok(Self { bits: self.bits, delta: self.delta.duplicate(), transcript, streams: Some(streams) })
    }

    /// The seeds of the trees' leaves in V's order, and the key whose pieces determine the missing leaves.
    pub(crate) fn into_leaves(self) -> Result<(Leaves, Delta), Error> {
        let seeds = self.streams.ok_or_else(failed)?.into_seeds()?;
        Ok((Leaves { bits: self.bits, seeds, transcript: self.transcript }, self.delta))
    }

    /// Appends `n` keys `k_i` to `out`; their lowest bits are zero. P must extend by the same `n`.
    ///
    /// # Errors
    /// [`Error::Cheat`] if P's corrections fail the check; any error of receiving. `out` is then unchanged,
    /// and the sender only returns [`Error::Misuse`] from then on.
    pub fn extend<C: Channel + ?Sized>(
        &mut self,
        channel: &mut C,
        n: usize,
        out: &mut Vec<Gf128>,
    ) -> Result<(), Error> {
        self.streams.as_ref().ok_or_else(failed)?;
        let start = out.len();
        let mut message = Vec::new();
        let mut left = n;
        while left > 0 {
            let rows = left.min(CHUNK);
            message.resize(self.bits.chunk_message_bytes(rows), 0);
            let received = channel.recv_exact(SOFT_SPOKEN_EXTEND, &mut message).map_err(Error::from);
            if let Err(error) = received.and_then(|()| self.extend_with(rows, &message, out)) {
                self.streams = None;
                discard(out, start);
                return Err(error);
            }
            left -= rows;
        }
        Ok(())
    }

    /// Makes one chunk of `rows` correlations, at most [`CHUNK`], from P's message.
    pub(super) fn extend_with(
        &mut self,
        rows: usize,
        message: &[u8],
        out: &mut Vec<Gf128>,
    ) -> Result<(), Error> {
        let blocks = blocks(rows);
        let Message { corrections, hash_of_u, digest: expected } = Message::parse(self.bits, rows, message)?;
        let mut correction = Vec::with_capacity(blocks);
        let (k, delta) = (self.bits.bits(), &self.delta);
        let streams = self.streams.as_mut().ok_or_else(failed)?;
        streams.advance(blocks, |t, _, columns| {
            let Some(previous) = t.checked_sub(1) else { return };
            correction.clear();
            let bytes = &corrections[previous * blocks * BLOCK..][..blocks * BLOCK];
            correction.extend(bytes.as_chunks().0.iter().map(|b| Gf128::from_bits(u128::from_le_bytes(*b))));
            for (b, column) in columns.chunks_exact_mut(blocks).enumerate() {
                add_masked(column, &correction, delta.mask(t * k + b));
            }
        });
        streams.set_first(|_| Gf128::ZERO);

        self.transcript.absorb_number("rows", rows as u64);
        self.transcript.absorb("corrections", corrections);
        let hash = LinearHash::new(self.transcript.challenge_seed("linear hash"), blocks);
        let shift = decode(hash_of_u);
        let mut hashes = hash.hash_all(streams.columns(), blocks)?;
        for (i, hash) in hashes.iter_mut().enumerate() {
            add_masked(hash, &shift, delta.mask(i));
        }
        let same: bool = digest(&mut self.transcript, hash_of_u, &hashes).ct_eq(expected).into();
        if !same {
            return Err(Error::cheat(SOFT_SPOKEN_EXTEND, "the consistency check of the corrections"));
        }
        streams.rows(rows, out)
    }
}

fn failed() -> Error {
    Error::misuse("this OT sender has failed before; start a new session")
}

/// The parts of a chunk's message.
struct Message<'a> {
    corrections: &'a [u8],
    hash_of_u: &'a [u8; DIGEST],
    digest: &'a [u8; DIGEST],
}

impl<'a> Message<'a> {
    fn parse(bits: FieldBits, rows: usize, bytes: &'a [u8]) -> Result<Self, Error> {
        let expected = bits.chunk_message_bytes(rows);
        let parts = bytes.split_last_chunk().and_then(|(rest, digest)| {
            rest.split_last_chunk().map(|(corrections, hash_of_u)| Self { corrections, hash_of_u, digest })
        });
        parts.filter(|_| bytes.len() == expected).ok_or_else(|| {
            let reason = format!("{} bytes for {rows} correlations, expected {expected}", bytes.len());
            Error::malformed(SOFT_SPOKEN_EXTEND, reason)
        })
    }
}
