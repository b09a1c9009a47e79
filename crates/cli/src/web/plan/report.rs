//! A plan, in words and as JSON. docs/guide/json.md describes the JSON.

use core::ops::Range;
use std::time::SystemTime;

use serde::Serialize;
use volery::PagePlan;
use volery::web::Side;
use volery::web::attestation::{AttestedPayload, Mode, Revealed, Statement};
use volery::web::disclosure::{Listed, Part, PartKind, Selection};
use volery::web::http::json::ValueType;
use volery::web::http::{Request, Response};
use volery::web::joint::Sizes;

use super::super::script::Mistake;
use super::draft::Answered;
use super::price::{self, PriceReport};
use super::server::ServerReport;
use crate::failure::Failure;
use crate::output;

/// The most parts of a message that are listed in words.
const MAX_LISTED: usize = 24;

/// A plan.
#[derive(Debug, Default, Serialize)]
pub(super) struct Report {
    /// What the server speaks; none for a saved response.
    pub(super) server: Option<ServerReport>,
    /// One for each connection, which is one for each attestation.
    pub(super) connections: Vec<ConnectionReport>,
    pub(super) mistakes: Vec<MistakeReport>,
    pub(super) notes: Vec<String>,
    /// The command that proves it, if the request was saved.
    pub(super) command: Option<String>,
}

/// Something because of which a proof would fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct MistakeReport {
    /// The part that it is about, as it is named on a command line.
    pub(super) part: Option<String>,
    pub(super) message: String,
    /// Whether it is a claim that is not true.
    pub(super) untrue: bool,
}

/// What one attestation would be.
#[derive(Debug, Serialize)]
pub(super) struct ConnectionReport {
    /// The request lines, without queries, and the statuses.
    requests: Vec<RequestReport>,
    parts: Vec<PartReport>,
    /// What the attestation would say; none if there are mistakes.
    attestation: Option<Statement>,
    costs: Vec<PriceReport>,
    #[serde(skip)]
    mistakes: Vec<MistakeReport>,
}

#[derive(Debug, Serialize)]
struct RequestReport {
    method: String,
    path: String,
    status: u16,
    /// The length of the response.
    bytes: usize,
}

/// How much of a part shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Shown {
    All,
    Some,
    Nothing,
}

/// A part of a request or response.
#[derive(Debug, Serialize)]
struct PartReport {
    /// As it is named on a command line.
    name: String,
    kind: &'static str,
    bytes: usize,
    /// How much of it the attestation would show; none if there would be no attestation.
    shown: Option<Shown>,
    /// Whether it is a credential of a saved request.
    secret: bool,
    #[serde(skip)]
    message: (bool, usize),
}

impl MistakeReport {
    /// A mistake that is about no part.
    pub(super) fn of_words(message: String) -> Self {
        Self { part: None, message, untrue: false }
    }
}

impl From<Mistake> for MistakeReport {
    fn from(Mistake { part, failure }: Mistake) -> Self {
        Self { part: part.map(|part| part.name()), message: failure.to_string(), untrue: false }
    }
}

impl Report {
    /// Adds a connection. `of` is the number of its first request, from 0, if there are several connections.
    pub(super) fn connection(&mut self, of: Option<usize>, mut connection: ConnectionReport) {
        for mut mistake in core::mem::take(&mut connection.mistakes) {
            match (of, &mut mistake.part) {
                (Some(number @ 1..), Some(part)) => *part = renumbered(part, number.saturating_add(1)),
                (Some(number), None) => {
                    mistake.message = format!("request {}: {}", number.saturating_add(1), mistake.message);
                }
                _ => {}
            }
            // What was found before anything was sent is found again in what was sent.
            let known = |known: &MistakeReport| mistake.part.is_some() && known.part == mistake.part;
            if !self.mistakes.iter().any(known) || mistake.untrue {
                self.mistakes.push(mistake);
            }
        }
        self.connections.push(connection);
    }

    /// If there are mistakes, nothing would be signed.
    pub(super) fn finish(&mut self) {
        if !self.mistakes.is_empty() {
            self.connections.iter_mut().for_each(ConnectionReport::without_attestation);
        }
    }

    /// The failure that decides the exit code: a claim that is not true, else any mistake.
    pub(super) fn failure(&self) -> Option<Failure> {
        let first = self.mistakes.iter().find(|mistake| mistake.untrue).or(self.mistakes.first())?;
        let count = output::counted(self.mistakes.len() as u64, "mistake");
        let reason = match self.mistakes.len() {
            1 => first.text(),
            _ => format!("{count}, of which one is: {}", first.text()),
        };
        Some(if first.untrue { Failure::Rejected(reason) } else { Failure::Input(reason) })
    }

    /// All of it in words.
    pub(super) fn text(&self) -> String {
        let mut text = self.server.as_ref().map(ServerReport::text).unwrap_or_default();
        for connection in &self.connections {
            text.push_str(&connection.text());
        }
        for note in &self.notes {
            text.push_str(&format!("note      {note}\n"));
        }
        for mistake in &self.mistakes {
            text.push_str(&format!("mistake   {}\n", mistake.text()));
        }
        if let Some(command) = &self.command {
            text.push_str(&format!("prove it with\n  {command}\n"));
        }
        text
    }
}

/// The name of a part on a command line, whose connection has the name without a number.
fn renumbered(part: &str, number: usize) -> String {
    match part.split_once('.') {
        Some((message, rest)) => format!("{message}{number}.{rest}"),
        None => part.to_owned(),
    }
}

impl MistakeReport {
    fn text(&self) -> String {
        match &self.part {
            Some(part) => format!("{}: {}", part.escape_debug(), self.message),
            None => self.message.clone(),
        }
    }
}

impl ConnectionReport {
    /// Looks at what a connection brought. `secrets` are names of the request's fields.
    pub(super) fn new(
        answered: &Answered,
        selection: &Selection,
        sizes: Sizes,
        secrets: &[String],
    ) -> Result<Self, Failure> {
        let Answered { draft, wire, .. } = answered;
        let listed = draft.parts().unwrap_or_default();
        let mut mistakes = answered.mistakes(selection, &listed);
        let hide = draft.select(selection).ok().filter(|_| mistakes.is_empty());
        let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let attestation = hide.as_ref().map(|hide| draft.expected(hide, time)).transpose();
        let attestation = attestation.map_err(Failure::input)?;
        let price = |cost| price::of(&PagePlan { sizes, draft: cost, wire: *wire });
        // If too much is hidden to be proved, `mistakes` says so.
        let cost = hide.as_ref().map(|hide| draft.cost(hide)).transpose().map_err(Failure::input)?;
        let (costs, too_large) = cost.map(price).transpose()?.unwrap_or_default();
        if let (Mode::TwoParty, Some(reason)) = (draft.mode, too_large) {
            mistakes.push(MistakeReport::of_words(reason));
        }
        let parts = listed.iter().map(|listed| PartReport::new(listed, attestation.as_ref(), secrets));
        let parts = parts.collect();
        Ok(Self { requests: requests(answered), parts, attestation, costs, mistakes })
    }

    /// Looks whether contracts can be told what the attestation would say.
    pub(super) fn for_contracts(mut self) -> Self {
        let checked = self.attestation.as_ref().map(Statement::check_for_contracts);
        if let Some(Err(error)) = checked {
            self.mistakes.push(MistakeReport::of_words(error.to_string()));
        }
        self
    }

    /// Takes out what would be signed, because it would not.
    fn without_attestation(&mut self) {
        self.attestation = None;
        self.costs.clear();
        self.parts.iter_mut().for_each(|part| part.shown = None);
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for RequestReport { method, path, status, bytes } in &self.requests {
            let bytes = output::bytes(*bytes as u64);
            text.push_str(&format!("request   {method} {}: status {status}, {bytes}\n", path.escape_debug()));
        }
        for message in self.parts.chunk_by(|a, b| a.message == b.message) {
            for part in message.iter().take(MAX_LISTED) {
                text.push_str(&part.text());
            }
            if let Some(more) = message.len().checked_sub(MAX_LISTED).filter(|more| *more > 0) {
                text.push_str(&format!("part      ... and {more} more of this message\n"));
            }
        }
        if let Some(attestation) = &self.attestation {
            text.push_str(&format!("\nThe attestation would say:\n{attestation}\n"));
        }
        for cost in &self.costs {
            text.push_str(&format!("cost      {}\n", cost.text()));
        }
        text
    }
}

/// What was asked and answered.
fn requests(answered: &Answered) -> Vec<RequestReport> {
    let [client, server] = &answered.draft.payload;
    let (mut all, mut asked, mut told) = (Vec::new(), 0, 0);
    while let Ok(request) = Request::parse(client, asked) {
        let bytes = |range: Range<usize>| String::from_utf8_lossy(client.get(range).unwrap_or_default());
        let (method, path) = (bytes(request.method.clone()), bytes(request.path(client)));
        let Ok(response) = Response::parse(server, told, method == "HEAD", true) else { break };
        all.push(RequestReport {
            method: method.into_owned(),
            path: path.into_owned(),
            status: response.status,
            bytes: response.range.len(),
        });
        (asked, told) = (request.range.end, response.range.end);
        if asked >= client.len() {
            break;
        }
    }
    all
}

impl PartReport {
    fn new(listed: &Listed, attestation: Option<&Statement>, secrets: &[String]) -> Self {
        let Listed { part, kind, ranges } = listed;
        let kind = match kind {
            PartKind::Path => "path",
            PartKind::Query => "query",
            PartKind::Parameter => "parameter",
            PartKind::Header(_) => "header field",
            PartKind::Trailer => "trailer field",
            PartKind::Body { .. } => "body",
            PartKind::Json(ValueType::String) => "string",
            PartKind::Json(ValueType::Number) => "number",
            PartKind::Json(ValueType::Bool) => "boolean",
            PartKind::Json(ValueType::Null) => "null",
            PartKind::Json(ValueType::Array | ValueType::Object) => "list",
        };
        let payload = |statement| side_of(statement, part.side);
        let secret = part.side == Side::Client
            && matches!(&part.part, Part::Header(name) if secrets.iter().any(|secret| secret.eq_ignore_ascii_case(name)));
        Self {
            name: part.name(),
            kind,
            bytes: listed.length(),
            shown: attestation.map(payload).map(|payload| Shown::of(payload, ranges)),
            secret,
            message: (part.side == Side::Client, part.round),
        }
    }

    fn text(&self) -> String {
        let Self { name, kind, bytes, shown, secret, .. } = self;
        let shown = match shown {
            Some(Shown::All) => ", shown",
            Some(Shown::Some) => ", hidden in part",
            Some(Shown::Nothing) => ", hidden",
            None => "",
        };
        let secret = if *secret { " [hidden]" } else { "" };
        let length = output::counted(*bytes as u64, "byte");
        format!("part      {} ({kind}, {length}{shown}){secret}\n", name.escape_debug())
    }
}

fn side_of(statement: &Statement, side: Side) -> &AttestedPayload {
    match side {
        Side::Client => &statement.query,
        Side::Server => &statement.response,
    }
}

impl Shown {
    /// How much of these bytes the attestation shows.
    fn of(payload: &AttestedPayload, ranges: &[Range<usize>]) -> Self {
        let all: u64 = ranges.iter().map(|range| range.len() as u64).sum();
        let shown = |range: &Range<usize>| -> u64 {
            let (start, end) = (range.start as u64, range.end as u64);
            let revealed = payload.revealed.iter().map(Revealed::range);
            revealed.map(|shown| shown.end.min(end).saturating_sub(shown.start.max(start))).sum()
        };
        match ranges.iter().map(shown).sum::<u64>() {
            shown if shown == all => Self::All,
            0 => Self::Nothing,
            _ => Self::Some,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::single_range_in_vec_init, reason = "lists of one range are meant")]
    fn a_part_shows_as_far_as_the_attestation_shows_its_bytes() {
        let text = b"0123456789";
        let payload = AttestedPayload::revealing(text, &[0..3, 5..10]).expect("inside");
        for (ranges, shown) in [
            (&[0..3][..], Shown::All),
            (&[1..2, 6..9], Shown::All),
            (&[3..5], Shown::Nothing),
            (&[2..4], Shown::Some),
            (&[3..5, 5..6], Shown::Some),
            (&[0..10], Shown::Some),
            // There is nothing to hide.
            (&[3..3], Shown::All),
            (&[], Shown::All),
        ] {
            assert_eq!(Shown::of(&payload, ranges), shown, "{ranges:?}");
        }
    }

    #[test]
    fn an_untrue_claim_decides_the_exit_code_and_known_mistakes_are_said_once() {
        let mistake = |part: Option<&str>, untrue| MistakeReport {
            part: part.map(str::to_owned),
            message: "wrong".into(),
            untrue,
        };
        let connection = |mistakes| ConnectionReport {
            requests: Vec::new(),
            parts: Vec::new(),
            attestation: None,
            costs: Vec::new(),
            mistakes,
        };
        let mut report = Report::default();
        assert_eq!(report.failure(), None);
        report.mistakes.push(mistake(Some("request.header:A"), false));
        assert_eq!(report.failure().map(|failure| failure.code()), Some(2));
        report.connection(
            None,
            connection(vec![mistake(Some("request.header:A"), false), mistake(None, false)]),
        );
        assert_eq!(report.mistakes.len(), 2);
        report.connection(Some(1), connection(vec![mistake(None, true)]));
        assert_eq!(report.mistakes[2].message, "request 2: wrong");
        report.connection(Some(2), connection(vec![mistake(Some("response.json:a.b"), false)]));
        assert_eq!(report.mistakes[3].part.as_deref(), Some("response3.json:a.b"));
        assert_eq!(report.failure().map(|failure| failure.code()), Some(1));
    }
}
