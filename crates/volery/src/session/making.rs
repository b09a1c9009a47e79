//! How long both parties take to make correlations, measured: each on a thread of this process, over memory.
//!
//! A generator begins small and grows ([`volery_vole::correlations`]): base OT, extension, rounds of
//! increasing size, of which the last kind repeats. So time is not proportional to the number of
//! correlations, and a short trial says little about a long session. The trial here makes all of them if that
//! is soon done. Else it goes on until the last kind of round has begun to repeat, and for one round more:
//!
//! ```text
//! time |                        .'        seconds(n) = seconds(first) + (n - first) * slope
//!      |                     .'           slope = (seconds(second) - seconds(first)) / (second - first)
//!      |           _____--+'              first:  small rounds are over
//!      |      __--        .               second: one more round of the last kind, with all that prepares the next one
//!      |__--''            .
//!      +-----------|------|-----> correlations
//!                first  second
//! ```

use std::thread::Builder;
use std::time::Duration;

use rand_core::CryptoRng;
use volery_channel::platform::Instant;
use volery_channel::{Channel, Limits, memory_pair, tags};
use volery_vole::correlations::{Correlation, Plan, Pool};

use super::memory::Sizes;
use super::system::System;
use super::system::correlations::CorrelationSetup;
use super::{Options, Prover, Verifier};
use crate::{Error, os_rng};

/// Correlations of one kind; a part of them is made on trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trial {
    /// How many a proof takes.
    count: u64,
    /// Where the measured slope begins and where the trial ends, at `count` at the latest.
    ends: [u64; 2],
}

impl Trial {
    /// Of `count` correlations, by this plan.
    pub(super) fn new(plan: &Plan, count: u64) -> Self {
        // A long session begins with the rounds.
        let extension = if count >= plan.long { plan.lead * plan.chunk } else { plan.extension } as u64;
        // What a stage gives out: the next one starts from the rest.
        let given = |number| {
            let outputs = Sizes::of(plan, number).map_or(plan.extension as u64, |round| round.outputs);
            outputs.saturating_sub(Sizes::of(plan, number + 1).map_or(0, |next| next.base))
        };
        let small = plan.rounds.len().saturating_sub(1);
        let first = (0..small).map(given).fold(extension, u64::saturating_add);
        let second = first.saturating_add(given(small));
        Self { count, ends: [first.min(count), second.min(count)] }
    }

    /// The time for all, from the times at both ends.
    pub(super) fn extrapolate(&self, [first, second]: [Duration; 2]) -> Duration {
        let [from, to] = self.ends;
        let slope = second.saturating_sub(first).as_secs_f64() / (to - from).max(1) as f64;
        second + Duration::from_secs_f64(slope * (self.count - to) as f64)
    }

    /// Makes the correlations of the trial at one party. Returns the times at both ends.
    pub(super) fn make<T: Correlation>(
        &self,
        pool: &mut Pool<T>,
        channel: &mut dyn Channel,
    ) -> Result<[Duration; 2], Error> {
        let (start, from) = (Instant::now(), pool.index());
        pool.expect(Some(self.count));
        let mut times = [Duration::ZERO; 2];
        for (end, time) in self.ends.into_iter().zip(&mut times) {
            // A batch counts as taken when the next one replaces it.
            while pool.index() + (pool.at_hand().len() as u64) < from + end {
                pool.refill(channel)?;
            }
            *time = start.elapsed();
        }
        Ok(times)
    }
}

/// The time of a session's set-up on this machine, and that for making so many correlations of those that
/// `system` takes: over bits, and over its field.
pub(super) fn measure<Y: System>(
    options: Options,
    _system: Y,
    counts: [u64; 2],
) -> Result<(Duration, Duration), Error> {
    let plans = [options.profile.plan(), Y::Setup::plan(&options)];
    let [bits, elements] = [0, 1].map(|kind| Trial::new(&plans[kind], counts[kind]));
    let (ours, theirs) = memory_pair(&Limits::default());
    std::thread::scope(|scope| {
        let verify = move || {
            let mut rng = os_rng()?;
            Verifier::start(theirs, options, &mut rng)?.make_on_trial::<Y::Setup>([bits, elements], &mut rng)
        };
        let verifier = Builder::new().spawn_scoped(scope, verify).map_err(Error::no_thread)?;
        let (start, mut rng) = (Instant::now(), os_rng()?);
        let made = Prover::start(ours, options, &mut rng)
            .and_then(|mut prover| prover.make_on_trial::<Y::Setup>([bits, elements], &mut rng));
        let theirs = verifier.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let (ended, [of_bits, of_elements]) = made?;
        theirs?;
        let making = bits.extrapolate(of_bits) + elements.extrapolate(of_elements);
        Ok((ended - start, making))
    })
}

/// What one party measures: when the set-up ended, and how long each trial took.
type Measured = (Instant, [[Duration; 2]; 2]);

/// Steps of the next stage may be on their way: nobody leaves before both have what they wait for.
pub(super) fn leave(channel: &mut dyn Channel) -> Result<(), Error> {
    channel.send(tags::GOODBYE, &[])?;
    Ok(channel.recv(tags::GOODBYE, 0).map(drop)?)
}

impl<C: Channel> Prover<C> {
    fn make_on_trial<K: CorrelationSetup>(
        &mut self,
        trials: [Trial; 2],
        rng: &mut dyn CryptoRng,
    ) -> Result<Measured, Error> {
        let set_up = K::start_prover(&mut self.side(), rng)?;
        K::finish_prover(&mut self.side(), set_up, rng)?;
        let ended = Instant::now();
        let times = K::make_prover(&mut self.side(), trials)?;
        leave(&mut self.channel)?;
        Ok((ended, times))
    }
}

impl<C: Channel> Verifier<C> {
    fn make_on_trial<K: CorrelationSetup>(
        &mut self,
        trials: [Trial; 2],
        rng: &mut dyn CryptoRng,
    ) -> Result<Measured, Error> {
        let set_up = K::start_verifier(&mut self.side(), rng)?;
        K::finish_verifier(&mut self.side(), set_up, rng)?;
        let ended = Instant::now();
        let times = K::make_verifier(&mut self.side(), trials)?;
        leave(&mut self.channel)?;
        Ok((ended, times))
    }
}

#[cfg(test)]
mod tests {
    use volery_field::{Bn254Scalar, F61, F61x2, Gf128, Gf256};
    use volery_vole::correlations::Profile;
    use volery_vole::subfield::plan;

    use super::super::system::{Bits, Mixed, Over};
    use super::*;

    fn plans() -> Vec<Plan> {
        let each = |profile: Profile| {
            let (small, large) = (plan::<F61, F61x2>(profile), plan::<Bn254Scalar, Bn254Scalar>(profile));
            [profile.plan(), small, large, plan::<Gf256, Gf128>(profile)]
        };
        [Profile::Lan, Profile::Wan].into_iter().flat_map(each).collect()
    }

    #[test]
    fn a_trial_is_all_of_a_short_session_and_a_round_of_a_long_one() {
        for plan in plans() {
            for count in [0, 1, 1000] {
                assert_eq!(Trial::new(&plan, count).ends, [count; 2], "{plan:?}");
            }
            let long = Trial::new(&plan, u64::MAX / 2);
            let [first, second] = long.ends;
            let last = Sizes::of(&plan, plan.rounds.len()).map_or(plan.extension as u64, |last| last.outputs);
            assert!(second - first <= last && second - first > last / 2, "{plan:?} {long:?}");
        }
    }

    #[test]
    fn the_rest_of_a_session_takes_as_long_as_its_last_round_for_each_correlation() {
        let trial = Trial { count: 1000, ends: [100, 300] };
        let time = trial.extrapolate([Duration::from_secs(5), Duration::from_secs(7)]);
        assert_eq!(time, Duration::from_secs(14));
        // What was made itself takes what it took.
        let all = Trial { count: 300, ends: [100, 300] };
        assert_eq!(all.extrapolate([Duration::from_secs(5), Duration::from_secs(7)]).as_secs(), 7);
    }

    #[test]
    fn correlations_of_every_kind_are_made_on_trial() {
        let hashed = Options { fiat_shamir: true, ..Options::default() };
        for options in [Options::default(), hashed, Options { threads: 2, ..Options::default() }] {
            let made = [
                measure(options, Bits, [200_000, 0]),
                measure(options, Over::<F61, F61x2>::new(), [0, 30_000]),
                measure(options, Mixed::<F61, F61x2>::new(), [5000, 5000]),
            ];
            for made in made {
                let (set_up, making) = made.expect("made");
                assert!(set_up > Duration::ZERO && making > Duration::ZERO);
            }
        }
        let none = Options { threads: 0, ..Options::default() };
        assert!(matches!(measure(none, Bits, [1, 0]), Err(Error::Options(_))));
    }
}
