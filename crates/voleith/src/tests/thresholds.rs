//! Several disjunctions in one statement: a P that lies in one of them, that has fewer branches than it
//! claims, or that passes a proof off as that of another statement.

use std::sync::Arc;

use volery_circuit::choose::{AtLeast, Numbered};
use volery_circuit::gadgets::less_than;
use volery_circuit::statements::AndChain;
use volery_circuit::{Branch, Branches, Choose, Digest, Picked, Prove, Repeat, Statement};
use volery_field::F2;
use volery_zk::disjunction::AnyOf;

use super::disjunctions::{Bits, Twice, branches};
use super::{check, few, proof_of, settings};
use crate::header::{Front, Header};
use crate::{Demands, Error, Parameters, Settings, verify};

const PARAMETERS: Parameters = Parameters::Fast80;

/// The place of the statement's digest in a header.
const STATEMENT: core::ops::Range<usize> = 32..64;

/// Branches that nobody holds, for V, and other ones of the same name, for a P that holds those.
fn false_and_true() -> [Bits; 2] {
    let claimed = Bits::of(&[true, true, false, true], 5);
    [claimed.clone(), claimed.backwards()]
}

fn disjunction_is_wrong() -> Result<crate::Proved, Error> {
    Err(Error::Rejected("a product or a disjunction is wrong".into()))
}

/// All other disjunctions hold, and P computes what the protocol says.
#[test]
fn a_lie_in_one_of_several_disjunctions_is_rejected() {
    let [claimed, held] = false_and_true();
    let list = |first: &Bits| [core::slice::from_ref(first), &branches(3)[1..]].concat();
    let claim = Twice::new(list(&claimed), None);
    for lie in 0..2 {
        let mut lists = [list(&claimed), list(&claimed)];
        lists[lie] = list(&held);
        let (_, proof) = proof_of(&Twice::of(lists, Some(0)), &settings(PARAMETERS), 1);
        assert_eq!(check(&claim, &proof), disjunction_is_wrong(), "{lie}");
    }
}

/// Bits that no other branch shares.
#[derive(Clone, Debug)]
struct Alone(Bits);

impl<B: Prove<F2>> Statement<B> for Alone {
    fn identify(&self, digest: &mut Digest) {
        Branch::<F2, B>::identify(&self.0, digest);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let one = b.constant(F2::ONE);
        self.0.run(b, &[one]).map(drop)
    }
}

/// The second may be another than its name says.
fn three(second: &Bits) -> Vec<Alone> {
    [Bits::of(&[true; 3], 4), second.clone(), Bits::of(&[false; 3], 9)].map(Alone).into()
}

fn at_least(least: usize, known: &[usize], second: &Bits) -> AtLeast<Alone> {
    let statements = three(second);
    let known = known.iter().map(|i| (*i, Alone(statements[*i].0.known()))).collect::<Vec<_>>();
    let claim = AtLeast::new(statements, least).expect("different");
    if known.is_empty() { claim } else { claim.with_witnesses(known).expect("enough") }
}

#[test]
fn a_threshold_needs_as_many_branches_as_it_claims() {
    let [claimed, held] = false_and_true();
    let claim = |least| at_least(least, &[], &claimed);
    let (proved, proof) = proof_of(&at_least(2, &[0, 2], &claimed), &settings(PARAMETERS), 2);
    assert_eq!(check(&claim(2), &proof), Ok(proved));
    // P holds one of two, or two of three.
    for known in [&[0, 1][..], &[1, 2], &[0, 1, 2]] {
        let (_, short) = proof_of(&at_least(known.len(), known, &held), &settings(PARAMETERS), 2);
        assert_eq!(check(&claim(known.len()), &short), disjunction_is_wrong(), "{known:?}");
    }
    // A proof of two is none of one or of three, whatever its header says.
    for other in [1, 3] {
        let Err(Error::OtherStatement { expected, .. }) = check(&claim(other), &proof) else {
            panic!("another threshold was accepted")
        };
        let mut renamed = proof.clone();
        renamed[STATEMENT].copy_from_slice(&expected);
        assert!(check(&claim(other), &renamed).is_err(), "{other}");
    }
}

/// A branch of a threshold, as P's own program has it.
struct Own {
    number: usize,
    statement: Alone,
}

impl<B: Prove<F2>> Branch<F2, B> for Own {
    fn identify(&self, _: &mut Digest) {}

    fn run(&self, b: &mut B, _: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
        self.statement.run(b)?;
        Ok((0..2).map(|i| b.constant(F2::new(self.number >> i & 1 == 1))).collect())
    }
}

/// The threshold `claim`, two of three, as P's own program, which holds for these branches. If they are the
/// same one, it claims nothing about their numbers, with the same operations.
struct OwnThreshold {
    claim: AtLeast<Alone>,
    branches: Branches<F2, Own>,
    picked: [usize; 2],
}

impl<B: Choose<F2, Own> + Repeat<F2, Numbered<Alone>>> Statement<B> for OwnThreshold {
    fn identify(&self, digest: &mut Digest) {
        Statement::<B>::identify(&self.claim, digest);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let witness = |index: usize| {
            let Own { number, statement } = &self.branches.list()[index];
            Own { number: *number, statement: Alone(statement.0.known()) }
        };
        let pick = |index| Ok(Picked { index, witness: Some(witness(index)) });
        let [first, second] = self.picked;
        let last = b.any_of(&[], &self.branches, &mut |_| pick(first))?;
        let number = b.any_of(&[], &self.branches, &mut |_| pick(second))?;
        let less = less_than(b, &last, &number)?;
        let wrong = b.add_constant(&less, F2::ONE);
        let nothing = b.add(&wrong, &wrong);
        b.assert_zero(&[if first == second { nothing } else { wrong }])
    }
}

#[test]
fn a_branch_that_counts_twice_is_rejected() {
    let [claimed, _] = false_and_true();
    let claim = || at_least(2, &[], &claimed);
    let verdict = |picked| {
        let own = |(number, statement)| Own { number, statement };
        let branches = Branches::new(three(&claimed).into_iter().enumerate().map(own).collect(), 0);
        let known = OwnThreshold { claim: claim(), branches: branches.expect("one shape"), picked };
        check(&claim(), &proof_of(&known, &settings(PARAMETERS), 3).1)
    };
    // P's own program is otherwise V's.
    assert!(verdict([0, 2]).is_ok());
    assert_eq!(verdict([2, 2]), Err(Error::Rejected("a wire that must be zero is not".into())));
}

/// Also if the header has the other statement's digest.
#[test]
fn a_proof_is_not_one_of_the_same_branches_in_another_order() {
    let proof = |list: &[Bits]| proof_of(&Twice::new(list.to_vec(), Some(0)), &settings(PARAMETERS), 4).1;
    let list = branches(4);
    let original = proof(&list);
    for (i, j) in [(0, 1), (1, 2), (1, 3)] {
        let mut swapped = list.clone();
        swapped.swap(i, j);
        let mut renamed = original.clone();
        renamed[STATEMENT].copy_from_slice(&proof(&swapped)[STATEMENT]);
        let error = check(&Twice::new(swapped, None), &renamed).expect_err("another order");
        assert!(error.is_rejection(), "{i}, {j}: {error}");
    }
}

/// Every part of a file, changed in one bit: every 29th byte, and the borders of all parts.
#[test]
fn a_changed_byte_anywhere_in_a_proof_of_disjunctions_is_refused() {
    let (proved, proof) = proof_of(&Twice::new(branches(3), Some(1)), &settings(PARAMETERS), 5);
    let claim = Twice::new(branches(3), None);
    assert_eq!(proved.tally.degree, 3);
    let (body, end) = (Header::BYTES + Front::bytes(PARAMETERS), proof.len());
    // After the body come the coefficients of a polynomial of degree 3, and two hashes.
    let borders = [16, 20, 24, 32, 64, Header::BYTES, Header::BYTES + 56, body, end - 98, end - 50, end - 18];
    let at_borders = borders.into_iter().flat_map(|border| [border - 1, border]).chain([end - 1]);
    for place in (0..end).step_by(29).chain(at_borders) {
        let mut changed = proof.clone();
        changed[place] ^= 1 << (place % 8);
        assert!(check(&claim, &changed).is_err(), "byte {place}");
    }
}

#[test]
fn proofs_of_disjunctions_do_not_depend_on_the_number_of_threads() {
    let any = || AnyOf::<F2, _>::new([2000, 10].map(AndChain::new).into()).expect("two");
    let known = any().with_choice(0).expect("one of two");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
    let threads = Some(Arc::new(pool));
    let together = Settings { threads: threads.clone(), ..settings(PARAMETERS) };
    let (_, proof) = proof_of(&known, &together, 6);
    assert!(proof == proof_of(&known, &settings(PARAMETERS), 6).1);
    verify(&any(), &Demands { threads, ..few() }, &mut &proof[..]).expect("holds");
}
