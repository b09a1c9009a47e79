//! Tests that every kernel which this CPU can run agrees with the portable one.
//!
//! Lengths 0 to 67 cover every tail of vectors of 1, 2 and 4 elements and of groups of four vectors. Special
//! elements are mixed in. Slices start at odd places, so that no kernel can rely on more than an element's
//! alignment.

use super::dispatch::Level;
use super::{Gf128, Kernel, RUN};
use crate::LengthError;
use crate::laws::Words;

/// The lengths on which every kernel is tested.
const LENGTHS: core::ops::Range<usize> = 0..68;

/// A reproducible stream of elements. Every fourth is a special one.
struct Elements(Words);

impl Elements {
    fn word(&mut self) -> u64 {
        self.0.word()
    }

    fn element(&mut self) -> Gf128 {
        let special = [0, 1, u128::MAX, 1 << 127, 1 << 64, (1 << 64) - 1, 0x87, 2];
        match self.word() {
            word if word % 4 == 0 => Gf128::from_bits(special[(word / 4 % 8) as usize]),
            word => Gf128::from_bits(u128::from(word) << 64 | u128::from(self.word())),
        }
    }

    fn vector(&mut self, len: usize) -> Vec<Gf128> {
        (0..len).map(|_| self.element()).collect()
    }
}

/// Runs `test` on each kernel except the portable one, together with the portable one, for all lengths and
/// several offsets.
fn for_each_kernel(test: impl Fn(Kernel, Kernel, &mut Elements, usize, usize)) {
    let portable = Kernel::new(Level::Portable).unwrap();
    let mut elements = Elements(Words(1));
    for kernel in Kernel::available() {
        for (length, offset) in LENGTHS.flat_map(|length| (0..4).map(move |offset| (length, offset))) {
            test(kernel, portable, &mut elements, length, offset);
        }
    }
}

#[test]
fn inner_products_agree() {
    for_each_kernel(|kernel, portable, elements, length, offset| {
        let (a, b) = (elements.vector(length + offset), elements.vector(length + 3));
        let (a, b) = (&a[offset..], &b[3..]);
        let expected: Gf128 = a.iter().zip(b).map(|(&a, &b)| a * b).sum();
        assert_eq!(portable.inner_product(a, b), Ok(expected));
        assert_eq!(kernel.inner_product(a, b), Ok(expected), "{kernel:?}, {length} from {offset}");
    });
}

#[test]
fn inner_products_with_bits_agree() {
    for_each_kernel(|kernel, portable, elements, length, offset| {
        // Longer than a word, and with bits set past the end.
        let length = 3 * length;
        let a = elements.vector(length + offset);
        let a = &a[offset..];
        let bits: Vec<u64> = (0..length.div_ceil(64)).map(|_| elements.word()).collect();
        let chosen = a.iter().enumerate().filter(|(i, _)| bits[i / 64] >> (i % 64) & 1 == 1);
        let expected: Gf128 = chosen.map(|(_, &a)| a).sum();
        assert_eq!(portable.inner_product_bits(a, &bits), Ok(expected));
        assert_eq!(kernel.inner_product_bits(a, &bits), Ok(expected), "{kernel:?}, {length} from {offset}");
    });
}

#[test]
fn weighted_sums_of_runs_agree() {
    for_each_kernel(|kernel, portable, elements, length, offset| {
        // More than eight runs at the most.
        let length = 17 * length + length / 67 * 9 * RUN;
        let (c, a) = (elements.vector(length.div_ceil(RUN)), elements.vector(length + offset));
        let a = &a[offset..];
        let mut expected = [Gf128::ZERO; 2];
        for (c, run) in c.iter().zip(a.chunks(RUN)) {
            let sum =
                |of: fn(Gf128) -> Gf128| run.iter().rev().fold(Gf128::ZERO, |sum, a| sum.mul_x() + of(*a));
            expected[0] += *c * sum(|a| a);
            expected[1] += *c * sum(|a| Gf128::from(a.lsb()));
        }
        for kernel in [portable, kernel] {
            assert_eq!(kernel.weigh_prover(&c, a), Ok(expected), "{kernel:?}, {length} from {offset}");
            assert_eq!(kernel.weigh_verifier(&c, a), Ok(expected[0]), "{kernel:?}, {length} from {offset}");
        }
    });
}

#[test]
fn powers_agree() {
    for_each_kernel(|kernel, portable, elements, length, offset| {
        let x = elements.element();
        let (mut expected, mut got) = (elements.vector(length + offset), vec![Gf128::ONE; length + offset]);
        portable.powers(x, &mut expected[offset..]);
        kernel.powers(x, &mut got[offset..]);
        assert_eq!(expected[offset..], got[offset..], "{kernel:?}, {length} from {offset}");
        assert!(got[..offset].iter().all(|&before| before == Gf128::ONE));
        let mut power = Gf128::ONE;
        for &got in &got[offset..] {
            power *= x;
            assert_eq!(got, power);
        }
    });
}

#[test]
fn products_of_slices_agree() {
    for_each_kernel(|kernel, portable, elements, length, offset| {
        let (a, b) = (elements.vector(length + offset), elements.vector(length + 1));
        let (a, b) = (&a[offset..], &b[1..]);
        let expected: Vec<_> = a.iter().zip(b).map(|(&a, &b)| a * b).collect();
        for kernel in [portable, kernel] {
            let mut got = elements.vector(length);
            assert_eq!(kernel.mul_slices(a, b, &mut got), Ok(()));
            assert_eq!(got, expected, "{kernel:?}, {length} from {offset}");
        }
    });
}

#[test]
fn scaled_sums_agree() {
    for_each_kernel(|kernel, portable, elements, length, offset| {
        let (a, before) = (elements.vector(length + offset), elements.vector(length));
        let (a, scale) = (&a[offset..], elements.element());
        let expected: Vec<_> = before.iter().zip(a).map(|(&out, &a)| out + scale * a).collect();
        for kernel in [portable, kernel] {
            let mut got = before.clone();
            assert_eq!(kernel.scale_add(scale, a, &mut got), Ok(()));
            assert_eq!(got, expected, "{kernel:?}, {length} from {offset}");
        }
    });
}

#[test]
fn packing_agrees_with_horner() {
    for_each_kernel(|kernel, _, elements, length, offset| {
        let a = elements.vector(2 * length.min(64));
        let expected = a.iter().rev().fold(Gf128::ZERO, |sum, &a| sum.mul_x() + a);
        assert_eq!(kernel.pack(&a), Ok(expected), "{kernel:?}, {length} from {offset}");
        let error = LengthError { what: "the vector to pack", expected: 128, got: 129 };
        assert_eq!(kernel.pack(&[Gf128::ONE; 129]), Err(error));
    });
}

/// Lengths that a check or a weighted sum may have: those of `for_each_kernel`, and around whole runs.
fn around_runs(length: usize) -> [usize; 3] {
    [length, length + 120, 5 * length]
}

#[test]
fn checks_agree_with_their_formulas() {
    for_each_kernel(|kernel, portable, elements, length, offset| {
        for length in around_runs(length) {
            let vectors: [_; 3] = core::array::from_fn(|i| elements.vector(length + (offset + i) % 4));
            let [a, b, c] = core::array::from_fn(|i| &vectors[i][(offset + i) % 4..]);
            let weights = elements.vector(length.div_ceil(RUN));
            let (mut products, mut mixed, mut linear) = (Gf128::ZERO, Gf128::ZERO, Gf128::ZERO);
            let mut weight = Gf128::ZERO;
            for i in 0..length {
                weight = if i % RUN == 0 { weights[i / RUN] } else { weight.mul_x() };
                products += weight * a[i] * b[i];
                mixed += weight * (b[i] * a[i].lsb() + a[i] * b[i].lsb() + c[i]);
                linear += weight * c[i];
            }
            for kernel in [portable, kernel] {
                let context = format!("{kernel:?}, {length} from {offset}");
                assert_eq!(kernel.check_prover(&weights, a, b, c), Ok((products, mixed)), "{context}");
                assert_eq!(kernel.check_verifier(&weights, a, b, c), Ok((products, linear)), "{context}");
            }
        }
    });
}

/// One wrong product, at each place of a run, and any number of them.
#[test]
fn an_honest_prover_passes_the_check_and_wrong_products_fail() {
    let mut elements = Elements(Words(2));
    let delta = elements.element().with_lsb(crate::F2::ONE);
    for kernel in Kernel::available() {
        for length in [1_usize, 2, 3, 8, 65, 128, 129, 300] {
            // None of them is special.
            let mut weight = || u128::from(elements.word()) << 64 | u128::from(elements.word());
            let weights: Vec<_> = (0..length.div_ceil(RUN)).map(|_| Gf128::from_bits(weight())).collect();
            let (a, b) = (elements.vector(length), elements.vector(length));
            let mut c = elements.vector(length);
            for i in 0..length {
                c[i] = c[i].with_lsb(a[i].lsb() * b[i].lsb());
            }
            let key = |wires: &[Gf128]| -> Vec<_> { wires.iter().map(|&m| m + delta * m.lsb()).collect() };
            let passes = |c: &[Gf128]| {
                let (u, v) = kernel.check_prover(&weights, &a, &b, c).unwrap();
                let (first, second) = kernel.check_verifier(&weights, &key(&a), &key(&b), &key(c)).unwrap();
                first + second * delta == u + v * delta
            };
            assert!(passes(&c), "{kernel:?}, {length}");
            let wrong = |all: &mut dyn Iterator<Item = usize>| {
                let mut c = c.clone();
                all.for_each(|i| c[i] = c[i].with_lsb(c[i].lsb() + crate::F2::ONE));
                assert!(!passes(&c), "{kernel:?}, {length}");
            };
            (0..length).for_each(|i| wrong(&mut core::iter::once(i)));
            wrong(&mut (0..length));
            for _ in 0..20 {
                let bits = elements.vector(length);
                let odd = |i: &usize| bits[*i].lsb() == crate::F2::ONE;
                wrong(
                    &mut (0..length)
                        .filter(odd)
                        .chain([0])
                        .collect::<std::collections::BTreeSet<_>>()
                        .into_iter(),
                );
            }
        }
    }
}

#[test]
fn transposed_bits_are_where_they_belong() {
    let mut elements = Elements(Words(3));
    for kernel in Kernel::available() {
        for columns in (0..140_usize).chain([255, 256, 257, 511, 512, 513, 640, 1024, 1031]) {
            let stride = columns.div_ceil(8) + columns % 3;
            let rows: Vec<u8> = (0..128 * stride).map(|_| elements.word() as u8).collect();
            let mut out = elements.vector(columns);
            assert_eq!(kernel.transpose(&rows, stride, &mut out), Ok(()));
            for (j, column) in out.iter().enumerate() {
                let expected = (0..128)
                    .fold(0, |column, i| column | u128::from(rows[i * stride + j / 8] >> (j % 8) & 1) << i);
                assert_eq!(column.to_bits(), expected, "{kernel:?}, column {j} of {columns}");
            }
        }
    }
}

/// From any block on, as the bits of the same columns in bytes.
#[test]
fn columns_of_blocks_are_transposed_from_any_block_on() {
    let mut elements = Elements(Words(4));
    for kernel in Kernel::available() {
        for blocks in (0..7_usize).chain([9, 16]) {
            let columns = elements.vector(128 * blocks);
            for first in 0..=blocks {
                for bits in [0, 1, 127, 128, 129, 512, 640].into_iter().chain([128 * (blocks - first)]) {
                    let bits = bits.min(128 * (blocks - first));
                    let mut out = elements.vector(bits);
                    assert_eq!(kernel.transpose_columns(&columns, first, &mut out), Ok(()));
                    for (j, row) in out.iter().enumerate() {
                        let bit = |i: usize| columns[i * blocks + first + j / 128].to_bits() >> (j % 128) & 1;
                        let expected = (0..128).fold(0, |row, i| row | bit(i) << i);
                        assert_eq!(row.to_bits(), expected, "{kernel:?}, row {j} of {bits} from {first}");
                    }
                }
            }
        }
    }
}

#[test]
fn vectors_that_do_not_fit_are_refused() {
    let (two, mut three) = ([Gf128::ONE; 2], [Gf128::ZERO; 3]);
    for kernel in Kernel::available() {
        let three_elements = three;
        let error = |what, expected, got| LengthError { what, expected, got };
        let factor = error("the second factor", 2, 3);
        assert_eq!(kernel.inner_product(&two, &three_elements), Err(factor));
        assert_eq!(kernel.mul_slices(&two, &three_elements, &mut three), Err(factor));
        assert_eq!(kernel.mul_slices(&two, &two, &mut three), Err(error("the output", 2, 3)));
        assert_eq!(kernel.scale_add(two[0], &two, &mut three), Err(error("the output", 2, 3)));
        for words in [0, 2] {
            let error = error("the vector of 64-bit words", 1, words);
            assert_eq!(kernel.inner_product_bits(&two, &[0, 0][..words]), Err(error));
        }
        let weight = &two[..1];
        for (a, b, what) in [
            (&two[..], &three_elements[..], "the vector of right inputs"),
            (&two, &two, "the vector of products"),
        ] {
            let expected = Err(error(what, 2, 3));
            assert_eq!(kernel.check_prover(weight, a, b, &three_elements), expected);
            assert_eq!(kernel.check_verifier(weight, a, b, &three_elements), expected);
        }
        for weights in [0, 2] {
            let expected = Err(error("the vector of weights", 1, weights));
            assert_eq!(kernel.check_prover(&two[..weights], &two, &two, &two), expected);
            assert_eq!(kernel.check_verifier(&two[..weights], &two, &two, &two), expected);
        }
        for coefficients in [0, 2] {
            let error = error("the vector of coefficients", 1, coefficients);
            assert_eq!(kernel.weigh_prover(&two[..coefficients], &three_elements), Err(error));
            assert_eq!(kernel.weigh_verifier(&two[..coefficients], &three_elements), Err(error));
        }
        assert!(kernel.transpose(&[0; 127], 1, &mut three).is_err());
        assert!(kernel.transpose(&[0; 128], 1, &mut [Gf128::ZERO; 9]).is_err());
        assert!(kernel.transpose(&[0; 128], usize::MAX, &mut three).is_err());
        let columns = [Gf128::ONE; 256];
        assert!(kernel.transpose_columns(&columns[1..], 0, &mut three).is_err());
        assert!(kernel.transpose_columns(&columns[..0], 0, &mut three).is_err());
        for first in [2, 3, usize::MAX] {
            assert!(kernel.transpose_columns(&columns, first, &mut three).is_err());
            assert_eq!(kernel.transpose_columns(&columns, first, &mut []), Ok(()));
        }
    }
    assert_eq!(three, [Gf128::ZERO; 3], "a refused call wrote something");
}

#[test]
fn the_detected_kernel_is_the_fastest_available() {
    let best = Kernel::available().map(Kernel::level).max();
    assert_eq!(Some(Kernel::detect().level()), best);
}
