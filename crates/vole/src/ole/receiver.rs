//! V: the receiver, with bits and its own factors.

use rand_core::CryptoRng;
use volery_channel::Channel;
use volery_channel::tags::{OLE_CHOICES, OLE_PRODUCTS};
use volery_field::{Gf128, packed_bytes, unpack_elements};
use zeroize::{Zeroize, Zeroizing};

use super::products::{Corrects, Pending, ProductShare, Products};
use super::sender::random_factors;
use super::{CHUNK, OleField, correlations, digits, failed, pad, pads};
use crate::correlations::Pool;
use crate::{Error, Oracle, SessionId};

/// Products that V has requested and P has not answered.
pub struct Requested<F: Zeroize> {
    tags: Zeroizing<Vec<Gf128>>,
    shares: Zeroizing<Vec<ProductShare<F>>>,
}

/// The number of correlations of products whose messages are sent together.
const fn chunk<F: OleField>() -> usize {
    CHUNK * digits::<F>()
}

/// V: the receiver of products over `F`. Its peer is a [`Sender`](super::Sender).
pub struct Receiver<F: OleField> {
    pads: Oracle,
    /// The number of correlations used so far.
    index: u64,
    products: Products<F>,
    failed: bool,
}

impl<F: OleField> Receiver<F> {
    /// A receiver without prepared products. Each field of a session needs its own.
    #[must_use]
    pub fn new(session: &SessionId) -> Self {
        Self { pads: pads::<F>(session), index: 0, products: Products::new(), failed: false }
    }

    /// The number of prepared products that are not used yet.
    #[must_use]
    pub fn prepared(&self) -> usize {
        self.products.len()
    }

    /// Prepares `n` products from tags of `pool` (P uses keys of its own pool). One round trip.
    ///
    /// # Errors
    /// The errors of [`Receiver::request`] and [`Receiver::receive`].
    pub fn prepare<R: CryptoRng + ?Sized>(
        &mut self,
        channel: &mut dyn Channel,
        pool: &mut Pool,
        n: usize,
        rng: &mut R,
    ) -> Result<(), Error> {
        let requested = self.request(channel, pool, n, rng)?;
        self.receive(channel, requested)
    }

    /// Begins the preparation of `n` products from tags of `pool`. It waits for the pool at most; if enough
    /// [correlations](super::correlations) are at hand, it waits for nothing. Nothing else can be prepared
    /// until these are [received](Receiver::receive).
    ///
    /// # Errors
    /// [`Error::Misuse`] for products of more than [`MAX_CORRELATIONS`](super::MAX_CORRELATIONS), after an
    /// error, or while a request is pending; the pool's and the channel's.
    pub fn request<R: CryptoRng + ?Sized>(
        &mut self,
        channel: &mut dyn Channel,
        pool: &mut Pool,
        n: usize,
        rng: &mut R,
    ) -> Result<Requested<F>, Error> {
        let count = correlations::<F>(n)?;
        if core::mem::replace(&mut self.failed, true) {
            return Err(failed());
        }
        let mut tags = Zeroizing::new(vec![Gf128::ZERO; count]);
        pool.expect(Some(count as u64));
        pool.fill(channel, &mut tags)?;
        let mut shares = Zeroizing::new(vec![ProductShare::default(); n]);
        random_factors(&mut shares, rng);
        for (shares, tags) in shares.chunks(CHUNK).zip(tags.chunks(chunk::<F>())) {
            channel.send(OLE_CHOICES, &choices(shares, tags))?;
        }
        Ok(Requested { tags, shares })
    }

    /// Finishes the preparation of [requested](Receiver::request) products.
    ///
    /// # Errors
    /// [`Error::Malformed`] if P's message does not consist of canonical elements; the channel's.
    pub fn receive(&mut self, channel: &mut dyn Channel, requested: Requested<F>) -> Result<(), Error> {
        let Requested { tags, mut shares } = requested;
        for (shares, tags) in shares.chunks_mut(CHUNK).zip(tags.chunks(chunk::<F>())) {
            let message = channel.recv(OLE_PRODUCTS, packed_bytes::<F>(tags.len()))?;
            let products = unpack_elements::<F>(message, tags.len())
                .map_err(|error| Error::malformed(OLE_PRODUCTS, error.to_string()))?;
            self.sums(shares, tags, &products);
        }
        self.products.append(&shares);
        self.failed = false;
        Ok(())
    }

    /// Fills in V's shares of the products from P's message.
    pub(super) fn sums(&mut self, shares: &mut [ProductShare<F>], tags: &[Gf128], products: &[F]) {
        let bits = digits::<F>();
        for ((own, tags), products) in shares.iter_mut().zip(tags.chunks(bits)).zip(products.chunks(bits)) {
            let mut factor = own.factor.to_packed();
            let mut sum = F::ZERO;
            for (i, (tag, product)) in tags.iter().zip(products).enumerate() {
                let mut pad: F = pad(&self.pads, self.index, *tag);
                sum += pad + product.masked((factor[i / 64] >> (i % 64) & 1).wrapping_neg());
                self.index += 1;
                pad.zeroize();
            }
            own.share = sum;
            factor.zeroize();
            sum.zeroize();
        }
    }

    /// Starts products with the factors `y`, in their order. P must start the same number.
    ///
    /// # Errors
    /// [`Error::Misuse`] if fewer products are prepared.
    pub fn begin(&mut self, y: &[F]) -> Result<Pending<F>, Error> {
        self.products.begin(y, Corrects::ByInput)
    }

    /// V's shares of `x[i] * y[i]`, where `x` are P's factors. Both parties send one message at the same
    /// time.
    ///
    /// # Errors
    /// As [`Receiver::begin`]; [`Error::Malformed`] unless P's message has one canonical element for each
    /// product; the channel's.
    pub fn multiply(&mut self, channel: &mut dyn Channel, y: &[F]) -> Result<Zeroizing<Vec<F>>, Error> {
        let pending = self.begin(y)?;
        super::exchange(channel, pending)
    }
}

/// V's message for a chunk: the bits of its factors plus those of the correlations.
pub(super) fn choices<F: OleField>(shares: &[ProductShare<F>], tags: &[Gf128]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(tags.len() / 8);
    for (own, tags) in shares.iter().zip(tags.chunks(digits::<F>())) {
        let mut factor = own.factor.to_packed();
        let words = tags.chunks(64).zip(factor.iter_mut());
        for (tags, word) in words {
            for (i, tag) in tags.iter().enumerate() {
                *word ^= (tag.to_bits() as u64 & 1) << i;
            }
            // The number of bits is a multiple of 8.
            bytes.extend(word.to_le_bytes().into_iter().take(tags.len() / 8));
        }
    }
    bytes
}
