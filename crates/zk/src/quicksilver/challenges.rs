//! Where the seed of a block's coefficients comes from, and the expansion.

use rand_core::CryptoRng;
use volery_channel::{Channel, Tag};
use volery_field::Gf128;
use volery_vole::{Prg, Transcript};

use crate::Error;

/// Who chooses the coefficients of the checks.
#[expect(clippy::large_enum_variant, reason = "there is one of them in a proof")]
pub enum Challenges<'r> {
    /// V, from this generator (which P does not use), after it received the block.
    Interactive(&'r mut dyn CryptoRng),
    /// V, from a generator of its own: for a proof with two parts. See [`Challenges::seeded`].
    Seeded(Prg),
    /// A hash of everything that P sent; the transcript must have absorbed what the proof is about.
    FiatShamir(Transcript),
}

impl Challenges<'_> {
    /// V's choice, from a generator seeded once from `rng`.
    pub fn seeded(rng: &mut dyn CryptoRng) -> Self {
        let mut seed = zeroize::Zeroizing::new([0; 16]);
        rng.fill_bytes(&mut *seed);
        Self::Seeded(Prg::new(*seed))
    }

    /// Whether V chooses.
    pub(crate) fn are_chosen(&self) -> bool {
        !matches!(self, Self::FiatShamir(_))
    }

    /// Absorbs one of P's messages: none of them escapes the transcript.
    pub(crate) fn absorb(&mut self, tag: Tag, payload: &[u8]) {
        if let Self::FiatShamir(transcript) = self {
            transcript.absorb(tag.name(), payload);
        }
    }

    /// V's choice of a seed; none where a hash chooses.
    pub(crate) fn draw(&mut self) -> Option<[u8; 16]> {
        match self {
            Self::Interactive(rng) => {
                let mut seed = [0; 16];
                rng.fill_bytes(&mut seed);
                Some(seed)
            }
            Self::Seeded(prg) => Some(prg.block().to_bits().to_le_bytes()),
            Self::FiatShamir(_) => None,
        }
    }

    /// The hash's choice of a seed for the block that ends here; none where V chooses.
    pub(crate) fn hash(&mut self) -> Option<[u8; 16]> {
        match self {
            Self::Interactive(_) | Self::Seeded(_) => None,
            Self::FiatShamir(transcript) => Some(transcript.challenge_seed("block").into_bytes()),
        }
    }

    /// Sends `payload` as P and absorbs it.
    pub(crate) fn send(&mut self, channel: &mut dyn Channel, tag: Tag, payload: &[u8]) -> Result<(), Error> {
        self.absorb(tag, payload);
        Ok(channel.send(tag, payload)?)
    }
}

/// Coefficients `chi_i` of one block: `chi_i` is block `i` of the seed's stream.
pub(super) struct Coefficients(Prg);

/// Coefficients expanded at once: 16 KiB, beside three operands of the same size.
pub(super) const CHUNK: usize = 1 << 10;

impl Coefficients {
    pub(super) fn new(seed: [u8; 16]) -> Self {
        Self(Prg::new(seed))
    }

    /// `chi_first, chi_first+1, ..`.
    pub(super) fn at(&self, first: usize, out: &mut [Gf128]) {
        self.0.blocks_at(first as u64, out);
    }
}
