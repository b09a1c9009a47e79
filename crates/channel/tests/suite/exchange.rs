//! Honest parties: everything arrives, in order, whatever the sizes and the order of calls.

use std::thread;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use volery_channel::{Channel, ChannelExt, Error, Limits, Tag, tags};

use crate::links::{InMemory, Link, channels, on_every_transport};

#[derive(Debug, Clone, Copy)]
enum Receive {
    Borrowed,
    Exact,
    Into,
}

#[derive(Debug, Clone)]
struct Message {
    tag: Tag,
    length: usize,
    receive: Receive,
    flush: bool,
}

fn message() -> impl Strategy<Value = Message> {
    let tag = prop_oneof![Just(tags::TEST), Just(tags::MASKS), Just(tags::VERDICT)];
    let length = prop_oneof![4 => 0usize..50, 2 => 16_000usize..17_000, 1 => 60_000usize..70_000, 1 => 0usize..600_000];
    let receive = prop_oneof![Just(Receive::Borrowed), Just(Receive::Exact), Just(Receive::Into)];
    (tag, length, receive, any::<bool>()).prop_map(|(tag, length, receive, flush)| Message {
        tag,
        length,
        receive,
        flush,
    })
}

/// Bytes that depend on the message's place, so that a swap or a slip shows.
fn content(place: usize, length: usize) -> Vec<u8> {
    (0..length).map(|i| (i.wrapping_mul(31) ^ place.wrapping_mul(97) ^ (i >> 8)) as u8).collect()
}

fn send_all(channel: &mut dyn Channel, messages: &[Message]) {
    for (place, message) in messages.iter().enumerate() {
        channel.send(message.tag, &content(place, message.length)).unwrap();
        if message.flush {
            channel.flush().unwrap();
        }
    }
    channel.flush().unwrap();
}

fn receive_all(channel: &mut dyn Channel, messages: &[Message]) {
    let mut buffer = Vec::new();
    for (place, &Message { tag, length, receive, .. }) in messages.iter().enumerate() {
        let got = match receive {
            Receive::Borrowed => channel.recv(tag, length).unwrap(),
            Receive::Into => {
                channel.recv_into(tag, length, &mut buffer).unwrap();
                &buffer
            }
            Receive::Exact => {
                buffer.resize(length, 0);
                channel.recv_exact(tag, &mut buffer).unwrap();
                &buffer
            }
        };
        assert!(got == content(place, length), "message {place}");
    }
}

/// Each party sends its messages, then receives the other's.
fn messages_cross_intact<L: Link>() {
    let messages = || prop::collection::vec(message(), 0..12);
    let mut runner = TestRunner::new(ProptestConfig::with_cases(24));
    runner
        .run(&(messages(), messages()), |(from_left, from_right)| {
            let (mut left, mut right) = channels::<L>(&Limits::default());
            thread::scope(|scope| {
                scope.spawn(|| {
                    send_all(&mut left, &from_left);
                    receive_all(&mut left, &from_right);
                });
                send_all(&mut right, &from_right);
                receive_all(&mut right, &from_left);
            });
            let (left, right) = (left.stats(), right.stats());
            prop_assert_eq!(left.bytes_sent, right.bytes_received);
            prop_assert_eq!(right.bytes_sent, left.bytes_received);
            prop_assert_eq!(left.frames_sent, from_left.len() as u64);
            prop_assert_eq!(left.frames_received, from_right.len() as u64);
            Ok(())
        })
        .unwrap();
}

fn both_parties_may_write_16_mib_at_once<L: Link>() {
    // More than sockets and our own buffers hold.
    const LENGTH: usize = 16 << 20;
    let (mut left, mut right) = channels::<L>(&Limits::default());
    let swap = |channel: &mut dyn Channel, mine: u8, theirs: u8| {
        let mut bytes = vec![mine; LENGTH];
        channel.send(tags::TEST, &bytes).unwrap();
        channel.recv_exact(tags::TEST, &mut bytes).unwrap();
        assert!(bytes.iter().all(|byte| *byte == theirs));
        channel.send(tags::GOODBYE, &[]).unwrap();
        channel.recv(tags::GOODBYE, 0).unwrap();
    };
    thread::scope(|scope| {
        scope.spawn(|| swap(&mut left, 1, 2));
        swap(&mut right, 2, 1);
    });
}

fn a_receive_flushes_what_the_peer_waits_for<L: Link>() {
    let (mut left, mut right) = channels::<L>(&Limits::default());
    thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..100 {
                left.send(tags::TEST, b"ping").unwrap();
                assert_eq!(&left.recv_array::<4>(tags::TEST_OTHER).unwrap(), b"pong");
            }
        });
        for _ in 0..100 {
            assert_eq!(right.recv(tags::TEST, 4).unwrap(), b"ping");
            right.send(tags::TEST_OTHER, b"pong").unwrap();
        }
        right.flush().unwrap();
    });
    assert_eq!(left.stats().round_trips, 100);
    assert_eq!(right.stats().round_trips, 99);
}

fn what_was_sent_before_the_end_is_received_after_it<L: Link>() {
    let (mut left, mut right) = channels::<L>(&Limits::default());
    left.send(tags::TEST, b"last words").unwrap();
    left.finish().unwrap();
    drop(left);
    assert_eq!(right.recv(tags::TEST, 10).unwrap(), b"last words");
    let closed = Error::Closed { step: tags::TEST_OTHER, mid_frame: false };
    assert_eq!(right.recv(tags::TEST_OTHER, 0).unwrap_err(), closed);
}

/// What comes first is known before it is received, whatever lanes the messages are in.
fn a_channel_looks_ahead_without_receiving<L: Link>() {
    let (mut here, mut there) = channels::<L>(&Limits::default());
    let rounds = tags::FERRET_TREES;
    there.send(rounds, b"round").unwrap();
    there.send(tags::MASKS, b"masks").unwrap();
    there.send(tags::TEST, b"test").unwrap();
    there.flush().unwrap();
    for _ in 0..2 {
        assert!(here.precedes(tags::MASKS, tags::TEST).unwrap(), "past a message of another lane");
        assert!(!here.precedes(tags::TEST, tags::MASKS).unwrap());
        assert!(!here.precedes(tags::MASKS, rounds).unwrap(), "that one is kept");
        assert!(here.precedes(rounds, tags::TEST).unwrap(), "and seen where it is");
    }
    assert_eq!(here.recv(tags::MASKS, 5).unwrap(), b"masks");
    assert!(!here.precedes(tags::MASKS, tags::TEST).unwrap());
    assert_eq!(here.recv(tags::TEST, 4).unwrap(), b"test");
    assert_eq!(here.recv(rounds, 5).unwrap(), b"round");
    drop(there);
    assert!(matches!(here.precedes(tags::MASKS, tags::TEST), Err(Error::Closed { .. })));
}

on_every_transport! {
    messages_cross_intact,
    both_parties_may_write_16_mib_at_once,
    a_receive_flushes_what_the_peer_waits_for,
    what_was_sent_before_the_end_is_received_after_it,
    messages_of_other_lanes_wait_their_turn,
    a_flood_of_another_lane_is_cut_off,
    a_channel_looks_ahead_without_receiving,
}

#[test]
fn counters_count_headers_payloads_and_changes_of_direction() {
    let (mut left, mut right) = channels::<InMemory>(&Limits::default());
    left.send(tags::TEST, &[0; 10]).unwrap();
    left.send(tags::TEST, &[]).unwrap();
    left.flush().unwrap();
    right.recv(tags::TEST, 10).unwrap();
    right.recv(tags::TEST, 10).unwrap();
    right.send(tags::TEST, &[0; 20_000]).unwrap();
    right.send(tags::TEST, &[0; 1]).unwrap();
    right.flush().unwrap();
    let before = left.stats();
    left.recv(tags::TEST, 20_000).unwrap();
    left.recv(tags::TEST, 1).unwrap();

    let stats = left.stats();
    assert_eq!((stats.bytes_sent, stats.frames_sent), (10 + 2 * 5, 2));
    assert_eq!((stats.bytes_received, stats.frames_received), (20_001 + 2 * 5, 2));
    assert_eq!(stats.round_trips, 1);
    assert_eq!((stats - before).bytes_received, 20_011);
    assert_eq!((stats - before).bytes_sent, 0);
    assert_eq!(right.stats().round_trips, 0);
}

#[test]
fn references_and_boxes_of_channels_are_channels() {
    fn through(channel: &mut impl Channel) {
        channel.send(tags::TEST, b"x").unwrap();
        channel.flush().unwrap();
    }
    let (mut left, right) = channels::<InMemory>(&Limits::default());
    let mut boxed: Box<dyn Channel> = Box::new(right);
    through(&mut (&mut left as &mut dyn Channel));
    assert_eq!(boxed.recv(tags::TEST, 1).unwrap(), b"x");
    through(&mut boxed);
    assert_eq!(left.recv(tags::TEST, 1).unwrap(), b"x");
}

fn messages_of_other_lanes_wait_their_turn<L: Link>() {
    let (mut left, mut right) = channels::<L>(&Limits::default());
    for (tag, payload) in [
        (tags::FERRET_TREES, &b"round"[..]),
        (tags::SOFT_SPOKEN_EXTEND, b"extension 1"),
        (tags::MASKS, b"masks 1"),
        (tags::SOFT_SPOKEN_EXTEND, b"extension 2"),
        (tags::MASKS, b"masks 2"),
    ] {
        left.send(tag, payload).unwrap();
    }
    left.flush().unwrap();
    assert_eq!(right.recv(tags::MASKS, 100).unwrap(), b"masks 1");
    let mut exact = [0; 11];
    right.recv_exact(tags::SOFT_SPOKEN_EXTEND, &mut exact).unwrap();
    assert_eq!(&exact, b"extension 1");
    assert_eq!(right.recv(tags::MASKS, 100).unwrap(), b"masks 2");
    let mut into = vec![1];
    right.recv_into(tags::SOFT_SPOKEN_EXTEND, 100, &mut into).unwrap();
    assert_eq!(into, b"extension 2");
    // Within a lane the order still holds.
    let error = right.recv(tags::FERRET_VERDICT, 100).unwrap_err();
    assert!(matches!(error, Error::UnexpectedFrame { expected: tags::FERRET_VERDICT, .. }), "{error:?}");
}

fn a_flood_of_another_lane_is_cut_off<L: Link>() {
    let (mut left, mut right) = channels::<L>(&Limits::default());
    thread::scope(|scope| {
        scope.spawn(move || {
            // Nine MiB; the receiver gives up before the end.
            let _ = (0..9 * 1024).try_for_each(|_| left.send(tags::FERRET_TREES, &[0; 1024]));
            let _ = left.flush();
        });
        let error = right.recv(tags::MASKS, 100).unwrap_err();
        assert!(matches!(error, Error::UnexpectedFrame { expected: tags::MASKS, .. }), "{error:?}");
        drop(right);
    });
}
