//! What a proof took.

use std::time::Duration;

use volery_channel::Stats;
use volery_zk::quicksilver::Tally;

/// What a proof took at this party.
#[derive(Clone, Copy, Debug)]
pub struct Report {
    /// What the statement's program did; over a field, to elements.
    pub tally: Tally,
    /// What a program over bits and a field did to bits.
    pub bits: Tally,
    /// Time from the call to its return, set-up of the session not included.
    pub time: Duration,
    /// Bytes that this party sent for this proof.
    pub bytes_sent: u64,
    /// Bytes that it received.
    pub bytes_received: u64,
    /// Round trips of this proof.
    pub round_trips: u64,
}

impl Report {
    pub(super) fn new(tally: Tally, time: Duration, before: Stats, after: Stats) -> Self {
        Self {
            tally,
            bits: Tally::default(),
            time,
            bytes_sent: after.bytes_sent - before.bytes_sent,
            bytes_received: after.bytes_received - before.bytes_received,
            round_trips: after.round_trips - before.round_trips,
        }
    }
}
