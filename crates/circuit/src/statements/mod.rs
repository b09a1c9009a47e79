//! Built-in statements: knowledge of a hash function's preimage, of an AES key, of solutions of equations
//! over a field; and statements for measurements.
//!
//! A statement holds public inputs and, on the prover's side only, a witness. The witness is wiped on drop,
//! never printed, and does not affect [`Statement::identify`](crate::Statement::identify). Statements about
//! bits run on every backend with `Prove<F2>`, and stream: their memory does not grow with their size. The
//! others are generic over the field.
//!
//! | statement | what is claimed |
//! |---|---|
//! | [`Sha256Preimage`], [`Sha1Preimage`] | I know a message of this length with this digest |
//! | [`Aes128Key`] | I know a key that encrypts this block to that one |
//! | [`Sha256Chain`], [`Aes128Many`], [`AndChain`] | any number of gates, with a public witness: for benchmarks |
//! | [`Sis`] | I know a short solution of this linear system |
//! | [`MatrixProduct`], [`InnerProduct`] | I know factors with this product, public or committed to |
//! | [`Mul32`] | I know 32-bit factors with these products modulo 2^32, as polynomials over their bits |
//! | [`MulChain`] | any number of multiplications: for benchmarks |
//! | [`MemoryAccesses`], [`TableLookups`] | any number of accesses to a memory, of lookups in a table: for benchmarks |
//! | [`Processor`] | steps of a machine, each one of its [`Instruction`]s: a small CPU without memory |

mod aes128;
mod arithmetic;
mod bench;
mod memory;
mod mul32;
mod preimage;
mod processor;

pub use aes128::Aes128Key;
pub use arithmetic::{InnerProduct, MatrixProduct, MulChain, Short, Sis};
pub use bench::{Aes128Many, AndChain, Sha256Chain};
pub use memory::{MemoryAccesses, TableLookups};
pub use mul32::Mul32;
pub use preimage::{Preimage, Sha1Preimage, Sha256Preimage};
pub use processor::{Instruction, Processor};

use volery_field::F2;
use zeroize::Zeroizing;

use crate::gadgets::bytes_to_bits;
use crate::text::counted;
use crate::{Error, Prove};

/// A witness of bytes, if this party has it. It is wiped on drop.
struct Secret(Option<Zeroizing<Vec<u8>>>);

impl core::fmt::Debug for Secret {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(if self.0.is_some() { "<secret>" } else { "<not here>" })
    }
}

impl Secret {
    /// A witness that must be `length` bytes long.
    fn new(what: &str, bytes: Zeroizing<Vec<u8>>, length: u64) -> Result<Self, Error> {
        if bytes.len() as u64 != length {
            return Err(Error::Witness(format!(
                "the {what} has {}, not {length}",
                counted(bytes.len() as u64, "byte")
            )));
        }
        Ok(Self(Some(bytes)))
    }

    /// Brings in `length` of its bytes from `start` as secret wires, in the order of [`bytes_to_bits`].
    fn wires<B: Prove<F2> + ?Sized>(
        &self,
        b: &mut B,
        start: u64,
        length: usize,
    ) -> Result<Vec<B::Wire>, B::Error> {
        b.secret(8 * length, &mut |_| {
            let bytes = self.0.as_ref().ok_or_else(|| Error::Witness("none was given".into()))?;
            let start = usize::try_from(start).ok();
            let range = start.and_then(|start| Some(start..start.checked_add(length)?));
            let bytes = range.and_then(|range| bytes.get(range));
            Ok(bytes_to_bits(bytes.ok_or_else(|| Error::Witness("it is too short".into()))?))
        })
    }
}

/// Asserts that `wires` hold the public `bytes`, in the order of [`bytes_to_bits`].
fn assert_bytes<B: Prove<F2> + ?Sized>(b: &mut B, wires: &[B::Wire], bytes: &[u8]) -> Result<(), B::Error> {
    b.assert_equal(wires, &bytes_to_bits(bytes))
}

#[cfg(test)]
mod tests;
