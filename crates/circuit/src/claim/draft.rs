//! Claims whose outputs are to be computed: `volery compute`.

use std::io::Read;

use volery_field::Ring;
use zeroize::{Zeroize as _, Zeroizing};

use super::Claim;
use super::text_form::content;
use crate::bristol::FileRing;
use crate::{BristolFile, Error, Evaluator, Signature, Witness};

/// What is public about a circuit before its outputs are known: the public inputs, and the outputs that are
/// to stay open.
///
/// ```text
/// input 1  = 0x9f      # public; every input not named is secret
/// output 1 = any       # stays open; all other outputs are computed
/// ```
#[derive(Clone, Debug)]
pub struct Draft<R> {
    claim: Claim<R>,
    /// Whether each output stays open.
    open: Vec<bool>,
}

impl<R: Ring> Draft<R> {
    /// All inputs are secret, and all outputs are to be computed.
    #[must_use]
    pub fn new(signature: &Signature) -> Self {
        Self { claim: Claim::open(signature), open: vec![false; signature.outputs.len()] }
    }

    /// `signature` with each input marked public or secret.
    #[must_use]
    pub fn mark(&self, signature: Signature) -> Signature {
        self.claim.mark(signature)
    }
}

impl<R: FileRing> Draft<R> {
    /// Reads a draft about a circuit with this `signature` from a file; `what` names it in errors. Values of
    /// outputs are read and not used.
    ///
    /// # Errors
    /// [`Error::Io`] if reading fails; [`Error::Malformed`] with the place.
    pub fn read(source: impl Read, what: &str, signature: &Signature) -> Result<Self, Error> {
        Self::parse(&content::<R>(source, what, signature)?, what, signature)
    }

    /// Parses a draft about a circuit with this `signature`.
    ///
    /// # Errors
    /// [`Error::Malformed`] with the place.
    pub fn parse(content: &[u8], what: &str, signature: &Signature) -> Result<Self, Error> {
        let (claim, mentioned) = Claim::entries(content, what, signature)?;
        let open = claim.outputs.iter().zip(mentioned).map(|(value, mentioned)| mentioned && value.is_none());
        Ok(Self { open: open.collect(), claim })
    }

    /// The claim that holds for `witness`: what `file` puts out for it. In the clear.
    ///
    /// # Errors
    /// [`Error::Public`] if the draft does not fit the file; [`Error::Witness`] unless there is one value for
    /// each secret wire; what reading the file meets.
    pub fn complete(&self, file: &BristolFile<R>, witness: Witness<R>) -> Result<Claim<R>, Error> {
        let mut claim = file.claim(&self.claim, witness)?;
        let open = claim.outputs.iter_mut().zip(&self.open).filter(|(_, open)| **open);
        // Nobody is to see what an open output is.
        open.for_each(|(value, _)| value.take().unwrap_or_default().zeroize());
        Ok(claim)
    }
}

impl<R: FileRing> Claim<R> {
    /// What `file` puts out for the claim's public inputs and these secret ones. In the clear.
    pub(crate) fn outputs_of(
        &self,
        file: &BristolFile<R>,
        witness: &Witness<R>,
    ) -> Result<Zeroizing<Vec<R>>, Error> {
        let mut evaluator = Evaluator::new();
        let inputs = self.wires(&mut evaluator, file.signature(), Some(witness))?;
        Ok(Zeroizing::new(file.compute(&mut evaluator, inputs)?))
    }
}

#[cfg(test)]
mod tests {
    use volery_field::{F2, Z32};

    use super::*;
    use crate::FileStatement;

    /// A file of this circuit.
    fn file<R: FileRing>(text: &str) -> (tempfile::TempDir, BristolFile<R>) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("circuit");
        std::fs::write(&path, text).expect("written");
        let file = BristolFile::open(path).expect("well-formed");
        (folder, file)
    }

    /// `x AND y` of five bits each, and the first bit of `x`, inverted.
    const BITS: &str = "6 16\n2 5 5\n2 5 1\n\n2 1 0 5 10 AND\n2 1 1 6 11 AND\n2 1 2 7 12 AND\n\
                        2 1 3 8 13 AND\n2 1 4 9 14 AND\n1 1 0 15 INV\n";

    fn written<R: FileRing>(claim: &Claim<R>, file: &BristolFile<R>) -> String {
        let mut text = Vec::new();
        claim.write(file.signature(), &mut text).expect("memory");
        String::from_utf8(text).expect("ASCII")
    }

    fn statement<R: FileRing>(text: &str, witness: &Witness<R>, file: &BristolFile<R>) -> FileStatement<R> {
        let claim = Claim::parse(text.as_bytes(), "claim", file.signature()).expect("well-formed");
        let statement = FileStatement::new(file.clone(), claim).expect("sound");
        statement.with_witness(witness.clone()).expect("fits")
    }

    #[test]
    fn what_is_computed_is_a_claim_that_holds_and_no_other_value_does() {
        let (_folder, file) = file::<F2>(BITS);
        for (draft, witness, expected) in [
            ("", "0b10110\n0b11011\n", "output 0 = 0b10010\noutput 1 = 0b1\n"),
            (
                "input 1 = 0b11011 # public\noutput 1 = any",
                "0b10110\n",
                "input 1 = 0b11011\noutput 0 = 0b10010\noutput 1 = any\n",
            ),
            // A value that was there before makes no difference.
            ("output 0 = 0x1f", "0b00001\n0b00001\n", "output 0 = 0b00001\noutput 1 = 0b0\n"),
        ] {
            let draft = Draft::<F2>::parse(draft.as_bytes(), "draft", file.signature()).expect("well-formed");
            let signature = draft.mark(file.signature().clone());
            let witness = Witness::parse(witness.as_bytes(), "w", &signature).expect("well-formed");
            let text = written(&draft.complete(&file, witness.clone()).expect("computed"), &file);
            assert_eq!(text, expected);
            assert_eq!(Evaluator::check(&statement(&text, &witness, &file)), Ok(()));
            for (from, to, place, claimed) in [
                ("0 = 0b10010", "0 = 0b10110", "output 0, bit 2", "1"),
                ("1 = 0b1\n", "1 = 0b0\n", "output 1, bit 0", "0"),
            ] {
                let wrong = text.replace(from, to);
                let result = Evaluator::check(&statement(&wrong, &witness, &file));
                let (place, claimed) = (place.into(), claimed.into());
                let expected = Err(Error::Contradicted { place, claimed });
                assert_eq!(result, if wrong == text { Ok(()) } else { expected });
            }
        }
    }

    #[test]
    fn over_a_ring_numbers_are_computed() {
        let (_folder, file) = file::<Z32>("2 6\n2 2 2\n1 2\n\n2 1 0 2 4 MUL\n2 1 1 3 5 SUB\n");
        let witness = Witness::new([7, 1, 9, 2].map(Z32::new).to_vec());
        let claim = Draft::new(file.signature()).complete(&file, witness.clone()).expect("computed");
        assert_eq!(written(&claim, &file), "output 0 = 63 4294967295\n");
        let wrong = statement("output 0 = 63 5", &witness, &file);
        let expected = Error::Contradicted { place: "output 0, number 1".into(), claimed: "5".into() };
        assert_eq!(Evaluator::check(&wrong), Err(expected));
        let short = Witness::new(vec![Z32::new(7)]);
        assert!(matches!(Draft::new(file.signature()).complete(&file, short), Err(Error::Witness(_))));
    }
}
