//! The axioms of rings and fields as tests: one macro call gives a type all of them. The calling module imports
//! `proptest::prelude::*`.

/// Tests that `$ring` obeys the laws of [`Ring`](crate::Ring) on elements from the proptest strategy `$any`.
macro_rules! ring_laws {
    ($ring:ty, $any:expr) => {
        mod ring_laws {
            use super::*;
            use crate::{EncodingError, Ring};

            const ZERO: $ring = <$ring as Ring>::ZERO;
            const ONE: $ring = <$ring as Ring>::ONE;

            proptest! {
                #[test]
                fn addition_is_an_abelian_group(a in $any, b in $any, c in $any) {
                    prop_assert_eq!((a + b) + c, a + (b + c));
                    prop_assert_eq!(a + b, b + a);
                    prop_assert_eq!(a + ZERO, a);
                    prop_assert_eq!(a + (-a), ZERO);
                    prop_assert_eq!(a - b, a + (-b));
                }

                #[test]
                fn multiplication_is_a_commutative_monoid(a in $any, b in $any, c in $any) {
                    prop_assert_eq!((a * b) * c, a * (b * c));
                    prop_assert_eq!(a * b, b * a);
                    prop_assert_eq!(a * ONE, a);
                    prop_assert_eq!(a * ZERO, ZERO);
                }

                #[test]
                fn multiplication_distributes_over_addition(a in $any, b in $any, c in $any) {
                    prop_assert_eq!(a * (b + c), a * b + a * c);
                    prop_assert_eq!((a - b) * c, a * c - b * c);
                }

                #[test]
                fn assigning_operators_agree_with_the_others(a in $any, b in $any) {
                    let (mut sum, mut difference, mut product) = (a, a, a);
                    sum += b;
                    difference -= b;
                    product *= b;
                    prop_assert_eq!((sum, difference, product), (a + b, a - b, a * b));
                }

                #[test]
                fn encoding_is_the_inverse_of_decoding(a in $any) {
                    let mut bytes = [0xa5; <$ring as Ring>::BYTES];
                    a.encode(&mut bytes)?;
                    prop_assert_eq!(<$ring as Ring>::decode(&bytes)?, a);
                }

                #[test]
                fn what_decodes_encodes_to_the_same_bytes(
                    bytes in proptest::array::uniform::<_, { <$ring as Ring>::BYTES }>(any::<u8>())
                ) {
                    if let Ok(a) = <$ring as Ring>::decode(&bytes) {
                        let mut again = [0xa5; <$ring as Ring>::BYTES];
                        a.encode(&mut again)?;
                        prop_assert_eq!(again, bytes);
                    }
                }
            }

            #[test]
            fn zero_and_one_differ_and_default_is_zero() {
                assert_ne!(ZERO, ONE);
                assert_eq!(<$ring>::default(), ZERO);
                assert!(ZERO.is_zero() && !ONE.is_zero());
            }

            #[test]
            fn wrong_lengths_neither_encode_nor_decode() {
                let expected = <$ring as Ring>::BYTES;
                for got in (0..2 * expected + 2).filter(|&got| got != expected) {
                    let error = EncodingError::Length { ring: <$ring as Ring>::NAME, expected, got };
                    let mut bytes = vec![0; got];
                    assert_eq!(<$ring as Ring>::decode(&bytes), Err(error));
                    assert_eq!(ONE.encode(&mut bytes), Err(error));
                    assert!(bytes.iter().all(|&byte| byte == 0), "a failed encode wrote something");
                }
            }
        }
    };
}

/// Tests that `$field` obeys the laws of [`Field`](crate::Field), those of a ring included.
macro_rules! field_laws {
    ($field:ty, $any:expr) => {
        crate::laws::ring_laws!($field, $any);

        mod field_laws {
            use super::*;
            use crate::{Field, Ring};

            proptest! {
                #[test]
                fn every_element_but_zero_has_an_inverse(a in $any) {
                    let product = a.inverse().map(|inverse| a * inverse);
                    let one = <$field as Ring>::ONE;
                    prop_assert_eq!(product, (!a.is_zero()).then_some(one));
                }
            }

            #[test]
            fn zero_has_no_inverse() {
                assert_eq!(<$field as Ring>::ZERO.inverse(), None);
            }
        }
    };
}

pub(crate) use {field_laws, ring_laws};
