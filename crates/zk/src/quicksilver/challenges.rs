//! The source of the seed of a block's coefficients, and its expansion.
//!
//! **A seed that is a hash** must come after everything that it tests. For P's messages that is easy: they
//! are in the transcript. But a committed value is `u + d`, the correlation's value plus what P sent, and
//! P influences `u`, too. It sends the last message of most ways to make correlations, and if it guesses a
//! piece of delta it can choose `u`. If P could compute seeds before it makes correlations, it would fix
//! every `d`, compute every seed, and solve linear equations for `u`. So each seed also depends on the
//! [chain](volery_vole::correlations::Chain) of the pool: bytes that V drew for each batch of correlations
//! once nothing of the batch could change. Only [`Challenges::hash`] absorbs the chain, up to the batch of
//! the last correlation *taken*, which is the same at both parties however far ahead either has made them.
//!
//! After a seed P may still choose tags, masks of openings, and terms of a linear claim, as it can if V
//! chooses the seed. It must not be able to choose any `u` or `d` of a value that the seed tests. So a caller
//! that asks for a seed has taken all of those correlations and sent all of those `d`. The tables of
//! [`bits`](super::bits), [`field`](super::field), [`mixed`](super::mixed),
//! [`disjunction`](crate::disjunction) and [`macncheese`](crate::macncheese) list these values for each seed.
//!
//! **A seed that is known from the start.** A proof for everybody is made in two passes over the statement
//! (`volery-voleith`). In the first P commits to everything and opens nothing ([`Challenges::Committing`]).
//! Then the caller hashes all of it to a seed, with which P runs the statement again, and V the only time
//! ([`Challenges::Known`]). All of the proof is one block, so there is one challenge, which the caller makes
//! and checks. It is responsible for everything that the seed has to come after. Disjunctions, which have
//! challenges of their own, get seeds that follow from this one, since all that they test was fixed before
//! it, too. Seeds made here have 192 bits ([`Seed`]): a P that computes hashes at leisure would otherwise
//! make errors for very many seeds of 128 bits ([`soundness`](super::soundness)).
//!
//! The challenges of Mac'n'Cheese's theorem have the same element: an `id` that V draws after the
//! functionality for correlations has P's inputs. QuickSilver's figure 4 leaves it out.

use rand_core::CryptoRng;
use volery_channel::{Channel, Tag};
use volery_field::Gf128;
use volery_vole::correlations::{Correlation, Pool};
use volery_vole::{Prg, SessionId, Transcript};

use crate::Error;
#[cfg(test)]
use crate::transcripts::{Event, note};

/// Who chooses the coefficients of the checks.
#[expect(clippy::large_enum_variant, reason = "there is one of them in a proof")]
pub enum Challenges<'r> {
    /// V, from this generator (which P does not use), after it has received the block.
    Interactive(&'r mut dyn CryptoRng),
    /// V, from a generator of its own, for a proof with two parts. See [`Challenges::seeded`].
    Seeded(Prg),
    /// A hash of everything that P sent, and of V's bytes from when the correlations were made. The
    /// transcript must have absorbed what the proof is about. The pool must be linked
    /// ([`volery_vole::correlations::Source::chain`]).
    FiatShamir(Transcript),
    /// None yet: P's first pass over a proof about bits, which commits to all values and opens nothing.
    Committing,
    /// This one, for all of a proof about bits: P's second pass, or V's only one. The caller makes it from
    /// all that [`Challenges::Committing`] sent, and whoever accepts the proof checks that it was made so.
    Known(Seed),
}

/// A seed of coefficients: 16 bytes, or 24 where nobody can be kept from trying many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed {
    /// An AES key.
    pub(crate) key: [u8; 16],
    /// The upper half of each block that it encrypts. Zero in seeds of 16 bytes.
    pub(crate) salt: u64,
}

impl From<[u8; 16]> for Seed {
    fn from(key: [u8; 16]) -> Self {
        Self { key, salt: 0 }
    }
}

impl Seed {
    /// The seed as 16 bytes, if it is no longer.
    pub(crate) fn short(self) -> Option<[u8; 16]> {
        (self.salt == 0).then_some(self.key)
    }

    /// A seed for a purpose of its own, which `label` and bytes of one length name. It has as many bits.
    pub(crate) fn derive(self, label: &'static str, purpose: &[u8]) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key(label);
        hasher.update(&self.key).update(purpose);
        let mut key = [0; 16];
        hasher.finalize_xof().fill(&mut key);
        Self { key, ..self }
    }
}

impl From<[u8; 24]> for Seed {
    fn from(bytes: [u8; 24]) -> Self {
        let (mut key, mut salt) = ([0; 16], [0; 8]);
        key.copy_from_slice(&bytes[..16]);
        salt.copy_from_slice(&bytes[16..]);
        Self { key, salt: u64::from_le_bytes(salt) }
    }
}

/// The label of a pool's chain in a transcript.
const CHAIN: &str = "chain";

impl Challenges<'_> {
    /// V's choice, from a generator seeded once from `rng`.
    ///
    /// P sees the whole output of this generator, and would know every later challenge if it found the seed.
    /// So the stream is salted for the session, and one guess of a seed only tests the proofs of this
    /// session, not all that P has ever seen.
    pub fn seeded(session: &SessionId, rng: &mut dyn CryptoRng) -> Self {
        Self::Seeded(Prg::of_session(session, "challenges", rng))
    }

    /// Whether V chooses.
    pub(crate) fn are_chosen(&self) -> bool {
        matches!(self, Self::Interactive(_) | Self::Seeded(_))
    }

    /// Whether the whole proof is one block, whose seed the caller makes.
    pub(crate) fn is_one_block(&self) -> bool {
        matches!(self, Self::Committing | Self::Known(_))
    }

    /// The seed that is known from the start.
    pub(crate) fn known(&self) -> Option<Seed> {
        match self {
            Self::Known(seed) => Some(*seed),
            _ => None,
        }
    }

    /// Seed `number` of a part with challenges of its own, in a proof of one block; `None` if there is no
    /// seed yet.
    pub(crate) fn further(&self, number: u64) -> Option<Seed> {
        let label = "volery 2026 quicksilver further challenges v1";
        self.known().map(|seed| seed.derive(label, &number.to_le_bytes()))
    }

    /// Absorbs one of P's messages, so that none escapes the transcript.
    pub(crate) fn absorb(&mut self, tag: Tag, payload: &[u8]) {
        if let Self::FiatShamir(transcript) = self {
            transcript.absorb(tag.name(), payload);
            #[cfg(test)]
            note(Event::Absorbed(transcript.clone().challenge_seed("block").into_bytes()));
        }
    }

    /// If challenges are hashes, the digest of everything that was absorbed. No challenge has its label.
    pub(crate) fn digest(&self) -> Option<[u8; 32]> {
        let Self::FiatShamir(transcript) = self else { return None };
        Some(transcript.clone().challenge_seed("end of the proof").into_bytes())
    }

    /// V's choice of a seed; `None` if a hash chooses.
    pub(crate) fn draw(&mut self) -> Option<[u8; 16]> {
        match self {
            Self::Interactive(rng) => {
                let mut seed = [0; 16];
                rng.fill_bytes(&mut seed);
                Some(seed)
            }
            Self::Seeded(prg) => Some(prg.block().to_bits().to_le_bytes()),
            Self::FiatShamir(_) | Self::Committing | Self::Known(_) => None,
        }
    }

    /// The hash's choice of a seed for the part that ends here; `None` if V chooses.
    ///
    /// It absorbs the chain of everything taken from `pool`: the caller has taken every correlation of a
    /// value that the seed tests. P may have to wait for V's part of the chain, so it must have sent
    /// everything that it held back.
    pub(crate) fn hash<T: Correlation>(
        &mut self,
        pool: &mut Pool<T>,
        channel: &mut dyn Channel,
    ) -> Result<Option<[u8; 16]>, Error> {
        let Self::FiatShamir(transcript) = self else { return Ok(None) };
        transcript.absorb(CHAIN, pool.chain(channel)?.as_bytes());
        let seed = transcript.challenge_seed("block").into_bytes();
        #[cfg(test)]
        note(Event::Seed(seed));
        Ok(Some(seed))
    }

    /// Sends `payload` as P and absorbs it.
    pub(crate) fn send(&mut self, channel: &mut dyn Channel, tag: Tag, payload: &[u8]) -> Result<(), Error> {
        self.absorb(tag, payload);
        Ok(channel.send(tag, payload)?)
    }
}

/// Coefficients of one block's products: `chi_g` is block `g` of the seed's stream, under its salt.
pub(super) struct Coefficients(Prg);

/// The number of products combined at once: three operands of 16 KiB each.
pub(super) const CHUNK: usize = 1 << 10;

impl Coefficients {
    pub(super) fn new(seed: Seed) -> Self {
        Self(Prg::salted(seed.key, seed.salt))
    }

    /// `chi_first, chi_first+1, ..`.
    pub(super) fn at(&self, first: usize, out: &mut [Gf128]) {
        self.0.blocks_at(first as u64, out);
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha20Rng;
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    fn drawn(session: u8) -> [[u8; 16]; 2] {
        let mut challenges =
            Challenges::seeded(&SessionId::new([session; 32]), &mut ChaCha20Rng::seed_from_u64(1));
        [(); 2].map(|()| challenges.draw().expect("chosen"))
    }

    /// Long seeds stay as long: the half that is not hashed is in each.
    #[test]
    fn further_seeds_follow_from_the_seed_and_their_number() {
        let seeds = [[1; 24], [2; 24]].map(Seed::from);
        let mut further = Vec::new();
        for seed in seeds {
            let challenges = Challenges::Known(seed);
            further.extend([1, 2].map(|number| challenges.further(number).expect("known")));
            assert!(further.iter().rev().take(2).all(|one| one.salt == seed.salt && one.key != seed.key));
        }
        assert!((0..4).all(|i| !further[..i].contains(&further[i])));
        assert_eq!(Challenges::Committing.further(1), None);
    }

    #[test]
    fn one_seed_gives_each_session_other_challenges() {
        let (one, two) = (drawn(1), drawn(2));
        assert_eq!(one, drawn(1));
        assert!(one[0] != one[1] && one.iter().all(|seed| !two.contains(seed)));
    }
}
