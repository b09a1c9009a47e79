//! Correlations that one session made and another one starts from, under the same delta.
//!
//! A party that splits a statement over several machines makes correlations in one session and deals a lot of
//! them to each pair of workers. Over its lot a pair runs a generator of its own, under a session identifier
//! of its own, and without base OT: see `volery::split`, which has the argument.

use volery_channel::Channel;
use volery_field::Wiped;

use super::{Correlation, Extension};
use crate::Error;

/// Correlations at one party, each of which is given out once. Both parties need the same part of the same
/// session's. They are wiped on drop.
pub struct Lot<T: Correlation> {
    all: Wiped<T>,
    used: usize,
}

impl<T: Correlation> Lot<T> {
    /// A lot of these, the first one first.
    #[must_use]
    pub const fn new(all: Wiped<T>) -> Self {
        Self { all, used: 0 }
    }

    /// The number of correlations left.
    #[must_use]
    pub fn left(&self) -> usize {
        self.all.len() - self.used
    }
}

impl<T: Correlation> Extension<T> for Lot<T> {
    fn extend(&mut self, n: usize, _channel: &mut dyn Channel, out: &mut Vec<T>) -> Result<(), Error> {
        let Some(taken) = self.all.get(self.used..).and_then(|rest| rest.get(..n)) else {
            return Err(Error::misuse(format!(
                "a lot of correlations is used up: {} are left and {n} wanted; deal larger lots",
                self.left()
            )));
        };
        out.extend_from_slice(taken);
        self.used += n;
        Ok(())
    }
}

impl<T: Correlation> core::fmt::Debug for Lot<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Lot").field("left", &self.left()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use volery_channel::{Limits, memory_pair};

    use super::*;

    #[test]
    fn each_is_given_out_once_and_no_more_than_there_are() {
        let (mut channel, _peer) = memory_pair(&Limits::default());
        let mut lot = Lot::new(Wiped::new((0_u64..10).collect()));
        let mut out = Vec::new();
        lot.extend(4, &mut channel, &mut out).unwrap();
        lot.extend(0, &mut channel, &mut out).unwrap();
        lot.extend(5, &mut channel, &mut out).unwrap();
        assert_eq!(out, (0..9).collect::<Vec<_>>());
        assert!(matches!(lot.extend(2, &mut channel, &mut out), Err(Error::Misuse { .. })));
        assert_eq!((out.len(), lot.left()), (9, 1));
        lot.extend(1, &mut channel, &mut out).unwrap();
        assert_eq!(out.last(), Some(&9));
        assert!(lot.extend(1, &mut channel, &mut out).is_err());
    }
}
