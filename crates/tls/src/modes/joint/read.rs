//! How P reads one of the server's records while the connection is open.
//!
//! ```text
//! P                                                                   V
//! record: explicit nonce, ciphertext, tag                ------->
//! shares of mask and key stream under the server's key   <------>
//! (ChaCha20-Poly1305: the protocol of `tag`, up to its check)
//! a = its share of the tag + the tag that came                        b = its share of the tag
//!                                                        <-------     promise: H(b, r), r random
//! a                                                      ------->     aborts unless a = b
//! aborts unless H(a, r) is the promise                   <-------     r; its share of the key stream with labels' hash
//! ```
//!
//! **The tag comes before the key stream, and neither party learns a tag that it did not know.** `a = b`
//! means that the tag is right. If V simply sent `b`, it would tell P the right tag of any ciphertext that P
//! claims to be the server's, and P could forge. If V learnt `a` first, it could say what P wants to hear. So
//! V promises `b` before. The promise hides `b`, because P may have garbled something that makes `b` depend
//! on V's bits: without `r` P could try all values of these bits. With `r` it has one guess, and the session
//! ends if the guess is wrong.
//!
//! **V cannot make P accept another record as the server's**, not even one that V changes on the wire itself.
//! V would have to promise `a`, which is `b` plus the difference between the received tag and the right one.
//! P's shares are masks of P's own choice. So for V, who sees a record of the server's with its tag, `a` for
//! another record is a known value plus the value at `h` of a nonzero polynomial of at most 1,026 blocks. V
//! knows nothing about `h`, so it guesses right with probability at most `1026 / (2^128 - 1)`. This is why
//! the powers are checked before anything is read ([`ghash`](crate::wire::ghash)): with powers of V's own
//! choice, V could make the polynomial vanish.
//!
//! **P cannot read more than the server's records.** P chooses the nonce, but masks have counter 1 and key
//! stream the counters from 2 on, and P gets nothing of either before the tag is found right. V checks P's
//! word: in the end, the records that were read must be the first records of the transcript, in this order.
//! Whatever else P garbles, V's shares are claims of the final proof.
//!
//! **In TLS 1.3** a record states no nonce: it is the record's number, which both parties count. All of the
//! server's records after its Finished are read in turn, session tickets among them. P has read the server's
//! Finished by then.
//!
//! **With ChaCha20-Poly1305** there are no powers that serve all records. The shares of each record's tag
//! come from [`tag`](super::tag), whose check of the powers both parties have passed before V promises
//! anything. So V has not chosen the polynomial. What V would have to promise for another record than the
//! server's is a known value plus the difference of two polynomials at `r`, which fits at most `8 q` of
//! `2^106` values of `r` ([`poly1305`](crate::wire::poly1305)). A record states no nonce in TLS 1.2 either.
//!
//! **In TLS 1.2 Finished is still not verified** when P reads, and need not be. A server sends nothing under
//! its keys before it has verified the client's Finished. So a record with a right tag shows that both saw
//! the same handshake.

use rand_core::CryptoRng;
use subtle::ConstantTimeEq as _;
use volery_channel::tags::{RECORD_OPENING, RECORD_PROMISE, RECORD_SUM, SERVER_RECORD};
use volery_channel::{Channel, ChannelExt as _};
use volery_garble::two_party::{Evaluator, Garbler, Wire};
use volery_vole::{Oracle, SessionId};
use zeroize::Zeroizing;

use super::machine::{Machine, Party, Queue, SharedWires};
use super::program::{self, ServerKey};
use super::sizes::record_bytes;
use super::tag::connection::{ProverTags, Received, VerifierTags};
use super::{Content, Error, Sizes, message};
use crate::page::disclosure::{self, Refusal};
use crate::wire::ghash::{Block, Powers};
use crate::wire::prf::Side;
use crate::wire::record::{Protection, ReadKey, TagPart, associated_data};
use crate::wire::step::Step;
use crate::wire::suite::Aead;
use crate::wire::transcript::{APPLICATION_DATA, Record, TAG_BYTES, tls13};
use crate::wire::version::TlsVersion;

/// The name of the limit.
pub(super) const READ: &str = "a response that is read in the connection";

/// The length of a promise, and of its opening, in bytes.
const PROMISE: usize = 32;

/// One of the server's records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ServerRecord {
    /// Its number under its key.
    sequence: u64,
    /// What its nonce has besides the IV.
    nonce: u64,
    pub(super) ciphertext: Vec<u8>,
    tag: [u8; TAG_BYTES],
}

impl ServerRecord {
    /// Whether it is this one of a transcript of TLS 1.2.
    fn is_tls12(&self, record: &Record) -> bool {
        record.content_type == APPLICATION_DATA
            && record.sequence == self.sequence
            && record.explicit_nonce == self.nonce.to_be_bytes()
            && record.ciphertext == self.ciphertext
            && record.tag == self.tag
    }

    /// Whether it is this one of a transcript of TLS 1.3.
    fn is_tls13(&self, record: &tls13::Record) -> bool {
        record.ciphertext == self.ciphertext && record.tag == self.tag
    }
}

/// The parties' messages about the records themselves: which one is next, and that its tag is right.
pub(super) struct RecordTurn {
    aead: Aead,
    version: TlsVersion,
    /// The number of the next record.
    next: u64,
    oracle: Oracle,
}

impl RecordTurn {
    pub(super) fn new(session: &SessionId, (aead, version): (Aead, TlsVersion)) -> Self {
        // In TLS 1.2 record 0 was the server's Finished.
        let next = u64::from(version == TlsVersion::Tls12);
        Self { aead, version, next, oracle: Oracle::new("tls: promise of a tag", session) }
    }

    /// P's part: announces the next record, given its payload on the wire.
    pub(super) fn announce(
        &mut self,
        channel: &mut dyn Channel,
        payload: &[u8],
    ) -> Result<ServerRecord, Error> {
        let record = self.record(payload)?;
        message::send_read(channel)?;
        channel.send(SERVER_RECORD, payload)?;
        Ok(record)
    }

    /// V's part: receives the next record, of at most this many bytes of ciphertext.
    pub(super) fn receive(&mut self, channel: &mut dyn Channel, most: usize) -> Result<ServerRecord, Error> {
        let most = self.nonce_bytes() + most + TAG_BYTES;
        let payload = channel.recv(SERVER_RECORD, most)?.to_vec();
        self.record(&payload)
    }

    /// Bytes of a record's nonce on the wire.
    fn nonce_bytes(&self) -> usize {
        self.aead.explicit_bytes(self.version)
    }

    /// The next record, from its payload on the wire.
    fn record(&mut self, payload: &[u8]) -> Result<ServerRecord, Error> {
        let sequence = self.next;
        let parts = payload.split_at_checked(self.nonce_bytes());
        let parts = parts.and_then(|(nonce, rest)| Some((nonce, rest.split_last_chunk::<TAG_BYTES>()?)));
        let Some((nonce, (ciphertext, tag))) = parts else {
            return Err(Error::malformed(SERVER_RECORD, "it is too short for a nonce and a tag"));
        };
        let nonce = nonce.first_chunk().map_or(sequence, |nonce| u64::from_be_bytes(*nonce));
        self.next += 1;
        Ok(ServerRecord { sequence, nonce, ciphertext: ciphertext.to_vec(), tag: *tag })
    }

    fn promise(&self, record: &ServerRecord, share: &Block, random: &[u8; PROMISE]) -> [u8; PROMISE] {
        self.oracle.hash(record.sequence, &[share, random])
    }

    /// P's part: checks that V has promised its share of the tag, given P's share plus the tag in `sum`.
    pub(super) fn believe(
        &self,
        channel: &mut dyn Channel,
        record: &ServerRecord,
        sum: &Block,
    ) -> Result<(), Error> {
        channel.flush()?;
        let promise: [u8; PROMISE] = channel.recv_array(RECORD_PROMISE)?;
        channel.send(RECORD_SUM, sum)?;
        channel.flush()?;
        let random = channel.recv_array(RECORD_OPENING)?;
        if !bool::from(self.promise(record, sum, &random).ct_eq(&promise)) {
            return Err(Error::cheat(RECORD_OPENING, "the check of the verifier's share of a tag"));
        }
        Ok(())
    }

    /// V's part: checks that its share of the tag is right, and opens it to a P that knows it.
    pub(super) fn verify(
        &self,
        channel: &mut dyn Channel,
        record: &ServerRecord,
        share: &Block,
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<(), Error> {
        let mut random = Zeroizing::new([0; PROMISE]);
        rng.fill_bytes(&mut *random);
        channel.send(RECORD_PROMISE, &self.promise(record, share, &random))?;
        channel.flush()?;
        let sum: Block = channel.recv_array(RECORD_SUM)?;
        if !bool::from(sum.ct_eq(share)) {
            let refusal = Refusal::Tag { side: Side::Server, sequence: record.sequence };
            return Err(disclosure::Error::from(refusal).into());
        }
        Ok(channel.send(RECORD_OPENING, &*random)?)
    }
}

/// A party's state for reading the server's records.
pub(super) struct Reader {
    key: ReadKey<Wire>,
    /// Shares of the powers of GCM's hash key, in a suite that has one.
    powers: Option<Powers>,
    turn: RecordTurn,
    /// The bytes for which something is prepared still.
    left: usize,
}

/// A record that is read: what both parties computed of it before its tag.
struct Opening {
    record: ServerRecord,
    /// What its tag covers besides the ciphertext.
    header: Vec<u8>,
    protection: Protection<Wire>,
    /// Where each block of the key stream was shared.
    streams: Vec<SharedWires>,
}

impl Opening {
    fn received(&self) -> Received<'_> {
        let Self { record, header, .. } = self;
        Received { header, ciphertext: &record.ciphertext }
    }
}

impl Reader {
    /// `powers` are shares of those of GCM's hash key, in a suite that has one.
    pub(super) fn new(
        session: &SessionId,
        sizes: &Sizes,
        (key, _): ServerKey<Wire>,
        powers: Option<Powers>,
    ) -> Self {
        Self { key, powers, turn: RecordTurn::new(session, sizes.protection()), left: sizes.readable() }
    }

    /// Both parties' part: the shares of the key stream, and of GCM's mask.
    fn open<P: Party>(
        &mut self,
        channel: &mut dyn Channel,
        machine: &mut Machine<P>,
        record: ServerRecord,
    ) -> Result<Opening, Error> {
        let length = record.ciphertext.len();
        let (asked, limit) = (record_bytes(self.turn.aead, length), self.left);
        self.left = limit.checked_sub(asked).ok_or(Error::Limit { what: READ, asked, limit })?;
        // A one-time key goes into circuits of the other list.
        let queue = match self.turn.aead {
            Aead::Gcm(_) => Queue::SpareBlocks,
            Aead::ChaCha20Poly1305 => Queue::SpareTags,
        };
        let tag = self.key.tag_part(&mut machine.perform_in(queue, channel), record.nonce)?;
        let before = machine.shared().len();
        let blocks = &mut machine.perform_in(Queue::SpareBlocks, channel);
        let stream = self.key.stream(blocks, record.nonce, length)?;
        let streams = machine.shared().get(before..).unwrap_or_default().to_vec();
        let header = associated_data(self.turn.version, record.sequence, APPLICATION_DATA, length)?;
        Ok(Opening { record, header, protection: Protection { tag, stream }, streams })
    }

    /// This party's share of the tag; `products` makes it in a suite that takes products for that.
    fn share(
        &self,
        opening: &Opening,
        products: impl FnOnce(&[Wire], Received<'_>) -> Result<Zeroizing<Block>, Error>,
    ) -> Result<Zeroizing<Block>, Error> {
        let Opening { record, header, protection, .. } = opening;
        match (&self.powers, &protection.tag) {
            (Some(powers), TagPart::Mask(mask)) => {
                Ok(Zeroizing::new(powers.tag_share(header, &record.ciphertext, mask)?))
            }
            (None, TagPart::OneTimeKey(key)) => products(key, opening.received()),
            _ => Err(program::other_suite()),
        }
    }

    /// P's part: the content of the server's next record, which has this payload and must come from the
    /// server. `tags` are for a suite whose tags take products.
    ///
    /// # Errors
    /// [`Error::Limit`] for more than was prepared; a cheat if V accepts a wrong tag, returns another share
    /// of key stream than it has, or has chosen the polynomial of the tag; V's error if the tag is wrong;
    /// [`Error::Disclosure`] for a record of TLS 1.3 that holds nothing; the channel's.
    pub(super) fn read(
        &mut self,
        channel: &mut dyn Channel,
        machine: &mut Machine<Garbler<Step>>,
        tags: Option<&mut ProverTags>,
        payload: &[u8],
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<Content, Error> {
        let record = self.turn.announce(channel, payload)?;
        let opening = self.open(channel, machine, record)?;
        let mut sum = self.share(&opening, |key, record| {
            let tags = tags.ok_or_else(program::other_suite)?;
            Ok(tags.share(channel, machine, key, record, rng)?.share)
        })?;
        let Opening { record, protection, streams, .. } = opening;
        sum.iter_mut().zip(record.tag).for_each(|(byte, tag)| *byte ^= tag);
        self.turn.believe(channel, &record, &sum)?;
        let mut plaintext = Zeroizing::new(record.ciphertext);
        protection.apply(&mut plaintext)?;
        for (part, shared) in plaintext.chunks_mut(self.turn.aead.block_bytes()).zip(&streams) {
            let share = machine.party.confirm(channel, &shared.wires, &shared.masks)?;
            program::add_first(part, &share)?;
        }
        match self.turn.version {
            TlsVersion::Tls12 => Ok(Content { content_type: APPLICATION_DATA, bytes: plaintext }),
            TlsVersion::Tls13 => {
                let content = tls13::content(Side::Server, core::mem::take(&mut *plaintext));
                let tls13::Content { content_type, bytes } = content?;
                Ok(Content { content_type, bytes: Zeroizing::new(bytes) })
            }
        }
    }

    /// V's part: returns the record, whose plaintext P then knows.
    ///
    /// # Errors
    /// [`Error::Limit`] for more than was prepared; a cheat if P's powers are not those of the tag's key;
    /// [`Error::Disclosure`] if the tag is wrong; the channel's.
    pub(super) fn watch(
        &mut self,
        channel: &mut dyn Channel,
        machine: &mut Machine<Evaluator<Step>>,
        tags: Option<&mut VerifierTags>,
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<ServerRecord, Error> {
        let record = self.turn.receive(channel, self.left)?;
        let opening = self.open(channel, machine, record)?;
        let share = self.share(&opening, |key, record| {
            let tags = tags.ok_or_else(program::other_suite)?;
            Ok(tags.share(channel, machine, key, record, &mut *rng)?.share)
        })?;
        let Opening { record, streams, .. } = opening;
        self.turn.verify(channel, &record, &share, rng)?;
        for shared in &streams {
            machine.party.confirm(channel, &shared.wires, &shared.masks)?;
        }
        channel.flush()?;
        Ok(record)
    }
}

/// Whether key stream was only computed for the server's first records, after its Finished.
pub(super) fn are_first_tls12(read: &[ServerRecord], server: &[Record]) -> bool {
    let server = server.get(1..).unwrap_or_default();
    read.len() <= server.len() && read.iter().zip(server).all(|(read, record)| read.is_tls12(record))
}

/// As [`are_first_tls12`], of the server's records after its handshake.
pub(super) fn are_first_tls13(read: &[ServerRecord], server: &[tls13::Record]) -> bool {
    read.len() <= server.len() && read.iter().zip(server).all(|(read, record)| read.is_tls13(record))
}
