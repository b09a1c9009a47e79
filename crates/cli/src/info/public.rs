//! The lengths of proofs that anyone can verify.

use std::time::Duration;

use serde::Serialize;
use volery::public::{self, Counts, Parameters, Protocol, PublicRing, voleith};

use crate::failure::Failure;
use crate::output;

/// The length of one kind of public proof.
#[derive(Debug, Serialize)]
pub(crate) struct PublicCost {
    protocol: &'static str,
    /// The soundness against each hash computation, in bits.
    soundness_bits: u16,
    repetitions: usize,
    /// The average length. A proof by ZKB++ is longer or shorter by parts of the secret input, depending on
    /// its challenges.
    bytes: u64,
    bytes_least: u64,
    bytes_most: u64,
    /// Times on this machine with one thread; none for ZKB++ and ZKBoo.
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds_prove: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds_verify: Option<f64>,
}

/// The most elements of a flat circuit. Larger statements have no public proofs.
const MOST: u64 = 1 << 31;

impl PublicCost {
    /// The lengths for a statement over `R`: with both protocols, each with less and with full soundness.
    /// None if it is too large, or has disjunctions, for which a file would have to show the views of one
    /// branch.
    pub(crate) fn all<R: PublicRing>(counted: &volery_circuit::Counts) -> Result<Vec<Self>, Failure> {
        if counted.disjunctions > 0 {
            return Ok(Vec::new());
        }
        let counts = Counts::of(counted)?;
        if counts.inputs.saturating_add(counts.multiplications) >= MOST {
            return Ok(Vec::new());
        }
        let all =
            [Protocol::Zkbpp, Protocol::Zkboo].into_iter().flat_map(|p| [80, 128].map(|sigma| (p, sigma)));
        all.map(|(protocol, sigma)| {
            let parameters = Parameters::new(sigma)?;
            let [bytes_least, bytes_most] = public::proof_bytes::<R>(counts, protocol, parameters);
            Ok(Self {
                protocol: protocol.name(),
                soundness_bits: sigma,
                repetitions: parameters.repetitions(),
                bytes: public::expected_bytes::<R>(counts, protocol, parameters),
                bytes_least,
                bytes_most,
                seconds_prove: None,
                seconds_verify: None,
            })
        })
        .collect()
    }

    /// The costs of proofs from VOLE in the head of a statement about bits, with each set of parameters.
    pub(crate) fn in_the_head(statement: &voleith::Rehearsed) -> Result<Vec<Self>, Failure> {
        let cost = |parameters: voleith::Parameters| {
            let estimate = statement.estimate(parameters, None)?;
            let seconds = |time: Duration| Some(time.as_secs_f64());
            Ok(Self {
                protocol: if parameters.is_small() { "voleith --small" } else { "voleith" },
                soundness_bits: parameters.sigma(),
                repetitions: parameters.shape().trees(),
                bytes: estimate.bytes,
                bytes_least: estimate.bytes,
                bytes_most: estimate.bytes,
                seconds_prove: seconds(estimate.proving),
                seconds_verify: seconds(estimate.verifying),
            })
        };
        voleith::Parameters::ALL.into_iter().map(cost).collect()
    }

    pub(super) fn text(&self) -> String {
        let Self { protocol, soundness_bits, .. } = self;
        let repetitions = output::counted(self.repetitions as u64, "repetition");
        let length = match [self.bytes_least, self.bytes, self.bytes_most].map(output::bytes) {
            [_, bytes, _] if self.bytes_least == self.bytes_most => bytes,
            [least, bytes, most] if least == most => format!("about {bytes}"),
            [least, bytes, most] => format!("about {bytes} ({least} to {most})"),
        };
        let times =
            match [self.seconds_prove, self.seconds_verify].map(|time| time.map(Duration::from_secs_f64)) {
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
}
