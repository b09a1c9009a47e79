//! One of several branches many times over: repetitions in step with each other. `groups` has those whose
//! branches are disjunctions, `random` compares them with repetitions one after another.

mod groups;
mod random;

use volery_channel::tags;
use volery_circuit::choose::{Branches, Picked, Shape};
use volery_circuit::{
    Branch, Digest, Error as StatementError, Evaluator, Peek, Prove, Repeat, Statement, Steps,
};
use volery_field::{F2, F61, Ring as _};
use volery_testing::{Bits, Change, Over, bits_and_a_field, every_kind};
use volery_vole::correlations::Profile;
use volery_zk::Error;
use volery_zk::disjunction::cost::{Over as Costs, Protocol, Task};
use volery_zk::macncheese::{Disjunction, Join, Multiplier, Settings};
use volery_zk::quicksilver::{self, field};

use crate::disjunction::programs::{Random, Small};
use crate::macncheese::parties::{End, Fields, between, blocks, meddled};

/// "I know an `x` for which this polynomial is the element that goes in."
#[derive(Clone, Debug)]
pub(crate) struct Polynomial<R> {
    number: u64,
    products: usize,
    x: Option<R>,
}

impl<R: Small> Polynomial<R> {
    fn coefficient(&self, i: usize) -> R {
        R::small(Random(self.number << 20 | i as u64).next())
    }

    fn at(&self, x: R) -> R {
        (0..self.products).fold(x, |y, i| y * x + self.coefficient(i))
    }
}

impl<R: Small, B: Prove<R>> Branch<R, B> for Polynomial<R> {
    fn identify(&self, digest: &mut Digest) {
        digest.number("polynomial", self.number).number("products", self.products as u64);
    }

    fn run(&self, b: &mut B, shared: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
        let unknown = || StatementError::Witness("x is unknown".into());
        let x = b.secret(1, &mut |_| self.x.map(|x| vec![x]).ok_or_else(unknown))?;
        let mut y = x[0].clone();
        for i in 0..self.products {
            y = b.mul(&y, &x[0])?;
            y = b.add_constant(&y, self.coefficient(i));
        }
        let difference = b.sub(&y, &shared[0]);
        b.assert_zero(&[difference])?;
        Ok(Vec::new())
    }
}

/// At each repetition one of the polynomials gives what is claimed.
#[derive(Clone)]
pub(crate) struct Batch<R> {
    /// What tells it from its like.
    seed: u64,
    branches: Branches<R, Polynomial<R>>,
    claims: Vec<R>,
    /// At P: which polynomial, and where.
    known: Vec<(usize, R)>,
}

/// Products of a polynomial.
const PRODUCTS: usize = 10;

/// Wires that a repetition keeps: its claim, its secret, its products.
const WIRES: usize = 1 + 1 + PRODUCTS;

impl<R: Small> Batch<R> {
    /// So many repetitions of the choice among so many polynomials, picked as `seed` says.
    pub(crate) fn new(width: usize, repetitions: usize, seed: u64) -> Self {
        let branch = |number| Polynomial { number, products: PRODUCTS, x: None };
        let branches = Branches::new((0..width as u64).map(branch).collect(), 1).expect("some");
        let mut random = Random(seed);
        let known = (0..repetitions).map(|_| (random.below(width), R::small(random.next())));
        Self { seed, branches, claims: Vec::new(), known: known.collect() }.with_own_claims()
    }

    /// With claims that what is known meets.
    fn with_own_claims(mut self) -> Self {
        let met = |(index, x): &(usize, R)| self.branches.list()[*index].at(*x);
        self.claims = self.known.iter().map(met).collect();
        self
    }

    pub(crate) fn public(&self) -> Self {
        Self { known: Vec::new(), ..self.clone() }
    }

    /// With another claim at one repetition, which no polynomial need meet.
    pub(crate) fn claiming(mut self, repetition: usize, more: R) -> Self {
        self.claims[repetition] += more;
        self
    }
}

struct Running<'x, R>(&'x Batch<R>);

impl<R: Small, B: Prove<R>> Steps<R, Polynomial<R>, B> for Running<'_, R> {
    fn before(&mut self, b: &mut B, step: usize) -> Result<Vec<B::Wire>, B::Error> {
        Ok(vec![b.constant(self.0.claims[step])])
    }

    fn pick(
        &mut self,
        step: usize,
        _: &dyn Peek<R, B::Wire>,
    ) -> Result<Picked<Polynomial<R>>, StatementError> {
        let unknown = || StatementError::Witness("nothing is picked".into());
        let (index, x) = *self.0.known.get(step).ok_or_else(unknown)?;
        let branch = self.0.branches.list()[index].clone();
        Ok(Picked { index, witness: Some(Polynomial { x: Some(x), ..branch }) })
    }

    fn after(&mut self, _: &mut B, _: usize, _: Vec<B::Wire>) -> Result<(), B::Error> {
        Ok(())
    }
}

impl<R: Small, B: Repeat<R, Polynomial<R>>> Statement<B> for Batch<R> {
    fn identify(&self, digest: &mut Digest) {
        digest.number("batch", self.seed).number("repetitions", self.claims.len() as u64);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        b.repeat(&self.branches, self.claims.len(), &mut Running(self))
    }
}

fn waits(end: &End) -> usize {
    end.sent[1].iter().filter(|(tag, _)| *tag == tags::CHALLENGE).count()
}

fn rejected(end: &End) {
    let v = &end.results[1];
    assert!(matches!(v, Err(error) if error.is_rejection()), "{v:?}");
}

fn forty_wait_as_often_as_one<K: Fields>() {
    for width in [1, 5] {
        let batch = |repetitions, seed| Batch::<K::Ring>::new(width, repetitions, seed);
        let one = between::<K, _, _>(blocks(1 << 12), &batch(1, 1), &batch(1, 1).public());
        one.accepted();
        let mut outline = None;
        for seed in 1..3 {
            let p = batch(40, seed);
            let end = between::<K, _, _>(blocks(1 << 12), &p, &p.public());
            assert_eq!(end.accepted().branches, 40 * width as u64);
            assert_eq!(waits(&end), waits(&one), "{width} branches");
            // So that each branch is run to its check at once, and no two programs' wires are kept.
            let pieces = end.sent[0].iter().filter(|(tag, _)| *tag == tags::MASKS).count();
            assert_eq!(pieces, 1, "all that 40 repetitions commit to");
            let own = end.outline();
            assert_eq!(outline.get_or_insert_with(|| own.clone()), &own, "what is picked shows");
        }
        let p = batch(40, 9);
        between::<K, _, _>(blocks(1 << 12).fiat_shamir(), &p, &p.public()).accepted();
    }
}

#[test]
fn forty_repetitions_wait_as_often_as_one_and_what_is_picked_shows_in_nothing() {
    bits_and_a_field!(forty_wait_as_often_as_one);
}

fn groups_follow_each_other<K: Fields>() {
    let batch = |repetitions| Batch::<K::Ring>::new(2, repetitions, 5);
    let [one, many] = [1, 13].map(|repetitions| {
        let p = batch(repetitions);
        let end = between::<K, _, _>(blocks(5 * WIRES), &p, &p.public());
        end.accepted();
        // The last query's challenge is for all.
        waits(&end) - 1
    });
    assert_eq!(many, 3 * one, "5, 5 and 3");
    // One after another, with a check in between when as many ends as fill a block wait for theirs.
    let [one, many] = [1, 40].map(|repetitions| {
        let p = batch(repetitions);
        let end = between::<K, _, _>(blocks(16), &p, &p.public());
        end.accepted();
        waits(&end) - 1
    });
    assert_eq!(many, 40 * one + 40 / 16);
}

#[test]
fn repetitions_that_fill_more_than_a_block_follow_group_by_group() {
    bits_and_a_field!(groups_follow_each_other);
}

fn those_that_are_the_same_say_different_things<K: Fields>(element: usize) {
    let mut p = Batch::<K::Ring>::new(2, 40, 5);
    p.known = vec![(0, p.known[0].1); 40];
    let p = p.with_own_claims();
    let end = between::<K, _, _>(blocks(1 << 12), &p, &p.public());
    end.accepted();
    let rounds =
        end.sent[0].iter().filter(|(tag, payload)| *tag == tags::CHECK_OPENING && payload.len() > 32);
    let mut elements: Vec<&[u8]> = rounds.flat_map(|(_, payload)| payload.chunks_exact(element)).collect();
    let all = elements.len();
    elements.sort_unstable();
    elements.dedup();
    assert!(all > 40 && elements.len() == all, "{} of {all} are different", elements.len());
}

/// Every value is masked by a correlation of its own.
#[test]
fn repetitions_that_are_the_same_say_different_things() {
    those_that_are_the_same_say_different_things::<Bits>(16);
    // Eight elements of 61 bits.
    those_that_are_the_same_say_different_things::<Over<F61, F61>>(61);
}

#[test]
fn repetitions_that_do_not_fit_into_the_first_piece_get_a_longer_one() {
    let batches = [1, 2].map(|seed| Batch::<F2>::new(1, 200, seed));
    let any = |batches: &[Batch<F2>]| Disjunction::new(Join::AtLeast(2), batches.to_vec()).expect("fits");
    let v = batches.each_ref().map(Batch::public);
    between::<Bits, _, _>(blocks(1 << 12), &any(&batches).with_choice(&[0, 1]), &any(&v)).accepted();
}

fn every_way_to_check_products<K: Fields>() {
    for multiplier in [Multiplier::Simple, Multiplier::Batched, Multiplier::BatchedPowers] {
        for (interval, width) in [(1, 3), (5, 1), (30, 3), (64, 1), (1 << 12, 3)] {
            let (p, how) = (Batch::<K::Ring>::new(width, 7, 2), blocks(interval).with(multiplier));
            between::<K, _, _>(how, &p, &p.public()).accepted();
            between::<K, _, _>(how.fiat_shamir(), &p, &p.public()).accepted();
        }
    }
}

#[test]
fn repetitions_are_accepted_with_every_multiplier_and_block_size() {
    every_kind!(every_way_to_check_products);
    let (p, embedded) = (Batch::<F2>::new(3, 7, 2), blocks(1 << 12).with(Multiplier::EmbeddedRho40));
    between::<Bits, _, _>(embedded, &p, &p.public()).accepted();
}

fn one_lie_among_forty<K: Fields>() {
    let claimed = Batch::<K::Ring>::new(2, 40, 3);
    for how in [blocks(1 << 12), blocks(5 * WIRES), blocks(1 << 12).fiat_shamir()] {
        for at in [0, 22, 39] {
            // P does all that a true claim of its own asks for.
            let other = claimed.public().claiming(at, K::Ring::ONE);
            rejected(&between::<K, _, _>(how, &claimed, &other));
        }
    }
}

#[test]
fn one_repetition_of_forty_that_does_not_hold_is_rejected() {
    every_kind!(one_lie_among_forty);
}

/// All are wrong by the same amount, so that errors would cancel in many a sum.
fn all_lies<K: Fields>() {
    // With one branch the ends are what is asserted: four that are equal cancel in a sum of bits.
    for width in [1, 2] {
        let claimed = Batch::<K::Ring>::new(width, 4, 3);
        let lies = (0..4).fold(claimed.public(), |claimed, at| claimed.claiming(at, K::Ring::ONE));
        for how in [blocks(1 << 12), blocks(1 << 12).fiat_shamir()] {
            rejected(&between::<K, _, _>(how, &claimed, &lies));
        }
    }
}

#[test]
fn repetitions_that_are_all_wrong_by_the_same_are_rejected() {
    bits_and_a_field!(all_lies);
}

#[test]
fn an_honest_prover_stops_at_a_repetition_that_does_not_hold_and_neither_party_waits_on() {
    let p = Batch::<F61>::new(2, 40, 3).claiming(17, F61::new(1));
    let end = between::<Over<F61, F61>, _, _>(blocks(1 << 12), &p, &p.public());
    let [p, v] = &end.results;
    assert!(matches!(p, Err(Error::Statement(StatementError::Unsatisfied { .. }))), "{p:?}");
    assert!(v.is_err() && end.sent[0].iter().all(|(tag, _)| *tag != tags::ASSERTIONS), "{v:?}");
}

#[test]
fn parties_with_other_numbers_of_repetitions_do_not_accept() {
    for (ours, theirs) in [(3, 4), (4, 3), (40, 41), (1, 2), (2, 1)] {
        let [p, v] = [ours, theirs].map(|repetitions| Batch::<F61>::new(2, repetitions, 3));
        for how in [blocks(1 << 12), blocks(5 * WIRES), blocks(1 << 12).fiat_shamir()] {
            let end = between::<Over<F61, F61>, _, _>(how, &p, &v.public());
            // A P that does not hear V's verdict may think that it is done.
            assert!(end.results[1].is_err(), "{ours} {theirs}: {:?}", end.results);
            if [ours, theirs] == [1, 2] {
                let due = matches!(&end.results[1], Err(Error::Malformed { reason, .. }) if reason.contains("were due"));
                assert!(due, "{:?}", end.results[1]);
            }
        }
    }
}

/// One byte in `of` of each message, another remainder in each.
fn no_byte_can_be_changed<K: Fields>(of: usize) {
    let p = Batch::<K::Ring>::new(2, 3, 8);
    let honest = between::<K, _, _>(blocks(1 << 12), &p, &p.public());
    honest.accepted();
    let sent = honest.sent;
    for (who, sent) in sent.iter().enumerate() {
        for (at, (tag, payload)) in sent.iter().enumerate() {
            for byte in (at % of..payload.len()).step_by(of) {
                let change = Change::Flip(8 * byte + (byte + at) % 8);
                let end = meddled::<K, _, _>(blocks(1 << 12), &p, &p.public(), Some((who, at, change)));
                assert!(end.results[1].is_err(), "byte {byte} of {tag} ({at}) of {who}");
            }
        }
    }
}

#[test]
fn bytes_of_every_repetition_s_part_of_a_message_cannot_be_changed() {
    no_byte_can_be_changed::<Bits>(5);
    no_byte_can_be_changed::<Over<F61, F61>>(5);
}

#[test]
#[ignore = "long: every byte"]
fn long_no_byte_of_any_repetition_s_part_of_a_message_can_be_changed() {
    no_byte_can_be_changed::<Bits>(1);
    no_byte_can_be_changed::<Over<F61, F61>>(1);
}

fn in_a_branch<K: Fields>() {
    let batches: Vec<_> = (0..3).map(|seed| Batch::<K::Ring>::new(2, 6, seed)).collect();
    let v: Vec<_> = batches.iter().map(Batch::public).collect();
    for (join, choice) in [(Join::Tree, &[1][..]), (Join::Linear, &[2]), (Join::AtLeast(2), &[0, 2])] {
        let any = |batches: &[Batch<K::Ring>]| Disjunction::new(join, batches.to_vec()).expect("fits");
        let held = |at: usize| if choice.contains(&at) { batches[at].clone() } else { batches[at].public() };
        let p: Vec<_> = (0..3).map(held).collect();
        between::<K, _, _>(blocks(1 << 12), &any(&p).with_choice(choice), &any(&v)).accepted();
        // The other branches' claims are wrong anyway.
        let lies = v.iter().map(|batch| batch.clone().claiming(4, K::Ring::ONE)).collect::<Vec<_>>();
        rejected(&between::<K, _, _>(blocks(1 << 12), &any(&p).with_choice(choice), &any(&lies)));
    }
}

#[test]
fn repetitions_may_be_part_of_a_branch() {
    bits_and_a_field!(in_a_branch);
}

/// What the formulas say is sent: one byte a piece aside, since pieces are packed by themselves.
fn cost_is_as_said<K: Fields>(over: Costs, kept: usize) {
    for interval in [1 << 12, 40 * kept / 7] {
        let settings = Settings { interval, multiplier: Multiplier::Batched };
        for (width, repetitions) in [(1, 1), (2, 1), (2, 40), (3, 40), (5, 13)] {
            let p = Batch::<K::Ring>::new(width, repetitions, 4);
            let task = Task { branches: width, shared: 1, shape: p.branches.shape(), repetitions };
            let estimate = task.cost(Protocol::MacAndCheese, &over.stacked_by(settings)).expect("served");
            let how = blocks(settings.for_branches(width).interval);
            let end = between::<K, _, _>(how, &p, &p.public());
            end.accepted();
            let (what, estimated_bytes) =
                (format!("{repetitions} times {width}"), estimate.prover_bytes as usize);
            assert_eq!(estimate.waits as usize, waits(&end), "{what}");
            assert_eq!(estimate.verifier_bytes as usize, 16 * waits(&end), "{what}");
            let messages = end.sent[0].len();
            assert!(
                end.bytes().abs_diff(estimated_bytes) <= messages,
                "{what}: {} {estimated_bytes}",
                end.bytes()
            );
        }
    }
}

#[test]
fn formulas_say_what_is_sent_and_how_often_p_waits() {
    cost_is_as_said::<Bits>(Costs::bits(quicksilver::bits::Settings::LAN, Profile::Lan), WIRES);
    cost_is_as_said::<Over<F61, F61>>(Costs::field::<F61, F61>(field::Settings::LAN, Profile::Lan), WIRES);
}

#[test]
fn as_many_are_in_step_as_fill_a_block_and_those_of_which_nothing_is_known_are_not() {
    let shape = Shape { inputs: 100, multiplications: 800, outputs: 50 };
    let settings = |interval| Settings { interval, multiplier: Multiplier::Batched };
    assert_eq!(settings(40_000).in_step(2, 50, shape), 40);
    assert_eq!(settings(900).in_step(2, 50, shape), 1);
    assert_eq!(settings(1 << 20).in_step(2, 50, shape), 128, "256 branches");
    assert_eq!(settings(1 << 20).in_step(1000, 50, shape), 1);
    assert_eq!(settings(1 << 20).in_step(2, 50, Shape { outputs: 50, ..Shape::default() }), 1);
    let most = Shape { inputs: usize::MAX, multiplications: usize::MAX, outputs: 1 };
    assert_eq!(settings(1 << 20).in_step(2, 1, most), 1);
    // The memory of one block, whatever is repeated.
    let in_step = settings(40_000).in_step(2, 50, shape) as u64;
    let [all, block] = [1000 * in_step, u64::MAX].map(|n| settings(40_000).memory(2, n));
    assert_eq!(all, block);
}
