//! `volery web prove`, `volery notary`, `volery attestation`: proofs of what a website said.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};
use volery::Address;
use volery::tls::attestation::{Context, Mode};
use volery_channel::tls::Fingerprint;

use super::connection::{ConnectionArgs, bytes, pin};
use crate::serve::WAITING;

#[derive(Debug, Subcommand)]
pub(crate) enum WebCommand {
    /// Fetch a page together with a notary and prove what it said
    #[command(after_long_help = PARTS)]
    Prove(Box<WebProveArgs>),
}

#[derive(Debug, Subcommand)]
pub(crate) enum NotaryCommand {
    /// Make the key that attestations are signed with
    Key(NotaryKeyArgs),
    /// Serve provers: connect to websites with them, verify what they prove, and sign it
    Serve(Box<NotaryServeArgs>),
}

#[derive(Debug, Subcommand)]
pub(crate) enum AttestationCommand {
    /// Verify that a notary signed an attestation, and show what it says; exit code 0 only if it did
    Verify(AttestationVerifyArgs),
    /// Show what an attestation says, and who is said to have signed it
    Show(AttestationShowArgs),
    /// Open committed parts to others: writes a file for `verify --opening`
    Open(AttestationOpenArgs),
    /// Prove to others that a committed number lies in a range: writes a file for `verify --range`
    ProveRange(AttestationProveRangeArgs),
}

/// How prover and notary connect to the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(crate) enum ModeArg {
    /// Both are the TLS client together, and neither has the connection's keys while it lives
    #[default]
    TwoParty,
    /// The prover makes the connection and the notary relays it: cheap, but readers have to trust the
    /// notary's path to the server
    Proxy,
}

impl From<ModeArg> for Mode {
    fn from(mode: ModeArg) -> Self {
        match mode {
            ModeArg::TwoParty => Self::TwoParty,
            ModeArg::Proxy => Self::Proxy,
        }
    }
}

impl ModeArg {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::TwoParty => "two-party",
            Self::Proxy => "proxy",
        }
    }
}

/// How to write parts and claims; ends the long help.
pub(super) const PARTS: &str = "\
PARTS of a request or response, to reveal, to hide or to make a claim about
  response.json:PATH        a value of the JSON body, like user.accounts[0].balance; strings and numbers can be hidden
  request.path              the document; it shows unless you hide it
  request.query             what comes after the ? of the URL
  request.header:NAME       the value of a header field (also of the response)
  response.body             a whole body (also of the request)
  response2.json:PATH       the same of the second response, if there are several requests. request1 and response1 are
                            request and response
CLAIMS (the part is hidden)
  --assert 'response.json:balance in 100.50..2000'   a number from 100.50 to 2000; `5000..` is at least 5000; also > >= < <=
  --assert 'response.json:name = Ada'                exactly this text
  --assert 'response.json:name contains da'          this text, somewhere in it
  --assert 'response.json:iban at 0 DE'              this text at this byte
  --assert 'response.json:date matches 2026-\\d\\d-.*'  this regular expression describes all of it
  --assert 'response.json:id is digits'              digits only; `length 3..20` bounds the number of bytes
COMMITMENTS (the part is hidden)
  --commit response.json:balance                     the attestation commits to it, and you can show it to others later:
                                                     `volery attestation open` and `prove-range`
WHAT SHOWS to the notary and to every reader of the attestation
  of a request    The method, the path and the names of header fields. The query, the values of header fields and the body
                  are hidden unless you --reveal them. Fields that say how to read the request (Range, TE, ...) show.
  of a response   Without --reveal everything shows, except what a further request takes from it and most values of header
                  fields (Date, Server and others that are the same for everybody show). With --reveal only this shows:
                  what you name, the status line, the names of header fields, and JSON keys.
The length of a hidden part shows. On a terminal the program lists what will show and asks before it shows anything; --yes
does not ask. Without a terminal, --notary needs --yes.
Some header fields let servers take the path, host or method from elsewhere. They cannot be hidden, and the program sends them
only if you --reveal them.
With --hide request.path readers do not learn which document a claim is about. `attestation verify` then fails unless they give
--allow-hidden-path. A path with a value of a response in it is hidden, too, unless you --reveal it.
FURTHER REQUESTS (--then FILE)
The file has a line `METHOD /target`, header fields, an empty line, and a body. All requests share a connection unless you give
--apart. A value of an earlier response stands as {{response.json:token|64}} in target, fields or body: a string or number of at
most 64 bytes. {{response.cookie:NAME|64}} is the cookie that a Set-Cookie field set, and {{response.header:NAME|64}} a whole
field. Each request waits for the response before it, which the program reads while the connection lives. In two-party mode that
takes preparation: 128 KB for 16 bytes. Only the last request may have a body or be HEAD. `attestation verify` accepts one request
unless --max-rounds allows more; SECURITY.md says what later responses rest on.
With --apart each request has an attestation of its own: OUT, OUT.2, OUT.3. Each is worth as much as that of a single request, and
any request may have a body. Each attestation has one request: what is response2.json:a here is response.json:a in OUT.2. If a
request fails, the attestations of those before it exist.
In proxy mode the notary relays the connection, and readers of the attestation trust it to have reached the true server.";

#[derive(Debug, Args)]
pub(crate) struct WebProveArgs {
    /// The page: https://host[:port]/path
    pub(crate) url: String,
    /// The notary. Without one this process plays both parties: that shows how it works and convinces nobody
    #[arg(long, value_name = "ADDR", requires = "notary_key")]
    pub(crate) notary: Option<Address>,
    /// The notary's public key, 64 hex digits. Attestations must be signed with it. In TLS the notary must
    /// show it, too, unless it has a certificate
    #[arg(long, value_name = "HEX", value_parser = key, requires = "notary")]
    pub(crate) notary_key: Option<[u8; 32]>,
    /// If the notary has a certificate: the fingerprint of exactly this certificate
    #[arg(long, value_name = "sha256:HEX", value_parser = pin, requires = "notary")]
    pub(crate) notary_pin: Option<Fingerprint>,
    /// If the notary has a certificate: the authorities that may have issued it, for the notary's name (PEM)
    #[arg(long, value_name = "FILE", requires = "notary", conflicts_with = "notary_pin")]
    pub(crate) notary_ca: Option<PathBuf>,
    /// A file with the token that the notary asks for
    #[arg(long, value_name = "FILE", requires = "notary")]
    pub(crate) notary_token: Option<PathBuf>,
    /// How the connection is made
    #[arg(long, value_enum, default_value_t)]
    pub(crate) mode: ModeArg,
    /// two-party: about how many bytes of the response you will show or make claims about. More are possible,
    /// but then cost time after the connection
    #[arg(long, value_name = "BYTES", default_value_t = 2048, value_parser = clap::value_parser!(u16).range(..=1 << 15))]
    pub(crate) expect: u16,
    /// A further request, on the same connection unless --apart: method and target, fields, an empty line, a
    /// body; - is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) then: Vec<PathBuf>,
    /// Give each request a connection and an attestation of its own: OUT, OUT.2, OUT.3. Then no response
    /// depends on where another one ended
    #[arg(long, requires = "then", conflicts_with_all = ["pipelined", "openings"])]
    pub(crate) apart: bool,
    /// two-party: send further requests at once if they use nothing of an earlier response. The attestation
    /// says so, and is worth less: nothing shows that a later response is not part of an earlier one
    #[arg(long, requires = "then")]
    pub(crate) pipelined: bool,
    /// two-party: how many bytes the program can read of each response that a further request on the
    /// connection waits for
    #[arg(long, value_name = "BYTES", default_value_t = 1024, conflicts_with = "apart", value_parser = clap::value_parser!(u16).range(1..=1 << 13))]
    pub(crate) read: u16,
    /// A part to show. With this option everything else that can be hidden is hidden, except paths
    #[arg(long, value_name = "PART")]
    pub(crate) reveal: Vec<String>,
    /// A part to hide
    #[arg(long, value_name = "PART")]
    pub(crate) hide: Vec<String>,
    /// A claim about a part that stays hidden
    #[arg(long, value_name = "CLAIM")]
    pub(crate) assert: Vec<String>,
    /// A part to hide and to commit to, so that you can show it to others later
    #[arg(long, value_name = "PART")]
    pub(crate) commit: Vec<String>,
    /// Where to write the openings of the commitments; a new file that only its owner can read [default: the
    /// attestation's name, then .openings]
    #[arg(long, value_name = "FILE", requires = "commit")]
    pub(crate) openings: Option<PathBuf>,
    /// Up to 64 bytes that the notary signs with the rest, as text or as hex:DIGITS: a reader's nonce or
    /// name, or your public key
    #[arg(long, value_name = "TEXT", value_parser = context)]
    pub(crate) context: Option<Context>,
    /// Show the notary what is not hidden without asking first. Needed without a terminal
    #[arg(long)]
    pub(crate) yes: bool,
    /// The method of the request
    #[arg(long, value_name = "METHOD", default_value = "GET")]
    pub(crate) method: String,
    /// A header field of the request, `Name: value`
    #[arg(long, value_name = "FIELD")]
    pub(crate) header: Vec<String>,
    /// A file of header fields, one a line, for secrets that others on this machine must not see on the
    /// command line; - is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) headers: Option<PathBuf>,
    /// The body of the request
    #[arg(long, value_name = "FILE")]
    pub(crate) body: Option<PathBuf>,
    /// A file of further authorities (PEM) that may issue the server's certificate
    #[arg(long, value_name = "FILE")]
    pub(crate) roots: Vec<PathBuf>,
    /// Where to write the attestation; a new file
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Print the result as a JSON object; with --apart one line for each request
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct NotaryKeyArgs {
    /// Where to write the key; a new file that only its owner can read
    pub(crate) file: PathBuf,
    /// Print the result as a JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct NotaryServeArgs {
    /// The signing key, as `volery notary key` makes it. Without --tls-cert, TLS shows its public half
    /// instead of a certificate
    #[arg(long, value_name = "FILE")]
    pub(crate) key: PathBuf,
    /// A file of further authorities (PEM) that may issue servers' certificates
    #[arg(long, value_name = "FILE")]
    pub(crate) roots: Vec<PathBuf>,
    /// Ports of servers that provers may use, in both modes
    #[arg(long, value_name = "PORT", default_values_t = [443])]
    pub(crate) port: Vec<u16>,
    /// Also connect to servers in private networks and on this machine. Provers can then reach everything
    /// there
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// Serve only provers that have one of the tokens in this file, one a line
    #[arg(long, value_name = "FILE")]
    pub(crate) tokens: Option<PathBuf>,
    /// Serve counts of sessions at http://HOST:PORT/metrics, for Prometheus
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) metrics: Option<String>,
    /// Stop after this many sessions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_sessions: Option<u64>,
    /// The most connections of one client at the same time, waiting ones included; more are refused. A client
    /// is one address, or one /64 network of IPv6 [default: half of --concurrency]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) per_client: Option<u16>,
    /// The most sessions at the same time. More provers wait in a queue
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) concurrency: u16,
    /// The most connections without a session: those in the queue, and those that still send their request
    /// (for which they have --connect-timeout)
    #[arg(long, value_name = "N", default_value_t = WAITING, value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(crate) waiting: u16,
    /// Memory for garbled circuits and for claims, in all sessions together, like 500M or 3G. One client gets
    /// at most half of it, unless --per-client lets it use all slots. A client that needs more than is left
    /// is told to come again. A session with a short request takes 10 MB for garbled circuits, the longest
    /// 250 MB. The longest claims take 360 MB more; the notary learns of them after the request was made
    #[arg(long, value_name = "BYTES", default_value = "1G", value_parser = bytes)]
    pub(crate) memory: u64,
    #[command(flatten)]
    pub(crate) connection: ConnectionArgs,
}

#[derive(Debug, Args)]
pub(crate) struct AttestationVerifyArgs {
    /// The attestation
    pub(crate) file: PathBuf,
    /// The notary's public key, 64 hex digits
    #[arg(long, value_name = "HEX", value_parser = key)]
    pub(crate) key: [u8; 32],
    /// Accept only an attestation with this context, as text or as hex:DIGITS
    #[arg(long, value_name = "TEXT", value_parser = context)]
    pub(crate) context: Option<Context>,
    /// Accept an attestation that hides the path of a request, and with it which document it is about
    #[arg(long)]
    pub(crate) allow_hidden_path: bool,
    /// Accept up to this many requests on the connection. Which request a later response answers rests on the
    /// order of arrival, and on a server that sends no more than its responses' heads announce
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_rounds: u32,
    /// Accept requests that were sent at once. Nothing then shows that a later response is not part of an
    /// earlier one
    #[arg(long)]
    pub(crate) allow_pipelined: bool,
    /// A file that opens commitments, as `volery attestation open` writes it
    #[arg(long, value_name = "FILE")]
    pub(crate) opening: Vec<PathBuf>,
    /// A proof that a committed number lies in a range, as `volery attestation prove-range` writes it
    #[arg(long, value_name = "FILE")]
    pub(crate) range: Vec<PathBuf>,
    /// Print the result as a JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct AttestationOpenArgs {
    /// The attestation
    pub(crate) file: PathBuf,
    /// The openings of its commitments, as `volery web prove --commit` wrote them
    #[arg(long, value_name = "FILE")]
    pub(crate) openings: PathBuf,
    /// A part to open, as `--commit` named it. With `--apart` each attestation has one request, so it is
    /// `response.json:NAME` in OUT.2, too
    #[arg(long, value_name = "PART", required = true)]
    pub(crate) part: Vec<String>,
    /// Where to write the opening; a new file. Whoever has it and the attestation can read these parts
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Print the result as a JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct AttestationProveRangeArgs {
    /// The attestation
    pub(crate) file: PathBuf,
    /// The openings of its commitments, as `volery web prove --commit` wrote them
    #[arg(long, value_name = "FILE")]
    pub(crate) openings: PathBuf,
    /// The number and its bounds: 'response.json:balance in 5000..9999'
    #[arg(long, value_name = "CLAIM")]
    pub(crate) claim: String,
    /// Where to write the proof; a new file, with nothing secret in it
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Print the result as a JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct AttestationShowArgs {
    /// The attestation
    pub(crate) file: PathBuf,
    /// Print it as a JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Parses a context, which must not be empty.
fn context(text: &str) -> Result<Context, String> {
    let context: Context =
        text.parse().map_err(|error: volery::tls::attestation::Error| error.to_string())?;
    if context.is_empty() { Err("a context has 1 to 64 bytes".into()) } else { Ok(context) }
}

/// Parses a key: 32 bytes as 64 hex digits.
fn key(text: &str) -> Result<[u8; 32], String> {
    // The fingerprint's parser reads the same form.
    text.parse::<Fingerprint>().map(|bytes| bytes.0).map_err(|_| "expected 64 hexadecimal digits".into())
}
