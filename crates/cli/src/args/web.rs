//! `volery web prove`, `volery notary`, `volery attestation`: proofs of what a website said.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};
use volery::Address;
use volery::web::attestation::{Context, Mode};
use volery::web::proxy::TlsVersion;
use volery_channel::tls::Fingerprint;

use super::connection::{ConnectionArgs, bytes, pin, seconds};
use super::session_limits::{SessionLimitArgs, wait};
use crate::serve::WAITING;

#[derive(Debug, Subcommand)]
pub(crate) enum WebCommand {
    /// Fetch a page together with a notary and prove what it said
    #[command(after_long_help = PARTS)]
    Prove(Box<WebProveArgs>),
}

#[derive(Debug, Subcommand)]
pub(crate) enum NotaryCommand {
    /// Make the key that signs attestations
    Key(NotaryKeyArgs),
    /// Serve provers: connect to websites with them, verify what they prove, and sign it
    Serve(Box<NotaryServeArgs>),
}

#[derive(Debug, Subcommand)]
pub(crate) enum AttestationCommand {
    /// Check that a notary signed an attestation, and show what it says; exit code 0 only if it did
    Verify(AttestationVerifyArgs),
    /// Show what an attestation says, without checking who signed it
    Show(AttestationShowArgs),
    /// Open committed parts to others: writes a file for `verify --opening`
    Open(AttestationOpenArgs),
    /// Prove to others that a committed number lies in a range: writes a file for `verify --range`
    ProveRange(AttestationProveRangeArgs),
}

/// How prover and notary connect to the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(crate) enum ModeArg {
    /// Prover and notary are the TLS client together. Neither has the connection's keys while it lives
    #[default]
    TwoParty,
    /// The prover makes the connection and the notary relays it. Cheap, but readers have to trust the
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

/// The version of TLS to speak with the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(crate) enum TlsArg {
    /// TLS 1.3 if the server speaks it, otherwise TLS 1.2
    #[default]
    Auto,
    /// TLS 1.2
    #[value(name = "1.2")]
    Tls12,
    /// TLS 1.3
    #[value(name = "1.3")]
    Tls13,
}

impl TlsArg {
    /// Its name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Tls12 => "1.2",
            Self::Tls13 => "1.3",
        }
    }
}

/// `None` if the server chooses.
impl From<TlsArg> for Option<TlsVersion> {
    fn from(version: TlsArg) -> Self {
        match version {
            TlsArg::Auto => None,
            TlsArg::Tls12 => Some(TlsVersion::Tls12),
            TlsArg::Tls13 => Some(TlsVersion::Tls13),
        }
    }
}

/// How to write parts and claims: the end of the long help.
pub(super) const PARTS: &str = "\
PARTS of a request or response: what to reveal, to hide, to commit to, or to make a claim about
  response.json:PATH     a value of the JSON body, like user.accounts[0].balance; items[*].price is
                         that of every item, and a[\"first name\"] a key with blanks
  request.path           the document. It shows unless you hide it
  request.query          what comes after the ? of the URL
  request.query.NAME     the value of one parameter of it, as it was sent; then all names show
  request.header:NAME    the value of a header field (also response.header:NAME)
  response.body          a whole body (also request.body)
  response.trailer:NAME  the value of a header field after a body in chunks
  response2.json:PATH    the same of the second response, if there are several requests
  Of a body and a value in it, the value decides: --reveal response.body --hide response.json:iban
  shows all but the IBAN, and --hide response.body --reveal response.json:currency the currency
  alone (and the keys). What a claim or --hide names is hidden even where --reveal names more.

CLAIMS about a part, which is then hidden
  --assert 'response.json:balance in 100.50..2000'    a number from 100.50 to 2000. `5000..` is at
                                                      least 5000. Also > >= < <=
  --assert 'response.json:name = Ada'                 exactly this text
  --assert 'response.json:name != Eve'                not this text; a number: not this value
  --assert 'response.json:plan one of gold|silver'    one of these texts (\\| is a bar, \\\\ a backslash)
  --assert 'response.json:active is true'             also `is false` and `is null`
  --assert 'response.json:born before 2008-01-01'     a date or a time before this day began (UTC)
  --assert 'response.json:paid since 2026-01-31T12:30:00Z'    this time or later
  --assert 'response.json:name contains da'           this text, somewhere in it
  --assert 'response.json:iban at 0 DE'               this text at this byte
  --assert 'response.json:date matches 2026-\\d\\d-.*'  this regular expression describes all of it
  --assert 'response.json:id is digits'               digits only
  --assert 'response.json:name characters 3..20'      this many characters
  --assert 'response.json:id length 3..20'            this many bytes
  The dates that are read: 2026-01-31, and 2026-01-31T12:30:00, then perhaps a fraction (.125), then
  Z, an offset (+01:00) or nothing, which means UTC. A blank may stand in place of the T.
  A claim that is not true ends the command with exit code 1.

COMMITMENTS to a part, which is then hidden
  --commit response.json:balance    The attestation commits to the part. You can show it to others
                                    later, with `volery attestation open` and `prove-range`.

WHAT SHOWS to the notary and to every reader of the attestation
  Of a request: the method, the path, the names of header fields, and fields that say how to read
  the request (Range, TE, ...). The query, the values of other header fields and the body are
  hidden unless you --reveal them.
  Of a response without --reveal: everything, except what a further request takes from it and the
  values of most header fields (Date, Server and others that are the same for everybody show).
  Of a response with --reveal: what you name, the status line, the names of header fields, and
  JSON keys.
  The length of a hidden part always shows. Hidden values that follow each other in a JSON body are
  one part, of which the names show and the sum of all lengths. A value whose length would tell what
  it is (true, false, null, \"\") is hidden only among others. Where there are none, the program asks
  you to --reveal it, or to --show-rest.
  On a terminal the program lists what will show, and asks before it shows anything. --yes does not
  ask. Without a terminal, --notary needs --yes.
  Some header fields make servers take the path, host or method from elsewhere. They cannot be
  hidden. The program sends them only if you --reveal them.
  With --hide request.path readers do not learn which document a claim is about. `volery attestation
  verify` then needs --allow-hidden-path. A path that contains a value of a response is hidden, too,
  unless you --reveal it.

FURTHER REQUESTS (--then FILE)
  FILE has a line `METHOD /target`, then header fields, an empty line, and the body, if any.
  {{response.json:token|64}} stands for a value of an earlier response, at most 64 bytes long. So do
  {{response.cookie:NAME|64}} for a cookie that was set, and {{response.header:NAME|64}} for a whole
  header field.
  All requests share a connection, and each waits for the response before it. The program reads
  that response while the connection lives; in two-party mode this takes preparation, 128 KB for
  16 bytes. Only the last request may have a body or the method HEAD. `volery attestation verify`
  accepts one request unless --max-rounds allows more; SECURITY.md says what later responses rest on.
  With --apart each request has its own connection and attestation (OUT, OUT.2, OUT.3), and may have
  a body. Each attestation is about one request: response2.json:a on this command line is
  response.json:a in OUT.2. If a request fails, the attestations before it exist.

PROXY MODE (--mode proxy)
  The notary relays the connection. Readers of the attestation trust it to have reached the true
  server.";

#[derive(Debug, Args)]
pub(crate) struct WebProveArgs {
    /// The page: https://host[:port]/path
    pub(crate) url: String,
    /// The notary's address. Without it this process is its own notary, which convinces nobody but shows how
    /// it works
    #[arg(long, value_name = "ADDR", requires = "notary_key")]
    pub(crate) notary: Option<Address>,
    /// The notary's public key, 64 hex digits. It must sign the attestation. The notary must also show it in
    /// TLS, unless it has a certificate
    #[arg(long, value_name = "HEX", value_parser = key, requires = "notary")]
    pub(crate) notary_key: Option<[u8; 32]>,
    /// If the notary has a certificate: its fingerprint
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
    /// two-party: accept a server that names no protocol (ALPN). Its words may then be those of any service
    /// of its host, on any port, that has its certificate. So the notary must allow it, the attestation says
    /// it, and readers refuse it unless they say --allow-no-alpn. Proxy mode needs none of this
    #[arg(long)]
    pub(crate) no_alpn: bool,
    /// How long the server may take for its next bytes, also before the first ones; whole seconds up to the
    /// notary's --max-wait [default: 10]
    #[arg(long, value_name = "SECONDS", value_parser = wait)]
    pub(crate) timeout: Option<Duration>,
    /// The version of TLS to speak with the server. Two parties prepare one version: the program first asks
    /// the server which it chooses, on a connection that says nothing. 1.2 and 1.3 go without that
    #[arg(long, value_enum, value_name = "VERSION", default_value_t)]
    pub(crate) tls: TlsArg,
    /// two-party: about how many bytes of the response you will show or make claims about. More are possible,
    /// and take time after the connection
    #[arg(long, value_name = "BYTES", default_value_t = 2048, value_parser = clap::value_parser!(u16).range(..=1 << 15))]
    pub(crate) expect: u16,
    /// A further request, on the same connection unless --apart: method and target, fields, an empty line, a
    /// body; - is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) then: Vec<PathBuf>,
    /// Give each request its own connection and attestation: OUT, OUT.2, OUT.3
    #[arg(long, requires = "then", conflicts_with_all = ["pipelined", "openings"])]
    pub(crate) apart: bool,
    /// two-party: send further requests at once if they use no value of an earlier response. The attestation
    /// says so and is worth less: a later response may be part of an earlier one
    #[arg(long, requires = "then")]
    pub(crate) pipelined: bool,
    /// two-party: how many bytes the program can read of each response before the last one on a connection
    #[arg(long, value_name = "BYTES", default_value_t = 1024, conflicts_with = "apart", value_parser = clap::value_parser!(u16).range(1..=1 << 13))]
    pub(crate) read: u16,
    /// A part to show. Everything else that can be hidden is then hidden, except paths
    #[arg(long, value_name = "PART")]
    pub(crate) reveal: Vec<String>,
    /// Show values whose length would tell what they are, if nothing is hidden beside them, instead of
    /// refusing the page
    #[arg(long)]
    pub(crate) show_rest: bool,
    /// A part to hide
    #[arg(long, value_name = "PART")]
    pub(crate) hide: Vec<String>,
    /// A claim about a part that stays hidden
    #[arg(long, value_name = "CLAIM")]
    pub(crate) assert: Vec<String>,
    /// A part to hide and commit to, so that you can show it to others later
    #[arg(long, value_name = "PART")]
    pub(crate) commit: Vec<String>,
    /// Where to write the openings of the commitments; a new file that only its owner can read [default: the
    /// attestation's name, then .openings]
    #[arg(long, value_name = "FILE", requires = "commit")]
    pub(crate) openings: Option<PathBuf>,
    /// Up to 64 bytes that the notary signs, too, as text or as hex:DIGITS: a reader's nonce or name, or your
    /// public key
    #[arg(long, value_name = "TEXT", value_parser = context)]
    pub(crate) context: Option<Context>,
    /// Accept a response after which the server does not say that it ends the connection, if the request
    /// asked for that. The notary gets values with which it could forge requests in your name, if the server
    /// took more on this connection. Servers that follow RFC 9112 do not; some of them do not say so
    #[arg(long)]
    pub(crate) trust_close: bool,
    /// Do not ask before the notary sees what is not hidden. Needed without a terminal
    #[arg(long)]
    pub(crate) yes: bool,
    /// The method of the request
    #[arg(long, value_name = "METHOD", default_value = "GET")]
    pub(crate) method: String,
    /// A header field of the request, `Name: value`
    #[arg(long, value_name = "FIELD")]
    pub(crate) header: Vec<String>,
    /// A file of header fields, one a line; - is standard input. For secrets: others on this machine can see
    /// the command line
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
    /// The signing key, made by `volery notary key`. Without --tls-cert the notary also shows its public half
    /// in TLS, instead of a certificate
    #[arg(long, value_name = "FILE")]
    pub(crate) key: PathBuf,
    /// A file of further authorities (PEM) that may issue servers' certificates
    #[arg(long, value_name = "FILE")]
    pub(crate) roots: Vec<PathBuf>,
    /// Ports of servers that provers may connect to, in both modes
    #[arg(long, value_name = "PORT", default_values_t = [443])]
    pub(crate) port: Vec<u16>,
    /// Also connect to private networks and to this machine. Provers can then reach everything there
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// Serve only provers with one of the tokens in this file, one a line
    #[arg(long, value_name = "FILE")]
    pub(crate) tokens: Option<PathBuf>,
    /// Serve counts of sessions at http://HOST:PORT/metrics, for Prometheus
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) metrics: Option<String>,
    /// Answer GET http://HOST:PORT/healthz: 200 while the notary serves, 503 once it was told to stop
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) health: Option<String>,
    /// After SIGINT or SIGTERM: how long the running sessions may go on. New ones are refused. A second
    /// signal ends them at once
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) drain_time: Duration,
    /// Stop after this many sessions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_sessions: Option<u64>,
    /// The most connections of one client at the same time, also while they wait. More are refused. A client
    /// is an address, or a /64 network of IPv6 [default: half of --concurrency]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) per_client: Option<u16>,
    /// The most connections that one client may begin within a minute. More are refused [default: any number]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) client_rate: Option<u32>,
    /// The most sessions that provers with the same token may begin within a minute. More are refused
    /// [default: any number]
    #[arg(long, value_name = "N", requires = "tokens", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) token_rate: Option<u32>,
    /// The most sessions at the same time. More provers wait in a queue
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) concurrency: u16,
    /// The most connections without a session: those in the queue, and those that have not sent their request
    /// yet (they have --connect-timeout for it)
    #[arg(long, value_name = "N", default_value_t = WAITING, value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(crate) waiting: u16,
    /// Memory of all sessions together for garbled circuits and claims, like 500M or 3G. One client gets at
    /// most half of it, unless --per-client lets it use all slots. If too little is left, a client is told to
    /// try again later. A short request takes 10 MB, the longest 250 MB. The longest claims take 360 MB; the
    /// notary learns of claims after the request was made
    #[arg(long, value_name = "BYTES", default_value = "1G", value_parser = bytes)]
    pub(crate) memory: u64,
    #[command(flatten)]
    pub(crate) session: SessionLimitArgs,
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
    /// Accept an attestation that hides the path of a request, so that you do not know which document it is
    /// about
    #[arg(long)]
    pub(crate) allow_hidden_path: bool,
    /// Accept up to this many requests on the connection. Only say more than 1 for servers that send exactly
    /// what the heads of their responses announce: see SECURITY.md
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_rounds: u32,
    /// Accept requests that were sent at once. A later response may then be part of an earlier one
    #[arg(long)]
    pub(crate) allow_pipelined: bool,
    /// Accept a two-party connection on which the server named no protocol (ALPN). Only say this for a host
    /// of which you know all services with its certificate, and that none repeats what it is sent: see
    /// SECURITY.md
    #[arg(long)]
    pub(crate) allow_no_alpn: bool,
    /// A file that opens commitments, made by `volery attestation open`
    #[arg(long, value_name = "FILE")]
    pub(crate) opening: Vec<PathBuf>,
    /// A proof that a committed number lies in a range, made by `volery attestation prove-range`
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
    /// The openings of its commitments, written by `volery web prove --commit`
    #[arg(long, value_name = "FILE")]
    pub(crate) openings: PathBuf,
    /// A part to open, named as for --commit. After --apart each attestation is about one request, so write
    /// response.json:NAME for OUT.2, too
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
    /// The openings of its commitments, written by `volery web prove --commit`
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
        text.parse().map_err(|error: volery::web::attestation::Error| error.to_string())?;
    if context.is_empty() { Err("a context has 1 to 64 bytes".into()) } else { Ok(context) }
}

/// Parses a key: 32 bytes as 64 hex digits.
fn key(text: &str) -> Result<[u8; 32], String> {
    // The fingerprint's parser reads the same form.
    text.parse::<Fingerprint>().map(|bytes| bytes.0).map_err(|_| "expected 64 hexadecimal digits".into())
}
