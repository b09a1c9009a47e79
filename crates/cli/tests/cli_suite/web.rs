//! `volery web prove` and `attestation`: pages of a website that a notary, or the prover alone, signs.

use crate::fixture::{FIELDS, Fixture, page};
use crate::site::site;
use crate::support::*;

#[test]
fn a_page_is_attested_with_one_field_in_a_range_and_the_rest_as_asked() {
    let fixture = Fixture::new(&[]);
    let prove = |least: &str, out: &str| {
        let claim = format!("response.json:balance in {least}..9999");
        let hidden =
            ["--hide", "request.header:Cookie", "--hide", "request.path", "--hide", "response.json:name"];
        fixture.prove(out, &[&hidden, &["--assert", &claim][..]].concat())
    };
    let ended = prove("5000", "page").expect(0, "");
    assert_eq!(ended.stderr, "", "what is being done is shown on terminals only");
    let told = ended.object();
    assert_eq!((&told["result"], &told["signer"]), (&"done".into(), &fixture.public.as_str().into()));
    let out = fixture.path("page");
    let verify = ["attestation", "verify", &out, "--key", &fixture.public];
    run(&verify, "").expect(1, "does not say which document it is about");
    let verify = [&verify[..], &["--allow-hidden-path"]].concat();
    let text = run(&verify, "").expect(0, "").stdout;
    assert!(text.contains("response json balance: is a number from 5000 to 9999"), "{text}");
    assert!(text.contains("EUR") && text.contains("localhost"), "{text}");
    for hidden in ["5120.75", "Ada", "secret", "account"] {
        assert!(!text.contains(hidden), "{hidden} in {text}");
    }
    // The claim is false, so the prover makes no proof and writes nothing.
    prove("5121", "none").expect(1, "");
    // It is false for any text of this length.
    let args = ["--assert", "response.json:name = Augusta"];
    fixture
        .prove("none", &args)
        .expect(1, "not true: response json name equals \"Augusta\" (it has 3 bytes)");
    assert!(!std::path::Path::new(&fixture.path("none")).exists());

    // Another key and a changed file are refused.
    let other = "ab".repeat(32);
    run(&["attestation", "verify", &out, "--key", &other], "").expect(1, "signed by the key");
    let mut bytes = std::fs::read(&out).expect("readable");
    let place = bytes.windows(3).position(|part| part == b"EUR").expect("shown");
    bytes[place] = b'X';
    std::fs::write(&out, bytes).expect("writable");
    run(&verify, "").expect(1, "signature");
    run(&["attestation", "show", &out], "").expect(1, "signature");
    assert_eq!(fixture.results(), ["accepted", "failed", "failed"]);
}

/// What a user supplies is hidden unless the user reveals it. The path shows.
#[test]
fn without_a_word_what_the_user_supplied_is_hidden_and_the_path_shows() {
    let fixture = Fixture::new(&[]);
    let more = ["--header", "X-Api-Key: k-0815", "--context", "nonce-42"];
    fixture.prove("page", &more).expect(0, "");
    let (page, key) = (fixture.path("page"), fixture.public.as_str());
    let verify =
        |more: &[&str]| run(&[&["attestation", "verify", &page, "--key", key][..], more].concat(), "");
    let ended = verify(&[]).expect(0, "");
    // What the reader has to decide is said by whatever reads it.
    let warning = "request 1 hides its query or body, at least in part";
    let shown = run(&["attestation", "show", &page], "").expect(0, "");
    for stderr in [&ended.stderr, &shown.stderr] {
        assert_eq!(stderr.matches("warning: ").count(), 1, "{stderr}");
        assert!(stderr.contains(&format!("warning: {warning}")), "{stderr}");
    }
    let told = verify(&["--json"]).expect(0, "").object();
    let warnings = told["warnings"].as_array().expect("a list");
    assert!(warnings.len() == 1 && warnings[0].as_str().is_some_and(|text| text.starts_with(warning)));
    let text = ended.stdout;
    let port =
        fixture.url.rsplit(':').next().and_then(|rest| rest.split('/').next()).expect("a port").to_owned();
    for shown in ["GET /account?", "Ada", "5120.75", "context   nonce-42", &format!("port      {port}")] {
        assert!(text.contains(shown), "{shown} not in {text}");
    }
    for hidden in ["secret-1234", "k-0815", "id=7"] {
        assert!(!text.contains(hidden), "{hidden} in {text}");
    }
    // The reader demands a context.
    verify(&["--context", "nonce-42"]).expect(0, "");
    verify(&["--context", "hex:6e6f6e63652d3432"]).expect(0, "");
    let refused =
        verify(&["--context", "nonce-43"]).expect(1, "made for `nonce-42`, not for the context `nonce-43`");
    assert!(refused.stdout.contains("rejected"));
    let told = verify(&["--json"]).expect(0, "").object();
    let statement = &told["attestation"];
    assert_eq!((&statement["context"], &statement["port"].to_string()), (&"nonce-42".into(), &port));
    // One parameter is hidden with a claim about it.
    let claim = ["--reveal", "request.query", "--assert", "request.query.id is digits"];
    fixture.prove("digits", &claim).expect(0, "");
    let text = run(&["attestation", "show", &fixture.path("digits")], "").expect(0, "").stdout;
    assert!(text.contains("request query id: is digits only") && !text.contains("id=7"), "{text}");
    // Parts that the user reveals show.
    let reveal = ["--reveal", "request.query", "--reveal", "response.json:currency"];
    fixture.prove("other", &reveal).expect(0, "");
    let other = fixture.path("other");
    let text = run(&["attestation", "verify", &other, "--key", key], "").expect(0, "").stdout;
    assert!(
        text.contains("GET /account?id=7 HTTP/1.1") && text.contains("EUR") && !text.contains("Ada"),
        "{text}"
    );
    run(&["attestation", "verify", &other, "--key", key, "--context", "nonce-42"], "")
        .expect(1, "made for none");
    assert_eq!(fixture.results(), ["accepted", "accepted", "accepted"]);
}

#[test]
fn a_page_is_proved_over_either_version_of_tls() {
    let fixture = Fixture::new(&[]);
    let claim = ["--assert", "response.json:balance in 5000..9999"];
    for mode in ["proxy", "two-party"] {
        for version in ["1.2", "1.3"] {
            let out = format!("{mode}-{version}");
            let more = [&["--mode", mode, "--tls", version][..], &claim].concat();
            let told = fixture.prove(&out, &more).expect(0, "").object();
            assert_eq!(told["attestation"]["tls"], version, "{told}");
            let out = fixture.path(&out);
            let verify = ["attestation", "verify", &out, "--key", &fixture.public];
            let text = run(&verify, "").expect(0, "").stdout;
            assert!(
                text.contains(&format!("tls       {version}, AES_128_GCM_SHA256\n")) && text.contains("EUR"),
                "{text}"
            );
        }
    }
    assert_eq!(fixture.results(), ["accepted"; 4]);
}

/// The server knows all suites.
#[test]
fn a_page_is_proved_with_the_cipher_suite_that_is_asked_for() {
    let fixture = Fixture::new(&[]);
    for (mode, cipher, suite) in [
        ("two-party", "aes256", "AES_256_GCM_SHA384"),
        ("two-party", "chacha20", "CHACHA20_POLY1305_SHA256"),
        ("proxy", "chacha20", "CHACHA20_POLY1305_SHA256"),
    ] {
        let more = ["--mode", mode, "--cipher", cipher, "--assert", "response.json:balance in 5000..9999"];
        let told = fixture.prove(&format!("{mode}-{cipher}"), &more).expect(0, "").object();
        assert_eq!(
            (&told["attestation"]["suite"], &told["attestation"]["tls"]),
            (&suite.into(), &"1.3".into())
        );
    }
    assert_eq!(fixture.results(), ["accepted"; 3]);
}

/// The server knows both versions.
#[test]
fn the_newer_version_of_tls_is_spoken_if_nobody_says_which() {
    let fixture = Fixture::new(&[]);
    for mode in ["proxy", "two-party"] {
        let told = fixture.prove(mode, &["--mode", mode]).expect(0, "").object();
        assert_eq!(told["attestation"]["tls"], "1.3", "{told}");
    }
}

/// These tests have no terminal.
#[test]
fn where_nobody_can_be_asked_nothing_is_shown_to_a_notary_without_yes() {
    let fixture = Fixture::new(&[]);
    let arguments: Vec<_> =
        fixture.arguments("page", &[]).into_iter().filter(|argument| argument != "--yes").collect();
    run(&arguments, FIELDS).refused("there is no terminal to ask you on");
    assert!(fixture.results().is_empty(), "the notary was not even called");
}

#[test]
fn a_page_is_fetched_by_both_parties_together() {
    let fixture = Fixture::new(&[]);
    let prove = |least: &str, out: &str| {
        let claim = format!("response.json:balance in {least}..9999");
        let options = ["--mode", "two-party", "--expect", "200", "--reveal", "response.json:currency"];
        fixture.prove(out, &[&options, &["--assert", &claim][..]].concat())
    };
    let told = prove("5000", "page").expect(0, "").object();
    assert_eq!(told["attestation"]["mode"], "two-party", "{told}");
    let out = fixture.path("page");
    let text = run(&["attestation", "verify", &out, "--key", &fixture.public], "").expect(0, "").stdout;
    assert!(
        text.contains("EUR") && text.contains("response json balance: is a number from 5000 to 9999"),
        "{text}"
    );
    for hidden in ["5120.75", "Ada", "secret", "id=7"] {
        assert!(!text.contains(hidden), "{hidden} in {text}");
    }
    // The claim is false. The prover finds that and proves nothing.
    prove("5121", "none").expect(1, "");
    assert_eq!(fixture.results(), ["accepted", "failed"]);
}

#[test]
fn with_something_revealed_all_else_is_hidden() {
    let fixture = Fixture::new(&[]);
    let claim =
        ["--assert", "response.json:balance > 4999.50", "--assert", "response.json:name matches A[a-z]+"];
    fixture.prove("page", &[&["--reveal", "response.json:currency"], &claim[..]].concat()).expect(0, "");
    let text = run(&["attestation", "show", &fixture.path("page")], "").expect(0, "").stdout;
    assert!(text.contains("EUR") && text.contains("balance: is a number greater than 4999.5\n"), "{text}");
    assert!(text.contains("name: matches \"A[a-z]+\"\n"), "{text}");
    let file = fixture.path("page");
    let told =
        run(&["attestation", "verify", &file, "--key", &fixture.public, "--json"], "").expect(0, "").object();
    let hidden = told["attestation"]["response"]["hidden"].as_array().expect("a list");
    let balance = hidden.iter().find(|hidden| hidden["part"] == "json balance").expect("hidden");
    assert_eq!(balance["claims"][0]["above"], "4999.5", "{told}");
    for hidden in ["5120.75", "Ada", "secret", "id=7"] {
        assert!(!text.contains(hidden), "{hidden} in {text}");
    }
    let refused = |reveal: &str, reason: &str| {
        fixture.prove("none", &[&["--reveal", reveal], &claim[..]].concat()).expect(2, reason);
    };
    refused("response.json:other", "other");
    fixture
        .prove("none", &[&["--reveal", "response.json:balance"], &claim[..]].concat())
        .refused("revealed and hidden");
    assert_eq!(fixture.results(), ["accepted", "failed"]);
}

/// Whether a text shows the points of the page. Ports, keys and hashes may have the same digits by chance.
fn shows_the_points(text: &str) -> bool {
    text.contains(": 7431") || text.contains("\"7431")
}

/// In both modes a prover opens committed parts to others later, one by one, or proves that they lie in a
/// range.
#[test]
fn committed_parts_are_opened_and_put_in_ranges_for_a_fourth_party() {
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = Fixture::new(&[]);
    let path = |name: &str| fixture.path(name);
    let commit = ["--commit", "response.json:name", "--commit", "response.json:points"];
    for (out, mode) in [("page", "proxy"), ("other", "two-party")] {
        fixture
            .prove(out, &[&commit[..], &["--mode", mode]].concat())
            .expect(0, "the openings of the commitments");
    }
    let secret = std::fs::metadata(path("page.openings")).expect("there").permissions().mode();
    assert_eq!(secret & 0o777, 0o600);
    let (page, openings, key) = (path("page"), path("page.openings"), fixture.public.as_str());
    let shown = run(&["attestation", "show", &page], "").expect(0, "").stdout;
    assert!(shown.contains("json points: committed to as a number"), "{shown}");
    let shown = run(&["attestation", "show", &page, "--verbose"], "").expect(0, "").stdout;
    assert!(shown.contains("json points, bytes") && shown.contains("committed to as a number"), "{shown}");
    assert!(!shown.contains("Ada") && !shows_the_points(&shown), "{shown}");

    // The holder opens the name, and proves a range of the points.
    let (name, range) = (path("name"), path("range"));
    let open = ["attestation", "open", &page, "--openings", &openings, "--out", &name, "--part"];
    run(&[&open[..], &["response.json:currency"]].concat(), "")
        .refused("no commitment to response json currency");
    let told = run(&[&open[..], &["response.json:name"]].concat(), "").expect(0, "").stdout;
    assert_eq!(told.trim(), "opened    response json name: \"Ada\"");
    run(&[&open[..], &["response.json:name"]].concat(), "").refused("exists already");
    let prove = ["attestation", "prove-range", &page, "--openings", &openings, "--out", &range, "--claim"];
    run(&[&prove[..], &["response.json:points in 7432.."]].concat(), "").expect(1, "not true");
    run(&[&prove[..], &["response.json:name in 1..2"]].concat(), "").refused("no committed number");
    run(&[&prove[..], &["response.json:points in 7000..9999"]].concat(), "").expect(0, "");

    // A fourth party has the attestation, the files and the notary's key.
    let verify = ["attestation", "verify", &page, "--key", key, "--opening", &name, "--range", &range];
    let text = run(&verify, "").expect(0, "").stdout;
    assert!(text.starts_with("valid") && text.contains("opened    response json name: \"Ada\""), "{text}");
    let in_range = "in range  response json points: from 7000 to 9999";
    assert!(text.contains(in_range) && !shows_the_points(&text), "{text}");
    let told = run(&[&verify[..], &["--json"]].concat(), "").expect(0, "").object();
    assert_eq!(told["opened"][0]["text"], "Ada");
    assert_eq!((&told["in_range"][0]["least"], &told["opened"][1]), (&7000.into(), &serde_json::Value::Null));
    // The whole file of openings opens all of it.
    let all = run(&["attestation", "verify", &page, "--key", key, "--opening", &openings], "").expect(0, "");
    assert!(all.stdout.contains("opened    response json points: \"7431\""), "{}", all.stdout);

    // The files belong to this attestation alone.
    let other = path("other");
    let of_other =
        |what: &str, file: &str| run(&["attestation", "verify", &other, "--key", key, what, file], "");
    assert!(
        of_other("--opening", &name).expect(1, "no commitment to these contents").stdout.contains("rejected")
    );
    of_other("--range", &range).expect(1, "about another attestation");
    of_other("--range", &name).refused("not a file with a range proof");
    for (file, at) in [(&name, 40), (&range, 200)] {
        let mut bytes = std::fs::read(file).expect("readable");
        bytes[at] ^= 1;
        std::fs::write(file, bytes).expect("writable");
    }
    let changed =
        |what: &str, file: &str| run(&["attestation", "verify", &page, "--key", key, what, file], "");
    changed("--opening", &name).expect(1, "no commitment to these contents");
    changed("--range", &range).expect(1, "range proof");
    // An existing file is not overwritten, and nothing is sent.
    std::fs::remove_file(&page).expect("there");
    fixture.prove("page", &commit).refused("exists already");
    assert_eq!(fixture.results(), ["accepted", "accepted"]);
}

#[test]
fn the_demo_s_website_is_one_to_prove_something_about() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (root, out) = (path("root.pem"), path("out"));
    let site = Running::listening(&["demo", "web", "--listen", "127.0.0.1:0", "--root", &root], "");
    let port = site.address.rsplit_once(':').expect("a port").1;
    let url = format!("https://localhost:{port}/account");
    let what = ["--reveal", "response.json:currency", "--assert", "response.json:balance in 5000.."];
    let base = ["web", "prove", &url, "--roots", &root, "--headers", "-", "--out", &out];
    run(&[&base, &what[..]].concat(), "Cookie: session=demo\n").expect(0, "");
    let text = run(&["attestation", "show", &out], "").expect(0, "").stdout;
    assert!(text.contains("EUR") && text.contains("balance: is a number of at least 5000"), "{text}");
    assert!(!text.contains("Ada") && !text.contains(": 5120") && !text.contains("session=demo"), "{text}");
}

#[test]
fn without_a_notary_both_parties_are_in_one_process() {
    let dir = tempfile::tempdir().expect("a directory");
    let (port, _, pem) = site(page());
    let roots = write(dir.path(), "roots.pem", &pem);
    let (url, out) = (format!("https://localhost:{port}/"), dir.path().join("a").display().to_string());
    let args =
        ["web", "prove", &url, "--roots", &roots, "--assert", "response.json:name = Ada", "--out", &out];
    let text = run(&args, "").expect(0, "no --notary").stdout;
    assert!(text.starts_with("attested") && text.contains("response json name: equals \"Ada\""), "{text}");
    run(&["attestation", "show", &out], "").expect(0, "the file itself names its signer");
    // The certificate is of no known authority.
    let none = dir.path().join("b").display().to_string();
    run(&["web", "prove", &url, "--out", &none], "").expect(3, "");
}

/// Most real pages have booleans. They are hidden among others, or the user is asked.
#[test]
fn booleans_are_hidden_among_others_or_shown_on_request() {
    let dir = tempfile::tempdir().expect("a directory");
    let body = r#"{"active": true, "holder": "Ada Lovelace", "note": null, "plan": "gold", "vip": false, "since": "2019-05-01"}"#;
    let length = body.len();
    let page = format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}");
    let (port, _, pem) = site(page.into_bytes());
    let roots = write(dir.path(), "roots.pem", &pem);
    let url = format!("https://localhost:{port}/");
    let prove = |name: &str, more: &[&str]| {
        let out = dir.path().join(name).display().to_string();
        run(
            &[&["web", "prove", &url, "--roots", &roots, "--mode", "proxy", "--out", &out], more].concat(),
            "",
        )
    };
    let plan = ["--reveal", "response.json:plan"];
    let text = prove("a", &plan).expect(0, "").stdout;
    for shown in
        [r#"json active: <...>, "holder": <...>, "note": <...>"#, "are JSON values", "gold", "vip", "since"]
    {
        assert!(text.contains(shown), "{shown} not in {text}");
    }
    for hidden in ["true", "false", "null", "Ada", "2019"] {
        assert!(
            !text.contains(&format!("{hidden},")) && !text.contains(&format!("\"{hidden}")),
            "{hidden} in {text}"
        );
    }
    // With a claim about its neighbour, the last boolean is alone.
    let claim =
        ["--assert", "response.json:since before 2020-01-01", "--assert", "response.json:active is true"];
    let claim = [&plan[..], &claim].concat();
    prove("b", &claim).expect(2, "json vip of the response: its length would tell");
    let text = prove("b", &[&claim[..], &["--show-rest"]].concat()).expect(0, "").stdout;
    assert!(text.contains(r#""vip": false"#) && text.contains("json active: is true"), "{text}");
    assert!(text.contains("since: is a date before 2020-01-01"), "{text}");
    prove("c", &["--assert", "response.json:active is false"])
        .expect(1, "not true: response json active is false");
    prove("d", &["--assert", "response.json:plan is true"]).expect(1, "not true");
}

/// A request may change something, so it is not made for nothing.
#[test]
fn what_cannot_be_proved_of_a_request_is_refused_before_anything_is_sent() {
    // Nobody is there: whoever calls either of them fails.
    let key = "ab".repeat(32);
    let nowhere = ["--notary", "127.0.0.1:1", "--notary-key", &key, "--headers", "-", "--yes"];
    for mode in ["two-party", "proxy"] {
        let prove = |args: &[&str]| {
            let first = ["web", "prove", "https://localhost:1/a?id=7", "--out", "x", "--mode", mode];
            run(&[&first[..], &nowhere, args].concat(), FIELDS)
        };
        prove(&["--hide", "request.header:Referer"]).refused("there is no field of this name");
        prove(&["--reveal", "request.query.name"]).refused("query name of the request");
        prove(&["--commit", "request.json:a"]).refused("json a of the request");
        prove(&["--assert", "request.query.id = 8"]).expect(1, "not true: request query id");
        prove(&["--assert", "request.header:Cookie contains y"]).expect(1, "not true: request header Cookie");
        prove(&["--assert", "request.query.id = 7", "--notary-timeout", "1"]).expect(3, "");
    }
}

#[test]
fn words_that_make_no_sense_are_refused_before_anything_is_sent() {
    let refused = |args: &[&str], reason: &str| {
        let args = [&["web", "prove", "https://localhost/", "--out", "x"], args].concat();
        run(&args, "").refused(reason);
    };
    refused(&["--hide", "response.xml:a"], "is not a part");
    refused(&["--assert", "response.json:a is 5"], "is not a claim");
    refused(&["--assert", "response.json:a in 7..5"], "no number is in this interval");
    refused(&["--assert", "response.json:a matches ("], "regular expression");
    refused(&["--assert", "response.json:a since 2026-02-30"], "neither a date");
    refused(&["--reveal", "response.json:a..b"], "a path looks like");
    refused(&["--commit", "response.json"], "is not a part");
    refused(&["--commit", "request.path", "--reveal", "request.path"], "revealed and hidden");
    refused(&["--header", "Host: a"], "the program sets this one itself");
    refused(&["--header", "If-Range: \"a-tag\""], "cannot be hidden");
    refused(&["--header", "X-Real-Path: /b"], "--reveal request.header:X-Real-Path");
    refused(&["--hide", "response.header:Content-Type"], "so it always shows");
    let deleting = ["web", "prove", "https://localhost/", "--out", "x", "--method", "DELETE", "--body", "-"];
    run(&deleting, "all").refused("--reveal request.body");
    refused(&["--context", "hex:0"], "hexadecimal");
    refused(&["--context", &"x".repeat(65)], "at most 64");
    refused(&["--hide", "request.target"], "is not a part");
    refused(&["--method", "get x"], "expected one like GET");
    run(&["web", "prove", "http://localhost/", "--out", "x"], "").refused("expected https://");
    run(&["notary", "serve", "--key", "/nowhere/key", "--listen", "127.0.0.1:0"], "").refused("/nowhere/key");
}
