//! P: commits to bits whose tags it has.

use core::ops::Range;

use curve25519_dalek::scalar::Scalar;
use rand_core::CryptoRng;
use subtle::{Choice, ConditionallyNegatable, ConditionallySelectable, ConstantTimeEq};
use volery_channel::tags::{
    COMMIT_CHALLENGE, COMMIT_DIFFERENCES, COMMIT_KEYS, COMMIT_OPENING, COMMIT_POINTS, COMMIT_PROMISE,
    COMMIT_REVEAL,
};
use volery_channel::{Channel, ChannelExt};
use volery_field::Gf128;
use volery_vole::SessionId;
use volery_vole::correlations::Pool;
use zeroize::Zeroizing;

use super::layout::{self, Layout};
use super::pedersen::{self, Commitment, Opening};
use super::run::{Combination, Drawn, HASH, Run, SCALAR, combined, draw, packed, scalars};
use crate::Error;

/// P between its promise and V's reveal. Wiped on drop.
pub struct Prover {
    run: Run,
    spans: Vec<Range<usize>>,
    /// The tags of all converted bits, the mask's last.
    tags: Zeroizing<Vec<Gf128>>,
    /// The hashes of the tags, as if they were keys.
    hashes: Zeroizing<Vec<Scalar>>,
    /// The tags of the bits that bind V to delta.
    checked: Zeroizing<Vec<Gf128>>,
    /// The hash of V's keys of those bits.
    keys: [u8; HASH],
    /// The hash of all of V's differences.
    differences: [u8; HASH],
    openings: Vec<Opening>,
    nonce: Zeroizing<[u8; HASH]>,
    combination: Combination,
}

impl Prover {
    /// Steps 1 to 3: commits to the bits of these `tags` (their least significant bits), cut into values by
    /// `layout`.
    ///
    /// Other proofs may follow under the same delta before [`Prover::open`]. V calls
    /// [`Verifier::receive`](super::Verifier::receive) at the same place.
    ///
    /// # Errors
    /// [`Error::Misuse`] unless there is a tag for each bit of the layout; [`Error::Malformed`]; the pool's
    /// and the channel's.
    pub fn commit<R: CryptoRng + ?Sized>(
        channel: &mut dyn Channel,
        pool: &mut Pool,
        session: &SessionId,
        layout: &Layout,
        tags: &[Gf128],
        rng: &mut R,
    ) -> Result<Self, Error> {
        if tags.len() != layout.bits() {
            return Err(Error::Misuse(format!("{} tags for {} bits", tags.len(), layout.bits())));
        }
        let run = Run::new(session, pool.index(), layout);
        let Drawn { converted: tags, checked } = draw(channel, pool, tags)?;
        let spans = layout.spans();
        let keys = channel.recv_array(COMMIT_KEYS)?;
        let Converted { packed: packed_tags, hashes, differences } =
            receive_differences(channel, &run, &spans, &tags)?;

        let mut openings = Vec::with_capacity(spans.len());
        for span in &spans {
            openings.push(Opening::of(pedersen::value(of(&tags, span).iter().map(|tag| bit(*tag)))?, rng));
        }
        let points: Vec<u8> = openings.iter().flat_map(|opening| opening.commitment().to_bytes()).collect();
        channel.send(COMMIT_POINTS, &points)?;

        let seed = channel.recv_array(COMMIT_CHALLENGE)?;
        let challenges = run.challenges(&seed, layout.values());
        let combination = combine(&challenges, &openings, &packed_tags)?;
        let mut nonce = Zeroizing::new([0; HASH]);
        rng.fill_bytes(&mut *nonce);
        channel.send(COMMIT_PROMISE, &run.promise(&nonce, &combination))?;
        channel.flush()?;
        // The mask is not needed any more.
        openings.truncate(layout.values());
        Ok(Self { run, spans, tags, hashes, checked, keys, differences, openings, nonce, combination })
    }

    /// The commitments, in the layout's order. V accepts them after [`Prover::open`].
    #[must_use]
    pub fn commitments(&self) -> Vec<Commitment> {
        self.openings.iter().map(Opening::commitment).collect()
    }

    /// Steps 4 and 5: checks V's messages against what V reveals, and then opens the combination.
    ///
    /// This ends everything under delta: `pool` is wiped in any case. Returns the openings of the
    /// commitments, in the layout's order. V has accepted them only when it says so.
    ///
    /// # Errors
    /// [`Error::Cheat`] if V's keys or differences do not follow from the delta and the key that it reveals;
    /// then nothing was opened, and V has learnt nothing. [`Error::Malformed`]; the channel's.
    pub fn open(self, channel: &mut dyn Channel, pool: Pool) -> Result<Vec<Opening>, Error> {
        let revealed: [u8; 16 + SCALAR] = channel.recv_array(COMMIT_REVEAL)?;
        let (delta, gamma) = decode_reveal(&revealed)?;
        self.check(delta, &gamma)?;
        let opening = Zeroizing::new([&self.nonce[..], &self.combination.encode()[..]].concat());
        channel.send(COMMIT_OPENING, &opening)?;
        channel.flush()?;
        // These are megabytes, and V need not wait while they are wiped. After an error they are dropped as
        // well.
        drop(pool);
        Ok(self.openings)
    }

    /// Whether all of step 1 follows from `delta` and `gamma`.
    fn check(&self, delta: Gf128, gamma: &Scalar) -> Result<(), Error> {
        let keys = self.checked.iter().map(|tag| *tag + masked(delta, bit(*tag)));
        let same_keys = self.run.keys(keys).ct_eq(&self.keys);
        let mut transcript = self.run.differences();
        for spans in layout::messages(&self.spans) {
            let hashed = of_all(&self.tags, spans).zip(of_all(&self.hashes, spans));
            let bits = spans.iter().flat_map(Clone::clone).zip(hashed);
            // If the bit is zero, the tag is the key; if it is one, the tag is the key plus delta.
            let difference = |(i, (tag, hash)): (usize, (&Gf128, &Scalar))| {
                let mut difference = hash - self.run.scalar(i, *tag + delta);
                difference.conditional_negate(Choice::from(bit(*tag)));
                (difference + gamma).to_bytes()
            };
            transcript.absorb("message", bits.map(difference).collect::<Vec<_>>().as_flattened());
        }
        let differences = transcript.challenge_seed::<HASH>("hash").into_bytes();
        if bool::from(same_keys & differences.ct_eq(&self.differences)) {
            Ok(())
        } else {
            Err(Error::cheat(COMMIT_REVEAL, "the check of the verifier's conversion of keys"))
        }
    }
}

/// Tags converted with V's differences.
pub(super) struct Converted {
    /// The converted tag of each value.
    pub(super) packed: Zeroizing<Vec<Scalar>>,
    /// The hash of each tag.
    pub(super) hashes: Zeroizing<Vec<Scalar>>,
    /// The hash of V's messages.
    pub(super) differences: [u8; HASH],
}

/// Receives V's differences and converts tags with them.
pub(super) fn receive_differences(
    channel: &mut dyn Channel,
    run: &Run,
    spans: &[Range<usize>],
    tags: &[Gf128],
) -> Result<Converted, Error> {
    let mut values = Zeroizing::new(Vec::with_capacity(spans.len()));
    let mut hashes = Zeroizing::new(Vec::with_capacity(tags.len()));
    let mut transcript = run.differences();
    let mut message = Vec::new();
    for spans in layout::messages(spans) {
        let bits = spans.iter().map(Range::len).sum::<usize>();
        message.resize(SCALAR * bits, 0);
        channel.recv_exact(COMMIT_DIFFERENCES, &mut message)?;
        transcript.absorb("message", &message);
        let mut differences = scalars(COMMIT_DIFFERENCES, &message)?.into_iter();
        for span in spans {
            let converted = span.clone().zip(of(tags, span)).zip(&mut differences).map(|((i, tag), w)| {
                let chosen = Scalar::conditional_select(&Scalar::ZERO, &w, Choice::from(bit(*tag)));
                let hash = run.scalar(i, *tag);
                hashes.push(hash);
                hash + chosen
            });
            let converted = Zeroizing::new(converted.collect::<Vec<_>>());
            values.push(packed(&converted));
        }
    }
    let differences = transcript.challenge_seed("hash").into_bytes();
    Ok(Converted { packed: values, hashes, differences })
}

/// The opening of the mask and the challenges' combination of values.
pub(super) fn combine(
    challenges: &[Scalar],
    openings: &[Opening],
    tags: &[Scalar],
) -> Result<Combination, Error> {
    let (Some((mask, openings)), Some((mask_tag, tags))) = (openings.split_last(), tags.split_last()) else {
        return Err(Error::Misuse("a layout without a mask".into()));
    };
    Ok(Combination {
        value: combined(&mask.value, challenges, openings.iter().map(|opening| &opening.value)),
        tag: combined(mask_tag, challenges, tags.iter()),
        blinding: combined(&mask.blinding, challenges, openings.iter().map(|opening| &opening.blinding)),
    })
}

/// Delta, which is odd, and Gamma, which is canonical.
fn decode_reveal(bytes: &[u8; 16 + SCALAR]) -> Result<(Gf128, Scalar), Error> {
    let malformed = || Error::malformed(COMMIT_REVEAL, "not a delta and a number below the group's order");
    let (delta, gamma) = bytes.split_first_chunk().ok_or_else(malformed)?;
    let delta = u128::from_le_bytes(*delta);
    let [gamma] = *scalars(COMMIT_REVEAL, gamma)? else { return Err(malformed()) };
    if delta & 1 == 0 {
        return Err(malformed());
    }
    Ok((Gf128::from_bits(delta), gamma))
}

/// The bit in a tag.
fn bit(tag: Gf128) -> u8 {
    (tag.to_bits() & 1) as u8
}

/// `delta` if `bit` is one, else zero, without a branch.
fn masked(delta: Gf128, bit: u8) -> Gf128 {
    Gf128::from_bits(delta.to_bits() & u128::from(bit).wrapping_neg())
}

/// The items of the bits of one value.
fn of<'a, T>(all: &'a [T], span: &Range<usize>) -> &'a [T] {
    all.get(span.clone()).unwrap_or_default()
}

/// The items of the bits of several consecutive values.
fn of_all<'a, T>(all: &'a [T], spans: &'a [Range<usize>]) -> impl Iterator<Item = &'a T> {
    spans.iter().flat_map(|span| of(all, span))
}
