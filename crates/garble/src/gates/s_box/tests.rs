//! The S-box garbled against the S-box, with changed ciphertexts, and what it takes.

use volery_circuit::Digest;
use volery_circuit::gadgets::{bytes_to_bits, substituted};
use volery_vole::{AesLevel, Delta, Prg};

use super::*;
use crate::Function;
use crate::gates::{ActiveWire, Gate as _, GateEvaluator, GateGarbler, HalfGates, ThreeHalves, ZeroWire};

const START: [u8; 16] = [5; 16];

/// One S-box, or what its circuit is for, a misuse.
struct SBox;

impl Function for SBox {
    fn identify(&self, _: &mut Digest) {}

    fn run<B: Ops<F2> + ?Sized>(&self, b: &mut B, inputs: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
        let byte: &[_; 8] = inputs.try_into().map_err(|_| volery_circuit::Error::Misuse("a byte".into()))?;
        let made = b.substitute(byte)?;
        Ok(made.ok_or_else(|| volery_circuit::Error::Misuse("no way of its own".into()))?.to_vec())
    }
}

fn random(n: usize, seed: u8) -> Vec<Gf128> {
    let mut labels = vec![Gf128::ZERO; n];
    Prg::new([seed; 16]).blocks(&mut labels);
    labels
}

fn offset(seed: u8) -> Gf128 {
    Gf128::from_bits(random(1, seed ^ 0x80)[0].to_bits() | 1)
}

/// The labels of 0 of the result, and the tables.
fn garble(level: AesLevel, zeros: &[Gf128], offset: Gf128) -> (Vec<Gf128>, Vec<u8>) {
    let (offset, mut tables) = (Delta::from_element(offset), Vec::new());
    let mut garbler = GateGarbler::<ThreeHalves>::new(&offset, START, 4, &mut tables);
    garbler.set_level(level, START);
    let wires: Vec<_> = zeros.iter().map(|zero| ZeroWire::new(*zero)).collect();
    let out = SBox.run(&mut garbler, &wires).expect("garbles");
    assert_eq!((garbler.s_boxes(), garbler.finish()), (1, Ok(4 + 26)));
    (out.iter().map(ZeroWire::label).collect(), tables)
}

fn evaluate(level: AesLevel, labels: &[Gf128], mut tables: &[u8]) -> Result<Vec<Gf128>, Error> {
    let mut evaluator = GateEvaluator::<ThreeHalves>::new(START, 4, &mut tables);
    evaluator.set_level(level, START);
    let wires: Vec<_> = labels.iter().map(|label| ActiveWire::new(*label)).collect();
    let out = SBox.run(&mut evaluator, &wires)?;
    assert_eq!(evaluator.finish(), Ok(4 + 26));
    Ok(out.iter().map(ActiveWire::label).collect())
}

fn active(zeros: &[Gf128], offset: Gf128, bits: &[F2]) -> Vec<Gf128> {
    zeros.iter().zip(bits).map(|(zero, bit)| *zero + offset * *bit).collect()
}

fn levels() -> impl Iterator<Item = AesLevel> {
    AesLevel::ALL.into_iter().filter(|level| level.available())
}

#[test]
fn it_is_the_s_box_for_all_inputs_with_any_labels_on_every_kernel() {
    for x in 0..=255 {
        let bits: [F2; 8] = bytes_to_bits(&[x]).try_into().expect("a byte");
        let want = substituted(&bits).expect("evaluates");
        // The colours are those of random labels: each time others.
        let (zeros, offset) = (random(8, x), offset(x));
        let mut first = None;
        for level in levels() {
            let (out, tables) = garble(level, &zeros, offset);
            let seen = evaluate(level, &active(&zeros, offset, &bits), &tables).expect("evaluates");
            assert!(seen == active(&out, offset, &want), "{x} {level:?}");
            let all = (out, tables);
            assert!(first.get_or_insert_with(|| all.clone()) == &all, "{x} {level:?}");
        }
    }
}

#[test]
fn it_is_the_s_box_whatever_the_colours() {
    for colours in 0..=255_u8 {
        let bits: [F2; 8] = bytes_to_bits(&[colours.wrapping_mul(77)]).try_into().expect("a byte");
        let mut zeros = random(8, 1);
        for (i, zero) in zeros.iter_mut().enumerate() {
            *zero = Gf128::from_bits(zero.to_bits() & !1 | u128::from(colours >> i & 1));
        }
        let (level, offset) = (AesLevel::detect(), offset(colours));
        let (out, tables) = garble(level, &zeros, offset);
        let seen = evaluate(level, &active(&zeros, offset, &bits), &tables).expect("evaluates");
        assert!(seen == active(&out, offset, &substituted(&bits).expect("evaluates")), "{colours}");
    }
}

#[test]
fn it_takes_25_tables_and_26_pairs_of_keys() {
    let (_, tables) = garble(AesLevel::detect(), &random(8, 3), offset(3));
    assert_eq!(tables.len(), 25 * 25);
    assert_eq!((ThreeHalves::tables(32 + 7, 1), ThreeHalves::pairs(32 + 7, 1)), (25 + 7, Some(26 + 14)));
    assert_eq!((HalfGates::tables(32 + 7, 1), HalfGates::pairs(32 + 7, 1)), (39, Some(39)));
    assert_eq!((ThreeHalves::ands(26 + 14, 1), HalfGates::ands(39, 1)), (39, 39));
    assert_eq!(ThreeHalves::pairs(26, 1).or(ThreeHalves::pairs(u64::MAX, 1)), None);
}

#[test]
fn a_changed_ciphertext_gives_no_label_of_another_value() {
    let (level, offset) = (AesLevel::detect(), offset(9));
    let mut noticed = [false; 25 * 25];
    for x in 0..8 {
        let bits: [F2; 8] = bytes_to_bits(&[x * 31]).try_into().expect("a byte");
        let zeros = random(8, x);
        let (out, tables) = garble(level, &zeros, offset);
        let labels = active(&zeros, offset, &bits);
        let right = active(&out, offset, &substituted(&bits).expect("evaluates"));
        // A bit of each half of each ciphertext and of each gate's table, another one each time.
        for byte in (usize::from(x)..tables.len()).step_by(8).filter(|byte| byte % 25 != 24) {
            let mut changed = tables.clone();
            changed[byte] ^= 1 << x;
            let seen = evaluate(level, &labels, &changed).expect("evaluates");
            for ((seen, zero), right) in seen.iter().zip(&out).zip(&right) {
                let wrong = *seen != *right;
                assert!(!wrong || (*seen != *zero && *seen != *zero + offset), "{x} {byte}");
                noticed[byte / 8 * 8] |= wrong;
            }
        }
    }
    // No half is without effect.
    assert!((0..24 * 25).step_by(8).all(|byte| noticed[byte]));
}

#[test]
fn bits_between_ciphertexts_are_refused() {
    let (zeros, offset) = (random(8, 2), offset(2));
    let (_, tables) = garble(AesLevel::detect(), &zeros, offset);
    // Ten tables' worth of ciphertexts, five gates, ten more.
    for place in (0..10).chain(15..25) {
        for bit in 0..3 {
            let mut changed = tables.clone();
            changed[25 * place + 24] ^= 1 << bit;
            let seen = evaluate(AesLevel::detect(), &zeros, &changed);
            assert!(matches!(seen, Err(Error::Malformed { .. })), "{place} {bit}");
        }
    }
}

#[test]
fn too_few_tables_are_an_error() {
    let (zeros, offset) = (random(8, 2), offset(2));
    let (_, tables) = garble(AesLevel::detect(), &zeros, offset);
    for count in [0, 1, 9, 10, 14, 15, 24] {
        let seen = evaluate(AesLevel::detect(), &zeros, &tables[..25 * count]);
        assert!(matches!(seen, Err(Error::Misuse(_))), "{count}");
    }
}

#[test]
fn vectors_add_up_to_the_offset_at_the_garbler_and_to_zero_at_the_evaluator() {
    let (zeros, offset) = (random(8, 6), offset(6));
    let delta = Delta::from_element(offset);
    let mut tables = Vec::new();
    let mut garbler = GateGarbler::<ThreeHalves>::new(&delta, START, 0, &mut tables);
    let mut at_garbler = Scratch::default();
    let mut half = Half::begin(&mut garbler).expect("begins");
    let bits: Vec<_> = zeros.iter().map(|zero| garbler.masked(*zero)).collect();
    let room = (&mut at_garbler.vector[..], &mut at_garbler.hashes);
    grow(&mut garbler, &mut half, room, &bits, 0..8).expect("grows");
    let ciphertexts = half.ciphertexts;

    let labels = active(&zeros, offset, &bytes_to_bits(&[0xb4]));
    let mut source: &[u8] = &[0; 250];
    let mut evaluator = GateEvaluator::<ThreeHalves>::new(START, 0, &mut source);
    let mut at_evaluator = Scratch::default();
    let mut half = Half { ciphertexts, ..Half::begin(&mut evaluator).expect("begins") };
    let bits: Vec<_> = labels.iter().map(|label| evaluator.masked(*label)).collect();
    let room = (&mut at_evaluator.vector[..], &mut at_evaluator.hashes);
    grow(&mut evaluator, &mut half, room, &bits, 0..8).expect("grows");

    let total = |vector: &[Gf128]| vector.iter().copied().sum::<Gf128>();
    assert!(total(&at_garbler.vector) == offset && total(&at_evaluator.vector) == Gf128::ZERO);
    let known = number(&bits);
    for (i, (v, e)) in at_garbler.vector.iter().zip(&at_evaluator.vector).enumerate() {
        assert!(*e == *v + offset * F2::new(i == known), "{i}");
    }
    assert_eq!(known as u8, zeros.iter().rev().fold(0, |n, zero| n << 1 | zero.lsb().to_u8()) ^ 0xb4);
}
