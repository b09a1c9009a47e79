//! How two parties meet: either one may listen or connect, with TLS or without.

use std::sync::Arc;
use std::time::{Duration, Instant};

use volery::tls::attestation::SigningKey;
use volery::{Address, Channel, Limits, Listener};
use volery_channel::tls::{
    ClientConfig, ServerConfig, Tls, Trust, client_config, raw_key_server_config, server_config,
};
use volery_channel::transport::{Socket, Transport};
use volery_channel::{Error, Framed};
use zeroize::Zeroizing;

use super::args::ConnectionArgs;
use super::failure::Failure;
use super::output;

/// A connection to a peer, ready for a session.
pub(crate) struct Link {
    pub(crate) channel: Box<dyn Channel + Send>,
    /// Who the peer is, for messages.
    pub(crate) peer: String,
}

/// A channel whose limits can change: a server has others for those who wait.
pub(crate) trait Flexible: Channel + Send {
    /// As [`Framed::renew`].
    fn renew(&mut self, limits: Limits);

    /// As [`Framed::await_frame`].
    fn await_frame(&mut self, most: usize) -> Result<(), Error>;
}

impl<T: Transport + Send> Flexible for Framed<T> {
    fn renew(&mut self, limits: Limits) {
        self.renew(limits);
    }

    fn await_frame(&mut self, most: usize) -> Result<(), Error> {
        self.await_frame(most)
    }
}

/// Who connected to a server and has no session yet.
pub(crate) struct Guest {
    channel: Box<dyn Flexible>,
    peer: String,
    /// Of the session.
    limits: Limits,
}

impl Guest {
    /// What is said before the session.
    pub(crate) fn channel(&mut self) -> &mut dyn Flexible {
        &mut *self.channel
    }

    /// From now on a guest may take longer, having said what it wants: what it waits for is this party.
    pub(crate) fn wait(&mut self) {
        self.channel.renew(Limits { total_time: None, ..self.limits.clone() });
    }

    /// What a session is made of: the channel, who the peer is, and the session's limits, which do not hold
    /// yet.
    pub(crate) fn into_parts(self) -> (Box<dyn Flexible>, String, Limits) {
        let Self { channel, peer, limits } = self;
        (channel, peer, limits)
    }
}

/// Where the peer is to be found. All that can be wrong with the options is found when it is made.
pub(crate) struct Endpoint {
    side: Side,
    pub(crate) limits: Limits,
}

enum Side {
    Listening {
        listener: Listener,
        tls: Option<Arc<ServerConfig>>,
    },
    Connecting {
        address: Address,
        tls: Option<(Arc<ClientConfig>, String)>,
        /// What to do if TLS fails.
        advice: Option<&'static str>,
    },
}

impl Endpoint {
    /// From the command line: reads certificates and, on the listening side, starts to listen.
    pub(crate) fn new(args: &ConnectionArgs) -> Result<Self, Failure> {
        let limits = limits(args);
        let side = match (&args.listen, &args.connect) {
            (Some(address), None) => listen(address, certified(args)?)?,
            (None, Some(address)) => {
                Side::Connecting { address: address.clone(), tls: client(address, args)?, advice: None }
            }
            _ => return Err(Failure::input("one of --listen and --connect is needed")),
        };
        Ok(Self { side, limits })
    }

    /// A notary's: with a certificate if the command line has one, else with the public half of its `key`;
    /// never in the clear. A prover has to know whom it talks to before it says anything.
    pub(crate) fn of_notary(args: &ConnectionArgs, key: &SigningKey) -> Result<Self, Failure> {
        let address = args.listen.as_ref().ok_or_else(|| Failure::input("a notary needs --listen ADDR"))?;
        let tls = match certified(args)? {
            Some(config) => config,
            None => {
                let seed = Zeroizing::new(key.to_bytes());
                raw_key_server_config(&seed).map_err(Failure::input)?
            }
        };
        Ok(Self { side: listen(address, Some(tls))?, limits: limits(args) })
    }

    /// To a notary, which has to show at once that it is the one to `trust`.
    pub(crate) fn to_notary(address: &Address, trust: &Trust) -> Result<Self, Failure> {
        let advice = match trust {
            Trust::Key(_) => {
                "the notary has to show the key of --notary-key; if it shows a certificate, give --notary-pin or --notary-ca"
            }
            Trust::Pin(_) | Trust::Roots(_) => {
                "if the notary has no certificate but shows its key alone, leave out --notary-pin and --notary-ca"
            }
        };
        let tls = Some((client_config(trust).map_err(Failure::input)?, host(address)));
        let side = Side::Connecting { address: address.clone(), tls, advice: Some(advice) };
        Ok(Self { side, limits: Limits::default() })
    }

    /// The next connection: waits for one, or makes one.
    pub(crate) fn open(&self) -> Result<Link, Failure> {
        match &self.side {
            Side::Listening { listener, .. } => loop {
                // Without a time there is always one in the end.
                if let Some(socket) = listener.accept(None)? {
                    let peer = socket.peer();
                    return Ok(Link { channel: self.channel(socket, self.limits.clone())?, peer });
                }
            },
            Side::Connecting { address, tls, advice } => {
                let socket = Socket::connect(address, self.limits.connect)?;
                let peer = address.to_string();
                Ok(match tls {
                    None => Link { channel: self.channel(socket, self.limits.clone())?, peer },
                    Some((config, name)) => {
                        let tls = Tls::connect(socket, Arc::clone(config), name, &self.limits);
                        let tls = tls.map_err(|error| advised(error, *advice))?;
                        Link { channel: Box::new(Framed::new(tls, self.limits.clone())), peer }
                    }
                })
            }
        }
    }

    /// Waits for a connection for `time`; TLS is left to [`Endpoint::greet`], so that a slow peer holds
    /// nobody up.
    pub(crate) fn accept(&self, time: Duration) -> Result<Option<Socket>, Failure> {
        match &self.side {
            Side::Listening { listener, .. } => Ok(listener.accept(Some(time))?),
            Side::Connecting { .. } => Err(Failure::input("only a listening party accepts connections")),
        }
    }

    /// Makes a channel of an accepted connection. What the guest says first has to come in the time to
    /// connect, TLS included.
    pub(crate) fn greet(&self, socket: Socket) -> Result<Guest, Failure> {
        let (peer, start, limits) = (socket.peer(), Instant::now(), &self.limits);
        let greeting = Limits { read: limits.connect, write: limits.connect, ..limits.clone() };
        let mut channel = self.channel(socket, greeting.clone())?;
        let left = limits.connect.saturating_sub(start.elapsed());
        channel.renew(Limits { total_time: Some(left), ..greeting });
        Ok(Guest { channel, peer, limits: limits.clone() })
    }

    /// A channel over an accepted connection, or over one in the clear.
    fn channel(&self, socket: Socket, limits: Limits) -> Result<Box<dyn Flexible>, Failure> {
        match &self.side {
            Side::Listening { tls: Some(config), .. } => {
                let tls = Tls::accept(socket, Arc::clone(config), &limits)?;
                Ok(Box::new(Framed::new(tls, limits)))
            }
            _ => Ok(Box::new(Framed::new(socket, limits))),
        }
    }
}

/// What the command line says of time and bytes.
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
    output::message(&format!("certificate sha256:{fingerprint}"));
    Ok(Some(config))
}

fn listen(address: &Address, tls: Option<Arc<ServerConfig>>) -> Result<Side, Failure> {
    let listener = Listener::bind(address)?;
    output::message(&format!("listening at {}", listener.address()?));
    Ok(Side::Listening { listener, tls })
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

/// The name that a certificate has to be for.
fn host(address: &Address) -> String {
    match address {
        Address::Tcp { host, .. } => host.clone(),
        Address::Unix(_) => "localhost".to_owned(),
    }
}

/// Why TLS failed, and what to do.
fn advised(error: Error, advice: Option<&str>) -> Failure {
    match (error, advice) {
        (Error::Tls(reason), Some(advice)) => Failure::session(format!("TLS: {reason}; {advice}")),
        (error, _) => error.into(),
    }
}
