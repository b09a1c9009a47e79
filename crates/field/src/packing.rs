//! Vectors of elements on the wire: [`Element::BITS`] bits each, without gaps.
//!
//! ```text
//! bit j of element i is bit i * BITS + j of the message; bit n of a message is bit n % 8 of its byte n / 8
//! ```
//!
//! So an element of `F_{2^61-1}` takes 61 bits and not 64. The bits that fill the last byte are zero. Every
//! vector has exactly one encoding: reading rejects other lengths, elements that are not canonical, and bits
//! set after the last element.

use crate::{Element, EncodingError};

/// Why bytes cannot be read as a packed vector of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PackingError {
    /// The message is too short or too long.
    #[error("{count} packed elements of {ring} take {expected} bytes, not {got}")]
    Length {
        /// The ring that was asked for.
        ring: &'static str,
        /// The number of elements that was asked for.
        count: usize,
        /// The number of bytes that they take.
        expected: usize,
        /// The number of bytes that was given.
        got: usize,
    },
    /// The bits of an element are not the canonical encoding of any.
    #[error("packed element number {index} is not a canonical element of {ring}")]
    NotCanonical {
        /// The ring that was asked for.
        ring: &'static str,
        /// The index of the element, from zero.
        index: usize,
    },
    /// A bit after the last element is set.
    #[error("the bits after the last of the packed elements of {ring} are not zero")]
    Padding {
        /// The ring that was asked for.
        ring: &'static str,
    },
}

/// The number of bytes that `count` packed elements take, or `usize::MAX`, longer than any slice, if so many
/// bytes cannot exist.
///
/// ```
/// use volery_field::{F61, packed_bytes};
/// assert_eq!(packed_bytes::<F61>(8), 61);
/// ```
#[must_use]
pub const fn packed_bytes<E: Element>(count: usize) -> usize {
    let bytes = (count as u128 * E::BITS as u128).div_ceil(8);
    if bytes > usize::MAX as u128 { usize::MAX } else { bytes as usize }
}

/// Appends the packed `elements` to `out`: [`packed_bytes`] bytes more.
///
/// ```
/// use volery_field::{F61, pack_elements, unpack_elements};
/// let mut message = Vec::new();
/// pack_elements(&[F61::new(1), F61::new(2)], &mut message);
/// assert_eq!(unpack_elements::<F61>(&message, 2)?, [F61::new(1), F61::new(2)]);
/// assert!(unpack_elements::<F61>(&message, 3).is_err());
/// # Ok::<(), volery_field::PackingError>(())
/// ```
pub fn pack_elements<E: Element>(elements: &[E], out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start.saturating_add(packed_bytes::<E>(elements.len())), 0);
    let Some(out) = out.get_mut(start..) else { return };
    let taken = E::pack_vectors(elements, out);
    let elements = elements.get(taken..).unwrap_or_default();
    let mut words = out.get_mut(packed_bytes::<E>(taken)..).unwrap_or_default().chunks_mut(8);
    let mut put = |word: u64| {
        if let Some(bytes) = words.next() {
            match <&mut [u8; 8]>::try_from(&mut *bytes) {
                Ok(whole) => *whole = word.to_le_bytes(),
                // The last, partial word of the message.
                Err(_) => bytes.iter_mut().zip(word.to_le_bytes()).for_each(|(to, from)| *to = from),
            }
        }
    };
    // The `filled` bits that are not written yet, fewer than 64.
    let (mut pending, mut filled) = (0_u64, 0);
    for element in elements {
        for (word, bits) in element.to_packed().into_iter().zip(widths::<E>()) {
            let low = pending | word << filled;
            if filled + bits < u64::BITS {
                (pending, filled) = (low, filled + bits);
            } else {
                put(low);
                // The bits that the shift dropped: those from 64 - filled on, possibly none.
                (pending, filled) = (word >> 1 >> (u64::BITS - 1 - filled), filled + bits - u64::BITS);
            }
        }
    }
    put(pending);
}

/// The `count` elements packed in `bytes`, which are hostile.
///
/// # Errors
/// [`PackingError::Length`], before anything is allocated, unless there are exactly [`packed_bytes`] bytes;
/// [`PackingError::NotCanonical`] or [`PackingError::Padding`] if the bits are not the canonical encoding of
/// a vector.
pub fn unpack_elements<E: Element>(bytes: &[u8], count: usize) -> Result<Vec<E>, PackingError> {
    let expected = packed_bytes::<E>(count);
    if bytes.len() != expected {
        return Err(PackingError::Length { ring: E::NAME, count, expected, got: bytes.len() });
    }
    let mut elements = vec![E::ZERO; count];
    let taken = E::unpack_vectors(bytes, &mut elements);
    let (whole, last) = bytes.get(packed_bytes::<E>(taken)..).unwrap_or_default().as_chunks::<8>();
    let mut partial = [0; 8];
    partial.iter_mut().zip(last).for_each(|(to, from)| *to = *from);
    let mut words = whole.iter().copied().map(u64::from_le_bytes);
    let mut next = || words.next().unwrap_or_else(|| u64::from_le_bytes(core::mem::take(&mut partial)));

    // The `filled` bits that were read for later elements, fewer than 64.
    let (mut pending, mut filled) = (0_u64, 0);
    for (index, element) in elements.iter_mut().enumerate().skip(taken) {
        let mut packed = [0; 4];
        for (word, bits) in packed.iter_mut().zip(widths::<E>()) {
            let mut low = pending;
            if bits <= filled {
                (pending, filled) = (pending >> bits, filled - bits);
            } else {
                let next = next();
                low |= next << filled;
                // All except the bits - filled bits that this element uses, which may be 64.
                let used = bits - filled;
                (pending, filled) = (next >> 1 >> (used - 1), u64::BITS - used);
            }
            *word = low & (u64::MAX >> (u64::BITS - bits));
        }
        *element = E::from_packed(packed)
            .map_err(|_: EncodingError| PackingError::NotCanonical { ring: E::NAME, index })?;
    }
    if pending != 0 {
        return Err(PackingError::Padding { ring: E::NAME });
    }
    Ok(elements)
}

/// The bits in each word of a packed element: 64 in all but the last.
#[inline(always)]
fn widths<E: Element>() -> impl Iterator<Item = u32> {
    let all = const { [width(E::BITS, 0), width(E::BITS, 1), width(E::BITS, 2), width(E::BITS, 3)] };
    all.into_iter().take(E::BITS.div_ceil(u64::BITS) as usize)
}

const fn width(bits: u32, word: u32) -> u32 {
    let rest = bits.saturating_sub(u64::BITS * word);
    if rest < u64::BITS { rest } else { u64::BITS }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{F61, Ring};

    #[test]
    fn elements_lie_bit_by_bit_in_the_documented_order() {
        let elements: Vec<_> =
            (0..137).map(|i| F61::new(0x123_4567_89ab_cdef_u64.rotate_left(7 * i))).collect();
        let mut packed = vec![0xff];
        pack_elements(&elements, &mut packed);
        assert_eq!(packed.len(), 1 + 1045);
        let bit = |n: usize| u64::from(packed[1 + n / 8] >> (n % 8) & 1);
        for (i, element) in elements.iter().enumerate() {
            assert_eq!((0..61).fold(0, |n, j| n | bit(61 * i + j) << j), element.to_u64());
        }
        assert!((137 * 61..1045 * 8).all(|n| bit(n) == 0));
        assert_eq!(unpack_elements(&packed[1..], 137), Ok(elements));
    }

    #[test]
    fn the_first_element_that_is_not_canonical_is_named() {
        let mut packed = Vec::new();
        pack_elements(&[F61::ONE; 137], &mut packed);
        for index in (0..137).rev() {
            (61 * index..61 * (index + 1)).for_each(|n| packed[n / 8] |= 1 << (n % 8));
            let error = PackingError::NotCanonical { ring: "F61", index };
            assert_eq!(unpack_elements::<F61>(&packed, 137), Err(error));
        }
    }

    #[test]
    fn a_length_that_cannot_exist_is_refused_without_allocating() {
        let error = PackingError::Length { ring: "F61", count: usize::MAX, expected: usize::MAX, got: 3 };
        assert_eq!(unpack_elements::<F61>(&[0; 3], usize::MAX), Err(error));
    }

    #[test]
    fn a_message_that_ends_with_a_word_has_no_padding() {
        let mut packed = Vec::new();
        pack_elements(&[F61::ONE; 64], &mut packed);
        assert_eq!(packed.len(), 61 * 8);
        assert_eq!(unpack_elements(&packed, 64), Ok(vec![F61::ONE; 64]));
        assert_eq!(unpack_elements::<F61>(&[], 0), Ok(vec![]));
    }
}
