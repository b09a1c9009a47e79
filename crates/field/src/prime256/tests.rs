use crypto_bigint::modular::ConstMontyParams;
use proptest::prelude::*;

use super::*;

/// Integers of four limbs, not reduced: uniform ones, sparse ones, and those around 0, `p` and `2^256`.
fn any_integer(p: Limbs) -> impl Strategy<Value = Limbs> {
    let limb = || prop_oneof![2 => any::<u64>(), 1 => Just(0), 1 => Just(u64::MAX)];
    let near = move |distance: i64| {
        let mut near = p;
        near[0] = near[0].wrapping_add_signed(distance);
        near
    };
    prop_oneof![
        3 => any::<Limbs>(),
        2 => [limb(), limb(), limb(), limb()],
        1 => (0..3_u64).prop_map(|n| [n, 0, 0, 0]),
        1 => (-2..3_i64).prop_map(near),
        1 => Just([u64::MAX; 4]),
    ]
}

fn any_element<P: Modulus>() -> impl Strategy<Value = Prime256<P>> {
    // The limbs are the form in memory, so that carries are tried; half are reduced integers instead.
    (any_integer(P::PRIME), any::<bool>()).prop_map(|(integer, in_memory)| {
        if in_memory && limbs::is_below(integer, P::PRIME) {
            Prime256::from_limbs(integer)
        } else {
            Prime256::reduced(integer)
        }
    })
}

/// The same element in the library's hands.
fn reference<P: Modulus>(x: Prime256<P>) -> ConstMontyForm<P, { U256::LIMBS }> {
    ConstMontyForm::from_montgomery(limbs::to_library(x.limbs))
}

/// With `#[cfg(...)]`: laws are tested only then. Fields of 256 bits are one type with another prime, and the
/// laws of each take seconds to compile.
macro_rules! prime_field_tests {
    ($module:ident, $field:ty, $order:ty, $decimal:literal $(, #[$laws:meta])?) => {
        mod $module {
            use super::*;

            fn any_element() -> impl Strategy<Value = $field> {
                super::any_element::<$order>()
            }

            $(#[$laws])?
            mod laws {
                use super::*;

                crate::laws::field_laws!($field, any_element());
                crate::laws::mac_laws!($field, $field, any_element(), any_element());
            }

            crate::properties::properties! {
                #[test]
                fn operations_are_those_of_the_library(a in any_element(), b in any_element()) {
                    prop_assert_eq!(reference(a + b), reference(a) + reference(b));
                    prop_assert_eq!(reference(a - b), reference(a) - reference(b));
                    prop_assert_eq!(reference(a * b), reference(a) * reference(b));
                    prop_assert_eq!(reference(-a), -reference(a));
                    prop_assert_eq!(limbs::to_library(a.integer()), reference(a).retrieve());
                }

                #[test]
                fn integers_are_reduced_as_the_library_does(n in any_integer(<$order as Modulus>::PRIME)) {
                    let expected = ConstMontyForm::<$order, { U256::LIMBS }>::new(&limbs::to_library(n));
                    prop_assert_eq!(reference(<$field>::reduced(n)), expected);
                    let below = limbs::to_library(n) == expected.retrieve();
                    prop_assert_eq!(<$field as Element>::from_packed(n).is_ok(), below);
                    prop_assert_eq!(<$field>::decode(&limbs::bytes(n)).is_ok(), below);
                }

                /// Sums just below and just above multiples of the prime, where the quotient changes.
                #[test]
                fn ten_of_the_largest_are_added(
                    which in any::<u16>(), last in any_element(), first in any_element()
                ) {
                    // In memory, p - 1 and 0 or 1.
                    let largest = Prime256::from_limbs(limbs::sub::<$order>([0; 4], [1, 0, 0, 0]));
                    let least = Prime256::from_limbs([u64::from(which >> 15), 0, 0, 0]);
                    let mut entries: [$field; 10] =
                        core::array::from_fn(|i| if which >> i & 1 == 1 { largest } else { least });
                    if which >> 14 & 1 == 1 {
                        entries[9] = last;
                    }
                    let expected = entries.iter().fold(first, |sum, entry| sum + *entry);
                    prop_assert_eq!(first.add_ten(entries.each_ref()), expected);
                }

                #[test]
                fn blocks_are_one_integer_modulo_the_prime_up_to_a_power_of_two(blocks in any::<[u128; 3]>()) {
                    let two_64 = <$field>::from_u64(u64::MAX) + <$field as Ring>::ONE;
                    let two_128 = two_64 * two_64;
                    let word = |block: u128| {
                        <$field>::from_u64((block >> 64) as u64) * two_64 + <$field>::from_u64(block as u64)
                    };
                    let expected = (word(blocks[2]) * two_128 + word(blocks[1])) * two_128 + word(blocks[0]);
                    let two_512 = two_128 * two_128 * two_128 * two_128;
                    prop_assert_eq!(<$field>::from_blocks(&blocks) * two_512, expected);
                    prop_assert_eq!(<$field>::coefficient(blocks[0]) * (two_128 * two_128), word(blocks[0]));
                }

                #[test]
                fn decimals_read_as_they_print(a in any_element()) {
                    let text = a.to_decimal();
                    prop_assert_eq!(<$field>::from_decimal(&text), Ok(a));
                    let error = DecimalError::Digits { ring: <$field as Ring>::NAME };
                    for (before, after) in [("+", ""), ("-", ""), (" ", ""), ("", "\n"), ("_", ""), ("0x", ""), ("", "e1")] {
                        prop_assert_eq!(<$field>::from_decimal(&format!("{before}{text}{after}")), Err(error));
                    }
                    let error = DecimalError::LeadingZero { ring: <$field as Ring>::NAME };
                    prop_assume!(text.len() < 78);
                    prop_assert_eq!(<$field>::from_decimal(&format!("0{text}")), Err(error));
                }
            }

            #[test]
            fn the_modulus_is_the_published_one() {
                let (modulus, ring) = ($decimal, <$field as Ring>::NAME);
                assert_eq!(limbs::to_library(<$order as Modulus>::PRIME).to_string_radix_vartime(10), modulus);
                assert_eq!(<$field>::MODULUS, limbs::bytes(<$order as Modulus>::PRIME));
                assert_eq!(<$field>::from_decimal(modulus), Err(DecimalError::TooLarge { ring }));
                assert_eq!((-<$field as Ring>::ONE + <$field as Ring>::ONE).to_decimal(), "0");
                assert_eq!(<$field>::from_decimal(""), Err(DecimalError::Digits { ring }));
                assert_eq!(<$field>::from_decimal("00"), Err(DecimalError::LeadingZero { ring }));
                let huge = "9".repeat(78);
                assert_eq!(<$field>::from_decimal(&huge), Err(DecimalError::TooLarge { ring }));
                assert_eq!(<$field>::from_decimal(&"9".repeat(79)), Err(DecimalError::Digits { ring }));
            }

            #[test]
            fn the_derived_constants_are_the_library_s() {
                let params = <$order as ConstMontyParams<{ U256::LIMBS }>>::PARAMS;
                assert_eq!(<$order as Modulus>::NEGATED_INVERSE as crypto_bigint::Word, params.mod_neg_inv().0);
                let p = <$order as Modulus>::PRIME[0];
                assert_eq!(<$order as Modulus>::NEGATED_INVERSE.wrapping_mul(p), u64::MAX);
                let two_256 = <$field>::reduced(<$order as Modulus>::R);
                assert_eq!((two_256 * two_256 * two_256).integer(), <$order as Modulus>::R3);
            }

            #[test]
            fn sums_of_the_largest_products_reduce() {
                let (n, minus_one) = (5000, -<$field as Ring>::ONE);
                // The largest limbs in memory, p - 1, whatever element they are.
                let (p, mut largest) = (<$order as Modulus>::PRIME, <$order as Modulus>::PRIME);
                largest[0] -= 1;
                let largest = <$field>::from_limbs(largest);
                assert!(limbs::is_below(largest.limbs, p));
                for x in [minus_one, largest] {
                    let vector = vec![x; n];
                    let expected = x * x * <$field>::from_u64(n as u64);
                    assert_eq!(<$field as crate::Mac<$field>>::inner_product(&vector, &vector), Ok(expected));
                }
            }
        }
    };
}

// Moduli in decimal, as published: BN254's in EIP-196 ("the group order"), BLS12-381's in
// draft-irtf-cfrg-pairing-friendly-curves, Ristretto's in RFC 9496, secp256k1's in SEC 2 (2.4.1), P-256's in
// FIPS 186-4 (D.1.2.3); Curve25519's is 2^255 - 19 (RFC 7748, section 4.1). BLS12-377's is x^4 - x^2 + 1 for
// x = 0x8508c00000000001 (ePrint 2018/962); Pallas' and Vesta's are in the Pasta curves' specification and
// Grumpkin's is EIP-196's `p`; all four are also those of circom's option --prime.
prime_field_tests!(
    bn254,
    Bn254Scalar,
    Bn254Order,
    "21888242871839275222246405745257275088548364400416034343698204186575808495617"
);
prime_field_tests!(
    bls12381,
    Bls12381Scalar,
    Bls12381Order,
    "52435875175126190479447740508185965837690552500527637822603658699938581184513",
    #[cfg(feature = "every-field")]
);
prime_field_tests!(
    ristretto,
    RistrettoScalar,
    RistrettoOrder,
    "7237005577332262213973186563042994240857116359379907606001950938285454250989",
    #[cfg(feature = "every-field")]
);
prime_field_tests!(
    secp256k1,
    Secp256k1Base,
    Secp256k1Prime,
    "115792089237316195423570985008687907853269984665640564039457584007908834671663",
    #[cfg(feature = "every-field")]
);
prime_field_tests!(
    p256,
    P256Base,
    P256Prime,
    "115792089210356248762697446949407573530086143415290314195533631308867097853951",
    #[cfg(feature = "every-field")]
);
prime_field_tests!(
    curve25519,
    Curve25519Base,
    Curve25519Prime,
    "57896044618658097711785492504343953926634992332820282019728792003956564819949",
    #[cfg(feature = "every-field")]
);
prime_field_tests!(
    bls12377,
    Bls12377Scalar,
    Bls12377Order,
    "8444461749428370424248824938781546531375899335154063827935233455917409239041",
    #[cfg(feature = "every-field")]
);
prime_field_tests!(
    pallas,
    PallasBase,
    PallasPrime,
    "28948022309329048855892746252171976963363056481941560715954676764349967630337",
    #[cfg(feature = "every-field")]
);
prime_field_tests!(
    vesta,
    VestaBase,
    VestaPrime,
    "28948022309329048855892746252171976963363056481941647379679742748393362948097",
    #[cfg(feature = "every-field")]
);
prime_field_tests!(
    grumpkin,
    GrumpkinScalar,
    GrumpkinOrder,
    "21888242871839275222246405745257275088696311157297823662689037894645226208583",
    #[cfg(feature = "every-field")]
);

/// `x`, `y`, their product and the inverse of `x`.
fn known<P: Modulus>(decimals: [&str; 4]) {
    let [x, y, product, inverse] = decimals.map(|text| Prime256::<P>::from_decimal(text).expect("below"));
    assert_eq!(x * y, product);
    assert_eq!(x.inverse(), Some(inverse));
}

/// Computed by Python's integers: `x * y % p`, and `pow(x, -1, p)`.
#[test]
fn products_and_inverses_are_the_known_ones() {
    known::<Bls12377Order>([
        "6087985498317717033743608208894135825700145725229313951861619346294851397764",
        "7105355783993607136628946752084807566362654541701595528269387385863743940725",
        "3156334975255368992368902018076175449205491846361582875589546768948266151364",
        "7499654585660109355200764079596197283915254657306305248481100885504553973620",
    ]);
    known::<PallasPrime>([
        "4673581180762279453162110128447933239622928700463075281883325972428137643197",
        "20128014187433309246635815969006226218096992399314951496769653705975865529441",
        "1781621140868268976377572763579473111657716506238311003804605853026608665287",
        "16207282909413282285269648852156881694864555072500920533080450684773860831772",
    ]);
    known::<VestaPrime>([
        "26694275193629776531240340311165585153850620721402811536212621298858948953200",
        "8245123782439581632478075918739073807379451078220623971273741118280563093700",
        "1601427552730303283617717663233887517017257150877742575682806948215992588246",
        "18770029479109033676035071924119573365241344576820598482239802047010771935385",
    ]);
    known::<GrumpkinOrder>([
        "20284091233031987807226707779658269447205150417848808233452177449616403055558",
        "15867816006898093808972458858442768623627841967858233340477042595738141232742",
        "20166109517679073861805644577411349357461408834540699594767771920408445614990",
        "12215720751825519965893540983588390191414352138993557385413151978252460028768",
    ]);
}
