//! False statements over a field, and over bits and a field.

use volery_channel::tags;
use volery_circuit::{Convert, Digest, Ops, Prove, Statement};
use volery_field::{F2, F61, Field as _, Gf128, Ring as _, pack_elements, packed_bytes};
use volery_testing::coefficients_of_products;
use volery_testing::deal;
use volery_vole::{Prg, Transcript};
use volery_zk::Error;
use volery_zk::quicksilver::field::{self, Alone};
use volery_zk::quicksilver::mixed::{self, Tallies};
use volery_zk::quicksilver::{self, Challenges, Tally};

use super::{
    Batches, Belief, OPENING, assertions, counts, judged, keys_of, keys_of_bits, nothing_but_the_chain_stops,
    transcript,
};

/// "I know x = 0, y and y' with x y = 1." There is a product besides.
struct False;

impl<B: Prove<F61>> Statement<B> for False {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"zero is one");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let secrets = b.secret(3, &mut |_| Ok(vec![F61::ZERO; 3]))?;
        let z = b.mul(&secrets[0], &secrets[1])?;
        b.mul(&secrets[0], &secrets[2])?;
        let wrong = b.add_constant(&z, -F61::ONE);
        b.assert_zero(&[secrets[0].clone(), wrong])
    }
}

/// The coefficients of a block's relations of degree 2.
fn coefficients(seed: [u8; 16], n: usize) -> Vec<F61> {
    let mut hasher = blake3::Hasher::new_derive_key("volery 2026 quicksilver relations v1");
    hasher.update(&seed).update(&2_u64.to_le_bytes());
    let mut seed = [0; 16];
    hasher.finalize_xof().fill(&mut seed);
    let mut chi = vec![F61::ZERO; n];
    Prg::new(seed).coefficients(&mut chi);
    chi
}

/// The opening of a block whose tags and mask are zero, with these counts.
fn opening(tally: [u64; 4]) -> Vec<u8> {
    [vec![0; OPENING], counts(tally)].concat()
}

/// So many elements, all zero, in a frame.
fn zeros(n: usize) -> Vec<u8> {
    vec![0; packed_bytes::<F61>(n)]
}

fn forged(batch: usize, belief: Belief) -> Result<Tally, Error> {
    let batches = Batches { name: "elements", len: batch };
    let mut plan = transcript("field");
    plan.absorb(tags::ELEMENTS.name(), &zeros(5));
    let chi = coefficients(batches.seed(&mut plan, 6, belief), 2);
    // chi_0 (x y - z) + chi_1 (x y' - z') = 0 for x = 0, z = 1.
    let z = -chi[0] * chi[1].inverse().expect("not zero");
    let values = [F61::ZERO, F61::ZERO, F61::ZERO, F61::ONE, z];
    let messages = [
        (tags::ELEMENTS, zeros(5)),
        (tags::ELEMENTS_OPENING, opening([3, 2, 2, 0])),
        (tags::ELEMENTS_ASSERTIONS, assertions(2 * 8)),
    ];
    let (mut pool, delta) = (batches.pool(keys_of(&values)), deal::field_delta::<F61, F61>());
    judged(&messages, |channel| {
        let settings = field::Settings { interval: 1 << 17 };
        let challenges = Challenges::FiatShamir(transcript("field"));
        field::Verifier::<F61, F61>::new(settings, challenges, &delta, &mut pool, Alone(channel))
            .verify(&False)
    })
}

#[test]
fn forgery_of_a_proof_over_a_field() {
    nothing_but_the_chain_stops(|belief| forged(100, belief));
}

#[test]
fn forgery_in_the_second_batch_of_elements() {
    // The last element alone is of the second one.
    nothing_but_the_chain_stops(|belief| forged(4, belief));
}

/// "I know a bit that is 0, and as an element 1."
struct Torn;

impl<B: Prove<F2> + Convert<F61>> Statement<B> for Torn {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"a bit of two minds");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let bits = Prove::<F2>::secret(b, 1, &mut |_| Ok(vec![F2::ZERO]))?;
        let elements = b.convert_bits(&bits)?;
        Prove::<F2>::assert_zero(b, &bits)?;
        let wrong = Ops::<F61>::add_constant(b, &elements[0], -F61::ONE);
        Prove::<F61>::assert_zero(b, &[wrong])
    }
}

/// The number of sets of conversions in a check.
const SETS: usize = 64;

/// What the parts agreed on before they know the sets: the masks and elements, the seed of the sets and the
/// transcript of the bits.
struct Before {
    masks: Vec<u8>,
    first: Vec<u8>,
    committed: Vec<u8>,
    parities: Vec<bool>,
    sent: Transcript,
}

const POOLS: [Batches; 2] = [Batches { name: "bits", len: 1000 }, Batches { name: "elements", len: 1000 }];

/// What a forger of a mixed proof takes the sets of conversions to depend on.
#[derive(Clone, Copy)]
struct Foresight {
    /// The chain of the bits, where what they sent is handed to the field's part.
    bits: Belief,
    /// The same chain in the last opening of bits.
    bits_later: Belief,
    /// The chain of the elements.
    elements: Belief,
    /// Whether what the bits sent enters the field's transcript.
    sent: bool,
}

/// A forger that knows everything beforehand.
const KNOWN: Foresight =
    Foresight { bits: Belief::Truth, bits_later: Belief::Truth, elements: Belief::Truth, sent: true };

/// The parities of the sets of the only conversion, `1` for each set that has it, as a forger foresees them.
/// Nothing is masked; the element of the conversion is what its correlation holds.
fn foreseen(foresight: Foresight) -> Before {
    let [bits, elements] = POOLS;
    let masks = vec![0; (1 + SETS).div_ceil(8)];
    let mut sent = transcript("bits");
    sent.absorb(tags::MASKS.name(), &masks);
    let digest = bits.seed(&mut sent, 1 + SETS, foresight.bits);
    let (first, committed) = (opening([65, 0, 1, 65]), zeros(1 + SETS));
    let mut plan = transcript("field");
    plan.absorb(tags::ELEMENTS.name(), &committed);
    elements.seed(&mut plan, 2 + SETS, foresight.elements);
    plan.absorb(tags::ELEMENTS_OPENING.name(), &first);
    if foresight.sent {
        plan.absorb(tags::MASKS.name(), &digest);
    }
    let mut sets = vec![0; SETS];
    Prg::new(elements.seed(&mut plan, 2 + SETS, foresight.elements)).bytes(&mut sets);
    let parities = sets.iter().map(|choice| choice & 1 == 1).collect();
    Before { masks, first, committed, parities, sent }
}

/// What V says to a proof of [`Torn`] with these correlations, messages of the field's part after the sets
/// are known, and opening of bits.
fn judged_link(
    before: Before,
    bits: &[bool],
    values: &[F61],
    digits: Vec<u8>,
    shown: Vec<u8>,
    of_bits: Vec<u8>,
) -> Result<Tallies, Error> {
    let messages = [
        (tags::MASKS, before.masks),
        (tags::ELEMENTS, before.committed),
        (tags::ELEMENTS_OPENING, before.first),
        (tags::ELEMENTS, digits),
        (tags::PARITIES, shown),
        (tags::ELEMENTS_OPENING, opening([129, 0, 129, 129])),
        (tags::ELEMENTS_ASSERTIONS, assertions(8 * 129)),
        (tags::CHECK_OPENING, [of_bits, counts([65, 0, 65])].concat()),
        (tags::ASSERTIONS, assertions(16 * 65)),
    ];
    let (mut bit_pool, bit_delta) = (POOLS[0].pool(keys_of_bits(bits)), deal::delta());
    let (mut pool, delta) = (POOLS[1].pool(keys_of(values)), deal::field_delta::<F61, F61>());
    judged(&messages, |channel| {
        let (settings, challenges) =
            (quicksilver::bits::Settings { interval: 1 << 17 }, Challenges::FiatShamir(transcript("bits")));
        let part =
            quicksilver::bits::Verifier::new(settings, challenges, &bit_delta, &mut bit_pool, channel, None);
        let (settings, challenges) =
            (field::Settings { interval: 1 << 17 }, Challenges::FiatShamir(transcript("field")));
        let field = field::Verifier::<F61, F61, _>::new(settings, challenges, &delta, &mut pool, part);
        mixed::Verifier::new(field).verify(&Torn)
    })
}

/// The field's part chooses the elements that mask parities once it knows the sets: where the conversion
/// is in a set, another bit than in the Boolean part, whose correlations were fixed long before.
fn forged_elements(foresight: Foresight) -> Result<Tallies, Error> {
    let before = foreseen(foresight);
    let parities = before.parities.iter().map(|odd| F61::new(u64::from(*odd)));
    // The element, the masks, what masks the opening, and each sum's only digit.
    let mut values = vec![F61::ONE];
    values.extend(parities.clone());
    values.push(F61::ZERO);
    values.extend(parities);
    judged_link(before, &[], &values, zeros(SETS), vec![0; SETS / 8], vec![0; 32])
}

/// The Boolean part does so with its bits. Digits are sent, since no element was chosen, and so are the
/// parities, which are the masks' bits.
fn forged_bits(foresight: Foresight) -> Result<Tallies, Error> {
    let mut before = foreseen(foresight);
    let parities = before.parities.clone();
    let digits = Vec::from_iter(parities.iter().map(|odd| F61::new(u64::from(*odd))));
    let mut sent = Vec::new();
    pack_elements(&digits, &mut sent);
    let shown =
        parities.chunks(8).map(|bits| bits.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit)));
    // By now the correlations are made, and V's bytes known to everybody; but a V that leaves them out is to
    // be believed.
    let chi = coefficients_of_products(
        POOLS[0].seed(&mut before.sent, 1 + SETS + 128, foresight.bits_later),
        1,
        SETS,
    );
    let ones =
        chi.iter().zip(&parities).filter(|(_, bit)| **bit).fold(Gf128::ZERO, |sum, (chi, _)| sum + *chi);
    let bits = [&[false], &parities[..]].concat();
    judged_link(before, &bits, &[F61::ONE], sent, shown.collect(), [ones.to_bytes(); 2].concat())
}

fn refused(result: &Result<Tallies, Error>) {
    assert!(matches!(result, Err(Error::Rejected { .. })), "{result:?}");
}

#[test]
fn forgery_of_a_mixed_proof_whose_last_batch_is_the_field_s() {
    // Who leaves out the chain of elements knows that of bits.
    nothing_but_the_chain_stops(|elements| forged_elements(Foresight { elements, ..KNOWN }));
}

#[test]
fn forgery_of_a_mixed_proof_whose_last_batch_is_of_bits() {
    nothing_but_the_chain_stops(|bits| forged_bits(Foresight { bits, ..KNOWN }));
}

#[test]
fn forgery_of_a_mixed_proof_that_leaves_the_chain_of_bits_out_everywhere() {
    refused(&forged_bits(Foresight { bits: Belief::None, bits_later: Belief::None, ..KNOWN }));
}

#[test]
fn forgery_of_a_mixed_proof_whose_sets_do_not_depend_on_the_bits() {
    // All of the field's part is fixed, its chain known: its challenge alone would give the sets, and the
    // bits would come after them.
    refused(&forged_bits(Foresight { sent: false, ..KNOWN }));
}
