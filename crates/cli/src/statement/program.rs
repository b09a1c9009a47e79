//! Runs of RISC-V programs.

use std::path::Path;

use rand_core::CryptoRng;
use volery::programs::proof::{
    Bounds, ClassError, Ending, ProfileClass, ProgramRun, Settings, Subject, Terms,
};
use volery::programs::{Limits, Program, elf, emulator};
use volery::system::{Over, ProvesRuns};
use volery::{Channel, Error, Estimate, Options, Profile, Prover, Rehearsal, Verifier, estimate_run};
use volery_circuit::{Counts, Error as StatementError};
use volery_field::{F61, F61x2, Ring as _};

use super::branches::split;
use super::refusal::Refusal;
use super::{Given, Loaded, begins_with, short};
use crate::args::{Padding, StatementArgs};
use crate::execute::LARGEST;
use crate::failure::Failure;
use crate::fields::Served as _;
use crate::info::{Described, ProgramInfo};
use crate::output::counted;
use crate::progress::Progress;
use crate::public::PublicStatement;
use crate::ran::Ran;
use crate::session::Wire;
use crate::source::Source;
use crate::system::{Correlations, Done, Known, Proved};
use crate::terminal;
use crate::way::{Proving, RHO, Way};

/// The kinds of network.
const PROFILES: [Profile; 2] = [Profile::Lan, Profile::Wan];

/// How ELF files begin.
const MAGIC: [u8; 4] = *b"\x7fELF";

/// A program, its public input, and what is claimed of its run.
struct Run {
    subject: Subject,
    /// A secret program, which a verifier does not have.
    secret: Option<Program>,
    public: Vec<u8>,
    terms: Terms,
    steps: u64,
    /// P's run, once its secret input is known.
    run: Option<ProgramRun>,
}

impl Given for Run {
    fn text(&self) -> String {
        let program = match &self.subject {
            Subject::Public(program) => format!("the program {}", short(&program.digest(), 8)),
            Subject::Secret(bounds) => format!("a secret program of at most {} words", bounds.words),
        };
        format!("run of {program} that ends by {}", self.terms.ending)
    }

    fn ring(&self) -> &'static str {
        F61::NAME
    }

    fn with_witness(self: Box<Self>, source: Source) -> Result<Box<dyn Given>, Failure> {
        let secret = source.content(LARGEST)?;
        let limits = Limits { steps: self.steps, ..Limits::default() };
        let inputs = [secret.to_vec(), self.public.clone()];
        let (settings, program) = (Settings::default(), self.secret.clone());
        let run = || match &self.subject {
            Subject::Public(program) => Ok(ProgramRun::of(program.clone(), inputs, settings, limits)?),
            Subject::Secret(bounds) => {
                let missing = || Failure::input("whoever proves a run of a secret program names the program");
                Ok(ProgramRun::of_secret(program.ok_or_else(missing)?, *bounds, inputs, settings, limits)?)
            }
        };
        let run: Result<_, Failure> = terminal::during("running the program", run);
        // Only what the emulator says of this limit is about the option.
        let steps = emulator::Error::Steps(self.steps).to_string();
        let run = run.map_err(|failure| match failure {
            Failure::Input(reason) if reason.ends_with(&steps) => {
                Failure::Input(format!("{reason}; --max-steps changes it"))
            }
            failure => failure,
        });
        Ok(Box::new(Self { run: Some(run?), ..*self }))
    }

    fn complete(&self) -> Result<(), Failure> {
        if self.secret.is_some() {
            return Err(Failure::input(
                "--secret-program: a verifier does not have the program; leave out its name",
            ));
        }
        Ok(())
    }

    fn pad(&mut self, padding: Padding<'_>) -> Result<(), Failure> {
        let Some(run) = &self.run else { return Ok(()) };
        let own = ProfileClass::of(run);
        let class = match padding {
            Padding::None => return Ok(()),
            Padding::Uniform => own,
            Padding::To(steps) => own.padded_to(steps).map_err(too_long)?,
            Padding::Class(path) => read_class(path)?,
            Padding::Write(path, steps) => {
                let own = steps.map_or(Ok(own.clone()), |steps| own.padded_to(steps)).map_err(too_long)?;
                write_class(path, own)?
            }
        };
        self.run = self.run.take().map(|run| run.in_class(&class)).transpose().map_err(does_not_fit)?;
        Ok(())
    }

    fn check(&self) -> Result<(), StatementError> {
        let run = self.run.as_ref().ok_or_else(|| StatementError::misuse("there is no secret input"))?;
        let (end, claimed) = (run.claim().end, self.terms.ending);
        if !claimed.allows(end) {
            let place = format!("the program ended by {end}");
            return Err(StatementError::Contradicted { place, claimed: claimed.to_string() });
        }
        Ok(())
    }

    /// Nobody counts a run: its profile says how large it is.
    fn count(&self) -> Result<Counts, StatementError> {
        Ok(Counts::default())
    }

    fn describe(&self) -> Result<Described, Failure> {
        let program = self.subject.program().or(self.secret.as_ref());
        let info = ProgramInfo::new(self.text(), program, self.subject.bounds(), self.run.as_ref());
        Ok(info.described())
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

    fn public(&self) -> Result<Box<dyn PublicStatement + '_>, Refusal> {
        Err(Refusal::RunsHaveSessions)
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
    fn run(&self) -> Result<&ProgramRun, Error> {
        self.run.run.as_ref().ok_or_else(|| StatementError::misuse("there is no secret input").into())
    }
}

impl<Y: ProvesRuns + Known> Proving for Proof<'_, Y> {
    fn correlations(&self) -> &dyn Correlations {
        &self.system
    }

    fn estimate(&self, options: Options, progress: &Progress) -> Result<Estimate, Error> {
        let wrap = |channel: Rehearsal| progress.watch(Box::new(channel) as Box<dyn Channel + Send>);
        estimate_run(wrap, options, self.system, &self.run()?.without_secret())
    }

    fn prove(&self, prover: &mut Prover<Wire>, progress: &Progress, rng: &mut dyn CryptoRng) -> Done {
        let run = self.run()?;
        let report = prover.prove_run_watched(self.system, run, &|steps| progress.steps(steps), rng)?;
        let claim = run.claim();
        Ok(Proved { report, run: Some(Ran::new(run.program(), claim.end, &claim.journal)) })
    }

    fn verify(&self, verifier: &mut Verifier<Wire>, progress: &Progress, rng: &mut dyn CryptoRng) -> Done {
        let Run { subject, public, terms, .. } = self.run;
        let (about, settings) = ((subject, &public[..]), Settings::default());
        let watch = |steps| progress.steps(steps);
        let verified = verifier.verify_run_watched(self.system, about, settings, terms, &watch, rng);
        let (claim, report) = verified.map_err(with_option)?;
        Ok(Proved { report, run: Some(Ran::new(subject.program(), claim.end, &claim.journal)) })
    }
}

/// Says which option accepts a run that is more work than the verifier's terms allow.
fn with_option(error: Error) -> Error {
    match error {
        Error::Proof(volery_zk::Error::Rejected { reason }) if reason.starts_with(Terms::TOO_LONG) => {
            let reason = format!("{reason}; --max-steps raises it, to about half of that");
            Error::Proof(volery_zk::Error::Rejected { reason })
        }
        error => error,
    }
}

/// Bytes of a file with a profile class, at most.
const LARGEST_CLASS: u64 = 1 << 16;

/// The profile class in a file.
fn read_class(path: &Path) -> Result<ProfileClass, Failure> {
    let text = Source::File(path.to_owned()).content(LARGEST_CLASS)?;
    ProfileClass::from_json(&text).map_err(|error| Failure::input(error).of(&path.display().to_string()))
}

/// Writes a profile class, or enlarges the one in the file by it. Returns what is in the file then.
fn write_class(path: &Path, own: ProfileClass) -> Result<ProfileClass, Failure> {
    let failed = |error: &dyn core::fmt::Display| Failure::input(error).of(&path.display().to_string());
    let class = match path.try_exists() {
        Ok(false) => own,
        Ok(true) => {
            let mut class = read_class(path)?;
            class.enlarge(&own).map_err(|error| failed(&error))?;
            class
        }
        Err(error) => return Err(failed(&error)),
    };
    std::fs::write(path, class.to_json()).map_err(|error| failed(&error))?;
    Ok(class)
}

/// A run that is longer than what it is padded to.
fn too_long(error: ClassError) -> Failure {
    match error {
        ClassError::Segments { segments, steps, .. } => Failure::input(format!(
            "--pad-to: the run is longer: it has {} of {steps} steps; --pad-to {} or more holds it",
            counted(segments, "segment"),
            segments.saturating_sub(1).saturating_mul(steps.into()).saturating_add(1)
        )),
        // The number is the option's, and in no file.
        ClassError::Value { reason, .. } => Failure::input(format!("--pad-to: {reason}")),
        error => Failure::input(error),
    }
}

/// A run that is not of a class.
fn does_not_fit(error: ClassError) -> Failure {
    match error {
        ClassError::Segments { .. }
        | ClassError::Rows { .. }
        | ClassError::Words { .. }
        | ClassError::NewWords { .. } => Failure::input(format!(
            "{error}; `volery info --write-profile-class` enlarges the class, and then its runs show more"
        )),
        error => Failure::input(error),
    }
}

/// The program that `args` name, or the bounds of a secret one, if they are about a program.
pub(super) fn load(args: &StatementArgs) -> Loaded {
    let path = Path::new(&args.name);
    // A verifier names no secret program.
    let is_nameless = args.secret_program.is_some() && args.name.is_empty();
    if let Some(name) = args.any_of.iter().map(|of| split(of).0).find(|path| begins_with(path, &MAGIC)) {
        return Err(Refusal::OneOfManyRuns { name: name.display().to_string() }.into());
    }
    if !args.any_of.is_empty() || !(is_nameless || begins_with(path, &MAGIC)) {
        return Ok(None);
    }
    let StatementArgs { exit, trap, max_steps, secret_program, .. } = args;
    let own = ["exit", "trap", "max-steps", "secret-program"];
    if let Some((name, _)) = args.values().iter().find(|(name, _)| !own.contains(name)) {
        return Err(Failure::input(format!(
            "--{name} is for built-in statements; {} is a program",
            args.text()
        )));
    }
    if args.field.is_some() || args.ring.is_some() {
        return Err(Failure::input("--field and --ring are not for programs"));
    }
    if secret_program.is_some() && trap.is_some() {
        return Err(Failure::input("--trap: a secret program has to exit"));
    }
    let bounds = secret_program.as_ref().map(|words| number("secret-program", words)).transpose()?;
    let bounds = bounds.map(Bounds::usual);
    let program = if is_nameless { None } else { Some(file(path, args)?) };
    let (subject, secret) = match (bounds, program) {
        (Some(bounds), program) => (Subject::from(bounds), program),
        (None, Some(program)) => (program.into(), None),
        (None, None) => return Ok(None),
    };
    subject.check()?;
    let public = args.public().map(|source| source.content(LARGEST)).transpose()?;
    let public = public.map(|content| content.to_vec()).unwrap_or_default();
    let ending = match (exit, trap) {
        (_, Some(place)) => Ending::Trap(address(place)?),
        (Some(code), None) => Ending::Exit(number("exit", code)?),
        (None, None) => Ending::Exit(0),
    };
    let steps = max_steps.as_ref().map_or(Ok(1_u64 << 32), |steps| number("max-steps", steps))?;
    // Rows that fill up, and bytes that calls move, are rows too.
    let terms = Terms { ending, rows: steps.saturating_mul(2).saturating_add(1 << 16), ..Terms::default() };
    Ok(Some(Box::new(Run { subject, secret, public, terms, steps, run: None })))
}

/// Reads the file of a program.
fn file(path: &Path, args: &StatementArgs) -> Result<Program, Failure> {
    elf::parse(&Source::of(path).content(LARGEST)?).map_err(|error| Failure::input(error).of(&args.text()))
}

fn number<N: core::str::FromStr<Err = core::num::ParseIntError>>(
    name: &str,
    text: &str,
) -> Result<N, Failure> {
    text.parse().map_err(|error| Failure::input(format!("--{name} {text}: {error}")))
}

/// An address in hexadecimal.
fn address(text: &str) -> Result<u32, Failure> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let digits = Some(digits).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
    let address = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
    address.ok_or_else(|| Failure::input(format!("--trap {text}: an address is up to 8 hex digits")))
}

/// As [`super::compute`]: a verifier needs no public file of a run.
pub(super) fn compute(args: &StatementArgs, _witness: &Source) -> Result<Option<String>, Failure> {
    let is_secret = args.secret_program.is_some();
    if !args.any_of.is_empty() || !(is_secret || begins_with(Path::new(&args.name), &MAGIC)) {
        return Ok(None);
    }
    Err(Failure::input(
        "a program needs no public file besides its public input; `volery run` shows how it ends and what it writes",
    ))
}
