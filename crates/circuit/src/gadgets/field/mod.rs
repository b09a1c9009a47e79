//! Gadgets over prime fields whose elements represent integers: ranges, bits, comparisons, truncation, fixed
//! point.
//!
//! An integer `x` in `[0, 2^k)` is an element if `2^k <= p`. Its `k` bits are committed to, with the claims
//!
//! ```text
//! b_i (b_i - 1) = 0 for each i          sum 2^i b_i = x
//! ```
//!
//! (of degree 2 and linear, so only the bits are sent). The sum does not wrap, so exactly one choice of bits
//! satisfies both, and `x` is in range. Everything else follows from bits without further commitments: a
//! quotient by `2^s` is the sum of the upper bits, a remainder is the sum of the lower bits, and a comparison
//! is the top bit of a difference (Catrina and de Hoogh, *Improved primitives for secure multiparty integer
//! computation*, SCN 2010; Catrina and Saxena, *Secure computation with fixed-point numbers*, FC 2010).
//!
//! Widths that could wrap in the field are refused ([`capacity`]). If a gadget says that an operand *must* be
//! in a range, the caller has to ensure it, by [`assert_in_range`] or because of the operand's origin.
//! Outside that range the result has no meaning. A negative integer is `p` minus its magnitude. It is in
//! range of `k` bits if it is in `[-2^(k-1), 2^(k-1))`.

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
