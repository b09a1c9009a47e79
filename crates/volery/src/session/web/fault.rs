//! What kind of failure it is if nothing can be said of a page as it was asked for.

use volery_tls::disclosure::{self, Refusal};
use volery_tls::{joint, proxy};

use crate::Error;

/// At the prover: what an error of a page is about, once the page is there. Every front end decides by this
/// what kind of error its caller gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageFault<'a> {
    /// A claim is not true, for this reason.
    NotTrue(&'a str),
    /// What is to be shown, hidden, claimed or committed to does not fit the page. The session is not to
    /// blame.
    Page(&'a Refusal),
    /// The session: the connection, the website, the verifier.
    Session,
}

impl<'a> PageFault<'a> {
    /// The fault of a session's error.
    #[must_use]
    pub const fn of(error: &'a Error) -> Self {
        match Self::disclosure(error) {
            Some(disclosure::Error::NotTrue(reason)) => Self::NotTrue(reason.as_str()),
            Some(disclosure::Error::Refused(refusal)) if refusal.is_about_choice() => Self::Page(refusal),
            _ => Self::Session,
        }
    }

    /// Why a page, or what is said of it, is refused, if that is the error.
    #[must_use]
    pub const fn refusal(error: &'a Error) -> Option<&'a Refusal> {
        match Self::disclosure(error) {
            Some(disclosure::Error::Refused(refusal)) => Some(refusal),
            _ => None,
        }
    }

    /// What is wrong with what the prover says, in either mode.
    const fn disclosure(error: &'a Error) -> Option<&'a disclosure::Error> {
        match error {
            Error::Web(proxy::Error::Disclosure(error)) | Error::Joint(joint::Error::Disclosure(error)) => {
                Some(error)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use volery_tls::Side;

    use super::*;

    /// The error in both modes.
    fn in_both_modes(error: &disclosure::Error) -> [Error; 2] {
        [proxy::Error::from(error.clone()).into(), joint::Error::from(error.clone()).into()]
    }

    #[test]
    fn what_the_prover_chose_is_the_pages_fault_in_both_modes_and_all_else_the_sessions() {
        let text = || "reason".to_owned();
        let of_choice = [
            Refusal::Part { message: text(), part: text(), reason: text() },
            Refusal::Claim(volery_circuit::Error::Public(text())),
            Refusal::Hidden { side: Side::Server, bytes: 2, limit: 1 },
            Refusal::Memory { ever: true },
            Refusal::Payload { side: Side::Server, reason: "reason" },
            Refusal::Host { expected: text() },
            Refusal::Port { port: 1, reason: "reason" },
            Refusal::Http { side: Side::Client, reason: text() },
        ];
        for refusal in of_choice {
            for error in in_both_modes(&refusal.clone().into()) {
                assert_eq!(PageFault::of(&error), PageFault::Page(&refusal));
                assert_eq!(PageFault::refusal(&error), Some(&refusal));
            }
        }
        let of_others = [
            Refusal::Http { side: Side::Server, reason: text() },
            Refusal::Message(text()),
            Refusal::Another("key"),
            Refusal::Opened,
            Refusal::Finished(Side::Server),
            Refusal::Tag { side: Side::Server, sequence: 0 },
            Refusal::Unanswered,
            Refusal::NoProtocol,
            Refusal::Order { round: 0 },
        ];
        for refusal in of_others {
            for error in in_both_modes(&refusal.clone().into()) {
                assert_eq!(PageFault::of(&error), PageFault::Session, "{refusal}");
                assert_eq!(PageFault::refusal(&error), Some(&refusal));
            }
        }
    }

    #[test]
    fn an_untrue_claim_is_its_own_fault() {
        for error in in_both_modes(&disclosure::Error::NotTrue("reason".to_owned())) {
            assert_eq!(PageFault::of(&error), PageFault::NotTrue("reason"));
            assert_eq!(PageFault::refusal(&error), None);
        }
        for error in in_both_modes(&disclosure::Error::StillOpen).iter().chain([&Error::Over]) {
            assert_eq!(PageFault::of(error), PageFault::Session);
        }
    }
}
