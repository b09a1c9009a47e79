//! Peers that are slow, on purpose or not. The tests assert that waits end, not how long they took.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use volery_channel::transport::{Memory, Transport};
use volery_channel::{Channel, Error, Framed, Limits, Operation, tags};

use crate::links::{InMemory, Link, Tcp, channel_and_raw, channels, frame, on_every_transport, put};

const SHORT: Duration = Duration::from_millis(100);

fn short() -> Limits {
    Limits { read: SHORT, write: SHORT, min_rate: u32::MAX, ..Limits::default() }
}

fn a_silent_peer_times_out<L: Link>() {
    let (mut channel, _raw) = channel_and_raw::<L>(&short());
    let error = channel.recv(tags::TEST, 1).unwrap_err();
    assert_eq!(error, Error::TimedOut { step: tags::TEST, operation: Operation::Read, after: SHORT });
}

fn a_peer_that_trickles_bytes_gains_no_time<L: Link>() {
    const LENGTH: usize = 10_000;
    let (mut channel, mut raw) = channel_and_raw::<L>(&short());
    let sent = AtomicUsize::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            let bytes = frame(tags::TEST.byte(), LENGTH as u32, &[0; LENGTH]);
            // One byte at a time, each well within the time-out, for at least half a minute in all.
            for byte in bytes.chunks(1) {
                if !put(&mut raw, byte) {
                    break;
                }
                sent.fetch_add(1, Ordering::Relaxed);
                thread::sleep(Duration::from_millis(3));
            }
        });
        let error = channel.recv(tags::TEST, LENGTH).unwrap_err();
        assert!(matches!(error, Error::TimedOut { operation: Operation::Read, .. }), "{error:?}");
        drop(channel);
    });
    assert!(sent.load(Ordering::Relaxed) < LENGTH, "the whole message was waited for");
}

fn a_peer_that_does_not_read_times_out<L: Link>() {
    let (mut channel, _raw) = channel_and_raw::<L>(&short());
    let error = channel.send(tags::TEST, &vec![0; 32 << 20]).unwrap_err();
    assert!(matches!(error, Error::TimedOut { operation: Operation::Write, .. }), "{error:?}");
    // A part of a frame is out: a reason behind it would be read as payload, so none is sent, and nobody
    // waits.
    channel.fail("unsaid");
}

fn a_peer_that_sips_bytes_gains_no_time<L: Link>() {
    let (mut channel, mut raw) = channel_and_raw::<L>(&short());
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                raw.try_read(&mut [0; 512]).unwrap();
                thread::sleep(Duration::from_millis(3));
            }
        });
        let result = channel.send(tags::TEST, &vec![0; 32 << 20]);
        done.store(true, Ordering::Relaxed);
        let error = result.unwrap_err();
        assert!(matches!(error, Error::TimedOut { operation: Operation::Write, .. }), "{error:?}");
    });
}

fn a_session_ends_when_its_time_is_over<L: Link>() {
    let limits = Limits { total_time: Some(SHORT), ..Limits::default() };
    let (mut left, mut right) = channels::<L>(&limits);
    let exchange = |channel: &mut dyn Channel| loop {
        let result = channel.send(tags::TEST, &[0]).and_then(|()| channel.recv(tags::TEST, 1).map(drop));
        if let Err(error) = result {
            return error;
        }
        thread::sleep(Duration::from_millis(5));
    };
    let (first, second) = thread::scope(|scope| {
        let handle = scope.spawn(|| exchange(&mut left));
        (exchange(&mut right), handle.join().unwrap())
    });
    for error in [first, second] {
        assert!(matches!(error, Error::Limit { limit: 100, .. }), "{error:?}");
    }
}

fn a_frame_is_waited_for_whole_and_left_to_the_next_receive<L: Link>() {
    let (mut channel, mut raw) = channel_and_raw::<L>(&short());
    assert!(put(&mut raw, &frame(tags::TEST.byte(), 3, b"abc")));
    channel.await_frame(3).unwrap();
    channel.await_frame(3).unwrap();
    assert_eq!(channel.recv(tags::TEST, 3).unwrap(), b"abc");
    // One that is too long is for the receive to judge.
    assert!(put(&mut raw, &frame(tags::TEST.byte(), 4, b"")));
    channel.await_frame(3).unwrap();
    let error = channel.recv(tags::TEST, 3).unwrap_err();
    assert_eq!(error, Error::TooLong { step: tags::TEST, length: 4, max: 3 });
}

fn a_frame_that_lacks_a_byte_is_waited_for_no_longer_than_any<L: Link>() {
    for bytes in [&b""[..], &frame(tags::TEST.byte(), 3, b"abc")[..4], &frame(tags::TEST.byte(), 3, b"ab")] {
        let (mut channel, mut raw) = channel_and_raw::<L>(&short());
        assert!(put(&mut raw, bytes));
        let error = channel.await_frame(3).unwrap_err();
        assert!(matches!(error, Error::TimedOut { operation: Operation::Read, .. }), "{error:?}");
    }
}

fn renewed_limits_begin_anew<L: Link>() {
    let (mut channel, mut raw) =
        channel_and_raw::<L>(&Limits { total_time: Some(SHORT), ..Limits::default() });
    thread::sleep(SHORT);
    channel.renew(Limits { total_time: Some(Duration::from_secs(60)), ..Limits::default() });
    thread::scope(|scope| {
        // Late, so that the receive has to wait.
        scope.spawn(|| {
            thread::sleep(SHORT);
            assert!(put(&mut raw, &frame(tags::TEST.byte(), 1, b"a")));
        });
        assert_eq!(channel.recv(tags::TEST, 1).unwrap(), b"a");
    });
    channel.renew(short());
    assert!(matches!(channel.recv(tags::TEST, 1), Err(Error::TimedOut { .. })));
}

on_every_transport! {
    a_silent_peer_times_out,
    a_peer_that_trickles_bytes_gains_no_time,
    a_peer_that_does_not_read_times_out,
    a_peer_that_sips_bytes_gains_no_time,
    a_session_ends_when_its_time_is_over,
    a_frame_is_waited_for_whole_and_left_to_the_next_receive,
    a_frame_that_lacks_a_byte_is_waited_for_no_longer_than_any,
    renewed_limits_begin_anew,
}

#[test]
fn failing_ends_although_the_peer_neither_reads_nor_closes() {
    let (mut channel, mut raw) = channel_and_raw::<Tcp>(&short());
    assert!(put(&mut raw, &[0; 1000]));
    channel.fail("nobody listens");
    assert_eq!(channel.flush().unwrap_err(), Error::Ended { reason: "nobody listens".into() });
}

#[test]
fn a_long_message_has_the_time_that_its_length_takes_at_the_slowest_rate() {
    const LENGTH: usize = 3000;
    // 100 ms and 30 s for the bytes: the trickle below takes far longer than the first and far less than
    // both.
    let limits = Limits { min_rate: 100, ..short() };
    let (mut channel, mut raw) = channel_and_raw::<InMemory>(&limits);
    thread::scope(|scope| {
        scope.spawn(move || {
            for part in frame(tags::TEST.byte(), LENGTH as u32, &[0; LENGTH]).chunks(100) {
                assert!(put(&mut raw, part));
                thread::sleep(Duration::from_millis(10));
            }
        });
        assert_eq!(channel.recv(tags::TEST, LENGTH).unwrap().len(), LENGTH);
    });
}

#[test]
fn of_two_ends_in_memory_that_wait_for_each_other_the_less_patient_gives_up_at_once() {
    let minute = Duration::from_secs(60);
    let start = Instant::now();
    let (left, right) = Memory::pair(256);
    let mut left = Framed::new(left, Limits { read: 2 * minute, ..Limits::default() });
    let mut right = Framed::new(right, Limits { read: minute, ..Limits::default() });
    let (first, second) = thread::scope(|scope| {
        let handle = scope.spawn(|| left.recv(tags::TEST, 1).unwrap_err());
        let error = right.recv(tags::TEST, 1).unwrap_err();
        right.fail("nothing came");
        (handle.join().unwrap(), error)
    });
    assert!(matches!(first, Error::Peer { .. }), "{first:?}");
    assert_eq!(second, Error::TimedOut { step: tags::TEST, operation: Operation::Read, after: minute });
    assert!(start.elapsed() < minute, "they waited until the end");
}
