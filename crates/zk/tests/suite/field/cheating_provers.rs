//! Provers that lie about something else than the place where a block ends.

use volery_channel::{Error as ChannelError, tags};
use volery_circuit::MatrixShape;
use volery_field::{F61, F61x2, Mac, Value};
use volery_testing::{Tap, between, deal, every_kind_of_pair};
use volery_zk::Error;

use crate::field::claims::{Part, Program};
use crate::field::parties::{RUNS, Run, not_zero, wrong};
use crate::field::reference::Lie;

/// Each kind of claim once.
fn everything<F>() -> Program<F> {
    Program::of(&Part::ALL)
}

fn the_plain_prover_is_accepted<F: Value, M: Mac<F>>(run: Run) {
    let (p, v) = run.lying::<F, M>(&everything(), &everything(), (Lie::GoOn, None));
    assert_eq!(p.unwrap(), v.unwrap(), "{} {run:?}", F::NAME);
}

/// It takes the paper's word for everything, so this is also what the real prover should say.
fn the_real_prover_says_the_same<F: Value, M: Mac<F>>(run: Run) {
    let program = everything();
    let record = |real: bool| {
        let (sent, v) = between(
            |p| {
                let mut tap = Tap::recorder(p);
                let p = if real {
                    run.prove::<F, M>(&program, &mut tap)
                } else {
                    run.lie::<F, M>(&program, (Lie::GoOn, None), &mut tap)
                };
                p.map(|_| tap.layer.sent)
            },
            |v| run.verify::<F, M>(&program, v),
        );
        v.unwrap();
        sent.unwrap()
    };
    assert!(record(true) == record(false), "{} {run:?}", F::NAME);
}

#[test]
fn the_plain_prover_is_accepted_and_the_real_one_says_the_same_byte_for_byte() {
    for run in RUNS {
        every_kind_of_pair!(the_plain_prover_is_accepted(run));
        every_kind_of_pair!(the_real_prover_says_the_same(run));
    }
}

fn false_claims_are_rejected<F: Value, M: Mac<F>>() {
    for run in RUNS {
        for part in Part::ALL {
            let v = run.answer::<F, M>(&Program::wrong(part), Lie::GoOn);
            let expected = if part.is_linear() { not_zero() } else { wrong() };
            assert_eq!(v, expected, "{} {run:?} {part:?}", F::NAME);
        }
    }
}

#[test]
fn a_prover_that_goes_on_after_a_false_claim_of_any_kind_is_rejected() {
    every_kind_of_pair!(false_claims_are_rejected());
}

#[test]
fn one_false_claim_among_true_ones_is_rejected_wherever_it_stands() {
    for run in RUNS {
        for (i, part) in Part::ALL.into_iter().enumerate() {
            let program = Program { wrong: Some(i), ..everything() };
            let (p, v) = run.lying::<F61, F61x2>(&program, &everything(), (Lie::GoOn, None));
            assert_eq!(v, if part.is_linear() { not_zero() } else { wrong() }, "{run:?} {part:?}");
            assert!(p.is_err());
        }
    }
}

/// The real prover does not even try: it says which claim is false.
#[test]
fn the_real_prover_stops_at_a_false_claim() {
    for part in Part::ALL {
        let (p, v) = Run::new(7, false).honest::<F61, F61>(&Program::wrong(part));
        assert!(
            matches!(p, Err(Error::Statement(volery_circuit::Error::Unsatisfied { .. }))),
            "{part:?}: {p:?}"
        );
        assert!(matches!(v, Err(Error::Channel(ChannelError::Peer { .. }))), "{part:?}: {v:?}");
    }
}

/// The lies are well made: a prover that knows delta, and changes nothing else, is believed; one that guesses
/// is not.
fn guesses_of_delta<F: Value, M: Mac<F>>() {
    let delta = deal::field_delta::<F, M>().expose();
    for run in RUNS {
        for part in Part::ALL {
            let program = Program::wrong(part);
            let (p, v) = run.lying::<F, M>(&program, &program, (Lie::GoOn, Some(delta)));
            assert!(p.is_ok() && v.is_ok(), "{} {run:?} {part:?}: {p:?} {v:?}", F::NAME);
            for guess in [M::ONE, delta + M::ONE, -delta + M::ONE, delta * delta] {
                let (_, v) = run.lying::<F, M>(&program, &program, (Lie::GoOn, Some(guess)));
                assert!(v.is_err_and(|error| error.is_rejection()), "{} {run:?} {part:?}", F::NAME);
            }
        }
    }
}

#[test]
fn who_knows_delta_can_lie_anywhere_and_who_guesses_wrong_cannot() {
    every_kind_of_pair!(guesses_of_delta());
}

/// The committed product is wrong and the claim on the chain's end is about the right one, or the other way
/// round.
#[test]
fn a_wrong_product_is_rejected_wherever_it_stands() {
    for run in RUNS {
        for product in 0..12 {
            let program = Program::of(&[Part::Gates(12)]);
            // The end of the chain no longer is what the prover commits to; the product is found first.
            assert_eq!(run.answer::<F61, F61>(&program, Lie::Product(product)), wrong(), "{run:?} {product}");
        }
    }
}

/// The element that is sent belongs to another value than the one that the prover goes on with.
#[test]
fn a_wrong_correction_is_rejected_wherever_it_stands() {
    for run in RUNS {
        for part in Part::ALL {
            for commitment in 0..3 {
                let v = run.answer::<F61, F61x2>(&Program::of(&[part]), Lie::Correction(commitment));
                assert!(v.is_err_and(|error| error.is_rejection()), "{run:?} {part:?} {commitment}");
            }
        }
    }
}

/// Every secret is part of some claim, so no other value will do.
#[test]
fn a_wrong_secret_is_rejected_where_a_claim_depends_on_it() {
    let secrets = Run::new(9, false).honest::<F61, F61>(&everything()).1.unwrap().secrets;
    for fiat_shamir in [false, true] {
        for secret in 0..secrets {
            let v = Run::new(9, fiat_shamir).answer::<F61, F61>(&everything(), Lie::Secret(secret));
            assert!(v.is_err_and(|error| error.is_rejection()), "secret {secret} of {secrets}");
        }
    }
}

/// Degrees 2, 3 and 10 in one block: ten coefficients.
fn degrees<F>() -> Program<F> {
    Program::of(&[Part::Gates(2), Part::Polynomial(10), Part::Polynomial(3), Part::Equal(1)])
}

fn openings<F: Value, M: Mac<F>>() {
    for fiat_shamir in [false, true] {
        let run = Run::new(1 << 10, fiat_shamir);
        for coefficient in 0..10 {
            let lie = Lie::Opening { block: 0, coefficient };
            assert_eq!(run.answer::<F, M>(&degrees(), lie), wrong(), "{} {coefficient}", F::NAME);
        }
        for lie in [Lie::Mask(0), Lie::OldMask(1), Lie::Seed(0)] {
            let run = if lie == Lie::OldMask(1) { Run::new(8, fiat_shamir) } else { run };
            // Old masks are shorter than new ones if the degree is another; of equal degree these blocks are.
            let program = if lie == Lie::OldMask(1) { Program::of(&[Part::Gates(9)]) } else { degrees() };
            assert_eq!(run.answer::<F, M>(&program, lie), wrong(), "{} {lie:?}", F::NAME);
        }
    }
}

#[test]
fn every_coefficient_of_an_opening_its_mask_and_its_seed_count() {
    every_kind_of_pair!(openings());
}

#[test]
fn a_relation_of_one_degree_cannot_stand_for_one_of_another() {
    // One degree is false, and the block has others, greater and less.
    for degree in [2, 3, 7, 10] {
        for run in RUNS {
            let parts = [2, 3, 7, 10, degree].map(Part::Polynomial);
            let program = Program { wrong: Some(4), ..Program::of(&parts) };
            assert_eq!(run.answer::<F61, F61>(&program, Lie::GoOn), wrong(), "{run:?} {degree}");
        }
    }
}

fn folds<F: Value, M: Mac<F>>() {
    for fiat_shamir in [false, true] {
        for shape in [(1, 1, 1), (3, 1, 2), (1, 4, 1), (2, 2, 5)] {
            let shape = MatrixShape { rows: shape.0, inner: shape.1, columns: shape.2 };
            let run = Run::new(1 << 10, fiat_shamir);
            let part = Part::Matrix(shape);
            assert!(run.answer::<F, M>(&Program::of(&[part]), Lie::GoOn).is_ok());
            assert_eq!(run.answer::<F, M>(&Program::of(&[part]), Lie::Fold), wrong(), "{shape:?}");
            // Every entry of every matrix counts.
            let entries = shape.rows * shape.inner + shape.inner * shape.columns + shape.rows * shape.columns;
            for entry in 0..entries as u64 {
                let v = run.answer::<F, M>(&Program::of(&[part]), Lie::Secret(entry));
                assert_eq!(v, wrong(), "{} {shape:?} entry {entry}", F::NAME);
            }
        }
    }
}

#[test]
fn every_entry_of_matrices_and_the_vectors_that_fold_them_count() {
    every_kind_of_pair!(folds());
}

#[test]
fn every_bit_of_the_assertions_hash_counts() {
    for fiat_shamir in [false, true] {
        for bit in 0..256 {
            let v = Run::new(16, fiat_shamir)
                .answer::<F61, F61>(&Program::of(&[Part::Equal(3)]), Lie::Assertions(bit));
            assert_eq!(v, not_zero(), "bit {bit}");
        }
    }
}

#[test]
fn counts_that_differ_are_named() {
    let names = [
        "the number of secret values",
        "the number of multiplications",
        "the number of assertions",
        "the number of polynomials",
    ];
    for fiat_shamir in [false, true] {
        for block in 0..4 {
            for (number, name) in names.into_iter().enumerate() {
                let lie = Lie::Count { block, what: number };
                let v = Run::new(16, fiat_shamir).answer::<F61, F61>(&everything(), lie);
                let Err(Error::Diverged { what, ours, theirs }) = v else { panic!("{lie:?}: {v:?}") };
                assert_eq!((what, theirs), (name, ours + 1));
            }
        }
    }
}

fn encodings<F: Value, M: Mac<F>>() {
    for fiat_shamir in [false, true] {
        let run = Run::new(16, fiat_shamir);
        for commitment in [0, 1, 7, 8, 15, 30] {
            let v = run.answer::<F, M>(&everything(), Lie::NotCanonical(commitment));
            assert!(
                matches!(v, Err(Error::Malformed { step: tags::ELEMENTS, .. })),
                "{} {commitment}: {v:?}",
                F::NAME
            );
        }
        for (block, coefficient) in [(0, 0), (0, 1), (1, 0), (2, 1)] {
            let v = run.answer::<F, M>(&everything(), Lie::OpeningNotCanonical { block, coefficient });
            assert!(
                matches!(v, Err(Error::Malformed { step: tags::ELEMENTS_OPENING, .. })),
                "{} {block} {coefficient}: {v:?}",
                F::NAME
            );
        }
    }
}

/// In GF(2^8) and GF(2^128) every string of bits is an element; elsewhere all ones are none.
#[test]
fn what_is_no_element_s_encoding_is_malformed() {
    encodings::<F61, F61>();
    encodings::<F61, F61x2>();
    encodings::<volery_field::Bn254Scalar, volery_field::Bn254Scalar>();
    #[cfg(feature = "every-field")]
    encodings::<volery_field::F32, volery_field::F32x4>();
}

/// Also after the last block, where no commitment would take it for its own.
#[test]
fn an_element_more_than_a_block_takes_is_refused() {
    for fiat_shamir in [false, true] {
        for part in [Part::Equal(13), Part::Gates(9), Part::Matrix(MatrixShape::square(3))] {
            for block in 0..2 {
                let v =
                    Run::new(16, fiat_shamir).answer::<F61, F61>(&Program::of(&[part]), Lie::Surplus(block));
                let Err(Error::Malformed { step: tags::ELEMENTS, reason }) = v else {
                    panic!("{part:?}: {v:?}")
                };
                assert!(reason.contains("beyond"), "{reason}");
            }
        }
    }
}

#[test]
fn frames_of_elements_that_are_empty_long_uneven_or_padded_with_ones_are_refused() {
    use volery_channel::Channel as _;
    let run = Run::new(64, false);
    let hostile = |frames: &[Vec<u8>]| {
        between(
            |p| {
                frames.iter().for_each(|frame| drop(p.send(tags::ELEMENTS, frame)));
                p.recv(tags::ELEMENTS_CHALLENGE, 16).map(drop)
            },
            |v| run.verify::<F61, F61>(&Program::of(&[Part::Equal(16)]), v),
        )
        .1
    };
    let malformed = |v: &Result<_, Error>| matches!(v, Err(Error::Malformed { step: tags::ELEMENTS, .. }));
    // One element has 8 bytes, two have 16, three have 23.
    for length in [0, 1, 7, 9, 15, 17, 22, 24] {
        let v = hostile(&[vec![0; length]]);
        assert!(malformed(&v), "{length}: {v:?}");
        assert!(malformed(&hostile(&[vec![0; 8], vec![0; length]])), "{length}");
    }
    // The three bits after an element.
    for bit in 61..64 {
        let v = hostile(&[(1_u64 << bit).to_le_bytes().to_vec()]);
        assert!(malformed(&v), "{bit}: {v:?}");
    }
    // The modulus itself.
    assert!(malformed(&hostile(&[((1_u64 << 61) - 1).to_le_bytes().to_vec()])));
    let step = tags::ELEMENTS;
    let long = ChannelError::TooLong { step, length: 7809, max: 7808 };
    assert_eq!(hostile(&[vec![0; 7809]]), Err(Error::Channel(long)));
}

/// Two programs under one name: whatever differs, it ends in an error at the verifier.
#[test]
fn programs_that_differ_end_in_an_error_at_the_verifier() {
    use Part::{Dot, Equal, Gates, Matrix, OneOf, Polynomial, Products};
    let square = |n| Matrix(MatrixShape::square(n));
    let different: [(&[Part], &[Part]); 12] = [
        (&[Gates(4)], &[Gates(5)]),
        (&[Gates(12)], &[Gates(13)]),
        (&[Gates(3)], &[]),
        (&[], &[Equal(1)]),
        (&[Products(2)], &[Products(3)]),
        (&[Dot(3)], &[Dot(4)]),
        (&[Polynomial(3)], &[Polynomial(4)]),
        (&[Polynomial(9)], &[Polynomial(2)]),
        (&[OneOf(2)], &[OneOf(3)]),
        (&[square(1)], &[square(2)]),
        (&[square(2)], &[Dot(5)]),
        (&[Gates(3), square(2)], &[square(2), Gates(3)]),
    ];
    let run = |interval, fiat_shamir, ours: &[Part], theirs: &[Part]| {
        let run = Run::new(interval, fiat_shamir);
        let (ours, theirs) = (Program::of(ours), Program::of(theirs));
        between(|p| run.prove::<F61, F61>(&theirs, p), |v| run.verify::<F61, F61>(&ours, v))
    };
    for fiat_shamir in [false, true] {
        for interval in [8, 1000] {
            for (one, other) in different {
                for (ours, theirs) in [(one, other), (other, one)] {
                    let (p, v) = run(interval, fiat_shamir, ours, theirs);
                    assert!(p.is_err() && v.is_err(), "{ours:?} {theirs:?}: {p:?} {v:?}");
                }
            }
        }
    }
}

/// A challenge that comes before all is committed to is none.
#[test]
fn no_challenge_comes_before_the_last_element_of_its_block() {
    use volery_channel::Channel as _;
    let run = Run::new(8, false);
    // Eight elements in the first block, of 61 bits each.
    let program = Program::of(&[Part::Equal(5)]);
    for sent in 0..=8 {
        let (p, _) = between(
            |p| {
                let mut frame = Vec::new();
                volery_field::pack_elements(&vec![F61::new(5); sent], &mut frame);
                if sent > 0 {
                    p.send(tags::ELEMENTS, &frame)?;
                }
                p.recv(tags::ELEMENTS_CHALLENGE, 16).map(<[u8]>::len)
            },
            |v| run.verify::<F61, F61>(&program, v),
        );
        assert_eq!(p.is_ok(), sent == 8, "{sent} elements of 8: {p:?}");
    }
}

/// A seed that a prover can foresee is no challenge.
#[test]
fn every_block_and_every_fold_of_every_proof_has_a_challenge_of_its_own() {
    let mut seeds = Vec::new();
    for seed in 0..10 {
        let run = Run { seed, ..Run::new(16, false) };
        let (_, sent) = between(
            |p| run.prove::<F61, F61>(&everything(), p),
            |v| {
                let mut tap = Tap::recorder(v);
                run.verify::<F61, F61>(&everything(), &mut tap).expect("accepts");
                tap.layer.sent
            },
        );
        let sent = sent.into_iter().filter(|(tag, _)| *tag == tags::ELEMENTS_CHALLENGE);
        seeds.extend(sent.map(|(_, seed)| seed));
    }
    let count = seeds.len();
    assert!(count >= 60 && count % 10 == 0, "{count}");
    seeds.sort_unstable();
    seeds.dedup();
    assert_eq!(seeds.len(), count);
}
