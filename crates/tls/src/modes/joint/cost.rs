//! What a connection takes: memory at V for the tables, and correlations.
//!
//! Everything follows from the connection's sizes, so both parties know it before anything is garbled. The
//! program of the connection is run on a machine that counts.

use volery_channel::Channel;
use volery_field::{F130, Gf128};
use volery_garble::two_party::Garbling;
use volery_vole::correlations::{Plan, Pool};
use volery_vole::ole;
use volery_zk::quicksilver;

use super::program::{self, SHARE_BITS};
use super::{Error, Sizes, hash_key};
use crate::page::disclosure::{server_commitments, server_commitments_tls13};
use crate::wire::hash::HashFunction;
use crate::wire::key_exchange;
use crate::wire::poly1305::TagInputs;
use crate::wire::step::{Cost, Counting, commitments_of_blocks};
use crate::wire::suite::{Aead, Suite};
use crate::wire::version::TlsVersion;

/// The number of correlations from which the labels' OTs come.
const OTS: usize = 128;

/// Room for blocks of the proof that are not the response's: of the server's alerts, for one. A block of
/// ChaCha20 has four times the bytes of one of AES, and takes eight times the commitments.
const fn further_blocks(aead: Aead) -> usize {
    match aead {
        Aead::Gcm(_) => 16,
        Aead::ChaCha20Poly1305 => 6,
    }
}

/// What a connection takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConnectionCost {
    /// What is prepared ahead of the connection.
    pub(super) prepared: Cost,
    /// The approximate number of commitments of the proof.
    pub(super) proof: u64,
}

impl Sizes {
    /// What a connection of these sizes takes.
    pub(super) fn cost(&self) -> Result<ConnectionCost, Error> {
        let mut machine = Counting::default();
        let share = [(); SHARE_BITS];
        let secrets = program::prepared_secrets(&mut machine, self, [&share, &share])?;
        let reader = program::prepared(&mut machine, secrets, self)?;
        program::prepared_blocks(&mut machine, reader.as_ref(), self)?;
        program::prepared_tags(&mut machine, reader.as_ref(), self)?;
        let prepared = machine.cost();
        // Each record of the server's has a mask, and in TLS 1.3 a last block with its type, which is mostly
        // one of the response's. It sends about as many records as the client. Each block is taken to cost as
        // much as the first one, which leaves a sixth for claims about the response.
        let aead = self.suite.aead();
        let blocks = self.proved.div_ceil(aead.block_bytes()) + self.records().len() + further_blocks(aead);
        let response = commitments_of_blocks(aead, 1)?.saturating_mul(blocks as u64);
        let proof = prepared.commitments + self.server_commitments()? + response;
        Ok(ConnectionCost { prepared, proof })
    }

    /// The number of commitments of a proof of what follows from the prepared keys before any record.
    pub(super) fn server_commitments(&self) -> Result<u64, Error> {
        Ok(match self.tls {
            TlsVersion::Tls12 => server_commitments(self.suite)?,
            TlsVersion::Tls13 => server_commitments_tls13(self.suite, self.longest_read().is_some())?,
        })
    }

    /// The number of correlations that the products of a connection and V's inputs take, in one batch: its
    /// share, and what it gives to the circuits of hash keys or of ChaCha20-Poly1305's tags.
    pub(super) fn label_correlations(&self) -> Result<usize, Error> {
        let hash_keys = ole::correlations::<Gf128>(self.hash_products()).map_err(crate::Error::from)?;
        let tags = ole::correlations::<F130>(self.tag_products()).map_err(crate::Error::from)?;
        let inputs = match self.suite.aead() {
            Aead::Gcm(_) => hash_key::input_bits(self),
            Aead::ChaCha20Poly1305 => TagInputs::BITS * (self.records().len() + self.spare_tags()),
        };
        Ok(key_exchange::correlations()? + hash_keys + tags + inputs + SHARE_BITS)
    }
}

impl ConnectionCost {
    /// The number of ANDs that are garbled.
    #[cfg(test)]
    pub(super) fn ands(&self) -> u64 {
        self.prepared.ands
    }

    /// The number of tables that are garbled.
    pub(super) fn tables(&self, garbling: Garbling) -> u64 {
        garbling.tables(self.prepared.ands, self.prepared.s_boxes)
    }

    /// The most bytes of tables that V stores when the connection is prepared: all of them.
    pub(super) fn table_bytes(&self, garbling: Garbling) -> u64 {
        self.tables(garbling).saturating_mul(garbling.table_bytes() as u64)
    }

    /// The approximate number of correlations that the proof takes.
    pub(super) fn correlations(&self, settings: quicksilver::bits::Settings) -> Result<usize, Error> {
        let count = quicksilver::bits::Program::from(self.proof).correlations(settings);
        usize::try_from(count).map_err(|_| Error::misuse("more correlations than there is memory"))
    }

    /// Announces that the proof and everything before it will take these correlations, makes room for them,
    /// and returns the number of the last one. From now on they are made whenever there is time.
    pub(super) fn announce(
        &self,
        pool: &mut Pool,
        settings: quicksilver::bits::Settings,
        suite: Suite,
    ) -> Result<u64, Error> {
        if suite.hash() == HashFunction::Sha384 {
            // Its connections take some more than a round makes, or two.
            pool.fit();
        }
        // Its inputs and the masks of shared bits are P's, and are taken while correlations are made.
        let own = SHARE_BITS + self.prepared.shared + self.prepared.committed;
        let count = self.correlations(settings)? + own + OTS;
        pool.expect(Some(count as u64));
        pool.reserve(count);
        Ok(pool.index() + count as u64)
    }
}

/// Begins the first round of correlations, if there will be one, so that the parties answer each other while
/// they do other things.
pub(super) fn begin_round(channel: &mut dyn Channel, pool: &mut Pool) -> Result<(), Error> {
    // In a fresh pool this is more than was made for the OTs, and the next step begins the round. In a pool
    // that has given correlations before, it may already have begun, or this takes a step of a round under
    // way.
    make(channel, pool, Plan::CHUNK)
}

/// Has P read V's part of that round and answer it. V's other messages before P's first tables come with it.
/// Call it when V has had time for that.
pub(super) fn answer_round(channel: &mut dyn Channel, pool: &mut Pool) -> Result<(), Error> {
    // Again the next step, in a fresh pool.
    make(channel, pool, 2 * Plan::CHUNK)
}

fn make(channel: &mut dyn Channel, pool: &mut Pool, n: usize) -> Result<(), Error> {
    let end = pool.index() + n as u64;
    Ok(pool.make(channel, end).map_err(volery_garble::Error::from)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modes::joint::{Limits, RoundSizes, settings};
    use crate::wire::suite::Suite;

    #[test]
    fn the_memory_of_a_session_is_as_the_help_says() {
        let tables = |sizes: Sizes| sizes.cost().unwrap().table_bytes(sizes.settings(settings()).garbling);
        let Limits { query, read, proved, .. } = Limits::default();
        let most = tables(Sizes {
            tls: TlsVersion::Tls12,
            suite: Suite::Aes128GcmSha256,
            rounds: vec![RoundSizes { query: query - 1, read }, RoundSizes { query: 1, read: 0 }],
            proved,
        });
        assert!((130_000_000..=200_000_000).contains(&most), "{most}");
        let short = tables(Sizes::one(256, 256));
        assert!((7_000_000..=10_000_000).contains(&short), "{short}");
    }
}
