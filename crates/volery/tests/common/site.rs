//! A website in this process.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use volery::tls::server::Roots;

/// The port of a server that gives this response to each request, the roots that believe its certificate, and that in PEM.
pub(crate) fn site(response: Vec<u8>) -> (u16, Roots, String) {
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
            let (config, response) = (Arc::clone(&config), response.clone());
            // Clients that say nothing hold nobody up.
            std::thread::spawn(move || answer(socket, config, &response));
        }
    });
    (port, roots, made.cert.pem())
}

fn answer(socket: TcpStream, config: Arc<ServerConfig>, response: &[u8]) {
    let connection = ServerConnection::new(config).expect("a connection");
    let mut stream = StreamOwned::new(connection, socket);
    let (mut request, mut chunk) = (Vec::<u8>::new(), [0; 4096]);
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut chunk) {
            Ok(count @ 1..) => request.extend(&chunk[..count]),
            _ => break,
        }
    }
    let _ = stream.write_all(response);
    stream.conn.send_close_notify();
    let _ = stream.flush();
}
