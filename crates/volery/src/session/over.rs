//! Proofs over a field: the same steps as for Boolean statements, with correlations of their own.

use std::time::Instant;

use rand_core::CryptoRng;
use volery_channel::Channel;
use volery_circuit::{Backend, Error as StatementError, Evaluator, MixedEvaluator, Statement};
use volery_field::{Mac, Value};
use volery_vole::Transcript;
use volery_vole::supply::Chain;
use volery_zk::quicksilver::{self, Challenges, Tally, arithmetic, mixed, verdict};

use super::evaluate::something_claimed;
use super::field::{ProverField, ProverStart, VerifierField, VerifierStart, existing};
use super::report::Counted;
use super::{Common, Kind, Prover, Report, Verifier, digest, rehearsal, transcript};
use crate::Error;

impl Common {
    /// Where the challenges of a proof over a field come from.
    pub(super) fn field_challenges<'r, F: Value, M: Mac<F>>(
        &self,
        digest: &[u8; 32],
        first_correlation: u64,
        chains: &[Chain],
        rng: &'r mut dyn CryptoRng,
    ) -> Challenges<'r> {
        if !self.options.fiat_shamir {
            return Challenges::Interactive(rng);
        }
        Challenges::FiatShamir(self.field_transcript::<F, M>(
            "session over a field",
            digest,
            first_correlation,
            chains,
        ))
    }

    /// Those of the field's part of a mixed proof.
    fn mixed_challenges<'c, F: Value, M: Mac<F>>(
        &self,
        digest: &[u8; 32],
        first_correlation: u64,
        chains: &[Chain],
        rng: &mut dyn CryptoRng,
    ) -> Challenges<'c> {
        if !self.options.fiat_shamir {
            return Challenges::seeded(&self.id, rng);
        }
        Challenges::FiatShamir(self.field_transcript::<F, M>(
            "mixed proof: field",
            digest,
            first_correlation,
            chains,
        ))
    }

    /// Those of its Boolean part.
    fn bit_challenges<'c, F: Value, M: Mac<F>>(
        &self,
        digest: &[u8; 32],
        first_correlation: u64,
        chains: &[Chain],
        rng: &mut dyn CryptoRng,
    ) -> Challenges<'c> {
        if !self.options.fiat_shamir {
            return Challenges::seeded(&self.id, rng);
        }
        Challenges::FiatShamir(self.field_transcript::<F, M>(
            "mixed proof: bits",
            digest,
            first_correlation,
            chains,
        ))
    }

    fn field_transcript<F: Value, M: Mac<F>>(
        &self,
        mode: &str,
        digest: &[u8; 32],
        first_correlation: u64,
        chains: &[Chain],
    ) -> Transcript {
        let interval = self.options.settings_over().interval;
        let mut transcript = transcript(mode, &self.id, digest, interval, first_correlation, chains);
        transcript.absorb_number("bits interval", self.options.settings().interval as u64);
        transcript.absorb("value field", F::NAME.as_bytes());
        transcript.absorb("mac field", M::NAME.as_bytes());
        transcript.absorb_number("proof", self.proofs);
        transcript
    }

    /// What a statement over a field needs of the session's options.
    pub(super) fn check_field<F: Value, M: Mac<F>>(&self) -> Result<(), Error> {
        // Hashes stand for V's choice, so a cheating P may try: the field must be too large for that.
        if self.options.fiat_shamir && M::BITS < 120 {
            return Err(Error::Options(format!(
                "challenges by Fiat-Shamir need a MAC field of 120 bits or more; {} has {}: take its extension (--rho 100)",
                M::NAME,
                M::BITS
            )));
        }
        Ok(())
    }

    fn expected_over<F: Value, M: Mac<F>>(&self, commitments: Option<u64>) -> Option<u64> {
        let settings = self.options.settings_over();
        commitments.map(|n| settings.expected(n, M::DEGREE as u64))
    }
}

impl<C: Channel> Prover<C> {
    /// Proves `statement` over the values `F` with MACs in `M`; see [`Prover::prove`].
    ///
    /// The first proof over a field sets its correlations up, which takes one round trip more; a session
    /// serves one field beside bits.
    ///
    /// # Errors
    /// As [`Prover::prove`]; [`Error::Options`] if the session serves another field or challenges by
    /// Fiat-Shamir need a larger MAC field.
    pub fn prove_over<F: Value, M: Mac<F>, S>(
        &mut self,
        statement: &S,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>
    where
        S: for<'a> Statement<arithmetic::Prover<'a, F, M>> + Statement<Evaluator<F>> + ?Sized,
    {
        let result =
            self.try_prove_over::<F, M, S>(statement, || Evaluator::<F>::check_until_choice(statement), rng);
        self.conclude(result)
    }

    fn try_prove_over<F: Value, M: Mac<F>, S>(
        &mut self,
        statement: &S,
        check: impl FnOnce() -> Result<(), StatementError>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>
    where
        S: for<'a> Statement<arithmetic::Prover<'a, F, M>> + ?Sized,
    {
        let (start, before) = (Instant::now(), self.channel.stats());
        let digest = digest::<arithmetic::Prover<'_, F, M>>(statement);
        self.begin_field::<F, M>(Kind::Field, digest, statement.commitments(), rng)?;
        self.evaluate(check)?;
        let chains = self.common.chains(&mut self.stock, &mut self.field, &mut self.channel)?;
        let field = existing::<ProverField<F, M>>(&mut self.field)?.ok_or(Error::Over)?;
        field.stock.expect(self.common.expected_over::<F, M>(statement.commitments()));
        let challenges = self.common.field_challenges::<F, M>(&digest, field.stock.index(), &chains, rng);
        let prover = arithmetic::Prover::new(
            self.common.options.settings_over(),
            challenges,
            &mut field.stock,
            arithmetic::Alone(&mut self.channel),
        );
        let tally = prover.prove(statement)?;
        verdict::receive(&mut self.channel)?;
        let counted = Counted::over::<F, M>(tally, &self.common.options);
        Ok(Report::new(counted, start.elapsed(), before, self.channel.stats()))
    }

    /// Proves `statement` over bits and the values `F`, with MACs of elements in `M`; see
    /// [`Prover::prove_over`].
    ///
    /// # Errors
    /// As [`Prover::prove_over`].
    pub fn prove_mixed<F: Value, M: Mac<F>, S>(
        &mut self,
        statement: &S,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>
    where
        S: for<'a> Statement<mixed::Prover<'a, F, M>> + Statement<MixedEvaluator<F>> + ?Sized,
        for<'a> mixed::Prover<'a, F, M>: Backend<Error = volery_zk::Error>,
    {
        let result =
            self.try_prove_mixed::<F, M, S>(statement, || MixedEvaluator::<F>::check(statement), rng);
        self.conclude(result)
    }

    fn try_prove_mixed<F: Value, M: Mac<F>, S>(
        &mut self,
        statement: &S,
        check: impl FnOnce() -> Result<(), StatementError>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>
    where
        S: for<'a> Statement<mixed::Prover<'a, F, M>> + ?Sized,
        for<'a> mixed::Prover<'a, F, M>: Backend<Error = volery_zk::Error>,
    {
        let (start, before) = (Instant::now(), self.channel.stats());
        let digest = digest::<mixed::Prover<'_, F, M>>(statement);
        self.begin_field::<F, M>(Kind::Mixed, digest, None, rng)?;
        self.evaluate(check)?;
        let chains = self.common.chains(&mut self.stock, &mut self.field, &mut self.channel)?;
        let field = existing::<ProverField<F, M>>(&mut self.field)?.ok_or(Error::Over)?;
        field.stock.expect(None);
        self.stock.expect(None);
        let challenges = self.common.mixed_challenges::<F, M>(&digest, field.stock.index(), &chains, rng);
        let bit_challenges = self.common.bit_challenges::<F, M>(&digest, self.stock.index(), &chains, rng);
        let bits = quicksilver::Prover::new(
            self.common.options.settings(),
            bit_challenges,
            &mut self.stock,
            &mut self.channel,
            self.common.threads.as_deref(),
        );
        let field =
            arithmetic::Prover::new(self.common.options.settings_over(), challenges, &mut field.stock, bits);
        let mut seed = zeroize::Zeroizing::new([0; 16]);
        rng.fill_bytes(&mut *seed);
        let tallies = mixed::Prover::new(field, seed).prove(statement)?;
        verdict::receive(&mut self.channel)?;
        let counted = Counted::mixed::<F, M>(tallies, &self.common.options);
        Ok(Report::new(counted, start.elapsed(), before, self.channel.stats()))
    }

    /// Agrees with the peer on what is proved, and sets the correlations over the field up if this is their
    /// first use.
    fn begin_field<F: Value, M: Mac<F>>(
        &mut self,
        kind: Kind,
        digest: [u8; 32],
        commitments: Option<u64>,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        self.common.check_field::<F, M>()?;
        let begin = self.common.begin_over::<F, M>(kind, digest, commitments)?;
        begin.send(&mut self.channel)?;
        // The peer's must be here before anything that depends on a witness leaves; the set-up does not.
        let fresh = self.start_field::<F, M>(rng)?;
        begin.receive(&mut self.channel)?;
        self.finish_field::<F, M>(fresh, rng)
    }

    /// Begins the set-up over a field unless it was made before.
    pub(super) fn start_field<F: Value, M: Mac<F>>(
        &mut self,
        rng: &mut dyn CryptoRng,
    ) -> Result<Option<ProverStart>, Error> {
        if existing::<ProverField<F, M>>(&mut self.field)?.is_some() {
            return Ok(None);
        }
        ProverStart::send(&mut self.channel, rng).map(Some)
    }

    /// Ends a set-up that was begun.
    pub(super) fn finish_field<F: Value, M: Mac<F>>(
        &mut self,
        start: Option<ProverStart>,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        if let Some(start) = start {
            let (common, channel) = (&self.common, &mut self.channel);
            let made = match &mut self.extension {
                Some(extension) => start.finish::<F, M>(common, extension, channel, rng)?,
                None => rehearsal::finish_field::<F, M>(common, channel, rng)?,
            };
            self.field = Some(Box::new(made));
        }
        Ok(())
    }

    /// Makes `count` correlations over a field and throws them away, then ends the session: what their making
    /// costs by itself, the set-up included. The peer must ask for the same number.
    ///
    /// # Errors
    /// What making them finds wrong, the channel's errors.
    pub fn spend_over<F: Value, M: Mac<F>>(
        &mut self,
        count: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error> {
        let result = self.try_spend_over::<F, M>(count, rng);
        let result = self.conclude(result);
        self.common.over = true;
        result
    }

    fn try_spend_over<F: Value, M: Mac<F>>(
        &mut self,
        count: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error> {
        let fresh = self.start_field::<F, M>(rng)?;
        self.finish_field::<F, M>(fresh, rng)?;
        let field = existing::<ProverField<F, M>>(&mut self.field)?.ok_or(Error::Over)?;
        self.common.spend(count, &mut field.stock, &mut self.channel)
    }
}

impl<C: Channel> Verifier<C> {
    /// Verifies a proof of `statement` over the values `F` with MACs in `M`; see [`Verifier::verify`].
    ///
    /// The first proof over a field sets its correlations up, which takes one round trip more; a session
    /// serves one field beside bits.
    ///
    /// # Errors
    /// As [`Verifier::verify`]; [`Error::Options`] if the session serves another field or challenges by
    /// Fiat-Shamir need a larger MAC field.
    pub fn verify_over<F: Value, M: Mac<F>, S>(
        &mut self,
        statement: &S,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>
    where
        S: for<'a> Statement<arithmetic::Verifier<'a, F, M>> + ?Sized,
    {
        let result = self.try_verify_over::<F, M, S>(statement, rng);
        self.conclude(result)
    }

    fn try_verify_over<F: Value, M: Mac<F>, S>(
        &mut self,
        statement: &S,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>
    where
        S: for<'a> Statement<arithmetic::Verifier<'a, F, M>> + ?Sized,
    {
        let (start, before) = (Instant::now(), self.channel.stats());
        let digest = digest::<arithmetic::Verifier<'_, F, M>>(statement);
        self.begin_field::<F, M>(Kind::Field, digest, statement.commitments(), rng)?;
        let chains = self.common.chains(&mut self.stock, &mut self.field, &mut self.channel)?;
        let field = existing::<VerifierField<F, M>>(&mut self.field)?.ok_or(Error::Over)?;
        field.stock.expect(self.common.expected_over::<F, M>(statement.commitments()));
        let challenges = self.common.field_challenges::<F, M>(&digest, field.stock.index(), &chains, rng);
        let verifier = arithmetic::Verifier::new(
            self.common.options.settings_over(),
            challenges,
            &field.delta,
            &mut field.stock,
            arithmetic::Alone(&mut self.channel),
        );
        let result = verifier.verify(statement).and_then(|tally| {
            something_claimed(tally.claims())?;
            Ok(tally)
        });
        if let Err(error) = &result
            && error.is_rejection()
        {
            // A prover that hung up does not turn a wrong proof into a broken connection.
            let _ = verdict::send(&mut self.channel, false);
        }
        let tally = result?;
        // The proof holds whether or not P still wants to hear it.
        let _ = verdict::send(&mut self.channel, true);
        let counted = Counted::over::<F, M>(tally, &self.common.options);
        Ok(Report::new(counted, start.elapsed(), before, self.channel.stats()))
    }

    /// Verifies a proof of `statement` over bits and the values `F`, with MACs of elements in `M`; see
    /// [`Verifier::verify_over`].
    ///
    /// # Errors
    /// As [`Verifier::verify_over`].
    pub fn verify_mixed<F: Value, M: Mac<F>, S>(
        &mut self,
        statement: &S,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>
    where
        S: for<'a> Statement<mixed::Verifier<'a, F, M>> + ?Sized,
        for<'a> mixed::Verifier<'a, F, M>: Backend<Error = volery_zk::Error>,
    {
        let result = self.try_verify_mixed::<F, M, S>(statement, rng);
        self.conclude(result)
    }

    fn try_verify_mixed<F: Value, M: Mac<F>, S>(
        &mut self,
        statement: &S,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error>
    where
        S: for<'a> Statement<mixed::Verifier<'a, F, M>> + ?Sized,
        for<'a> mixed::Verifier<'a, F, M>: Backend<Error = volery_zk::Error>,
    {
        let (start, before) = (Instant::now(), self.channel.stats());
        let digest = digest::<mixed::Verifier<'_, F, M>>(statement);
        self.begin_field::<F, M>(Kind::Mixed, digest, None, rng)?;
        let chains = self.common.chains(&mut self.stock, &mut self.field, &mut self.channel)?;
        let field = existing::<VerifierField<F, M>>(&mut self.field)?.ok_or(Error::Over)?;
        field.stock.expect(None);
        self.stock.expect(None);
        let challenges = self.common.mixed_challenges::<F, M>(&digest, field.stock.index(), &chains, rng);
        let bit_challenges = self.common.bit_challenges::<F, M>(&digest, self.stock.index(), &chains, rng);
        let bits = quicksilver::Verifier::new(
            self.common.options.settings(),
            bit_challenges,
            &self.delta,
            &mut self.stock,
            &mut self.channel,
            self.common.threads.as_deref(),
        );
        let field = arithmetic::Verifier::new(
            self.common.options.settings_over(),
            challenges,
            &field.delta,
            &mut field.stock,
            bits,
        );
        let result = mixed::Verifier::new(field).verify(statement).and_then(|tallies| {
            something_claimed(tallies.iter().map(Tally::claims).sum())?;
            Ok(tallies)
        });
        if let Err(error) = &result
            && error.is_rejection()
        {
            let _ = verdict::send(&mut self.channel, false);
        }
        let tallies = result?;
        let _ = verdict::send(&mut self.channel, true);
        let counted = Counted::mixed::<F, M>(tallies, &self.common.options);
        Ok(Report::new(counted, start.elapsed(), before, self.channel.stats()))
    }

    /// Agrees with the peer on what is proved, and sets the correlations over the field up if this is their
    /// first use.
    fn begin_field<F: Value, M: Mac<F>>(
        &mut self,
        kind: Kind,
        digest: [u8; 32],
        commitments: Option<u64>,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        self.common.check_field::<F, M>()?;
        let begin = self.common.begin_over::<F, M>(kind, digest, commitments)?;
        begin.send(&mut self.channel)?;
        // The peer's must be here before anything that depends on a witness leaves; the set-up does not.
        let fresh = self.start_field::<F, M>(rng)?;
        begin.receive(&mut self.channel)?;
        self.finish_field::<F, M>(fresh, rng)
    }

    /// Begins the set-up over a field unless it was made before.
    pub(super) fn start_field<F: Value, M: Mac<F>>(
        &mut self,
        rng: &mut dyn CryptoRng,
    ) -> Result<Option<VerifierStart>, Error> {
        if existing::<VerifierField<F, M>>(&mut self.field)?.is_some() {
            return Ok(None);
        }
        VerifierStart::send(&mut self.channel, rng).map(Some)
    }

    /// Ends a set-up that was begun.
    pub(super) fn finish_field<F: Value, M: Mac<F>>(
        &mut self,
        start: Option<VerifierStart>,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        if let Some(start) = start {
            let made = start.finish::<F, M>(&self.common, &mut self.extension, &mut self.channel, rng)?;
            self.field = Some(Box::new(made));
        }
        Ok(())
    }

    /// Makes `count` correlations over a field and throws them away, then ends the session: what their making
    /// costs by itself, the set-up included. The peer must ask for the same number.
    ///
    /// # Errors
    /// What making them finds wrong, the channel's errors.
    pub fn spend_over<F: Value, M: Mac<F>>(
        &mut self,
        count: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error> {
        let result = self.try_spend_over::<F, M>(count, rng);
        let result = self.conclude(result);
        self.common.over = true;
        result
    }

    fn try_spend_over<F: Value, M: Mac<F>>(
        &mut self,
        count: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error> {
        let fresh = self.start_field::<F, M>(rng)?;
        self.finish_field::<F, M>(fresh, rng)?;
        let field = existing::<VerifierField<F, M>>(&mut self.field)?.ok_or(Error::Over)?;
        self.common.spend(count, &mut field.stock, &mut self.channel)
    }
}
