//! What tests of `web`, `notary` and `attestation` share: a website in this process, and a notary in another.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng as _;
use rustix::process::{Pid, Signal, kill_process};
use volery::{Channel, Options, Prover, memory_pair};
use volery_channel::tags::{BASE_OT_SENDER, HELLO, NOTARY_TOKEN};
use volery_channel::tls::{Tls, Trust, client_config};
use volery_channel::transport::{Interest, Socket, Transport as _};
use volery_channel::{Layer, Layered, Limits};

use crate::site::site;
use crate::support::*;

/// A page with a balance and a name.
pub(crate) fn page() -> Vec<u8> {
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
    run(&["notary", "key", &file], "").refused("exists already; choose another name");
    (file, public)
}

/// A website and a notary for it, in a folder of their own.
pub(crate) struct Fixture {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) url: String,
    pub(crate) roots: String,
    /// The notary's public key.
    pub(crate) public: String,
    pub(crate) notary: Running,
}

impl Fixture {
    pub(crate) fn new(options: &[&str]) -> Self {
        let (port, _, pem) = site(page());
        Self::at(port, &pem, options)
    }

    /// A notary for the website at this port, whose certificate is `pem`.
    pub(crate) fn at(port: u16, pem: &str, options: &[&str]) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let roots = write(dir.path(), "roots.pem", pem);
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

    /// The notary's public key, as bytes.
    pub(crate) fn key(&self) -> [u8; 32] {
        core::array::from_fn(|at| {
            u8::from_str_radix(&self.public[2 * at..2 * at + 2], 16).expect("hexadecimal")
        })
    }

    /// A connection to the notary after the TLS handshake, before any message.
    pub(crate) fn tls_client(&self) -> TlsClient {
        let config = client_config(&Trust::Key(self.key())).expect("a client");
        let address = self.notary.address.parse().expect("an address");
        let socket = Socket::connect(&address, Duration::from_secs(60)).expect("connects");
        let limits = Limits { connect: Duration::from_secs(60), ..Limits::default() };
        TlsClient(Tls::connect(socket, config, "localhost", &limits).expect("the notary's key"))
    }

    /// A client that has a slot and is silent.
    pub(crate) fn silent_session(&self) -> TlsClient {
        let mut silent = self.tls_client();
        let opening = opening(silent.binding());
        silent.write_all(&opening).expect("sent");
        // When the notary answers, it has the slot.
        silent.read_exact(&mut [0]).expect("an answer");
        silent
    }

    /// Sends a signal to the notary.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.notary.child), signal).expect("signals");
    }

    /// Proves the page to the notary.
    pub(crate) fn prove(&self, out: &str, options: &[&str]) -> Ended {
        run(&self.arguments(out, options), FIELDS)
    }

    /// Ends the notary and returns its log, one line for each session.
    pub(crate) fn lines(self) -> Vec<serde_json::Value> {
        self.signal(Signal::TERM);
        let lines = self.notary.end().expect(0, "").objects();
        // Numbers like a peer's port or a time may contain these digits by chance.
        let texts =
            lines.iter().filter_map(|line| line.as_object()).flatten().filter(|(name, _)| *name != "peer");
        let errors = lines.iter().map(|line| &line["error"]["message"]);
        for text in texts.map(|(_, value)| value).chain(errors).filter_map(|value| value.as_str()) {
            assert!(!text.contains("5120.75"), "the payload is logged: {text}");
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

/// Claims to be on the encrypted connection with this identifier.
struct Bound(Option<[u8; 32]>);

impl<C: Channel> Layer<C> for Bound {
    fn binding(&self, _below: &C) -> Option<[u8; 32]> {
        self.0
    }
}

/// All bytes that a prover on this encrypted connection sends before it hears anything.
fn opening(binding: Option<[u8; 32]>) -> Vec<u8> {
    let (prover, mut nobody) = memory_pair(&Limits::default());
    let mut sent = vec![NOTARY_TOKEN.byte(), 1, 0, 0, 0, 2];
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let rng = &mut ChaCha20Rng::seed_from_u64(1);
            assert!(
                Prover::start(Layered { channel: prover, layer: Bound(binding) }, Options::default(), rng)
                    .is_err()
            );
        });
        for tag in [HELLO, BASE_OT_SENDER] {
            let message = nobody.recv(tag, 1 << 12).expect("said at once");
            sent.push(tag.byte());
            sent.extend((message.len() as u32).to_le_bytes());
            sent.extend(message);
        }
        drop(nobody);
    });
    sent
}

/// A client that sends bytes within TLS.
pub(crate) struct TlsClient(Tls<Socket>);

impl TlsClient {
    /// The identifier of the encrypted connection.
    pub(crate) fn binding(&self) -> Option<[u8; 32]> {
        self.0.binding()
    }

    fn wait(&mut self, interest: Interest) -> std::io::Result<()> {
        let ready = self.0.wait(interest, Instant::now() + Duration::from_secs(120))?;
        if ready { Ok(()) } else { Err(std::io::ErrorKind::TimedOut.into()) }
    }
}

impl Read for TlsClient {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        loop {
            match self.0.try_read(out)? {
                Some(count) => return Ok(count),
                None => self.wait(Interest::Read)?,
            }
        }
    }
}

impl Write for TlsClient {
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
