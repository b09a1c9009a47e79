//! VOPE: random polynomials in delta (QuickSilver, figure 3).
//!
//! P gets the `d + 1` coefficients of a random polynomial `g` over the MAC field, V its value `g(delta)`. They are made of
//! `2d - 1` correlations over the MAC field, each packed from `r` subfield ones:
//! `g_1 = M_1 + U_1 x` and `g_{i+1} = g_i (M_{i+1} + U_{i+1} x) + (M_{d+i} + U_{d+i} x)`; V likewise with its keys. The second
//! correlation of a step keeps a V that knows delta from making coefficients zero (statistical error `(d - 1) / p^r`,
//! theorem 4.1).

use volery_field::{Authenticated, Mac, Value};

use crate::Error;

/// Subfield correlations that a VOPE of `degree` takes.
#[must_use]
pub const fn correlations<F: Value, M: Mac<F>>(degree: usize) -> usize {
    (2 * degree).saturating_sub(1) * M::DEGREE
}

/// P's coefficients, lowest first: `degree + 1` of them.
///
/// # Errors
/// [`Error::Misuse`] unless there are [`correlations`] and the degree is at least 1.
pub fn prover<F: Value, M: Mac<F>>(
    degree: usize,
    correlations: &[Authenticated<F, M>],
) -> Result<Vec<M>, Error> {
    check::<F, M>(degree, correlations.len())?;
    let packed: Vec<[M; 2]> = (correlations.chunks_exact(M::DEGREE))
        .map(|c| {
            let (tags, values) =
                (Vec::from_iter(c.iter().map(|c| c.m)), Vec::from_iter(c.iter().map(|c| M::embed(c.x))));
            [M::pack(&tags), M::pack(&values)]
        })
        .collect();
    let mut g = packed[0].to_vec();
    g.reserve(degree);
    for i in 1..degree {
        let ([m, u], [fresh_m, fresh_u]) = (packed[i], packed[degree + i - 1]);
        // From the top: coefficient j is g_j m + g_{j-1} u.
        g.push(M::ZERO);
        for j in (1..g.len()).rev() {
            g[j] = g[j] * m + g[j - 1] * u;
        }
        g[0] = g[0] * m + fresh_m;
        g[1] += fresh_u;
    }
    Ok(g)
}

/// V's value of the polynomial at delta.
///
/// # Errors
/// As [`prover`].
pub fn verifier<F: Value, M: Mac<F>>(degree: usize, keys: &[M]) -> Result<M, Error> {
    check::<F, M>(degree, keys.len())?;
    let packed: Vec<M> = keys.chunks_exact(M::DEGREE).map(M::pack).collect();
    Ok((1..degree).fold(packed[0], |b, i| b * packed[i] + packed[degree + i - 1]))
}

fn check<F: Value, M: Mac<F>>(degree: usize, got: usize) -> Result<(), Error> {
    if degree == 0 || got != correlations::<F, M>(degree) {
        return Err(Error::misuse(format!("a VOPE of degree {degree} from {got} correlations")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use volery_field::{Element, F61};

    use super::*;
    use crate::Prg;

    fn random(prg: &mut Prg) -> F61 {
        F61::from_blocks(&[prg.block().to_bits()])
    }

    #[test]
    fn v_holds_the_value_at_delta_of_p_s_polynomial_and_its_degree_is_full() {
        let mut prg = Prg::new([3; 16]);
        for degree in 1..=12 {
            let delta = random(&mut prg);
            let p: Vec<Authenticated<F61, F61>> = (0..correlations::<F61, F61>(degree))
                .map(|_| Authenticated { x: random(&mut prg), m: random(&mut prg) })
                .collect();
            let v: Vec<F61> = p.iter().map(|a| a.m + a.x * delta).collect();
            let g = prover(degree, &p).unwrap();
            assert_eq!(g.len(), degree + 1);
            let value = g.iter().rev().fold(F61::default(), |sum, c| sum * delta + *c);
            assert!(value == verifier::<F61, F61>(degree, &v).unwrap());
            assert!(g.iter().all(|c| *c != F61::default()));
        }
    }

    /// The attack that the second correlation of each step is there for (section 4.1).
    #[test]
    fn a_v_with_zero_keys_does_not_know_the_middle_coefficients() {
        let mut prg = Prg::new([4; 16]);
        let zero = F61::default();
        // delta = 0 and all keys 0: every tag is 0.
        let p: Vec<_> = (0..correlations::<F61, F61>(3))
            .map(|_| Authenticated::<F61, F61> { x: random(&mut prg), m: zero })
            .collect();
        let g = prover(3, &p).unwrap();
        assert!(g[0] == zero && g[1] != zero && g[2] != zero && g[3] != zero);
    }

    #[test]
    fn a_wrong_number_of_correlations_is_misuse() {
        for (degree, n) in [(0, 0), (1, 0), (1, 2), (2, 2)] {
            assert!(matches!(verifier::<F61, F61>(degree, &vec![F61::default(); n]), Err(Error::Misuse(_))));
        }
    }
}
