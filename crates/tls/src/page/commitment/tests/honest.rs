//! What honest parties end with.

use curve25519_dalek::constants::RISTRETTO_BASEPOINT_POINT;
use curve25519_dalek::scalar::Scalar;
use proptest::prelude::*;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use volery_channel::tags::GOODBYE;
use volery_field::Gf128;
use volery_testing::untouched;
use volery_vole::correlations::{Generator, Pool, Profile};
use volery_vole::cot::{ProverParty, VerifierParty};
use volery_vole::softspoken::{FieldBits, Receiver, Sender};

use super::super::pedersen::BLINDING;
use super::super::*;
use super::parties::{between, bits, delta, plain_value, run};
use crate::testing::{SESSION, hex};
use crate::wire::prf::Side;

fn place(length: u64, form: Form) -> Place {
    Place { side: Side::Server, start: 7, length, form }
}

/// `H`, computed after RFC 9496, section 4.3.4, by a few lines of Python from the SHA-512 hash of the domain.
#[test]
fn the_generator_of_blindings_is_pinned() {
    let expected = hex("3401f2c6adfd26422d7adcde5bd56d6abe223223e00feb00f0bcd1bd85790a28");
    assert_eq!(BLINDING.compress().as_bytes()[..], expected);
}

#[test]
fn both_parties_have_the_same_commitments_and_they_open_to_the_payload() {
    let text = b"HTTP/1.1 200 OK\r\n\r\n{\"balance\": 12345, \"name\": \"a long enough one\"}";
    let place = place(text.len() as u64, Form::Bytes);
    let layout = Layout::of_places(&[place]).unwrap();
    let (p, v) = run(&layout, &bits(text), [untouched; 2]);
    let (p, v) = (p.unwrap(), v.unwrap());
    assert_eq!(p.commitments, v);
    let opened: Vec<u8> = place
        .chunks()
        .zip(&p.openings)
        .flat_map(|(bytes, opening)| opening.bytes(bytes).unwrap().to_vec())
        .collect();
    assert_eq!(opened, text);
    assert!(p.openings.iter().zip(&v).all(|(opening, commitment)| opening.commitment() == *commitment));
}

#[test]
fn three_round_trips_and_32_bytes_a_bit() {
    let layout = Layout::of_places(&[place(1024, Form::Bytes)]).unwrap();
    let stats = run(&layout, &bits(&[0x5a; 1024]), [untouched; 2]).0.unwrap().stats;
    // The first wait is for V's first message.
    assert!(stats.round_trips <= 3, "{}", stats.round_trips);
    let differences = 32 * (8 * 1024 + VALUE_BITS as u64);
    assert!((differences..differences + 400).contains(&stats.bytes_received), "{}", stats.bytes_received);
    assert!(stats.bytes_sent < 32 * (34 + 1) + 300, "{}", stats.bytes_sent);
}

/// Not only a dealer's: base OT, OT extension, and the payload's bits from the same generator.
#[test]
fn real_correlations_do() {
    let layout = Layout::new(&[252, 64, 1]).unwrap();
    let (p, v) = between(
        [untouched; 2],
        |channel| {
            let rng = &mut ChaCha20Rng::seed_from_u64(11);
            let extension = Receiver::setup(channel, &SESSION, FieldBits::Eight, rng).unwrap();
            let party = ProverParty::new(SESSION, extension, rng);
            let mut pool = Pool::new(Box::new(Generator::new(party, Profile::Lan.plan(), None)));
            let mut tags = vec![Gf128::default(); layout.bits()];
            pool.fill(channel, &mut tags).unwrap();
            let prover = Prover::commit(channel, &mut pool, &SESSION, &layout, &tags, rng).unwrap();
            let openings = prover.open(channel, pool).unwrap();
            channel.send(GOODBYE, &[]).unwrap();
            channel.flush().unwrap();
            (tags, openings)
        },
        |channel| {
            let rng = &mut ChaCha20Rng::seed_from_u64(12);
            let extension = Sender::setup(channel, &SESSION, FieldBits::Eight, delta(), rng).unwrap();
            let party = VerifierParty::new(SESSION, extension, delta(), rng);
            let mut pool = Pool::new(Box::new(Generator::new(party, Profile::Lan.plan(), None)));
            let mut keys = vec![Gf128::default(); layout.bits()];
            pool.fill(channel, &mut keys).unwrap();
            let verifier =
                Verifier::receive(channel, &mut pool, &delta(), &SESSION, &layout, &keys, rng).unwrap();
            let commitments = verifier.reveal(channel, delta(), pool).unwrap();
            channel.recv(GOODBYE, 0).unwrap();
            commitments
        },
    );
    let (tags, openings) = p;
    let bits: Vec<bool> = tags.iter().map(|tag| tag.to_bits() & 1 == 1).collect();
    for (opening, (span, commitment)) in openings.iter().zip(layout.spans().into_iter().zip(&v)) {
        assert_eq!(opening.commitment(), *commitment);
        assert_eq!(opening.value, plain_value(&bits[span]));
    }
    assert_eq!(v.len(), 3);
}

#[test]
fn layouts_that_no_scalar_can_hold_are_refused() {
    for widths in [&[][..], &[0], &[253], &[8, usize::MAX]] {
        assert!(Layout::new(widths).is_err(), "{widths:?}");
    }
    assert!(Layout::new(&vec![1; MAX_VALUES + 1]).is_err());
    for (length, form) in [
        (0, Form::Bytes),
        (u64::MAX, Form::Bytes),
        (31 << 16 | 1, Form::Bytes),
        (0, Form::Number),
        (20, Form::Number),
    ] {
        assert!(Layout::of_places(&[place(length, form)]).is_err(), "{length} {form:?}");
    }
    assert!(Layout::of_places(&[]).is_err());
    assert!(Layout::of_places(&[place(1, Form::Number); MAX_VALUES + 1]).is_err());
}

#[test]
fn a_place_has_values_of_31_bytes_and_a_rest_or_one_of_a_number() {
    for (length, form, bits) in [
        (1, Form::Bytes, &[8][..]),
        (31, Form::Bytes, &[248]),
        (62, Form::Bytes, &[248, 248]),
        (63, Form::Bytes, &[248, 248, 8]),
        (1, Form::Number, &[64]),
        (19, Form::Number, &[64]),
    ] {
        let place = place(length, form);
        assert_eq!(Layout::of_places(&[place]), Layout::new(bits));
        assert_eq!(place.values(), bits.len() as u64);
    }
    let both = [place(32, Form::Bytes), place(5, Form::Number)];
    assert_eq!(Layout::of_places(&both), Layout::new(&[248, 8, 64]));
}

#[test]
fn wrong_numbers_of_tags_or_keys_are_misuse() {
    let layout = Layout::new(&[8]).unwrap();
    let (p, _) = run(&layout, &[true; 7], [untouched; 2]);
    assert!(matches!(p.err(), Some(crate::Error::Misuse(_))));
    let (_, v) = run(&layout, &[true; 9], [untouched; 2]);
    assert!(matches!(v.err(), Some(crate::Error::Misuse(_))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn commitments_open_to_the_packed_bits(
        widths in prop::collection::vec(prop_oneof![1_usize..=VALUE_BITS, Just(1), Just(VALUE_BITS)], 1..12),
        seed in any::<u64>(),
        ones in any::<bool>(),
    ) {
        let layout = Layout::new(&widths).unwrap();
        let mut prg = volery_vole::Prg::new(u128::from(seed).to_le_bytes());
        let bits: Vec<bool> = (0..layout.bits()).map(|_| ones || prg.block().to_bits() & 1 == 1).collect();
        let (p, v) = run(&layout, &bits, [untouched; 2]);
        let (p, v) = (p.unwrap(), v.unwrap());
        let mut rest = &bits[..];
        for (width, (opening, commitment)) in widths.iter().zip(p.openings.iter().zip(&v)) {
            let (own, others) = rest.split_at(*width);
            rest = others;
            let point = RISTRETTO_BASEPOINT_POINT * plain_value(own) + *BLINDING * opening.blinding();
            prop_assert_eq!(point.compress().to_bytes(), commitment.to_bytes());
            prop_assert!(opening.blinding() != &Scalar::ZERO);
        }
        prop_assert_eq!(v.len(), widths.len());
    }
}
