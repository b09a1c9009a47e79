//! A program: what is loaded where, and where it begins.
//!
//! [`crate::elf`] reads programs from files. The rules that hold for every program are checked here:
//!
//! * One segment is *text*: it is executable and read-only. Nothing else executes. Loads from text work.
//! * Segments span whole words: the first and the last word of a segment belong to it entirely, and no two
//!   segments share a word. What the file does not fill reads as zero.
//! * The loader lays a stack of 8 MiB right below [`STACK_END`], so no segment may lie there. A start-up file
//!   that sets `sp` to memory of its own is free to; the loader's stack then costs nothing.
//! * The program begins at a whole word of text, which has at most [`MAX_TEXT`] words.
//!
//! The digest of a program covers all that can change a run: segments and entry, not symbols.

use std::fmt;

use volery_circuit::Digest;
use zeroize::Zeroize as _;

use crate::Instruction;
use crate::symbols::Symbols;

/// The address after the stack that the loader lays: it ends below the middle of the address space, as
/// programs of bare machines are often linked right above.
pub const STACK_END: u32 = 0x8000_0000;

/// Bytes of that stack: what Linux gives a process, too.
pub const STACK_BYTES: u32 = 8 << 20;

/// What the program finds in `sp` at its start: a multiple of 16. The words from there on are zeros, so that
/// a start-up file for Linux sees no arguments and no environment.
pub const STACK_POINTER: u32 = STACK_END - 64;

/// Segments of a program, at most.
pub const MAX_SEGMENTS: usize = 64;

/// Words of text, at most. A party of a proof takes up to 260 bytes for each, and each segment of a run
/// commits to one element for each.
pub const MAX_TEXT: usize = 1 << 22;

/// What a program may do with a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Execute and read.
    Text,
    /// Read.
    ReadOnly,
    /// Read and write.
    Writable,
}

/// A part of memory that is there when a program starts.
#[derive(Clone, PartialEq, Eq)]
pub struct Segment {
    /// Where it begins.
    pub address: u32,
    /// How many bytes it has in memory; the last address is below 2^32.
    pub size: u32,
    /// What is there at the start; not longer than `size`. The rest is zeros.
    pub bytes: Vec<u8>,
    /// What the program may do with it.
    pub kind: Kind,
}

impl Segment {
    /// The address of its first word.
    pub(crate) fn start(&self) -> u32 {
        self.address & !3
    }

    /// The address after its last word: at most 2^32.
    fn end(&self) -> u64 {
        (u64::from(self.address) + u64::from(self.size)).next_multiple_of(4)
    }

    /// How many words it touches: at most 2^30.
    pub(crate) fn words(&self) -> u32 {
        ((self.end() - u64::from(self.start())) / 4) as u32
    }
}

/// Without the bytes: a program may be a secret.
impl fmt::Debug for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Segment({:#x}, {} bytes, {:?})", self.address, self.size, self.kind)
    }
}

/// Why segments make no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There are too many.
    #[error("it has {0} segments; at most {MAX_SEGMENTS} can be loaded")]
    Segments(usize),
    /// A segment ends beyond the last address, or has more bytes than it spans.
    #[error(
        "the segment at {0:#x} does not fit: it ends beyond 4 GiB, or its content is larger than it; link it \
             lower, with volery.ld"
    )]
    Size(u32),
    /// Two segments share a word.
    #[error("the segments at {0:#x} and {1:#x} overlap, or share a word; link them apart")]
    Overlap(u32, u32),
    /// A segment lies where the loader lays the stack.
    #[error("the segment at {0:#x} lies where the stack is, right below {STACK_END:#x}; link it elsewhere")]
    Stack(u32),
    /// No segment is executable.
    #[error("it has no executable segment, so nothing can run")]
    NoText,
    /// Several segments are executable.
    #[error("it has executable segments at {0:#x} and {1:#x}; link all code into one")]
    TwoTexts(u32, u32),
    /// Text does not begin at a word.
    #[error("its text begins at {0:#x}, which is no multiple of 4")]
    TextAddress(u32),
    /// There is more text than a proof can hold.
    #[error(
        "its text has {0} words; at most {MAX_TEXT} can be loaded: link only what runs, with --gc-sections, and keep \
             data out of the executable segment"
    )]
    TextSize(usize),
    /// The entry is not a word of text.
    #[error("its entry {0:#x} is not a word of its text; is there a function `_start`?")]
    Entry(u32),
}

/// A program that can be run.
#[derive(Clone, PartialEq, Eq)]
pub struct Program {
    entry: u32,
    /// By address.
    segments: Vec<Segment>,
    /// Where text is.
    text: u32,
    /// What each whole word of text is; `None` if it is illegal.
    code: Vec<Option<Instruction>>,
    symbols: Symbols,
}

impl Program {
    /// The program of these segments, in any order. Empty segments are left out.
    ///
    /// # Errors
    /// If they break a rule of the [module](self).
    pub fn new(entry: u32, mut segments: Vec<Segment>) -> Result<Self, Error> {
        segments.retain(|segment| segment.size > 0 || !segment.bytes.is_empty());
        if segments.len() > MAX_SEGMENTS {
            return Err(Error::Segments(segments.len()));
        }
        for segment in &segments {
            if segment.end() > 1 << 32 || segment.bytes.len() > segment.size as usize {
                return Err(Error::Size(segment.address));
            }
            if segment.end() > u64::from(STACK_END - STACK_BYTES) && segment.start() < STACK_END {
                return Err(Error::Stack(segment.address));
            }
        }
        segments.sort_by_key(|segment| segment.address);
        for pair in segments.windows(2) {
            if let [first, second] = pair
                && first.end() > u64::from(second.start())
            {
                return Err(Error::Overlap(first.address, second.address));
            }
        }
        let mut texts = segments.iter().filter(|segment| segment.kind == Kind::Text);
        let text = texts.next().ok_or(Error::NoText)?;
        if let Some(other) = texts.next() {
            return Err(Error::TwoTexts(text.address, other.address));
        }
        if !text.address.is_multiple_of(4) {
            return Err(Error::TextAddress(text.address));
        }
        let words = text.bytes.as_chunks::<4>().0;
        // What is decoded takes four times as much.
        if words.len() > MAX_TEXT {
            return Err(Error::TextSize(words.len()));
        }
        let words = words.iter().map(|bytes| u32::from_le_bytes(*bytes));
        let code: Vec<_> = words.map(Instruction::decode).collect();
        let text = text.address;
        let offset = entry.wrapping_sub(text);
        if !offset.is_multiple_of(4) || offset as usize / 4 >= code.len() {
            return Err(Error::Entry(entry));
        }
        Ok(Self { entry, segments, text, code, symbols: Symbols::default() })
    }

    /// The same with symbols, which name places in messages.
    pub(crate) fn with_symbols(mut self, symbols: Symbols) -> Self {
        self.symbols = symbols;
        self
    }

    /// The address of the first instruction.
    #[must_use]
    pub fn entry(&self) -> u32 {
        self.entry
    }

    /// All segments, by address. The stack is not one of them.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The address of the first word of text.
    #[must_use]
    pub fn text(&self) -> u32 {
        self.text
    }

    /// Text, decoded: element `i` is the word at [`Program::text`]` + 4 i`, or `None` if that is illegal.
    /// What the file does not fill and a last part of a word are not in it, and do not execute.
    #[must_use]
    pub fn code(&self) -> &[Option<Instruction>] {
        &self.code
    }

    /// The instruction at an address; `None` outside of text and for an illegal word.
    #[must_use]
    pub fn instruction(&self, address: u32) -> Option<Instruction> {
        let offset = address.wrapping_sub(self.text);
        *self.code.get(offset as usize / 4).filter(|_| offset.is_multiple_of(4))?
    }

    /// The symbols of its functions and labels.
    pub(crate) fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// The function, or label, that an address of text belongs to, and the distance from its start.
    /// `None` if the file has no symbols. Names are as in the file: whoever shows one escapes it.
    #[must_use]
    pub fn place(&self, address: u32) -> Option<(String, u32)> {
        let offset = address.wrapping_sub(self.text);
        if offset as usize / 4 >= self.code.len() {
            return None;
        }
        self.symbols.place(address).filter(|(_, distance)| *distance <= offset)
    }

    /// Absorbs all that can change a run of the program.
    pub fn identify(&self, digest: &mut Digest) {
        digest.bytes("program", b"RV32IM v1");
        digest.number("entry", self.entry.into());
        digest.number("segments", self.segments.len() as u64);
        for segment in &self.segments {
            digest.number("address", segment.address.into());
            digest.number("size", segment.size.into());
            digest.number("kind", segment.kind as u64);
            digest.bytes("bytes", &segment.bytes);
        }
    }

    /// The digest of the program: of segments and entry.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        let mut digest = Digest::new();
        self.identify(&mut digest);
        digest.finish()
    }
}

/// A program may be a secret.
impl Drop for Program {
    fn drop(&mut self) {
        self.segments.iter_mut().for_each(|segment| segment.bytes.zeroize());
        self.code.zeroize();
    }
}

/// Without its content: a program may be a secret.
impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Program(entry {:#x}, {:?})", self.entry, self.segments)
    }
}

#[cfg(test)]
mod tests;
