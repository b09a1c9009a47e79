//! Memory against a plain one, and every way to lie about it, on values.

mod contents;

use proptest::prelude::*;
use volery_field::{F32, F61, Gf256, Ring as _};

use super::*;
use crate::challenge::liar::{Asked, Liar, made_up_for};
use crate::records::FIRST;
use crate::{Backend as _, Counter, Evaluator};

type Memory = Ram<F61, F61>;

fn f(x: u64) -> F61 {
    F61::from_u64(x)
}

/// An access: where, and what is written, if it is a write.
type Access = (u64, Option<u64>);

/// What a memory is like, beside its size.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Kind {
    unset: Unset,
    conditional: bool,
    committed: bool,
}

const PLAIN: Kind = Kind { unset: Unset::Zero, conditional: false, committed: false };

/// All kinds.
fn kinds() -> impl Iterator<Item = Kind> {
    (0..8).map(|i| Kind {
        unset: [Unset::Zero, Unset::Refused][i & 1],
        conditional: i & 2 > 0,
        committed: i & 4 > 0,
    })
}

impl Kind {
    /// A memory of this kind that holds these values at first.
    fn memory<B: Challenge<F61>>(
        self,
        b: &mut B,
        size: usize,
        held: &[u64],
        most: usize,
    ) -> Result<Ram<F61, B::Wire>, B::Error> {
        let held: Vec<F61> = held.iter().map(|x| f(*x)).collect();
        let ram = Ram::new(size, self.unset, most)?;
        let ram = match self.committed {
            false => ram.with_public(held)?,
            true => ram.with_committed(b.secret(held.len(), &mut |_| Ok(held.clone()))?)?,
        };
        Ok(if self.conditional { ram.with_conditions()? } else { ram })
    }
}

/// The values that were read, and those at the end. Accesses with a condition other than 1 read nothing.
fn run(kind: Kind, size: usize, held: &[u64], accesses: &[(u64, Access)]) -> Result<[Vec<F61>; 2], Error> {
    let mut b = Evaluator::new();
    let mut ram = kind.memory(&mut b, size, held, accesses.len().max(1))?;
    let mut read = Vec::new();
    let soon: Vec<F61> = accesses.iter().map(|(_, (address, _))| f(*address)).collect();
    for (condition, (address, write)) in accesses {
        let [condition, address] = [*condition, *address].map(f);
        // Also before there are cells, and beyond them.
        ram.touch(&b, &soon);
        match (kind.conditional, write) {
            (false, Some(value)) => ram.write(&mut b, &address, &f(*value))?,
            (false, None) => read.push(ram.read(&mut b, &address)?),
            (true, Some(value)) => ram.write_if(&mut b, &condition, &address, &f(*value))?,
            (true, None) => {
                let value = ram.read_if(&mut b, &condition, &address)?;
                read.extend((condition == F61::ONE).then_some(value));
            }
        }
    }
    Ok([read, ram.finish(&mut b)?])
}

/// As [`run`], of a memory without anything at first or conditions.
fn always(size: usize, unset: Unset, accesses: &[Access]) -> Result<[Vec<F61>; 2], Error> {
    let accesses: Vec<_> = accesses.iter().map(|access| (1, *access)).collect();
    run(Kind { unset, ..PLAIN }, size, &[], &accesses)
}

/// What a plain array does; none if an access is refused.
fn plain(kind: Kind, size: usize, held: &[u64], accesses: &[(u64, Access)]) -> Option<[Vec<F61>; 2]> {
    let mut cells: Vec<Option<u64>> = held.iter().copied().map(Some).collect();
    cells.resize(size, None);
    let mut read = Vec::new();
    for (condition, (address, write)) in accesses {
        match (kind.conditional, condition) {
            (true, 0) => continue,
            (true, 2..) => return None,
            _ => {}
        }
        let cell = cells.get_mut(*address as usize)?;
        match write {
            Some(value) => *cell = Some(*value),
            None if kind.unset == Unset::Refused => read.push(f((*cell)?)),
            None => read.push(f(cell.unwrap_or(0))),
        }
    }
    Some([read, cells.into_iter().map(|cell| f(cell.unwrap_or(0))).collect()])
}

fn is_unsatisfied<T>(result: &Result<T, Error>, part: &str) -> bool {
    matches!(result, Err(Error::Unsatisfied { place, .. }) if place == part)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn a_memory_reads_what_a_plain_one_does_or_is_refused(
        size in 1..9_usize,
        kind in 0..8_usize,
        held in prop::collection::vec(0..5_u64, 0..9),
        accesses in prop::collection::vec(
            (prop::sample::select(vec![1, 1, 1, 0, 0, 0, 1, 2]), (0..9_u64, prop::option::of(0..5_u64))),
            0..20,
        ),
    ) {
        let kind = kinds().nth(kind).unwrap();
        let held = &held[..held.len().min(size)];
        let result = run(kind, size, held, &accesses);
        match plain(kind, size, held, &accesses) {
            Some(expected) => prop_assert!(result == Ok(expected)),
            None => prop_assert!(is_unsatisfied(&result, "memory"), "{:?}", result.map(|_| ())),
        }
    }
}

#[test]
fn addresses_are_elements_so_a_negative_or_a_huge_one_is_beyond_the_memory() {
    let p = (1 << 61) - 1;
    for address in [4, p - 1, p - 4, 1 << 60, 1 << 32] {
        for write in [None, Some(1)] {
            let result = always(4, Unset::Zero, &[(0, Some(7)), (address, write), (0, None)]);
            assert!(is_unsatisfied(&result, "memory"), "{address}");
        }
    }
    // An access beyond that is read back.
    assert!(is_unsatisfied(&always(4, Unset::Zero, &[(4, Some(1)), (4, None)]), "memory"));
}

#[test]
fn an_unset_cell_is_zero_or_must_not_be_read() {
    let accesses = [(1, Some(5)), (2, None), (1, None)];
    assert!(always(4, Unset::Zero, &accesses).unwrap()[0] == [f(0), f(5)]);
    assert!(is_unsatisfied(&always(4, Unset::Refused, &accesses), "memory"));
    assert!(always(4, Unset::Refused, &[(1, Some(5)), (1, None)]).is_ok());
    // A zero that was written is set.
    assert!(always(4, Unset::Refused, &[(1, Some(0)), (1, None)]).is_ok());
}

/// An honest start: cell 0 holds 5 at first, cell 1 has 10, then 11; cell 2 has 20. Then P's memory is
/// changed by `lie`, and cell 1 is read, or what `then` says.
fn lying(kind: Kind, lie: impl FnOnce(&mut Memory), then: &[Access]) -> Result<Vec<F61>, Error> {
    let mut b = Evaluator::new();
    let mut ram = kind.memory(&mut b, 8, &[5, 6], 100)?;
    for (address, value) in [(1, 10), (2, 20), (1, 11)] {
        ram.write(&mut b, &f(address), &f(value))?;
    }
    lie(&mut ram);
    for (address, write) in then {
        match write {
            Some(value) => ram.write(&mut b, &f(*address), &f(*value))?,
            None => drop(ram.read(&mut b, &f(*address))?),
        }
    }
    ram.finish(&mut b)
}

fn cell(ram: &mut Memory, address: usize) -> &mut Cell<F61> {
    &mut ram.cells.0[address]
}

/// Unvisited cells.
fn visited<F: Value>(ram: &mut Ram<F, F>) {
    ram.cells.0 = vec![Cell { value: F::ZERO, time: 0 }; ram.size + 1];
}

/// With what P says instead, and the part that notices.
#[test]
fn no_lie_about_what_an_access_finds_holds() {
    type Lie = fn(&mut Memory);
    let lies: [(&str, Lie, &str); 10] = [
        ("nothing", |_| {}, ""),
        ("a stale value with its time", |ram| *cell(ram, 1) = Cell { value: f(10), time: 1 }, "memory"),
        ("a stale value with the last time", |ram| cell(ram, 1).value = f(10), "memory"),
        ("the right value with an older time", |ram| cell(ram, 1).time = 1, "memory"),
        ("what was there at first", |ram| *cell(ram, 1) = Cell { value: f(6), time: 0 }, "memory"),
        ("zero at first", |ram| *cell(ram, 1) = Cell { value: f(0), time: 0 }, "memory"),
        ("a tuple with the same sum", |ram| *cell(ram, 1) = Cell { value: f(13), time: 1 }, "memory"),
        ("another cell's value", |ram| *cell(ram, 1) = Cell { value: f(20), time: 2 }, "memory"),
        ("its own time", |ram| cell(ram, 1).time = 4, "memory/lookups"),
        ("a time to come", |ram| cell(ram, 1).time = 50, "memory/lookups"),
    ];
    for kind in kinds() {
        for (what, lie, place) in lies {
            for then in [&[(1, None)][..], &[(1, Some(7))], &[(2, None), (1, None), (1, None)]] {
                let result = lying(kind, lie, then);
                match place {
                    "" => assert!(result.is_ok(), "{what}"),
                    // After an access to another cell, its time has passed.
                    _ if then.len() > 1 => {
                        assert!(matches!(result, Err(Error::Unsatisfied { .. })), "{what}")
                    }
                    place => assert!(is_unsatisfied(&result, place), "{what} {then:?}"),
                }
            }
        }
    }
}

/// P acts as if an access had not been, had been twice, or came before the one that it follows.
#[test]
fn no_access_is_left_out_doubled_or_moved() {
    // The third access was not: cell 1 is as the first left it.
    let dropped = |ram: &mut Memory| *cell(ram, 1) = Cell { value: f(10), time: 1 };
    assert!(is_unsatisfied(&lying(PLAIN, dropped, &[]), "memory"));
    // It was again later.
    let doubled = |ram: &mut Memory| *cell(ram, 1) = Cell { value: f(11), time: 4 };
    assert!(is_unsatisfied(&lying(PLAIN, doubled, &[(2, None)]), "memory"));
    // A read (4) comes before the write (3): the read finds what the first write left, the write what the
    // read left.
    let (mut b, mut ram) = (Evaluator::new(), Memory::new(8, Unset::Zero, 100).unwrap());
    ram.write(&mut b, &f(1), &f(10)).unwrap();
    ram.write(&mut b, &f(2), &f(20)).unwrap();
    *cell(&mut ram, 1) = Cell { value: f(10), time: 4 };
    ram.write(&mut b, &f(1), &f(11)).unwrap();
    *cell(&mut ram, 1) = Cell { value: f(10), time: 1 };
    assert!(ram.read(&mut b, &f(1)).unwrap() == f(10));
    *cell(&mut ram, 1) = Cell { value: f(11), time: 3 };
    assert!(is_unsatisfied(&ram.finish(&mut b), "memory/lookups"));
}

#[test]
fn no_cell_is_changed_at_the_end() {
    type Lie = fn(&mut Memory);
    let lies: [Lie; 7] = [
        |ram| cell(ram, 0).value = f(0),
        |ram| cell(ram, 0).time = 1,
        |ram| cell(ram, 2).value = f(21),
        |ram| cell(ram, 2).time = 1,
        |ram| cell(ram, 7).value = f(1),
        |ram| cell(ram, 7).time = 1,
        |ram| ram.cells.0.swap(1, 2),
    ];
    for kind in kinds() {
        for lie in lies {
            assert!(is_unsatisfied(&lying(kind, lie, &[]), "memory"), "{kind:?}");
        }
        // The sink is a cell like others.
        for lie in [|ram: &mut Memory| cell(ram, 8).value = f(1), |ram: &mut Memory| cell(ram, 8).time = 1] {
            assert_eq!(is_unsatisfied(&lying(kind, lie, &[]), "memory"), kind.conditional, "{kind:?}");
        }
    }
}

/// What P has committed to is changed afterwards, one wire at a time.
#[test]
fn every_wire_of_an_access_matters() {
    for kind in kinds() {
        let stride = 4 + usize::from(kind.unset == Unset::Refused) + usize::from(kind.conditional);
        for i in 0..3 * stride {
            let result = lying(kind, |ram| *ram.log.wire(i) += F61::ONE, &[(1, None)]);
            assert!(is_unsatisfied(&result, "memory"), "{kind:?} {i}");
        }
    }
}

/// The same of accesses that lie in other chunks of the log than the first, at their borders.
#[test]
fn every_access_matters_however_many_there_are() {
    let accesses = 2 * FIRST + 5;
    let run = |lie: Option<usize>| {
        let mut b = Evaluator::new();
        let mut ram = PLAIN.memory(&mut b, 8, &[5, 6], accesses)?;
        for access in 0..accesses as u64 {
            ram.write(&mut b, &f(access % 8), &f(access))?;
        }
        lie.into_iter().for_each(|wire| *ram.log.wire(wire) += F61::ONE);
        ram.finish(&mut b)
    };
    assert_eq!(run(None).map(|words| words[3]), Ok(f(accesses as u64 - 2)));
    for access in [FIRST - 1, FIRST, accesses - 1] {
        for wire in 4 * access..4 * access + 4 {
            assert!(is_unsatisfied(&run(Some(wire)), "memory"), "{wire}");
        }
    }
}

/// The two halves of a difference are below `2^h`, and `2^h` is no wider than the accesses need.
#[test]
fn times_have_as_many_bits_as_the_most_accesses() {
    for (most, half) in [(1, 1), (3, 1), (4, 2), (1000, 5), (1 << 20, 11), (MOST, 16)] {
        let ram = Memory::new(1, Unset::Zero, most).unwrap();
        assert_eq!(ram.half, half, "{most}");
        assert!(most >> (2 * half) == 0);
    }
    // The longest wait: the last access finds what was there at first.
    for most in [1, 3, 15, 63, 64] {
        let mut accesses = vec![(0, Some(1)); most - 1];
        accesses.push((1, None));
        assert!(always(2, Unset::Zero, &accesses).is_ok(), "{most}");
    }
}

/// The first access reads what the second writes: it finds a time to come, so the difference is -2. P has it
/// as `p - 2`, in two halves, which suits a range of 32 bits.
#[test]
fn no_read_of_what_is_written_later_hides_behind_the_characteristic() {
    let run = |most| {
        let (mut b, mut ram) = (Evaluator::new(), Ram::<F32, F32>::new(2, Unset::Zero, most)?);
        let [one, value] = [1, 77].map(F32::from_u64);
        // A time is an element: this is 2, and the lower half of `0 - 2` is that of `p - 2`.
        let later = 2 + F32::CHARACTERISTIC.unwrap() * 0xffff;
        visited(&mut ram);
        ram.cells.0[1] = Cell { value, time: later };
        assert!(ram.read(&mut b, &one)? == value);
        ram.cells.0[1] = Cell { value: F32::ZERO, time: 0 };
        ram.write(&mut b, &one, &value)?;
        ram.cells.0[1].time = 1;
        ram.finish(&mut b)
    };
    assert!(matches!(run(MOST), Err(Error::Misuse(_))), "{:?}", run(MOST).is_ok());
    assert!(is_unsatisfied(&run(MOST - 1), "memory/lookups"));
}

#[test]
fn an_access_and_a_cell_cost_what_is_written() {
    let count = |reads: u64, writes: u64, size: usize, unset| {
        let most = (reads + writes) as usize;
        let (mut b, mut ram) = (Counter::<F61>::new(), Ram::<F61, u32>::new(size, unset, most).unwrap());
        (0..writes).for_each(|_| ram.write(&mut b, &0, &0).unwrap());
        for _ in 0..reads {
            let _ = ram.read(&mut b, &0).unwrap();
        }
        let table = 1 << ram.half;
        ram.finish(&mut b).unwrap();
        let counts = b.total();
        assert_eq!(counts.degree, 4);
        (counts.inputs - table, counts.tested, counts.challenges)
    };
    // 300 accesses, 600 cells: 4 2/3 and 2 1/3.
    assert_eq!(count(200, 100, 600, Unset::Zero), (1400 + 1400, 900, 2));
    assert_eq!(count(200, 100, 600, Unset::Refused), (1400 + 100 + 1400 + 600, 900, 2));
}

#[test]
#[ignore = "long: a million accesses"]
fn long_an_access_costs_a_third_of_a_product_pair_more_under_two_challenges() {
    let most = 1 << 20;
    let (mut b, mut ram) = (Counter::<F61>::new(), Ram::<F61, u32>::new(3, Unset::Zero, most).unwrap());
    for _ in 0..most {
        let _ = ram.read(&mut b, &0).unwrap();
    }
    ram.finish(&mut b).unwrap();
    let counts = b.total();
    assert_eq!((counts.tested, counts.tested_twice), (1 << 20, (1 << 20) + 3));
    let an_access = counts.inputs as f64 / most as f64;
    assert!((5.33..5.35).contains(&an_access), "{an_access}");
}

#[test]
fn sizes_and_fields_that_are_not_possible_and_one_access_too_many_are_refused() {
    for (size, most) in [(0, 1), (1, 0), (MOST + 1, 1), (1, MOST + 1)] {
        assert!(matches!(Memory::new(size, Unset::Zero, most), Err(Error::Public(_))));
    }
    assert!(matches!(Ram::<Gf256, Gf256>::new(4, Unset::Zero, 4), Err(Error::Misuse(_))));
    let (mut b, mut ram) = (Evaluator::new(), Memory::new(4, Unset::Zero, 2).unwrap());
    b.enter("outer");
    ram.write(&mut b, &f(0), &f(1)).unwrap();
    ram.read(&mut b, &f(0)).unwrap();
    assert!(matches!(ram.read(&mut b, &f(0)), Err(Error::Misuse(_))));
    assert!(matches!(ram.write(&mut b, &f(0), &f(1)), Err(Error::Misuse(_))));
}

#[test]
fn debug_shows_sizes_only() {
    let mut ram = Memory::new(4, Unset::Zero, 2).unwrap();
    ram.write(&mut Evaluator::new(), &f(3), &f(1_234_567)).unwrap();
    assert_eq!(format!("{ram:?}"), "Ram { size: 4, accesses: 1, .. }");
}

/// A read of a stale value, on a backend that lies.
fn stale(b: &mut Liar) -> Result<(), Error> {
    let mut ram = Memory::new(8, Unset::Zero, 100)?;
    for (address, value) in [(1, 10), (2, 20), (1, 11)] {
        ram.write(b, &f(address), &f(value))?;
    }
    cell(&mut ram, 1).value = f(10);
    ram.read(b, &f(1))?;
    ram.finish(b).map(drop)
}

/// The products have four triples of what was consumed and is there at the end, and two of what was produced;
/// before them are the inverses of four pairs.
#[test]
fn no_product_makes_up_for_a_stale_read() {
    made_up_for(4 + 3, stale);
    let mut liar = Liar::new();
    liar.scalar = Some((4 + 4 + 1, F61::ONE));
    assert!(is_unsatisfied(&stale(&mut liar), "memory"));
}

#[test]
fn only_products_are_committed_to_after_the_last_challenge() {
    let (mut b, mut ram) = (Liar::new(), Memory::new(8, Unset::Refused, 100).unwrap());
    ram.write(&mut b, &f(1), &f(10)).unwrap();
    ram.finish(&mut b).unwrap();
    let at = b.asked.iter().rposition(|asked| *asked == Asked::Challenge).unwrap();
    assert!(b.asked[..at].contains(&Asked::Secrets(8 * 3)));
    assert!(b.asked[at + 1..].iter().all(|asked| matches!(asked, Asked::Scalars(_))));
}

/// A read that finds a time to come: the difference is negative, and either half takes all of it.
#[test]
fn neither_half_of_a_difference_is_beyond_its_bits() {
    let read = |lie: bool| {
        let (mut b, mut ram) = (Liar::new(), Memory::new(2, Unset::Zero, 100).unwrap());
        // The third secret is the lower half of 0 - 8 = 8 - 2^4. A lie is -8, with 0 as the upper half.
        assert_eq!(ram.half, 4);
        b.secret = lie.then(|| (2, -f(16)));
        visited(&mut ram);
        cell(&mut ram, 1).time = 8;
        ram.read(&mut b, &f(1)).unwrap();
        ram.times.finish(&mut b)
    };
    for lie in [false, true] {
        assert!(is_unsatisfied(&read(lie), "lookups"), "{lie}");
    }
}
