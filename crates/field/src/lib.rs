//! Rings, fields and their vector kernels. (Module map: see the end of this file.)

mod ring;

pub use ring::{EncodingError, Field, Ring};
