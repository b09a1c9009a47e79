//! `volery split info`: what a split proof takes, and what it is worth.

use std::time::Duration;

use serde::Serialize;
use volery::split::{Estimate, estimate};
use volery::system::Bits;
use volery::{Network, Profile};
use volery_statement::reached;

use super::{Claim, claim, program, settings, text};
use crate::args::SplitInfoArgs;
use crate::failure::Failure;
use crate::outcome::{self, Good};
use crate::{output, terminal};

/// Runs the command.
pub(super) fn run(args: &SplitInfoArgs) -> Result<(), Failure> {
    let (statement, estimate) = match claim(&args.shards)? {
        Claim::Preimage(claim) => {
            let (options, settings) = (args.protocol.options(), settings(&args.shards));
            let estimate = || estimate(options, Bits, &claim, settings);
            (text(&args.shards), terminal::during("rehearsing the shards", estimate)?)
        }
        Claim::Run(of) => (program::text(&args.shards, &of), program::estimate(args, &of)?),
    };
    let workers = u32::try_from(estimate.workers.len()).unwrap_or(u32::MAX);
    let cores = args.cores.unwrap_or(workers);
    let cost = Cost::new(&statement, args, &estimate, cores);
    if let Some(rho) = args.protocol.rho {
        reached(rho, cost.soundness_bits)?;
    }
    if args.json {
        return outcome::json(Good::Done, &cost);
    }
    output::result(&cost.text())
}

/// One way in which a false statement can be accepted.
#[derive(Debug, Serialize)]
struct Term {
    what: &'static str,
    bits: f64,
}

/// What a split proof takes and is worth, as `--json` prints it.
#[derive(Debug, Serialize)]
struct Cost<'a> {
    statement: &'a str,
    shards: usize,
    profile: &'static str,
    fiat_shamir: bool,
    /// Of each worker.
    threads: usize,
    /// Workers that may be lost.
    retries: u32,
    /// Correlations that workers use, and those that they are dealt.
    correlations: u64,
    correlations_dealt: u64,
    /// Between the parties: of the coordinator and all workers.
    bytes_prover: u64,
    bytes_verifier: u64,
    /// Between a coordinator and its own workers: lots and what workers bring; for a program's run also what
    /// they are told.
    bytes_within_prover: u64,
    bytes_within_verifier: u64,
    round_trips: u64,
    /// Bytes of memory that a worker keeps at most, about.
    memory_worker_prover: u64,
    memory_worker_verifier: u64,
    /// Of each party.
    cores: u32,
    /// Seconds with such cores as this machine's, without the network.
    seconds: f64,
    /// Seconds over the network that the profile is for.
    seconds_on_network: f64,
    soundness_bits: f64,
    /// With `--fiat-shamir`, against each hash computation.
    soundness_bits_fiat_shamir: Option<f64>,
    /// Bits that the retries cost, used or not.
    soundness_bits_retries: f64,
    soundness_terms: Vec<Term>,
}

impl<'a> Cost<'a> {
    fn new(statement: &'a str, args: &SplitInfoArgs, estimate: &Estimate, cores: u32) -> Self {
        let options = args.protocol.options();
        let network = match options.profile {
            Profile::Lan => Network::LAN,
            Profile::Wan => Network::WAN,
        };
        let terms = estimate.soundness_terms();
        let [memory_worker_prover, memory_worker_verifier] = estimate.memory_worker();
        Self {
            statement,
            shards: estimate.workers.len(),
            profile: options.profile.name(),
            fiat_shamir: options.fiat_shamir,
            threads: options.threads,
            retries: args.shards.retries,
            correlations: estimate.correlations(),
            correlations_dealt: estimate.coordinators.correlations,
            bytes_prover: estimate.bytes_prover(),
            bytes_verifier: estimate.bytes_verifier(),
            bytes_within_prover: estimate.within_prover,
            bytes_within_verifier: estimate.within_verifier,
            round_trips: estimate.round_trips(),
            memory_worker_prover,
            memory_worker_verifier,
            cores,
            seconds: estimate.work(cores).as_secs_f64(),
            seconds_on_network: estimate.seconds_on(network, cores),
            soundness_bits: estimate.soundness_bits(),
            soundness_bits_fiat_shamir: estimate.soundness_bits_hashed(),
            soundness_bits_retries: estimate.retries_bits(),
            soundness_terms: terms
                .into_iter()
                .map(|term| Term { what: term.what, bits: term.bits })
                .collect(),
        }
    }

    fn text(&self) -> String {
        let [prover, verifier] = [self.memory_worker_prover, self.memory_worker_verifier].map(output::bytes);
        let [here, there] = [self.seconds, self.seconds_on_network].map(Duration::from_secs_f64);
        let [in_prover, in_verifier] =
            [self.bytes_within_prover, self.bytes_within_verifier].map(output::bytes);
        format!(
            "{}, --profile {}: the prover sends {}, the verifier {}, in {}; {in_prover} and {in_verifier} go between \
             coordinators and their own workers; each party has {}, with about {prover} of memory each at the \
             prover, {verifier} at the verifier; with {} a party about {} on machines like this one, {} over a \
             network of this kind; soundness {:.0} bits, {:.1} fewer than without retries",
            self.statement,
            self.profile,
            output::bytes(self.bytes_prover),
            output::bytes(self.bytes_verifier),
            output::counted(self.round_trips, "round trip"),
            output::counted(self.shards as u64, "worker"),
            output::counted(self.cores.into(), "core"),
            output::time(here),
            output::time(there),
            self.soundness_bits,
            self.soundness_bits_retries,
        )
    }
}
