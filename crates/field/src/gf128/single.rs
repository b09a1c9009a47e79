//! One element at a time, for the operators: check the CPU's features, which the standard library caches,
//! then call.

use super::Gf128;
#[cfg(target_arch = "x86_64")]
use super::x86_clmul;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
use super::{dispatch::has_pmull, neon_pmull};

/// `a * b`.
#[inline]
pub(super) fn mul(a: Gf128, b: Gf128) -> Gf128 {
    #[cfg(target_arch = "x86_64")]
    if crate::detected!("pclmulqdq") {
        // SAFETY: PCLMULQDQ was just found, and x86-64 always has SSE2.
        return unsafe { x86_clmul::mul(a, b) };
    }
    #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
    if has_pmull() {
        // SAFETY: Neon and PMULL were just found.
        return unsafe { neon_pmull::mul(a, b) };
    }
    super::portable::mul(a, b)
}

/// `a * a`.
#[inline]
pub(super) fn square(a: Gf128) -> Gf128 {
    #[cfg(target_arch = "x86_64")]
    if crate::detected!("pclmulqdq") {
        // SAFETY: PCLMULQDQ was just found, and x86-64 always has SSE2.
        return unsafe { x86_clmul::square(a) };
    }
    #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
    if has_pmull() {
        // SAFETY: Neon and PMULL were just found.
        return unsafe { neon_pmull::square(a) };
    }
    super::portable::square(a)
}
