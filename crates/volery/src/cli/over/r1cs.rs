//! Constraint systems out of `.r1cs` files; the prime in the file picks the field.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use volery_circuit::r1cs::{Assignment, Header, KnownPrime, PrimeField, R1cs, R1csStatement, read_public};
use volery_circuit::{Digest, Prove, Statement};
use volery_field::{Bls12381Scalar, Bn254Scalar, F61, P256Base, RistrettoScalar, Secp256k1Base};

use super::{FieldFile, FromFiles, Over, Served};
use crate::cli::args::StatementArgs;
use crate::cli::failure::Failure;
use crate::cli::source::Source;

/// How `.r1cs` files begin.
const MAGIC: [u8; 4] = *b"r1cs";

/// A system with its public values.
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

/// The constraint system that `args` name, if it is a file of one.
pub(super) fn load(args: &StatementArgs) -> Result<Option<Box<dyn FieldFile>>, Failure> {
    let path = Path::new(&args.name);
    if !begins_with_magic(path) {
        return Ok(None);
    }
    args.no_values("a file")?;
    let statement = match Header::open(path)?.prime {
        KnownPrime::Bn254 => open::<Bn254Scalar>(path, args),
        KnownPrime::Bls12381 => open::<Bls12381Scalar>(path, args),
        KnownPrime::P256 => open::<P256Base>(path, args),
        KnownPrime::Secp256k1 => open::<Secp256k1Base>(path, args),
        KnownPrime::Ristretto => open::<RistrettoScalar>(path, args),
        KnownPrime::Mersenne61 => open::<F61>(path, args),
        other => Err(Failure::input(format!("{}: {other} is not served", args.name))),
    };
    statement.map(Some)
}

/// Whether this is a regular file that begins like one. What cannot be read is somebody else's error.
fn begins_with_magic(path: &Path) -> bool {
    // Not a pipe: what is read of it here would be missing later.
    if !path.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return false;
    }
    let mut start = [0; MAGIC.len()];
    File::open(path).is_ok_and(|mut file| file.read_exact(&mut start).is_ok()) && start == MAGIC
}

fn open<F: Served + PrimeField>(path: &Path, args: &StatementArgs) -> Result<Box<dyn FieldFile>, Failure> {
    let system = Arc::new(R1cs::<F>::open(path)?);
    let counts = system.header().counts;
    let public = match &args.public {
        Some(public) => {
            let source = Source::File(public.clone());
            read_public(source.open()?, &source.name(), &counts)?
        }
        // Only to count with, unless there are none.
        None => vec![F::ZERO; counts.public()],
    };
    let complete = args.public.is_some() || public.is_empty();
    let statement = R1csStatement::new(Arc::clone(&system), public)?;
    Ok(Box::new(Over::<F, _>::new(Constraints { statement, system, complete })))
}
