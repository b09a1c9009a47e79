//! The statement: what both parties run.

use std::sync::Arc;

use volery_circuit::{Challenge, Digest, Error, Statement};
use volery_field::{F61, Ring as _};
use zeroize::{Zeroize as _, Zeroizing};

use super::buffers::room_for;
use super::end;
use super::log::{Log, MOST_LIVE};
use super::profile::{Checks, Counts, Profile};
use super::public::Tables;
use super::regions::{Regions, file_words};
use super::segment::{self, Boundary, Place, commit};
use super::stages::{Stage, Stages, Watch};
use super::tables::{PUBLIC_LEFT, SECRET_LEFT};
use super::trace::{REGISTERS, Segment, Source};
use crate::program::STACK_POINTER;
use crate::{End, Limits, Program};

/// How a run is cut into segments. Both parties need the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Steps of a segment, about: a call that moves bytes is not cut.
    pub steps: u32,
    /// The rows of each kind in a segment are filled up to a multiple of this.
    pub unit: u32,
    /// How long the log of touched words is at least before it is checked.
    pub log: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { steps: 1 << 16, unit: 16, log: 1 << 18 }
    }
}

impl Settings {
    fn check(self) -> Result<(), Error> {
        if self.steps == 0 || self.steps > MOST_STEPS || self.unit == 0 || self.unit > 1 << 16 {
            return Err(Error::Public(format!(
                "segments of {} steps with rows in units of {}; at most 2^20 and 2^16 are possible",
                self.steps, self.unit
            )));
        }
        if self.log > MOST_LIVE {
            return Err(Error::Public(format!(
                "a log of {} words before it is checked; at most {MOST_LIVE} are possible",
                self.log
            )));
        }
        Ok(())
    }
}

/// The most steps of a segment.
pub(super) const MOST_STEPS: u32 = 1 << 20;

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

/// "I know a secret input with which this program, given this public input, ends so and writes this."
///
/// What shows besides the claim is the [`Profile`].
pub struct ProgramRun {
    pub(super) program: Program,
    public: Vec<u8>,
    pub(super) claim: RunClaim,
    pub(super) profile: Profile,
    settings: Settings,
    known: Option<Known>,
    /// The clock of a run that is measured.
    stages: Option<Arc<Stages>>,
    /// What P changes in each segment before it commits.
    #[cfg(test)]
    pub(super) meddle: Option<Meddle>,
    /// Another program and public input, whose run P takes for this one's.
    #[cfg(test)]
    pub(super) traced: Option<(Program, Vec<u8>)>,
}

/// What P knows of its run.
struct Known {
    secret: Zeroizing<Vec<u8>>,
    limits: Limits,
    /// Words that are zero at first and become live, in that order: see `class`.
    new_words: Zeroizing<Vec<u32>>,
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

/// The digest of what is known of a run before it: the program, the public input, and how runs are cut. The
/// parties compare it before P says anything of its run.
#[must_use]
pub fn subject(program: &Program, public: &[u8], settings: Settings) -> [u8; 32] {
    let mut digest = Digest::new();
    digest.bytes("statement", b"a program and its public input v1");
    program.identify(&mut digest);
    digest.bytes("public input", public);
    digest.number("steps", settings.steps.into());
    digest.number("unit", settings.unit.into());
    digest.number("log", settings.log);
    digest.finish()
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

/// Refuses a program that holds the last word of the address space. Behind that, places and return addresses
/// go on at 0, but rows say 2^32.
fn check_program(program: &Program) -> Result<(), Error> {
    let end = u64::from(program.text()) + 4 * program.code().len() as u64;
    if end > u64::from(u32::MAX) {
        return Err(Error::Public(
            "the program's text ends with the address space; link it at least one word lower".into(),
        ));
    }
    Ok(())
}

impl ProgramRun {
    /// V's statement.
    ///
    /// # Errors
    /// [`Error::Public`] if a number is out of its bounds, or the program holds the last word of the address
    /// space.
    pub fn new(
        program: Program,
        public: Vec<u8>,
        claim: RunClaim,
        profile: Profile,
        settings: Settings,
    ) -> Result<Self, Error> {
        settings.check()?;
        check_program(&program)?;
        check_input("public input", &public)?;
        check_input("journal", &claim.journal)?;
        profile.check(settings.log, file_words(&program).count() as u64)?;
        Ok(Self {
            program,
            public,
            claim,
            profile,
            settings,
            known: None,
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
        settings.check()?;
        check_program(&program)?;
        let secret = Zeroizing::new(secret);
        check_input("secret input", &secret)?;
        let (claim, profile, new_words) = survey(&program, [&secret, &public], settings, limits)?;
        let mut run = Self::new(program, public, claim, profile, settings)?;
        run.known = Some(Known { secret, limits, new_words });
        Ok(run)
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The digest of the program and its public input: [`subject`].
    #[must_use]
    pub fn subject(&self) -> [u8; 32] {
        subject(&self.program, &self.public, self.settings)
    }

    /// V's statement of the same run.
    #[must_use]
    pub fn without_secret(&self) -> Self {
        Self {
            program: self.program.clone(),
            public: self.public.clone(),
            claim: self.claim.clone(),
            profile: self.profile.clone(),
            settings: self.settings,
            known: None,
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
            program: &self.program,
            regions: Regions::of(&self.program),
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
        let known = self.known.as_ref().map(|known| &known.new_words[..]);
        known.ok_or_else(|| Error::misuse("only a run with its secret input can show something else"))
    }

    /// Makes P's run show something else, with these words becoming live.
    pub(super) fn show(&mut self, profile: Profile, new_words: Zeroizing<Vec<u32>>) {
        self.profile = profile;
        if let Some(known) = &mut self.known {
            known.new_words = new_words;
        }
    }
}

fn limit(error: crate::emulator::Error) -> Error {
    Error::Witness(error.to_string())
}

/// What [`survey`] finds: the claim, the profile, and the words that become live.
type Survey = (RunClaim, Profile, Zeroizing<Vec<u32>>);

/// Runs a program without proving.
fn survey(
    program: &Program,
    inputs: [&[u8]; 2],
    settings: Settings,
    limits: Limits,
) -> Result<Survey, Error> {
    let mut source = Source::new(program, &Regions::of(program), inputs, limits);
    let (mut profile, mut new_words) = (Profile::default(), Zeroizing::new(Vec::new()));
    let (mut new, mut entries, mut live) = (0_u64, 0_u64, file_words(program).count() as u64);
    loop {
        let (segment, end) = source.next(settings.steps, None).map_err(limit)?;
        let words = segment.words.len() as u32;
        let rows = segment.rows.map(|rows| rows.next_multiple_of(settings.unit));
        profile.segments.push(Counts { rows, words });
        room_for(&mut new_words, segment.fresh.len());
        new_words.extend_from_slice(&segment.fresh);
        (new, entries) = (new + segment.fresh.len() as u64, entries + u64::from(words));
        if end.is_some() || super::log::is_due(entries, live, settings.log) {
            profile.fresh.push(new);
            live += new;
            (new, entries) = (0, 0);
        }
        if let Some(end) = end {
            let journal = source.journal().to_vec();
            return Ok((RunClaim { end, journal }, profile, new_words));
        }
    }
}

/// The error for a trace that is not that of the profile.
fn strange() -> Error {
    Error::Witness("the run is another one than the profile says".into())
}

impl<B: Challenge<F61>> Statement<B> for ProgramRun {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"run of a program v1");
        self.program.identify(digest);
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
    /// Steps of the segments that are done.
    pub done: u64,
    /// Steps of all segments.
    pub total: u64,
}

/// Is told how far a proof is: at its begin, and after each segment.
pub type OnProgress<'a> = dyn Fn(Progress) + Sync + 'a;

/// A run, the proof of which tells how far it is.
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
        let Self { program, profile, settings, .. } = self;
        let (tables, clock) = (self.tables(), Watch(self.stages.as_deref()));
        let steps = |counts: &Counts| counts.steps(settings.steps);
        let mut progress = Progress { done: 0, total: profile.segments.iter().map(steps).sum() };
        watch(progress);
        let new_words = self.known.as_ref().map_or(&[][..], |known| &known.new_words);
        let mut source = self.source(&tables.regions);
        let mut log = Log::new();
        let mut checks = Checks::new(profile, settings.log, file_words(program).count() as u64);
        let mut boundary = self.start(b)?;
        let (mut place, mut fresh) = (program.entry(), Zeroizing::default());
        for (counts, number) in profile.segments.iter().zip(1..) {
            clock.begin(Stage::Trace);
            let segment =
                source.as_mut().map(|source| self.segment(source, counts, new_words)).transpose()?;
            #[cfg(test)]
            let segment = self.meddled(number, segment);
            let next = segment.as_ref().map(|segment| {
                room_for(&mut fresh, segment.fresh.len());
                fresh.extend_from_slice(&segment.fresh);
                segment.place
            });
            let exits = number as usize == profile.segments.len() && matches!(self.claim.end, End::Exit(_));
            let here = (counts, Place { number, exits });
            boundary = segment::claim(b, &tables, here, (boundary, place), segment, &mut log, clock)?;
            place = next.unwrap_or(place);
            if let Some(new) = checks.next() {
                clock.begin(Stage::Log);
                if let Some(source) = &mut source
                    && (fresh.len() as u64) < new
                {
                    let brought = new_words.len().min(checks.brought as usize);
                    let brought = source.bring(&new_words[..brought]);
                    room_for(&mut fresh, brought.len());
                    fresh.extend_from_slice(&brought);
                }
                let known = source.as_ref().map(|source| (source, &fresh[..]));
                log.check(b, &tables, (checks.live as usize, new as usize), known)?;
                fresh.zeroize();
            }
            progress.done += steps(counts);
            watch(progress);
        }
        clock.end();
        end::claim(b, &tables, &boundary, self.claim.end)
    }

    /// P's trace.
    fn source(&self, regions: &Regions) -> Option<Source<'_>> {
        let Known { secret, limits, .. } = self.known.as_ref()?;
        let (program, public) = (&self.program, &self.public[..]);
        #[cfg(test)]
        let (program, public) =
            self.traced.as_ref().map_or((program, public), |(program, public)| (program, &public[..]));
        let source = Source::new(program, regions, [secret, public], *limits);
        #[cfg(test)]
        let source = source.with_text_of(&self.program);
        Some(source)
    }

    /// The next segment of P's trace, with the counts that show.
    fn segment(&self, source: &mut Source<'_>, counts: &Counts, new_words: &[u32]) -> Result<Segment, Error> {
        let shown = Some((counts, new_words));
        let (segment, _) = source.next(self.settings.steps, shown).map_err(limit)?;
        if segment.rows != counts.rows || segment.words.len() != counts.words as usize {
            return Err(strange());
        }
        Ok(segment)
    }

    /// The segment as P changes it.
    #[cfg(test)]
    fn meddled(&self, number: u32, mut segment: Option<Segment>) -> Option<Segment> {
        self.meddle.iter().zip(&mut segment).for_each(|(meddle, segment)| meddle(number, segment));
        segment
    }

    /// What a run begins with. P commits to the length of the secret input.
    fn start<B: Challenge<F61>>(&self, b: &mut B) -> Result<Boundary<B::Wire>, B::Error> {
        let mut values = Zeroizing::new(vec![F61::ZERO; REGISTERS]);
        let secret = self.known.as_ref().map(|known| F61::new(known.secret.len() as u64));
        values[2] = F61::new(STACK_POINTER.into());
        values[PUBLIC_LEFT as usize] = F61::new(self.public.len() as u64);
        let mut registers: Vec<_> = values.iter().map(|value| b.constant(*value)).collect();
        let mut length = Vec::new();
        commit(b, 1, secret.as_ref().map(core::slice::from_ref), &mut length)?;
        for wire in length {
            registers[SECRET_LEFT as usize] = wire;
        }
        values[SECRET_LEFT as usize] = secret.unwrap_or_default();
        let place = [b.constant(F61::new(self.program.entry().into()))];
        Ok(Boundary { registers, values, place })
    }
}
