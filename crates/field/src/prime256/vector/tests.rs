//! Each kernel against the formulas, for every field, and at the edges of what its sums hold. On a CPU
//! without the instructions there is nothing to test.

#![allow(clippy::expect_used, reason = "in tests, outside the test functions too")]

use proptest::prelude::*;

use super::Vectors;
use crate::extension::plain;
use crate::prime256::limbs::{self, Limbs, Unreduced};
use crate::prime256::*;
use crate::{Authenticated, Mac, Ring};

/// Any limbs, and which element they make.
type Seed = (u8, Limbs);

/// Calls a generic function for every field.
macro_rules! for_every_field {
    ($function:ident($($argument:expr),*)) => {
        $function::<Bn254Order>($($argument),*);
        $function::<Bls12381Order>($($argument),*);
        $function::<Bls12377Order>($($argument),*);
        $function::<PallasPrime>($($argument),*);
        $function::<VestaPrime>($($argument),*);
        $function::<GrumpkinOrder>($($argument),*);
        $function::<RistrettoOrder>($($argument),*);
        $function::<Secp256k1Prime>($($argument),*);
        $function::<P256Prime>($($argument),*);
        $function::<Curve25519Prime>($($argument),*);
    };
}

/// The largest limbs in memory, `p - 1`.
fn largest<P: Modulus>() -> Limbs {
    let mut largest = P::PRIME;
    largest[0] -= 1;
    largest
}

/// The limbs in memory if they are below the prime, and otherwise what they are modulo it.
fn stored<P: Modulus>(limbs: Limbs) -> Prime256<P> {
    if limbs::is_below(limbs, P::PRIME) { Prime256::from_limbs(limbs) } else { Prime256::reduced(limbs) }
}

/// An element: often one at the edge.
fn element<P: Modulus>((kind, limbs): Seed) -> Prime256<P> {
    match kind % 16 {
        0 => Prime256::ZERO,
        1 => Prime256::ONE,
        2 => -Prime256::<P>::ONE,
        3 => Prime256::from_limbs([1, 0, 0, 0]),
        4 => Prime256::from_limbs(largest::<P>()),
        // Ones wherever the prime has room for them.
        5 => stored([u64::MAX, u64::MAX, u64::MAX, P::PRIME[3] - 1]),
        6 => stored([limbs[0], 0, u64::MAX, 0]),
        7 => stored([0, u64::MAX, 0, limbs[3] >> 4]),
        _ => stored(limbs),
    }
}

fn elements<P: Modulus>(seeds: &[Seed]) -> Vec<Prime256<P>> {
    seeds.iter().map(|seed| element(*seed)).collect()
}

/// Pairs of an element and the one after it in the list.
fn pairs<P: Modulus>(elements: &[Prime256<P>]) -> Vec<Authenticated<Prime256<P>, Prime256<P>>> {
    let next = elements.iter().cycle().skip(1);
    elements.iter().zip(next).map(|(x, m)| Authenticated { x: *x, m: *m }).collect()
}

fn reduced<P: Modulus, const N: usize>(sums: [Unreduced; N]) -> [Prime256<P>; N] {
    sums.map(|sum| Prime256::from_limbs(sum.reduce::<P>()))
}

/// The sums of products of `n` elements each.
fn sums_are_those_of_the_formulas<P: Modulus>(seeds: &[[Seed; 2]]) {
    let Some(vectors) = Vectors::available() else { return };
    let [a, b] = [0, 1].map(|i| elements::<P>(&seeds.iter().map(|seeds| seeds[i]).collect::<Vec<_>>()));
    let (x, y, n) = (pairs(&a), pairs(&b), a.len() - a.len() % 8);
    let (taken, sum) = vectors.inner_product(&a, &b);
    assert_eq!(
        (taken, Ok(reduced::<P, 1>([sum])[0])),
        (n, plain::inner_product(&a[..n], &b[..n])),
        "{}",
        P::NAME
    );
    let (taken, sums) = vectors.dot_prover(&x, &y);
    assert_eq!((taken, Ok(reduced::<P, 3>(sums))), (n, plain::dot_prover(&x[..n], &y[..n])), "{}", P::NAME);
    let (taken, sums) = vectors.combine_prover(&x, &b);
    assert_eq!(
        (taken, Ok(reduced::<P, 2>(sums))),
        (n, plain::combine_prover(&x[..n], &b[..n])),
        "{}",
        P::NAME
    );
    // And with the rest, which the scalar code takes.
    type M<P> = Prime256<P>;
    assert_eq!(M::inner_product(&a, &b), plain::inner_product(&a, &b));
    assert_eq!(M::<P>::dot(&a, &b), plain::inner_product(&a, &b));
    assert_eq!(M::combine_public(&a, &b), plain::inner_product(&a, &b));
    assert_eq!(M::dot_prover(&x, &y), plain::dot_prover(&x, &y));
    assert_eq!(M::combine_prover(&x, &b), plain::combine_prover(&x, &b));
}

/// Eight products at a time, and what is made of them.
fn products_are_those_of_the_formulas<P: Modulus>(seeds: &[[Seed; 2]]) {
    let Some(vectors) = Vectors::available() else { return };
    let [a, b] = [0, 1].map(|i| elements::<P>(&seeds.iter().map(|seeds| seeds[i]).collect::<Vec<_>>()));
    let c: Vec<_> = a.iter().rev().copied().collect();
    let (x, y, random, n) = (pairs(&a), pairs(&b), pairs(&c), a.len() - a.len() % 8);
    let delta = b.first().copied().unwrap_or_default();
    let zeros = vec![Prime256::<P>::ZERO; a.len()];

    let multiplied = |taken: usize| {
        let [mut masked, mut a_0, mut a_1, mut keys, mut values] = [0; 5].map(|_| zeros.clone());
        let mut z = pairs(&zeros);
        let (masked, a_0, a_1) = (&mut masked[..], &mut a_0[..], &mut a_1[..]);
        assert_eq!(vectors.multiply_prover([&x, &y, &random], &mut z, [masked, a_0, a_1]), taken);
        let verified = vectors.multiply_verifier([&a, &b, &c, masked], delta, [&mut keys, &mut values]);
        assert_eq!(verified, taken);
        (z, [masked.to_vec(), a_0.to_vec(), a_1.to_vec(), keys, values])
    };
    let expected = |n: usize| {
        let [mut masked, mut a_0, mut a_1, mut keys, mut values] = [0; 5].map(|_| zeros.clone());
        let mut z = pairs(&zeros);
        let relations = [&mut a_0[..n], &mut a_1[..n]];
        plain::multiply_prover(&x[..n], &y[..n], &random[..n], &mut z[..n], &mut masked[..n], relations)
            .expect("equally long");
        let operands = [&a[..n], &b[..n], &c[..n]];
        plain::multiply_verifier(operands, &masked[..n], delta, &mut keys[..n], &mut values[..n])
            .expect("equally long");
        (z, [masked, a_0, a_1, keys, values])
    };
    assert!(multiplied(n) == expected(n), "{}", P::NAME);

    let mut true_claims = random.clone();
    true_claims.iter_mut().zip(x.iter().zip(&y)).for_each(|(z, (x, y))| z.x = x.x * y.x);
    for wrong in [None, Some(0), Some(7), n.checked_sub(1)] {
        let mut claims = true_claims.clone();
        // One limb of one claim is wrong.
        if let Some(claim) = wrong.and_then(|wrong| claims[..n].get_mut(wrong)) {
            claim.x += Prime256::from_limbs([0, 0, 0, 1]);
        }
        let [mut got, mut expected] = [0; 2].map(|_| [zeros.clone(), zeros.clone()]);
        let [a_0, a_1] = &mut got;
        let (taken, hold) = vectors.relate_prover([&x, &y, &claims], [a_0, a_1]);
        assert_eq!((taken, hold), (n, wrong.is_none_or(|wrong| wrong >= n)), "{}", P::NAME);
        let relations = expected.each_mut().map(|column| &mut column[..n]);
        assert_eq!(plain::relate_prover(&x[..n], &y[..n], &claims[..n], relations), Ok(hold));
        assert!(got == expected, "{}", P::NAME);
    }
    let (mut got, mut expected) = (zeros.clone(), zeros.clone());
    assert_eq!(vectors.relate_verifier([&a, &b, &c], delta, &mut got), n);
    plain::relate_verifier::<Prime256<P>, _>([&a[..n], &b[..n], &c[..n]], delta, &mut expected[..n])
        .expect("equally long");
    assert_eq!(got, expected, "{}", P::NAME);

    let start: Vec<[Prime256<P>; 2]> = b.iter().zip(&c).map(|(b, c)| [*b, *c]).collect();
    let (mut got, mut expected) = (start.clone(), start);
    assert_eq!(vectors.accumulate_prover(&mut got, &x, delta), n);
    plain::accumulate_prover(&mut expected[..n], &x[..n], delta).expect("equally long");
    assert_eq!(got, expected, "{}", P::NAME);
    let (mut got, mut expected) = (b.clone(), b);
    assert_eq!(vectors.accumulate_verifier(&mut got, &a, delta), n);
    plain::accumulate_verifier::<Prime256<P>, _>(&mut expected[..n], &a[..n], delta).expect("equally long");
    assert_eq!(got, expected, "{}", P::NAME);
}

/// The largest products, more of them than columns hold without a carry.
fn long_sums_do_not_overflow<P: Modulus>(n: usize) {
    let Some(vectors) = Vectors::available() else { return };
    let large: Prime256<P> = Prime256::from_limbs(largest::<P>());
    let (vector, pair) = (vec![large; n], vec![Authenticated { x: large, m: large }; n]);
    let expected = large * large * Prime256::from_u64(n as u64);
    assert_eq!(reduced::<P, 1>([vectors.inner_product(&vector, &vector).1]), [expected], "{}", P::NAME);
    let sums = reduced::<P, 3>(vectors.dot_prover(&pair, &pair).1);
    assert_eq!(sums, [expected, expected + expected, expected], "{}", P::NAME);
    assert_eq!(reduced::<P, 2>(vectors.combine_prover(&pair, &vector).1), [expected; 2], "{}", P::NAME);
}

crate::properties::properties! {
    #[test]
    fn kernels_compute_their_formulas_in_every_field(
        seeds in prop::collection::vec(any::<[Seed; 2]>(), 0..40)
    ) {
        for_every_field!(sums_are_those_of_the_formulas(&seeds));
        for_every_field!(products_are_those_of_the_formulas(&seeds));
    }
}

/// All pairs of elements at the edges.
#[test]
fn products_of_elements_at_the_edges_are_those_of_the_formulas() {
    let kinds = 0..8;
    let seed = |kind| (kind, [u64::MAX; 4]);
    let seeds: Vec<_> = kinds.clone().flat_map(|a| kinds.clone().map(move |b| [seed(a), seed(b)])).collect();
    for start in 0..8 {
        for_every_field!(products_are_those_of_the_formulas(&seeds[start..]));
        for_every_field!(sums_are_those_of_the_formulas(&seeds[start..]));
    }
}

#[test]
fn sums_of_any_length_are_those_of_the_formulas() {
    let mut random = crate::laws::Words(256);
    let mut seed = || (random.word() as u8, [random.word(), random.word(), random.word(), random.word()]);
    let seeds: Vec<[Seed; 2]> = (0..5000).map(|_| [seed(), seed()]).collect();
    // Below and above a block of 16 groups, and what is added before a carry, 256 groups.
    for n in (0..40).chain([127, 128, 129, 136, 2047, 2048, 2056, 4097, 5000]) {
        for_every_field!(sums_are_those_of_the_formulas(&seeds[..n]));
        for_every_field!(products_are_those_of_the_formulas(&seeds[..n]));
    }
    for n in [2048, 4096, 100_000] {
        for_every_field!(long_sums_do_not_overflow(n));
    }
}
