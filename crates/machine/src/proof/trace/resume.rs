//! A run that goes on from the middle, and what it needs for that.

use super::{Cells, Follower, Loaded, REGISTERS, Source};
use crate::proof::tables::{PUBLIC_LEFT, SECRET_LEFT};
use crate::{Limits, Machine, Program};

use volery_circuit::Error;
use zeroize::Zeroizing;

/// The values of a state: all cells of registers, and the place of the next instruction.
pub(in super::super) const STATE: usize = REGISTERS + 1;

/// No limits: the whole run was within its own.
const UNLIMITED: Limits = Limits { steps: u64::MAX, journal: usize::MAX, memory: u64::MAX };

/// Where a run goes on.
pub(in super::super) struct Middle<'a> {
    /// The number of the next segment, from 1 on.
    pub(in super::super) segment: u32,
    /// The state before it.
    pub(in super::super) state: &'a [u32; STATE],
    /// Words that are not as before the first step: address, value, segment of the last use.
    pub(in super::super) words: &'a [[u32; 3]],
    /// The secret input from here on, as far as it is read.
    pub(in super::super) secret: &'a [u8],
}

impl<'a> Source<'a> {
    /// The segments of a run from the middle on.
    ///
    /// # Errors
    /// [`Error::Witness`] if the state has more left of the inputs than there is, or less of the secret one
    /// than is here, or if a word was used last by a segment that is not before this one.
    pub(in super::super) fn resume(
        program: &'a Program,
        loaded: Loaded,
        from: &Middle<'a>,
        public: &'a [u8],
    ) -> Result<Self, Error> {
        let wrong = || Error::Witness("a part of a run does not begin as its state says".into());
        let Middle { segment, state, words, secret } = from;
        let [registers @ .., place] = *state;
        let left = |cell: i64| registers.get(cell as usize).map_or(0, |left| *left as usize);
        let beyond = left(SECRET_LEFT).checked_sub(secret.len()).ok_or_else(wrong)?;
        let start = public.len().checked_sub(left(PUBLIC_LEFT)).ok_or_else(wrong)?;
        let rest = public.get(start..).unwrap_or_default();
        let first = Zeroizing::new(loaded.words.iter().map(|(address, _)| *address).collect());
        let filed = loaded.filed();
        let mut cells = Cells::new(&loaded, 0, public.len());
        cells.segment = *segment;
        for (cell, value) in cells.registers.iter_mut().zip(registers) {
            cell.value = *value;
        }
        if words.iter().any(|[_, _, since]| since >= segment) {
            return Err(wrong());
        }
        for [address, value, since] in words.iter().copied() {
            let entry = cells.entry(address);
            (entry.value, entry.segment) = (value, since);
        }
        let follower = Follower::new(cells, loaded, *place);
        let values = words.iter().map(|[address, value, _]| (*address, *value));
        let machine = Machine::new(program, secret, rest, UNLIMITED);
        let machine = match registers.first_chunk() {
            Some(registers) => machine.later(registers, *place, values, beyond),
            None => return Err(wrong()),
        };
        Ok(Self { first, filed, machine, follower, end: None })
    }

    /// The state behind the last segment.
    pub(in super::super) fn state(&self) -> Zeroizing<[u32; STATE]> {
        let mut state = Zeroizing::new([0; STATE]);
        let Follower { cells, place, .. } = &self.follower;
        let values = cells.registers.iter().map(|cell| cell.value).chain([*place]);
        state.iter_mut().zip(values).for_each(|(to, value)| *to = value);
        state
    }
}
