//! Everything that a prover does for one connection to a website, from the requests to the attestation.
//!
//! ```text
//! P                                              V                       server
//! Visit::preflight: can all that is wanted be proved, as far as the requests show it?
//! Visit::probe: which version of TLS, which cipher suite?          <---->
//! Visit::prove:
//!   Greeting                 ----------->
//!                            <-----------        P's number in the line; Terms
//!   set-up                   <---------->
//!   checks the terms
//!   carried: as Visit::probe <---------->        carries         <---->
//!   prepares, asks, reads    <---------->        takes part      <---->        (or relays)
//!   Observer::agrees: may this be signed?
//!   proves                   <---------->
//!   attestation              <-----------
//! ```
//!
//! A prover fills in a [`Visit`], connects to a notary, and calls [`Visit::prove`]. The channel to the notary
//! is to be encrypted, and P is to know whom it talks to: see [`notary`](crate::notary).
//!
//! ```no_run
//! use volery::notary::Way;
//! use volery::visit::{Error, Notary, Round, Visit, Visited};
//! use volery::web::disclosure::Selection;
//! use volery::{Channel, Zeroizing};
//!
//! /// Has `notary` sign what `selection` shows and claims of an account.
//! fn attested(channel: impl Channel, notary: &Notary, selection: Selection) -> Result<Visited, Error> {
//!     let request = b"GET /account HTTP/1.1\r\nHost: bank.example\r\nCookie: session=42\r\n\
//!                     Accept-Encoding: identity\r\nConnection: close\r\n\r\n";
//!     let rounds = vec![Round::alone(request.len())];
//!     let visit = Visit { selection, ..Visit::new("bank.example", 443, Way::TwoParty, rounds) };
//!     visit.preflight(request)?;
//!     let probe = visit.probe(&())?;
//!     visit.prove(channel, notary, probe, &mut |_, _| Ok(Zeroizing::new(request.to_vec())), &())
//! }
//! ```
//!
//! [`words`](volery_tls::disclosure::words) has a notation for selections, and
//! [`request`](volery_tls::http::request) makes requests. An [`Observer`] in the place of `&()` hears what is
//! being done, and is asked before anything is shown.

mod error;
mod observer;
mod run;
mod server;
mod terms;

pub use error::Error;
pub use observer::{Observer, Phase};
pub use terms::Unmet;
pub use volery_tls::joint::client::Probe;

use std::time::Duration;

use volery_channel::Stats;
use volery_tls::attestation::contract::Address;
use volery_tls::attestation::{Attestation, Context};
use volery_tls::commitment::Openings;
use volery_tls::disclosure::{Preflight, Selection, Suite, TlsVersion};
use volery_tls::joint::{RoundSizes, Sizes};
use volery_tls::leaf::LeafOpenings;
use volery_tls::server::Roots;
use zeroize::Zeroizing;

use crate::notary::Way;

/// How long a website may take for its next bytes if the prover does not say, and the notary waits as long.
pub const USUAL_WAIT: Duration = Duration::from_secs(10);
/// How long to wait for a website in total, besides the wait for its first bytes: less than a notary waits
/// for the prover in this phase.
pub const SERVER_TIME: Duration = Duration::from_secs(15);
/// What a party needs besides waiting for a website, until its next message.
pub const MARGIN: Duration = Duration::from_secs(20);
/// The most bytes to receive from a website.
pub const MAX_RECEIVED: usize = 16 << 20;
/// About how many bytes of a response are proved if the prover does not say.
pub const USUAL_EXPECT: usize = 1024;

/// The number of records in which a response that is read may come.
const RECORDS: usize = 2;
/// The number of session tickets that servers of TLS 1.3 send before the first response, and the length of
/// the record with one.
const TICKETS: [usize; 2] = [2, 272];

/// How long to wait for the next message of a peer that may wait this long for a website: for
/// [`Limits::read`](volery_channel::Limits::read).
#[must_use]
pub fn patience(wait: Duration) -> Duration {
    wait.saturating_add(MARGIN)
}

/// What a prover wants of one connection to a website.
#[derive(Clone, Debug)]
pub struct Visit {
    /// The website's host: a DNS name or an IP address.
    pub host: String,
    /// Its port, which the requests' `Host` has to name if it is not 443.
    pub port: u16,
    /// How the connection is made.
    pub way: Way,
    /// The requests, in order.
    pub rounds: Vec<Round>,
    /// About how many bytes of the responses will be proved. With two parties correlations for this many are
    /// made ahead; proving more takes time and bytes later.
    pub expect: usize,
    /// The authorities that vouch for websites.
    pub roots: Roots,
    /// The version of TLS to speak; `None` for the website's choice.
    pub tls: Option<TlsVersion>,
    /// The cipher suite; `None` for the cheapest that the website takes, and in proxy mode for its choice.
    pub suite: Option<Suite>,
    /// Whether the website may name no protocol (ALPN). With two parties the notary has to allow it, and the
    /// attestation says so.
    pub no_alpn: bool,
    /// Whether to rely on a website that was asked to end the connection and does not say that it does. Not
    /// over a connection that the notary carries: it could go on in P's name.
    pub trust_close: bool,
    /// How long the website may take for its next bytes; `None` for [`USUAL_WAIT`], or less if the notary
    /// waits less.
    pub wait: Option<Duration>,
    /// What to show, hide, claim and commit to.
    pub selection: Selection,
    /// What the notary signs with what it believes.
    pub context: Context,
    /// Who has to sign for contracts, if somebody has to.
    pub contract_signer: Option<Address>,
}

/// A request, as far as both parties know it before the connection opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// The exact number of its bytes. Only two parties need it.
    pub query: usize,
    /// The most bytes of its response, if a later request waits for that; `None` if two parties send the next
    /// request at once, or if there is none. In proxy mode requests wait in any case.
    pub read: Option<usize>,
}

impl Round {
    /// A request of this many bytes, for whose response no other waits.
    #[must_use]
    pub const fn alone(query: usize) -> Self {
        Self { query, read: None }
    }

    /// The sizes for a connection of two parties with these requests, which proves about this many bytes of
    /// the responses. What is read includes what records and session tickets take.
    #[must_use]
    pub fn sizes(rounds: &[Self], (tls, suite): (TlsVersion, Suite), proved: usize) -> Sizes {
        // What records take besides their content, with the rounding of their ends.
        let ends = RECORDS * RoundSizes::taken_by(suite, 1);
        let [count, length] = TICKETS;
        let sizes = |(round, Self { query, read }): (usize, &Self)| {
            let first = tls == TlsVersion::Tls13 && round == 0;
            let tickets = if first { count * RoundSizes::taken_by(suite, length) } else { 0 };
            RoundSizes { query: *query, read: read.map_or(0, |read| read.saturating_add(ends + tickets)) }
        };
        Sizes { tls, suite, rounds: rounds.iter().enumerate().map(sizes).collect(), proved }
    }
}

/// The notary, as a prover knows it.
pub struct Notary {
    /// The key that has to sign the attestation.
    pub key: [u8; 32],
    /// What shows the notary who asks; secret, and empty if P has none.
    pub token: Zeroizing<Vec<u8>>,
}

/// What a prover has in the end.
pub struct Visited {
    /// What the notary signed. P has checked that it says what P disclosed.
    pub attestation: Attestation,
    /// What opens the commitments; secret. None if P committed to nothing.
    pub openings: Option<Openings>,
    /// What opens the leaves; secret. None if P did not commit to everything, or hid nothing.
    pub leaves: Option<LeafOpenings>,
    /// The responses as they were sent, one after the other, with what is hidden of them.
    pub response: Zeroizing<Vec<u8>>,
    /// The counters of the channel to the notary.
    pub stats: Stats,
}

impl Visit {
    /// A connection on which the rest is as usual: the public web's authorities, the website's choice of TLS,
    /// everything hidden that can be, no claims.
    #[must_use]
    pub fn new(host: impl Into<String>, port: u16, way: Way, rounds: Vec<Round>) -> Self {
        Self {
            host: host.into(),
            port,
            way,
            rounds,
            expect: USUAL_EXPECT,
            roots: Roots::public(),
            tls: None,
            suite: None,
            no_alpn: false,
            trust_close: false,
            wait: None,
            selection: Selection::default(),
            context: Context::default(),
            contract_signer: None,
        }
    }

    /// Checks that all that is wanted can be proved, as far as these requests show it: the first ones of the
    /// connection, one after the other. [`Visit::prove`] does the same with each request, but by then the
    /// set-up is paid.
    ///
    /// # Errors
    /// [`Error::Unprovable`].
    pub fn preflight(&self, requests: &[u8]) -> Result<(), Error> {
        let (host, port, rounds) = (&*self.host, self.port, self.rounds.len());
        Preflight { host, port, requests, rounds }.check(&self.selection).map_err(Error::Unprovable)
    }

    /// The longest time that the website may take for its next bytes, before the notary's limits are known.
    #[must_use]
    pub fn longest_wait(&self) -> Duration {
        self.wait.unwrap_or(USUAL_WAIT)
    }

    /// How long to wait for the notary's next message: for
    /// [`Limits::read`](volery_channel::Limits::read).
    #[must_use]
    pub fn patience(&self) -> Duration {
        patience(self.longest_wait())
    }
}
