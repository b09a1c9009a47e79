//! Environment calls.

use super::*;
use crate::observer::Counts;

/// One call with these arguments, of a program that has one instruction.
fn call(number: u32, arguments: [u32; 3]) -> ([u32; 32], Option<End>, Log, Vec<u8>, Vec<u32>) {
    let program = code(&[i(Operation::Ecall, 0, 0, 0, 0)]);
    let [a0, a1, a2] = arguments;
    let (machine, log) = once(&program, &[(17, number), (10, a0), (11, a1), (12, a2)]);
    let words = (0..8).map(|word| machine.word(DATA + 4 * word).expect("data")).collect();
    assert_eq!(machine.steps, u64::from(!matches!(machine.end(), Some(End::Trap { .. }))));
    if let [call] = &log.calls[..] {
        assert_eq!((call.number, call.arguments, call.result), (number, arguments, machine.registers[10]));
        assert_eq!((log.steps[0].result, log.steps[0].next), (call.result, TEXT + 4));
    }
    (machine.registers, machine.end(), log, machine.journal().to_vec(), words)
}

fn word(bytes: &[u8; 4]) -> u32 {
    u32::from_le_bytes(*bytes)
}

#[test]
fn exit_ends_the_run_with_the_whole_code() {
    for code in [0, 3, 256, u32::MAX] {
        let (registers, end, log, ..) = call(93, [code, 1, 2]);
        assert_eq!((end, registers[10], log.calls.len()), (Some(End::Exit(code)), code, 1));
    }
}

#[test]
fn reads_take_the_inputs_in_order_wherever_the_buffer_lies() {
    let (registers, end, log, _, words) = call(63, [0, DATA + 3, 4]);
    assert_eq!((registers[10], end), (4, None));
    assert_eq!(words[..2], [word(&[1, 2, 3, b's']), word(b"ecr\0")]);
    let seen = [(DATA, word(&[1, 2, 3, 4]), words[0]), (DATA + 4, word(&[5, 0, 0, 0]), words[1])];
    assert!(log.transfers == seen.map(|(address, old, new)| Access { address, old, new }));
    // Less is left than wanted; and a buffer that would end outside if it were filled.
    for (file, buffer, length, count) in [(3, DATA, 100, 6), (0, DATA + 0xfffa, 7, 6), (3, DATA, u32::MAX, 6)]
    {
        let (registers, end, log, ..) = call(63, [file, buffer, length]);
        assert_eq!((registers[10], end, log.transfers.len()), (count, None, 2), "{buffer:#x}");
    }
    // Nothing is read, and nothing is touched.
    let (registers, end, log, ..) = call(63, [0, 1, 0]);
    assert_eq!((registers[10], end, log.transfers.len()), (0, None, 0));
}

#[test]
fn the_inputs_end() {
    let program = code(&[i(Operation::Ecall, 0, 0, 0, 0); 4]);
    let mut machine = Machine::new(&program, b"12345", b"", Limits::default());
    for (file, count, first, unread) in [(0, 3, b'1', 2), (0, 2, b'4', 0), (0, 0, b'4', 0), (3, 0, b'4', 0)] {
        machine.registers[17] = 63;
        machine.registers[10..13].copy_from_slice(&[file, DATA, 3]);
        assert_eq!(machine.advance(1, &mut ()), Ok(None));
        assert_eq!((machine.registers[10], machine.unread()), (count, (unread, 0)));
        assert_eq!(machine.word(DATA).map(|word| word as u8), Some(first));
    }
}

#[test]
fn writes_to_file_1_are_the_journal() {
    let (registers, end, log, journal, _) = call(64, [1, CONSTANTS + 3, 6]);
    assert_eq!((registers[10], end, journal), (6, None, vec![3, 4, 5, 6, 7, 8]));
    assert!(log.transfers.iter().map(|access| access.address - CONSTANTS).eq([0, 4, 8]));
    assert!(log.transfers.iter().all(|access| access.old == access.new));
    // Text can be written out, too, and a part of one word.
    assert_eq!(call(64, [1, TEXT + 1, 2]).3, [0, 0]);
    assert!(call(64, [1, 0, 0]).3.is_empty());
}

#[test]
fn buffers_outside_of_the_memory_trap_at_the_call() {
    for (number, arguments, cause, value) in [
        (63, [0, DATA + 0xfffb, 6], Cause::StoreOutside, DATA + 0x1_0000),
        (63, [3, CONSTANTS + 4, 1], Cause::StoreReadOnly, CONSTANTS + 4),
        (63, [0, TEXT, 4], Cause::StoreReadOnly, TEXT),
        (63, [0, u32::MAX, 6], Cause::StoreOutside, u32::MAX),
        (64, [1, CONSTANTS + 60, 5], Cause::LoadOutside, CONSTANTS + 64),
        (64, [1, 0, 1], Cause::LoadOutside, 0),
        (64, [1, DATA, u32::MAX], Cause::LoadOutside, DATA + 0x1_0000),
    ] {
        let ecall = i(Operation::Ecall, 0, 0, 0, 0).encode();
        let [a0, a1, a2] = arguments;
        let trapped = trap_of(ecall, &[(17, number), (10, a0), (11, a1), (12, a2)]);
        assert_eq!(trapped, (cause, value), "{number} {arguments:x?}");
    }
}

#[test]
fn debug_writes_are_free_and_never_trap() {
    let (registers, end, log, journal, _) = call(64, [2, CONSTANTS + 1, 4]);
    assert_eq!((registers[10], end, journal.len(), log.transfers.len()), (4, None, 0, 0));
    assert_eq!(log.debug, [1, 2, 3, 4]);
    // As far as there is memory, and 64 KiB at most.
    let (registers, end, log, ..) = call(64, [2, CONSTANTS + 62, 9]);
    assert_eq!((registers[10], end, log.debug), (9, None, vec![62, 63]));
    assert_eq!(call(64, [2, DATA, u32::MAX]).0[10], 1 << 16);
}

#[test]
fn other_files_and_calls_fail_as_on_linux() {
    for (number, file, result) in
        [(63, 1, -9), (63, 2, -9), (64, 0, -9), (64, 3, -9), (64, u32::MAX, -9), (214, 0, -38), (0, 0, -38)]
    {
        let (registers, end, log, ..) = call(number, [file, DATA, 1]);
        assert_eq!((registers[10] as i32, end, log.transfers.len()), (result, None, 0), "{number} {file}");
    }
}

#[test]
fn the_journal_has_a_limit() {
    let program = code(&[i(Operation::Ecall, 0, 0, 0, 0); 3]);
    let mut machine = Machine::new(&program, &[], &[], Limits { journal: 5, ..Limits::default() });
    machine.registers[17] = 64;
    for (length, result) in [(4, Ok(None)), (2, Err(Error::Journal(5))), (1, Ok(None))] {
        machine.registers[10..13].copy_from_slice(&[1, DATA, length]);
        assert_eq!(machine.advance(1, &mut ()), result);
    }
    assert_eq!(machine.journal(), [1, 2, 3, 4, 1]);
}

#[test]
fn counts_are_of_classes_words_and_calls() {
    let store = |offset| i(Operation::Sb, 0, 2, 0, offset);
    let program = code(&[
        store(0),
        store(3),
        store(4),
        i(Operation::Lw, 5, 2, 0, 0),
        i(Operation::Ecall, 0, 0, 0, 0),
        i(Operation::Addi, 17, 0, 0, 63),
        i(Operation::Addi, 11, 2, 0, 7),
        i(Operation::Addi, 10, 0, 0, 0),
        i(Operation::Ecall, 0, 0, 0, 0),
        i(Operation::Ebreak, 0, 0, 0, 0),
    ]);
    let mut machine = Machine::new(&program, b"ab", &[], Limits::default());
    machine.registers[12] = 2;
    let mut counts = Counts::default();
    let end = machine.run(&mut counts).expect("an end");
    assert_eq!(end, End::Trap { pc: TEXT + 36, cause: Cause::Breakpoint, value: 0 });
    let classes = [(crate::Class::Store, 3), (crate::Class::Load, 1), (crate::Class::AddImmediate, 3)];
    assert!(classes.iter().all(|(class, steps)| counts.steps(*class) == *steps));
    assert_eq!((counts.steps(crate::Class::System), machine.steps()), (2, 9));
    // Two words by stores; the read touches the second and a third.
    assert_eq!((counts.touched(), counts.unknown_calls()), (3, vec![(0, 1)]));
}
