//! What V relays and what it refuses; requests out of order; limits.

mod carrying;

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use rustls::ClientConnection;
use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use volery_channel::tags::{RELAY_ANSWER, RELAY_REQUEST};
use volery_channel::{Channel, Limits, memory_pair};

use super::server::put_all;
use super::*;
use crate::page::disclosure::RelayMark;
use crate::wire::rustls_client;
use crate::wire::server::Roots;
use crate::wire::transcript::testing::hello_retry;

/// A server that answers each byte with two, and its port.
fn echo() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut socket in listener.incoming().flatten() {
            let mut chunk = [0; 1024];
            while let Ok(count @ 1..) = socket.read(&mut chunk) {
                let _ = socket.write_all(&twice(&chunk[..count]));
            }
        }
    });
    port
}

/// What a TLS client for this host says first.
fn hello(host: &str) -> Vec<u8> {
    let config =
        rustls_client::config(ring::default_provider(), &[&rustls::version::TLS12], &Roots::none()).unwrap();
    let name = ServerName::try_from(host.to_owned()).unwrap();
    let mut connection = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut bytes = Vec::new();
    connection.write_tls(&mut bytes).unwrap();
    bytes
}

/// Each byte twice, as the server answers.
fn twice(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().flat_map(|byte| [*byte; 2]).collect()
}

/// Longer than V's own.
const WAIT: Duration = Duration::from_secs(10);

fn local() -> Rules {
    Rules { private: true, ports: Vec::new(), idle: Duration::from_millis(300), ..Rules::default() }
}

/// What `client` and a server with these rules return.
fn relay<T: Send>(
    rules: &Rules,
    client: impl FnOnce(&mut dyn Channel) -> T + Send,
) -> (T, Result<Relayed, Error>) {
    let (mut p, mut v) = memory_pair(&Limits::default());
    thread::scope(|scope| {
        let client = scope.spawn(move || client(&mut p));
        let served = scope.spawn(move || serve(&mut v, rules));
        (client.join().unwrap(), served.join().unwrap())
    })
}

fn open(rules: &Rules, host: &str, port: u16) -> (Error, Error) {
    let (client, served) = relay(rules, |channel| Stream::open(channel, host, port, 100, WAIT).map(drop));
    (client.unwrap_err(), served.unwrap_err())
}

#[test]
fn both_parties_end_with_the_same_bytes() {
    let port = echo();
    let (client, served) = relay(&local(), |channel| {
        let mut stream = Stream::open(channel, "localhost", port, 1 << 20, WAIT).unwrap();
        let hello = hello("localhost");
        let mut read = vec![0; 2 * hello.len()];
        stream.write_all(&hello).unwrap();
        stream.read_exact(&mut read).unwrap();
        assert_eq!(read, twice(&hello));
        // More than one request holds.
        let long = vec![7; MAX_CHUNK + 5];
        stream.write_all(&long).unwrap();
        read.resize(2 * long.len(), 0);
        stream.read_exact(&mut read).unwrap();
        stream.close().unwrap()
    });
    let served = served.unwrap();
    assert_eq!((served.host.as_str(), served.port), ("localhost", port));
    assert_eq!(client, (served.client, served.server));
    assert_eq!(client.0.len() * 2, client.1.len());
}

/// P says when V writes, and need not ask V to read: V knows nevertheless what the server had said by then.
#[test]
fn v_takes_what_the_server_has_said_before_each_write() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (says, said) = mpsc::channel();
    thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let mut chunk = [0; 1024];
        assert!(socket.read(&mut chunk).unwrap() > 0);
        socket.write_all(b"unasked").unwrap();
        says.send(()).unwrap();
        while let Ok(1..) = socket.read(&mut chunk) {}
    });
    let hello = hello("localhost");
    let length = hello.len();
    let (client, served) = relay(&local(), move |channel| {
        let mut stream = Stream::open(channel, "localhost", port, 100, WAIT).unwrap();
        for bytes in [&hello[..], b"more"] {
            stream.write_all(bytes).unwrap();
            stream.send().unwrap();
            if bytes != b"more" {
                said.recv().unwrap();
            }
        }
        stream.close().unwrap()
    });
    let served = served.unwrap();
    let expected = [RelayMark { client: 0, server: 0 }, RelayMark { client: length, server: 7 }];
    assert_eq!(served.marks, expected);
    assert_eq!(served.server, b"unasked");
    assert_eq!(client, (served.client, served.server), "P is told before the end");
}

#[test]
fn v_does_not_connect_into_its_own_network_nor_to_other_ports_and_hosts() {
    let port = echo();
    let rules = Rules { ports: vec![port], ..Rules::default() };
    for host in ["127.0.0.1", "localhost", "::1", "0.0.0.0"] {
        let refused = Error::Server(Failure::Address);
        assert_eq!(open(&rules, host, port), (refused.clone(), refused), "{host}");
    }
    let refused = Error::Server(Failure::Port);
    assert_eq!(open(&Rules::default(), "127.0.0.1", port), (refused.clone(), refused));
    let only = Rules { hosts: vec!["localhost".into()], ..local() };
    let refused = Error::Server(Failure::Host);
    assert_eq!(open(&only, "127.0.0.1", port), (refused.clone(), refused));
}

#[test]
fn what_is_no_host_or_does_not_answer_is_told() {
    let refused = Error::Server(Failure::Name);
    for host in ["", "a b", "a/b", "h\u{f6}st", &"a".repeat(254)] {
        let (_, served) = open(&local(), host, 1);
        assert!(served == refused || matches!(served, Error::Channel(_)), "{host}: {served}");
    }
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let refused = Error::Server(Failure::Connect);
    assert_eq!(open(&local(), "127.0.0.1", unused), (refused.clone(), refused));
}

#[test]
fn a_server_that_says_nothing_and_one_that_says_too_much_end_the_session() {
    let port = echo();
    let (client, served) = relay(&local(), |channel| {
        let mut stream = Stream::open(channel, "127.0.0.1", port, 100, WAIT).unwrap();
        stream.read(&mut [0]).unwrap_err();
        stream.close().unwrap_err()
    });
    assert_eq!(client, Error::Server(Failure::Time));
    assert_eq!(served.unwrap_err(), Error::Server(Failure::Time));

    for (rules, limit, failure) in [
        (Rules { max_received: 9, ..local() }, 9999, Failure::Received),
        (Rules { max_sent: 4, ..local() }, 9999, Failure::Size),
        (local(), 9, Failure::Taken),
    ] {
        let (client, served) = relay(&rules, |channel| {
            let mut stream = Stream::open(channel, "127.0.0.1", port, limit, WAIT).unwrap();
            stream.write_all(&hello("127.0.0.1")).unwrap();
            let mut read = [0; 10];
            stream.read_exact(&mut read).unwrap_err();
            stream.close().unwrap_err()
        });
        assert_eq!(client, Error::Server(failure));
        served.unwrap_err();
    }
}

#[test]
fn v_waits_no_longer_than_p_asks_for() {
    let port = echo();
    let rules = Rules { idle: Duration::from_secs(60), ..local() };
    let start = Instant::now();
    let (client, served) = relay(&rules, |channel| {
        let wait = Duration::from_millis(900);
        let mut stream = Stream::open(channel, "127.0.0.1", port, 100, wait).unwrap();
        stream.read(&mut [0]).unwrap_err();
        stream.close().unwrap_err()
    });
    assert_eq!((client, served.unwrap_err()), (Error::Server(Failure::Time), Error::Server(Failure::Time)));
    assert!((1..20).contains(&start.elapsed().as_secs()), "rounded up to a second");
}

/// Each byte is taken in time, and all of them together are not.
#[test]
fn a_server_that_takes_what_it_is_told_byte_by_byte_ends_the_session() {
    let (idle, moment) = (Duration::from_millis(50), Duration::from_millis(1));
    let mut taken = 0;
    let slow = put_all(
        &[7; 1 << 14],
        idle,
        || Ok(idle),
        |bytes, _| {
            thread::sleep(moment);
            taken += 1;
            Ok(bytes.len().min(1))
        },
    );
    assert_eq!(slow.unwrap_err(), Error::Server(Failure::Time));
    assert!((1..=50).contains(&taken), "{taken}");
    // What is left of the whole connection's time bounds it, too; and a wait that is over is no reason to go
    // on.
    let mut whole = [Duration::from_secs(9), Duration::ZERO].into_iter();
    let slow = put_all(
        b"ab",
        idle,
        || Ok(whole.next().unwrap()),
        |_, left| {
            assert!(left <= idle);
            Ok(1)
        },
    );
    assert_eq!(slow.unwrap_err(), Error::Server(Failure::Time));
    let late = put_all(b"ab", idle, || Ok(idle), |_, _| Err(ErrorKind::WouldBlock.into()));
    assert_eq!(late.unwrap_err(), Error::Server(Failure::Time));
    let gone = put_all(b"ab", idle, || Ok(idle), |_, _| Ok(0));
    assert_eq!(gone.unwrap_err(), Error::Server(Failure::Broken));
    assert_eq!(put_all(b"ab", idle, || Ok(idle), |bytes, _| Ok(bytes.len().min(1))), Ok(()));
}

/// Its system takes what fits its buffers, and then nothing more.
#[test]
fn a_server_that_takes_nothing_ends_the_session() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let much = 1 << 26;
    let (client, served) = relay(&Rules { max_sent: 2 * much, ..local() }, |channel| {
        let mut stream = Stream::open(channel, "127.0.0.1", port, 100, WAIT).unwrap();
        stream.write_all(&hello("127.0.0.1")).unwrap();
        stream.send().unwrap();
        stream.write_all(&vec![7; much]).unwrap();
        stream.send().unwrap_err()
    });
    assert_eq!((client, served.unwrap_err()), (Error::Server(Failure::Time), Error::Server(Failure::Time)));
}

#[test]
fn nothing_but_a_client_hello_for_the_host_that_was_named_reaches_the_server_first() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let right = hello("localhost");
    let cases = [
        b"EHLO x\r\nDATA\r\n".to_vec(),
        hello("example.com"),
        hello("127.0.0.1"),
        right[..right.len() - 1].to_vec(),
        [&right[..], b"x"].concat(),
        [&right[..], &right].concat(),
        // A whole record of something else behind it.
        [&right[..], &[20, 3, 3, 0, 1, 1]].concat(),
        [&right[..], &[21, 3, 3, 0, 2, 1, 0]].concat(),
    ];
    for bytes in cases {
        let (client, served) = relay(&local(), |channel| {
            let mut stream = Stream::open(channel, "localhost", port, 100, WAIT).unwrap();
            stream.write_all(&bytes).unwrap();
            stream.read(&mut [0]).unwrap_err();
            stream.close().unwrap_err()
        });
        assert_eq!(
            (client, served.unwrap_err()),
            (Error::Server(Failure::Hello), Error::Server(Failure::Hello))
        );
        let mut socket = listener.accept().unwrap().0;
        assert_eq!(socket.read(&mut [0]).unwrap(), 0, "the server was told something");
    }
    // No bytes are no beginning; an address is asked for without a name.
    for (host, empty) in [("localhost", true), ("127.0.0.1", false)] {
        let (_, served) = relay(&local(), |channel| {
            let mut stream = Stream::open(channel, host, port, 100, WAIT).unwrap();
            if empty {
                stream.read(&mut [0]).unwrap_err();
            }
            stream.write_all(&hello(host)).unwrap();
            stream.read(&mut [0]).unwrap_err();
        });
        assert_eq!(served.unwrap_err(), Error::Server(Failure::Time));
        let mut socket = listener.accept().unwrap().0;
        assert_eq!(socket.read(&mut [0]).unwrap_or(0), usize::from(!empty));
    }
}

#[test]
fn a_server_that_asks_for_another_hello_is_left_at_once() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        let mut socket = listener.accept().unwrap().0;
        let mut chunk = [0; 1024];
        assert!(socket.read(&mut chunk).unwrap() > 0);
        socket.write_all(&hello_retry(&[0, 44, 0, 3, 0, 1, 7])).unwrap();
        while let Ok(1..) = socket.read(&mut chunk) {}
    });
    let (client, _) = relay(&local(), |channel| {
        let mut stream = Stream::open(channel, "localhost", port, 1000, WAIT).unwrap();
        stream.write_all(&hello("localhost")).unwrap();
        stream.read(&mut [0]).unwrap_err();
        stream.close().unwrap_err()
    });
    assert_eq!(client, Error::HelloRetry);
}

#[test]
fn requests_out_of_order_are_refused() {
    let (_, served) = relay(&local(), |channel| {
        channel.send(RELAY_REQUEST, &[CLOSE]).unwrap();
        channel.flush().unwrap();
    });
    assert!(matches!(served.unwrap_err(), Error::Malformed { .. }));
    let port = echo();
    for request in [
        &[OPEN, 1, 1, 0, 9, b'a'][..],
        &[OPEN, 1, 1, 0, 0, b'a'],
        &[OPEN, 1, 1],
        &[9],
        &[],
        &[CLOSE, 0],
        // Those are for two parties.
        &[END],
        &[LEAVE],
    ] {
        let (_, served) = relay(&local(), |channel| {
            let stream = Stream::open(&mut *channel, "127.0.0.1", port, 100, WAIT).unwrap();
            drop(stream);
            channel.send(RELAY_REQUEST, request).unwrap();
            channel.flush().unwrap();
        });
        assert!(matches!(served.unwrap_err(), Error::Malformed { .. }), "{request:?}");
    }
}

#[test]
fn answers_that_fit_no_request_are_refused() {
    for answer in [&[DATA, 1][..], &[9], &[], &[FAILED], &[FAILED, 200], &[DONE, 0]] {
        let (mut p, mut v) = memory_pair(&Limits::default());
        v.send(RELAY_ANSWER, answer).unwrap();
        v.flush().unwrap();
        let error = Stream::open(&mut p, "localhost", 1, 100, WAIT).map(drop).unwrap_err();
        assert!(matches!(error, Error::Malformed { .. }), "{answer:?}: {error}");
    }
}

/// The connection is open, and V answers a request for bytes, or for the end, with something else.
#[test]
fn answers_that_fit_no_request_on_an_open_connection_are_refused() {
    let over: fn(Stream<&mut dyn Channel>) -> Result<(), Error> = |stream| stream.close().map(drop);
    let exchange: fn(Stream<&mut dyn Channel>) -> Result<(), Error> = |mut stream| {
        stream.write_all(&hello("localhost")).unwrap();
        let read = stream.read(&mut [0]);
        let error = read.unwrap_err();
        assert_eq!(stream.error(), error.get_ref().and_then(|error| error.downcast_ref()));
        Err(stream.error().unwrap().clone())
    };
    let cases: [(&[u8], _); 6] = [
        (&[DONE], exchange),
        (&[], exchange),
        (&[9], exchange),
        (&[FAILED, 200], exchange),
        (&[DATA], over),
        (&[FAILED, 0], over),
    ];
    for (answer, request) in cases {
        let (mut p, mut v) = memory_pair(&Limits::default());
        v.send(RELAY_ANSWER, &[DONE]).unwrap();
        v.send(RELAY_ANSWER, answer).unwrap();
        v.flush().unwrap();
        let channel: &mut dyn Channel = &mut p;
        let stream = Stream::open(channel, "localhost", 1, 1 << 20, WAIT).unwrap();
        let error = request(stream).unwrap_err();
        assert!(matches!(error, Error::Malformed { .. }), "{answer:?}: {error}");
    }
}
