//! Programs as files.

use super::symbols::{NAMES, SYMBOL};
use super::{EXECUTABLE, EXECUTE, HEADER, LOAD, MAGIC, PROGRAM_HEADER, READ, RISCV, SECTION_HEADER, WRITE};
use crate::program::{Kind, Program, Segment};
use crate::symbols::Symbol;

/// An ELF file of a program: header, program headers, the content of the segments, and symbols if there are
/// any. [`super::parse`] reads the same program from it.
///
/// Each segment lies in the file where it lies in its page of memory, so that Linux (and `qemu-riscv32`) can
/// map the file, if no two segments share a page.
#[must_use]
pub fn write(program: &Program) -> Vec<u8> {
    let segments = program.segments();
    let mut end = HEADER + PROGRAM_HEADER * segments.len();
    let mut offsets = Vec::new();
    for segment in segments {
        let offset = end + (segment.address as usize).wrapping_sub(end) % PAGE;
        offsets.push(offset);
        end = if segment.bytes.is_empty() { end } else { offset + segment.bytes.len() };
    }
    let symbols = program.symbols();
    let sections = if symbols.list().is_empty() { 0 } else { 3 };
    let mut file = header(program.entry(), segments.len(), end, sections);
    for (segment, offset) in segments.iter().zip(&offsets) {
        put(&mut file, &program_header(segment, *offset));
    }
    for (segment, offset) in segments.iter().zip(&offsets).filter(|(segment, _)| !segment.bytes.is_empty()) {
        file.resize(*offset, 0);
        file.extend(&segment.bytes);
    }
    if sections > 0 {
        let table = end + SECTION_HEADER * usize::from(sections);
        let size = SYMBOL * symbols.list().len();
        put(&mut file, &[0; 10]);
        let row = |kind: u32, at: usize, size: usize, names: u32, entry: usize| {
            [0, kind, 0, 0, at as u32, size as u32, names, 0, 1, entry as u32]
        };
        put(&mut file, &row(2, table, size, 2, SYMBOL));
        put(&mut file, &row(NAMES, table + size, symbols.names().len(), 0, 0));
        symbols.list().iter().for_each(|symbol| put(&mut file, &row_of(*symbol)));
        file.extend(symbols.names());
    }
    file
}

/// Bytes of a page of memory.
const PAGE: usize = 4096;

fn put(file: &mut Vec<u8>, words: &[u32]) {
    words.iter().for_each(|word| file.extend(word.to_le_bytes()));
}

fn header(entry: u32, segments: usize, sections_at: usize, sections: u16) -> Vec<u8> {
    let mut file = MAGIC.to_vec();
    // 32 bits, little-endian, version 1, and the plain calling convention.
    file.extend([1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    put(&mut file, &[u32::from(RISCV) << 16 | u32::from(EXECUTABLE), 1, entry, HEADER as u32]);
    put(&mut file, &[if sections > 0 { sections_at as u32 } else { 0 }, 0]);
    let sizes = [HEADER, PROGRAM_HEADER, segments, SECTION_HEADER];
    sizes.into_iter().for_each(|size| file.extend((size as u16).to_le_bytes()));
    // No section has the names of sections.
    file.extend([sections, 0].into_iter().flat_map(u16::to_le_bytes));
    file
}

fn program_header(segment: &Segment, offset: usize) -> [u32; 8] {
    let flags = match segment.kind {
        Kind::Text => READ | EXECUTE,
        Kind::ReadOnly => READ,
        Kind::Writable => READ | WRITE,
    };
    let Segment { address, size, bytes, .. } = segment;
    [LOAD, offset as u32, *address, *address, bytes.len() as u32, *size, flags, PAGE as u32]
}

/// A symbol as a global function of an absolute section, so that [`super::symbols`] takes it for defined.
fn row_of(symbol: Symbol) -> [u32; 4] {
    [symbol.name, symbol.address, 0, 0xfff1_0012]
}
