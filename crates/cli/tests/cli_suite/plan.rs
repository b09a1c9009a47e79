//! `volery web plan`: what a proof would be, from a website in this process or from what a browser saved.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::fixture::page;
use crate::site::talking;
use crate::support::*;

/// A website, and a folder with its certificate.
pub(crate) struct Place {
    dir: TempDir,
    pub(crate) url: String,
    roots: String,
}

impl Place {
    pub(crate) fn new(answer: Vec<u8>) -> Self {
        let (port, _, pem) = talking(move |request, _| (request == 0).then(|| answer.clone()));
        let dir = tempfile::tempdir().expect("a directory");
        let roots = write(dir.path(), "roots.pem", &pem);
        Self { dir, url: format!("https://localhost:{port}/account?id=7"), roots }
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.dir.path().join(name).display().to_string()
    }

    pub(crate) fn plan(&self, more: &[&str], stdin: &str) -> Ended {
        run(&[&["web", "plan", &self.url, "--roots", &self.roots, "--headers", "-"], more].concat(), stdin)
    }

    /// Proves the page without a notary, and writes the attestation to the file of this name.
    pub(crate) fn prove(&self, out: &str, more: &[&str], stdin: &str) -> Ended {
        let out = self.path(out);
        let base = ["web", "prove", &self.url, "--roots", &self.roots, "--headers", "-", "--out", &out];
        run(&[&base[..], &["--mode", "proxy"], more].concat(), stdin)
    }
}

const SECRET: &str = "Cookie: session=secret-1234\n";

fn mistakes(object: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let all = object["mistakes"].as_array().expect("a list");
    all.iter().map(|mistake| (text(&mistake["part"]), text(&mistake["message"]))).collect()
}

#[test]
fn a_plan_says_what_would_show_and_what_it_would_cost() {
    let place = Place::new(page());
    let what = ["--reveal", "response.json:currency", "--assert", "response.json:balance in 5000.."];
    let text = place.plan(&what, SECRET).expect(0, "").stdout;
    for words in [
        "server    TLS 1.3, TLS_AES_256_GCM_SHA384, X25519",
        "--mode two-party --tls 1.2 works with AES_128_GCM_SHA256",
        "--mode proxy --tls 1.3 works with AES_128_GCM_SHA256",
        "request   GET /account: status 200",
        "part      request.query.id (parameter, 1 byte, hidden)",
        "part      request.header:Cookie (header field, 19 bytes, hidden)",
        "part      response.json:balance (number, 7 bytes, hidden)",
        "part      response.json:currency (string, 3 bytes, shown)",
        "response json balance: is a number of at least 5000",
        "EUR",
        "cost      two-party about",
        "cost      proxy",
    ] {
        assert!(text.contains(words), "no {words} in {text}");
    }
    for hidden in ["5120.75", "Ada", "secret-1234", "id=7", "mistake"] {
        assert!(!text.contains(hidden), "{hidden} in {text}");
    }
    let object = place.plan(&[&what[..], &["--json"]].concat(), SECRET).expect(0, "").object();
    assert_eq!((&object["result"], &object["server"]["alpn"]), (&"done".into(), &true.into()));
    let connection = &object["connections"][0];
    assert_eq!(connection["attestation"]["tls"], "1.3", "the server's choice");
    let older = place.plan(&["--tls", "1.2", "--json"], SECRET).expect(0, "").object();
    assert_eq!(older["connections"][0]["attestation"]["tls"], "1.2");
    assert_eq!(connection["costs"][0]["mode"], "two-party");
    assert!(
        connection["costs"][0]["bytes_prover"].as_u64() > connection["costs"][1]["bytes_prover"].as_u64()
    );
    // With the arguments of a proof it is the statement that the proof has.
    let out = place.path("a");
    let prove =
        [&["web", "prove", &place.url, "--roots", &place.roots, "--headers", "-", "--out", &out], &what[..]];
    let proved = run(&[&prove.concat()[..], &["--mode", "proxy", "--json"]].concat(), SECRET).expect(0, "");
    let planned = place.plan(&[&what[..], &["--mode", "proxy", "--json"]].concat(), SECRET).expect(0, "");
    let (mut proved, mut planned) =
        (proved.object()["attestation"].clone(), planned.object()["connections"][0]["attestation"].clone());
    for statement in [&mut proved, &mut planned] {
        statement["time"] = Value::Null;
    }
    assert_eq!(proved, planned);
}

#[test]
fn all_mistakes_are_said_at_once_and_decide_the_exit_code() {
    let place = Place::new(page());
    let fields = "Cookie: a=b\nX-Original-URL: /b\nX-Odd: 1\n";
    let wrong = [
        "--hide",
        "response.json:nothing",
        "--hide",
        "response.header:Content-Length",
        "--reveal",
        "response.json:missing",
        "--hide",
        "response2.json:a",
        "--json",
    ];
    let object = place.plan(&wrong, fields).expect(2, "6 mistakes").object();
    let found = mistakes(&object);
    let parts: Vec<_> = found.iter().map(|(part, _)| part.as_str()).collect();
    for part in [
        "response.json:nothing",
        "response.header:Content-Length",
        "response.json:missing",
        "response2.json:a",
        "request.header:X-Original-URL",
        "request.header:X-Odd",
    ] {
        assert_eq!(parts.iter().filter(|found| **found == part).count(), 1, "{part} in {found:?}");
    }
    assert_eq!(
        (&object["connections"][0]["attestation"], &object["error"]["kind"]),
        (&Value::Null, &"input".into())
    );

    // A claim that is not true is told from the rest.
    let untrue = ["--assert", "response.json:balance in 6000..", "--assert", "response.json:name = Augusta"];
    let object = place.plan(&[&untrue[..], &["--json"]].concat(), "").expect(1, "not true").object();
    assert_eq!(object["mistakes"].as_array().map(Vec::len), Some(2), "{object}");
    assert!(!object.to_string().contains("5120"), "{object}");
    place.plan(&[&untrue[..], &["--hide", "response.json:nothing"]].concat(), "").expect(1, "3 mistakes");

    // What is no part or no claim is found before anybody is called.
    let words = ["--hide", "reply.body", "--assert", "response.json:balance in 7..5", "--commit", "x"];
    let url = format!("https://{}/", free_port());
    let object =
        run(&[&["web", "plan", &url, "--json"], &words[..]].concat(), "").expect(2, "3 mistakes").object();
    assert_eq!(object["server"], Value::Null);
    // An attestation that exists would not be overwritten.
    let out = write(place.dir.path(), "out", "");
    place.plan(&["--out", &out], "").expect(2, "exists already");
}

#[test]
fn who_plans_a_request_that_may_change_something_is_told_that_it_was_made() {
    let place = Place::new(page());
    place.plan(&["--method", "PUT"], "").expect(0, "").says("and a proof makes it again");
    assert!(!place.plan(&[], "").expect(0, "").stdout.contains("note"));
}

#[test]
fn a_server_that_cannot_be_reached_or_believed_is_a_failure_of_the_network() {
    let place = Place::new(page());
    run(&["web", "plan", &place.url], "").expect(3, "UnknownIssuer");
    run(&["web", "plan", &format!("https://{}/", free_port())], "").expect(3, "no connection to the server");
}

#[test]
fn responses_about_which_nothing_can_be_proved_are_mistakes() {
    let answer = |head: &str, body: &str| format!("HTTP/1.1 200 OK\r\n{head}\r\n{body}").into_bytes();
    for (head, body, message) in [
        (
            "Content-Length: 4\r\nContent-Encoding: gzip\r\nConnection: close\r\n",
            "\x1f__x",
            "Accept-Encoding: identity",
        ),
        (
            "Transfer-Encoding: chunked\r\nConnection: close\r\n",
            "1\r\na\r\n0\r\nX-Trailer: 1\r\n\r\n",
            "it comes after the body",
        ),
        ("Transfer-Encoding: chunked\r\nConnection: close\r\n", "1\r\nab", "response"),
    ] {
        let place = Place::new(answer(head, body));
        let object = place.plan(&["--json"], "").expect(2, "").object();
        let found = mistakes(&object);
        assert!(found.iter().any(|(_, text)| text.contains(message)), "{message}: {found:?}");
    }
    // One in chunks is read like any other.
    let chunks = "9\r\n{\"a\": \"bc\r\n3\r\nd\"}\r\n0\r\n\r\n";
    let place = Place::new(answer("Transfer-Encoding: chunked\r\nConnection: close\r\n", chunks));
    place
        .plan(&["--assert", "response.json:a = bcd"], "")
        .expect(0, "")
        .says("response.json:a (string, 3 bytes, hidden)");
}

#[test]
fn requests_on_connections_of_their_own_are_planned_each() {
    let place = Place::new(page());
    let then = write(place.dir.path(), "then", "GET /next\nX-A: {{response.json:name|9}}\n");
    let what = ["--then", &then, "--apart", "--assert", "response2.json:balance in 5000..", "--json"];
    let object = place.plan(&what, "").expect(2, "request2.header:X-A").object();
    assert_eq!(object["connections"].as_array().map(Vec::len), Some(2), "{object}");
    assert_eq!(mistakes(&object).len(), 1, "{object}");
    let then = write(place.dir.path(), "then", "GET /{{response.json:name|9}}\n");
    let what = ["--then", &then, "--apart", "--assert", "response2.json:balance in 5000..", "--json"];
    let object = place.plan(&what, "").expect(0, "").object();
    let attestation = &object["connections"][1]["attestation"];
    assert!(attestation.to_string().contains("\"part\":\"json balance\""), "{attestation}");
    // A path with a value of a response is hidden.
    assert!(!attestation.to_string().contains("Ada /"), "{attestation}");
}

#[test]
fn a_copied_command_is_planned_without_its_secrets_and_proved_by_the_command_that_is_printed() {
    let place = Place::new(page());
    let curl = format!(
        "curl '{}' \\\n  -H 'accept: application/json' \\\n  -b 'session=secret-1234' \\\n  -H 'authorization: Bearer secret-5678' \\\n  -H 'priority: u=1' --compressed\n",
        place.url
    );
    let file = write(place.dir.path(), "curl.txt", &curl);
    let what = ["--reveal", "response.json:currency", "--assert", "response.json:balance in 5000.."];
    let (headers, out) = (place.path("page.headers"), place.path("page.attestation"));
    let saved = ["web", "plan", "--from-curl", &file, "--roots", &place.roots];
    let text = run(&[&saved, &what[..], &["--out", &out, "--write-headers", &headers]].concat(), "")
        .expect(0, "")
        .stdout;
    assert!(text.contains("request.header:Cookie (header field, 19 bytes, hidden) [hidden]"), "{text}");
    assert!(text.contains("left out of the saved request: priority"), "{text}");
    assert!(text.contains("note      the command has the address with its query"), "{text}");
    for json in [&[][..], &["--json"]] {
        // From standard input it is the same.
        let again = [&["web", "plan", "--from-curl", "-", "--roots", &place.roots], &what[..], json].concat();
        let text = run(&again, &curl).expect(0, "").stdout;
        assert!(!text.contains("secret-") && text.contains("--headers page.headers"), "{text}");
    }
    assert!(!text.contains("secret-"), "{text}");
    let command = text.lines().last().expect("a command").trim();
    assert!(command.starts_with("volery web prove ") && command.contains("--headers"), "{command}");
    let program = std::env::var("VOLERY").unwrap_or_else(|_| env!("CARGO_BIN_EXE_volery").to_owned());
    let script = format!("{}{}", program, command.strip_prefix("volery").expect("the program"));
    let ran = std::process::Command::new("sh").args(["-c", &script]).output().expect("a shell");
    assert!(ran.status.success(), "{script}: {}", String::from_utf8_lossy(&ran.stderr));
    run(&["attestation", "show", &out], "").expect(0, "").says("EUR");

    // The same plan can be made again; another one does not overwrite its files.
    let rewrite = ["--write-headers", &headers];
    run(&[&saved, &rewrite[..]].concat(), "").expect(0, "");
    run(&[&saved, &rewrite[..], &["--omit", "accept"]].concat(), "").expect(2, "exists already");

    // A secret that everybody would see is a mistake, and not printed.
    let shown = ["--reveal", "request.header:Authorization"];
    let refused = run(&[&saved, &shown[..]].concat(), "").expect(2, "credential");
    assert!(!refused.stdout.contains("secret-"), "{refused:?}");
    let elsewhere = format!("curl '{}' -H 'Host: other.example'", place.url);
    run(&["web", "plan", "--from-curl", "-"], &elsewhere).expect(2, "its Host is not that of the address");
    // An address cannot draw another command over the one that is printed.
    let drawn = "curl $'https://a\\r\\e[2Kvolery; rm x #/'";
    let refused = run(&["web", "plan", "--from-curl", "-"], drawn).expect(2, "no host has");
    assert!(!refused.stdout.contains('\r') && !refused.stderr.contains("rm x"), "{refused:?}");
    // So is a command that is not read.
    let refused =
        run(&["web", "plan", "--from-curl", "-"], "curl -k https://localhost/secret-9 -b secret-9=1");
    let refused = refused.expect(2, "the option -k");
    assert!(!refused.stderr.contains("secret-"), "{refused:?}");
    run(&["web", "plan"], "").expect(2, "<URL>");
    run(&["web", "plan", &place.url, "--from-curl", &file], "").expect(2, "cannot be used with");
}

#[test]
fn requests_in_turn_are_planned_on_one_connection() {
    let (port, _, pem) = talking(|request, _| match request {
        0 => Some(b"HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n{\"token\": \"t-5\"}".to_vec()),
        _ => Some(page()),
    });
    let dir = tempfile::tempdir().expect("a directory");
    let roots = write(dir.path(), "roots.pem", &pem);
    let then = write(dir.path(), "then", "GET /account\nAuthorization: Bearer {{response.json:token|9}}\n");
    let url = format!("https://localhost:{port}/token");
    let plan = ["web", "plan", &url, "--roots", &roots, "--then", &then, "--json"];
    let what = ["--assert", "response2.json:balance in 5000.."];
    let object = run(&[&plan, &what[..]].concat(), "").expect(0, "").object();
    let connection = &object["connections"][0];
    assert_eq!(
        (&connection["requests"][1]["path"], &connection["attestation"]["rounds"]),
        (&"/account".into(), &2.into())
    );
    assert!(!connection["attestation"].to_string().contains("t-5"), "{connection}");
    // Two parties do not prepare to read so much; the proxy needs no preparation.
    let long = ["--read", "8192"];
    run(&[&plan, &long[..]].concat(), "").expect(2, "use --mode proxy");
    let told = run(&[&plan, &long[..], &["--mode", "proxy"]].concat(), "").expect(0, "").object();
    assert_eq!(told["connections"][0]["costs"].as_array().map(Vec::len), Some(1), "{told}");
    let wrong = ["--hide", "response2.json:nothing", "--assert", "response3.json:a = b"];
    let object = run(&[&plan, &wrong[..]].concat(), "").expect(2, "2 mistakes").object();
    let found = mistakes(&object);
    assert!(found.iter().any(|(part, _)| part == "response2.json:nothing"), "{found:?}");
    assert!(
        found.iter().any(|(part, text)| part == "response3.json:a" && text.contains("there are 2 requests")),
        "{found:?}"
    );
}

fn entry(url: &str, body: &str) -> Value {
    json!({
        "request": {"method": "GET", "url": url, "headers": [
            {"name": ":authority", "value": "api.example"}, {"name": "cookie", "value": "id=secret-1234"},
            {"name": "x-odd", "value": "1"}]},
        "response": {"status": 200, "headers": [{"name": "content-type", "value": "application/json"},
            {"name": "content-encoding", "value": "br"}, {"name": "set-cookie", "value": "a=secret-5\nb=secret-6"}],
            "content": {"text": body}},
    })
}

/// Nobody is called: there is no such server.
#[test]
fn a_saved_page_is_planned_without_a_connection() {
    let dir = tempfile::tempdir().expect("a directory");
    let body = r#"{"balance": 5120, "currency": "EUR"}"#;
    let entries =
        [entry("https://api.example/login?token=secret-7", "{}"), entry("https://api.example/account", body)];
    let file = write(dir.path(), "page.har", &json!({"log": {"entries": entries}}).to_string());
    let har = ["web", "plan", "--from-har", &file];
    let listed = run(&har, "").expect(2, "--entry N");
    assert!(listed.stderr.contains("1  GET https://api.example/login  200"), "{listed:?}");
    assert!(!listed.stderr.contains("secret-"), "{listed:?}");
    let what = ["--entry", "2", "--assert", "response.json:balance in 5000.."];
    run(&[&har, &what[..]].concat(), "").expect(2, "request.header:x-odd");
    let omit = ["--omit", "X-Odd"];
    let text = run(&[&har, &what[..], &omit].concat(), "").expect(0, "").stdout;
    for words in [
        "response.json:balance (number, 4 bytes, hidden)",
        "request.header:cookie (header field, 14 bytes, hidden) [hidden]",
        "is a number of at least 5000",
        "cost      proxy",
        "sha256:0000",
        "note      the server was not called",
        "volery web prove https://api.example/account --headers page.headers --assert",
    ] {
        assert!(text.contains(words), "no {words} in {text}");
    }
    let as_it_is = ["--timeout", "60", "--no-alpn", "--trust-close"];
    let told = run(&[&har, &what[..], &omit, &as_it_is].concat(), "").expect(0, "").stdout;
    for option in ["--timeout 60", "--no-alpn", "--trust-close"] {
        assert!(told.contains(option), "no {option} in {told}");
    }
    assert!(!text.contains("secret-") && !text.contains("5120"), "{text}");
    let claim = ["--entry", "2", "--omit", "X-Odd", "--assert", "response.json:balance in 6000.."];
    run(&[&har, &claim[..]].concat(), "").expect(1, "not true");
    run(&[&har, &["--entry", "3"][..]].concat(), "").expect(2, "there is no entry 3");
    let then = write(dir.path(), "then", "GET /\n");
    run(&[&har, &["--then", &then][..]].concat(), "").expect(2, "cannot be used with");
    let bad = write(dir.path(), "bad.har", "{\"log\": secret-8}");
    let refused = run(&["web", "plan", "--from-har", &bad], "").expect(2, "not a HAR file");
    assert!(!refused.stderr.contains("secret-"), "{refused:?}");
}
