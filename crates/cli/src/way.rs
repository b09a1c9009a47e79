//! The ways to prove a statement over a session: each with its system, the kind of network that it suits, and
//! its soundness.
//!
//! Each kind of statement lists its ways. `info` prints the cost of all of them. `prove` and `verify` take
//! the first one that suits their options and is sound enough ([`super::settle`]).

use rand_core::CryptoRng;
use volery::system::{Bits, Over, Provable};
use volery::{Channel, Error, Estimate, Options, Profile, Prover, Rehearsal, Verifier, estimate_through};
use volery_circuit::Counts;
use volery_zk::quicksilver::bits::{Program, Settings};
use volery_zk::quicksilver::soundness::Checks;
use volery_zk::soundness::{FieldSize, Mode, Soundness};

use super::fields::Served;
use super::progress::Progress;
use super::session::Wire;
use super::system::{Correlations, Done, Known, Pair};

/// A statement with a system that proves it, as a trait object.
pub(crate) trait Proving: Send + Sync {
    /// The correlations of the system.
    fn correlations(&self) -> &dyn Correlations;

    /// Estimates a session that proves the statement. The rehearsal moves `progress`.
    fn estimate(&self, options: Options, progress: &Progress) -> Result<Estimate, Error>;

    /// Proves the statement.
    fn prove(&self, prover: &mut Prover<Wire>, rng: &mut dyn CryptoRng) -> Done;

    /// Verifies a proof of the statement.
    fn verify(&self, verifier: &mut Verifier<Wire>, rng: &mut dyn CryptoRng) -> Done;
}

/// The statement `S`, proved by the system `Y`.
pub(crate) struct ProvedBy<S, Y> {
    pub(crate) statement: S,
    pub(crate) system: Y,
}

impl<S: Provable<Y> + Send + Sync, Y: Known> Proving for ProvedBy<S, Y> {
    fn correlations(&self) -> &dyn Correlations {
        &self.system
    }

    fn estimate(&self, options: Options, progress: &Progress) -> Result<Estimate, Error> {
        let wrap = |channel: Rehearsal| progress.watch(Box::new(channel) as Box<dyn Channel + Send>);
        estimate_through(wrap, options, self.system, &self.statement)
    }

    fn prove(&self, prover: &mut Prover<Wire>, rng: &mut dyn CryptoRng) -> Done {
        Ok(prover.prove(self.system, &self.statement, rng)?.into())
    }

    fn verify(&self, verifier: &mut Verifier<Wire>, rng: &mut dyn CryptoRng) -> Done {
        Ok(verifier.verify(self.system, &self.statement, rng)?.into())
    }
}

/// Computes a lower bound on the soundness, in bits, from the options and the statement's counts.
type Worth<'a> = Box<dyn Fn(&Options, &Counts) -> f64 + Send + Sync + 'a>;

/// A way to prove one statement.
pub(crate) struct Way<'a> {
    /// The protocol's name.
    pub(crate) protocol: &'static str,
    /// The kind of network that it suits.
    pub(crate) profile: Profile,
    /// The least soundness, in bits, unless the command line asks for another one.
    pub(crate) rho: u16,
    pub(crate) proving: Box<dyn Proving + 'a>,
    pub(crate) worth: Worth<'a>,
}

impl<'a> Way<'a> {
    /// A statement about bits, proved by QuickSilver. Robin is QuickSilver with disjunctions.
    pub(crate) fn over_bits<S>(protocol: &'static str, profile: Profile, statement: S) -> Self
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
    pub(crate) fn over_field<F: Served, S>(statement: S) -> Vec<Self>
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
    pub(crate) fn suits(&self, options: &Options) -> bool {
        self.profile == options.profile && (!options.fiat_shamir || self.fields().stands_hashes())
    }

    /// The field of values and the field of MACs.
    pub(crate) fn fields(&self) -> Pair {
        self.proving.correlations().fields()
    }
}

/// The least soundness of proofs in bits, unless the command line or the field sets another one.
pub(crate) const RHO: u16 = 100;

/// A lower bound on the soundness of a proof about bits, of a statement with these counts, in bits.
pub(crate) fn bit_soundness(counts: &Counts, settings: Settings, fiat_shamir: bool) -> f64 {
    let checks = Program::from(counts).checks(settings).with_disjunctions(counts);
    Soundness::quicksilver(checks, FieldSize::OVER_BITS, Mode::hashed(fiat_shamir)).bits()
}
