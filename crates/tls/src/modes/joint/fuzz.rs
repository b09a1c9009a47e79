//! The messages of this module as plain functions, for fuzz targets; the tests here call them, too.

use rand_core::CryptoRng;
use volery_channel::tags::CLIENT_STEP;
use volery_channel::{Channel, Error as ChannelError, Stats, Tag};
use volery_vole::SessionId;

use super::Error;
use super::message::{self, ConnectionBytes, NextStep};
use super::read::RecordTurn;
use crate::wire::ghash::Block;
use crate::wire::hash::HashFunction;
use crate::wire::suite::{Aead, KeySize};
use crate::wire::version::TlsVersion;

/// A channel whose peer has said these messages and is gone; and all that is said to it.
struct Scripted<'a> {
    messages: &'a [&'a [u8]],
    answers: Vec<Vec<u8>>,
}

impl<'a> Scripted<'a> {
    fn new(messages: &'a [&'a [u8]]) -> Self {
        Self { messages, answers: Vec::new() }
    }
}

impl Channel for Scripted<'_> {
    fn send(&mut self, _: Tag, payload: &[u8]) -> Result<(), ChannelError> {
        self.answers.push(payload.to_vec());
        Ok(())
    }

    fn recv(&mut self, step: Tag, max: usize) -> Result<&[u8], ChannelError> {
        let (message, rest) =
            self.messages.split_first().ok_or(ChannelError::Closed { step, mid_frame: false })?;
        self.messages = rest;
        match message.len() > max {
            true => Err(ChannelError::TooLong { step, length: u32::MAX, max }),
            false => Ok(message),
        }
    }

    fn recv_exact(&mut self, step: Tag, out: &mut [u8]) -> Result<(), ChannelError> {
        let expected = out.len();
        let message = self.recv(step, expected)?;
        if message.len() != expected {
            return Err(ChannelError::WrongLength { step, length: 0, expected });
        }
        out.copy_from_slice(message);
        Ok(())
    }

    fn recv_into(&mut self, step: Tag, max: usize, out: &mut Vec<u8>) -> Result<(), ChannelError> {
        let message = self.recv(step, max)?.to_vec();
        *out = message;
        Ok(())
    }

    fn flush(&mut self) -> Result<(), ChannelError> {
        Ok(())
    }

    fn fail(&mut self, _: &str) {}

    fn stats(&self) -> Stats {
        Stats::default()
    }

    fn binding(&self) -> Option<[u8; 32]> {
        None
    }
}

/// What a value was read from, and what it is sent as.
fn round_trip<T>(
    messages: &[&[u8]],
    receive: impl FnOnce(&mut dyn Channel) -> Result<T, Error>,
    send: impl FnOnce(&mut dyn Channel, &T) -> Result<(), Error>,
) -> Option<T> {
    let value = receive(&mut Scripted::new(messages)).ok()?;
    let mut channel = Scripted::new(&[]);
    assert_eq!(send(&mut channel, &value), Ok(()));
    assert_eq!(channel.answers, messages, "what is accepted encodes back to the same bytes");
    Some(value)
}

/// One step of P's: a message is at most one of them, and encodes back to the same bytes.
pub fn step(bytes: &[u8]) {
    for hash in [HashFunction::Sha256, HashFunction::Sha384] {
        step_in(hash, bytes);
    }
}

/// The same in a connection whose suite has this hash function.
fn step_in(hash: HashFunction, bytes: &[u8]) {
    let message = [bytes];
    let readings = [
        round_trip(&message, message::receive_sizes, |c, sizes| message::send_sizes(c, sizes)).is_some(),
        round_trip(&message, |c| message::receive_master(c, hash), |c, seed| message::send_master(c, seed))
            .is_some(),
        round_trip(&message, message::receive_keys, |c, [client, server]| {
            message::send_keys(c, client, server)
        })
        .is_some(),
        round_trip(
            &message,
            |c| message::receive_finished(c, hash),
            |c, hash| message::send_finished(c, hash),
        )
        .is_some(),
        round_trip(&message, |c| message::receive_hellos(c, hash), |c, hash| message::send_hellos(c, hash))
            .is_some(),
        round_trip(&message, |c| message::receive_data(c, hash), |c, hash| message::send_data(c, hash))
            .is_some(),
        round_trip(&message, message::receive_next, |c, next| match next {
            NextStep::Request => message::send_request(c),
            NextStep::Read => message::send_read(c),
        })
        .is_some(),
    ];
    assert!(readings.iter().filter(|read| **read).count() <= 1, "one message, one meaning");
}

/// The connection's bytes: four of the first part's length, big-endian, the first part, likewise the second,
/// and the third.
pub fn transcript(bytes: &[u8]) {
    const MOST: [usize; 2] = [1 << 10, 1 << 11];
    let take = |bytes: &mut &[u8]| {
        let (length, rest) = bytes.split_first_chunk::<4>()?;
        let (part, rest) = rest.split_at_checked(u32::from_be_bytes(*length) as usize)?;
        *bytes = rest;
        Some(part.to_vec())
    };
    let mut rest = bytes;
    let Some((host, client)) = take(&mut rest).zip(take(&mut rest)) else { return };
    let messages = [&host[..], &client, rest];
    let receive = |channel: &mut dyn Channel| message::receive_transcript(channel, MOST);
    let send = |channel: &mut dyn Channel, ConnectionBytes { host, client, server }: &ConnectionBytes| {
        message::send_transcript(channel, host, [client, server])
    };
    if let Some(sent) = round_trip(&messages, receive, send) {
        assert!(sent.client.len() <= MOST[0] && sent.server.len() <= MOST[1]);
    }
}

/// How the records of the next two are protected.
const GCM: (Aead, TlsVersion) = (Aead::Gcm(KeySize::Bits128), TlsVersion::Tls12);

/// The session of the next two.
const SESSION: SessionId = SessionId::new([10; 32]);

/// Payloads of records that an honest P reads, and what V's share of their tags is.
const RECORDS: [&[u8]; 2] = [b"nonce...the server's words and its tag", b"nonce...and its tag again"];
const SHARE: Block = *b"a share of a tag";

/// P, to which V speaks of records of the server's that it reads. P has the right sum of every tag.
///
/// # Errors
/// What V does wrong.
pub fn record_prover(channel: &mut dyn Channel) -> Result<(), Error> {
    let mut turn = RecordTurn::new(&SESSION, GCM);
    for payload in RECORDS {
        let record = turn.announce(channel, payload)?;
        turn.believe(channel, &record, &SHARE)?;
    }
    Ok(())
}

/// V, to which P speaks of records of the server's that it reads.
///
/// # Errors
/// What P does wrong.
pub fn record_verifier(channel: &mut dyn Channel, rng: &mut dyn CryptoRng) -> Result<(), Error> {
    const MOST: usize = 64;
    let mut turn = RecordTurn::new(&SESSION, GCM);
    for _ in RECORDS {
        if message::receive_next(channel)? != NextStep::Read {
            return Err(Error::malformed(CLIENT_STEP, "it is not the step that comes next"));
        }
        let record = turn.receive(channel, MOST)?;
        assert!(record.ciphertext.len() <= MOST, "a record that nobody prepared for");
        turn.verify(channel, &record, &SHARE, rng)?;
    }
    Ok(channel.flush()?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng as _;
    use volery_channel::tags::{RECORD_OPENING, RECORD_PROMISE};
    use volery_channel::{Limits, memory_pair};
    use volery_testing::Edit;

    use super::*;

    proptest! {
        #[test]
        fn no_bytes_upset_a_step(code in 0_u8..10, rest in prop::collection::vec(any::<u8>(), 0..140)) {
            step(&rest);
            step(&[&[code], &rest[..]].concat());
            transcript(&rest);
        }
    }

    /// Whether each party ends well when the other's messages pass through `change`.
    fn read(change: impl FnMut(Tag, &mut Vec<u8>) + Send) -> [bool; 2] {
        let (mut p, v) = memory_pair(&Limits::default());
        let mut v = Edit::on(v, change);
        std::thread::scope(|scope| {
            let p = scope.spawn(move || record_prover(&mut p).is_ok());
            let v = record_verifier(&mut v, &mut ChaCha20Rng::seed_from_u64(1)).is_ok();
            [p.join().unwrap(), v]
        })
    }

    #[test]
    fn records_are_read_if_the_verifier_keeps_its_promise_and_only_then() {
        assert_eq!(read(|_, _| {}), [true, true]);
        for step in [RECORD_PROMISE, RECORD_OPENING] {
            let [believed, _] = read(|tag, message| {
                if tag == step {
                    message[7] ^= 1;
                }
            });
            assert!(!believed, "{step}");
        }
    }

    #[test]
    fn sound_steps_are_accepted() {
        // What is proved; a request whose response is read, and two others.
        let sizes: [u32; 7] = [9, 100, 32, 300, 0, 1, 0];
        let sizes: Vec<u8> = [3, 2].into_iter().chain(sizes.into_iter().flat_map(u32::to_be_bytes)).collect();
        let seven = |length: usize| vec![7; length];
        let steps = |hash: HashFunction| {
            let length = hash.digest_bytes();
            [
                (0, sizes.clone()),
                (1, seven(64)),
                (2, seven(length)),
                (3, seven(64)),
                (4, seven(length)),
                (5, Vec::new()),
                (6, Vec::new()),
                (7, seven(length)),
                (8, seven(length)),
            ]
            .map(|step| (hash, step))
        };
        let all = [HashFunction::Sha256, HashFunction::Sha384].into_iter().flat_map(steps);
        for (hash, (code, rest)) in all {
            let bytes = [&[code], &rest[..]].concat();
            let message = [&bytes[..]];
            let accepted = [
                message::receive_sizes(&mut Scripted::new(&message)).is_ok(),
                message::receive_master(&mut Scripted::new(&message), hash).is_ok(),
                message::receive_keys(&mut Scripted::new(&message)).is_ok(),
                message::receive_finished(&mut Scripted::new(&message), hash).is_ok(),
                message::receive_next(&mut Scripted::new(&message)).is_ok(),
                message::receive_hellos(&mut Scripted::new(&message), hash).is_ok(),
                message::receive_data(&mut Scripted::new(&message), hash).is_ok(),
            ];
            assert_eq!(accepted.iter().filter(|read| **read).count(), 1, "{code}");
            step(&bytes);
        }
    }
}
