//! The bounds on time and size that keep a session from hanging and a peer from filling memory.

use std::time::Duration;

use crate::platform::Instant;

/// The bounds of one channel. Start from [`Limits::default`] and change fields.
///
/// A wait for one frame of `n` payload bytes ends at the latest `read + n / min_rate` after it began, however
/// slowly the bytes trickle in. Writing `n` bytes ends at the latest `write + n / min_rate` after it began.
/// So a peer gains nothing by sending one byte at a time, and a long message over a slow line still has
/// enough time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Time to make a connection, including TLS; 10 s.
    pub connect: Duration,
    /// Time to wait for a frame, not counting the time for its length; 30 s. It must cover the peer's longest
    /// computation between two messages.
    pub read: Duration,
    /// Time to write, not counting the time for the length; 30 s. It must cover the peer's longest
    /// computation between two receives.
    pub write: Duration,
    /// The slowest line that long messages may use, in bytes a second; 64 KiB (half a megabit) a second.
    pub min_rate: u32,
    /// The longest payload of a frame, in bytes, both ways; 64 MiB. Each receive also has its own bound,
    /// usually far smaller. A receive into a buffer of fixed length is bounded by that length only.
    pub max_frame: usize,
    /// How many bytes this party reads while its own write has to wait; 128 MiB. A session reaches this only
    /// if both parties write more than the network holds at the same time. It then ends, because waiting
    /// would be a deadlock.
    pub receive_buffer: usize,
    /// The most bytes sent and received together; no limit.
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
    /// `base` plus the time that `bytes` bytes take at the slowest allowed rate.
    pub(crate) fn with_length(&self, base: Duration, bytes: usize) -> Duration {
        let extra =
            Duration::from_millis((bytes as u64).saturating_mul(1000) / u64::from(self.min_rate.max(1)));
        base.saturating_add(extra)
    }
}

/// The moment `duration` after `start`. A duration that the clock cannot express counts as about a century.
pub(crate) fn deadline(start: Instant, duration: Duration) -> Instant {
    const FAR: Duration = Duration::from_secs(100 * 365 * 24 * 3600);
    start.checked_add(duration.min(FAR)).unwrap_or(start)
}
