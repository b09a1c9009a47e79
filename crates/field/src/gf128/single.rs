//! One element at a time, for the operators: a look at the CPU's features, which the standard library caches, then
//! a call.

use super::Gf128;
#[cfg(target_arch = "x86_64")]
use super::x86_clmul;

/// `a * b`.
#[inline]
pub(super) fn mul(a: Gf128, b: Gf128) -> Gf128 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("pclmulqdq") {
        // SAFETY: PCLMULQDQ was just found, and x86-64 always has SSE2.
        return unsafe { x86_clmul::mul(a, b) };
    }
    super::portable::mul(a, b)
}

/// `a * a`.
#[inline]
pub(super) fn square(a: Gf128) -> Gf128 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("pclmulqdq") {
        // SAFETY: PCLMULQDQ was just found, and x86-64 always has SSE2.
        return unsafe { x86_clmul::square(a) };
    }
    super::portable::square(a)
}
