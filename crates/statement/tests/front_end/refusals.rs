//! What is refused, and in which words.

use volery_statement::{Branch, Disjunction, Error, Kind, MachineRing, Named, Target, compute, load};

use super::{builtin, bytes, file};

const CIRCUIT: &str = "1 3\n2 1 1\n1 1\n\n2 1 0 1 2 AND\n";

fn refused(named: &Named) -> Error {
    load(named).err().expect("makes no sense")
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    let branch = || Branch { circuit: bytes(CIRCUIT), public: None };
    let value = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
    let several = Named { any_of: vec![branch(), branch()], ..Named::default() };
    let single = Named { target: file(CIRCUIT), ..Named::default() };
    let sis = builtin("sis", &[]);
    for (named, reason) in [
        (Named { at_least: Some(1), ..single.clone() }, "`at_least` is for `any_of`"),
        (Named { repeat: Some(1), ..single.clone() }, "`repeat` is for `any_of`"),
        (Named { disjunction: Some(Disjunction::Robin), ..single.clone() }, "`disjunction` is for `any_of`"),
        (Named { at_least: Some(0), ..several.clone() }, "`at_least`: at least 1"),
        (Named { repeat: Some(0), ..several.clone() }, "`repeat`: at least 1"),
        (Named { repeat: Some(2), at_least: Some(2), ..several.clone() }, "give `at_least` or `repeat`, not"),
        (Named { ring: Some(MachineRing::Z32), ..several.clone() }, "`ring` is not for `any_of`"),
        (Named { values: value("secret-program", "1"), ..several.clone() }, "`secret_program` is not for"),
        (Named { target: file(CIRCUIT), ..several.clone() }, "give one statement, or `any_of`, not both"),
        (several, "a circuit needs a claim: `public` for all, or a public file of its own"),
        (Named { values: value("length", "1"), ..single.clone() }, "`length` is for built-in statements"),
        (Named { values: value("exit", "1"), ..single.clone() }, "`exit` is for RISC-V programs"),
        (
            Named { values: [value("rows", "1"), value("rows", "2")].concat(), ..sis.clone() },
            "`rows` is given",
        ),
        (Named { field: Some("f62".into()), ..matmul() }, "`field` f62: unknown; the fields are f61, "),
        (Named { field: Some("f61".into()), ..single }, "`field` is for "),
        (matmul(), "matmul needs `public`: "),
    ] {
        let error = refused(&named);
        assert_eq!(error.kind(), Kind::Input);
        assert!(error.to_string().contains(reason), "{error}\n{reason}");
    }
}

fn matmul() -> Named {
    builtin("matmul", &[("rows", "1"), ("inner", "1"), ("columns", "1")])
}

#[test]
fn what_is_no_statement_is_refused() {
    for (target, reason) in [
        (Target::Builtin("sha257".into()), "`sha257` is neither a file nor a built-in statement (sha256-"),
        (Target::of("/no/such/file".as_ref()), "`/no/such/file` is neither a file nor"),
        (file("no circuit"), "the statement, line 1, column 1"),
    ] {
        let error = refused(&Named { target, ..Named::default() });
        assert!(error.to_string().contains(reason), "{error}\n{reason}");
    }
}

/// A front end writes options as its users do.
#[test]
fn a_front_end_writes_options_its_own_way() {
    let error = refused(&matmul());
    let spelled = error.message(&|name, value| format!("--{name} {value}"));
    assert!(spelled.starts_with("matmul needs --public FILE: "), "{spelled}");
    // A file that is read has no options in it.
    let error = refused(&Named { target: file("x"), ..Named::default() });
    assert_eq!(error.message(&|_, _| panic!("no option")), error.to_string());
}

#[test]
fn public_values_that_follow_from_the_witness_are_not_given() {
    let named = Named { public: Some(bytes("1")), ..builtin("inner-product", &[("length", "1")]) };
    let refused = compute(&named, &bytes("1 1").into()).expect_err("has a public file");
    assert!(refused.to_string().starts_with("`public`: all public values"), "{refused}");
}

/// Nobody can hand a stream's bytes to a run that reads them again.
#[test]
fn a_statement_is_in_a_file_or_in_memory() {
    let open = || Err(std::io::ErrorKind::NotFound.into());
    let stream = volery_statement::Source::Stream { name: "standard input", open };
    let error = refused(&Named { target: Target::File(stream), ..Named::default() });
    assert!(error.to_string().contains("is read more than once"), "{error}");
}
