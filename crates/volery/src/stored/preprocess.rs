//! Making a pair of correlation files over a session.
//!
//! ```text
//! P                                             V
//! Begin("preprocess", n)      <---------->      Begin("preprocess", n)
//! P.vole.partial   <-- correlations of the session -->   V.vole.partial      each synced
//! Goodbye                     <---------->      Goodbye                      "mine is on the disk"
//! P.vole                                        V.vole                       renamed only now
//! ```
//!
//! The session ends here, and its delta lives on in V's file alone. If either party fails before its Goodbye neither has
//! a file; if one fails in the instant after, the other's file has no partner, which harms nobody.

use std::path::Path;
use std::sync::Arc;

use volery_channel::handshake::{Begin, Parameters, Role};
use volery_channel::{Channel, tags};
use volery_field::Gf128;
use volery_vole::Delta;
use volery_vole::supply::Stock;
use zeroize::{Zeroize, Zeroizing};

use super::chunks::{BATCH, CHUNK, RECORD, Seal, offset};
use super::disk::{Access, Disk, Os};
use super::header::{Header, KEY, MAX_COUNT, MAX_INTERVAL, SLOTS, VERSION};
use super::state::State;
use super::temporary::Temporary;
use super::{Error as Stored, Info};
use crate::session::Parts;
use crate::{Error, Prover, Verifier};

/// P's side: makes `count` correlations (rounded up to a multiple of 256) and stores P's half in a new file at `path`.
///
/// `progress` hears how many are made, now and then.
///
/// # Errors
/// [`Error::Stored`] if the file cannot be made, what the parties find different, what breaks the session. There is no file
/// at `path` then.
pub fn prover<C: Channel>(
    session: Prover<C>,
    count: u64,
    path: &Path,
    progress: &mut dyn FnMut(u64),
) -> Result<Info, Error> {
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
    let header = header(role, id, count, settings.interval)?;
    let out = Temporary::create(disk, path, Access::Owner)?;
    let begin = begin(&header)?;
    begin.send(&mut parts.channel)?;
    begin.receive(&mut parts.channel)?;
    parts.stock.expect(Some(header.count));
    let state = State::new();
    write_static(&out, &header, &state, parts.delta.as_ref())?;
    write_chunks(&out, &header, &mut parts.stock, &mut parts.channel, progress)?;
    out.sync()?;
    parts.channel.send(tags::GOODBYE, &[])?;
    parts.channel.recv(tags::GOODBYE, 0)?;
    parts.channel.flush()?;
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
    Ok(Header { role, session, count: count.next_multiple_of(CHUNK), interval })
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

/// Everything before the correlations.
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
    stock: &mut Stock,
    channel: &mut dyn Channel,
    progress: &mut dyn FnMut(u64),
) -> Result<(), Error> {
    let (seal, chunks) = (Seal::new(header), header.count / CHUNK);
    let mut correlations = Zeroizing::new([Gf128::ZERO; CHUNK as usize]);
    let mut records = Zeroizing::new(Vec::with_capacity(BATCH as usize * RECORD));
    for first in (0..chunks).step_by(BATCH as usize) {
        let batch = first..chunks.min(first + BATCH);
        for chunk in batch.clone() {
            stock.fill(channel, &mut *correlations)?;
            seal.write(chunk, &correlations, &mut records);
        }
        out.file().write_at(&records, offset(first)).map_err(Stored::io("write", out.path()))?;
        records.zeroize();
        progress(batch.end * CHUNK);
    }
    Ok(())
}
