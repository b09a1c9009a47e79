//! Additive shares of a number on wires, times factors of P's.
//!
//! ```text
//! z_P + z_V = c x         x = sum of x_i g^i of bits x_i on wires, which nobody knows; c: P's factor
//!
//! P, for wire i with labels L_0 and L_1 by colour, of which L_0 means p                             V, with label L of colour k
//!   r_i = H(i, L_0) - p c g^i          d_i = r_i + (1 - p) c g^i - H(i, L_1)        -- d_i -->      H(i, L) + k d_i = r_i + x_i c g^i
//!
//! z_P = - sum of r_i                                                                                z_V = sum of what V has
//! ```
//!
//! This is Gilboa's product, as in [`ole`](volery_vole::ole), with wires' labels in the place of correlated
//! OTs: V's label is `Z_i + x_i D`. So there is no factor that V could choose: its bits are those on the
//! wires, whatever it does. It costs one element for each wire and factor, and no answer of V's.
//!
//! *V* sees `d_i`, which `H` of the label that it lacks masks. *P* can send other `d_i`, which add errors to
//! `z_V` that depend on V's colours, hence on bits of `x`, and nothing here detects it: P can have `c x'` for
//! any `x'` that is an affine function of these bits, without a guess. A caller has to do without, or end the
//! session where it matters. Nothing of this is proved.

use volery_channel::{Channel, tags};
use volery_field::{Element, F2, Gf128, pack_elements, packed_bytes, unpack_elements};
use volery_vole::Oracle;
use volery_vole::ole::OleField;
use zeroize::Zeroizing;

use super::program::Wire;
use super::{Evaluator, Garbler};
use crate::{Error, Function};

/// A wire and the power of `g` that its bit stands for.
pub type Place = (usize, Wire);

/// The hashes of labels, which are numbered through the session.
pub(super) struct Pads {
    oracle: Oracle,
    next: u64,
}

impl Pads {
    pub(super) fn new(session: &volery_vole::SessionId) -> Self {
        Self { oracle: Oracle::new("garble: products", session), next: 0 }
    }

    /// Begins the next wire.
    fn advance(&mut self) {
        self.next += 1;
    }

    /// The pad of a label of this wire for a factor.
    fn pad<E: Element>(&self, label: Gf128, factor: usize) -> E {
        let factor = (factor as u64).to_le_bytes();
        let parts: [&[u8]; 3] = [E::NAME.as_bytes(), &factor, &label.to_bytes()];
        // No element has more than two blocks; the third makes it uniform.
        let bytes: Zeroizing<[u8; 48]> = Zeroizing::new(self.oracle.hash(self.next, &parts));
        let mut blocks = Zeroizing::new([0; 3]);
        let words = blocks.iter_mut().zip(bytes.as_chunks().0);
        words.for_each(|(block, bytes)| *block = u128::from_le_bytes(*bytes));
        E::from_blocks(&*blocks)
    }
}

/// Zero or one of the field.
fn element<E: Element>(bit: F2) -> E {
    E::from_blocks(&[u128::from(bit.to_u8()), 0, 0])
}

/// `c g^i` for each factor `c`.
fn shifted<E: OleField>(factors: &[E], place: usize) -> Zeroizing<Vec<E>> {
    let mut shifted = Zeroizing::new(factors.to_vec());
    for _ in 0..place {
        shifted.iter_mut().for_each(|factor| *factor = factor.times_g());
    }
    shifted
}

impl<F: Function> Garbler<F> {
    /// P's shares of each factor times the number on these wires. It does not wait, and sends an element for
    /// each wire and factor.
    ///
    /// # Errors
    /// [`Error::Misuse`] if inputs that the wires depend on have not come; any error of sending.
    pub fn products<E: OleField>(
        &mut self,
        channel: &mut dyn Channel,
        places: &[Place],
        factors: &[E],
    ) -> Result<Zeroizing<Vec<E>>, Error> {
        self.guarded(channel, |p, channel| {
            p.program.announce_products::<E>(places, factors.len())?;
            let offset = p.offset.expose();
            let mut shares = Zeroizing::new(vec![E::ZERO; factors.len()]);
            let mut elements = Vec::with_capacity(places.len() * factors.len());
            for (place, wire) in places {
                let zero = p.zero(*wire);
                // By colour, and the values that these labels mean.
                let labels = [F2::ZERO, F2::ONE].map(|colour| zero + offset * (zero.lsb() + colour));
                let values = [zero.lsb(), zero.lsb() + F2::ONE].map(element::<E>);
                for (j, factor) in shifted(factors, *place).iter().enumerate() {
                    let [first, second] = labels.map(|label| p.pads.pad::<E>(label, j));
                    let random = first - values[0] * *factor;
                    elements.push(random + values[1] * *factor - second);
                    if let Some(share) = shares.get_mut(j) {
                        *share -= random;
                    }
                }
                p.pads.advance();
            }
            let mut message = Vec::new();
            pack_elements(&elements, &mut message);
            channel.send(tags::GARBLED_PRODUCTS, &message)?;
            Ok(shares)
        })
    }
}

impl<F: Function> Evaluator<F> {
    /// V's shares of the number on these wires times each of this many factors of P's.
    ///
    /// # Errors
    /// [`Error::Misuse`] if inputs that the wires depend on have not come; [`Error::Malformed`] unless P's
    /// message is that many canonical elements; the channel's errors.
    pub fn products<E: OleField>(
        &mut self,
        channel: &mut dyn Channel,
        places: &[Place],
        factors: usize,
    ) -> Result<Zeroizing<Vec<E>>, Error> {
        self.guarded(channel, |v, channel| {
            v.program.announce_products::<E>(places, factors)?;
            let count = places.len() * factors;
            let mut message = vec![0; packed_bytes::<E>(count)];
            channel.recv_exact(tags::GARBLED_PRODUCTS, &mut message)?;
            let elements: Vec<E> = unpack_elements(&message, count)
                .map_err(|error| Error::malformed(tags::GARBLED_PRODUCTS, error.to_string()))?;
            let mut shares = Zeroizing::new(vec![E::ZERO; factors]);
            let wires: Vec<_> = places.iter().map(|(_, wire)| *wire).collect();
            let labels = v.labels_of(&wires);
            for (label, elements) in labels.iter().zip(elements.chunks(factors.max(1))) {
                let colour = element::<E>(label.lsb());
                for (j, (share, correction)) in shares.iter_mut().zip(elements).enumerate() {
                    *share += v.pads.pad::<E>(*label, j) + colour * *correction;
                }
                v.pads.advance();
            }
            Ok(shares)
        })
    }
}

#[cfg(test)]
mod tests {
    use volery_field::F130;
    use volery_vole::SessionId;

    use super::*;

    #[test]
    fn pads_of_no_two_factors_are_the_same() {
        let pads = Pads::new(&SessionId::new([1; 32]));
        assert!(pads.pad::<F130>(Gf128::ONE, 0) != pads.pad::<F130>(Gf128::ONE, 256));
    }
}
