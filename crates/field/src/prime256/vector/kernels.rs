//! The kernels: each processes the whole groups of eight of its operands and leaves the rest alone.

use super::lanes::{Ifma, LANES, Rows};
use super::limbs::{Columns, Constants, Five, Prime, Sum, add, factor, factor_16, number, words};
use crate::prime256::limbs::Limbs;

/// Elements, as rows of one.
type Elements<'a> = &'a [[Limbs; 1]];

/// Values and their tags, as rows of two.
type Pairs<'a> = &'a [[Limbs; 2]];

/// Elements to write.
type ElementsMut<'a> = &'a mut [[Limbs; 1]];

/// Pairs to write.
type PairsMut<'a> = &'a mut [[Limbs; 2]];

/// The number of groups that are read several times: 16 KiB of pairs and pairs, or less.
const BLOCK: usize = 16;

/// The whole groups.
#[inline(always)]
fn groups<const S: usize>(rows: &[[Limbs; S]]) -> &[Rows<S>] {
    rows.as_chunks::<LANES>().0
}

/// The whole groups.
#[inline(always)]
fn groups_mut<const S: usize>(rows: &mut [[Limbs; S]]) -> &mut [Rows<S>] {
    rows.as_chunks_mut::<LANES>().0
}

/// `sum of a_i * b_i`, in columns of 52 bits, as all sums here.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn inner_product(a: Elements<'_>, b: Elements<'_>) -> [u64; 11] {
    let s = Ifma::new();
    let mut sum = Sum::zero(s);
    sum.add::<1, 0, 1, 0>(s, groups(a), groups(b));
    sum.columns(s)
}

/// The sums of [`Mac::dot_prover`](crate::Mac::dot_prover).
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn dot_prover(x: Pairs<'_>, y: Pairs<'_>) -> [[u64; 11]; 3] {
    let s = Ifma::new();
    let (mut tags, mut mixed, mut values) = (Sum::zero(s), Sum::zero(s), Sum::zero(s));
    for (x, y) in groups(x).chunks(BLOCK).zip(groups(y).chunks(BLOCK)) {
        tags.add::<2, 1, 2, 1>(s, x, y);
        mixed.add::<2, 0, 2, 1>(s, x, y);
        mixed.add::<2, 1, 2, 0>(s, x, y);
        values.add::<2, 0, 2, 0>(s, x, y);
    }
    [tags.columns(s), mixed.columns(s), values.columns(s)]
}

/// The sums of [`Mac::combine_prover`](crate::Mac::combine_prover).
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn combine_prover(x: Pairs<'_>, r: Elements<'_>) -> [[u64; 11]; 2] {
    let s = Ifma::new();
    let (mut tags, mut values) = (Sum::zero(s), Sum::zero(s));
    for (x, r) in groups(x).chunks(BLOCK).zip(groups(r).chunks(BLOCK)) {
        tags.add::<2, 1, 1, 0>(s, x, r);
        values.add::<2, 0, 1, 0>(s, x, r);
    }
    [tags.columns(s), values.columns(s)]
}

/// The product of two elements, as a number below `p`; the first is taken times 16.
#[inline(always)]
fn product(s: Ifma, prime: &Prime, a_16: &Five, b: &Five) -> Five {
    prime.below_2(s, Columns::product(s, a_16, b).reduce(s, prime))
}

/// `a b + c d - e`, as a number below `p`; `a` and `c` are taken times 16.
#[inline(always)]
fn two_products_minus(s: Ifma, prime: &Prime, [a_16, b, c_16, d]: [&Five; 4], e: Five) -> Five {
    let mut columns = Columns::product(s, a_16, b);
    columns.add_product(s, c_16, d);
    prime.below_4(s, prime.difference(s, columns.reduce(s, prime), e))
}

/// [`Mac::multiply_prover`](crate::Mac::multiply_prover).
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn multiply_prover(
    constants: &Constants,
    [x, y, random]: [Pairs<'_>; 3],
    z: PairsMut<'_>,
    [masked, a_0, a_1]: [ElementsMut<'_>; 3],
) {
    let s = Ifma::new();
    let prime = Prime::new(s, constants);
    let operands = groups(x).iter().zip(groups(y)).zip(groups(random));
    let out =
        groups_mut(z).iter_mut().zip(groups_mut(masked)).zip(groups_mut(a_0).iter_mut().zip(groups_mut(a_1)));
    for (((x, y), random), ((z, masked), (a_0, a_1))) in operands.zip(out) {
        let (x_x, x_m) = (factor_16(s, s.load::<2, 0>(x)), factor_16(s, s.load::<2, 1>(x)));
        let (y_x, y_m) = (factor(s, s.load::<2, 0>(y)), factor(s, s.load::<2, 1>(y)));
        s.store::<1, 0>(words(s, product(s, &prime, &x_m, &y_m)), a_0);
        let tag = s.load::<2, 1>(random);
        let middle = two_products_minus(s, &prime, [&x_x, &y_m, &x_m, &y_x], number(s, tag));
        s.store::<1, 0>(words(s, middle), a_1);
        let value = product(s, &prime, &x_x, &y_x);
        s.store::<2, 0>(words(s, value), z);
        s.store::<2, 1>(tag, z);
        let random = number(s, s.load::<2, 0>(random));
        let difference = prime.difference(s, value, random);
        s.store::<1, 0>(words(s, prime.below_2(s, difference)), masked);
    }
}

/// [`Mac::multiply_verifier`](crate::Mac::multiply_verifier), with delta and its negative.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn multiply_verifier(
    constants: &Constants,
    [x, y, random, masked]: [Elements<'_>; 4],
    [delta, negative]: [&Limbs; 2],
    [z, values]: [ElementsMut<'_>; 2],
) {
    let s = Ifma::new();
    let prime = Prime::new(s, constants);
    let (delta, negative) = (factor_16(s, s.load_one(delta)), factor_16(s, s.load_one(negative)));
    let operands = groups(x).iter().zip(groups(y)).zip(groups(random).iter().zip(groups(masked)));
    let out = groups_mut(z).iter_mut().zip(groups_mut(values));
    for (((x, y), (random, masked)), (z, value)) in operands.zip(out) {
        let masked = factor(s, s.load::<1, 0>(masked));
        let key = Columns::product(s, &delta, &masked).reduce(s, &prime);
        let key = words(s, prime.below_4(s, add(s, key, number(s, s.load::<1, 0>(random)))));
        s.store::<1, 0>(key, z);
        let mut columns = Columns::product(s, &negative, &factor(s, key));
        columns.add_product(s, &factor_16(s, s.load::<1, 0>(x)), &factor(s, s.load::<1, 0>(y)));
        s.store::<1, 0>(words(s, prime.below_4(s, columns.reduce(s, &prime))), value);
    }
}

/// [`Mac::relate_prover`](crate::Mac::relate_prover).
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn relate_prover(
    constants: &Constants,
    [x, y, z]: [Pairs<'_>; 3],
    [a_0, a_1]: [ElementsMut<'_>; 2],
) -> bool {
    let s = Ifma::new();
    let prime = Prime::new(s, constants);
    let mut wrong = s.splat(0);
    let out = groups_mut(a_0).iter_mut().zip(groups_mut(a_1));
    for (((x, y), z), (a_0, a_1)) in groups(x).iter().zip(groups(y)).zip(groups(z)).zip(out) {
        let (x_x, x_m) = (factor_16(s, s.load::<2, 0>(x)), factor_16(s, s.load::<2, 1>(x)));
        let (y_x, y_m) = (factor(s, s.load::<2, 0>(y)), factor(s, s.load::<2, 1>(y)));
        s.store::<1, 0>(words(s, product(s, &prime, &x_m, &y_m)), a_0);
        let tag = number(s, s.load::<2, 1>(z));
        let middle = two_products_minus(s, &prime, [&x_x, &y_m, &x_m, &y_x], tag);
        s.store::<1, 0>(words(s, middle), a_1);
        let value = product(s, &prime, &x_x, &y_x);
        let claimed = number(s, s.load::<2, 0>(z));
        for i in 0..5 {
            wrong = s.or(wrong, s.xor(value[i], claimed[i]));
        }
    }
    let mut any = 0;
    for lane in s.words(wrong) {
        any |= lane;
    }
    any == 0
}

/// [`Mac::relate_verifier`](crate::Mac::relate_verifier), with the negative of delta.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn relate_verifier(
    constants: &Constants,
    [x, y, z]: [Elements<'_>; 3],
    negative: &Limbs,
    values: ElementsMut<'_>,
) {
    let s = Ifma::new();
    let (prime, negative) = (Prime::new(s, constants), factor_16(s, s.load_one(negative)));
    for (((x, y), z), value) in groups(x).iter().zip(groups(y)).zip(groups(z)).zip(groups_mut(values)) {
        let mut columns = Columns::product(s, &negative, &factor(s, s.load::<1, 0>(z)));
        columns.add_product(s, &factor_16(s, s.load::<1, 0>(x)), &factor(s, s.load::<1, 0>(y)));
        s.store::<1, 0>(words(s, prime.below_4(s, columns.reduce(s, &prime))), value);
    }
}

/// Part `I` of each sum, plus `r` times part `J` of each row of `x`.
#[inline(always)]
fn accumulate<const S: usize, const I: usize, const J: usize>(
    s: Ifma,
    prime: &Prime,
    sums: &mut Rows<S>,
    x: &Rows<S>,
    r_16: &Five,
) {
    let product = Columns::product(s, r_16, &factor(s, s.load::<S, J>(x))).reduce(s, prime);
    let sum = add(s, product, number(s, s.load::<S, I>(sums)));
    s.store::<S, I>(words(s, prime.below_4(s, sum)), sums);
}

/// [`Mac::accumulate_prover`](crate::Mac::accumulate_prover).
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn accumulate_prover(constants: &Constants, sums: PairsMut<'_>, x: Pairs<'_>, r: &Limbs) {
    let s = Ifma::new();
    let (prime, r) = (Prime::new(s, constants), factor_16(s, s.load_one(r)));
    for (sums, x) in groups_mut(sums).iter_mut().zip(groups(x)) {
        // The tag comes first in a sum.
        accumulate::<2, 0, 1>(s, &prime, sums, x, &r);
        accumulate::<2, 1, 0>(s, &prime, sums, x, &r);
    }
}

/// [`Mac::accumulate_verifier`](crate::Mac::accumulate_verifier).
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) fn accumulate_verifier(constants: &Constants, sums: ElementsMut<'_>, k: Elements<'_>, r: &Limbs) {
    let s = Ifma::new();
    let (prime, r) = (Prime::new(s, constants), factor_16(s, s.load_one(r)));
    for (sums, k) in groups_mut(sums).iter_mut().zip(groups(k)) {
        accumulate::<1, 0, 0>(s, &prime, sums, k, &r);
    }
}
