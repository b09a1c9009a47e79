//! Gadgets over prime fields, whose elements stand for integers: ranges, bits, comparisons, truncation, fixed
//! point.
//!
//! An integer `x` in `[0, 2^k)` is an element as long as `2^k <= p`. Its `k` bits are committed to and
//! claimed by
//!
//! ```text
//! b_i (b_i - 1) = 0 for each i          sum 2^i b_i = x
//! ```
//!
//! (degree 2 and linear, so nothing is sent but the bits). The sum does not wrap, so exactly one choice of
//! bits satisfies both, and `x` is in range. Everything else follows from bits without further commitments: a
//! quotient by `2^s` is the sum of the upper bits, a remainder that of the lower ones, a comparison is the
//! top bit of a difference (Catrina and de Hoogh, *Improved primitives for secure multiparty integer
//! computation*, SCN 2010; Catrina and Saxena, *Secure computation with fixed-point numbers*, FC 2010).
//!
//! Widths that could wrap in the field at hand are refused ([`capacity`]). Where a gadget says that an
//! operand *must* be in a range, that is for the caller to ensure, by [`assert_in_range`] or because of where
//! it comes from; outside it the result means nothing. Negative integers are `p` minus their magnitude, and
//! in range of `k` bits if they are in `[-2^(k-1), 2^(k-1))`.

mod bits;
mod compare;
mod fixed;
#[cfg(test)]
mod tests;

pub use bits::{
    Division, assert_in_range, assert_in_signed_range, capacity, divide, from_bits, shift_right_signed,
    to_bits,
};
pub use compare::{assert_at_most, equal, is_zero, less_than};
pub use fixed::Fixed;
