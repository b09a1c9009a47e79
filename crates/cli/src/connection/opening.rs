//! What a connection begins with: frames of this protocol, or a WebSocket, which is how web pages connect.

use std::time::Instant;

use volery::Limits;
use volery_channel::transport::{Ahead, Transport};
use volery_channel::websocket::{Origins, WebSocket, first_bytes, is_request};
use volery_channel::{Error, Framed, Operation};

use super::ListenerChannel;

/// A channel over an accepted transport, whichever of the two comes. `http` is what TLS has agreed on, if it
/// has. All of it takes at most [`Limits::connect`].
pub(super) fn channel<T: Transport + Send + 'static>(
    mut transport: T,
    http: Option<bool>,
    origins: &Origins,
    limits: Limits,
) -> Result<Box<dyn ListenerChannel>, Error> {
    let (start, time) = (Instant::now(), limits.connect);
    let first = first_bytes(&mut transport, &limits)?;
    let is_web = is_request(&first);
    // A server of HTTP with the same certificate must not be able to pass its clients on to this one, and
    // this one's not to it.
    if http.is_some_and(|agreed| agreed != is_web) {
        return Err(Error::Transport {
            operation: Operation::TlsHandshake,
            kind: std::io::ErrorKind::InvalidData,
            reason: "what the peer says is not what it agreed on in TLS (ALPN)".to_owned(),
        });
    }
    if !is_web {
        return Ok(Box::new(Framed::new(Ahead::new(first, transport), limits)));
    }
    let left = time.saturating_sub(start.elapsed());
    let socket = WebSocket::accept(transport, first, origins, &Limits { connect: left, ..limits.clone() })?;
    if let Some(origin) = &socket.request().origin {
        crate::terminal::detail(&format!("a page of {} connects", origin.escape_debug()));
    }
    Ok(Box::new(Framed::new(socket, limits)))
}
