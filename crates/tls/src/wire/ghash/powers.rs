//! One party's shares of the powers of the hash key.

use volery_field::Gf128;
use zeroize::Zeroizing;

use super::{Block, from_block};

/// The highest power: that for a TLS record of full length, 2^14 bytes of plaintext with a header and the
/// lengths.
#[cfg(test)]
pub(crate) const MAX_POWER: usize = (1 << 14) / super::BLOCK_BYTES + 2;

/// This party's shares of `h, h^2, h^3, ...`; wiped on drop.
pub struct Powers {
    /// Entry `k - 1` is the share of `h^k`. Never empty.
    shares: Zeroizing<Vec<Gf128>>,
}

impl Powers {
    /// All powers up to `n`, from shares of the odd powers `h, h^3, h^5, ...` as blocks. `None` unless there
    /// are as many as that takes.
    #[must_use]
    pub fn from_odd(odd: impl IntoIterator<Item = Block>, n: usize) -> Option<Self> {
        let mut shares = Zeroizing::new(vec![Gf128::ZERO; n.max(1)]);
        let mut odd = odd.into_iter();
        for share in shares.iter_mut().step_by(2) {
            *share = from_block(odd.next()?);
        }
        for k in 1..=n {
            shares[k - 1] = power(&shares, k);
        }
        odd.next().is_none().then_some(Self { shares })
    }

    /// The highest power that has a share.
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        self.shares.len()
    }

    /// Entry `k - 1` is the share of `h^k`.
    pub(super) fn shares(&self) -> &[Gf128] {
        &self.shares
    }
}

/// The share of `h^k`, if that of `k` without its factors of two is known.
fn power(shares: &[Gf128], k: usize) -> Gf128 {
    let twos = k.trailing_zeros();
    let root = shares.get((k >> twos).wrapping_sub(1)).copied().unwrap_or_default();
    (0..twos).fold(root, |power, _| power.square())
}
