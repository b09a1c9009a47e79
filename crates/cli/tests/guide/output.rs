//! Compares what a page shows with what a program prints.

use std::collections::BTreeMap;

/// Words that stand for values that differ from run to run.
pub(crate) const KEPT: &[&str] = &["ADDRESS", "FINGERPRINT", "PUBLICKEY"];

/// The values of the words of [`KEPT`].
pub(crate) type Kept = BTreeMap<&'static str, String>;

/// Learns the values of [`KEPT`] from what a process has printed so far.
pub(crate) fn learn(shown: &[String], printed: &[&str], kept: &mut Kept) {
    for line in shown.iter().filter(|line| KEPT.iter().any(|name| line.contains(name))) {
        // The first line that agrees has the values.
        let _ = printed.iter().any(|other| agrees(core::slice::from_ref(line), &[other], kept));
    }
}

/// Whether a program printed what the page shows.
pub(crate) fn agrees(shown: &[String], printed: &[&str], kept: &mut Kept) -> bool {
    match (shown.split_first(), printed.split_first()) {
        (None, None) => true,
        (None, Some(_)) => false,
        (Some((line, rest)), _) if line.trim() == "..." => {
            (0..=printed.len()).any(|skipped| agrees(rest, &printed[skipped..], kept))
        }
        (Some(_), None) => false,
        (Some((line, shown)), Some((other, printed))) => {
            let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            line_agrees(&words(line), &words(other), kept) && agrees(shown, printed, kept)
        }
    }
}

fn line_agrees(shown: &[String], printed: &[String], kept: &mut Kept) -> bool {
    match (shown.split_first(), printed.split_first()) {
        (None, None) => true,
        (Some((word, rest)), _) if word == "..." => {
            (0..=printed.len()).any(|skipped| line_agrees(rest, &printed[skipped..], kept))
        }
        (Some((number, [unit, shown @ ..])), Some((other, [other_unit, printed @ ..])))
            if is_time(number, unit) && is_time(other, other_unit) =>
        {
            line_agrees(shown, printed, kept)
        }
        (Some((word, shown)), Some((other, printed))) => {
            word_agrees(word, other, kept) && line_agrees(shown, printed, kept)
        }
        _ => false,
    }
}

fn is_time(number: &str, unit: &str) -> bool {
    let unit = unit.trim_end_matches([',', '.', ';', ')', ':']);
    number.trim_start_matches('(').parse::<f64>().is_ok() && ["s", "ms"].contains(&unit)
}

fn word_agrees(shown: &str, printed: &str, kept: &mut Kept) -> bool {
    let Some((name, (before, after))) = KEPT.iter().find_map(|name| Some((*name, shown.split_once(name)?)))
    else {
        return shown == printed;
    };
    let value = printed.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
    value.is_some_and(|value| {
        kept.insert(name, value.to_owned());
        !value.is_empty()
    })
}

#[test]
fn only_what_differs_from_run_to_run_may_differ() {
    let agree = |shown: &str, printed: &str| {
        let shown: Vec<_> = shown.lines().map(str::to_owned).collect();
        let mut kept = Kept::new();
        agrees(&shown, &printed.lines().collect::<Vec<_>>(), &mut kept).then_some(kept)
    };
    for (shown, printed) in [
        ("accepted: 3 gates in 31 ms", "accepted: 3 gates in 1.2 s"),
        ("a\n...\nd", "a\nb\nc\nd"),
        ("a\n...", "a"),
        ("a ... d", "a b c d"),
    ] {
        assert!(agree(shown, printed).is_some(), "{shown:?} {printed:?}");
    }
    for (shown, printed) in [
        ("accepted: 3 gates in 31 ms", "accepted: 4 gates in 31 ms"),
        ("accepted: 3 gates in 31 ms", "rejected"),
        ("a", "a\nb"),
        ("a\nb", "a"),
        ("a ... d", "a b c"),
        ("key PUBLICKEY", "key"),
    ] {
        assert!(agree(shown, printed).is_none(), "{shown:?} {printed:?}");
    }
    let kept = agree("certificate sha256:FINGERPRINT", "certificate sha256:0a1b").expect("a fingerprint");
    assert_eq!(kept["FINGERPRINT"], "0a1b");
    let mut kept = Kept::new();
    learn(&["a".into(), "key PUBLICKEY".into()], &["a", "b", "key 7"], &mut kept);
    assert_eq!(kept["PUBLICKEY"], "7");
}
