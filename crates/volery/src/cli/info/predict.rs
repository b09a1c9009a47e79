//! What a proof will send, from what a statement counts.
//!
//! Follows the protocols' messages, small ones rounded; a test compares with what really goes over the wire.

use volery::Options;
use volery_circuit::Counts;
use volery_vole::Params;
use volery_vole::cot::Plan;

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

/// Correlations that mask one check.
const MASKS: u64 = 128;

/// Bytes of the opening of a check (two field elements, three counts, a header), and of its challenge.
const OPENING: u64 = 61;
const CHALLENGE: u64 = 21;

/// What the prover sends whatever the statement: hello, trees' corrections, begin, assertions.
const FIXED_PROVER: u64 = 4400;

/// What the verifier sends whatever the statement: hello, 128 points, begin, verdict.
const FIXED_VERIFIER: u64 = 8480;

impl Prediction {
    /// For a proof of a statement with these `counts`.
    pub(crate) fn new(options: &Options, counts: &Counts) -> Self {
        let bits = counts.inputs.saturating_add(counts.multiplications).saturating_add(counts.dot_terms);
        let interval = options.settings().interval.max(1) as u64;
        let blocks = bits / interval + 1;
        let correlations = bits.saturating_add(blocks.saturating_mul(MASKS));
        let (made_prover, made_verifier) = making(&options.profile.plan(), correlations);
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

/// Bytes that P and V send to make `correlations`.
fn making(plan: &Plan, correlations: u64) -> (u64, u64) {
    let chunk = Plan::CHUNK as u64;
    // 15/8 bytes a correlation, of which 256 a chunk mask the check, which takes 69 bytes with its header.
    let extension = |n: u64| n.div_ceil(chunk).saturating_mul((chunk + 256) / 8 * 15 + 69);
    let first = plan.extension as u64;
    let (mut prover, mut verifier) = (extension(correlations.min(first)), 0_u64);
    // Outputs of the stage that is being read, and of them those that are left for the statement.
    let (mut stage, mut usable, mut left) = (first, first, correlations);
    for (number, params) in plan.rounds.iter().enumerate() {
        // The next round is opened after a quarter of this stage.
        if left < stage / 4 {
            return (prover, verifier);
        }
        let base = params.base_len() as u64;
        if number == 0 {
            prover = prover.saturating_add(extension(base));
        } else {
            usable = usable.saturating_sub(base);
        }
        prover = prover.saturating_add(prover_bytes(params));
        verifier = verifier.saturating_add(params.trees_bytes() as u64);
        left = left.saturating_sub(usable);
        stage = params.outputs() as u64;
        usable = stage;
    }
    if let Some(last) = plan.rounds.last()
        && left >= stage / 4
    {
        // It repeats, each round setting aside the base of the next.
        let usable = (last.outputs() as u64).saturating_sub(last.base_len() as u64).max(1);
        let rounds = 1 + (left - stage / 4) / usable;
        prover = prover.saturating_add(rounds.saturating_mul(prover_bytes(last)));
        verifier = verifier.saturating_add(rounds.saturating_mul(last.trees_bytes() as u64));
    }
    (prover, verifier)
}

#[cfg(test)]
mod tests {
    use volery::statements::AndChain;
    use volery::{Channel, Limits, Profile, Prover, Verifier, os_rng};
    use volery_channel::memory_pair;
    use volery_circuit::Counter;
    use volery_field::F2;

    use super::*;

    /// What a session really sends.
    fn measure(options: Options, statement: &AndChain) -> (u64, u64) {
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
    fn what_is_predicted_is_sent_to_within_ten_percent() {
        for profile in [Profile::Lan, Profile::Wan] {
            for ands in [1, 10_000, 100_000, 1_000_000, 5_000_000] {
                let (options, statement) = (Options { profile, ..Options::default() }, AndChain::new(ands));
                let counts = Counter::<F2>::count(&statement).expect("counts").total();
                let predicted = Prediction::new(&options, &counts);
                let (prover, verifier) = measure(options, &statement);
                for (predicted, sent) in
                    [(predicted.bytes_prover, prover), (predicted.bytes_verifier, verifier)]
                {
                    let close = sent / 10 * 9..=sent / 10 * 11;
                    assert!(close.contains(&predicted), "{profile:?} {ands}: {predicted}, sent {sent}");
                }
            }
        }
    }

    #[test]
    fn no_count_overflows() {
        let mut counts = Counts::default();
        (counts.inputs, counts.multiplications) = (u64::MAX, u64::MAX / 2);
        for fiat_shamir in [false, true] {
            let predicted = Prediction::new(&Options { fiat_shamir, ..Options::default() }, &counts);
            assert_eq!((predicted.correlations, predicted.generous()), (u64::MAX, u64::MAX));
        }
    }
}
