//! The second direction of correlations: labels for V's inputs, from random COT in which P holds the key.
//!
//! In the first direction V holds delta; the session has it for its proofs anyway. Here the roles are
//! swapped: P is the sender of SoftSpokenOT with its offset as the key, and V the receiver. There is one
//! correlation for each of V's input bits, some thousand, so OT extension is enough. A V that cheats in it
//! can learn bits of P's offset only by guessing them, and a wrong guess ends the session. If V survives with
//! probability `p`, the offset is one of `p 2^127` values. So guessing bits first is no better than guessing
//! the offset at once, and the bounds of the module `hash` hold (see
//! [`softspoken`](volery_vole::softspoken)).
//!
//! The initial OTs come from 128 correlations of the first direction, which serve no other purpose
//! ([`ReversedSetup`] has the protocol and its security argument). Base OTs would take some ten milliseconds
//! at each party while the other waits. The two directions have different session identifiers, so that no
//! hash is used twice.

use rand_core::CryptoRng;
use volery_channel::Channel;
use volery_field::Gf128;
use volery_vole::correlations::{Generator, Plan, Pool};
use volery_vole::cot::{ProverParty, VerifierParty};
use volery_vole::softspoken::{FieldBits, Receiver, ReversedSetup};
use volery_vole::{Delta, Oracle, SessionId};
use zeroize::Zeroizing;

use super::Garbler;
use crate::{Error, Function};

fn labels_session(session: &SessionId) -> SessionId {
    SessionId::new(Oracle::new("garble: session of labels", session).hash(0, &[]))
}

/// P's side, between its message and V's: a fresh offset.
pub struct GarblerLabels {
    session: SessionId,
    offset: Delta,
    setup: ReversedSetup,
}

impl GarblerLabels {
    /// Draws the offset, and sends what V has to know, which says nothing about the offset. Takes 128 of
    /// `commitments`, tags under V's delta, and waits only for these.
    ///
    /// # Errors
    /// Any error of making correlations; the channel's errors.
    pub fn start(
        channel: &mut dyn Channel,
        session: &SessionId,
        commitments: &mut Pool,
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, Error> {
        let (session, offset) = (labels_session(session), Delta::random(rng));
        let setup = ReversedSetup::start(channel, &session, offset.duplicate(), commitments)?;
        Ok(Self { session, offset, setup })
    }

    /// P's offset between the labels of 0 and 1.
    #[must_use]
    pub fn offset(&self) -> Delta {
        self.offset.duplicate()
    }

    /// The offset, and zero labels under it, once V's message has arrived. One round trip in all, together
    /// with [`evaluator_labels`].
    ///
    /// # Errors
    /// Any error that the setup of OT extension finds; the channel's errors.
    pub fn finish(self, channel: &mut dyn Channel, rng: &mut dyn CryptoRng) -> Result<(Delta, Pool), Error> {
        let Self { session, offset, setup } = self;
        let extension = setup.finish(channel, FieldBits::Eight)?;
        let party = VerifierParty::new(session, extension, offset.duplicate(), rng);
        Ok((offset, Pool::new(Box::new(Generator::new(party, Plan::bits(&[]), None)))))
    }
}

impl<F: Function> Garbler<F> {
    /// Supplies labels for V's inputs, those announced so far and later ones. `labels` come from
    /// [`GarblerLabels`], under this session's offset.
    ///
    /// # Errors
    /// [`Error::Misuse`] if there are labels already; any error of making them.
    pub fn set_labels(&mut self, channel: &mut dyn Channel, labels: Pool) -> Result<(), Error> {
        self.guarded(channel, |p, channel| {
            if p.labels.is_some() {
                return Err(Error::misuse("labels for V's inputs were set twice"));
            }
            p.labels = Some(labels);
            p.label(channel)
        })
    }

    /// Gives V's inputs their labels, if there are any yet.
    ///
    /// The wire is the sum of V's random bit and the correction that makes it V's value. The wire's zero
    /// label is drawn first, and that of the random bit comes from the OT. So the correction's zero label is
    /// the sum of both, which is uniform.
    pub(super) fn label(&mut self, channel: &mut dyn Channel) -> Result<(), Error> {
        let Some(labels) = &mut self.labels else { return Ok(()) };
        for number in std::mem::take(&mut self.unlabelled) {
            let Some(record) = self.program.records_mut().get_mut(number) else { continue };
            let mut keys = Zeroizing::new(vec![Gf128::ZERO; record.len]);
            labels.expect(Some(record.len as u64));
            labels.fill(channel, &mut keys)?;
            record.secrets.iter_mut().zip(keys.iter()).for_each(|(zero, key)| *zero += *key);
        }
        Ok(())
    }
}

/// V's side: labels of random bits, whose lowest bits are those bits. Takes 128 of `commitments`, keys under
/// `delta`.
///
/// # Errors
/// As those of [`GarblerLabels`].
pub fn evaluator_labels(
    channel: &mut dyn Channel,
    session: &SessionId,
    (delta, commitments): (&Delta, &mut Pool),
    rng: &mut dyn CryptoRng,
) -> Result<Pool, Error> {
    let session = labels_session(session);
    let extension = Receiver::reversed(channel, &session, FieldBits::Eight, delta, commitments)?;
    let party = ProverParty::new(session, extension, rng);
    Ok(Pool::new(Box::new(Generator::new(party, Plan::bits(&[]), None))))
}
