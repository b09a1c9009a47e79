//! P's side: proofs out of a correlation file.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use volery_channel::handshake::Role;
use volery_circuit::{Counter, Evaluator, Statement};
use volery_field::F2;
use volery_zk::quicksilver::{self, bits::Settings};

use super::chunks::{CHUNK, Fault, take};
use super::disk::{Access, Disk, Os};
use super::proof::{Header, Writer};
use super::store::Store;
use super::temporary::Temporary;
use super::{Error, Info, Report, challenges};
use crate::system::Bits;

/// P's correlation file, open and locked.
///
/// ```no_run
/// use volery::stored::ProverFile;
/// use volery::statements::Aes128Key;
/// use volery::system::Bits;
///
/// # let (plaintext, ciphertext, key) = ([0; 16], [0; 16], volery::Zeroizing::new(vec![0; 16]));
/// let statement = Aes128Key::new(plaintext, ciphertext).with_key(key)?;
/// let mut file = ProverFile::open("P.vole".as_ref())?;
/// file.prove(Bits, &statement, "proof".as_ref())?;
/// println!("{} correlations left", file.remaining());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ProverFile {
    disk: Arc<dyn Disk>,
    store: Store,
    threads: Option<Arc<rayon::ThreadPool>>,
}

impl ProverFile {
    /// Opens the file and locks it until this is dropped.
    ///
    /// # Errors
    /// [`Error::Locked`] if another process has it, [`Error::WrongRole`] if it is V's, what is wrong with the
    /// file.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::open_on(Arc::new(Os), path)
    }

    pub(super) fn open_on(disk: Arc<dyn Disk>, path: &Path) -> Result<Self, Error> {
        let store = Store::open(&*disk, path, Role::Prover)?;
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

    /// Proves `statement`, whose witness is inside it, into a new file at `out`.
    ///
    /// The statement is evaluated and counted first, so that a witness that does not satisfy it costs
    /// nothing. Correlations in files are over bits, so [`Bits`] is the only system.
    ///
    /// # Errors
    /// [`Error::Statement`] if the witness does not satisfy it, [`Error::Exhausted`] if too few correlations
    /// are left, [`Error::Exists`] if there is a file at `out`: then nothing was consumed. After any other
    /// error correlations may be lost; there is no proof then, and none of them is used again.
    pub fn prove<S>(&mut self, _system: Bits, statement: &S, out: &Path) -> Result<Report, Error>
    where
        S: for<'a> Statement<quicksilver::bits::Prover<'a>>
            + Statement<Evaluator<F2>>
            + Statement<Counter<F2>>
            + ?Sized,
    {
        let start = Instant::now();
        self.store.usable()?;
        Evaluator::<F2>::check(statement)?;
        let range = self.range(statement)?;
        let proof = Temporary::create(&self.disk, out, Access::Default)?;
        let header = Header {
            session: self.store.header().session,
            statement: crate::session::digest::<quicksilver::bits::Prover<'_>>(statement),
            interval: self.store.header().interval,
            range: range.clone(),
        };
        // From here on the correlations are this proof's, whatever becomes of it.
        let consumed = self.store.consume(range.clone())?;
        let fault = Fault::default();
        let mut pool = self.store.pool(consumed, &fault);
        let mut writer = Writer::new(&proof, fault.clone());
        let prover = quicksilver::bits::Prover::new(
            Settings { interval: header.interval as usize },
            challenges(&header, self.store.header()),
            &mut pool,
            &mut writer,
            self.threads.as_deref(),
        );
        let result = prover.prove(statement).map_err(|error| explain(error, &fault));
        debug_assert!(
            result.is_err()
                || super::needed(statement, self.store.header())
                    .is_ok_and(|needed| pool.index().next_multiple_of(CHUNK) <= needed)
        );
        let result = match result {
            Ok(tally) => writer.finish(&header).and_then(|bytes| proof.publish().map(|()| (tally, bytes))),
            Err(error) => Err(error),
        };
        self.store.wipe_last();
        let (tally, bytes) = result?;
        let settings = Settings { interval: header.interval as usize };
        Ok(Report { tally, range, bytes, time: start.elapsed(), settings })
    }

    /// The correlations that the statement needs: the next ones.
    fn range(
        &self,
        statement: &(impl Statement<Counter<F2>> + ?Sized),
    ) -> Result<std::ops::Range<u64>, Error> {
        let needed = super::needed(statement, self.store.header())?;
        let (first, left) = (self.store.state().end(), self.remaining());
        if needed > left {
            return Err(Error::Exhausted { needed, left });
        }
        Ok(first..first + needed)
    }
}

/// The cause below an error of the backend, where there is one.
pub(super) fn explain(error: volery_zk::Error, fault: &Fault) -> Error {
    match (take(fault), error) {
        (Some(fault), _) => fault,
        (None, volery_zk::Error::Statement(error)) => Error::Statement(error),
        (None, error) => Error::Proof(error),
    }
}
