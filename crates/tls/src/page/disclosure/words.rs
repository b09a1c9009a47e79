//! What is shown, hidden, claimed and committed to, in the words of people: `response.json:balance in
//! 5000..`.

use core::ops::{Range, RangeInclusive};

use super::{MessagePart, Part, PartError, Redaction, Rest, Selection};
use crate::page::claim::{Assertion, Bound, Interval};
use crate::page::http::json::Decimal;
use crate::wire::prf::Side;

/// Why words are no part, no claim, or contradict each other.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PartsError(String);

/// Why a part is not named as shown and as hidden.
pub(super) const SHOWN_AND_HIDDEN: &str =
    "it cannot be revealed and hidden; a claim or a commitment hides what it is about";

/// Reads which parts are hidden, claimed about, committed to and revealed. Parts that further requests have
/// `taken` are hidden, too.
///
/// With a list of what is revealed, everything else of the responses is hidden; all of it, if the list is
/// empty. Without a list, bodies show, and header fields that are the same for everybody.
///
/// # Errors
/// [`PartsError`] for words that are no part or no claim, for a part that is both revealed and hidden, and
/// for one inside another that is hidden in one piece.
pub fn parse(
    hidden: &[String],
    claimed: &[String],
    committed: &[String],
    revealed: Option<&[String]>,
    taken: Vec<MessagePart>,
) -> Result<Selection, PartsError> {
    let hide = hide(hidden, claimed, committed)?;
    let named = revealed.unwrap_or_default();
    let reveal = named.iter().map(|text| part(text)).collect::<Result<Vec<_>, _>>()?;
    if let Some(Redaction { part, .. }) =
        hide.iter().find(|hide| reveal.iter().any(|shown| is_same(hide, shown)))
    {
        return Err(PartsError(format!("{part}: {SHOWN_AND_HIDDEN}")));
    }
    for whole in hide.iter().filter(|hide| hide.commit || !hide.claims.is_empty()) {
        let parts = hide.iter().map(|hide| (hide.side, hide.round, &hide.part));
        let parts = parts.chain(reveal.iter().map(|shown| (shown.side, shown.round, &shown.part)));
        let is_in = |(side, round, part): &(Side, usize, &Part)| {
            let inside = matches!(
                (&whole.part, part),
                (Part::Body, Part::Json(_)) | (Part::Query, Part::Parameter(_))
            );
            (*side, *round) == (whole.side, whole.round) && inside
        };
        if let Some((side, round, part)) = parts.into_iter().find(is_in) {
            return Err(PartsError(format!(
                "{} {part}: a claim about the whole {whole}, or a commitment to it, hides it in one piece, so nothing can be said of a part of it",
                name_of(side, round),
                whole = whole.part
            )));
        }
    }
    let responses = if revealed.is_none() { Rest::Revealed } else { Rest::Hidden };
    Ok(Selection { hide, reveal, taken, responses, show_rest: false, commit_all: false })
}

/// The user's name of a message: `request2`.
#[must_use]
pub fn name_of(side: Side, round: usize) -> String {
    let name = match side {
        Side::Client => "request",
        Side::Server => "response",
    };
    if round == 0 { name.into() } else { format!("{name}{}", round + 1) }
}

/// Whether both name the same part. The case of header field names does not matter.
#[must_use]
pub fn is_same(hide: &Redaction, named: &MessagePart) -> bool {
    let same = match (&hide.part, &named.part) {
        (Part::Header(a), Part::Header(b)) | (Part::Trailer(a), Part::Trailer(b)) => {
            a.eq_ignore_ascii_case(b)
        }
        (a, b) => a == b,
    };
    (hide.side, hide.round) == (named.side, named.round) && same
}

/// Collects the hidden parts, each with its claims and whether it is committed to.
fn hide(hidden: &[String], claimed: &[String], committed: &[String]) -> Result<Vec<Redaction>, PartsError> {
    let mut all: Vec<Redaction> = Vec::new();
    let mut place = |named: MessagePart| -> usize {
        if let Some(at) = all.iter().position(|hide| is_same(hide, &named)) {
            return at;
        }
        let MessagePart { side, round, part } = named;
        all.push(Redaction { round, ..Redaction::new(side, part) });
        all.len() - 1
    };
    hidden.iter().try_for_each(|text| part(text).map(&mut place).map(drop))?;
    let committed = committed.iter().map(|text| part(text).map(&mut place)).collect::<Result<Vec<_>, _>>()?;
    let mut claims = Vec::new();
    for text in claimed {
        let (named, claim) = claim(text)?;
        claims.push((place(named), claim));
    }
    for (at, claim) in claims {
        if let Some(hide) = all.get_mut(at) {
            hide.claims.push(claim);
        }
    }
    for at in committed {
        if let Some(hide) = all.get_mut(at) {
            hide.commit = true;
        }
    }
    Ok(all)
}

/// Reads a claim: a part, and what is claimed of it.
///
/// # Errors
/// [`PartsError`].
pub fn claim(text: &str) -> Result<(MessagePart, Assertion), PartsError> {
    let (named, claim) = split(text)?;
    let claim = assertion(text, &named, claim)?;
    Ok((named, claim))
}

/// Reads a part, perhaps with bytes of it: `PART bytes START..END`.
///
/// # Errors
/// [`PartsError`].
pub fn piece(text: &str) -> Result<(MessagePart, Option<Range<usize>>), PartsError> {
    let (named, rest) = split(text)?;
    if rest.is_empty() {
        return Ok((named, None));
    }
    let bytes = rest.strip_prefix("bytes ").and_then(|bytes| bytes.split_once(".."));
    let bytes = bytes.and_then(|(start, end)| Some(start.parse().ok()?..end.parse().ok()?));
    let bytes = bytes.filter(|bytes: &Range<usize>| !bytes.is_empty()).ok_or_else(|| {
        PartsError(format!("`{}`: expected PART, or PART bytes START..END", text.escape_debug()))
    })?;
    Ok((named, Some(bytes)))
}

/// A part and the claim about it.
fn split(text: &str) -> Result<(MessagePart, &str), PartsError> {
    MessagePart::split(text).map_err(|error| no_part(text, &error))
}

/// Reads a part and the bounds of a number: `PART in LEAST..GREATEST`, or another claim about a number.
///
/// # Errors
/// [`PartsError`].
pub fn range(text: &str) -> Result<(MessagePart, RangeInclusive<u64>), PartsError> {
    let wrong = || {
        let expected = "expected PART in LEAST..GREATEST, whole numbers below 2^64";
        PartsError(format!("`{}`: {expected}", text.escape_debug()))
    };
    let (named, claim) = split(text)?;
    let Assertion::Number(Interval { least, greatest }) = assertion(text, &named, claim)? else {
        return Err(wrong());
    };
    let least = match least {
        None => 0,
        Some(Bound { number, open }) => {
            whole(&number).and_then(|n| n.checked_add(open.into())).ok_or_else(wrong)?
        }
    };
    let greatest = match greatest {
        None => u64::MAX,
        Some(Bound { number, open }) => {
            whole(&number).and_then(|n| n.checked_sub(open.into())).ok_or_else(wrong)?
        }
    };
    Ok((named, least..=greatest))
}

/// The number as a bound in a proof about a commitment; none if it is not whole or too large.
fn whole(number: &Decimal) -> Option<u64> {
    number.to_string().parse().ok()
}

/// Reads a part: `request.header:Cookie`.
///
/// # Errors
/// [`PartsError`].
pub fn part(text: &str) -> Result<MessagePart, PartsError> {
    text.parse().map_err(|error| no_part(text, &error))
}

fn no_part(text: &str, error: &PartError) -> PartsError {
    PartsError(format!("`{}` is not a part: {}", text.escape_debug(), error.to_string().escape_debug()))
}

fn assertion(text: &str, named: &MessagePart, claim: &str) -> Result<Assertion, PartsError> {
    named
        .claim(claim)
        .map_err(|error| PartsError(format!("`{}` is not a claim: {error}", text.escape_debug())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn claims_about_one_part_stand_together_and_hide_it() {
        let hidden = words(&["request.header:Cookie", "request.path", "response.json:a.b"]);
        let claimed =
            words(&["response.json:a.b in 10..", "response.json:c = x y", "response.json:a.b in ..99"]);
        let committed = words(&["response.json:c", "response.body"]);
        let all = hide(&hidden, &claimed, &committed).expect("sound");
        let parts: Vec<_> = all.iter().map(|hide| (hide.part.to_string(), hide.claims.len())).collect();
        let expected = [("header Cookie", 0), ("path", 0), ("json a.b", 2), ("json c", 1), ("body", 0)]
            .map(|(part, n)| (part.to_owned(), n));
        assert_eq!(parts, expected);
        assert_eq!(all.iter().map(|hide| hide.commit).collect::<Vec<_>>(), [false, false, false, true, true]);
        assert_eq!(all[2].claims[0], Assertion::Number(Interval::at_least(10)));
        assert_eq!(all[3].claims[0], Assertion::Equals(b"x y".to_vec()));
    }

    #[test]
    fn what_is_revealed_is_neither_hidden_nor_claimed_about() {
        let (hidden, claimed) = (words(&["request.header:Cookie"]), words(&["response.json:a = x"]));
        let trailer = words(&["response.trailer:Checksum"]);
        assert!(parse(&trailer, &[], &[], Some(&words(&["response.trailer:checksum"])), Vec::new()).is_err());
        assert!(parse(&trailer, &[], &[], Some(&words(&["response.header:checksum"])), Vec::new()).is_ok());
        for revealed in ["request.header:cookie", "response.json:a"] {
            assert!(
                parse(&hidden, &claimed, &[], Some(&words(&[revealed])), Vec::new()).is_err(),
                "{revealed}"
            );
        }
        let shown = words(&["response.json:b", "request.query"]);
        let sound = parse(&hidden, &claimed, &[], Some(&shown), Vec::new());
        assert_eq!(sound.expect("sound").responses, Rest::Hidden);
        let both = words(&["response.json:b"]);
        assert!(parse(&hidden, &claimed, &both, Some(&both), Vec::new()).is_err());
        assert!(parse(&hidden, &claimed, &[], Some(&words(&["response.xml:b"])), Vec::new()).is_err());
    }

    /// Whoever gives a list and puts nothing into it means to show nothing.
    #[test]
    fn an_empty_list_of_what_is_revealed_hides_the_rest_and_none_shows_it() {
        let claimed = words(&["response.json:a = x"]);
        let rest = |revealed| parse(&[], &claimed, &[], revealed, Vec::new()).expect("sound").responses;
        assert_eq!((rest(Some(&[])), rest(None)), (Rest::Hidden, Rest::Revealed));
    }

    #[test]
    fn what_is_no_part_or_no_claim_is_refused() {
        for text in [
            "",
            "json:a",
            "reply.body",
            "response.path",
            "request.target",
            "request.trailer:x",
            "response.trailer:",
            "response.json",
            "request.head:x",
            "response.body:x",
        ] {
            assert!(hide(&words(&[text]), &[], &[]).is_err(), "{text}");
        }
        for text in ["response.json:a..b", "response.json:a b", "response.json:a[01]", "response.json:.a"] {
            assert!(hide(&words(&[text]), &[], &[]).is_err(), "{text}");
        }
        for text in [
            "response.json:a",
            "response.json:a is 5",
            "response.json:a in 5",
            "response.json:a > b",
            "response.json:a in 7..5",
            "response.json:a matches (",
            "response.json:a before 2026-02-30",
        ] {
            assert!(hide(&[], &words(&[text]), &[]).is_err(), "{text}");
        }
    }

    #[test]
    fn keys_are_of_any_characters_and_a_part_ends_at_a_blank_outside_them() {
        for (text, part, claim) in [
            (r#"response.json:["first name"].a = x y"#, r#"json ["first name"].a"#, "x y"),
            (r#"response.json:a["\"b \\"] = x"#, r#"json a["\"b \\"]"#, "x"),
            ("response.json:stra\u{df}e = x", "json [\"stra\u{df}e\"]", "x"),
            ("response.json:@type = x", r#"json ["@type"]"#, "x"),
            ("response.json:items[*].price = x", "json items[*].price", "x"),
            ("response.json: = x", "json, all of it", "x"),
        ] {
            let all = hide(&[], &words(&[text]), &[]).expect("sound");
            assert_eq!(all[0].part.to_string(), part);
            assert_eq!(all[0].claims, [Assertion::Equals(claim.into())]);
        }
        assert!(hide(&[], &words(&["response.json:first name = x"]), &[]).is_err());
        assert!(hide(&[], &words(&[r#"response.json:["first name = x"#]), &[]).is_err());
    }

    #[test]
    fn a_body_that_something_is_claimed_about_has_no_parts() {
        let (claimed, part) = (words(&["response.body contains x"]), words(&["response.json:a"]));
        for committed in [&[][..], &words(&["response.body"])] {
            for claims in [&[][..], &claimed].into_iter().filter(|claims| claims.len() + committed.len() > 0)
            {
                assert!(parse(&part, claims, committed, None, Vec::new()).is_err());
                assert!(parse(&[], claims, committed, Some(&part), Vec::new()).is_err());
                let other = words(&["response2.json:a"]);
                assert!(parse(&[], claims, committed, Some(&other), Vec::new()).is_ok());
            }
        }
        assert!(parse(&words(&["response.body"]), &[], &[], Some(&part), Vec::new()).is_ok());
    }

    #[test]
    fn a_query_that_something_is_claimed_about_has_no_parameters() {
        let (claimed, part) = (words(&["request.query contains x"]), words(&["request.query.a"]));
        assert!(parse(&part, &claimed, &[], None, Vec::new()).is_err());
        assert!(parse(&[], &claimed, &[], Some(&part), Vec::new()).is_err());
        assert!(parse(&[], &[], &words(&["request.query"]), Some(&part), Vec::new()).is_err());
        assert!(parse(&[], &claimed, &[], Some(&words(&["request2.query.a"])), Vec::new()).is_ok());
        assert!(parse(&words(&["request.query"]), &[], &[], Some(&part), Vec::new()).is_ok());
    }

    #[test]
    fn a_range_names_a_part_and_two_bounds() {
        let expected =
            (MessagePart { side: Side::Server, round: 0, part: Part::Json("a.b".into()) }, 10..=u64::MAX);
        assert_eq!(range("response.json:a.b in 10..").expect("sound"), expected);
        assert_eq!(range("response.json:a.b > 9").expect("sound"), expected);
        assert_eq!(range("response.json:a.b in 1e1..20.0").expect("sound").1, 10..=20);
        assert_eq!(range("response.json:a.b < 20").expect("sound").1, 0..=19);
        for text in [
            "response.json:a",
            "response.json:a = 5",
            "response.json:a in 1.5..2",
            "response.json:a in -1..2",
            "response.json:a in 0..18446744073709551616",
            "response.json:a > 18446744073709551615",
            "response.json:a < 0",
            "a in 1..2",
            "",
        ] {
            assert!(range(text).is_err(), "{text}");
        }
    }
}
