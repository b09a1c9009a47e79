//! How many of delta's 127 bits remain if its trees are known: how many values one evaluation of AES tests.
//!
//! The argument is in the documentation of `pprf`: each tree has its own key, and P has one target for each
//! level of a tree that is hashed under it. Over fields the last level has its own key (or several), which
//! gives one target. There, too, the search is for the binary delta of the trees.

use volery_field::{Bn254Scalar, F61};

use crate::correlations::{Plan, Profile};
use crate::subfield;

/// The cost of a search for delta, for one kind of rounds in use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeltaSearch {
    /// The field of the rounds' correlations.
    pub name: &'static str,
    /// The number of levels of a tree whose nodes are hashed under one key: one evaluation of AES tests this
    /// many values of delta.
    pub levels: u32,
    /// `q` evaluations of AES find delta with probability at most `q / 2^bits`.
    pub bits: f64,
}

impl DeltaSearch {
    fn new(name: &'static str, levels: Option<u32>) -> Self {
        let levels = levels.unwrap_or(1).max(1);
        Self { name, levels, bits: 127.0 - f64::from(levels).log2() }
    }

    /// The costs for the rounds of every plan in use: over bits, and over fields.
    #[must_use]
    pub fn in_use() -> [Self; 2] {
        let profiles = [Profile::Lan, Profile::Wan];
        let bits = profiles.iter().flat_map(|profile| [profile.plan(), profile.plan_of_lot()]);
        let fields = profiles.iter().flat_map(|profile| {
            let (short, long) = (subfield::plan::<F61, F61>, subfield::plan::<Bn254Scalar, Bn254Scalar>);
            let of_lot = [
                subfield::plan_of_lot::<F61, F61>(*profile),
                subfield::plan_of_lot::<Bn254Scalar, Bn254Scalar>(*profile),
            ];
            [short(*profile), long(*profile)].into_iter().chain(of_lot.into_iter().flatten())
        });
        let highest = |plans: &mut dyn Iterator<Item = Plan>| {
            plans.flat_map(|plan| plan.rounds).map(|round| round.log_block).max()
        };
        [
            // The nodes of all levels except the last are hashed.
            Self::new("bits", highest(&mut { bits }).map(|height| height - 1)),
            // Over fields the last level is hashed under other keys.
            Self::new("fields", highest(&mut { fields }).map(|height| height - 2)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_gains_less_than_four_bits_whatever_is_in_use() {
        for search in DeltaSearch::in_use() {
            assert!(search.bits > 123.0 && search.bits < 126.0, "{search:?}");
            assert!(
                (f64::from(search.levels) * (search.bits - 127.0).exp2() - 1.0).abs() < 1e-9,
                "{search:?}"
            );
        }
    }

    #[test]
    fn trees_of_two_to_the_ten_leaves_have_nine_levels_under_one_key() {
        let expected = DeltaSearch { name: "x", levels: 9, bits: 127.0 - 9_f64.log2() };
        assert_eq!(DeltaSearch::new("x", Some(9)), expected);
        assert_eq!(DeltaSearch::new("x", Some(0)).bits, 127.0);
    }
}
