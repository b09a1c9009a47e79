//! The sum of two numbers below a curve's prime, modulo the prime, in bytes.

use volery_circuit::gadgets::{add_with_carry, mux};
use volery_circuit::{Fold, Folded, Ops};
use volery_field::{Curve25519Base, F2, P256Base};

/// `p + v` modulo a prime, in the 32 bytes of TLS's pre-master secret. If `x25519` is zero, the prime is
/// P-256's and the bytes are big-endian; if it is one, the prime is Curve25519's and they are little-endian.
/// 895 ANDs.
///
/// Both are the same circuit, because the primes' bits are public and linear in `x25519`; only the order of
/// the bytes takes ANDs, 128 of them. If a number is not below the prime, which no honest party puts in, the
/// result is some function of the inputs.
pub(super) fn secret<B: Ops<F2> + ?Sized>(
    b: &mut B,
    p: &[B::Wire],
    v: &[B::Wire],
    x25519: &B::Wire,
) -> Result<Vec<B::Wire>, B::Error> {
    let (sum, carry) = add_with_carry(b, p, v)?;
    let complement = complement(b, x25519);
    // The sum is at least the prime if it, or it plus 2^256 - prime, reaches 2^256. Then the latter, modulo
    // 2^256, is the result.
    let mut fold = Fold::new(b);
    let folded: Vec<_> = sum.iter().cloned().map(Folded::Wire).collect();
    let (reduced, again) = add_with_carry(&mut fold, &folded, &complement)?;
    let reduced: Vec<_> = reduced.iter().map(|bit| fold.lower(bit)).collect();
    let again = fold.lower(&again);
    // Not both carries at once: the sum is below twice the prime.
    let large = b.add(&carry, &again);
    let number = mux(b, &large, &reduced, &sum)?;
    ordered(b, &number, x25519)
}

/// The bytes of `number`: the lowest first if `x25519` is one, otherwise the highest first.
fn ordered<B: Ops<F2> + ?Sized>(
    b: &mut B,
    number: &[B::Wire],
    x25519: &B::Wire,
) -> Result<Vec<B::Wire>, B::Error> {
    let (bytes, _) = number.as_chunks::<8>();
    let highest_first: Vec<_> = bytes.iter().rev().flatten().cloned().collect();
    let half = number.len() / 2;
    let differences: Vec<_> =
        number.iter().zip(&highest_first).take(half).map(|(low, high)| b.add(low, high)).collect();
    // The difference to add to the first half to exchange it with the second, whose bytes are in the opposite
    // order.
    let changes = b.mul_many(&vec![x25519.clone(); half], &differences)?;
    let (bytes, _) = changes.as_chunks::<8>();
    let changes = changes.iter().chain(bytes.iter().rev().flatten());
    Ok(highest_first.iter().zip(changes).map(|(bit, change)| b.add(bit, change)).collect())
}

/// The bits of `2^256` less the prime.
fn complement<B: Ops<F2> + ?Sized>(b: &mut B, x25519: &B::Wire) -> Vec<Folded<F2, B::Wire>> {
    let one = b.constant(F2::ONE);
    let p256 = b.add(x25519, &one);
    let bits = negated(&P256Base::MODULUS).zip(negated(&Curve25519Base::MODULUS));
    bits.map(|bits| match bits {
        (false, true) => Folded::Wire(x25519.clone()),
        (true, false) => Folded::Wire(p256.clone()),
        (bit, _) => Folded::Constant(F2::new(bit)),
    })
    .collect()
}

/// The bits of `2^256` less a number, little-endian.
fn negated(number: &[u8]) -> impl Iterator<Item = bool> {
    let mut carry = true;
    number.iter().flat_map(|byte| (0..8).map(move |i| byte >> i & 1 == 0)).map(move |inverted| {
        let bit = inverted ^ carry;
        carry &= inverted;
        bit
    })
}
