//! The keys of a connection inside the proof.

use volery_circuit::{Error as CircuitError, Folded};
use volery_field::F2;
use volery_garble::two_party::{Proved, Wire};

use crate::disclosure::Keys;

/// The keys' wires in the proof.
///
/// # Errors
/// [`CircuitError::Misuse`] if one was never evaluated.
pub(super) fn known_wires<W: Copy>(
    keys: &Keys<Wire>,
    proved: &Proved<W>,
) -> Result<Keys<Folded<F2, W>>, CircuitError> {
    keys.try_map(|wire| {
        proved.wire(*wire).copied().ok_or_else(|| CircuitError::misuse("a key that was never computed"))
    })
}
