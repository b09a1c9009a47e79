//! Functions on ring elements that several modules share.

use volery_field::Ring;

use crate::{Error, Prove, Witness};

/// Secret wires are requested in pieces of this many, so that a backend never holds all hints at once.
const PIECE: usize = 1 << 16;

/// The canonical encodings, one after the other.
pub(crate) fn encode<R: Ring>(elements: &[R]) -> Vec<u8> {
    let mut bytes = vec![0; elements.len() * R::BYTES];
    for (element, out) in elements.iter().zip(bytes.chunks_exact_mut(R::BYTES)) {
        // Encoding fails only for a wrong length, and the slice has the right one.
        let encoded = element.encode(out);
        debug_assert!(encoded.is_ok());
    }
    bytes
}

/// Appends `width` secret wires with the witness's values from `first` on.
pub(crate) fn bring_in<R: Ring, B: Prove<R>>(
    backend: &mut B,
    width: usize,
    first: usize,
    witness: Option<&Witness<R>>,
    wires: &mut Vec<B::Wire>,
) -> Result<(), B::Error> {
    for start in (0..width).step_by(PIECE) {
        let length = PIECE.min(width - start);
        let first = first + start;
        wires.extend(backend.secret(length, &mut |_| {
            let witness = witness.ok_or_else(|| Error::Witness("none was given".into()))?;
            let values = witness.values().get(first..first + length);
            values.map(<[R]>::to_vec).ok_or_else(|| Error::Witness("it has too few values".into()))
        })?);
    }
    Ok(())
}
