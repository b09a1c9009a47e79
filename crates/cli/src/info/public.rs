//! How long proofs are that anyone can verify.

use serde::Serialize;
use volery::public::{self, Counts, Parameters, Protocol, PublicRing};

use crate::failure::Failure;
use crate::output;

/// The length of one.
#[derive(Debug, Serialize)]
pub(crate) struct PublicCost {
    protocol: &'static str,
    /// Against each hash computation.
    soundness_bits: u16,
    repetitions: usize,
    /// The most; ZKB++ is shorter by a part of the secret input where the challenge allows it.
    bytes: u64,
}

/// Elements that a flat circuit can number. Larger statements have no public proofs.
const MOST: u64 = 1 << 31;

impl PublicCost {
    /// Of a statement over `R`: both protocols, each with less and with full soundness; none if it is too
    /// large, or has disjunctions: a file would have to show the views of one branch.
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
            let [_, bytes] = public::proof_bytes::<R>(counts, protocol, parameters);
            let repetitions = parameters.repetitions();
            Ok(Self { protocol: protocol.name(), soundness_bits: sigma, repetitions, bytes })
        })
        .collect()
    }

    pub(super) fn text(&self) -> String {
        let Self { protocol, soundness_bits, repetitions, bytes } = self;
        let bytes = output::bytes(*bytes);
        format!(
            "{protocol} --sigma {soundness_bits}: a file of {bytes} that anyone can verify, {repetitions} repetitions"
        )
    }
}
