//! The sender: the party that gets both keys.

use curve25519_dalek::ristretto::RistrettoPoint;
use curve25519_dalek::scalar::Scalar;
use rand_core::CryptoRng;
use volery_channel::tags::BASE_OT_RECEIVER;
use volery_field::Gf128;
use zeroize::{Zeroize, Zeroizing};

use super::{
    KeyOracle, MAX_INSTANCES, NONCE_BYTES, POINT_BYTES, PointOracle, decode_point, receiver_message_bytes,
};
use crate::{Error, SessionId};

/// The sender between its own message and the peer's. [`finish`](Self::finish) consumes it, so it is used
/// once.
pub struct Sender {
    secret: Scalar,
    message: [u8; POINT_BYTES],
}

impl Drop for Sender {
    fn drop(&mut self) {
        self.secret.zeroize();
    }
}

impl Sender {
    /// Draws the secret.
    pub fn start<R: CryptoRng + ?Sized>(rng: &mut R) -> Self {
        let secret = Scalar::random(rng);
        Self { secret, message: RistrettoPoint::mul_base(&secret).compress().to_bytes() }
    }

    /// The message for the receiver. It is public and serves any number of instances.
    #[must_use]
    pub fn message(&self) -> [u8; POINT_BYTES] {
        self.message
    }

    /// The keys `(K_0, K_1)` of `n` instances, from the receiver's message.
    ///
    /// # Errors
    /// [`Error::Malformed`] if `message` is not `receiver_message_bytes(n)` long or holds a point that is not
    /// canonical or the identity; [`Error::Misuse`] if `n` is over [`MAX_INSTANCES`].
    pub fn finish(
        self,
        session: &SessionId,
        n: usize,
        message: &[u8],
    ) -> Result<Zeroizing<Vec<[Gf128; 2]>>, Error> {
        if n > MAX_INSTANCES {
            return Err(Error::misuse(format!("{n} base OTs at once; at most {MAX_INSTANCES}")));
        }
        let (nonce, pairs) = split(n, message)?;
        let points = PointOracle::new(nonce);
        let half_secret = Zeroizing::new(self.secret * Scalar::from(2_u8).invert());
        let mut shared = Zeroizing::new(Vec::with_capacity(2 * n));
        for (i, pair) in (0_u64..).zip(pairs.as_chunks::<{ 2 * POINT_BYTES }>().0) {
            for y in targets(&points, i, pair)? {
                shared.push(y * *half_secret);
            }
        }
        let encodings = Zeroizing::new(RistrettoPoint::double_and_compress_batch(shared.iter()));
        let oracle = KeyOracle::new(session, nonce, self.message);
        let instances = (0_u64..).zip(pairs.as_chunks::<{ 2 * POINT_BYTES }>().0);
        Ok(Zeroizing::new(
            instances
                .zip(encodings.as_chunks::<2>().0)
                .map(|((i, pair), [e0, e1])| [oracle.key(i, 0, pair, e0), oracle.key(i, 1, pair, e1)])
                .collect(),
        ))
    }
}

/// Checks the length, and splits the message into the nonce and the pairs of points.
fn split(n: usize, message: &[u8]) -> Result<(&[u8; NONCE_BYTES], &[u8]), Error> {
    let expected = receiver_message_bytes(n);
    match message.split_first_chunk() {
        Some(parts) if message.len() == expected => Ok(parts),
        _ => Err(Error::malformed(
            BASE_OT_RECEIVER,
            format!("{} bytes for {n} instances, expected {expected}", message.len()),
        )),
    }
}

/// `y_0` and `y_1` of one instance.
fn targets(
    points: &PointOracle,
    instance: u64,
    pair: &[u8; 2 * POINT_BYTES],
) -> Result<[RistrettoPoint; 2], Error> {
    let mut encodings = [[0; POINT_BYTES]; 2];
    encodings.as_flattened_mut().copy_from_slice(pair);
    let [e0, e1] = encodings;
    let r0 = decode_point(BASE_OT_RECEIVER, &e0, "the first point of a pair")?;
    let r1 = decode_point(BASE_OT_RECEIVER, &e1, "the second point of a pair")?;
    let (h0, h1) = (points.half(instance, 0, &e1), points.half(instance, 1, &e0));
    Ok([r0 + h0 + h0, r1 + h1 + h1])
}
