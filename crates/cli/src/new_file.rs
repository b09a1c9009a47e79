//! New files: of proofs, attestations and keys. A file has its name only when it is complete, and takes no
//! other file's place.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rand_core::Rng as _;
use volery::os_rng;

use super::failure::Failure;

/// A file under another name in the folder where it will be, removed on drop unless it was published. A
/// process that is killed leaves it behind; its name ends with `.partial`.
pub(crate) struct NewFile {
    file: File,
    here: PathBuf,
    there: PathBuf,
    published: bool,
}

impl NewFile {
    /// Starts a file that will be `path`.
    ///
    /// # Errors
    /// As [`vacant`]; [`Failure::Input`] if it cannot be made.
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        Self::with(path, OpenOptions::new().write(true))
    }

    fn with(path: &Path, options: &mut OpenOptions) -> Result<Self, Failure> {
        vacant(path)?;
        let name = path.file_name().ok_or_else(|| Failure::input(no_name(path)))?;
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{:016x}.partial", os_rng()?.next_u64()));
        let here = path.with_file_name(hidden);
        let file = options.create_new(true).open(&here).map_err(|error| failed(path, &error))?;
        Ok(Self { file, here, there: path.to_owned(), published: false })
    }

    /// The file, to be written.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Puts the content on the disk and gives the file its name, unless somebody took that meanwhile.
    ///
    /// # Errors
    /// [`Failure::Input`] if there is such a file by now, or the disk fails.
    pub(crate) fn publish(mut self) -> Result<(), Failure> {
        let published = self.file.sync_all().and_then(|()| publish(&self.here, &self.there));
        published.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => exists(&self.there),
            _ => failed(&self.there, &error),
        })?;
        self.published = true;
        Ok(())
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.published {
            // If it cannot be removed, the first error is still the one to report.
            let _ = fs::remove_file(&self.here);
        }
    }
}

fn publish(here: &Path, there: &Path) -> io::Result<()> {
    // A link, unlike a rename, does not overwrite.
    match fs::hard_link(here, there) {
        Ok(()) => fs::remove_file(here)?,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
        // File systems without links: all that can be done is to look first.
        Err(_) if fs::symlink_metadata(there).is_err() => fs::rename(here, there)?,
        Err(_) => return Err(io::ErrorKind::AlreadyExists.into()),
    }
    let folder = there.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// Writes a new file.
///
/// # Errors
/// As [`NewFile::create`] and [`NewFile::publish`].
pub(crate) fn write(path: &Path, content: &[u8]) -> Result<(), Failure> {
    fill(NewFile::create(path)?, content)
}

/// Writes a new file that only its owner can read.
///
/// # Errors
/// As [`write`].
pub(crate) fn write_secret(path: &Path, content: &[u8]) -> Result<(), Failure> {
    fill(NewFile::with(path, OpenOptions::new().write(true).mode(0o600))?, content)
}

fn fill(file: NewFile, content: &[u8]) -> Result<(), Failure> {
    file.file().write_all(content).map_err(|error| failed(&file.there, &error))?;
    file.publish()
}

/// Checks that a new file can have this name: that it is one, and that nothing has it.
///
/// # Errors
/// [`Failure::Input`], which says what has the name.
pub(crate) fn vacant(path: &Path) -> Result<(), Failure> {
    if path == Path::new("-") {
        return Err(Failure::input(
            "-: standard output is no place for this; name a new file (./- for one with this name)",
        ));
    }
    // A link that leads nowhere has its name, too.
    if fs::symlink_metadata(path).is_err() {
        return Ok(());
    }
    let system = ["/dev", "/proc"].iter().any(|folder| path.starts_with(folder));
    Err(match fs::metadata(path) {
        Ok(found) if found.is_dir() => Failure::input(no_name(path)),
        Ok(found) if system || !found.is_file() => {
            let path = path.display();
            Failure::input(format!("{path}: is a device, a pipe or a socket; name a new file in a folder"))
        }
        _ => exists(path),
    })
}

/// The failure that a file to write exists already.
fn exists(path: &Path) -> Failure {
    Failure::input(format!("{}: exists already; choose another name or remove it", path.display()))
}

fn no_name(path: &Path) -> String {
    format!("{}: is a folder; name a new file in it", path.display())
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::input(format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
        entries.map(|entry| entry.file_name().into_string().expect("UTF-8")).collect()
    }

    #[test]
    fn a_file_has_its_name_only_when_it_is_complete() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("proof");
        let file = NewFile::create(&path).expect("is vacant");
        file.file().write_all(b"half").expect("writable");
        assert!(!path.exists());
        assert!(names(dir.path()).iter().all(|name| name.ends_with(".partial")));
        drop(file);
        assert!(names(dir.path()).is_empty());
        write(&path, b"whole").expect("is vacant");
        assert_eq!((fs::read(&path).expect("is there"), names(dir.path()).len()), (b"whole".to_vec(), 1));
    }

    #[test]
    fn a_file_that_came_meanwhile_is_not_replaced() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("proof");
        let file = NewFile::create(&path).expect("is vacant");
        fs::write(&path, "other").expect("writable");
        assert_eq!(file.publish(), Err(exists(&path)));
        assert_eq!((fs::read(&path).expect("is there"), names(dir.path()).len()), (b"other".to_vec(), 1));
        assert_eq!(write_secret(&path, b"more"), Err(exists(&path)));
    }

    #[test]
    fn what_has_the_name_is_said() {
        let dir = tempfile::tempdir().expect("a directory");
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(dir.path().join("nowhere"), &link).expect("a link");
        for (path, reason) in [
            (Path::new("-"), "name a new file"),
            (Path::new("/dev/null"), "a device"),
            (Path::new("/dev/stdout"), "a device"),
            (dir.path(), "is a folder"),
            (&link, "exists already"),
        ] {
            let refused = vacant(path).expect_err("is taken").to_string();
            assert!(refused.contains(reason), "{refused}");
        }
        assert_eq!(vacant(&dir.path().join("-")), Ok(()));
    }
}
