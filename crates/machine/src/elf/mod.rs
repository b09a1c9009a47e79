//! ELF files: programs as gcc, clang and rustc link them.
//!
//! [`parse`] takes static executables in ELF32, little-endian, for RV32IM without floating point in
//! registers. It refuses everything else with one line that says what it is and how to build it right. It
//! reads the header, the program headers and, for messages, the symbols. Program headers of unknown types are
//! skipped, and section headers are looked at for symbols alone. So a file without symbols, or with damaged
//! ones, is the same program.
//!
//! [`write()`] makes such a file of a program: the smallest that has its segments and symbols.
//!
//! Reference: Tool Interface Standard, Executable and Linking Format, version 1.2; RISC-V ELF psABI
//! Specification, chapter "Object Files".

mod bytes;
mod symbols;
mod write;

use crate::program::{self, Kind, MAX_SEGMENTS, Program, Segment};

use bytes::{half, part, word};
pub use write::write;

/// How to compile a program.
const HOW: &str = "compile with -march=rv32im -mabi=ilp32 -static, or for riscv32im-unknown-none-elf";

/// What an ELF file begins with.
pub const MAGIC: [u8; 4] = *b"\x7fELF";

/// Bytes of the header.
const HEADER: usize = 52;
/// Bytes of a program header.
const PROGRAM_HEADER: usize = 32;
/// Bytes of a section header.
const SECTION_HEADER: usize = 40;

/// The machine's number.
const RISCV: u16 = 243;
/// The type of a static executable.
const EXECUTABLE: u16 = 2;

const LOAD: u32 = 1;
const DYNAMIC: u32 = 2;
const INTERPRETER: u32 = 3;

const EXECUTE: u32 = 1;
const WRITE: u32 = 2;
const READ: u32 = 4;

/// Flags of the header.
const COMPRESSED: u32 = 1;
const FLOAT: u32 = 6;
const EMBEDDED: u32 = 8;
/// Total store order: with one thread, every order is.
const TOTAL_ORDER: u32 = 16;

/// Why a file is not a program that can be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It does not begin as ELF files do.
    #[error("it is not an ELF file; {HOW}")]
    Magic,
    /// It ends too soon.
    #[error("the file is cut short: it ends within its {0}; copy or link it again")]
    Short(&'static str),
    /// It is for a machine with other addresses.
    #[error("it is for a 64-bit machine; {HOW}")]
    Class,
    /// It is for a machine with another order of bytes.
    #[error("it is big-endian; {HOW}")]
    Endianness,
    /// Its format is of an unknown version, or its headers have other sizes than ELF32's.
    #[error("its header is not that of an ELF32 file of version 1")]
    Header,
    /// It is for another machine.
    #[error("it is for machine {0} of ELF's list, and not for RISC-V (243); {HOW}")]
    Machine(u16),
    /// It has not been linked.
    #[error("it is an object file; link it into a static executable")]
    Object,
    /// It is a shared library, or can be loaded at any address.
    #[error("it is a shared object or position-independent; link with -static -no-pie")]
    Shared,
    /// Its type is unknown.
    #[error("its type is {0}, and not that of an executable (2); {HOW}")]
    Type(u16),
    /// It needs a dynamic linker.
    #[error("it is linked dynamically; link with -static -no-pie")]
    Dynamic,
    /// It has compressed instructions.
    #[error("it has compressed instructions; {HOW}")]
    Compressed,
    /// It passes floating-point numbers in registers.
    #[error("it passes floating-point numbers in registers of their own; {HOW}")]
    Float,
    /// It is for a machine with 16 registers.
    #[error("it is for RV32E, which has 16 registers; {HOW}")]
    Embedded,
    /// It has unknown flags.
    #[error("its flags {0:#x} are unknown; {HOW}")]
    Flags(u32),
    /// There are too many program headers.
    #[error("it has {0} program headers; at most {most} can be read", most = MAX_HEADERS)]
    Headers(u16),
    /// A segment is both writable and executable.
    #[error("the segment at {0:#x} is writable and executable; link without -N, so that text is read-only")]
    WritableText(u32),
    /// A segment may not be read.
    #[error("the segment at {0:#x} cannot be read")]
    Unreadable(u32),
    /// A segment's content is larger than the segment.
    #[error("the segment at {0:#x} has more bytes in the file than in memory")]
    Content(u32),
    /// Segments use the same bytes of the file.
    #[error("its segments share bytes of the file")]
    Shares,
    /// The segments make no program.
    #[error(transparent)]
    Program(#[from] program::Error),
}

/// Program headers, at most: those of segments and as many others.
const MAX_HEADERS: usize = 2 * MAX_SEGMENTS;

/// Reads a program from the bytes of a file.
///
/// # Errors
/// If it is not a program that can be run: see [`Error`], whose message is one line.
pub fn parse(file: &[u8]) -> Result<Program, Error> {
    let header = Header::read(file)?;
    let table = part(file, header.programs, PROGRAM_HEADER * usize::from(header.count));
    let table = table.ok_or(Error::Short("program headers"))?;
    let mut segments = Vec::new();
    for entry in table.chunks_exact(PROGRAM_HEADER) {
        match word(entry, 0) {
            Some(DYNAMIC | INTERPRETER) => return Err(Error::Dynamic),
            Some(LOAD) => segments.extend(segment(file, entry)?),
            _ => {}
        }
    }
    // Otherwise a small file could make a large program.
    let total: usize = segments.iter().map(|(_, bytes)| bytes.len()).sum();
    if total > file.len() {
        return Err(Error::Shares);
    }
    let owned = segments.into_iter().map(|(segment, bytes)| Segment { bytes: bytes.to_vec(), ..segment });
    Ok(Program::new(header.entry, owned.collect())?.with_symbols(symbols::read(file).unwrap_or_default()))
}

/// What the header says.
struct Header {
    entry: u32,
    /// Where the program headers begin.
    programs: u32,
    count: u16,
}

impl Header {
    fn read(file: &[u8]) -> Result<Self, Error> {
        if !file.starts_with(&MAGIC) {
            return Err(Error::Magic);
        }
        let short = Error::Short("header");
        // These two come first, since the rest lies elsewhere in files of other machines.
        match *file.get(4).ok_or(short.clone())? {
            1 => {}
            2 => return Err(Error::Class),
            _ => return Err(Error::Header),
        }
        match *file.get(5).ok_or(short.clone())? {
            1 => {}
            2 => return Err(Error::Endianness),
            _ => return Err(Error::Header),
        }
        let header = file.get(..HEADER).ok_or(short.clone())?;
        let half = |at| half(header, at).ok_or(short.clone());
        let word = |at| word(header, at).ok_or(short.clone());
        if header.get(6) != Some(&1) || word(20)? != 1 || usize::from(half(40)?) != HEADER {
            return Err(Error::Header);
        }
        match half(18)? {
            RISCV => {}
            machine => return Err(Error::Machine(machine)),
        }
        match half(16)? {
            EXECUTABLE => {}
            1 => return Err(Error::Object),
            3 => return Err(Error::Shared),
            other => return Err(Error::Type(other)),
        }
        flags(word(36)?)?;
        let count = half(44)?;
        if usize::from(count) > MAX_HEADERS {
            return Err(Error::Headers(count));
        }
        if count > 0 && usize::from(half(42)?) != PROGRAM_HEADER {
            return Err(Error::Header);
        }
        Ok(Self { entry: word(24)?, programs: word(28)?, count })
    }
}

/// Checks the flags that say for which machine the file is.
fn flags(flags: u32) -> Result<(), Error> {
    if flags & COMPRESSED != 0 {
        return Err(Error::Compressed);
    }
    if flags & FLOAT != 0 {
        return Err(Error::Float);
    }
    if flags & EMBEDDED != 0 {
        return Err(Error::Embedded);
    }
    if flags & !TOTAL_ORDER != 0 {
        return Err(Error::Flags(flags));
    }
    Ok(())
}

/// The segment of a program header, still without its bytes, and those. None if it is empty.
fn segment<'a>(file: &'a [u8], entry: &[u8]) -> Result<Option<(Segment, &'a [u8])>, Error> {
    let field = |at| word(entry, at).ok_or(Error::Short("program headers"));
    let (offset, address, in_file, size, flags) = (field(4)?, field(8)?, field(16)?, field(20)?, field(24)?);
    if in_file > size {
        return Err(Error::Content(address));
    }
    if size == 0 {
        return Ok(None);
    }
    let kind = match (flags & EXECUTE != 0, flags & WRITE != 0, flags & READ != 0) {
        (true, true, _) => return Err(Error::WritableText(address)),
        (true, false, _) => Kind::Text,
        (false, true, _) => Kind::Writable,
        (false, false, true) => Kind::ReadOnly,
        (false, false, false) => return Err(Error::Unreadable(address)),
    };
    // Linkers may give a segment without content any offset.
    let bytes = if in_file == 0 { Some(&[][..]) } else { part(file, offset, in_file as usize) };
    let bytes = bytes.ok_or(Error::Short("segments"))?;
    Ok(Some((Segment { address, size, bytes: Vec::new(), kind }, bytes)))
}

#[cfg(test)]
mod tests;
