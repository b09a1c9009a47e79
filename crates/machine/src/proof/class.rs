//! Classes of runs: counts that are fixed beforehand, so that all runs of a class show the same.
//!
//! A run shows its [`Profile`], which depends on the secret input. P may show more than its run needs, and
//! fills up the rest:
//!
//! | what shows | what fills it up |
//! |---|---|
//! | rows of a kind | filler rows |
//! | words that a segment touches | words that it lists without an access: they keep their value, at time 0 |
//! | words that are new | words that are zero and that no segment has touched yet |
//! | segments | segments behind the end, with filler rows only |
//!
//! A [`ProfileClass`] has one count of each for all segments, and the number of segments.
//!
//! # Why V needs no check for this
//!
//! A profile says how many rows and words there are. Nothing says how many of them the run needs, and no
//! argument of [the proof](super) uses that a row is a step, that a listed word is accessed, or that a
//! segment has a step:
//!
//! * *A word that is listed and not accessed* produces `(address, first, 0)` and consumes `(address, last,
//!   time)`. No row has a tuple of that address, so the two are equal. In the log it is one more link between
//!   the segment that used the word before and the one that uses it next. It cannot be listed twice, since a
//!   segment takes no two tuples of one address (`log`).
//! * *A new word that no segment touches* lies in a region of zeros and is zero, as every new word is. It
//!   goes straight to the live words. A segment that touches it later takes it from there.
//! * *A segment without a step* produces the state `(place, 0)` and consumes `(place', time')`. States are
//!   points and rows are arrows, and filler rows are no part of the path from the start to the end. So the
//!   path is empty, and the two states are equal. Its rows read `x0` and write the sink, so the registers
//!   that the program has keep their values.
//! * *Behind the end* nothing can happen. The call that exits is no row: a row of a call whose number is 93
//!   has no flag that fits (`tables::call`). What traps is no row either. And if a segment went on, it would
//!   not matter: what V is told of the end holds for the place and the registers after the *last* segment,
//!   and all steps up to there are steps of the program.
//!
//! # How P finds the words
//!
//! `N` are the words that are zero at first: those that the run touches, in the order in which it does, then
//! others. `F` are the words of the file. The class shows `T` new words in all and `W` words in each segment.
//! P lists the first words of `F, N` that the segment does not touch. At each check of the log it brings in
//! the next words of `N`, until it has brought in `T`, or as many as all segments so far have listed.
//!
//! V allows this. It demands for each check that no more words are new than the log has entries, which are
//! the words listed since the last check. Either P had brought in `T` words at the last check, and none is
//! new now; or it had brought in as many as were listed until then, and at most those listed since are new.
//!
//! These words are enough: what segments have touched of `N` is a beginning of it, no longer than what was
//! listed and than `T`; and since the words to list are among the first `W` of `F, N`, what was listed
//! besides is a beginning of `N` of `W - F` words at most. So `T` must be at least `W - F`, and the program
//! must have `T` words that are zero at first.

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use zeroize::Zeroizing;

use super::kind::Kind;
use super::log::{MOST_LIVE, is_due};
use super::profile::{Counts, MOST_ROWS, MOST_SEGMENTS, Profile};
use super::regions::Regions;
use super::settings::MOST_STEPS;
use super::statement::ProgramRun;
use super::subject::Subject;
use super::trace::KINDS;

/// The longest file, in bytes.
const MAX_BYTES: usize = 1 << 16;

/// A class that cannot be read, or that does not hold a run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClassError {
    /// It is not JSON, or lacks a key, or has one that is not known.
    #[error("this is not a profile class: {0}")]
    Form(String),
    /// A key has a value that means nothing, or nothing for this program.
    #[error("the profile class's `{key}`: {reason}")]
    Value {
        /// The key.
        key: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// The run is longer.
    #[error("the run has {segments} segments of {steps} steps, and the profile class {most}")]
    Segments {
        /// Segments of the run.
        segments: u64,
        /// Steps of a segment.
        steps: u32,
        /// Segments of the class.
        most: u64,
    },
    /// A segment has more rows of a kind.
    #[error("segment {segment} of the run has {rows} rows of {kind}, and the profile class {most}")]
    Rows {
        /// The number of the segment, from 1 on.
        segment: usize,
        /// The kind.
        kind: &'static str,
        /// Rows of the run, rounded up.
        rows: u32,
        /// Rows of the class.
        most: u32,
    },
    /// A segment touches more words.
    #[error("segment {segment} of the run touches {words} words of memory, and the profile class has {most}")]
    Words {
        /// The number of the segment, from 1 on.
        segment: usize,
        /// Words that it touches.
        words: u32,
        /// Words of the class.
        most: u32,
    },
    /// The run touches more words that are zero at first.
    #[error("{words} words of memory are new in the run, and the profile class has {most}")]
    NewWords {
        /// New words of the run.
        words: u64,
        /// New words of the class.
        most: u64,
    },
    /// The run cannot be proved with these counts, or there is no run.
    #[error(transparent)]
    Statement(#[from] volery_circuit::Error),
}

fn value(key: &'static str, reason: String) -> ClassError {
    ClassError::Value { key, reason }
}

/// Counts that every run of a class shows: see the [module](self).
///
/// All segments show the same counts, so a run shows nothing else but its claim: how it ends, and its
/// journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileClass {
    /// The digest of the program, or of the bounds of a secret one.
    program: [u8; 32],
    /// Steps of a segment: [`Settings::steps`](super::Settings::steps).
    steps: u32,
    segments: u32,
    /// The counts of each segment.
    counts: Counts,
    /// New words of the whole run.
    new_words: u64,
}

impl ProfileClass {
    /// The smallest class that holds this run: for each count the largest one of all segments.
    #[must_use]
    pub fn of(run: &ProgramRun) -> Self {
        let mut counts = Counts { rows: [0; KINDS], words: 0 };
        for segment in &run.profile.segments {
            counts.enlarge(segment);
        }
        let filled = run.about().file_words();
        let new_words = run.profile.new_words().max(u64::from(counts.words).saturating_sub(filled));
        Self {
            program: run.about().program_digest(),
            steps: run.settings().steps,
            segments: u32::try_from(run.profile.segments()).unwrap_or(u32::MAX),
            counts,
            new_words,
        }
    }

    /// The number of segments.
    #[must_use]
    pub fn segments(&self) -> usize {
        self.segments as usize
    }

    /// The same class with as many segments as a run of this many steps has.
    ///
    /// # Errors
    /// [`ClassError::Segments`] if it has more; [`ClassError::Value`] if these are too many for a proof.
    pub fn padded_to(mut self, steps: u64) -> Result<Self, ClassError> {
        let segments = steps.div_ceil(self.steps.max(1).into());
        if segments > MOST_SEGMENTS as u64 {
            let most = MOST_SEGMENTS as u64 * u64::from(self.steps);
            return Err(value("segments", format!("{steps} steps; at most {most} can be proved")));
        }
        if segments < u64::from(self.segments) {
            let (segments, most) = (self.segments.into(), segments);
            return Err(ClassError::Segments { segments, steps: self.steps, most });
        }
        self.segments = segments as u32;
        Ok(self)
    }

    /// Makes it hold all runs of another class of the same program.
    ///
    /// # Errors
    /// [`ClassError::Value`] if that is of another program, or has segments of other lengths.
    pub fn enlarge(&mut self, other: &Self) -> Result<(), ClassError> {
        self.check_program(other.program, other.steps)?;
        self.counts.enlarge(&other.counts);
        self.segments = self.segments.max(other.segments);
        self.new_words = self.new_words.max(other.new_words);
        Ok(())
    }

    /// Makes room for so many more segments, rows of each kind and words of each segment, and new words.
    #[cfg(test)]
    pub(super) fn grow(&mut self, segments: u32, each: u32, new_words: u64) {
        self.segments += segments;
        self.counts.rows.iter_mut().chain([&mut self.counts.words]).for_each(|count| *count += each);
        self.new_words += u64::from(each) + new_words;
    }

    fn check_program(&self, program: [u8; 32], steps: u32) -> Result<(), ClassError> {
        if self.program != program {
            return Err(value("program", format!("it is {}, and not {}", hex(&self.program), hex(&program))));
        }
        if self.steps != steps {
            return Err(value("segment_steps", format!("they are {}, and not {steps}", self.steps)));
        }
        Ok(())
    }

    /// What a run of the class shows. The log is checked when it has `least` entries.
    fn profile(&self, least: u64, file_words: u64) -> Profile {
        let segments = vec![self.counts.clone(); self.segments()];
        let (mut fresh, mut listed, mut entries, mut brought) = (Vec::new(), 0_u64, 0_u64, 0_u64);
        for number in 1..=self.segments {
            entries += u64::from(self.counts.words);
            listed += u64::from(self.counts.words);
            if number == self.segments || is_due(entries, file_words + brought, least) {
                let all = self.new_words.min(listed);
                fresh.push(all - brought);
                (entries, brought) = (0, all);
            }
        }
        Profile { segments, fresh }
    }

    /// Checks that a run of this profile fits.
    fn check_run(&self, profile: &Profile) -> Result<(), ClassError> {
        if profile.segments() > self.segments() {
            let (segments, most) = (profile.segments() as u64, self.segments.into());
            return Err(ClassError::Segments { segments, steps: self.steps, most });
        }
        for (counts, segment) in profile.segments.iter().zip(1..) {
            for (kind, (rows, most)) in Kind::ALL.iter().zip(counts.rows.into_iter().zip(self.counts.rows)) {
                if rows > most {
                    return Err(ClassError::Rows { segment, kind: kind.name(), rows, most });
                }
            }
            let (words, most) = (counts.words, self.counts.words);
            if words > most {
                return Err(ClassError::Words { segment, words, most });
            }
        }
        let (words, most) = (profile.new_words(), self.new_words);
        if words > most {
            return Err(ClassError::NewWords { words, most });
        }
        Ok(())
    }

    /// The words that are zero at first and that P may bring in: those of `used`, then others, none of which
    /// is among the `first` words.
    fn words_to_bring(
        &self,
        subject: &Subject,
        first: &[u32],
        used: &[u32],
    ) -> Result<Zeroizing<Vec<u32>>, ClassError> {
        let filled = subject.file_words();
        let least = u64::from(self.counts.words).saturating_sub(filled);
        if self.new_words < least {
            let (words, new) = (self.counts.words, self.new_words);
            let reason = format!(
                "{new}, but segments list {words} words, and the file has {filled}: {least} new ones are needed"
            );
            return Err(value("new_words", reason));
        }
        let regions = Regions::of_subject(subject);
        // Data of a secret program lie in these regions.
        let data = subject.bounds().map_or(0, |bounds| bounds.data.into());
        let zero = regions.zero_count().saturating_sub(data);
        if self.new_words > zero {
            let reason =
                format!("{}, but the program has only {zero} words that are zero at first", self.new_words);
            return Err(value("new_words", reason));
        }
        let mut known = Zeroizing::new([used, first].concat());
        known.sort_unstable();
        let mut words = Zeroizing::new(Vec::with_capacity(used.len().max(self.new_words as usize)));
        words.extend_from_slice(used);
        let others = regions.zero_words().filter(|address| known.binary_search(address).is_err());
        words.extend(others.take((self.new_words as usize).saturating_sub(used.len())));
        Ok(words)
    }
}

impl ProgramRun {
    /// P's run, which then shows what every run of the class shows.
    ///
    /// # Errors
    /// [`ClassError`] if the run does not fit, or the class is of another program. [`ClassError::Statement`]
    /// if this is V's statement.
    pub fn in_class(mut self, class: &ProfileClass) -> Result<Self, ClassError> {
        let settings = self.settings();
        class.check_program(self.about().program_digest(), settings.steps)?;
        class.check_run(&self.profile)?;
        let file_words = self.about().file_words();
        let profile = class.profile(settings.log, file_words);
        profile.check(settings.log, file_words)?;
        let new = class.words_to_bring(self.about(), &self.first_words()?, self.new_words()?)?;
        self.show(profile, new);
        Ok(self)
    }
}

impl Counts {
    fn enlarge(&mut self, other: &Self) {
        self.rows.iter_mut().zip(other.rows).for_each(|(rows, other)| *rows = other.max(*rows));
        self.words = self.words.max(other.words);
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(digits: &str) -> Option<[u8; 32]> {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if digits.len() != 64 || !digits.bytes().all(is_digit) {
        return None;
    }
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(digits.as_bytes().chunks_exact(2)) {
        *byte = u8::from_str_radix(core::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(bytes)
}

/// The file, as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    program: String,
    segment_steps: u32,
    segments: u32,
    rows: Rows,
    touched_words: u32,
    new_words: u64,
}

/// Rows by the names of kinds. Kinds that are not named have none.
struct Rows([u32; KINDS]);

impl<'de> Deserialize<'de> for Rows {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ByKind;
        impl<'de> Visitor<'de> for ByKind {
            type Value = Rows;

            fn expecting(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str("an object with rows by kind")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Rows, A::Error> {
                let mut all = [None; KINDS];
                while let Some((name, rows)) = map.next_entry::<String, u32>()? {
                    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name);
                    match kind.and_then(|kind| all.get_mut(kind as usize)) {
                        Some(known @ None) => *known = Some(rows),
                        Some(Some(_)) => return Err(A::Error::custom(format!("{name} occurs twice"))),
                        None => {
                            let name = name.escape_debug();
                            return Err(A::Error::custom(format!("`{name}` is no kind of rows")));
                        }
                    }
                }
                Ok(Rows(all.map(Option::unwrap_or_default)))
            }
        }
        deserializer.deserialize_map(ByKind)
    }
}

impl ProfileClass {
    /// Reads a class.
    ///
    /// # Errors
    /// [`ClassError::Form`], [`ClassError::Value`].
    pub fn from_json(text: &[u8]) -> Result<Self, ClassError> {
        if text.len() > MAX_BYTES {
            return Err(ClassError::Form(format!("it has more than {MAX_BYTES} bytes")));
        }
        // The message may quote the file.
        let form = |error: serde_json::Error| {
            let replaced = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
            ClassError::Form(error.to_string().chars().map(replaced).collect())
        };
        let file: File = serde_json::from_slice(text).map_err(form)?;
        if file.version != 1 {
            return Err(value("version", format!("{} is not known; expected 1", file.version)));
        }
        let program = bytes(&file.program).ok_or_else(|| {
            value("program", "expected the program's digest, 64 hexadecimal digits in lower case".into())
        })?;
        let rows: u64 = file.rows.0.into_iter().map(u64::from).sum();
        for (key, number, least, most) in [
            ("segment_steps", file.segment_steps.into(), 1, MOST_STEPS.into()),
            ("segments", file.segments.into(), 1, MOST_SEGMENTS as u64),
            ("rows", rows, 0, MOST_ROWS),
            ("touched_words", file.touched_words.into(), 0, MOST_ROWS),
            ("new_words", file.new_words, 0, MOST_LIVE),
        ] {
            if !(least..=most).contains(&number) {
                return Err(value(key, format!("{number}; {least} to {most} are possible")));
            }
        }
        Ok(Self {
            program,
            steps: file.segment_steps,
            segments: file.segments,
            counts: Counts { rows: file.rows.0, words: file.touched_words },
            new_words: file.new_words,
        })
    }

    /// The class as [`ProfileClass::from_json`] reads it.
    #[must_use]
    pub fn to_json(&self) -> String {
        let rows = Kind::ALL.into_iter().zip(self.counts.rows).filter(|(_, rows)| *rows > 0);
        let rows: serde_json::Map<_, _> =
            rows.map(|(kind, rows)| (kind.name().to_owned(), rows.into())).collect();
        let file = serde_json::json!({
            "version": 1,
            "program": hex(&self.program),
            "segment_steps": self.steps,
            "segments": self.segments,
            "rows": rows,
            "touched_words": self.counts.words,
            "new_words": self.new_words,
        });
        format!("{file:#}\n")
    }
}

#[cfg(test)]
mod tests;
