//! What it costs to prove one of several circuits, by each protocol.

use volery::{Options, Profile};
use volery_circuit::Counts;
use volery_zk::disjunction::cost::{Over, Protocol, Task};
use volery_zk::quicksilver::Program;

use super::predict::Prediction;
use super::{Cost, Speed};
use crate::cli::args::DisjunctionArg;
use crate::cli::many::Many;
use crate::cli::settle::{many_soundness, stacked_settings};

/// Each protocol on each kind of network; `counts` are those of a proof by Robin.
pub(super) fn costs(many: &Many, counts: &Counts, speed: &Speed) -> Vec<Cost> {
    let profiles = [Profile::Lan, Profile::Wan];
    let protocols = [DisjunctionArg::Robin, DisjunctionArg::Macncheese];
    let pairs = profiles.into_iter().flat_map(|profile| protocols.map(|by| (profile, by)));
    pairs.filter_map(|(profile, by)| cost(many, counts, speed, profile, by)).collect()
}

fn cost(many: &Many, counts: &Counts, speed: &Speed, profile: Profile, by: DisjunctionArg) -> Option<Cost> {
    let options = Options { profile, ..Options::default() };
    let hashed = Options { fiat_shamir: true, ..options };
    let (name, protocol) = match by {
        DisjunctionArg::Robin => ("robin", Protocol::Robin),
        DisjunctionArg::Macncheese => ("macncheese", Protocol::MacAndCheese),
    };
    let own = many.task().cost(protocol, &Over::bits(options.settings()))?;
    // Set-up and correlations as for a proof that commits to as many bits; then what the protocol sends besides those bits.
    let mut committed = Counts::default();
    committed.inputs = own.commitments;
    let predicted = Prediction::bits(&options, &committed, true);
    let correlations = match by {
        DisjunctionArg::Robin => Program::from(counts).correlations(options.settings()),
        DisjunctionArg::Macncheese => predicted.correlations,
    };
    let memory = (by == DisjunctionArg::Macncheese).then(|| {
        let Task { branches, shape, .. } = many.task();
        let commitments = shape.inputs.saturating_add(shape.outputs).saturating_add(shape.multiplications);
        stacked_settings(&options, branches).memory(branches, commitments as u64)
    });
    let besides = own.prover_bytes.saturating_sub(own.commitments.div_ceil(8));
    Some(Cost {
        protocol: name,
        profile: profile.name(),
        correlations,
        bytes_prover: predicted.bytes_prover.saturating_add(besides),
        bytes_verifier: predicted.bytes_verifier.saturating_add(own.verifier_bytes),
        round_trips: predicted.round_trips,
        memory_prover: memory.map(|[prover, _]| prover),
        memory_verifier: memory.map(|[_, verifier]| verifier),
        seconds_estimated: speed.seconds(0) + own.seconds,
        soundness_bits: many_soundness(&options, many, counts, by),
        soundness_bits_fiat_shamir: many_soundness(&hashed, many, counts, by),
    })
}
