//! The statement: what both parties run.

use std::sync::Arc;

use volery_circuit::{Challenge, Digest, Error, Statement};
use volery_field::{F61, Ring as _};
use zeroize::{Zeroize as _, Zeroizing};

use super::argument::{Committed, told};
use super::buffers::room_for;
use super::end;
use super::log::{Committing, Log, MOST_LIVE};
use super::profile::{Checks, Counts, Profile};
use super::public::Tables;
use super::regions::Regions;
use super::secret_program::{self, Image};
use super::segment::{Boundary, Place, Segments, commit};
use super::settings::Settings;
use super::stages::{Stage, Stages, Watch};
use super::subject::{Bounds, Subject};
use super::survey::{limit, survey};
use super::tables::{PUBLIC_LEFT, SECRET_LEFT};
use super::trace::{Loaded, REGISTERS, Segment, Source};
use crate::program::STACK_POINTER;
use crate::{End, Limits, Program};

/// The longest input.
const MOST_INPUT: usize = 1 << 28;

/// What a run says to everybody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunClaim {
    /// How it ended.
    pub end: End,
    /// What it wrote to file 1.
    pub journal: Vec<u8>,
}

/// "I know a secret input with which this program, given this public input, ends so and writes this." The
/// program may be a secret as well ([`secret_program`](super::secret_program)).
///
/// What shows besides the claim is the [`Profile`].
pub struct ProgramRun {
    pub(super) subject: Subject,
    pub(super) public: Vec<u8>,
    pub(super) claim: RunClaim,
    pub(super) profile: Profile,
    settings: Settings,
    secret: Option<Secret>,
    /// The clock of a run that is measured.
    stages: Option<Arc<Stages>>,
    /// What P changes in each segment before it commits.
    #[cfg(test)]
    pub(super) meddle: Option<Meddle>,
    /// Another program and public input, whose run P takes for this one's.
    #[cfg(test)]
    pub(super) traced: Option<(Program, Vec<u8>)>,
}

/// What only P knows.
struct Secret {
    input: Zeroizing<Vec<u8>>,
    limits: Limits,
    /// The program, if it is a secret.
    program: Option<Program>,
    /// Words that are zero at first and become live, in that order: see `class`.
    new_words: Zeroizing<Vec<u32>>,
    /// Whether the run shows something else than it needs.
    filled: bool,
}

/// A change of a segment, which it gets with its number.
#[cfg(test)]
pub(super) type Meddle = Arc<dyn Fn(u32, &mut Segment) + Send + Sync>;

impl core::fmt::Debug for ProgramRun {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ProgramRun")
            .field("claim", &self.claim)
            .field("profile", &self.profile)
            .finish_non_exhaustive()
    }
}

/// Refuses inputs that are too long for the proof.
fn check_input(what: &str, bytes: &[u8]) -> Result<(), Error> {
    if bytes.len() > MOST_INPUT {
        return Err(Error::Public(format!(
            "the {what} has {} bytes; at most {MOST_INPUT} are possible",
            bytes.len()
        )));
    }
    Ok(())
}

impl ProgramRun {
    /// V's statement.
    ///
    /// # Errors
    /// [`Error::Public`] if a number is out of its bounds, the program holds the last word of the address
    /// space, or a secret program is claimed to trap.
    pub fn new(
        subject: impl Into<Subject>,
        public: Vec<u8>,
        claim: RunClaim,
        profile: Profile,
        settings: Settings,
    ) -> Result<Self, Error> {
        let subject = subject.into();
        settings.check()?;
        subject.check()?;
        check_input("public input", &public)?;
        check_input("journal", &claim.journal)?;
        if subject.program().is_none() && matches!(claim.end, End::Trap { .. }) {
            return Err(end::secret_trap(claim.end));
        }
        profile.check(settings.log, subject.file_words())?;
        Ok(Self {
            subject,
            public,
            claim,
            profile,
            settings,
            secret: None,
            stages: None,
            #[cfg(test)]
            meddle: None,
            #[cfg(test)]
            traced: None,
        })
    }

    /// P's statement: runs the program once, to find out what to claim and what shows.
    ///
    /// # Errors
    /// [`Error::Witness`] if the run goes beyond its limits; as [`ProgramRun::new`].
    pub fn of(
        program: Program,
        [secret, public]: [Vec<u8>; 2],
        settings: Settings,
        limits: Limits,
    ) -> Result<Self, Error> {
        Self::survey(program, None, [secret, public], settings, limits)
    }

    /// P's statement about a secret program. V knows its bounds.
    ///
    /// # Errors
    /// [`Error::Public`] if the program is beyond the bounds, or its run is ended by a trap; as
    /// [`ProgramRun::of`].
    pub fn of_secret(
        program: Program,
        bounds: Bounds,
        inputs: [Vec<u8>; 2],
        settings: Settings,
        limits: Limits,
    ) -> Result<Self, Error> {
        Self::survey(program, Some(bounds), inputs, settings, limits)
    }

    fn survey(
        program: Program,
        bounds: Option<Bounds>,
        [secret, public]: [Vec<u8>; 2],
        settings: Settings,
        limits: Limits,
    ) -> Result<Self, Error> {
        let input = Zeroizing::new(secret);
        settings.check()?;
        check_input("secret input", &input)?;
        let (subject, program) = match bounds {
            Some(bounds) => (Subject::Secret(bounds), Some(program)),
            None => (Subject::Public(program), None),
        };
        subject.check()?;
        let (loaded, _) = load(&subject, program.as_ref())?;
        let known = subject.program().or(program.as_ref()).ok_or_else(unknown)?;
        let source = Source::new(known, loaded, [&input, &public], limits);
        let (claim, profile, new_words) = survey(source, (subject.file_words(), MOST_LIVE), settings)?;
        let mut run = Self::new(subject, public, claim, profile, settings)?;
        run.secret = Some(Secret { input, limits, program, new_words, filled: false });
        Ok(run)
    }

    /// The program, or the bounds of a secret one.
    #[must_use]
    pub fn about(&self) -> &Subject {
        &self.subject
    }

    /// The program where it is known: at P, and if it is public at both parties.
    #[must_use]
    pub fn program(&self) -> Option<&Program> {
        let secret = self.secret.as_ref().and_then(|secret| secret.program.as_ref());
        self.subject.program().or(secret)
    }

    /// What the parties compare before the run: [`Subject::digest`].
    #[must_use]
    pub fn subject(&self) -> [u8; 32] {
        self.subject.digest(&self.public, self.settings)
    }

    /// V's statement of the same run.
    #[must_use]
    pub fn without_secret(&self) -> Self {
        Self {
            subject: self.subject.clone(),
            public: self.public.clone(),
            claim: self.claim.clone(),
            profile: self.profile.clone(),
            settings: self.settings,
            secret: None,
            stages: None,
            #[cfg(test)]
            meddle: None,
            #[cfg(test)]
            traced: None,
        }
    }

    /// Adds a clock to the run, which the next proof is measured with.
    #[must_use]
    pub fn clocked(&mut self) -> Arc<Stages> {
        Arc::clone(self.stages.insert(Arc::default()))
    }

    /// The public tables.
    pub(super) fn tables(&self) -> Tables<'_> {
        Tables {
            subject: &self.subject,
            regions: Regions::of_subject(&self.subject),
            input: &self.public,
            journal: &self.claim.journal,
        }
    }

    /// How the run is cut.
    #[must_use]
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// What is claimed.
    #[must_use]
    pub fn claim(&self) -> &RunClaim {
        &self.claim
    }

    /// What shows besides.
    #[must_use]
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The words that are zero at first and become live, in that order. Only P knows them.
    pub(super) fn new_words(&self) -> Result<&[u32], Error> {
        let words = self.secret.as_ref().map(|secret| &secret.new_words[..]);
        words.ok_or_else(|| Error::misuse("only a run with its secret input can show something else"))
    }

    /// The secret input, and the words that are zero at first and become live. Only P has them.
    pub(super) fn kept(&self) -> Option<(&[u8], &[u32])> {
        self.secret.as_ref().map(|secret| (&secret.input[..], &secret.new_words[..]))
    }

    /// Whether P's run shows something else than it needs.
    pub(super) fn is_filled(&self) -> bool {
        self.secret.as_ref().is_some_and(|secret| secret.filled)
    }

    /// The addresses of the words that are live from the start. Only P knows them all.
    pub(super) fn first_words(&self) -> Result<Zeroizing<Vec<u32>>, Error> {
        let secret = self.secret.as_ref().and_then(|secret| secret.program.as_ref());
        let (loaded, _) = load(&self.subject, secret)?;
        Ok(Zeroizing::new(loaded.words.iter().map(|(address, _)| *address).collect()))
    }

    /// Makes P's run show something else, with these words becoming live.
    pub(super) fn show(&mut self, profile: Profile, new_words: Zeroizing<Vec<u32>>) {
        self.profile = profile;
        if let Some(secret) = &mut self.secret {
            (secret.new_words, secret.filled) = (new_words, true);
        }
    }
}

/// The error for a run of a secret program at a party that does not have it.
pub(super) fn unknown() -> Error {
    Error::misuse("there is no program")
}

/// What a run begins with, and of a secret program its image.
pub(super) fn load(subject: &Subject, secret: Option<&Program>) -> Result<(Loaded, Option<Image>), Error> {
    match (subject, secret) {
        (Subject::Public(program), _) => Ok((Loaded::of(program, &Regions::of(program)), None)),
        (Subject::Secret(bounds), Some(program)) => {
            Image::of(program, bounds).map(|(loaded, image)| (loaded, Some(image)))
        }
        (Subject::Secret(_), None) => Err(unknown()),
    }
}

/// The error for a trace that is not that of the profile.
pub(super) fn strange() -> Error {
    Error::Witness("the run is another one than the profile says".into())
}

impl<B: Challenge<F61>> Statement<B> for ProgramRun {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"run of a program v3");
        self.subject.identify(digest);
        digest.bytes("public input", &self.public);
        digest.bytes("journal", &self.claim.journal);
        let [kind, place, cause, value] = match self.claim.end {
            End::Exit(code) => [0, 0, 0, code],
            End::Trap { pc, cause, value } => [1, pc, cause as u32, value],
        };
        [kind, place, cause, value].into_iter().for_each(|n| {
            digest.number("end", n.into());
        });
        digest.number("log", self.settings.log);
        self.profile.identify(digest);
    }

    fn commitments(&self) -> Option<u64> {
        Some(self.elements().total().ceil() as u64)
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        self.claim_all(b, &|_| ())
    }
}

/// How far a proof of a run is, in steps: those that show. Filler rows do not count, unless a segment has so
/// many that nobody can tell them from steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Steps of the segments whose columns are committed to; at the end of all.
    pub done: u64,
    /// Steps of all segments.
    pub total: u64,
}

/// Is told how far a proof is: at its begin, and after each segment.
pub type OnProgress<'a> = dyn Fn(Progress) + Sync + 'a;

/// A run whose proof tells how far it is.
pub struct WatchedRun<'a> {
    /// The run.
    pub run: &'a ProgramRun,
    /// Is told.
    pub watch: &'a OnProgress<'a>,
}

impl<B: Challenge<F61>> Statement<B> for WatchedRun<'_> {
    fn identify(&self, digest: &mut Digest) {
        Statement::<B>::identify(self.run, digest);
    }

    fn commitments(&self) -> Option<u64> {
        Statement::<B>::commitments(self.run)
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        self.run.claim_all(b, self.watch)
    }
}

impl ProgramRun {
    /// Claims everything.
    fn claim_all<B: Challenge<F61>>(&self, b: &mut B, watch: &OnProgress<'_>) -> Result<(), B::Error> {
        let Self { subject, profile, settings, .. } = self;
        let (tables, clock) = (self.tables(), Watch(self.stages.as_deref()));
        let steps = |counts: &Counts| counts.steps(settings.steps);
        let mut progress = Progress { done: 0, total: profile.segments.iter().map(steps).sum() };
        watch(progress);
        let new_words = self.secret.as_ref().map_or(&[][..], |secret| &secret.new_words);
        let (mut source, image) = self.source()?;
        let (rom, mut log) = match subject.bounds() {
            None => (None, Log::new()),
            Some(bounds) => {
                let (rom, log) = secret_program::claim(b, &tables, bounds, image)?;
                (Some(rom), log)
            }
        };
        let mut checks = Checks::new(profile, settings.log, subject.file_words());
        let length = self.secret.as_ref().map(|secret| secret.input.len() as u64);
        let mut boundary = self.start(b, length)?;
        let mut fresh = Zeroizing::default();
        let mut segments = Segments::new(&tables, rom.as_ref(), clock);
        for (counts, number) in profile.segments.iter().zip(1..) {
            clock.begin(Stage::Trace);
            let segment =
                source.as_mut().map(|source| self.segment(source, counts, new_words)).transpose()?;
            #[cfg(test)]
            let segment = self.meddled(number, segment);
            if let Some(segment) = &segment {
                room_for(&mut fresh, segment.fresh.len());
                fresh.extend_from_slice(&segment.fresh);
            }
            let exits = number as usize == profile.segments.len() && matches!(self.claim.end, End::Exit(_));
            let here = (counts, Place { number, exits });
            boundary = segments.claim(b, here, boundary, segment, &mut log)?;
            if let Some(new) = checks.next() {
                // A check takes as much memory as a segment.
                segments.close(b)?;
                clock.begin(Stage::Log);
                if let Some(source) = &mut source {
                    checks.fill_up((new, &mut fresh), source, new_words);
                }
                let values = source.as_ref().map(|source| Committing::of(source, &fresh));
                log.check(b, &tables, (checks.live as usize, new as usize), values)?;
                fresh.zeroize();
            }
            progress.done += steps(counts);
            watch(progress);
        }
        // After a check of the log, as at the end of every profile, there is nothing left to close.
        segments.close(b)?;
        clock.end();
        end::claim(b, &tables, &boundary, self.claim.end)
    }

    /// P's run, and of a secret program its image.
    pub(super) fn source(&self) -> Result<(Option<Source<'_>>, Option<Image>), Error> {
        let Some(Secret { input, limits, program: secret, .. }) = &self.secret else {
            return Ok((None, None));
        };
        let (loaded, image) = load(&self.subject, secret.as_ref())?;
        let (program, public) = (self.program().ok_or_else(unknown)?, &self.public[..]);
        #[cfg(test)]
        if let Some((traced, public)) = &self.traced {
            let subject =
                self.subject.bounds().map_or_else(|| traced.clone().into(), |b| Subject::Secret(*b));
            let (loaded, _) = load(&subject, Some(traced))?;
            let source =
                Source::new(traced, loaded, [&input[..], &public[..]], *limits).with_text_of(program);
            return Ok((Some(source), image));
        }
        Ok((Some(Source::new(program, loaded, [&input[..], public], *limits)), image))
    }

    /// The next segment of P's trace, with the counts that show.
    pub(super) fn segment(
        &self,
        source: &mut Source<'_>,
        counts: &Counts,
        new_words: &[u32],
    ) -> Result<Segment, Error> {
        let shown = Some((counts, new_words));
        let (segment, _) = source.next(self.settings.steps, shown).map_err(limit)?;
        if segment.rows != counts.rows || segment.words.len() != counts.words as usize {
            return Err(strange());
        }
        Ok(segment)
    }

    /// The segment as P changes it.
    #[cfg(test)]
    pub(super) fn meddled(&self, number: u32, mut segment: Option<Segment>) -> Option<Segment> {
        self.meddle.iter().zip(&mut segment).for_each(|(meddle, segment)| meddle(number, segment));
        segment
    }

    /// The address of the first instruction where it is known.
    fn entry(&self) -> Option<u32> {
        self.program().map(Program::entry)
    }

    /// What a run begins with. P commits to the length of the secret input, and where a secret program
    /// begins.
    pub(super) fn start<B: Challenge<F61>>(
        &self,
        b: &mut B,
        length: Option<u64>,
    ) -> Result<Boundary<B::Wire>, B::Error> {
        let mut values = Zeroizing::new(vec![F61::ZERO; REGISTERS]);
        let secret = length.map(F61::new);
        values[2] = F61::new(STACK_POINTER.into());
        values[PUBLIC_LEFT as usize] = F61::new(self.public.len() as u64);
        let mut registers: Vec<_> = values.iter().map(|value| b.constant(*value)).collect();
        let mut length = Vec::new();
        commit(b, 1, secret.as_ref().map(core::slice::from_ref), &mut length)?;
        for wire in length {
            registers[SECRET_LEFT as usize] = wire;
        }
        let entry = self.entry().map(|entry| F61::new(entry.into()));
        let place = match (&self.subject, entry) {
            (Subject::Public(_), Some(entry)) => [b.constant(entry)],
            // Where no instruction is, the first segment finds none.
            _ => {
                let mut place = Vec::new();
                let entry = entry.map(|entry| told(Committed::Entry, vec![entry]));
                commit(b, 1, entry.as_deref(), &mut place)?;
                place.try_into().map_err(|_| Error::misuse("no place was committed to"))?
            }
        };
        Ok(Boundary { registers, place })
    }
}
