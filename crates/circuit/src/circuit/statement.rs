//! A circuit and a claim about it, as a statement.

use volery_field::Ring;

use super::Circuit;
use crate::{Claim, Digest, Error, Fold, Prove, Statement, Witness};

/// "I know secret inputs with which this circuit, on these public inputs, gives these outputs and meets its
/// assertions."
#[derive(Clone, Debug)]
pub struct CircuitStatement<R: Ring> {
    circuit: Circuit<R>,
    claim: Claim<R>,
    witness: Option<Witness<R>>,
}

impl<R: Ring> CircuitStatement<R> {
    /// The verifier's statement.
    ///
    /// # Errors
    /// [`Error::Public`] if the claim's public inputs are not those of the circuit, or if nothing is claimed.
    pub fn new(circuit: Circuit<R>, claim: Claim<R>) -> Result<Self, Error> {
        claim.suits(circuit.signature())?;
        if claim.mark(circuit.signature().clone()) != *circuit.signature() {
            return Err(Error::Public(
                "the claim has values for other inputs than the circuit's public ones".into(),
            ));
        }
        if circuit.asserted().is_empty() && !claim.says_something() {
            return Err(Error::Public(
                "nothing is claimed: no output has a value and nothing is asserted".into(),
            ));
        }
        Ok(Self { circuit, claim, witness: None })
    }

    /// The prover's statement.
    ///
    /// # Errors
    /// [`Error::Witness`] unless it has one value for each secret wire.
    pub fn with_witness(mut self, witness: Witness<R>) -> Result<Self, Error> {
        self.claim.fits(&witness, self.circuit.signature())?;
        self.witness = Some(witness);
        Ok(self)
    }

    fn run_on<B: Prove<R>>(&self, backend: &mut B) -> Result<(), B::Error> {
        let signature = self.circuit.signature();
        let inputs = self.claim.wires(backend, signature, self.witness.as_ref())?;
        let outputs = self.circuit.run(backend, inputs)?;
        self.claim.assert(backend, signature, &outputs)
    }
}

impl<R: Ring, B: Prove<R>> Statement<B> for CircuitStatement<R> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"flat circuit v1");
        self.circuit.identify(digest);
        self.claim.identify(digest);
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        // If all inputs are secret, there is nothing to fold except constants that the circuit's author put
        // there.
        if self.claim.has_public_inputs() {
            self.run_on(&mut Fold::new(backend))
        } else {
            self.run_on(backend)
        }
    }
}

#[cfg(test)]
mod tests {
    use volery_field::F2;

    use super::*;
    use crate::testing::{RandomCircuit, Size};
    use crate::{Counter, Evaluator, Recorder};

    fn random() -> (Circuit<F2>, Claim<F2>, Witness<F2>) {
        let RandomCircuit { circuit, witness } = RandomCircuit::new(7, Size::small());
        let outputs = circuit.run(&mut Evaluator::new(), witness.clone()).expect("holds");
        let claim = Claim::new(vec![None], vec![Some(outputs)], circuit.signature()).expect("fits");
        (circuit, claim, Witness::new(witness))
    }

    #[test]
    fn it_holds_with_its_witness_and_fails_without() {
        let (circuit, claim, witness) = random();
        let statement = CircuitStatement::new(circuit, claim).expect("claims something");
        assert!(matches!(Evaluator::check(&statement), Err(Error::Witness(_))));
        Counter::count(&statement).expect("needs no witness");
        let statement = statement.with_witness(witness).expect("fits");
        Evaluator::check(&statement).expect("holds");
    }

    #[test]
    fn a_wrong_output_is_refused_with_the_outputs_name() {
        let (circuit, claim, witness) = random();
        let mut outputs = circuit.run(&mut Evaluator::new(), witness.values().to_vec()).expect("holds");
        outputs[1] += F2::ONE;
        let asserted = circuit.asserted().len() as u64;
        let wrong = Claim::new(vec![None], vec![Some(outputs)], circuit.signature()).expect("fits");
        assert_ne!(wrong, claim);
        let statement =
            CircuitStatement::new(circuit, wrong).and_then(|s| s.with_witness(witness)).expect("fits");
        let expected = Error::Unsatisfied { assertion: asserted + 1, place: "output 0".into() };
        assert_eq!(Evaluator::check(&statement), Err(expected));
    }

    #[test]
    fn claims_that_say_nothing_or_do_not_fit_are_refused() {
        let (circuit, claim, witness) = random();
        let mut parts = circuit.clone().into_parts();
        parts.asserted.clear();
        let idle = Circuit::new(parts.clone()).expect("sound");
        let nothing = Claim::new(vec![None], vec![None], idle.signature()).expect("fits");
        assert!(matches!(CircuitStatement::new(idle, nothing), Err(Error::Public(_))));
        parts.signature.inputs[0].public = true;
        let public = Circuit::new(parts).expect("sound");
        assert!(matches!(CircuitStatement::new(public, claim.clone()), Err(Error::Public(_))));
        let short = Witness::new(witness.values()[1..].to_vec());
        let statement = CircuitStatement::new(circuit, claim).expect("claims something");
        assert!(matches!(statement.with_witness(short), Err(Error::Witness(_))));
    }

    #[test]
    fn public_inputs_are_folded_away() {
        let mut recorder = Recorder::<F2>::new();
        let x = recorder.input("x", 1, false).expect("small")[0];
        let c = recorder.input("c", 1, true).expect("small")[0];
        let y = crate::Ops::mul(&mut recorder, &x, &c).expect("small");
        let circuit = recorder.finish(&[("y", &[y])]).expect("sound");
        let one = || Some(vec![F2::ONE]);
        let claim = Claim::new(vec![None, one()], vec![one()], circuit.signature()).expect("fits");
        let statement = CircuitStatement::new(circuit, claim).expect("claims something");
        assert_eq!(Counter::count(&statement).expect("counts").total().multiplications, 0);
        let statement = statement.with_witness(Witness::new(vec![F2::ONE])).expect("fits");
        Evaluator::check(&statement).expect("1 * 1 = 1");
    }
}
