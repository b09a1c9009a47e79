//! Points of P-256: what is read from others, and what a key share makes of them.

use p256::elliptic_curve::point::AffineCoordinates;
use p256::elliptic_curve::sec1::ToSec1Point;
use p256::{AffinePoint, NonZeroScalar, ProjectivePoint, PublicKey};
use rand_core::CryptoRng;
use volery_channel::Tag;
use volery_field::P256Base;
use zeroize::{Zeroize, Zeroizing};

use super::from_big_endian;
use crate::Error;

/// Bytes of an encoded point: SEC 1's uncompressed form, the only one that TLS has (RFC 8422, section 5.1.1).
pub const POINT_BYTES: usize = 65;

/// A point from outside: uncompressed, on the curve, not the point at infinity. The curve's order is prime, so it
/// generates the whole group.
pub(super) fn decode(bytes: &[u8]) -> Result<PublicKey, &'static str> {
    match bytes {
        [4, coordinates @ ..] if coordinates.len() == POINT_BYTES - 1 => {
            PublicKey::from_sec1_bytes(bytes).map_err(|_| "it is not a point of P-256")
        }
        _ => Err("it is not an uncompressed point of P-256, 65 bytes that begin with 4"),
    }
}

/// A point from the peer.
pub(super) fn from_peer(step: Tag, bytes: &[u8]) -> Result<PublicKey, Error> {
    decode(bytes).map_err(|reason| Error::malformed(step, reason))
}

/// The uncompressed form.
pub(super) fn encode(point: &PublicKey) -> [u8; POINT_BYTES] {
    let encoded = point.to_sec1_point(false);
    let mut bytes = [0; POINT_BYTES];
    // A point that is not the one at infinity has 65 bytes.
    bytes.iter_mut().zip(encoded.as_bytes()).for_each(|(to, from)| *to = *from);
    bytes
}

/// The TLS server's ephemeral point, checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerPoint(PublicKey);

impl ServerPoint {
    /// Reads the point of a `ServerKeyExchange` message.
    ///
    /// # Errors
    /// [`Error::Server`] unless it is an uncompressed point of P-256 other than infinity.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let point = decode(bytes).map_err(|reason| Error::Server { what: "key exchange point", reason })?;
        Ok(Self(point))
    }

    pub(super) fn from_peer(step: Tag, bytes: &[u8]) -> Result<Self, Error> {
        from_peer(step, bytes).map(Self)
    }

    /// The point as the server sent it.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; POINT_BYTES] {
        encode(&self.0)
    }
}

/// A share of the client's key; wiped on drop.
pub(super) struct KeyShare(Zeroizing<NonZeroScalar>);

impl KeyShare {
    pub(super) fn random<R: CryptoRng + ?Sized>(rng: &mut R) -> Self {
        use p256::elliptic_curve::Generate;
        Self(Zeroizing::new(NonZeroScalar::generate_from_rng(rng)))
    }

    /// The share with this big-endian encoding, which is canonical and not zero.
    pub(super) fn from_bytes(bytes: [u8; 32]) -> Option<Self> {
        NonZeroScalar::from_repr(bytes.into()).into_option().map(|scalar| Self(Zeroizing::new(scalar)))
    }

    /// Big-endian.
    pub(super) fn to_bytes(&self) -> Zeroizing<[u8; 32]> {
        let mut encoded: p256::FieldBytes = (&*self.0).into();
        let bytes = Zeroizing::new(encoded.into());
        encoded.zeroize();
        bytes
    }

    /// `t G`.
    pub(super) fn public(&self) -> PublicKey {
        PublicKey::from_secret_scalar(&self.0)
    }

    /// `t S`.
    pub(super) fn times(&self, server: &ServerPoint) -> SecretPoint {
        SecretPoint(Zeroizing::new((server.0.to_projective() * **self.0).to_affine()))
    }

    /// `(t + t') S`; none if it is the point at infinity.
    pub(super) fn sum_times(&self, other: &Self, server: &ServerPoint) -> Option<SecretPoint> {
        let sum = Zeroizing::new(**self.0 + **other.0);
        let point = (server.0.to_projective() * *sum).to_affine();
        (point != AffinePoint::IDENTITY).then(|| SecretPoint(Zeroizing::new(point)))
    }
}

/// `a + b`; none if it is the point at infinity.
pub(super) fn sum(a: &PublicKey, b: &PublicKey) -> Option<PublicKey> {
    let sum: ProjectivePoint = a.to_projective() + b.to_projective();
    PublicKey::from_affine(sum.to_affine()).ok()
}

/// A point that must stay secret and is not the one at infinity.
pub(super) struct SecretPoint(Zeroizing<AffinePoint>);

impl SecretPoint {
    /// The x-coordinate as TLS has it.
    pub(super) fn x_bytes(&self) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(self.0.x().into())
    }

    /// Both coordinates.
    pub(super) fn coordinates(&self) -> Result<Zeroizing<[P256Base; 2]>, Error> {
        let read = |bytes: p256::FieldBytes| {
            let bytes = Zeroizing::new(<[u8; 32]>::from(bytes));
            // The library's coordinates are canonical.
            from_big_endian(&*bytes).map_err(|error| Error::Misuse(error.to_string()))
        };
        Ok(Zeroizing::new([read(self.0.x())?, read(self.0.y())?]))
    }
}
