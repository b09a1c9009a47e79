//! The transports under test, and raw access to them for peers that break the rules.

use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use volery_channel::tls::{Fingerprint, ServerConfig, Tls, Trust, client_config, server_config};
use volery_channel::transport::{Interest, Memory, Socket, Transport};
use volery_channel::websocket::{Origins, WebSocket};
use volery_channel::{Address, Framed, Limits, Listener};

/// A way to make two connected ends.
pub(crate) trait Link {
    type End: Transport + Send + 'static;
    fn pair() -> (Self::End, Self::End);
}

pub(crate) struct InMemory;
pub(crate) struct Tcp;
pub(crate) struct Unix;
pub(crate) struct TlsOverTcp;
pub(crate) struct WebSocketOverTcp;

impl Link for InMemory {
    type End = Memory;
    fn pair() -> (Memory, Memory) {
        Memory::pair(100_000)
    }
}

impl Link for Tcp {
    type End = Socket;
    fn pair() -> (Socket, Socket) {
        sockets(&"127.0.0.1:0".parse().unwrap())
    }
}

impl Link for Unix {
    type End = Socket;
    fn pair() -> (Socket, Socket) {
        let dir = tempfile::tempdir().unwrap();
        sockets(&Address::Unix(dir.path().join("socket")))
    }
}

impl Link for TlsOverTcp {
    type End = Tls<Socket>;
    fn pair() -> (Tls<Socket>, Tls<Socket>) {
        let (config, pin) = server();
        let client = client_config(&Trust::Pin(pin)).unwrap();
        let (left, right) = Tcp::pair();
        let limits = Limits::default();
        thread::scope(|scope| {
            let accepted = scope.spawn(|| Tls::accept(right, config, &limits).unwrap());
            let connected = Tls::connect(left, client, "localhost", &limits).unwrap();
            (connected, accepted.join().unwrap())
        })
    }
}

impl Link for WebSocketOverTcp {
    type End = WebSocket<Socket>;
    fn pair() -> (WebSocket<Socket>, WebSocket<Socket>) {
        let (left, right) = Tcp::pair();
        let limits = Limits::default();
        thread::scope(|scope| {
            let accepted =
                scope.spawn(|| WebSocket::accept(right, Vec::new(), &Origins::Any, &limits).unwrap());
            let mut rng = ChaCha20Rng::from_seed([1; 32]);
            let connected = WebSocket::connect(left, "localhost", "/", &limits, &mut rng).unwrap();
            (connected, accepted.join().unwrap())
        })
    }
}

fn sockets(address: &Address) -> (Socket, Socket) {
    let listener = Listener::bind(address).unwrap();
    let left = Socket::connect(&listener.address().unwrap(), Duration::from_secs(10)).unwrap();
    (left, listener.accept(None).unwrap().unwrap())
}

/// A server's settings with a certificate of its own.
fn server() -> (std::sync::Arc<ServerConfig>, Fingerprint) {
    static SERVER: OnceLock<(std::sync::Arc<ServerConfig>, Fingerprint)> = OnceLock::new();
    SERVER
        .get_or_init(|| {
            let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
            let dir = tempfile::tempdir().unwrap();
            let (chain, key) = (dir.path().join("chain.pem"), dir.path().join("key.pem"));
            std::fs::write(&chain, made.cert.pem()).unwrap();
            std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
            server_config(&chain, &key).unwrap()
        })
        .clone()
}

/// Two channels over a link.
pub(crate) fn channels<L: Link>(limits: &Limits) -> (Framed<L::End>, Framed<L::End>) {
    let (left, right) = L::pair();
    (Framed::new(left, limits.clone()), Framed::new(right, limits.clone()))
}

/// A channel, and the bare transport at the other end.
pub(crate) fn channel_and_raw<L: Link>(limits: &Limits) -> (Framed<L::End>, L::End) {
    let (left, right) = L::pair();
    (Framed::new(left, limits.clone()), right)
}

/// Writes all bytes to a bare transport. Returns whether the peer took them.
pub(crate) fn put(raw: &mut impl Transport, mut bytes: &[u8]) -> bool {
    let end = Instant::now() + Duration::from_secs(30);
    while !bytes.is_empty() {
        match raw.try_write(bytes) {
            Ok(Some(count)) => bytes = &bytes[count..],
            Ok(None) => assert!(raw.wait(Interest::Write, end).unwrap(), "the peer takes nothing"),
            Err(_) => return false,
        }
    }
    loop {
        match raw.try_flush() {
            Ok(true) => return true,
            Ok(false) => assert!(raw.wait(Interest::Write, end).unwrap(), "the peer takes nothing"),
            Err(_) => return false,
        }
    }
}

/// The bytes of a frame, sound or not.
pub(crate) fn frame(tag: u8, length: u32, payload: &[u8]) -> Vec<u8> {
    [&[tag][..], &length.to_le_bytes(), payload].concat()
}

/// Makes a test of a generic function for each transport.
macro_rules! on_every_transport {
    ($($name:ident),+ $(,)?) => {$(
        mod $name {
            use super::$name as check;
            use crate::links;

            #[test]
            fn in_memory() {
                check::<links::InMemory>();
            }
            #[test]
            fn over_tcp() {
                check::<links::Tcp>();
            }
            #[test]
            fn over_a_unix_socket() {
                check::<links::Unix>();
            }
            #[test]
            fn over_tls() {
                check::<links::TlsOverTcp>();
            }
            #[test]
            fn over_a_websocket() {
                check::<links::WebSocketOverTcp>();
            }
        }
    )+};
}
pub(crate) use on_every_transport;
