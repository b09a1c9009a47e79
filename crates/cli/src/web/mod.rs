//! `volery web prove`, `volery notary`, `volery attestation`: proofs of what a website said.
//!
//! ```text
//! request      requests from URLs, header fields and bodies
//! placeholder  placeholders for values of earlier responses
//! template     one request, with placeholders
//! script       all requests, in order, and their connections
//! prove        the prover: a session for each connection, or both parties in one process
//! plan         what a proof would show, hide and cost, and every mistake, without one
//! saved        requests that a browser has saved: cURL commands, HAR files
//! terms        a notary's limits
//! consent      shows what will be signed, and asks
//! parts        what the command line reveals, hides and claims
//! checks       whether that can be, before anything is sent
//! notary       the notary: its key, its server
//! attestation  reads and checks what the notary signed
//! opening      openings and range proofs, for readers
//! presentation presentations of attestations, for one reader each
//! site         a website to try it on
//! ```

mod attestation;
mod checks;
mod consent;
mod notary;
mod opening;
mod parts;
mod placeholder;
mod plan;
mod presentation;
mod prove;
mod saved;
mod script;
mod site;
mod template;
mod terms;

pub(crate) use attestation::{show, typed_data, verify};
pub(crate) use notary::{LocalNotary, make_key, serve};
pub(crate) use opening::{open, prove_range};
pub(crate) use plan::plan;
pub(crate) use presentation::present;
pub(crate) use site::Site;

use std::path::{Path, PathBuf};

use volery::notary::Way;
use volery::visit::{self, MAX_RECEIVED, Visit, Visited};
use volery::web::disclosure::Selection;
use volery::web::http::request::Page;
use volery::web::server::Roots;
use volery_channel::tls::Trust;
use zeroize::Zeroizing;

use super::args::{ModeArg, WebPageArgs, WebProveArgs};
use super::connection::Endpoint;
use super::failure::Failure;
use super::progress::Phases;
use super::source;
use super::{new_file, terminal};
use consent::Consent;
use notary::open_token;
use prove::{Signer, Task};
use script::{Order, Script};
use template::Template;

/// Runs `volery web prove`.
pub(crate) fn prove(args: &WebProveArgs) -> Result<(), Failure> {
    let WebProveArgs { url, page: asked, relay, out, json } = args;
    let page = Page::parse(url).map_err(Failure::input)?;
    let first = first(asked, &page)?;
    let script = script(asked, page, first)?;
    let selection = parts::selection(asked, script.taken()?)?;
    script.check(&selection)?;
    let files = Files::of(asked, out, &script, &selection)?;
    let roots = roots(&asked.roots)?;
    let phases = Phases::new();
    let consent = Consent::new(asked.yes, asked.notary.is_none())?;
    if asked.contract_signer.is_some() && script.connections().iter().any(|connection| connection.len() > 1) {
        return Err(Failure::input(
            "--contract-signer: contracts are told of one request on a connection; --apart gives each its own",
        ));
    }
    if *relay && asked.mode == ModeArg::Proxy {
        return Err(Failure::input(
            "--relay is for two parties; in proxy mode the notary relays in any case",
        ));
    }
    if *relay && asked.trust_close {
        return Err(Failure::input(
            "--trust-close with --relay: the notary has the connection, and could go on with it in your name; leave one out",
        ));
    }
    let visit = wanted(asked, *relay, &script, (roots, selection));
    let longest_wait = visit.longest_wait();
    let task = Task { visit, script, consent, read: asked.read.into(), phases };
    let notary = match (&asked.notary, asked.notary_key) {
        (Some(address), Some(key)) => Signer::Notary {
            endpoint: Endpoint::to_notary(address, &trust(asked, key))?
                .reached_within(asked.notary_timeout)
                .waiting(longest_wait),
            notary: visit::Notary {
                key,
                token: asked.notary_token.as_deref().map(open_token).transpose()?.unwrap_or_default(),
            },
        },
        _ => Signer::alone()?,
    };
    task.run(&notary, &mut |number, proved| {
        let files = files.get(number).ok_or_else(|| Failure::session("internal error"))?;
        files.write(proved)?;
        if asked.apart && !json {
            terminal::message(&format!("request {}: {}", number + 1, files.attestation.display()));
        }
        attestation::tell("attested", &proved.attestation, *json, false)
    })
}

/// What is wanted of all connections.
fn wanted(
    asked: &WebPageArgs,
    relay: bool,
    script: &Script,
    (roots, selection): (Roots, Selection),
) -> Visit {
    let page = script.page();
    let way = match asked.mode {
        ModeArg::TwoParty if relay => Way::Carried,
        ModeArg::TwoParty => Way::TwoParty,
        ModeArg::Proxy => Way::Proxy,
    };
    Visit {
        expect: asked.expect.into(),
        roots,
        tls: asked.tls.into(),
        suite: asked.cipher.into(),
        no_alpn: asked.no_alpn,
        trust_close: asked.trust_close,
        wait: asked.timeout,
        selection,
        context: asked.context.clone().unwrap_or_default(),
        contract_signer: asked.contract_signer,
        // Each connection has its own requests.
        ..Visit::new(&page.host, page.port, way, Vec::new())
    }
}

/// The new files for the results of one connection.
struct Files {
    attestation: PathBuf,
    openings: PathBuf,
    leaves: PathBuf,
}

impl Files {
    /// The files of each connection. A file that exists already is refused here, before anything is sent:
    /// results that cannot be written are lost.
    fn of(
        args: &WebPageArgs,
        out: &Path,
        script: &Script,
        selection: &Selection,
    ) -> Result<Vec<Self>, Failure> {
        let beside = |name: &Path, end: &str| -> PathBuf {
            let mut name = name.as_os_str().to_owned();
            name.push(end);
            name.into()
        };
        let mut all = Vec::new();
        for (number, connection) in (1..).zip(script.connections()) {
            let attestation = if number == 1 { out.to_owned() } else { beside(out, &format!(".{number}")) };
            let openings = args.openings.clone().unwrap_or_else(|| beside(&attestation, ".openings"));
            let leaves = args.leaves.clone().unwrap_or_else(|| beside(&attestation, ".leaves"));
            let commits = parts::within(selection, &connection).hide.iter().any(|hide| hide.commit);
            let secret = commits.then_some(&openings).into_iter().chain(args.commit_all.then_some(&leaves));
            core::iter::once(&attestation).chain(secret).try_for_each(|path| new_file::vacant(path))?;
            all.push(Self { attestation, openings, leaves });
        }
        Ok(all)
    }

    /// Writes the results, openings first: without them nobody could ever open the attestation's commitments.
    fn write(&self, proved: &Visited) -> Result<(), Failure> {
        if let Some(openings) = &proved.openings {
            opening::write(&self.openings, openings)?;
            terminal::message(&format!("the openings of the commitments are in {}", self.openings.display()));
        }
        if let Some(leaves) = &proved.leaves {
            new_file::write_secret(&self.leaves, &leaves.to_bytes())?;
            terminal::message(&format!("what opens the hidden parts is in {}", self.leaves.display()));
        }
        new_file::write(&self.attestation, &proved.attestation.to_bytes())
    }
}

/// How the notary identifies itself in TLS, before the prover says anything: by its certificate if it has
/// one, else by its signing key.
fn trust(args: &WebPageArgs, key: [u8; 32]) -> Trust {
    match (&args.notary_ca, args.notary_pin) {
        (Some(path), _) => Trust::Roots(path.clone()),
        (None, Some(pin)) => Trust::Pin(pin),
        (None, None) => Trust::Key(key),
    }
}

/// The authorities of the public web and those in these files.
fn roots(files: &[PathBuf]) -> Result<Roots, Failure> {
    let mut roots = Roots::public();
    for path in files {
        let text = read(path, 1 << 22)?;
        roots.add_pem(&text).map_err(|error| Failure::input(format!("{}: {error}", path.display())))?;
    }
    Ok(roots)
}

/// The first request: that of the command line.
fn first(args: &WebPageArgs, page: &Page) -> Result<Template, Failure> {
    let body = args.body.as_ref().map(|path| read(path, MAX_RECEIVED as u64)).transpose()?;
    let target = Zeroizing::new(page.target.clone());
    Ok(Template { method: args.method.clone(), target, fields: fields(args)?, body })
}

/// Adds further requests, from files, to the first one.
fn script(args: &WebPageArgs, page: Page, first: Template) -> Result<Script, Failure> {
    if args.pipelined && args.mode == ModeArg::Proxy {
        return Err(Failure::input(
            "--pipelined: in proxy mode each request waits for the response before it",
        ));
    }
    let order = match (args.apart, args.pipelined) {
        (true, _) => Order::Apart,
        (false, true) => Order::AtOnce,
        (false, false) => Order::InTurn,
    };
    let mut then = Vec::new();
    for path in &args.then {
        let text = read(path, MAX_RECEIVED as u64)?;
        let failed = |reason| Failure::input(format!("{}: {reason}", path.display()));
        then.push(Template::parse(&text, &first.fields).map_err(failed)?);
    }
    Script::new(page, core::iter::once(first).chain(then).collect(), order)
}

/// Reads the header fields of the command line and of a file.
fn fields(args: &WebPageArgs) -> Result<Vec<Zeroizing<String>>, Failure> {
    let mut fields: Vec<_> = args.header.iter().cloned().map(Zeroizing::new).collect();
    if let Some(path) = &args.headers {
        let text = read(path, 1 << 16)?;
        let text = core::str::from_utf8(&text)
            .map_err(|_| Failure::input(format!("{}: header fields are ASCII text", path.display())))?;
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        fields.extend(lines.map(|line| Zeroizing::new(line.to_owned())));
    }
    Ok(fields)
}

/// Reads a file of at most `most` bytes.
fn read(path: &Path, most: u64) -> Result<Zeroizing<Vec<u8>>, Failure> {
    use std::io::Read as _;
    let source = source::of(path);
    let failed = |error: std::io::Error| Failure::input(format!("{}: {error}", source.name()));
    let mut content = Zeroizing::new(Vec::new());
    source.open()?.take(most + 1).read_to_end(&mut content).map_err(failed)?;
    if content.len() as u64 > most {
        return Err(Failure::input(format!("{}: more than {most} bytes", source.name())));
    }
    Ok(content)
}
