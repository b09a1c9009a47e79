//! The tables of a segment: one for each [`Kind`], with columns, relations, and what P writes into a row.
//!
//! A table's module lists its columns. `shape` says which tuples a row consumes and produces and what it
//! looks up, `claim` the relations that are not linear, `fill` the values. Every instruction's row begins
//! with
//!
//! * `F`: 1, or 0 in filler rows; the program says it of the row's place and kind ([`Public::Code`]), as it
//!   says the fields: registers, immediates, flags;
//! * `PC` and `T`: place and time. The row consumes the state `(PC, T)` and produces the next one.
//!
//! A register that is read or written has the value that is found, the time that is found and the lower limb
//! of the difference of times. Where a column's range is not obvious, its module has the argument.

pub(super) mod arithmetic;
pub(super) mod call;
pub(super) mod compare;
pub(super) mod control;
pub(super) mod divide;
pub(super) mod load;
pub(super) mod logic;
pub(super) mod multiply;
#[cfg(test)]
mod rows;
pub(super) mod shift;
pub(super) mod store;

use volery_circuit::{Expression as _, Relate};
use volery_field::{F61, Field as _, Ring as _};

use super::form::{Form, Found, Shape, Space, column, integer, number};
use super::kind::{Fields, Kind, SINK};
use super::public::Public;
use super::trace::Cells;
use crate::observer::Access;

pub(super) use call::{Called, Moved, PUBLIC_LEFT, SECRET_LEFT, WRITTEN};

/// 1, or 0 in filler rows.
pub(super) const F: usize = 0;
/// The place of the instruction.
pub(super) const PC: usize = 1;
/// The time.
pub(super) const T: usize = 2;

/// The distance of filler rows' memory from the program's.
pub(super) const ASIDE: i64 = 1 << 40;

/// The distance of read-only words from where they are. So a load can tell which it means, and a store means
/// none.
pub(super) const READ_ONLY: i64 = 1 << 33;

/// The constants of a table's columns, from `$first` on, and how many columns there are.
macro_rules! columns {
    (@ $n:expr;) => { pub(in super::super) const COLUMNS: usize = $n; };
    (@ $n:expr; $name:ident $($rest:ident)*) => {
        const $name: usize = $n;
        columns!(@ $n + 1; $($rest)*);
    };
    ($($name:ident)*) => { columns!(@ 3; $($name)*); };
}
pub(super) use columns;

/// A register that a row reads or writes: the columns of its number and value, and where the time is.
#[derive(Clone, Copy)]
struct Register {
    number: usize,
    /// What is found.
    value: usize,
    found: Found,
    /// What is added to four times the time.
    slot: i64,
}

impl Register {
    const fn new(slot: i64, [number, value, time, low]: [usize; 4]) -> Self {
        Self { number, value, found: Found { time, low }, slot }
    }

    /// The first operand.
    const fn first(columns: [usize; 4]) -> Self {
        Self::new(1, columns)
    }

    /// The second operand.
    const fn second(columns: [usize; 4]) -> Self {
        Self::new(2, columns)
    }

    /// The result.
    const fn result(columns: [usize; 4]) -> Self {
        Self::new(4, columns)
    }
}

/// The slot of an access to memory.
const MEMORY: i64 = 3;

/// The time of an access.
fn now(slot: i64) -> Form {
    column(T) * 4 + number(slot)
}

/// What all kinds of instructions say.
impl Shape {
    /// The program has this instruction at this place.
    fn decode(&mut self, kind: Kind, fields: &[usize]) {
        let head = [number(kind as i64), column(PC), column(F)];
        self.look_up(Public::Code, head.into_iter().chain(fields.iter().map(|field| column(*field))));
    }

    /// The next instruction is at `next`.
    fn step(&mut self, next: Form) {
        self.consume(Space::State, [column(PC), column(T)]);
        self.produce(Space::State, [next, column(T) + column(F)]);
    }

    /// The next instruction is the one behind.
    fn step_on(&mut self) {
        self.step(column(PC) + column(F) * 4);
    }

    fn read(&mut self, register: Register) {
        self.write(register, column(register.value));
    }

    fn write(&mut self, Register { number, value, found, slot }: Register, new: Form) {
        self.access((Space::Register, column(number)), [column(value), new], now(slot), found);
    }

    fn memory(&mut self, address: Form, values: [Form; 2], found: Found) {
        let aside = (number(1) - column(F)) * ASIDE;
        self.access((Space::Memory, address + aside), values, now(MEMORY), found);
    }
}

/// What P writes a row from.
pub(super) struct Work<'a> {
    pub(super) f: bool,
    pub(super) pc: i64,
    pub(super) t: u32,
    pub(super) fields: &'a Fields,
    pub(super) x: u32,
    pub(super) y: u32,
    pub(super) result: u32,
    pub(super) access: Option<Access>,
    pub(super) called: Called,
    pub(super) moved: Moved,
    pub(super) cells: &'a mut Cells,
}

/// A row that P writes.
pub(super) struct Row<'a>(pub(super) &'a mut [F61]);

impl Row<'_> {
    #[inline(always)]
    fn put(&mut self, column: usize, value: impl Into<i64>) {
        if let Some(to) = self.0.get_mut(column) {
            *to = integer(value.into());
        }
    }

    /// The lower 16 bits.
    #[inline(always)]
    fn put_low(&mut self, column: usize, value: i64) {
        self.put(column, value & 0xffff);
    }
}

impl Work<'_> {
    /// Writes place and time, and the fields to these columns.
    #[inline(always)]
    fn head(&self, row: &mut Row<'_>, fields: &[usize]) {
        row.put(F, self.f);
        row.put(PC, self.pc);
        row.put(T, self.t);
        fields.iter().zip(self.fields).for_each(|(column, field)| row.put(*column, *field));
    }

    /// Reads a register.
    #[inline(always)]
    fn read(&mut self, row: &mut Row<'_>, number: i64, register: Register) {
        self.touch(row, number, register, None);
    }

    /// Writes the result to a register.
    #[inline(always)]
    fn write(&mut self, row: &mut Row<'_>, number: i64, register: Register) {
        self.touch(row, number, register, Some(self.result));
    }

    #[inline(always)]
    fn touch(&mut self, row: &mut Row<'_>, number: i64, register: Register, new: Option<u32>) {
        let now = 4 * self.t + register.slot as u32;
        let (value, time) = self.cells.register(number, now, new);
        row.put(register.value, value);
        self.found(row, register.found, now, time);
    }

    /// Whether an access is to a word that is read-only.
    #[inline(always)]
    fn read_only(&self, access: &Access) -> bool {
        self.f && self.cells.is_read_only(access.address)
    }

    /// Writes what an access to memory finds.
    #[inline(always)]
    fn memory(&mut self, row: &mut Row<'_>, value: usize, found: Found) -> Access {
        let now = 4 * self.t + MEMORY as u32;
        let (access, time) = self.cells.word(self.access, now);
        row.put(value, access.old);
        self.found(row, found, now, time);
        access
    }

    #[inline(always)]
    fn found(&self, row: &mut Row<'_>, found: Found, now: u32, time: u32) {
        row.put(found.time, time);
        row.put_low(found.low, i64::from(now - 1 - time));
    }
}

/// Expressions of some columns.
#[inline(always)]
pub(super) fn at<const N: usize, const K: usize, B: Relate<F61>>(
    b: &B,
    row: &[B::Wire],
    columns: [usize; K],
) -> [B::Expression<N>; K] {
    columns.map(|column| b.expression::<N>(&row[column]))
}

/// An integer.
#[inline(always)]
pub(super) fn int<const N: usize, B: Relate<F61>>(n: i64) -> B::Expression<N> {
    B::Expression::<N>::constant(B::embed(integer(n)))
}

/// Each is 0 or 1.
#[inline(always)]
pub(super) fn bits<const K: usize, B: Relate<F61>>(
    b: &mut B,
    row: &[B::Wire],
    columns: [usize; K],
) -> Result<(), B::Error> {
    for column in columns {
        let [x] = at::<3, 1, B>(b, row, [column]);
        b.claim(x * x - x)?;
    }
    Ok(())
}

/// A table of rows.
pub(super) trait Table {
    /// The number of columns.
    const COLUMNS: usize;

    /// What a row consumes, produces and looks up.
    fn shape() -> Shape;

    /// The relations of a row of [`Table::COLUMNS`] wires.
    fn claim<B: Relate<F61>>(b: &mut B, row: &[B::Wire]) -> Result<(), B::Error>;

    /// Writes a row.
    fn fill(work: &mut Work<'_>, row: &mut Row<'_>);
}

/// `$body` with `$table` as the table of `$kind`, an instruction's.
macro_rules! with_table {
    ($kind:expr, $table:ident => $body:expr) => {{
        use $crate::proof::kind::Kind as K;
        use $crate::proof::tables as t;
        macro_rules! as_table {
            ($type:ty) => {{
                type $table = $type;
                $body
            }};
        }
        match $kind {
            K::Add => as_table!(t::arithmetic::Add),
            K::AddImmediate => as_table!(t::arithmetic::AddImmediate),
            K::Compare => as_table!(t::compare::Compare),
            K::CompareImmediate => as_table!(t::compare::CompareImmediate),
            K::Logic => as_table!(t::logic::Logic),
            K::LogicImmediate => as_table!(t::logic::LogicImmediate),
            K::Shift => as_table!(t::shift::Shift),
            K::ShiftImmediate => as_table!(t::shift::ShiftImmediate),
            K::Multiply => as_table!(t::multiply::Multiply),
            K::Divide => as_table!(t::divide::Divide),
            K::LoadWord => as_table!(t::load::LoadWord),
            K::LoadPart => as_table!(t::load::LoadPart),
            K::StoreWord => as_table!(t::store::StoreWord),
            K::StorePart => as_table!(t::store::StorePart),
            K::BranchEqual => as_table!(t::control::BranchEqual),
            K::BranchLess => as_table!(t::control::BranchLess),
            K::Jump => as_table!(t::control::Jump),
            K::JumpRegister => as_table!(t::control::JumpRegister),
            K::Upper => as_table!(t::control::Upper),
            K::Call => as_table!(t::call::Call),
            K::TakeSecret => as_table!(t::call::TakeSecret),
            K::TakePublic => as_table!(t::call::TakePublic),
            K::PutJournal => as_table!(t::call::PutJournal),
        }
    }};
}
pub(super) use with_table;
