//! A website's page, fetched by both parties together: the mode of two parties of [`volery_tls::joint`].
//!
//! ```text
//! P                                              V                       server
//! set-up                     <---------->        set-up
//! prepare_web                <---------->        prepare_web             circuits garbled, correlations made
//! PreparedProver::fetch,     <---------->        PreparedVerifier::watch
//!   converse
//!                            <------------------------------------>      P's connection
//! FetchedTogether::prove     <---------->        Watched::verify
//! attestation                <-----------        attest
//! ```
//!
//! P may reach the server through V ([`Prover::carried`], [`PreparedProver::converse_carried`]), which is the
//! only way in WebAssembly: [`volery_tls::relay`] says what that changes. V's channel is then one that
//! [carries](volery_tls::relay).
//!
//! A connection takes the session with it, and the proof gives it back if P commits to nothing: so nothing
//! else can be done under V's delta in between, and nothing at all when it is open.

use rand_core::CryptoRng;
use volery_channel::handshake::Begin;
use volery_channel::{Channel, Stats};
use volery_tls::attestation::{Context, Statement};
use volery_tls::dialogue::RequestSource;
use volery_tls::disclosure::{Redaction, Selection};
use volery_tls::joint::client::{self, ConnectionLimits, RoundRecords, Socket, Target};
use volery_tls::joint::{self, Limits, Settings, Sizes};
use volery_tls::leaf::Seed;
use volery_tls::relay;
use volery_tls::server::Roots;
use volery_vole::{SessionId, softspoken};
#[cfg(not(target_family = "wasm"))]
use zeroize::Zeroizing;

use super::super::field::FieldPool;
use super::super::system::Bits;
use super::super::{Common, Prover, Verifier};
use super::page::{Disclosed, ProvedPage, VerifiedPage, now};
use crate::Error;

/// Why P does not rely on the end of a connection that V carries.
pub(super) const CARRIED_CLOSE: &str =
    "the notary carried the connection, so nothing but the server's own word shows that it ended";

/// What of a session stays as it is while a connection is made.
struct Rest<E> {
    common: Common,
    extension: E,
    field: Option<Box<dyn FieldPool>>,
}

/// P of a connection that is prepared: the next step is to open it.
pub struct PreparedProver<C: Channel, R> {
    prover: joint::Prover<C, R>,
    sizes: Sizes,
    rest: Rest<Option<softspoken::Receiver>>,
}

/// P of a connection that has ended, of which V has only the ciphertexts.
pub struct FetchedTogether<C: Channel, R> {
    fetched: joint::Fetched<C, R>,
    /// Where P has connected to.
    port: u16,
    /// Whether V has the connection.
    carried: bool,
    rest: Rest<Option<softspoken::Receiver>>,
}

/// V of a connection that is prepared.
pub struct PreparedVerifier<C: Channel> {
    channel: C,
    verifier: joint::Verifier,
    rest: Rest<Option<softspoken::Sender>>,
}

/// V of a connection that has ended.
pub struct Watched<C: Channel> {
    channel: C,
    held: joint::ReceivedConnection,
    rest: Rest<Option<softspoken::Sender>>,
}

impl Common {
    /// Opens the making of a connection: a name for it, and how it is to be garbled and proved.
    fn begin_web(&mut self, channel: &mut dyn Channel) -> Result<(SessionId, Settings), Error> {
        if self.options.fiat_shamir {
            let reason = "a connection that both parties make is proved interactively; leave Fiat-Shamir out";
            return Err(Error::Options(reason.into()));
        }
        let settings = Settings { proof: self.options.settings(), ..Settings::default() };
        let mut name = blake3::Hasher::new_derive_key("volery session: connection of two parties v1");
        name.update(self.id.as_bytes()).update(&self.proofs.to_le_bytes());
        let name = *name.finalize().as_bytes();
        let begin: Begin = self.begin(&Bits, name, None)?;
        begin.send(channel)?;
        begin.receive(channel)?;
        self.over = false;
        Ok((SessionId::new(name), settings))
    }
}

impl<C: Channel> Prover<C> {
    /// Has V connect to a server, to [find out](client::probe) what the server speaks. Nothing is proved
    /// about this connection.
    ///
    /// # Errors
    /// [`Error::Joint`] with V's error; [`Error::Over`] after an earlier error.
    pub fn carried(
        &mut self,
        host: &str,
        port: u16,
        limits: &ConnectionLimits,
    ) -> Result<relay::Stream<relay::Carry<&mut C>>, Error> {
        self.not_rehearsed()?;
        if self.common.over {
            return Err(Error::Over);
        }
        let opened =
            relay::Stream::open(relay::Carry(&mut self.channel), host, port, limits.received, limits.idle);
        opened.map_err(|error| joint::Error::from(error).into())
    }

    /// Prepares a connection to a website, whose requests have these sizes, together with V: nearly all of
    /// its time and bytes go here. To be called well before the page is wanted.
    ///
    /// # Errors
    /// [`Error::Joint`] for sizes that nobody prepares, and for what preparation meets; [`Error::Options`]
    /// with Fiat-Shamir; [`Error::Over`] after an earlier error.
    pub fn prepare_web<R: CryptoRng>(mut self, sizes: Sizes, rng: R) -> Result<PreparedProver<C, R>, Error> {
        self.not_rehearsed()?;
        let begun = self.common.begin_web(&mut self.channel);
        let (id, settings) = self.conclude(begun)?;
        let Self { channel, common, pool, extension, field } = self;
        let prover = joint::Prover::prepare(channel, &id, pool, settings, sizes.clone(), rng)?;
        Ok(PreparedProver { prover, sizes, rest: Rest { common, extension, field } })
    }
}

impl<C: Channel, R: CryptoRng> PreparedProver<C, R> {
    /// Connects to the server at this port, sends `request` together with V, and takes the response until the
    /// server ends the connection; then learns from V what is needed to read it. The request should have
    /// `Connection: close` and `Accept-Encoding: identity`.
    ///
    /// # Errors
    /// [`Error::Joint`]: the connection's errors, what V does wrong, a request of another size than was
    /// prepared.
    #[cfg(not(target_family = "wasm"))]
    pub fn fetch(
        self,
        target: &Target<'_>,
        port: u16,
        request: &[u8],
    ) -> Result<FetchedTogether<C, R>, Error> {
        self.converse(target, port, &mut |_, _| Ok(Zeroizing::new(request.to_vec())))
    }

    /// As [`PreparedProver::fetch`], with all requests that were prepared, which `ask` makes. Where nothing
    /// was prepared to be read of a response the next request is sent at once, and the attestation says that
    /// ([`Sizes::pipelined`]). All but the last should have `Connection: keep-alive`; they can have no body.
    ///
    /// # Errors
    /// As [`PreparedProver::fetch`]; what [`client::converse`] says of requests and of responses that are
    /// read.
    #[cfg(not(target_family = "wasm"))]
    pub fn converse(
        self,
        target: &Target<'_>,
        port: u16,
        ask: &mut RequestSource<'_>,
    ) -> Result<FetchedTogether<C, R>, Error> {
        let connect = |_: &mut joint::Prover<C, R>| Ok(client::dial(target.host, port, &target.limits)?);
        self.converse_over(connect, target, port, ask, false)
    }

    /// As [`PreparedProver::converse`], over a connection that V carries.
    ///
    /// # Errors
    /// As [`PreparedProver::converse`].
    pub fn converse_carried(
        self,
        target: &Target<'_>,
        port: u16,
        ask: &mut RequestSource<'_>,
    ) -> Result<FetchedTogether<C, R>, Error> {
        let connect = |prover: &mut joint::Prover<C, R>| {
            client::Carried::open(prover, target.host, port, &target.limits)
        };
        self.converse_over(connect, target, port, ask, true)
    }

    /// As [`PreparedProver::converse`], over a connection to the server that `connect` opens.
    fn converse_over<S: Socket>(
        mut self,
        connect: impl FnOnce(&mut joint::Prover<C, R>) -> Result<S, joint::Error>,
        target: &Target<'_>,
        port: u16,
        ask: &mut RequestSource<'_>,
        carried: bool,
    ) -> Result<FetchedTogether<C, R>, Error> {
        let Self { prover, sizes, .. } = &mut self;
        let round = |(number, round): (usize, &joint::RoundSizes)| RoundRecords {
            lengths: sizes.lengths(number),
            read: round.read > 0,
        };
        let rounds: Vec<RoundRecords> = sizes.rounds.iter().enumerate().map(round).collect();
        let captured = connect(prover)
            .and_then(|stream| client::converse(prover, stream, target, &rounds, ask))
            .inspect_err(|error| prover.give_up(error))?;
        let fetched = self.prover.conclude(target.host, [captured.client, captured.server])?;
        Ok(FetchedTogether { fetched, port, carried, rest: self.rest })
    }
}

impl<C: Channel, R> PreparedProver<C, R> {
    /// The channel's counters.
    pub fn stats(&self) -> Stats
    where
        R: CryptoRng,
    {
        self.prover.stats()
    }
}

impl<C: Channel, R: CryptoRng> FetchedTogether<C, R> {
    /// The requests, one after the other.
    #[must_use]
    pub fn request(&self) -> &[u8] {
        self.fetched.request()
    }

    /// The responses as they were sent, one after the other: status line, headers, body.
    #[must_use]
    pub fn response(&self) -> &[u8] {
        self.fetched.response()
    }

    /// The channel's counters.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.fetched.stats()
    }

    /// As [`Fetched::select`](volery_tls::proxy::Fetched::select).
    ///
    /// # Errors
    /// [`Error::Joint`] for a part that is not there, and for one that is neither revealed nor can be hidden.
    pub fn select(&self, selection: &Selection) -> Result<Vec<Redaction>, Error> {
        Ok(self.fetched.select(selection)?)
    }

    /// Has V sign this with what it believes.
    pub fn set_context(&mut self, context: Context) {
        self.fetched.set_context(context);
    }

    /// As [`Fetched::commit_all`](volery_tls::proxy::Fetched::commit_all).
    pub fn commit_all(&mut self, seed: Seed) {
        self.fetched.commit_all(seed);
    }

    /// As [`Fetched::trust_close`](volery_tls::proxy::Fetched::trust_close).
    ///
    /// # Errors
    /// [`Error::Options`] if V carried the connection: V could have kept it, and go on in P's name.
    pub fn trust_close(&mut self) -> Result<(), Error> {
        if self.carried {
            return Err(Error::Options(CARRIED_CLOSE.into()));
        }
        self.fetched.trust_close();
        Ok(())
    }

    /// As [`Fetched::expected`](volery_tls::proxy::Fetched::expected).
    ///
    /// # Errors
    /// [`Error::Joint`] for what V would refuse of it; [`Error::Options`] if the requests' `Host` names
    /// another port than P has connected to, since it is what V goes by.
    pub fn expected(&self, hide: &[Redaction], time: u64) -> Result<Statement, Error> {
        let expected = self.fetched.expected(hide, time)?;
        let (named, port) = (expected.port, self.port);
        if named != port {
            let reason = format!("the requests' Host names port {named}, and the connection was to {port}");
            return Err(Error::Options(reason));
        }
        Ok(expected)
    }

    /// Shows V the connection's payload but what `hide` names, and proves it together with the claims and
    /// with all that was garbled; then commits to what `hide` says is to be committed to.
    ///
    /// # Errors
    /// As [`FetchedTogether::expected`]; [`Error::Joint`] for a false claim, and for V's rejection;
    /// [`Error::Commitments`] for a V that cheats in the conversion; the channel's.
    pub fn prove(self, hide: &[Redaction]) -> Result<ProvedPage<C>, Error> {
        let (expected, leaves) = (self.expected(hide, now())?, self.fetched.leaf_openings(hide)?);
        let Self { fetched, rest: Rest { common, extension, field }, .. } = self;
        let joint::Remainder { channel, mut rng, pool, committed_bits } = fetched.prove(hide)?;
        let prover = Prover { channel, common, pool, extension, field };
        ProvedPage::new(prover, Disclosed { expected, leaves, committed_bits }, &mut rng)
    }
}

impl<C: Channel> Verifier<C> {
    /// Prepares a connection that P wants to make, within `limits`.
    ///
    /// # Errors
    /// As [`Prover::prepare_web`].
    pub fn prepare_web(
        mut self,
        limits: Limits,
        rng: &mut dyn CryptoRng,
    ) -> Result<PreparedVerifier<C>, Error> {
        let begun = self.common.begin_web(&mut self.channel);
        let (id, settings) = self.conclude(begun)?;
        let Self { mut channel, common, pool, delta, extension, field } = self;
        let verifier = joint::Verifier::prepare(&mut channel, &id, (delta, pool), settings, limits, rng)?;
        Ok(PreparedVerifier { channel, verifier, rest: Rest { common, extension, field } })
    }
}

impl<C: Channel> PreparedVerifier<C> {
    /// Takes part in the connection until P has handed over its bytes, and opens V's part of its secrets.
    ///
    /// # Errors
    /// [`Error::Joint`] for whatever P does otherwise than it should; the channel's.
    pub fn watch(mut self, rng: &mut dyn CryptoRng) -> Result<Watched<C>, Error> {
        let held = self.verifier.run(&mut self.channel, rng)?;
        Ok(Watched { channel: self.channel, held, rest: self.rest })
    }
}

impl<C: Channel> Watched<C> {
    /// The host that P says the connection was with; proved by [`Watched::verify`].
    #[must_use]
    pub fn host(&self) -> &str {
        self.held.host()
    }

    /// Verifies what P says and proves of the connection, and receives P's commitments. `roots` are the
    /// authorities that V believes, `time` is now, in seconds since 1970 (UTC).
    ///
    /// # Errors
    /// [`Error::Joint`] for a connection, or a message about it, that V cannot believe, and with a rejection
    /// if the proof is wrong; [`Error::Commitments`] for commitments to anything else than the proved bits;
    /// the channel's.
    pub fn verify(self, roots: &Roots, time: u64, rng: &mut dyn CryptoRng) -> Result<VerifiedPage<C>, Error> {
        let Self { mut channel, held, rest: Rest { common, extension, field } } = self;
        let (accepted, delta, pool) = held.verify(&mut channel, roots, time, &*common.vocabulary, rng)?;
        VerifiedPage::new(Verifier { channel, common, pool, delta, extension, field }, accepted, rng)
    }
}
