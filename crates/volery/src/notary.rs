//! What comes before a session with a notary, a verifier to whom many provers come: what is wanted of it, and
//! waiting in its line.
//!
//! ```text
//! P                                              V
//! TLS 1.3                      <---------->      shows the key that it signs with, or a certificate; P goes on only if it knows it
//! Greeting: a way, a token     ----------->      hears out only whom it knows by the token
//!                              <-----------      P's number in the line, from 1, as often as V likes
//!                              <-----------      0: P's turn has come; Terms: V's limits
//! Prover::start                <---------->      Verifier::start
//! ```
//!
//! P begins its part of the session without waiting for the answer, so but for TLS none of this takes a round
//! trip. It hears the limits before it asks for anything that they bound.
//!
//! **TLS comes first.** What P says is for the notary alone: its token, which page it asks for (in proxy
//! mode), when. And P believes what an honest notary says of itself: that it is the one that those trust who
//! will read the attestation. A program connects with [`Trust::Key`](volery_channel::tls::Trust) and the key
//! that it demands of the attestation, and serves with
//! [`raw_key_server_config`](volery_channel::tls::raw_key_server_config) and the key that it signs with, or
//! both use a certificate; the `volery` program has no third way.

use std::time::Duration;

use volery_channel::platform::Instant;
use volery_channel::tags::{NOTARY_TOKEN, NOTARY_TURN};
use volery_channel::{Channel, Cursor, Error, Flaw, Layer, Layered, Tag};
use volery_tls::attestation::Mode;
use volery_tls::attestation::contract::{ADDRESS_BYTES, Address};
use zeroize::Zeroizing;

/// The most bytes of a token.
pub const MAX_TOKEN: usize = 256;

/// How long a prover waits in a line.
const LONGEST: Duration = Duration::from_secs(3600);

/// How a prover's connection to the website is to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By two parties, of whom P connects to the website.
    TwoParty,
    /// By P, over a connection that V relays.
    Proxy,
    /// By two parties, over a connection that V carries: see [`volery_tls::relay`].
    Carried,
}

impl Way {
    /// All of them, in the order of their bytes, which begin at 1.
    const ALL: [Self; 3] = [Self::TwoParty, Self::Proxy, Self::Carried];

    /// The mode that the attestation names.
    #[must_use]
    pub fn mode(self) -> Mode {
        match self {
            Self::TwoParty | Self::Carried => Mode::TwoParty,
            Self::Proxy => Mode::Proxy,
        }
    }
}

/// A prover's first message: a byte for the way (1 two parties, 2 proxy, 3 two parties over a connection that
/// V carries), then the token, empty if the prover has none.
pub struct Greeting {
    /// How the connection is to be made.
    pub way: Way,
    /// What shows who asks; secret.
    pub token: Zeroizing<Vec<u8>>,
}

impl Greeting {
    /// Sends it, at once: who says nothing for long is not listened to.
    ///
    /// # Errors
    /// [`Error::Misuse`] for a token of more than [`MAX_TOKEN`] bytes; what writing meets.
    pub fn send(&self, channel: &mut (impl Channel + ?Sized)) -> Result<(), Error> {
        if self.token.len() > MAX_TOKEN {
            return Err(Error::misuse(format!("a token of more than {MAX_TOKEN} bytes")));
        }
        // The position among three.
        let way = 1 + Way::ALL.iter().position(|way| *way == self.way).unwrap_or_default() as u8;
        let message = Zeroizing::new([&[way], &self.token[..]].concat());
        channel.send(NOTARY_TOKEN, &message)?;
        channel.flush()
    }

    /// Receives a prover's. Whether its token is known is for the caller to find out, in constant time.
    ///
    /// # Errors
    /// [`Error::Malformed`] for a mode that this version does not have, of which the prover is told; the
    /// channel's.
    pub fn receive(channel: &mut (impl Channel + ?Sized)) -> Result<Self, Error> {
        let message = channel.recv(NOTARY_TOKEN, 1 + MAX_TOKEN)?;
        let (way, token) = message.split_first().map_or((0, &[][..]), |(way, token)| (*way, token));
        let token = Zeroizing::new(token.to_vec());
        let Some(way) = usize::from(way).checked_sub(1).and_then(|way| Way::ALL.get(way)) else {
            channel.fail("the notary does not know this mode");
            return Err(Error::malformed(NOTARY_TOKEN, "a mode which this version does not have"));
        };
        Ok(Self { way: *way, token })
    }
}

/// A notary's limits, which it tells each prover when its turn has come. It holds to them whatever a prover
/// does; they are told so that a prover does not begin what must fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// With two parties: the most bytes of all requests of a connection.
    pub request: u32,
    /// With two parties: the most bytes of responses that are read while the connection lives.
    pub read: u32,
    /// With two parties: the most bytes of responses for which the proof is prepared ahead.
    pub proved: u32,
    /// The most bytes that a server may send.
    pub received: u32,
    /// The most hidden bytes of requests, and of responses, about which something is proved.
    pub hidden: u32,
    /// The most seconds that a server may take for its next bytes.
    pub wait: u16,
    /// With two parties: whether the server may leave open which protocol it speaks (ALPN).
    pub no_alpn: bool,
    /// Who signs for contracts, if somebody does.
    pub contract_signer: Option<Address>,
}

/// Bytes of [`Terms`] after the number 0.
const TERMS_BYTES: usize = 5 * 4 + 2 + 1 + ADDRESS_BYTES;

impl Terms {
    fn put(&self, out: &mut Vec<u8>) {
        let Self { request, read, proved, received, hidden, wait, no_alpn, contract_signer } = self;
        for bytes in [request, read, proved, received, hidden] {
            out.extend_from_slice(&bytes.to_be_bytes());
        }
        out.extend_from_slice(&wait.to_be_bytes());
        out.push(u8::from(*no_alpn));
        out.extend(contract_signer.map_or([0; ADDRESS_BYTES], |address| *address.as_bytes()));
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        let malformed = |flaw: Flaw| flaw.at(NOTARY_TURN);
        let number = |cursor: &mut Cursor<'_>| cursor.u32("a limit").map_err(malformed);
        Ok(Self {
            request: number(cursor)?,
            read: number(cursor)?,
            proved: number(cursor)?,
            received: number(cursor)?,
            hidden: number(cursor)?,
            wait: cursor.u16("a time").map_err(malformed)?,
            no_alpn: match cursor.u8("whether ALPN may be missing").map_err(malformed)? {
                0 => false,
                1 => true,
                _ => return Err(Error::malformed(NOTARY_TURN, "neither yes nor no")),
            },
            contract_signer: Address::new(cursor.array("an address").map_err(malformed)?),
        })
    }
}

/// What a notary says to a prover that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The prover's number in the line, from 1.
    Waits(u32),
    /// Its turn has come, with these limits.
    Begins(Terms),
}

impl Turn {
    fn encode(self) -> Vec<u8> {
        match self {
            Self::Waits(number) => number.to_be_bytes().to_vec(),
            Self::Begins(terms) => {
                let mut out = 0_u32.to_be_bytes().to_vec();
                terms.put(&mut out);
                out
            }
        }
    }

    fn decode(message: &[u8]) -> Result<Self, Error> {
        let malformed = |flaw: Flaw| flaw.at(NOTARY_TURN);
        let mut cursor = Cursor::new(message);
        let turn = match cursor.u32("a number in the line").map_err(malformed)? {
            0 => Self::Begins(Terms::read(&mut cursor)?),
            number => Self::Waits(number),
        };
        cursor.finish().map_err(malformed)?;
        Ok(turn)
    }
}

/// What a notary says to a prover when there are so many before it.
///
/// # Errors
/// What writing meets.
pub fn wait(channel: &mut (impl Channel + ?Sized), before: usize) -> Result<(), Error> {
    let number = u32::try_from(before).unwrap_or(u32::MAX).saturating_add(1);
    channel.send(NOTARY_TURN, &Turn::Waits(number).encode())?;
    channel.flush()
}

/// What a notary says to a prover when it begins. It leaves with what is said next.
///
/// # Errors
/// What writing meets.
pub fn begin(channel: &mut (impl Channel + ?Sized), terms: Terms) -> Result<(), Error> {
    channel.send(NOTARY_TURN, &Turn::Begins(terms).encode())
}

/// A prover's channel to a notary: what it receives first is that its turn has come.
pub type InLine<C, F> = Layered<C, Waiting<F>>;

/// A prover's channel to a notary over `channel`. `tell` hears each turn that the notary says;
/// [`Turn::Begins`] is the last.
pub fn in_line<C: Channel, F: FnMut(Turn)>(channel: C, tell: F) -> InLine<C, F> {
    Layered { channel, layer: Waiting { until: Some(Instant::now() + LONGEST), tell } }
}

/// Waiting in a notary's line.
pub struct Waiting<F> {
    /// Until when to wait; none if the turn has come.
    until: Option<Instant>,
    tell: F,
}

impl<C: Channel, F: FnMut(Turn)> Layer<C> for Waiting<F> {
    fn before_receive(&mut self, below: &mut C, _tag: Tag) -> Result<(), Error> {
        while let Some(end) = self.until {
            let turn = Turn::decode(below.recv(NOTARY_TURN, 4 + TERMS_BYTES)?)?;
            match turn {
                Turn::Begins(_) => self.until = None,
                Turn::Waits(_) if Instant::now() > end => {
                    let (what, limit) = ("the seconds in a notary's line", LONGEST.as_secs());
                    return Err(Error::Limit { step: NOTARY_TURN, what, limit });
                }
                Turn::Waits(_) => {}
            }
            (self.tell)(turn);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use volery_channel::tags::TEST;
    use volery_channel::{Limits, memory_pair};

    use super::*;

    #[test]
    fn a_greeting_is_heard_as_it_was_said() {
        for (way, token) in
            [(Way::TwoParty, &b""[..]), (Way::Proxy, &[b'x'; MAX_TOKEN]), (Way::Carried, b"x")]
        {
            let (mut prover, mut notary) = memory_pair(&Limits::default());
            Greeting { way, token: Zeroizing::new(token.to_vec()) }.send(&mut prover).expect("sent");
            let heard = Greeting::receive(&mut notary).expect("a greeting");
            assert_eq!((heard.way, &heard.token[..]), (way, token));
        }
        let (mut prover, _notary) = memory_pair(&Limits::default());
        let long = Greeting { way: Way::Proxy, token: Zeroizing::new(vec![0; MAX_TOKEN + 1]) };
        assert!(matches!(long.send(&mut prover), Err(Error::Misuse(_))));
    }

    #[test]
    fn a_mode_that_nobody_knows_is_refused_and_the_prover_told() {
        for message in [&[][..], &[0], &[4, 1, 2], &[255]] {
            let (mut prover, mut notary) = memory_pair(&Limits::default());
            prover.send(NOTARY_TOKEN, message).and_then(|()| prover.flush()).expect("sent");
            assert!(matches!(Greeting::receive(&mut notary), Err(Error::Malformed { .. })));
            let told = prover.recv(NOTARY_TURN, 4);
            assert!(matches!(&told, Err(Error::Peer { reason, .. }) if reason.contains("mode")), "{told:?}");
        }
    }

    const TERMS: Terms = Terms {
        request: 1 << 14,
        read: 1 << 12,
        proved: 3,
        received: u32::MAX,
        hidden: 0,
        wait: 600,
        no_alpn: true,
        contract_signer: None,
    };

    /// The bytes that `docs/wire.md` describes.
    #[test]
    fn a_turn_has_one_encoding() {
        let limits =
            [0, 0, 0, 0, 0, 0, 64, 0, 0, 0, 16, 0, 0, 0, 0, 3, 255, 255, 255, 255, 0, 0, 0, 0, 2, 88, 1];
        assert_eq!(Turn::Begins(TERMS).encode(), [&limits[..], &[0; ADDRESS_BYTES]].concat());
        let signs = Turn::Begins(Terms { contract_signer: Address::new([9; ADDRESS_BYTES]), ..TERMS });
        assert_eq!(signs.encode(), [&limits[..], &[9; ADDRESS_BYTES]].concat());
        for turn in [Turn::Begins(TERMS), signs, Turn::Waits(1), Turn::Waits(u32::MAX)] {
            assert_eq!(Turn::decode(&turn.encode()), Ok(turn));
        }
    }

    #[test]
    fn a_prover_hears_its_number_until_its_turn_has_come() {
        let (prover, mut notary) = memory_pair(&Limits::default());
        for before in [17, 3, 0] {
            wait(&mut notary, before).expect("sent");
        }
        begin(&mut notary, TERMS).expect("sent");
        notary.send(TEST, b"first").and_then(|()| notary.send(TEST, b"second")).expect("sent");
        notary.flush().expect("sent");
        let mut told = Vec::new();
        let mut channel = in_line(prover, |turn| told.push(turn));
        assert_eq!(channel.recv(TEST, 9), Ok(&b"first"[..]));
        assert_eq!(channel.recv(TEST, 9), Ok(&b"second"[..]));
        assert_eq!(told, [Turn::Waits(18), Turn::Waits(4), Turn::Waits(1), Turn::Begins(TERMS)]);
    }

    #[test]
    fn nothing_else_is_taken_for_the_turn() {
        let mut flag = Turn::Begins(TERMS).encode();
        flag[4 + TERMS_BYTES - ADDRESS_BYTES - 1] = 2;
        let short = [&[0; 4][..], &[0; TERMS_BYTES - 1]].concat();
        let long = [&[0; 4][..], &[0; TERMS_BYTES + 1]].concat();
        for (tag, message) in [
            (TEST, &[0; 4 + TERMS_BYTES][..]),
            (NOTARY_TURN, &[0, 0, 0]),
            (NOTARY_TURN, &[0; 4]),
            (NOTARY_TURN, &[0, 0, 0, 1, 0]),
            (NOTARY_TURN, &flag),
            (NOTARY_TURN, &short),
            (NOTARY_TURN, &long),
        ] {
            let (prover, mut notary) = memory_pair(&Limits::default());
            notary.send(tag, message).and_then(|()| notary.flush()).expect("sent");
            let mut channel = in_line(prover, |_| {});
            assert!(channel.recv(TEST, 9).is_err(), "{message:?}");
        }
    }
}
