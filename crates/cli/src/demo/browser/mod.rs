//! `volery demo browser`: a page in which a web browser proves, to this program.
//!
//! ```text
//! GET  /, /style.css, ...         the page, from the program itself (`files`)
//! POST /claims                    what the page is going to prove (`claims`)
//! GET  /verify/CLAIM/SESSION      a WebSocket: this program verifies a proof of the claim
//! GET  /verdicts/SESSION          how that ended, as the verifier sees it
//! GET  /website                   the demonstration's website, and the key of its notary (`website`)
//! GET  /notary/SESSION            a WebSocket: this program is the notary of a page of that website
//! ```
//!
//! The last two are there only if nobody but this machine gets the page, or if the command line says so.

mod claims;
mod files;
mod hosts;
mod http;
mod website;

use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use volery::{Limits, Options};
use volery_channel::Framed;
use volery_channel::websocket::{Origins, WebSocket};
use volery_statement::{Watch, settle};

use crate::args::DemoBrowserArgs;
use crate::failure::Failure;
use crate::serve::catching_panics;
use crate::session::{self, Figures};
use crate::{outcome, output, terminal};
use claims::Claims;
use files::Files;
use hosts::Hosts;
use http::{Answer, Refusal, Request};
use website::Website;

/// The most connections at the same time. More are closed.
const MAX_CONNECTIONS: usize = 64;
/// How long the verifier waits for the page. A session begins before the person has typed everything in.
const PATIENCE: Duration = Duration::from_secs(600);
/// How long a session may take.
const SESSION_TIME: Duration = Duration::from_secs(1800);
/// Why there is no website.
const NOT_LOCAL: &str = "The demonstration's website and its notary are for this machine, and others get this page; --website-for-all offers them to all";
/// Bytes of a session besides what its proof is estimated to take.
const SLACK: u64 = 1 << 20;

/// Runs the command until a signal ends the program.
pub(super) fn run(args: &DemoBrowserArgs) -> Result<(), Failure> {
    let files = Files::all().ok_or_else(|| {
        Failure::input(
            "this build has no WebAssembly modules for the page: in Volery's repository, run `js/run build`, then `cargo build --release -p volery-cli --features browser`",
        )
    })?;
    if args.origin.iter().any(|origin| origin == "*") {
        return Err(Failure::input("--origin *: the page is known under names of its own; give each"));
    }
    let name = hosts::name_of(&args.listen)?;
    let failed = |error| Failure::session(format!("{}: {error}", args.listen));
    let listener = TcpListener::bind(&args.listen).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let hosts = Hosts::new(address, name, &args.origin);
    let website = if hosts::is_local(address, &args.origin) || args.website_for_all {
        Some(Website::start()?)
    } else {
        None
    };
    terminal::message(&format!("listening at {address}"));
    let also = match &website {
        Some(website) => format!(
            "It is also a website, {}, and a notary with the public key\n{}",
            website.address(),
            website.notary_key()
        ),
        None => format!("{NOT_LOCAL}."),
    };
    output::result(&format!(
        "Open http://{address} in a browser. The page proves, and this program verifies. It prints how each proof ends.\n\n\
         {also}\n\nCtrl-C ends it."
    ))?;
    let (claims, connections) = (Claims::default(), AtomicUsize::new(0));
    let server = Arc::new(Server { files, hosts, claims, website, connections });
    for stream in listener.incoming() {
        let Ok(stream) = stream else {
            // For example too many open files, which may pass.
            thread::sleep(Duration::from_millis(100));
            continue;
        };
        server.take(stream);
    }
    Ok(())
}

struct Server {
    files: Files,
    hosts: Hosts,
    claims: Claims,
    /// None if others than this machine get the page: they would all be one person to the website.
    website: Option<Website>,
    connections: AtomicUsize,
}

/// A place among [`MAX_CONNECTIONS`]; free again when it is dropped.
struct Place(Arc<Server>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Server {
    /// Starts a thread for a connection, if there is a place.
    fn take(self: &Arc<Self>, stream: TcpStream) {
        let before = self.connections.fetch_add(1, Ordering::Relaxed);
        let place = Place(Arc::clone(self));
        if before >= MAX_CONNECTIONS {
            return;
        }
        // If no thread starts, the connection is closed.
        let _ = thread::Builder::new().spawn(move || {
            let served = catching_panics(|| place.0.attend(stream));
            if let Err(failure) = served {
                terminal::detail(&format!("a connection ended: {failure}"));
            }
        });
    }

    /// Serves one request.
    fn attend(&self, stream: TcpStream) -> Result<(), Failure> {
        let mut request = match Request::read(&stream, &self.hosts) {
            Ok(request) => request,
            Err(refusal) => return refusal.answer().send(&stream, "localhost").map_err(Failure::session),
        };
        if request.wants_websocket && request.path.strip_prefix("/notary/").is_some_and(claims::is_name) {
            return match self.website() {
                Ok(website) => website.notarise(request, stream, &self.origins()),
                Err(refusal) => refusal.answer().send(&stream, &request.host).map_err(Failure::session),
            };
        }
        if request.wants_websocket {
            return match self.session_of(&request) {
                Ok((claim, name)) => self.verify(request, stream, &claim, name),
                Err(refusal) => refusal.answer().send(&stream, &request.host).map_err(Failure::session),
            };
        }
        let answer = self.answer(&mut request, &stream).unwrap_or_else(|refusal| refusal.answer());
        answer.send(&stream, &request.host).map_err(Failure::session)
    }

    fn answer(&self, request: &mut Request, stream: &TcpStream) -> Result<Answer, Refusal> {
        let path = request.path.clone();
        match (&*request.method, &*path) {
            ("GET", path) if path.starts_with("/verdicts/") => {
                let name = path.trim_start_matches("/verdicts/");
                let verdict = self.claims.verdict(name).unwrap_or_else(|| json!({ "result": "pending" }));
                Ok(Answer::json("200 OK", &verdict))
            }
            ("GET", "/website") => Ok(Answer::json("200 OK", &self.website()?.told())),
            ("GET", path) => self.files.find(path).ok_or_else(missing),
            ("POST", "/claims") => {
                // Browsers let other pages send forms, but not JSON, and name their origin.
                if !self.hosts.is_own(request.origin.as_deref()) || request.content_type != "application/json"
                {
                    let reason = "only the demonstration's own page makes claims here";
                    return Err(Refusal::new("403 Forbidden", reason));
                }
                let share = self.claims.reserve(request.length())?;
                let body = request.body(stream, &share)?;
                Ok(Answer::json("200 OK", &self.claims.add(&body)?))
            }
            ("POST", _) => Err(missing()),
            _ => Err(Refusal::new("405 Method Not Allowed", "only GET and POST are known here")),
        }
    }

    /// The website and its notary.
    fn website(&self) -> Result<&Website, Refusal> {
        self.website.as_ref().ok_or_else(|| Refusal::new("403 Forbidden", NOT_LOCAL))
    }

    /// The pages that may open a WebSocket. A program that names no origin may, too: it reaches this port
    /// anyway.
    fn origins(&self) -> Origins {
        Origins::These(self.hosts.origins().to_vec())
    }

    /// The claim and the name of the session that a WebSocket is for.
    fn session_of(&self, request: &Request) -> Result<(Arc<claims::Claim>, String), Refusal> {
        let words = request.path.strip_prefix("/verify/").and_then(|rest| rest.split_once('/'));
        let (id, name) = words.filter(|(_, name)| claims::is_name(name)).ok_or_else(missing)?;
        let gone = || Refusal::new("404 Not Found", "this claim was made too long ago; load the page again");
        Ok((self.claims.find(id).ok_or_else(gone)?, name.to_owned()))
    }

    /// Verifies one proof.
    fn verify(
        &self,
        request: Request,
        stream: TcpStream,
        claim: &claims::Claim,
        name: String,
    ) -> Result<(), Failure> {
        let peer = stream.peer_addr().map_or_else(|_| "the page".to_owned(), |address| address.to_string());
        let verdict = catching_panics(|| {
            let settled = settle(&*claim.statement, Options::default(), None)?;
            let most = settled.foresee()?.map(|estimate| estimate.bytes().saturating_mul(2));
            let limits = Limits {
                read: PATIENCE,
                total_time: Some(SESSION_TIME),
                total_bytes: most.map(|most| most.saturating_add(SLACK)),
                ..Limits::default()
            };
            let (socket, received) = request.into_socket(stream).map_err(Failure::session)?;
            let socket = WebSocket::accept(socket, received, &self.origins(), &limits)?;
            session::verify(&settled, Box::new(Framed::new(socket, limits)), &Watch::none())
        });
        self.claims.conclude(name, told(&verdict));
        outcome::report(false, &claim.text, &peer, &verdict)
    }
}

/// A verdict for the page.
fn told(verdict: &Result<Figures, Failure>) -> Value {
    match verdict {
        Ok(figures) => {
            let mut told = serde_json::to_value(figures).unwrap_or_default();
            if let Value::Object(keys) = &mut told {
                keys.insert("result".to_owned(), "accepted".into());
            }
            told
        }
        Err(failure) => {
            let result = if failure.is_rejection() { "rejected" } else { "failed" };
            json!({ "result": result, "message": failure.reason() })
        }
    }
}

fn missing() -> Refusal {
    Refusal::new("404 Not Found", "there is nothing of this name")
}
