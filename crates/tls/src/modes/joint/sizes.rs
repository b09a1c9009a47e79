//! The sizes of a connection, which both parties know before it is opened.

use volery_garble::two_party::{Garbling, Settings};
use volery_zk::quicksilver;

use super::Error;
use super::read::READ;
use crate::page::dialogue::MAX_ROUNDS;
use crate::wire::ghash::{self, BLOCK_BYTES, hashed_blocks};
use crate::wire::poly1305;
use crate::wire::record::{HEADER_BYTES, MAX_PLAINTEXT, PlannedRecord, Secrecy};
use crate::wire::suite::{Aead, KeySize, Suite};
use crate::wire::transcript::FINISHED_BYTES;
use crate::wire::version::TlsVersion;

/// The most bytes of all requests of a connection.
pub const MAX_QUERY: usize = 1 << 17;

/// The most bytes of responses that are read while the connection is open: 512 blocks of 5,120 ANDs, or 7,168
/// with AES-256, which V stores ahead. With ChaCha20-Poly1305 it is less.
pub const MAX_READ: usize = 1 << 13;

/// The largest part of a response for which correlations are made ahead: 140 MB of them.
pub const MAX_PROVED: usize = 1 << 15;

/// The default way to garble and prove: three halves, because bytes cost more than work, with S-boxes garbled
/// one-hot in connections with AES-256, and a proof of few blocks, because each is a round trip, with 50 MB
/// of memory at P.
#[must_use]
pub fn settings() -> Settings {
    Settings { proof: quicksilver::bits::Settings { interval: 1 << 19 }, ..Settings::default() }
}

/// The size of a request, and how much of its response is read before the next one is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundSizes {
    /// The exact number of bytes of the request, at least one. It is sent in records of 2^14 bytes and one
    /// for the rest.
    pub query: usize,
    /// The number of bytes of the response that P can read while the connection is open; 0 if the next
    /// request does not wait for it, which makes the connection [pipelined](Sizes::pipelined). Each of the
    /// server's records takes more than its length of it ([`RoundSizes::taken_by`]). In TLS 1.3 that includes
    /// session tickets, which most servers send before the first response. What one round leaves unused, the
    /// next can use. It is 0 for the last round, and after a round whose response is not read.
    pub read: usize,
}

impl RoundSizes {
    /// The bytes of [`RoundSizes::read`] that one of the server's records with a ciphertext of this length
    /// takes: the length rounded up to 16, plus 16; with ChaCha20-Poly1305 rounded up to 64, plus 256.
    #[must_use]
    pub const fn taken_by(suite: Suite, ciphertext: usize) -> usize {
        record_bytes(suite.aead(), ciphertext)
    }
}

/// The sizes of a connection, which both parties know before it is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// The version of TLS. Its key derivation is prepared, so the server must choose this one.
    pub tls: TlsVersion,
    /// The cipher suite, which the server must choose, too.
    pub suite: Suite,
    /// The requests, in order: 1 to [`MAX_ROUNDS`] of them, with at most [`MAX_QUERY`] bytes of requests and
    /// [`MAX_READ`] bytes to read.
    pub rounds: Vec<RoundSizes>,
    /// The approximate number of bytes of the responses that will be proved, at most [`MAX_PROVED`].
    /// Correlations for this many are made ahead. More can be proved, but then takes time and bytes later.
    pub proved: usize,
}

/// The cipher suites in the order in which two parties ask a server for them. ChaCha20-Poly1305 costs half of
/// AES-256, but a few round trips.
pub const SUITES: [Suite; 3] =
    [Suite::Aes128GcmSha256, Suite::ChaCha20Poly1305Sha256, Suite::Aes256GcmSha384];

/// What the tag of one of the server's records counts with ChaCha20-Poly1305 of the bytes that can be read:
/// its circuits have some 11,000 ANDs, and it has products of its own. Four blocks of key stream have more.
const TAG_UNIT: usize = 256;

/// See [`RoundSizes::taken_by`].
pub(super) const fn record_bytes(aead: Aead, length: usize) -> usize {
    let stream = length.next_multiple_of(aead.block_bytes());
    match aead {
        Aead::Gcm(_) => stream + BLOCK_BYTES,
        // An empty record takes a block, too, so that there are not more tags than blocks.
        Aead::ChaCha20Poly1305 if stream == 0 => aead.block_bytes() + TAG_UNIT,
        Aead::ChaCha20Poly1305 => stream + TAG_UNIT,
    }
}

impl Sizes {
    /// The sizes of a connection over TLS 1.2 with AES-128-GCM and one request.
    #[must_use]
    pub fn one(query: usize, proved: usize) -> Self {
        Self {
            tls: TlsVersion::Tls12,
            suite: Suite::Aes128GcmSha256,
            rounds: vec![RoundSizes { query, read: 0 }],
            proved,
        }
    }

    /// Checks that nothing exceeds these limits on bytes of requests, to read, and proved.
    pub(super) fn check(&self, [query, read, proved]: [usize; 3]) -> Result<(), Error> {
        let sum = |of: fn(&RoundSizes) -> usize| self.rounds.iter().map(of).fold(0, usize::saturating_add);
        let what = if self.rounds.len() > 1 { "all requests" } else { "a request" };
        let parts = [
            (what, sum(|round| round.query), query),
            (READ, sum(|round| round.read), read),
            ("a response to prove", self.proved, proved),
        ];
        for (what, asked, limit) in parts {
            if asked > limit {
                return Err(Error::Limit { what, asked, limit });
            }
        }
        Ok(())
    }

    /// These settings in a connection of these sizes: with AES-256, which takes twice the bytes of any other
    /// suite, three halves become [`Garbling::OneHot`], which takes fewer bytes and more time. Both parties
    /// know the suite, and nobody else has a say.
    pub(super) fn settings(&self, settings: Settings) -> Settings {
        let garbling = match (settings.garbling, self.suite.aead()) {
            (Garbling::ThreeHalves, Aead::Gcm(KeySize::Bits256)) => Garbling::OneHot,
            (garbling, _) => garbling,
        };
        Settings { garbling, ..settings }
    }

    /// How the records are protected.
    pub(super) fn protection(&self) -> (Aead, TlsVersion) {
        (self.suite.aead(), self.tls)
    }

    /// Whether there are rounds, not too many, none empty, and none read out of order.
    pub(super) fn are_sound(&self) -> bool {
        let mut unread = self.rounds.iter().skip_while(|round| round.read > 0);
        let in_order = unread.next().is_some() && unread.all(|round| round.read == 0);
        in_order && self.rounds.len() <= MAX_ROUNDS && self.rounds.iter().all(|round| round.query > 0)
    }

    /// Whether a request is sent before the response to the one before it has been read. Then nothing shows
    /// which request a later response answers, and the attestation says so.
    #[must_use]
    pub fn pipelined(&self) -> bool {
        self.rounds.iter().rev().skip(1).any(|round| round.read == 0)
    }

    /// The client's records under the keys that are prepared: in TLS 1.2 Finished, then the requests. All
    /// their key streams are shared, including that of Finished, because opening it first would cost a round
    /// trip. In TLS 1.3 Finished is under another key, which P has, and each plaintext ends with a byte for
    /// its type.
    pub(super) fn records(&self) -> Vec<PlannedRecord> {
        let (finished, more) = match self.tls {
            TlsVersion::Tls12 => (Some(FINISHED_BYTES), 0),
            TlsVersion::Tls13 => (None, 1),
        };
        let lengths = (0..self.rounds.len()).flat_map(|round| self.lengths(round));
        let lengths = finished.into_iter().chain(lengths.map(|length| length + more));
        let record = |(sequence, length)| PlannedRecord { sequence, length, secrecy: Secrecy::Shared };
        (0..).zip(lengths).map(record).collect()
    }

    /// The number of the client's records before its first request.
    fn before_requests(&self) -> usize {
        usize::from(self.tls == TlsVersion::Tls12)
    }

    /// Whether a request other than the first begins with the client's record of this number.
    pub(super) fn begins_later(&self, number: usize) -> bool {
        let mut next = self.before_requests();
        (1..self.rounds.len()).any(|round| {
            next += self.lengths(round - 1).len();
            next == number
        })
    }

    /// The lengths of the records of a round's request; none for a round that does not exist.
    #[must_use]
    pub fn lengths(&self, round: usize) -> Vec<usize> {
        let query = self.rounds.get(round).map_or(0, |round| round.query);
        (0..query).step_by(MAX_PLAINTEXT).map(|start| (query - start).min(MAX_PLAINTEXT)).collect()
    }

    /// The highest power of each of GCM's hash keys that tags need: of the client's, then of the server's if
    /// its records are read while the connection is open. None in another suite.
    pub(super) fn hash_powers(&self) -> Vec<usize> {
        if self.suite.aead() == Aead::ChaCha20Poly1305 {
            return Vec::new();
        }
        let longest = self.records().iter().map(|record| record.length).max().unwrap_or_default();
        let lengths = [Some(longest), self.longest_read()].into_iter().flatten();
        lengths.map(|length| hashed_blocks(HEADER_BYTES, length)).collect()
    }

    /// The number of products over GF(2^128) that these powers take.
    pub(super) fn hash_products(&self) -> usize {
        self.hash_powers().into_iter().map(ghash::products).sum()
    }

    /// The number of powers that Poly1305's tag of each of the client's records takes.
    pub(super) fn tag_powers(&self) -> impl Iterator<Item = usize> + use<> {
        // In either version the header is one block.
        let blocks = self.records().into_iter().map(|record| hashed_blocks(HEADER_BYTES, record.length));
        blocks.map(poly1305::powers)
    }

    /// The number of products modulo Poly1305's prime that tags take: none with AES-GCM.
    pub(super) fn tag_products(&self) -> usize {
        match self.suite.aead() {
            Aead::Gcm(_) => 0,
            Aead::ChaCha20Poly1305 => {
                self.tag_powers().map(poly1305::products).sum::<usize>() + self.read_products()
            }
        }
    }

    /// The number of products that tags of the server's records can take. Of `u` units of 64 bytes, a record
    /// with `v` blocks of key stream takes `v + 4`, and at most `4 v + 4` products: so `n` of them take at
    /// most `4 u - 12 n` products.
    fn read_products(&self) -> usize {
        let units = self.readable() / Aead::ChaCha20Poly1305.block_bytes();
        if self.longest_read().is_some() { (4 * units).saturating_sub(12) } else { 0 }
    }

    /// The bytes of the server's records that can be read while the connection is open, as
    /// [`record_bytes`] counts them: whole blocks.
    pub(super) fn readable(&self) -> usize {
        let block = self.suite.aead().block_bytes();
        self.rounds.iter().map(|round| round.read.next_multiple_of(block)).sum()
    }

    /// The number of blocks of the server's records that can be shared while the connection is open: key
    /// stream, and GCM's masks.
    pub(super) fn spare_blocks(&self) -> usize {
        let aead = self.suite.aead();
        match (aead, self.longest_read()) {
            (_, None) => 0,
            (Aead::Gcm(_), Some(_)) => self.readable() / aead.block_bytes(),
            (Aead::ChaCha20Poly1305, Some(_)) => (self.readable() - TAG_UNIT) / aead.block_bytes(),
        }
    }

    /// The number of the server's records whose tags take circuits of their own: none with AES-GCM.
    pub(super) fn spare_tags(&self) -> usize {
        let aead = self.suite.aead();
        match aead {
            Aead::Gcm(_) => 0,
            Aead::ChaCha20Poly1305 => self.readable() / record_bytes(aead, 0),
        }
    }

    /// The longest record that can be read while the connection is open, if any can.
    pub(super) fn longest_read(&self) -> Option<usize> {
        let aead = self.suite.aead();
        let longest = self.readable().checked_sub(match aead {
            // One block is the mask.
            Aead::Gcm(_) => BLOCK_BYTES,
            Aead::ChaCha20Poly1305 => TAG_UNIT,
        });
        // A record takes a block at least.
        let longest = longest.filter(|longest| matches!(aead, Aead::Gcm(_)) || *longest > 0);
        longest.map(|longest| longest.min(self.tls.max_plaintext()))
    }
}
