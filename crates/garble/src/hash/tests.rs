//! Every level against the portable one, and that one against the formula.

use aes::Aes128;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use proptest::prelude::*;

use super::*;

fn levels() -> impl Iterator<Item = AesLevel> {
    AesLevel::ALL.into_iter().filter(|level| level.available())
}

/// Hashes pair after pair, `at_once` in a call.
fn hash_all<const LABELS: usize>(keys: &mut Keys, pairs: &mut [[Pair; LABELS]], at_once: usize) {
    let mut done = 0;
    while done < pairs.len() {
        if keys.ready() == 0 {
            keys.renew().unwrap();
        }
        let n = at_once.min(keys.ready()).min(pairs.len() - done);
        keys.hash(&mut pairs[done..done + n]);
        done += n;
    }
}

fn sample<const LABELS: usize>(n: usize, seed: u8) -> Vec<[Pair; LABELS]> {
    let mut blocks = vec![Gf128::ZERO; 2 * LABELS * n];
    volery_vole::Prg::new([seed; 16]).blocks(&mut blocks);
    blocks.chunks_exact(2 * LABELS).map(|b| core::array::from_fn(|l| [b[2 * l], b[2 * l + 1]])).collect()
}

/// The formula of the module's docs, with FIPS 197's AES from the `aes` crate.
fn formula(start: u128, tweak: u64, x: u128) -> u128 {
    let half = |x: u64| {
        let (a, b) = (x >> 32, x & u64::from(u32::MAX));
        (a ^ b) << 32 | a
    };
    let s = u128::from(half((x >> 64) as u64)) << 64 | u128::from(half(x as u64));
    let mut block = s.to_le_bytes().into();
    Aes128::new(&(start ^ u128::from(tweak)).to_le_bytes().into()).encrypt_block(&mut block);
    u128::from_le_bytes(block.into()) ^ s
}

#[test]
fn every_level_is_the_formula_for_every_number_of_gates_at_once() {
    let start = [0xa7; 16];
    for level in levels() {
        for first in [0, 5, (1 << 62) - 100] {
            for at_once in 1..=AHEAD {
                let mut pairs = sample::<2>(37, at_once as u8);
                let before = pairs.clone();
                let mut keys = Keys::with_level(level, start, first);
                hash_all(&mut keys, &mut pairs, at_once);
                assert_eq!(keys.number(), first + 37);
                for (g, (before, after)) in (first..).zip(before.iter().zip(&pairs)) {
                    for half in 0..2 {
                        for label in 0..2 {
                            let want = formula(
                                u128::from_le_bytes(start),
                                2 * g + half as u64,
                                before[label][half].to_bits(),
                            );
                            assert_eq!(after[label][half].to_bits(), want, "{level:?} {g} {at_once}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn the_kernel_of_this_machine_is_as_the_portable_one() {
    for length in 0..150 {
        assert!(is_as_portable([0x3c; 16], sample::<1>(length, 9).as_flattened().as_flattened()), "{length}");
    }
}

#[test]
fn every_level_is_the_formula_for_runs_of_every_length() {
    let start = [0x3c; 16];
    for level in levels() {
        let mut keys = Keys::with_level(level, start, 7);
        for length in 0..=70 {
            for second in [false, true] {
                let tweak = 2 * keys.number() + u64::from(second);
                let place = keys.next_pair().unwrap();
                let mut blocks = vec![Gf128::ZERO; length];
                volery_vole::Prg::new([length as u8; 16]).blocks(&mut blocks);
                let mut hashes = vec![Gf128::ZERO; length];
                let sum = keys.hash_run((place, second), &blocks, &mut hashes).unwrap();
                for (block, hash) in blocks.iter().zip(&hashes) {
                    let want = formula(u128::from_le_bytes(start), tweak, block.to_bits());
                    assert_eq!(hash.to_bits(), want, "{level:?} {length} {second}");
                }
                assert!(sum == hashes.into_iter().sum(), "{level:?} {length} {second}");
            }
        }
        assert_eq!(keys.number(), 7 + 142);
    }
}

#[test]
fn every_level_sums_the_labels_whose_index_has_a_bit_set() {
    fn assert_sums<const BITS: usize>(level: AesLevel) {
        let mut labels = vec![Gf128::ZERO; 1 << BITS];
        volery_vole::Prg::new([9; 16]).blocks(&mut labels);
        let set = |bit: usize| labels.iter().enumerate().filter(move |(i, _)| i >> bit & 1 == 1);
        let want: [Gf128; BITS] = core::array::from_fn(|bit| set(bit).map(|(_, label)| *label).sum());
        let got = Keys::with_level(level, [1; 16], 0).sums_by_bit::<BITS>(&mut labels.clone());
        assert!(got == want, "{level:?} {BITS}");
    }
    for level in levels() {
        assert_sums::<1>(level);
        assert_sums::<4>(level);
        assert_sums::<8>(level);
    }
}

#[test]
fn nothing_is_hashed_beyond_the_keys_that_are_ready() {
    for level in levels() {
        let mut keys = Keys::with_level(level, [1; 16], 0);
        let mut pairs = sample::<1>(AHEAD + 3, 9);
        let before = pairs.clone();
        keys.hash(&mut pairs);
        assert!(pairs == before, "no keys are ready at first");
        keys.renew().unwrap();
        keys.hash(&mut pairs);
        assert!(pairs[AHEAD..] == before[AHEAD..] && pairs[..AHEAD] != before[..AHEAD]);
        assert_eq!(keys.ready(), 0);
    }
}

#[test]
fn gates_whose_tweaks_would_repeat_are_refused() {
    let mut keys = Keys::new([0; 16], (1 << 62) - 3);
    assert!(matches!(keys.renew(), Err(Error::Misuse(_))));
}

proptest! {
    #[test]
    fn levels_agree_on_any_labels(
        seed: u8, start: [u8; 16], first in 0_u64..1 << 60, n in 0_usize..70, at_once in 1_usize..20
    ) {
        let mut want = sample::<1>(n, seed);
        hash_all(&mut Keys::with_level(AesLevel::Portable, start, first), &mut want, 1);
        for level in levels() {
            let mut got = sample::<1>(n, seed);
            hash_all(&mut Keys::with_level(level, start, first), &mut got, at_once);
            prop_assert!(got == want, "{:?}", level);
        }
    }
}

/// The rank of a linear map on 128 bits.
fn rank(map: impl Fn(u128) -> u128) -> usize {
    let mut basis = [0_u128; 128];
    for i in 0..128 {
        let mut image = map(1 << i);
        while image != 0 {
            let top = image.ilog2() as usize;
            if basis[top] == 0 {
                basis[top] = image;
                break;
            }
            image ^= basis[top];
        }
    }
    basis.iter().filter(|row| **row != 0).count()
}

#[test]
fn the_linear_map_stays_a_permutation_with_all_that_tables_add() {
    // H with a cipher that is the identity would be zero; the map alone is what the formula has around AES.
    let s = |x: u128| {
        let half = |x: u64| ((x >> 32) ^ (x & 0xffff_ffff)) << 32 | x >> 32;
        u128::from(half((x >> 64) as u64)) << 64 | u128::from(half(x as u64))
    };
    let low = u128::from(u64::MAX);
    assert_eq!(rank(s), 128);
    assert_eq!(rank(|x| s(x) ^ x), 128);
    assert_eq!(rank(|x| s(x) ^ (x & low)), 128);
    assert_eq!(rank(|x| s(x) ^ x >> 64), 128);
    assert_eq!(rank(|x| s(x) ^ x >> 64 ^ (x & low)), 128);
    // The map that swaps halves is none of the kind.
    let swapping = |x: u128| ((x >> 64) ^ (x & low)) << 64 | x >> 64;
    assert_eq!(rank(|x| swapping(x) ^ x >> 64), 64);
}

#[test]
fn kernels_that_the_cpu_has_not_are_refused() {
    for level in AesLevel::ALL.into_iter().filter(|level| !level.available()) {
        let refused = std::panic::catch_unwind(|| Keys::with_level(level, [1; 16], 0).number());
        assert!(refused.is_err(), "{level:?}");
    }
}
