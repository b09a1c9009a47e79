//! RISC-V programs: one of those in `guest/examples`, which are kept compiled.

use volery_statement::describe::Description;
use volery_statement::{Kind, Named, Padding, Refusal, Source, Target, compute, load};

use super::{bytes, meet};

/// The file of the example `sum` with this name.
fn example(name: &str) -> Source {
    let path = format!("{}/../../guest/examples/sum/{name}", env!("CARGO_MANIFEST_DIR"));
    Source::bytes(name, std::fs::read(path).expect("is kept"))
}

fn sum() -> Named {
    let (program, public) = (example("sum-c.elf"), example("public.txt"));
    Named { target: Target::File(program), public: Some(public), ..Named::default() }
}

#[test]
fn a_run_is_proved_and_how_it_ended_is_told() {
    let public = load(&sum()).expect("is a program");
    let mut known = load(&sum()).and_then(|it| it.with_witness(&example("secret.txt").into())).expect("runs");
    known.check().expect("ends as claimed");
    known.pad(&Padding::Uniform).expect("is a run");
    let class = known.profile_class(None, None).expect("has a class");
    known.pad(&Padding::Class(bytes(class))).expect("is of its own class");
    let [proved, verified] = meet(&*known, &*public);
    let (proved, verified) = (proved.expect("is proved"), verified.expect("is accepted"));
    let told = verified.run.expect("is a run");
    assert_eq!(told.code, Some(0));
    assert_eq!(Some(told.journal), proved.run.map(|run| run.journal));
    let described = known.describe().expect("has run");
    let Description::Program(info) = described.description else { panic!("is a program") };
    assert!(info.run.is_some_and(|run| run.segments > 0));
}

#[test]
fn a_run_that_ends_otherwise_is_found_before_a_session_and_rejected_in_one() {
    let named = Named { values: vec![("exit".into(), "1".into())], ..sum() };
    let public = load(&named).expect("is a program");
    let known = load(&named).and_then(|it| it.with_witness(&example("secret.txt").into())).expect("runs");
    let found = volery_statement::Error::from(known.check().expect_err("exits with 0"));
    assert_eq!(found.kind(), Kind::Unsatisfied);
    assert!(super::cheat(&*known, &*public, false).is_rejection());
}

#[test]
fn runs_have_no_public_files_and_steps_are_bounded() {
    let named = Named { values: vec![("max-steps".into(), "10".into())], ..sum() };
    let long = load(&named).and_then(|it| it.with_witness(&example("secret.txt").into()));
    let told = long.err().expect("is too long").to_string();
    assert!(told.ends_with("; `max_steps` changes it"), "{told}");
    let refused = compute(&sum(), &example("secret.txt").into()).expect_err("has no public file");
    assert!(matches!(refused, volery_statement::Error::Refused(Refusal::NoPublicFile)));
}
