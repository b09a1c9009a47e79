//! `volery demo web`: a website with an account page, to try `volery web prove` on.
//!
//! An ordinary HTTPS server that knows nothing of Volery. Its certificate is made when it starts; nobody else believes it, so it is
//! written to a file for `--roots`. Who sends the right cookie gets the page, as with any account.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rcgen::generate_simple_self_signed;
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::cli::args::DemoWebArgs;
use crate::cli::failure::Failure;
use crate::cli::output;

/// What shows the server who asks.
const COOKIE: &str = "session=demo";
/// The page.
const ACCOUNT: &str =
    r#"{"holder": "Ada Lovelace", "account": "4029-7714", "currency": "EUR", "balance": 5120}"#;
/// The most bytes of a request.
const MAX_REQUEST: usize = 1 << 16;
/// How long the server waits for a client.
const PATIENCE: Duration = Duration::from_secs(30);

/// Runs the command: until a signal ends the program.
pub(super) fn run(args: &DemoWebArgs) -> Result<(), Failure> {
    let (config, root) = identity()?;
    let failed = |error: io::Error| Failure::session(format!("{}: {error}", args.listen));
    let listener = TcpListener::bind(&args.listen).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let in_file = |error: io::Error| Failure::input(format!("{}: {error}", args.root.display()));
    std::fs::write(&args.root, root).map_err(in_file)?;
    output::message(&format!("listening at {address}"));
    output::result(&introduction(address.port(), &args.root))?;
    for socket in listener.incoming() {
        let Ok(socket) = socket else {
            // Like too many open files: it passes.
            thread::sleep(Duration::from_millis(100));
            continue;
        };
        let config = Arc::clone(&config);
        // What goes wrong with one client concerns nobody else.
        thread::spawn(move || answer(socket, config));
    }
    Ok(())
}

fn introduction(port: u16, root: &Path) -> String {
    let root = root.display();
    format!(
        "A website is running, with an account page for those who have the cookie {COOKIE}. The page:\n\n   {ACCOUNT}\n\n\
         Prove that it has a balance of at least 5000 EUR, and nothing else about it:\n\n   \
         echo 'Cookie: {COOKIE}' | volery web prove https://localhost:{port}/account --roots {root} --headers - \\\n       \
         --reveal response.json:currency --assert 'response.json:balance in 5000..' --out page.attestation\n   \
         volery attestation show page.attestation\n\n\
         With a notary in another process (see `volery help notary serve`):\n\n   \
         volery notary key notary.key\n   \
         volery notary serve --key notary.key --listen 127.0.0.1:7100 --roots {root} --allow-private --port {port}\n   \
         volery web prove ... --notary 127.0.0.1:7100 --notary-key PUBLICKEY\n\nCtrl-C ends it."
    )
}

/// The server's configuration with a new certificate, and that in PEM.
fn identity() -> Result<(Arc<ServerConfig>, String), Failure> {
    let names = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
    let made = generate_simple_self_signed(names).map_err(Failure::session)?;
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).map_err(Failure::session)?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(Failure::session)?
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .map_err(Failure::session)?;
    Ok((Arc::new(config), made.cert.pem()))
}

/// One client, one request.
fn answer(socket: TcpStream, config: Arc<ServerConfig>) -> io::Result<()> {
    socket.set_read_timeout(Some(PATIENCE))?;
    socket.set_write_timeout(Some(PATIENCE))?;
    let connection = ServerConnection::new(config).map_err(io::Error::other)?;
    let mut stream = StreamOwned::new(connection, socket);
    let request = head(&mut stream)?;
    stream.write_all(response(&request).as_bytes())?;
    stream.conn.send_close_notify();
    stream.flush()
}

/// A request up to its empty line.
fn head(stream: &mut impl io::Read) -> io::Result<Vec<u8>> {
    let mut stream = stream.take(MAX_REQUEST as u64);
    let (mut request, mut chunk) = (Vec::new(), [0; 4096]);
    loop {
        match stream.read(&mut chunk)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => request.extend_from_slice(chunk.get(..count).unwrap_or_default()),
        }
        if request.windows(4).any(|end| end == b"\r\n\r\n") {
            return Ok(request);
        }
    }
}

fn response(request: &[u8]) -> String {
    let request = String::from_utf8_lossy(request);
    let mut lines = request.split("\r\n");
    let target =
        lines.next().and_then(|line| line.strip_prefix("GET ")).and_then(|rest| rest.split(' ').next());
    let cookies = lines.take_while(|line| !line.is_empty()).filter_map(|line| line.split_once(':'));
    let cookies = cookies.filter(|(name, _)| name.eq_ignore_ascii_case("cookie"));
    let known = cookies.flat_map(|(_, value)| value.split(';')).any(|cookie| cookie.trim() == COOKIE);
    let (status, body) = match target.map(|target| target.split('?').next().unwrap_or_default()) {
        Some("/account") if known => ("200 OK", ACCOUNT),
        Some("/account") => ("401 Unauthorized", r#"{"error": "no such session"}"#),
        Some(_) => ("404 Not Found", r#"{"error": "no such page"}"#),
        None => ("405 Method Not Allowed", r#"{"error": "no such method"}"#),
    };
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_cookie_s_owner_gets_the_page() {
        let status = |request: &str| response(request.as_bytes()).split("\r\n").next().map(str::to_owned);
        for (request, expected) in [
            ("GET /account?x HTTP/1.1\r\ncookie: a=b; session=demo\r\n\r\n", "HTTP/1.1 200 OK"),
            ("GET /account HTTP/1.1\r\nCookie: session=demos\r\n\r\n", "HTTP/1.1 401 Unauthorized"),
            ("GET /account HTTP/1.1\r\n\r\nCookie: session=demo", "HTTP/1.1 401 Unauthorized"),
            ("GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 404 Not Found"),
            ("POST /account HTTP/1.1\r\n\r\n", "HTTP/1.1 405 Method Not Allowed"),
            ("\u{0}\r\n\r\n", "HTTP/1.1 405 Method Not Allowed"),
        ] {
            assert_eq!(status(request).as_deref(), Some(expected), "{request:?}");
        }
    }

    #[test]
    fn a_request_that_does_not_end_is_not_waited_for_for_ever() {
        assert!(head(&mut io::repeat(b'a')).is_err());
        assert!(head(&mut b"GET / HTTP/1.1\r\n".as_slice()).is_err());
        assert_eq!(head(&mut b"GET / HTTP/1.1\r\n\r\n".as_slice()).expect("whole").len(), 18);
    }
}
