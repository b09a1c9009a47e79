//! The lengths of proofs that anyone can verify.

use std::time::Duration;

use serde::Serialize;
use volery::public::{self, Counts, Parameters, Protocol, PublicRing, voleith};

use crate::error::Error;

/// The length of one kind of public proof.
#[derive(Debug, Serialize)]
pub struct PublicCost {
    /// The protocol's name.
    pub protocol: &'static str,
    /// Whether it is the smaller of two proofs by VOLE in the head, which takes longer.
    #[serde(skip)]
    pub small: bool,
    /// The soundness against each hash computation, in bits.
    pub soundness_bits: u16,
    /// Repetitions of the protocol, or the number of trees.
    pub repetitions: usize,
    /// The average length. A proof by ZKB++ is longer or shorter by parts of the secret input, depending on
    /// its challenges.
    pub bytes: u64,
    /// The least length.
    pub bytes_least: u64,
    /// The greatest length.
    pub bytes_most: u64,
    /// Seconds to make it on this machine with one thread; none for ZKB++ and ZKBoo.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds_prove: Option<f64>,
    /// Seconds to verify it, on the same machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds_verify: Option<f64>,
}

/// The most elements of a flat circuit. Larger statements have no public proofs.
const MOST: u64 = 1 << 31;

impl PublicCost {
    /// The lengths for a statement over `R`: with both protocols, each with less and with full soundness.
    /// None if it is too large, or has disjunctions, for which a file would have to show the views of one
    /// branch.
    pub(super) fn all<R: PublicRing>(counted: &volery_circuit::Counts) -> Result<Vec<Self>, Error> {
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
                small: false,
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
    pub(super) fn in_the_head(statement: &voleith::Rehearsed) -> Result<Vec<Self>, Error> {
        let cost = |parameters: voleith::Parameters| {
            let estimate = statement.estimate(parameters, None)?;
            let seconds = |time: Duration| Some(time.as_secs_f64());
            Ok(Self {
                protocol: "voleith",
                small: parameters.is_small(),
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
}
