//! Openings as files, and against attestations.

use core::ops::Range;

use curve25519_dalek::scalar::Scalar;
use proptest::prelude::*;

use super::super::*;
use crate::attestation::{Attestation, Mode, Part, SigningKey, Statement};
use crate::prf::Side;
use crate::testing::hex;

const TEXT: &[u8] = b"HTTP/1.1 200 OK\r\n\r\n{\"name\": \"somebody with quite a long name\"}";

fn place(side: Side, range: Range<u64>) -> Place {
    Place { side, range }
}

fn opening(range: &Range<u64>) -> Opening {
    let bytes = &TEXT[range.start as usize..range.end as usize];
    Opening::of_bytes(bytes, Scalar::from(1000 + range.start)).unwrap()
}

/// The response from byte 19 on, in two places, and four bytes of it as if they were the query's.
fn openings() -> Openings {
    let mut places = Place::split(Side::Server, 19..TEXT.len() as u64);
    places.push(place(Side::Client, 0..4));
    let openings = places.iter().map(|place| opening(&place.range)).collect();
    Openings::new(places, openings).unwrap()
}

/// An attestation of them, as its reader has it.
fn statement() -> Statement {
    let part = Part { length: TEXT.len() as u64, ..Part::default() };
    let mut statement = Statement {
        mode: Mode::Proxy,
        server_name: "example.com".into(),
        time: 1_780_000_000,
        query: part.clone(),
        response: part,
    };
    let (places, commitments): (Vec<_>, Vec<_>) =
        openings().entries().map(|(place, opening)| (place.clone(), opening.commitment())).unzip();
    // Attestations have their own order.
    let (places, commitments): (Vec<_>, Vec<_>) = places.into_iter().zip(commitments).rev().unzip();
    Place::attest(&places, &commitments, &mut statement).unwrap();
    let key = SigningKey::from_bytes(&[7; 32]);
    let signed = Attestation::sign(statement, &key).unwrap();
    signed.verify(&key.verifying_key().to_bytes()).unwrap().clone()
}

#[test]
fn what_is_shown_is_the_payload_and_nothing_else_is_in_the_file() {
    let all = openings().check(&statement()).unwrap();
    assert_eq!(all.len(), 3);
    for Disclosed { place, bytes } in all {
        assert_eq!(bytes, TEXT[place.range.start as usize..place.range.end as usize]);
    }
    let chosen = openings().select(Side::Server, 19..50).unwrap();
    let read = Openings::from_bytes(&chosen.to_bytes()).unwrap();
    let shown = read.check(&statement()).unwrap();
    assert_eq!(shown, [Disclosed { place: place(Side::Server, 19..50), bytes: TEXT[19..50].to_vec() }]);
}

#[test]
fn a_commitment_opened_to_other_bytes_is_refused() {
    let refused = |place: Place, bytes: &[u8], blinding: u64| {
        let opening = Opening::of_bytes(bytes, Scalar::from(blinding)).unwrap();
        let openings = Openings::new(vec![place.clone()], vec![opening]).unwrap();
        let expected = OpeningsError::NotCommitted { side: place.side, range: place.range };
        assert_eq!(openings.check(&statement()).err(), Some(expected));
    };
    let (side, range) = (Side::Server, 19..50);
    let mut other = TEXT[19..50].to_vec();
    other[30] ^= 1;
    refused(place(side, range.clone()), &other, 1019);
    refused(place(side, range.clone()), &TEXT[19..50], 1020);
    // The right contents of another place, another direction, a shorter place.
    refused(place(side, 20..51), &TEXT[19..50], 1019);
    refused(place(Side::Client, range), &TEXT[19..50], 1019);
    refused(place(Side::Client, 0..3), &TEXT[..3], 1000);
}

#[test]
fn only_what_is_committed_to_can_be_selected() {
    let end = TEXT.len() as u64;
    for range in [18..end, 19..49, 20..50, 19..end + 1, 0..4, 30..30] {
        let expected = OpeningsError::Missing { side: Side::Server, range: range.clone() };
        assert_eq!(openings().select(Side::Server, range).err(), Some(expected));
    }
    assert_eq!(openings().select(Side::Server, 19..end).unwrap().entries().len(), 2);
    assert_eq!(openings().select(Side::Client, 0..4).unwrap().entries().len(), 1);
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
    let commitment = opening(&(0..4)).commitment();
    assert_eq!(Commitment::from_bytes(commitment.to_bytes()), Some(commitment));
    // RFC 9496, appendix A.2: not canonical, and not a square.
    for bad in [
        "00ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "0100000000000000000000000000000000000000000000000000000000000000",
    ] {
        assert!(Commitment::from_bytes(hex(bad).try_into().unwrap()).is_none());
    }
}

/// Version 1's bytes, made by hand.
#[test]
fn the_format_is_pinned() {
    let entry = |side: u8, start: u64, bytes: &[u8], blinding: u16| {
        let mut little = [0; 32];
        little[..2].copy_from_slice(&blinding.to_le_bytes());
        [&[side], &start.to_be_bytes()[..], &[bytes.len() as u8], bytes, &little].concat()
    };
    let expected = [
        b"volery openings\n\0\x01\0\0\0\x03".to_vec(),
        entry(0, 0, b"HTTP", 1000),
        entry(1, 19, &TEXT[19..50], 1019),
        entry(1, 50, &TEXT[50..], 1050),
    ];
    assert_eq!(*openings().to_bytes(), expected.concat());
}

#[test]
fn files_that_break_a_rule_are_refused() {
    let good = openings().to_bytes();
    let broken = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = good.to_vec();
        change(&mut bytes);
        Openings::from_bytes(&bytes).err()
    };
    let places = |error: Option<OpeningsError>| matches!(error, Some(OpeningsError::Places(_)));
    let malformed = |error: Option<OpeningsError>| matches!(error, Some(OpeningsError::Malformed(_)));
    assert_eq!(broken(&|bytes| bytes[17] = 2), Some(OpeningsError::Version(2)));
    assert!(malformed(broken(&|bytes| bytes[0] ^= 1)));
    assert!(malformed(broken(&|bytes| bytes.push(0))));
    assert!(malformed(broken(&|bytes| bytes[21] = 4)));
    assert!(malformed(broken(&|bytes| bytes[18..22].fill(0xff))));
    // The first entry: its side, its place, its length, its blinding.
    assert!(malformed(broken(&|bytes| bytes[22] = 2)));
    assert!(places(broken(&|bytes| bytes[24] = 1)));
    assert!(malformed(broken(&|bytes| bytes[23..31].fill(0xff))));
    assert!(malformed(broken(&|bytes| bytes[31] = 0xff)));
    assert!(malformed(broken(&|bytes| bytes[36..68].fill(0xff))));
    assert!(places(broken(&|bytes| {
        bytes.truncate(22);
        bytes[21] = 0;
    })));
    // The third entry's place, before the second's; an entry twice; entries in another order.
    assert!(places(broken(&|bytes| bytes[149] = 1)));
    let first = good[22..68].to_vec();
    let twice = |bytes: &mut Vec<u8>| {
        bytes.splice(22..22, first.clone());
        bytes[21] = 4;
    };
    assert!(places(broken(&twice)));
    let last = |bytes: &mut Vec<u8>| {
        bytes.drain(22..68);
        bytes.extend(first.clone());
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
        Openings::new(vec![place], vec![opening]).err()
    };
    let side = Side::Server;
    assert_eq!(one(place(side, 0..31), &[0xff; 31]), None);
    assert_eq!(one(place(side, (1 << 48) - 1..1 << 48), b"x"), None);
    for (place, bytes) in [
        (place(side, 0..0), &b""[..]),
        (place(side, 0..32), b"x"),
        (place(side, 1 << 48..(1 << 48) + 1), b"x"),
        (place(side, 0..2), b"abc"),
    ] {
        assert!(matches!(one(place, bytes), Some(OpeningsError::Places(_))));
    }
    assert!(matches!(Openings::new(Vec::new(), Vec::new()).err(), Some(OpeningsError::Places(_))));
    assert!(matches!(
        Openings::new(vec![place(side, 0..1)], Vec::new()).err(),
        Some(OpeningsError::Places(_))
    ));
    assert!(Place::attest(&[place(side, 0..1)], &[], &mut statement()).is_err());
}

proptest! {
    #[test]
    fn any_openings_survive_writing(
        starts in prop::collection::btree_set((any::<bool>(), 0_u64..1 << 40), 1..20),
        bytes in prop::collection::vec(any::<u8>(), 1..=31),
        blinding in any::<[u8; 32]>(),
    ) {
        let length = bytes.len() as u64;
        let places: Vec<_> = starts
            .into_iter()
            .map(|(server, start)| place(if server { Side::Server } else { Side::Client }, start..start + length))
            .collect();
        let opening = Opening::of_bytes(&bytes, Scalar::from_bytes_mod_order(blinding)).unwrap();
        let openings = Openings::new(places.clone(), vec![opening; places.len()]).unwrap();
        let read = Openings::from_bytes(&openings.to_bytes()).unwrap();
        prop_assert_eq!(read.entries().map(|(place, _)| place.clone()).collect::<Vec<_>>(), places);
        prop_assert!(read.entries().all(|(_, read)| *read.bytes(bytes.len()).unwrap() == bytes));
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
