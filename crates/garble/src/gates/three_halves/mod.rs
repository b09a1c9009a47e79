//! Three halves make a whole: 24 bytes and three bits for each AND.
//!
//! Rosulek and Roy, "Three Halves Make a Whole? Beating the Half-Gates Lower Bound for Garbled Circuits",
//! CRYPTO 2021 (ePrint 2021/749): labels are cut into halves of 64 bits, and a gate's table is three such
//! halves and five bits. Here it is three bits, because two of the five can always be zero. This module
//! describes the construction as implemented here. We derived the matrices that hide the colours again, by
//! solving the paper's linear conditions.
//!
//! # The equations
//!
//! Let `A_i`, `B_j` be the labels of the inputs with colours `i` and `j`, `A_i = (l, r)` high and low half.
//! The gate hashes
//!
//! ```text
//! x_i = H(A_i)      y_j = H'(B_j)      z_k = H''(A_0 + B_0 + k D) = H''(A_i + B_j)  for  k = i + j
//! ```
//!
//! and the evaluator, which sees colours `i` and `j`, computes the halves of its output label (hashes cut to
//! 64 bits) as
//!
//! ```text
//! high = x_i + z_k + i G_0         + k G_2 + (i + a) U + b W                    U = A.l + A.r + B.l
//! low  = y_j + z_k         + j G_1 + k G_2 + j A.r + a W + b (U + W)            W = A.l + B.r
//! ```
//!
//! Call this without the `G` terms `f(i, j)`. The output must be `C + t_ij D` for the gate's truth table in
//! colours, `t_ij = (i + alpha)(j + beta)`, with `alpha`, `beta` the colours of the inputs' labels of 0.
//! These are eight equations for the halves of `C` and the three `G`; five of them define these,
//!
//! ```text
//! C        = f(0,0) + t_00 D
//! G_2      = f(0,1) + t_01 D + C           high halves
//! G_0      = f(1,0) + t_10 D + C + G_2     high halves
//! G_1      = f(0,1) + t_01 D + C + G_2     low halves
//! ```
//!
//! and the other three hold for all labels and hashes if the bits `(a, b)`, which depend on `(i, j)`, are
//!
//! ```text
//! (i, j)     a                     b
//! (0, 0)     d                     e
//! (0, 1)     d + alpha + beta      e + alpha
//! (1, 0)     d + beta              e + alpha + beta
//! (1, 1)     d + alpha             e + beta
//! ```
//!
//! for any `d` and `e`: hashes cancel because they span only five of eight dimensions, and labels and offset
//! cancel too, which the tests check for every case. The evaluator sees one row of the four. If `d` and `e`
//! are random ("dicing"), it sees two random bits that say nothing about `alpha` and `beta`.
//!
//! The bits are sent in the same way as the labels: with `e(.)` one more bit of each hash, and the rows
//! (1,0), (0,1) and (0,1) as definitions of `g_0`, `g_1` and `g_2`,
//!
//! ```text
//! a = e(x_i) + e(z_k) + i g_0 + k g_2                d = e(x_0) + e(z_0)          g_0 = e(x_0) + e(x_1) + alpha
//! b = e(y_j) + e(z_k) + j g_1 + k g_2                e = e(y_0) + e(z_0)          g_1 = e(y_0) + e(y_1) + beta
//!                                                                                 g_2 = e(z_0) + e(z_1) + alpha + beta
//! ```
//!
//! The other rows hold because the `a` sum to zero, the `b` too, and `a_00 + a_01 = b_00 + b_10`. The paper's
//! other two bits are constants in these equations, which let the garbler choose `d` and `e`. Without them
//! the hashes choose, as they choose `C`. That is the table: `G_0 || G_1 || G_2`, 8 bytes each, and a byte of
//! the three bits, `g_0` lowest. ([`two_party`](crate::two_party) sends the bits of eight gates in three
//! bytes.)
//!
//! # Why it is secure
//!
//! Of each of `x`, `y`, `z` the evaluator has one hash and lacks the other. `G_0 = x_0 + x_1 + ..`, `G_1 =
//! y_0 + y_1 + ..` and `G_2 = z_0 + z_1 + ..`, where the rest are sums of halves of labels. So each has a
//! missing hash of its own, and so does each of the bits `g_0`, `g_1`, `g_2`. The table is therefore
//! uniformly random, whatever `alpha` and `beta` are, and so are `a` and `b`, which the evaluator computes
//! from its own hashes and the table. A simulator that draws the halves and the `g` at random is right, if a
//! missing hash plus a half of the offset, in the low half, looks random, together with the bit `e(.)` of its
//! high half. The module `hash` shows this for its hash. A gate has four keys, and the fourth is not used.

#[cfg(target_arch = "x86_64")]
mod x86;

use volery_field::Gf128;

use super::scheme::private::Gate;
#[cfg(target_arch = "x86_64")]
use crate::hash::Keys;
use crate::hash::Pair;

/// Three halves: 24 bytes and three bits for each AND, with six hashes at the garbler and three at the
/// evaluator. The choice for every ordinary network.
#[derive(Clone, Copy, Debug)]
pub enum ThreeHalves {}

/// All bits of a half set if `bit` is, else none.
#[inline(always)]
fn mask(bit: u8) -> u64 {
    u64::from(bit & 1).wrapping_neg()
}

#[inline(always)]
fn high(x: Gf128) -> u64 {
    (x.to_bits() >> 64) as u64
}

#[inline(always)]
fn low(x: Gf128) -> u64 {
    x.to_bits() as u64
}

/// The bit of a hash that masks control bits.
#[inline(always)]
fn extra(hash: Gf128) -> u8 {
    (high(hash) & 1) as u8
}

/// The hashes of one combination of colours.
#[derive(Clone, Copy)]
struct Hashes {
    x: Gf128,
    y: Gf128,
    z: Gf128,
}

/// `(a, b)` of the rows (0,0), (0,1), (1,0) and (1,1), for the colours of the labels of 0 and the dice.
#[inline(always)]
pub(super) fn control_bits(alpha: u8, beta: u8, d: u8, e: u8) -> [[u8; 2]; 4] {
    [[d, e], [d ^ alpha ^ beta, e ^ alpha], [d ^ beta, e ^ alpha ^ beta], [d ^ alpha, e ^ beta]]
}

/// `f(i, j)`: the output's halves, high and low, without the table, for labels `x` and `y` and control bits
/// `a` and `b`.
#[inline(always)]
fn without_table(x: Gf128, y: Gf128, hashes: Hashes, [a, b]: [u8; 2]) -> [u64; 2] {
    let (i, j) = (x.lsb().to_u8(), y.lsb().to_u8());
    let u = high(x) ^ low(x) ^ high(y);
    let w = high(x) ^ low(y);
    let z = low(hashes.z);
    [
        low(hashes.x) ^ z ^ (u & mask(i ^ a)) ^ (w & mask(b)),
        low(hashes.y) ^ z ^ (low(x) & mask(j)) ^ (w & mask(a)) ^ ((u ^ w) & mask(b)),
    ]
}

impl Gate for ThreeHalves {
    const NAME: &'static str = "three halves";
    const ONE_HOT: bool = true;
    const PAIRS: usize = 2;
    const TABLE_BYTES: usize = 25;

    #[inline(always)]
    fn garbler_labels(x: Gf128, y: Gf128, offset: Gf128, out: &mut [[Pair; 2]]) {
        if let [first, second] = out {
            // Indexed by colour.
            let (x, y) = (x + offset * x.lsb(), y + offset * y.lsb());
            *first = [[x, y], [x + offset, y + offset]];
            *second = [[x + y, x], [x + y + offset, x + offset]];
        }
    }

    #[inline(always)]
    fn garble(x: Gf128, y: Gf128, offset: Gf128, hashes: &[[Pair; 2]], tables: &mut Vec<u8>) -> Gf128 {
        let [[[x0, y0], [x1, y1]], [[z0, _], [z1, _]]] = *hashes else { return Gf128::ZERO };
        let (alpha, beta) = (x.lsb().to_u8(), y.lsb().to_u8());
        let (x, y) = (x + offset * x.lsb(), y + offset * y.lsb());
        let (d, e) = (extra(x0) ^ extra(z0), extra(y0) ^ extra(z0));

        // The combinations of colours that define the table, and the truth value of each.
        let [control_00, control_01, control_10, _] = control_bits(alpha, beta, d, e);
        let term = |truth: u8| [high(offset) & mask(truth), low(offset) & mask(truth)];
        let f_00 = without_table(x, y, Hashes { x: x0, y: y0, z: z0 }, control_00);
        let f_01 = without_table(x, y + offset, Hashes { x: x0, y: y1, z: z1 }, control_01);
        let f_10 = without_table(x + offset, y, Hashes { x: x1, y: y0, z: z1 }, control_10);
        let t_00 = term(alpha & beta);
        let t_01 = term(alpha & (beta ^ 1));
        let t_10 = term((alpha ^ 1) & beta);

        let c = [f_00[0] ^ t_00[0], f_00[1] ^ t_00[1]];
        let g2 = f_01[0] ^ t_01[0] ^ c[0];
        let g0 = f_10[0] ^ t_10[0] ^ c[0] ^ g2;
        let g1 = f_01[1] ^ t_01[1] ^ c[1] ^ g2;

        let bit_2 = control_01[0] ^ extra(x0) ^ extra(z1);
        let bit_0 = control_10[0] ^ extra(x1) ^ extra(z1) ^ bit_2;
        let bit_1 = control_01[1] ^ extra(y1) ^ extra(z1) ^ bit_2;
        let bits = bit_0 | bit_1 << 1 | bit_2 << 2;

        let mut table = [0; Self::TABLE_BYTES];
        for (place, half) in table.chunks_exact_mut(8).zip([g0, g1, g2]) {
            place.copy_from_slice(&half.to_le_bytes());
        }
        table[24] = bits;
        tables.extend_from_slice(&table);
        Gf128::from_bits(u128::from(c[0]) << 64 | u128::from(c[1]))
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn garble_in_registers(
        keys: &mut Keys,
        x: &Gf128,
        y: &Gf128,
        offset: &Gf128,
        tables: &mut Vec<u8>,
    ) -> Option<Gf128> {
        let keys = keys.next_gate()?;
        let (mut product, mut table) = (Gf128::ZERO, [0; Self::TABLE_BYTES]);
        // SAFETY: keys for registers are given only where the CPU has these instructions.
        unsafe { x86::garble(keys, x, y, offset, &mut product, &mut table) };
        tables.extend_from_slice(&table);
        Some(product)
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn evaluate_in_registers(keys: &mut Keys, x: &Gf128, y: &Gf128, table: &[u8]) -> Option<Gf128> {
        let table = table.first_chunk()?;
        let keys = keys.next_gate()?;
        let mut product = Gf128::ZERO;
        // SAFETY: keys for registers are given only where the CPU has these instructions.
        unsafe { x86::evaluate(keys, x, y, table, &mut product) };
        Some(product)
    }

    #[inline(always)]
    fn evaluator_labels(x: Gf128, y: Gf128, out: &mut [[Pair; 1]]) {
        if let [first, second] = out {
            *first = [[x, y]];
            // Nobody uses the fourth hash.
            *second = [[x + y, x]];
        }
    }

    #[inline(always)]
    fn evaluate(x: Gf128, y: Gf128, hashes: &[[Pair; 1]], table: &[u8]) -> Gf128 {
        let &[[[hx, hy]], [[hz, _]]] = hashes else { return Gf128::ZERO };
        let ([g0, g1, g2], [bits]) = table.as_chunks() else { return Gf128::ZERO };
        let (i, j) = (x.lsb().to_u8(), y.lsb().to_u8());
        let k = i ^ j;
        let bit = |n: u8| bits >> n & 1;
        let shared = (bit(2) & k) ^ extra(hz);
        let a = extra(hx) ^ shared ^ (bit(0) & i);
        let b = extra(hy) ^ shared ^ (bit(1) & j);
        let [upper, lower] = without_table(x, y, Hashes { x: hx, y: hy, z: hz }, [a, b]);
        let [g0, g1, g2] = [g0, g1, g2].map(|half| u64::from_le_bytes(*half));
        let third = g2 & mask(k);
        let upper = upper ^ third ^ (g0 & mask(i));
        let lower = lower ^ third ^ (g1 & mask(j));
        Gf128::from_bits(u128::from(upper) << 64 | u128::from(lower))
    }
}
