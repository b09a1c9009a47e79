//! Rounds between two threads, honest and not.

mod trees;

use volery_channel::{Channel, tags};
use volery_field::Gf128;
use volery_testing::{between_edited, untouched};
use zeroize::Zeroizing;

use super::*;
use crate::Delta;
use crate::testing::Tampering;

/// Small enough that a whole round takes a millisecond.
const TINY: Params = Params { log_k: 9, log_block: 6, trees: 20 };

const SESSION: SessionId = SessionId::new([3; 32]);

/// Correlations from nowhere: `(tags, keys)`.
fn deal(delta: &Delta, n: usize, seed: u8) -> (Vec<Gf128>, Vec<Gf128>) {
    let mut prg = Prg::new([seed; 16]);
    (0..n)
        .map(|_| {
            let tag = prg.block();
            let key = if tag.to_bits() & 1 == 1 { tag + delta.expose() } else { tag };
            (tag, key)
        })
        .unzip()
}

fn delta() -> Delta {
    Delta::from_element(Gf128::from_bits(0x1357_9bdf_0246_8ace_fedc_ba98_7654_3210))
}

/// A whole round over `wire`-tapped channels; gives both parties' outputs.
fn run(
    params: Params,
    tamper: fn(&mut VerifierRound),
    tap: fn(volery_channel::Tag, &mut Vec<u8>),
) -> (Result<Vec<Gf128>, Error>, Result<Vec<Gf128>, Error>) {
    let base = deal(&delta(), params.base_len(), 1);
    run_from(base, [0, 0], params, tamper, [tap, tap])
}

/// How a round's blocks are read.
type Block<'a> = &'a dyn Fn(usize, &mut [Gf128]) -> Result<(), Error>;

/// As [`run`], from given correlations, with each party's number of the round and edit.
fn run_from(
    (tags, keys): (Vec<Gf128>, Vec<Gf128>),
    numbers: [u64; 2],
    params: Params,
    tamper: impl FnOnce(&mut VerifierRound) + Send,
    edits: [impl FnMut(volery_channel::Tag, &mut Vec<u8>) + Send; 2],
) -> (Result<Vec<Gf128>, Error>, Result<Vec<Gf128>, Error>) {
    let delta = delta();
    let read = |block: Block<'_>| {
        let mut out = vec![Gf128::ZERO; params.outputs()];
        out.chunks_exact_mut(params.block_len()).enumerate().try_for_each(|(j, o)| block(j, o))?;
        Ok(out)
    };
    between_edited(
        &volery_channel::Limits::default(),
        edits.into(),
        |p| {
            let public = Public::new(&SESSION, numbers[0], params);
            let mut round = ProverRound::open(public, Zeroizing::new(tags))?;
            round.check([6; 16], p)?;
            round.verdict(p)?;
            read(&|j, o| round.block(j, o))
        },
        |v| {
            let public = Public::new(&SESSION, numbers[1], params);
            let seed = Zeroizing::new([5; 16]);
            let mut round = VerifierRound::open(public, &delta, seed, Zeroizing::new(keys), v)?;
            v.flush()?;
            tamper(&mut round);
            round.answer(v)?;
            read(&|j, o| round.block(j, o))
        },
    )
}

#[test]
fn a_round_gives_correlations_whose_bits_are_in_the_tags() {
    for params in [TINY, Params { log_k: 17, ..TINY }, Params { log_block: 2, ..TINY }] {
        let (m, k) = run(params, |_| {}, untouched);
        let (m, k, delta) = (m.unwrap(), k.unwrap(), delta().expose());
        assert_eq!((m.len(), k.len()), (params.outputs(), params.outputs()));
        let mut ones = 0;
        for (m, k) in m.iter().zip(&k) {
            let x = m.to_bits() & 1;
            assert_eq!(*k, if x == 1 { *m + delta } else { *m });
            ones += x as usize;
        }
        // Six standard deviations of a fair coin.
        let n = params.outputs() as f64;
        assert!((ones as f64 - n / 2.0).abs() < 3.0 * n.sqrt(), "{ones} ones of {n}");
    }
}

#[test]
fn every_tree_message_that_differs_in_one_bit_is_caught_unless_its_level_is_not_used() {
    // Whether P uses the sum of a level depends on nothing: every c_i enters P's tree. So each flip must be
    // caught.
    fn flip<const AT: usize>(tag: volery_channel::Tag, payload: &mut Vec<u8>) {
        if tag == tags::FERRET_TREES {
            let at = AT * (payload.len() - 1) / 7;
            payload[at] ^= 1 << (AT % 8);
        }
    }
    let taps = [flip::<0>, flip::<1>, flip::<2>, flip::<3>, flip::<4>, flip::<5>, flip::<6>, flip::<7>];
    for tap in taps {
        let (m, _) = run(TINY, |_| {}, tap);
        assert!(matches!(m, Err(Error::Cheat { step: tags::FERRET_VERDICT, .. })), "{m:?}");
    }
}

#[test]
fn a_tampered_check_or_verdict_is_caught() {
    for tap in [
        |tag, payload: &mut Vec<u8>| {
            if tag == tags::FERRET_CHECK {
                payload[3] ^= 4;
            }
        },
        |tag, payload: &mut Vec<u8>| {
            if tag == tags::FERRET_CHECK {
                payload[31] ^= 0x80;
            }
        },
        |tag, payload: &mut Vec<u8>| {
            if tag == tags::FERRET_VERDICT {
                payload[0] ^= 1;
            }
        },
    ] {
        let (m, _) = run(TINY, |_| {}, tap);
        assert!(matches!(m, Err(Error::Cheat { step: tags::FERRET_VERDICT, .. })), "{m:?}");
    }
}

#[test]
fn a_verifier_that_uses_another_delta_or_other_trees_after_sending_is_caught() {
    for tamper in [
        (|round: &mut VerifierRound| {
            round.set_delta(Delta::from_element(Gf128::from_bits(0x99)));
        }) as fn(&mut VerifierRound),
        |round| round.set_root(7, Gf128::from_bits(1)),
    ] {
        let (m, _) = run(TINY, tamper, untouched);
        assert!(matches!(m, Err(Error::Cheat { .. })), "{m:?}");
    }
}

#[test]
fn messages_of_the_wrong_length_are_malformed() {
    fn short(tag: volery_channel::Tag, payload: &mut Vec<u8>) {
        if tag == tags::FERRET_TREES {
            payload.pop();
        }
    }
    let (m, _) = run(TINY, |_| {}, short);
    assert!(matches!(m, Err(Error::Malformed { step: tags::FERRET_TREES, .. })), "{m:?}");
}

#[test]
fn coefficients_at_a_leaf_are_those_of_the_leaf() {
    let c = Coefficients::expand(&TINY, [1; 16]);
    for i in 0..TINY.block_len() {
        assert_eq!(c.at(i as u32), c.leaves[i]);
    }
}

#[test]
fn a_round_refuses_a_base_of_another_size() {
    let public = Public::new(&SESSION, 0, TINY);
    let round = ProverRound::open(public, Zeroizing::new(vec![Gf128::ZERO; TINY.base_len() - 1]));
    assert!(matches!(round.err(), Some(Error::Misuse(_))));
}

/// A wrong last level makes two leaves of a tree wrong by the same element: those of the path and beside it.
/// With the same paths, and the same error, in two trees nothing but the trees' own coefficients tells these
/// errors from none.
#[test]
fn errors_that_cancel_between_two_trees_with_one_path_are_caught() {
    let height = TINY.log_block as usize;
    let (mut tags, mut keys) = deal(&delta(), TINY.base_len(), 1);
    for base in [&mut tags, &mut keys] {
        let paths = TINY.table_len();
        base.copy_within(paths..paths + height, paths + height);
    }
    let wrong = |tag: volery_channel::Tag, payload: &mut Vec<u8>| {
        if tag == tags::FERRET_TREES {
            let last = 16 * (TINY.log_block as usize - 1);
            payload[last] ^= 0x40;
            payload[last + 16 * TINY.log_block as usize] ^= 0x40;
        }
    };
    let (m, _) = run_from((tags, keys), [0, 0], TINY, |_| {}, [wrong, wrong]);
    assert!(matches!(m, Err(Error::Cheat { step: tags::FERRET_VERDICT, .. })), "{:?}", m.err());
}

/// A V that knows the coefficients could look for the path that explains P's answer.
#[test]
fn v_finds_no_path_that_explains_p_s_answer() {
    const ONE_TREE: Params = Params { trees: 1, ..TINY };
    let (mut answers, base) = (Vec::new(), deal(&delta(), ONE_TREE.base_len(), 1));
    let path = paths_of(&base.0[ONE_TREE.table_len()..][..ONE_TREE.paths_len()], 6)[0];
    let mask = pack_bits(base.0.last_chunk().unwrap());
    let listen = |tag: volery_channel::Tag, payload: &mut Vec<u8>| {
        if tag == tags::FERRET_CHECK {
            answers.push(payload.clone());
        }
    };
    let taps: [Tampering<'_>; 2] = [Box::new(listen), Box::new(untouched)];
    let (m, _) = run_from(base, [0, 0], ONE_TREE, |_| {}, taps);
    assert!(m.is_ok());
    let (seed, answer) = answers[0].split_at(16);
    let answer = Gf128::from_bits(u128::from_le_bytes(answer.try_into().unwrap()));
    let (coefficients, _) = Public::new(&SESSION, 0, ONE_TREE).challenge(seed.try_into().unwrap());
    let at = |path| coefficients.at(path) * coefficients.trees[0];
    assert!((0..ONE_TREE.block_len() as u32).all(|path| answer != at(path)));
    assert_eq!(answer, at(path) + mask);
}

/// A verdict, and what P's seed gives, belong to their round.
#[test]
fn nothing_of_a_round_holds_in_another() {
    let [zero, one] = [0, 1].map(|number| Public::new(&SESSION, number, TINY));
    assert_ne!(zero.verdict(Gf128::ONE), one.verdict(Gf128::ONE));
    let rows = |public: &Public, seed: u8| {
        let mut out = [Gf128::ZERO; 4];
        let mut table = vec![Gf128::ZERO; TINY.table_len()];
        Prg::new([1; 16]).blocks(&mut table);
        public.challenge(&[seed; 16]).1.add_rows(0, &table, &mut out);
        out
    };
    let ours = rows(&zero, 6);
    // Those of another round, of another seed, of another session.
    let session = Public::new(&SessionId::new([4; 32]), 0, TINY);
    for other in [rows(&one, 6), rows(&zero, 7), rows(&session, 6)] {
        assert!(ours.iter().zip(&other).all(|(row, other)| row != other));
    }
    let base = deal(&delta(), TINY.base_len(), 1);
    let (m, _) = run_from(base, [0, 1], TINY, |_| {}, [untouched; 2]);
    assert!(matches!(m, Err(Error::Cheat { step: tags::FERRET_VERDICT, .. })), "{:?}", m.err());
}

#[test]
fn a_round_is_not_read_before_its_code_is_known() {
    let (tags, _) = deal(&delta(), TINY.base_len(), 1);
    let round = ProverRound::open(Public::new(&SESSION, 0, TINY), Zeroizing::new(tags)).unwrap();
    let mut out = vec![Gf128::ZERO; TINY.block_len()];
    assert!(matches!(round.block(0, &mut out), Err(Error::Misuse(_))));
}
