//! `volery attestation verify` and `show`: check and print an attestation.

use std::path::Path;

use serde::Serialize;
use volery::web::attestation::policy::{self, Policy, Rule};
use volery::web::attestation::{Attestation, Brief, Context, Error, MAX_BYTES, Statement, Warning};
use volery::web::presentation::{Presentation, PresentationError};
use volery_channel::hex;

use super::notary::now;
use super::opening::OpenedParts;
use super::presentation::{self, Document, PresentationReport};
use super::read;
use crate::args::{AttestationShowArgs, AttestationTypedDataArgs, AttestationVerifyArgs};
use crate::failure::Failure;
use crate::outcome::{self, Good};
use crate::{output, terminal};

/// The longest file of a policy.
const MAX_POLICY: u64 = 1 << 20;

/// What `--json` prints about attestations: `docs/attestation.schema.json`.
#[derive(Serialize)]
struct AttestationReport<'a> {
    #[serde(flatten)]
    first: OneReport<'a>,
    /// Further attestations of the same, which only a policy takes.
    others: Vec<OneReport<'a>>,
    /// What came of the policy, if there was one.
    policy: Option<PolicyReport>,
    /// What openings and range proofs show of its hidden parts.
    #[serde(flatten)]
    shown: OpenedParts,
}

/// One attestation.
#[derive(Serialize)]
struct OneReport<'a> {
    /// The key that signed it, according to the attestation itself, in hex.
    signer: String,
    /// The address that signed it for contracts, too; none if nobody did.
    contract_signer: Option<String>,
    /// A sentence for each request; none if it is rejected.
    summary: Vec<String>,
    /// What a reader has to decide about it; none if it is rejected.
    warnings: Vec<String>,
    /// What it says; none if it is rejected.
    attestation: Option<&'a Statement>,
    /// What a presentation shows besides; none if it is an attestation, or rejected.
    presentation: Option<PresentationReport>,
}

/// Whether attestations satisfy a policy.
#[derive(Serialize)]
struct PolicyReport {
    satisfied: bool,
    /// The notaries of the policy that signed.
    notaries: Vec<String>,
    /// The rule that failed.
    rule: Option<Rule>,
    /// The number of the attestation that fails it, from 1; none if it is about all of them.
    attestation: Option<usize>,
    reason: Option<String>,
}

pub(super) fn open(path: &Path) -> Result<Attestation, Failure> {
    let bytes = read(path, MAX_BYTES as u64)?;
    if Presentation::is_one(&bytes) {
        let reason = "this is a presentation of an attestation; `volery attestation verify` takes it";
        return Err(Failure::input(format!("{}: {reason}", path.display())));
    }
    Attestation::from_bytes(&bytes).map_err(|error| Failure::input(format!("{}: {error}", path.display())))
}

/// What a presentation shows, if it is one.
///
/// # Errors
/// A rejection if it is wrong. If only the notary's signature is, none: the caller reports that.
fn presented(document: &Document, key: &[u8; 32]) -> Result<Option<PresentationReport>, Failure> {
    let Some(presentation) = document.presentation() else { return Ok(None) };
    match presentation.verify(key) {
        Ok(shown) => Ok(Some(PresentationReport::new(&shown))),
        Err(PresentationError::Attestation(_)) => Ok(None),
        Err(error) => Err(presentation::failed(&error)),
    }
}

impl<'a> OneReport<'a> {
    fn of(attestation: &Attestation, statement: Option<&'a Statement>) -> Self {
        let summary = statement.map(Statement::summary).unwrap_or_default();
        let warnings = statement.map(Statement::warnings).unwrap_or_default();
        let warnings = warnings.iter().map(ToString::to_string).collect();
        let signer = hex::encode(attestation.claimed_signer());
        let contract_signer = attestation.contract_signer().map(|address| address.to_string());
        Self { signer, contract_signer, summary, warnings, attestation: statement, presentation: None }
    }

    /// One that a policy has verified with the key that it names, and whether it is satisfied.
    fn judged(document: &'a Document, satisfied: bool) -> Self {
        let attestation = document.attestation();
        if !satisfied {
            return Self::of(attestation, None);
        }
        let key = attestation.claimed_signer();
        Self::of(attestation, statement(attestation)).showing(presented(document, key).ok().flatten())
    }

    /// With what a presentation shows.
    fn showing(self, presentation: Option<PresentationReport>) -> Self {
        let presentation = presentation.filter(|_| self.attestation.is_some());
        let summary = presentation.as_ref().map_or(self.summary, |shown| shown.summary.clone());
        Self { presentation, summary, ..self }
    }

    /// As text: a sentence for each request, then the details.
    fn text(&self, word: &str, verbose: bool) -> String {
        let Self { signer, contract_signer, summary, attestation, presentation, .. } = self;
        let sentences = summary.join("\n          ");
        let lines = presentation.iter().flat_map(PresentationReport::lines);
        let shown: String = lines.map(|line| line + "\n").collect();
        let details = match attestation {
            Some(statement) if verbose => statement.to_string(),
            Some(statement) => Brief(statement).to_string(),
            None => String::new(),
        };
        let contracts = contract_signer.iter().map(|address| format!("contracts signed for, by {address}\n"));
        let contracts: String = contracts.collect();
        format!("{word:<9} {sentences}\n{shown}signer    {signer}\n{contracts}{details}")
    }
}

/// How to print.
#[derive(Clone, Copy)]
struct Print {
    json: bool,
    verbose: bool,
}

/// Prints an attestation, checked against the key that it names itself.
pub(super) fn tell(word: &str, attestation: &Attestation, json: bool, verbose: bool) -> Result<(), Failure> {
    let key = attestation.claimed_signer();
    conclude(word, attestation, key, Ok(Default::default()), Print { json, verbose })
}

/// What was shown of an attestation besides it: by openings and range proofs, with a line for each, and by a
/// presentation.
#[derive(Default)]
struct Shown {
    parts: OpenedParts,
    lines: Vec<String>,
    presentation: Option<PresentationReport>,
}

/// Prints an attestation and what its holder has opened, or why one of them is rejected.
fn conclude(
    word: &str,
    attestation: &Attestation,
    key: &[u8; 32],
    shown: Result<Shown, Failure>,
    print: Print,
) -> Result<(), Failure> {
    let report = |statement, shown, presentation| AttestationReport {
        first: OneReport::of(attestation, statement).showing(presentation),
        others: Vec::new(),
        policy: None,
        shown,
    };
    let failure = match (attestation.verify(key), shown) {
        (Ok(statement), Ok(Shown { parts, presentation, .. })) if print.json => {
            let good = if word == "valid" { Good::Accepted } else { Good::Done };
            return outcome::json(good, &report(Some(statement), parts, presentation));
        }
        (Ok(statement), Ok(Shown { lines, presentation, .. })) => {
            let one = OneReport::of(attestation, Some(statement)).showing(presentation);
            return output::result((one.text(word, print.verbose) + &lines.join("\n")).trim_end());
        }
        (Err(Error::Key), _) => Failure::input(Error::Key),
        (Err(error), _) => Failure::Rejected(error.to_string()),
        (Ok(_), Err(failure)) => failure,
    };
    rejected(failure, print.json, &report(None, OpenedParts::default(), None))
}

/// Ends with a failure. Only a rejection is a verdict; after any other a file could not be read.
fn rejected(failure: Failure, json: bool, report: &AttestationReport<'_>) -> Result<(), Failure> {
    if failure.is_rejection() && !json {
        output::result("rejected")?;
    }
    Err(failure.with(report))
}

/// Runs `volery attestation verify`.
pub(crate) fn verify(args: &AttestationVerifyArgs) -> Result<(), Failure> {
    let print = Print { json: args.json, verbose: args.verbose };
    let all = args.file.iter().map(|path| Document::open(path)).collect::<Result<Vec<_>, _>>()?;
    if let Some(path) = &args.policy {
        return by_policy(args, path, &all, print);
    }
    let (Some(key), [document]) = (&args.key, &*all) else {
        return Err(Failure::input("only a policy (--policy) compares several attestations"));
    };
    let shown = demand(args, key, document).and_then(|()| {
        let presentation = presented(document, key)?;
        let (parts, lines) = OpenedParts::new(document.attestation(), key, &args.opening, &args.range)?;
        Ok(Shown { parts, lines, presentation })
    });
    conclude("valid", document.attestation(), key, shown, print)
}

/// Checks attestations against a policy and prints them.
fn by_policy(
    args: &AttestationVerifyArgs,
    path: &Path,
    all: &[Document],
    print: Print,
) -> Result<(), Failure> {
    let wrong = |reason: String| Failure::input(format!("{}: {reason}", path.display()));
    let mut policy = Policy::from_json(&read(path, MAX_POLICY)?).map_err(|error| wrong(error.to_string()))?;
    demand_context(&mut policy, args.context.as_ref()).map_err(wrong)?;
    let Some((first, others)) = all.split_first() else { return Err(wrong("no attestation".into())) };
    if !others.is_empty() && args.opening.len() + args.range.len() > 0 {
        return Err(Failure::input("an opening or a range is of one attestation: verify that one alone"));
    }
    let report = |satisfied: bool, policy, shown| {
        let others = others.iter().map(|document| OneReport::judged(document, satisfied)).collect();
        AttestationReport { first: OneReport::judged(first, satisfied), others, policy: Some(policy), shown }
    };
    let evidence: Vec<_> = all.iter().map(Document::evidence).collect();
    let notaries = match policy.check_evidence(&evidence, now()?.as_secs()) {
        Ok(notaries) => notaries,
        Err(failure) => {
            let (failed, text) = PolicyReport::failed(failure, all.len());
            return rejected(
                Failure::Rejected(text),
                print.json,
                &report(false, failed, OpenedParts::default()),
            );
        }
    };
    let (names, satisfied) = (notaries.join(", "), PolicyReport::satisfied(notaries));
    // The policy has found this key good.
    let first_signed = first.attestation();
    let key = first_signed.claimed_signer();
    let shown = OpenedParts::new(first_signed, key, &args.opening, &args.range);
    let (shown, lines) = match shown {
        Ok(shown) => shown,
        Err(failure) => {
            return rejected(failure, print.json, &report(false, satisfied, OpenedParts::default()));
        }
    };
    if print.json {
        return outcome::json(Good::Accepted, &report(true, satisfied, shown));
    }
    let texts = all.iter().map(|document| OneReport::judged(document, true).text("valid", print.verbose));
    let text = texts.collect::<String>() + &format!("policy    satisfied, by {}\n", names.escape_debug());
    output::result((text + &lines.join("\n")).trim_end())
}

/// Has a policy demand the context of the command line, too: a reader may ask for another nonce each time.
fn demand_context(policy: &mut Policy, context: Option<&Context>) -> Result<(), String> {
    let Some(wanted) = context else { return Ok(()) };
    match &policy.context {
        Some(own) if own != wanted => Err(format!(
            "the policy demands the context {}, and --context {}: take one of them out",
            own.words(),
            wanted.words()
        )),
        _ => {
            policy.context = Some(wanted.clone());
            Ok(())
        }
    }
}

/// The statement of an attestation that its claimed signer has signed.
fn statement(attestation: &Attestation) -> Option<&Statement> {
    attestation.verify(attestation.claimed_signer()).ok()
}

impl PolicyReport {
    fn satisfied(notaries: Vec<String>) -> Self {
        Self { satisfied: true, notaries, rule: None, attestation: None, reason: None }
    }

    /// The failure of one of `count` attestations, and in words.
    fn failed(failure: policy::Failure, count: usize) -> (Self, String) {
        let policy::Failure { rule, attestation, reason } = failure;
        let number = attestation.map(|number| number.saturating_add(1));
        let which = number.filter(|_| count > 1).map(|number| format!("attestation {number}: "));
        let text = format!("the policy's rule `{rule}`: {}{reason}", which.unwrap_or_default());
        let (rule, reason) = (Some(rule), Some(reason));
        (Self { satisfied: false, notaries: Vec::new(), rule, attestation: number, reason }, text)
    }
}

/// Checks what the reader demands of an attestation besides its signature. If the signature is wrong, this
/// succeeds, and the caller reports it.
fn demand(args: &AttestationVerifyArgs, key: &[u8; 32], document: &Document) -> Result<(), Failure> {
    let Ok(statement) = document.attestation().verify(key) else { return Ok(()) };
    let warnings = statement.warnings();
    accepted(args, &warnings)?;
    if let Some(wanted) = args.contract_signer {
        let checked = document.attestation().check_contract_signer(&[wanted]);
        checked.map_err(|error| Failure::Rejected(error.to_string()))?;
    }
    if let Some(presentation) = document.presentation() {
        let checked = presentation.check_context(args.context.as_ref());
        checked.map_err(|error| presentation::failed(&error))?;
    } else if let Some(context) = args.context.as_ref().filter(|context| **context != statement.context) {
        let found = match &statement.context {
            none if none.is_empty() => "none".to_owned(),
            other => format!("`{}`", other.words()),
        };
        let context = context.words();
        return Err(Failure::Rejected(format!("it was made for {found}, not for the context `{context}`")));
    }
    warn(&warnings);
    Ok(())
}

/// Says what a reader has to decide.
fn warn(warnings: &[Warning]) {
    warnings.iter().for_each(|warning| terminal::message(&format!("warning: {warning}")));
}

/// Checks that the reader accepts what is refused unless an option says otherwise.
fn accepted(args: &AttestationVerifyArgs, warnings: &[Warning]) -> Result<(), Failure> {
    for warning in warnings {
        let option = match warning {
            Warning::SeveralRequests { requests } if *requests > args.max_rounds => {
                let (requests, most) = (output::counted((*requests).into(), "request"), args.max_rounds);
                return Err(Failure::Rejected(format!(
                    "{requests} went over the connection, and --max-rounds is {most}: SECURITY.md says what later responses rest on"
                )));
            }
            Warning::Pipelined if !args.allow_pipelined => "--allow-pipelined",
            // In proxy mode the notary chose the port, so there is no such warning.
            Warning::NoProtocol if !args.allow_no_alpn => "--allow-no-alpn",
            Warning::HiddenPath { .. } if !args.allow_hidden_path => "--allow-hidden-path",
            _ => continue,
        };
        return Err(Failure::Rejected(format!("{warning}; {option} accepts that")));
    }
    Ok(())
}

/// Runs `volery attestation typed-data`. The object is that of `eth_signTypedData_v4`, and has nothing of
/// other commands' objects.
pub(crate) fn typed_data(args: &AttestationTypedDataArgs) -> Result<(), Failure> {
    let data = open(&args.file)?.typed_data().map_err(|error| match error {
        Error::NoContractSignature => Failure::input(format!("{}: {error}", args.file.display())),
        error => Failure::Rejected(error.to_string()),
    })?;
    terminal::message(
        "the file itself names its signers; a contract compares the address with one that it trusts",
    );
    output::json(&data)
}

/// Runs `volery attestation show`.
pub(crate) fn show(args: &AttestationShowArgs) -> Result<(), Failure> {
    let attestation = open(&args.file)?;
    terminal::message(
        "the file itself names its signer; `volery attestation verify --key` checks it against a key that you know",
    );
    // Whoever looks at what nobody has checked hears of it, too.
    if let Some(statement) = statement(&attestation) {
        warn(&statement.warnings());
    }
    tell("unchecked", &attestation, args.json, args.verbose)
}
