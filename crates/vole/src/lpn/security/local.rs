//! What a local code gives away: attacks that need its rows to be sparse.
//!
//! The other modules take the matrix `A` as uniform. Here each of its rows has at most `l` entries, at random places, and two things change.
//!
//! **Gauss on part of the secret.** Of `n` rows, `n (s / k)^l` lie within `s` given coordinates of the secret. As soon as these are `s`, that is for
//!
//! ```text
//! s = k (k / n)^(1 / (l - 1))
//! ```
//!
//! they are a system of their own: if all are noise-free, with probability `(1 - 1/b)^s`, it gives the `s` coordinates, and the others
//! follow one by one. Solving it takes `2 s` products with a sparse matrix (Wiedemann), `2 (l + 1) s^2` operations. For l = 10 and
//! n = 13 k that saves a quarter of the guesses, and an attempt costs `s^2` and not `k^2.8`.
//!
//! **Sparse quadratic equations** (large fields): the products `e_i e_j = 0` have `(l + 1)^2` terms in the coordinates of the secret, so without
//! elimination the system of degree d over all `C(k + d, d)` monomials costs at most `3 (l + 1)^2 |R|^2`.
//!
//! Neither is in the published estimators, nor in [`super::Estimate`]: they are reported apart. Both are upper bounds on what an attacker needs: choosing the
//! `s` coordinates with care, or letting a few of the rows be noisy, takes more off.

use super::{Field, Instance, large};

/// `log2` of the cost of the cheapest attack here on `instance` if each row of its matrix has at most `locality` entries (at least 2).
#[must_use]
pub fn local_code(instance: &Instance, locality: u32) -> f64 {
    let gauss = partial_gauss(instance, locality);
    match instance.field() {
        Field::Binary => gauss,
        Field::Large { bits } => {
            let shape = instance.shape();
            let row = (f64::from(locality) + 1.0).powi(2);
            gauss.min(large::algebraic::sparse(large::Large { shape, bits: f64::from(bits) }, row))
        }
    }
}

fn partial_gauss(instance: &Instance, locality: u32) -> f64 {
    let part = part(instance, locality);
    let nonzero = match instance.field() {
        Field::Binary => 1.0,
        Field::Large { bits } => 1.0 - (-f64::from(bits)).exp2(),
    };
    let guess = -part * (1.0 - nonzero / instance.shape().block()).log2();
    (2.0 * (f64::from(locality) + 1.0)).log2() + 2.0 * part.log2() + guess
}

/// Coordinates of the secret within which as many rows lie.
fn part(instance: &Instance, locality: u32) -> f64 {
    let s = instance.shape();
    s.k * (s.k / s.n).powf(1.0 / (f64::from(locality.max(2)) - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows drawn at random, those counted that lie within the first `part` coordinates.
    #[test]
    fn as_many_rows_lie_within_part_of_the_secret_as_it_has_coordinates() {
        const LOCALITY: usize = 4;
        let instance = Instance::new(512, 64, 512).unwrap();
        let part = part(&instance, LOCALITY as u32);
        let mut state = 1_u64;
        let mut position = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 32) % instance.dimension()
        };
        let mut rows = 0;
        for _ in 0..instance.samples() {
            let row: [u64; LOCALITY] = std::array::from_fn(|_| position());
            rows += u32::from(row.into_iter().all(|p| (p as f64) < part));
        }
        assert!(part < 150.0 && (f64::from(rows) - part).abs() < 5.0 * part.sqrt(), "{rows} {part}");
    }

    /// 65536 * (65536 / 890880)^(1/9) = 49049 coordinates: 22 * 49049^2 operations, 49049 guesses of 1023/1024.
    #[test]
    fn rounds_of_many_samples_from_long_blocks_lose_a_quarter_of_their_guesses() {
        let bits = local_code(&Instance::new(1 << 16, 870, 1 << 10).unwrap(), 10);
        assert!((bits - (4.459 + 31.164 + 69.130)).abs() < 0.01, "{bits}");
    }

    #[test]
    fn over_a_large_field_sparse_equations_are_costed_too() {
        let over = |field| Instance::over(field, 1 << 12, 2076, 32).unwrap();
        let large = local_code(&over(Field::Large { bits: 61 }), 10);
        assert!(large < partial_gauss(&over(Field::Large { bits: 61 }), 10) - 10.0, "{large}");
        assert!(large < super::super::estimate(&over(Field::Large { bits: 61 })).agb - 10.0, "{large}");
    }

    #[test]
    fn sparser_rows_are_never_harder() {
        let instance = Instance::over(Field::Large { bits: 61 }, 1 << 15, 2780, 256).unwrap();
        let bits = [2, 4, 7, 10, 20, 100].map(|locality| local_code(&instance, locality));
        assert!(bits.is_sorted() && bits[0] < bits[5], "{bits:?}");
    }
}
