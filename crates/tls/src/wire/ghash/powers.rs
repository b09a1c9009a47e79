//! One party's shares of the powers of the hash key.

use volery_field::Gf128;
use zeroize::Zeroizing;

/// This party's shares of `h, h^2, h^3, ...`; wiped on drop.
pub struct Powers {
    /// Entry `k` is the share of `h^k`, from 0 on.
    shares: Zeroizing<Vec<Gf128>>,
}

impl Powers {
    /// The powers up to `n` of `h = g + d`, where both parties know `d`, from this party's shares of the odd
    /// powers `g, g^3, g^5, ...` and of 1: that of one party is one, that of the other zero. `None` unless
    /// there are as many odd powers as that takes.
    ///
    /// ```text
    /// (g + d)^k = product of g^b + d^b over the powers of two b in k
    /// ```
    ///
    /// One `b` after the other, for each `k` that it is in: the share of `k - b` was left as it is.
    #[must_use]
    pub fn new(odd: &[Gf128], one: Gf128, d: Gf128, n: usize) -> Option<Self> {
        if odd.len() != n.div_ceil(2) {
            return None;
        }
        let mut shares = Zeroizing::new(vec![one; n + 1]);
        for k in 1..=n {
            shares[k] = if k % 2 == 1 { odd[k / 2] } else { shares[k / 2].square() };
        }
        let (mut b, mut factor) = (1, d);
        while b <= n {
            for k in (b..=n).filter(|k| k & b != 0) {
                let other = shares[k - b];
                shares[k] += factor * other;
            }
            (b, factor) = (2 * b, factor.square());
        }
        Some(Self { shares })
    }

    /// The highest power that has a share.
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        self.shares.len() - 1
    }

    /// The shares of `h, h^2, ...`.
    pub(super) fn shares(&self) -> &[Gf128] {
        self.shares.get(1..).unwrap_or_default()
    }
}
