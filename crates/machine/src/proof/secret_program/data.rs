//! The words of data that a secret program has outside of its image.
//!
//! Each has an address in a region that is around the image, and a value of 32 bits. That no two have one
//! address, and that none is taken for a word that is zero at first, the log shows: of the words that are
//! live after a check no two have one address ([`log`](super::super::log)).

use super::super::form::{Shape, column};
use super::super::log::{Within, within};
use super::super::regions::Regions;

/// Address, first address and end of the region, lower limbs of the distances to them; value, and its lower
/// limb.
pub(super) const COLUMNS: usize = 7;

/// The address and the value.
pub(super) const MEMORY: [usize; 2] = [0, 5];

const REGION: Within = Within { address: 0, bounds: [1, 2], lows: [3, 4] };

/// What each word looks up.
pub(super) fn shape() -> Shape {
    let mut shape = Shape::new(COLUMNS);
    shape.within(REGION);
    shape.word(column(5), 6);
    shape
}

/// The columns of a word.
pub(super) fn row(regions: &Regions, (address, value): (u32, u32)) -> [i64; COLUMNS] {
    let [address, low, end, first, second] = within(regions, address.into());
    [address, low, end, first, second, value.into(), i64::from(value & 0xffff)]
}
