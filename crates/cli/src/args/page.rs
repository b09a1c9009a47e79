//! `volery web prove` and `volery web plan`: a page, what to fetch and what to say about it.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use volery::Address;
use volery::web::attestation::Context;
use volery::web::attestation::contract::Address as AccountAddress;
use volery_channel::tls::Fingerprint;

use super::connection::{pin, seconds};
use super::session_limits::wait;
use super::web::{CipherArg, ModeArg, TlsArg, context, key};

/// How to write parts and claims: the end of the long help.
pub(super) const PARTS: &str = "\
PARTS of a request or response: what to reveal, to hide, to commit to, or to make a claim about
  response.json:PATH     a value of the JSON body, like user.accounts[0].balance; items[*].price is
                         that of every item, and a[\"first name\"] a key with blanks
  request.path           the document. It shows unless you hide it
  request.query          what comes after the ? of the URL
  request.query.NAME     the value of one parameter of it, as it was sent; then all names show,
                         and what has no =
  request.header:NAME    the value of a header field (also response.header:NAME)
  response.body          a whole body (also request.body)
  response.trailer:NAME  the value of a header field after a body in chunks
  response2.json:PATH    the same of the second response, if there are several requests
  What you reveal has to exist. An array or object is revealed with everything in it, and hidden
  value by value.
  Of a body and a value in it, the value decides: --reveal response.body --hide response.json:iban
  shows all but the IBAN, and --hide response.body --reveal response.json:currency the currency
  alone (and the keys). What a claim or --hide names is hidden even where --reveal names more.

CLAIMS about a part, which is then hidden
  --assert 'response.json:balance in 100.50..2000'    a number from 100.50 to 2000. `5000..` is at
                                                      least 5000. Also > >= < <=
  --assert 'response.json:name = Ada'                 exactly this text; a number: this value
  --assert 'response.json:name != Eve'                not this text; a number: not this value
  --assert 'response.json:plan one of gold|silver'    one of these (\\| is a bar, \\\\ a backslash)
                                                      or, of a number, these values
  --assert 'response.json:active is true'             also `is false` and `is null`
  --assert 'response.json:born before 2008-01-01'     a date or a time before this day began (UTC)
  --assert 'response.json:paid since 2026-01-31T12:30:00Z'    this time or later
  --assert 'response.json:name contains da'           this text, somewhere in it. Their lengths,
                                                      multiplied, are at most 131,072 bytes (2^17)
  --assert 'response.json:iban at 0 DE'               this text at this byte
  --assert 'response.json:date matches 2026-\\d\\d-.*'  this regular expression describes all of it:
                                                      at most 128 states, and 2^21 AND gates, at
                                                      10 to 50 for a byte
  --assert 'response.json:id is digits'               digits only
  --assert 'response.json:name characters 3..20'      this many characters
  --assert 'response.json:id length 3..20'            this many bytes
  --assert 'response.json: >= 5'                      of a body that is one value; mind the blank
  --assert 'request.path = /account'                  this path. Claims other than = != and `one of`
                                                      are about what follows the first slash
  The dates that are read: 2026-01-31, and 2026-01-31T12:30:00, then perhaps a fraction (.125), then
  Z, an offset (+01:00) or nothing, which means UTC. A blank may stand in place of the T.
  A claim that is not true ends the command with exit code 1. No claim is attested of an empty
  value, since its length shows: --reveal it. What the page does not have, or cannot hide, is exit
  code 2.

COMMITMENTS to a part, which is then hidden
  --commit response.json:balance    The attestation commits to the part. You can show it to others
                                    later, with `volery attestation open` and `prove-range`.
  --commit-all                      It commits to every hidden part. `volery attestation present`
                                    shows some of them, or proves claims, to one reader at a time.

WHAT SHOWS to the notary and to every reader of the attestation
  Of a request: the method, the path, the names of header fields, and fields that say how to read
  the request (Range, TE, ...). The query, the values of other header fields and the body are
  hidden unless you --reveal them.
  Of a response without --reveal: everything, except what a further request takes from it and the
  values of most header fields (Date, Server and others that are the same for everybody show).
  Of a response with --reveal: what you name, the status line, the names of header fields, and
  JSON keys.
  The length of a hidden part always shows. Hidden values that follow each other in a JSON body are
  one part: its names show, and the sum of all lengths. A value whose length would tell what
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
  accepts one request unless --max-rounds allows more; SECURITY.md says what later responses rest
  on. With --apart each request has its own connection and attestation (OUT, OUT.2, OUT.3), and may
  have a body. Each attestation is about one request: response2.json:a on this command line is
  response.json:a in OUT.2. If a request fails, the attestations before it exist.

PROXY MODE (--mode proxy)
  The notary relays the connection. Readers of the attestation trust it to have reached the true
  server.";

/// A page: how it is fetched, with which notary, and what is shown, hidden and claimed.
#[derive(Debug, Args)]
pub(crate) struct WebPageArgs {
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
    /// How long to try to reach the notary, and how long TLS with it may take [default: 10]
    #[arg(long, value_name = "SECONDS", requires = "notary", value_parser = seconds)]
    pub(crate) notary_timeout: Option<Duration>,
    /// The address with which the notary must sign the attestation for contracts on blockchains, too. That
    /// takes one request on a connection, whose path, query and body show
    #[arg(long, value_name = "ADDRESS", requires = "notary")]
    pub(crate) contract_signer: Option<AccountAddress>,
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
    /// the server which it chooses, on a connection that says nothing. With a version and a --cipher it goes
    /// without that
    #[arg(long, value_enum, value_name = "VERSION", default_value_t)]
    pub(crate) tls: TlsArg,
    /// The cipher suite to speak with the server. Two parties prepare one suite: the program first asks
    /// the server, as for --tls, whether it takes the cheapest
    #[arg(long, value_enum, default_value_t)]
    pub(crate) cipher: CipherArg,
    /// two-party: about how many bytes of the response you will show or make claims about. More are possible,
    /// and take time after the connection
    #[arg(long, value_name = "BYTES", default_value_t = 2048, value_parser = clap::value_parser!(u16).range(..=1 << 15))]
    pub(crate) expect: u16,
    /// A further request, on the same connection unless --apart: method and target, fields, an empty line, a
    /// body; - is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) then: Vec<PathBuf>,
    /// Give each request its own connection and attestation: OUT, OUT.2, OUT.3
    #[arg(long, requires = "then", conflicts_with_all = ["pipelined", "openings", "leaves"])]
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
    /// Commit to every hidden part, so that you can show any of them to others later, or prove claims about
    /// them, with `volery attestation present`. Fewer JSON values are then hidden together, and lengths show
    /// as they do without it
    #[arg(long)]
    pub(crate) commit_all: bool,
    /// Where to write what opens the parts that --commit-all commits to; a new file that only its owner can
    /// read [default: the attestation's name, then .leaves]
    #[arg(long, value_name = "FILE", requires = "commit_all")]
    pub(crate) leaves: Option<PathBuf>,
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
}

#[derive(Debug, Args)]
pub(crate) struct WebProveArgs {
    /// The page: https://host[:port]/path
    pub(crate) url: String,
    #[command(flatten)]
    pub(crate) page: WebPageArgs,
    /// two-party: reach the website through the notary, which must allow it (--relay), instead of from here.
    /// It passes ciphertexts on, and learns which website it is even if nothing is attested
    #[arg(long)]
    pub(crate) relay: bool,
    /// Where to write the attestation; a new file
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Print the result as a JSON object; with --apart one line for each request
    #[arg(long)]
    pub(crate) json: bool,
}

/// The options with which a request is made, which a saved one has of its own.
const OF_A_REQUEST: [&str; 5] = ["url", "method", "header", "headers", "body"];

#[derive(Debug, Args)]
pub(crate) struct WebPlanArgs {
    /// The page: https://host[:port]/path
    #[arg(required_unless_present_any = ["from_har", "from_curl"])]
    pub(crate) url: Option<String>,
    /// Read request and response from a HAR file that a browser has saved, and connect to nobody
    #[arg(long, value_name = "FILE", conflicts_with_all = OF_A_REQUEST, conflicts_with_all = ["from_curl", "then"])]
    pub(crate) from_har: Option<PathBuf>,
    /// The number of the request in the HAR file, from 1
    #[arg(long, value_name = "N", requires = "from_har")]
    pub(crate) entry: Option<usize>,
    /// Read the request from a cURL command that a browser has copied ("Copy as cURL (bash)"); - is standard
    /// input
    #[arg(long, value_name = "FILE", conflicts_with_all = OF_A_REQUEST)]
    pub(crate) from_curl: Option<PathBuf>,
    /// Leave out this header field of the saved request
    #[arg(long, value_name = "NAME", conflicts_with = "url")]
    pub(crate) omit: Vec<String>,
    /// Where to write the header fields of the saved request, for `web prove --headers`; a new file that only
    /// its owner can read
    #[arg(long, value_name = "FILE", conflicts_with = "url")]
    pub(crate) write_headers: Option<PathBuf>,
    /// Where to write the body of the saved request, for `web prove --body`; a new file that only its owner
    /// can read
    #[arg(long, value_name = "FILE", conflicts_with = "url")]
    pub(crate) write_body: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) page: WebPageArgs,
    /// Where the attestation would be written
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Print the plan as a JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
