//! A notary's limits: what it tells a prover, and what the prover makes of that before anything is begun.

use std::time::Duration;

use volery::notary::{Terms, Way};
use volery::web::attestation::contract::Address;
use volery::web::joint::{Limits, MAX_PROVED, MAX_QUERY, MAX_READ, RoundSizes, Sizes};
use volery::web::proxy::relay::Rules;

use crate::args::ModeArg;
use crate::failure::Failure;

/// How long to wait for a website's next bytes if the user does not say.
pub(super) const USUAL_WAIT: Duration = Duration::from_secs(10);

/// What a prover wants of a notary that tells its limits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wishes {
    /// How the connection is made.
    pub(super) mode: ModeArg,
    /// Whether the notary carries the connection of two parties.
    pub(super) carried: bool,
    /// Whether the server may name no protocol.
    pub(super) no_alpn: bool,
    /// How long the server may take for its next bytes, if the user says so.
    pub(super) wait: Option<Duration>,
    /// Who must sign for contracts, if somebody must.
    pub(super) contract_signer: Option<Address>,
}

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

impl Wishes {
    /// How the connection is made.
    pub(super) fn way(&self) -> Way {
        match self.mode {
            ModeArg::TwoParty if self.carried => Way::Carried,
            ModeArg::TwoParty => Way::TwoParty,
            ModeArg::Proxy => Way::Proxy,
        }
    }

    /// How long to wait for the website.
    pub(super) fn wait(&self, terms: &Terms) -> Duration {
        self.wait.unwrap_or(USUAL_WAIT.min(Duration::from_secs(terms.wait.into())))
    }

    /// The longest wait that the prover may ask for, before it knows the notary's limits.
    pub(super) fn longest_wait(&self) -> Duration {
        self.wait.unwrap_or(USUAL_WAIT)
    }

    /// The limits in words, as far as they concern the mode.
    pub(super) fn describe(&self, terms: &Terms) -> String {
        let Terms { request, read, proved, received, hidden, wait, no_alpn, .. } = terms;
        let alpn = if *no_alpn { "may name no protocol (ALPN)" } else { "must name its protocol (ALPN)" };
        let joint = match self.mode {
            ModeArg::TwoParty => format!(
                "{request} bytes of requests, {read} read while the connection lives, {proved} proved ahead, "
            ),
            ModeArg::Proxy => String::new(),
        };
        let server = match self.mode {
            ModeArg::TwoParty => format!("; the server {alpn}"),
            ModeArg::Proxy => String::new(),
        };
        format!(
            "the notary's limits: {joint}{received} bytes received, {hidden} hidden, {wait} s for the server to answer{server}"
        )
    }

    /// The sizes to prepare for. What can be proved later is not prepared beyond the limit.
    ///
    /// # Errors
    /// What is beyond the limits, and who can change it.
    pub(super) fn fit(&self, terms: &Terms, sizes: Sizes) -> Result<Sizes, Failure> {
        self.check(terms)?;
        let sum = |of: fn(&RoundSizes) -> usize| sizes.rounds.iter().map(of).fold(0, usize::saturating_add);
        let requests = ("the requests have", sum(|round| round.query), terms.request);
        let read = ("reading earlier responses takes", sum(|round| round.read), terms.read);
        for ((what, asked, limit), advice) in [
            (requests, "its operator sets --max-request"),
            (read, "give a smaller --read, or --apart; its operator sets --max-read"),
        ] {
            if asked > limit as usize {
                return Err(Failure::session(format!(
                    "{what} {asked} bytes, and the notary takes at most {limit}: {advice}"
                )));
            }
        }
        let proved = sizes.proved.min(terms.proved as usize);
        Ok(Sizes { proved, ..sizes })
    }

    /// Checks what does not depend on sizes.
    ///
    /// # Errors
    /// What is beyond the limits, and who can change it.
    pub(super) fn check(&self, terms: &Terms) -> Result<(), Failure> {
        if self.no_alpn && self.mode == ModeArg::TwoParty && !terms.no_alpn {
            return Err(Failure::session(
                "--no-alpn: the notary does not take part in connections without a named protocol; its operator sets \
                 --allow-no-alpn, or use --mode proxy",
            ));
        }
        if let Some(wanted) = self.contract_signer.filter(|wanted| Some(*wanted) != terms.contract_signer) {
            let found = terms.contract_signer.map_or("does not".into(), |found| format!("does with {found}"));
            return Err(Failure::session(format!(
                "--contract-signer {wanted}: the notary {found} sign for contracts; its operator sets --contract-key"
            )));
        }
        let (wait, most) = (self.wait(terms), Duration::from_secs(terms.wait.into()));
        if wait > most {
            return Err(Failure::session(format!(
                "--timeout {}: the notary waits at most {} s for a website; its operator sets --max-wait",
                wait.as_secs(),
                most.as_secs()
            )));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use volery::web::disclosure::{Suite, TlsVersion};

    use super::*;

    const WISHES: Wishes =
        Wishes { mode: ModeArg::TwoParty, carried: false, no_alpn: false, wait: None, contract_signer: None };

    fn terms() -> Terms {
        of(&Limits::default(), &Rules::default(), None)
    }

    fn sizes(query: usize, read: usize, proved: usize) -> Sizes {
        Sizes {
            tls: TlsVersion::Tls12,
            suite: Suite::Aes128GcmSha256,
            rounds: vec![RoundSizes { query, read }, RoundSizes { query: 1, read: 0 }],
            proved,
        }
    }

    #[test]
    fn what_is_beyond_the_limits_is_said_before_anything_is_begun() {
        let fit = |sizes| WISHES.fit(&terms(), sizes).map_err(|failure| failure.to_string());
        assert_eq!(fit(sizes(16_383, 4096, 8192)), Ok(sizes(16_383, 4096, 8192)));
        let refused = fit(sizes(16_384, 0, 0)).expect_err("too long");
        assert!(refused.contains("16385 bytes") && refused.contains("--max-request"), "{refused}");
        let refused = fit(sizes(1, 4097, 0)).expect_err("too much");
        assert!(refused.contains("4097 bytes") && refused.contains("--max-read"), "{refused}");
        // More than that is proved after the connection.
        assert_eq!(fit(sizes(1, 0, 8193)), Ok(sizes(1, 0, 8192)));
    }

    #[test]
    fn waits_and_servers_without_a_protocol_are_as_the_notary_allows() {
        let terms = terms();
        let wishes = |seconds| Wishes { wait: Some(Duration::from_secs(seconds)), ..WISHES };
        assert_eq!((wishes(10).check(&terms), WISHES.wait(&terms).as_secs()), (Ok(()), 10));
        assert!(wishes(11).check(&terms).is_err());
        assert_eq!(WISHES.wait(&Terms { wait: 3, ..terms }).as_secs(), 3);
        let open = Wishes { no_alpn: true, ..WISHES };
        assert!(open.check(&terms).is_err() && open.check(&Terms { no_alpn: true, ..terms }).is_ok());
        assert_eq!(Wishes { mode: ModeArg::Proxy, ..open }.check(&terms), Ok(()));
    }

    #[test]
    fn the_notary_signs_for_contracts_with_the_address_that_is_asked_for_or_nothing_is_begun() {
        let [one, other] = [1, 2].map(|byte| Address::new([byte; 20]));
        for mode in [ModeArg::TwoParty, ModeArg::Proxy] {
            let wishes = Wishes { mode, contract_signer: one, ..WISHES };
            let check = |contract_signer| wishes.check(&Terms { contract_signer, ..terms() });
            assert_eq!(check(one), Ok(()));
            for wrong in [None, other] {
                let refused = check(wrong).expect_err("another address").to_string();
                assert!(refused.contains("--contract-key") && refused.contains("0x0101"), "{refused}");
            }
        }
        assert_eq!(WISHES.check(&Terms { contract_signer: one, ..terms() }), Ok(()));
    }

    #[test]
    fn limits_are_described_as_far_as_they_concern_the_mode() {
        assert_eq!(
            WISHES.describe(&terms()),
            "the notary's limits: 16384 bytes of requests, 4096 read while the connection lives, 8192 proved ahead, \
             16777216 bytes received, 65536 hidden, 10 s for the server to answer; the server must name its protocol (ALPN)"
        );
        let proxy = Wishes { mode: ModeArg::Proxy, ..WISHES };
        assert_eq!(
            proxy.describe(&terms()),
            "the notary's limits: 16777216 bytes received, 65536 hidden, 10 s for the server to answer"
        );
    }
}
