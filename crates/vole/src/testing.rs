//! The chains of linked generators, and what becomes of them when messages change on their way.

use std::collections::HashSet;

use volery_channel::{Channel, Tag, tags};

use crate::Error;
use crate::correlations::{Chain, Correlation, Pool};

/// What an edit may do with a message, for edits of different kinds in one place.
pub(crate) type Tampering<'a> = Box<dyn FnMut(Tag, &mut Vec<u8>) + Send + 'a>;

/// A party's chains.
pub(crate) type Chains = Result<Vec<Chain>, Error>;

/// The chain of a linked generator at every index that is a multiple of `step`, up to `n`; now and then it
/// settles.
pub(crate) fn chains<T: Correlation>(
    mut pool: Pool<T>,
    [n, step]: [usize; 2],
    channel: &mut dyn Channel,
) -> Chains {
    let mut chains = vec![pool.chain(channel)?];
    let mut taken = vec![T::default(); step];
    for i in 0..n / step {
        pool.fill(channel, &mut taken)?;
        chains.push(pool.chain(channel)?);
        if i % 3 == 0 {
            pool.settle(channel)?;
        }
    }
    pool.settle(channel)?;
    // Nobody leaves while the other still sends.
    channel.send(tags::GOODBYE, &[])?;
    channel.recv(tags::GOODBYE, 0)?;
    channel.flush()?;
    Ok(chains)
}

/// Changes the first and the second message of each of these kinds, which P sends or V, in its first byte and
/// in its last. Whatever changes ends the generator, or the parties have different chains and so different
/// challenges: the kinds for which it was the latter.
pub(crate) fn kinds_that_part<'a>(
    kinds: &[(Tag, bool)],
    run: impl Fn([Tampering<'a>; 2]) -> [Chains; 2],
) -> HashSet<Tag> {
    let mut parted = HashSet::new();
    for (kind, from_p) in kinds.iter().copied() {
        for (which, last) in [(0, false), (0, true), (1, false), (1, true)] {
            let mut seen = 0;
            let flip: Tampering<'a> = Box::new(move |tag, payload| {
                if tag == kind {
                    let at = if last { payload.len() - 1 } else { 0 };
                    payload[at] ^= u8::from(seen == which) << 2;
                    seen += 1;
                }
            });
            let other: Tampering<'a> = Box::new(|_, _| {});
            if let [Ok(p), Ok(v)] = run(if from_p { [flip, other] } else { [other, flip] }) {
                assert_ne!(p.last(), v.last(), "{kind} {which}");
                parted.insert(kind);
            }
        }
    }
    parted
}
