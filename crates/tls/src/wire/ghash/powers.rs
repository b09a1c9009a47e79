//! One party's shares of the powers of the hash key.

use volery_channel::Channel;
use volery_field::Gf128;
use volery_vole::ole;
use zeroize::Zeroizing;

use super::{Block, from_block};
use crate::Error;

/// The number of products over GF(2^128) needed to go from `have` powers of the hash key to `need`; both
/// parties must have prepared them. From the key itself that is one for each power: 16 for a record of 256
/// bytes, which takes 18 powers.
#[must_use]
pub const fn products(have: usize, need: usize) -> usize {
    2 * odd(need).saturating_sub(odd(have))
}

/// Odd numbers above 1 up to `n`.
const fn odd(n: usize) -> usize {
    n.saturating_sub(1) / 2
}

/// The highest power: that for a TLS record of full length, 2^14 bytes of plaintext with a header and the
/// lengths.
pub(crate) const MAX_POWER: usize = (1 << 14) / super::BLOCK_BYTES + 2;

/// A party that can share products over GF(2^128): [`ole::Sender`] is P, [`ole::Receiver`] is V.
pub trait ShareProducts {
    /// Shares of the products of P's and V's factors.
    ///
    /// # Errors
    /// The parties' own.
    fn multiply(
        &mut self,
        channel: &mut dyn Channel,
        factors: &[Gf128],
    ) -> Result<Zeroizing<Vec<Gf128>>, Error>;

    /// This party's factors for `(P_i + V_i)(P_j + V_j)`: P's are `P_i, P_j`, V's `V_j, V_i`.
    fn cross(i: Gf128, j: Gf128) -> [Gf128; 2];
}

impl ShareProducts for ole::Sender<Gf128> {
    fn multiply(
        &mut self,
        channel: &mut dyn Channel,
        factors: &[Gf128],
    ) -> Result<Zeroizing<Vec<Gf128>>, Error> {
        Ok(Self::multiply(self, channel, factors)?)
    }

    fn cross(i: Gf128, j: Gf128) -> [Gf128; 2] {
        [i, j]
    }
}

impl ShareProducts for ole::Receiver<Gf128> {
    fn multiply(
        &mut self,
        channel: &mut dyn Channel,
        factors: &[Gf128],
    ) -> Result<Zeroizing<Vec<Gf128>>, Error> {
        Ok(Self::multiply(self, channel, factors)?)
    }

    fn cross(i: Gf128, j: Gf128) -> [Gf128; 2] {
        [j, i]
    }
}

/// This party's shares of `h, h^2, h^3, ...`; wiped on drop.
pub struct Powers {
    /// Entry `k - 1` is the share of `h^k`. Never empty.
    shares: Zeroizing<Vec<Gf128>>,
}

impl Powers {
    /// The first power: this party's share of the hash key `AES(key, 0)`, as a block.
    #[must_use]
    pub fn new(share: Block) -> Self {
        Self { shares: Zeroizing::new(vec![from_block(share)]) }
    }

    /// All powers up to `n`, from shares of the odd powers `h, h^3, h^5, ...` as blocks. `None` if there are
    /// too few odd ones.
    pub(crate) fn from_odd(odd: impl IntoIterator<Item = Block>, n: usize) -> Option<Self> {
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

    /// Adds the powers up to `h^n`, if they are missing, at the cost of [`products`]. Both parties call it
    /// with the same `n`. It takes at most four exchanges of messages for any record up to 16 KB; see the
    /// [module](super).
    ///
    /// # Errors
    /// [`Error::Misuse`] for a power that no record of TLS needs; [`Error::Products`] if too few products are
    /// prepared or the peer's message is malformed; the channel's. Nothing is added then.
    pub fn extend(
        &mut self,
        channel: &mut dyn Channel,
        party: &mut impl ShareProducts,
        n: usize,
    ) -> Result<(), Error> {
        if n > MAX_POWER {
            return Err(Error::Misuse(format!("power {n} of h; no record needs more than {MAX_POWER}")));
        }
        let have = self.len();
        if n <= have {
            return Ok(());
        }
        // A new vector: growing the old one would leave copies of shares behind.
        let mut shares = Zeroizing::new(vec![Gf128::ZERO; n]);
        shares[..have].copy_from_slice(&self.shares);
        for exchange in 1.. {
            let (least, most) = (1_u32 << (exchange - 1), 1 << exchange);
            let new =
                (have + 1..=n).filter(|k| k % 2 == 1 && k.count_ones() > least && k.count_ones() <= most);
            let new: Vec<usize> = new.collect();
            multiply(channel, party, &mut shares, &new)?;
            if most >= usize::BITS - n.leading_zeros() {
                break;
            }
        }
        for k in have + 1..=n {
            shares[k - 1] = power(&shares, k);
        }
        self.shares = shares;
        Ok(())
    }
}

/// Computes the shares of the powers `new`, whose halves are known.
fn multiply(
    channel: &mut dyn Channel,
    party: &mut impl ShareProducts,
    shares: &mut [Gf128],
    new: &[usize],
) -> Result<(), Error> {
    if new.is_empty() {
        return Ok(());
    }
    let halves: Zeroizing<Vec<[Gf128; 2]>> =
        Zeroizing::new(new.iter().map(|k| halves(*k).map(|half| power(shares, half))).collect());
    let factors: Zeroizing<Vec<Gf128>> =
        Zeroizing::new(halves.iter().flat_map(|[i, j]| cross(party, *i, *j)).collect());
    let products = party.multiply(channel, &factors)?;
    for ((k, [i, j]), [first, second]) in new.iter().zip(halves.iter()).zip(products.as_chunks().0) {
        shares[k - 1] = *i * *j + *first + *second;
    }
    Ok(())
}

fn cross<S: ShareProducts>(_party: &S, i: Gf128, j: Gf128) -> [Gf128; 2] {
    S::cross(i, j)
}

/// The share of `h^k`, if that of `k` without its factors of two is known.
fn power(shares: &[Gf128], k: usize) -> Gf128 {
    let twos = k.trailing_zeros();
    let root = shares.get((k >> twos).wrapping_sub(1)).copied().unwrap_or_default();
    (0..twos).fold(root, |power, _| power.square())
}

/// `k` as a sum of two numbers with half of its bits each; the larger half has the lower ones.
fn halves(k: usize) -> [usize; 2] {
    let keep = k.count_ones() / 2;
    // Removes the lowest bit until `keep` bits are left.
    let upper = (0..k.count_ones() - keep).fold(k, |rest, _| rest & rest.wrapping_sub(1));
    [upper, k - upper]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_made_in_earlier_exchanges() {
        let exchange = |k: usize| k.count_ones().next_power_of_two().trailing_zeros();
        for k in (3..=MAX_POWER).step_by(2) {
            let [i, j] = halves(k);
            assert!(i + j == k && i & j == 0 && i > 0);
            assert!(exchange(i) < exchange(k) && exchange(j) < exchange(k), "{k}");
        }
        assert!((1..=MAX_POWER).all(|k| exchange(k) <= 4));
        assert!((1..=255).all(|k| exchange(k) <= 3));
    }

    #[test]
    fn products_are_two_for_each_odd_power() {
        for have in 1..50 {
            for need in have..50 {
                let odd = (have + 1..=need).filter(|k| k % 2 == 1).count();
                assert_eq!(products(have, need), 2 * odd, "{have} {need}");
            }
        }
        assert_eq!(products(20, 10), 0);
    }
}
