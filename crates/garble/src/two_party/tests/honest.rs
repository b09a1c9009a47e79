//! Sessions without cheating.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use volery_channel::Channel;
use volery_circuit::testing::{RandomCircuit, Size};
use volery_circuit::{Evaluator as Clear, Prove as _};
use volery_field::{F2, Gf128};
use volery_testing::{between, rng};
use volery_vole::correlations::{Chain, Generator, Pool, Profile, Source};
use volery_vole::cot::{ProverParty, VerifierParty};
use volery_vole::softspoken::{FieldBits, Receiver, Sender};

use super::functions::Toy;
use super::parties::{
    Party, SESSION, delta, evaluator, evaluator_in_batches, evaluator_with, garbler, garbler_in_batches,
    garbler_with, garbler_without_labels, settings,
};
use super::scenario::{Plan, prove, right, run, verify};
use crate::two_party::{Evaluator, Garbler, GarblerLabels, Garbling, Owner, evaluator_labels};
use crate::{Error, Function, Shape};

/// Tables before the first correlations that are made beside them: fewer than in a real session, whose
/// circuits are larger.
const TABLES_AHEAD: u64 = 8;

#[test]
fn a_session_gives_the_right_values_and_the_proof_is_accepted() {
    for garbling in [Garbling::ThreeHalves, Garbling::OneHot] {
        let plan = &Plan { garbling, ..Plan::HONEST };
        let (p, v) = between(|c| prove(c, plan), |c| verify(c, plan));
        assert!(right(&p.expect("honest"), &v.expect("honest")));
    }
}

#[test]
fn a_session_on_correlations_of_its_own_gives_the_same_however_many_are_made_beside_tables() {
    // Some 29,000 gates are garbled. Only where fewer correlations are prepared is the program counted.
    for (ahead, counted) in [(0, true), (129, true), (9000, true), (40_000, false)] {
        assert_eq!(on_correlations_of_its_own(ahead), [usize::from(counted); 2], "{ahead}");
    }
}

/// Correlations, and how often it was said how many there should be.
struct Noting<S>(S, Arc<AtomicUsize>);

impl<S: Source> Source for Noting<S> {
    fn refill(&mut self, channel: &mut dyn Channel, out: &mut Vec<Gf128>) -> Result<(), volery_vole::Error> {
        self.0.refill(channel, out)
    }
    fn expect(&mut self, end: Option<u64>) {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.expect(end);
    }
    fn settle(&mut self, channel: &mut dyn Channel) -> Result<(), volery_vole::Error> {
        self.0.settle(channel)
    }
    fn may_wait(&self) -> bool {
        self.0.may_wait()
    }

    fn chain(&mut self, channel: &mut dyn Channel, taken: u64) -> Result<Chain, volery_vole::Error> {
        self.0.chain(channel, taken)
    }
}

/// With correlations up to this number made beside tables. How often the proof said at P and at V how many it
/// takes.
fn on_correlations_of_its_own(ahead: u64) -> [usize; 2] {
    fn pool(source: impl Source + Send + 'static) -> (Pool, Arc<AtomicUsize>) {
        let said = Arc::default();
        (Pool::new(Box::new(Noting(source, Arc::clone(&said)))), said)
    }
    let plan = Profile::Lan.plan();
    let (p, v) = between(
        |c| {
            let mut rng = rng(20);
            let extension = Receiver::setup(c, &SESSION, FieldBits::Eight, &mut rng)?;
            let (mut tags, said) =
                pool(Generator::new(ProverParty::new(SESSION, extension, &mut rng), plan, None));
            let labels = GarblerLabels::start(c, &SESSION, &mut tags, &mut rng)?;
            let labels = labels.finish(c, &mut rng)?;
            let mut p = Garbler::new(&SESSION, settings(), labels, tags, &mut rng);
            p.prepare_beside_after(TABLES_AHEAD, ahead);
            let (seen, _) = run(&mut p, c, &Plan::HONEST)?;
            assert_eq!(said.load(Ordering::Relaxed), 0);
            p.prove(c, &mut rng, |_, _| Ok(()))?;
            Ok::<_, Error>((seen, said.load(Ordering::Relaxed)))
        },
        |c| {
            let mut rng = rng(21);
            let extension = Sender::setup(c, &SESSION, FieldBits::Eight, delta(), &mut rng)?;
            let party = VerifierParty::new(SESSION, extension, delta(), &mut rng);
            let (mut keys, said) = pool(Generator::new(party, plan, None));
            let labels = evaluator_labels(c, &SESSION, (&delta(), &mut keys), &mut rng)?;
            let mut v = Evaluator::new(&SESSION, settings(), labels, (delta(), keys));
            v.prepare_beside_after(TABLES_AHEAD, ahead);
            let (seen, _) = run(&mut v, c, &Plan::HONEST)?;
            v.verify(c, &mut rng, |_, _| Ok(()))?;
            Ok::<_, Error>((seen, said.load(Ordering::Relaxed)))
        },
    );
    let ((p, said_p), (v, said_v)) = (p.expect("honest"), v.expect("honest"));
    assert!(right(&p, &v));
    [said_p, said_v]
}

#[test]
fn parties_whose_batches_differ_make_the_same_correlations_beside_tables() {
    for (batches, ahead) in [([777, 5000], 25_000), ([20_000, 64], 25_000), ([64, 20_000], 9000)] {
        let (p, v) = between(
            |c| {
                let mut p = garbler_in_batches(batches[0]);
                p.prepare_beside_after(TABLES_AHEAD, ahead);
                let (seen, _) = run(&mut p, c, &Plan::HONEST)?;
                let pool = p.commitments();
                let counts = [pool.index(), pool.prepared()];
                p.prove(c, &mut rng(1), |_, _| Ok(()))?;
                Ok::<_, Error>((seen, counts))
            },
            |c| {
                let mut v = evaluator_in_batches(batches[1]);
                v.prepare_beside_after(TABLES_AHEAD, ahead);
                let (seen, _) = run(&mut v, c, &Plan::HONEST)?;
                let (_, pool) = v.commitments();
                let counts = [pool.index(), pool.prepared()];
                v.verify(c, &mut rng(2), |_, _| Ok(()))?;
                Ok::<_, Error>((seen, counts))
            },
        );
        let ((p, p_counts), (v, v_counts)) = (p.expect("honest"), v.expect("honest"));
        assert!(right(&p, &v));
        assert_eq!(p_counts, v_counts);
        assert_eq!(p_counts[0] + p_counts[1], ahead);
    }
}

#[test]
fn labels_may_come_when_all_is_garbled() {
    for [x, y] in [[0, 1], [1, 0], [1, 1]].map(|bits| bits.map(F2::from_lsb)) {
        let (p, v) = between(
            |c| {
                let (mut p, labels) = garbler_without_labels();
                let mine = p.input(c, Owner::Prover, 1)?;
                let theirs = p.input(c, Owner::Verifier, 1)?;
                let out = p.call(c, Toy::And, &[mine.wires(), theirs.wires()].concat())?;
                p.set_labels(c, labels)?;
                let late = p.input(c, Owner::Verifier, 1)?;
                p.give(c, mine, &[x])?;
                p.take(c, theirs)?;
                let late_wires = late.wires().to_vec();
                p.take(c, late)?;
                let values = p.public(c, &[out, late_wires].concat())?;
                p.prove(c, &mut rng(1), |_, _| Ok(()))?;
                Ok::<_, Error>(values)
            },
            |c| {
                let mut v = evaluator();
                let theirs = v.input(c, Owner::Prover, 1)?;
                let mine = v.input(c, Owner::Verifier, 1)?;
                let out = v.call(c, Toy::And, &[theirs.wires(), mine.wires()].concat())?;
                let late = v.input(c, Owner::Verifier, 1)?;
                v.take(c, theirs)?;
                v.give(c, mine, &[y])?;
                let late_wires = late.wires().to_vec();
                v.give(c, late, &[y])?;
                let values = v.public(c, &[out, late_wires].concat())?;
                v.verify(c, &mut rng(2), |_, _| Ok(()))?;
                Ok::<_, Error>(values)
            },
        );
        assert_eq!(p.expect("honest"), [x * y, y]);
        assert_eq!(v.expect("honest"), [x * y, y]);
    }
}

/// Inputs of all kinds to one circuit, before or after it is garbled.
fn random<T: Party>(
    party: &mut T,
    channel: &mut dyn Channel,
    circuit: &Toy,
    values: &[F2],
    ahead: bool,
) -> Result<Vec<F2>, Error> {
    let owners = [Owner::Prover, Owner::Verifier, Owner::Both];
    let cuts = [0, values.len() / 3, values.len() * 2 / 3, values.len()];
    let (mut inputs, mut wires) = (Vec::new(), Vec::new());
    for (i, owner) in owners.into_iter().enumerate() {
        let input = party.input(channel, owner, cuts[i + 1] - cuts[i])?;
        wires.extend_from_slice(input.wires());
        inputs.push((owner, input, &values[cuts[i]..cuts[i + 1]]));
    }
    let mut outputs = Vec::new();
    if ahead {
        outputs = party.call(channel, circuit.clone(), &wires)?;
    }
    for (owner, input, bits) in inputs {
        party.deliver(channel, owner, input, bits)?;
    }
    if !ahead {
        outputs = party.call(channel, circuit.clone(), &wires)?;
    }
    party.public(channel, &outputs)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn random_circuits_give_their_values_garbled_ahead_or_not(seed: u64, inputs in 1_u32..30, ahead: bool) {
        let size = Size { inputs, ands: 60, xors: 40, invs: 9, outputs: 12, asserted: 0 };
        let RandomCircuit { circuit, witness } = RandomCircuit::new(seed, size);
        let toy = Toy::circuit(circuit);
        let want = toy.run(&mut Clear::new(), &witness).expect("runs");
        let (p, v) = between(
            |c| {
                let mut p = garbler();
                let values = random(&mut p, c, &toy, &witness, ahead)?;
                p.prove(c, &mut rng(1), |_, _| Ok(()))?;
                Ok::<_, Error>(values)
            },
            |c| {
                let mut v = evaluator();
                let values = random(&mut v, c, &toy, &witness, ahead)?;
                v.verify(c, &mut rng(2), |_, _| Ok(()))?;
                Ok::<_, Error>(values)
            },
        );
        prop_assert_eq!(p.expect("honest"), want.clone());
        prop_assert_eq!(v.expect("honest"), want);
    }
}

#[test]
fn outputs_that_are_constants_can_be_public_and_shared() {
    fn go<T: Party>(party: &mut T, channel: &mut dyn Channel) -> Result<[Vec<F2>; 2], Error> {
        let input = party.input(channel, Owner::Prover, 6)?;
        let masks = party.masks(channel, 6)?;
        let outputs = party.call(channel, Toy::Constants, input.wires())?;
        party.deliver(channel, Owner::Prover, input, &[F2::ZERO; 6])?;
        Ok([party.public(channel, &outputs)?, party.shared(channel, &outputs, masks)?])
    }
    let (p, v) = between(
        |c| {
            let mut p = garbler();
            let values = go(&mut p, c)?;
            p.prove(c, &mut rng(1), |_, _| Ok(()))?;
            Ok::<_, Error>(values)
        },
        |c| {
            let mut v = evaluator();
            let values = go(&mut v, c)?;
            v.verify(c, &mut rng(2), |_, _| Ok(()))?;
            Ok::<_, Error>(values)
        },
    );
    let ([public, ours], [same, theirs]) = (p.expect("honest"), v.expect("honest"));
    let want: Vec<_> = (0..6).map(F2::from_lsb).collect();
    assert!(public == want && same == want);
    assert_eq!(ours.iter().zip(&theirs).map(|(p, v)| *p + *v).collect::<Vec<_>>(), want);
}

#[test]
fn kept_wires_are_authenticated_bits_for_further_claims() {
    let claims = |lie: bool| {
        between(
            |c| {
                let mut p = garbler();
                let (_, key) = run(&mut p, c, &Plan::HONEST)?;
                p.prove(c, &mut rng(1), |fold, wires| {
                    // The key's first two bits, whose sum both know from nowhere.
                    let bit = |i: usize| *wires.wire(key[i]).expect("evaluated");
                    let sum = volery_circuit::Ops::<F2>::add(fold, &bit(0), &bit(0));
                    fold.assert_zero(&[sum])?;
                    Ok(key.len())
                })
            },
            |c| {
                let mut v = evaluator();
                let (_, key) = run(&mut v, c, &Plan::HONEST)?;
                let other = if lie { 1 } else { 0 };
                v.verify(c, &mut rng(2), |fold, wires| {
                    let bit = |i: usize| *wires.wire(key[i]).expect("evaluated");
                    let sum = volery_circuit::Ops::<F2>::add(fold, &bit(0), &bit(other));
                    fold.assert_zero(&[sum])?;
                    Ok(key.len())
                })
            },
        )
    };
    let (p, v) = claims(false);
    assert!(matches!((p, v), (Ok((128, _)), Ok((128, ..)))));
    let (p, v) = claims(true);
    assert!(p.err().expect("rejected").is_rejection() && v.err().expect("rejects").is_rejection());
}

#[test]
fn tweaks_go_on_through_all_calls_at_both_parties() {
    let keys = |garbling| {
        let plan = &Plan { garbling, ..Plan::HONEST };
        let (p, v) = between(
            |c| {
                let mut p = garbler_with(plan.settings());
                run(&mut p, c, plan)?;
                Ok::<_, Error>(p.keys())
            },
            |c| {
                let mut v = evaluator_with(plan.settings());
                run(&mut v, c, plan)?;
                Ok::<_, Error>(v.keys())
            },
        );
        (p.expect("honest"), v.expect("honest"))
    };
    // AES-128 with its key schedule, three ANDs that are never used, the products; SHA-256 of 16 bytes is the
    // rest.
    let sha = Shape::of(&Toy::Sha, 128).expect("counts").ands;
    let aes = Shape::of(&Toy::Aes, 256).expect("counts");
    assert_eq!((aes, aes.commitments()), (Shape { ands: 6400, s_boxes: 200, outputs: 128 }, 8 * 200));
    let gates = |ands: u64| 2 * (ands + 3 + 64 + sha);
    assert_eq!(keys(Garbling::ThreeHalves), (gates(6400), gates(6400)));
    // One-hot an S-box has five gates, and ciphertexts under 16 pairs of keys.
    let one_hot = gates(5 * 200) + 16 * 200;
    assert_eq!(keys(Garbling::OneHot), (one_hot, one_hot));
}
