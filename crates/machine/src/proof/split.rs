//! Tables of 2^16 rows, which are split where few lookups go into them.
//!
//! P commits to a multiplicity for each row of a table that is looked up, so a table of 2^16 rows takes 2^16
//! elements however short a segment is. Where few lookups go into such a table, each of them becomes two into
//! one of 2^8 rows, and P commits to the upper half of each component:
//!
//! ```text
//! Short(x)         h             Byte(h)             Byte(x - 2^8 h)
//! And(x, y, a)     h, i, j       Nibble(h, i, j)     Nibble(x - 2^4 h, y - 2^4 i, a - 2^4 j)
//! ```
//!
//! **The two say what the one says.** `h` and `l = x - 2^8 h` are integers below 2^8, since both are rows of
//! `Byte`. So `x = l + 2^8 h` is an integer below 2^16: nothing wraps around the field's characteristic. And
//! each integer below 2^16 is such a sum. It is the same for the components of `And`, with nibbles for bytes;
//! the bits of `a` are those of `j`, which is `h and i`, above those of `l_x and l_y`, so `a` is `x and y`.
//!
//! **The upper halves are fixed before the challenge**, as are the columns that `x` is a form in: P commits
//! to them before it commits to multiplicities. To the argument they are columns and lookups like all others:
//! the degree that the challenge tests has two lookups for each that was split, and 2^8 rows for 2^16.
//!
//! **Which tables are split** follows from the number of lookups into each, and that from the counts of rows,
//! which both parties know. With `n` lookups of `c` components, a whole table takes `2^16 + n/3` elements,
//! and a split one `c n + 2n/3 + 2^8`. It is split if that is less: `Short` for fewer than 48,960 lookups,
//! `And` for fewer than 19,584. (The 2^8 rows are counted even if other lookups go into them, too.)

use volery_circuit::Challenge;
use volery_field::F61;

use super::argument::{Committed, Part, told};
use super::form::{Form, Shape, column};
use super::public::Public;
use super::segment::commit_with;

/// A table of 2^16 rows, and the one for halves of its components.
struct Halves {
    whole: Public,
    half: Public,
    components: u64,
    /// Bits of a half.
    bits: u32,
}

const HALVES: [Halves; 2] = [
    Halves { whole: Public::Short, half: Public::Byte, components: 1, bits: 8 },
    Halves { whole: Public::And, half: Public::Nibble, components: 3, bits: 4 },
];

impl Halves {
    /// Whether this many lookups take fewer elements in halves.
    fn are_fewer(&self, lookups: u64) -> bool {
        let (whole, half) = (1 << 16, 1 << 8);
        (3 * self.components + 2) * lookups + 3 * half < 3 * whole + lookups
    }
}

/// How many lookups go into each public table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lookups([u64; Public::ALL.len()]);

impl Lookups {
    /// Those of one row.
    pub(super) fn of(shape: &Shape) -> Self {
        let mut all = Self::default();
        shape.lookups.iter().for_each(|lookup| *all.count_mut(lookup.table) += 1);
        all
    }

    /// Adds `rows` times as many.
    pub(super) fn add(&mut self, row: &Self, rows: u64) {
        self.0.iter_mut().zip(row.0).for_each(|(sum, lookups)| *sum += lookups * rows);
    }

    fn count_mut(&mut self, table: Public) -> &mut u64 {
        // Tables are numbered from 1 on.
        &mut self.0[table as usize - 1]
    }

    fn count(&self, table: Public) -> u64 {
        self.0[table as usize - 1]
    }

    /// All of them.
    pub(super) fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The tables that are looked up.
    pub(super) fn tables(&self) -> impl Iterator<Item = Public> {
        Public::ALL.into_iter().filter(|table| self.count(*table) > 0)
    }
}

/// Which tables are split: the same for all rows of a segment, or of a check of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Split([bool; HALVES.len()]);

impl Split {
    /// For this many lookups.
    pub(super) fn of(lookups: &Lookups) -> Self {
        #[cfg(test)]
        if let Some(split) = tests::forced() {
            return split;
        }
        Self(HALVES.each_ref().map(|halves| halves.are_fewer(lookups.count(halves.whole))))
    }

    /// The tables that are split.
    fn split(self) -> impl Iterator<Item = &'static Halves> {
        HALVES.iter().zip(self.0).filter(|(_, is_split)| *is_split).map(|(halves, _)| halves)
    }

    /// How many columns a row has besides, and which lookups.
    pub(super) fn row(self, mut lookups: Lookups) -> (u64, Lookups) {
        let mut columns = 0;
        for halves in self.split() {
            let count = core::mem::take(lookups.count_mut(halves.whole));
            columns += halves.components * count;
            *lookups.count_mut(halves.half) += 2 * count;
        }
        (columns, lookups)
    }

    /// A shape with lookups into split tables, and the forms whose upper halves are its new columns, with the
    /// bits of a half.
    fn shape(self, whole: &Shape) -> (Shape, Vec<(Form, u32)>) {
        let mut shape = Shape { columns: whole.columns, tuples: whole.tuples.clone(), lookups: Vec::new() };
        let mut upper = Vec::new();
        for lookup in &whole.lookups {
            let Some(Halves { half, bits, .. }) = self.split().find(|halves| halves.whole == lookup.table)
            else {
                shape.lookups.push(lookup.clone());
                continue;
            };
            let high = (shape.columns..).map(column).take(lookup.forms.len());
            let low = lookup.forms.iter().zip(high.clone());
            shape.columns += lookup.forms.len();
            shape.look_up(*half, high);
            shape.look_up(*half, low.map(|(form, high)| form.clone() - high * (1 << bits)));
            upper.extend(lookup.forms.iter().map(|form| (form.clone(), *bits)));
        }
        (shape, upper)
    }

    /// Commits to the upper halves of a part's rows.
    fn part<B: Challenge<F61>>(self, b: &mut B, part: &mut Part<B::Wire>) -> Result<(), B::Error> {
        let (shape, upper) = self.shape(&part.shape);
        let added = upper.len();
        if added == 0 {
            return Ok(());
        }
        let mut all = part.iter().flat_map(|row| upper.iter().map(move |form| (row, form)));
        let mut wires = Vec::new();
        commit_with(b, part.rows() * added, &mut wires, &mut |peek, count| {
            // What is in no row of the whole table has no halves that are rows.
            let high =
                |(row, (form, bits)): (&[B::Wire], &(Form, u32))| form.peek(peek, row).to_u64() >> bits;
            Ok(told(Committed::Upper, all.by_ref().take(count).map(|one| F61::new(high(one))).collect()))
        })?;
        let mut rows = Vec::with_capacity(part.rows() * shape.columns);
        for (row, added) in part.iter().zip(wires.chunks_exact(added)) {
            rows.extend_from_slice(row);
            rows.extend_from_slice(added);
        }
        drop(all);
        *part = Part::new(shape, rows);
        Ok(())
    }
}

/// Splits the tables that take fewer elements then: commits to the upper halves of what is looked up there.
pub(super) fn split<B: Challenge<F61>>(b: &mut B, parts: &mut [Part<B::Wire>]) -> Result<(), B::Error> {
    let mut lookups = Lookups::default();
    parts.iter().for_each(|part| lookups.add(&Lookups::of(&part.shape), part.rows() as u64));
    let split = Split::of(&lookups);
    parts.iter_mut().try_for_each(|part| split.part(b, part))
}

#[cfg(test)]
pub(super) mod tests;
