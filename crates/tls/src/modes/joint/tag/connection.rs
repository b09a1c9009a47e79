//! All tags of a connection with ChaCha20-Poly1305, at each party.
//!
//! One batch of products is prepared ahead for all of them. The powers of all of the client's records are
//! made together when their keys are there. V's corrections of its shares of `r` come with what it says of
//! Finished in TLS 1.2, and take a round trip of their own in TLS 1.3. The powers and each tag take one more
//! round trip than with AES-GCM, the first of them together with its record. So a connection with one request
//! takes two more, in either version. What P says of its factors before it knows any `r` goes ahead of the
//! connection.
//!
//! Of the server's records nobody knows ahead how many there are and how long they are. Their circuits are
//! spare, and their products come from what the batch has left, so P says its factors when the record has
//! come.

use std::collections::VecDeque;

use rand_core::CryptoRng;
use volery_channel::Channel;
use volery_field::F130;
use volery_garble::two_party::{Evaluator, Garbler, Wire};
use volery_vole::correlations::Pool;
use volery_vole::{Delta, SessionId, ole};

use super::super::machine::{Machine, Queue};
use super::super::{Error, Sizes};
use super::{ProverShared, RecordTag, TagShare, VerifierShared};
use crate::wire::poly1305::{
    ProverAhead, ProverConverted, ProverFactor, Shares, VerifierAhead, coefficients, powers,
};
use crate::wire::record::Protection;
use crate::wire::step::Step;
use crate::wire::suite::Aead;

/// What the numbers of the server's records are added to, so that no two records of a session have the same
/// one. A direction has fewer records.
const SERVER: u64 = 1 << 32;

/// One of the server's records.
#[derive(Clone, Copy)]
pub(in super::super) struct Received<'a> {
    /// Its number in its direction.
    pub(in super::super) sequence: u64,
    /// What the tag covers besides the ciphertext.
    pub(in super::super) header: &'a [u8],
    pub(in super::super) ciphertext: &'a [u8],
}

fn none_left() -> Error {
    Error::misuse("a tag without powers")
}

/// P's part.
pub(in super::super) struct ProverTags {
    session: SessionId,
    products: ole::Sender<F130>,
    /// Of each of the client's records, until `r` is shared.
    ahead: Vec<ProverAhead>,
    /// Of each of the client's records, until V has its factor of `r`.
    shared: Vec<RecordTag<ProverShared>>,
    /// Of each of the client's records, until its powers are there.
    converted: Vec<RecordTag<ProverConverted>>,
    /// Of each of the client's records that is still to come.
    next: VecDeque<RecordTag<Shares>>,
}

impl ProverTags {
    /// Prepares the products, ahead of the connection; `None` in a suite that takes none.
    pub(in super::super) fn prepare(
        channel: &mut dyn Channel,
        session: &SessionId,
        (offset, labels): (Delta, &mut Pool),
        sizes: &Sizes,
        rng: &mut impl CryptoRng,
    ) -> Result<Option<Self>, Error> {
        if sizes.suite.aead() != Aead::ChaCha20Poly1305 {
            return Ok(None);
        }
        let mut products = ole::Sender::new(session, offset);
        products.prepare(channel, labels, sizes.tag_products(), rng)?;
        // V converts its shares of all records before it begins powers.
        let (mut factors, mut ahead) = (Vec::new(), Vec::new());
        for powers in sizes.tag_powers() {
            factors.push((ProverFactor::new(&mut products, rng)?, powers));
        }
        for (number, (factor, powers)) in (0..).zip(factors) {
            ahead.push(factor.ahead(channel, (session, number), &mut products, powers)?);
        }
        let (shared, converted, next) = (Vec::new(), Vec::new(), VecDeque::new());
        Ok(Some(Self { session: *session, products, ahead, shared, converted, next }))
    }

    /// Shares `r` of the client's records. It does not wait.
    pub(in super::super) fn share_r(
        &mut self,
        channel: &mut dyn Channel,
        machine: &mut Machine<Garbler<Step>>,
        records: &[Protection<Wire>],
        rng: &mut impl CryptoRng,
    ) -> Result<(), Error> {
        for (record, ahead) in records.iter().zip(self.ahead.drain(..)) {
            let tag = RecordTag::new(Queue::Needed, record.one_time_key()?, ahead);
            self.shared.push(tag.share(channel, machine, rng)?);
        }
        Ok(())
    }

    /// Gives V its factors. This waits for V's corrections.
    pub(in super::super) fn convert(&mut self, channel: &mut dyn Channel) -> Result<(), Error> {
        let mut factored = Vec::with_capacity(self.shared.len());
        for tag in self.shared.drain(..) {
            factored.push(tag.factor(channel)?);
        }
        for tag in factored {
            self.converted.push(tag.send(channel)?);
        }
        Ok(())
    }

    /// Takes what V says of the powers, after P has said the first record's plaintext.
    pub(in super::super) fn powers(&mut self, channel: &mut dyn Channel) -> Result<(), Error> {
        for tag in self.converted.drain(..) {
            self.next.push_back(tag.powers(channel)?);
        }
        Ok(())
    }

    /// The tag of the client's next record.
    pub(in super::super) fn tag(
        &mut self,
        channel: &mut dyn Channel,
        machine: &mut Machine<Garbler<Step>>,
        header: &[u8],
        ciphertext: &[u8],
    ) -> Result<[u8; 16], Error> {
        let tag = self.next.pop_front().ok_or_else(none_left)?;
        tag.finish_prover(channel, machine, &coefficients(header, ciphertext))?.receive(channel, machine)
    }

    /// P's share of the tag that one of the server's records must have.
    pub(in super::super) fn share(
        &mut self,
        channel: &mut dyn Channel,
        machine: &mut Machine<Garbler<Step>>,
        key: &[Wire],
        record: Received<'_>,
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<TagShare, Error> {
        let coefficients = coefficients(record.header, record.ciphertext);
        let number = (&self.session, SERVER + record.sequence);
        let powers = powers(coefficients.len());
        let factor = ProverFactor::new(&mut self.products, rng)?;
        let ahead = factor.ahead(channel, number, &mut self.products, powers)?;
        let tag = RecordTag::new(Queue::SpareTags, key, ahead).share(channel, machine, rng)?;
        tag.factor(channel)?.send(channel)?.powers(channel)?.finish_prover(channel, machine, &coefficients)
    }
}

/// V's products, which P has not answered yet.
pub(in super::super) struct RequestedTags {
    products: ole::Receiver<F130>,
    requested: ole::Requested<F130>,
}

impl RequestedTags {
    /// Asks P for the products; `None` in a suite that takes none.
    pub(in super::super) fn request(
        channel: &mut dyn Channel,
        session: &SessionId,
        labels: &mut Pool,
        sizes: &Sizes,
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<Option<Self>, Error> {
        if sizes.suite.aead() != Aead::ChaCha20Poly1305 {
            return Ok(None);
        }
        let mut products = ole::Receiver::new(session);
        let requested = products.request(channel, labels, sizes.tag_products(), rng)?;
        Ok(Some(Self { products, requested }))
    }

    /// Receives P's answer, and what P says ahead of each of the client's records.
    pub(in super::super) fn receive(
        self,
        channel: &mut dyn Channel,
        session: &SessionId,
        sizes: &Sizes,
    ) -> Result<VerifierTags, Error> {
        let Self { mut products, requested } = self;
        products.receive(channel, requested)?;
        let mut ahead = Vec::new();
        for (number, powers) in (0..).zip(sizes.tag_powers()) {
            ahead.push(VerifierAhead::new(channel, (session, number), powers)?);
        }
        let (shared, next) = (Vec::new(), VecDeque::new());
        Ok(VerifierTags { session: *session, products, ahead, shared, next })
    }
}

/// V's part.
pub(in super::super) struct VerifierTags {
    session: SessionId,
    products: ole::Receiver<F130>,
    /// Of each of the client's records, until `r` is shared.
    ahead: Vec<VerifierAhead>,
    /// Of each of the client's records, until its powers are made.
    shared: Vec<RecordTag<VerifierShared>>,
    /// Of each of the client's records that is still to come.
    next: VecDeque<RecordTag<Shares>>,
}

impl VerifierTags {
    /// Shares `r` of the client's records. This waits for P's masks.
    pub(in super::super) fn share_r(
        &mut self,
        channel: &mut dyn Channel,
        machine: &mut Machine<Evaluator<Step>>,
        records: &[Protection<Wire>],
    ) -> Result<(), Error> {
        for (record, ahead) in records.iter().zip(self.ahead.drain(..)) {
            let tag = RecordTag::new(Queue::Needed, record.one_time_key()?, ahead);
            self.shared.push(tag.share(channel, machine)?);
        }
        Ok(())
    }

    /// Makes the powers, with what P waits for. This waits for P's factors.
    pub(in super::super) fn powers(&mut self, channel: &mut dyn Channel) -> Result<(), Error> {
        let mut offered = Vec::with_capacity(self.shared.len());
        for tag in self.shared.drain(..) {
            offered.push(tag.offer(channel, &mut self.products)?);
        }
        for tag in offered {
            self.next.push_back(tag.powers(channel, &mut self.products)?);
        }
        Ok(())
    }

    /// Gives P the tag of the client's next record. V calls this when it holds the ciphertext.
    pub(in super::super) fn send(
        &mut self,
        channel: &mut dyn Channel,
        machine: &mut Machine<Evaluator<Step>>,
        header: &[u8],
        ciphertext: &[u8],
    ) -> Result<(), Error> {
        let tag = self.next.pop_front().ok_or_else(none_left)?;
        tag.finish_verifier(channel, machine, &coefficients(header, ciphertext))?.send(channel, machine)
    }

    /// V's share of the tag that one of the server's records must have.
    pub(in super::super) fn share(
        &mut self,
        channel: &mut dyn Channel,
        machine: &mut Machine<Evaluator<Step>>,
        key: &[Wire],
        record: Received<'_>,
    ) -> Result<TagShare, Error> {
        let coefficients = coefficients(record.header, record.ciphertext);
        let number = (&self.session, SERVER + record.sequence);
        let ahead = VerifierAhead::new(channel, number, powers(coefficients.len()))?;
        let tag = RecordTag::new(Queue::SpareTags, key, ahead).share(channel, machine)?;
        let tag = tag.offer(channel, &mut self.products)?;
        tag.powers(channel, &mut self.products)?.finish_verifier(channel, machine, &coefficients)
    }
}
