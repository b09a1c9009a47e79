//! Split tables against whole ones, and what each lookup of a split is for.

use std::cell::Cell;

use volery_circuit::{Counter, Error, Evaluator};
use volery_field::Field as _;

use super::super::argument::{Known, answer, ask, claim};
use super::super::form::integer;
use super::super::public::Tables;
use super::super::regions::Regions;
use super::super::subject::Subject;
use super::*;
use crate::program::{Kind, Program, Segment};

thread_local! {
    static FORCED: Cell<Option<Split>> = const { Cell::new(None) };
}

pub(super) fn forced() -> Option<Split> {
    FORCED.get()
}

fn with<T>(split: Split, f: impl FnOnce() -> T) -> T {
    FORCED.set(Some(split));
    let result = f();
    FORCED.set(None);
    result
}

/// Runs `f` with whole tables.
pub(in super::super) fn whole<T>(f: impl FnOnce() -> T) -> T {
    with(Split::default(), f)
}

/// Everything is split.
pub(in super::super) const BOTH: Split = Split([true; 2]);

/// A program, which has to be there.
fn with_tables<T>(f: impl FnOnce(&Tables<'_>) -> T) -> T {
    let text = Segment { address: 0x1_0000, size: 4, bytes: vec![0x13, 0, 0, 0], kind: Kind::Text };
    let program = Program::new(0x1_0000, vec![text]).expect("a program");
    let subject = Subject::Public(program);
    f(&Tables { subject: &subject, regions: Regions::of_subject(&subject), input: &[], journal: &[] })
}

/// The shape of a row that is looked up in a table.
fn shape(halves: &Halves) -> Shape {
    let mut shape = Shape::new(halves.components as usize);
    shape.look_up(halves.whole, (0..shape.columns).map(column));
    shape
}

#[test]
fn a_table_is_split_where_that_takes_fewer_elements() {
    for (halves, border) in HALVES.iter().zip([48_960, 19_584]) {
        for lookups in [1, 3, 1000, border - 1, border, border + 1, 60_000] {
            let taken = || {
                let wires = vec![0; halves.components as usize * lookups];
                let parts = vec![Part::new(shape(halves), wires)];
                let mut counter = Counter::<F61>::new();
                with_tables(|tables| claim(&mut counter, parts, Known::default(), tables, None))
                    .expect("counted");
                counter.total().commitments()
            };
            let (whole, split, taken) = (whole(taken), with(BOTH, taken), taken());
            assert_eq!(taken, if lookups < border { split } else { whole });
            assert_eq!(taken, whole.min(split), "{lookups} in {:?}", halves.whole);
        }
    }
}

/// Which lookups of a split row fail: of the upper halves, of the lower ones.
fn failing(halves: &Halves, components: &[F61], upper: &[F61]) -> [bool; 2] {
    let (shape, forms) = BOTH.shape(&shape(halves));
    assert_eq!((forms.len(), shape.columns), (upper.len(), components.len() + upper.len()));
    let row = [components, upper].concat();
    let [high, low] = &shape.lookups[..] else { panic!("{} lookups", shape.lookups.len()) };
    with_tables(|tables| [high, low].map(|lookup| !tables.holds(lookup, &row)))
}

const FINE: [bool; 2] = [false; 2];

/// For each lower half there is one upper half that fits, so these are all.
#[test]
fn an_element_has_halves_if_and_only_if_it_is_below_2_to_the_16() {
    let [short, _] = &HALVES;
    let down = integer(1 << 8).inverse_or_zero();
    for x in [0, 1, 255, 256, 300, 0xff00, 0xffff] {
        let fitting = (0..256).map(|low| (integer(x) - integer(low)) * down);
        let found: Vec<F61> =
            fitting.filter(|high| failing(short, &[integer(x)], &[*high]) == FINE).collect();
        assert!(found == [integer(x >> 8)], "{x}");
    }
    let fractions = [down, down * down, integer(2).inverse_or_zero(), integer(0xffff) * down];
    for x in [1 << 16, (1 << 16) + 255, 1 << 24, 1 << 32, -1, -256].map(integer).into_iter().chain(fractions)
    {
        let mut fitting = (0..256).map(|low| (x - integer(low)) * down);
        assert!(fitting.all(|high| failing(short, &[x], &[high]) != FINE));
    }
}

/// All upper halves that are rows.
#[test]
fn a_triple_has_halves_if_and_only_if_it_is_a_row() {
    let [_, and] = &HALVES;
    for ([x, y, a], is_row) in [
        ([0xab, 0x5c, 0x08], true),
        ([0xff, 0xff, 0xff], true),
        ([0, 0, 0], true),
        ([0xab, 0x5c, 0x09], false),
        ([0xab, 0x5c, 0x18], false),
        ([0xab, 0x5c, 0x08 - 0x10], false),
        ([0x100, 0, 0], false),
        ([0x1ff, 0xff, 0xff], false),
        ([0xff, 0x100, 0], false),
        ([-1, 0, 0], false),
    ] {
        let nibbles = (0..16).flat_map(|x| (0..16).map(move |y| [x, y, x & y]));
        let fits = |high: &[i64; 3]| failing(and, &[x, y, a].map(integer), &high.map(integer)) == FINE;
        let found: Vec<_> = nibbles.filter(fits).collect();
        assert_eq!(found, if is_row { vec![[x >> 4, y >> 4, a >> 4]] } else { Vec::new() });
    }
}

#[test]
fn each_half_is_looked_up() {
    let [short, and] = &HALVES;
    for (halves, components, upper, expected) in [
        (short, &[1 << 16][..], &[1 << 8][..], [true, false]),
        (short, &[300], &[0], [false, true]),
        (and, &[1 << 8, 0, 0], &[1 << 4, 0, 0], [true, false]),
        (and, &[5, 3, 0], &[0, 0, 0], [false, true]),
    ] {
        let integers = |all: &[i64]| Vec::from_iter(all.iter().map(|n| integer(*n)));
        assert_eq!(failing(halves, &integers(components), &integers(upper)), expected);
    }
}

/// With the argument, on honest halves.
#[test]
fn what_is_no_row_is_refused_by_split_tables() {
    let [short, and] = &HALVES;
    for (halves, values, is_right) in [
        (short, &[0, 0xffff, 0x1234][..], true),
        (short, &[0, 1 << 16], false),
        (short, &[-1], false),
        (and, &[0xab, 0x5c, 0x08, 3, 1, 1], true),
        (and, &[5, 3, 0], false),
        (and, &[1 << 8, 0, 0], false),
        (and, &[0xff, 0xff, 0xef], false),
    ] {
        let part = Part::new(shape(halves), values.iter().map(|n| integer(*n)).collect());
        let mut b = Evaluator::<F61>::new();
        let result = with_tables(|tables| {
            let asked = ask(&mut b, vec![part], Known::default(), tables, None)?;
            assert_eq!(asked.parts[0].shape.columns, 2 * halves.components as usize);
            answer(&mut b, asked, tables, None)
        });
        match result {
            Ok(()) => assert!(is_right),
            Err(Error::Unsatisfied { .. }) => assert!(!is_right),
            Err(error) => panic!("{error}"),
        }
    }
}
