//! Comparing a hidden decimal number with a public one, exactly, whichever way the hidden one is written.
//!
//! The number `x` has digits, of which the first that is not zero is the *first digit*. Its *scale* `k` is
//! the position of the point relative to it, as `|x| = 0.d1 d2 d3 ... * 10^k`:
//!
//! ```text
//! -5120.75     first digit at 1, point at 5                  k = 5 - 1          =  4
//! 0.00123e-7   first digit at 4, point at 1, exponent -7     k = 1 - 4 + 1 - 7  = -9      (+ 1: the point is a byte)
//! ```
//!
//! A bound `c` that is not zero is `0.c1 c2 ... cn * 10^m` with `c1` and `cn` not zero. So
//!
//! ```text
//! k > m: |x| > |c|          k < m: |x| < |c|          k = m: digit by digit, from the first that differs
//! ```
//!
//! Positions are wires of which one is 1, so the bits of a position are sums of them, which are free. The
//! exponent's digits are at the end, and so at public places. Digits are compared by an
//! [automaton](super::automaton) whose state says how many of `c`'s have been met so far, and how it ended.
//!
//! An exponent may have leading zeros, and then at most [`EXPONENT_DIGITS`] digits, which are enough for any
//! floating-point number of 64 bits. Nothing is claimed of other numbers, so no sum here overflows.

use volery_circuit::gadgets::{add, all_ones, constant, equal, less_than_signed, not, shift_left, sub};
use volery_circuit::{Error, Prove};
use volery_field::F2;

use super::automaton::{Automaton, MAX_STATES, State};
use super::byte::{Byte, ByteSet, plus};
use crate::page::http::json::Decimal;

/// The most digits of a hidden number's exponent, without leading zeros.
pub(super) const EXPONENT_DIGITS: usize = 3;

/// The states of the automaton besides one for each digit of the bound.
const STATES: usize = 5;
/// The most digits of a bound, without zeros at its ends.
pub(super) const MAX_BOUND: usize = MAX_STATES - STATES;

/// Checks that a number can be a bound.
///
/// # Errors
/// [`Error::Public`] for more than [`MAX_BOUND`] digits.
pub(super) fn check_bound(bound: &Decimal) -> Result<(), Error> {
    let count = bound.digits().len();
    if count <= MAX_BOUND {
        return Ok(());
    }
    Err(Error::Public(format!("a bound of {count} digits; at most {MAX_BOUND} are compared")))
}

/// Whether this is a number whose exponent is too long to be compared.
pub(super) fn has_long_exponent(number: &[u8]) -> bool {
    let mut parts = number.splitn(2, |byte| matches!(byte, b'e' | b'E'));
    let (Some(before), Some(exponent)) = (parts.next(), parts.next()) else { return false };
    let digits = match exponent {
        [b'+' | b'-', digits @ ..] => digits,
        digits => digits,
    };
    let mantissa = before.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'.'));
    let significant = digits.iter().skip_while(|byte| **byte == b'0').count();
    mantissa && !before.is_empty() && digits.iter().all(u8::is_ascii_digit) && significant > EXPONENT_DIGITS
}

/// A hidden number that is known to be one.
pub(super) struct Magnitude<'a, W> {
    bytes: Vec<Byte<'a, W>>,
    negative: W,
    /// The scale, in two's complement. It means nothing for zero.
    scale: Vec<W>,
}

/// How the digits of a hidden number compare with those of a bound.
struct Digits<W> {
    /// They are all zero.
    zero: W,
    equal: W,
    greater: W,
}

impl<'a, W: Clone> Magnitude<'a, W> {
    /// Reads the sign and the scale of a number as JSON writes it. Claims that its exponent is not too long.
    ///
    /// # Errors
    /// The backend's.
    pub(super) fn new<B>(b: &mut B, mut bytes: Vec<Byte<'a, W>>) -> Result<Self, B::Error>
    where
        B: Prove<F2, Wire = W> + ?Sized,
    {
        let zero = b.constant(F2::ZERO);
        let width = width(bytes.len());
        let minus = bytes.iter_mut().map(|byte| byte.is_in(b, &ByteSet::one(b'-')));
        let minus = minus.collect::<Result<Vec<_>, _>>()?;
        // A sign after the first byte is the exponent's.
        let falls = sum(b, minus.get(1..).unwrap_or_default());
        let (point, after_e) = positions(b, &mut bytes, width)?;
        let exponent = exponent(b, &mut bytes, &after_e, width)?;
        let raised = signed(b, &exponent, &falls)?;
        let scale = add(b, &point, &raised)?;
        Ok(Self { negative: minus.into_iter().next().unwrap_or(zero), bytes, scale })
    }

    /// Whether `x > c` (`strictly`) or `x >= c`. A bound only needs the comparison with numbers of one sign:
    ///
    /// ```text
    /// x >= c   is   x >= 0 and |x| >= c       for c > 0
    ///               x >= 0 or not |x| > |c|   for c <= 0
    /// ```
    ///
    /// # Errors
    /// [`Error::Public`] for a bound of more than [`MAX_BOUND`] digits; the backend's.
    pub(super) fn is_above<B>(&mut self, b: &mut B, bound: &Decimal, strictly: bool) -> Result<W, B::Error>
    where
        B: Prove<F2, Wire = W> + ?Sized,
    {
        let positive = bound.sign() > 0 || (strictly && bound.sign() == 0);
        if positive {
            let exceeds = self.exceeds(b, bound, strictly)?;
            let sign = not(b, &self.negative);
            b.mul(&sign, &exceeds)
        } else {
            let exceeds = self.exceeds(b, bound, !strictly)?;
            let below = b.mul(&self.negative, &exceeds)?;
            Ok(not(b, &below))
        }
    }

    /// Whether `x = c`: the signs, the scales and the digits are the same, or both are zero.
    ///
    /// # Errors
    /// As [`Magnitude::is_above`].
    pub(super) fn is<B>(&mut self, b: &mut B, number: &Decimal) -> Result<W, B::Error>
    where
        B: Prove<F2, Wire = W> + ?Sized,
    {
        let Digits { zero, equal: same, .. } = self.digits(b, number)?;
        if number.sign() == 0 {
            return Ok(zero);
        }
        let scale = self.scale_of(b, number);
        let level = equal(b, &scale, &self.scale)?;
        let sign = if number.sign() < 0 { self.negative.clone() } else { not(b, &self.negative) };
        all_ones(b, &[same, level, sign])
    }

    /// A bound's scale, as wide as that of the hidden number. No hidden scale comes near the ends of its
    /// width, so a bound beyond them is as good as one there.
    fn scale_of<B>(&self, b: &mut B, bound: &Decimal) -> Vec<W>
    where
        B: Prove<F2, Wire = W> + ?Sized,
    {
        let most = (1_i64 << (self.scale.len() - 1)) - 1;
        // In two's complement.
        constant(b, bound.exponent().clamp(-most, most) as u64, self.scale.len())
    }

    /// Whether `|x| > |c|` (`strictly`) or `|x| >= |c|`.
    fn exceeds<B>(&mut self, b: &mut B, bound: &Decimal, strictly: bool) -> Result<W, B::Error>
    where
        B: Prove<F2, Wire = W> + ?Sized,
    {
        let Digits { zero, equal: same, greater } = self.digits(b, bound)?;
        let some = not(b, &zero);
        if bound.sign() == 0 {
            return Ok(if strictly { some } else { b.constant(F2::ONE) });
        }
        let other = self.scale_of(b, bound);
        let above = less_than_signed(b, &other, &self.scale)?;
        let level = equal(b, &other, &self.scale)?;
        let exceed = if strictly { greater } else { b.add(&greater, &same) };
        let level = b.mul(&level, &exceed)?;
        let either = b.add(&above, &level);
        b.mul(&some, &either)
    }

    /// Compares the digits from the first that is not zero.
    fn digits<B>(&mut self, b: &mut B, bound: &Decimal) -> Result<Digits<W>, B::Error>
    where
        B: Prove<F2, Wire = W> + ?Sized,
    {
        check_bound(bound)?;
        let count = bound.digits().len();
        let last = comparison(bound.digits())?.run(b, &mut self.bytes)?;
        let mut group = |states: &[usize]| {
            let wires = states.iter().filter_map(|state| last.get(*state).cloned().flatten());
            let wires: Vec<_> = wires.collect();
            sum(b, &wires)
        };
        // In the order of `comparison`.
        Ok(Digits {
            zero: group(&[0, count + 3]),
            // If the bound is zero, this is not asked for.
            equal: group(&[count, count + 4]),
            greater: group(&[count + 2]),
        })
    }
}

/// The automaton that compares digits with those of a bound. Its states: nothing but zeros so far; the first
/// `j` digits met, for each `j`; less; greater; zero, and all digits met, each with the exponent to come.
fn comparison(bound: &[u8]) -> Result<Automaton, Error> {
    let count = bound.len();
    let [less, greater, zero, met] = [1, 2, 3, 4].map(|more| count + more);
    let mut states = vec![State { accepts: true, next: [None; 256] }; count + STATES];
    // At most 128 states.
    let mut way = |from: usize, byte: u8, to: usize| states[from].next[usize::from(byte)] = Some(to as u8);
    for at in 0..=count {
        for byte in b'0'..=b'9' {
            let to = match (at, byte, bound.get(at)) {
                (0, b'0', _) => 0,
                (_, _, Some(digit)) if byte < *digit => less,
                (_, _, Some(digit)) if byte == *digit => at + 1,
                (_, b'0', None) => at,
                _ => greater,
            };
            way(at, byte, to);
        }
        way(at, b'.', at);
        let end = if at == 0 {
            zero
        } else if at == count {
            met
        } else {
            less
        };
        [b'e', b'E'].into_iter().for_each(|byte| way(at, byte, end));
    }
    way(0, b'-', 0);
    for state in [less, greater, zero, met] {
        (0..=u8::MAX).for_each(|byte| way(state, byte, state));
    }
    Automaton::new(&states)
}

/// The width of scales of numbers of this length.
fn width(length: usize) -> usize {
    let most = length.saturating_add(10_usize.pow(EXPONENT_DIGITS as u32));
    (usize::BITS - most.leading_zeros()) as usize + 2
}

/// The sum of wires.
fn sum<B: Prove<F2> + ?Sized>(b: &mut B, wires: &[B::Wire]) -> B::Wire {
    let sum = wires.iter().fold(None, |sum, wire| Some(plus(b, sum, wire.clone())));
    sum.unwrap_or_else(|| b.constant(F2::ZERO))
}

/// A position as bits, from wires of which at most one is 1: that of byte `n`, and of the end.
fn position<B: Prove<F2> + ?Sized>(b: &mut B, places: &[B::Wire], width: usize) -> Vec<B::Wire> {
    let bit = |i: usize| {
        let wires = places.iter().enumerate().filter(move |(place, _)| place >> i & 1 == 1);
        wires.map(|(_, wire)| wire.clone()).collect::<Vec<_>>()
    };
    let bits: Vec<_> = (0..width).map(bit).collect();
    bits.iter().map(|wires| sum(b, wires)).collect()
}

/// The scale and, of each byte, whether it comes after the exponent's `e`.
type Positions<W> = (Vec<W>, Vec<W>);

/// The scale without the exponent: the point's place relative to the first digit.
fn positions<B: Prove<F2> + ?Sized>(
    b: &mut B,
    bytes: &mut [Byte<'_, B::Wire>],
    width: usize,
) -> Result<Positions<B::Wire>, B::Error> {
    let nonzero = ByteSet::of(|byte| matches!(byte, b'1'..=b'9'));
    let exponent = ByteSet::of(|byte| matches!(byte, b'e' | b'E'));
    let [zero, one] = [F2::ZERO, F2::ONE].map(|bit| b.constant(bit));
    let (mut started, mut pointed, mut raised) = (zero.clone(), zero.clone(), zero.clone());
    let mut fraction = zero.clone();
    let (mut first, mut end, mut after_e) = (Vec::new(), Vec::new(), Vec::new());
    for byte in bytes {
        after_e.push(raised.clone());
        // After the first digit, or in the exponent of zero, it is not the first.
        let candidate = byte.is_in(b, &nonzero)?;
        let earlier = not(b, &started);
        let is_first = b.mul(&candidate, &earlier)?;
        let late = b.mul(&is_first, &pointed)?;
        fraction = b.add(&fraction, &late);
        started = b.add(&started, &is_first);
        first.push(is_first);
        let [point, e] = [byte.is_in(b, &ByteSet::one(b'.'))?, byte.is_in(b, &exponent)?];
        let whole = not(b, &pointed);
        let ends = b.mul(&e, &whole)?;
        end.push(b.add(&point, &ends));
        pointed = b.add(&pointed, &point);
        raised = b.add(&raised, &e);
    }
    let ended = sum(b, &end);
    end.push(b.add(&ended, &one));
    let [first, end] = [position(b, &first, width), position(b, &end, width)];
    let mut more = vec![fraction];
    more.resize(width, zero);
    let scale = sub(b, &end, &first)?;
    Ok((add(b, &scale, &more)?, after_e))
}

/// The exponent without its sign, which is 0 if there is none. Claims that digits before its last ones are
/// zeros.
fn exponent<B: Prove<F2> + ?Sized>(
    b: &mut B,
    bytes: &mut [Byte<'_, B::Wire>],
    after_e: &[B::Wire],
    width: usize,
) -> Result<Vec<B::Wire>, B::Error> {
    let [digit, nonzero] = [b'0', b'1'].map(|first| ByteSet::of(|byte| (first..=b'9').contains(&byte)));
    let zero = b.constant(F2::ZERO);
    let mut exponent = Vec::new();
    let early = bytes.len().saturating_sub(EXPONENT_DIGITS);
    // No exponent begins before the third byte.
    for (place, (byte, after)) in bytes.iter_mut().zip(after_e).enumerate().skip(2) {
        if place < early {
            let counts = byte.is_in(b, &nonzero)?;
            let counts = b.mul(&counts, after)?;
            b.assert_zero(&[counts])?;
            continue;
        }
        let counts = byte.is_in(b, &digit)?;
        let counts = b.mul(&counts, after)?;
        let mut value = b.mul_many(byte.lower(), &vec![counts; 4])?;
        // Ten times as much has at most four bits more.
        value.resize(exponent.len() + 4, zero.clone());
        exponent.resize(value.len(), zero.clone());
        let [eight, two] = [3, 1].map(|distance| shift_left(b, &exponent, distance));
        let ten = add(b, &eight, &two)?;
        exponent = add(b, &ten, &value)?;
    }
    exponent.resize(width, zero);
    Ok(exponent)
}

/// A number with this sign, in two's complement.
fn signed<B: Prove<F2> + ?Sized>(
    b: &mut B,
    number: &[B::Wire],
    negative: &B::Wire,
) -> Result<Vec<B::Wire>, B::Error> {
    let flipped: Vec<_> = number.iter().map(|bit| b.add(bit, negative)).collect();
    let mut one = vec![negative.clone()];
    one.resize_with(number.len(), || b.constant(F2::ZERO));
    add(b, &flipped, &one)
}
