//! Mac'n'Cheese: commit-and-prove protocols that can be stacked.
//!
//! In [`crate::quicksilver`] P's message for a block of multiplications makes sense for one program only.
//! Here everything that P sends is a uniform string, and V checks one linear query on commitments. So V can
//! read *the same string* as the messages of many different programs, and does not learn which of them it was
//! made for. Each program leaves a query, and P shows that one of the queries is zero. A disjunction costs as
//! much as its longest branch, plus a few elements, however long the branches are. Branches may be
//! disjunctions themselves.
//!
//! ```text
//! k = m + x * delta          P holds (x, m), V holds k and delta; values in F, MACs and challenges in M
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | `share` | [`Share`]: a party's shares of committed values and elements; P's and V's, over bits and over fields |
//! | `instructions` | `CommitProve`: Random, Fix, Send, Reveal, AssertZero, challenge (section 4.1) |
//! | `run` | [`Run`], the backend that statements run on and that executes the instructions |
//! | `link`, `trunk` | pieces, rounds and challenges, which runs share; the root's messages and correlations |
//! | `multiply` | the multiplication protocols (sections 4.2 to 4.4, 5.1) |
//! | `stack` | disjunctions and thresholds (section 3): [`Run::any_of`], [`Run::any_of_linear`], [`Run::at_least`], [`volery_circuit::Choose`] |
//! | `disjunction` | [`Disjunction`], the statement |
//! | [`soundness`] | the soundness error |
//!
//! **Flow.** P commits to values in pieces, which V does not answer. When a block of [`Settings::interval`]
//! is full, some rounds check its multiplications. Each is a short message and a challenge. They leave linear
//! queries, and a combination of these with all earlier queries is one query (section 5.2, figure 5). At the
//! end P sends that query's tag.
//!
//! Repetitions of a disjunction ([`volery_circuit::Repeat`]) run in step with each other, as many as fill a
//! block ([`Settings::in_step`]). They share every round and its challenge, so P waits for V as often as in a
//! single repetition.
//!
//! **Not stored.** A stored proof ([`crate::quicksilver::bits::Program`]) takes correlations that were made
//! before it. There is no such proof by Mac'n'Cheese: its correlations are made by the session that proves.
//!
//! **Fiat-Shamir** (section 5.3, figure 6). With [`Challenges::FiatShamir`] every challenge is the hash of
//! the statement's digest, the parameters, everything that P sent so far, all counts, and the chain of the
//! correlations taken so far. The chain replaces the `id` that V draws in figure 6 after the functionality
//! has P's inputs; here V draws one for each batch ([`Challenges`]). P's part is one stream. The protocols
//! have round-by-round soundness: no challenge decides more than its own round.
//!
//! | challenge | values it tests | last that fixes them |
//! |---|---|---|
//! | coefficients of a block's products | operands and results | the block's last piece; V's bytes for the batch of the last correlation taken |
//! | a round's `e` | the values fixed and the random ones of the round (`a`, `c`, `h`), and all before | the round's message; V's bytes as above: a round takes its correlations before its message |
//! | of a join or a split challenge | the branches' last queries, `a`, `c`, the `d_i` | as above |
//! | the combination of queries | everything revealed, all queries | the round that reveals it |
//!
//! If repetitions run in step with each other, a round's values, correlations and message are those of all of
//! them (`stack::in_step`).
//!
//! Both parties read the pool ahead by less than a piece, at the same places. The chain that a challenge
//! absorbs covers these correlations as well.
//!
//! **Privacy.** The number, order and lengths of messages depend only on programs and settings. All contents
//! are uniform, except the last tag, which V can compute itself.
//!
//! **No challenges in a program.** [`Run`] has no [`Challenge`](volery_circuit::Challenge), so a program that
//! looks up secret values or uses memory does not compile:
//!
//! ```
//! use volery_circuit::Prove;
//! use volery_field::F61;
//! use volery_zk::macncheese::{ProverField, Run};
//!
//! fn program<B: Prove<F61>>() {}
//! program::<Run<'_, ProverField<F61, F61>>>();
//! ```
//!
//! ```compile_fail,E0277
//! # use volery_circuit::Challenge;
//! # use volery_field::F61;
//! # use volery_zk::macncheese::{ProverField, Run};
//! fn program<B: Challenge<F61>>() {}
//! program::<Run<'_, ProverField<F61, F61>>>();
//! ```

mod block;
mod disjunction;
mod instructions;
mod link;
mod multiply;
mod run;
mod share;
pub mod soundness;
mod stack;
mod tally;
mod trunk;

pub use crate::shares::ElementShare;
pub use block::Block;
pub use disjunction::{Disjunction, Join};
pub use run::Run;
pub use share::{ProverBits, ProverField, Share, VerifierBits, VerifierField};
pub use stack::{Branch, MAX_BRANCHES};
pub use tally::Tally;

use std::sync::Arc;

use rand_core::CryptoRng;
use volery_channel::Channel;
use volery_circuit::choose::Shape;
use volery_circuit::{Error as StatementError, Statement};
use volery_vole::correlations::Pool;

use crate::Error;
use crate::bound::{FieldSize, Mode, Terms};
use crate::quicksilver::Challenges;
use run::Setting;
use tally::Counters;
use trunk::{ProverTrunk, Trunk, VerifierTrunk};

/// How multiplications are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Multiplier {
    /// Three elements for each multiplication and two round trips for each block (section 4.2). A block has
    /// at most 4096 multiplications.
    Simple,
    /// A logarithmic number of elements and round trips for each block, with coefficients from a seed
    /// (section 4.3, `AssertMultVec'`).
    Batched,
    /// The same with powers of one challenge as coefficients (`AssertMultVec`). The error grows with the
    /// block.
    BatchedPowers,
    /// For bits only: 9 bits for each AND and two round trips for each block (section 4.4). Its challenges
    /// are in GF(2^45) whatever the field of MACs. So it has at most 45 bits of statistical soundness, and 40
    /// for about thirty blocks (every branch ends one). Proofs with less are refused ([`Settings::check`]),
    /// and so are challenges by Fiat-Shamir, which 2^45 hashes would forge.
    EmbeddedRho40,
}

/// The least soundness of a proof by [`Multiplier::EmbeddedRho40`], in bits.
const EMBEDDED_BITS: f64 = 40.0;

/// The settings of a proof. Both parties need the same ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The number of commitments (secret values and multiplications) in a block. V keeps 48 bytes for each of
    /// them and P 80. Each further branch of a disjunction takes 32 bytes at V and 64 at P. The number of
    /// round trips of a check is about the logarithm of this number.
    pub interval: usize,
    /// How multiplications are checked.
    pub multiplier: Multiplier,
}

impl Settings {
    /// Blocks that fit in the third-level cache: 1.04 bits for each AND.
    pub const LAN: Self = Self { interval: 1 << 17, multiplier: Multiplier::Batched };

    /// Larger blocks, for fewer waits and bytes: 1.006 bits for each AND.
    pub const WAN: Self = Self { interval: 1 << 20, multiplier: Multiplier::Batched };

    /// The shortest block that [`Settings::for_branches`] makes.
    const LEAST: usize = 1 << 12;

    /// The most branches of repetitions that run in step with each other.
    const MOST_IN_STEP: usize = 1 << 8;

    /// The number of commitments in a block, which the multiplier may limit.
    pub(crate) fn block_len(&self) -> usize {
        match self.multiplier {
            Multiplier::Batched | Multiplier::BatchedPowers => self.interval.max(1),
            Multiplier::Simple => self.interval.clamp(1, multiply::SIMPLE_MOST),
            Multiplier::EmbeddedRho40 => self.interval.clamp(1, multiply::EMBEDDED_MOST),
        }
    }

    /// Checks before a proof begins that it will have enough soundness, as far as can be known by then.
    ///
    /// # Errors
    /// [`volery_circuit::Error::Misuse`] for [`Multiplier::EmbeddedRho40`] with challenges by Fiat-Shamir, or
    /// with so many `commitments` that it has less than 40 bits of soundness. If their number is unknown, or
    /// does not count all branches, [`prove`] and [`verify`] find out before the last message.
    pub fn check(&self, fiat_shamir: bool, commitments: Option<u64>) -> Result<(), Error> {
        if self.multiplier != Multiplier::EmbeddedRho40 {
            return Ok(());
        }
        if fiat_shamir {
            let reason = "the embedding's challenges have 45 bits, too few for Fiat-Shamir, where a cheat may try: \
                          take the batched multiplier";
            return Err(StatementError::misuse(reason).into());
        }
        self.enough(Tally { multiplications: commitments.unwrap_or(0), ..Tally::default() })
    }

    /// Refuses counts for which the embedding has less than 40 bits.
    fn enough(&self, counted: Tally) -> Result<(), Error> {
        let (proof, branches) = (soundness::Proof::of(*self, &counted), counted.branches);
        let mut terms = Terms::default();
        proof.terms(FieldSize::OVER_BITS, Mode::Interactive, &mut terms);
        let bits = terms.bits();
        if self.multiplier == Multiplier::EmbeddedRho40 && bits < EMBEDDED_BITS {
            let reason = format!(
                "the embedding has {bits:.1} bits of soundness for {} commitments in blocks of {} with {branches} \
                 branches, less than {EMBEDDED_BITS}: take longer blocks or the batched multiplier",
                proof.commitments,
                self.block_len()
            );
            return Err(StatementError::misuse(reason).into());
        }
        Ok(())
    }

    /// The number of repetitions that run in step with each other, if each has `m` branches of this shape and
    /// `shared` wires go in. They fill a block together, so they take the memory of one block; the next ones
    /// run after them. Each branch has a stack, so at most 256 branches are alive.
    ///
    /// Repetitions of an unknown shape ([`Shape::default`]) run one after another.
    #[must_use]
    pub fn in_step(&self, m: usize, shared: usize, shape: Shape) -> usize {
        let Shape { inputs, multiplications, outputs } = shape;
        if inputs.saturating_add(multiplications) == 0 {
            return 1;
        }
        let all = [shared, inputs, multiplications, outputs];
        let each = all.into_iter().fold(0, usize::saturating_add);
        (self.block_len() / each).min(Self::MOST_IN_STEP / m.max(1)).max(1)
    }

    /// The approximate number of bytes that a block takes at P and at V while `m` branches run, each with
    /// this many `commitments`. Correlations and the branches' own wires are not included.
    #[must_use]
    pub fn memory(&self, m: usize, commitments: u64) -> [u64; 2] {
        let block = commitments.min(self.block_len() as u64);
        let others = (m as u64).saturating_sub(1);
        // A vector that grows keeps its old memory until it has moved.
        let bytes = |first: u64, other: u64| {
            let each = others.saturating_mul(other).saturating_add(first);
            block.saturating_mul(each).saturating_mul(3) / 2
        };
        [bytes(80, 64), bytes(48, 32)]
    }

    /// These settings with shorter blocks, so that `m` branches take about as much memory as one. Each block
    /// has its check, so this sends more bytes.
    #[must_use]
    pub fn for_branches(self, m: usize) -> Self {
        let shorter = self.interval / m.max(1).next_power_of_two();
        Self { interval: shorter.max(Self::LEAST.min(self.interval)), ..self }
    }
}

/// Runs `statement` as P and proves it. Returns its counts.
///
/// If V chooses the challenges, P's `challenges` are [`Challenges::seeded`] and are not used. `rng` is for
/// P's own choices: the uniform elements that it sends where no branch that holds writes anything.
/// [`crate::quicksilver::verdict`] handles V's answer.
///
/// # Errors
/// [`Error::Statement`] if the witness does not satisfy the statement, or as [`Settings::check`]; otherwise
/// any error that ended the session.
pub fn prove<'a, H: Share>(
    share: H,
    settings: Settings,
    challenges: Challenges<'a>,
    rng: &mut dyn CryptoRng,
    pool: &'a mut Pool<H::Wire>,
    channel: &'a mut dyn Channel,
    statement: &(impl for<'r> Statement<Run<'r, H>> + ?Sized),
) -> Result<Tally, Error> {
    settings.check(!challenges.are_chosen(), statement.commitments())?;
    let counters = Arc::new(Counters::default());
    // In a rehearsal nobody has values.
    let writes = !pool.is_blank();
    let trunk = Trunk::new(share.clone(), settings, challenges, pool, channel, counters.clone());
    let mut trunk = ProverTrunk::new(trunk, rng);
    let prg = Some(trunk.prg());
    let setting = Setting {
        share,
        settings,
        writes,
        shared: false,
        budget: MAX_BRANCHES,
        counters: counters.clone(),
        prg,
    };
    let mut run = Run::new(setting, &mut trunk);
    statement.run(&mut run)?;
    let query = run.close()?;
    settings.enough(counters.read())?;
    trunk.finish(query)
}

/// Runs `statement` as V and verifies P's proof of it. Returns its counts. Only `Ok` means that the proof
/// holds.
///
/// # Errors
/// [`Error::Rejected`] if the proof is wrong; as [`Settings::check`]; otherwise any error that ended the
/// session. None of them means that the statement is false.
pub fn verify<'a, H: Share>(
    share: H,
    settings: Settings,
    challenges: Challenges<'a>,
    pool: &'a mut Pool<H::Wire>,
    channel: &'a mut dyn Channel,
    statement: &(impl for<'r> Statement<Run<'r, H>> + ?Sized),
) -> Result<Tally, Error> {
    settings.check(!challenges.are_chosen(), statement.commitments())?;
    let counters = Arc::new(Counters::default());
    let trunk = Trunk::new(share.clone(), settings, challenges, pool, channel, counters.clone());
    let mut trunk = VerifierTrunk::new(trunk);
    let setting = Setting {
        share,
        settings,
        writes: false,
        shared: false,
        budget: MAX_BRANCHES,
        counters: counters.clone(),
        prg: None,
    };
    let mut run = Run::new(setting, &mut trunk);
    statement.run(&mut run)?;
    let query = run.close()?;
    settings.enough(counters.read())?;
    trunk.finish(query)
}
