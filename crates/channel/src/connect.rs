//! Making connections. No other module opens a socket.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::io::{Errno, FdFlags, fcntl_setfd, ioctl_fionbio};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, socket};

use crate::address::Address;
use crate::error::{Error, Operation};
use crate::framed::Framed;
use crate::limits::{Limits, deadline};
use crate::resolve::resolve;
use crate::tag::tags;
use crate::transport::{Interest, Socket, retry, wait_for};

/// Connects a channel, without TLS.
///
/// # Errors
/// As [`Socket::connect`].
pub fn connect(address: &Address, limits: &Limits) -> Result<Framed<Socket>, Error> {
    Ok(Framed::new(Socket::connect(address, limits.connect)?, limits.clone()))
}

impl Socket {
    /// Connects within `time`. If the host has several addresses, each is tried in turn.
    ///
    /// Looking up the name counts towards that time ([`resolve`]).
    ///
    /// # Errors
    /// [`Error::TimedOut`], or [`Error::Transport`] with the reason of the last address tried.
    pub fn connect(address: &Address, time: Duration) -> Result<Self, Error> {
        let end = deadline(Instant::now(), time);
        let result = match address {
            Address::Tcp { host, port } => connect_tcp(host, *port, end).and_then(Self::tcp),
            Address::Unix(path) => connect_unix(path, end).and_then(Self::unix),
        };
        result.map_err(|error| match error.kind() {
            io::ErrorKind::TimedOut => {
                Error::TimedOut { step: tags::HELLO, operation: Operation::Connect, after: time }
            }
            kind => Error::Transport {
                operation: Operation::Connect,
                kind,
                reason: format!("{address}: {error}"),
            },
        })
    }
}

fn connect_tcp(host: &str, port: u16, end: Instant) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in resolve(host, port, end.saturating_duration_since(Instant::now()))? {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        match TcpStream::connect_timeout(&address, left) {
            // The system took the port that nobody listens on for this end, too.
            Ok(stream) if is_loop(&stream) => last = io::ErrorKind::ConnectionRefused.into(),
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Whether both ends of a connection are the same socket.
fn is_loop(stream: &TcpStream) -> bool {
    matches!((stream.local_addr(), stream.peer_addr()), (Ok(ours), Ok(theirs)) if ours == theirs)
}

/// With the standard library, connecting would block without a bound while the listener's queue is full.
fn connect_unix(path: &Path, end: Instant) -> io::Result<UnixStream> {
    const PAUSE: Duration = Duration::from_millis(5);
    let address = SocketAddrUnix::new(path)?;
    let stream = socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
    fcntl_setfd(&stream, FdFlags::CLOEXEC)?;
    ioctl_fionbio(&stream, true)?;
    loop {
        match rustix::net::connect(&stream, &address) {
            Ok(()) => return Ok(stream.into()),
            // The queue is full, and `poll` does not report when it has room again.
            Err(Errno::AGAIN) if Instant::now() < end => std::thread::sleep(PAUSE),
            Err(Errno::AGAIN) => return Err(io::ErrorKind::TimedOut.into()),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// How many connections the system queues for a TCP listener. The standard library asks for 128.
const BACKLOG: i32 = 1024;

/// Waits for connections at one address.
///
/// A Unix listener removes its socket file when dropped, and takes over a file that a dead listener left
/// behind.
#[derive(Debug)]
pub struct Listener(ListenerKind);

#[derive(Debug)]
enum ListenerKind {
    Tcp(TcpListener),
    Unix { listener: UnixListener, path: PathBuf, file: (u64, u64) },
}

impl Listener {
    /// Listens at `address`.
    ///
    /// # Errors
    /// [`Error::Transport`] with what the operating system reports.
    pub fn bind(address: &Address) -> Result<Self, Error> {
        let kind = match address {
            Address::Tcp { host, port } => bind_tcp(host, *port),
            Address::Unix(path) => bind_unix(path),
        };
        kind.map(Self).map_err(|error| Error::Transport {
            operation: Operation::Listen,
            kind: error.kind(),
            reason: format!("{address}: {error}"),
        })
    }

    /// The address this listens at, with the actual port if the system chose it.
    ///
    /// # Errors
    /// [`Error::Transport`] with what the operating system reports.
    pub fn address(&self) -> Result<Address, Error> {
        match &self.0 {
            ListenerKind::Tcp(listener) => {
                let address: SocketAddr =
                    listener.local_addr().map_err(|error| Error::transport(Operation::Listen, &error))?;
                Ok(Address::Tcp { host: address.ip().to_string(), port: address.port() })
            }
            ListenerKind::Unix { path, .. } => Ok(Address::Unix(path.clone())),
        }
    }

    /// Waits for the next connection, for at most `time`, or without a limit if it is `None`. Returns `None`
    /// if none came.
    ///
    /// # Errors
    /// [`Error::Transport`] with what the operating system reports. The listener stays usable: some errors,
    /// such as too many open files, are temporary.
    pub fn accept(&self, time: Option<Duration>) -> Result<Option<Socket>, Error> {
        let end = deadline(Instant::now(), time.unwrap_or(Duration::MAX));
        let failed = |error: io::Error| Error::transport(Operation::Listen, &error);
        loop {
            match retry(|| self.try_accept()) {
                Ok(Some(socket)) => return Ok(Some(socket)),
                // The peer hung up while it was in the queue. That is not an error of this listener.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(error) => return Err(failed(error)),
                Ok(None) => {
                    if !wait_for(self.as_fd(), Interest::Read, end).map_err(failed)? {
                        return Ok(None);
                    }
                }
            }
        }
    }

    fn try_accept(&self) -> io::Result<Socket> {
        match &self.0 {
            ListenerKind::Tcp(listener) => listener.accept().and_then(|(stream, _)| Socket::tcp(stream)),
            ListenerKind::Unix { listener, .. } => {
                listener.accept().and_then(|(stream, _)| Socket::unix(stream))
            }
        }
    }
}

fn bind_tcp(host: &str, port: u16) -> io::Result<ListenerKind> {
    let listener = TcpListener::bind((host, port))?;
    // Calling `listen` again only changes the length of the queue.
    rustix::net::listen(&listener, BACKLOG)?;
    listener.set_nonblocking(true)?;
    Ok(ListenerKind::Tcp(listener))
}

fn bind_unix(path: &Path) -> io::Result<ListenerKind> {
    let listener = match UnixListener::bind(path) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse && is_dead_socket(path) => {
            std::fs::remove_file(path)?;
            UnixListener::bind(path)?
        }
        other => other?,
    };
    listener.set_nonblocking(true)?;
    let file = std::fs::symlink_metadata(path)?;
    Ok(ListenerKind::Unix { listener, path: path.to_owned(), file: (file.dev(), file.ino()) })
}

/// Whether `path` is a socket that nobody listens on.
fn is_dead_socket(path: &Path) -> bool {
    let is_socket = std::fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket());
    // One attempt is enough: a listener whose queue is full is alive.
    let refused = |error: io::Error| error.kind() == io::ErrorKind::ConnectionRefused;
    is_socket && connect_unix(path, Instant::now()).is_err_and(refused)
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.0 {
            ListenerKind::Tcp(listener) => listener.as_fd(),
            ListenerKind::Unix { listener, .. } => listener.as_fd(),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let ListenerKind::Unix { path, file, .. } = &self.0 {
            // Removes only the file that this listener made: another one may be in its place by now.
            let ours = std::fs::symlink_metadata(path).is_ok_and(|now| (now.dev(), now.ino()) == *file);
            if ours {
                // A leftover socket file does no harm: the next listener takes it over.
                let _ = std::fs::remove_file(path);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn socket_path(name: &str) -> (tempfile::TempDir, Address) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        (dir, Address::Unix(path))
    }

    #[test]
    fn a_dead_socket_file_is_taken_over_and_a_live_one_is_not() {
        let (_dir, address) = socket_path("s");
        let Address::Unix(path) = &address else { unreachable!() };
        drop(UnixListener::bind(path).unwrap());
        assert!(path.exists());
        let live = Listener::bind(&address).unwrap();
        assert!(matches!(
            Listener::bind(&address),
            Err(Error::Transport { operation: Operation::Listen, kind: io::ErrorKind::AddrInUse, .. })
        ));
        drop(live);
        assert!(!path.exists());
    }

    #[test]
    fn an_ordinary_file_is_not_removed_to_listen_there() {
        let (_dir, address) = socket_path("f");
        let Address::Unix(path) = &address else { unreachable!() };
        std::fs::write(path, "precious").unwrap();
        assert!(Listener::bind(&address).is_err());
        assert_eq!(std::fs::read(path).unwrap(), b"precious");
    }

    #[test]
    fn a_listener_leaves_alone_a_file_that_replaced_its_own() {
        let (_dir, address) = socket_path("r");
        let Address::Unix(path) = &address else { unreachable!() };
        let listener = Listener::bind(&address).unwrap();
        let keep = path.with_extension("moved");
        std::fs::rename(path, &keep).unwrap();
        std::fs::write(path, "precious").unwrap();
        drop(listener);
        assert!(path.exists());
    }

    #[test]
    fn accept_gives_up_when_the_time_is_over() {
        let listener = Listener::bind(&"127.0.0.1:0".parse().unwrap()).unwrap();
        assert!(listener.accept(Some(Duration::from_millis(20))).unwrap().is_none());
    }

    #[test]
    fn connecting_where_nobody_listens_names_the_address() {
        let listener = Listener::bind(&"127.0.0.1:0".parse().unwrap()).unwrap();
        let address = listener.address().unwrap();
        drop(listener);
        let (_dir, missing) = socket_path("missing");
        for address in [address, missing] {
            match connect(&address, &Limits::default()) {
                Err(Error::Transport { operation: Operation::Connect, reason, .. }) => {
                    assert!(reason.contains(&address.to_string()), "{reason}");
                }
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn connecting_to_a_full_queue_times_out() {
        let (_dir, address) = socket_path("full");
        let _listener = Listener::bind(&address).unwrap();
        let mut held = Vec::new();
        let error = loop {
            match Socket::connect(&address, Duration::from_millis(30)) {
                Ok(socket) if held.len() < 10_000 => held.push(socket),
                Ok(_) => return, // this system's queue has no end
                Err(error) => break error,
            }
        };
        assert!(
            matches!(error, Error::TimedOut { operation: Operation::Connect, .. } | Error::Transport { .. }),
            "{error:?}"
        );
    }
}
