//! Connecting to a peer that may not listen yet.
//!
//! People start the two parties in either order. So a refused connection, or a Unix socket that does not
//! exist, means "not yet" until the time to connect is over. Any other error is final.

use std::io::ErrorKind;
use std::time::{Duration, Instant};

use crate::address::Address;
use crate::error::{Error, Operation};
use crate::transport::Socket;

/// The pause before the second attempt. Each later pause is longer by half.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// The longest pause: a peer that starts to listen is not kept waiting for longer.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Why [`dial`] did not connect.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DialError {
    /// Nobody listened in all that time.
    #[error("{error}; nobody listened there for {} s", .time.as_secs_f32())]
    Absent {
        /// The error of the last attempt.
        error: Error,
        /// The time.
        time: Duration,
    },
    /// An error that waiting does not change.
    #[error(transparent)]
    Failed(#[from] Error),
}

/// Connects to `address` within `time`, although nobody may listen there yet. After each attempt that finds
/// nobody it asks `go_on` whether to try again.
///
/// # Errors
/// [`DialError::Absent`] once the time is over or `go_on` has said no; [`DialError::Failed`] with any other
/// error of [`Socket::connect`].
pub fn dial(address: &Address, time: Duration, go_on: &mut dyn FnMut() -> bool) -> Result<Socket, DialError> {
    let start = Instant::now();
    let left = || time.saturating_sub(start.elapsed());
    let mut pause = FIRST_PAUSE;
    loop {
        // Even the last attempt gets some time.
        let error = match Socket::connect(address, left().max(FIRST_PAUSE)) {
            Err(error) if is_absent(address, &error) => error,
            other => return Ok(other?),
        };
        if left().is_zero() || !go_on() {
            return Err(DialError::Absent { error, time });
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
    use super::*;
    use crate::Listener;

    const LONG: Duration = Duration::from_secs(60);

    fn unix(dir: &tempfile::TempDir, name: &str) -> Address {
        Address::Unix(dir.path().join(name))
    }

    #[test]
    fn a_peer_that_listens_later_is_reached() {
        let dir = tempfile::tempdir().expect("a directory");
        let address = unix(&dir, "socket");
        let mut listener = None;
        // It starts to listen when it hears that it is missed.
        let mut go_on = || {
            listener = Some(Listener::bind(&address).expect("binds"));
            true
        };
        dial(&address, LONG, &mut go_on).expect("connected");
        assert!(listener.is_some());
    }

    #[test]
    fn an_absent_peer_is_an_error_once_the_time_is_over_or_nobody_wants_to_wait() {
        let dir = tempfile::tempdir().expect("a directory");
        let refused = {
            let listener = Listener::bind(&"127.0.0.1:0".parse().expect("an address")).expect("binds");
            listener.address().expect("bound")
        };
        for address in [refused, unix(&dir, "missing")] {
            let error =
                dial(&address, Duration::from_millis(200), &mut || true).expect_err("nobody is there");
            assert!(matches!(error, DialError::Absent { .. }), "{error:?}");
            let text = error.to_string();
            assert!(text.contains(&address.to_string()) && text.ends_with("for 0.2 s"), "{text}");
            let mut asked = 0;
            let mut stop = || {
                asked += 1;
                false
            };
            assert!(matches!(dial(&address, LONG, &mut stop), Err(DialError::Absent { .. })));
            assert_eq!(asked, 1);
        }
    }

    #[test]
    fn other_errors_are_final() {
        // Longer than a socket's path may be.
        let address = Address::Unix("x".repeat(1000).into());
        let mut go_on = || panic!("it will not come true by waiting");
        assert!(matches!(dial(&address, LONG, &mut go_on), Err(DialError::Failed(_))));
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
