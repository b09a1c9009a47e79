//! P's side of a run: follows the emulator and writes the rows of one segment after the other.
//!
//! What is held is one segment's rows, and for each word of memory that the run has touched its value and the
//! segment of its last use.

use volery_field::{F61, Ring as _};
use zeroize::{Zeroize, Zeroizing};

use super::buffers::room_for;
use super::kind::{Fields, Kind, fields};
use super::public::FILLER;
use super::regions::Regions;
use super::tables::{Called, Moved, PUBLIC_LEFT, Row, SECRET_LEFT, Table, WRITTEN, Work, with_table};
use crate::instruction::Operation;
use crate::observer::{Access, Call, Observer, Step};
use crate::program::STACK_POINTER;
use crate::{End, Machine, Program};

/// The registers `x0` to `x31`, the sink, and what is left of inputs and written to the journal.
pub(super) const REGISTERS: usize = 36;

/// The number of kinds.
pub(super) const KINDS: usize = Kind::ALL.len();

/// A cell of the registers: its value, and the time of its last access in the segment.
#[derive(Clone, Copy, Default)]
pub(super) struct Cell {
    pub(super) value: u32,
    pub(super) time: u32,
}

/// A word that the segment touches.
#[derive(Clone, Copy)]
pub(super) struct Word {
    pub(super) address: u32,
    pub(super) read_only: bool,
    /// Its value at first, and the segment that used it last.
    pub(super) first: u32,
    pub(super) since: u32,
    pub(super) last: Cell,
}

/// A word that is in use.
#[derive(Clone, Copy, Default)]
struct Entry {
    value: u32,
    /// The last segment that touched it.
    segment: u32,
    /// Where it is among the words of that segment.
    slot: u32,
    /// Whether it is among the live words.
    live: bool,
}

impl Zeroize for Cell {
    fn zeroize(&mut self) {
        let Self { value, time } = self;
        [value, time].into_iter().for_each(Zeroize::zeroize);
    }
}

impl Zeroize for Word {
    fn zeroize(&mut self) {
        let Self { address, read_only, first, since, last } = self;
        [address, first, since].into_iter().for_each(Zeroize::zeroize);
        read_only.zeroize();
        last.zeroize();
    }
}

impl Zeroize for Entry {
    fn zeroize(&mut self) {
        let Self { value, segment, slot, live } = self;
        [value, segment, slot].into_iter().for_each(Zeroize::zeroize);
        live.zeroize();
    }
}

/// Words of a page, and pages of a folder.
const PAGE: usize = 1 << 10;

type Page = [Entry; PAGE];

type Folder = [Option<Box<Page>>; PAGE];

/// The words of memory, in folders of pages.
struct Pages(Vec<Option<Box<Folder>>>);

impl Pages {
    fn new() -> Self {
        Self((0..PAGE).map(|_| None).collect())
    }

    #[inline(always)]
    fn entry(&mut self, address: u32) -> &mut Entry {
        let word = address as usize / 4;
        let folder = self.0[word / PAGE / PAGE].get_or_insert_with(|| Box::new([const { None }; PAGE]));
        let page = folder[word / PAGE % PAGE].get_or_insert_with(|| Box::new([Entry::default(); PAGE]));
        &mut page[word % PAGE]
    }

    /// The pages that there are, with the addresses of their first words.
    fn iter(&self) -> impl Iterator<Item = (u32, &Page)> {
        let folders = self.0.iter().enumerate().filter_map(|(i, folder)| Some((i, folder.as_ref()?)));
        folders.flat_map(|(i, folder)| {
            let pages = folder.iter().enumerate().filter_map(|(j, page)| Some((j, page.as_ref()?)));
            pages.map(move |(j, page)| ((4 * PAGE * (PAGE * i + j)) as u32, &**page))
        })
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        let pages = self.0.iter_mut().flatten().flat_map(|folder| folder.iter_mut().flatten());
        pages.flat_map(|page| page.iter_mut()).for_each(Zeroize::zeroize);
    }
}

/// Registers and memory, as a segment sees them.
pub(super) struct Cells {
    registers: [Cell; REGISTERS],
    pages: Pages,
    /// The time of the last access of a filler row to memory.
    aside: u32,
    segment: u32,
    words: Zeroizing<Vec<Word>>,
    /// The words that are in use from this segment on, and were zero before.
    fresh: Zeroizing<Vec<u32>>,
    read_only: Vec<(u64, u64)>,
    /// The length of the public input.
    pub(super) input: i64,
}

impl Drop for Cells {
    fn drop(&mut self) {
        self.registers.zeroize();
    }
}

impl Cells {
    pub(super) fn new(program: &Program, regions: &Regions, secret: usize, public: usize) -> Self {
        let mut registers = [Cell::default(); REGISTERS];
        let mut set = |register: usize, value: u32| registers[register].value = value;
        set(2, STACK_POINTER);
        set(SECRET_LEFT as usize, secret as u32);
        set(PUBLIC_LEFT as usize, public as u32);
        let mut cells = Self {
            registers,
            pages: Pages::new(),
            aside: 0,
            segment: 1,
            words: Zeroizing::default(),
            fresh: Zeroizing::default(),
            read_only: regions.read_only().collect(),
            input: public as i64,
        };
        for (address, value) in super::regions::file_words(program) {
            *cells.entry(address) = Entry { value, live: true, ..Entry::default() };
        }
        cells
    }

    fn entry(&mut self, address: u32) -> &mut Entry {
        self.pages.entry(address)
    }

    /// The value of a register.
    pub(super) fn value(&self, number: i64) -> u32 {
        self.registers[number as usize].value
    }

    /// Accesses a register. Returns the value and the time that are found.
    #[inline(always)]
    pub(super) fn register(&mut self, number: i64, now: u32, new: Option<u32>) -> (u32, u32) {
        let cell = &mut self.registers[number as usize];
        let Cell { value, time } = *cell;
        *cell = Cell { value: new.unwrap_or(value), time: now };
        (value, time)
    }

    /// Accesses a word, or that of filler rows. Returns the access and the time that is found.
    #[inline(always)]
    pub(super) fn word(&mut self, access: Option<Access>, now: u32) -> (Access, u32) {
        let Some(access) = access else {
            let time = core::mem::replace(&mut self.aside, now);
            return (Access { address: 0, old: 0, new: 0 }, time);
        };
        let (segment, next) = (self.segment, self.words.len() as u32);
        let entry = self.entry(access.address);
        entry.value = access.new;
        if entry.segment != segment {
            let since = core::mem::replace(&mut entry.segment, segment);
            entry.slot = next;
            if !core::mem::replace(&mut entry.live, true) {
                room_for(&mut self.fresh, 1);
                self.fresh.push(access.address);
            }
            let read_only = self.is_read_only(access.address);
            let last = Cell { value: access.old, time: 0 };
            room_for(&mut self.words, 1);
            self.words.push(Word { address: access.address, read_only, first: access.old, since, last });
        }
        let slot = self.entry(access.address).slot as usize;
        let last = &mut self.words[slot].last;
        let time = last.time;
        *last = Cell { value: access.new, time: now };
        (access, time)
    }

    /// Whether a word is in a region that is read-only.
    #[inline(always)]
    pub(super) fn is_read_only(&self, address: u32) -> bool {
        let address = u64::from(address);
        self.read_only.iter().any(|(start, end)| (*start..*end).contains(&address))
    }

    /// The live words, writable ones first, each part by address: address, value, segment of the last use.
    pub(super) fn live(&self) -> impl Iterator<Item = (u32, bool, u32, u32)> {
        let all = move |wanted: bool| {
            self.pages.iter().flat_map(move |(first, page)| {
                let live = page.iter().enumerate().filter(|(_, entry)| entry.live);
                live.filter_map(move |(word, entry)| {
                    let address = first + 4 * word as u32;
                    let read_only = self.is_read_only(address);
                    (read_only == wanted).then_some((address, read_only, entry.value, entry.segment))
                })
            })
        };
        all(false).chain(all(true))
    }
}

/// What P knows of a segment.
pub(super) struct Segment {
    /// The rows of each kind, filler rows at the end.
    pub(super) rows: [u32; KINDS],
    /// The columns of each kind, row after row.
    pub(super) tables: Vec<Zeroizing<Vec<F61>>>,
    pub(super) words: Zeroizing<Vec<Word>>,
    pub(super) fresh: Zeroizing<Vec<u32>>,
    pub(super) registers: [Cell; REGISTERS],
    /// The next place and the time at the end.
    pub(super) place: u32,
    pub(super) time: u32,
    /// The last time of filler rows' memory.
    pub(super) aside: u32,
}

impl Drop for Segment {
    fn drop(&mut self) {
        self.registers.zeroize();
        [&mut self.place, &mut self.time, &mut self.aside].into_iter().for_each(Zeroize::zeroize);
    }
}

/// Follows the emulator.
struct Follower {
    decoded: Vec<Option<(Kind, Fields)>>,
    text: u32,
    cells: Cells,
    rows: [u32; KINDS],
    tables: Vec<Zeroizing<Vec<F61>>>,
    time: u32,
    place: u32,
    /// Words that the next call moves.
    transfers: Zeroizing<Vec<Access>>,
    called: Option<Call>,
}

/// What a row's values come from.
#[derive(Clone, Copy, Default)]
struct Values {
    x: u32,
    y: u32,
    result: u32,
    access: Option<Access>,
    called: Called,
    moved: Moved,
}

impl Follower {
    #[inline(always)]
    fn push(&mut self, kind: Kind, (f, pc): (bool, u64), fields: &Fields, values: Values) {
        let Values { x, y, result, access, called, moved } = values;
        let (t, pc) = (self.time, pc as i64);
        self.rows[kind as usize] += 1;
        let columns = &mut self.tables[kind as usize];
        let mut work = Work { f, pc, t, fields, x, y, result, access, called, moved, cells: &mut self.cells };
        with_table!(kind, Rows => {
            let start = columns.len();
            room_for(columns, Rows::COLUMNS);
            columns.resize(start + Rows::COLUMNS, F61::ZERO);
            Rows::fill(&mut work, &mut Row(&mut columns[start..]));
        });
        self.time += if kind == Kind::Call { 2 } else { 1 };
    }

    /// The rows of a call.
    #[cold]
    fn serve(&mut self, step: &Step) {
        let transfers = core::mem::take(&mut self.transfers);
        let Some(call) = self.called.take() else { return };
        if call.number == super::EXIT {
            return;
        }
        let called = Called { number: call.number, arguments: call.arguments };
        let [file, buffer, _] = call.arguments;
        let (kind, cell, forward) = match (call.number, file) {
            (63, 0) => (Kind::TakeSecret, SECRET_LEFT, 0),
            (63, _) => (Kind::TakePublic, PUBLIC_LEFT, u32::MAX),
            _ => (Kind::PutJournal, WRITTEN, 1),
        };
        let mut position = self.cells.value(cell);
        let here = (true, u64::from(step.pc));
        self.push(Kind::Call, here, &[0; 7], Values { called, ..Values::default() });
        let (mut cursor, mut left) = (buffer, if transfers.is_empty() { 0 } else { call.result });
        for Access { address, old, new } in transfers.iter().copied() {
            let mut word = old;
            while left > 0 && cursor & !3 == address {
                let mask = 0xff << (8 * (cursor & 3));
                let access = Access { address, old: word, new: word & !mask | new & mask };
                word = access.new;
                let moved = Moved { cursor, left, position };
                self.push(kind, here, &[0; 7], Values { access: Some(access), moved, ..Values::default() });
                cursor = cursor.wrapping_add(1);
                left -= 1;
                position = position.wrapping_add(forward);
            }
        }
    }

    /// Ends the segment. Each kind that has rows gets filler rows up to a multiple of `unit`.
    fn finish(&mut self, unit: u32) -> Segment {
        let (place, time) = (self.place, self.time);
        for kind in Kind::ALL {
            let rows = self.rows[kind as usize];
            let result = match kind {
                Kind::Divide => u32::MAX,
                Kind::Jump | Kind::JumpRegister => FILLER as u32,
                _ => 0,
            };
            for _ in rows..rows.next_multiple_of(unit) {
                self.push(
                    kind,
                    (false, FILLER),
                    &kind.filler_fields(),
                    Values { result, ..Values::default() },
                );
            }
        }
        // The next segment is likely to have about as many rows of each kind.
        let room =
            |table: &Zeroizing<Vec<F61>>| Zeroizing::new(Vec::with_capacity(table.len() + table.len() / 8));
        let tables = self.tables.iter().map(room).collect();
        let cells = &mut self.cells;
        let registers = cells.registers;
        cells.registers.iter_mut().for_each(|cell| cell.time = 0);
        cells.segment += 1;
        self.time = 0;
        Segment {
            rows: core::mem::take(&mut self.rows),
            tables: core::mem::replace(&mut self.tables, tables),
            words: core::mem::take(&mut cells.words),
            fresh: core::mem::take(&mut cells.fresh),
            registers,
            place,
            time,
            aside: core::mem::take(&mut cells.aside),
        }
    }
}

fn tables() -> Vec<Zeroizing<Vec<F61>>> {
    (0..KINDS).map(|_| Zeroizing::new(Vec::new())).collect()
}

impl Observer for Follower {
    #[inline(always)]
    fn step(&mut self, step: &Step) {
        let at = step.pc.wrapping_sub(self.text) / 4;
        // The emulator carries out what the program has.
        let Some(Some((kind, fields))) = self.decoded.get(at as usize).copied() else { return };
        if step.instruction.operation() == Operation::Ecall {
            self.serve(step);
            if self.exited(step) {
                return;
            }
        } else {
            let Step { left: x, right: y, result, access, .. } = *step;
            let values = Values { x, y, result, access, ..Values::default() };
            self.push(kind, (true, u64::from(step.pc)), &fields, values);
        }
        self.place = step.next;
    }

    fn transfer(&mut self, access: &Access) {
        room_for(&mut self.transfers, 1);
        self.transfers.push(*access);
    }

    fn call(&mut self, call: &Call) {
        self.called = Some(*call);
    }
}

impl Follower {
    /// Whether this call ended the run: it has no row.
    fn exited(&self, step: &Step) -> bool {
        let _ = step;
        self.cells.value(17) == super::EXIT
    }
}

/// Runs a program, and gives its segments one after the other.
pub(super) struct Source<'a> {
    machine: Machine<'a>,
    follower: Follower,
    end: Option<End>,
}

impl<'a> Source<'a> {
    pub(super) fn new(
        program: &'a Program,
        regions: &Regions,
        [secret, public]: [&'a [u8]; 2],
        limits: crate::Limits,
    ) -> Self {
        let places = (0..program.code().len()).map(|i| program.text().wrapping_add(4 * i as u32));
        let decode = |place| program.instruction(place).and_then(|i| fields(i, place));
        let follower = Follower {
            decoded: places.map(decode).collect(),
            text: program.text(),
            cells: Cells::new(program, regions, secret.len(), public.len()),
            rows: [0; KINDS],
            tables: tables(),
            time: 0,
            place: program.entry(),
            transfers: Zeroizing::default(),
            called: None,
        };
        Self { machine: Machine::new(program, secret, public, limits), follower, end: None }
    }

    /// The next segment of at least `steps` units of time, or fewer if the run ends; then also how it does.
    ///
    /// # Errors
    /// If the run goes beyond its limits.
    pub(super) fn next(
        &mut self,
        steps: u32,
        unit: u32,
    ) -> Result<(Segment, Option<End>), crate::emulator::Error> {
        while self.end.is_none() && self.follower.time < steps {
            let left = u64::from(steps - self.follower.time);
            self.end = self.machine.advance(left, &mut self.follower)?;
        }
        if self.end.is_none() {
            // A trap after the last step is found by the next call only, and a step may be none.
            self.end = self.machine.end();
        }
        Ok((self.follower.finish(unit), self.end))
    }

    /// The same run with the text of another program in memory: what the log holds tells nothing of the lie.
    #[cfg(test)]
    pub(super) fn with_text_of(mut self, program: &Program) -> Self {
        for (address, value) in super::regions::file_words(program) {
            if program.instruction(address).is_some() {
                self.follower.cells.entry(address).value = value;
            }
        }
        self
    }

    /// The live words: see [`Cells::live`].
    pub(super) fn live(&self) -> impl Iterator<Item = (u32, bool, u32, u32)> {
        self.follower.cells.live()
    }

    /// The journal so far.
    pub(super) fn journal(&self) -> &[u8] {
        self.machine.journal()
    }
}
