//! What a prover makes of a notary's limits before anything is begun.

use std::time::Duration;

use volery_tls::attestation::contract::Address;
use volery_tls::joint::{RoundSizes, Sizes};

use super::{USUAL_WAIT, Visit};
use crate::notary::{Terms, Way};

/// What a prover wants, and the notary's limits do not allow. Callers add what their users can do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unmet {
    /// The requests of two parties are too long: [`Terms::request`].
    #[error("the requests have {asked} bytes, and the notary takes at most {limit}")]
    Requests {
        /// The bytes of all requests.
        asked: usize,
        /// The notary's limit.
        limit: u32,
    },
    /// Two parties would read too much while the connection lives: [`Terms::read`](field@Terms::read).
    #[error("reading earlier responses takes {asked} bytes, and the notary takes at most {limit}")]
    Read {
        /// The bytes to read, with what records take.
        asked: usize,
        /// The notary's limit.
        limit: u32,
    },
    /// The website has to name its protocol: [`Terms::no_alpn`].
    #[error("the notary does not take part in connections without a named protocol")]
    NoAlpn,
    /// The notary does not sign for contracts, or with another address: [`Terms::contract_signer`].
    #[error("{wanted} has to sign for contracts, and the notary {}", signs(*found))]
    ContractSigner {
        /// Who has to sign.
        wanted: Address,
        /// Who does, if somebody does.
        found: Option<Address>,
    },
    /// The website may not take as long: [`Terms::wait`].
    #[error("the notary waits at most {} s for a website", limit.as_secs())]
    Wait {
        /// How long it may take.
        asked: Duration,
        /// How long the notary waits.
        limit: Duration,
    },
}

fn signs(found: Option<Address>) -> String {
    found.map_or("does not".into(), |found| format!("does it with {found}"))
}

impl Visit {
    /// How long to wait for the website.
    pub(super) fn wait(&self, terms: &Terms) -> Duration {
        self.wait.unwrap_or(USUAL_WAIT.min(Duration::from_secs(terms.wait.into())))
    }

    /// Checks what is known before the website was asked for anything.
    pub(super) fn check(&self, terms: &Terms) -> Result<(), Unmet> {
        let together = self.way != Way::Proxy;
        if self.no_alpn && together && !terms.no_alpn {
            return Err(Unmet::NoAlpn);
        }
        if let Some(wanted) = self.contract_signer.filter(|wanted| Some(*wanted) != terms.contract_signer) {
            return Err(Unmet::ContractSigner { wanted, found: terms.contract_signer });
        }
        let (asked, limit) = (self.wait(terms), Duration::from_secs(terms.wait.into()));
        if asked > limit {
            return Err(Unmet::Wait { asked, limit });
        }
        let asked = self.rounds.iter().map(|round| round.query).fold(0, usize::saturating_add);
        if together && asked > terms.request as usize {
            return Err(Unmet::Requests { asked, limit: terms.request });
        }
        Ok(())
    }
}

/// The sizes to prepare for. What can be proved later is not prepared beyond the limit.
pub(super) fn fit(terms: &Terms, sizes: Sizes) -> Result<Sizes, Unmet> {
    let asked = sizes.rounds.iter().map(|round: &RoundSizes| round.read).fold(0, usize::saturating_add);
    if asked > terms.read as usize {
        return Err(Unmet::Read { asked, limit: terms.read });
    }
    let proved = sizes.proved.min(terms.proved as usize);
    Ok(Sizes { proved, ..sizes })
}

#[cfg(test)]
mod tests {
    use volery_tls::disclosure::{Suite, TlsVersion};

    use super::super::Round;
    use super::*;

    const TERMS: Terms = Terms {
        request: 16_384,
        read: 4096,
        proved: 8192,
        received: 1 << 24,
        hidden: 1 << 16,
        wait: 10,
        no_alpn: false,
        contract_signer: None,
    };

    fn visit(way: Way) -> Visit {
        Visit::new("localhost", 443, way, vec![Round::alone(1)])
    }

    fn sizes(read: usize, proved: usize) -> Sizes {
        let rounds = vec![RoundSizes { query: 1, read }, RoundSizes { query: 1, read: 0 }];
        Sizes { tls: TlsVersion::Tls12, suite: Suite::Aes128GcmSha256, rounds, proved }
    }

    #[test]
    fn what_is_beyond_the_limits_is_said_before_anything_is_begun() {
        let check = |way, query| {
            let rounds = vec![Round::alone(query), Round::alone(1)];
            Visit { rounds, ..visit(way) }.check(&TERMS)
        };
        let refused = Unmet::Requests { asked: 16_385, limit: 16_384 };
        for way in [Way::TwoParty, Way::Carried] {
            assert_eq!((check(way, 16_383), check(way, 16_384)), (Ok(()), Err(refused)));
        }
        assert_eq!(check(Way::Proxy, usize::MAX), Ok(()));
        assert_eq!(fit(&TERMS, sizes(4096, 8192)), Ok(sizes(4096, 8192)));
        assert_eq!(fit(&TERMS, sizes(4097, 0)), Err(Unmet::Read { asked: 4097, limit: 4096 }));
        // More than that is proved after the connection.
        assert_eq!(fit(&TERMS, sizes(0, 8193)), Ok(sizes(0, 8192)));
    }

    #[test]
    fn waits_and_servers_without_a_protocol_are_as_the_notary_allows() {
        let seconds = Duration::from_secs;
        let waiting = |wait| Visit { wait: Some(seconds(wait)), ..visit(Way::TwoParty) };
        assert_eq!((waiting(10).check(&TERMS), waiting(10).wait(&TERMS)), (Ok(()), seconds(10)));
        let refused = Unmet::Wait { asked: seconds(11), limit: seconds(10) };
        assert_eq!(waiting(11).check(&TERMS), Err(refused));
        assert_eq!(visit(Way::TwoParty).wait(&TERMS), USUAL_WAIT);
        assert_eq!(visit(Way::TwoParty).wait(&Terms { wait: 3, ..TERMS }), seconds(3));
        for way in [Way::TwoParty, Way::Carried] {
            let open = Visit { no_alpn: true, ..visit(way) };
            assert_eq!(open.check(&TERMS), Err(Unmet::NoAlpn));
            assert_eq!(open.check(&Terms { no_alpn: true, ..TERMS }), Ok(()));
        }
        assert_eq!(Visit { no_alpn: true, ..visit(Way::Proxy) }.check(&TERMS), Ok(()));
    }

    #[test]
    fn the_notary_signs_for_contracts_with_the_address_that_is_asked_for_or_nothing_is_begun() {
        let [one, other] = [1, 2].map(|byte| Address::new([byte; 20]).expect("not zero"));
        for way in [Way::TwoParty, Way::Carried, Way::Proxy] {
            let check = |contract_signer| {
                let wanted = Visit { contract_signer: Some(one), ..visit(way) };
                wanted.check(&Terms { contract_signer, ..TERMS })
            };
            assert_eq!(check(Some(one)), Ok(()));
            for found in [None, Some(other)] {
                assert_eq!(check(found), Err(Unmet::ContractSigner { wanted: one, found }));
            }
            assert_eq!(visit(way).check(&Terms { contract_signer: Some(one), ..TERMS }), Ok(()));
        }
    }
}
