//! AES's S-box from one-hot garbling: 30 ciphertexts and five ANDs, where its circuit has 32 ANDs.
//!
//! Heath and Kolesnikov, "One Hot Garbling" (CCS 2021, ePrint 2021/798), on the correlated trees of
//! half-trees (ePrint 2022/1431, section 4.1), which take one hash for two nodes.
//!
//! # One-hot vectors
//!
//! A wire `x` has the label `Z` of 0 with the colour `a = lsb(Z)`, which the garbler knows. The evaluator
//! knows the colour of its label, `x' = x + a`. So the bit `x'` has the labels `K` and `K + D`, where `K = Z
//! + a D`, and the evaluator knows both its label and the bit. `n` such bits are a number `i'`.
//!
//! ```text
//! garbler    v_i for each i in 0..2^n,  sum of all v_i = D
//! evaluator  e_i = v_i,  but e_i = v_i + D for i = i'      so the sum of all e_i is 0
//!
//! one bit:    v_0 = K + D, v_1 = K                         e_0 = e_1 = its label
//! next bit:   v_i becomes H(v_i) and v_i + H(v_i), under one key; i has the new bit as its highest
//!             c = sum of all H(v_i) + K + D                sent; K of the new bit
//!             the evaluator adds c + its label + sum of all H(e_i) to its H(e_i) with i = i'
//! ```
//!
//! These are labels: `v_i` is the label of 0 of the bit that says whether `i = i'`. A sum of entries is a
//! label again, so the vector of some of the bits comes from that of more bits by adding.
//!
//! # Products
//!
//! A *column* multiplies all bits of `i'` by a bit `b` with labels `B`, `B + D`. If the garbler knows `b`, it
//! takes `B = b D`, and the evaluator takes zero for its label.
//!
//! ```text
//! c = sum of all H(v_i) + B       sent; under a key of its own
//! the evaluator adds c + its label of b + sum of all H(e_i) to its H(e_i) with i = i'
//! sum of the H(v_i) whose i has bit k set        a label of 0 of b times bit k of i'
//! ```
//!
//! So `x y` for wires costs two columns, `x' y + a y' + a b`, where `a`, `b` are colours of the labels of 0:
//! one column on a vector of `x'`, and one of `a` on a vector of `y'`. The last term is a constant of the
//! garbler's. Columns of one vector cost one ciphertext for up to eight products.
//!
//! # The S-box
//!
//! The inverse in GF(2^8) of `x` is `x^16 / N`, with the norm `N = x^17` in GF(2^4) (as in the circuit of
//! Boyar and Peralta). Let `x = h + l`, where `h` is in `u GF(2^4)` and `l` in `w GF(2^4)` for two elements
//! `u`, `w` of GF(2^8). Then `N(h)` and `N(l)` are linear, since squares are, and `N(x) + N(h) + N(l)` is a
//! linear function of the products of a coordinate of `h` and one of `l`. The result is a linear function of
//! the products of a coordinate of `x` and one of `1/N`. (Tables at the end of this file; a test compares
//! with the S-box.)
//!
//! ```text
//!                                                      ciphertexts    labels hashed
//! vector of x', by way of that of h'                             7              254
//! N:      four columns of l on the vector of h'                  4               64
//!         four columns of h's colours on the vector of l'        4               64
//! 1/N     the circuit's five ANDs                    (five gates)
//! vector of 1/N's colours                                        3               14
//! result: eight columns of x on it                               8              128
//!         four columns of 1/N's colours on the vector of x'      4            1,024
//! ```
//!
//! All that is 30 ciphertexts of 16 bytes and five gates: as long as 25 tables of three halves. Zero is no
//! special case: its norm is zero, and so is the circuit's inverse.
//!
//! Smaller vectors take less work and more bytes: with two vectors of four bits in place of that of `x'`, 33
//! ciphertexts and 430 hashes.
//!
//! The paper multiplies `x` by a random element that the garbler knows, opens the product, inverts it in the
//! clear, and multiplies again: 30 ciphertexts, 4,600 hashes, and seven ANDs so that zero is not opened.
//!
//! # Why it is safe
//!
//! *The evaluator* knows, of the labels that the garbler hashes under one key, all but that with `i = i'`,
//! which is `w + D` for a `w` that it can compute: the sum of the others. The ciphertext is the sum of all
//! hashes and of `K + D` or `B`, each of which is a label that the evaluator has, or zero, plus `D` or
//! nothing. So it is `H(w + D, j) + e D` plus what the evaluator knows, for a bit `e`, and each key `j` has
//! one. This is the query of the module [`hash`](crate::hash), with the bound proved there. The ciphertexts
//! look random to an evaluator that does not know `D`, so its labels, and what it sees of colours, do not
//! depend on values. One key hashes up to 256 labels, but only the one that the evaluator lacks is a query.
//!
//! *A garbler* that sends other ciphertexts changes labels of the evaluator's, by sums that depend on
//! colours, as with a wrong table of any gate. The evaluator answers nothing here. What follows is in
//! [`two_party`](crate::two_party): V stops unless it can decode a label, which gives such a garbler one bit
//! for each time that it does not, and P has to prove in the end that what V decoded is right. That proof
//! does not depend on garbling.
//!
//! *Time.* Only the evaluator knows `i'`. It adds to all entries, under masks, so that its time does not
//! tell.

use core::ops::Range;

use volery_circuit::Ops;
use volery_circuit::gadgets::s_box_inverse;
use volery_field::{F2, Gf128};
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::Error;
use crate::hash::Keys;

/// The ciphertexts before the ANDs, and as many after them.
const CIPHERTEXTS: usize = 15;

/// Bytes of the ciphertexts before the ANDs, and after them.
pub(super) const HALF: usize = 16 * CIPHERTEXTS;

/// The ciphertexts' bytes that take the place of a table of three halves.
pub(super) const IN_A_TABLE: usize = 24;

/// ANDs of an S-box's circuit.
pub(super) const CIRCUIT: u64 = 32;

/// ANDs beside the ciphertexts.
pub(super) const GATES: u64 = 5;

/// The tables as long as all ciphertexts.
pub(super) const TABLES: u64 = 2 * (HALF / IN_A_TABLE) as u64;

/// The pairs of keys for the ciphertexts before the ANDs, and for those after them.
const HALF_PAIRS: usize = CIPHERTEXTS.div_ceil(2);

/// The pairs of keys for all ciphertexts.
pub(super) const PAIRS: u64 = 2 * HALF_PAIRS as u64;

// Whole tables. And a gate takes two pairs that are expanded together, so each half takes an even number.
const _: () = assert!(HALF.is_multiple_of(IN_A_TABLE) && HALF_PAIRS.is_multiple_of(2));

/// Either party of a garbled S-box. Labels are the garbler's of 0 or the evaluator's own.
pub(super) trait Side: Ops<F2, Error = Error> {
    fn wire(label: Gf128) -> Self::Wire;
    fn label(wire: &Self::Wire) -> Gf128;

    /// The label of a wire's bit plus its colour, and that sum where it is known: at the evaluator.
    fn masked(&self, label: Gf128) -> Masked;

    /// The label of the colour of a wire's label of 0.
    fn colour(&self, label: Gf128) -> Gf128;

    /// The label of 1, as a constant.
    fn one(&self) -> Gf128;

    fn keys(&mut self) -> &mut Keys;

    /// The next ciphertexts, which the garbler has yet to write.
    fn begin(&mut self) -> Result<[u8; HALF], Error>;

    /// Writes a ciphertext and returns zero, or reads it and returns its sum with `sum`.
    fn exchange(ciphertext: &mut [u8; 16], sum: Gf128) -> Gf128;

    /// Passes on what the garbler has written.
    fn end(&mut self, ciphertexts: &[u8; HALF]);
}

/// A bit that the evaluator knows.
#[derive(Clone, Copy)]
pub(super) struct Masked {
    pub(super) label: Gf128,
    /// The bit at the evaluator, 0 at the garbler.
    pub(super) bit: usize,
}

/// Room for the vectors and for the hashes of one; wiped on drop.
#[derive(Zeroize, ZeroizeOnDrop)]
pub(super) struct Scratch {
    /// Of `x'`.
    vector: [Gf128; 256],
    of_h: [Gf128; 16],
    of_l: [Gf128; 16],
    of_inverse: [Gf128; 16],
    hashes: [Gf128; 256],
}

impl Default for Scratch {
    fn default() -> Self {
        let [of_h, of_l, of_inverse] = [[Gf128::ZERO; 16]; 3];
        Self { vector: [Gf128::ZERO; 256], of_h, of_l, of_inverse, hashes: [Gf128::ZERO; 256] }
    }
}

/// Ciphertexts before or after the ANDs. Each has a key of its own.
struct Half {
    ciphertexts: [u8; HALF],
    /// The number of those that were used.
    used: usize,
    /// The place of the last pair of keys.
    pair: usize,
}

impl Half {
    fn begin<S: Side>(side: &mut S) -> Result<Self, Error> {
        Ok(Self { ciphertexts: side.begin()?, used: 0, pair: 0 })
    }

    /// Hashes labels under the next ciphertext's key, and returns the hashes' sum.
    fn hash<S: Side>(
        &mut self,
        side: &mut S,
        labels: &[Gf128],
        hashes: &mut [Gf128],
    ) -> Result<Gf128, Error> {
        let second = !self.used.is_multiple_of(2);
        if !second {
            self.pair = side.keys().next_pair()?;
        }
        side.keys().hash_run((self.pair, second), labels, hashes)
    }

    /// What the evaluator adds to the hash that it lacks, given the sum of everything but the ciphertext;
    /// zero at the garbler.
    fn exchange<S: Side>(&mut self, sum: Gf128) -> Result<Gf128, Error> {
        let (ciphertexts, _) = self.ciphertexts.as_chunks_mut();
        let ciphertext = ciphertexts.get_mut(self.used);
        let ciphertext = ciphertext.ok_or_else(|| Error::misuse("an S-box with too many ciphertexts"))?;
        self.used += 1;
        Ok(S::exchange(ciphertext, sum))
    }
}

/// The S-box without its constant, like [`Ops::substitute`].
pub(super) fn substitute<S: Side>(
    side: &mut S,
    scratch: &mut Scratch,
    x: &[S::Wire; 8],
) -> Result<[S::Wire; 8], Error> {
    let Scratch { vector, of_h, of_l, of_inverse, hashes } = scratch;
    let mut half = Half::begin(side)?;
    let x = coordinates(&x.each_ref().map(S::label));
    let bits = x.map(|label| side.masked(label));
    grow(side, &mut half, (&mut *vector, hashes), &bits, 0..4)?;
    of_h.copy_from_slice(&vector[..16]);
    grow(side, &mut half, (&mut *vector, hashes), &bits, 4..8)?;
    for (sum, entries) in of_l.iter_mut().zip(vector.chunks(16)) {
        *sum = entries.iter().fold(Gf128::ZERO, |sum, entry| sum + *entry);
    }

    // Products of a coordinate of h and one of l.
    let mut products = [[Gf128::ZERO; 4]; 4];
    for (j, l) in x[4..].iter().enumerate() {
        let column: [_; 4] = column(side, &mut half, (&*of_h, hashes), &bits[..4], *l)?;
        products.iter_mut().zip(column).for_each(|(row, product)| row[j] = product);
    }
    for (row, h) in products.iter_mut().zip(&x) {
        let colour = side.colour(*h);
        let column: [_; 4] = column(side, &mut half, (&*of_l, hashes), &bits[4..], colour)?;
        for ((product, more), l) in row.iter_mut().zip(column).zip(&x[4..]) {
            *product += more + colour * l.lsb();
        }
    }
    side.end(&half.ciphertexts);
    let inverse = s_box_inverse(side, norm(&x, &products).map(S::wire))?.map(|wire| S::label(&wire));

    // Products of a coordinate of x and one of the inverse.
    let mut half = Half::begin(side)?;
    let inverse_bits = inverse.map(|label| side.masked(label));
    grow(side, &mut half, (&mut *of_inverse, hashes), &inverse_bits, 0..4)?;
    let mut products = [[Gf128::ZERO; 4]; 8];
    for (row, x) in products.iter_mut().zip(&x) {
        *row = column(side, &mut half, (&*of_inverse, hashes), &inverse_bits, *x)?;
    }
    for (k, inverse) in inverse.iter().enumerate() {
        let colour = side.colour(*inverse);
        let column: [_; 8] = column(side, &mut half, (&*vector, hashes), &bits, colour)?;
        for ((row, more), x) in products.iter_mut().zip(column).zip(&x) {
            row[k] += more + side.colour(*x) * inverse.lsb();
        }
    }
    side.end(&half.ciphertexts);
    Ok(result(&products).map(S::wire))
}

/// Extends a vector of the first `levels.start` bits to one of the first `levels.end`.
fn grow<S: Side>(
    side: &mut S,
    half: &mut Half,
    (vector, hashes): (&mut [Gf128], &mut [Gf128; 256]),
    bits: &[Masked],
    levels: Range<usize>,
) -> Result<(), Error> {
    let i = number(bits);
    for (level, bit) in bits.iter().enumerate().take(levels.end).skip(levels.start) {
        let (low, high) = vector[..2 << level].split_at_mut(1 << level);
        if level == 0 {
            low[0] = bit.label + side.one();
            high[0] = bit.label;
            continue;
        }
        let hashes = &mut hashes[..low.len()];
        let sum = half.hash(side, low, hashes)?;
        let missing = half.exchange::<S>(bit.label + side.one() + sum)?;
        add_at(hashes, i & ((1 << level) - 1), missing);
        for ((low, high), hash) in low.iter_mut().zip(high).zip(hashes) {
            *high = *low + *hash;
            *low = *hash;
        }
    }
    Ok(())
}

/// The products of a bit with this label and each of the bits of a vector.
fn column<S: Side, const BITS: usize>(
    side: &mut S,
    half: &mut Half,
    (vector, hashes): (&[Gf128], &mut [Gf128; 256]),
    bits: &[Masked],
    label: Gf128,
) -> Result<[Gf128; BITS], Error> {
    let hashes = &mut hashes[..1 << BITS];
    let sum = half.hash(side, vector, hashes)?;
    let missing = half.exchange::<S>(label + sum)?;
    let mut products = side.keys().sums_by_bit(hashes);
    for (product, bit) in products.iter_mut().zip(bits) {
        *product += masked(missing, bit.bit);
    }
    Ok(products)
}

/// The number that the evaluator knows: the first bit is the lowest.
fn number(bits: &[Masked]) -> usize {
    bits.iter().rev().fold(0, |number, bit| number << 1 | bit.bit)
}

/// Adds to one entry, without a trace of which.
fn add_at(entries: &mut [Gf128], at: usize, value: Gf128) {
    for (i, entry) in entries.iter_mut().enumerate() {
        let same = (i ^ at).wrapping_sub(1) >> (usize::BITS - 1);
        *entry += masked(value, same);
    }
}

/// `value` if `bit` is 1, zero if it is 0.
#[inline(always)]
fn masked(value: Gf128, bit: usize) -> Gf128 {
    Gf128::from_bits(value.to_bits() & (bit as u128).wrapping_neg())
}

/// The sum of the labels whose bits are set.
fn sum<const N: usize>(labels: &[Gf128; N], set: impl Fn(usize) -> bool) -> Gf128 {
    labels.iter().enumerate().fold(Gf128::ZERO, |sum, (i, label)| if set(i) { sum + *label } else { sum })
}

/// The coordinates of `h`, then those of `l`.
fn coordinates(x: &[Gf128; 8]) -> [Gf128; 8] {
    COORDINATES.map(|row| sum(x, |i| row >> i & 1 == 1))
}

/// The norm, in the first representation of [`s_box_inverse`].
fn norm(x: &[Gf128; 8], products: &[[Gf128; 4]; 4]) -> [Gf128; 4] {
    core::array::from_fn(|k| {
        let linear = sum(x, |j| LINEAR[j] >> k & 1 == 1);
        (0..4).fold(linear, |norm, a| norm + sum(&products[a], |b| PRODUCTS[a][b] >> k & 1 == 1))
    })
}

/// The S-box without its constant, least significant bit first.
fn result(products: &[[Gf128; 4]; 8]) -> [Gf128; 8] {
    core::array::from_fn(|i| {
        (0..8).fold(Gf128::ZERO, |bit, j| bit + sum(&products[j], |k| RESULT[j][k] >> i & 1 == 1))
    })
}

/// The bits of `x`, least significant first, that add up to each coordinate.
const COORDINATES: [u8; 8] = [0x72, 0xa2, 0x70, 0x0e, 0xa7, 0xda, 0x4d, 0x80];

/// The norm of each coordinate's basis element.
const LINEAR: [u8; 8] = [13, 3, 8, 12, 11, 6, 4, 7];

/// What each product of a coordinate of `h` and one of `l` adds to the norm.
const PRODUCTS: [[u8; 4]; 4] = [[9, 14, 4, 1], [10, 15, 2, 9], [4, 8, 10, 11], [12, 4, 5, 6]];

/// What each product of a coordinate of `x` and one of the norm's inverse, in the second representation of
/// [`s_box_inverse`], adds to the result.
const RESULT: [[u8; 4]; 8] = [
    [0x80, 0xc8, 0x40, 0x71],
    [0x88, 0x39, 0xc0, 0xc8],
    [0x79, 0xb1, 0x08, 0x48],
    [0x48, 0x08, 0xb9, 0x31],
    [0x06, 0x82, 0xb4, 0x19],
    [0x1f, 0x36, 0x82, 0x06],
    [0x29, 0xab, 0x30, 0x84],
    [0xab, 0x19, 0x1f, 0x30],
];

#[cfg(test)]
mod tests;
