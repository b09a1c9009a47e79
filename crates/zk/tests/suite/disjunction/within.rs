//! Disjunctions inside larger statements: wires that go in and come out, on every backend.

use volery_circuit::{Branches, Counter, Error as StatementError, Evaluator};
use volery_field::{F2, F61, F61x2, Mac, Ring as _, Value};
use volery_testing::session;
use volery_zk::Error;

use crate::disjunction::machine::{ByChoosing, ByRepeating, Instruction, Machine};
use crate::disjunction::parties::{RUNS, prove_bits, prove_over, verify_bits, verify_over};
use crate::disjunction::programs::{Random, Small};

fn instructions(n: u64) -> Vec<Instruction> {
    (0..n).map(Instruction::numbered).collect()
}

fn machine<R: Small>(codes: &[usize]) -> Machine<R> {
    // Over bits a code has one bit.
    let n = if R::NAME == F2::NAME { 2 } else { 5 };
    Machine::new(instructions(n), codes.iter().map(|code| code % n as usize).collect(), false)
}

#[test]
fn a_machine_s_run_is_proved_whatever_its_codes_and_nothing_shows_them() {
    for run in RUNS {
        let mut outlines = Vec::new();
        for codes in [[0, 1, 2], [3, 4, 1], [2, 2, 2]] {
            let bits = ByChoosing(machine::<F2>(&codes));
            assert_eq!(Evaluator::<F2>::check(&bits), Ok(()));
            let end = session(|c| prove_bits(run, &bits, c), |c| verify_bits(run, &bits, c), None);
            assert!(end.results[1].is_ok() && end.results[0] == end.results[1], "{:?}", end.results);
            let fields = ByChoosing(machine::<F61>(&codes));
            assert_eq!(Evaluator::<F61>::check(&fields), Ok(()));
            let [small, large] =
                [over::<F61, F61>, over::<F61, F61x2>].map(|over| over(run, &fields, &fields));
            for end in [&small, &large] {
                assert!(end.results[1].is_ok() && end.results[0] == end.results[1], "{:?}", end.results);
            }
            outlines.push([&end, &small, &large].map(|end| end.outline()));
        }
        assert!(outlines.windows(2).all(|pair| pair[0] == pair[1]), "the choice shows");
    }
}

fn over<F: Value + Small, M: Mac<F>>(
    run: crate::disjunction::parties::Run,
    proved: &ByChoosing<F>,
    claimed: &ByChoosing<F>,
) -> crate::disjunction::parties::End {
    session(|c| prove_over::<F, M>(run, proved, c), |c| verify_over::<F, M>(run, claimed, c), None)
}

#[test]
fn random_machines_that_the_evaluator_accepts_are_proved_over_bits_and_fields() {
    for seed in 0..16 {
        let mut random = Random(seed);
        let instructions = |n: u64| (0..n).map(|code| Instruction::random(code, seed)).collect::<Vec<_>>();
        let run = RUNS[seed as usize % RUNS.len()];
        let bits = Machine::<F2>::new(instructions(2), (0..4).map(|_| random.below(2)).collect(), false);
        let bits = ByRepeating(bits);
        assert_eq!(Evaluator::<F2>::check(&bits), Ok(()));
        let end = session(|c| prove_bits(run, &bits, c), |c| verify_bits(run, &bits, c), None);
        assert!(end.results[1].is_ok(), "{seed}: {:?}", end.results);
        let fields = Machine::<F61>::new(instructions(7), (0..4).map(|_| random.below(7)).collect(), true);
        let fields = ByChoosing(fields);
        assert_eq!(Evaluator::<F61>::check(&fields), Ok(()));
        let end = over::<F61, F61x2>(run, &fields, &fields);
        assert!(end.results[1].is_ok(), "{seed}: {:?}", end.results);
    }
}

#[test]
fn the_counter_counts_what_the_parties_commit_to() {
    let statement = ByChoosing(machine::<F61>(&[1, 2, 3]));
    let counted = Counter::<F61>::count(&statement).expect("counts").total();
    let tally = over::<F61, F61>(RUNS[0], &statement, &statement).results[1].clone().expect("holds");
    assert_eq!((counted.inputs, counted.multiplications), (tally.secrets, tally.multiplications));
}

#[test]
fn a_prover_whose_branch_does_not_hold_stops_before_it_says_anything_of_it() {
    let mut wrong = machine::<F61>(&[1, 2, 3]);
    wrong.branches =
        Machine::<F61>::new([0, 4, 2, 3, 4].map(Instruction::numbered).to_vec(), vec![], false).branches;
    let end = over::<F61, F61>(RUNS[0], &ByChoosing(wrong), &ByChoosing(machine(&[1, 2, 3])));
    assert!(matches!(end.results[0], Err(Error::Statement(StatementError::Unsatisfied { .. }))));
    assert!(end.results[1].is_err());
}

#[test]
fn other_outputs_inputs_or_instructions_are_rejected() {
    let honest = || machine::<F61>(&[1, 2, 3]);
    // Another end, a wire that is not carried on, an instruction of two halves of others.
    let mut other_end = honest();
    other_end.start[0] += F61::new(1);
    let mut untied = honest();
    untied.untied = Some(2);
    let mut list = instructions(5);
    list[2].seeds = [2, 53];
    let mixture = Machine { branches: Machine::<F61>::new(list, vec![], false).branches, ..honest() };
    let shape = mixture.branches.shape().join(honest().branches.shape()).expect("the same outputs");
    let shaped = |machine: Machine<F61>| {
        let (list, shared) = (machine.branches.list().to_vec(), machine.branches.shared());
        Machine { branches: Branches::with_shape(list, shared, shape).expect("some"), ..machine }
    };
    let claimed = ByChoosing(shaped(honest()));
    for (name, lie) in [("end", other_end), ("untied", untied), ("mixture", mixture)] {
        let lie = ByChoosing(shaped(lie).with_own_end());
        for run in RUNS {
            let results = over::<F61, F61>(run, &lie, &claimed).results;
            let refused = matches!(results[1], Err(Error::Rejected { .. } | Error::Diverged { .. }));
            assert!(refused, "{name}: {results:?}");
        }
    }
}
