//! Accesses that P drops, doubles or reorders. All tuples match then, as far as that can be: what turns the
//! lie away is that time goes forward.

use std::collections::BTreeMap;

use volery_field::Ring as _;

use super::super::form::{Form, Side, Space};
use super::super::kind::{Kind as Rows, SINK};
use super::super::public::Public;
use super::super::tables::{ASIDE, F, READ_ONLY, Table, with_table};
use super::super::trace::Segment as Columns;
use super::cheats::refusal;
use super::lies::{ONE, everything, meddled};
use super::*;
use Operation::*;

/// A value and a time.
type Contents = [u64; 2];

/// One access of one row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) kind: Rows,
    row: usize,
    /// Whether the row is a step.
    is_step: bool,
    /// Register or memory, and the number or the address.
    cell: [u64; 2],
    pub(super) found: Contents,
    pub(super) left: Contents,
    /// The columns of the value and the time that are found, and of the lower limb of the difference of
    /// times.
    columns: [usize; 3],
    writes: bool,
}

/// All accesses of a segment's rows.
pub(super) fn accesses(segment: &Columns) -> Vec<Access> {
    let mut all = Vec::new();
    for kind in Rows::ALL {
        let shape = with_table!(kind, T => T::shape());
        // Of the two limbs of a difference of times the second one is told from the time and the first one.
        let low = |time: usize| {
            let limbs = shape.lookups.windows(2).find(|limbs| {
                limbs[1].table == Public::Short && limbs[1].forms[0].terms.iter().any(|(at, _)| *at == time)
            });
            limbs.expect("each time has a range")[0].forms[0].as_column().expect("a limb")
        };
        let rows = segment.tables[kind as usize].chunks_exact(shape.columns);
        for (row, columns) in rows.enumerate() {
            let value = |form: &Form| form.value(columns).to_u64();
            for pair in shape.tuples.windows(2) {
                let [found, left] = [0, 1].map(|i| Vec::from_iter(pair[i].forms.iter().map(value)));
                let is_cell = [Space::Register, Space::Memory].iter().any(|space| *space as u64 == found[0]);
                if pair[0].side == Side::In || !is_cell {
                    continue;
                }
                let column = |form: usize| pair[0].forms[form].as_column().expect("a column");
                let (of_value, time) = (column(2), column(3));
                all.push(Access {
                    kind,
                    row,
                    is_step: columns[F] == F61::ONE,
                    cell: [found[0], found[1]],
                    found: [found[2], found[3]],
                    left: [left[2], left[3]],
                    columns: [of_value, time, low(time)],
                    writes: pair[1].forms[2].as_column() != Some(of_value),
                });
            }
        }
    }
    all
}

impl Access {
    /// Makes it find this.
    pub(super) fn find(&self, segment: &mut Columns, [value, time]: Contents) {
        let columns = with_table!(self.kind, T => T::COLUMNS);
        let row = &mut segment.tables[self.kind as usize][self.row * columns..];
        let low = (self.left[1] as i64 - 1 - time as i64) & 0xffff;
        for (column, value) in self.columns.into_iter().zip([value, time, low as u64]) {
            row[column] = F61::new(value);
        }
    }

    /// The next access of the cell, if there is one in the segment.
    pub(super) fn next(&self, all: &[Access]) -> Option<Access> {
        let mut later = all.iter().filter(|later| later.cell == self.cell && later.found[1] == self.left[1]);
        later.next().copied()
    }

    /// Makes the one who finds what this access left find something else: the next access, or the end.
    pub(super) fn leave(&self, segment: &mut Columns, all: &[Access], [value, time]: Contents) {
        if let Some(next) = self.next(all) {
            return next.find(segment, [value, time]);
        }
        let [space, number] = self.cell;
        let last = if space == Space::Register as u64 {
            &mut segment.registers[number as usize]
        } else {
            let is_this = |address: u32, read_only: bool| {
                u64::from(address) + u64::from(read_only) * READ_ONLY as u64 == number
            };
            let mut words = segment.words.iter_mut();
            &mut words.find(|word| is_this(word.address, word.read_only)).expect("it is touched").last
        };
        (last.value, last.time) = (value as u32, time as u32);
    }

    /// Whether it is an access of a step to memory.
    pub(super) fn is_of_memory(&self) -> bool {
        self.is_step && self.cell[0] == Space::Memory as u64
    }

    /// Whether it is an access of a step to this register.
    pub(super) fn is_of_register(&self, number: u64) -> bool {
        self.is_step && self.cell == [Space::Register as u64, number]
    }

    /// Whether nothing depends on the value that it finds: what it leaves is another one.
    fn forgets(&self) -> bool {
        let [space, number] = self.cell;
        self.writes
            && if space == Space::Register as u64 { number < 32 } else { self.kind == Rows::StoreWord }
    }

    /// Whether the access is one of the program's.
    fn is_of_program(&self) -> bool {
        let [space, number] = self.cell;
        let apart = if space == Space::Register as u64 { SINK as u64 } else { ASIDE as u64 };
        self.is_step && number != apart
    }
}

/// The accesses of this kind of lie, one and the last one for each place in a row.
fn chosen(all: &[Access], can: impl Fn(&Access) -> bool) -> Vec<Access> {
    let mut chosen = BTreeMap::<_, Vec<Access>>::new();
    for access in all.iter().filter(|access| access.is_of_program() && can(access)) {
        let these = chosen.entry((access.kind, access.columns[1])).or_default();
        these.truncate(1);
        these.push(*access);
    }
    chosen.into_values().flatten().collect()
}

/// The run that is lied about: words that are written twice besides.
fn run() -> ProgramRun {
    let mut words = everything();
    words.truncate(words.len() - exit().len());
    words.extend(li(9, DATA));
    words.extend([i(Sw, 0, 9, 5, 16), i(Sw, 0, 9, 6, 16), i(Sw, 0, 9, 5, 16), i(Lw, 7, 9, 0, 16)]);
    words.extend(exit());
    let run = run_of(&words, [b"secret", b"public"], ONE);
    assert!(matches!(run.claim().end, End::Exit(_)));
    run
}

/// What P has of the run's only segment.
fn honest(run: &mut ProgramRun) -> Vec<Access> {
    let out = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let found = std::sync::Arc::clone(&out);
    let result = meddled(run, move |_, segment| {
        *found.lock().expect("one thread") = accesses(segment);
    });
    assert_eq!(result, Ok(()));
    let all = out.lock().expect("one thread").clone();
    assert!(all.iter().all(|access| access.found[1] < access.left[1] || !access.is_step));
    all
}

/// The places in rows of which each lie is told, at least.
const PLACES: usize = 35;

/// An access takes what it leaves itself, and the next one takes what it should have taken: the access
/// is not there. All reads, and writes after which the next access writes again.
#[test]
fn no_access_is_dropped() {
    let mut run = run();
    let all = honest(&mut run);
    let lies = chosen(&all, |access| {
        !access.writes || access.forgets() && access.next(&all).is_some_and(|next| next.forgets())
    });
    assert!(lies.iter().any(|access| access.kind == Rows::StoreWord && access.writes));
    assert!(lies.len() >= PLACES, "{}", lies.len());
    for access in lies {
        let all = all.clone();
        let what = refusal(&mut run, move |segment| {
            access.leave(segment, &all, access.found);
            access.find(segment, access.left);
        });
        assert_eq!(what, RANGE, "{access:?}");
    }
}

/// What turns all of these away: a difference of times has two limbs of 16 bits, in halves.
pub(super) const RANGE: &str = "lookups in [Byte], 0 tuples";

/// Two accesses of a cell, one after the other, happen in the other order.
#[test]
fn no_accesses_are_reordered() {
    let mut run = run();
    let all = honest(&mut run);
    let can = |access: &Access| {
        let Some(next) = access.next(&all).filter(Access::is_of_program) else { return false };
        match (access.forgets(), next.forgets()) {
            (true, true) => next.next(&all).is_some_and(|last| last.forgets()),
            (false, false) => !access.writes && !next.writes,
            _ => false,
        }
    };
    let lies = chosen(&all, can);
    assert!(lies.iter().any(|access| access.kind == Rows::StoreWord && access.writes));
    assert!(lies.len() >= PLACES, "{}", lies.len());
    for access in lies {
        let all = all.clone();
        let what = refusal(&mut run, move |segment| {
            let next = access.next(&all).expect("there is one");
            next.leave(segment, &all, access.left);
            next.find(segment, access.found);
            access.find(segment, next.left);
        });
        assert_eq!(what, RANGE, "{access:?}");
    }
}

/// An access is taken twice: the next one finds what this one found.
#[test]
fn no_access_is_doubled() {
    let mut run = run();
    let all = honest(&mut run);
    let lies = chosen(&all, |access| !access.writes);
    assert!(lies.len() >= PLACES, "{}", lies.len());
    for access in lies {
        let all = all.clone();
        let what = refusal(&mut run, move |segment| access.leave(segment, &all, access.found));
        assert_eq!(what, "lookups in [], 2 tuples", "{access:?}");
    }
}
