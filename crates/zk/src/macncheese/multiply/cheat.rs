//! A prover that reveals a wrong `eps`, with which a wrong product passes the product's check.
//!
//! P commits to `z = 0` for `1 * 1`. So `z` is off by `d`, and the check `e z - c - eps y = 0` is off by
//! `e d`. It holds with `eps - e d / y` in place of `eps`. In the simple protocol `d` and `y` are one; in the
//! embedding `d` is what the bit's value adds to the product of the group. The query of the revelation must
//! find that the commitments to `x` and `a` have another `eps`.
//!
//! P's own code runs and lies in three places: the product, the revelation, and the sum of all queries, at
//! which an honest P stops. V runs on another thread, where nothing lies.

use core::any::Any;
use core::cell::RefCell;

use volery_circuit::{Digest, Prove, Statement};
use volery_field::{Element, F2, Gf128};
use volery_testing::{Link, between, deal, rng};
use volery_vole::SessionId;

use super::super::{Multiplier, ProverBits, Settings, Tally, VerifierBits, prove, verify};
use super::rmfe::{FIELD, Tables, mul};
use crate::Error;
use crate::quicksilver::Challenges;

const SESSION: SessionId = SessionId::new([1; 32]);

/// "Two bits are one, and their product is `product`."
struct Product {
    product: F2,
}

impl<B: Prove<F2>> Statement<B> for Product {
    fn identify(&self, _: &mut Digest) {}

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let x = b.secret(2, &mut |_| Ok(vec![F2::ONE; 2]))?;
        let z = b.mul(&x[0], &x[1])?;
        let claims = [(&x[0], F2::ONE), (&x[1], F2::ONE), (&z, self.product)];
        let claims = claims.map(|(wire, value)| b.add_constant(wire, value));
        b.assert_zero(&claims)
    }
}

/// `1 / x` in GF(2^45).
fn inverse(x: u64) -> u64 {
    let (mut square, mut out) = (x, 1);
    for _ in 1..FIELD {
        square = mul(square, square);
        out = mul(out, square);
    }
    out
}

/// What this thread's prover lies about.
struct Lies {
    /// Products that it still has to commit to wrongly.
    products: usize,
    /// The challenge.
    e: Gf128,
    /// Revelations so far.
    revealed: usize,
}

thread_local! {
    static LIES: RefCell<Option<Lies>> = const { RefCell::new(None) };
}

/// The block has three slots. The third is the product; the first two are secrets, claimed to be themselves
/// times one.
const SLOT: usize = 2;

fn lie<T>(lie: impl FnOnce(&mut Lies) -> T) -> Option<T> {
    LIES.with_borrow_mut(|lies| lies.as_mut().map(lie))
}

/// Whether this thread's prover lies.
pub(in super::super) fn lies() -> bool {
    lie(|_| ()).is_some()
}

/// Whether the product that is being committed to is to be wrong.
pub(in super::super) fn wrong_product() -> bool {
    lie(|lies| core::mem::take(&mut lies.products) > 0).unwrap_or(false)
}

/// Hears the simple protocol's challenge.
pub(in super::super) fn hear(e: &dyn Any) {
    let e = e.downcast_ref().copied().unwrap_or(Gf128::ZERO);
    lie(|lies| lies.e = e);
}

/// What is revealed instead of `x` in the simple protocol.
pub(in super::super) fn revealed<M: Element>(x: M) -> M {
    let e = lie(|lies| {
        lies.revealed += 1;
        (lies.revealed == SLOT + 1).then_some(lies.e)
    });
    let e = e.flatten();
    e.and_then(|e| (&e as &dyn Any).downcast_ref().copied()).map_or(x, |e: M| x + e)
}

/// What is added to the revelation of the embedding's only group.
pub(super) fn in_the_embedding(e: u64) -> u64 {
    let tables = Tables::get();
    let change = mul(mul(e, tables.values[SLOT]), inverse(tables.phi(0b111)));
    if lies() { change } else { 0 }
}

/// V's verdict on `1 * 1 = product`.
fn session(multiplier: Multiplier, product: F2) -> Result<Tally, Error> {
    let settings = Settings { interval: 1 << 12, multiplier };
    let prover = |p: &mut Link| {
        let wrong = Lies { products: 1, e: Gf128::ZERO, revealed: 0 };
        LIES.set((product == F2::ZERO).then_some(wrong));
        let mut pool = deal::bits(1, None, 777);
        let (challenges, claim) = (Challenges::seeded(&SESSION, &mut rng(1)), Product { product });
        let proved = prove(ProverBits, settings, challenges, &mut rng(2), &mut pool, p, &claim);
        (proved, LIES.take().is_none_or(|lies| lies.products == 0))
    };
    let verifier = |v: &mut Link| {
        let mut pool = deal::bits(1, Some(deal::bit_delta()), 777);
        let share = VerifierBits::new(&deal::bit_delta());
        let challenges = Challenges::seeded(&SESSION, &mut rng(3));
        verify(share, settings, challenges, &mut pool, v, &Product { product })
    };
    let ((proved, lied), result) = between(prover, verifier);
    assert!(proved.is_ok() && lied, "{proved:?}");
    result
}

#[test]
fn a_revelation_that_is_another_is_rejected() {
    for multiplier in [Multiplier::Simple, Multiplier::EmbeddedRho40] {
        assert!(session(multiplier, F2::ONE).is_ok(), "{multiplier:?}");
        let result = session(multiplier, F2::ZERO);
        assert!(matches!(&result, Err(error) if error.is_rejection()), "{multiplier:?}: {result:?}");
    }
}
