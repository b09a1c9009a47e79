//! The public tables that rows look up: ranges, bytes, powers of two, and the program itself.

use volery_field::{F61, Ring as _};

use super::form::{WIDTH, integer};
use super::kind::{Fields, Kind, fields};
use super::regions::Regions;
use crate::Program;

/// A public table. The number is the first component of its rows, so that no row of one is a row of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Public {
    /// The integers below 2^16.
    Short = 1,
    /// The integers below 2^8.
    Byte = 2,
    /// `(byte, signed, signed and the byte's highest bit)`.
    Sign = 3,
    /// `(byte, byte, both)`.
    And = 4,
    /// `(amount, right, power)`: what a shift multiplies by. To the left `2^amount`; to the right
    /// `2^(32 - amount)`, and the result is the upper word.
    Power = 5,
    /// `(lowest, end)` of each region of memory that is zero at first.
    Region = 6,
    /// `(left, byte)` of the public input: how many bytes are left, that one among them.
    Input = 7,
    /// `(index, byte)` of the journal.
    Journal = 8,
    /// `(kind, place, 1, fields)` of each instruction, and `(kind, 1, 0, fields)` for the filler rows of each
    /// kind.
    Code = 9,
    /// `(nibble, nibble, both)`: [`Public::And`] in halves ([`split`](super::split)).
    Nibble = 10,
}

/// The place of filler rows: it is no multiple of 4, so no instruction has it.
pub(super) const FILLER: u64 = 1;

/// What an index counts from, for bytes that filler rows look up: before the first byte.
const BEFORE: i64 = -1;

impl Public {
    pub(super) const ALL: [Self; 10] = [
        Self::Short,
        Self::Byte,
        Self::Sign,
        Self::And,
        Self::Power,
        Self::Region,
        Self::Input,
        Self::Journal,
        Self::Code,
        Self::Nibble,
    ];
}

/// The content of the public tables.
pub(super) struct Tables<'a> {
    pub(super) program: &'a Program,
    pub(super) regions: Regions,
    pub(super) input: &'a [u8],
    pub(super) journal: &'a [u8],
}

impl Tables<'_> {
    /// The number of rows.
    pub(super) fn rows(&self, table: Public) -> usize {
        match table {
            Public::Short | Public::And => 1 << 16,
            Public::Byte | Public::Nibble => 1 << 8,
            Public::Sign => 1 << 9,
            Public::Power => 64,
            Public::Region => self.regions.zero().len(),
            Public::Input => 1 + self.input.len(),
            Public::Journal => 1 + self.journal.len(),
            Public::Code => Kind::ALL.len() + self.program.code().len(),
        }
    }

    /// How many components its rows have, the table's number among them.
    pub(super) const fn components(table: Public) -> usize {
        match table {
            Public::Short | Public::Byte => 2,
            Public::Region | Public::Input | Public::Journal => 3,
            Public::Sign | Public::And | Public::Nibble | Public::Power => 4,
            Public::Code => WIDTH,
        }
    }

    /// A row, the table's number first, zeros behind its components.
    pub(super) fn row(&self, table: Public, index: usize) -> [F61; WIDTH] {
        let mut row = [F61::ZERO; WIDTH];
        let all = core::iter::once(table as i64).chain(self.rest(table, index));
        row.iter_mut().zip(all).for_each(|(to, n)| *to = integer(n));
        row
    }

    fn rest(&self, table: Public, index: usize) -> Row {
        let (n, x, y) = (index as i64, index & 255, index >> 8);
        match table {
            Public::Short | Public::Byte => padded([n]),
            Public::Sign => padded([x as i64, y as i64, (x >> 7 & y) as i64]),
            Public::And => padded([x as i64, y as i64, (x & y) as i64]),
            Public::Nibble => padded([n & 15, n >> 4, n & n >> 4 & 15]),
            Public::Power => {
                let (amount, right) = (n & 31, n >> 5);
                padded([amount, right, 1 << if right == 1 { 32 - amount } else { amount }])
            }
            Public::Region => self
                .regions
                .zero()
                .get(index)
                .map_or([0; WIDTH - 1], |(low, end)| padded([*low as i64, *end as i64])),
            Public::Input => {
                let [place, byte, ..] = bytes(self.input, index);
                padded([self.input.len() as i64 - place, byte])
            }
            Public::Journal => bytes(self.journal, index),
            Public::Code => self.code(index),
        }
    }

    fn code(&self, index: usize) -> Row {
        if let Some(kind) = Kind::ALL.get(index) {
            return instruction([*kind as i64, FILLER as i64, 0], kind.filler_fields());
        }
        let word = index - Kind::ALL.len();
        let place = self.program.text().wrapping_add(4 * word as u32);
        match self.program.code().get(word).copied().flatten().and_then(|i| fields(i, place)) {
            Some((kind, fields)) => instruction([kind as i64, i64::from(place), 1], fields),
            // What cannot be carried out is no row that any kind looks up.
            None => padded([-1]),
        }
    }

    /// The number of the row that a lookup of these values means, if there may be one. P counts by it;
    /// whether the values are that row, the argument shows.
    #[inline(always)]
    pub(super) fn find(&self, table: Public, values: &[F61]) -> Option<usize> {
        let at = |i: usize| values.get(i).map_or(u64::MAX, |x| x.to_u64());
        let index = match table {
            Public::Short | Public::Byte => at(0),
            Public::Sign | Public::And => pair(at(0), at(1), 8),
            Public::Nibble => pair(at(0), at(1), 4),
            Public::Power => pair(at(0), at(1), 5),
            Public::Region => self.regions.zero().iter().position(|(low, _)| *low == at(0))? as u64,
            Public::Input => (integer(self.input.len() as i64 + 1) - *values.first()?).to_u64(),
            Public::Journal => (*values.first()? + F61::ONE).to_u64(),
            Public::Code if at(1) == FILLER => at(0),
            Public::Code => {
                let word = at(1).wrapping_sub(u64::from(self.program.text())) / 4;
                word.saturating_add(Kind::ALL.len() as u64)
            }
        };
        (index < self.rows(table) as u64).then_some(index as usize)
    }

    /// Whether a lookup is right in a row.
    #[cfg(test)]
    pub(super) fn holds(&self, lookup: &super::form::Lookup, row: &[F61]) -> bool {
        let values: Vec<F61> = lookup.forms.iter().map(|form| form.value(row)).collect();
        let found = self.find(lookup.table, &values).map(|index| self.row(lookup.table, index));
        let rest = values.into_iter().chain(core::iter::repeat(F61::ZERO));
        found.is_some_and(|found| found.into_iter().skip(1).zip(rest).all(|(x, y)| x == y))
    }
}

/// A row without the table's number.
type Row = [i64; WIDTH - 1];

fn padded<const N: usize>(columns: [i64; N]) -> Row {
    core::array::from_fn(|i| columns.get(i).copied().unwrap_or(0))
}

fn instruction(head: [i64; 3], fields: Fields) -> Row {
    let mut row = padded(head);
    row.iter_mut().skip(head.len()).zip(fields).for_each(|(to, field)| *to = field);
    row
}

fn pair(low: u64, high: u64, bits: u32) -> u64 {
    if low >> bits == 0 { low.saturating_add(high.saturating_mul(1 << bits)) } else { u64::MAX }
}

/// The row of a byte; the first is that of fillers.
fn bytes(bytes: &[u8], index: usize) -> Row {
    match index.checked_sub(1) {
        None => padded([BEFORE, 0]),
        Some(index) => padded([index as i64, bytes.get(index).map_or(0, |byte| i64::from(*byte))]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each row is found by its first two components, and ends where the table says.
    #[test]
    fn rows_are_found_and_are_as_wide_as_their_table_says() {
        let text = crate::Segment {
            address: 0x1_0000,
            size: 12,
            bytes: [0x13, 0, 0, 0].repeat(3),
            kind: crate::Kind::Text,
        };
        let program = Program::new(0x1_0000, vec![text]).expect("a program");
        let regions = Regions::of(&program);
        let tables = Tables { program: &program, regions, input: b"input", journal: b"journal" };
        for table in Public::ALL {
            let rows = tables.rows(table);
            let mut widest = 0;
            for index in (0..rows).step_by(1 + rows / 300).chain([rows - 1]) {
                let row = tables.row(table, index);
                assert!(row[0] == integer(table as i64));
                assert_eq!(tables.find(table, &row[1..3]), Some(index), "{table:?}");
                widest = widest.max(WIDTH - row.iter().rev().take_while(|x| **x == F61::ZERO).count());
            }
            assert!(widest <= Tables::components(table), "{table:?}: {widest}");
            assert!(table == Public::Code || widest == Tables::components(table), "{table:?}: {widest}");
        }
    }
}
