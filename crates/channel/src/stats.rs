//! Counters of what a protocol costs on the wire.

/// The traffic of one channel, seen from one side.
///
/// Bytes are those of frames, including their headers of 5 bytes each; TLS and TCP add their own below. Both
/// directions follow the program and not the timing of the network: a frame counts as sent when it is queued,
/// and as received when a receive takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Stats {
    /// Bytes sent.
    pub bytes_sent: u64,
    /// Bytes received.
    pub bytes_received: u64,
    /// Frames sent.
    pub frames_sent: u64,
    /// Frames received.
    pub frames_received: u64,
    /// Changes of direction: receives that follow a send of this party with no receive in between.
    pub round_trips: u64,
}

impl std::ops::Sub for Stats {
    type Output = Self;

    /// The cost of one part of a session: the counters after it minus those before it (saturating).
    fn sub(self, before: Self) -> Self {
        Self {
            bytes_sent: self.bytes_sent.saturating_sub(before.bytes_sent),
            bytes_received: self.bytes_received.saturating_sub(before.bytes_received),
            frames_sent: self.frames_sent.saturating_sub(before.frames_sent),
            frames_received: self.frames_received.saturating_sub(before.frames_received),
            round_trips: self.round_trips.saturating_sub(before.round_trips),
        }
    }
}
