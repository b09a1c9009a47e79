//! Loads and stores, against bytes in an array.

use proptest::prelude::*;

use super::*;
use Operation as O;

/// Bytes of an access, and whether the sign is extended.
fn shape(operation: Operation) -> (u32, bool) {
    match operation {
        O::Lb => (1, true),
        O::Lbu | O::Sb => (1, false),
        O::Lh => (2, true),
        O::Lhu | O::Sh => (2, false),
        _ => (4, false),
    }
}

const LOADS: [Operation; 5] = [O::Lb, O::Lh, O::Lw, O::Lbu, O::Lhu];
const STORES: [Operation; 3] = [O::Sb, O::Sh, O::Sw];

proptest! {
    #[test]
    fn loads_and_stores_are_those_of_an_array_of_bytes(
        accesses in proptest::collection::vec((0..8_usize, 0..64_u32, any::<u32>(), -2048..2048_i32), 64),
    ) {
        let mut bytes = [0_u8; 64];
        bytes[..5].copy_from_slice(&[1, 2, 3, 4, 5]);
        let mut accesses = accesses;
        accesses.iter_mut().for_each(|access| {
            let operation = LOADS.iter().chain(&STORES).nth(access.0).expect("one of eight");
            access.1 &= !(shape(*operation).0 - 1);
        });
        let instructions: Vec<Instruction> = accesses.iter().map(|(number, _, _, offset)| match *number {
            number @ 0..5 => i(LOADS[number], 5, 6, 0, *offset),
            number => i(STORES[number - 5], 0, 6, 7, *offset),
        }).collect();
        let program = code(&instructions);
        let mut machine = Machine::new(&program, &[], &[], Limits::default());
        for (instruction, (_, place, value, offset)) in instructions.iter().zip(accesses) {
            let address = DATA + place;
            machine.registers[6] = address.wrapping_sub(offset as u32);
            machine.registers[7] = value;
            let mut log = Log::default();
            machine.advance(1, &mut log).expect("within limits");
            let word = place as usize & !3;
            let old = u32::from_le_bytes(bytes[word..word + 4].try_into().expect("four"));
            let (count, signed) = shape(instruction.operation());
            let part = place as usize..(place + count) as usize;
            if instruction.class() == crate::Class::Store {
                bytes[part].copy_from_slice(&value.to_le_bytes()[..count as usize]);
            } else {
                let loaded = bytes[part].iter().rev().fold(0_u32, |all, byte| all * 256 + u32::from(*byte));
                let negative = signed && loaded >> (8 * count - 1) == 1;
                let expected = if negative { loaded.wrapping_sub(1 << (8 * count)) } else { loaded };
                prop_assert_eq!(machine.registers[5], expected, "{}", instruction);
                prop_assert_eq!(log.steps[0].result, expected);
            }
            let new = u32::from_le_bytes(bytes[word..word + 4].try_into().expect("four"));
            let seen = Access { address: address & !3, old, new };
            prop_assert!(log.steps[0].access == Some(seen));
            prop_assert_eq!(machine.word(address), Some(new));
        }
    }
}

#[test]
fn loads_from_text_and_constants_work_and_stores_trap() {
    let load = i(O::Lw, 5, 6, 0, 0);
    let program = code(&[load]);
    assert_eq!(once(&program, &[(6, TEXT)]).0.registers[5], load.encode());
    assert_eq!(once(&program, &[(6, CONSTANTS + 60)]).0.registers[5], 0x3f3e_3d3c);
    for address in [TEXT, CONSTANTS, CONSTANTS + 60] {
        let store = i(O::Sw, 0, 6, 7, 0).encode();
        assert_eq!(trap_of(store, &[(6, address), (7, 1)]), (Cause::StoreReadOnly, address));
    }
}

#[test]
fn misaligned_accesses_trap_wherever_they_are() {
    for (operations, cause) in [(&LOADS[..], Cause::MisalignedLoad), (&STORES, Cause::MisalignedStore)] {
        for operation in operations {
            let store = STORES.contains(operation);
            let word = i(*operation, if store { 0 } else { 5 }, 6, if store { 7 } else { 0 }, 0).encode();
            let (count, _) = shape(*operation);
            for address in [DATA + 1, DATA + 2, DATA + 3, 1, 2, CONSTANTS + 3, u32::MAX] {
                if address % count != 0 {
                    assert_eq!(trap_of(word, &[(6, address)]), (cause, address), "{operation} {address:#x}");
                }
            }
        }
    }
}

#[test]
fn accesses_outside_of_the_segments_trap() {
    for (operations, cause) in [(&LOADS[..], Cause::LoadOutside), (&STORES, Cause::StoreOutside)] {
        for operation in operations {
            let store = STORES.contains(operation);
            let (count, _) = shape(*operation);
            for address in [
                0,
                TEXT - count,
                TEXT + 4,
                CONSTANTS + 64,
                DATA + 0x1_0000,
                0x8000_0000,
                0u32.wrapping_sub(count),
            ] {
                let offset = 4 - count as i32;
                let word = i(*operation, if store { 0 } else { 5 }, 6, if store { 7 } else { 0 }, offset);
                let base = address.wrapping_sub(offset as u32);
                assert_eq!(
                    trap_of(word.encode(), &[(6, base)]),
                    (cause, address),
                    "{operation} {address:#x}"
                );
            }
        }
    }
}
