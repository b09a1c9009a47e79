//! Statements over any field of values: lattice problems, matrix and inner products, chains of
//! multiplications.
//!
//! Each can be made from a seed with a public witness, for measurements. Such a proof proves nothing worth
//! knowing.

mod chain;
mod inner;
mod matrix;
mod sis;

pub use chain::MulChain;
pub use inner::InnerProduct;
pub use matrix::MatrixProduct;
pub use sis::{Short, Sis};

use volery_field::Ring;

use crate::text::counted;
use crate::{Error, Witness};

/// The most entries of a matrix or vector. Sizes come from command lines.
const MOST_ENTRIES: usize = 1 << 28;

/// Absorbs a public result, or the fact that it is secret.
fn identify_result<R: Ring>(digest: &mut crate::Digest, result: Option<&[R]>) {
    match result {
        None => digest.bytes("result", b"secret"),
        Some(elements) => {
            digest.bytes("result", b"public").bytes("elements", &crate::elements::encode(elements))
        }
    };
}

/// A part of a witness; checks that it has this many values.
fn part<R: Ring>(name: &str, values: Vec<R>, needed: usize) -> Result<Witness<R>, Error> {
    let values = Witness::new(values);
    let got = values.values().len();
    if got == needed {
        return Ok(values);
    }
    Err(Error::Witness(format!("{name} has {}, not {needed}", counted(got as u64, "value"))))
}

#[cfg(test)]
mod tests;
