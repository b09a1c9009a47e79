//! `volery notary`: V, for many provers.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;
use volery::tls::attestation::{SigningKey, Statement};
use volery::tls::proxy::relay::Rules;
use volery::tls::server::Roots;
use volery::{Channel, Options, Verifier, os_rng};
use volery_channel::transport::Socket;
use zeroize::Zeroizing;

use super::{read, roots};
use crate::cli::args::{NotaryKeyArgs, NotaryServeArgs};
use crate::cli::connection::Endpoint;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::serve::{SESSION_TIME, Stop};

/// Bytes of a session, both ways, unless the command line says otherwise.
const SESSION_BYTES: u64 = 1 << 30;

/// Runs `volery notary key`.
pub(crate) fn make_key(args: &NotaryKeyArgs) -> Result<(), Failure> {
    let mut seed = Zeroizing::new([0; 32]);
    rand_core::Rng::fill_bytes(&mut os_rng()?, &mut *seed);
    let failed = |error: std::io::Error| Failure::input(format!("{}: {error}", args.file.display()));
    let mut file =
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(&args.file).map_err(failed)?;
    let text = Zeroizing::new(hex(&*seed) + "\n");
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
    output::result(&format!("public key {}", hex(&SigningKey::from_bytes(&seed).verifying_key().to_bytes())))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads what [`make_key`] wrote.
fn open_key(path: &Path) -> Result<SigningKey, Failure> {
    let text = read(path, 1 << 10)?;
    let digits = text.trim_ascii();
    let wrong = || {
        Failure::input(format!(
            "{}: expected 64 hexadecimal digits (see `volery notary key`)",
            path.display()
        ))
    };
    let mut seed = Zeroizing::new([0; 32]);
    if digits.len() != 64 {
        return Err(wrong());
    }
    for (byte, pair) in seed.iter_mut().zip(digits.chunks_exact(2)) {
        let pair = core::str::from_utf8(pair).ok().filter(|pair| pair.bytes().all(|c| c.is_ascii_hexdigit()));
        *byte = pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()).ok_or_else(wrong)?;
    }
    Ok(SigningKey::from_bytes(&seed))
}

/// One session: relays, verifies, signs.
pub(super) fn session<C: Channel>(
    channel: C,
    rules: &Rules,
    roots: &Roots,
    key: &SigningKey,
) -> Result<Statement, Failure> {
    let mut rng = os_rng()?;
    let mut verifier = Verifier::start(channel, Options::default(), &mut rng)?;
    let relayed = verifier.relay(rules)?;
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map_err(Failure::session)?.as_secs();
    let (proven, _) = verifier.verify_web(&relayed, roots, time, &mut rng)?;
    verifier.attest(&proven, key)?;
    proven.statement().ok_or_else(|| Failure::session("internal error"))
}

/// A session's end. Nothing of the payload is told but its length.
#[derive(Serialize)]
struct Ended<'a> {
    /// `attested`, `rejected` or `failed`.
    result: &'static str,
    peer: &'a str,
    server: Option<&'a str>,
    query_bytes: Option<u64>,
    response_bytes: Option<u64>,
    reason: Option<String>,
}

fn tell(peer: &str, result: &Result<Statement, Failure>) -> Result<(), Failure> {
    let (word, reason) = match result {
        Ok(_) => ("attested", None),
        Err(Failure::Rejected(reason)) => ("rejected", Some(reason.clone())),
        Err(failure) => ("failed", Some(failure.to_string())),
    };
    let statement = result.as_ref().ok();
    output::json(&Ended {
        result: word,
        peer,
        server: statement.map(|statement| statement.server_name.as_str()),
        query_bytes: statement.map(|statement| statement.query.length),
        response_bytes: statement.map(|statement| statement.response.length),
        reason,
    })
}

/// Runs `volery notary serve`.
pub(crate) fn serve(args: &NotaryServeArgs) -> Result<(), Failure> {
    let stop = Stop::at_signals()?;
    let (key, roots) = (open_key(&args.key)?, roots(&args.roots)?);
    let rules = Rules { private: args.allow_private, ports: args.port.clone(), ..Rules::default() };
    if args.connection.listen.is_none() {
        return Err(Failure::input("a notary needs --listen ADDR"));
    }
    let mut endpoint = Endpoint::new(&args.connection)?;
    endpoint.limits.total_time.get_or_insert(SESSION_TIME);
    endpoint.limits.total_bytes.get_or_insert(SESSION_BYTES);
    output::message(&format!("public key {}", hex(&key.verifying_key().to_bytes())));
    stop.sessions(&endpoint, args.concurrency, args.max_sessions, &|socket: Socket| {
        let peer = socket.peer();
        // A panic would be a defect of ours; it must not take the other sessions with it.
        let result =
            catch_unwind(AssertUnwindSafe(|| session(endpoint.greet(socket)?.channel, &rules, &roots, &key)));
        tell(&peer, &result.unwrap_or_else(|_| Err(Failure::session("internal error"))))
    })
}
