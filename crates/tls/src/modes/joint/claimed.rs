//! The input of the proof, which is the connection's keys, and its output, which is authenticated bits.

use volery_circuit::{Error as CircuitError, Fold, Folded, Ops};
use volery_field::{F2, Gf128};
use volery_garble::two_party::{Proved, Wire};
use zeroize::Zeroizing;

use crate::page::disclosure::Root;

/// The keys' wires in the proof.
///
/// # Errors
/// [`CircuitError::Misuse`] if one was never evaluated.
pub(super) fn known_wires<W: Copy>(
    root: &Root<Wire>,
    proved: &Proved<W>,
) -> Result<Root<Folded<F2, W>>, CircuitError> {
    root.try_map(|wire| {
        proved.wire(*wire).copied().ok_or_else(|| CircuitError::misuse("a key that was never computed"))
    })
}

/// This party's shares of bits in the proof: `share` of each bit's wire.
pub(super) fn lowered<B: Ops<F2>>(
    fold: &mut Fold<'_, B>,
    wires: &[Folded<F2, B::Wire>],
    share: impl Fn(B::Wire) -> Gf128,
) -> Zeroizing<Vec<Gf128>> {
    Zeroizing::new(wires.iter().map(|wire| share(fold.lower(wire))).collect())
}
