//! Claims: the public side of "this circuit, on these public inputs and some secret ones, gives these
//! outputs".
//!
//! A claim about a circuit over bits or a ring can be read from a text file, with one line for each public
//! input and one for *each* output:
//!
//! ```text
//! input 1  = 0x00112233445566778899aabbccddeeff     # public; every input not named is secret
//! output 0 = 0x69c4e0d86a7b0430d8cdb78070b4c55a     # what it must be
//! output 1 = any                                    # deliberately left open
//! ```
//!
//! Values are written as in a [witness](crate::Witness); over a ring, as decimal [numbers](crate::numbers),
//! one for each wire of the input or output (`input 1 = 5 -7`). A missing output is an error, because the
//! file would look like a claim about it without being one. So is a claim in which every output is `any`,
//! unless the circuit itself asserts something.

use std::io::Read;

use volery_field::Ring;

use crate::bristol::FileRing;
use crate::elements::{bring_in, encode};
use crate::text::{self, Entry, Names};
use crate::{Digest, Error, Prove, Signature, Witness};

/// The public inputs of a circuit, and the values that its outputs must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim<R> {
    inputs: Vec<Option<Vec<R>>>,
    outputs: Vec<Option<Vec<R>>>,
}

impl<R: Ring> Claim<R> {
    /// A claim with one entry for each input (`None`: secret) and each output (`None`: anything).
    ///
    /// # Errors
    /// [`Error::Public`] if the numbers or widths differ from those of `signature`.
    pub fn new(
        inputs: Vec<Option<Vec<R>>>,
        outputs: Vec<Option<Vec<R>>>,
        signature: &Signature,
    ) -> Result<Self, Error> {
        let claim = Self { inputs, outputs };
        claim.suits(signature)?;
        Ok(claim)
    }

    /// Checks that numbers and widths are those of `signature`.
    pub(crate) fn suits(&self, signature: &Signature) -> Result<(), Error> {
        let inputs = signature.inputs.iter().map(|input| (input.name.as_str(), input.width));
        let outputs = signature.outputs.iter().map(|output| (output.name.as_str(), output.width));
        widths_fit("input", &self.inputs, inputs)?;
        widths_fit("output", &self.outputs, outputs)
    }

    /// `signature` with each input marked public or secret as in this claim.
    #[must_use]
    pub fn mark(&self, mut signature: Signature) -> Signature {
        for (input, value) in signature.inputs.iter_mut().zip(&self.inputs) {
            input.public = value.is_some();
        }
        signature
    }

    /// Whether any output wire must have a value. An output without wires claims nothing.
    #[must_use]
    pub fn says_something(&self) -> bool {
        self.outputs.iter().flatten().any(|values| !values.is_empty())
    }

    /// Whether any input is public.
    pub(crate) fn has_public_inputs(&self) -> bool {
        self.inputs.iter().any(Option::is_some)
    }

    /// Absorbs the claim.
    pub fn identify(&self, digest: &mut Digest) {
        for (label, values) in [("claim: inputs", &self.inputs), ("claim: outputs", &self.outputs)] {
            digest.number(label, values.len() as u64);
            for value in values {
                match value {
                    None => digest.bytes("open", &[]),
                    Some(elements) => digest.bytes("fixed", &encode(elements)),
                };
            }
        }
    }

    /// The number of secret wires of `signature`.
    pub(crate) fn secret_width(&self, signature: &Signature) -> u64 {
        let open = signature.inputs.iter().zip(&self.inputs).filter(|(_, value)| value.is_none());
        open.map(|(input, _)| u64::from(input.width)).sum()
    }

    /// Checks that `witness` has one value for every secret wire of `signature`.
    pub(crate) fn fits(&self, witness: &Witness<R>, signature: &Signature) -> Result<(), Error> {
        let needed = self.secret_width(signature);
        let got = witness.values().len() as u64;
        if got == needed {
            return Ok(());
        }
        Err(Error::Witness(format!("{got} values for {needed} secret wires")))
    }

    /// The claimed values, public inputs first: one element for each wire that [`Claim::wires_from`] and
    /// [`Claim::assert_equal`] take.
    pub(crate) fn elements(&self) -> impl Iterator<Item = R> + '_ {
        self.inputs.iter().chain(&self.outputs).flatten().flatten().copied()
    }

    /// Whether the two claims have the same public inputs and the same claimed outputs, whatever the values.
    pub(crate) fn is_about_what(&self, other: &Self) -> bool {
        let open =
            |claim: &Self| Vec::from_iter(claim.inputs.iter().chain(&claim.outputs).map(Option::is_none));
        self.inputs.len() == other.inputs.len() && open(self) == open(other)
    }

    /// The input wires of `signature` in order: constants for public inputs, `witness`'s values for secret
    /// ones.
    pub(crate) fn wires<B: Prove<R>>(
        &self,
        backend: &mut B,
        signature: &Signature,
        witness: Option<&Witness<R>>,
    ) -> Result<Vec<B::Wire>, B::Error> {
        let public = self.inputs.iter().flatten().flatten().map(|&c| backend.constant(c));
        let public = Vec::from_iter(public);
        self.wires_from(backend, signature, public, witness)
    }

    /// As [`Claim::wires`], with the wires of the `public` inputs given, one after the other.
    pub(crate) fn wires_from<B: Prove<R>>(
        &self,
        backend: &mut B,
        signature: &Signature,
        public: impl IntoIterator<Item = B::Wire>,
        witness: Option<&Witness<R>>,
    ) -> Result<Vec<B::Wire>, B::Error> {
        let (mut wires, mut public) = (Vec::new(), public.into_iter());
        let mut taken = 0;
        for (input, value) in signature.inputs.iter().zip(&self.inputs) {
            let width = input.width as usize;
            backend.enter(&input.name);
            if value.is_some() {
                wires.extend(public.by_ref().take(width));
            } else {
                bring_in(backend, width, taken, witness, &mut wires)?;
                taken += width;
            }
            backend.leave();
        }
        Ok(wires)
    }

    /// Asserts that the `outputs` of `signature` have the claimed values.
    pub(crate) fn assert<B: Prove<R>>(
        &self,
        backend: &mut B,
        signature: &Signature,
        outputs: &[B::Wire],
    ) -> Result<(), B::Error> {
        let claimed = self.outputs.iter().flatten().flatten();
        self.each_claimed(backend, signature, outputs, claimed, |b, wire, c| b.add_constant(wire, -*c))
    }

    /// As [`Claim::assert`], with the wires of the claimed values given, one after the other.
    pub(crate) fn assert_equal<B: Prove<R>>(
        &self,
        backend: &mut B,
        signature: &Signature,
        outputs: &[B::Wire],
        claimed: &[B::Wire],
    ) -> Result<(), B::Error> {
        self.each_claimed(backend, signature, outputs, claimed, |b, wire, claimed| b.sub(wire, claimed))
    }

    /// Asserts that every output that is not open equals what is `claimed`: that their `difference` is zero.
    fn each_claimed<B: Prove<R>, C>(
        &self,
        backend: &mut B,
        signature: &Signature,
        outputs: &[B::Wire],
        claimed: impl IntoIterator<Item = C>,
        difference: impl Fn(&mut B, &B::Wire, C) -> B::Wire,
    ) -> Result<(), B::Error> {
        let (mut rest, mut claimed) = (outputs, claimed.into_iter());
        for (output, value) in signature.outputs.iter().zip(&self.outputs) {
            let (wires, others) = rest
                .split_at_checked(output.width as usize)
                .ok_or_else(|| Error::misuse("the circuit returned too few outputs"))?;
            rest = others;
            if value.is_none() {
                continue;
            }
            backend.enter(&output.name);
            let pairs = wires.iter().zip(claimed.by_ref());
            let differences = Vec::from_iter(pairs.map(|(wire, claimed)| difference(backend, wire, claimed)));
            if differences.len() != wires.len() {
                return Err(Error::misuse("too few wires for what is claimed about the outputs").into());
            }
            backend.assert_zero(&differences)?;
            backend.leave();
        }
        Ok(())
    }
}

fn widths_fit<'a, R>(
    what: &str,
    values: &[Option<Vec<R>>],
    shapes: impl ExactSizeIterator<Item = (&'a str, u32)>,
) -> Result<(), Error> {
    if values.len() != shapes.len() {
        return Err(Error::Public(format!("{} {what} entries for {} {what}s", values.len(), shapes.len())));
    }
    for (value, (name, width)) in values.iter().zip(shapes) {
        if let Some(got) = value.as_ref().map(Vec::len).filter(|&got| got != width as usize) {
            return Err(Error::Public(format!("{got} elements for the {width} wires of \"{name}\"")));
        }
    }
    Ok(())
}

impl<R: FileRing> Claim<R> {
    /// Reads a claim about a circuit with this `signature` from a file; `what` names it in errors.
    ///
    /// # Errors
    /// [`Error::Io`] if reading fails, and the errors of [`Claim::parse`].
    pub fn read(source: impl Read, what: &str, signature: &Signature) -> Result<Self, Error> {
        let inputs = signature.inputs.iter().map(|input| input.width);
        let outputs = signature.outputs.iter().map(|output| output.width);
        let wires = inputs.chain(outputs).map(u64::from).sum();
        let content = text::read_all(source, what, R::text_bytes(wires))?;
        Self::parse(&content, what, signature)
    }

    /// Parses a claim (see the [module's](self) format) about a circuit with this `signature`.
    ///
    /// # Errors
    /// [`Error::Malformed`] with the place; [`Error::Public`] if an output is not mentioned.
    pub fn parse(content: &[u8], what: &str, signature: &Signature) -> Result<Self, Error> {
        let inputs = Names::new(signature.inputs.iter().map(|input| input.name.as_str()));
        let outputs = Names::new(signature.outputs.iter().map(|output| output.name.as_str()));
        let mut claim =
            Self { inputs: vec![None; signature.inputs.len()], outputs: vec![None; signature.outputs.len()] };
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
        if let Some(index) = mentioned.iter().position(|&mentioned| !mentioned) {
            let name = &signature.outputs[index].name;
            return Err(Error::Public(format!(
                "say what \"{name}\" must be (`{name} = any` leaves it open)"
            )));
        }
        Ok(claim)
    }
}

fn unset(entry: &Entry<'_>, set: bool) -> Result<(), Error> {
    if set { Err(entry.error(entry.start, "this has a value already")) } else { Ok(()) }
}

fn elements<R: FileRing>(entry: &Entry<'_>, width: u32) -> Result<Vec<R>, Error> {
    Ok(R::values(entry, width)?.to_vec())
}

#[cfg(test)]
mod tests {
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

    fn parse(content: &str) -> Result<Claim<F2>, Error> {
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
            ("output 0 = 0x11", 1, 12, "1 hex digits"),
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
    fn an_output_left_out_is_an_error_that_says_how_to_leave_it_open() {
        let error = parse("output 0 = 0x1").expect_err("output 1 is missing");
        assert!(matches!(error, Error::Public(reason) if reason.contains("`output 1 = any`")));
    }

    #[test]
    fn a_claim_says_something_if_a_wire_must_have_a_value() {
        assert!(parse("output 0 = 0x1\noutput 1 = any").expect("valid").says_something());
        assert!(!parse("input 1 = 0b10\noutput 0 = any\noutput 1 = any").expect("valid").says_something());
        let none =
            Signature { inputs: Vec::new(), outputs: vec![Output { name: "output 0".into(), width: 0 }] };
        let empty = Claim::<F2>::new(Vec::new(), vec![Some(Vec::new())], &none).expect("fits");
        assert!(!empty.says_something());
    }

    #[test]
    fn claims_that_differ_have_different_identities() {
        let digest = |content: &str| {
            let mut digest = Digest::new();
            parse(content).expect("valid").identify(&mut digest);
            digest.finish()
        };
        let all = [
            digest("output 0 = 0x1\noutput 1 = any"),
            digest("output 0 = 0x2\noutput 1 = any"),
            digest("output 0 = any\noutput 1 = 0b1"),
            digest("input 0 = 0x0\noutput 0 = 0x1\noutput 1 = any"),
            digest("input 1 = 0x0\noutput 0 = 0x1\noutput 1 = any"),
        ];
        for (i, a) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|b| a != b));
        }
    }
}
