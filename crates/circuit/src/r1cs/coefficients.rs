//! Coefficients, with each value stored once: most are 1 and -1, and repeated parts of a circuit have the
//! same ones.

use core::hash::BuildHasher;
use std::collections::hash_map::RandomState;

use super::PrimeField;
use crate::elements::encode;

/// The index of 1.
pub(super) const PLUS_ONE: u32 = 0;
/// The index of -1.
pub(super) const MINUS_ONE: u32 = 1;

/// A free slot.
const FREE: u32 = u32::MAX;

/// Assigns an index to each value, in an open-addressed table of indices that is at most half full.
#[derive(Clone, Debug)]
pub(super) struct Coefficients<F> {
    values: Vec<F>,
    slots: Vec<u32>,
    /// The encodings of 1 and -1.
    ones: [Vec<u8>; 2],
    /// A random key, so that a file cannot make values collide.
    state: RandomState,
}

impl<F: PrimeField> Coefficients<F> {
    pub(super) fn new() -> Self {
        let ones = [F::ONE, -F::ONE].map(|one| encode(&[one]));
        let mut new = Self { values: Vec::new(), slots: vec![FREE; 16], ones, state: RandomState::new() };
        new.index(F::ONE);
        new.index(-F::ONE);
        new
    }

    /// The index of the value with this encoding, or `None` if it is not canonical.
    #[inline]
    pub(super) fn index_encoded(&mut self, bytes: &[u8]) -> Option<u32> {
        // Nearly all coefficients are one of these two, and need no decoding.
        match self.ones.iter().position(|one| one == bytes) {
            Some(index) => Some(index as u32),
            None => Some(self.find(F::decode(bytes).ok()?, bytes)),
        }
    }

    /// The index of `c`.
    pub(super) fn index(&mut self, c: F) -> u32 {
        self.find(c, &encode(&[c]))
    }

    fn find(&mut self, c: F, bytes: &[u8]) -> u32 {
        let slot = self.slot(c, bytes);
        if self.slots[slot] != FREE {
            return self.slots[slot];
        }
        // There are fewer values than terms, and fewer than 2^32 terms.
        let index = self.values.len() as u32;
        self.values.push(c);
        self.slots[slot] = index;
        if 2 * self.values.len() > self.slots.len() {
            self.grow();
        }
        index
    }

    /// The slot where `c`, with this encoding, is or would be.
    fn slot(&self, c: F, bytes: &[u8]) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = self.state.hash_one(bytes) as usize & mask;
        while self.slots[slot] != FREE && self.values[self.slots[slot] as usize] != c {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        self.slots = vec![FREE; 2 * self.slots.len()];
        for index in 0..self.values.len() {
            let c = self.values[index];
            let slot = self.slot(c, &encode(&[c]));
            self.slots[slot] = index as u32;
        }
    }

    /// The values by index.
    pub(super) fn into_values(self) -> Vec<F> {
        self.values
    }
}

#[cfg(test)]
mod tests {
    use volery_field::{F61, Ring};

    use super::*;

    #[test]
    fn equal_values_have_one_index_and_others_another() {
        let mut coefficients = Coefficients::new();
        let values: Vec<F61> = (0..1000).map(F61::new).collect();
        let first: Vec<u32> = values.iter().map(|c| coefficients.index(*c)).collect();
        let again: Vec<u32> = values.iter().rev().map(|c| coefficients.index(*c)).collect();
        assert!(again.into_iter().rev().eq(first.iter().copied()));
        assert_eq!((coefficients.index(F61::ONE), coefficients.index(-F61::ONE)), (PLUS_ONE, MINUS_ONE));
        let table = coefficients.into_values();
        assert_eq!(table.len(), 1001);
        assert!(first.iter().zip(&values).all(|(&index, value)| table[index as usize] == *value));
    }
}
