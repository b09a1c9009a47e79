//! What a memory holds at first, and conditional accesses.

use volery_field::Field as _;

use super::*;

/// P says that a cell was another one at first, or that one was set that was not.
#[test]
fn no_lie_about_what_a_memory_holds_at_first_holds() {
    for kind in kinds() {
        let start = |lie: fn(&mut Memory), address: u64| {
            let mut b = Evaluator::new();
            let mut ram = kind.memory(&mut b, 4, &[5, 6], 9).unwrap();
            ram.write(&mut b, &f(3), &f(1)).unwrap();
            lie(&mut ram);
            ram.read(&mut b, &f(address)).unwrap();
            ram.finish(&mut b)
        };
        assert!(start(|_| (), 1).is_ok(), "{kind:?}");
        assert!(is_unsatisfied(&start(|ram| cell(ram, 1).value = f(5), 1), "memory"), "{kind:?}");
        assert!(is_unsatisfied(&start(|ram| cell(ram, 2).value = f(1), 2), "memory"), "{kind:?}");
        // Cell 2 holds nothing.
        assert_eq!(start(|_| (), 2).is_ok(), kind.unset == Unset::Zero, "{kind:?}");
    }
}

const CONDITIONAL: Kind = Kind { conditional: true, ..PLAIN };

/// The sink is behind the last cell in P's memory, and has the address 0 in tuples.
#[test]
fn the_sink_is_no_cell_and_no_other_cell_is_the_sink() {
    for unset in [Unset::Zero, Unset::Refused] {
        let mut b = Evaluator::new();
        let mut ram = Kind { unset, ..CONDITIONAL }.memory(&mut b, 4, &[1, 2, 3, 4], 9).unwrap();
        ram.write_if(&mut b, &f(0), &f(2), &f(7)).unwrap();
        ram.write(&mut b, &f(0), &f(8)).unwrap();
        // What a skipped write left is not in cell 0, and what is there is not in the sink.
        assert!(ram.read_if(&mut b, &f(0), &f(100)).unwrap() == f(7));
        assert!(ram.read_if(&mut b, &f(1), &f(0)).unwrap() == f(8));
        assert!(ram.read_if(&mut b, &f(1), &f(2)).unwrap() == f(3));
        assert!(ram.finish(&mut b).unwrap() == [8, 2, 3, 4].map(f));
    }
    for conditions in [[1, 1], [1, 0]] {
        let accesses = [(conditions[1], (0, Some(9))), (conditions[0], (4, None))];
        assert!(is_unsatisfied(&run(CONDITIONAL, 4, &[], &accesses), "memory"), "{conditions:?}");
    }
    let mut b = Evaluator::new();
    let mut ram = CONDITIONAL.memory(&mut b, 4, &[], 9).unwrap();
    ram.read(&mut b, &f(4)).unwrap();
    assert!(is_unsatisfied(&ram.finish(&mut b), "memory"));
}

/// P acts as if a skipped write had been made, or as if one that must be made had been skipped.
#[test]
fn no_access_is_skipped_or_made_against_its_condition() {
    let act = |condition: u64, lie: fn(&mut Memory, Cell<F61>)| {
        let mut b = Evaluator::new();
        let mut ram = CONDITIONAL.memory(&mut b, 4, &[1, 2, 3, 4], 9).unwrap();
        ram.read(&mut b, &f(3)).unwrap();
        let before = *cell(&mut ram, 1);
        ram.write_if(&mut b, &f(condition), &f(1), &f(7)).unwrap();
        lie(&mut ram, before);
        ram.read(&mut b, &f(1)).unwrap();
        ram.finish(&mut b)
    };
    for condition in [0, 1] {
        assert!(act(condition, |_, _| ()).is_ok());
    }
    let skipped = act(1, |ram, before| {
        *cell(ram, 4) = *cell(ram, 1);
        *cell(ram, 1) = before;
    });
    assert!(is_unsatisfied(&skipped, "memory"));
    let made = act(0, |ram, before| {
        *cell(ram, 1) = *cell(ram, 4);
        *cell(ram, 4) = Cell { value: F61::ZERO, ..before };
    });
    assert!(is_unsatisfied(&made, "memory"));
}

/// A condition `c` leads to the cell at `c a` if nothing binds it.
#[test]
fn no_condition_but_zero_and_one_reaches_a_cell() {
    let half = f(2).inverse_or_zero();
    for (condition, address) in [(f(2), 1), (-F61::ONE, 2), (half, 2), (half, 0), (f(2), 0)] {
        for write in [false, true] {
            let mut b = Evaluator::new();
            let mut ram = CONDITIONAL.memory(&mut b, 4, &[1, 2, 3, 4], 9).unwrap();
            if write {
                ram.write_if(&mut b, &condition, &f(address), &f(7)).unwrap();
            } else {
                ram.read_if(&mut b, &condition, &f(address)).unwrap();
            }
            assert!(is_unsatisfied(&ram.finish(&mut b), "memory"));
        }
    }
}

#[test]
fn contents_and_conditions_come_first_and_fit() {
    let mut b = Evaluator::new();
    assert!(matches!(CONDITIONAL.memory(&mut b, 2, &[1, 2, 3], 9), Err(Error::Public(_))));
    let committed = Kind { committed: true, ..PLAIN };
    assert!(matches!(committed.memory(&mut b, 2, &[1, 2, 3], 9), Err(Error::Public(_))));
    let used = |b: &mut Evaluator<F61>| {
        let mut ram = Memory::new(4, Unset::Zero, 9).unwrap();
        ram.read(b, &f(1)).unwrap();
        ram
    };
    assert!(matches!(used(&mut b).with_public(vec![]), Err(Error::Misuse(_))));
    assert!(matches!(used(&mut b).with_committed(vec![]), Err(Error::Misuse(_))));
    assert!(matches!(used(&mut b).with_conditions(), Err(Error::Misuse(_))));
    let mut without = used(&mut b);
    assert!(matches!(without.read_if(&mut b, &f(1), &f(1)), Err(Error::Misuse(_))));
    assert!(matches!(without.write_if(&mut b, &f(1), &f(1), &f(1)), Err(Error::Misuse(_))));
}

#[test]
fn contents_and_conditions_cost_what_is_written() {
    let count = |kind: Kind, held: usize| {
        let mut b = Counter::<F61>::new();
        let mut ram = kind.memory(&mut b, 600, &vec![1; held], 300).unwrap();
        for _ in 0..300 {
            if kind.conditional {
                ram.read_if(&mut b, &0, &0).unwrap();
            } else {
                ram.read(&mut b, &0).unwrap();
            }
        }
        let table = 1 << ram.half;
        ram.finish(&mut b).unwrap();
        let counts = b.total();
        // Without the committed contents themselves.
        let own = if kind.committed { held as u64 } else { 0 };
        (counts.commitments() - table - own, counts.tested)
    };
    let most = 300 * 14 / 3 + 600 * 7 / 3;
    assert_eq!(count(PLAIN, 0), (most, 900));
    assert_eq!(count(PLAIN, 600), (most, 900));
    assert_eq!(count(Kind { committed: true, ..PLAIN }, 300), (most + 100, 900));
    // Two and a third for the sink, rounded up.
    assert_eq!(count(CONDITIONAL, 0), (most + 300 + 3, 901));
}
