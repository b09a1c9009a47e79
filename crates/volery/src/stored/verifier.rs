//! V's side: checking proofs with a correlation file.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use volery_channel::handshake::Role;
use volery_channel::hex;
use volery_circuit::{Counter, Statement};
use volery_field::F2;
use volery_zk::quicksilver::{self, Tally, bits::Settings};

use super::chunks::Fault;
use super::disk::{Disk, DiskFile, Os};
use super::proof::{self, Body, Header, Reader};
use super::store::Store;
use super::{Error, Info, Report, challenges, prover};
use crate::system::Bits;

/// V's correlation file, open and locked.
pub struct VerifierFile {
    disk: Arc<dyn Disk>,
    store: Store,
    threads: Option<Arc<rayon::ThreadPool>>,
}

impl VerifierFile {
    /// Opens the file and locks it until this is dropped. A burnt file opens too, for [`VerifierFile::info`].
    ///
    /// # Errors
    /// [`Error::Locked`] if another process has it, [`Error::WrongRole`] if it is P's, what is wrong with the
    /// file.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::open_on(Arc::new(Os), path)
    }

    pub(super) fn open_on(disk: Arc<dyn Disk>, path: &Path) -> Result<Self, Error> {
        let store = Store::open(&*disk, path, Role::Verifier)?;
        Ok(Self { disk, store, threads: None })
    }

    /// Uses this many threads, 1 to [`Options::MAX_THREADS`](crate::Options::MAX_THREADS).
    ///
    /// # Errors
    /// [`Error::Options`] for another number.
    pub fn with_threads(mut self, threads: usize) -> Result<Self, Error> {
        self.threads = super::pool(threads)?;
        Ok(self)
    }

    /// Correlations that are left.
    #[must_use]
    pub fn remaining(&self) -> u64 {
        self.store.info().remaining
    }

    /// What the file holds.
    #[must_use]
    pub fn info(&self) -> Info {
        self.store.info()
    }

    /// Verifies the proof at `path` of `statement`, which this party names itself.
    ///
    /// # Errors
    /// Only `Ok` means that the statement is proved. [`Error::Rejected`] means that the proof is wrong; then
    /// the file is burnt. [`Error::Used`] means that this proof, or one with the same correlations, was
    /// verified before, or that its verification was interrupted: P has to prove again. With any other error
    /// nothing was decided; unless this party's own files or statement failed in the middle, nothing was
    /// consumed either.
    pub fn verify<S>(&mut self, _system: Bits, statement: &S, path: &Path) -> Result<Report, Error>
    where
        S: for<'a> Statement<quicksilver::bits::Verifier<'a>> + Statement<Counter<F2>> + ?Sized,
    {
        let start = Instant::now();
        self.store.usable()?;
        let file = self.disk.open(path, false).map_err(Error::io("open", path))?;
        let (header, body) = proof::check(&*file, path)?;
        self.compare(statement, &header)?;
        let tally = self.decide(statement, &header, &body, (file, path))?;
        let bytes = proof::HEADER as u64 + body.length;
        let settings = Settings { interval: header.interval as usize };
        Ok(Report { tally, range: header.range, bytes, time: start.elapsed(), settings })
    }

    /// Whether the proof is one that this file can check, of this statement.
    fn compare<S>(&self, statement: &S, proof: &Header) -> Result<(), Error>
    where
        S: for<'a> Statement<quicksilver::bits::Verifier<'a>> + Statement<Counter<F2>> + ?Sized,
    {
        let ours = self.store.header();
        let digest = crate::session::digest::<quicksilver::bits::Verifier<'_>>(statement);
        if proof.session != ours.session {
            let (proof, expected) =
                (hex::encode(proof.session.as_bytes()), hex::encode(ours.session.as_bytes()));
            return Err(Error::OtherCorrelations { proof, expected });
        }
        if proof.statement != digest {
            let (proof, expected) = (hex::encode(&proof.statement), hex::encode(&digest));
            return Err(Error::OtherStatement { proof, expected });
        }
        equal("the interval of checks", proof.interval, ours.interval)?;
        let needed = super::needed(statement, ours)?;
        equal("the number of correlations", proof.range.end - proof.range.start, needed)?;
        if proof.range.end > ours.count {
            return Err(Error::Mismatch {
                what: "the last correlation",
                proof: (proof.range.end - 1).to_string(),
                expected: format!("below {}", ours.count),
            });
        }
        if self.store.state().overlaps(&proof.range) {
            return Err(Error::Used { range: proof.range.clone() });
        }
        Ok(())
    }

    /// Consumes the correlations and checks the proof. A wrong one burns the file before anybody hears of it.
    fn decide<S>(
        &mut self,
        statement: &S,
        header: &Header,
        body: &Body,
        (file, path): (Arc<dyn DiskFile>, &Path),
    ) -> Result<Tally, Error>
    where
        S: for<'a> Statement<quicksilver::bits::Verifier<'a>> + ?Sized,
    {
        let delta = self.store.delta()?;
        let consumed = self.store.consume(header.range.clone())?;
        let fault = Fault::default();
        let mut pool = self.store.pool(consumed, &fault);
        let mut reader = Reader::new(file, path, body, fault.clone());
        let verifier = quicksilver::bits::Verifier::new(
            Settings { interval: header.interval as usize },
            challenges(header, self.store.header()),
            &delta,
            &mut pool,
            &mut reader,
            self.threads.as_deref(),
        );
        let result = verifier.verify(statement).and_then(|tally| match reader.is_at_end() {
            true => Ok(tally),
            false => Err(volery_zk::Error::Rejected { reason: "there are frames beyond its end".into() }),
        });
        match result.map_err(|error| prover::explain(error, &fault)) {
            Ok(tally) => {
                self.store.wipe_last();
                Ok(tally)
            }
            // The proof's doing, whatever it is: malformed, of another program, wrong.
            Err(Error::Proof(reason)) => {
                self.store.burn()?;
                Err(Error::Rejected { reason })
            }
            // This party's own files or statement: independent of the keys, so it tells P nothing about them.
            Err(own) => {
                self.store.wipe_last();
                Err(own)
            }
        }
    }
}

fn equal<T: PartialEq + ToString>(what: &'static str, proof: T, expected: T) -> Result<(), Error> {
    if proof == expected {
        return Ok(());
    }
    Err(Error::Mismatch { what, proof: proof.to_string(), expected: expected.to_string() })
}
