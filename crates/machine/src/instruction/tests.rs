use proptest::prelude::*;

use super::table::TABLE;
use super::*;

fn text(word: u32) -> String {
    Instruction::decode(word).map_or_else(|| "illegal".to_owned(), |instruction| instruction.to_string())
}

#[test]
fn the_table_is_in_the_order_of_the_operations() {
    for (index, row) in TABLE.iter().enumerate() {
        assert_eq!(row.operation as usize, index, "{}", row.name);
        assert_eq!(format!("{:?}", row.operation).to_lowercase(), row.name);
        // Not even the bits of other formats hide a row: each decodes to itself.
        assert_eq!(Operation::of(row.word), Some(row.operation), "{}", row.name);
    }
    for (index, class) in Class::ALL.iter().enumerate() {
        assert_eq!(*class as usize, index);
        assert!(TABLE.iter().any(|row| row.class == *class), "{class}");
    }
}

/// What the GNU assembler (binutils 2.40) makes of these lines.
#[test]
fn words_are_those_of_an_assembler() {
    for (word, line) in [
        (0x00c5_8533, "add a0, a1, a2"),
        (0x40c5_8533, "sub a0, a1, a2"),
        (0xfff5_0513, "addi a0, a0, -1"),
        (0x8005_b513, "sltiu a0, a1, -2048"),
        (0x41f5_d513, "srai a0, a1, 31"),
        (0x02c5_e533, "rem a0, a1, a2"),
        (0x02c5_a533, "mulhsu a0, a1, a2"),
        (0x0081_2503, "lw a0, 8(sp)"),
        (0xfea1_0fa3, "sb a0, -1(sp)"),
        (0x7ea1_1fa3, "sh a0, 2047(sp)"),
        (0x0000_0463, "beq zero, zero, . + 8"),
        (0x82b5_7063, "bgeu a0, a1, . - 4064"),
        (0xffdf_f0ef, "jal ra, . - 4"),
        (0x7fff_f06f, "jal zero, . + 1048574"),
        (0x0000_8067, "jalr zero, 0(ra)"),
        (0xffff_f537, "lui a0, 0xfffff"),
        (0x0000_1197, "auipc gp, 0x1"),
        (0x0ff0_000f, "fence iorw, iorw"),
        (0x0120_000f, "fence w, r"),
        (0x0000_000f, "fence 0, 0"),
        (0x0000_0073, "ecall"),
        (0x0010_0073, "ebreak"),
    ] {
        assert_eq!(text(word), line, "{word:08x}");
    }
}

#[test]
fn words_outside_of_rv32im_are_illegal_and_messages_say_why() {
    for (word, why) in [
        (0x0000_0000, "zeros"),
        (0x0000_4501, "compressed"),
        (0xffff_ffff, ""),
        (0x0000_100f, "Zifencei"),
        (0xc000_2573, "Zicsr"),
        (0x3020_0073, "privileged"),
        // wfi; ecall with a register.
        (0x1050_0073, "privileged"),
        (0x0000_00f3, "privileged"),
        (0x100a_252f, "atomic"),
        (0x0000_7053, "floating"),
        // The sixth bit of a shift on 64-bit machines; ld, sd, addw; shifts with other bits set.
        (0x0205_1513, ""),
        (0x0005_3503, ""),
        (0x00a5_3023, ""),
        (0x00a5_053b, ""),
        (0x0200_5013 | 1 << 31, ""),
        // andn of Zbb; funct3 2 of branches; funct3 1 of jalr.
        (0x40c5_f533, ""),
        (0x0000_2063, ""),
        (0x0000_1067, ""),
    ] {
        assert_eq!(text(word), "illegal", "{word:08x}");
        let said = extension(word).unwrap_or_default();
        assert!(said.contains(why) && said.is_empty() == why.is_empty(), "{word:08x}: {said}");
    }
}

#[test]
fn parts_that_do_not_fit_make_no_instruction() {
    let is =
        |operation, rd, rs1, rs2, immediate| Instruction::new(operation, rd, rs1, rs2, immediate).is_some();
    use Operation::{Add, Addi, Auipc, Beq, Ecall, Fence, Jal, Lui, Slli, Sw};
    for (low, high, operation) in [(-2048, 2047, Addi), (0, 31, Slli), (-2048, 2047, Fence)] {
        assert!(is(operation, 1, 2, 0, low) && is(operation, 1, 2, 0, high), "{operation}");
        assert!(!is(operation, 1, 2, 0, low - 1) && !is(operation, 1, 2, 0, high + 1), "{operation}");
        assert!(!is(operation, 1, 2, 1, low) && !is(operation, 32, 2, 0, low), "{operation}");
    }
    assert!(is(Beq, 0, 1, 2, 4094) && is(Beq, 0, 1, 2, -4096));
    assert!(!is(Beq, 0, 1, 2, 4096) && !is(Beq, 0, 1, 2, 3) && !is(Beq, 1, 1, 2, 4));
    assert!(is(Jal, 1, 0, 0, -1_048_576) && !is(Jal, 1, 0, 0, 1_048_576) && !is(Jal, 1, 1, 0, 4));
    for operation in [Lui, Auipc] {
        assert!(is(operation, 1, 0, 0, i32::MIN) && !is(operation, 1, 0, 0, 1));
    }
    assert!(is(Add, 31, 31, 31, 0) && !is(Add, 31, 31, 31, 1) && !is(Add, 1, 32, 1, 0));
    assert!(is(Sw, 0, 1, 2, -2048) && !is(Sw, 1, 1, 2, 0));
    assert!(is(Ecall, 0, 0, 0, 0) && !is(Ecall, 1, 0, 0, 0) && !is(Ecall, 0, 0, 0, 1));
}

proptest! {
    #[test]
    fn legal_words_survive(words in proptest::collection::vec(any::<u32>(), 64)) {
        for word in words {
            // Most random words are of no opcode of ours; the second is.
            for word in [word, word & !0x7f | TABLE[(word % 48) as usize].word & 0x7f] {
                if let Some(instruction) = Instruction::decode(word) {
                    prop_assert_eq!(instruction.encode(), word);
                }
            }
        }
    }

    #[test]
    fn instructions_survive(index in 0..48_usize, fields: [u8; 3], immediate: i32) {
        let operation = TABLE[index].operation;
        let high = immediate >> 20;
        for immediate in [0, high, high & !1, immediate >> 11 & !1, immediate & !0xfff, immediate & 31] {
            // All kinds of formats: those without some of the registers, too.
            for kept in 0..8_u8 {
                let [rd, rs1, rs2] = [0, 1, 2].map(|i| fields[i] % 33 * (kept >> i & 1));
                if let Some(instruction) = Instruction::new(operation, rd, rs1, rs2, immediate) {
                    prop_assert_eq!(Instruction::decode(instruction.encode()), Some(instruction));
                    prop_assert_eq!(instruction.operation(), operation);
                    prop_assert_eq!((instruction.rd(), instruction.rs1(), instruction.rs2()), (rd, rs1, rs2));
                    prop_assert_eq!(instruction.immediate(), immediate);
                }
            }
        }
    }
}
