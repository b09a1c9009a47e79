//! Lookups against plain membership, on values.

use proptest::prelude::*;
use volery_field::{F32, F61, Gf256, Ring as _};

use super::*;
use crate::challenge::liar::{Asked, Liar, made_up_for};
use crate::records::FIRST;
use crate::{Backend, Counter, Digest, Evaluator, Ops, Prove, Statement};

fn elements(values: &[u64]) -> Vec<F61> {
    values.iter().map(|x| F61::from_u64(*x)).collect()
}

/// Commits to the values.
fn commit<B: Prove<F61>>(b: &mut B, values: &[u64]) -> Result<Vec<B::Wire>, B::Error> {
    b.secret(values.len(), &mut |_| Ok(elements(values)))
}

/// Claims that the tuples are rows of the table, which is committed to or not.
fn look_up<B: Challenge<F61>>(
    b: &mut B,
    columns: usize,
    rows: &[u64],
    tuples: &[u64],
    committed: bool,
) -> Result<(), B::Error> {
    let mut lookups = if committed {
        Lookups::committed(columns, commit(b, rows)?)?
    } else {
        Lookups::new(Arc::new(Table::new(columns, elements(rows))?))
    };
    let tuples = commit(b, tuples)?;
    for tuple in tuples.chunks(columns) {
        lookups.look_up(b, tuple)?;
    }
    lookups.finish(b)
}

fn is_unsatisfied(result: Result<(), Error>) -> bool {
    matches!(result, Err(Error::Unsatisfied { place, .. }) if place == "lookups")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn a_lookup_holds_exactly_for_rows(
        columns in 1..4_usize,
        rows in prop::collection::vec(0..4_u64, 3..24),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 0..9),
        other in prop::option::of(prop::collection::vec(0..4_u64, 3)),
        committed: bool,
    ) {
        let rows = &rows[..rows.len() / columns * columns];
        let list: Vec<&[u64]> = rows.chunks(columns).collect();
        let mut tuples: Vec<u64> = picks.iter().flat_map(|pick| pick.get(&list).to_vec()).collect();
        let mut holds = true;
        if let Some(other) = &other {
            let other = &other[..columns];
            holds = list.contains(&other);
            tuples.extend(other);
        }
        let result = look_up(&mut Evaluator::new(), columns, rows, &tuples, committed);
        prop_assert_eq!(result.is_ok(), holds, "{:?}", result);
        prop_assert!(holds || is_unsatisfied(result));
    }
}

#[test]
fn many_tuples_are_found_together_where_each_is_found_alone() {
    for columns in [1, 2, 3] {
        // Collisions are many in so small an index, and a row may stand in the table twice.
        let rows: Vec<F61> = (0..100 * columns as u64).map(|i| F61::from_u64(i * i % 1009)).collect();
        let index = Index::new(columns, &rows);
        let mut tuples: Vec<F61> = rows.iter().rev().copied().collect();
        tuples.extend((0..100 * columns as u64).map(|i| F61::from_u64(7 * i)));
        for count in [0, 1, TOGETHER - 1, TOGETHER, TOGETHER + 1, 200] {
            let tuples = &tuples[..count * columns];
            let alone = tuples.chunks(columns).filter_map(|tuple| index.find(columns, &rows, tuple));
            let mut together = Vec::new();
            index.find_all(columns, &rows, tuples, |row| together.push(row));
            assert_eq!(together, Vec::from_iter(alone), "{columns} {count}");
        }
    }
}

#[test]
fn a_range_is_all_numbers_below_a_power_of_two() {
    let table = Arc::new(Table::<F61>::range(3).unwrap());
    assert_eq!(table.rows(), 8);
    for (value, holds) in [(0, true), (7, true), (8, false), ((1 << 61) - 2, false)] {
        let mut evaluator = Evaluator::new();
        let wires = commit(&mut evaluator, &[3, value, 3]).unwrap();
        let mut lookups = Lookups::new(Arc::clone(&table));
        wires.chunks(1).for_each(|wire| lookups.look_up(&mut evaluator, wire).unwrap());
        assert_eq!(lookups.finish(&mut evaluator).is_ok(), holds, "{value}");
    }
}

/// False values in each place of a pair, alone, twice in one pair, and twice in two.
#[test]
fn a_false_lookup_fails_wherever_it_stands() {
    for tuples in
        [&[9][..], &[9, 1], &[1, 9], &[1, 2, 9], &[9, 9], &[9, 1, 9], &[9, 9, 1], &[9, 8], &[2, 1, 9, 8]]
    {
        for committed in [false, true] {
            let result = look_up(&mut Evaluator::new(), 1, &[1, 2, 3], tuples, committed);
            assert!(is_unsatisfied(result), "{tuples:?}");
        }
    }
    // Around the end of the first chunk of those that wait.
    for place in [FIRST - 1, FIRST, FIRST + 2] {
        let mut tuples = vec![1; FIRST + 3];
        look_up(&mut Evaluator::new(), 1, &[1, 2, 3], &tuples, false).expect("all are rows");
        tuples[place] = 9;
        let result = look_up(&mut Evaluator::new(), 1, &[1, 2, 3], &tuples, false);
        assert!(is_unsatisfied(result), "{place}");
    }
}

#[test]
fn a_lookup_costs_half_an_element_a_row_one_or_two_and_all_together_one_challenge() {
    let count = |committed, lookups: usize| {
        let (rows, tuples) = ([1, 2, 3, 4, 5, 6], [1, 2].repeat(lookups));
        let mut counter = Counter::<F61>::new();
        look_up(&mut counter, 2, &rows, &tuples, committed).unwrap();
        let counts = counter.total();
        assert_eq!(counts.challenges, 1);
        // Without what the tuples and rows themselves are.
        let own = 2 * lookups as u64 + if committed { 6 } else { 0 };
        (counts.inputs - own, counts.tested, counts.degree)
    };
    assert_eq!(count(false, 10), (3 + 5, 10 + 3, 3));
    assert_eq!(count(false, 11), (3 + 6, 11 + 3, 3));
    assert_eq!(count(true, 10), (2 * 3 + 5, 10 + 2 * 3, 3));
}

/// One challenge tests 2^20, or twice 2^20 and more where the table alone has so many rows.
#[test]
fn more_lookups_than_one_challenge_tests_are_claimed_in_several_groups() {
    let count = |rows: u64, lookups: usize| {
        let table = Table::<F61>::new(1, (0..rows).map(F61::from_u64).collect()).unwrap();
        let (mut counter, mut lookup) = (Counter::<F61>::new(), Lookups::new(Arc::new(table)));
        (0..lookups).for_each(|_| lookup.look_up(&mut counter, &[0]).unwrap());
        lookup.finish(&mut counter).unwrap();
        let counts = counter.total();
        (counts.challenges, counts.tested, counts.tested_twice, counts.inputs)
    };
    let room = (1 << 20) - 16;
    assert_eq!(count(16, room + 1), (2, 1 << 20, 0, 32 + room as u64 / 2 + 1));
    let rows = (1 << 19) + 1;
    assert_eq!(count(rows, 1 << 20), (1, 0, rows + (1 << 20), rows + (1 << 20)));
}

#[test]
fn a_point_that_is_the_pole_of_a_row_is_not_taken() {
    let table = Table::new(2, elements(&[1, 2, 3, 4, 5, 6])).unwrap();
    let gamma = F61::new(10);
    // 1 + 20, 3 + 40, 5 + 60.
    let points = elements(&[43, 21, 7, 8]);
    let (at, inverses) = table.inverses::<Evaluator<F61>>(&[gamma], &points).unwrap();
    assert!(at == F61::new(7));
    for (inverse, row) in inverses.iter().zip([21, 43, 65]) {
        assert!(*inverse * (F61::new(7) - F61::new(row)) == F61::ONE);
    }
    let poles = table.inverses::<Evaluator<F61>>(&[gamma], &elements(&[43, 21, 65, 65]));
    assert!(matches!(poles, Err(Error::Misuse(_))));
}

#[test]
fn tuples_and_tables_of_the_wrong_size_and_fields_that_are_too_small_are_refused() {
    let mut evaluator = Evaluator::<F61>::new();
    for (columns, length) in [(0, 3), (2, 0), (2, 3)] {
        assert!(matches!(Table::new(columns, vec![F61::ONE; length]), Err(Error::Public(_))));
        assert!(Lookups::<F61, F61>::committed(columns, vec![F61::ONE; length]).is_err());
    }
    assert!(Table::<F61>::range(25).is_err());
    let mut lookups = Lookups::new(Arc::new(Table::new(2, elements(&[1, 2])).unwrap()));
    assert!(matches!(lookups.look_up(&mut evaluator, &[F61::ONE]), Err(Error::Misuse(_))));
    // 2^20 times one pole is none in characteristic 2.
    let mut evaluator = Evaluator::<Gf256>::new();
    let mut lookups = Lookups::new(Arc::new(Table::new(1, vec![Gf256::ONE]).unwrap()));
    assert!(matches!(lookups.look_up(&mut evaluator, &[Gf256::ONE]), Err(Error::Misuse(_))));
    let mut evaluator = Evaluator::<F32>::new();
    let mut lookups = Lookups::new(Arc::new(Table::range(2).unwrap()));
    lookups.look_up(&mut evaluator, &[F32::from_u64(2)]).unwrap();
    lookups.finish(&mut evaluator).unwrap();
}

/// Looks a false value up, and forgets to finish.
struct Forgetful;

impl<B: Challenge<F61>> Statement<B> for Forgetful {
    fn identify(&self, _: &mut Digest) {}

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let wires = commit(b, &[9, 0])?;
        b.assert_zero(&wires[1..])?;
        let mut lookups = Lookups::new(Arc::new(Table::range(2)?));
        lookups.look_up(b, &wires[..1])
    }
}

#[test]
fn lookups_that_are_not_finished_are_misuse() {
    assert!(matches!(Evaluator::check(&Forgetful), Err(Error::Misuse(reason)) if reason.contains("finish")));
    assert!(matches!(crate::MixedEvaluator::<F61>::check(&Forgetful), Err(Error::Misuse(_))));
    assert!(matches!(Evaluator::check_until_choice(&Forgetful), Err(Error::Misuse(_))));
    let mut evaluator = Evaluator::<F61>::new();
    evaluator.enter("x");
    assert!(evaluator.constant(F61::ONE) == F61::ONE);
}

/// An inverse that is not one would hide any false lookup, alone or in a pair; so would a fraction of a row.
#[test]
fn no_inverse_and_no_fraction_makes_up_for_a_false_lookup() {
    for tuples in [&[9][..], &[1, 9], &[9, 2, 1], &[1, 2, 9]] {
        for committed in [false, true] {
            // Fractions of rows come first.
            let scalars = tuples.len().div_ceil(2) + if committed { 3 } else { 0 };
            for scalar in 0..scalars {
                let run = |b: &mut Liar| look_up(b, 1, &[1, 2, 3], tuples, committed);
                // A fraction is subtracted.
                let run = |b: &mut Liar| {
                    if committed && scalar < 3 {
                        b.scalar = b.scalar.map(|(number, lie)| (number, -lie));
                    }
                    run(b)
                };
                made_up_for(scalar, run);
            }
        }
    }
}

#[test]
fn a_multiplicity_that_is_wrong_fails() {
    for committed in [false, true] {
        let first = if committed { 3 + 2 } else { 2 };
        for row in 0..3 {
            let mut liar = Liar::new();
            liar.secret = Some((first + row, F61::ONE));
            assert!(is_unsatisfied(look_up(&mut liar, 1, &[1, 2, 3], &[1, 2], committed)), "{row}");
        }
    }
}

#[test]
fn a_tuple_with_a_row_s_values_in_another_order_is_no_row() {
    for committed in [false, true] {
        let mut liar = Liar::new();
        // It is counted as one all the same, after the tuple and perhaps the row.
        liar.secret = Some((if committed { 6 } else { 3 }, F61::ONE));
        let result = look_up(&mut liar, 3, &[1, 10, 5], &[10, 5, 1], committed);
        assert!(is_unsatisfied(result));
    }
}

/// What a challenge tests must not be chosen after it.
#[test]
fn only_inverses_and_fractions_are_committed_to_after_the_challenge() {
    for committed in [false, true] {
        let mut liar = Liar::new();
        look_up(&mut liar, 1, &[1, 2, 3], &[1, 2, 3], committed).unwrap();
        let at = liar.asked.iter().position(|asked| *asked == Asked::Challenge).unwrap();
        assert_eq!(liar.asked[at - 1], Asked::Secrets(3));
        assert!(liar.asked[at + 1..].iter().all(|asked| matches!(asked, Asked::Scalars(_))));
    }
}

/// V chooses a point that is a row's pole, or a value that it takes for a row. Nobody stops, so it learns
/// nothing.
#[test]
fn a_verifier_that_chooses_a_pole_learns_nothing() {
    for committed in [false, true] {
        for chosen in 1..4 {
            let mut liar = Liar::new();
            liar.chosen = elements(&[chosen]);
            assert_eq!(look_up(&mut liar, 1, &[1, 2, 3], &[1, 2, 3], committed), Ok(()));
        }
    }
}
