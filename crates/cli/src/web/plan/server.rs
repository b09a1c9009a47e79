//! Fetches pages alone, and asks what the server can be served with.

use core::ops::Range;

use serde::Serialize;
use volery::visit::{MAX_RECEIVED, SERVER_TIME};
use volery::web::dialogue::ReceivedResponses;
use volery::web::disclosure::{Draft, Suite, TlsVersion, TranscriptError};
use volery::web::joint::SUITES;
use volery::web::joint::client::{ConnectionLimits, Failure as ConnectionFailure};
use volery::web::plain::{self, Agreed, Ending, Target};
use volery::web::server::Roots;

use super::super::script::Script;
use super::draft::{Answered, leaves};
use super::report::MistakeReport;
use crate::args::{ModeArg, TlsArg, WebPageArgs};
use crate::failure::Failure;

/// Fetches pages.
pub(super) struct Visitor<'a> {
    pub(super) asked: &'a WebPageArgs,
    pub(super) script: &'a Script,
    pub(super) roots: &'a Roots,
}

impl Visitor<'_> {
    fn target(&self) -> Target<'_> {
        let page = self.script.page();
        let limits =
            ConnectionLimits { received: MAX_RECEIVED, total: SERVER_TIME, ..ConnectionLimits::default() };
        Target { host: &page.host, port: page.port, roots: self.roots, limits }
    }

    /// Sends the requests of a connection. `before` has the responses on earlier connections.
    pub(super) fn visit(
        &self,
        connection: &Range<usize>,
        before: &ReceivedResponses,
    ) -> Result<Answered, Failure> {
        let start = connection.start;
        let visit = plain::visit(&self.target(), connection.len(), &mut |round, heard| {
            self.script.request(start + round, if start == 0 { heard } else { before })
        });
        let visit = visit.map_err(|error| Failure::session(explained(&error)))?;
        let page = self.script.page();
        let draft = Draft {
            mode: self.asked.mode.into(),
            // Another one, if the server takes no handshake of this one.
            tls: Option::from(self.asked.tls).unwrap_or(TlsVersion::Tls13),
            suite: Option::from(self.asked.cipher).unwrap_or(Suite::Aes128GcmSha256),
            host: page.host.clone(),
            port: page.port,
            alpn: visit.agreed.alpn,
            certificate: visit.certificate,
            pipelined: self.asked.pipelined && connection.len() > 1,
            context: self.asked.context.clone().unwrap_or_default(),
            leaves: leaves(self.asked)?,
            closed: visit.ending == Ending::Closed,
            trusts_close: self.asked.trust_close,
            payload: visit.payload,
        };
        let wire = visit.wire.map(|bytes| bytes as u64);
        Ok(Answered { draft, agreed: Some(visit.agreed), open: visit.ending == Ending::Open, wire })
    }

    /// What the server speaks, and which modes that allows.
    pub(super) fn server(&self, agreed: Agreed) -> ServerReport {
        let asked: Option<Suite> = self.asked.cipher.into();
        let probe = |version, suites: &[Suite]| {
            plain::probe(&self.target(), version, suites).map_err(|error| match error {
                plain::Error::Tls(_) | plain::Error::Connection(ConnectionFailure::Closed) => {
                    let names: Vec<_> = suites.iter().map(Suite::to_string).collect();
                    let names = names.join(", ");
                    format!("{NO_HANDSHAKE} {version} with {names} on P-256 or X25519 ({error})")
                }
                // The server took the offer, or never saw it.
                error => error.to_string(),
            })
        };
        // Proxy mode offers everything; two parties ask for one suite after the other.
        let offers = |version| {
            let alone = probe(version, asked.as_ref().map_or(&Suite::ALL[..], core::slice::from_ref));
            let first = alone.as_ref().is_ok_and(|agreed| agreed.served == SUITES.first().copied());
            if first || alone.is_err() {
                return Offers { together: alone.clone(), alone };
            }
            let mut together = alone.clone();
            for suite in SUITES.iter().filter(|suite| asked.is_none_or(|asked| asked == **suite)) {
                together = probe(version, core::slice::from_ref(suite));
                if together.is_ok() {
                    break;
                }
            }
            Offers { together, alone }
        };
        ServerReport::new(
            agreed,
            [&offers(TlsVersion::Tls12), &offers(TlsVersion::Tls13)],
            self.asked.no_alpn,
        )
    }
}

/// What a server takes of one version, from two parties and in proxy mode.
struct Offers {
    together: Result<Agreed, String>,
    alone: Result<Agreed, String>,
}

/// The error, and that no mode helps if the server has nothing of today's TLS.
fn explained(error: &plain::Error) -> String {
    match error {
        plain::Error::Tls(reason)
            if ["HandshakeFailure", "ProtocolVersion"].iter().any(|alert| reason.contains(alert)) =>
        {
            format!(
                "{error}; the server has neither TLS 1.3 nor TLS 1.2 with ECDHE and AES-GCM or ChaCha20, so no mode can serve it"
            )
        }
        _ => error.to_string(),
    }
}

/// The start of a reason: the server does not take what a mode offers.
const NO_HANDSHAKE: &str = "no handshake of TLS";

/// Why two parties do not serve a server that names no protocol.
const NO_ALPN: &str = "the server does not agree on http/1.1 (ALPN), so nobody could tell its words from those of \
                       another service; --no-alpn goes on, if the notary and the reader allow it";

/// What the server speaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct ServerReport {
    /// What it chose among everything that there is.
    pub(super) tls: &'static str,
    pub(super) suite: String,
    pub(super) group: String,
    /// Whether it agrees on http/1.1.
    pub(super) alpn: bool,
    pub(super) modes: Vec<ModeReport>,
}

/// Whether the server can be served in a mode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct ModeReport {
    pub(super) mode: &'static str,
    pub(super) tls: TlsVersion,
    /// With which cipher suite.
    pub(super) suite: Option<Suite>,
    /// Why not, if it cannot.
    pub(super) reason: Option<String>,
}

impl ServerReport {
    /// What the server chose among everything, and of what each version offers.
    fn new(agreed: Agreed, [tls12, tls13]: [&Offers; 2], no_alpn: bool) -> Self {
        let Agreed { version, suite, group, alpn, .. } = agreed;
        let way = |mode: ModeArg, tls, offered: &Result<Agreed, String>| {
            let reason = match offered {
                Ok(Agreed { alpn: false, .. }) if mode == ModeArg::TwoParty && !no_alpn => {
                    Some(NO_ALPN.to_owned())
                }
                other => other.as_ref().err().cloned(),
            };
            let suite = offered.as_ref().ok().and_then(|agreed| agreed.served);
            ModeReport { mode: mode.name(), tls, suite, reason }
        };
        let modes = vec![
            way(ModeArg::TwoParty, TlsVersion::Tls13, &tls13.together),
            way(ModeArg::TwoParty, TlsVersion::Tls12, &tls12.together),
            way(ModeArg::Proxy, TlsVersion::Tls13, &tls13.alone),
            way(ModeArg::Proxy, TlsVersion::Tls12, &tls12.alone),
        ];
        Self { tls: version, suite, group, alpn, modes }
    }

    /// The ways in which the user wants the server to be served.
    fn wanted(&self, mode: ModeArg, tls: TlsArg) -> impl Iterator<Item = &ModeReport> {
        let tls: Option<TlsVersion> = tls.into();
        let is = move |way: &&ModeReport| way.mode == mode.name() && tls.is_none_or(|tls| tls == way.tls);
        self.modes.iter().filter(is)
    }

    /// The version and the suite that a proof would speak.
    pub(super) fn protocol(&self, asked: &WebPageArgs) -> (TlsVersion, Suite) {
        let mut working = self.wanted(asked.mode, asked.tls).filter(|way| way.reason.is_none());
        let (tls, suite): (Option<TlsVersion>, Option<Suite>) = (asked.tls.into(), asked.cipher.into());
        let suite = suite.unwrap_or(Suite::Aes128GcmSha256);
        match working.next() {
            Some(way) => (way.tls, way.suite.unwrap_or(suite)),
            None => (tls.unwrap_or(TlsVersion::Tls13), suite),
        }
    }

    /// The mistake of asking for a mode in which this server cannot be served.
    pub(super) fn mistake(&self, asked: &WebPageArgs) -> Option<MistakeReport> {
        self.refusal(asked.mode, asked.tls).map(MistakeReport::of_words)
    }

    fn refusal(&self, mode: ModeArg, tls: TlsArg) -> Option<String> {
        let mut reasons = Vec::new();
        for way in self.wanted(mode, tls) {
            // One way is enough, but a server that takes TLS 1.3 gets to choose it, and then asks.
            let Some(reason) = way.reason.clone() else {
                if reasons.contains(&TranscriptError::CertificateRequest.to_string()) {
                    break;
                }
                return None;
            };
            reasons.push(reason);
        }
        reasons.dedup();
        let working = self.modes.iter().filter(|way| way.reason.is_none());
        let working: Vec<_> = working.map(|way| format!("--mode {} --tls {}", way.mode, way.tls)).collect();
        let working = if working.is_empty() {
            let unlike = reasons.iter().all(|reason| reason.starts_with(NO_HANDSHAKE));
            let takes =
                if unlike { ": that takes AES-GCM or ChaCha20-Poly1305, in TLS 1.2 with ECDHE" } else { "" };
            format!("no mode can serve it{takes}")
        } else {
            format!("use {}", working.join(" or "))
        };
        Some(format!(
            "the server cannot be served by --mode {} --tls {}: {}; by itself it chooses TLS {} with {}; {working}",
            mode.name(),
            tls.name(),
            reasons.join("; "),
            self.tls,
            self.suite
        ))
    }

    /// Some lines of text.
    pub(super) fn text(&self) -> String {
        let alpn = if self.alpn { "http/1.1 agreed" } else { "http/1.1 not agreed (ALPN)" };
        let mut text = format!("server    TLS {}, {}, {}, {alpn}\n", self.tls, self.suite, self.group);
        for ModeReport { mode, tls, suite, reason } in &self.modes {
            let with = suite.map_or_else(String::new, |suite| format!(" with {suite}"));
            let works =
                reason.as_ref().map_or(format!("works{with}"), |reason| format!("does not: {reason}"));
            text.push_str(&format!("          --mode {mode} --tls {tls} {works}\n"));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agreed(version: &'static str, alpn: bool) -> Agreed {
        let served = Some(Suite::Aes128GcmSha256);
        Agreed { version, suite: format!("SUITE_{version}"), served, group: "X25519".into(), alpn }
    }

    fn report(tls12: Result<Agreed, String>, tls13: Result<Agreed, String>) -> ServerReport {
        let [tls12, tls13] = [tls12, tls13].map(|alone| Offers { together: alone.clone(), alone });
        ServerReport::new(agreed("1.3", true), [&tls12, &tls13], false)
    }

    fn none() -> Result<Agreed, String> {
        Err("no handshake of TLS".to_owned())
    }

    /// Of the newer version first, of two parties first.
    #[test]
    fn each_mode_works_with_what_it_needs_of_the_server() {
        for (tls12, tls13, works) in [
            (Ok(agreed("1.2", true)), Ok(agreed("1.3", true)), [true, true, true, true]),
            (Ok(agreed("1.2", false)), none(), [false, false, false, true]),
            (none(), Ok(agreed("1.3", true)), [true, false, true, false]),
            (none(), none(), [false, false, false, false]),
        ] {
            let report = report(tls12, tls13);
            let found: Vec<_> = report.modes.iter().map(|mode| mode.reason.is_none()).collect();
            assert_eq!(found, works);
        }
    }

    #[test]
    fn who_asks_for_what_the_server_does_not_have_is_told_what_works() {
        let older = report(Ok(agreed("1.2", false)), none());
        assert_eq!(older.refusal(ModeArg::Proxy, TlsArg::Auto), None);
        assert_eq!(older.refusal(ModeArg::Proxy, TlsArg::Tls12), None);
        for (mode, tls, reason) in [
            (ModeArg::Proxy, TlsArg::Tls13, "no handshake"),
            (ModeArg::TwoParty, TlsArg::Auto, "ALPN"),
            (ModeArg::TwoParty, TlsArg::Tls12, "ALPN"),
        ] {
            let told = older.refusal(mode, tls).expect("it cannot be served");
            assert!(told.contains(reason) && told.ends_with("use --mode proxy --tls 1.2"), "{told}");
        }
        let told = report(none(), none()).refusal(ModeArg::Proxy, TlsArg::Auto).expect("nothing works");
        assert!(told.contains("no mode can serve it: that takes"), "{told}");
        let demands = || Err("it demands a certificate".to_owned());
        let told = report(demands(), demands()).refusal(ModeArg::Proxy, TlsArg::Auto).expect("nothing works");
        assert!(told.contains("demands") && told.ends_with("no mode can serve it"), "{told}");
    }

    /// TLS 1.3 is what a proof would speak.
    #[test]
    fn a_server_that_asks_for_a_certificate_in_tls_1_3_is_served_by_tls_1_2_if_that_is_asked_for() {
        let asks = report(Ok(agreed("1.2", true)), Err(TranscriptError::CertificateRequest.to_string()));
        for mode in [ModeArg::TwoParty, ModeArg::Proxy] {
            let told = asks.refusal(mode, TlsArg::Auto).expect("it asks");
            assert!(told.contains("asked for a certificate") && told.contains("--tls 1.2"), "{told}");
            assert_eq!(asks.refusal(mode, TlsArg::Tls12), None);
            assert!(asks.refusal(mode, TlsArg::Tls13).is_some());
        }
    }
}
