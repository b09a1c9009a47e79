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

mod draft;
mod text_form;

use volery_field::{F2, Ring};

pub use draft::Draft;

use crate::bristol::{FileRing, Words as _};
use crate::elements::{bring_in, encode};
use crate::text::counted;
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
    pub(crate) fn says_something(&self) -> bool {
        self.outputs.iter().flatten().any(|values| !values.is_empty())
    }

    /// Whether any input is public.
    pub(crate) fn has_public_inputs(&self) -> bool {
        self.inputs.iter().any(Option::is_some)
    }

    /// Absorbs the claim.
    pub(crate) fn identify(&self, digest: &mut Digest) {
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
        Err(Error::Witness(format!("{} for {}", counted(got, "value"), counted(needed, "secret wire"))))
    }

    /// The claimed values, public inputs first: one element for each wire that [`Claim::wires_from`] and
    /// [`Claim::assert_equal`] take.
    pub(crate) fn elements(&self) -> impl Iterator<Item = R> + '_ {
        self.inputs.iter().chain(&self.outputs).flatten().flatten().copied()
    }

    /// The same claim with other values, in the order of [`Claim::elements`].
    pub(crate) fn with_elements(&self, elements: &[R]) -> Self {
        let mut claim = self.clone();
        let all = claim.inputs.iter_mut().chain(&mut claim.outputs).flatten().flatten();
        all.zip(elements).for_each(|(to, from)| *to = *from);
        claim
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
        self.each_claimed(backend, signature, outputs, |b, wires, values| b.assert_equal(wires, values))
    }

    /// As [`Claim::assert`], with the wires of the claimed values given, one after the other.
    pub(crate) fn assert_equal<B: Prove<R>>(
        &self,
        backend: &mut B,
        signature: &Signature,
        outputs: &[B::Wire],
        claimed: &[B::Wire],
    ) -> Result<(), B::Error> {
        let mut rest = claimed;
        self.each_claimed(backend, signature, outputs, |b, wires, values| {
            let (claimed, others) = rest
                .split_at_checked(values.len())
                .ok_or_else(|| Error::misuse("too few wires for what is claimed about the outputs"))?;
            rest = others;
            if b.takes_outputs(wires) {
                return Ok(());
            }
            let differences = Vec::from_iter(wires.iter().zip(claimed).map(|(x, y)| b.sub(x, y)));
            b.assert_zero(&differences)
        })
    }

    /// Calls `claim` with the wires and the claimed values of every output that is not open.
    fn each_claimed<B: Prove<R>>(
        &self,
        backend: &mut B,
        signature: &Signature,
        outputs: &[B::Wire],
        mut claim: impl FnMut(&mut B, &[B::Wire], &[R]) -> Result<(), B::Error>,
    ) -> Result<(), B::Error> {
        let mut rest = outputs;
        for (output, values) in signature.outputs.iter().zip(&self.outputs) {
            let (wires, others) = rest
                .split_at_checked(output.width as usize)
                .ok_or_else(|| Error::misuse("the circuit returned too few outputs"))?;
            rest = others;
            if let Some(values) = values {
                backend.enter(&output.name);
                claim(backend, wires, values)?;
                backend.leave();
            }
        }
        Ok(())
    }

    /// The claim of a circuit with this `signature` in which every input is secret and every output open.
    #[must_use]
    pub fn open(signature: &Signature) -> Self {
        Self { inputs: vec![None; signature.inputs.len()], outputs: vec![None; signature.outputs.len()] }
    }

    /// The same public inputs, with a value for every output of `signature` that `values` gives for all its
    /// outputs, one after the other.
    pub(crate) fn with_outputs(&self, values: &[R], signature: &Signature) -> Result<Self, Error> {
        let mut rest = values;
        let outputs = signature.outputs.iter().map(|output| {
            let (values, others) = rest
                .split_at_checked(output.width as usize)
                .ok_or_else(|| Error::misuse("too few values for the outputs"))?;
            rest = others;
            Ok(Some(values.to_vec()))
        });
        Ok(Self { outputs: outputs.collect::<Result<_, Error>>()?, inputs: self.inputs.clone() })
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
            return Err(Error::Public(format!(
                "{} for \"{name}\", which has {}",
                counted(got as u64, "element"),
                counted(width, "wire")
            )));
        }
    }
    Ok(())
}

impl<R: FileRing> Claim<R> {
    /// The first of these `outputs` of a circuit with this `signature` that has not the claimed value.
    pub(crate) fn contradicted(&self, signature: &Signature, outputs: &[R]) -> Option<Error> {
        let mut rest = outputs.iter();
        for (output, value) in signature.outputs.iter().zip(&self.outputs) {
            let computed: Vec<&R> = rest.by_ref().take(output.width as usize).collect();
            let Some(claimed) = value else { continue };
            let differ = claimed.iter().zip(computed).position(|(claimed, computed)| claimed != computed);
            if let Some(index) = differ {
                let place = match output.width {
                    1 if R::UNIT != F2::UNIT => output.name.clone(),
                    _ => format!("{}, {} {index}", output.name, R::UNIT),
                };
                let claimed = claimed.get(index).map_or(0, |value| value.to_number()).to_string();
                return Some(Error::Contradicted { place, claimed });
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::text_form::tests::parse;
    use super::*;
    use crate::Output;

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
