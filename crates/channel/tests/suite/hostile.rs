//! Peers that break the rules: each gets the error that names what it did, and nothing else.

use std::thread;

use volery_channel::transport::Transport;
use volery_channel::{Channel, Error, Limits, Tag, tags};

use crate::links::{
    InMemory, Link, Tcp, TlsOverTcp, Unix, channel_and_raw, channels, frame, on_every_transport, put,
};

const TEST: u8 = tags::TEST.byte();

/// What a receive of at most 100 bytes makes of the peer's bytes.
fn receive<L: Link>(bytes: &[u8], close: bool) -> Error {
    let (mut channel, mut raw) = channel_and_raw::<L>(&Limits::default());
    assert!(put(&mut raw, bytes));
    if close {
        raw.shutdown();
        drop(raw);
    }
    let error = channel.recv(tags::TEST, 100).unwrap_err();
    assert_eq!(channel.send(tags::TEST, &[]).unwrap_err(), error, "sending goes on after an error");
    assert_eq!(channel.recv(tags::TEST, 100).unwrap_err(), error, "receiving goes on after an error");
    assert_eq!(channel.flush().unwrap_err(), error, "flushing goes on after an error");
    error
}

fn a_wrong_tag_names_both_steps<L: Link>() {
    let error = receive::<L>(&frame(tags::MASKS.byte(), 7, b""), false);
    assert_eq!(error, Error::UnexpectedFrame { expected: tags::TEST, got: tags::MASKS.byte(), length: 7 });
    let text = error.to_string();
    assert!(text.contains("expected Test") && text.contains("got Masks with 7 bytes"), "{text}");
    let text = receive::<L>(&frame(0xee, 7, b""), false).to_string();
    assert!(text.contains("unknown message (tag 0xee)"), "{text}");
}

fn a_long_message_is_refused_by_its_header<L: Link>() {
    let error = receive::<L>(&frame(TEST, 101, b""), false);
    assert_eq!(error, Error::TooLong { step: tags::TEST, length: 101, max: 100 });
    let error = receive::<L>(&frame(TEST, u32::MAX, b""), false);
    assert_eq!(error, Error::TooLong { step: tags::TEST, length: u32::MAX, max: 100 });
}

fn a_message_cut_short_is_not_an_orderly_end<L: Link>() {
    let whole = frame(TEST, 3, b"abc");
    for cut in 0..whole.len() {
        let error = receive::<L>(&whole[..cut], true);
        assert_eq!(error, Error::Closed { step: tags::TEST, mid_frame: cut > 0 }, "{cut} bytes");
    }
}

fn a_long_message_cut_short_ends_every_receive<L: Link>() {
    let part = frame(TEST, 50_000, &[1; 30_000]);
    let closed = Err(Error::Closed { step: tags::TEST, mid_frame: true });
    for kind in 0..3 {
        let (mut channel, mut raw) = channel_and_raw::<L>(&Limits::default());
        assert!(put(&mut raw, &part));
        raw.shutdown();
        let result = match kind {
            0 => channel.recv(tags::TEST, 50_000).map(drop),
            1 => channel.recv_exact(tags::TEST, &mut [0; 50_000]),
            _ => channel.recv_into(tags::TEST, 50_000, &mut Vec::new()),
        };
        assert_eq!(result, closed);
    }
}

fn the_peer_learns_why_a_party_failed<L: Link>() {
    let (mut left, mut right) = channels::<L>(&Limits::default());
    thread::scope(|scope| {
        scope.spawn(move || {
            // Not flushed, so it is dropped; and unread bytes must not cost the peer the reason.
            left.send(tags::TEST, b"never sent").unwrap();
            left.fail("the proof is\nwrong");
            assert_eq!(left.flush().unwrap_err(), Error::Ended { reason: "the proof is\nwrong".into() });
        });
        right.send(tags::TEST, b"unread").unwrap();
        let error = right.recv(tags::TEST, 100).unwrap_err();
        assert_eq!(error, Error::Peer { step: tags::TEST, reason: "the proof is\u{fffd}wrong".into() });
        drop(right);
    });
}

/// Messages of a peer's.
type Words = &'static [(Tag, &'static [u8])];

/// What a party that writes on and on hears at last from a peer that says `words`, and ends the session.
fn heard_while_writing<L: Link>(words: Words) -> Error {
    let (mut left, mut right) = channels::<L>(&Limits::default());
    thread::scope(|scope| {
        scope.spawn(move || {
            left.recv(tags::TEST, 1 << 20).unwrap();
            words.iter().for_each(|(tag, payload)| left.send(*tag, payload).unwrap());
            left.flush().unwrap();
            left.fail("enough");
        });
        loop {
            if let Err(error) = right.send(tags::TEST, &[0; 1 << 20]) {
                break error;
            }
        }
    })
}

fn a_party_that_still_writes_learns_why_over<L: Link>() {
    let why = Error::Peer { step: tags::TEST, reason: "enough".into() };
    let no = Error::UnexpectedFrame { expected: tags::TEST, got: tags::VERDICT.byte(), length: 1 };
    // A verdict of yes, or another message that was not read yet, is no reason.
    let cases: [(Words, _); 3] = [
        (&[], why.clone()),
        (&[(tags::TEST, b"0123456789"), (tags::VERDICT, &[1])], why),
        (&[(tags::TEST, b"0123456789"), (tags::VERDICT, &[0])], no),
    ];
    // Side by side, because each peer waits for the writer to hear it.
    thread::scope(|scope| {
        for (words, heard) in cases {
            scope.spawn(move || assert_eq!(heard_while_writing::<L>(words), heard));
        }
    });
}

fn a_peer_that_floods_a_writer_hits_the_cap<L: Link>() {
    let limits = Limits { receive_buffer: 1 << 20, ..Limits::default() };
    let (mut channel, mut raw) = channel_and_raw::<L>(&limits);
    thread::scope(|scope| {
        scope.spawn(move || {
            let chunk = [0; 1 << 16];
            while put(&mut raw, &chunk) {}
        });
        let error = channel.send(tags::TEST, &vec![0; 32 << 20]).unwrap_err();
        assert!(matches!(error, Error::Limit { limit: 0x10_0000, .. }), "{error:?}");
        drop(channel);
    });
}

on_every_transport! {
    a_wrong_tag_names_both_steps,
    a_long_message_is_refused_by_its_header,
    a_message_cut_short_is_not_an_orderly_end,
    a_long_message_cut_short_ends_every_receive,
    the_peer_learns_why_a_party_failed,
    a_peer_that_floods_a_writer_hits_the_cap,
}

/// Of every transport side by side: most of the time is waiting.
#[test]
fn a_party_that_still_writes_learns_why_the_peer_failed() {
    thread::scope(|scope| {
        scope.spawn(a_party_that_still_writes_learns_why_over::<InMemory>);
        scope.spawn(a_party_that_still_writes_learns_why_over::<Tcp>);
        scope.spawn(a_party_that_still_writes_learns_why_over::<Unix>);
        scope.spawn(a_party_that_still_writes_learns_why_over::<TlsOverTcp>);
    });
}

#[test]
fn a_message_of_another_length_is_refused_where_one_length_is_expected() {
    for length in [3, 5] {
        let (mut channel, mut raw) = channel_and_raw::<InMemory>(&Limits::default());
        assert!(put(&mut raw, &frame(TEST, length, &[0; 5])));
        let error = channel.recv_exact(tags::TEST, &mut [0; 4]).unwrap_err();
        assert_eq!(error, Error::WrongLength { step: tags::TEST, length, expected: 4 });
    }
}

#[test]
fn the_frame_limit_holds_for_both_directions() {
    let limits = Limits { max_frame: 10, ..Limits::default() };
    let (mut channel, mut raw) = channel_and_raw::<InMemory>(&limits);
    assert!(put(&mut raw, &frame(TEST, 11, &[0; 11])));
    let error = channel.recv(tags::TEST, 100).unwrap_err();
    assert_eq!(error, Error::TooLong { step: tags::TEST, length: 11, max: 10 });
    let (mut channel, _raw) = channel_and_raw::<InMemory>(&limits);
    assert!(matches!(channel.send(tags::TEST, &[0; 11]), Err(Error::Misuse(_))));
}

#[test]
fn the_byte_limit_of_a_session_counts_both_directions() {
    let limits = Limits { total_bytes: Some(30), ..Limits::default() };
    let over = Error::Limit { step: tags::TEST, what: "the number of bytes of the session", limit: 30 };
    let (mut left, mut right) = channels::<InMemory>(&limits);
    left.send(tags::TEST, &[0; 10]).unwrap();
    left.flush().unwrap();
    right.recv(tags::TEST, 10).unwrap();
    assert_eq!(right.send(tags::TEST, &[0; 11]).unwrap_err(), over);
    let (mut channel, mut raw) = channel_and_raw::<InMemory>(&limits);
    assert!(put(&mut raw, &frame(TEST, 26, &[0; 26])));
    assert_eq!(channel.recv(tags::TEST, 100).unwrap_err(), over);
}

#[test]
fn a_malformed_reason_is_an_error_of_its_own() {
    let error = receive::<InMemory>(&frame(tags::ERROR.byte(), 2, &[0xff, 0xfe]), false);
    assert!(matches!(error, Error::Malformed { step: tags::ERROR, .. }), "{error:?}");
    let error = receive::<InMemory>(&frame(tags::ERROR.byte(), 1 << 30, b""), false);
    assert_eq!(error, Error::TooLong { step: tags::ERROR, length: 1 << 30, max: 512 });
    let error = receive::<InMemory>(&frame(tags::ERROR.byte(), 20, b"cut"), true);
    assert_eq!(error, Error::Closed { step: tags::TEST, mid_frame: true });
}

#[test]
fn writing_to_a_peer_that_is_gone_says_so() {
    let (mut channel, raw) = channel_and_raw::<Tcp>(&Limits::default());
    drop(raw);
    let error = (0..1000).find_map(|_| channel.send(tags::TEST, &[0; 1 << 16]).err()).unwrap();
    assert!(matches!(error, Error::Closed { .. }), "{error:?}");
}
