//! What the plain prover computes with: polynomials in `X` as lists of coefficients, lowest first.

use volery_field::{Authenticated, Element, Mac, Value};
use volery_vole::Prg;

/// The canonical encoding.
pub(crate) fn encode<M: Element>(x: M) -> Vec<u8> {
    let mut bytes = vec![0; M::BYTES];
    x.encode(&mut bytes).expect("the right length");
    bytes
}

/// The coefficients of so many relations of one degree.
pub(crate) fn coefficients<M: Element>(seed: [u8; 16], degree: usize, count: usize) -> Vec<M> {
    let mut hasher = blake3::Hasher::new_derive_key("volery 2026 quicksilver relations v1");
    hasher.update(&seed).update(&(degree as u64).to_le_bytes());
    let mut seed = [0; 16];
    hasher.finalize_xof().fill(&mut seed);
    let mut chi = vec![M::ZERO; count];
    Prg::new(seed).coefficients(&mut chi);
    chi
}

/// `m + x X`.
pub(crate) fn line<F: Value, M: Mac<F>>(wire: &Authenticated<F, M>) -> Vec<M> {
    vec![wire.m, M::embed(wire.x)]
}

/// The product of two polynomials in `X`, lowest coefficients first.
pub(crate) fn times<M: Element>(p: &[M], q: &[M]) -> Vec<M> {
    let mut product = vec![M::ZERO; p.len() + q.len() - 1];
    for (i, p) in p.iter().enumerate() {
        for (j, q) in q.iter().enumerate() {
            product[i + j] += *p * *q;
        }
    }
    product
}

/// `sum += c p X^shift`.
pub(crate) fn accumulate<M: Element>(sum: &mut [M], c: M, p: &[M], shift: usize) {
    sum[shift..].iter_mut().zip(p).for_each(|(sum, p)| *sum += c * *p);
}
