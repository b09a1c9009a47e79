//! Decides about the parts that P does not name: what others could misuse, or what only P supplied, is
//! hidden.
//!
//! | of | shown | hidden |
//! |---|---|---|
//! | each request | method, path, names of fields, the fields that say how it is to be read | query, values of all other fields, body |
//! | each response, [`Rest::Revealed`] | status line, names of fields, the fields that say how it is to be read and [some that are everybody's](super::fields), body | values of all other fields and of those after the body, what P took from it for a later request |
//! | each response, [`Rest::Hidden`] | status line, names of fields, keys of JSON objects, the fields that say how it is to be read | all else |
//!
//! P may show or hide any part by naming it. Of two parts of which one contains the other, the smaller one
//! decides about its bytes, and of a shown one and a hidden one with the same bytes the hidden one: a body
//! or query that is shown hides the values that P hides or claims something about, and one that is hidden
//! shows those that P shows. Then the rest is hidden value by value, so the names of its values show.
//!
//! The *path* tells readers which document the claims are about. So
//! it is shown even if everything else is hidden, unless P names it as hidden, or put something into it that
//! it took from an earlier response.

use std::collections::HashMap;

use super::fields::{Visibility, visibility};
use super::structure::{HttpMessage, UNKNOWN, no_round, slice};
use super::{MAX_HIDDEN, MessagePart, Part, Redaction};
use crate::page::disclosure::Refusal;
use crate::page::http::json::{self, Path};
use crate::page::http::{Exchange, Header};
use crate::wire::prf::Side;

/// The most values of a JSON body of which some are hidden one by one, or together.
pub(super) const MAX_LEAVES: usize = (1 << 14) + MAX_HIDDEN;

/// Whether the parts of responses that P does not name are shown or hidden.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rest {
    /// Bodies are shown, and the header fields that are the same for everybody; the values of other fields
    /// are hidden.
    Revealed,
    /// Everything that can be hidden is hidden; anything else is an error.
    #[default]
    Hidden,
}

/// P's selection of what to show and hide of a connection. The rest follows from rules: header fields that
/// may be secrets, and what the user supplied, are hidden.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The hidden parts, and the claims about them.
    pub hide: Vec<Redaction>,
    /// The shown parts, which have to exist. A value of a JSON body is shown with everything inside it.
    pub reveal: Vec<MessagePart>,
    /// Parts that are hidden unless `reveal` names exactly them: what P took from responses for later
    /// requests, and where it put that.
    pub taken: Vec<MessagePart>,
    /// The rule for the rest of the responses.
    pub responses: Rest,
    /// Whether a value of the rest that its length would tell is shown if nothing beside it hides that (see
    /// [`Values`](super::Values)). Otherwise that is an error, as it is for a value that P names.
    pub show_rest: bool,
    /// Whether P will [commit to everything](crate::leaf): then fewer values are hidden together.
    pub commit_all: bool,
}

impl Selection {
    /// All hidden parts of these messages (the client's, the server's), those that P names first.
    ///
    /// A part that cannot be hidden and is not revealed is an error, so that nothing is shown without P's
    /// knowledge. Consecutive values of a JSON body are hidden together.
    ///
    /// # Errors
    /// [`Refusal::Part`].
    pub(in crate::page::disclosure) fn of(
        &self,
        texts: [&[u8]; 2],
        exchanges: &[Exchange],
    ) -> Result<Vec<Redaction>, Refusal> {
        let named = self.reveal.iter().chain(&self.taken);
        if let Some(MessagePart { side, round, part }) =
            named.clone().find(|named| named.round >= exchanges.len())
        {
            return Err(no_round(*side, *round, part, exchanges.len()));
        }
        let hide = self.expanded(texts, exchanges)?;
        let parted: Vec<_> = hide.iter().filter(|hide| self.is_parted(hide)).collect();
        let others = hide.iter().filter(|hide| !self.is_parted(hide)).cloned();
        let alone = |hide: &Redaction| {
            let plain = hide.claims.is_empty() && !hide.commit && matches!(hide.part, Part::Json(_));
            !plain || hide.round >= exchanges.len()
        };
        let (mut all, plain): (Vec<_>, Vec<_>) = others.partition(alone);
        for (round, exchange) in exchanges.iter().enumerate() {
            for (side, text) in [Side::Client, Side::Server].into_iter().zip(texts) {
                let message = HttpMessage::new(side, text, round, exchange);
                let named = plain.iter().filter(|hide| (hide.side, hide.round) == (side, round));
                let named = named.map(|hide| hide.part.clone()).collect();
                let parted = parted.iter().filter(|hide| (hide.side, hide.round) == (side, round));
                let parted: Vec<_> = parted.map(|hide| &hide.part).collect();
                let rest = self.rest(&message, &hide, &parted)?;
                let parts = message.group(named, rest, self)?;
                all.extend(parts.into_iter().map(|part| Redaction { round, ..Redaction::new(side, part) }));
            }
        }
        Ok(all)
    }

    /// The parts that P names as hidden, with those that patterns of paths stand for. Each value of a body is
    /// there once, with all that is claimed of it.
    pub(in crate::page::disclosure) fn expanded(
        &self,
        texts: [&[u8]; 2],
        exchanges: &[Exchange],
    ) -> Result<Vec<Redaction>, Refusal> {
        let mut all = Hides::default();
        for hide in &self.hide {
            let pattern = match &hide.part {
                Part::Json(path) => path.parse::<Path>().ok().filter(Path::is_pattern),
                _ => None,
            };
            let Some(pattern) = pattern else {
                all.add(hide.clone());
                continue;
            };
            let [client, server] = texts;
            let text = if hide.side == Side::Client { client } else { server };
            let message = HttpMessage::of(hide.side, text, exchanges, hide.round, &hide.part)?;
            let paths = message.paths(&hide.part, &pattern)?;
            let one = |path| Redaction { part: Part::Json(path), ..hide.clone() };
            paths.into_iter().for_each(|path| all.add(one(path)));
        }
        Ok(all.list)
    }

    /// Whether this hides a body or a query of which P also names values. They come first: what is left is
    /// hidden value by value.
    fn is_parted(&self, hide: &Redaction) -> bool {
        let here = |side: Side, round: usize, part: &Part| {
            (side, round) == (hide.side, hide.round)
                && match part {
                    Part::Json(_) => hide.part == Part::Body,
                    Part::Parameter(_) => hide.part == Part::Query,
                    _ => false,
                }
        };
        hide.claims.is_empty()
            && !hide.commit
            && (self.hide.iter().any(|other| here(other.side, other.round, &other.part))
                || self.reveal.iter().any(|other| here(other.side, other.round, &other.part)))
    }

    /// The parts of a message that are hidden in addition to those named, which are `hide`. `parted`: of
    /// these, P hides all but the values that it names.
    fn rest(
        &self,
        message: &HttpMessage<'_>,
        hide: &[Redaction],
        parted: &[&Part],
    ) -> Result<Vec<Part>, Refusal> {
        let (side, round) = (message.side, message.round);
        let here = |named: &&MessagePart| (named.side, named.round) == (side, round);
        let hidden = hide.iter().filter(|hide| (hide.side, hide.round) == (side, round));
        let hidden = hidden.map(|hide| &hide.part).filter(|part| !parted.contains(part));
        let named = Named {
            hidden: hidden.collect(),
            revealed: self.reveal.iter().filter(here).map(|reveal| &reveal.part).collect(),
        };
        for part in &named.revealed {
            message.check_revealed(part)?;
        }
        let mut parts = match (side, self.responses) {
            (Side::Client, _) => message.of_request(&named)?,
            (Side::Server, Rest::Revealed) => message.secrets(&named),
            (Side::Server, Rest::Hidden) => message.all_but(&named)?,
        };
        if parted.contains(&&Part::Body) && (side, self.responses) == (Side::Server, Rest::Revealed) {
            parts.extend(message.values_but(&named)?);
        }
        for MessagePart { part, .. } in self.taken.iter().filter(here) {
            let known = named.has(part) || parts.iter().any(|other| is_same(other, part));
            let inside = matches!(part, Part::Json(_))
                && (parts.contains(&Part::Body) || named.hidden.contains(&&Part::Body));
            // An empty value is not a secret.
            if !known && !inside && !message.find(part)?.1.is_empty() {
                parts.push(part.clone());
            }
        }
        Ok(parts)
    }
}

/// Hidden parts, each value of a body once.
#[derive(Default)]
struct Hides {
    list: Vec<Redaction>,
    /// The place in the list of each value.
    places: HashMap<(bool, usize, String), usize>,
}

impl Hides {
    fn add(&mut self, hide: Redaction) {
        if let Part::Json(path) = &hide.part {
            let name = (hide.side == Side::Client, hide.round, path.clone());
            let next = self.list.len();
            let place = *self.places.entry(name).or_insert(next);
            if let Some(known) = self.list.get_mut(place) {
                let more = hide.claims.into_iter().filter(|claim| !known.claims.contains(claim));
                let more: Vec<_> = more.collect();
                known.claims.extend(more);
                known.commit |= hide.commit;
                return;
            }
        }
        self.list.push(hide);
    }
}

/// Whether two names are of the same part. Names of header fields ignore case.
fn is_same(a: &Part, b: &Part) -> bool {
    match (a, b) {
        (Part::Header(a), Part::Header(b)) | (Part::Trailer(a), Part::Trailer(b)) => {
            a.eq_ignore_ascii_case(b)
        }
        (a, b) => a == b,
    }
}

/// The parts of a message that P names.
pub(super) struct Named<'a> {
    hidden: Vec<&'a Part>,
    pub(super) revealed: Vec<&'a Part>,
}

impl Named<'_> {
    pub(super) fn has(&self, part: &Part) -> bool {
        self.hidden.iter().chain(&self.revealed).any(|named| is_same(named, part))
    }

    pub(super) fn has_parameter(&self) -> bool {
        self.hidden.iter().chain(&self.revealed).any(|named| matches!(named, Part::Parameter(_)))
    }

    fn has_json(&self) -> bool {
        self.hidden.iter().chain(&self.revealed).any(|named| matches!(named, Part::Json(_)))
    }
}

impl HttpMessage<'_> {
    /// The parts that P supplied.
    fn of_request(&self, named: &Named<'_>) -> Result<Vec<Part>, Refusal> {
        let mut parts = Vec::new();
        let query = self.request.and_then(|request| request.query(self.text));
        if query.is_some_and(|query| !query.is_empty()) && !named.has(&Part::Query) {
            parts.extend(self.parameters_but(named)?);
        }
        parts.extend(self.fields_but(named)?);
        if self.body.length() > 0 && !named.has(&Part::Body) {
            // Keys of JSON objects would be shown.
            let parted = named.has_json();
            parts.extend(if parted { self.values_but(named)? } else { vec![Part::Body] });
        }
        Ok(parts)
    }

    /// The fields of a response that may hold something with which others could act as P.
    fn secrets(&self, named: &Named<'_>) -> Vec<Part> {
        let names = self.field_names();
        let secret = names.into_iter().filter(|name| visibility(Side::Server, name) == Visibility::Secret);
        let secret: Vec<_> = secret.map(Part::Header).filter(|part| !named.has(part)).collect();
        [secret, self.trailers_but(named)].concat()
    }

    /// Everything in a response that can be hidden.
    fn all_but(&self, named: &Named<'_>) -> Result<Vec<Part>, Refusal> {
        let mut parts = self.fields_but(named)?;
        parts.extend(self.trailers_but(named));
        if self.body.length() > 0 && !named.has(&Part::Body) {
            parts.extend(self.values_but(named)?);
        }
        Ok(parts)
    }

    /// Names of the header fields that have a value, each once.
    pub(super) fn field_names(&self) -> Vec<String> {
        self.names(self.headers)
    }

    /// Names of the fields after a body in chunks that have a value, each once.
    pub(super) fn trailer_names(&self) -> Vec<String> {
        self.names(self.trailers)
    }

    /// Names of the fields that have a value, each once.
    fn names(&self, fields: &[Header]) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for header in fields.iter().filter(|header| !header.value.is_empty()) {
            // Names are words of ASCII.
            let name = String::from_utf8_lossy(slice(self.text, &header.name));
            if !names.iter().any(|known| known.eq_ignore_ascii_case(&name)) {
                names.push(name.into_owned());
            }
        }
        names
    }

    /// Checks that a part which P reveals exists. A name that fits nothing is a mistake, also where there is
    /// nothing that it could keep shown: P would take the attestation for one that shows the part.
    fn check_revealed(&self, part: &Part) -> Result<(), Refusal> {
        let refuse = |reason: &str| self.refusal(part, reason);
        match part {
            Part::Header(name) | Part::Trailer(name) => {
                let fields = if matches!(part, Part::Header(_)) { self.headers } else { self.trailers };
                let shown = |field: &Header| field.is(self.text, name) && !field.value.is_empty();
                if !fields.iter().any(shown) {
                    return Err(refuse("there is no field of this name with a value"));
                }
            }
            Part::Body | Part::Json(_) if self.body.length() == 0 => {
                return Err(refuse("this message has no body, or an empty one"));
            }
            Part::Json(path) => {
                self.check_coding().map_err(refuse)?;
                let path: Path = path.parse().map_err(|error| refuse(&format!("{error}")))?;
                if path.is_pattern() {
                    self.leaves_of(part, |leaf| path.leads_to(leaf))?;
                } else {
                    let body = self.body.bytes(self.text);
                    json::find(&body, &path).map_err(|error| refuse(&error.to_string()))?;
                }
            }
            Part::Body => {}
            Part::Path | Part::Query | Part::Parameter(_) | Part::Values(_) => {
                self.find(part)?;
            }
        }
        Ok(())
    }

    /// The fields after the body, without those named. They are few and rare, so none is known to be no
    /// secret.
    fn trailers_but(&self, named: &Named<'_>) -> Vec<Part> {
        let all = self.trailer_names().into_iter().map(Part::Trailer);
        all.filter(|part| !named.has(part)).collect()
    }

    /// Header fields with a value, without those named and those that are always shown.
    fn fields_but(&self, named: &Named<'_>) -> Result<Vec<Part>, Refusal> {
        let mut parts = Vec::new();
        for name in self.field_names() {
            let (visibility, part) = (visibility(self.side, &name), Part::Header(name));
            match visibility {
                _ if named.has(&part) => {}
                Visibility::AlwaysShown => {}
                Visibility::Secret | Visibility::Hideable => parts.push(part),
                Visibility::Unknown => return Err(self.refusal(&part, UNKNOWN)),
            }
        }
        Ok(parts)
    }

    /// The values of a JSON body, without those named and those inside revealed ones; for any other body, all
    /// of it.
    fn values_but(&self, named: &Named<'_>) -> Result<Vec<Part>, Refusal> {
        if self.check_coding().is_err() {
            return Ok(vec![Part::Body]);
        }
        let paths = named.revealed.iter().filter_map(|part| match part {
            Part::Json(path) => Some(path.parse().map_err(|error| self.refusal(part, &format!("{error}")))),
            _ => None,
        });
        let paths = paths.collect::<Result<Vec<Path>, _>>()?;
        let body = self.body.bytes(self.text);
        let leaves = match json::leaves(&body, MAX_LEAVES) {
            Ok(leaves) => leaves,
            Err(json::Error::Many { .. }) => return Err(self.too_many()),
            Err(_) => return Ok(vec![Part::Body]),
        };
        let parts = leaves.into_iter().filter(|(path, _)| !paths.iter().any(|shown| shown.leads_to(path)));
        let parts = parts.map(|(path, _)| Part::Json(path.to_string()));
        Ok(parts.filter(|part| !named.has(part)).collect())
    }

    /// The paths of a pattern, all of which must lead to values: what P wants hidden must not be shown where
    /// it is an array or an object.
    fn paths(&self, part: &Part, pattern: &Path) -> Result<Vec<String>, Refusal> {
        let found = self.leaves_of(part, |leaf| pattern.leads_to(leaf))?;
        if let Some(inner) = found.iter().find(|leaf| !leaf.is_of(pattern)) {
            return Err(self.refusal(part, &format!("it is an array or an object where {inner} is in it")));
        }
        Ok(found.iter().map(Path::to_string).collect())
    }

    /// The values of the body that `part` names, which is a pattern.
    fn leaves_of(&self, part: &Part, is: impl Fn(&Path) -> bool) -> Result<Vec<Path>, Refusal> {
        self.check_coding().map_err(|reason| self.refusal(part, reason))?;
        let leaves = json::leaves(&self.body.bytes(self.text), MAX_LEAVES);
        let leaves = leaves.map_err(|error| self.refusal(part, &error.to_string()))?;
        let found: Vec<_> = leaves.into_iter().map(|(path, _)| path).filter(is).collect();
        if found.is_empty() {
            return Err(self.refusal(part, "the body has no string, number or word there"));
        }
        Ok(found)
    }

    /// The error for a body with too many values.
    pub(super) fn too_many(&self) -> Refusal {
        let reason = "it has too many values to hide each of them; hide all of it, or reveal more of it";
        self.refusal(&Part::Body, reason)
    }
}
