//! A statement prepared for proving or verifying: its flat circuit, its identity and its sizes.
//!
//! Every secret that the program brings in ([`Prove::secret`](volery_circuit::Prove::secret)) is an input of
//! the paper's function `phi`. Its hint runs once, on plain values, when the witness is computed
//! ([`Program::witness`]). Every wire that is claimed to be zero is an output, and the proof shows that
//! `phi(x) = 0`. Public values are constants.

use volery_circuit::{Circuit, Digest, Evaluator, Recorder, Schedule, Statement, Witness};

use crate::rings::PublicRing;
use crate::{Counts, Error};

/// A statement as a flat circuit, for protocols that need all of it at once.
#[derive(Clone, Debug)]
pub struct Program<R: PublicRing> {
    circuit: Circuit<R>,
    digest: [u8; 32],
    multiplications: u64,
}

impl<R: PublicRing> Program<R> {
    /// The program of `statement`, which needs no witness here.
    ///
    /// # Errors
    /// [`Error::Statement`] with the statement's own error, or if it has 2^31 secrets or gates, or claims
    /// nothing about a secret.
    pub fn new(statement: &(impl Statement<Recorder<R>> + ?Sized)) -> Result<Self, Error> {
        let circuit = Recorder::record(statement)?;
        let mut digest = Digest::new();
        digest.bytes("public proof over", R::NAME.as_bytes());
        statement.identify(&mut digest);
        // The statement's digest names its meaning, and the circuit is what is proved. Both are hashed, so
        // that a statement that forgets to name a public value, or a changed gadget, cannot pass under
        // another's digest.
        circuit.identify(&mut digest);
        if circuit.asserted().is_empty() {
            return Err(volery_circuit::Error::nothing_claimed().into());
        }
        let multiplications = circuit.multiplications();
        circuit.schedule();
        Ok(Self { circuit, digest: digest.finish(), multiplications })
    }

    /// The values of all secrets of `statement`, including those from hints, if it holds.
    ///
    /// # Errors
    /// [`Error::Statement`]: the first assertion that does not hold, or the reason why there are no values.
    pub fn witness(statement: &(impl Statement<Evaluator<R>> + ?Sized)) -> Result<Witness<R>, Error> {
        let mut evaluator = Evaluator::tracing();
        statement.run(&mut evaluator)?;
        Ok(evaluator.into_trace())
    }

    /// The identity of the statement, its ring and its circuit. Proofs contain it.
    #[must_use]
    pub fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    /// The number of secret elements that the statement brings in.
    #[must_use]
    pub fn inputs(&self) -> u64 {
        self.circuit.input_wires().into()
    }

    /// The number of multiplications.
    #[must_use]
    pub fn multiplications(&self) -> u64 {
        self.multiplications
    }

    /// The number of elements that are claimed to be zero.
    #[must_use]
    pub fn outputs(&self) -> u64 {
        self.circuit.asserted().len() as u64
    }

    pub(crate) fn circuit(&self) -> &Circuit<R> {
        &self.circuit
    }

    pub(crate) fn schedule(&self) -> &Schedule {
        self.circuit.schedule()
    }

    /// The slots of the asserted wires after the last step.
    pub(crate) fn asserted_slots(&self) -> &[u32] {
        let kept = self.schedule().kept();
        kept.get(self.circuit.outputs().len()..).unwrap_or_default()
    }

    /// The lengths of all parts of a repetition of a proof.
    pub(crate) fn shape(&self) -> Shape {
        Shape::new::<R>(self.counts())
    }

    /// The counts that determine the length of a proof.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts { inputs: self.inputs(), multiplications: self.multiplications, outputs: self.outputs() }
    }
}

/// The lengths, in bytes, of the packed parts of one player's record in one repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// An input share.
    pub(crate) inputs: usize,
    /// A view: a share of each product.
    pub(crate) view: usize,
    /// An output share.
    pub(crate) outputs: usize,
}

impl Shape {
    pub(crate) fn new<R: PublicRing>(counts: Counts) -> Self {
        let packed = |n: u64| R::packed(usize::try_from(n).unwrap_or(usize::MAX));
        let Counts { inputs, multiplications, outputs } = counts;
        Self { inputs: packed(inputs), view: packed(multiplications), outputs: packed(outputs) }
    }

    /// Bytes of [`Shape::row`] before the seed: repetition (4), player (1), zeros.
    pub(crate) const LABEL: usize = 16;
    /// Bytes of a seed.
    pub(crate) const SEED: usize = 16;

    /// The length of what a commitment covers of one player: label, seed, input share, view.
    pub(crate) fn row(self) -> usize {
        self.view_at().saturating_add(self.view)
    }

    /// The offset of the input share in a row.
    pub(crate) fn inputs_at(self) -> usize {
        Self::LABEL + Self::SEED
    }

    /// The offset of the view in a row.
    pub(crate) fn view_at(self) -> usize {
        self.inputs_at().saturating_add(self.inputs)
    }

    /// The length of the first message of a repetition: three output shares, three commitments.
    pub(crate) fn first(self) -> usize {
        self.outputs.saturating_add(32).saturating_mul(3)
    }
}
