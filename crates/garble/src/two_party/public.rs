//! Labels of public bits, which P garbles before it knows them.
//!
//! V gets a label of 16 bytes for each. With [`Garbling::OneHot`] they are fewer, at a hash for every two
//! bits: the labels of 0 of two wires come from one seed.
//!
//! ```text
//! Z_i, Z_{i+1} = R(i, s)                                                    s: 16 random bytes of P's for these wires
//!
//! both bits are 0        -- s ---------------------------------->          the labels are Z_i, Z_{i+1}
//! else                   -- Z_i + x_i D, Z_{i+1} + x_{i+1} D --->          the labels
//! ```
//!
//! Random bits take an eighth less. Both parties know the bits, so they know how long the message is, and its
//! length says nothing to them. Somebody who watches the encrypted link sees by it how many pairs are both 0:
//! few bits about values that are in the clear at both parties, and of no use without the keys that are not.
//!
//! `R` is a random oracle, whose inputs name session and wire. If V has not got a seed, the labels of 0 are
//! random to it unless it hashes the seed, and each of its hashes can hit one seed: among `q` with
//! probability `q / 2^128`. If V has got it, it knows two labels of 0, whose bits are 0, and never gets those
//! of 1. So it knows as much as with labels. P can send anything in either form, as it can for labels.

use volery_field::{F2, Gf128};
use volery_vole::{Oracle, SessionId};
use zeroize::Zeroizing;

use super::{Garbling, LABEL};

/// The hash of seeds.
pub(super) struct PublicLabels {
    oracle: Oracle,
    in_pairs: bool,
}

/// Whether these are two bits, both zero.
fn are_zeros(bits: &[F2]) -> bool {
    bits == [F2::ZERO; 2]
}

impl PublicLabels {
    pub(super) fn new(session: &SessionId, garbling: Garbling) -> Self {
        let oracle = Oracle::new("garble: labels of public bits", session);
        Self { oracle, in_pairs: garbling == Garbling::OneHot }
    }

    /// The number of seeds for this many bits.
    pub(super) fn seeds(&self, bits: usize) -> usize {
        if self.in_pairs { bits / 2 } else { 0 }
    }

    /// The labels of 0 of a seed's wires, of which the first has this number.
    fn of_seed(&self, wire: usize, seed: [u8; LABEL]) -> [Gf128; 2] {
        let labels: Zeroizing<[u8; 2 * LABEL]> = Zeroizing::new(self.oracle.hash(wire as u64, &[&seed]));
        let (halves, _) = labels.as_chunks::<LABEL>();
        core::array::from_fn(|i| halves.get(i).map_or(Gf128::ZERO, |half| Gf128::from_bytes(*half)))
    }

    /// Replaces the labels of 0 of wires from number `first` on by those of the seeds.
    pub(super) fn expand(&self, first: usize, seeds: &[Gf128], zeros: &mut [Gf128]) {
        let (pairs, _) = zeros.as_chunks_mut();
        for ((wire, seed), pair) in (first..).step_by(2).zip(seeds).zip(pairs) {
            *pair = self.of_seed(wire, seed.to_bytes());
        }
    }

    /// The bytes of the message for these bits.
    pub(super) fn message_bytes(&self, bits: &[F2]) -> usize {
        let zeros = bits.chunks(2).filter(|bits| self.in_pairs && are_zeros(bits)).count();
        LABEL * (bits.len() - zeros)
    }

    /// P's message, from the labels of these bits and the seeds of their labels of 0.
    pub(super) fn encode(&self, bits: &[F2], labels: &[Gf128], seeds: &[Gf128]) -> Zeroizing<Vec<u8>> {
        let mut message = Zeroizing::new(Vec::with_capacity(self.message_bytes(bits)));
        for (place, (bits, labels)) in bits.chunks(2).zip(labels.chunks(2)).enumerate() {
            match seeds.get(place) {
                Some(seed) if are_zeros(bits) => message.extend_from_slice(&seed.to_bytes()),
                _ => labels.iter().for_each(|label| message.extend_from_slice(&label.to_bytes())),
            }
        }
        message
    }

    /// V's labels of these bits on the wires from number `first` on, from a message of the right length.
    pub(super) fn decode(&self, first: usize, bits: &[F2], message: &[u8]) -> Zeroizing<Vec<Gf128>> {
        let (blocks, _) = message.as_chunks::<LABEL>();
        let mut blocks = blocks.iter();
        let mut labels = Zeroizing::new(Vec::with_capacity(bits.len()));
        for (wire, bits) in (first..).step_by(2).zip(bits.chunks(2)) {
            if self.in_pairs && are_zeros(bits) {
                let seed = blocks.next().copied().unwrap_or_default();
                labels.extend_from_slice(&self.of_seed(wire, seed));
            } else {
                let own = blocks.by_ref().take(bits.len());
                labels.extend(own.map(|label| Gf128::from_bytes(*label)));
            }
        }
        labels
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use volery_vole::Prg;

    use super::*;

    const SESSION: SessionId = SessionId::new([8; 32]);

    proptest! {
        #[test]
        fn labels_are_those_of_the_bits_and_two_zeros_take_one_block(
            bits in prop::collection::vec(any::<bool>().prop_map(F2::new), 0..70), first in 0_usize..1000,
        ) {
            let offset = Gf128::from_bits(0x1234_5678 << 70 | 5);
            let mut random = Prg::new([3; 16]);
            for garbling in [Garbling::ThreeHalves, Garbling::OneHot] {
                let public = PublicLabels::new(&SESSION, garbling);
                let [mut zeros, mut seeds] = [bits.len(), public.seeds(bits.len())].map(|n| vec![Gf128::ZERO; n]);
                random.blocks(&mut zeros);
                random.blocks(&mut seeds);
                public.expand(first, &seeds, &mut zeros);
                let labels: Vec<_> = zeros.iter().zip(&bits).map(|(zero, bit)| *zero + offset * *bit).collect();
                let message = public.encode(&bits, &labels, &seeds);
                prop_assert_eq!(message.len(), public.message_bytes(&bits));
                let (pairs, _) = bits.as_chunks::<2>();
                let zeros = pairs.iter().filter(|pair| **pair == [F2::ZERO; 2]).count();
                let saved = if garbling == Garbling::OneHot { zeros } else { 0 };
                prop_assert_eq!(message.len(), 16 * (bits.len() - saved));
                prop_assert!(*public.decode(first, &bits, &message) == labels);
            }
        }
    }

    #[test]
    fn a_seed_has_other_labels_at_every_wire_and_in_every_session() {
        let labels = |session, wire, seed: u8| {
            PublicLabels::new(&SessionId::new([session; 32]), Garbling::OneHot).of_seed(wire, [seed; LABEL])
        };
        let all = [labels(1, 0, 0), labels(1, 2, 0), labels(2, 0, 0), labels(1, 0, 1)].concat();
        for (i, label) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|other| other != label), "{i}");
        }
    }
}
