//! How hard an LPN instance is: the bit security of primal LPN with regular noise, over F2 and over large
//! fields.
//!
//! Every stage of Volery's random COT and of its subfield VOLE rests on one instance: `n = t * b` samples
//! `y = A x + e` of a secret `x` of `k` elements, where the noise `e` has in each of `t` blocks of `b`
//! positions exactly one 1 (over F2) or one random element (over a large field). This crate costs the known
//! attacks on it, so that the parameters in use are checked by a computation and not by a comment.
//! [`estimate`] gives one figure per attack, [`Estimate::minimum`] the one that counts, [`largest`] and
//! [`largest_over`] the parameters that a target leaves, [`local`] what sparse rows of `A` give away besides,
//! [`Figures`] all of it for one set.
//!
//! It takes plain numbers and knows no protocol: tests of `volery-vole` pass its sets and compare what comes
//! back with the table that `volery soundness` prints. It is for these tests and for whoever looks for
//! parameters, and is not published.
//!
//! | attack | source | module |
//! |---|---|---|
//! | pooled Gauss, statistical decoding (1.0 and 2.0), Stern-Dumer and BJMM ISD | Liu, Wang, Yang, Yu, ePrint 2022/712 | `exact` |
//! | ISD for regular noise: permutations, enumeration, representations | Esser, Santini, ePrint 2023/1568 | `regular` |
//! | algebraic, "AGB" | Briaud, Oygarden, ePrint 2023/176 | `algebraic` |
//! | algebraic, two guesses, "AGB 2.0" | ePrint 2025/1476 | `algebraic` |
//! | hybrid: guess, then linearise quadratic equations | ePrint 2025/1284 | `hybrid` |
//!
//! Module names are those of the costs over F2; those over large fields are in `large`, which says what
//! changes.
//!
//! Formulas, and the figures that the tests reproduce, are those of the estimator of all five that Yu, Yang,
//! Wang and others publish (<https://github.com/1234wangtr/Code_estimators>, September 2025; cited as
//! <https://lpnestimator.com>). For 2025/1284 and 2025/1476 it was the only source at hand.
//!
//! # What a bit is
//!
//! All figures are base-2 logarithms of the expected number of bit operations until the secret is found, a
//! test of a guess and its repetitions included, constants kept as the sources keep them: 2022/712 counts
//! additions and multiplications of the field (here of bits), 2023/1568 vector additions times their length,
//! 2023/176 and 2025/1476 products in the field, 2025/1284 bit operations. Memory and its access cost
//! nothing, which favours the attacker, in some ISD figures by more than ten bits. A figure is a model, not a
//! bound: what one source charges as `n^3` another charges as `k^2.8`. Over a large field an operation is one
//! of the field.
//!
//! `A` is taken to be uniform, as in all the sources. That a local code (ten entries a row) is no weaker than
//! a uniform one is the usual assumption. It is false, by dozens of bits for sets that these estimates call
//! safe: [`local`] costs attacks that use the difference.
//!
//! # Extension fields
//!
//! A [`Field::Large`] must be the smallest field that holds the entries of `A`. Over GF(p^s) with `A` over
//! F_p, say with ones for entries, samples and noise split into `s` instances over F_p with noise at the same
//! places, zero with probability 1/p: over GF(2^8) half of the noise is gone. Nothing here costs that.
//!
//! # What is ours
//!
//! * The search for the attacker's best parameters. Where the published scripts use a ternary search over a
//!   cost that is not unimodal, ours finds cheaper attacks: for k = 2^16 and 850 blocks of 2^10 the script
//!   prints 138.8 bits for the hybrid attack, its own cost function is 128.7 at `q = 3`. BJMM windows go
//!   beyond the script's too. So figures can be lower than published ones.
//! * An attacker may leave out blocks, which pays where elimination over all `n` samples is what costs: every
//!   figure is the minimum over `t`, `t/2`, `t/4`, ... blocks, as long as the solution stays unique.
//! * AGB 2.0: the second guess need not refine the first (see `algebraic`), which can only lower the figure.
//! * Statistical decoding 2.0 is charged at least for the transform that it spends (see `exact`).
#![forbid(unsafe_code)]

mod algebraic;
mod binomial;
mod exact;
mod hybrid;
mod large;
pub mod local;
mod positions;
mod regular;
mod search;
#[cfg(test)]
mod tests;

pub use positions::Positions;

use thiserror::Error;

/// Largest number of samples costed; the algebraic attacks count monomials of degree four exactly, in 128
/// bits.
const MAX_SAMPLES: u64 = 1 << 28;

/// Smallest block with anything to solve: two free positions left after its parity and one guess.
const MIN_BLOCK: u64 = 4;

/// Correlations that the consistency check of one round consumes.
const CHECK: u64 = 128;

/// The same over a large field: the greatest degree of a field of MACs over its values.
const LARGE_CHECK: u64 = 8;

/// The field an instance lives in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// F2: each block of the noise holds exactly one 1.
    Binary,
    /// A field of about `2^bits` elements: each block holds one uniformly random element, zero included, at a
    /// random place.
    Large {
        /// `log2` of the number of elements, at least [`SMALLEST_LARGE`], rounded; fewer elements never cost
        /// the attacker more.
        bits: u32,
    },
}

/// Fewest bits of a [`Field::Large`]: below, `x^q = x` and noise that is often zero would help the attacker
/// in ways not costed here.
pub const SMALLEST_LARGE: u32 = 8;

/// An instance of LPN with regular noise that has one solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instance {
    field: Field,
    dimension: u64,
    blocks: u64,
    block_size: u64,
}

/// Why parameters are not an instance that can be costed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum InvalidInstance {
    /// The noise has too little structure, or too many samples for the counting.
    #[error(
        "{blocks} noise blocks of {block_size}: take blocks of at least 4 samples, and from 1 to 2^28 samples in all"
    )]
    Size {
        /// Number of blocks asked for.
        blocks: u64,
        /// Size of a block asked for.
        block_size: u64,
    },
    /// A field with too few elements to be costed as a large one, and not F2.
    #[error("a field of {bits} bits: take F2 or a field of at least 2^8 elements")]
    Field {
        /// Bits asked for.
        bits: u32,
    },
    /// A block's parity is a linear equation in the secret: as many blocks as coordinates solve it.
    #[error(
        "{blocks} noise blocks reveal a secret of {dimension} bits by their parities: take fewer blocks or a larger dimension"
    )]
    TooManyBlocks {
        /// Dimension asked for.
        dimension: u64,
        /// Number of blocks asked for.
        blocks: u64,
    },
    /// So few samples that many secrets fit: not what the protocols use, and the costs would mean nothing.
    #[error(
        "{samples} samples do not determine a secret of {dimension} bits: take more blocks or a smaller dimension"
    )]
    TooFewSamples {
        /// Dimension asked for.
        dimension: u64,
        /// Samples, all blocks together.
        samples: u64,
    },
}

impl Instance {
    /// The instance with a secret of `dimension` bits and `blocks` noise blocks of `block_size` samples.
    ///
    /// # Errors
    /// [`InvalidInstance`] if the parameters are out of range, trivially broken or do not determine the
    /// secret.
    pub fn new(dimension: u64, blocks: u64, block_size: u64) -> Result<Self, InvalidInstance> {
        Self::over(Field::Binary, dimension, blocks, block_size)
    }

    /// The instance over `field` with a secret of `dimension` elements and `blocks` noise blocks of
    /// `block_size` samples.
    ///
    /// # Errors
    /// [`InvalidInstance`] if the parameters are out of range, trivially broken or do not determine the
    /// secret.
    pub fn over(field: Field, dimension: u64, blocks: u64, block_size: u64) -> Result<Self, InvalidInstance> {
        if let Field::Large { bits } = field
            && bits < SMALLEST_LARGE
        {
            return Err(InvalidInstance::Field { bits });
        }
        let samples = blocks
            .checked_mul(block_size)
            .filter(|&n| block_size >= MIN_BLOCK && (1..=MAX_SAMPLES).contains(&n));
        let samples = samples.ok_or(InvalidInstance::Size { blocks, block_size })?;
        if field == Field::Binary && dimension <= blocks {
            return Err(InvalidInstance::TooManyBlocks { dimension, blocks });
        }
        let instance = Self { field, dimension, blocks, block_size };
        // A little more than unique: the ISD windows need samples outside the information set.
        if instance.redundancy() < 16.0 {
            return Err(InvalidInstance::TooFewSamples { dimension, samples });
        }
        Ok(instance)
    }

    /// The field of secret, samples and noise.
    #[must_use]
    pub fn field(&self) -> Field {
        self.field
    }

    /// `k`, the length of the secret in bits.
    #[must_use]
    pub fn dimension(&self) -> u64 {
        self.dimension
    }

    /// `t`, the number of noise blocks and the weight of the noise.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// `b`, the number of samples in a noise block.
    #[must_use]
    pub fn block_size(&self) -> u64 {
        self.block_size
    }

    /// `n`, the number of samples: the outputs of one round.
    #[must_use]
    pub fn samples(&self) -> u64 {
        self.blocks * self.block_size
    }

    /// Outputs that the next round consumes: `k` for the secret; over F2 `ceil(log2 b)` for each tree and 128
    /// for the check; over a large field one for the noise of each tree and at most 8 for the check (paths
    /// are bits, from elsewhere).
    #[must_use]
    pub fn refill(&self) -> u64 {
        self.dimension
            + match self.field {
                Field::Binary => self.path_bits() + CHECK,
                Field::Large { .. } => self.blocks + LARGE_CHECK,
            }
    }

    /// Bytes one round moves for the levels of its trees: 16 for each level of each, with half-trees.
    #[must_use]
    pub fn tree_bytes(&self) -> u64 {
        16 * self.path_bits()
    }

    fn path_bits(&self) -> u64 {
        self.blocks * u64::from(self.block_size.next_power_of_two().trailing_zeros())
    }

    /// Samples beyond those that determine secret and noise.
    fn redundancy(&self) -> f64 {
        let s = self.shape();
        let positions = s.t * s.block().log2();
        match self.field {
            Field::Binary => s.n - s.k - positions,
            Field::Large { bits } => s.n - s.k - s.t - positions / f64::from(bits),
        }
    }

    fn shape(&self) -> Shape {
        Shape { n: self.samples() as f64, k: self.dimension as f64, t: self.blocks as f64 }
    }
}

/// `log2` of the cost of each attack, in the units of the [module](self); infinite where an attack does not
/// apply.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Guess noise-free samples and solve (2022/712).
    pub pooled_gauss: f64,
    /// Statistical decoding, 1.0 and 2.0 (2022/712).
    pub statistical_decoding: f64,
    /// Information set decoding that ignores the blocks (2022/712).
    pub isd: f64,
    /// Information set decoding that uses the blocks (2023/1568).
    pub regular_isd: f64,
    /// Algebraic attack (2023/176).
    pub agb: f64,
    /// Algebraic attack with two guesses (2025/1476).
    pub agb2: f64,
    /// Guessing and linearisation of quadratic equations (2025/1284).
    pub hybrid: f64,
}

impl Estimate {
    /// The cheapest attack: its bits and its name.
    #[must_use]
    pub fn minimum(&self) -> (f64, &'static str) {
        let cheaper = |a: (f64, &'static str), b: (f64, &'static str)| if b.0 < a.0 { b } else { a };
        self.named().into_iter().fold((f64::INFINITY, "none"), cheaper)
    }

    /// Every attack's figure with its name.
    #[must_use]
    pub fn named(&self) -> [(f64, &'static str); 7] {
        [
            (self.pooled_gauss, "pooled Gauss"),
            (self.statistical_decoding, "statistical decoding"),
            (self.isd, "ISD"),
            (self.regular_isd, "regular ISD"),
            (self.agb, "AGB"),
            (self.agb2, "AGB 2.0"),
            (self.hybrid, "hybrid"),
        ]
    }
}

/// Costs every attack on `instance`, in about a tenth of a second; over a large field with tens of thousands
/// of blocks in about one.
#[must_use]
pub fn estimate(instance: &Instance) -> Estimate {
    if let Field::Large { bits } = instance.field {
        return large::estimate(instance, bits);
    }
    let exact = |attack: fn(Shape) -> f64| over_blocks(instance, |s| attack(s.without_parities()));
    Estimate {
        pooled_gauss: exact(exact::pooled_gauss),
        statistical_decoding: exact(exact::statistical_decoding),
        isd: exact(exact::information_set_decoding),
        regular_isd: over_blocks(instance, regular::regular_isd),
        agb: over_blocks(instance, algebraic::agb),
        agb2: over_blocks(instance, algebraic::agb2),
        hybrid: over_blocks(instance, hybrid::hybrid),
    }
}

/// What the attacks on one set cost, as base-2 logarithms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// The cheapest published attack, which takes the matrix for a uniform one: see [`estimate`].
    pub published: f64,
    /// Sparse quadratic equations: see [`local::sparse_equations`].
    pub sparse: f64,
    /// Minors of real matrices, the worst of those peeled: see [`local::peel`]. Infinite if none was.
    pub minors: f64,
    /// The same with linear algebra for nothing.
    pub lists: f64,
    /// The best minors that any matrix may have: see [`local::floor`].
    pub floor: f64,
}

impl Figures {
    /// Of `instance` with `locality` positions a row, peeling this many matrices: about a second for each
    /// million rows of each.
    #[must_use]
    pub fn of(instance: &Instance, locality: u32, matrices: u32) -> Self {
        let peeling = local::peel_worst(instance, locality, matrices);
        let (minors, lists) =
            peeling.map_or((f64::INFINITY, f64::INFINITY), |worst| (worst.bits, worst.lists_bits));
        Self {
            published: estimate(instance).minimum().0,
            sparse: local::sparse_equations(instance, locality),
            minors,
            lists,
            floor: local::floor(instance, locality).bits,
        }
    }
}

/// Whether every attack on `instance` costs at least `bits`: quicker than [`estimate`] where not.
#[must_use]
pub fn reaches(instance: &Instance, bits: f64) -> bool {
    // The hybrid attack is the quickest to cost and mostly the one that decides.
    let hybrid = match instance.field {
        Field::Binary => over_blocks(instance, hybrid::hybrid),
        Field::Large { bits } => large::hybrid(instance, bits),
    };
    hybrid >= bits && estimate(instance).minimum().0 >= bits
}

/// The instance over F2 with most samples for this dimension and block size that costs at least `bits`, if
/// there is one.
#[must_use]
pub fn largest(dimension: u64, block_size: u64, bits: f64) -> Option<Instance> {
    largest_over(Field::Binary, dimension, block_size, |instance| reaches(instance, bits))
}

/// The instance over `field` with most samples for this dimension and block size that is `secure`, if there
/// is one.
///
/// At a fixed block size more blocks help the attacker (a share `1/b` of noise, on more equations), so the
/// number of blocks is found by bisection.
#[must_use]
pub fn largest_over(
    field: Field,
    dimension: u64,
    block_size: u64,
    secure: impl Fn(&Instance) -> bool,
) -> Option<Instance> {
    let all = MAX_SAMPLES / block_size.max(1);
    // Enough blocks to determine the secret, and some more so that a round yields more than it consumes.
    let (fewest, most) = match field {
        Field::Binary => (dimension / block_size.max(1) * 5 / 4 + 4, all.min(dimension.saturating_sub(1))),
        Field::Large { bits } => {
            let block = block_size.max(1) as f64;
            let checks = block - 1.0 - block.log2() / f64::from(bits.max(1));
            ((dimension as f64 / checks.max(1.0) * 1.1) as u64 + 16, all)
        }
    };
    let secure = |blocks| {
        let instance = Instance::over(field, dimension, blocks, block_size).ok()?;
        secure(&instance).then_some(instance)
    };
    let first_broken = search::first(fewest, most, |blocks| secure(blocks).is_none());
    secure(first_broken.map_or(most, |blocks| blocks.saturating_sub(1).max(fewest)))
}

/// Samples, dimension and weight of an instance as an attack sees it: real numbers, for the formulas.
#[derive(Clone, Copy, Debug)]
struct Shape {
    n: f64,
    k: f64,
    t: f64,
}

impl Shape {
    /// `b`. Published instances need not have `t` dividing `n`; their authors round down.
    fn block(self) -> f64 {
        (self.n / self.t).floor()
    }

    /// The instance of exact noise that is left when the parity of every block has been used (2022/712,
    /// section 5.1).
    fn without_parities(self) -> Self {
        Self { n: self.n - self.t, k: self.k - self.t, t: self.t }
    }
}

/// The lowest cost of `attack` on all blocks, half of them, a quarter, ... while the solution stays unique.
fn over_blocks(instance: &Instance, attack: impl Fn(Shape) -> f64) -> f64 {
    let mut best = f64::INFINITY;
    let mut blocks = instance.blocks;
    while let Ok(part) = Instance::over(instance.field, instance.dimension, blocks, instance.block_size) {
        best = best.min(attack(part.shape()));
        blocks /= 2;
    }
    best
}
