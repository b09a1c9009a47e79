//! P-256. Its order is prime, so every point except infinity generates the whole group.

use p256::elliptic_curve::Generate;
use p256::elliptic_curve::point::AffineCoordinates;
use p256::elliptic_curve::sec1::ToSec1Point;
use p256::{AffinePoint, FieldBytes, NonZeroScalar, ProjectivePoint, PublicKey};
use rand_core::CryptoRng;
use volery_field::{P256Base, Ring};
use zeroize::{Zeroize, Zeroizing};

use super::{AdditionFormula, Curve, Group, OnCurve};
use crate::Error;

/// The length of an encoded point in SEC 1's uncompressed form, the only one in TLS (RFC 8422, section
/// 5.1.1).
const POINT_BYTES: usize = 65;

/// P-256 with numbers in big-endian order.
pub(in crate::wire::key_exchange) struct P256;

impl Curve for P256 {
    type Base = P256Base;
    type Point = PublicKey;
    type Scalar = NonZeroScalar;

    const GROUP: Group = Group::P256;
    const SHARE_BYTES: usize = POINT_BYTES;

    fn on_curve(point: Self::Point) -> OnCurve {
        OnCurve::P256(point)
    }

    fn random(rng: &mut dyn CryptoRng) -> Zeroizing<NonZeroScalar> {
        Zeroizing::new(NonZeroScalar::generate_from_rng(rng))
    }

    fn read_scalar(bytes: &[u8; 32]) -> Option<Zeroizing<NonZeroScalar>> {
        NonZeroScalar::from_repr((*bytes).into()).into_option().map(Zeroizing::new)
    }

    fn write_scalar(scalar: &NonZeroScalar) -> Zeroizing<[u8; 32]> {
        let mut encoded: FieldBytes = scalar.into();
        let bytes = Zeroizing::new(encoded.into());
        encoded.zeroize();
        bytes
    }

    fn public(scalar: &NonZeroScalar) -> PublicKey {
        PublicKey::from_secret_scalar(scalar)
    }

    fn sum(a: &PublicKey, b: &PublicKey) -> Option<PublicKey> {
        let sum: ProjectivePoint = a.to_projective() + b.to_projective();
        PublicKey::from_affine(sum.to_affine()).ok()
    }

    fn read_share(bytes: &[u8]) -> Result<PublicKey, &'static str> {
        Self::read(bytes)
    }

    fn write_share(point: &PublicKey) -> Vec<u8> {
        Self::write(point)
    }

    fn read(bytes: &[u8]) -> Result<PublicKey, &'static str> {
        match bytes {
            [4, coordinates @ ..] if coordinates.len() == POINT_BYTES - 1 => {
                PublicKey::from_sec1_bytes(bytes).map_err(|_| "it is not a point of P-256")
            }
            _ => Err("it is not an uncompressed point of P-256, 65 bytes that begin with 4"),
        }
    }

    fn write(point: &PublicKey) -> Vec<u8> {
        point.to_sec1_point(false).as_bytes().to_vec()
    }

    fn coordinates(scalar: &NonZeroScalar, server: &PublicKey) -> Result<Zeroizing<[P256Base; 2]>, Error> {
        let point = Zeroizing::new((server.to_projective() * **scalar).to_affine());
        let read = |bytes: FieldBytes| Self::element(&Zeroizing::new(bytes.into()));
        Ok(Zeroizing::new([read(point.x())?, read(point.y())?]))
    }

    /// `x = lambda^2 - x_1 - x_2`.
    fn addition(_: &PublicKey) -> Result<AdditionFormula<P256Base>, Error> {
        Ok(AdditionFormula { factor: P256Base::ONE, shift: P256Base::ZERO })
    }

    fn secret(a: &NonZeroScalar, b: &NonZeroScalar, server: &PublicKey) -> Option<Zeroizing<[u8; 32]>> {
        let sum = Zeroizing::new(**a + **b);
        let point = Zeroizing::new((server.to_projective() * *sum).to_affine());
        (*point != AffinePoint::IDENTITY).then(|| Zeroizing::new(point.x().into()))
    }

    fn element(secret: &[u8; 32]) -> Result<P256Base, Error> {
        let mut little = Zeroizing::new(*secret);
        little.reverse();
        P256Base::decode(&*little).map_err(|error| Error::Misuse(error.to_string()))
    }
}
