//! A website in this process.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use volery::web::server::Roots;

/// What a server answers to a connection's request of this number and head.
type Answer = dyn Fn(usize, &str) -> Option<Vec<u8>> + Send + Sync;

/// The port of a server that gives this response to the one request of a connection, the roots that believe
/// its certificate, and that in PEM.
pub(crate) fn site(response: Vec<u8>) -> (u16, Roots, String) {
    talking(move |request, _| (request == 0).then(|| response.clone()))
}

/// As [`site`]; what a server answers, to the request of a connection with this number and head, until it has
/// no answer.
pub(crate) fn talking(
    answer: impl Fn(usize, &str) -> Option<Vec<u8>> + Send + Sync + 'static,
) -> (u16, Roots, String) {
    let answer: Arc<Answer> = Arc::new(answer);
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).expect("a key");
    let mut roots = Roots::none();
    roots.add_der(made.cert.der()).expect("a root");
    let config = ServerConfig::builder().with_no_client_auth();
    let mut config = config.with_single_cert(vec![made.cert.der().clone()], key).expect("its key");
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            let (config, answer) = (Arc::clone(&config), Arc::clone(&answer));
            // Clients that say nothing hold nobody up.
            std::thread::spawn(move || converse(socket, config, &*answer));
        }
    });
    (port, roots, made.cert.pem())
}

/// The server's side of a connection.
fn converse(socket: TcpStream, config: Arc<ServerConfig>, answer: &Answer) {
    let connection = ServerConnection::new(config).expect("a connection");
    let mut stream = StreamOwned::new(connection, socket);
    let (mut request, mut chunk, mut number) = (Vec::<u8>::new(), [0; 4096], 0);
    // Requests have no bodies here.
    loop {
        let Some(end) = request.windows(4).position(|end| end == b"\r\n\r\n") else {
            match stream.read(&mut chunk) {
                Ok(count @ 1..) => request.extend(&chunk[..count]),
                _ => break,
            }
            continue;
        };
        let head: Vec<u8> = request.drain(..end + 4).collect();
        let head = String::from_utf8_lossy(&head).into_owned();
        let Some(response) = answer(number, &head) else { break };
        let _ = stream.write_all(&response);
        number += 1;
        if head.contains("Connection: close") {
            break;
        }
    }
    stream.conn.send_close_notify();
    let _ = stream.flush();
}
