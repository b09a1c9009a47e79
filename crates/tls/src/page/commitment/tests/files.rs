//! Openings as files, and against attestations.

use core::ops::Range;

use curve25519_dalek::scalar::Scalar;
use proptest::prelude::*;

use super::super::*;
use super::attested::{NAME, TARGET, TEXT, attestation, bytes, number, openings, statement};
use crate::testing::hex;
use crate::wire::prf::Side;

fn shown(side: Side, part: &str, ranges: &[Range<u64>], bytes: &[u8]) -> Disclosed {
    Disclosed { side, part: part.into(), ranges: ranges.to_vec(), bytes: bytes.to_vec() }
}

#[test]
fn what_is_shown_is_the_payload_and_nothing_else_is_in_the_file() {
    let all = openings().check(&statement()).unwrap();
    let name = shown(Side::Server, "json name", &[NAME], &TEXT[28..60]);
    let balance = shown(Side::Server, "json balance", &[74..77, 79..81], b"51203");
    assert_eq!(all, [shown(Side::Client, "path", &[TARGET], &TEXT[5..9]), name.clone(), balance]);
    assert_eq!(openings().check_all(&statement()), Ok(()));
    let chosen = openings().select(&[(Side::Server, 28)]).unwrap();
    let read = Openings::from_bytes(&chosen.to_bytes()).unwrap();
    assert_eq!(read.check(&statement()).unwrap(), [name]);
    assert_eq!(read.check_all(&statement()), Err(OpeningsError::Others { attested: 3, opened: 1 }));
    assert_eq!(Openings::check_none(&statement()), Err(OpeningsError::Others { attested: 3, opened: 0 }));
}

#[test]
fn a_commitment_opened_to_other_contents_is_refused() {
    let refused = |place: Place, values: &[(&[u8], u64)]| {
        let opening =
            |(bytes, blinding): &(&[u8], u64)| Opening::of_bytes(bytes, Scalar::from(*blinding)).unwrap();
        let openings = Openings::new(&[place], values.iter().map(opening).collect()).unwrap();
        let expected = OpeningsError::NotCommitted { side: place.side, start: place.start };
        assert_eq!(openings.check(&statement()).err(), Some(expected));
    };
    let good = [(&TEXT[28..59], 28), (&TEXT[59..60], 59)];
    let mut other = TEXT[28..59].to_vec();
    other[30] ^= 1;
    let place = bytes(Side::Server, 28, 32);
    refused(place, &[(&other, 28), good[1]]);
    refused(place, &[good[0], (&TEXT[59..60], 60)]);
    refused(place, &[(&TEXT[28..59], 59), (&TEXT[59..60], 28)]);
    // The right contents of another place, another direction, a shorter or a longer place.
    refused(bytes(Side::Server, 29, 32), &good);
    refused(bytes(Side::Client, 28, 32), &good);
    refused(bytes(Side::Server, 28, 31), &good[..1]);
    refused(bytes(Side::Server, 28, 33), &[good[0], (&TEXT[59..61], 59)]);
    // Another number, with as many digits; the right one as what it is not.
    let little = 51_203_u64.to_le_bytes();
    refused(number(Side::Server, 74, 5), &[(&51_204_u64.to_le_bytes(), 74)]);
    refused(bytes(Side::Server, 74, 8), &[(&little, 74)]);
}

#[test]
fn only_what_is_committed_to_can_be_selected() {
    for (side, start) in [(Side::Client, 28), (Side::Server, 5), (Side::Server, 59), (Side::Server, 27)] {
        let expected = OpeningsError::Missing { side, start };
        assert_eq!(openings().select(&[(side, start)]).err(), Some(expected));
    }
    let two = openings().select(&[(Side::Server, 74), (Side::Client, 5)]).unwrap();
    assert_eq!(two.places().map(|place| place.start).collect::<Vec<_>>(), [5, 74]);
    for parts in [&[][..], &[(Side::Client, 5), (Side::Client, 5)]] {
        assert!(matches!(openings().select(parts).err(), Some(OpeningsError::Places(_))));
    }
    assert_eq!(openings().number(Side::Server, 74).unwrap().number(), Some(51_203));
    assert!(openings().number(Side::Server, 28).is_none() && openings().number(Side::Server, 75).is_none());
}

#[test]
fn an_opening_s_bytes_and_number_are_its_value_or_none() {
    let opening = |bytes: &[u8]| Opening::of_bytes(bytes, Scalar::ONE).unwrap();
    assert_eq!(opening(&[1, 2]).number(), Some(0x201));
    assert_eq!(opening(&[0xff; 8]).number(), Some(u64::MAX));
    assert_eq!(opening(&[0, 0, 0, 0, 0, 0, 0, 0, 1]).number(), None);
    assert_eq!(opening(&[0xff; 31]).bytes(31).as_deref(), Some(&vec![0xff; 31]));
    assert!(opening(&[0xff; 31]).bytes(30).is_none());
    assert!(opening(&[]).bytes(33).is_none());
    assert!(Opening::of_bytes(&[0; 32], Scalar::ONE).is_err());
    let (a, b) = (Opening::of_number(0x201, Scalar::ONE), opening(&[1, 2, 0]));
    assert_eq!(a.commitment(), b.commitment());
}

#[test]
fn commitments_are_read_in_their_canonical_form_alone() {
    let commitment = Opening::of_bytes(b"HTTP", Scalar::ONE).unwrap().commitment();
    assert_eq!(Commitment::from_bytes(commitment.to_bytes()), Some(commitment));
    // RFC 9496, appendix A.2: not canonical, and not a square.
    for bad in [
        "00ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "0100000000000000000000000000000000000000000000000000000000000000",
    ] {
        assert!(Commitment::from_bytes(hex(bad).try_into().unwrap()).is_none());
    }
}

fn blinding(number: u8) -> [u8; 32] {
    let mut little = [0; 32];
    little[0] = number;
    little
}

/// Version 2's bytes, made by hand.
#[test]
fn the_format_is_pinned() {
    let part = |side: u8, form: u8, start: u64, length: u32| {
        [&[side, form], &start.to_be_bytes()[..], &length.to_be_bytes()].concat()
    };
    let expected = [
        b"volery openings\n\0\x02\0\0\0\x03".to_vec(),
        part(0, 0, 5, 4),
        [&TEXT[5..9], &blinding(5)].concat(),
        part(1, 0, 28, 32),
        [&TEXT[28..59], &blinding(28)].concat(),
        [&TEXT[59..60], &blinding(59)].concat(),
        part(1, 1, 74, 5),
        [&51_203_u64.to_be_bytes()[..], &blinding(74)].concat(),
    ];
    assert_eq!(*openings().to_bytes(), expected.concat());
}

#[test]
fn files_that_break_a_rule_are_refused() {
    // Where the parts begin: 14 bytes, then values.
    let (good, [first, second, third]) = (openings().to_bytes(), [22, 72, 182]);
    let broken = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = good.to_vec();
        change(&mut bytes);
        Openings::from_bytes(&bytes).err()
    };
    let places = |error: Option<OpeningsError>| matches!(error, Some(OpeningsError::Places(_)));
    let malformed = |error: Option<OpeningsError>| matches!(error, Some(OpeningsError::Malformed(_)));
    assert_eq!(broken(&|bytes| bytes[17] = 1), Some(OpeningsError::Version(1)));
    assert!(malformed(broken(&|bytes| bytes[0] ^= 1)));
    assert!(malformed(broken(&|bytes| bytes.push(0))));
    assert!(malformed(broken(&|bytes| bytes[21] = 4)));
    assert!(malformed(broken(&|bytes| bytes[18..22].fill(0xff))));
    // The first part: its side, form, place, length, blinding.
    assert!(malformed(broken(&|bytes| bytes[first] = 2)));
    assert!(malformed(broken(&|bytes| bytes[first + 1] = 2)));
    assert!(places(broken(&|bytes| bytes[first + 3] = 1)));
    assert!(places(broken(&|bytes| bytes[first + 2..first + 10].fill(0xff))));
    assert!(malformed(broken(&|bytes| bytes[first + 10..first + 14].fill(0xff))));
    assert!(malformed(broken(&|bytes| bytes[first + 18..second].fill(0xff))));
    assert!(places(broken(&|bytes| {
        bytes.truncate(first);
        bytes[21] = 0;
    })));
    // The number: with more digits, fewer, none, too many, and one that is longer.
    for length in [6, 4, 0, 20] {
        assert!(places(broken(&|bytes| bytes[third + 13] = length)), "{length}");
    }
    assert!(places(broken(&|bytes| bytes[third + 14] = 1)));
    // A place before the second's; a part twice; parts in another order.
    assert!(places(broken(&|bytes| bytes[third + 9] = 28)));
    let part = good[first..second].to_vec();
    let twice = |bytes: &mut Vec<u8>| {
        bytes.splice(first..first, part.clone());
        bytes[21] = 4;
    };
    assert!(places(broken(&twice)));
    let last = |bytes: &mut Vec<u8>| {
        bytes.drain(first..second);
        bytes.extend(part.clone());
    };
    assert!(places(broken(&last)));
    for end in 0..good.len() {
        assert!(malformed(Openings::from_bytes(&good[..end]).err()), "{end}");
    }
    assert!(malformed(Openings::from_bytes(&vec![0; MAX_BYTES + 1]).err()));
}

#[test]
fn places_that_no_file_may_have_are_refused() {
    let one = |place: Place, bytes: &[u8]| {
        let opening = Opening::of_bytes(bytes, Scalar::ONE).unwrap();
        Openings::new(&[place], vec![opening]).err()
    };
    let side = Side::Server;
    assert_eq!(one(bytes(side, 0, 31), &[0xff; 31]), None);
    assert_eq!(one(bytes(side, (1 << 48) - 1, 1), b"x"), None);
    assert_eq!(one(number(side, 0, 1), &[9]), None);
    for (place, bytes) in [
        (bytes(side, 0, 0), &b""[..]),
        (bytes(side, 0, 32), b"x"),
        (bytes(side, 0, u64::MAX), b"x"),
        (bytes(side, 1 << 48, 1), b"x"),
        (bytes(side, 0, 2), b"abc"),
        (number(side, 0, 1), &[10]),
        (number(side, 0, 2), &[9]),
        (number(side, 0, 20), &[0xff; 8]),
        (number(side, 0, 3), &[1; 9]),
    ] {
        assert!(matches!(one(place, bytes), Some(OpeningsError::Places(_))), "{place:?}");
    }
    assert!(matches!(Openings::new(&[], Vec::new()).err(), Some(OpeningsError::Places(_))));
    assert!(matches!(Openings::new(&[bytes(side, 0, 1)], Vec::new()).err(), Some(OpeningsError::Places(_))));
}

/// Each change of the attestation ends its signature, so nothing can be opened against it.
#[test]
fn an_attestation_with_a_changed_commitment_is_not_believed() {
    let (attestation, key) = attestation();
    let bytes = attestation.to_bytes();
    let point = openings().number(Side::Server, 74).unwrap().commitment().to_bytes();
    let at = bytes.windows(32).position(|window| window == point).unwrap();
    for place in at..at + 32 {
        let mut changed = bytes.clone();
        changed[place] ^= 1;
        let read = crate::page::attestation::Attestation::from_bytes(&changed);
        assert!(read.and_then(|read| read.verify(&key).map(|_| ())).is_err(), "{place}");
    }
}

proptest! {
    #[test]
    fn any_openings_survive_writing(
        starts in prop::collection::btree_set((any::<bool>(), 0_u64..1 << 40), 1..20),
        content in prop::collection::vec(any::<u8>(), 1..=31),
        value in any::<u64>(),
        blinding in any::<[u8; 32]>(),
    ) {
        let scalar = Scalar::from_bytes_mod_order(blinding);
        let value = value >> 1;
        let (mut places, mut openings) = (Vec::new(), Vec::new());
        for (i, (server, start)) in starts.into_iter().enumerate() {
            let side = if server { Side::Server } else { Side::Client };
            if i % 2 == 0 {
                places.push(bytes(side, start, content.len() as u64));
                openings.push(Opening::of_bytes(&content, scalar).unwrap());
            } else {
                places.push(number(side, start, value.to_string().len() as u64));
                openings.push(Opening::of_number(value, scalar));
            }
        }
        let openings = Openings::new(&places, openings).unwrap();
        let read = Openings::from_bytes(&openings.to_bytes()).unwrap();
        prop_assert_eq!(read.places().copied().collect::<Vec<_>>(), places);
        prop_assert_eq!(&*read.to_bytes(), &*openings.to_bytes());
    }

    #[test]
    fn what_is_read_writes_the_same_bytes(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        let mut bytes = openings().to_bytes().to_vec();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(read) = Openings::from_bytes(&bytes) {
            prop_assert_eq!(read.to_bytes().to_vec(), bytes);
        }
    }
}
