//! The cost and the soundness of one way to prove a statement: over a session, and in public.

use std::time::Duration;

use serde::Serialize;
use volery::Options;
use volery_statement::public::PublicCost;
use volery_statement::way::Way;

use crate::failure::Failure;
use crate::output;
use crate::progress::Progress;

/// The cost and the soundness of one way to prove a statement, as `--json` prints them.
#[derive(Debug, Serialize)]
pub(super) struct Cost {
    protocol: &'static str,
    profile: &'static str,
    fiat_shamir: bool,
    /// Of each party.
    threads: usize,
    /// The field of MACs.
    mac_field: &'static str,
    correlations: u64,
    bytes_prover: u64,
    bytes_verifier: u64,
    round_trips: u64,
    /// Bytes of memory that the session keeps, about.
    memory_prover: u64,
    memory_verifier: u64,
    /// Seconds on this machine, with a core for each party and without the network.
    seconds: f64,
    /// Seconds over the network that the profile is for.
    seconds_on_network: f64,
    soundness_bits: f64,
    /// With `--fiat-shamir`, against each hash computation; none if the field is too small for it.
    soundness_bits_fiat_shamir: Option<f64>,
}

impl Cost {
    /// Rehearses one way to prove the statement, which moves `progress`.
    pub(super) fn new(way: &Way<'_>, options: Options, progress: &Progress) -> Result<Self, Failure> {
        let estimate = way.proving.estimate(options, &progress.watch())?;
        Ok(Self {
            protocol: way.protocol,
            profile: way.profile.name(),
            fiat_shamir: options.fiat_shamir,
            threads: options.threads,
            mac_field: estimate.fields[1],
            correlations: estimate.correlations,
            bytes_prover: estimate.bytes_prover,
            bytes_verifier: estimate.bytes_verifier,
            round_trips: estimate.round_trips,
            memory_prover: estimate.memory_prover,
            memory_verifier: estimate.memory_verifier,
            seconds: estimate.work().as_secs_f64(),
            seconds_on_network: estimate.seconds_on(way.profile.network()),
            soundness_bits: estimate.soundness.bits(),
            soundness_bits_fiat_shamir: estimate.soundness_hashed.map(|soundness| soundness.bits()),
        })
    }

    pub(super) fn text(&self) -> String {
        let [prover, verifier] = [self.memory_prover, self.memory_verifier].map(output::bytes);
        let [here, there] = [self.seconds, self.seconds_on_network].map(Duration::from_secs_f64);
        let hashed = match self.soundness_bits_fiat_shamir {
            Some(bits) => format!("--fiat-shamir: {bits:.0} against each hash computation"),
            None => "too few for --fiat-shamir".to_owned(),
        };
        let hashes = if self.fiat_shamir { " --fiat-shamir" } else { "" };
        let threads = if self.threads > 1 { format!(" --threads {}", self.threads) } else { String::new() };
        format!(
            "{} --profile {}{hashes}{threads}, MACs in {}: the prover sends {}, the verifier {}, in {}; about {prover} of memory for the \
             prover, {verifier} for the verifier; about {} on this machine, {} over a network of this kind; \
             soundness {:.0} bits ({hashed})",
            self.protocol,
            self.profile,
            self.mac_field,
            output::bytes(self.bytes_prover),
            output::bytes(self.bytes_verifier),
            output::counted(self.round_trips, "round trip"),
            output::time(here),
            output::time(there),
            self.soundness_bits,
        )
    }
}

/// The cost under the name that the command line has for its protocol.
pub(super) fn as_asked_for(cost: PublicCost) -> PublicCost {
    PublicCost { protocol: if cost.small { "voleith --small" } else { cost.protocol }, ..cost }
}

/// The cost of a public proof in words.
pub(super) fn public_text(cost: &PublicCost) -> String {
    let PublicCost { protocol, soundness_bits, .. } = cost;
    let repetitions = output::counted(cost.repetitions as u64, "repetition");
    let length = match [cost.bytes_least, cost.bytes, cost.bytes_most].map(output::bytes) {
        [_, bytes, _] if cost.bytes_least == cost.bytes_most => bytes,
        [least, bytes, most] if least == most => format!("about {bytes}"),
        [least, bytes, most] => format!("about {bytes} ({least} to {most})"),
    };
    let times = match [cost.seconds_prove, cost.seconds_verify].map(|time| time.map(Duration::from_secs_f64))
    {
        [Some(prove), Some(verify)] => {
            let [prove, verify] = [prove, verify].map(output::time);
            format!("; about {prove} to make and {verify} to verify on this machine")
        }
        _ => String::new(),
    };
    format!(
        "{protocol} --sigma {soundness_bits}: a file of {length} that anyone can verify, {repetitions}{times}"
    )
}
