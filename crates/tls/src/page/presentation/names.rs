//! Which leaf of an attestation is which part of its messages.
//!
//! A leaf of a hidden string has the string's name. The values of a run have their paths, which a reader
//! finds in the run's text as the notary did.

use core::ops::Range;
use std::collections::{HashMap, HashSet};

use super::PresentationError;
use crate::page::attestation::Statement;
use crate::page::claim::Class;
use crate::page::disclosure::{MessagePart, Part, Reading, message_name};
use crate::page::http::json::Path;
use crate::page::leaf::{Found, LeafKind, leaves};
use crate::wire::prf::Side;

/// All leaves of an attestation.
pub(super) struct Names<'a> {
    /// In the order of their indexes.
    leaves: Vec<NamedLeaf<'a>>,
    /// The attestation's messages; none if there are no leaves.
    reading: Option<Reading>,
}

/// A leaf and its name.
#[derive(Clone, Debug)]
pub(super) struct NamedLeaf<'a> {
    pub(super) found: Found<'a>,
    /// The part that it is, or that it is a chunk of.
    pub(super) part: Part,
}

/// A part's name in words, with its message.
pub(super) fn whose(side: Side, round: usize, part: &Part) -> String {
    format!("{} {part}", message_name(side, round))
}

impl<'a> Names<'a> {
    /// # Errors
    /// [`PresentationError::Messages`] if there are leaves, and the messages cannot be read again.
    pub(super) fn new(statement: &'a Statement) -> Result<Self, PresentationError> {
        let all = leaves(statement);
        let reading = match &*all {
            [] => None,
            _ => Some(statement.reading().ok_or(PresentationError::Messages)?),
        };
        let mut paths: HashMap<(bool, usize), Vec<String>> = HashMap::new();
        let mut named = Vec::with_capacity(all.len());
        for found in all {
            let part = match (&found.kind, &found.hidden.part, &reading) {
                (LeafKind::Value { number, .. }, Part::Values(values), Some(reading)) => {
                    let round = found.hidden.round;
                    let message = (found.side == Side::Client, round);
                    let paths =
                        paths.entry(message).or_insert_with(|| reading.value_paths(found.side, round));
                    let first = paths.iter().position(|path| *path == values.first);
                    let path = first.and_then(|first| paths.get(first.checked_add(*number)?));
                    Part::Json(path.ok_or(PresentationError::Messages)?.clone())
                }
                (_, part, _) => part.clone(),
            };
            named.push(NamedLeaf { found, part });
        }
        Ok(Self { leaves: named, reading })
    }

    /// Whether a leaf is one string about which something can be claimed: one value, field or parameter, and
    /// all of it.
    pub(super) fn is_one(&self, leaf: &NamedLeaf<'a>) -> bool {
        let reading = self.reading.as_ref();
        leaf.is_whole() && reading.is_some_and(|reading| reading.check_one(&leaf.message_part()).is_ok())
    }

    /// The leaf with this index.
    pub(super) fn leaf(&self, index: u32) -> Option<&NamedLeaf<'a>> {
        let place = self.leaves.binary_search_by_key(&index, NamedLeaf::index).ok()?;
        self.leaves.get(place)
    }

    /// The parts that a name stands for. With `[*]` these are all values of that pattern that do not show. To
    /// be `whole`, none of them may be inside of an array or an object that the pattern names.
    ///
    /// # Errors
    /// [`PresentationError::Part`] if there are none, and for a part that is not whole.
    pub(super) fn expand(
        &self,
        named: &MessagePart,
        whole: bool,
    ) -> Result<Vec<MessagePart>, PresentationError> {
        let MessagePart { side, round, part } = named;
        let pattern = match part {
            Part::Json(path) => path.parse::<Path>().ok().filter(Path::is_pattern),
            _ => None,
        };
        let (Some(pattern), Some(reading)) = (pattern, &self.reading) else { return Ok(vec![named.clone()]) };
        let shown: HashSet<_> = reading.values(*side, *round).into_iter().map(|(path, _)| path).collect();
        let mut parts = Vec::new();
        for path in reading.value_paths(*side, *round) {
            let Some(leaf) = path.parse::<Path>().ok().filter(|leaf| pattern.leads_to(leaf)) else {
                continue;
            };
            if whole && !leaf.is_of(&pattern) {
                let reason = format!("it is an array or an object where {leaf} is in it");
                return Err(PresentationError::part(named, &reason));
            }
            if !shown.contains(&path) {
                parts.push(MessagePart { part: Part::Json(path), ..named.clone() });
            }
        }
        if parts.is_empty() {
            return Err(PresentationError::part(named, "no hidden value has such a name"));
        }
        Ok(parts)
    }

    /// The leaves of a part, or those that have some of these bytes of it.
    ///
    /// # Errors
    /// [`PresentationError::Part`] if there are none.
    pub(super) fn find(
        &self,
        named: &MessagePart,
        bytes: Option<&Range<usize>>,
    ) -> Result<Vec<&NamedLeaf<'a>>, PresentationError> {
        let all: Vec<_> = self.leaves.iter().filter(|leaf| leaf.is_of(named)).collect();
        if all.is_empty() {
            let together = self.leaves.iter().any(|leaf| leaf.hides(named));
            let reason = if together {
                "its attestation commits to it only together with the values beside it: name the first of them"
            } else {
                "the attestation does not commit to it: it is shown, or not a part by itself"
            };
            return Err(PresentationError::part(named, reason));
        }
        let Some(bytes) = bytes else { return Ok(all) };
        let has = |leaf: &&&NamedLeaf<'a>| match &leaf.found.kind {
            LeafKind::Chunk(range) => range.start < bytes.end && bytes.start < range.end,
            LeafKind::Value { .. } => false,
        };
        let some: Vec<_> = all.iter().filter(has).copied().collect();
        if some.is_empty() {
            return Err(PresentationError::part(
                named,
                "the length of its value is hidden, or it has no such bytes",
            ));
        }
        Ok(some)
    }

    /// The leaf of a part that has no other.
    ///
    /// # Errors
    /// [`PresentationError::Part`] if there is none, or a part of the part has a leaf of its own.
    pub(super) fn find_one(&self, named: &MessagePart) -> Result<&NamedLeaf<'a>, PresentationError> {
        match &*self.find(named, None)? {
            [one] if self.is_one(one) => Ok(one),
            _ => Err(PresentationError::part(
                named,
                "nothing can be claimed of it: it is too long, or is several values, fields or parameters",
            )),
        }
    }
}

impl NamedLeaf<'_> {
    pub(super) fn index(&self) -> u32 {
        self.found.index
    }

    /// Its name in words.
    pub(super) fn name(&self) -> String {
        whose(self.found.side, self.found.hidden.round, &self.part)
    }

    fn is_of(&self, named: &MessagePart) -> bool {
        let same = match (&self.part, &named.part) {
            (Part::Header(a), Part::Header(b)) | (Part::Trailer(a), Part::Trailer(b)) => {
                a.eq_ignore_ascii_case(b)
            }
            // A run that is one leaf has the name of its first value.
            (Part::Values(values), Part::Json(path)) => values.first == *path,
            (a, b) => a == b,
        };
        (self.found.side, self.found.hidden.round) == (named.side, named.round) && same
    }

    /// Whether it is of a run that may hide this part.
    fn hides(&self, named: &MessagePart) -> bool {
        let run = matches!((&self.part, &named.part), (Part::Values(_), Part::Json(_)));
        (self.found.side, self.found.hidden.round) == (named.side, named.round) && run
    }

    pub(super) fn message_part(&self) -> MessagePart {
        MessagePart { side: self.found.side, round: self.found.hidden.round, part: self.part.clone() }
    }

    /// Whether it is all of its string, or a value of a run.
    fn is_whole(&self) -> bool {
        let one = match &self.found.kind {
            LeafKind::Chunk(range) => range.len() == self.found.hidden.length(),
            LeafKind::Value { .. } => true,
        };
        one && !matches!(self.part, Part::Values(_))
    }

    /// The class of its content.
    pub(super) fn class_of(&self, content: &[u8]) -> Class {
        match (&self.found.kind, content.first()) {
            (LeafKind::Chunk(_), _) => self.found.hidden.class,
            (LeafKind::Value { .. }, Some(b'"')) => Class::JsonText,
            (LeafKind::Value { .. }, Some(b'-' | b'0'..=b'9')) => Class::Number,
            (LeafKind::Value { .. }, _) => Class::Word,
        }
    }

    /// Whether a content may have this class and length.
    pub(super) fn can_be(&self, class: Class, length: usize) -> bool {
        match &self.found.kind {
            LeafKind::Chunk(range) => class == self.found.hidden.class && length == range.len(),
            LeafKind::Value { room, .. } => {
                let least = if class == Class::JsonText { 2 } else { 1 };
                matches!(class, Class::JsonText | Class::Number | Class::Word)
                    && (least..*room).contains(&length)
            }
        }
    }

    /// The part of a content that claims are about: a string of a run without its quotation marks.
    pub(super) fn inner(&self, class: Class, length: usize) -> Range<usize> {
        if self.is_quoted(class) { 1..length.saturating_sub(1) } else { 0..length }
    }

    /// Whether contents of this class have quotation marks.
    pub(super) fn is_quoted(&self, class: Class) -> bool {
        matches!(self.found.kind, LeafKind::Value { .. }) && class == Class::JsonText
    }
}
