//! `volery attestation present`, and what `verify` shows of a presentation.

use std::path::Path;

use serde::Serialize;
use volery::os_rng;
use volery::web::attestation::policy::Evidence;
use volery::web::attestation::{Attestation, Context, MAX_BYTES};
use volery::web::claim::{Assertion, Class};
use volery::web::disclosure::MessagePart;
use volery::web::leaf::{self, LeafOpenings};
use volery::web::presentation::{
    self, ClaimedPart, OpenedPart, Presentation, PresentationError, Presented, Reveal,
};

use super::opening::text_or_hex;
use super::{attestation, read};
use crate::args::AttestationPresentArgs;
use crate::failure::Failure;
use crate::outcome::{self, Good};
use crate::{new_file, output};
use volery::web::disclosure::words::{self, name_of};

/// A file that `verify` takes.
pub(super) enum Document {
    Attestation(Box<Attestation>),
    Presentation(Box<Presentation>),
}

impl Document {
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let bytes = read(path, presentation::MAX_BYTES.max(MAX_BYTES) as u64)?;
        let wrong = |error: String| Failure::input(format!("{}: {error}", path.display()));
        if Presentation::is_one(&bytes) {
            let read = Presentation::from_bytes(&bytes);
            return read.map(Box::new).map(Self::Presentation).map_err(|error| wrong(error.to_string()));
        }
        let read = Attestation::from_bytes(&bytes);
        read.map(Box::new).map(Self::Attestation).map_err(|error| wrong(error.to_string()))
    }

    pub(super) fn evidence(&self) -> Evidence<'_> {
        match self {
            Self::Attestation(attestation) => Evidence::Attestation(attestation),
            Self::Presentation(presentation) => Evidence::Presentation(presentation),
        }
    }

    pub(super) fn attestation(&self) -> &Attestation {
        self.evidence().attestation()
    }

    pub(super) fn presentation(&self) -> Option<&Presentation> {
        match self {
            Self::Attestation(_) => None,
            Self::Presentation(presentation) => Some(presentation),
        }
    }
}

/// What a presentation shows, in JSON.
#[derive(Serialize)]
pub(super) struct PresentationReport {
    /// A sentence for each request, also with what is opened and proved.
    #[serde(skip)]
    pub(super) summary: Vec<String>,
    context: Context,
    opened: Vec<OpenedReport>,
    claimed: Vec<ClaimedReport>,
}

/// An opened part. Its bytes are in `text` if they are UTF-8, else in `hex`.
#[derive(Serialize)]
struct OpenedReport {
    message: String,
    part: String,
    class: Class,
    /// The place of the first of these bytes in the part, if they are not all of it.
    start: Option<usize>,
    text: Option<String>,
    hex: Option<String>,
}

#[derive(Serialize)]
struct ClaimedReport {
    message: String,
    part: String,
    class: Class,
    length: usize,
    claim: Assertion,
}

impl PresentationReport {
    pub(super) fn new(shown: &Presented<'_>) -> Self {
        let opened = |OpenedPart { part, class, range, bytes }: &OpenedPart| {
            let (text, hex) = text_or_hex(bytes);
            let start = range.as_ref().map(|range| range.start);
            let (message, part) = (name_of(part.side, part.round), part.part.to_string());
            OpenedReport { message, part, class: *class, start, text, hex }
        };
        let claimed = |ClaimedPart { part, class, length, claim }: &ClaimedPart| {
            let (message, part) = (name_of(part.side, part.round), part.part.to_string());
            ClaimedReport { message, part, class: *class, length: *length, claim: claim.clone() }
        };
        Self {
            summary: shown.summary(),
            context: shown.context.clone(),
            opened: shown.opened.iter().map(opened).collect(),
            claimed: shown.claimed.iter().map(claimed).collect(),
        }
    }

    /// A line for each thing that is shown, with control characters escaped for a terminal.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.context.is_empty() {
            lines.push(format!("made for  {}", self.context.words()));
        }
        for OpenedReport { message, part, start, text, hex, .. } in &self.opened {
            let content = match (text, hex) {
                (Some(text), _) => format!("\"{}\"", text.escape_debug()),
                (None, hex) => format!("hex {}", hex.as_deref().unwrap_or_default()),
            };
            let from = start.map(|start| format!(", from byte {start} on")).unwrap_or_default();
            lines.push(format!("opened    {message} {}{from}: {content}", part.escape_debug()));
        }
        for ClaimedReport { message, part, length, claim, .. } in &self.claimed {
            let part = part.escape_debug();
            lines.push(format!("proved    {message} {part}, {length} bytes: {claim}"));
        }
        lines
    }
}

/// The failure of a presentation that is not what it says.
pub(super) fn failed(error: &PresentationError) -> Failure {
    match error {
        PresentationError::Missing => Failure::input(error),
        _ => Failure::Rejected(error.to_string()),
    }
}

/// Runs `volery attestation present`.
pub(crate) fn present(args: &AttestationPresentArgs) -> Result<(), Failure> {
    let reveal = args.reveal.iter().map(|text| {
        let (part, bytes) = words::piece(text).map_err(Failure::input)?;
        Ok(Reveal { part, bytes })
    });
    let reveal = reveal.collect::<Result<Vec<_>, Failure>>()?;
    let claims = args.claim.iter().map(|text| words::claim(text).map_err(Failure::input));
    let claims: Vec<(MessagePart, Assertion)> = claims.collect::<Result<_, _>>()?;
    let attestation = attestation::open(&args.file)?;
    let openings = LeafOpenings::from_bytes(&read(&args.opening, leaf::MAX_BYTES as u64)?);
    let openings =
        openings.map_err(|error| Failure::input(format!("{}: {error}", args.opening.display())))?;
    let context = args.context.clone().unwrap_or_default();
    let made = Presentation::new(&attestation, &openings, &context, (&reveal, &claims), &mut os_rng()?);
    let made = made.map_err(|error| match error {
        PresentationError::NotTrue(_) => Failure::Rejected(error.to_string()),
        error => Failure::input(error),
    })?;
    // What a reader will see, read as a reader reads it.
    let shown = made.verify(attestation.claimed_signer()).map_err(Failure::input)?;
    let report = PresentationReport::new(&shown);
    new_file::write(&args.out, &made.to_bytes())?;
    if args.json {
        return outcome::json(Good::Done, &report);
    }
    report.lines().iter().try_for_each(|line| output::result(line))
}
