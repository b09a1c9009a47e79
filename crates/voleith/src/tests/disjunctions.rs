//! One of several circuits holds, and the proof does not say which.

use std::io::Cursor;
use std::sync::atomic::{AtomicUsize, Ordering};

use volery_channel::{Tag, tags};
use volery_circuit::statements::AndChain;
use volery_circuit::{Branch, Branches, Choose, Digest, Error as StatementError, Picked, Prove, Statement};
use volery_field::F2;
use volery_zk::disjunction::AnyOf;

use super::cheats::file_of;
use super::statements::Chain;
use super::{Cheat, check, proof_of, settings};
use crate::{Error, Parameters, proof_bytes, soundness};

const PARAMETERS: Parameters = Parameters::Fast80;

/// "My bits are `claims`", with products of them and of a shared bit. What comes out is the first bit.
#[derive(Clone, Debug)]
pub(super) struct Bits {
    claims: Vec<bool>,
    /// Multiplications.
    ands: usize,
    /// Added twice to each claim, so that it changes no value.
    unnamed: bool,
    /// Asks for one secret more, and does nothing with it.
    idle: bool,
    /// Claims this of its bits from the last to the first: another program of the same operations, which the
    /// digest does not tell apart.
    backwards: bool,
    values: Option<Vec<bool>>,
    /// Of a P that cheats: the left and the right factors that are wrong.
    errors: Vec<[bool; 2]>,
}

impl Bits {
    pub(super) fn of(claims: &[bool], ands: usize) -> Self {
        Self {
            claims: claims.to_vec(),
            ands,
            unnamed: false,
            idle: false,
            backwards: false,
            values: None,
            errors: Vec::new(),
        }
    }

    /// The same with other bits, which it claims, and wrong factors.
    pub(super) fn forged(&self, values: &[bool], errors: Vec<[bool; 2]>) -> Self {
        Self { claims: values.to_vec(), values: Some(values.to_vec()), errors, ..self.clone() }
    }

    /// Another program of the same name.
    pub(super) fn backwards(self) -> Self {
        Self { backwards: true, ..self }
    }

    pub(super) fn known(&self) -> Self {
        let mut values = self.claims.clone();
        if self.backwards {
            values.reverse();
        }
        Self { values: Some(values), ..self.clone() }
    }
}

impl<B: Prove<F2>> Branch<F2, B> for Bits {
    fn identify(&self, digest: &mut Digest) {
        digest.number("ands", self.ands as u64);
        for claim in &self.claims {
            digest.number("claim", (*claim).into());
        }
    }

    fn run(&self, b: &mut B, shared: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
        let x = b.secret(self.claims.len(), &mut |_| {
            let values = self.values.as_ref().ok_or_else(|| StatementError::Witness("none".into()))?;
            Ok(values.iter().copied().map(F2::new).collect())
        })?;
        let mut last = shared[0].clone();
        for i in 0..self.ands {
            let mut factors = [last, x[i % x.len()].clone()];
            for (factor, wrong) in factors.iter_mut().zip(self.errors.get(i).copied().unwrap_or_default()) {
                if wrong {
                    *factor = b.add_constant(factor, F2::ONE);
                }
            }
            last = b.mul(&factors[0], &factors[1])?;
            last = b.add(&last, &x[(i + 1) % x.len()]);
        }
        for (i, claim) in self.claims.iter().enumerate() {
            let x = if self.backwards { &x[x.len() - 1 - i] } else { &x[i] };
            let difference = b.add_constant(x, F2::new(*claim));
            let difference = b.add_constant(&difference, F2::new(self.unnamed));
            let difference = b.add_constant(&difference, F2::new(self.unnamed));
            b.assert_zero(&[difference])?;
        }
        if self.idle {
            b.secret(1, &mut |_| Ok(vec![F2::ZERO]))?;
        }
        Ok(vec![x[0].clone()])
    }
}

/// One of these branches, twice, with a secret bit that all share; what comes out is `end`. (A P that cheats
/// has other branches the first time than the second.)
pub(super) struct Twice {
    branches: [Branches<F2, Bits>; 2],
    choice: Option<[Picked<Bits>; 2]>,
    end: bool,
}

impl Twice {
    pub(super) fn new(branches: Vec<Bits>, choice: Option<usize>) -> Self {
        Self::of([branches.clone(), branches], choice)
    }

    pub(super) fn of(branches: [Vec<Bits>; 2], choice: Option<usize>) -> Self {
        let end = choice.is_none_or(|choice| branches[0][choice].claims[0]);
        let picked = |index| {
            branches.each_ref().map(|branches| Picked { index, witness: Some(branches[index].known()) })
        };
        let choice = choice.map(picked);
        Self {
            branches: branches.map(|branches| Branches::new(branches, 1).expect("one shape")),
            choice,
            end,
        }
    }
}

impl Twice {
    /// What P knows of the first branch each time, whatever that claims.
    pub(super) fn with_witnesses(self, witnesses: [Bits; 2]) -> Self {
        Self { choice: Some(witnesses.map(|witness| Picked { index: 0, witness: Some(witness) })), ..self }
    }
}

impl<B: Choose<F2, Bits>> Statement<B> for Twice {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: twice").number("end", self.end.into());
        self.branches[0]
            .list()
            .iter()
            .for_each(|branch| Branch::<F2, volery_zk::disjunction::Tracer<F2>>::identify(branch, digest));
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let shared = b.secret(1, &mut |_| Ok(vec![F2::ONE]))?;
        let pick = |time: usize| {
            let choice = self.choice.as_ref().ok_or_else(|| StatementError::Witness("none".into()))?;
            Ok(choice[time].clone())
        };
        for (time, branches) in self.branches.iter().enumerate() {
            let out = b.any_of(&shared, branches, &mut |_| pick(time))?;
            let difference = b.add_constant(&out[0], F2::new(self.end));
            b.assert_zero(&[difference])?;
        }
        Ok(())
    }
}

/// Branches of several lengths, each with claims of its own.
pub(super) fn branches(n: usize) -> Vec<Bits> {
    let claims = |i: usize| (0..3 + i % 2).map(|bit| bit == 0 || i >> bit & 1 == 1).collect::<Vec<_>>();
    (0..n).map(|i| Bits::of(&claims(i), 5 + 40 * (i % 3))).collect()
}

#[test]
fn any_branch_of_any_number_is_proved_and_its_number_does_not_show() {
    for n in [1, 2, 3, 9] {
        let claim = Twice::new(branches(n), None);
        let choices = [0, n / 2, n - 1];
        let proofs = choices.map(|choice| {
            let (proved, proof) = proof_of(&Twice::new(branches(n), Some(choice)), &settings(PARAMETERS), 1);
            assert_eq!(check(&claim, &proof), Ok(proved), "{choice} of {n}");
            assert_eq!((proved.tally.degree, proved.tally.branches), (n.max(2), n as u64));
            assert_eq!(proved.tally.assertions, 2 + 2);
            assert_eq!(proved.bytes, proof.len() as u64);
            let size = soundness::Size::of(&proved.tally);
            assert_eq!(proof_bytes(PARAMETERS, size.commitments, size.degree), Some(proved.bytes));
            assert!(soundness::bits(PARAMETERS, size, 0.0) >= 80.0);
            proof
        });
        // Up to the salt all of the header is the same.
        assert!(proofs.iter().all(|proof| proof.len() == proofs[0].len() && proof[..64] == proofs[0][..64]));
    }
}

#[test]
fn one_of_several_whole_statements_is_proved() {
    let any = || AnyOf::<F2, _>::new([50, 3000, 1].map(AndChain::new).into()).expect("three");
    for (parameters, choice) in [(Parameters::Fast, 1), (Parameters::Small80, 0), (Parameters::Fast80, 2)] {
        let known = any().with_choice(choice).expect("one of three");
        let (proved, proof) = proof_of(&known, &settings(parameters), 2);
        assert_eq!(check(&any(), &proof), Ok(proved));
        let size = soundness::Size::of(&proved.tally);
        // Of the largest branch: its secrets, and for each AND both factors and the product.
        assert_eq!((size.commitments, size.degree, size.branches), (128 + 3 * 3000, 3, 3));
    }
}

/// What the verifier of these branches says to a P that does everything right but for this message.
fn verdict(n: usize, choice: usize, edit: super::Edit) -> Error {
    let known = Twice::new(branches(n), Some(choice));
    let cheat = Cheat { first_pass: edit, second_pass: edit, ..Cheat::default() };
    let file = file_of(&known, &settings(PARAMETERS), 3, |prover| prover.cheat = cheat);
    check(&Twice::new(branches(n), None), &file).expect_err("a wrong proof was accepted")
}

/// P's claims are about other bits than V's, with the same operations and constants. They hold, so P computes
/// and sends what the protocol says: only the product of V's check values is not zero.
#[test]
fn a_prover_without_a_branch_that_holds_is_rejected() {
    let right = Bits::of(&[true, true, false, true], 5);
    let other = right.clone().backwards();
    for n in [1, 2, 3, 5] {
        let all = |first: &Bits| core::iter::once(first.clone()).chain(branches(n).split_off(1)).collect();
        let (_, proof) = proof_of(&Twice::new(all(&other), Some(0)), &settings(PARAMETERS), 3);
        let claim = Twice::new(all(&right), None);
        let rejected = Error::Rejected("a product or a disjunction is wrong".into());
        assert_eq!(check(&claim, &proof), Err(rejected), "{n}");
        check(&claim, &proof_of(&Twice::new(all(&right), Some(0)), &settings(PARAMETERS), 3).1)
            .expect("holds");
    }
}

/// Changes one of the first committed bits.
fn flip<const BIT: usize>(tag: Tag, mut payload: Vec<u8>) -> Vec<u8> {
    if tag == tags::MASKS
        && let Some(byte) = payload.get_mut(BIT / 8)
    {
        *byte ^= 1 << (BIT % 8);
    }
    payload
}

#[test]
fn a_lie_in_any_commitment_of_a_disjunction_is_found() {
    // Secrets, the output, factors and products of the first of two.
    for edit in [flip::<1>, flip::<3>, flip::<5>, flip::<20>, flip::<60>, flip::<100>, flip::<138>] {
        let error = verdict(2, 1, edit);
        assert!(error.is_rejection(), "{error}");
    }
}

/// P chooses last what the digest does not name: a constant of a branch that does not hold, or how many
/// secrets it asks for.
#[test]
fn constants_and_counts_of_branches_that_the_digest_forgets_are_in_the_challenge() {
    let list = |which: usize| {
        let mut list = branches(3);
        list[1].unnamed = which == 1;
        list[2].idle = which == 2;
        list
    };
    for proved in 0..3 {
        let (_, proof) = proof_of(&Twice::new(list(proved), Some(0)), &settings(PARAMETERS), 4);
        for claimed in 0..3 {
            let result = check(&Twice::new(list(claimed), None), &proof);
            match claimed == proved {
                true => assert!(result.is_ok(), "{result:?}"),
                false => assert_eq!(result, Err(Error::Challenge("columns and relations"))),
            }
        }
    }
}

/// A challenge with the zeros that suffice without disjunctions.
#[test]
fn a_challenge_with_the_work_of_a_statement_without_branches_is_refused() {
    let parameters = Parameters::Fast;
    let cheat = Cheat { work_for_the_columns: Some(parameters.column_grinding(0)), ..Cheat::default() };
    let known = Twice::new(branches(2), Some(1));
    let file = file_of(&known, &settings(parameters), 5, |prover| prover.cheat = cheat);
    let error = check(&Twice::new(branches(2), None), &file);
    assert_eq!(error, Err(Error::Challenge("columns and relations")));
}

/// A disjunction of other branches, or of the same ones in another order, is another statement.
#[test]
fn a_proof_is_of_its_branches() {
    let (_, proof) = proof_of(&Twice::new(branches(3), Some(0)), &settings(PARAMETERS), 6);
    let mut swapped = branches(3);
    swapped.swap(1, 2);
    for other in [branches(2), branches(4), swapped] {
        let result = check(&Twice::new(other, None), &proof);
        assert!(matches!(result, Err(Error::OtherStatement { .. })), "{result:?}");
    }
}

/// Two branches of a chain whose choice is another one each time.
struct Wavering(AnyOf<F2, Chain>, AnyOf<F2, Chain>, AtomicUsize);

impl<B> Statement<B> for Wavering
where
    AnyOf<F2, Chain>: Statement<B>,
    B: volery_circuit::Backend + ?Sized,
{
    fn identify(&self, digest: &mut Digest) {
        self.0.identify(digest);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        match self.2.fetch_add(1, Ordering::Relaxed) % 2 {
            0 => self.0.run(b),
            _ => self.1.run(b),
        }
    }
}

#[test]
fn a_choice_that_differs_between_the_passes_is_not_answered_for() {
    let any = |choice| {
        let chains = vec![Chain::of(5, 9), Chain::of(6, 9)];
        AnyOf::new(chains).and_then(|any| any.with_choice(choice)).expect("two")
    };
    let wavering = Wavering(any(0), any(1), AtomicUsize::new(0));
    let mut out = Cursor::new(Vec::new());
    let result = crate::prove(&wavering, &settings(PARAMETERS), &mut volery_testing::rng(7), &mut out);
    assert!(matches!(result, Err(Error::Statement(StatementError::Misuse(_)))), "{result:?}");
}

/// Without a branch that holds there is no proof to be had from the library.
#[test]
fn no_proof_is_made_without_a_branch_that_holds_or_a_claim() {
    let mut out = Cursor::new(Vec::new());
    let mut prove = |statement: &Twice| {
        let result = crate::prove(statement, &settings(PARAMETERS), &mut volery_testing::rng(8), &mut out);
        result.expect_err("nothing holds")
    };
    let mut wrong = Twice::new(branches(3), Some(1));
    let [_, second] = wrong.choice.as_mut().expect("chosen");
    second.witness.as_mut().expect("one").values = Some(vec![false; 4]);
    let error = prove(&wrong);
    assert!(matches!(error, Error::Statement(StatementError::Unsatisfied { .. })), "{error}");
    let error = prove(&Twice::new(branches(3), None));
    assert!(matches!(error, Error::Statement(StatementError::Witness(_))), "{error}");
}

/// More multiplications than share a sum of factors (2^18).
#[test]
#[ignore = "long: a million commitments"]
fn long_branches_of_more_than_one_fold_are_proved() {
    let any = || AnyOf::<F2, _>::new([300_000, 10].map(AndChain::new).into()).expect("two");
    let (proved, proof) = proof_of(&any().with_choice(0).expect("one"), &settings(PARAMETERS), 9);
    assert_eq!(check(&any(), &proof), Ok(proved));
}
