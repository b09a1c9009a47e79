//! The reverse multiplication-friendly embedding (15, 45) over F2 (section 4.4; Cascudo, Cramer, Xing, Yuan,
//! CRYPTO 2018).
//!
//! Linear maps `phi: F2^15 -> GF(2^45)` and `psi: GF(2^45) -> F2^15` with `x * y = psi(phi(x) phi(y))`, `*`
//! bit by bit: one product in GF(2^45) gives fifteen ANDs. Two embeddings by interpolation make them, one
//! inside the other:
//!
//! * (3, 5) over F2: three bits are the values at 0, 1 and infinity of a polynomial of degree 2 over F2,
//!   which is an element of GF(32). A product has degree 4, so no reduction changes it, and its values can be
//!   read.
//! * (5, 9) over GF(32): five elements are the values at five places of a polynomial of degree 4 over GF(32),
//!   an element of GF(32^9) = GF(2^45). A product has degree 8.
//!
//! GF(32) is F2[X] / (X^5 + X^2 + 1), GF(2^45) is GF(32)[Y] / (Y^9 + Y^4 + 1) (irreducible over F2, and over
//! GF(32) since 5 and 9 have no common factor). Bit `5 i + j` of an element is the coefficient of `Y^i X^j`.

use std::sync::OnceLock;

/// The number of bits that are embedded together.
pub(super) const BITS: usize = 15;

/// The number of bits of an element of the field.
pub(super) const FIELD: usize = 45;

/// The number of bits of advice, which determine a product together with its [`BITS`] values.
pub(super) const ADVICE: usize = FIELD - BITS;

/// Degree of the outer field.
const DEGREE: usize = 9;

/// Places of the outer interpolation: the elements 0 to 4 of GF(32), bit patterns of polynomials.
const PLACES: usize = 5;

/// A product in GF(32), in constant time.
fn mul32(a: u8, b: u8) -> u8 {
    let mut product = 0_u16;
    for i in 0..5 {
        product ^= u16::from(b >> i & 1).wrapping_neg() & u16::from(a) << i;
    }
    for i in (5..9).rev() {
        product ^= (product >> i & 1).wrapping_neg() & 0b10_0101 << (i - 5);
    }
    product as u8
}

/// `a^30`: the inverse of what is not zero.
fn inverse32(a: u8) -> u8 {
    (0..29).fold(a, |power, _| mul32(power, a))
}

/// The coefficient of `Y^i`.
fn coefficient(x: u64, i: usize) -> u8 {
    (x >> (5 * i)) as u8 & 31
}

/// A product in GF(2^45), in constant time.
pub(super) fn mul(a: u64, b: u64) -> u64 {
    let mut product = [0_u8; 2 * DEGREE - 1];
    for i in 0..DEGREE {
        for j in 0..DEGREE {
            product[i + j] ^= mul32(coefficient(a, i), coefficient(b, j));
        }
    }
    // Y^9 = Y^4 + 1.
    for i in (DEGREE..product.len()).rev() {
        product[i - DEGREE] ^= product[i];
        product[i - DEGREE + 4] ^= product[i];
    }
    product[..DEGREE].iter().rev().fold(0, |x, c| x << 5 | u64::from(*c))
}

/// The maps, as their images of unit vectors.
pub(super) struct Tables {
    /// `phi` of each bit.
    pub(super) phi: [u64; BITS],
    /// What each value adds to the product with these values and this advice.
    pub(super) values: [u64; BITS],
    /// What each bit of advice adds to it.
    pub(super) advice: [u64; ADVICE],
    /// The coordinates of a product that make its advice.
    free: [u32; ADVICE],
}

impl Tables {
    /// The tables, made once.
    pub(super) fn get() -> &'static Self {
        static TABLES: OnceLock<Tables> = OnceLock::new();
        TABLES.get_or_init(Self::make)
    }

    /// `phi` of the low bits of `bits`.
    pub(super) fn phi(&self, bits: u16) -> u64 {
        let term = |(i, phi): (usize, &u64)| u64::from(bits >> i & 1).wrapping_neg() & phi;
        self.phi.iter().enumerate().map(term).fold(0, |sum, term| sum ^ term)
    }

    /// The advice for a product, lowest bit first.
    pub(super) fn advise(&self, product: u64) -> impl Iterator<Item = bool> + '_ {
        self.free.iter().map(move |at| product >> at & 1 == 1)
    }

    fn make() -> Self {
        let mut phi = [0; BITS];
        for (l, phi) in phi.iter_mut().enumerate() {
            *phi = embed_unit(l);
        }
        // Rows of psi with the unit vectors of the values beside them, in reduced echelon form.
        let mut rows: [(u64, u16); BITS] = core::array::from_fn(|k| (psi_row(k), 1 << k));
        let mut pivots = Vec::with_capacity(BITS);
        for column in 0..FIELD {
            let done = pivots.len();
            let Some(pivot) = (done..BITS).find(|k| rows[*k].0 >> column & 1 == 1) else { continue };
            rows.swap(done, pivot);
            let own = rows[done];
            for (k, row) in rows.iter_mut().enumerate() {
                if k != done && row.0 >> column & 1 == 1 {
                    *row = (row.0 ^ own.0, row.1 ^ own.1);
                }
            }
            pivots.push(column);
        }
        let mut free = [0; ADVICE];
        let columns = (0..FIELD).filter(|column| !pivots.contains(column));
        free.iter_mut().zip(columns).for_each(|(free, column)| *free = column as u32);
        let at_pivots = |select: &dyn Fn(&(u64, u16)) -> bool| {
            let terms = rows.iter().zip(&pivots).filter(|(row, _)| select(row));
            terms.fold(0, |sum, (_, column)| sum | 1_u64 << column)
        };
        let values = core::array::from_fn(|l| at_pivots(&|row| row.1 >> l & 1 == 1));
        let advice = free.map(|column| 1 << column | at_pivots(&|row| row.0 >> column & 1 == 1));
        Self { phi, values, advice, free }
    }
}

/// `phi` of the unit vector `l`: bit `l % 3` of the element at place `l / 3`.
fn embed_unit(l: usize) -> u64 {
    // At 0, at 1, at infinity: 1 + X, X, X + X^2.
    let inner = [0b011, 0b010, 0b110][l % 3];
    // Lagrange's polynomial for the place, times the element.
    let (place, mut polynomial, mut scale) = ((l / 3) as u8, vec![1_u8], inner);
    for other in (0..PLACES as u8).filter(|other| *other != place) {
        polynomial.push(0);
        for i in (0..polynomial.len()).rev() {
            let below = if i > 0 { polynomial[i - 1] } else { 0 };
            polynomial[i] = below ^ mul32(polynomial[i], other);
        }
        scale = mul32(scale, inverse32(place ^ other));
    }
    polynomial.iter().rev().fold(0, |x, c| x << 5 | u64::from(mul32(*c, scale)))
}

/// Bit `k` of `psi(x)`: the value at place `k / 3`, an element of GF(32), and its value at 0, 1 or infinity.
fn psi_bit(x: u64, k: usize) -> bool {
    let place = (k / 3) as u8;
    let value = (0..DEGREE).rev().fold(0, |sum, i| mul32(sum, place) ^ coefficient(x, i));
    match k % 3 {
        0 => value & 1 == 1,
        1 => value.count_ones() % 2 == 1,
        _ => value >> 4 & 1 == 1,
    }
}

/// Row `k` of `psi`.
fn psi_row(k: usize) -> u64 {
    (0..FIELD).fold(0, |row, at| row | u64::from(psi_bit(1 << at, k)) << at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition, without tables.
    fn psi(x: u64) -> u16 {
        (0..BITS).fold(0, |out, k| out | u16::from(psi_bit(x, k)) << k)
    }

    /// What values and advice give back.
    fn rebuilt(values: u16, product: u64) -> u64 {
        let tables = Tables::get();
        let sum = tables
            .advise(product)
            .zip(&tables.advice)
            .fold(0, |sum, (bit, c)| if bit { sum ^ c } else { sum });
        tables
            .values
            .iter()
            .enumerate()
            .fold(sum, |sum, (l, c)| if values >> l & 1 == 1 { sum ^ c } else { sum })
    }

    proptest! {
        #[test]
        fn a_product_of_embeddings_is_fifteen_ands(x in 0..1_u16 << 15, y in 0..1_u16 << 15) {
            let tables = Tables::get();
            let product = mul(tables.phi(x), tables.phi(y));
            prop_assert_eq!(psi(product), x & y);
            prop_assert_eq!(rebuilt(x & y, product), product);
        }

        #[test]
        fn values_and_advice_say_all_of_an_element(x in 0..1_u64 << 45) {
            prop_assert_eq!(rebuilt(psi(x), x), x);
        }

        #[test]
        fn the_field_is_one(a in 0..1_u64 << 45, b in 0..1_u64 << 45, c in 0..1_u64 << 45) {
            prop_assert_eq!(mul(a, b), mul(b, a));
            prop_assert_eq!(mul(mul(a, b), c), mul(a, mul(b, c)));
            prop_assert_eq!(mul(a, b ^ c), mul(a, b) ^ mul(a, c));
            prop_assert_eq!(mul(a, 1), a);
        }
    }

    /// In a field with 2^45 elements every one but zero has order dividing 2^45 - 1 = 7 * 31 * 151 * 73 *
    /// 631 * 23311; `Y + X` has that order, so all its powers are different and nothing but zero is no power
    /// of it.
    #[test]
    fn an_element_generates_the_whole_field() {
        let order = (1_u64 << 45) - 1;
        let primes = [7, 31, 151, 73, 631, 23_311];
        assert_eq!(primes.iter().product::<u64>(), order);
        let power = |base: u64, mut n: u64| {
            let (mut out, mut square) = (1, base);
            while n > 0 {
                if n & 1 == 1 {
                    out = mul(out, square);
                }
                square = mul(square, square);
                n >>= 1;
            }
            out
        };
        let generator = (2..200).find(|x| primes.iter().all(|p| power(*x, order / p) != 1));
        assert!(generator.is_some_and(|x| power(x, order) == 1));
    }
}
