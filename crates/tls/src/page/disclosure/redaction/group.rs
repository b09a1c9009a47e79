//! At P: makes runs of the values of a JSON body that are to be hidden (see [`values`](super::values)).

use std::collections::HashSet;

use super::rest::MAX_LEAVES;
use super::structure::HttpMessage;
use super::values::{MAX_BETWEEN, MAX_VALUES, Values, is_covered, is_telling};
use super::{MAX_HIDDEN, Part, Selection};
use crate::page::disclosure::Refusal;
use crate::page::http::json::{self, Value};
use crate::page::leaf::RUN;

/// Why a value is not hidden.
const TELLING: &str = "its length would tell what it is, and beside it nothing of an unknown length is hidden: reveal it (--reveal), or let \
                       the program show such values (--show-rest)";

/// A value of a body, with its name.
type Leaf = (String, Value);

impl HttpMessage<'_> {
    /// Replaces consecutive values of the body among the parts that P names and the rest by runs. If the
    /// selection says so, values of the rest that their length would tell are left out, so they are shown.
    ///
    /// # Errors
    /// [`Refusal::Part`] for such a value if P names it or `show` is not set, and for too many parts.
    pub(super) fn group(
        &self,
        named: Vec<Part>,
        rest: Vec<Part>,
        selection: &Selection,
    ) -> Result<Vec<Part>, Refusal> {
        let show = selection.show_rest;
        let most = if selection.commit_all { RUN } else { MAX_VALUES };
        let must =
            |name: &str| !show || named.iter().any(|part| matches!(part, Part::Json(path) if path == name));
        let all = named.iter().cloned().chain(rest);
        let (json, mut grouped): (Vec<_>, Vec<_>) = all.partition(|part| matches!(part, Part::Json(_)));
        let body = self.body.bytes(self.text);
        let leaves = match json::leaves(&body, MAX_LEAVES) {
            Ok(leaves) if !json.is_empty() && self.check_coding().is_ok() => leaves,
            // Whoever looks for the parts says what is wrong.
            _ => return Ok([grouped, json].concat()),
        };
        let leaves: Vec<Leaf> = leaves.into_iter().map(|(path, value)| (path.to_string(), value)).collect();
        let names: HashSet<&str> = leaves.iter().map(|(name, _)| name.as_str()).collect();
        let mut wanted = HashSet::new();
        for part in json {
            match &part {
                Part::Json(name) if names.contains(name.as_str()) => {
                    wanted.insert(name.clone());
                }
                _ => grouped.push(part),
            }
        }
        let runs = self.runs(&body, &leaves, most, (&mut wanted, must))?;
        grouped.extend(runs.into_iter().filter_map(|run| part_of(&body, run)));
        if grouped.len() > MAX_HIDDEN { Err(self.too_many()) } else { Ok(grouped) }
    }

    /// The runs of wanted values, each of at most `most`. A value that cannot be hidden is taken out of
    /// those, or is an error if it must be hidden.
    fn runs<'a>(
        &self,
        body: &[u8],
        leaves: &'a [Leaf],
        most: usize,
        (wanted, must): (&mut HashSet<String>, impl Fn(&str) -> bool),
    ) -> Result<Vec<&'a [Leaf]>, Refusal> {
        loop {
            let runs = divide(body, leaves, most, wanted);
            let open = |run: &&&[Leaf]| !is_covered(run.iter().map(|(_, value)| value));
            let told = runs.iter().filter(open).flat_map(|run| run.iter());
            let told: Vec<&Leaf> = told.filter(|(_, value)| is_telling(value)).collect();
            if told.is_empty() {
                return Ok(runs);
            }
            if let Some((name, _)) = told.iter().find(|(name, _)| must(name)) {
                return Err(self.refusal(&Part::Json(name.clone()), TELLING));
            }
            // Fewer values are wanted, so this ends.
            for (name, _) in told {
                wanted.remove(name);
            }
        }
    }
}

/// Divides wanted values into runs of at most `most`. It depends on nothing but names and the text between
/// values.
fn divide<'a>(body: &[u8], leaves: &'a [Leaf], most: usize, wanted: &HashSet<String>) -> Vec<&'a [Leaf]> {
    let mut runs = Vec::new();
    for neighbours in leaves.chunk_by(|(a, _), (b, _)| wanted.contains(a) == wanted.contains(b)) {
        if neighbours.first().is_none_or(|(name, _)| !wanted.contains(name)) {
            continue;
        }
        let mut rest = neighbours;
        while !rest.is_empty() {
            let (run, others) = rest.split_at(run_length(body, rest, most).min(rest.len()));
            runs.push(run);
            rest = others;
        }
    }
    runs
}

/// How many of these values make one run, at least one, and at most `most`.
fn run_length(body: &[u8], values: &[Leaf], most: usize) -> usize {
    let texts = values.windows(2).map(|pair| match pair {
        [(_, a), (_, b)] => body.get(a.range.end..b.range.start).map_or(0, <[u8]>::len),
        _ => 0,
    });
    let lengths = texts.scan(0_usize, |sum, length| {
        *sum = sum.saturating_add(length);
        Some(*sum)
    });
    1 + lengths.take(most.saturating_sub(1)).take_while(|length| *length <= MAX_BETWEEN).count()
}

/// The part that a run is. One string or number is a part by itself. None if there is nothing to hide.
fn part_of(body: &[u8], run: &[Leaf]) -> Option<Part> {
    let (first, value) = run.first()?;
    if run.len() == 1 {
        return Some(Part::Json(first.clone())).filter(|_| !is_telling(value));
    }
    let text = |pair: &[Leaf]| match pair {
        [(_, a), (_, b)] => {
            let text = body.get(a.range.end..b.range.start)?;
            // The body is UTF-8, and is cut beside values.
            core::str::from_utf8(text).ok().map(str::to_owned)
        }
        _ => None,
    };
    let between = run.windows(2).map(text).collect::<Option<_>>()?;
    Some(Part::Values(Values { first: first.clone(), between }))
}
