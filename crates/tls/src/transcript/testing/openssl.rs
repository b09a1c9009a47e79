//! A foreign server: `openssl s_server`, once for each connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, KeyLog};

use super::{HOST, Issued, Master, Recorded};

/// A running server; ends with the value.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Whether the program is there.
pub(crate) fn is_there() -> bool {
    let run = Command::new("openssl").arg("version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    run.is_ok_and(|status| status.success())
}

/// What a client and `openssl s_server -www` say to each other when the client sends `query`; the server has `options` besides.
pub(crate) fn connect(mut client: ClientConfig, issued: &Issued, options: &[&str], query: &[u8]) -> Recorded {
    let folder = tempfile::tempdir().unwrap();
    let [key, certificate] = ["key.pem", "certificate.pem"].map(|name| folder.path().join(name));
    std::fs::write(&key, issued.key.serialize_pem()).unwrap();
    std::fs::write(&certificate, issued.certificate.pem()).unwrap();
    let mut command = Command::new("openssl");
    command.args(["s_server", "-accept", "127.0.0.1:0", "-naccept", "1", "-www", "-key"]).arg(key);
    command.arg("-cert").arg(certificate).args(options);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = Server(command.spawn().unwrap());
    let mut lines = BufReader::new(server.0.stdout.take().unwrap()).lines();
    let address = lines.find_map(|line| line.unwrap().strip_prefix("ACCEPT ").map(str::to_owned)).unwrap();

    let mut socket = TcpStream::connect(address).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let log = Arc::new(Master::default());
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
    recorded.master = log.secret();
    recorded
}
