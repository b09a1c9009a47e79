//! Symbols of a file. Whatever is wrong with them, the program is the same: then there are none.

use super::SECTION_HEADER;
use super::bytes::{half, part, word};
use crate::symbols::{Symbol, Symbols};

/// The type of a section with all symbols.
const SYMBOLS: u32 = 2;
/// The type of a section with names.
pub(super) const NAMES: u32 = 3;
/// Bytes of a symbol.
pub(super) const SYMBOL: usize = 16;

/// The symbols of the first symbol table.
pub(super) fn read(file: &[u8]) -> Option<Symbols> {
    let (at, count) = (word(file, 32)?, half(file, 48)?);
    if usize::from(half(file, 46)?) != SECTION_HEADER {
        return None;
    }
    let sections = part(file, at, SECTION_HEADER * usize::from(count))?;
    let mut sections_by_number = sections.chunks_exact(SECTION_HEADER);
    let table = sections_by_number.clone().find(|section| word(section, 4) == Some(SYMBOLS))?;
    let names = sections_by_number.nth(word(table, 24)? as usize)?;
    let content = |section: &[u8]| part(file, word(section, 16)?, word(section, 20)? as usize);
    let (table, names) = (content(table)?, content(names)?);
    let symbol = |entry: &[u8]| {
        let (name, address, section) = (word(entry, 0)?, word(entry, 4)?, half(entry, 14)?);
        // Labels in assembler code have no type, functions have type 2.
        let kind = *entry.get(12)? & 15;
        // Names like these mark what lies between labels, for disassemblers.
        let first = *names.get(name as usize)?;
        let named = ![0, b'$', b'.'].contains(&first);
        (section != 0 && (kind == 0 || kind == 2) && named).then_some((kind, Symbol { address, name }))
    };
    let mut all: Vec<(u8, Symbol)> = table.chunks_exact(SYMBOL).filter_map(symbol).collect();
    // At one address, the function's name is better than a label's.
    all.sort_by_key(|(kind, _)| *kind == 0);
    Some(Symbols::new(all.into_iter().map(|(_, symbol)| symbol).collect(), names.to_vec()))
}
