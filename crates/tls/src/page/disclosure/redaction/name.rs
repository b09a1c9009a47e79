//! Names of parts as people write them.
//!
//! ```text
//! request.path              request.query            request.query.NAME       request.header:NAME
//! response.json:PATH        response.header:NAME     response.body            response2.json:PATH
//! response.trailer:NAME
//! ```

use core::str::FromStr;

use super::{MessagePart, Part};
use crate::page::claim::{Assertion, WordsError};
use crate::page::disclosure::claim_reason;
use crate::page::http::MAX_MESSAGES;
use crate::page::http::json::Path;
use crate::wire::prf::Side;

/// Text that names no part of a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartError {
    /// It has none of the forms.
    #[error(
        "expected response.json:PATH, request.header:NAME, request.path, request.query, request.query.NAME, response.body or \
         response.trailer:NAME, and with several requests response2.json:PATH and so on"
    )]
    Form,
    /// The path of a JSON value is none.
    #[error("{0}")]
    Path(String),
}

impl MessagePart {
    /// Its name on a command line: `response2.json:user.name`.
    #[must_use]
    pub fn name(&self) -> String {
        let message = match self.side {
            Side::Client => "request",
            Side::Server => "response",
        };
        let number = match self.round {
            0 => String::new(),
            round => round.saturating_add(1).to_string(),
        };
        let part = match &self.part {
            Part::Json(path) => format!("json:{path}"),
            Part::Values(values) => format!("json:{} and what follows", values.first),
            Part::Header(name) => format!("header:{name}"),
            Part::Trailer(name) => format!("trailer:{name}"),
            Part::Path => "path".into(),
            Part::Query => "query".into(),
            Part::Parameter(name) => format!("query.{name}"),
            Part::Body => "body".into(),
        };
        format!("{message}{number}.{part}")
    }

    /// Reads a part and the text behind it. The part ends at the first blank that is not in a key in quotes:
    /// `response.json:["first name"] = Ada`.
    ///
    /// # Errors
    /// [`PartError`].
    pub fn split(text: &str) -> Result<(Self, &str), PartError> {
        let (mut quoted, mut escaped) = (false, false);
        let mut end = text.len();
        for (at, c) in text.char_indices() {
            match c {
                ' ' if !quoted => {
                    end = at;
                    break;
                }
                '"' if !escaped => quoted = !quoted,
                _ => {}
            }
            escaped = quoted && c == '\\' && !escaped;
        }
        let (part, rest) = text.split_at(end);
        Ok((part.parse()?, rest.strip_prefix(' ').unwrap_or(rest)))
    }
}

impl MessagePart {
    /// Reads what is claimed of this part. A path begins with a slash, which is no part of it
    /// ([`Part::Path`]). People write it all the same, so it is left out where a whole path is named.
    ///
    /// # Errors
    /// As [`Assertion::from_str`].
    pub fn claim(&self, words: &str) -> Result<Assertion, WordsError> {
        let mut claim: Assertion = words.parse()?;
        if self.part != Part::Path {
            return Ok(claim);
        }
        let texts = match &mut claim {
            Assertion::Equals(text) | Assertion::NotEquals(text) => core::slice::from_mut(text),
            Assertion::OneOf(texts) => texts,
            _ => return Ok(claim),
        };
        for text in texts {
            if text.as_slice() == b"/" {
                let reason = "of the path `/` nothing is hidden, as its length shows: `length 0..0` says that it is this path";
                return Err(WordsError::Claim(reason.into()));
            }
            if text.starts_with(b"/") {
                text.remove(0);
            }
        }
        // Two texts may have become one.
        claim.check().map_err(|error| WordsError::Claim(claim_reason(&error)))?;
        Ok(claim)
    }
}

impl FromStr for MessagePart {
    type Err = PartError;

    fn from_str(text: &str) -> Result<Self, PartError> {
        let (message, rest) = text.split_once('.').ok_or(PartError::Form)?;
        let (side, number) = match (message.strip_prefix("request"), message.strip_prefix("response")) {
            (Some(number), _) => (Side::Client, number),
            (_, Some(number)) => (Side::Server, number),
            _ => return Err(PartError::Form),
        };
        let round = round(number).ok_or(PartError::Form)?;
        let parameter = rest.strip_prefix("query.").filter(|name| side == Side::Client && !name.is_empty());
        let part = match (parameter, rest.split_once(':')) {
            (Some(name), _) => Part::Parameter(name.into()),
            (None, Some(("json", path))) => {
                let path = path.parse::<Path>().map_err(|error| PartError::Path(error.to_string()))?;
                Part::Json(path.to_string())
            }
            (None, Some(("header", name))) if !name.is_empty() => Part::Header(name.into()),
            (None, Some(("trailer", name))) if !name.is_empty() && side == Side::Server => {
                Part::Trailer(name.into())
            }
            (None, None) if rest == "path" && side == Side::Client => Part::Path,
            (None, None) if rest == "query" && side == Side::Client => Part::Query,
            (None, None) if rest == "body" => Part::Body,
            _ => return Err(PartError::Form),
        };
        Ok(Self { side, round, part })
    }
}

/// The message, from 0, that a number after `request` or `response` means. No number means the first.
fn round(number: &str) -> Option<usize> {
    if number.is_empty() {
        return Some(0);
    }
    let canonical = number.bytes().all(|byte| byte.is_ascii_digit()) && !number.starts_with('0');
    number.parse().ok().filter(|number: &usize| canonical && *number <= MAX_MESSAGES)?.checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_claimed_with_its_slash_or_without() {
        let path: MessagePart = "request.path".parse().unwrap();
        let query: MessagePart = "request.query".parse().unwrap();
        for (words, without) in [
            ("= /mix", "= mix"),
            ("= mix", "= mix"),
            ("= //mix", "= /mix"),
            ("!= /mix/a", "!= mix/a"),
            ("one of /mix|a|/b/c", "one of mix|a|b/c"),
            // What is found within a path may be anywhere in it.
            ("contains /a", "contains /a"),
            ("at 3 /a", "at 3 /a"),
            ("matches /a", "matches /a"),
        ] {
            assert_eq!(path.claim(words), without.parse(), "{words}");
            assert_eq!(query.claim(words), words.parse(), "{words}");
        }
        for words in ["= /", "one of a|/", "one of a|/a", "= "] {
            assert!(matches!(path.claim(words), Err(WordsError::Claim(_))), "{words}");
        }
    }

    #[test]
    fn a_name_is_read_as_it_is_written() {
        for text in [
            "request.path",
            "request2.query",
            "request.query.a b",
            "request.header:Cookie",
            "request.body",
            "response.json:",
            "response3.json:a[\"first name\"][0]",
            "response.header:ETag",
            "response2.trailer:Checksum",
            "response.body",
        ] {
            assert_eq!(text.parse::<MessagePart>().map(|part| part.name()), Ok(text.to_owned()));
        }
        for text in
            ["request.trailer:a", "response.trailer:", "response.trailer", "response.path", "response0.body"]
        {
            assert_eq!(text.parse::<MessagePart>(), Err(PartError::Form), "{text}");
        }
    }
}
