//! V: the party that holds half of the client's key.

use rand_core::CryptoRng;
use volery_channel::Channel;
use volery_channel::tags::{KEY_DENOMINATOR, KEY_FACTORS, KEY_OPENING, KEY_SERVER, KEY_SHARE, KEY_SLOPE};
use volery_vole::ole::Receiver;
use zeroize::{Zeroize, Zeroizing};

use super::curve::{AdditionFormula, Curve, Group, P256, PublicPoint, X25519};
use super::{ELEMENT, Share, VerifierProducts, encoded, get, only, put, random, share_of_inverse};
use crate::Error;

/// Bytes of the longest `KeyServer` message: the group, a point of P-256, two elements.
const MAX_SERVER: usize = 2 + P256::SHARE_BYTES + 2 * ELEMENT;

/// V with a key share on each curve, before it knows the server's point.
pub struct Verifier {
    p256: Zeroizing<<P256 as Curve>::Scalar>,
    x25519: Zeroizing<<X25519 as Curve>::Scalar>,
}

impl Verifier {
    /// Draws V's key shares, fresh for this session, and sends their points. It does not wait.
    ///
    /// # Errors
    /// Any error of sending.
    pub fn start(channel: &mut dyn Channel, rng: &mut dyn CryptoRng) -> Result<Self, Error> {
        Self::with_shares(channel, P256::random(rng), X25519::random(rng))
    }

    pub(super) fn with_shares(
        channel: &mut dyn Channel,
        p256: Zeroizing<<P256 as Curve>::Scalar>,
        x25519: Zeroizing<<X25519 as Curve>::Scalar>,
    ) -> Result<Self, Error> {
        let mut points = P256::write_share(&P256::public(&p256));
        points.extend_from_slice(&X25519::write_share(&X25519::public(&x25519)));
        channel.send(KEY_SHARE, &points)?;
        Ok(Self { p256, x25519 })
    }

    /// V's share of the pre-master secret, given the server's point from P.
    ///
    /// # Errors
    /// [`Error::Malformed`] and [`Error::Cheat`] as the [module](super) says; [`Error::Products`] if the
    /// products of the server's curve were used before; the channel's.
    pub fn finish(
        self,
        channel: &mut dyn Channel,
        products: &mut VerifierProducts,
        rng: &mut dyn CryptoRng,
    ) -> Result<VerifierShare, Error> {
        let message = channel.recv(KEY_SERVER, MAX_SERVER)?.to_vec();
        let (number, message) = message
            .split_first_chunk()
            .ok_or_else(|| Error::malformed(KEY_SERVER, "it ends within the group"))?;
        let group = Group::from_number(u16::from_be_bytes(*number))
            .ok_or_else(|| Error::malformed(KEY_SERVER, "a group that was not offered"))?;
        match group {
            Group::P256 => exchange::<P256>(self.p256, channel, &mut products.p256, message, rng),
            Group::X25519 => exchange::<X25519>(self.x25519, channel, &mut products.x25519, message, rng),
        }
    }
}

/// The exchange on the curve that P says the server chose. `message` is the part after the group.
fn exchange<C: Curve>(
    key: Zeroizing<C::Scalar>,
    channel: &mut dyn Channel,
    products: &mut Receiver<C::Base>,
    message: &[u8],
    rng: &mut dyn CryptoRng,
) -> Result<VerifierShare, Error> {
    let (point, corrections) = message
        .len()
        .checked_sub(2 * ELEMENT)
        .and_then(|start| message.split_at_checked(start))
        .ok_or_else(|| Error::malformed(KEY_SERVER, "it ends within the corrections"))?;
    let server = C::read(point).map_err(|reason| Error::malformed(KEY_SERVER, reason))?;
    let corrections: [C::Base; 2] = get(KEY_SERVER, corrections)?;

    let AdditionFormula { factor, .. } = C::addition(&server)?;
    let own = C::coordinates(&key, &server)?;
    let [mut x, mut y] = *own;
    let mut rho = random::<C::Base>(rng);
    let denominator = products.begin(&[x, rho])?;
    let ahead = products.begin(&[y])?;
    let mut message = Vec::with_capacity(3 * ELEMENT);
    put(&mut message, &[denominator.corrections(), ahead.corrections()].concat());
    channel.send(KEY_FACTORS, &message)?;
    let shares = denominator.finish(&corrections)?;
    let d = shares.iter().fold(x * rho, |sum, share| sum + *share);

    let [peer] = get(KEY_DENOMINATOR, channel.recv(KEY_DENOMINATOR, ELEMENT)?)?;
    let mut eta = share_of_inverse(rho, d + peer, KEY_DENOMINATOR)?;
    let cross = products.begin(&[eta])?;
    message.clear();
    put(&mut message, &[&[d], cross.corrections()].concat());
    channel.send(KEY_DENOMINATOR, &message)?;

    let corrections: [C::Base; 3] = get(KEY_SLOPE, channel.recv(KEY_SLOPE, 3 * ELEMENT)?)?;
    let (first, second) = (ahead.finish(&corrections[..1])?, cross.finish(&corrections[1..2])?);
    let mut lambda = y * eta + only(&first)? + only(&second)?;
    let square = products.begin(&[lambda])?;
    message.clear();
    put(&mut message, square.corrections());
    channel.send(KEY_SLOPE, &message)?;
    let gamma = only(&square.finish(&corrections[2..])?)?;
    let sum = Zeroizing::new(factor * (lambda * lambda + gamma + gamma) - x);
    for secret in [&mut x, &mut y, &mut rho, &mut eta, &mut lambda] {
        secret.zeroize();
    }
    let server = PublicPoint(C::on_curve(server));
    Ok(VerifierShare { share: encoded(*sum)?, key: C::write_scalar(&key), server })
}

/// V's share of the pre-master secret.
pub struct VerifierShare {
    share: Share,
    key: Zeroizing<[u8; 32]>,
    server: PublicPoint,
}

impl VerifierShare {
    /// `s_V`, with `s_P + s_V` the x-coordinate modulo the curve's prime.
    #[must_use]
    pub(crate) fn expose(&self) -> &Share {
        &self.share
    }

    /// The server's point that P named, with its group. V must see the server's signature over both in the
    /// end.
    #[must_use]
    pub(crate) fn server(&self) -> &PublicPoint {
        &self.server
    }

    /// Opens V's key share and its share of the pre-master secret to P. From then on P knows every secret of
    /// the connection. So V does this only when it holds everything that the server sent and P has closed the
    /// connection.
    ///
    /// # Errors
    /// What sending meets.
    pub fn open(&self, channel: &mut dyn Channel) -> Result<(), Error> {
        let mut opening = Zeroizing::new([0; 2 * ELEMENT]);
        let (key, share) = opening.split_at_mut(ELEMENT);
        key.copy_from_slice(&*self.key);
        share.copy_from_slice(&*self.share);
        channel.send(KEY_OPENING, &*opening)?;
        Ok(())
    }
}
