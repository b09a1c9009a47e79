//! The encoding of P's message.

use proptest::prelude::*;

use super::*;
use crate::page::attestation::Context;
use crate::page::claim::Interval;

fn message() -> DisclosureMessage {
    let claims = vec![
        Assertion::Equals(b"a".to_vec()),
        Assertion::At { offset: 3, text: b"bc".to_vec() },
        Assertion::Contains(b"d".to_vec()),
        Assertion::Number(Interval::at_least(1)),
    ];
    let mut shown = usual();
    shown[1].hidden[0].claims = claims;
    shown[1].hidden.push(Hidden {
        round: 3,
        part: Part::Body,
        class: Class::Opaque,
        ranges: vec![0..1, 5..9],
        claims: Vec::new(),
        commit: Some(Form::Bytes),
        leaves: Vec::new(),
    });
    shown[1].hidden[1].commit = Some(Form::Number);
    DisclosureMessage { context: Context::new(b"nonce").unwrap(), holder: None, opened: vec![1, 2, 3], shown }
}

#[test]
fn a_message_is_read_as_it_was_written_and_only_whole() {
    let bytes = message().encode();
    assert_eq!(DisclosureMessage::decode(&bytes), Ok(message()));
    assert!(bytes.len() < DisclosureMessage::max_bytes(3, REQUEST.len() + RESPONSE.len()));
    for end in 0..bytes.len() {
        assert!(matches!(DisclosureMessage::decode(&bytes[..end]), Err(Refusal::Message(_))), "{end}");
    }
    assert!(matches!(DisclosureMessage::decode(&[&*bytes, &[0]].concat()), Err(Refusal::Message(_))));
}

proptest! {
    #[test]
    fn a_changed_message_is_refused_or_means_something_else(place: proptest::sample::Index, change in 1..=u8::MAX) {
        let mut bytes = message().encode();
        let place = place.index(bytes.len());
        bytes[place] ^= change;
        if let Ok(read) = DisclosureMessage::decode(&bytes) {
            prop_assert_ne!(&read, &message());
            prop_assert_eq!(read.encode(), bytes);
            let _ = verdict(&read.shown);
        }
    }

    #[test]
    fn any_bytes_are_refused_or_read_back(bytes: Vec<u8>) {
        if let Ok(read) = DisclosureMessage::decode(&bytes) {
            prop_assert_eq!(read.encode(), bytes);
        }
    }
}
