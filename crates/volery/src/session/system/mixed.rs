//! QuickSilver over bits and a field in one proof.

use core::marker::PhantomData;

use rand_core::CryptoRng;
use volery_channel::handshake::Parameters;
use volery_circuit::{Error as StatementError, MixedEvaluator, Statement};
use volery_field::{Mac, Value};
use volery_vole::correlations::Chain;
use volery_zk::quicksilver::{self, Challenges, field, mixed};

use super::correlations::OfField;
use super::{Over, Proof, ProverSide, System, VerifierSide, sealed};
use crate::Error;
use crate::session::field::{ProverField, VerifierField, existing};
use crate::session::memory::{self, Bytes, Rehearsed};
use crate::session::report::Counted;
use crate::session::{Common, Options};

/// QuickSilver over bits and the values `F` in one proof, with MACs of elements in `M`; see [`Over`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mixed<F, M>(PhantomData<fn() -> (F, M)>);

impl<F: Value, M: Mac<F>> Mixed<F, M> {
    /// The system.
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }

    /// Where the challenges of the field's part and of the Boolean part come from, which begin at these
    /// correlations.
    fn challenges<'c>(
        common: &Common,
        proof: &Proof<'_>,
        first_correlations: [u64; 2],
        rng: &mut dyn CryptoRng,
    ) -> [Challenges<'c>; 2] {
        let one = |mode, first, chains: &[Chain], rng: &mut dyn CryptoRng| {
            if !common.options.fiat_shamir {
                return Challenges::seeded(&common.id, rng);
            }
            Challenges::FiatShamir(Over::<F, M>::transcript(common, mode, &proof.digest, first, chains))
        };
        let [field, bits] = first_correlations;
        [
            one("mixed proof: field", field, proof.chains, rng),
            one("mixed proof: bits", bits, proof.chains, rng),
        ]
    }
}

impl<F, M> sealed::Sealed for Mixed<F, M> {}

impl<F: Value, M: Mac<F>> System for Mixed<F, M> {
    type Prover<'a> = mixed::Prover<'a, F, M>;
    type Verifier<'a> = mixed::Verifier<'a, F, M>;
    type Evaluator = MixedEvaluator<F>;
    type Setup = OfField<F, M>;

    fn allow(&self, options: &Options, _: Option<u64>) -> Result<(), Error> {
        Over::<F, M>::allow_hashes(options)
    }

    /// A count of commitments would not say to which of the two parts they belong, so none is compared.
    fn parameters(&self, options: &Options, number: u64, _: Option<u64>) -> Result<Parameters, Error> {
        Over::<F, M>::compared(options, Some(options.settings().interval), number, None)
    }

    fn evaluate<S: Statement<MixedEvaluator<F>> + ?Sized>(statement: &S) -> Result<(), StatementError> {
        MixedEvaluator::<F>::check(statement)
    }

    fn memory(&self, rehearsed: &Rehearsed<'_>) -> Bytes {
        let Rehearsed { options, report, .. } = rehearsed;
        // Nothing is announced to either pool.
        let rehearsed = &Rehearsed { announced: false, ..*rehearsed };
        memory::sum([
            memory::of_bits(rehearsed),
            memory::of_field::<F, M>(rehearsed),
            memory::bit_blocks(options, &report.bits),
            memory::field_blocks::<F, M>(options, &report.tally),
        ])
    }

    fn run_prover<S>(
        &self,
        side: ProverSide<'_>,
        proof: &Proof<'_>,
        statement: &S,
        rng: &mut dyn CryptoRng,
    ) -> Result<Counted, Error>
    where
        S: for<'a> Statement<mixed::Prover<'a, F, M>> + ?Sized,
    {
        let ProverSide { common, pool: bits, field, channel, .. } = side;
        let ProverField { pool } = existing::<ProverField<F, M>>(field)?.ok_or(Error::Over)?;
        pool.expect(None);
        bits.expect(None);
        let [challenges, of_bits] = Self::challenges(common, proof, [pool.index(), bits.index()], rng);
        let (settings, threads) = (common.options.settings(), common.threads.as_deref());
        let bits = quicksilver::bits::Prover::new(settings, of_bits, bits, channel, threads);
        let field = field::Prover::new(common.options.settings_over(), challenges, pool, bits);
        let mut seed = zeroize::Zeroizing::new([0; 16]);
        rng.fill_bytes(&mut *seed);
        let tallies = mixed::Prover::new(field, seed).prove(statement)?;
        Ok(Counted::mixed::<F, M>(tallies, &common.options))
    }

    fn run_verifier<S>(
        &self,
        side: VerifierSide<'_>,
        proof: &Proof<'_>,
        statement: &S,
        rng: &mut dyn CryptoRng,
    ) -> Result<Counted, Error>
    where
        S: for<'a> Statement<mixed::Verifier<'a, F, M>> + ?Sized,
    {
        let VerifierSide { common, pool: bits, delta: of_bits, field, channel, .. } = side;
        let VerifierField { pool, delta, .. } = existing::<VerifierField<F, M>>(field)?.ok_or(Error::Over)?;
        pool.expect(None);
        bits.expect(None);
        let [challenges, bit_challenges] = Self::challenges(common, proof, [pool.index(), bits.index()], rng);
        let (settings, threads) = (common.options.settings(), common.threads.as_deref());
        let bits =
            quicksilver::bits::Verifier::new(settings, bit_challenges, of_bits, bits, channel, threads);
        let settings = common.options.settings_over();
        let field = field::Verifier::new(settings, challenges, delta, pool, bits);
        let tallies = mixed::Verifier::new(field).verify(statement)?;
        Ok(Counted::mixed::<F, M>(tallies, &common.options))
    }
}
