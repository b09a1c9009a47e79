//! The product of matrices, `A B = C`, folded by two random vectors to one inner product.
//!
//! `s` and `r` are drawn after the matrices are committed. For a wrong product `s A B r = s C r` then holds
//! with probability at most `2 / p^r` (two applications of the Schwartz-Zippel lemma). The folded vectors
//! `u = s A` and `v = B r` are values over the MAC field with tags over it, and `sum u_j v_j - s C r` is one
//! relation of degree 2. This takes two field multiplications for each entry.

use volery_circuit::polynomials::MatrixShape;
use volery_field::{Authenticated, LengthError, Mac, Value};
use volery_vole::Prg;
use zeroize::Zeroizing;

use crate::Error;

/// The number of rows of a public matrix that are combined at once.
pub(super) const ROWS: usize = 16;

/// The vectors `s` and `r`.
fn vectors<F: Value, M: Mac<F>>(shape: MatrixShape, seed: [u8; 16]) -> (Vec<M>, Vec<M>) {
    let mut prg = Prg::new(seed);
    let mut draw = |n| {
        let mut out = vec![M::ZERO; n];
        prg.coefficients(&mut out);
        out
    };
    (draw(shape.rows), draw(shape.columns))
}

/// P's relation, and the value that must be zero.
pub(super) struct Folded<M> {
    pub(super) a_0: M,
    pub(super) a_1: M,
    pub(super) value: M,
}

fn length(error: LengthError) -> Error {
    volery_circuit::Error::misuse(error.to_string()).into()
}

pub(super) fn fold_prover<F: Value, M: Mac<F>>(
    shape: MatrixShape,
    a: &[Authenticated<F, M>],
    b: &[Authenticated<F, M>],
    c: &[Authenticated<F, M>],
    seed: [u8; 16],
) -> Result<Folded<M>, Error> {
    let (s, r) = vectors::<F, M>(shape, seed);
    // The tag and value of each entry of u.
    let mut u = Zeroizing::new(vec![[M::ZERO; 2]; shape.inner]);
    for (row, s) in rows(a, shape.inner).zip(&s) {
        M::accumulate_prover(&mut u, row, *s).map_err(length)?;
    }
    let mut folded = Folded { a_0: M::ZERO, a_1: M::ZERO, value: M::ZERO };
    for (row, [u_m, u_x]) in rows(b, shape.columns).zip(u.iter()) {
        let [v_m, v_x] = M::combine_prover(row, &r).map_err(length)?;
        folded.a_0 += *u_m * v_m;
        folded.a_1 += *u_x * v_m + v_x * *u_m;
        folded.value += *u_x * v_x;
    }
    for (row, s) in rows(c, shape.columns).zip(&s) {
        let [m, x] = M::combine_prover(row, &r).map_err(length)?;
        folded.a_1 -= *s * m;
        folded.value -= *s * x;
    }
    Ok(folded)
}

/// V's value of the relation.
pub(super) fn fold_verifier<F: Value, M: Mac<F>>(
    shape: MatrixShape,
    a: &[M],
    b: &[M],
    c: &[M],
    seed: [u8; 16],
    delta: M,
) -> Result<M, Error> {
    let (s, r) = vectors::<F, M>(shape, seed);
    let mut u = Zeroizing::new(vec![M::ZERO; shape.inner]);
    for (row, s) in rows(a, shape.inner).zip(&s) {
        M::accumulate_verifier(&mut u, row, *s).map_err(length)?;
    }
    let mut value = M::ZERO;
    for (row, u) in rows(b, shape.columns).zip(u.iter()) {
        value += *u * M::inner_product(row, &r).map_err(length)?;
    }
    for (row, s) in rows(c, shape.columns).zip(&s) {
        value -= *s * M::inner_product(row, &r).map_err(length)? * delta;
    }
    Ok(value)
}

/// The rows of a matrix; none if they are empty.
fn rows<T>(entries: &[T], columns: usize) -> impl Iterator<Item = &[T]> {
    entries.chunks_exact(columns.max(1))
}
