//! The cost of one of many by each protocol.
//!
//! With `n` multiplications, `i` secrets and `o` outputs in the largest of `B` branches, `e` entries of a
//! topology vector, MACs in an extension of degree `r`, and `R` repetitions, P sends, in elements of the
//! field of values,
//!
//! | protocol | elements | runs of a branch |
//! |---|---|---|
//! | Robin | `R (3 n + i + o + r B)` | `R B` |
//! | Batchman, over fields | `R (3 n + i + o + r e)` and `r B` a group | `B` a group |
//! | Mac'n'Cheese, a stack | `R (n + i + o + 2 r (log2 (n + i) + log2 B))` | `R B` |
//! | every branch proved separately, and the product of their claims | `R B (n + i)` | none |
//!
//! and the messages of the blocks' checks; V sends seeds. Bytes are those of the proof's messages, without
//! correlations ([`Cost::seconds_on`] adds an estimate of them) and without frame headers. For Robin and
//! Batchman the figures agree with the implementation to within a few bytes for each block. For Mac'n'Cheese
//! they agree to within one byte for each piece, and the number of waits is exact: repetitions in step with
//! each other ([`macncheese::Settings::in_step`]) wait together. Times are estimates, fitted to measurements
//! on one machine (docs/performance.md, "One of many") to within a factor of two. That is enough to choose
//! by.

use volery_channel::Network;
use volery_circuit::Shape;
use volery_field::{Mac, Value};
use volery_vole::correlations::Profile;
use volery_vole::{cot, subfield};

use super::base::OperationCounts;
use super::batch;
use super::rows::FOLD;
use super::soundness::challenges;
use crate::macncheese;
use crate::quicksilver::{self, Tally, field};

/// A way to prove one of many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Single disjunctions, one after the other.
    Robin,
    /// All repetitions together.
    Batchman,
    /// Stacked branches, repetitions in step with each other.
    MacAndCheese,
    /// All branches, with no single one claimed to hold.
    Separate,
}

/// The task: to prove that one of several branches holds, a number of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// The number of branches.
    pub branches: usize,
    /// The number of input wires of each.
    pub shared: usize,
    /// The commitments of the largest branch.
    pub shape: Shape,
    /// The number of repetitions.
    pub repetitions: usize,
}

/// The fields of a proof, and its blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Over {
    /// Bits of a value on the wire.
    value_bits: u64,
    /// Bytes of a MAC.
    mac_bytes: u64,
    /// The degree of the field of MACs over the field of values.
    degree: u64,
    /// Bytes of messages for each correlation in a long session: those before its last kind of round take
    /// more.
    correlation_bytes: f64,
    interval: u64,
    /// The settings of Mac'n'Cheese for the actual number of branches.
    stacked: macncheese::Settings,
    /// Bytes of a block's counts.
    counts: u64,
    /// The number of places that a multiplication takes in a block besides that of its result.
    relations: u64,
    /// The time in nanoseconds, at both parties together, for a commitment, for a multiplication of a branch
    /// that is run, and for one of a stacked branch, which takes part in a check by halving.
    times: [f64; 3],
}

impl Over {
    /// A proof about bits, from the correlations of this profile.
    #[must_use]
    pub fn bits(settings: quicksilver::bits::Settings, profile: Profile) -> Self {
        Self {
            value_bits: 1,
            mac_bytes: 16,
            degree: 128,
            correlation_bytes: cot::bytes_per_correlation(profile),
            interval: settings.interval as u64,
            stacked: macncheese::Settings::LAN,
            counts: Tally::BYTES as u64 - 8,
            relations: 0,
            times: [60.0, 16.0, 165.0],
        }
    }

    /// A proof over `F` with MACs in `M`, from the correlations of this profile.
    #[must_use]
    pub fn field<F: Value, M: Mac<F>>(settings: field::Settings, profile: Profile) -> Self {
        Self {
            value_bits: F::BITS as u64,
            mac_bytes: M::BYTES as u64,
            degree: M::DEGREE as u64,
            correlation_bytes: subfield::bytes_per_correlation::<F, M>(profile),
            interval: settings.interval as u64,
            stacked: macncheese::Settings::LAN,
            counts: Tally::BYTES as u64,
            relations: 1,
            times: [135.0 * M::DEGREE as f64, 7.0 * M::DEGREE as f64, 150.0 * M::DEGREE as f64],
        }
    }

    /// The same proof, with these settings of Mac'n'Cheese, shortened for the branches
    /// ([`macncheese::Settings::for_branches`]).
    #[must_use]
    pub const fn stacked_by(self, stacked: macncheese::Settings) -> Self {
        Self { stacked, ..self }
    }

    /// The number of blocks that these commitments and relations fill, at least one.
    fn blocks(&self, places: u64) -> u64 {
        places.div_ceil(self.interval.max(1)).max(1)
    }
}

/// The cost of a protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// The number of elements, or bits, that P commits to. Each uses a correlation.
    commitments: u64,
    /// The bytes of the proof's messages from P, without those of correlations.
    pub prover_bytes: u64,
    /// The bytes of the proof's messages from V, counted in the same way; none with hashed challenges.
    pub verifier_bytes: u64,
    /// The number of multiplications, in all branches, that either party runs.
    pub multiplications: u64,
    /// The approximate time of both parties in seconds, on one thread each, without the network.
    seconds: f64,
    /// The number of times that P waits for V if V chooses the challenges: once for each challenge, except
    /// for those of blocks, because P sends the next block meanwhile.
    pub waits: u64,
}

impl Cost {
    /// The approximate time over this network in seconds, including correlations.
    #[must_use]
    pub fn seconds_on(&self, over: &Over, network: Network) -> f64 {
        // Most of the correlations' bytes are V's trees.
        let from_v = self.verifier_bytes as f64 + self.commitments as f64 * over.correlation_bytes;
        let sent = network.seconds_to_verifier(self.prover_bytes as f64) + network.seconds_to_prover(from_v);
        self.seconds + sent + network.seconds_of_waits(self.waits)
    }
}

/// The cost of a run of blocks and challenges.
#[derive(Clone, Copy, Default)]
struct Run {
    commitments: u64,
    blocks: u64,
    challenges: u64,
    /// The number of elements of the field of MACs, and of bytes, that are sent in addition.
    macs: u64,
    bytes: u64,
    multiplications: u64,
    /// The part that belongs to stacked branches.
    stacked: u64,
}

impl Run {
    /// The cost of `n` such runs.
    fn times(self, n: u64) -> Self {
        let Self { commitments, blocks, challenges, macs, bytes, multiplications, stacked } = self;
        let [commitments, blocks, challenges, macs, bytes, multiplications, stacked] =
            [commitments, blocks, challenges, macs, bytes, multiplications, stacked]
                .map(|x| x.saturating_mul(n));
        Self { commitments, blocks, challenges, macs, bytes, multiplications, stacked }
    }

    /// The same and all that runs after it.
    fn plus(self, other: Self) -> Self {
        Self {
            commitments: self.commitments.saturating_add(other.commitments),
            blocks: self.blocks.saturating_add(other.blocks),
            challenges: self.challenges.saturating_add(other.challenges),
            macs: self.macs.saturating_add(other.macs),
            bytes: self.bytes.saturating_add(other.bytes),
            multiplications: self.multiplications.saturating_add(other.multiplications),
            stacked: self.stacked.saturating_add(other.stacked),
        }
    }

    /// With the last block of a proof by QuickSilver, and the hash of its assertions.
    fn ended(self) -> Self {
        self.plus(Self { blocks: 1, bytes: 32, ..Self::default() })
    }

    fn cost(self, over: &Over) -> Cost {
        let blocks = self.blocks;
        let macs = self.macs.saturating_add(blocks.saturating_mul(2));
        let prover_bytes = self.commitments.saturating_mul(over.value_bits).div_ceil(8);
        let prover_bytes = prover_bytes
            .saturating_add(macs.saturating_mul(over.mac_bytes))
            .saturating_add(blocks.saturating_mul(over.counts))
            .saturating_add(self.bytes);
        let [commitment, multiplication, stacked] = over.times;
        let others = self.multiplications.saturating_sub(self.stacked);
        let nanoseconds = self.commitments as f64 * commitment
            + others as f64 * multiplication
            + self.stacked as f64 * stacked;
        Cost {
            commitments: self.commitments,
            prover_bytes,
            verifier_bytes: blocks.saturating_add(self.challenges).saturating_mul(16),
            multiplications: self.multiplications,
            seconds: nanoseconds * 1e-9,
            waits: self.challenges,
        }
    }
}

impl Task {
    /// The cost of `protocol` for the task; `None` if it does not support these fields.
    #[must_use]
    pub fn cost(&self, protocol: Protocol, over: &Over) -> Option<Cost> {
        let run = match protocol {
            Protocol::Robin => self.robin(over).times(self.repetitions as u64).ended(),
            // Over bits an entry of a vector would take 128 of them: more than proving every branch
            // separately.
            Protocol::Batchman if over.value_bits == 1 => return None,
            Protocol::Batchman => self.batchman(over).ended(),
            Protocol::MacAndCheese => self.stacked(over),
            Protocol::Separate => self.separate(over).times(self.repetitions as u64).ended(),
        };
        Some(run.cost(over))
    }

    /// The numbers of multiplications, secrets and outputs.
    fn sizes(&self) -> [u64; 3] {
        [self.shape.multiplications, self.shape.inputs, self.shape.outputs].map(|n| n as u64)
    }

    fn robin(&self, over: &Over) -> Run {
        let [n, inputs, outputs] = self.sizes();
        let challenges = challenges(n);
        let fold = (FOLD as u64).saturating_mul(3 + over.relations);
        let rest = n.saturating_sub((challenges - 1).saturating_mul(FOLD as u64));
        let last = rest.saturating_mul(3 + over.relations);
        // Inputs and outputs are in the first stretch.
        let own = inputs + outputs;
        let blocks = match challenges {
            1 => over.blocks(own.saturating_add(last)),
            _ => {
                (challenges - 2) * over.blocks(fold)
                    + over.blocks(own.saturating_add(fold))
                    + over.blocks(last)
            }
        };
        Run {
            commitments: own.saturating_add(n.saturating_mul(3)),
            blocks,
            challenges,
            macs: self.branches as u64,
            bytes: OperationCounts::BYTES as u64,
            multiplications: n.saturating_mul(self.branches as u64),
            stacked: 0,
        }
    }

    fn batchman(&self, over: &Over) -> Run {
        let ([n, inputs, outputs], branches) = (self.sizes(), self.branches as u64);
        let entries = batch::entries(self.shared, self.shape) as u64;
        let vector = entries.saturating_mul(over.degree);
        let values = (inputs + outputs).saturating_add(n.saturating_mul(3));
        let wires = batch::wires(self.shared, self.shape, usize::try_from(over.degree).unwrap_or(1));
        let per_group = batch::group(self.branches, wires) as u64;
        let group = |repetitions: u64, first: bool| {
            // For each entry of a vector, its relations; one block before those of the next group, or at the
            // end.
            let members = if first { 0 } else { per_group };
            let places = values.saturating_add(n.saturating_mul(over.relations)).saturating_mul(repetitions);
            let vectors = vector.saturating_add(over.degree).saturating_mul(repetitions);
            Run {
                commitments: values.saturating_add(vector).saturating_mul(repetitions),
                blocks: over.blocks(places.saturating_add(members)) + over.blocks(vectors),
                challenges: 2,
                // The block with the claims of degree B.
                macs: branches.saturating_sub(2),
                bytes: 0,
                multiplications: branches.saturating_mul(n).saturating_mul(over.degree),
                stacked: 0,
            }
        };
        let repetitions = self.repetitions as u64;
        let (whole, rest) = (repetitions / per_group, repetitions % per_group);
        let mut runs = vec![];
        if whole > 0 {
            runs.push(group(per_group, true));
            runs.push(group(per_group, false).times(whole - 1));
        }
        if rest > 0 {
            runs.push(group(rest, whole == 0));
        }
        // A repetition itself is evaluated once.
        let evaluated = Run { multiplications: repetitions.saturating_mul(n), ..Run::default() };
        runs.into_iter().fold(evaluated, Run::plus)
    }

    fn stacked(&self, over: &Over) -> Run {
        let ([n, inputs, outputs], repetitions) = (self.sizes(), self.repetitions as u64);
        let settings = over.stacked.for_branches(self.branches);
        let in_step = settings.in_step(self.branches, self.shared, self.shape) as u64;
        let levels = u64::from((self.branches as u64).next_power_of_two().trailing_zeros());
        let joins = Run { challenges: 2 * levels, macs: 2 * levels, ..Run::default() };
        let branches = n.saturating_mul(self.branches as u64);
        let each = checks(settings, n.saturating_add(inputs)).plus(joins);
        let each = Run { multiplications: branches, stacked: branches, ..each };
        // What comes out is committed to around the branches; the claims that they hold are checked there.
        let around = checks(settings, outputs.saturating_mul(repetitions));
        let all = each.times(repetitions).plus(around);
        // Those of a group have their challenges, and counts, together.
        let groups = each.times(repetitions.div_ceil(in_step.max(1)));
        // An element that travels takes as many correlations, but for the tag in the last message.
        Run {
            commitments: all.commitments.saturating_add(all.macs.saturating_mul(over.degree)),
            challenges: groups.challenges.saturating_add(around.challenges),
            macs: 0,
            bytes: groups.bytes.saturating_add(around.bytes).saturating_add(over.mac_bytes + COUNTS),
            ..all
        }
    }

    fn separate(&self, over: &Over) -> Run {
        let ([n, inputs, _], branches) = (self.sizes(), self.branches as u64);
        let places = n.saturating_mul(1 + over.relations).saturating_add(inputs).saturating_mul(branches);
        Run {
            commitments: n.saturating_add(inputs).saturating_mul(branches),
            blocks: over.blocks(places),
            challenges: 1,
            macs: branches,
            ..Run::default()
        }
    }
}

/// A run of Mac'n'Cheese with this many committed `values`, and the checks of its blocks.
fn checks(settings: macncheese::Settings, values: u64) -> Run {
    let block = settings.block_len() as u64;
    let (whole, rest) = (values / block, values % block);
    let last = if rest > 0 || whole == 0 { check(rest) } else { Run::default() };
    Run { commitments: values, ..check(block).times(whole).plus(last) }
}

/// Bytes of Mac'n'Cheese's counts.
const COUNTS: u64 = macncheese::Tally::BYTES as u64;

/// The check of one block: what is sent for its coefficients is counts.
fn check(values: u64) -> Run {
    let (macs, challenges) = match values {
        0 => (0, 1),
        1 => (2, 3),
        _ => {
            let halvings = u64::from((values - 1).ilog2());
            (2 * halvings + 5, halvings + 3)
        }
    };
    Run { macs, challenges, bytes: COUNTS, ..Run::default() }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use volery_field::{F61, F61x2};

    use super::*;

    fn task(branches: usize, multiplications: usize, repetitions: usize) -> Task {
        let shape = Shape { inputs: 0, multiplications, outputs: 8 };
        Task { branches, shared: 8, shape, repetitions }
    }

    const ALL: [Protocol; 4] =
        [Protocol::Robin, Protocol::Batchman, Protocol::MacAndCheese, Protocol::Separate];

    /// The protocol that takes the least time over this network.
    fn cheapest(task: Task, over: &Over, network: Network) -> Protocol {
        let seconds = |protocol| task.cost(protocol, over).map(|cost| cost.seconds_on(over, network));
        let served = ALL.into_iter().filter_map(|protocol| Some((seconds(protocol)?, protocol)));
        served.min_by(|a, b| a.0.total_cmp(&b.0)).expect("some protocol serves it").1
    }

    const FAST: Network = Network::new(Duration::ZERO, 8e9);
    const SLOW: Network = Network::new(Duration::ZERO, 8e5);

    /// Branches, multiplications of one, and seconds by Robin and by Mac'n'Cheese: `volery bench robin` and
    /// `volery bench macncheese` with those numbers, over bits and over F_{2^61-1}, on the machine of
    /// docs/performance.md.
    const MEASURED_BITS: [(usize, usize, [f64; 2]); 2] =
        [(8, 460_949, [0.203, 0.677]), (32, 460_949, [0.429, 2.278])];
    const MEASURED_F61: [(usize, usize, [f64; 2]); 2] =
        [(2, 1_000_000, [0.419, 0.496]), (10, 1_000_000, [0.524, 1.215])];

    #[test]
    fn estimates_are_in_the_order_of_what_was_measured_and_within_a_factor_of_two() {
        let bits = Over::bits(quicksilver::bits::Settings::LAN, Profile::Lan);
        let field = Over::field::<F61, F61>(field::Settings::LAN, Profile::Lan);
        let all = [(bits, MEASURED_BITS), (field, MEASURED_F61)];
        for (over, measured) in all {
            for (branches, n, seconds) in measured {
                let protocols = [Protocol::Robin, Protocol::MacAndCheese];
                let estimated = protocols
                    .map(|protocol| task(branches, n, 1).cost(protocol, &over).expect("served").seconds);
                assert_eq!(estimated[0] < estimated[1], seconds[0] < seconds[1], "{branches} of {n}");
                for (estimated, measured) in estimated.into_iter().zip(seconds) {
                    assert!((0.5..2.0).contains(&(estimated / measured)), "{branches} of {n}: {estimated}");
                }
            }
        }
        // `volery bench batchman`, and as many single disjunctions: 2000 times 100 branches of 512
        // multiplications.
        let batch = task(100, 512, 2000);
        let [batchman, robin] =
            [Protocol::Batchman, Protocol::Robin].map(|protocol| batch.cost(protocol, &field));
        let (batchman, robin) = (batchman.expect("a field").seconds, robin.expect("always").seconds);
        assert!(batchman < robin && (0.5..2.0).contains(&(batchman / 0.567)), "{batchman} {robin}");
    }

    #[test]
    fn batches_are_chosen_over_large_fields_and_single_disjunctions_alone() {
        let over = Over::field::<F61, F61>(field::Settings::LAN, Profile::Lan);
        let without_stacks = |task: Task, over: &Over| {
            let robin = task.cost(Protocol::Robin, over).expect("always");
            task.cost(Protocol::Batchman, over).map(|batch| batch.seconds < robin.seconds)
        };
        assert_eq!(without_stacks(task(100, 512, 2000), &over), Some(true));
        assert_eq!(without_stacks(task(100, 512, 1), &over), Some(false));
        let bits = Over::bits(quicksilver::bits::Settings::LAN, Profile::Lan);
        assert_eq!(without_stacks(task(100, 512, 2000), &bits), None);
        assert_eq!(cheapest(task(100, 512, 2000), &over, FAST), Protocol::Batchman);
        let extension = Over::field::<F61, F61x2>(field::Settings::LAN, Profile::Lan);
        assert_eq!(cheapest(task(100, 512, 2000), &extension, FAST), Protocol::Batchman);
    }

    #[test]
    fn on_slow_networks_a_few_large_branches_are_stacked() {
        let bits = Over::bits(quicksilver::bits::Settings::WAN, Profile::Wan);
        // Two are as cheap each by itself.
        assert_eq!(cheapest(task(3, 10_000_000, 1), &bits, SLOW), Protocol::MacAndCheese);
        assert_eq!(cheapest(task(64, 10_000_000, 1), &bits, SLOW), Protocol::Robin);
    }

    /// Short blocks of branches, each with its check, make many waits.
    #[test]
    fn on_distant_networks_waits_count_and_they_are_those_of_the_settings() {
        let bits = Over::bits(quicksilver::bits::Settings::WAN, Profile::Wan);
        let (lan, wan) =
            (bits.stacked_by(macncheese::Settings::LAN), bits.stacked_by(macncheese::Settings::WAN));
        let waits =
            |over: &Over| task(3, 10_000_000, 1).cost(Protocol::MacAndCheese, over).expect("served").waits;
        assert!(waits(&lan) > 5 * waits(&wan), "{} {}", waits(&lan), waits(&wan));
        let distant = Network { round_trip: Duration::from_secs(1), ..SLOW };
        assert_eq!(cheapest(task(3, 10_000_000, 1), &lan, SLOW), Protocol::MacAndCheese);
        assert_ne!(cheapest(task(3, 10_000_000, 1), &lan, distant), Protocol::MacAndCheese);
    }

    #[test]
    fn a_single_branch_is_best_proved_as_it_is() {
        let bits = Over::bits(quicksilver::bits::Settings::LAN, Profile::Lan);
        assert_eq!(cheapest(task(1, 1000, 1), &bits, FAST), Protocol::Separate);
    }

    #[test]
    fn sizes_beyond_all_measure_are_costly_and_nothing_worse() {
        let huge = Shape { inputs: usize::MAX / 4, multiplications: usize::MAX, outputs: usize::MAX / 4 };
        let task = Task { branches: 1024, shared: usize::MAX, shape: huge, repetitions: usize::MAX };
        for over in [
            Over::bits(quicksilver::bits::Settings::LAN, Profile::Lan),
            Over::field::<F61, F61x2>(field::Settings::LAN, Profile::Lan),
        ] {
            for protocol in ALL {
                assert!(task.cost(protocol, &over).is_none_or(|cost| cost.commitments == u64::MAX));
            }
        }
    }
}
