//! The statement: what both parties run.

use std::sync::Arc;

use volery_circuit::{Challenge, Digest, Error, Statement};
use volery_field::{F61, Ring as _};
use zeroize::{Zeroize as _, Zeroizing};

use super::argument::{Committed, told};
use super::buffers::room_for;
use super::end;
use super::log::{Log, MOST_LIVE};
use super::profile::{Checks, Counts, Profile};
use super::public::Tables;
use super::regions::Regions;
use super::secret_program::{self, Image};
use super::segment::{self, Boundary, Place, commit};
use super::stages::{Stage, Stages, Watch};
use super::subject::{Bounds, Subject};
use super::tables::{PUBLIC_LEFT, SECRET_LEFT};
use super::trace::{Loaded, REGISTERS, Source};
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
        if self.steps == 0 || self.steps > 1 << 20 || self.unit == 0 || self.unit > 1 << 16 {
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
    public: Vec<u8>,
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
}

/// A change of a segment, which it gets with its number.
#[cfg(test)]
pub(super) type Meddle = Arc<dyn Fn(u32, &mut super::trace::Segment) + Send + Sync>;

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

    /// P's statement about a secret program, of which V knows bounds.
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
        let (subject, secret) = match bounds {
            Some(bounds) => (Subject::Secret(bounds), Some(program)),
            None => (Subject::Public(program), None),
        };
        subject.check()?;
        let secret = Secret { input, limits, program: secret };
        let (loaded, _) = load(&subject, secret.program.as_ref())?;
        let program = subject.program().or(secret.program.as_ref()).ok_or_else(unknown)?;
        let source = Source::new(program, loaded, [&secret.input, &public], limits);
        let (claim, profile) = survey(source, subject.file_words(), settings)?;
        let mut run = Self::new(subject, public, claim, profile, settings)?;
        run.secret = Some(secret);
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
}

fn limit(error: crate::emulator::Error) -> Error {
    Error::Witness(error.to_string())
}

/// The error for a run of a secret program at a party that does not have it.
fn unknown() -> Error {
    Error::misuse("there is no program")
}

/// What a run begins with, and of a secret program its image.
fn load(subject: &Subject, secret: Option<&Program>) -> Result<(Loaded, Option<Image>), Error> {
    match (subject, secret) {
        (Subject::Public(program), _) => Ok((Loaded::of(program, &Regions::of(program)), None)),
        (Subject::Secret(bounds), Some(program)) => {
            Image::of(program, bounds).map(|(loaded, image)| (loaded, Some(image)))
        }
        (Subject::Secret(_), None) => Err(unknown()),
    }
}

/// Runs a program without proving. `live` words are in use from the start.
fn survey(mut source: Source<'_>, mut live: u64, settings: Settings) -> Result<(RunClaim, Profile), Error> {
    let mut profile = Profile::default();
    let (mut new, mut entries) = (0_u64, 0_u64);
    loop {
        let (segment, end) = source.next(settings.steps, settings.unit).map_err(limit)?;
        let words = segment.words.len() as u32;
        profile.segments.push(Counts { rows: segment.rows, words });
        (new, entries) = (new + segment.fresh.len() as u64, entries + u64::from(words));
        if end.is_some() || super::log::is_due(entries, live, settings.log) {
            profile.fresh.push(new);
            live += new;
            (new, entries) = (0, 0);
        }
        if let Some(end) = end {
            let journal = source.journal().to_vec();
            return Ok((RunClaim { end, journal }, profile));
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
        let (tables, watch) = (self.tables(), Watch(self.stages.as_deref()));
        let (mut source, image) = self.source()?;
        let (rom, mut log) = match self.subject.bounds() {
            None => (None, Log::new()),
            Some(bounds) => {
                let (rom, log) = secret_program::claim(b, &tables, bounds, image)?;
                (Some(rom), log)
            }
        };
        let mut checks = Checks::new(&self.profile, self.settings.log, self.subject.file_words());
        let mut boundary = self.start(b)?;
        let (mut place, mut fresh) = (self.entry().unwrap_or_default(), Zeroizing::default());
        for (counts, number) in self.profile.segments.iter().zip(1..) {
            watch.begin(Stage::Trace);
            let segment = match &mut source {
                Some(source) => {
                    let (segment, _) = source.next(self.settings.steps, self.settings.unit).map_err(limit)?;
                    if segment.rows != counts.rows || segment.words.len() != counts.words as usize {
                        return Err(strange().into());
                    }
                    #[cfg(test)]
                    let segment = {
                        let mut segment = segment;
                        self.meddle.iter().for_each(|meddle| meddle(number, &mut segment));
                        segment
                    };
                    Some(segment)
                }
                None => None,
            };
            let next = segment.as_ref().map(|segment| {
                room_for(&mut fresh, segment.fresh.len());
                fresh.extend_from_slice(&segment.fresh);
                segment.place
            });
            let exits =
                number as usize == self.profile.segments.len() && matches!(self.claim.end, End::Exit(_));
            let here = (counts, Place { number, exits });
            let of_tables = (&tables, rom.as_ref());
            boundary = segment::claim(b, of_tables, here, (boundary, place), segment, &mut log, watch)?;
            place = next.unwrap_or(place);
            if let Some(new) = checks.next() {
                watch.begin(Stage::Log);
                let known = source.as_ref().map(|source| (source, &fresh[..]));
                log.check(b, &tables, (checks.live as usize, new as usize), known)?;
                fresh.zeroize();
            }
        }
        watch.end();
        end::claim(b, &tables, &boundary, self.claim.end)
    }
}

impl ProgramRun {
    /// P's run, and of a secret program its image.
    fn source(&self) -> Result<(Option<Source<'_>>, Option<Image>), Error> {
        let Some(Secret { input, limits, program: secret }) = &self.secret else { return Ok((None, None)) };
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

    /// The address of the first instruction where it is known.
    fn entry(&self) -> Option<u32> {
        self.program().map(Program::entry)
    }

    /// What a run begins with. P commits to the length of the secret input, and where a secret program
    /// begins.
    fn start<B: Challenge<F61>>(&self, b: &mut B) -> Result<Boundary<B::Wire>, B::Error> {
        let mut values = Zeroizing::new(vec![F61::ZERO; REGISTERS]);
        let secret = self.secret.as_ref().map(|secret| F61::new(secret.input.len() as u64));
        values[2] = F61::new(STACK_POINTER.into());
        values[PUBLIC_LEFT as usize] = F61::new(self.public.len() as u64);
        let mut registers: Vec<_> = values.iter().map(|value| b.constant(*value)).collect();
        let mut length = Vec::new();
        commit(b, 1, secret.as_ref().map(core::slice::from_ref), &mut length)?;
        for wire in length {
            registers[SECRET_LEFT as usize] = wire;
        }
        values[SECRET_LEFT as usize] = secret.unwrap_or_default();
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
        Ok(Boundary { registers, values, place })
    }
}
