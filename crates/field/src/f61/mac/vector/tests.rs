//! Every multiplier on emulated lanes and every instruction set at hand, against the formulas.

use super::emulated::Emulated;
use super::halves::Halves;
use super::lanes::{Lanes, Multiplier};
use super::limbs::Limbs;
use super::{leaves, packing, products, sums};
use crate::extension::plain;
use crate::f61::{F61, P};
use crate::laws::Words;
use crate::{Authenticated, Ring};

/// Elements whose halves and limbs are as small or as large as they get.
const SPECIAL: [u64; 12] = [
    0,
    1,
    P - 1,
    (1 << 31) - 1,
    1 << 31,
    P - (1 << 31),
    P - (1 << 31) - 1,
    (1 << 52) - 1,
    1 << 52,
    P - (1 << 52),
    1 << 60,
    (1 << 60) + (1 << 31) - 1,
];

/// Reproducible elements, every third a special one.
fn elements(words: &mut Words, length: usize) -> Vec<F61> {
    let mut element = || match words.word() {
        word if word.is_multiple_of(3) => F61::new(SPECIAL[(word / 3 % 12) as usize]),
        word => F61::new(word),
    };
    (0..length).map(|_| element()).collect()
}

fn dot(a: &[F61], b: &[F61]) -> F61 {
    a.iter().zip(b).fold(F61::ZERO, |sum, (a, b)| sum + *a * *b)
}

/// The words at even places, and those at odd ones.
fn apart(pairs: &[F61]) -> [Vec<F61>; 2] {
    [0, 1].map(|odd| pairs.iter().copied().skip(odd).step_by(2).collect())
}

/// All algorithms on `m`, on whole vectors.
fn agrees<const N: usize, M: Multiplier<N>>(m: M) {
    let mut words = Words(N as u64);
    for vectors in (0..12).chain([31, 64]) {
        let [a, b] = [0; 2].map(|_| elements(&mut words, N * vectors));
        assert!(sums::inner_product(m, &a, &b) == dot(&a, &b), "{vectors} vectors");

        let ([a0, a1], [b0, b1]) = (apart(&a), apart(&b));
        let expected = [dot(&a0, &b0), dot(&a1, &b1), dot(&a0, &b1) + dot(&a1, &b0)];
        assert!(sums::pair_products(m, &a, &b) == expected, "{vectors} vectors");

        let pairs = elements(&mut words, 2 * N * vectors);
        let [first, second] = apart(&pairs).map(|x| dot(&x, &a));
        assert!(sums::combine_pairs(m, &pairs, &a) == [first, second], "{vectors} vectors");

        let mut added = b.clone();
        sums::add(m.lanes(), &mut added, &a);
        assert!((0..N * vectors).all(|i| added[i] == a[i] + b[i]), "{vectors} vectors");

        for r in elements(&mut words, 3) {
            let [mut straight, mut swapped] = [0; 2].map(|_| b.clone());
            sums::accumulate::<N, false, M>(m, &mut straight, &a, r);
            sums::accumulate::<N, true, M>(m, &mut swapped, &a, r);
            for i in 0..N * vectors {
                assert!(straight[i] == b[i] + r * a[i] && swapped[i] == b[i] + r * a[i ^ 1], "{i}");
            }
        }
    }
}

/// The special elements with each other, as products alone and added to the largest element.
fn agrees_on_special_elements<const N: usize, M: Multiplier<N>>(m: M) {
    let s = m.lanes();
    for a in SPECIAL.map(F61::new) {
        for b in SPECIAL.map(F61::new) {
            assert!(sums::inner_product(m, &[a; N], &[b; N]) == F61::new(N as u64) * a * b);
            for sum in [F61::ZERO, F61::ONE, -F61::ONE] {
                let mut out = [F61::ZERO; N];
                let [v, factor] = [s.load(&[sum; N]), s.load(&[a; N])];
                s.store(m.multiply_add(v, m.factor(s.load(&[b; N])), m.factor(factor)), &mut out);
                assert!(out == [sum + a * b; N]);
            }
        }
    }
}

/// More than fits between two folds of what adds up fastest.
fn does_not_overflow<const N: usize, M: Multiplier<N>>(m: M) {
    let length = N * (2 * M::GROUP + 3);
    for a in SPECIAL.map(F61::new) {
        for b in [a, F61::new((1 << 52) - 1)] {
            let count = F61::new(length as u64);
            assert!(sums::inner_product(m, &vec![a; length], &vec![b; length]) == count * a * b);
        }
    }
    let (a, count) = (-F61::ONE, F61::new(length as u64 / 2));
    assert!(sums::pair_products(m, &vec![a; length], &vec![a; length]) == [count, count, count + count]);
    assert!(sums::combine_pairs(m, &vec![a; 2 * length], &vec![a; length]) == [count + count; 2]);
}

type Share = Authenticated<F61, F61>;

fn flat(pairs: &[Share]) -> Vec<F61> {
    pairs.iter().flat_map(|pair| [pair.x, pair.m]).collect()
}

/// Both parties' multiplications, on whole vectors.
fn multiplies<const N: usize, M: Multiplier<N>>(m: M) {
    let mut words = Words(N as u64 + 1);
    for n in [0, 1, 2, 7].map(|vectors| N * vectors) {
        let [x, y, random] = [0; 3].map(|_| {
            let both = elements(&mut words, n).into_iter().zip(elements(&mut words, n));
            Vec::from_iter(both.map(|(x, m)| Share { x, m }))
        });
        let (mut z, [mut masked, mut a_0, mut a_1]) =
            (vec![Share::default(); n], [0; 3].map(|_| vec![F61::ZERO; n]));
        let relations = [&mut a_0[..], &mut a_1[..]];
        plain::multiply_prover(&x, &y, &random, &mut z, &mut masked, relations).expect("one length");
        let mut made = vec![F61::ONE; 2 * n];
        let mut vectors = [0; 3].map(|_| vec![F61::ONE; n]);
        let [to_masked, to_a_0, to_a_1] = vectors.each_mut().map(|vector| &mut vector[..]);
        let operands = [flat(&x), flat(&y), flat(&random)];
        products::multiply_prover(
            m,
            operands.each_ref().map(|flat| &flat[..]),
            [&mut made, to_masked, to_a_0, to_a_1],
        );
        assert!(made == flat(&z) && vectors == [masked, a_0, a_1], "{n}");

        let [x, y, random, masked] = [0; 4].map(|_| elements(&mut words, n));
        for delta in SPECIAL.map(F61::new) {
            let [mut z, mut values, mut to_z, mut to_values] = [0; 4].map(|_| vec![F61::ONE; n]);
            let keys = [&x[..], &y, &random];
            plain::multiply_verifier(keys, &masked, delta, &mut z, &mut values).expect("one length");
            products::multiply_verifier(m, [&x, &y, &random, &masked], delta, [&mut to_z, &mut to_values]);
            assert!(to_z == z && to_values == values, "{n}");
        }
    }
}

/// Elements of a tree's last level, on whole vectors: any words make them.
fn makes_leaves<const N: usize, L: Lanes<N>>(s: L) {
    let mut stream = Words(11);
    for n in [0, 1, 2, 5].map(|vectors| N * vectors) {
        let words: Vec<u64> = (0..2 * n)
            .map(|_| match stream.word() {
                word if word.is_multiple_of(3) => SPECIAL[(word / 3 % 12) as usize] + 2 * P,
                word if word % 3 == 1 => u64::MAX - word % 16,
                word => word,
            })
            .collect();
        let bytes: Vec<[u8; 8]> = words.iter().map(|word| word.to_le_bytes()).collect();
        let [mut first, mut second] = [0; 2].map(|_| vec![F61::ONE; n]);
        leaves::pairs(s, &bytes, &mut first, &mut second);
        for (i, word) in words.iter().enumerate() {
            let made = [&first, &second][i % 2][i / 2];
            assert!(made.to_u64() == word % P, "{i}");
        }
        let total = first.iter().fold(F61::ZERO, |sum, x| sum + *x);
        assert!(leaves::total(s, &first) == total);
        assert!(leaves::total(s, &vec![-F61::ONE; n]) == F61::ZERO - F61::new(n as u64));

        for index in (0..n as u32 + 2).chain([1 << 31, u32::MAX]) {
            for x in [first.first().copied().unwrap_or_default(), -F61::ONE] {
                let mut changed = second.clone();
                leaves::add_at(s, &mut changed, index, x);
                for (i, (changed, before)) in changed.iter().zip(&second).enumerate() {
                    let added = if i == index as usize { x } else { F61::ZERO };
                    assert!(*changed == *before + added, "{i} of {n} at {index}");
                }
            }
        }
    }
}

/// Groups of 64 elements, bit by bit, and with an element that is not canonical at each place.
fn packs<const N: usize, L: Lanes<N>>(s: L) {
    let mut stream = Words(7);
    for groups in 0..3 {
        let packed = elements(&mut stream, 64 * groups);
        let mut words = vec![[0xff; 8]; 61 * groups];
        packing::pack(s, &packed, &mut words);
        let bit = |n: usize| u64::from(words.as_flattened()[n / 8] >> (n % 8) & 1);
        for (i, element) in packed.iter().enumerate() {
            assert_eq!((0..61).fold(0, |n, j| n | bit(61 * i + j) << j), element.to_u64(), "{i}");
        }
        let mut unpacked = vec![F61::ONE; packed.len()];
        assert!(packing::unpack(s, &words, &mut unpacked) && unpacked == packed);
        for i in 0..packed.len() {
            let mut wrong = words.clone();
            (61 * i..61 * (i + 1)).for_each(|n| wrong.as_flattened_mut()[n / 8] |= 1 << (n % 8));
            assert!(!packing::unpack(s, &wrong, &mut unpacked), "{i}");
            let expected = packed.iter().enumerate().map(|(j, x)| if i == j { F61::ZERO } else { *x });
            assert!(unpacked.iter().copied().eq(expected), "{i}");
        }
    }
}

fn all<const N: usize, M: Multiplier<N>>(m: M) {
    agrees(m);
    multiplies(m);
    packs(m.lanes());
    makes_leaves(m.lanes());
    agrees_on_special_elements(m);
    does_not_overflow(m);
}

#[test]
fn products_by_halves_and_by_limbs_on_emulated_lanes_are_products() {
    all(Halves(Emulated::<4>));
    all(Halves(Emulated::<8>));
    all(Limbs(Emulated::<4>));
    all(Limbs(Emulated::<8>));
}

#[test]
fn a_thousand_groups_of_the_largest_halves_fit_in_the_folded_sums() {
    let length = 8 * 4 * 1000;
    let a = F61::new(P - (1 << 31) - 1);
    let (a, expected) = (vec![a; length], F61::new(length as u64) * a * a);
    assert!(sums::inner_product(Halves(Emulated::<8>), &a, &a) == expected);
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::super::dispatch::Vectors;
    use super::super::lanes::{Madd52, Mul32};
    use super::super::x86_avx2::Avx2;
    use super::super::x86_ifma::Ifma;
    use super::*;
    use crate::Authenticated;

    /// Any word in every lane.
    fn lanes<const N: usize, L: Lanes<N>>(s: L, words: [u64; N]) -> L::V {
        let (low, high) = (words.map(|w| F61::new(w << 4 >> 4)), words.map(|w| F61::new(w >> 60)));
        s.add(s.load(&low), s.shift_left::<60>(s.load(&high)))
    }

    /// Hands each operation the same lanes on `s` and emulated.
    fn compare<const N: usize, L: Lanes<N>>(s: L, besides: impl Fn([[u64; N]; 3])) {
        let (e, mut stream) = (Emulated::<N>, Words(3));
        for _ in 0..300 {
            let words: [[u64; N]; 3] = [0; 3].map(|_| {
                core::array::from_fn(|_| match stream.word() {
                    word if word.is_multiple_of(4) => SPECIAL[(word / 4 % 12) as usize],
                    word if word % 4 == 1 => u64::MAX << (word / 4 % 64),
                    word => word,
                })
            });
            let [[a, b], [x, y]] = [[words[0], words[1]]; 2];
            let (a, b, x, y) = (lanes(s, a), lanes(s, b), lanes(e, x), lanes(e, y));
            assert_eq!(s.words(a), e.words(x));
            assert_eq!(s.words(s.splat(words[0][0])), e.splat(words[0][0]));
            assert_eq!(s.words(s.add(a, b)), e.add(x, y));
            assert_eq!(s.words(s.sub(a, b)), e.sub(x, y));
            assert_eq!(s.words(s.and(a, b)), e.and(x, y));
            assert_eq!(s.words(s.shift_left::<31>(a)), e.shift_left::<31>(x));
            assert_eq!(s.words(s.shift_left::<52>(a)), e.shift_left::<52>(x));
            assert_eq!(s.words(s.shift_right::<52>(a)), e.shift_right::<52>(x));
            assert_eq!(s.words(s.shift_right::<61>(a)), e.shift_right::<61>(x));
            assert_eq!(s.words(s.swap(a)), e.swap(x));
            assert_eq!(s.words(s.spread_low(a)), e.spread_low(x));
            assert_eq!(s.words(s.spread_high(a)), e.spread_high(x));
            assert_eq!(s.words(s.evens(a, b)), e.evens(x, y));
            assert_eq!(s.words(s.odds(a, b)), e.odds(x, y));
            assert_eq!(s.words(s.merge(a, b)), e.merge(x, y));
            assert_eq!(s.words(s.or(a, b)), e.or(x, y));
            let bits = words[2].map(|word| word % 70);
            let lanes_of_bits = lanes(s, bits);
            assert_eq!(s.words(s.shift_left_each(a, lanes_of_bits)), e.shift_left_each(x, bits));
            assert_eq!(s.words(s.shift_right_each(a, lanes_of_bits)), e.shift_right_each(x, bits));
            let bytes = words[0].map(u64::to_le_bytes);
            let mut written = [[[0; 8]; N]; 2];
            s.store_words(s.load_words(&bytes), &mut written[0]);
            e.store_words(e.load_words(&bytes), &mut written[1]);
            assert_eq!(s.words(s.load_words(&bytes)), words[0]);
            assert_eq!(written, [bytes; 2]);
            let (p, n) = (s.splat(P), s.shift_right::<1>(a));
            let (emulated_p, m) = (e.splat(P), e.shift_right::<1>(x));
            assert_eq!(s.words(s.lesser(n, s.sub(n, p))), e.lesser(m, e.sub(m, emulated_p)));
            let mut stored = [[F61::ZERO; N]; 2];
            s.store(s.shift_right::<4>(a), &mut stored[0]);
            e.store(e.shift_right::<4>(x), &mut stored[1]);
            assert!(stored[0] == stored[1]);
            besides(words);
        }
    }

    #[target_feature(enable = "avx2")]
    fn avx2() {
        let (s, e) = (Avx2::new(), Emulated::<4>);
        compare(s, |[a, b, _]| {
            assert_eq!(s.words(s.mul32(lanes(s, a), lanes(s, b))), e.mul32(a, b));
        });
        all(Halves(s));
    }

    #[target_feature(enable = "avx512f,avx512ifma")]
    fn ifma() {
        let (s, e) = (Ifma::new(), Emulated::<8>);
        compare(s, |words| {
            let [sum, a, b] = words.map(|words| lanes(s, words));
            let [sum_words, x, y] = words;
            assert_eq!(s.words(s.madd52_low(sum, a, b)), e.madd52_low(sum_words, x, y));
            assert_eq!(s.words(s.madd52_high(sum, a, b)), e.madd52_high(sum_words, x, y));
        });
        all(Limbs(s));
    }

    #[test]
    fn instruction_sets_do_what_the_emulation_does_where_the_cpu_has_them() {
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the CPU has the feature.
            unsafe { avx2() };
        }
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512ifma") {
            // SAFETY: the CPU has the features.
            unsafe { ifma() };
        }
    }

    #[test]
    fn what_vector_code_takes_of_vectors_of_any_length_is_what_it_says() {
        let mut words = Words(5);
        for vectors in Vectors::available() {
            for length in 0..70 {
                let [a, b, c] = [0; 3].map(|_| elements(&mut words, length));
                let pairs: Vec<Authenticated<F61, F61>> =
                    a.iter().zip(&b).map(|(x, m)| Authenticated { x: *x, m: *m }).collect();
                let (taken, sum) = vectors.inner_product(&a, &b);
                assert!(taken <= length && length - taken < 8 && sum == dot(&a[..taken], &b[..taken]));
                let (taken, [x, m, cross]) = vectors.pair_products(&pairs, &pairs);
                let [a_taken, b_taken] = [&a, &b].map(|v| &v[..taken]);
                let mixed = dot(a_taken, b_taken);
                assert!([x, m, cross] == [dot(a_taken, a_taken), dot(b_taken, b_taken), mixed + mixed]);
                let (taken, sums) = vectors.combine_pairs(&pairs, &c);
                assert!(sums == [dot(&a[..taken], &c), dot(&b[..taken], &c)]);

                let (mut sums, mut pair_sums) = (c.clone(), pairs.clone());
                let taken = [vectors.add(&mut sums, &a), vectors.add_pairs(&mut pair_sums, &pairs)];
                for i in 0..length {
                    let [of, pair] = taken.map(|taken| if i < taken { F61::ONE } else { F61::ZERO });
                    assert!(sums[i] == c[i] + of * a[i], "{i} of {length}");
                    let sum = Authenticated { x: a[i] + pair * a[i], m: b[i] + pair * b[i] };
                    assert!(pair_sums[i] == sum, "{i} of {length}");
                }

                let mut sums = c.clone();
                let taken = vectors.accumulate(&mut sums, &a, F61::new(7));
                let mut pair_sums: Vec<[F61; 2]> = c.iter().map(|c| [*c, F61::ONE]).collect();
                let pairs_taken = vectors.accumulate_swapped(&mut pair_sums, &pairs, F61::new(7));
                for i in 0..length {
                    let product = |of: F61, taken| if i < taken { F61::new(7) * of } else { F61::ZERO };
                    assert!(sums[i] == c[i] + product(a[i], taken), "{i} of {length}");
                    let [tag, value] = [product(b[i], pairs_taken), product(a[i], pairs_taken)];
                    assert!(pair_sums[i] == [c[i] + tag, F61::ONE + value], "{i} of {length}");
                }
            }
        }
    }
}
