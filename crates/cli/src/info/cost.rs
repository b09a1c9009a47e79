//! The cost and the soundness of one way to prove a statement.

use std::time::Duration;

use serde::Serialize;
use volery::Options;
use volery_zk::soundness::Mode;

use super::speed;
use crate::failure::Failure;
use crate::output;
use crate::progress::Progress;
use crate::session::rehearse;
use crate::way::Way;

/// The cost and the soundness of one way to prove a statement, as `--json` prints them.
#[derive(Debug, Serialize)]
pub(super) struct Cost {
    protocol: &'static str,
    profile: &'static str,
    /// The field of MACs.
    mac_field: &'static str,
    correlations: u64,
    bytes_prover: u64,
    bytes_verifier: u64,
    round_trips: u64,
    /// Bytes of memory for the checks, if that grows with the branches.
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_prover: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_verifier: Option<u64>,
    /// Seconds on this machine, with a core for each party and without the network: the prover's work in a
    /// rehearsal, and the time for its correlations.
    seconds: f64,
    soundness_bits: f64,
    /// With `--fiat-shamir`, against each hash computation; none if the field is too small for it.
    soundness_bits_fiat_shamir: Option<f64>,
}

impl Cost {
    /// Rehearses one way to prove the statement, which moves `progress`.
    pub(super) fn new(way: &Way<'_>, progress: &Progress) -> Result<Self, Failure> {
        let options = Options { profile: way.profile, ..Options::default() };
        let estimate = rehearse(options, progress, |prover, rng| way.proving.prove(prover, rng))?;
        let hashed = estimate.soundness.in_mode(Mode::hashed(true));
        let making = speed::seconds(way.proving.correlations(), options, estimate.correlations)?;
        Ok(Self {
            protocol: way.protocol,
            profile: way.profile.name(),
            mac_field: estimate.fields[1],
            correlations: estimate.correlations,
            bytes_prover: estimate.bytes_prover,
            bytes_verifier: estimate.bytes_verifier,
            round_trips: estimate.round_trips,
            memory_prover: way.memory.map(|[prover, _]| prover),
            memory_verifier: way.memory.map(|[_, verifier]| verifier),
            seconds: making + estimate.time.as_secs_f64(),
            soundness_bits: estimate.soundness.bits(),
            soundness_bits_fiat_shamir: way.fields().stands_hashes().then(|| hashed.bits()),
        })
    }

    pub(super) fn text(&self) -> String {
        let memory = match (self.memory_prover, self.memory_verifier) {
            (Some(prover), Some(verifier)) => {
                let [prover, verifier] = [prover, verifier].map(output::bytes);
                format!("; about {prover} of memory for the prover's checks, {verifier} for the verifier's")
            }
            _ => String::new(),
        };
        let hashed = match self.soundness_bits_fiat_shamir {
            Some(bits) => format!("--fiat-shamir: {bits:.0} against each hash computation"),
            None => "too few for --fiat-shamir".to_owned(),
        };
        format!(
            "{} --profile {}, MACs in {}: the prover sends {}, the verifier {}, in {}{memory}; about {} on this machine; \
             soundness {:.0} bits ({hashed})",
            self.protocol,
            self.profile,
            self.mac_field,
            output::bytes(self.bytes_prover),
            output::bytes(self.bytes_verifier),
            output::counted(self.round_trips, "round trip"),
            output::time(Duration::from_secs_f64(self.seconds)),
            self.soundness_bits,
        )
    }
}
