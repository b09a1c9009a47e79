//! TLS 1.2's key derivation at P: master secret, key block, the client's Finished.

use volery_channel::Channel;
use volery_garble::two_party::Wire;

use super::super::Error;
use super::super::message;
use super::super::program::{self, Client, Derived};
use super::{Live, Stage as AnyStage};
use crate::page::disclosure::finished_message;
use crate::wire::hash::HandshakeHash;
use crate::wire::key_exchange::Group;
use crate::wire::prf::{self, HmacKey, KeyBlock, MasterSeed, Random, Side, VERIFY_DATA_BYTES};
use crate::wire::step::TwoParty;
use crate::wire::suite::Suite;

/// The progress of the derivation.
pub(super) enum Stage {
    Agreed { premaster: HmacKey<Wire> },
    Master { master: HmacKey<Wire> },
    Keys { master: HmacKey<Wire>, block: KeyBlock<Wire>, client: Client<Wire> },
    Finished { derived: Derived<Wire>, client: Client<Wire> },
}

impl Stage {
    /// The first one, from the shares of the pre-master secret: P's, V's.
    pub(super) fn agreed<M: TwoParty<Wire = Wire>>(
        machine: &mut M,
        suite: Suite,
        group: Group,
        shares: [&[Wire]; 2],
    ) -> Result<Self, M::Error> {
        Ok(Self::Agreed { premaster: HmacKey::premaster(machine, suite.hash(), group, shares)? })
    }

    /// The step that may come next.
    pub(super) fn expected(&self) -> &'static str {
        match self {
            Self::Agreed { .. } => "the master secret",
            Self::Master { .. } => "the key block",
            Self::Keys { .. } => "Finished",
            Self::Finished { .. } => "the record of Finished",
        }
    }

    /// Whether this is the client's Finished message.
    pub(super) fn finished_is(&self, content: &[u8]) -> bool {
        let Self::Finished { derived: Derived::Tls12 { client_finished, .. }, .. } = self else {
            return false;
        };
        content == finished_message(client_finished)
    }

    /// What the derivation made.
    ///
    /// # Errors
    /// [`Error::Order`] before its end.
    pub(super) fn derived(self) -> Result<(Derived<Wire>, Client<Wire>), Error> {
        match self {
            Self::Finished { derived, client } => Ok((derived, client)),
            stage => AnyStage::Tls12(stage).order("a record"),
        }
    }
}

impl Live {
    pub(super) fn master(&mut self, channel: &mut dyn Channel, seed: &MasterSeed) -> Result<(), Error> {
        let premaster = match self.take() {
            AnyStage::Tls12(Stage::Agreed { premaster }) => premaster,
            stage => return stage.order("the master secret"),
        };
        message::send_master(channel, seed)?;
        let master = program::master(&mut self.machine.perform(channel), &premaster, *seed)?;
        self.stage = AnyStage::Tls12(Stage::Master { master });
        self.give_blindings(channel)
    }

    pub(super) fn keys(
        &mut self,
        channel: &mut dyn Channel,
        randoms @ [client, server]: [&Random; 2],
    ) -> Result<(), Error> {
        let master = match self.take() {
            AnyStage::Tls12(Stage::Master { master }) => master,
            stage => return stage.order("the key block"),
        };
        message::send_keys(channel, client, server)?;
        let aead = self.sizes.suite.aead();
        let block = prf::key_block(&mut self.machine.perform(channel), &master, aead, randoms)?;
        let client = self.client(channel, program::client_key(&block))?;
        self.stage = AnyStage::Tls12(Stage::Keys { master, block, client });
        Ok(())
    }

    pub(super) fn finished(
        &mut self,
        channel: &mut dyn Channel,
        hash: &HandshakeHash,
    ) -> Result<[u8; VERIFY_DATA_BYTES], Error> {
        let (master, block, client) = match self.take() {
            AnyStage::Tls12(Stage::Keys { master, block, client }) => (master, block, client),
            stage => return stage.order("Finished"),
        };
        message::send_finished(channel, hash)?;
        let machine = &mut self.machine.perform(channel);
        let client_finished = prf::verify_data(machine, &master, Side::Client, hash)?;
        let derived = Derived::Tls12 { master, block, client_finished };
        self.stage = AnyStage::Tls12(Stage::Finished { derived, client });
        Ok(client_finished)
    }
}
