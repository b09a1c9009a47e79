//! Wiping long buffers at the speed of memory.
//!
//! `zeroize` writes a vector element by element, and the room behind its elements byte by byte, each with a
//! volatile store. For batches of correlations and columns of proofs that was up to a sixth of a proof's
//! time. Here the zeros are written as a compiler likes, and [`zeroize::optimization_barrier`] keeps it from
//! leaving them out.

use core::ops::{Deref, DerefMut};

use zeroize::{Zeroize, ZeroizeOnDrop};

/// Buffers of plain values.
pub trait Wipe {
    /// Overwrites everything with the default value, which is zero for all types here, and empties what has a
    /// length of its own. The room behind a vector's elements is overwritten, too.
    fn wipe(&mut self);
}

impl<T: Copy + Default> Wipe for [T] {
    fn wipe(&mut self) {
        self.fill(T::default());
        zeroize::optimization_barrier(self);
    }
}

impl<T: Copy + Default> Wipe for Vec<T> {
    fn wipe(&mut self) {
        self.clear();
        self.resize(self.capacity(), T::default());
        zeroize::optimization_barrier(self.as_slice());
        self.clear();
    }
}

/// A vector that is wiped on drop: `zeroize::Zeroizing` for long ones.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Wiped<T: Copy + Default>(Vec<T>);

impl<T: Copy + Default> Wiped<T> {
    /// Takes a vector.
    #[must_use]
    pub const fn new(vector: Vec<T>) -> Self {
        Self(vector)
    }
}

impl<T: Copy + Default> From<Vec<T>> for Wiped<T> {
    fn from(vector: Vec<T>) -> Self {
        Self(vector)
    }
}

impl<T: Copy + Default> Deref for Wiped<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T: Copy + Default> DerefMut for Wiped<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }
}

impl<T: Copy + Default> Drop for Wiped<T> {
    fn drop(&mut self) {
        self.0.wipe();
    }
}

impl<T: Copy + Default> Zeroize for Wiped<T> {
    fn zeroize(&mut self) {
        self.0.wipe();
    }
}

impl<T: Copy + Default> ZeroizeOnDrop for Wiped<T> {}

impl<T: Copy + Default> core::fmt::Debug for Wiped<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Wiped").field("length", &self.0.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bn254Scalar, F2, F61, Gf128};

    fn default_is_zero<T: Copy + Default + Zeroize + PartialEq>(mut other: T) {
        other.zeroize();
        assert!(other == T::default());
    }

    #[test]
    fn the_default_of_what_is_wiped_is_zero() {
        default_is_zero(7_u8);
        default_is_zero(u64::MAX);
        default_is_zero(F2::ONE);
        default_is_zero(F61::new(3));
        default_is_zero(Gf128::ONE);
        default_is_zero(<Bn254Scalar as crate::Ring>::ONE);
    }

    #[test]
    fn a_slice_is_zeros_and_a_vector_keeps_its_room() {
        let mut vector = vec![Gf128::ONE; 100];
        let room = vector.capacity();
        vector.truncate(40);
        vector.wipe();
        assert!(vector.is_empty() && vector.capacity() == room);
        let mut slice = [5_u8; 9];
        slice[2..].wipe();
        assert_eq!(slice, [5, 5, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn debug_shows_the_length_alone() {
        assert_eq!(format!("{:?}", Wiped::new(vec![77_u8; 3])), "Wiped { length: 3, .. }");
    }
}
