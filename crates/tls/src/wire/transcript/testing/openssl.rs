//! A foreign server: `openssl s_server`, once for each connection.

use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, KeyLog};

use super::{HOST, Issued, Recorded, Secrets};

/// A running server; ends with the value.
pub(crate) struct Server {
    process: Child,
    /// Open as long as the server writes to it.
    _output: Lines<BufReader<ChildStdout>>,
    pub(crate) address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Whether the program is there.
pub(crate) fn is_there() -> bool {
    let run = Command::new("openssl").arg("version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    run.is_ok_and(|status| status.success())
}

impl Server {
    /// A server for one connection, of HTTP that has one page. `switches` are those of `Options` in OpenSSL's
    /// configuration file.
    pub(crate) fn start(issued: &Issued, options: &[&str], switches: Option<&str>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let [key, certificate] = ["key.pem", "certificate.pem"].map(|name| folder.path().join(name));
        std::fs::write(&key, issued.key.serialize_pem()).unwrap();
        std::fs::write(&certificate, issued.certificate.pem()).unwrap();
        let mut command = Command::new("openssl");
        command
            .args([
                "s_server",
                "-accept",
                "127.0.0.1:0",
                "-naccept",
                "1",
                "-www",
                "-alpn",
                "http/1.1",
                "-key",
            ])
            .arg(key);
        command.arg("-cert").arg(certificate).args(options);
        if let Some(switches) = switches {
            let text = format!(
                "openssl_conf = a\n[a]\nssl_conf = b\n[b]\nsystem_default = c\n[c]\nOptions = {switches}"
            );
            let path = folder.path().join("openssl.cnf");
            std::fs::write(&path, text).unwrap();
            command.env("OPENSSL_CONF", path);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let address =
            lines.find_map(|line| line.unwrap().strip_prefix("ACCEPT ").map(str::to_owned)).unwrap();
        Self { process, _output: lines, address }
    }
}

/// What a client and `openssl s_server -www` say to each other when the client sends `query`; the server has
/// `options` besides.
pub(crate) fn connect(mut client: ClientConfig, issued: &Issued, options: &[&str], query: &[u8]) -> Recorded {
    let server = Server::start(issued, options, None);
    let mut socket = TcpStream::connect(&server.address).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let log = Arc::new(Secrets::default());
    client.key_log = Arc::clone(&log) as Arc<dyn KeyLog>;
    let mut client = ClientConnection::new(Arc::new(client), ServerName::try_from(HOST).unwrap()).unwrap();
    client.writer().write_all(query).unwrap();
    let mut recorded = Recorded::default();
    let mut buffer = [0; 1 << 14];
    loop {
        let before = recorded.client.len();
        while client.wants_write() {
            client.write_tls(&mut recorded.client).unwrap();
        }
        // A server that has gone away shows at the next read.
        let _ = socket.write_all(&recorded.client[before..]);
        let count = socket.read(&mut buffer).unwrap_or(0);
        let mut bytes = &buffer[..count];
        recorded.server.extend(bytes);
        while !bytes.is_empty() && client.read_tls(&mut bytes).is_ok_and(|count| count > 0) {
            if client.process_new_packets().is_ok_and(|state| state.peer_has_closed()) {
                client.send_close_notify();
            }
            super::drain(&mut client.reader());
        }
        if count == 0 && !client.wants_write() {
            break;
        }
    }
    recorded.master = log.master();
    recorded.traffic = log.traffic();
    recorded
}
