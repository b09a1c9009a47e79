//! Runs of RISC-V programs.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use rand_core::CryptoRng;
use volery::programs::proof::{Ending, ProgramRun, Settings, Terms};
use volery::programs::{Limits, Program, elf};
use volery::system::Over;
use volery::{Channel, Error, Estimate, Options, Profile, Prover, Rehearsal, Verifier, estimate_run};
use volery_circuit::{Counts, Error as StatementError};
use volery_field::{F61, Ring as _};

use super::refusal::Refusal;
use super::{Given, Loaded, short};
use crate::args::StatementArgs;
use crate::execute::LARGEST;
use crate::failure::Failure;
use crate::fields::Served as _;
use crate::info::{Described, ProgramInfo};
use crate::progress::Progress;
use crate::public::PublicStatement;
use crate::ran::Ran;
use crate::session::Wire;
use crate::source::Source;
use crate::system::{Correlations, Done, Proved};
use crate::way::{Proving, Way};

/// How ELF files begin.
const MAGIC: [u8; 4] = *b"\x7fELF";

/// A program, its public input, and what is claimed of its run.
struct Run {
    program: Program,
    public: Vec<u8>,
    terms: Terms,
    steps: u64,
    /// P's run, once its secret input is known.
    run: Option<ProgramRun>,
}

impl Given for Run {
    fn text(&self) -> String {
        let digest = short(&self.program.digest(), 8);
        format!("run of the program {digest} that ends by {}", self.terms.ending)
    }

    fn ring(&self) -> &'static str {
        F61::NAME
    }

    fn with_witness(self: Box<Self>, source: Source) -> Result<Box<dyn Given>, Failure> {
        let secret = source.content(LARGEST)?;
        let limits = Limits { steps: self.steps, ..Limits::default() };
        let inputs = [secret.to_vec(), self.public.clone()];
        let run = ProgramRun::of(self.program.clone(), inputs, Settings::default(), limits)?;
        Ok(Box::new(Self { run: Some(run), ..*self }))
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
        Ok(ProgramInfo::new(self.text(), &self.program, self.run.as_ref()).described())
    }

    /// Each challenge of a run tests at most 2^20 values over 61 bits, or is drawn twice.
    fn always(&self) -> u16 {
        F61::RHO
    }

    fn is_foreseen(&self) -> bool {
        false
    }

    fn ways(&self) -> Result<Vec<Way<'_>>, Refusal> {
        if self.run.is_some() { Ok(self.both()) } else { Err(Refusal::NotRun) }
    }

    fn ways_for(&self, options: &Options) -> Result<Vec<Way<'_>>, Refusal> {
        Ok(self.both().into_iter().filter(|way| way.suits(options)).collect())
    }

    fn public(&self) -> Result<Box<dyn PublicStatement + '_>, Refusal> {
        Err(Refusal::RunsHaveSessions)
    }
}

impl Run {
    /// For either kind of network.
    fn both(&self) -> Vec<Way<'_>> {
        let way = |profile| Way {
            protocol: "quicksilver",
            profile,
            rho: F61::RHO,
            proving: Box::new(Proof(self)),
            worth: Box::new(|_, _| F61::RHO.into()),
        };
        vec![way(Profile::Lan), way(Profile::Wan)]
    }
}

/// The proof of a run.
struct Proof<'a>(&'a Run);

impl Proof<'_> {
    /// P's run.
    fn run(&self) -> Result<&ProgramRun, Error> {
        self.0.run.as_ref().ok_or_else(|| StatementError::misuse("there is no secret input").into())
    }
}

impl Proving for Proof<'_> {
    fn correlations(&self) -> &dyn Correlations {
        const { &Over::<F61, F61>::new() }
    }

    fn estimate(&self, options: Options, progress: &Progress) -> Result<Estimate, Error> {
        let wrap = |channel: Rehearsal| progress.watch(Box::new(channel) as Box<dyn Channel + Send>);
        estimate_run(wrap, options, &self.run()?.without_secret())
    }

    fn prove(&self, prover: &mut Prover<Wire>, rng: &mut dyn CryptoRng) -> Done {
        let run = self.run()?;
        let report = prover.prove_run(run, rng)?;
        let claim = run.claim();
        Ok(Proved { report, run: Some(Ran::new(run.program(), claim.end, &claim.journal)) })
    }

    fn verify(&self, verifier: &mut Verifier<Wire>, rng: &mut dyn CryptoRng) -> Done {
        let Run { program, public, terms, .. } = self.0;
        let (claim, report) = verifier.verify_run((program, public), Settings::default(), terms, rng)?;
        Ok(Proved { report, run: Some(Ran::new(program, claim.end, &claim.journal)) })
    }
}

/// Whether there is a regular file of this name that begins like an ELF file.
fn is_program(path: &Path) -> bool {
    // Not a pipe: bytes that are read here would be missing later.
    if !path.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return false;
    }
    let mut start = [0; MAGIC.len()];
    File::open(path).is_ok_and(|mut file| file.read_exact(&mut start).is_ok()) && start == MAGIC
}

/// The program that `args` name, if they name one.
pub(super) fn load(args: &StatementArgs) -> Loaded {
    let path = Path::new(&args.name);
    if !args.any_of.is_empty() || !is_program(path) {
        return Ok(None);
    }
    let StatementArgs { exit, trap, max_steps, .. } = args;
    let own = ["exit", "trap", "max-steps"];
    if let Some((name, _)) = args.values().iter().find(|(name, _)| !own.contains(name)) {
        return Err(Failure::input(format!(
            "--{name} is for built-in statements; {} is a program",
            args.text()
        )));
    }
    if args.field.is_some() || args.ring.is_some() {
        return Err(Failure::input("--field and --ring are not for programs"));
    }
    let program = elf::parse(&Source::of(path).content(LARGEST)?);
    let program = program.map_err(|error| Failure::input(error).of(&args.text()))?;
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
    Ok(Some(Box::new(Run { program, public, terms, steps, run: None })))
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
    if !args.any_of.is_empty() || !is_program(Path::new(&args.name)) {
        return Ok(None);
    }
    Err(Failure::input(
        "a program needs no public file besides its public input; `volery run` shows how it ends and what it writes",
    ))
}
