//! Random products, each used once, and their conversion into products of chosen factors.

use volery_channel::tags::OLE_CORRECTIONS;
use zeroize::{Zeroize, Zeroizing};

use super::OleField;
use crate::Error;

/// One party's part of a random product: its own factor and its share of the product.
#[derive(Clone, Copy, Default)]
pub(super) struct ProductShare<F> {
    pub(super) factor: F,
    pub(super) share: F,
}

impl<F: Zeroize> Zeroize for ProductShare<F> {
    fn zeroize(&mut self) {
        self.factor.zeroize();
        self.share.zeroize();
    }
}

/// Unused shares, oldest first. They are wiped when used and on drop.
pub(super) struct Products<F: Zeroize> {
    shares: Zeroizing<Vec<ProductShare<F>>>,
    next: usize,
}

impl<F: OleField> Products<F> {
    pub(super) fn new() -> Self {
        Self { shares: Zeroizing::new(Vec::new()), next: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.shares.len().saturating_sub(self.next)
    }

    /// Appends `more`. The existing shares move into a new vector and the old one is wiped, so that no copy
    /// is left behind.
    pub(super) fn append(&mut self, more: &[ProductShare<F>]) {
        let left = self.shares.get(self.next..).unwrap_or_default();
        let mut shares = Zeroizing::new(Vec::with_capacity(left.len() + more.len()));
        shares.extend_from_slice(left);
        shares.extend_from_slice(more);
        (self.shares, self.next) = (shares, 0);
    }

    /// Removes and returns the next `n` shares.
    fn take(&mut self, n: usize) -> Result<Zeroizing<Vec<ProductShare<F>>>, Error> {
        let prepared = self.len();
        let Some(shares) = self.shares.get_mut(self.next..).and_then(|shares| shares.get_mut(..n)) else {
            return Err(Error::misuse(format!("{n} products are asked for, {prepared} are prepared")));
        };
        let taken = Zeroizing::new(shares.to_vec());
        shares.iter_mut().for_each(Zeroize::zeroize);
        self.next += n;
        Ok(taken)
    }

    /// Starts the products of this party's `factors`. P's products are corrected by `a`, V's by the factor
    /// itself.
    pub(super) fn begin(&mut self, factors: &[F], party: Corrects) -> Result<Pending<F>, Error> {
        let mut shares = self.take(factors.len())?;
        let corrections = shares.iter().zip(factors).map(|(own, factor)| *factor - own.factor).collect();
        if let Corrects::ByInput = party {
            shares.iter_mut().zip(factors).for_each(|(own, factor)| own.factor = *factor);
        }
        Ok(Pending { corrections, shares })
    }
}

/// The factor by which a party multiplies its peer's corrections.
#[derive(Clone, Copy)]
pub(super) enum Corrects {
    /// P: by its random factor.
    ByRandom,
    /// V: by its chosen factor.
    ByInput,
}

/// Products under way: this party has its shares of random products and its own factors, and lacks the peer's
/// corrections.
///
/// This is for protocols that send corrections together with other messages.
/// [`Sender::multiply`](super::Sender::multiply) and [`Receiver::multiply`](super::Receiver::multiply)
/// exchange them at once.
pub struct Pending<F: Zeroize> {
    corrections: Vec<F>,
    shares: Zeroizing<Vec<ProductShare<F>>>,
}

impl<F: OleField> Pending<F> {
    /// The corrections for the peer, one element for each product. They are not secret from the peer.
    #[must_use]
    pub fn corrections(&self) -> &[F] {
        &self.corrections
    }

    /// Computes this party's shares from the peer's corrections.
    ///
    /// # Errors
    /// [`Error::Malformed`] unless there is one correction for each product.
    pub fn finish(self, peer: &[F]) -> Result<Zeroizing<Vec<F>>, Error> {
        if peer.len() != self.shares.len() {
            let reason = format!("{} corrections for {} products", peer.len(), self.shares.len());
            return Err(Error::malformed(OLE_CORRECTIONS, reason));
        }
        let shares = self.shares.iter().zip(peer).map(|(own, peer)| own.share + own.factor * *peer);
        Ok(Zeroizing::new(shares.collect()))
    }
}
