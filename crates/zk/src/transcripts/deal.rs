//! Correlations from a seed that both parties know, in batches. V ends each with 32 bytes, as a linked
//! generator does.

use volery_channel::{Channel, Tag, tags};
use volery_field::{Authenticated, F61, Mac as _};
use volery_testing::deal::{self, Elements, Tags};
use volery_vole::correlations::{Chain, Correlation, Pool, Source};
use volery_vole::{Error, Prg};

/// Correlations in a batch: fewer than a proof takes.
const BATCH: usize = 150;

struct Dealt<N> {
    next: N,
    /// V's bytes; none at P.
    drawn: Option<Prg>,
    tag: Tag,
    /// Of no batch, of the first, of the first two..
    chains: Vec<Chain>,
}

impl<N> Dealt<N> {
    fn link(&mut self, bytes: [u8; 32]) {
        let mut hasher = blake3::Hasher::new_derive_key("test: chain");
        hasher.update(self.chains.last().expect("not empty").as_bytes()).update(&bytes);
        self.chains.push(Chain::from_bytes(*hasher.finalize().as_bytes()));
    }
}

impl<T: Correlation, N: FnMut() -> T> Source<T> for Dealt<N> {
    fn refill(&mut self, channel: &mut dyn Channel, out: &mut Vec<T>) -> Result<(), Error> {
        out.clear();
        out.extend((0..BATCH).map(|_| (self.next)()));
        if let Some(drawn) = &mut self.drawn {
            let mut bytes = [0; 32];
            drawn.bytes(&mut bytes);
            channel.send(self.tag, &bytes)?;
            self.link(bytes);
        }
        Ok(())
    }

    fn may_wait(&self) -> bool {
        false
    }

    fn chain(&mut self, channel: &mut dyn Channel, taken: u64) -> Result<Chain, Error> {
        let batches = (taken as usize).div_ceil(BATCH);
        while self.chains.len() <= batches {
            let mut bytes = [0; 32];
            channel.recv_exact(self.tag, &mut bytes)?;
            self.link(bytes);
        }
        Ok(self.chains[batches])
    }
}

fn pool<T: Correlation>(next: impl FnMut() -> T + Send + 'static, verifier: bool, tag: Tag) -> Pool<T> {
    let drawn = verifier.then(|| Prg::new([3; 16]));
    Pool::new(Box::new(Dealt { next, drawn, tag, chains: vec![Chain::from_bytes([1; 32])] }))
}

/// Tags, or keys.
pub(super) fn bits(verifier: bool) -> Pool {
    let (mut tags_of_bits, delta) = (Tags::new(1), deal::delta());
    let next = move || {
        let tag = tags_of_bits.next();
        if verifier { deal::key(tag, &delta) } else { tag }
    };
    pool(next, verifier, tags::FERRET_VERDICT)
}

pub(super) fn tags_over() -> Pool<Authenticated<F61, F61>> {
    let mut elements = Elements::new(2);
    pool(move || elements.next(), false, tags::SUBFIELD_ANSWER)
}

pub(super) fn keys_over() -> Pool<F61> {
    let (mut elements, delta) = (Elements::<F61, F61>::new(2), deal::field_delta::<F61, F61>().expose());
    let key = move || {
        let dealt = elements.next();
        dealt.m + delta.scale(dealt.x)
    };
    pool(key, true, tags::SUBFIELD_ANSWER)
}
