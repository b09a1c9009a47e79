//! Integer and bitwise gadgets against the machine's integers.

use proptest::prelude::*;

use super::*;
use crate::gadgets::adder::Adder;
use crate::{Fold, Folded};

/// A width and two numbers of that width, extremes included more often than chance would.
fn operands() -> impl Strategy<Value = (usize, u64, u64)> {
    let value = || prop_oneof![4 => any::<u64>(), 1 => Just(0), 1 => Just(u64::MAX), 1 => Just(1 << 63)];
    (1..=64_usize, value(), value()).prop_map(|(width, x, y)| {
        let shift = 64 - width;
        (width, x >> shift, y >> shift)
    })
}

fn modulo(value: u128, width: usize) -> u128 {
    value & ((1 << width) - 1)
}

/// The number in two's complement.
fn signed(value: u64, width: usize) -> i64 {
    (value << (64 - width)) as i64 >> (64 - width)
}

proptest! {
    #[test]
    fn sums_and_differences_are_those_of_integers((n, x, y) in operands()) {
        let (wx, wy) = (bits(x.into(), n), bits(y.into(), n));
        let b = &mut evaluator();
        let (x, y) = (u128::from(x), u128::from(y));
        prop_assert_eq!(number(&add(b, &wx, &wy)?), modulo(x + y, n));
        let (sum, carry) = add_with_carry(b, &wx, &wy)?;
        prop_assert_eq!((number(&sum), u128::from(carry.to_bool())), (modulo(x + y, n), (x + y) >> n));
        prop_assert_eq!(number(&add_constant(b, &wx, y as u64)?), modulo(x + y, n));
        prop_assert_eq!(number(&sub(b, &wx, &wy)?), modulo(x.wrapping_sub(y), n));
        prop_assert_eq!(number(&negate(b, &wx)?), modulo(x.wrapping_neg(), n));
    }

    #[test]
    fn comparisons_are_those_of_integers((n, x, y) in operands()) {
        let b = &mut evaluator();
        for (x, y) in [(x, y), (x, x), (y, x)] {
            let (wx, wy) = (bits(x.into(), n), bits(y.into(), n));
            prop_assert_eq!(less_than(b, &wx, &wy)?.to_bool(), x < y);
            prop_assert_eq!(less_than_signed(b, &wx, &wy)?.to_bool(), signed(x, n) < signed(y, n));
            prop_assert_eq!(equal(b, &wx, &wy)?.to_bool(), x == y);
        }
    }

    #[test]
    fn products_are_those_of_integers((n, x, y) in operands(), m in 1..=64_usize) {
        let (wx, wy) = (bits(x.into(), n), bits(y.into(), m));
        let b = &mut evaluator();
        let expected = u128::from(x) * modulo(y.into(), m);
        prop_assert_eq!(number(&multiply(b, &wx, &wy)?), expected);
        let low = multiply_low(b, &wx, &bits(y.into(), n))?;
        prop_assert_eq!(number(&low), modulo(u128::from(x) * u128::from(y), n));
    }

    #[test]
    fn bitwise_gadgets_are_those_of_integers((n, x, y) in operands(), choose in any::<bool>()) {
        let (wx, wy) = (bits(x.into(), n), bits(y.into(), n));
        let b = &mut evaluator();
        let mask = |value: u64| modulo(value.into(), n);
        prop_assert_eq!(number(&and(b, &wx, &wy)?), mask(x & y));
        prop_assert_eq!(number(&or(b, &wx, &wy)?), mask(x | y));
        prop_assert_eq!(number(&xor(b, &wx, &wy)?), mask(x ^ y));
        prop_assert_eq!(number(&xor_constant(b, &wx, &wy)?), mask(x ^ y));
        prop_assert_eq!(number(&not_word(b, &wx)), mask(!x));
        prop_assert_eq!(all_ones(b, &wx)?.to_bool(), mask(!x) == 0);
        prop_assert_eq!(any_one(b, &wx)?.to_bool(), x != 0);
        let chosen = mux(b, &F2::new(choose), &wx, &wy)?;
        prop_assert_eq!(number(&chosen), mask(if choose { x } else { y }));
    }

    #[test]
    fn shifts_and_rotations_are_those_of_integers((_, x, _) in operands(), distance in 0..100_usize) {
        let wx = bits(x.into(), 64);
        let b = &mut evaluator();
        let by = distance as u32;
        prop_assert_eq!(number(&shift_left(b, &wx, distance)), x.checked_shl(by).unwrap_or(0).into());
        prop_assert_eq!(number(&shift_right(b, &wx, distance)), x.checked_shr(by).unwrap_or(0).into());
        prop_assert_eq!(number(&rotate_left(&wx, distance)), x.rotate_left(by).into());
        prop_assert_eq!(number(&rotate_right(&wx, distance)), x.rotate_right(by).into());
        let sign_filled = (x as i64 >> distance.min(63)) as u64;
        prop_assert_eq!(number(&shift_right_signed(&wx, distance)), sign_filled.into());
    }

    /// The engine itself: several operands of several widths, some of their bits known.
    #[test]
    fn sums_of_many_operands_with_known_bits_are_right_and_cost_no_more(
        values in any::<[u64; 5]>(), known in any::<[u64; 5]>(), widths in prop::array::uniform5(0..=40_usize),
        k in any::<u64>(), n in 1..=40_usize,
    ) {
        let words: [Vec<F2>; 5] = core::array::from_fn(|i| bits(values[i].into(), widths[i]));
        let expected = words.iter().fold(u128::from(k), |sum, word| sum + number(word));
        let mut sum = bits(0, n);
        Adder::new().sum(&mut evaluator(), &mut sum, words.each_ref().map(Vec::as_slice), k)?;
        prop_assert_eq!(number(&sum), modulo(expected, n));

        let folded: [Vec<Folded<F2, F2>>; 5] = core::array::from_fn(|i| {
            let fold = |(j, bit): (usize, &F2)| {
                if known[i] >> j & 1 == 1 { Folded::Constant(*bit) } else { Folded::Wire(*bit) }
            };
            words[i].iter().enumerate().map(fold).collect()
        });
        let mut backend = evaluator();
        let mut fold = Fold::new(&mut backend);
        let mut sum = vec![Folded::Constant(F2::ZERO); n];
        Adder::new().sum(&mut fold, &mut sum, folded.each_ref().map(Vec::as_slice), k)?;
        let sum: Vec<F2> = sum.iter().map(|bit| fold.lower(bit)).collect();
        prop_assert_eq!(number(&sum), modulo(expected, n));
    }
}

#[test]
fn numbers_wider_than_a_machine_word_are_added() {
    for n in 65..=126 {
        let (x, y) =
            (modulo(0xfeed_f00d_5eed_1e55 << 60 | 0xabcd, n), modulo((u128::MAX / 3) ^ (0x55 << 100), n));
        let (wx, wy, b) = (bits(x, n), bits(y, n), &mut evaluator());
        assert_eq!(add(b, &wx, &wy).map(|sum| number(&sum)), Ok(modulo(x + y, n)));
        for k in [0, 1, 1 << 63, u64::MAX] {
            assert_eq!(add_constant(b, &wx, k).map(|sum| number(&sum)), Ok(modulo(x + u128::from(k), n)));
            let mut sum = vec![F2::ZERO; n];
            assert_eq!(Adder::new().sum(b, &mut sum, [&wx, &wy, &wx], k), Ok(()));
            assert_eq!(number(&sum), modulo(x.wrapping_mul(2).wrapping_add(y).wrapping_add(k.into()), n));
        }
    }
}

#[test]
fn integer_gadgets_cost_what_they_say() {
    for n in 2..=40_u64 {
        let x = vec![0_u32; n as usize];
        assert_eq!(ands(|b| add(b, &x, &x)), n - 1);
        assert_eq!(ands(|b| add_with_carry(b, &x, &x)), n);
        assert_eq!(ands(|b| sub(b, &x, &x)), n - 1);
        assert_eq!(ands(|b| negate(b, &x)), n - 2);
        assert_eq!(ands(|b| less_than(b, &x, &x)), n);
        assert_eq!(ands(|b| less_than_signed(b, &x, &x)), n);
        assert_eq!(ands(|b| equal(b, &x, &x)), n - 1);
        assert_eq!(ands(|b| mux(b, &0, &x, &x)), n);
        assert_eq!(ands(|b| multiply(b, &x, &x)), 2 * n * n - n);
        assert_eq!(ands(|b| multiply_low(b, &x, &x)), n * n - n + 1);
        assert_eq!(ands(|b| add_constant(b, &x, 1 << (n / 2))), n + u64::from(n == 2) - n / 2 - 2);
    }
}

#[test]
fn sums_of_several_operands_undercut_chains() {
    fn of<const M: usize>() -> u64 {
        ands(|b| Adder::new().sum(b, &mut [0; 32], [&[0; 32][..]; M], 0))
    }
    assert_eq!((of::<2>(), of::<3>(), of::<4>(), of::<5>()), (31, 61, 92, 121));
}

#[test]
fn a_known_operand_costs_no_more_than_a_constant_and_zero_costs_nothing() {
    for (k, expected) in [(0, 0), (1, 6), (0b1000, 3), (0x80, 0)] {
        let x = vec![Folded::Wire(0_u32); 8];
        let y: Vec<_> = bits(k, 8).into_iter().map(Folded::Constant).collect();
        assert_eq!(ands(|b| add(&mut Fold::new(b), &x, &y)), expected);
        assert_eq!(ands(|b| add(&mut Fold::new(b), &y, &x)), expected);
        assert_eq!(ands(|b| add_constant(b, &[0; 8], k as u64)), expected);
    }
}

#[test]
fn words_of_no_bits_are_fine() {
    let b = &mut evaluator();
    let none: [F2; 0] = [];
    assert_eq!(add(b, &none, &none), Ok(vec![]));
    assert_eq!(multiply(b, &none, &[F2::ONE]), Ok(vec![F2::ZERO]));
    assert_eq!(multiply_low(b, &none, &none), Ok(vec![]));
    assert_eq!(less_than(b, &none, &none), Ok(F2::ZERO));
    assert_eq!(less_than_signed(b, &none, &none), Ok(F2::ZERO));
    assert_eq!(equal(b, &none, &none), Ok(F2::ONE));
    assert_eq!(shift_left(b, &none, 3), none);
    assert_eq!(rotate_left(&none, 3), none);
    assert_eq!(shift_right_signed(&none, 3), none);
}

#[test]
fn words_of_different_widths_are_misuse() {
    let b = &mut evaluator();
    let (x, y) = (bits(0, 3), bits(0, 4));
    let results = [
        add(b, &x, &y).map(drop),
        add_with_carry(b, &x, &y).map(drop),
        sub(b, &x, &y).map(drop),
        multiply_low(b, &x, &y).map(drop),
        less_than(b, &x, &y).map(drop),
        less_than_signed(b, &x, &y).map(drop),
        equal(b, &x, &y).map(drop),
        and(b, &x, &y).map(drop),
        or(b, &x, &y).map(drop),
        xor(b, &x, &y).map(drop),
        xor_constant(b, &x, &y).map(drop),
        mux(b, &F2::ONE, &x, &y).map(drop),
    ];
    for (i, result) in results.into_iter().enumerate() {
        assert!(matches!(result, Err(Error::Misuse(_))), "gadget {i}");
    }
}
