//! P's part before the proof: what it tells V.

use sha2::{Digest as _, Sha256};
use volery_channel::Channel;
use volery_channel::tags::WEB_CLAIMS;
use volery_field::F2;
use zeroize::{Zeroize as _, Zeroizing};

use super::account::Account;
use super::derive::{Root, derive};
use super::machine::Compute;
use super::proven::parts;
use super::shown::{self, Checked, Hide, Message, Server, Shown, Wish, find};
use super::verifier::check_opened;
use super::{Error, Refusal};
use crate::memory::Pool;
use crate::page::attestation::{Context, Mode, Statement};
#[cfg(test)]
use crate::page::http;
use crate::page::http::Exchange;
use crate::wire::prf::Side;
use crate::wire::server;
use crate::wire::transcript::Transcript;

/// A connection that has ended, as P has it.
pub(crate) struct Ended {
    pub(crate) mode: Mode,
    pub(crate) host: String,
    /// If V connected to it; else it is the one that the requests name.
    pub(crate) port: Option<u16>,
    /// Whether a request was sent before the response to the one before it had come.
    pub(crate) pipelined: bool,
    /// What V is to sign with what it believes.
    pub(crate) context: Context,
    pub(crate) transcript: Transcript,
    /// All bytes: the client's, the server's.
    pub(crate) raw: [Vec<u8>; 2],
    /// All requests, and all responses.
    pub(crate) payload: [Zeroizing<Vec<u8>>; 2],
    /// A cheating P does without the checks of its own that V makes, too.
    #[cfg(test)]
    pub(crate) unchecked: bool,
}

impl core::fmt::Debug for Ended {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Ended").field("host", &self.host).finish_non_exhaustive()
    }
}

impl Ended {
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

    /// Checks, in the clear, all that V will check of Finished messages and tags.
    ///
    /// # Errors
    /// [`Error::Refused`].
    pub(crate) fn check(&self, root: &Root<F2>) -> Result<(), Error> {
        self.try_check(root)?;
        Ok(())
    }

    /// What V learns of the keys' consequences, and whether the server ended the connection.
    fn try_check(&self, root: &Root<F2>) -> Result<(Vec<u8>, bool), Refusal> {
        let blind = root.blind();
        let mut machine = Compute::default();
        derive(&mut machine, &self.transcript, root)?.keys.zeroize();
        let opened = machine.into_opened();
        let lengths = [self.request().len(), self.response().len()];
        let closed = check_opened(&self.transcript, &opened, lengths, blind)?;
        Ok((opened, closed))
    }

    /// All that is hidden if P wishes this.
    ///
    /// # Errors
    /// [`Error::Refused`] for a part that is not there, and for one that is neither revealed nor can be
    /// hidden.
    pub(crate) fn select(&self, wish: &Wish) -> Result<Vec<Hide>, Error> {
        let [request, response] = &self.payload;
        // Whether the server closed the connection matters to what is believed, which `disclose` looks at.
        let exchanges = shown::exchanges([request, response], true)?;
        Ok(wish.of([request, response], &exchanges)?)
    }

    /// What V will sign if P discloses the connection so, commitments apart; at this time, in seconds
    /// since 1970.
    ///
    /// # Errors
    /// [`Error::Refused`] for what V would refuse of it.
    pub(crate) fn expected(&self, hide: &[Hide], time: u64) -> Result<Statement, Error> {
        let [request, response] = &self.payload;
        let exchanges = shown::exchanges([request, response], true)?;
        let shown =
            [find(Side::Client, request, &exchanges, hide)?, find(Side::Server, response, &exchanges, hide)?];
        let server_name = server::canonical_name(&self.host).map_err(Refusal::from)?;
        let checked = self.check_shown(&shown, &server_name, true)?;
        if self.pipelined {
            let [request, _] = &shown;
            shown::check_pipelined(request, &checked.exchanges)?;
        }
        let outside = Refusal::Shown { side: Side::Server, reason: "it lies outside of the payload" };
        let [query, response] = parts(shown.each_ref()).ok_or(outside)?;
        let certificates = &self.transcript.handshake.certificates;
        Ok(Statement {
            mode: self.mode,
            server_name,
            port: checked.port,
            certificate: Sha256::digest(certificates.first().map_or(&[][..], |own| own.as_ref())).into(),
            time,
            // At most as many as messages are read.
            rounds: u32::try_from(checked.exchanges.len()).unwrap_or(u32::MAX),
            pipelined: self.pipelined,
            context: self.context.clone(),
            query,
            response,
        })
    }

    /// Requests and responses, as V will read them.
    fn exchanges(&self, closed: bool) -> Result<Vec<Exchange>, Refusal> {
        let [request, response] = &self.payload;
        #[cfg(test)]
        if self.unchecked {
            return Ok(http::parse(request, response, closed).unwrap_or_default());
        }
        shown::exchanges([request, response], closed)
    }

    /// What V will check of what it is shown. Which ports it has to do with is its own affair.
    fn check_shown(&self, shown: &[Shown; 2], host: &str, closed: bool) -> Result<Checked, Refusal> {
        #[cfg(test)]
        if self.unchecked {
            return Ok(Checked { exchanges: self.exchanges(closed)?, port: self.port.unwrap_or_default() });
        }
        shown::check(shown, &Server { host, port: self.port, ports: &[] }, closed)
    }

    /// Tells V everything about the connection but what `hide` names. What comes back is to be proved next.
    /// `root` is the one that V has, with values.
    ///
    /// Everything is checked here first as V will check it, so that a claim that V would refuse fails before
    /// V hears of it, and so does one that is false.
    ///
    /// # Errors
    /// [`Error::StillOpen`]; [`Error::NotTrue`]; [`Error::Refused`] for what V would refuse; the channel's.
    pub(crate) fn disclose(
        &self,
        channel: &mut dyn Channel,
        root: &Root<F2>,
        hide: &[Hide],
    ) -> Result<Account, Error> {
        let result = self.try_disclose(channel, root, hide);
        if result.is_err() {
            channel.fail("the prover cannot say what it wants to say about this connection");
        }
        result
    }

    fn try_disclose(
        &self,
        channel: &mut dyn Channel,
        root: &Root<F2>,
        hide: &[Hide],
    ) -> Result<Account, Error> {
        let [request, response] = &self.payload;
        let (opened, closed) = self.try_check(root)?;
        let exchanges = self.exchanges(closed)?;
        let open = !closed && !exchanges.last().is_some_and(|last| last.response.is_last(response));
        #[cfg(test)]
        let open = open && !self.unchecked;
        if open {
            return Err(Error::StillOpen);
        }
        let shown =
            [find(Side::Client, request, &exchanges, hide)?, find(Side::Server, response, &exchanges, hide)?];
        let host = server::canonical_name(&self.host).map_err(Refusal::from)?;
        self.check_shown(&shown, &host, closed)?;
        let message = Message { context: self.context.clone(), opened, shown };
        let [client, server] = &self.raw;
        let encoded = message.encode();
        // What V's limits refuse is found here, too.
        Message::decode(&encoded)?;
        let memory = Pool::default().share();
        let mut account = Account::new(self.transcript.clone(), [client, server], message, memory)?;
        // That P goes no further would tell V that a claim which it has heard is false.
        account.check_claims([request, response])?;
        channel.send(WEB_CLAIMS, &encoded)?;
        Ok(account)
    }
}
