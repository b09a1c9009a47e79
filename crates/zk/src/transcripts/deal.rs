//! Correlations from a seed that both parties know, in batches. V ends each with 32 bytes, as a linked supply
//! does.

use volery_channel::{Channel, Tag, tags};
use volery_field::{Authenticated, F61, Gf128, Mac as _};
use volery_vole::subfield::FieldDelta;
use volery_vole::supply::{Chain, Correlations, Item, Stock};
use volery_vole::{Delta, Error, Prg};

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

impl<T: Item, N: FnMut() -> T> Correlations<T> for Dealt<N> {
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

fn stock<T: Item>(next: impl FnMut() -> T + Send + 'static, verifier: bool, tag: Tag) -> Stock<T> {
    let drawn = verifier.then(|| Prg::new([3; 16]));
    Stock::new(Box::new(Dealt { next, drawn, tag, chains: vec![Chain::from_bytes([1; 32])] }))
}

pub(super) fn bit_delta() -> Delta {
    Delta::from_element(Gf128::from_bits(0x8bad_f00d_0ddb_a11c_afef_00d5_dead_beef))
}

/// Tags, or keys.
pub(super) fn bits(verifier: bool) -> Stock {
    let (mut prg, delta) = (Prg::new([1; 16]), bit_delta().expose());
    let next = move || {
        let tag = prg.block();
        if verifier && tag.to_bits() & 1 == 1 { tag + delta } else { tag }
    };
    stock(next, verifier, tags::FERRET_VERDICT)
}

pub(super) fn delta() -> FieldDelta<F61> {
    FieldDelta::from_digits::<F61>(&bit_delta())
}

fn elements() -> impl FnMut() -> Authenticated<F61, F61> {
    let mut prg = Prg::new([2; 16]);
    move || {
        let mut out = [F61::default(); 2];
        prg.elements(&mut out);
        Authenticated { x: out[0], m: out[1] }
    }
}

pub(super) fn tags_over() -> Stock<Authenticated<F61, F61>> {
    stock(elements(), false, tags::SUBFIELD_ANSWER)
}

pub(super) fn keys_over() -> Stock<F61> {
    let (mut next, delta) = (elements(), delta().expose());
    let key = move || {
        let dealt = next();
        dealt.m + delta.scale(dealt.x)
    };
    stock(key, true, tags::SUBFIELD_ANSWER)
}
