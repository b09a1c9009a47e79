//! Constraint systems out of `.r1cs` files; the prime in the file picks the field. One of them, or one of
//! several (`--any-of`).

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use volery_circuit::choose::Whole;
use volery_circuit::r1cs::{Assignment, Header, PrimeField, R1cs, R1csStatement, read_public};
use volery_circuit::{Choose, Counts, Error as StatementError, Evaluator, Prove, forward_statement};
use volery_zk::disjunction::AnyOf;

use super::branches::{branch_file, split};
use super::refusal::Refusal;
use super::{Given, short};
use crate::args::{DisjunctionArg, StatementArgs};
use crate::failure::Failure;
use crate::fields::{self, InPrimeField, Served};
use crate::info::{Described, FieldInfo};
use crate::public::{InPublic, OverRing};
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
    fn open(path: &Path, public: Option<&Path>) -> Result<Self, Failure> {
        let system = Arc::new(R1cs::<F>::open(path)?);
        let counts = system.header().counts;
        let complete = public.is_some() || counts.public() == 0;
        let public = match public {
            Some(public) => {
                let source = Source::File(public.to_owned());
                read_public(source.open()?, &source.name(), &counts)?
            }
            // Only to count with, unless there are none.
            None => vec![F::ZERO; counts.public()],
        };
        let statement = R1csStatement::new(Arc::clone(&system), public)?;
        Ok(Self { statement, system, complete })
    }

    fn with_assignment(self, source: &Source) -> Result<Self, Failure> {
        let Self { statement, system, complete } = self;
        let what = source.name();
        let most = u64::from(system.header().counts.wires) * F::BYTES as u64 + Source::SLACK;
        let assignment = Assignment::read(source.seekable(most)?, &what)?;
        let statement = if complete {
            statement.with_assignment(assignment)?
        } else {
            R1csStatement::prove(Arc::clone(&system), assignment)?
        };
        Ok(Self { statement, system, complete: true })
    }
}

impl<F: Served + PrimeField> Given for Constraints<F> {
    fn text(&self) -> String {
        let (hash, header) = (short(&self.system.hash(), 8), self.system.header());
        format!("r1cs of {} constraints over {} with BLAKE3 hash {hash}", header.constraints, header.prime)
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
            "a verifier needs --public public.json: the values of {} outputs and {} public inputs",
            counts.outputs, counts.public_inputs
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

    fn public(&self) -> Result<Box<dyn InPublic + '_>, Refusal> {
        Ok(OverRing::<F, _>::boxed(self))
    }
}

/// The constraint system that `args` name, or several, if they name files of them.
pub(super) fn load(args: &StatementArgs) -> Result<Option<Box<dyn Given>>, Failure> {
    let path = args.any_of.first().map_or(args.name.as_str(), |branch| split(branch).0);
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
    let not_served = || Failure::input(format!("{path}: {prime} is not served"));
    fields::of_prime(prime, Load { args }).ok_or_else(not_served)?.map(Some)
}

/// Whether there is a regular file of this name that begins like a constraint system. What cannot be read is
/// somebody else's error.
pub(super) fn is_system(path: &str) -> bool {
    let path = Path::new(path);
    // Not a pipe: what is read of it here would be missing later.
    if !path.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return false;
    }
    let mut start = [0; MAGIC.len()];
    File::open(path).is_ok_and(|mut file| file.read_exact(&mut start).is_ok()) && start == MAGIC
}

/// Files that are to be opened over the field of their prime.
struct Load<'a> {
    args: &'a StatementArgs,
}

impl InPrimeField for Load<'_> {
    type Output = Result<Box<dyn Given>, Failure>;

    fn over<F: Served + PrimeField>(self) -> Self::Output {
        let Self { args } = self;
        let public = args.public.as_deref();
        if args.any_of.is_empty() {
            return Ok(Box::new(Constraints::<F>::open(args.name.as_ref(), public)?));
        }
        let other = args.at_least.filter(|least| *least > 1).map(|_| "--at-least");
        if let Some(option) = other.or(args.repeat.map(|_| "--repeat")) {
            return Err(Failure::input(format!(
                "{option} is for Bristol files; one of several r1cs files is proved once"
            )));
        }
        let systems = args.any_of.iter().map(|branch| {
            let (path, own) = split(branch);
            Constraints::<F>::open(path.as_ref(), own.or(public))
        });
        let systems = systems.collect::<Result<Vec<_>, _>>()?;
        Ok(Box::new(Several::new(systems, None)?))
    }
}

/// One of several systems.
struct Several<F: PrimeField> {
    systems: Vec<Constraints<F>>,
    statement: AnyOf<F, Constraints<F>>,
}

impl<F: Served + PrimeField> Several<F> {
    /// The systems, of which that with the number `choice` has a witness.
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

    /// The file says which system holds, `branch N`, and in the next line where its assignment is.
    fn with_witness(self: Box<Self>, source: Source) -> Result<Box<dyn Given>, Failure> {
        self.complete()?;
        let mut systems = self.systems;
        let (choice, path) = branch_file(&source)?;
        let count = systems.len();
        let Some(system) = systems.get_mut(choice) else {
            let name = source.name();
            return Err(Failure::input(format!("{name}: branch {choice} of {count}; they count from 0")));
        };
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

    fn public(&self) -> Result<Box<dyn InPublic + '_>, Refusal> {
        Ok(OverRing::<F, _>::boxed(self))
    }
}
