//! Key exchange by one party: ECDHE on P-256 and X25519.

use curve25519_dalek::MontgomeryPoint;
use p256::elliptic_curve::sec1::ToSec1Point;
use p256::{NonZeroScalar, PublicKey};
use rustls::crypto::{ActiveKeyExchange, GetRandomFailed, SharedSecret, SupportedKxGroup};
use rustls::ffdhe_groups::FfdheGroup;
use rustls::{Error, NamedGroup, PeerMisbehaved};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// P-256.
pub(crate) static SECP256R1: &dyn SupportedKxGroup = &P256;
/// X25519.
pub(crate) static X25519: &dyn SupportedKxGroup = &Curve25519;

/// How often a secret number of P-256 is drawn: the probability that none of them is below the group's order
/// is `2^-32` for each.
const DRAWS: usize = 16;

/// Random bytes.
fn random() -> Result<Zeroizing<[u8; 32]>, GetRandomFailed> {
    let mut bytes = Zeroizing::new([0; 32]);
    getrandom::fill(&mut *bytes).map_err(|_| GetRandomFailed)?;
    Ok(bytes)
}

/// What a point is refused with that is no key.
fn invalid() -> Error {
    PeerMisbehaved::InvalidKeyShare.into()
}

#[derive(Debug)]
struct P256;

impl SupportedKxGroup for P256 {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        for _ in 0..DRAWS {
            let secret = NonZeroScalar::from_repr((*random()?).into());
            if let Some(secret) = secret.into_option().map(Zeroizing::new) {
                let public = PublicKey::from_secret_scalar(&secret).to_sec1_point(false).as_bytes().to_vec();
                return Ok(Box::new(OnP256 { secret, public }));
            }
        }
        Err(GetRandomFailed.into())
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn name(&self) -> NamedGroup {
        NamedGroup::secp256r1
    }
}

/// A key of P-256, which waits for the server's.
struct OnP256 {
    secret: Zeroizing<NonZeroScalar>,
    public: Vec<u8>,
}

impl ActiveKeyExchange for OnP256 {
    fn complete(self: Box<Self>, peer: &[u8]) -> Result<SharedSecret, Error> {
        // TLS has no other encodings than the uncompressed one.
        if peer.first() != Some(&4) {
            return Err(invalid());
        }
        // Never the point at infinity, of which there is no such encoding.
        let peer = PublicKey::from_sec1_bytes(peer).map_err(|_| invalid())?;
        let shared = p256::ecdh::diffie_hellman(*self.secret, peer.as_affine());
        Ok(SharedSecret::from(&shared.raw_secret_bytes()[..]))
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn pub_key(&self) -> &[u8] {
        &self.public
    }

    fn group(&self) -> NamedGroup {
        NamedGroup::secp256r1
    }
}

#[derive(Debug)]
struct Curve25519;

impl SupportedKxGroup for Curve25519 {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        let secret = random()?;
        let public = MontgomeryPoint::mul_base_clamped(*secret).to_bytes();
        Ok(Box::new(OnCurve25519 { secret, public }))
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn name(&self) -> NamedGroup {
        NamedGroup::X25519
    }
}

/// A key of X25519, which waits for the server's.
struct OnCurve25519 {
    secret: Zeroizing<[u8; 32]>,
    public: [u8; 32],
}

impl ActiveKeyExchange for OnCurve25519 {
    fn complete(self: Box<Self>, peer: &[u8]) -> Result<SharedSecret, Error> {
        let peer = peer.try_into().map_err(|_| invalid())?;
        let shared = Zeroizing::new(MontgomeryPoint(peer).mul_clamped(*self.secret).to_bytes());
        // What a point of small order gives (RFC 8446, section 7.4.2).
        if bool::from(shared.ct_eq(&[0; 32])) {
            return Err(invalid());
        }
        Ok(SharedSecret::from(&shared[..]))
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn pub_key(&self) -> &[u8] {
        &self.public
    }

    fn group(&self) -> NamedGroup {
        NamedGroup::X25519
    }
}
