//! Files and standard input, as sources of witnesses and public values.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use super::failure::Failure;

/// A file or standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    File(PathBuf),
    Standard,
}

/// A reader that can seek.
pub(crate) trait Seekable: Read + Seek {}

impl<T: Read + Seek> Seekable for T {}

/// Bytes for a [`Cursor`] that are wiped after use.
struct Wiped(Zeroizing<Vec<u8>>);

impl AsRef<[u8]> for Wiped {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// The content of a source in memory, to be read several times. A pipe itself can be read only once.
pub(crate) struct Shared {
    /// The name of the source.
    pub(crate) name: String,
    pub(crate) content: Zeroizing<Vec<u8>>,
}

impl Source {
    /// Reads all of it, at most `most` bytes besides comments, into memory.
    pub(crate) fn shared(&self, most: u64) -> Result<Shared, Failure> {
        Ok(Shared { name: self.name(), content: self.content(most.saturating_add(Self::SLACK))? })
    }

    /// Bytes that a file may have in addition to its content, for comments and blanks.
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
            // The standard library's buffer is avoided, since nobody wipes it.
            Self::Standard => io::stdin().as_fd().try_clone_to_owned().map(File::from),
        };
        file.map_err(|error| self.failed(&error))
    }

    /// Reads all of it, at most `most` bytes.
    pub(crate) fn content(&self, most: u64) -> Result<Zeroizing<Vec<u8>>, Failure> {
        let failed = |error: io::Error| self.failed(&error);
        let mut file = self.seekable(most)?;
        let length = file.seek(SeekFrom::End(0)).map_err(failed)?;
        if length > most {
            return Err(self.too_long(most));
        }
        file.rewind().map_err(failed)?;
        let mut content = Zeroizing::new(vec![0; usize::try_from(length).map_err(Failure::input)?]);
        file.read_exact(&mut content).map_err(failed)?;
        Ok(content)
    }

    fn too_long(&self, most: u64) -> Failure {
        Failure::input(format!("{}: too long: at most {most} bytes", self.name()))
    }

    /// Opens it for reading in any order. A pipe is read into memory, up to `most` bytes.
    pub(crate) fn seekable(&self, most: u64) -> Result<Box<dyn Seekable>, Failure> {
        let mut file = self.open()?;
        if file.metadata().is_ok_and(|metadata| metadata.is_file()) {
            return Ok(Box::new(file));
        }
        let mut content = Zeroizing::new(vec![0; 1 << 16]);
        let mut filled = 0;
        loop {
            let Some(rest) = content.get_mut(filled..).filter(|rest| !rest.is_empty()) else {
                // Copied by hand, since growing would leave the old buffer unwiped.
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
                return Err(self.too_long(most));
            }
        }
        content.truncate(filled);
        Ok(Box::new(Cursor::new(Wiped(content))))
    }
}
