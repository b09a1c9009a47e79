//! The statements that Python has in shards.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict};
use volery::circuit::Evaluator;
use volery::field::{F2, F61, F61x2};
use volery::programs::proof::ProgramRun;
use volery::programs::proof::shards::MOST_CHECKS;
use volery::split::remote::Kind;
use volery::split::statements::{SplitPreimage, SplitRun, estimate_run};
use volery::split::{Dealt, Estimate, Settings, Shard, Sharded as _, check, estimate};
use volery::system::{Bits, Over};
use volery::{Network, Options, Profile, Zeroizing};
use volery_statement::{RunOf, WitnessSource};

use crate::failure::Failure;
use crate::named::{Given, Named};
use crate::worker::alone;

/// A statement in shards.
#[expect(clippy::large_enum_variant, reason = "there is one for a proof")]
pub(crate) enum Whole {
    /// "I know a message of this length with this SHA-256 digest", in shards of consecutive blocks.
    Preimage(SplitPreimage),
    /// A run of a program, in groups of segments.
    Run(GroupedRun),
}

/// See [`Whole::Run`].
pub(crate) struct GroupedRun {
    pub(crate) of: RunOf,
    pub(crate) groups: usize,
    /// P's run.
    pub(crate) run: Option<SplitRun>,
}

impl GroupedRun {
    /// P's run.
    pub(crate) fn known(&self) -> Result<&SplitRun, Failure> {
        self.run.as_ref().ok_or_else(|| Failure::input("give the program's secret input with secret=..."))
    }

    /// Whether the run ends as it is claimed to.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        Ok(self.of.check(self.known()?.run())?)
    }
}

/// The secret bits and ANDs of each shard, at most.
pub(crate) fn preimage_sizes(whole: &SplitPreimage) -> Vec<u64> {
    let of = |n| Shard::<F2, Evaluator<F2>>::commitments(&whole.shard(n).ok()?);
    (0..whole.shards()).map(|n| of(n).unwrap_or_default()).collect()
}

/// The secret elements and products of each shard.
pub(crate) fn run_sizes(run: &SplitRun) -> Vec<u64> {
    (0..run.shards()).map(|n| run.shard(n).map_or(0, |shard| shard.commitments())).collect()
}

/// A statement in shards, as Python holds it.
#[pyclass(frozen, module = "volery._volery")]
pub(crate) struct SplitStatement(pub(crate) Arc<Whole>);

#[pymethods]
impl SplitStatement {
    /// "I know a message of this length with this SHA-256 digest."
    #[staticmethod]
    fn preimage(
        digest: [u8; 32],
        length: u64,
        shards: usize,
        message: Option<Bound<'_, PyByteArray>>,
    ) -> PyResult<Self> {
        let py_message = message.map(|message| Zeroizing::new(message.to_vec()));
        let mut whole = SplitPreimage::new(digest, length, shards).map_err(Failure::from)?;
        if let Some(message) = py_message {
            whole = whole.with_message(message).map_err(Failure::from)?;
        }
        Ok(Self(Arc::new(Whole::Preimage(whole))))
    }

    /// A run of the program that is named. With the secret input it is run here, twice.
    #[staticmethod]
    fn run(py: Python<'_>, program: &Named, groups: usize, secret: Option<Given<'_>>) -> PyResult<Self> {
        let named = program.inner().clone();
        let secret = secret.map(|secret| WitnessSource::Whole(secret.source("secret")));
        let whole = alone(py, move || {
            let missing = || Failure::input("program: not a static ELF file of a RISC-V program");
            let of = RunOf::load(&named)?.ok_or_else(missing)?;
            let run = secret.map(|secret| {
                let run: ProgramRun = of.run(&secret)?;
                Ok::<_, Failure>(SplitRun::new(run, groups)?)
            });
            Ok(Whole::Run(GroupedRun { run: run.transpose()?, of, groups }))
        })?;
        Ok(Self(Arc::new(whole)))
    }

    /// What it says.
    fn text(&self) -> String {
        match &*self.0 {
            Whole::Preimage(whole) => format!("Preimage in {} shards", whole.shards()),
            Whole::Run(GroupedRun { of, groups, .. }) => {
                format!("{} in {groups} groups of segments", of.text())
            }
        }
    }

    /// How many shards there are; of a run that is not known, how many groups of segments were asked for.
    #[getter]
    fn shards(&self) -> usize {
        match &*self.0 {
            Whole::Preimage(whole) => whole.shards(),
            Whole::Run(GroupedRun { run, groups, .. }) => run.as_ref().map_or(*groups, SplitRun::shards),
        }
    }

    /// The most workers that a party may need at once.
    #[getter]
    fn most_workers(&self) -> usize {
        match &*self.0 {
            Whole::Run(GroupedRun { run: None, groups, .. }) => {
                groups.saturating_add(MOST_CHECKS.max(*groups))
            }
            _ => self.shards(),
        }
    }

    /// The most workers that may be lost.
    #[getter]
    fn most_retries(&self) -> u32 {
        match &*self.0 {
            Whole::Preimage(_) => Bits::MOST_RETRIES,
            Whole::Run(_) => Over::<F61, F61x2>::MOST_RETRIES,
        }
    }

    /// The secret values and multiplications of each shard, at most.
    fn commitments(&self) -> PyResult<Vec<u64>> {
        Ok(match &*self.0 {
            Whole::Preimage(whole) => preimage_sizes(whole),
            Whole::Run(whole) => run_sizes(whole.known()?),
        })
    }

    /// Whether the secret satisfies it.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        let whole = Arc::clone(&self.0);
        alone(py, move || match &*whole {
            Whole::Preimage(whole) => Ok(check::<F2, _>(whole)?),
            Whole::Run(whole) => whole.check(),
        })
    }

    /// What a proof of it takes and is worth. Python makes a `SplitInfo` of it.
    #[pyo3(signature = (retries, cores, profile, fiat_shamir, threads, rho))]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords")]
    fn info<'py>(
        &self,
        py: Python<'py>,
        retries: u32,
        cores: Option<u32>,
        profile: &str,
        fiat_shamir: bool,
        threads: usize,
        rho: Option<u16>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let options = Options { profile: crate::session::profile(profile)?, fiat_shamir, threads };
        let (whole, settings) = (Arc::clone(&self.0), Settings { retries });
        let estimate = alone(py, move || {
            Ok(match &*whole {
                Whole::Preimage(whole) => estimate(options, Bits, whole, settings)?,
                Whole::Run(whole) => match Kind::of_run(rho, retries) {
                    Kind::RunLarge => {
                        estimate_run(options, Over::<F61, F61x2>::new(), whole.known()?, settings)?
                    }
                    _ => estimate_run(options, Over::<F61, F61>::new(), whole.known()?, settings)?,
                },
            })
        })?;
        let cores = cores.unwrap_or(u32::try_from(self.shards()).unwrap_or(u32::MAX));
        info_dict(py, &estimate, options, cores)
    }
}

fn info_dict<'py>(
    py: Python<'py>,
    estimate: &Estimate,
    options: Options,
    cores: u32,
) -> PyResult<Bound<'py, PyDict>> {
    let network = match options.profile {
        Profile::Lan => Network::LAN,
        Profile::Wan => Network::WAN,
    };
    let dict = PyDict::new(py);
    let terms: Vec<_> = estimate.soundness_terms().iter().map(|term| (term.what, term.bits)).collect();
    let [memory_worker_prover, memory_worker_verifier] = estimate.memory_worker();
    dict.set_item("correlations", estimate.correlations())?;
    dict.set_item("correlations_dealt", estimate.coordinators.correlations)?;
    dict.set_item("bytes_prover", estimate.bytes_prover())?;
    dict.set_item("bytes_verifier", estimate.bytes_verifier())?;
    dict.set_item("bytes_within_prover", estimate.within_prover)?;
    dict.set_item("bytes_within_verifier", estimate.within_verifier)?;
    dict.set_item("round_trips", estimate.round_trips())?;
    dict.set_item("memory_worker_prover", memory_worker_prover)?;
    dict.set_item("memory_worker_verifier", memory_worker_verifier)?;
    dict.set_item("seconds", estimate.work(cores).as_secs_f64())?;
    dict.set_item("seconds_on_network", estimate.seconds_on(network, cores))?;
    dict.set_item("soundness_bits", estimate.soundness_bits())?;
    dict.set_item("soundness_bits_fiat_shamir", estimate.soundness_bits_hashed())?;
    dict.set_item("soundness_bits_retries", estimate.retries_bits())?;
    dict.set_item("soundness_terms", terms)?;
    Ok(dict)
}
