//! The container of both binary formats: a magic word, a version, and sections.
//!
//! ```text
//! magic (4)  version (4)  sections (4)  then for each section:  kind (4)  size (8)  content (size)
//! ```
//!
//! Integers are little-endian. Only a table of the sections is kept. Contents are read through one small
//! buffer, which is wiped, because a witness passes through it.

use std::io::{ErrorKind, Read, Seek, SeekFrom};

use volery_field::Ring;
use zeroize::Zeroizing;

use super::{KnownPrime, PrimeField};
use crate::Error;
use crate::text::counted;

/// The most sections of a file. The formats define five, and a few bytes can claim 2^32.
const MOST_SECTIONS: u32 = 64;
/// The size of the buffer, in bytes.
const BUFFER: usize = 1 << 16;
/// The size of the largest field element that a file may have, in bytes.
const MOST_FIELD_BYTES: u32 = 64;

/// A kind of section that a format defines.
#[derive(Clone, Copy)]
pub(super) struct SectionKind {
    pub(super) number: u32,
    pub(super) name: &'static str,
}

#[derive(Clone, Copy)]
struct Section {
    kind: u32,
    start: u64,
    end: u64,
}

/// A file, read section by section.
pub(super) struct Binary<'a, S> {
    source: S,
    what: &'a str,
    sections: Vec<Section>,
    buffer: Zeroizing<Vec<u8>>,
    /// The part of the buffer that was read from the file and not used yet.
    unread: core::ops::Range<usize>,
    /// The offset of the first unread byte.
    position: u64,
    /// Where the current section ends.
    end: u64,
    hasher: Option<blake3::Hasher>,
}

impl<'a, S: Read + Seek> Binary<'a, S> {
    /// Reads the magic word, the version and the table of sections. `what` names the file in errors.
    pub(super) fn open(source: S, what: &'a str, magic: &str, version: u32) -> Result<Self, Error> {
        let buffer = Zeroizing::new(vec![0; BUFFER]);
        let mut binary = Self {
            source,
            what,
            sections: Vec::new(),
            buffer,
            unread: 0..0,
            position: 0,
            end: 0,
            hasher: None,
        };
        let length = binary.source.seek(SeekFrom::End(0)).map_err(|error| Error::io(what, &error))?;
        binary.go(0, length)?;
        if binary.take(4, "the magic word")? != magic.as_bytes() {
            return Err(
                binary.error_at(0, format!("not a .{magic} file: it does not begin with \"{magic}\""))
            );
        }
        let got = binary.u32("the version")?;
        if got != version {
            return Err(binary.error_at(4, format!("version {got}; only version {version} is read")));
        }
        let count = binary.u32("the number of sections")?;
        if count > MOST_SECTIONS {
            return Err(binary.error_at(8, format!("{count} sections; at most {MOST_SECTIONS} are possible")));
        }
        for index in 0..count {
            binary.list_section(index, length)?;
        }
        if binary.position != length {
            let more = length - binary.position;
            return Err(binary.error(format!("{} after the last section", counted(more, "byte"))));
        }
        Ok(binary)
    }

    fn list_section(&mut self, index: u32, length: u64) -> Result<(), Error> {
        let at = self.position;
        let kind = self.u32("a section's kind")?;
        let size = self.u64("a section's size")?;
        let start = self.position;
        let Some(end) = start.checked_add(size).filter(|&end| end <= length) else {
            let left = length - start;
            let reason = format!(
                "section {index} (kind {kind}) claims a size of {size}, but the file has only {} more",
                counted(left, "byte")
            );
            return Err(self.error_at(at, reason));
        };
        self.sections.push(Section { kind, start, end });
        self.go(end, length)
    }

    /// Rejects a file that has a section of this kind.
    pub(super) fn refuse(&self, kind: u32, reason: &str) -> Result<(), Error> {
        match self.sections.iter().find(|section| section.kind == kind) {
            Some(section) => Err(self.error_at(section.start - 12, reason)),
            None => Ok(()),
        }
    }

    /// The size of the only section of this kind.
    pub(super) fn size(&self, kind: SectionKind) -> Result<u64, Error> {
        self.find(kind).map(|section| section.end - section.start)
    }

    fn find(&self, SectionKind { number, name }: SectionKind) -> Result<Section, Error> {
        let mut found = self.sections.iter().filter(|section| section.kind == number);
        match (found.next(), found.next()) {
            (Some(section), None) => Ok(*section),
            (None, _) => {
                let reason = format!("the {name} section (kind {number}) is missing");
                Err(self.error_at(8, reason))
            }
            (_, Some(second)) => {
                Err(self.error_at(second.start - 12, format!("a second {name} section (kind {number})")))
            }
        }
    }

    /// Goes to the only section of this kind.
    pub(super) fn enter(&mut self, kind: SectionKind) -> Result<(), Error> {
        let section = self.find(kind)?;
        self.go(section.start, section.end)
    }

    /// Checks that the current section ends here.
    pub(super) fn leave(&mut self, SectionKind { name, .. }: SectionKind) -> Result<(), Error> {
        match self.left() {
            0 => Ok(()),
            left => Err(self
                .error(format!("{} more in the {name} section than it should have", counted(left, "byte")))),
        }
    }

    /// Hashes all bytes that are read from now on.
    pub(super) fn hash_into(&mut self, hasher: blake3::Hasher) {
        self.hasher = Some(hasher);
    }

    /// The hash so far.
    pub(super) fn hasher(&mut self) -> Option<blake3::Hasher> {
        self.hasher.take()
    }

    fn go(&mut self, start: u64, end: u64) -> Result<(), Error> {
        self.source.seek(SeekFrom::Start(start)).map_err(|error| Error::io(self.what, &error))?;
        (self.unread, self.position, self.end) = (0..0, start, end);
        Ok(())
    }

    /// The number of unused bytes of the current section.
    pub(super) fn left(&self) -> u64 {
        self.end - self.position
    }

    /// The next `count` bytes, at most [`BUFFER`]. `name` describes them in errors.
    #[inline]
    pub(super) fn take(&mut self, count: usize, name: &str) -> Result<&[u8], Error> {
        if self.unread.len() < count {
            self.fill(count, name)?;
        }
        let start = self.unread.start;
        self.unread.start += count;
        self.position += count as u64;
        Ok(&self.buffer[start..start + count])
    }

    #[cold]
    fn fill(&mut self, count: usize, name: &str) -> Result<(), Error> {
        if count as u64 > self.left() {
            return Err(self.error(format!("it ends inside {name}")));
        }
        self.buffer.copy_within(self.unread.clone(), 0);
        self.unread = 0..self.unread.len();
        while self.unread.end < count {
            let wanted = (self.left() as usize).min(BUFFER);
            let free = &mut self.buffer[self.unread.end..wanted];
            let got = match self.source.read(free) {
                Ok(0) => return Err(Error::Changed { what: self.what.to_owned() }),
                Ok(got) => got,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(Error::io(self.what, &error)),
            };
            if let Some(hasher) = &mut self.hasher {
                hasher.update(&free[..got]);
            }
            self.unread.end += got;
        }
        Ok(())
    }

    #[inline]
    pub(super) fn u32(&mut self, name: &str) -> Result<u32, Error> {
        let bytes = self.take(4, name)?;
        Ok(bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)))
    }

    pub(super) fn u64(&mut self, name: &str) -> Result<u64, Error> {
        let bytes = self.take(8, name)?;
        Ok(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// Reads a canonical field element.
    #[inline]
    pub(super) fn element<F: Ring>(&mut self, name: &str) -> Result<F, Error> {
        match F::decode(self.take(F::BYTES, name)?) {
            Ok(element) => Ok(element),
            Err(_) => Err(self.not_canonical(F::BYTES, name)),
        }
    }

    #[cold]
    fn not_canonical(&self, bytes: usize, name: &str) -> Error {
        self.error_at(self.position - bytes as u64, format!("{name} is not below the prime"))
    }

    /// The field size and the prime, with which the headers of both formats begin.
    pub(super) fn prime(&mut self) -> Result<KnownPrime, Error> {
        let at = self.position;
        let size = self.u32("the field size")?;
        if size == 0 || size % 8 != 0 || size > MOST_FIELD_BYTES {
            let reason =
                format!("a field size of {size} bytes, not a multiple of 8 up to {MOST_FIELD_BYTES}");
            return Err(self.error_at(at, reason));
        }
        let modulus = self.take(size as usize, "the prime")?;
        if let Some(known) = KnownPrime::of(modulus) {
            return Ok(known);
        }
        let digits: String = modulus.iter().rev().map(|byte| format!("{byte:02x}")).collect();
        let ours: Vec<&str> = KnownPrime::ALL.iter().map(|known| known.name()).collect();
        let reason = format!("no field here has the prime 0x{digits}; there are: {}", ours.join(", "));
        Err(self.error_at(at + 4, reason))
    }

    /// Checks that the file is over `F`.
    pub(super) fn check_field<F: PrimeField>(&self, prime: KnownPrime) -> Result<(), Error> {
        if prime == F::PRIME {
            return Ok(());
        }
        Err(self.error(format!("the file is over {prime}, but {} was asked for", F::PRIME)))
    }

    /// The offset of the next byte.
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// An error about the next byte.
    pub(super) fn error(&self, reason: impl Into<String>) -> Error {
        self.error_at(self.position, reason)
    }

    /// An error about the byte at `offset`.
    pub(super) fn error_at(&self, offset: u64, reason: impl Into<String>) -> Error {
        Error::Binary { what: self.what.to_owned(), offset, reason: reason.into() }
    }
}
