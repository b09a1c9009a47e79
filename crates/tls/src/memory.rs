//! Memory that V's sessions share.
//!
//! A stranger decides how much memory a session takes: by the sizes of a [connection of two
//! parties](crate::joint), whose garbled circuits V stores, by its claims, whose circuits V makes, by the
//! values that it opens, which V reads bit by bit, and in TLS 1.3 by the number of records: V keeps one
//! block of key stream of each record in the proof. V takes all of that from a [`Budget`], or refuses.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A number of bytes that several sessions share. Clones are the same budget, and equal.
#[derive(Clone, Debug)]
pub struct Budget {
    state: Arc<Mutex<State>>,
    /// The budget that this one is a part of.
    whole: Option<Box<Self>>,
}

#[derive(Debug)]
struct State {
    free: u64,
    size: u64,
}

impl Default for Budget {
    /// Without a bound.
    fn default() -> Self {
        Self::new(u64::MAX)
    }
}

impl PartialEq for Budget {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.state, &other.state)
    }
}

impl Eq for Budget {}

impl Budget {
    /// A budget of this many bytes.
    #[must_use]
    pub fn new(bytes: u64) -> Self {
        Self { state: Arc::new(Mutex::new(State { free: bytes, size: bytes })), whole: None }
    }

    /// A part of this budget, with at most this many bytes: what is taken from the part is also taken from
    /// the whole.
    #[must_use]
    pub fn part(&self, bytes: u64) -> Self {
        Self { whole: Some(Box::new(self.clone())), ..Self::new(bytes) }
    }

    /// The number of bytes that no session has now.
    #[must_use]
    pub fn free(&self) -> u64 {
        let free = self.state().free;
        self.whole.as_ref().map_or(free, |whole| free.min(whole.free()))
    }

    /// The empty share of a new session.
    pub(crate) fn share(&self) -> Reservation {
        Reservation { budget: self.clone(), bytes: 0 }
    }

    /// Takes this many bytes until the returned share is dropped.
    ///
    /// # Errors
    /// [`Shortage`], if they are not available.
    pub(crate) fn take(&self, bytes: u64) -> Result<Reservation, Shortage> {
        let mut share = self.share();
        share.grow(bytes)?;
        Ok(share)
    }

    /// Reserves `bytes` for a session that has `held` already.
    fn reserve(&self, held: u64, bytes: u64) -> Result<(), Shortage> {
        let mut state = self.state();
        if held.saturating_add(bytes) > state.size {
            return Err(Shortage::Ever { size: state.size });
        }
        let free = state.free.checked_sub(bytes).ok_or(Shortage::Now)?;
        // The lock of the whole is never taken before that of its part.
        self.whole.as_ref().map_or(Ok(()), |whole| whole.reserve(held, bytes))?;
        state.free = free;
        Ok(())
    }

    fn give_back(&self, bytes: u64) {
        self.state().free += bytes;
        if let Some(whole) = &self.whole {
            whole.give_back(bytes);
        }
    }

    /// A panic cannot leave these two numbers half changed, so a poisoned lock is fine.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why the memory is not available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shortage {
    /// Other sessions have it now.
    Now,
    /// The whole budget is smaller than what the session would have.
    Ever { size: u64 },
}

/// A session's share of a budget; dropping it returns the bytes.
#[derive(Debug)]
pub(crate) struct Reservation {
    budget: Budget,
    bytes: u64,
}

impl Reservation {
    /// Takes this many more bytes.
    ///
    /// # Errors
    /// [`Shortage`]; the session keeps the bytes that it had.
    pub(crate) fn grow(&mut self, bytes: u64) -> Result<(), Shortage> {
        self.budget.reserve(self.bytes, bytes)?;
        self.bytes += bytes;
        Ok(())
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.budget.give_back(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_share_a_pool_and_give_back_what_they_had() {
        let budget = Budget::new(100);
        let first = budget.take(60).unwrap();
        assert_eq!(budget.take(41).unwrap_err(), Shortage::Now);
        let second = budget.clone().take(40).unwrap();
        assert_eq!(budget.take(1).unwrap_err(), Shortage::Now);
        drop(first);
        assert_eq!(budget.free(), 60);
        drop((budget.take(60).unwrap(), second));
        assert_eq!(budget.free(), 100);
        assert_eq!(budget.take(101).unwrap_err(), Shortage::Ever { size: 100 });
    }
    #[test]
    fn what_a_session_has_counts_when_it_asks_for_more() {
        let budget = Budget::new(100);
        let mut share = budget.take(60).unwrap();
        assert_eq!(share.grow(41), Err(Shortage::Ever { size: 100 }), "never, whoever ends");
        let other = budget.take(10).unwrap();
        assert_eq!(share.grow(40), Err(Shortage::Now));
        drop(other);
        assert_eq!((share.grow(40), budget.free()), (Ok(()), 0));
        drop(share);
        assert_eq!(budget.free(), 100);
    }

    #[test]
    fn who_has_a_part_leaves_the_rest_to_others() {
        let budget = Budget::new(100);
        let (one, other) = (budget.part(60), budget.part(60));
        let first = one.take(40).unwrap();
        assert_eq!(one.take(21).unwrap_err(), Shortage::Now);
        assert_eq!(one.take(61).unwrap_err(), Shortage::Ever { size: 60 });
        let second = other.take(60).unwrap();
        assert_eq!((one.free(), other.free(), budget.free()), (0, 0, 0));
        assert_eq!(one.take(1).unwrap_err(), Shortage::Now, "of the part there is some, of the whole none");
        drop(second);
        assert_eq!((one.free(), budget.free()), (20, 60), "what was refused is not gone");
        drop(first);
        assert_eq!((one.free(), other.free(), budget.free()), (60, 60, 100));
        assert_eq!(budget.part(200).take(150).unwrap_err(), Shortage::Ever { size: 100 });
    }
}
