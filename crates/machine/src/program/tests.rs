use super::*;

fn segment(address: u32, size: u32, kind: Kind) -> Segment {
    let bytes =
        if kind == Kind::Text { vec![0x13, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x13] } else { Vec::new() };
    Segment { address, size, bytes, kind }
}

fn text(address: u32) -> Segment {
    segment(address, 16, Kind::Text)
}

fn with(other: Segment) -> Result<Program, Error> {
    Program::new(0x1_0000, vec![text(0x1_0000), other])
}

#[test]
fn text_is_decoded_as_far_as_the_file_fills_whole_words() {
    let program = Program::new(0x1_0000, vec![text(0x1_0000)]).expect("a program");
    assert_eq!(program.code().len(), 2);
    assert_eq!(program.instruction(0x1_0000).map(|i| i.to_string()).as_deref(), Some("addi zero, zero, 0"));
    for address in [0x1_0001, 0x1_0004, 0x1_0008, 0x1_000c, 0xfffc, 0] {
        assert_eq!(program.instruction(address), None, "{address:#x}");
    }
}

/// The file alone is looked at: zeros behind it are no text.
#[test]
fn text_has_as_many_words_as_a_proof_can_hold_and_not_one_more() {
    let with = |words: usize| {
        let bytes = [0x13, 0, 0, 0].repeat(words);
        let size = u32::try_from(bytes.len()).expect("short") + 4096;
        Program::new(0x1_0000, vec![Segment { address: 0x1_0000, size, bytes, kind: Kind::Text }])
    };
    assert_eq!(with(MAX_TEXT).expect("a program").code().len(), MAX_TEXT);
    let refused = with(MAX_TEXT + 1).expect_err("too long");
    assert_eq!(refused, Error::TextSize(MAX_TEXT + 1));
    assert!(
        refused.to_string().starts_with("its text has 4194305 words; at most 4194304 can be loaded: link")
    );
}

#[test]
fn every_rule_has_its_error() {
    use Kind::{ReadOnly, Text, Writable};
    let stack = STACK_END - STACK_BYTES;
    assert!(with(segment(0, 4, ReadOnly)).is_ok());
    assert!(with(segment(0xffff_fffc, 4, Writable)).is_ok());
    assert!(with(segment(STACK_END, 0x7fff_ffff, Writable)).is_ok());
    assert!(with(segment(stack - 4, 4, Writable)).is_ok());
    // An empty one is nowhere.
    assert!(with(segment(stack, 0, Writable)).is_ok());
    for (other, error) in [
        (segment(0xffff_fffd, 4, Writable), Error::Size(0xffff_fffd)),
        (Segment { bytes: vec![1], ..segment(0, 0, Writable) }, Error::Size(0)),
        (segment(0x1_000f, 1, ReadOnly), Error::Overlap(0x1_0000, 0x1_000f)),
        (segment(0xfffd, 4, Writable), Error::Overlap(0xfffd, 0x1_0000)),
        (segment(0x1_0000, 1, Writable), Error::Overlap(0x1_0000, 0x1_0000)),
        (segment(stack - 3, 4, Writable), Error::Stack(stack - 3)),
        (segment(STACK_END - 1, 1, Writable), Error::Stack(STACK_END - 1)),
        (segment(0x2_0000, u32::MAX - 0x2_0000, Writable), Error::Stack(0x2_0000)),
        (segment(0x2_0000, 16, Text), Error::TwoTexts(0x1_0000, 0x2_0000)),
    ] {
        let said = with(other.clone());
        assert_eq!(said.err(), Some(error), "{other:?}");
    }
    // Segments that only share a word.
    let parts = vec![text(0x1_0000), segment(0x2_0000, 5, Writable), segment(0x2_0006, 2, ReadOnly)];
    assert_eq!(Program::new(0x1_0000, parts), Err(Error::Overlap(0x2_0000, 0x2_0006)));
    for entry in [0, 0xfffc, 0x1_0002, 0x1_0008, 0x1_0010] {
        assert_eq!(Program::new(entry, vec![text(0x1_0000)]), Err(Error::Entry(entry)));
    }
    assert!(Program::new(0x1_0004, vec![text(0x1_0000)]).is_ok());
    assert_eq!(Program::new(0x1_0002, vec![text(0x1_0002)]), Err(Error::TextAddress(0x1_0002)));
    assert_eq!(Program::new(0, vec![segment(0, 4, Writable)]), Err(Error::NoText));
    let many = (0..=MAX_SEGMENTS as u32).map(|i| segment(8 * i, 4, Writable)).collect();
    assert_eq!(Program::new(0, many), Err(Error::Segments(MAX_SEGMENTS + 1)));
}

#[test]
fn the_digest_covers_all_but_names_and_order() {
    let data = Segment { bytes: vec![1, 2], ..segment(0x2_0000, 8, Kind::Writable) };
    let digest = |entry, parts: &[Segment]| Program::new(entry, parts.to_vec()).expect("a program").digest();
    let first = digest(0x1_0000, &[text(0x1_0000), data.clone()]);
    // Pinned: claims about a program name this.
    let hex: String = first.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex, "079c8823fb1a0d7ae6e4be7f20d815021d66b5672ce479f9fbc7f09a614149a1");
    assert_eq!(digest(0x1_0000, &[data.clone(), text(0x1_0000)]), first);
    for other in [
        Segment { address: 0x2_0004, ..data.clone() },
        Segment { size: 9, ..data.clone() },
        Segment { bytes: vec![1, 3], ..data.clone() },
        Segment { bytes: vec![1, 2, 0], ..data.clone() },
        Segment { kind: Kind::ReadOnly, ..data.clone() },
    ] {
        assert_ne!(digest(0x1_0000, &[text(0x1_0000), other]), first);
    }
    assert_ne!(digest(0x1_0004, &[text(0x1_0000), data]), first);
}
