//! What it costs to prove one of several circuits, by each protocol.

use volery::{Options, Profile};
use volery_zk::disjunction::cost::Task;

use super::cost::{Cost, Way};
use super::speed::Bits;
use crate::args::DisjunctionArg;
use crate::failure::Failure;
use crate::many::Many;
use crate::session::rehearse;
use crate::settle::{prove_many, stacked_settings};

/// Each protocol on each kind of network.
pub(super) fn costs(many: &Many) -> Result<Vec<Cost>, Failure> {
    let profiles = [Profile::Lan, Profile::Wan];
    let protocols = [DisjunctionArg::Robin, DisjunctionArg::Macncheese];
    let pairs = profiles.into_iter().flat_map(|profile| protocols.map(|by| (profile, by)));
    pairs.map(|(profile, by)| cost(many, profile, by)).collect()
}

fn cost(many: &Many, profile: Profile, by: DisjunctionArg) -> Result<Cost, Failure> {
    let options = Options { profile, ..Options::default() };
    let memory = || {
        let Task { branches, shared, shape, repetitions } = many.task();
        let settings = stacked_settings(&options, branches);
        let in_step = settings.in_step(branches, shared, shape).min(repetitions);
        let commitments = shape.inputs.saturating_add(shape.outputs).saturating_add(shape.multiplications);
        settings.memory(branches, commitments.saturating_mul(in_step) as u64)
    };
    let (protocol, memory) = match by {
        DisjunctionArg::Robin => ("robin", None),
        DisjunctionArg::Macncheese => ("macncheese", Some(memory())),
    };
    let way = Way { protocol, options, memory, stands_hashes: true };
    let estimate = rehearse(options, |prover, rng| prove_many(&options, many, by, prover, rng))?;
    Cost::new(&way, &estimate, &Bits)
}
