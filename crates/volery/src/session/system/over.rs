//! QuickSilver over a field: the same steps as over bits, with correlations of its own.

use core::marker::PhantomData;

use rand_core::CryptoRng;
use volery_channel::handshake::Parameters;
use volery_circuit::{Error as StatementError, Evaluator, Statement};
use volery_field::{Mac, Value};
use volery_vole::Transcript;
use volery_vole::correlations::Chain;
use volery_zk::quicksilver::{Challenges, field};

use super::correlations::OfField;
use super::{Proof, ProverSide, System, VerifierSide, sealed};
use crate::Error;
use crate::session::field::{ProverField, VerifierField, existing};
use crate::session::memory::{self, Bytes, Rehearsed};
use crate::session::report::Counted;
use crate::session::{Common, Options, transcript};

/// QuickSilver over the values `F`, with MACs in `M`; disjunctions by Robin.
///
/// The first proof over a field sets its correlations up, which takes one round trip more. A session serves
/// one field beside bits. Where challenges are hashes ([`Options::fiat_shamir`]) `M` needs 120 bits.
///
/// ```
/// use volery::field::{F61, F61x2};
/// use volery::system::Over;
///
/// let system = Over::<F61, F61x2>::new();
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Over<F, M>(PhantomData<fn() -> (F, M)>);

impl<F: Value, M: Mac<F>> Over<F, M> {
    /// The system.
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }

    /// Where the challenges of a proof come from.
    pub(in crate::session) fn challenges<'r>(
        common: &Common,
        digest: &[u8; 32],
        first_correlation: u64,
        chains: &[Chain],
        rng: &'r mut dyn CryptoRng,
    ) -> Challenges<'r> {
        if !common.options.fiat_shamir {
            return Challenges::Interactive(rng);
        }
        let mode = "session over a field";
        Challenges::FiatShamir(Self::transcript(common, mode, digest, first_correlation, chains))
    }

    /// What they are hashes of, in this `mode`.
    pub(super) fn transcript(
        common: &Common,
        mode: &str,
        digest: &[u8; 32],
        first_correlation: u64,
        chains: &[Chain],
    ) -> Transcript {
        let interval = common.options.settings_over().interval;
        let mut transcript = transcript(mode, &common.id, digest, interval, first_correlation, chains);
        transcript.absorb_number("bits interval", common.options.settings().interval as u64);
        transcript.absorb("value field", F::NAME.as_bytes());
        transcript.absorb("mac field", M::NAME.as_bytes());
        transcript.absorb_number("proof", common.proofs);
        transcript
    }

    /// Refuses a MAC field that hashes are too many for.
    pub(super) fn allow_hashes(options: &Options) -> Result<(), Error> {
        // Hashes stand for V's choice, so a cheating P may try: the field must be too large for that.
        if options.fiat_shamir && M::BITS < 120 {
            return Err(Error::Options(format!(
                "challenges by Fiat-Shamir need a MAC field of 120 bits or more; {} has {}: take its extension (--rho 100)",
                M::NAME,
                M::BITS
            )));
        }
        Ok(())
    }

    /// What parties compare before a proof over a field, in which bits are checked in blocks of so many, if
    /// there are any.
    pub(super) fn compared(
        options: &Options,
        bits_interval: Option<usize>,
        number: u64,
        commitments: Option<u64>,
    ) -> Result<Parameters, Error> {
        let bits = bits_interval.map_or_else(|| "none".to_owned(), |interval| interval.to_string());
        Ok(options
            .proof_parameters(number, commitments)?
            .with("bits-interval", bits)?
            .with("field", F::NAME)?
            .with("mac-field", M::NAME)?
            .with("correlations", "subfield softspoken, wolverine-halftree, local code v2")?
            .with("interval", options.settings_over().interval)?)
    }

    pub(in crate::session) fn correlations(options: &Options, commitments: Option<u64>) -> Option<u64> {
        commitments.map(|n| options.settings_over().expected(n, M::DEGREE as u64))
    }
}

impl<F, M> sealed::Sealed for Over<F, M> {}

impl<F: Value, M: Mac<F>> System for Over<F, M> {
    type Prover<'a> = field::Prover<'a, F, M>;
    type Verifier<'a> = field::Verifier<'a, F, M>;
    type Evaluator = Evaluator<F>;
    type Setup = OfField<F, M>;

    fn allow(&self, options: &Options, _: Option<u64>) -> Result<(), Error> {
        Self::allow_hashes(options)
    }

    fn parameters(
        &self,
        options: &Options,
        number: u64,
        commitments: Option<u64>,
    ) -> Result<Parameters, Error> {
        Self::compared(options, None, number, commitments)
    }

    fn evaluate<S: Statement<Evaluator<F>> + ?Sized>(statement: &S) -> Result<(), StatementError> {
        Evaluator::<F>::check_until_choice(statement)
    }

    fn memory(&self, rehearsed: &Rehearsed<'_>) -> Bytes {
        let Rehearsed { options, report, .. } = rehearsed;
        let proof = memory::field_blocks::<F, M>(options, &report.tally);
        let disjunction = memory::robin(&report.tally, memory::wire::<F, M>());
        memory::sum([memory::of_bits(rehearsed), memory::of_field::<F, M>(rehearsed), proof, disjunction])
    }

    fn run_prover<S>(
        &self,
        side: ProverSide<'_>,
        proof: &Proof<'_>,
        statement: &S,
        rng: &mut dyn CryptoRng,
    ) -> Result<Counted, Error>
    where
        S: for<'a> Statement<field::Prover<'a, F, M>> + ?Sized,
    {
        let ProverSide { common, field, channel, .. } = side;
        let ProverField { pool } = existing::<ProverField<F, M>>(field)?.ok_or(Error::Over)?;
        pool.expect(Self::correlations(&common.options, proof.commitments));
        let challenges = Self::challenges(common, &proof.digest, pool.index(), proof.chains, rng);
        let link = field::Alone(channel);
        let prover = field::Prover::new(common.options.settings_over(), challenges, pool, link);
        Ok(Counted::over::<F, M>(prover.prove(statement)?, &common.options))
    }

    fn run_verifier<S>(
        &self,
        side: VerifierSide<'_>,
        proof: &Proof<'_>,
        statement: &S,
        rng: &mut dyn CryptoRng,
    ) -> Result<Counted, Error>
    where
        S: for<'a> Statement<field::Verifier<'a, F, M>> + ?Sized,
    {
        let VerifierSide { common, field, channel, .. } = side;
        let VerifierField { pool, delta, .. } = existing::<VerifierField<F, M>>(field)?.ok_or(Error::Over)?;
        pool.expect(Self::correlations(&common.options, proof.commitments));
        let challenges = Self::challenges(common, &proof.digest, pool.index(), proof.chains, rng);
        let link = field::Alone(channel);
        let settings = common.options.settings_over();
        let verifier = field::Verifier::new(settings, challenges, delta, pool, link);
        Ok(Counted::over::<F, M>(verifier.verify(statement)?, &common.options))
    }
}
