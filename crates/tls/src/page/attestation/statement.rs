//! The signed statement, and the rules that make its encoding unique.

use core::ops::Range;

use curve25519_dalek::ristretto::CompressedRistretto;
use serde::Serialize;
use volery_channel::Cursor;

use super::contract::TypedStatement;
use super::{Context, Error, MAX_ENTRIES, codec};
use crate::page::commitment::{Form, MAX_VALUES, Place};
use crate::page::disclosure::{self, Hidden, Suite, TlsVersion, put_all_hidden, read_all_hidden};
use crate::page::http::MAX_MESSAGES;
use crate::wire::prf::Side;
use crate::wire::server;

/// The greatest length of a direction: ranges within it do not overflow.
const MAX_LENGTH: u64 = 1 << 48;
/// The first second of the year 10000.
const END_OF_TIME: u64 = 253_402_300_800;

/// The most seconds by which the clocks of P and V may differ: enough for any clocks that are set, and for
/// the proof in between.
const CLOCKS: u64 = 3600;

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
/// [`Attestation::sign`](super::Attestation::sign) and
/// [`Attestation::from_bytes`](super::Attestation::from_bytes) check these rules: the name is canonical; the
/// time is before the year 10000; hidden strings are in existing messages; lists have at most 2^16
/// entries. The parts have rules of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// How the connection was made.
    pub mode: Mode,
    /// The version of TLS.
    pub tls: TlsVersion,
    /// The cipher suite.
    pub suite: Suite,
    /// The host: a DNS name in lower case or an IP address, in the form of
    /// [`Identity::name`](server::Identity::name).
    pub server_name: String,
    /// The server's port: in proxy mode the one that V connected to, with two parties the one in the
    /// requests' `Host` (443 if that names none).
    pub port: u16,
    /// Whether the server named HTTP/1.1 as its protocol (ALPN). If not, what it said may be the words of
    /// another of the host's services, which P may have made it say. With two parties P chose the port, so
    /// readers then must know all services of the host that have its certificate.
    pub alpn: bool,
    /// SHA-256 of the DER of the server's certificate.
    pub certificate: [u8; 32],
    /// When V verified the server, in seconds since 1970 (UTC).
    pub time: u64,
    /// The number of requests on the connection, and of responses: 1 to 1,024.
    pub rounds: u32,
    /// Whether a request was sent before the response to the one before it had come. Then the order does not
    /// show which request a later response answers. Only possible with several rounds of two parties.
    pub pipelined: bool,
    /// The context that P wanted to have signed.
    pub context: Context,
    /// If all hidden parts are [committed to](crate::leaf): the public key with which their holder signs
    /// [presentations](crate::presentation). V knows nothing about it.
    pub holder: Option<[u8; 32]>,
    /// What the client sent: the plaintext of all its records of application data.
    pub query: AttestedPayload,
    /// What the server sent, in the same form.
    pub response: AttestedPayload,
}

/// One direction's plaintext.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttestedPayload {
    /// Its length in bytes, at most 2^48.
    pub length: u64,
    /// The shown ranges: in order, none empty, with at least one hidden byte between two.
    pub revealed: Vec<Revealed>,
    /// Hidden strings about which something was proved, if only what they are. They are in the order of their
    /// messages, do not overlap what is shown, and do not overlap each other.
    pub hidden: Vec<Hidden>,
    /// The commitments: one entry for each hidden string that is committed to, in their order, and none for
    /// others. At most [`MAX_VALUES`] commitments in all.
    pub commitments: Vec<Committed>,
}

/// Bytes that are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revealed {
    /// The position of the first of them.
    pub start: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// Pedersen commitments to a hidden string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// The name of the string, like `json balance`, or `2 json balance` in the second request or response. V
    /// found the string by this name.
    pub part: String,
    /// What the commitments hold.
    pub form: Form,
    /// The positions of its bytes: in order, none empty, with at least one other byte between two.
    pub ranges: Vec<Range<u64>>,
    /// The commitments; their number is that of a [`Place`] of this form and length. They are Ristretto
    /// points in canonical form.
    pub points: Vec<[u8; 32]>,
}

impl Committed {
    /// The number of bytes of the part.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.ranges.iter().fold(0, |sum, range| sum.saturating_add(range.end.saturating_sub(range.start)))
    }

    /// The position of its first byte, if it has one, which distinguishes it from the others of its side.
    #[must_use]
    pub fn start(&self) -> Option<u64> {
        self.ranges.first().map(|range| range.start)
    }

    /// Whether this entry belongs to that hidden string.
    fn is_to(&self, hidden: &Hidden) -> bool {
        let ranges = hidden.ranges.iter().map(|range| range.start as u64..range.end as u64);
        Some(self.form) == hidden.commit
            && self.part == hidden.name()
            && self.ranges.iter().cloned().eq(ranges)
    }

    fn check(&self, what: &'static str, length: u64) -> Result<(), Error> {
        let Self { form, ranges, points, .. } = self;
        let error = |reason: String| Err(Error::Statement { what, reason });
        let inside = |range: &Range<u64>| range.start < range.end && range.end <= length;
        // There must be a gap; otherwise the ranges would be one.
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
    /// The positions of the bytes.
    #[must_use]
    pub fn range(&self) -> Range<u64> {
        // A range of more bytes than fit ends after every length, so it is refused.
        self.start..self.start.saturating_add(self.bytes.len() as u64)
    }
}

impl AttestedPayload {
    /// The part of a plaintext that `ranges` show, in whatever order and with overlaps and gaps, without
    /// commitments. `None` if a range ends after the plaintext.
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
        let length = plaintext.len() as u64;
        Some(Self { length, revealed, hidden: Vec::new(), commitments: Vec::new() })
    }

    /// Whether this is `expected`, without commitments. The encodings are compared, because custom claims may
    /// be explained in only one of them.
    fn is_of(&self, expected: &Self) -> bool {
        let written = |part: &Self| {
            let mut out = Vec::new();
            codec::put_part(&mut out, &Self { commitments: Vec::new(), ..part.clone() });
            out
        };
        written(self) == written(expected)
    }

    fn check(&self, what: &'static str, rounds: u32) -> Result<(), Error> {
        let error = |reason: String| Error::Statement { what, reason };
        if self.length > MAX_LENGTH {
            return Err(error(format!("has {} bytes, more than 2^48", self.length)));
        }
        entries(what, self.revealed.len().max(self.commitments.len()).max(self.hidden.len()))?;
        let mut before: Option<u64> = None;
        for range in self.revealed.iter().map(Revealed::range) {
            // There must be a gap; otherwise the ranges would be one.
            let in_order = before.is_none_or(|end| range.start > end);
            if range.is_empty() || range.end > self.length || !in_order {
                let length = self.length;
                return Err(error(format!(
                    "shows bytes {range:?} of {length}: ranges must be in order, not empty, not touch, and not go past the end"
                )));
            }
            before = Some(range.end);
        }
        self.check_hidden().map_err(|reason| error(reason.into()))?;
        self.check_rounds(rounds).map_err(error)?;
        self.check_commitments(what)
    }

    /// Checks that there are commitments for exactly those hidden strings that are said to be committed to.
    /// Hidden strings are in order and overlap neither each other nor what is shown, so the commitments do
    /// not either.
    fn check_commitments(&self, what: &'static str) -> Result<(), Error> {
        let error = |reason: &str| Err(Error::Statement { what, reason: reason.into() });
        let hidden: Vec<&Hidden> = self.hidden.iter().filter(|hidden| hidden.commit.is_some()).collect();
        let is_to = |(committed, hidden): (&Committed, &&Hidden)| committed.is_to(hidden);
        if hidden.len() != self.commitments.len() || !self.commitments.iter().zip(&hidden).all(is_to) {
            return error("has commitments that do not match the hidden strings said to be committed to");
        }
        let mut points = 0;
        for committed in &self.commitments {
            committed.check(what, self.length)?;
            points += committed.points.len();
        }
        if points > MAX_VALUES {
            return error("has more than 2^16 commitments");
        }
        Ok(())
    }

    /// Checks that hidden strings are in existing messages, in order.
    fn check_rounds(&self, rounds: u32) -> Result<(), String> {
        if !self.hidden.is_sorted_by_key(|hidden| hidden.round) {
            return Err("has hidden strings whose messages are not in order".into());
        }
        match self.hidden.last() {
            // They are in order, so the last is the greatest.
            Some(last) if last.round >= rounds as usize => {
                Err(format!("has a hidden string in message {}, of {rounds}", last.round.saturating_add(1)))
            }
            _ => Ok(()),
        }
    }

    /// Checks that hidden strings are in the plaintext, in order, and do not overlap each other or what is
    /// shown.
    fn check_hidden(&self) -> Result<(), &'static str> {
        let mut all: Vec<Range<u64>> = self.revealed.iter().map(Revealed::range).collect();
        for hidden in &self.hidden {
            let Some(first) = hidden.ranges.first() else { return Err("has a hidden string of no bytes") };
            if !hidden.ranges.is_sorted_by(|a, b| a.end <= b.start) || first.is_empty() {
                return Err("has a hidden string whose ranges are not in order");
            }
            all.extend(hidden.ranges.iter().map(|range| range.start as u64..range.end as u64));
        }
        let first = |hidden: &Hidden| hidden.ranges.first().map(|range| range.start);
        if !self.hidden.is_sorted_by(|a, b| first(a) < first(b)) {
            return Err("has hidden strings that are not in order");
        }
        let mut encoded = Vec::new();
        put_all_hidden(&mut encoded, &self.hidden);
        if read_all_hidden(&mut Cursor::new(&encoded)).as_ref() != Ok(&self.hidden) {
            return Err(
                "has hidden strings with names or claims that are too long or too many to be written",
            );
        }
        all.sort_by_key(|range| range.start);
        let inside = all.last().is_none_or(|range| range.end <= self.length);
        if !inside || all.iter().any(Range::is_empty) || !all.is_sorted_by(|a, b| a.end <= b.start) {
            return Err("has hidden strings that are empty, overlap, are shown or go past the end");
        }
        Ok(())
    }
}

impl Statement {
    /// One direction's plaintext.
    #[must_use]
    pub fn part(&self, side: Side) -> &AttestedPayload {
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

    /// The requests whose paths are hidden, from 0. For these the statement does not say which document was
    /// asked for.
    #[must_use]
    pub fn hidden_paths(&self) -> Vec<usize> {
        let paths = self.query.hidden.iter().filter(|hidden| hidden.part == disclosure::Part::Path);
        paths.map(|hidden| hidden.round).collect()
    }

    /// The requests whose query is hidden, or a part of whose body is, from 0. The hidden part can make a
    /// server answer with words of P's (a GraphQL alias, a page that repeats its input), so the meaning of
    /// the path must not depend on it.
    #[must_use]
    pub fn hidden_words(&self) -> Vec<usize> {
        use disclosure::Part::{Body, Json, Parameter, Query, Values};
        let says =
            |hidden: &&Hidden| matches!(hidden.part, Query | Parameter(_) | Body | Json(_) | Values(_));
        let words = self.query.hidden.iter().filter(says);
        let mut rounds: Vec<usize> = words.map(|hidden| hidden.round).collect();
        rounds.dedup();
        rounds
    }

    /// Checks that this can be signed for [contracts](super::contract).
    ///
    /// # Errors
    /// [`Error::NoForm`] if it cannot.
    pub fn check_for_contracts(&self) -> Result<(), Error> {
        TypedStatement::new(self, [0; 32]).map(|_| ())
    }

    /// At P: checks that this statement, which V has signed, is what P disclosed. `expected` has no
    /// commitments, which are [checked](crate::commitment::Openings::check_all) when they are opened, and the
    /// time of P's clock.
    ///
    /// # Errors
    /// [`Error::Differs`] if it is not.
    pub fn check_against(&self, expected: &Self) -> Result<(), Error> {
        // Destructured, so that no field is forgotten.
        let Self {
            mode,
            tls,
            suite,
            server_name,
            port,
            alpn,
            certificate,
            time,
            rounds,
            pipelined,
            context,
            holder,
            query,
            response,
        } = self;
        let all = [
            ("mode", *mode == expected.mode),
            ("version of TLS", *tls == expected.tls),
            ("cipher suite", *suite == expected.suite),
            ("server name", *server_name == expected.server_name),
            ("port", *port == expected.port),
            ("protocol", *alpn == expected.alpn),
            ("certificate", *certificate == expected.certificate),
            ("time", time.abs_diff(expected.time) <= CLOCKS),
            ("number of rounds", *rounds == expected.rounds),
            ("order of rounds", *pipelined == expected.pipelined),
            ("context", *context == expected.context),
            ("holder", *holder == expected.holder),
            ("query", query.is_of(&expected.query)),
            ("response", response.is_of(&expected.response)),
        ];
        match all.iter().find(|(_, same)| !same) {
            None => Ok(()),
            Some((what, _)) => Err(Error::Differs(what)),
        }
    }

    /// Checks the rules of the format.
    pub(super) fn check(&self) -> Result<(), Error> {
        let error = |what, reason: &str| Error::Statement { what, reason: reason.into() };
        if server::canonical_name(&self.server_name).as_deref() != Ok(&*self.server_name) {
            return Err(error(
                "server name",
                "is not a DNS name in lower case or an IP address in its usual form",
            ));
        }
        if self.port == 0 {
            return Err(error("port", "is 0"));
        }
        if self.time >= END_OF_TIME {
            return Err(error("time", "is after the year 9999"));
        }
        if !(1..=MAX_MESSAGES).contains(&(self.rounds as usize)) {
            let reason = format!("is {}, not 1 to {MAX_MESSAGES}", self.rounds);
            return Err(Error::Statement { what: "number of rounds", reason });
        }
        if self.pipelined && (self.rounds < 2 || self.mode != Mode::TwoParty) {
            return Err(error(
                "order of rounds",
                "is that of requests sent at once, which is not possible here",
            ));
        }
        let mut hidden = self.query.hidden.iter().chain(&self.response.hidden);
        if hidden.any(|hidden| !hidden.leaves.is_empty()) != self.holder.is_some() {
            return Err(error("holder", "is there without leaves, or is missing although there are some"));
        }
        self.query.check("query", self.rounds)?;
        self.response.check("response", self.rounds)?;
        Ok(())
    }
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
