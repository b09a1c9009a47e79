//! What the parties of a connection to a website tell each other besides the protocols below: steps, bytes, requests to the relay,
//! and what is shown in the end.

use std::io::{Read as _, Write as _};

use volery_channel::Channel;
use volery_tls::proxy::relay::{Error, Stream};

use crate::replay::against;

/// A step of P's in a connection of two parties.
pub use volery_tls::fuzz::client_step;
/// The bytes of such a connection.
pub use volery_tls::fuzz::client_transcript;
/// What P asks of a V that relays.
pub use volery_tls::fuzz::relay_request;
/// What P tells V in the end.
pub use volery_tls::fuzz::web_claims;

/// What P writes.
const SENT: &[u8] = b"hello";
/// The most bytes that P takes.
const LIMIT: usize = 1000;

/// All that a V that relays answers, at P.
pub fn relay_prover(bytes: &[u8]) {
    if let Ok((sent, received)) = against(bytes, |channel| as_client(channel)) {
        assert!(sent == SENT && received.len() <= LIMIT);
    }
}

/// An honest P: what it sent, and what came.
///
/// # Errors
/// What its peer does wrong.
pub fn as_client(channel: &mut dyn Channel) -> Result<(Vec<u8>, Vec<u8>), Error> {
    let mut stream = Stream::open(channel, "example.com", 443, LIMIT)?;
    // Neither fails in a way that the stream does not keep.
    let _ = stream.write_all(SENT);
    let _ = (&mut stream).take(2 * LIMIT as u64).read_to_end(&mut Vec::new());
    stream.close()
}
