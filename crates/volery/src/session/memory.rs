//! How much memory a session keeps at either party.
//!
//! ```text
//! seeds of OT extension          always, and those over a field beside them
//! rounds of correlations         the one that is read and the one in preparation: their tables, paths and leaves
//! blocks                         what waits for its check: at P two blocks, at V one
//! disjunctions                   Robin: the branch that holds; Mac'n'Cheese: a block for each branch that runs
//! ```
//!
//! Nothing of this grows with the statement beyond its blocks, its largest disjunction and the rounds of its
//! plan. What the statement itself keeps is not counted, nor what the caller and the channel do. A test
//! compares these figures with what the parties really allocate.

use volery_field::{Authenticated, Gf128, Mac, Value};
use volery_vole::correlations::Plan;
use volery_zk::macncheese;
use volery_zk::quicksilver::Tally;

use super::{Options, Report};

/// What a rehearsal knows about a proof.
pub struct Rehearsed<'a> {
    pub(in crate::session) options: &'a Options,
    pub(in crate::session) report: &'a Report,
    /// Correlations taken over bits and over the field.
    pub(in crate::session) taken: [u64; 2],
    /// Whether the statement says beforehand how much it commits to.
    pub(in crate::session) announced: bool,
    /// The stages over a worker's lot; none for a session that makes its correlations from nothing.
    pub(in crate::session) plan: Option<Plan>,
}

/// At P and at V.
pub(in crate::session) type Bytes = [u64; 2];

pub(in crate::session) fn sum(parts: impl IntoIterator<Item = Bytes>) -> Bytes {
    parts.into_iter().fold([0; 2], |sum, part| [0, 1].map(|party| sum[party].saturating_add(part[party])))
}

/// Bytes of a wire over bits: a tag or a key.
const BIT: u64 = size_of::<Gf128>() as u64;

/// The seeds of two extensions, and what a chunk of one is made in.
const SESSION: Bytes = [780_000, 830_000];

/// The same of the extension over a field.
const FIELD: Bytes = [700_000, 450_000];

/// The most bytes of leaves that a round over a field keeps.
const LEAVES: u64 = 16 << 20;

/// What tells correlations over a field from those over bits: bytes of one at each party, and of a leaf.
#[derive(Clone, Copy)]
struct Element {
    correlation: Bytes,
    leaf: u64,
}

/// How many correlations belong to a round over bits. One over a field has other paths, and is about as
/// large.
pub(in crate::session) struct Sizes {
    table: u64,
    paths: u64,
    trees: u64,
    /// What it starts from.
    pub(in crate::session) base: u64,
    /// What it makes, its successor's base included.
    pub(in crate::session) outputs: u64,
}

impl Sizes {
    /// Round `number` of a plan, whose last one repeats.
    pub(in crate::session) fn of(plan: &Plan, number: usize) -> Option<Self> {
        let params = plan.rounds.get(number).or(plan.rounds.last())?;
        let (table, trees) = (1 << params.log_k, u64::from(params.trees));
        let paths = trees * u64::from(params.log_block);
        // 128 more mask the check.
        Some(Self { table, paths, trees, base: table + paths + 128, outputs: trees << params.log_block })
    }
}

/// What a round keeps until it is read.
fn round(sizes: &Sizes, element: Option<Element>) -> Bytes {
    let Sizes { table, paths, trees, base, outputs } = *sizes;
    match element {
        None => [BIT * (base + 2 * paths) + 4 * trees, BIT * (base + paths + trees)],
        Some(Element { correlation: [at_p, at_v], leaf }) => {
            let leaves = if outputs * leaf <= LEAVES { outputs * leaf } else { 0 };
            let base = table + trees;
            [at_p * (base + trees) + (2 * BIT + 4) * paths + leaves, at_v * base + BIT * trees + leaves]
        }
    }
}

/// What rounds of correlations keep at once, if so many are taken: the one that is read, the one in
/// preparation, and the messages that prepare it.
fn rounds(plan: &Plan, taken: u64, announced: bool, element: Option<Element>) -> Bytes {
    let extension = if announced && taken >= plan.long { plan.lead * plan.chunk } else { plan.extension };
    // A stage gives out what its successor does not start from. The next one is prepared if that is not
    // enough, or at a quarter of the stage, if nobody knows.
    let (mut start, mut given) = (0, extension as u64);
    let (mut most, mut before) = ([0; 2], [0; 2]);
    for number in 0.. {
        let begins = if announced { given } else { start + (given - start) / 4 };
        let Some(sizes) = Sizes::of(plan, number).filter(|_| taken > begins) else { break };
        let kept = round(&sizes, element);
        let messages = 2 * BIT * sizes.paths;
        let all = sum([before, kept, [messages; 2]]);
        most = [0, 1].map(|party| all[party].max(most[party]));
        if before == kept {
            break;
        }
        let next = Sizes::of(plan, number + 1).map_or(0, |next| next.base);
        (start, given) = (given, given.saturating_add(sizes.outputs.saturating_sub(next)));
        before = kept;
    }
    most
}

/// The correlations over bits, which every session has.
pub(in crate::session) fn of_bits(rehearsed: &Rehearsed<'_>) -> Bytes {
    let plan = rehearsed.plan.unwrap_or_else(|| rehearsed.options.profile.plan());
    sum([SESSION, rounds(&plan, rehearsed.taken[0], rehearsed.announced, None)])
}

/// Those over a field beside them.
pub(in crate::session) fn of_field<F: Value, M: Mac<F>>(rehearsed: &Rehearsed<'_>) -> Bytes {
    let plan = volery_vole::subfield::plan::<F, M>(rehearsed.options.profile);
    let plan = rehearsed.plan.unwrap_or(plan);
    let element = Element { correlation: wire::<F, M>(), leaf: size_of::<M>() as u64 };
    sum([FIELD, rounds(&plan, rehearsed.taken[1], rehearsed.announced, Some(element))])
}

/// The blocks of a proof by QuickSilver over bits: three elements for each commitment, and what its
/// polynomials leave. P keeps the block before the last until its check, too.
pub(in crate::session) fn bit_blocks(options: &Options, tally: &Tally) -> Bytes {
    let (interval, blocks) = (options.settings().interval as u64, tally.blocks.max(1));
    let commitments = tally.secrets.saturating_add(tally.multiplications);
    let at_v = match (options.fiat_shamir, options.threads) {
        (true, _) => interval,
        // V adds products up as they come, some thousand at a time.
        (false, 1) => 1 << 10,
        (false, threads) => (1 << 12) * threads as u64,
    };
    let polynomials = tally.polynomials / blocks;
    [
        BIT * (3 * commitments.min(2 * interval) + polynomials * tally.degree as u64 * blocks.min(2)),
        BIT * (3 * commitments.min(at_v) + polynomials),
    ]
}

/// The blocks of a proof by QuickSilver over a field: what relations leave.
pub(in crate::session) fn field_blocks<F: Value, M: Mac<F>>(options: &Options, tally: &Tally) -> Bytes {
    let (blocks, mac) = (tally.blocks.max(1), size_of::<M>() as u64);
    let relations = tally.multiplications.saturating_add(tally.polynomials) / blocks;
    let degree = tally.degree.max(2) as u64;
    // V adds relations of degree 2 up as they come.
    let at_v = if options.fiat_shamir || degree > 2 { relations } else { relations.min(1 << 10) };
    [mac * relations * degree * blocks.min(2), mac * at_v]
}

/// The multiplications whose operands Robin keeps: it folds them with a challenge when there are so many.
const FOLD: u64 = 1 << 18;

/// What Robin keeps of the largest disjunction, whose wires have these sizes: the products of the branch that
/// holds, and two operands of each that is not folded yet.
pub(in crate::session) fn robin(tally: &Tally, wire: Bytes) -> Bytes {
    if tally.branches == 0 {
        return [0; 2];
    }
    let products = tally.multiplications.min(tally.challenges.saturating_mul(FOLD));
    let wires = products.saturating_add(2 * products.min(FOLD));
    wire.map(|wire| wires.saturating_mul(wire))
}

/// The blocks of a proof by Mac'n'Cheese, whose correlations have these sizes.
pub(in crate::session) fn stacked(
    rehearsed: &Rehearsed<'_>,
    settings: macncheese::Settings,
    wire: Bytes,
) -> Bytes {
    let report = rehearsed.report;
    let commitments = report.tally.secrets.saturating_add(report.tally.multiplications);
    let each = commitments / report.tally.branches.max(1);
    // What is outside of disjunctions is seldom much.
    let running = usize::try_from(report.at_once.max(1)).unwrap_or(usize::MAX);
    let bytes = settings.memory(running, each);
    [0, 1].map(|party| bytes[party] / BIT * wire[party])
}

/// Bytes of a wire over bits.
pub(in crate::session) const WIRE: Bytes = [BIT; 2];

/// Bytes of a wire over a field.
pub(in crate::session) const fn wire<F: Value, M: Mac<F>>() -> Bytes {
    [size_of::<Authenticated<F, M>>() as u64, size_of::<M>() as u64]
}
