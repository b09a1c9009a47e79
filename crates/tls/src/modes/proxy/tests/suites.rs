//! Whole sessions with servers of one cipher suite.

use super::*;
use crate::modes::proxy::relay::Relayed;
use crate::page::disclosure::Suite;
use crate::wire::transcript::testing::of_suite;

const VERSIONS: [TlsVersion; 2] = [TlsVersion::Tls12, TlsVersion::Tls13];

fn site_of(suite: Suite) -> Site {
    Site::with(HOST, &[&response(BODY)], End::Notify, |config| of_suite(&config, suite))
}

fn run(site: &Site, version: TlsVersion) -> Run<'_> {
    Run { version: Some(version), ..Run::hiding(site, REQUEST, usual()) }
}

/// The client offers everything, and the server chooses.
#[test]
fn v_believes_a_server_of_any_suite_and_says_which() {
    for suite in [Suite::Aes256GcmSha384, Suite::ChaCha20Poly1305Sha256] {
        let site = site_of(suite);
        for version in VERSIONS {
            let (fetched, proven) = run(&site, version).go();
            assert_eq!(fetched.unwrap(), response(BODY));
            let proven = proven.unwrap();
            let text = String::from_utf8(proven.response.text.clone()).unwrap();
            assert!(text.contains("London") && !text.contains("1204"), "{suite} {version}: {text}");
            let statement = proven.statement().unwrap();
            assert_eq!((statement.tls, statement.suite), (version, suite));
        }
    }
}

/// V's record has another byte in the server's last record of data, or in its tag.
#[test]
fn tags_of_chacha20_poly1305_are_checked() {
    let site = site_of(Suite::ChaCha20Poly1305Sha256);
    let changes: [fn(Relayed) -> Relayed; 2] =
        [|relayed| changed(relayed, 20), |relayed| changed(relayed, 1)];
    for (version, record) in VERSIONS.into_iter().zip(changes) {
        let error = Run { record, ..run(&site, version) }.go().1.unwrap_err();
        assert!(
            matches!(error, Failed::Disclosure(Disclosure::Refused(Refusal::Tag { side: Side::Server, .. }))),
            "{error}"
        );
    }
}

/// With a change in the byte so far from the end of the last record but one, the last being the alert.
fn changed(mut relayed: Relayed, from_end: usize) -> Relayed {
    let (mut start, mut ends) = (0, Vec::new());
    while let Some([_, _, _, high, low]) = relayed.server.get(start..start + 5) {
        start += 5 + usize::from(u16::from_be_bytes([*high, *low]));
        ends.push(start);
    }
    let end = ends[ends.len() - 2];
    relayed.server[end - from_end] ^= 1;
    relayed
}
