//! Rings, fields and their vector kernels: the arithmetic under every protocol of Volery.
//!
//! A proof keeps one equation true for every secret value `x`. The prover holds `(x, m)`, the verifier `k`
//! and the global key `delta`, and
//!
//! ```text
//! k = m + x * delta        x in a small ring (here F2), m, k and delta in a large field (here GF(2^128))
//! ```
//!
//! So statements are written over a [`Ring`], and the equation is one in a [`Field`]. Both are small `Copy`
//! types with operators. Operators are for single elements. Vectors go through the kernels of the field's
//! module, which choose the CPU's best instruction set once and then work on whole slices.
//!
//! # Map
//!
//! | module | what it holds |
//! |---|---|
//! | `ring` | the traits [`Ring`] and [`Field`], and how decoding fails |
//! | `f2` | [`F2`], the bits of Boolean statements |
//! | `extension` | the traits of pairs (values, MACs): [`Element`], [`Value`], [`Mac`], [`Coordinates`]; [`Authenticated`] |
//! | [`f61`] | [`F61`], the integers modulo 2^61 - 1, and its quadratic extension [`F61x2`] |
//! | `f130` | [`F130`], the integers modulo 2^130 - 5: Poly1305's |
//! | `packing` | vectors of elements on the wire, without gaps |
//! | [`prime32`] | [`F32`], the integers modulo 2^32 - 99, and its extension of degree four [`F32x4`] |
//! | [`goldilocks`] | [`Goldilocks`], modulo 2^64 - 2^32 + 1, and its quadratic extension [`GoldilocksX2`] |
//! | `integers` | [`Z32`] and [`Z64`], the integers modulo 2^32 and 2^64 |
//! | [`gf256`] | [`Gf256`], bytes in AES's field, with MACs in GF(2^128) |
//! | [`prime256`] | prime fields of 256 bits: orders of groups, base fields of curves |
//! | `list` | [`prime_fields!`]: the table of fields that statements can be over |
//! | `bits` | [`Bits`], many of them, packed |
//! | [`cpu`] | which kernels a process may take: `VOLERY_CPU` |
//! | `wipe` | [`Wipe`] and [`Wiped`]: long buffers of secrets are overwritten fast |
//! | [`gf128`] | [`Gf128`], the MAC field of Boolean statements, and its kernels |
//! | `laws` (tests only) | the axioms as one macro, run on every ring and field |
//!
//! # Conventions
//!
//! * Bit `i` of anything packed is bit `i % 8` of byte `i / 8`; encodings are little-endian and unique.
//! * The time of arithmetic does not depend on the values. Lengths, indices and positions are public.
//! * `Debug` never shows a value, because most elements here are secret. To see one in a test, compare or
//!   encode it.
//! * Elements are `Copy`, so their owner must wipe them ([`zeroize`] is implemented). [`Bits`] wipes itself.
//! * Only the instruction-set files of a kernel and the code that calls them contain `unsafe`.

mod bits;
pub mod cpu;
mod error;
mod extension;
mod f130;
mod f2;
pub mod f61;
pub mod gf128;
pub mod gf256;
pub mod goldilocks;
mod integers;
#[cfg(test)]
mod laws;
mod list;
mod operators;
mod packing;
pub mod prime256;
pub mod prime32;
#[cfg(test)]
mod properties;
mod ring;
mod wide;
mod wipe;

pub use bits::{Bits, BitsError};
pub use cpu::Cpu;
pub use error::LengthError;
pub use extension::{Authenticated, Coordinates, Element, Mac, Summand, Value, equal};
pub use f2::F2;
pub use f61::{F61, F61x2};
pub use f130::F130;
pub use gf128::Gf128;
pub use gf256::Gf256;
pub use goldilocks::{Goldilocks, GoldilocksX2};
pub use integers::{Z32, Z64};
pub use packing::{PackingError, pack_elements, packed_bytes, unpack_elements};
pub use prime32::{F32, F32x4};
pub use prime256::DecimalError;
pub use prime256::fields::*;
pub use ring::{EncodingError, Field, Ring};
pub use wipe::{Wipe, Wiped};
