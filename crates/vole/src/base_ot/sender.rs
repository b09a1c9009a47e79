//! The sender: the party that gets both keys.

use curve25519_dalek::ristretto::RistrettoPoint;
use curve25519_dalek::scalar::Scalar;
use rand_core::CryptoRng;
use volery_channel::tags::BASE_OT_RECEIVER;
use volery_field::Gf128;
use zeroize::{Zeroize, Zeroizing};

use super::{
    KeyOracle, MAX_INSTANCES, NONCE_BYTES, POINT_BYTES, PointOracle, decode_point, parts,
    receiver_message_bytes,
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

    /// The keys `(K_0, K_1)` of `n` instances, from the receiver's whole message.
    ///
    /// # Errors
    /// As [`Answers::absorb`] and [`Answers::finish`]; [`Error::Malformed`] if `message` has another length.
    pub fn finish(
        self,
        session: &SessionId,
        n: usize,
        message: &[u8],
    ) -> Result<Zeroizing<Vec<[Gf128; 2]>>, Error> {
        let mut answers = self.answers(n)?;
        if message.len() != receiver_message_bytes(n) {
            return Err(answers.malformed(message.len(), receiver_message_bytes(n)));
        }
        let mut rest = message;
        for length in parts(n) {
            let part;
            (part, rest) = rest.split_at(length.min(rest.len()));
            answers.absorb(part)?;
        }
        answers.finish(session)
    }

    /// The sender of `n` instances, which reads the receiver's message in parts.
    ///
    /// # Errors
    /// [`Error::Misuse`] if `n` is over [`MAX_INSTANCES`].
    pub fn answers(self, n: usize) -> Result<Answers, Error> {
        if n > MAX_INSTANCES {
            return Err(Error::misuse(format!("{n} base OTs at once; at most {MAX_INSTANCES}")));
        }
        let half_secret = Zeroizing::new(self.secret * Scalar::from(2_u8).invert());
        let (shared, message) = (Zeroizing::new(Vec::with_capacity(2 * n)), Vec::new());
        Ok(Answers { point: self.message, half_secret, n, message, parts: 0, points: None, shared })
    }
}

/// The sender while the receiver's message comes.
pub struct Answers {
    /// The sender's own message.
    point: [u8; POINT_BYTES],
    half_secret: Zeroizing<Scalar>,
    n: usize,
    /// The receiver's message, as far as it has come, and the number of its parts.
    message: Vec<u8>,
    parts: usize,
    points: Option<PointOracle>,
    /// Halves of `b y_j`.
    shared: Zeroizing<Vec<RistrettoPoint>>,
}

impl Answers {
    /// Reads the next part of the receiver's message, with the length that [`parts`] says.
    ///
    /// # Errors
    /// [`Error::Malformed`] if it has another length or holds a point that is not canonical or the identity.
    pub fn absorb(&mut self, part: &[u8]) -> Result<(), Error> {
        let first = self.message.len().saturating_sub(NONCE_BYTES) / (2 * POINT_BYTES);
        let expected = parts(self.n).nth(self.parts).unwrap_or(0);
        if part.is_empty() || part.len() != expected {
            return Err(self.malformed(part.len(), expected));
        }
        self.parts += 1;
        self.message.extend_from_slice(part);
        let pairs = match self.points {
            Some(_) => part,
            None => {
                let Some((nonce, pairs)) = part.split_first_chunk() else {
                    return Err(self.malformed(part.len(), expected));
                };
                self.points = Some(PointOracle::new(nonce));
                pairs
            }
        };
        let Some(points) = &self.points else { return Ok(()) };
        for (i, pair) in (first as u64..).zip(pairs.as_chunks::<{ 2 * POINT_BYTES }>().0) {
            for y in targets(points, i, pair)? {
                self.shared.push(y * *self.half_secret);
            }
        }
        Ok(())
    }

    /// The receiver's message, as far as it has come.
    #[must_use]
    pub fn message(&self) -> &[u8] {
        &self.message
    }

    /// The keys `(K_0, K_1)` of each instance.
    ///
    /// # Errors
    /// [`Error::Misuse`] if parts of the receiver's message are missing, or one was refused.
    pub fn finish(&self, session: &SessionId) -> Result<Zeroizing<Vec<[Gf128; 2]>>, Error> {
        // The points and not the bytes: a part that was refused has left bytes, and points of later instances
        // would stand in the places of its own.
        let complete = self.shared.len() == 2 * self.n;
        let Some((nonce, pairs)) = self.message.split_first_chunk().filter(|_| complete) else {
            return Err(Error::misuse("keys of base OTs without all of the receiver's message"));
        };
        let encodings = Zeroizing::new(RistrettoPoint::double_and_compress_batch(self.shared.iter()));
        let oracle = KeyOracle::new(session, nonce, self.point);
        let instances = (0_u64..).zip(pairs.as_chunks::<{ 2 * POINT_BYTES }>().0);
        Ok(Zeroizing::new(
            instances
                .zip(encodings.as_chunks::<2>().0)
                .map(|((i, pair), [e0, e1])| [oracle.key(i, 0, pair, e0), oracle.key(i, 1, pair, e1)])
                .collect(),
        ))
    }

    fn malformed(&self, got: usize, expected: usize) -> Error {
        let n = self.n;
        Error::malformed(BASE_OT_RECEIVER, format!("{got} bytes of {n} instances, expected {expected}"))
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
