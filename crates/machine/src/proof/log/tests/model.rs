//! The check against a plain memory: with the range in segments, it accepts P's lists if and only if they are
//! the log of a memory.

use std::cell::Cell;
use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::{TestError, TestRunner};

use super::super::super::segment::word_shape;
use super::super::super::tables::READ_ONLY;
use super::*;

/// What P chooses.
#[derive(Clone, Debug)]
struct Choice {
    /// Whether this is the second check. Segments 1 and 2 were before the first one.
    later: bool,
    /// Segment, address, value at the end, and which of the tuples of the address it takes.
    entries: Vec<(u32, i64, i64, usize)>,
    /// Whether entries take tuples of earlier segments only.
    earlier: bool,
    fresh: Vec<i64>,
    /// The region that P claims for new words that lie in none. There are three.
    claimed: usize,
    /// Which limb is wrong where one has to be: see [`limb`].
    upper: bool,
}

fn address() -> impl Strategy<Value = i64> {
    // Words of the file, one that can be written and one that cannot, and words that are zero at first: of
    // data, of the stack, of what is read-only.
    let usual = [DATA, READ_ONLY + 0x4_0000, DATA + 0x40, 0x7fff_fffc, READ_ONLY + 0x4_0010];
    // The ends of data's words in the file and of its zeros, an address that is misaligned, the end of the
    // stack, addresses in no segment, and words of the text and of constants at right and at wrong places.
    let others = [
        DATA + 0x1c,
        DATA + 0x20,
        DATA + 0xfc,
        DATA + 0x100,
        DATA + 0x42,
        0x8000_0000,
        0x5_0000,
        -4,
        0x1_0000,
        READ_ONLY + 0x1_0000,
        0x4_0010,
        READ_ONLY + 0x4_0040,
    ];
    prop_oneof![5 => prop::sample::select(usual.to_vec()), 1 => prop::sample::select(others.to_vec())]
}

fn choice() -> impl Strategy<Value = Choice> {
    let entry = (1..5_u32, address(), 0..2_i64, 0..4_usize);
    let lists = (prop::collection::vec(entry, 0..6), prop::collection::vec(address(), 0..4));
    (any::<bool>(), lists, prop::bool::weighted(0.8), 0..4_usize, any::<bool>()).prop_map(
        |(later, (entries, fresh), earlier, claimed, upper)| Choice {
            later,
            entries,
            earlier,
            fresh,
            claimed,
            upper,
        },
    )
}

/// Whether a word may be new.
fn is_zero(regions: &Regions, address: i64) -> bool {
    let within = |(low, end): &(u64, u64)| (*low as i64..*end as i64).contains(&address);
    address % 4 == 0 && regions.zero().iter().any(within)
}

/// The columns of a new word. If it lies in no region, P claims the one of this number, or makes one up.
fn fresh_row(regions: &Regions, address: i64, claimed: usize, upper: bool) -> [F61; 5] {
    let zero = Vec::from_iter(regions.zero().iter().map(|(low, end)| (*low as i64, *end as i64)));
    let holds = |(low, end): &&(i64, i64)| (*low..*end).contains(&address);
    let region = zero.iter().find(holds).or_else(|| zero.get(claimed)).copied();
    let (low, end) = region.unwrap_or((address, address + 4));
    let limbs = [address + 4 - low, end - address].map(|distance| limb(distance, upper));
    [integer(address), integer(low), integer(end), limbs[0], limbs[1]]
}

impl Choice {
    /// The live words before the check.
    fn before(&self, file: &[Live]) -> Vec<Live> {
        let touched: &[Live] = if self.later { &[[DATA + 0x40, 1, 1], [0x7fff_fffc, 1, 2]] } else { &[] };
        [file, touched].concat()
    }

    /// What P says, and whether all tuples match: the live words after the check are what is left over.
    fn lists(&self, before: &[Live], tables: &Tables<'_>) -> (Lists, bool) {
        let regions = &tables.regions;
        let mut left = before.to_vec();
        left.extend(self.fresh.iter().map(|address| [*address, 0, 0]));
        let number = |segment: u32| if self.later { segment + 2 } else { segment };
        let leaves = |(segment, address, last, _): &_| [*address, *last, number(*segment).into()];
        left.extend(self.entries.iter().map(leaves));
        let (mut entries, mut matches) = (Vec::new(), true);
        for (segment, address, last, which) in self.entries.iter().copied() {
            let segment = number(segment);
            let may_take =
                |[of, _, since]: &Live| *of == address && (!self.earlier || *since < i64::from(segment));
            let places = Vec::from_iter((0..left.len()).filter(|place| may_take(&left[*place])));
            let found = places.get(which % places.len().max(1)).map(|place| left.swap_remove(*place));
            matches &= found.is_some();
            let [_, first, since] = found.unwrap_or([address, 0, 0]);
            entries.push((segment, [address, first, since, last]));
        }
        let file = filed(tables).map(|word| {
            let place = left.iter().position(|live| live[0] == word.place);
            let [_, value, segment] = place.map_or([0; LIVE], |place| left.swap_remove(place));
            [word.place, if word.read_only { word.value.into() } else { value }, segment]
        });
        let file = file.collect();
        left.sort_unstable();
        let fresh = |address: &i64| fresh_row(regions, *address, self.claimed, self.upper);
        let lists = Lists {
            before: self.later.then(|| before.to_vec()),
            entries,
            fresh: self.fresh.iter().map(fresh).collect(),
            gaps: gaps(&left, self.upper),
            file,
            after: left,
        };
        (lists, matches)
    }
}

/// What memory holds in the end, by address, if segments found what they say that they found.
fn memory(before: &[Live], fresh: &[i64], regions: &Regions, entries: &[Entry]) -> Option<Vec<Live>> {
    let mut memory: BTreeMap<_, _> = before.iter().map(|word| (word[0], *word)).collect();
    for address in fresh {
        let old = memory.insert(*address, [*address, 0, 0]);
        if old.is_some() || !is_zero(regions, *address) {
            return None;
        }
    }
    let mut entries = entries.to_vec();
    entries.sort_by_key(|(segment, _)| *segment);
    for (segment, [address, first, since, last]) in entries {
        let segment = segment.into();
        let found = memory.insert(address, [address, last, segment])?;
        // A segment takes a word once.
        if found != [address, first, since] || since >= segment {
            return None;
        }
    }
    Some(memory.into_values().collect())
}

/// Compares the check with memory for this many choices of P. Returns also how often P was accepted, and how
/// often it was refused although all tuples match. Without `ranged`, segments do not show that what they take
/// is of an earlier one.
fn compare(cases: u32, ranged: bool) -> (Result<(), TestError<Choice>>, [u32; 2]) {
    let counts = Cell::new([0, 0]);
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let result = with_checker(|checker| {
        let tables = &checker.tables;
        let file = file(tables);
        TestRunner::new(config).run(&choice(), |choice| {
            let before = choice.before(&file);
            let (lists, matches) = choice.lists(&before, tables);
            let is_in_range = |(segment, entry): &Entry| {
                let row = integers(&[&entry[..], &[0]].concat());
                word_shape(*segment).lookups.iter().all(|lookup| tables.holds(lookup, &row))
            };
            let are_in_range = !ranged || lists.entries.iter().all(is_in_range);
            let is_accepted = are_in_range && checker.accepts(&lists, true);
            let expected = memory(&before, &choice.fresh, &tables.regions, &lists.entries);
            let mut after = [&lists.file[..], &lists.after].concat();
            after.sort_unstable();
            let is_true = expected.as_ref() == Some(&after);
            prop_assert!(is_true || !is_accepted, "accepted: {:x?}", lists);
            prop_assert!(is_accepted || !is_true, "refused: {:x?}", lists);
            let [accepted, refused] = counts.get();
            counts.set([accepted + u32::from(is_accepted), refused + u32::from(matches && !is_accepted)]);
            Ok(())
        })
    });
    (result, counts.get())
}

fn is_compared(cases: u32) {
    let (result, [accepted, refused]) = compare(cases, true);
    if let Err(error) = result {
        panic!("{error}");
    }
    assert!(accepted > cases / 20 && refused > cases / 20, "of {cases}: {accepted}, {refused}");
}

#[test]
fn what_is_accepted_is_a_memory() {
    is_compared(2_000);
}

#[test]
#[ignore = "long: 200,000 logs"]
fn long_what_is_accepted_is_a_memory() {
    is_compared(200_000);
}

/// The comparison finds a P that is wrongly accepted if a check is missing.
#[test]
fn without_the_range_of_segments_the_model_finds_a_lie() {
    let (result, _) = compare(2_000, false);
    let Err(TestError::Fail(reason, choice)) = result else { panic!("{result:?}") };
    assert!(reason.message().starts_with("accepted"), "{reason}");
    assert!(!choice.earlier, "{choice:?}");
}
