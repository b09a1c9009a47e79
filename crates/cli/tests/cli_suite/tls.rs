//! TLS on the connection, with a pinned or an issued certificate.

use crate::support::*;

pub(crate) struct Certificate {
    dir: tempfile::TempDir,
    pub(crate) cert: String,
    pub(crate) key: String,
}

/// A certificate for localhost that is its own authority.
pub(crate) fn certificate() -> Certificate {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
    let dir = tempfile::tempdir().expect("a directory");
    let cert = write(dir.path(), "cert.pem", &made.cert.pem());
    let key = write(dir.path(), "key.pem", &made.signing_key.serialize_pem());
    Certificate { dir, cert, key }
}

/// Starts a verifier with this certificate.
fn verifier(certificate: &Certificate) -> Running {
    let tls = ["--tls-cert", &certificate.cert, "--tls-key", &certificate.key];
    Running::listening(&join(&[&["verify"], ABC, &["--listen", "127.0.0.1:0"], &tls]), "")
}

/// Runs a prover with these options for TLS.
fn prove(verifier: &Running, tls: &[&str]) -> Ended {
    let connect = ["--witness", "-", "--connect", &verifier.address];
    run(&join(&[&["prove"], ABC, &connect, tls]), ABC_WITNESS)
}

/// Runs a prover that knows the certificate's fingerprint, and returns how the verifier ended.
fn prove_with_the_pin(certificate: &Certificate, verifier: Running) -> Ended {
    let pin = format!("sha256:{}", pin_of(&certificate.cert));
    prove(&verifier, &["--tls-pin", &pin]).expect(0, "");
    verifier.end().expect(0, "")
}

pub(crate) fn pin_of(cert: &str) -> String {
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
    let ended = prove_with_the_pin(&certificate, verifier(&certificate));
    assert!(!ended.stderr.contains("no session"), "{ended:?}");
}

#[test]
fn another_pin_ends_the_connection_before_anything_is_said_and_the_verifier_waits_on() {
    let certificate = certificate();
    let verifier = verifier(&certificate);
    prove(&verifier, &["--tls-pin", &format!("sha256:{}", "00".repeat(32))]).expect(3, "TLS");
    prove_with_the_pin(&certificate, verifier).expect(0, "got no session: TLS");
}

#[test]
fn an_issued_certificate_must_be_for_the_name() {
    let certificate = certificate();
    let verifier = verifier(&certificate);
    let as_name = |name| prove(&verifier, &["--tls-ca", &certificate.cert, "--tls-name", name]);
    as_name("elsewhere.example").expect(3, "TLS");
    as_name("localhost").expect(0, "");
    verifier.end().expect(0, "got no session: TLS");
}

#[test]
fn a_party_without_tls_is_not_served() {
    let certificate = certificate();
    let verifier = verifier(&certificate);
    prove(&verifier, &[]).expect(3, "");
    prove_with_the_pin(&certificate, verifier).expect(0, "got no session: ");
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
