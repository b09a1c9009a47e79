//! What a website said: `volery web prove`, `volery notary`, `volery attestation`.
//!
//! ```text
//! request      a URL, header fields and a body, to the bytes of a request
//! script       several requests, with values from earlier responses
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
mod request;
mod script;
mod site;

pub(crate) use attestation::{show, verify};
pub(crate) use notary::{make_key, serve};
pub(crate) use opening::{open, prove_range};
pub(crate) use site::Site;

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use volery::notary::InLine;
use volery::tls::attestation::{Attestation, Context, SigningKey, Statement};
use volery::tls::commitment::Openings;
use volery::tls::disclosure::{Hide, Wish};
use volery::tls::joint::{self, client};
use volery::tls::proxy::{self, relay::Rules};
use volery::tls::server::Roots;
use volery::{Attested, Channel, Limits, Options, ProvedPage, Prover, memory_pair, os_rng};
use volery_channel::tls::Trust;
use zeroize::Zeroizing;

use super::args::{ModeArg, WebProveArgs};
use super::connection::Endpoint;
use super::failure::Failure;
use super::progress::Phases;
use super::serve::Pace;
use super::source::Source;
use super::{output, public};
use consent::Consent;
use notary::{Notary, Token, Tokens, now};
use request::Page;
use script::{Script, Template};

/// How long is waited for a server in all: less than a notary waits for a prover's next word. The notary's own time is not in it.
const PATIENCE: Duration = Duration::from_secs(25);
/// The most bytes that are taken from a server.
const MAX_RECEIVED: usize = 16 << 20;

/// What is fetched, and what is said of it.
struct Plan {
    mode: ModeArg,
    script: Script,
    roots: Roots,
    wish: Wish,
    context: Context,
    consent: Consent,
    /// Bytes of each response that a later request waits for, at most.
    read: usize,
    /// Bytes of the responses that will be proved, about.
    expect: usize,
    phases: Phases,
}

/// Runs `volery web prove`.
pub(crate) fn prove(args: &WebProveArgs) -> Result<(), Failure> {
    let script = script(args)?;
    let wish = parts::wish(args, script.taken()?)?;
    script.check(&wish)?;
    let files = Files::new(args)?;
    let roots = roots(&args.roots)?;
    let (mode, read, expect) = (args.mode, args.read.into(), args.expect.into());
    let phases = Phases::new(args.quiet)?;
    let consent = Consent::new(args.yes, args.notary.is_none())?;
    let context = args.context.clone().unwrap_or_default();
    let plan = Plan { mode, script, roots, wish, context, consent, read, expect, phases };
    let proved = match (&args.notary, args.notary_key) {
        (Some(address), Some(key)) => {
            let token = args.notary_token.as_deref().map(Token::open).transpose()?.unwrap_or_default();
            let notary = Endpoint::to_notary(address, &trust(args, key))?;
            plan.phases.begin("connecting to the notary");
            let link = notary.open()?;
            plan.run(link.channel, &token, &key)?
        }
        _ => plan.alone()?,
    };
    plan.phases.finish();
    drop(plan);
    files.write(&proved)?;
    attestation::tell("attested", &proved.attestation, args.json)
}

/// What is left of a session.
struct Proved {
    attestation: Attestation,
    openings: Option<Openings>,
}

/// Where results go: new files.
struct Files<'a> {
    attestation: &'a Path,
    openings: PathBuf,
}

impl<'a> Files<'a> {
    /// Refuses names of files that exist before anything is sent, as what cannot be written is lost.
    fn new(args: &'a WebProveArgs) -> Result<Self, Failure> {
        let beside = || {
            let mut name = args.out.clone().into_os_string();
            name.push(".openings");
            name.into()
        };
        let openings = args.openings.clone().unwrap_or_else(beside);
        let written = if args.commit.is_empty() { &[&args.out][..] } else { &[&args.out, &openings] };
        match written.iter().find(|path| path.exists()) {
            Some(path) => Err(public::exists(path)),
            None => Ok(Self { attestation: &args.out, openings }),
        }
    }

    /// The openings go first: an attestation alone would hide for ever what was committed to.
    fn write(&self, proved: &Proved) -> Result<(), Failure> {
        if let Some(openings) = &proved.openings {
            opening::write(&self.openings, openings)?;
            output::message(&format!("what opens the commitments is in {}", self.openings.display()));
        }
        public::write(self.attestation, &proved.attestation.to_bytes())
    }
}

impl Plan {
    /// The prover's side of a session.
    fn run(
        &self,
        mut channel: impl Channel + Send,
        token: &Token,
        key: &[u8; 32],
    ) -> Result<Proved, Failure> {
        token.send(self.mode.into(), &mut channel)?;
        let mut rng = os_rng()?;
        self.phases.begin("waiting for the notary");
        let channel = InLine::new(channel, |number| match number {
            0 => self.phases.begin("setting up"),
            number => self.phases.note(&format!("number {number} in line")),
        });
        let prover = Prover::start(channel, Options::default(), &mut rng)?;
        let page = match self.mode {
            ModeArg::TwoParty => self.together(prover)?,
            ModeArg::Proxy => self.relayed(prover)?,
        };
        self.phases.begin("waiting for the attestation");
        let Attested { attestation, openings, .. } = page.attestation(key)?;
        Ok(Proved { attestation, openings })
    }

    fn together<C: Channel + Send>(&self, prover: Prover<C>) -> Result<ProvedPage<C>, Failure> {
        let Self { script, roots, .. } = self;
        let page = script.page();
        self.phases.begin("preparing the connection");
        let prepared = prover.prepare_web(script.sizes(self.read, self.expect), os_rng()?)?;
        let limits = client::Limits { received: MAX_RECEIVED, total: PATIENCE, ..client::Limits::default() };
        let target = client::Target { host: &page.host, roots, limits };
        self.phases.begin(self.fetching());
        let mut fetched =
            prepared.converse(&target, page.port, &mut |round, heard| script.request(round, heard))?;
        fetched.set_context(self.context.clone());
        let hide = fetched.select(&self.wish)?;
        self.agree(&hide, |hide, time| Ok(fetched.expected(hide, time)?))?;
        self.phases.begin("proving");
        Ok(fetched.prove(&hide)?)
    }

    fn relayed<C: Channel>(&self, mut prover: Prover<C>) -> Result<ProvedPage<C>, Failure> {
        let Self { script, roots, .. } = self;
        let page = script.page();
        let target = proxy::Target { host: &page.host, port: page.port, roots, max_received: MAX_RECEIVED };
        self.phases.begin(self.fetching());
        let mut fetched =
            prover.converse(&target, script.len(), &mut |round, heard| script.request(round, heard))?;
        fetched.set_context(self.context.clone());
        let hide = fetched.select(&self.wish).map_err(volery::Error::from)?;
        self.agree(&hide, |hide, time| Ok(fetched.expected(hide, time).map_err(volery::Error::from)?))?;
        self.phases.begin("proving");
        Ok(prover.prove_web(&fetched, &hide, &mut os_rng()?)?.0)
    }

    /// Shows what will be signed, and asks.
    fn agree(
        &self,
        hide: &[Hide],
        expected: impl FnOnce(&[Hide], u64) -> Result<Statement, Failure>,
    ) -> Result<(), Failure> {
        let expected = expected(hide, now()?.as_secs())?;
        self.phases.pause(|| self.consent.get(&expected, consent::PATIENCE))
    }

    /// The name of the phase.
    fn fetching(&self) -> &'static str {
        if self.script.len() == 1 { "fetching the page" } else { "fetching the pages" }
    }

    /// Both parties in this process, with a key that is forgotten.
    fn alone(&self) -> Result<Proved, Failure> {
        output::message("no --notary: this process is its own, and nobody else has a reason to believe it");
        let (left, mut right) = memory_pair(&Limits::default());
        let mut seed = Zeroizing::new([0; 32]);
        rand_core::Rng::fill_bytes(&mut os_rng()?, &mut *seed);
        let key = SigningKey::from_bytes(&seed);
        let public = key.verifying_key().to_bytes();
        let (query, read, proved) = (joint::MAX_QUERY, joint::MAX_READ, joint::MAX_PROVED);
        let (ports, pool) = (Vec::new(), joint::Pool::default());
        let limits = joint::Limits { query, read, proved, received: MAX_RECEIVED, ports, pool: pool.clone() };
        let rules = Rules { private: true, ports: Vec::new(), ..Rules::default() };
        let (roots, tokens, phases) = (self.roots.clone(), Tokens::default(), notary::Phases::default());
        let notary = Notary { key, roots, limits, rules, tokens, phases };
        thread::scope(|scope| {
            let notary = scope.spawn(move || {
                let mode = notary.admit(&mut right)?;
                notary.session(mode, right, &Pace::default(), &pool)
            });
            let proved = self.run(left, &Token::default(), &public);
            // What the prover met is the nearer cause.
            let notary = notary.join().map_err(|_| Failure::session("internal error"));
            let proved = proved?;
            notary??;
            Ok(proved)
        })
    }
}

/// How the notary shows that it is the one that is meant, before anything is said to it: by its certificate if it has one, else by the key
/// that it signs with.
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
    Script::new(page, core::iter::once(first).chain(then).collect(), args.pipelined)
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
