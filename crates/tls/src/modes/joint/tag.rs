//! A record's tag in ChaCha20-Poly1305, with the circuits prepared ahead: the messages of
//! [`poly1305`](crate::wire::poly1305), in order. [`connection`] has all tags of a connection.
//!
//! ```text
//! P                                                                                V
//! a record of the client's, ahead: x's corrections                 ------->
//!
//! a record of the server's, when it has come: x's corrections      ------->
//! labels of a; the mask of V's share b                             ------->
//!                                                                 <-------   correction of b
//! factor of r                                                      ------->
//!   (a record of the client's: its masked plaintext)
//!                                                                 <-------   corrections of powers
//!   (a record of the client's)                                    <-------   V's share of the key stream, with labels' hash
//!                                                                 <-------   corrections of V's inputs for the circuits
//! labels of both inputs                                            ------->
//!                                                                 <-------   the check's answer, with labels' hash
//! client's record: the tag                                        <-------   V's share of the tag, with labels' hash
//! server's record: as for AES-GCM, see `read`                      <------>
//! ```
//!
//! V's share `b` is a share of wires like others, which a mask of P's hides until P sends that mask. That
//! message is not proved. A wrong mask flips bits of `b`, and the check holds only if P knows which way: it
//! is a guess at these bits, like those that P can put into products (`wire::poly1305` says what they gain).
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
use volery_vole::{Prg, ole};
use zeroize::Zeroizing;

use super::Error;
use super::machine::{Machine, Party, PrivateInputs, Queue, SharedWires};
use crate::wire::ghash::Block;
use crate::wire::poly1305::{
    ProverAhead, ProverConverted, ProverFactored, Shares, TagInputs, VerifierAhead, VerifierOffered,
    element_bits, receive_mask, send_mask,
};
use crate::wire::step::{BLOCK_BITS, POLY1305_SHARE_BITS, Step};

/// Prepares the first half of what each machine computes for a tag, from the wires of the record's one-time
/// key.
pub(super) fn prepared_share<M: PrivateInputs>(machine: &mut M, key: &[M::Wire]) -> Result<(), M::Error> {
    share_of_r(machine, key, None).map(drop)
}

/// Prepares the second half.
pub(super) fn prepared_end<M: PrivateInputs>(machine: &mut M, key: &[M::Wire]) -> Result<(), M::Error> {
    finished(machine, key, [None; 2]).map(drop)
}

/// The first half: this party's share of V's share of `r`, given P's (if this is P).
fn share_of_r<M: PrivateInputs>(
    machine: &mut M,
    key: &[M::Wire],
    own: Option<&[F2]>,
) -> Result<Zeroizing<Vec<F2>>, M::Error> {
    let mut inputs = key.get(..BLOCK_BITS).unwrap_or_default().to_vec();
    inputs.extend(machine.private(Owner::Prover, POLY1305_SHARE_BITS, own)?);
    let share = machine.call(&Step::Poly1305Share, &inputs)?;
    Ok(Zeroizing::new(machine.share(&share)?))
}

/// The check's answer, and this party's share of the tag.
type Finished = (Vec<F2>, Zeroizing<Vec<F2>>);

/// The second half, given the inputs of the one party that this is: P's, V's.
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

/// P's part with its share `a` of `r`.
pub(super) struct ProverShared {
    ahead: ProverAhead,
    a: Zeroizing<F130>,
}

impl RecordTag<ProverAhead> {
    /// P's first part: shares `r`. It does not wait.
    pub(super) fn share(
        self,
        channel: &mut dyn Channel,
        machine: &mut Machine<Garbler<Step>>,
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<RecordTag<ProverShared>, Error> {
        let a = random_share(rng);
        let bits = Zeroizing::new(element_bits(*a).collect::<Vec<F2>>());
        let mask = share_of_r(&mut machine.perform_in(self.queue, channel), &self.key, Some(&bits))?;
        send_mask(channel, &mask)?;
        self.map(|ahead| Ok(ProverShared { ahead, a }))
    }
}

impl RecordTag<ProverShared> {
    /// Makes V's factor of `r`. This waits for V's correction.
    pub(super) fn factor(self, channel: &mut dyn Channel) -> Result<RecordTag<ProverFactored>, Error> {
        self.map(|ProverShared { ahead, a }| Ok(ahead.factor(channel, *a)?))
    }
}

impl RecordTag<ProverFactored> {
    /// Gives V its factor of `r`. It does not wait.
    pub(super) fn send(self, channel: &mut dyn Channel) -> Result<RecordTag<ProverConverted>, Error> {
        self.map(|part| Ok(part.send(channel)?))
    }
}

impl RecordTag<ProverConverted> {
    /// P's shares of the powers of `r`. This waits for V's corrections.
    pub(super) fn powers(self, channel: &mut dyn Channel) -> Result<RecordTag<Shares>, Error> {
        self.map(|part| Ok(part.shares(channel)?))
    }
}

/// A share of `r` that P chooses.
fn random_share(rng: &mut (impl CryptoRng + ?Sized)) -> Zeroizing<F130> {
    let mut seed = Zeroizing::new([0; 16]);
    rng.fill_bytes(&mut *seed);
    let mut element = Zeroizing::new([F130::default()]);
    Prg::new(*seed).elements(&mut *element);
    Zeroizing::new(element[0])
}

/// V's part with its share `b` of `r`.
pub(super) struct VerifierShared {
    ahead: VerifierAhead,
    b: Zeroizing<F130>,
}

impl RecordTag<VerifierAhead> {
    /// V's first part: shares `r`. This waits for P's mask.
    pub(super) fn share(
        self,
        channel: &mut dyn Channel,
        machine: &mut Machine<Evaluator<Step>>,
    ) -> Result<RecordTag<VerifierShared>, Error> {
        let share = share_of_r(&mut machine.perform_in(self.queue, channel), &self.key, None)?;
        let b = receive_mask(channel, &share)?;
        self.map(|ahead| Ok(VerifierShared { ahead, b }))
    }
}

impl RecordTag<VerifierShared> {
    /// Sends V's correction, for which P waits, with the next flush.
    pub(super) fn offer(
        self,
        channel: &mut dyn Channel,
        products: &mut ole::Receiver<F130>,
    ) -> Result<RecordTag<VerifierOffered>, Error> {
        self.map(|VerifierShared { ahead, b }| Ok(ahead.offer(channel, products, *b)?))
    }
}

impl RecordTag<VerifierOffered> {
    /// V's shares of the powers of `r`. This waits for P's message, and sends V's corrections, for which P
    /// waits, with the next flush.
    pub(super) fn powers(
        self,
        channel: &mut dyn Channel,
        products: &mut ole::Receiver<F130>,
    ) -> Result<RecordTag<Shares>, Error> {
        self.map(|part| Ok(part.shares(channel, products)?))
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
        coefficients: &[F130],
    ) -> Result<TagShare, Error> {
        let own = self.part.inputs(coefficients)?;
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
        self.finish(channel, machine, |own| [Some(own), None], coefficients)
    }

    /// See [`RecordTag::finish`], at V.
    pub(super) fn finish_verifier(
        self,
        channel: &mut dyn Channel,
        machine: &mut Machine<Evaluator<Step>>,
        coefficients: &[F130],
    ) -> Result<TagShare, Error> {
        self.finish(channel, machine, |own| [None, Some(own)], coefficients)
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
