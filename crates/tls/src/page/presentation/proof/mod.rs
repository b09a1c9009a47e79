//! Claims about leaves, as statements that are proved to anybody.
//!
//! ```text
//! secret    content, salt
//! claimed   SHA-256(salt | index | padded content) = digest         as in the notary's proof
//!           the first and the last byte are quotation marks         of a string of a run, whose class V does not know
//!           the content, or what is between them, is of the class   of any value of a run
//!           the claim holds for it
//! ```
//!
//! Everything public is in the statement's digest, and so in the proof's challenge.
//!
//! The proofs come with the feature `claim-proofs`, which is on by default. Without it there are the same
//! functions, but they return [`PresentationError::Missing`].

#[cfg(not(feature = "claim-proofs"))]
mod absent;
#[cfg(feature = "claim-proofs")]
mod zkbpp;

#[cfg(not(feature = "claim-proofs"))]
use absent as system;
#[cfg(feature = "claim-proofs")]
use zkbpp as system;

use rand_core::CryptoRng;
use volery_circuit::gadgets::bytes_to_bits;
use volery_circuit::{Circuit, Digest, Error, Prove, Statement};
use volery_field::F2;
use zeroize::Zeroizing;

use super::PresentationError;
use super::names::NamedLeaf;
use crate::page::attestation::Context;
use crate::page::claim::{self, Assertion, Class, put_assertion};
use crate::page::leaf::{LeafKind, SALT, assert_digest};

/// A claim about the content of a leaf.
pub(super) struct LeafClaim<'a> {
    /// SHA-256 of the attestation.
    pub(super) attestation: [u8; 32],
    pub(super) context: &'a Context,
    pub(super) leaf: NamedLeaf<'a>,
    /// Bytes of the content.
    pub(super) length: usize,
    pub(super) class: Class,
    pub(super) claim: Assertion,
}

/// The statement of a claim: its circuits, and at the holder content and salt.
struct ClaimStatement<'a> {
    claim: &'a LeafClaim<'a>,
    /// They take the bits of the content's inside.
    circuits: Vec<Circuit<F2>>,
    witness: Option<Zeroizing<Vec<F2>>>,
}

impl LeafClaim<'_> {
    /// Bytes that the claim is about.
    fn inner(&self) -> usize {
        self.leaf.inner(self.class, self.length).len()
    }

    /// The number of gates with those of this claim, at most `most`.
    pub(super) fn count(&self, gates: usize, most: usize) -> Result<usize, PresentationError> {
        let left = most.saturating_sub(gates);
        let own =
            claim::size(&self.claim, self.class, self.inner(), left).map_err(PresentationError::Claim)?;
        own.and_then(|own| gates.checked_add(own.gates)).ok_or_else(|| {
            PresentationError::Claim(Error::Public("all claims together take more than 2^22 gates".into()))
        })
    }

    /// At the holder: the proof.
    pub(super) fn prove<R: CryptoRng>(
        &self,
        (content, salt): (&[u8], &[u8; SALT]),
        rng: &mut R,
    ) -> Result<Vec<u8>, PresentationError> {
        let mut witness = Zeroizing::new(Vec::with_capacity(8 * (content.len() + SALT)));
        witness.extend(Zeroizing::new(bytes_to_bits(content)).iter().copied());
        witness.extend(Zeroizing::new(bytes_to_bits(salt)).iter().copied());
        let circuits = self.circuits().map_err(PresentationError::Claim)?;
        system::prove(&ClaimStatement { claim: self, circuits, witness: Some(witness) }, rng)
    }

    /// Verifies a proof.
    pub(super) fn verify(&self, proof: &[u8]) -> Result<(), PresentationError> {
        let circuits = self.circuits().map_err(PresentationError::Claim)?;
        system::verify(&ClaimStatement { claim: self, circuits, witness: None }, proof)
    }

    fn circuits(&self) -> Result<Vec<Circuit<F2>>, Error> {
        let claim = claim::circuit(&self.claim, self.class, self.inner())?;
        let mut circuits = vec![claim];
        // The notary has proved the class of all other leaves.
        if matches!(self.leaf.found.kind, LeafKind::Value { .. }) {
            circuits.push(claim::circuit(&self.class, self.class, self.inner())?);
        }
        Ok(circuits)
    }
}

impl ClaimStatement<'_> {
    fn claim<B: Prove<F2> + ?Sized>(&self, b: &mut B) -> Result<(), B::Error> {
        let LeafClaim { leaf, length, class, .. } = self.claim;
        let mut content = b.secret(8 * (length + SALT), &mut |_| {
            let witness = self.witness.as_ref().map(|witness| witness.to_vec());
            witness.ok_or_else(|| Error::Witness("the content of a leaf".into()))
        })?;
        let salt = content.split_off(8 * length);
        let mut inside = content.clone();
        if leaf.is_quoted(*class) {
            inside = content.get(8..content.len().saturating_sub(8)).unwrap_or_default().to_vec();
            for quote in content.first_chunk::<8>().into_iter().chain(content.last_chunk()) {
                let bits = quote.iter().zip(bytes_to_bits(b"\""));
                let differences: Vec<_> = bits.map(|(wire, bit)| b.add_constant(wire, bit)).collect();
                b.assert_zero(&differences)?;
            }
        }
        for circuit in &self.circuits {
            circuit.run(b, inside.clone())?;
        }
        if let LeafKind::Value { room, .. } = leaf.found.kind {
            let mut padding = vec![0; room.saturating_sub(*length)];
            padding.iter_mut().take(1).for_each(|first| *first = 0x80);
            content.extend(bytes_to_bits(&padding).into_iter().map(|bit| b.constant(bit)));
        }
        assert_digest(b, &salt, leaf.index(), &content, leaf.found.digest)
    }
}

impl<B: Prove<F2> + ?Sized> Statement<B> for ClaimStatement<'_> {
    fn identify(&self, digest: &mut Digest) {
        let LeafClaim { attestation, context, leaf, length, class, claim } = self.claim;
        let mut encoded = Vec::new();
        put_assertion(&mut encoded, claim);
        digest.bytes("statement", b"volery presentation: claim v1");
        digest.bytes("attestation", attestation).bytes("context", context.as_bytes());
        digest.number("leaf", leaf.index().into()).bytes("digest", leaf.found.digest);
        digest.number("length", *length as u64).number("class", class.code().into());
        digest.bytes("claim", &encoded);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        self.claim(b)
    }
}
