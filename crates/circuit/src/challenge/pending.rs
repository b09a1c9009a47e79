//! Challenges that were asked for and not taken.

use std::collections::VecDeque;

use super::Tested;
use crate::Error;

/// A challenge that was asked for: what it tests is fixed. Whoever holds it can take its elements once.
#[derive(Debug)]
#[must_use = "a challenge that is never taken tests nothing"]
pub struct PendingChallenge {
    number: u64,
    tested: Tested,
}

impl PendingChallenge {
    /// What it tests.
    #[must_use]
    pub fn tested(&self) -> Tested {
        self.tested
    }
}

/// A backend's seeds of challenges. They are taken in the order in which they were asked for, since the
/// parties' messages come in that order.
#[derive(Clone, Debug)]
pub struct Seeds<S> {
    asked: u64,
    taken: u64,
    /// Those that are known, oldest first.
    known: VecDeque<S>,
}

impl<S> Default for Seeds<S> {
    fn default() -> Self {
        Self { asked: 0, taken: 0, known: VecDeque::new() }
    }
}

impl<S> Seeds<S> {
    /// One more challenge is asked for. Its seed may come later.
    pub fn ask(&mut self, tested: Tested) -> PendingChallenge {
        let number = self.asked;
        self.asked += 1;
        PendingChallenge { number, tested }
    }

    /// The seed of the oldest challenge that has none is known now.
    pub fn put(&mut self, seed: S) {
        self.known.push_back(seed);
    }

    /// Whether the seed that is taken next is known.
    #[must_use]
    pub fn is_known(&self) -> bool {
        !self.known.is_empty()
    }

    /// Checks that this challenge is the next one.
    ///
    /// # Errors
    /// [`Error::Misuse`] if it is not.
    pub fn check(&self, pending: &PendingChallenge) -> Result<(), Error> {
        if pending.number == self.taken && pending.number < self.asked {
            return Ok(());
        }
        Err(Error::misuse(
            "challenges must be taken in the order in which they were asked for, from the same backend",
        ))
    }

    /// Takes the next seed, which must be this challenge's.
    ///
    /// # Errors
    /// As [`Seeds::check`]; [`Error::Misuse`] if the seed is not known.
    pub fn take(&mut self, pending: &PendingChallenge) -> Result<S, Error> {
        self.check(pending)?;
        let seed = self.known.pop_front().ok_or_else(|| Error::misuse("a challenge has no seed yet"))?;
        self.taken += 1;
        Ok(seed)
    }
}

#[cfg(test)]
mod tests {
    use volery_field::F61;

    use super::*;
    use crate::{Challenge as _, Counter, Evaluator, Prove as _};

    const TESTED: Tested = Tested { degree: 1, repetitions: 1, values: 1 };

    #[test]
    fn seeds_are_taken_once_in_the_order_in_which_they_were_asked_for() {
        let mut seeds = Seeds::default();
        let [first, second] = [1, 2].map(|_| seeds.ask(TESTED));
        assert!(seeds.check(&first).is_ok() && seeds.take(&first).is_err() && !seeds.is_known());
        seeds.put(5);
        seeds.put(6);
        assert!(seeds.take(&second).is_err() && seeds.is_known());
        assert_eq!(seeds.take(&first), Ok(5));
        assert!(seeds.take(&first).is_err());
        assert_eq!(seeds.take(&second), Ok(6));
        // One of another backend.
        let mut other = Seeds::<u8>::default();
        let _ = other.ask(TESTED);
        assert!(seeds.take(&other.ask(TESTED)).is_err());
    }

    /// What comes after a challenge was asked for makes no difference to it; what came before does.
    #[test]
    fn a_challenge_depends_on_what_was_there_when_it_was_asked_for() {
        let drawn = |before: u64, after: u64| {
            let mut b = Evaluator::<F61>::new();
            let secret = |b: &mut Evaluator<F61>, x| b.secret(1, &mut |_| Ok(vec![F61::new(x)])).map(drop);
            secret(&mut b, before).expect("a secret");
            let pending = b.ask(TESTED).expect("asked");
            secret(&mut b, after).expect("a secret");
            let (early, late) = (pending, b.ask(TESTED).expect("asked"));
            (b.take(2, early).expect("taken"), b.take(2, late).expect("taken"))
        };
        let (early, late) = drawn(1, 2);
        assert_eq!(drawn(1, 3).0, early);
        assert_ne!(drawn(1, 3).1, late);
        assert_ne!(drawn(2, 2).0, early);
    }

    #[test]
    fn what_is_too_much_is_refused_when_it_is_asked_for() {
        let much = Tested { degree: 1 << 40, ..TESTED };
        assert!(Evaluator::<F61>::new().ask(much).is_err());
        assert!(Counter::<F61>::new().ask(much).is_err());
    }
}
