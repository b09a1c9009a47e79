//! The stages of subfield VOLE. The security of each round is computed by a test, not asserted.

use volery_field::Value;

use crate::ferret::Params;
use crate::supply::{Plan, Profile};

/// Starts from few base correlations.
const FIRST: Params = Params { log_k: 10, log_block: 3, trees: 773 };

/// Makes what [`SMALL`] starts from out of what [`FIRST`] gives.
const SECOND: Params = Params { log_k: 12, log_block: 5, trees: 2076 };

/// Few outputs from a table that fits the second-level cache: fewest seconds.
const SMALL: Params = Params { log_k: 16, log_block: 10, trees: 870 };

/// More outputs from a larger table: fewest bytes.
const LARGE: Params = Params { log_k: 18, log_block: 12, trees: 1450 };

/// The stages for a profile over the values `F`.
///
/// Over extension fields there are no rounds: the local code's rows have coefficients 0 and 1, so that an instance over
/// GF(p^s) would fall apart into `s` instances over F_p with the same places of noise.
#[must_use]
pub fn plan<F: Value>(profile: Profile) -> Plan {
    let rounds: &[Params] = match profile {
        _ if !is_prime::<F>() => &[],
        Profile::Lan => &[FIRST, SECOND, SMALL],
        Profile::Wan => &[FIRST, SECOND, SMALL, LARGE],
    };
    Plan { extension: 1 << 12, chunk: 1 << 9, long: 1 << 11, rounds }
}

/// Whether `F` is a prime field: it has about as many elements as its characteristic says.
fn is_prime<F: Value>() -> bool {
    F::CHARACTERISTIC.is_none_or(|p| p.checked_shr(F::BITS - 1).is_some_and(|top| top > 0))
}

#[cfg(test)]
mod tests {
    use volery_field::{Bn254Scalar, F32, F61, Gf256, P256Base};

    use super::super::round::base_len;
    use super::*;
    use crate::lpn::security::{Field, Instance, estimate};

    #[test]
    fn every_round_reaches_128_bits_over_the_smallest_and_the_largest_field() {
        for (name, params) in [("first", FIRST), ("second", SECOND), ("small", SMALL), ("large", LARGE)] {
            for bits in [32, 61, 252] {
                let (k, t, b) = (1 << params.log_k, params.trees.into(), 1 << params.log_block);
                let instance = Instance::over(Field::Large { bits }, k, t, b).unwrap();
                let (reached, attack) = estimate(&instance).minimum();
                assert!(reached >= 128.0, "{name} over {bits} bits: {reached} against {attack}");
            }
        }
    }

    #[test]
    fn extension_fields_have_no_rounds() {
        assert!(!is_prime::<Gf256>() && plan::<Gf256>(Profile::Lan).rounds.is_empty());
        assert!(
            is_prime::<F61>() && is_prime::<F32>() && is_prime::<Bn254Scalar>() && is_prime::<P256Base>()
        );
    }

    #[test]
    fn every_round_makes_what_its_successor_starts_from() {
        for profile in [Profile::Lan, Profile::Wan] {
            let plan = plan::<F61>(profile);
            for number in 0..5 {
                let (this, next) = (plan.round(number).unwrap(), plan.round(number + 1).unwrap());
                // The greatest degree of a MAC field over values that rounds are made for.
                let wanted = base_len::<F61, F61>(&next) + 3;
                assert!(wanted.div_ceil(this.block_len()) <= this.trees as usize, "{profile:?} {number}");
                // In the steady state even before the half, where P needs V's trees.
                assert!(this != next || 4 * wanted < this.outputs(), "{profile:?} {number}");
            }
        }
    }
}
