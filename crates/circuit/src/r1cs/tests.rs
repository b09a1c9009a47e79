//! Files are read as they were written, errors in broken ones name the place, and every kind of constraint
//! is claimed.

mod files;
mod statements;
mod testdata;

use std::io::Cursor;

use volery_field::{F61, Ring};

use super::*;
use crate::Error;

fn f(n: u64) -> F61 {
    F61::new(n)
}

/// A small system with a constraint of every kind, and values for which it holds.
///
/// Wires: 1, output, public input, secret p, q, r, s.
fn every_kind() -> (R1cs<F61>, Vec<F61>) {
    let counts = Counts { wires: 7, outputs: 1, public_inputs: 1, private_inputs: 2 };
    let mut builder = Builder::new(counts).expect("enough wires");
    let one = F61::ONE;
    let constraints: &[[&[(u32, F61)]; 3]] = &[
        // p * q = r
        [&[(3, one)], &[(4, one)], &[(5, one)]],
        // (2 p - q + 3) * (q - 1) = s, terms out of order and one wire twice
        [&[(4, -one), (3, one), (0, f(3)), (3, one)], &[(4, one), (0, -one)], &[(6, one)]],
        // p (p - 2) = 0: the product has a constant result
        [&[(3, one)], &[(3, one), (0, -f(2))], &[]],
        // input * q = output + 4: a linear claim
        [&[(2, one)], &[(4, one)], &[(1, one), (0, f(4))]],
        // r * 5 = 5 r
        [&[(5, one)], &[(0, f(5))], &[(5, f(5))]],
        // 0 = p - 2
        [&[], &[], &[(3, one), (0, -f(2))]],
        // input * 1 = 2 output - 7: constants alone
        [&[(2, one)], &[(0, one)], &[(1, f(2)), (0, -f(7))]],
    ];
    for [a, b, c] in constraints {
        builder.constraint(a, b, c).expect("wires exist");
    }
    let values = [1, 5, 3, 2, 3, 6, 8].map(f).to_vec();
    (builder.finish(), values)
}

fn written(system: &R1cs<F61>) -> Vec<u8> {
    let mut bytes = Vec::new();
    system.write(&mut bytes).expect("memory");
    bytes
}

fn read(bytes: &[u8]) -> Result<R1cs<F61>, Error> {
    R1cs::read(Cursor::new(bytes), "test.r1cs")
}

fn read_values(bytes: &[u8]) -> Result<Assignment<F61>, Error> {
    Assignment::read(Cursor::new(bytes), "test.wtns")
}
