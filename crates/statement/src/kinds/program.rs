//! Runs of RISC-V programs.

use rand_core::CryptoRng;
use volery::programs::proof::{
    Bounds, ClassError, Ending, ProfileClass, ProgramRun, Progress as Steps, Settings, Subject, Terms,
};
use volery::programs::{Limits, Program, elf, emulator};
use volery::system::{Over, ProvesRuns};
use volery::{Error as SessionError, Estimate, Options, Profile, Prover, Verifier, estimate_run};
use volery_circuit::{Counts, Error as StatementError};
use volery_field::{F61, F61x2, Ring as _};

use super::{ELF, Loaded};
use crate::describe::{Described, ProgramInfo};
use crate::error::Error;
use crate::fields::Served as _;
use crate::instance::Instance;
use crate::named::{Named, Padding, Target};
use crate::progress::{Watch, Wire};
#[cfg(feature = "public")]
use crate::public::PublicStatement;
use crate::ran::Ran;
use crate::refusal::Refusal;
use crate::source::{Source, WitnessSource};
use crate::spelling::option;
use crate::system::{Correlations, Done, Known, Proved};
use crate::way::{Proving, RHO, Way};
use crate::words::{counted, short};

/// The kinds of network.
const PROFILES: [Profile; 2] = [Profile::Lan, Profile::Wan];

/// Bytes of a program's file, and of an input, at most.
const LARGEST: u64 = 1 << 28;

/// Bytes of a file with a profile class, at most.
const LARGEST_CLASS: u64 = 1 << 16;

/// A program, its public input, and what is claimed of its run.
pub struct RunOf {
    /// What is known of the program.
    pub subject: Subject,
    /// A secret program, which a verifier does not have.
    secret: Option<Program>,
    /// The public input.
    pub public: Vec<u8>,
    /// What a verifier demands.
    pub terms: Terms,
    steps: u64,
}

/// Such a statement.
struct Run {
    of: RunOf,
    /// P's run, once its secret input is known.
    run: Option<ProgramRun>,
}

impl Instance for Run {
    fn text(&self) -> String {
        self.of.text()
    }

    fn ring(&self) -> &'static str {
        F61::NAME
    }

    fn with_witness(self: Box<Self>, witness: &WitnessSource) -> Result<Box<dyn Instance>, Error> {
        let run = self.of.run(witness)?;
        Ok(Box::new(Self { run: Some(run), ..*self }))
    }

    fn complete(&self) -> Result<(), Error> {
        if self.of.secret.is_some() {
            return Err(Error::input(format!(
                "{}: a verifier does not have the program; leave out its name",
                option("secret-program")
            )));
        }
        Ok(())
    }

    fn pad(&mut self, padding: &Padding) -> Result<(), Error> {
        let Some(run) = &self.run else { return Ok(()) };
        let class = match padding {
            Padding::None => return Ok(()),
            Padding::Uniform => ProfileClass::of(run),
            Padding::To(steps) => ProfileClass::of(run).padded_to(*steps).map_err(too_long)?,
            Padding::Class(source) => read_class(source)?,
        };
        self.run = self.run.take().map(|run| run.in_class(&class)).transpose().map_err(does_not_fit)?;
        Ok(())
    }

    fn profile_class(&self, other: Option<&Source>, steps: Option<u64>) -> Result<String, Error> {
        let own = ProfileClass::of(self.run.as_ref().ok_or(Refusal::NotRun)?);
        let own = steps.map_or(Ok(own.clone()), |steps| own.padded_to(steps)).map_err(too_long)?;
        let Some(other) = other else { return Ok(own.to_json()) };
        let mut class = read_class(other)?;
        class.enlarge(&own).map_err(|error| of(&other.name(), error))?;
        Ok(class.to_json())
    }

    fn check(&self) -> Result<(), StatementError> {
        let run = self.run.as_ref().ok_or_else(|| StatementError::misuse("there is no secret input"))?;
        self.of.check(run)
    }

    /// Nobody counts a run: its profile says how large it is.
    fn count(&self) -> Result<Counts, StatementError> {
        Ok(Counts::default())
    }

    fn describe(&self) -> Result<Described, Error> {
        let RunOf { subject, secret, .. } = &self.of;
        let program = subject.program().or(secret.as_ref());
        Ok(ProgramInfo::of(self.text(), program, subject.bounds(), self.run.as_ref()))
    }

    /// Each challenge of a run tests at most 2^20 values over 61 bits, or is drawn twice.
    fn always(&self) -> u16 {
        F61::RHO
    }

    fn is_foreseen(&self) -> bool {
        false
    }

    /// Those of 40 bits: what the others cost is found out by as much work as a proof takes.
    fn ways(&self) -> Result<Vec<Way<'_>>, Refusal> {
        if self.run.is_some() {
            Ok(PROFILES.map(|profile| self.small(profile)).into())
        } else {
            Err(Refusal::NotRun)
        }
    }

    fn ways_for(&self, options: &Options) -> Result<Vec<Way<'_>>, Refusal> {
        if options.fiat_shamir {
            return Err(Refusal::RunsAreChallenged);
        }
        let ways = PROFILES.into_iter().flat_map(|profile| [self.small(profile), self.large(profile)]);
        Ok(ways.filter(|way| way.suits(options)).collect())
    }

    #[cfg(feature = "public")]
    fn public(&self) -> Result<Box<dyn PublicStatement + '_>, Refusal> {
        Err(Refusal::RunsHaveSessions)
    }
}

impl RunOf {
    /// The statement in words.
    #[must_use]
    pub fn text(&self) -> String {
        let program = match &self.subject {
            Subject::Public(program) => format!("the program {}", short(&program.digest(), 8)),
            Subject::Secret(bounds) => format!("a secret program of at most {} words", bounds.words),
        };
        format!("run of {program} that ends by {}", self.terms.ending)
    }

    /// P's run on this secret input.
    ///
    /// # Errors
    /// If the input cannot be read, or the run goes beyond its limits.
    pub fn run(&self, witness: &WitnessSource) -> Result<ProgramRun, Error> {
        let secret = witness.whole()?.content(LARGEST)?;
        let limits = Limits { steps: self.steps, ..Limits::default() };
        let inputs = [secret.to_vec(), self.public.clone()];
        let (settings, program) = (Settings::default(), self.secret.clone());
        let run = match &self.subject {
            Subject::Public(program) => ProgramRun::of(program.clone(), inputs, settings, limits),
            Subject::Secret(bounds) => {
                let missing = || Error::input("to prove a run of a secret program, name the program");
                ProgramRun::of_secret(program.ok_or_else(missing)?, *bounds, inputs, settings, limits)
            }
        };
        // Only what the emulator says of this limit is about the option.
        let steps = emulator::Error::Steps(self.steps).to_string();
        run.map_err(|error| match error.to_string() {
            reason if reason.ends_with(&steps) => {
                Error::input(format!("{reason}; {} changes it", option("max-steps")))
            }
            _ => error.into(),
        })
    }

    /// Checks that P's run ends as it is claimed to end.
    ///
    /// # Errors
    /// [`StatementError::Contradicted`] otherwise.
    pub fn check(&self, run: &ProgramRun) -> Result<(), StatementError> {
        let (end, claimed) = (run.claim().end, self.terms.ending);
        if !claimed.allows(end) {
            let place = format!("the program ended by {end}");
            return Err(StatementError::Contradicted { place, claimed: claimed.to_string() });
        }
        Ok(())
    }
}

impl Run {
    /// Over the field of MACs whose challenges leave 40 bits.
    fn small(&self, profile: Profile) -> Way<'_> {
        self.way(profile, Over::<F61, F61>::new(), F61::RHO)
    }

    /// Over the one whose challenges leave 100.
    fn large(&self, profile: Profile) -> Way<'_> {
        self.way(profile, Over::<F61, F61x2>::new(), RHO)
    }

    fn way<Y: ProvesRuns + Known + 'static>(&self, profile: Profile, system: Y, bits: u16) -> Way<'_> {
        Way {
            protocol: "quicksilver",
            profile,
            rho: F61::RHO,
            proving: Box::new(Proof { run: self, system }),
            worth: Box::new(move |_, _| bits.into()),
        }
    }
}

/// The proof of a run.
struct Proof<'a, Y> {
    run: &'a Run,
    system: Y,
}

impl<Y> Proof<'_, Y> {
    /// P's run.
    fn run(&self) -> Result<&ProgramRun, SessionError> {
        self.run.run.as_ref().ok_or_else(|| StatementError::misuse("there is no secret input").into())
    }
}

impl<Y: ProvesRuns + Known> Proving for Proof<'_, Y> {
    fn correlations(&self) -> &dyn Correlations {
        &self.system
    }

    fn estimate(&self, options: Options, watch: &Watch) -> Result<Estimate, SessionError> {
        let wrap = |channel| watch.wire(Box::new(channel), Y::pair().value_bits);
        estimate_run(wrap, options, self.system, &self.run()?.without_secret())
    }

    fn prove(&self, prover: &mut Prover<Wire>, watch: &Watch, rng: &mut dyn CryptoRng) -> Done {
        let run = self.run()?;
        let watch = |steps: Steps| watch.steps(steps.done, steps.total);
        let report = prover.prove_run_watched(self.system, run, &watch, rng)?;
        let claim = run.claim();
        Ok(Proved { report, run: Some(Ran::new(run.program(), claim.end, &claim.journal)) })
    }

    fn verify(&self, verifier: &mut Verifier<Wire>, watch: &Watch, rng: &mut dyn CryptoRng) -> Done {
        let RunOf { subject, public, terms, .. } = &self.run.of;
        let (about, settings) = ((subject, &public[..]), Settings::default());
        let watch = |steps: Steps| watch.steps(steps.done, steps.total);
        let (claim, report) =
            verifier.verify_run_watched(self.system, about, settings, terms, &watch, rng)?;
        Ok(Proved { report, run: Some(Ran::new(subject.program(), claim.end, &claim.journal)) })
    }
}

/// What `what` has wrong.
fn of(what: &str, error: impl core::fmt::Display) -> Error {
    Error::input(format!("{what}: {error}"))
}

/// The profile class in a file.
fn read_class(source: &Source) -> Result<ProfileClass, Error> {
    let text = source.content(LARGEST_CLASS)?;
    ProfileClass::from_json(&text).map_err(|error| of(&source.name(), error))
}

/// A run that is longer than what it is padded to.
fn too_long(error: ClassError) -> Error {
    match error {
        ClassError::Segments { segments, steps, .. } => {
            let pad_to = option("pad-to");
            let needed = segments.saturating_sub(1).saturating_mul(steps.into()).saturating_add(1);
            Error::input(format!(
                "{pad_to}: the run is longer: it has {} of {steps} steps; {pad_to} {needed} or more holds it",
                counted(segments, "segment")
            ))
        }
        // The number is the option's, and in no file.
        ClassError::Value { reason, .. } => Error::input(format!("{}: {reason}", option("pad-to"))),
        error => Error::input(error),
    }
}

/// A run that is not of a class.
fn does_not_fit(error: ClassError) -> Error {
    match error {
        ClassError::Segments { .. }
        | ClassError::Rows { .. }
        | ClassError::Words { .. }
        | ClassError::NewWords { .. } => Refusal::OtherClass { reason: error.to_string() }.into(),
        error => Error::input(error),
    }
}

/// Whether `named` names a program or the bounds of a secret one. A verifier names no secret program.
fn is_run(named: &Named) -> bool {
    let is_nameless = named.value("secret-program").is_some() && matches!(named.target, Target::None);
    named.any_of.is_empty() && (is_nameless || named.file().is_some_and(|file| file.begins_with(&ELF)))
}

/// The program that `named` names, or the bounds of a secret one, if it is about a program.
pub(super) fn load(named: &Named) -> Loaded {
    Ok(RunOf::load(named)?.map(|of| Box::new(Run { of, run: None }) as Box<dyn Instance>))
}

impl RunOf {
    /// What `named` says of a run, if it is about a program.
    ///
    /// # Errors
    /// If files cannot be read, or values are wrong.
    pub fn load(named: &Named) -> Result<Option<Self>, Error> {
        parse(named)
    }
}

fn parse(named: &Named) -> Result<Option<RunOf>, Error> {
    if let Some(branch) = named.any_of.iter().find(|branch| branch.circuit.begins_with(&ELF)) {
        return Err(Refusal::OneOfManyRuns { name: branch.circuit.name() }.into());
    }
    if !is_run(named) {
        return Ok(None);
    }
    let [exit, trap, max_steps, secret_program] = VALUES.map(|name| named.value(name));
    if let Some((name, _)) = named.values().iter().find(|(name, _)| !VALUES.contains(name)) {
        let (name, program) = (option(name), named.text());
        return Err(Error::input(format!("{name} is for built-in statements; {program} is a program")));
    }
    if named.field.is_some() || named.ring.is_some() {
        let [field, ring] = ["field", "ring"].map(option);
        return Err(Error::input(format!("{field} and {ring} are not for programs")));
    }
    if secret_program.is_some() && trap.is_some() {
        return Err(Error::input(format!("{}: a secret program has to exit", option("trap"))));
    }
    let bounds = secret_program.map(|words| number("secret-program", words)).transpose()?;
    let bounds = bounds.map(Bounds::usual);
    let program = named.file().map(file).transpose()?;
    let (subject, secret) = match (bounds, program) {
        (Some(bounds), program) => (Subject::from(bounds), program),
        (None, Some(program)) => (program.into(), None),
        (None, None) => return Ok(None),
    };
    subject.check()?;
    let public = named.public.as_ref().map(|source| source.content(LARGEST)).transpose()?;
    let public = public.map(|content| content.to_vec()).unwrap_or_default();
    let ending = match (exit, trap) {
        (_, Some(place)) => Ending::Trap(address(place)?),
        (Some(code), None) => Ending::Exit(number("exit", code)?),
        (None, None) => Ending::Exit(0),
    };
    let steps = max_steps.map_or(Ok(1_u64 << 32), |steps| number("max-steps", steps))?;
    // Rows that fill up, and bytes that calls move, are rows too.
    let terms = Terms { ending, rows: steps.saturating_mul(2).saturating_add(1 << 16), ..Terms::default() };
    Ok(Some(RunOf { subject, secret, public, terms, steps }))
}

/// The names of a program's public values.
const VALUES: [&str; 4] = ["exit", "trap", "max-steps", "secret-program"];

/// Reads the file of a program.
fn file(source: &Source) -> Result<Program, Error> {
    elf::parse(&source.content(LARGEST)?).map_err(|error| of(&source.name(), error))
}

fn number<N: core::str::FromStr<Err = core::num::ParseIntError>>(name: &str, text: &str) -> Result<N, Error> {
    text.parse().map_err(|error| of(&format!("{} {text}", option(name)), error))
}

/// An address in hexadecimal.
fn address(text: &str) -> Result<u32, Error> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let digits = Some(digits).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
    let address = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
    address.ok_or_else(|| of(&format!("{} {text}", option("trap")), "an address is up to 8 hex digits"))
}

/// As [`super::compute`]: a verifier needs no public file of a run.
pub(super) fn compute(named: &Named, _witness: &WitnessSource) -> Result<Option<String>, Error> {
    match is_run(named) || (named.any_of.is_empty() && named.value("secret-program").is_some()) {
        true => Err(Refusal::NoPublicFile.into()),
        false => Ok(None),
    }
}
