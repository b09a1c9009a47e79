//! Statements over a field, whichever it is, behind one trait.
//!
//! ```text
//! FieldStatement   what sessions, `check`, `info` and the benchmarks ask of a statement
//! FieldFile        and what the command line asks: a witness from a file
//!   Over<F, S>     both, for any statement S over any field F
//! pair             which MAC fields a field of values has, and what the protocols' costs depend on
//! numbers, r1cs    statements out of names, sizes and files
//! ```

mod numbers;
mod pair;
mod r1cs;

pub(crate) use pair::{MacField, Pair, Served};
pub(crate) use r1cs::is_system;

use std::collections::BTreeMap;
use std::marker::PhantomData;

use rand_core::CryptoRng;
use volery::public;
use volery::{Error, Prover, Report, Verifier, system};
use volery_circuit::{Counter, Counts, Error as StatementError, Evaluator, Recorder, Statement};
use volery_field::{Mac, Value};
use volery_zk::quicksilver::arithmetic;

use super::args::StatementArgs;
use super::failure::Failure;
use super::info::public::PublicCost;
use super::public::{Made, Open, Public};
use super::session::Wire;
use super::source::Source;

/// A statement that runs on everything that a command runs it on, over the values `F` with MACs in `M`.
pub(crate) trait Provable<F: Value, M: Mac<F>>:
    Send
    + Sync
    + Statement<Evaluator<F>>
    + Statement<Counter<F>>
    + Statement<Recorder<F>>
    + for<'a> Statement<arithmetic::Prover<'a, F, M>>
    + for<'a> Statement<arithmetic::Verifier<'a, F, M>>
{
}

impl<F, M, S> Provable<F, M> for S
where
    F: Value,
    M: Mac<F>,
    S: Send
        + Sync
        + Statement<Evaluator<F>>
        + Statement<Counter<F>>
        + Statement<Recorder<F>>
        + for<'a> Statement<arithmetic::Prover<'a, F, M>>
        + for<'a> Statement<arithmetic::Verifier<'a, F, M>>,
{
}

/// The counts of a statement over whichever field.
pub(crate) struct FieldCounts {
    pub(crate) counts: Counts,
    /// How many expressions of each degree from 2 on are claimed to be zero.
    pub(crate) degrees: BTreeMap<usize, u64>,
}

/// A statement over a field.
pub(crate) trait FieldStatement: Send + Sync {
    /// The field and one of its MAC fields.
    fn pair(&self, mac: MacField) -> Pair;

    /// Counts it: a run without values.
    fn count(&self) -> Result<FieldCounts, StatementError>;

    /// Whether it holds for the witness inside it.
    fn check(&self) -> Result<(), StatementError>;

    /// Proves it.
    fn prove(
        &self,
        mac: MacField,
        prover: &mut Prover<Wire>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>;

    /// Verifies a proof of it.
    fn verify(
        &self,
        mac: MacField,
        verifier: &mut Verifier<Wire>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>;

    /// P's side of making so many of its correlations, which ends the session.
    fn spend(
        &self,
        mac: MacField,
        prover: &mut Prover<Wire>,
        count: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error>;

    /// V's side of that.
    fn spend_with(
        &self,
        mac: MacField,
        verifier: &mut Verifier<Wire>,
        count: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error>;

    /// How long proofs of it are that anyone can verify.
    fn public_costs(&self) -> Result<Vec<PublicCost>, Failure>;

    /// Makes a proof of it that anyone can verify.
    fn prove_in_public(&self, how: &Public) -> Result<Made, Failure>;

    /// Verifies such a proof.
    fn verify_in_public(&self, how: &Public, proof: Open) -> Result<Made, Failure>;
}

/// A statement over a field that a command line names.
pub(crate) trait FieldFile: FieldStatement {
    /// What it is called in results.
    fn text(&self) -> String;

    /// Adds the secret side.
    fn with_witness(self: Box<Self>, source: Source) -> Result<Box<dyn FieldFile>, Failure>;

    /// Whether its public side is complete, which a verifier needs.
    fn complete(&self) -> Result<(), Failure>;
}

/// What [`Over`] needs of a statement to be a [`FieldFile`].
pub(crate) trait FromFiles: Sized {
    /// See [`FieldFile::text`].
    fn text(&self) -> String;

    /// See [`FieldFile::with_witness`].
    fn with_witness(self, source: Source) -> Result<Self, Failure>;

    /// See [`FieldFile::complete`].
    fn complete(&self) -> Result<(), Failure> {
        Ok(())
    }
}

/// The statement `S` over the values `F`.
pub(crate) struct Over<F, S> {
    statement: S,
    field: PhantomData<F>,
}

impl<F, S> Over<F, S> {
    pub(crate) fn new(statement: S) -> Self {
        Self { statement, field: PhantomData }
    }
}

impl<F, S> FieldStatement for Over<F, S>
where
    F: Served,
    S: Provable<F, F::Small> + Provable<F, F::Large>,
{
    fn pair(&self, mac: MacField) -> Pair {
        F::pair(mac)
    }

    fn count(&self) -> Result<FieldCounts, StatementError> {
        let counter = Counter::<F>::count(&self.statement)?;
        Ok(FieldCounts { counts: counter.total(), degrees: counter.degrees().clone() })
    }

    fn check(&self) -> Result<(), StatementError> {
        Evaluator::<F>::check(&self.statement)
    }

    fn prove(
        &self,
        mac: MacField,
        prover: &mut Prover<Wire>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error> {
        match mac {
            MacField::Small => prover.prove(system::Over::<F, F::Small>::new(), &self.statement, rng),
            MacField::Large => prover.prove(system::Over::<F, F::Large>::new(), &self.statement, rng),
        }
    }

    fn verify(
        &self,
        mac: MacField,
        verifier: &mut Verifier<Wire>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error> {
        match mac {
            MacField::Small => verifier.verify(system::Over::<F, F::Small>::new(), &self.statement, rng),
            MacField::Large => verifier.verify(system::Over::<F, F::Large>::new(), &self.statement, rng),
        }
    }

    fn spend(
        &self,
        mac: MacField,
        prover: &mut Prover<Wire>,
        count: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        match mac {
            MacField::Small => prover.spend(system::Over::<F, F::Small>::new(), count, rng).map(drop),
            MacField::Large => prover.spend(system::Over::<F, F::Large>::new(), count, rng).map(drop),
        }
    }

    fn spend_with(
        &self,
        mac: MacField,
        verifier: &mut Verifier<Wire>,
        count: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        match mac {
            MacField::Small => verifier.spend(system::Over::<F, F::Small>::new(), count, rng).map(drop),
            MacField::Large => verifier.spend(system::Over::<F, F::Large>::new(), count, rng).map(drop),
        }
    }

    fn public_costs(&self) -> Result<Vec<PublicCost>, Failure> {
        PublicCost::all::<F>(public::Counts::of(&self.count()?.counts)?)
    }

    fn prove_in_public(&self, how: &Public) -> Result<Made, Failure> {
        how.prove::<F, _>(&self.statement)
    }

    fn verify_in_public(&self, how: &Public, proof: Open) -> Result<Made, Failure> {
        how.verify::<F, _>(&self.statement, proof)
    }
}

impl<F, S> FieldFile for Over<F, S>
where
    F: Served,
    S: FromFiles + Provable<F, F::Small> + Provable<F, F::Large> + 'static,
{
    fn text(&self) -> String {
        self.statement.text()
    }

    fn with_witness(self: Box<Self>, source: Source) -> Result<Box<dyn FieldFile>, Failure> {
        Ok(Box::new(Self::new(self.statement.with_witness(source)?)))
    }

    fn complete(&self) -> Result<(), Failure> {
        self.statement.complete()
    }
}

/// The statement over a field that `args` name, if they name one.
pub(crate) fn load(args: &StatementArgs) -> Result<Option<Box<dyn FieldFile>>, Failure> {
    match numbers::load(args)? {
        Some(statement) => Ok(Some(statement)),
        None => r1cs::load(args),
    }
}

/// The public numbers, a line each, for which `witness` is a witness of the statement that `args` name; none
/// if its public side is no numbers.
pub(crate) fn compute(args: &StatementArgs, witness: &Source) -> Result<Option<String>, Failure> {
    numbers::compute(args, witness)
}
