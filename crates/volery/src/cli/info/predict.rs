//! What a proof will send, from what a statement counts.
//!
//! Follows the protocols' messages, small ones rounded; a test compares with what really goes over the wire.

use volery::Options;
use volery_circuit::Counts;
use volery_vole::Params;
use volery_vole::supply::Plan;

/// What a proof will take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Prediction {
    /// Random correlations used: one for each secret bit and AND, and the checks' masks.
    pub(crate) correlations: u64,
    /// Sent by the prover over the whole session.
    pub(crate) bytes_prover: u64,
    /// Sent by the verifier.
    pub(crate) bytes_verifier: u64,
}

/// Bytes of the opening of a check (two field elements, three counts, a header), and of its challenge.
const OPENING: u64 = 61;
const CHALLENGE: u64 = 21;

/// What the prover sends whatever the statement: hello, trees' corrections, begin, assertions.
const FIXED_PROVER: u64 = 4400;

/// What the verifier sends whatever the statement: hello, 128 points, begin, verdict.
const FIXED_VERIFIER: u64 = 8480;

impl Prediction {
    /// For a proof of a statement with these `counts`. `announced`: it says beforehand how much it commits to.
    pub(crate) fn new(options: &Options, counts: &Counts, announced: bool) -> Self {
        let bits = counts.inputs.saturating_add(counts.multiplications).saturating_add(counts.dot_terms);
        let blocks = bits / options.settings().interval.max(1) as u64 + 1;
        let correlations = options.settings().correlations(counts.inputs, bits.saturating_sub(counts.inputs));
        let (made_prover, made_verifier) = making(&options.profile.plan(), correlations, announced);
        let challenges = if options.fiat_shamir { 0 } else { blocks.saturating_mul(CHALLENGE) };
        Self {
            correlations,
            bytes_prover: (FIXED_PROVER + bits / 8)
                .saturating_add(blocks.saturating_mul(OPENING))
                .saturating_add(made_prover),
            bytes_verifier: FIXED_VERIFIER.saturating_add(challenges).saturating_add(made_verifier),
        }
    }

    /// Both directions together.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes_prover.saturating_add(self.bytes_verifier)
    }

    /// A bound that no honest session comes near.
    pub(crate) fn generous(&self) -> u64 {
        self.bytes().saturating_mul(4).saturating_add(16 << 20)
    }
}

/// Bytes that P sends in a round: the corrections of the positions, a bit each, and the check.
fn prover_bytes(round: &Params) -> u64 {
    round.paths_len() as u64 / 8 + 100
}

/// Announced statements of this many correlations begin with rounds at once.
const LONG: u64 = 1 << 19;

/// Bytes that P and V send to make `correlations`.
fn making(plan: &Plan, correlations: u64, announced: bool) -> (u64, u64) {
    let chunk = Plan::CHUNK as u64;
    // 15/8 bytes a correlation, of which 256 a chunk mask the check, which takes 69 bytes with its header.
    let extension = |n: u64| n.div_ceil(chunk).saturating_mul((chunk + 256) / 8 * 15 + 69);
    let first = if announced && correlations >= LONG { 4 * chunk } else { plan.extension as u64 };
    let (mut prover, mut verifier) = (extension(correlations.min(first)), 0_u64);
    // Outputs of the stage that is being read, and what the statement wants from it on.
    let (mut stage, mut left) = (first, correlations);
    for (number, params) in plan.rounds.iter().enumerate() {
        let base = params.base_len() as u64;
        let usable = if number == 0 { stage } else { stage.saturating_sub(base) };
        // An announced end within the stage needs no other; else the next one is opened after a quarter.
        if left <= if announced { usable } else { stage / 4 } {
            return (prover, verifier);
        }
        if number == 0 {
            prover = prover.saturating_add(extension(base));
        }
        prover = prover.saturating_add(prover_bytes(params));
        verifier = verifier.saturating_add(params.trees_bytes() as u64);
        (left, stage) = (left.saturating_sub(usable), params.outputs() as u64);
    }
    if let Some(last) = plan.rounds.last() {
        // It repeats, each round setting aside the base of the next.
        let usable = stage.saturating_sub(last.base_len() as u64).max(1);
        let before = if announced { usable } else { stage / 4 };
        let rounds = left.saturating_sub(before).div_ceil(usable);
        prover = prover.saturating_add(rounds.saturating_mul(prover_bytes(last)));
        verifier = verifier.saturating_add(rounds.saturating_mul(last.trees_bytes() as u64));
    }
    (prover, verifier)
}

#[cfg(test)]
mod tests {
    use volery::statements::AndChain;
    use volery::{Channel, Limits, Profile, Prover, Statement, Verifier, os_rng};
    use volery_channel::memory_pair;
    use volery_circuit::{Counter, Digest, Prove};
    use volery_field::F2;
    use volery_zk::quicksilver;

    use super::*;

    /// The same statement, keeping quiet about its size.
    struct Silent<'a>(&'a AndChain);

    impl<B: Prove<F2>> Statement<B> for Silent<'_> {
        fn identify(&self, digest: &mut Digest) {
            Statement::<B>::identify(self.0, digest);
        }

        fn run(&self, backend: &mut B) -> Result<(), B::Error> {
            self.0.run(backend)
        }
    }

    /// What a session really sends.
    fn measure<S>(options: Options, statement: &S) -> (u64, u64)
    where
        S: for<'a> Statement<quicksilver::Prover<'a>> + for<'a> Statement<quicksilver::Verifier<'a>>,
    {
        let (prover, verifier) = memory_pair(&Limits::default());
        std::thread::scope(|scope| {
            let prover = scope.spawn(move || {
                let mut rng = os_rng().expect("randomness");
                let mut prover = Prover::start(prover, options, &mut rng).expect("set-up");
                prover.prove(statement, &mut rng).expect("holds");
                prover.channel().stats().bytes_sent
            });
            let mut rng = os_rng().expect("randomness");
            let mut verifier = Verifier::start(verifier, options, &mut rng).expect("set-up");
            verifier.verify(statement, &mut rng).expect("holds");
            (prover.join().expect("no panic"), verifier.channel().stats().bytes_sent)
        })
    }

    #[test]
    fn what_is_predicted_is_sent_to_within_a_fifth() {
        for profile in [Profile::Lan, Profile::Wan] {
            for ands in [1, 10_000, 200_000, 1_000_000, 5_000_000] {
                let (options, chain) = (Options { profile, ..Options::default() }, AndChain::new(ands));
                let counts = Counter::<F2>::count(&chain).expect("counts").total();
                for announced in [true, false] {
                    let predicted = Prediction::new(&options, &counts, announced);
                    let predicted = [predicted.bytes_prover, predicted.bytes_verifier];
                    let sent =
                        if announced { measure(options, &chain) } else { measure(options, &Silent(&chain)) };
                    for (predicted, sent) in predicted.into_iter().zip([sent.0, sent.1]) {
                        let close = sent / 10 * 8..=sent / 10 * 12;
                        let case = format!("{profile:?}, {ands} ANDs, announced: {announced}");
                        assert!(close.contains(&predicted), "{case}: {predicted}, sent {sent}");
                    }
                }
            }
        }
    }

    #[test]
    fn no_count_overflows() {
        let mut counts = Counts::default();
        (counts.inputs, counts.multiplications) = (u64::MAX, u64::MAX / 2);
        for fiat_shamir in [false, true] {
            let predicted =
                Prediction::new(&Options { fiat_shamir, ..Options::default() }, &counts, fiat_shamir);
            assert_eq!((predicted.correlations, predicted.generous()), (u64::MAX, u64::MAX));
        }
    }
}
