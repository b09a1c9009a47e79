//! What two parties compute of Poly1305 (RFC 8439, section 2.5) in a circuit.
//!
//! Poly1305 evaluates a polynomial at `r` modulo `p = 2^130 - 5` and adds `s`:
//!
//! ```text
//! tag = (a mod p) + s    modulo 2^128
//! ```
//!
//! The parties share the polynomial's value `a` as a sum modulo `p`: they evaluate the polynomial outside of
//! the circuit. The circuit makes `r` ([`poly1305_clamp`]) and the tag ([`poly1305_tag`]).
//!
//! Numbers are wires from the least significant bit on. Poly1305 reads bytes little-endian, so these are the
//! wires of its 16-byte strings too, in the order of [`bytes_to_bits`](super::bytes_to_bits).
//!
//! **Shares that are too large.** A share is a number of 130 wires and should be below `p`. No gadget here
//! checks that: the other five values are for the protocol to exclude or to bear. Each function says what it
//! returns for them. A circuit that checks a share `x` compares it with `p`, or looks for a carry in `x + 5`.

use volery_field::F2;

use super::add_with_carry;
use super::adder::Adder;
use super::logic::all_ones;
use crate::{Error, Ops};

/// Bits of a number below `p`.
const SHARE_BITS: usize = 130;
/// Bits of `r`, of `s` and of a tag.
const TAG_BITS: usize = 128;

/// Poly1305's `r` (128 wires) from the first 16 bytes of the one-time key: 22 bits become zero (RFC 8439,
/// section 2.5.1). Free.
///
/// # Errors
/// [`Error::Misuse`] unless there are 128 wires; the backend's.
pub fn poly1305_clamp<B: Ops<F2> + ?Sized>(b: &mut B, bytes: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
    check("r", bytes, TAG_BITS)?;
    let zero = b.constant(F2::ZERO);
    let clamped = bytes.iter().enumerate().map(|(i, bit)| if is_clamped(i) { &zero } else { bit });
    Ok(clamped.cloned().collect())
}

/// Whether bit `i` of `r` is zero: the upper four bits of bytes 3, 7, 11 and 15, and the lower two of bytes
/// 4, 8 and 12.
const fn is_clamped(i: usize) -> bool {
    let (byte, bit) = (i / 8, i % 8);
    (byte % 4 == 3 && bit >= 4) || (byte % 4 == 0 && byte > 0 && bit < 2)
}

/// The tag (128 wires) from two shares of the polynomial's value, 130 wires each, and from `s`, the last 16
/// bytes of the one-time key (128 wires): `((x + y) mod p) + s` modulo `2^128`. 512 ANDs.
///
/// `p` is subtracted from `x + y` once if that is `p` or more, whatever the shares are. So if the shares are
/// so large that `x + y` is `2 p` or more, the result is `x + y - p + s` modulo `2^128`. In other words, one
/// share `p + e` counts as `e`, unless the other one is `p - e` or more.
///
/// # Errors
/// [`Error::Misuse`] unless there are twice 130 wires, and 128; the backend's.
pub fn poly1305_tag<B: Ops<F2> + ?Sized>(
    b: &mut B,
    shares: [&[B::Wire]; 2],
    s: &[B::Wire],
) -> Result<Vec<B::Wire>, B::Error> {
    let [x, y] = shares;
    check("a share", x, SHARE_BITS)?;
    check("a share", y, SHARE_BITS)?;
    check("s", s, TAG_BITS)?;
    let (sum, carry) = add_with_carry(b, x, y)?;
    let at_least_p = at_least_p(b, &sum)?;
    let wraps = either(b, &carry, &at_least_p)?;
    // Modulo 2^128, subtracting p is adding 5.
    add_fives(b, [&sum[..TAG_BITS], s], &wraps)
}

/// Whether a number of 130 bits is `p` or more: all bits are ones except the last three, which are 3 or more.
fn at_least_p<B: Ops<F2> + ?Sized>(b: &mut B, x: &[B::Wire]) -> Result<B::Wire, B::Error> {
    let both = b.mul(&x[0], &x[1])?;
    let mut bits = x[2..].to_vec();
    bits[0] = either(b, &both, &x[2])?;
    all_ones(b, &bits)
}

/// `x OR y`; one AND.
fn either<B: Ops<F2> + ?Sized>(b: &mut B, x: &B::Wire, y: &B::Wire) -> Result<B::Wire, B::Error> {
    let (both, parity) = (b.mul(x, y)?, b.add(x, y));
    Ok(b.add(&both, &parity))
}

/// The sum of equally long numbers, plus 5 if `five` is one, modulo `2^n` for numbers of `n` bits.
fn add_fives<B: Ops<F2> + ?Sized, const M: usize>(
    b: &mut B,
    numbers: [&[B::Wire]; M],
    five: &B::Wire,
) -> Result<Vec<B::Wire>, B::Error> {
    let width = numbers.first().map_or(0, |number| number.len());
    let mut adder = Adder::new();
    let mut sum = Vec::with_capacity(width);
    for i in 0..width {
        for number in numbers {
            adder.push(b, number.get(i));
        }
        if matches!(i, 0 | 2) {
            adder.push(b, Some(five));
        }
        sum.push(if i + 1 == width { adder.last_column(b) } else { adder.column(b)? });
    }
    Ok(sum)
}

fn check<W>(what: &str, wires: &[W], width: usize) -> Result<(), Error> {
    if wires.len() == width {
        return Ok(());
    }
    Err(Error::misuse(format!("Poly1305 with {what} of {} bits, not {width}", wires.len())))
}
