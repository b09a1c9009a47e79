//! Names of places in a program, for messages only.

/// Bytes of a name that are shown.
const LONGEST: usize = 200;

/// A symbol: an address, and where its name begins in the names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Symbol {
    pub(crate) address: u32,
    pub(crate) name: u32,
}

/// Symbols by address. The names stay in the table of the file, each ended by a zero byte, since many symbols
/// may share one name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Symbols {
    list: Vec<Symbol>,
    names: Vec<u8>,
}

impl Symbols {
    /// Of all symbols at one address, the first counts.
    pub(crate) fn new(mut list: Vec<Symbol>, names: Vec<u8>) -> Self {
        list.sort_by_key(|symbol| symbol.address);
        list.dedup_by_key(|symbol| symbol.address);
        // Without a symbol nothing is kept.
        let names = if list.is_empty() { Vec::new() } else { names };
        Self { list, names }
    }

    pub(crate) fn list(&self) -> &[Symbol] {
        &self.list
    }

    pub(crate) fn names(&self) -> &[u8] {
        &self.names
    }

    /// The last symbol at or before an address, and the distance from it.
    pub(crate) fn place(&self, address: u32) -> Option<(String, u32)> {
        let after = self.list.partition_point(|symbol| symbol.address <= address);
        let symbol = self.list.get(after.checked_sub(1)?)?;
        let name = self.names.get(symbol.name as usize..)?.iter().take_while(|byte| **byte != 0);
        let name: Vec<u8> = name.take(LONGEST).copied().collect();
        Some((String::from_utf8_lossy(&name).into_owned(), address - symbol.address))
    }
}
