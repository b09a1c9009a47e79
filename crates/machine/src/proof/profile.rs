//! What a run shows besides its claim: how many rows of each kind each segment has, and how much memory it uses.
//!
//! Both parties need these numbers before they begin. P finds them in a first run that proves nothing.

use volery_circuit::{Digest, Error};

use super::log::{MOST_LIVE, is_due};
use super::trace::KINDS;

/// The rows of one segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Counts {
    /// By kind, filler rows among them.
    pub(super) rows: [u32; KINDS],
    /// Words of memory that are touched.
    pub(super) words: u32,
}

/// The sizes of all segments of a run. See the [module](super).
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Profile {
    pub(super) segments: Vec<Counts>,
    /// For each check of the log, how many words are new.
    pub(super) fresh: Vec<u64>,
}

/// The most segments of a run: their numbers are ranged by one lookup.
pub(super) const MOST_SEGMENTS: usize = 1 << 16;

/// The most rows of a kind in a segment, and words.
const MOST_ROWS: u32 = 1 << 21;

/// Follows the checks of the log: which segments end with one, and how many words are live.
pub(super) struct Checks<'p> {
    profile: &'p Profile,
    least: u64,
    segment: usize,
    check: usize,
    entries: u64,
    pub(super) live: u64,
}

impl<'p> Checks<'p> {
    pub(super) fn new(profile: &'p Profile, least: u64, file_words: u64) -> Self {
        Self { profile, least, segment: 0, check: 0, entries: 0, live: file_words }
    }

    /// Goes on behind the next segment. Returns the number of new words if the log is checked there.
    pub(super) fn next(&mut self) -> Option<u64> {
        let counts = self.profile.segments.get(self.segment)?;
        self.segment += 1;
        self.entries += u64::from(counts.words);
        let last = self.segment == self.profile.segments.len();
        if !last && !is_due(self.entries, self.live, self.least) {
            return None;
        }
        let fresh = self.profile.fresh.get(self.check).copied().unwrap_or(0);
        self.check += 1;
        self.entries = 0;
        self.live = self.live.saturating_add(fresh);
        Some(fresh)
    }
}

impl Profile {
    /// The number of segments.
    #[must_use]
    pub fn segments(&self) -> usize {
        self.segments.len()
    }

    /// The number of rows of all segments, those that fill up counted.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.segments.iter().flat_map(|counts| counts.rows).map(u64::from).sum()
    }

    /// Words of memory touched in all segments, each counted once in every segment.
    #[must_use]
    pub fn words(&self) -> u64 {
        self.segments.iter().map(|counts| u64::from(counts.words)).sum()
    }

    pub(super) fn identify(&self, digest: &mut Digest) {
        digest.number("segments", self.segments.len() as u64);
        for Counts { rows, words } in &self.segments {
            rows.iter().for_each(|rows| {
                digest.number("rows", u64::from(*rows));
            });
            digest.number("words", u64::from(*words));
        }
        digest.number("checks", self.fresh.len() as u64);
        self.fresh.iter().for_each(|fresh| {
            digest.number("new words", *fresh);
        });
    }

    /// Checks all numbers against their bounds, so that nobody makes room for what cannot be.
    pub(super) fn check(&self, least: u64, file_words: u64) -> Result<(), Error> {
        let refuse = |what: String| Err(Error::Public(format!("the profile of a run: {what}")));
        if self.segments.is_empty() || self.segments.len() > MOST_SEGMENTS {
            return refuse(format!("{} segments; 1 to {MOST_SEGMENTS} are possible", self.segments.len()));
        }
        for (number, counts) in self.segments.iter().enumerate() {
            let most = counts.rows.iter().copied().max().unwrap_or(0).max(counts.words);
            if most > MOST_ROWS {
                return refuse(format!("segment {number} has {most} rows of a kind; at most {MOST_ROWS}"));
            }
        }
        let (mut checks, mut entries, mut live) = (Checks::new(self, least, file_words), 0_u64, file_words);
        for counts in &self.segments {
            entries += u64::from(counts.words);
            if let Some(fresh) = checks.next() {
                if fresh > entries {
                    return refuse(format!("{fresh} words are new of {entries} that were touched"));
                }
                (entries, live) = (0, live.saturating_add(fresh));
            }
        }
        if checks.check != self.fresh.len() {
            return refuse(format!("{} checks of memory where {} are due", self.fresh.len(), checks.check));
        }
        if live > MOST_LIVE {
            return refuse(format!("{live} words of memory are in use; at most {MOST_LIVE} can be proved"));
        }
        Ok(())
    }
}
