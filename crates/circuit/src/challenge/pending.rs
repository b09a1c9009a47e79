//! Challenges that were asked for and not taken.

use core::sync::atomic::{AtomicU64, Ordering};
use std::collections::VecDeque;

use crate::Error;

/// A challenge that was asked for: what it tests is fixed. Whoever holds it can take its elements once.
#[derive(Debug)]
#[must_use = "a challenge that is never taken tests nothing"]
pub struct PendingChallenge {
    /// Of the seeds that it is among.
    owner: u64,
    number: u64,
}

/// Tells the backends of a process apart.
static OWNERS: AtomicU64 = AtomicU64::new(0);

/// A backend's seeds of challenges. They are taken in the order in which they were asked for, since the
/// parties' messages come in that order.
#[derive(Clone, Debug)]
pub struct Seeds<S> {
    owner: u64,
    asked: u64,
    taken: u64,
    /// Those that are known, oldest first.
    known: VecDeque<S>,
}

impl<S> Default for Seeds<S> {
    fn default() -> Self {
        let owner = OWNERS.fetch_add(1, Ordering::Relaxed);
        Self { owner, asked: 0, taken: 0, known: VecDeque::new() }
    }
}

impl<S> Seeds<S> {
    /// One more challenge is asked for. Its seed may come later.
    pub fn ask(&mut self) -> PendingChallenge {
        let number = self.asked;
        self.asked += 1;
        PendingChallenge { owner: self.owner, number }
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
        if (pending.owner, pending.number) == (self.owner, self.taken) {
            return Ok(());
        }
        Err(Error::misuse("challenges must be taken from the backend that was asked, and in the same order"))
    }

    /// Checks that every challenge was taken: a claim that nobody makes proves nothing.
    ///
    /// # Errors
    /// [`Error::Misuse`] if one was not.
    pub fn finish(&self) -> Result<(), Error> {
        match self.asked - self.taken {
            0 => Ok(()),
            n => Err(Error::misuse(format!("challenges were asked for and never taken: {n}; take each"))),
        }
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
    use crate::{Challenge as _, Counter, Evaluator, Prove as _, Tested};

    const TESTED: Tested = Tested { degree: 1, repetitions: 1, values: 1 };

    #[test]
    fn seeds_are_taken_once_in_the_order_in_which_they_were_asked_for() {
        let mut seeds = Seeds::default();
        assert!(seeds.finish().is_ok());
        let [first, second] = [1, 2].map(|_| seeds.ask());
        assert!(seeds.check(&first).is_ok() && seeds.take(&first).is_err() && !seeds.is_known());
        seeds.put(5);
        seeds.put(6);
        assert!(seeds.take(&second).is_err() && seeds.is_known());
        assert_eq!(seeds.take(&first), Ok(5));
        assert!(seeds.take(&first).is_err() && seeds.finish().is_err());
        assert_eq!(seeds.take(&second), Ok(6));
        assert!(seeds.finish().is_ok());
    }

    #[test]
    fn a_challenge_of_another_backend_is_refused() {
        let [mut one, mut other] = [1, 2].map(|_| Seeds::default());
        let (_own, another) = (one.ask(), other.ask());
        one.put(5);
        assert!(one.take(&another).is_err());
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

    /// Asks for a challenge and claims nothing with it.
    struct Dropped;

    impl<B: crate::Challenge<F61>> crate::Statement<B> for Dropped {
        fn identify(&self, _: &mut crate::Digest) {}

        fn run(&self, b: &mut B) -> Result<(), B::Error> {
            let [x] = b.secrets(|_| Ok([F61::new(0)]))?;
            b.assert_zero(&[x])?;
            let _ = b.ask(TESTED)?;
            Ok(())
        }
    }

    #[test]
    fn a_challenge_that_is_never_taken_is_misuse() {
        let misused = |result| assert!(matches!(result, Err(Error::Misuse(_))), "{result:?}");
        misused(Evaluator::<F61>::check(&Dropped));
        misused(Evaluator::<F61>::check_until_choice(&Dropped));
    }

    #[test]
    fn what_is_too_much_is_refused_when_it_is_asked_for() {
        let much = Tested { degree: 1 << 40, ..TESTED };
        assert!(Evaluator::<F61>::new().ask(much).is_err());
        assert!(Counter::<F61>::new().ask(much).is_err());
    }
}
