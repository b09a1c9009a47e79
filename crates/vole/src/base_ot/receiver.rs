//! The receiver: the party that chooses.

use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoBasepointTable, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use rand_core::CryptoRng;
use subtle::{Choice, ConditionallySelectable};
use volery_channel::tags::BASE_OT_SENDER;
use volery_field::Gf128;
use zeroize::{Zeroize, Zeroizing};

use super::{KeyOracle, MAX_INSTANCES, NONCE_BYTES, PART, POINT_BYTES, PointOracle, decode_point};
use crate::{Error, SessionId};

/// For fewer instances, the table of the sender's point costs more than it saves: making it takes the time of
/// about 50 multiplications, and makes each one 2.6 times as fast.
const TABLE_PAYS_FROM: usize = 96;

/// The receiver between its own message and the peer's. [`finish`](Self::finish) consumes it, so it is used
/// once.
pub struct Receiver {
    choices: Vec<u8>,
    /// Halves `a'` of the secrets `a`.
    half_secrets: Vec<Scalar>,
    /// `s`, with which the message starts.
    nonce: [u8; NONCE_BYTES],
    /// As far as it was made.
    message: Vec<u8>,
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.choices.zeroize();
        self.half_secrets.zeroize();
    }
}

impl Receiver {
    /// Draws the secrets, one instance for each choice. Each choice is 0 or 1 (its lowest bit counts) and
    /// stays secret; their number is public.
    ///
    /// # Errors
    /// [`Error::Misuse`] for more than [`MAX_INSTANCES`] choices.
    pub fn start<R: CryptoRng + ?Sized>(choices: &[u8], rng: &mut R) -> Result<Self, Error> {
        let mut receiver = Self::begin(choices, rng)?;
        while receiver.part(rng).is_some() {}
        Ok(receiver)
    }

    /// As [`start`](Self::start), without the message: [`part`](Self::part) makes it.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn begin<R: CryptoRng + ?Sized>(choices: &[u8], rng: &mut R) -> Result<Self, Error> {
        if choices.len() > MAX_INSTANCES {
            return Err(Error::misuse(format!(
                "{} base OTs at once; at most {MAX_INSTANCES}",
                choices.len()
            )));
        }
        let choices: Vec<u8> = choices.iter().map(|c| c & 1).collect();
        let mut nonce = [0; NONCE_BYTES];
        rng.fill_bytes(&mut nonce);
        let half_secrets: Vec<Scalar> = choices.iter().map(|_| Scalar::random(rng)).collect();
        Ok(Self { choices, half_secrets, nonce, message: Vec::new() })
    }

    /// Makes the next part of the message; none after the last.
    pub fn part<R: CryptoRng + ?Sized>(&mut self, rng: &mut R) -> Option<&[u8]> {
        let start = self.message.len();
        if start == 0 {
            self.message.reserve_exact(super::receiver_message_bytes(self.choices.len()));
            self.message.extend_from_slice(&self.nonce);
        }
        let first = (self.message.len() - NONCE_BYTES) / (2 * POINT_BYTES);
        if start > 0 && first >= self.choices.len() {
            return None;
        }
        let end = self.choices.len().min(first + PART);
        let (choices, half_secrets) = (&self.choices[first..end], &self.half_secrets[first..end]);
        // The order of the points depends on the choice.
        let halves = Zeroizing::new(Vec::from_iter(choices.iter().map(|_| RistrettoPoint::random(rng))));
        let others = Zeroizing::new(RistrettoPoint::double_and_compress_batch(halves.iter()));

        let points = PointOracle::new(&self.nonce);
        let halves = Zeroizing::new(
            (first as u64..)
                .zip(choices)
                .zip(half_secrets.iter().zip(others.iter()))
                .map(|((i, c), (a, other))| {
                    RistrettoPoint::mul_base(a) - points.half(i, *c, other.as_bytes())
                })
                .collect::<Vec<_>>(),
        );
        let own = Zeroizing::new(RistrettoPoint::double_and_compress_batch(halves.iter()));
        for (c, (own, other)) in choices.iter().zip(own.iter().zip(others.iter())) {
            let c = Choice::from(*c);
            self.message.extend_from_slice(select(own, other, c).as_bytes());
            self.message.extend_from_slice(select(other, own, c).as_bytes());
        }
        self.message.get(start..)
    }

    /// The message for the sender, as far as it was made.
    #[must_use]
    pub fn message(&self) -> &[u8] {
        &self.message
    }

    /// The key `K_c` of each instance, from the sender's message.
    ///
    /// # Errors
    /// [`Error::Malformed`] if `message` is not one canonical point other than the identity;
    /// [`Error::Misuse`] if the own message was not made to its end.
    pub fn finish(self, session: &SessionId, message: &[u8]) -> Result<Zeroizing<Vec<Gf128>>, Error> {
        if self.message.len() != super::receiver_message_bytes(self.choices.len()) {
            return Err(Error::misuse("keys of base OTs before all of their message was made"));
        }
        let point = decode_point(BASE_OT_SENDER, message, "the sender's point")?;
        let shared = Zeroizing::new(self.multiply(&point));
        let encodings = Zeroizing::new(RistrettoPoint::double_and_compress_batch(shared.iter()));
        let oracle = KeyOracle::new(session, &self.nonce, point.compress().to_bytes());
        let pairs = self.message.get(NONCE_BYTES..).unwrap_or_default().as_chunks::<{ 2 * POINT_BYTES }>().0;
        Ok(Zeroizing::new(
            (0_u64..)
                .zip(pairs)
                .zip(self.choices.iter().zip(encodings.iter()))
                .map(|((i, pair), (c, shared))| oracle.key(i, *c, pair, shared))
                .collect(),
        ))
    }

    /// `a' B` for each secret.
    fn multiply(&self, point: &RistrettoPoint) -> Vec<RistrettoPoint> {
        if self.half_secrets.len() < TABLE_PAYS_FROM {
            return self.half_secrets.iter().map(|a| point * a).collect();
        }
        let table = RistrettoBasepointTable::create(point);
        self.half_secrets.iter().map(|a| &table * a).collect()
    }
}

/// `a` if `choice` is 0, `b` if it is 1, without a branch.
fn select(a: &CompressedRistretto, b: &CompressedRistretto, choice: Choice) -> CompressedRistretto {
    let mut out = [0; POINT_BYTES];
    for (out, (a, b)) in out.iter_mut().zip(a.as_bytes().iter().zip(b.as_bytes())) {
        *out = u8::conditional_select(a, b, choice);
    }
    CompressedRistretto(out)
}
