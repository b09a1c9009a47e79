//! The stages of subfield VOLE. A test computes the security of each round.

use volery_field::{Mac, Value};

use crate::correlations::{Plan, Profile};
use crate::ferret::Params;
use crate::softspoken::FieldBits;

use super::base::message_bytes;
use super::round::{base_len, check_bytes, trees_bytes};

/// For fields with short tags: more outputs, so that the trees take fewer bytes for each output.
const SHORT: [Params; 3] = [
    Params { log_k: 11, log_block: 4, trees: 600 },
    Params { log_k: 13, log_block: 6, trees: 1072 },
    Params { log_k: 16, log_block: 9, trees: 1690 },
];

/// For fields with long tags: a smaller table, so that it stays in the caches.
pub(crate) const LONG: [Params; 3] = [
    Params { log_k: 10, log_block: 3, trees: 655 },
    Params { log_k: 12, log_block: 5, trees: 1113 },
    Params { log_k: 15, log_block: 8, trees: 1600 },
];

/// After [`SHORT`]: sets with the fewest bytes.
pub(crate) const WIDE: [Params; 4] =
    [SHORT[0], SHORT[1], SHORT[2], Params { log_k: 18, log_block: 11, trees: 1880 }];

/// The stages for a profile over the values `F` with tags in `M`.
///
/// There are no rounds over extension fields: the local code's rows have coefficients 0 and 1, so an instance
/// over GF(p^s) would fall apart into `s` instances over F_p with the same noise positions.
///
/// Every set also has 128 bits of security against attacks on the *local* code, which are not among the
/// published ones: see `lpn_estimator::local` and [`security::in_use`](crate::security::in_use).
#[must_use]
pub fn plan<F: Value, M: Mac<F>>(profile: Profile) -> Plan {
    let rounds: &[Params] = match profile {
        _ if !is_prime::<F>() => &[],
        // Compared with tags of this length, the trees' bytes do not matter.
        _ if M::BYTES > 16 => &LONG,
        Profile::Lan => &SHORT,
        Profile::Wan => &WIDE,
    };
    // Four chunks without a round take a quarter of a megabyte over F61 and two megabytes over 256 bits. If
    // that costs more than the two round trips that they would fill, there are none.
    let lead = if profile == Profile::Wan && M::BYTES <= 16 { 4 } else { 0 };
    Plan { extension: 1 << 12, chunk: 1 << 9, long: 1 << 11, lead, rounds }
}

/// The stages over a [`Lot`](crate::correlations::Lot) of [`lot_len`] correlations: those of [`plan`] from
/// the first set on that makes many at once. `None` for fields without rounds, over which nothing can be
/// dealt.
#[must_use]
pub fn plan_of_lot<F: Value, M: Mac<F>>(profile: Profile) -> Option<Plan> {
    let rounds: &[Params] = match profile {
        _ if !is_prime::<F>() => return None,
        _ if M::BYTES > 16 => &[LONG[2]],
        Profile::Lan => &[SHORT[2]],
        Profile::Wan => &[WIDE[2], WIDE[3]],
    };
    Some(Plan::of_lot(rounds))
}

/// Bytes of messages for each correlation, both directions together, once the last kind of round repeats, or
/// of the extension where there are no rounds; without the headers of frames. Those before take more.
#[must_use]
pub fn bytes_per_correlation<F: Value, M: Mac<F>>(profile: Profile) -> f64 {
    let plan = plan::<F, M>(profile);
    let Some(round) = plan.rounds.last() else {
        return message_bytes::<F, M>(plan.chunk) as f64 / plan.chunk as f64;
    };
    let paths = FieldBits::Eight.extension_bytes(round.paths_len());
    let sent = trees_bytes::<M>(round) + paths + check_bytes::<M>();
    // The next round starts from the rest.
    sent as f64 / (round.outputs() - base_len::<F, M>(round)) as f64
}

/// The length of the lots that this [`plan_of_lot`] starts from.
#[must_use]
pub fn lot_len<F: Value, M: Mac<F>>(plan: &Plan) -> usize {
    plan.round(0).map_or(0, |params| base_len::<F, M>(&params))
}

/// Whether `F` is a prime field: whether its number of elements is about its characteristic.
fn is_prime<F: Value>() -> bool {
    F::CHARACTERISTIC.is_none_or(|p| p.checked_shr(F::BITS - 1).is_some_and(|top| top > 0))
}

#[cfg(test)]
mod tests {
    use volery_field::{Bn254Scalar, F32, F61, Gf128, Gf256, Goldilocks, GoldilocksX2, P256Base};

    use super::*;

    #[test]
    fn extension_fields_have_no_rounds() {
        assert!(!is_prime::<Gf256>() && plan::<Gf256, Gf128>(Profile::Lan).rounds.is_empty());
        assert!(
            is_prime::<F61>() && is_prime::<F32>() && is_prime::<Bn254Scalar>() && is_prime::<P256Base>()
        );
        assert!(is_prime::<Goldilocks>());
        assert_eq!(plan::<Goldilocks, GoldilocksX2>(Profile::Wan), plan::<F61, F61>(Profile::Wan));
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
