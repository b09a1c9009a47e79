//! The statements hold for their witnesses and for no others, cost what their docs say, and depend on all
//! that is public.

use volery_field::{F32, F61, Gf256, Ring};

use super::*;
use crate::statements::Mul32;
use crate::{Counter, Counts, Digest, Evaluator, MatrixShape, Statement};

const SEED: [u8; 32] = [7; 32];

fn f(n: u64) -> F61 {
    F61::new(n)
}

fn count(statement: &impl Statement<Counter<F61>>) -> Counts {
    Counter::count(statement).expect("counts").total()
}

fn holds(statement: &impl Statement<Evaluator<F61>>) -> Result<(), Error> {
    Evaluator::check(statement)
}

fn fails_in(statement: &impl Statement<Evaluator<F61>>, expected: &str) {
    match holds(statement) {
        Err(Error::Unsatisfied { place, .. }) => assert_eq!(place, expected),
        other => panic!("{expected}: {other:?}"),
    }
}

fn all_differ(digests: &mut [[u8; 32]]) {
    digests.sort_unstable();
    assert!(digests.windows(2).all(|pair| pair[0] != pair[1]), "two statements have one identity");
}

fn digest_of(statement: &impl Statement<Evaluator<F61>>) -> [u8; 32] {
    let mut digest = Digest::new();
    statement.identify(&mut digest);
    digest.finish()
}

#[test]
fn short_solutions_are_accepted_at_the_degree_of_their_bound() {
    for (short, degree) in
        [(Short::Binary, 0), (Short::Within(1), 3), (Short::Within(2), 5), (Short::Within(5), 11)]
    {
        let sis = Sis::<F61>::sample(20, 10, short, SEED).expect("small");
        assert_eq!(holds(&sis), Ok(()));
        let counts = count(&sis);
        assert_eq!((counts.inputs, counts.degree, counts.multiplications), (10, degree, 0), "{short:?}");
        assert_eq!(counts.assertions, 30);
    }
}

#[test]
fn solutions_that_are_long_or_none_are_refused() {
    for short in [Short::Binary, Short::Within(1), Short::Within(3)] {
        // Entries at the border and just beyond.
        let (low, high) = match short {
            Short::Binary => (0, 1),
            Short::Within(bound) => (-i64::from(bound), i64::from(bound)),
        };
        let element = |n: i64| if n < 0 { -f(n.unsigned_abs()) } else { f(n.unsigned_abs()) };
        for (entry, right) in [(low, true), (high, true), (low - 1, false), (high + 1, false)] {
            // The target that this solution has, so that only its length is wrong.
            let solution = vec![element(entry), element(0), element(1)];
            let sis = Sis::new(3, short, SEED, vec![F61::ZERO; 4]).expect("small");
            let target: Vec<F61> = sis
                .matrix
                .chunks(3)
                .map(|row| row.iter().zip(&solution).fold(F61::ZERO, |sum, (a, s)| sum + *a * *s))
                .collect();
            let sis =
                Sis::new(3, short, SEED, target).expect("small").with_solution(solution).expect("3 entries");
            if right {
                assert_eq!(holds(&sis), Ok(()));
            } else {
                fails_in(&sis, "sis/short");
            }
        }
    }
    for row in 0..4 {
        let mut sis = Sis::<F61>::sample(4, 3, Short::Within(1), SEED).expect("small");
        sis.target[row] += F61::ONE;
        fails_in(&sis, "sis/linear");
    }
}

#[test]
fn impossible_systems_are_refused() {
    let new = |columns, short| Sis::<F61>::new(columns, short, SEED, vec![F61::ZERO; 2]);
    assert!(new(3, Short::Within(511)).is_ok());
    for (columns, short) in [(3, Short::Within(512)), (3, Short::Within(u32::MAX)), (1 << 28, Short::Binary)]
    {
        assert!(matches!(new(columns, short), Err(Error::Public(_))), "{columns} {short:?}");
    }
    assert!(matches!(new(usize::MAX, Short::Binary), Err(Error::Public(_))));
    let none = Sis::<F61>::new(usize::MAX, Short::Binary, SEED, Vec::new());
    assert!(matches!(none, Err(Error::Public(_))));
    assert!(matches!(
        new(3, Short::Binary).expect("small").with_solution(vec![f(1)]),
        Err(Error::Witness(_))
    ));
    assert!(matches!(holds(&new(3, Short::Binary).expect("small")), Err(Error::Witness(_))));
}

#[test]
fn fields_too_small_for_a_bound_are_refused() {
    // In characteristic 2, one is minus one; bits are bits.
    let new = |short| Sis::<Gf256>::new(3, short, SEED, vec![Gf256::ZERO; 2]);
    assert!(matches!(new(Short::Within(1)), Err(Error::Public(_))));
    assert!(new(Short::Within(0)).is_ok());
    let sis = Sis::<Gf256>::sample(10, 20, Short::Binary, SEED).expect("small");
    assert_eq!(Evaluator::<Gf256>::check(&sis), Ok(()));
}

#[test]
fn the_lattice_problem_of_the_paper_is_one_element_a_column() {
    let sis = Sis::<F32>::sample(2048, 1024, Short::Within(1), SEED).expect("small");
    assert_eq!(Evaluator::<F32>::check(&sis), Ok(()));
    let counts = Counter::<F32>::count(&sis).expect("counts").total();
    assert_eq!((counts.inputs, counts.polynomials, counts.degree), (1024, 1024, 3));
    assert_eq!((counts.affine, counts.multiplications), (2048 * 1024, 0));
}

#[test]
fn matrix_products_public_and_secret_hold_and_no_entry_can_change() {
    let shape = MatrixShape { rows: 3, inner: 4, columns: 2 };
    let [public, secret] =
        [true, false].map(|public| MatrixProduct::<F61>::sample(shape, public, SEED).expect("small"));
    assert_eq!((holds(&public), holds(&secret)), (Ok(()), Ok(())));
    assert_eq!((count(&public).inputs, count(&secret).inputs), (20, 26));
    assert_eq!((count(&public).dot_terms, count(&public).multiplications), (24, 0));
    for statement in [&public, &secret] {
        assert_eq!(Statement::<Counter<F61>>::commitments(statement), Some(count(statement).inputs));
    }
    for entry in 0..6 {
        let mut wrong = MatrixProduct::<F61>::sample(shape, true, SEED).expect("small");
        wrong.public.as_mut().expect("public")[entry] += F61::ONE;
        fails_in(&wrong, "matrix product");
        let mut wrong = MatrixProduct::<F61>::sample(shape, false, SEED).expect("small");
        let parts = wrong.secret.as_mut().expect("a witness");
        let mut product = parts[2].values().to_vec();
        product[entry] += F61::ONE;
        parts[2] = Witness::new(product);
        fails_in(&wrong, "matrix product");
    }
    assert!(matches!(MatrixProduct::new(shape, Some(vec![f(0); 5])), Err(Error::Public(_))));
    assert!(matches!(MatrixProduct::<F61>::new(MatrixShape::square(1 << 33), None), Err(Error::Public(_))));
    let flat = MatrixShape { rows: 0, inner: usize::MAX, columns: 0 };
    assert!(matches!(MatrixProduct::<F61>::new(flat, None), Err(Error::Public(_))));
    let empty = || MatrixProduct::<F61>::new(shape, None).expect("small");
    assert!(matches!(empty().with_factors(vec![f(0); 12], vec![f(0); 7]), Err(Error::Witness(_))));
    assert!(matches!(holds(&empty()), Err(Error::Witness(_))));
}

#[test]
fn inner_products_public_and_secret_hold_and_cannot_change() {
    for length in [0, 1, 5, 1000] {
        for public in [true, false] {
            let right = InnerProduct::<F61>::sample(length, public, SEED).expect("fits");
            assert_eq!(holds(&right), Ok(()), "{length}");
            let counts = count(&right);
            let expected = 2 * length as u64 + u64::from(!public);
            assert_eq!((counts.inputs, counts.dot_terms, counts.assertions), (expected, length as u64, 1));
        }
        let mut wrong = InnerProduct::<F61>::sample(length, true, SEED).expect("fits");
        wrong.public = wrong.public.map(|product| product + F61::ONE);
        fails_in(&wrong, "inner product");
    }
    let short = InnerProduct::<F61>::new(3, None).expect("fits").with_vectors(vec![f(1); 3], vec![f(1); 2]);
    assert!(matches!(short, Err(Error::Witness(_))));
    assert!(matches!(InnerProduct::<F61>::new(usize::MAX, None), Err(Error::Public(_))));
    assert!(matches!(
        holds(&InnerProduct::<F61>::new(0, Some(f(1))).expect("fits")),
        Err(Error::Unsatisfied { .. })
    ));
}

#[test]
fn long_inner_products_go_in_parts() {
    let length = (1 << 15) + 3;
    for public in [true, false] {
        let right = InnerProduct::<F61>::sample(length, public, SEED).expect("fits");
        assert_eq!(holds(&right), Ok(()));
        let counts = count(&right);
        // A part of its own for each but the last claim of a public product.
        assert_eq!(counts.inputs, 2 * length as u64 + if public { 1 } else { 2 });
        assert_eq!(Statement::<Counter<F61>>::commitments(&right), Some(counts.inputs));
        assert_eq!((counts.dot_terms, counts.assertions), (length as u64, 2));
    }
    let mut wrong = InnerProduct::<F61>::sample(length, true, SEED).expect("fits");
    wrong.public = wrong.public.map(|product| product + F61::ONE);
    fails_in(&wrong, "inner product");
}

#[test]
fn chains_hold_and_have_the_multiplications_they_say() {
    for muls in [0, 1, 1023, 1024, 1025, 5000] {
        for chain in [MulChain::<F61>::new(muls), MulChain::single(muls)] {
            let chain = chain.expect("evaluates");
            assert_eq!(holds(&chain), Ok(()), "{muls}");
            let counts = count(&chain);
            assert_eq!((counts.multiplications, counts.additions, counts.inputs), (muls, muls, 2048));
            assert_eq!(Statement::<Counter<F61>>::commitments(&chain), Some(muls + 2048));
        }
    }
    let [mut batched, single] =
        [MulChain::<F61>::new(3000), MulChain::single(3000)].map(|c| c.expect("evaluates"));
    assert!(batched.end == single.end);
    batched.end[2047] += F61::ONE;
    assert!(matches!(holds(&batched), Err(Error::Unsatisfied { assertion: 2047, .. })));
}

#[test]
fn identities_depend_on_what_is_public_and_nothing_else() {
    let sis = |columns, short, seed, target: &[u64]| {
        Sis::new(columns, short, seed, target.iter().map(|&n| f(n)).collect()).expect("small")
    };
    let solved = sis(2, Short::Binary, SEED, &[1, 2]).with_solution(vec![f(0); 2]).expect("2");
    assert_eq!(digest_of(&solved), digest_of(&sis(2, Short::Binary, SEED, &[1, 2])));
    let shape = MatrixShape::square(2);
    let matrix = |product: Option<&[u64]>| {
        MatrixProduct::new(shape, product.map(|p| p.iter().map(|&n| f(n)).collect())).expect("small")
    };
    let inner = |length, product: Option<u64>| InnerProduct::new(length, product.map(f)).expect("fits");
    all_differ(&mut [
        digest_of(&solved),
        digest_of(&sis(3, Short::Binary, SEED, &[1, 2])),
        digest_of(&sis(2, Short::Within(1), SEED, &[1, 2])),
        digest_of(&sis(2, Short::Within(2), SEED, &[1, 2])),
        digest_of(&sis(2, Short::Binary, [8; 32], &[1, 2])),
        digest_of(&sis(2, Short::Binary, SEED, &[1, 3])),
        digest_of(&matrix(None)),
        digest_of(&matrix(Some(&[1, 2, 3, 4]))),
        digest_of(&matrix(Some(&[1, 2, 3, 5]))),
        digest_of(&MatrixProduct::<F61>::new(MatrixShape { columns: 1, ..shape }, None).expect("small")),
        digest_of(&inner(3, None)),
        digest_of(&inner(3, Some(0))),
        digest_of(&inner(3, Some(1))),
        digest_of(&inner(4, None)),
        digest_of(&MulChain::<F61>::new(1).expect("evaluates")),
        digest_of(&MulChain::<F61>::new(2).expect("evaluates")),
        digest_of(&MulChain::<F61>::single(2).expect("evaluates")),
    ]);
}

#[test]
fn debug_output_shows_no_witness() {
    let shape = MatrixShape::square(1);
    let shown = [
        format!("{:?}", Sis::<F61>::sample(1, 1, Short::Binary, SEED).expect("small")),
        format!("{:?}", MatrixProduct::<F61>::sample(shape, true, SEED).expect("small")),
        format!("{:?}", InnerProduct::<F61>::sample(1, true, SEED).expect("fits")),
        format!("{:?}", Mul32::sample(3, SEED)),
    ];
    for text in shown {
        assert!(text.ends_with(", .. }"), "{text}");
    }
}

#[test]
fn products_modulo_2_to_the_32_hold_and_cannot_change() {
    use volery_field::F2;
    use zeroize::Zeroizing;
    let sample = Mul32::sample(5, SEED);
    assert_eq!(Evaluator::<F2>::check(&sample), Ok(()));
    let counts = Counter::<F2>::count(&sample).expect("counts").total();
    assert_eq!((counts.inputs, counts.polynomials, counts.multiplications), (5 * 561, 5 * 497, 0));
    assert_eq!(Statement::<Counter<F2>>::commitments(&sample), Some(counts.inputs));
    let claim = |products: &[u32], factors: &[[u32; 2]]| {
        let claim = Mul32::new(products.to_vec()).with_factors(Zeroizing::new(factors.to_vec()));
        claim.and_then(|claim| Evaluator::<F2>::check(&claim))
    };
    let edge = u32::MAX;
    assert_eq!(claim(&[1, 0, 6], &[[edge, edge], [1 << 31, 2], [2, 3]]), Ok(()));
    for bit in 0..32 {
        assert!(matches!(claim(&[1 ^ 1 << bit], &[[edge, edge]]), Err(Error::Unsatisfied { .. })), "{bit}");
    }
    assert!(matches!(claim(&[1, 2], &[[1, 1]]), Err(Error::Witness(_))));
    assert!(matches!(Evaluator::<F2>::check(&Mul32::new(vec![1])), Err(Error::Witness(_))));
}
