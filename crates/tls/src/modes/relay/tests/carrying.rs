//! What V carries for two parties, and what it refuses; the session goes on beside it.

use volery_channel::tags::{CARRY_ANSWER, CARRY_REQUEST, FERRET_TREES, TEST};
use volery_channel::{Error as ChannelError, Layered};

use super::super::carrying::{Carrying, carrying_between};
use super::*;

/// V's channel, which carries while V waits for messages of the tests.
fn carrying<C: Channel>(channel: C, rules: Rules) -> Layered<C, Carrying> {
    carrying_between(channel, rules, [TEST, FERRET_TREES])
}

/// V, which waits for messages of the session, and answers each: all that it received, and how it ended.
fn session<T: Send>(
    rules: Rules,
    prover: impl FnOnce(&mut dyn Channel) -> T + Send,
) -> (T, Vec<u8>, ChannelError) {
    let (mut p, v) = memory_pair(&Limits::default());
    thread::scope(|scope| {
        let verifier = scope.spawn(move || {
            let mut v = carrying(v, rules);
            let mut received = Vec::new();
            loop {
                match v.recv(TEST, 1) {
                    Ok(message) => received.extend_from_slice(message),
                    Err(error) => return (received, error),
                }
                v.send(TEST, &[received.len() as u8]).unwrap();
            }
        });
        let result = prover(&mut p);
        drop(p);
        let (received, error) = verifier.join().unwrap();
        (result, received, error)
    })
}

/// A message of the session, and its answer.
fn step(channel: &mut dyn Channel, byte: u8) -> u8 {
    channel.send(TEST, &[byte]).unwrap();
    channel.recv(TEST, 1).unwrap()[0]
}

/// The failure that V reports of a connection.
fn failure<T>(result: Result<T, Error>) -> Failure {
    match result.map(drop) {
        Err(Error::Server(failure)) => failure,
        other => panic!("{other:?}"),
    }
}

#[test]
fn requests_are_answered_wherever_v_waits() {
    let port = echo();
    let ((), received, end) = session(local(), |channel| {
        assert_eq!(step(channel, 1), 1);
        for round in 0..2 {
            let hello = hello("localhost");
            let mut stream = Stream::open(Carry(&mut *channel), "localhost", port, 1 << 20, WAIT).unwrap();
            stream.write_all(&hello).unwrap();
            let mut read = vec![0; 2 * hello.len()];
            stream.read_exact(&mut read).unwrap();
            assert_eq!(read, twice(&hello));
            // Between two requests the session goes on.
            let stream = stream.over(());
            assert_eq!(step(channel, 10 + round), 2 + 2 * round);
            let mut stream = stream.over(Carry(&mut *channel));
            stream.write_all(b"more").unwrap();
            let mut read = [0; 8];
            stream.read_exact(&mut read).unwrap();
            assert_eq!(&read, b"mmoorree");
            // One is closed, and one is left.
            if round == 0 {
                let (sent, received) = stream.close().unwrap();
                assert_eq!((sent.len(), received.len()), (hello.len() + 4, 2 * (hello.len() + 4)));
            } else {
                stream.leave();
            }
            assert_eq!(step(channel, 20 + round), 3 + 2 * round);
        }
    });
    assert_eq!(received, [1, 10, 20, 11, 21]);
    assert!(matches!(end, ChannelError::Closed { .. }), "{end}");
}

/// Frames of another lane come before a request, and are kept.
#[test]
fn requests_are_answered_behind_messages_of_other_lanes() {
    let (mut p, v) = memory_pair(&Limits::default());
    p.send(FERRET_TREES, b"early").unwrap();
    p.send(CARRY_REQUEST, &[OPEN, 1, 1, 0, 9, b'/']).unwrap();
    p.send(TEST, b"x").unwrap();
    p.send(CARRY_REQUEST, &[LEAVE]).unwrap();
    p.flush().unwrap();
    let mut v = carrying(v, local());
    assert_eq!(v.recv(TEST, 1), Ok(&b"x"[..]));
    assert_eq!(v.recv(FERRET_TREES, 5), Ok(&b"early"[..]));
}

#[test]
fn what_the_rules_forbid_is_told_and_the_session_goes_on() {
    let port = echo();
    let refusals = |rules: Rules, host: &'static str, port: u16| {
        let (found, received, _) = session(rules, move |channel| {
            let found = failure(Stream::open(Carry(&mut *channel), host, port, 100, WAIT));
            step(channel, 7);
            found
        });
        assert_eq!(received, [7]);
        found
    };
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let own_network = Rules { ports: vec![port], ..Rules::default() };
    for host in ["127.0.0.1", "localhost", "::1", "0.0.0.0"] {
        assert_eq!(refusals(own_network.clone(), host, port), Failure::Address, "{host}");
    }
    assert_eq!(refusals(Rules::default(), "127.0.0.1", port), Failure::Port);
    assert_eq!(refusals(Rules { ports: vec![443], ..local() }, "127.0.0.1", port), Failure::Port);
    let only = Rules { hosts: vec!["localhost".into()], ..local() };
    assert_eq!(refusals(only.clone(), "127.0.0.1", port), Failure::Host);
    assert_eq!(refusals(only, "LOCALHOST", unused), Failure::Connect);
    assert_eq!(refusals(local(), "a/b", port), Failure::Name);
    assert_eq!(refusals(local(), "127.0.0.1", unused), Failure::Connect);
}

#[test]
fn nothing_but_tls_with_the_host_that_was_named_is_carried() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    for bytes in [b"GET / HTTP/1.1\r\n\r\n".to_vec(), hello("example.com"), hello("127.0.0.1")] {
        let (found, received, _) = session(local(), |channel| {
            let mut stream = Stream::open(Carry(&mut *channel), "localhost", port, 100, WAIT).unwrap();
            stream.write_all(&bytes).unwrap();
            stream.read(&mut [0]).unwrap_err();
            let found = failure(stream.close());
            step(channel, 7);
            found
        });
        assert_eq!((found, received), (Failure::Hello, vec![7]));
        let mut socket = listener.accept().unwrap().0;
        assert_eq!(socket.read(&mut [0]).unwrap(), 0, "the server was told something");
    }
}

/// Those of all connections together.
#[test]
fn no_more_bytes_are_carried_than_the_rules_say() {
    let port = echo();
    let once = hello("localhost").len();
    for (rules, expected) in [
        (Rules { max_sent: 2 * once - 1, ..local() }, Failure::Size),
        (Rules { max_received: 4 * once - 1, ..local() }, Failure::Received),
    ] {
        let (found, _, _) = session(rules, |channel| {
            let mut visit = || {
                let mut stream = Stream::open(Carry(&mut *channel), "localhost", port, 1 << 20, WAIT)?;
                stream.write_all(&hello("localhost")).unwrap();
                let _ = stream.read_exact(&mut vec![0; 2 * once]);
                stream.close()
            };
            visit().unwrap();
            failure(visit())
        });
        assert_eq!(found, expected);
    }
}

/// A server that says nothing takes the time of the connections after it, too.
#[test]
fn no_more_time_is_spent_than_the_rules_say() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let rules = Rules { idle: Duration::from_secs(60), total: Duration::from_millis(300), ..local() };
    let (found, received, _) = session(rules, |channel| {
        let mut stream = Stream::open(Carry(&mut *channel), "localhost", port, 100, WAIT).unwrap();
        stream.write_all(&hello("localhost")).unwrap();
        stream.read(&mut [0]).unwrap_err();
        let first = failure(stream.close());
        let second = failure(Stream::open(Carry(&mut *channel), "localhost", port, 100, WAIT));
        step(channel, 7);
        [first, second]
    });
    assert_eq!((found, received), ([Failure::Time; 2], vec![7]));
}

/// Before the first step and after the last one nobody answers.
#[test]
fn nothing_is_carried_before_the_session_is_set_up_and_after_its_connection() {
    let port = echo();
    let open = |p: &mut dyn Channel| {
        let to = [&[OPEN], &port.to_be_bytes()[..], &[0, 9], b"localhost"].concat();
        p.send(CARRY_REQUEST, &to).unwrap();
    };
    let (mut p, v) = memory_pair(&Limits::default());
    open(&mut p);
    p.send(FERRET_TREES, b"x").unwrap();
    p.flush().unwrap();
    let mut early = carrying_between(v, local(), [TEST, CARRY_ANSWER]);
    early.recv(FERRET_TREES, 1).unwrap();
    assert_eq!(early.layer.opened(), 0);
    // It is answered once V waits for the first step.
    p.send(TEST, b"x").unwrap();
    p.flush().unwrap();
    early.recv(TEST, 1).unwrap();
    assert_eq!(early.layer.opened(), 1);

    let (mut p, v) = memory_pair(&Limits::default());
    let mut late = carrying(v, local());
    for tag in [TEST, FERRET_TREES] {
        p.send(tag, b"x").unwrap();
        p.flush().unwrap();
        late.recv(tag, 1).unwrap();
    }
    open(&mut p);
    p.send(TEST, b"x").unwrap();
    p.flush().unwrap();
    late.recv(TEST, 1).unwrap();
    assert_eq!(late.layer.opened(), 0);
}

#[test]
fn a_session_has_so_many_connections_and_no_more() {
    let port = echo();
    let (opened, _, _) = session(local(), |channel| {
        let mut opened = 0;
        loop {
            match Stream::open(Carry(&mut *channel), "127.0.0.1", port, 100, WAIT) {
                Ok(stream) => drop(stream.close().unwrap()),
                Err(error) => break (opened, failure(Err::<(), _>(error))),
            }
            opened += 1;
        }
    });
    assert_eq!(opened, (8, Failure::Often));
}

#[test]
fn v_keeps_no_record_of_what_it_carries() {
    let port = echo();
    let (mut p, v) = memory_pair(&Limits::default());
    let mut v = carrying(v, local());
    thread::scope(|scope| {
        scope.spawn(|| {
            let hello = hello("localhost");
            let mut stream = Stream::open(Carry(&mut p), "localhost", port, 1 << 20, WAIT).unwrap();
            stream.write_all(&hello).unwrap();
            let mut read = vec![0; 2 * hello.len()];
            stream.read_exact(&mut read).unwrap();
            // The connection stays open.
            drop(stream);
            p.send(TEST, b"x").unwrap();
            p.flush().unwrap();
        });
        assert_eq!(v.recv(TEST, 1), Ok(&b"x"[..]));
        assert_eq!((v.layer.opened(), v.layer.held()), (1, 0));
    });
}

#[test]
fn failures_without_end_end_the_session() {
    let (failures, received, end) = session(local(), |channel| {
        let mut failures = 0;
        while let Err(Error::Server(_)) = Stream::open(Carry(&mut *channel), "/", 1, 100, WAIT).map(drop) {
            failures += 1;
        }
        failures
    });
    assert!(matches!(end, ChannelError::Malformed { .. }), "{end}");
    assert_eq!((failures, received), (16, Vec::new()));
}

#[test]
fn requests_that_are_none_end_the_session() {
    let port = echo();
    let wrong = [
        &[EXCHANGE, 1][..],
        &[WRITE],
        &[CLOSE],
        &[END],
        &[LEAVE],
        &[6],
        &[],
        &[LEAVE, 0],
        &[OPEN, 1, 1, 0, 0, b'a'],
    ];
    for request in wrong {
        let (told, received, end) = session(local(), |channel| {
            channel.send(CARRY_REQUEST, request).unwrap();
            channel.recv(CARRY_ANSWER, 9).map(<[u8]>::to_vec)
        });
        assert!(matches!(end, ChannelError::Malformed { .. }), "{request:?}: {end}");
        assert!(matches!(told, Err(ChannelError::Peer { .. })) && received.is_empty(), "{told:?}");
    }
    // A second one while the first is open.
    let (_, _, end) = session(local(), |channel| {
        let first = Stream::open(Carry(&mut *channel), "127.0.0.1", port, 100, WAIT).unwrap();
        let first = first.over(());
        Stream::open(Carry(&mut *channel), "127.0.0.1", port, 100, WAIT).map(drop).unwrap_err();
        drop(first);
    });
    assert!(matches!(end, ChannelError::Malformed { .. }), "{end}");
}

/// A server that reads to the end, answers, and reports what it has read.
fn reads_to_the_end() -> (u16, mpsc::Receiver<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (tells, told) = mpsc::channel();
    thread::spawn(move || {
        for mut socket in listener.incoming().flatten() {
            let mut read = Vec::new();
            let _ = socket.read_to_end(&mut read);
            let _ = socket.write_all(b"bye");
            let _ = tells.send(read);
        }
    });
    (port, told)
}

#[test]
fn p_can_end_its_direction_where_a_server_waits_for_that() {
    let (port, told) = reads_to_the_end();
    let rules = Rules { idle: Duration::from_secs(5), ..local() };
    let (said, _, _) = session(rules, |channel| {
        let mut stream = Stream::open(Carry(&mut *channel), "localhost", port, 100, WAIT).unwrap();
        stream.write_all(&hello("localhost")).unwrap();
        stream.end().unwrap();
        let mut said = Vec::new();
        stream.read_to_end(&mut said).unwrap();
        said
    });
    assert_eq!((said, told.recv().unwrap().len()), (b"bye".to_vec(), hello("localhost").len()));
}

#[test]
fn a_connection_ends_with_the_session() {
    let (port, told) = reads_to_the_end();
    let (length, _, _) = session(local(), |channel| {
        let mut stream = Stream::open(Carry(&mut *channel), "localhost", port, 100, WAIT).unwrap();
        let hello = hello("localhost");
        stream.write_all(&hello).unwrap();
        stream.send().unwrap();
        hello.len()
    });
    assert_eq!(told.recv_timeout(Duration::from_secs(20)).unwrap().len(), length);
}

#[test]
fn a_server_that_breaks_off_is_told_and_the_session_goes_on() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        let mut socket = listener.accept().unwrap().0;
        let mut chunk = [0; 1024];
        assert!(socket.read(&mut chunk).unwrap() > 0);
        socket.write_all(b"half of").unwrap();
    });
    let (said, received, _) = session(local(), |channel| {
        let mut stream = Stream::open(Carry(&mut *channel), "localhost", port, 100, WAIT).unwrap();
        stream.write_all(&hello("localhost")).unwrap();
        let mut said = Vec::new();
        stream.read_to_end(&mut said).unwrap();
        stream.leave();
        step(channel, 7);
        said
    });
    assert_eq!((said, received), (b"half of".to_vec(), vec![7]));
}

/// Answers have a lane of their own: what V said before comes between, and waits.
#[test]
fn an_answer_passes_what_v_has_said_before() {
    let port = echo();
    let (mut p, mut v) = memory_pair(&Limits::default());
    thread::scope(|scope| {
        scope.spawn(move || {
            v.send(TEST, b"begin").unwrap();
            let mut v = carrying(v, local());
            assert_eq!(v.recv(TEST, 5), Ok(&b"begun"[..]));
        });
        let stream = Stream::open(Carry(&mut p), "127.0.0.1", port, 100, WAIT).unwrap();
        stream.close().unwrap();
        assert_eq!(p.recv(TEST, 5), Ok(&b"begin"[..]));
        p.send(TEST, b"begun").and_then(|()| p.flush()).unwrap();
    });
}

/// A channel that cannot look ahead carries nothing.
#[test]
fn without_looking_ahead_nothing_is_carried() {
    let Layered { channel: mut none, .. } = carrying(volery_channel::Rehearsal::new(), local());
    assert!(matches!(none.precedes(CARRY_REQUEST, TEST), Err(ChannelError::Misuse(_))));
}
