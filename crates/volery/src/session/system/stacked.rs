//! Mac'n'Cheese: proofs that can be stacked, so that a statement may contain disjunctions within
//! disjunctions ([`macncheese::Disjunction`]).

use core::marker::PhantomData;

use rand_core::CryptoRng;
use volery_channel::handshake::Parameters;
use volery_circuit::{Error as StatementError, Evaluator, Statement};
use volery_field::{F2, Gf128, Mac, Ring, Value};
use volery_zk::macncheese::{self, Multiplier, ProverBits, Run, Settings, Tally, VerifierBits};
use volery_zk::quicksilver::Challenges;
use volery_zk::soundness::FieldSize;

use super::correlations::{OfBits, OfField};
use super::{Over, Proof, ProverSide, System, VerifierSide, sealed};
use crate::Error;
use crate::session::field::{ProverField, VerifierField, existing};
use crate::session::memory::{self, Bytes, Rehearsed};
use crate::session::report::Counted;
use crate::session::{Common, Options, transcript};

/// Mac'n'Cheese over bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stacked {
    settings: Settings,
}

/// Mac'n'Cheese over the values `F`, with MACs in `M`; see [`Over`] for what a field takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackedOver<F, M> {
    settings: Settings,
    fields: PhantomData<fn() -> (F, M)>,
}

impl Stacked {
    /// The system. Both parties need the same settings. A proof refuses settings that
    /// [`Settings::check`] refuses.
    #[must_use]
    pub const fn new(settings: Settings) -> Self {
        Self { settings }
    }

    fn terms(&self) -> Terms {
        let (fields, size) = ([F2::NAME, Gf128::NAME], FieldSize::OVER_BITS);
        Terms { settings: self.settings, fields, size, degree: 128 }
    }
}

impl<F: Value, M: Mac<F>> StackedOver<F, M> {
    /// The system; see [`Stacked::new`].
    #[must_use]
    pub const fn new(settings: Settings) -> Self {
        Self { settings, fields: PhantomData }
    }

    fn terms(&self) -> Terms {
        let (fields, size) = ([F::NAME, M::NAME], FieldSize::of::<F, M>());
        Terms { settings: self.settings, fields, size, degree: M::DEGREE as u64 }
    }
}

/// The fields of a proof, and how it is run: compared before it, and bound into every challenge that is a
/// hash.
struct Terms {
    settings: Settings,
    fields: [&'static str; 2],
    size: FieldSize,
    /// Of the field of MACs over that of values.
    degree: u64,
}

impl Terms {
    fn multiplier(&self) -> &'static str {
        match self.settings.multiplier {
            Multiplier::Simple => "simple",
            Multiplier::Batched => "batched, coefficients from a seed",
            Multiplier::BatchedPowers => "batched, powers of a challenge",
            Multiplier::EmbeddedRho40 => "embedded (15, 45), rho 40",
        }
    }

    fn allow(&self, options: &Options, commitments: Option<u64>) -> Result<(), Error> {
        let check = self.settings.check(options.fiat_shamir, commitments);
        check.map_err(|error| Error::Options(error.to_string()))
    }

    fn parameters(
        &self,
        options: &Options,
        number: u64,
        commitments: Option<u64>,
    ) -> Result<Parameters, Error> {
        Ok(options
            .parameters_of("mac'n'cheese v2", number, commitments)?
            .with("field", self.fields[0])?
            .with("mac-field", self.fields[1])?
            .with("multiplier", self.multiplier())?
            .with("interval", self.settings.interval)?)
    }

    /// Correlations that a proof of one branch takes, about.
    fn correlations(&self, commitments: Option<u64>) -> Option<u64> {
        let interval = self.settings.interval.max(2) as u64;
        let check = u64::from(2 * interval.ilog2() + 5).saturating_mul(self.degree);
        let checks = |n: u64| (n / interval + 1).saturating_mul(check);
        commitments.map(|n| n.saturating_add(checks(n)))
    }

    fn challenges<'c>(
        &self,
        common: &Common,
        proof: &Proof<'_>,
        first_correlation: u64,
        rng: &mut dyn CryptoRng,
    ) -> Challenges<'c> {
        if !common.options.fiat_shamir {
            return Challenges::seeded(&common.id, rng);
        }
        let (id, interval) = (&common.id, self.settings.interval);
        let mut transcript =
            transcript("mac'n'cheese", id, &proof.digest, interval, first_correlation, proof.chains);
        for (label, name) in ["value field", "mac field"].into_iter().zip(self.fields) {
            transcript.absorb(label, name.as_bytes());
        }
        transcript.absorb("multiplier", self.multiplier().as_bytes());
        transcript.absorb_number("proof", common.proofs);
        Challenges::FiatShamir(transcript)
    }

    fn counted(&self, tally: Tally, options: &Options) -> Counted {
        Counted::stacked(tally, self.settings, (self.fields, self.size), options)
    }
}

impl sealed::Sealed for Stacked {}

impl System for Stacked {
    type Prover<'a> = Run<'a, ProverBits>;
    type Verifier<'a> = Run<'a, VerifierBits>;
    type Evaluator = Evaluator<F2>;
    type Setup = OfBits;

    fn allow(&self, options: &Options, commitments: Option<u64>) -> Result<(), Error> {
        self.terms().allow(options, commitments)
    }

    fn parameters(
        &self,
        options: &Options,
        number: u64,
        commitments: Option<u64>,
    ) -> Result<Parameters, Error> {
        self.terms().parameters(options, number, commitments)
    }

    fn evaluate<S: Statement<Evaluator<F2>> + ?Sized>(statement: &S) -> Result<(), StatementError> {
        Evaluator::<F2>::check_until_choice(statement)
    }

    fn memory(&self, rehearsed: &Rehearsed<'_>) -> Bytes {
        let proof = memory::stacked(rehearsed, self.settings, memory::WIRE);
        memory::sum([memory::of_bits(rehearsed), proof])
    }

    fn run_prover<S>(
        &self,
        side: ProverSide<'_>,
        proof: &Proof<'_>,
        statement: &S,
        rng: &mut dyn CryptoRng,
    ) -> Result<Counted, Error>
    where
        S: for<'a> Statement<Run<'a, ProverBits>> + ?Sized,
    {
        let (terms, ProverSide { common, pool, channel, .. }) = (self.terms(), side);
        pool.expect(terms.correlations(proof.commitments));
        let challenges = terms.challenges(common, proof, pool.index(), rng);
        let tally = macncheese::prove(ProverBits, self.settings, challenges, rng, pool, channel, statement)?;
        Ok(terms.counted(tally, &common.options))
    }

    fn run_verifier<S>(
        &self,
        side: VerifierSide<'_>,
        proof: &Proof<'_>,
        statement: &S,
        rng: &mut dyn CryptoRng,
    ) -> Result<Counted, Error>
    where
        S: for<'a> Statement<Run<'a, VerifierBits>> + ?Sized,
    {
        let (terms, VerifierSide { common, pool, delta, channel, .. }) = (self.terms(), side);
        pool.expect(terms.correlations(proof.commitments));
        let challenges = terms.challenges(common, proof, pool.index(), rng);
        let half = VerifierBits::new(delta);
        let tally = macncheese::verify(half, self.settings, challenges, pool, channel, statement)?;
        Ok(terms.counted(tally, &common.options))
    }
}

impl<F, M> sealed::Sealed for StackedOver<F, M> {}

impl<F: Value, M: Mac<F>> System for StackedOver<F, M> {
    type Prover<'a> = Run<'a, macncheese::ProverField<F, M>>;
    type Verifier<'a> = Run<'a, macncheese::VerifierField<F, M>>;
    type Evaluator = Evaluator<F>;
    type Setup = OfField<F, M>;

    fn allow(&self, options: &Options, commitments: Option<u64>) -> Result<(), Error> {
        Over::<F, M>::allow_hashes(options)?;
        self.terms().allow(options, commitments)
    }

    fn parameters(
        &self,
        options: &Options,
        number: u64,
        commitments: Option<u64>,
    ) -> Result<Parameters, Error> {
        self.terms().parameters(options, number, commitments)
    }

    fn evaluate<S: Statement<Evaluator<F>> + ?Sized>(statement: &S) -> Result<(), StatementError> {
        Evaluator::<F>::check_until_choice(statement)
    }

    fn memory(&self, rehearsed: &Rehearsed<'_>) -> Bytes {
        let proof = memory::stacked(rehearsed, self.settings, memory::wire::<F, M>());
        memory::sum([memory::of_bits(rehearsed), memory::of_field::<F, M>(rehearsed), proof])
    }

    fn run_prover<S>(
        &self,
        side: ProverSide<'_>,
        proof: &Proof<'_>,
        statement: &S,
        rng: &mut dyn CryptoRng,
    ) -> Result<Counted, Error>
    where
        S: for<'a> Statement<Run<'a, macncheese::ProverField<F, M>>> + ?Sized,
    {
        let (terms, ProverSide { common, field, channel, .. }) = (self.terms(), side);
        let ProverField { pool } = existing::<ProverField<F, M>>(field)?.ok_or(Error::Over)?;
        pool.expect(terms.correlations(proof.commitments));
        let challenges = terms.challenges(common, proof, pool.index(), rng);
        let half = macncheese::ProverField::default();
        let tally = macncheese::prove(half, self.settings, challenges, rng, pool, channel, statement)?;
        Ok(terms.counted(tally, &common.options))
    }

    fn run_verifier<S>(
        &self,
        side: VerifierSide<'_>,
        proof: &Proof<'_>,
        statement: &S,
        rng: &mut dyn CryptoRng,
    ) -> Result<Counted, Error>
    where
        S: for<'a> Statement<Run<'a, macncheese::VerifierField<F, M>>> + ?Sized,
    {
        let (terms, VerifierSide { common, field, channel, .. }) = (self.terms(), side);
        let VerifierField { pool, delta, .. } = existing::<VerifierField<F, M>>(field)?.ok_or(Error::Over)?;
        pool.expect(terms.correlations(proof.commitments));
        let challenges = terms.challenges(common, proof, pool.index(), rng);
        let half = macncheese::VerifierField::new(delta);
        let tally = macncheese::verify(half, self.settings, challenges, pool, channel, statement)?;
        Ok(terms.counted(tally, &common.options))
    }
}
