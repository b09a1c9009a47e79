//! Batches: every repetition holds, or V says no.

use volery_channel::tags;
use volery_circuit::{Branches, Counter, Error as StatementError, Evaluator};
use volery_field::{F61, F61x2, Mac};
use volery_testing::{Change, Meddling, session};
use volery_zk::Error;

use crate::disjunction::machine::{ByRepeating, Instruction, Machine};
use crate::disjunction::parties::{End, RUNS, Run, frequencies, look_alike, prove_over, verify_over};
use crate::disjunction::programs::Random;

const CODES: [usize; 7] = [3, 0, 1, 1, 4, 2, 3];

/// Five instructions with secrets of their own, or without: P evaluates them in other ways.
fn instructions(own: bool) -> Vec<Instruction> {
    (0..5).map(|code| Instruction { own, ..Instruction::numbered(code) }).collect()
}

fn machine(codes: &[usize], public_codes: bool, own: bool) -> Machine<F61> {
    Machine::new(instructions(own), codes.to_vec(), public_codes)
}

/// Calls `$test::<M>(own)` with MACs in the field of values and in its extension, for branches with secrets
/// and without.
macro_rules! every_way {
    ($test:ident) => {
        for own in [false, true] {
            $test::<F61>(own);
            $test::<F61x2>(own);
        }
    };
}

fn meddled<M: Mac<F61>>(run: Run, proved: &Machine<F61>, claimed: &Machine<F61>, change: Meddling) -> End {
    let (proved, claimed) = (ByRepeating(proved.clone()), ByRepeating(claimed.clone()));
    session(
        |channel| prove_over::<F61, M>(run, &proved, channel),
        |channel| verify_over::<F61, M>(run, &claimed, channel),
        change,
    )
}

fn between<M: Mac<F61>>(run: Run, proved: &Machine<F61>, claimed: &Machine<F61>) -> End {
    meddled::<M>(run, proved, claimed, None)
}

fn batches_are_accepted<M: Mac<F61>>(own: bool) {
    for run in RUNS {
        let mut outlines = Vec::new();
        for codes in [CODES, [0; 7], [4, 3, 2, 1, 0, 1, 2]] {
            let machine = machine(&codes, false, own);
            assert_eq!(Evaluator::<F61>::check(&ByRepeating(machine.clone())), Ok(()));
            let end = between::<M>(run, &machine, &machine);
            assert!(end.results[1].is_ok() && end.results[0] == end.results[1], "{:?}", end.results);
            outlines.push(end.outline());
        }
        assert!(outlines.windows(2).all(|pair| pair[0] == pair[1]), "the choice shows");
    }
}

#[test]
fn batches_are_accepted_whatever_is_picked_and_nothing_shows_it() {
    every_way!(batches_are_accepted);
}

fn random_machines_are_proved<M: Mac<F61>>(own: bool) {
    for seed in 0..20 {
        let mut random = Random(seed);
        let instructions = (0..1 + random.below(6) as u64)
            .map(|code| Instruction { own, ..Instruction::random(code, seed) });
        let instructions: Vec<_> = instructions.collect();
        let codes = (0..random.below(9)).map(|_| random.below(instructions.len())).collect();
        let machine = Machine::<F61>::new(instructions, codes, seed % 2 == 0);
        assert_eq!(Evaluator::<F61>::check(&ByRepeating(machine.clone())), Ok(()));
        let end = between::<M>(RUNS[seed as usize % RUNS.len()], &machine, &machine);
        assert!(end.results[1].is_ok() && end.results[0] == end.results[1], "{seed}: {:?}", end.results);
    }
}

#[test]
fn random_machines_that_the_evaluator_accepts_are_proved() {
    every_way!(random_machines_are_proved);
}

fn every_bit_looks_alike<M: Mac<F61>>(own: bool) {
    let runs = 120;
    let pictures = [CODES, [0; 7], [4, 3, 2, 1, 0, 1, 2]].map(|codes| {
        let machine = machine(&codes, false, own);
        frequencies(runs, |dealt| between::<M>(Run { dealt, ..RUNS[0] }, &machine, &machine))
    });
    look_alike(&pictures, runs);
}

#[test]
fn every_bit_of_a_batch_is_as_often_set_whatever_is_picked() {
    every_bit_looks_alike::<F61>(false);
    every_bit_looks_alike::<F61x2>(true);
}

fn public_inputs_decide<M: Mac<F61>>(own: bool) {
    let claimed = machine(&CODES, true, own);
    assert!(between::<M>(RUNS[0], &claimed, &claimed).results[1].is_ok());
    // V's third code is another one.
    let mut other = CODES;
    other[2] = 2;
    let end = between::<M>(RUNS[0], &claimed, &Machine { codes: other.to_vec(), ..claimed.clone() });
    assert!(matches!(end.results[1], Err(Error::Rejected { .. })), "{:?}", end.results);
}

#[test]
fn public_inputs_decide_which_branch_holds() {
    every_way!(public_inputs_decide);
}

fn no_repetitions_and_single_branches<M: Mac<F61>>(own: bool) {
    let none = machine(&[], false, own);
    assert!(between::<M>(RUNS[0], &none, &none).results[1].is_ok());
    let single = Machine::new(instructions(own)[..1].to_vec(), vec![0; 3], false);
    assert!(between::<M>(RUNS[0], &single, &single).results[1].is_ok());
}

#[test]
fn no_repetitions_and_a_single_branch_are_possible() {
    every_way!(no_repetitions_and_single_branches);
}

#[test]
fn the_counter_counts_the_repetitions_commitments() {
    let machine = machine(&CODES, false, true);
    let counted = Counter::<F61>::count(&ByRepeating(machine.clone())).expect("counts").total();
    let tally = between::<F61>(RUNS[0], &machine, &machine).results[1].clone().expect("holds");
    assert_eq!(counted.multiplications, tally.multiplications);
}

/// What a lying P runs in place of `claimed`: the same number of branches, of the same shape.
fn lies(own: bool) -> (Machine<F61>, Vec<(&'static str, Machine<F61>)>) {
    let with = |change: &dyn Fn(&mut Vec<Instruction>)| {
        let mut list = instructions(own);
        change(&mut list);
        Branches::new(list, 4).expect("fits")
    };
    let mixture = with(&|list| list[4].seeds = [4, 52]);
    let foreign = with(&|list| list[4].seeds = [77, 78]);
    let unguarded = with(&|list| list[4].code = 1);
    let shape = [&mixture, &foreign, &unguarded]
        .iter()
        .fold(machine(&CODES, false, own).branches.shape(), |all, b| {
            all.join(b.shape()).expect("the same outputs")
        });
    let shaped = |branches: &Branches<F61, Instruction>| {
        Branches::with_shape(branches.list().to_vec(), branches.shared(), shape).expect("some")
    };
    let claimed = machine(&CODES, true, own);
    let claimed = Machine { branches: shaped(&claimed.branches), ..claimed };
    let lie = |branches| Machine { branches: shaped(branches), ..claimed.clone() };
    // P's code 4 is carried out by what is called by 1: in step 4 of 7 only.
    let mut codes = CODES;
    codes[4] = 1;
    let mut untied = claimed.clone();
    untied.untied = Some(5);
    let lies = vec![
        ("a mixture of two branches", lie(&mixture).with_own_end()),
        ("a branch of P's own", lie(&foreign).with_own_end()),
        (
            "a branch called by another's code",
            Machine { codes: codes.to_vec(), ..lie(&unguarded) }.with_own_end(),
        ),
        ("a state that is not carried on", untied.with_own_end()),
    ];
    (claimed, lies)
}

fn lies_are_rejected<M: Mac<F61>>(own: bool) {
    let (claimed, lies) = lies(own);
    for run in RUNS {
        assert!(between::<M>(run, &claimed, &claimed).results[1].is_ok());
        for (name, lie) in &lies {
            // The end is whatever P's steps lead to, at V too: the lie itself has to be found.
            let claimed = Machine { end: lie.end.clone(), ..claimed.clone() };
            let end = between::<M>(run, lie, &claimed);
            assert!(matches!(end.results[1], Err(Error::Rejected { .. })), "{name}: {:?}", end.results);
        }
    }
}

#[test]
fn wrong_vectors_branches_for_other_repetitions_and_wires_not_tied_are_rejected() {
    every_way!(lies_are_rejected);
}

fn a_false_repetition_stops<M: Mac<F61>>(own: bool) {
    let claimed = machine(&CODES, true, own);
    let mut wrong = claimed.clone();
    wrong.codes[3] = 2;
    let mut list = instructions(own);
    list[2].code = 3;
    wrong.branches = Branches::new(list, 4).expect("fits");
    let end = between::<M>(RUNS[0], &wrong, &claimed);
    assert!(matches!(end.results[0], Err(Error::Statement(StatementError::Unsatisfied { .. }))));
    assert!(end.results[1].is_err());
}

#[test]
fn a_prover_whose_repetition_does_not_hold_stops() {
    every_way!(a_false_repetition_stops);
}

fn no_message_can_be_changed<M: Mac<F61>>(own: bool) {
    let machine = machine(&CODES[..2], false, own);
    for run in [RUNS[0], RUNS[1]] {
        let sent = between::<M>(run, &machine, &machine).sent;
        assert!(sent[0].iter().filter(|(tag, _)| *tag == tags::ELEMENTS_OPENING).count() >= 3);
        for (at, (tag, payload)) in sent[0].iter().enumerate() {
            let flips = (0..8 * payload.len()).step_by(1 + payload.len() / 2).map(Change::Flip);
            for change in flips.chain([Change::Truncate, Change::Extend, Change::Fill(0xff)]) {
                let end = meddled::<M>(run, &machine, &machine, Some((0, at, change)));
                assert!(end.results[1].is_err(), "{run:?} {tag} ({at}), {change:?}");
            }
        }
        for (at, (tag, payload)) in sent[1].iter().enumerate() {
            let end = meddled::<M>(run, &machine, &machine, Some((1, at, Change::Flip(4 * payload.len()))));
            assert!(end.results[1].is_err(), "{run:?} {tag} ({at})");
        }
    }
}

#[test]
fn no_message_of_a_batch_can_be_changed() {
    every_way!(no_message_can_be_changed);
}
