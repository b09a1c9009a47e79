//! The ways to prove a statement over a session: each with its system, the kind of network that it suits, and
//! its soundness.
//!
//! Each kind of statement lists its ways ([`Instance::ways`](crate::Instance::ways)). A session takes the
//! first one that suits its options and is sound enough ([`crate::settle`]).

use rand_core::CryptoRng;
use volery::system::{Bits, Over, Provable};
use volery::{Error, Estimate, Options, Profile, Prover, Verifier, estimate_through};
use volery_circuit::Counts;
use volery_zk::quicksilver::bits::{Program, Settings};
use volery_zk::quicksilver::soundness::Checks;
use volery_zk::soundness::{FieldSize, Mode, Soundness};

use crate::fields::Served;
use crate::progress::{Watch, Wire};
use crate::system::{Correlations, Done, Known, Pair};

/// A statement with a system that proves it, as a trait object.
pub trait Proving: Send + Sync {
    /// The correlations of the system.
    fn correlations(&self) -> &dyn Correlations;

    /// Estimates a session that proves the statement. `watch` hears of the rehearsal.
    ///
    /// # Errors
    /// As [`volery::estimate()`].
    fn estimate(&self, options: Options, watch: &Watch) -> Result<Estimate, Error>;

    /// Proves the statement. What the channel does not tell `watch` of the progress is told here.
    ///
    /// # Errors
    /// As [`Prover::prove`].
    fn prove(&self, prover: &mut Prover<Wire>, watch: &Watch, rng: &mut dyn CryptoRng) -> Done;

    /// Verifies a proof of the statement, and tells how far it is.
    ///
    /// # Errors
    /// As [`Verifier::verify`].
    fn verify(&self, verifier: &mut Verifier<Wire>, watch: &Watch, rng: &mut dyn CryptoRng) -> Done;
}

/// The statement `S`, proved by the system `Y`.
pub struct ProvedBy<S, Y> {
    /// The statement.
    pub statement: S,
    /// The system.
    pub system: Y,
}

impl<S: Provable<Y> + Send + Sync, Y: Known> Proving for ProvedBy<S, Y> {
    fn correlations(&self) -> &dyn Correlations {
        &self.system
    }

    fn estimate(&self, options: Options, watch: &Watch) -> Result<Estimate, Error> {
        let wrap = |channel| watch.wire(Box::new(channel), Y::pair().value_bits);
        estimate_through(wrap, options, self.system, &self.statement)
    }

    fn prove(&self, prover: &mut Prover<Wire>, _watch: &Watch, rng: &mut dyn CryptoRng) -> Done {
        Ok(prover.prove(self.system, &self.statement, rng)?.into())
    }

    fn verify(&self, verifier: &mut Verifier<Wire>, _watch: &Watch, rng: &mut dyn CryptoRng) -> Done {
        Ok(verifier.verify(self.system, &self.statement, rng)?.into())
    }
}

/// Computes a lower bound on the soundness, in bits, from the options and the statement's counts.
pub type Worth<'a> = Box<dyn Fn(&Options, &Counts) -> f64 + Send + Sync + 'a>;

/// A way to prove one statement.
pub struct Way<'a> {
    /// The protocol's name.
    pub protocol: &'static str,
    /// The kind of network that it suits.
    pub profile: Profile,
    /// The least soundness, in bits, unless somebody asks for another one.
    pub rho: u16,
    /// Makes and verifies the proof.
    pub proving: Box<dyn Proving + 'a>,
    /// What it is worth.
    pub worth: Worth<'a>,
}

impl<'a> Way<'a> {
    /// A statement about bits, proved by QuickSilver. Robin is QuickSilver with disjunctions.
    pub fn over_bits<S>(protocol: &'static str, profile: Profile, statement: S) -> Self
    where
        S: Provable<Bits> + Send + Sync + 'a,
    {
        Self {
            protocol,
            profile,
            rho: RHO,
            proving: Box::new(ProvedBy { statement, system: Bits }),
            worth: Box::new(|options, counts| bit_soundness(counts, options.settings(), options.fiat_shamir)),
        }
    }

    /// A statement over the values `F`, with MACs in the field `M`.
    fn over<F: Served, Y, S>(profile: Profile, system: Y, statement: S) -> Self
    where
        Y: Known + 'a,
        S: Provable<Y> + Send + Sync + 'a,
    {
        let Pair { size, .. } = Y::pair();
        Self {
            protocol: "quicksilver",
            profile,
            rho: F::RHO,
            proving: Box::new(ProvedBy { statement, system }),
            worth: Box::new(move |options, counts| {
                let checks = Checks::of(counts, options.settings_over().interval);
                Soundness::quicksilver(checks, size, Mode::hashed(options.fiat_shamir)).bits()
            }),
        }
    }

    /// All ways to prove a statement over the values `F`. For each kind of network the smallest field of MACs
    /// comes first, so a session takes the cheapest way that is sound enough.
    pub fn over_field<F: Served, S>(statement: S) -> Vec<Self>
    where
        S: Provable<Over<F, F::Small>> + Provable<Over<F, F::Large>> + Clone + Send + Sync + 'a,
    {
        let (small, large) = (Over::<F, F::Small>::new(), Over::<F, F::Large>::new());
        let mut ways = Vec::new();
        for profile in [Profile::Lan, Profile::Wan] {
            ways.push(Self::over::<F, _, _>(profile, small, statement.clone()));
            if small.fields().mac != large.fields().mac {
                ways.push(Self::over::<F, _, _>(profile, large, statement.clone()));
            }
        }
        ways
    }

    /// Whether a session with these options may take this way.
    #[must_use]
    pub fn suits(&self, options: &Options) -> bool {
        self.profile == options.profile && (!options.fiat_shamir || self.fields().stands_hashes())
    }

    /// The field of values and the field of MACs.
    #[must_use]
    pub fn fields(&self) -> Pair {
        self.proving.correlations().fields()
    }
}

/// The least soundness of proofs in bits, unless somebody asks for another one or the field sets it.
pub const RHO: u16 = 100;

/// A lower bound on the soundness of a proof about bits, of a statement with these counts, in bits.
pub(crate) fn bit_soundness(counts: &Counts, settings: Settings, fiat_shamir: bool) -> f64 {
    let checks = Program::from(counts).checks(settings).with_disjunctions(counts);
    Soundness::quicksilver(checks, FieldSize::OVER_BITS, Mode::hashed(fiat_shamir)).bits()
}
