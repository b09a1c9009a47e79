//! The stages of subfield VOLE. The security of each round is computed by a test, not asserted.

use volery_field::{Mac, Value};

use crate::ferret::Params;
use crate::supply::{Plan, Profile};

/// Over fields whose tags are short: more outputs, so fewer bytes an output for the trees.
const SHORT: [Params; 3] = [
    Params { log_k: 11, log_block: 4, trees: 600 },
    Params { log_k: 13, log_block: 6, trees: 1072 },
    Params { log_k: 16, log_block: 9, trees: 1690 },
];

/// Over fields whose tags are long: a smaller table, so that it stays in the caches.
pub(crate) const LONG: [Params; 3] = [
    Params { log_k: 10, log_block: 3, trees: 655 },
    Params { log_k: 12, log_block: 5, trees: 1113 },
    Params { log_k: 15, log_block: 8, trees: 1600 },
];

/// After [`SHORT`]: fewest bytes.
pub(crate) const WIDE: [Params; 4] =
    [SHORT[0], SHORT[1], SHORT[2], Params { log_k: 18, log_block: 11, trees: 1880 }];

/// The stages for a profile over the values `F` with tags in `M`.
///
/// Over extension fields there are no rounds: the local code's rows have coefficients 0 and 1, so that an
/// instance over GF(p^s) would fall apart into `s` instances over F_p with the same places of noise.
///
/// Every set also has 128 bits against what the *local* code gives an attacker, which is not among the
/// published attacks: see `lpn_estimator::local` and [`security::in_use`](crate::security::in_use).
#[must_use]
pub fn plan<F: Value, M: Mac<F>>(profile: Profile) -> Plan {
    let rounds: &[Params] = match profile {
        _ if !is_prime::<F>() => &[],
        // Beside so long tags the trees' bytes do not matter.
        _ if M::BYTES > 16 => &LONG,
        Profile::Lan => &SHORT,
        Profile::Wan => &WIDE,
    };
    // Four chunks without a round are a quarter of a megabyte over F61 and two over 256 bits: where that is
    // more than the two round trips that they would fill, there are none.
    let lead = if profile == Profile::Wan && M::BYTES <= 16 { 4 } else { 0 };
    Plan { extension: 1 << 12, chunk: 1 << 9, long: 1 << 11, lead, rounds }
}

/// Whether `F` is a prime field: it has about as many elements as its characteristic says.
fn is_prime<F: Value>() -> bool {
    F::CHARACTERISTIC.is_none_or(|p| p.checked_shr(F::BITS - 1).is_some_and(|top| top > 0))
}

#[cfg(test)]
mod tests {
    use volery_field::{Bn254Scalar, F32, F61, Gf128, Gf256, P256Base};

    use super::super::round::base_len;
    use super::*;

    #[test]
    fn extension_fields_have_no_rounds() {
        assert!(!is_prime::<Gf256>() && plan::<Gf256, Gf128>(Profile::Lan).rounds.is_empty());
        assert!(
            is_prime::<F61>() && is_prime::<F32>() && is_prime::<Bn254Scalar>() && is_prime::<P256Base>()
        );
    }

    #[test]
    fn every_round_makes_what_its_successor_starts_from() {
        let plans = [plan::<F61, F61>(Profile::Lan), plan::<F61, F61>(Profile::Wan)];
        for plan in plans.into_iter().chain([plan::<Bn254Scalar, Bn254Scalar>(Profile::Lan)]) {
            for number in 0..5 {
                let (this, next) = (plan.round(number).unwrap(), plan.round(number + 1).unwrap());
                // The greatest degree of a MAC field over values that rounds are made for.
                let wanted = base_len::<F61, F61>(&next) + 3;
                assert!(wanted.div_ceil(this.block_len()) <= this.trees as usize, "{plan:?} {number}");
                // In the steady state even before the half, where P needs V's trees.
                assert!(this != next || 4 * wanted < this.outputs(), "{plan:?} {number}");
            }
        }
    }
}
