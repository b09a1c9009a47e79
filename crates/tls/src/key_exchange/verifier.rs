//! V: holds half of the client's key.

use rand_core::CryptoRng;
use volery_channel::Channel;
use volery_channel::tags::{KEY_DENOMINATOR, KEY_FACTORS, KEY_OPENING, KEY_SERVER, KEY_SHARE, KEY_SLOPE};
use volery_field::{P256Base, Ring};
use volery_vole::ole;
use zeroize::{Zeroize, Zeroizing};

use super::point::{self, KeyShare, POINT_BYTES, ServerPoint};
use super::{ELEMENT, get, only, put, share_of_inverse, share_of_sum};
use crate::Error;

/// V with a key share, before it knows the server's point.
pub struct Verifier {
    share: KeyShare,
}

impl Verifier {
    /// Draws V's key share, fresh for this session, and sends its point. Waits for nothing.
    ///
    /// # Errors
    /// What sending meets.
    pub fn start<R: CryptoRng + ?Sized>(channel: &mut dyn Channel, rng: &mut R) -> Result<Self, Error> {
        let share = KeyShare::random(rng);
        channel.send(KEY_SHARE, &point::encode(&share.public()))?;
        Ok(Self { share })
    }

    /// V's share of the pre-master secret, from the server's point as P says it is.
    ///
    /// # Errors
    /// [`Error::Malformed`] and [`Error::Cheat`] as the [module](super) says; [`Error::Products`] if fewer than
    /// [`PRODUCTS`](super::PRODUCTS) are prepared; the channel's.
    pub fn finish<R: CryptoRng + ?Sized>(
        self,
        channel: &mut dyn Channel,
        products: &mut ole::Receiver<P256Base>,
        rng: &mut R,
    ) -> Result<VerifierShare, Error> {
        let message = channel.recv(KEY_SERVER, POINT_BYTES + 2 * ELEMENT)?;
        let (server, corrections) = message
            .split_at_checked(POINT_BYTES)
            .ok_or_else(|| Error::malformed(KEY_SERVER, "it ends within the server's point"))?;
        let server = ServerPoint::from_peer(KEY_SERVER, server)?;
        let corrections: [P256Base; 2] = get(KEY_SERVER, corrections)?;

        let own = self.share.times(&server).coordinates()?;
        let [mut x, mut y] = *own;
        let mut rho = super::random(rng);
        let denominator = products.begin(&[x, rho])?;
        let ahead = products.begin(&[y])?;
        let mut message = Vec::with_capacity(3 * ELEMENT);
        put(&mut message, denominator.corrections());
        put(&mut message, ahead.corrections());
        channel.send(KEY_FACTORS, &message)?;
        let shares = denominator.finish(&corrections)?;
        let d = shares.iter().fold(x * rho, |sum, share| sum + *share);

        let [peer] = get(KEY_DENOMINATOR, channel.recv(KEY_DENOMINATOR, ELEMENT)?)?;
        let mut eta = share_of_inverse(rho, d + peer, KEY_DENOMINATOR)?;
        let cross = products.begin(&[eta])?;
        message.clear();
        put(&mut message, &[d]);
        put(&mut message, cross.corrections());
        channel.send(KEY_DENOMINATOR, &message)?;

        let corrections: [P256Base; 3] = get(KEY_SLOPE, channel.recv(KEY_SLOPE, 3 * ELEMENT)?)?;
        let (first, second) = (ahead.finish(&corrections[..1])?, cross.finish(&corrections[1..2])?);
        let mut lambda = y * eta + only(&first)? + only(&second)?;
        let square = products.begin(&[lambda])?;
        message.clear();
        put(&mut message, square.corrections());
        channel.send(KEY_SLOPE, &message)?;
        let gamma = square.finish(&corrections[2..])?;
        let share = Zeroizing::new(share_of_sum(lambda, only(&gamma)?, x));
        for secret in [&mut x, &mut y, &mut rho, &mut eta, &mut lambda] {
            secret.zeroize();
        }
        Ok(VerifierShare { share, key: self.share, server })
    }
}

/// V's share of the pre-master secret.
pub struct VerifierShare {
    share: Zeroizing<P256Base>,
    key: KeyShare,
    server: ServerPoint,
}

impl VerifierShare {
    /// `s_V`, with `s_P + s_V` the x-coordinate in Z_p.
    #[must_use]
    pub fn expose(&self) -> P256Base {
        *self.share
    }

    /// The server's point that P named. In the end V must see the server's signature over it.
    #[must_use]
    pub fn server(&self) -> &ServerPoint {
        &self.server
    }

    /// Opens V's key share and its share of the pre-master secret to P. From then on P knows every secret of the connection:
    /// V does this only after it holds everything that the server sent and P has closed the connection.
    ///
    /// # Errors
    /// What sending meets.
    pub fn open(&self, channel: &mut dyn Channel) -> Result<(), Error> {
        let mut opening = Zeroizing::new([0; 2 * ELEMENT]);
        let (key, share) = opening.split_at_mut(ELEMENT);
        key.copy_from_slice(&*self.key.to_bytes());
        self.share.encode(share).map_err(|error| Error::Misuse(error.to_string()))?;
        channel.send(KEY_OPENING, &*opening)?;
        Ok(())
    }
}
