//! What is true.

use super::*;
use crate::proof::ProfileClass;
use crate::proof::tables::SECRET_LEFT;
use crate::proof::tests::runs::counting;
use crate::proof::tests::{SMALL, TEXT, program};

/// V's side of the same.
fn public_side(split: &SplitRun, groups: usize) -> SplitRun {
    SplitRun::new(split.run.without_secret(), groups).expect("shards")
}

/// Each boundary wire is equal to exactly one of another shard.
fn joined_once(split: &SplitRun) {
    let mut seen = Vec::from_iter((0..split.shards()).map(|n| vec![0; split.boundary(n)]));
    for Join { from, to, wires } in split.joins() {
        for (shard, first) in [from, to] {
            seen[shard][first..][..wires].iter_mut().for_each(|count| *count += 1);
        }
        assert!(from.0 < to.0, "{from:?} {to:?}");
    }
    assert!(seen.iter().flatten().all(|count| *count == 1));
}

fn digest(split: &SplitRun, n: usize) -> [u8; 32] {
    let mut digest = Digest::new();
    shard(split, n).identify(&mut digest);
    digest.finish()
}

/// What V knows makes the same shards, and shards of the sizes that P's have.
fn is_known_to_v(split: &SplitRun) {
    let theirs = public_side(split, split.groups());
    assert_eq!((theirs.shards(), theirs.joins()), (split.shards(), split.joins()));
    assert!(theirs.held.is_none() && theirs.run.source().expect("none").0.is_none());
    for n in 0..split.shards() {
        assert_eq!(digest(&theirs, n), digest(split, n));
        let part = Alone(shard(&theirs, n), Mutex::default());
        let said = part.0.commitments();
        let counted = Counter::<F61>::count(&part).expect("no witness is needed").total().commitments();
        assert!(counted <= said && said <= 2 * counted + 200, "shard {n}: {counted} of {said}");
    }
    assert!((1..split.shards()).all(|n| digest(split, n) != digest(split, n - 1)));
    joined_once(split);
}

#[test]
fn a_run_in_any_number_of_groups_is_proved() {
    for groups in [1, 2, 3, 5, 100] {
        let split = split(&sweeping(80), [b"", b""], SMALL, groups);
        let segments = split.run.profile().segments();
        assert!(segments > 5 && split.groups() == groups.min(segments), "{segments} {split:?}");
        assert!(split.cut.checks.len() > 1, "{split:?}");
        is_known_to_v(&split);
    }
}

/// P says how many checks there are, and V starts a worker for each.
#[test]
fn a_run_that_says_it_takes_many_checks_is_refused_unless_there_are_as_many_groups() {
    let of = |checks: usize, groups: usize| {
        let mut run = run_of(&sweeping(80), [b"", b""], SMALL).without_secret();
        let most = run.profile.segments.iter().max_by_key(|counts| counts.words).expect("a segment").clone();
        run.profile.segments = vec![Counts { words: 1 << 20, ..most }; checks];
        run.profile.fresh = vec![0; checks];
        SplitRun::new(run, groups).map(|split| split.cut.checks.len())
    };
    assert_eq!(of(MOST_CHECKS, 1), Ok(MOST_CHECKS));
    assert!(matches!(of(MOST_CHECKS + 1, 1), Err(Error::Public(reason)) if reason.contains("17 times")));
    assert_eq!(of(40, 40), Ok(40));
    assert!(of(40, 39).is_err());
}

/// What is another statement has other digests.
#[test]
fn everything_counts_in_the_digests() {
    let of = |words: &[u32], public: &[u8], settings, groups| {
        digest(&SplitRun::new(run_of(words, [b"", public], settings), groups).expect("shards"), 1)
    };
    let words = counting(20);
    let base = of(&words, b"", SMALL, 2);
    assert_eq!(of(&words, b"", SMALL, 2), base);
    let more = Settings { unit: 4, ..SMALL };
    for other in [
        of(&counting(21), b"", SMALL, 2),
        of(&words, b"1", SMALL, 2),
        of(&words, b"", more, 2),
        of(&words, b"", SMALL, 3),
    ] {
        assert_ne!(other, base);
    }
}

/// With the arguments under challenges.
#[test]
fn shards_hold_under_challenges() {
    let settings = Settings { steps: 100, unit: 2, log: 2 };
    let split = SplitRun::new(run_of(&sweeping(60), [b"", b""], settings), 2).expect("shards");
    assert_eq!((split.groups(), split.cut.checks.len()), (2, 2));
    for n in 0..split.shards() {
        boundary(&split, n).expect("it holds");
    }
}

/// Groups and checks end anywhere: at a call, before the exit, right behind it, in the middle of what memory
/// holds.
#[test]
fn groups_may_end_anywhere() {
    let mut words = call(63, 0, 1, 5);
    words.extend(call(63, 3, 9, 3));
    words.extend([i(Lw, 7, 11, 0, 3), i(Sw, 0, 2, 7, -8)]);
    words.extend(call(64, 1, 1, 6));
    words.extend(exit());
    for steps in (1..=24).chain([100]) {
        let settings = Settings { steps, unit: 1 + steps % 3, log: u64::from(steps % 5) };
        let split = split(&words, [b"secret", b"public"], settings, 1 << 10);
        assert_eq!(split.groups(), split.run.profile().segments());
        assert_eq!(split.run.claim().journal.len(), 6);
        joined_once(&split);
    }
}

#[test]
fn runs_of_one_segment_and_of_exactly_full_ones_are_proved() {
    let alone = split(&exit(), [b"", b""], Settings { steps: 100, unit: 1, log: 0 }, 4);
    assert_eq!((alone.groups(), alone.shards()), (1, 2));
    is_known_to_v(&alone);
    // Eight steps, of which the last one is the call that exits and has no row.
    let words = [vec![i(Addi, 5, 5, 0, 1); 6], exit().to_vec()].concat();
    for (steps, groups) in [(7, 2), (8, 1), (4, 2), (1, 8)] {
        let split = split(&words, [b"", b""], Settings { steps, unit: 1, log: 0 }, 9);
        assert_eq!(split.groups(), groups, "{steps}");
        is_known_to_v(&split);
    }
}

/// No segment touches a word, or each step another one.
#[test]
fn segments_that_touch_no_words_or_many_are_proved() {
    let settings = Settings { steps: 8, unit: 1, log: 0 };
    let none = split(&[&[i(Addi, 5, 5, 0, 1); 20][..], &exit()].concat(), [b"", b""], settings, 3);
    assert!(none.run.profile().words() == 0 && none.groups() == 3);
    is_known_to_v(&none);
    let stores = Vec::from_iter((0..40).map(|n| i(Sw, 0, 2, 2, -4 * n - 4)));
    let many = split(&[&stores[..], &exit()].concat(), [b"", b""], settings, 3);
    assert!(many.run.profile().words() == 40 && many.run.profile().new_words() == 40);
    is_known_to_v(&many);
    // Nothing that later groups find was in the file, and they find it.
    let loads = Vec::from_iter((0..40).map(|n| i(Lw, 7, 2, 0, -4 * n - 4)));
    let found = split(&[&stores[..], &loads, &exit()].concat(), [b"", b""], settings, 5);
    let group = &found.held.as_ref().expect("P's").groups[&4];
    assert!(!group.words.is_empty() && group.words.len() < 40);
}

#[test]
fn a_trap_ends_the_last_group() {
    for (words, steps) in [(vec![i(Addi, 5, 5, 0, 1); 5], 3), (vec![i(Addi, 5, 5, 0, 1); 6], 3)] {
        let words = [&words[..], &[i(Ebreak, 0, 0, 0, 0)]].concat();
        let split = split(&words, [b"", b""], Settings { steps, unit: 1, log: 0 }, 2);
        assert!(matches!(split.run.claim().end, End::Trap { .. }) && split.groups() == 2);
        is_known_to_v(&split);
    }
}

/// A run that is filled up to what its class shows, with segments behind its end.
#[test]
fn a_run_of_a_class_is_proved_in_shards() {
    let settings = SMALL;
    let run = run_of(&counting(12), [b"", b""], settings);
    let class = ProfileClass::of(&run).padded_to(200).expect("longer");
    let run = run.in_class(&class).expect("it is of the class");
    assert!(run.profile().segments() > 8);
    let split = SplitRun::new(run, 3).expect("shards");
    assert_eq!(wrong(&split), []);
    is_known_to_v(&split);
}

#[test]
fn no_groups_and_secret_programs_are_refused() {
    let settings = SMALL;
    let refused = |run, groups| match SplitRun::new(run, groups) {
        Err(Error::Public(reason)) => reason,
        other => panic!("{other:?}"),
    };
    refused(run_of(&exit(), [b"", b""], settings), 0);
    let bounds = crate::proof::Bounds { text: TEXT, words: 40, data: 17 };
    let inputs = [Vec::new(), Vec::new()];
    let run = ProgramRun::of_secret(program(&exit()), bounds, inputs, settings, crate::Limits::default());
    assert!(refused(run.expect("a run"), 2).contains("secret program"));
}

/// Of one group and one check the worker has what they need, and of others nothing.
#[test]
fn shards_that_are_not_here_and_none_are_refused() {
    let settings = SMALL;
    let mut split = split(&sweeping(60), [b"", b""], settings, 2);
    // Two groups, and checks.
    assert!(split.shards() >= 4);
    assert!(matches!(split.shard(split.shards()), Err(Error::Misuse(_))));
    let held = split.held.as_mut().expect("P's");
    held.groups.remove(&1);
    held.checks.remove(&0);
    for n in 0..split.shards() {
        let here = !matches!(n, 1 | 2);
        assert_eq!(exact::on(|| boundary(&split, n)).is_ok(), here, "{n}");
    }
}

/// What a worker is given that no run has is refused, before anything is run.
#[test]
fn middles_of_no_run_are_refused() {
    let words = [call(63, 0, 0, 1).repeat(4), vec![i(Sw, 0, 11, 8, 12); 3], exit().to_vec()].concat();
    let honest = || split(&words, [b"secret", b"public"], Settings { steps: 17, unit: 4, log: 0 }, 2);
    let refused = |change: &dyn Fn(&mut OfGroup)| {
        let mut split = honest();
        change(group(&mut split, 1));
        let result = exact::on(|| boundary(&split, 1));
        assert!(matches!(result, Err(Error::Witness(_))), "{result:?}");
    };
    refused(&|group| group.state[crate::proof::tables::PUBLIC_LEFT as usize] = 7);
    refused(&|group| group.state[SECRET_LEFT as usize] = 1);
    // It reads more than it is given.
    refused(&|group| group.secret.truncate(1));
    let since = |since: u32| move |group: &mut OfGroup| group.words[0][2] = since;
    let at = honest().cut.groups[1].start as u32 + 1;
    refused(&since(at));
    refused(&since(u32::MAX));
}
