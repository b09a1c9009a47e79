//! How the evaluator decodes an output label, and how the garbler checks that a value came from a label.
//!
//! ```text
//! decoding information of output bit i:   h_0 = H(i, Z),  h_1 = H(i, Z + D)          20 bytes each
//! returned with the values:               R(n, program, L_1 || L_2 || ..)      32 bytes for the n-th return
//! ```
//!
//! If an output is prepared, its decoding information is sent ahead under a key of its own. The key follows
//! when the output is to be decoded:
//!
//! ```text
//! sealed information of bits from i on:   (h_0 | h_1 | ..) + S(i, key)          40 bytes a bit ahead, 16 for any number of bits later
//! ```
//!
//! `S` gives one byte for each byte to seal. `i` counts decoded bits through the whole session, and both
//! oracles are bound to the session, so a hash made for one bit says nothing about another. `H` and `R` are
//! separate random oracles ([`Oracle`]).
//!
//! **The evaluator** aborts unless its label has one of the two hashes. If it trusted the colour instead, a
//! wrong table of the garbler's would make it return colours, which depend on its inputs bit by bit. With the
//! hashes it returns `b` only for a label with hash `h_b`, so a wrong garbling shows only whether it aborted.
//! To learn one bit more (from `R`, which depends on the label), a garbler must find two labels with one
//! hash. That takes `2^80` evaluations of `H` for each bit, after it knows the session and before the
//! evaluator's wait ends.
//!
//! **The garbler** accepts returned values only together with `R` of the labels that belong to them. The
//! evaluator has one label of each wire, and the other differs from it by the offset.

use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};
use volery_channel::tags::GARBLED_DECODING;
use volery_field::{F2, Gf128};
use volery_vole::{Oracle, SessionId};
use zeroize::Zeroizing;

use crate::Error;

/// Bytes of a label's hash.
const HASH: usize = 20;

/// Bytes of decoding information for a bit.
pub(crate) const DECODING_BYTES: usize = 2 * HASH;

/// Bytes of a hash of many labels.
pub(crate) const DIGEST_BYTES: usize = 32;

/// The length of the key that opens sealed information, in bytes.
pub(crate) const SEAL_BYTES: usize = 16;

/// All hashes, and the numbers of what was hashed.
pub(crate) struct Decoding {
    labels: Oracle,
    seals: Oracle,
    returned: Oracle,
    bits: u64,
    returns: u64,
}

impl Decoding {
    pub(crate) fn new(session: &SessionId) -> Self {
        Self {
            labels: Oracle::new("garble: decoding", session),
            seals: Oracle::new("garble: sealed decoding", session),
            returned: Oracle::new("garble: returned", session),
            bits: 0,
            returns: 0,
        }
    }

    /// Reserves the next `n` bits, and returns the number of the first.
    pub(crate) fn reserve(&mut self, n: usize) -> u64 {
        let first = self.bits;
        self.bits += n as u64;
        first
    }

    /// The decoding information of the bits from number `first` on, from their labels of 0.
    pub(crate) fn encode(&self, first: u64, zeros: &[Gf128], offset: Gf128) -> Vec<u8> {
        let mut out = Vec::with_capacity(DECODING_BYTES * zeros.len());
        for (i, zero) in (first..).zip(zeros) {
            for label in [*zero, *zero + offset] {
                out.extend_from_slice(&self.hash(i, label));
            }
        }
        out
    }

    /// Seals the information of the bits from number `first` on, or opens what was sealed with this key.
    pub(crate) fn seal(&self, first: u64, key: &[u8; SEAL_BYTES], information: &mut [u8]) {
        let mut stream = vec![0; information.len()];
        self.seals.stream(first, &[key], &mut stream);
        information.iter_mut().zip(stream).for_each(|(byte, mask)| *byte ^= mask);
    }

    /// The values of the bits from number `first` on, from their labels and the output of
    /// [`Decoding::encode`] for them.
    ///
    /// The error does not say which bit failed, because that would depend on secrets.
    pub(crate) fn decode(&self, first: u64, labels: &[Gf128], information: &[u8]) -> Result<Vec<F2>, Error> {
        let (pairs, rest) = information.as_chunks::<DECODING_BYTES>();
        if pairs.len() != labels.len() || !rest.is_empty() {
            let reason = format!("{} bytes to decode {} bits", information.len(), labels.len());
            return Err(Error::malformed(GARBLED_DECODING, reason));
        }
        let (mut values, mut all) = (Vec::with_capacity(labels.len()), Choice::from(1));
        for (i, (label, pair)) in (first..).zip(labels.iter().zip(pairs)) {
            let hash = self.hash(i, *label);
            let (zero, one) = pair.split_at(HASH);
            if zero == one {
                return Err(Error::malformed(GARBLED_DECODING, "the same hash for 0 and for 1"));
            }
            let (zero, one) = (hash.ct_eq(zero), hash.ct_eq(one));
            all &= zero | one;
            values.push(F2::from_lsb(u8::conditional_select(&0, &1, one).into()));
        }
        if bool::from(all) {
            return Ok(values);
        }
        Err(Error::cheat(GARBLED_DECODING, "the decoding of an output"))
    }

    /// The hash that is returned together with values, from the labels that they came from.
    pub(crate) fn digest(&mut self, program: &[u8; 32], labels: &[Gf128]) -> [u8; DIGEST_BYTES] {
        let mut bytes = Zeroizing::new(Vec::with_capacity(16 * labels.len()));
        labels.iter().for_each(|label| bytes.extend_from_slice(&label.to_bytes()));
        self.returns += 1;
        self.returned.hash(self.returns, &[program, &bytes])
    }

    fn hash(&self, i: u64, label: Gf128) -> [u8; HASH] {
        self.labels.hash(i, &[&label.to_bytes()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: SessionId = SessionId::new([4; 32]);

    fn sample() -> (Vec<Gf128>, Gf128) {
        let mut labels = vec![Gf128::ZERO; 9];
        volery_vole::Prg::new([2; 16]).blocks(&mut labels);
        let offset = labels.pop().map(|x| Gf128::from_bits(x.to_bits() | 1));
        (labels, offset.expect("nine"))
    }

    #[test]
    fn either_label_decodes_to_its_value() {
        let (zeros, offset) = sample();
        let (mut p, mut v) = (Decoding::new(&SESSION), Decoding::new(&SESSION));
        for round in 0..3 {
            let first = p.reserve(8);
            let information = p.encode(first, &zeros, offset);
            let values: Vec<_> = (0..8).map(|i| F2::from_lsb((0b1011_0010 >> i ^ round) as u64)).collect();
            let labels: Vec<_> = zeros.iter().zip(&values).map(|(z, x)| *z + offset * *x).collect();
            assert_eq!(v.decode(first, &labels, &information), Ok(values.clone()));
            let (mut sealed, key) = (information.clone(), [round as u8; SEAL_BYTES]);
            p.seal(first, &key, &mut sealed);
            assert_ne!(v.decode(first, &labels, &sealed), Ok(values.clone()));
            v.seal(first, &key, &mut sealed);
            assert_eq!(v.decode(first, &labels, &sealed), Ok(values));
            assert_eq!(p.digest(&[1; 32], &labels), v.digest(&[1; 32], &labels));
        }
    }

    #[test]
    fn another_label_another_place_and_another_session_are_refused() {
        let (zeros, offset) = sample();
        let information = Decoding::new(&SESSION).encode(0, &zeros, offset);
        let cheat = Err(Error::cheat(GARBLED_DECODING, "the decoding of an output"));
        let mut labels = zeros.clone();
        labels[7] += Gf128::X;
        assert_eq!(Decoding::new(&SESSION).decode(0, &labels, &information), cheat);
        labels.clone_from(&zeros);
        labels.swap(0, 1);
        assert_eq!(Decoding::new(&SESSION).decode(0, &labels, &information), cheat);
        assert_eq!(Decoding::new(&SessionId::new([5; 32])).decode(0, &zeros, &information), cheat);
        let later = Decoding::new(&SESSION);
        later.decode(0, &zeros, &information).expect("in its place");
        assert_eq!(later.decode(8, &zeros, &information), cheat);
    }

    #[test]
    fn information_of_another_length_or_with_equal_hashes_is_malformed() {
        let (zeros, offset) = sample();
        let mut information = Decoding::new(&SESSION).encode(0, &zeros, offset);
        for length in [0, 1, information.len() - 1, information.len() - DECODING_BYTES] {
            let result = Decoding::new(&SESSION).decode(0, &zeros, &information[..length]);
            assert!(matches!(result, Err(Error::Malformed { .. })), "{length}");
        }
        information.copy_within(..HASH, HASH);
        assert!(matches!(
            Decoding::new(&SESSION).decode(0, &zeros, &information),
            Err(Error::Malformed { .. })
        ));
    }

    #[test]
    fn what_is_returned_depends_on_every_label_its_order_the_program_and_the_turn() {
        let (labels, _) = sample();
        let digest = |program: u8, labels: &[Gf128]| Decoding::new(&SESSION).digest(&[program; 32], labels);
        let first = digest(0, &labels);
        let mut changed = labels.clone();
        changed.swap(2, 3);
        assert!(digest(0, &changed) != first && digest(1, &labels) != first);
        assert!(digest(0, &labels[..7]) != first);
        let mut twice = Decoding::new(&SESSION);
        assert!(twice.digest(&[0; 32], &labels) == first && twice.digest(&[0; 32], &labels) != first);
    }
}
