//! Statements that come in shards: what repeats is cut between the repetitions.

mod batch;
mod preimage;
mod product;
#[cfg(feature = "programs")]
mod run;

pub use batch::{Batch, BatchPart};
pub use preimage::{SplitPreimage, SplitPreimagePart};
pub use product::{SplitProduct, SplitProductPart};
#[cfg(feature = "programs")]
pub use run::estimate_run;
#[cfg(feature = "programs")]
pub use volery_machine::proof::shards::{SplitRun, SplitRunPart};

/// The `n`th of `parts` nearly equal parts of `0..all`.
fn part(all: u64, parts: usize, n: usize) -> core::ops::Range<u64> {
    // Neither product overflows in 128 bits, and both quotients are at most `all`.
    let end = |n: usize| (u128::from(all) * n as u128 / (parts.max(1)) as u128) as u64;
    end(n)..end(n + 1)
}

#[cfg(test)]
mod tests {
    use super::part;

    #[test]
    fn parts_are_nearly_equal_and_make_up_the_whole() {
        for (all, parts) in [(0, 1), (1, 3), (10, 3), (1000, 7), (u64::MAX, 65_536)] {
            let mut at = 0;
            for n in 0..parts {
                let part = part(all, parts, n);
                assert_eq!(part.start, at);
                let length = part.end - part.start;
                assert!((all / parts as u64..=all.div_ceil(parts as u64)).contains(&length));
                at = part.end;
            }
            assert_eq!(at, all);
        }
    }
}
