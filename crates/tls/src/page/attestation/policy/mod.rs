//! What a reader demands of attestations, written down once, and whether some of them satisfy it.
//!
//! A policy is a JSON file. Keys that are not known are errors, so no demand is overlooked for a spelling.
//!
//! ```json
//! {
//!   "version": 1,
//!   "notaries": [{"name": "example", "keys": [{"key": "64 hex digits", "from": "2026-01-01", "until": "2027-01-01"}]}],
//!   "host": "bank.example",
//!   "path": "/accounts/*",
//!   "claims": ["response.json:balance >= 1000", "response.json:currency one of EUR|USD"]
//! }
//! ```
//!
//! | key | demand | without it |
//! |---|---|---|
//! | `version` | 1 | error |
//! | `notaries` | who may sign: names, and their keys with the dates of the statements that each may sign | error |
//! | `at_least` | how many of these notaries signed, each its own attestation | 1 |
//! | `contract_signers` | addresses; one of them has signed, too, for [contracts](super::contract) | none need have |
//! | `host`, `port` | the server | error, 443 |
//! | `method` | that of each request | `GET` |
//! | `path` | the path of each request; `*` is any text without a slash, `**` any text, of which no server makes another path (`pattern`) | error |
//! | `query` | the query of each request; `*` is any text without `&` and `;`, `**` any text | there is none |
//! | `fields` | names of further header fields that requests may have | none |
//! | `claims` | what holds of parts that are hidden or shown | none |
//! | `shows` | parts that are shown | none |
//! | `status` | that of each response | 200 |
//! | `max_age` | the most seconds since the statement | any age |
//! | `modes`, `tls` | how the connection was made; its version of TLS | `["two-party"]`, `["1.2", "1.3"]` |
//! | `max_rounds`, `allow_pipelined` | the most requests; whether they may be sent at once | 1, false |
//! | `allow_hidden_words` | whether queries and bodies of requests may say anything, also hidden | false |
//! | `allow_no_alpn` | whether with two parties the server may have named no protocol (ALPN): then another service of the host may have answered | false |
//! | `context` | the context, as text or `hex:DIGITS`; of a presentation its own | any; of a presentation none |
//!
//! `demand` says when an attested claim implies a demanded one.
//!
//! **Presentations.** A policy takes a [presentation](crate::presentation) wherever it takes an attestation.
//! The rules are about its attestation, but for `claims` and `shows`, to which it adds, and `context`: the
//! context of an attestation was chosen when the page was fetched, that of a presentation for its reader.
//!
//! **Words of P's.** P writes the request, and nobody reads it if a policy decides. A query or a body can
//! make a page repeat what it says (a GraphQL alias, a JSON callback, a choice of columns with their names),
//! whether it shows or not. Some servers take the path from a header field (`X-Original-URL`), and which ones
//! do so with which fields is not known. So all that P may add to method and path is what the policy says:
//! a query of the form of `query`; a body if a claim is about all of it (`request.body`); the fields that may
//! also be [hidden](crate::disclosure::visibility), those that say how a message is to be read, and `fields`.
//!
//! **Several attestations.** Two notaries see two connections, with other times and perhaps other values. So
//! each attestation has to satisfy the policy by itself, and all have to be about the same requests: the same
//! methods and targets as far as they are shown, the same context, and the same bytes of each part of
//! `shows`. A notary counts once, with whatever keys.

mod demand;
mod file;
mod pattern;
#[cfg(test)]
mod tests;

pub use demand::Demand;
pub use file::{Key, Notary, Policy, PolicyError};

use super::{Attestation, Context, Mode, Statement, show};
use crate::page::claim::Instant;
use crate::page::disclosure::{Found, MessagePart, Part, Reading};
use crate::page::presentation::Presentation;
use crate::wire::prf::Side;
use demand::Seen;
use pattern::{matches_path, matches_query};

/// Seconds by which the clock of a notary may be ahead of the reader's.
const CLOCKS: u64 = 300;

/// The rules of a policy, in the order in which they are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Rule {
    /// A notary of the policy signed, with a key that it had then.
    Notaries,
    /// Whoever signed for contracts.
    ContractSigners,
    /// The mode.
    Mode,
    /// The version of TLS.
    Tls,
    /// The host.
    Host,
    /// The port.
    Port,
    /// That the server named its protocol, where the prover chose the port.
    Protocol,
    /// The time.
    Age,
    /// What a presentation says besides its attestation: its proofs, openings and signature.
    Presentation,
    /// The context.
    Context,
    /// The number of requests, and that they were not sent at once.
    Rounds,
    /// That the messages can be read again.
    Messages,
    /// The methods.
    Method,
    /// The paths.
    Path,
    /// The statuses.
    Status,
    /// That queries and bodies of requests are not hidden.
    HiddenWords,
    /// The queries.
    Query,
    /// That there are no bodies of requests that no claim is about.
    Body,
    /// The header fields of requests.
    Fields,
    /// The claims.
    Claims,
    /// The shown parts.
    Shows,
    /// That all attestations are about the same requests.
    Same,
    /// The number of notaries.
    AtLeast,
}

/// The rule's name in JSON: `hidden-words`.
impl core::fmt::Display for Rule {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        use serde::Serialize as _;
        self.serialize(f)
    }
}

/// Why attestations do not satisfy a policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Failure {
    /// The rule that failed.
    pub rule: Rule,
    /// Which of the attestations, from 0; none for a rule about all of them.
    pub attestation: Option<usize>,
    /// The reason.
    pub reason: String,
}

/// What a policy judges.
#[derive(Clone, Copy, Debug)]
pub enum Evidence<'a> {
    /// An attestation.
    Attestation(&'a Attestation),
    /// An attestation, and what its holder shows of it.
    Presentation(&'a Presentation),
}

impl<'a> Evidence<'a> {
    /// The attestation. Nothing of it is verified.
    #[must_use]
    pub fn attestation(self) -> &'a Attestation {
        match self {
            Self::Attestation(attestation) => attestation,
            Self::Presentation(presentation) => presentation.attestation(),
        }
    }
}

/// An attestation that satisfies a policy by itself.
struct Satisfied<'a> {
    notary: &'a str,
    /// The context of the attestation, or of its presentation.
    context: &'a Context,
    /// Methods and targets of its requests.
    requests: Vec<(String, String)>,
    /// The bytes of the parts that the policy wants shown.
    shown: Vec<Vec<u8>>,
}

impl Policy {
    /// Checks signatures and all rules. `now` is in seconds since 1970. Returns the names of the notaries.
    ///
    /// # Errors
    /// [`Failure`] with the first rule that fails.
    pub fn check(&self, attestations: &[Attestation], now: u64) -> Result<Vec<String>, Failure> {
        let all: Vec<_> = attestations.iter().map(Evidence::Attestation).collect();
        self.check_evidence(&all, now)
    }

    /// As [`Policy::check`], for presentations, too.
    ///
    /// # Errors
    /// As there.
    pub fn check_evidence(&self, evidence: &[Evidence<'_>], now: u64) -> Result<Vec<String>, Failure> {
        let mut all: Vec<Satisfied<'_>> = Vec::new();
        for (number, evidence) in evidence.iter().enumerate() {
            let failed = |(rule, reason)| Failure { rule, attestation: Some(number), reason };
            let satisfied = self.check_one(*evidence, now).map_err(failed)?;
            if let Some(first) = all.first() {
                same(first, &satisfied).map_err(|reason| failed((Rule::Same, reason)))?;
            }
            all.push(satisfied);
        }
        let mut names: Vec<String> = Vec::new();
        for Satisfied { notary, .. } in all {
            if !names.iter().any(|name| name == notary) {
                names.push(notary.into());
            }
        }
        if names.len() >= self.at_least {
            return Ok(names);
        }
        let reason =
            format!("{} of the policy's notaries signed, and it demands {}", names.len(), self.at_least);
        Err(Failure { rule: Rule::AtLeast, attestation: None, reason })
    }

    fn check_one<'a>(&'a self, evidence: Evidence<'a>, now: u64) -> Result<Satisfied<'a>, (Rule, String)> {
        let attestation = evidence.attestation();
        let (notary, statement) = self.signer(attestation).map_err(|reason| (Rule::Notaries, reason))?;
        if !self.contract_signers.is_empty() {
            let checked = attestation.check_contract_signer(&self.contract_signers);
            checked.map_err(|error| (Rule::ContractSigners, error.to_string()))?;
        }
        self.check_connection(statement, now)?;
        let (presented, context) = match evidence {
            Evidence::Attestation(_) => (None, &statement.context),
            Evidence::Presentation(presentation) => {
                let wanted = presentation.check_context(self.context.as_ref());
                wanted.map_err(|error| (Rule::Context, error.to_string()))?;
                let presented = presentation.verify(attestation.claimed_signer());
                let presented = presented.map_err(|error| (Rule::Presentation, error.to_string()))?;
                (Some(presented), presentation.context())
            }
        };
        if let (None, Some(wanted)) = (&presented, self.context.as_ref().filter(|wanted| *wanted != context))
        {
            let found = if context.is_empty() { "none".into() } else { format!("`{}`", context.words()) };
            let reason = format!("it was made for {found}, not for the context `{}`", wanted.words());
            return Err((Rule::Context, reason));
        }
        let reading = statement.reading().ok_or_else(|| {
            (Rule::Messages, "the messages are too long, or are not what a notary accepts".to_owned())
        })?;
        let requests = self.check_requests(statement, &reading)?;
        let seen = Seen { reading: &reading, presented: presented.as_ref() };
        for demand in &self.claims {
            demand.check(seen).map_err(|reason| (Rule::Claims, reason))?;
        }
        let shown = |part: &MessagePart| match seen.find(part) {
            Ok(Found::Shown { text, .. }) => Ok(text),
            Ok(Found::Hidden(_)) => Err((Rule::Shows, format!("{} is hidden", demand::name(part)))),
            Err(reason) => Err((Rule::Shows, reason)),
        };
        let shown = self.shows.iter().map(shown).collect::<Result<_, _>>()?;
        Ok(Satisfied { notary, context, requests, shown })
    }

    /// The notary that signed, if its key was good at the time.
    fn signer<'a>(&self, attestation: &'a Attestation) -> Result<(&str, &'a Statement), String> {
        let signer = attestation.claimed_signer();
        let keys = |notary: &Notary| notary.keys.iter().any(|key| key.key == *signer);
        let Some(notary) = self.notaries.iter().find(|notary| keys(notary)) else {
            return Err(format!("the key {} is of no notary of the policy", super::key_id(signer)));
        };
        let statement = attestation.verify(signer).map_err(|error| error.to_string())?;
        let time = show::utc(statement.time).parse::<Instant>().map_err(|error| error.to_string())?;
        let mut keys = notary.keys.iter().filter(|key| key.key == *signer);
        if keys
            .any(|key| key.from.is_none_or(|from| from <= time) && key.until.is_none_or(|until| time < until))
        {
            return Ok((&notary.name, statement));
        }
        Err(format!("the key {} of {} was not its key at {time}", super::key_id(signer), notary.name))
    }

    /// The rules about the connection.
    fn check_connection(&self, statement: &Statement, now: u64) -> Result<(), (Rule, String)> {
        let Statement { mode, tls, server_name, port, alpn, time, rounds, pipelined, .. } = statement;
        let fail = |rule, reason: String| Err((rule, reason));
        if !self.modes.contains(mode) {
            return fail(Rule::Mode, format!("the mode is {}", mode_name(*mode)));
        }
        if !self.tls.contains(tls) {
            return fail(Rule::Tls, format!("the version of TLS is {tls}"));
        }
        if *server_name != self.host {
            return fail(Rule::Host, format!("the host is {server_name}, not {}", self.host));
        }
        if *port != self.port {
            return fail(Rule::Port, format!("the port is {port}, not {}", self.port));
        }
        if !alpn && *mode == Mode::TwoParty && !self.allow_no_alpn {
            return fail(
                Rule::Protocol,
                "the server named no protocol (ALPN), so another service of this host may have answered"
                    .into(),
            );
        }
        if *time > now.saturating_add(CLOCKS) {
            return fail(Rule::Age, format!("it is from {}, which has not come", show::utc(*time)));
        }
        if let Some(most) = self.max_age.filter(|most| now.saturating_sub(*time) > *most) {
            let age = now.saturating_sub(*time);
            return fail(Rule::Age, format!("it is {age} seconds old, and at most {most} are allowed"));
        }
        if *rounds > self.max_rounds {
            return fail(
                Rule::Rounds,
                format!("it has {rounds} requests, at most {} are allowed", self.max_rounds),
            );
        }
        if *pipelined && !self.allow_pipelined {
            return fail(Rule::Rounds, "its requests were sent at once".into());
        }
        Ok(())
    }

    /// The rules about each request and response. Returns methods and targets.
    fn check_requests(
        &self,
        statement: &Statement,
        reading: &Reading,
    ) -> Result<Vec<(String, String)>, (Rule, String)> {
        let mut requests = Vec::new();
        for round in 0..reading.rounds() {
            let number = round.saturating_add(1);
            let Some((method, target, status)) = reading.outline(round) else { continue };
            if method != self.method {
                return Err((
                    Rule::Method,
                    format!("the method of request {number} is {method}, not {}", self.method),
                ));
            }
            let Some(path) = reading.path(round) else {
                return Err((Rule::Path, format!("the path of request {number} is hidden")));
            };
            if !matches_path(&self.path, &path) {
                return Err((
                    Rule::Path,
                    format!("the path of request {number} is {path}, not {}", self.path),
                ));
            }
            if status != self.status {
                return Err((
                    Rule::Status,
                    format!("the status of response {number} is {status}, not {}", self.status),
                ));
            }
            requests.push((method, target));
        }
        if let Some(round) = statement.hidden_words().first().filter(|_| !self.allow_hidden_words) {
            return Err((
                Rule::HiddenWords,
                format!("request {} hides its query or body, at least in part", round.saturating_add(1)),
            ));
        }
        (0..reading.rounds()).try_for_each(|round| self.check_words(reading, round))?;
        Ok(requests)
    }

    /// The rules about what the prover has added to a request.
    fn check_words(&self, reading: &Reading, round: usize) -> Result<(), (Rule, String)> {
        let number = round.saturating_add(1);
        let query = reading.query(round);
        let fits = match &self.query {
            Some(pattern) => query.is_some_and(|query| matches_query(pattern, &query)),
            None => self.allow_hidden_words || query.is_some_and(|query| query.is_empty()),
        };
        if !fits {
            let demanded = self.query.as_deref().unwrap_or_default();
            let reason = format!("the query of request {number} does not have the form `{demanded}`");
            return Err((Rule::Query, reason));
        }
        let body = MessagePart { side: Side::Client, round, part: Part::Body };
        let known = self.allow_hidden_words || self.claims.iter().any(|claim| claim.part == body);
        if !known && reading.has_body(round) {
            let reason = format!("request {number} has a body, and no claim is about {}", body.name());
            return Err((Rule::Body, reason));
        }
        let allowed = |name: &String| self.fields.iter().any(|field| field.eq_ignore_ascii_case(name));
        match reading.unknown_fields(round).iter().find(|name| !allowed(name)) {
            None => Ok(()),
            Some(name) => Err((
                Rule::Fields,
                format!("request {number} has the field {name}, and what servers do with it is not known"),
            )),
        }
    }
}

/// Whether two attestations are about the same requests.
fn same(a: &Satisfied<'_>, b: &Satisfied<'_>) -> Result<(), String> {
    let what = if a.requests != b.requests {
        "other requests"
    } else if a.context != b.context {
        "another context"
    } else if a.shown != b.shown {
        "other values of the parts that must show"
    } else {
        return Ok(());
    };
    Err(format!("it has {what} than the first attestation"))
}

fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Proxy => "proxy",
        Mode::TwoParty => "two-party",
    }
}
