//! What a run shows besides its claim: how many rows of each kind each segment has, and how much memory it
//! uses.
//!
//! Both parties need these numbers before they begin. P finds them in a first run that proves nothing.

use volery_circuit::{Digest, Error};
use zeroize::Zeroizing;

use super::buffers::room_for;
use super::kind::Kind;
use super::log::{MOST_LIVE, is_due};
use super::trace::{KINDS, Source};

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

/// The most rows of a segment, and words.
pub(super) const MOST_ROWS: u64 = 1 << 21;

// No row has more than six accesses to registers. So many cannot go round in time: see "Filler rows" at the
// head of `proof`.
const _: () = assert!(6 * MOST_ROWS < 1 << (61 - 32));

/// Follows the checks of the log: which segments end with one, and how many words are live.
pub(super) struct Checks<'p> {
    profile: &'p Profile,
    least: u64,
    segment: usize,
    check: usize,
    entries: u64,
    pub(super) live: u64,
    /// New words so far.
    pub(super) brought: u64,
}

impl<'p> Checks<'p> {
    pub(super) fn new(profile: &'p Profile, least: u64, file_words: u64) -> Self {
        Self { profile, least, segment: 0, check: 0, entries: 0, live: file_words, brought: 0 }
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
        self.brought = self.brought.saturating_add(fresh);
        Some(fresh)
    }

    /// Where a check is: makes P's run bring as many new words as show, if it has brought fewer.
    pub(super) fn fill_up(
        &self,
        (new, fresh): (u64, &mut Zeroizing<Vec<u32>>),
        source: &mut Source<'_>,
        new_words: &[u32],
    ) {
        if (fresh.len() as u64) < new {
            let brought = new_words.len().min(usize::try_from(self.brought).unwrap_or(usize::MAX));
            let brought = source.bring(new_words.get(..brought).unwrap_or_default());
            room_for(fresh, brought.len());
            fresh.extend_from_slice(&brought);
        }
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

    /// The rows of all segments, with the name of each kind.
    pub fn rows_by_kind(&self) -> impl Iterator<Item = (&'static str, u64)> {
        Kind::ALL.into_iter().enumerate().map(|(index, kind)| {
            let rows = self.segments.iter().filter_map(|counts| counts.rows.get(index));
            (kind.name(), rows.copied().map(u64::from).sum())
        })
    }

    /// Words of memory touched in all segments, each counted once in every segment.
    #[must_use]
    pub fn words(&self) -> u64 {
        self.segments.iter().map(|counts| u64::from(counts.words)).sum()
    }

    /// Words of memory that are new, in all checks.
    #[must_use]
    pub fn new_words(&self) -> u64 {
        self.fresh.iter().fold(0, |sum, fresh| sum.saturating_add(*fresh))
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
            let rows = counts.rows.iter().map(|rows| u64::from(*rows)).sum::<u64>();
            if rows.max(counts.words.into()) > MOST_ROWS {
                return refuse(format!(
                    "segment {number} has {rows} rows and touches {} words; at most {MOST_ROWS} are possible. A \
                     call that moves bytes is not cut: move fewer at once",
                    counts.words
                ));
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

impl Counts {
    /// About the number of steps of a segment, `most` at most: its rows without the bytes that calls move.
    pub(super) fn steps(&self, most: u32) -> u64 {
        let moved = [Kind::TakeSecret, Kind::TakePublic, Kind::PutJournal];
        let rows = Kind::ALL.into_iter().zip(self.rows).filter(|(kind, _)| !moved.contains(kind));
        rows.map(|(_, rows)| u64::from(rows)).sum::<u64>().min(most.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(rows: u32, words: u32) -> Counts {
        let mut all = [0; KINDS];
        all[3] = rows;
        Counts { rows: all, words }
    }

    fn said(segments: Vec<Counts>, fresh: Vec<u64>) -> Result<(), Error> {
        Profile { segments, fresh }.check(10, 5)
    }

    #[test]
    fn numbers_beyond_their_bounds_are_refused() {
        assert_eq!(said(vec![counts(7, 3)], vec![3]), Ok(()));
        assert_eq!(said(vec![counts(7, 10), counts(7, 3)], vec![10, 0]), Ok(()));
        let most = MOST_ROWS as u32;
        assert_eq!(said(vec![counts(most, most)], vec![0]), Ok(()));
        for (segments, fresh) in [
            (vec![], vec![]),
            (vec![counts(1, 0); MOST_SEGMENTS + 1], vec![0]),
            (vec![counts(most + 1, 0)], vec![0]),
            (vec![counts(0, most + 1)], vec![0]),
            // More new words than are touched.
            (vec![counts(1, 3)], vec![4]),
            // Checks that are missing, or are not due.
            (vec![counts(1, 3)], vec![]),
            (vec![counts(1, 3), counts(1, 3)], vec![3, 3]),
            (vec![counts(1, 10), counts(1, 3)], vec![3]),
            // Too many live words.
            (vec![counts(0, most); 9], vec![u64::from(most); 9]),
        ] {
            let result = said(segments, fresh);
            assert!(matches!(result, Err(Error::Public(_))), "{result:?}");
        }
    }
}
