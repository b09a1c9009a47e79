//! A constraint system as a statement.

use std::sync::Arc;

use super::coefficients::{MINUS_ONE, PLUS_ONE};
use super::public::decimal;
use super::system::Term;
use super::{Assignment, PrimeField, R1cs};
use crate::elements::{bring_in, encode};
use crate::text::counted;
use crate::{Digest, Error, Fold, Folded, Ops, Prove, Statement};

/// The number of constraints whose claims go to the backend together.
const BATCH: usize = 1 << 11;

/// "I know values for the secret wires that satisfy this system together with these public values."
///
/// The public values are constants of the statement. If they make a factor constant, the claim is linear;
/// that depends on nothing secret.
#[derive(Clone, Debug)]
pub struct R1csStatement<F: PrimeField> {
    system: Arc<R1cs<F>>,
    /// The constant one, outputs, public inputs: the values of the first wires.
    public: Vec<F>,
    assignment: Option<Assignment<F>>,
}

impl<F: PrimeField> R1csStatement<F> {
    /// The verifier's statement. `public` has the outputs, then the public inputs.
    ///
    /// # Errors
    /// [`Error::Public`] if their number is not the system's, or if the system has no constraint.
    pub fn new(system: Arc<R1cs<F>>, public: Vec<F>) -> Result<Self, Error> {
        if system.header().constraints == 0 {
            return Err(Error::nothing_claimed());
        }
        let (got, needed) = (public.len(), system.header().counts.public());
        if got != needed {
            return Err(Error::Public(format!(
                "{} for {needed} public outputs and inputs",
                counted(got as u64, "value")
            )));
        }
        let public = core::iter::once(F::ONE).chain(public).collect();
        Ok(Self { system, public, assignment: None })
    }

    /// The prover's statement. This does not check the constraints;
    /// [`Evaluator::check`](crate::Evaluator::check) does.
    ///
    /// # Errors
    /// [`Error::Witness`] if there is not one value for each wire; [`Error::Contradicted`] if a public wire's
    /// value is not the public one.
    pub fn with_assignment(mut self, assignment: Assignment<F>) -> Result<Self, Error> {
        let public = assignment.public(&self.system.header().counts)?;
        if let Some(index) = public.iter().zip(&self.public[1..]).position(|(own, claimed)| own != claimed) {
            let outputs = self.system.header().counts.outputs as usize;
            let (sort, number) =
                if index < outputs { ("output", index) } else { ("public input", index - outputs) };
            let place = format!("{sort} {number} (wire {})", index + 1);
            let claimed = self.public.get(index + 1).copied().map_or_else(String::new, decimal);
            return Err(Error::Contradicted { place, claimed });
        }
        self.assignment = Some(assignment);
        Ok(self)
    }

    /// The prover's statement, with the public values taken from the assignment.
    ///
    /// # Errors
    /// [`Error::Witness`] if there is not one value for each wire.
    pub fn prove(system: Arc<R1cs<F>>, assignment: Assignment<F>) -> Result<Self, Error> {
        let public = assignment.public(&system.header().counts)?;
        Self::new(system, public)?.with_assignment(assignment)
    }

    /// Outputs, then public inputs.
    #[must_use]
    pub fn public(&self) -> &[F] {
        &self.public[1..]
    }

    /// Claims the constraints from `start` to `end`.
    fn claim<B: Prove<F>>(
        &self,
        backend: &mut B,
        wires: &[B::Wire],
        (start, end): (usize, usize),
        batch: &mut Batch<B::Wire>,
    ) -> Result<(), B::Error> {
        for index in start..end {
            let [a, b, c] = self.system.rows.constraint(index).map(|terms| self.sum(backend, wires, terms));
            let mut fold = Fold::new(backend);
            match (a, b) {
                (Folded::Wire(a), Folded::Wire(b)) => {
                    batch.x.push(a);
                    batch.y.push(b);
                    batch.z.push(fold.lower(&c));
                }
                (Folded::Constant(k), other) | (other, Folded::Constant(k)) => {
                    let product = fold.scale(&other, k);
                    let difference = fold.sub(&product, &c);
                    if !matches!(difference, Folded::Constant(rest) if rest.is_zero()) {
                        batch.zero.push(fold.lower(&difference));
                    }
                }
            }
        }
        if !batch.zero.is_empty() {
            backend.assert_zero(&batch.zero)?;
        }
        if !batch.x.is_empty() {
            backend.assert_products(&batch.x, &batch.y, &batch.z)?;
        }
        batch.clear();
        Ok(())
    }

    /// The value of a combination.
    #[inline]
    fn sum<B: Ops<F>>(&self, backend: &mut B, wires: &[B::Wire], terms: &[Term]) -> Folded<F, B::Wire> {
        let mut constant = F::ZERO;
        let mut sum: Option<B::Wire> = None;
        for term in terms {
            // The wires and coefficients exist, as was checked when the system was made.
            let coefficient = self.system.coefficients[term.coefficient as usize];
            if let Some(value) = self.public.get(term.wire as usize) {
                constant += *value * coefficient;
                continue;
            }
            let wire = &wires[term.wire as usize - self.public.len()];
            sum = Some(match (sum, term.coefficient) {
                (None, PLUS_ONE) => wire.clone(),
                (None, _) => backend.scale(wire, coefficient),
                (Some(sum), PLUS_ONE) => backend.add(&sum, wire),
                (Some(sum), MINUS_ONE) => backend.sub(&sum, wire),
                (Some(sum), _) => {
                    let scaled = backend.scale(wire, coefficient);
                    backend.add(&sum, &scaled)
                }
            });
        }
        match sum {
            None => Folded::Constant(constant),
            Some(sum) if constant.is_zero() => Folded::Wire(sum),
            Some(sum) => Folded::Wire(backend.add_constant(&sum, constant)),
        }
    }

    /// Adds which constraint failed, if the values are here and one does not hold.
    #[cold]
    fn located<E: From<Error>>(&self, error: E, start: usize, end: usize) -> E {
        let values = self.assignment.as_ref().map_or(&[][..], Assignment::values);
        if values.is_empty() {
            return error;
        }
        match self.system.first_violated(start..end, values) {
            None => error,
            Some(index) => {
                let place = format!("constraint {index} (counted from 0)");
                Error::Unsatisfied { assertion: index as u64, place }.into()
            }
        }
    }
}

/// Claims that have not gone to the backend yet.
struct Batch<W> {
    x: Vec<W>,
    y: Vec<W>,
    z: Vec<W>,
    zero: Vec<W>,
}

impl<W> Batch<W> {
    fn new() -> Self {
        let room = || Vec::with_capacity(BATCH);
        Self { x: room(), y: room(), z: room(), zero: Vec::new() }
    }

    fn clear(&mut self) {
        for claims in [&mut self.x, &mut self.y, &mut self.z, &mut self.zero] {
            claims.clear();
        }
    }
}

impl<F: PrimeField, B: Prove<F>> Statement<B> for R1csStatement<F> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"r1cs v1").bytes("field", F::NAME.as_bytes());
        digest.bytes("system", &self.system.hash());
        digest.bytes("public", &encode(self.public()));
    }

    fn commitments(&self) -> Option<u64> {
        Some(self.system.header().counts.secret() as u64)
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        backend.enter("r1cs");
        let count = self.system.header().counts.secret();
        let mut wires = Vec::new();
        wires.try_reserve_exact(count).map_err(|_| Error::misuse(format!("no memory for {count} wires")))?;
        let witness = self.assignment.as_ref().map(Assignment::witness);
        bring_in(backend, count, self.public.len(), witness, &mut wires)?;
        let mut batch = Batch::new();
        let count = self.system.header().constraints as usize;
        for start in (0..count).step_by(BATCH) {
            let end = count.min(start + BATCH);
            let claimed = self.claim(backend, &wires, (start, end), &mut batch);
            claimed.map_err(|error| self.located(error, start, end))?;
        }
        backend.leave();
        Ok(())
    }
}
