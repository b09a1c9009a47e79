use proptest::prelude::*;

use super::*;
use crate::fuzz;
use crate::symbols::{Symbol, Symbols};

/// A program with all kinds of segments and two symbols.
fn program() -> Program {
    let segment = |address, size, bytes: &[u8], kind| Segment { address, size, bytes: bytes.to_vec(), kind };
    let segments = vec![
        segment(0x1_0094, 12, &[0x93, 0x08, 0xd0, 0x05, 0x73, 0, 0, 0], Kind::Text),
        segment(0x1_109d, 3, b"abc", Kind::ReadOnly),
        segment(0x2_00a0, 0x1_0000, &[1, 2, 3], Kind::Writable),
    ];
    let program = Program::new(0x1_0094, segments).expect("a program");
    let at = |address, name| Symbol { address, name };
    program.with_symbols(Symbols::new(vec![at(0x1_0098, 8), at(0x1_0094, 1)], b"\0_start\0call\0".to_vec()))
}

/// The file of [`program`] with a number changed: bytes at an offset.
fn changed(at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut file = write(&program());
    file[at..at + bytes.len()].copy_from_slice(bytes);
    file
}

/// Where the program header of this number is.
fn entry(number: usize) -> usize {
    HEADER + PROGRAM_HEADER * number
}

#[test]
fn what_is_written_is_read() {
    let program = program();
    let file = write(&program);
    assert_eq!(parse(&file).as_ref(), Ok(&program));
    assert_eq!(program.place(0x1_0094), Some(("_start".to_owned(), 0)));
    assert_eq!(program.place(0x1_009b), Some(("call".to_owned(), 3)));
    // Outside of text there is no place.
    assert_eq!((program.place(0x1_0008), program.place(0x2_00a0)), (None, None));
    fuzz::elf(&file);
    // Where they lie in their pages.
    for number in 0..3 {
        let word = |at| word(&file, entry(number) + at).expect("a word");
        assert_eq!(word(4) % 4096, word(8) % 4096);
    }
}

#[test]
fn files_that_are_no_program_say_what_they_are() {
    for (file, error) in [
        (b"#!/bin/sh\n".to_vec(), Error::Magic),
        (Vec::new(), Error::Magic),
        (MAGIC.to_vec(), Error::Short("header")),
        (write(&program())[..51].to_vec(), Error::Short("header")),
        (changed(4, &[2]), Error::Class),
        (changed(4, &[3]), Error::Header),
        (changed(5, &[2]), Error::Endianness),
        (changed(5, &[0]), Error::Header),
        (changed(6, &[2]), Error::Header),
        (changed(20, &[2]), Error::Header),
        (changed(40, &[64]), Error::Header),
        (changed(42, &[31]), Error::Header),
        (changed(18, &[62, 0]), Error::Machine(62)),
        (changed(16, &[1]), Error::Object),
        (changed(16, &[3]), Error::Shared),
        (changed(16, &[4]), Error::Type(4)),
        (changed(36, &[1]), Error::Compressed),
        (changed(36, &[3]), Error::Compressed),
        (changed(36, &[2]), Error::Float),
        (changed(36, &[4]), Error::Float),
        (changed(36, &[8]), Error::Embedded),
        (changed(36, &[32]), Error::Flags(32)),
        (changed(44, &[129, 0]), Error::Headers(129)),
        (changed(44, &[128, 0]), Error::Short("program headers")),
        (changed(28, &[0xff; 4]), Error::Short("program headers")),
        (changed(entry(1), &[2]), Error::Dynamic),
        (changed(entry(1), &[3]), Error::Dynamic),
        (changed(entry(0) + 24, &[7]), Error::WritableText(0x1_0094)),
        (changed(entry(2) + 24, &[0]), Error::Unreadable(0x2_00a0)),
        (changed(entry(1) + 16, &[4]), Error::Content(0x1_109d)),
        (changed(entry(1) + 4, &[0xff; 4]), Error::Short("segments")),
        // The bytes of the second segment are said to be most of the file; so are those of the third.
        (
            {
                let mut file = changed(entry(1) + 4, &[0; 4]);
                for number in [1, 2] {
                    file[entry(number) + 4..entry(number) + 8].fill(0);
                    file[entry(number) + 16..entry(number) + 24]
                        .copy_from_slice(&[180, 0, 0, 0, 180, 0, 0, 0]);
                }
                file
            },
            Error::Shares,
        ),
        (changed(24, &[0x96]), Error::Program(program::Error::Entry(0x1_0096))),
        (
            changed(entry(2) + 8, &[0x94, 0, 1, 0]),
            Error::Program(program::Error::Overlap(0x1_0094, 0x1_0094)),
        ),
    ] {
        let said = parse(&file);
        assert_eq!(said.as_ref().err(), Some(&error), "{said:?}");
        let message = error.to_string();
        assert!(!message.contains('\n') && !message.is_empty(), "{message}");
    }
    for error in [Error::Class, Error::Compressed, Error::Float, Error::Machine(62)] {
        assert!(error.to_string().contains("-march=rv32im -mabi=ilp32 -static"), "{error}");
    }
}

#[test]
fn what_does_not_matter_is_skipped() {
    // Total store order; an unknown type of program header, for a segment that nothing needs.
    assert_eq!(parse(&changed(36, &[16])), Ok(program()));
    let skipped = parse(&changed(entry(1), &[3, 0, 0, 0x70])).expect("a program");
    assert_eq!(skipped.segments().len(), 2);
    // An empty segment with any address and offset.
    let mut file = changed(entry(1) + 4, &[0xff; 4]);
    file[entry(1) + 16..entry(1) + 24].fill(0);
    assert_eq!(parse(&file).expect("a program"), skipped);
    // Symbols that are damaged: the same program without names.
    let end = write(&program()).len();
    let bare = write(&program())[..end - 1].to_vec();
    for file in [changed(32, &[0xff; 4]), changed(46, &[39]), changed(48, &[9]), bare] {
        let program = parse(&file).expect("a program");
        assert_eq!((program.place(0x1_0094), program.segments().len()), (None, 3));
    }
}

#[test]
fn every_prefix_and_every_change_of_a_byte_returns() {
    let file = write(&program());
    for length in 0..file.len() {
        fuzz::elf(&file[..length]);
    }
    for (at, byte) in file.iter().enumerate() {
        for value in [0, 1, 2, 0x7f, 0x80, 0xff, byte.wrapping_add(1)] {
            fuzz::elf(&changed(at, &[value]));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn changed_files_return(changes in proptest::collection::vec((0..400_usize, any::<u8>()), 1..8)) {
        let mut file = write(&program());
        for (at, value) in changes {
            let at = at % file.len();
            file[at] = value;
        }
        fuzz::elf(&file);
    }
}
