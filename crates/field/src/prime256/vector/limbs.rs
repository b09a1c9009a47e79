//! Eight elements in limbs of 52 bits, one in each lane; the formulas are in [`super`].

use super::lanes::{Ifma, LANES, Rows, V};
use crate::prime256::Modulus;

/// Five limbs, lowest first. Those of a factor may have other bits above the 52, which products ignore; those
/// of a number have none.
pub(super) type Five = [V; 5];

/// The bits of a limb.
const LIMB: u64 = (1 << 52) - 1;

/// What the kernels need to know of a modulus.
pub(super) struct Constants {
    /// `p` in limbs.
    p: [u64; 5],
    /// `2 p` in limbs.
    twice: [u64; 5],
    /// `-1 / p` modulo `2^52`.
    negated_inverse: u64,
}

/// The limbs of `2^shift` times an integer below `2^(260 - shift)`, for a shift below 12.
const fn five(words: [u64; 4], shift: usize) -> [u64; 5] {
    let (mut limbs, mut i) = ([0; 5], 0);
    while i < 256 {
        let to = i + shift;
        limbs[to / 52] |= (words[i / 64] >> (i % 64) & 1) << (to % 52);
        i += 1;
    }
    limbs
}

impl Constants {
    pub(super) const fn of<P: Modulus>() -> Self {
        Self { p: five(P::PRIME, 0), twice: five(P::PRIME, 1), negated_inverse: P::NEGATED_INVERSE & LIMB }
    }
}

/// [`Constants`] in every lane.
#[derive(Clone, Copy)]
pub(super) struct Prime {
    p: Five,
    twice: Five,
    negated_inverse: V,
}

impl Prime {
    #[inline(always)]
    pub(super) fn new(s: Ifma, constants: &Constants) -> Self {
        let (mut p, mut twice) = ([s.splat(0); 5], [s.splat(0); 5]);
        for i in 0..5 {
            p[i] = s.splat(constants.p[i]);
            twice[i] = s.splat(constants.twice[i]);
        }
        Self { p, twice, negated_inverse: s.splat(constants.negated_inverse) }
    }

    /// `a - b + p`, which is positive; the limbs may be negative.
    #[inline(always)]
    pub(super) fn difference(&self, s: Ifma, a: Five, b: Five) -> Five {
        let mut out = a;
        for i in 0..5 {
            out[i] = s.add(a[i], s.sub(self.p[i], b[i]));
        }
        out
    }

    /// The number modulo `p`, if it is below `2 p`.
    #[inline(always)]
    pub(super) fn below_2(&self, s: Ifma, a: Five) -> Five {
        subtract_once(s, carried(s, a), self.p)
    }

    /// The number modulo `p`, if it is below `4 p`.
    #[inline(always)]
    pub(super) fn below_4(&self, s: Ifma, a: Five) -> Five {
        subtract_once(s, subtract_once(s, carried(s, a), self.twice), self.p)
    }
}

/// The element in each lane, as a factor.
#[inline(always)]
pub(super) fn factor(s: Ifma, [a, b, c, d]: [V; 4]) -> Five {
    [
        a,
        s.or(s.right::<52>(a), s.left::<12>(b)),
        s.or(s.right::<40>(b), s.left::<24>(c)),
        s.or(s.right::<28>(c), s.left::<36>(d)),
        s.right::<16>(d),
    ]
}

/// 16 times the element in each lane, as a factor.
#[inline(always)]
pub(super) fn factor_16(s: Ifma, [a, b, c, d]: [V; 4]) -> Five {
    [
        s.left::<4>(a),
        s.or(s.right::<48>(a), s.left::<16>(b)),
        s.or(s.right::<36>(b), s.left::<28>(c)),
        s.or(s.right::<24>(c), s.left::<40>(d)),
        s.right::<12>(d),
    ]
}

/// The element in each lane, as a number.
#[inline(always)]
pub(super) fn number(s: Ifma, words: [V; 4]) -> Five {
    let (mut limbs, mask) = (factor(s, words), s.splat(LIMB));
    for limb in &mut limbs {
        *limb = s.and(*limb, mask);
    }
    limbs
}

/// The words of a number below `2^256`.
#[inline(always)]
pub(super) fn words(s: Ifma, [a, b, c, d, e]: Five) -> [V; 4] {
    [
        s.or(a, s.left::<52>(b)),
        s.or(s.right::<12>(b), s.left::<40>(c)),
        s.or(s.right::<24>(c), s.left::<28>(d)),
        s.or(s.right::<36>(d), s.left::<16>(e)),
    ]
}

/// `a + b`, without carries.
#[inline(always)]
pub(super) fn add(s: Ifma, mut a: Five, b: Five) -> Five {
    for i in 0..5 {
        a[i] = s.add(a[i], b[i]);
    }
    a
}

/// The same number with limbs of 52 bits, except that the highest has the sign.
#[inline(always)]
pub(super) fn carried(s: Ifma, mut a: Five) -> Five {
    let mask = s.splat(LIMB);
    for i in 0..4 {
        a[i + 1] = s.add(a[i + 1], s.signed_right::<52>(a[i]));
        a[i] = s.and(a[i], mask);
    }
    a
}

/// `a - b` if that is not negative, else `a`.
#[inline(always)]
fn subtract_once(s: Ifma, a: Five, b: Five) -> Five {
    let mut difference = a;
    for i in 0..5 {
        difference[i] = s.sub(a[i], b[i]);
    }
    let difference = carried(s, difference);
    s.if_negative(difference[4], a, difference)
}

/// The sums of products in each lane, in ten columns.
#[derive(Clone, Copy)]
pub(super) struct Columns([V; 10]);

impl Columns {
    #[inline(always)]
    pub(super) fn zero(s: Ifma) -> Self {
        Self([s.splat(0); 10])
    }

    /// The product of two factors.
    #[inline(always)]
    pub(super) fn product(s: Ifma, a: &Five, b: &Five) -> Self {
        let mut columns = Self::zero(s);
        columns.add_product(s, a, b);
        columns
    }

    /// Adds `a * b`.
    #[inline(always)]
    pub(super) fn add_product(&mut self, s: Ifma, a: &Five, b: &Five) {
        for (i, a) in a.iter().enumerate() {
            for (j, b) in b.iter().enumerate() {
                self.0[i + j] = s.madd_low(self.0[i + j], *a, *b);
                self.0[i + j + 1] = s.madd_high(self.0[i + j + 1], *a, *b);
            }
        }
    }

    /// Leaves 52 bits in each column, and returns what is above the highest.
    #[inline(always)]
    fn carry(&mut self, s: Ifma) -> V {
        let (mask, mut carry) = (s.splat(LIMB), s.splat(0));
        for column in &mut self.0 {
            let sum = s.add(*column, carry);
            *column = s.and(sum, mask);
            carry = s.right::<52>(sum);
        }
        carry
    }

    /// The sum divided by `2^260` modulo `p`, up to a multiple of `p`: of 16 times `n` products of elements
    /// it is below `(n + 1) p`. Carries are left to [`carried`].
    #[inline(always)]
    pub(super) fn reduce(self, s: Ifma, prime: &Prime) -> Five {
        let mut t = self.0;
        for i in 0..5 {
            let quotient = s.madd_low(s.splat(0), t[i], prime.negated_inverse);
            for j in 0..5 {
                t[i + j] = s.madd_low(t[i + j], quotient, prime.p[j]);
                t[i + j + 1] = s.madd_high(t[i + j + 1], quotient, prime.p[j]);
            }
            // The low 52 bits are zero now.
            t[i + 1] = s.add(t[i + 1], s.right::<52>(t[i]));
        }
        let [_, _, _, _, _, a, b, c, d, e] = t;
        [a, b, c, d, e]
    }
}

/// A sum of any number of products in each lane.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    // Carried.
    columns: Columns,
    top: V,
}

impl Sum {
    /// The number of products that are added before the columns are carried: `256 * 9 + 1 < 2^12`.
    const GROUP: usize = 256;

    #[inline(always)]
    pub(super) fn zero(s: Ifma) -> Self {
        Self { columns: Columns::zero(s), top: s.splat(0) }
    }

    /// Adds `a_i * b_i` over part `I` of the rows `a` and part `J` of the rows `b`.
    #[inline(always)]
    pub(super) fn add<const S: usize, const I: usize, const T: usize, const J: usize>(
        &mut self,
        s: Ifma,
        a: &[Rows<S>],
        b: &[Rows<T>],
    ) {
        for (a, b) in a.chunks(Self::GROUP).zip(b.chunks(Self::GROUP)) {
            let mut columns = self.columns;
            for (a, b) in a.iter().zip(b) {
                let a = factor(s, s.load::<S, I>(a));
                let b = factor(s, s.load::<T, J>(b));
                columns.add_product(s, &a, &b);
            }
            self.top = s.add(self.top, columns.carry(s));
            self.columns = columns;
        }
    }

    /// The columns and what is above them, added up over the lanes.
    #[inline(always)]
    pub(super) fn columns(&self, s: Ifma) -> [u64; 11] {
        let mut sums = [0; 11];
        for (sum, column) in sums.iter_mut().zip(self.columns.0) {
            *sum = add_up(s.words(column));
        }
        sums[10] = add_up(s.words(self.top));
        sums
    }
}

/// The sum of the lanes.
#[inline(always)]
fn add_up(lanes: [u64; LANES]) -> u64 {
    let mut sum = 0;
    for lane in lanes {
        sum += lane;
    }
    sum
}
