//! Two parties with real products, the circuit in the clear, and what cheats give.

use volery_channel::Tag;
use volery_channel::tags::OLE_CORRECTIONS;
use volery_circuit::Evaluator;
use volery_circuit::gadgets::bytes_to_bits;
use volery_field::{F2, Field};
use volery_garble::Function;
use volery_vole::ole;

use super::super::blinding::odd_powers;
use super::super::testing::MAX_POWER;
use super::*;
use crate::testing::two_parties;
use crate::wire::step::Step;
use crate::wire::suite::KeySize;

/// A party's factors, from its random one and their number.
type Factors = fn(Gf128, usize) -> Zeroizing<Vec<Gf128>>;

/// What the parties do.
#[derive(Clone, Copy)]
struct Run {
    /// What happens to P's messages and to V's.
    changes: [Change; 2],
    /// P's factors from `x`, and V's from `y`.
    factors: [Factors; 2],
}

const HONEST: Run = Run { changes: [untouched; 2], factors: [odd_powers; 2] };

/// P's factor and V's.
const FACTORS: [u128; 2] = [0x1234_5678_9abc_def0_0fed_cba9, 0x8765_4321 << 90 | 5];

/// The parties' blindings for powers up to `n`.
fn blindings(n: usize, run: Run) -> [Result<Blinding, Error>; 2] {
    let [x, y] = FACTORS.map(|factor| Zeroizing::new(Gf128::from_bits(factor)));
    let count = products(n);
    let [p_factors, v_factors] = [run.factors[0](*x, count), run.factors[1](*y, count)];
    let (p, v) = two_parties(
        count,
        1,
        run.changes,
        |channel, party: &mut ole::Sender<Gf128>, _| {
            let blinding = ProverBlinding::with(channel, party, x, &p_factors)?;
            assert_eq!(party.prepared(), 0);
            blinding.finish(channel)
        },
        |channel, party: &mut ole::Receiver<Gf128>, _| {
            VerifierBlinding::new(channel, n)?.with(channel, party, y, &v_factors)
        },
    );
    [p, v]
}

/// The check's answer, and the blinded key.
fn circuit(h: Block, [p, v]: [&[F2]; 2]) -> (bool, Vec<F2>) {
    let inputs = [&bytes_to_bits(&h), p, v].concat();
    let [mut out, other] = [KeySize::Bits128, KeySize::Bits256]
        .map(|size| Step::BlindedKey(size).run(&mut Evaluator::new(), &inputs).unwrap());
    assert_eq!(out, other);
    let key = out.split_off(1);
    (out[0].to_bool(), key)
}

fn hash_key() -> Block {
    encrypt([7; 16], [0; 16])
}

/// The check's answer for honest inputs of both parties.
fn answer(blindings: &[Blinding; 2]) -> bool {
    let [p, v] = blindings.each_ref().map(Blinding::inputs);
    circuit(hash_key(), [&p, &v]).0
}

fn honest(n: usize) -> [Blinding; 2] {
    blindings(n, HONEST).map(Result::unwrap)
}

#[test]
fn two_parties_get_shares_of_all_powers_of_a_key_that_neither_knows() {
    for n in [1, 2, 3, 4, 130, MAX_POWER] {
        let [p, v] = honest(n);
        let (right, d) = circuit(hash_key(), [&p.inputs(), &v.inputs()]);
        assert!(right);
        let [p, v] = [p, v].map(|party| party.powers(&d, n).unwrap());
        let mut expected = Gf128::ONE;
        for (p, v) in p.shares().iter().zip(v.shares()) {
            expected *= from_block(hash_key());
            assert_eq!(*p + *v, expected, "{n}");
        }
        assert_eq!((p.len(), v.len()), (n, n));
    }
}

#[test]
fn factors_are_random_and_messages_are_two() {
    let n = 18;
    let run = |seed| {
        two_parties(
            products(n),
            seed,
            [untouched; 2],
            |channel, party: &mut ole::Sender<Gf128>, rng| {
                let before = channel.stats();
                let blinding = ProverBlinding::new(channel, party, n, rng).unwrap().finish(channel).unwrap();
                let stats = channel.stats() - before;
                // One element each way for each product, with a header of five bytes.
                assert_eq!((stats.bytes_sent, stats.bytes_received), (9 * 16 + 5, 9 * 16 + 5));
                blinding
            },
            |channel, party: &mut ole::Receiver<Gf128>, rng| {
                VerifierBlinding::new(channel, n).unwrap().finish(channel, party, rng).unwrap()
            },
        )
    };
    let [(p, v), (other_p, other_v)] = [run(1), run(2)];
    assert!(*p.factor != *other_p.factor && *v.factor != *other_v.factor);
    assert!(answer(&[p, v]) && answer(&[other_p, other_v]));
}

/// This is what the check is for. If V gives the circuit zero for its factor, the key is hidden by nothing,
/// and whoever knows it makes the tag of another ciphertext from that of P's.
#[test]
fn a_verifier_whose_factor_is_zero_learns_nothing_of_the_key() {
    let (header, text) = ([3; 13], [5; 40]);
    let zero: Factors = |_, count| Zeroizing::new(vec![Gf128::ZERO; count]);
    let [p, v] = blindings(5, Run { factors: [odd_powers, zero], ..HONEST }).map(Result::unwrap);
    let mut given = v.inputs();
    given[..128].fill(F2::ZERO);
    let (right, d) = circuit(hash_key(), [&p.inputs(), &given]);
    assert!(!right && d == [F2::ZERO; 128]);
    // Without the check, V would have got h + 0.
    let h = from_block(hash_key());
    let (ciphertext, tag) = record([7; 16], [9; 12], &header, &text);
    let mut other = ciphertext.clone();
    other[20] ^= 1;
    let value = |ciphertext: &[u8]| {
        hashed(&header, ciphertext).iter().fold(Gf128::ZERO, |sum, block| (sum + *block) * h)
    };
    let forged = from_block(tag) + value(&ciphertext) + value(&other);
    let mut changed = text;
    changed[20] ^= 1;
    assert_eq!(record([7; 16], [9; 12], &header, &changed), (other, to_block(forged)));
}

/// Each odd power, the first and the last included, and the sums of shares. Where the factor itself is
/// another one, both that V gives the circuit and its first factor have to be it.
#[test]
fn a_verifier_with_wrong_powers_is_caught() {
    fn times(
        factor: u128,
        at: impl Fn(usize, usize) -> bool,
        y: Gf128,
        count: usize,
    ) -> Zeroizing<Vec<Gf128>> {
        let mut powers = odd_powers(y, count);
        for (i, power) in powers.iter_mut().enumerate().filter(|(i, _)| at(*i, count)) {
            *power *= Gf128::from_bits(factor + i as u128);
        }
        powers
    }
    let cheats: [Factors; 8] = [
        |y, count| times(2, |i, _| i == 0, y, count),
        |y, count| times(2, |i, _| i == 1, y, count),
        |y, count| times(2, |i, count| i + 1 == count, y, count),
        |y, count| times(2, |i, count| i + 2 == count, y, count),
        // All of them; all by one number; those of another factor; all zero.
        |y, count| times(2, |_, _| true, y, count),
        |y, count| Zeroizing::new(odd_powers(y, count).iter().map(|power| *power * Gf128::X).collect()),
        |y, count| odd_powers(y * Gf128::X, count),
        |_, count| Zeroizing::new(vec![Gf128::ZERO; count]),
    ];
    for n in [1, 2, 3, 5, 7, 18] {
        let mut refused = 0;
        for (i, cheat) in cheats.into_iter().enumerate() {
            let y = Gf128::from_bits(FACTORS[1]);
            if *cheat(y, products(n)) == *odd_powers(y, products(n)) {
                continue;
            }
            let blindings = blindings(n, Run { factors: [odd_powers, cheat], ..HONEST }).map(Result::unwrap);
            assert!(!answer(&blindings), "cheat {i} with {n} powers");
            refused += 1;
        }
        assert!(refused >= 6);
    }
}

#[test]
fn a_party_that_gives_the_circuit_another_bit_is_caught() {
    for n in [1, 2, 3, 18] {
        let [p, v] = honest(n).map(|party| party.inputs());
        for place in [0, 127, 128, 255, 256, 383] {
            for party in 0..2 {
                let mut given = [p.to_vec(), v.to_vec()];
                given[party][place] += F2::ONE;
                let (right, d) = circuit(hash_key(), [&given[0], &given[1]]);
                assert!(!right && d == [F2::ZERO; 128], "bit {place} of {n} powers");
            }
        }
    }
}

/// P's x, with products that fit it: the proof in the end would show V that P gave the circuit zero.
#[test]
fn a_prover_whose_factor_is_zero_is_caught() {
    let zero: Factors = |_, count| Zeroizing::new(vec![Gf128::ZERO; count]);
    let [p, v] = blindings(5, Run { factors: [zero, odd_powers], ..HONEST }).map(Result::unwrap);
    let mut given = p.inputs();
    given[..128].fill(F2::ZERO);
    assert!(!circuit(hash_key(), [&given, &v.inputs()]).0);
    // Nor can P hide behind a number of its own, with the powers that belong to it, that does not depend on
    // y.
    let own = Gf128::from_bits(77);
    let all = odd_powers(own, 3);
    let sum = |powers: &[Gf128]| powers.iter().fold(Gf128::ZERO, |sum, power| sum + *power);
    let [others, all] = [sum(&all[..2]), sum(&all)];
    let x = own * Gf128::from_bits(FACTORS[1]).inverse().unwrap() + Gf128::ONE;
    let shares = v.inputs();
    let add = |x: Gf128, place: usize| {
        element_bits(x).zip(&shares[128 * place..]).map(|(x, y)| x + *y).collect::<Vec<_>>()
    };
    let given = [element_bits(x).collect(), add(others, 1), add(all, 2)].concat();
    assert!(!circuit(hash_key(), [&given, &shares]).0, "unless P knows y");
}

/// Errors of P's that depend on V's factor and that the check takes, whatever the factor is. The powers are
/// wrong then, but the key is hidden as before.
#[test]
fn errors_that_cancel_show_p_nothing_of_the_key() {
    let [p, v] = honest(3);
    let g = *p.factor * *v.factor;
    let first = Gf128::ONE + g.square() + g.square().square();
    let both = first + Gf128::ONE + (g * g.square()).square();
    let mut given = v.inputs();
    for (place, error) in [(1, first), (2, both)] {
        given[128 * place..].iter_mut().zip(element_bits(error)).for_each(|(bit, error)| *bit += error);
    }
    let (right, d) = circuit(hash_key(), [&p.inputs(), &given]);
    let hidden: Vec<_> = element_bits(from_block(hash_key()) + g).collect();
    assert!(right && d == hidden);
}

#[test]
fn a_changed_correction_is_caught() {
    fn flip(tag: Tag, payload: &mut Vec<u8>) {
        if tag == OLE_CORRECTIONS {
            payload[3] ^= 1;
        }
    }
    fn flip_last(tag: Tag, payload: &mut Vec<u8>) {
        if tag == OLE_CORRECTIONS {
            *payload.last_mut().unwrap() ^= 1;
        }
    }
    let changes: [[Change; 2]; 4] =
        [[flip, untouched], [untouched, flip], [flip_last, untouched], [untouched, flip_last]];
    for changes in changes {
        for n in [1, 6] {
            assert!(!answer(&blindings(n, Run { changes, ..HONEST }).map(Result::unwrap)));
        }
    }
}

#[test]
fn corrections_of_another_number_are_refused() {
    fn cut(tag: Tag, payload: &mut Vec<u8>) {
        if tag == OLE_CORRECTIONS {
            payload.truncate(16);
        }
    }
    let changes: [([Change; 2], usize); 2] = [([cut, untouched], 1), ([untouched, cut], 0)];
    for (changes, refusing) in changes {
        let ends = blindings(6, Run { changes, ..HONEST });
        assert!(matches!(&ends[refusing], Err(Error::Channel(_))));
    }
}

#[test]
fn another_number_of_powers_or_of_bits_is_misuse() {
    let [p, _] = honest(4);
    assert!(p.powers(&[F2::ONE; 128], 3).is_ok() && p.powers(&[F2::ONE; 128], 4).is_ok());
    for (bits, n) in [(128, 2), (128, 5), (127, 4), (129, 4), (0, 4)] {
        assert!(matches!(p.powers(&vec![F2::ONE; bits], n), Err(Error::Misuse(_))));
    }
    let none = two_parties(
        0,
        1,
        [untouched; 2],
        |channel, party: &mut ole::Sender<Gf128>, rng| ProverBlinding::new(channel, party, 3, rng).err(),
        |_, _: &mut ole::Receiver<Gf128>, _| (),
    );
    assert!(matches!(none.0, Some(Error::Products(_))));
}

#[test]
fn a_request_of_two_kilobytes_takes_65_products() {
    assert_eq!(products(hashed_blocks(13, 2048)), 65);
    assert_eq!(products(hashed_blocks(13, 16)), 2);
    assert_eq!([1, 2, 3].map(products), [1, 1, 2]);
}
