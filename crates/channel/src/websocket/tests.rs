//! Clients that keep to RFC 6455 and clients that do not, against both ends in memory.

use std::time::Duration;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

use super::frame::{self, Control, Decoder, Flaw};
use super::*;
use crate::transport::{Ahead, Memory};
use crate::{Channel as _, Framed};

const MASK: Option<[u8; 4]> = Some([0x12, 0, 0xff, 0x77]);
const KEY: [u8; 16] = [5; 16];

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

/// Both ends, agreed.
fn pair(capacity: usize) -> (WebSocket<Memory>, WebSocket<Memory>) {
    let (client, server) = Memory::pair(capacity);
    std::thread::scope(|scope| {
        let server = scope.spawn(|| WebSocket::accept(server, Vec::new(), &Origins::Any, &Limits::default()));
        let mut rng = ChaCha20Rng::from_seed([3; 32]);
        let client = WebSocket::connect(client, "localhost:1", "/x?y", &Limits::default(), &mut rng);
        (client.expect("connected"), server.join().expect("no panic").expect("accepted"))
    })
}

/// A server, and a client that speaks for itself: its handshake is over.
fn server_and_raw() -> (WebSocket<Memory>, Memory) {
    let (mut raw, server) = Memory::pair(1 << 20);
    write_all(&mut raw, &head::ask("localhost", "/", &KEY), soon()).expect("room");
    let server = WebSocket::accept(server, Vec::new(), &Origins::Any, &Limits::default()).expect("accepted");
    let (answer, rest) = read_head(&mut raw, Vec::new(), soon()).expect("an answer");
    assert!(rest.is_empty());
    head::answer(&answer, &KEY).expect("accepted");
    (server, raw)
}

/// All bytes that are there.
fn drain(raw: &mut impl Transport) -> Vec<u8> {
    let (mut all, mut chunk) = (Vec::new(), [0; 4096]);
    while let Ok(Some(count @ 1..)) = raw.try_read(&mut chunk) {
        all.extend_from_slice(&chunk[..count]);
    }
    all
}

fn framed(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    frame::put(first, payload, MASK, &mut out);
    out
}

#[test]
fn the_decoder_gives_the_same_however_the_bytes_are_cut() {
    let payload: Vec<u8> = (0..70_000_u32).map(|i| ((i * 7) >> 3) as u8).collect();
    let parts = [&payload[..0], &payload[..5], &payload[5..131], &payload[131..400], &payload[400..]];
    let mut bytes = framed(0x02, parts[0]);
    bytes.extend(framed(0x00, parts[1]));
    bytes.extend(framed(0x89, b"ping"));
    bytes.extend(framed(0x00, parts[2]));
    bytes.extend(framed(0x80, parts[3]));
    bytes.extend(framed(0x8a, b""));
    bytes.extend(framed(0x82, parts[4]));
    bytes.extend(framed(0x88, b""));
    for (cut, room) in [(1, 70_000), (3, 2), (7, 1000), (usize::MAX, 64), (usize::MAX, 100_000)] {
        let (mut decoder, mut out, mut controls) = (Decoder::new(true), Vec::new(), Vec::new());
        for mut chunk in bytes.chunks(cut.min(bytes.len())) {
            while !chunk.is_empty() {
                let mut buffer = vec![0; room];
                let step = decoder.decode(chunk, &mut buffer).expect("frames");
                chunk = &chunk[step.read..];
                out.extend_from_slice(&buffer[..step.written]);
                controls.extend(step.control);
            }
        }
        assert!(out == payload, "{cut} {room}");
        assert_eq!(controls, [Control::Ping(b"ping".to_vec()), Control::Pong, Control::Close]);
    }
}

#[test]
fn what_is_no_frame_of_a_client_is_refused() {
    let long = |length: &[u8]| [&[0x82, 0x80 | if length.len() == 2 { 126 } else { 127 }], length].concat();
    for (bytes, what) in [
        (vec![0xc2, 0x80], "reserved bit"),
        (vec![0x82, 0x05], "no mask"),
        (vec![0x80, 0x80], "has not begun"),
        (vec![0x81, 0x80], "text message"),
        (vec![0x83, 0x80], "opcode"),
        (vec![0x8b, 0x80], "opcode"),
        (vec![0x09, 0x80], "continuation"),
        (vec![0x89, 0xfe], "125 bytes"),
        ([framed(0x02, b"a"), framed(0x82, b"b")].concat(), "within another"),
        ([long(&[0, 125]), vec![0; 4]].concat(), "more bytes than it needs"),
        ([long(&[0, 0, 0, 0, 0, 0, 0xff, 0xff]), vec![0; 4]].concat(), "more bytes than it needs"),
        ([long(&[0x80, 0, 0, 0, 0, 1, 0, 0]), vec![0; 4]].concat(), "highest bit"),
    ] {
        let (mut decoder, mut rest, mut out) = (Decoder::new(true), &bytes[..], [0; 8]);
        let flaw = loop {
            match decoder.decode(rest, &mut out) {
                Ok(step) if step.read > 0 => rest = &rest[step.read..],
                Ok(_) => panic!("{bytes:?} is accepted"),
                Err(Flaw(flaw)) => break flaw,
            }
        };
        assert!(flaw.contains(what), "{bytes:?}: {flaw}");
        // The peer is told with a status, and the stream ends in an error.
        let (mut server, mut raw) = server_and_raw();
        write_all(&mut raw, &bytes, soon()).expect("room");
        let mut out = [0; 8];
        let error = loop {
            match server.try_read(&mut out) {
                Ok(Some(count)) => assert!(count > 0),
                Ok(None) => panic!("{bytes:?} is accepted"),
                Err(error) => break error,
            }
        };
        assert!(error.to_string().contains(what), "{error}");
        assert_eq!(drain(&mut raw), [0x88, 2, 3, 234]);
    }
    let mut decoder = Decoder::new(false);
    assert_eq!(decoder.decode(&framed(0x82, b""), &mut [0]), Err(Flaw("a server's frame has a mask")));
}

#[test]
fn pings_are_answered_and_a_close_ends_the_stream_after_what_came_before() {
    let (mut server, mut raw) = server_and_raw();
    let mut bytes = framed(0x89, b"one");
    bytes.extend(framed(0x89, b"two"));
    bytes.extend(framed(0x82, b"data"));
    bytes.extend(framed(0x88, &[3, 232]));
    bytes.extend(framed(0x82, b"after"));
    write_all(&mut raw, &bytes, soon()).expect("room");
    let mut out = [0; 100];
    assert_eq!(server.try_read(&mut out).expect("data"), Some(4));
    assert_eq!(&out[..4], b"data");
    // Only the last of the pings that waited together.
    assert_eq!(drain(&mut raw), [0x8a, 3, b't', b'w', b'o']);
    assert_eq!(server.try_read(&mut out).expect("the end"), Some(0));
    assert_eq!(server.try_read(&mut out).expect("still the end"), Some(0));
    assert_eq!(drain(&mut raw), [0x88, 2, 3, 232]);
    assert_eq!(server.try_write(b"x").unwrap_err().kind(), io::ErrorKind::BrokenPipe);
}

#[test]
fn a_flood_of_empty_frames_and_pings_takes_no_memory_and_ends_in_the_reader_s_deadline() {
    let (mut server, mut raw) = server_and_raw();
    let flood = [framed(0x89, &[7; 125]), framed(0x82, b"")].concat().repeat(2000);
    write_all(&mut raw, &flood, soon()).expect("room");
    let mut out = [0; 8];
    while server.try_read(&mut out).expect("frames").is_some() {}
    assert!(server.output.capacity() < 1 << 10 && server.input.capacity() <= INPUT);
    // Nobody reads the answers: one waits, and no more.
    let (mut server, mut raw) = server_and_raw();
    server.output = vec![0x82; 8];
    while matches!(server.inner.try_write(&[0; 4096]), Ok(Some(_))) {}
    write_all(&mut raw, &flood, soon()).expect("room");
    while server.try_read(&mut out).expect("frames").is_some() {}
    assert!(server.output.len() == 8 && server.ping.is_some());
}

#[test]
fn channels_over_it_exchange_more_than_the_network_holds_and_end() {
    let (client, server) = pair(1000);
    assert_eq!(
        server.request(),
        &Request { target: "/x?y".to_owned(), host: Some("localhost:1".to_owned()), origin: None }
    );
    assert!(client.binding().is_none() && server.binding().is_none());
    let [mut client, mut server] =
        [Framed::new(client, Limits::default()), Framed::new(server, Limits::default())];
    let payload: Vec<u8> = (0..300_000_u32).map(|i| (i >> 4) as u8).collect();
    let party = |channel: &mut Framed<WebSocket<Memory>>| {
        for _ in 0..3 {
            channel.send(tags::TEST, &payload).expect("sent");
            channel.send(tags::TEST, b"short").expect("sent");
        }
        let mut got = Vec::new();
        for _ in 0..3 {
            channel.recv_into(tags::TEST, 1 << 20, &mut got).expect("received");
            assert!(got == payload);
            assert_eq!(channel.recv(tags::TEST, 5), Ok(&b"short"[..]));
        }
        channel.finish().expect("flushed");
        assert!(matches!(channel.recv(tags::TEST, 5), Err(Error::Closed { mid_frame: false, .. })));
    };
    std::thread::scope(|scope| {
        scope.spawn(|| party(&mut client));
        party(&mut server);
    });
}

#[test]
fn pages_of_other_origins_are_refused_and_told() {
    let allowed = Origins::These(vec!["https://good.example".to_owned()]);
    for (origin, good) in [
        ("Origin: https://good.example\r\n", true),
        ("Origin: HTTPS://GOOD.example\r\n", true),
        ("", true),
        ("Origin: https://evil.example\r\n", false),
        ("Origin: null\r\n", false),
    ] {
        let (mut raw, server) = Memory::pair(1 << 16);
        let mut ask = head::ask("localhost", "/", &KEY);
        ask.truncate(ask.len() - 2);
        ask.extend_from_slice(origin.as_bytes());
        ask.extend_from_slice(b"\r\n");
        // A part has been read before, to see what comes.
        let first = ask[..7].to_vec();
        assert!(is_request(&first) && is_request(b"G") && !is_request(b"") && !is_request(b"VOLERY"));
        write_all(&mut raw, &ask[7..], soon()).expect("room");
        let accepted = WebSocket::accept(server, first, &allowed, &Limits::default());
        let answer = String::from_utf8(drain(&mut raw)).expect("text");
        assert_eq!(accepted.is_ok(), good, "{origin}");
        assert!(answer.starts_with(if good { "HTTP/1.1 101 " } else { "HTTP/1.1 403 " }), "{answer}");
    }
}

#[test]
fn a_handshake_that_does_not_end_is_ended() {
    let (mut raw, server) = Memory::pair(1 << 16);
    write_all(&mut raw, b"GET / HTTP/1.1\r\n", soon()).expect("room");
    let limits = Limits { connect: Duration::from_millis(5), ..Limits::default() };
    let error = WebSocket::accept(server, Vec::new(), &Origins::Any, &limits).unwrap_err();
    assert!(matches!(error, Error::TimedOut { operation: Operation::WebSocketHandshake, .. }), "{error}");
    let (mut raw, server) = Memory::pair(1 << 16);
    write_all(&mut raw, &[b'x'; MAX_HEAD], soon()).expect("room");
    let error = WebSocket::accept(server, Vec::new(), &Origins::Any, &Limits::default()).unwrap_err();
    assert!(error.to_string().contains("too long"), "{error}");
    let (raw, server) = Memory::pair(1 << 16);
    drop(raw);
    assert!(WebSocket::accept(server, Vec::new(), &Origins::Any, &Limits::default()).is_err());
}

#[test]
fn the_first_bytes_tell_what_comes_and_are_not_lost() {
    let limits = Limits { connect: Duration::from_millis(20), ..Limits::default() };
    for (bytes, request, read) in [
        (&b"GET /x HTTP/1.1"[..], true, 4),
        (b"GETX", false, 4),
        (b"\x01\x20\0\0\0hello", false, 4),
        (b"\x01", false, 1),
        (b"G", true, 1),
        (b"", false, 0),
    ] {
        let (mut raw, mut server) = Memory::pair(1 << 10);
        write_all(&mut raw, bytes, soon()).expect("room");
        drop(raw);
        let first = first_bytes(&mut server, &limits).expect("bytes, or the end");
        assert_eq!((is_request(&first), first.len()), (request, read), "{bytes:?}");
        assert_eq!(drain(&mut Ahead::new(first, server)), bytes);
    }
    // A stray that says nothing, and one that stops in the middle of a word.
    for bytes in [&b""[..], b"GE"] {
        let (mut raw, mut server) = Memory::pair(1 << 10);
        write_all(&mut raw, bytes, soon()).expect("room");
        let error = first_bytes(&mut server, &limits).unwrap_err();
        assert!(matches!(error, Error::TimedOut { step: tags::HELLO, .. }), "{error}");
    }
}
