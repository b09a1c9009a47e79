//! TLS on the connection, with a pinned or an issued certificate.

use crate::support::*;

struct Certificate {
    dir: tempfile::TempDir,
    cert: String,
    key: String,
}

/// A certificate for localhost that is its own authority.
fn certificate() -> Certificate {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
    let dir = tempfile::tempdir().expect("a directory");
    let cert = write(dir.path(), "cert.pem", &made.cert.pem());
    let key = write(dir.path(), "key.pem", &made.signing_key.serialize_pem());
    Certificate { dir, cert, key }
}

fn session(certificate: &Certificate, prover: impl Fn(&str) -> Vec<String>) -> (Ended, Ended) {
    let tls = ["--tls-cert", &certificate.cert, "--tls-key", &certificate.key];
    let listen = ["--listen", "127.0.0.1:0", "--timeout", "5"];
    let verifier = Running::listening(&join(&[&["verify"], ABC, &listen, &tls]), "");
    let tls = prover(&certificate.cert);
    let tls: Vec<&str> = tls.iter().map(String::as_str).collect();
    let connect = ["--witness", "-", "--timeout", "5", "--connect", &verifier.address];
    (run(&join(&[&["prove"], ABC, &connect, &tls]), ABC_WITNESS), verifier.end())
}

fn pin_of(cert: &str) -> String {
    volery_channel::tls::Fingerprint::of(&der_of_pem(cert)).to_string()
}

/// The DER bytes of a PEM file with one certificate, by the base64 of RFC 4648.
fn der_of_pem(path: &str) -> Vec<u8> {
    let text = std::fs::read_to_string(path).expect("readable");
    let digits = text.lines().filter(|line| !line.starts_with("-----")).flat_map(str::bytes);
    let (mut bytes, mut word, mut bits) = (Vec::new(), 0_u32, 0);
    for digit in digits.filter(|digit| *digit != b'=') {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => panic!("no base64: {digit}"),
        };
        word = word << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((word >> bits) as u8);
            word &= (1 << bits) - 1;
        }
    }
    bytes
}

#[test]
fn a_pinned_certificate_protects_a_session() {
    let certificate = certificate();
    let pin = |cert: &str| vec!["--tls-pin".to_owned(), format!("sha256:{}", pin_of(cert))];
    let (prover, verifier) = session(&certificate, pin);
    prover.expect(0, "");
    verifier.expect(0, "");
}

#[test]
fn another_pin_ends_it_before_anything_is_said() {
    let certificate = certificate();
    let pin = |_: &str| vec!["--tls-pin".to_owned(), format!("sha256:{}", "00".repeat(32))];
    let (prover, verifier) = session(&certificate, pin);
    prover.expect(3, "TLS");
    verifier.expect(3, "");
}

#[test]
fn an_issued_certificate_must_be_for_the_name() {
    let certificate = certificate();
    let ca = |cert: &str, name: &str| ["--tls-ca", cert, "--tls-name", name].map(str::to_owned).to_vec();
    let (prover, verifier) = session(&certificate, |cert| ca(cert, "localhost"));
    prover.expect(0, "");
    verifier.expect(0, "");
    let (prover, verifier) = session(&certificate, |cert| ca(cert, "elsewhere.example"));
    prover.expect(3, "TLS");
    verifier.expect(3, "");
}

#[test]
fn a_party_without_tls_is_not_served() {
    let certificate = certificate();
    let (prover, verifier) = session(&certificate, |_| Vec::new());
    prover.expect(3, "");
    verifier.expect(3, "");
}

#[test]
fn unusable_certificates_are_bad_inputs() {
    let certificate = certificate();
    let garbage = write(certificate.dir.path(), "garbage.pem", "no certificate");
    let listen = ["--listen", "127.0.0.1:0"];
    for (cert, key) in [
        (garbage.as_str(), certificate.key.as_str()),
        (&certificate.cert, &garbage),
        ("/nonexistent", &certificate.key),
    ] {
        let tls = ["--tls-cert", cert, "--tls-key", key];
        run(&join(&[&["verify"], ABC, &listen, &tls]), "").refused("TLS");
    }
    let connect = ["--connect", "127.0.0.1:1", "--tls-ca", &garbage];
    run(&join(&[&["verify"], ABC, &connect]), "").refused("garbage.pem");
    run(&join(&[&["verify"], ABC, &listen, &["--tls-cert", &certificate.cert]]), "").refused("--tls-key");
}
