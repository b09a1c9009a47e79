//! A file that is not there until it is complete.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Error;
use super::disk::{Access, Disk, DiskFile};

/// A file under another name next to where it shall be; removed on drop unless it was published. (A process
/// that is killed leaves it behind, under a name that ends with `.partial`.)
pub(super) struct Temporary {
    disk: Arc<dyn Disk>,
    file: Arc<dyn DiskFile>,
    here: PathBuf,
    there: PathBuf,
    published: bool,
}

impl Temporary {
    /// Makes the temporary file beside `path`.
    pub(super) fn create(disk: &Arc<dyn Disk>, path: &Path, access: Access) -> Result<Self, Error> {
        if disk.exists(path) {
            return Err(Error::Exists { path: path.to_owned() });
        }
        let name =
            path.file_name().ok_or_else(|| Error::Options(format!("{} is no file name", path.display())))?;
        let mut random = [0; 8];
        getrandom::fill(&mut random)
            .map_err(|error| Error::Options(format!("the operating system gives no randomness: {error}")))?;
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{:016x}.partial", u64::from_le_bytes(random)));
        let here = path.with_file_name(hidden);
        let file = disk.create(&here, access).map_err(Error::io("create", &here))?;
        Ok(Self { disk: disk.clone(), file, here, there: path.to_owned(), published: false })
    }

    pub(super) fn file(&self) -> &Arc<dyn DiskFile> {
        &self.file
    }

    pub(super) fn path(&self) -> &Path {
        &self.there
    }

    /// Puts the content on the disk.
    pub(super) fn sync(&self) -> Result<(), Error> {
        self.file.sync().map_err(Error::io("sync", &self.there))
    }

    /// Gives it its name, unless somebody took that meanwhile.
    pub(super) fn publish(mut self) -> Result<(), Error> {
        self.disk.publish(&self.here, &self.there).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Error::Exists { path: self.there.clone() },
            _ => Error::io("rename", &self.there)(error),
        })?;
        self.published = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.published {
            // Nobody is left to tell.
            let _ = self.disk.remove(&self.here);
        }
    }
}
