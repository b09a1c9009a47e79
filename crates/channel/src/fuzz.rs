//! Every decoder of peer bytes as a plain function, for fuzz targets; unit tests call them too.
//!
//! Each takes any bytes, and panics if bytes that it accepts do not encode back to themselves.

use crate::channel::Channel;
use crate::frame::{HEADER_LEN, Header, decode_reason};
use crate::framed::Framed;
use crate::handshake::{Begin, Hello, Parameters, Role};
use crate::limits::Limits;
use crate::tag::tags;
use crate::transport::{Memory, Transport};

/// The header of a frame.
pub fn frame_header(bytes: &[u8]) {
    if let Some(bytes) = bytes.first_chunk::<HEADER_LEN>() {
        assert_eq!(Header::decode(*bytes).encode(), *bytes);
    }
}

/// The payload of an `Error` frame.
pub fn reason(bytes: &[u8]) {
    if let Ok(text) = decode_reason(bytes) {
        assert!(!text.contains(char::is_control));
    }
}

/// The payload of a `Hello` frame.
pub fn hello(bytes: &[u8]) {
    if let Ok(hello) = Hello::decode(bytes) {
        assert_eq!(hello.encode(), bytes);
    }
}

/// The payload of a `Begin` frame.
pub fn begin(bytes: &[u8]) {
    if let Ok(begin) = Begin::decode(bytes) {
        assert_eq!(begin.encode(), bytes);
    }
}

/// Everything that a peer sends before it closes the connection.
pub fn stream(bytes: &[u8]) {
    let (mut peer, party) = Memory::pair(bytes.len());
    // The pipe holds the whole input.
    let _ = peer.try_write(bytes);
    drop(peer);
    let mut channel = Framed::new(party, Limits::default());
    let hello = Hello::new(Role::Verifier, Parameters::new(), &mut Zeros);
    let taken = hello
        .receive(&mut channel)
        .and_then(|_| Begin::new([0; 32], Parameters::new()).receive(&mut channel));
    let _ = taken.and_then(|()| channel.recv(tags::TEST, 1 << 10).map(drop));
    assert!(channel.stats().bytes_received <= bytes.len() as u64);
}

/// All that a client of a WebSocket sends: its request, and then its frames.
#[cfg(feature = "websocket")]
pub fn websocket(bytes: &[u8]) {
    use crate::websocket::{Origins, WebSocket};

    // Room for all answers: a pong for every two bytes that ask for one.
    let (peer, party) = Memory::pair((64 << 10) + 4 * bytes.len());
    // Nothing is waited for: a request that is not complete is over.
    let limits = Limits { connect: std::time::Duration::ZERO, ..Limits::default() };
    let Ok(mut socket) = WebSocket::accept(party, bytes.to_vec(), &Origins::Any, &limits) else { return };
    let (mut out, mut length) = ([0; 100], 0);
    while let Ok(Some(count @ 1..)) = socket.try_read(&mut out) {
        length += count;
    }
    assert!(length < bytes.len());
    drop(peer);
}

/// A randomness source of zeros, so that a fuzzer can guess the nonce.
struct Zeros;

impl rand_core::TryRng for Zeros {
    type Error = std::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        Ok(0)
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Ok(0)
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Self::Error> {
        out.fill(0);
        Ok(())
    }
}

impl rand_core::TryCryptoRng for Zeros {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Any bytes, or `sound` with one byte changed, a tail cut off or a tail added.
    fn near(sound: Vec<u8>) -> impl Strategy<Value = Vec<u8>> {
        let length = sound.len();
        prop_oneof![
            prop::collection::vec(any::<u8>(), 0..200),
            (0..length, any::<u8>()).prop_map({
                let sound = sound.clone();
                move |(at, byte)| {
                    let mut bytes = sound.clone();
                    bytes[at] = byte;
                    bytes
                }
            }),
            (0..=length, prop::collection::vec(any::<u8>(), 0..20)).prop_map(move |(cut, tail)| [
                &sound[..cut],
                &tail
            ]
            .concat()),
        ]
    }

    fn parameters() -> Parameters {
        Parameters::new().with("a", 1).unwrap().with("b", "").unwrap().with("c-2", "three four").unwrap()
    }

    fn sound_hello() -> Vec<u8> {
        Hello::new(Role::Prover, parameters(), &mut Zeros).encode()
    }

    fn sound_stream() -> Vec<u8> {
        let (left, mut right) = Memory::pair(1 << 16);
        let mut channel = Framed::new(left, Limits::default());
        let mut rng = rand_chacha::ChaCha20Rng::from_seed([3; 32]);
        Hello::new(Role::Prover, Parameters::new(), &mut rng).send(&mut channel).unwrap();
        Begin::new([0; 32], Parameters::new()).send(&mut channel).unwrap();
        channel.send(tags::TEST, b"payload").unwrap();
        channel.flush().unwrap();
        let mut bytes = vec![0; 1 << 16];
        let count = right.try_read(&mut bytes).unwrap().unwrap();
        bytes.truncate(count);
        bytes
    }

    use rand_core::SeedableRng;

    proptest! {
        #[test]
        fn no_bytes_upset_a_decoder(
            header in prop::collection::vec(any::<u8>(), 0..8),
            text in prop::collection::vec(any::<u8>(), 0..600),
            first in near(sound_hello()),
            second in near(Begin::new([7; 32], parameters()).encode()),
            all in near(sound_stream()),
        ) {
            frame_header(&header);
            reason(&text);
            hello(&first);
            begin(&second);
            stream(&all);
        }
    }

    #[test]
    fn the_sound_inputs_are_accepted() {
        assert!(Hello::decode(&sound_hello()).is_ok());
        assert!(Begin::decode(&Begin::new([7; 32], parameters()).encode()).is_ok());
        stream(&sound_stream());
    }
}
