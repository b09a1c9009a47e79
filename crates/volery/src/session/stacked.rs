//! Proofs that can be stacked, in a session.

use std::time::Instant;

use rand_core::CryptoRng;
use volery_channel::Channel;
use volery_channel::handshake::Parameters;
use volery_circuit::{Error as StatementError, Evaluator, Statement};
use volery_field::{F2, Gf128, Mac, Ring, Value};
use volery_vole::supply::Chain;
use volery_zk::macncheese::{
    self, Multiplier, ProverBits, ProverField, Run, Settings, VerifierBits, VerifierField,
};
use volery_zk::quicksilver::{Challenges, verdict};
use volery_zk::soundness::FieldSize;

use super::evaluate::something_claimed;
use super::field::existing;
use super::field::{ProverField as FieldOfProver, VerifierField as FieldOfVerifier};
use super::report::Counted;
use super::{Common, Prover, Report, Verifier, digest, transcript};
use crate::Error;

/// The fields of a proof, and how it is run: compared before it, and bound into every challenge that is a
/// hash.
struct Terms {
    fields: [&'static str; 2],
    size: FieldSize,
    settings: Settings,
    commitments: Option<u64>,
    degree: u64,
}

impl Terms {
    fn bits(settings: Settings, commitments: Option<u64>) -> Self {
        Self {
            fields: [F2::NAME, Gf128::NAME],
            size: FieldSize::OVER_BITS,
            settings,
            commitments,
            degree: 128,
        }
    }

    fn over<F: Value, M: Mac<F>>(settings: Settings, commitments: Option<u64>) -> Self {
        let (fields, size, degree) = ([F::NAME, M::NAME], FieldSize::of::<F, M>(), M::DEGREE as u64);
        Self { fields, size, settings, commitments, degree }
    }

    /// What the worth of a proof depends on.
    fn of_fields(&self) -> ([&'static str; 2], FieldSize) {
        (self.fields, self.size)
    }

    fn multiplier(&self) -> &'static str {
        match self.settings.multiplier {
            Multiplier::Simple => "simple",
            Multiplier::Batched => "batched, coefficients from a seed",
            Multiplier::BatchedPowers => "batched, powers of a challenge",
            Multiplier::EmbeddedRho40 => "embedded (15, 45), rho 40",
        }
    }

    fn parameters(&self, fiat_shamir: bool, number: u64) -> Result<Parameters, Error> {
        let commitments = self.commitments.map_or_else(|| "unknown".to_owned(), |n| n.to_string());
        Ok(Parameters::new()
            .with("protocol", "mac'n'cheese v2")?
            .with("challenges", if fiat_shamir { "fiat-shamir" } else { "interactive" })?
            .with("commitments", commitments)?
            .with("proof", number)?
            .with("field", self.fields[0])?
            .with("mac-field", self.fields[1])?
            .with("multiplier", self.multiplier())?
            .with("interval", self.settings.interval)?)
    }

    /// Correlations that a proof of one branch takes, about.
    fn correlations(&self) -> Option<u64> {
        let interval = self.settings.interval.max(2) as u64;
        let check = u64::from(2 * interval.ilog2() + 5).saturating_mul(self.degree);
        let checks = |n: u64| (n / interval + 1).saturating_mul(check);
        self.commitments.map(|n| n.saturating_add(checks(n)))
    }
}

impl Common {
    fn stacked_challenges<'c>(
        &self,
        terms: &Terms,
        digest: &[u8; 32],
        first_correlation: u64,
        chains: &[Chain],
        rng: &mut dyn CryptoRng,
    ) -> Challenges<'c> {
        if !self.options.fiat_shamir {
            return Challenges::seeded(&self.id, rng);
        }
        let interval = terms.settings.interval;
        let mut transcript =
            transcript("mac'n'cheese", &self.id, digest, interval, first_correlation, chains);
        for (label, name) in ["value field", "mac field"].into_iter().zip(terms.fields) {
            transcript.absorb(label, name.as_bytes());
        }
        transcript.absorb("multiplier", terms.multiplier().as_bytes());
        transcript.absorb_number("proof", self.proofs);
        Challenges::FiatShamir(transcript)
    }

    /// As [`Common::begin`]; [`Error::Options`] if the settings prove too little ([`Settings::check`]).
    fn begin_stacked(
        &mut self,
        terms: &Terms,
        digest: [u8; 32],
    ) -> Result<volery_channel::handshake::Begin, Error> {
        let check = terms.settings.check(self.options.fiat_shamir, terms.commitments);
        check.map_err(|error| Error::Options(error.to_string()))?;
        if core::mem::replace(&mut self.over, true) {
            return Err(Error::Over);
        }
        let parameters = terms.parameters(self.options.fiat_shamir, self.proofs)?;
        self.proofs += 1;
        Ok(volery_channel::handshake::Begin::new(digest, parameters))
    }
}

impl<C: Channel> Prover<C> {
    /// Proves `statement` about bits by Mac'n'Cheese, so that it may contain disjunctions
    /// ([`macncheese::Disjunction`]).
    ///
    /// # Errors
    /// As [`Prover::prove`]; [`Error::Options`] as [`Settings::check`].
    pub fn prove_stacked<S>(
        &mut self,
        statement: &S,
        settings: Settings,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>
    where
        S: for<'r> Statement<Run<'r, ProverBits>> + Statement<Evaluator<F2>> + ?Sized,
    {
        let result = self.try_prove_stacked(
            statement,
            settings,
            || Evaluator::<F2>::check_until_choice(statement),
            rng,
        );
        self.conclude(result)
    }

    fn try_prove_stacked<S>(
        &mut self,
        statement: &S,
        settings: Settings,
        check: impl FnOnce() -> Result<(), StatementError>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>
    where
        S: for<'r> Statement<Run<'r, ProverBits>> + ?Sized,
    {
        let (start, before) = (Instant::now(), self.channel.stats());
        let digest = digest::<Run<'_, ProverBits>>(statement);
        let terms = Terms::bits(settings, statement.commitments());
        let begin = self.common.begin_stacked(&terms, digest)?;
        begin.send(&mut self.channel)?;
        // The peer's must be here before anything that depends on the witness leaves.
        begin.receive(&mut self.channel)?;
        self.evaluate(check)?;
        self.stock.expect(terms.correlations());
        let chains = self.common.chains(&mut self.stock, &mut self.field, &mut self.channel)?;
        let challenges = self.common.stacked_challenges(&terms, &digest, self.stock.index(), &chains, rng);
        let (stock, channel) = (&mut self.stock, &mut self.channel);
        let counted = macncheese::prove(ProverBits, settings, challenges, rng, stock, channel, statement)?;
        verdict::receive(&mut self.channel)?;
        let counted = Counted::stacked(counted, settings, terms.of_fields(), &self.common.options);
        Ok(Report::new(counted, start.elapsed(), before, self.channel.stats()))
    }

    /// The same over the values `F` with MACs in `M`.
    ///
    /// # Errors
    /// As [`Prover::prove_over`] and [`Prover::prove_stacked`].
    pub fn prove_stacked_over<F: Value, M: Mac<F>, S>(
        &mut self,
        statement: &S,
        settings: Settings,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>
    where
        S: for<'r> Statement<Run<'r, ProverField<F, M>>> + Statement<Evaluator<F>> + ?Sized,
    {
        let result = self.try_prove_stacked_over::<F, M, S>(
            statement,
            settings,
            || Evaluator::<F>::check_until_choice(statement),
            rng,
        );
        self.conclude(result)
    }

    fn try_prove_stacked_over<F: Value, M: Mac<F>, S>(
        &mut self,
        statement: &S,
        settings: Settings,
        check: impl FnOnce() -> Result<(), StatementError>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>
    where
        S: for<'r> Statement<Run<'r, ProverField<F, M>>> + ?Sized,
    {
        let (start, before) = (Instant::now(), self.channel.stats());
        let digest = digest::<Run<'_, ProverField<F, M>>>(statement);
        let terms = Terms::over::<F, M>(settings, statement.commitments());
        self.common.check_field::<F, M>()?;
        let begin = self.common.begin_stacked(&terms, digest)?;
        begin.send(&mut self.channel)?;
        let fresh = self.start_field::<F, M>(rng)?;
        begin.receive(&mut self.channel)?;
        self.finish_field::<F, M>(fresh, rng)?;
        self.evaluate(check)?;
        let chains = self.common.chains(&mut self.stock, &mut self.field, &mut self.channel)?;
        let field = existing::<FieldOfProver<F, M>>(&mut self.field)?.ok_or(Error::Over)?;
        field.stock.expect(terms.correlations());
        let challenges = self.common.stacked_challenges(&terms, &digest, field.stock.index(), &chains, rng);
        let (half, channel) = (ProverField::default(), &mut self.channel);
        let counted =
            macncheese::prove(half, settings, challenges, rng, &mut field.stock, channel, statement)?;
        verdict::receive(&mut self.channel)?;
        let counted = Counted::stacked(counted, settings, terms.of_fields(), &self.common.options);
        Ok(Report::new(counted, start.elapsed(), before, self.channel.stats()))
    }
}

impl<C: Channel> Verifier<C> {
    /// Verifies a proof by [`Prover::prove_stacked`].
    ///
    /// # Errors
    /// As [`Verifier::verify`]; [`Error::Options`] as [`Settings::check`].
    pub fn verify_stacked<S>(
        &mut self,
        statement: &S,
        settings: Settings,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>
    where
        S: for<'r> Statement<Run<'r, VerifierBits>> + ?Sized,
    {
        let result = self.try_verify_stacked(statement, settings, rng);
        self.conclude(result)
    }

    fn try_verify_stacked<S>(
        &mut self,
        statement: &S,
        settings: Settings,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>
    where
        S: for<'r> Statement<Run<'r, VerifierBits>> + ?Sized,
    {
        let (start, before) = (Instant::now(), self.channel.stats());
        let digest = digest::<Run<'_, VerifierBits>>(statement);
        let terms = Terms::bits(settings, statement.commitments());
        let begin = self.common.begin_stacked(&terms, digest)?;
        begin.send(&mut self.channel)?;
        begin.receive(&mut self.channel)?;
        self.stock.expect(terms.correlations());
        let chains = self.common.chains(&mut self.stock, &mut self.field, &mut self.channel)?;
        let challenges = self.common.stacked_challenges(&terms, &digest, self.stock.index(), &chains, rng);
        let (half, stock, channel) = (VerifierBits::new(&self.delta), &mut self.stock, &mut self.channel);
        let result = macncheese::verify(half, settings, challenges, stock, channel, statement);
        let counted = self.tell(result)?;
        let counted = Counted::stacked(counted, settings, terms.of_fields(), &self.common.options);
        Ok(Report::new(counted, start.elapsed(), before, self.channel.stats()))
    }

    /// Verifies a proof by [`Prover::prove_stacked_over`].
    ///
    /// # Errors
    /// As [`Verifier::verify_over`] and [`Verifier::verify_stacked`].
    pub fn verify_stacked_over<F: Value, M: Mac<F>, S>(
        &mut self,
        statement: &S,
        settings: Settings,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>
    where
        S: for<'r> Statement<Run<'r, VerifierField<F, M>>> + ?Sized,
    {
        let result = self.try_verify_stacked_over::<F, M, S>(statement, settings, rng);
        self.conclude(result)
    }

    fn try_verify_stacked_over<F: Value, M: Mac<F>, S>(
        &mut self,
        statement: &S,
        settings: Settings,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>
    where
        S: for<'r> Statement<Run<'r, VerifierField<F, M>>> + ?Sized,
    {
        let (start, before) = (Instant::now(), self.channel.stats());
        let digest = digest::<Run<'_, VerifierField<F, M>>>(statement);
        let terms = Terms::over::<F, M>(settings, statement.commitments());
        self.common.check_field::<F, M>()?;
        let begin = self.common.begin_stacked(&terms, digest)?;
        begin.send(&mut self.channel)?;
        let fresh = self.start_field::<F, M>(rng)?;
        begin.receive(&mut self.channel)?;
        self.finish_field::<F, M>(fresh, rng)?;
        let chains = self.common.chains(&mut self.stock, &mut self.field, &mut self.channel)?;
        let field = existing::<FieldOfVerifier<F, M>>(&mut self.field)?.ok_or(Error::Over)?;
        field.stock.expect(terms.correlations());
        let challenges = self.common.stacked_challenges(&terms, &digest, field.stock.index(), &chains, rng);
        let half = VerifierField::new(&field.delta);
        let channel = &mut self.channel;
        let result = macncheese::verify(half, settings, challenges, &mut field.stock, channel, statement);
        let counted = self.tell(result)?;
        let counted = Counted::stacked(counted, settings, terms.of_fields(), &self.common.options);
        Ok(Report::new(counted, start.elapsed(), before, self.channel.stats()))
    }

    /// Tells P the verdict, if there is one.
    fn tell(
        &mut self,
        result: Result<macncheese::Tally, volery_zk::Error>,
    ) -> Result<macncheese::Tally, Error> {
        let result = result.and_then(|counted| something_claimed(counted.assertions).map(|()| counted));
        match &result {
            // Whether or not P still wants to hear it.
            Ok(_) => drop(verdict::send(&mut self.channel, true)),
            Err(error) if error.is_rejection() => drop(verdict::send(&mut self.channel, false)),
            Err(_) => {}
        }
        Ok(result?)
    }
}
