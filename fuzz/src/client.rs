//! What the parties of a connection to a website tell each other besides the protocols below: steps, bytes,
//! requests to the relay, and what is shown in the end.

use std::io::{Read as _, Write as _};
use std::time::Duration;

use volery::notary::{self, Terms, Turn};
use volery_channel::Channel;
use volery_channel::tags::{NOTARY_TOKEN, TEST};
use volery_tls::proxy::relay::{Error, Stream};

use crate::replay::{against, record};

/// A step of P's in a connection of two parties.
pub use volery_tls::fuzz::client_step;
/// The bytes of such a connection.
pub use volery_tls::fuzz::client_transcript;
/// What P asks of a V that relays.
pub use volery_tls::fuzz::relay_request;
/// What P tells V in the end.
pub use volery_tls::fuzz::web_claims;

/// A prover's first message to a notary: a mode and a token.
pub fn notary_greeting(bytes: &[u8]) {
    let mut frame = vec![NOTARY_TOKEN.byte()];
    frame.extend((bytes.len() as u32).to_le_bytes());
    frame.extend(bytes);
    let Ok(greeting) = against(&frame, |channel| notary::Greeting::receive(channel)) else { return };
    let (again, _) = record(|channel| greeting.send(channel).expect("there is room"), |_| {});
    assert_eq!(again, frame, "what is accepted encodes back to the same bytes");
}

/// All that a notary says to a prover in its line, and one message of the session.
pub fn notary_line(bytes: &[u8]) {
    let (told, heard) = line(bytes);
    let begins = |turn: &Turn| matches!(turn, Turn::Begins(_));
    assert!(!heard || told.last().is_some_and(begins), "a session has begun before the prover's turn");
    assert!(!told.iter().rev().skip(1).any(begins), "a turn has come twice");
    let say_all = |channel: &mut dyn Channel| {
        told.iter().for_each(|turn| say(channel, *turn).expect("there is room"));
    };
    let (again, _) = record(say_all, |_| {});
    assert_eq!(line(&again).0, told, "what is heard is heard again when it is said again");
}

/// The turns that a prover hears, and whether a message of the session comes after them.
fn line(bytes: &[u8]) -> (Vec<Turn>, bool) {
    let mut told = Vec::new();
    let heard = against(bytes, |channel| {
        let mut channel = notary::in_line(channel, |turn| told.push(turn));
        channel.recv(TEST, LIMIT).is_ok()
    });
    (told, heard)
}

/// An honest notary: a prover's numbers, its turn, and the session's first message.
///
/// # Errors
/// The channel's.
pub fn as_notary(channel: &mut dyn Channel) -> Result<(), volery_channel::Error> {
    for number in [3, 2, 1] {
        say(channel, Turn::Waits(number))?;
    }
    let (request, read, proved, received, hidden) = (1 << 14, 1 << 12, 1 << 13, 1 << 24, 1 << 16);
    let terms =
        Terms { request, read, proved, received, hidden, wait: 10, no_alpn: true, contract_signer: None };
    say(channel, Turn::Begins(terms))?;
    channel.send(TEST, b"the session")
}

fn say(channel: &mut dyn Channel, turn: Turn) -> Result<(), volery_channel::Error> {
    match turn {
        Turn::Waits(number) => notary::wait(channel, number as usize - 1),
        Turn::Begins(terms) => notary::begin(channel, terms),
    }
}

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
    let mut stream = Stream::open(channel, "example.com", 443, LIMIT, Duration::from_secs(10))?;
    // Neither fails in a way that the stream does not keep.
    let _ = stream.write_all(SENT);
    let _ = (&mut stream).take(2 * LIMIT as u64).read_to_end(&mut Vec::new());
    stream.close()
}
