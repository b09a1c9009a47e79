//! Rings, fields and their vector kernels. (Module map: see the end of this file.)

mod gf128;
mod ring;

pub use gf128::Gf128;
pub use ring::{EncodingError, Field, Ring};
