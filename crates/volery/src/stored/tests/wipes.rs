//! Writes that fail where used correlations are wiped: it is tried again, and no range is forgotten.

use core::ops::Range;

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::Error;
use super::super::chunks::{RECORD, offset};
use super::super::disk::{Access, DiskFile};
use super::memory_disk::Memory;
use super::*;
use crate::system::Bits;

const P: &str = "/P.vole";
const V: &str = "/V.vole";

/// A disk on which the next so many writes of correlations fail.
#[derive(Clone)]
struct Flaky {
    memory: Memory,
    failures: Arc<AtomicUsize>,
}

struct FlakyFile {
    inner: Arc<dyn DiskFile>,
    failures: Arc<AtomicUsize>,
}

impl DiskFile for FlakyFile {
    fn lock(&self) -> io::Result<bool> {
        self.inner.lock()
    }

    fn len(&self) -> io::Result<u64> {
        self.inner.len()
    }

    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        self.inner.read_at(out, offset)
    }

    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        let less = |left: usize| left.checked_sub(1);
        if at >= offset(0) && self.failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less).is_ok() {
            return Err(io::Error::other("a bad sector"));
        }
        self.inner.write_at(bytes, at)
    }

    fn sync(&self) -> io::Result<()> {
        self.inner.sync()
    }
}

impl Disk for Flaky {
    fn open(&self, path: &Path, write: bool) -> io::Result<Arc<dyn DiskFile>> {
        let inner = self.memory.open(path, write)?;
        Ok(Arc::new(FlakyFile { inner, failures: self.failures.clone() }))
    }

    fn create(&self, path: &Path, access: Access) -> io::Result<Arc<dyn DiskFile>> {
        self.memory.create(path, access)
    }

    fn exists(&self, path: &Path) -> bool {
        self.memory.exists(path)
    }

    fn publish(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.memory.publish(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.memory.remove(path)
    }
}

impl Flaky {
    fn new() -> Self {
        let desk = Desk::new();
        let files =
            [(P.as_ref(), std::fs::read(desk.p()).unwrap()), (V.as_ref(), std::fs::read(desk.v()).unwrap())];
        Self { memory: Memory::with(&files), failures: Arc::default() }
    }

    fn fail(&self, writes: usize) {
        self.failures.store(writes, Ordering::SeqCst);
    }

    fn prover(&self) -> ProverFile {
        ProverFile::open_on(Arc::new(self.clone()), P.as_ref()).unwrap()
    }

    fn verifier(&self) -> VerifierFile {
        VerifierFile::open_on(Arc::new(self.clone()), V.as_ref()).unwrap()
    }

    /// Which of the first chunks of a file are zeros.
    fn wiped<const N: usize>(&self, path: &str) -> [bool; N] {
        let file = self.memory.open(path.as_ref(), false).unwrap();
        core::array::from_fn(|chunk| {
            let mut record = [0; RECORD];
            file.read_at(&mut record, offset(chunk as u64)).unwrap();
            record.iter().all(|byte| *byte == 0)
        })
    }
}

#[test]
fn a_wipe_that_fails_once_is_tried_again_at_once() {
    let disk = Flaky::new();
    let mut prover = disk.prover();
    disk.fail(1);
    prover.prove(Bits, &small(), "/0".as_ref()).unwrap();
    assert_eq!(disk.wiped(P), [true, true, false]);
    let mut verifier = disk.verifier();
    disk.fail(1);
    verifier.verify(Bits, &small(), "/0".as_ref()).unwrap();
    assert_eq!(disk.wiped(V), [true, true, false]);
}

#[test]
fn a_range_that_cannot_be_wiped_is_wiped_before_the_next_is_consumed() {
    let disk = Flaky::new();
    let mut prover = disk.prover();
    disk.fail(2);
    prover.prove(Bits, &small(), "/0".as_ref()).unwrap();
    assert_eq!(disk.wiped(P), [false; 4]);
    disk.fail(1);
    let error = prover.prove(Bits, &small(), "/1".as_ref()).unwrap_err();
    assert!(matches!(error, Error::Io { what: "wipe the correlations used last", .. }), "{error}");
    assert!(matches!(prover.info().consumed[..], [Range { start: 0, end: 512 }]));
    prover.prove(Bits, &small(), "/1".as_ref()).unwrap();
    assert_eq!(disk.wiped(P), [true, true, true, true, false]);
}

#[test]
fn a_range_that_cannot_be_wiped_is_wiped_when_the_file_is_closed_or_opened_again() {
    let disk = Flaky::new();
    let mut prover = disk.prover();
    disk.fail(2);
    prover.prove(Bits, &small(), "/0".as_ref()).unwrap();
    assert_eq!(disk.wiped(P), [false; 2]);
    drop(prover);
    assert_eq!(disk.wiped(P), [true; 2]);
    let mut prover = disk.prover();
    disk.fail(usize::MAX);
    prover.prove(Bits, &small(), "/1".as_ref()).unwrap();
    drop(prover);
    assert_eq!(disk.wiped(P), [true, true, false, false]);
    disk.fail(0);
    drop(disk.prover());
    assert_eq!(disk.wiped(P), [true; 4]);
}

#[test]
fn a_burnt_file_s_correlations_are_wiped_when_the_disk_lets_them() {
    let lie = Claims { says: small(), runs: AndChain::new(99) };
    let disk = Flaky::new();
    disk.prover().prove(Bits, &lie, "/lie".as_ref()).unwrap();
    let mut verifier = disk.verifier();
    disk.fail(1);
    let error = verifier.verify(Bits, &small(), "/lie".as_ref()).unwrap_err();
    assert!(matches!(error, Error::Rejected { .. }), "{error}");
    assert_eq!(disk.wiped(V), [true; 64]);
}
