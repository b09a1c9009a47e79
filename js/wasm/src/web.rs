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

use std::time::Duration;

use js_sys::{Function, Object, Reflect, Uint8Array};
use volery::notary::Way;
use volery::visit::{self, Notary, Observer, Phase, Round, USUAL_EXPECT, Unmet, Visit, Visited};
use volery::web::attestation::Context;
use volery::web::disclosure::{self, Selection, TlsVersion, words};
use volery::web::http::request::{Page, RequestParts};
use volery::web::server::Roots;
use volery::{Framed, Limits, PageFault};
use volery_channel::Error;
use volery_channel::handshake::Mismatch;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use zeroize::Zeroizing;

use crate::error::{claim as wrong, named};
use crate::ring::{Ring, RingTransport};
use crate::values::{Outcome, bytes, flag, get, number, text, texts};

/// What a prover wants.
struct Task {
    visit: Visit,
    request: Zeroizing<Vec<u8>>,
    notary: Notary,
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
    Task::of(wanted).map(drop)
}

/// A page that is proved to a notary. Like `Party`, its call that waits returns nothing.
#[wasm_bindgen]
pub struct WebProof {
    task: Task,
    ring: Option<Ring>,
    outcome: Outcome,
}

#[wasm_bindgen]
impl WebProof {
    /// The proof to the notary at the other end of `ring`. `wanted` is as `normal.js` makes it.
    #[wasm_bindgen(constructor)]
    pub fn new(ring: Ring, wanted: &JsValue) -> Result<WebProof, JsValue> {
        Ok(Self { task: Task::of(wanted)?, ring: Some(ring), outcome: Outcome::default() })
    }

    /// Proves the page, once. `listener` hears what is being done.
    pub fn prove(&mut self, listener: Option<Function>) {
        let proved = self.proved(&Listener(listener));
        self.outcome.keep(proved);
    }

    /// What came of `prove`: the attestation, what opens it, and the response. Throws its error.
    pub fn result(&mut self) -> Result<JsValue, JsValue> {
        self.outcome.take()
    }
}

impl WebProof {
    fn proved(&mut self, listener: &Listener) -> Result<JsValue, JsValue> {
        let ring = self.ring.take().ok_or_else(|| wrong("this page was proved already"))?;
        let Visited { attestation, openings, leaves, response, .. } = self.task.run(ring, listener)?;
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
}

impl Task {
    fn of(wanted: &JsValue) -> Result<Self, JsValue> {
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
        let rounds = vec![Round::alone(request.len())];
        let visit = Visit {
            expect: number(wanted, "expect")?.map_or(USUAL_EXPECT, |expect| expect as usize),
            roots,
            tls,
            no_alpn: flag(wanted, "noAlpn")?,
            wait: wait.transpose()?,
            selection,
            context: Context::new(&context).map_err(|error| wrong(&error.to_string()))?,
            ..Visit::new(page.host, page.port, Way::Carried, rounds)
        };
        // What cannot be proved of the request is refused before anybody gets it.
        visit.preflight(&request).map_err(failure)?;
        let notary = Notary {
            key: key.ok_or_else(|| wrong("`notaryKey` has 32 bytes, or 64 hexadecimal digits"))?,
            token: Zeroizing::new(bytes(wanted, "token")?.unwrap_or_default()),
        };
        Ok(Self { visit, request, notary })
    }

    fn run(&self, ring: Ring, listener: &Listener) -> Result<Visited, JsValue> {
        let Self { visit, request, notary } = self;
        let limits = Limits { read: Limits::default().read.max(visit.patience()), ..Limits::default() };
        let channel = Framed::new(RingTransport::new(ring), limits);
        let mut ask = |_: usize, _: &_| Ok(request.clone());
        visit.prove(channel, notary, None, &mut ask, listener).map_err(failure)
    }
}

/// JavaScript that hears what is being done. One that throws stops nothing.
struct Listener(Option<Function>);

impl Listener {
    fn tell(&self, what: &str) {
        if let Some(listener) = &self.0 {
            let _ = listener.call1(&JsValue::NULL, &JsValue::from_str(what));
        }
    }
}

impl Observer for Listener {
    fn begins(&self, phase: Phase) {
        match phase {
            Phase::AskingServer => self.tell("asking the website for its version of TLS"),
            Phase::SettingUp => {}
            phase => self.tell(&phase.to_string()),
        }
    }

    fn waits(&self, number: u32) {
        self.tell(&format!("number {number} in the queue"));
    }
}

/// The failure of a visit, with the page's names of what the notary does not allow.
fn failure(error: visit::Error) -> JsValue {
    match error {
        visit::Error::Session(error) => session(error),
        visit::Error::Unmet(unmet) => wrong(&match unmet {
            Unmet::Wait { .. } => format!("`timeout`: {unmet}"),
            Unmet::NoAlpn => format!("`noAlpn`: {unmet}"),
            Unmet::Requests { limit, .. } => {
                format!("the request is longer than the {limit} bytes that the notary takes")
            }
            unmet => unmet.to_string(),
        }),
        visit::Error::Unprovable(error) => unprovable(&error),
        visit::Error::Selection(error) | visit::Error::Page(error) => of_page(error),
        error => named("SessionError", &error.to_string()),
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
