//! `volery web prove`, `volery notary`, `volery attestation`: proofs of what a website said.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};
use volery::web::attestation::contract::Address;
use volery::web::attestation::{Context, Mode};
use volery::web::proxy::{Suite, TlsVersion};
use volery_channel::tls::Fingerprint;

use super::connection::{ConnectionArgs, bytes, seconds};
use super::page::{PARTS, WebPlanArgs, WebProveArgs};
use super::session_limits::SessionLimitArgs;
use crate::serve::WAITING;

#[derive(Debug, Subcommand)]
pub(crate) enum WebCommand {
    /// Fetch a page together with a notary and prove what it said
    #[command(after_long_help = PARTS)]
    Prove(Box<WebProveArgs>),
    /// Fetch a page alone and say what a proof of it would show, hide, claim and cost, and every mistake
    ///
    /// Nothing is proved, and no notary is called. The request is made, so think before you plan one that
    /// changes something.
    #[command(after_long_help = PARTS)]
    Plan(Box<WebPlanArgs>),
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
    /// Print what a contract on a blockchain needs: the typed data of EIP-712, and the notary's signature
    TypedData(AttestationTypedDataArgs),
    /// Open committed parts to others: writes a file for `verify --opening`
    Open(AttestationOpenArgs),
    /// Prove to others that a committed number lies in a range: writes a file for `verify --range`
    ProveRange(AttestationProveRangeArgs),
    /// Make a presentation for one reader: the attestation, with hidden parts that you open and claims that
    /// you prove; it needs `web prove --commit-all`
    Present(AttestationPresentArgs),
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

/// The cipher suite to speak with the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(crate) enum CipherArg {
    /// The cheapest one that the server takes
    #[default]
    Auto,
    /// AES-128-GCM with SHA-256
    Aes128,
    /// AES-256-GCM with SHA-384
    Aes256,
    /// ChaCha20-Poly1305 with SHA-256
    Chacha20,
}

impl CipherArg {
    /// Its name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Aes128 => "aes128",
            Self::Aes256 => "aes256",
            Self::Chacha20 => "chacha20",
        }
    }
}

/// `None` if it is found out.
impl From<CipherArg> for Option<Suite> {
    fn from(cipher: CipherArg) -> Self {
        match cipher {
            CipherArg::Auto => None,
            CipherArg::Aes128 => Some(Suite::Aes128GcmSha256),
            CipherArg::Aes256 => Some(Suite::Aes256GcmSha384),
            CipherArg::Chacha20 => Some(Suite::ChaCha20Poly1305Sha256),
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct NotaryKeyArgs {
    /// Where to write the key; a new file that only its owner can read
    pub(crate) file: PathBuf,
    /// Show the public key and the id of an existing file instead of making one
    #[arg(long)]
    pub(crate) show: bool,
    /// Make a key for contracts on blockchains, on secp256k1, and print its address. Use it for nothing else
    #[arg(long, conflicts_with = "show")]
    pub(crate) contract: bool,
    /// Print the result as a JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// A host as provers name it. What no prover can name would allow nothing, so it is a mistake.
fn host(text: &str) -> Result<String, String> {
    let label = |label: &str| {
        !label.is_empty() && label.bytes().all(|c| c.is_ascii_alphanumeric() || b"-_".contains(&c))
    };
    let named = text.len() <= 253 && text.split('.').all(label);
    if named || text.parse::<std::net::IpAddr>().is_ok() {
        Ok(text.to_owned())
    } else {
        Err("expected a name like api.example.com or an address, without a port".into())
    }
}

#[derive(Debug, Args)]
pub(crate) struct NotaryServeArgs {
    /// The signing key, made by `volery notary key`. Without --tls-cert the notary also shows its public half
    /// in TLS, instead of a certificate
    #[arg(long, value_name = "FILE")]
    pub(crate) key: PathBuf,
    /// A second key, made by `volery notary key --contract`: it signs what an attestation says for contracts
    /// on blockchains, if there is one request, whose path, query and body show
    #[arg(long, value_name = "FILE")]
    pub(crate) contract_key: Option<PathBuf>,
    /// A file of further authorities (PEM) that may issue servers' certificates
    #[arg(long, value_name = "FILE")]
    pub(crate) roots: Vec<PathBuf>,
    /// Ports of servers that provers may connect to, in both modes
    #[arg(long, value_name = "PORT", default_values_t = [443])]
    pub(crate) port: Vec<u16>,
    /// Connect to this host alone, by the name or the address that provers give it; several may be given. In
    /// proxy mode, and with --relay [default: all]
    #[arg(long, value_name = "NAME", value_parser = host)]
    pub(crate) host: Vec<String>,
    /// Also carry the connections of two-party provers that reach no website themselves, such as web pages
    /// (`web prove --relay`): TLS alone, to the same ports and addresses, and as many bytes, as in proxy mode
    #[arg(long)]
    pub(crate) relay: bool,
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
    /// The attestation, or a presentation of one; with --policy several of the same, by different notaries
    #[arg(required = true)]
    pub(crate) file: Vec<PathBuf>,
    /// The notary's public key, 64 hex digits
    #[arg(long, value_name = "HEX", value_parser = key, required_unless_present = "policy")]
    pub(crate) key: Option<[u8; 32]>,
    /// A file that says what you demand: notaries and their keys, host, path, claims, age and so on (JSON;
    /// see the guide)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["key", "contract_signer", "allow_hidden_path", "max_rounds", "allow_pipelined", "allow_no_alpn"])]
    pub(crate) policy: Option<PathBuf>,
    /// Accept only an attestation with this context, as text or as hex:DIGITS. A presentation must have been
    /// made for it, and without this for none. With --policy it is demanded besides what the policy demands,
    /// which must not name another context
    #[arg(long, value_name = "TEXT", value_parser = context)]
    pub(crate) context: Option<Context>,
    /// Accept only an attestation that this address has signed, too, for contracts on blockchains
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) contract_signer: Option<Address>,
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
    /// Also print where each part is, as positions of bytes
    #[arg(long)]
    pub(crate) verbose: bool,
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
pub(crate) struct AttestationPresentArgs {
    /// The attestation
    pub(crate) file: PathBuf,
    /// What opens its parts, written by `volery web prove --commit-all`
    #[arg(long, value_name = "FILE")]
    pub(crate) opening: PathBuf,
    /// A hidden part to open, named as for `web prove`: response.json:name, or response.json:items[*].price.
    /// Of a long part `response.body bytes 0..1000` opens the pieces of 1,024 bytes that have these
    #[arg(long, value_name = "PART")]
    pub(crate) reveal: Vec<String>,
    /// A claim about a hidden part, worded as for `web prove --assert`: 'response.json:balance >= 5000'. It
    /// is proved, which takes about 0.6 MB, and shows the length of the part in bytes. With [*] in its name
    /// it is proved of every such value that does not show; at most 64 are proved in all
    #[arg(long, value_name = "CLAIM")]
    pub(crate) claim: Vec<String>,
    /// What the reader asked for: up to 64 bytes, as text or as hex:DIGITS. The reader gives it to `verify
    /// --context`, so nobody can show the presentation to another reader as made for that one
    #[arg(long, value_name = "TEXT", value_parser = context)]
    pub(crate) context: Option<Context>,
    /// Where to write the presentation; a new file
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Print the result as a JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct AttestationTypedDataArgs {
    /// The attestation, of `volery web prove --contract-signer`
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct AttestationShowArgs {
    /// The attestation
    pub(crate) file: PathBuf,
    /// Also print where each part is, as positions of bytes
    #[arg(long)]
    pub(crate) verbose: bool,
    /// Print it as a JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Parses a context, which must not be empty.
pub(super) fn context(text: &str) -> Result<Context, String> {
    let context: Context =
        text.parse().map_err(|error: volery::web::attestation::Error| error.to_string())?;
    if context.is_empty() { Err("a context has 1 to 64 bytes".into()) } else { Ok(context) }
}

/// Parses a key: 32 bytes as 64 hex digits.
pub(super) fn key(text: &str) -> Result<[u8; 32], String> {
    // The fingerprint's parser reads the same form.
    text.parse::<Fingerprint>().map(|bytes| bytes.0).map_err(|_| "expected 64 hexadecimal digits".into())
}
