//! The claims themselves, on values, for tests of what rows say: a thousandth of the time.

use std::cell::Cell;
use std::collections::HashMap;

use super::*;
use crate::proof::kind::Kind;

thread_local! {
    static ON: Cell<bool> = const { Cell::new(false) };
}

pub(in super::super) fn is_on() -> bool {
    ON.get()
}

/// Runs `f` with arguments that look at values.
pub(in super::super) fn on<T>(f: impl FnOnce() -> T) -> T {
    ON.set(true);
    let result = f();
    ON.set(false);
    result
}

/// The error for lookups in these tables that are no rows, and for so many tuples that do not match: a test
/// of a lie sees what it is that turns it away.
fn unsatisfied(lookups: &[Public], tuples: usize) -> Error {
    Error::Unsatisfied { assertion: 0, place: format!("lookups in {lookups:?}, {tuples} tuples") }
}

pub(super) fn check<B: Challenge<F61>>(
    b: &mut B,
    parts: &[Part<B::Wire>],
    known: &Known,
    tables: &Tables<'_>,
    rom: Option<&Rom<B::Wire>>,
) -> Result<(), B::Error> {
    b.scalars(0, &mut |peek| values(peek, parts, known, tables, rom).map(|()| Vec::new())).map(|_| ())
}

fn values<W: Clone>(
    peek: &dyn Peek<F61, W>,
    parts: &[Part<W>],
    known: &Known,
    tables: &Tables<'_>,
    rom: Option<&Rom<W>>,
) -> Result<(), Error> {
    let of_table = |table, index: usize| {
        let committed = rom.filter(|_| table == Public::Code);
        let row = committed.and_then(|rom| rom.row(peek, index.checked_sub(Kind::ALL.len())?));
        row.unwrap_or_else(|| tables.row(table, index))
    };
    let mut balance: HashMap<[u64; WIDTH], i64> = HashMap::new();
    let mut note = |tuple: [F61; WIDTH], n: i64| *balance.entry(tuple.map(F61::to_u64)).or_default() += n;
    known.produced.iter().for_each(|tuple| note(*tuple, 1));
    known.consumed.iter().for_each(|tuple| note(*tuple, -1));
    let mut strange = Vec::new();
    for part in parts {
        for row in part.iter() {
            let row = &Vec::from_iter(row.iter().map(|wire| peek.value(wire)))[..];
            for tuple in &part.shape.tuples {
                let mut value = [F61::ZERO; WIDTH];
                value.iter_mut().zip(&tuple.forms).for_each(|(value, form)| *value = form.value(row));
                note(value, if tuple.side == Side::In { 1 } else { -1 });
            }
            for lookup in &part.shape.lookups {
                if !tables.holds_in(lookup, row, of_table) && !strange.contains(&lookup.table) {
                    strange.push(lookup.table);
                }
            }
        }
    }
    let tuples = balance.values().filter(|n| **n != 0).count();
    if strange.is_empty() && tuples == 0 { Ok(()) } else { Err(unsatisfied(&strange, tuples)) }
}
