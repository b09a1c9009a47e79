//! Provers that lie about something else than a product.

use volery_channel::{Channel, Error as ChannelError, tags};
use volery_testing::{Tap, between};
use volery_zk::Error;

use crate::bits::parties::{MODES, Mode, Run};
use crate::bits::reference::Lie;
use crate::bits::statements::{Equal, Named, Products};

fn rejected(reason: &str) -> Result<volery_zk::quicksilver::Tally, Error> {
    Err(Error::Rejected { reason: reason.into() })
}

const WRONG_PRODUCT: &str = "a product is wrong";
const NOT_ZERO: &str = "a wire that must be zero is not";

#[test]
fn a_prover_that_goes_on_after_a_false_assertion_is_rejected() {
    for mode in MODES {
        for interval in [1, 4, 1000] {
            let run = Run::new(interval, mode);
            for pairs in [1, 2, 9, 300] {
                let (p, v) = run.lying(&Equal { pairs, last_differs: true }, Lie::GoOn);
                assert_eq!(v, rejected(NOT_ZERO), "{run:?} {pairs}");
                assert!(p.is_err());
            }
            for at in [0, 3, 63] {
                let (_, v) = run.lying(&Products::false_at(64, at), Lie::GoOn);
                assert_eq!(v, rejected(NOT_ZERO), "{run:?} {at}");
            }
        }
    }
}

#[test]
fn a_wrong_secret_is_rejected_where_an_assertion_depends_on_it() {
    for mode in MODES {
        for secret in 0..40 {
            let claim = Equal { pairs: 20, last_differs: false };
            let (_, v) = Run::new(8, mode).lying(&claim, Lie::Secret(secret));
            assert_eq!(v, rejected(NOT_ZERO), "secret {secret}");
        }
    }
}

/// The bit that is sent differs from the value that the prover goes on with.
#[test]
fn a_tampered_correction_is_rejected_wherever_it_stands() {
    for mode in MODES {
        for commitment in 0..70 {
            let (_, v) = Run::new(16, mode).lying(&Products::new(68), Lie::Correction(commitment));
            assert_eq!(v, rejected(WRONG_PRODUCT), "commitment {commitment}");
        }
    }
}

#[test]
fn every_bit_of_both_halves_of_every_opening_counts() {
    for mode in MODES {
        for block in 0..4 {
            for bit in (block as usize % 3..256).step_by(3) {
                let (_, v) = Run::new(16, mode).lying(&Products::new(62), Lie::Opening { block, bit });
                assert_eq!(v, rejected(WRONG_PRODUCT), "block {block}, bit {bit}");
            }
        }
    }
}

#[test]
fn an_opening_under_another_mask_or_another_seed_is_rejected() {
    for mode in MODES {
        for block in 0..4 {
            let run = Run::new(16, mode);
            for lie in [Lie::Mask(block), Lie::OldMask(block), Lie::Seed(block)] {
                let (_, v) = run.lying(&Products::new(62), lie);
                assert_eq!(v, rejected(WRONG_PRODUCT), "{lie:?}");
            }
        }
    }
}

#[test]
fn every_bit_of_the_assertions_hash_counts() {
    for mode in MODES {
        for bit in 0..256 {
            let claim = Equal { pairs: 3, last_differs: false };
            let (_, v) = Run::new(4, mode).lying(&claim, Lie::Assertions(bit));
            assert_eq!(v, rejected(NOT_ZERO), "bit {bit}");
        }
    }
}

#[test]
fn counts_that_differ_are_named() {
    let names = ["the number of secret values", "the number of multiplications", "the number of assertions"];
    for mode in MODES {
        for block in 0..4 {
            for (number, name) in names.into_iter().enumerate() {
                let lie = Lie::Count { block, what: number };
                let (_, v) = Run::new(16, mode).lying(&Products::new(62), lie);
                let Err(Error::Diverged { what, ours, theirs }) = v else { panic!("{lie:?}: {v:?}") };
                assert_eq!((what, theirs), (name, ours + 1));
            }
        }
    }
}

/// Two programs under one name: whatever differs, it ends in an error at the verifier.
#[test]
fn programs_that_differ_end_in_an_error_at_the_verifier() {
    let program = |count| Named { name: "one name", program: Products::new(count) };
    for mode in MODES {
        let run = Run::new(16, mode);
        for (ours, theirs) in
            [(20, 21), (21, 20), (14, 15), (15, 14), (0, 1), (1, 0), (30, 62), (62, 30), (13, 14)]
        {
            let (p, v) = between(|p| run.prove(&program(theirs), p), |v| run.verify(&program(ours), v));
            assert!(p.is_err() && v.is_err(), "{ours} {theirs}: {p:?} {v:?}");
        }
    }
}

#[test]
fn bits_beyond_a_block_s_last_are_refused_even_where_they_fit_its_last_byte() {
    for bit in 0..8 {
        // Three bits in the last byte; the other five must be zero.
        let (_, v) = between(
            |p| p.send(tags::MASKS, &[1 << bit]).and_then(|()| p.flush()),
            |v| Run::new(16, Mode::FiatShamir).verify(&Products::new(1), v),
        );
        let malformed = matches!(v, Err(Error::Malformed { step: tags::MASKS, .. }));
        assert_eq!(malformed, bit >= 3, "{v:?}");
    }
}

#[test]
fn frames_of_masks_that_are_empty_long_or_too_many_are_refused() {
    let run = Run::new(64, Mode::Interactive);
    let hostile = |frames: &[Vec<u8>]| {
        between(
            |p| {
                for frame in frames {
                    let _ = p.send(tags::MASKS, frame);
                }
                p.recv(tags::CHALLENGE, 16).map(drop)
            },
            |v| run.verify(&Products::new(62), v),
        )
        .1
    };
    assert!(matches!(hostile(&[vec![]]), Err(Error::Malformed { step: tags::MASKS, .. })));
    assert!(matches!(hostile(&[vec![0; 4], vec![]]), Err(Error::Malformed { step: tags::MASKS, .. })));
    let long = Err(Error::Channel(ChannelError::TooLong { step: tags::MASKS, length: 2049, max: 2048 }));
    assert_eq!(hostile(&[vec![0; 2049]]), long);
    assert!(matches!(hostile(&[vec![0; 9]]), Err(Error::Malformed { step: tags::MASKS, .. })));
    assert!(hostile(&[vec![0; 8], vec![0]]).is_err());
}

/// The seed must not be known before all bits are fixed.
#[test]
fn no_challenge_comes_before_the_last_bit_of_its_block() {
    let run = Run::new(64, Mode::Interactive);
    for sent in [0, 1, 7, 8] {
        let (p, _) = between(
            |p| {
                for _ in 0..sent {
                    p.send(tags::MASKS, &[0])?;
                }
                p.recv(tags::CHALLENGE, 16).map(<[u8]>::len)
            },
            |v| run.verify(&Products::new(62), v),
        );
        if sent == 8 {
            assert_eq!(p, Ok(16));
        } else {
            assert!(p.is_err(), "{sent} bytes of 8: {p:?}");
        }
    }
}

/// A seed that a prover can foresee is no challenge.
#[test]
fn every_block_of_every_proof_has_a_challenge_of_its_own() {
    let mut seeds = Vec::new();
    for seed in 0..10 {
        let run = Run { seed, ..Run::new(16, Mode::Interactive) };
        let (_, sent) = between(
            |p| run.prove(&Products::new(62), p),
            |v| {
                let mut tap = Tap::recorder(v);
                run.verify(&Products::new(62), &mut tap).expect("accepts");
                tap.layer.sent
            },
        );
        seeds.extend(sent.into_iter().filter(|(tag, _)| *tag == tags::CHALLENGE).map(|(_, seed)| seed));
    }
    assert_eq!(seeds.len(), 40);
    seeds.sort_unstable();
    seeds.dedup();
    assert_eq!(seeds.len(), 40);
}
