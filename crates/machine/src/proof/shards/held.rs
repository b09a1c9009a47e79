//! What P commits to in each shard: it runs the program once, and keeps what its workers need.

use std::collections::BTreeMap;
use std::sync::Arc;

use volery_circuit::Error;
use zeroize::Zeroizing;

use super::cut::Cut;
use crate::proof::buffers::room_for;
use crate::proof::log::{ENTRY, LIVE};
use crate::proof::profile::Checks;
use crate::proof::statement::{ProgramRun, load, unknown};
use crate::proof::tables::SECRET_LEFT;
use crate::proof::trace::{Middle, REGISTERS, STATE, Segment, Source};

/// Live words: address, value, segment of the last use.
pub(super) type Live = Zeroizing<Vec<[u32; LIVE]>>;

/// What P commits to, of the shards that are here.
#[derive(Default)]
pub(super) struct Held {
    pub(super) groups: BTreeMap<usize, OfGroup>,
    pub(super) checks: BTreeMap<usize, OfCheck>,
}

/// What a group begins with.
pub(super) struct OfGroup {
    /// Registers, and the place of the next instruction.
    pub(super) state: Zeroizing<[u32; STATE]>,
    /// The words that it touches and that earlier segments have touched, as they are before it.
    pub(super) words: Live,
    /// The bytes of the secret input that it reads.
    pub(super) secret: Zeroizing<Vec<u8>>,
    /// The words that may fill up what its segments touch.
    pub(super) new_words: Zeroizing<Vec<u32>>,
}

/// What a check commits to.
pub(super) struct OfCheck {
    /// The words that are live before; none in the first check, where they are public.
    pub(super) before: Arc<Live>,
    /// What segments took and left: address, value, segment of the last use, value at the end.
    pub(super) entries: Zeroizing<Vec<[u32; ENTRY]>>,
    /// The addresses of new words.
    pub(super) fresh: Zeroizing<Vec<u32>>,
    /// The words that are live afterwards, in the order of [`Source::live`].
    pub(super) after: Arc<Live>,
}

impl OfGroup {
    /// The length of what is left of the secret input before the group.
    pub(super) fn length(&self) -> u64 {
        left(&self.state).into()
    }

    /// The group's segments, of which `first` is the first, counted from 0.
    pub(super) fn source<'a>(&'a self, run: &'a ProgramRun, first: usize) -> Result<Source<'a>, Error> {
        let segment = u32::try_from(first + 1).map_err(|_| unknown())?;
        let (loaded, _) = load(&run.subject, None)?;
        let from = Middle { segment, state: &self.state, words: &self.words, secret: &self.secret };
        Source::resume(run.program().ok_or_else(unknown)?, loaded, &from, &run.public)
    }

    /// Keeps the words of a segment that earlier segments than number `first` have touched.
    fn keep(&mut self, segment: &Segment, first: u32) {
        for word in segment.words.iter().filter(|word| (1..first).contains(&word.since)) {
            room_for(&mut self.words, 1);
            self.words.push([word.address, word.first, word.since]);
        }
    }
}

/// What is left of the secret input.
fn left(state: &[u32; STATE]) -> u32 {
    state.get(SECRET_LEFT as usize).copied().unwrap_or_default()
}

/// A run on the way through all shards.
struct Pass<'a> {
    held: Held,
    /// The secret input.
    input: &'a [u8],
    /// The group that is not complete, and its number.
    group: Option<(usize, OfGroup)>,
    /// The check that is not complete.
    entries: Zeroizing<Vec<[u32; ENTRY]>>,
    fresh: Zeroizing<Vec<u32>>,
    before: Arc<Live>,
}

impl Held {
    /// What P commits to in all shards.
    pub(super) fn of(run: &ProgramRun, mut source: Source<'_>, cut: &Cut) -> Result<Self, Error> {
        let (input, new_words) = run.kept().ok_or_else(unknown)?;
        let mut checks = Checks::new(&run.profile, run.settings().log, run.subject.file_words());
        let mut pass = Pass {
            held: Self::default(),
            input,
            group: None,
            entries: Zeroizing::default(),
            fresh: Zeroizing::default(),
            before: Arc::default(),
        };
        // Only runs that show more than they need are filled up.
        let filling = if run.is_filled() { new_words } else { &[] };
        let mut starts = cut.groups.iter().map(|segments| segments.start).enumerate().peekable();
        for (counts, at) in run.profile.segments.iter().zip(0..) {
            if let Some((group, _)) = starts.next_if(|(_, start)| *start == at) {
                pass.begin(group, &source, filling);
            }
            let segment = run.segment(&mut source, counts, new_words)?;
            pass.note(&segment, cut);
            if let Some(new) = checks.next() {
                checks.fill_up((new, &mut pass.fresh), &mut source, new_words);
                pass.check(&source);
            }
        }
        pass.end(&source.state());
        Ok(pass.held)
    }
}

impl Pass<'_> {
    /// Begins a group.
    fn begin(&mut self, number: usize, source: &Source<'_>, new_words: &[u32]) {
        let state = source.state();
        self.end(&state);
        let group = OfGroup {
            state,
            words: Zeroizing::default(),
            secret: Zeroizing::default(),
            new_words: Zeroizing::new(new_words.to_vec()),
        };
        self.group = Some((number, group));
    }

    /// Ends the group before this state.
    fn end(&mut self, state: &[u32; STATE]) {
        if let Some((number, mut group)) = self.group.take() {
            let behind = |state: &[u32; STATE]| self.input.len().saturating_sub(left(state) as usize);
            let read = self.input.get(behind(&group.state)..behind(state)).unwrap_or_default();
            group.secret = Zeroizing::new(read.to_vec());
            self.held.groups.insert(number, group);
        }
    }

    /// Notes what a segment touches.
    fn note(&mut self, segment: &Segment, cut: &Cut) {
        if let Some((number, group)) = &mut self.group {
            let first = cut.groups.get(*number).map_or(0, |segments| segments.start);
            group.keep(segment, u32::try_from(first).unwrap_or(u32::MAX).saturating_add(1));
        }
        room_for(&mut self.entries, segment.words.len());
        let words = segment.words.iter();
        self.entries.extend(words.map(|word| [word.address, word.first, word.since, word.last.value]));
        room_for(&mut self.fresh, segment.fresh.len());
        self.fresh.extend_from_slice(&segment.fresh);
    }

    /// Ends a check.
    fn check(&mut self, source: &Source<'_>) {
        let mut after = Live::default();
        for (address, _, value, segment) in source.live() {
            room_for(&mut after, 1);
            after.push([address, value, segment]);
        }
        let after = Arc::new(after);
        let check = OfCheck {
            before: core::mem::replace(&mut self.before, Arc::clone(&after)),
            entries: core::mem::take(&mut self.entries),
            fresh: core::mem::take(&mut self.fresh),
            after,
        };
        self.held.checks.insert(self.held.checks.len(), check);
    }
}

const _: () = assert!(STATE == REGISTERS + 1);
