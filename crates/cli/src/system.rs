//! What the program asks of a proof system beside its proofs: the fields, and the correlations between them.
//!
//! [`volery::system`] has the systems. [`Known`] adds what is known of each before a session;
//! [`Correlations`] is the same of any system, whichever it is.

use rand_core::CryptoRng;
use volery::system::{Bits, Mixed, Over, Stacked, StackedOver, System};
use volery::{Error, Prover, Report, Verifier};
use volery_circuit::Counts;
use volery_field::{F2, Gf128, Mac, Ring, Value};
use volery_zk::quicksilver::Program;
use volery_zk::soundness::FieldSize;

use super::session::Wire;

/// What depends on the fields of values and MACs alone.
#[derive(Clone, Copy)]
pub(crate) struct Pair {
    /// The field of values, by the name that the handshake compares.
    pub(crate) value: &'static str,
    pub(crate) mac: &'static str,
    pub(crate) size: FieldSize,
    /// Bits of a packed value.
    pub(crate) value_bits: u64,
    pub(crate) value_bytes: u64,
    pub(crate) mac_bits: u64,
}

impl Pair {
    const BITS: Self = Self {
        value: F2::NAME,
        mac: Gf128::NAME,
        size: FieldSize::OVER_BITS,
        value_bits: 1,
        value_bytes: 1,
        mac_bits: 128,
    };

    fn of<F: Value, M: Mac<F>>() -> Self {
        Self {
            value: F::NAME,
            mac: M::NAME,
            size: FieldSize::of::<F, M>(),
            value_bits: F::BITS.into(),
            value_bytes: F::BYTES as u64,
            mac_bits: M::BITS.into(),
        }
    }

    /// Whether challenges may be hashes: who cheats may then try as often as it likes, and the library wants
    /// 120 bits.
    pub(crate) fn stands_hashes(&self) -> bool {
        self.mac_bits >= 120
    }
}

/// How a party's part of a session ends.
pub(crate) type Done = Result<Report, Error>;

/// A system, and what is known of it before a session.
pub(crate) trait Known: System {
    /// The field of values and that of MACs.
    fn pair() -> Pair;

    /// How many values a proof commits to that was counted.
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

/// The correlations that a system's proofs use up, whichever it is.
pub(crate) trait Correlations: Send + Sync {
    /// The field of values and that of MACs.
    fn fields(&self) -> Pair;

    /// How many values a proof commits to that was counted.
    fn commitments(&self, counts: &Counts) -> u64;

    /// P's side of making so many, which ends the session.
    fn spend(&self, prover: &mut Prover<Wire>, count: u64, rng: &mut dyn CryptoRng) -> Done;

    /// V's side of that.
    fn spend_with(&self, verifier: &mut Verifier<Wire>, count: u64, rng: &mut dyn CryptoRng) -> Done;
}

impl<Y: Known> Correlations for Y {
    fn fields(&self) -> Pair {
        Y::pair()
    }

    fn commitments(&self, counts: &Counts) -> u64 {
        <Y as Known>::commitments(counts)
    }

    fn spend(&self, prover: &mut Prover<Wire>, count: u64, rng: &mut dyn CryptoRng) -> Done {
        prover.spend(*self, count, rng)
    }

    fn spend_with(&self, verifier: &mut Verifier<Wire>, count: u64, rng: &mut dyn CryptoRng) -> Done {
        verifier.spend(*self, count, rng)
    }
}
