//! How a run is cut into segments.

use volery_circuit::Error;

use super::log::MOST_LIVE;

/// How a run is cut into segments. Both parties need the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Steps of a segment, about: a call that moves bytes is not cut.
    pub steps: u32,
    /// The rows of each kind in a segment are filled up to a multiple of this.
    pub unit: u32,
    /// How long the log of touched words is at least before it is checked.
    pub log: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { steps: 1 << 16, unit: 16, log: 1 << 18 }
    }
}

impl Settings {
    pub(super) fn check(self) -> Result<(), Error> {
        if self.steps == 0 || self.steps > MOST_STEPS || self.unit == 0 || self.unit > 1 << 16 {
            return Err(Error::Public(format!(
                "segments of {} steps with rows in units of {}; at most 2^20 and 2^16 are possible",
                self.steps, self.unit
            )));
        }
        if self.log > MOST_LIVE {
            return Err(Error::Public(format!(
                "a log of {} words before it is checked; at most {MOST_LIVE} are possible",
                self.log
            )));
        }
        Ok(())
    }
}

/// The most steps of a segment.
pub(super) const MOST_STEPS: u32 = 1 << 20;
