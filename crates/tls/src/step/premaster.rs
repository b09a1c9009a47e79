//! From two numbers below P-256's prime to the bytes of their sum modulo the prime.

use volery_circuit::gadgets::{add_with_carry, mux};
use volery_circuit::{Fold, Folded, Ops};
use volery_field::{F2, P256Base};

/// `p + v` modulo the prime, as TLS writes the pre-master secret: 32 bytes, big-endian. 767 ANDs.
///
/// With numbers from the prime up to `2^256`, which no honest party puts in, the result is one of several in its class.
pub(super) fn secret<B: Ops<F2> + ?Sized>(
    b: &mut B,
    p: &[B::Wire],
    v: &[B::Wire],
) -> Result<Vec<B::Wire>, B::Error> {
    let (sum, carry) = add_with_carry(b, p, v)?;
    // The sum is at least the prime if it, or it plus 2^256 - prime, reaches 2^256; then the latter is what is left.
    let mut fold = Fold::new(b);
    let folded: Vec<_> = sum.iter().cloned().map(Folded::Wire).collect();
    let (reduced, again) = add_with_carry(&mut fold, &folded, &complement())?;
    let reduced: Vec<_> = reduced.iter().map(|bit| fold.lower(bit)).collect();
    let again = fold.lower(&again);
    // Not both carries at once: the sum is below twice the prime.
    let large = b.add(&carry, &again);
    let number = mux(b, &large, &reduced, &sum)?;
    let (bytes, _) = number.as_chunks::<8>();
    Ok(bytes.iter().rev().flatten().cloned().collect())
}

/// The bits of `2^256` less the prime.
fn complement<W>() -> Vec<Folded<F2, W>> {
    let mut carry = true;
    let bit = |inverted: bool| {
        let sum = inverted ^ carry;
        carry &= inverted;
        Folded::Constant(F2::new(sum))
    };
    P256Base::MODULUS.iter().flat_map(|byte| (0..8).map(move |i| byte >> i & 1 == 0)).map(bit).collect()
}
