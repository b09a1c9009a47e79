//! Which segments and which checks a shard has, and which of its wires are those of another.

use std::ops::Range;

use crate::proof::log::{ENTRY, LIVE};
use crate::proof::profile::{Checks, Counts, Profile};
use crate::proof::trace::STATE;

/// A run of boundary wires of one shard that are equal to as many of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Join {
    /// The shard and the first wire on one side.
    pub from: (usize, usize),
    /// Those on the other side.
    pub to: (usize, usize),
    /// The number of wires.
    pub wires: usize,
}

/// A check of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::proof) struct Check {
    /// The segments that it is about, from 0 on.
    pub(super) segments: Range<usize>,
    /// The words that they touch, counted once in each segment.
    pub(super) entries: u64,
    /// The words that are live before it and after it, and how many of those are new.
    pub(in crate::proof) before: u64,
    pub(in crate::proof) fresh: u64,
    pub(in crate::proof) after: u64,
}

/// How a run is cut.
#[derive(Debug)]
pub(super) struct Cut {
    /// The segments of each group, from 0 on.
    pub(super) groups: Vec<Range<usize>>,
    pub(super) checks: Vec<Check>,
}

/// A number of wires. One that is too large for this machine is too large for every layout.
fn count(wires: u64) -> usize {
    usize::try_from(wires).unwrap_or(usize::MAX)
}

impl Cut {
    /// Cuts a run with this profile into `groups` nearly equal groups, or into one for each segment.
    pub(super) fn new(profile: &Profile, least: u64, file_words: u64, groups: usize) -> Self {
        let segments = profile.segments.len();
        let groups = groups.min(segments).max(1);
        // No product overflows in 128 bits, and all quotients are at most the number of segments.
        let end = |n: usize| (segments as u128 * n as u128 / groups as u128) as usize;
        let groups = (0..groups).map(|n| end(n)..end(n + 1)).collect();
        let mut due = Checks::new(profile, least, file_words);
        let (mut checks, mut start, mut entries, mut before) = (Vec::new(), 0, 0_u64, file_words);
        for (number, counts) in profile.segments.iter().enumerate() {
            entries = entries.saturating_add(counts.words.into());
            if let Some(fresh) = due.next() {
                let segments = start..number + 1;
                checks.push(Check { segments, entries, before, fresh, after: due.live });
                (start, entries, before) = (number + 1, 0, due.live);
            }
        }
        Self { groups, checks }
    }

    /// Wires of the states before and after a group.
    fn states(&self, group: usize) -> [u64; 2] {
        [group > 0, group + 1 < self.groups.len()].map(|state| if state { STATE as u64 } else { 0 })
    }

    /// Wires of the live words before and after a check. Before the first one all are of the file, and no
    /// wires.
    fn live(&self, number: usize) -> [u64; 2] {
        let Some(check) = self.checks.get(number) else { return [0; 2] };
        let [before, after] = [(number > 0, check.before), (number + 1 < self.checks.len(), check.after)]
            .map(|(shows, words)| if shows { words.saturating_mul(LIVE as u64) } else { 0 });
        [before, after]
    }

    /// The number of boundary wires of a shard.
    pub(super) fn boundary(&self, n: usize, segments: &[Counts]) -> usize {
        let (range, [before, after]) = match n.checked_sub(self.groups.len()) {
            None => (self.groups.get(n).cloned(), self.states(n)),
            Some(n) => (self.checks.get(n).map(|check| check.segments.clone()), self.live(n)),
        };
        let counts = range.and_then(|range| segments.get(range)).unwrap_or_default();
        let entries = counts.iter().map(wires).fold(0, u64::saturating_add);
        count(before.saturating_add(after).saturating_add(entries))
    }

    /// What is equal: states, what segments took and left, live words.
    pub(super) fn joins(&self, segments: &[Counts]) -> Vec<Join> {
        let mut joins = Vec::new();
        for group in 1..self.groups.len() {
            let [before, _] = self.states(group - 1);
            joins.push(Join { from: (group - 1, count(before)), to: (group, 0), wires: STATE });
        }
        self.join_entries(segments, &mut joins);
        for check in 1..self.checks.len() {
            let [_, wires] = self.live(check - 1).map(count);
            let first = self.groups.len() + check - 1;
            let from = self.boundary(first, segments).saturating_sub(wires);
            joins.push(Join { from: (first, from), to: (first + 1, 0), wires });
        }
        joins
    }

    /// Each segment's words in its group and in its check. Runs are as long as they can be.
    fn join_entries(&self, segments: &[Counts], joins: &mut Vec<Join>) {
        let (mut group, mut check) = (0, 0);
        let start = |group: usize| self.states(group).into_iter().fold(0, u64::saturating_add);
        let (mut from, mut to) = (start(0), 0_u64);
        let mut run: Option<Join> = None;
        for (number, counts) in segments.iter().enumerate() {
            if self.groups.get(group).is_some_and(|segments| number >= segments.end) {
                group += 1;
                from = start(group);
                joins.extend(run.take());
            }
            if self.checks.get(check).is_some_and(|check| number >= check.segments.end) {
                check += 1;
                [to, _] = self.live(check);
                joins.extend(run.take());
            }
            let (first, second) = ((group, count(from)), (self.groups.len() + check, count(to)));
            let run = run.get_or_insert(Join { from: first, to: second, wires: 0 });
            run.wires = run.wires.saturating_add(count(wires(counts)));
            (from, to) = (from.saturating_add(wires(counts)), to.saturating_add(wires(counts)));
        }
        joins.extend(run);
    }
}

/// The wires that a segment's words are.
fn wires(counts: &Counts) -> u64 {
    ENTRY as u64 * u64::from(counts.words)
}
