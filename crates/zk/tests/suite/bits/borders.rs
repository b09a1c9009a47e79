//! One wrong product, wherever it stands, is one too many.
//!
//! The statements are false whatever the witness (one product is claimed to be what it cannot be) and the
//! prover lies in just that product, so that all its own assertions hold: only the check of the products can
//! notice.

use volery_testing::deal;
use volery_zk::Error;

use crate::bits::parties::{MODES, Mode, Run};
use crate::bits::reference::Lie;
use crate::bits::statements::Products;

/// The lie is noticed, as what it is.
fn assert_caught(run: Run, count: u64, at: u64) {
    let (p, v) = run.lying(&Products::false_at(count, at), Lie::Product(at));
    let expected = Error::Rejected { reason: "a product is wrong".into() };
    assert_eq!(v, Err(expected), "product {at} of {count}, {run:?}");
    assert!(p.is_err(), "product {at} of {count}, {run:?}");
}

#[test]
fn the_last_product_of_1_to_64() {
    for mode in MODES {
        for threads in 1..=8 {
            for count in 1..=64 {
                assert_caught(Run { threads: [1, threads], ..Run::new(1 << 17, mode) }, count, count - 1);
            }
        }
    }
}

#[test]
fn every_product_of_small_blocks_and_of_the_rest() {
    for mode in MODES {
        for interval in [1, 2, 7, 8, 16] {
            for count in [1, interval as u64, 3 * interval as u64 + 3] {
                for at in 0..count {
                    assert_caught(Run::new(interval, mode), count, at);
                }
            }
        }
    }
}

#[test]
fn the_last_product_when_it_ends_begins_or_nearly_ends_a_block() {
    for mode in MODES {
        let interval = 32;
        for blocks in 1..=3 {
            let border = blocks * interval as u64 - Products::SECRETS;
            for count in border - 9..=border + 9 {
                assert_caught(Run::new(interval, mode), count, count - 1);
            }
        }
    }
}

/// Blocks long enough that the sums are split among threads, and pieces of them that are not full.
#[test]
fn around_the_borders_of_blocks_and_of_the_pieces_that_threads_take() {
    let interval = 5000;
    for (i, mode) in MODES.into_iter().cycle().enumerate().take(8) {
        let run = Run { threads: [1, i + 1], ..Run::new(interval, mode) };
        // Slots of the lie and of the last product: pieces of 1024 in a block of 5000, then a second block.
        let ends = [
            2047, 2048, 2049, 4095, 4096, 4097, 4999, 5000, 5001, 6023, 6024, 6025, 7047, 7048, 7049, 9999,
            10_000, 10_001,
        ];
        for end in ends {
            let count = end - Products::SECRETS;
            for back in [1, 2, 3] {
                assert_caught(run, count, count - back);
            }
        }
        for at in [0, 1, 2045, 2046, 2047, 4997, 4998, 4999, 9998] {
            assert_caught(run, 10_002, at);
        }
    }
}

/// The lies above are well made: a prover that knows delta, and changes nothing else, is believed.
#[test]
fn who_knows_delta_can_lie_anywhere() {
    for mode in MODES {
        for (interval, count, at) in [(1, 3, 1), (16, 50, 20), (16, 30, 29), (5000, 7000, 6999)] {
            let lie = Lie::ProductKnowing(at, deal::delta().expose());
            let (p, v) = Run::new(interval, mode).lying(&Products::false_at(count, at), lie);
            assert!(p.is_ok() && v.is_ok(), "{p:?} {v:?}");
        }
    }
}

#[test]
#[ignore = "long: a proof at the real block length for each position and number of threads"]
fn long_around_the_borders_of_real_blocks() {
    for interval in [1 << 17, 1 << 18] {
        for threads in 1..=8 {
            for mode in MODES {
                let run = Run { threads: [1, threads], batch: [4096, 4096], ..Run::new(interval, mode) };
                for offset in [-3_i64, -2, -1, 0, 1, 2, 3] {
                    let count = (interval as i64 - Products::SECRETS as i64 + offset) as u64;
                    assert_caught(run, count, count - 1);
                }
                for at in [0, 2046, interval as u64 / 2, interval as u64 - 3, interval as u64 - 2] {
                    assert_caught(run, interval as u64 + 100, at);
                }
            }
        }
    }
}

/// In one run of 128 slots, in two, and at the same place of two runs of different pieces.
#[test]
fn two_wrong_products_do_not_cancel() {
    let caught = |interval, count, a, b| {
        // The claim is true without the second lie's product; both products are wrong in the proof.
        let run = Run::new(interval, Mode::Interactive);
        let (_, v) = run.lying(&Products::false_at(count, a), Lie::Products([a, b]));
        assert_eq!(v, Err(Error::Rejected { reason: "a product is wrong".into() }), "{a} {b}");
    };
    for (a, b) in [(0, 1), (10, 61), (10, 62), (10, 70)] {
        caught(64, 100, a, b);
    }
    for distance in 1..=130 {
        caught(1000, 300, 120, 120 + distance);
    }
    for distance in [128, 1024, 2048] {
        caught(4096, 3000, 10, 10 + distance);
    }
}
