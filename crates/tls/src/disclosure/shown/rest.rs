//! Hiding all that can be hidden: P names what is revealed.

use super::structure::{Message, is_structure, slice};
use super::{MAX_HIDDEN, Part};
use crate::disclosure::Refusal;
use crate::http::Exchange;
use crate::http::json::{self, Kind, Path};
use crate::prf::Side;

/// The most values of a JSON body that are revealed one by one where the rest is hidden.
const MAX_REVEALED: usize = 1 << 14;

/// Everything of a message that can be hidden, but what is `revealed`.
///
/// What cannot be hidden and is not revealed is refused, so that nothing shows that P does not know of: start lines, header names, keys of
/// JSON objects, lengths and the fields that say them do.
///
/// # Errors
/// [`Refusal::Part`].
pub(in crate::disclosure) fn all_but(
    side: Side,
    text: &[u8],
    round: usize,
    exchange: &Exchange,
    revealed: &[Part],
) -> Result<Vec<Part>, Refusal> {
    let message = Message::new(side, text, round, exchange);
    let mut parts = Vec::new();
    if !revealed.contains(&Part::Target) && message.target.is_some_and(|target| target.len() > 1) {
        parts.push(Part::Target);
    }
    parts.extend(message.fields_but(revealed)?);
    if !revealed.contains(&Part::Body) && message.body.length() > 0 {
        parts.extend(message.values_but(revealed)?);
    }
    Ok(parts)
}

impl Message<'_> {
    /// Header fields that have a value, but those revealed.
    fn fields_but(&self, revealed: &[Part]) -> Result<Vec<Part>, Refusal> {
        let mut names: Vec<String> = Vec::new();
        for header in self.headers.iter().filter(|header| !header.value.is_empty()) {
            let name = slice(self.text, &header.name);
            // Names are words of ASCII.
            let name = String::from_utf8_lossy(name).into_owned();
            if !is_structure(name.as_bytes()) && !names.iter().any(|known| known.eq_ignore_ascii_case(&name))
            {
                names.push(name);
            }
        }
        for part in revealed {
            if let Part::Header(wanted) = part {
                let before = names.len();
                names.retain(|name| !name.eq_ignore_ascii_case(wanted));
                if names.len() == before && !is_structure(wanted.as_bytes()) {
                    return Err(self.refusal(part, "there is no field of this name with a value"));
                }
            }
        }
        if let Some(trailer) = self.body.trailers.first() {
            let name = String::from_utf8_lossy(slice(self.text, &trailer.name)).into_owned();
            return Err(
                self.refusal(&Part::Header(name), "it comes after the body, where nothing can be hidden")
            );
        }
        Ok(names.into_iter().map(Part::Header).collect())
    }

    /// Values of a JSON body, but those revealed and those in them; of another body, all of it.
    fn values_but(&self, revealed: &[Part]) -> Result<Vec<Part>, Refusal> {
        let body = self.body.bytes(self.text);
        let mut paths: Vec<Path> = Vec::new();
        for part in revealed {
            if let Part::Json(path) = part {
                let path: Path = path.parse().map_err(|error| self.refusal(part, &format!("{error}")))?;
                json::find(&body, &path).map_err(|error| self.refusal(part, &error.to_string()))?;
                paths.push(path);
            }
        }
        let too_many = || {
            let reason = "it has too many values to hide each of them; hide all of it, or reveal more of it";
            self.refusal(&Part::Body, reason)
        };
        let leaves = match json::leaves(&body, MAX_HIDDEN + MAX_REVEALED) {
            Ok(leaves) => leaves,
            Err(json::Error::Many { .. }) => return Err(too_many()),
            Err(_) => return Ok(vec![Part::Body]),
        };
        let hidden = leaves.into_iter().filter(|(path, value)| {
            let shown = paths.iter().any(|shown| path.steps().starts_with(shown.steps()));
            !shown && !value.content().is_empty()
        });
        let hidden: Vec<_> = hidden.collect();
        if hidden.len() > MAX_HIDDEN {
            return Err(too_many());
        }
        hidden
            .into_iter()
            .map(|(path, value)| {
                let part = Part::Json(path.to_string());
                match value.kind {
                    Kind::String | Kind::Number => Ok(part),
                    _ => {
                        let reason = "it is neither a string nor a number and cannot be hidden: reveal it";
                        Err(self.refusal(&part, reason))
                    }
                }
            })
            .collect()
    }
}
