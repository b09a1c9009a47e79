//! Single words: each legal one is decoded as the emulator decodes it, and no row says anything else.

use proptest::prelude::*;
use volery_circuit::Evaluator;
use volery_field::{Field as _, Ring as _};

use super::super::super::argument::{self, Known, Part};
use super::super::super::kind::{Kind, fields};
use super::super::super::public::Tables;
use super::super::super::regions::Regions;
use super::super::super::subject::{Bounds, Subject};
use super::*;
use crate::Instruction;
use crate::instruction::Operation::{self, *};

const PLACE: u32 = 0x1_2340;

/// Which checks turn a row away: relations, lookups.
fn verdict(row: &[F61], place: u32) -> [bool; 2] {
    let subject = Subject::Secret(Bounds::usual(1));
    let tables =
        Tables { subject: &subject, regions: Regions::of_subject(&subject), input: &[], journal: &[] };
    let mut b = Evaluator::<F61>::new();
    let relations = claim(&mut b, row, place);
    let part = Part::new(shape(), row.to_vec());
    let lookups = argument::exact::on(|| {
        argument::claim(&mut Evaluator::<F61>::new(), vec![part], Known::default(), &tables, None)
    });
    [relations.is_err(), lookups.is_err()]
}

const ACCEPTED: [bool; 2] = [false, false];
const BY_RELATIONS: [bool; 2] = [true, false];
const BY_LOOKUPS: [bool; 2] = [false, true];

fn written(word: u32, place: u32, decoded: &Decoded) -> Vec<F61> {
    let mut row = vec![F61::ZERO; COLUMNS];
    fill(word, place, decoded, &mut row);
    row
}

/// The row of a word that is an instruction.
fn row(word: u32) -> Vec<F61> {
    written(word, PLACE, &Decoded::of(word, PLACE).expect("an instruction"))
}

fn of(operation: Operation, rd: u8, rs1: u8, rs2: u8, immediate: i32) -> Vec<F61> {
    row(Instruction::new(operation, rd, rs1, rs2, immediate).expect("legal").encode())
}

/// The row with some columns changed by this.
fn with(row: &[F61], changes: &[(usize, F61)]) -> Vec<F61> {
    let mut row = row.to_vec();
    changes.iter().for_each(|(column, change)| row[*column] += *change);
    row
}

fn n(n: i64) -> F61 {
    integer(n)
}

/// Operations that have rows.
fn operations() -> impl Iterator<Item = Operation> {
    Operation::all().filter(|operation| *operation != Ebreak)
}

/// An instruction of the operation with these parts, as far as it has them.
fn instruction(operation: Operation, registers: [u8; 3], immediate: i32) -> Option<Instruction> {
    (0..8_u8).rev().find_map(|kept| {
        let [rd, rs1, rs2] = [0, 1, 2].map(|i| registers[i] * (kept >> i & 1));
        Instruction::new(operation, rd, rs1, rs2, immediate)
    })
}

/// The row is accepted, and says what the public program would say.
fn is_decoded(i: Instruction, place: u32) {
    let decoded = Decoded::of(i.encode(), place).expect("an instruction");
    let row = written(i.encode(), place, &decoded);
    assert_eq!(verdict(&row, place), ACCEPTED, "{i} at {place:#x}");
    let (kind, mut expected) = fields(i, place).expect("a kind");
    // Distances do not wrap around the address space here.
    let distance = match kind {
        Kind::BranchEqual | Kind::BranchLess => Some((2, -4)),
        Kind::Jump => Some((1, 0)),
        _ => None,
    };
    if let Some((field, less)) = distance {
        assert_eq!((expected[field] - less - i64::from(i.immediate())) % (1 << 32), 0, "{i} at {place:#x}");
        expected[field] = i64::from(i.immediate()) + less;
    }
    assert!(row[KIND] == n(kind as i64), "{i} at {place:#x}");
    for (field, expected) in expected.into_iter().enumerate() {
        assert!(row[FIELD0 + field] == n(expected), "field {field} of {i} at {place:#x}");
    }
}

/// Immediates whose bits are all set, none, or one.
fn immediates() -> Vec<i32> {
    let mut all = vec![0, -1, 5, 31, 2047, -2048, 4094, -4096, 1_048_574, -1_048_576, !0xfff, 0x7fff_f000];
    all.extend((0..32).map(|bit| 1 << bit));
    all.extend((0..32).map(|bit| !0 << bit));
    all
}

#[test]
fn every_operation_is_decoded_with_immediates_at_their_borders() {
    for operation in operations() {
        let mut found = 0;
        for immediate in immediates() {
            for registers in [[0, 0, 0], [1, 2, 3], [31, 30, 29], [0, 31, 0], [30, 0, 31]] {
                // For auipc also a place after which it wraps, and the first one.
                let places = [PLACE, 0xffff_f000, 0];
                for place in places.into_iter().take(if operation == Auipc { 3 } else { 1 }) {
                    let Some(i) = instruction(operation, registers, immediate) else { continue };
                    is_decoded(i, place);
                    found += 1;
                }
            }
        }
        assert!(found >= 3, "{operation}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn every_word_is_decoded_as_the_emulator_decodes_it_or_is_data(
        words in prop::collection::vec(any::<u32>(), 8),
        place in 0..(1_u32 << 30) - 1,
    ) {
        let place = 4 * place;
        let codes: Vec<u32> = operations().map(|o| instruction(o, [0; 3], 0).expect("legal").encode()).collect();
        for word in words {
            let like = codes[word as usize % codes.len()];
            for word in [word, word & !0x7f | like, word & 0x01ff_8f80 | like] {
                match Instruction::decode(word).filter(|i| i.operation() != Ebreak) {
                    Some(i) => is_decoded(i, place),
                    None => prop_assert!(Decoded::of(word, place).is_none()),
                }
                for writable in [false, true] {
                    let row = written(word, place, &Decoded::of_data(writable));
                    prop_assert_eq!(verdict(&row, place), ACCEPTED);
                    prop_assert!(row[KIND] == n(-1) && row[WORD] == n(word.into()));
                }
            }
        }
    }
}

/// The rows of one instruction of each operation, with odd registers and an immediate, and of a word of each
/// kind of data.
fn samples() -> Vec<(String, Vec<F61>)> {
    let rows = operations().map(|operation| {
        let i = [0x55, 0x5a, 21, 0x5555_5000, 0]
            .into_iter()
            .find_map(|immediate| instruction(operation, [7, 13, 21], immediate));
        let i = i.expect("an instruction");
        (i.to_string(), row(i.encode()))
    });
    let data = [false, true].map(|writable| {
        (format!("data, {writable}"), written(0x1234_5678, PLACE, &Decoded::of_data(writable)))
    });
    rows.chain(data).collect()
}

#[test]
fn every_column_of_every_operation_is_bound() {
    for (name, row) in samples() {
        assert_eq!(verdict(&row, PLACE), ACCEPTED, "{name}");
        // Of words that do not execute the carry says nothing, and whether they are writable P may choose.
        let free = if row[KIND] == n(-1) { &[CARRY, WRITABLE][..] } else { &[] };
        for column in (0..COLUMNS).filter(|column| !free.contains(column)) {
            for change in [1, -1, 1 << 16].map(n) {
                let lie = with(&row, &[(column, change)]);
                assert_ne!(verdict(&lie, PLACE), ACCEPTED, "column {column} of {name}");
            }
        }
    }
}

#[test]
fn no_word_is_decoded_as_another() {
    let samples = samples();
    for (one, row) in &samples {
        for (other, other_row) in samples.iter().filter(|(other, _)| other != one) {
            // Another word with these pieces, and another instruction for this word.
            let mut lie = row.clone();
            lie[WORD] = other_row[WORD];
            let is_same = lie[WORD] == row[WORD];
            assert!(is_same || verdict(&lie, PLACE) != ACCEPTED, "{one} for {other}");
            let mut lie = row.clone();
            lie[KIND..=FIELD6].copy_from_slice(&other_row[KIND..=FIELD6]);
            let is_same = lie == *row;
            assert!(is_same || verdict(&lie, PLACE) != ACCEPTED, "{one} as {other}");
        }
    }
    // The places of the registers among the fields.
    let add = of(Add, 7, 13, 21, 0);
    for registers in [[7, 21, 13], [13, 7, 21], [21, 13, 7]] {
        let [rd, rs1, rs2] = registers;
        let mut lie = add.clone();
        lie[KIND..=FIELD6].copy_from_slice(&of(Add, rd, rs1, rs2, 0)[KIND..=FIELD6]);
        assert_ne!(verdict(&lie, PLACE), ACCEPTED, "{registers:?}");
    }
}

#[test]
fn a_word_is_decoded_for_its_own_place() {
    let auipc = of(Auipc, 7, 0, 0, 0x1000);
    assert_eq!(verdict(&auipc, PLACE), ACCEPTED);
    assert_eq!(verdict(&auipc, PLACE + 4), BY_RELATIONS);
}

#[test]
fn neither_an_ebreak_nor_a_call_with_registers_has_a_row() {
    for word in [0x0010_0073, 0x0000_00f3, 0x0000_8073, 0x0020_0073, 0x3020_0073, 0] {
        assert!(Instruction::decode(word).is_none_or(|i| i.operation() == Ebreak));
        assert_eq!(Decoded::of(word, PLACE), None, "{word:08x}");
    }
    // The call with a register, and data with one.
    let call = of(Ecall, 0, 0, 0, 0);
    let data = written(0, PLACE, &Decoded::of_data(false));
    for row in [call, data] {
        let rd = [(RD, n(1)), (RD_ODD, n(1)), (RD_OR_SINK, n(1 - SINK)), (WORD, n(1 << 7))];
        let rs1 = [(RS1, n(1)), (WORD, n(1 << 15))];
        let rs2 = [(RS2, n(1)), (RS2_ODD, n(1)), (POWER, n(1)), (WORD, n(1 << 20))];
        for lie in [&rd[..], &rs1, &rs2] {
            assert_eq!(verdict(&with(&row, lie), PLACE), BY_RELATIONS);
        }
    }
}

/// Lies that fit together, so that one check alone turns each away.
#[test]
fn each_check_of_a_word_is_needed() {
    let half = n(2).inverse_or_zero();
    let part = |n: i64| integer(n) * integer(1 << 32).inverse_or_zero();
    let nop = of(Addi, 0, 0, 0, 0);
    let lui = of(Lui, 7, 0, 0, 0x1000);
    let slti = of(Slti, 0, 0, 0, 0);
    let data = written(9, PLACE, &Decoded::of_data(false));
    // No format is half of one and half of another, and none is two.
    let formats = [(REGISTERS, half), (COMPARE, half), (IMMEDIATE, n(-1))];
    assert_eq!(verdict(&with(&nop, &formats), PLACE), BY_RELATIONS);
    let two =
        [(REGISTERS, n(1)), (IMMEDIATE, n(1)), (COMPARE, n(-1)), (FIELD0, n(SINK)), (FIELD2, n(-1 << 31))];
    assert_eq!(verdict(&with(&slti, &two), PLACE), BY_RELATIONS);
    // The result of lui, with a carry that is no bit, and out of range; of auipc.
    let carry = [(X, n(1)), (X_LOW, n(1)), (FIELD1, n(1)), (CARRY, part(-1))];
    assert_eq!(verdict(&with(&lui, &carry), PLACE), BY_RELATIONS);
    for (row, to) in [(&lui, 1), (&of(Auipc, 7, 0, 0, 0x1000), 1), (&of(Auipc, 7, 0, 0, -0x1000), -1)] {
        let carry = [(X, n(-to << 32)), (FIELD1, n(-to << 32)), (CARRY, n(to))];
        assert_eq!(verdict(&with(row, &carry), PLACE), BY_LOOKUPS);
    }
    assert_eq!(verdict(&with(&nop, &[(X, n(1)), (X_LOW, n(1))]), PLACE), BY_RELATIONS);
    for wide in [[(X, n(1 << 32)), (WORD, n(1 << 32))], [(X, n(-10)), (WORD, n(-10))]] {
        assert_eq!(verdict(&with(&data, &wide), PLACE), BY_LOOKUPS);
    }
    // The word alone, and each field alone.
    assert_eq!(verdict(&with(&nop, &[(WORD, n(1 << 7))]), PLACE), BY_RELATIONS);
    for (name, row) in samples() {
        for field in FIELD0..=FIELD6 {
            assert_eq!(verdict(&with(&row, &[(field, n(1))]), PLACE), BY_RELATIONS, "{name}");
        }
        assert_eq!(verdict(&with(&row, &[(KIND, n(1))]), PLACE), BY_LOOKUPS, "{name}");
    }
    // Registers out of range, with the same word; the sink, and where it is another register.
    let lui = of(Lui, 7, 0, 0, 0x0010_0000);
    let rs1 = [(RS1, n(32)), (RS2, n(-1)), (RS2_ODD, n(-1)), (POWER, n(-1))];
    assert_eq!(verdict(&with(&lui, &rs1), PLACE), BY_LOOKUPS);
    let rd = [(RD_OR_SINK, n(-SINK)), (FIELD0, n(-SINK))];
    assert_eq!(verdict(&with(&nop, &rd), PLACE), BY_LOOKUPS);
    // The lowest bits of registers.
    let jal = of(Jal, 7, 0, 0, 0x802);
    assert_eq!(verdict(&with(&jal, &[(RS2_ODD, n(-1)), (FIELD1, n(1 - 2048))]), PLACE), BY_LOOKUPS);
    let beq = of(Beq, 0, 5, 6, 0x802);
    assert_eq!(verdict(&with(&beq, &[(RD_ODD, n(-1)), (FIELD2, n(1 - 2048))]), PLACE), BY_LOOKUPS);
    // The power of two, the sign, the flags.
    let slli = of(Slli, 7, 5, 0, 3);
    assert_eq!(verdict(&with(&slli, &[(POWER, n(1)), (FIELD4, n(1))]), PLACE), BY_LOOKUPS);
    let addi = of(Addi, 7, 5, 0, -1);
    let unsigned = [(SIGN, n(-1)), (FIELD2, n((1 << 12) - (1 << 32)))];
    assert_eq!(verdict(&with(&addi, &unsigned), PLACE), BY_LOOKUPS);
    assert_eq!(verdict(&with(&of(Add, 7, 5, 6, 0), &[(FLAG0, n(1)), (FIELD3, n(1))]), PLACE), BY_LOOKUPS);
    // A word that executes is no writable memory, and no data says that it executes.
    let format = Format::Writable as i64 - Format::Immediate as i64;
    assert_eq!(format, 11);
    for change in [&[(WRITABLE, n(1))][..], &[(WRITABLE, n(1)), (IMMEDIATE, n(-1))]] {
        assert_ne!(verdict(&with(&nop, change), PLACE), ACCEPTED);
    }
    let mut lie = data.clone();
    lie[KIND..=FIELD6].copy_from_slice(&nop[KIND..=FIELD6]);
    assert_ne!(verdict(&lie, PLACE), ACCEPTED);
}

/// Otherwise `x0` could be written, and words of more than 32 bits be read from the image.
#[test]
fn numbers_of_registers_have_five_bits() {
    let row = of(Addi, 8, 2, 0, 1);
    assert_eq!(verdict(&row, PLACE), ACCEPTED);
    for (family, to_field0) in [(1, -8), (1, -7), (2, -8)] {
        let rd = [
            (RD, n(32 * family)),
            (WORD, n((32 * family) << 7)),
            (FIELD0, n(to_field0)),
            (RD_OR_SINK, n(to_field0)),
        ];
        assert_eq!(verdict(&with(&row, &rd), PLACE), BY_LOOKUPS, "rd in family {family}");
    }
    for families in [-2, -1, 1] {
        let more = 32 * families;
        let rs1 = [(RS1, n(more)), (WORD, n(more << 15)), (FIELD1, n(more))];
        assert_eq!(verdict(&with(&row, &rs1), PLACE), BY_LOOKUPS, "rs1 in another family by {families}");
        let rs2 = [(RS2, n(more)), (WORD, n(more << 20)), (FIELD2, n(more))];
        assert_eq!(verdict(&with(&row, &rs2), PLACE), BY_LOOKUPS, "rs2 in another family by {families}");
    }
}
