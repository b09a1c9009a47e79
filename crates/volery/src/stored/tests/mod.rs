//! What the parts do together: honest use, hostile files, power failures.

mod damage;
mod forgeries;
mod honest;
mod memory_disk;
mod power;
mod preprocessing;
mod rejection;
mod wipes;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use volery_channel::handshake::Role;
use volery_channel::{Limits, memory_pair};
use volery_circuit::statements::{Aes128Key, AndChain};
use volery_circuit::{Digest, Statement};

use super::disk::{Disk, Os};
use super::{Info, ProverFile, VerifierFile, preprocess};
use crate::{Error, Options, Prover, Verifier, Zeroizing};

/// The options of sessions that correlations are stored from.
fn linked() -> Options {
    Options { fiat_shamir: true, ..Options::default() }
}

/// Makes a pair over an in-memory session with these generators' seeds.
pub(super) fn make(
    disk: &Arc<dyn Disk>,
    (p, v): (&Path, &Path),
    counts: [u64; 2],
    seed: u64,
) -> (Result<Info, Error>, Result<Info, Error>) {
    let (left, right) = memory_pair(&Limits::default());
    std::thread::scope(|scope| {
        let prover = scope.spawn(move || {
            let session = Prover::start(left, linked(), &mut ChaCha20Rng::seed_from_u64(seed))?;
            preprocess::run(disk, session.into_parts(), Role::Prover, counts[0], p, &mut |_| {})
        });
        let mut rng = ChaCha20Rng::seed_from_u64(seed + 1);
        let verifier = Verifier::start(right, linked(), &mut rng).and_then(|session| {
            preprocess::run(disk, session.into_parts(), Role::Verifier, counts[1], v, &mut |_| {})
        });
        (prover.join().unwrap(), verifier)
    })
}

/// A folder with a pair of files, and shorthands.
struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    /// A fresh copy of a pair of 16,384 correlations. (In life a copy is the one thing that must not be
    /// made.)
    fn new() -> Self {
        static PAIR: OnceLock<(Vec<u8>, Vec<u8>)> = OnceLock::new();
        let (p, v) = PAIR.get_or_init(|| {
            let desk = Self::made(16_384, 10);
            (std::fs::read(desk.p()).unwrap(), std::fs::read(desk.v()).unwrap())
        });
        let desk = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::write(desk.p(), p).unwrap();
        std::fs::write(desk.v(), v).unwrap();
        desk
    }

    fn made(count: u64, seed: u64) -> Self {
        let desk = Self { folder: tempfile::tempdir().unwrap() };
        let disk: Arc<dyn Disk> = Arc::new(Os);
        let (p, v) = make(&disk, (&desk.p(), &desk.v()), [count; 2], seed);
        assert_eq!(p.unwrap().session, v.unwrap().session);
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn p(&self) -> PathBuf {
        self.path("P.vole")
    }

    fn v(&self) -> PathBuf {
        self.path("V.vole")
    }

    fn prover(&self) -> ProverFile {
        ProverFile::open(&self.p()).unwrap()
    }

    fn verifier(&self) -> VerifierFile {
        VerifierFile::open(&self.v()).unwrap()
    }

    /// Names in the folder.
    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// A small statement: 128 secrets, 100 multiplications, so two chunks.
fn small() -> AndChain {
    AndChain::new(100)
}

fn aes(ciphertext: [u8; 16]) -> Aes128Key {
    Aes128Key::new([1; 16], ciphertext)
}

/// What AES makes of a block of ones under a key of twos.
fn ciphertext() -> [u8; 16] {
    encrypted([2; 16])
}

fn encrypted(key: [u8; 16]) -> [u8; 16] {
    use aes::cipher::{BlockCipherEncrypt, KeyInit};
    let mut block = [1; 16].into();
    aes::Aes128::new(&key.into()).encrypt_block(&mut block);
    block.into()
}

/// That a block of ones is encrypted to what it is under this key.
fn encrypts(key: [u8; 16]) -> Aes128Key {
    aes(encrypted(key))
}

fn aes_with_key() -> Aes128Key {
    aes(ciphertext()).with_key(Zeroizing::new(vec![2; 16])).unwrap()
}

/// A cheating prover: claims one statement and runs another of the same shape, which holds.
struct Claims<A, B> {
    says: A,
    runs: B,
}

impl<K: volery_circuit::Backend + ?Sized, A: Statement<K>, B: Statement<K>> Statement<K> for Claims<A, B> {
    fn identify(&self, digest: &mut Digest) {
        self.says.identify(digest);
    }

    fn run(&self, backend: &mut K) -> Result<(), K::Error> {
        self.runs.run(backend)
    }
}
