//! What is not.

use std::sync::Arc;

use super::*;
use crate::proof::tables::{PUBLIC_LEFT, SECRET_LEFT, WRITTEN};
use crate::proof::tests::{DATA, SMALL, li};

const NOP: u32 = 0x13;

/// Where a state has the place of the next instruction.
const PLACE: usize = REGISTERS;

/// Segments of so many steps in which rows are filled up so that P may do without some, and one check.
fn long(steps: u32) -> Settings {
    Settings { steps, unit: 64, log: 1 << 10 }
}

/// Adds one to `a0` this many times, and exits with it: eight steps a group.
fn adding(times: usize, groups: usize) -> SplitRun {
    let words = [vec![i(Addi, 10, 10, 0, 1); times], exit().to_vec()].concat();
    let split = split(&words, [b"123", b"123"], long(8), groups);
    assert_eq!((split.groups(), split.run.profile().segments()), (groups, groups));
    assert_eq!(split.run.claim().end, End::Exit(times as u32));
    split
}

#[test]
fn a_byte_of_an_input_that_is_read_twice_or_skipped_between_groups_is_found() {
    for (file, cell) in [(0, SECRET_LEFT), (3, PUBLIC_LEFT)] {
        let words = [call(63, file, 0, 1).repeat(4), exit().to_vec()].concat();
        // Nothing but the place differs: all bytes are alike.
        let honest = || split(&words, [b"aaaaaaaa", b"aaaaaaaa"], long(20), 2);
        let mut twice = honest();
        group(&mut twice, 1).state[cell as usize] += 1;
        assert_eq!(wrong(&twice), [Wrong::Join(0, 1)]);
        let mut skipped = honest();
        group(&mut skipped, 1).state[cell as usize] -= 1;
        assert_eq!(wrong(&skipped), [Wrong::Join(0, 1)]);
    }
}

#[test]
fn a_byte_of_the_journal_that_is_lost_or_made_up_between_groups_is_found() {
    let words = [call(64, 1, 4, 1).repeat(4), exit().to_vec()].concat();
    let honest = || split(&words, [b"", b""], long(20), 2);
    assert_eq!(honest().run.claim().journal, [250; 4]);
    let at_start = group(&mut honest(), 1).state[WRITTEN as usize] as usize;
    assert!((1..4).contains(&at_start));
    let mut lost = honest();
    lost.run.claim.journal.pop();
    // The last byte has no place, and there are too many at the end.
    assert_eq!(wrong(&lost), [Wrong::Shard(1)]);
    group(&mut lost, 1).state[WRITTEN as usize] -= 1;
    assert_eq!(wrong(&lost), [Wrong::Join(0, 1)]);
    let mut made_up = honest();
    made_up.run.claim.journal.insert(at_start, 7);
    group(&mut made_up, 1).state[WRITTEN as usize] += 1;
    assert_eq!(wrong(&made_up), [Wrong::Join(0, 1)]);
}

#[test]
fn a_state_that_changes_between_groups_is_found() {
    let mut other = adding(20, 3);
    for n in [1, 2] {
        group(&mut other, n).state[10] += 100;
    }
    other.run.claim.end = End::Exit(120);
    assert_eq!(wrong(&other), [Wrong::Join(0, 1)]);
    // A step is left out.
    let mut jump = adding(20, 3);
    for n in [1, 2] {
        group(&mut jump, n).state[PLACE] += 4;
    }
    jump.run.claim.end = End::Exit(19);
    assert_eq!(wrong(&jump), [Wrong::Join(0, 1)]);
    // Each cell of a state counts.
    for cell in 1..REGISTERS {
        let mut other = adding(20, 3);
        group(&mut other, 2).state[cell] ^= 1;
        // The end of the run is a claim about two of them.
        let is_claimed = [10, WRITTEN as usize].contains(&cell);
        let expected = if is_claimed { Wrong::Shard(2) } else { Wrong::Join(1, 2) };
        assert_eq!(wrong(&other), [expected], "{cell}");
    }
}

/// The run does not begin where the program does.
#[test]
fn the_first_group_begins_at_the_start() {
    for cell in [10, PLACE] {
        let mut other = adding(20, 3);
        group(&mut other, 0).state[cell] += 4;
        assert_eq!(wrong(&other)[0], Wrong::Shard(0), "{cell}");
    }
}

/// The last group is at another place than the exit, or the run ends with another code.
#[test]
fn the_last_group_ends_as_claimed() {
    let mut other = adding(20, 3);
    other.run.claim.end = End::Exit(19);
    assert_eq!(wrong(&other), [Wrong::Shard(2)]);
    let mut early = adding(20, 3);
    early.run.meddle = Some(Arc::new(|number, segment| {
        if number == 3 {
            segment.place -= 4;
        }
    }));
    assert_eq!(wrong(&early), [Wrong::Shard(2)]);
}

/// All is as in the run, but its profile stops at a segment's end, where the registers are those of an exit.
#[test]
fn a_run_that_stops_where_there_is_no_call_has_not_exited() {
    let words = [vec![i(Addi, 17, 0, 0, 93)], vec![i(Addi, 10, 10, 0, 1); 27], exit().to_vec()].concat();
    for kept in [1, 2, 3] {
        let mut early = split(&words, [b"", b""], long(8), 4);
        assert_eq!((early.groups(), early.run.profile().segments()), (4, 4));
        early.run.profile.segments.truncate(kept);
        early.cut = Cut::new(&early.run.profile, 1 << 10, early.run.subject.file_words(), kept);
        early.run.claim.end = End::Exit(8 * kept as u32 - 1);
        assert_eq!(wrong(&early), [Wrong::Shard(kept - 1)]);
    }
}

#[test]
fn a_group_that_is_proved_twice_is_found() {
    let mut twice = adding(20, 3);
    let first = group(&mut twice, 0);
    let state = first.state.clone();
    group(&mut twice, 1).state = state;
    assert_eq!(wrong(&twice), [Wrong::Join(0, 1), Wrong::Join(1, 2)]);
}

#[test]
fn a_segment_that_is_left_out_is_found() {
    let mut out = adding(28, 4);
    out.run.profile.segments.remove(1);
    out.cut = Cut::new(&out.run.profile, 1 << 10, out.run.subject.file_words(), 3);
    let held = out.held.as_mut().expect("P's");
    for n in 1..3 {
        let next = held.groups.remove(&(n + 1)).expect("a group");
        held.groups.insert(n, next);
    }
    assert_eq!(wrong(&out), [Wrong::Join(0, 1)]);
}

/// The first group stores 7, the second 8; the last one finds what it holds.
fn storing() -> SplitRun {
    let store = |value| [i(Addi, 6, 0, 0, value), i(Sw, 0, 5, 6, 16), NOP];
    let load = [NOP, NOP, i(Lw, 10, 5, 0, 16)];
    let words = [&li(5, DATA)[..], &store(7), &store(8), &load, &exit()].concat();
    let split = split(&words, [b"", b""], long(5), 3);
    assert_eq!((split.run.claim().end, split.groups()), (End::Exit(8), 3));
    let held = split.held.as_ref().expect("P's");
    let words = [1, 2].map(|n| held.groups[&n].words.to_vec());
    assert_eq!(words, [vec![[DATA + 16, 7, 1]], vec![[DATA + 16, 8, 2]]]);
    let entries = held.checks[&0].entries.to_vec();
    assert_eq!(entries, [[DATA + 16, 0, 0, 7], [DATA + 16, 7, 1, 8], [DATA + 16, 8, 2, 8]]);
    split
}

/// The group finds what is not there any more, or never was: what the last store left is dropped.
#[test]
fn a_word_that_is_stale_in_a_later_group_is_found() {
    for (found, since) in [(7, 1), (0, 0), (9, 2)] {
        let mut stale = storing();
        let words = &mut group(&mut stale, 2).words;
        words.clear();
        if since > 0 {
            words.push([DATA + 16, found, since]);
        }
        stale.run.claim.end = End::Exit(found);
        // The check has what the run left.
        assert_eq!(wrong(&stale), [Wrong::Join(2, 3)]);
        // The check has what the group found.
        let last = |check: &mut OfCheck| {
            check.entries[2] = [DATA + 16, found, since, found];
            let mut after = Vec::clone(&check.after);
            after.iter_mut().filter(|word| word[0] == DATA + 16).for_each(|word| word[1] = found);
            check.after = Arc::new(Zeroizing::new(after));
        };
        last(check(&mut stale, 0));
        assert_eq!(wrong(&stale), [Wrong::Shard(3)]);
        // It has a second word of this address, which is new once more or stays behind.
        stale.run.profile.fresh[0] += 1;
        stale.cut = Cut::new(&stale.run.profile, 1 << 10, stale.run.subject.file_words(), 3);
        let of_check = check(&mut stale, 0);
        of_check.fresh.push(DATA + 16);
        let mut after = Vec::clone(&of_check.after);
        let at = after.iter().position(|word| word[0] == DATA + 16).expect("it is live");
        after.insert(at, [DATA + 16, 8, 2]);
        of_check.after = Arc::new(Zeroizing::new(after));
        assert_eq!(wrong(&stale), [Wrong::Shard(3)]);
    }
}

/// Two groups take what the first one left.
#[test]
fn a_word_that_two_groups_take_is_found() {
    let mut doubled = storing();
    group(&mut doubled, 2).words[0] = [DATA + 16, 7, 1];
    doubled.run.claim.end = End::Exit(7);
    check(&mut doubled, 0).entries[2] = [DATA + 16, 7, 1, 7];
    assert_eq!(wrong(&doubled), [Wrong::Shard(3)]);
}

/// A segment takes what a later segment leaves, or what it leaves itself.
#[test]
fn a_word_of_a_later_segment_is_found() {
    for since in [2, 3, 1 << 20] {
        let mut later = storing();
        later.run.meddle = Some(Arc::new(move |number, segment| {
            if number == 2 {
                (segment.words[0].first, segment.words[0].since) = (8, since);
            }
        }));
        check(&mut later, 0).entries[1] = [DATA + 16, 8, since, 8];
        assert!(wrong(&later).contains(&Wrong::Shard(1)), "{since}");
    }
}

/// Both the group and the check that it belongs to have another word than the check before left.
#[test]
fn a_word_that_changes_between_checks_is_found() {
    let mut other = split(&sweeping(80), [b"", b""], SMALL, 2);
    let (groups, checks) = (other.cut.groups.len(), other.cut.checks.len());
    assert!(checks > 2 && other.run.claim().end == End::Exit(80));
    let first = crate::program::STACK_POINTER - 2048;
    let change = |words: &mut Vec<[u32; 3]>| {
        let word = words.iter_mut().find(|word| word[0] == first).expect("it is there");
        assert_eq!(word[1], 80);
        word[1] = 5;
    };
    change(&mut group(&mut other, 1).words);
    other.run.claim.end = End::Exit(5);
    let last = check(&mut other, checks - 1);
    let entry = last.entries.iter_mut().find(|entry| entry[0] == first).expect("it is touched");
    [entry[1], entry[3]] = [5, 5];
    for words in [&mut last.before, &mut last.after] {
        let mut changed = Vec::clone(words);
        change(&mut changed);
        *words = Arc::new(Zeroizing::new(changed));
    }
    let last = groups + checks - 1;
    assert_eq!(wrong(&other), [Wrong::Join(last - 1, last)]);
}
