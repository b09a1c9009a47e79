//! The axioms of rings, of fields, and of pairs of fields for MACs, as tests. One macro call tests all axioms
//! of a type. The calling module imports `proptest::prelude::*`.

/// Tests that `$ring` obeys the laws of [`Ring`](crate::Ring) on elements from the proptest strategy `$any`.
macro_rules! ring_laws {
    ($ring:ty, $any:expr) => {
        mod ring_laws {
            use super::*;
            use crate::{EncodingError, Ring};

            const ZERO: $ring = <$ring as Ring>::ZERO;
            const ONE: $ring = <$ring as Ring>::ONE;

            crate::properties::properties! {
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

/// Tests that `$field` obeys the laws of [`Field`](crate::Field), including those of a ring.
macro_rules! field_laws {
    ($field:ty, $any:expr) => {
        crate::laws::ring_laws!($field, $any);

        mod field_laws {
            use super::*;
            use crate::{Field, Ring};

            crate::properties::properties! {
                #[test]
                fn every_element_but_zero_has_an_inverse(a in $any) {
                    let product = a.inverse().map(|inverse| a * inverse);
                    let one = <$field as Ring>::ONE;
                    prop_assert_eq!(product, (!a.is_zero()).then_some(one));
                    prop_assert_eq!(a.inverse_or_zero(), a.inverse().unwrap_or(<$field as Ring>::ZERO));
                }
            }

            #[test]
            fn zero_has_no_inverse() {
                assert_eq!(<$field as Ring>::ZERO.inverse(), None);
                assert_eq!(<$field as Ring>::ZERO.inverse_or_zero(), <$field as Ring>::ZERO);
            }
        }
    };
}

/// Tests that `$element` obeys the laws of [`Element`](crate::Element), in a module named `$module`.
macro_rules! element_laws {
    ($module:ident, $element:ty, $any:expr) => {
        mod $module {
            use zeroize::Zeroize;

            use super::*;
            use crate::{Element, EncodingError, PackingError, Ring, pack_elements, packed_bytes, unpack_elements};

            const BITS: usize = <$element as Element>::BITS as usize;

            fn flip(words: &mut [u64; 4], bit: usize) {
                words[bit / 64] ^= 1 << (bit % 64);
            }

            crate::properties::properties! {
                #[test]
                fn ten_are_added_as_one_by_one(
                    start in $any, entries in proptest::array::uniform10($any)
                ) {
                    let expected = entries.iter().fold(start, |sum, entry| sum + *entry);
                    prop_assert_eq!(start.add_ten(entries.each_ref()), expected);
                }

                #[test]
                fn a_mask_keeps_clears_or_selects(a in $any, b in $any) {
                    prop_assert_eq!((a.masked(u64::MAX), a.masked(0)), (a, <$element as Ring>::ZERO));
                    prop_assert_eq!((a.select(b, u64::MAX), a.select(b, 0)), (b, a));
                }

                #[test]
                fn zeroized_is_zero(a in $any) {
                    let mut wiped = a;
                    wiped.zeroize();
                    prop_assert_eq!(wiped, <$element as Ring>::ZERO);
                }

                #[test]
                fn the_packed_form_is_unique_and_within_its_bits(a in $any, bit in BITS..257) {
                    let mut words = a.to_packed();
                    prop_assert_eq!(<$element as Element>::from_packed(words)?, a);
                    if bit < 256 {
                        prop_assert_eq!(words[bit / 64] >> (bit % 64) & 1, 0);
                        flip(&mut words, bit);
                        let error = EncodingError::NotCanonical { ring: <$element as Ring>::NAME };
                        prop_assert_eq!(<$element as Element>::from_packed(words), Err(error));
                    }
                }

                #[test]
                fn what_unpacks_packs_to_the_same_words(mut words in any::<[u64; 4]>()) {
                    for bit in (0..256).skip(BITS) {
                        words[bit / 64] &= !(1 << (bit % 64));
                    }
                    if let Ok(a) = <$element as Element>::from_packed(words) {
                        prop_assert_eq!(a.to_packed(), words);
                    }
                }

                #[test]
                fn packed_vectors_unpack(elements in prop::collection::vec($any, 0..140)) {
                    let mut message = vec![0xa5];
                    pack_elements(&elements, &mut message);
                    let (before, message) = message.split_at(1);
                    prop_assert_eq!(before, [0xa5]);
                    prop_assert_eq!(message.len(), (elements.len() * BITS).div_ceil(8));
                    prop_assert_eq!(message.len(), packed_bytes::<$element>(elements.len()));
                    prop_assert_eq!(unpack_elements::<$element>(message, elements.len())?, elements);
                }

                #[test]
                fn other_bytes_than_the_packed_ones_do_not_unpack_to_the_same(
                    elements in prop::collection::vec($any, 1..20), at in any::<prop::sample::Index>()
                ) {
                    let mut message = Vec::new();
                    pack_elements(&elements, &mut message);
                    let (length, count, ring) = (message.len(), elements.len(), <$element as Ring>::NAME);
                    for got in [0, length - 1, length + 1] {
                        let error = PackingError::Length { ring, count, expected: length, got };
                        message.resize(got, 0);
                        prop_assert_eq!(unpack_elements::<$element>(&message, count), Err(error));
                    }
                    message.clear();
                    pack_elements(&elements, &mut message);
                    let bit = at.index(8 * length);
                    message[bit / 8] ^= 1 << (bit % 8);
                    match unpack_elements::<$element>(&message, count) {
                        Ok(others) => {
                            prop_assert!(bit < count * BITS);
                            let different: Vec<_> = (0..count).filter(|i| others[*i] != elements[*i]).collect();
                            prop_assert_eq!(different, [bit / BITS]);
                        }
                        Err(PackingError::NotCanonical { index, .. }) => prop_assert_eq!(index, bit / BITS),
                        Err(error) => {
                            prop_assert_eq!(error, PackingError::Padding { ring });
                            prop_assert!(bit >= count * BITS);
                        }
                    }
                }
            }

            #[test]
            fn uniform_blocks_give_elements_with_every_bit_set_and_clear() {
                let mut random = crate::laws::Words(7);
                let (mut ones, mut zeros) = ([0; 4], [u64::MAX; 4]);
                for _ in 0..200 {
                    let blocks: Vec<_> = (0..<$element as Element>::BLOCKS).map(|_| random.block()).collect();
                    let packed = <$element as Element>::from_blocks(&blocks).to_packed();
                    for i in 0..4 {
                        ones[i] |= packed[i];
                        zeros[i] &= packed[i];
                    }
                }
                for bit in 0..BITS {
                    // A modulus just above a power of two makes the top bit rare.
                    let set = ones[bit / 64] >> (bit % 64) & 1 == 1;
                    assert!(set || bit == BITS - 1, "bit {bit} is never set");
                    assert_eq!(zeros[bit / 64] >> (bit % 64) & 1, 0, "bit {bit} is always set");
                }
            }

            /// A field whose elements take several blocks must not make coefficients of the first one's part
            /// alone.
            #[test]
            fn a_block_decides_every_byte_of_a_coefficient() {
                let mut random = crate::laws::Words(12);
                let mut draw = || <$element as Element>::coefficient(random.block()).to_packed();
                let drawn: Vec<[u64; 4]> = (0..32).map(|_| draw()).collect();
                for bit in (0..BITS).step_by(8) {
                    let byte = |words: &[u64; 4]| words[bit / 64] >> (bit % 64) & 0xff;
                    assert!(drawn.iter().any(|words| byte(words) != byte(&drawn[0])), "the byte at bit {bit}");
                }
            }

            #[test]
            fn missing_blocks_count_as_zero() {
                let blocks = vec![0; <$element as Element>::BLOCKS];
                assert_eq!(<$element as Element>::from_blocks(&blocks), <$element as Ring>::ZERO);
                assert_eq!(<$element as Element>::from_blocks(&[]), <$element as Ring>::ZERO);
            }
        }
    };
}

/// Tests that MACs in `$mac` suit values in `$value`: the laws of [`Value`](crate::Value) and
/// [`Mac`](crate::Mac), including those of [`Element`](crate::Element), and every kernel against its formula.
macro_rules! mac_laws {
    ($value:ty, $mac:ty, $any_value:expr, $any_mac:expr) => {
        crate::laws::element_laws!(value_laws, $value, $any_value);
        crate::laws::element_laws!(mac_element_laws, $mac, $any_mac);

        mod mac_laws {
            use super::*;
            use crate::extension::plain;
            use crate::{Authenticated, Element, LengthError, Mac, Ring, Value};

            const DEGREE: usize = <$mac as Mac<$value>>::DEGREE;
            const DIGITS: usize = <$mac as Mac<$value>>::DIGITS;
            const DIGIT_BITS: usize = <$mac as Mac<$value>>::DIGIT_BITS;
            const ZERO: $mac = <$mac as Ring>::ZERO;
            const ONE: $mac = <$mac as Ring>::ONE;

            type Pair = Authenticated<$value, $mac>;

            fn embed(x: $value) -> $mac {
                <$mac as Mac<$value>>::embed(x)
            }

            fn basis(h: usize) -> $mac {
                <$mac as Mac<$value>>::basis(h)
            }

            fn any_pair() -> impl Strategy<Value = Pair> {
                ($any_value, $any_mac).prop_map(|(x, m)| Authenticated { x, m })
            }

            fn key(pair: Pair, delta: $mac) -> $mac {
                pair.m + delta.scale(pair.x)
            }

            /// Lengths around the kernels' groups: 0 to 9, and several hundred.
            fn length() -> impl Strategy<Value = usize> {
                prop_oneof![0..10_usize, 60..70_usize, 250..260_usize]
            }

            crate::properties::properties! {
                #[test]
                fn embedding_is_a_ring_homomorphism(x in $any_value, y in $any_value) {
                    prop_assert_eq!(embed(x) + embed(y), embed(x + y));
                    prop_assert_eq!(embed(x) * embed(y), embed(x * y));
                    prop_assert_eq!(x == y, embed(x) == embed(y));
                }

                #[test]
                fn scaling_is_multiplication_by_the_embedded_value(a in $any_mac, x in $any_value) {
                    prop_assert_eq!(Mac::<$value>::scale(a, x), a * embed(x));
                }

                #[test]
                fn packing_is_the_sum_over_the_basis_and_loses_nothing(
                    x in prop::collection::vec($any_value, DEGREE), extra in $any_mac
                ) {
                    let mut embedded: Vec<_> = x.iter().copied().map(embed).collect();
                    let sum = embedded.iter().enumerate().fold(ZERO, |sum, (h, x)| sum + *x * basis(h));
                    // The basis is linearly independent: only the combination of zeros is zero.
                    prop_assert_eq!(sum == ZERO, x.iter().all(|x| x.is_zero()));
                    // Elements after the first r are ignored.
                    embedded.push(extra);
                    prop_assert_eq!(<$mac as Mac<$value>>::pack(&embedded), sum);
                }

                #[test]
                fn operators_keep_the_relation(a in any_pair(), b in any_pair(), c in $any_value, delta in $any_mac) {
                    prop_assert_eq!(key(a + b, delta), key(a, delta) + key(b, delta));
                    prop_assert_eq!(key(a - b, delta), key(a, delta) - key(b, delta));
                    prop_assert_eq!(key(-a, delta), -key(a, delta));
                    prop_assert_eq!(key(a.scale(c), delta), key(a, delta).scale(c));
                    prop_assert_eq!(key(Authenticated::constant(c), delta), embed(c) * delta);
                }

                #[test]
                fn kernels_compute_their_formulas(
                    (a, b, c, chi) in length().prop_flat_map(|n| (
                        prop::collection::vec(any_pair(), n),
                        prop::collection::vec(any_pair(), n),
                        prop::collection::vec(any_pair(), n),
                        prop::collection::vec($any_mac, n),
                    )),
                    r in $any_mac, delta in $any_mac,
                ) {
                    let keys = |pairs: &[Pair]| -> Vec<$mac> { pairs.iter().map(|a| key(*a, delta)).collect() };
                    let (ka, kb, kc) = (keys(&a), keys(&b), keys(&c));
                    type M = $mac;
                    type F = $value;
                    prop_assert_eq!(<M as Mac<F>>::inner_product(&ka, &kb), plain::inner_product::<F, M>(&ka, &kb));
                    prop_assert_eq!(<M as Mac<F>>::dot_prover(&a, &b), plain::dot_prover(&a, &b));
                    let check = <M as Mac<F>>::check_prover(&a, &b, &c, &chi);
                    prop_assert_eq!(check, plain::check_prover(&a, &b, &c, &chi));
                    let check = <M as Mac<F>>::check_verifier(&ka, &kb, &kc, &chi);
                    prop_assert_eq!(check, plain::check_verifier::<F, M>(&ka, &kb, &kc, &chi));
                    prop_assert_eq!(<M as Mac<F>>::combine_prover(&a, &chi), plain::combine_prover(&a, &chi));
                    let public: Vec<F> = a.iter().map(|a| a.x).collect();
                    let dot = public.iter().fold(F::ZERO, |sum, x| sum + *x * *x);
                    prop_assert_eq!(<F as Value>::dot(&public, &public), Ok(dot));
                    prop_assert_eq!(<M as Mac<F>>::combine_public(&public, &chi), plain::combine_public(&public, &chi));

                    let multiplied = |plain: bool| {
                        let n = a.len();
                        let (mut z, mut masked) = (vec![Pair::default(); n], vec![F::ZERO; n]);
                        let [mut a_0, mut a_1, mut keys, mut values] = [0; 4].map(|_| vec![ZERO; n]);
                        let relations = [&mut a_0[..], &mut a_1[..]];
                        let prover =
                            if plain { plain::multiply_prover } else { <M as Mac<F>>::multiply_prover };
                        assert_eq!(prover(&a, &b, &c, &mut z, &mut masked, relations), Ok(()));
                        let verifier =
                            if plain { plain::multiply_verifier } else { <M as Mac<F>>::multiply_verifier };
                        let made = verifier([&ka, &kb, &kc], &masked, delta, &mut keys, &mut values);
                        assert_eq!(made, Ok(()));
                        (z, masked, [a_0, a_1], keys, values)
                    };
                    let made = multiplied(false);
                    prop_assert!(made == multiplied(true));
                    let (z, masked, relations, keys_of_z, values) = made;
                    for i in 0..a.len() {
                        prop_assert_eq!(z[i].x, a[i].x * b[i].x);
                        prop_assert_eq!(masked[i], z[i].x - c[i].x);
                        prop_assert_eq!(key(z[i], delta), keys_of_z[i]);
                        prop_assert_eq!(values[i], relations[0][i] + relations[1][i] * delta);
                    }

                    let related = |c: &[Pair], plain: bool| {
                        let [mut a_0, mut a_1, mut values] = [0; 3].map(|_| vec![ZERO; a.len()]);
                        let relations = [&mut a_0[..], &mut a_1[..]];
                        let prover = if plain { plain::relate_prover } else { <M as Mac<F>>::relate_prover };
                        let hold = prover(&a, &b, c, relations);
                        let verifier = if plain { plain::relate_verifier } else { <M as Mac<F>>::relate_verifier };
                        assert_eq!(verifier([&ka, &kb, &keys(c)], delta, &mut values), Ok(()));
                        (hold, a_0, a_1, values)
                    };
                    // A difference in one claim, then none.
                    let mut claims = c.clone();
                    claims.iter_mut().zip(&z).for_each(|(c, z)| c.x = z.x);
                    let (at, mut lies) = (r.to_packed()[0] as usize % (a.len() + 1), claims.clone());
                    if let (Some(lie), Some(c)) = (lies.get_mut(at), c.get(at)) {
                        lie.x = c.x;
                    }
                    let hold = lies == claims;
                    for (c, hold) in [(&lies, hold), (&claims, true)] {
                        let made = related(c, false);
                        prop_assert!(made == related(c, true));
                        prop_assert_eq!(made.0, Ok(hold));
                    }
                    let (_, a_0, a_1, values) = related(&claims, false);
                    for i in 0..a.len() {
                        prop_assert_eq!(values[i], a_0[i] + a_1[i] * delta);
                    }

                    let (mut got, mut expected) = (b.clone(), b.clone());
                    prop_assert_eq!(<M as Mac<F>>::add_prover(&mut got, &a), Ok(()));
                    prop_assert_eq!(plain::add(&mut expected, &a), Ok(()));
                    prop_assert!(got == expected);
                    let (mut got, mut expected) = (kb.clone(), kb.clone());
                    prop_assert_eq!(<M as Mac<F>>::add_verifier(&mut got, &ka), Ok(()));
                    prop_assert_eq!(plain::add(&mut expected, &ka), Ok(()));
                    prop_assert_eq!(got, expected);

                    let sums: Vec<[M; 2]> = b.iter().map(|b| [b.m, embed(b.x)]).collect();
                    let (mut got, mut expected) = (sums.clone(), sums);
                    prop_assert_eq!(<M as Mac<F>>::accumulate_prover(&mut got, &a, r), Ok(()));
                    prop_assert_eq!(plain::accumulate_prover(&mut expected, &a, r), Ok(()));
                    prop_assert_eq!(got, expected);
                    let (mut got, mut expected) = (kb.clone(), kb);
                    prop_assert_eq!(<M as Mac<F>>::accumulate_verifier(&mut got, &ka, r), Ok(()));
                    prop_assert_eq!(plain::accumulate_verifier::<F, M>(&mut expected, &ka, r), Ok(()));
                    prop_assert_eq!(got, expected);
                }

                #[test]
                fn both_sides_of_the_check_agree_for_products_alone(
                    a in any_pair(), b in any_pair(), m in $any_mac, lie in $any_value, chi in $any_mac,
                    delta in $any_mac,
                ) {
                    let c = Authenticated { x: a.x * b.x + lie, m };
                    let [a0, a1] = plain::check_prover(&[a], &[b], &[c], &[chi])?;
                    let keys = [a, b, c].map(|x| [key(x, delta)]);
                    let [b0, b1] = plain::check_verifier::<$value, $mac>(&keys[0], &keys[1], &keys[2], &[chi])?;
                    // B = k_a k_b - k_c delta = A_0 + A_1 delta, minus the lie times delta^2.
                    let difference = chi.scale(lie) * delta * delta;
                    prop_assert_eq!(b0 - b1 * delta, a0 + a1 * delta - difference);
                }
            }

            #[test]
            fn kernels_compute_their_formulas_on_the_largest_elements() {
                // Lazy sums must not overflow: long vectors of minus one, the largest representative where
                // the field is prime.
                let pair: Pair = Authenticated { x: -<$value as Ring>::ONE, m: -ONE };
                let (a, chi) = (vec![pair; 1000], vec![-ONE; 1000]);
                type M = $mac;
                type F = $value;
                assert_eq!(<M as Mac<F>>::inner_product(&chi, &chi), plain::inner_product::<F, M>(&chi, &chi));
                assert_eq!(<M as Mac<F>>::dot_prover(&a, &a), plain::dot_prover(&a, &a));
                assert_eq!(<M as Mac<F>>::check_prover(&a, &a, &a, &chi), plain::check_prover(&a, &a, &a, &chi));
                let check = <M as Mac<F>>::check_verifier(&chi, &chi, &chi, &chi);
                assert_eq!(check, plain::check_verifier::<F, M>(&chi, &chi, &chi, &chi));
                assert_eq!(<M as Mac<F>>::combine_prover(&a, &chi), plain::combine_prover(&a, &chi));
                let public: Vec<F> = a.iter().map(|a| a.x).collect();
                assert_eq!(<M as Mac<F>>::combine_public(&public, &chi), plain::combine_public(&public, &chi));
            }

            #[test]
            fn rows_of_a_matrix_are_combined_as_one_by_one() {
                type M = $mac;
                type F = $value;
                for (rows, n) in [(0, 3), (1, 5), (4, 1), (4, 0), (7, 6), (9, 33)] {
                    let matrix: Vec<F> = (0..rows * n).map(|i| -<F as Value>::from_u64(i as u64 * i as u64)).collect();
                    let x: Vec<M> = (0..n).map(|i| <M as Element>::from_blocks(&[i as u128; 8])).collect();
                    let mut out = vec![ONE; rows];
                    assert_eq!(<M as Mac<F>>::combine_rows(&matrix, &x, &mut out), Ok(()));
                    for (r, out) in out.iter().enumerate() {
                        assert_eq!(Ok(*out), plain::combine_public(&matrix[r * n..][..n], &x), "{rows} {n} {r}");
                    }
                    let error = <M as Mac<F>>::combine_rows(&matrix, &x, &mut vec![ONE; rows + 1]);
                    assert_eq!(error.is_err(), n > 0);
                }
            }

            #[test]
            fn kernels_refuse_operands_of_different_lengths() {
                let pair = Pair::default();
                let (pairs, macs) = (|n: usize| vec![pair; n], |n: usize| vec![ONE; n]);
                let error = |expected, got| LengthError { what: "an operand", expected, got };
                type M = $mac;
                type F = $value;
                assert_eq!(<M as Mac<F>>::inner_product(&macs(2), &macs(3)), Err(error(2, 3)));
                assert_eq!(<M as Mac<F>>::dot_prover(&pairs(3), &pairs(2)), Err(error(3, 2)));
                assert_eq!(<M as Mac<F>>::combine_prover(&pairs(2), &macs(1)), Err(error(2, 1)));
                for long in 1..4 {
                    let n = |i| if i == long { 3 } else { 2 };
                    let check = <M as Mac<F>>::check_prover(&pairs(2), &pairs(n(1)), &pairs(n(2)), &macs(n(3)));
                    assert_eq!(check, Err(error(2, 3)));
                    let check = <M as Mac<F>>::check_verifier(&macs(2), &macs(n(1)), &macs(n(2)), &macs(n(3)));
                    assert_eq!(check, Err(error(2, 3)));
                }
                let mut sums = [[ONE; 2]; 2];
                assert_eq!(<M as Mac<F>>::accumulate_prover(&mut sums, &pairs(3), ONE), Err(error(2, 3)));
                assert_eq!(<M as Mac<F>>::accumulate_verifier(&mut sums[0], &macs(1), ONE), Err(error(2, 1)));
                assert_eq!(sums, [[ONE; 2]; 2], "a refused call wrote something");
            }

            #[test]
            fn zero_and_one_embed_as_themselves_and_one_is_the_first_of_the_basis() {
                assert_eq!(embed(<$value as Ring>::ZERO), ZERO);
                assert_eq!(embed(<$value as Ring>::ONE), ONE);
                assert_eq!(basis(0), ONE);
                assert_eq!(<$value as Element>::BITS as usize * DEGREE, <$mac as Element>::BITS as usize);
            }

            #[test]
            fn weights_are_powers_of_the_digits_range_times_the_basis() {
                let each = DIGITS / DEGREE;
                assert_eq!(each * DEGREE, DIGITS);
                for t in 0..DIGITS {
                    let base = embed(<$value as Value>::from_u64(1 << DIGIT_BITS));
                    let power = (0..t % each).fold(ONE, |power, _| power * base);
                    assert_eq!(<$mac as Mac<$value>>::weight(t), basis(t / each) * power, "weight {t}");
                }
                // Enough digits for every delta, or for 128 bits of it.
                assert!(DIGITS * DIGIT_BITS >= (<$mac as Element>::BITS as usize).min(128));
            }

            #[test]
            fn digits_are_different_values_from_zero_on() {
                assert_eq!(<$value as Value>::digit(0), <$value as Ring>::ZERO);
                for byte in 0..=u8::MAX {
                    for other in 0..byte {
                        assert_ne!(<$value as Value>::digit(byte), <$value as Value>::digit(other));
                    }
                }
            }

            #[test]
            fn integers_are_sums_of_ones() {
                let mut sum = <$value as Ring>::ZERO;
                for n in 0..300 {
                    assert_eq!(<$value as Value>::from_u64(n), sum);
                    sum += <$value as Ring>::ONE;
                }
                if let Some(p) = <$value as Value>::CHARACTERISTIC {
                    assert_eq!(<$value as Value>::from_u64(p), <$value as Ring>::ZERO);
                }
                let (half, top) = (<$value as Value>::from_u64(1 << 32), <$value as Value>::from_u64(u64::MAX));
                assert_eq!(half * half, top + <$value as Ring>::ONE);
            }
        }
    };
}

/// A reproducible stream of words (SplitMix64, by Steele, Lea and Flood).
pub(crate) struct Words(pub(crate) u64);

impl Words {
    pub(crate) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn block(&mut self) -> u128 {
        u128::from(self.word()) << 64 | u128::from(self.word())
    }
}

pub(crate) use {element_laws, field_laws, mac_laws, ring_laws};
