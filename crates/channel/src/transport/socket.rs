//! TCP and Unix stream sockets in non-blocking mode, with `poll(2)` to wait.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::{Interest, Transport, retry};

/// A connected stream socket in non-blocking mode.
#[derive(Debug)]
pub struct Socket(SocketKind);

#[derive(Debug)]
enum SocketKind {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Socket {
    /// Takes over a connected TCP stream: makes it non-blocking and turns off Nagle's delay (the channel
    /// gathers small frames).
    ///
    /// # Errors
    /// What the operating system reports.
    pub fn tcp(stream: TcpStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        Ok(Self(SocketKind::Tcp(stream)))
    }

    /// Takes over a connected Unix stream and makes it non-blocking.
    ///
    /// # Errors
    /// What the operating system reports.
    pub fn unix(stream: UnixStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(Self(SocketKind::Unix(stream)))
    }

    /// The peer's address, for messages to people.
    #[must_use]
    pub fn peer(&self) -> String {
        match &self.0 {
            SocketKind::Tcp(stream) => {
                stream.peer_addr().map_or_else(|_| "a disconnected peer".into(), |addr| addr.to_string())
            }
            SocketKind::Unix(_) => "a local peer".into(),
        }
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.0 {
            SocketKind::Tcp(stream) => stream.as_fd(),
            SocketKind::Unix(stream) => stream.as_fd(),
        }
    }
}

impl Transport for Socket {
    fn try_read(&mut self, out: &mut [u8]) -> io::Result<Option<usize>> {
        match &mut self.0 {
            SocketKind::Tcp(stream) => retry(|| stream.read(out)),
            SocketKind::Unix(stream) => retry(|| stream.read(out)),
        }
    }

    fn try_write(&mut self, bytes: &[u8]) -> io::Result<Option<usize>> {
        match &mut self.0 {
            SocketKind::Tcp(stream) => retry(|| stream.write(bytes)),
            SocketKind::Unix(stream) => retry(|| stream.write(bytes)),
        }
    }

    fn try_flush(&mut self) -> io::Result<bool> {
        Ok(true)
    }

    fn wait(&mut self, interest: Interest, deadline: Instant) -> io::Result<bool> {
        wait_for(self.as_fd(), interest, deadline)
    }

    fn shutdown(&mut self) {
        // The peer may be gone already; then there is nobody left to tell.
        let _ = match &self.0 {
            SocketKind::Tcp(stream) => stream.shutdown(Shutdown::Write),
            SocketKind::Unix(stream) => stream.shutdown(Shutdown::Write),
        };
    }

    fn needs_linger(&self) -> bool {
        true
    }

    fn binding(&self) -> Option<[u8; 32]> {
        None
    }
}

/// Waits until `fd` is ready, in an error state or hung up. Returns `false` if the deadline passed first.
pub(crate) fn wait_for(fd: BorrowedFd<'_>, interest: Interest, deadline: Instant) -> io::Result<bool> {
    let mut flags = PollFlags::empty();
    flags.set(PollFlags::IN, interest.reads());
    flags.set(PollFlags::OUT, interest.writes());
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match poll(&mut [PollFd::from_borrowed_fd(fd, flags)], Some(&timespec(left))) {
            Ok(0) if left.is_zero() => return Ok(false),
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => return Ok(true),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Rounded up to a millisecond, because some systems' `poll` knows no finer unit, and at most a day, because
/// the caller asks again.
fn timespec(duration: Duration) -> Timespec {
    const DAY: u128 = 86_400_000;
    let millis = u64::try_from(duration.as_nanos().div_ceil(1_000_000).min(DAY)).unwrap_or(0);
    Timespec {
        tv_sec: (millis / 1000).try_into().unwrap_or(0),
        tv_nsec: (millis % 1000 * 1_000_000).try_into().unwrap_or(0),
    }
}
