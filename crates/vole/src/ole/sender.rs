//! P: the sender, with delta and its own factors.

use rand_core::CryptoRng;
use volery_channel::Channel;
use volery_channel::tags::{OLE_CHOICES, OLE_PRODUCTS};
use volery_field::{Gf128, pack_elements};
use zeroize::Zeroizing;

use super::products::{Corrects, Pending, ProductShare, Products};
use super::{CHUNK, OleField, correlations, digits, failed, pad, pads};
use crate::correlations::Pool;
use crate::{Delta, Error, Oracle, Prg, SessionId};

/// P: the sender of products over `F`. Its peer is a [`Receiver`](super::Receiver).
pub struct Sender<F: OleField> {
    pads: Oracle,
    delta: Delta,
    /// The number of correlations used so far.
    index: u64,
    products: Products<F>,
    failed: bool,
}

impl<F: OleField> Sender<F> {
    /// A sender without prepared products, for correlations under `delta`. Each field of a session needs its
    /// own.
    #[must_use]
    pub fn new(session: &SessionId, delta: Delta) -> Self {
        Self { pads: pads::<F>(session), delta, index: 0, products: Products::new(), failed: false }
    }

    /// The number of prepared products that are not used yet.
    #[must_use]
    pub fn prepared(&self) -> usize {
        self.products.len()
    }

    /// Prepares `n` products from keys of `pool` (V uses tags of its own pool). One round trip.
    ///
    /// # Errors
    /// [`Error::Misuse`] for products of more than [`MAX_CORRELATIONS`](super::MAX_CORRELATIONS) or after an
    /// error; the pool's and the channel's.
    pub fn prepare<R: CryptoRng + ?Sized>(
        &mut self,
        channel: &mut dyn Channel,
        pool: &mut Pool,
        n: usize,
        rng: &mut R,
    ) -> Result<(), Error> {
        let count = correlations::<F>(n)?;
        if core::mem::replace(&mut self.failed, true) {
            return Err(failed());
        }
        let mut keys = Zeroizing::new(vec![Gf128::ZERO; count]);
        pool.expect(Some(count as u64));
        pool.fill(channel, &mut keys)?;
        let mut shares = Zeroizing::new(vec![ProductShare::default(); n]);
        random_factors(&mut shares, rng);
        for (shares, keys) in shares.chunks_mut(CHUNK).zip(keys.chunks(CHUNK * digits::<F>())) {
            let mut choices = vec![0; keys.len() / 8];
            channel.recv_exact(OLE_CHOICES, &mut choices)?;
            channel.send(OLE_PRODUCTS, &self.products(shares, keys, &choices))?;
        }
        self.products.append(&shares);
        self.failed = false;
        Ok(())
    }

    /// P's message for a chunk. Also fills in P's shares of the products.
    pub(super) fn products(
        &mut self,
        shares: &mut [ProductShare<F>],
        keys: &[Gf128],
        choices: &[u8],
    ) -> Vec<u8> {
        let bits = digits::<F>();
        let mut elements = Vec::with_capacity(keys.len());
        let mut choice = choices.iter().flat_map(|byte| (0..8).map(move |i| byte >> i & 1 == 1));
        for (own, keys) in shares.iter_mut().zip(keys.chunks(bits)) {
            let (mut sum, mut shifted) = (F::ZERO, own.factor);
            for (key, choice) in keys.iter().zip(&mut choice) {
                let pads = [*key, *key + self.delta.expose()].map(|block| pad(&self.pads, self.index, block));
                // The choice is part of V's message, so a branch on it is fine.
                let [mut chosen, mut other]: [F; 2] = if choice { [pads[1], pads[0]] } else { pads };
                elements.push(chosen + shifted - other);
                sum += chosen;
                shifted = shifted.times_g();
                self.index += 1;
                chosen.zeroize();
                other.zeroize();
            }
            own.share = -sum;
            sum.zeroize();
            shifted.zeroize();
        }
        let mut message = Vec::new();
        pack_elements(&elements, &mut message);
        message
    }

    /// Starts products with the factors `x`, in their order. V must start the same number.
    ///
    /// # Errors
    /// [`Error::Misuse`] if fewer products are prepared.
    pub fn begin(&mut self, x: &[F]) -> Result<Pending<F>, Error> {
        self.products.begin(x, Corrects::ByRandom)
    }

    /// P's shares of `x[i] * y[i]`, where `y` are V's factors. Both parties send one message at the same
    /// time.
    ///
    /// # Errors
    /// As [`Sender::begin`]; [`Error::Malformed`] unless V's message has one canonical element for each
    /// product; the channel's.
    pub fn multiply(&mut self, channel: &mut dyn Channel, x: &[F]) -> Result<Zeroizing<Vec<F>>, Error> {
        let pending = self.begin(x)?;
        super::exchange(channel, pending)
    }
}

/// Draws the factors.
pub(super) fn random_factors<F: OleField, R: CryptoRng + ?Sized>(
    shares: &mut [ProductShare<F>],
    rng: &mut R,
) {
    let mut seed = Zeroizing::new([0; 16]);
    rng.fill_bytes(&mut *seed);
    let mut factors = Zeroizing::new(vec![F::ZERO; shares.len()]);
    Prg::new(*seed).elements(&mut factors);
    shares.iter_mut().zip(factors.iter()).for_each(|(own, factor)| own.factor = *factor);
}
