//! Constraint systems from `.r1cs` files: a single one, or one of several. The prime in the file picks the
//! field.

use std::io::Read;
use std::sync::Arc;

use volery_circuit::choose::Whole;
use volery_circuit::r1cs::{Assignment, PrimeField, R1cs, R1csStatement, read_public, write_public};
use volery_circuit::{Choose, Counts, Error as StatementError, Evaluator, Prove, forward_statement};
use volery_zk::disjunction::AnyOf;

use super::Loaded;
use super::branches::one_branch;
use crate::describe::{Described, FieldInfo};
use crate::error::Error;
use crate::fields::{self, InPrimeField, Served};
use crate::instance::Instance;
use crate::named::{Disjunction, Named};
#[cfg(feature = "public")]
use crate::public::{OverRing, PublicStatement};
use crate::refusal::Refusal;
use crate::source::{Source, WitnessSource};
use crate::spelling::{Opt, REPEAT, option};
use crate::way::Way;
use crate::words::{counted, short};

/// How `.r1cs` files begin.
const MAGIC: [u8; 4] = *b"r1cs";

/// A system with its public values.
#[derive(Clone)]
struct Constraints<F: PrimeField> {
    statement: R1csStatement<F>,
    system: Arc<R1cs<F>>,
    /// Whether the public values are known: without a public file they come with the witness.
    complete: bool,
}

forward_statement! {
    impl [F: PrimeField, B: Prove<F>] Statement<B> for Constraints<F> {
        Self { statement, .. } => statement,
    }
}

impl<F: Served + PrimeField> Constraints<F> {
    /// The system with the public values that this source has, if there is one.
    fn new(system: Arc<R1cs<F>>, public: Option<(&mut dyn Read, &str)>) -> Result<Self, Error> {
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

    fn with_assignment(self, source: &Source) -> Result<Self, Error> {
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
fn read_assignment<F: PrimeField>(system: &R1cs<F>, source: &Source) -> Result<Assignment<F>, Error> {
    let most = u64::from(system.header().counts.wires) * F::BYTES as u64 + Source::SLACK;
    Ok(Assignment::read(source.seekable(most)?, &source.name())?)
}

impl<F: Served + PrimeField> Instance for Constraints<F> {
    fn text(&self) -> String {
        let (hash, header) = (short(&self.system.hash(), 8), self.system.header());
        let constraints = counted(header.constraints.into(), "constraint");
        format!("r1cs of {constraints} over {} with BLAKE3 hash {hash}", header.prime)
    }

    fn ring(&self) -> &'static str {
        F::NAME
    }

    fn with_witness(self: Box<Self>, witness: &WitnessSource) -> Result<Box<dyn Instance>, Error> {
        Ok(Box::new(self.with_assignment(witness.whole()?)?))
    }

    fn complete(&self) -> Result<(), Error> {
        if self.complete {
            return Ok(());
        }
        let counts = self.system.header().counts;
        Err(Error::input(format!(
            "a verifier needs {}: the values of {} and {}",
            Opt("public", "public.json"),
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

    fn describe(&self) -> Result<Described, Error> {
        FieldInfo::of::<F>(self.text(), self)
    }

    fn ways(&self) -> Result<Vec<Way<'_>>, Refusal> {
        Ok(Way::over_field::<F, _>(self))
    }

    #[cfg(feature = "public")]
    fn public(&self) -> Result<Box<dyn PublicStatement + '_>, Refusal> {
        Ok(OverRing::<F, _>::boxed(self))
    }
}

/// The constraint system that `named` names, or several, if it names files of them.
pub(super) fn load(named: &Named) -> Loaded {
    in_field(named, Load { named })
}

/// As [`super::compute`].
pub(super) fn compute(named: &Named, witness: &WitnessSource) -> Result<Option<String>, Error> {
    in_field(named, Compute { named, witness })
}

/// Runs `what` over the field of the first constraint system that `named` names, if it names one.
fn in_field<T>(
    named: &Named,
    what: impl InPrimeField<Output = Result<T, Error>>,
) -> Result<Option<T>, Error> {
    let first = named.any_of.first().map(|branch| &branch.circuit).or(named.file());
    let Some(file) = first.filter(|file| is_system(file)) else { return Ok(None) };
    if named.disjunction == Some(Disjunction::Macncheese) {
        let disjunction = option("disjunction");
        return Err(Error::input(format!(
            "{disjunction} macncheese is for Bristol files; one of several r1cs files is proved by Robin"
        )));
    }
    named.no_values("a file")?;
    let prime = file.header()?.prime;
    let not_served = || Error::input(format!("{}: {prime} is not a supported prime", file.name()));
    fields::of_prime(prime, what).ok_or_else(not_served)?.map(Some)
}

/// Whether a file begins like a constraint system.
pub(super) fn is_system(file: &Source) -> bool {
    file.begins_with(&MAGIC)
}

/// The task of opening files over the field of their prime.
struct Load<'a> {
    named: &'a Named,
}

impl InPrimeField for Load<'_> {
    type Output = Result<Box<dyn Instance>, Error>;

    fn over<F: Served + PrimeField>(self) -> Self::Output {
        let Self { named } = self;
        if named.any_of.is_empty() {
            let system = Arc::new(the_file(named)?.system::<F>()?);
            let Some(public) = &named.public else { return Ok(Box::new(Constraints::new(system, None)?)) };
            let values = Some((&mut public.open()? as &mut dyn Read, &*public.name()));
            return Ok(Box::new(Constraints::new(system, values)?));
        }
        let other = named.at_least.filter(|least| *least > 1).map(|_| option("at-least"));
        if let Some(option) = other.or(named.repeat.map(|_| REPEAT)) {
            return Err(Error::input(format!(
                "{option} is for Bristol files; one of several r1cs files is proved once"
            )));
        }
        let systems = named
            .any_of
            .iter()
            .map(|branch| Ok((Arc::new(branch.circuit.system::<F>()?), branch.public.as_ref())));
        let systems = systems.collect::<Result<Vec<_>, Error>>()?;
        // The shared public file is read once, since it may be a pipe.
        let public = systems.iter().map(|(system, _)| system.header().counts.public() as u64).max();
        let most = VALUE_BYTES.saturating_mul(public.unwrap_or_default());
        let shared = match &named.public {
            Some(public) if systems.iter().any(|(_, own)| own.is_none()) => Some(public.shared(most)?),
            _ => None,
        };
        let systems = systems.into_iter().map(|(system, own)| match (own, &shared) {
            (Some(own), _) => Constraints::new(system, Some((&mut own.open()?, &own.name()))),
            (None, Some(shared)) => Constraints::new(system, Some((&mut &shared.content[..], &shared.name))),
            (None, None) => Constraints::new(system, None),
        });
        let systems = systems.collect::<Result<Vec<_>, _>>()?;
        Ok(Box::new(Several::new(systems, None)?))
    }
}

/// The file of a single system, which [`in_field`] has found.
fn the_file(named: &Named) -> Result<&Source, Error> {
    named.file().ok_or_else(|| Error::internal("internal error"))
}

/// Bytes that a public value may take in its file.
const VALUE_BYTES: u64 = 256;

/// The task of taking public values from an assignment, over the field of a file's prime.
struct Compute<'a> {
    named: &'a Named,
    witness: &'a WitnessSource,
}

impl InPrimeField for Compute<'_> {
    type Output = Result<String, Error>;

    fn over<F: Served + PrimeField>(self) -> Self::Output {
        let Self { named, witness } = self;
        named.no_public()?;
        let (file, source) = match named.any_of.is_empty() {
            true => (the_file(named)?, witness.whole()?.clone()),
            false => {
                let (choice, source) = one_branch(witness)?;
                let branch =
                    named.any_of.get(choice).ok_or_else(|| no_branch(witness, choice, named.any_of.len()))?;
                (&branch.circuit, source)
            }
        };
        let system = Arc::new(file.system::<F>()?);
        let assignment = read_assignment(&system, &source)?;
        let statement = R1csStatement::prove(system, assignment)?;
        // Values that violate a constraint are no outputs of the system.
        Evaluator::<F>::check(&statement)?;
        let mut text = Vec::new();
        write_public(statement.public(), &mut text).map_err(Error::internal)?;
        String::from_utf8(text).map_err(Error::internal)
    }
}

/// The failure that a witness is for a branch that does not exist.
fn no_branch(source: &WitnessSource, choice: usize, count: usize) -> Error {
    let name = source.name();
    Error::input(format!("{name}: branch {choice} of {count}; they count from 0"))
}

/// One of several systems.
struct Several<F: PrimeField> {
    systems: Vec<Constraints<F>>,
    statement: AnyOf<F, Constraints<F>>,
}

impl<F: Served + PrimeField> Several<F> {
    /// One of these systems; the one with the number `choice` has a witness.
    fn new(systems: Vec<Constraints<F>>, choice: Option<usize>) -> Result<Self, Error> {
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

impl<F: Served + PrimeField> Instance for Several<F> {
    fn text(&self) -> String {
        let texts: Vec<String> = self.systems.iter().map(Instance::text).collect();
        format!("one of {}: {}", self.systems.len(), texts.join("; "))
    }

    fn ring(&self) -> &'static str {
        F::NAME
    }

    /// The first line of the file says which system holds, `branch N`; the next one names its `.wtns` file.
    fn with_witness(self: Box<Self>, witness: &WitnessSource) -> Result<Box<dyn Instance>, Error> {
        self.complete()?;
        let mut systems = self.systems;
        let (choice, source) = one_branch(witness)?;
        let count = systems.len();
        let system = systems.get_mut(choice).ok_or_else(|| no_branch(witness, choice, count))?;
        *system = system.clone().with_assignment(&source)?;
        Ok(Box::new(Self::new(systems, Some(choice))?))
    }

    fn complete(&self) -> Result<(), Error> {
        self.systems.iter().try_for_each(Instance::complete)
    }

    fn check(&self) -> Result<(), StatementError> {
        Evaluator::<F>::check(self)
    }

    fn count(&self) -> Result<Counts, StatementError> {
        fields::count::<F>(self)
    }

    fn describe(&self) -> Result<Described, Error> {
        FieldInfo::of::<F>(self.text(), self)
    }

    fn ways(&self) -> Result<Vec<Way<'_>>, Refusal> {
        Ok(Way::over_field::<F, _>(self))
    }
}
