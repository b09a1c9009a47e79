//! Lies about columns that the argument itself has to refuse, by the claim that is there for them: the one
//! about tuples, the one about lookups into public tables, or that about lookups of a committed program.

use std::sync::Arc;

use volery_circuit::Error;
use volery_field::Ring as _;
use volery_testing::between;

use super::super::argument::Committed;
use super::super::argument::tests::with_lie;
use super::super::form::{Form, Lookup, Shape};
use super::super::kind::Kind as Rows;
use super::super::public::Public;
use super::super::split::tests::whole;
use super::super::statement::Meddle;
use super::super::tables::{Table, with_table};
use super::super::trace::Segment as Columns;
use super::go_on::{False, GoOn};
use super::lies::{ONE, everything};
use super::quicksilver::{go_on, verify};
use super::*;

/// Far from all values that ranges allow, from those that are multiples of what a form divides by, too.
const OFF: F61 = F61::new(0x0123_4567_89ab_cdef);

/// Whether the claims of an argument fail: about tuples, about lookups, about those of a committed program.
type Failing = [bool; 3];

/// The false claims of a run whose segments P has changed.
fn noted(run: &mut ProgramRun, meddle: impl Fn(u32, &mut Columns) + Send + Sync + 'static) -> Vec<False> {
    let meddle: Meddle = Arc::new(meddle);
    run.meddle = Some(meddle);
    let mut b = GoOn::new(Evaluator::<F61>::new());
    let result: Result<(), Error> = Statement::run(run, &mut b);
    assert_eq!(result, Ok(()));
    run.meddle = None;
    b.noted
}

/// Which claims of a part's argument are false.
fn failing(noted: &[False], part: &str) -> Failing {
    [0, 1, 2].map(|claim| noted.iter().any(|it| it.part == part && it.linear == Some(claim)))
}

/// A column of a row of a kind: by how much P changes it, in the second row of that kind.
fn change(kind: Rows, column: usize) -> impl Fn(u32, &mut Columns) + Send + Sync + 'static {
    let columns = with_table!(kind, T => T::COLUMNS);
    move |_, segment| {
        let table = &mut segment.tables[kind as usize];
        assert!(table[columns] == F61::ONE, "{kind:?}: the second row is a step");
        table[columns + column] += OFF;
    }
}

/// Whether a column is in one of these forms.
fn has<'f>(forms: impl IntoIterator<Item = &'f Form>, column: usize) -> bool {
    forms.into_iter().flat_map(|form| &form.terms).any(|(index, _)| *index == column)
}

/// What has to fail where a column is changed.
fn expected(shape: &Shape, column: usize, is_secret: bool) -> Failing {
    let looked_up = |is_committed: bool| {
        let all = shape.lookups.iter();
        let mut these = all.filter(|it| (is_secret && it.table == Public::Code) == is_committed);
        these.any(|lookup| has(&lookup.forms, column))
    };
    [shape.tuples.iter().any(|tuple| has(&tuple.forms, column)), looked_up(false), looked_up(true)]
}

fn secret_run() -> ProgramRun {
    let inputs = [b"secret", b"public"].map(|input| input.to_vec());
    let bounds = Bounds { text: TEXT, words: 300, data: 20 };
    let run = ProgramRun::of_secret(program(&everything()), bounds, inputs, ONE, Limits::default());
    run.expect("a run")
}

fn public_run() -> ProgramRun {
    run_of(&everything(), [b"secret", b"public"], ONE)
}

/// Every `among`th column is changed, from `first` on: just the claims fail that are there for it.
fn every_column(run: &mut ProgramRun, first: usize, among: usize) {
    let is_secret = run.subject.program().is_none();
    assert_eq!(run.profile().segments(), 1);
    assert!(noted(run, |_, _| ()).is_empty());
    let (mut wrong, mut number) = (Vec::new(), 0);
    for kind in Rows::ALL {
        let (shape, columns) = with_table!(kind, T => (T::shape(), T::COLUMNS));
        for column in 0..columns {
            number += 1;
            if number % among != first {
                continue;
            }
            let found = failing(&noted(run, change(kind, column)), "segment");
            let expected = expected(&shape, column, is_secret);
            if found != expected {
                wrong.push(format!("{kind:?}, column {column}: {found:?} and not {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_argument_refuses_another_value_of_a_column() {
    every_column(&mut public_run(), 3, 40);
}

#[test]
fn the_argument_refuses_another_value_of_a_secret_program_s_column() {
    every_column(&mut secret_run(), 8, 80);
}

#[test]
#[ignore = "long: some 600 arguments"]
fn long_the_argument_refuses_another_value_of_every_column() {
    every_column(&mut public_run(), 0, 1);
}

#[test]
#[ignore = "long: some 600 arguments"]
fn long_the_argument_refuses_another_value_of_every_column_with_a_secret_program() {
    every_column(&mut secret_run(), 0, 1);
}

#[test]
#[ignore = "long: some 100 arguments with large tables"]
fn long_the_argument_refuses_another_value_of_a_column_with_whole_tables() {
    whole(|| every_column(&mut public_run(), 1, 5));
}

#[test]
fn the_argument_refuses_other_ends_of_a_segment_its_registers_and_words() {
    type Lie = fn(&mut Columns);
    // What is false of tuples and of lookups: in the segment's argument, and in that of the log.
    let lies: [(&str, Lie, [bool; 4]); 9] = [
        ("the place at the end", |it| it.place += 4, [true, true, false, false]),
        ("the time at the end", |it| it.time += 1, [true, false, false, false]),
        ("the time of filler rows' memory", |it| it.aside += 1, [true, false, false, false]),
        ("a register's value", |it| it.registers[7].value ^= 1, [true, false, false, false]),
        ("a register's time", |it| it.registers[7].time += 1, [true, false, false, false]),
        ("a word's address", |it| it.words[0].address += 4, [true, false, true, false]),
        ("a word at first", |it| it.words[0].first ^= 1, [true, false, true, false]),
        ("a word's last segment", |it| it.words[0].since += 1 << 20, [false, true, true, false]),
        ("a word at the end", |it| it.words[0].last.value ^= 1, [true, false, true, false]),
    ];
    let mut run = public_run();
    for (what, lie, expected) in lies {
        let noted = noted(&mut run, move |_, segment| lie(segment));
        let [of_segment, of_log] = ["segment", "memory"].map(|part| failing(&noted, part));
        assert_eq!([of_segment[0], of_segment[1], of_log[0], of_log[1]], expected, "{what}");
    }
}

/// A column that is looked up in this table: if possible in no other one, and that whose change the fewest
/// other claims see.
fn looked_up(run: &mut ProgramRun, table: Public) -> (Rows, usize) {
    let is_committed = run.subject.program().is_none() && table == Public::Code;
    let mut best: Option<((bool, usize), Rows, usize)> = None;
    for kind in Rows::ALL {
        let (shape, columns) = with_table!(kind, T => (T::shape(), T::COLUMNS));
        let (these, others): (Vec<_>, Vec<_>) =
            shape.lookups.iter().partition(|lookup| lookup.table == table);
        let is_in = |lookups: &[&Lookup], column| has(lookups.iter().flat_map(|it| &it.forms), column);
        for column in (0..columns).filter(|column| is_in(&these, *column)) {
            let noted = noted(run, change(kind, column));
            assert!(failing(&noted, "segment")[if is_committed { 2 } else { 1 }], "{kind:?} {column}");
            let seen = (is_in(&others, column), noted.len());
            if best.as_ref().is_none_or(|(least, ..)| *least > seen) {
                best = Some((seen, kind, column));
            }
            if seen == (false, 1) {
                return (kind, column);
            }
        }
    }
    let (_, kind, column) = best.expect("a column");
    (kind, column)
}

/// Whether V rejects what a P says that goes on in spite of false claims.
fn is_rejected(run: &ProgramRun, lie: Option<(Committed, usize)>) -> bool {
    let v = run.without_secret();
    let (p, v) = between(
        |channel| match lie {
            Some((what, place)) => {
                let (result, told) = with_lie(what, place, || go_on(run, channel));
                assert!(told, "{what:?} {place}");
                result
            }
            None => go_on(run, channel),
        },
        |channel| verify::<F61>(&v, channel),
    );
    match v {
        Ok(_) => {
            assert!(p.is_ok(), "{p:?}");
            false
        }
        Err(volery_zk::Error::Rejected { .. }) => true,
        Err(error) => panic!("{error}"),
    }
}

/// A lie about a lookup into each of these tables.
fn each_table_is_rejected(run: &mut ProgramRun, tables: &[Public]) {
    for table in tables {
        let (kind, column) = looked_up(run, *table);
        run.meddle = Some(Arc::new(change(kind, column)));
        assert!(is_rejected(run, None), "{table:?}: {kind:?}, column {column}");
        run.meddle = None;
    }
}

/// A lie of each of these kinds about what is no row of an instruction.
fn each_value_is_rejected(run: &ProgramRun, lies: &[(Committed, usize)]) {
    for lie in lies {
        assert!(is_rejected(run, Some(*lie)), "{lie:?}");
    }
}

#[test]
fn what_only_the_argument_sees_is_rejected_by_the_verifier() {
    let mut run = public_run();
    assert!(!is_rejected(&run, None));
    each_table_is_rejected(&mut run, &[Public::Power, Public::Input]);
    // A new word's first address of its region; the time of a register.
    each_value_is_rejected(&run, &[(Committed::Fresh, 1)]);
    run.meddle = Some(Arc::new(|_, segment| segment.registers[7].time += 1));
    assert!(is_rejected(&run, None));
}

#[test]
#[ignore = "long: some 20 proofs"]
fn long_what_only_the_argument_sees_is_rejected_by_the_verifier() {
    use Public::*;
    let mut run = public_run();
    each_table_is_rejected(&mut run, &[Short, Byte, Sign, And, Power, Input, Journal, Code]);
    each_value_is_rejected(
        &run,
        &[
            (Committed::Multiplicity, 3),
            (Committed::Upper, 3),
            (Committed::Fresh, 0),
            (Committed::Fresh, 2),
            (Committed::Filed, 1),
            (Committed::Live, 1),
        ],
    );
    // Where more words than one are new.
    let [run_of_many, _] = counted();
    each_value_is_rejected(&run_of_many, &[(Committed::Gap, 1)]);
    let ends: [fn(&mut Columns); 4] = [
        |segment| segment.place += 4,
        |segment| segment.time += 1,
        |segment| segment.words[0].last.value ^= 1,
        |segment| segment.words[0].since += 1,
    ];
    for end in ends {
        run.meddle = Some(Arc::new(move |_, segment| end(segment)));
        assert!(is_rejected(&run, None));
    }
    let mut run = secret_run();
    assert!(!is_rejected(&run, None));
    each_table_is_rejected(&mut run, &[Code]);
    each_value_is_rejected(&run, &[(Committed::Fraction, 1), (Committed::Word, 9), (Committed::Datum, 1)]);
}
