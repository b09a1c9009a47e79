//! Single rows, for tests of false solutions: what the relations say of a row, and what the ranges say.

use volery_circuit::Evaluator;

use super::super::public::Tables;
use super::super::regions::Regions;
use super::*;
use crate::program::{Kind as SegmentKind, Program, Segment};

fn a_program() -> Program {
    let text = Segment { address: 0x1_0000, size: 4, bytes: vec![0x13, 0, 0, 0], kind: SegmentKind::Text };
    Program::new(0x1_0000, vec![text]).expect("a program")
}

/// The honest row of an instruction with these fields, operands and result.
pub(super) fn honest<T: Table>(fields: Fields, [x, y, result]: [u32; 3]) -> Vec<F61> {
    let program = a_program();
    let mut cells = Cells::new(&program, &Regions::of(&program), 0, 0);
    // What the operands' registers hold.
    let [_, first, second, ..] = fields;
    cells.register(first, 1, Some(x));
    cells.register(second, 2, Some(y));
    let mut work = Work {
        f: true,
        pc: 0x1_0000,
        t: 5,
        fields: &fields,
        x,
        y,
        result,
        access: None,
        called: Called::default(),
        moved: Moved::default(),
        cells: &mut cells,
    };
    let mut row = vec![F61::ZERO; T::COLUMNS];
    T::fill(&mut work, &mut Row(&mut row));
    row
}

/// Whether the relations hold, and whether every lookup but that of the program is a row.
pub(super) fn verdict<T: Table>(row: &[F61]) -> [bool; 2] {
    let relations = T::claim(&mut Evaluator::<F61>::new(), row).is_ok();
    let program = a_program();
    let tables = Tables { program: &program, regions: Regions::of(&program), input: &[], journal: &[] };
    let lookups = T::shape().lookups.into_iter().filter(|lookup| lookup.table != Public::Code);
    let mut ranges = true;
    for lookup in lookups {
        let values: Vec<F61> = lookup.forms.iter().map(|form| form.value(row)).collect();
        let found = tables.find(lookup.table, &values).map(|index| tables.row(lookup.table, index));
        ranges &= found.is_some_and(|found| found.iter().skip(1).zip(&values).all(|(x, y)| x == y));
    }
    [relations, ranges]
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
