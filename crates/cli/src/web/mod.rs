//! What a website said: `volery web prove`, `volery notary`, `volery attestation`.
//!
//! ```text
//! request      a URL, header fields and a body, to the bytes of a request
//! script       several requests, with values from earlier responses
//! plan         P: a session for each connection, or both parties in one process
//! consent      showing what will be signed, and asking
//! parts        what is revealed, hidden and claimed, from a command line's words
//! notary       V: keys, and serving
//! attestation  reading what V signed
//! opening      what its holder shows to others: openings, range proofs
//! site         a website to try it on
//! ```

mod attestation;
mod consent;
mod notary;
mod opening;
mod parts;
mod place;
mod plan;
mod request;
mod script;
mod site;

pub(crate) use attestation::{show, verify};
pub(crate) use notary::{make_key, serve};
pub(crate) use opening::{open, prove_range};
pub(crate) use site::Site;

use std::path::{Path, PathBuf};

use volery::tls::disclosure::Wish;
use volery::tls::server::Roots;
use volery_channel::tls::Trust;
use zeroize::Zeroizing;

use super::args::{ModeArg, WebProveArgs};
use super::connection::Endpoint;
use super::failure::Failure;
use super::progress::Phases;
use super::source::Source;
use super::{output, public};
use consent::Consent;
use notary::Token;
use plan::{MAX_RECEIVED, Plan, Proved, Signer};
use request::Page;
use script::{Order, Script, Template};

/// Runs `volery web prove`.
pub(crate) fn prove(args: &WebProveArgs) -> Result<(), Failure> {
    let script = script(args)?;
    let wish = parts::wish(args, script.taken()?)?;
    script.check(&wish)?;
    let files = Files::of(args, &script, &wish)?;
    let roots = roots(&args.roots)?;
    let (mode, read, expect) = (args.mode, args.read.into(), args.expect.into());
    let phases = Phases::new(args.quiet)?;
    let consent = Consent::new(args.yes, args.notary.is_none())?;
    let context = args.context.clone().unwrap_or_default();
    let plan = Plan { mode, script, roots, wish, context, consent, read, expect, phases };
    let notary = match (&args.notary, args.notary_key) {
        (Some(address), Some(key)) => Signer::Notary {
            endpoint: Endpoint::to_notary(address, &trust(args, key))?,
            token: args.notary_token.as_deref().map(Token::open).transpose()?.unwrap_or_default(),
            key,
        },
        _ => Signer::alone()?,
    };
    plan.run(&notary, &mut |number, proved| {
        let files = files.get(number).ok_or_else(|| Failure::session("internal error"))?;
        files.write(proved)?;
        if args.apart && !args.json {
            output::message(&format!("request {}: {}", number + 1, files.attestation.display()));
        }
        attestation::tell("attested", &proved.attestation, args.json)
    })
}

/// Where the results of a connection go: new files.
struct Files {
    attestation: PathBuf,
    openings: PathBuf,
}

impl Files {
    /// One of each connection. Refuses names of files that exist before anything is sent, as what cannot be
    /// written is lost.
    fn of(args: &WebProveArgs, script: &Script, wish: &Wish) -> Result<Vec<Self>, Failure> {
        let beside = |name: &Path, end: &str| -> PathBuf {
            let mut name = name.as_os_str().to_owned();
            name.push(end);
            name.into()
        };
        let mut all = Vec::new();
        for (number, connection) in (1..).zip(script.connections()) {
            let attestation =
                if number == 1 { args.out.clone() } else { beside(&args.out, &format!(".{number}")) };
            let openings = args.openings.clone().unwrap_or_else(|| beside(&attestation, ".openings"));
            let commits = parts::within(wish, &connection).hide.iter().any(|hide| hide.commit);
            let mut written = core::iter::once(&attestation).chain(commits.then_some(&openings));
            if let Some(path) = written.find(|path| path.exists()) {
                return Err(public::exists(path));
            }
            all.push(Self { attestation, openings });
        }
        Ok(all)
    }

    /// The openings go first: an attestation alone would hide for ever what was committed to.
    fn write(&self, proved: &Proved) -> Result<(), Failure> {
        if let Some(openings) = &proved.openings {
            opening::write(&self.openings, openings)?;
            output::message(&format!("what opens the commitments is in {}", self.openings.display()));
        }
        public::write(&self.attestation, &proved.attestation.to_bytes())
    }
}

/// How the notary shows that it is the one that is meant, before anything is said to it: by its certificate
/// if it has one, else by the key that it signs with.
fn trust(args: &WebProveArgs, key: [u8; 32]) -> Trust {
    match (&args.notary_ca, args.notary_pin) {
        (Some(path), _) => Trust::Roots(path.clone()),
        (None, Some(pin)) => Trust::Pin(pin),
        (None, None) => Trust::Key(key),
    }
}

/// The authorities of the public web, and those in these files.
fn roots(files: &[PathBuf]) -> Result<Roots, Failure> {
    let mut roots = Roots::public();
    for path in files {
        let text = read(path, 1 << 22)?;
        roots.add_pem(&text).map_err(|error| Failure::input(format!("{}: {error}", path.display())))?;
    }
    Ok(roots)
}

/// The requests of the command line and of files.
fn script(args: &WebProveArgs) -> Result<Script, Failure> {
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
    let page = Page::parse(&args.url)?;
    let fields = fields(args)?;
    let mut then = Vec::new();
    for path in &args.then {
        let text = read(path, MAX_RECEIVED as u64)?;
        let failed = |reason| Failure::input(format!("{}: {reason}", path.display()));
        then.push(Template::parse(&text, &fields).map_err(failed)?);
    }
    let body = args.body.as_ref().map(|path| read(path, MAX_RECEIVED as u64)).transpose()?;
    let target = Zeroizing::new(page.target.clone());
    let first = Template { method: args.method.clone(), target, fields, body };
    Script::new(page, core::iter::once(first).chain(then).collect(), order)
}

/// The header fields of the command line and of a file.
fn fields(args: &WebProveArgs) -> Result<Vec<Zeroizing<String>>, Failure> {
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

/// All of a file of at most so many bytes.
fn read(path: &Path, most: u64) -> Result<Zeroizing<Vec<u8>>, Failure> {
    use std::io::Read as _;
    let source = Source::of(path);
    let failed = |error: std::io::Error| Failure::input(format!("{}: {error}", source.name()));
    let mut content = Zeroizing::new(Vec::new());
    source.open()?.take(most + 1).read_to_end(&mut content).map_err(failed)?;
    if content.len() as u64 > most {
        return Err(Failure::input(format!("{}: more than {most} bytes", source.name())));
    }
    Ok(content)
}
