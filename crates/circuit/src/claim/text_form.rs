//! Claims as text: reading and writing the module's format.

use std::io::{self, Read, Write};

use zeroize::Zeroizing;

use super::Claim;
use crate::bristol::FileRing;
use crate::text::{self, Entry, Names};
use crate::{Error, Signature};

impl<R: FileRing> Claim<R> {
    /// Reads a claim about a circuit with this `signature` from a file; `what` names it in errors.
    ///
    /// # Errors
    /// [`Error::Io`] if reading fails, and the errors of [`Claim::parse`].
    pub fn read(source: impl Read, what: &str, signature: &Signature) -> Result<Self, Error> {
        Self::parse(&content::<R>(source, what, signature)?, what, signature)
    }

    /// Writes the claim as [`Claim::read`] reads it. It names inputs and outputs as `signature` does.
    ///
    /// # Errors
    /// Any error of the writer.
    pub fn write(&self, signature: &Signature, mut out: impl Write) -> io::Result<()> {
        let inputs = signature.inputs.iter().map(|input| &input.name).zip(&self.inputs);
        for (name, values) in inputs {
            if let Some(values) = values.as_ref().filter(|values| !values.is_empty()) {
                writeln!(out, "{name} = {}", R::text(values))?;
            }
        }
        let outputs = signature.outputs.iter().map(|output| &output.name).zip(&self.outputs);
        for (name, values) in outputs {
            match values.as_ref().filter(|values| !values.is_empty()) {
                Some(values) => writeln!(out, "{name} = {}", R::text(values))?,
                None => writeln!(out, "{name} = any")?,
            }
        }
        Ok(())
    }

    /// Parses a claim (see the [module's](super) format) about a circuit with this `signature`.
    ///
    /// # Errors
    /// [`Error::Malformed`] with the place; [`Error::Public`] if an output is not mentioned.
    pub fn parse(content: &[u8], what: &str, signature: &Signature) -> Result<Self, Error> {
        let (claim, mentioned) = Self::entries(content, what, signature)?;
        if let Some(index) = mentioned.iter().position(|&mentioned| !mentioned) {
            let name = &signature.outputs[index].name;
            return Err(Error::Public(format!(
                "say what \"{name}\" must be (`{name} = any` leaves it open)"
            )));
        }
        Ok(claim)
    }

    /// A claim, and for each output whether `content` mentions it.
    pub(super) fn entries(
        content: &[u8],
        what: &str,
        signature: &Signature,
    ) -> Result<(Self, Vec<bool>), Error> {
        let inputs = Names::new(signature.inputs.iter().map(|input| input.name.as_str()));
        let outputs = Names::new(signature.outputs.iter().map(|output| output.name.as_str()));
        let mut claim = Self::open(signature);
        let mut mentioned = vec![false; signature.outputs.len()];
        for entry in text::entries(content, what) {
            let entry = entry?;
            let Some(name) = entry.name else {
                return Err(entry.error(entry.start, "expected `name = value`"));
            };
            if let Some(index) = inputs.find(name) {
                unset(&entry, claim.inputs[index].is_some())?;
                claim.inputs[index] = Some(elements(&entry, signature.inputs[index].width)?);
            } else if let Some(index) = outputs.find(name) {
                unset(&entry, mentioned[index])?;
                mentioned[index] = true;
                if entry.value() != b"any" {
                    claim.outputs[index] = Some(elements(&entry, signature.outputs[index].width)?);
                }
            } else {
                return Err(entry.error(entry.start, "the circuit has no input or output of this name"));
            }
        }
        Ok((claim, mentioned))
    }
}

/// All of a claim's text, if it is no longer than its values can need.
pub(super) fn content<R: FileRing>(
    source: impl Read,
    what: &str,
    signature: &Signature,
) -> Result<Zeroizing<Vec<u8>>, Error> {
    let inputs = signature.inputs.iter().map(|input| input.width);
    let outputs = signature.outputs.iter().map(|output| output.width);
    text::read_all(source, what, R::text_bytes(inputs.chain(outputs).map(u64::from).sum()))
}

fn unset(entry: &Entry<'_>, set: bool) -> Result<(), Error> {
    if set { Err(entry.error(entry.start, "this has a value already")) } else { Ok(()) }
}

fn elements<R: FileRing>(entry: &Entry<'_>, width: u32) -> Result<Vec<R>, Error> {
    Ok(R::values(entry, width)?.to_vec())
}

#[cfg(test)]
pub(super) mod tests {
    use volery_field::{F2, Z64};

    use super::*;
    use crate::{Input, Output};

    fn signature() -> Signature {
        let input = |name: &str, width| Input { name: name.into(), width, public: false };
        let output = |name: &str, width| Output { name: name.into(), width };
        Signature {
            inputs: vec![input("input 0", 4), input("input 1", 2)],
            outputs: vec![output("output 0", 4), output("output 1", 1)],
        }
    }

    pub(in super::super) fn parse(content: &str) -> Result<Claim<F2>, Error> {
        Claim::parse(content.as_bytes(), "p", &signature())
    }

    #[test]
    fn a_claim_is_read_with_its_open_parts() {
        let claim = parse("input 1 = 0b10\noutput 0=0x1 # one\noutput 1 = any").expect("valid");
        let bits = |values: &[u8]| Some(values.iter().map(|&v| F2::new(v == 1)).collect::<Vec<_>>());
        let expected = Claim::new(vec![None, bits(&[0, 1])], vec![bits(&[1, 0, 0, 0]), None], &signature())
            .expect("fits");
        assert_eq!(claim, expected);
        assert!(claim.mark(signature()).inputs[1].public && !claim.mark(signature()).inputs[0].public);
    }

    #[test]
    fn every_malformed_claim_is_refused_with_its_place() {
        for (content, line, column, reason) in [
            ("0x1", 1, 1, "name = value"),
            ("output 2 = 0x1", 1, 1, "no input or output"),
            ("output 0 = 0x1\n output 0 = any", 2, 2, "already"),
            ("input 0 = 0x1\ninput 0 = 0x1", 2, 1, "already"),
            ("input 0 = any", 1, 11, "0x"),
            ("output 0 = 0x11", 1, 12, "1 hex digit, not 2"),
        ] {
            match parse(content).expect_err(content) {
                Error::Malformed { line: l, column: c, reason: r, .. } => {
                    assert_eq!((l, c), (line, column), "{content:?}: {r}");
                    assert!(r.contains(reason), "{content:?}: {r}");
                }
                other => panic!("{content:?}: {other}"),
            }
        }
    }

    #[test]
    fn a_claim_over_a_ring_is_read_as_decimal_numbers() {
        let parse = |content: &str| Claim::<Z64>::parse(content.as_bytes(), "p", &signature());
        let claim = parse("input 1 = 7 -1 # two\noutput 0= 0 18446744073709551615 007\t4\noutput 1 = any");
        let numbers = |values: &[u64]| Some(values.iter().map(|&n| Z64::new(n)).collect::<Vec<_>>());
        let inputs = vec![None, numbers(&[7, u64::MAX])];
        let outputs = vec![numbers(&[0, u64::MAX, 7, 4]), None];
        assert_eq!(claim, Ok(Claim::new(inputs, outputs, &signature()).expect("fits")));
        for (content, column, reason) in [
            ("input 1 = 7", 11, "2 numbers"),
            ("input 1 = 7 8 9", 15, "one number too many"),
            ("input 1 = 7 18446744073709551616", 13, "below Z64's modulus"),
            ("input 1 = 0x7 8", 12, "decimal"),
            ("input 1 = any", 11, "decimal"),
        ] {
            match parse(content).expect_err(content) {
                Error::Malformed { line: 1, column: c, reason: r, .. } => {
                    assert!(c == column && r.contains(reason), "{content:?}: {c}: {r}");
                }
                other => panic!("{content:?}: {other}"),
            }
        }
    }

    #[test]
    fn a_claim_is_read_as_it_was_written() {
        fn written<R: FileRing>(content: &str) -> String {
            let claim = Claim::<R>::parse(content.as_bytes(), "p", &signature()).expect("well-formed");
            let mut text = Vec::new();
            claim.write(&signature(), &mut text).expect("memory");
            assert_eq!(Claim::parse(&text, "p", &signature()), Ok(claim));
            String::from_utf8(text).expect("ASCII")
        }
        let bits = "input 1 = 0b10\noutput 0 = 0xa\noutput 1 = any\n";
        assert_eq!(written::<F2>("output 1=any\n output 0 = 0b1010\n\ninput 1 = 0x2"), bits);
        let words = "input 1 = 7 18446744073709551615\noutput 0 = 0 1 2 3\noutput 1 = 5\n";
        assert_eq!(written::<Z64>("input 1 = 7 -1\noutput 0 = 0 1 2 3\noutput 1 = 005"), words);
    }

    #[test]
    fn an_output_left_out_is_an_error_that_says_how_to_leave_it_open() {
        let error = parse("output 0 = 0x1").expect_err("output 1 is missing");
        assert!(matches!(error, Error::Public(reason) if reason.contains("`output 1 = any`")));
    }
}
