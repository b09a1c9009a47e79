//! Numbers, constraint systems, one of several constraint systems.

use volery_circuit::r1cs::{Assignment, PrimeField, R1cs, sample, write_public};
use volery_field::{Bn254Scalar, F61, Goldilocks, Ring as _};
use volery_statement::{Branch, Kind, Named, Source, WitnessSource, compute, load};

use super::{builtin, bytes, file, honest_and_cheating, meet};

/// The `.r1cs` and the `.wtns` file, and `public.json`, of a system.
fn files<F: PrimeField>(system: &R1cs<F>, assignment: &Assignment<F>) -> [Vec<u8>; 3] {
    let [mut r1cs, mut wtns, mut public] = [const { Vec::new() }; 3];
    system.write(&mut r1cs).expect("memory");
    assignment.write(&mut wtns).expect("memory");
    write_public(&assignment.public(&system.header().counts).expect("has them"), &mut public)
        .expect("memory");
    [r1cs, wtns, public]
}

/// The same, and the file of an assignment that violates the last constraint.
fn sampled<F: PrimeField>(seed: u64) -> ([Vec<u8>; 3], Vec<u8>) {
    let (system, assignment) = sample::<F>(seed, 20).expect("is small");
    let mut values = assignment.values().to_vec();
    *values.last_mut().expect("has wires") += F::ONE;
    let mut wrong = Vec::new();
    Assignment::new(values).expect("wire 0 is 1").write(&mut wrong).expect("memory");
    (files(&system, &assignment), wrong)
}

#[test]
fn numbers_are_proved_and_others_are_rejected() {
    let named = Named { public: Some(bytes("11\n")), ..builtin("inner-product", &[("length", "2")]) };
    let [right, wrong] = ["1 2\n3 4\n", "1 2\n3 5\n"].map(|witness| bytes(witness).into());
    for field in [None, Some("goldilocks"), Some("bn254")] {
        let named = Named { field: field.map(str::to_owned), ..named.clone() };
        honest_and_cheating(&named, &right, &wrong);
    }
    assert_eq!(compute(&Named { public: None, ..named }, &right).expect("has a product"), "11\n");
}

fn a_system_is_proved<F: PrimeField>() {
    let ([r1cs, wtns, public], wrong) = sampled::<F>(1);
    let named = Named { target: file(&r1cs), public: Some(bytes(&public)), ..Named::default() };
    honest_and_cheating(&named, &bytes(&wtns).into(), &bytes(&wrong).into());
    let computed = compute(&Named { public: None, ..named }, &bytes(&wtns).into()).expect("satisfies it");
    assert_eq!(computed.as_bytes(), public);
}

#[test]
fn constraint_systems_in_memory_are_proved_over_the_field_of_their_prime() {
    a_system_is_proved::<F61>();
    a_system_is_proved::<Goldilocks>();
    a_system_is_proved::<Bn254Scalar>();
}

/// A prover's public values come with its witness. A verifier without them would check a proof about others.
#[test]
fn a_verifier_of_a_system_needs_its_public_values() {
    let ([r1cs, wtns, _], _) = sampled::<F61>(1);
    let named = Named { target: file(&r1cs), ..Named::default() };
    let public = load(&named).expect("is a statement");
    let known = load(&named).and_then(|it| it.with_witness(&bytes(wtns).into())).expect("suits it");
    let [_, refused] = meet(&*known, &*public);
    let refused = refused.expect_err("knows no public values");
    assert_eq!(refused.kind(), Kind::Input);
    assert!(refused.to_string().contains("a verifier needs `public`: the values of 1 output"), "{refused}");
}

#[test]
fn one_of_several_systems_is_proved_and_a_wrong_assignment_is_rejected() {
    let (of_one, of_two) = (sampled::<F61>(1), sampled::<F61>(2));
    let branch =
        |[r1cs, _, public]: &[Vec<u8>; 3]| Branch { circuit: bytes(r1cs), public: Some(bytes(public)) };
    let named = Named { any_of: vec![branch(&of_one.0), branch(&of_two.0)], ..Named::default() };
    let of = |wtns: &[u8]| WitnessSource::OfBranches(vec![(1, bytes(wtns))]);
    honest_and_cheating(&named, &of(&of_two.0[1]), &of(&of_two.1));
    let computed = compute(&named, &of(&of_two.0[1])).expect("satisfies it");
    assert_eq!(computed.as_bytes(), of_two.0[2]);
}

/// A file of a witness names another one, which is read from a disk.
#[test]
fn a_witness_file_of_several_systems_names_another_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, (of_one, _)) = (folder.path().join("one.wtns"), sampled::<F61>(1));
    std::fs::write(&path, &of_one[1]).expect("is written");
    let branch = Branch { circuit: bytes(&of_one[0]), public: Some(bytes(&of_one[2])) };
    let named = Named { any_of: vec![branch.clone(), branch], ..Named::default() };
    let witness = Source::bytes("witness", format!("branch 1\n{}\n", path.display()).into_bytes());
    let known = load(&named).and_then(|it| it.with_witness(&witness.into())).expect("suits it");
    let public = load(&named).expect("is a statement");
    assert!(meet(&*known, &*public).iter().all(Result::is_ok));
    assert_eq!(known.ring(), F61::NAME);
}
