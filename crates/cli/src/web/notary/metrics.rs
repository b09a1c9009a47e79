//! Counts of a notary's sessions, over HTTP in Prometheus' text format, at a port of its own.
//!
//! Only numbers are counted: nothing that provers send, and not who they are.

use std::fmt::Write as _;
use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use volery_channel::Stats;

use super::Ending;
use crate::failure::Failure;
use crate::terminal;

/// The most bytes of a request.
const MAX_REQUEST: usize = 1 << 13;
/// How long a client may take for its request and for reading the answer, together.
const REQUEST_TIME: Duration = Duration::from_secs(2);
/// The number of clients that are answered at the same time. More wait in the system's queue.
const THREADS: usize = 4;

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

    fn text(&self) -> String {
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

    /// Answers at `address`, HOST:PORT, until the program ends.
    pub(super) fn serve(self: &Arc<Self>, address: &str) -> Result<(), Failure> {
        let failed = |error: io::Error| Failure::session(format!("--metrics {address}: {error}"));
        let listener = TcpListener::bind(address).map_err(failed)?;
        terminal::message(&format!("metrics at http://{}/metrics", listener.local_addr().map_err(failed)?));
        let listener = Arc::new(listener);
        for _ in 0..THREADS {
            let (metrics, listener) = (Arc::clone(self), Arc::clone(&listener));
            let clerk = move || {
                for socket in listener.incoming() {
                    match socket {
                        // A client that goes away gets no answer.
                        Ok(socket) => drop(metrics.answer(socket, Instant::now() + REQUEST_TIME)),
                        // For example too many open files, which may pass.
                        Err(_) => thread::sleep(REQUEST_TIME),
                    }
                }
            };
            thread::Builder::new().spawn(clerk).map_err(failed)?;
        }
        Ok(())
    }

    /// Answers one request, until `end` at the latest.
    fn answer(&self, mut socket: TcpStream, end: Instant) -> io::Result<()> {
        let request = head(&mut socket, end)?;
        let target = request.strip_prefix(b"GET ").and_then(|rest| rest.split(|byte| *byte == b' ').next());
        let (status, body) = match target {
            Some(b"/metrics") => ("200 OK", self.text()),
            Some(b"/health") => ("200 OK", "ok\n".into()),
            _ => ("404 Not Found", "there are /metrics and /health\n".into()),
        };
        let head = "Content-Type: text/plain; version=0.0.4\r\nConnection: close";
        let answer = format!("HTTP/1.1 {status}\r\n{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        let mut rest = answer.as_bytes();
        while !rest.is_empty() {
            socket.set_write_timeout(Some(left(end)?))?;
            let count = socket.write(rest)?;
            rest = rest.get(count..).filter(|_| count > 0).ok_or(io::ErrorKind::WriteZero)?;
        }
        Ok(())
    }
}

/// The time left until `end`.
fn left(end: Instant) -> io::Result<Duration> {
    let left = end.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}

/// Reads a request up to its empty line, or as far as the client sends it.
fn head(socket: &mut TcpStream, end: Instant) -> io::Result<Vec<u8>> {
    let (mut request, mut chunk) = (Vec::new(), [0; 1024]);
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        if request.len() > MAX_REQUEST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        socket.set_read_timeout(Some(left(end)?))?;
        match socket.read(&mut chunk)? {
            0 => break,
            count => request.extend_from_slice(chunk.get(..count).unwrap_or_default()),
        }
    }
    Ok(request)
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

    /// A client's socket and the server's end of it.
    fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let client = TcpStream::connect(listener.local_addr().expect("bound")).expect("connects");
        (client, listener.accept().expect("it connects").0)
    }

    #[test]
    fn bytes_that_trickle_in_gain_a_client_no_time() {
        let (mut client, socket) = pair();
        let trickle = thread::spawn(move || {
            // This would take half a minute.
            (0..3000)
                .take_while(|_| {
                    thread::sleep(Duration::from_millis(10));
                    client.write_all(b"x").is_ok()
                })
                .count()
        });
        let error = Metrics::default().answer(socket, Instant::now() + Duration::from_millis(100));
        assert!(error.is_err_and(|error| {
            [io::ErrorKind::TimedOut, io::ErrorKind::WouldBlock].contains(&error.kind())
        }));
        assert!(trickle.join().expect("no panic") < 3000);
    }

    #[test]
    fn a_request_without_an_end_is_not_gathered() {
        let (mut client, socket) = pair();
        client.write_all(&[b'x'; 2 * MAX_REQUEST]).expect("there is room");
        let error = Metrics::default().answer(socket, Instant::now() + Duration::from_secs(60));
        assert!(error.is_err_and(|error| error.kind() == io::ErrorKind::InvalidData));
    }
}
