//! What a notary counts, in Prometheus' text format, over HTTP at a port of its own.
//!
//! Numbers only: nothing of what provers say, nor who they are.

use std::fmt::Write as _;
use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use volery_channel::Stats;

use super::Word;
use crate::cli::failure::Failure;
use crate::cli::output;

/// The most bytes of a request.
const MAX_REQUEST: u64 = 1 << 13;
/// How long a client may take for its request, and for reading the answer.
const PATIENCE: Duration = Duration::from_millis(500);

/// Counters of a notary's life.
#[derive(Default)]
pub(super) struct Metrics {
    active: AtomicU64,
    ended: [AtomicU64; Word::ALL.len()],
    milliseconds: AtomicU64,
    received: AtomicU64,
    sent: AtomicU64,
}

impl Metrics {
    /// A session has begun.
    pub(super) fn begin(&self) {
        self.active.fetch_add(1, Ordering::Relaxed);
    }

    /// A session that had begun has ended.
    pub(super) fn end(&self, word: Word, time: Duration, stats: Stats) {
        self.active.fetch_sub(1, Ordering::Relaxed);
        self.count(word);
        let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.milliseconds.fetch_add(milliseconds, Ordering::Relaxed);
        self.received.fetch_add(stats.bytes_received, Ordering::Relaxed);
        self.sent.fetch_add(stats.bytes_sent, Ordering::Relaxed);
    }

    /// A connection that was no session.
    pub(super) fn count(&self, word: Word) {
        let counter = Word::ALL.iter().position(|other| *other == word).and_then(|at| self.ended.get(at));
        if let Some(counter) = counter {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn text(&self) -> String {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let mut text = String::new();
        let mut family = |name: &str, kind: &str, help: &str, samples: &[(String, String)]| {
            // Writing to a string does not fail.
            let _ = writeln!(text, "# HELP volery_notary_{name} {help}\n# TYPE volery_notary_{name} {kind}");
            for (suffix, value) in samples {
                let _ = writeln!(text, "volery_notary_{name}{suffix} {value}");
            }
        };
        let one = |value: u64| vec![(String::new(), value.to_string())];
        family("sessions_active", "gauge", "Sessions under way.", &one(get(&self.active)));
        let ended = Word::ALL.iter().zip(&self.ended);
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

    /// Answers at `address`, HOST:PORT, as long as the program runs.
    pub(super) fn serve(self: &Arc<Self>, address: &str) -> Result<(), Failure> {
        let failed = |error: io::Error| Failure::session(format!("--metrics {address}: {error}"));
        let listener = TcpListener::bind(address).map_err(failed)?;
        output::message(&format!("metrics at http://{}/metrics", listener.local_addr().map_err(failed)?));
        let metrics = Arc::clone(self);
        thread::spawn(move || {
            for socket in listener.incoming() {
                match socket {
                    // One after the other: they are few, and have little time.
                    Ok(socket) => drop(metrics.answer(socket)),
                    Err(_) => thread::sleep(PATIENCE),
                }
            }
        });
        Ok(())
    }

    fn answer(&self, mut socket: TcpStream) -> io::Result<()> {
        socket.set_read_timeout(Some(PATIENCE))?;
        socket.set_write_timeout(Some(PATIENCE))?;
        let mut line = Vec::new();
        // The first line says all. Whoever sends it byte by byte is cut off: each one costs a part of the patience.
        let mut chunk = [0; 1024];
        let mut source = socket.try_clone()?.take(MAX_REQUEST);
        for _ in 0..4 {
            let count = source.read(&mut chunk)?;
            line.extend_from_slice(chunk.get(..count).unwrap_or_default());
            if count == 0 || line.windows(4).any(|end| end == b"\r\n\r\n") {
                break;
            }
        }
        let target = line.strip_prefix(b"GET ").and_then(|rest| rest.split(|byte| *byte == b' ').next());
        let (status, body) = match target {
            Some(b"/metrics") => ("200 OK", self.text()),
            Some(b"/health") => ("200 OK", "ok\n".into()),
            _ => ("404 Not Found", "there are /metrics and /health\n".into()),
        };
        let head = "Content-Type: text/plain; version=0.0.4\r\nConnection: close";
        write!(socket, "HTTP/1.1 {status}\r\n{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
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
        for word in [Word::Attested, Word::Attested, Word::Rejected] {
            metrics.begin();
            metrics.end(word, Duration::from_millis(1500), stats);
        }
        metrics.begin();
        metrics.count(Word::Refused);
        let text = metrics.text();
        for line in [
            "# TYPE volery_notary_sessions_total counter",
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
