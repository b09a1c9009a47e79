//! `volery web`, `notary`, `attestation`: a website in this process, and a notary in another.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use volery_channel::Limits;
use volery_channel::tls::{Fingerprint, Tls, Trust, client_config};
use volery_channel::transport::{Interest, Socket, Transport as _};

use crate::site::site;
use crate::support::*;

/// A page with a balance and a name.
fn page() -> Vec<u8> {
    let body = r#"{"name": "Ada", "balance": 5120.75, "currency": "EUR", "points": 7431}"#;
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
        .into_bytes()
}

/// Header fields of the request.
pub(crate) const FIELDS: &str = "Cookie: session=secret-1234\n";

/// A notary's key file and its public key.
pub(crate) fn key(dir: &std::path::Path) -> (String, String) {
    let file = dir.join("notary.key").display().to_string();
    let told = run(&["notary", "key", &file], "").expect(0, "").stdout;
    let public = told.trim().strip_prefix("public key ").expect("a key").to_owned();
    run(&["notary", "key", &file], "").refused("exists");
    (file, public)
}

/// A website and a notary for it, in a folder of their own.
pub(crate) struct Scene {
    dir: tempfile::TempDir,
    url: String,
    roots: String,
    public: String,
    pub(crate) notary: Running,
}

impl Scene {
    pub(crate) fn new(options: &[&str]) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let (port, _, pem) = site(page());
        let roots = write(dir.path(), "roots.pem", &pem);
        let (file, public) = key(dir.path());
        let port = port.to_string();
        let serving = [
            &["notary", "serve", "--key", &file, "--roots", &roots, "--allow-private", "--port", &port],
            &["--listen", "127.0.0.1:0"][..],
            options,
        ];
        let notary = Running::listening(&serving.concat(), "");
        Self { url: format!("https://localhost:{port}/account?id=7"), dir, roots, public, notary }
    }

    /// A path in the folder.
    pub(crate) fn path(&self, name: &str) -> String {
        self.dir.path().join(name).display().to_string()
    }

    /// The command line that proves the page to the notary, with its header fields on standard input.
    pub(crate) fn arguments(&self, out: &str, options: &[&str]) -> Vec<String> {
        let (out, address) = (self.path(out), self.notary.address.as_str());
        let base = ["web", "prove", &self.url, "--notary", address, "--notary-key", &self.public];
        let rest = ["--roots", &self.roots, "--headers", "-", "--out", &out, "--json", "--yes"];
        // Most tests do not depend on the mode, and this one takes less time.
        let mode = if options.contains(&"--mode") { &[][..] } else { &["--mode", "proxy"] };
        let all = [&base, &rest[..], mode, options].concat();
        all.into_iter().map(str::to_owned).collect()
    }

    /// A connection to the notary after the TLS handshake, before any message.
    pub(crate) fn guest(&self) -> Guest {
        let key: [u8; 32] = core::array::from_fn(|at| {
            u8::from_str_radix(&self.public[2 * at..2 * at + 2], 16).expect("hexadecimal")
        });
        let config = client_config(&Trust::Key(key)).expect("a client");
        let address = self.notary.address.parse().expect("an address");
        let socket = Socket::connect(&address, Duration::from_secs(60)).expect("connects");
        let limits = Limits { connect: Duration::from_secs(60), ..Limits::default() };
        Guest(Tls::connect(socket, config, "localhost", &limits).expect("the notary's key"))
    }

    /// Proves the page to the notary.
    pub(crate) fn prove(&self, out: &str, options: &[&str]) -> Ended {
        run(&self.arguments(out, options), FIELDS)
    }

    /// Ends the notary and returns its log, one line for each session.
    pub(crate) fn lines(self) -> Vec<serde_json::Value> {
        kill_process(Pid::from_child(&self.notary.child), Signal::TERM).expect("signals");
        let lines = self.notary.end().expect(0, "").objects();
        // Numbers like a peer's port or a time may contain these digits by chance.
        let texts =
            lines.iter().filter_map(|line| line.as_object()).flatten().filter(|(name, _)| *name != "peer");
        let errors = lines.iter().map(|line| &line["error"]["message"]);
        for text in texts.map(|(_, value)| value).chain(errors).filter_map(|value| value.as_str()) {
            assert!(!text.contains("5120"), "the payload is logged: {text}");
        }
        lines
    }

    /// Ends the notary and returns the results of the sessions.
    pub(crate) fn results(self) -> Vec<String> {
        let mut words: Vec<_> = self.lines().iter().map(word_of).collect();
        words.sort();
        words
    }
}

/// A client that sends bytes within TLS.
pub(crate) struct Guest(Tls<Socket>);

impl Guest {
    /// The identifier of the encrypted connection.
    pub(crate) fn binding(&self) -> Option<[u8; 32]> {
        self.0.binding()
    }

    fn wait(&mut self, interest: Interest) -> std::io::Result<()> {
        let ready = self.0.wait(interest, Instant::now() + Duration::from_secs(120))?;
        if ready { Ok(()) } else { Err(std::io::ErrorKind::TimedOut.into()) }
    }
}

impl Read for Guest {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        loop {
            match self.0.try_read(out)? {
                Some(count) => return Ok(count),
                None => self.wait(Interest::Read)?,
            }
        }
    }
}

impl Write for Guest {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        loop {
            match self.0.try_write(bytes)? {
                Some(count) => return Ok(count),
                None => self.wait(Interest::Write)?,
            }
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        while !self.0.try_flush()? {
            self.wait(Interest::Write)?;
        }
        Ok(())
    }
}

#[test]
fn a_notary_shows_its_key_before_anything_is_said_to_it() {
    let scene = Scene::new(&[]);
    let elsewhere = tempfile::tempdir().expect("a directory");
    let (_, other) = key(elsewhere.path());
    let arguments = scene.arguments("page", &[]);
    let impostor: Vec<_> = arguments
        .iter()
        .map(|word| if *word == scene.public { other.clone() } else { word.clone() })
        .collect();
    run(&impostor, FIELDS).expect(3, "the notary has to show the key of --notary-key");
    let pin = format!("sha256:{}", "ab".repeat(32));
    scene.prove("page", &["--notary-pin", &pin]).expect(3, "leave out --notary-pin");
    // A notary without TLS gets no token.
    let token = write(scene.dir.path(), "token", "token-of-somebody-1234");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("bound").to_string();
    let heard = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().expect("somebody comes");
        let mut heard = vec![0; 1 << 12];
        let count = socket.read(&mut heard).expect("a ClientHello");
        socket.write_all(&[0; 64]).expect("sent");
        socket.read_to_end(&mut heard.split_off(count)).unwrap_or_default();
        heard
    });
    let mut clear = scene.arguments("page", &["--notary-token", &token]);
    clear.iter_mut().filter(|word| **word == scene.notary.address).for_each(|word| word.clone_from(&address));
    run(&clear, FIELDS).expect(3, "the notary has to show the key of --notary-key");
    let heard = heard.join().expect("no panic");
    assert!(heard[0] == 22 && !heard.windows(8).any(|part| part == b"token-of"));
    scene.prove("page", &[]).expect(0, "");
    let results = scene.results();
    assert_eq!(results.iter().filter(|word| *word == "accepted").count(), 1, "{results:?}");
}

#[test]
fn a_notary_with_a_certificate_shows_that() {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
    let dir = tempfile::tempdir().expect("a directory");
    let chain = write(dir.path(), "cert.pem", &made.cert.pem());
    let secret = write(dir.path(), "key.pem", &made.signing_key.serialize_pem());
    let scene = Scene::new(&["--tls-cert", &chain, "--tls-key", &secret]);
    let pin = format!("sha256:{}", Fingerprint::of(made.cert.der()));
    scene.prove("page", &["--notary-pin", &pin]).expect(0, "");
    scene.prove("none", &[]).expect(3, "give --notary-pin or --notary-ca");
    assert_eq!(scene.results(), ["accepted", "failed"]);
}

#[test]
fn a_notary_without_the_memory_for_a_session_says_so_before_it_begins() {
    let scene = Scene::new(&["--memory", "1M"]);
    scene
        .prove("page", &["--mode", "two-party", "--expect", "200"])
        .expect(3, "more is asked than the limits allow");
    scene.prove("page", &[]).expect(0, "");
    let lines = scene.lines();
    let reason = lines[0]["error"]["message"].as_str().expect("it failed");
    // One client gets half of it.
    assert!(reason.contains("memory for garbled circuits") && reason.contains("500000"), "{reason}");
    // Hidden parts take memory in proxy mode, too.
    let scene = Scene::new(&["--memory", "20k", "--concurrency", "1"]);
    scene.prove("page", &[]).expect(3, "more memory than the verifier ever has");
}

#[test]
fn a_page_is_attested_with_one_field_in_a_range_and_the_rest_as_asked() {
    let scene = Scene::new(&[]);
    let prove = |least: &str, out: &str| {
        let claim = format!("response.json:balance in {least}..9999");
        let hidden =
            ["--hide", "request.header:Cookie", "--hide", "request.path", "--hide", "response.json:name"];
        scene.prove(out, &[&hidden, &["--assert", &claim][..]].concat())
    };
    let ended = prove("5000", "page").expect(0, "");
    assert_eq!(ended.stderr, "", "what is being done is shown on terminals only");
    let told = ended.object();
    assert_eq!((&told["result"], &told["signer"]), (&"done".into(), &scene.public.as_str().into()));
    let out = scene.path("page");
    let verify = ["attestation", "verify", &out, "--key", &scene.public];
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
    assert!(!std::path::Path::new(&scene.path("none")).exists());

    // Another key and a changed file are refused.
    let other = "ab".repeat(32);
    run(&["attestation", "verify", &out, "--key", &other], "").expect(1, "signed by the key");
    let mut bytes = std::fs::read(&out).expect("readable");
    let place = bytes.windows(3).position(|part| part == b"EUR").expect("shown");
    bytes[place] = b'X';
    std::fs::write(&out, bytes).expect("writable");
    run(&verify, "").expect(1, "signature");
    run(&["attestation", "show", &out], "").expect(1, "signature");
    assert_eq!(scene.results(), ["accepted", "failed"]);
}

/// What a user supplies is hidden unless the user reveals it. The path shows.
#[test]
fn without_a_word_what_the_user_supplied_is_hidden_and_the_path_shows() {
    let scene = Scene::new(&[]);
    let more = ["--header", "X-Api-Key: k-0815", "--context", "nonce-42"];
    scene.prove("page", &more).expect(0, "");
    let (page, key) = (scene.path("page"), scene.public.as_str());
    let verify =
        |more: &[&str]| run(&[&["attestation", "verify", &page, "--key", key][..], more].concat(), "");
    let text = verify(&[]).expect(0, "").stdout;
    let port =
        scene.url.rsplit(':').next().and_then(|rest| rest.split('/').next()).expect("a port").to_owned();
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
    // Parts that the user reveals show.
    let reveal = ["--reveal", "request.query", "--reveal", "response.json:currency"];
    scene.prove("other", &reveal).expect(0, "");
    let other = scene.path("other");
    let text = run(&["attestation", "verify", &other, "--key", key], "").expect(0, "").stdout;
    assert!(
        text.contains("GET /account?id=7 HTTP/1.1") && text.contains("EUR") && !text.contains("Ada"),
        "{text}"
    );
    run(&["attestation", "verify", &other, "--key", key, "--context", "nonce-42"], "")
        .expect(1, "made for none");
    assert_eq!(scene.results(), ["accepted", "accepted"]);
}

/// These tests have no terminal.
#[test]
fn where_nobody_can_be_asked_nothing_is_shown_to_a_notary_without_yes() {
    let scene = Scene::new(&[]);
    let arguments: Vec<_> =
        scene.arguments("page", &[]).into_iter().filter(|argument| argument != "--yes").collect();
    run(&arguments, FIELDS).refused("with --yes nobody is asked");
    assert!(scene.results().is_empty(), "the notary was not even called");
}

#[test]
fn a_page_is_fetched_by_both_parties_together() {
    let scene = Scene::new(&[]);
    let prove = |least: &str, out: &str| {
        let claim = format!("response.json:balance in {least}..9999");
        let options = ["--mode", "two-party", "--expect", "200", "--reveal", "response.json:currency"];
        scene.prove(out, &[&options, &["--assert", &claim][..]].concat())
    };
    let told = prove("5000", "page").expect(0, "").object();
    assert_eq!(told["attestation"]["mode"], "two-party", "{told}");
    let out = scene.path("page");
    let text = run(&["attestation", "verify", &out, "--key", &scene.public], "").expect(0, "").stdout;
    assert!(
        text.contains("EUR") && text.contains("response json balance: is a number from 5000 to 9999"),
        "{text}"
    );
    for hidden in ["5120.75", "Ada", "secret", "id=7"] {
        assert!(!text.contains(hidden), "{hidden} in {text}");
    }
    // The claim is false. The prover finds that and proves nothing.
    prove("5121", "none").expect(1, "");
    assert_eq!(scene.results(), ["accepted", "failed"]);
}

#[test]
fn with_something_revealed_all_else_is_hidden() {
    let scene = Scene::new(&[]);
    let claim =
        ["--assert", "response.json:balance > 4999.50", "--assert", "response.json:name matches A[a-z]+"];
    scene.prove("page", &[&["--reveal", "response.json:currency"], &claim[..]].concat()).expect(0, "");
    let text = run(&["attestation", "show", &scene.path("page")], "").expect(0, "").stdout;
    assert!(text.contains("EUR") && text.contains("balance: is a number greater than 4999.5\n"), "{text}");
    assert!(text.contains("name: matches \"A[a-z]+\"\n"), "{text}");
    let file = scene.path("page");
    let told =
        run(&["attestation", "verify", &file, "--key", &scene.public, "--json"], "").expect(0, "").object();
    let hidden = told["attestation"]["response"]["hidden"].as_array().expect("a list");
    let balance = hidden.iter().find(|hidden| hidden["part"] == "json balance").expect("hidden");
    assert_eq!(balance["claims"][0]["above"], "4999.5", "{told}");
    for hidden in ["5120.75", "Ada", "secret", "id=7"] {
        assert!(!text.contains(hidden), "{hidden} in {text}");
    }
    let refused = |reveal: &str, reason: &str| {
        scene.prove("none", &[&["--reveal", reveal], &claim[..]].concat()).expect(3, reason);
    };
    refused("response.json:other", "other");
    scene
        .prove("none", &[&["--reveal", "response.json:balance"], &claim[..]].concat())
        .refused("revealed and hidden");
    assert_eq!(scene.results(), ["accepted", "failed"]);
}

/// In both modes a prover opens committed parts to others later, one by one, or proves that they lie in a
/// range.
#[test]
fn committed_parts_are_opened_and_put_in_ranges_for_a_fourth_party() {
    use std::os::unix::fs::PermissionsExt as _;
    let scene = Scene::new(&[]);
    let path = |name: &str| scene.path(name);
    let commit = ["--commit", "response.json:name", "--commit", "response.json:points"];
    for (out, mode) in [("page", "proxy"), ("other", "two-party")] {
        scene
            .prove(out, &[&commit[..], &["--mode", mode]].concat())
            .expect(0, "the openings of the commitments");
    }
    let secret = std::fs::metadata(path("page.openings")).expect("there").permissions().mode();
    assert_eq!(secret & 0o777, 0o600);
    let (page, openings, key) = (path("page"), path("page.openings"), scene.public.as_str());
    let shown = run(&["attestation", "show", &page], "").expect(0, "").stdout;
    assert!(shown.contains("json points, bytes") && shown.contains("committed to as a number"), "{shown}");
    assert!(!shown.contains("Ada") && !shown.contains("7431"), "{shown}");

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
    assert!(
        text.contains("in range  response json points: from 7000 to 9999") && !text.contains("7431"),
        "{text}"
    );
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
    scene.prove("page", &commit).refused("exists already");
    assert_eq!(scene.results(), ["accepted", "accepted"]);
}

#[test]
fn a_notary_with_tokens_hears_nobody_else_out() {
    let dir = tempfile::tempdir().expect("a directory");
    let tokens = write(dir.path(), "tokens", "token-of-somebody\ntoken-of-another-one\n");
    let known = write(dir.path(), "known", "token-of-another-one\n");
    let unknown = write(dir.path(), "unknown", "token-of-nobody-here\n");
    let scene = Scene::new(&["--tokens", &tokens]);
    scene.prove("a", &["--notary-token", &known]).expect(0, "");
    scene.prove("b", &["--notary-token", &unknown]).expect(3, "a token that it knows");
    scene.prove("b", &[]).expect(3, "a token that it knows");
    scene.prove("b", &["--notary-token", &tokens]).refused("2 tokens");
    assert_eq!(scene.results(), ["accepted", "failed", "failed"]);
}

/// The answer of an HTTP server to a request for `target`.
fn get(address: &str, target: &str) -> String {
    let mut socket = TcpStream::connect(address).expect("connects");
    write!(socket, "GET {target} HTTP/1.1\r\nHost: x\r\n\r\n").expect("sent");
    let mut text = String::new();
    socket.read_to_string(&mut text).expect("readable");
    text
}

/// Waits until the metrics have this line. A session is counted a moment after its prover has its last
/// message.
fn counted(metrics: &str, line: &str) {
    let mut text = String::new();
    for _ in 0..1500 {
        text = get(metrics, "/metrics");
        if text.lines().any(|one| one == line) {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("no {line} in {text}");
}

#[test]
fn a_client_has_its_share_of_a_notary_and_all_is_counted() {
    // A port that was free a moment ago.
    let metrics = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("bound").to_string();
    let scene = Scene::new(&["--per-client", "2", "--metrics", &metrics, "--connect-timeout", "60"]);
    let silent: Vec<_> =
        (0..2).map(|_| TcpStream::connect(&scene.notary.address).expect("connects")).collect();
    counted(&metrics, "volery_notary_connections_waiting 2");
    // The third connection of a client is closed at once.
    let mut third = TcpStream::connect(&scene.notary.address).expect("connects");
    assert!(matches!(third.read(&mut [0; 1]), Ok(0) | Err(_)));
    assert!(get(&metrics, "/metrics").starts_with("HTTP/1.1 200 OK"));
    counted(&metrics, "volery_notary_sessions_total{result=\"refused\"} 1");
    counted(&metrics, "volery_notary_connections_waiting 2");
    drop(silent);
    counted(&metrics, "volery_notary_connections_waiting 0");
    // A session's thread may end a moment after it is counted.
    while scene.prove("page", &[]).code != 0 {
        std::fs::remove_file(scene.path("page")).unwrap_or_default();
    }
    counted(&metrics, "volery_notary_sessions_total{result=\"attested\"} 1");
    assert!(get(&metrics, "/health").ends_with("ok\n") && get(&metrics, "/x").starts_with("HTTP/1.1 404"));
    assert_eq!(scene.results()[..4], ["accepted", "failed", "failed", "refused"]);
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
    run(&["attestation", "show", &out], "").expect(0, "whom the file names");
    // The certificate is of no known authority.
    let none = dir.path().join("b").display().to_string();
    run(&["web", "prove", &url, "--out", &none], "").expect(3, "");
}

#[test]
fn words_that_make_no_sense_are_refused_before_anything_is_sent() {
    let refused = |args: &[&str], reason: &str| {
        let args = [&["web", "prove", "https://localhost/", "--out", "x"], args].concat();
        run(&args, "").refused(reason);
    };
    refused(&["--hide", "response.xml:a"], "is no part");
    refused(&["--assert", "response.json:a is 5"], "is no claim");
    refused(&["--commit", "response.json"], "is no part");
    refused(&["--commit", "request.path", "--reveal", "request.path"], "revealed and hidden");
    refused(&["--header", "Host: a"], "the program sets this one itself");
    refused(&["--header", "If-Range: \"a-tag\""], "cannot be hidden");
    refused(&["--header", "X-Real-Path: /b"], "--reveal request.header:X-Real-Path");
    refused(&["--hide", "response.header:Content-Type"], "so it always shows");
    let deleting = ["web", "prove", "https://localhost/", "--out", "x", "--method", "DELETE", "--body", "-"];
    run(&deleting, "all").refused("--reveal request.body");
    refused(&["--context", "hex:0"], "hexadecimal");
    refused(&["--context", &"x".repeat(65)], "at most 64");
    refused(&["--hide", "request.target"], "is no part");
    refused(&["--method", "get x"], "expected one like GET");
    run(&["web", "prove", "http://localhost/", "--out", "x"], "").refused("expected https://");
    run(&["notary", "serve", "--key", "/nowhere/key", "--listen", "127.0.0.1:0"], "").refused("/nowhere/key");
}
