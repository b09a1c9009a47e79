//! What a session proves by: a proof system with its fields and settings, as a value.
//!
//! ```text
//! Correlations   which fields, and the correlations between them: what `info` and `bench` ask of any system
//! System         and the backends that a statement must run on to be proved by it
//!   Bits                    QuickSilver over bits
//!   OverField<F, M>         QuickSilver over the values F with MACs in M
//!   Mixed<F, M>             both in one statement
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

/// The correlations that a system's proofs use up.
pub(crate) trait Correlations: Send + Sync {
    /// The field of values and that of MACs.
    fn fields(&self) -> Pair;

    /// How many values a proof commits to that was counted.
    fn commitments(&self, counts: &Counts) -> u64;

    /// P's side of making so many, which ends the session.
    fn spend(&self, prover: &mut Prover<Wire>, count: u64, rng: &mut dyn CryptoRng) -> Result<Report, Error>;

    /// V's side of that.
    fn spend_with(
        &self,
        verifier: &mut Verifier<Wire>,
        count: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>;
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
    fn prove<S>(
        &self,
        statement: &S,
        prover: &mut Prover<Wire>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>
    where
        S: Statement<Self::Plain> + for<'a> Statement<Self::Prover<'a>>;

    /// Verifies a proof of `statement`.
    fn verify<S>(
        &self,
        statement: &S,
        verifier: &mut Verifier<Wire>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>
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

    fn spend(
        &self,
        prover: &mut Prover<Wire>,
        count: u64,
        _rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error> {
        prover.spend(count)
    }

    fn spend_with(
        &self,
        verifier: &mut Verifier<Wire>,
        count: u64,
        _rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error> {
        verifier.spend(count)
    }
}

impl System for Bits {
    type Plain = Evaluator<F2>;
    type Prover<'a> = quicksilver::Prover<'a>;
    type Verifier<'a> = quicksilver::Verifier<'a>;

    fn prove<S>(
        &self,
        statement: &S,
        prover: &mut Prover<Wire>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>
    where
        S: Statement<Self::Plain> + for<'a> Statement<Self::Prover<'a>>,
    {
        prover.prove(statement, rng)
    }

    fn verify<S>(
        &self,
        statement: &S,
        verifier: &mut Verifier<Wire>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>
    where
        S: for<'a> Statement<Self::Verifier<'a>>,
    {
        verifier.verify(statement, rng)
    }
}

/// QuickSilver over the values `F` with MACs in `M`.
pub(crate) struct OverField<F, M>(PhantomData<(F, M)>);

/// The same for statements about bits and the values `F`, with MACs of the latter in `M`.
pub(crate) struct Mixed<F, M>(PhantomData<(F, M)>);

/// What systems over a field are beside their calls of a session: `$prove` and `$verify`, with the backends
/// that these take.
macro_rules! over_a_field {
    ($system:ident: $plain:ty, $prover:ty, $verifier:ty, $prove:ident, $verify:ident) => {
        impl<F, M> $system<F, M> {
            pub(crate) const fn new() -> Self {
                Self(PhantomData)
            }
        }

        impl<F, M> Clone for $system<F, M> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<F, M> Copy for $system<F, M> {}

        impl<F: Value, M: Mac<F>> Correlations for $system<F, M> {
            fn fields(&self) -> Pair {
                Pair::of::<F, M>()
            }

            fn commitments(&self, counts: &Counts) -> u64 {
                counts.commitments()
            }

            fn spend(
                &self,
                prover: &mut Prover<Wire>,
                count: u64,
                rng: &mut dyn CryptoRng,
            ) -> Result<Report, Error> {
                prover.spend_over::<F, M>(count, rng)
            }

            fn spend_with(
                &self,
                verifier: &mut Verifier<Wire>,
                count: u64,
                rng: &mut dyn CryptoRng,
            ) -> Result<Report, Error> {
                verifier.spend_over::<F, M>(count, rng)
            }
        }

        impl<F: Value, M: Mac<F>> System for $system<F, M> {
            type Plain = $plain;
            type Prover<'a> = $prover;
            type Verifier<'a> = $verifier;

            fn prove<S>(
                &self,
                statement: &S,
                prover: &mut Prover<Wire>,
                rng: &mut dyn CryptoRng,
            ) -> Result<Report, Error>
            where
                S: Statement<Self::Plain> + for<'a> Statement<Self::Prover<'a>>,
            {
                prover.$prove::<F, M, S>(statement, rng)
            }

            fn verify<S>(
                &self,
                statement: &S,
                verifier: &mut Verifier<Wire>,
                rng: &mut dyn CryptoRng,
            ) -> Result<Report, Error>
            where
                S: for<'a> Statement<Self::Verifier<'a>>,
            {
                verifier.$verify::<F, M, S>(statement, rng)
            }
        }
    };
}

over_a_field!(OverField: Evaluator<F>, arithmetic::Prover<'a, F, M>, arithmetic::Verifier<'a, F, M>, prove_over, verify_over);
over_a_field!(Mixed: MixedEvaluator<F>, mixed::Prover<'a, F, M>, mixed::Verifier<'a, F, M>, prove_mixed, verify_mixed);

/// Mac'n'Cheese over the fields of `Y`.
#[derive(Clone, Copy)]
pub(crate) struct Stacked<Y> {
    pub(crate) over: Y,
    pub(crate) settings: macncheese::Settings,
}

impl<Y: Correlations> Correlations for Stacked<Y> {
    fn fields(&self) -> Pair {
        self.over.fields()
    }

    fn commitments(&self, counts: &Counts) -> u64 {
        counts.commitments()
    }

    fn spend(&self, prover: &mut Prover<Wire>, count: u64, rng: &mut dyn CryptoRng) -> Result<Report, Error> {
        self.over.spend(prover, count, rng)
    }

    fn spend_with(
        &self,
        verifier: &mut Verifier<Wire>,
        count: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error> {
        self.over.spend_with(verifier, count, rng)
    }
}

impl System for Stacked<Bits> {
    type Plain = Evaluator<F2>;
    type Prover<'a> = Run<'a, ProverBits>;
    type Verifier<'a> = Run<'a, VerifierBits>;

    fn prove<S>(
        &self,
        statement: &S,
        prover: &mut Prover<Wire>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>
    where
        S: Statement<Self::Plain> + for<'a> Statement<Self::Prover<'a>>,
    {
        prover.prove_stacked(statement, self.settings, rng)
    }

    fn verify<S>(
        &self,
        statement: &S,
        verifier: &mut Verifier<Wire>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>
    where
        S: for<'a> Statement<Self::Verifier<'a>>,
    {
        verifier.verify_stacked(statement, self.settings, rng)
    }
}

impl<F: Value, M: Mac<F>> System for Stacked<OverField<F, M>> {
    type Plain = Evaluator<F>;
    type Prover<'a> = Run<'a, ProverField<F, M>>;
    type Verifier<'a> = Run<'a, VerifierField<F, M>>;

    fn prove<S>(
        &self,
        statement: &S,
        prover: &mut Prover<Wire>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>
    where
        S: Statement<Self::Plain> + for<'a> Statement<Self::Prover<'a>>,
    {
        prover.prove_stacked_over::<F, M, S>(statement, self.settings, rng)
    }

    fn verify<S>(
        &self,
        statement: &S,
        verifier: &mut Verifier<Wire>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>
    where
        S: for<'a> Statement<Self::Verifier<'a>>,
    {
        verifier.verify_stacked_over::<F, M, S>(statement, self.settings, rng)
    }
}
