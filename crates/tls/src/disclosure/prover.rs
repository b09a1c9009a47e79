//! P's part before the proof: what it tells V.

use volery_channel::Channel;
use volery_channel::tags::WEB_CLAIMS;
use volery_field::F2;
use zeroize::{Zeroize as _, Zeroizing};

use super::account::Account;
use super::derive::{Root, derive};
use super::machine::Compute;
use super::shown::{self, Hide, Message, Reveal, find};
use super::verifier::check_opened;
use super::{Error, Refusal};
use crate::prf::Side;
use crate::transcript::Transcript;

/// A connection that has ended, as P has it.
pub(crate) struct Ended {
    pub(crate) host: String,
    pub(crate) transcript: Transcript,
    /// All bytes: the client's, the server's.
    pub(crate) raw: [Vec<u8>; 2],
    /// All requests, and all responses.
    pub(crate) payload: [Zeroizing<Vec<u8>>; 2],
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

    /// What hides all that can be hidden but what is `revealed`, with no claims.
    ///
    /// # Errors
    /// [`Error::Refused`] for a part that is not there, and for one that is neither revealed nor can be hidden.
    pub(crate) fn hide_all_but(&self, revealed: &[Reveal]) -> Result<Vec<Hide>, Error> {
        let [request, response] = &self.payload;
        // Whether the server closed the connection matters to what is believed, which `disclose` looks at.
        let exchanges = shown::exchanges([request, response], true)?;
        if let Some(Reveal { side, round, part }) =
            revealed.iter().find(|revealed| revealed.round >= exchanges.len())
        {
            return Err(shown::no_round(*side, *round, part, exchanges.len()).into());
        }
        let mut all = Vec::new();
        for (round, exchange) in exchanges.iter().enumerate() {
            for (side, text) in [(Side::Client, request), (Side::Server, response)] {
                let shown =
                    revealed.iter().filter(|revealed| (revealed.side, revealed.round) == (side, round));
                let shown: Vec<_> = shown.map(|revealed| revealed.part.clone()).collect();
                let hidden = shown::all_but(side, text, round, exchange, &shown)?;
                all.extend(hidden.into_iter().map(|part| Hide { round, ..Hide::new(side, part) }));
            }
        }
        Ok(all)
    }

    /// Tells V everything about the connection but what `hide` names. What comes back is to be proved next. `root` is the one that V
    /// has, with values.
    ///
    /// Everything is checked here first as V will check it, so that a claim that V would refuse fails before V hears of it. A claim
    /// that is false fails in the proof, at P.
    ///
    /// # Errors
    /// [`Error::StillOpen`]; [`Error::Refused`] for what V would refuse; the channel's.
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
        let exchanges = shown::exchanges([request, response], closed)?;
        if !closed && !exchanges.last().is_some_and(|last| last.response.is_last(response)) {
            return Err(Error::StillOpen);
        }
        let shown =
            [find(Side::Client, request, &exchanges, hide)?, find(Side::Server, response, &exchanges, hide)?];
        shown::check(&shown, &self.host, closed)?;
        let message = Message { opened, shown };
        let [client, server] = &self.raw;
        let encoded = message.encode();
        // What V's limits refuse is found here, too.
        Message::decode(&encoded)?;
        let mut account = Account::new(self.transcript.clone(), [client, server], message)?;
        // That P goes no further would tell V that a claim which it has heard is false.
        account.check_claims([request, response])?;
        channel.send(WEB_CLAIMS, &encoded)?;
        Ok(account)
    }
}
