//! What should not be accepted is not.

use std::sync::Mutex;

use volery_field::F2;

use super::statements::{SplitProduct, SplitProductPart};
use super::*;

#[test]
fn shards_that_do_not_fit_together_are_rejected() {
    fn run<Y: Dealt + Copy + Send>(system: Y)
    where
        for<'a, 's> <Chain<Y::Ring> as Sharded>::Shard<'s>:
            Shard<Y::Ring, Y::Prover<'a>> + Shard<Y::Ring, Y::Verifier<'a>>,
        Chain<Y::Ring>: Sharded,
        for<'s> <Chain<Y::Ring> as Sharded>::Shard<'s>: Shard<Y::Ring, Evaluator<Y::Ring>>,
        for<'p> Y::Prover<'p>: Boundary<Y::Ring, Y::Mac>,
        for<'v> Y::Verifier<'v>: Boundary<Y::Ring, Y::Mac>,
    {
        let honest = Chain::<Y::Ring>::new(3, 10);
        let lying = Chain { wrong: Some(1), ..honest.clone() };
        assert!(check::<Y::Ring, _>(&lying).is_err());
        let (proved, verified) = Both::between(&lying, &honest).run(system);
        let reason = proved.as_ref().expect_err("refused").to_string();
        assert!(reason.contains("do not fit together") || is_rejected(&proved), "{reason}");
        let reason = verified.as_ref().expect_err("refused").to_string();
        // Over bits P sees by itself that it has made a mistake, and sends no hash.
        assert_eq!(reason.contains("do not fit together"), Y::ANSWERS_TELL_DELTA, "{reason}");
        assert_eq!(is_rejected(&verified), Y::ANSWERS_TELL_DELTA);
        // Each shard by itself holds: it is the boundary that does not.
        let apart = |chain: &Chain<Y::Ring>| Chain { joined: false, ..chain.clone() };
        let (_, verified) = Both::between(&apart(&lying), &apart(&honest)).run(system);
        verified.expect("nothing is claimed to be equal");
    }
    run(Bits);
    run(Field::new());
}

#[test]
fn a_shard_that_does_not_hold_is_rejected_and_never_tried_again() {
    fn run<Y: Dealt + Copy + Send>(system: Y)
    where
        for<'a, 's> <Chain<Y::Ring> as Sharded>::Shard<'s>:
            Shard<Y::Ring, Y::Prover<'a>> + Shard<Y::Ring, Y::Verifier<'a>>,
        Chain<Y::Ring>: Sharded,
        for<'s> <Chain<Y::Ring> as Sharded>::Shard<'s>: Shard<Y::Ring, Evaluator<Y::Ring>>,
        for<'p> Y::Prover<'p>: Boundary<Y::Ring, Y::Mac>,
        for<'v> Y::Verifier<'v>: Boundary<Y::Ring, Y::Mac>,
    {
        let lying = Chain { broken: Some(2), ..Chain::<Y::Ring>::new(3, 10) };
        assert!(check::<Y::Ring, _>(&lying).is_err());
        let began = [Mutex::new(Vec::new()), Mutex::new(Vec::new())];
        let note = |party: usize, shard: usize, attempt: u32| {
            began[party].lock().expect("no panic").push((shard, attempt));
            None
        };
        let (p_breaks, v_breaks) =
            (|shard, attempt| note(0, shard, attempt), |shard, attempt| note(1, shard, attempt));
        let both = Both { p_breaks: &p_breaks, v_breaks: &v_breaks, ..Both::of(&lying) };
        let (proved, verified) = both.run(system);
        for result in [proved, verified] {
            let reason = result.expect_err("refused").to_string();
            assert!(!reason.contains("workers were lost"), "{reason}");
        }
        for began in began {
            let mut began = began.into_inner().expect("no panic");
            began.sort_unstable();
            assert_eq!(began, [(0, 0), (1, 0), (2, 0)]);
        }
    }
    run(Bits);
    run(Field::new());
}

#[test]
fn a_statement_that_claims_nothing_is_refused() {
    let chain = Chain { claimed: false, joined: false, ..Chain::<F2>::new(2, 10) };
    let (proved, verified) = Both::of(&chain).run(Bits);
    for error in [proved.expect_err("no claim"), verified.expect_err("no claim")] {
        assert!(
            error.to_string().contains("claims nothing") || error.to_string().contains("asserts nothing"),
            "{error}"
        );
    }
    // Equal wires are a claim.
    let chain = Chain { claimed: false, ..Chain::<F2>::new(2, 10) };
    Both::of(&chain).run(Bits).1.expect("verified");
}

#[test]
fn parties_with_different_layouts_refuse_each_other_before_anything_is_dealt() {
    let ours = Chain::<F2>::new(3, 10);
    for theirs in [
        Chain { joined: false, ..ours.clone() },
        Chain { steps: 11, ..ours.clone() },
        Chain { shards: 2, ..ours.clone() },
    ] {
        let (proved, verified) = Both::between(&ours, &theirs).run(Bits);
        for error in [proved.expect_err("refused"), verified.expect_err("refused")] {
            assert!(matches!(error, Error::Channel(_)), "{error}");
        }
    }
}

#[test]
fn hashes_over_small_fields_too_many_retries_and_fields_without_rounds_are_refused() {
    let chain = Chain::<F2>::new(2, 10);
    let refused = |(proved, verified): (Result<Outcome, Error>, Result<Outcome, Error>)| {
        for error in [proved.expect_err("refused"), verified.expect_err("refused")] {
            assert!(matches!(error, Error::Options(_)), "{error}");
        }
    };
    let options = Options { fiat_shamir: true, ..Options::default() };
    let small = Chain::<F61>::new(2, 10);
    refused(Both { options, ..Both::of(&small) }.run(Over::<F61, F61>::new()));
    assert_eq!([Bits::MOST_RETRIES, Field::MOST_RETRIES, Over::<F61, F61>::MOST_RETRIES], [1024, 8, 8]);
    let settings = Settings { retries: 1025 };
    refused(Both { settings, ..Both::of(&chain) }.run(Bits));
    let settings = Settings { retries: 9 };
    refused(Both { settings, ..Both::of(&small) }.run(Over::<F61, F61>::new()));
    refused(Both { settings, ..Both::of(&small) }.run(Field::new()));
    assert!(Over::<volery_field::Gf256, volery_field::Gf128>::lot_len(&Options::default()).is_err());
}

/// A worker of P that meets V's worker of another shard, attempt or session.
#[test]
fn workers_of_different_lots_refuse_each_other() {
    let chain = Chain::<F2>::new(2, 10);
    let lots = |session: u8, place: (u32, u32), seed: u8| {
        let id = volery_vole::SessionId::new([session; 32]);
        deal::Place::new(id, Options::default(), place, &[seed; 32])
    };
    let n = Bits::lot_len(&Options::default()).expect("a length");
    let base = lots(1, (0, 0), 1);
    for other in [lots(2, (0, 0), 1), lots(1, (1, 0), 1), lots(1, (0, 1), 1), lots(1, (0, 0), 2)] {
        let (ours, theirs) = memory_pair(&Limits::default());
        let blank = || volery_field::Wiped::new(vec![volery_field::Gf128::ZERO; n]);
        let chain = &chain;
        std::thread::scope(|scope| {
            let verified = scope.spawn(move || {
                let delta = zeroize::Zeroizing::new(volery_field::Gf128::ONE);
                let lot = VerifierLot { place: other, keys: blank(), delta };
                verify_shard(theirs, lot, Bits, &chain.shard(0).expect("a shard"), &mut rng(2)).map(drop)
            });
            let lot = ProverLot { place: base, shares: blank() };
            let proved =
                prove_shard(ours, lot, Bits, &chain.shard(0).expect("a shard"), &mut rng(1)).map(drop);
            for result in [proved, verified.join().expect("no panic")] {
                assert!(matches!(result, Err(Lost::Failed(Error::Channel(_)))), "{result:?}");
            }
        });
    }
}

/// Every shard's product is right, with another second factor in one of them.
#[test]
fn shards_of_a_matrix_product_have_the_same_second_factor() {
    use volery_circuit::MatrixShape;
    use volery_field::Ring as _;

    let shape = MatrixShape { rows: 5, inner: 3, columns: 4 };
    let number = |i: usize| (0..=i).fold(F61::ZERO, |sum, _| sum + F61::ONE);
    let a: Vec<F61> = (0..15).map(number).collect();
    let b: Vec<F61> = (0..12).map(|i| number(2 * i + 1) + number(2 * i + 1)).collect();
    let entry = |i: usize, j: usize| (0..3).fold(F61::ZERO, |sum, l| sum + a[3 * i + l] * b[4 * l + j]);
    let product: Vec<F61> = (0..20).map(|at| entry(at / 4, at % 4)).collect();
    let claim = || SplitProduct::new(shape, product.clone(), 2).expect("a claim");
    let honest = claim().with_factors(a.clone(), b.clone()).expect("factors");
    check::<F61, _>(&honest).expect("holds");
    Both::between(&honest, &claim()).run(Field::new()).1.expect("verified");

    // Twice the first factor and half of the second have the same product.
    let doubled = a.iter().map(|x| *x + *x).collect();
    let halved = (0..12).map(|i| number(2 * i + 1)).collect();
    let other = claim().with_factors(doubled, halved).expect("factors");
    check::<F61, _>(&other).expect("holds as well");
    struct Mixed([SplitProduct<F61>; 2]);
    impl Sharded for Mixed {
        type Shard<'a> = SplitProductPart<'a, F61>;

        fn layout(&self) -> Result<Layout, Error> {
            self.0[0].layout()
        }

        fn shard(&self, n: usize) -> Result<Self::Shard<'_>, volery_circuit::Error> {
            self.0[n].shard(n)
        }
    }
    let mixed = Mixed([honest, other]);
    assert!(check::<F61, _>(&mixed).is_err());
    let (proved, verified) = Both::between(&mixed, &claim()).run(Field::new());
    assert!(is_rejected(&verified) && is_rejected(&proved), "{verified:?}");
}
