//! An open correlation file: its lock, what is consumed, and the way to what is not.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use volery_channel::handshake::Role;
use volery_circuit::counted;
use volery_vole::Delta;
use volery_vole::correlations::Pool;
use zeroize::Zeroizing;

use super::chunks::{BATCH, CHUNK, Fault, FileSource, RECORD, Seal, offset};
use super::codec::{BLOCK, Flaw};
use super::disk::{Disk, DiskFile};
use super::header::{Header, KEY, SLOTS};
use super::state::State;
use super::{Error, Info};

/// A correlation file that this process holds the lock of.
pub(super) struct Store {
    file: Arc<dyn DiskFile>,
    path: PathBuf,
    header: Header,
    state: State,
    /// Whether the last update is known to be on the disk.
    settled: bool,
    /// Whether what was used is wiped: the range consumed last, or, in a burnt file, everything. See
    /// [`Store::wipe_used`].
    wiped: bool,
}

/// A store that goes tries once more.
impl Drop for Store {
    fn drop(&mut self) {
        let _ = self.wipe_used();
    }
}

impl Store {
    /// Opens the file of `role` at `path`, and finishes what an earlier process was killed in.
    pub(super) fn open(disk: &dyn Disk, path: &Path, role: Role) -> Result<Self, Error> {
        let file = disk.open(path, true).map_err(Error::io("open", path))?;
        if !file.lock().map_err(Error::io("lock", path))? {
            return Err(Error::Locked { path: path.to_owned() });
        }
        let header = read_header(&*file, path)?;
        if header.role != role {
            return Err(Error::WrongRole { path: path.to_owned(), role: header.role });
        }
        let slots = SLOTS.map(|at| read_block(&*file, path, at).map(|block| State::decode(&header, &block)));
        let [a, b] = slots;
        let (a, b) = (a?, b?);
        let agree = matches!((&a, &b), (Ok(a), Ok(b)) if a == b);
        let state = State::choose(a, b).map_err(flaw(path, "the state"))?;
        let mut store = Self { file, path: path.to_owned(), header, state, settled: false, wiped: true };
        if !agree {
            store.write_state()?;
        }
        store.settled = true;
        store.wiped = store.is_rest_wiped()?;
        let _ = store.wipe_used();
        Ok(store)
    }

    pub(super) fn header(&self) -> &Header {
        &self.header
    }

    pub(super) fn state(&self) -> &State {
        &self.state
    }

    pub(super) fn info(&self) -> Info {
        Info::new(&self.header, &self.state)
    }

    /// Refuses a file that is burnt, or whose state is not known.
    pub(super) fn usable(&self) -> Result<(), Error> {
        if !self.settled {
            return Err(Error::Reopen { path: self.path.clone() });
        }
        if self.state.burnt {
            return Err(Error::Burnt { path: self.path.clone() });
        }
        Ok(())
    }

    /// V's global key.
    pub(super) fn delta(&self) -> Result<Delta, Error> {
        self.usable()?;
        let block = read_block(&*self.file, &self.path, KEY)?;
        self.header.decode_key(&block).map_err(flaw(&self.path, "the key"))
    }

    /// Records `range` as consumed. When this returns the record is on the disk, and the range is this
    /// caller's.
    ///
    /// The range before it is wiped by then, or this is an error that consumes nothing: a state knows one
    /// range only that may not be wiped.
    pub(super) fn consume(&mut self, range: Range<u64>) -> Result<Consumed, Error> {
        self.usable()?;
        self.wipe_used().map_err(Error::io("wipe the correlations used last", &self.path))?;
        if !super::state::sound(&range, self.header.count) {
            return Err(Error::Options("a range that the file does not have".into()));
        }
        if self.state.overlaps(&range) {
            return Err(Error::Used { range });
        }
        self.update(self.state.with(&range))?;
        self.wiped = false;
        Ok(Consumed { range })
    }

    /// The correlations of a consumed range.
    pub(super) fn pool(&self, consumed: Consumed, fault: &Fault) -> Pool {
        let seal = Seal::new(&self.header);
        let (file, path) = (self.file.clone(), self.path.clone());
        let source = FileSource::new(file, path, seal, &consumed.range, fault.clone(), self.header.chain);
        Pool::new(Box::new(source))
    }

    /// Overwrites the range consumed last with zeros. If that fails it is tried again: at once, before the
    /// next range is consumed, when the store goes, and when the file is opened again.
    pub(super) fn wipe_last(&mut self) {
        let _ = self.wipe_used().or_else(|_| self.wipe_used());
    }

    /// Records that a proof was rejected, then destroys the key and all correlations.
    pub(super) fn burn(&mut self) -> Result<(), Error> {
        self.update(self.state.burnt())?;
        self.wiped = false;
        // What is recorded cannot be used any more. That it cannot be read either is tried as in `wipe_last`.
        self.wipe_last();
        Ok(())
    }

    /// Writes both slots, one after the other, each synced: at any moment one is sound, and in the end both
    /// are new.
    fn update(&mut self, state: State) -> Result<(), Error> {
        self.settled = false;
        self.state = state;
        self.write_state()?;
        self.settled = true;
        Ok(())
    }

    fn write_state(&self) -> Result<(), Error> {
        let block = self.state.encode(&self.header);
        // The slot of the older state, if a crash left one, or a damaged one, goes first: the sound one stays
        // until then.
        let mut slots = SLOTS;
        let first = read_block(&*self.file, &self.path, SLOTS[0])?;
        if State::decode(&self.header, &first).is_ok_and(|state| state.sequence >= self.state.sequence) {
            slots.reverse();
        }
        for at in slots {
            self.file.write_at(&block, at).map_err(Error::io("record what is consumed", &self.path))?;
            self.file.sync().map_err(Error::io("record what is consumed", &self.path))?;
        }
        Ok(())
    }

    /// Whether an earlier process came to wipe what it used, and could.
    fn is_rest_wiped(&self) -> Result<bool, Error> {
        if !self.state.burnt {
            return self.is_wiped(&self.state.last);
        }
        let key = read_block(&*self.file, &self.path, KEY)?;
        Ok(key.iter().all(|byte| *byte == 0) && self.is_wiped(&(0..self.header.count))?)
    }

    /// Wipes what was used, unless it is known to be wiped.
    fn wipe_used(&mut self) -> std::io::Result<()> {
        if self.wiped {
            return Ok(());
        }
        match self.state.burnt {
            true => self.wipe_all()?,
            false => self.wipe(&self.state.last)?,
        }
        self.wiped = true;
        Ok(())
    }

    /// Whether the first chunk of a range, which is wiped last, is.
    fn is_wiped(&self, range: &Range<u64>) -> Result<bool, Error> {
        if range.is_empty() {
            return Ok(true);
        }
        let mut record = Zeroizing::new([0; RECORD]);
        let at = offset(range.start / CHUNK);
        self.file.read_at(&mut *record, at).map_err(Error::io("read correlations", &self.path))?;
        Ok(record.iter().all(|byte| *byte == 0))
    }

    fn wipe_all(&self) -> std::io::Result<()> {
        self.file.write_at(&[0; BLOCK], KEY)?;
        self.file.sync()?;
        self.wipe(&(0..self.header.count))
    }

    /// From the back to the front, so that a wiped front means that all is.
    fn wipe(&self, range: &Range<u64>) -> std::io::Result<()> {
        let zeros = [0; BATCH as usize * RECORD];
        let (first, mut end) = (range.start / CHUNK, range.end / CHUNK);
        while first < end {
            let start = end.saturating_sub(BATCH).max(first);
            let bytes = (end - start) as usize * RECORD;
            self.file.write_at(&zeros[..bytes], offset(start))?;
            end = start;
        }
        self.file.sync()
    }
}

/// A range that is recorded as consumed; it can be read once.
pub(super) struct Consumed {
    range: Range<u64>,
}

/// Reads and checks the static header and the file's length.
pub(super) fn read_header(file: &dyn DiskFile, path: &Path) -> Result<Header, Error> {
    let length = file.len().map_err(Error::io("measure", path))?;
    let whole = usize::try_from(length).unwrap_or(usize::MAX).min(BLOCK);
    let mut block = vec![0; whole];
    file.read_at(&mut block, 0).map_err(Error::io("read", path))?;
    let header = Header::decode(&block).map_err(flaw(path, "the header"))?;
    let expected = header.file_bytes();
    if length != expected {
        let reason = format!(
            "the file has {}, not {expected}: it was cut off, or something was appended",
            counted(length, "byte")
        );
        return Err(Error::damaged(path, "its end", reason));
    }
    Ok(header)
}

fn read_block(file: &dyn DiskFile, path: &Path, at: u64) -> Result<Zeroizing<Vec<u8>>, Error> {
    let mut block = Zeroizing::new(vec![0; BLOCK]);
    file.read_at(&mut block, at).map_err(Error::io("read", path))?;
    Ok(block)
}

/// The error for a flaw of a correlation file.
fn flaw(path: &Path, part: &'static str) -> impl FnOnce(Flaw) -> Error {
    move |flaw| match flaw {
        Flaw::Magic => Error::Format { path: path.to_owned(), expected: "correlation" },
        Flaw::Version(version) => Error::version(path, version),
        Flaw::Bad(reason) => Error::damaged(path, part, reason),
    }
}
