//! How often each client may come: so many times a minute, all at once or one after another.
//!
//! ```text
//! each visit takes 60 s / the rate; a client may be ahead of the clock by 60 s at most
//! ```
//!
//! So an account is one instant: when all visits up to now would have ended (the "generic cell rate
//! algorithm"). The number of accounts is bounded, whoever comes.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::{Duration, Instant};

/// The time over which visits are counted.
const WINDOW: Duration = Duration::from_secs(60);
/// The most clients whose visits are remembered.
const MAX_KNOWN: usize = 1 << 16;

/// The visits of all clients.
pub(crate) struct Rates<K> {
    /// Visits a minute.
    rate: u32,
    accounts: HashMap<K, Instant>,
}

impl<K: Eq + Hash> Rates<K> {
    /// For clients that may come `rate` times a minute.
    pub(crate) fn new(rate: u32) -> Self {
        Self { rate: rate.max(1), accounts: HashMap::new() }
    }

    /// Visits a minute.
    pub(crate) fn rate(&self) -> u32 {
        self.rate
    }

    /// Counts a visit at `now`. If the client has come too often, the visit does not count, and the error is
    /// how long to wait for the next one.
    pub(crate) fn visit(&mut self, client: K, now: Instant) -> Result<(), Duration> {
        self.forget(now);
        let each = WINDOW / self.rate;
        let end = self.accounts.get(&client).map_or(now, |end| (*end).max(now)) + each;
        let ahead = end.saturating_duration_since(now);
        if ahead > WINDOW {
            return Err(ahead - WINDOW);
        }
        self.accounts.insert(client, end);
        Ok(())
    }

    /// Makes room for one more client: forgets those who may come as often as anybody, and if that is not
    /// enough, the half that came least.
    fn forget(&mut self, now: Instant) {
        if self.accounts.len() < MAX_KNOWN {
            return;
        }
        self.accounts.retain(|_, end| *end > now);
        if self.accounts.len() < MAX_KNOWN {
            return;
        }
        let mut ends: Vec<_> = self.accounts.values().copied().collect();
        let (_, middle, _) = ends.select_nth_unstable(MAX_KNOWN / 2);
        let middle = *middle;
        self.accounts.retain(|_, end| *end > middle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_comes_as_often_as_the_rate_says_and_others_do_not_suffer() {
        let mut rates = Rates::new(3);
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        for _ in 0..3 {
            assert_eq!(rates.visit("a", at(0)), Ok(()));
        }
        assert_eq!(rates.visit("a", at(5)), Err(Duration::from_secs(15)));
        // A refused visit costs nothing.
        assert_eq!(rates.visit("a", at(19)), Err(Duration::from_secs(1)));
        assert_eq!(rates.visit("b", at(19)), Ok(()));
        assert_eq!(rates.visit("a", at(20)), Ok(()));
        assert!(rates.visit("a", at(21)).is_err());
        // Long absence saves up no more than one minute.
        let visits = (0..10).filter(|_| rates.visit("a", at(6000)).is_ok()).count();
        assert_eq!(visits, 3);
    }

    #[test]
    fn the_number_of_accounts_is_bounded_and_those_who_came_most_stay() {
        let mut rates = Rates::new(10);
        let now = Instant::now();
        for _ in 0..10 {
            assert_eq!(rates.visit(u32::MAX, now), Ok(()));
        }
        for client in 0..3 * MAX_KNOWN as u32 {
            assert_eq!(rates.visit(client, now), Ok(()));
            assert!(rates.accounts.len() <= MAX_KNOWN);
        }
        assert!(rates.visit(u32::MAX, now).is_err());
        // After a minute all are forgotten before anybody who came since.
        let later = now + 2 * WINDOW;
        for client in 0..=MAX_KNOWN as u32 {
            assert_eq!(rates.visit(client, later), Ok(()));
        }
    }
}
