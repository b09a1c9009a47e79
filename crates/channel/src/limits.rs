//! How long, how much: the bounds that keep a session from hanging and a peer from filling memory.

use std::time::{Duration, Instant};

/// The bounds of one channel. Start from [`Limits::default`] and change fields.
///
/// A wait for one frame of `n` payload bytes ends at the latest `read + n / min_rate` after it began, however
/// the bytes trickle in, and writing `n` bytes ends at the latest `write + n / min_rate` after it began. So a
/// peer that sends one byte at a time gains nothing, and a long message over a slow line is not cut off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Time to make a connection, TLS included; 10 s.
    pub connect: Duration,
    /// Time to wait for a frame, apart from what its length adds; 30 s. It must cover the longest computation
    /// of the peer between two messages.
    pub read: Duration,
    /// Time to write, apart from what the length adds; 30 s. It must cover the longest computation of the
    /// peer between two receives.
    pub write: Duration,
    /// The slowest line that long messages may use, in bytes a second; 64 KiB (half a megabit) a second.
    pub min_rate: u32,
    /// The longest payload of a frame, in bytes, both ways; 64 MiB. Each receive sets its own, mostly far
    /// smaller bound besides; one into a buffer of fixed length is bounded by that alone.
    pub max_frame: usize,
    /// How many bytes this party takes in while its own writing cannot go on; 128 MiB. Reached only if both
    /// parties write more than the network holds at the same time; then the session ends, because waiting
    /// would be a deadlock.
    pub receive_buffer: usize,
    /// How many bytes may be sent and received together; no limit.
    pub total_bytes: Option<u64>,
    /// How long the channel may live; no limit. Checked whenever it waits.
    pub total_time: Option<Duration>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            read: Duration::from_secs(30),
            write: Duration::from_secs(30),
            min_rate: 1 << 16,
            max_frame: 64 << 20,
            receive_buffer: 128 << 20,
            total_bytes: None,
            total_time: None,
        }
    }
}

impl Limits {
    /// `base` and the time that `bytes` bytes take at the slowest allowed rate.
    pub(crate) fn with_length(&self, base: Duration, bytes: usize) -> Duration {
        let extra =
            Duration::from_millis((bytes as u64).saturating_mul(1000) / u64::from(self.min_rate.max(1)));
        base.saturating_add(extra)
    }
}

/// The moment `duration` after `start`; a duration beyond what the clock can express counts as a century or
/// so.
pub(crate) fn deadline(start: Instant, duration: Duration) -> Instant {
    const FAR: Duration = Duration::from_secs(100 * 365 * 24 * 3600);
    start.checked_add(duration.min(FAR)).unwrap_or(start)
}
