//! Single rows, for tests of false solutions: what the relations say of a row, and what the ranges say.

use std::collections::BTreeSet;
use std::marker::PhantomData;

use volery_circuit::{Backend, Error, Evaluator};

use super::super::public::Tables;
use super::super::regions::Regions;
use super::*;
use crate::program::{Kind as SegmentKind, Program, Segment};

fn a_program() -> Program {
    let text = Segment { address: 0x1_0000, size: 4, bytes: vec![0x13, 0, 0, 0], kind: SegmentKind::Text };
    Program::new(0x1_0000, vec![text]).expect("a program")
}

/// The public input and the journal: each byte is its own place.
const BYTES: [u8; 10] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

/// What a row is written from.
pub(super) struct Given {
    pub(super) fields: Fields,
    /// The operands, and the result.
    pub(super) operands: [u32; 3],
    pub(super) access: Option<Access>,
    pub(super) called: Called,
    pub(super) moved: Moved,
}

impl Given {
    /// An instruction with these fields, operands and result. The operands are in `x5` and `x6`.
    pub(super) fn new(fields: Fields, operands: [u32; 3]) -> Self {
        let (called, moved) = (Called::default(), Moved::default());
        Self { fields, operands, access: None, called, moved }
    }

    /// With an access to a word of memory.
    pub(super) fn with_access(self, address: u32, [old, new]: [u32; 2]) -> Self {
        Self { access: Some(Access { address, old, new }), ..self }
    }

    /// The honest row.
    pub(super) fn row<T: Table>(&self) -> Vec<F61> {
        let program = a_program();
        let mut cells = Cells::new(&program, &Regions::of(&program), BYTES.len(), BYTES.len());
        let [x, y, result] = self.operands;
        let Called { number, arguments: [file, buffer, length] } = self.called;
        for (register, value) in [(17, number), (10, file), (11, buffer), (12, length)] {
            cells.register(register, 0, Some(value));
        }
        for (register, value) in [(5, x), (6, y)] {
            cells.register(register, 1, Some(value));
        }
        let Self { fields, access, called, moved, .. } = *self;
        let (f, pc, t, fields, cells) = (true, 0x1_0000, 5, &fields, &mut cells);
        let mut work = Work { f, pc, t, fields, x, y, result, access, called, moved, cells };
        let mut row = vec![F61::ZERO; T::COLUMNS];
        T::fill(&mut work, &mut Row(&mut row));
        row
    }
}

/// The honest row of an instruction with these fields, operands and result.
pub(super) fn honest<T: Table>(fields: Fields, operands: [u32; 3]) -> Vec<F61> {
    Given::new(fields, operands).row::<T>()
}

/// Notes which claims are false.
#[derive(Default)]
struct Recorder {
    inner: Evaluator<F61>,
    claims: usize,
    failed: Vec<Check>,
}

impl Backend for Recorder {
    type Error = Error;

    fn enter(&mut self, _part: &str) {}

    fn leave(&mut self) {}
}

#[expect(clippy::extra_unused_type_parameters, reason = "other backends ask which part the operation is of")]
impl Recorder {
    fn prepare_ring<R>(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn prepare_batch<R>(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

volery_circuit::delegate_ring!([] Recorder, F61, Evaluator<F61>, |this| &mut this.inner);
volery_circuit::delegate_polynomials!([] Recorder, F61, Evaluator<F61>, |this| &mut this.inner);

impl Relate<F61> for Recorder {
    type Scalar = F61;
    type Expression<const N: usize> = <Evaluator<F61> as Relate<F61>>::Expression<N>;

    fn embed(x: F61) -> F61 {
        x
    }

    fn expression<const N: usize>(&self, x: &F61) -> Self::Expression<N> {
        self.inner.expression(x)
    }

    fn linear<const N: usize>(&self, constant: F61, coefficients: &[F61], x: &[F61]) -> Self::Expression<N> {
        self.inner.linear(constant, coefficients, x)
    }

    fn claim<const N: usize>(&mut self, e: Self::Expression<N>) -> Result<(), Error> {
        match self.inner.claim(e) {
            Err(Error::Unsatisfied { .. }) => self.failed.push(Check::Relation(self.claims)),
            result => result?,
        }
        self.claims += 1;
        Ok(())
    }
}

/// A relation of a table, or a lookup other than that of the program, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Check {
    Relation(usize),
    Lookup(usize),
}

/// How many relations and lookups there are, and which fail.
fn failures<T: Table>(row: &[F61]) -> ([usize; 2], Vec<Check>) {
    let mut recorder = Recorder::default();
    T::claim(&mut recorder, row).expect("only false claims");
    let program = a_program();
    let tables = Tables { program: &program, regions: Regions::of(&program), input: &BYTES, journal: &BYTES };
    let lookups = T::shape().lookups.into_iter().filter(|lookup| lookup.table != Public::Code);
    let mut count = 0;
    for lookup in lookups {
        if !tables.holds(&lookup, row) {
            recorder.failed.push(Check::Lookup(count));
        }
        count += 1;
    }
    ([recorder.claims, count], recorder.failed)
}

/// Shows that each check of a table is needed: it is the only one that turns away some row.
pub(super) struct Alone<T> {
    needed: BTreeSet<Check>,
    checks: [usize; 2],
    table: PhantomData<T>,
}

impl<T: Table> Alone<T> {
    pub(super) fn new() -> Self {
        Self { needed: BTreeSet::new(), checks: [0; 2], table: PhantomData }
    }

    /// An honest row, with one column changed at a time: limbs that are out of range and times in the future
    /// are among the changes.
    pub(super) fn honest(&mut self, honest: &[F61]) {
        let (checks, failed) = failures::<T>(honest);
        assert_eq!(failed, []);
        self.checks = checks;
        let changes = [1, 5, -1, 1 << 16, -(1 << 16), 1 << 32, -(1 << 32), 1 << 37].map(integer);
        for (column, change) in (0..honest.len()).flat_map(|column| changes.map(|change| (column, change))) {
            if let [check] = failures::<T>(&with(honest, [(column, honest[column] + change)])).1[..] {
                self.needed.insert(check);
            }
        }
    }

    /// An honest row, and one that differs by this in some columns: it is turned away once.
    pub(super) fn lie(&mut self, honest: &[F61], changes: &[(usize, F61)]) {
        assert_eq!(failures::<T>(honest).1, []);
        let mut row = honest.to_vec();
        changes.iter().for_each(|(column, change)| row[*column] += *change);
        let (_, failed) = failures::<T>(&row);
        assert_eq!(failed.len(), 1, "{failed:?} turn away {changes:?}");
        self.needed.extend(failed);
    }

    /// So many relations and lookups there are, and none is idle but these.
    pub(super) fn done(self, checks: [usize; 2], idle: &[Check]) {
        assert_eq!(self.checks, checks);
        let relations = (0..checks[0]).map(Check::Relation);
        let all = relations.chain((0..checks[1]).map(Check::Lookup));
        let found: Vec<Check> = all.filter(|check| !self.needed.contains(check)).collect();
        assert_eq!(found, idle);
    }
}

/// An integer.
pub(super) fn n(n: i64) -> F61 {
    integer(n)
}

/// `2^-bits` times an integer.
pub(super) fn part(n: i64, bits: u32) -> F61 {
    integer(n) * integer(1 << bits).inverse_or_zero()
}

/// Whether the relations hold, and whether every lookup but that of the program is a row.
pub(super) fn verdict<T: Table>(row: &[F61]) -> [bool; 2] {
    let (_, failed) = failures::<T>(row);
    let any = |relation| failed.iter().any(|check| matches!(check, Check::Relation(_)) == relation);
    [!any(true), !any(false)]
}

/// A solution of the relations that the ranges refuse.
pub(super) const FALSE: [bool; 2] = [true, false];
/// A row that holds.
pub(super) const TRUE: [bool; 2] = [true, true];

/// The row with some columns changed.
pub(super) fn with<const N: usize>(row: &[F61], changes: [(usize, F61); N]) -> Vec<F61> {
    let mut row = row.to_vec();
    changes.into_iter().for_each(|(column, value)| row[column] = value);
    row
}
