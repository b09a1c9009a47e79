//! The lengths of proofs that anyone can verify.

use serde::Serialize;
use volery::public::{self, Counts, Parameters, Protocol, PublicRing, voleith};
use volery_zk::quicksilver::bits::Program;

use crate::failure::Failure;
use crate::output;

/// The length of one kind of public proof.
#[derive(Debug, Serialize)]
pub(crate) struct PublicCost {
    protocol: &'static str,
    /// The soundness against each hash computation, in bits.
    soundness_bits: u16,
    repetitions: usize,
    /// The greatest length. A proof by ZKB++ is shorter by a part of the secret input for some challenges.
    bytes: u64,
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
            let [_, bytes] = public::proof_bytes::<R>(counts, protocol, parameters);
            let repetitions = parameters.repetitions();
            Ok(Self { protocol: protocol.name(), soundness_bits: sigma, repetitions, bytes })
        })
        .collect()
    }

    /// The lengths of proofs from VOLE in the head of a statement over bits, exactly. None if it has
    /// disjunctions.
    pub(crate) fn in_the_head(counted: &volery_circuit::Counts) -> Vec<Self> {
        if counted.disjunctions > 0 {
            return Vec::new();
        }
        let program = Program::from(counted);
        let cost = |parameters: voleith::Parameters| {
            let degree = u32::try_from(program.degree).ok()?;
            let bytes = voleith::proof_bytes(parameters, program.commitments, degree)?;
            let repetitions = parameters.shape().trees();
            let protocol = if parameters.is_small() { "voleith --small" } else { "voleith" };
            Some(Self { protocol, soundness_bits: parameters.sigma(), repetitions, bytes })
        };
        voleith::Parameters::ALL.into_iter().filter_map(cost).collect()
    }

    pub(super) fn text(&self) -> String {
        let Self { protocol, soundness_bits, repetitions, bytes } = self;
        let (bytes, repetitions) =
            (output::bytes(*bytes), output::counted(*repetitions as u64, "repetition"));
        format!(
            "{protocol} --sigma {soundness_bits}: a file of {bytes} that anyone can verify, {repetitions}"
        )
    }
}
