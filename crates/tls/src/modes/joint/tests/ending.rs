//! How connections of TLS 1.3 end, whose alerts nobody can read before the opening.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustls::{ServerConnection, Stream};

use super::*;
use crate::modes::joint::client::{Captured, ConnectionLimits, Failure, Target, dial, query};
use crate::wire::version::TlsVersion;

const SHORT: &str = "GET / HTTP/1.1\r\nHost: data.example.com\r\nConnection: close\r\n\r\n";
const HEAD: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\n";

/// A server on a socket for one connection: it reads a request, and then says what `answer` says.
fn listen(
    site: &Site,
    answer: impl FnOnce(&mut Stream<'_, ServerConnection, TcpStream>) + Send + 'static,
) -> (SocketAddr, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let config = Arc::clone(&site.config);
    let server = thread::spawn(move || {
        let mut socket = listener.accept().unwrap().0;
        let mut connection = ServerConnection::new(config).unwrap();
        let mut stream = Stream::new(&mut connection, &mut socket);
        let (mut request, mut chunk) = (Vec::<u8>::new(), [0; 4096]);
        while !request.ends_with(b"\r\n\r\n") {
            match stream.read(&mut chunk) {
                Ok(count @ 1..) => request.extend(&chunk[..count]),
                _ => return,
            }
        }
        answer(&mut stream);
    });
    (address, server)
}

fn say(stream: &mut Stream<'_, ServerConnection, TcpStream>, text: &str) {
    stream.write_all(text.as_bytes()).unwrap();
    stream.flush().unwrap();
}

fn close_notify(stream: &mut Stream<'_, ServerConnection, TcpStream>) {
    stream.conn.send_close_notify();
    while stream.conn.wants_write() {
        stream.conn.write_tls(stream.sock).unwrap();
    }
}

/// Whether the client has ended its direction.
fn has_ended(socket: &TcpStream) -> bool {
    socket.set_nonblocking(true).unwrap();
    let peeked = socket.peek(&mut [0]);
    socket.set_nonblocking(false).unwrap();
    match peeked {
        Ok(count) => {
            assert_eq!(count, 0, "the client says nothing after its request");
            true
        }
        Err(error) => {
            assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
            false
        }
    }
}

/// What comes of a connection with the server at this address.
fn fetch(site: &Site, address: SocketAddr) -> (Result<Vec<u8>, Error>, bool) {
    let limits = ConnectionLimits { idle: Duration::from_secs(4), ..ConnectionLimits::default() };
    let run = Run { tls: TlsVersion::Tls13, ..Run::new(site, SHORT.as_bytes()) };
    let (fetched, proven) = run.go_with(|engine| {
        let roots = site.authority.roots();
        let target = Target { host: HOST, roots: &roots, probed: false, no_alpn: false, limits };
        let socket = dial("127.0.0.1", address.port(), &limits)?;
        let Captured { client, server, .. } =
            query(engine, socket, &target, SHORT.as_bytes(), &[SHORT.len()])?;
        Ok((Vec::new(), [client, server]))
    });
    (fetched.map(|fetched| fetched.response), proven.is_ok())
}

/// As OpenSSL's `s_server` does.
#[test]
fn a_server_that_says_close_notify_and_waits_for_the_client_is_served() {
    let site = Site::new(KeyAlgorithm::P256, &response(BODY));
    let (address, server) = listen(&site, |stream| {
        say(stream, &String::from_utf8(response(BODY)).unwrap());
        close_notify(stream);
        let mut socket: &TcpStream = stream.sock;
        // Its end, and no word of TLS.
        assert_eq!(socket.read(&mut [0]).unwrap(), 0);
    });
    let (fetched, proven) = fetch(&site, address);
    assert_eq!(fetched.unwrap(), response(BODY));
    assert!(proven);
    server.join().unwrap();
}

/// Two bytes of content are as long as an alert.
#[test]
fn a_client_that_sees_more_after_what_may_be_an_alert_does_not_end_its_direction() {
    let site = Site::new(KeyAlgorithm::P256, &response(BODY));
    let (address, server) = listen(&site, |stream| {
        say(stream, HEAD);
        for _ in 0..6 {
            say(stream, "42");
            thread::sleep(Duration::from_millis(300));
            say(stream, "\r\n2\r\n");
        }
        assert!(!has_ended(stream.sock));
        say(stream, "42\r\n0\r\n\r\n");
        close_notify(stream);
    });
    let (fetched, proven) = fetch(&site, address);
    assert_eq!(fetched.unwrap(), format!("{HEAD}{}42\r\n0\r\n\r\n", "42\r\n2\r\n".repeat(6)).into_bytes());
    assert!(proven);
    server.join().unwrap();
}

/// What is missing is not taken for said, and a server that only thinks is not pressed.
#[test]
fn a_response_that_is_broken_off_at_the_clients_end_is_refused() {
    let site = Site::new(KeyAlgorithm::P256, &response(BODY));
    let (cut, server) = listen(&site, |stream| {
        say(stream, HEAD);
        say(stream, "42");
        let mut socket: &TcpStream = stream.sock;
        assert_eq!(socket.read(&mut [0]).unwrap(), 0);
    });
    let (fetched, proven) = fetch(&site, cut);
    assert!(matches!(fetched, Err(Error::Disclosure(_))), "{fetched:?}");
    assert!(!proven);
    server.join().unwrap();
    let (silent, silent_server) = listen(&site, |stream| {
        say(stream, HEAD);
        thread::sleep(Duration::from_secs(3));
        assert!(!has_ended(stream.sock));
        // Until the client gives up.
        let mut socket: &TcpStream = stream.sock;
        assert_eq!(socket.read(&mut [0]).unwrap(), 0);
    });
    assert_eq!(fetch(&site, silent).0.unwrap_err(), Error::Connection(Failure::Time));
    silent_server.join().unwrap();
}
