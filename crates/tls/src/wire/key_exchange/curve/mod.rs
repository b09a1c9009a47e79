//! The curves of the key exchange: what it needs of one, and public points on either.

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

/// A curve for ECDHE, and how TLS 1.2 writes its points.
///
/// Points are in a group of prime order `q`, and not its neutral element, from the moment that they are read.
pub(super) trait Curve {
    /// The field of the coordinates.
    type Base: OleField + Field;
    /// A public point.
    type Point: Copy + PartialEq;
    /// A number from 1 to `q - 1`.
    type Scalar: Zeroize;

    /// Its name in TLS.
    const GROUP: Group;
    /// Bytes of a point that goes from V to P.
    const SHARE_BYTES: usize;

    /// The point with its curve.
    fn on_curve(point: Self::Point) -> OnCurve;

    /// A uniform number.
    fn random(rng: &mut dyn CryptoRng) -> Zeroizing<Self::Scalar>;

    /// The number with this encoding, which is canonical and not zero.
    fn read_scalar(bytes: &[u8; 32]) -> Option<Zeroizing<Self::Scalar>>;

    /// The encoding of a number.
    fn write_scalar(scalar: &Self::Scalar) -> Zeroizing<[u8; 32]>;

    /// `t G`.
    fn public(scalar: &Self::Scalar) -> Self::Point;

    /// `a + b`; none if it is the neutral element.
    fn sum(a: &Self::Point, b: &Self::Point) -> Option<Self::Point>;

    /// A point from the other party, with all of its coordinates, so that it can be added.
    fn read_share(bytes: &[u8]) -> Result<Self::Point, &'static str>;

    /// A point for the other party.
    fn write_share(point: &Self::Point) -> Vec<u8>;

    /// A point as TLS has it. One point has one encoding here.
    fn read(bytes: &[u8]) -> Result<Self::Point, &'static str>;

    /// The same, written.
    fn write(point: &Self::Point) -> Vec<u8>;

    /// The numbers that stand for the point `t S` in the conversion: its x-coordinate, and what [`Line`]
    /// takes for the other one.
    ///
    /// # Errors
    /// [`Error::Misuse`] if the library's coordinates are not canonical, which they are.
    fn coordinates(scalar: &Self::Scalar, server: &Self::Point) -> Result<Zeroizing<[Self::Base; 2]>, Error>;

    /// How the coordinates of two points give the x-coordinate of their sum.
    ///
    /// # Errors
    /// As [`Curve::coordinates`].
    fn line(server: &Self::Point) -> Result<Line<Self::Base>, Error>;

    /// The x-coordinate of `(a + b) S` as TLS has it; none if the point is the neutral element.
    fn secret(a: &Self::Scalar, b: &Self::Scalar, server: &Self::Point) -> Option<Zeroizing<[u8; 32]>>;

    /// The element that TLS writes like this.
    ///
    /// # Errors
    /// [`Error::Misuse`] unless it is canonical.
    fn element(secret: &[u8; 32]) -> Result<Self::Base, Error>;
}

/// The constants of `x = factor * lambda^2 - shift - x_1 - x_2`, where `lambda = (y_2 - y_1) / (x_2 - x_1)`.
/// Public.
pub(super) struct Line<F> {
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
    /// All of them, the one to be offered first before the other.
    pub const ALL: [Self; 2] = [Self::P256, Self::X25519];

    /// Its number among TLS's named groups.
    #[must_use]
    pub const fn number(self) -> u16 {
        match self {
            Self::P256 => 23,
            Self::X25519 => 29,
        }
    }

    /// The group with this number.
    #[must_use]
    pub fn from_number(number: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.number() == number)
    }
}

/// The public point of the server, or of the client: checked, in the group of prime order, not its neutral
/// element.
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
    /// [`Error::Server`] unless it is a point of the group as honest ends of TLS send it: for P-256
    /// uncompressed, 65 bytes; for X25519 a u-coordinate of 32 bytes below the prime whose point is on the
    /// curve, not on its twist, and a multiple of the base point.
    pub fn from_bytes(group: Group, bytes: &[u8]) -> Result<Self, Error> {
        Self::read(group, bytes).map_err(|reason| Error::Server { what: "key exchange point", reason })
    }

    /// The same, with the reason alone.
    pub(crate) fn read(group: Group, bytes: &[u8]) -> Result<Self, &'static str> {
        Ok(Self(match group {
            Group::P256 => P256::on_curve(P256::read(bytes)?),
            Group::X25519 => X25519::on_curve(X25519::read(bytes)?),
        }))
    }

    /// The group that it is of.
    #[must_use]
    pub const fn group(&self) -> Group {
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
