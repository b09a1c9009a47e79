//! A page of a website, proved to a notary that carries the connection: two parties, since a page reaches no
//! website itself.
//!
//! ```text
//! this worker                                     notary                       website
//! Greeting: carried                 ----------->
//! set-up                            <---------->
//! which version, which suite?       <---------->  carries                      <---->
//! prepare_web                       <---------->
//! converse_carried                  <---------->  takes part, and carries      <---->
//! prove                             <---------->
//! attestation                       <-----------
//! ```

use std::sync::OnceLock;
use std::time::Duration;

use js_sys::{Function, Object, Reflect, Uint8Array};
use volery::channel::Channel;
use volery::notary::{Greeting, Terms, Turn, Way, in_line};
use volery::web::attestation::Context;
use volery::web::disclosure::{self, Preflight, Selection, Suite, TlsVersion, words};
use volery::web::http::request::{Page, RequestParts};
use volery::web::joint::{self, RoundSizes, Sizes, client};
use volery::web::leaf::Seed;
use volery::web::server::Roots;
use volery::{Attested, Framed, Limits, Options, PageFault, ProvedPage, Prover, os_rng};
use volery_channel::Error;
use volery_channel::handshake::Mismatch;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use zeroize::Zeroizing;

use crate::error::{claim as wrong, named};
use crate::ring::{Ring, RingTransport};
use crate::values::{bytes, flag, get, number, text, texts};

/// How long to wait for a website's next bytes if the caller does not say.
const USUAL_WAIT: Duration = Duration::from_secs(10);
/// What a notary needs besides waiting for a website, until its next message.
const MARGIN: Duration = Duration::from_secs(20);
/// How long to wait for a website in total, besides the wait for its first bytes: less than a notary waits
/// for a prover in this phase.
const SERVER_TIME: Duration = Duration::from_secs(15);
/// The most bytes to receive.
const MAX_RECEIVED: usize = 16 << 20;
/// About how many bytes of a response are proved, if the caller does not say.
const USUAL_EXPECT: u32 = 1024;

/// What a prover wants.
struct Task {
    page: Page,
    request: Zeroizing<Vec<u8>>,
    selection: Selection,
    context: Context,
    key: [u8; 32],
    token: Zeroizing<Vec<u8>>,
    roots: Roots,
    tls: Option<TlsVersion>,
    expect: usize,
    wait: Option<Duration>,
    no_alpn: bool,
    listener: Option<Function>,
}

/// What is shown, hidden, claimed and committed to. With a list of what is shown all else of the response is
/// hidden, also with an empty one.
fn selection(wanted: &JsValue) -> Result<Selection, JsValue> {
    let [hide, assert, commit] = ["hide", "assert", "commit"].map(|name| texts(wanted, name));
    let reveal = get(wanted, "reveal").map(|_| texts(wanted, "reveal")).transpose()?;
    let selection = words::parse(&hide?, &assert?, &commit?, reveal.as_deref(), Vec::new());
    let selection = selection.map_err(|error| wrong(&error.to_string()))?;
    let (show_rest, commit_all) = (flag(wanted, "showRest")?, flag(wanted, "commitAll")?);
    Ok(Selection { show_rest, commit_all, ..selection })
}

/// Whether a wish makes sense, as far as that can be known before anything is sent.
#[wasm_bindgen(js_name = checkWeb)]
pub fn check_web(wanted: &JsValue) -> Result<(), JsValue> {
    Task::of(wanted, None).map(drop)
}

/// Proves a page to the notary at the other end of `ring`. `wanted` is as `normal.js` makes it; `listener`
/// hears what is being done. Returns the attestation, what opens it, and the response.
#[wasm_bindgen(js_name = proveWeb)]
pub fn prove_web(ring: Ring, wanted: &JsValue, listener: Option<Function>) -> Result<JsValue, JsValue> {
    let task = Task::of(wanted, listener)?;
    let (attested, response) = task.run(ring)?;
    let Attested { attestation, openings, leaves, .. } = attested;
    let out = Object::new();
    let put = |name: &str, bytes: &[u8]| {
        Reflect::set(&out, &JsValue::from_str(name), &Uint8Array::from(bytes).into()).map(drop)
    };
    put("attestation", &attestation.to_bytes())?;
    put("response", &response)?;
    openings.map_or(Ok(()), |openings| put("openings", &openings.to_bytes()))?;
    leaves.map_or(Ok(()), |leaves| put("leaves", &leaves.to_bytes()))?;
    Ok(out.into())
}

impl Task {
    fn of(wanted: &JsValue, listener: Option<Function>) -> Result<Self, JsValue> {
        let needed = |name: &str| text(wanted, name)?.ok_or_else(|| wrong(&format!("`{name}` is missing")));
        let page = Page::parse(&needed("url")?).map_err(|error| wrong(&error.to_string()))?;
        let fields: Vec<_> = texts(wanted, "headers")?.into_iter().map(Zeroizing::new).collect();
        let (method, body) = (text(wanted, "method")?, bytes(wanted, "body")?.map(Zeroizing::new));
        let parts = RequestParts {
            method: method.as_deref().unwrap_or("GET"),
            target: &page.target,
            fields: &fields,
            body: body.as_ref().map(|body| &body[..]),
            last: true,
        };
        let request = page.request(&parts).map_err(|error| wrong(&error.to_string()))?;
        let selection = selection(wanted)?;
        // What cannot be proved of the request is refused before anybody gets it.
        Preflight { host: &page.host, port: page.port, requests: &request, rounds: 1 }
            .check(&selection)
            .map_err(|error| unprovable(&error))?;
        let key = bytes(wanted, "notaryKey")?.and_then(|key| key.try_into().ok());
        let tls = match text(wanted, "tls")?.as_deref() {
            None => None,
            Some("1.2") => Some(TlsVersion::Tls12),
            Some("1.3") => Some(TlsVersion::Tls13),
            Some(_) => return Err(wrong("`tls` is \"1.2\" or \"1.3\"")),
        };
        let mut roots = Roots::public();
        if let Some(pem) = bytes(wanted, "roots")? {
            roots.add_pem(&pem).map_err(|error| wrong(&format!("`roots`: {error}")))?;
        }
        let context = bytes(wanted, "context")?.unwrap_or_default();
        let wait = get(wanted, "timeout").map(|seconds| {
            let seconds = seconds.as_f64().map(Duration::try_from_secs_f64);
            seconds.and_then(Result::ok).ok_or_else(|| wrong("`timeout` is a number of seconds"))
        });
        Ok(Self {
            page,
            request,
            selection,
            context: Context::new(&context).map_err(|error| wrong(&error.to_string()))?,
            key: key.ok_or_else(|| wrong("`notaryKey` has 32 bytes, or 64 hexadecimal digits"))?,
            token: Zeroizing::new(bytes(wanted, "token")?.unwrap_or_default()),
            roots,
            tls,
            expect: number(wanted, "expect")?.unwrap_or(USUAL_EXPECT) as usize,
            wait: wait.transpose()?,
            no_alpn: flag(wanted, "noAlpn")?,
            listener,
        })
    }

    /// Tells JavaScript what is being done.
    fn begin(&self, phase: &str) {
        if let Some(listener) = &self.listener {
            // A listener that throws stops nothing.
            let _ = listener.call1(&JsValue::NULL, &JsValue::from_str(phase));
        }
    }

    fn run(&self, ring: Ring) -> Result<(Attested<impl Channel + use<>>, Zeroizing<Vec<u8>>), JsValue> {
        let longest = self.wait.unwrap_or(USUAL_WAIT).saturating_add(MARGIN);
        let limits = Limits { read: Limits::default().read.max(longest), ..Limits::default() };
        let mut channel = Framed::new(RingTransport::new(ring), limits);
        let greeting = Greeting { way: Way::Carried, token: self.token.clone() };
        greeting.send(&mut channel).map_err(|error| session(error.into()))?;
        self.begin("waiting for the notary");
        let told = OnceLock::new();
        let listener = self.listener.clone();
        let channel = in_line(channel, |turn| match turn {
            Turn::Begins(terms) => {
                // It is said once.
                let _ = told.set(terms);
            }
            Turn::Waits(number) => {
                if let Some(listener) = &listener {
                    let _ = listener.call1(&JsValue::NULL, &format!("number {number} in the queue").into());
                }
            }
        });
        let mut rng = os_rng().map_err(session)?;
        let prover = Prover::start(channel, Options::default(), &mut rng).map_err(session)?;
        let terms = told.get().ok_or_else(|| named("SessionError", "the notary has not told its limits"))?;
        let (page, response) = self.together(prover, terms)?;
        self.begin("waiting for the attestation");
        let Attested { attestation, openings, leaves, stats, .. } =
            page.attestation(&self.key).map_err(session)?;
        let session: Option<Prover<Framed<RingTransport>>> = None;
        Ok((Attested { attestation, openings, leaves, session, stats }, response))
    }

    fn together<C: Channel>(
        &self,
        mut prover: Prover<C>,
        terms: &Terms,
    ) -> Result<(ProvedPage<C>, Zeroizing<Vec<u8>>), JsValue> {
        let longest = Duration::from_secs(terms.wait.into());
        let wait = self.wait.unwrap_or(USUAL_WAIT.min(longest));
        if wait > longest {
            return Err(wrong(&format!(
                "`timeout`: the notary waits at most {} s for a website",
                terms.wait
            )));
        }
        if self.no_alpn && !terms.no_alpn {
            let reason = "`noAlpn`: the notary does not take part in connections without a named protocol";
            return Err(wrong(reason));
        }
        if self.request.len() > terms.request as usize {
            return Err(wrong(&format!(
                "the request is longer than the {} bytes that the notary takes",
                terms.request
            )));
        }
        let limits = client::ConnectionLimits {
            received: MAX_RECEIVED.min(terms.received as usize),
            idle: wait,
            total: SERVER_TIME.saturating_add(wait),
            ..client::ConnectionLimits::default()
        };
        let (host, no_alpn) = (&*self.page.host, self.no_alpn);
        let target = client::Target { host, roots: &self.roots, probed: self.tls.is_none(), limits, no_alpn };
        self.begin("asking the website for its version of TLS");
        let (tls, suite) = self.probe(&mut prover, &target)?;
        self.begin("preparing the connection");
        // What can be proved later is not prepared beyond the notary's limit.
        let proved = self.expect.min(terms.proved as usize);
        let rounds = vec![RoundSizes { query: self.request.len(), read: 0 }];
        let rng = os_rng().map_err(session)?;
        let prepared = prover.prepare_web(Sizes { tls, suite, rounds, proved }, rng).map_err(session)?;
        self.begin("fetching the page");
        let mut ask = |_: usize, _: &_| Ok(self.request.clone());
        let mut fetched = prepared.converse_carried(&target, self.page.port, &mut ask).map_err(session)?;
        fetched.set_context(self.context.clone());
        if self.selection.commit_all {
            fetched.commit_all(Seed::new(&mut os_rng().map_err(session)?));
        }
        let hide = fetched.select(&self.selection).map_err(of_page)?;
        let response = Zeroizing::new(fetched.response().to_vec());
        self.begin("proving");
        Ok((fetched.prove(&hide).map_err(of_page)?, response))
    }

    /// The version of TLS and the cipher suite for which the connection is prepared.
    fn probe<C: Channel>(
        &self,
        prover: &mut Prover<C>,
        target: &client::Target<'_>,
    ) -> Result<(TlsVersion, Suite), JsValue> {
        let mut found = Err(client::Failure::NothingInCommon);
        for suite in &joint::SUITES {
            let mut stream = prover.carried(target.host, self.page.port, &target.limits).map_err(session)?;
            found = client::probe(&mut stream, target, self.tls, *suite);
            let closed = stream.close();
            if found != Err(client::Failure::NothingInCommon) {
                found = found.and_then(|found| closed.map(|_| found).map_err(client::Failure::from));
                break;
            }
        }
        let found = found.map_err(joint::Error::from).map_err(volery::Error::from).map_err(session)?;
        Ok((found.version, found.suite))
    }
}

/// The failure of a session.
fn session(error: volery::Error) -> JsValue {
    let name = match &error {
        volery::Error::Options(_) => "ClaimError",
        volery::Error::Channel(Error::Incompatible(
            Mismatch::Parameter { .. } | Mismatch::Statement { .. },
        )) => "MismatchError",
        error if error.is_rejection() => "RejectedError",
        _ => "SessionError",
    };
    named(name, &error.to_string())
}

/// The failure of saying something about a page that was fetched: what the caller wants to show or claim may
/// not fit the page, or not be true.
fn of_page(error: volery::Error) -> JsValue {
    match PageFault::of(&error) {
        PageFault::NotTrue(_) => named("WitnessError", &error.to_string()),
        PageFault::Page(_) => wrong(&error.to_string()),
        PageFault::Session => session(error),
    }
}

/// The failure of what is known not to be provable.
fn unprovable(error: &disclosure::Error) -> JsValue {
    match error {
        disclosure::Error::NotTrue(_) => named("WitnessError", &error.to_string()),
        error => wrong(&error.to_string()),
    }
}
