//! One of several circuit files, repeated many times.
//!
//! ```text
//! for each repetition j: one of the circuits C_1 .. C_B, on the public inputs x_j and some secret ones, gives the outputs y_j
//! ```
//!
//! The claims of a repetition enter its branches as wires (constants). So the branches are the same at each
//! repetition, as a batch requires.

use volery_field::F2;
use zeroize::Zeroizing;

use super::BristolFile;
use crate::choose::{Branch, Branches, Picked, Repeat, Shape, Sizer, Steps};
use crate::elements::encode;
use crate::fold::Folded;
use crate::{Claim, Digest, Error, Fold, Peek, Prove, Signature, Statement, Witness};

/// A circuit file with wires for everything that is claimed about it: public inputs, then outputs.
#[derive(Clone, Debug)]
pub struct Claimed {
    file: BristolFile,
    /// Which inputs are public and which outputs are claimed. Its values do not matter.
    pattern: Claim<F2>,
    /// The number of wires of public inputs.
    public: usize,
    witness: Option<Witness<F2>>,
}

impl Claimed {
    fn signature(&self) -> Signature {
        self.pattern.mark(self.file.signature().clone())
    }

    fn run_on<B: Prove<F2>>(&self, backend: &mut B, shared: Vec<B::Wire>) -> Result<(), B::Error> {
        let (mut inputs, signature) = (shared, self.file.signature());
        let claimed = inputs.split_off(self.public.min(inputs.len()));
        let wires = self.pattern.wires_from(backend, signature, inputs, self.witness.as_ref())?;
        let outputs = self.file.compute(backend, wires)?;
        self.pattern.assert_equal(backend, signature, &outputs, &claimed)
    }
}

impl<B: Prove<F2>> Branch<F2, B> for Claimed {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("circuit file", &self.file.hash());
    }

    fn run(&self, backend: &mut B, shared: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
        // Folding makes wires larger, so it is only done if there are constants to fold.
        if self.file.tally().constant > 0 {
            let shared = shared.iter().cloned().map(Folded::Wire).collect();
            self.run_on(&mut Fold::new(backend), shared)?;
        } else {
            self.run_on(backend, shared.to_vec())?;
        }
        Ok(Vec::new())
    }
}

/// "At each of these repetitions one of these circuit files, on some secret inputs, gives what is claimed at
/// that repetition."
///
/// Nobody learns which file that is, or whether two repetitions use the same one.
#[derive(Clone, Debug)]
pub struct FileBatch {
    branches: Branches<F2, Claimed>,
    /// For each repetition, the values that enter its branches.
    claims: Vec<Vec<F2>>,
    /// At the prover, for each repetition: a circuit that satisfies the claims, and its inputs.
    picked: Vec<Picked<Claimed>>,
}

impl FileBatch {
    /// The most repetitions of a batch.
    pub const MAX_REPETITIONS: usize = 1 << 20;

    /// The verifier's statement, with one claim for each repetition.
    ///
    /// # Errors
    /// [`Error::Public`] if there is no repetition or more than [`FileBatch::MAX_REPETITIONS`], if the
    /// circuits' inputs or outputs differ in width, or if the claims are about different inputs or outputs or
    /// leave all outputs open; as [`Branches::new`].
    pub fn new(files: Vec<BristolFile>, claims: &[Claim<F2>]) -> Result<Self, Error> {
        let (Some(first), Some(pattern)) = (files.first(), claims.first()) else {
            return Err(Error::Public("a batch needs at least one circuit and one repetition".into()));
        };
        if claims.len() > Self::MAX_REPETITIONS {
            let (count, most) = (claims.len(), Self::MAX_REPETITIONS);
            return Err(Error::Public(format!("{count} repetitions; at most {most} are possible")));
        }
        let signature = first.signature();
        if let Some(other) = files.iter().find(|file| file.signature() != signature) {
            return Err(Error::Public(format!(
                "circuit file {} has other inputs or outputs than the first; repetitions need the same",
                other.what()
            )));
        }
        for (i, claim) in claims.iter().enumerate() {
            claim.suits(signature)?;
            if !claim.says_something() {
                return Err(Error::Public(format!(
                    "nothing is claimed at repetition {i}: say what an output must be"
                )));
            }
            if !claim.is_about_what(pattern) {
                return Err(Error::Public(format!(
                    "repetition {i} has other public inputs or open outputs than repetition 0; all need the same"
                )));
            }
        }
        let public = signature.inputs.iter().map(|input| u64::from(input.width)).sum::<u64>()
            - pattern.secret_width(signature);
        let public = usize::try_from(public).map_err(|_| Error::Public("too many public inputs".into()))?;
        let shared = pattern.elements().count();
        let claimed = |file| Claimed { file, pattern: pattern.clone(), public, witness: None };
        Ok(Self {
            branches: Branches::new(files.into_iter().map(claimed).collect(), shared)?,
            claims: claims.iter().map(|claim| claim.elements().collect()).collect(),
            picked: Vec::new(),
        })
    }

    /// The prover's statement. `known` has, for each repetition in order, the number of a circuit (from 0)
    /// and its secret inputs.
    ///
    /// # Errors
    /// [`Error::Witness`] if there are too few or too many, if a number is not that of a circuit, or if a
    /// witness has the wrong length.
    pub fn with_witnesses(mut self, known: Vec<(usize, Witness<F2>)>) -> Result<Self, Error> {
        if known.len() != self.claims.len() {
            let (got, needed) = (known.len(), self.claims.len());
            return Err(Error::Witness(format!("there are witnesses for {got} of {needed} repetitions")));
        }
        let picked = known.into_iter().map(|(index, witness)| {
            let branch = self.branches.picked(&Picked::new(index))?.clone();
            branch.pattern.fits(&witness, branch.file.signature())?;
            Ok(Picked { index, witness: Some(Claimed { witness: Some(witness), ..branch }) })
        });
        self.picked = picked.collect::<Result<_, Error>>()?;
        Ok(self)
    }

    /// The inputs (marked public or secret as in the claims) and the outputs of every circuit, for reading
    /// witnesses.
    #[must_use]
    pub fn signature(&self) -> Signature {
        self.branches.list().first().map(Claimed::signature).unwrap_or_default()
    }

    /// The numbers of circuits and of repetitions.
    #[must_use]
    pub fn counts(&self) -> [usize; 2] {
        [self.branches.list().len(), self.claims.len()]
    }

    /// The commitments of each repetition.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.branches.shape()
    }

    /// The number of wires that enter each repetition: those of its claims.
    #[must_use]
    pub fn shared(&self) -> usize {
        self.branches.shared()
    }

    /// The circuits.
    pub fn files(&self) -> impl Iterator<Item = &BristolFile> {
        self.branches.list().iter().map(|branch| &branch.file)
    }
}

/// What a repetition claims, and what its circuit puts out.
type Computed = (Claim<F2>, Zeroizing<Vec<F2>>);

impl FileBatch {
    /// What the picked circuits put out: at each repetition the claim, and its outputs for the witness
    /// that is inside this batch. In the clear.
    fn computed(&self) -> Result<Vec<Computed>, Error> {
        let each = self.picked.iter().zip(&self.claims).map(|(picked, claim)| {
            let missing = || Error::Witness("none was given".into());
            let branch = picked.witness.as_ref().ok_or_else(missing)?;
            let claim = branch.pattern.with_elements(claim);
            let witness = branch.witness.as_ref().ok_or_else(missing)?;
            let outputs = claim.outputs_of(&branch.file, witness)?;
            Ok((claim, outputs))
        });
        each.collect()
    }

    /// In place of the number of an assertion, says which output is not as claimed, if the values are here.
    #[cold]
    fn located<E: From<Error>>(&self, error: E) -> E {
        let Ok(computed) = self.computed() else { return error };
        let signature = self.signature();
        let wrong = computed.into_iter().enumerate().find_map(|(repetition, (claim, outputs))| {
            match claim.contradicted(&signature, &outputs)? {
                Error::Contradicted { place, claimed } => {
                    Some(Error::Contradicted { place: format!("repetition {repetition}, {place}"), claimed })
                }
                other => Some(other),
            }
        });
        wrong.map_or(error, E::from)
    }
}

/// A run of a batch.
struct Running<'a>(&'a FileBatch);

impl<B: Prove<F2> + ?Sized> Steps<F2, Claimed, B> for Running<'_> {
    fn before(&mut self, backend: &mut B, step: usize) -> Result<Vec<B::Wire>, B::Error> {
        let claim = self.0.claims.get(step).into_iter().flatten();
        Ok(claim.map(|c| backend.constant(*c)).collect())
    }

    fn pick(&mut self, step: usize, _: &dyn Peek<F2, B::Wire>) -> Result<Picked<Claimed>, Error> {
        let missing = || Error::Witness("none was given".into());
        self.0.picked.get(step).cloned().ok_or_else(missing)
    }

    fn after(&mut self, _: &mut B, _: usize, _: Vec<B::Wire>) -> Result<(), B::Error> {
        Ok(())
    }
}

impl<B: Repeat<F2, Claimed>> Statement<B> for FileBatch {
    fn identify(&self, digest: &mut Digest) {
        digest
            .bytes("statement", b"batch of circuit files v1")
            .number("repetitions", self.claims.len() as u64);
        for branch in self.branches.list().iter().take(1) {
            branch.pattern.identify(digest);
        }
        for claim in &self.claims {
            digest.bytes("claim", &encode(claim));
        }
        self.branches.identify::<Sizer<F2>>(digest);
    }

    fn commitments(&self) -> Option<u64> {
        self.branches.shape().commitments().checked_mul(self.claims.len() as u64)
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        let result = backend.repeat(&self.branches, self.claims.len(), &mut Running(self));
        result.map_err(|error| self.located(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Counter, Evaluator};

    /// Files of `x AND y` and `x XOR y`, of two bits each.
    fn files() -> Vec<BristolFile> {
        let gate = |kind: &str| format!("2 6\n2 2 2\n1 2\n\n2 1 0 2 4 {kind}\n2 1 1 3 5 {kind}\n");
        let folder = tempfile::tempdir().expect("a folder");
        let open = |kind| {
            let path = folder.path().join(kind);
            std::fs::write(&path, gate(kind)).expect("written");
            BristolFile::open(path).expect("well-formed")
        };
        vec![open("AND"), open("XOR")]
    }

    fn claim(text: &str) -> Claim<F2> {
        Claim::parse(text.as_bytes(), "claim", files()[0].signature()).expect("well-formed")
    }

    fn witness(text: &str, batch: &FileBatch) -> Witness<F2> {
        Witness::parse(text.as_bytes(), "witness", &batch.signature()).expect("well-formed")
    }

    fn batch() -> FileBatch {
        let claims = [claim("input 0 = 0b10\noutput 0 = 0b10\n"), claim("input 0 = 0b11\noutput 0 = 0b01\n")];
        FileBatch::new(files(), &claims).expect("sound")
    }

    #[test]
    fn each_repetition_has_its_claim_and_its_circuit() {
        let batch = batch();
        assert_eq!(batch.counts(), [2, 2]);
        // 10 AND 11 = 10, or 10 XOR 00 = 10; 11 AND 01 = 01, or 11 XOR 10 = 01.
        for (first, second, holds) in [
            ((0, "0b11"), (1, "0b10"), true),
            ((1, "0b00"), (0, "0b01"), true),
            ((1, "0b11"), (0, "0b01"), false),
            ((1, "0b00"), (1, "0b01"), false),
            ((0, "0b00"), (0, "0b01"), false),
        ] {
            let known = [first, second].map(|(index, text)| (index, witness(text, &batch)));
            let statement = batch.clone().with_witnesses(known.into()).expect("fits");
            assert_eq!(Evaluator::<F2>::check(&statement).is_ok(), holds, "{first:?}, {second:?}");
        }
        assert!(matches!(Evaluator::<F2>::check(&batch), Err(Error::Witness(_))));
        assert_eq!(Counter::<F2>::count(&batch).expect("counts").total().disjunctions, 2);
    }

    #[test]
    fn claims_of_different_kinds_and_wrong_witnesses_are_refused() {
        let public = |result: Result<FileBatch, Error>| matches!(result, Err(Error::Public(_)));
        let one = claim("input 0 = 0b10\noutput 0 = 0b10\n");
        assert!(public(FileBatch::new(files(), &[])));
        assert!(public(FileBatch::new(Vec::new(), core::slice::from_ref(&one))));
        assert!(public(FileBatch::new(files(), &[one.clone(), claim("input 1 = 0b10\noutput 0 = 0b10\n")])));
        assert!(public(FileBatch::new(files(), &[claim("output 0 = any\n")])));
        let batch = FileBatch::new(files(), &[one]).expect("sound");
        let refused = |known| matches!(batch.clone().with_witnesses(known), Err(Error::Witness(_)));
        let good = witness("0b11", &batch);
        assert!(refused(Vec::new()));
        assert!(refused(vec![(0, good.clone()), (0, good.clone())]));
        assert!(refused(vec![(2, good)]));
        assert!(refused(vec![(0, Witness::new(vec![F2::ONE; 3]))]));
    }

    #[test]
    fn circuits_with_other_inputs_are_refused() {
        let mut files = files();
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("wide");
        std::fs::write(&path, "1 4\n2 2 1\n1 1\n\n2 1 0 2 3 AND\n").expect("written");
        files.push(BristolFile::open(path).expect("well-formed"));
        let refused = FileBatch::new(files, &[claim("output 0 = 0b10\n")]);
        assert!(matches!(refused, Err(Error::Public(reason)) if reason.contains("wide")));
    }
}
