//! How the evaluator decodes output labels, and how the garbler checks that values came from labels.
//!
//! ```text
//! decoding information of output bit i:   h_0 = H(i, Z),  h_1 = H(i, Z + D)          20 bytes each
//! of more than 128 bits together:         the colours of all Z, and h_0, h_1 of 128 sums of them
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
//! # Many bits together
//!
//! Hashes for each of `n` bits are 40 bytes a bit. More than 128 take as much as 128, and a bit each:
//!
//! ```text
//! z_i = colour of Z_i                                  v_i = colour of L_i + z_i                 the evaluator's values
//! c_1, ..., c_n: 128 bits each, from a hash of the program, all z_i, what the garbler sent
//!                before (tables and labels), and the evaluator's corrections, which choose labels of its inputs
//! B_j = sum of Z_i with c_ij = 1                       A_j = sum of L_i with c_ij = 1            j = 1 to 128
//! h_0 = H'(j, B_j),  h_1 = H'(j, B_j + D)              w_j = sum of v_i with c_ij = 1
//! ```
//!
//! The evaluator aborts unless `H'(j, A_j)` is the hash for `w_j`, for all `j`. For right labels
//! `A_j = B_j + w_j D`.
//!
//! *What this proves.* The challenge is `c`. It quantifies over the labels that the evaluator may have,
//! depending on its inputs. All that determines them is fixed before `c`: tables and labels of inputs, which
//! are hashed as they are sent (also those that come during a connection), the correlations that V's labels
//! come from, and labels of masks, which nobody chooses. So are the evaluator's inputs: its corrections are
//! hashed, too, and are uniform, so that no garbler knows `c` before it. (Otherwise a garbler could answer
//! all corrections with the same labels, take two inputs whose labels have the same sums, and make the
//! evaluator's input one or the other by a secret bit. The evaluator would accept both.)
//!
//! Take two lists of labels, for two values of the evaluator's inputs, that it both accepts with the same
//! values. Unless `H'` collides, all their `A_j` are the same, so the difference of the lists is in the
//! kernel of `c`: if it is not zero, with probability `2^-128` for each `c`. (One collision of `H'` helps
//! nobody: such lists differ in about half of the sums.) Hence the garbler has to guess what the evaluator
//! has, as with hashes for each bit, and `R` tells it nothing more. More exactly: let `p_L` be the
//! probability of list `L`. In each trial of tables and labels, lists with the same sums and values have in
//! expectation at most `2^-128` for the sum of `p_L p_L'` over pairs. After `T` trials of `c`, a set of lists
//! that is accepted exceeds its likeliest list by `e` only if `e^2` is at most about `T 2^-128`. For `2^80`
//! trials `e` is `2^-24`: a guess of 24 bits gets about one bit cheaper, and those of fewer bits do not.
//! (Values that are not the function's are rejected by the proof in the end, whatever the labels were.)
//!
//! *What the evaluator learns*: it lacks one of the two labels whose hashes it sees, `A_j + D`.
//!
//! Nothing can be sealed ahead, since the challenge needs what comes later. It is 5 kB and a bit for each.
//!
//! **The garbler** accepts returned values only together with `R` of the labels that belong to them. The
//! evaluator has one label of each wire, and the other differs from it by the offset.

use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};
use volery_channel::tags::GARBLED_DECODING;
use volery_field::{Bits, F2, Gf128};
use volery_vole::{Oracle, Prg, SessionId, Transcript};
use zeroize::Zeroizing;

use crate::Error;

/// Bytes of a label's hash.
const HASH: usize = 20;

/// Bytes of decoding information for a bit.
pub(crate) const DECODING_BYTES: usize = 2 * HASH;

/// The number of sums of labels whose hashes decode many bits, and the most bits that have hashes of their
/// own.
const SUMS: usize = 128;

/// Whether this many bits are decoded by sums of their labels.
pub(crate) const fn together(bits: usize) -> bool {
    bits > SUMS
}

/// Bytes of decoding information for bits that are decoded at once.
pub(crate) const fn decoding_bytes(bits: usize) -> usize {
    if together(bits) { bits.div_ceil(8) + DECODING_BYTES * SUMS } else { DECODING_BYTES * bits }
}

/// Bytes of a hash of many labels.
pub(crate) const DIGEST_BYTES: usize = 32;

/// The length of the key that opens sealed information, in bytes.
pub(crate) const SEAL_BYTES: usize = 16;

/// All hashes, and the numbers of what was hashed.
pub(crate) struct Decoding {
    labels: Oracle,
    sums: Oracle,
    /// Tables, labels and corrections, in the order of the channel.
    sent: Transcript,
    seals: Oracle,
    returned: Oracle,
    bits: u64,
    returns: u64,
}

impl Decoding {
    pub(crate) fn new(session: &SessionId) -> Self {
        Self {
            labels: Oracle::new("garble: decoding", session),
            sums: Oracle::new("garble: decoding of sums", session),
            sent: Transcript::new("garble: tables and labels", session),
            seals: Oracle::new("garble: sealed decoding", session),
            returned: Oracle::new("garble: returned", session),
            bits: 0,
            returns: 0,
        }
    }

    /// Records a message on which the evaluator's labels depend.
    pub(crate) fn absorb(&mut self, message: &[u8]) {
        self.sent.absorb("message", message);
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
        if bool::from(all) { Ok(values) } else { Err(cheat()) }
    }

    /// The decoding information of many bits together, of the program with this digest.
    pub(crate) fn encode_together(
        &mut self,
        (first, program): (u64, &[u8; 32]),
        zeros: &[Gf128],
        offset: Gf128,
    ) -> Vec<u8> {
        let mut out = zeros.iter().map(|zero| zero.lsb()).collect::<Bits>().to_bytes();
        let coefficients = self.coefficients(program, &out, zeros.len());
        for (j, sum) in (first..).zip(sums(&coefficients, zeros).iter()) {
            for label in [*sum, *sum + offset] {
                out.extend_from_slice(&self.hash_sum(j, label));
            }
        }
        out
    }

    /// The values of many bits, from their labels and the output of [`Decoding::encode_together`] for them.
    pub(crate) fn decode_together(
        &mut self,
        (first, program): (u64, &[u8; 32]),
        labels: &[Gf128],
        information: &[u8],
    ) -> Result<Vec<F2>, Error> {
        let malformed = |reason: &str| Error::malformed(GARBLED_DECODING, reason);
        let (colours, hashes) = information
            .split_at_checked(labels.len().div_ceil(8))
            .ok_or_else(|| malformed("too few bytes for the colours"))?;
        let (pairs, rest) = hashes.as_chunks::<DECODING_BYTES>();
        if pairs.len() != SUMS || !rest.is_empty() {
            return Err(malformed("another number of hashes of sums"));
        }
        let coefficients = self.coefficients(program, colours, labels.len());
        let zeros = Bits::from_bytes(colours, labels.len()).map_err(|error| malformed(&error.to_string()))?;
        let values: Vec<F2> = labels
            .iter()
            .enumerate()
            .map(|(i, label)| label.lsb() + zeros.get(i).unwrap_or_default())
            .collect();
        let sum = coefficients.iter().zip(&values).fold(Gf128::ZERO, |sum, (c, v)| sum + *c * *v);
        let mut all = Choice::from(1);
        for ((j, label), pair) in (0..).zip(sums(&coefficients, labels).iter()).zip(pairs) {
            let hash = self.hash_sum(first + j, *label);
            let (zero, one) = pair.split_at(HASH);
            if zero == one {
                return Err(malformed("the same hash for 0 and for 1"));
            }
            let value = Choice::from((sum.to_bits() >> j & 1) as u8);
            all &= (hash.ct_eq(zero) & !value) | (hash.ct_eq(one) & value);
        }
        if bool::from(all) { Ok(values) } else { Err(cheat()) }
    }

    /// The coefficients of many bits in the sums of their labels: bit `j` of entry `i` says whether sum `j`
    /// has label `i`.
    fn coefficients(&mut self, program: &[u8; 32], colours: &[u8], n: usize) -> Vec<Gf128> {
        self.sent.absorb("program", program);
        self.sent.absorb("colours", colours);
        let mut coefficients = vec![Gf128::ZERO; n];
        Prg::new(self.sent.challenge_seed("coefficients").into_bytes()).blocks(&mut coefficients);
        coefficients
    }

    /// What has been hashed, as a number.
    #[cfg(test)]
    pub(crate) fn probe(&self) -> [u8; 16] {
        self.sent.clone().challenge_seed("probe").into_bytes()
    }

    fn hash_sum(&self, j: u64, label: Gf128) -> [u8; HASH] {
        self.sums.hash(j, &[&label.to_bytes()])
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

/// The error for a label that is neither of the two possible ones.
fn cheat() -> Error {
    Error::cheat(GARBLED_DECODING, "the decoding of an output")
}

/// The sums of labels with these coefficients.
fn sums(coefficients: &[Gf128], labels: &[Gf128]) -> Zeroizing<[Gf128; SUMS]> {
    let mut sums = Zeroizing::new([Gf128::ZERO; SUMS]);
    for (coefficient, label) in coefficients.iter().zip(labels) {
        let bits = coefficient.to_bits();
        for (j, sum) in sums.iter_mut().enumerate() {
            *sum += *label * F2::new(bits >> j & 1 == 1);
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: SessionId = SessionId::new([4; 32]);

    fn sample() -> (Vec<Gf128>, Gf128) {
        let mut labels = vec![Gf128::ZERO; 9];
        Prg::new([2; 16]).blocks(&mut labels);
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

    /// Many labels of 0, their offset, and values.
    fn many(n: usize) -> (Vec<Gf128>, Gf128, Vec<F2>) {
        let mut labels = vec![Gf128::ZERO; n];
        Prg::new([7; 16]).blocks(&mut labels);
        let values = labels.iter().map(|label| F2::from_lsb((label.to_bits() >> 9) as u64)).collect();
        (labels, sample().1, values)
    }

    #[test]
    fn many_bits_decode_together_to_their_values() {
        for n in [129, 500, 2056] {
            let (zeros, offset, values) = many(n);
            let (mut p, mut v) = (Decoding::new(&SESSION), Decoding::new(&SESSION));
            for round in 0..2 {
                let place = (p.reserve(n), &[round; 32]);
                let information = p.encode_together(place, &zeros, offset);
                assert_eq!(information.len(), decoding_bytes(n));
                let labels: Vec<_> = zeros.iter().zip(&values).map(|(z, x)| *z + offset * *x).collect();
                assert_eq!(v.decode_together(place, &labels, &information), Ok(values.clone()));
                [&mut p, &mut v].into_iter().for_each(|party| party.absorb(&[round]));
            }
        }
    }

    /// A label that is none of the two is refused wherever it is, and so are two with the same difference,
    /// which many sums do not see.
    #[test]
    fn wrong_labels_among_many_are_refused() {
        let (zeros, offset, _) = many(300);
        let mut p = Decoding::new(&SESSION);
        let information = p.encode_together((0, &[1; 32]), &zeros, offset);
        let decode =
            |labels: &[Gf128]| Decoding::new(&SESSION).decode_together((0, &[1; 32]), labels, &information);
        assert_eq!(decode(&zeros), Ok(vec![F2::ZERO; 300]));
        for places in [&[0][..], &[299], &[17, 18], &[5, 100, 200]] {
            let mut labels = zeros.clone();
            // The colour stays, so all values are right.
            places.iter().for_each(|place| labels[*place] += Gf128::X);
            assert_eq!(decode(&labels), Err(cheat()), "{places:?}");
        }
    }

    /// A garbler that knew the sums could choose labels whose errors cancel in all of them.
    #[test]
    fn sums_depend_on_all_that_determines_labels() {
        let seed = |edit: &dyn Fn(&mut Decoding), program: u8, colours: &[u8]| {
            let mut decoding = Decoding::new(&SESSION);
            decoding.absorb(&[1, 2]);
            edit(&mut decoding);
            decoding.coefficients(&[program; 32], colours, 3)
        };
        let first = seed(&|_| (), 0, &[5]);
        assert!(seed(&|decoding| decoding.absorb(&[3]), 0, &[5]) != first);
        assert!(seed(&|_| (), 1, &[5]) != first && seed(&|_| (), 0, &[4]) != first);
        let mut other = Decoding::new(&SESSION);
        other.absorb(&[1, 3]);
        assert!(other.coefficients(&[0; 32], &[5], 3) != first);
    }

    #[test]
    fn information_of_many_bits_of_another_form_is_malformed() {
        let (zeros, offset, _) = many(131);
        let information = Decoding::new(&SESSION).encode_together((0, &[0; 32]), &zeros, offset);
        let decode =
            |information: &[u8]| Decoding::new(&SESSION).decode_together((0, &[0; 32]), &zeros, information);
        let mut equal = information.clone();
        equal.copy_within(17..17 + HASH, 17 + HASH);
        let mut colours = information.clone();
        colours[16] |= 8;
        let longer = [&*information, &[0; DECODING_BYTES]].concat();
        for bad in [&equal, &colours, &longer, &information[..16].to_vec(), &information[1..].to_vec()] {
            assert!(matches!(decode(bad), Err(Error::Malformed { .. })));
        }
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
