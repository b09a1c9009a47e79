//! Frames of RFC 6455, section 5: the peer's are taken apart as they come, this party's are made.
//!
//! ```text
//! fin 1 | zeros 3 | opcode 4 || mask 1 | length 7 || length 16 or 64, if 126 or 127 || mask 32 || payload
//! ```
//!
//! A client's frames have a mask, a server's have none.

/// The longest payload of a control frame.
pub(super) const MAX_CONTROL: usize = 125;

/// The longest header: two bytes, a length of eight, a mask of four.
const MAX_HEADER: usize = 14;

const CONTINUATION: u8 = 0;
const TEXT: u8 = 1;
const BINARY: u8 = 2;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;

const FIN: u8 = 0x80;
const RESERVED: u8 = 0x70;
const OPCODE: u8 = 0x0f;
const MASKED: u8 = 0x80;

/// Why the peer's bytes are no frames. The text says what is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flaw(pub(super) &'static str);

/// A control frame of the peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Control {
    /// To be answered with this payload.
    Ping(Vec<u8>),
    /// An answer to nothing, since nobody here asks.
    Pong,
    /// The peer sends nothing more.
    Close,
}

/// What a call of [`Decoder::decode`] did.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Step {
    /// Bytes taken from the input.
    pub(super) read: usize,
    /// Bytes of payload written to the output.
    pub(super) written: usize,
    /// A control frame that is complete now.
    pub(super) control: Option<Control>,
}

/// Takes the peer's frames apart. It keeps no payload but that of a control frame.
#[derive(Debug)]
pub(super) struct Decoder {
    /// Whether the peer is a client.
    masked: bool,
    header: [u8; MAX_HEADER],
    /// Bytes of the header that are there.
    filled: usize,
    /// Set when the header is complete: bytes of payload that are to come.
    left: Option<u64>,
    mask: [u8; 4],
    /// Whether the next frame continues a message.
    fragmented: bool,
    control: Vec<u8>,
}

impl Decoder {
    /// For the frames of a client, which are masked, or of a server.
    pub(super) fn new(masked: bool) -> Self {
        Self {
            masked,
            header: [0; MAX_HEADER],
            filled: 0,
            left: None,
            mask: [0; 4],
            fragmented: false,
            control: Vec::new(),
        }
    }

    /// Takes bytes from `input` until it is used up, `out` (not empty) has some bytes, or a control frame is
    /// complete.
    pub(super) fn decode(&mut self, input: &[u8], out: &mut [u8]) -> Result<Step, Flaw> {
        let mut step = Step::default();
        while step.written == 0 && step.control.is_none() {
            let rest = input.get(step.read..).unwrap_or_default();
            match self.left {
                None if rest.is_empty() => break,
                None => step.read += self.take_header(rest)?,
                Some(0) => step.control = self.end(),
                Some(_) if rest.is_empty() => break,
                Some(left) => {
                    let most = if self.is_control() { rest.len() } else { rest.len().min(out.len()) };
                    let count = usize::try_from(left).map_or(most, |left| left.min(most));
                    let part = rest.get(..count).unwrap_or_default();
                    if self.is_control() {
                        self.control.extend(part.iter().zip(self.mask.iter().cycle()).map(|(a, b)| a ^ b));
                    } else {
                        let bytes = part.iter().zip(self.mask.iter().cycle()).map(|(a, b)| a ^ b);
                        out.iter_mut().zip(bytes).for_each(|(out, byte)| *out = byte);
                        step.written = count;
                    }
                    self.mask.rotate_left(count % 4);
                    step.read += count;
                    self.left = Some(left.saturating_sub(count as u64));
                }
            }
        }
        // An empty frame, or the last byte of one, leaves nothing to wait for.
        if self.left == Some(0) && step.control.is_none() {
            step.control = self.end();
        }
        Ok(step)
    }

    fn opcode(&self) -> u8 {
        self.header[0] & OPCODE
    }

    fn is_control(&self) -> bool {
        self.opcode() >= CLOSE
    }

    /// Takes bytes of a header. Returns their number.
    fn take_header(&mut self, input: &[u8]) -> Result<usize, Flaw> {
        let mut read = 0;
        while let Some(byte) = input.get(read)
            && self.left.is_none()
        {
            if let Some(place) = self.header.get_mut(self.filled) {
                *place = *byte;
            }
            self.filled += 1;
            read += 1;
            // What is wrong with the first bytes is said before the others are there.
            if self.filled == 2 {
                self.check()?;
            }
            if self.filled >= 2 && self.filled == self.header_length() {
                self.begin()?;
            }
        }
        Ok(read)
    }

    /// The length of this header; its first two bytes are there.
    fn header_length(&self) -> usize {
        let length = match self.header[1] & !MASKED {
            126 => 2,
            127 => 8,
            _ => 0,
        };
        2 + length + if self.masked { 4 } else { 0 }
    }

    /// Checks the first two bytes.
    fn check(&self) -> Result<(), Flaw> {
        let [first, second, ..] = self.header;
        if first & RESERVED != 0 {
            return Err(Flaw("a reserved bit is set, and no extension was agreed on"));
        }
        match (self.masked, second & MASKED != 0) {
            (true, false) => return Err(Flaw("a client's frame has no mask")),
            (false, true) => return Err(Flaw("a server's frame has a mask")),
            _ => {}
        }
        match self.opcode() {
            CONTINUATION if self.fragmented => Ok(()),
            CONTINUATION => Err(Flaw("a frame continues a message that has not begun")),
            BINARY if self.fragmented => Err(Flaw("a message begins within another")),
            BINARY => Ok(()),
            TEXT => Err(Flaw("a text message; all messages here are binary")),
            CLOSE | PING | PONG if first & FIN == 0 => Err(Flaw("a control frame has a continuation")),
            CLOSE | PING | PONG if usize::from(second & !MASKED) > MAX_CONTROL => {
                Err(Flaw("a control frame has more than 125 bytes"))
            }
            CLOSE | PING | PONG => Ok(()),
            _ => Err(Flaw("an opcode that means nothing")),
        }
    }

    /// Begins the payload: the header is there.
    fn begin(&mut self) -> Result<(), Flaw> {
        let [_, second, a, b, c, d, e, f, g, h, ..] = self.header;
        let (length, least) = match second & !MASKED {
            126 => (u64::from(u16::from_be_bytes([a, b])), 126),
            127 => (u64::from_be_bytes([a, b, c, d, e, f, g, h]), 1 << 16),
            length => (u64::from(length), 0),
        };
        if length < least {
            return Err(Flaw("a length is written in more bytes than it needs"));
        }
        if length >> 63 != 0 {
            return Err(Flaw("a length has its highest bit set"));
        }
        if self.masked {
            let mask = self.header.get(self.filled.saturating_sub(4)..self.filled).unwrap_or_default();
            self.mask.iter_mut().zip(mask).for_each(|(to, from)| *to = *from);
        }
        self.left = Some(length);
        if !self.is_control() {
            self.fragmented = self.header[0] & FIN == 0;
        }
        Ok(())
    }

    /// Ends a frame. Returns it if it is a control frame.
    fn end(&mut self) -> Option<Control> {
        (self.left, self.filled) = (None, 0);
        let payload = core::mem::take(&mut self.control);
        match self.opcode() {
            CLOSE => Some(Control::Close),
            PING => Some(Control::Ping(payload)),
            PONG => Some(Control::Pong),
            _ => None,
        }
    }
}

/// The kinds of frames that this party sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A binary message.
    Data,
    /// The answer to a ping.
    Pong,
    /// The last frame; its payload is a status code (section 7.4.1).
    Close,
}

impl Kind {
    /// Appends a frame of this kind, masked if this party is a client.
    pub(super) fn put(self, payload: &[u8], mask: Option<[u8; 4]>, out: &mut Vec<u8>) {
        let opcode = match self {
            Self::Data => BINARY,
            Self::Pong => PONG,
            Self::Close => CLOSE,
        };
        put(FIN | opcode, payload, mask, out);
    }
}

/// Appends a frame with any first byte.
pub(super) fn put(first: u8, payload: &[u8], mask: Option<[u8; 4]>, out: &mut Vec<u8>) {
    let masked = if mask.is_some() { MASKED } else { 0 };
    out.push(first);
    match payload.len() {
        length @ 0..126 => out.push(masked | length as u8),
        length @ 126..0x1_0000 => {
            out.push(masked | 126);
            out.extend_from_slice(&(length as u16).to_be_bytes());
        }
        length => {
            out.push(masked | 127);
            out.extend_from_slice(&(length as u64).to_be_bytes());
        }
    }
    match mask {
        None => out.extend_from_slice(payload),
        Some(mask) => {
            out.extend_from_slice(&mask);
            out.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
        }
    }
}
