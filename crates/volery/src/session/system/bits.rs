//! QuickSilver over bits.

use rand_core::CryptoRng;
use volery_channel::handshake::Parameters;
use volery_circuit::{Error as StatementError, Evaluator, Statement};
use volery_field::F2;
use volery_vole::correlations::Chain;
use volery_zk::quicksilver::{self, Challenges};

use super::correlations::OfBits;
use super::{Proof, ProverSide, System, VerifierSide, sealed};
use crate::Error;
use crate::session::memory::{self, Bytes, Rehearsed};
use crate::session::report::Counted;
use crate::session::{Common, Options, transcript};

/// QuickSilver over bits; disjunctions by Robin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bits;

impl Bits {
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
        let interval = common.options.settings().interval;
        let mut transcript = transcript("session", &common.id, digest, interval, first_correlation, chains);
        transcript.absorb_number("proof", common.proofs);
        Challenges::FiatShamir(transcript)
    }

    /// Correlations that a statement with so many secret values and multiplications takes, the checks
    /// included.
    pub(in crate::session) fn correlations(options: &Options, commitments: Option<u64>) -> Option<u64> {
        let interval = options.settings().interval as u64;
        commitments.map(|n| n.saturating_add((n / interval + 1).saturating_mul(128)))
    }
}

impl sealed::Sealed for Bits {}

impl System for Bits {
    type Prover<'a> = quicksilver::bits::Prover<'a>;
    type Verifier<'a> = quicksilver::bits::Verifier<'a>;
    type Evaluator = Evaluator<F2>;
    type Setup = OfBits;

    fn allow(&self, _: &Options, _: Option<u64>) -> Result<(), Error> {
        Ok(())
    }

    fn parameters(
        &self,
        options: &Options,
        number: u64,
        commitments: Option<u64>,
    ) -> Result<Parameters, Error> {
        Ok(options
            .proof_parameters(number, commitments)?
            .with("field", "F2")?
            .with("interval", options.settings().interval)?)
    }

    fn evaluate<S: Statement<Evaluator<F2>> + ?Sized>(statement: &S) -> Result<(), StatementError> {
        Evaluator::<F2>::check_until_choice(statement)
    }

    fn memory(&self, rehearsed: &Rehearsed<'_>) -> Bytes {
        let Rehearsed { options, report, .. } = rehearsed;
        let proof = memory::bit_blocks(options, &report.tally);
        memory::sum([memory::of_bits(rehearsed), proof, memory::robin(&report.tally, memory::WIRE)])
    }

    fn run_prover<S>(
        &self,
        side: ProverSide<'_>,
        proof: &Proof<'_>,
        statement: &S,
        rng: &mut dyn CryptoRng,
    ) -> Result<Counted, Error>
    where
        S: for<'a> Statement<quicksilver::bits::Prover<'a>> + ?Sized,
    {
        let ProverSide { common, pool, channel, .. } = side;
        pool.expect(Self::correlations(&common.options, proof.commitments));
        let challenges = Self::challenges(common, &proof.digest, pool.index(), proof.chains, rng);
        let (settings, threads) = (common.options.settings(), common.threads.as_deref());
        let prover = quicksilver::bits::Prover::new(settings, challenges, pool, channel, threads);
        Ok(Counted::bits(prover.prove(statement)?, &common.options))
    }

    fn run_verifier<S>(
        &self,
        side: VerifierSide<'_>,
        proof: &Proof<'_>,
        statement: &S,
        rng: &mut dyn CryptoRng,
    ) -> Result<Counted, Error>
    where
        S: for<'a> Statement<quicksilver::bits::Verifier<'a>> + ?Sized,
    {
        let VerifierSide { common, pool, delta, channel, .. } = side;
        pool.expect(Self::correlations(&common.options, proof.commitments));
        let challenges = Self::challenges(common, &proof.digest, pool.index(), proof.chains, rng);
        let (settings, threads) = (common.options.settings(), common.threads.as_deref());
        let verifier = quicksilver::bits::Verifier::new(settings, challenges, delta, pool, channel, threads);
        Ok(Counted::bits(verifier.verify(statement)?, &common.options))
    }
}
