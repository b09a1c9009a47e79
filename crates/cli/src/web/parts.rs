//! What is revealed, hidden and claimed, in a command line's words.

use core::ops::{Range, RangeInclusive};

use volery::tls::claim::{Assertion, Bound, Interval};
use volery::tls::disclosure::{Fate, Hide, Part, Rest, Reveal, Wish, fate};
use volery::tls::http::json::Decimal;
use volery::tls::prf::Side;

use super::place::round;
use crate::args::WebProveArgs;
use crate::failure::Failure;

/// Reads the words of `--hide`, `--assert`, `--commit` and `--reveal`.
///
/// With `--reveal` all else of the responses is hidden; without it bodies show, and header fields that are
/// the same for everybody. What is `taken` is hidden, too.
pub(super) fn wish(args: &WebProveArgs, taken: Vec<Reveal>) -> Result<Wish, Failure> {
    parse(&args.hide, &args.assert, &args.commit, &args.reveal, taken)
}

fn parse(
    hidden: &[String],
    claimed: &[String],
    committed: &[String],
    revealed: &[String],
    taken: Vec<Reveal>,
) -> Result<Wish, Failure> {
    let hide = hide(hidden, claimed, committed)?;
    let reveal = revealed.iter().map(|text| part(text)).collect::<Result<Vec<_>, _>>()?;
    if let Some(Hide { part, .. }) = hide.iter().find(|hide| reveal.iter().any(|shown| is_same(hide, shown)))
    {
        return Err(Failure::input(format!(
            "{part}: it cannot be revealed and hidden; a claim or a commitment hides what it is about"
        )));
    }
    let responses = if reveal.is_empty() { Rest::Shown } else { Rest::Hidden };
    Ok(Wish { hide, reveal, taken, responses })
}

/// How the user names a message of a round: `request2`.
fn name_of(side: Side, round: usize) -> String {
    let name = match side {
        Side::Client => "request",
        Side::Server => "response",
    };
    if round == 0 { name.into() } else { format!("{name}{}", round + 1) }
}

/// That what is named belongs to one of so many requests, or their responses.
pub(super) fn check_rounds(wish: &Wish, count: usize) -> Result<(), Failure> {
    let hidden = wish.hide.iter().map(|Hide { side, round, part, .. }| (*side, *round, part));
    let shown = wish.reveal.iter().map(|Reveal { side, round, part }| (*side, *round, part));
    let beyond = hidden.chain(shown).find(|(_, round, _)| *round >= count);
    beyond.map_or(Ok(()), |(side, round, part)| {
        let requests =
            if count == 1 { "there is 1 request".into() } else { format!("there are {count} requests") };
        Err(Failure::input(format!("{} {part}: {requests}", name_of(side, round))))
    })
}

/// What of a wish is about the messages of one connection, counted from its first.
pub(super) fn within(wish: &Wish, connection: &Range<usize>) -> Wish {
    let own = |round: usize| round.checked_sub(connection.start).filter(|_| connection.contains(&round));
    let reveals = |all: &[Reveal]| {
        let own =
            all.iter().filter_map(|reveal| Some(Reveal { round: own(reveal.round)?, ..reveal.clone() }));
        own.collect()
    };
    let hide = wish.hide.iter().filter_map(|hide| Some(Hide { round: own(hide.round)?, ..hide.clone() }));
    let (reveal, taken) = (reveals(&wish.reveal), reveals(&wish.taken));
    Wish { hide: hide.collect(), reveal, taken, responses: wish.responses }
}

/// That the fields which are to be hidden, by their names or because something is taken from them, can be.
pub(super) fn check_names(wish: &Wish) -> Result<(), Failure> {
    for Hide { side, round, part, .. } in &wish.hide {
        let reason = match part {
            Part::Header(name) => match fate(*side, name) {
                Fate::Shows => "this field says how the message is to be read, so it always shows",
                Fate::Unknown => "what servers do with this field is not known, so it cannot be hidden",
                Fate::Secret | Fate::Hideable => continue,
            },
            _ => continue,
        };
        return Err(Failure::input(format!("{} {part}: {reason}", name_of(*side, *round))));
    }
    let shows = |taken: &&Reveal| match &taken.part {
        Part::Header(name) => fate(taken.side, name) == Fate::Shows,
        _ => false,
    };
    let unnamed = |taken: &&Reveal| {
        let hide = Hide { round: taken.round, ..Hide::new(taken.side, taken.part.clone()) };
        !wish.reveal.iter().any(|shown| is_same(&hide, shown))
    };
    if let Some(Reveal { side, round, part: Part::Header(name) }) =
        wish.taken.iter().filter(shows).find(unnamed)
    {
        let (message, name) = (name_of(*side, *round), name.escape_debug());
        return Err(Failure::input(format!(
            "{{{{{message}.header:{name}|...}}}}: this field says how the response is to be read, so it always shows; if what a request takes \
             from it is no secret: --reveal {message}.header:{name} (which hides all that you do not reveal)"
        )));
    }
    Ok(())
}

/// That nothing is hidden of a request's body that not all servers read as one.
pub(super) fn check_body(wish: &Wish, round: usize, method: &str) -> Result<(), Failure> {
    let of_body = |side: Side, at: usize, part: &Part| {
        (side, at) == (Side::Client, round) && matches!(part, Part::Body | Part::Json(_))
    };
    // Which values of a body are all of it, only its parser knows.
    let shown = wish.reveal.iter().any(|shown| of_body(shown.side, shown.round, &shown.part));
    let hidden = wish.hide.iter().any(|hide| of_body(hide.side, hide.round, &hide.part));
    if shown && !hidden {
        return Ok(());
    }
    let (method, request) = (method.escape_debug(), name_of(Side::Client, round));
    Err(Failure::input(format!(
        "the body of a {method} request cannot be hidden, since some servers ignore it: only those of POST, PUT and PATCH can; if it is no \
         secret: --reveal {request}.body (which hides all that you do not reveal)"
    )))
}

/// That nothing is hidden of a target before the last, where requests are sent at once. `query`: it has one.
pub(super) fn check_target(wish: &Wish, round: usize, query: bool) -> Result<(), Failure> {
    let named = |parts: &[Reveal], part: &Part| {
        parts.iter().any(|named| (named.side, named.round, &named.part) == (Side::Client, round, part))
    };
    let hides = |part: &Part| {
        wish.hide.iter().any(|hide| (hide.side, hide.round, &hide.part) == (Side::Client, round, part))
    };
    let path = hides(&Part::Path) || named(&wish.taken, &Part::Path) && !named(&wish.reveal, &Part::Path);
    let query = query && !named(&wish.reveal, &Part::Query);
    let hidden = if path {
        "path"
    } else if query {
        "query"
    } else {
        return Ok(());
    };
    let request = name_of(Side::Client, round);
    Err(Failure::input(format!(
        "{request}.{hidden}: where requests are sent at once, all targets but the last have to be shown: --reveal {request}.{hidden} (which hides \
         all that you do not reveal), or do without --pipelined"
    )))
}

/// That each field which the user gives the request of a round is one that can be hidden, or always shows, or
/// that the user wants shown. The others would end the session after everything was sent.
pub(super) fn check_fields<'a>(
    wish: &Wish,
    round: usize,
    names: impl Iterator<Item = &'a str>,
) -> Result<(), Failure> {
    for name in names.filter(|name| fate(Side::Client, name) == Fate::Unknown) {
        let hide = Hide { round, ..Hide::new(Side::Client, Part::Header(name.into())) };
        if !wish.reveal.iter().any(|shown| is_same(&hide, shown)) {
            let (name, request) = (name.escape_debug(), name_of(Side::Client, round));
            return Err(Failure::input(format!(
                "header field `{name}`: what servers do with it is not known, so it cannot be hidden; if it is no secret, \
                 show it: --reveal {request}.header:{name} (which hides all that you do not reveal)"
            )));
        }
    }
    Ok(())
}

/// That none of these fields of a request, which have values of earlier responses, always shows, unless the
/// user wants it shown.
pub(super) fn check_filled(wish: &Wish, round: usize, names: &[&str]) -> Result<(), Failure> {
    for name in names.iter().filter(|name| fate(Side::Client, name) == Fate::Shows) {
        let hide = Hide { round, ..Hide::new(Side::Client, Part::Header((*name).into())) };
        if !wish.reveal.iter().any(|shown| is_same(&hide, shown)) {
            let (name, request) = (name.escape_debug(), name_of(Side::Client, round));
            return Err(Failure::input(format!(
                "header field `{name}`: it always shows, and has a value of an earlier response; if that is no secret: --reveal \
                 {request}.header:{name} (which hides all that you do not reveal)"
            )));
        }
    }
    Ok(())
}

/// That nothing of a request's JSON body is revealed, as the names of its members show then.
pub(super) fn check_body_names(wish: &Wish, round: usize) -> Result<(), Failure> {
    let of_body = |shown: &&Reveal| {
        (shown.side, shown.round) == (Side::Client, round) && matches!(shown.part, Part::Json(_))
    };
    wish.reveal.iter().find(of_body).map_or(Ok(()), |Reveal { part, .. }| {
        Err(Failure::input(format!(
            "{} {part}: with it the names in this body show, and one has a value of an earlier response",
            name_of(Side::Client, round)
        )))
    })
}

/// Whether both name the same part. Names of header fields have no case.
fn is_same(hide: &Hide, named: &Reveal) -> bool {
    let same = match (&hide.part, &named.part) {
        (Part::Header(a), Part::Header(b)) => a.eq_ignore_ascii_case(b),
        (a, b) => a == b,
    };
    (hide.side, hide.round) == (named.side, named.round) && same
}

/// Hidden parts, each with what is claimed about it, and whether it is committed to.
fn hide(hidden: &[String], claimed: &[String], committed: &[String]) -> Result<Vec<Hide>, Failure> {
    let mut all: Vec<Hide> = Vec::new();
    let mut place = |text: &str| -> Result<usize, Failure> {
        let named = part(text)?;
        if let Some(at) = all.iter().position(|hide| is_same(hide, &named)) {
            return Ok(at);
        }
        let Reveal { side, round, part } = named;
        all.push(Hide { round, ..Hide::new(side, part) });
        Ok(all.len() - 1)
    };
    hidden.iter().try_for_each(|text| place(text).map(drop))?;
    let committed = committed.iter().map(|text| place(text)).collect::<Result<Vec<_>, _>>()?;
    let mut claims = Vec::new();
    for text in claimed {
        // The first word is the part; blanks in a JSON path are written inside of quotes there, which come
        // without.
        let (named, claim) = text.split_once(' ').unwrap_or((text, ""));
        claims.push((place(named)?, assertion(text, claim)?));
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

/// A part's name, and bounds of a number: `PART in LEAST..GREATEST`, or as other claims about numbers have
/// it.
pub(super) fn range(text: &str) -> Result<(Reveal, RangeInclusive<u64>), Failure> {
    let wrong = || {
        let expected = "expected PART in LEAST..GREATEST, whole numbers below 2^64";
        Failure::input(format!("`{}`: {expected}", text.escape_debug()))
    };
    let (named, claim) = text.split_once(' ').unwrap_or((text, ""));
    let Assertion::Number(Interval { least, greatest }) = assertion(text, claim)? else {
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
    Ok((part(named)?, least..=greatest))
}

/// A number that a proof about a committed one can have as a bound.
fn whole(number: &Decimal) -> Option<u64> {
    number.to_string().parse().ok()
}

pub(super) fn part(text: &str) -> Result<Reveal, Failure> {
    let wrong = || {
        let expected = "expected response.json:PATH, request.header:NAME, request.path, request.query or response.body, \
                        and with several requests response2.json:PATH and so on";
        Failure::input(format!("`{}` is no part: {expected}", text.escape_debug()))
    };
    let (side, rest) = text.split_once('.').ok_or_else(wrong)?;
    let (side, number) = match (side.strip_prefix("request"), side.strip_prefix("response")) {
        (Some(number), _) => (Side::Client, number),
        (_, Some(number)) => (Side::Server, number),
        _ => return Err(wrong()),
    };
    let round = round(number).ok_or_else(wrong)?;
    let part = match rest.split_once(':') {
        Some(("json", path)) if !path.is_empty() => Part::Json(path.into()),
        Some(("header", name)) if !name.is_empty() => Part::Header(name.into()),
        None if rest == "path" && side == Side::Client => Part::Path,
        None if rest == "query" && side == Side::Client => Part::Query,
        None if rest == "body" => Part::Body,
        _ => return Err(wrong()),
    };
    Ok(Reveal { side, round, part })
}

fn assertion(text: &str, claim: &str) -> Result<Assertion, Failure> {
    claim.parse().map_err(|error| Failure::input(format!("`{}` is no claim: {error}", text.escape_debug())))
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
    fn a_connection_has_its_own_part_of_a_wish() {
        let hidden = words(&["request.header:Cookie", "response2.json:a", "response3.json:b"]);
        let shown = words(&["request2.query", "response3.json:c"]);
        let taken = vec![Reveal { side: Side::Server, round: 1, part: Part::Body }];
        let wish = parse(&hidden, &[], &[], &shown, taken).expect("sound");
        assert_eq!(within(&wish, &(0..3)), wish);
        let second = within(&wish, &(1..2));
        assert_eq!(second.hide, [Hide::new(Side::Server, Part::Json("a".into()))]);
        assert_eq!(second.reveal, [Reveal { side: Side::Client, round: 0, part: Part::Query }]);
        assert_eq!(second.taken, [Reveal { side: Side::Server, round: 0, part: Part::Body }]);
        // What is not named is hidden there, too, although nothing of it may be revealed.
        let first = within(&wish, &(0..1));
        assert_eq!((first.hide.len(), first.reveal.len(), first.responses), (1, 0, Rest::Hidden));
    }

    #[test]
    fn what_is_revealed_is_neither_hidden_nor_claimed_about() {
        let (hidden, claimed) = (words(&["request.header:Cookie"]), words(&["response.json:a = x"]));
        for revealed in ["request.header:cookie", "response.json:a"] {
            assert!(parse(&hidden, &claimed, &[], &words(&[revealed]), Vec::new()).is_err(), "{revealed}");
        }
        let sound = parse(&hidden, &claimed, &[], &words(&["response.json:b", "request.query"]), Vec::new());
        assert_eq!(sound.expect("sound").responses, Rest::Hidden);
        assert_eq!(parse(&hidden, &[], &[], &[], Vec::new()).expect("sound").responses, Rest::Shown);
        let both = words(&["response.json:b"]);
        assert!(parse(&hidden, &claimed, &both, &both, Vec::new()).is_err());
        assert!(parse(&hidden, &claimed, &[], &words(&["response.xml:b"]), Vec::new()).is_err());
    }

    #[test]
    fn a_field_that_may_change_what_is_asked_for_is_sent_only_if_it_is_shown() {
        let wish = |revealed: &[&str]| parse(&[], &[], &[], &words(revealed), Vec::new()).expect("sound");
        let names = || ["Cookie", "Content-Type", "X-Original-URL"].into_iter();
        assert!(check_fields(&wish(&[]), 0, names().take(2)).is_ok());
        let refused = check_fields(&wish(&[]), 1, names()).expect_err("it is not known");
        assert!(refused.to_string().contains("--reveal request2.header:X-Original-URL"), "{refused}");
        assert!(check_fields(&wish(&["request.header:x-original-url"]), 0, names()).is_ok());
        assert!(check_fields(&wish(&["request.header:x-original-url"]), 1, names()).is_err());
    }

    #[test]
    fn what_is_no_part_or_no_claim_is_refused() {
        for text in [
            "",
            "json:a",
            "reply.body",
            "response.path",
            "request.target",
            "response.json:",
            "request.head:x",
            "response.body:x",
        ] {
            assert!(hide(&words(&[text]), &[], &[]).is_err(), "{text}");
        }
        for text in ["response.json:a", "response.json:a is 5", "response.json:a in 5", "response.json:a > b"]
        {
            assert!(hide(&[], &words(&[text]), &[]).is_err(), "{text}");
        }
    }

    #[test]
    fn a_range_names_a_part_and_two_bounds() {
        let expected =
            (Reveal { side: Side::Server, round: 0, part: Part::Json("a.b".into()) }, 10..=u64::MAX);
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
