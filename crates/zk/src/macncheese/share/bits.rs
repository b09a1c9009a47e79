//! Shares over bits: MACs in GF(2^128), the value in the tag's lowest bit (see [`crate::quicksilver`]).

use volery_field::{F2, Gf128, Gf256, LengthError, Mac, Ring, Value, gf128::Kernel};
use volery_vole::{Delta, Prg};
use zeroize::Zeroizing;

use super::{Mask, Share, lengths};
use crate::Error;
use crate::shares::ElementShare;

/// The number of words of bits that are gathered at once.
const WORDS: usize = 16;

/// P's shares over bits.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProverBits;

/// V's shares over bits.
#[derive(Clone)]
pub struct VerifierBits {
    delta: Zeroizing<Gf128>,
}

impl VerifierBits {
    /// V's shares under the key `delta`.
    #[must_use]
    pub fn new(delta: &Delta) -> Self {
        Self { delta: Zeroizing::new(delta.expose()) }
    }
}

#[inline(always)]
fn select(write: Mask, random: Gf128, chosen: Gf128) -> Gf128 {
    let mask = u128::from(write) << 64 | u128::from(write);
    Gf128::from_bits(random.to_bits() ^ (random.to_bits() ^ chosen.to_bits()) & mask)
}

fn packed_bits(random: &[Gf128]) -> Gf128 {
    Gf128::from_bits(random.iter().take(128).rev().fold(0, |bits, a| bits << 1 | a.to_bits() & 1))
}

fn packed(random: &[Gf128]) -> Gf128 {
    let random = &random[..random.len().min(128)];
    let horner = |_: LengthError| random.iter().rev().fold(Gf128::ZERO, |sum, a| sum.mul_x() + *a);
    Kernel::detect().pack(random).unwrap_or_else(horner)
}

/// `sum c_i x_i` over the lowest bits of tags.
fn combine_bits(x: &[Gf128], c: &[Gf128]) -> Result<Gf128, LengthError> {
    let (kernel, mut sum) = (Kernel::detect(), Gf128::ZERO);
    let mut words = Zeroizing::new([0; WORDS]);
    for (x, c) in x.chunks(64 * WORDS).zip(c.chunks(64 * WORDS)) {
        for (word, x) in words.iter_mut().zip(x.chunks(64)) {
            *word = x.iter().rev().fold(0, |word, x| word << 1 | x.to_bits() as u64 & 1);
        }
        sum += kernel.inner_product_bits(c, &words[..x.len().div_ceil(64)])?;
    }
    Ok(sum)
}

/// The coordinates of an element of AES's field.
fn byte(x: Gf256) -> u8 {
    let mut out = [0];
    // One byte is what an element takes.
    let encoded = x.encode(&mut out);
    debug_assert!(encoded.is_ok());
    out[0]
}

macro_rules! common {
    () => {
        type Value = F2;
        type Mac = Gf128;
        type Wire = Gf128;
        const DEGREE: usize = 128;

        #[inline(always)]
        fn add(x: Gf128, y: Gf128) -> Gf128 {
            x + y
        }

        #[inline(always)]
        fn sub(x: Gf128, y: Gf128) -> Gf128 {
            x + y
        }

        #[inline(always)]
        fn scale(x: Gf128, c: F2) -> Gf128 {
            x * c
        }

        #[inline(always)]
        fn tag(x: Gf128) -> Gf128 {
            x
        }

        fn point(i: usize) -> Gf128 {
            Gf128::from_bits(i as u128)
        }

        fn select(write: Mask, other: F2, chosen: F2) -> F2 {
            F2::from_lsb(u64::from(other.to_u8()) ^ u64::from(other.to_u8() ^ chosen.to_u8()) & write)
        }

        fn dot(a: &[Gf128], b: &[Gf128]) -> Result<Gf128, Error> {
            Kernel::detect().inner_product(a, b).map_err(lengths)
        }

        fn scale_add(e: Gf128, a: &[Gf128], out: &mut [Gf128]) -> Result<(), Error> {
            Kernel::detect().scale_add(e, a, out).map_err(lengths)
        }

        fn products(a: &[Gf128], b: &[Gf128], out: &mut [Gf128]) -> Result<(), Error> {
            Kernel::detect().mul_slices(a, b, out).map_err(lengths)
        }

        type Point = Gf256;
        const GROUP: usize = 8;

        fn mixing_point(byte: u8) -> Gf256 {
            Gf256::digit(byte)
        }

        fn lift_point(c: Gf256) -> Gf128 {
            <Gf128 as Mac<Gf256>>::embed(c)
        }

        fn mix(c: Gf256, x: &[Gf128], out: &mut [Gf128]) {
            let c = byte(c);
            for (x, out) in x.as_chunks::<8>().0.iter().zip(out.as_chunks_mut::<8>().0) {
                let mut x = *x;
                for k in 0..8 {
                    if c >> k & 1 == 1 {
                        out.iter_mut().zip(&x).for_each(|(out, x)| *out += *x);
                    }
                    // Times the root of x^8 + x^4 + x^3 + x + 1, AES's polynomial.
                    x.rotate_right(1);
                    let top = x[0];
                    [1, 3, 4].into_iter().for_each(|i| x[i] += top);
                }
            }
        }

        fn mix_values(c: Gf256, x: &[F2], out: &mut [F2]) {
            for (x, out) in x.as_chunks::<8>().0.iter().zip(out.as_chunks_mut::<8>().0) {
                let x = Gf256::digit(x.iter().rev().fold(0, |byte, bit| byte << 1 | bit.to_u8()));
                let product = byte(c * x);
                out.iter_mut().enumerate().for_each(|(i, out)| *out += F2::from_lsb(u64::from(product >> i)));
            }
        }

        const BITS: u32 = 1;

        fn bytes(n: usize) -> usize {
            n.div_ceil(8)
        }

        fn capacity(bytes: usize) -> usize {
            bytes.saturating_mul(8)
        }

        fn put(values: &[F2], out: &mut Vec<u8>) {
            out.extend(
                values.chunks(8).map(|bits| bits.iter().rev().fold(0, |byte, bit| byte << 1 | bit.to_u8())),
            );
        }

        fn get(bytes: &[u8], n: usize) -> Result<Vec<F2>, String> {
            if bytes.len() != Self::bytes(n) {
                return Err(format!("{n} bits take {} bytes, not {}", Self::bytes(n), bytes.len()));
            }
            let padding = bytes.last().is_some_and(|last| n % 8 != 0 && last >> (n % 8) != 0);
            if padding {
                return Err("the bits after the last one are not zero".into());
            }
            let mut bits = Vec::with_capacity(8 * bytes.len());
            bits.extend(
                bytes.iter().flat_map(|byte| (0..8).map(move |i| F2::from_lsb(u64::from(byte >> i)))),
            );
            bits.truncate(n);
            Ok(bits)
        }

        fn uniform(prg: &mut Prg, out: &mut [F2]) {
            for bits in out.chunks_mut(128) {
                let block = Zeroizing::new(prg.block().to_bits());
                bits.iter_mut().enumerate().for_each(|(i, bit)| *bit = F2::from_lsb((*block >> i) as u64));
            }
        }

        fn check_embedded(
            run: &mut super::super::Run<'_, Self>,
            block: &super::super::block::Block<Self>,
        ) -> Result<[u8; 16], Error> {
            super::super::multiply::embedded::check(run, block)
        }
    };
}

impl Share for ProverBits {
    common!();
    const KNOWS: bool = true;

    #[inline(always)]
    fn constant(&self, c: F2) -> Gf128 {
        Gf128::from(c)
    }

    #[inline(always)]
    fn value(x: Gf128) -> F2 {
        x.lsb()
    }

    #[inline(always)]
    fn embedded(x: Gf128) -> Gf128 {
        Gf128::from(x.lsb())
    }

    #[inline(always)]
    fn embedded_times(x: Gf128, c: Gf128) -> Gf128 {
        c * x.lsb()
    }

    #[inline(always)]
    fn commit(write: Mask, random: Gf128, x: F2) -> Gf128 {
        select(write, random, random.with_lsb(x))
    }

    #[inline(always)]
    fn commit_product(write: Mask, random: Gf128, x: Gf128, y: Gf128) -> Gf128 {
        select(write, random, random.with_lsb_product(x, y))
    }

    fn element_constant(&self, c: Gf128) -> ElementShare<Gf128> {
        ElementShare { x: c, m: Gf128::ZERO }
    }

    fn lift(x: Gf128) -> ElementShare<Gf128> {
        ElementShare { x: Self::embedded(x), m: x }
    }

    fn pack(random: &[Gf128]) -> ElementShare<Gf128> {
        ElementShare { x: packed_bits(random), m: packed(random) }
    }

    fn combine(x: &[Gf128], c: &[Gf128]) -> Result<ElementShare<Gf128>, Error> {
        let tag = Kernel::detect().inner_product(c, x).map_err(lengths)?;
        Ok(ElementShare { x: combine_bits(x, c).map_err(lengths)?, m: tag })
    }
}

impl Share for VerifierBits {
    common!();
    const KNOWS: bool = false;

    #[inline(always)]
    fn constant(&self, c: F2) -> Gf128 {
        (*self.delta + Gf128::ONE) * c
    }

    #[inline(always)]
    fn value(_x: Gf128) -> F2 {
        F2::ZERO
    }

    #[inline(always)]
    fn embedded(_x: Gf128) -> Gf128 {
        Gf128::ZERO
    }

    #[inline(always)]
    fn embedded_times(_x: Gf128, _c: Gf128) -> Gf128 {
        Gf128::ZERO
    }

    #[inline(always)]
    fn commit(_write: Mask, random: Gf128, _x: F2) -> Gf128 {
        random
    }

    #[inline(always)]
    fn commit_product(_write: Mask, random: Gf128, _x: Gf128, _y: Gf128) -> Gf128 {
        random
    }

    fn element_constant(&self, c: Gf128) -> ElementShare<Gf128> {
        ElementShare { x: Gf128::ZERO, m: c * *self.delta }
    }

    fn lift(x: Gf128) -> ElementShare<Gf128> {
        ElementShare { x: Gf128::ZERO, m: x }
    }

    fn pack(random: &[Gf128]) -> ElementShare<Gf128> {
        ElementShare { x: Gf128::ZERO, m: packed(random) }
    }

    fn combine(x: &[Gf128], c: &[Gf128]) -> Result<ElementShare<Gf128>, Error> {
        let key = Kernel::detect().inner_product(c, x).map_err(lengths)?;
        Ok(ElementShare { x: Gf128::ZERO, m: key })
    }
}
