//! Correlations over a field from a seed that both parties know: what `volery_vole::subfield` makes, without it.

use std::marker::PhantomData;

use volery_channel::Channel;
use volery_field::{Authenticated, Mac, Value};
use volery_vole::subfield::FieldDelta;
use volery_vole::supply::{Correlations, Item, Stock};
use volery_vole::{Delta, Error, Prg};

/// The verifier's key in all tests.
pub(crate) fn delta<F: Value, M: Mac<F>>() -> FieldDelta<M> {
    let digits = volery_field::Gf128::from_bits(0x8badf00d_0ddba11c_afef00d5_deadbeef);
    FieldDelta::from_digits::<F>(&Delta::from_element(digits))
}

/// One party's correlations, from P's point of view; `map` makes the party's half.
struct Dealt<F, T> {
    prg: Prg,
    batch: usize,
    map: T,
    field: PhantomData<F>,
}

impl<F: Value, M: Mac<F>, I: Item, T: Fn(Authenticated<F, M>) -> I> Correlations<I> for Dealt<(F, M), T> {
    fn refill(&mut self, _channel: &mut dyn Channel, out: &mut Vec<I>) -> Result<(), Error> {
        let (mut x, mut m) = (vec![F::ZERO; self.batch], vec![M::ZERO; self.batch]);
        self.prg.elements(&mut x);
        self.prg.elements(&mut m);
        out.clear();
        out.extend(x.into_iter().zip(m).map(|(x, m)| (self.map)(Authenticated { x, m })));
        Ok(())
    }

    fn may_wait(&self) -> bool {
        false
    }
}

/// P's stock.
pub(crate) fn prover_stock<F: Value, M: Mac<F>>(seed: u8) -> Stock<Authenticated<F, M>> {
    let (prg, map) = (Prg::new([seed; 16]), |correlation| correlation);
    Stock::new(Box::new(Dealt { prg, batch: 1000, map, field: PhantomData::<(F, M)> }))
}

/// V's stock.
pub(crate) fn verifier_stock<F: Value, M: Mac<F>>(seed: u8) -> Stock<M> {
    let delta = delta::<F, M>().expose();
    let (prg, map) = (Prg::new([seed; 16]), move |c: Authenticated<F, M>| c.m + delta.scale(c.x));
    Stock::new(Box::new(Dealt { prg, batch: 1000, map, field: PhantomData::<(F, M)> }))
}

/// Bits of a Boolean part, under the digits' delta.
struct DealtBits {
    prg: Prg,
    delta: Option<Delta>,
}

impl Correlations for DealtBits {
    fn refill(
        &mut self,
        _channel: &mut dyn Channel,
        out: &mut Vec<volery_field::Gf128>,
    ) -> Result<(), Error> {
        out.clear();
        for _ in 0..777 {
            let tag = self.prg.block();
            out.push(match &self.delta {
                Some(delta) if tag.to_bits() & 1 == 1 => tag + delta.expose(),
                _ => tag,
            });
        }
        Ok(())
    }

    fn may_wait(&self) -> bool {
        // Now and then, so that both parts' waits are met.
        true
    }
}

/// The binary key.
pub(crate) fn bit_delta() -> Delta {
    Delta::from_element(volery_field::Gf128::from_bits(0x0123_4567_89ab_cdef_1122_3344_5566_7788))
}

/// A party's bits: P's without the key, V's with it.
pub(crate) fn bit_stock(seed: u8, delta: Option<Delta>) -> Stock {
    Stock::new(Box::new(DealtBits { prg: Prg::new([seed; 16]), delta }))
}
