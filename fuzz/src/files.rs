//! What circom and its tools write.

/// A constraint system; one that comes of it is counted, written and read again.
pub fn r1cs(bytes: &[u8]) {
    volery_circuit::fuzz::r1cs(bytes);
}

/// The values of all wires.
pub fn wtns(bytes: &[u8]) {
    volery_circuit::fuzz::wtns(bytes);
}

/// Public values.
pub fn public_json(bytes: &[u8]) {
    volery_circuit::fuzz::public_json(bytes);
}
