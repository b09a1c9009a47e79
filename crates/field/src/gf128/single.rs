//! One element at a time, for the operators: a look at the CPU's (cached) features, then a call.

use super::{Gf128, portable};

/// `a * b`.
#[inline]
pub(super) fn mul(a: Gf128, b: Gf128) -> Gf128 {
    portable::mul(a, b)
}

/// `a * a`.
#[inline]
pub(super) fn square(a: Gf128) -> Gf128 {
    portable::square(a)
}
