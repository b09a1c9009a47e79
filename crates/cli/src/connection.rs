//! How two parties meet: either one may listen or connect, with TLS or without. Web pages connect by
//! WebSocket.
//!
//! ```text
//! reception    listening for one peer, among others who connect
//! dial         connecting to a peer that may not listen yet
//! opening      frames or a WebSocket: the first bytes tell
//! ```

mod dial;
mod opening;
mod reception;

use std::sync::Arc;
use std::time::{Duration, Instant};

use volery::visit::patience;
use volery::web::attestation::SigningKey;
use volery::{Address, Channel, Limits, Listener};
use volery_channel::tls::{
    ClientConfig, ServerConfig, Tls, Trust, client_config, raw_key_server_config, server_config,
};
use volery_channel::transport::{Socket, Transport};
use volery_channel::websocket::Origins;
use volery_channel::{Error, Framed};
use zeroize::Zeroizing;

use super::args::ConnectionArgs;
use super::failure::Failure;
use super::{output, terminal};

/// A connection to a peer, ready for a session.
pub(crate) struct Link {
    pub(crate) channel: Box<dyn Channel + Send>,
    /// The peer's address, for messages.
    pub(crate) peer: String,
}

/// The channel of a party that listens: before the session its limits change, and it waits for messages
/// without taking them.
pub(crate) trait ListenerChannel: Channel + Send {
    /// As [`Framed::renew`].
    fn renew(&mut self, limits: Limits);

    /// As [`Framed::await_frame`].
    fn await_frame(&mut self, most: usize) -> Result<(), Error>;

    /// As [`Framed::await_hello`].
    fn await_hello(&mut self) -> Result<(), Error>;
}

impl<T: Transport + Send> ListenerChannel for Framed<T> {
    fn renew(&mut self, limits: Limits) {
        self.renew(limits);
    }

    fn await_frame(&mut self, most: usize) -> Result<(), Error> {
        self.await_frame(most)
    }

    fn await_hello(&mut self) -> Result<(), Error> {
        self.await_hello()
    }
}

/// A connection that was accepted and has no session yet.
pub(crate) struct Pending {
    channel: Box<dyn ListenerChannel>,
    peer: String,
    /// The limits of the session.
    limits: Limits,
}

impl Pending {
    /// The channel, for messages before the session.
    pub(crate) fn channel(&mut self) -> &mut dyn ListenerChannel {
        &mut *self.channel
    }

    /// Lifts the bound on the time before the session. The peer has sent its request, and now waits for this
    /// party.
    pub(crate) fn wait(&mut self) {
        self.channel.renew(Limits { total_time: None, ..self.limits.clone() });
    }

    /// The channel, the peer's address, and the limits of the session, which do not hold yet.
    pub(crate) fn into_parts(self) -> (Box<dyn ListenerChannel>, String, Limits) {
        let Self { channel, peer, limits } = self;
        (channel, peer, limits)
    }

    /// The connection for its session. The limits of the session hold from now on.
    fn into_link(self) -> Link {
        let (mut channel, peer, limits) = self.into_parts();
        channel.renew(limits);
        Link { channel, peer }
    }
}

/// Where to find the peer. Making one checks all options of the connection.
pub(crate) struct Endpoint {
    side: Side,
    pub(crate) limits: Limits,
}

enum Side {
    Listening {
        listener: Listener,
        tls: Option<Arc<ServerConfig>>,
        /// The web pages that may connect.
        origins: Origins,
        /// How long to wait for a peer; none means for ever.
        listen_timeout: Option<Duration>,
    },
    Connecting {
        address: Address,
        tls: Option<(Arc<ClientConfig>, String)>,
        advice: Advice,
    },
}

/// Advice for the user when connecting fails.
#[derive(Clone, Copy)]
struct Advice {
    /// If nobody listens.
    absent: &'static str,
    /// If TLS fails.
    tls: Option<&'static str>,
}

impl Advice {
    /// Advice about a prover or verifier.
    const PEER: Self = Self {
        absent: "start the other party with --listen and this address, or give it more time with --connect-timeout",
        tls: None,
    };

    /// Turns an error of TLS into a failure with advice.
    fn on(self, error: Error) -> Failure {
        match (error, self.tls) {
            (Error::Tls(reason), Some(advice)) => Failure::session(format!("TLS: {reason}; {advice}")),
            (error, _) => error.into(),
        }
    }
}

impl Endpoint {
    /// From the command line: reads certificates and, on the listening side, starts to listen.
    pub(crate) fn new(args: &ConnectionArgs) -> Result<Self, Failure> {
        let limits = limits(args);
        let side = match (&args.listen, &args.connect) {
            (Some(_), None) => listen(args, certified(args)?)?,
            (None, Some(address)) => Side::Connecting {
                address: address.clone(),
                tls: client(address, args)?,
                advice: Advice::PEER,
            },
            _ => return Err(Failure::input("one of --listen and --connect is needed")),
        };
        Ok(Self { side, limits })
    }

    /// For a notary. It shows a certificate if the command line has one, otherwise the public half of its
    /// `key`. It always uses TLS: a prover must know whom it talks to before it sends anything.
    pub(crate) fn of_notary(args: &ConnectionArgs, key: &SigningKey) -> Result<Self, Failure> {
        let tls = match certified(args)? {
            Some(config) => config,
            None => {
                let seed = Zeroizing::new(key.to_bytes());
                raw_key_server_config(&seed).map_err(Failure::input)?
            }
        };
        Ok(Self { side: listen(args, Some(tls))?, limits: limits(args) })
    }

    /// For a client of a notary, which must prove in TLS that it is the one to `trust`.
    pub(crate) fn to_notary(address: &Address, trust: &Trust) -> Result<Self, Failure> {
        let advice = match trust {
            Trust::Key(_) => {
                "the notary has to show the key of --notary-key; if it has a certificate, give --notary-pin or --notary-ca"
            }
            Trust::Pin(_) | Trust::Roots(_) => {
                "if the notary has no certificate and shows only its key, leave out --notary-pin and --notary-ca"
            }
        };
        let tls = Some((client_config(trust).map_err(Failure::input)?, host(address)));
        let absent = "ask those who run the notary whether it runs, and at which address";
        let advice = Advice { absent, tls: Some(advice) };
        let side = Side::Connecting { address: address.clone(), tls, advice };
        Ok(Self { side, limits: Limits::default() })
    }

    /// The same, where the peer has to be reached, and TLS to end, within this time and not the usual one.
    pub(crate) fn reached_within(mut self, time: Option<Duration>) -> Self {
        self.limits.connect = time.unwrap_or(self.limits.connect);
        self
    }

    /// The same, where the peer may be silent for this long because it waits for a website.
    pub(crate) fn waiting(mut self, wait: Duration) -> Self {
        self.limits.read = self.limits.read.max(patience(wait));
        self
    }

    /// Runs `session` with one peer: the first one that connects here, or the one to connect to.
    pub(crate) fn meet<T>(&self, session: impl FnOnce(Link) -> Result<T, Failure>) -> Result<T, Failure> {
        match &self.side {
            Side::Listening { listener, listen_timeout, .. } => {
                reception::serve_one(self, listener, *listen_timeout, session)
            }
            Side::Connecting { .. } => session(self.call()?),
        }
    }

    /// Connects to the peer.
    pub(crate) fn call(&self) -> Result<Link, Failure> {
        let Side::Connecting { address, tls, advice } = &self.side else {
            return Err(Failure::input("only a connecting party calls"));
        };
        let start = Instant::now();
        let socket = dial::connect(address, self.limits.connect, advice.absent, &mut terminal::message)?;
        let peer = address.to_string();
        let link = match tls {
            None => Link { channel: Box::new(Framed::new(socket, self.limits.clone())), peer },
            Some((config, name)) => {
                let tls = Tls::connect(socket, Arc::clone(config), name, &self.limits);
                let tls = tls.map_err(|error| advice.on(error))?;
                Link { channel: Box::new(Framed::new(tls, self.limits.clone())), peer }
            }
        };
        terminal::detail(&format!("connected to {address} after {}", output::time(start.elapsed())));
        Ok(link)
    }

    /// Waits for a connection for `time`. TLS comes later, in [`Endpoint::greet`], so that a slow peer holds
    /// up nobody else.
    pub(crate) fn accept(&self, time: Duration) -> Result<Option<Socket>, Failure> {
        match &self.side {
            Side::Listening { listener, .. } => Ok(listener.accept(Some(time))?),
            Side::Connecting { .. } => Err(Failure::input("only a listening party accepts connections")),
        }
    }

    /// Makes a channel of an accepted connection. TLS and the peer's first message together may take the time
    /// to connect.
    pub(crate) fn greet(&self, socket: Socket) -> Result<Pending, Failure> {
        self.greet_within(socket, self.limits.connect)
    }

    /// As [`Self::greet`], in at most this time.
    pub(crate) fn greet_within(&self, socket: Socket, time: Duration) -> Result<Pending, Failure> {
        let (peer, start, limits) = (socket.peer(), Instant::now(), &self.limits);
        let time = time.min(limits.connect);
        let greeting = Limits { connect: time, read: time, write: time, ..limits.clone() };
        let mut channel = self.channel(socket, greeting.clone())?;
        let left = time.saturating_sub(start.elapsed());
        channel.renew(Limits { total_time: Some(left), ..greeting });
        Ok(Pending { channel, peer, limits: limits.clone() })
    }

    /// A channel over an accepted connection.
    fn channel(&self, socket: Socket, limits: Limits) -> Result<Box<dyn ListenerChannel>, Failure> {
        let Side::Listening { tls, origins, .. } = &self.side else {
            return Err(Failure::input("only a listening party accepts connections"));
        };
        let Some(config) = tls else { return Ok(opening::channel(socket, None, origins, limits)?) };
        let start = Instant::now();
        let tls = Tls::accept(socket, Arc::clone(config), &limits)?;
        let (agreed, rest) = (tls.is_http(), limits.connect.saturating_sub(start.elapsed()));
        Ok(opening::channel(tls, agreed, origins, Limits { connect: rest, ..limits })?)
    }
}

/// The limits on time and bytes that the command line sets.
fn limits(args: &ConnectionArgs) -> Limits {
    Limits {
        connect: args.connect_timeout,
        read: args.timeout,
        write: args.timeout,
        total_time: args.max_time,
        total_bytes: args.max_bytes,
        ..Limits::default()
    }
}

/// The certificate to show, if there is one.
fn certified(args: &ConnectionArgs) -> Result<Option<Arc<ServerConfig>>, Failure> {
    let (Some(chain), Some(key)) = (&args.tls_cert, &args.tls_key) else { return Ok(None) };
    let (config, fingerprint) = server_config(chain, key).map_err(Failure::input)?;
    terminal::message(&format!("certificate sha256:{fingerprint}"));
    Ok(Some(config))
}

fn listen(args: &ConnectionArgs, tls: Option<Arc<ServerConfig>>) -> Result<Side, Failure> {
    let address = args.listen.as_ref().ok_or_else(|| Failure::input("a notary needs --listen ADDR"))?;
    let listener = Listener::bind(address)?;
    terminal::message(&format!("listening at {}", listener.address()?));
    let origins = match &args.origin[..] {
        [all] if all == "*" => Origins::Any,
        these => Origins::NearAnd(these.to_vec()),
    };
    Ok(Side::Listening { listener, tls, origins, listen_timeout: args.listen_timeout })
}

fn client(address: &Address, args: &ConnectionArgs) -> Result<Option<(Arc<ClientConfig>, String)>, Failure> {
    let trust = match (&args.tls_ca, &args.tls_pin) {
        (Some(path), _) => Trust::Roots(path.clone()),
        (None, Some(pin)) => Trust::Pin(*pin),
        (None, None) if args.tls_name.is_some() => {
            return Err(Failure::input("--tls-name needs --tls-ca or --tls-pin"));
        }
        (None, None) => return Ok(None),
    };
    let config = client_config(&trust).map_err(Failure::input)?;
    Ok(Some((config, args.tls_name.clone().unwrap_or_else(|| host(address)))))
}

/// The name that the listening party's certificate must be for.
fn host(address: &Address) -> String {
    match address {
        Address::Tcp { host, .. } => host.clone(),
        Address::Unix(_) => "localhost".to_owned(),
    }
}
