//! What it costs to prove one of several circuits, by each protocol.

use volery::{Options, Profile};
use volery_circuit::Counts;
use volery_field::{Gf128, Ring as _};
use volery_zk::disjunction::cost::Task;

use super::cost::{Cost, Way};
use super::speed::Bits;
use crate::cli::args::DisjunctionArg;
use crate::cli::failure::Failure;
use crate::cli::many::Many;
use crate::cli::session::rehearse;
use crate::cli::settle::{many_soundness, prove_many, stacked_settings};

/// Each protocol on each kind of network; `counts` are those of a proof by Robin.
pub(super) fn costs(many: &Many, counts: &Counts) -> Result<Vec<Cost>, Failure> {
    let profiles = [Profile::Lan, Profile::Wan];
    let protocols = [DisjunctionArg::Robin, DisjunctionArg::Macncheese];
    let pairs = profiles.into_iter().flat_map(|profile| protocols.map(|by| (profile, by)));
    pairs.map(|(profile, by)| cost(many, counts, profile, by)).collect()
}

fn cost(many: &Many, counts: &Counts, profile: Profile, by: DisjunctionArg) -> Result<Cost, Failure> {
    let options = Options { profile, ..Options::default() };
    let hashed = Options { fiat_shamir: true, ..options };
    let memory = || {
        let Task { branches, shape, .. } = many.task();
        let commitments = shape.inputs.saturating_add(shape.outputs).saturating_add(shape.multiplications);
        stacked_settings(&options, branches).memory(branches, commitments as u64)
    };
    let (protocol, memory) = match by {
        DisjunctionArg::Robin => ("robin", None),
        DisjunctionArg::Macncheese => ("macncheese", Some(memory())),
    };
    let soundness = [&options, &hashed].map(|options| many_soundness(options, many, counts, by));
    let soundness = (soundness[0], Some(soundness[1]));
    let way = Way { protocol, mac_field: Gf128::NAME, options, memory, soundness };
    let estimate = rehearse(options, |prover, rng| prove_many(&options, many, by, prover, rng))?;
    Cost::new(&way, &estimate, &Bits)
}
