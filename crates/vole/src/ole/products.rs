//! Random products, each used once, and their conversion into products of chosen factors.

use volery_channel::tags::OLE_CORRECTIONS;
use zeroize::{Zeroize, Zeroizing};

use super::OleField;
use crate::Error;

/// One party's half of a random product: its own factor and its share.
#[derive(Clone, Copy, Default)]
pub(super) struct HalfProduct<F> {
    pub(super) factor: F,
    pub(super) share: F,
}

impl<F: Zeroize> Zeroize for HalfProduct<F> {
    fn zeroize(&mut self) {
        self.factor.zeroize();
        self.share.zeroize();
    }
}

/// Unused halves, oldest first. They are wiped when used and on drop.
pub(super) struct Products<F: Zeroize> {
    halves: Zeroizing<Vec<HalfProduct<F>>>,
    next: usize,
}

impl<F: OleField> Products<F> {
    pub(super) fn new() -> Self {
        Self { halves: Zeroizing::new(Vec::new()), next: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.halves.len().saturating_sub(self.next)
    }

    /// Appends `more`. The existing halves move into a new vector and the old one is wiped, so that no copy
    /// is left behind.
    pub(super) fn append(&mut self, more: &[HalfProduct<F>]) {
        let left = self.halves.get(self.next..).unwrap_or_default();
        let mut halves = Zeroizing::new(Vec::with_capacity(left.len() + more.len()));
        halves.extend_from_slice(left);
        halves.extend_from_slice(more);
        (self.halves, self.next) = (halves, 0);
    }

    /// Removes and returns the next `n` halves.
    fn take(&mut self, n: usize) -> Result<Zeroizing<Vec<HalfProduct<F>>>, Error> {
        let prepared = self.len();
        let Some(halves) = self.halves.get_mut(self.next..).and_then(|halves| halves.get_mut(..n)) else {
            return Err(Error::misuse(format!("{n} products are asked for, {prepared} are prepared")));
        };
        let taken = Zeroizing::new(halves.to_vec());
        halves.iter_mut().for_each(Zeroize::zeroize);
        self.next += n;
        Ok(taken)
    }

    /// Starts the products of this party's `factors`. P's halves are corrected by `a`, V's by the factor
    /// itself.
    pub(super) fn begin(&mut self, factors: &[F], party: Corrects) -> Result<Pending<F>, Error> {
        let mut halves = self.take(factors.len())?;
        let corrections = halves.iter().zip(factors).map(|(half, factor)| *factor - half.factor).collect();
        if let Corrects::ByInput = party {
            halves.iter_mut().zip(factors).for_each(|(half, factor)| half.factor = *factor);
        }
        Ok(Pending { corrections, halves })
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

/// Products under way: this party has its random halves and its own factors, and lacks the peer's
/// corrections.
///
/// This is for protocols that send corrections together with other messages.
/// [`Sender::multiply`](super::Sender::multiply) and [`Receiver::multiply`](super::Receiver::multiply)
/// exchange them at once.
pub struct Pending<F: Zeroize> {
    corrections: Vec<F>,
    halves: Zeroizing<Vec<HalfProduct<F>>>,
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
        if peer.len() != self.halves.len() {
            let reason = format!("{} corrections for {} products", peer.len(), self.halves.len());
            return Err(Error::malformed(OLE_CORRECTIONS, reason));
        }
        let shares = self.halves.iter().zip(peer).map(|(half, peer)| half.share + half.factor * *peer);
        Ok(Zeroizing::new(shares.collect()))
    }
}
