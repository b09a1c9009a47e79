//! Runs linked generators, also with messages changed on their way, and returns their chains.

use std::collections::HashSet;

use volery_channel::{Channel, Tag, tags};

use crate::Error;
use crate::correlations::{Chain, Correlation, Pool};

/// An edit of the messages that pass.
pub(crate) type Tampering<'a> = Box<dyn FnMut(Tag, &mut Vec<u8>) + Send + 'a>;

/// A party's chains.
pub(crate) type Chains = Result<Vec<Chain>, Error>;

/// The chain of a linked generator at every multiple of `step` up to index `n`. It settles now and then.
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

/// Changes the first and the second message of each of these kinds (from P if the flag is set, else from V),
/// in its first byte and in its last. Each change must end a generator, or give the parties different chains
/// and so different challenges. Returns the kinds for which it was the latter.
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
