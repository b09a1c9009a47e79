//! What a verified presentation shows: parts by name, for readers and policies.

use core::ops::Range;

use serde::Serialize;

use super::names::Names;
use super::{Presentation, PresentationError};
use crate::page::attestation::{Context, Statement, presented};
use crate::page::claim::{Assertion, Class};
use crate::page::disclosure::{Hidden, MessagePart, Part};
use crate::page::leaf::LeafKind;

/// What a presentation shows.
#[derive(Clone, Debug)]
pub struct Presented<'a> {
    /// What the notary signed.
    pub statement: &'a Statement,
    /// The context that the presentation was made for; empty if for none.
    pub context: &'a Context,
    /// The opened parts.
    pub opened: Vec<OpenedPart>,
    /// The claims that were proved.
    pub claimed: Vec<ClaimedPart>,
}

/// A part that was opened, or bytes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenedPart {
    /// The part.
    pub part: MessagePart,
    /// The class of its bytes.
    pub class: Class,
    /// If these are not all of its bytes: where they are in it.
    pub range: Option<Range<usize>>,
    /// The bytes; of a JSON string, its inside; of several fields or parameters of one name, a line for each.
    pub bytes: Vec<u8>,
}

/// A claim about a part that stays hidden.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClaimedPart {
    /// The part.
    #[serde(skip)]
    pub part: MessagePart,
    /// The class of its bytes.
    pub class: Class,
    /// Its length in bytes; of a JSON string, that of its inside.
    pub length: usize,
    /// The claim.
    pub claim: Assertion,
}

/// What a verified presentation shows.
pub(super) fn of<'a>(
    presentation: &'a Presentation,
    statement: &'a Statement,
    names: &Names<'a>,
) -> Result<Presented<'a>, PresentationError> {
    let mut opened: Vec<OpenedPart> = Vec::new();
    for leaf in &presentation.opened {
        let named = names.leaf(leaf.index).ok_or(PresentationError::Opening)?;
        let class = named.class_of(&leaf.content);
        let inner = named.inner(class, leaf.content.len());
        let bytes = leaf.content.get(inner).unwrap_or_default().to_vec();
        let part = named.message_part();
        let range = match &named.found.kind {
            LeafKind::Chunk(range) => range.clone(),
            LeafKind::Value { .. } => 0..0,
        };
        match opened.last_mut() {
            // The next chunk of the same string.
            Some(last)
                if last.part == part && last.range.as_ref().is_some_and(|last| last.end == range.start) =>
            {
                last.bytes.extend(bytes);
                last.range = last.range.take().map(|last| last.start..range.end);
            }
            _ => opened.push(OpenedPart { part, class, range: Some(range), bytes }),
        }
    }
    for OpenedPart { part, range, bytes, .. } in &mut opened {
        let all = |hidden: &&Hidden| {
            (hidden.round, &hidden.part, hidden.length()) == (part.round, &part.part, bytes.len())
        };
        if let Some(hidden) = statement.part(part.side).hidden.iter().find(all) {
            *bytes = in_lines(hidden, core::mem::take(bytes));
            *range = None;
        }
        // A value of a run.
        if *range == Some(0..0) {
            *range = None;
        }
    }
    let mut claimed = Vec::new();
    for leaf in &presentation.claimed {
        let named = names.leaf(leaf.index).ok_or(PresentationError::Opening)?;
        let length = named.inner(leaf.class, leaf.length).len();
        let (part, class, claim) = (named.message_part(), leaf.class, leaf.claim.clone());
        claimed.push(ClaimedPart { part, class, length, claim });
    }
    Ok(Presented { statement, context: &presentation.context, opened, claimed })
}

/// The values of several fields or parameters of one name, a line each: no value has the end of a line.
fn in_lines(hidden: &Hidden, bytes: Vec<u8>) -> Vec<u8> {
    let several = matches!(hidden.part, Part::Header(_) | Part::Trailer(_) | Part::Parameter(_));
    if !several || hidden.ranges.len() < 2 {
        return bytes;
    }
    let mut rest = &*bytes;
    let mut lines = Vec::new();
    for range in &hidden.ranges {
        let (line, more) = rest.split_at(range.len().min(rest.len()));
        lines.push(line);
        rest = more;
    }
    lines.join(&b'\n')
}

/// Whether two names are of the same part. Names of header fields ignore case.
fn is_same(a: &MessagePart, b: &MessagePart) -> bool {
    let same = match (&a.part, &b.part) {
        (Part::Header(a), Part::Header(b)) | (Part::Trailer(a), Part::Trailer(b)) => {
            a.eq_ignore_ascii_case(b)
        }
        (a, b) => a == b,
    };
    (a.side, a.round) == (b.side, b.round) && same
}

impl Presented<'_> {
    /// A sentence for each request, as [`Statement::summary`], with what is opened and proved.
    #[must_use]
    pub fn summary(&self) -> Vec<String> {
        self.statement.summary_with(&|round| presented(&self.opened, &self.claimed, round))
    }

    /// All bytes of a part, if it is opened, and their class.
    #[must_use]
    pub fn bytes(&self, named: &MessagePart) -> Option<(Class, &[u8])> {
        let found =
            self.opened.iter().find(|opened| is_same(&opened.part, named) && opened.range.is_none())?;
        Some((found.class, &found.bytes))
    }

    /// A hidden part as it would be if the notary had attested what is claimed here; `hidden` is what it
    /// attested. `None` if nothing is claimed of it.
    pub(crate) fn hidden(&self, named: &MessagePart, hidden: Option<&Hidden>) -> Option<Hidden> {
        let mut claims = self.claimed.iter().filter(|claimed| is_same(&claimed.part, named)).peekable();
        let ClaimedPart { class, length, .. } = claims.peek()?;
        let mut found = hidden.cloned().unwrap_or_else(|| Hidden {
            round: named.round,
            part: named.part.clone(),
            class: *class,
            ranges: core::iter::once(0..*length).collect(),
            claims: Vec::new(),
            commit: None,
            leaves: Vec::new(),
        });
        found.claims.extend(claims.map(|claimed| claimed.claim.clone()));
        Some(found)
    }
}
