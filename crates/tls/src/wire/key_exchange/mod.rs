//! ECDHE on P-256 or X25519 with the client's key in two shares, up to additive shares of the pre-master
//! secret.
//!
//! ```text
//! t_P + t_V            the client's key; P holds t_P, V holds t_V
//! T = (t_P + t_V) G    its public part, which P sends to the server
//! S                    the server's point
//! (t_P + t_V) S        the pre-master secret is the x-coordinate of this point, and nobody knows it
//!
//! s_P + s_V = x((t_P + t_V) S)        in Z_p, p the prime that the curve is defined over
//! ```
//!
//! Xie, Yang, Wang, Weng, "Lightweight Authentication of Web Data via Garble-Then-Prove" (USENIX Security
//! 2024), section 3.2.1 (`E2F`). With `(x_1, y_1)` for `t_P S` and `(x_2, y_2)` for `t_V S`, the slope of the
//! line through these points and the sum's x-coordinate are
//!
//! ```text
//! lambda = (y_2 - y_1) / (x_2 - x_1)            x = f lambda^2 - A - x_1 - x_2
//! ```
//!
//! where `f = 1` and `A = 0` on P-256. The paper only has P-256. Montgomery form, in which TLS has
//! Curve25519, only takes two more public constants: `A = 486662`, and an `f` that depends on `S` and avoids
//! square roots (`curve::x25519` has it, and explains why the conversion is sound for points of which the
//! server sends one coordinate). The parties get there with five [products](volery_vole::ole), in brackets,
//! of a secret of P's and one of V's:
//!
//! ```text
//! d = (x_2 - x_1)(rho_1 + rho_2)            [rho_1 x_2]  [-x_1 rho_2]        random rho_i; opened, P's share first
//! eta_i = rho_i / d                         shares of 1 / (x_2 - x_1)
//! lambda_1 + lambda_2 = (y_2 - y_1)(eta_1 + eta_2)        [eta_1 y_2]  [-y_1 eta_2]
//! s_i = f (lambda_i^2 + 2 gamma_i) - x_i    gamma_1 + gamma_2 = [lambda_1 lambda_2]        P subtracts A, too
//! ```
//!
//! # Which curve
//!
//! The server chooses it, after everything was prepared. So both curves' products are prepared, V sends a
//! point of both, and the other curve's are thrown away. That costs 46 KB of the 9 MB that preparation takes.
//! [`Step::PremasterKey`](crate::wire::step::Step::PremasterKey) describes what the garbled circuit adds for
//! it.
//!
//! # Messages
//!
//! ```text
//!      V -> P   KeyShare         t_V G on P-256, t_V' G' on X25519          before the connection is opened
//!      P -> V   KeyServer        the group, S, corrections of rho_1 and -x_1
//!      V -> P   KeyFactors       corrections of x_2, rho_2 and y_2
//!      P -> V   KeyDenominator   P's share of d
//!      V -> P   KeyDenominator   V's share of d, correction of eta_2
//!      P -> V   KeySlope         corrections of eta_1, -y_1 and lambda_1
//!      V -> P   KeySlope         correction of lambda_2
//!      ...                       the session goes on; P has closed the connection
//!      V -> P   KeyOpening       t_V and s_V
//! ```
//!
//! Three round trips and less than 700 bytes once the server's point is known.
//!
//! # What each party detects
//!
//! At once: a message of the wrong length, an element above the prime, a point that is not in the group of
//! prime order (V checks `S`, too: a point of another curve, or of small order, would tell P something about
//! `t_V`), and `d = 0`.
//!
//! Later, anything else that V does: V's opening must be the discrete logarithm of its key share, and its
//! share `s_V` must be the difference between P's share and the pre-master secret that P now computes
//! ([`ProverShare::check`]). If V spoiled a message, the shares add up to something else. (The server has
//! noticed before: no key derived from that is the server's, so its handshake fails, and P has not sent
//! anything.)
//!
//! Later, anything else that P does: its products may have errors that depend on V's secrets, or its messages
//! may be wrong. Then the shares do not add up to the pre-master secret, and the keys derived from the sum do
//! not open the server's records of data. V decides in the end, by a proof that P's committed share, V's own
//! and the server's records belong together. P learns one bit, whether the session broke. `c` bits of V's
//! secrets that it guesses survive with probability `2^-c`, and the pre-master secret has 256 to spare
//! (paper, section 3.2.1).

mod curve;
mod products;
mod prover;
#[cfg(test)]
// A tap may change the length of a message, so it takes the vector even if it flips only one bit.
#[allow(clippy::ptr_arg)]
mod tests;
mod verifier;

pub use curve::{Group, PublicPoint};
pub(crate) use products::correlations;
pub use products::{ProverProducts, VerifierProducts};
pub use prover::{Prover, ProverShare};
pub use verifier::{Verifier, VerifierShare};

use rand_core::CryptoRng;
use volery_channel::Tag;
use volery_field::{Element, Field, pack_elements, unpack_elements};
use volery_vole::Prg;
use zeroize::Zeroizing;

use crate::Error;

/// The length of an element or a number on either curve, in bytes.
const ELEMENT: usize = 32;

/// The pre-master secret, which P knows in the end: the x-coordinate in TLS's 32 bytes, which are big-endian
/// for P-256 and little-endian for X25519.
pub(crate) type PremasterSecret = Zeroizing<[u8; 32]>;

/// A share of the pre-master secret: an integer below the curve's prime, 32 bytes, little-endian.
pub(crate) type Share = Zeroizing<[u8; 32]>;

/// Appends elements to a message, packed together.
fn put<F: Element>(message: &mut Vec<u8>, elements: &[F]) {
    pack_elements(elements, message);
}

/// The elements of a message of `step`, which are hostile.
fn get<F: Element, const N: usize>(step: Tag, bytes: &[u8]) -> Result<[F; N], Error> {
    let elements = unpack_elements(bytes, N).map_err(|error| Error::malformed(step, error.to_string()))?;
    elements.try_into().map_err(|_| Error::malformed(step, "the wrong number of elements"))
}

/// This party's share of `1 / (x_2 - x_1)`: `rho / d`.
fn share_of_inverse<F: Field>(rho: F, d: F, step: Tag) -> Result<F, Error> {
    let inverse =
        d.inverse().ok_or_else(|| Error::cheat(step, "the check that the two key shares differ"))?;
    Ok(rho * inverse)
}

/// The only element of a share of a single product.
fn only<F: Copy>(shares: &[F]) -> Result<F, Error> {
    match shares {
        [share] => Ok(*share),
        _ => Err(Error::Misuse(format!("{} shares of one product", shares.len()))),
    }
}

/// The bytes of an element.
fn encoded<F: Element>(element: F) -> Result<Share, Error> {
    let mut bytes = Zeroizing::new([0; ELEMENT]);
    element.encode(&mut *bytes).map_err(|error| Error::Misuse(error.to_string()))?;
    Ok(bytes)
}

/// A uniform element.
fn random<F: Element>(rng: &mut dyn CryptoRng) -> F {
    let mut seed = Zeroizing::new([0; 16]);
    rng.fill_bytes(&mut *seed);
    let mut element = [F::ZERO];
    Prg::new(*seed).elements(&mut element);
    element[0]
}
