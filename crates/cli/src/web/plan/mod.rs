//! `volery web plan`: what a proof about a page would show, hide, claim and cost, and everything that is
//! wrong with it. Nothing is proved, and no notary is called.
//!
//! ```text
//! source   the request: from the command line, or from what a browser saved; the command that proves it
//! server   fetches the page alone; asks which versions of TLS the server takes
//! draft    what the attestation would say: the code that proving runs
//! price    what either mode would take
//! report   all of it, in words or as JSON
//! ```
//!
//! Proving stops at its first mistake. A plan collects: words that are no parts, parts that are not there or
//! cannot be hidden, claims that are not true, a server or a response about which nothing can be proved.

mod draft;
mod price;
mod report;
mod server;
mod source;

use volery::web::dialogue::ReceivedResponses;

use super::script::Script;
use super::{Files, parts, roots, script};
use crate::args::WebPlanArgs;
use crate::failure::Failure;
use crate::outcome::{self, Good};
use crate::progress::Phases;
use crate::{output, terminal};
use draft::Answered;
use report::{ConnectionReport, MistakeReport, Report};
use server::Visitor;
use source::Asked;

/// Runs `volery web plan`.
pub(crate) fn plan(args: &WebPlanArgs) -> Result<(), Failure> {
    let asked = Asked::new(args)?;
    let (command, notes) = (asked.command(args), asked.notes.clone());
    let mut report = Report { command, notes, ..Report::default() };
    let words = parts::no_words(&args.page);
    if !words.is_empty() {
        report.mistakes.extend(words.into_iter().map(MistakeReport::of_words));
        return conclude(report, args.json);
    }
    let Asked { page, template, saved, secrets, .. } = asked;
    let script = script(&args.page, page, template)?;
    let selection = parts::selection(&args.page, script.taken()?)?;
    report.mistakes.extend(script.mistakes(&selection).into_iter().map(MistakeReport::from));
    report.mistakes.extend(source::shown_secrets(&selection, &secrets));
    if let Some(out) = &args.out
        && let Err(failure) = Files::of(&args.page, out, &script, &selection)
    {
        report.mistakes.push(MistakeReport::of_words(failure.to_string()));
    }
    let answers: Box<dyn Iterator<Item = Result<Answered, Failure>>> = match saved {
        Some(response) => Box::new(core::iter::once(draft::saved(&args.page, &script, &response))),
        None => Box::new(fetched(args, &script, &mut report)?.into_iter().map(Ok)),
    };
    for (connection, answered) in script.connections().into_iter().zip(answers) {
        let own = parts::within(&selection, &connection);
        let answered = answered?;
        let (read, expect) = (args.page.read.into(), args.page.expect.into());
        if let Err(reason) = script.made_names(&connection, &own, answered.request()) {
            report.mistakes.push(MistakeReport::of_words(reason));
        }
        let sizes = script.sizes(&connection, (answered.draft.tls, answered.draft.suite), read, expect);
        let of = (script.connections().len() > 1).then_some(connection.start);
        let own = ConnectionReport::new(&answered, &own, sizes, &secrets)?;
        let own = if args.page.contract_signer.is_some() { own.for_contracts() } else { own };
        report.connection(of, own);
    }
    conclude(report, args.json)
}

/// Fetches all pages, one connection after the other.
fn fetched(args: &WebPlanArgs, script: &Script, report: &mut Report) -> Result<Vec<Answered>, Failure> {
    let roots = roots(&args.page.roots)?;
    let phases = Phases::new();
    let visitor = Visitor { asked: &args.page, script, roots: &roots };
    let mut before = ReceivedResponses::default();
    let mut answers = Vec::new();
    for connection in script.connections() {
        phases.begin("fetching the page");
        let answered = visitor.visit(&connection, &before)?;
        script.hear(&connection, answered.response(), &mut before)?;
        answers.push(answered);
    }
    phases.begin("asking which versions of TLS and cipher suites the server takes");
    let agreed = answers.first().and_then(|answered| answered.agreed.clone());
    if let Some(agreed) = agreed {
        let server = visitor.server(agreed);
        report.mistakes.extend(server.mistake(&args.page));
        let (tls, suite) = server.protocol(&args.page);
        for answered in &mut answers {
            (answered.draft.tls, answered.draft.suite) = (tls, suite);
        }
        report.server = Some(server);
    }
    phases.finish();
    Ok(answers)
}

/// Prints the plan, and says what the exit code is.
fn conclude(mut report: Report, json: bool) -> Result<(), Failure> {
    report.finish();
    if !json {
        output::result(report.text().trim_end())?;
    }
    match report.failure() {
        None if json => outcome::json(Good::Done, &report),
        None => Ok(()),
        Some(failure) => Err(failure.with(&report)),
    }
}

/// Tells the user something that is no part of the plan.
fn tell(line: &str) {
    terminal::message(line);
}
