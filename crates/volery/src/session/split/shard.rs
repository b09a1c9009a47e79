//! A statement's parts: programs with boundary wires.

use core::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

use volery_circuit::{Digest, Error as StatementError, Evaluator, Ops, Prove as _, Statement};
use volery_field::{Authenticated, F2, Gf128, Mac, Ring, Value, Wiped};
use volery_zk::quicksilver::{bits, field};

use super::Layout;
use crate::Error;

/// A part of a statement: a program that hands out boundary wires. As a
/// [`Statement`], it makes the same calls on every backend.
pub trait Shard<R: Ring, B: Ops<R> + ?Sized>: Sync {
    /// Absorbs everything that determines the program; see [`Statement::identify`].
    fn identify(&self, digest: &mut Digest);

    /// See [`Statement::commitments`]. A shard that says none starts rounds, however short it is.
    fn commitments(&self) -> Option<u64> {
        None
    }

    /// Runs the program. Returns its boundary wires, in an order that both parties know.
    ///
    /// # Errors
    /// As [`Statement::run`].
    fn run(&self, backend: &mut B) -> Result<Vec<B::Wire>, B::Error>;
}

/// A statement in shards.
pub trait Sharded: Sync {
    /// A shard.
    type Shard<'a>: Sync
    where
        Self: 'a;

    /// The shards' digests, and which boundary wires are equal.
    ///
    /// # Errors
    /// Those of [`Layout::new`].
    fn layout(&self) -> Result<Layout, Error>;

    /// Shard number `n`; with its witness, if the statement has one.
    ///
    /// # Errors
    /// The statement's, of a shard that it does not have.
    fn shard(&self, n: usize) -> Result<Self::Shard<'_>, StatementError>;
}

/// A backend whose wires are authenticated by elements of `M`: tags at P, keys at V.
/// (Those of an evaluator are its values.)
pub trait Boundary<R: Ring, M>: Ops<R> {
    /// The wire's tag or key.
    fn mac(wire: &Self::Wire) -> M;
}

impl Boundary<F2, Gf128> for bits::Prover<'_> {
    fn mac(wire: &Self::Wire) -> Gf128 {
        wire.tag()
    }
}

impl Boundary<F2, Gf128> for bits::Verifier<'_> {
    fn mac(wire: &Self::Wire) -> Gf128 {
        wire.key()
    }
}

impl<F: Value, M: Mac<F>> Boundary<F, M> for field::Prover<'_, F, M> {
    fn mac(wire: &Authenticated<F, M>) -> M {
        wire.m
    }
}

impl<F: Value, M: Mac<F>> Boundary<F, M> for field::Verifier<'_, F, M> {
    fn mac(wire: &M) -> M {
        *wire
    }
}

/// A value is its own.
impl<R: Ring> Boundary<R, R> for Evaluator<R> {
    fn mac(wire: &R) -> R {
        *wire
    }
}

/// A shard as a statement that keeps the tags or keys of its boundary wires.
pub(super) struct Captured<'s, S: ?Sized, R, M: Copy + Default> {
    shard: &'s S,
    macs: Mutex<Wiped<M>>,
    ring: PhantomData<fn() -> R>,
}

impl<'s, S: ?Sized, R, M: Copy + Default> Captured<'s, S, R, M> {
    pub(super) fn new(shard: &'s S) -> Self {
        Self { shard, macs: Mutex::default(), ring: PhantomData }
    }

    /// The tags or keys, once it has run.
    pub(super) fn into_macs(self) -> Wiped<M> {
        self.macs.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S, R, M, B> Statement<B> for Captured<'_, S, R, M>
where
    R: Ring,
    M: Copy + Default + Send,
    B: Boundary<R, M> + ?Sized,
    S: Shard<R, B> + ?Sized,
{
    fn identify(&self, digest: &mut Digest) {
        identify::<R, B, S>(self.shard, digest);
    }

    fn commitments(&self) -> Option<u64> {
        self.shard.commitments()
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        let macs = self.shard.run(backend)?.iter().map(B::mac).collect();
        *self.macs.lock().unwrap_or_else(PoisonError::into_inner) = Wiped::new(macs);
        Ok(())
    }
}

fn identify<R: Ring, B: Ops<R> + ?Sized, S: Shard<R, B> + ?Sized>(shard: &S, digest: &mut Digest) {
    digest.bytes("statement", b"shard v1");
    shard.identify(digest);
}

/// The digest of a shard: what its workers compare, and what [`Layout`] holds.
pub(super) fn digest_of<R: Ring, S: Shard<R, Evaluator<R>> + ?Sized>(shard: &S) -> [u8; 32] {
    let mut digest = Digest::new();
    identify::<R, Evaluator<R>, S>(shard, &mut digest);
    digest.finish()
}

/// Checks that the witness satisfies all shards, and that boundary wires are equal where the layout says so.
/// For P, before it proves: what is found false during a proof shows V in which shard.
///
/// # Errors
/// As [`Evaluator::check`]; [`StatementError::Unsatisfied`] for boundary wires that differ.
pub fn check<R: Ring, T: Sharded>(whole: &T) -> Result<(), Error>
where
    for<'a> T::Shard<'a>: Shard<R, Evaluator<R>>,
{
    let layout = whole.layout()?;
    let mut boundaries = Vec::with_capacity(layout.shards().len());
    for n in 0..layout.shards().len() {
        boundaries.push(evaluate(&whole.shard(n)?)?);
    }
    layout.compare(|[a, b]| {
        let value = |(shard, wire): (usize, usize)| boundaries.get(shard).and_then(|wires| wires.get(wire));
        match (value(a), value(b)) {
            (Some(x), Some(y)) if x == y => Ok(()),
            _ => Err(StatementError::misuse(format!(
                "wire {} of shard {} and wire {} of shard {} differ: the shards' witnesses do not fit together",
                a.1, a.0, b.1, b.0
            ))
            .into()),
        }
    })
}

/// The values of a shard's boundary wires.
fn evaluate<R: Ring, S: Shard<R, Evaluator<R>>>(shard: &S) -> Result<Wiped<R>, StatementError> {
    let captured = Evaluated(Captured::new(shard));
    Evaluator::check(&captured)?;
    Ok(captured.0.into_macs())
}

/// A shard that is evaluated by itself. It need not claim anything: equal boundary wires are a claim.
struct Evaluated<'s, S, R: Ring>(Captured<'s, S, R, R>);

impl<S: Shard<R, Evaluator<R>>, R: Ring> Statement<Evaluator<R>> for Evaluated<'_, S, R> {
    fn identify(&self, digest: &mut Digest) {
        self.0.identify(digest);
    }

    fn run(&self, evaluator: &mut Evaluator<R>) -> Result<(), StatementError> {
        self.0.run(evaluator)?;
        evaluator.assert_zero(&[R::ZERO])
    }
}
