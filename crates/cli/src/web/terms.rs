//! A notary's limits: what it tells a prover, and what the user hears of that.

use volery::notary::Terms;
use volery::visit::Unmet;
use volery::web::attestation::Mode;
use volery::web::attestation::contract::Address;
use volery::web::joint::{Limits, MAX_PROVED, MAX_QUERY, MAX_READ};
use volery::web::proxy::relay::Rules;

use crate::failure::Failure;

/// What a notary tells that has these limits and signs for contracts with the key of this address.
pub(super) fn of(limits: &Limits, rules: &Rules, contract_signer: Option<Address>) -> Terms {
    let number = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
    Terms {
        request: number(limits.query.min(MAX_QUERY)),
        read: number(limits.read.min(MAX_READ)),
        proved: number(limits.proved.min(MAX_PROVED)),
        received: number(limits.received.min(rules.max_received)),
        hidden: number(limits.hidden.min(rules.hidden)),
        wait: u16::try_from(rules.idle.as_secs()).unwrap_or(u16::MAX),
        no_alpn: limits.no_alpn,
        contract_signer,
    }
}

/// The limits in words, as far as they concern the mode.
pub(super) fn described(mode: Mode, terms: &Terms) -> String {
    let Terms { request, read, proved, received, hidden, wait, no_alpn, .. } = terms;
    let alpn = if *no_alpn { "may name no protocol (ALPN)" } else { "must name its protocol (ALPN)" };
    let joint = match mode {
        Mode::TwoParty => format!(
            "{request} bytes of requests, {read} read while the connection lives, {proved} proved ahead, "
        ),
        Mode::Proxy => String::new(),
    };
    let server = match mode {
        Mode::TwoParty => format!("; the server {alpn}"),
        Mode::Proxy => String::new(),
    };
    format!(
        "the notary's limits: {joint}{received} bytes received, {hidden} hidden, {wait} s for the server to answer{server}"
    )
}

/// What is beyond the limits, and who can change it.
pub(super) fn failure(unmet: Unmet) -> Failure {
    Failure::session(match unmet {
        Unmet::Requests { .. } => format!("{unmet}: its operator sets --max-request"),
        Unmet::Read { .. } => {
            format!("{unmet}: give a smaller --read, or --apart; its operator sets --max-read")
        }
        Unmet::NoAlpn => {
            format!("--no-alpn: {unmet}; its operator sets --allow-no-alpn, or use --mode proxy")
        }
        Unmet::ContractSigner { wanted, found } => {
            let found = found.map_or("does not".into(), |found| format!("does with {found}"));
            format!(
                "--contract-signer {wanted}: the notary {found} sign for contracts; its operator sets --contract-key"
            )
        }
        Unmet::Wait { asked, .. } => {
            format!("--timeout {}: {unmet}; its operator sets --max-wait", asked.as_secs())
        }
        unmet => unmet.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn who_can_change_a_limit_is_said_with_it() {
        let wanted = Address::new([1; 20]).expect("not zero");
        let (asked, limit) = (Duration::from_secs(11), Duration::from_secs(10));
        for (unmet, said) in [
            (
                Unmet::Requests { asked: 101, limit: 100 },
                "the requests have 101 bytes, and the notary takes at most 100: its operator sets --max-request",
            ),
            (
                Unmet::Read { asked: 101, limit: 100 },
                "reading earlier responses takes 101 bytes, and the notary takes at most 100: give a smaller --read, or \
                 --apart; its operator sets --max-read",
            ),
            (
                Unmet::NoAlpn,
                "--no-alpn: the notary does not take part in connections without a named protocol; its operator sets \
                 --allow-no-alpn, or use --mode proxy",
            ),
            (
                Unmet::ContractSigner { wanted, found: None },
                "--contract-signer 0x0101010101010101010101010101010101010101: the notary does not sign for contracts; \
                 its operator sets --contract-key",
            ),
            (
                Unmet::Wait { asked, limit },
                "--timeout 11: the notary waits at most 10 s for a website; its operator sets --max-wait",
            ),
        ] {
            assert_eq!(failure(unmet), Failure::session(said));
        }
    }

    #[test]
    fn limits_are_described_as_far_as_they_concern_the_mode() {
        let terms = of(&Limits::default(), &Rules::default(), None);
        assert_eq!(
            described(Mode::TwoParty, &terms),
            "the notary's limits: 16384 bytes of requests, 4096 read while the connection lives, 8192 proved ahead, \
             16777216 bytes received, 65536 hidden, 10 s for the server to answer; the server must name its protocol (ALPN)"
        );
        assert_eq!(
            described(Mode::Proxy, &terms),
            "the notary's limits: 16777216 bytes received, 65536 hidden, 10 s for the server to answer"
        );
    }
}
