//! A statement made ready to be proved or verified: its flat circuit, its identity and its sizes.
//!
//! What a statement means here. Every secret that the program brings in
//! ([`Prove::secret`](volery_circuit::Prove::secret)) is an input of the function `phi` of the paper; its
//! hint runs once, on plain values, when the witness is computed ([`Program::witness`]). Every wire claimed
//! to be zero is an output, and the claim proved is `phi(x) = 0`. Public values are constants.

use volery_circuit::{Circuit, Digest, Evaluator, Recorder, Schedule, Statement, Witness};

use crate::rings::PublicRing;
use crate::{Counts, Error};

/// A statement as the flat circuit that protocols which need all of it at once run on.
#[derive(Clone, Debug)]
pub struct Program<R: PublicRing> {
    circuit: Circuit<R>,
    digest: [u8; 32],
    multiplications: u64,
}

impl<R: PublicRing> Program<R> {
    /// The program of `statement`; takes no witness.
    ///
    /// # Errors
    /// [`Error::Statement`] with the statement's own, or if it has 2^31 secrets or gates;
    /// [`Error::Parameters`] if it claims nothing.
    pub fn new(statement: &(impl Statement<Recorder<R>> + ?Sized)) -> Result<Self, Error> {
        let circuit = Recorder::record(statement)?;
        let mut digest = Digest::new();
        digest.bytes("public proof over", R::NAME.as_bytes());
        statement.identify(&mut digest);
        // Statements say what they mean, circuits what is proved: a statement that forgets to name a public
        // value, or gadgets that changed, must not go by another's digest.
        circuit.identify(&mut digest);
        if circuit.asserted().is_empty() {
            return Err(Error::Parameters(
                "the statement claims nothing, so there is nothing to prove".into(),
            ));
        }
        let multiplications = circuit.multiplications();
        circuit.schedule();
        Ok(Self { circuit, digest: digest.finish(), multiplications })
    }

    /// The values of all secrets of `statement`, hints included, if it holds.
    ///
    /// # Errors
    /// [`Error::Statement`]: the first assertion that does not hold, or why there are no values.
    pub fn witness(statement: &(impl Statement<Evaluator<R>> + ?Sized)) -> Result<Witness<R>, Error> {
        let mut evaluator = Evaluator::tracing();
        statement.run(&mut evaluator)?;
        Ok(evaluator.into_trace())
    }

    /// The identity of the statement, its ring and its circuit; what a proof names.
    #[must_use]
    pub fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    /// Secret elements that the statement brings in.
    #[must_use]
    pub fn inputs(&self) -> u64 {
        self.circuit.input_wires().into()
    }

    /// Multiplications.
    #[must_use]
    pub fn multiplications(&self) -> u64 {
        self.multiplications
    }

    /// Elements that are claimed to be zero.
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

    /// The lengths of everything that a repetition of a proof consists of.
    pub(crate) fn shape(&self) -> Shape {
        Shape::new::<R>(self.counts())
    }

    /// What the length of a proof depends on.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts { inputs: self.inputs(), multiplications: self.multiplications, outputs: self.outputs() }
    }
}

/// Bytes of the packed parts of one player's record in one repetition.
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

    /// What a commitment covers of one player: label, seed, input share, view.
    pub(crate) fn row(self) -> usize {
        self.view_at().saturating_add(self.view)
    }

    /// Where the input share begins in it.
    pub(crate) fn inputs_at(self) -> usize {
        Self::LABEL + Self::SEED
    }

    /// Where the view begins in it.
    pub(crate) fn view_at(self) -> usize {
        self.inputs_at().saturating_add(self.inputs)
    }

    /// The first message of a repetition: three output shares, three commitments.
    pub(crate) fn first(self) -> usize {
        self.outputs.saturating_add(32).saturating_mul(3)
    }
}
