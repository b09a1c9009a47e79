//! The stages of subfield VOLE. The security of each round is computed by a test, not asserted.

use crate::ferret::Params;
use crate::supply::{Plan, Profile};

/// Starts from few base correlations and makes what the next one starts from.
const RAMP: Params = Params { log_k: 12, log_block: 6, trees: 1100 };

/// The stages for a profile, the same over every field.
#[must_use]
pub fn plan(profile: Profile) -> Plan {
    let rounds: &[Params] = match profile {
        Profile::Lan => &[RAMP, Params::SMALL],
        Profile::Wan => &[RAMP, Params::SMALL, Params::LARGE],
    };
    Plan { extension: 1 << 12, chunk: 1 << 9, long: 1 << 11, rounds }
}
