//! What lies between two parties, for estimates.

use std::time::Duration;

/// What lies between the parties.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Network {
    /// Time from a message to its answer, if the answer takes no time.
    pub round_trip: Duration,
    /// Bits per second from P to V.
    pub bits_to_verifier: f64,
    /// Bits per second from V to P.
    pub bits_to_prover: f64,
}

impl Network {
    /// A gigabit a second, half a millisecond: one building.
    pub const LAN: Self = Self::new(Duration::from_micros(500), 1e9);

    /// A hundred megabits a second, fifty milliseconds: the internet.
    pub const WAN: Self = Self::new(Duration::from_millis(50), 1e8);

    /// A network with the same rate in both directions.
    #[must_use]
    pub const fn new(round_trip: Duration, bits: f64) -> Self {
        Self { round_trip, bits_to_verifier: bits, bits_to_prover: bits }
    }

    /// Seconds for this many bytes of P's.
    #[must_use]
    pub fn seconds_to_verifier(&self, bytes: f64) -> f64 {
        bytes * 8.0 / self.bits_to_verifier.max(1.0)
    }

    /// Seconds for this many bytes of V's.
    #[must_use]
    pub fn seconds_to_prover(&self, bytes: f64) -> f64 {
        bytes * 8.0 / self.bits_to_prover.max(1.0)
    }

    /// Seconds for this many round trips, each in full.
    #[must_use]
    pub fn seconds_of_waits(&self, round_trips: u64) -> f64 {
        round_trips as f64 * self.round_trip.as_secs_f64()
    }
}
