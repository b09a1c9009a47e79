//! Memory that V's sessions share.
//!
//! A stranger decides how much memory a session takes: by the sizes of a [connection of two
//! parties](crate::joint), whose garbled circuits V stores, and by its claims, whose circuits V makes. V
//! takes all of that from a [`Pool`], or refuses.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A number of bytes that several sessions share. Clones are the same pool, and equal.
#[derive(Clone, Debug)]
pub struct Pool {
    state: Arc<Mutex<State>>,
    /// The pool that this one is a part of.
    whole: Option<Box<Self>>,
}

#[derive(Debug)]
struct State {
    free: u64,
    size: u64,
}

impl Default for Pool {
    /// Without a bound.
    fn default() -> Self {
        Self::new(u64::MAX)
    }
}

impl PartialEq for Pool {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.state, &other.state)
    }
}

impl Eq for Pool {}

impl Pool {
    /// A pool of this many bytes.
    #[must_use]
    pub fn new(bytes: u64) -> Self {
        Self { state: Arc::new(Mutex::new(State { free: bytes, size: bytes })), whole: None }
    }

    /// A part of this pool, with at most this many bytes: what is taken from the part is also taken from the
    /// whole.
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
    pub(crate) fn share(&self) -> Share {
        Share { pool: self.clone(), bytes: 0 }
    }

    /// Takes this many bytes until the returned share is dropped.
    ///
    /// # Errors
    /// [`Lack`], if they are not available.
    pub(crate) fn take(&self, bytes: u64) -> Result<Share, Lack> {
        let mut share = self.share();
        share.grow(bytes)?;
        Ok(share)
    }

    /// Reserves `bytes` for a session that has `held` already.
    fn reserve(&self, held: u64, bytes: u64) -> Result<(), Lack> {
        let mut state = self.state();
        if held.saturating_add(bytes) > state.size {
            return Err(Lack::Ever { size: state.size });
        }
        let free = state.free.checked_sub(bytes).ok_or(Lack::Now)?;
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
pub(crate) enum Lack {
    /// Other sessions have it now.
    Now,
    /// The whole pool is smaller than what the session would have.
    Ever { size: u64 },
}

/// A session's share of a pool; dropping it returns the bytes.
#[derive(Debug)]
pub(crate) struct Share {
    pool: Pool,
    bytes: u64,
}

impl Share {
    /// Takes this many more bytes.
    ///
    /// # Errors
    /// [`Lack`]; the session keeps the bytes that it had.
    pub(crate) fn grow(&mut self, bytes: u64) -> Result<(), Lack> {
        self.pool.reserve(self.bytes, bytes)?;
        self.bytes += bytes;
        Ok(())
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.pool.give_back(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_share_a_pool_and_give_back_what_they_had() {
        let pool = Pool::new(100);
        let first = pool.take(60).unwrap();
        assert_eq!(pool.take(41).unwrap_err(), Lack::Now);
        let second = pool.clone().take(40).unwrap();
        assert_eq!(pool.take(1).unwrap_err(), Lack::Now);
        drop(first);
        assert_eq!(pool.free(), 60);
        drop((pool.take(60).unwrap(), second));
        assert_eq!(pool.free(), 100);
        assert_eq!(pool.take(101).unwrap_err(), Lack::Ever { size: 100 });
    }
    #[test]
    fn what_a_session_has_counts_when_it_asks_for_more() {
        let pool = Pool::new(100);
        let mut share = pool.take(60).unwrap();
        assert_eq!(share.grow(41), Err(Lack::Ever { size: 100 }), "never, whoever ends");
        let other = pool.take(10).unwrap();
        assert_eq!(share.grow(40), Err(Lack::Now));
        drop(other);
        assert_eq!((share.grow(40), pool.free()), (Ok(()), 0));
        drop(share);
        assert_eq!(pool.free(), 100);
    }

    #[test]
    fn who_has_a_part_leaves_the_rest_to_others() {
        let pool = Pool::new(100);
        let (one, other) = (pool.part(60), pool.part(60));
        let first = one.take(40).unwrap();
        assert_eq!(one.take(21).unwrap_err(), Lack::Now);
        assert_eq!(one.take(61).unwrap_err(), Lack::Ever { size: 60 });
        let second = other.take(60).unwrap();
        assert_eq!((one.free(), other.free(), pool.free()), (0, 0, 0));
        assert_eq!(one.take(1).unwrap_err(), Lack::Now, "of the part there is some, of the whole none");
        drop(second);
        assert_eq!((one.free(), pool.free()), (20, 60), "what was refused is not gone");
        drop(first);
        assert_eq!((one.free(), other.free(), pool.free()), (60, 60, 100));
        assert_eq!(pool.part(200).take(150).unwrap_err(), Lack::Ever { size: 100 });
    }
}
