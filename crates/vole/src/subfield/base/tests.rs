//! Base VOLE against the definitions, and against parties that lie. The trees are dealt: base OT would take
//! longer than all the rest.

use std::ops::Range;

use volery_channel::{Limits, memory_pair};
use volery_field::{F61, F61x2, Ring as _};
use volery_testing::{every_kind_of_pair, every_pair};

use super::*;
use crate::SessionId;
use crate::subfield::FieldDelta;

/// Correlations of an extension.
const N: usize = 7;

fn delta() -> Delta {
    Delta::from_element(Gf128::from_bits(0x0bad_cafe_5a5a_1234_fedc_4321_8765_0f0f))
}

/// Another salt for each tree.
fn salts(bits: FieldBits) -> Vec<u64> {
    (0..bits.trees() as u64).map(|t| 11 * t + 2).collect()
}

/// P's trees.
fn leaves(bits: FieldBits) -> Leaves {
    let mut prg = Prg::new([4; 16]);
    let seeds = (0..bits.trees() * bits.leaves()).map(|_| prg.block().to_bits().to_le_bytes()).collect();
    let transcript = Transcript::new("base VOLE: test", &SessionId::new([6; 32]));
    Leaves { bits, seeds: LeafSeeds::new(seeds, salts(bits)), transcript }
}

/// The same trees in V's order, without the leaves that it lacks.
fn punctured(bits: FieldBits, delta: &Delta) -> Leaves {
    let Leaves { bits, seeds, transcript } = leaves(bits);
    let seeds = (0..bits.trees() * bits.leaves()).map(|place| {
        let (t, z) = (place / bits.leaves(), place % bits.leaves());
        let x = z ^ usize::from(digit(delta, t, bits.bits()));
        if z == 0 { [0; 16] } else { seeds.tree(t).0[x] }
    });
    Leaves { bits, seeds: LeafSeeds::new(seeds.collect(), salts(bits)), transcript }
}

fn prover<F: Value, M: Mac<F>>() -> BaseProver<F, M> {
    let leaves = Streams::new::<F, M>(leaves(field_bits::<F, M>())).unwrap();
    BaseProver { leaves, fields: core::marker::PhantomData }
}

fn verifier<F: Value, M: Mac<F>>() -> BaseVerifier<F, M> {
    verifier_with(delta())
}

fn verifier_with<F: Value, M: Mac<F>>(delta: Delta) -> BaseVerifier<F, M> {
    let leaves = Streams::new::<F, M>(punctured(field_bits::<F, M>(), &delta)).unwrap();
    BaseVerifier { leaves, delta, fields: core::marker::PhantomData }
}

/// P's next message, and its correlations.
fn send<F: Value, M: Mac<F>>(p: &mut BaseProver<F, M>, n: usize) -> (Vec<u8>, Vec<Authenticated<F, M>>) {
    let (mut left, mut right) = memory_pair(&Limits::default());
    let mut out = Vec::new();
    p.extend(n, &mut left, &mut out).unwrap();
    left.flush().unwrap();
    (right.recv(tags::SUBFIELD_EXTEND, 1 << 20).unwrap().to_vec(), out)
}

/// V's keys from a message. An error leaves no key behind.
fn receive<F: Value, M: Mac<F>>(
    v: &mut BaseVerifier<F, M>,
    n: usize,
    message: &[u8],
) -> Result<Vec<M>, Error> {
    let (mut left, mut right) = memory_pair(&Limits::default());
    left.send(tags::SUBFIELD_EXTEND, message).unwrap();
    left.flush().unwrap();
    let mut out = vec![M::ONE];
    let result = v.extend(n, &mut right, &mut out);
    assert_eq!(out.len(), if result.is_ok() { 1 + n } else { 1 });
    result.map(|()| out[1..].to_vec())
}

fn holds<F: Value, M: Mac<F>>(p: &[Authenticated<F, M>], keys: &[M]) {
    let delta = FieldDelta::<M>::from_digits::<F>(&delta()).expose();
    assert_eq!(p.len(), keys.len());
    for (i, (p, k)) in p.iter().zip(keys).enumerate() {
        assert!(*k == p.m + delta.scale(p.x), "{} in {}: correlation {i}", F::NAME, M::NAME);
    }
}

fn is_cheat<T>(result: &Result<T, Error>) -> bool {
    matches!(result, Err(Error::Cheat { step: tags::SUBFIELD_EXTEND, .. }))
}

fn is_malformed<T>(result: &Result<T, Error>) -> bool {
    matches!(result, Err(Error::Malformed { step: tags::SUBFIELD_EXTEND, .. }))
}

/// A P whose vectors in `trees` are `errors` apart from those in all others, and who bets on V's digit there.
struct Lie<F, M> {
    trees: Range<usize>,
    errors: Vec<F>,
    guess: u8,
    /// What it adds to each combination of values that it shows, and the delta that it bets on there.
    shift: (F, M),
}

/// The first extension by a P that follows the module's formulas with plain loops, and lies; with the
/// correlations that it holds if its bet is right.
fn plain<F: Value, M: Mac<F>>(lie: &Lie<F, M>) -> (Vec<u8>, Vec<Authenticated<F, M>>) {
    let total = N + masks::<F, M>();
    let bits = field_bits::<F, M>();
    let Streams { seeds, mut transcript, .. } = Streams::new::<F, M>(leaves(bits)).unwrap();
    let mut held = vec![Authenticated::<F, M>::default(); total];
    let mut message = Vec::new();
    for t in 0..M::DIGITS {
        let (mut u, mut v) = (vec![F::ZERO; total], vec![F::ZERO; total]);
        let (seeds, salt) = seeds.tree(t);
        for (x, seed) in seeds.iter().enumerate() {
            let mut stream = vec![F::ZERO; total];
            Prg::salted(*seed, salt).elements(&mut stream);
            for (i, r) in stream.into_iter().enumerate() {
                u[i] += r;
                v[i] += F::digit(x as u8) * r;
            }
        }
        for (i, held) in held.iter_mut().enumerate() {
            let error = if lie.trees.contains(&t) { lie.errors[i] } else { F::ZERO };
            held.m -= M::weight(t).scale(v[i] + F::digit(lie.guess) * error);
            if t == 0 {
                held.x = u[i] + error;
            } else {
                push(&mut message, u[i] - held.x + error).unwrap();
            }
        }
    }
    let mut chi = Coefficients::<F>::new(&mut transcript, total, &message);
    let (mut shown, mut secret) = (Vec::new(), Vec::new());
    for mask in &held[N..] {
        let Authenticated { mut x, mut m } = *mask;
        chi.each(N, |i, chi| {
            x += chi * held[i].x;
            m += held[i].m.scale(chi);
        });
        let (shift, delta) = lie.shift;
        (x, m) = (x + shift, m - delta.scale(shift));
        push(&mut shown, x).unwrap();
        push(&mut secret, m).unwrap();
    }
    let digest = finish(&mut transcript, &shown, &secret);
    held.truncate(N);
    ([message, shown, digest.to_vec()].concat(), held)
}

fn truth<F: Value, M: Mac<F>>() -> Lie<F, M> {
    Lie { trees: 0..1, errors: vec![F::ZERO; N + masks::<F, M>()], guess: 0, shift: (F::ZERO, M::ZERO) }
}

#[test]
fn messages_and_correlations_are_those_of_the_definitions_over_every_pair_of_fields() {
    fn check<F: Value, M: Mac<F>>() {
        let (message, correlations) = send(&mut prover::<F, M>(), N);
        let (expected, held) = plain::<F, M>(&truth::<F, M>());
        assert!(message == expected && correlations == held, "{} in {}", F::NAME, M::NAME);
        holds(&correlations, &receive(&mut verifier(), N, &message).unwrap());
    }
    every_pair!(check);
}

#[test]
fn extensions_of_any_size_follow_one_another_over_every_pair_of_fields() {
    fn check<F: Value, M: Mac<F>>() {
        let (mut p, mut v) = (prover::<F, M>(), verifier::<F, M>());
        let (mut all, mut keys) = (Vec::new(), Vec::new());
        for n in [0, 1, 40, 3] {
            let (message, correlations) = send(&mut p, n);
            all.extend(correlations);
            keys.extend(receive(&mut v, n, &message).unwrap());
        }
        holds(&all, &keys);
    }
    every_pair!(check);
}

#[test]
fn a_flipped_bit_anywhere_in_the_message_is_caught() {
    fn check<F: Value, M: Mac<F>>() {
        let (message, _) = send(&mut prover::<F, M>(), N);
        let digest = message.len() - DIGEST;
        let shown = digest - masks::<F, M>() * F::BYTES;
        // Through the corrections in steps, then each combination, then the digest.
        let places = (0..shown).step_by(shown / 9).chain([shown - 1]);
        let places = places.chain((shown..digest).step_by(F::BYTES)).chain([digest - 1, digest]);
        for at in places.chain([digest + 13, message.len() - 1]) {
            let mut message = message.clone();
            message[at] ^= 1 << (at % 8);
            let result = receive(&mut verifier::<F, M>(), N, &message);
            // The changed encoding may be none of an element.
            let caught = is_cheat(&result) || (at < digest && is_malformed(&result));
            assert!(caught, "{} in {}, byte {at}: {:?}", F::NAME, M::NAME, result.err());
        }
    }
    every_kind_of_pair!(check);
}

#[test]
fn elements_that_are_not_canonical_are_malformed() {
    fn check<F: Value, M: Mac<F>>() {
        let (message, _) = send(&mut prover::<F, M>(), N);
        let shown = message.len() - DIGEST - masks::<F, M>() * F::BYTES;
        let malformed = F::decode(&vec![0xff; F::BYTES]).is_err();
        for at in [0, shown - F::BYTES, shown, message.len() - DIGEST - F::BYTES] {
            let mut message = message.clone();
            message[at..at + F::BYTES].fill(0xff);
            let result = receive(&mut verifier::<F, M>(), N, &message);
            // Over the binary fields every encoding is canonical: then the element is a wrong one.
            assert!(if malformed { is_malformed(&result) } else { is_cheat(&result) }, "{} {at}", M::NAME);
        }
    }
    every_pair!(check);
}

#[test]
fn a_message_of_any_other_length_is_refused() {
    fn check<F: Value, M: Mac<F>>() {
        use volery_channel::Error::WrongLength;
        let (message, _) = send(&mut prover::<F, M>(), N);
        let (longer, _) = send(&mut prover::<F, M>(), N + 1);
        let one_more = [&message[..], &[0]].concat();
        for wrong in [&[], &message[1..], &message[..message.len() - F::BYTES], &one_more, &longer] {
            let result = receive(&mut verifier::<F, M>(), N, wrong);
            let refused =
                matches!(result, Err(Error::Channel(WrongLength { step: tags::SUBFIELD_EXTEND, .. })));
            assert!(refused, "{} bytes: {:?}", wrong.len(), result.err());
        }
    }
    every_kind_of_pair!(check);
}

#[test]
fn messages_that_are_dropped_repeated_or_of_another_session_are_caught() {
    fn check<F: Value, M: Mac<F>>() {
        let mut p = prover::<F, M>();
        let [(first, one), (second, two)] = [(); 2].map(|()| send(&mut p, N));
        assert!(is_cheat(&receive(&mut verifier::<F, M>(), N, &second)));
        let mut v = verifier::<F, M>();
        holds(&one, &receive(&mut v, N, &first).unwrap());
        assert!(is_cheat(&receive(&mut v, N, &first)));
        let mut v = verifier::<F, M>();
        receive(&mut v, N, &first).unwrap();
        holds(&two, &receive(&mut v, N, &second).unwrap());
        // The same trees, but the parties said something else before.
        let mut v = verifier::<F, M>();
        v.leaves.transcript.absorb("fork", b"another");
        assert!(is_cheat(&receive(&mut v, N, &first)));
    }
    every_kind_of_pair!(check);
}

/// The selective failure that is left (module docs), measured: vectors that differ between trees pass for one
/// digit of delta.
#[test]
fn trees_with_different_values_pass_only_if_the_digit_is_guessed_and_then_the_correlations_hold() {
    fn check<F: Value, M: Mac<F>>() {
        let bits = field_bits::<F, M>();
        // A wrong value, all of them wrong, a wrong mask, two values whose errors add up to nothing.
        let mut errors = [(); 4].map(|()| truth::<F, M>().errors);
        errors[0][3] = F::ONE;
        errors[1].iter_mut().enumerate().for_each(|(i, e)| *e = F::digit(1 + i as u8));
        errors[2][N] = F::digit(9);
        (errors[3][0], errors[3][N - 1]) = (F::ONE, -F::ONE);
        for (tree, errors) in [0, 1, M::DIGITS - 1, 2].into_iter().zip(errors) {
            let right = digit(&delta(), tree, bits.bits());
            // The right digit, its neighbours in every bit, and no digit at all.
            let guesses = (0..bits.bits()).map(|b| right ^ 1 << b).chain([right, 0]);
            for guess in guesses {
                let lie = Lie { trees: tree..tree + 1, errors: errors.clone(), guess, ..truth::<F, M>() };
                let (message, held) = plain::<F, M>(&lie);
                let result = receive(&mut verifier::<F, M>(), N, &message);
                if guess == right {
                    holds(&held, &result.unwrap());
                } else {
                    assert!(is_cheat(&result), "{} in {}: tree {tree}, {guess}", F::NAME, M::NAME);
                }
            }
        }
    }
    every_kind_of_pair!(check);
}

#[test]
fn wrong_combinations_pass_only_if_delta_is_guessed() {
    fn check<F: Value, M: Mac<F>>() {
        let delta = FieldDelta::<M>::from_digits::<F>(&delta()).expose();
        for (guess, right) in [(delta, true), (M::ZERO, false), (delta + M::ONE, false), (-delta, false)] {
            let lie = Lie { shift: (F::digit(3), guess), ..truth::<F, M>() };
            let (message, held) = plain::<F, M>(&lie);
            let result = receive(&mut verifier::<F, M>(), N, &message);
            // In characteristic 2 there is no other sign.
            if right || guess == delta {
                holds(&held, &result.unwrap());
            } else {
                assert!(is_cheat(&result), "{} in {}", F::NAME, M::NAME);
            }
        }
    }
    every_kind_of_pair!(check);
}

/// Errors that give P correlations of values outside the prime field, under keys whose coordinates are equal:
/// a check with coefficients in the extension would let them through.
#[test]
fn values_outside_the_field_of_values_are_caught_under_every_key() {
    let half = 0x1234_5678_9abc_def1;
    let key = Delta::from_element(Gf128::from_bits(half << 64 | half));
    let delta = FieldDelta::<F61x2>::from_digits::<F61>(&key).expose();
    let [re, im] = delta.parts();
    assert!(re == im);
    // Off by -2 in the trees of the imaginary part: keys move by 2 i delta.im, which is (1 + i) delta.
    let mut errors = truth::<F61, F61x2>().errors;
    errors[..N].fill(-F61::from_u64(2));
    for shift in [F61::ZERO, F61::ONE] {
        let lie = Lie { trees: 8..16, errors: errors.clone(), shift: (shift, delta), ..truth() };
        let (message, _) = plain::<F61, F61x2>(&lie);
        assert!(is_cheat(&receive(&mut verifier_with::<F61, F61x2>(key.duplicate()), N, &message)));
    }
}

#[test]
fn trees_of_another_size_than_the_digits_are_misuse() {
    fn check<F: Value, M: Mac<F>>() {
        let other = if field_bits::<F, M>() == FieldBits::Eight { FieldBits::Four } else { FieldBits::Eight };
        assert!(matches!(Streams::new::<F, M>(leaves(other)).err(), Some(Error::Misuse(_))));
    }
    every_kind_of_pair!(check);
}

#[test]
fn the_check_is_long_enough() {
    // (log2 of p^r, bits of a key): the smallest field and the largest ratio of keys to field.
    for (field, key) in
        [(61.0, 63.0), (63.9, 63.0), (122.0, 127.0), (127.9, 127.0), (128.0, 127.0), (252.0, 127.0)]
    {
        let error: f64 = 2.0_f64.powf(1.0 - key) + 2.0_f64.powf(2.0 * key - field * CHECKS as f64);
        assert!(error.log2() < -59.0, "{field} {key}: {}", error.log2());
    }
}

/// Why a challenge that is a hash must not be known before the correlations are fixed.
#[test]
fn p_chooses_every_value_with_a_right_guess_of_one_digit_and_none_with_a_wrong_one() {
    fn check<F: Value, M: Mac<F>>() {
        let right = digit(&delta(), 0, M::DIGIT_BITS);
        for guess in [right, right ^ 1] {
            crate::cheats::choose_elements::<F>(move |n| {
                Some((guess, (0..n as u64).map(|i| F::from_u64(100 + i)).collect()))
            });
            let (message, held) = send(&mut prover::<F, M>(), N);
            crate::cheats::honest();
            assert!(held.iter().zip(100..).all(|(held, i)| held.x == F::from_u64(i)));
            let keys = receive(&mut verifier::<F, M>(), N, &message);
            if guess == right {
                holds(&held, &keys.unwrap());
            } else {
                assert!(is_cheat(&keys), "{} in {}", F::NAME, M::NAME);
            }
        }
    }
    every_kind_of_pair!(check);
}
