//! Circuits over `Z_{2^32}` and `Z_{2^64}`: statements that only public proofs take, since MACs need a field.

use volery::builtin::{self, read_numbers};
use volery::public::PublicRing;
use volery_circuit::bristol::FileRing;
use volery_circuit::{BristolFile, Claim, Error as StatementError, Evaluator, FileStatement, Witness};
use volery_field::{Z32, Z64};

use super::args::StatementArgs;
use super::failure::Failure;
use super::public::{Made, Open, Public};
use super::source::Source;
use super::statement::{circuit_path, short_hash};

/// Runs `$run` for the ring that a command line names, with its type.
macro_rules! in_ring {
    ($ring:expr, $run:ident($($argument:expr),*)) => {
        match $ring {
            $crate::args::RingArg::Z32 => $run::<volery_field::Z32>($($argument),*),
            $crate::args::RingArg::Z64 => $run::<volery_field::Z64>($($argument),*),
        }
    };
}

pub(crate) use in_ring;

/// A ring that commands serve.
pub(crate) trait Served: FileRing + PublicRing {}

impl Served for Z32 {}
impl Served for Z64 {}

/// A statement over a ring, whichever it is.
pub(crate) trait RingFile: Send + Sync {
    /// What it is called in results.
    fn text(&self) -> String;

    /// The ring.
    fn ring(&self) -> &'static str;

    /// Adds the secret side.
    fn with_witness(self: Box<Self>, source: &Source) -> Result<Box<dyn RingFile>, Failure>;

    /// Whether it holds for the witness inside it.
    fn check(&self) -> Result<(), StatementError>;

    /// Makes a proof of it that anyone can verify.
    fn prove_in_public(&self, how: &Public) -> Result<Made, Failure>;

    /// Verifies such a proof.
    fn verify_in_public(&self, how: &Public, proof: Open) -> Result<Made, Failure>;
}

impl<R: Served> RingFile for FileStatement<R> {
    fn text(&self) -> String {
        format!("circuit file over {} with BLAKE3 hash {}...", R::NAME, short_hash(self.file()))
    }

    fn ring(&self) -> &'static str {
        R::NAME
    }

    /// Numbers for the secret inputs, in order.
    fn with_witness(self: Box<Self>, source: &Source) -> Result<Box<dyn RingFile>, Failure> {
        let secret = self.signature().inputs.into_iter().filter(|input| !input.public);
        let count = secret.map(|input| u64::from(input.width)).sum::<u64>();
        let count = usize::try_from(count).map_err(Failure::input)?;
        let mut numbers = read_numbers::<R>(source.open()?, &source.name(), count)?;
        // Moved, not copied: a witness wipes what it holds.
        let witness = Witness::new(std::mem::take(&mut *numbers));
        Ok(Box::new((*self).with_witness(witness)?))
    }

    fn check(&self) -> Result<(), StatementError> {
        Evaluator::<R>::check(self)
    }

    fn prove_in_public(&self, how: &Public) -> Result<Made, Failure> {
        how.prove::<R, _>(self)
    }

    fn verify_in_public(&self, how: &Public, proof: Open) -> Result<Made, Failure> {
        how.verify::<R, _>(self, proof)
    }
}

/// The statement over a ring that `args` name, if they name one.
pub(crate) fn load(args: &StatementArgs) -> Result<Option<Box<dyn RingFile>>, Failure> {
    let Some(ring) = args.ring else { return Ok(None) };
    in_ring!(ring, statement(args)).map(Some)
}

fn statement<R: Served>(args: &StatementArgs) -> Result<Box<dyn RingFile>, Failure> {
    Ok(Box::new(open::<R>(args)?.1.ok_or_else(|| {
        Failure::input(format!("{}: a circuit needs --public FILE: what must its outputs be?", args.name))
    })?))
}

/// The circuit file that `args` name, and what is claimed about it, if anything is.
pub(crate) fn open<R: Served>(
    args: &StatementArgs,
) -> Result<(BristolFile<R>, Option<FileStatement<R>>), Failure> {
    if builtin::find(&args.name).is_some() {
        return Err(Failure::input(format!("--ring is for circuit files; {} is built in", args.name)));
    }
    let file = BristolFile::<R>::open(circuit_path(args)?)?;
    let Some(public) = &args.public else { return Ok((file, None)) };
    let public = Source::File(public.clone());
    let claim = Claim::read(public.open()?, &public.name(), file.signature())?;
    let statement = FileStatement::new(file.clone(), claim)?;
    Ok((file, Some(statement)))
}

/// Why there is no session about it.
pub(crate) fn only_in_public(statement: &dyn RingFile) -> Failure {
    Failure::input(format!(
        "statements over {} are proved in public only: a proof over a connection needs a field, in which MACs can be checked. \
         Make a file with --protocol zkbpp --out PROOF, and verify it with `volery verify STATEMENT PROOF`",
        statement.ring()
    ))
}
