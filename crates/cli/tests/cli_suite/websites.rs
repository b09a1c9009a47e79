//! `volery web prove` with servers that think, ask for certificates, change keys, say too much or wait for
//! the client.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rustls::pki_types::PrivateKeyDer;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};

use crate::fixture::{Fixture, page};
use crate::site::talking;
use crate::support::*;

const MODES: [&str; 2] = ["two-party", "proxy"];

/// Whether a server wants to see a certificate of the client's.
#[derive(Clone, Copy, PartialEq)]
enum Certificates {
    No,
    Asks,
    Demands,
}

/// A website that answers one request on each connection with `answer`, and its certificate in PEM.
fn website(
    certificates: Certificates,
    answer: impl Fn(&mut StreamOwned<ServerConnection, TcpStream>) + Send + Sync + 'static,
) -> (u16, String) {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).expect("a key");
    let mut roots = RootCertStore::empty();
    roots.add(made.cert.der().clone()).expect("a root");
    let verifier = WebPkiClientVerifier::builder(Arc::new(roots));
    let config = ServerConfig::builder();
    let config = match certificates {
        Certificates::No => config.with_no_client_auth(),
        Certificates::Asks => {
            config.with_client_cert_verifier(verifier.allow_unauthenticated().build().expect("a verifier"))
        }
        Certificates::Demands => config.with_client_cert_verifier(verifier.build().expect("a verifier")),
    };
    let mut config = config.with_single_cert(vec![made.cert.der().clone()], key).expect("its key");
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    let (config, answer) = (Arc::new(config), Arc::new(answer));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            let (config, answer) = (Arc::clone(&config), Arc::clone(&answer));
            thread::spawn(move || {
                let connection = ServerConnection::new(config).expect("a connection");
                let mut stream = StreamOwned::new(connection, socket);
                if heard(&mut stream) {
                    answer(&mut stream);
                }
            });
        }
    });
    (port, made.cert.pem())
}

/// Reads a request. Returns whether there was one.
fn heard(stream: &mut StreamOwned<ServerConnection, TcpStream>) -> bool {
    let (mut request, mut chunk) = (Vec::<u8>::new(), [0; 4096]);
    while !request.ends_with(b"\r\n\r\n") {
        match stream.read(&mut chunk) {
            Ok(count @ 1..) => request.extend(&chunk[..count]),
            _ => {
                // What is left unread would end the connection before the client sees the alert.
                while let Ok(1..) = stream.sock.read(&mut chunk) {}
                return false;
            }
        }
    }
    true
}

fn end(stream: &mut StreamOwned<ServerConnection, TcpStream>) {
    stream.conn.send_close_notify();
    let _ = stream.flush();
}

fn say_page(stream: &mut StreamOwned<ServerConnection, TcpStream>) {
    let _ = stream.write_all(&page());
    end(stream);
}

/// The error messages of a notary's log.
fn messages(fixture: Fixture) -> Vec<String> {
    let lines = fixture.lines();
    lines.iter().filter_map(|line| line["error"]["message"].as_str()).map(str::to_owned).collect()
}

/// The notary would wait much longer.
#[test]
fn the_provers_timeout_holds_in_proxy_mode() {
    let (port, _, pem) = talking(|request, _| {
        thread::sleep(Duration::from_secs(4));
        (request == 0).then(page)
    });
    let fixture = Fixture::at(port, &pem, &["--max-wait", "60"]);
    let start = Instant::now();
    fixture.prove("none", &["--timeout", "1"]).expect(3, "(--timeout, and at most the notary's --max-wait)");
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
    fixture.prove("page", &["--timeout", "40"]).expect(0, "");
    assert_eq!(fixture.results(), ["accepted", "failed"]);
}

#[test]
fn a_port_where_nobody_answers_is_left_when_the_provers_timeout_is_over() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let (_, _, pem) = talking(|_, _| None);
    let fixture = Fixture::at(port, &pem, &[]);
    for mode in MODES {
        let start = Instant::now();
        fixture.prove("none", &["--mode", mode, "--timeout", "1"]).expect(3, "the server took too long");
        assert!(start.elapsed() < Duration::from_secs(9), "{mode}: {:?}", start.elapsed());
    }
}

/// As OpenSSL's `s_server`.
#[test]
fn a_server_that_waits_for_the_client_to_end_is_served() {
    let (port, pem) = website(Certificates::No, |stream| {
        say_page(stream);
        while let Ok(1..) = stream.sock.read(&mut [0; 100]) {}
    });
    let fixture = Fixture::at(port, &pem, &[]);
    for mode in MODES {
        for tls in ["1.2", "1.3"] {
            let out = format!("{mode}-{tls}");
            fixture.prove(&out, &["--mode", mode, "--tls", tls, "--timeout", "8"]).expect(0, "");
        }
    }
}

#[test]
fn a_server_that_asks_for_a_certificate_is_named_before_anything_is_paid() {
    let (port, pem) = website(Certificates::Asks, say_page);
    let fixture = Fixture::at(port, &pem, &[]);
    let asked = "the server asked for a certificate of the client's";
    fixture.prove("none", &["--mode", "two-party"]).expect(3, asked);
    let plan = |more: &[&str]| {
        let base = ["web", "plan", &fixture.url, "--roots", &fixture.roots];
        run(&[&base[..], more].concat(), "")
    };
    let told = plan(&[]).expect(2, "").stdout;
    assert!(told.contains("two-party --tls 1.3 does not: the server asked for a certificate"), "{told}");
    assert!(told.contains("proxy --tls 1.3 does not: the server asked for a certificate"), "{told}");
    // It only asks.
    plan(&["--tls", "1.2"]).expect(0, "");
    fixture.prove("none", &["--mode", "proxy"]).expect(3, asked);
    for mode in MODES {
        fixture.prove(mode, &["--mode", mode, "--tls", "1.2"]).expect(0, "");
    }
    assert_eq!(fixture.results(), ["accepted", "accepted", "failed"], "nothing of the first");
}

#[test]
fn a_server_that_demands_a_certificate_is_named() {
    let (port, pem) = website(Certificates::Demands, say_page);
    let fixture = Fixture::at(port, &pem, &[]);
    let demands = "the server demands a certificate of the client's";
    for tls in ["1.2", "1.3"] {
        let words = if tls == "1.2" { demands } else { "the server asked for a certificate of the client's" };
        for mode in MODES {
            fixture.prove("none", &["--mode", mode, "--tls", tls]).expect(3, words);
        }
    }
    let told = run(&["web", "plan", &fixture.url, "--roots", &fixture.roots], "").expect(3, demands);
    assert!(!told.stderr.contains("neither TLS 1.3"), "{told:?}");
}

#[test]
fn a_server_that_changes_its_keys_is_named() {
    let (port, pem) = website(Certificates::No, |stream| {
        stream.conn.refresh_traffic_keys().expect("TLS 1.3");
        say_page(stream);
    });
    let fixture = Fixture::at(port, &pem, &[]);
    for mode in MODES {
        fixture.prove("none", &["--mode", mode]).expect(3, "the server changed its keys (KeyUpdate)");
    }
}

#[test]
fn who_gets_more_bytes_than_the_notary_takes_is_told_whose_limit_it_is() {
    let (port, pem) = website(Certificates::No, |stream| {
        let body = "x".repeat(5000);
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
        let _ = stream.write_all(format!("{head}{body}").as_bytes());
        end(stream);
    });
    let fixture = Fixture::at(port, &pem, &["--max-received", "3000"]);
    for mode in MODES {
        fixture.prove("none", &["--mode", mode]).expect(3, "--max-received");
    }
    let told = messages(fixture);
    assert!(told.len() == 2 && told.iter().all(|message| message.contains("--max-received")), "{told:?}");
}

#[test]
fn a_name_that_nobody_knows_is_called_that() {
    let url = "https://nobody.invalid/";
    for args in [&["web", "prove", url, "--out", "none"][..], &["web", "plan", url]] {
        run(args, "").expect(3, "its name has no address");
    }
}
