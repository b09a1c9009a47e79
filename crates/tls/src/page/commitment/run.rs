//! Computations that both parties share: the hashes of each run, and the numbers in messages.

use curve25519_dalek::scalar::Scalar;
use volery_channel::{Channel, Tag};
use volery_field::Gf128;
use volery_vole::correlations::Pool;
use volery_vole::{Oracle, SessionId, Transcript};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::layout::{Layout, VALUE_BITS};
use crate::Error;

/// The number of correlations that a conversion takes in addition to the bits that it converts.
pub const CORRELATIONS: usize = VALUE_BITS + CHECKED;
/// The number of random bits whose keys bind V: if V shows another delta, it must guess all bits whose keys
/// change.
pub(super) const CHECKED: usize = 128;
/// Bytes of hashes, nonces and seeds.
pub(super) const HASH: usize = 32;
/// Bytes of a scalar.
pub(super) const SCALAR: usize = 32;

/// The hashes of one run.
pub(super) struct Run {
    id: SessionId,
    scalars: Oracle,
    seeds: Oracle,
}

impl Run {
    /// The run whose correlations begin with number `index`. No two runs under one delta share it.
    pub(super) fn new(session: &SessionId, index: u64, layout: &Layout) -> Self {
        let id = Oracle::new("commitment: run", session).hash(index, &[layout.encode()]);
        let id = SessionId::new(id);
        let scalars = Oracle::new("commitment: scalar", &id);
        let seeds = Oracle::new("commitment: challenge", &id);
        Self { id, scalars, seeds }
    }

    /// `h(i, key)`: 64 bytes modulo the order, `2^-259` from uniform.
    #[inline]
    pub(super) fn scalar(&self, i: usize, key: Gf128) -> Scalar {
        Scalar::from_bytes_mod_order_wide(&self.scalars.hash(i as u64, &[&key.to_bits().to_le_bytes()]))
    }

    /// The hash that binds V to its keys.
    pub(super) fn keys(&self, keys: impl Iterator<Item = Gf128>) -> [u8; HASH] {
        let bytes = Zeroizing::new(keys.flat_map(|key| key.to_bits().to_le_bytes()).collect::<Vec<_>>());
        Oracle::new("commitment: keys", &self.id).hash(0, &[&bytes])
    }

    /// The hash that binds P to its opening.
    pub(super) fn promise(&self, nonce: &[u8; HASH], combination: &Combination) -> [u8; HASH] {
        Oracle::new("commitment: promise", &self.id).hash(0, &[nonce, &*combination.encode()])
    }

    /// The coefficients of `count` values.
    pub(super) fn challenges(&self, seed: &[u8; HASH], count: usize) -> Vec<Scalar> {
        let wide = (0..count as u64).map(|j| self.seeds.hash(j, &[seed]));
        wide.map(|wide| Scalar::from_bytes_mod_order_wide(&wide)).collect()
    }

    /// The record of all differences, to compare.
    pub(super) fn differences(&self) -> Transcript {
        Transcript::new("commitment: differences", &self.id)
    }
}

/// A tag or key of a value: `sum 2^b x_b`.
pub(super) fn packed(bits: &[Scalar]) -> Scalar {
    bits.iter().rev().fold(Scalar::ZERO, |sum, bit| sum + sum + bit)
}

/// `first + sum chi_j x_j`.
pub(super) fn combined<'a>(
    first: &Scalar,
    challenges: &[Scalar],
    others: impl Iterator<Item = &'a Scalar>,
) -> Scalar {
    challenges.iter().zip(others).fold(*first, |sum, (challenge, x)| sum + challenge * x)
}

/// P's opening: the combination's value, its tag, its blinding. It is secret until it is opened.
#[derive(Zeroize, ZeroizeOnDrop)]
pub(super) struct Combination {
    pub(super) value: Scalar,
    pub(super) tag: Scalar,
    pub(super) blinding: Scalar,
}

impl Combination {
    pub(super) const BYTES: usize = 3 * SCALAR;

    pub(super) fn encode(&self) -> Zeroizing<[u8; Self::BYTES]> {
        let mut bytes = Zeroizing::new([0; Self::BYTES]);
        let (to, _) = bytes.as_chunks_mut();
        for (to, from) in to.iter_mut().zip([&self.value, &self.tag, &self.blinding]) {
            *to = from.to_bytes();
        }
        bytes
    }

    pub(super) fn decode(step: Tag, bytes: &[u8]) -> Result<Self, Error> {
        let [value, tag, blinding] =
            scalars(step, bytes)?.try_into().map_err(|_| Error::malformed(step, "not three numbers"))?;
        Ok(Self { value, tag, blinding })
    }
}

/// The numbers of a message, each below the group's order.
pub(super) fn scalars(step: Tag, bytes: &[u8]) -> Result<Vec<Scalar>, Error> {
    let (scalars, rest) = bytes.as_chunks();
    if !rest.is_empty() {
        return Err(Error::malformed(step, "it ends within a number"));
    }
    let canonical = |bytes: &[u8; SCALAR]| Scalar::from_canonical_bytes(*bytes).into_option();
    let all: Option<_> = scalars.iter().map(canonical).collect();
    all.ok_or_else(|| Error::malformed(step, "a number is not below the group's order"))
}

/// This party's shares for a run: tags or keys.
pub(super) struct Drawn {
    /// The shares of all converted bits, followed by those of the mask.
    pub(super) converted: Zeroizing<Vec<Gf128>>,
    /// The shares of the bits that bind V to delta.
    pub(super) checked: Zeroizing<Vec<Gf128>>,
}

/// Takes the correlations of a run.
///
/// Pending checks of the generator are finished first, because what P learns about delta in them must not
/// decide a proof.
pub(super) fn draw(
    channel: &mut dyn Channel,
    pool: &mut Pool,
    authenticated: &[Gf128],
) -> Result<Drawn, Error> {
    pool.expect(Some(CORRELATIONS as u64));
    let mut converted = Zeroizing::new(Vec::with_capacity(authenticated.len() + VALUE_BITS));
    converted.extend_from_slice(authenticated);
    converted.resize(authenticated.len() + VALUE_BITS, Gf128::default());
    pool.fill(channel, converted.get_mut(authenticated.len()..).unwrap_or_default())?;
    let mut checked = Zeroizing::new(vec![Gf128::default(); CHECKED]);
    pool.fill(channel, &mut checked)?;
    pool.settle(channel)?;
    Ok(Drawn { converted, checked })
}
