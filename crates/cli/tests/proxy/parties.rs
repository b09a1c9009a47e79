//! The two processes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use volery::builtin::Builtin;
use volery_circuit::{Digest, Evaluator, Statement};
use volery_field::F2;

use crate::pipe::{self, Plan, Trace};

/// A true statement, and the false one that a liar claims.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// The statement's name and public values, as on a command line.
    pub(crate) known: Values,
    /// The values of the false statement.
    pub(crate) claimed: Values,
    witness: &'static str,
    options: &'static [&'static str],
}

type Values = [(&'static str, &'static str); 2];

const AES: &str = "aes128-key";
const SHA256: &str = "sha256-preimage";

/// FIPS 197, appendix C.1; and a message of 400 zeros, long enough for a Ferret round.
pub(crate) static CASES: [Case; 3] = [
    Case {
        name: AES,
        known: [
            ("plaintext", "00112233445566778899aabbccddeeff"),
            ("ciphertext", "69c4e0d86a7b0430d8cdb78070b4c55a"),
        ],
        claimed: [
            ("plaintext", "00112233445566778899aabbccddeeff"),
            ("ciphertext", "69c4e0d86a7b0430d8cdb78070b4c55b"),
        ],
        witness: "key = 0x000102030405060708090a0b0c0d0e0f",
        options: &[],
    },
    Case {
        name: AES,
        known: [
            ("plaintext", "00112233445566778899aabbccddeeff"),
            ("ciphertext", "69c4e0d86a7b0430d8cdb78070b4c55a"),
        ],
        claimed: [
            ("plaintext", "01112233445566778899aabbccddeeff"),
            ("ciphertext", "69c4e0d86a7b0430d8cdb78070b4c55a"),
        ],
        witness: "key = 0x000102030405060708090a0b0c0d0e0f",
        options: &["--fiat-shamir"],
    },
    Case {
        name: SHA256,
        known: [("digest", DIGEST_OF_ZEROS), ("length", "400")],
        claimed: [
            ("digest", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            ("length", "400"),
        ],
        witness: "",
        options: &[],
    },
];

const DIGEST_OF_ZEROS: &str = "7a12e561363385e9dfeeab326368731c030ed4b374e7f5897ac819159d2884c5";

impl Case {
    /// The digests of the two statements, as `Begin` shows them.
    pub(crate) fn names(&self) -> [[u8; 32]; 2] {
        [&self.known, &self.claimed].map(|values| {
            let statement = Builtin::new(self.name, values.as_slice()).expect("a built-in statement");
            let mut digest = Digest::new();
            Statement::<Evaluator<F2>>::identify(&statement, &mut digest);
            digest.finish()
        })
    }

    fn witness(&self) -> String {
        match self.name {
            SHA256 => format!("0x{}", "00".repeat(400)),
            _ => self.witness.to_owned(),
        }
    }
}

/// How a process ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: i32,
    /// Its standard error.
    pub(crate) messages: String,
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct End {
    pub(crate) verifier: Ended,
    pub(crate) prover: Ended,
    pub(crate) to_verifier: Trace,
    pub(crate) to_prover: Trace,
}

/// Runs both processes with `plan` between them. If names are exchanged, the verifier verifies the false
/// statement.
pub(crate) fn run(case: &Case, plan: &Plan, timeout: Duration) -> End {
    let verified = if plan.rename.is_some() { &case.claimed } else { &case.known };
    run_with(case, verified, plan, timeout)
}

/// Runs both processes, with a verifier of the false statement.
pub(crate) fn run_claimed(case: &Case, plan: &Plan, timeout: Duration) -> End {
    run_with(case, &case.claimed, plan, timeout)
}

fn run_with(case: &Case, verified: &Values, plan: &Plan, timeout: Duration) -> End {
    let mut verifier =
        spawn(case, "verify", verified, timeout, &["--listen", "127.0.0.1:0", "--listen-timeout", "15"]);
    let (port, messages) = listening(&mut verifier);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("a bound socket").to_string();
    let proxy = pipe::start(listener, port, *plan);
    let witness = ["--witness", "-", "--connect", &address];
    let mut prover = spawn(case, "prove", &case.known, timeout, &witness);
    let mut input = prover.stdin.take().expect("a pipe");
    input.write_all(case.witness().as_bytes()).expect("the prover reads its witness");
    drop(input);
    let errors = prover.stderr.take().expect("a pipe");
    let prover_messages = thread::spawn(move || all(errors));

    // This covers one time-out, some work and the farewell. If the hello was lost, the verifier first waits
    // for another prover.
    let deadline = Instant::now() + timeout + Duration::from_secs(30);
    let codes = [&mut verifier, &mut prover].map(|child| wait(child, deadline));
    let [to_verifier, to_prover] = proxy.join().expect("the one in between");
    let [code, prover_code] = codes;
    let verifier = Ended { code, messages: messages.join().expect("a reader") };
    let prover = Ended { code: prover_code, messages: prover_messages.join().expect("a reader") };
    End { verifier, prover, to_verifier, to_prover }
}

fn spawn(case: &Case, command: &str, values: &Values, timeout: Duration, more: &[&str]) -> Child {
    let mut process = Command::new(env!("CARGO_BIN_EXE_volery"));
    process.args([command, case.name]).args(case.options).args(more);
    for (name, value) in values {
        process.args([format!("--{name}").as_str(), value]);
    }
    process.args(["--timeout", &timeout.as_secs_f64().to_string()]);
    process.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    process.spawn().expect("the program starts")
}

/// The verifier's port, and a thread that reads the rest of standard error.
fn listening(verifier: &mut Child) -> (u16, thread::JoinHandle<String>) {
    let mut lines = BufReader::new(verifier.stderr.take().expect("a pipe"));
    let mut line = String::new();
    lines.read_line(&mut line).expect("text");
    let port = line.trim_end().rsplit_once(':').and_then(|(_, port)| port.parse().ok());
    (port.unwrap_or_else(|| panic!("no address: {line}")), thread::spawn(move || all(lines)))
}

fn all(mut from: impl Read) -> String {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes).expect("a pipe");
    String::from_utf8(bytes).expect("messages are UTF-8")
}

/// Waits for the exit code. A process that does not end in time, or ends by a signal, fails the test.
fn wait(child: &mut Child, deadline: Instant) -> i32 {
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            return status.code().unwrap_or_else(|| panic!("ended by a signal: {status}"));
        }
        if Instant::now() > deadline {
            // So that no process is left behind.
            let _ = child.kill();
            panic!("process {} hangs", child.id());
        }
        thread::sleep(Duration::from_millis(5));
    }
}
