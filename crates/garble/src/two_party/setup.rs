//! The second direction of correlations: labels for V's inputs, from random COT in which P holds the key.
//!
//! The first direction, V holding delta, is whatever the session has for its proofs. Here the roles are
//! swapped: P is the sender of SoftSpokenOT and its offset the key, V the receiver. There are as many
//! correlations as V has input bits, some thousand, so that OT extension alone serves. A V that cheats in it
//! can learn bits of P's offset only by guessing them, and a wrong guess ends the session: if it survives
//! with probability `p`, the offset is one of `p 2^127` values, so guessing and then using it is no better
//! than guessing it at once, and the bounds of the module `hash` stand (see
//! [`softspoken`](volery_vole::softspoken)). The two directions have base OTs of their own and different
//! session names, so that no hash is used twice.

use rand_core::CryptoRng;
use volery_channel::Channel;
use volery_vole::cot::{ProverParty, VerifierParty};
use volery_vole::softspoken::{FieldBits, Receiver, Sender};
use volery_vole::supply::{Plan, Stock, Supply};
use volery_vole::{Delta, Oracle, SessionId};

use crate::Error;

fn labels_session(session: &SessionId) -> SessionId {
    SessionId::new(Oracle::new("garble: session of labels", session).hash(0, &[]))
}

/// P's side: a fresh offset, and zero labels under it. One round trip, together with [`evaluator_labels`].
///
/// # Errors
/// What base OT and OT extension find wrong; the channel's errors.
pub fn garbler_labels(
    channel: &mut dyn Channel,
    session: &SessionId,
    rng: &mut dyn CryptoRng,
) -> Result<(Delta, Stock), Error> {
    let (session, offset) = (labels_session(session), Delta::random(rng));
    let extension = Sender::setup(channel, &session, FieldBits::Eight, offset.duplicate(), rng)?;
    let party = VerifierParty::new(session, extension, offset.duplicate(), rng);
    Ok((offset, Stock::new(Box::new(Supply::new(party, Plan::bits(&[]), None)))))
}

/// V's side: labels of random bits, which are their lowest bits.
///
/// # Errors
/// As [`garbler_labels`].
pub fn evaluator_labels(
    channel: &mut dyn Channel,
    session: &SessionId,
    rng: &mut dyn CryptoRng,
) -> Result<Stock, Error> {
    let session = labels_session(session);
    let extension = Receiver::setup(channel, &session, FieldBits::Eight, rng)?;
    let party = ProverParty::new(session, extension, rng);
    Ok(Stock::new(Box::new(Supply::new(party, Plan::bits(&[]), None))))
}
