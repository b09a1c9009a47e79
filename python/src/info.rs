//! What a statement is and what its proofs will take.

use pyo3::prelude::*;
use serde_json::{Value, json};
use volery::Options;
use volery_statement::way::Way;
use volery_statement::{Instance, Watch};

use crate::failure::Failure;
use crate::subject::Statement;
use crate::worker::alone;

/// A statement's description and the costs of its proofs, in JSON.
#[pyfunction]
pub(crate) fn info(py: Python<'_>, statement: &Statement, costs: bool) -> PyResult<String> {
    let instance = statement.instance();
    alone(py, move || Ok(described(&*instance, costs)?.to_string()))
}

fn described(instance: &dyn Instance, costs: bool) -> Result<Value, Failure> {
    let described = instance.describe()?;
    let counts = described.counts;
    let mut protocols = Vec::new();
    if costs && let Ok(ways) = instance.ways() {
        for way in ways {
            protocols.push(cost(&way)?);
        }
    }
    let public = match costs {
        true => instance.public().map(|public| public.costs(&counts)),
        false => Ok(Ok(Vec::new())),
    };
    let public = public.unwrap_or_else(|_| Ok(Vec::new()))?;
    Ok(json!({
        "description": described.description,
        "ring": instance.ring(),
        "secrets": counts.inputs,
        "multiplications": counts.multiplications,
        "protocols": protocols,
        "public_proofs": public,
    }))
}

/// The cost of one way, of a session with the options of its profile.
fn cost(way: &Way<'_>) -> Result<Value, Failure> {
    let options = Options { profile: way.profile, ..Options::default() };
    let estimate = way.proving.estimate(options, &Watch::none())?;
    Ok(json!({
        "protocol": way.protocol,
        "profile": way.profile.name(),
        "mac_field": estimate.fields[1],
        "correlations": estimate.correlations,
        "bytes_prover": estimate.bytes_prover,
        "bytes_verifier": estimate.bytes_verifier,
        "round_trips": estimate.round_trips,
        "memory_prover": estimate.memory_prover,
        "memory_verifier": estimate.memory_verifier,
        "seconds_setup": estimate.set_up.as_secs_f64(),
        "seconds_correlations": estimate.making.as_secs_f64(),
        "seconds_proof": estimate.proving.as_secs_f64(),
        "seconds_on_network": estimate.seconds_on(way.profile.network()),
        "soundness_bits": estimate.soundness.bits(),
    }))
}
