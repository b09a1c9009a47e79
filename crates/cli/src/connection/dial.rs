//! Connecting to a peer that may not listen yet.
//!
//! People start the two parties in either order. So a refused connection, or a Unix socket that does not
//! exist, means "not yet" until the time to connect is over. Any other error is final.

use std::io::ErrorKind;
use std::time::{Duration, Instant};

use volery::Address;
use volery_channel::transport::Socket;
use volery_channel::{Error, Operation};

use crate::failure::Failure;

/// The pause before the second attempt. Each later pause is longer by half.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// The longest pause: a peer that starts to listen is not kept waiting for longer.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Connects to `address` within `time`. If nobody listens yet, calls `tell` once with a message. If nobody
/// ever does, the error ends with `remedy`.
pub(super) fn connect(
    address: &Address,
    time: Duration,
    remedy: &str,
    tell: &mut dyn FnMut(&str),
) -> Result<Socket, Failure> {
    let start = Instant::now();
    let left = || time.saturating_sub(start.elapsed());
    let mut pause = FIRST_PAUSE;
    let mut told = false;
    loop {
        // Even the last attempt gets some time.
        let error = match Socket::connect(address, left().max(FIRST_PAUSE)) {
            Err(error) if is_absent(address, &error) => error,
            other => return Ok(other?),
        };
        if left().is_zero() {
            let seconds = time.as_secs_f32();
            return Err(Failure::session(format!(
                "{error}; nobody listened there for {seconds} s: {remedy}"
            )));
        }
        if !told {
            tell(&format!("{address}: nobody listens yet; trying again for {} s", time.as_secs_f32()));
            told = true;
        }
        std::thread::sleep(pause.min(left()));
        pause = (pause * 3 / 2).min(LONGEST_PAUSE);
    }
}

/// Whether the error says that nobody listens at `address`.
fn is_absent(address: &Address, error: &Error) -> bool {
    match error {
        Error::Transport { operation: Operation::Connect, kind: ErrorKind::ConnectionRefused, .. } => true,
        Error::Transport { operation: Operation::Connect, kind: ErrorKind::NotFound, .. } => {
            matches!(address, Address::Unix(_))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use volery::Listener;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn unix(dir: &tempfile::TempDir, name: &str) -> Address {
        Address::Unix(dir.path().join(name))
    }

    #[test]
    fn a_peer_that_listens_later_is_reached_and_told_of_once() {
        let dir = tempfile::tempdir().expect("a directory");
        let address = unix(&dir, "socket");
        let mut told = Vec::new();
        let mut listener = None;
        // It starts to listen when it hears that it is missed.
        let mut tell = |text: &str| {
            told.push(text.to_owned());
            listener = Some(Listener::bind(&address).expect("binds"));
        };
        connect(&address, LONG, "", &mut tell).expect("connected");
        assert_eq!(told.len(), 1);
        assert!(told[0].contains("nobody listens yet") && told[0].contains("60"), "{told:?}");
    }

    #[test]
    fn an_absent_peer_is_an_error_with_a_remedy_once_the_time_is_over() {
        let dir = tempfile::tempdir().expect("a directory");
        let refused = {
            let listener = Listener::bind(&"127.0.0.1:0".parse().expect("an address")).expect("binds");
            listener.address().expect("bound")
        };
        for address in [refused, unix(&dir, "missing")] {
            let mut told = 0;
            let result = connect(&address, Duration::from_millis(200), "start it", &mut |_| told += 1);
            let Err(Failure::Session(reason)) = result else { panic!("{result:?}") };
            assert!(reason.contains(&address.to_string()) && reason.ends_with("0.2 s: start it"), "{reason}");
            assert_eq!(told, 1);
        }
    }

    #[test]
    fn other_errors_are_final() {
        // Longer than a socket's path may be.
        let address = Address::Unix("x".repeat(1000).into());
        let mut tell = |_: &str| panic!("it will not come true by waiting");
        assert!(connect(&address, LONG, "", &mut tell).is_err());
        // A file that is no socket refuses connections for a reason of its own on some systems.
        let file = tempfile::NamedTempFile::new().expect("a file");
        let error = Error::Transport {
            operation: Operation::Connect,
            kind: ErrorKind::NotFound,
            reason: String::new(),
        };
        assert!(is_absent(&Address::Unix(file.path().to_owned()), &error));
        assert!(!is_absent(&"localhost:1".parse().expect("an address"), &error));
    }
}
