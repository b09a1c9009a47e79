//! Leaves against a plain SHA-256, in all shapes, and what they cost.

use sha2::{Digest as _, Sha256 as Plain};
use volery_circuit::{Counter, Error as CircuitError, Evaluator};
use volery_testing::rng;

use super::*;
use crate::page::claim::Class;
use crate::page::disclosure::Hidden;

/// A hidden string that begins with the text.
fn hidden(part: Part, class: Class, length: usize) -> Hidden {
    let ranges = core::iter::once(0..length).collect();
    Hidden { round: 0, part, class, ranges, claims: Vec::new(), commit: None, leaves: Vec::new() }
}

fn run(between: &[&str]) -> Part {
    let between = between.iter().map(|text| (*text).to_owned()).collect();
    Part::Values(Values { first: "a".into(), between })
}

/// The leaves of a response that is one hidden string, and their contents.
fn committed(part: Part, class: Class, text: &[u8]) -> (Hidden, Vec<Vec<u8>>, Seed) {
    let seed = Seed::new(&mut rng(7));
    let mut shown = RedactedPayload { text: Vec::new(), hidden: vec![hidden(part, class, text.len())] };
    let contents = commit(&mut shown, Side::Server, text, &seed);
    (shown.hidden.remove(0), contents.into_iter().map(|(_, content)| content.to_vec()).collect(), seed)
}

fn claims(hidden: &Hidden, seed: &Seed) -> LeafClaims {
    let mut claims =
        LeafClaims::new((Side::Server, 0), &hidden.part, hidden.length(), &hidden.leaves).unwrap();
    claims.keep_salts(seed);
    claims
}

fn proves(claims: &LeafClaims, text: &[u8]) -> Result<(), CircuitError> {
    claims.assert(&mut Evaluator::new(), &bytes_to_bits(text))
}

/// By the formulas of the module's documentation.
#[test]
fn a_leaf_is_the_hash_of_salt_index_and_content() {
    let seed = [9; 32];
    let salt = |index: u32| {
        let hash = Plain::digest([&b"volery leaf salt v1"[..], &seed, &index.to_be_bytes()].concat());
        hash[..16].to_vec()
    };
    let mut shown = RedactedPayload {
        text: Vec::new(),
        hidden: vec![
            hidden(Part::Query, Class::Query, 3),
            Hidden { ranges: vec![3..10, 12..14], ..hidden(run(&[","]), Class::Values, 9) },
        ],
    };
    // The second string is `{2,true,x`, which is no run; then `12,"a bc"`.
    commit(&mut shown, Side::Client, b"a=b{2,true..,x", &Seed::from_bytes(seed));
    assert_eq!(shown.hidden[1].leaves.len(), 0);
    commit(&mut shown, Side::Client, b"a=b12,\"a b..c\"", &Seed::from_bytes(seed));
    let expected = |index: u32, content: &[u8]| -> [u8; 32] {
        Plain::digest([&salt(index), &index.to_be_bytes()[..], content].concat()).into()
    };
    assert_eq!(shown.hidden[0].leaves, [expected(0, b"a=b")]);
    // The longest value of 9 bytes and a comma has 7, and one more is for the end.
    let values = [expected(1, b"12\x80\0\0\0\0\0"), expected(2, b"\"a bc\"\x80\0")];
    assert_eq!(shown.hidden[1].leaves, values);
    let mut response = shown.clone();
    commit(&mut response, Side::Server, b"a=b12,\"a b..c\"", &Seed::from_bytes(seed));
    assert_eq!(response.hidden[0].leaves, [expected(1 << 31, b"a=b")]);
}

#[test]
fn leaves_of_every_shape_are_proved_and_of_no_other_bytes() {
    let long = [b'x'; CHUNK + 1];
    for (part, class, text, count) in [
        (Part::Path, Class::Path, &b"account"[..], 1),
        (Part::Body, Class::Opaque, &long, 2),
        (Part::Body, Class::Opaque, &long[..CHUNK], 1),
        (run(&[",", ", \"b\": "]), Class::Values, br#"true,"\u00e9 \"b\": ", "b": -1.5e3"#, 3),
        (run(&[","]), Class::Values, b"1,2", 2),
        (run(&["]["]), Class::Values, br#""",null"#, 2),
    ] {
        let text = if part == run(&["]["]) { &br#""""#[..] } else { text };
        let part = if text == br#""""# { Part::Json("a".into()) } else { part };
        let class = if part == Part::Json("a".into()) { Class::JsonText } else { class };
        let count = if class == Class::JsonText { 1 } else { count };
        let (hidden, contents, seed) = committed(part, class, text);
        assert_eq!((hidden.leaves.len(), contents.len()), (count, count));
        let claims = claims(&hidden, &seed);
        assert_eq!(proves(&claims, text), Ok(()));
        let mut other = text.to_vec();
        let last = other.len() - 1;
        other[last] ^= 1;
        assert!(matches!(proves(&claims, &other), Err(CircuitError::Unsatisfied { .. })));
        // Without the salts there is no proof, and with others neither.
        let mut unsalted = self::claims(&hidden, &seed);
        unsalted.salts = None;
        assert!(matches!(proves(&unsalted, text), Err(CircuitError::Witness(_))));
        unsalted.keep_salts(&Seed::from_bytes([0; 32]));
        assert!(matches!(proves(&unsalted, text), Err(CircuitError::Unsatisfied { .. })));
        // The digest of another leaf.
        let mut swapped = hidden.clone();
        swapped.leaves.rotate_left(1);
        if count > 1 {
            let swapped = self::claims(&swapped, &seed);
            assert!(matches!(proves(&swapped, text), Err(CircuitError::Unsatisfied { .. })));
        }
    }
}

/// Two equal values, salted alike.
#[test]
fn duplicate_leaves_do_not_show() {
    let text = [b'x'; 2 * CHUNK];
    let (hidden, ..) = committed(Part::Body, Class::Opaque, &text);
    assert_ne!(hidden.leaves[0], hidden.leaves[1]);
    let salt = [5; SALT];
    assert_ne!(digest(&salt, 0, b"x"), digest(&salt, 1, b"x"));
    assert_ne!(digest(&salt, index(Side::Client, 3), b"x"), digest(&salt, index(Side::Server, 3), b"x"));
}

/// A number of leaves other than the string has.
#[test]
fn there_is_a_digest_for_each_leaf() {
    let refused = |digests: usize| {
        LeafClaims::new((Side::Client, 0), &Part::Body, CHUNK + 1, &vec![[0; 32]; digests]).err()
    };
    assert_eq!(refused(2), None);
    for digests in [0, 1, 3] {
        assert!(matches!(refused(digests), Some(CircuitError::Public(_))));
    }
}

/// How a run is divided depends on nothing but its length and the text between its values.
#[test]
fn the_shape_of_a_run_says_nothing_of_its_values() {
    let part = run(&[", ", ", "]);
    for text in [r#"true, "abcdefg", 12345"#, r#"false, "abcdef", 12345"#, r#"1, "abcdefghijk", null"#] {
        let (hidden, ..) = committed(part.clone(), Class::Values, text.as_bytes());
        assert_eq!(Shape::of(&hidden.part, 22), Shape::Values { count: 3, room: 17 });
        assert_eq!(hidden.leaves.len(), 3);
    }
    // If the longest value may be too long, the run is one string.
    assert_eq!(Shape::of(&run(&[","]), MAX_VALUE + 2), Shape::Values { count: 2, room: MAX_VALUE + 1 });
    assert_eq!(Shape::of(&run(&[","]), MAX_VALUE + 3), Shape::Chunks { length: MAX_VALUE + 3 });
}

/// The module's documentation names these.
#[test]
fn leaves_cost_about_one_compression_for_35_bytes() {
    let count = |part: Part, class, text: &[u8]| {
        let (hidden, _, seed) = committed(part, class, text);
        let mut counter = Counter::<F2>::new();
        let claims = claims(&hidden, &seed);
        let wires = counter.secret(8 * text.len(), &mut |_| Ok(bytes_to_bits(text))).unwrap();
        claims.assert(&mut counter, &wires).unwrap();
        let ands = counter.total().multiplications;
        assert!(ands <= claims.commitments(), "an estimate that is too low");
        ands
    };
    let header = |length| count(Part::Header("a".into()), Class::HeaderValue, &vec![b'x'; length]);
    let run = run(&[",", ",", ","]);
    let values = count(run, Class::Values, br#""0123456","0123456","0123456",12"#);
    assert_eq!(([35, 36, 99, 100].map(header), values), ([21_653, 37_504, 43_922, 59_767], 92_660));
}

#[test]
fn openings_are_read_as_they_are_written() {
    let contents =
        vec![(0, b"ab".to_vec().into()), (1 << 31, Vec::new().into()), (1 << 31 | 1, vec![7; 9].into())];
    let openings = LeafOpenings::new(Seed::from_bytes([3; 32]), contents);
    let bytes = openings.to_bytes();
    let read = LeafOpenings::from_bytes(&bytes).unwrap();
    assert_eq!((read.to_bytes(), read.count()), (bytes.clone(), 3));
    let (content, salt) = read.opening(1 << 31 | 1).unwrap();
    assert_eq!((content, &*salt), (&[7; 9][..], &*Seed::from_bytes([3; 32]).salt(1 << 31 | 1)));
    assert!(read.opening(1).is_none());
    for end in 0..bytes.len() {
        assert!(LeafOpenings::from_bytes(&bytes[..end]).is_err(), "{end}");
    }
    let longer = [bytes.as_slice(), &[0]].concat();
    assert!(matches!(LeafOpenings::from_bytes(&longer), Err(LeafOpeningsError::Malformed(_))));
    let mut swapped = bytes.to_vec();
    swapped[14 + 2 + 32 + 4 + 3] = 0xff;
    swapped[14 + 2 + 32 + 4] = 0xff;
    assert!(matches!(LeafOpenings::from_bytes(&swapped), Err(LeafOpeningsError::Malformed(_))));
    let mut newer = bytes.to_vec();
    newer[15] = 9;
    assert!(matches!(LeafOpenings::from_bytes(&newer), Err(LeafOpeningsError::Version(9))));
}
