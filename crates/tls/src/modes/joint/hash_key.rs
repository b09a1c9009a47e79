//! AES-GCM's hash keys in a connection, from the products ahead of it to both parties' shares of powers.
//!
//! ```text
//! P                                                                                V
//! ahead, with the other products: corrections of x's powers        ------->        corrections of y's powers, at the end
//!                                                                 <-------
//! when the secrets are there, after V's last public value of theirs
//!                                                                 <-------        corrections of V's inputs for the circuit
//! labels of both inputs                                            ------->
//! with the first record, after its masked plaintext
//!                                                                 <-------        the checks' answers, the blinded keys, with labels' hash
//!                                                                 <-------        the record's share of key stream and of its tag
//! ```
//!
//! [`ghash`](crate::wire::ghash) has the protocol and what the check proves. There is a blinding for the
//! client's hash key, and one for the server's if its records are read while the connection is open; all of
//! them take these steps together. The first record's message comes before P has the check's answer, because
//! it is masked. *No share of a tag is used before the checks have passed*, at either party: only
//! [`HashKeys::powers`] makes [`Powers`], and it ends the session if an answer is no.

use rand_core::CryptoRng;
use volery_channel::Channel;
use volery_channel::tags::GARBLED_RETURN;
use volery_field::{F2, Gf128};
use volery_garble::two_party::Owner;
use volery_vole::correlations::Pool;
use volery_vole::{Delta, SessionId, ole};
use zeroize::Zeroizing;

use super::machine::PrivateInputs;
use super::{Error, Sizes};
use crate::wire::ghash::{Blinding, Powers, ProverBlinding, VerifierBlinding};
use crate::wire::step::{BLOCK_BITS, Step, TwoParty};
use crate::wire::suite::{Aead, KeySize};

/// P's blindings until it has V's corrections.
pub(super) struct ProverHashKeys(Vec<ProverBlinding>);

impl ProverHashKeys {
    /// Prepares the products ahead of the connection: none in a suite without hash keys.
    pub(super) fn prepare(
        channel: &mut dyn Channel,
        session: &SessionId,
        (offset, labels): (Delta, &mut Pool),
        sizes: &Sizes,
        rng: &mut impl CryptoRng,
    ) -> Result<Self, Error> {
        let mut products = ole::Sender::<Gf128>::new(session, offset);
        products.prepare(channel, labels, sizes.hash_products(), rng)?;
        let mut blindings = Vec::new();
        for greatest in sizes.hash_powers() {
            blindings.push(ProverBlinding::new(channel, &mut products, greatest, rng)?);
        }
        Ok(Self(blindings))
    }

    /// Receives V's corrections.
    pub(super) fn finish(self, channel: &mut dyn Channel) -> Result<HashKeys, Error> {
        let blindings: Result<_, crate::Error> =
            self.0.into_iter().map(|blinding| blinding.finish(channel)).collect();
        Ok(HashKeys(blindings?))
    }
}

/// V's products, which P has not answered yet.
pub(super) struct RequestedHashKeys {
    products: ole::Receiver<Gf128>,
    requested: ole::Requested<Gf128>,
}

/// V's blindings until P gets V's corrections.
pub(super) struct VerifierHashKeys {
    products: ole::Receiver<Gf128>,
    received: Vec<VerifierBlinding>,
}

impl RequestedHashKeys {
    /// Asks P for the products.
    pub(super) fn request(
        channel: &mut dyn Channel,
        session: &SessionId,
        labels: &mut Pool,
        sizes: &Sizes,
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<Self, Error> {
        let mut products = ole::Receiver::new(session);
        let requested = products.request(channel, labels, sizes.hash_products(), rng)?;
        Ok(Self { products, requested })
    }

    /// Receives P's answer and its corrections.
    pub(super) fn receive(self, channel: &mut dyn Channel, sizes: &Sizes) -> Result<VerifierHashKeys, Error> {
        let Self { mut products, requested } = self;
        products.receive(channel, requested)?;
        let mut received = Vec::new();
        for greatest in sizes.hash_powers() {
            received.push(VerifierBlinding::new(channel, greatest)?);
        }
        Ok(VerifierHashKeys { products, received })
    }
}

impl VerifierHashKeys {
    /// Sends V's corrections, with the next flush.
    pub(super) fn finish(
        self,
        channel: &mut dyn Channel,
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<HashKeys, Error> {
        let Self { mut products, received } = self;
        let mut blindings = Vec::new();
        for blinding in received {
            blindings.push(blinding.finish(channel, &mut products, rng)?);
        }
        Ok(HashKeys(blindings))
    }
}

/// A party's part of all blindings: the client's hash key's, then the server's. There may be none.
pub(super) struct HashKeys(Vec<Blinding>);

/// The wires of what both parties give to the circuit.
#[derive(Clone)]
pub(super) struct BlindingWires<W> {
    /// Of the keys of the suite's cipher; it does not matter if there are no hash keys.
    size: KeySize,
    prover: Vec<W>,
    verifier: Vec<W>,
}

/// The number of bits that each party gives.
pub(super) fn input_bits(sizes: &Sizes) -> usize {
    Blinding::BITS * sizes.hash_powers().len()
}

/// The parties' inputs, given those of the one that this is: P's, V's.
pub(super) fn inputs<M: PrivateInputs>(
    machine: &mut M,
    sizes: &Sizes,
    [prover, verifier]: [Option<&HashKeys>; 2],
) -> Result<BlindingWires<M::Wire>, M::Error> {
    inputs_of_bits(machine, sizes, [prover, verifier].map(|own| own.map(HashKeys::bits)))
}

fn inputs_of_bits<M: PrivateInputs>(
    machine: &mut M,
    sizes: &Sizes,
    [prover, verifier]: [Option<Zeroizing<Vec<F2>>>; 2],
) -> Result<BlindingWires<M::Wire>, M::Error> {
    let Aead::Gcm(size) = sizes.suite.aead() else {
        return Ok(BlindingWires { size: KeySize::Bits256, prover: Vec::new(), verifier: Vec::new() });
    };
    let n = input_bits(sizes);
    // V asks for its labels first, so that P answers with everything.
    let verifier = machine.private(Owner::Verifier, n, verifier.as_ref().map(|bits| bits.as_slice()))?;
    let prover = machine.private(Owner::Prover, n, prover.as_ref().map(|bits| bits.as_slice()))?;
    Ok(BlindingWires { size, prover, verifier })
}

/// The checks' answers and the blinded keys, which both parties learn, from the wires of the hash keys: the
/// client's, and the server's if there is a blinding for it.
pub(super) fn blinded<M: TwoParty>(
    machine: &mut M,
    inputs: &BlindingWires<M::Wire>,
    keys: [Option<&[M::Wire]>; 2],
) -> Result<Vec<F2>, M::Error> {
    let BlindingWires { size, prover, verifier } = inputs;
    let own = prover.chunks(Blinding::BITS).zip(verifier.chunks(Blinding::BITS));
    let mut wires = Vec::new();
    for ((prover, verifier), key) in own.zip(keys.into_iter().flatten()) {
        wires.extend(machine.call(&Step::BlindedKey(*size), &[key, prover, verifier].concat())?);
    }
    if wires.is_empty() { Ok(Vec::new()) } else { machine.open(&wires) }
}

impl HashKeys {
    fn bits(&self) -> Zeroizing<Vec<F2>> {
        // As much room as it takes, so that no copy is left behind.
        let mut bits = Zeroizing::new(Vec::with_capacity(Blinding::BITS * self.0.len()));
        self.0.iter().for_each(|blinding| bits.extend_from_slice(&blinding.inputs()));
        bits
    }

    /// The shares of the powers of both directions' hash keys, as far as there are any, if both parties have
    /// kept to the protocol, given what [`blinded`] gave.
    ///
    /// # Errors
    /// A cheat if the powers of a blinding are not right.
    pub(super) fn powers(&self, sizes: &Sizes, opened: &[F2]) -> Result<[Option<Powers>; 2], Error> {
        let mut powers = [None, None];
        let (greatest, mut parts) = (sizes.hash_powers(), opened.chunks(1 + BLOCK_BITS));
        for ((powers, blinding), greatest) in powers.iter_mut().zip(&self.0).zip(greatest) {
            *powers = match parts.next().and_then(<[F2]>::split_first) {
                Some((right, key)) if right.to_bool() => Some(blinding.powers(key, greatest)?),
                _ => return Err(Error::cheat(GARBLED_RETURN, "the check of what hides a hash key")),
            };
        }
        Ok(powers)
    }
}

#[cfg(test)]
// A tap may change the length of a message, so it takes the vector even if it flips only one bit.
#[allow(clippy::ptr_arg)]
mod tests;
