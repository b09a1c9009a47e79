//! P: speaks to the server.

use p256::PublicKey;
use rand_core::CryptoRng;
use subtle::ConstantTimeEq;
use volery_channel::tags::{KEY_DENOMINATOR, KEY_FACTORS, KEY_OPENING, KEY_SERVER, KEY_SHARE, KEY_SLOPE};
use volery_channel::{Channel, ChannelExt};
use volery_field::{Element, P256Base, Ring};
use volery_vole::ole;
use zeroize::{Zeroize, Zeroizing};

use super::point::{self, KeyShare, POINT_BYTES, ServerPoint};
use super::{ELEMENT, PremasterSecret, from_big_endian, get, only, put, share_of_inverse, share_of_sum};
use crate::Error;

/// P with a key share, before the server's point is known.
pub struct Prover {
    share: KeyShare,
    verifier: PublicKey,
    client: PublicKey,
}

impl Prover {
    /// Receives V's key share and draws P's own.
    ///
    /// # Errors
    /// [`Error::Malformed`] if V's is not a point; what receiving meets.
    pub fn start<R: CryptoRng + ?Sized>(channel: &mut dyn Channel, rng: &mut R) -> Result<Self, Error> {
        let verifier = point::from_peer(KEY_SHARE, channel.recv(KEY_SHARE, POINT_BYTES)?)?;
        let share = KeyShare::random(rng);
        // Infinity comes up with probability 2^-256, or never if the generator is what it should be.
        let client = point::sum(&share.public(), &verifier)
            .ok_or_else(|| Error::Misuse("the key shares cancel out; draw another".into()))?;
        Ok(Self { share, verifier, client })
    }

    /// The client's public point, for the `ClientKeyExchange` message: uncompressed.
    #[must_use]
    pub fn client_point(&self) -> [u8; POINT_BYTES] {
        point::encode(&self.client)
    }

    /// P's share of the pre-master secret, once the server's point is known and its signature was verified.
    ///
    /// # Errors
    /// [`Error::Malformed`] and [`Error::Cheat`] as the [module](super) says; [`Error::Products`] if fewer than
    /// [`PRODUCTS`](super::PRODUCTS) are prepared; the channel's.
    pub fn finish<R: CryptoRng + ?Sized>(
        self,
        channel: &mut dyn Channel,
        products: &mut ole::Sender<P256Base>,
        server: &ServerPoint,
        rng: &mut R,
    ) -> Result<ProverShare, Error> {
        let own = self.share.times(server).coordinates()?;
        let [mut x, mut y] = *own;
        let mut rho = super::random(rng);
        let denominator = products.begin(&[rho, -x])?;
        let mut message = server.to_bytes().to_vec();
        put(&mut message, denominator.corrections());
        channel.send(KEY_SERVER, &message)?;

        let factors: [P256Base; 3] = get(KEY_FACTORS, channel.recv(KEY_FACTORS, 3 * ELEMENT)?)?;
        let shares = denominator.finish(&factors[..2])?;
        let d = shares.iter().fold(-(x * rho), |sum, share| sum + *share);
        message.clear();
        put(&mut message, &[d]);
        channel.send(KEY_DENOMINATOR, &message)?;

        let [peer, eta_correction] = get(KEY_DENOMINATOR, channel.recv(KEY_DENOMINATOR, 2 * ELEMENT)?)?;
        let mut eta = share_of_inverse(rho, d + peer, KEY_DENOMINATOR)?;
        let slope = products.begin(&[eta, -y])?;
        message.clear();
        put(&mut message, slope.corrections());
        let shares = slope.finish(&[factors[2], eta_correction])?;
        let mut lambda = shares.iter().fold(-(y * eta), |sum, share| sum + *share);
        let square = products.begin(&[lambda])?;
        put(&mut message, square.corrections());
        channel.send(KEY_SLOPE, &message)?;

        let corrections: [P256Base; 1] = get(KEY_SLOPE, channel.recv(KEY_SLOPE, ELEMENT)?)?;
        let gamma = square.finish(&corrections)?;
        let share = Zeroizing::new(share_of_sum(lambda, only(&gamma)?, x));
        for secret in [&mut x, &mut y, &mut rho, &mut eta, &mut lambda] {
            secret.zeroize();
        }
        Ok(ProverShare { share, key: self.share, verifier: self.verifier, server: *server })
    }
}

/// P's share of the pre-master secret, and what P needs to check V's opening.
pub struct ProverShare {
    share: Zeroizing<P256Base>,
    key: KeyShare,
    verifier: PublicKey,
    server: ServerPoint,
}

impl ProverShare {
    /// `s_P`, with `s_P + s_V` the x-coordinate in Z_p.
    #[must_use]
    pub fn expose(&self) -> P256Base {
        *self.share
    }

    /// Receives V's opening, which V sends after P has closed the connection, and checks it: the pre-master secret, and V's
    /// share of it, which must be the one that V used in everything that follows.
    ///
    /// # Errors
    /// [`Error::Malformed`] if the opening is not made of canonical numbers; [`Error::Cheat`] if it does not belong to V's key
    /// share, or if V's messages made the shares add up to anything but the pre-master secret; the channel's.
    pub fn check(&self, channel: &mut dyn Channel) -> Result<(PremasterSecret, P256Base), Error> {
        let opening = Zeroizing::new(channel.recv_array::<{ 2 * ELEMENT }>(KEY_OPENING)?);
        let (mut key, mut share) = ([0; 32], [0; 32]);
        key.copy_from_slice(&opening[..ELEMENT]);
        share.copy_from_slice(&opening[ELEMENT..]);
        let key = KeyShare::from_bytes(key).ok_or_else(|| {
            Error::malformed(KEY_OPENING, "the key share is not below the group's order, or zero")
        })?;
        let share =
            P256Base::decode(&share).map_err(|error| Error::malformed(KEY_OPENING, error.to_string()))?;
        if key.public() != self.verifier {
            return Err(Error::cheat(KEY_OPENING, "the check of the opened key share against its point"));
        }
        let point = self.key.sum_times(&key, &self.server);
        let point = point.ok_or_else(|| Error::Misuse("the client's key is zero".into()))?;
        let secret = point.x_bytes();
        let x = from_big_endian(&*secret).map_err(|error| Error::Misuse(error.to_string()))?;
        if !bool::from(x.to_packed().ct_eq(&(*self.share + share).to_packed())) {
            return Err(Error::cheat(KEY_OPENING, "the check of the opened share of the pre-master secret"));
        }
        Ok((secret, share))
    }
}
