//! Every value that P commits to is changed once, and many changes that fit together.

use std::sync::Arc;

use volery_circuit::Error;

use super::super::kind::Kind as Rows;
use super::super::statement::Meddle;
use super::super::tables::{Table, with_table};
use super::super::trace::Segment as Columns;
use super::*;
use Operation::*;

/// The run with P changing columns of its segments; arguments look at values.
fn meddled(run: &mut ProgramRun, meddle: impl Fn(u32, &mut Columns) + Send + Sync + 'static) -> Result<(), Error> {
    let meddle: Meddle = Arc::new(meddle);
    run.meddle = Some(meddle);
    let result = check_exactly(run);
    run.meddle = None;
    result
}

fn is_unsatisfied(result: &Result<(), Error>) -> bool {
    matches!(result, Err(Error::Unsatisfied { .. }))
}

/// Rows of every kind: three or more of each, on operands for which no column is free.
fn everything() -> Vec<u32> {
    let mut words = Vec::new();
    words.extend(li(5, 0x8765_4321));
    words.extend(li(6, 0x1234_5679));
    words.extend(li(8, DATA));
    let both = [
        Add, Sub, Slt, Sltu, And, Or, Xor, Sll, Srl, Sra, Mulhu, Mulh, Mulhsu, Div, Divu, Rem, Remu,
    ];
    words.extend(both.map(|operation| i(operation, 7, 5, 6, 0)));
    words.extend(both.map(|operation| i(operation, 7, 6, 5, 0)));
    words.extend([Addi, Slti, Sltiu, Andi, Ori, Xori].map(|operation| i(operation, 7, 5, 0, -77)));
    words.extend([Slli, Srli, Srai, Slti, Addi, Addi].map(|operation| i(operation, 7, 5, 0, 13)));
    for place in [0, 4] {
        words.extend([i(Lw, 7, 8, 0, place), i(Lb, 7, 8, 0, place + 1), i(Lhu, 7, 8, 0, place)]);
        words.extend([i(Sw, 0, 8, 5, place), i(Sb, 0, 8, 6, place + 1), i(Sh, 0, 8, 6, place + 2)]);
    }
    words.extend([i(Lw, 7, 8, 0, 4), i(Sw, 0, 8, 7, 8)]);
    words.extend([i(Beq, 0, 5, 6, 8), i(Bne, 0, 5, 6, 4), i(Bne, 0, 6, 5, 4)]);
    words.extend([Blt, Bge, Bltu, Bgeu].map(|operation| i(operation, 0, 5, 6, 4)));
    words.extend([i(Jal, 1, 0, 0, 4), i(Jal, 1, 0, 0, 4), i(Jal, 0, 0, 0, 4)]);
    words.extend([i(Auipc, 9, 0, 0, 0), i(Jalr, 1, 9, 0, 8), i(Jalr, 1, 9, 0, 12), i(Jalr, 0, 9, 0, 16)]);
    for (number, file, at, length) in [(63, 0, 1, 3), (63, 3, 9, 3), (64, 1, 1, 3), (1, 1, 1, 1), (64, 7, 0, 1)] {
        words.extend(runs::call(number, file, at, length));
    }
    words.extend(exit());
    words
}

/// One segment, with filler rows of every kind.
const ONE: Settings = Settings { steps: 1 << 12, unit: 7, log: 8 };

fn is_free(kind: Rows, column: usize, row: &[F61]) -> bool {
    let _ = (kind, column, row);
    false
}

#[test]
fn every_column_of_every_kind_is_bound_in_the_first_a_middle_the_last_and_a_filler_row() {
    let mut run = run_of(&everything(), [b"secret", b"public"], ONE);
    assert_eq!(check_exactly(&run), Ok(()));
    assert_eq!(run.profile().segments(), 1);
    let mut accepted = Vec::new();
    for kind in Rows::ALL {
        let rows = run.profile().segments[0].rows[kind as usize] as usize;
        assert!(rows > 0, "{kind:?}");
        let columns = with_table!(kind, T => T::COLUMNS);
        for column in 0..columns {
            for row in [0, rows / 2 - 1, rows / 2, rows - 1] {
                let result = meddled(&mut run, move |_, segment| {
                    segment.tables[kind as usize][row * columns + column] += F61::new(1 + column as u64 % 3);
                });
                if !is_unsatisfied(&result) {
                    accepted.push((kind, column, row, result));
                }
            }
        }
    }
    let list: Vec<_> = accepted.iter().map(|entry| format!("{entry:?}")).collect();
    assert!(list.is_empty(), "{}", list.join("\n"));
}
