//! Mac'n'Cheese: commit-and-prove protocols that can be stacked.
//!
//! Where [`crate::quicksilver`] checks a block of multiplications by a message that V cannot read without
//! delta, here everything that P sends is a uniform string, and V's check is one linear query on commitments.
//! So V can read *the same string* as the messages of many different programs, not knowing whose it is, and P
//! shows in the end that one of the queries is zero: a disjunction costs the longest of its branches, its
//! branches may be disjunctions, and nothing grows with their length.
//!
//! ```text
//! k = m + x * delta          P holds (x, m), V holds k and delta; values in F, MACs and challenges in M
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | `half` | [`Half`]: how a party holds commitments; [`Wide`], a commitment to an element of `M` |
//! | `bits`, `field` | the halves of P and V over bits and over fields |
//! | `instructions` | [`CommitProve`]: Random, Fix, Send, Reveal, AssertZero, challenge (section 4.1) |
//! | `run` | [`Run`], the backend that statements run on: carries the instructions out |
//! | `link`, `trunk` | what runs share; the root's messages and correlations |
//! | `multiply` | the multiplication protocols (sections 4.2 to 4.4, 5.1) |
//! | `stack` | disjunctions and thresholds (section 3): [`Run::any_of`], [`Run::any_of_linear`], [`Run::at_least`], [`volery_circuit::Choose`] |
//! | `disjunction` | [`Disjunction`], the statement |
//! | [`soundness`] | what an acceptance is worth |
//!
//! **Flow.** P commits to values in pieces, which V does not answer. When a block of [`Settings::interval`]
//! is full its multiplications are checked in some rounds, each a short message and a challenge, down to
//! linear queries, which are combined with all queries before into one (section 5.2, figure 5). At the end P
//! shows that one's tag.
//!
//! Repetitions of a disjunction ([`volery_circuit::Repeat`]) share every round and its challenge, as many
//! at a time as fill a block together ([`Settings::in_step`]): P waits for V as often as for one of them.
//!
//! **Not stored.** A stored proof ([`crate::quicksilver::Program`]) takes correlations that were made before
//! it. There is no such proof by Mac'n'Cheese: its correlations are made by the session that proves.
//!
//! **Fiat-Shamir** (section 5.3, figure 6). With [`Challenges::FiatShamir`] every challenge is the hash of
//! the statement's digest, the parameters, all that P sent so far, all counts, and the chain of the
//! correlations taken so far: the `id` that V draws in figure 6 after the functionality has P's inputs, once
//! for each batch ([`Challenges`]). P's part is one stream. The protocols have round-by-round soundness: no
//! challenge decides more than its own round.
//!
//! | challenge | values it tests | last that fixes them |
//! |---|---|---|
//! | coefficients of a block's products | operands and results | the block's last piece; V's bytes for the batch of the last correlation taken |
//! | a round's `e` | the values fixed and the random ones of the round (`a`, `c`, `h`), and all before | the round's message; V's bytes as above: a round takes its correlations before its message |
//! | of a join or a split challenge | the branches' last queries, `a`, `c`, the `d_i` | as above |
//! | the combination of queries | everything revealed, all queries | the round that shows it |
//!
//! Where repetitions run in step with each other the values are those of all of them, and so are the
//! correlations and the message of a round (`stack::in_step`).
//!
//! The stock is read ahead by less than a piece, at the same places by both parties; what a challenge absorbs
//! covers that as well.
//!
//! **Privacy.** Number, order and lengths of messages follow from the programs and settings; all contents are
//! uniform, the last tag but for what V computes itself.

mod bits;
mod block;
mod disjunction;
mod field;
mod half;
mod instructions;
mod link;
mod multiply;
mod run;
pub mod soundness;
mod stack;
mod tally;
mod trunk;

pub use bits::{ProverBits, VerifierBits};
pub use block::Block;
pub use disjunction::{Disjunction, Join};
pub use field::{ProverField, VerifierField};
pub use half::{Half, Mask, Wide};
pub use instructions::CommitProve;
pub use link::{Ask, Counts};
pub use run::Run;
pub use stack::{Branch, MAX_BRANCHES};
pub use tally::Tally;

use std::sync::Arc;

use rand_core::CryptoRng;
use volery_channel::Channel;
use volery_circuit::choose::Shape;
use volery_circuit::{Error as StatementError, Statement};
use volery_vole::supply::Stock;

use crate::Error;
use crate::quicksilver::Challenges;
use crate::soundness::{FieldSize, Mode, Soundness};
use run::Setting;
use tally::Counters;
use trunk::{ProverTrunk, Trunk, VerifierTrunk};

/// How multiplications are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Multiplier {
    /// Three elements a multiplication, two round trips a block (section 4.2); a block has at most 4096
    /// multiplications.
    Simple,
    /// A logarithmic number of elements and round trips for a block, combined with coefficients from a seed
    /// (section 4.3, `AssertMultVec'`).
    Batched,
    /// The same with powers of one challenge as coefficients (`AssertMultVec`); its error grows with the
    /// block.
    BatchedPowers,
    /// Bits only: 9 bits an AND, two round trips a block (section 4.4). Its challenges are in GF(2^45)
    /// whatever the field of MACs: at most 45 bits of statistical soundness, 40 for about thirty blocks
    /// (every branch ends one); proofs with less are refused ([`Settings::check`]), as are challenges by
    /// Fiat-Shamir, which 2^45 hashes would forge.
    EmbeddedRho40,
}

/// The least that a proof by [`Multiplier::EmbeddedRho40`] is worth, in bits.
const EMBEDDED_BITS: f64 = 40.0;

/// How a proof is run; both parties need the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Commitments (secret values and multiplications) in a block. For each of them V keeps 48 bytes, P 80;
    /// each further branch of a disjunction takes 32, at P 64. A check takes about `log2` of it round trips.
    pub interval: usize,
    /// How multiplications are checked.
    pub multiplier: Multiplier,
}

impl Settings {
    /// Blocks that fit the third-level cache: 1.04 bits an AND.
    pub const LAN: Self = Self { interval: 1 << 17, multiplier: Multiplier::Batched };

    /// Larger blocks, for fewer waits and bytes: 1.006 bits an AND.
    pub const WAN: Self = Self { interval: 1 << 20, multiplier: Multiplier::Batched };

    /// The least that blocks of branches shrink to.
    const LEAST: usize = 1 << 12;

    /// Branches of repetitions that run in step with each other.
    const MOST_IN_STEP: usize = 1 << 8;

    /// Commitments in a block, given what the multiplier allows.
    pub(crate) fn block_len(&self) -> usize {
        match self.multiplier {
            Multiplier::Batched | Multiplier::BatchedPowers => self.interval.max(1),
            Multiplier::Simple => self.interval.clamp(1, multiply::SIMPLE_MOST),
            Multiplier::EmbeddedRho40 => self.interval.clamp(1, multiply::EMBEDDED_MOST),
        }
    }

    /// Whether a proof run so is worth having: before it begins, with what is known of it.
    ///
    /// # Errors
    /// [`volery_circuit::Error::Misuse`] for [`Multiplier::EmbeddedRho40`] with challenges by Fiat-Shamir, or
    /// with so many `commitments` that it has less than 40 bits of soundness. Where their number is unknown,
    /// or does not count all branches, [`prove`] and [`verify`] find out before the last message.
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
        let bits = Soundness::mac_and_cheese(proof, FieldSize::OVER_BITS, Mode::Interactive).bits();
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

    /// How many repetitions run in step with each other, each of `m` branches of this shape with so many
    /// wires going in: as many as fill a block together, so that they take the memory of one. Those after
    /// them run when they are done. At most so many that 256 branches are alive, since each is a thread.
    ///
    /// Repetitions of which nothing is known ([`Shape::default`]) run one after another.
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

    /// About how many bytes of memory a block takes at P and at V while `m` branches run, each of so many
    /// `commitments`, beside what correlations and the branches' programs themselves take.
    #[must_use]
    pub fn memory(&self, m: usize, commitments: u64) -> [u64; 2] {
        let block = commitments.min(self.block_len() as u64);
        let others = (m as u64).saturating_sub(1);
        // Vectors that grow, the old one still there while the new one is filled.
        let bytes = |first: u64, other: u64| {
            let each = others.saturating_mul(other).saturating_add(first);
            block.saturating_mul(each).saturating_mul(3) / 2
        };
        [bytes(80, 64), bytes(48, 32)]
    }

    /// These settings with shorter blocks, so that `m` branches take about as much memory as one; more bytes,
    /// since each block has its check.
    #[must_use]
    pub fn for_branches(self, m: usize) -> Self {
        let share = self.interval / m.max(1).next_power_of_two();
        Self { interval: share.max(Self::LEAST.min(self.interval)), ..self }
    }
}

/// Runs `statement` as P and proves it. Where V chooses the challenges, P's `challenges` are
/// [`Challenges::seeded`] and not used; `rng` is for P's own choices: what it sends where no branch that
/// holds has anything to say.
///
/// V's answer is the business of [`crate::quicksilver::verdict`].
///
/// # Errors
/// [`Error::Statement`] if the witness does not satisfy the statement, or as [`Settings::check`]; otherwise
/// what broke the session.
pub fn prove<'a, H: Half>(
    half: H,
    settings: Settings,
    challenges: Challenges<'a>,
    rng: &mut dyn CryptoRng,
    stock: &'a mut Stock<H::Wire>,
    channel: &'a mut dyn Channel,
    statement: &(impl for<'r> Statement<Run<'r, H>> + ?Sized),
) -> Result<Tally, Error> {
    settings.check(!challenges.are_chosen(), statement.commitments())?;
    let counters = Arc::new(Counters::default());
    // In a rehearsal nobody has values.
    let writes = !stock.is_blank();
    let trunk = Trunk::new(half.clone(), settings, challenges, stock, channel, counters.clone());
    let mut trunk = ProverTrunk::new(trunk, rng);
    let prg = Some(trunk.prg());
    let setting = Setting {
        half,
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

/// Runs `statement` as V and verifies P's proof of it. Only its `Ok` means that the proof holds.
///
/// # Errors
/// [`Error::Rejected`] if the proof is wrong; as [`Settings::check`]; otherwise what broke the session. None
/// of them means that the statement is false.
pub fn verify<'a, H: Half>(
    half: H,
    settings: Settings,
    challenges: Challenges<'a>,
    stock: &'a mut Stock<H::Wire>,
    channel: &'a mut dyn Channel,
    statement: &(impl for<'r> Statement<Run<'r, H>> + ?Sized),
) -> Result<Tally, Error> {
    settings.check(!challenges.are_chosen(), statement.commitments())?;
    let counters = Arc::new(Counters::default());
    let trunk = Trunk::new(half.clone(), settings, challenges, stock, channel, counters.clone());
    let mut trunk = VerifierTrunk::new(trunk);
    let setting = Setting {
        half,
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
