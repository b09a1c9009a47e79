//! Challenges in the middle of a statement.
//!
//! Some claims are cheap to prove once both parties have random elements that P could not know when it
//! committed: that two lists hold the same tuples, that values are rows of a table. A backend that implements
//! [`Challenge`] draws such elements. A program commits to everything that a challenge tests, asks for it,
//! and then claims what must hold for it.
//!
//! ```text
//! commit to values w                 fixed from here on
//! alpha = challenge(n)               everything outstanding is opened; V draws; both parties go on
//! commit to helpers h(w, alpha)      products, inverses
//! claim relations in w, h, alpha
//! ```
//!
//! **In two steps.** A program may ask for a challenge ([`Challenge::ask`]), commit to something else, and
//! take the elements only then ([`Challenge::take`]), so that nobody waits while they are on their way. V
//! draws them as soon as it has all that was committed to before the program asked. What is committed to in
//! between is not tested by them: P may know them already.
//!
//! **What is lost.** If the claim about `w` is false, the relations can be made to hold for an unlucky
//! challenge only: for the zeros of a polynomial that `w` determines. The caller says how large its degree
//! may be ([`Tested`]). Elements are uniform in the field of MACs `M`, so they are zeros with probability at
//! most `degree / |M|` (Schwartz-Zippel), or `(degree / |M|)^n` if `n` independent sets are drawn at once and
//! the argument is made with each. Backends refuse a degree for which that is too much
//! ([`Challenge::most_tested`]), and report the greatest of all challenges. It is the greatest and not the
//! sum that counts: `volery_zk::quicksilver::soundness` says why.
//!
//! **A malicious V** chooses its elements as it likes. P's messages after that are masked as all others are,
//! so they show nothing, whatever the elements are. A program must not let P's *behaviour* depend on how
//! secrets and challenges meet; [`lookups`](crate::lookups) deals with that.
//!
//! **Without a proof** the evaluator draws from a hash of all secret values that it saw, and the counter from
//! one of its counts. The evaluator has no field of MACs and draws values. So over a field of 32 bits it may
//! take a false claim for a true one, with probability `degree / 2^32`, and stop at a pole of a committed
//! table with `T` rows, with probability `T / 2^32`. V's answer is what counts.
//!
//! A branch of a disjunction, a proof that can be stacked, and a recorded circuit have no challenges of their
//! own. Their backends do not implement the trait, so such a program does not compile:
//!
//! ```compile_fail,E0277
//! use volery_circuit::{Challenge, Recorder};
//! use volery_field::F61;
//!
//! fn challenged(backend: &mut impl Challenge<F61>) {}
//! challenged(&mut Recorder::<F61>::new());
//! ```

#[cfg(test)]
pub(crate) mod liar;
mod pending;

pub use pending::{PendingChallenge, Seeds};

use volery_field::Value;
use zeroize::Zeroizing;

use crate::elements::encode;
use crate::relations::Plain;
use crate::seeded::Seeded;
use crate::{Counter, Error, Evaluator, Peek, Prove, Relate};

/// What a challenge tests: that a polynomial is zero, whose zeros would let a false claim pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tested {
    /// The total degree of the polynomial that is not zero if the claim is false.
    pub degree: u64,
    /// The number of independent sets of elements among those drawn. The argument is made with each set.
    pub repetitions: u32,
    /// The number of values that determine the polynomial, all of which P may choose. Where challenges are
    /// hashes, P can look for values that suit several of them.
    pub values: u64,
}

impl Tested {
    /// With as many repetitions as a polynomial of this degree needs: one up to `most`, beyond that two.
    #[must_use]
    pub const fn within(degree: u64, values: u64, most: u64) -> Self {
        Self { degree, repetitions: if degree <= most { 1 } else { 2 }, values }
    }

    /// Checks the degree against the greatest one for a single repetition.
    ///
    /// # Errors
    /// [`Error::Misuse`] if it is too large, or there are no repetitions or more than two.
    pub fn check(self, most: u64) -> Result<(), Error> {
        let allowed = match self.repetitions {
            1 => most,
            2 if most > 0 => MOST_TWICE,
            _ => 0,
        };
        if self.degree <= allowed {
            return Ok(());
        }
        Err(Error::misuse(format!(
            "a challenge tests {} tuples at once; at most {allowed} are possible with this field of MACs{}",
            self.degree,
            if most == 0 { " and challenges that are hashes" } else { "" }
        )))
    }
}

/// The greatest degree that two repetitions test: over 61 bits, `2^-58` is left.
const MOST_TWICE: u64 = 1 << 32;

/// The greatest degree that one challenge may test if it is drawn from a field of `bits` bits: what leaves 40
/// bits and one to spare, or 100 if the field has 120 or more. For challenges that are `hashed` it is what
/// leaves 40 and one against a P that computes 2^64 hashes; that may be none at all.
#[must_use]
pub const fn most_tested(bits: u32, hashed: bool) -> u64 {
    // One bit is to spare.
    let drawn = if bits > 128 { 127 } else { bits.saturating_sub(1) };
    let left = if hashed {
        104
    } else if bits >= 120 {
        100
    } else {
        40
    };
    if drawn <= left { 0 } else { 1 << (drawn - left) }
}

/// Computes secret scalars from the values of wires; it runs only where values exist.
pub type ScalarHint<'a, F, W, S> = &'a mut dyn FnMut(&dyn Peek<F, W>) -> Result<Vec<S>, Error>;

/// A backend that draws challenges in the middle of a statement.
pub trait Challenge<F: Value>: Relate<F> {
    /// A committed element of [`Relate::Scalar`].
    type ScalarWire: Clone;

    /// The greatest degree that one challenge may test. Both parties have the same.
    fn most_tested(&self) -> u64;

    /// Asks for a challenge: everything that P has committed to so far is fixed, and V draws. This ends a
    /// block and does not wait for the peer.
    ///
    /// # Errors
    /// As [`Tested::check`]; the backend's own.
    fn ask(&mut self, tested: Tested) -> Result<PendingChallenge, Self::Error>;

    /// Takes `n` random elements of a challenge, which nobody could know before it was asked for. Challenges
    /// are taken in the order in which they were asked for. This waits for the peer.
    ///
    /// # Errors
    /// As [`Seeds::check`]; the backend's own. One that is never taken is an error at the end.
    fn take(&mut self, n: usize, pending: PendingChallenge) -> Result<Vec<Self::Scalar>, Self::Error>;

    /// `n` random elements that nobody could know before now: [`ask`](Challenge::ask) and
    /// [`take`](Challenge::take) in one. Challenges that were asked for before have to be taken before.
    ///
    /// # Errors
    /// As of both.
    fn challenge(&mut self, n: usize, tested: Tested) -> Result<Vec<Self::Scalar>, Self::Error> {
        let pending = self.ask(tested)?;
        self.take(n, pending)
    }

    /// `n` fresh secret scalars. Each costs as many commitments as the field of MACs has coordinates.
    ///
    /// # Errors
    /// As [`Prove::secret`].
    fn scalars(
        &mut self,
        n: usize,
        hint: ScalarHint<'_, F, Self::Wire, Self::Scalar>,
    ) -> Result<Vec<Self::ScalarWire>, Self::Error>;

    /// A fresh secret scalar with this value, which counts only where values exist: one of
    /// [`Challenge::scalars`].
    ///
    /// # Errors
    /// As [`Prove::secret`].
    #[inline]
    fn one_scalar(&mut self, value: Self::Scalar) -> Result<Self::ScalarWire, Self::Error> {
        let mut wires = self.scalars(1, &mut |_| Ok(vec![value]))?;
        wires.pop().ok_or_else(|| Error::misuse("a backend returned no scalar").into())
    }

    /// A random scalar that P is committed to and V does not know, at no cost.
    ///
    /// # Errors
    /// The backend's own.
    fn random_scalar(&mut self) -> Result<Self::ScalarWire, Self::Error>;

    /// A committed scalar as an expression of degree 1.
    fn scalar<const N: usize>(&self, x: &Self::ScalarWire) -> Self::Expression<N>;

    /// The value of a wire where values exist: what [`Peek`] tells hints, for a program that reads very
    /// many. In a branch that runs on garbage it is garbage.
    fn peek(&self, x: &Self::Wire) -> Option<F>;

    /// The value of an expression where values exist, elsewhere anything: what
    /// [`one_scalar`](Challenge::one_scalar) takes.
    fn peek_expression<const N: usize>(&self, e: &Self::Expression<N>) -> Self::Scalar;

    /// Passes the value of a committed scalar to `look` where values exist; elsewhere it does nothing.
    fn peek_scalar(&self, x: &Self::ScalarWire, look: &mut dyn FnMut(Self::Scalar));

    /// Says that claims about wires are still to be made: an argument that ends with a challenge has begun.
    /// A program that ends with an argument unfinished has claimed nothing, so backends refuse it.
    fn begin_argument(&mut self);

    /// Says that the claims of an argument have been made.
    fn end_argument(&mut self);
}

/// Arguments that began and did not end.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenArguments(u64);

impl OpenArguments {
    /// One more.
    pub fn begin(&mut self) {
        self.0 += 1;
    }

    /// One less.
    pub fn end(&mut self) {
        self.0 = self.0.saturating_sub(1);
    }

    /// Checks that there are none at a program's end.
    ///
    /// # Errors
    /// [`Error::Misuse`] if there are.
    pub fn check(self) -> Result<(), Error> {
        if self.0 == 0 {
            return Ok(());
        }
        Err(Error::misuse(format!("{} lookups or memories were used and never checked; finish each", self.0)))
    }
}

/// The error for a hint with the wrong number of scalars.
///
/// # Errors
/// [`Error::Misuse`] unless there are `wanted`.
pub fn check_scalars(given: usize, wanted: usize) -> Result<(), Error> {
    if given == wanted {
        return Ok(());
    }
    Err(Error::misuse(format!("a hint gave {given} scalars for {wanted}")))
}

/// The size of the field of MACs that belongs to `F` at least.
const fn bits_of_macs(bits: u32) -> u32 {
    if bits < 60 { 128 } else { bits }
}

/// A seed of an evaluator's challenge.
type LocalSeed = [u8; 32];

/// The secret values that an evaluator saw.
#[derive(Clone)]
pub(crate) struct Seen {
    hasher: blake3::Hasher,
    challenges: u64,
    seeds: Seeds<LocalSeed>,
}

impl Seen {
    pub(crate) fn new() -> Self {
        let hasher = blake3::Hasher::new_derive_key("volery 2026 evaluator's values v1");
        Self { hasher, challenges: 0, seeds: Seeds::default() }
    }

    pub(crate) fn absorb<R: volery_field::Ring>(&mut self, values: &[R]) {
        self.hasher.update(&Zeroizing::new(encode(values)));
    }

    /// Checks that every challenge was taken.
    pub(crate) fn finish(&self) -> Result<(), Error> {
        self.seeds.finish()
    }

    fn seed(&mut self) -> LocalSeed {
        self.hasher.update(&self.challenges.to_le_bytes());
        self.challenges += 1;
        *self.hasher.finalize().as_bytes()
    }
}

/// What an evaluator draws from a seed.
fn evaluators<F: Value>(seed: &LocalSeed, n: usize) -> Vec<F> {
    Seeded::new("evaluator's challenge", seed).elements(n)
}

impl<F: Value> Challenge<F> for Evaluator<F> {
    type ScalarWire = F;

    fn most_tested(&self) -> u64 {
        most_tested(bits_of_macs(F::BITS), false)
    }

    fn ask(&mut self, tested: Tested) -> Result<PendingChallenge, Error> {
        tested.check(Challenge::<F>::most_tested(self))?;
        let seen = self.seen_mut();
        let seed = seen.seed();
        seen.seeds.put(seed);
        Ok(seen.seeds.ask())
    }

    fn take(&mut self, n: usize, pending: PendingChallenge) -> Result<Vec<F>, Error> {
        Ok(evaluators(&self.seen_mut().seeds.take(&pending)?, n))
    }

    fn scalars(&mut self, n: usize, hint: ScalarHint<'_, F, F, F>) -> Result<Vec<F>, Error> {
        let scalars = hint(Self::peek())?;
        check_scalars(scalars.len(), n)?;
        self.note(&scalars);
        Ok(scalars)
    }

    fn one_scalar(&mut self, value: F) -> Result<F, Error> {
        self.note(&[value]);
        Ok(value)
    }

    fn random_scalar(&mut self) -> Result<F, Error> {
        evaluators(&self.seen_mut().seed(), 1).pop().ok_or_else(|| Error::misuse("no scalar"))
    }

    fn scalar<const N: usize>(&self, x: &F) -> Plain<F, N> {
        Plain::wire(*x)
    }

    #[inline(always)]
    fn peek(&self, x: &F) -> Option<F> {
        Some(*x)
    }

    #[inline(always)]
    fn peek_expression<const N: usize>(&self, e: &Plain<F, N>) -> F {
        e.value()
    }

    fn peek_scalar(&self, x: &F, look: &mut dyn FnMut(F)) {
        look(*x);
    }

    fn begin_argument(&mut self) {
        self.open_arguments().begin();
    }

    fn end_argument(&mut self) {
        self.open_arguments().end();
    }
}

impl<F: Value> Challenge<F> for Counter<F> {
    type ScalarWire = u32;

    fn most_tested(&self) -> u64 {
        most_tested(bits_of_macs(F::BITS), false)
    }

    fn ask(&mut self, tested: Tested) -> Result<PendingChallenge, Error> {
        tested.check(Challenge::<F>::most_tested(self))?;
        self.tested(tested);
        let counts = self.total();
        let seeds = self.seeds_mut();
        seeds.put([counts.challenges, counts.inputs]);
        Ok(seeds.ask())
    }

    fn take(&mut self, n: usize, pending: PendingChallenge) -> Result<Vec<F>, Error> {
        let seed = self.seeds_mut().take(&pending)?.map(u64::to_le_bytes).concat();
        Ok(Seeded::new("counter's challenge", &seed).elements(n))
    }

    fn scalars(&mut self, n: usize, _hint: ScalarHint<'_, F, u32, F>) -> Result<Vec<u32>, Error> {
        self.more_scalars(n);
        self.secret(n, &mut |_| Ok(Vec::new()))
    }

    fn random_scalar(&mut self) -> Result<u32, Error> {
        Ok(0)
    }

    fn scalar<const N: usize>(&self, _x: &u32) -> Plain<F, N> {
        Plain::wire(F::ZERO)
    }

    fn peek(&self, _x: &u32) -> Option<F> {
        None
    }

    fn peek_expression<const N: usize>(&self, e: &Plain<F, N>) -> F {
        e.value()
    }

    fn peek_scalar(&self, _x: &u32, _look: &mut dyn FnMut(F)) {}

    fn begin_argument(&mut self) {}

    fn end_argument(&mut self) {}
}

/// Implements [`Relate`] and [`Challenge`] over a field for a backend of several rings, by passing every call
/// to one of its parts. Stands beside `delegate_polynomials`.
#[macro_export]
#[doc(hidden)]
macro_rules! delegate_challenge {
    ([$($generics:tt)*] $backend:ty, $ring:ty, $part:ty, |$this:ident| $to:expr) => {
        impl<$($generics)*> $crate::Relate<$ring> for $backend {
            type Scalar = <$part as $crate::Relate<$ring>>::Scalar;
            type Expression<const N: usize> = <$part as $crate::Relate<$ring>>::Expression<N>;

            fn embed(x: $ring) -> Self::Scalar {
                <$part as $crate::Relate<$ring>>::embed(x)
            }
            #[inline(always)]
            fn expression<const N: usize>(&self, x: &Self::Wire) -> Self::Expression<N> {
                let $this = self;
                $crate::Relate::<$ring>::expression(&$to, x)
            }
            #[inline(always)]
            fn linear<const N: usize>(
                &self,
                constant: Self::Scalar,
                coefficients: &[Self::Scalar],
                x: &[Self::Wire],
            ) -> Self::Expression<N> {
                let $this = self;
                $crate::Relate::<$ring>::linear(&$to, constant, coefficients, x)
            }
            #[inline(always)]
            fn claim<const N: usize>(&mut self, e: Self::Expression<N>) -> Result<(), Self::Error> {
                let $this = self;
                $crate::Relate::<$ring>::claim(&mut $to, e)
            }
            #[inline(always)]
            fn secrets<const K: usize>(
                &mut self,
                hint: impl FnOnce(&dyn $crate::Peek<$ring, Self::Wire>) -> Result<[$ring; K], $crate::Error>,
            ) -> Result<[Self::Wire; K], Self::Error> {
                let $this = self;
                $crate::Relate::<$ring>::secrets(&mut $to, hint)
            }
        }

        impl<$($generics)*> $crate::Challenge<$ring> for $backend {
            type ScalarWire = <$part as $crate::Challenge<$ring>>::ScalarWire;

            fn most_tested(&self) -> u64 {
                let $this = self;
                $crate::Challenge::<$ring>::most_tested(&$to)
            }
            fn ask(&mut self, tested: $crate::Tested) -> Result<$crate::PendingChallenge, Self::Error> {
                self.prepare_batch::<$ring>()?;
                let $this = self;
                $crate::Challenge::<$ring>::ask(&mut $to, tested)
            }
            fn take(
                &mut self,
                n: usize,
                pending: $crate::PendingChallenge,
            ) -> Result<Vec<Self::Scalar>, Self::Error> {
                self.prepare_batch::<$ring>()?;
                let $this = self;
                $crate::Challenge::<$ring>::take(&mut $to, n, pending)
            }
            fn scalars(
                &mut self,
                n: usize,
                hint: $crate::ScalarHint<'_, $ring, Self::Wire, Self::Scalar>,
            ) -> Result<Vec<Self::ScalarWire>, Self::Error> {
                self.prepare_batch::<$ring>()?;
                let $this = self;
                $crate::Challenge::<$ring>::scalars(&mut $to, n, hint)
            }
            #[inline(always)]
            fn one_scalar(&mut self, value: Self::Scalar) -> Result<Self::ScalarWire, Self::Error> {
                self.prepare_batch::<$ring>()?;
                let $this = self;
                $crate::Challenge::<$ring>::one_scalar(&mut $to, value)
            }
            fn random_scalar(&mut self) -> Result<Self::ScalarWire, Self::Error> {
                self.prepare_batch::<$ring>()?;
                let $this = self;
                $crate::Challenge::<$ring>::random_scalar(&mut $to)
            }
            #[inline(always)]
            fn scalar<const N: usize>(&self, x: &Self::ScalarWire) -> Self::Expression<N> {
                let $this = self;
                $crate::Challenge::<$ring>::scalar(&$to, x)
            }
            #[inline(always)]
            fn peek(&self, x: &Self::Wire) -> Option<$ring> {
                let $this = self;
                $crate::Challenge::<$ring>::peek(&$to, x)
            }
            #[inline(always)]
            fn peek_expression<const N: usize>(&self, e: &Self::Expression<N>) -> Self::Scalar {
                let $this = self;
                $crate::Challenge::<$ring>::peek_expression(&$to, e)
            }
            fn peek_scalar(&self, x: &Self::ScalarWire, look: &mut dyn FnMut(Self::Scalar)) {
                let $this = self;
                $crate::Challenge::<$ring>::peek_scalar(&$to, x, look);
            }
            fn begin_argument(&mut self) {
                let $this = self;
                $crate::Challenge::<$ring>::begin_argument(&mut $to);
            }
            fn end_argument(&mut self) {
                let $this = self;
                $crate::Challenge::<$ring>::end_argument(&mut $to);
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use volery_field::{F32, F61};

    use super::*;

    #[test]
    fn the_most_that_one_challenge_tests_leaves_forty_or_a_hundred_bits() {
        assert_eq!(most_tested(61, false), 1 << 20);
        assert_eq!(most_tested(122, false), 1 << 21);
        assert_eq!((most_tested(61, true), most_tested(122, true)), (0, 1 << 17));
        assert_eq!(most_tested(254, false), 1 << 27);
        assert_eq!(most_tested(0, false), 0);
        assert_eq!(Challenge::<F32>::most_tested(&Evaluator::<F32>::new()), 1 << 27);
    }

    #[test]
    fn what_is_too_much_for_one_challenge_is_refused() {
        assert_eq!(Tested::within(8, 3, 8), Tested { degree: 8, repetitions: 1, values: 3 });
        assert_eq!(Tested::within(9, 3, 8), Tested { degree: 9, repetitions: 2, values: 3 });
        let check = |degree, repetitions, most| Tested { degree, repetitions, values: 0 }.check(most).is_ok();
        assert!(check(8, 1, 8) && !check(9, 1, 8) && check(9, 2, 8));
        assert!(check(1 << 32, 2, 8) && !check((1 << 32) + 1, 2, 8));
        assert!(!check(1, 1, 0) && !check(1, 2, 0) && !check(1, 0, 8) && !check(1, 3, 8));
        let mut evaluator = Evaluator::<F61>::new();
        let tested = Tested { degree: (1 << 20) + 1, repetitions: 1, values: 0 };
        assert!(matches!(evaluator.challenge(1, tested), Err(Error::Misuse(_))));
        assert!(matches!(Counter::<F61>::new().challenge(1, tested), Err(Error::Misuse(_))));
    }

    #[test]
    fn the_evaluator_s_challenge_depends_on_every_secret_and_is_new_each_time() {
        let draw = |values: &[u64]| {
            let mut evaluator = Evaluator::<F61>::new();
            let values: Vec<F61> = values.iter().map(|x| F61::from_u64(*x)).collect();
            evaluator.secret(values.len(), &mut |_| Ok(values.clone())).unwrap();
            let tested = Tested { degree: 1, repetitions: 1, values: 3 };
            let draws = [(); 2].map(|()| evaluator.challenge(2, tested).unwrap());
            assert!(draws[0] != draws[1] && draws[0][0] != draws[0][1]);
            draws
        };
        assert!(draw(&[1, 2, 3]) == draw(&[1, 2, 3]));
        assert!(draw(&[1, 2, 3])[0] != draw(&[1, 2, 4])[0]);
        assert!(draw(&[1, 2])[0] != draw(&[0, 2])[0]);
    }

    #[test]
    fn the_counter_keeps_what_is_greatest_and_counts_scalars_among_the_secrets() {
        let mut counter = Counter::<F61>::new();
        for (degree, values) in [(5, 50), (9, 9), (7, 70)] {
            counter.challenge(1, Tested { degree, repetitions: 1, values }).unwrap();
        }
        counter.challenge(1, Tested { degree: 1 << 22, repetitions: 2, values: 1 }).unwrap();
        counter.scalars(3, &mut |_| Ok(Vec::new())).unwrap();
        let counts = counter.total();
        assert_eq!((counts.challenges, counts.tested, counts.tested_twice), (4, 9, 1 << 22));
        assert_eq!((counts.tested_values, counts.inputs, counts.scalars), (70, 3, 3));
    }
}
