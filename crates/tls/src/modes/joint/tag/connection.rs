//! All tags of a connection with ChaCha20-Poly1305, at each party.
//!
//! One batch of products is prepared ahead for all of them. The powers of all of the client's records are
//! made together when their keys are there. V's corrections come with what it says of Finished in TLS 1.2,
//! and take a round trip of their own in TLS 1.3. P's answer goes with the first record. Each tag takes one
//! more round trip than with AES-GCM. So a connection with one request takes two more, in either version.
//! What P says of its factors before it knows any `r` goes ahead of the connection.
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
use super::{RecordTag, TagShare};
use crate::wire::poly1305::{
    ProverAhead, ProverConverted, Shares, VerifierAhead, VerifierConverted, coefficients, powers,
};
use crate::wire::record::Protection;
use crate::wire::step::Step;
use crate::wire::suite::Aead;

/// One of the server's records.
#[derive(Clone, Copy)]
pub(in super::super) struct Received<'a> {
    /// What the tag covers besides the ciphertext.
    pub(in super::super) header: &'a [u8],
    pub(in super::super) ciphertext: &'a [u8],
}

fn none_left() -> Error {
    Error::misuse("a tag without powers")
}

/// P's part.
pub(in super::super) struct ProverTags {
    products: ole::Sender<F130>,
    /// Of each of the client's records, until `r` is shared.
    ahead: Vec<ProverAhead>,
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
        let mut ahead = Vec::new();
        for powers in sizes.tag_powers() {
            ahead.push(ProverAhead::new(channel, &mut products, powers, rng)?);
        }
        Ok(Some(Self { products, ahead, converted: Vec::new(), next: VecDeque::new() }))
    }

    /// Shares `r` of the client's records. It does not wait.
    pub(in super::super) fn share_r(
        &mut self,
        channel: &mut dyn Channel,
        machine: &mut Machine<Garbler<Step>>,
        records: &[Protection<Wire>],
    ) -> Result<(), Error> {
        for (record, ahead) in records.iter().zip(self.ahead.drain(..)) {
            let tag = RecordTag::new(Queue::Needed, record.one_time_key()?, ahead);
            self.converted.push(tag.share(channel, machine)?);
        }
        Ok(())
    }

    /// Takes what V says of the powers, and gives it P's shares of sums.
    pub(in super::super) fn powers(&mut self, channel: &mut dyn Channel) -> Result<(), Error> {
        // V says all of it before it waits.
        let mut summed = Vec::with_capacity(self.converted.len());
        for tag in self.converted.drain(..) {
            summed.push(tag.products(channel)?);
        }
        for tag in summed {
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
        let ahead = ProverAhead::new(channel, &mut self.products, powers(coefficients.len()), rng)?;
        let tag = RecordTag::new(Queue::SpareTags, key, ahead).share(channel, machine)?;
        tag.products(channel)?.powers(channel)?.finish_prover(channel, machine, &coefficients)
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
        sizes: &Sizes,
    ) -> Result<VerifierTags, Error> {
        let Self { mut products, requested } = self;
        products.receive(channel, requested)?;
        let mut ahead = Vec::new();
        for powers in sizes.tag_powers() {
            ahead.push(VerifierAhead::new(channel, powers)?);
        }
        Ok(VerifierTags { products, ahead, converted: Vec::new(), next: VecDeque::new() })
    }
}

/// V's part.
pub(in super::super) struct VerifierTags {
    products: ole::Receiver<F130>,
    /// Of each of the client's records, until `r` is shared.
    ahead: Vec<VerifierAhead>,
    /// Of each of the client's records, until its powers are made.
    converted: Vec<RecordTag<VerifierConverted>>,
    /// Of each of the client's records that is still to come.
    next: VecDeque<RecordTag<Shares>>,
}

impl VerifierTags {
    /// Shares `r` of the client's records. This waits for P's factors.
    pub(in super::super) fn share_r(
        &mut self,
        channel: &mut dyn Channel,
        machine: &mut Machine<Evaluator<Step>>,
        records: &[Protection<Wire>],
    ) -> Result<(), Error> {
        for (record, ahead) in records.iter().zip(self.ahead.drain(..)) {
            let tag = RecordTag::new(Queue::Needed, record.one_time_key()?, ahead);
            self.converted.push(tag.share(channel, machine)?);
        }
        Ok(())
    }

    /// Makes the powers, with what P waits for. This waits for P's shares of sums.
    pub(in super::super) fn powers(
        &mut self,
        channel: &mut dyn Channel,
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<(), Error> {
        let mut offered = Vec::with_capacity(self.converted.len());
        for tag in self.converted.drain(..) {
            offered.push(tag.offer(channel, &mut self.products, rng)?);
        }
        for tag in offered {
            self.next.push_back(tag.powers(channel)?);
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
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<TagShare, Error> {
        let coefficients = coefficients(record.header, record.ciphertext);
        let ahead = VerifierAhead::new(channel, powers(coefficients.len()))?;
        let tag = RecordTag::new(Queue::SpareTags, key, ahead).share(channel, machine)?;
        let tag = tag.offer(channel, &mut self.products, rng)?;
        tag.powers(channel)?.finish_verifier(channel, machine, &coefficients)
    }
}
