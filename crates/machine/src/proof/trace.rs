//! P's side of a run: follows the emulator and writes the rows of one segment after the other.
//!
//! What is held is one segment's rows, and for each word of memory that the run has touched its value and the
//! segment of its last use.

use pages::{Entry, Pages};
use volery_field::{F61, Ring as _};
use zeroize::{Zeroize, Zeroizing};

use super::buffers::room_for;
use super::kind::{Fields, Kind, fields};
use super::profile::Counts;
use super::public::FILLER;
use super::regions::{Regions, file_words};
use super::tables::{Called, Moved, PUBLIC_LEFT, Row, SECRET_LEFT, Table, WRITTEN, Work, with_table};
use crate::instruction::Operation;
use crate::observer::{Access, Call, Observer, Step};
use crate::program::STACK_POINTER;
use crate::{End, Machine, Program};

mod pages;
mod resume;

pub(super) use resume::{Middle, STATE};

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

/// An instruction as rows have it.
#[derive(Clone, Copy)]
pub(super) struct Decoded {
    pub(super) kind: Kind,
    pub(super) fields: Fields,
}

/// With the option around it all of it is wiped.
impl Zeroize for Decoded {
    fn zeroize(&mut self) {
        self.fields.zeroize();
    }
}

/// What a run begins with. The program may be a secret.
pub(super) struct Loaded {
    /// The address of the first instruction.
    pub(super) text: u32,
    /// The instructions from there on.
    pub(super) code: Zeroizing<Vec<Option<Decoded>>>,
    /// Words that are live from the start: address and value.
    pub(super) words: Zeroizing<Vec<(u32, u32)>>,
    /// First address and end of what is read-only.
    pub(super) read_only: Vec<(u64, u64)>,
    /// Whether V knows the words, too.
    pub(super) public: bool,
}

impl Loaded {
    /// A public program.
    pub(super) fn of(program: &Program, regions: &Regions) -> Self {
        let places = (0..program.code().len()).map(|i| program.text().wrapping_add(4 * i as u32));
        let decode = |place| {
            let (kind, fields) = fields(program.instruction(place)?, place)?;
            Some(Decoded { kind, fields })
        };
        Self {
            text: program.text(),
            code: Zeroizing::new(places.map(decode).collect()),
            words: Zeroizing::new(file_words(program).collect()),
            read_only: regions.read_only().collect(),
            public: true,
        }
    }

    /// First address and end of the words that V knows, too.
    fn filed(&self) -> Vec<(u64, u64)> {
        let mut runs: Vec<(u64, u64)> = Vec::new();
        for (address, _) in self.words.iter().filter(|_| self.public) {
            let start = u64::from(*address);
            match runs.last_mut() {
                Some((_, end)) if *end == start => *end += 4,
                _ => runs.push((start, start + 4)),
            }
        }
        runs
    }
}

/// A live word: its address, whether it is read-only, its value, and the segment of the last use.
type LiveWord = (u32, bool, u32, u32);

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
    pub(super) fn new(loaded: &Loaded, secret: usize, public: usize) -> Self {
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
            read_only: loaded.read_only.clone(),
            input: public as i64,
        };
        for (address, value) in loaded.words.iter().copied() {
            cells.entry(address).value = value;
            cells.pages.bring(address);
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
        self.list(access.address, access.old);
        let entry = self.entry(access.address);
        entry.value = access.new;
        let slot = entry.slot as usize;
        let last = &mut self.words[slot].last;
        let time = last.time;
        *last = Cell { value: access.new, time: now };
        (access, time)
    }

    /// Lists a word of this value among those that the segment touches, if it is not there yet.
    #[inline(always)]
    fn list(&mut self, address: u32, first: u32) {
        let (segment, next) = (self.segment, self.words.len() as u32);
        let entry = self.entry(address);
        if entry.segment == segment {
            return;
        }
        let since = core::mem::replace(&mut entry.segment, segment);
        entry.slot = next;
        self.bring(address);
        let read_only = self.is_read_only(address);
        room_for(&mut self.words, 1);
        self.words.push(Word { address, read_only, first, since, last: Cell { value: first, time: 0 } });
    }

    /// Makes a word live.
    #[inline(always)]
    fn bring(&mut self, address: u32) {
        if self.pages.bring(address) {
            room_for(&mut self.fresh, 1);
            self.fresh.push(address);
        }
    }

    /// Whether a word is in a region that is read-only.
    #[inline(always)]
    pub(super) fn is_read_only(&self, address: u32) -> bool {
        let address = u64::from(address);
        self.read_only.iter().any(|(start, end)| (*start..*end).contains(&address))
    }

    /// The live words, writable ones first, each part by address.
    fn live(&self) -> impl Iterator<Item = LiveWord> {
        let all = move |wanted: bool| {
            let words = self.pages.live().map(|(address, entry)| self.live_word(address, entry));
            words.filter(move |(_, read_only, ..)| *read_only == wanted)
        };
        all(false).chain(all(true))
    }

    fn live_word(&self, address: u32, entry: &Entry) -> LiveWord {
        (address, self.is_read_only(address), entry.value, entry.segment)
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
    code: Zeroizing<Vec<Option<Decoded>>>,
    text: u32,
    cells: Cells,
    rows: [u32; KINDS],
    tables: Vec<Zeroizing<Vec<F61>>>,
    /// The room that tables get when a segment begins: the next one is likely to have about as many rows of
    /// each kind. Between segments the log needs the memory.
    expected: Vec<usize>,
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
    fn new(cells: Cells, loaded: Loaded, place: u32) -> Self {
        Self {
            cells,
            code: loaded.code,
            text: loaded.text,
            rows: [0; KINDS],
            tables: tables(),
            expected: Vec::new(),
            time: 0,
            place,
            transfers: Zeroizing::default(),
            called: None,
        }
    }

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

    /// Fills up the segment: each kind of rows with filler rows, and the words that it touches with the first
    /// of these that it does not touch.
    fn fill(&mut self, counts: &Counts, words: impl Iterator<Item = u32>) {
        let time = self.time;
        for kind in Kind::ALL {
            let result = match kind {
                Kind::Divide => u32::MAX,
                Kind::Jump | Kind::JumpRegister => FILLER as u32,
                _ => 0,
            };
            for _ in self.rows[kind as usize]..counts.rows[kind as usize] {
                self.push(
                    kind,
                    (false, FILLER),
                    &kind.filler_fields(),
                    Values { result, ..Values::default() },
                );
            }
        }
        self.time = time;
        for address in words {
            if self.cells.words.len() >= counts.words as usize {
                break;
            }
            let value = self.cells.entry(address).value;
            self.cells.list(address, value);
        }
    }

    /// Ends the segment.
    fn finish(&mut self) -> Segment {
        let (place, time) = (self.place, self.time);
        self.expected = self.tables.iter().map(|table| table.len() + table.len() / 8).collect();
        let cells = &mut self.cells;
        let registers = cells.registers;
        cells.registers.iter_mut().for_each(|cell| cell.time = 0);
        cells.segment += 1;
        self.time = 0;
        Segment {
            rows: core::mem::take(&mut self.rows),
            tables: core::mem::replace(&mut self.tables, tables()),
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
        let Some(Some(Decoded { kind, fields })) = self.code.get(at as usize).copied() else { return };
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
    /// The addresses of the words that are live from the start.
    first: Zeroizing<Vec<u32>>,
    /// First address and end of those of them that V knows.
    filed: Vec<(u64, u64)>,
    machine: Machine<'a>,
    follower: Follower,
    end: Option<End>,
}

impl<'a> Source<'a> {
    pub(super) fn new(
        program: &'a Program,
        loaded: Loaded,
        [secret, public]: [&'a [u8]; 2],
        limits: crate::Limits,
    ) -> Self {
        let first = Zeroizing::new(loaded.words.iter().map(|(address, _)| *address).collect());
        let filed = loaded.filed();
        let cells = Cells::new(&loaded, secret.len(), public.len());
        let follower = Follower::new(cells, loaded, program.entry());
        Self { first, filed, machine: Machine::new(program, secret, public, limits), follower, end: None }
    }

    /// The next segment of at least `steps` units of time, or fewer if the run ends; then also how it does.
    /// Behind the end segments have no steps. `shown` fills the segment up to these counts, with words
    /// that are live from the start and with these words, which are zero at first.
    ///
    /// # Errors
    /// If the run goes beyond its limits.
    pub(super) fn next(
        &mut self,
        steps: u32,
        shown: Option<(&Counts, &[u32])>,
    ) -> Result<(Segment, Option<End>), crate::emulator::Error> {
        for (table, room) in self.follower.tables.iter_mut().zip(self.follower.expected.drain(..)) {
            room_for(table, room);
        }
        while self.end.is_none() && self.follower.time < steps {
            let left = u64::from(steps - self.follower.time);
            self.end = self.machine.advance(left, &mut self.follower)?;
        }
        if self.end.is_none() {
            // A trap after the last step is found by the next call only, and a step may be none.
            self.end = self.machine.end();
        }
        if let Some((counts, zero)) = shown {
            self.follower.fill(counts, self.first.iter().chain(zero).copied());
        }
        Ok((self.follower.finish(), self.end))
    }

    /// Makes these words live. Returns those that were not.
    pub(super) fn bring(&mut self, words: &[u32]) -> Zeroizing<Vec<u32>> {
        words.iter().for_each(|address| self.follower.cells.bring(*address));
        core::mem::take(&mut self.follower.cells.fresh)
    }

    /// The same run with the text of another program in memory: what the log holds tells nothing of the lie.
    #[cfg(test)]
    pub(super) fn with_text_of(mut self, program: &Program) -> Self {
        for (address, value) in file_words(program) {
            if program.instruction(address).is_some() {
                self.follower.cells.entry(address).value = value;
            }
        }
        self
    }

    /// The live words: those of a public program's file in its order, then the others, writable ones first,
    /// each part by address.
    pub(super) fn live(&self) -> impl Iterator<Item = LiveWord> {
        let cells = &self.follower.cells;
        let is_filed = |address: u32| {
            let address = u64::from(address);
            self.filed.iter().any(|(start, end)| (*start..*end).contains(&address))
        };
        let first = self.first.get(..if self.filed.is_empty() { 0 } else { self.first.len() });
        let file = first.into_iter().flatten();
        let file = file.filter_map(|address| Some(cells.live_word(*address, cells.pages.get(*address)?)));
        file.chain(cells.live().filter(move |(address, ..)| !is_filed(*address)))
    }

    /// The journal so far.
    pub(super) fn journal(&self) -> &[u8] {
        self.machine.journal()
    }
}
