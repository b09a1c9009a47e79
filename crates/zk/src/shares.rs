//! A party's share of a committed element.
//!
//! Every protocol of this crate computes on commitments `[x]` with `k = m + x * delta`: P holds the value `x`
//! and the tag `m`, V holds the key `k` and delta. What a party holds of one commitment is its **share**.
//!
//! | committed | share at P | share at V |
//! |---|---|---|
//! | a bit | the tag, with the bit in its lowest bit ([`bits::ProverWire`](crate::quicksilver::bits::ProverWire)) | an even key ([`bits::VerifierWire`](crate::quicksilver::bits::VerifierWire)) |
//! | a value of a field | value and tag ([`volery_field::Authenticated`]) | the key, an element of the field of MACs |
//! | an element of the field of MACs | element and tag ([`ElementShare`]) | the key ([`ElementShare`]) |
//!
//! The first two are wires: there are millions of them, so each has the smallest form that its kernels can
//! read. The last is what a few combinations of wires become. It has one form at both parties, so that a
//! protocol on such combinations is written once.

use core::ops::{Add, AddAssign, Sub, SubAssign};

use volery_field::Element;
use zeroize::Zeroize;

/// A party's share of a committed element of the field of MACs and challenges: `k = m + x * delta` in `M`.
///
/// P's share is the element and its tag, V's is the key.
#[derive(Clone, Copy, Default)]
pub struct ElementShare<M> {
    /// The value at P; zero at V.
    pub(crate) x: M,
    /// The tag at P, the key at V.
    pub(crate) m: M,
}

impl<M> core::fmt::Debug for ElementShare<M> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("ElementShare(..)")
    }
}

impl<M: Zeroize> Zeroize for ElementShare<M> {
    fn zeroize(&mut self) {
        self.x.zeroize();
        self.m.zeroize();
    }
}

impl<M: Element> Add for ElementShare<M> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, m: self.m + other.m }
    }
}

impl<M: Element> Sub for ElementShare<M> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, m: self.m - other.m }
    }
}

impl<M: Element> AddAssign for ElementShare<M> {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<M: Element> SubAssign for ElementShare<M> {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl<M: Element> ElementShare<M> {
    /// `c` times this commitment, for a public `c`.
    #[must_use]
    pub fn times(self, c: M) -> Self {
        Self { x: self.x * c, m: self.m * c }
    }
}
