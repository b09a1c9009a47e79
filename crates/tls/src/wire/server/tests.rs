//! Servers are who their certificates and signatures say, or are refused with the reason.

use rcgen::{CertificateParams, ExtendedKeyUsagePurpose, date_time_ymd};

use super::*;
use crate::wire::transcript::testing::{
    Authority, HOST, Issued, KeyAlgorithm, client, connect, honest, provider, server,
};
use crate::wire::transcript::{Handshake, Scheme};

const ROUND: &[(&[u8], &[u8])] = &[(b"query", b"response")];
/// In 2026.
const NOW: u64 = 1_780_000_000;

#[test]
fn real_servers_are_who_they_are() {
    for kind in [KeyAlgorithm::P256, KeyAlgorithm::P384, KeyAlgorithm::Rsa] {
        let (authority, recorded) = honest(kind, ROUND);
        let handshake = recorded.parse().unwrap().handshake;
        let identity = verify(&handshake, "Data.Example.COM", &authority.roots(), NOW).unwrap();
        assert_eq!((identity.name(), identity.time()), (HOST, NOW));
        assert_eq!(identity.certificate()[..], Sha256::digest(&handshake.certificates[0])[..]);
    }
}

/// A scheme's handshake: the client offers this one alone.
fn signed_by(scheme: rustls::SignatureScheme, kind: KeyAlgorithm) -> (Authority, Handshake) {
    let authority = Authority::new();
    let mut provider = provider(false);
    let all = provider.signature_verification_algorithms;
    let mapping: Vec<_> = all.mapping.iter().filter(|(other, _)| *other == scheme).copied().collect();
    provider.signature_verification_algorithms =
        rustls::crypto::WebPkiSupportedAlgorithms { all: all.all, mapping: mapping.leak() };
    let recorded = connect(client(&authority, provider), server(&authority.issue(kind, HOST)), ROUND);
    (authority, recorded.parse().unwrap().handshake)
}

#[test]
fn every_accepted_scheme_verifies_and_a_changed_bit_does_not() {
    use rustls::SignatureScheme as Named;
    for (named, kind, scheme) in [
        (Named::ECDSA_NISTP256_SHA256, KeyAlgorithm::P256, Scheme::EcdsaSha256),
        (Named::ECDSA_NISTP384_SHA384, KeyAlgorithm::P384, Scheme::EcdsaSha384),
        (Named::RSA_PKCS1_SHA256, KeyAlgorithm::Rsa, Scheme::Pkcs1Sha256),
        (Named::RSA_PKCS1_SHA384, KeyAlgorithm::Rsa, Scheme::Pkcs1Sha384),
        (Named::RSA_PKCS1_SHA512, KeyAlgorithm::Rsa, Scheme::Pkcs1Sha512),
        (Named::RSA_PSS_SHA256, KeyAlgorithm::Rsa, Scheme::PssSha256),
        (Named::RSA_PSS_SHA384, KeyAlgorithm::Rsa, Scheme::PssSha384),
        (Named::RSA_PSS_SHA512, KeyAlgorithm::Rsa, Scheme::PssSha512),
    ] {
        let (authority, handshake) = signed_by(named, kind);
        assert_eq!(handshake.scheme, scheme);
        let roots = authority.roots();
        assert!(verify(&handshake, HOST, &roots, NOW).is_ok(), "{scheme:?}");
        let changes: [fn(&mut Handshake); 4] = [
            |handshake| handshake.client_random[31] ^= 1,
            |handshake| handshake.server_random[0] ^= 128,
            |handshake| *handshake.params.last_mut().unwrap() ^= 1,
            |handshake| *handshake.signature.last_mut().unwrap() ^= 1,
        ];
        for change in changes {
            let mut changed = handshake.clone();
            change(&mut changed);
            let result = verify(&changed, HOST, &roots, NOW);
            assert!(matches!(result, Err(Error::Signature(_))), "{scheme:?} {result:?}");
        }
    }
}

#[test]
fn another_scheme_with_the_same_signature_is_refused() {
    let (authority, recorded) = honest(KeyAlgorithm::Rsa, ROUND);
    let handshake = recorded.parse().unwrap().handshake;
    let all = [
        Scheme::EcdsaSha256,
        Scheme::EcdsaSha384,
        Scheme::Pkcs1Sha256,
        Scheme::Pkcs1Sha384,
        Scheme::Pkcs1Sha512,
        Scheme::PssSha256,
        Scheme::PssSha384,
        Scheme::PssSha512,
    ];
    for scheme in all.into_iter().filter(|scheme| *scheme != handshake.scheme) {
        let mut changed = handshake.clone();
        changed.scheme = scheme;
        let result = verify(&changed, HOST, &authority.roots(), NOW);
        assert!(matches!(result, Err(Error::Signature(_))), "{scheme:?} {result:?}");
    }
}

#[test]
fn another_servers_certificate_does_not_fit_the_signature() {
    let authority = Authority::new();
    let connection = |issued: &Issued| {
        let recorded = connect(client(&authority, provider(false)), server(issued), ROUND);
        recorded.parse().unwrap().handshake
    };
    let [mut one, other] =
        [authority.issue(KeyAlgorithm::P256, HOST), authority.issue(KeyAlgorithm::P256, HOST)]
            .map(|issued| connection(&issued));
    one.certificates = other.certificates;
    assert!(matches!(verify(&one, HOST, &authority.roots(), NOW), Err(Error::Signature(_))));
}

#[test]
fn other_hosts_are_refused() {
    let (authority, recorded) = honest(KeyAlgorithm::P256, ROUND);
    let mut handshake = recorded.parse().unwrap().handshake;
    let roots = authority.roots();
    let found = handshake.sni.clone();
    let expected = "other.example.com".to_owned();
    assert_eq!(
        verify(&handshake, &expected, &roots, NOW),
        Err(Error::Sni { expected: expected.clone(), found })
    );
    handshake.sni = Some(expected.clone());
    let result = verify(&handshake, &expected, &roots, NOW);
    assert!(matches!(result, Err(Error::Host { host, .. }) if host == expected));
    handshake.sni = None;
    let result = verify(&handshake, HOST, &roots, NOW);
    assert_eq!(result, Err(Error::Sni { expected: HOST.into(), found: None }));
    let result = verify(&handshake, "192.0.2.1", &roots, NOW);
    assert!(matches!(result, Err(Error::Host { .. })), "{result:?}");
    for name in ["", "a b", "data.example.com.", "-", "a..b", "ex\u{e4}mple.com", "*.example.com"] {
        assert_eq!(verify(&handshake, name, &roots, NOW), Err(Error::Name(name.into())), "{name}");
    }
}

#[test]
fn an_address_is_a_host_without_a_name_in_the_hello() {
    let authority = Authority::new();
    let params =
        CertificateParams::new(vec![HOST.to_owned(), "192.0.2.1".to_owned(), "2001:db8::1".to_owned()]);
    let issued = authority.issue_with(KeyAlgorithm::P256, params.unwrap());
    let recorded = connect(client(&authority, provider(false)), server(&issued), ROUND);
    let mut handshake = recorded.parse().unwrap().handshake;
    let result = verify(&handshake, "192.0.2.1", &authority.roots(), NOW);
    assert_eq!(result, Err(Error::Sni { expected: "no host by name".into(), found: Some(HOST.into()) }));
    handshake.sni = None;
    for (name, shown) in [("192.0.2.1", "192.0.2.1"), ("2001:DB8:0::1", "2001:db8::1")] {
        assert_eq!(verify(&handshake, name, &authority.roots(), NOW).unwrap().name(), shown);
    }
}

#[test]
fn expired_unknown_and_misused_certificates_are_refused() {
    let authority = Authority::new();
    // The client does not look, as a cheating one would not.
    let with = |change: fn(&mut CertificateParams)| {
        let mut params = CertificateParams::new(vec![HOST.to_owned()]).unwrap();
        change(&mut params);
        let issued = authority.issue_with(KeyAlgorithm::P256, params);
        let mut handshake = honest(KeyAlgorithm::P256, ROUND).1.parse().unwrap().handshake;
        handshake.certificates = vec![issued.certificate.der().clone()];
        verify(&handshake, HOST, &authority.roots(), NOW)
    };
    let short = with(|params| params.not_after = date_time_ymd(2026, 1, 1));
    assert!(matches!(short, Err(Error::Chain(webpki::Error::CertExpired { .. }))), "{short:?}");
    let early = with(|params| params.not_before = date_time_ymd(2026, 12, 1));
    assert!(matches!(early, Err(Error::Chain(webpki::Error::CertNotValidYet { .. }))), "{early:?}");
    let wrong = with(|params| params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth]);
    assert!(matches!(wrong, Err(Error::Chain(webpki::Error::RequiredEkuNotFoundContext(_)))), "{wrong:?}");
    let fine = with(|_| {});
    assert!(matches!(fine, Err(Error::Signature(_))), "only the signature is another's: {fine:?}");

    let (authority, recorded) = honest(KeyAlgorithm::P256, ROUND);
    let mut handshake = recorded.parse().unwrap().handshake;
    for roots in [Roots::none(), Roots::public(), Authority::new().roots()] {
        let result = verify(&handshake, HOST, &roots, NOW);
        assert!(matches!(result, Err(Error::Chain(_))), "{result:?}");
    }
    handshake.certificates.clear();
    assert!(matches!(verify(&handshake, HOST, &authority.roots(), NOW), Err(Error::Chain(_))));
}

#[test]
fn roots_are_read_from_pem_all_or_none() {
    let [one, two] = [Authority::new(), Authority::new()];
    let mut roots = Roots::none();
    roots.add_pem(format!("# two\n{}\n{}", one.pem(), two.pem()).as_bytes()).unwrap();
    assert_eq!(roots.anchors().len(), 2);
    let (authority, recorded) = honest(KeyAlgorithm::P256, ROUND);
    roots.add_pem(authority.pem().as_bytes()).unwrap();
    assert!(verify(&recorded.parse().unwrap().handshake, HOST, &roots, NOW).is_ok());
    assert_eq!(roots.add_pem(b"nothing"), Err(RootsError::Empty));
    let bad = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let result = roots.add_pem([one.pem().as_str(), bad].concat().as_bytes());
    assert!(matches!(result, Err(RootsError::Certificate { number: 2, .. })), "{result:?}");
    let cut = one.pem().replace("-----END CERTIFICATE-----", "");
    assert!(matches!(roots.add_pem(cut.as_bytes()), Err(RootsError::Pem(_))));
    assert_eq!(roots.anchors().len(), 3);
    assert!(Roots::public().anchors().len() > 50);
}
