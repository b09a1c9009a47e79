//! What comes before a session with a notary, a verifier to whom many provers come: what is wanted of it, and
//! waiting in its line.
//!
//! ```text
//! P                                              V
//! TLS 1.3                      <---------->      shows the key that it signs with, or a certificate; P goes on only if it knows it
//! Greeting: a mode, a token    ----------->      hears out only whom it knows by the token
//!                              <-----------      P's number in the line, from 1, as often as V likes
//!                              <-----------      0: P's turn has come
//! Prover::start                <---------->      Verifier::start
//! ```
//!
//! P begins its part of the session without waiting for the answer, so but for TLS none of this takes a round
//! trip.
//!
//! **TLS comes first.** What P says is for the notary alone: its token, which page it asks for (in proxy
//! mode), when. And P believes what an honest notary says of itself: that it is the one that those trust who
//! will read the attestation. A program connects with [`Trust::Key`](volery_channel::tls::Trust) and the key
//! that it demands of the attestation, and serves with
//! [`raw_key_server_config`](volery_channel::tls::raw_key_server_config) and the key that it signs with, or
//! both use a certificate; the `volery` program has no third way.

use std::time::{Duration, Instant};

use volery_channel::tags::{NOTARY_TOKEN, NOTARY_TURN};
use volery_channel::{Channel, ChannelExt as _, Error, Layer, Layered, Tag};
use volery_tls::attestation::Mode;
use zeroize::Zeroizing;

/// The most bytes of a token.
pub const MAX_TOKEN: usize = 256;

/// How long a prover waits in a line.
const LONGEST: Duration = Duration::from_secs(3600);

/// A prover's first message: a byte for the mode (1 two parties, 2 proxy), then the token, empty if the
/// prover has none.
pub struct Greeting {
    /// How the connection is to be made.
    pub mode: Mode,
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
        let mode = match self.mode {
            Mode::TwoParty => 1,
            Mode::Proxy => 2,
        };
        let message = Zeroizing::new([&[mode], &self.token[..]].concat());
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
        let (mode, token) = message.split_first().map_or((0, &[][..]), |(mode, token)| (*mode, token));
        let token = Zeroizing::new(token.to_vec());
        let mode = match mode {
            1 => Mode::TwoParty,
            2 => Mode::Proxy,
            _ => {
                channel.fail("the notary does not know this mode");
                return Err(Error::malformed(NOTARY_TOKEN, "a mode which this version does not have"));
            }
        };
        Ok(Self { mode, token })
    }
}

/// What a notary says to a prover when there are so many before it.
///
/// # Errors
/// What writing meets.
pub fn wait(channel: &mut (impl Channel + ?Sized), before: usize) -> Result<(), Error> {
    let number = u32::try_from(before).unwrap_or(u32::MAX).saturating_add(1);
    channel.send(NOTARY_TURN, &number.to_be_bytes())?;
    channel.flush()
}

/// What a notary says to a prover when it begins. It leaves with what is said next.
///
/// # Errors
/// What writing meets.
pub fn begin(channel: &mut (impl Channel + ?Sized)) -> Result<(), Error> {
    channel.send(NOTARY_TURN, &0_u32.to_be_bytes())
}

/// A prover's channel to a notary: what it receives first is that its turn has come.
pub type InLine<C, F> = Layered<C, Waiting<F>>;

/// A prover's channel to a notary over `channel`. Whenever the notary says the prover's number, `tell` hears
/// it; 0 is the last.
pub fn in_line<C: Channel, F: FnMut(u32)>(channel: C, tell: F) -> InLine<C, F> {
    Layered { channel, layer: Waiting { until: Some(Instant::now() + LONGEST), tell } }
}

/// Waiting in a notary's line.
pub struct Waiting<F> {
    /// Until when to wait; none if the turn has come.
    until: Option<Instant>,
    tell: F,
}

impl<C: Channel, F: FnMut(u32)> Layer<C> for Waiting<F> {
    fn before_receive(&mut self, below: &mut C, _tag: Tag) -> Result<(), Error> {
        while let Some(end) = self.until {
            let number = u32::from_be_bytes(below.recv_array(NOTARY_TURN)?);
            if number == 0 {
                self.until = None;
            } else if Instant::now() > end {
                let limit = LONGEST.as_secs();
                return Err(Error::Limit {
                    step: NOTARY_TURN,
                    what: "the seconds in a notary's line",
                    limit,
                });
            }
            (self.tell)(number);
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
        for (mode, token) in [(Mode::TwoParty, &b""[..]), (Mode::Proxy, &[b'x'; MAX_TOKEN])] {
            let (mut prover, mut notary) = memory_pair(&Limits::default());
            Greeting { mode, token: Zeroizing::new(token.to_vec()) }.send(&mut prover).expect("sent");
            let heard = Greeting::receive(&mut notary).expect("a greeting");
            assert_eq!((heard.mode, &heard.token[..]), (mode, token));
        }
        let (mut prover, _notary) = memory_pair(&Limits::default());
        let long = Greeting { mode: Mode::Proxy, token: Zeroizing::new(vec![0; MAX_TOKEN + 1]) };
        assert!(matches!(long.send(&mut prover), Err(Error::Misuse(_))));
    }

    #[test]
    fn a_mode_that_nobody_knows_is_refused_and_the_prover_told() {
        for message in [&[][..], &[0], &[3, 1, 2]] {
            let (mut prover, mut notary) = memory_pair(&Limits::default());
            prover.send(NOTARY_TOKEN, message).and_then(|()| prover.flush()).expect("sent");
            assert!(matches!(Greeting::receive(&mut notary), Err(Error::Malformed { .. })));
            let told = prover.recv(NOTARY_TURN, 4);
            assert!(matches!(&told, Err(Error::Peer { reason, .. }) if reason.contains("mode")), "{told:?}");
        }
    }

    #[test]
    fn a_prover_hears_its_number_until_its_turn_has_come() {
        let (prover, mut notary) = memory_pair(&Limits::default());
        for before in [17, 3, 0] {
            wait(&mut notary, before).expect("sent");
        }
        begin(&mut notary).expect("sent");
        notary.send(TEST, b"first").and_then(|()| notary.send(TEST, b"second")).expect("sent");
        notary.flush().expect("sent");
        let mut told = Vec::new();
        let mut channel = in_line(prover, |number| told.push(number));
        assert_eq!(channel.recv(TEST, 9), Ok(&b"first"[..]));
        assert_eq!(channel.recv(TEST, 9), Ok(&b"second"[..]));
        assert_eq!(told, [18, 4, 1, 0]);
    }

    #[test]
    fn nothing_else_is_taken_for_the_turn() {
        for (tag, message) in [(TEST, &[0, 0, 0, 0][..]), (NOTARY_TURN, &[0, 0, 0]), (NOTARY_TURN, &[0; 5])] {
            let (prover, mut notary) = memory_pair(&Limits::default());
            notary.send(tag, message).and_then(|()| notary.flush()).expect("sent");
            let mut channel = in_line(prover, |_| {});
            assert!(channel.recv(TEST, 9).is_err(), "{message:?}");
        }
    }
}
