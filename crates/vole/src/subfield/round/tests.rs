//! Rounds between two parties, honest and not. What they start from is dealt, so that a round takes a
//! millisecond; both take their steps in one thread, and whoever fails tells the other.

mod dishonest;
mod tampered;
mod trees;

use volery_channel::{Channel, Limits, Tag, memory_pair, tags};
use volery_field::{Authenticated, Gf128};
use volery_testing::{Edit, every_kind_of_pair, every_pair};

use super::*;
use crate::Delta;
use crate::ferret::paths_of;
use crate::subfield::FieldDelta;

const TINY: Params = Params { log_k: 6, log_block: 4, trees: 5 };

const SESSION: SessionId = SessionId::new([3; 32]);

/// What the coefficients of every check and the codes come from.
const CHECK_SEED: [u8; SEED] = [6; SEED];

/// V's key, as binary key of the trees and by its digits.
fn delta() -> Delta {
    Delta::from_element(Gf128::from_bits(0x1357_9bdf_0246_8ace_fedc_ba98_7654_3211))
}

fn field_delta<F: Value, M: Mac<F>>() -> FieldDelta<M> {
    FieldDelta::from_digits::<F>(&delta())
}

/// What a round starts from.
struct Deal<F, M> {
    number: u64,
    p: Vec<Authenticated<F, M>>,
    v: Vec<M>,
    tags: Vec<Gf128>,
    keys: Vec<Gf128>,
    nonce: [u8; NONCE],
}

impl<F: Value, M: Mac<F>> Deal<F, M> {
    /// For round `number`, with correlations from nowhere.
    fn new(number: u64) -> Self {
        let mut prg = Prg::new([1 + number as u8; 16]);
        let delta = field_delta::<F, M>().expose();
        let n = base_len::<F, M>(&TINY);
        let (mut x, mut m) = (vec![F::ZERO; n], vec![M::ZERO; n]);
        prg.elements(&mut x);
        prg.elements(&mut m);
        let p = Vec::from_iter(x.into_iter().zip(m).map(|(x, m)| Authenticated { x, m }));
        let v = p.iter().map(|p| p.m + delta.scale(p.x)).collect();
        let mut tags = vec![Gf128::ZERO; TINY.paths_len()];
        prg.blocks(&mut tags);
        let binary = self::delta().expose();
        let keys = tags.iter().map(|tag| if tag.to_bits() & 1 == 1 { *tag + binary } else { *tag }).collect();
        Self { number, p, v, tags, keys, nonce: [number as u8; NONCE] }
    }

    /// With zeros for the LPN secret: the outputs are the leaves.
    fn of_leaves(number: u64) -> Self {
        let mut deal = Self::new(number);
        deal.p[..TINY.table_len()].fill(Authenticated::default());
        deal.v[..TINY.table_len()].fill(M::ZERO);
        deal
    }

    fn public(&self) -> Public {
        Public::new::<F, M>(&SESSION, self.number, TINY)
    }

    fn prover(&self) -> ProverRound<F, M> {
        ProverRound::open(self.public(), Zeroizing::new(self.p.clone()), self.tags.clone()).unwrap()
    }

    fn verifier(&self, channel: &mut dyn Channel) -> VerifierRound<F, M> {
        let (base, bits) = (Zeroizing::new(self.v.clone()), Zeroizing::new(self.keys.clone()));
        let seed = Zeroizing::new([5; 16]);
        VerifierRound::open(self.public(), &delta(), seed, base, bits, channel).unwrap()
    }

    /// The coefficients of its check.
    fn coefficients(&self) -> Coefficients<M> {
        self.public().challenge(&CHECK_SEED).0
    }

    fn paths(&self) -> Vec<u32> {
        paths_of(&self.tags, TINY.log_block as usize)
    }
}

/// Changes what a party sends.
type Tampering<'a> = Box<dyn FnMut(Tag, &mut Vec<u8>) + 'a>;

fn untouched<'a>() -> Tampering<'a> {
    Box::new(|_, _| {})
}

/// Changes the message `tag`.
fn on<'a>(tag: Tag, mut change: impl FnMut(&mut Vec<u8>) + 'a) -> Tampering<'a> {
    Box::new(move |got, payload| {
        if got == tag {
            change(payload);
        }
    })
}

/// How a round ends for both: with its outputs, or an error.
struct Outcome<F, M> {
    p: Result<Vec<Authenticated<F, M>>, Error>,
    v: Result<Vec<M>, Error>,
}

/// What P sends passes through `taps[0]`, what V sends through `taps[1]`.
fn run<F: Value, M: Mac<F>>(deal: &Deal<F, M>, [p_tap, v_tap]: [Tampering<'_>; 2]) -> Outcome<F, M> {
    let (p, v) = memory_pair(&Limits::default());
    let (mut p, mut v) = (Edit::on(p, p_tap), Edit::on(v, v_tap));
    let (mut prover, mut verifier) = (deal.prover(), deal.verifier(&mut v));
    v.flush().unwrap();
    let randomness = CheckRandomness { seed: CHECK_SEED, nonce: deal.nonce };
    let checked = or_fail(&mut p, |p| prover.check(&randomness, p));
    let answered = or_fail(&mut v, |v| verifier.answer(&field_delta::<F, M>(), v));
    let p = checked.and_then(|()| or_fail(&mut p, |p| prover.verdict(p)));
    let v = answered.and_then(|()| or_fail(&mut v, |v| verifier.verdict(v)));
    Outcome {
        p: p.map(|()| blocks(|tree, out| prover.block(tree, out))),
        v: v.map(|()| blocks(|tree, out| verifier.block(tree, out))),
    }
}

/// Takes a step; a party that fails says so.
fn or_fail<C: Channel>(channel: &mut C, step: impl FnOnce(&mut C) -> Result<(), Error>) -> Result<(), Error> {
    let result = step(channel);
    if let Err(error) = &result {
        channel.fail(&error.to_string());
    }
    result
}

/// All outputs of a round.
fn blocks<T: Copy + Default>(block: impl Fn(usize, &mut [T]) -> Result<(), Error>) -> Vec<T> {
    let mut out = vec![T::default(); TINY.outputs()];
    out.chunks_exact_mut(TINY.block_len()).enumerate().for_each(|(tree, out)| block(tree, out).unwrap());
    out
}

fn holds<F: Value, M: Mac<F>>(p: &[Authenticated<F, M>], v: &[M]) {
    let delta = field_delta::<F, M>().expose();
    assert_eq!((p.len(), v.len()), (TINY.outputs(), TINY.outputs()));
    for (i, (p, k)) in p.iter().zip(v).enumerate() {
        assert!(*k == p.m + delta.scale(p.x), "{} in {}: correlation {i}", F::NAME, M::NAME);
    }
}

fn is_cheat<T>(result: &Result<T, Error>, at: Tag) -> bool {
    matches!(result, Err(Error::Cheat { step, .. }) if *step == at)
}

#[test]
fn rounds_give_correlations_with_one_noise_value_a_block_over_every_pair_of_fields() {
    fn check<F: Value, M: Mac<F>>() {
        let outcome = run(&Deal::<F, M>::new(0), [untouched(), untouched()]);
        holds(&outcome.p.unwrap(), &outcome.v.unwrap());
        let deal = Deal::<F, M>::of_leaves(1);
        let outcome = run(&deal, [untouched(), untouched()]);
        let (p, v) = (outcome.p.unwrap(), outcome.v.unwrap());
        holds(&p, &v);
        for (tree, (block, path)) in p.chunks(TINY.block_len()).zip(deal.paths()).enumerate() {
            for (i, leaf) in block.iter().enumerate() {
                let noise = if i == path as usize { deal.p[TINY.table_len() + tree].x } else { F::ZERO };
                assert!(leaf.x == noise, "{} in {}: tree {tree}, leaf {i}", F::NAME, M::NAME);
            }
        }
    }
    every_pair!(check);
}

#[test]
fn a_round_refuses_a_base_of_another_size_and_steps_out_of_order() {
    fn check<F: Value, M: Mac<F>>() {
        let misused = |error: Option<Error>| assert!(matches!(error, Some(Error::Misuse(_))), "{error:?}");
        let mut deal = Deal::<F, M>::new(0);
        let (mut p, mut v) = memory_pair(&Limits::default());
        let (mut prover, mut verifier) = (deal.prover(), deal.verifier(&mut v));
        // The peers' messages are there, but this party has not done its part.
        v.send(tags::SUBFIELD_ANSWER, &vec![0; M::BYTES]).unwrap();
        v.flush().unwrap();
        p.recv(tags::SUBFIELD_TREES, 1 << 20).unwrap();
        misused(prover.verdict(&mut p).err());
        p.send(tags::SUBFIELD_OPENING, &[0; NONCE]).unwrap();
        p.flush().unwrap();
        misused(verifier.verdict(&mut v).err());
        deal.p.pop();
        deal.v.pop();
        let base = Zeroizing::new(deal.p.clone());
        misused(ProverRound::open(deal.public(), base, deal.tags.clone()).err());
        let (base, bits) = (Zeroizing::new(deal.v.clone()), Zeroizing::new(deal.keys.clone()));
        let seed = Zeroizing::new([0; 16]);
        misused(VerifierRound::<F, M>::open(deal.public(), &delta(), seed, base, bits, &mut v).err());
    }
    every_kind_of_pair!(check);
}
