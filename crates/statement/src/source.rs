//! Where statements, witnesses and public values come from: files, bytes in memory, streams.

use std::fmt;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;

use volery_circuit::BristolFile;
use volery_circuit::bristol::FileRing;
use volery_circuit::r1cs::{Header, PrimeField, R1cs};
use zeroize::Zeroizing;

use crate::Error;

/// Where something is read from.
#[derive(Clone)]
#[non_exhaustive]
pub enum Source {
    /// A file, or a pipe that has a name.
    File(PathBuf),
    /// Bytes that the caller has read.
    Bytes {
        /// Their name in messages.
        name: String,
        /// The bytes, which are wiped after use.
        content: Arc<Zeroizing<Vec<u8>>>,
    },
    /// A stream that the caller opens, such as standard input.
    Stream {
        /// Its name in messages.
        name: &'static str,
        /// Opens it.
        open: fn() -> io::Result<File>,
    },
}

impl fmt::Debug for Source {
    /// Says how many bytes there are, but not which.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
            Self::Bytes { name, content } => write!(f, "Bytes({name:?}, {} bytes)", content.len()),
            Self::Stream { name, .. } => f.debug_tuple("Stream").field(name).finish(),
        }
    }
}

/// A reader that can seek.
pub(crate) trait Seekable: Read + Seek {}

impl<T: Read + Seek> Seekable for T {}

/// Bytes for a [`Cursor`] that are wiped after use.
struct Wiped(Arc<Zeroizing<Vec<u8>>>);

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
    /// Bytes that a file may have in addition to its content, for comments and blanks.
    pub(crate) const SLACK: u64 = 1 << 20;

    /// Bytes in memory; `name` is what messages call them.
    #[must_use]
    pub fn bytes(name: impl Into<String>, content: Vec<u8>) -> Self {
        Self::Bytes { name: name.into(), content: Arc::new(Zeroizing::new(content)) }
    }

    /// Its name in messages.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Bytes { name, .. } => name.clone(),
            Self::Stream { name, .. } => (*name).to_owned(),
        }
    }

    fn failed(&self, error: &io::Error) -> Error {
        Error::Io { what: self.name(), reason: error.to_string() }
    }

    /// Opens it for reading once.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn open(&self) -> Result<Box<dyn Read>, Error> {
        Ok(match self {
            Self::Bytes { content, .. } => Box::new(Cursor::new(Wiped(Arc::clone(content)))),
            _ => Box::new(self.file()?),
        })
    }

    fn file(&self) -> Result<File, Error> {
        let file = match self {
            Self::File(path) => File::open(path),
            Self::Stream { open, .. } => open(),
            Self::Bytes { .. } => Err(io::ErrorKind::Unsupported.into()),
        };
        file.map_err(|error| self.failed(&error))
    }

    /// Reads all of it, at most `most` bytes besides comments, into memory.
    pub(crate) fn shared(&self, most: u64) -> Result<Shared, Error> {
        Ok(Shared { name: self.name(), content: self.content(most.saturating_add(Self::SLACK))? })
    }

    /// Reads all of it, at most `most` bytes.
    ///
    /// # Errors
    /// [`Error::Input`] if it is longer; [`Error::Io`].
    pub fn content(&self, most: u64) -> Result<Zeroizing<Vec<u8>>, Error> {
        let failed = |error: io::Error| self.failed(&error);
        let mut file = self.seekable(most)?;
        let length = file.seek(SeekFrom::End(0)).map_err(failed)?;
        if length > most {
            return Err(self.too_long(most));
        }
        file.rewind().map_err(failed)?;
        let mut content = Zeroizing::new(vec![0; usize::try_from(length).map_err(Error::input)?]);
        file.read_exact(&mut content).map_err(failed)?;
        Ok(content)
    }

    fn too_long(&self, most: u64) -> Error {
        Error::input(format!("{}: too long: at most {most} bytes", self.name()))
    }

    /// Opens it for reading in any order. A pipe is read into memory, up to `most` bytes.
    pub(crate) fn seekable(&self, most: u64) -> Result<Box<dyn Seekable>, Error> {
        if let Self::Bytes { content, .. } = self {
            return Ok(Box::new(Cursor::new(Wiped(Arc::clone(content)))));
        }
        let mut file = self.file()?;
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
        Ok(Box::new(Cursor::new(Wiped(Arc::new(content)))))
    }

    /// Whether it is there and can be read.
    pub(crate) fn exists(&self) -> bool {
        match self {
            Self::File(path) => path.exists(),
            Self::Bytes { .. } | Self::Stream { .. } => true,
        }
    }

    /// Whether it begins with these bytes. Whoever opens it next reports errors of reading it.
    pub(crate) fn begins_with<const N: usize>(&self, magic: &[u8; N]) -> bool {
        match self {
            // Not a pipe: bytes that are read here would be missing later.
            Self::File(path) if path.metadata().is_ok_and(|metadata| metadata.is_file()) => {
                let mut start = [0; N];
                let read = File::open(path).is_ok_and(|mut file| file.read_exact(&mut start).is_ok());
                read && start == *magic
            }
            Self::Bytes { content, .. } => content.starts_with(magic),
            Self::File(_) | Self::Stream { .. } => false,
        }
    }

    /// Opens a circuit, which is in a regular file or in memory.
    pub(crate) fn circuit<R: FileRing>(&self) -> Result<BristolFile<R>, Error> {
        Ok(match self {
            Self::File(path) => BristolFile::open(path)?,
            Self::Bytes { name, content } => BristolFile::of_bytes(Arc::clone(content) as _, name)?,
            Self::Stream { .. } => return Err(self.read_once()),
        })
    }

    /// Opens the header of a constraint system.
    pub(crate) fn header(&self) -> Result<Header, Error> {
        Ok(match self {
            Self::File(path) => Header::open(path)?,
            Self::Bytes { name, content } => Header::read(Cursor::new(content.as_slice()), name)?,
            Self::Stream { .. } => return Err(self.read_once()),
        })
    }

    /// Opens a constraint system.
    pub(crate) fn system<F: PrimeField>(&self) -> Result<R1cs<F>, Error> {
        Ok(match self {
            Self::File(path) => R1cs::open(path)?,
            Self::Bytes { name, content } => R1cs::read(Cursor::new(content.as_slice()), name)?,
            Self::Stream { .. } => return Err(self.read_once()),
        })
    }

    fn read_once(&self) -> Error {
        let what = self.name();
        Error::input(format!(
            "{what}: a statement is read more than once, so it must be a regular file, or in memory"
        ))
    }
}

/// The secret side of a statement, as it is given.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum WitnessSource {
    /// A witness file of the statement's kind. For some of many statements it says itself which ones hold.
    Whole(Source),
    /// For some of many statements: the number of each that holds, from 0, and a witness file for it alone;
    /// repetition after repetition if they are proved several times.
    OfBranches(Vec<(usize, Source)>),
}

impl From<Source> for WitnessSource {
    fn from(source: Source) -> Self {
        Self::Whole(source)
    }
}

impl WitnessSource {
    /// The one file of a statement without branches.
    ///
    /// # Errors
    /// [`Error::Input`] if there is a file for each branch.
    pub(crate) fn whole(&self) -> Result<&Source, Error> {
        match self {
            Self::Whole(source) => Ok(source),
            Self::OfBranches(_) => Err(Error::input("a single statement has no branches: give one witness")),
        }
    }

    /// Its name in messages.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Whole(source) => source.name(),
            Self::OfBranches(_) => "the witness".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_bounded_named_and_not_shown() {
        let source = Source::bytes("the witness", b"secret".to_vec());
        assert_eq!(&**source.content(6).expect("short enough"), b"secret");
        let refused = source.content(5).expect_err("too long").to_string();
        assert_eq!(refused, "the witness: too long: at most 5 bytes");
        assert_eq!(format!("{source:?}"), "Bytes(\"the witness\", 6 bytes)");
        assert!(source.begins_with(b"sec") && !source.begins_with(b"secrets"));
    }

    #[test]
    fn a_statement_is_not_read_from_a_stream() {
        let source = Source::Stream { name: "standard input", open: || Err(io::ErrorKind::NotFound.into()) };
        let refused = source.circuit::<volery_field::F2>().expect_err("is a stream").to_string();
        assert!(refused.contains("standard input: a statement is read more than once"), "{refused}");
    }
}
