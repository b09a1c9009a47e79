//! The start of a session: agreement, and one clear error for each way to disagree.

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use volery_channel::handshake::{Begin, Hello, Mismatch, Parameters, Role, Session, WIRE_VERSION};
use volery_channel::transport::Transport;
use volery_channel::{Channel, Error, Limits, tags};

use crate::links::{InMemory, channel_and_raw, channels, frame, put};

fn hello(role: Role, parameters: Parameters, seed: u8) -> Hello {
    Hello::new(role, parameters, &mut ChaCha20Rng::from_seed([seed; 32]))
}

fn parameters(pairs: &[(&str, &str)]) -> Parameters {
    pairs.iter().fold(Parameters::new(), |all, (name, value)| all.with(name, value).unwrap())
}

/// Both parties send, then receive. One thread is enough: nothing here is larger than the pipe.
fn meet(left: &Hello, right: &Hello) -> (Result<Session, Error>, Result<Session, Error>) {
    let (mut one, mut two) = channels::<InMemory>(&Limits::default());
    left.send(&mut one).unwrap();
    right.send(&mut two).unwrap();
    one.flush().unwrap();
    two.flush().unwrap();
    (left.receive(&mut one), right.receive(&mut two))
}

/// What a verifier makes of a peer that sends these bytes.
fn greet(bytes: &[u8]) -> Error {
    let (mut channel, mut raw) = channel_and_raw::<InMemory>(&Limits::default());
    assert!(put(&mut raw, bytes));
    hello(Role::Verifier, Parameters::new(), 2).receive(&mut channel).unwrap_err()
}

/// A sound hello of a prover, as bytes of the payload.
fn sound() -> Vec<u8> {
    let mut bytes = b"VOLERY\r\n\x02\x00\x00".to_vec();
    bytes.extend([9; 32]);
    bytes.extend(b"\x01\x03rho\x03100");
    bytes
}

fn greet_with(payload: &[u8]) -> Error {
    greet(&frame(tags::HELLO.byte(), payload.len() as u32, payload))
}

#[test]
fn honest_parties_get_one_session_with_a_fresh_identifier() {
    let agreed = || parameters(&[("rho", "100"), ("profile", "lan")]);
    let mut ids = Vec::new();
    for seed in [1, 3] {
        let (left, right) =
            meet(&hello(Role::Prover, agreed(), seed), &hello(Role::Verifier, agreed(), seed + 1));
        let (left, right) = (left.unwrap(), right.unwrap());
        assert_eq!(left.id(), right.id());
        assert_eq!((left.role(), right.role()), (Role::Prover, Role::Verifier));
        ids.push(*left.id());
    }
    assert_ne!(ids[0], ids[1]);
}

#[test]
fn the_identifier_depends_on_the_parameters() {
    let id = |rho: &str| {
        let agreed = || parameters(&[("rho", rho)]);
        *meet(&hello(Role::Prover, agreed(), 1), &hello(Role::Verifier, agreed(), 2)).0.unwrap().id()
    };
    assert_ne!(id("100"), id("128"));
}

/// Each party has to put something fresh into the name, or the other could make it repeat.
#[test]
fn the_identifier_depends_on_either_party_s_hello_alone() {
    let id = |seeds: [u8; 2]| {
        let none = Parameters::new;
        let (left, right) =
            meet(&hello(Role::Prover, none(), seeds[0]), &hello(Role::Verifier, none(), seeds[1]));
        let (left, right) = (left.unwrap(), right.unwrap());
        assert_eq!(left.id(), right.id());
        *left.id()
    };
    let ids = [[1, 2], [3, 2], [1, 3]].map(id);
    assert!(ids[0] != ids[1] && ids[0] != ids[2] && ids[1] != ids[2]);
}

#[test]
fn hello_begin_and_first_messages_take_one_round_trip() {
    let (mut one, mut two) = channels::<InMemory>(&Limits::default());
    let begin = Begin::new([5; 32], parameters(&[("protocol", "quicksilver")]));
    let hellos = [hello(Role::Prover, Parameters::new(), 1), hello(Role::Verifier, Parameters::new(), 2)];
    for (channel, hello) in [&mut one, &mut two].into_iter().zip(&hellos) {
        hello.send(channel).unwrap();
        begin.send(channel).unwrap();
        channel.send(tags::BASE_OT_SENDER, b"points").unwrap();
        channel.flush().unwrap();
    }
    for (channel, hello) in [&mut one, &mut two].into_iter().zip(&hellos) {
        hello.receive(channel).unwrap();
        begin.receive(channel).unwrap();
        assert_eq!(channel.recv(tags::BASE_OT_SENDER, 6).unwrap(), b"points");
        assert_eq!(channel.stats().round_trips, 1);
    }
}

#[test]
fn other_programs_are_recognised_by_their_first_bytes() {
    let error = greet(b"HTTP/1.1 400 Bad Request\r\n");
    assert_eq!(error, Mismatch::NotVolery { first: b"HTTP/".to_vec() }.into());
    assert!(error.to_string().contains("\"HTTP/\""), "{error}");
    let error = greet(b"\x16\x03\x01\x02\x00\x01");
    assert!(error.to_string().contains("it speaks TLS"), "{error}");
    let error = greet(b"\x01\xff\xff\xff\xff\xff");
    assert_eq!(error, Mismatch::NotVolery { first: b"\x01\xff\xff\xff\xff".to_vec() }.into());
    let error = greet_with(b"VOLERY\n\n and more");
    assert_eq!(error, Mismatch::NotVolery { first: b"\x01\x11\0\0\0VOLERY\n\n".to_vec() }.into());
}

#[test]
fn another_wire_version_is_named_before_anything_else_is_read() {
    for rest in [&[][..], &[0xff; 300]] {
        let error = greet_with(&[b"VOLERY\r\n\x07\x01", rest].concat());
        assert_eq!(error, Mismatch::Version { ours: WIRE_VERSION, theirs: 0x107 }.into());
    }
}

#[test]
fn two_parties_of_one_role_refuse_each_other() {
    for role in [Role::Prover, Role::Verifier] {
        let (left, right) = meet(&hello(role, Parameters::new(), 1), &hello(role, Parameters::new(), 2));
        assert_eq!(left.unwrap_err(), Mismatch::SameRole(role).into());
        assert!(right.is_err());
    }
}

#[test]
fn a_reflected_hello_is_refused_in_either_role() {
    for role in [Role::Prover, Role::Verifier] {
        let (left, _) = meet(&hello(Role::Prover, Parameters::new(), 1), &hello(role, Parameters::new(), 1));
        assert_eq!(left.unwrap_err(), Mismatch::Reflected.into());
    }
}

#[test]
fn the_first_parameter_that_differs_is_named_with_both_values() {
    let ours = [("a", "1"), ("b", "2"), ("d", "4")];
    for (theirs, name, our_value, their_value) in [
        (&[("a", "1"), ("b", "3"), ("d", "5")][..], "b", Some("2"), Some("3")),
        (&[("a", "1"), ("d", "4")], "b", Some("2"), None),
        (&[("a", "1"), ("b", "2"), ("c", "0"), ("d", "4")], "c", None, Some("0")),
    ] {
        let (left, right) =
            meet(&hello(Role::Prover, parameters(&ours), 1), &hello(Role::Verifier, parameters(theirs), 2));
        let expected = Mismatch::Parameter {
            name: name.into(),
            ours: our_value.map(Into::into),
            theirs: their_value.map(Into::into),
        };
        assert_eq!(left.unwrap_err(), expected.into());
        // The first party's complaint may come before or behind its hello; here behind, so the second sees
        // for itself.
        let swapped = Mismatch::Parameter {
            name: name.into(),
            ours: their_value.map(Into::into),
            theirs: our_value.map(Into::into),
        };
        assert_eq!(right.unwrap_err(), swapped.into());
    }
}

/// The error of a party that names this statement with these parameters to one that names the other.
fn begin_with(ours: (u8, &[(&str, &str)]), theirs: (u8, &[(&str, &str)])) -> Error {
    let begin = |(digest, named): (u8, &[(&str, &str)])| Begin::new([digest; 32], parameters(named));
    let (mut one, mut two) = channels::<InMemory>(&Limits::default());
    begin(theirs).send(&mut two).unwrap();
    two.flush().unwrap();
    begin(ours).receive(&mut one).unwrap_err()
}

#[test]
fn of_several_parameters_the_most_telling_one_is_named() {
    let bits = [("bits-interval", "none"), ("commitments", "4"), ("field", "F2"), ("protocol", "x")];
    let field = [("commitments", "9"), ("field", "F61"), ("mac-field", "F61^2"), ("protocol", "x")];
    let other = [("a", "1"), ("commitments", "4"), ("field", "F2"), ("protocol", "y")];
    for (ours, theirs, named) in
        [(&bits, &field, "field"), (&bits, &other, "protocol"), (&field, &other, "protocol")]
    {
        for digests in [[1, 1], [1, 2]] {
            let error = begin_with((digests[0], ours), (digests[1], theirs));
            assert!(
                matches!(error, Error::Incompatible(Mismatch::Parameter { ref name, .. }) if name == named),
                "{error:?}"
            );
        }
    }
}

#[test]
fn statements_whose_sizes_differ_are_called_different() {
    let (small, large) = ([("commitments", "3")], [("bits-interval", "none"), ("commitments", "4")]);
    let error = begin_with((1, &small), (2, &large));
    assert_eq!(error, Mismatch::Statement { ours: [1; 32], theirs: [2; 32] }.into());
    // If the digests agree, it is something else, and the sizes are all that there is to name.
    let text = begin_with((1, &small), (1, &large)).to_string();
    assert!(text.contains("`bits-interval`: this party has no such parameter, the peer `none`"), "{text}");
}

#[test]
fn a_party_that_refuses_tells_the_peer_why() {
    let (mut one, mut two) = channels::<InMemory>(&Limits::default());
    hello(Role::Prover, Parameters::new(), 1).send(&mut one).unwrap();
    one.flush().unwrap();
    hello(Role::Prover, Parameters::new(), 2).receive(&mut two).unwrap_err();
    let error = one.recv(tags::HELLO, 1 << 16).unwrap_err();
    assert!(
        matches!(&error, Error::Peer { reason, .. } if reason.contains("both parties are the prover")),
        "{error:?}"
    );
}

#[test]
fn a_malformed_hello_is_refused_with_the_reason() {
    let whole = sound();
    for cut in 10..whole.len() {
        assert!(
            matches!(greet_with(&whole[..cut]), Error::Malformed { step: tags::HELLO, .. }),
            "{cut} bytes"
        );
    }
    let change = |at: usize, byte: u8| {
        let mut bytes = whole.clone();
        bytes[at] = byte;
        bytes
    };
    let with_parameters = |bytes: &[u8]| [&whole[..43], bytes].concat();
    for (bytes, reason) in [
        (change(10, 2), "2 is no role"),
        (change(43, 65), "65 parameters"),
        (change(45, b'R'), "not allowed as a parameter's name"),
        (change(50, b'\n'), "not allowed as a parameter's value"),
        ([&whole[..], b"x"].concat(), "1 bytes too many"),
        (with_parameters(b"\x02\x01b\x01x\x01a\x01x"), "`a` is out of order"),
        (with_parameters(b"\x02\x01a\x01x\x01a\x01x"), "`a` is out of order"),
        (with_parameters(b"\x01\x00\x01x"), "not allowed as a parameter's name"),
    ] {
        match greet_with(&bytes) {
            Error::Malformed { step: tags::HELLO, reason: got } => assert!(got.contains(reason), "{got}"),
            other => panic!("{reason}: {other:?}"),
        }
    }
}

#[test]
fn the_bytes_of_a_hello_are_pinned() {
    // The same bytes as in the module's table, with a parameter that the verifier lacks: everything before
    // was taken.
    let expected = Mismatch::Parameter { name: "rho".into(), ours: None, theirs: Some("100".into()) };
    assert_eq!(greet_with(&sound()), expected.into());
}

#[test]
fn parameters_beyond_the_format_are_misuse() {
    let long = "x".repeat(256);
    for (name, value) in
        [("", "v"), ("Upper", "v"), ("a b", "v"), (&long, "v"), ("a", "\u{e9}"), ("a", "\n"), ("a", &long)]
    {
        assert!(matches!(Parameters::new().with(name, value), Err(Error::Misuse(_))), "{name} {value}");
    }
    assert!(matches!(parameters(&[("a", "1")]).with("a", 2), Err(Error::Misuse(_))));
    let full = (0..64).fold(Parameters::new(), |all, i| all.with(&format!("p{i}"), i).unwrap());
    assert!(matches!(full.with("one-more", ""), Err(Error::Misuse(_))));
}

#[test]
fn another_statement_is_refused_with_both_digests() {
    let (mut one, mut two) = channels::<InMemory>(&Limits::default());
    let (ours, theirs) =
        (Begin::new([0xab; 32], Parameters::new()), Begin::new([0xcd; 32], Parameters::new()));
    ours.send(&mut one).unwrap();
    theirs.send(&mut two).unwrap();
    two.flush().unwrap();
    let error = ours.receive(&mut one).unwrap_err();
    assert_eq!(error, Mismatch::Statement { ours: [0xab; 32], theirs: [0xcd; 32] }.into());
    let text = error.to_string();
    for part in ["abababababababab...", "cdcdcdcdcdcdcdcd...", "statement, public inputs and version"] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn another_mode_is_refused_before_digests_are_compared() {
    let (mut one, mut two) = channels::<InMemory>(&Limits::default());
    Begin::new([1; 32], parameters(&[("mode", "interactive")])).send(&mut one).unwrap();
    one.flush().unwrap();
    let ours = Begin::new([2; 32], parameters(&[("mode", "fiat-shamir")]));
    let error = ours.receive(&mut two).unwrap_err();
    assert!(
        matches!(error, Error::Incompatible(Mismatch::Parameter { ref name, .. }) if name == "mode"),
        "{error:?}"
    );
}

#[test]
fn a_hello_that_was_awaited_is_still_received() {
    let (mut channel, mut raw) = channel_and_raw::<InMemory>(&Limits::default());
    let sound = sound();
    assert!(put(&mut raw, &frame(tags::HELLO.byte(), sound.len() as u32, &sound)));
    channel.await_hello().unwrap();
    assert_eq!(channel.stats().bytes_sent, 0);
    hello(Role::Verifier, parameters(&[("rho", "100")]), 2).receive(&mut channel).unwrap();
}

#[test]
fn a_broken_hello_is_not_waited_for() {
    let short = frame(tags::HELLO.byte(), 8, b"VOLERY\r\n");
    let mut other_version = sound();
    other_version[8] ^= 0x80;
    let other_version = frame(tags::HELLO.byte(), other_version.len() as u32, &other_version);
    let mut longer = sound();
    longer.push(0);
    let longer = frame(tags::HELLO.byte(), longer.len() as u32, &longer);
    for bytes in [&short, &other_version, &longer] {
        let (mut channel, mut peer) = channel_and_raw::<InMemory>(&Limits::default());
        assert!(put(&mut peer, bytes));
        let error = channel.await_hello().unwrap_err();
        let expected = if bytes == &other_version {
            matches!(error, Error::Incompatible(Mismatch::Version { .. }))
        } else {
            matches!(error, Error::Malformed { step: tags::HELLO, .. })
        };
        assert!(expected, "{error:?}");
    }
}

#[test]
fn whoever_says_no_hello_is_not_waited_for_and_can_be_told() {
    // A request, a frame of another step, a hello of something else.
    let other = frame(tags::TEST.byte(), 3, b"abc");
    let foreign = frame(tags::HELLO.byte(), 12, b"GOODBYE\r\n...");
    for bytes in [&b"GET / HTTP/1.1\r\n\r\n"[..], &other, &foreign] {
        let (mut channel, mut peer) = channel_and_raw::<InMemory>(&Limits::default());
        assert!(put(&mut peer, bytes));
        let error = channel.await_hello().unwrap_err();
        assert!(matches!(error, Error::Incompatible(Mismatch::NotVolery { .. })), "{error:?}");
        assert_eq!(channel.recv(tags::HELLO, 100).unwrap_err(), error, "it goes on after an error");
        channel.fail("say hello first");
        let mut answer = [0; 100];
        let count = peer.try_read(&mut answer).unwrap().unwrap();
        assert!(answer[..count].ends_with(b"say hello first"));
    }
}
