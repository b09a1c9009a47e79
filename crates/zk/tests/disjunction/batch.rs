//! Batches: every repetition holds, or V says no.

use volery_channel::tags;
use volery_circuit::{Branches, Counter, Error as StatementError, Evaluator};
use volery_field::F61;
use volery_zk::Error;

use crate::machine::{ByRepeating, Instruction, Machine};
use crate::parties::{End, Meddling, RUNS, Run, frequencies, look_alike, prove_over, session, verify_over};
use crate::programs::Random;
use crate::tap::Change;

const CODES: [usize; 7] = [3, 0, 1, 1, 4, 2, 3];

fn machine(codes: &[usize], public_codes: bool) -> Machine<F61> {
    Machine::new((0..5).map(Instruction::numbered).collect(), codes.to_vec(), public_codes)
}

fn meddled(run: Run, proved: &Machine<F61>, claimed: &Machine<F61>, change: Meddling) -> End {
    let (proved, claimed) = (ByRepeating(proved.clone()), ByRepeating(claimed.clone()));
    session(
        |channel| prove_over::<F61, F61>(run, &proved, channel),
        |channel| verify_over::<F61, F61>(run, &claimed, channel),
        change,
    )
}

fn between(run: Run, proved: &Machine<F61>, claimed: &Machine<F61>) -> End {
    meddled(run, proved, claimed, None)
}

#[test]
fn batches_are_accepted_whatever_is_picked_and_nothing_shows_it() {
    for run in RUNS {
        let mut outlines = Vec::new();
        for codes in [CODES, [0; 7], [4, 3, 2, 1, 0, 1, 2]] {
            let machine = machine(&codes, false);
            assert_eq!(Evaluator::<F61>::check(&ByRepeating(machine.clone())), Ok(()));
            let end = between(run, &machine, &machine);
            assert!(end.results[1].is_ok() && end.results[0] == end.results[1], "{:?}", end.results);
            outlines.push(end.outline());
        }
        assert!(outlines.windows(2).all(|pair| pair[0] == pair[1]), "the choice shows");
    }
}

#[test]
fn random_machines_that_the_evaluator_accepts_are_proved() {
    for seed in 0..20 {
        let mut random = Random(seed);
        let instructions = (0..1 + random.below(6) as u64).map(|code| Instruction::random(code, seed));
        let instructions: Vec<_> = instructions.collect();
        let codes = (0..random.below(9)).map(|_| random.below(instructions.len())).collect();
        let machine = Machine::<F61>::new(instructions, codes, seed % 2 == 0);
        assert_eq!(Evaluator::<F61>::check(&ByRepeating(machine.clone())), Ok(()));
        let end = between(RUNS[seed as usize % RUNS.len()], &machine, &machine);
        assert!(end.results[1].is_ok() && end.results[0] == end.results[1], "{seed}: {:?}", end.results);
    }
}

#[test]
fn every_bit_of_a_batch_is_as_often_set_whatever_is_picked() {
    let runs = 120;
    let pictures = [CODES, [0; 7], [4, 3, 2, 1, 0, 1, 2]].map(|codes| {
        let machine = machine(&codes, false);
        frequencies(runs, |dealt| between(Run { dealt, ..RUNS[0] }, &machine, &machine))
    });
    look_alike(&pictures, runs);
}

#[test]
fn public_inputs_decide_which_branch_holds() {
    let claimed = machine(&CODES, true);
    assert!(between(RUNS[0], &claimed, &claimed).results[1].is_ok());
    // V's third code is another one.
    let mut other = CODES;
    other[2] = 2;
    let end = between(RUNS[0], &claimed, &Machine { codes: other.to_vec(), ..claimed.clone() });
    assert!(matches!(end.results[1], Err(Error::Rejected { .. })), "{:?}", end.results);
}

#[test]
fn no_repetitions_and_a_single_branch_are_possible() {
    let none = machine(&[], false);
    assert!(between(RUNS[0], &none, &none).results[1].is_ok());
    let single = Machine::new(vec![Instruction::numbered(0)], vec![0; 3], false);
    assert!(between(RUNS[0], &single, &single).results[1].is_ok());
}

#[test]
fn the_counter_counts_the_repetitions_commitments() {
    let machine = machine(&CODES, false);
    let counted = Counter::<F61>::count(&ByRepeating(machine.clone())).expect("counts").total();
    let tally = between(RUNS[0], &machine, &machine).results[1].clone().expect("holds");
    assert_eq!(counted.multiplications, tally.multiplications);
}

/// What a lying P runs in place of `claimed`: the same number of branches, of the same shape.
fn lies() -> (Machine<F61>, Vec<(&'static str, Machine<F61>)>) {
    let with = |change: &dyn Fn(&mut Vec<Instruction>)| {
        let mut list: Vec<_> = (0..5).map(Instruction::numbered).collect();
        change(&mut list);
        Branches::new(list, 4).expect("fits")
    };
    let mixture = with(&|list| list[4].seeds = [4, 52]);
    let foreign = with(&|list| list[4].seeds = [77, 78]);
    let unguarded = with(&|list| list[4].code = 1);
    let shape =
        [&mixture, &foreign, &unguarded].iter().fold(machine(&CODES, false).branches.shape(), |all, b| {
            all.join(b.shape()).expect("the same outputs")
        });
    let shaped = |branches: &Branches<F61, Instruction>| {
        Branches::with_shape(branches.list().to_vec(), branches.shared(), shape).expect("some")
    };
    let claimed = machine(&CODES, true);
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

#[test]
fn wrong_vectors_branches_for_other_repetitions_and_wires_not_tied_are_rejected() {
    let (claimed, lies) = lies();
    for run in RUNS {
        assert!(between(run, &claimed, &claimed).results[1].is_ok());
        for (name, lie) in &lies {
            // The end is whatever P's steps lead to, at V too: the lie itself has to be found.
            let claimed = Machine { end: lie.end.clone(), ..claimed.clone() };
            let end = between(run, lie, &claimed);
            assert!(matches!(end.results[1], Err(Error::Rejected { .. })), "{name}: {:?}", end.results);
        }
    }
}

#[test]
fn a_prover_whose_repetition_does_not_hold_stops() {
    let claimed = machine(&CODES, true);
    let mut wrong = claimed.clone();
    wrong.codes[3] = 2;
    let mut list: Vec<_> = (0..5).map(Instruction::numbered).collect();
    list[2].code = 3;
    wrong.branches = Branches::new(list, 4).expect("fits");
    let end = between(RUNS[0], &wrong, &claimed);
    assert!(matches!(end.results[0], Err(Error::Statement(StatementError::Unsatisfied { .. }))));
    assert!(end.results[1].is_err());
}

#[test]
fn no_message_of_a_batch_can_be_changed() {
    let machine = machine(&CODES[..2], false);
    for run in [RUNS[0], RUNS[1]] {
        let sent = between(run, &machine, &machine).sent;
        assert!(sent[0].iter().filter(|(tag, _)| *tag == tags::ELEMENTS_OPENING).count() >= 3);
        for (at, (tag, payload)) in sent[0].iter().enumerate() {
            let flips = (0..8 * payload.len()).step_by(1 + payload.len() / 2).map(Change::Flip);
            for change in flips.chain([Change::Truncate, Change::Extend, Change::Fill(0xff)]) {
                let end = meddled(run, &machine, &machine, Some((0, at, change)));
                assert!(end.results[1].is_err(), "{run:?} {tag} ({at}), {change:?}");
            }
        }
        for (at, (tag, payload)) in sent[1].iter().enumerate() {
            let end = meddled(run, &machine, &machine, Some((1, at, Change::Flip(4 * payload.len()))));
            assert!(end.results[1].is_err(), "{run:?} {tag} ({at})");
        }
    }
}
