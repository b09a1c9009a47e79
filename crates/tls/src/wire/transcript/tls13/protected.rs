//! Protected records that are opened with a traffic secret (RFC 8446, sections 5.2 to 5.4), and the handshake
//! messages in them.

use zeroize::Zeroizing;

use super::super::frame::limit;
use super::messages::check_tickets;
use super::{Record, kind};
use crate::wire::aead::{RecordCipher, xored_nonce};
use crate::wire::key_schedule::TrafficSecret;
use crate::wire::prf::Side;
use crate::wire::record::MAX_PLAINTEXT;
use crate::wire::suite::{NONCE_BYTES, Suite};
use crate::wire::transcript::{
    ALERT, APPLICATION_DATA, Error, HANDSHAKE, MAX_HANDSHAKE, MAX_MESSAGE, TAG_BYTES,
};

/// The most bytes of a protected record's plaintext: its content and the content's type.
pub(crate) const MAX_INNER: usize = MAX_PLAINTEXT + 1;

/// Bytes of a record's header, which its tag covers.
pub(crate) const HEADER_BYTES: usize = 5;

/// The header of a protected record with this many bytes of ciphertext, at most [`MAX_INNER`]. Its tag covers
/// it.
pub(crate) fn header(ciphertext: usize) -> [u8; HEADER_BYTES] {
    // At most 2^14 + 17.
    let [high, low] = ((ciphertext + TAG_BYTES) as u16).to_be_bytes();
    [APPLICATION_DATA, 3, 3, high, low]
}

/// The content of a protected record, with its type.
pub(crate) struct Content {
    pub(crate) content_type: u8,
    pub(crate) bytes: Vec<u8>,
}

/// Takes off the padding, which is zeros, and the type before it.
///
/// # Errors
/// [`Error::Malformed`] if there is nothing but zeros.
pub(crate) fn content(side: Side, mut bytes: Vec<u8>) -> Result<Content, Error> {
    let end = bytes.iter().rposition(|byte| *byte != 0);
    let content_type = end.and_then(|end| bytes.drain(end..).next());
    let content_type = content_type
        .ok_or_else(|| Error::malformed(side, "a protected record", "it holds nothing but zeros"))?;
    Ok(Content { content_type, bytes })
}

/// The key and the IV of a direction's records.
pub(super) struct OpeningKey {
    cipher: RecordCipher,
    iv: Zeroizing<[u8; NONCE_BYTES]>,
}

impl OpeningKey {
    /// The key that follows from this secret; `None` if the suite's key is longer than the secret.
    pub(super) fn new(suite: Suite, secret: &TrafficSecret) -> Option<Self> {
        Some(Self { cipher: RecordCipher::new(suite.aead(), &secret.key(suite))?, iv: secret.iv() })
    }

    /// Opens the record of this number. `None` if its tag is not that of the key.
    pub(super) fn open(&self, record: &Record, sequence: u64) -> Option<Zeroizing<Vec<u8>>> {
        let Record { ciphertext, tag } = record;
        self.cipher.open(xored_nonce(&self.iv, sequence), &header(ciphertext.len()), ciphertext, tag)
    }
}

/// The application data in a direction's records after its handshake, which open with this secret.
///
/// # Errors
/// [`Error::Sealed`] if a record does not open; [`Error::Malformed`] if one holds nothing; those of
/// [`check_tickets`] for other messages of the server's, such as a KeyUpdate, after which no record opens.
pub(crate) fn data(
    side: Side,
    suite: Suite,
    secret: &TrafficSecret,
    records: &[Record],
) -> Result<Zeroizing<Vec<u8>>, Error> {
    let key = OpeningKey::new(suite, secret).ok_or(Error::Sealed { side, sequence: 0 })?;
    let length = records.iter().map(|record| record.ciphertext.len()).sum();
    let mut data = Zeroizing::new(Vec::with_capacity(length));
    for (sequence, record) in (0..).zip(records) {
        let mut opened = key.open(record, sequence).ok_or(Error::Sealed { side, sequence })?;
        let Content { content_type, bytes } = content(side, core::mem::take(&mut *opened))?;
        let bytes = Zeroizing::new(bytes);
        match content_type {
            APPLICATION_DATA => data.extend_from_slice(&bytes),
            HANDSHAKE if side == Side::Server => check_tickets(&bytes)?,
            _ => {}
        }
    }
    Ok(data)
}

/// The handshake messages in a direction's first protected records: up to its Finished, which ends its
/// record, because keys change there.
pub(super) struct Flight {
    /// The messages, in one piece.
    pub(super) messages: Vec<u8>,
    /// The number of records.
    pub(super) records: usize,
}

impl Flight {
    /// Opens records until there is a Finished.
    pub(super) fn open(
        side: Side,
        suite: Suite,
        secret: &TrafficSecret,
        records: &[Record],
    ) -> Result<Self, Error> {
        let key = OpeningKey::new(suite, secret).ok_or(Error::Sealed { side, sequence: 0 })?;
        let (mut messages, mut at) = (Vec::new(), 0);
        for (sequence, record) in (0..).zip(records) {
            let mut opened = key.open(record, sequence).ok_or(Error::Sealed { side, sequence })?;
            let Content { content_type, bytes } = content(side, core::mem::take(&mut *opened))?;
            append(side, &mut messages, content_type, &bytes)?;
            if finished(side, &messages, &mut at)? {
                return Ok(Self { messages, records: sequence as usize + 1 });
            }
        }
        Err(Error::Truncated { side, what: "the handshake" })
    }
}

/// Appends the content of a record of the handshake.
fn append(side: Side, messages: &mut Vec<u8>, content_type: u8, bytes: &[u8]) -> Result<(), Error> {
    match (content_type, bytes) {
        (HANDSHAKE, []) => Err(Error::malformed(side, "a record of the handshake", "it is empty")),
        (HANDSHAKE, _) => {
            limit(side, "the handshake", messages.len() + bytes.len(), MAX_HANDSHAKE)?;
            messages.extend_from_slice(bytes);
            Ok(())
        }
        (ALERT, &[level, description]) => Err(Error::Alert { side, level, description }),
        (ALERT, _) => Err(Error::malformed(side, "a record of the handshake", "an alert is not two bytes")),
        (APPLICATION_DATA, _) => Err(Error::unexpected(side, "a handshake message", "application data")),
        (other, _) => Err(Error::malformed(
            side,
            "a record of the handshake",
            format_args!("its content has type {other}"),
        )),
    }
}

/// Whether the messages end with Finished. `at` is where the first message begins that was not whole before.
fn finished(side: Side, messages: &[u8], at: &mut usize) -> Result<bool, Error> {
    while let Some(&[message, a, b, c]) = messages.get(*at..).and_then(<[u8]>::first_chunk::<4>) {
        let length = u32::from_be_bytes([0, a, b, c]) as usize;
        limit(side, "a handshake message", length, MAX_MESSAGE)?;
        let end = *at + 4 + length;
        if messages.len() < end {
            break;
        }
        *at = end;
        if message == kind::FINISHED {
            let rest = messages.len() - end;
            let reason = format_args!("{rest} bytes follow in its record, where keys change");
            return if rest == 0 { Ok(true) } else { Err(Error::malformed(side, "Finished", reason)) };
        }
    }
    Ok(false)
}
