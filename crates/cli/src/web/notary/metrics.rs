//! Counts of a notary's sessions, over HTTP in Prometheus' text format, at a port of its own.
//!
//! Only numbers are counted: nothing that provers send, and not who they are.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use volery_channel::Stats;

use super::Ending;

/// The counters of a notary since it started.
#[derive(Default)]
pub(super) struct Metrics {
    waiting: AtomicU64,
    active: AtomicU64,
    ended: [AtomicU64; Ending::ALL.len()],
    milliseconds: AtomicU64,
    received: AtomicU64,
    sent: AtomicU64,
}

impl Metrics {
    /// Counts a connection that begins to wait for a slot (`true`), or has stopped waiting.
    pub(super) fn count_waiting(&self, waiting: bool) {
        if waiting {
            self.waiting.fetch_add(1, Ordering::Relaxed);
        } else {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Counts the start of a session.
    pub(super) fn begin(&self) {
        self.active.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts the end of a session.
    pub(super) fn end(&self, ending: Ending, time: Duration, stats: Stats) {
        self.active.fetch_sub(1, Ordering::Relaxed);
        self.count(ending);
        let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.milliseconds.fetch_add(milliseconds, Ordering::Relaxed);
        self.received.fetch_add(stats.bytes_received, Ordering::Relaxed);
        self.sent.fetch_add(stats.bytes_sent, Ordering::Relaxed);
    }

    /// Counts the end of a connection.
    pub(super) fn count(&self, ending: Ending) {
        let counter = Ending::ALL.iter().position(|other| *other == ending).and_then(|at| self.ended.get(at));
        if let Some(counter) = counter {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// All counts, in Prometheus' text format.
    pub(super) fn text(&self) -> String {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let mut text = String::new();
        let mut family = |name: &str, kind: &str, help: &str, samples: &[(String, String)]| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "# HELP volery_notary_{name} {help}\n# TYPE volery_notary_{name} {kind}");
            for (suffix, value) in samples {
                let _ = writeln!(text, "volery_notary_{name}{suffix} {value}");
            }
        };
        let one = |value: u64| vec![(String::new(), value.to_string())];
        let waiting = one(get(&self.waiting));
        family("connections_waiting", "gauge", "Connections that have no session yet.", &waiting);
        family("sessions_active", "gauge", "Sessions under way.", &one(get(&self.active)));
        let ended = Ending::ALL.iter().zip(&self.ended);
        let ended: Vec<_> = ended
            .map(|(word, counter)| (format!("{{result=\"{}\"}}", word.name()), get(counter).to_string()))
            .collect();
        family("sessions_total", "counter", "Connections that have ended, by result.", &ended);
        let milliseconds = get(&self.milliseconds);
        let seconds = format!("{}.{:03}", milliseconds / 1000, milliseconds % 1000);
        family(
            "session_seconds_total",
            "counter",
            "Time of sessions that have ended.",
            &[(String::new(), seconds)],
        );
        family(
            "received_bytes_total",
            "counter",
            "From provers, in sessions that have ended.",
            &one(get(&self.received)),
        );
        family(
            "sent_bytes_total",
            "counter",
            "To provers, in sessions that have ended.",
            &one(get(&self.sent)),
        );
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_ended_is_counted_by_its_result() {
        let metrics = Metrics::default();
        let mut stats = Stats::default();
        (stats.bytes_sent, stats.bytes_received) = (10, 20);
        for word in [Ending::Attested, Ending::Attested, Ending::Rejected] {
            metrics.begin();
            metrics.end(word, Duration::from_millis(1500), stats);
        }
        metrics.begin();
        metrics.count(Ending::Refused);
        [true, true, false].iter().for_each(|waiting| metrics.count_waiting(*waiting));
        let text = metrics.text();
        for line in [
            "# TYPE volery_notary_sessions_total counter",
            "volery_notary_connections_waiting 1",
            "volery_notary_sessions_active 1",
            "volery_notary_sessions_total{result=\"attested\"} 2",
            "volery_notary_sessions_total{result=\"rejected\"} 1",
            "volery_notary_sessions_total{result=\"failed\"} 0",
            "volery_notary_sessions_total{result=\"refused\"} 1",
            "volery_notary_session_seconds_total 4.500",
            "volery_notary_received_bytes_total 60",
            "volery_notary_sent_bytes_total 30",
        ] {
            assert!(text.lines().any(|other| other == line), "{line} in {text}");
        }
    }
}
