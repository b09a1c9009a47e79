//! Correlations from a seed that both parties know: what the protocols of `volery-vole` make, without them.

use volery_channel::Channel;
use volery_field::{Authenticated, Gf128, Mac, Value};
use volery_vole::correlations::{Chain, Correlation, Pool, Source};
use volery_vole::subfield::FieldDelta;
use volery_vole::{Delta, Error, Prg};

/// One party's correlations.
struct Dealt<N> {
    next: N,
    batch: usize,
    may_wait: bool,
}

impl<T: Correlation, N: FnMut() -> T> Source<T> for Dealt<N> {
    fn refill(&mut self, _channel: &mut dyn Channel, out: &mut Vec<T>) -> Result<(), Error> {
        out.clear();
        out.extend((0..self.batch).map(|_| (self.next)()));
        Ok(())
    }

    fn may_wait(&self) -> bool {
        self.may_wait
    }

    fn chain(&mut self, _channel: &mut dyn Channel, _taken: u64) -> Result<Chain, Error> {
        Ok(Chain::from_bytes([0xd7; 32]))
    }
}

/// A pool of what `next` gives, in batches of `batch`; its chain is a constant.
pub fn pool<T: Correlation>(batch: usize, next: impl FnMut() -> T + Send + 'static) -> Pool<T> {
    Pool::new(Box::new(Dealt { next, batch, may_wait: false }))
}

/// V's key in all tests.
#[must_use]
pub fn delta() -> Delta {
    Delta::from_element(Gf128::from_bits(0x8badf00d_0ddba11c_afef00d5_deadbeef))
}

/// V's key for bits beside elements, where the two must differ.
#[must_use]
pub fn bit_delta() -> Delta {
    Delta::from_element(Gf128::from_bits(0x0123_4567_89ab_cdef_1122_3344_5566_7788))
}

/// V's key for the bit with this tag: the bit is the tag's lowest one.
#[must_use]
pub fn key(tag: Gf128, delta: &Delta) -> Gf128 {
    if tag.to_bits() & 1 == 1 { tag + delta.expose() } else { tag }
}

/// The number of values that are made at once: each alone would take many times as long.
const AT_ONCE: usize = 256;

/// Tags with their bits, one after another without end.
pub struct Tags {
    prg: Prg,
    /// Those that are made, the next one last.
    ready: Vec<Gf128>,
}

impl Tags {
    /// Those of `seed`.
    #[must_use]
    pub fn new(seed: u8) -> Self {
        Self { prg: Prg::new([seed; 16]), ready: Vec::new() }
    }

    /// The next tag.
    #[allow(clippy::should_implement_trait, reason = "it never ends")]
    pub fn next(&mut self) -> Gf128 {
        if self.ready.is_empty() {
            self.ready.resize(AT_ONCE, Gf128::ZERO);
            self.prg.blocks(&mut self.ready);
            self.ready.reverse();
        }
        self.ready.pop().unwrap_or_default()
    }
}

/// A party's bits in batches of `batch`: tags at P, and at V, who has `delta`, keys.
#[must_use]
pub fn bits(seed: u8, delta: Option<Delta>, batch: usize) -> Pool {
    waiting_bits(seed, delta, batch, false)
}

/// As [`bits`], from a source that says whether it may have to wait for the peer, though it never does. Both
/// parties say the same.
#[must_use]
pub fn waiting_bits(seed: u8, delta: Option<Delta>, batch: usize, may_wait: bool) -> Pool {
    let mut tags = Tags::new(seed);
    let next = move || {
        let tag = tags.next();
        delta.as_ref().map_or(tag, |delta| key(tag, delta))
    };
    Pool::new(Box::new(Dealt { next, batch, may_wait }))
}

/// V's key for elements in all tests.
#[must_use]
pub fn field_delta<F: Value, M: Mac<F>>() -> FieldDelta<M> {
    FieldDelta::from_digits::<F>(&delta())
}

/// P's authenticated random elements, one after another without end.
pub struct Elements<F, M> {
    prg: Prg,
    /// Those that are made, the next one last.
    ready: Vec<Authenticated<F, M>>,
}

impl<F: Value, M: Mac<F>> Elements<F, M> {
    /// Those of `seed`.
    #[must_use]
    pub fn new(seed: u8) -> Self {
        Self { prg: Prg::new([seed; 16]), ready: Vec::new() }
    }

    /// The next one.
    #[allow(clippy::should_implement_trait, reason = "it never ends")]
    pub fn next(&mut self) -> Authenticated<F, M> {
        if self.ready.is_empty() {
            let (mut x, mut m) = ([F::ZERO; AT_ONCE], [M::ZERO; AT_ONCE]);
            self.prg.elements(&mut x);
            self.prg.elements(&mut m);
            self.ready.extend(x.into_iter().zip(m).map(|(x, m)| Authenticated { x, m }));
        }
        self.ready.pop().unwrap_or(Authenticated { x: F::ZERO, m: M::ZERO })
    }
}

/// P's elements with their tags.
#[must_use]
pub fn field_tags<F: Value, M: Mac<F>>(seed: u8) -> Pool<Authenticated<F, M>> {
    let mut elements = Elements::new(seed);
    pool(1000, move || elements.next())
}

/// V's keys for [`field_tags`] under [`field_delta`], in batches of another size.
#[must_use]
pub fn field_keys<F: Value, M: Mac<F>>(seed: u8) -> Pool<M> {
    let (mut elements, delta) = (Elements::<F, M>::new(seed), field_delta::<F, M>().expose());
    pool(777, move || {
        let element = elements.next();
        element.m + delta.scale(element.x)
    })
}
