//! A record's tag in ChaCha20-Poly1305, with the circuits prepared ahead: the messages of
//! [`poly1305`](crate::wire::poly1305), in order. [`connection`] has all tags of a connection.
//!
//! ```text
//! P                                                                                V
//! a record of the client's, ahead: x's corrections                 ------->
//!
//! a record of the server's, when it has come: x's corrections      ------->
//! products of r's wires with 1 and 1/x; factor of r                ------->
//!                                                                 <-------   corrections of powers, share of the sum
//! share of the sum                                                 ------->
//!   (a record of the client's: its masked plaintext)
//!   (a record of the client's)                                    <-------   V's share of the key stream, with labels' hash
//!                                                                 <-------   corrections of V's inputs for the circuit
//! labels of both inputs                                            ------->
//!                                                                 <-------   the check's answer, with labels' hash
//! client's record: the tag                                        <-------   V's share of the tag, with labels' hash
//! server's record: as for AES-GCM, see `read`                      <------>
//! ```
//!
//! **No share of a tag is used before the check has passed**, at either party: only
//! [`RecordTag::finish_prover`] and [`RecordTag::finish_verifier`] make a [`TagShare`], and they end the
//! session if the check's answer, which V returns with its labels' hash, is no. A party that returns from
//! them has the answer of the circuit that P garbled; that this was the right circuit is part of the proof in
//! the end.

pub(super) mod connection;

use rand_core::CryptoRng;
use volery_channel::Channel;
use volery_channel::tags::GARBLED_RETURN;
use volery_circuit::gadgets::bits_to_bytes;
use volery_field::{F2, F130};
use volery_garble::two_party::{Evaluator, Garbler, Owner, Wire};
use volery_vole::ole;
use zeroize::Zeroizing;

use super::Error;
use super::machine::{Machine, Party, PrivateInputs, Queue, SharedWires};
use crate::wire::ghash::Block;
use crate::wire::poly1305::{
    ProverAhead, ProverConverted, ProverSummed, Shares, Sign, TagInputs, VerifierAhead, VerifierConverted,
    VerifierOffered, places,
};
use crate::wire::step::Step;

/// Prepares what each machine computes for a tag, from the wires of the record's one-time key.
pub(super) fn prepared<M: PrivateInputs>(machine: &mut M, key: &[M::Wire]) -> Result<(), M::Error> {
    finished(machine, key, [None; 2]).map(drop)
}

/// The check's answer, and this party's share of the tag.
type Finished = (Vec<F2>, Zeroizing<Vec<F2>>);

/// The circuits, given the inputs of the one party that this is: P's, V's.
fn finished<M: PrivateInputs>(
    machine: &mut M,
    key: &[M::Wire],
    [prover, verifier]: [Option<&TagInputs>; 2],
) -> Result<Finished, M::Error> {
    // V asks for its labels first, so that P answers with everything.
    let verifier = machine.private(Owner::Verifier, TagInputs::BITS, verifier.map(TagInputs::bits))?;
    let prover = machine.private(Owner::Prover, TagInputs::BITS, prover.map(TagInputs::bits))?;
    let [right, tag] = TagInputs::finish(machine, key, [&prover, &verifier])?;
    let share = Zeroizing::new(machine.share(&tag)?);
    Ok((machine.open(&right)?, share))
}

/// The error for powers that are not those of `r`.
fn checked(answer: &[F2]) -> Result<(), Error> {
    match answer {
        [answer] if answer.to_bool() => Ok(()),
        _ => Err(Error::cheat(GARBLED_RETURN, "the check of the powers of Poly1305's key")),
    }
}

/// A share of a tag, and where it was shared.
pub(super) struct TagShare {
    pub(super) share: Zeroizing<Block>,
    pub(super) shared: SharedWires,
}

impl TagShare {
    fn new<P: Party>(machine: &Machine<P>, share: &[F2]) -> Result<Self, Error> {
        let shared = machine.shared().last().cloned();
        let shared = shared.ok_or_else(|| Error::misuse("a tag that was not shared"))?;
        Ok(Self { share: Zeroizing::new(block(share)?), shared })
    }
}

fn block(bits: &[F2]) -> Result<Block, Error> {
    let bytes = bits_to_bytes(bits).map(Zeroizing::new);
    let block = bytes.and_then(|bytes| bytes.as_slice().try_into().ok());
    block.ok_or_else(|| Error::misuse("a tag that is not 16 bytes"))
}

/// A party's part in a record's tag.
pub(super) struct RecordTag<A> {
    /// The list in which its circuits are prepared.
    queue: Queue,
    /// The wires of the record's one-time key.
    key: Vec<Wire>,
    part: A,
}

impl<A> RecordTag<A> {
    /// The next tag of this list, given the wires of the record's one-time key and what came before.
    pub(super) fn new(queue: Queue, key: &[Wire], part: A) -> Self {
        Self { queue, key: key.to_vec(), part }
    }

    /// The same tag with its next part.
    fn map<B>(self, next: impl FnOnce(A) -> Result<B, Error>) -> Result<RecordTag<B>, Error> {
        let Self { queue, key, part } = self;
        Ok(RecordTag { queue, key, part: next(part)? })
    }
}

impl RecordTag<ProverAhead> {
    /// P's first part: shares `r`, and gives V its factor. It does not wait.
    pub(super) fn share(
        self,
        channel: &mut dyn Channel,
        machine: &mut Machine<Garbler<Step>>,
    ) -> Result<RecordTag<ProverConverted>, Error> {
        let shares = machine.party.products(channel, &places(&self.key), &*self.part.factors())?;
        self.map(|ahead| Ok(ahead.factor(channel, &shares)?))
    }
}

impl RecordTag<ProverConverted> {
    /// P's shares of all products. This waits for V's corrections.
    pub(super) fn products(self, channel: &mut dyn Channel) -> Result<RecordTag<ProverSummed>, Error> {
        self.map(|part| Ok(part.products(channel)?))
    }
}

impl RecordTag<ProverSummed> {
    /// P's shares of the powers of `r`. It does not wait.
    pub(super) fn powers(self, channel: &mut dyn Channel) -> Result<RecordTag<Shares>, Error> {
        self.map(|part| Ok(part.shares(channel)?))
    }
}

impl RecordTag<VerifierAhead> {
    /// V's first part: shares `r`, and receives its factor. This waits for P's messages.
    pub(super) fn share(
        self,
        channel: &mut dyn Channel,
        machine: &mut Machine<Evaluator<Step>>,
    ) -> Result<RecordTag<VerifierConverted>, Error> {
        let shares: Zeroizing<Vec<F130>> = machine.party.products(channel, &places(&self.key), 2)?;
        self.map(|ahead| Ok(ahead.factor(channel, &shares)?))
    }
}

impl RecordTag<VerifierConverted> {
    /// Sends V's corrections, for which P waits, with the next flush.
    pub(super) fn offer(
        self,
        channel: &mut dyn Channel,
        products: &mut ole::Receiver<F130>,
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<RecordTag<VerifierOffered>, Error> {
        self.map(|part| Ok(part.offer(channel, products, rng)?))
    }
}

impl RecordTag<VerifierOffered> {
    /// V's shares of the powers of `r`. This waits for P's share of the sum.
    pub(super) fn powers(self, channel: &mut dyn Channel) -> Result<RecordTag<Shares>, Error> {
        self.map(|part| Ok(part.shares(channel)?))
    }
}

impl RecordTag<Shares> {
    /// The last part: this party's share of the tag of a record with these coefficients, if the other one has
    /// kept to the protocol. P waits for V's request for its labels, and for the check's answer.
    ///
    /// # Errors
    /// A cheat if the powers are not those of `r`; the machine's and the channel's.
    fn finish<P: Party>(
        self,
        channel: &mut dyn Channel,
        machine: &mut Machine<P>,
        inputs: impl FnOnce(&TagInputs) -> [Option<&TagInputs>; 2],
        (coefficients, sign): (&[F130], Sign),
    ) -> Result<TagShare, Error> {
        let own = self.part.inputs(coefficients, sign)?;
        let performance = &mut machine.perform_in(self.queue, channel);
        let (answer, share) = finished(performance, &self.key, inputs(&own))?;
        checked(&answer)?;
        TagShare::new(machine, &share)
    }

    /// See [`RecordTag::finish`], at P.
    pub(super) fn finish_prover(
        self,
        channel: &mut dyn Channel,
        machine: &mut Machine<Garbler<Step>>,
        coefficients: &[F130],
    ) -> Result<TagShare, Error> {
        self.finish(channel, machine, |own| [Some(own), None], (coefficients, Sign::Plus))
    }

    /// See [`RecordTag::finish`], at V.
    pub(super) fn finish_verifier(
        self,
        channel: &mut dyn Channel,
        machine: &mut Machine<Evaluator<Step>>,
        coefficients: &[F130],
    ) -> Result<TagShare, Error> {
        self.finish(channel, machine, |own| [None, Some(own)], (coefficients, Sign::Minus))
    }
}

impl TagShare {
    /// P's end for a record of the client's: the tag, with V's share, which V proves to have.
    pub(super) fn receive(
        self,
        channel: &mut dyn Channel,
        machine: &mut Machine<Garbler<Step>>,
    ) -> Result<Block, Error> {
        let SharedWires { wires, masks } = &self.shared;
        let other = Zeroizing::new(machine.party.confirm(channel, wires, masks)?);
        let other = Zeroizing::new(block(&other)?);
        Ok((u128::from_ne_bytes(*self.share) ^ u128::from_ne_bytes(*other)).to_ne_bytes())
    }

    /// V's end for a record of the client's: P gets the tag.
    pub(super) fn send(
        self,
        channel: &mut dyn Channel,
        machine: &mut Machine<Evaluator<Step>>,
    ) -> Result<(), Error> {
        let SharedWires { wires, masks } = &self.shared;
        machine.party.confirm(channel, wires, masks)?;
        Ok(channel.flush()?)
    }
}

#[cfg(test)]
// A tap may change the length of a message, so it takes the vector even if it flips only one bit.
#[allow(clippy::ptr_arg)]
mod tests;
