//! VOPE: random polynomials in delta (QuickSilver, figure 3).
//!
//! P gets the `d + 1` coefficients of a random polynomial `g` over the MAC field, and V its value `g(delta)`.
//! They are made from `2d - 1` correlations over the MAC field, each packed from `r` subfield ones:
//! `g_1 = M_1 + U_1 x` and `g_{i+1} = g_i (M_{i+1} + U_{i+1} x) + (M_{d+i} + U_{d+i} x)`; V does the same
//! with its keys. The second correlation of a step keeps a V that knows delta from making coefficients zero
//! (statistical error `(d - 1) / p^r`, theorem 4.1).

use volery_field::{Authenticated, Element, Mac, Value};
use zeroize::Zeroizing;

use crate::Error;

/// The number of correlations over the MAC field that a VOPE of `degree` takes.
#[must_use]
pub const fn packed_correlations(degree: usize) -> usize {
    degree.saturating_mul(2).saturating_sub(1)
}

/// The number of subfield correlations that a VOPE of `degree` takes.
#[must_use]
pub const fn correlations<F: Value, M: Mac<F>>(degree: usize) -> usize {
    packed_correlations(degree).saturating_mul(M::DEGREE)
}

/// P's coefficients, lowest first: `degree + 1` of them.
///
/// # Errors
/// [`Error::Misuse`] unless there are [`correlations`] and the degree is at least 1.
pub fn prover<F: Value, M: Mac<F>>(
    degree: usize,
    correlations: &[Authenticated<F, M>],
) -> Result<Vec<M>, Error> {
    check(degree, correlations.len(), self::correlations::<F, M>(degree))?;
    let tags = Zeroizing::new(Vec::from_iter(correlations.iter().map(|c| c.m)));
    let values = Zeroizing::new(Vec::from_iter(correlations.iter().map(|c| M::embed(c.x))));
    let pairs = tags.chunks_exact(M::DEGREE).zip(values.chunks_exact(M::DEGREE));
    let packed = pairs.map(|(m, u)| [M::pack(m), M::pack(u)]);
    prover_packed(degree, &Zeroizing::new(Vec::from_iter(packed)))
}

/// As [`prover`], from correlations over the MAC field, `[tag, value]` each.
///
/// # Errors
/// [`Error::Misuse`] unless there are [`packed_correlations`] and the degree is at least 1.
pub fn prover_packed<M: Element>(degree: usize, packed: &[[M; 2]]) -> Result<Vec<M>, Error> {
    check(degree, packed.len(), packed_correlations(degree))?;
    let mut g = Vec::with_capacity(degree + 1);
    g.extend_from_slice(&packed[0]);
    for i in 1..degree {
        let ([m, u], [fresh_m, fresh_u]) = (packed[i], packed[degree + i - 1]);
        // From the top down: coefficient j is g_j m + g_{j-1} u.
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
    check(degree, keys.len(), correlations::<F, M>(degree))?;
    verifier_packed(degree, &Zeroizing::new(Vec::from_iter(keys.chunks_exact(M::DEGREE).map(M::pack))))
}

/// As [`verifier`], from keys over the MAC field.
///
/// # Errors
/// As [`prover_packed`].
pub fn verifier_packed<M: Element>(degree: usize, packed: &[M]) -> Result<M, Error> {
    check(degree, packed.len(), packed_correlations(degree))?;
    Ok((1..degree).fold(packed[0], |b, i| b * packed[i] + packed[degree + i - 1]))
}

fn check(degree: usize, got: usize, needed: usize) -> Result<(), Error> {
    if degree == 0 || got != needed {
        return Err(Error::misuse(format!("a VOPE of degree {degree} from {got} correlations")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use volery_field::F61;
    use volery_testing::{every_kind_of_pair, every_pair};

    use super::*;
    use crate::Prg;

    /// A key, and what a VOPE of `degree` takes: P's correlations under it.
    fn deal<F: Value, M: Mac<F>>(degree: usize) -> (M, Vec<Authenticated<F, M>>) {
        let mut prg = Prg::new([degree as u8; 16]);
        let n = correlations::<F, M>(degree);
        let (mut x, mut m, mut delta) = (vec![F::ZERO; n], vec![M::ZERO; n], [M::ZERO]);
        prg.elements(&mut x);
        prg.elements(&mut m);
        prg.elements(&mut delta);
        (delta[0], x.into_iter().zip(m).map(|(x, m)| Authenticated { x, m }).collect())
    }

    fn keys<F: Value, M: Mac<F>>(delta: M, p: &[Authenticated<F, M>]) -> Vec<M> {
        p.iter().map(|p| p.m + delta.scale(p.x)).collect()
    }

    fn value<M: Element>(g: &[M], at: M) -> M {
        g.iter().rev().fold(M::ZERO, |sum, c| sum * at + *c)
    }

    #[test]
    fn v_holds_the_value_at_delta_of_p_s_polynomial_over_every_pair_of_fields() {
        fn check<F: Value, M: Mac<F>>() {
            for degree in 1..=12 {
                let (delta, p) = deal::<F, M>(degree);
                let g = prover(degree, &p).unwrap();
                assert_eq!(g.len(), degree + 1);
                let v = verifier::<F, M>(degree, &keys(delta, &p)).unwrap();
                assert!(value(&g, delta) == v, "{} in {}: {degree}", F::NAME, M::NAME);
                assert!(g.iter().all(|c| *c != M::ZERO));
            }
        }
        every_pair!(check);
    }

    /// Nothing is sent in a VOPE, so a party can only lie about its share of a correlation. Each lie counts.
    #[test]
    fn a_wrong_value_tag_or_key_in_any_correlation_makes_a_wrong_value() {
        fn check<F: Value, M: Mac<F>>() {
            for degree in [1, 2, 5] {
                let (delta, p) = deal::<F, M>(degree);
                let v = keys(delta, &p);
                let right = verifier::<F, M>(degree, &v).unwrap();
                for i in 0..p.len() {
                    let name = format!("{} in {}: degree {degree}, {i}", F::NAME, M::NAME);
                    for (x, m) in [(F::ONE, M::ZERO), (F::ZERO, M::ONE)] {
                        let mut p = p.clone();
                        p[i] += Authenticated { x, m };
                        assert!(value(&prover(degree, &p).unwrap(), delta) != right, "{name}");
                    }
                    let mut v = v.clone();
                    v[i] += M::ONE;
                    assert!(verifier::<F, M>(degree, &v).unwrap() != right, "{name}");
                }
            }
        }
        every_kind_of_pair!(check);
    }

    /// The attack that the second correlation of each step is there for (section 4.1).
    #[test]
    fn a_v_with_zero_keys_does_not_know_the_other_coefficients() {
        fn check<F: Value, M: Mac<F>>() {
            let (_, mut p) = deal::<F, M>(3);
            // delta = 0 and all keys 0: every tag is 0.
            p.iter_mut().for_each(|p| p.m = M::ZERO);
            let g = prover(3, &p).unwrap();
            assert!(g[0] == M::ZERO && g[1..].iter().all(|c| *c != M::ZERO), "{}", M::NAME);
        }
        every_kind_of_pair!(check);
    }

    #[test]
    fn a_wrong_number_of_correlations_is_misuse() {
        for (degree, n) in [(0, 0), (1, 0), (1, 2), (2, 2), (usize::MAX, 3)] {
            let p = vec![Authenticated::<F61, F61>::default(); n];
            assert!(matches!(prover(degree, &p), Err(Error::Misuse(_))));
            assert!(matches!(verifier::<F61, F61>(degree, &vec![F61::default(); n]), Err(Error::Misuse(_))));
            assert!(matches!(prover_packed(degree, &vec![[F61::default(); 2]; n]), Err(Error::Misuse(_))));
            assert!(matches!(verifier_packed(degree, &vec![F61::default(); n]), Err(Error::Misuse(_))));
        }
    }
}
