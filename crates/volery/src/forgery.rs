//! What a prover sends that chose its correlations once it knew the challenge: for tests of sessions and of
//! files.
//!
//! It commits to nothing but what the correlations hold, so every mask is zero, and it knows the seed before
//! it makes them. The products that it then wants are right in the check's one equation, and in the
//! statement. Its guess of a piece of V's delta is looked up (`cheats`).

use rand_core::CryptoRng;
use volery_channel::{Tag, tags};
use volery_circuit::{Digest, Prove, Statement};
use volery_field::{F2, Gf128};
use volery_testing::coefficients_of_products;
use volery_vole::{Transcript, pack, pack_bits};

/// Products: more than the 129 equations that they must fulfil.
const N: usize = 300;

/// Correlations of a forged proof: secrets, products, and what masks the opening.
pub(crate) const CORRELATIONS: usize = 2 * N + 1 + 128;

/// "I know x = 0 and bits y_i with x y_1 + .. + x y_N = 1."
pub(crate) struct False;

impl<B: Prove<F2>> Statement<B> for False {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"zero is one");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let secrets = b.secret(N + 1, &mut |_| Ok(vec![F2::ZERO; N + 1]))?;
        b.assert_zero(&secrets[..1])?;
        let mut sum = b.constant(F2::ONE);
        for y in &secrets[1..] {
            let z = b.mul(&secrets[0], y)?;
            sum = b.add(&sum, &z);
        }
        b.assert_zero(&[sum])
    }
}

/// "I know a zero", which does not say how much it commits to.
pub(crate) struct Zero;

impl<B: Prove<F2>> Statement<B> for Zero {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"a zero");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let zero = b.secret(1, &mut |_| Ok(vec![F2::ZERO]))?;
        b.assert_zero(&zero)
    }
}

/// Correlations that a proof of [`Zero`] takes.
pub(crate) const OF_ZERO: usize = 1 + 128;

fn masks() -> Vec<u8> {
    vec![0; (2 * N + 1).div_ceil(8)]
}

/// The seed of the only block, from the transcript that a proof of [`False`] begins with: as V draws it if
/// what V adds to that transcript is known, or left out.
pub(crate) fn foreseen(mut transcript: Transcript, chain: Option<&[u8; 32]>) -> [u8; 16] {
    transcript.absorb(tags::MASKS.name(), &masks());
    if let Some(chain) = chain {
        transcript.absorb("chain", chain);
    }
    transcript.challenge_seed("block").into_bytes()
}

/// The values that a forger wants under this seed.
pub(crate) fn wanted(seed: [u8; 16]) -> Vec<bool> {
    let chi = coefficients_of_products(seed, N + 1, N);
    let products = volery_vole::cheats::odd_subset(&chi).expect("more products than equations");
    [vec![false; N + 1], products].concat()
}

/// All that it sends: its tags are those of correlations with the values [`wanted`].
pub(crate) fn messages(tags_held: &[Gf128], seed: [u8; 16]) -> Vec<(Tag, Vec<u8>)> {
    let one = |tag: Gf128| Gf128::from_bits(tag.to_bits() & 1);
    let (secrets, rest) = tags_held.split_at(N + 1);
    let (products, mask) = rest.split_at(N);
    let slots = (secrets.iter().map(|s| [*s, Gf128::ONE, *s]))
        .chain(secrets[1..].iter().zip(products).map(|(y, z)| [secrets[0], *y, *z]));
    let [mut u, mut v] = [Gf128::ZERO; 2];
    for (chi, [a, b, c]) in coefficients_of_products(seed, 0, 2 * N + 1).into_iter().zip(slots) {
        u += chi * a * b;
        v += chi * (one(a) * b + one(b) * a + c);
    }
    let mask = mask.first_chunk().expect("128 correlations");
    let mut opening = Vec::new();
    for element in [u + pack(mask), v + pack_bits(mask)] {
        opening.extend_from_slice(&element.to_bits().to_le_bytes());
    }
    for count in [N as u64 + 1, N as u64, 2] {
        opening.extend_from_slice(&count.to_le_bytes());
    }
    let sum = products.iter().fold(Gf128::ONE, |sum, z| sum + *z);
    let zeros: Vec<u8> = [secrets[0], sum].iter().flat_map(|tag| tag.to_bits().to_le_bytes()).collect();
    let zeros = blake3::derive_key("volery 2026 quicksilver assertions v1", &zeros);
    vec![(tags::MASKS, masks()), (tags::CHECK_OPENING, opening), (tags::ASSERTIONS, zeros.to_vec())]
}

/// From now on the bits of this thread's first extension are what is wanted, after `before` others.
pub(crate) fn choose(deltas: volery_vole::cheats::Deltas, before: usize, wanted: Vec<bool>) {
    let mut wanted = Some([vec![false; before], wanted].concat());
    volery_vole::cheats::choose_bits(move |_| wanted.take().map(|wanted| (deltas.piece(0, 8), wanted)));
}

/// A generator for tests.
pub(crate) fn rng(seed: u64) -> impl CryptoRng {
    use rand_chacha::rand_core::SeedableRng as _;
    rand_chacha::ChaCha20Rng::seed_from_u64(seed)
}
