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
use super::trace::{REGISTERS, Source};
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

/// "I know a secret input with which this program, given this public input, ends so and writes this."
///
/// What shows besides the claim is the [`Profile`].
pub struct ProgramRun {
    pub(super) program: Program,
    public: Vec<u8>,
    pub(super) claim: RunClaim,
    pub(super) profile: Profile,
    settings: Settings,
    secret: Option<(Zeroizing<Vec<u8>>, Limits)>,
    /// The clock of a run that is measured.
    stages: Option<Arc<Stages>>,
    /// What P changes in each segment before it commits.
    #[cfg(test)]
    pub(super) meddle: Option<Meddle>,
    /// Another program and public input, whose run P takes for this one's.
    #[cfg(test)]
    pub(super) traced: Option<(Program, Vec<u8>)>,
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
        settings.check()?;
        check_program(&program)?;
        let secret = Zeroizing::new(secret);
        check_input("secret input", &secret)?;
        let (claim, profile) = survey(&program, [&secret, &public], settings, limits)?;
        let mut run = Self::new(program, public, claim, profile, settings)?;
        run.secret = Some((secret, limits));
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
}

fn limit(error: crate::emulator::Error) -> Error {
    Error::Witness(error.to_string())
}

/// Runs a program without proving.
fn survey(
    program: &Program,
    inputs: [&[u8]; 2],
    settings: Settings,
    limits: Limits,
) -> Result<(RunClaim, Profile), Error> {
    let mut source = Source::new(program, &Regions::of(program), inputs, limits);
    let mut profile = Profile::default();
    let (mut new, mut entries, mut live) = (0_u64, 0_u64, file_words(program).count() as u64);
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
        let (tables, watch) = (self.tables(), Watch(self.stages.as_deref()));
        let mut source = self.secret.as_ref().map(|(secret, limits)| {
            let (program, public) = (&self.program, &self.public[..]);
            #[cfg(test)]
            let (program, public) =
                self.traced.as_ref().map_or((program, public), |(program, public)| (program, &public[..]));
            let source = Source::new(program, &tables.regions, [secret, public], *limits);
            #[cfg(test)]
            let source = source.with_text_of(&self.program);
            source
        });
        let mut log = Log::new();
        let mut checks =
            Checks::new(&self.profile, self.settings.log, file_words(&self.program).count() as u64);
        let mut boundary = self.start(b)?;
        let (mut place, mut fresh) = (self.program.entry(), Zeroizing::default());
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
            boundary = segment::claim(b, &tables, here, (boundary, place), segment, &mut log, watch)?;
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
    /// What a run begins with. P commits to the length of the secret input.
    fn start<B: Challenge<F61>>(&self, b: &mut B) -> Result<Boundary<B::Wire>, B::Error> {
        let mut values = Zeroizing::new(vec![F61::ZERO; REGISTERS]);
        let secret = self.secret.as_ref().map(|(secret, _)| F61::new(secret.len() as u64));
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
