//! The programs of [`poly1305`](crate::wire::poly1305), whose inputs are cut into the gadgets'.

use volery_circuit::gadgets::{equal, poly1305_tag};
use volery_circuit::{Error, Ops};
use volery_field::F2;

use super::POLY1305_SHARE_BITS;

/// See [`Step::Poly1305Check`](super::Step::Poly1305Check).
pub(super) fn check<B: Ops<F2> + ?Sized>(b: &mut B, inputs: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
    let (prover, verifier) = inputs.split_at(inputs.len() / 2);
    Ok(vec![equal(b, prover, verifier)?])
}

/// See [`Step::Poly1305Tag`](super::Step::Poly1305Tag).
pub(super) fn tag<B: Ops<F2> + ?Sized>(b: &mut B, inputs: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
    let (shares, s) = inputs.split_at(2 * POLY1305_SHARE_BITS);
    poly1305_tag(b, shares_of(shares)?, s)
}

/// Cuts wires into shares.
fn shares_of<W, const N: usize>(wires: &[W]) -> Result<[&[W]; N], Error> {
    let mut shares = wires.chunks_exact(POLY1305_SHARE_BITS);
    let cut = core::array::from_fn(|_| shares.next().unwrap_or_default());
    if cut.iter().all(|share: &&[W]| !share.is_empty()) {
        return Ok(cut);
    }
    Err(Error::misuse("a step with another number of inputs"))
}
