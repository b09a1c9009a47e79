//! What is signed, and the rules that make its encoding the only one.

use core::ops::Range;

use curve25519_dalek::ristretto::CompressedRistretto;
use serde::Serialize;

use super::{Error, MAX_CLAIM, MAX_ENTRIES};
use crate::commitment::{Form, MAX_VALUES, Place};
use crate::prf::Side;
use crate::server;

/// The greatest length of a direction: ranges within it do not overflow.
const MAX_LENGTH: u64 = 1 << 48;
/// The first second of the year 10000.
const END_OF_TIME: u64 = 253_402_300_800;

/// How the connection was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// P ran TLS alone over a connection that V relayed: V must have reached the true server.
    Proxy,
    /// P and V ran the client together, neither with the keys.
    TwoParty,
}

/// What V has verified about a connection.
///
/// Rules, which [`Attestation::sign`](super::Attestation::sign) and
/// [`Attestation::from_bytes`](super::Attestation::from_bytes) check: the name is canonical; the time is before the year 10000;
/// lists have at most [`MAX_ENTRIES`] entries; see the parts for theirs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// How the connection was made.
    pub mode: Mode,
    /// The host: a DNS name in lower case, or an IP address, as [`Identity::name`](server::Identity::name) has it.
    pub server_name: String,
    /// When V verified the server, in seconds since 1970 (UTC).
    pub time: u64,
    /// What the client sent: the plaintext of all its records of application data.
    pub query: Part,
    /// What the server sent, likewise.
    pub response: Part,
    /// What else was proved, each a text of 1 to [`MAX_CLAIM`] bytes without control characters.
    pub claims: Vec<String>,
}

/// One direction's plaintext.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Its length in bytes, at most 2^48.
    pub length: u64,
    /// What is shown of it: in order, none empty, at least one hidden byte between two.
    pub revealed: Vec<Revealed>,
    /// Parts that are committed to, in order of their first bytes: none shown, and no byte in two of them. At most [`MAX_VALUES`]
    /// commitments in all.
    pub commitments: Vec<Committed>,
}

/// Bytes that are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revealed {
    /// Where the first of them is.
    pub start: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// Pedersen commitments to a part that is not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// What it is, like `json balance`: 1 to [`MAX_CLAIM`] bytes without control characters. V has found it by this name.
    pub part: String,
    /// What the commitments hold.
    pub form: Form,
    /// Where its bytes are: in order, none empty, at least one other byte between two.
    pub ranges: Vec<Range<u64>>,
    /// The commitments, as many as a [`Place`] of this form and length has: Ristretto points in their canonical form.
    pub points: Vec<[u8; 32]>,
}

impl Committed {
    /// Bytes of the part.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.ranges.iter().fold(0, |sum, range| sum.saturating_add(range.end.saturating_sub(range.start)))
    }

    /// Where its first byte is, if it has one: what tells it from the others of its side.
    #[must_use]
    pub fn start(&self) -> Option<u64> {
        self.ranges.first().map(|range| range.start)
    }

    fn check(&self, what: &'static str, length: u64) -> Result<(), Error> {
        let Self { part, form, ranges, points } = self;
        let error = |reason: String| Err(Error::Statement { what, reason });
        if !is_text(part) {
            return error(
                "commits to a part whose name is no text of 1 to 4096 bytes without control characters"
                    .into(),
            );
        }
        let inside = |range: &Range<u64>| range.start < range.end && range.end <= length;
        // A gap, or the ranges would be one.
        let in_order = ranges.is_sorted_by(|a, b| a.end < b.start);
        let Some(start) = self.start().filter(|_| in_order && ranges.iter().all(inside)) else {
            return error(format!(
                "commits to bytes {ranges:?} of {length}: not in order, not apart, empty or outside"
            ));
        };
        // Which side does not matter for this.
        let place = Place { side: Side::Client, start, length: self.length(), form: *form };
        if !place.is_possible() || place.values() != points.len() as u64 {
            return error(format!("has {} commitments to {} bytes", points.len(), place.length));
        }
        if points.iter().any(|point| CompressedRistretto(*point).decompress().is_none()) {
            return error(format!("commits to bytes {ranges:?} with what is not a point of Ristretto"));
        }
        Ok(())
    }
}

impl Revealed {
    /// Where the bytes are.
    #[must_use]
    pub fn range(&self) -> Range<u64> {
        // More bytes than fit are past every length, so they are refused.
        self.start..self.start.saturating_add(self.bytes.len() as u64)
    }
}

impl Part {
    /// The part of a plaintext that `ranges` show, whatever their order, overlaps and gaps; without commitments. None if a range
    /// goes past the plaintext.
    #[must_use]
    pub fn revealing(plaintext: &[u8], ranges: &[Range<usize>]) -> Option<Self> {
        let mut sorted: Vec<_> = ranges.iter().filter(|range| !range.is_empty()).cloned().collect();
        sorted.sort_by_key(|range| range.start);
        let mut merged: Vec<Range<usize>> = Vec::new();
        for range in sorted {
            match merged.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        let reveal = |range: Range<usize>| {
            let start = range.start as u64;
            Some(Revealed { start, bytes: plaintext.get(range)?.to_vec() })
        };
        let revealed = merged.into_iter().map(reveal).collect::<Option<_>>()?;
        Some(Self { length: plaintext.len() as u64, revealed, commitments: Vec::new() })
    }

    fn check(&self, what: &'static str) -> Result<(), Error> {
        let error = |reason: String| Error::Statement { what, reason };
        if self.length > MAX_LENGTH {
            return Err(error(format!("has {} bytes, more than 2^48", self.length)));
        }
        entries(what, self.revealed.len().max(self.commitments.len()))?;
        let mut before: Option<u64> = None;
        for range in self.revealed.iter().map(Revealed::range) {
            // A gap, or the ranges would be one.
            let in_order = before.is_none_or(|end| range.start > end);
            if range.is_empty() || range.end > self.length || !in_order {
                let length = self.length;
                return Err(error(format!(
                    "shows bytes {range:?} of {length}: ranges must be in order, not empty, not touch, and not go past the end"
                )));
            }
            before = Some(range.end);
        }
        self.check_commitments(what)
    }

    /// That the commitments are in order, and are to bytes that neither another one is to nor anybody sees.
    fn check_commitments(&self, what: &'static str) -> Result<(), Error> {
        let error = |reason: &str| Err(Error::Statement { what, reason: reason.into() });
        let mut all: Vec<Range<u64>> = self.revealed.iter().map(Revealed::range).collect();
        let mut points = 0;
        for committed in &self.commitments {
            committed.check(what, self.length)?;
            all.extend(committed.ranges.iter().cloned());
            points += committed.points.len();
        }
        if points > MAX_VALUES {
            return error("has more than 2^16 commitments");
        }
        if !self.commitments.is_sorted_by_key(Committed::start) {
            return error("has commitments that are not in order");
        }
        all.sort_by_key(|range| range.start);
        if !all.is_sorted_by(|a, b| a.end <= b.start) {
            return error("commits to bytes that are shown, or to the same twice");
        }
        Ok(())
    }
}

impl Statement {
    /// One direction's plaintext.
    #[must_use]
    pub fn part(&self, side: Side) -> &Part {
        match side {
            Side::Client => &self.query,
            Side::Server => &self.response,
        }
    }

    /// The committed part of a side that begins at this byte.
    #[must_use]
    pub fn committed(&self, side: Side, start: u64) -> Option<&Committed> {
        let commitments = &self.part(side).commitments;
        let found = commitments.binary_search_by_key(&Some(start), Committed::start);
        found.ok().and_then(|at| commitments.get(at))
    }

    /// The rules of the format.
    pub(super) fn check(&self) -> Result<(), Error> {
        let error = |what, reason: &str| Error::Statement { what, reason: reason.into() };
        if server::canonical_name(&self.server_name).as_deref() != Ok(&*self.server_name) {
            return Err(error(
                "server name",
                "is not a DNS name in lower case or an IP address in its usual form",
            ));
        }
        if self.time >= END_OF_TIME {
            return Err(error("time", "is after the year 9999"));
        }
        self.query.check("query")?;
        self.response.check("response")?;
        entries("claims", self.claims.len())?;
        if !self.claims.iter().all(|claim| is_text(claim)) {
            return Err(error("claims", "are not texts of 1 to 4096 bytes without control characters"));
        }
        Ok(())
    }
}

/// Whether this is 1 to [`MAX_CLAIM`] bytes without control characters.
fn is_text(text: &str) -> bool {
    (1..=MAX_CLAIM).contains(&text.len()) && !text.chars().any(char::is_control)
}

fn entries(what: &'static str, count: usize) -> Result<(), Error> {
    if count > MAX_ENTRIES {
        return Err(Error::Statement {
            what,
            reason: format!("has {count} entries of a kind, at most {MAX_ENTRIES} go in"),
        });
    }
    Ok(())
}
