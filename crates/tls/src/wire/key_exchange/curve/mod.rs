//! The curves of the key exchange: the operations that it needs, and public points on either curve.

mod p256;
mod x25519;

pub(super) use p256::P256;
pub(super) use x25519::X25519;

use ::p256::PublicKey;
use curve25519_dalek::EdwardsPoint;
use rand_core::CryptoRng;
use volery_field::Field;
use volery_vole::ole::OleField;
use zeroize::{Zeroize, Zeroizing};

use crate::Error;

/// A curve for ECDHE, and the encoding of its points in TLS 1.2.
///
/// Every point that is read is checked to be in a group of prime order `q`, and not its neutral element.
pub(super) trait Curve {
    /// The field of the coordinates.
    type Base: OleField + Field;
    /// A public point.
    type Point: Copy + PartialEq;
    /// A number from 1 to `q - 1`.
    type Scalar: Zeroize;

    /// Its name in TLS.
    const GROUP: Group;
    /// The length of a point that V sends to P, in bytes.
    const SHARE_BYTES: usize;

    /// The point with its curve.
    fn on_curve(point: Self::Point) -> OnCurve;

    /// A uniform number.
    fn random(rng: &mut dyn CryptoRng) -> Zeroizing<Self::Scalar>;

    /// The number with this encoding, which must be canonical and not zero.
    fn read_scalar(bytes: &[u8; 32]) -> Option<Zeroizing<Self::Scalar>>;

    /// The encoding of a number.
    fn write_scalar(scalar: &Self::Scalar) -> Zeroizing<[u8; 32]>;

    /// `t G`.
    fn public(scalar: &Self::Scalar) -> Self::Point;

    /// `a + b`, or `None` if it is the neutral element.
    fn sum(a: &Self::Point, b: &Self::Point) -> Option<Self::Point>;

    /// Reads a point from the other party, with all of its coordinates, so that it can be added.
    fn read_share(bytes: &[u8]) -> Result<Self::Point, &'static str>;

    /// Writes a point for the other party.
    fn write_share(point: &Self::Point) -> Vec<u8>;

    /// Reads a point in TLS's encoding. Each point has one encoding here.
    fn read(bytes: &[u8]) -> Result<Self::Point, &'static str>;

    /// Writes a point in TLS's encoding.
    fn write(point: &Self::Point) -> Vec<u8>;

    /// The numbers that represent the point `t S` in the conversion: its x-coordinate, and what
    /// [`AdditionFormula`] uses as the other one.
    ///
    /// # Errors
    /// [`Error::Misuse`] if the library's coordinates are not canonical, which never happens.
    fn coordinates(scalar: &Self::Scalar, server: &Self::Point) -> Result<Zeroizing<[Self::Base; 2]>, Error>;

    /// How the coordinates of two points give the x-coordinate of their sum.
    ///
    /// # Errors
    /// As [`Curve::coordinates`].
    fn addition(server: &Self::Point) -> Result<AdditionFormula<Self::Base>, Error>;

    /// The x-coordinate of `(a + b) S` in TLS's encoding, or `None` if the point is the neutral element.
    fn secret(a: &Self::Scalar, b: &Self::Scalar, server: &Self::Point) -> Option<Zeroizing<[u8; 32]>>;

    /// The element with this encoding in TLS.
    ///
    /// # Errors
    /// [`Error::Misuse`] unless it is canonical.
    fn element(secret: &[u8; 32]) -> Result<Self::Base, Error>;
}

/// The constants of `x = factor * lambda^2 - shift - x_1 - x_2`, where `lambda = (y_2 - y_1) / (x_2 - x_1)`.
/// Public.
pub(super) struct AdditionFormula<F> {
    pub(super) factor: F,
    pub(super) shift: F,
}

/// A group of TLS for the key exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// `secp256r1`, 23 (RFC 8422).
    P256,
    /// `x25519`, 29 (RFC 8422).
    X25519,
}

impl Group {
    /// All groups, in the order in which they are offered.
    pub(crate) const ALL: [Self; 2] = [Self::P256, Self::X25519];

    /// Its number among TLS's named groups.
    #[must_use]
    pub(crate) const fn number(self) -> u16 {
        match self {
            Self::P256 => 23,
            Self::X25519 => 29,
        }
    }

    /// The group with this number.
    #[must_use]
    pub(crate) fn from_number(number: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.number() == number)
    }
}

/// The public point of the server or of the client. It is checked to be in the group of prime order, and not
/// its neutral element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicPoint(pub(super) OnCurve);

/// A point and its curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OnCurve {
    P256(PublicKey),
    X25519(EdwardsPoint),
}

impl PublicPoint {
    /// Reads the point of a `ServerKeyExchange` or `ClientKeyExchange` message.
    ///
    /// # Errors
    /// [`Error::Server`] unless it is a point of the group in the form that honest TLS peers send. For P-256
    /// that is uncompressed, 65 bytes. For X25519 it is a u-coordinate of 32 bytes below the prime, whose
    /// point is on the curve (not on its twist) and a multiple of the base point.
    pub fn from_bytes(group: Group, bytes: &[u8]) -> Result<Self, Error> {
        Self::read(group, bytes).map_err(|reason| Error::Server { what: "key exchange point", reason })
    }

    /// As [`PublicPoint::from_bytes`], but returns only the reason.
    pub(crate) fn read(group: Group, bytes: &[u8]) -> Result<Self, &'static str> {
        Ok(Self(match group {
            Group::P256 => P256::on_curve(P256::read(bytes)?),
            Group::X25519 => X25519::on_curve(X25519::read(bytes)?),
        }))
    }

    /// Its group.
    #[must_use]
    pub(crate) const fn group(&self) -> Group {
        match self.0 {
            OnCurve::P256(_) => Group::P256,
            OnCurve::X25519(_) => Group::X25519,
        }
    }

    /// The point as it was sent.
    #[cfg(test)]
    pub(crate) fn to_bytes(self) -> Vec<u8> {
        match &self.0 {
            OnCurve::P256(point) => P256::write(point),
            OnCurve::X25519(point) => X25519::write(point),
        }
    }
}
