//! Making a pair of correlation files over a session.
//!
//! ```text
//! P                                             V
//! Begin("preprocess", n)      <---------->      Begin("preprocess", n)
//! P.vole.partial   <-- correlations of the session -->   V.vole.partial      each synced, headers last
//! Goodbye(chain)              <---------->      Goodbye(chain)               "mine is on the disk"
//! P.vole                                        V.vole                       renamed only now
//! ```
//!
//! The session was begun with [`Options::fiat_shamir`](crate::Options::fiat_shamir), since challenges of
//! stored proofs are hashes: V draws 32 bytes for each batch of correlations once P can change nothing of it,
//! and the chain of all of them goes into both headers. Every proof's challenges absorb it. So each comes
//! after every correlation in the file, whatever P knew or chose when they were made.
//!
//! The session ends here, and its delta lives on in V's file alone. If either party fails before its Goodbye
//! neither has a file; if one fails in the instant after, the other's file has no partner, which harms
//! nobody.

use std::path::Path;
use std::sync::Arc;

use volery_channel::handshake::{Begin, Parameters, Role};
use volery_channel::{Channel, tags};
use volery_field::Gf128;
use volery_vole::Delta;
use volery_vole::correlations::{Chain, Pool};
use zeroize::{Zeroize, Zeroizing};

use super::chunks::{BATCH, CHUNK, RECORD, Seal, offset};
use super::disk::{Access, Disk, Os};
use super::header::{Header, KEY, MAX_COUNT, MAX_INTERVAL, SLOTS, VERSION};
use super::state::State;
use super::temporary::Temporary;
use super::{Error as Stored, Info};
use crate::session::Parts;
use crate::{Error, Prover, Verifier};

/// P's side: makes `count` correlations (rounded up to a multiple of 256) and stores P's half in a new file
/// at `path`.
///
/// `progress` hears how many are made, now and then.
///
/// # Errors
/// [`Error::Stored`] if the file cannot be made, what the parties find different, what breaks the session.
/// There is no file at `path` then.
pub fn prover<C: Channel>(
    session: Prover<C>,
    count: u64,
    path: &Path,
    progress: &mut dyn FnMut(u64),
) -> Result<Info, Error> {
    session.not_rehearsed()?;
    run(&(Arc::new(Os) as Arc<dyn Disk>), session.into_parts(), Role::Prover, count, path, progress)
}

/// V's side, as [`prover`].
///
/// # Errors
/// As [`prover`].
pub fn verifier<C: Channel>(
    session: Verifier<C>,
    count: u64,
    path: &Path,
    progress: &mut dyn FnMut(u64),
) -> Result<Info, Error> {
    run(&(Arc::new(Os) as Arc<dyn Disk>), session.into_parts(), Role::Verifier, count, path, progress)
}

/// Either side, on any file system; the peer is told of an error.
pub(super) fn run<C: Channel>(
    disk: &Arc<dyn Disk>,
    mut parts: Parts<C>,
    role: Role,
    count: u64,
    path: &Path,
    progress: &mut dyn FnMut(u64),
) -> Result<Info, Error> {
    let result = try_run(disk, &mut parts, role, count, path, progress);
    if let Err(error) = &result {
        parts.channel.fail(error.public_reason());
    }
    result
}

fn try_run<C: Channel>(
    disk: &Arc<dyn Disk>,
    parts: &mut Parts<C>,
    role: Role,
    count: u64,
    path: &Path,
    progress: &mut dyn FnMut(u64),
) -> Result<Info, Error> {
    let (id, settings) = parts.begin()?;
    if !parts.are_linked() {
        let reason = "proofs from files have hashes for challenges: start the session with `fiat_shamir`";
        return Err(Stored::Options(reason.into()).into());
    }
    let mut header = header(role, id, count, settings.interval)?;
    let out = Temporary::create(disk, path, Access::Owner)?;
    let begin = begin(&header)?;
    begin.send(&mut parts.channel)?;
    begin.receive(&mut parts.channel)?;
    parts.pool.expect(Some(header.count));
    let state = State::new();
    write_chunks(&out, &header, &mut parts.pool, &mut parts.channel, progress)?;
    header.chain = parts.pool.chain(&mut parts.channel)?;
    write_static(&out, &header, &state, parts.delta.as_ref())?;
    out.sync()?;
    parts.channel.send(tags::GOODBYE, header.chain.as_bytes())?;
    let mut theirs = [0; 32];
    parts.channel.recv_exact(tags::GOODBYE, &mut theirs)?;
    parts.channel.flush()?;
    if theirs != *header.chain.as_bytes() {
        let reason = "the parties' chains of correlations differ: somebody changed a message";
        return Err(volery_channel::Error::malformed(tags::GOODBYE, reason).into());
    }
    out.publish()?;
    Ok(Info::new(&header, &state))
}

fn header(
    role: Role,
    session: volery_vole::SessionId,
    count: u64,
    interval: usize,
) -> Result<Header, Stored> {
    if count == 0 || count > MAX_COUNT {
        return Err(Stored::Options(format!("{count} correlations; 1 to {MAX_COUNT} can be stored")));
    }
    let interval = u32::try_from(interval).ok().filter(|interval| (1..=MAX_INTERVAL).contains(interval));
    let interval =
        interval.ok_or_else(|| Stored::Options("checks too far apart for stored proofs".into()))?;
    // Known only when all of them are made.
    let chain = Chain::from_bytes([0; 32]);
    Ok(Header { role, session, count: count.next_multiple_of(CHUNK), interval, chain })
}

/// What the parties compare.
fn begin(header: &Header) -> Result<Begin, Error> {
    let parameters = Parameters::new()
        .with("protocol", "preprocess")?
        .with("file-version", VERSION)?
        .with("correlations", header.count)?
        .with("interval", header.interval)?;
    let mut digest = volery_circuit::Digest::new();
    digest.bytes("statement", b"volery preprocess: none");
    Ok(Begin::new(digest.finish(), parameters))
}

/// Everything before the correlations, written after them: the header has their chain.
fn write_static(
    out: &Temporary,
    header: &Header,
    state: &State,
    delta: Option<&Delta>,
) -> Result<(), Stored> {
    let write = |bytes: &[u8], at| out.file().write_at(bytes, at).map_err(Stored::io("write", out.path()));
    write(&header.encode(), 0)?;
    for at in SLOTS {
        write(&state.encode(header), at)?;
    }
    write(&header.encode_key(delta), KEY)
}

fn write_chunks(
    out: &Temporary,
    header: &Header,
    pool: &mut Pool,
    channel: &mut dyn Channel,
    progress: &mut dyn FnMut(u64),
) -> Result<(), Error> {
    let (seal, chunks) = (Seal::new(header), header.count / CHUNK);
    let mut correlations = Zeroizing::new([Gf128::ZERO; CHUNK as usize]);
    let mut records = Zeroizing::new(Vec::with_capacity(BATCH as usize * RECORD));
    for first in (0..chunks).step_by(BATCH as usize) {
        let batch = first..chunks.min(first + BATCH);
        for chunk in batch.clone() {
            pool.fill(channel, &mut *correlations)?;
            seal.write(chunk, &correlations, &mut records);
        }
        out.file().write_at(&records, offset(first)).map_err(Stored::io("write", out.path()))?;
        records.zeroize();
        progress(batch.end * CHUNK);
    }
    Ok(())
}
