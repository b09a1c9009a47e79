//! Correlations from a seed that both parties know: what `volery_vole::subfield` makes, without it.

use std::marker::PhantomData;

use volery_channel::Channel;
use volery_field::{Authenticated, Gf128, Mac, Value};
use volery_vole::subfield::FieldDelta;
use volery_vole::supply::{Chain, Correlations, Item, Stock};
use volery_vole::{Delta, Error, Prg};

/// The verifier's key in all tests.
pub(crate) fn delta<F: Value, M: Mac<F>>() -> FieldDelta<M> {
    let digits = Gf128::from_bits(0x8badf00d_0ddba11c_afef00d5_deadbeef);
    FieldDelta::from_digits::<F>(&Delta::from_element(digits))
}

/// P's halves, one after another without end.
pub(crate) struct Dealer<F, M> {
    prg: Prg,
    field: PhantomData<(F, M)>,
}

impl<F: Value, M: Mac<F>> Dealer<F, M> {
    pub(crate) fn new(seed: u8) -> Self {
        Self { prg: Prg::new([seed; 16]), field: PhantomData }
    }

    pub(crate) fn next(&mut self) -> Authenticated<F, M> {
        let (mut x, mut m) = ([F::ZERO], [M::ZERO]);
        self.prg.elements(&mut x);
        self.prg.elements(&mut m);
        Authenticated { x: x[0], m: m[0] }
    }
}

/// One party's correlations, from P's point of view; `map` makes the party's half.
struct Dealt<F, M, T> {
    dealer: Dealer<F, M>,
    batch: usize,
    map: T,
}

impl<F: Value, M: Mac<F>, I: Item, T: Fn(Authenticated<F, M>) -> I> Correlations<I> for Dealt<F, M, T> {
    fn refill(&mut self, _channel: &mut dyn Channel, out: &mut Vec<I>) -> Result<(), Error> {
        out.clear();
        out.extend((0..self.batch).map(|_| (self.map)(self.dealer.next())));
        Ok(())
    }

    fn may_wait(&self) -> bool {
        false
    }

    fn chain(&mut self, _channel: &mut dyn Channel, _taken: u64) -> Result<Chain, Error> {
        Ok(Chain::from_bytes([0xd7; 32]))
    }
}

/// P's stock.
pub(crate) fn prover_stock<F: Value, M: Mac<F>>(seed: u8) -> Stock<Authenticated<F, M>> {
    Stock::new(Box::new(Dealt { dealer: Dealer::new(seed), batch: 1000, map: |correlation| correlation }))
}

/// V's stock, in batches of another size than P's.
pub(crate) fn verifier_stock<F: Value, M: Mac<F>>(seed: u8) -> Stock<M> {
    let delta = delta::<F, M>().expose();
    let map = move |c: Authenticated<F, M>| c.m + delta.scale(c.x);
    Stock::new(Box::new(Dealt { dealer: Dealer::new(seed), batch: 777, map }))
}

/// Tags of a Boolean part with their bits, one after another without end.
pub(crate) struct Tags(Prg);

impl Tags {
    pub(crate) fn new(seed: u8) -> Self {
        Self(Prg::new([seed; 16]))
    }

    pub(crate) fn next(&mut self) -> Gf128 {
        self.0.block()
    }
}

/// Bits of a Boolean part.
struct DealtBits {
    tags: Tags,
    /// V's key, at V.
    delta: Option<Delta>,
    may_wait: bool,
}

impl Correlations for DealtBits {
    fn refill(&mut self, _channel: &mut dyn Channel, out: &mut Vec<Gf128>) -> Result<(), Error> {
        out.clear();
        for _ in 0..777 {
            let tag = self.tags.next();
            out.push(match &self.delta {
                Some(delta) if tag.to_bits() & 1 == 1 => tag + delta.expose(),
                _ => tag,
            });
        }
        Ok(())
    }

    fn may_wait(&self) -> bool {
        self.may_wait
    }

    fn chain(&mut self, _channel: &mut dyn Channel, _taken: u64) -> Result<Chain, Error> {
        Ok(Chain::from_bytes([0xd7; 32]))
    }
}

/// The binary key.
pub(crate) fn bit_delta() -> Delta {
    Delta::from_element(Gf128::from_bits(0x0123_4567_89ab_cdef_1122_3344_5566_7788))
}

/// A party's bits: P's without the key, V's with it. Both parties say the same of waits, which here are for
/// nothing.
pub(crate) fn bit_stock(seed: u8, delta: Option<Delta>, may_wait: bool) -> Stock {
    Stock::new(Box::new(DealtBits { tags: Tags::new(seed), delta, may_wait }))
}
