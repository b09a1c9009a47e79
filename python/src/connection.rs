//! How a session meets its peer: it connects, or it listens and takes the first one that says hello.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pyo3::FromPyObject;
use volery::channel::tls::{
    ClientConfig, Fingerprint, ServerConfig, Tls, Trust, client_config, server_config,
};
use volery::channel::transport::Socket;
use volery::channel::{DialError, Error, dial};
use volery::{Address, Channel, Framed, Limits, Listener};

use crate::failure::Failure;
use crate::worker::Stop;

/// What Python says about a connection: the keywords of `connect` and `listen`, of which only one has those
/// with a default here.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ConnectionOptions {
    timeout: f64,
    connect_timeout: f64,
    #[pyo3(default)]
    listen_timeout: Option<f64>,
    max_time: Option<f64>,
    max_bytes: Option<u64>,
    #[pyo3(default)]
    tls_ca: Option<String>,
    #[pyo3(default)]
    tls_pin: Option<String>,
    #[pyo3(default)]
    tls_name: Option<String>,
    #[pyo3(default)]
    tls_cert: Option<String>,
    #[pyo3(default)]
    tls_key: Option<String>,
}

pub(crate) fn seconds(name: &str, value: f64) -> Result<Duration, Failure> {
    Duration::try_from_secs_f64(value)
        .map_err(|_| Failure::Input(format!("{name}: {value} is no time in seconds")))
}

impl ConnectionOptions {
    fn limits(&self) -> Result<Limits, Failure> {
        let wait = seconds("timeout", self.timeout)?;
        Ok(Limits {
            connect: seconds("connect_timeout", self.connect_timeout)?,
            read: wait,
            write: wait,
            total_time: self.max_time.map(|time| seconds("max_time", time)).transpose()?,
            total_bytes: self.max_bytes,
            ..Limits::default()
        })
    }

    /// What the listening side shows, and its certificate's fingerprint.
    fn certificate(&self) -> Result<Option<(Arc<ServerConfig>, Fingerprint)>, Failure> {
        match (&self.tls_cert, &self.tls_key) {
            (Some(chain), Some(key)) => {
                Ok(Some(server_config(chain.as_ref(), key.as_ref()).map_err(Failure::input)?))
            }
            (None, None) => Ok(None),
            _ => Err(Failure::input("tls_cert and tls_key: give both or none")),
        }
    }

    /// What the connecting side demands.
    fn trust(&self, address: &Address) -> Result<Option<(Arc<ClientConfig>, String)>, Failure> {
        let trust = match (&self.tls_ca, &self.tls_pin) {
            (Some(_), Some(_)) => return Err(Failure::input("give tls_ca or tls_pin, not both")),
            (Some(path), None) => Trust::Roots(path.into()),
            (None, Some(pin)) => {
                Trust::Pin(pin.parse().map_err(|error| Failure::Input(format!("tls_pin: {error}")))?)
            }
            (None, None) if self.tls_name.is_some() => {
                return Err(Failure::input("tls_name needs tls_ca or tls_pin"));
            }
            (None, None) => return Ok(None),
        };
        let config = client_config(&trust).map_err(Failure::input)?;
        let host = match address {
            Address::Tcp { host, .. } => host.clone(),
            Address::Unix(_) => "localhost".to_owned(),
        };
        Ok(Some((config, self.tls_name.clone().unwrap_or(host))))
    }
}

/// An address as Python writes it.
pub(crate) fn address(text: &str) -> Result<Address, Failure> {
    Ok(text.parse()?)
}

/// A connection, and what to call the peer.
pub(crate) type Met = (Box<dyn Channel + Send>, String);

/// A connection to make.
pub(crate) struct Call {
    address: Address,
    tls: Option<(Arc<ClientConfig>, String)>,
    limits: Limits,
}

impl Call {
    pub(crate) fn new(text: &str, options: &ConnectionOptions) -> Result<Self, Failure> {
        let address = address(text)?;
        if options.tls_cert.is_some() || options.tls_key.is_some() {
            return Err(Failure::input(
                "tls_cert and tls_key are for the listening party; give tls_ca or tls_pin",
            ));
        }
        Ok(Self { tls: options.trust(&address)?, limits: options.limits()?, address })
    }

    /// Connects. Nobody may listen yet.
    pub(crate) fn meet(self, stop: &Stop) -> Result<Met, Failure> {
        let Self { address, tls, limits } = self;
        if stop.is_stopped() {
            return Err(Failure::session("the session was closed"));
        }
        // People start the parties in either order, so nobody may listen yet.
        let socket =
            dial(&address, limits.connect, &mut || !stop.is_stopped()).map_err(|error| match error {
                DialError::Absent { .. } => Failure::session(error),
                DialError::Failed(error) => error.into(),
            })?;
        stop.guard(&socket);
        let peer = address.to_string();
        Ok(match tls {
            None => (Box::new(Framed::new(socket, limits)), peer),
            Some((config, name)) => {
                let tls = Tls::connect(socket, config, &name, &limits)?;
                (Box::new(Framed::new(tls, limits)), peer)
            }
        })
    }
}

/// A place where a peer may connect.
pub(crate) struct Door {
    listener: Listener,
    tls: Option<(Arc<ServerConfig>, Fingerprint)>,
    limits: Limits,
    wait: Option<Duration>,
}

/// How long the listening side waits before it looks whether it is to stop.
const GLANCE: Duration = Duration::from_millis(100);

impl Door {
    pub(crate) fn new(text: &str, options: &ConnectionOptions) -> Result<Self, Failure> {
        if options.tls_ca.is_some() || options.tls_pin.is_some() || options.tls_name.is_some() {
            return Err(Failure::input(
                "tls_ca, tls_pin and tls_name are for the connecting party; give tls_cert and tls_key",
            ));
        }
        let wait = options.listen_timeout.map(|time| seconds("listen_timeout", time)).transpose()?;
        let (tls, limits) = (options.certificate()?, options.limits()?);
        Ok(Self { listener: Listener::bind(&address(text)?)?, tls, limits, wait })
    }

    pub(crate) fn address(&self) -> Result<String, Failure> {
        Ok(self.listener.address()?.to_string())
    }

    pub(crate) fn fingerprint(&self) -> Option<String> {
        self.tls.as_ref().map(|(_, fingerprint)| fingerprint.to_string())
    }

    /// Waits for the first peer that says hello. Whoever says nothing, or something else, is sent away.
    pub(crate) fn meet(&self, stop: &Stop) -> Result<Met, Failure> {
        let start = Instant::now();
        loop {
            if stop.is_stopped() {
                return Err(Failure::session("the session was closed"));
            }
            if let Some(wait) = self.wait.filter(|wait| start.elapsed() >= *wait) {
                let seconds = wait.as_secs_f32();
                return Err(Failure::Session(format!("nobody connected for {seconds} s")));
            }
            let Some(socket) = self.listener.accept(Some(GLANCE))? else { continue };
            let peer = socket.peer();
            stop.guard(&socket);
            match self.greet(socket) {
                Ok(channel) => return Ok((channel, peer)),
                Err(_) => stop.release(),
            }
        }
    }

    /// A channel over an accepted connection whose peer has begun to speak.
    fn greet(&self, socket: Socket) -> Result<Box<dyn Channel + Send>, Error> {
        let limits = &self.limits;
        let greeting = Limits { read: limits.connect, write: limits.connect, ..limits.clone() };
        match &self.tls {
            None => {
                let mut channel = Framed::new(socket, greeting);
                channel.await_hello()?;
                channel.renew(limits.clone());
                Ok(Box::new(channel))
            }
            Some((config, _)) => {
                let mut channel = Framed::new(Tls::accept(socket, Arc::clone(config), limits)?, greeting);
                channel.await_hello()?;
                channel.renew(limits.clone());
                Ok(Box::new(channel))
            }
        }
    }
}
