//! One of many: single disjunctions over bits and over a field, batches over a field with MACs in it and in
//! an extension.

use volery_channel::Channel;
use volery_circuit::{
    Branch, Branches, Choose, Digest, Error as StatementError, Peek, Picked, Prove, Repeat, Shape, Statement,
    Steps,
};
use volery_field::{F61, F61x2, Mac, Ring};
use volery_vole::Delta;
use volery_vole::subfield::FieldDelta;
use volery_zk::Error;
use volery_zk::quicksilver::field::{self, Alone};
use volery_zk::quicksilver::{self, Challenges, verdict};

use crate::dealing;
use crate::proofs::fiat_shamir;
use crate::replay::{against, rng};

/// Blocks so short that a statement has several.
const SETTINGS: field::Settings = field::Settings { interval: 16 };
const BIT_SETTINGS: quicksilver::bits::Settings = quicksilver::bits::Settings { interval: 16 };

/// "I know two ones whose product, multiplied `more` times again, is one"; or that the first is zero besides.
#[derive(Clone, Copy)]
struct Ones {
    more: usize,
    lie: bool,
    knows: bool,
}

impl<R: Ring, B: Prove<R>> Branch<R, B> for Ones {
    fn identify(&self, digest: &mut Digest) {
        digest.number("more", self.more as u64);
    }

    fn run(&self, b: &mut B, shared: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
        let own = b.secret(1, &mut |_| match self.knows {
            true => Ok(vec![R::ONE]),
            false => Err(StatementError::Witness("none was given".into())),
        })?;
        let mut product = b.mul(&own[0], &shared[0])?;
        for _ in 0..self.more {
            product = b.mul(&product, &own[0])?;
        }
        let first = if self.lie { R::ZERO } else { R::ONE };
        let claims = [b.add_constant(&product, -R::ONE), b.add_constant(&own[0], -first)];
        b.assert_zero(&claims)?;
        Ok(vec![product])
    }
}

/// Two steps of three branches, one after the other or as a batch.
struct Path<R> {
    branches: Branches<R, Ones>,
    knows: bool,
}

impl<R: Ring> Path<R> {
    fn new(lie: bool, knows: bool) -> Self {
        let branches = [1, 2, 0].map(|more| Ones { more, lie, knows }).to_vec();
        let shape = Shape { inputs: 1, multiplications: 3, outputs: 1 };
        Self { branches: Branches::with_shape(branches, 1, shape).expect("some branches"), knows }
    }
}

struct Walk<W> {
    last: Option<W>,
    knows: bool,
}

impl<R: Ring, B: Prove<R>> Steps<R, Ones, B> for Walk<B::Wire> {
    fn before(&mut self, b: &mut B, _: usize) -> Result<Vec<B::Wire>, B::Error> {
        Ok(vec![self.last.clone().unwrap_or_else(|| b.constant(R::ONE))])
    }

    fn pick(&mut self, step: usize, _: &dyn Peek<R, B::Wire>) -> Result<Picked<Ones>, StatementError> {
        match self.knows {
            true => Ok(Picked::new(step + 1)),
            false => Err(StatementError::Witness("none was given".into())),
        }
    }

    fn after(&mut self, _: &mut B, _: usize, outputs: Vec<B::Wire>) -> Result<(), B::Error> {
        self.last = outputs.into_iter().next();
        Ok(())
    }
}

/// One disjunction after the other.
struct Single<R>(Path<R>);

impl<R: Ring, B: Choose<R, Ones>> Statement<B> for Single<R> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"fuzz: disjunctions");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let mut walk = Walk { last: None, knows: self.0.knows };
        volery_circuit::choose::repeat_by_choosing(b, &self.0.branches, 2, &mut walk)
    }
}

/// A batch.
struct Batch<R>(Path<R>);

impl<R: Ring, B: Repeat<R, Ones>> Statement<B> for Batch<R> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"fuzz: batch");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        b.repeat(&self.0.branches, 2, &mut Walk { last: None, knows: self.0.knows })
    }
}

/// How many kinds there are: over bits, over a field, a batch, a batch with MACs in an extension.
pub const KINDS: u8 = 4;

/// All that a verifier sends, at the prover. The first byte says which kind.
pub fn disjunction_prover(bytes: &[u8]) {
    let Some((kind, rest)) = bytes.split_first() else { return };
    let _ = against(rest, |channel| as_prover(channel, *kind, false));
}

/// All that a prover sends, at the verifier. The first byte says whether challenges are hashes (bit 0),
/// whether no branch can hold (bit 1): then nothing is accepted; and which kind (the rest).
pub fn disjunction_verifier(bytes: &[u8]) {
    let Some((mode, rest)) = bytes.split_first() else { return };
    let lie = mode & 2 != 0;
    let result =
        against(rest, |channel| as_verifier(channel, mode >> 2, mode & 1 != 0, &dealing::delta(bytes), lie));
    assert!(!lie || result.is_err(), "a disjunction of false statements is accepted");
}

/// An honest prover.
///
/// # Errors
/// What its peer does wrong.
pub fn as_prover(channel: &mut dyn Channel, kind: u8, hashed: bool) -> Result<(), Error> {
    match kind % KINDS {
        0 => {
            let (mut rng, mut pool) = (rng(3), dealing::bits(None));
            let challenges = if hashed { fiat_shamir("fuzz") } else { Challenges::Interactive(&mut rng) };
            quicksilver::bits::Prover::new(BIT_SETTINGS, challenges, &mut pool, channel, None)
                .prove(&Single(Path::new(false, true)))?;
            verdict::receive(channel)
        }
        3 => prove_over::<F61x2>(channel, hashed, true),
        kind => prove_over::<F61>(channel, hashed, kind == 2),
    }
}

fn prove_over<M: Mac<F61>>(channel: &mut dyn Channel, hashed: bool, batch: bool) -> Result<(), Error> {
    let (mut rng, mut pool) = (rng(3), dealing::elements::<F61, M>());
    let challenges = if hashed { fiat_shamir("fuzz") } else { Challenges::Interactive(&mut rng) };
    let prover = field::Prover::new(SETTINGS, challenges, &mut pool, Alone(channel));
    match batch {
        false => prover.prove(&Single(Path::new(false, true)))?,
        true => prover.prove(&Batch(Path::new(false, true)))?,
    };
    verdict::receive(channel)
}

/// An honest verifier, whose key comes of `delta`.
///
/// # Errors
/// What its peer does wrong.
pub fn as_verifier(
    channel: &mut dyn Channel,
    kind: u8,
    hashed: bool,
    delta: &Delta,
    lie: bool,
) -> Result<(), Error> {
    match kind % KINDS {
        0 => {
            let (mut rng, mut pool) = (rng(5), dealing::bits(Some(delta.duplicate())));
            let challenges = if hashed { fiat_shamir("fuzz") } else { Challenges::Interactive(&mut rng) };
            quicksilver::bits::Verifier::new(BIT_SETTINGS, challenges, delta, &mut pool, channel, None)
                .verify(&Single(Path::new(lie, false)))?;
            verdict::send(channel, true)
        }
        3 => verify_over::<F61x2>(channel, hashed, delta, true, lie),
        kind => verify_over::<F61>(channel, hashed, delta, kind == 2, lie),
    }
}

fn verify_over<M: Mac<F61>>(
    channel: &mut dyn Channel,
    hashed: bool,
    delta: &Delta,
    batch: bool,
    lie: bool,
) -> Result<(), Error> {
    let (mut rng, delta) = (rng(5), FieldDelta::<M>::from_digits::<F61>(delta));
    let mut pool = dealing::keys::<F61, M>(&delta);
    let challenges = if hashed { fiat_shamir("fuzz") } else { Challenges::Interactive(&mut rng) };
    let verifier = field::Verifier::new(SETTINGS, challenges, &delta, &mut pool, Alone(channel));
    match batch {
        false => verifier.verify(&Single(Path::new(lie, false)))?,
        true => verifier.verify(&Batch(Path::new(lie, false)))?,
    };
    verdict::send(channel, true)
}
