//! X25519: Curve25519 in Montgomery form, `v^2 = u^3 + A u^2 + u` over `F_(2^255 - 19)` with `A = 486662`.
//! TLS only sends `u` (RFC 7748).
//!
//! # Clamping, the twist, and points of small order
//!
//! The curve has `8 q` points, `q` prime; the base point `B` generates the group of order `q`. RFC 7748
//! computes `X25519(k, u) = u(k P)` with `k` clamped: it is a multiple of 8, which removes a component of
//! order up to 8 that a hostile point may have, and its highest bit is set, so that ladders take the same
//! number of steps for all `k`. It accepts any `u`, even those of the twist.
//!
//! Here every point that is read must be a multiple of `B`, as the key of every end that follows RFC 7748 is.
//! For such a point `k P` depends only on `k mod q`, and there are points for all residues, so neither
//! property of `k` matters. Keys are uniform from 1 to `q - 1`, and the sum of two shares is a key like any
//! other. The client sends `u((t_P + t_V) B)`, which is also the `u` of such a multiple, and the server's
//! clamped secret `s` gives the same secret: `s (t_P + t_V) B = (t_P + t_V) S`. It is never zero. RFC 7748
//! (section 6.1) and RFC 8422 (section 5.11) require both ends to check that, because zero is the result for
//! points of small order.
//!
//! Both parties refuse the following: a `u` on the twist, where half of all numbers are; a `u` of a point
//! with a component of small order, which would tell whoever chose it something about `t_V` modulo 8; and a
//! `u` at or above the prime, or with the highest bit set (RFC 7748 tells receivers to reduce these; no end
//! that computes its key sends one). A server that sends any of them gets no connection.
//!
//! # Two coordinates without a square root
//!
//! Neither end knows `v`, and both parties would have to choose the same root for it. But they need not know
//! it: with `y = v / v_S`, where `v_S` is a root for the server's point, the curve is
//!
//! ```text
//! f(u_S) y^2 = f(u)        f(u) = u^3 + A u^2 + u
//! ```
//!
//! and the line through two of its points has slope `lambda = (y_2 - y_1) / (u_2 - u_1)` and meets a third
//! one at
//!
//! ```text
//! u = f(u_S) lambda^2 - A - u_1 - u_2
//! ```
//!
//! The `y` of `Q = t S` follows from three u-coordinates, without `v(Q + S)`: the line through `Q` and `S`
//! (whose `y` is 1) gives `(u(Q + S) + A + u_Q + u_S) (u_Q - u_S)^2 = f(u_S) (y_Q - 1)^2`, so
//!
//! ```text
//! y_Q = (f(u_Q) + f(u_S) - (u(Q + S) + A + u_Q + u_S) (u_Q - u_S)^2) / (2 f(u_S))
//! ```
//!
//! with a public divisor. (It fails for `Q = -S`, which happens with probability `2^-252`.) Both parties may
//! use either root for `S`.

use curve25519_dalek::edwards::CompressedEdwardsY;
use curve25519_dalek::traits::IsIdentity;
use curve25519_dalek::{EdwardsPoint, MontgomeryPoint, Scalar};
use rand_core::CryptoRng;
use volery_field::{Curve25519Base, Field, Ring, Value};
use zeroize::{Zeroize, Zeroizing};

use super::{AdditionFormula, Curve, Group, OnCurve};
use crate::Error;

/// The curve's constant.
const A: u64 = 486_662;

/// Curve25519 with numbers in little-endian order. Between the parties, points travel in Edwards form, whose
/// 32 bytes include a sign.
pub(in crate::wire::key_exchange) struct X25519;

/// `v^2` of points with this `u`.
fn square(u: Curve25519Base) -> Curve25519Base {
    u * (u * (u + Curve25519Base::from_u64(A)) + Curve25519Base::ONE)
}

/// The u-coordinate.
fn u_of(point: &EdwardsPoint) -> Result<Curve25519Base, Error> {
    X25519::element(&Zeroizing::new(point.to_montgomery().0))
}

/// Checks that a point is in the group of prime order and not its neutral element.
fn in_group(point: EdwardsPoint) -> Result<EdwardsPoint, &'static str> {
    if point.is_identity() || !point.is_torsion_free() {
        return Err("it is of small order, or has a part of small order: no multiple of X25519's base point");
    }
    Ok(point)
}

impl Curve for X25519 {
    type Base = Curve25519Base;
    type Point = EdwardsPoint;
    type Scalar = Scalar;

    const GROUP: Group = Group::X25519;
    const SHARE_BYTES: usize = 32;

    fn on_curve(point: Self::Point) -> OnCurve {
        OnCurve::X25519(point)
    }

    fn random(rng: &mut dyn CryptoRng) -> Zeroizing<Scalar> {
        // This is zero with probability 2^-252, and is then reported as an error.
        Zeroizing::new(Scalar::random(rng))
    }

    fn read_scalar(bytes: &[u8; 32]) -> Option<Zeroizing<Scalar>> {
        let scalar = Scalar::from_canonical_bytes(*bytes).into_option().map(Zeroizing::new);
        scalar.filter(|scalar| **scalar != Scalar::ZERO)
    }

    fn write_scalar(scalar: &Scalar) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(scalar.to_bytes())
    }

    fn public(scalar: &Scalar) -> EdwardsPoint {
        EdwardsPoint::mul_base(scalar)
    }

    fn sum(a: &EdwardsPoint, b: &EdwardsPoint) -> Option<EdwardsPoint> {
        let sum = a + b;
        (!sum.is_identity()).then_some(sum)
    }

    fn read_share(bytes: &[u8]) -> Result<EdwardsPoint, &'static str> {
        let encoded = CompressedEdwardsY::from_slice(bytes).ok();
        let point =
            encoded.and_then(|encoded| encoded.decompress().filter(|point| point.compress() == encoded));
        in_group(point.ok_or("it is not a point of Curve25519 in Edwards's form, 32 bytes")?)
    }

    fn write_share(point: &EdwardsPoint) -> Vec<u8> {
        point.compress().0.to_vec()
    }

    fn read(bytes: &[u8]) -> Result<EdwardsPoint, &'static str> {
        let bytes: [u8; 32] = bytes.try_into().map_err(|_| "it is not a u-coordinate of X25519, 32 bytes")?;
        if Curve25519Base::decode(&bytes).is_err() {
            return Err("its u-coordinate is not below X25519's prime");
        }
        in_group(MontgomeryPoint(bytes).to_edwards(0).ok_or("it is on the twist of X25519's curve")?)
    }

    fn write(point: &EdwardsPoint) -> Vec<u8> {
        point.to_montgomery().0.to_vec()
    }

    fn coordinates(scalar: &Scalar, server: &EdwardsPoint) -> Result<Zeroizing<[Curve25519Base; 2]>, Error> {
        let point = Zeroizing::new(server * scalar);
        let next = Zeroizing::new(*point + server);
        let (fixed, mut u, mut third) = (u_of(server)?, u_of(&point)?, u_of(&next)?);
        let divisor = square(fixed) + square(fixed);
        let inverse = divisor.inverse().ok_or_else(|| Error::Misuse("a point of order two".into()))?;
        let chord = (third + Curve25519Base::from_u64(A) + u + fixed) * (u - fixed) * (u - fixed);
        let coordinates = Zeroizing::new([u, (square(u) + square(fixed) - chord) * inverse]);
        u.zeroize();
        third.zeroize();
        Ok(coordinates)
    }

    fn addition(server: &EdwardsPoint) -> Result<AdditionFormula<Curve25519Base>, Error> {
        Ok(AdditionFormula { factor: square(u_of(server)?), shift: Curve25519Base::from_u64(A) })
    }

    fn secret(a: &Scalar, b: &Scalar, server: &EdwardsPoint) -> Option<Zeroizing<[u8; 32]>> {
        let sum = Zeroizing::new(a + b);
        let scalar: &Scalar = &sum;
        let point = Zeroizing::new(server * scalar);
        (!point.is_identity()).then(|| Zeroizing::new(point.to_montgomery().0))
    }

    fn element(secret: &[u8; 32]) -> Result<Curve25519Base, Error> {
        Curve25519Base::decode(secret).map_err(|error| Error::Misuse(error.to_string()))
    }
}
