//! Both parties in two threads over real correlations, honest and not.

use proptest::prelude::*;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use volery_channel::{Limits, Stats, Tag, tags};
use volery_field::{Value, packed_bytes};
use volery_testing::{between, between_edited, rng, scripted, untouched};

use super::*;
use crate::correlations::{Chain, Generator, Pool, Profile, Source};
use crate::cot::{ProverParty, VerifierParty};
use crate::softspoken::{self, FieldBits};
use crate::{Delta, Prg};

const SESSION: SessionId = SessionId::new([5; 32]);

/// What a party has at the end: its shares, and what the preparation and the products cost it.
struct End<F> {
    shares: Vec<F>,
    preparation: Stats,
    online: Stats,
}

/// How the run is disturbed.
#[derive(Clone, Copy)]
struct Disturbed {
    /// What happens to frames that P sends, and to those that V sends.
    taps: [fn(Tag, &mut Vec<u8>); 2],
    /// The session that V believes in.
    session: SessionId,
}

const HONEST: Disturbed = Disturbed { taps: [untouched, untouched], session: SESSION };

type Ends<F> = [Result<End<F>, Error>; 2];

/// P's and V's shares of `x[i] * y[i]`.
fn run<F: OleField>(x: &[F], y: &[F], disturbed: Disturbed) -> Ends<F> {
    let (p, v) = between_edited(
        &Limits::default(),
        disturbed.taps.into(),
        |p| {
            let rng = &mut rng(1);
            let (delta, mut pool) = keys(p, rng)?;
            let mut ole = Sender::new(&SESSION, delta);
            let start = p.stats();
            ole.prepare(p, &mut pool, x.len(), rng)?;
            let prepared = p.stats();
            let shares = ole.multiply(p, x)?.to_vec();
            let end = End { shares, preparation: prepared - start, online: p.stats() - prepared };
            p.flush()?;
            assert_eq!(ole.prepared(), 0);
            Ok(end)
        },
        |v| {
            let rng = &mut rng(2);
            let mut pool = tags_of(v, rng)?;
            let mut ole = Receiver::new(&disturbed.session);
            let start = v.stats();
            ole.prepare(v, &mut pool, y.len(), rng)?;
            let prepared = v.stats();
            let shares = ole.multiply(v, y)?.to_vec();
            Ok(End { shares, preparation: prepared - start, online: v.stats() - prepared })
        },
    );
    [p, v]
}

/// P's delta, and keys under it.
fn keys(channel: &mut dyn Channel, rng: &mut ChaCha20Rng) -> Result<(Delta, Pool), Error> {
    let delta = Delta::random(rng);
    let extension = softspoken::Sender::setup(channel, &SESSION, FieldBits::Eight, delta.duplicate(), rng)?;
    let party = VerifierParty::new(SESSION, extension, delta.duplicate(), rng);
    Ok((delta, Pool::new(Box::new(Generator::new(party, Profile::Lan.plan(), None)))))
}

/// V's tags.
fn tags_of(channel: &mut dyn Channel, rng: &mut ChaCha20Rng) -> Result<Pool, Error> {
    let extension = softspoken::Receiver::setup(channel, &SESSION, FieldBits::Eight, rng)?;
    let party = ProverParty::new(SESSION, extension, rng);
    Ok(Pool::new(Box::new(Generator::new(party, Profile::Lan.plan(), None))))
}

fn shares<F: OleField>(x: &[F], y: &[F], disturbed: Disturbed) -> [Vec<F>; 2] {
    run(x, y, disturbed).map(|end| end.unwrap().shares)
}

/// Elements of every kind: the edges, then random ones.
fn elements<F: OleField>(n: usize, seed: u8) -> Vec<F> {
    let mut elements = vec![F::ZERO; n];
    Prg::new([seed; 16]).elements(&mut elements);
    let edges = [F::ZERO, F::ONE, -F::ONE, F::ONE.times_g(), -F::ONE.times_g()];
    elements.iter_mut().zip(edges).for_each(|(element, edge)| *element = edge);
    elements
}

/// The plain definition: the sum of `y`'s bits times powers of `g` times `x`.
fn from_bits<F: OleField>(y: F) -> F {
    let words = y.to_packed();
    let mut power = F::ONE;
    (0..F::BITS as usize).fold(F::ZERO, |sum, i| {
        let term = if words[i / 64] >> (i % 64) & 1 == 1 { power } else { F::ZERO };
        power = power.times_g();
        sum + term
    })
}

fn assert_products<F: OleField>(x: &[F], y: &[F], [p, v]: &[Vec<F>; 2]) {
    for (i, (x, y)) in x.iter().zip(y).enumerate() {
        assert!(p[i] + v[i] == *x * *y, "product {i} over {}", F::NAME);
    }
}

fn shares_of_every_pair_of_edges_and_of_random_elements_add_up<F: OleField>() {
    let edges = elements::<F>(5, 1);
    let mut x: Vec<F> = edges.iter().flat_map(|x| [*x; 5]).collect();
    let mut y: Vec<F> = edges.repeat(5);
    // More than two chunks, the last one not full.
    x.extend(elements::<F>(50, 2));
    y.extend(elements::<F>(50, 3));
    let shares = shares(&x, &y, HONEST);
    assert_products(&x, &y, &shares);
    // Neither party's share is the product.
    for (p, v) in shares[0].iter().zip(&shares[1]) {
        assert!(*p != F::ZERO && *v != F::ZERO);
    }
}

/// The bytes that V and P send to prepare `n` products, without frame headers and without those for the
/// correlations.
fn preparation_bytes<F: OleField>(n: usize) -> [usize; 2] {
    let bits = n * digits::<F>();
    [bits.div_ceil(8), packed_bytes::<F>(bits)]
}

#[test]
fn shares_add_up_to_the_products() {
    shares_of_every_pair_of_edges_and_of_random_elements_add_up::<P256Base>();
    shares_of_every_pair_of_edges_and_of_random_elements_add_up::<Curve25519Base>();
    shares_of_every_pair_of_edges_and_of_random_elements_add_up::<Gf128>();
    shares_of_every_pair_of_edges_and_of_random_elements_add_up::<F130>();
}

#[test]
fn bits_times_powers_of_g_are_the_element() {
    for y in elements::<P256Base>(20, 4) {
        assert_eq!(from_bits(y), y);
    }
    for y in elements::<Curve25519Base>(20, 4) {
        assert_eq!(from_bits(y), y);
    }
    for y in elements::<Gf128>(20, 4) {
        assert_eq!(from_bits(y), y);
    }
    for y in elements::<F130>(20, 4) {
        assert_eq!(from_bits(y), y);
    }
    assert!(P256Base::from_u64(7).times_g() == P256Base::from_u64(14));
    assert!(Gf128::from_bits(1 << 127).times_g() == Gf128::from_bits(0x87));
}

fn costs<F: OleField>(n: usize) -> [[Stats; 2]; 2] {
    let ends = run(&elements::<F>(n, 5), &elements::<F>(n, 6), HONEST);
    ends.map(|end| end.map(|end| [end.preparation, end.online]).unwrap())
}

#[test]
fn five_products_over_z_p_cost_what_the_documentation_says() {
    let [[p_before, p_online], [v_before, v_online]] = costs::<P256Base>(5);
    let [choices, products] = preparation_bytes::<P256Base>(5).map(|bytes| bytes as u64 + 5);
    assert_eq!(products, 5 * 8192 + 5);
    assert_eq!(p_before.bytes_sent, products);
    let correlations = FieldBits::Eight.extension_bytes(5 * 256) as u64;
    // Frame headers of five bytes.
    assert_eq!(v_before.bytes_sent, choices + correlations + 5);
    assert_eq!((p_online.bytes_sent, v_online.bytes_sent), (5 * 32 + 5, 5 * 32 + 5));
    assert_eq!((v_before.round_trips, v_online.round_trips), (1, 1));
    // An element has 255 bits.
    assert_eq!(preparation_bytes::<Curve25519Base>(5), [5 * 32, 5 * 8160]);
}

/// P answers one request after the other, V asks for all before it reads an answer.
#[test]
fn products_over_several_fields_are_prepared_in_one_round_trip() {
    let count = 2 * correlations::<P256Base>(3).unwrap() + correlations::<Gf128>(4).unwrap();
    let (prover, (trips, verifier)) = between(
        |p| {
            let rng = &mut rng(1);
            let (delta, mut pool) = keys(p, rng).unwrap();
            let mut one = Sender::<P256Base>::new(&SESSION, delta.duplicate());
            let mut two = Sender::<Curve25519Base>::new(&SESSION, delta.duplicate());
            let mut three = Sender::<Gf128>::new(&SESSION, delta);
            pool.prepare(p, count).unwrap();
            one.prepare(p, &mut pool, 3, rng).unwrap();
            two.prepare(p, &mut pool, 3, rng).unwrap();
            three.prepare(p, &mut pool, 4, rng).unwrap();
            let shares = (one.multiply(p, &elements(3, 5)), two.multiply(p, &elements(3, 5)));
            (shares.0.unwrap(), shares.1.unwrap(), three.multiply(p, &elements(4, 5)).unwrap())
        },
        |v| {
            let rng = &mut rng(2);
            let mut pool = tags_of(v, rng).unwrap();
            let mut one = Receiver::<P256Base>::new(&SESSION);
            let mut two = Receiver::<Curve25519Base>::new(&SESSION);
            let mut three = Receiver::<Gf128>::new(&SESSION);
            pool.prepare(v, count).unwrap();
            let before = v.stats();
            let first = one.request(v, &mut pool, 3, rng).unwrap();
            let again = one.prepare(v, &mut pool, 3, rng);
            assert!(matches!(again, Err(Error::Misuse(_))), "what was asked for has not come");
            let second = two.request(v, &mut pool, 3, rng).unwrap();
            let third = three.request(v, &mut pool, 4, rng).unwrap();
            one.receive(v, first).unwrap();
            two.receive(v, second).unwrap();
            three.receive(v, third).unwrap();
            let trips = (v.stats() - before).round_trips;
            let shares = (one.multiply(v, &elements(3, 6)), two.multiply(v, &elements(3, 6)));
            let shares = (shares.0.unwrap(), shares.1.unwrap(), three.multiply(v, &elements(4, 6)).unwrap());
            (trips, shares)
        },
    );
    assert_eq!(trips, 1);
    assert_products(&elements(3, 5), &elements(3, 6), &[prover.0.to_vec(), verifier.0.to_vec()]);
    assert_products(&elements(3, 5), &elements(3, 6), &[prover.1.to_vec(), verifier.1.to_vec()]);
    assert_products(&elements(4, 5), &elements(4, 6), &[prover.2.to_vec(), verifier.2.to_vec()]);
}

#[test]
fn a_product_over_gf128_costs_two_kib() {
    assert_eq!(preparation_bytes::<Gf128>(1), [16, 2048]);
    let [[p_before, _], [v_before, _]] = costs::<Gf128>(130);
    assert!(p_before.bytes_sent < 130 * 2048 + 100, "{} bytes", p_before.bytes_sent);
    assert!(v_before.bytes_sent < 130 * (16 + 270), "{} bytes", v_before.bytes_sent);
}

/// Three chunks, so that their messages end in whole bytes.
#[test]
fn a_product_modulo_poly1305_s_prime_costs_2210_bytes() {
    assert_eq!(preparation_bytes::<F130>(1), [17, 2210]);
    let [[p_before, p_online], [v_before, _]] = costs::<F130>(70);
    assert_eq!(p_before.bytes_sent, 70 * 2210 + 3 * 5);
    assert!(v_before.bytes_sent < 70 * (17 + 287), "{} bytes", v_before.bytes_sent);
    assert_eq!(p_online.bytes_sent, (70 * 130_u64).div_ceil(8) + 5);
}

#[test]
fn random_products_are_used_once_and_only_as_many_as_there_are() {
    let mut products = products::Products::<Gf128>::new();
    let own =
        |n: u128| products::ProductShare { factor: Gf128::from_bits(n), share: Gf128::from_bits(n << 64) };
    products.append(&[own(1), own(2)]);
    let first = products.begin(&[Gf128::ZERO], products::Corrects::ByRandom).unwrap();
    products.append(&[own(3)]);
    assert_eq!(products.len(), 2);
    let too_many = products.begin(&[Gf128::ZERO; 3], products::Corrects::ByRandom);
    assert!(matches!(too_many.err(), Some(Error::Misuse(_))));
    let rest = products.begin(&[Gf128::ZERO; 2], products::Corrects::ByRandom).unwrap();
    let corrections = [first.corrections(), rest.corrections()].concat();
    assert_eq!(corrections, [1, 2, 3].map(Gf128::from_bits));
    assert!(products.begin(&[Gf128::ZERO], products::Corrects::ByRandom).is_err());
    let error = rest.finish(&[Gf128::ZERO]).unwrap_err();
    assert!(matches!(error, Error::Malformed { step: OLE_CORRECTIONS, .. }), "{error}");
}

#[test]
fn too_many_products_in_one_call_are_refused_before_anything_is_allocated() {
    assert!(matches!(correlations::<P256Base>(MAX_CORRELATIONS / 256 + 1), Err(Error::Misuse(_))));
    assert!(matches!(correlations::<Gf128>(usize::MAX), Err(Error::Misuse(_))));
    assert_eq!(correlations::<Gf128>(MAX_CORRELATIONS / 128), Ok(MAX_CORRELATIONS));
}

#[test]
fn parties_of_different_sessions_get_nothing_in_common() {
    let (x, y) = (elements::<Gf128>(8, 7), elements::<Gf128>(8, 8));
    let other = Disturbed { session: SessionId::new([6; 32]), ..HONEST };
    let [p, v] = shares(&x, &y, other);
    assert!((0..8).all(|i| p[i] + v[i] != x[i] * y[i]));
}

/// A machine in between: whoever does not hold the correlations can destroy products, not steer them.
#[test]
fn a_choice_that_is_flipped_on_its_way_turns_its_product_into_noise() {
    fn flip(tag: Tag, payload: &mut Vec<u8>) {
        if tag == tags::OLE_CHOICES {
            payload[16 + 9] ^= 1 << 3;
        }
    }
    let (x, y) = (elements::<Gf128>(8, 7), elements::<Gf128>(8, 8));
    let [p, v] = shares(&x, &y, Disturbed { taps: [untouched, flip], ..HONEST });
    for i in 0..8 {
        assert_eq!(p[i] + v[i] == x[i] * y[i], i != 1);
    }
}

/// Keys and tags of `n` correlations that a dealer made.
fn dealt(n: usize, delta: &Delta, seed: u8) -> [Vec<Gf128>; 2] {
    let mut tags = vec![Gf128::ZERO; n];
    Prg::new([seed; 16]).blocks(&mut tags);
    let keys = tags.iter().map(|tag| if tag.lsb().to_bool() { *tag + delta.expose() } else { *tag });
    [keys.collect(), tags]
}

/// Pads of equal correlations differ, or P's messages would show differences of its factor's multiples, and
/// V's pads would cancel. In one call and in the next, in both directions.
#[test]
fn no_two_correlations_of_a_session_have_the_same_pads() {
    fn check<F: OleField>() {
        let bits = digits::<F>();
        let zero = products::ProductShare { factor: F::ZERO, share: F::ZERO };
        let (mut p, mut v) =
            (Sender::<F>::new(&SESSION, Delta::from_element(Gf128::X)), Receiver::<F>::new(&SESSION));
        let (mut elements, mut shares) = (Vec::new(), Vec::new());
        for _ in 0..2 {
            let (mut a, mut b) = ([zero; 2], [zero; 2]);
            // Nothing but pads: the factors are zero, and so are the choices.
            let message = p.products(&mut a, &vec![Gf128::ONE; 2 * bits], &vec![0; 2 * bits / 8]);
            elements.extend(unpack_elements::<F>(&message, 2 * bits).unwrap());
            v.sums(&mut b, &vec![Gf128::ONE; 2 * bits], &vec![F::ZERO; 2 * bits]);
            shares.extend(b.map(|own| own.share));
            // V's pads are those that P chose.
            assert!((0..2).all(|i| a[i].share + b[i].share == F::ZERO), "{}", F::NAME);
        }
        for list in [elements, shares] {
            let mut packed: Vec<_> = list.iter().map(|x| x.to_packed()).collect();
            packed.sort_unstable();
            packed.dedup();
            assert_eq!(packed.len(), list.len(), "{}", F::NAME);
        }
    }
    check::<Gf128>();
    check::<P256Base>();
    check::<Curve25519Base>();
    check::<F130>();
}

/// A cheating P, as figure 6 of the paper allows it: `e_i` added to the message of bit `i` adds the sum of
/// `b_i e_i`.
fn errors_count_where_the_receivers_random_bit_is_one<F: OleField>(errors: &[(usize, F)], seed: u8) {
    let bits = digits::<F>();
    let delta = Delta::from_element(Gf128::from_bits(u128::MAX / 7));
    let [keys, tags] = dealt(2 * bits, &delta, seed);
    let (mut p, mut v) = (Sender::<F>::new(&SESSION, delta), Receiver::<F>::new(&SESSION));
    let shares = |seed| -> Vec<products::ProductShare<F>> {
        let factors = elements::<F>(7, seed);
        factors[5..].iter().map(|factor| products::ProductShare { factor: *factor, share: F::ZERO }).collect()
    };
    let (mut a, mut b) = (shares(seed ^ 1), shares(seed ^ 2));
    let message = p.products(&mut a, &keys, &receiver::choices(&b, &tags));
    let mut products: Vec<F> = unpack_elements(&message, 2 * bits).unwrap();
    let mut expected = [0, 1].map(|i| a[i].factor * b[i].factor);
    for (place, error) in errors {
        let (product, bit) = (place / bits % 2, place % bits);
        products[product * bits + bit] += *error;
        if b[product].factor.to_packed()[bit / 64] >> (bit % 64) & 1 == 1 {
            expected[product] += *error;
        }
    }
    v.sums(&mut b, &tags, &products);
    for i in 0..2 {
        assert!(a[i].share + b[i].share == expected[i], "product {i} over {}", F::NAME);
    }
}

#[test]
fn a_wrong_correction_shifts_the_sum_by_a_multiple_of_the_peers_factor() {
    fn add_one(tag: Tag, payload: &mut Vec<u8>) {
        if tag == OLE_CORRECTIONS {
            payload[0] ^= 1;
        }
    }
    let (x, y) = (vec![Gf128::from_bits(77)], vec![Gf128::from_bits(99)]);
    let [p, v] = shares(&x, &y, Disturbed { taps: [add_one, untouched], ..HONEST });
    assert_eq!(p[0] + v[0], (x[0] + Gf128::ONE) * y[0]);
}

/// The step whose message each party refuses.
fn refused<F: OleField>(ends: Ends<F>) -> [Option<Tag>; 2] {
    ends.map(|end| match end {
        Err(Error::Malformed { step, .. }) => Some(step),
        Err(Error::Channel(volery_channel::Error::WrongLength { step, .. })) => Some(step),
        Err(Error::Channel(volery_channel::Error::TooLong { step, .. })) => Some(step),
        _ => None,
    })
}

#[test]
fn messages_of_wrong_length_and_elements_above_the_prime_are_refused() {
    fn cut(tag: Tag, payload: &mut Vec<u8>) {
        if matches!(tag, tags::OLE_CHOICES | tags::OLE_PRODUCTS) {
            payload.pop();
        }
    }
    fn grow_corrections(tag: Tag, payload: &mut Vec<u8>) {
        if tag == OLE_CORRECTIONS {
            payload.push(0);
        }
    }
    fn above_the_prime(tag: Tag, payload: &mut Vec<u8>) {
        if matches!(tag, tags::OLE_PRODUCTS | OLE_CORRECTIONS) {
            payload[32..64].fill(0xff);
        }
    }
    let (x, y) = (elements::<P256Base>(3, 11), elements::<P256Base>(3, 12));
    let run = |taps| refused(run(&x, &y, Disturbed { taps, ..HONEST }));
    assert_eq!(run([cut, untouched])[1], Some(tags::OLE_PRODUCTS));
    assert_eq!(run([untouched, cut])[0], Some(tags::OLE_CHOICES));
    assert_eq!(run([grow_corrections, untouched])[1], Some(OLE_CORRECTIONS));
    assert_eq!(run([untouched, grow_corrections])[0], Some(OLE_CORRECTIONS));
    assert_eq!(run([above_the_prime, untouched])[1], Some(tags::OLE_PRODUCTS));
    assert_eq!(run([untouched, above_the_prime])[0], Some(OLE_CORRECTIONS));
    // The first element of 130 bits that is not below 2^130 - 5.
    fn modulus(tag: Tag, payload: &mut Vec<u8>) {
        if matches!(tag, tags::OLE_PRODUCTS | OLE_CORRECTIONS) {
            payload[..17].fill(0xff);
            payload[0] = 0xfb;
        }
    }
    let (x, y) = (elements::<F130>(3, 11), elements::<F130>(3, 12));
    let run = |taps| refused(self::run(&x, &y, Disturbed { taps, ..HONEST }));
    assert_eq!(run([modulus, untouched])[1], Some(tags::OLE_PRODUCTS));
    assert_eq!(run([untouched, modulus])[0], Some(OLE_CORRECTIONS));
}

/// Correlations from nowhere.
struct Nothing;

impl Source for Nothing {
    fn refill(&mut self, _: &mut dyn Channel, out: &mut Vec<Gf128>) -> Result<(), Error> {
        out.resize(512, Gf128::ONE);
        Ok(())
    }

    fn may_wait(&self) -> bool {
        false
    }

    fn chain(&mut self, _channel: &mut dyn Channel, _taken: u64) -> Result<Chain, Error> {
        Ok(Chain::from_bytes([0xd7; 32]))
    }
}

/// What `party` says to a peer that sends these messages whatever it hears.
fn against<T>(
    messages: &[(Tag, Vec<u8>)],
    party: impl FnOnce(&mut dyn Channel) -> Result<T, Error>,
) -> Result<T, Error> {
    let (mut channel, _peer) = scripted(messages);
    party(&mut channel)
}

fn sender_against<F: OleField>(messages: &[(Tag, Vec<u8>)]) -> Result<Vec<F>, Error> {
    against(messages, |channel| {
        let mut ole = Sender::new(&SESSION, Delta::from_element(Gf128::X));
        ole.prepare(channel, &mut Pool::new(Box::new(Nothing)), 2, &mut ChaCha20Rng::seed_from_u64(1))?;
        Ok(ole.multiply(channel, &[F::ONE; 2])?.to_vec())
    })
}

fn receiver_against<F: OleField>(messages: &[(Tag, Vec<u8>)]) -> Result<Vec<F>, Error> {
    against(messages, |channel| {
        let mut ole = Receiver::new(&SESSION);
        ole.prepare(channel, &mut Pool::new(Box::new(Nothing)), 2, &mut ChaCha20Rng::seed_from_u64(1))?;
        Ok(ole.multiply(channel, &[F::ONE; 2])?.to_vec())
    })
}

#[test]
fn after_a_failed_preparation_a_party_prepares_nothing_more() {
    let error = against(&[], |channel| {
        let mut ole = Sender::<Gf128>::new(&SESSION, Delta::from_element(Gf128::X));
        let mut pool = Pool::new(Box::new(Nothing));
        let rng = &mut ChaCha20Rng::seed_from_u64(1);
        assert!(matches!(ole.prepare(channel, &mut pool, 2, rng), Err(Error::Channel(_))));
        assert_eq!(ole.prepared(), 0);
        ole.prepare(channel, &mut pool, 2, rng)
    });
    assert!(matches!(error, Err(Error::Misuse(_))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn the_senders_errors_are_those_of_the_functionality(
        errors in prop::collection::vec((0..512_usize, any::<u64>()), 0..40), seed: u8,
    ) {
        let over_z_p: Vec<_> = errors.iter().map(|(i, e)| (*i, P256Base::from_u64(*e))).collect();
        errors_count_where_the_receivers_random_bit_is_one(&over_z_p, seed);
        let over_another: Vec<_> = errors.iter().map(|(i, e)| (*i, Curve25519Base::from_u64(*e))).collect();
        errors_count_where_the_receivers_random_bit_is_one(&over_another, seed);
        let binary: Vec<_> = errors.iter().map(|(i, e)| (*i, Gf128::from_bits(u128::from(*e) << 31))).collect();
        errors_count_where_the_receivers_random_bit_is_one(&binary, seed);
        let modulo_q: Vec<_> = errors.iter().map(|(i, e)| (*i, F130::from_u128(u128::from(*e) << 40))).collect();
        errors_count_where_the_receivers_random_bit_is_one(&modulo_q, seed);
    }

    /// Whatever the peer says instead of its two messages: an error or shares, nothing else.
    #[test]
    fn no_message_makes_a_party_panic(
        exact: [bool; 2], first in prop::collection::vec(any::<u8>(), 0..300), second in prop::collection::vec(any::<u8>(), 0..80),
    ) {
        let with_length = |i: usize, bytes: &[u8], length: usize| {
            let mut bytes = bytes.to_vec();
            if exact[i] { bytes.resize(length, 7) }
            bytes
        };
        let choices = (tags::OLE_CHOICES, with_length(0, &first, 2 * 16));
        let last = (OLE_CORRECTIONS, with_length(1, &second, 2 * 16));
        let sent = sender_against::<Gf128>(&[choices, last.clone()]);
        prop_assert!(sent.is_ok() || !(exact[0] && exact[1]));
        let products = (tags::OLE_PRODUCTS, with_length(0, &first, 2 * 2048));
        let received = receiver_against::<Gf128>(&[products, last]);
        prop_assert!(received.is_ok() || !(exact[0] && exact[1]));
        let _ = sender_against::<P256Base>(&[(tags::OLE_CHOICES, first.clone()), (OLE_CORRECTIONS, second.clone())]);
        let _ = receiver_against::<P256Base>(&[(tags::OLE_PRODUCTS, with_length(0, &first, 2 * 8192)), (OLE_CORRECTIONS, second)]);
    }

    #[test]
    fn products_of_any_number_of_factors_hold(n in 0_usize..70, seed: u8) {
        let (x, y) = (elements::<Gf128>(n, seed), elements::<Gf128>(n, seed.wrapping_add(1)));
        assert_products(&x, &y, &shares(&x, &y, HONEST));
    }
}
