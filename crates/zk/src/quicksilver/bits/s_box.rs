//! AES's S-box at the cost of its output: eight committed bits and two polynomials, where the circuit commits
//! to 32 products.
//!
//! The S-box without its constant is `s = L(y)`, where `y` is the inverse of `x` in GF(2^8) (zero for zero)
//! and `L` is linear over bits. Bits of a byte are authenticated in GF(2^128), which has GF(2^8) as a
//! subfield. So with `b_i` the image of `X^i` there,
//!
//! ```text
//! [x] = sum b_i [x_i]     [x^2] = sum b_i^2 [x_i]     [y] = sum L^-1(X^i) [s_i]     [y^2] = sum L^-1(X^i)^2 [s_i]
//! ```
//!
//! are wires with values in that subfield, made without a message, because squaring is linear over bits, too.
//! P commits to `s` and claims
//!
//! ```text
//! x^2 y = x     and     y^2 x = y
//! ```
//!
//! If `x` is not zero, the first claim makes `y` its inverse; if it is, the second makes `y` zero. Both are
//! products like those of multiplications, `B = k_a k_b + k_c delta`, over values in a larger field:
//! polynomials of degree 2 (figure 5 of the paper), which do not change the soundness of a block's check.
//! Committing to the S-box's values and not to its gates follows BBQ (de Saint Guilhem, De Meyer, Orsini,
//! Smart, SAC 2019) and, over VOLE, FAEST.

use volery_circuit::gadgets;
use volery_field::{F2, Gf128, Gf256, LengthError, Mac};

use super::claims::inner_product;
use crate::Error;

/// The weights of eight bits.
type Weights = [Gf128; 8];

/// The linear maps from bits to elements.
pub(super) struct SBox {
    /// The maps to the input and its square.
    input: [Weights; 2],
    /// The maps from the output's bits to the inverse and its square.
    inverse: [Weights; 2],
}

impl SBox {
    pub(super) fn new() -> Self {
        let weights = |byte: fn(u8) -> u8| {
            let images: [Gf256; 8] = core::array::from_fn(|i| Gf256::from_byte(byte(1 << i)));
            [images, images.map(|x| x * x)].map(|images| images.map(<Gf128 as Mac<Gf256>>::embed))
        };
        Self { input: weights(|x| x), inverse: weights(linear_inverse) }
    }

    /// P: `A_0` and `A_1` of both polynomials, from the tags of input and output, with the values in their
    /// lowest bits.
    pub(super) fn prover(&self, x: &[Gf128; 8], s: &[Gf128; 8]) -> Result<[[Gf128; 2]; 2], Error> {
        let [x, x_squared] = wires(&self.input, x)?;
        let [y, y_squared] = wires(&self.inverse, s)?;
        let relation = |a: Wire, b: Wire, c: Wire| {
            let middle = inner_product(&[a.value, b.value], &[b.tag, a.tag])? + c.tag;
            Ok::<_, LengthError>([a.tag * b.tag, middle])
        };
        let relations = relation(x_squared, y, x).and_then(|first| Ok([first, relation(y_squared, x, y)?]));
        relations.map_err(unequal)
    }

    /// V: the values of both polynomials at `delta`, from the keys of input and output.
    pub(super) fn verifier(&self, x: &[Gf128; 8], s: &[Gf128; 8], delta: Gf128) -> Result<[Gf128; 2], Error> {
        let [x, x_squared] = keys(&self.input, x).map_err(unequal)?;
        let [y, y_squared] = keys(&self.inverse, s).map_err(unequal)?;
        let relation = |a: Gf128, b: Gf128, c: Gf128| inner_product(&[a, c], &[b, delta]);
        let relations = relation(x_squared, y, x).and_then(|first| Ok([first, relation(y_squared, x, y)?]));
        relations.map_err(unequal)
    }
}

/// The S-box's output for known bits.
pub(super) fn output(x: &[F2; 8]) -> Result<[F2; 8], Error> {
    Ok(gadgets::substituted(x)?)
}

/// `L^-1` of a byte.
fn linear_inverse(s: u8) -> u8 {
    s.rotate_left(1) ^ s.rotate_left(3) ^ s.rotate_left(6)
}

/// A wire at P with a value in the subfield.
#[derive(Clone, Copy)]
struct Wire {
    tag: Gf128,
    value: Gf128,
}

/// An element and its square, from the tags of its bits.
fn wires(weights: &[Weights; 2], tags: &[Gf128; 8]) -> Result<[Wire; 2], Error> {
    let [tag, square] = keys(weights, tags).map_err(unequal)?;
    let bits = tags.map(|tag| F2::new(tag.to_bits() & 1 == 1));
    let [value, value_squared] = weights
        .each_ref()
        .map(|weights| weights.iter().zip(bits).fold(Gf128::ZERO, |sum, (weight, bit)| sum + *weight * bit));
    Ok([Wire { tag, value }, Wire { tag: square, value: value_squared }])
}

/// The keys, or tags, of an element and of its square.
fn keys(weights: &[Weights; 2], bits: &[Gf128; 8]) -> Result<[Gf128; 2], LengthError> {
    let [once, squared] = weights;
    Ok([inner_product(bits, once)?, inner_product(bits, squared)?])
}

/// Arrays of one length cannot differ. If they did, nothing might be claimed about what was not multiplied.
fn unequal(error: LengthError) -> Error {
    volery_circuit::Error::misuse(error.to_string()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(byte: u8) -> [F2; 8] {
        core::array::from_fn(|i| F2::new(byte >> i & 1 == 1))
    }

    /// Tags of a byte's bits, and the keys that go with them.
    fn authenticated(byte: u8, seed: u128, delta: Gf128) -> [[Gf128; 8]; 2] {
        let tags = core::array::from_fn(|i| {
            let noise = (seed + i as u128).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
            Gf128::from_bits(noise & !1 | u128::from(byte >> i & 1))
        });
        let keys = core::array::from_fn(|i: usize| tags[i] + delta * bits(byte)[i]);
        [tags, keys]
    }

    /// For every input and every output that P might commit to: both polynomials vanish for the right one,
    /// and one of them does not for any other.
    #[test]
    fn the_two_polynomials_vanish_for_the_s_box_and_for_nothing_else() {
        let s_box = SBox::new();
        let delta = Gf128::from_bits(0x0123_4567_89ab_cdef_0f1e_2d3c_4b5a_6979);
        for x in 0..=255 {
            let right = output(&bits(x)).expect("computes");
            for s in 0..=255 {
                let ([x_tags, x_keys], [s_tags, s_keys]) =
                    (authenticated(x, 7, delta), authenticated(s, 99, delta));
                let p = s_box.prover(&x_tags, &s_tags).expect("computes");
                let v = s_box.verifier(&x_keys, &s_keys, delta).expect("computes");
                let vanish = p.iter().zip(v).all(|([a_0, a_1], b)| *a_0 + *a_1 * delta == b);
                assert_eq!(vanish, bits(s) == right, "{x:#04x} to {s:#04x}");
            }
        }
    }

    #[test]
    fn the_linear_part_is_undone() {
        for y in 0..=255_u8 {
            let s = (0..5).fold(0, |sum, i| sum ^ y.rotate_left(i));
            assert_eq!(linear_inverse(s), y);
        }
    }
}
