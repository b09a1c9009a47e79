//! Constraint systems out of `.r1cs` files; the prime in the file picks the field. One of them, or one of
//! several (`--any-of`).

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use volery_circuit::choose::Whole;
use volery_circuit::r1cs::{Assignment, Header, KnownPrime, PrimeField, R1cs, R1csStatement, read_public};
use volery_circuit::{Choose, Digest, Prove, Statement};
use volery_field::{Bls12381Scalar, Bn254Scalar, F61, P256Base, RistrettoScalar, Secp256k1Base};
use volery_zk::disjunction::AnyOf;

use super::{FieldFile, FromFiles, Over, Served};
use crate::args::StatementArgs;
use crate::failure::Failure;
use crate::many::{self, split};
use crate::source::Source;

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

impl<F: Served + PrimeField> FromFiles for Constraints<F> {
    fn text(&self) -> String {
        let hash: String = self.system.hash().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        let header = self.system.header();
        format!("r1cs of {} constraints over {} with BLAKE3 hash {hash}...", header.constraints, header.prime)
    }

    fn with_witness(self, source: Source) -> Result<Self, Failure> {
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
}

impl<F: PrimeField, B: Prove<F>> Statement<B> for Constraints<F> {
    fn identify(&self, digest: &mut Digest) {
        Statement::<B>::identify(&self.statement, digest);
    }

    fn commitments(&self) -> Option<u64> {
        Statement::<B>::commitments(&self.statement)
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        self.statement.run(backend)
    }
}

/// The constraint system that `args` name, or several, if they name files of them.
pub(super) fn load(args: &StatementArgs) -> Result<Option<Box<dyn FieldFile>>, Failure> {
    let path = args.any_of.first().map_or(args.name.as_str(), |branch| split(branch).0);
    if !is_system(path) {
        return Ok(None);
    }
    args.no_values("a file")?;
    let statement = match Header::open(path)?.prime {
        KnownPrime::Bn254 => open::<Bn254Scalar>(args),
        KnownPrime::Bls12381 => open::<Bls12381Scalar>(args),
        KnownPrime::P256 => open::<P256Base>(args),
        KnownPrime::Secp256k1 => open::<Secp256k1Base>(args),
        KnownPrime::Ristretto => open::<RistrettoScalar>(args),
        KnownPrime::Mersenne61 => open::<F61>(args),
        other => Err(Failure::input(format!("{path}: {other} is not served"))),
    };
    statement.map(Some)
}

/// Whether there is a regular file of this name that begins like a constraint system. What cannot be read is
/// somebody else's error.
pub(crate) fn is_system(path: &str) -> bool {
    let path = Path::new(path);
    // Not a pipe: what is read of it here would be missing later.
    if !path.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return false;
    }
    let mut start = [0; MAGIC.len()];
    File::open(path).is_ok_and(|mut file| file.read_exact(&mut start).is_ok()) && start == MAGIC
}

fn open<F: Served + PrimeField>(args: &StatementArgs) -> Result<Box<dyn FieldFile>, Failure> {
    let public = args.public.as_deref();
    if args.any_of.is_empty() {
        return Ok(Box::new(Over::<F, _>::new(Constraints::<F>::open(args.name.as_ref(), public)?)));
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
    Ok(Box::new(Over::<F, _>::new(Several::new(systems, None)?)))
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

impl<F: Served + PrimeField> FromFiles for Several<F> {
    fn text(&self) -> String {
        let texts: Vec<String> = self.systems.iter().map(Constraints::text).collect();
        format!("one of {}: {}", self.systems.len(), texts.join("; "))
    }

    /// The file says which system holds, `branch N`, and in the next line where its assignment is.
    fn with_witness(mut self, source: Source) -> Result<Self, Failure> {
        self.complete()?;
        let (choice, path) = many::branch_file(&source)?;
        let count = self.systems.len();
        let Some(system) = self.systems.get_mut(choice) else {
            let name = source.name();
            return Err(Failure::input(format!("{name}: branch {choice} of {count}; they count from 0")));
        };
        *system = system.clone().with_witness(Source::File(path))?;
        Self::new(self.systems, Some(choice))
    }

    fn complete(&self) -> Result<(), Failure> {
        self.systems.iter().try_for_each(Constraints::complete)
    }
}

impl<F, B> Statement<B> for Several<F>
where
    F: Served + PrimeField,
    B: Choose<F, Whole<Constraints<F>>>,
{
    fn identify(&self, digest: &mut Digest) {
        Statement::<B>::identify(&self.statement, digest);
    }

    fn commitments(&self) -> Option<u64> {
        Statement::<B>::commitments(&self.statement)
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        self.statement.run(backend)
    }
}
