//! The raw bytes: a stream, the record of both directions, and the boundaries of TLS records.

use std::io::{self, Read, Write};
use std::time::Duration;

use super::Failure;
use crate::modes::relay;
use crate::wire::record::MAX_PLAINTEXT;
use crate::wire::transcript::{ALERT, TAG_BYTES};
use crate::wire::version::TlsVersion;

/// Bytes of a record's header: type, version, length.
pub(super) const HEADER_BYTES: usize = 5;
/// The most bytes of a record's contents (RFC 5246, section 6.2.3).
const MAX_CONTENTS: usize = MAX_PLAINTEXT + 2048;
/// Bytes of an alert of TLS 1.3 on the wire, without padding: level and description, the content's type, the
/// tag.
const SEALED_ALERT_BYTES: usize = HEADER_BYTES + 2 + 1 + TAG_BYTES;
/// The number of bytes requested at once.
const CHUNK: usize = 1 << 14;

/// The limits of a connection. Start from [`ConnectionLimits::default`] and change fields.
///
/// The times are those that P waits for the server. `dial` enforces them; where V carries the connection V
/// enforces its own, and `idle`; a caller that opens a stream in another way must do it itself. The time that
/// the two parties need between two waits does not count: their own channel limits it, and so does the
/// server, usually to a minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// Time to connect to the server; 10 s.
    pub connect: Duration,
    /// Time to wait for the server's next bytes; 10 s.
    pub idle: Duration,
    /// Total time to wait for the server, however slowly its bytes trickle in; 60 s.
    pub total: Duration,
    /// The most bytes to take from the server; 16 MiB.
    pub received: usize,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            idle: Duration::from_secs(10),
            total: Duration::from_secs(60),
            received: 16 << 20,
        }
    }
}

/// What P speaks TLS on.
pub trait Socket: Read + Write {
    /// Ends P's direction of the connection, and leaves the server's open, if the server neither says more
    /// nor ends its own within a moment. It is called when the server seems to have said everything; the
    /// [module](super) has the reasons. Does nothing unless it is implemented.
    ///
    /// # Errors
    /// The operating system's.
    fn end_if_quiet(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A stream with the record of both directions.
pub(super) struct Wire<S> {
    stream: S,
    sent: Vec<u8>,
    received: Vec<u8>,
    /// The start of the next record in `received`.
    next: usize,
    limit: usize,
}

impl<S: Socket> Wire<S> {
    pub(super) fn new(stream: S, limits: &ConnectionLimits) -> Self {
        Self { stream, sent: Vec::new(), received: Vec::new(), next: 0, limit: limits.received }
    }

    pub(super) fn send(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.stream.write_all(bytes).and_then(|()| self.stream.flush()).map_err(|error| failed(&error))?;
        self.sent.extend_from_slice(bytes);
        Ok(())
    }

    /// The server's next record with its header, or `None` if the connection ends before its last byte.
    pub(super) fn record(&mut self) -> Result<Option<&[u8]>, Failure> {
        let start = self.next;
        loop {
            let rest = self.received.get(start..).unwrap_or_default();
            if let Some(length) = length(rest)?.filter(|length| *length <= rest.len()) {
                self.next = start + length;
                return Ok(self.received.get(start..self.next));
            }
            if self.fill()? == 0 {
                return Ok(None);
            }
        }
    }

    /// What was sent, and the whole records that were taken.
    pub(super) fn so_far(&self) -> [&[u8]; 2] {
        [&self.sent, self.received.get(..self.next).unwrap_or_default()]
    }

    /// Waits for bytes. Returns their number.
    fn fill(&mut self) -> Result<usize, Failure> {
        let mut chunk = [0; CHUNK];
        let count = loop {
            match self.stream.read(&mut chunk) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result.map_err(|error| failed(&error))?,
            }
        };
        let limit = self.limit;
        if count > limit.saturating_sub(self.received.len()) {
            return Err(Failure::Size { limit });
        }
        self.received.extend_from_slice(chunk.get(..count).unwrap_or_default());
        Ok(count)
    }

    /// Takes records until the server ends the connection, and closes it. Returns what was sent and what was
    /// received. A server says nothing after an alert; later bytes are ignored (RFC 5246, section 7.2.1). In
    /// TLS 1.3 a record that may be an alert asks for the connection's end.
    pub(super) fn finish(mut self, version: TlsVersion) -> Result<(Vec<u8>, Vec<u8>), Failure> {
        while let Some(record) = self.record()? {
            if record.first() == Some(&ALERT) {
                self.received.truncate(self.next);
                break;
            }
            let may_be_alert = version == TlsVersion::Tls13 && record.len() == SEALED_ALERT_BYTES;
            if may_be_alert && self.next == self.received.len() {
                self.stream.end_if_quiet().map_err(|error| failed(&error))?;
            }
        }
        Ok((self.sent, self.received))
    }
}

/// The length of the record that begins like this, including its header, as soon as it is known.
fn length(bytes: &[u8]) -> Result<Option<usize>, Failure> {
    // Check before the length is used: a server that does not speak TLS answers in text.
    if bytes.first().is_some_and(|kind| !(20..=23).contains(kind)) {
        return Err(Failure::NotTls);
    }
    let Some([_, _, _, high, low]) = bytes.first_chunk::<HEADER_BYTES>() else {
        return Ok(None);
    };
    let contents = usize::from(u16::from_be_bytes([*high, *low]));
    if contents > MAX_CONTENTS { Err(Failure::NotTls) } else { Ok(Some(HEADER_BYTES + contents)) }
}

/// Why a stream failed.
pub(super) fn failed(error: &io::Error) -> Failure {
    if let Some(error) = error.get_ref().and_then(|inner| inner.downcast_ref::<relay::Error>()) {
        return error.clone().into();
    }
    match error.kind() {
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => Failure::Time,
        kind => Failure::Broken(kind),
    }
}
