//! ECDHE on P-256 with the client's key in two shares, up to additive shares of the pre-master secret.
//!
//! ```text
//! t_P + t_V            the client's key; P holds t_P, V holds t_V
//! T = (t_P + t_V) G    its public part, which P sends to the server
//! S                    the server's point
//! (t_P + t_V) S        the pre-master secret is the x-coordinate of this point, and nobody knows it
//!
//! s_P + s_V = x((t_P + t_V) S)        in Z_p
//! ```
//!
//! Xie, Yang, Wang, Weng, "Lightweight Authentication of Web Data via Garble-Then-Prove" (USENIX Security 2024), section 3.2.1
//! (`E2F`). With `(x_1, y_1) = t_P S` and `(x_2, y_2) = t_V S`, the slope of the line through these points and the sum's
//! x-coordinate are
//!
//! ```text
//! lambda = (y_2 - y_1) / (x_2 - x_1)            x = lambda^2 - x_1 - x_2
//! ```
//!
//! and five [products](volery_vole::ole) of a secret of P and one of V (in brackets) take the parties there:
//!
//! ```text
//! d = (x_2 - x_1)(rho_1 + rho_2)            [rho_1 x_2]  [-x_1 rho_2]        random rho_i; opened, P's share first
//! eta_i = rho_i / d                         shares of 1 / (x_2 - x_1)
//! lambda_1 + lambda_2 = (y_2 - y_1)(eta_1 + eta_2)        [eta_1 y_2]  [-y_1 eta_2]
//! s_i = lambda_i^2 + 2 gamma_i - x_i        gamma_1 + gamma_2 = [lambda_1 lambda_2]
//! ```
//!
//! # Messages
//!
//! ```text
//!      V -> P   KeyShare         t_V G                                      before the connection is opened
//!      P -> V   KeyServer        S, corrections of rho_1 and -x_1
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
//! # Who finds out what
//!
//! At once: a message of another length, an element above the prime, a point that is not on the curve (V looks at `S`, too:
//! a point of another curve would tell P about `t_V`), and `d = 0`.
//!
//! Later, whatever else V does: V's opening must be the discrete logarithm of its key share, and its share `s_V` must be what
//! is missing from P's to the pre-master secret that P now computes ([`ProverShare::check`]). A V that spoiled a message
//! made the shares add up to something else. (The server has noticed before: no key derived from it is the server's, so its
//! handshake fails, and P has not sent anything.)
//!
//! Later, whatever else P does: its products may have errors that depend on V's secrets, or its messages may be wrong. Then
//! the shares add up to something other than the pre-master secret, and what is derived from it does not open the server's
//! records. V decides in the end on a proof that P's committed share, V's own and the server's records belong together. P
//! learns one bit, whether the session broke; `c` bits of V's secrets that it guesses survive with probability `2^-c`, and the
//! pre-master secret has 256 to spare (paper, section 3.2.1).

mod point;
mod prover;
#[cfg(test)]
// A tap may change the length of a message, so it takes the vector even where it flips one bit.
#[allow(clippy::ptr_arg)]
mod tests;
mod verifier;

pub use point::{POINT_BYTES, ServerPoint};
pub use prover::{Prover, ProverShare};
pub use verifier::{Verifier, VerifierShare};

use rand_core::CryptoRng;
use volery_channel::Tag;
use volery_field::{Field, P256Base, Ring, pack_elements, unpack_elements};
use volery_vole::Prg;
use zeroize::Zeroizing;

use crate::Error;

/// Products over [`P256Base`] that one key exchange takes; both parties must have prepared them.
pub const PRODUCTS: usize = 5;

/// Bytes of an element.
const ELEMENT: usize = 32;

/// The pre-master secret, which P knows in the end: the x-coordinate, 32 bytes, big-endian as TLS has it.
pub type PremasterSecret = Zeroizing<[u8; 32]>;

/// Appends elements to a message.
fn put(message: &mut Vec<u8>, elements: &[P256Base]) {
    pack_elements(elements, message);
}

/// The elements of a message of `step`, which are hostile.
fn get<const N: usize>(step: Tag, bytes: &[u8]) -> Result<[P256Base; N], Error> {
    let elements = unpack_elements(bytes, N).map_err(|error| Error::malformed(step, error.to_string()))?;
    elements.try_into().map_err(|_| Error::malformed(step, "the wrong number of elements"))
}

/// This party's share of `1 / (x_2 - x_1)`: `rho / d`.
fn share_of_inverse(rho: P256Base, d: P256Base, step: Tag) -> Result<P256Base, Error> {
    let inverse =
        d.inverse().ok_or_else(|| Error::cheat(step, "the check that the two key shares differ"))?;
    Ok(rho * inverse)
}

/// This party's share of the x-coordinate, `lambda^2 + 2 gamma - x`.
fn share_of_sum(lambda: P256Base, gamma: P256Base, x: P256Base) -> P256Base {
    lambda * lambda + gamma + gamma - x
}

/// The one element of a share of a single product.
fn only(shares: &[P256Base]) -> Result<P256Base, Error> {
    match shares {
        [share] => Ok(*share),
        _ => Err(Error::Misuse(format!("{} shares of one product", shares.len()))),
    }
}

/// The element with this encoding as TLS has it: 32 bytes, big-endian.
fn from_big_endian(bytes: &[u8]) -> Result<P256Base, volery_field::EncodingError> {
    let mut little = Zeroizing::new(bytes.to_vec());
    little.reverse();
    P256Base::decode(&little)
}

/// A uniform element.
fn random<R: CryptoRng + ?Sized>(rng: &mut R) -> P256Base {
    let mut seed = Zeroizing::new([0; 16]);
    rng.fill_bytes(&mut *seed);
    let mut element = [P256Base::ZERO];
    Prg::new(*seed).elements(&mut element);
    element[0]
}
