//! Where a witness or public values come from.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use super::failure::Failure;

/// A file, or standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    File(PathBuf),
    Standard,
}

/// What can be read in any order.
pub(crate) trait Seekable: Read + Seek {}

impl<T: Read + Seek> Seekable for T {}

/// A [`Cursor`]'s bytes that are wiped after use.
struct Wiped(Zeroizing<Vec<u8>>);

impl AsRef<[u8]> for Wiped {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Source {
    /// Bytes allowed in a file beside what it must hold.
    pub(crate) const SLACK: u64 = 1 << 20;

    /// The source of this path; `-` is standard input.
    pub(crate) fn of(path: &Path) -> Self {
        if path == Path::new("-") { Self::Standard } else { Self::File(path.to_owned()) }
    }

    /// Its name in messages.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Standard => "standard input".to_owned(),
        }
    }

    fn failed(&self, error: &io::Error) -> Failure {
        Failure::input(format!("{}: {error}", self.name()))
    }

    /// Opens the file.
    pub(crate) fn open(&self) -> Result<File, Failure> {
        let file = match self {
            Self::File(path) => File::open(path),
            // Not through the standard library's buffer, which nobody wipes.
            Self::Standard => io::stdin().as_fd().try_clone_to_owned().map(File::from),
        };
        file.map_err(|error| self.failed(&error))
    }

    /// Opens it for reading in any order; what has no order of its own is taken into memory, at most `most`
    /// bytes.
    pub(crate) fn seekable(&self, most: u64) -> Result<Box<dyn Seekable>, Failure> {
        let mut file = self.open()?;
        if file.metadata().is_ok_and(|metadata| metadata.is_file()) {
            return Ok(Box::new(file));
        }
        let mut content = Zeroizing::new(vec![0; 1 << 16]);
        let mut filled = 0;
        loop {
            let Some(rest) = content.get_mut(filled..).filter(|rest| !rest.is_empty()) else {
                // Copied by hand: growing would leave the old buffer unwiped.
                let mut grown = Zeroizing::new(vec![0; 2 * content.len()]);
                grown.iter_mut().zip(content.iter()).for_each(|(to, from)| *to = *from);
                content = grown;
                continue;
            };
            match file.read(rest) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failed(&error)),
            }
            if filled as u64 > most {
                let name = self.name();
                return Err(Failure::input(format!("{name}: longer than the {most} bytes that it can need")));
            }
        }
        content.truncate(filled);
        Ok(Box::new(Cursor::new(Wiped(content))))
    }
}
