//! A claim that a policy demands, and which attested claims imply it.
//!
//! A demand about a part that is *shown* is computed: it holds or not. So is one about a hidden part of which
//! `= TEXT` or `one of TEXTS` is attested, for all of the texts. Of other hidden parts it must be implied by
//! what is attested about exactly this part:
//!
//! | attested | implies |
//! |---|---|
//! | any claim | the same claim; `=` and `contains` of a JSON string if the text means the same, `=` of a number if the value is the same |
//! | intervals of numbers, all of them together | every interval around them |
//! | `one of` of a number | what holds of the values of all these texts: intervals, `=`, `!=`, `one of` |
//! | an interval | that a number in a JSON body is not (`!=`) one outside of it |
//! | `characters`, `before`, `since` | the same with wider bounds |
//! | `= TEXT` or `one of` of a JSON string | `one of` with these texts and others, `!=` other texts |
//! | the length, which shows | `length` |
//!
//! A [presentation](crate::presentation) shows parts and proves claims besides those of its attestation, and
//! they count as if the notary had attested them.
//!
//! Nothing else is implied, although more may be true. A claim of others (a custom one) implies itself, and
//! means what the notary took it for.

use core::str::FromStr;
use std::borrow::Cow;

use super::PolicyError;
use crate::page::claim::{Assertion, Bound, Class, Interval, MAX_CLAIMED, holds, same_number};
use crate::page::disclosure::{Found, Hidden, MessagePart, Part, Reading, message_name};
use crate::page::http::json::{self, Decimal, Path};
use crate::page::presentation::Presented;

/// A part and a claim about it, as `response.json:balance >= 1000`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    /// The part.
    pub part: MessagePart,
    /// The claim.
    pub claim: Assertion,
}

impl FromStr for Demand {
    type Err = PolicyError;

    fn from_str(text: &str) -> Result<Self, PolicyError> {
        let wrong = |reason: String| PolicyError::Value {
            key: "claims",
            reason: format!("`{}`: {reason}", text.escape_debug()),
        };
        let (part, claim) = MessagePart::split(text).map_err(|error| wrong(error.to_string()))?;
        check_part(&part).map_err(wrong)?;
        let claim = part.claim(claim).map_err(|error| wrong(error.to_string()))?;
        Ok(Self { part, claim })
    }
}

/// Checks that a part is one, and not all that have a form.
pub(super) fn check_part(part: &MessagePart) -> Result<(), String> {
    match &part.part {
        Part::Json(path) if path.parse::<Path>().is_ok_and(|path| path.is_pattern()) => {
            Err("a policy names each part; there is no [*] in it".into())
        }
        _ => Ok(()),
    }
}

/// A part's name.
pub(super) fn name(part: &MessagePart) -> String {
    format!("{} {}", message_name(part.side, part.round), part.part)
}

impl Demand {
    /// Checks that the claim holds, as far as the attestation says, and the presentation of it, if there is
    /// one.
    ///
    /// # Errors
    /// The reason.
    pub(super) fn check(&self, seen: Seen<'_>) -> Result<(), String> {
        let Self { part, claim } = self;
        let implied = match seen.find(part)? {
            Found::Shown { class, text } => is_true(claim, class, &text),
            Found::Hidden(hidden) => implies(&hidden, claim),
        };
        let name = name(part);
        if implied { Ok(()) } else { Err(format!("it does not say that {name} {claim}")) }
    }
}

/// What a reader sees: an attestation's messages, and what a presentation shows of them.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    pub(super) reading: &'a Reading,
    pub(super) presented: Option<&'a Presented<'a>>,
}

impl<'a> Seen<'a> {
    /// A part.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn find(&self, part: &MessagePart) -> Result<Found<'a>, String> {
        self.reading.check_one(part).map_err(|error| error.to_string())?;
        if let Some((class, text)) = self.presented.and_then(|presented| presented.bytes(part)) {
            return Ok(Found::Shown { class, text: text.to_vec() });
        }
        let found = self.reading.find(part);
        let attested = match &found {
            Ok(Found::Hidden(hidden)) => Some(&**hidden),
            // It may be a value of a run.
            Err(_) => None,
            Ok(Found::Shown { .. }) => return found.map_err(|error| error.to_string()),
        };
        match self.presented.and_then(|presented| presented.hidden(part, attested)) {
            Some(hidden) => Ok(Found::Hidden(Cow::Owned(hidden))),
            None => found.map_err(|error| error.to_string()),
        }
    }
}

/// Whether a claim holds for these bytes. Texts in a JSON string are compared by what they mean, numbers by
/// value.
fn is_true(claim: &Assertion, class: Class, text: &[u8]) -> bool {
    let claim = match claim {
        Assertion::Equals(wanted) if class == Class::Number => {
            return wanted == text || same_number(wanted, text);
        }
        Assertion::Equals(wanted) if class == Class::JsonText => Assertion::OneOf(vec![wanted.clone()]),
        Assertion::Contains(wanted) if class == Class::JsonText => {
            let wanted = core::str::from_utf8(wanted).ok().filter(|_| text.len() <= MAX_CLAIMED);
            return wanted.is_some_and(|wanted| json::spelling(text, wanted).is_some());
        }
        other => other.clone(),
    };
    holds(&claim, class, text)
}

/// Whether what is attested of a hidden string implies a claim.
fn implies(hidden: &Hidden, wanted: &Assertion) -> bool {
    let Hidden { class, claims, .. } = hidden;
    let length = hidden.length();
    if let Assertion::Length(lengths) = wanted {
        return lengths.contains(&length);
    }
    // A text with a backslash is one thing as it was sent, and another as it is meant.
    let meant = *class == Class::JsonText && matches!(wanted, Assertion::Equals(_) | Assertion::Contains(_));
    if !meant && claims.contains(wanted) {
        return true;
    }
    let known = claims.iter().any(|claim| match claim {
        Assertion::Equals(text) => is_true(wanted, *class, text),
        Assertion::Contains(text) if *class == Class::JsonText => match wanted {
            Assertion::Contains(wanted) => is_true(&Assertion::Equals(wanted.clone()), *class, text),
            _ => false,
        },
        // The number has the value of one of these, whichever way it is written.
        Assertion::OneOf(texts) if *class == Class::Number => {
            let by_value = matches!(
                wanted,
                Assertion::Equals(_) | Assertion::NotEquals(_) | Assertion::OneOf(_) | Assertion::Number(_)
            );
            by_value && texts.iter().all(|text| is_true(wanted, *class, text))
        }
        // The bytes are one of these that have the length.
        Assertion::OneOf(texts) if *class != Class::JsonText => {
            let mut possible = texts.iter().filter(|text| text.len() == length).peekable();
            possible.peek().is_some() && possible.all(|text| is_true(wanted, *class, text))
        }
        // The string means one of these.
        Assertion::OneOf(texts) => match wanted {
            Assertion::Equals(text) => texts.iter().all(|own| own == text),
            Assertion::OneOf(wanted) => texts.iter().all(|own| wanted.contains(own)),
            Assertion::NotEquals(text) => !texts.contains(text),
            _ => false,
        },
        Assertion::Characters(own) => match wanted {
            Assertion::Characters(wanted) => wanted.start() <= own.start() && own.end() <= wanted.end(),
            _ => false,
        },
        Assertion::Before(own) => matches!(wanted, Assertion::Before(wanted) if own <= wanted),
        Assertion::Since(own) => matches!(wanted, Assertion::Since(wanted) if own >= wanted),
        _ => false,
    });
    known || implies_number(*class, claims, wanted)
}

/// Whether the intervals that are attested, together, imply a claim.
fn implies_number(class: Class, claims: &[Assertion], wanted: &Assertion) -> bool {
    let mut all: Option<Interval> = None;
    for claim in claims {
        if let Assertion::Number(Interval { least, greatest }) = claim {
            let own = all.get_or_insert_default();
            own.least = tighter(own.least.take(), least.as_ref(), |a, b| a > b);
            own.greatest = tighter(own.greatest.take(), greatest.as_ref(), |a, b| a < b);
        }
    }
    let Some(own) = all else { return false };
    match wanted {
        Assertion::Number(Interval { least, greatest }) => {
            is_within(own.least.as_ref(), least.as_ref(), |a, b| a > b)
                && is_within(own.greatest.as_ref(), greatest.as_ref(), |a, b| a < b)
        }
        Assertion::NotEquals(text) if class == Class::Number => {
            let number = core::str::from_utf8(text).ok().and_then(|text| text.parse::<Decimal>().ok());
            number.is_some_and(|number| {
                let below = own
                    .least
                    .as_ref()
                    .is_some_and(|own| number < own.number || own.open && number == own.number);
                let above = own
                    .greatest
                    .as_ref()
                    .is_some_and(|own| number > own.number || own.open && number == own.number);
                below || above
            })
        }
        _ => false,
    }
}

/// The tighter of two bounds; `inside` says whether a number is further inside than another.
fn tighter(a: Option<Bound>, b: Option<&Bound>, inside: fn(&Decimal, &Decimal) -> bool) -> Option<Bound> {
    match (a, b) {
        (a, None) => a,
        (None, b) => b.cloned(),
        (Some(a), Some(b)) => {
            let b_is = inside(&b.number, &a.number) || b.number == a.number && b.open;
            Some(if b_is { b.clone() } else { a })
        }
    }
}

/// Whether every number within the bound `own` is within `wanted`.
fn is_within(own: Option<&Bound>, wanted: Option<&Bound>, inside: fn(&Decimal, &Decimal) -> bool) -> bool {
    match (own, wanted) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(own), Some(wanted)) => {
            inside(&own.number, &wanted.number) || own.number == wanted.number && (own.open || !wanted.open)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(class: Class, length: usize, claims: &[&str]) -> Hidden {
        let claims = claims.iter().map(|claim| claim.parse().unwrap()).collect();
        let ranges = core::iter::once(10..10 + length).collect();
        Hidden {
            round: 0,
            part: Part::Json("a".into()),
            class,
            ranges,
            claims,
            commit: None,
            leaves: Vec::new(),
        }
    }

    /// For each: what is attested, the claims that this implies, and some that it does not.
    #[test]
    fn a_claim_implies_what_is_true_whenever_it_is_and_nothing_else() {
        let (text, number, word) = (Class::JsonText, Class::Number, Class::Word);
        for (class, length, attested, implied, others) in [
            (
                number,
                4,
                &["in 5000..9999"][..],
                &[">= 5000", ">= 1000", "> 4999.5", "<= 1e4", "in 1..10000", "!= 4", "!= 1e4", "length 1..4"]
                    [..],
                &[">= 5001", "> 5000", "< 9999", "!= 6000", "!= x", "is digits", "= 5000", "length 5.."][..],
            ),
            (
                number,
                4,
                &["> 5", "<= 9"],
                &["> 5", ">= 5", "in 5..9", "!= 5", "!= 5.0"],
                &["in 6..9", "< 9", "!= 9"],
            ),
            (number, 4, &[">= 5", "> 5", ">= 1"], &["> 5", ">= 5"], &[">= 6"]),
            (text, 4, &["in 5..9"], &[">= 5"], &["!= 4", "is digits"]),
            (
                text,
                3,
                &["= Ada"],
                &[
                    "= Ada",
                    "contains d",
                    "at 0 A",
                    "!= Eve",
                    "one of Ada|Eve",
                    "matches [A-Z].*",
                    "characters 3..3",
                    "length 3..",
                ],
                &["= Eve", "!= Ada", "one of Eve|Bob", "is digits"],
            ),
            (
                text,
                8,
                &[r"= \u0041da"],
                &["= Ada", "one of Ada|Eve", r"contains A", "characters 3..3"],
                &["!= Ada", "is digits", r"= \u0041da", r"contains \u0041"],
            ),
            (text, 4, &[r"contains \n"], &["contains \n"], &[r"contains \n", "contains n"]),
            (text, 4, &[r"= a\nb"], &["= a\nb", "contains \n"], &[r"= a\nb", r"contains \n"]),
            (text, 4, &[r"contains \\"], &[r"contains \"], &[r"contains \\"]),
            (
                text,
                3,
                &["one of Ada|Eve"],
                &["one of Ada|Eve|Bob", "one of Eve|Ada", "!= Bob"],
                &["one of Ada", "= Ada", "!= Ada", "contains A", "characters 3..3"],
            ),
            (text, 3, &["one of Ada"], &["= Ada"], &["= Eve"]),
            (
                number,
                1,
                &["one of 1|2|33"],
                &["in 1..33", "< 34", "!= 3.0", "!= x", "one of 2.0|33|1|4", "length 1..1"],
                &["in 2..33", "in 1..2", "!= 1.0", "= 1", "one of 1|2", "is digits", "characters 1..2"],
            ),
            (number, 3, &["one of 1|1.0"], &["= 1", "in 1..1", "!= 2"], &["= 2", "is digits", "= 1x"]),
            // A text that is no number is the value of none, so nothing follows from it.
            (number, 1, &["one of x|1"], &["one of x|1"], &["= 1", "!= 2"]),
            (
                number,
                5,
                &["= 1.5e3"],
                &["= 1500", "= 1.5e3", "= 1500.0", "one of 1500|3", "in 1500..1500", "!= 1501"],
                &["!= 1500", "= 150", "is digits"],
            ),
            (text, 4, &["= 1500"], &["= 1500"], &["= 1500.0", "one of 1500.0"]),
            (
                text,
                10,
                &["before 2000-01-01", "since 1990-01-01"],
                &["before 2000-01-02", "since 1989-12-31T00:00:01Z", "before 2000-01-01"],
                &["before 1999-12-31", "since 1991-01-01"],
            ),
            (
                text,
                10,
                &["characters 3..5"],
                &["characters 1..5", "characters 3..9"],
                &["characters 4..5", "characters 3..4"],
            ),
            (
                text,
                10,
                &["contains ab", "at 1 xyz", "matches a+", "is digits", "!= Eve"],
                &["contains ab", "at 1 xyz", "matches a+", "is digits", "!= Eve"],
                &["contains a", "at 1 x", "matches a*", "!= Bob", ">= 0"],
            ),
            (word, 4, &["is true"], &["is true", "length 4..4"], &["is false", "!= false"]),
            (text, 10, &[], &["length 10..10"], &["!= Eve", ">= 0"]),
        ] {
            let hidden = hidden(class, length, attested);
            for claim in implied {
                assert!(implies(&hidden, &claim.parse().unwrap()), "{attested:?} {claim}");
            }
            for claim in others {
                assert!(!implies(&hidden, &claim.parse().unwrap()), "{attested:?} {claim}");
            }
        }
    }

    /// Against the meaning: no number is within the attested intervals and not within an implied one.
    #[test]
    fn implied_intervals_contain_the_attested_ones() {
        let bounds = [">= 2", "> 2", "<= 2", "< 2", ">= 3", "> 3", "<= 3", "< 3", "in 2..3", "in 1..2"];
        let numbers = ["0", "1", "1.5", "2", "2.5", "3", "3.5", "4"];
        let within = |claim: &'static str| {
            let parsed = claim.parse::<Assertion>().unwrap();
            (claim, numbers.map(|number| holds(&parsed, Class::Number, number.as_bytes())))
        };
        let bounds = bounds.map(within);
        for (a, in_a) in bounds {
            for (b, in_b) in bounds {
                for (wanted, in_wanted) in bounds.into_iter().chain(["!= 2", "!= 3"].map(within)) {
                    let mut inside = (0..numbers.len()).filter(|i| in_a[*i] && in_b[*i]).peekable();
                    let (some, all) = (inside.peek().is_some(), inside.all(|i| in_wanted[i]));
                    let implied = implies(&hidden(Class::Number, 3, &[a, b]), &wanted.parse().unwrap());
                    assert!(!implied || all, "{a} and {b}: {wanted}");
                    // There is a number between any two bounds, so nothing is missed either.
                    assert!(implied || !all || !some, "{a} and {b} do not imply {wanted}");
                }
            }
        }
    }
}
