//! What is revealed, hidden and claimed, in a command line's words.

use core::ops::RangeInclusive;

use volery::tls::claim::{Assertion, Bound, Interval};
use volery::tls::disclosure::{Hide, Part, Reveal};
use volery::tls::http;
use volery::tls::http::json::Decimal;
use volery::tls::prf::Side;

use super::place::round;
use crate::cli::failure::Failure;

/// What is to be shown of a connection.
#[derive(Debug)]
pub(super) struct Wish {
    /// What is hidden, or claimed something about.
    hidden: Vec<Hide>,
    /// If there are any, all else is hidden that can be.
    revealed: Vec<Reveal>,
}

impl Wish {
    /// Reads the words of `--hide`, `--assert`, `--commit` and `--reveal`.
    pub(super) fn parse(
        hidden: &[String],
        claimed: &[String],
        committed: &[String],
        revealed: &[String],
    ) -> Result<Self, Failure> {
        let (hidden, revealed) = (
            hide(hidden, claimed, committed)?,
            revealed.iter().map(|text| part(text)).collect::<Result<Vec<_>, _>>()?,
        );
        let both = hidden.iter().find(|hide| revealed.iter().any(|shown| is_same(hide, shown)));
        match both {
            Some(hide) => {
                let part = &hide.part;
                Err(Failure::input(format!(
                    "{part}: it cannot be revealed and hidden; a claim or a commitment hides what it is about"
                )))
            }
            None => Ok(Self { hidden, revealed }),
        }
    }

    /// What is hidden of a connection with these requests and responses, of which `all_but` hides everything but some parts.
    pub(super) fn of<E: Into<volery::Error>>(
        &self,
        [request, response]: [&[u8]; 2],
        all_but: impl FnOnce(&[Reveal]) -> Result<Vec<Hide>, E>,
    ) -> Result<Vec<Hide>, Failure> {
        let mut all = self.hidden.clone();
        let new = |more: &Hide| {
            let Hide { side, round, part, .. } = more.clone();
            let named = Reveal { side, round, part };
            !self.hidden.iter().any(|hide| is_same(hide, &named))
        };
        let rest = if self.revealed.is_empty() {
            credentials(request, response)
        } else {
            all_but(&self.revealed).map_err(Into::into)?
        };
        all.extend(rest.into_iter().filter(new));
        Ok(all)
    }
}

/// Header fields with which others could act as the prover: hidden unless they are revealed.
fn credentials(request: &[u8], response: &[u8]) -> Vec<Hide> {
    let fields = [
        (Side::Client, "Cookie"),
        (Side::Client, "Authorization"),
        (Side::Client, "Proxy-Authorization"),
        (Side::Server, "Set-Cookie"),
    ];
    let exchanges = http::parse(request, response, true).unwrap_or_default();
    let mut hidden = Vec::new();
    for (round, exchange) in exchanges.iter().enumerate() {
        for (side, name) in fields {
            let (text, headers) = match side {
                Side::Client => (request, &exchange.request.headers),
                Side::Server => (response, &exchange.response.headers),
            };
            if headers.iter().any(|header| header.is(text, name) && !header.value.is_empty()) {
                hidden.push(Hide { round, ..Hide::new(side, Part::Header(name.into())) });
            }
        }
    }
    hidden
}

/// Whether this is about that part: names of header fields have no case.
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
        // The first word is the part; blanks in a JSON path are written inside of quotes there, which come without.
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

/// A part's name, and bounds of a number: `PART in LEAST..GREATEST`, or as other claims about numbers have it.
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
        let expected = "expected response.json:PATH, request.header:NAME, request.target or response.body, \
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
        None if rest == "target" && side == Side::Client => Part::Target,
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
        let hidden = words(&["request.header:Cookie", "request.target", "response.json:a.b"]);
        let claimed =
            words(&["response.json:a.b in 10..", "response.json:c = x y", "response.json:a.b in ..99"]);
        let committed = words(&["response.json:c", "response.body"]);
        let all = hide(&hidden, &claimed, &committed).expect("sound");
        let parts: Vec<_> = all.iter().map(|hide| (hide.part.to_string(), hide.claims.len())).collect();
        let expected = [("header Cookie", 0), ("target", 0), ("json a.b", 2), ("json c", 1), ("body", 0)]
            .map(|(part, n)| (part.to_owned(), n));
        assert_eq!(parts, expected);
        assert_eq!(all.iter().map(|hide| hide.commit).collect::<Vec<_>>(), [false, false, false, true, true]);
        assert_eq!(all[2].claims[0], Assertion::Number(Interval::at_least(10)));
        assert_eq!(all[3].claims[0], Assertion::Equals(b"x y".to_vec()));
    }

    #[test]
    fn what_is_revealed_is_neither_hidden_nor_claimed_about() {
        let (hidden, claimed) = (words(&["request.header:Cookie"]), words(&["response.json:a = x"]));
        for revealed in ["request.header:cookie", "response.json:a"] {
            assert!(Wish::parse(&hidden, &claimed, &[], &words(&[revealed])).is_err(), "{revealed}");
        }
        assert!(Wish::parse(&hidden, &claimed, &[], &words(&["response.json:b", "request.target"])).is_ok());
        let both = words(&["response.json:b"]);
        assert!(Wish::parse(&hidden, &claimed, &both, &both).is_err());
        assert!(Wish::parse(&hidden, &claimed, &[], &words(&["response.xml:b"])).is_err());
    }

    #[test]
    fn what_is_no_part_or_no_claim_is_refused() {
        for text in [
            "",
            "json:a",
            "reply.body",
            "response.target",
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
