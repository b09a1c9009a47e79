//! What a website said, over whole sessions, from a server in this process over real sockets.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use volery::statements::{AndChain, Sha256Preimage};
use volery::system::Bits;
use volery::web::Side;
use volery::web::attestation::{Context, Mode, SigningKey};
use volery::web::claim::{Assertion, CustomClaim, Interval, StatementClaim};
use volery::web::dialogue::ReceivedResponses;
use volery::web::disclosure;
use volery::web::joint::{self, RoundSizes, Sizes, client};
use volery::web::proxy::relay::Rules;
use volery::web::proxy::{self, Part, Redaction, Target, TlsVersion};
use volery::{Error, Options, ProvedPage, Prover, VerifiedPage, Verifier};
use volery_circuit::{Digest, Prove, Statement};
use volery_field::F2;
use zeroize::Zeroizing;

use crate::site::{site, talking};
use crate::support::{Link, between, options, patient, rng};

fn request(padding: usize) -> String {
    request_to("localhost", padding)
}

/// To a server that both parties connect to, whose port V learns here.
fn request_at(port: u16) -> String {
    request_to(&format!("localhost:{port}"), 0)
}

/// Limits of a V that does not mind which port.
fn any_port() -> joint::Limits {
    joint::Limits { ports: Vec::new(), ..joint::Limits::default() }
}

fn request_to(host: &str, padding: usize) -> String {
    let padding = "p".repeat(padding);
    format!(
        "GET /balance HTTP/1.1\r\nHost: {host}\r\nCookie: id=77\r\nX-Padding: {padding}\r\nConnection: close\r\n\r\n"
    )
}

fn response(padding: usize) -> Vec<u8> {
    let body = format!(r#"{{"balance": 5120, "padding": "{}"}}"#, "p".repeat(padding));
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
        .into_bytes()
}

fn hide(least: u64) -> Vec<Redaction> {
    let at_least = Assertion::Number(Interval::at_least(least));
    vec![
        Redaction::new(Side::Client, Part::Header("Cookie".into())),
        Redaction { claims: vec![at_least], ..Redaction::new(Side::Server, Part::Json("balance".into())) },
    ]
}

fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970").as_secs()
}

/// All that V reads and writes, and what it signed.
struct Ended {
    bytes: u64,
    statement: String,
}

fn run(query: &str, answer: Vec<u8>, least: u64) -> (Result<(), Error>, Result<Ended, Error>) {
    let (port, roots, _) = site(answer.clone());
    let key = SigningKey::from_bytes(&[7; 32]);
    let rules = Rules { private: true, ports: Vec::new(), ..Rules::default() };
    between(
        &patient(),
        |channel| {
            let rng = &mut rng(1);
            let mut prover = Prover::start(channel, Options::default(), rng)?;
            let target = Target {
                host: "localhost",
                port,
                roots: &roots,
                max_received: 1 << 20,
                wait: Duration::from_secs(10),
                version: Some(TlsVersion::Tls12),
                suite: None,
            };
            let fetched = prover.fetch(&target, query.as_bytes())?;
            assert_eq!(fetched.response(), answer);
            let (page, _) = prover.prove_web(&fetched, &hide(least), rng)?;
            let attestation = page.attestation(&key.verifying_key().to_bytes())?.attestation;
            let statement = attestation.verify(&key.verifying_key().to_bytes())?;
            assert_eq!(statement.server_name, "localhost");
            Ok(())
        },
        |channel| {
            let rng = &mut rng(2);
            let mut verifier = Verifier::start(channel, Options::default(), rng)?;
            let relayed = verifier.relay(&rules)?;
            let (page, _) = verifier.verify_web(&relayed, &roots, now(), rng)?;
            let statement = page.proven().statement().expect("what is shown is there").to_string();
            let stats = page.attest(&key)?.stats;
            Ok(Ended { bytes: stats.bytes_sent + stats.bytes_received, statement })
        },
    )
}

#[test]
fn a_balance_of_at_least_5000_is_attested_and_not_shown() {
    let (prover, ended) = run(&request(0), response(0), 5000);
    prover.expect("P ends well");
    let statement = ended.expect("V ends well").statement;
    assert!(statement.contains("response json balance: is a number of at least 5000\n"), "{statement}");
}

#[test]
fn query_and_response_of_2_kb_take_less_than_a_megabyte() {
    let (prover, ended) = run(&request(1900), response(1900), 5000);
    prover.expect("P ends well");
    let bytes = ended.expect("V ends well").bytes;
    assert!(bytes < 1_000_000, "{bytes} bytes");
}

#[test]
fn a_balance_that_is_lower_is_not_attested() {
    let (prover, ended) = run(&request(0), response(0), 5121);
    let not_true =
        |error: &Error| matches!(error, Error::Web(proxy::Error::Disclosure(disclosure::Error::NotTrue(_))));
    assert!(prover.as_ref().is_err_and(not_true), "{prover:?}");
    assert!(ended.is_err());
}

#[test]
fn a_session_in_which_the_connection_failed_is_over() {
    let (port, roots, _) = site(response(0));
    let rules = Rules::default();
    let (prover, verifier) = between(
        &patient(),
        |channel| {
            let rng = &mut rng(1);
            let mut prover = Prover::start(channel, Options::default(), rng)?;
            let target = Target {
                host: "localhost",
                port,
                roots: &roots,
                max_received: 1 << 20,
                wait: Duration::from_secs(10),
                version: Some(TlsVersion::Tls12),
                suite: None,
            };
            let first = prover.fetch(&target, request(0).as_bytes()).map(drop);
            assert!(matches!(prover.fetch(&target, b""), Err(Error::Over)));
            first
        },
        |channel| Verifier::start(channel, Options::default(), &mut rng(2))?.relay(&rules).map(drop),
    );
    assert!(matches!(prover, Err(Error::Web(_))), "{prover:?}");
    assert!(matches!(verifier, Err(Error::Web(_))), "{verifier:?}");
}

/// A notary's ports hold where P alone connects, too, and an honest P names the port that it has connected
/// to.
#[test]
fn two_parties_have_a_port_that_the_requests_name_and_the_notary_allows() {
    let answer = response(0);
    let (port, roots, _) = site(answer.clone());
    let run = |query: String, ports: Vec<u16>| {
        between(
            &patient(),
            |channel| {
                let prover = Prover::start(channel, Options::default(), &mut rng(1))?;
                let prepared = prover.prepare_web(Sizes::one(query.len(), answer.len()), rng(3))?;
                let target = client::Target {
                    host: "localhost",
                    roots: &roots,
                    probed: false,
                    limits: client::ConnectionLimits::default(),
                    no_alpn: false,
                };
                let mut fetched = prepared.fetch(&target, port, query.as_bytes())?;
                fetched.set_context(Context::new(b"nonce").expect("short"));
                fetched.prove(&hide(5000)).map(drop)
            },
            |channel| {
                let rng = &mut rng(2);
                let verifier = Verifier::start(channel, Options::default(), rng)?;
                let limits = joint::Limits { ports, ..joint::Limits::default() };
                let page = verifier.prepare_web(limits, rng)?.watch(rng)?.verify(&roots, now(), rng)?;
                let statement = page.proven().statement().expect("what is shown is there");
                Ok::<_, Error>((statement.port, statement.context.to_string()))
            },
        )
    };
    let (prover, verifier) = run(request_at(port), vec![port]);
    prover.expect("P ends well");
    assert_eq!(verifier.expect("V ends well"), (port, "nonce".to_owned()));
    let (_, verifier) = run(request_at(port), vec![443]);
    let refused = verifier.expect_err("not a port of V's").to_string();
    assert!(refused.contains("has nothing to do with this port"), "{refused}");
    let (prover, _) = run(request(0), Vec::new());
    let refused = prover.expect_err("V would sign 443").to_string();
    assert!(refused.contains("names port 443"), "{refused}");
}

#[test]
fn a_session_makes_a_connection_together_and_goes_on() {
    connection_after(None, [1, 1]);
}

#[test]
fn a_connection_is_made_wherever_proofs_before_it_have_left_the_correlations() {
    // The first stage is 131,072 long: P sends its part of the round after it at one half, V reads it at
    // three quarters. Either the labels' OTs take the pool over the half, or proofs of unknown size have.
    for (ands, counted, threads) in
        [(65_500, true, [1, 1]), (70_000, true, [3, 1]), (70_000, false, [1, 3]), (97_000, false, [1, 1])]
    {
        connection_after(Some(Before { chain: AndChain::new(ands), counted }), threads);
    }
    // And in the rounds after that, of which a party with more threads has more at hand.
    for threads in [[1, 3], [3, 1]] {
        connection_after(Some(Before { chain: AndChain::new(200_000), counted: false }), threads);
    }
}

/// What is proved before a connection, and whether the parties know its size.
struct Before {
    chain: AndChain,
    counted: bool,
}

impl<B: Prove<F2> + ?Sized> Statement<B> for Before {
    fn identify(&self, digest: &mut Digest) {
        Statement::<B>::identify(&self.chain, digest);
    }

    fn commitments(&self) -> Option<u64> {
        self.counted.then(|| Statement::<B>::commitments(&self.chain)).flatten()
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        self.chain.run(backend)
    }
}

/// A proof, if any, then a connection, then another proof, by parties with these threads.
fn connection_after(before: Option<Before>, threads: [usize; 2]) {
    let answer = response(0);
    let (port, roots, _) = site(answer.clone());
    let query = request_at(port);
    let (key, public) = {
        let key = SigningKey::from_bytes(&[7; 32]);
        let public = key.verifying_key().to_bytes();
        (key, public)
    };
    let statement = AndChain::new(1000);
    let [options_p, options_v] = threads.map(|threads| options(false, threads));
    let (prover, verifier) = between(
        &patient(),
        |channel| {
            let mut prover = Prover::start(channel, options_p, &mut rng(1))?;
            if let Some(before) = &before {
                prover.prove(Bits, before, &mut rng(4))?;
            }
            let prepared = prover.prepare_web(Sizes::one(query.len(), answer.len()), rng(3))?;
            let target = client::Target {
                host: "localhost",
                roots: &roots,
                probed: false,
                limits: client::ConnectionLimits::default(),
                no_alpn: false,
            };
            let fetched = prepared.fetch(&target, port, query.as_bytes())?;
            assert_eq!((fetched.request(), fetched.response()), (query.as_bytes(), &answer[..]));
            let attested = fetched.prove(&hide(5000))?.attestation(&public)?;
            assert!(attested.openings.is_none());
            let mut prover = attested.session.expect("nothing was committed to");
            prover.prove(Bits, &statement, &mut rng(5)).map(drop)
        },
        |channel| {
            let rng = &mut rng(2);
            let mut verifier = Verifier::start(channel, options_v, rng)?;
            if let Some(before) = &before {
                verifier.verify(Bits, before, rng)?;
            }
            let watched = verifier.prepare_web(any_port(), rng)?.watch(rng)?;
            assert_eq!(watched.host(), "localhost");
            let page = watched.verify(&roots, now(), rng)?;
            assert_eq!(page.proven().mode, Mode::TwoParty);
            let mut verifier = page.attest(&key)?.session.expect("nothing was committed to");
            verifier.verify(Bits, &statement, rng).map(drop)
        },
    );
    prover.expect("P ends well");
    verifier.expect("V ends well");
}

/// `printf 5120 | sha256sum`
const BALANCE_HASH: &str = "59dac69c02fa356c6337a03ef91cf7f19b07554a95a3e53d0e3baac34ad6cbce";

/// That the hidden balance is the preimage of this hash, as V holds it, or as P does.
fn preimage(message: Option<&[u8]>) -> CustomClaim {
    let byte = |i: usize| u8::from_str_radix(&BALANCE_HASH[2 * i..2 * i + 2], 16).expect("hex");
    let digest = core::array::from_fn(byte);
    let statement = Sha256Preimage::new(digest, 4).expect("short");
    let statement = match message {
        Some(message) => statement.with_message(message.to_vec().into()).expect("as long"),
        None => statement,
    };
    CustomClaim::new("example.com/sha256", &digest, Arc::new(StatementClaim(statement))).expect("a name")
}

#[test]
fn any_statement_about_a_hidden_part_s_bytes_is_proved_in_both_modes() {
    let answer = response(0);
    let (port, roots, _) = site(answer.clone());
    let query = request_at(port);
    let rules = Rules { private: true, ports: Vec::new(), ..Rules::default() };
    let claims = vec![Assertion::Custom(preimage(Some(b"5120")))];
    let hide = [Redaction { claims, ..Redaction::new(Side::Server, Part::Json("balance".into())) }];
    let key = SigningKey::from_bytes(&[7; 32]);
    let public = key.verifying_key().to_bytes();
    let (prover, verifier) = between(
        &patient(),
        |channel| {
            let rng = &mut rng(1);
            let mut prover = Prover::start(channel, Options::default(), rng)?;
            let target = Target {
                host: "localhost",
                port,
                roots: &roots,
                max_received: 1 << 20,
                wait: Duration::from_secs(10),
                version: Some(TlsVersion::Tls12),
                suite: None,
            };
            let fetched = prover.fetch(&target, query.as_bytes())?;
            let (page, _) = prover.prove_web(&fetched, &hide, rng)?;
            let prover = page.attestation(&public)?.session.expect("nothing was committed to");
            let prepared = prover.prepare_web(Sizes::one(query.len(), answer.len()), self::rng(3))?;
            let limits = client::ConnectionLimits::default();
            let target =
                client::Target { host: "localhost", roots: &roots, probed: false, limits, no_alpn: false };
            prepared.fetch(&target, port, query.as_bytes())?.prove(&hide).map(drop)
        },
        |channel| {
            let rng = &mut rng(2);
            let mut verifier = Verifier::start(channel, Options::default(), rng)?;
            verifier.set_vocabulary(Arc::new(vec![preimage(None)]));
            let relayed = verifier.relay(&rules)?;
            let (page, _) = verifier.verify_web(&relayed, &roots, now(), rng)?;
            let statement = |page: &VerifiedPage<Link>| {
                page.proven().statement().expect("what is shown is there").to_string()
            };
            let relayed = statement(&page);
            let verifier = page.attest(&key)?.session.expect("nothing was committed to");
            let watched = verifier.prepare_web(any_port(), rng)?.watch(rng)?;
            Ok::<_, Error>([relayed, statement(&watched.verify(&roots, now(), rng)?)])
        },
    );
    prover.expect("P ends well");
    for statement in verifier.expect("V ends well") {
        assert!(
            statement.contains(&format!(
                "response json balance: is what \"example.com/sha256\" claims with {BALANCE_HASH}\n"
            )),
            "{statement}"
        );
    }
}

/// A server that gives a token and, to those who have it, an age.
fn with_token() -> (u16, volery::web::server::Roots, String) {
    talking(|_, head| {
        let body = match head.split(' ').nth(1) {
            Some("/token") => r#"{"token": "t-0815"}"#,
            Some("/age?t-0815") => r#"{"age": 36}"#,
            _ => r#"{"error": "who are you?"}"#,
        };
        Some(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes())
    })
}

fn asks(port: u16, round: usize, heard: &ReceivedResponses) -> Result<Zeroizing<Vec<u8>>, String> {
    let (target, connection) = match round {
        0 => ("/token".to_owned(), "keep-alive"),
        _ => {
            let body = heard.responses()[0].body.bytes(heard.text());
            (format!("/age?{}", String::from_utf8_lossy(&body[11..17])), "close")
        }
    };
    Ok(Zeroizing::new(
        format!("GET {target} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: {connection}\r\n\r\n")
            .into_bytes(),
    ))
}

#[test]
fn a_request_with_what_the_server_said_before_is_proved_in_both_modes() {
    let (port, roots, _) = with_token();
    let age = Assertion::Number(Interval::between(30, 40));
    let hide = vec![
        Redaction::new(Side::Server, Part::Json("token".into())),
        Redaction { round: 1, ..Redaction::new(Side::Client, Part::Query) },
        Redaction { round: 1, claims: vec![age], ..Redaction::new(Side::Server, Part::Json("age".into())) },
    ];
    for mode in [Mode::TwoParty, Mode::Proxy] {
        let (prover, verifier) = between(
            &patient(),
            |channel| {
                let mut prover = Prover::start(channel, Options::default(), &mut rng(1))?;
                if mode == Mode::Proxy {
                    let target = Target {
                        host: "localhost",
                        port,
                        roots: &roots,
                        max_received: 1 << 20,
                        wait: Duration::from_secs(10),
                        version: Some(TlsVersion::Tls12),
                        suite: None,
                    };
                    let fetched =
                        prover.converse(&target, 2, &mut |round, heard| asks(port, round, heard))?;
                    return prover.prove_web(&fetched, &hide, &mut rng(3)).map(drop);
                }
                let [first, second] =
                    [("/token", "keep-alive"), ("/age?t-0815", "close")].map(|(target, connection)| {
                        format!(
                            "GET {target} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: {connection}\r\n\r\n"
                        )
                        .len()
                    });
                let rounds =
                    vec![RoundSizes { query: first, read: 96 }, RoundSizes { query: second, read: 0 }];
                let prepared = prover.prepare_web(Sizes { rounds, ..Sizes::one(1, 120) }, rng(3))?;
                let limits = client::ConnectionLimits::default();
                let target = client::Target {
                    host: "localhost",
                    roots: &roots,
                    probed: false,
                    limits,
                    no_alpn: false,
                };
                prepared
                    .converse(&target, port, &mut |round, heard| asks(port, round, heard))?
                    .prove(&hide)
                    .map(drop)
            },
            |channel| {
                let rng = &mut rng(2);
                let mut verifier = Verifier::start(channel, Options::default(), rng)?;
                if mode == Mode::Proxy {
                    let rules = Rules { private: true, ports: Vec::new(), ..Rules::default() };
                    let relayed = verifier.relay(&rules)?;
                    return Ok::<_, Error>(verifier.verify_web(&relayed, &roots, now(), rng)?.0);
                }
                let watched = verifier.prepare_web(any_port(), rng)?.watch(rng)?;
                watched.verify(&roots, now(), rng)
            },
        );
        prover.expect("P ends well");
        let page = verifier.expect("V ends well");
        let proven = page.proven();
        assert_eq!(proven.mode, mode);
        let statement = proven.statement().expect("signable").to_string();
        assert!(statement.contains("response 2 json age: is a number from 30 to 40\n"), "{statement}");
        assert!(!proven.request.text.windows(6).any(|text| text == b"t-0815"));
    }
}

#[test]
fn a_notary_refuses_requests_over_its_limit_and_provers_requests_over_their_preparation() {
    let (port, roots, _) = site(response(0));
    let run = |query: usize, limit: usize| {
        between(
            &patient(),
            |channel| {
                let prover = Prover::start(channel, Options::default(), &mut rng(1))?;
                let prepared = prover.prepare_web(Sizes::one(query, 100), rng(3))?;
                let limits = client::ConnectionLimits::default();
                let target = client::Target {
                    host: "localhost",
                    roots: &roots,
                    probed: false,
                    limits,
                    no_alpn: false,
                };
                prepared.fetch(&target, port, request(0).as_bytes()).map(drop)
            },
            |channel| {
                let rng = &mut rng(2);
                let verifier = Verifier::start(channel, Options::default(), rng)?;
                let limits = joint::Limits { query: limit, ..any_port() };
                verifier.prepare_web(limits, rng)?.watch(rng).map(drop)
            },
        )
    };
    let (prover, verifier) = run(300, 299);
    assert!(matches!(verifier, Err(Error::Joint(joint::Error::Limit { asked: 300, limit: 299, .. }))));
    assert!(prover.is_err());
    let (prover, verifier) = run(request(0).len() + 1, 1 << 14);
    assert!(matches!(prover, Err(Error::Joint(joint::Error::Connection(_)))), "{prover:?}");
    assert!(verifier.is_err());
}

/// The cookie and the balance, both committed to; the latter is at least 5000.
fn committed() -> Vec<Redaction> {
    hide(5000).into_iter().map(|hide| Redaction { commit: true, ..hide }).collect()
}

/// P and V of a session, over proxy mode or together, whose commitments `p` makes and `v` signs.
fn commit<P: Send, V: Send>(
    together: bool,
    p: impl FnOnce(ProvedPage<Link>) -> Result<P, Error> + Send,
    v: impl FnOnce(VerifiedPage<Link>) -> Result<V, Error> + Send,
) -> (Result<P, Error>, Result<V, Error>) {
    let answer = response(0);
    let (port, roots, _) = site(answer.clone());
    let query = request_at(port);
    between(
        &patient(),
        |channel| {
            let mut prover = Prover::start(channel, Options::default(), &mut rng(1))?;
            if together {
                let prepared = prover.prepare_web(Sizes::one(query.len(), answer.len()), rng(3))?;
                let target = client::Target {
                    host: "localhost",
                    roots: &roots,
                    probed: false,
                    limits: client::ConnectionLimits::default(),
                    no_alpn: false,
                };
                return p(prepared.fetch(&target, port, query.as_bytes())?.prove(&committed())?);
            }
            let target = Target {
                host: "localhost",
                port,
                roots: &roots,
                max_received: 1 << 20,
                wait: Duration::from_secs(10),
                version: Some(TlsVersion::Tls12),
                suite: None,
            };
            let fetched = prover.fetch(&target, query.as_bytes())?;
            p(prover.prove_web(&fetched, &committed(), &mut rng(5))?.0)
        },
        |channel| {
            let rng = &mut rng(2);
            let mut verifier = Verifier::start(channel, Options::default(), rng)?;
            if together {
                let watched = verifier.prepare_web(any_port(), rng)?.watch(rng)?;
                return v(watched.verify(&roots, now(), rng)?);
            }
            let rules = Rules { private: true, ports: Vec::new(), ..Rules::default() };
            let relayed = verifier.relay(&rules)?;
            v(verifier.verify_web(&relayed, &roots, now(), rng)?.0)
        },
    )
}

#[test]
fn a_session_that_ends_with_commitments_is_no_session_any_more() {
    let key = SigningKey::from_bytes(&[7; 32]);
    let public = key.verifying_key().to_bytes();
    for together in [false, true] {
        let (prover, verifier) = commit(together, |page| page.attestation(&public), |page| page.attest(&key));
        let (attested, signed) = (prover.expect("P ends well"), verifier.expect("V ends well"));
        assert!(attested.session.is_none() && signed.session.is_none());
        assert_eq!(attested.attestation, signed.attestation);
        let statement = attested.attestation.verify(&public).expect("signed");
        let openings = attested.openings.expect("something was committed to");
        let shown = openings.check(statement).expect("they open the commitments");
        let contents: Vec<_> = shown.iter().map(|part| (part.part.as_str(), &part.bytes[..])).collect();
        assert_eq!(contents, [("header Cookie", &b"id=77"[..]), ("json balance", b"5120")]);
    }
}
