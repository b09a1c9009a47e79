//! `volery web prove --then`: several requests, on one connection or on one each.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use volery::web::attestation::{Attestation, AttestedPayload, Context, Mode, SigningKey, Statement};
use volery::web::disclosure::{Suite, TlsVersion};

use crate::fixture::key;
use crate::site::talking;
use crate::support::*;

/// A token that a further request takes is hidden even if nothing else of the response is.
#[test]
fn what_a_further_request_takes_is_hidden_by_default() {
    let dir = tempfile::tempdir().expect("a directory");
    let (port, _, pem) = talking(|_, head| {
        let body = match head.split(' ').nth(1) {
            Some("/token") => r#"{"token": "t-0815", "for": "Ada"}"#,
            Some("/account/t-0815") => r#"{"balance": 5120}"#,
            _ => r#"{"error": "who are you?"}"#,
        };
        Some(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes())
    });
    let roots = write(dir.path(), "roots.pem", &pem);
    let then = write(dir.path(), "then", "GET /account/{{response.json:token|10}}\n");
    let (url, out) = (format!("https://localhost:{port}/token"), dir.path().join("a").display().to_string());
    let args = ["web", "prove", &url, "--roots", &roots, "--then", &then, "--mode", "proxy", "--out", &out];
    let text = run(&args, "").expect(0, "").stdout;
    assert!(text.contains("Ada") && text.contains("5120") && text.contains("GET /token"), "{text}");
    assert!(!text.contains("0815"), "{text}");
    assert!(text.contains("request 2 path"), "{text}");
    let apart = dir.path().join("apart").display().to_string();
    let args = [&args[..args.len() - 1], &[&*apart, "--apart"]].concat();
    let text = run(&args, "").expect(0, "").stdout;
    assert!(text.contains("Ada") && text.contains("5120") && text.contains("GET /token"), "{text}");
    assert!(!text.contains("0815"), "{text}");
    let second = format!("{apart}.2");
    let text = run(&["attestation", "show", &second], "").expect(0, "").stdout;
    let signer = text.lines().find_map(|line| line.strip_prefix("signer    ")).expect("a signer");
    let verify = ["attestation", "verify", &second, "--key", signer];
    run(&verify, "").expect(1, "--allow-hidden-path");
    run(&[&verify[..], &["--allow-hidden-path"]].concat(), "").expect(0, "");
}

/// In both modes, with a token, a cookie and a header field that the second request takes from the first
/// response.
#[test]
fn a_further_request_takes_values_from_an_earlier_response() {
    let dir = tempfile::tempdir().expect("a directory");
    let (port, _, pem) = talking(|_, head| {
        let known = ["Authorization: Bearer t-0815", "Cookie: sid=s=47", "If-Match: v11"];
        let known = known.iter().all(|field| head.contains(field));
        let body = match head.split(' ').nth(1) {
            Some("/token") => r#"{"token": "t\u002d0815"}"#,
            Some("/account") if known => r#"{"balance": 5120, "currency": "EUR"}"#,
            _ => r#"{"error": "who are you?"}"#,
        };
        let set = "Set-Cookie: sid=s=47; Path=/; HttpOnly\r\nETag: v11\r\n";
        let length = body.len();
        Some(format!("HTTP/1.1 200 OK\r\n{set}Content-Length: {length}\r\n\r\n{body}").into_bytes())
    });
    let roots = write(dir.path(), "roots.pem", &pem);
    let then = "GET /account\nAuthorization: Bearer {{response.json:token|10}}\n\
                Cookie: sid={{response.cookie:sid|4}}\nIf-Match: {{response.header:etag|8}}\n";
    let then = write(dir.path(), "then", then);
    let url = format!("https://localhost:{port}/token");
    let prove = |out: &str, then: &str, more: &[&str]| {
        let base =
            ["web", "prove", &url, "--roots", &roots, "--then", then, "--read", "200", "--expect", "200"];
        let claims = [
            "--reveal",
            "response2.json:currency",
            "--assert",
            "response2.json:balance in 5000..",
            "--out",
            out,
        ];
        run(&[&base, &claims[..], more].concat(), "")
    };
    for mode in ["two-party", "proxy"] {
        let out = dir.path().join(mode).display().to_string();
        prove(&out, &then, &["--mode", mode]).expect(0, "");
        let text = run(&["attestation", "show", &out], "").expect(0, "").stdout;
        let signer = text.lines().find_map(|line| line.strip_prefix("signer    ")).expect("a signer");
        let verify = ["attestation", "verify", &out, "--key", signer];
        run(&verify, "").expect(1, "--max-rounds is 1");
        run(&[&verify[..], &["--max-rounds", "2"]].concat(), "").expect(0, "");
        assert!(text.contains("rounds    2 requests, each after the response to the one before"), "{text}");
        assert!(text.contains("response 2 json balance: is a number of at least 5000"), "{text}");
        assert!(text.contains("EUR") && text.contains("Authorization"), "{text}");
        for hidden in ["0815", "s=47", "v11", ": 5120"] {
            assert!(!text.contains(hidden), "{hidden} in {text}");
        }
    }
    let none = dir.path().join("none").display().to_string();
    let refused = |text: &str, reason: &str| {
        let then = write(dir.path(), "wrong", text);
        prove(&none, &then, &[]).refused(reason);
    };
    refused("GET", "must be a method and a target");
    refused("GET /{{response2.json:a|3}}", "no response 2 comes before it");
    refused("GET /{{response.json:a}}", "is not a placeholder");
    refused("GET /?_method=HEAD", "a different method");
    refused("DELETE /\n\n{}", "only POST, PUT and PATCH may have a body");
    refused("GET /{{response.header:Content-Type|20}}", "--reveal response.header:Content-Type");
    prove(&none, &then, &["--pipelined", "--mode", "proxy"]).refused("--pipelined");
    // One value is longer than planned, and one is missing.
    for (name, reason) in [
        ("json:token|3", "3 were planned"),
        ("json:ticket|3", "nothing at ticket"),
        ("cookie:path|3", "the cookie path of response 1: there is none"),
    ] {
        let then = write(dir.path(), "other", &format!("GET /{{{{response.{name}}}}}"));
        prove(&none, &then, &["--mode", "proxy"]).expect(3, reason);
    }
}

/// A file with an attestation of a page with two parties, changed in this way, and the key that signed it.
fn signed(dir: &Path, name: &str, change: impl FnOnce(&mut Statement)) -> (String, String) {
    let key = SigningKey::from_bytes(&[7; 32]);
    let mut statement = Statement {
        mode: Mode::TwoParty,
        tls: TlsVersion::Tls12,
        suite: Suite::Aes128GcmSha256,
        server_name: "example.com".into(),
        port: 443,
        alpn: true,
        certificate: [1; 32],
        time: 1_780_000_000,
        rounds: 1,
        pipelined: false,
        context: Context::default(),
        holder: None,
        query: AttestedPayload::default(),
        response: AttestedPayload::default(),
    };
    change(&mut statement);
    let file = dir.join(name);
    std::fs::write(&file, Attestation::sign(statement, &key).expect("sound").to_bytes()).expect("written");
    let public = key.verifying_key().to_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    (file.display().to_string(), public)
}

/// With two parties the prover chooses the port, and any service of the host with its certificate may have
/// answered. The reader has to say that none does harm.
#[test]
fn servers_that_name_no_protocol_are_accepted_only_by_readers_who_say_so() {
    let dir = tempfile::tempdir().expect("a directory");
    for (mode, alpn, accepted) in
        [(Mode::TwoParty, true, true), (Mode::TwoParty, false, false), (Mode::Proxy, false, true)]
    {
        let (file, public) = signed(dir.path(), "page", |statement| {
            (statement.mode, statement.alpn) = (mode, alpn);
        });
        let verify =
            |more: &[&str]| run(&[&["attestation", "verify", &file, "--key", &public], more].concat(), "");
        let told = verify(&["--allow-no-alpn", "--json"]).expect(0, "").objects();
        assert_eq!(told[0]["attestation"]["alpn"], alpn);
        let plain = verify(&[]);
        if accepted {
            plain.expect(0, "")
        } else {
            plain.expect(1, "--allow-no-alpn")
        };
    }
}

/// If requests were sent at once, nothing shows which request a later response answers. The reader has to say
/// that this is enough.
#[test]
fn requests_sent_at_once_are_accepted_only_by_readers_who_say_so() {
    let dir = tempfile::tempdir().expect("a directory");
    let several = |name: &str, pipelined: bool| {
        signed(dir.path(), name, |statement| (statement.rounds, statement.pipelined) = (2, pipelined))
    };
    let ((at_once, public), (in_turn, _)) = (several("at-once", true), several("in-turn", false));
    let verify = |file: &str, more: &[&str]| {
        run(&[&["attestation", "verify", file, "--key", &public][..], more].concat(), "")
    };
    verify(&at_once, &["--max-rounds", "2"]).expect(1, "--allow-pipelined");
    verify(&at_once, &["--max-rounds", "2", "--json"]).expect(1, "were sent at once");
    let text = verify(&at_once, &["--max-rounds", "2", "--allow-pipelined"]).expect(0, "").stdout;
    assert!(text.starts_with("valid") && text.contains("rounds    2 requests, sent at once"), "{text}");
    // Neither option allows two requests.
    verify(&at_once, &["--allow-pipelined"]).expect(1, "--max-rounds is 1");
    verify(&in_turn, &[]).expect(1, "--max-rounds is 1");
    verify(&in_turn, &["--max-rounds", "2"]).expect(0, "");
}

/// Each request has a connection, a session and an attestation of its own, and parts belong to the right one.
#[test]
fn requests_apart_are_attested_one_by_one() {
    let dir = tempfile::tempdir().expect("a directory");
    let heads = Arc::new(Mutex::new(Vec::new()));
    let said = Arc::clone(&heads);
    let (port, _, pem) = talking(move |number, head| {
        said.lock().expect("no panic").push((number, head.to_owned()));
        let body = match head.lines().next() {
            Some("GET /token?user=7 HTTP/1.1") => r#"{"token": "t-0815", "for": "Ada", "plan": "basic"}"#,
            Some("GET /account?token=t-0815 HTTP/1.1") => r#"{"balance": 5120, "currency": "EUR"}"#,
            _ => r#"{"error": "who are you?"}"#,
        };
        // The server closes the connection after each response.
        Some(format!("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{body}").into_bytes())
    });
    let roots = write(dir.path(), "roots.pem", &pem);
    let then = write(dir.path(), "then", "GET /account?token={{response.json:token|10}}\n");
    let (file, public) = key(dir.path());
    let port = port.to_string();
    let serving = ["notary", "serve", "--key", &file, "--roots", &roots, "--allow-private", "--port", &port];
    let notary =
        Running::listening(&[&serving[..], &["--listen", "127.0.0.1:0", "--per-client", "1"]].concat(), "");
    let url = format!("https://localhost:{port}/token?user=7");
    let exists = |name: &str| dir.path().join(name).exists();
    let prove = |out: &str, more: &[&str]| {
        let base = ["web", "prove", &url, "--roots", &roots, "--then", &then, "--apart", "--out", out];
        let claims = ["--reveal", "response.json:plan", "--reveal", "response2.json:currency"];
        let about = ["--assert", "response2.json:balance in 5000..", "--commit", "response2.json:balance"];
        let about = [&about[..], &["--commit", "response.json:for"]].concat();
        run(&[&base, &claims[..], &about, &["--expect", "200", "--context", "order 7"], more].concat(), "")
    };
    for mode in ["two-party", "proxy"] {
        heads.lock().expect("no panic").clear();
        let out = dir.path().join(mode).display().to_string();
        let with = ["--notary", &notary.address, "--notary-key", &public, "--yes", "--mode", mode, "--json"];
        let told = prove(&out, &with).expect(0, "").stdout;
        assert_eq!(told.lines().count(), 2, "an object each: {told}");
        let sent = heads.lock().expect("no panic").clone();
        let sent: Vec<_> = sent.iter().map(|(number, head)| (*number, head.split(' ').nth(1))).collect();
        assert_eq!(sent, [(0, Some("/token?user=7")), (0, Some("/account?token=t-0815"))]);
        let second_file = format!("{out}.2");
        assert!(exists(&format!("{mode}.openings")) && exists(&format!("{mode}.2.openings")));
        // The reader needs no option for several requests.
        let verified = |file: &str| {
            let verify = ["attestation", "verify", file, "--key", &public, "--context", "order 7"];
            run(&verify, "").expect(0, "").stdout
        };
        let [first, second] = [verified(&out), verified(&second_file)];
        assert!(first.contains("GET /token") && first.contains("basic"), "{first}");
        assert!(!first.contains("account") && !first.contains("balance"), "{first}");
        assert!(second.contains("GET /account") && second.contains("EUR"), "{second}");
        assert!(second.contains("response json balance: is a number of at least 5000"), "{second}");
        for hidden in ["0815", "user=7", "Ada", "5120"] {
            assert!(!first.contains(hidden) && !second.contains(hidden), "{hidden} in {first}{second}");
        }
        // In an attestation with one request, parts have no number.
        let [openings, range] = ["openings", "range"].map(|end| format!("{out}.2.{end}"));
        let of = |command, named: &[&str]| {
            run(&[&["attestation", command, &second_file, "--openings", &openings], named].concat(), "")
        };
        let open = |part: &str| of("open", &["--part", part, "--out", &format!("{out}.opened")]);
        open("response2.json:balance").refused("it has: response json balance");
        let opened = open("response.json:balance").expect(0, "").stdout;
        assert!(opened.contains("5120"), "{opened}");
        of("prove-range", &["--claim", "response.json:balance in 5000..6000", "--out", &range]).expect(0, "");
        // All file names are checked before anything is sent.
        for left in [&second_file, &openings] {
            for name in [&out, &format!("{out}.openings"), &second_file, &openings] {
                let _ = std::fs::remove_file(name);
            }
            std::fs::write(left, "").expect("written");
            prove(&out, &with).refused(&format!("{left}: exists"));
        }
        assert_eq!(heads.lock().expect("no panic").len(), 2);
    }
    let refused = |more: &[&str], reason: &str| prove("unwritten", more).refused(reason);
    refused(&["--pipelined"], "--pipelined");
    refused(&["--openings", "a"], "--openings");
    refused(&["--read", "100"], "--read");
    refused(&["--reveal", "response3.body"], "response3 body: there are 2 requests");
}

/// Attestations are kept if a later request fails.
#[test]
fn a_request_apart_that_fails_takes_no_earlier_one_with_it() {
    let dir = tempfile::tempdir().expect("a directory");
    let count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&count);
    let (port, _, pem) = talking(move |_, _| {
        counter.fetch_add(1, Ordering::Relaxed);
        Some(b"HTTP/1.1 200 OK\r\nContent-Length: 17\r\n\r\n{\"balance\": 4999}".to_vec())
    });
    let roots = write(dir.path(), "roots.pem", &pem);
    let url = format!("https://localhost:{port}/");
    let prove = |name: &str, then: &str, more: &[&str]| {
        let then = write(dir.path(), "then", then);
        let out = dir.path().join(name).display().to_string();
        let base = ["web", "prove", &url, "--roots", &roots, "--mode", "proxy", "--apart", "--then", &then];
        run(&[&base[..], &["--out", &out], more].concat(), "")
    };
    // Returns which attestations exist, and how many requests were made.
    let came = |name: &str| {
        let there = [name, &format!("{name}.2")].map(|name| dir.path().join(name).exists());
        (there, count.swap(0, Ordering::Relaxed))
    };
    let second = "request 2 (its own request and response; on the command line request2 and response2): ";
    prove("a", "GET /", &["--assert", "response2.json:balance in 5000.."]).expect(1, second);
    assert_eq!(came("a"), ([true, false], 2));
    // The claim is about the first request, so the second one is not made.
    prove("b", "GET /", &["--assert", "response.json:balance in 5000.."]).expect(1, "request 1: ");
    assert_eq!(came("b"), ([false, false], 1));
    // A part that a request takes is hidden in the response, so it must exist.
    prove("c", "GET /{{response.json:token|4}}", &[]).expect(3, "request 1: ");
    assert_eq!(came("c"), ([false, false], 1));
    prove("d", "GET /{{response.json:balance|3}}", &[]).expect(3, &format!("{second}balance of response 1"));
    assert_eq!(came("d"), ([true, false], 1));
}
