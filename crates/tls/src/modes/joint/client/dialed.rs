//! The connection to a server, with limits on waiting.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use volery_channel::resolve;

use super::{ConnectionLimits, Failure, Socket};
use crate::modes::relay::end_if_quiet;

/// A connection to a server. Only the time that this party waits for the server counts. Between two waits the
/// parties compute together, and that time is not the server's.
#[derive(Debug)]
pub struct Dialed {
    socket: TcpStream,
    idle: Duration,
    /// The time that may still be spent waiting.
    left: Duration,
}

/// Connects to the first of a host's addresses that accepts.
///
/// # Errors
/// [`Failure::Unknown`]; [`Failure::Connect`]; [`Failure::Time`].
pub fn dial(host: &str, port: u16, limits: &ConnectionLimits) -> Result<Dialed, Failure> {
    let deadline = Instant::now() + limits.connect;
    let addresses = resolve(host, port, limits.connect).map_err(|error| match error.kind() {
        io::ErrorKind::TimedOut => Failure::Time,
        _ => Failure::Unknown(error.to_string()),
    })?;
    let mut failure = Failure::Unknown("none at all".into());
    for address in addresses {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Failure::Time);
        }
        match open(&address, left) {
            Ok(socket) => return Ok(Dialed { socket, idle: limits.idle, left: limits.total }),
            Err(error) if error.kind() == io::ErrorKind::TimedOut => failure = Failure::Time,
            Err(error) => failure = Failure::Connect(error.kind()),
        }
    }
    Err(failure)
}

fn open(address: &SocketAddr, time: Duration) -> io::Result<TcpStream> {
    let socket = TcpStream::connect_timeout(address, time)?;
    socket.set_nodelay(true)?;
    Ok(socket)
}

impl Dialed {
    /// From now on no wait may take longer than this.
    pub(in crate::modes) fn hurry(&mut self, idle: Duration) {
        self.idle = self.idle.min(idle);
    }

    /// Runs an operation that may wait for the server, with the time that it may take.
    fn wait<T>(&mut self, run: impl FnOnce(&mut TcpStream, Duration) -> io::Result<T>) -> io::Result<T> {
        let most = self.idle.min(self.left);
        if most.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let start = Instant::now();
        let result = run(&mut self.socket, most);
        self.left = self.left.saturating_sub(start.elapsed());
        result
    }
}

impl Read for Dialed {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.wait(|socket, time| {
            socket.set_read_timeout(Some(time))?;
            socket.read(out)
        })
    }
}

impl Socket for Dialed {
    fn end_if_quiet(&mut self) -> io::Result<()> {
        self.wait(|socket, time| end_if_quiet(socket, time))
    }
}

impl Write for Dialed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.wait(|socket, time| {
            socket.set_write_timeout(Some(time))?;
            socket.write(bytes)
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.socket.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    fn connected(limits: &ConnectionLimits) -> (Dialed, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let dialed = dial("127.0.0.1", port, limits).unwrap();
        (dialed, listener.accept().unwrap().0)
    }

    #[test]
    fn time_that_this_party_takes_is_not_the_servers() {
        let total = Duration::from_millis(100);
        let (mut dialed, mut server) = connected(&ConnectionLimits { total, ..ConnectionLimits::default() });
        server.write_all(b"there at once").unwrap();
        thread::sleep(2 * total);
        let mut out = [0; 13];
        dialed.read_exact(&mut out).unwrap();
        assert_eq!(&out, b"there at once");
    }

    #[test]
    fn a_server_that_trickles_is_left_although_it_is_never_idle() {
        let (mut dialed, mut server) =
            connected(&ConnectionLimits { total: Duration::from_millis(100), ..ConnectionLimits::default() });
        thread::scope(|scope| {
            scope.spawn(move || {
                while server.write_all(b"x").is_ok() {
                    thread::sleep(Duration::from_millis(1));
                }
            });
            let error = dialed.read_to_end(&mut Vec::new()).unwrap_err();
            assert!(matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock));
            // And from now on at once.
            assert_eq!(dialed.read(&mut [0]).unwrap_err().kind(), io::ErrorKind::TimedOut);
            assert_eq!(dialed.write(b"x").unwrap_err().kind(), io::ErrorKind::TimedOut);
            drop(dialed);
        });
    }
}
