//! Correlations from nowhere, so that a run takes microseconds.

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng as _;
use volery_channel::Channel;
use volery_field::{Authenticated, Gf128, Mac, Value};
use volery_vole::correlations::{Chain, Correlation, Pool, Source};
use volery_vole::subfield::FieldDelta;
use volery_vole::{Delta, Prg, SessionId, Transcript};

/// A dealer's correlations: `next` makes one.
struct Dealt<N>(N);

impl<I: Correlation, N: FnMut() -> I> Source<I> for Dealt<N> {
    fn refill(&mut self, _: &mut dyn Channel, out: &mut Vec<I>) -> Result<(), volery_vole::Error> {
        out.clear();
        out.extend(std::iter::repeat_with(&mut self.0).take(256));
        Ok(())
    }

    fn may_wait(&self) -> bool {
        false
    }

    fn chain(&mut self, _channel: &mut dyn Channel, _taken: u64) -> Result<Chain, volery_vole::Error> {
        Ok(Chain::from_bytes([0xd7; 32]))
    }
}

/// The verifier's binary key: another one for each input. Under a fixed one a fuzzer that sees both sides of
/// a comparison would find what the verifier expects, change by change; an honest prover's messages are the
/// same under any.
#[must_use]
pub fn delta(input: &[u8]) -> Delta {
    let mut transcript = Transcript::new("fuzz: delta", &SessionId::new([0; 32]));
    transcript.absorb("input", input);
    Delta::random(&mut ChaCha20Rng::from_seed(transcript.challenge_seed("seed").into_bytes()))
}

/// Bits: tags at the prover, keys at the verifier, who has delta.
#[must_use]
pub fn bits(delta: Option<Delta>) -> Pool {
    let mut prg = Prg::new([7; 16]);
    Pool::new(Box::new(Dealt(move || {
        let tag = prg.block();
        match &delta {
            Some(delta) if tag.to_bits() & 1 == 1 => {
                Gf128::from_bits(tag.to_bits() ^ delta.expose().to_bits())
            }
            _ => tag,
        }
    })))
}

fn pairs<F: Value, M: Mac<F>>() -> impl FnMut() -> Authenticated<F, M> + Send {
    let mut prg = Prg::new([8; 16]);
    move || {
        let (mut x, mut m) = ([F::ZERO], [M::ZERO]);
        prg.elements(&mut x);
        prg.elements(&mut m);
        Authenticated { x: x[0], m: m[0] }
    }
}

/// Elements at the prover.
#[must_use]
pub fn elements<F: Value, M: Mac<F>>() -> Pool<Authenticated<F, M>> {
    Pool::new(Box::new(Dealt(pairs::<F, M>())))
}

/// Their keys at the verifier.
#[must_use]
pub fn keys<F: Value, M: Mac<F>>(delta: &FieldDelta<M>) -> Pool<M> {
    let (mut next, delta) = (pairs::<F, M>(), delta.expose());
    Pool::new(Box::new(Dealt(move || {
        let pair = next();
        pair.m + delta.scale(pair.x)
    })))
}
