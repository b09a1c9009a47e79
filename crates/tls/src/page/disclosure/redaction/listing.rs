//! All parts of requests and responses that P can name.

use core::ops::Range;

use super::super::connection::SIDES;
use super::fields::{Visibility, visibility};
use super::rest::MAX_LEAVES;
use super::structure::HttpMessage;
use super::{MessagePart, Part};
use crate::page::http::Exchange;
use crate::page::http::json::{self, ValueType};

/// A part that P can name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The part.
    pub part: MessagePart,
    /// Whether it is a path, a header field, a JSON value, and so on.
    pub kind: PartKind,
    /// Its places in all messages of its side: of a JSON string without its quotation marks, of a path
    /// without its slash.
    pub ranges: Vec<Range<usize>>,
}

impl Listed {
    /// Its length in bytes.
    #[must_use]
    pub fn length(&self) -> usize {
        self.ranges.iter().map(ExactSizeIterator::len).sum()
    }
}

/// The kinds of parts that have names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// The path of a target.
    Path,
    /// The query of a target.
    Query,
    /// A parameter of it.
    Parameter,
    /// The values of all header fields of a name, and whether they show.
    Header(Visibility),
    /// A body. If something names its values, it is JSON; otherwise this says why no value can be named.
    Body {
        /// Why it has no values with names.
        opaque: Option<String>,
    },
    /// A value of a JSON body that contains no others.
    Json(ValueType),
    /// The values of all fields of a name after a body in chunks.
    Trailer,
}

/// All parts of these messages that can be named, in order. Of empty ones nothing can be shown or hidden, so
/// they are missing, but for JSON strings.
pub(in crate::page::disclosure) fn listed(texts: [&[u8]; 2], exchanges: &[Exchange]) -> Vec<Listed> {
    let mut all = Vec::new();
    for (round, exchange) in exchanges.iter().enumerate() {
        for (side, text) in SIDES.into_iter().zip(texts) {
            HttpMessage::new(side, text, round, exchange).list(&mut all);
        }
    }
    all
}

impl HttpMessage<'_> {
    fn list(&self, all: &mut Vec<Listed>) {
        self.list_before_trailers(all);
        for name in self.trailer_names() {
            let fields = self.trailers.iter().filter(|field| field.is(self.text, &name));
            let ranges = fields.map(|field| field.value.clone()).collect();
            let part = MessagePart { side: self.side, round: self.round, part: Part::Trailer(name) };
            all.push(Listed { part, kind: PartKind::Trailer, ranges });
        }
    }

    fn list_before_trailers(&self, all: &mut Vec<Listed>) {
        let mut add = |part, kind, ranges| {
            let part = MessagePart { side: self.side, round: self.round, part };
            all.push(Listed { part, kind, ranges });
        };
        let mut listed = Vec::new();
        if let Some(request) = self.request {
            let path = request.path(self.text);
            let after_slash = path.start.saturating_add(1).min(path.end)..path.end;
            add(Part::Path, PartKind::Path, vec![after_slash]);
            if let Some(query) = request.query(self.text).filter(|query| !query.is_empty()) {
                add(Part::Query, PartKind::Query, vec![query]);
            }
            // Of an unclear query no parameter can be named, nor one without a name.
            for parameter in request.parameters(self.text).unwrap_or_default() {
                let part = Part::Parameter(parameter.name);
                let ranges = self.find(&part).map(|(_, ranges)| ranges).unwrap_or_default();
                if !ranges.is_empty() && !listed.contains(&part) {
                    listed.push(part.clone());
                    add(part, PartKind::Parameter, ranges);
                }
            }
        }
        for name in self.field_names() {
            let fields = self.headers.iter().filter(|header| header.is(self.text, &name));
            let ranges = fields.map(|header| header.value.clone()).collect();
            let kind = PartKind::Header(visibility(self.side, &name));
            add(Part::Header(name), kind, ranges);
        }
        if self.body.length() == 0 {
            return;
        }
        let body = self.body.bytes(self.text);
        let leaves = self.check_coding().map_err(str::to_owned);
        let leaves = leaves.and_then(|()| json::leaves(&body, MAX_LEAVES).map_err(|error| error.to_string()));
        let opaque = leaves.as_ref().err().cloned();
        add(Part::Body, PartKind::Body { opaque }, self.body.parts.clone());
        for (path, value) in leaves.unwrap_or_default() {
            let ranges = self.body.locate(value.content());
            add(Part::Json(path.to_string()), PartKind::Json(value.kind), ranges);
        }
    }
}
