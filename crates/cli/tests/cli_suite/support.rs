//! Runs the program as a process, and checks how it ends.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;

use serde_json::Value;
use volery::statements::Sha256Preimage;
use volery::system::Bits;
use volery::{Channel, Prover, Statement};
use volery_circuit::{Backend, Digest};

/// FIPS 180-4's first example: the digest of "abc".
pub(crate) const ABC: &[&str] = &[
    "sha256-preimage",
    "--digest",
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    "--length",
    "3",
];

/// The witness of [`ABC`].
pub(crate) const ABC_WITNESS: &str = "message = 0x616263\n";

/// The digest of [`ABC`], as bytes.
pub(crate) const ABC_DIGEST: [u8; 32] = [
    0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23, 0xb0,
    0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad,
];

/// How a process ended: its exit code and its output.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    /// The lines of standard output, each a JSON object.
    pub(crate) fn objects(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
    }

    /// The one line of standard output, a JSON object.
    pub(crate) fn object(&self) -> Value {
        let mut objects = self.objects();
        assert_eq!(objects.len(), 1, "{self:?}");
        objects.remove(0)
    }

    /// Checks the exit code, and that standard error contains `message`.
    pub(crate) fn expect(self, code: i32, message: &str) -> Self {
        assert_eq!(self.code, code, "{self:?}");
        assert!(self.stderr.contains(message), "no \"{message}\" in {self:?}");
        self
    }

    /// Checks that standard output contains `words`.
    pub(crate) fn says(&self, words: &str) {
        assert!(self.stdout.contains(words), "no \"{words}\" in {self:?}");
    }

    /// Checks that the input was refused: exit code 2, nothing on standard output but an object that says so.
    pub(crate) fn refused(self, message: &str) {
        let ended = self.expect(2, message);
        let code = |object: &Value| (object["result"].clone(), object["exit_code"].clone());
        assert!(ended.objects().iter().all(|object| code(object) == ("error".into(), 2.into())), "{ended:?}");
    }
}

/// How a session of a server ended, by its object: `accepted`, `rejected`, `refused` or `failed`.
pub(crate) fn word_of(object: &Value) -> String {
    let word = match object["error"]["kind"].as_str() {
        None => object["result"].as_str().expect("a word"),
        Some(kind @ ("rejected" | "refused")) => kind,
        Some(_) => "failed",
    };
    word.to_owned()
}

/// A running process. Dropping this kills it.
pub(crate) struct Running {
    pub(crate) child: Child,
    pub(crate) address: String,
    streams: Option<(JoinHandle<String>, JoinHandle<String>)>,
}

fn collect(mut stream: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut text = String::new();
        let _ = stream.read_to_string(&mut text);
        text
    })
}

impl Running {
    /// Starts the program, which is to listen, and waits until it does.
    pub(crate) fn listening<S: AsRef<OsStr>>(args: &[S], stdin: &str) -> Self {
        let mut running = Self::saying(args, stdin, "listening at ");
        running.address = running.address.trim_start_matches("listening at ").to_owned();
        running
    }

    /// Starts the program, and waits until a line on standard error contains `words`. `address` is that line.
    pub(crate) fn saying<S: AsRef<OsStr>>(args: &[S], stdin: &str, words: &str) -> Self {
        let mut child = spawn(args, stdin.as_bytes());
        let mut errors = BufReader::new(child.stderr.take().expect("piped"));
        let mut line = String::new();
        let address = loop {
            line.clear();
            assert!(errors.read_line(&mut line).expect("readable") > 0, "it ended without \"{words}\"");
            if line.contains(words) {
                break line.trim().to_owned();
            }
        };
        let streams = (collect(child.stdout.take().expect("piped")), collect(errors));
        Self { child, address, streams: Some(streams) }
    }

    /// Waits for its end.
    pub(crate) fn end(mut self) -> Ended {
        let code = self.child.wait().expect("waits").code().unwrap_or(-1);
        let (stdout, stderr) = self.streams.take().expect("once");
        Ended { code, stdout: stdout.join().expect("collected"), stderr: stderr.join().expect("collected") }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts the program.
pub(crate) fn spawn<S: AsRef<OsStr>>(args: &[S], stdin: &[u8]) -> Child {
    spawn_with(args, stdin, &[])
}

/// Starts the program with further variables in its environment.
fn spawn_with<S: AsRef<OsStr>>(args: &[S], stdin: &[u8], variables: &[(&str, &str)]) -> Child {
    // `VOLERY` may name another build: the tests of load need an optimised one.
    let program = std::env::var_os("VOLERY").unwrap_or_else(|| env!("CARGO_BIN_EXE_volery").into());
    let mut command = Command::new(program);
    command.args(args).envs(variables.iter().copied());
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A process that refuses its arguments may be gone before it reads.
    let _ = child.stdin.take().expect("piped").write_all(stdin);
    child
}

/// Runs the program to its end.
pub(crate) fn run<S: AsRef<OsStr>>(args: &[S], stdin: &str) -> Ended {
    run_bytes(args, stdin.as_bytes())
}

/// Runs the program to its end, with any bytes on standard input.
pub(crate) fn run_bytes<S: AsRef<OsStr>>(args: &[S], stdin: &[u8]) -> Ended {
    ended(spawn(args, stdin))
}

/// Runs the program to its end, with further variables in its environment.
pub(crate) fn run_with<S: AsRef<OsStr>>(args: &[S], variables: &[(&str, &str)]) -> Ended {
    ended(spawn_with(args, &[], variables))
}

fn ended(mut child: Child) -> Ended {
    let errors = collect(child.stderr.take().expect("piped"));
    let output = collect(child.stdout.take().expect("piped"));
    let code = child.wait().expect("waits").code().unwrap_or(-1);
    Ended { code, stdout: output.join().expect("collected"), stderr: errors.join().expect("collected") }
}

/// Joins parts of a command line.
pub(crate) fn join<'a>(parts: &[&[&'a str]]) -> Vec<&'a str> {
    parts.concat()
}

/// Runs a session of a listening verifier and a connecting prover, with further arguments for each.
pub(crate) fn session(
    statement: [&[&str]; 2],
    witness: &str,
    prover: &[&str],
    verifier: &[&str],
) -> (Ended, Ended) {
    let listening =
        Running::listening(&join(&[&["verify"], statement[1], verifier, &["--listen", "127.0.0.1:0"]]), "");
    let address = listening.address.clone();
    let connecting = &["--witness", "-", "--connect", address.as_str()];
    let proved = run(&join(&[&["prove"], statement[0], prover, connecting]), witness);
    (proved, listening.end())
}

/// Writes a file in `dir`, and returns its path.
pub(crate) fn write(dir: &Path, name: &str, content: &str) -> String {
    let path: PathBuf = dir.join(name);
    std::fs::write(&path, content).expect("writable");
    path.to_str().expect("UTF-8").to_owned()
}

/// A statement that names one claim and runs another, whose witness it has.
pub(crate) struct Liar<S> {
    pub(crate) claimed: S,
    pub(crate) known: S,
}

impl<B: Backend + ?Sized, S: Statement<B>> Statement<B> for Liar<S> {
    fn identify(&self, digest: &mut Digest) {
        self.claimed.identify(digest);
    }

    fn commitments(&self) -> Option<u64> {
        self.claimed.commitments()
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        self.known.run(backend)
    }
}

/// Starts a session with the verifier that listens at `address`.
pub(crate) fn prover_at(address: &str) -> Prover<impl Channel + use<>> {
    let limits = volery::Limits::default();
    let channel = volery::connect(&address.parse().expect("an address"), &limits).expect("connects");
    let mut rng = volery::os_rng().expect("randomness");
    Prover::start(channel, volery::Options::default(), &mut rng).expect("set-up")
}

/// Tries to prove that "abd" has the digest of "abc" to the verifier that listens at `address`.
pub(crate) fn lie_to(address: &str) -> volery::Error {
    use sha2::Digest as _;
    let known = Sha256Preimage::new(sha2::Sha256::digest(b"abd").into(), 3).expect("short");
    let liar = Liar {
        claimed: Sha256Preimage::new(ABC_DIGEST, 3).expect("short"),
        known: known.with_message(volery::Zeroizing::new(b"abd".to_vec())).expect("fits"),
    };
    let mut rng = volery::os_rng().expect("randomness");
    prover_at(address).prove(Bits, &liar, &mut rng).expect_err("a lie was accepted")
}

/// The path of a small circuit in the repository.
pub(crate) fn constraint_file(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../circuit/testdata/r1cs").join(name);
    path.to_str().expect("UTF-8").to_owned()
}

/// Sets the permissions of a file.
pub(crate) fn set_mode(path: &str, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("its owner may");
}

/// An address with a port that was free a moment ago.
pub(crate) fn free_port() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("bound").to_string()
}

/// The answer of an HTTP server to a request for `target`.
pub(crate) fn get(address: &str, target: &str) -> String {
    let mut socket = std::net::TcpStream::connect(address).expect("connects");
    write!(socket, "GET {target} HTTP/1.1\r\nHost: x\r\n\r\n").expect("sent");
    let mut text = String::new();
    socket.read_to_string(&mut text).expect("readable");
    text
}
