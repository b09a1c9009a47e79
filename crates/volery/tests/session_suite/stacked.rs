//! Disjunctions in sessions, with correlations as sessions make them.

use volery::macncheese::{Disjunction, Join, Multiplier, Settings};
use volery::statements::{AndChain, MulChain};
use volery::system::{Bits, Stacked, StackedOver};
use volery::{Error, Prover, Verifier};
use volery_channel::Error as ChannelError;
use volery_channel::handshake::Mismatch;
use volery_field::{F2, F61, F61x2};
use volery_zk::disjunction::AnyOf;

use crate::support::{Product, between, options, patient, rng};

/// Blocks that a chain fills several times.
const SETTINGS: Settings = Settings { interval: 1 << 14, multiplier: Multiplier::Batched };

/// Chains of different lengths; P says it is the one numbered so.
fn chains(choice: usize) -> Disjunction<AndChain> {
    let chains = [30_000, 200, 170_000].map(AndChain::new);
    Disjunction::new(Join::Tree, chains.into_iter().collect()).expect("three").with_choice(&[choice])
}

fn field_chains(choice: &[usize]) -> Disjunction<MulChain<F61>> {
    let chains = [3000, 200, 20_000].map(|n| MulChain::new(n).expect("computes"));
    Disjunction::new(Join::AtLeast(2), chains.into_iter().collect()).expect("three").with_choice(choice)
}

#[test]
fn a_session_proves_disjunctions_over_bits_and_over_a_field_beside_other_statements() {
    for fiat_shamir in [false, true] {
        let options = options(fiat_shamir, 1);
        let product = Product { result: true, witness: Some([true, true]) };
        let (p, v) = between(
            &patient(),
            |link| {
                let (mut rng, mut all) = (rng(1), Vec::new());
                let mut prover = Prover::start(link, options, &mut rng)?;
                all.push(prover.prove(Bits, &product, &mut rng)?);
                all.push(prover.prove(Stacked::new(SETTINGS), &chains(1), &mut rng)?);
                let claim = field_chains(&[0, 1]);
                all.push(prover.prove(StackedOver::<F61, F61x2>::new(SETTINGS), &claim, &mut rng)?);
                all.push(prover.prove(Stacked::new(SETTINGS), &chains(2), &mut rng)?);
                Ok::<_, Error>(all)
            },
            |link| {
                let (mut rng, mut all) = (rng(2), Vec::new());
                let mut verifier = Verifier::start(link, options, &mut rng)?;
                all.push(verifier.verify(Bits, &product, &mut rng)?);
                all.push(verifier.verify(Stacked::new(SETTINGS), &chains(0), &mut rng)?);
                let claim = field_chains(&[]);
                all.push(verifier.verify(StackedOver::<F61, F61x2>::new(SETTINGS), &claim, &mut rng)?);
                all.push(verifier.verify(Stacked::new(SETTINGS), &chains(0), &mut rng)?);
                Ok::<_, Error>(all)
            },
        );
        let (p, v) = (p.expect("accepted"), v.expect("accepts"));
        assert!(p.iter().zip(&v).all(|(p, v)| p.tally == v.tally && p.bytes_sent == v.bytes_received));
        // Of all branches; what they cost in bytes is tested where no correlations are made.
        assert_eq!((v[1].tally.multiplications, v[2].tally.multiplications), (200_200, 23_200));
    }
}

#[test]
fn a_statement_that_chooses_is_proved_by_robin_and_by_stacking_in_one_session() {
    let any = |choice| {
        let chains = [3000, 20, 17_000].map(AndChain::new).into_iter().collect();
        AnyOf::<F2, _>::new(chains).and_then(|any| any.with_choice(choice)).expect("three")
    };
    let options = options(false, 1);
    let (p, v) = between(
        &patient(),
        |link| {
            let mut rng = rng(1);
            let mut prover = Prover::start(link, options, &mut rng)?;
            let robin = prover.prove(Bits, &any(1), &mut rng)?;
            Ok::<_, Error>([robin, prover.prove(Stacked::new(SETTINGS), &any(2), &mut rng)?])
        },
        |link| {
            let mut rng = rng(2);
            let mut verifier = Verifier::start(link, options, &mut rng)?;
            let robin = verifier.verify(Bits, &any(0), &mut rng)?;
            Ok::<_, Error>([robin, verifier.verify(Stacked::new(SETTINGS), &any(0), &mut rng)?])
        },
    );
    let ([robin, stacked], v) = (p.expect("accepted"), v.expect("accepts"));
    assert!(robin.tally == v[0].tally && stacked.tally == v[1].tally);
    // Robin commits to the longest branch; stacked, every branch is counted.
    assert_eq!((robin.tally.multiplications, stacked.tally.multiplications), (17_000, 20_020));
}

#[test]
fn the_embedding_with_challenges_by_fiat_shamir_is_refused_before_anything_is_said() {
    let settings = Settings { multiplier: Multiplier::EmbeddedRho40, ..SETTINGS };
    let options = options(true, 1);
    let (p, v) = between(
        &patient(),
        |link| {
            let mut rng = rng(1);
            Prover::start(link, options, &mut rng)?.prove(
                Stacked::new(settings),
                &AndChain::new(100),
                &mut rng,
            )
        },
        |link| {
            let mut rng = rng(2);
            Verifier::start(link, options, &mut rng)?.verify(
                Stacked::new(settings),
                &AndChain::new(100),
                &mut rng,
            )
        },
    );
    let refused = |result: &Result<_, Error>| matches!(result, Err(Error::Options(reason)) if reason.contains("Fiat-Shamir"));
    assert!(refused(&p) && refused(&v), "{p:?} {v:?}");
}

#[test]
fn who_has_no_witness_for_the_branch_it_names_sends_nothing_of_it() {
    let (options, branches) = (options(false, 1), || vec![AndChain::new(10), AndChain::new(20)]);
    let (p, v) = between(
        &patient(),
        |link| {
            let mut rng = rng(1);
            let claim = Disjunction::new(Join::Linear, branches())?.with_choice(&[2]);
            Prover::start(link, options, &mut rng)?.prove(Stacked::new(SETTINGS), &claim, &mut rng)
        },
        |link| {
            let mut rng = rng(2);
            let claim = Disjunction::new(Join::Linear, branches())?;
            Verifier::start(link, options, &mut rng)?.verify(Stacked::new(SETTINGS), &claim, &mut rng)
        },
    );
    assert!(matches!(p, Err(Error::Proof(volery_zk::Error::Statement(_)))), "{p:?}");
    // V was about to make correlations when it heard.
    let told = v.expect_err("nothing was proved").to_string();
    assert!(told.contains("a party cannot run the statement"), "{told}");
}

#[test]
fn other_settings_are_refused_by_name() {
    let other = [
        (Settings { interval: 1 << 13, ..SETTINGS }, "interval"),
        (Settings { multiplier: Multiplier::BatchedPowers, ..SETTINGS }, "multiplier"),
    ];
    for (other, what) in other {
        let (p, v) = between(
            &patient(),
            |link| {
                let mut rng = rng(1);
                let mut prover = Prover::start(link, options(false, 1), &mut rng)?;
                prover.prove(Stacked::new(SETTINGS), &AndChain::new(100), &mut rng)
            },
            |link| {
                let mut rng = rng(2);
                let mut verifier = Verifier::start(link, options(false, 1), &mut rng)?;
                verifier.verify(Stacked::new(other), &AndChain::new(100), &mut rng)
            },
        );
        let names = |error: &Error| matches!(error, Error::Channel(ChannelError::Incompatible(Mismatch::Parameter { name, .. })) if name == what);
        let (p, v) = (p.expect_err("they differ"), v.expect_err("they differ"));
        assert!(names(&p) || names(&v), "{p:?} {v:?}");
    }
}
