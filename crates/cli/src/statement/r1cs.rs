//! Constraint systems from `.r1cs` files: a single one, or one of several (`--any-of`). The prime in the file
//! picks the field.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use volery_circuit::choose::Whole;
use volery_circuit::r1cs::{Assignment, Header, PrimeField, R1cs, R1csStatement, read_public, write_public};
use volery_circuit::{Choose, Counts, Error as StatementError, Evaluator, Prove, forward_statement};
use volery_zk::disjunction::AnyOf;

use super::branches::{branch_file, split};
use super::refusal::Refusal;
use super::{Given, Loaded, begins_with, none_given, short};
use crate::args::{DisjunctionArg, StatementArgs};
use crate::failure::Failure;
use crate::fields::{self, InPrimeField, Served};
use crate::info::{Described, FieldInfo};
use crate::output::counted;
use crate::public::{OverRing, PublicStatement};
use crate::source::Source;
use crate::way::Way;

/// How `.r1cs` files begin.
const MAGIC: [u8; 4] = *b"r1cs";

/// A system with its public values.
#[derive(Clone)]
struct Constraints<F: PrimeField> {
    statement: R1csStatement<F>,
    system: Arc<R1cs<F>>,
    /// Whether the public values are known: without `--public` they come with the witness.
    complete: bool,
}

forward_statement! {
    impl [F: PrimeField, B: Prove<F>] Statement<B> for Constraints<F> {
        Self { statement, .. } => statement,
    }
}

impl<F: Served + PrimeField> Constraints<F> {
    /// The system with the public values that this source has, if there is one.
    fn new(system: Arc<R1cs<F>>, public: Option<(&mut dyn Read, &str)>) -> Result<Self, Failure> {
        let counts = system.header().counts;
        let complete = public.is_some() || counts.public() == 0;
        let public = match public {
            Some((source, name)) => read_public(source, name, &counts)?,
            // These are for counting only, unless there are no public values.
            None => vec![F::ZERO; counts.public()],
        };
        let statement = R1csStatement::new(Arc::clone(&system), public)?;
        Ok(Self { statement, system, complete })
    }

    fn with_assignment(self, source: &Source) -> Result<Self, Failure> {
        let Self { statement, system, complete } = self;
        let assignment = read_assignment(&system, source)?;
        let statement = if complete {
            statement.with_assignment(assignment)?
        } else {
            R1csStatement::prove(Arc::clone(&system), assignment)?
        };
        Ok(Self { statement, system, complete: true })
    }
}

/// The values of all wires of a system.
fn read_assignment<F: PrimeField>(system: &R1cs<F>, source: &Source) -> Result<Assignment<F>, Failure> {
    let most = u64::from(system.header().counts.wires) * F::BYTES as u64 + Source::SLACK;
    Ok(Assignment::read(source.seekable(most)?, &source.name())?)
}

impl<F: Served + PrimeField> Given for Constraints<F> {
    fn text(&self) -> String {
        let (hash, header) = (short(&self.system.hash(), 8), self.system.header());
        let constraints = counted(header.constraints.into(), "constraint");
        format!("r1cs of {constraints} over {} with BLAKE3 hash {hash}", header.prime)
    }

    fn ring(&self) -> &'static str {
        F::NAME
    }

    fn with_witness(self: Box<Self>, source: Source) -> Result<Box<dyn Given>, Failure> {
        Ok(Box::new(self.with_assignment(&source)?))
    }

    fn complete(&self) -> Result<(), Failure> {
        if self.complete {
            return Ok(());
        }
        let counts = self.system.header().counts;
        Err(Failure::input(format!(
            "a verifier needs --public public.json: the values of {} and {}",
            counted(counts.outputs.into(), "output"),
            counted(counts.public_inputs.into(), "public input")
        )))
    }

    fn check(&self) -> Result<(), StatementError> {
        Evaluator::<F>::check(self)
    }

    fn count(&self) -> Result<Counts, StatementError> {
        fields::count::<F>(self)
    }

    fn describe(&self) -> Result<Described, Failure> {
        FieldInfo::of::<F>(self.text(), self)
    }

    fn ways(&self) -> Result<Vec<Way<'_>>, Refusal> {
        Ok(Way::over_field::<F, _>(self))
    }

    fn public(&self) -> Result<Box<dyn PublicStatement + '_>, Refusal> {
        Ok(OverRing::<F, _>::boxed(self))
    }
}

/// The constraint system that `args` name, or several, if they name files of them.
pub(super) fn load(args: &StatementArgs) -> Loaded {
    in_field(args, Load { args })
}

/// As [`super::compute`].
pub(super) fn compute(args: &StatementArgs, witness: &Source) -> Result<Option<String>, Failure> {
    in_field(args, Compute { args, witness })
}

/// Runs `what` over the field of the first constraint system that `args` name, if they name one.
fn in_field<T>(
    args: &StatementArgs,
    what: impl InPrimeField<Output = Result<T, Failure>>,
) -> Result<Option<T>, Failure> {
    let path = args.any_of.first().map_or(Path::new(&args.name), |branch| split(branch).0);
    if !is_system(path) {
        return Ok(None);
    }
    if args.disjunction == Some(DisjunctionArg::Macncheese) {
        let reason =
            "--disjunction macncheese is for Bristol files; one of several r1cs files is proved by Robin";
        return Err(Failure::input(reason));
    }
    args.no_values("a file")?;
    let prime = Header::open(path)?.prime;
    let not_served = || Failure::input(format!("{}: {prime} is not a supported prime", path.display()));
    fields::of_prime(prime, what).ok_or_else(not_served)?.map(Some)
}

/// Whether a file begins like a constraint system.
pub(super) fn is_system(path: &Path) -> bool {
    begins_with(path, &MAGIC)
}

/// The task of opening files over the field of their prime.
struct Load<'a> {
    args: &'a StatementArgs,
}

impl InPrimeField for Load<'_> {
    type Output = Result<Box<dyn Given>, Failure>;

    fn over<F: Served + PrimeField>(self) -> Self::Output {
        let Self { args } = self;
        if args.any_of.is_empty() {
            let system = Arc::new(R1cs::<F>::open(&args.name)?);
            let Some(public) = args.public() else { return Ok(Box::new(Constraints::new(system, None)?)) };
            let values = Some((&mut public.open()? as &mut dyn Read, &*public.name()));
            return Ok(Box::new(Constraints::new(system, values)?));
        }
        let other = args.at_least.filter(|least| *least > 1).map(|_| "--at-least");
        if let Some(option) = other.or(args.repeat.map(|_| "--repeat")) {
            return Err(Failure::input(format!(
                "{option} is for Bristol files; one of several r1cs files is proved once"
            )));
        }
        let systems = args.any_of.iter().map(|branch| {
            let (path, own) = split(branch);
            Ok((Arc::new(R1cs::<F>::open(path)?), own))
        });
        let systems = systems.collect::<Result<Vec<_>, Failure>>()?;
        // The shared public file is read once, since it may be a pipe.
        let public = systems.iter().map(|(system, _)| system.header().counts.public() as u64).max();
        let most = VALUE_BYTES.saturating_mul(public.unwrap_or_default());
        let shared = match args.public() {
            Some(public) if systems.iter().any(|(_, own)| own.is_none()) => Some(public.shared(most)?),
            _ => None,
        };
        let systems = systems.into_iter().map(|(system, own)| match (own.map(Source::of), &shared) {
            (Some(own), _) => Constraints::new(system, Some((&mut own.open()?, &own.name()))),
            (None, Some(shared)) => Constraints::new(system, Some((&mut &shared.content[..], &shared.name))),
            (None, None) => Constraints::new(system, None),
        });
        let systems = systems.collect::<Result<Vec<_>, _>>()?;
        Ok(Box::new(Several::new(systems, None)?))
    }
}

/// Bytes that a public value may take in its file.
const VALUE_BYTES: u64 = 256;

/// The task of taking public values from an assignment, over the field of a file's prime.
struct Compute<'a> {
    args: &'a StatementArgs,
    witness: &'a Source,
}

impl InPrimeField for Compute<'_> {
    type Output = Result<String, Failure>;

    fn over<F: Served + PrimeField>(self) -> Self::Output {
        let Self { args, witness } = self;
        none_given(args)?;
        let (path, source) = match args.any_of.is_empty() {
            true => (Path::new(&args.name), witness.clone()),
            false => {
                let (choice, path) = branch_file(witness)?;
                let branch =
                    args.any_of.get(choice).ok_or_else(|| no_branch(witness, choice, args.any_of.len()))?;
                (split(branch).0, Source::File(path))
            }
        };
        let system = Arc::new(R1cs::<F>::open(path)?);
        let assignment = read_assignment(&system, &source)?;
        let statement = R1csStatement::prove(system, assignment)?;
        // Values that violate a constraint are no outputs of the system.
        Evaluator::<F>::check(&statement)?;
        let mut text = Vec::new();
        write_public(statement.public(), &mut text).map_err(Failure::session)?;
        String::from_utf8(text).map_err(Failure::session)
    }
}

/// The failure that a witness is for a branch that does not exist.
fn no_branch(source: &Source, choice: usize, count: usize) -> Failure {
    let name = source.name();
    Failure::input(format!("{name}: branch {choice} of {count}; they count from 0"))
}

/// One of several systems.
struct Several<F: PrimeField> {
    systems: Vec<Constraints<F>>,
    statement: AnyOf<F, Constraints<F>>,
}

impl<F: Served + PrimeField> Several<F> {
    /// One of these systems; the one with the number `choice` has a witness.
    fn new(systems: Vec<Constraints<F>>, choice: Option<usize>) -> Result<Self, Failure> {
        let statement = AnyOf::new(systems.clone())?;
        let statement = match choice {
            Some(choice) => statement.with_choice(choice)?,
            None => statement,
        };
        Ok(Self { systems, statement })
    }
}

forward_statement! {
    impl [F: Served + PrimeField, B: Choose<F, Whole<Constraints<F>>>] Statement<B> for Several<F> {
        Self { statement, .. } => statement,
    }
}

impl<F: Served + PrimeField> Given for Several<F> {
    fn text(&self) -> String {
        let texts: Vec<String> = self.systems.iter().map(Given::text).collect();
        format!("one of {}: {}", self.systems.len(), texts.join("; "))
    }

    fn ring(&self) -> &'static str {
        F::NAME
    }

    /// The first line of the file says which system holds, `branch N`; the next one names its `.wtns` file.
    fn with_witness(self: Box<Self>, source: Source) -> Result<Box<dyn Given>, Failure> {
        self.complete()?;
        let mut systems = self.systems;
        let (choice, path) = branch_file(&source)?;
        let count = systems.len();
        let system = systems.get_mut(choice).ok_or_else(|| no_branch(&source, choice, count))?;
        *system = system.clone().with_assignment(&Source::File(path))?;
        Ok(Box::new(Self::new(systems, Some(choice))?))
    }

    fn complete(&self) -> Result<(), Failure> {
        self.systems.iter().try_for_each(Given::complete)
    }

    fn check(&self) -> Result<(), StatementError> {
        Evaluator::<F>::check(self)
    }

    fn count(&self) -> Result<Counts, StatementError> {
        fields::count::<F>(self)
    }

    fn describe(&self) -> Result<Described, Failure> {
        FieldInfo::of::<F>(self.text(), self)
    }

    fn ways(&self) -> Result<Vec<Way<'_>>, Refusal> {
        Ok(Way::over_field::<F, _>(self))
    }
}
