//! What it will take to prove something about a page, in either mode.
//!
//! ```text
//! set-up, correlations, proof     a rehearsal (`estimate`) of a proof that commits to as many bits
//! two-party: tables               counted: the program of the connection is run without values
//! proxy: the connection itself    its bytes, which the notary relays
//! what is shown, the attestation  their lengths
//! ```
//!
//! A rehearsal has nobody at the other end, and a page needs a server; so the rehearsed proof is another one
//! of the same size ([`AndChain`]). Bytes are right within some percent, times more roughly.

use std::time::Duration;

use volery_circuit::statements::AndChain;
use volery_tls::disclosure::{DraftCost, Suite, TlsVersion};
use volery_tls::joint::Sizes;

use super::super::Options;
use super::super::estimate::{Estimate, estimate, estimate_fitted};
use super::super::system::Bits;
use crate::Error;

/// Round trips of a relayed connection with one request, in TLS 1.2: to open it, one for each flight of the
/// handshake, one each for the answer, the end and the closing. TLS 1.3 has a flight less.
const RELAYED: u64 = 6;
/// Those of a connection over TLS 1.2 that both parties make together, and of its preparation, beyond those
/// of a proof; and how many less TLS 1.3 has.
const TOGETHER: [u64; 2] = [16, 4];
/// What both parties say in a connection and before it, in bytes, whatever its sizes: P, most of it labels of
/// public bits; V. It includes what decodes the values that they share, 5 kB for any number of bits together.
const SAID: [u64; 2] = [440_000, 12_000];
/// What P says besides, most of it labels of public bits, where the suite's hash is SHA-384.
const LONG_HASH: u64 = 180_000;
/// The number of shared bits for which P says a byte more.
const SHARED: u64 = 8;
/// Bytes of P and of V for each product modulo Poly1305's prime, most of them ahead of the connection. One
/// for a hash key of GCM takes a little less.
const PRODUCT: [u64; 2] = [2230, 306];
/// Bytes of P and of V for each tag that takes such products, most of them labels of inputs.
const TAG: [u64; 2] = [16_500, 1200];
/// Round trips of such tags: for each of the client's, and for each response that is read. There is one more:
/// in TLS 1.3 for all of the client's together, and in TLS 1.2 for a key block that is a block longer.
const TAGS: [u64; 2] = [1, 4];
/// Bytes of an attestation besides what it shows.
const ATTESTATION: u64 = 400;

/// A page that is to be proved.
#[derive(Clone, Debug)]
pub struct PagePlan {
    /// The connection's sizes, as for [`Prover::prepare_web`](crate::Prover::prepare_web).
    pub sizes: Sizes,
    /// What the proof takes.
    pub draft: DraftCost,
    /// All bytes on the wire between client and server: the client's, the server's.
    pub wire: [u64; 2],
}

impl PagePlan {
    /// What a session takes in which the notary relays the connection.
    ///
    /// # Errors
    /// As [`estimate`].
    pub fn relayed(&self) -> Result<Estimate, Error> {
        let mut proof = estimate(Options::default(), Bits, &AndChain::new(self.draft.from_secret))?;
        let [client, server] = self.wire;
        proof.bytes_prover = proof.bytes_prover.saturating_add(client).saturating_add(self.message());
        proof.bytes_verifier = proof.bytes_verifier.saturating_add(server).saturating_add(self.attestation());
        let more = self.sizes.rounds.len().saturating_sub(1) as u64;
        let flights = RELAYED - u64::from(self.sizes.tls == TlsVersion::Tls13);
        proof.round_trips = proof.round_trips.saturating_add(flights).saturating_add(more);
        Ok(proof)
    }

    /// What a session takes in which both parties are the client together.
    ///
    /// # Errors
    /// [`Error::Joint`] for sizes that nobody prepares; as [`estimate`].
    pub fn together(&self) -> Result<Estimate, Error> {
        let prepared = self.sizes.preparation()?;
        // Correlations are made ahead also if the payload does not take them.
        let commitments = prepared.commitments.saturating_add(self.draft.payload).max(prepared.announced);
        let aes_256 = self.sizes.suite == Suite::Aes256GcmSha384;
        let mut proof = if aes_256 {
            estimate_fitted(commitments)?
        } else {
            estimate(Options::default(), Bits, &AndChain::new(commitments))?
        };
        let [said, answered] = SAID;
        let said = said + if aes_256 { LONG_HASH } else { 0 };
        let said = (prepared.shared / SHARED).saturating_add(said);
        let [client, server] = self.wire;
        let [tags, answers] = [0, 1].map(|party| {
            let products = prepared.products.saturating_mul(PRODUCT[party]);
            products.saturating_add(prepared.tags.saturating_mul(TAG[party]))
        });
        // P hands over what went over the wire in both directions.
        let sent = [prepared.sent, said, tags, client, server, self.message()];
        proof.bytes_prover = sent.into_iter().fold(proof.bytes_prover, u64::saturating_add);
        let sent = [answered, answers, self.attestation()];
        proof.bytes_verifier = sent.into_iter().fold(proof.bytes_verifier, u64::saturating_add);
        let read = self.sizes.rounds.iter().filter(|round| round.read > 0).count() as u64;
        let [trips, less] = TOGETHER;
        let trips = if self.sizes.tls == TlsVersion::Tls13 { trips - less } else { trips };
        proof.round_trips = proof.round_trips.saturating_add(trips).saturating_add(4 * read);
        if prepared.tags > 0 {
            let [each, reading] = TAGS;
            proof.round_trips += 1 + each * prepared.tags + reading * read;
        }
        let garbling: Duration = prepared.garbling()?;
        // V evaluates what P garbles, later.
        proof.making = proof.making.saturating_add(garbling);
        proof.proving = proof.proving.saturating_add(garbling);
        proof.memory_verifier = proof.memory_verifier.saturating_add(prepared.tables);
        Ok(proof)
    }

    fn message(&self) -> u64 {
        self.draft.message as u64
    }

    /// The attestation's length: what it shows is in it once.
    fn attestation(&self) -> u64 {
        self.message().saturating_add(ATTESTATION)
    }
}
