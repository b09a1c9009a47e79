//! Connecting to a peer that may not listen yet, and telling the user once that it does not.

use std::time::Duration;

use volery::Address;
use volery_channel::transport::Socket;
use volery_channel::{DialError, dial};

use crate::failure::Failure;

/// Connects to `address` within `time`. If nobody listens yet, calls `tell` once with a message. If nobody
/// ever does, the error ends with `remedy`.
pub(super) fn connect(
    address: &Address,
    time: Duration,
    remedy: &str,
    tell: &mut dyn FnMut(&str),
) -> Result<Socket, Failure> {
    let mut told = false;
    let mut go_on = || {
        if !told {
            tell(&format!("{address}: nobody listens yet; trying again for {} s", time.as_secs_f32()));
            told = true;
        }
        true
    };
    dial(address, time, &mut go_on).map_err(|error| match error {
        DialError::Absent { .. } => Failure::session(format!("{error}: {remedy}")),
        DialError::Failed(error) => error.into(),
    })
}

#[cfg(test)]
mod tests {
    use volery::Listener;

    use super::*;

    #[test]
    fn a_peer_that_listens_later_is_told_of_once() {
        let dir = tempfile::tempdir().expect("a directory");
        let address = Address::Unix(dir.path().join("socket"));
        let (mut told, mut listener) = (Vec::new(), None);
        // It starts to listen when it hears that it is missed.
        let mut tell = |text: &str| {
            told.push(text.to_owned());
            listener = Some(Listener::bind(&address).expect("binds"));
        };
        connect(&address, Duration::from_secs(60), "", &mut tell).expect("connected");
        assert_eq!(told.len(), 1);
        assert!(told[0].contains("nobody listens yet") && told[0].contains("60"), "{told:?}");
    }

    #[test]
    fn an_absent_peer_is_told_of_once_and_is_an_error_with_a_remedy() {
        let dir = tempfile::tempdir().expect("a directory");
        let (address, mut told) = (Address::Unix(dir.path().join("missing")), 0);
        let result = connect(&address, Duration::from_millis(200), "start it", &mut |_| told += 1);
        let Err(Failure::Session(reason)) = result else { panic!("{result:?}") };
        assert!(reason.contains(&address.to_string()) && reason.ends_with("0.2 s: start it"), "{reason}");
        assert_eq!(told, 1);
    }
}
