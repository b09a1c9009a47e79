//! What is revealed, hidden and claimed, in a command line's words.

use volery::tls::claim::Assertion;
use volery::tls::disclosure::{Hide, Part, Reveal};
use volery::tls::http;
use volery::tls::prf::Side;

use super::script::round;
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
    /// Reads the words of `--hide`, `--assert` and `--reveal`.
    pub(super) fn parse(hidden: &[String], claimed: &[String], revealed: &[String]) -> Result<Self, Failure> {
        let (hidden, revealed) =
            (hide(hidden, claimed)?, revealed.iter().map(|text| part(text)).collect::<Result<Vec<_>, _>>()?);
        let both = hidden.iter().find(|hide| revealed.iter().any(|shown| is_same(hide, shown)));
        match both {
            Some(hide) => {
                let part = &hide.part;
                Err(Failure::input(format!(
                    "{part}: it cannot be revealed and hidden; a claim hides what it is about"
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
                hidden.push(Hide { side, round, part: Part::Header(name.into()), claims: Vec::new() });
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

/// Hidden parts, each with what is claimed about it.
fn hide(hidden: &[String], claimed: &[String]) -> Result<Vec<Hide>, Failure> {
    let mut all: Vec<Hide> = Vec::new();
    let mut place = |text: &str| -> Result<usize, Failure> {
        let named = part(text)?;
        if let Some(at) = all.iter().position(|hide| is_same(hide, &named)) {
            return Ok(at);
        }
        let Reveal { side, round, part } = named;
        all.push(Hide { side, round, part, claims: Vec::new() });
        Ok(all.len() - 1)
    };
    hidden.iter().try_for_each(|text| place(text).map(drop))?;
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
    Ok(all)
}

fn part(text: &str) -> Result<Reveal, Failure> {
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
    use volery::tls::claim::Interval;

    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn claims_about_one_part_stand_together_and_hide_it() {
        let hidden = words(&["request.header:Cookie", "request.target", "response.json:a.b"]);
        let claimed =
            words(&["response.json:a.b in 10..", "response.json:c = x y", "response.json:a.b in ..99"]);
        let all = hide(&hidden, &claimed).expect("sound");
        let parts: Vec<_> = all.iter().map(|hide| (hide.part.to_string(), hide.claims.len())).collect();
        let expected = [("header Cookie", 0), ("target", 0), ("json a.b", 2), ("json c", 1)]
            .map(|(part, n)| (part.to_owned(), n));
        assert_eq!(parts, expected);
        assert_eq!(all[2].claims[0], Assertion::Number(Interval::at_least(10)));
        assert_eq!(all[3].claims[0], Assertion::Equals(b"x y".to_vec()));
    }

    #[test]
    fn what_is_revealed_is_neither_hidden_nor_claimed_about() {
        let (hidden, claimed) = (words(&["request.header:Cookie"]), words(&["response.json:a = x"]));
        for revealed in ["request.header:cookie", "response.json:a"] {
            assert!(Wish::parse(&hidden, &claimed, &words(&[revealed])).is_err(), "{revealed}");
        }
        assert!(Wish::parse(&hidden, &claimed, &words(&["response.json:b", "request.target"])).is_ok());
        assert!(Wish::parse(&hidden, &claimed, &words(&["response.xml:b"])).is_err());
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
            assert!(hide(&words(&[text]), &[]).is_err(), "{text}");
        }
        for text in ["response.json:a", "response.json:a is 5", "response.json:a in 5", "response.json:a > b"]
        {
            assert!(hide(&[], &words(&[text])).is_err(), "{text}");
        }
    }
}
