//! `volery attestation open` and `prove-range`: the holder of an attestation shows others more of it.

use std::path::Path;

use serde::Serialize;
use volery::os_rng;
use volery::web::Side;
use volery::web::attestation::{Attestation, Statement};
use volery::web::commitment::{
    self, Bounded, Disclosed, Openings, RangeFile, RangeFileError, range::RangeError,
};
use volery::web::disclosure::{MessagePart, Part, words};
use volery_channel::hex;

use super::attestation;
use super::read;
use crate::args::{AttestationOpenArgs, AttestationProveRangeArgs};
use crate::failure::Failure;
use crate::outcome::{self, Good};
use crate::{new_file, output};

/// Writes openings to a new file, for its owner's eyes only.
pub(super) fn write(path: &Path, openings: &Openings) -> Result<(), Failure> {
    new_file::write_secret(path, &openings.to_bytes())
}

/// Runs `volery attestation open`.
pub(crate) fn open(args: &AttestationOpenArgs) -> Result<(), Failure> {
    let attestation = attestation::open(&args.file)?;
    let openings = read_openings(&args.openings)?;
    let statement = attestation.verify(attestation.claimed_signer()).map_err(Failure::input)?;
    let parts = args
        .part
        .iter()
        .map(|text| place(statement, words::part(text).map_err(Failure::input)?))
        .collect::<Result<Vec<_>, _>>()?;
    let chosen = openings.select(&parts).map_err(Failure::input)?;
    let opened = chosen.check(statement).map_err(Failure::input)?;
    write(&args.out, &chosen)?;
    if args.json {
        let opened = opened.into_iter().map(OpenedPart::from).collect();
        return outcome::json(Good::Done, &OpenedParts { opened, in_range: Vec::new() });
    }
    opened.iter().try_for_each(|part| output::result(&text(part)))
}

/// Runs `volery attestation prove-range`.
pub(crate) fn prove_range(args: &AttestationProveRangeArgs) -> Result<(), Failure> {
    let (part, bounds) = words::range(&args.claim).map_err(Failure::input)?;
    let attestation = attestation::open(&args.file)?;
    let openings = read_openings(&args.openings)?;
    let statement = attestation.verify(attestation.claimed_signer()).map_err(Failure::input)?;
    let in_range = InRange {
        message: message(part.side),
        part: part.part.to_string(),
        least: *bounds.start(),
        greatest: *bounds.end(),
    };
    let place = place(statement, part)?;
    let proof = RangeFile::prove(&attestation, &openings, place, bounds, &mut os_rng()?);
    let proof = proof.map_err(|error| match error {
        RangeFileError::Proof(RangeError::Outside) => Failure::Rejected(format!("not true: {}", args.claim)),
        error => Failure::input(error),
    })?;
    new_file::write(&args.out, &proof.to_bytes())?;
    if args.json {
        let shown = OpenedParts { opened: Vec::new(), in_range: vec![in_range] };
        return outcome::json(Good::Done, &shown);
    }
    output::result(&format!("proved    {}", args.claim))
}

fn read_openings(path: &Path) -> Result<Openings, Failure> {
    let bytes = read(path, commitment::MAX_BYTES as u64)?;
    Openings::from_bytes(&bytes).map_err(|error| Failure::input(format!("{}: {error}", path.display())))
}

/// Finds the commitment to a part: its side and where the part begins.
fn place(statement: &Statement, named: MessagePart) -> Result<(Side, u64), Failure> {
    let MessagePart { side, round, part } = named;
    let same = |found: &Part| match (found, &part) {
        // Names of header fields have no case.
        (Part::Header(a), Part::Header(b)) | (Part::Trailer(a), Part::Trailer(b)) => {
            a.eq_ignore_ascii_case(b)
        }
        (a, b) => a == b,
    };
    let mut hidden = statement.part(side).hidden.iter();
    let committed =
        hidden.find(|hidden| hidden.commit.is_some() && hidden.round == round && same(&hidden.part));
    let start = committed.and_then(|hidden| hidden.ranges.first()).map(|range| range.start as u64);
    let none = || {
        let name = |side: Side, round: usize, part: &Part| match round {
            0 => format!("{} {part}", message(side)),
            _ => format!("{} {} {part}", message(side), round.saturating_add(1)),
        };
        let of = |side: Side| statement.part(side).hidden.iter().map(move |hidden| (side, hidden));
        let all = of(Side::Client).chain(of(Side::Server)).filter(|(_, hidden)| hidden.commit.is_some());
        let all: Vec<_> = all.map(|(side, hidden)| name(side, hidden.round, &hidden.part)).collect();
        let all = if all.is_empty() { "none".into() } else { all.join(", ") };
        let wanted = name(side, round, &part);
        Failure::input(format!("the attestation has no commitment to {wanted}; it has: {all}"))
    };
    start.map(|start| (side, start)).ok_or_else(none)
}

fn message(side: Side) -> &'static str {
    match side {
        Side::Client => "request",
        Side::Server => "response",
    }
}

/// What the holder of an attestation has shown about its hidden parts: parts that were opened, and numbers
/// that were proved to lie in a range.
#[derive(Default, Serialize)]
pub(super) struct OpenedParts {
    opened: Vec<OpenedPart>,
    in_range: Vec<InRange>,
}

/// An opened part: its bytes are in `text` if they are UTF-8, else in `hex`.
#[derive(Serialize)]
struct OpenedPart {
    message: &'static str,
    part: String,
    text: Option<String>,
    hex: Option<String>,
}

#[derive(Serialize)]
struct InRange {
    message: &'static str,
    part: String,
    least: u64,
    greatest: u64,
}

impl OpenedParts {
    /// Reads and checks the files. If one of them is wrong, that is a rejection.
    pub(super) fn new(
        attestation: &Attestation,
        key: &[u8; 32],
        openings: &[impl AsRef<Path>],
        ranges: &[impl AsRef<Path>],
    ) -> Result<(Self, Vec<String>), Failure> {
        let rejected = |path: &Path, error: String| Failure::Rejected(format!("{}: {error}", path.display()));
        let (mut shown, mut lines) = (Self::default(), Vec::new());
        let Ok(statement) = attestation.verify(key) else { return Ok((shown, lines)) };
        for path in openings.iter().map(AsRef::as_ref) {
            let opened = read_openings(path)?.check(statement);
            for part in opened.map_err(|error| rejected(path, error.to_string()))? {
                lines.push(text(&part));
                shown.opened.push(part.into());
            }
        }
        for path in ranges.iter().map(AsRef::as_ref) {
            let file = RangeFile::from_bytes(&read(path, RangeFile::MAX_BYTES as u64)?);
            let file = file.map_err(|error| Failure::input(format!("{}: {error}", path.display())))?;
            let Bounded { side, part, bounds } =
                file.verify(attestation, key).map_err(|error| rejected(path, error.to_string()))?;
            let (message, (least, greatest)) = (message(side), bounds.into_inner());
            lines.push(format!("in range  {message} {}: from {least} to {greatest}", part.escape_debug()));
            shown.in_range.push(InRange { message, part, least, greatest });
        }
        Ok((shown, lines))
    }
}

impl From<Disclosed> for OpenedPart {
    fn from(Disclosed { side, part, bytes, .. }: Disclosed) -> Self {
        let (text, hex) = text_or_hex(&bytes);
        Self { message: message(side), part, text, hex }
    }
}

/// Bytes as text if they are UTF-8, else as hexadecimal digits.
pub(super) fn text_or_hex(bytes: &[u8]) -> (Option<String>, Option<String>) {
    match core::str::from_utf8(bytes) {
        Ok(text) => (Some(text.into()), None),
        Err(_) => (None, Some(hex::encode(bytes))),
    }
}

/// A line about an opened part, with control characters escaped for a terminal.
fn text(Disclosed { side, part, bytes, .. }: &Disclosed) -> String {
    let content = match core::str::from_utf8(bytes) {
        Ok(text) => format!("\"{}\"", text.escape_debug()),
        Err(_) => format!("hex {}", hex::encode(bytes)),
    };
    format!("opened    {} {}: {content}", message(*side), part.escape_debug())
}
