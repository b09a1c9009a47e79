use crypto_bigint::{Encoding as _, NonZero, U512};
use proptest::prelude::*;

use super::*;

/// Integers of six limbs: uniform, sparse, and those around multiples of `p` and of `2^130`.
fn any_integer() -> impl Strategy<Value = Wide> {
    let limb = || prop_oneof![2 => any::<u64>(), 1 => Just(0), 1 => Just(u64::MAX)];
    let near = |(high, distance): (u64, i64)| {
        let [low, middle, _] = P;
        [low.wrapping_add_signed(distance), middle, high, 0, 0, 0]
    };
    prop_oneof![
        3 => any::<Wide>(),
        3 => [limb(), limb(), limb(), limb(), limb(), limb()],
        1 => (0..4_u64).prop_map(|n| [n, 0, 0, 0, 0, 0]),
        2 => (3..16_u64, -2..11_i64).prop_map(near),
        1 => (1..16_u64, 0..3_u64).prop_map(|(high, low)| [low, 0, high, 0, 0, 0]),
        1 => Just([u64::MAX; 6]),
    ]
}

fn any_element() -> impl Strategy<Value = F130> {
    prop_oneof![
        3 => any_integer().prop_map(F130::from_wide),
        1 => (0..8_u128).prop_map(F130::from_u128),
        1 => (0..8_u128).prop_map(|n| -F130::from_u128(n)),
    ]
}

crate::laws::field_laws!(F130, any_element());
crate::laws::element_laws!(element, F130, any_element());

/// The library's integer.
fn library(limbs: &[u64]) -> U512 {
    let mut bytes = [0; 64];
    bytes.as_chunks_mut().0.iter_mut().zip(limbs).for_each(|(bytes, limb)| *bytes = limb.to_le_bytes());
    U512::from_le_bytes(bytes.into())
}

fn modulo(n: &U512) -> U512 {
    n.rem(&NonZero::new(library(&P)).unwrap())
}

crate::properties::properties! {
    #[test]
    fn integers_are_reduced_as_the_library_does(n in any_integer()) {
        let reduced = F130::from_wide(n);
        prop_assert_eq!(library(&reduced.0), modulo(&library(&n)));
        let [a, b, c, d, e, f] = n.map(u128::from);
        let blocks = [a | b << 64, c | d << 64, e | f << 64];
        prop_assert_eq!(F130::from_blocks(&blocks), reduced);
    }

    #[test]
    fn operations_are_those_of_the_library(a in any_element(), b in any_element()) {
        let [x, y] = [a, b].map(|element| library(&element.0));
        let (sum, product) = (x.wrapping_add(&y), x.wrapping_mul(&y));
        prop_assert_eq!(library(&(a + b).0), modulo(&sum));
        prop_assert_eq!(library(&(a * b).0), modulo(&product));
        prop_assert_eq!(library(&(a - b).0), modulo(&x.wrapping_add(&library(&P)).wrapping_sub(&y)));
        prop_assert_eq!(library(&(-a).0), modulo(&library(&P).wrapping_sub(&x)));
        prop_assert_eq!(a.to_low_u128() as u64, a.0[0]);
    }
}

#[test]
fn numbers_from_the_modulus_on_are_no_encodings() {
    let encoding = |high: u8, low: u128| {
        let mut bytes = [high; 17];
        bytes[..16].copy_from_slice(&low.to_le_bytes());
        F130::decode(&bytes)
    };
    let error = EncodingError::NotCanonical { ring: F130::NAME };
    assert_eq!(encoding(3, u128::MAX - 5), Ok(-F130::ONE));
    for (high, low) in [(3, u128::MAX - 4), (3, u128::MAX), (4, 0), (7, 0), (0xff, u128::MAX)] {
        assert_eq!(encoding(high, low), Err(error), "{high} {low:#x}");
    }
    assert!(matches!(F130::decode(&[0; 16]), Err(EncodingError::Length { .. })));
}

/// Computed by Python's integers: `x * y % p`, and `pow(x, -1, p)`.
#[test]
fn a_product_and_an_inverse_are_the_known_ones() {
    let x = F130::from_u128(0x0123_4567_89ab_cdef_fedc_ba98_7654_3210);
    let y = -F130::from_u128(0x1111_2222_3333_4444_5555_6666_7777_8888);
    let low = |element: F130| (element.0[2], element.to_low_u128());
    assert_eq!(low(x * y), (3, 0xbc52_392c_5f8d_eb32_8dd7_ccb9_6213_9226));
    assert_eq!(low(x.inverse().unwrap()), (2, 0xde96_3bca_bd6c_c7bd_e963_bcab_d6cc_7f5f));
}
