//! V: receives commitments to bits whose keys it has.

use core::ops::Range;

use curve25519_dalek::scalar::Scalar;
use rand_core::CryptoRng;
use subtle::ConstantTimeEq;
use volery_channel::tags::{
    COMMIT_CHALLENGE, COMMIT_DIFFERENCES, COMMIT_KEYS, COMMIT_OPENING, COMMIT_POINTS, COMMIT_PROMISE,
    COMMIT_REVEAL,
};
use volery_channel::{Channel, ChannelExt};
use volery_field::Gf128;
use volery_vole::correlations::Pool;
use volery_vole::{Delta, SessionId};
use zeroize::Zeroizing;

use super::layout::{self, Layout};
use super::pedersen::{self, Commitment};
use super::run::{Combination, Drawn, HASH, Run, SCALAR, combined, draw, packed};
use crate::Error;

/// V between P's promise and its own reveal. Wiped on drop.
pub struct Verifier {
    run: Run,
    gamma: Zeroizing<Scalar>,
    /// The converted key of each value, the mask's last.
    keys: Zeroizing<Vec<Scalar>>,
    /// The commitments, the mask's last.
    commitments: Vec<Commitment>,
    challenges: Vec<Scalar>,
    promise: [u8; HASH],
}

impl Verifier {
    /// Steps 1 to 3: receives commitments to the bits of these `keys` under `delta`, cut into values by
    /// `layout`.
    ///
    /// Other proofs may follow under the same delta before [`Verifier::reveal`]. P calls
    /// [`Prover::commit`](super::Prover::commit) at the same place.
    ///
    /// # Errors
    /// [`Error::Misuse`] unless there is a key for each bit of the layout; [`Error::Malformed`]; the pool's
    /// and the channel's.
    pub fn receive<R: CryptoRng + ?Sized>(
        channel: &mut dyn Channel,
        pool: &mut Pool,
        delta: &Delta,
        session: &SessionId,
        layout: &Layout,
        keys: &[Gf128],
        rng: &mut R,
    ) -> Result<Self, Error> {
        if keys.len() != layout.bits() {
            return Err(Error::Misuse(format!("{} keys for {} bits", keys.len(), layout.bits())));
        }
        let run = Run::new(session, pool.index(), layout);
        let Drawn { converted: keys, checked } = draw(channel, pool, keys)?;
        let spans = layout.spans();
        let gamma = Zeroizing::new(Scalar::random(rng));
        channel.send(COMMIT_KEYS, &run.keys(checked.iter().copied()))?;
        let keys = send_differences(channel, &run, &spans, &keys, delta, &gamma)?;

        let points = channel.recv(COMMIT_POINTS, SCALAR * spans.len())?;
        let commitments = decode(points, spans.len())?;
        let mut seed = [0; HASH];
        rng.fill_bytes(&mut seed);
        channel.send(COMMIT_CHALLENGE, &seed)?;
        let challenges = run.challenges(&seed, layout.values());
        let promise = channel.recv_array(COMMIT_PROMISE)?;
        Ok(Self { run, gamma, keys, commitments, challenges, promise })
    }

    /// Steps 4 and 5: reveals `delta`, receives the opening and checks it. Returns the commitments, in the
    /// layout's order.
    ///
    /// Call this when every other proof under `delta` has ended. It ends everything under it: `pool` and
    /// `delta` are wiped in any case. If the caller had anything else made under this delta (a second pool,
    /// a fork of the extension, correlations over a field), it must already have dropped it, because P knows
    /// delta from now on.
    ///
    /// With delta a party can compute more than forgeries: if V's setup of the OTs under P's offset came from
    /// correlations under delta, it can compute V's choices in these OTs (see `volery_vole::softspoken`,
    /// module `reversed`), and so everything that they mask. So call this when nothing about a connection of
    /// two parties has to stay hidden from P any more: after V's opening.
    ///
    /// # Errors
    /// [`Error::Cheat`] if the commitments are not shown to hold the bits; [`Error::Malformed`]; the
    /// channel's.
    pub fn reveal(
        self,
        channel: &mut dyn Channel,
        delta: Delta,
        pool: Pool,
    ) -> Result<Vec<Commitment>, Error> {
        let mut revealed = [0; 16 + SCALAR];
        let parts = delta.expose().to_bits().to_le_bytes().into_iter().chain(self.gamma.to_bytes());
        revealed.iter_mut().zip(parts).for_each(|(to, from)| *to = from);
        drop(delta);
        channel.send(COMMIT_REVEAL, &revealed)?;
        channel.flush()?;
        // These are megabytes, and P need not wait while they are wiped. After an error they are dropped as
        // well.
        drop(pool);
        let opening: [u8; HASH + Combination::BYTES] = channel.recv_array(COMMIT_OPENING)?;
        self.check(&opening)
    }

    /// Checks that an opening is the promised one, and right.
    fn check(mut self, opening: &[u8; HASH + Combination::BYTES]) -> Result<Vec<Commitment>, Error> {
        let failed = || Error::cheat(COMMIT_OPENING, "the check that the commitments hold the proved bits");
        let (nonce, combination) = opening.split_first_chunk().ok_or_else(failed)?;
        let combination = Combination::decode(COMMIT_OPENING, combination)?;
        let promised = self.run.promise(nonce, &combination).ct_eq(&self.promise);
        let (mask, keys) = self.keys.split_last().ok_or_else(failed)?;
        let key = combined(mask, &self.challenges, keys.iter());
        let tag = key + combination.value * *self.gamma;
        // In the order of the commitments: the mask's is last and has the coefficient one.
        self.challenges.push(Scalar::ONE);
        let opens = pedersen::vartime_opens(
            &combination.value,
            &combination.blinding,
            &self.challenges,
            &self.commitments,
        );
        if !(bool::from(promised & tag.ct_eq(&combination.tag)) && opens) {
            return Err(failed());
        }
        self.commitments.pop();
        Ok(self.commitments)
    }
}

/// Sends the differences of all bits; returns the converted key of each value.
fn send_differences(
    channel: &mut dyn Channel,
    run: &Run,
    spans: &[Range<usize>],
    keys: &[Gf128],
    delta: &Delta,
    gamma: &Scalar,
) -> Result<Zeroizing<Vec<Scalar>>, Error> {
    let mut values = Zeroizing::new(Vec::with_capacity(spans.len()));
    let mut message = Vec::new();
    for spans in layout::messages(spans) {
        message.clear();
        for span in spans {
            let keys = keys.get(span.clone()).unwrap_or_default();
            let converted = span.clone().zip(keys).map(|(i, key)| run.scalar(i, *key));
            let converted = Zeroizing::new(converted.collect::<Vec<_>>());
            for (i, (key, converted)) in span.clone().zip(keys.iter().zip(converted.iter())) {
                let difference = converted - run.scalar(i, *key + delta.expose()) + gamma;
                message.extend_from_slice(difference.as_bytes());
            }
            values.push(packed(&converted));
        }
        channel.send(COMMIT_DIFFERENCES, &message)?;
    }
    Ok(values)
}

/// `count` points, all canonical.
fn decode(bytes: &[u8], count: usize) -> Result<Vec<Commitment>, Error> {
    let (points, rest) = bytes.as_chunks();
    if points.len() != count || !rest.is_empty() {
        return Err(Error::malformed(COMMIT_POINTS, format!("{} bytes for {count} points", bytes.len())));
    }
    let points: Option<_> = points.iter().map(|bytes| Commitment::from_bytes(*bytes)).collect();
    points.ok_or_else(|| Error::malformed(COMMIT_POINTS, "not a canonical point of Ristretto"))
}
