//! Any number of accesses to memory, and of lookups in a table, for benchmarks and load tests.

use std::sync::Arc;

use volery_field::Value;

use crate::seeded::Seeded;
use crate::{Challenge, Digest, Error, Lookups, Ram, Statement, Table, Unset};

/// "I know the addresses of these many accesses to a memory, which leave it with this sum."
///
/// Accesses take turns: one reads a word, the next adds one to that and stores it. Each address is a secret
/// of its own, one element besides what the access costs. The addresses are public in truth.
#[derive(Debug)]
pub struct MemoryAccesses<F> {
    accesses: usize,
    words: usize,
    /// The sum of all words at the end.
    sum: F,
}

/// The number of addresses that are committed to at once.
const AT_ONCE: usize = 1 << 10;

/// The number of addresses whose cells are read ahead; [`AT_ONCE`] is a multiple.
const TOUCHED: usize = 64;

/// The addresses of a run, in order.
fn addresses(words: usize) -> impl FnMut() -> u64 {
    let mut seeded = Seeded::new("addresses", &(words as u64).to_le_bytes());
    move || seeded.below(words as u64)
}

impl<F: Value> MemoryAccesses<F> {
    /// So many accesses to a memory of `words` words.
    ///
    /// # Errors
    /// As [`Ram::new`].
    pub fn new(accesses: usize, words: usize) -> Result<Self, Error> {
        Ram::<F, F>::new(words, Unset::Zero, accesses)?;
        let (mut memory, mut next, mut read) = (vec![0_u64; words], addresses(words), 0);
        for access in 0..accesses {
            let Some(word) = memory.get_mut(next() as usize) else { continue };
            if access % 2 == 0 {
                read = *word;
            } else {
                *word = read + 1;
            }
        }
        let sum = memory.iter().fold(F::ZERO, |sum, word| sum + F::from_u64(*word));
        Ok(Self { accesses, words, sum })
    }
}

impl<F: Value, B: Challenge<F>> Statement<B> for MemoryAccesses<F> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"benchmark: memory accesses v1").bytes("field", F::NAME.as_bytes());
        digest.number("accesses", self.accesses as u64).number("words", self.words as u64);
    }

    fn commitments(&self) -> Option<u64> {
        // What one challenge tests decides how much the products take; this is for two.
        Some(self.accesses as u64 * 19 / 3 + self.words as u64 * 8 / 3)
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let (mut ram, mut next) = (Ram::new(self.words, Unset::Zero, self.accesses)?, addresses(self.words));
        let mut read = b.constant(F::ZERO);
        for start in (0..self.accesses).step_by(AT_ONCE) {
            let count = AT_ONCE.min(self.accesses - start);
            let values: Vec<F> = (0..count).map(|_| F::from_u64(next())).collect();
            let wires = b.secret(count, &mut |_| Ok(values.clone()))?;
            for (access, address) in (start..).zip(&wires) {
                if let Some(soon) = wires.get((access - start)..).filter(|_| access % TOUCHED == 0) {
                    ram.touch(b, soon.get(..TOUCHED).unwrap_or(soon));
                }
                if access % 2 == 0 {
                    read = ram.read(b, address)?;
                } else {
                    let value = b.add_constant(&read, F::ONE);
                    ram.write(b, address, &value)?;
                }
            }
        }
        let ends = ram.finish(b)?;
        let mut sum = b.constant(-self.sum);
        for word in &ends {
            sum = b.add(&sum, word);
        }
        b.assert_zero(&[sum])
    }
}

/// "I know this number of rows of this table": each is an address and a value, two secrets.
#[derive(Debug)]
pub struct TableLookups<F> {
    lookups: usize,
    table: Arc<Table<F>>,
}

impl<F: Value> TableLookups<F> {
    /// So many lookups in a table of `rows` rows.
    ///
    /// # Errors
    /// As [`Table::new`].
    pub fn new(lookups: usize, rows: usize) -> Result<Self, Error> {
        let rows = (0..rows as u64).flat_map(|row| [F::from_u64(row), Self::value(row)]).collect();
        Ok(Self { lookups, table: Arc::new(Table::new(2, rows)?) })
    }

    /// The value of a row. Any would do.
    fn value(row: u64) -> F {
        F::from_u64(row.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32)
    }
}

impl<F: Value, B: Challenge<F>> Statement<B> for TableLookups<F> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"benchmark: table lookups v1").bytes("field", F::NAME.as_bytes());
        digest.number("lookups", self.lookups as u64).number("rows", self.table.rows() as u64);
    }

    fn commitments(&self) -> Option<u64> {
        Some(self.lookups as u64 * 5 / 2 + self.table.rows() as u64)
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let (mut lookups, mut next) = (Lookups::new(Arc::clone(&self.table)), addresses(self.table.rows()));
        for start in (0..self.lookups).step_by(AT_ONCE) {
            let count = AT_ONCE.min(self.lookups - start);
            let mut rows = Vec::with_capacity(2 * count);
            for _ in 0..count {
                let row = next();
                rows.extend([F::from_u64(row), Self::value(row)]);
            }
            let wires = b.secret(rows.len(), &mut |_| Ok(rows.clone()))?;
            wires.chunks_exact(2).try_for_each(|tuple| lookups.look_up(b, tuple))?;
        }
        lookups.finish(b)
    }
}

#[cfg(test)]
mod tests {
    use volery_field::F61;

    use super::*;
    use crate::{Counter, Evaluator};

    #[test]
    fn accesses_and_lookups_hold_and_commit_to_about_as_much_as_they_say() {
        for (count, size) in [(1, 1), (7, 3), (3000, 100)] {
            let accesses = MemoryAccesses::<F61>::new(count, size).unwrap();
            assert_eq!(Evaluator::check(&accesses), Ok(()));
            let mut wrong = accesses;
            wrong.sum += F61::from_u64(1);
            assert!(matches!(Evaluator::check(&wrong), Err(Error::Unsatisfied { .. })));
            let lookups = TableLookups::<F61>::new(count, size).unwrap();
            assert_eq!(Evaluator::check(&lookups), Ok(()));
        }
        let accesses = MemoryAccesses::<F61>::new(30_000, 1000).unwrap();
        let inputs = Counter::count(&accesses).unwrap().total().inputs;
        // 5 2/3 of 6 1/3: one challenge.
        assert_eq!(inputs, 30_000 * 17 / 3 + 1000 * 7 / 3 + 1 + (1 << 8));
        let said = Statement::<Counter<F61>>::commitments(&accesses).unwrap();
        assert!((inputs..inputs * 9 / 8).contains(&said), "{said} {inputs}");
    }
}
