//! P: the party that speaks to the server.

use rand_core::CryptoRng;
use subtle::ConstantTimeEq;
use volery_channel::tags::{KEY_DENOMINATOR, KEY_FACTORS, KEY_OPENING, KEY_SERVER, KEY_SHARE, KEY_SLOPE};
use volery_channel::{Channel, ChannelExt};
use volery_field::{Element, Ring};
use volery_vole::ole::Sender;
use zeroize::{Zeroize, Zeroizing};

use super::curve::{AdditionFormula, Curve, Group, OnCurve, P256, PublicPoint, X25519};
use super::{
    ELEMENT, PremasterSecret, ProverProducts, Share, encoded, get, only, put, random, share_of_inverse,
};
use crate::Error;

/// P with a key share on each curve, before the server's point is known.
pub struct Prover {
    p256: Key<P256>,
    x25519: Key<X25519>,
}

/// P's key share on a curve, V's point, and the client's, which is the sum.
struct Key<C: Curve> {
    share: Zeroizing<C::Scalar>,
    verifier: C::Point,
    client: C::Point,
}

impl<C: Curve> Key<C> {
    fn new(share: Zeroizing<C::Scalar>, verifier: &[u8]) -> Result<Self, Error> {
        let verifier = C::read_share(verifier).map_err(|reason| Error::malformed(KEY_SHARE, reason))?;
        // The neutral element occurs with probability 2^-252, or never with a sound generator.
        let client = C::sum(&C::public(&share), &verifier)
            .ok_or_else(|| Error::Misuse("the key shares cancel out; draw another".into()))?;
        Ok(Self { share, verifier, client })
    }
}

impl Prover {
    /// Receives V's key shares and draws P's own.
    ///
    /// # Errors
    /// [`Error::Malformed`] if V's shares are not points; any error of receiving.
    pub fn start(channel: &mut dyn Channel, rng: &mut dyn CryptoRng) -> Result<Self, Error> {
        Self::with_shares(channel, P256::random(rng), X25519::random(rng))
    }

    pub(super) fn with_shares(
        channel: &mut dyn Channel,
        p256: Zeroizing<<P256 as Curve>::Scalar>,
        x25519: Zeroizing<<X25519 as Curve>::Scalar>,
    ) -> Result<Self, Error> {
        let points = channel.recv(KEY_SHARE, P256::SHARE_BYTES + X25519::SHARE_BYTES)?;
        let (first, second) = points
            .split_at_checked(P256::SHARE_BYTES)
            .ok_or_else(|| Error::malformed(KEY_SHARE, "it ends within the first point"))?;
        Ok(Self { p256: Key::new(p256, first)?, x25519: Key::new(x25519, second)? })
    }

    /// The client's public point on a curve, for the `ClientKeyExchange` message.
    #[must_use]
    pub fn client_point(&self, group: Group) -> Vec<u8> {
        match group {
            Group::P256 => P256::write(&self.p256.client),
            Group::X25519 => X25519::write(&self.x25519.client),
        }
    }

    /// P's share of the pre-master secret. Call it when the server's point is known, and in TLS 1.2 when its
    /// signature is verified. (In TLS 1.3 the signature is under a key that follows from the secret.)
    ///
    /// # Errors
    /// [`Error::Malformed`] and [`Error::Cheat`] as the [module](super) says; [`Error::Products`] if the
    /// products of the server's curve were used before; the channel's.
    pub fn finish(
        self,
        channel: &mut dyn Channel,
        products: &mut ProverProducts,
        server: &PublicPoint,
        rng: &mut dyn CryptoRng,
    ) -> Result<ProverShare, Error> {
        Ok(ProverShare(match server.0 {
            OnCurve::P256(server) => {
                Exchanged::P256(Box::new(exchange(self.p256, channel, &mut products.p256, server, rng)?))
            }
            OnCurve::X25519(server) => Exchanged::X25519(Box::new(exchange(
                self.x25519,
                channel,
                &mut products.x25519,
                server,
                rng,
            )?)),
        }))
    }
}

/// The exchange on the curve that the server chose.
fn exchange<C: Curve>(
    key: Key<C>,
    channel: &mut dyn Channel,
    products: &mut Sender<C::Base>,
    server: C::Point,
    rng: &mut dyn CryptoRng,
) -> Result<On<C>, Error> {
    let AdditionFormula { factor, shift } = C::addition(&server)?;
    let own = C::coordinates(&key.share, &server)?;
    let [mut x, mut y] = *own;
    let mut rho = random::<C::Base>(rng);
    let denominator = products.begin(&[rho, -x])?;
    let mut message = C::GROUP.number().to_be_bytes().to_vec();
    message.extend_from_slice(&C::write(&server));
    put(&mut message, denominator.corrections());
    channel.send(KEY_SERVER, &message)?;

    let factors: [C::Base; 3] = get(KEY_FACTORS, channel.recv(KEY_FACTORS, 3 * ELEMENT)?)?;
    let shares = denominator.finish(&factors[..2])?;
    let d = shares.iter().fold(-(x * rho), |sum, share| sum + *share);
    message.clear();
    put(&mut message, &[d]);
    channel.send(KEY_DENOMINATOR, &message)?;

    let [peer, eta_correction] = get(KEY_DENOMINATOR, channel.recv(KEY_DENOMINATOR, 2 * ELEMENT)?)?;
    let mut eta = share_of_inverse(rho, d + peer, KEY_DENOMINATOR)?;
    let slope = products.begin(&[eta, -y])?;
    let mut corrections = slope.corrections().to_vec();
    let shares = slope.finish(&[factors[2], eta_correction])?;
    let mut lambda = shares.iter().fold(-(y * eta), |sum, share| sum + *share);
    let square = products.begin(&[lambda])?;
    corrections.extend_from_slice(square.corrections());
    message.clear();
    put(&mut message, &corrections);
    channel.send(KEY_SLOPE, &message)?;

    let corrections: [C::Base; 1] = get(KEY_SLOPE, channel.recv(KEY_SLOPE, ELEMENT)?)?;
    let gamma = only(&square.finish(&corrections)?)?;
    let share = Zeroizing::new(factor * (lambda * lambda + gamma + gamma) - shift - x);
    for secret in [&mut x, &mut y, &mut rho, &mut eta, &mut lambda] {
        secret.zeroize();
    }
    let bytes = encoded(*share)?;
    Ok(On { key, server, share, bytes })
}

/// P's share of the pre-master secret, with the values needed to check V's opening.
pub struct ProverShare(Exchanged);

enum Exchanged {
    P256(Box<On<P256>>),
    X25519(Box<On<X25519>>),
}

struct On<C: Curve> {
    key: Key<C>,
    server: C::Point,
    share: Zeroizing<C::Base>,
    bytes: Share,
}

impl ProverShare {
    /// `s_P`, with `s_P + s_V` the x-coordinate modulo the curve's prime.
    #[must_use]
    pub(crate) fn expose(&self) -> &Share {
        match &self.0 {
            Exchanged::P256(on) => &on.bytes,
            Exchanged::X25519(on) => &on.bytes,
        }
    }

    /// Receives V's opening, which V sends after P has closed the connection, and checks it. Returns the
    /// pre-master secret and V's share of it, which must be the one that V used in everything after the
    /// exchange.
    ///
    /// # Errors
    /// [`Error::Malformed`] if the opening does not consist of canonical numbers; [`Error::Cheat`] if it does
    /// not match V's key share, or if V's messages made the shares add up to anything other than the
    /// pre-master secret; the channel's.
    pub fn check(&self, channel: &mut dyn Channel) -> Result<(PremasterSecret, Share), Error> {
        let opening = Zeroizing::new(channel.recv_array::<{ 2 * ELEMENT }>(KEY_OPENING)?);
        let (mut key, mut share) = (Zeroizing::new([0; 32]), Zeroizing::new([0; 32]));
        key.copy_from_slice(&opening[..ELEMENT]);
        share.copy_from_slice(&opening[ELEMENT..]);
        let secret = match &self.0 {
            Exchanged::P256(on) => on.check(&key, &share),
            Exchanged::X25519(on) => on.check(&key, &share),
        }?;
        Ok((secret, share))
    }
}

impl<C: Curve> On<C> {
    fn check(&self, key: &[u8; 32], share: &[u8; 32]) -> Result<PremasterSecret, Error> {
        let key = C::read_scalar(key).ok_or_else(|| {
            Error::malformed(KEY_OPENING, "the key share is not below the group's order, or zero")
        })?;
        let share =
            C::Base::decode(share).map_err(|error| Error::malformed(KEY_OPENING, error.to_string()))?;
        if C::public(&key) != self.key.verifier {
            return Err(Error::cheat(KEY_OPENING, "the check of the opened key share against its point"));
        }
        let secret = C::secret(&self.key.share, &key, &self.server);
        let secret = secret.ok_or_else(|| Error::Misuse("the client's key is zero".into()))?;
        let x = C::element(&secret)?;
        if !bool::from(x.to_packed().ct_eq(&(*self.share + share).to_packed())) {
            return Err(Error::cheat(KEY_OPENING, "the check of the opened share of the pre-master secret"));
        }
        Ok(secret)
    }
}
