//! A proof file: its header, and its frames as one-way channels.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use volery_channel::{Channel, Error as Lost, Stats, Tag};
use volery_circuit::counted;
use volery_vole::SessionId;

use super::chunks::{Fault, leave};
use super::codec::{self, Cursor, Flaw, put_range};
use super::disk::DiskFile;
use super::header::VERSION;
use super::temporary::Temporary;
use super::{Error, state};

/// How the file of a proof with stored correlations begins.
pub const MAGIC: [u8; 16] = *b"VOLERY PROOF\r\n\0\0";
const PURPOSE: &str = "volery 2026 stored proof header v1";
const BODY_PURPOSE: &str = "volery 2026 stored proof frames v1";

/// Bytes of a header.
pub(super) const HEADER: usize = 16 + 2 + 32 + 32 + 4 + 16 + 8 + 32 + 32;

/// What a proof says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) session: SessionId,
    /// The statement's digest, public inputs included.
    pub(super) statement: [u8; 32],
    pub(super) interval: u32,
    /// The correlations used.
    pub(super) range: Range<u64>,
}

/// What is known about the frames once they are complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Body {
    pub(super) length: u64,
    pub(super) hash: [u8; 32],
}

impl Header {
    pub(super) fn encode(&self, body: &Body) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(self.session.as_bytes());
        out.extend_from_slice(&self.statement);
        out.extend_from_slice(&self.interval.to_le_bytes());
        put_range(&mut out, &self.range);
        out.extend_from_slice(&body.length.to_le_bytes());
        out.extend_from_slice(&body.hash);
        let sum = codec::checksum(PURPOSE, &[], &out);
        out.extend_from_slice(&sum);
        out
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<(Self, Body), Flaw> {
        let mut cursor = Cursor::new(bytes);
        if cursor.array() != Ok(MAGIC) {
            return Err(Flaw::Magic);
        }
        let version = cursor.u16()?;
        if version != VERSION {
            return Err(Flaw::Version(version));
        }
        let mut cursor = Cursor::new(codec::open_sealed(PURPOSE, &[], bytes, HEADER)?);
        let _: [u8; 18] = cursor.array()?;
        let session = SessionId::new(cursor.array()?);
        let (statement, interval, range) = (cursor.array()?, cursor.u32()?, cursor.range()?);
        let body = Body { length: cursor.u64()?, hash: cursor.array()? };
        cursor.end()?;
        if !state::sound(&range, super::header::MAX_COUNT) {
            return Err(Flaw::bad("its correlations are no possible range"));
        }
        Ok((Self { session, statement, interval, range }, body))
    }
}

/// Bytes that go between the file and the frames at once.
const BUFFER: usize = 1 << 16;

/// The hash of the frames, as it grows.
fn body_hasher() -> blake3::Hasher {
    blake3::Hasher::new_derive_key(BODY_PURPOSE)
}

/// P's channel: what is sent becomes the file's frames; nothing can be received.
pub(super) struct Writer<'a> {
    out: &'a Temporary,
    fault: Fault,
    buffer: Vec<u8>,
    written: u64,
    hasher: blake3::Hasher,
    stats: Stats,
}

impl<'a> Writer<'a> {
    pub(super) fn new(out: &'a Temporary, fault: Fault) -> Self {
        let (written, stats) = (0, Stats::default());
        Self { out, fault, buffer: Vec::with_capacity(BUFFER), written, hasher: body_hasher(), stats }
    }

    /// Writes what is buffered.
    fn drain(&mut self) -> Result<(), Error> {
        self.hasher.update(&self.buffer);
        let at = HEADER as u64 + self.written;
        self.out.file().write_at(&self.buffer, at).map_err(Error::io("write", self.out.path()))?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Ends the proof: header, sync. Returns the file's length.
    pub(super) fn finish(mut self, header: &Header) -> Result<u64, Error> {
        self.drain()?;
        let body = Body { length: self.written, hash: *self.hasher.finalize().as_bytes() };
        let bytes = header.encode(&body);
        self.out.file().write_at(&bytes, 0).map_err(Error::io("write", self.out.path()))?;
        self.out.sync()?;
        Ok(HEADER as u64 + self.written)
    }

    fn one_way<T>() -> Result<T, Lost> {
        Err(Lost::misuse("a proof file sends nothing"))
    }
}

impl Channel for Writer<'_> {
    fn send(&mut self, tag: Tag, payload: &[u8]) -> Result<(), Lost> {
        let length = u32::try_from(payload.len()).map_err(|_| Lost::misuse("a frame of four gigabytes"))?;
        self.buffer.push(tag.byte());
        self.buffer.extend_from_slice(&length.to_le_bytes());
        self.buffer.extend_from_slice(payload);
        self.stats.frames_sent += 1;
        self.stats.bytes_sent += 5 + payload.len() as u64;
        if self.buffer.len() < BUFFER {
            return Ok(());
        }
        self.drain().map_err(|error| {
            let lost = Lost::misuse(error.to_string());
            leave(&self.fault, error);
            lost
        })
    }

    fn recv(&mut self, _tag: Tag, _max: usize) -> Result<&[u8], Lost> {
        Self::one_way()
    }

    fn recv_exact(&mut self, _tag: Tag, _out: &mut [u8]) -> Result<(), Lost> {
        Self::one_way()
    }

    fn recv_into(&mut self, _tag: Tag, _max: usize, _out: &mut Vec<u8>) -> Result<(), Lost> {
        Self::one_way()
    }

    fn flush(&mut self) -> Result<(), Lost> {
        // The protocol flushes for the sake of a peer that follows; here nobody does.
        Ok(())
    }

    fn fail(&mut self, _reason: &str) {}

    fn stats(&self) -> Stats {
        self.stats
    }

    fn binding(&self) -> Option<[u8; 32]> {
        None
    }
}

/// V's channel: what is received are the file's frames, in order; nothing can be sent.
pub(super) struct Reader {
    file: Arc<dyn DiskFile>,
    path: PathBuf,
    fault: Fault,
    /// What of the file is not in the buffer yet.
    rest: Range<u64>,
    buffer: Vec<u8>,
    next: usize,
    frame: Vec<u8>,
    stats: Stats,
}

impl Reader {
    /// Over the frames of a file that [`check`] found sound.
    pub(super) fn new(file: Arc<dyn DiskFile>, path: &Path, body: &Body, fault: Fault) -> Self {
        let rest = HEADER as u64..(HEADER as u64).saturating_add(body.length);
        let (buffer, frame, stats) = (Vec::new(), Vec::new(), Stats::default());
        Self { file, path: path.to_owned(), fault, rest, buffer, next: 0, frame, stats }
    }

    /// Fills `out` with the next bytes.
    fn fill(&mut self, tag: Tag, mut out: &mut [u8]) -> Result<(), Lost> {
        while !out.is_empty() {
            if self.next == self.buffer.len() {
                self.refill(tag)?;
            }
            let n = out.len().min(self.buffer.len() - self.next);
            let (now, later) = out.split_at_mut(n);
            now.copy_from_slice(&self.buffer[self.next..self.next + n]);
            self.next += n;
            out = later;
        }
        Ok(())
    }

    fn refill(&mut self, tag: Tag) -> Result<(), Lost> {
        let n = (self.rest.end - self.rest.start).min(BUFFER as u64);
        if n == 0 {
            return Err(Lost::malformed(tag, "the proof ends before it"));
        }
        self.buffer.resize(n as usize, 0);
        self.next = 0;
        self.file.read_at(&mut self.buffer, self.rest.start).map_err(|error| {
            self.buffer.clear();
            let lost = Lost::misuse(format!("read: {error}"));
            leave(&self.fault, Error::io("read", &self.path)(error));
            lost
        })?;
        self.rest.start += n;
        Ok(())
    }

    /// The length of the next frame, which must have this tag.
    fn header(&mut self, tag: Tag) -> Result<u32, Lost> {
        let mut header = [0; 5];
        self.fill(tag, &mut header)?;
        let [got, length @ ..] = header;
        let length = u32::from_le_bytes(length);
        if got != tag.byte() {
            return Err(Lost::UnexpectedFrame { expected: tag, got, length });
        }
        self.stats.frames_received += 1;
        self.stats.bytes_received += 5 + u64::from(length);
        Ok(length)
    }

    /// Whether everything was read.
    pub(super) fn is_at_end(&self) -> bool {
        self.next == self.buffer.len() && self.rest.is_empty()
    }

    fn one_way<T>() -> Result<T, Lost> {
        Err(Lost::misuse("a proof file takes no messages"))
    }
}

impl Channel for Reader {
    fn send(&mut self, _tag: Tag, _payload: &[u8]) -> Result<(), Lost> {
        Self::one_way()
    }

    fn recv(&mut self, tag: Tag, max: usize) -> Result<&[u8], Lost> {
        let mut frame = std::mem::take(&mut self.frame);
        let result = self.recv_into(tag, max, &mut frame);
        self.frame = frame;
        result.map(|()| &*self.frame)
    }

    fn recv_exact(&mut self, tag: Tag, out: &mut [u8]) -> Result<(), Lost> {
        let length = self.header(tag)?;
        if length as usize != out.len() {
            return Err(Lost::WrongLength { step: tag, length, expected: out.len() });
        }
        self.fill(tag, out)
    }

    fn recv_into(&mut self, tag: Tag, max: usize, out: &mut Vec<u8>) -> Result<(), Lost> {
        let length = self.header(tag)?;
        if length as usize > max {
            return Err(Lost::TooLong { step: tag, length, max });
        }
        let left = self.rest.end - self.rest.start + (self.buffer.len() - self.next) as u64;
        if u64::from(length) > left {
            return Err(Lost::malformed(tag, "the proof ends within it"));
        }
        out.resize(length as usize, 0);
        self.fill(tag, out)
    }

    fn flush(&mut self) -> Result<(), Lost> {
        Ok(())
    }

    fn fail(&mut self, _reason: &str) {}

    fn stats(&self) -> Stats {
        self.stats
    }

    fn binding(&self) -> Option<[u8; 32]> {
        None
    }
}

/// Reads the header of a proof and checks that the rest of the file is as it says: whatever an accident does
/// to a proof is found here, before any key is used.
pub(super) fn check(file: &dyn DiskFile, path: &Path) -> Result<(Header, Body), Error> {
    let length = file.len().map_err(Error::io("measure", path))?;
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(usize::MAX).min(HEADER)];
    file.read_at(&mut bytes, 0).map_err(Error::io("read", path))?;
    let (header, body) = Header::decode(&bytes).map_err(|flaw| match flaw {
        Flaw::Magic => Error::Format { path: path.to_owned(), expected: "proof" },
        Flaw::Version(version) => Error::version(path, version),
        Flaw::Bad(reason) => Error::damaged(path, "the header", reason),
    })?;
    let frames = length.saturating_sub(HEADER as u64);
    if frames != body.length {
        let reason = format!(
            "{} of frames, not {}: it was cut off, or something was appended",
            counted(frames, "byte"),
            body.length
        );
        return Err(Error::damaged(path, "its end", reason));
    }
    let (mut hasher, mut at, mut buffer) = (body_hasher(), HEADER as u64, vec![0; BUFFER]);
    while at < length {
        let n = (length - at).min(BUFFER as u64) as usize;
        file.read_at(&mut buffer[..n], at).map_err(Error::io("read", path))?;
        hasher.update(&buffer[..n]);
        at += n as u64;
    }
    if *hasher.finalize().as_bytes() != body.hash {
        return Err(Error::damaged(path, "the frames", "their hash is wrong"));
    }
    Ok((header, body))
}

/// The bytes of a proof with the header brought in line with whatever its frames and fields are now. For
/// tests that look behind the checksums.
#[cfg(test)]
pub(super) fn reseal(header: &Header, frames: &[u8]) -> Vec<u8> {
    let hash = *body_hasher().update(frames).finalize().as_bytes();
    let mut out = header.encode(&Body { length: frames.len() as u64, hash });
    out.extend_from_slice(frames);
    out
}
