//! Small functions for sessions of tests, honest and not.

use std::sync::Arc;

use volery_circuit::gadgets::{Aes128, sha256};
use volery_circuit::{Circuit, Digest, Ops};
use volery_field::F2;

use crate::Function;

#[derive(Clone)]
pub(super) enum Toy {
    /// The sum of the two halves of the inputs.
    Xor,
    /// The products of the two halves.
    And,
    /// As [`Toy::And`] to everybody, but it computes the complement of the products.
    FalseAnd,
    /// As [`Toy::And`] to everybody, but with one more gate.
    LongAnd,
    /// As [`Toy::And`] to everybody, with other tables.
    SwappedAnd,
    /// AES-128 of the second 128 bits under the first.
    Aes,
    /// SHA-256.
    Sha,
    /// Ones and zeros whatever the inputs are, as many.
    Constants,
    /// A circuit.
    Circuit(Arc<Circuit<F2>>),
}

impl Function for Toy {
    fn identify(&self, digest: &mut Digest) {
        let name: &[u8] = match self {
            Self::Xor => b"xor",
            Self::And | Self::FalseAnd | Self::LongAnd | Self::SwappedAnd => b"and",
            Self::Aes => b"aes128",
            Self::Sha => b"sha256",
            Self::Constants => b"constants",
            Self::Circuit(circuit) => return Function::identify(&**circuit, digest),
        };
        digest.bytes("toy", name);
    }

    fn run<B: Ops<F2> + ?Sized>(&self, b: &mut B, inputs: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
        let (x, y) = inputs.split_at(inputs.len() / 2);
        match self {
            Self::Xor => Ok(x.iter().zip(y).map(|(x, y)| b.add(x, y)).collect()),
            Self::And => b.mul_many(x, y),
            Self::FalseAnd => {
                let products = b.mul_many(x, y)?;
                Ok(products.iter().map(|z| b.add_constant(z, F2::ONE)).collect())
            }
            Self::LongAnd => {
                b.mul(&x[0], &y[0])?;
                b.mul_many(x, y)
            }
            Self::SwappedAnd => b.mul_many(y, x),
            Self::Aes => Aes128::new(b, &inputs[..128])?.encrypt(b, &inputs[128..]),
            Self::Sha => sha256(b, inputs),
            Self::Constants => Ok((0..inputs.len()).map(|i| b.constant(F2::from_lsb(i as u64))).collect()),
            Self::Circuit(circuit) => Function::run(&**circuit, b, inputs),
        }
    }
}

impl Toy {
    /// A circuit.
    pub(super) fn circuit(circuit: Circuit<F2>) -> Self {
        Self::Circuit(Arc::new(circuit))
    }
}
