//! All that a prover does for one connection, with a notary that tells its limits.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use volery::notary::{self, Greeting, Terms, Way};
use volery::visit::{self, Notary, Observer, Phase, Round, Unmet, Visit, Visited};
use volery::web::attestation::{SigningKey, Statement};
use volery::web::disclosure::words;
use volery::web::joint;
use volery::web::proxy::relay::Rules;
use volery::web::relay::carrying;
use volery::web::server::Roots;
use volery::{Channel, Error, Options, Verifier, Zeroizing};

use crate::site::{site, talking};
use crate::support::{Link, between, patient, rng};

const WAYS: [Way; 3] = [Way::TwoParty, Way::Carried, Way::Proxy];

const TERMS: Terms = Terms {
    request: 1 << 14,
    read: 1 << 12,
    proved: 1 << 13,
    received: 1 << 24,
    hidden: 1 << 16,
    wait: 10,
    no_alpn: false,
    contract_signer: None,
};

fn key() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

fn signer() -> Notary {
    Notary { key: key().verifying_key().to_bytes(), token: Zeroizing::new(b"a token".to_vec()) }
}

/// A notary that signs what one prover proves. The prover waits for a moment: it is the third in the line.
fn notarise(mut channel: Link, terms: Terms, roots: &Roots) -> Result<(), Error> {
    let Greeting { way, token } = Greeting::receive(&mut channel)?;
    assert_eq!(&token[..], b"a token");
    notary::wait(&mut channel, 2)?;
    notary::begin(&mut channel, terms)?;
    let rules = Rules { private: true, ports: Vec::new(), ..Rules::default() };
    match way {
        Way::Carried => attest(way, carrying(channel, rules.clone()), &rules, roots),
        Way::TwoParty | Way::Proxy => attest(way, channel, &rules, roots),
    }
}

fn attest(way: Way, channel: impl Channel, rules: &Rules, roots: &Roots) -> Result<(), Error> {
    let rng = &mut rng(2);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970").as_secs();
    let mut verifier = Verifier::start(channel, Options::default(), rng)?;
    let page = match way {
        Way::Proxy => {
            let relayed = verifier.relay(rules)?;
            verifier.verify_web(&relayed, roots, now, rng)?.0
        }
        Way::TwoParty | Way::Carried => {
            let limits = joint::Limits { ports: Vec::new(), ..joint::Limits::default() };
            verifier.prepare_web(limits, rng)?.watch(rng)?.verify(roots, now, rng)?
        }
    };
    page.attest(&key()).map(drop)
}

const BODY: &str = r#"{"holder": "Ada", "balance": 5120}"#;

fn response() -> Vec<u8> {
    let length = BODY.len();
    format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{BODY}").into_bytes()
}

fn request(port: u16, cookie: &str, connection: &str) -> Zeroizing<Vec<u8>> {
    let request = format!(
        "GET /account HTTP/1.1\r\nHost: localhost:{port}\r\n{cookie}Connection: {connection}\r\n\r\n"
    );
    Zeroizing::new(request.into_bytes())
}

/// A visit of one request.
fn visit(way: Way, port: u16, roots: &Roots, least: u64) -> Visit {
    let claims = [format!("response.json:balance in {least}..")];
    let selection = words::parse(&[], &claims, &[], Some(&[]), Vec::new()).expect("sound");
    let rounds = vec![Round::alone(request(port, COOKIE, "close").len())];
    Visit { selection, roots: roots.clone(), ..Visit::new("localhost", port, way, rounds) }
}

const COOKIE: &str = "Cookie: id=77\r\n";

/// Writes down what it hears, and agrees or not.
struct Log {
    heard: Mutex<Vec<String>>,
    agrees: bool,
}

impl Log {
    fn new(agrees: bool) -> Self {
        Self { heard: Mutex::default(), agrees }
    }

    fn add(&self, what: impl ToString) {
        self.heard.lock().expect("whole").push(what.to_string());
    }
}

impl Observer for Log {
    fn begins(&self, phase: Phase) {
        self.add(phase);
    }

    fn waits(&self, number: u32) {
        self.add(number);
    }

    fn hears(&self, terms: &Terms) {
        assert_eq!(*terms, TERMS);
        self.add("terms");
    }

    fn agrees(&self, statement: &Statement) -> Result<(), String> {
        self.add(if statement.to_string().contains("Ada") { "too much" } else { "asked" });
        if self.agrees { Ok(()) } else { Err("no".into()) }
    }
}

/// The visit, with the notary's end of it.
fn run(
    visit: &Visit,
    terms: Terms,
    observer: &(impl Observer + Sync),
) -> (Result<Visited, visit::Error>, Result<(), Error>) {
    let probe = visit.probe(observer).expect("a website that can be served");
    between(
        &patient(),
        |channel| {
            let mut ask = |_: usize, _: &_| Ok(request(visit.port, COOKIE, "close"));
            visit.prove(channel, &signer(), probe, &mut ask, observer)
        },
        |channel| notarise(channel, terms, &visit.roots),
    )
}

#[test]
fn a_visit_ends_in_an_attestation_whichever_way_the_connection_is_made() {
    let (port, roots, _) = site(response());
    for way in WAYS {
        let log = Log::new(true);
        let (prover, notary) = run(&visit(way, port, &roots, 5000), TERMS, &log);
        let visited = prover.expect("P ends well");
        notary.expect("V ends well");
        assert_eq!(&visited.response[..], response());
        let statement = visited.attestation.verify(&signer().key).expect("signed").to_string();
        assert!(statement.contains("balance: is a number of at least 5000"), "{statement}");
        assert!(!statement.contains("Ada") && !statement.contains("id=77"), "{statement}");
        let asking = "asking the server for its version of TLS and cipher suite";
        let begun = ["waiting for the notary", "3", "setting up", "terms"];
        let before: &[&str] = if way == Way::TwoParty { &[asking] } else { &[] };
        let within: &[&str] = match way {
            Way::TwoParty => &["preparing the connection"],
            Way::Carried => &[asking, "preparing the connection"],
            Way::Proxy => &[],
        };
        let end = ["fetching the page", "asked", "proving", "waiting for the attestation"];
        assert_eq!(log.heard.into_inner().expect("whole"), [before, &begun, within, &end].concat());
    }
}

#[test]
fn nothing_is_shown_of_a_page_that_may_not_be_signed() {
    let (port, roots, _) = site(response());
    for way in WAYS {
        let (prover, notary) = run(&visit(way, port, &roots, 5000), TERMS, &Log::new(false));
        assert_eq!(prover.err(), Some(visit::Error::Declined("no".into())));
        assert!(notary.is_err());
    }
}

#[test]
fn what_is_not_true_of_a_page_is_the_pages_fault() {
    let (port, roots, _) = site(response());
    let (prover, _) = run(&visit(Way::Proxy, port, &roots, 6000), TERMS, &());
    assert!(matches!(prover, Err(visit::Error::Page(_))));
    let mut missing = visit(Way::Proxy, port, &roots, 5000);
    let shown = ["response.json:street".into()];
    missing.selection = words::parse(&[], &[], &[], Some(&shown), Vec::new()).expect("sound");
    assert!(matches!(run(&missing, TERMS, &()).0, Err(visit::Error::Selection(_))));
}

#[test]
fn a_website_is_not_asked_for_what_the_notary_does_not_allow() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let (port, roots, _) = talking(move |_, _| {
        counter.fetch_add(1, Ordering::SeqCst);
        Some(response())
    });
    for way in [Way::TwoParty, Way::Carried] {
        let visit = visit(way, port, &roots, 5000);
        let length = visit.rounds[0].query;
        let (prover, notary) = run(&visit, Terms { request: 10, ..TERMS }, &());
        assert_eq!(prover.err(), Some(Unmet::Requests { asked: length, limit: 10 }.into()));
        assert!(notary.is_err());
    }
    let closing = Visit { trust_close: true, ..visit(Way::Carried, port, &roots, 5000) };
    assert!(matches!(run(&closing, TERMS, &()).0, Err(visit::Error::Session(Error::Options(_)))));
    assert_eq!(asked.load(Ordering::SeqCst), 0);
}

#[test]
fn a_request_of_which_something_could_not_be_proved_is_not_sent() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let (port, roots, _) = talking(move |_, _| {
        counter.fetch_add(1, Ordering::SeqCst);
        let length = BODY.len();
        Some(format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{BODY}").into_bytes())
    });
    // The second request has no cookie that could be hidden.
    let requests = [request(port, COOKIE, "keep-alive"), request(port, "", "close")];
    let hide = ["request.header:Cookie".into(), "request2.header:Cookie".into()];
    for way in WAYS {
        asked.store(0, Ordering::SeqCst);
        let [first, second] = requests.each_ref().map(|request| request.len());
        let rounds = vec![Round { query: first, read: Some(200) }, Round::alone(second)];
        let mut visit = Visit { rounds, ..visit(way, port, &roots, 0) };
        visit.selection = words::parse(&hide, &[], &[], Some(&[]), Vec::new()).expect("sound");
        assert_eq!(visit.preflight(&requests[0]), Ok(()));
        let probe = visit.probe(&()).expect("a website that can be served");
        let (prover, notary) = between(
            &patient(),
            |channel| {
                let mut ask = |round: usize, _: &_| Ok(requests[round].clone());
                visit.prove(channel, &signer(), probe, &mut ask, &())
            },
            |channel| notarise(channel, TERMS, &roots),
        );
        let refused = visit.preflight(&[&requests[0][..], &requests[1]].concat()).expect_err("no cookie");
        assert!(matches!(refused, visit::Error::Unprovable(_)));
        assert_eq!((prover.err(), asked.load(Ordering::SeqCst)), (Some(refused), 1));
        assert!(notary.is_err());
    }
}
