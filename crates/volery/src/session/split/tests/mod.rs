//! Split statements over both kinds of systems: honest, false, lost on the way, and attacked.

pub(super) mod chain;
mod cheats;
mod dishonest;
mod estimate;
mod honest;
mod lost;
pub(super) mod many;
mod meeting;
#[cfg(feature = "programs")]
mod run;

use volery_channel::{Channel, Error as ChannelError, Layer, Layered, Limits, Tag, memory_pair};
use volery_circuit::Evaluator;
use volery_field::{F61, F61x2};
use volery_testing::rng;

use super::*;
use crate::system::{Bits, Over};
use crate::{Error, Options, Prover, Verifier};
use chain::Chain;
use meeting::{End, Meeting};

/// A system over a field of 61 bits.
type Field = Over<F61, F61x2>;

/// What happens to a worker's connection: what it sends, by number, as (shard, attempt).
type Fault<'a> = dyn Fn(usize, u32) -> Option<Break> + Sync + 'a;

/// Where a connection breaks: at the message with this number that the party sends.
#[derive(Clone, Copy, Debug)]
struct Break(usize);

/// No connection breaks.
fn whole(_: usize, _: u32) -> Option<Break> {
    None
}

/// A channel that breaks.
struct Breaking {
    left: Option<usize>,
}

impl Layer<End> for Breaking {
    fn send(&mut self, below: &mut End, tag: Tag, payload: &[u8]) -> Result<(), ChannelError> {
        if let Some(left) = &mut self.left {
            if *left == 0 {
                return Err(ChannelError::Closed { step: tag, mid_frame: false });
            }
            *left -= 1;
        }
        below.send(tag, payload)
    }

    /// It is gone, and says nothing.
    fn fail(&mut self, below: &mut End, reason: &str) {
        if self.left != Some(0) {
            below.fail(reason);
        }
    }
}

fn breaking(end: End, fault: Option<Break>) -> Layered<End, Breaking> {
    Layered { channel: end, layer: Breaking { left: fault.map(|Break(n)| n) } }
}

/// Both coordinators, with workers as threads of this process. P's and V's view of the statement may differ.
struct Both<'a, P, V> {
    prover: &'a P,
    verifier: &'a V,
    settings: Settings,
    options: Options,
    p_breaks: &'a Fault<'a>,
    v_breaks: &'a Fault<'a>,
}

impl<'a, T> Both<'a, T, T> {
    fn of(whole_statement: &'a T) -> Self {
        Self::between(whole_statement, whole_statement)
    }
}

impl<'a, P, V> Both<'a, P, V> {
    fn between(prover: &'a P, verifier: &'a V) -> Self {
        let (settings, options) = (Settings::default(), Options::default());
        Self { prover, verifier, settings, options, p_breaks: &whole, v_breaks: &whole }
    }

    /// Runs the whole; returns what each coordinator says.
    fn run<Y>(&self, system: Y) -> (Result<Outcome, Error>, Result<Outcome, Error>)
    where
        Y: Dealt + Copy + Send,
        P: Sharded,
        V: Sharded,
        for<'p, 's> P::Shard<'s>: Shard<Y::Ring, Y::Prover<'p>>,
        for<'v, 's> V::Shard<'s>: Shard<Y::Ring, Y::Verifier<'v>>,
        for<'p> Y::Prover<'p>: Boundary<Y::Ring, Y::Mac>,
        for<'v> Y::Verifier<'v>: Boundary<Y::Ring, Y::Mac>,
    {
        let meeting = Meeting::new();
        let (ours, theirs) = memory_pair(&Limits::default());
        let p_connect = |lot: &ProverLot<Y>| {
            Ok(breaking(meeting.join(lot.token())?, (self.p_breaks)(lot.shard(), lot.attempt())))
        };
        let v_connect = |lot: &VerifierLot<Y>| {
            Ok(breaking(meeting.join(lot.token())?, (self.v_breaks)(lot.shard(), lot.attempt())))
        };
        std::thread::scope(|scope| {
            let verified = scope.spawn(|| {
                std::thread::scope(|scope| {
                    let mut rng = rng(2);
                    let mut verifier = Verifier::start(theirs, self.options, &mut rng)?;
                    let mut workers = VerifierThreads::new(scope, system, self.verifier, &v_connect);
                    let layout = self.verifier.layout()?;
                    verifier.verify_split(system, &layout, self.settings, &mut workers, &mut rng)
                })
            });
            let proved = std::thread::scope(|scope| {
                let mut rng = rng(1);
                let mut prover = Prover::start(ours, self.options, &mut rng)?;
                let mut workers = ProverThreads::new(scope, system, self.prover, &p_connect);
                let layout = self.prover.layout()?;
                prover.prove_split(system, &layout, self.settings, &mut workers, &mut rng)
            });
            (proved, verified.join().expect("no panic"))
        })
    }
}

/// Whether V found the proof wrong.
fn is_rejected(result: &Result<Outcome, Error>) -> bool {
    matches!(result, Err(error) if error.is_rejection())
}
