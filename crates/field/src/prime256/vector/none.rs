//! For instruction sets without vector code: the same interface as `dispatch`, on a type that has no values.

use crate::prime256::limbs::Unreduced;

/// No vector code.
#[derive(Clone, Copy)]
pub(in crate::prime256) enum Vectors {}

impl Vectors {
    pub(in crate::prime256) fn best(_length: usize) -> Option<Self> {
        None
    }

    pub(in crate::prime256) fn inner_product<T>(self, _a: &[T], _b: &[T]) -> (usize, Unreduced) {
        match self {}
    }

    pub(in crate::prime256) fn dot_prover<T>(self, _x: &[T], _y: &[T]) -> (usize, [Unreduced; 3]) {
        match self {}
    }

    pub(in crate::prime256) fn combine_prover<T, U>(self, _x: &[T], _r: &[U]) -> (usize, [Unreduced; 2]) {
        match self {}
    }

    pub(in crate::prime256) fn multiply_prover<T, U>(
        self,
        _: [&[T]; 3],
        _z: &mut [T],
        _: [&mut [U]; 3],
    ) -> usize {
        match self {}
    }

    pub(in crate::prime256) fn multiply_verifier<T>(
        self,
        _: [&[T]; 4],
        _delta: T,
        _: [&mut [T]; 2],
    ) -> usize {
        match self {}
    }

    pub(in crate::prime256) fn relate_prover<T, U>(self, _: [&[T]; 3], _: [&mut [U]; 2]) -> (usize, bool) {
        match self {}
    }

    pub(in crate::prime256) fn relate_verifier<T>(self, _: [&[T]; 3], _delta: T, _values: &mut [T]) -> usize {
        match self {}
    }

    pub(in crate::prime256) fn accumulate_prover<T, U>(self, _sums: &mut [[U; 2]], _x: &[T], _r: U) -> usize {
        match self {}
    }

    pub(in crate::prime256) fn accumulate_verifier<T>(self, _sums: &mut [T], _k: &[T], _r: T) -> usize {
        match self {}
    }
}
