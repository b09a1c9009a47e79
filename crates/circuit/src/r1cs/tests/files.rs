//! Written files are read back; every error names what is wrong and where.

use proptest::prelude::*;
use volery_field::Bn254Scalar;

use super::*;
use crate::Evaluator;

/// Terms of a random combination.
fn combination(wires: u32) -> impl Strategy<Value = Vec<(u32, F61)>> {
    let coefficient = prop_oneof![Just(F61::ONE), Just(-F61::ONE), Just(F61::ZERO), any::<u64>().prop_map(f)];
    prop::collection::vec((0..wires, coefficient), 0..5)
}

fn system() -> impl Strategy<Value = R1cs<F61>> {
    (0..3_u32, 0..3_u32, 0..3_u32, 0..5_u32).prop_flat_map(
        |(outputs, public_inputs, private_inputs, more)| {
            let wires = 1 + outputs + public_inputs + private_inputs + more;
            let constraint = (combination(wires), combination(wires), combination(wires));
            prop::collection::vec(constraint, 0..20).prop_map(move |constraints| {
                let mut builder =
                    Builder::new(Counts { wires, outputs, public_inputs, private_inputs }).expect("enough");
                for (a, b, c) in constraints {
                    builder.constraint(&a, &b, &c).expect("wires exist");
                }
                builder.finish()
            })
        },
    )
}

proptest! {
    #[test]
    fn a_system_survives_its_file(system in system()) {
        let bytes = written(&system);
        let again = read(&bytes).expect("valid");
        prop_assert_eq!(&again, &system);
        prop_assert_eq!(written(&again), bytes);
        prop_assert_eq!(Header::read(Cursor::new(written(&system)), "h").expect("valid"), *system.header());
    }

    #[test]
    fn values_survive_their_file(mut values in prop::collection::vec(any::<u64>().prop_map(f), 1..20)) {
        values[0] = F61::ONE;
        let mut bytes = Vec::new();
        Assignment::new(values.clone()).expect("wire 0 is 1").write(&mut bytes).expect("memory");
        prop_assert!(read_values(&bytes).expect("valid").values() == values);
    }

    #[test]
    fn no_cut_file_is_read(system in system(), at: prop::sample::Index) {
        let bytes = written(&system);
        let cut = &bytes[..at.index(bytes.len())];
        let refused = matches!(read(cut), Err(Error::Binary { .. }));
        prop_assert!(refused);
    }

    #[test]
    fn a_changed_constraint_changes_the_hash(first in system(), second in system()) {
        prop_assert_eq!(first.hash() == second.hash(), first == second);
    }
}

/// A file in parts: for each section its kind, the size it claims less what it has, and its content.
struct Parts {
    magic: [u8; 4],
    version: u32,
    sections: Vec<(u32, u64, Vec<u8>)>,
}

impl Parts {
    fn of(bytes: &[u8]) -> Self {
        let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4"));
        let mut sections = Vec::new();
        let mut at = 12;
        while at < bytes.len() {
            let size = u64::from_le_bytes(bytes[at + 4..at + 12].try_into().expect("8")) as usize;
            sections.push((u32_at(at), 0, bytes[at + 12..at + 12 + size].to_vec()));
            at += 12 + size;
        }
        Self { magic: bytes[..4].try_into().expect("4"), version: u32_at(4), sections }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.magic.to_vec();
        bytes.extend_from_slice(&self.version.to_le_bytes());
        bytes.extend_from_slice(&(self.sections.len() as u32).to_le_bytes());
        for (kind, more, content) in &self.sections {
            bytes.extend_from_slice(&kind.to_le_bytes());
            bytes.extend_from_slice(&(content.len() as u64).wrapping_add(*more).to_le_bytes());
            bytes.extend_from_slice(content);
        }
        bytes
    }

    fn section(&mut self, kind: u32) -> &mut Vec<u8> {
        &mut self.sections.iter_mut().find(|section| section.0 == kind).expect("it is there").2
    }
}

/// The file of `every_kind` with a change, which must be refused at `offset` (where it is not the reader's
/// matter) for `reason`.
fn refused(offset: impl Into<Option<u64>>, reason: &str, change: impl FnOnce(&mut Parts)) {
    let mut parts = Parts::of(&written(&every_kind().0));
    change(&mut parts);
    check_refusal(read(&parts.bytes()).expect_err(reason), offset.into(), reason);
}

fn check_refusal(error: Error, offset: Option<u64>, expected: &str) {
    match error {
        Error::Binary { offset: at, reason, .. } => {
            assert!(reason.contains(expected), "{reason}");
            assert!(offset.is_none_or(|offset| offset == at), "at {at}: {reason}");
        }
        other => panic!("{expected}: {other}"),
    }
}

fn put(content: &mut [u8], at: usize, number: u32) {
    content[at..at + 4].copy_from_slice(&number.to_le_bytes());
}

// In the header section, after field size and prime of 8 bytes.
const HEADER: u64 = 24;
const WIRES: usize = 12;
const CONSTRAINTS: u64 = HEADER + 40 + 12;

#[test]
fn the_container_is_checked() {
    refused(0, "does not begin", |parts| parts.magic = *b"wtns");
    refused(4, "version 2", |parts| parts.version = 2);
    refused(8, "header section (kind 1) is missing", |parts| parts.sections.retain(|s| s.0 != 1));
    refused(8, "constraints section (kind 2) is missing", |parts| parts.sections.retain(|s| s.0 != 2));
    refused(8, "wire-to-label section (kind 3) is missing", |parts| parts.sections.retain(|s| s.0 != 3));
    for kind in 1..=3 {
        refused(None, "a second", |parts| {
            let copy = parts.section(kind).clone();
            parts.sections.push((kind, 0, copy));
        });
    }
    for kind in [4, 5] {
        refused(None, "custom gates", |parts| parts.sections.push((kind, 0, vec![0; 4])));
    }
    refused(None, "claims", |parts| parts.sections[2].1 = 1);
    refused(12, "claims", |parts| parts.sections[0].1 = u64::MAX - 100);
    refused(None, "1 byte after the last section", |parts| parts.sections[2].1 = u64::MAX);
    refused(8, "65 sections", |parts| parts.sections.extend((6..68).map(|kind| (kind, 0, Vec::new()))));
    let mut bytes = written(&every_kind().0);
    bytes.push(0);
    check_refusal(read(&bytes).expect_err("longer"), None, "1 byte after the last section");
}

#[test]
fn sections_come_in_any_order_and_unknown_ones_are_skipped() {
    let system = every_kind().0;
    let mut parts = Parts::of(&written(&system));
    parts.sections.reverse();
    parts.sections.insert(1, (77, 0, vec![1; 100_000]));
    parts.sections.push((77, 0, Vec::new()));
    let again = read(&parts.bytes()).expect("the same");
    assert_eq!(again, system);
}

#[test]
fn every_field_of_the_header_is_checked() {
    let header = |offset: u64, reason: &str, at: usize, number: u32| {
        refused(offset, reason, |parts| put(parts.section(1), at, number));
    };
    for size in [0, 7, 12, 72, u32::MAX] {
        header(HEADER, "field size", 0, size);
    }
    header(HEADER + 4, "no field here has the prime 0x1fffffff00000001", 4, 1);
    header(HEADER + 4, "no field here", 4, 0);
    // A field size of 16, with the prime and 8 bytes of zeros.
    refused(HEADER + 4, "no field here", |parts| {
        let header = parts.section(1);
        put(header, 0, 16);
        header.splice(12..12, [0; 8]);
    });
    header(HEADER + 12, "2 wires, but the constant, 1 output and 1 public input take 3", WIRES, 2);
    header(HEADER + 12, "the constant", WIRES, 0);
    header(HEADER + 12, "(not 8 for each)", WIRES, 6);
    header(HEADER + 12, "(not 8 for each)", WIRES, u32::MAX);
    for at in [4, 8] {
        header(HEADER + 12, "the constant", WIRES + at, u32::MAX);
        header(HEADER + 12, "the constant", WIRES + at, 6);
    }
    header(HEADER + 36, "4294967295 constraints in a constraints section", WIRES + 24, u32::MAX);
    refused(None, "constraint 7, combination A: it ends", |parts| put(parts.section(1), WIRES + 24, 8));
    refused(None, " more in the constraints section", |parts| put(parts.section(1), WIRES + 24, 6));
    refused(None, "1 byte more in the header section", |parts| parts.section(1).push(0));
    refused(None, "it ends inside the number of constraints", |parts| {
        parts.section(1).pop();
    });
    refused(None, "(not 8 for each)", |parts| parts.section(3).push(0));
    refused(None, "(not 8 for each)", |parts| parts.section(3).clear());
}

#[test]
fn every_part_of_a_constraint_is_checked() {
    let change = |offset, reason: &str, at: usize, number: u32| {
        refused(offset, reason, |parts| put(parts.section(2), at, number));
    };
    change(CONSTRAINTS, "constraint 0, combination A: 4294967295 terms", 0, u32::MAX);
    change(CONSTRAINTS + 16, "constraint 0, combination B: 1000000 terms", 16, 1_000_000);
    change(CONSTRAINTS + 4, "wire 7 of 7", 4, 7);
    change(CONSTRAINTS + 4, "wire 4294967295 of 7", 4, u32::MAX);
    // The coefficient 2^61 - 1, which is zero but not canonically, and one far above.
    refused(CONSTRAINTS + 4, "constraint 0, combination A: a coefficient is not below the prime", |parts| {
        parts.section(2)[8..16].copy_from_slice(&volery_field::f61::P.to_le_bytes());
    });
    change(CONSTRAINTS + 20, "constraint 0, combination B: a coefficient", 28, u32::MAX);
    refused(None, "constraint 6, combination C: 2 terms take 24 bytes", |parts| {
        parts.section(2).pop();
    });
}

#[test]
fn primes_are_told_apart() {
    for known in KnownPrime::ALL {
        assert_eq!(KnownPrime::of(&known.modulus()), Some(*known));
        assert_eq!(known.modulus().len(), known.bytes());
    }
    assert_eq!(KnownPrime::Mersenne61.modulus(), ((1_u64 << 61) - 1).to_le_bytes());
    // As circom writes it, in 8 bytes.
    let goldilocks = [1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff];
    assert_eq!(KnownPrime::of(&goldilocks), Some(KnownPrime::Goldilocks));
    // The example in the format's specification.
    let example: [u8; 32] = [
        0x01, 0x00, 0x00, 0xf0, 0x93, 0xf5, 0xe1, 0x43, 0x91, 0x70, 0xb9, 0x79, 0x48, 0xe8, 0x33, 0x28, 0x5d,
        0x58, 0x81, 0x81, 0xb6, 0x45, 0x50, 0xb8, 0x29, 0xa0, 0x31, 0xe1, 0x72, 0x4e, 0x64, 0x30,
    ];
    assert_eq!(KnownPrime::of(&example), Some(KnownPrime::Bn254));
    assert_eq!(KnownPrime::of(&[]), None);
    assert_eq!(KnownPrime::of(&example[..31]), None);
}

#[test]
fn a_file_over_another_field_is_refused() {
    let (system, assignment) = sample::<Bn254Scalar>(1, 3).expect("few");
    let (mut r1cs, mut wtns) = (Vec::new(), Vec::new());
    system.write(&mut r1cs).expect("memory");
    assignment.write(&mut wtns).expect("memory");
    assert_eq!(Header::read(Cursor::new(&r1cs), "h").expect("valid").prime, KnownPrime::Bn254);
    check_refusal(read(&r1cs).expect_err("another field"), None, "over BN254's scalar field, but 2^61-1");
    check_refusal(
        read_values(&wtns).expect_err("another field"),
        None,
        "over BN254's scalar field, but 2^61-1",
    );
    let again = R1cs::<Bn254Scalar>::read(Cursor::new(&r1cs), "r").expect("valid");
    assert_eq!(again, system);
}

#[test]
fn every_part_of_a_values_file_is_checked() {
    let mut bytes = Vec::new();
    Assignment::new(every_kind().1).expect("1").write(&mut bytes).expect("memory");
    let refused = |offset: Option<u64>, reason: &str, change: &dyn Fn(&mut Parts)| {
        let mut parts = Parts::of(&bytes);
        change(&mut parts);
        check_refusal(read_values(&parts.bytes()).expect_err(reason), offset, reason);
    };
    refused(Some(0), "does not begin", &|parts| parts.magic = *b"r1cs");
    refused(Some(4), "version 1", &|parts| parts.version = 1);
    refused(Some(24), "field size", &|parts| put(parts.section(1), 0, 9));
    refused(Some(28), "no field here", &|parts| put(parts.section(1), 4, 7));
    refused(Some(36), "8 values of 64 bytes in all; the values section has 56", &|parts| {
        put(parts.section(1), 12, 8)
    });
    refused(Some(36), "4294967295 values", &|parts| put(parts.section(1), 12, u32::MAX));
    refused(None, "values section has 57", &|parts| parts.section(2).push(0));
    refused(None, "a second values section", &|parts| parts.sections.push((2, 0, Vec::new())));
    refused(None, "missing", &|parts| drop(parts.sections.pop()));
    refused(None, "a value is not below the prime", &|parts| parts.section(2)[8..16].fill(0xff));
    let mut parts = Parts::of(&bytes);
    parts.section(2)[0] = 2;
    assert!(matches!(read_values(&parts.bytes()), Err(Error::Witness(reason)) if reason.contains("wire 0")));
    assert!(matches!(Assignment::<F61>::new(Vec::new()), Err(Error::Witness(_))));
    assert!(!format!("{:?}", read_values(&bytes).expect("valid")).contains('8'), "values are shown");
}

#[test]
fn a_builder_refuses_wires_that_are_not_there() {
    let counts = Counts { wires: 2, outputs: 1, public_inputs: 1, private_inputs: 0 };
    assert!(matches!(Builder::<F61>::new(counts), Err(Error::Circuit(_))));
    let mut builder = Builder::new(Counts { wires: 2, ..Counts::default() }).expect("enough");
    assert!(matches!(builder.constraint(&[(2, F61::ONE)], &[], &[]), Err(Error::Circuit(_))));
}

/// Circom counts all private inputs, and leaves those out of the wires that no constraint uses.
#[test]
fn private_inputs_may_outnumber_the_wires() {
    let counts = Counts { wires: 3, outputs: 1, public_inputs: 0, private_inputs: 40 };
    let mut builder = Builder::<F61>::new(counts).expect("enough");
    builder.constraint(&[(2, F61::ONE)], &[(2, F61::ONE)], &[(1, F61::ONE)]).expect("wires");
    let system = read(&written(&builder.finish())).expect("well-formed");
    let values = [1, 49, 7].map(F61::new).to_vec();
    let assignment = Assignment::new(values).expect("wire 0 is one");
    let statement = R1csStatement::prove(std::sync::Arc::new(system), assignment).expect("fits");
    assert_eq!(Evaluator::<F61>::check(&statement), Ok(()));
}

#[test]
fn files_that_are_not_there_are_named() {
    let error = R1cs::<F61>::open("/nowhere/a.r1cs").expect_err("no such file");
    assert!(matches!(&error, Error::Io { what, .. } if what == "/nowhere/a.r1cs"), "{error}");
    assert!(matches!(Header::open("/nowhere/a.r1cs"), Err(Error::Io { .. })));
    assert!(matches!(Assignment::<F61>::open("/nowhere/a.wtns"), Err(Error::Io { .. })));
}
