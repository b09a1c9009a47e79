//! Forgeries by a prover that chooses its correlations after the challenges.
//!
//! In the functionality for correlations P may choose its own values and tags, and in the real protocols a P
//! that guesses a piece of delta can. The forgers here fix everything that they will send, compute each seed
//! that they can foresee, and then choose correlations for which a false statement passes. With tags of zero
//! all that a prover sends is a constant, so a forgery is a list of messages beside the values chosen.
//!
//! What a forger cannot foresee is the chain: what V draws for a batch of correlations after P's part of it
//! is fixed. So each forgery is made thrice: by a forger that leaves the chain out of account (which is all
//! it takes where nobody absorbs it), by one that absorbs the chain of all batches but the last, and by one
//! that knows V's bytes beforehand. V must refuse the first two. The third one shows that the forgery is one,
//! and that nothing but the chain stops it.
//!
//! | module | what is forged |
//! |---|---|
//! | `bits` | a proof about bits; in the second batch, on what an earlier proof left |
//! | `elements` | one over a field, one over bits and a field whose last batch is of either kind |
//! | `disjunctions` | Robin's and Mac'n'Cheese's over a field |
//! | `bit_disjunctions` | Robin's about bits |

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "in tests, outside the test functions too")]

mod bit_disjunctions;
mod bits;
mod disjunctions;
mod elements;

use volery_channel::{Channel, Tag};
use volery_field::{Authenticated, F61, Gf128, Mac as _, Ring as _};
use volery_testing::{deal, scripted};
use volery_vole::correlations::{Chain, Correlation, Pool, Source};
use volery_vole::{Error as VoleError, SessionId, Transcript};
use volery_zk::Error;

/// What a forger takes for the chain when it computes a seed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Belief {
    /// That there is none.
    None,
    /// The chain of all batches but the last.
    Before,
    /// The chain that V has.
    Truth,
}

/// V's correlations: of values that P chose, in batches of `batch`.
struct Chosen<T> {
    keys: Vec<T>,
    given: usize,
    batch: Batches,
}

/// How a pool is divided, and the name of its chain.
#[derive(Clone, Copy)]
struct Batches {
    name: &'static str,
    len: usize,
}

impl Batches {
    /// The chain after so many batches.
    fn chain(self, batches: usize) -> Chain {
        let bytes = blake3::derive_key(self.name, &(batches as u64).to_le_bytes());
        Chain::from_bytes(bytes)
    }

    /// The next seed as a forger computes it that will have taken so many correlations.
    fn seed(self, transcript: &mut Transcript, taken: usize, belief: Belief) -> [u8; 16] {
        let batches = taken.div_ceil(self.len);
        match belief {
            Belief::None => {}
            Belief::Before => transcript.absorb("chain", self.chain(batches - 1).as_bytes()),
            Belief::Truth => transcript.absorb("chain", self.chain(batches).as_bytes()),
        }
        transcript.challenge_seed("block").into_bytes()
    }

    /// V's pool of these keys, then zeros.
    fn pool<T: Correlation>(self, keys: Vec<T>) -> Pool<T> {
        Pool::new(Box::new(Chosen { keys, given: 0, batch: self }))
    }
}

impl<T: Correlation> Source<T> for Chosen<T> {
    fn refill(&mut self, _channel: &mut dyn Channel, out: &mut Vec<T>) -> Result<(), VoleError> {
        out.clear();
        let keys = self.keys.get(self.given..).unwrap_or_default().iter().copied();
        out.extend(keys.chain(core::iter::repeat(T::default())).take(self.batch.len));
        self.given += self.batch.len;
        Ok(())
    }

    fn may_wait(&self) -> bool {
        false
    }

    fn chain(&mut self, _channel: &mut dyn Channel, taken: u64) -> Result<Chain, VoleError> {
        Ok(self.batch.chain((taken as usize).div_ceil(self.batch.len)))
    }
}

/// V's keys of these bits, whose tags are the bits themselves.
fn keys_of_bits(bits: &[bool]) -> Vec<Gf128> {
    let tag = |bit: &bool| if *bit { Gf128::ONE } else { Gf128::ZERO };
    bits.iter().map(|bit| deal::key(tag(bit), &deal::delta())).collect()
}

/// V's keys of these elements, whose tags are zero.
fn keys_of(values: &[F61]) -> Vec<F61> {
    let wire = |x: &F61| Authenticated { x: *x, m: F61::ZERO };
    values.iter().map(|x| wire(x).m + deal::field_delta::<F61, F61>().expose().scale(wire(x).x)).collect()
}

fn transcript(part: &str) -> Transcript {
    Transcript::new(part, &SessionId::new([1; 32]))
}

/// Counts as an opening has them.
fn counts<const N: usize>(counts: [u64; N]) -> Vec<u8> {
    counts.iter().flat_map(|n| n.to_le_bytes()).collect()
}

/// The hash of claims that wires are zero, as many as have these bytes of tags, which are all zero.
fn assertions(bytes: usize) -> Vec<u8> {
    blake3::derive_key("volery 2026 quicksilver assertions v1", &vec![0; bytes]).to_vec()
}

/// Bytes of an opening of degree 2 over the field, before its counts.
const OPENING: usize = 2 * F61::BYTES;

/// What V says to a forger that sends these messages and listens to nothing.
fn judged<T>(
    messages: &[(Tag, Vec<u8>)],
    verify: impl FnOnce(&mut dyn Channel) -> Result<T, Error>,
) -> Result<T, Error> {
    let (mut v, _forger) = scripted(messages);
    verify(&mut v)
}

/// V accepts from a forger that knows its bytes beforehand, and from no other.
fn nothing_but_the_chain_stops<T: core::fmt::Debug>(forgery: impl Fn(Belief) -> Result<T, Error>) {
    for belief in [Belief::None, Belief::Before] {
        let result = forgery(belief);
        assert!(matches!(result, Err(Error::Rejected { .. })), "{belief:?}: {result:?}");
    }
    let forged = forgery(Belief::Truth);
    assert!(forged.is_ok(), "no forgery: {forged:?}");
}
