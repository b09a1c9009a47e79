//! The arguments against lists that are compared, and every lie about what is committed to for them.

use std::any::Any;
use std::cell::{Cell, RefCell};

use proptest::prelude::*;
use volery_circuit::Evaluator;

use super::super::form::{Space, column, number};
use super::super::regions::Regions;
use super::super::subject::{Bounds, Subject};
use super::*;
use crate::program::{Kind, Program, Segment};

thread_local! {
    /// What P committed to, in order, each once in a row.
    static TOLD: RefCell<Vec<Committed>> = const { RefCell::new(Vec::new()) };
    /// What P lies about, and how many of these it tells before.
    static LIE: Cell<Option<(Committed, usize)>> = const { Cell::new(None) };
    /// Whether the next product is to be halved: see [`moved`].
    static HALVED: Cell<bool> = const { Cell::new(false) };
    /// What P says instead of what it has, as far as it has not said it yet.
    static FORGED: RefCell<Vec<(Committed, Vec<F61>)>> = const { RefCell::new(Vec::new()) };
}

/// Runs `f` with this lie. Returns whether it was told.
pub(in super::super) fn with_lie<T>(what: Committed, before: usize, f: impl FnOnce() -> T) -> (T, bool) {
    LIE.set(Some((what, before)));
    HALVED.set(false);
    let result = f();
    (result, LIE.take().is_none())
}

/// Runs `f`. Returns also what P committed to besides rows, in order.
pub(in super::super) fn with_told<T>(f: impl FnOnce() -> T) -> (T, Vec<Committed>) {
    TOLD.take();
    let result = f();
    (result, TOLD.take())
}

/// Runs `f` with P saying these values instead of those that it has: the next ones of a list whenever it is
/// asked, as many as it has, or fewer at the end of the list. Returns whether all were said.
pub(in super::super) fn with_forged<T>(
    lists: impl IntoIterator<Item = (Committed, Vec<F61>)>,
    f: impl FnOnce() -> T,
) -> (T, bool) {
    FORGED.set(Vec::from_iter(lists));
    let result = f();
    (result, FORGED.take().iter().all(|(_, left)| left.is_empty()))
}

/// Puts forged values in the place of these, if there are any of this kind.
fn forge(what: Committed, values: &mut dyn Any) {
    FORGED.with_borrow_mut(|lists| {
        let Some((_, forged)) = lists.iter_mut().find(|(about, _)| *about == what) else { return };
        let values: &mut Vec<F61> = values.downcast_mut().expect("values, and no scalars");
        *values = forged.drain(..values.len().min(forged.len())).collect();
    });
}

pub(in super::super) fn told<S: Element>(what: Committed, mut values: Vec<S>) -> Vec<S> {
    TOLD.with_borrow_mut(|told| {
        if told.last() != Some(&what) {
            told.push(what);
        }
    });
    forge(what, &mut values);
    if let Some((about, before)) = LIE.get().filter(|(about, _)| *about == what) {
        if let Some(value) = values.get_mut(before) {
            *value += S::ONE;
            let moves = matches!(what, Committed::InversesMoved | Committed::FractionsMoved);
            if let Some(next) = values.get_mut(before + 1).filter(|_| moves) {
                *next -= S::ONE;
            }
            LIE.set(None);
        } else {
            LIE.set(Some((about, before - values.len())));
        }
    }
    values
}

pub(super) fn told_one<S: Element>(what: Committed, value: S) -> S {
    if what == Committed::ProductsMoved {
        return moved(value);
    }
    let [value] = told(what, vec![value]).try_into().unwrap_or([value]);
    value
}

/// A product that is twice as large, and the next one half as large, so that those after it are right: they
/// are made from what was said before.
fn moved<S: Element>(value: S) -> S {
    let two = S::ONE + S::ONE;
    if HALVED.take() {
        return value * two.inverse_or_zero();
    }
    match LIE.get() {
        Some((Committed::ProductsMoved, 0)) => {
            LIE.set(None);
            HALVED.set(true);
            value * two
        }
        Some((Committed::ProductsMoved, before)) => {
            LIE.set(Some((Committed::ProductsMoved, before - 1)));
            value
        }
        _ => value,
    }
}

fn f(n: u64) -> F61 {
    F61::new(n)
}

fn a_program() -> Program {
    let text = Segment { address: 0x1_0000, size: 4, bytes: vec![0x13, 0, 0, 0], kind: Kind::Text };
    Program::new(0x1_0000, vec![text]).expect("a program")
}

/// Rows of a byte, a flag and their sign; each produces what it has, and another table consumes it.
fn parts(produced: &[[u64; 3]], consumed: &[[u64; 3]]) -> [Part<F61>; 2] {
    let mut one = Shape::new(3);
    one.produce(Space::Register, [0, 1, 2].map(column));
    one.look_up(Public::Sign, [0, 1, 2].map(column));
    one.byte(column(0));
    let mut other = Shape::new(3);
    other.consume(Space::Register, [0, 1, 2].map(column));
    other.byte(column(0) + number(0));
    let part =
        |shape: Shape, rows: &[[u64; 3]]| Part::new(shape, rows.iter().flatten().map(|n| f(*n)).collect());
    [part(one, produced), part(other, consumed)]
}

fn claimed(parts: [Part<F61>; 2], known: &Known) -> Result<(), Error> {
    let subject = Subject::Public(a_program());
    let regions = Regions::of_subject(&subject);
    let tables = Tables { subject: &subject, regions, input: &[], journal: &[] };
    claim(&mut Evaluator::<F61>::new(), parts.into(), known.clone(), &tables, None)
}

fn row(byte: u64, signed: bool) -> [u64; 3] {
    [byte, signed.into(), u64::from(signed) & byte >> 7]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn lists_match_if_and_only_if_they_hold_the_same(
        rows in prop::collection::vec((0..4_u64, any::<bool>()), 0..9),
        other in prop::option::of((0..9_usize, 0..4_u64)),
    ) {
        let produced: Vec<_> = rows.iter().map(|(byte, signed)| row(*byte, *signed)).collect();
        let mut consumed = produced.clone();
        consumed.reverse();
        if let Some((at, byte)) = other
            && let Some(to) = consumed.get_mut(at)
        {
            *to = row(byte, false);
        }
        let [mut one, mut two] = [produced.clone(), consumed.clone()];
        one.sort_unstable();
        two.sort_unstable();
        let result = claimed(parts(&produced, &consumed), &Known::default());
        prop_assert_eq!(result.is_ok(), one == two);
    }
}

#[test]
fn known_tuples_count_on_their_side() {
    let [one, two] = [row(1, false), row(200, true)];
    let mut tuple = [F61::ZERO; WIDTH];
    tuple.iter_mut().zip([Space::Register as u64, 200, 1, 1]).for_each(|(to, n)| *to = f(n));
    let produced = Known { produced: vec![tuple], consumed: Vec::new() };
    let consumed = Known { produced: Vec::new(), consumed: vec![tuple] };
    assert_eq!(claimed(parts(&[one], &[one, two]), &produced), Ok(()));
    assert_eq!(claimed(parts(&[one, two], &[one]), &consumed), Ok(()));
    assert!(claimed(parts(&[one], &[one, two]), &consumed).is_err());
    assert!(claimed(parts(&[one, two], &[one]), &Known::default()).is_err());
}

/// One place, two or three of a triple, and several triples.
#[test]
fn what_is_no_row_is_refused_however_often_it_is_looked_up() {
    for count in 1..8 {
        for wrong in [[256, 0, 0], [255, 1, 0], [255, 0, 1], [3, 2, 0], [3, 1, 1]] {
            let rows = vec![wrong; count];
            assert!(claimed(parts(&rows, &rows), &Known::default()).is_err(), "{count} {wrong:?}");
        }
    }
}

#[test]
fn no_lie_about_products_inverses_or_multiplicities_passes() {
    let rows: Vec<_> = (0..200).map(|n| row(n, n % 2 == 0)).collect();
    let claimed = || claimed(parts(&rows, &rows), &Known::default());
    assert_eq!(claimed(), Ok(()));
    // 200 tuples of a side; 600 lookups; 256 and 512 rows.
    let lies = [
        (Committed::Product, vec![0, 1, 65, 66, 67, 100, 133]),
        (Committed::ProductsMoved, vec![0, 1, 64, 65, 67, 100, 132]),
        (Committed::Inverse, vec![0, 1, 127, 128, 199]),
        (Committed::InversesMoved, vec![0, 1, 126, 198]),
        (Committed::Multiplicity, vec![0, 200, 255, 256, 257, 300, 767]),
    ];
    for (what, places) in lies {
        for place in places {
            let (result, told) = with_lie(what, place, claimed);
            assert!(told && matches!(result, Err(Error::Unsatisfied { .. })), "{what:?} {place}: {result:?}");
        }
    }
}

#[test]
fn what_is_tested_is_the_longer_side_or_the_lookups_and_rows() {
    let rows = vec![row(1, true); 10];
    let subject = Subject::Public(a_program());
    let regions = Regions::of_subject(&subject);
    let tables = Tables { subject: &subject, regions, input: &[], journal: &[] };
    let degree = |parts: &[Part<F61>], known: &Known| degree(parts, known, &tables, false);
    assert_eq!(degree(&parts(&rows, &rows[..4]), &Known::default()), 2 * 10 + 4 + 256 + 512);
    let known = Known { produced: vec![[F61::ZERO; WIDTH]; 2000], consumed: Vec::new() };
    assert_eq!(degree(&parts(&rows, &rows), &known), 2010);
}

/// Of a committed program each row counts twice, since its fraction is open where the point meets it.
#[test]
fn what_is_tested_of_a_committed_program_is_the_lookups_and_twice_the_rows() {
    let subject = Subject::Secret(Bounds::usual(3000));
    let regions = Regions::of_subject(&subject);
    let tables = Tables { subject: &subject, regions, input: &[], journal: &[] };
    let mut shape = Shape::new(1);
    shape.look_up(Public::Code, [column(0)]);
    shape.byte(column(0));
    let part = Part::new(shape, vec![F61::ZERO; 10]);
    let rows = 3000 + super::super::kind::Kind::ALL.len() as u64;
    assert_eq!(degree(&[part], &Known::default(), &tables, true), 10 + 2 * rows);
}
