//! A website for the demonstration and for measurements.
//!
//! It is an ordinary HTTPS server that knows nothing of Volery, with a thread for each connection. Requests
//! have no bodies. It makes its certificate when it starts, so clients need its PEM to trust it.

use std::io::{self, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rcgen::generate_simple_self_signed;
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use volery::web::http::Response;

use crate::failure::Failure;

/// The most bytes of a request's head.
const MAX_REQUEST: usize = 1 << 16;
/// How long the server waits for a client.
const CLIENT_TIME: Duration = Duration::from_secs(30);

/// Makes the response to a request, which is read up to its empty line.
pub(crate) type Answer = fn(&[u8]) -> Vec<u8>;

/// A website that listens.
pub(crate) struct Site {
    listener: TcpListener,
    config: Arc<ServerConfig>,
    root: String,
}

impl Site {
    /// Starts to listen at `address`, HOST:PORT, with a new certificate for these names.
    pub(crate) fn new(address: &str, names: &[&str]) -> Result<Self, Failure> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let made = generate_simple_self_signed(names).map_err(Failure::session)?;
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).map_err(Failure::session)?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(Failure::session)?
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .map_err(Failure::session)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let listener =
            TcpListener::bind(address).map_err(|error| Failure::session(format!("{address}: {error}")))?;
        Ok(Self { listener, config: Arc::new(config), root: made.cert.pem() })
    }

    /// The address where it listens.
    pub(crate) fn address(&self) -> Result<SocketAddr, Failure> {
        self.listener.local_addr().map_err(Failure::session)
    }

    /// Its certificate in PEM, for clients to trust.
    pub(crate) fn root(&self) -> &str {
        &self.root
    }

    /// Answers requests until the program ends.
    pub(crate) fn serve(&self, answer: Answer) {
        for socket in self.listener.incoming() {
            let Ok(socket) = socket else {
                // For example too many open files, which may pass.
                thread::sleep(Duration::from_millis(100));
                continue;
            };
            let config = Arc::clone(&self.config);
            // An error of one client does not affect the others.
            thread::spawn(move || client(socket, config, answer));
        }
    }
}

/// Answers one client's requests, until a response announces that it is the last.
fn client(socket: TcpStream, config: Arc<ServerConfig>, answer: Answer) -> io::Result<()> {
    socket.set_read_timeout(Some(CLIENT_TIME))?;
    socket.set_write_timeout(Some(CLIENT_TIME))?;
    let connection = ServerConnection::new(config).map_err(io::Error::other)?;
    let mut stream = StreamOwned::new(connection, socket);
    let mut received = Vec::new();
    loop {
        let answer = answer(&head(&mut stream, &mut received)?);
        stream.write_all(&answer)?;
        if Response::parse(&answer, 0, false, true).is_ok_and(|response| response.is_last(&answer)) {
            break;
        }
    }
    stream.conn.send_close_notify();
    stream.flush()
}

/// Reads a request up to its empty line. Bytes in `received` after it belong to the next one.
fn head(stream: &mut impl io::Read, received: &mut Vec<u8>) -> io::Result<Vec<u8>> {
    let mut chunk = [0; 4096];
    loop {
        if let Some(end) = received.windows(4).position(|end| end == b"\r\n\r\n") {
            return Ok(received.drain(..end + 4).collect());
        }
        if received.len() > MAX_REQUEST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        match stream.read(&mut chunk)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => received.extend_from_slice(chunk.get(..count).unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_that_does_not_end_is_not_waited_for_for_ever() {
        assert!(head(&mut io::repeat(b'a'), &mut Vec::new()).is_err());
        assert!(head(&mut b"GET / HTTP/1.1\r\n".as_slice(), &mut Vec::new()).is_err());
    }

    #[test]
    fn requests_that_come_together_are_taken_one_by_one() {
        let (mut stream, mut received) =
            (b"GET / HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n".as_slice(), Vec::new());
        assert_eq!(head(&mut stream, &mut received).expect("whole").len(), 18);
        assert_eq!(head(&mut stream, &mut received).expect("whole").len(), 19);
        assert!(received.is_empty());
    }
}
