//! The bits of security of every parameter set in use.
//!
//! The figures take minutes to compute, because real matrices are peeled. So they are constants here, and
//! tests compare them with the results of the crate `lpn-estimator`: every run computes the quick ones, and a
//! test that has to be requested (`long_`) takes the worst of many matrices. The cost of sets for subfield
//! VOLE is that over the smallest field with rounds, of 32 bits; over a larger field an attack never costs
//! less.

use crate::ferret::Params;
use crate::subfield::{LONG, WIDE};

/// The size of the smallest prime field with rounds, in bits.
const SMALLEST_FIELD: u32 = 32;

/// A parameter set and the costs of attacks on it, as base-2 logarithms, rounded down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InUse {
    /// The name in the output of `volery soundness`.
    pub name: &'static str,
    /// The parameters.
    pub params: Params,
    /// Bits of the field; 1 for F2.
    pub field_bits: u32,
    /// The cheapest published attack, which treats the matrix as uniform.
    pub published: f64,
    /// An attack by sparse quadratic equations, which uses the ten positions of a row.
    pub sparse: f64,
    /// An attack by minors of real matrices: a little below the worst of those peeled.
    pub minors: f64,
    /// The same if linear algebra were free.
    pub lists: f64,
    /// The best minors that any matrix can have.
    pub floor: f64,
}

impl InUse {
    /// The cheapest attack known.
    #[must_use]
    pub fn bits(&self) -> f64 {
        self.published.min(self.sparse).min(self.minors)
    }
}

const fn bits(name: &'static str, params: Params, figures: [f64; 5]) -> InUse {
    over(1, name, params, figures)
}

const fn field(name: &'static str, params: Params, figures: [f64; 5]) -> InUse {
    over(SMALLEST_FIELD, name, params, figures)
}

const fn over(field_bits: u32, name: &'static str, params: Params, figures: [f64; 5]) -> InUse {
    let [published, sparse, minors, lists, floor] = figures;
    InUse { name, params, field_bits, published, sparse, minors, lists, floor }
}

/// Every set in use: those of random COT, and those of subfield VOLE.
pub const IN_USE: [InUse; 10] = [
    bits("lpn_cot_lot", Params::LOT, [188.0, 168.2, 134.8, 129.2, 128.4]),
    bits("lpn_cot_small", Params::SMALL, [195.2, 167.4, 135.0, 128.3, 128.4]),
    bits("lpn_cot_large", Params::LARGE, [206.9, 172.9, 136.8, 128.2, 130.2]),
    field("lpn_field_1", WIDE[0], [212.6, 214.8, 149.3, 148.5, 142.1]),
    field("lpn_field_2", WIDE[1], [195.3, 188.4, 138.5, 134.3, 131.9]),
    field("lpn_field_3", WIDE[2], [195.7, 178.3, 137.1, 128.1, 130.5]),
    field("lpn_field_wide", WIDE[3], [210.1, 185.7, 138.3, 128.1, 132.6]),
    field("lpn_field_long_1", LONG[0], [198.7, 205.5, 143.9, 143.9, 136.3]),
    field("lpn_field_long_2", LONG[1], [179.0, 179.5, 135.4, 133.5, 128.2]),
    field("lpn_field_long_3", LONG[2], [188.3, 174.8, 136.1, 128.1, 129.5]),
];

#[cfg(test)]
mod tests {
    use lpn_estimator::{Field, Figures, Instance};

    use super::*;
    use crate::correlations::Profile;
    use crate::lpn::code::LOCALITY;

    /// What the estimator says of a set, peeling so many matrices.
    fn computed(set: &InUse, matrices: u32) -> Figures {
        let field = match set.field_bits {
            1 => Field::Binary,
            bits => Field::Large { bits },
        };
        let Params { log_k, log_block, trees } = set.params;
        let instance = Instance::over(field, 1 << log_k, trees.into(), 1 << log_block).unwrap();
        Figures::of(&instance, LOCALITY as u32, matrices)
    }

    /// What a table entry may differ from the figure it stands for: it is rounded down.
    fn rounded(entry: f64, figure: f64) -> bool {
        entry <= figure && figure < entry + 0.11
    }

    #[test]
    fn every_set_in_use_reaches_128_bits_against_every_attack() {
        for set in IN_USE {
            assert!(set.bits().min(set.lists).min(set.floor) >= 128.0, "{set:?}");
        }
    }

    #[test]
    fn the_table_says_what_the_estimators_say() {
        for set in IN_USE {
            let got = computed(&set, 0);
            for (entry, figure) in
                [(set.published, got.published), (set.sparse, got.sparse), (set.floor, got.floor)]
            {
                assert!(rounded(entry, figure), "{set:?} {got:?}");
            }
        }
    }

    /// One matrix of each of the smaller sets.
    #[test]
    fn real_matrices_of_the_small_sets_peel_as_the_table_says() {
        for set in IN_USE.iter().filter(|set| set.params.outputs() < 500_000) {
            let got = computed(set, 1);
            assert!(got.minors >= set.minors && got.minors < set.minors + 3.0, "{set:?} {got:?}");
            assert!(got.lists >= set.lists && got.lists < set.lists + 3.0, "{set:?} {got:?}");
        }
    }

    #[test]
    #[ignore = "peels 80 matrices of up to five million rows: minutes"]
    fn long_the_worst_of_eight_matrices_of_every_set_is_no_worse_than_the_table_says() {
        for set in IN_USE {
            let got = computed(&set, 8);
            assert!(got.minors >= set.minors && got.minors < set.minors + 1.5, "{set:?} {got:?}");
            assert!(got.lists >= set.lists && got.lists < set.lists + 1.5, "{set:?} {got:?}");
        }
    }

    #[test]
    fn every_set_that_a_plan_names_is_in_the_table() {
        let planned = [Profile::Lan, Profile::Wan].into_iter().flat_map(|profile| {
            let plans = [profile.plan(), profile.plan_of_lot()];
            plans.into_iter().flat_map(|plan| plan.rounds)
        });
        let fields = WIDE.iter().chain(&LONG);
        for params in planned.chain(fields) {
            assert!(IN_USE.iter().any(|set| set.params == *params), "{params:?}");
        }
    }
}
