//! Built-in statements about bits, circuits, some of several circuits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use volery::Options;
use volery_statement::describe::Description;
use volery_statement::{
    Branch, Disjunction, Kind, Named, Progress, Target, Watch, WitnessSource, compute, load, settle,
};

use super::{builtin, bytes, file, honest_and_cheating, meet, meet_with};

/// Two bits, and their AND and XOR.
const AND_XOR: &str = "2 4\n2 1 1\n1 2\n\n2 1 0 1 2 AND\n2 1 0 1 3 XOR\n";
/// Two bits, and their XOR and AND.
const XOR_AND: &str = "2 4\n2 1 1\n1 2\n\n2 1 0 1 2 XOR\n2 1 0 1 3 AND\n";

/// SHA-256 of `abc` (FIPS 180-2, appendix B.1).
const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

fn circuit() -> Named {
    Named { target: file(AND_XOR), public: Some(bytes("output 0 = 0b01\n")), ..Named::default() }
}

fn several() -> Named {
    let branch = |circuit| Branch { circuit: bytes(circuit), public: None };
    Named {
        any_of: vec![branch(AND_XOR), branch(XOR_AND)],
        public: Some(bytes("output 0 = 0b01\n")),
        ..Named::default()
    }
}

#[test]
fn a_preimage_is_proved_and_another_message_is_rejected() {
    let named = builtin("sha256-preimage", &[("digest", ABC), ("length", "3")]);
    honest_and_cheating(&named, &bytes("0x616263").into(), &bytes("0x616264").into());
    let told = compute(&named, &bytes("0x616264").into()).expect("has a digest");
    assert!(told.starts_with("digest = a52d159f262b2c6ddb724a61840befc3"), "{told}");
}

#[test]
fn a_circuit_in_memory_is_proved_and_another_input_is_rejected() {
    let [right, wrong] = ["0b1\n0b1\n", "0b1\n0b0\n"].map(|witness| bytes(witness).into());
    honest_and_cheating(&circuit(), &right, &wrong);
    let named = Named { public: None, ..circuit() };
    assert_eq!(compute(&named, &right).expect("has outputs"), "output 0 = 0b01\n");
}

#[test]
fn a_statement_with_another_claim_is_a_mismatch() {
    let other = Named { public: Some(bytes("output 0 = 0b10\n")), ..circuit() };
    let known = load(&other).and_then(|it| it.with_witness(&bytes("0b1\n0b0\n").into())).expect("is right");
    let public = load(&circuit()).expect("is a statement");
    for refused in meet(&*known, &*public) {
        assert_eq!(refused.expect_err("differs").kind(), Kind::Mismatch);
    }
}

#[test]
fn one_of_several_circuits_is_proved_by_each_protocol() {
    let whole = |text: &str| WitnessSource::from(bytes(text));
    for disjunction in [None, Some(Disjunction::Robin), Some(Disjunction::Macncheese)] {
        let named = Named { disjunction, ..several() };
        honest_and_cheating(&named, &whole("branch 1\n0b1\n0b0\n"), &whole("branch 1\n0b1\n0b1\n"));
    }
    // A witness for a branch may also be a file of its own.
    let branch = |number, text: &str| WitnessSource::OfBranches(vec![(number, bytes(text))]);
    honest_and_cheating(&several(), &branch(0, "0b1\n0b1\n"), &branch(0, "0b0\n0b0\n"));
    assert!(load(&several()).unwrap().with_witness(&branch(2, "0b1\n0b1\n")).is_err());
}

#[test]
fn one_of_several_circuits_is_proved_several_times() {
    let claims = "repetition 0\noutput 0 = 0b01\nrepetition 1\noutput 0 = 0b10\n";
    let named = Named { repeat: Some(2), public: Some(bytes(claims)), ..several() };
    let of = |second: &str| WitnessSource::OfBranches(vec![(0, bytes("0b1\n0b1\n")), (1, bytes(second))]);
    honest_and_cheating(&named, &of("0b1\n0b1\n"), &of("0b0\n0b1\n"));
}

#[test]
fn a_statement_says_what_it_is_and_what_its_proofs_take() {
    let statement = load(&circuit()).expect("is a statement");
    let described = statement.describe().expect("is counted");
    let Description::Bits(info) = &described.description else { panic!("is about bits") };
    assert_eq!((info.ands, info.xors, info.secret_bits, info.outputs[0].bits), (1, 1, 2, 2));
    let ways = statement.ways().expect("has sessions");
    assert_eq!(ways.iter().map(|way| way.protocol).collect::<Vec<_>>(), ["quicksilver"; 2]);
    let settled = settle(&*statement, Options::default(), None).expect("is sound");
    let estimate = settled.foresee().expect("is rehearsed").expect("is foreseen");
    assert!(estimate.bytes_prover > 0 && settled.round_trips() == Some(estimate.round_trips));
    // One commitment for each secret bit and each AND.
    assert_eq!(settled.commitments().expect("is counted"), Some(3));
}

#[test]
fn no_proof_is_sounder_than_its_field_allows() {
    let named = Named { public: Some(bytes("6\n")), ..builtin("inner-product", &[("length", "1")]) };
    let statement = load(&named).expect("is a statement");
    assert!(settle(&*statement, Options::default(), Some(100)).is_ok());
    let error = settle(&*statement, Options::default(), Some(128)).err().expect("is out of reach");
    assert_eq!(error.kind(), Kind::Input);
    assert!(error.to_string().starts_with("`rho` 128 is out of reach"), "{error}");
}

/// Counts what it is told.
#[derive(Default)]
struct Count(AtomicU64);

impl Progress for Count {
    fn committed(&self, values: u64) {
        self.0.fetch_add(values, Ordering::Relaxed);
    }
}

#[test]
fn progress_is_told_value_by_value() {
    let length = "1000";
    let message = "00".repeat(1000);
    let named = builtin("sha256-preimage", &[("digest", ABC), ("length", length)]);
    let digest = compute(&named, &bytes(format!("0x{message}")).into()).expect("has a digest");
    let named = Named { values: Vec::new(), public: Some(bytes(digest)), ..named };
    let public = load(&named).expect("is a statement");
    let known = load(&named).and_then(|it| it.with_witness(&bytes(format!("0x{message}")).into())).unwrap();
    let count = Arc::new(Count::default());
    let watch = Watch::new(Arc::clone(&count) as _);
    let [proved, verified] = meet_with(&*known, &*public, Options::default(), &watch);
    assert!(proved.is_ok() && verified.is_ok());
    let all = settle(&*public, Options::default(), None).unwrap().commitments().unwrap().unwrap();
    let told = count.0.load(Ordering::Relaxed);
    // Frames are whole bytes, or words.
    assert!((all..all + all / 10).contains(&told), "{told} of {all}");
}

#[test]
fn what_a_word_names_is_a_built_in_or_a_file() {
    assert!(matches!(Target::of("sis".as_ref()), Target::Builtin(name) if name == "sis"));
    assert!(matches!(Target::of("./sis".as_ref()), Target::File(_)));
    assert!(matches!(Target::of("".as_ref()), Target::None));
}
