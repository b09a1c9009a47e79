//! Claims about parts that are empty.
//!
//! Of an empty part nothing can be hidden: it has no bytes, and that it is empty shows by its length. So
//! there is no proof of a claim about it, and none is needed, since the claim can be decided from what shows.
//! P decides it here: a claim that does not hold is not true, as it is of any other part. A claim that holds
//! says no more than the part itself, so P is told to show the part, of which every reader sees what holds.

use volery_circuit::Error as CircuitError;

use super::structure::{EMPTY, HttpMessage};
use super::{Part, Redaction, message_name};
use crate::page::claim::{Assertion, Class, holds};
use crate::page::disclosure::Refusal;
use crate::page::http::Exchange;

/// Why a claim that holds of an empty value of a JSON body is not attested. Among hidden neighbours such a
/// value would be hidden, too.
const SHOW: &str = "it is empty, as its length shows, so no claim about it is attested: show it (--reveal), and readers see what holds of it";
/// The same of any other part, which shows in any case.
const SHOWS: &str = "it is empty, which shows, so no claim about it is attested: leave the claim out, and readers see what holds of it";

impl HttpMessage<'_> {
    /// The claims about an empty part of this class that are not true.
    fn untrue_of_empty(&self, part: &Part, class: Class, claims: &[Assertion]) -> Vec<Refusal> {
        let name = message_name(self.side, self.round);
        let untrue = claims.iter().filter(|claim| !holds(*claim, class, b""));
        let refused = untrue.map(|claim| {
            let claimed = format!("{name} {part} {claim}");
            Refusal::Claim(CircuitError::Contradicted { place: "it is empty".into(), claimed })
        });
        refused.collect()
    }

    /// Why an empty part of this class cannot be hidden.
    pub(super) fn refusal_of_empty(&self, part: &Part, class: Class, claims: &[Assertion]) -> Refusal {
        let untrue = self.untrue_of_empty(part, class, claims).into_iter().next();
        let reason = match part {
            _ if claims.is_empty() => EMPTY,
            Part::Json(_) => SHOW,
            _ => SHOWS,
        };
        untrue.unwrap_or_else(|| self.refusal(part, reason))
    }
}

/// Everything that is wrong with claims about a part, if it is empty: each that is not true, or if there is
/// none that the part is to be shown.
pub(in crate::page::disclosure) fn refusals(
    text: &[u8],
    exchanges: &[Exchange],
    redaction: &Redaction,
) -> Vec<Refusal> {
    let Redaction { side, round, part, claims, .. } = redaction;
    let message = HttpMessage::of(*side, text, exchanges, *round, part).ok();
    let found = message.and_then(|message| Some((message.find(part).ok()?, message)));
    match found {
        Some(((class, ranges), message)) if ranges.is_empty() && !claims.is_empty() => {
            match message.untrue_of_empty(part, class, claims) {
                none if none.is_empty() => vec![message.refusal_of_empty(part, class, claims)],
                untrue => untrue,
            }
        }
        _ => Vec::new(),
    }
}
