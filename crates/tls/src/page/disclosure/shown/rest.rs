//! What becomes of the parts that P does not name: what others could misuse, or P alone supplied, is hidden.
//!
//! | of | shown | hidden |
//! |---|---|---|
//! | each request | method, path, names of fields, the fields that say how it is to be read | query, values of all other fields, body |
//! | each response, [`Rest::Shown`] | status line, names of fields, the fields that say how it is to be read and [some that are everybody's](super::fields), body | values of all other fields, what P took from it for a later request |
//! | each response, [`Rest::Hidden`] | status line, names of fields, keys of JSON objects, the fields that say how it is to be read | all else |
//!
//! A part that P names is shown or hidden as P says. The *path* is what tells readers which document the
//! claims are about, so it shows even where all else is hidden; only by its name is it hidden, or if P put
//! something into it that it took from an earlier response.

use super::fields::{Fate, fate};
use super::structure::{Message, UNKNOWN, no_round, slice};
use super::{Hide, MAX_HIDDEN, Part, Reveal};
use crate::page::disclosure::Refusal;
use crate::page::http::Exchange;
use crate::page::http::json::{self, Kind, Path};
use crate::wire::prf::Side;

/// The most values of a JSON body that are revealed one by one where the rest is hidden.
const MAX_REVEALED: usize = 1 << 14;

/// What becomes of the parts of responses that P does not name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rest {
    /// Bodies show, and the header fields that are the same for everybody; the values of the others are
    /// hidden.
    Shown,
    /// They are hidden, those that can be; one that cannot is an error.
    #[default]
    Hidden,
}

/// What P wants to show and to hide of a connection. The rest is decided for it: header fields that may be
/// secrets and what the user supplied are hidden.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// What is hidden, and what is claimed about it.
    pub hide: Vec<Hide>,
    /// What is shown. A value of a JSON body is shown with all that is in it.
    pub reveal: Vec<Reveal>,
    /// What is hidden unless `reveal` names exactly it: what P took from responses for later requests, and
    /// where it put that.
    pub taken: Vec<Reveal>,
    /// What becomes of the rest of the responses.
    pub responses: Rest,
}

impl Wish {
    /// Everything that is hidden of these messages (the client's, the server's), what P names first.
    ///
    /// What cannot be hidden and is not revealed is refused, so that nothing shows that P does not know of.
    ///
    /// # Errors
    /// [`Refusal::Part`].
    pub(in crate::page::disclosure) fn of(
        &self,
        texts: [&[u8]; 2],
        exchanges: &[Exchange],
    ) -> Result<Vec<Hide>, Refusal> {
        let named = self.reveal.iter().chain(&self.taken);
        if let Some(Reveal { side, round, part }) = named.clone().find(|named| named.round >= exchanges.len())
        {
            return Err(no_round(*side, *round, part, exchanges.len()));
        }
        let mut all = self.hide.clone();
        for (round, exchange) in exchanges.iter().enumerate() {
            for (side, text) in [Side::Client, Side::Server].into_iter().zip(texts) {
                let parts = self.rest(Message::new(side, text, round, exchange), side, round)?;
                all.extend(parts.into_iter().map(|part| Hide { round, ..Hide::new(side, part) }));
            }
        }
        Ok(all)
    }

    /// The parts of a message that are hidden besides those named.
    fn rest(&self, message: Message<'_>, side: Side, round: usize) -> Result<Vec<Part>, Refusal> {
        let here = |named: &&Reveal| (named.side, named.round) == (side, round);
        let hidden = self.hide.iter().filter(|hide| (hide.side, hide.round) == (side, round));
        let named = Named {
            hidden: hidden.map(|hide| &hide.part).collect(),
            revealed: self.reveal.iter().filter(here).map(|reveal| &reveal.part).collect(),
        };
        let mut parts = match (side, self.responses) {
            (Side::Client, _) => message.of_request(&named)?,
            (Side::Server, Rest::Shown) => message.secrets(&named)?,
            (Side::Server, Rest::Hidden) => message.all_but(&named)?,
        };
        for Reveal { part, .. } in self.taken.iter().filter(here) {
            let known = named.has(part) || parts.iter().any(|other| is_same(other, part));
            let inside = matches!(part, Part::Json(_))
                && (parts.contains(&Part::Body) || named.hidden.contains(&&Part::Body));
            // An empty value is no secret.
            if !known && !inside && !message.find(part)?.1.is_empty() {
                parts.push(part.clone());
            }
        }
        Ok(parts)
    }
}

/// Whether two names are one part's. Names of header fields have no case.
fn is_same(a: &Part, b: &Part) -> bool {
    match (a, b) {
        (Part::Header(a), Part::Header(b)) => a.eq_ignore_ascii_case(b),
        (a, b) => a == b,
    }
}

/// The parts of a message that P names.
struct Named<'a> {
    hidden: Vec<&'a Part>,
    revealed: Vec<&'a Part>,
}

impl Named<'_> {
    fn has(&self, part: &Part) -> bool {
        self.hidden.iter().chain(&self.revealed).any(|named| is_same(named, part))
    }

    fn has_json(&self) -> bool {
        self.hidden.iter().chain(&self.revealed).any(|named| matches!(named, Part::Json(_)))
    }
}

impl Message<'_> {
    /// What P supplied.
    fn of_request(&self, named: &Named<'_>) -> Result<Vec<Part>, Refusal> {
        let mut parts = Vec::new();
        let query = self.request.and_then(|request| request.query(self.text));
        if query.is_some_and(|query| !query.is_empty()) && !named.has(&Part::Query) {
            parts.push(Part::Query);
        }
        parts.extend(self.fields_but(named)?);
        if self.body.length() > 0 && !named.has(&Part::Body) {
            // Keys of JSON objects would show.
            let parted = named.has_json();
            parts.extend(if parted { self.values_but(named)? } else { vec![Part::Body] });
        }
        Ok(parts)
    }

    /// The fields of a response that may hold something with which others could act as P.
    fn secrets(&self, named: &Named<'_>) -> Result<Vec<Part>, Refusal> {
        let names = self.field_names();
        self.check_revealed(&names, named)?;
        let secret = names.into_iter().filter(|name| fate(Side::Server, name) == Fate::Secret);
        Ok(secret.map(Part::Header).filter(|part| !named.has(part)).collect())
    }

    /// All of a response that can be hidden.
    fn all_but(&self, named: &Named<'_>) -> Result<Vec<Part>, Refusal> {
        let mut parts = self.fields_but(named)?;
        if self.body.length() > 0 && !named.has(&Part::Body) {
            parts.extend(self.values_but(named)?);
        }
        Ok(parts)
    }

    /// Names of the header fields that have a value, each once.
    fn field_names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for header in self.headers.iter().filter(|header| !header.value.is_empty()) {
            // Names are words of ASCII.
            let name = String::from_utf8_lossy(slice(self.text, &header.name));
            if !names.iter().any(|known| known.eq_ignore_ascii_case(&name)) {
                names.push(name.into_owned());
            }
        }
        names
    }

    /// That fields which P reveals are among those that have a value.
    fn check_revealed(&self, names: &[String], named: &Named<'_>) -> Result<(), Refusal> {
        for part in &named.revealed {
            if let Part::Header(wanted) = part
                && !names.iter().any(|name| name.eq_ignore_ascii_case(wanted))
            {
                return Err(self.refusal(part, "there is no field of this name with a value"));
            }
        }
        Ok(())
    }

    /// Header fields that have a value, but those named and those that always show.
    fn fields_but(&self, named: &Named<'_>) -> Result<Vec<Part>, Refusal> {
        let names = self.field_names();
        self.check_revealed(&names, named)?;
        let mut parts = Vec::new();
        for name in names {
            let (fate, part) = (fate(self.side, &name), Part::Header(name));
            match fate {
                _ if named.has(&part) => {}
                Fate::Shows => {}
                Fate::Secret | Fate::Hideable => parts.push(part),
                Fate::Unknown => return Err(self.refusal(&part, UNKNOWN)),
            }
        }
        Ok(parts)
    }

    /// Values of a JSON body, but those named and those in the ones revealed; of another body, all of it.
    fn values_but(&self, named: &Named<'_>) -> Result<Vec<Part>, Refusal> {
        let body = self.body.bytes(self.text);
        let mut paths: Vec<Path> = Vec::new();
        for part in &named.revealed {
            if let Part::Json(path) = part {
                self.check_coding().map_err(|reason| self.refusal(part, reason))?;
                let path: Path = path.parse().map_err(|error| self.refusal(part, &format!("{error}")))?;
                json::find(&body, &path).map_err(|error| self.refusal(part, &error.to_string()))?;
                paths.push(path);
            }
        }
        let too_many = || {
            let reason = "it has too many values to hide each of them; hide all of it, or reveal more of it";
            self.refusal(&Part::Body, reason)
        };
        if self.check_coding().is_err() {
            return Ok(vec![Part::Body]);
        }
        let leaves = match json::leaves(&body, MAX_HIDDEN + MAX_REVEALED) {
            Ok(leaves) => leaves,
            Err(json::Error::Many { .. }) => return Err(too_many()),
            Err(_) => return Ok(vec![Part::Body]),
        };
        let mut hidden = Vec::new();
        for (path, value) in leaves {
            let shown = paths.iter().any(|shown| path.steps().starts_with(shown.steps()));
            let part = Part::Json(path.to_string());
            if shown || value.content().is_empty() || named.has(&part) {
                continue;
            }
            if !matches!(value.kind, Kind::String | Kind::Number) {
                let reason = "it is neither a string nor a number and cannot be hidden: reveal it";
                return Err(self.refusal(&part, reason));
            }
            hidden.push(part);
        }
        if hidden.len() > MAX_HIDDEN {
            return Err(too_many());
        }
        Ok(hidden)
    }
}
