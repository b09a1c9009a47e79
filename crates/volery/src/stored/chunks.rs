//! The correlations themselves: chunks with checksums, and a range of them as a source for a proof.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use volery_channel::Channel;
use volery_field::Gf128;
use volery_vole::correlations::{Chain, Source};
use zeroize::{Zeroize, Zeroizing};

use super::Error;
use super::disk::DiskFile;
use super::header::{CHUNKS, Header};

/// Correlations in a chunk.
pub(super) const CHUNK: u64 = 256;

const DATA: usize = 16 * CHUNK as usize;
const SUM: usize = 16;

/// Bytes of a chunk in the file.
pub(super) const RECORD: usize = DATA + SUM;

/// Chunks read or written at once: 64 KiB.
pub(super) const BATCH: u64 = 16;

/// Where chunk number `chunk` is.
pub(super) fn offset(chunk: u64) -> u64 {
    CHUNKS + chunk * RECORD as u64
}

/// Seals chunks of one file and checks them.
#[derive(Clone)]
pub(super) struct Seal([u8; 32]);

impl Seal {
    pub(super) fn new(header: &Header) -> Self {
        Self(blake3::derive_key("volery 2026 stored chunk v1", &header.context()))
    }

    fn sum(&self, chunk: u64, data: &[u8]) -> [u8; SUM] {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(&chunk.to_le_bytes()).update(data);
        let mut sum = [0; SUM];
        hasher.finalize_xof().fill(&mut sum);
        sum
    }

    /// Appends the record of chunk number `chunk`.
    pub(super) fn write(&self, chunk: u64, correlations: &[Gf128; CHUNK as usize], out: &mut Vec<u8>) {
        let start = out.len();
        out.extend(correlations.iter().flat_map(|correlation| correlation.to_bits().to_le_bytes()));
        let sum = self.sum(chunk, &out[start..]);
        out.extend_from_slice(&sum);
    }

    /// Appends the correlations of a record; or says what is wrong with it.
    fn read(&self, chunk: u64, record: &[u8; RECORD], out: &mut Vec<Gf128>) -> Result<(), &'static str> {
        let (data, sum) = record.split_at(DATA);
        if self.sum(chunk, data) != *sum {
            let wiped = record.iter().all(|byte| *byte == 0);
            return Err(if wiped {
                "it was used and wiped, which the state does not say"
            } else {
                "its checksum is wrong"
            });
        }
        let elements = data.as_chunks::<16>().0;
        out.extend(elements.iter().map(|bytes| Gf128::from_bits(u128::from_le_bytes(*bytes))));
        Ok(())
    }
}

/// Where a source leaves the error that it can only describe to those above it.
pub(super) type Fault = Arc<Mutex<Option<Error>>>;

/// Takes what was left there.
pub(super) fn take(fault: &Fault) -> Option<Error> {
    fault.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Leaves an error there.
pub(super) fn leave(fault: &Fault, error: Error) {
    fault.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
}

/// A consumed range as a source of correlations. It gives each once and nothing beyond its end.
pub(super) struct FileSource {
    file: Arc<dyn DiskFile>,
    path: PathBuf,
    seal: Seal,
    /// Chunks that are left.
    chunks: Range<u64>,
    bytes: Zeroizing<Vec<u8>>,
    fault: Fault,
    /// That of the whole file: V's last bytes were drawn when all of it was made.
    chain: Chain,
}

impl FileSource {
    /// Over `range`, which must be recorded as consumed.
    pub(super) fn new(
        file: Arc<dyn DiskFile>,
        path: PathBuf,
        seal: Seal,
        range: &Range<u64>,
        fault: Fault,
        chain: Chain,
    ) -> Self {
        let chunks = range.start / CHUNK..range.end / CHUNK;
        Self { file, path, seal, chunks, bytes: Zeroizing::new(Vec::new()), fault, chain }
    }

    fn next(&mut self, out: &mut Vec<Gf128>) -> Result<(), Error> {
        let batch = BATCH.min(self.chunks.end - self.chunks.start);
        if batch == 0 {
            let reason = "the statement takes more correlations than it counted".to_owned();
            return Err(Error::Options(reason));
        }
        self.bytes.resize(batch as usize * RECORD, 0);
        let at = offset(self.chunks.start);
        self.file.read_at(&mut self.bytes, at).map_err(Error::io("read correlations", &self.path))?;
        // Room at once: a vector that grows leaves copies behind.
        out.reserve_exact((batch * CHUNK) as usize);
        for record in self.bytes.as_chunks::<RECORD>().0 {
            let chunk = self.chunks.start;
            self.seal.read(chunk, record, out).map_err(|reason| {
                let part = format!("correlations {} to {}", chunk * CHUNK, chunk * CHUNK + CHUNK - 1);
                Error::damaged(&self.path, part, reason)
            })?;
            self.chunks.start += 1;
        }
        Ok(())
    }
}

impl Source for FileSource {
    fn refill(&mut self, _channel: &mut dyn Channel, out: &mut Vec<Gf128>) -> Result<(), volery_vole::Error> {
        out.zeroize();
        self.next(out).map_err(|error| {
            out.zeroize();
            // What follows a failure must not be given out.
            self.chunks.start = self.chunks.end;
            let reason = error.to_string();
            leave(&self.fault, error);
            volery_vole::Error::misuse(reason)
        })
    }

    fn may_wait(&self) -> bool {
        false
    }

    fn chain(&mut self, _channel: &mut dyn Channel, _taken: u64) -> Result<Chain, volery_vole::Error> {
        Ok(self.chain)
    }
}
