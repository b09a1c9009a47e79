//! A party's shares of the powers of `r`, and what it gives to the circuit.

use volery_field::{Element, F2, F130, Ring};
use volery_vole::{Oracle, SessionId};
use zeroize::{Zeroize, Zeroizing};

use super::{MIN_POWERS, element_bits};
use crate::Error;
use crate::wire::step::{BLOCK_BITS, ONE_TIME_KEY_BITS, POLY1305_SHARE_BITS, Step, TwoParty};

/// The messages that both parties know, from which the check's challenge is made.
pub(super) struct Messages {
    oracle: Oracle,
    /// The record's number among those of the session.
    number: u64,
    bytes: Vec<Vec<u8>>,
}

impl Messages {
    pub(super) fn new(session: &SessionId, number: u64) -> Self {
        Self { oracle: Oracle::new("tls: powers of Poly1305's key", session), number, bytes: Vec::new() }
    }

    /// Appends a message.
    pub(super) fn add(&mut self, message: &[u8]) {
        self.bytes.push(message.to_vec());
    }

    /// The challenge after all messages.
    pub(super) fn challenge(&self) -> F130 {
        let messages: Vec<&[u8]> = self.bytes.iter().map(Vec::as_slice).collect();
        let hash: [u8; 48] = self.oracle.hash(self.number, &messages);
        let mut blocks = [0; 3];
        blocks
            .iter_mut()
            .zip(hash.as_chunks().0)
            .for_each(|(block, bytes)| *block = u128::from_le_bytes(*bytes));
        F130::from_blocks(&blocks)
    }
}

/// A party's shares of `r, r^2, r^3, ...`; wiped on drop.
pub(crate) struct Shares {
    /// Entry `i - 1` is the share of `r^i`.
    powers: Zeroizing<Vec<F130>>,
    challenge: F130,
}

/// What a party gives to the circuits that check and finish a tag: shares of `-r`, `X`, `-Y` and `C(r)` as
/// bits (see the [module](super#the-check)).
pub(crate) struct TagInputs(Zeroizing<Vec<F2>>);

impl Shares {
    pub(super) fn new(powers: Zeroizing<Vec<F130>>, challenge: F130) -> Self {
        Self { powers, challenge }
    }

    /// The challenge of the check.
    #[cfg(test)]
    pub(super) fn challenge(&self) -> F130 {
        self.challenge
    }

    /// This party's inputs for the tag of a record with these [`coefficients`](super::coefficients).
    ///
    /// # Errors
    /// [`Error::Misuse`] for more coefficients than powers.
    pub(crate) fn inputs(&self, coefficients: &[F130]) -> Result<TagInputs, Error> {
        if coefficients.len() > self.powers.len() || self.powers.len() < MIN_POWERS {
            let reason =
                format!("a tag of {} blocks with {} powers of r", coefficients.len(), self.powers.len());
            return Err(Error::Misuse(reason));
        }
        let value = coefficients.iter().zip(self.powers.iter()).fold(F130::ZERO, |sum, (c, z)| sum + *c * *z);
        let (mut sum, mut next, mut rho) = (F130::ZERO, F130::ZERO, F130::ONE);
        for pair in self.powers.windows(2) {
            rho *= self.challenge;
            sum += rho * pair[0];
            next += rho * pair[1];
        }
        let first = self.powers.first().copied().unwrap_or_default();
        let mut elements = [-first, sum, -next, value];
        // In one piece from the start: a vector that grows leaves copies behind.
        let mut bits = Zeroizing::new(Vec::with_capacity(TagInputs::BITS));
        elements.iter().for_each(|x| bits.extend(element_bits(*x)));
        elements.zeroize();
        Ok(TagInputs(bits))
    }
}

impl TagInputs {
    /// The number of bits.
    pub(crate) const BITS: usize = 4 * POLY1305_SHARE_BITS;

    /// The bits.
    pub(crate) fn bits(&self) -> &[F2] {
        &self.0
    }

    /// The check's answer (one wire) and the tag (128), from the record's one-time key and the parties'
    /// [inputs](TagInputs::BITS), P's first.
    ///
    /// # Errors
    /// [`Error::Misuse`] for another number of wires; the machine's.
    pub(crate) fn finish<M: TwoParty + ?Sized>(
        machine: &mut M,
        key: &[M::Wire],
        inputs: [&[M::Wire]; 2],
    ) -> Result<[Vec<M::Wire>; 2], M::Error> {
        let [prover, verifier] = inputs;
        if key.len() != ONE_TIME_KEY_BITS || prover.len() != Self::BITS || verifier.len() != Self::BITS {
            return Err(Error::Misuse("a tag with another number of wires".into()).into());
        }
        let pairs = prover.chunks(POLY1305_SHARE_BITS).zip(verifier.chunks(POLY1305_SHARE_BITS));
        let mut shares = pairs.flat_map(|(p, v)| [p, v].concat()).collect::<Vec<_>>();
        let values = shares.split_off(6 * POLY1305_SHARE_BITS);
        let (r, s) = key.split_at(BLOCK_BITS);
        let right = machine.call(&Step::Poly1305Check, &[r, &shares].concat())?;
        let tag = machine.call(&Step::Poly1305Tag, &[&values, s].concat())?;
        Ok([right, tag])
    }
}
