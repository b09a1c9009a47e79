//! The product of two words, which is two words long.

/// `a * b`.
///
/// Engines of WebAssembly multiply words to one word only. What a compiler makes of an ordinary product there
/// is a call that goes through memory.
#[inline(always)]
pub(crate) const fn product(a: u64, b: u64) -> u128 {
    if cfg!(target_arch = "wasm32") { of_halves(a, b) } else { a as u128 * b as u128 }
}

/// The product by those of halves.
#[inline(always)]
const fn of_halves(a: u64, b: u64) -> u128 {
    const LOW: u64 = 0xffff_ffff;
    let ((a_0, a_1), (b_0, b_1)) = ((a & LOW, a >> 32), (b & LOW, b >> 32));
    let low = a_0 * b_0;
    // Each sum fits: (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1.
    let middle = a_1 * b_0 + (low >> 32);
    let other = a_0 * b_1 + (middle & LOW);
    let high = a_1 * b_1 + (middle >> 32) + (other >> 32);
    (high as u128) << 64 | (other << 32 | low & LOW) as u128
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::Words;

    #[test]
    fn products_of_halves_are_products() {
        let mut words = Words(3);
        let special = [0, 1, u64::MAX, 1 << 63, 1 << 32, (1 << 32) - 1, (1 << 61) - 1];
        for i in 0..1000 {
            let mut word = || match words.word() {
                word if word % 3 == 0 => special[(word / 3 % 7) as usize],
                word => word,
            };
            let (a, b) = (word(), word());
            assert_eq!(of_halves(a, b), u128::from(a) * u128::from(b), "{i}: {a:x} {b:x}");
            assert_eq!(product(a, b), of_halves(a, b));
        }
    }
}
