//! "I know the solution of this Sudoku."
//!
//! The public input is the puzzle: 81 characters, row by row, with a `.` for an empty cell. The secret input
//! is the solution: 81 digits. No branch depends on them, so every solution takes the same steps, right or
//! wrong.
#![no_std]
#![no_main]

use volery_guest::{read_public, read_secret};

volery_guest::entry!(main);

const CELLS: usize = 81;
/// Bits 1 to 9.
const ALL: u16 = 0x3fe;

fn main() -> u32 {
    let (mut puzzle, mut solution) = ([0; CELLS], [0; CELLS]);
    if read_public(&mut puzzle) < CELLS || read_secret(&mut solution) < CELLS {
        return 2;
    }
    let mut wrong = 0;
    // The digits that each row, column and box has.
    let mut seen = [[0_u16; 9]; 3];
    for (cell, (given, digit)) in puzzle.into_iter().zip(solution).enumerate() {
        wrong |= (digit & 0xf0) ^ b'0';
        if given != b'.' {
            wrong |= digit ^ given;
        }
        let (row, column) = (cell / 9, cell % 9);
        for (digits, group) in seen.iter_mut().zip([row, column, row / 3 * 3 + column / 3]) {
            digits[group] |= 1 << (digit & 15);
        }
    }
    let missing = seen.iter().flatten().fold(0, |missing, digits| missing | (digits ^ ALL));
    u32::from(u16::from(wrong) | missing != 0)
}
