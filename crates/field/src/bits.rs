//! Packed vectors of bits, 64 to a word, lowest bit first.
//!
//! Boolean protocols keep wire values and corrections in these vectors. Positions and lengths are public; the
//! bits may be secret. They are wiped when the vector is dropped and when it grows, and `Debug` shows only
//! the length.

use core::fmt;

use subtle::ConstantTimeEq;
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::F2;

/// Bits of a word.
const WORD: usize = u64::BITS as usize;

/// A growable vector of bits. Bit `i` is bit `i % 64` of word `i / 64`, and bit `i % 8` of byte `i / 8`.
///
/// ```
/// use volery_field::{Bits, F2};
/// let bits: Bits = [F2::ONE, F2::ZERO, F2::ONE].into_iter().collect();
/// assert_eq!(bits.to_bytes(), [0b101]);
/// assert_eq!(Bits::from_bytes(&[0b101], 3)?, bits);
/// # Ok::<(), volery_field::BitsError>(())
/// ```
// Invariant: `words` has exactly the words that `len` bits need, and the bits past `len` are zero.
#[derive(Default, Zeroize, ZeroizeOnDrop)]
pub struct Bits {
    words: Vec<u64>,
    len: usize,
}

/// Why bytes or words cannot be read as a vector of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BitsError {
    /// The input is too short or too long for the number of bits.
    #[error("{bits} packed bits take {expected} {unit}, not {got}")]
    Length {
        /// The number of bits that was asked for.
        bits: usize,
        /// `"bytes"` or `"words"`.
        unit: &'static str,
        /// The number of units that these bits take.
        expected: usize,
        /// The number of units that was given.
        got: usize,
    },
    /// A bit past the end is set, so this is not the canonical encoding of any vector.
    #[error("the unused bits after {bits} packed bits are not zero")]
    NotCanonical {
        /// The number of bits that was asked for.
        bits: usize,
    },
}

impl Bits {
    /// No bits.
    #[must_use]
    pub const fn new() -> Self {
        Self { words: Vec::new(), len: 0 }
    }

    /// No bits, and room for `bits` of them.
    #[must_use]
    fn with_capacity(bits: usize) -> Self {
        Self { words: Vec::with_capacity(bits.div_ceil(WORD)), len: 0 }
    }

    /// The first `len` bits of `words`.
    ///
    /// # Errors
    /// [`BitsError`] if there are more or fewer words than `len` bits need, or if bits past the end are set.
    fn from_words(words: Vec<u64>, len: usize) -> Result<Self, BitsError> {
        let (expected, got) = (len.div_ceil(WORD), words.len());
        let bits = Self { words, len };
        if got != expected {
            return Err(BitsError::Length { bits: len, unit: "words", expected, got });
        }
        if bits.unused_are_zero() { Ok(bits) } else { Err(BitsError::NotCanonical { bits: len }) }
    }

    /// Reads what [`Bits::to_bytes`] wrote. The bytes are hostile; this allocates no more than their length.
    ///
    /// # Errors
    /// [`BitsError`] unless there are exactly `len.div_ceil(8)` bytes and the bits past the end are zero.
    pub fn from_bytes(bytes: &[u8], len: usize) -> Result<Self, BitsError> {
        let (expected, got) = (len.div_ceil(8), bytes.len());
        if got != expected {
            return Err(BitsError::Length { bits: len, unit: "bytes", expected, got });
        }
        let words = bytes.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word.iter_mut().zip(chunk).for_each(|(to, from)| *to = *from);
            u64::from_le_bytes(word)
        });
        Self::from_words(words.collect(), len)
    }

    /// The canonical encoding: `len.div_ceil(8)` bytes, unused bits zero. The caller wipes it if the bits are
    /// secret.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.words.iter().flat_map(|word| word.to_le_bytes()).take(self.len.div_ceil(8)).collect()
    }

    /// The number of bits.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no bits.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bit `index`, or `None` past the end.
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<F2> {
        if index >= self.len {
            return None;
        }
        self.words.get(index / WORD).map(|word| F2::from_lsb(word >> (index % WORD)))
    }

    /// Appends a bit.
    #[inline]
    pub fn push(&mut self, bit: F2) {
        let shifted = u64::from(bit.to_u8()) << (self.len % WORD);
        match self.words.last_mut() {
            Some(word) if !self.len.is_multiple_of(WORD) => *word |= shifted,
            _ => self.push_word(shifted),
        }
        self.len += 1;
    }

    /// The bits in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = F2> + '_ {
        (0..self.len)
            .map(|index| F2::from_lsb(self.words.get(index / WORD).map_or(0, |word| word >> (index % WORD))))
    }

    /// Appends a word. If the vector moves to a larger allocation, the old one is wiped.
    fn push_word(&mut self, word: u64) {
        if self.words.len() == self.words.capacity() {
            let mut grown = Vec::with_capacity((2 * self.words.len()).max(4));
            grown.extend_from_slice(&self.words);
            core::mem::replace(&mut self.words, grown).zeroize();
        }
        self.words.push(word);
    }

    /// Whether the bits past `len` in the last word are zero.
    fn unused_are_zero(&self) -> bool {
        match (self.words.last(), self.len % WORD) {
            (Some(word), used @ 1..) => word >> used == 0,
            _ => true,
        }
    }
}

impl Clone for Bits {
    fn clone(&self) -> Self {
        Self { words: self.words.clone(), len: self.len }
    }
}

/// In constant time for vectors of the same length.
impl PartialEq for Bits {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && bool::from(self.words.as_slice().ct_eq(&other.words))
    }
}

impl Eq for Bits {}

impl FromIterator<F2> for Bits {
    fn from_iter<I: IntoIterator<Item = F2>>(bits: I) -> Self {
        let bits = bits.into_iter();
        let mut all = Self::with_capacity(bits.size_hint().0);
        all.extend(bits);
        all
    }
}

impl Extend<F2> for Bits {
    fn extend<I: IntoIterator<Item = F2>>(&mut self, bits: I) {
        bits.into_iter().for_each(|bit| self.push(bit));
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bits({} bits)", self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn pack(bits: &[bool]) -> Bits {
        bits.iter().copied().map(F2::new).collect()
    }

    fn unpack(bits: &Bits) -> Vec<bool> {
        bits.iter().map(F2::to_bool).collect()
    }

    crate::properties::properties! {
        #[test]
        fn bits_come_back_as_pushed(bits in vec(any::<bool>(), 0..300)) {
            let packed = pack(&bits);
            prop_assert_eq!(unpack(&packed), bits.clone());
            prop_assert_eq!(packed.len(), bits.len());
            for (index, &bit) in bits.iter().enumerate() {
                prop_assert_eq!(packed.get(index), Some(F2::new(bit)));
            }
            prop_assert_eq!(packed.get(bits.len()), None);
        }

        #[test]
        fn bytes_round_trip_and_no_others_are_read(bits in vec(any::<bool>(), 0..300)) {
            let bytes = pack(&bits).to_bytes();
            prop_assert_eq!(Bits::from_bytes(&bytes, bits.len())?, pack(&bits));
            for wrong in [bits.len() + 8, bits.len().wrapping_sub(8), usize::MAX] {
                prop_assert!(Bits::from_bytes(&bytes, wrong).is_err());
            }
            for unused in bits.len()..bytes.len() * 8 {
                let mut bad = bytes.clone();
                bad[unused / 8] |= 1 << (unused % 8);
                let error = BitsError::NotCanonical { bits: bits.len() };
                prop_assert_eq!(Bits::from_bytes(&bad, bits.len()), Err(error));
            }
        }
    }

    #[test]
    fn wrong_numbers_of_bytes_and_words_are_refused() {
        let error = BitsError::Length { bits: 9, unit: "bytes", expected: 2, got: 1 };
        assert_eq!(Bits::from_bytes(&[0], 9), Err(error));
        let error = BitsError::Length { bits: 64, unit: "words", expected: 1, got: 2 };
        assert_eq!(Bits::from_words(vec![0, 0], 64), Err(error));
        assert_eq!(Bits::from_words(vec![2], 1), Err(BitsError::NotCanonical { bits: 1 }));
    }

    #[test]
    fn debug_shows_the_length_alone() {
        assert_eq!(format!("{:?}", pack(&[true; 70])), "Bits(70 bits)");
    }
}
