//! The proof systems of [`volery::system`], with their fields and the number of correlations that a proof
//! takes. [`Known`] adds these to each system; [`Correlations`] is the same as a trait object.

use rand_core::CryptoRng;
use volery::system::{Bits, Mixed, Over, Stacked, StackedOver, System};
use volery::{Error, Prover, Report, Verifier};
use volery_circuit::Counts;
use volery_field::{F2, Gf128, Mac, Ring, Value};
use volery_zk::quicksilver::bits::Program;
use volery_zk::soundness::FieldSize;

use crate::progress::Wire;
use crate::ran::Ran;

/// The field of values and the field of MACs.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// The name of the field of values, as the handshake compares it.
    pub value: &'static str,
    /// The name of the field of MACs.
    pub mac: &'static str,
    /// What soundness depends on.
    pub size: FieldSize,
    /// Bits of a packed value.
    pub value_bits: u64,
    /// Bits of a MAC.
    pub mac_bits: u64,
}

impl Pair {
    const BITS: Self =
        Self { value: F2::NAME, mac: Gf128::NAME, size: FieldSize::OVER_BITS, value_bits: 1, mac_bits: 128 };

    fn of<F: Value, M: Mac<F>>() -> Self {
        Self {
            value: F::NAME,
            mac: M::NAME,
            size: FieldSize::of::<F, M>(),
            value_bits: F::BITS.into(),
            mac_bits: M::BITS.into(),
        }
    }

    /// Whether challenges may be hashes. A cheating prover can then try again and again, so the library
    /// demands 120 bits.
    #[must_use]
    pub(crate) fn stands_hashes(&self) -> bool {
        self.mac_bits >= 120
    }
}

/// What a session has proved.
#[derive(Clone, Debug)]
pub struct Proved {
    /// What it took, and what it is worth.
    pub report: Report,
    /// How a program's run ended, if the statement is one about a run.
    pub run: Option<Ran>,
}

impl From<Report> for Proved {
    fn from(report: Report) -> Self {
        Self { report, run: None }
    }
}

/// The result of a party's part of a session.
pub type Done = Result<Proved, Error>;

/// A system whose fields and costs are known before a session.
pub trait Known: System {
    /// The field of values and the field of MACs.
    fn pair() -> Pair;

    /// The number of values that a proof with these counts commits to.
    fn commitments(counts: &Counts) -> u64 {
        counts.commitments()
    }
}

impl Known for Bits {
    fn pair() -> Pair {
        Pair::BITS
    }

    fn commitments(counts: &Counts) -> u64 {
        Program::from(counts).commitments
    }
}

impl Known for Stacked {
    fn pair() -> Pair {
        Pair::BITS
    }
}

impl<F: Value, M: Mac<F>> Known for Over<F, M> {
    fn pair() -> Pair {
        Pair::of::<F, M>()
    }
}

impl<F: Value, M: Mac<F>> Known for Mixed<F, M> {
    fn pair() -> Pair {
        Pair::of::<F, M>()
    }
}

impl<F: Value, M: Mac<F>> Known for StackedOver<F, M> {
    fn pair() -> Pair {
        Pair::of::<F, M>()
    }
}

/// The correlations that proofs of a system use up, as a trait object.
pub trait Correlations: Send + Sync {
    /// The field of values and the field of MACs.
    fn fields(&self) -> Pair;

    /// The number of values that a proof with these counts commits to.
    fn commitments(&self, counts: &Counts) -> u64;

    /// P's side of making `count` correlations, which ends the session.
    ///
    /// # Errors
    /// As [`Prover::spend`].
    fn spend(&self, prover: &mut Prover<Wire>, count: u64, rng: &mut dyn CryptoRng) -> Result<Report, Error>;

    /// V's side of making `count` correlations, which ends the session.
    ///
    /// # Errors
    /// As [`Verifier::spend`].
    fn spend_with(
        &self,
        verifier: &mut Verifier<Wire>,
        count: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>;
}

impl<Y: Known> Correlations for Y {
    fn fields(&self) -> Pair {
        Y::pair()
    }

    fn commitments(&self, counts: &Counts) -> u64 {
        <Y as Known>::commitments(counts)
    }

    fn spend(&self, prover: &mut Prover<Wire>, count: u64, rng: &mut dyn CryptoRng) -> Result<Report, Error> {
        prover.spend(*self, count, rng)
    }

    fn spend_with(
        &self,
        verifier: &mut Verifier<Wire>,
        count: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error> {
        verifier.spend(*self, count, rng)
    }
}
