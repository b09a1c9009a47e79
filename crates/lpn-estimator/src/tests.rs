//! Provenance of the expected figures: printed by the estimator that the module's documentation names (commit
//! 41e013c, its functions run as they are), to the digits given. Its authors use these instances, and
//! Ferret's, for their own tables.

use super::*;
use proptest::prelude::*;

/// `n`, `k`, `t` with the cost of one attack.
type Published = (f64, f64, f64, f64);

fn assert_published(attack: impl Fn(Shape) -> f64, tolerance: f64, table: &[Published]) {
    for &(n, k, t, bits) in table {
        let ours = attack(Shape { n, k, t });
        assert!((ours - bits).abs() < tolerance, "n = {n}, k = {k}, t = {t}: {ours}, published {bits}");
    }
}

/// Whole blocks of the same size, the samples that are left over dropped, as 2023/1568 and 2025/1284 are
/// costed.
fn whole_blocks(s: Shape) -> Shape {
    let n = s.block() * s.t;
    Shape { n, k: n - (s.n - s.k), t: s.t }
}

#[test]
fn pooled_gauss_matches_the_published_estimator() {
    assert_published(
        exact::pooled_gauss,
        0.001,
        &[
            (1024.0, 652.0, 57.0, 111.41568),
            (4096.0, 1589.0, 98.0, 100.26760),
            (1024.0, 652.0, 106.0, 194.60708),
            (4096.0, 1589.0, 172.0, 155.00364),
            (16384.0, 3482.0, 198.0, 101.66090),
            (16384.0, 3482.0, 338.0, 150.82509),
        ],
    );
}

#[test]
fn statistical_decoding_matches_the_published_estimator() {
    assert_published(
        exact::statistical_decoding,
        0.001,
        &[
            (1024.0, 652.0, 57.0, 144.07566),
            (4096.0, 1589.0, 98.0, 142.35635),
            (4096.0, 1589.0, 172.0, 236.33897),
            (16384.0, 3482.0, 198.0, 145.62250),
        ],
    );
}

#[test]
fn stern_dumer_matches_the_published_estimator() {
    // Published windows are one or two bits wider for some parities of k, so only to a tenth.
    assert_published(
        exact::stern_dumer,
        0.1,
        &[
            (1024.0, 652.0, 57.0, 96.93917),
            (4096.0, 1589.0, 98.0, 86.27475),
            (1024.0, 652.0, 106.0, 176.74776),
            (4096.0, 1589.0, 172.0, 137.66494),
            (16384.0, 3482.0, 198.0, 90.36562),
            (16384.0, 3482.0, 338.0, 135.85900),
        ],
    );
}

#[test]
fn bjmm_matches_the_published_estimator_and_undercuts_it_where_that_limits_the_window() {
    assert_published(exact::information_set_decoding, 0.01, &[(4096.0, 1589.0, 98.0, 83.86775)]);
    // The published search stops at l = (n - k - 2) / 8 + 5 = 51 and gives 94.53; the minimum of the same
    // formula is at l = 85.
    assert_published(exact::information_set_decoding, 0.01, &[(1024.0, 652.0, 57.0, 90.14)]);
}

#[test]
fn regular_isd_matches_the_published_estimator() {
    assert_published(
        |s| regular::regular_isd(whole_blocks(s)),
        0.01,
        &[
            (1024.0, 652.0, 57.0, 76.32),
            (4096.0, 1589.0, 98.0, 78.12),
            (1024.0, 652.0, 106.0, 113.21),
            (4096.0, 1589.0, 172.0, 109.38),
            (16384.0, 3482.0, 198.0, 83.94),
            (16384.0, 3482.0, 338.0, 117.84),
        ],
    );
}

#[test]
fn agb_matches_the_published_estimator() {
    assert_published(
        algebraic::agb,
        0.006,
        &[
            (1024.0, 652.0, 57.0, 101.48),
            (4096.0, 1589.0, 98.0, 101.59),
            (1024.0, 652.0, 106.0, 144.94),
            (4096.0, 1589.0, 172.0, 134.81),
            (16384.0, 3482.0, 198.0, 105.91),
        ],
    );
}

#[test]
fn agb2_matches_the_published_estimator() {
    assert_published(
        algebraic::agb2,
        0.006,
        &[
            (1024.0, 652.0, 57.0, 96.85),
            (4096.0, 1589.0, 98.0, 97.44),
            (1024.0, 652.0, 106.0, 138.34),
            (4096.0, 1589.0, 172.0, 127.63),
        ],
    );
}

#[test]
fn hybrid_matches_the_published_estimator() {
    assert_published(
        |s| hybrid::hybrid(whole_blocks(s)),
        0.001,
        &[
            (1024.0, 652.0, 57.0, 78.43530),
            (4096.0, 1589.0, 98.0, 82.15656),
            (16384.0, 3482.0, 198.0, 88.97139),
            (65536.0, 7391.0, 389.0, 90.90189),
            (262_144.0, 15336.0, 760.0, 86.74135),
            (1024.0, 652.0, 106.0, 115.58208),
            (4096.0, 1589.0, 172.0, 113.69302),
            (16384.0, 3482.0, 338.0, 118.53236),
            (65536.0, 7391.0, 667.0, 119.67482),
            (609_728.0, 36288.0, 1269.0, 126.59170),
        ],
    );
}

/// For the second instance the published script prints 138.76, its search having missed `q = 3`, at which its
/// own cost function (guess `u = 38`) gives the figure here. It is also what fits emp-ot, which names 850
/// blocks as the most at its 128-bit floor.
#[test]
fn hybrid_attack_at_dimension_2_to_16_bites_where_samples_are_many() {
    let hybrid = |blocks| hybrid::hybrid(Shape { n: 1024.0 * blocks, k: 65536.0, t: blocks });
    assert!((hybrid(4004.0) - 87.22).abs() < 0.01);
    assert!((hybrid(850.0) - 128.693).abs() < 0.001);
}

/// The search over guesses and set-aside blocks loses nothing against trying them all.
#[test]
fn hybrid_search_finds_the_global_minimum_of_its_cost() {
    for (k, blocks, block_size) in [(300, 40, 16), (1500, 98, 41), (2000, 100, 64), (2048, 64, 64)] {
        let s = Instance::new(k, blocks, block_size).unwrap().shape();
        let all = (0..blocks).flat_map(|q| (0..=k).map(move |guessed| (q, guessed)));
        let best =
            all.map(|(q, guessed)| hybrid::cost(s, q as f64, guessed as f64)).fold(f64::INFINITY, f64::min);
        assert!((hybrid::hybrid(s) - best).abs() < 0.01, "{} against {best}", hybrid::hybrid(s));
    }
}

#[test]
fn the_minimum_names_the_cheapest_attack() {
    let costs = estimate(&Instance::new(1 << 16, 850, 1 << 10).unwrap());
    let (bits, name) = costs.minimum();
    assert!(costs.named().iter().all(|(b, _)| *b >= bits));
    assert!(costs.named().contains(&(bits, name)));
}

#[test]
fn largest_is_secure_and_a_hundredth_more_is_not() {
    for (dimension, block_size) in [(1 << 15, 1 << 9), (1 << 16, 1 << 10), (1 << 18, 1 << 12)] {
        let best = largest(dimension, block_size, 128.0).unwrap();
        assert!(estimate(&best).minimum().0 >= 128.0);
        let more = Instance::new(dimension, best.blocks() * 101 / 100 + 1, block_size).unwrap();
        assert!(estimate(&more).minimum().0 < 128.0, "{best:?}");
    }
    assert_eq!(largest(1 << 15, 1 << 10, 128.0), None);
    assert_eq!(largest(1 << 15, 0, 128.0), None);
}

#[test]
fn parameters_that_mean_nothing_are_refused() {
    use InvalidInstance::{Size, TooFewSamples, TooManyBlocks};
    assert_eq!(Instance::new(64, 10, 3), Err(Size { blocks: 10, block_size: 3 }));
    assert_eq!(Instance::new(64, 0, 0), Err(Size { blocks: 0, block_size: 0 }));
    assert_eq!(Instance::new(64, u64::MAX, 1024), Err(Size { blocks: u64::MAX, block_size: 1024 }));
    assert_eq!(Instance::new(64, (1 << 28) + 1, 4), Err(Size { blocks: (1 << 28) + 1, block_size: 4 }));
    assert_eq!(Instance::new(64, 64, 1024), Err(TooManyBlocks { dimension: 64, blocks: 64 }));
    assert_eq!(Instance::new(1 << 16, 64, 1024), Err(TooFewSamples { dimension: 1 << 16, samples: 1 << 16 }));
    assert_eq!(
        Instance::new(u64::MAX, 64, 1024),
        Err(TooFewSamples { dimension: u64::MAX, samples: 1 << 16 })
    );
    assert_eq!(Instance::new(64, 0, 1024), Err(Size { blocks: 0, block_size: 1024 }));
}

#[test]
fn refill_counts_secret_paths_and_check() {
    let instance = Instance::new(1 << 16, 850, 1 << 10).unwrap();
    assert_eq!(instance.samples(), 870_400);
    assert_eq!(instance.refill(), 65536 + 8500 + 128);
    assert_eq!(instance.tree_bytes(), 136_000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// A small allowance: costs are minima over rounded parameters and halved numbers of blocks.
    #[test]
    fn attacks_get_no_harder_with_more_samples_of_the_same_noise_rate(log_k in 12u32..18, ratio in 2u64..40, log_block in 7u32..12) {
        let (k, block) = (1u64 << log_k, 1u64 << log_block);
        let fewer = Instance::new(k, (k / block).max(4) * ratio, block);
        let more = Instance::new(k, (k / block).max(4) * ratio * 5 / 4, block);
        if let (Ok(fewer), Ok(more)) = (fewer, more) {
            prop_assert!(estimate(&more).minimum().0 < estimate(&fewer).minimum().0 + 0.5);
        }
    }

    /// Half the block size and twice the blocks: as many samples, twice the noise.
    #[test]
    fn every_attack_gets_harder_with_more_noise_on_the_same_samples(log_k in 14u32..18, ratio in 4u64..16, log_block in 9u32..12) {
        let (k, block) = (1u64 << log_k, 1u64 << log_block);
        let blocks = (k / block).max(4) * ratio;
        let sparse = estimate(&Instance::new(k, blocks, block).unwrap());
        let dense = estimate(&Instance::new(k, 2 * blocks, block / 2).unwrap());
        for ((more, name), (less, _)) in dense.named().into_iter().zip(sparse.named()) {
            prop_assert!(more > less, "{name}: {more} against {less}");
        }
    }

    #[test]
    fn every_valid_instance_has_a_figure_for_every_attack(k in 1u64..1 << 18, blocks in 1u64..1 << 12, block in 0u64..1 << 10) {
        if let Ok(instance) = Instance::new(k, blocks, block) {
            for (bits, name) in estimate(&instance).named() {
                prop_assert!(!bits.is_nan() && bits >= 0.0, "{name}: {bits}");
            }
            prop_assert!(estimate(&instance).minimum().0.is_finite());
        }
    }
}
