//! The file operations that stored correlations rest on: a seam, so that tests can stop after any of them.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;

/// An open file. Offsets are in bytes.
pub(super) trait DiskFile: Send + Sync {
    /// Locks the file against other processes until it is closed; whether nobody else had.
    fn lock(&self) -> io::Result<bool>;

    fn len(&self) -> io::Result<u64>;

    /// Fills `out` from `offset` on.
    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<()>;

    /// Writes all of `bytes` at `offset`.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;

    /// Returns when everything written is on the disk.
    fn sync(&self) -> io::Result<()>;
}

/// Who may open a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Its owner: mode 0600.
    Owner,
    /// Whoever the user's defaults let.
    Default,
}

/// A file system.
pub(super) trait Disk: Send + Sync {
    /// Opens a regular file.
    fn open(&self, path: &Path, write: bool) -> io::Result<Arc<dyn DiskFile>>;

    /// Makes a file; fails if there is one.
    fn create(&self, path: &Path, access: Access) -> io::Result<Arc<dyn DiskFile>>;

    /// Whether there is anything at `path`.
    fn exists(&self, path: &Path) -> bool;

    /// Gives the file at `from` the name `to`, unless that is taken; returns when this is on the disk.
    fn publish(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
}

/// The operating system's.
pub(super) struct Os;

impl DiskFile for File {
    fn lock(&self) -> io::Result<bool> {
        match self.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        self.read_exact_at(out, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.write_all_at(bytes, offset)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_all()
    }
}

impl Disk for Os {
    fn open(&self, path: &Path, write: bool) -> io::Result<Arc<dyn DiskFile>> {
        // Before it is opened: to open a pipe waits for its other end.
        if !fs::metadata(path)?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is not a regular file"));
        }
        Ok(Arc::new(OpenOptions::new().read(true).write(write).open(path)?))
    }

    fn create(&self, path: &Path, access: Access) -> io::Result<Arc<dyn DiskFile>> {
        let mode = if access == Access::Owner { 0o600 } else { 0o666 };
        Ok(Arc::new(OpenOptions::new().read(true).write(true).create_new(true).mode(mode).open(path)?))
    }

    fn exists(&self, path: &Path) -> bool {
        fs::symlink_metadata(path).is_ok()
    }

    fn publish(&self, from: &Path, to: &Path) -> io::Result<()> {
        // A link, unlike a rename, does not overwrite.
        match fs::hard_link(from, to) {
            Ok(()) => fs::remove_file(from)?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
            // File systems without links: all that can be done is to look first.
            Err(_) if !self.exists(to) => fs::rename(from, to)?,
            Err(_) => return Err(io::ErrorKind::AlreadyExists.into()),
        }
        File::open(folder(to))?.sync_all()
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }
}

/// The folder that a file is in.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
