//! What a session proves by: a proof system with its fields and settings, as a value.
//!
//! ```text
//! Correlations   which fields, and the correlations between them: what `info` and `bench` ask of any system
//! System         and the backends that a statement must run on to be proved by it
//!   Bits                    QuickSilver over bits
//!   OverField<F, M>         QuickSilver over the values F with MACs in M
//!   Mixed<Y>                bits and the fields of Y in one statement
//!   Stacked<Y>              Mac'n'Cheese over the fields of Y
//! ```
//!
//! All calls of a session's `prove`, `verify` and `spend` for statements of the command line are here.

use std::marker::PhantomData;

use rand_core::CryptoRng;
use volery::macncheese::{self, ProverBits, ProverField, Run, VerifierBits, VerifierField};
use volery::{Error, Prover, Report, Statement, Verifier};
use volery_circuit::{Backend, Counts, Evaluator, MixedEvaluator};
use volery_field::{F2, Gf128, Mac, Ring, Value};
use volery_zk::quicksilver::{self, Program, arithmetic, mixed};
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

/// The correlations that a system's proofs use up.
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

/// A proof system.
pub(crate) trait System: Correlations + Copy {
    /// What runs a statement in the clear.
    type Plain: Backend;
    /// P's backend.
    type Prover<'a>: Backend;
    /// V's backend.
    type Verifier<'a>: Backend;

    /// Proves `statement`.
    fn prove<S>(&self, statement: &S, prover: &mut Prover<Wire>, rng: &mut dyn CryptoRng) -> Done
    where
        S: Statement<Self::Plain> + for<'a> Statement<Self::Prover<'a>>;

    /// Verifies a proof of `statement`.
    fn verify<S>(&self, statement: &S, verifier: &mut Verifier<Wire>, rng: &mut dyn CryptoRng) -> Done
    where
        S: for<'a> Statement<Self::Verifier<'a>>;
}

/// A statement that runs on all that proving it by `Y` runs it on.
pub(crate) trait Provable<Y: System>:
    Send + Sync + Statement<Y::Plain> + for<'a> Statement<Y::Prover<'a>> + for<'a> Statement<Y::Verifier<'a>>
{
}

impl<Y, S> Provable<Y> for S
where
    Y: System,
    S: Send
        + Sync
        + Statement<Y::Plain>
        + for<'a> Statement<Y::Prover<'a>>
        + for<'a> Statement<Y::Verifier<'a>>,
{
}

/// Implements [`System`]: the three backends, and the two calls of a session. `$own` is the system in them,
/// `S` the statement's type.
macro_rules! system {
    (
        impl [$($generics:tt)*] for $system:ty: $plain:ty, $prover:ty, $verifier:ty;
        |$own:ident, $session:ident, $statement:ident, $rng:ident| $prove:expr, $verify:expr
    ) => {
        impl<$($generics)*> System for $system {
            type Plain = $plain;
            type Prover<'a> = $prover;
            type Verifier<'a> = $verifier;

            fn prove<S>(&self, $statement: &S, $session: &mut Prover<Wire>, $rng: &mut dyn CryptoRng) -> Done
            where
                S: Statement<Self::Plain> + for<'a> Statement<Self::Prover<'a>>,
            {
                let $own = self;
                $prove
            }

            fn verify<S>(&self, $statement: &S, $session: &mut Verifier<Wire>, $rng: &mut dyn CryptoRng) -> Done
            where
                S: for<'a> Statement<Self::Verifier<'a>>,
            {
                let $own = self;
                $verify
            }
        }
    };
}

/// QuickSilver over bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bits;

impl Correlations for Bits {
    fn fields(&self) -> Pair {
        Pair::BITS
    }

    fn commitments(&self, counts: &Counts) -> u64 {
        Program::from(counts).commitments
    }

    fn spend(&self, prover: &mut Prover<Wire>, count: u64, _rng: &mut dyn CryptoRng) -> Done {
        prover.spend(count)
    }

    fn spend_with(&self, verifier: &mut Verifier<Wire>, count: u64, _rng: &mut dyn CryptoRng) -> Done {
        verifier.spend(count)
    }
}

system! {
    impl [] for Bits: Evaluator<F2>, quicksilver::Prover<'a>, quicksilver::Verifier<'a>;
    |_bits, session, statement, rng| session.prove(statement, rng), session.verify(statement, rng)
}

/// QuickSilver over the values `F` with MACs in `M`.
pub(crate) struct OverField<F, M>(PhantomData<(F, M)>);

impl<F, M> OverField<F, M> {
    pub(crate) const NEW: Self = Self(PhantomData);
}

// Not derived: a derived one asks the fields for it.
impl<F, M> Clone for OverField<F, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F, M> Copy for OverField<F, M> {}

impl<F: Value, M: Mac<F>> Correlations for OverField<F, M> {
    fn fields(&self) -> Pair {
        Pair::of::<F, M>()
    }

    fn commitments(&self, counts: &Counts) -> u64 {
        counts.commitments()
    }

    fn spend(&self, prover: &mut Prover<Wire>, count: u64, rng: &mut dyn CryptoRng) -> Done {
        prover.spend_over::<F, M>(count, rng)
    }

    fn spend_with(&self, verifier: &mut Verifier<Wire>, count: u64, rng: &mut dyn CryptoRng) -> Done {
        verifier.spend_over::<F, M>(count, rng)
    }
}

system! {
    impl [F: Value, M: Mac<F>] for OverField<F, M>:
        Evaluator<F>, arithmetic::Prover<'a, F, M>, arithmetic::Verifier<'a, F, M>;
    |_field, session, statement, rng|
        session.prove_over::<F, M, S>(statement, rng), session.verify_over::<F, M, S>(statement, rng)
}

/// Another system over the fields of `Y`, which takes the same correlations.
macro_rules! same_correlations {
    ($system:ident) => {
        impl<Y: Correlations> Correlations for $system<Y> {
            fn fields(&self) -> Pair {
                self.over.fields()
            }

            fn commitments(&self, counts: &Counts) -> u64 {
                counts.commitments()
            }

            fn spend(&self, prover: &mut Prover<Wire>, count: u64, rng: &mut dyn CryptoRng) -> Done {
                self.over.spend(prover, count, rng)
            }

            fn spend_with(&self, verifier: &mut Verifier<Wire>, count: u64, rng: &mut dyn CryptoRng) -> Done {
                self.over.spend_with(verifier, count, rng)
            }
        }
    };
}

/// QuickSilver over bits and over the fields of `Y` in one statement.
#[derive(Clone, Copy)]
pub(crate) struct Mixed<Y> {
    pub(crate) over: Y,
}

same_correlations!(Mixed);

system! {
    impl [F: Value, M: Mac<F>] for Mixed<OverField<F, M>>:
        MixedEvaluator<F>, mixed::Prover<'a, F, M>, mixed::Verifier<'a, F, M>;
    |_mixed, session, statement, rng|
        session.prove_mixed::<F, M, S>(statement, rng), session.verify_mixed::<F, M, S>(statement, rng)
}

/// Mac'n'Cheese over the fields of `Y`.
#[derive(Clone, Copy)]
pub(crate) struct Stacked<Y> {
    pub(crate) over: Y,
    pub(crate) settings: macncheese::Settings,
}

same_correlations!(Stacked);

system! {
    impl [] for Stacked<Bits>: Evaluator<F2>, Run<'a, ProverBits>, Run<'a, VerifierBits>;
    |stacked, session, statement, rng|
        session.prove_stacked(statement, stacked.settings, rng),
        session.verify_stacked(statement, stacked.settings, rng)
}

system! {
    impl [F: Value, M: Mac<F>] for Stacked<OverField<F, M>>:
        Evaluator<F>, Run<'a, ProverField<F, M>>, Run<'a, VerifierField<F, M>>;
    |stacked, session, statement, rng|
        session.prove_stacked_over::<F, M, S>(statement, stacked.settings, rng),
        session.verify_stacked_over::<F, M, S>(statement, stacked.settings, rng)
}
