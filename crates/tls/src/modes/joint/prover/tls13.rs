//! TLS 1.3's key derivation at P: the secrets of the handshake, which P learns, and the keys of data.

use volery_channel::Channel;
use volery_circuit::gadgets::bits_to_bytes;
use volery_field::F2;
use volery_garble::two_party::Wire;
use zeroize::Zeroizing;

use super::super::Error;
use super::super::machine::SharedWires;
use super::super::message;
use super::super::program::{self, Client, Derived, Secrets};
use super::{Live, Stage as AnyStage};
use crate::wire::hash::HandshakeHash;
use crate::wire::key_exchange::Group;
use crate::wire::key_schedule::TrafficSecret;
use crate::wire::prf::HmacKey;
use crate::wire::step::TwoParty;
use crate::wire::suite::Suite;
use crate::wire::transcript::tls13::HandshakeSecrets;

/// The progress of the derivation.
pub(super) enum Stage {
    Agreed { handshake: HmacKey<Wire>, salt: HmacKey<Wire> },
    Handshake { wires: [Vec<Wire>; 2], salt: HmacKey<Wire> },
    Data { derived: Derived<Wire>, client: Client<Wire> },
}

impl Stage {
    /// The first one, from the shares of what the key exchange gives: P's, V's.
    pub(super) fn agreed<M: TwoParty<Wire = Wire>>(
        machine: &mut M,
        suite: Suite,
        group: Group,
        shares: [&[Wire]; 2],
    ) -> Result<Self, M::Error> {
        match program::secrets_tls13(machine, suite, group, shares)? {
            Secrets::Tls13 { handshake, salt } => Ok(Self::Agreed { handshake, salt }),
            Secrets::Tls12(_) => Err(crate::Error::Misuse("secrets of TLS 1.2".into()).into()),
        }
    }

    /// The step that may come next.
    pub(super) fn expected(&self) -> &'static str {
        match self {
            Self::Agreed { .. } => "the secrets of the handshake",
            Self::Handshake { .. } => "the keys of data",
            Self::Data { .. } => "the first record of data",
        }
    }

    /// What the derivation made.
    ///
    /// # Errors
    /// [`Error::Order`] before its end.
    pub(super) fn derived(self) -> Result<(Derived<Wire>, Client<Wire>), Error> {
        match self {
            Self::Data { derived, client } => Ok((derived, client)),
            stage => AnyStage::Tls13(stage).order("a record"),
        }
    }
}

impl Live {
    /// Derives the traffic secrets of the handshake. V gets a share of each and gives it to P, so that P
    /// alone knows them until V opens its part.
    pub(super) fn handshake_secrets(
        &mut self,
        channel: &mut dyn Channel,
        hash: &HandshakeHash,
    ) -> Result<[TrafficSecret; 2], Error> {
        let (handshake, salt) = match self.take() {
            AnyStage::Tls13(Stage::Agreed { handshake, salt }) => (handshake, salt),
            stage => return stage.order("the secrets of the handshake"),
        };
        message::send_hellos(channel, hash)?;
        let machine = &mut self.machine.perform(channel);
        let (wires, [client, server]) = program::handshake_shares(machine, &handshake, hash)?;
        let [client_wires, server_wires] = program::handshake_shared(&self.machine)?;
        let function = self.sizes.suite.hash();
        let mut secret = |shared: SharedWires, own: &[F2]| -> Result<TrafficSecret, Error> {
            let other = Zeroizing::new(self.machine.party.confirm(channel, &shared.wires, &shared.masks)?);
            let sum = Zeroizing::new(own.iter().zip(other.iter()).map(|(x, y)| *x + *y).collect::<Vec<F2>>());
            let bytes = bits_to_bytes(&sum).map(Zeroizing::new);
            let secret = bytes.and_then(|bytes| TrafficSecret::from_bytes(function, &bytes));
            secret.ok_or_else(|| Error::misuse("a secret of another length than a hash"))
        };
        let secrets = [secret(client_wires, &client)?, secret(server_wires, &server)?];
        let [client, server] = secrets.clone();
        self.handshake = Some(HandshakeSecrets { client, server });
        self.stage = AnyStage::Tls13(Stage::Handshake { wires, salt });
        Ok(secrets)
    }

    /// Derives the keys of data.
    pub(super) fn data_keys(&mut self, channel: &mut dyn Channel, hash: &HandshakeHash) -> Result<(), Error> {
        let (wires, salt) = match self.take() {
            AnyStage::Tls13(Stage::Handshake { wires, salt }) => (wires, salt),
            stage => return stage.order("the keys of data"),
        };
        message::send_data(channel, hash)?;
        let derived = Derived::tls13(&mut self.machine.perform(channel), wires, &salt, hash, &self.sizes)?;
        let client = self.client(channel, derived.client())?;
        self.stage = AnyStage::Tls13(Stage::Data { derived, client });
        Ok(())
    }
}
