//! The S-box garbled against the S-box, with changed ciphertexts, and what it takes.

use volery_circuit::Digest;
use volery_circuit::gadgets::{bytes_to_bits, substituted};
use volery_vole::{AesLevel, Delta, Prg};

use super::*;
use crate::Function;
use crate::gates::{
    ActiveWire, Gate as _, GateEvaluator, GateGarbler, HalfGates, Scheme, ThreeHalves, ZeroWire,
};
use crate::hash::AHEAD;

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
    let garbler = GateGarbler::<ThreeHalves>::new(&offset, START, 4, &mut tables);
    let mut garbler = garbler.with_one_hot(true);
    garbler.set_level(level, START);
    let wires: Vec<_> = zeros.iter().map(|zero| ZeroWire::new(*zero)).collect();
    let out = SBox.run(&mut garbler, &wires).expect("garbles");
    assert_eq!((garbler.s_boxes(), garbler.finish()), (1, Ok(4 + 26)));
    (out.iter().map(ZeroWire::label).collect(), tables)
}

fn evaluate(level: AesLevel, labels: &[Gf128], mut tables: &[u8]) -> Result<Vec<Gf128>, Error> {
    let evaluator = GateEvaluator::<ThreeHalves>::new(START, 4, &mut tables);
    let mut evaluator = evaluator.with_one_hot(true);
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
    assert_eq!(ThreeHalves::ands(26 + 14, 1), 39);
    assert_eq!(ThreeHalves::pairs(26, 1).or(ThreeHalves::pairs(u64::MAX, 1)), None);
}

#[test]
fn nothing_is_garbled_one_hot_unless_both_the_caller_and_the_scheme_say_so() {
    fn assert_none<S: Scheme>(one_hot: bool) {
        let (offset, mut tables) = (Delta::from_element(offset(1)), Vec::new());
        let garbler = GateGarbler::<S>::new(&offset, START, 0, &mut tables);
        let mut garbler = garbler.with_one_hot(one_hot);
        let wires: [_; 8] = core::array::from_fn(|i| ZeroWire::new(random(8, 1)[i]));
        assert!(matches!(garbler.substitute(&wires), Ok(None)));
        assert_eq!((garbler.s_boxes(), garbler.finish()), (1, Ok(0)));
        let mut source: &[u8] = &[];
        let mut evaluator = GateEvaluator::<S>::new(START, 0, &mut source).with_one_hot(one_hot);
        let wires: [_; 8] = core::array::from_fn(|i| ActiveWire::new(random(8, 1)[i]));
        assert!(matches!(evaluator.substitute(&wires), Ok(None)));
    }
    assert_none::<ThreeHalves>(false);
    assert_none::<HalfGates>(true);
}

#[test]
fn a_ciphertext_more_than_a_half_has_is_an_error_and_so_is_a_pair_of_keys_that_is_none() {
    let (offset, mut tables) = (Delta::from_element(offset(1)), Vec::new());
    let mut garbler = GateGarbler::<ThreeHalves>::new(&offset, START, 0, &mut tables);
    let mut half = Half::begin(&mut garbler).expect("begins");
    type Garbler<'a> = GateGarbler<'a, ThreeHalves>;
    for _ in 0..CIPHERTEXTS {
        assert_eq!(half.exchange::<Garbler<'_>>(Gf128::ONE), Ok(Gf128::ZERO));
    }
    assert!(matches!(half.exchange::<Garbler<'_>>(Gf128::ONE), Err(Error::Misuse(_))));
    assert!(matches!(garbler.keys().hash_run((AHEAD, false), &[], &mut []), Err(Error::Misuse(_))));
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

fn sum_of(labels: &[Gf128]) -> Gf128 {
    labels.iter().copied().sum()
}

/// The garbler as the documentation has it, one label at a time.
struct Plain {
    offset: Gf128,
    /// The next key.
    key: u64,
    /// Of `x'`.
    vector: Vec<Gf128>,
    ciphertexts: Vec<Gf128>,
}

impl Plain {
    fn colour(&self, label: Gf128) -> Gf128 {
        self.offset * label.lsb()
    }

    /// Sends the sum of the hashes of all labels and `more`, under the next key. Returns the hashes.
    fn send(&mut self, vector: &[Gf128], more: Gf128) -> Vec<Gf128> {
        let mut keys = Keys::with_level(AesLevel::Portable, START, self.key / 2);
        let place = (keys.next_pair().expect("a pair"), self.key % 2 == 1);
        let hash = |label: &Gf128| keys.hash_run(place, &[*label], &mut [Gf128::ZERO]).expect("a place");
        let hashes: Vec<_> = vector.iter().map(hash).collect();
        self.key += 1;
        self.ciphertexts.push(sum_of(&hashes) + more);
        hashes
    }

    /// The vector of these bits too.
    fn grow(&mut self, mut vector: Vec<Gf128>, bits: &[Gf128]) -> Vec<Gf128> {
        for bit in bits {
            let label = *bit + self.colour(*bit);
            if vector.is_empty() {
                vector = vec![label + self.offset, label];
                continue;
            }
            let low = self.send(&vector, label + self.offset);
            let high = vector.iter().zip(&low).map(|(label, hash)| *label + *hash).collect();
            vector = [low, high].concat();
        }
        vector
    }

    /// The products of `b` and the four bits of a vector.
    fn column(&mut self, vector: &[Gf128], b: Gf128) -> [Gf128; 4] {
        let hashes = self.send(vector, b);
        core::array::from_fn(|k| (0..16).filter(|i| i >> k & 1 == 1).map(|i| hashes[i]).sum())
    }

    /// The norm. Keeps the vector.
    fn norm(&mut self, x: &[Gf128; 8]) -> [Gf128; 4] {
        let of_h = self.grow(Vec::new(), &x[..4]);
        self.vector = self.grow(of_h.clone(), &x[4..]);
        let of_l: Vec<_> = self.vector.chunks(16).map(sum_of).collect();
        let mut products = [[Gf128::ZERO; 4]; 4];
        for b in 0..4 {
            let column = self.column(&of_h, x[4 + b]);
            (0..4).for_each(|a| products[a][b] += column[a]);
        }
        for a in 0..4 {
            let colour = self.colour(x[a]);
            let column = self.column(&of_l, colour);
            (0..4).for_each(|b| products[a][b] += column[b] + colour * x[4 + b].lsb());
        }
        norm(x, &products)
    }

    /// The ciphertexts after the gates.
    fn last(&mut self, x: &[Gf128; 8], inverse: &[Gf128; 4]) {
        let of_inverse = self.grow(Vec::new(), inverse);
        for label in x {
            self.send(&of_inverse, *label);
        }
        let vector = std::mem::take(&mut self.vector);
        for label in inverse {
            self.send(&vector, self.colour(*label));
        }
    }
}

/// The ciphertexts are those of the documentation, each under the key of its place. An S-box whose parties
/// agree on fewer keys would be right as well, and give the offset away.
#[test]
fn each_ciphertext_has_a_key_of_its_own() {
    for seed in 0..4 {
        let (zeros, offset) = (random(8, seed), offset(seed));
        let (_, tables) = garble(AesLevel::detect(), &zeros, offset);
        let x = coordinates(zeros.as_slice().try_into().expect("eight"));
        // Pairs 4 to 11 before the gates, 12 to 21 for these, 22 to 29 after them.
        let mut plain = Plain { offset, key: 2 * 4, vector: Vec::new(), ciphertexts: Vec::new() };
        let norm = plain.norm(&x);
        assert_eq!(plain.key, 2 * 4 + 15);
        let (delta, mut gates) = (Delta::from_element(offset), Vec::new());
        let mut garbler = GateGarbler::<ThreeHalves>::new(&delta, START, 12, &mut gates);
        let inverse = s_box_inverse(&mut garbler, norm.map(ZeroWire::new)).expect("garbles");
        assert_eq!(garbler.finish(), Ok(22));
        plain.key = 2 * 22;
        plain.last(&x, &inverse.each_ref().map(ZeroWire::label));
        assert_eq!((plain.key, plain.ciphertexts.len()), (2 * 22 + 15, 30));

        let halves =
            |tables: &[u8]| tables.chunks(25).flat_map(|table| table[..24].to_vec()).collect::<Vec<_>>();
        let sent = [halves(&tables[..250]), halves(&tables[375..])].concat();
        let plain: Vec<u8> = plain.ciphertexts.iter().flat_map(|ciphertext| ciphertext.to_bytes()).collect();
        assert!(sent == plain && tables[250..375] == gates);
    }
}
