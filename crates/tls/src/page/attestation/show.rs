//! A statement for people, as text that is safe on a terminal, and for programs, as JSON.

use core::fmt::{self, Write as _};
use core::ops::Range;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use volery_channel::hex;

use super::{AttestedPayload, Committed, Mode, Revealed, Statement};
use crate::page::commitment::Form;
use crate::page::disclosure::{Hidden, message_name};
use crate::wire::prf::Side;

/// Seconds since 1970 in the form of RFC 3339: `2026-01-31T23:59:59Z`.
///
/// Days are counted from 1 March of the year 0, so that a leap day is the last day of its year. There are
/// 719,468 days from then to 1970, and 146,097 in 400 years.
pub(super) fn utc(time: u64) -> String {
    let (days, second) = (time / 86_400 + 719_468, time % 86_400);
    let (era, day) = (days / 146_097, days % 146_097);
    // Removes leap days: one every 4 years, except for every hundredth year, and the last of 400 years.
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // Months from March on have 31, 30, 31, 30, 31 days, repeated: 153 days in five of them.
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let (month, late) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = 400 * era + year + late;
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{second:02}Z")
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Proxy => "proxy: the verifier relayed the connection",
            Self::TwoParty => "two-party: prover and verifier ran the client together",
        })
    }
}

/// With the place of each part.
impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        head(f, self)?;
        for (side, AttestedPayload { hidden, .. }) in
            [(Side::Client, &self.query), (Side::Server, &self.response)]
        {
            hidden.iter().try_for_each(|hidden| proved(f, side, hidden, true))?;
        }
        part(f, "query", &self.query)?;
        part(f, "response", &self.response)
    }
}

/// A statement without the places of its parts: in the text `<hidden>` is for each hidden string. A `<`
/// before `hidden` that was sent is written `\x3c`.
#[derive(Clone, Copy, Debug)]
pub struct Brief<'a>(pub &'a Statement);

impl fmt::Display for Brief<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(statement) = self;
        head(f, statement)?;
        for (side, payload) in [(Side::Client, &statement.query), (Side::Server, &statement.response)] {
            payload.hidden.iter().try_for_each(|hidden| proved(f, side, hidden, false))?;
        }
        brief_part(f, "query", &statement.query)?;
        brief_part(f, "response", &statement.response)
    }
}

/// A direction's text, with a mark for each hidden range.
fn brief_part(f: &mut fmt::Formatter<'_>, name: &str, part: &AttestedPayload) -> fmt::Result {
    writeln!(f, "{name}, {} bytes", part.length)?;
    let (mut text, mut at) = (String::new(), 0);
    for revealed in &part.revealed {
        let range = revealed.range();
        if at < range.start {
            text.push_str("<hidden>");
        }
        text.push_str(&lines(&revealed.bytes).join("\n").replace("<hidden", "\\x3chidden"));
        at = range.end;
    }
    if at < part.length {
        text.push_str("<hidden>");
    }
    text.lines().try_for_each(|line| writeln!(f, "    | {line}"))?;
    part.commitments
        .iter()
        .try_for_each(|entry| writeln!(f, "  {}: {}", visible(&entry.part), committed_to(entry.form)))
}

/// What a statement says of the connection.
fn head(f: &mut fmt::Formatter<'_>, statement: &Statement) -> fmt::Result {
    writeln!(f, "server    {}", statement.server_name)?;
    writeln!(f, "port      {}", statement.port)?;
    if statement.mode == Mode::TwoParty && !statement.alpn {
        writeln!(
            f,
            "protocol  not named by the server (ALPN): another service of this host may have answered"
        )?;
    }
    writeln!(f, "its cert  sha256:{}", hex::encode(&statement.certificate))?;
    writeln!(f, "time      {}", utc(statement.time))?;
    writeln!(f, "mode      {}", statement.mode)?;
    writeln!(f, "tls       {}, {}", statement.tls, statement.suite)?;
    if statement.rounds > 1 {
        let order =
            if statement.pipelined { "sent at once" } else { "each after the response to the one before" };
        writeln!(f, "rounds    {} requests, {order}", statement.rounds)?;
    }
    if !statement.context.is_empty() {
        writeln!(f, "context   {}", statement.context.words())?;
    }
    if let Some(holder) = &statement.holder {
        let hidden = statement.query.hidden.iter().chain(&statement.response.hidden);
        let leaves: usize = hidden.map(|hidden| hidden.leaves.len()).sum();
        writeln!(f, "committed to {leaves} hidden parts and values, whose holder can present them")?;
        writeln!(f, "holder    {}", hex::encode(holder))?;
    }
    Ok(())
}

/// What is proved about a hidden string: its class, then the claims; perhaps with its place.
fn proved(f: &mut fmt::Formatter<'_>, side: Side, hidden: &Hidden, place: bool) -> fmt::Result {
    let (whose, part) = (message_name(side, hidden.round), visible(&hidden.part.to_string()));
    let ranges = hidden.ranges.iter().map(|Range { start, end }| format!(" {start}..{end}"));
    let place = if place { format!(", bytes{}", ranges.collect::<String>()) } else { String::new() };
    writeln!(f, "proved    {whose} {part}{place}: {}", hidden.class)?;
    hidden
        .claims
        .iter()
        // Their words are visible ASCII characters.
        .try_for_each(|claim| writeln!(f, "proved    {whose} {part}: {claim}"))
}

fn part(f: &mut fmt::Formatter<'_>, name: &str, part: &AttestedPayload) -> fmt::Result {
    writeln!(f, "{name}, {} bytes", part.length)?;
    let mut at = 0;
    for revealed in &part.revealed {
        let range = revealed.range();
        hidden(f, at..range.start)?;
        writeln!(f, "  bytes {range:?}")?;
        for line in lines(&revealed.bytes) {
            writeln!(f, "    | {line}")?;
        }
        at = range.end;
    }
    hidden(f, at..part.length)?;
    part.commitments.iter().try_for_each(|entry| committed(f, entry))
}

fn committed_to(form: Form) -> &'static str {
    match form {
        Form::Bytes => "committed to",
        Form::Number => "committed to as a number",
    }
}

fn committed(f: &mut fmt::Formatter<'_>, entry: &Committed) -> fmt::Result {
    let Committed { part, form, ranges, points } = entry;
    let ranges: Vec<_> = ranges.iter().map(|range| format!("{range:?}")).collect();
    let form = committed_to(*form);
    writeln!(f, "  {}, bytes {}: {form}", visible(part), ranges.join(" "))?;
    points.iter().try_for_each(|point| writeln!(f, "    by {}", hex::encode(point)))
}

fn hidden(f: &mut fmt::Formatter<'_>, range: Range<u64>) -> fmt::Result {
    if range.is_empty() { Ok(()) } else { writeln!(f, "  bytes {range:?} hidden") }
}

/// Lines of text. A byte that is not UTF-8 is written as `\xe9`. This is unambiguous, because a backslash in
/// the text is written twice.
fn lines(bytes: &[u8]) -> Vec<String> {
    let line = |line: &[u8]| {
        let chunks = line.strip_suffix(b"\r").unwrap_or(line).utf8_chunks();
        chunks.fold(String::new(), |mut text, chunk| {
            text.push_str(&safe(chunk.valid()));
            for byte in chunk.invalid() {
                // Writing to a string does not fail.
                let _ = write!(text, "\\x{byte:02x}");
            }
            text
        })
    };
    bytes.split(|byte| *byte == b'\n').map(line).collect()
}

/// Text that a terminal can only take as text: unprintable characters are escaped, and so are backslashes.
fn safe(text: &str) -> String {
    visible(&text.replace('\\', "\\\\"))
}

/// The same of text that has JSON's strings in it, whose backslashes stay as they are: `"a\""` with two of
/// them would be a string that ends within. What is escaped here, as `\u{202e}`, is no escape of JSON's.
pub(super) fn visible(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\'' | '\\' => visible.push(c),
            c => visible.extend(c.escape_debug()),
        }
    }
    visible
}

impl Serialize for Statement {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Statement", 13)?;
        object.serialize_field("server_name", &self.server_name)?;
        object.serialize_field("port", &self.port)?;
        object.serialize_field("alpn", &self.alpn)?;
        object.serialize_field("certificate", &hex::encode(&self.certificate))?;
        object.serialize_field("time", &utc(self.time))?;
        object.serialize_field("mode", &self.mode)?;
        object.serialize_field("tls", &self.tls)?;
        object.serialize_field("suite", &self.suite)?;
        object.serialize_field("rounds", &self.rounds)?;
        object.serialize_field("pipelined", &self.pipelined)?;
        object.serialize_field("context", &self.context)?;
        object.serialize_field("holder", &self.holder.as_ref().map(|key| hex::encode(key)))?;
        object.serialize_field("query", &self.query)?;
        object.serialize_field("response", &self.response)?;
        object.end()
    }
}

impl Serialize for AttestedPayload {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("AttestedPayload", 4)?;
        object.serialize_field("length", &self.length)?;
        object.serialize_field("revealed", &self.revealed)?;
        object.serialize_field("hidden", &self.hidden)?;
        object.serialize_field("commitments", &self.commitments)?;
        object.end()
    }
}

/// Bytes are `text` if they are UTF-8, else `hex`.
impl Serialize for Revealed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Revealed", 3)?;
        let Range { start, end } = self.range();
        object.serialize_field("start", &start)?;
        object.serialize_field("end", &end)?;
        match core::str::from_utf8(&self.bytes) {
            Ok(text) => object.serialize_field("text", text)?,
            Err(_) => object.serialize_field("hex", &hex::encode(&self.bytes))?,
        }
        object.end()
    }
}

/// The place of bytes.
#[derive(Serialize)]
struct RangeEntry {
    start: u64,
    end: u64,
}

impl Serialize for Committed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { part, form, ranges, points } = self;
        let mut object = serializer.serialize_struct("Committed", 4)?;
        object.serialize_field("part", part)?;
        object.serialize_field("form", form)?;
        let ranges = ranges.iter().map(|range| RangeEntry { start: range.start, end: range.end });
        object.serialize_field("ranges", &ranges.collect::<Vec<_>>())?;
        object
            .serialize_field("points", &points.iter().map(|point| hex::encode(point)).collect::<Vec<_>>())?;
        object.end()
    }
}
