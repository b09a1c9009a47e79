//! For instruction sets without vector code: the same interface as `dispatch`, on a type that has no values.

use crate::Gf128;
use crate::f61::F61;

/// No vector code.
#[derive(Clone, Copy)]
pub(crate) enum Vectors {}

impl Vectors {
    pub(crate) fn best(_length: usize) -> Option<Self> {
        None
    }

    pub(crate) fn inner_product(self, _a: &[F61], _b: &[F61]) -> (usize, F61) {
        match self {}
    }

    pub(crate) fn pair_products<T>(self, _a: &[T], _b: &[T]) -> (usize, [F61; 3]) {
        match self {}
    }

    pub(crate) fn combine_pairs<T>(self, _x: &[T], _r: &[F61]) -> (usize, [F61; 2]) {
        match self {}
    }

    pub(crate) fn add(self, _sums: &mut [F61], _x: &[F61]) -> usize {
        match self {}
    }

    pub(crate) fn add_pairs<T>(self, _sums: &mut [T], _x: &[T]) -> usize {
        match self {}
    }

    pub(crate) fn accumulate(self, _sums: &mut [F61], _x: &[F61], _r: F61) -> usize {
        match self {}
    }

    pub(crate) fn accumulate_swapped<T>(self, _sums: &mut [[F61; 2]], _x: &[T], _r: F61) -> usize {
        match self {}
    }

    pub(crate) fn multiply_prover<T>(self, _: [&[T]; 3], _z: &mut [T], _: [&mut [F61]; 3]) -> usize {
        match self {}
    }

    pub(crate) fn multiply_verifier(self, _: [&[F61]; 4], _delta: F61, _: [&mut [F61]; 2]) -> usize {
        match self {}
    }

    pub(crate) fn pairs(self, _blocks: &[Gf128], _first: &mut [F61], _second: &mut [F61]) -> usize {
        match self {}
    }

    pub(crate) fn total(self, _elements: &[F61]) -> (usize, F61) {
        match self {}
    }

    pub(crate) fn add_at(self, _elements: &mut [F61], _index: u32, _x: F61) -> usize {
        match self {}
    }

    pub(crate) fn pack(self, _elements: &[F61], _out: &mut [u8]) -> usize {
        match self {}
    }

    pub(crate) fn unpack(self, _bytes: &[u8], _out: &mut [F61]) -> Option<usize> {
        match self {}
    }
}
