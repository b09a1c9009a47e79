//! P's part before the proof: its message to V.

use volery_channel::Channel;
use volery_channel::tags::WEB_CLAIMS;
use volery_field::F2;
use zeroize::{Zeroize as _, Zeroizing};

use super::connection::OpenConnection;
use super::derive::{Root, derive};
use super::draft::Traffic;
use super::machine::Compute;
use super::redaction::{self, DisclosureMessage, MAX_HIDDEN_BYTES, Redaction, Selection};
use super::statement::{ConnectionStatement, not_true};
use super::verifier::check_opened;
use super::{Error, Refusal};
use crate::memory::Budget;
use crate::page::attestation::{Context, Mode, Statement};
use crate::page::leaf::{LeafOpenings, Seed};
use crate::wire::rustls_client::HTTP;
use crate::wire::server;

/// P's view of a connection that has ended.
pub(crate) struct EndedConnection {
    pub(crate) mode: Mode,
    pub(crate) host: String,
    /// The port, if V connected to it; otherwise the requests name it.
    pub(crate) port: Option<u16>,
    /// Whether a request was sent before the response to the one before it had come.
    pub(crate) pipelined: bool,
    /// The context that V is to sign.
    pub(crate) context: Context,
    /// The seed of the leaves, if P commits to everything.
    pub(crate) leaves: Option<Seed>,
    /// Whether P relies on the server to take nothing after a request that asked it to close the connection.
    pub(crate) trusts_close: bool,
    pub(crate) connection: OpenConnection,
    /// All bytes: the client's, the server's.
    pub(crate) raw: [Vec<u8>; 2],
    /// All requests, and all responses.
    pub(crate) payload: [Zeroizing<Vec<u8>>; 2],
    /// Set by a cheating P to skip its own copies of V's checks.
    #[cfg(test)]
    pub(crate) unchecked: bool,
}

impl core::fmt::Debug for EndedConnection {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("EndedConnection").field("host", &self.host).finish_non_exhaustive()
    }
}

impl EndedConnection {
    /// The requests, one after the other.
    pub(crate) fn request(&self) -> &[u8] {
        let [request, _] = &self.payload;
        request
    }

    /// The responses, one after the other.
    pub(crate) fn response(&self) -> &[u8] {
        let [_, response] = &self.payload;
        response
    }

    /// Runs, in the clear, all of V's checks of Finished messages and tags.
    ///
    /// # Errors
    /// [`Error::Refused`].
    pub(crate) fn check(&self, root: &Root<F2>) -> Result<(), Error> {
        self.try_check(root)?;
        Ok(())
    }

    /// The values derived from the keys that V learns, and whether the server ended the connection.
    fn try_check(&self, root: &Root<F2>) -> Result<(Vec<u8>, bool), Refusal> {
        let blind = root.blind();
        let mut machine = Compute::default();
        derive(&mut machine, &self.connection, root)?.keys.zeroize();
        let opened = machine.into_opened();
        let lengths = [self.request().len(), self.response().len()];
        let (closed, _) = check_opened(&self.connection, &opened, lengths, &blind)?;
        Ok((opened, closed))
    }

    /// The hidden parts if P makes this selection.
    ///
    /// # Errors
    /// [`Error::Refused`] for a part that does not exist, and for one that is neither revealed nor can be
    /// hidden.
    pub(crate) fn select(&self, selection: &Selection) -> Result<Vec<Redaction>, Error> {
        self.traffic().select(selection)
    }

    /// The statement that V will sign if P discloses the connection in this way at this time (in seconds
    /// since 1970), without commitments.
    ///
    /// # Errors
    /// [`Error::Refused`] for anything in it that V would refuse.
    pub(crate) fn expected(&self, redactions: &[Redaction], time: u64) -> Result<Statement, Error> {
        self.traffic().expected(redactions, time)
    }

    /// What opens the leaves if P discloses the connection in this way; none unless P commits to everything.
    ///
    /// # Errors
    /// As [`EndedConnection::expected`].
    pub(crate) fn leaf_openings(&self, redactions: &[Redaction]) -> Result<Option<LeafOpenings>, Error> {
        let traffic = self.traffic();
        Ok(traffic.shown_of(&traffic.exchanges(true)?, redactions)?.1)
    }

    /// What went over the connection, without its secrets.
    fn traffic(&self) -> Traffic<'_> {
        let [request, response] = &self.payload;
        let handshake = self.connection.handshake();
        let certificates = handshake.certificates();
        Traffic {
            mode: self.mode,
            tls: self.connection.version(),
            suite: self.connection.suite(),
            host: &self.host,
            port: self.port,
            alpn: handshake.alpn() == Some(HTTP),
            certificate: certificates.first().map_or(&[][..], |own| own.as_ref()),
            pipelined: self.pipelined,
            trusts_close: self.trusts_close,
            context: &self.context,
            leaves: self.leaves.as_ref(),
            payload: [request, response],
            #[cfg(test)]
            unchecked: self.unchecked,
        }
    }

    /// Tells V everything about the connection except what `redactions` names. Returns the statement to prove
    /// next. `root` is V's, with values.
    ///
    /// Everything is first checked here as V will check it, so a claim that V would refuse, or a false one,
    /// fails before V hears of it.
    ///
    /// # Errors
    /// [`Error::StillOpen`]; [`Error::NotTrue`]; [`Error::Refused`] for anything that V would refuse; the
    /// channel's.
    pub(crate) fn disclose(
        &self,
        channel: &mut dyn Channel,
        root: &Root<F2>,
        redactions: &[Redaction],
    ) -> Result<ConnectionStatement, Error> {
        let result = self.try_disclose(channel, root, redactions);
        if result.is_err() {
            channel.fail("the prover cannot say what it wants to say about this connection");
        }
        result
    }

    fn try_disclose(
        &self,
        channel: &mut dyn Channel,
        root: &Root<F2>,
        redactions: &[Redaction],
    ) -> Result<ConnectionStatement, Error> {
        let [request, response] = &self.payload;
        let (opened, closed) = self.try_check(root)?;
        let traffic = self.traffic();
        let exchanges = traffic.exchanges(closed)?;
        if traffic.is_open(closed, &exchanges) {
            return Err(Error::StillOpen);
        }
        let (shown, openings) = traffic.shown_of(&exchanges, redactions)?;
        let host = server::canonical_name(&self.host).map_err(Refusal::from)?;
        traffic.check_shown(&shown, &host, closed)?;
        redaction::check_hidden(&shown, MAX_HIDDEN_BYTES)?;
        let holder = openings.map(|openings| openings.holder().verifying_key().to_bytes());
        let message = DisclosureMessage { context: self.context.clone(), holder, opened, shown };
        let [client, server] = &self.raw;
        let encoded = message.encode();
        // This also finds anything that exceeds V's limits.
        DisclosureMessage::decode(&encoded)?;
        let memory = Budget::default().share();
        let statement = ConnectionStatement::new(self.connection.clone(), [client, server], message, memory);
        // A claim that holds for no string of this length does not hold for this one.
        let mut statement = statement.map_err(not_true)?;
        // If P stopped later, V would learn that a claim which it has heard is false.
        statement.check_claims([request, response])?;
        if let Some(seed) = &self.leaves {
            statement.keep_salts(seed);
        }
        channel.send(WEB_CLAIMS, &encoded)?;
        Ok(statement)
    }
}
