//! Made-up connections: each refusal, for each part of a handshake.

use sha2::{Digest as _, Sha256};

use super::*;
use crate::wire::transcript::MAX_MESSAGE;
use crate::wire::transcript::tls13::forge::{
    Content, client_finished, message, record, seal, secrets as forged_secrets, with_server_finished,
};

/// Both directions, of which every part can be changed before they are put together.
#[derive(Clone)]
pub(super) struct Forged {
    /// Both messages in the clear.
    pub(super) hellos: [Vec<u8>; 2],
    /// The server's messages before Finished: EncryptedExtensions, Certificate, CertificateVerify.
    pub(super) flight: Vec<Vec<u8>>,
}

/// Takes messages apart.
fn split(mut messages: &[u8]) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    while let [_, a, b, c, ..] = messages {
        let (first, rest) = messages.split_at(4 + u32::from_be_bytes([0, *a, *b, *c]) as usize);
        all.push(first.to_vec());
        messages = rest;
    }
    all
}

impl Forged {
    /// What a real connection says.
    pub(super) fn new() -> Self {
        static REAL: std::sync::LazyLock<Forged> = std::sync::LazyLock::new(|| {
            let authority = Authority::new();
            let issued = authority.issue(KeyAlgorithm::P256, HOST);
            let recorded = connect(client_13(&authority, SECP256R1), server(&issued), ROUNDS);
            let transcript = Transcript::parse(&recorded.client, &recorded.server).unwrap();
            let hellos = <[_; 2]>::try_from(split(&transcript.hello.messages)).unwrap();
            let secrets = secrets(recorded.traffic.as_ref().unwrap()).0;
            let flight =
                Flight::open(Side::Server, transcript.hello.suite, &secrets.server, &transcript.server);
            let flight = flight.unwrap();
            let mut flight = split(&flight.messages);
            flight.truncate(3);
            Forged { hellos, flight }
        });
        REAL.clone()
    }

    /// All messages of the server's that are protected, its Finished being right.
    pub(super) fn server(&self) -> Vec<u8> {
        with_server_finished(&self.hellos, &self.flight.concat())
    }

    /// The client's Finished.
    pub(super) fn client(&self) -> Vec<u8> {
        client_finished(&self.hellos, &self.server())
    }

    /// Both directions, with what is protected in these records, and a record of data after them.
    pub(super) fn bytes(&self, client: &[Content<'_>], server: &[Content<'_>]) -> [Vec<u8>; 2] {
        let HandshakeSecrets { client: own, server: other } = forged_secrets();
        let data = record(23, &[9; 30]);
        let mut directions = self.hellos.each_ref().map(|hello| record(22, hello));
        for ((bytes, secret), contents) in directions.iter_mut().zip([own, other]).zip([client, server]) {
            for (sequence, content) in (0..).zip(contents) {
                bytes.extend(seal(&secret, sequence, *content));
            }
            bytes.extend(&data);
        }
        directions
    }

    pub(super) fn open_as(&self, client: &[Content<'_>], server: &[Content<'_>]) -> Result<Opened, Error> {
        let [client, server] = self.bytes(client, server);
        Transcript::parse(&client, &server)?.open(&forged_secrets())
    }

    pub(super) fn open(&self) -> Result<Opened, Error> {
        self.open_as(&[(22, &self.client(), 0)], &[(22, &self.server(), 0)])
    }

    /// Changes the list of extensions of a message: the client's hello, the server's, or
    /// EncryptedExtensions.
    fn extensions(&mut self, which: usize, change: impl FnOnce(&mut Vec<(u16, Vec<u8>)>)) {
        let changed = match which {
            0 | 1 => &mut self.hellos[which],
            _ => &mut self.flight[0],
        };
        let session = 4 + 2 + 32;
        let after_session = |message: &[u8]| session + 1 + usize::from(message[session]);
        let at = match which {
            0 => {
                let suites = after_session(changed);
                suites + 2 + usize::from(u16::from_be_bytes([changed[suites], changed[suites + 1]])) + 2
            }
            1 => after_session(changed) + 3,
            _ => 4,
        };
        let (mut rest, mut list) = (&changed[at + 2..], Vec::new());
        while let [a, b, c, d, after @ ..] = rest {
            let (contents, after) = after.split_at(usize::from(u16::from_be_bytes([*c, *d])));
            list.push((u16::from_be_bytes([*a, *b]), contents.to_vec()));
            rest = after;
        }
        change(&mut list);
        let list = list.iter().flat_map(|(number, contents)| {
            [&number.to_be_bytes()[..], &(contents.len() as u16).to_be_bytes(), contents].concat()
        });
        let list: Vec<u8> = list.collect();
        let body = [&changed[4..at], &(list.len() as u16).to_be_bytes(), &list].concat();
        *changed = message(changed[0], &body);
    }

    /// With one more extension.
    fn with(which: usize, number: u16, contents: &[u8]) -> Self {
        let mut forged = Self::new();
        forged.extensions(which, |list| list.push((number, contents.to_vec())));
        forged
    }
}

#[track_caller]
fn assert_malformed(result: Result<Opened, Error>, message: &str, word: &str) {
    assert!(
        matches!(&result, Err(Error::Malformed { what, reason, .. }) if *what == message && reason.contains(word)),
        "{message} {word}: {result:?}"
    );
}

#[test]
fn what_is_put_together_again_is_read_as_before() {
    let forged = Forged::new();
    let opened = forged.open().unwrap();
    assert_eq!((opened.client.len(), opened.server.len()), (1, 1));
    assert_eq!(opened.handshake.alpn.as_deref(), Some(&b"http/1.1"[..]));
}

#[test]
fn how_messages_lie_in_records_does_not_matter_and_padding_neither() {
    let forged = Forged::new();
    let (client, server) = (forged.client(), forged.server());
    let expected = forged.open().unwrap();
    for size in [1, 7, 100, 1 << 14] {
        for padding in [0, 1, 300] {
            if size + padding > 1 << 14 {
                continue;
            }
            let [client, server] = [&client, &server]
                .map(|bytes| bytes.chunks(size).map(|part| (22, part, padding)).collect::<Vec<_>>());
            assert_eq!(forged.open_as(&client, &server).as_ref(), Ok(&expected), "{size} {padding}");
        }
    }
}

#[test]
fn offers_of_the_client_s_that_lead_elsewhere_are_refused() {
    for (number, error) in [
        (41, Error::PreSharedKey),
        (42, Error::EarlyData(Side::Client)),
        (44, Error::HelloRetry),
        (49, Error::PostHandshakeAuth),
        (0xfe0d, Error::EncryptedClientHello),
    ] {
        assert_eq!(Forged::with(0, number, &[]).open().unwrap_err(), error);
    }
    // What nobody takes up does no harm: a compressed certificate, a maximal length, an unknown one.
    for (number, contents) in [(27, &[2, 0, 1][..]), (1, &[1]), (0x1a1a, &[])] {
        assert!(Forged::with(0, number, contents).open().is_ok(), "{number}");
    }
    assert_malformed(Forged::with(0, 51, &[0, 0]).open(), "ClientHello", "comes twice");
}

#[test]
fn sessions_of_pre_shared_keys_are_refused() {
    let authority = Authority::new();
    let mut client = client_13(&authority, SECP256R1);
    client.resumption = rustls::client::Resumption::in_memory_sessions(4);
    let server = server(&authority.issue(KeyAlgorithm::P256, HOST));
    let parse = |recorded: Recorded| Transcript::parse(&recorded.client, &recorded.server);
    assert!(parse(connect(client.clone(), server.clone(), ROUNDS)).is_ok());
    assert_eq!(parse(connect(client, server, ROUNDS)).unwrap_err(), Error::PreSharedKey);
    assert_eq!(Forged::with(1, 41, &[0, 0]).open().unwrap_err(), Error::Resumed);
}

#[test]
fn another_choice_of_the_server_s_is_refused() {
    let retry = {
        let mut forged = Forged::new();
        let random = hex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c");
        assert_eq!(random, Sha256::digest("HelloRetryRequest")[..]);
        forged.hellos[1][6..38].copy_from_slice(&random);
        forged
    };
    assert_eq!(retry.open().unwrap_err(), Error::HelloRetry);
    let suite = |number: u16| {
        let mut forged = Forged::new();
        let at = 39 + usize::from(forged.hellos[1][38]);
        forged.hellos[1][at..at + 2].copy_from_slice(&number.to_be_bytes());
        forged.open().unwrap_err()
    };
    for number in [0x1300, 0x1304, 0x1305, 0xc02b] {
        assert_eq!(suite(number), Error::Suite(number));
    }
    let mut offer = Forged::new();
    let at = 39 + usize::from(offer.hellos[0][38]);
    assert_eq!(offer.hellos[0][at + 2..at + 4], [0x13, 1]);
    offer.hellos[0][at + 3] = 2;
    assert_malformed(offer.open(), "ServerHello", "does not offer");
    let mut compressing = Forged::new();
    let at = 39 + usize::from(compressing.hellos[1][38]);
    compressing.hellos[1][at + 2] = 1;
    assert_malformed(compressing.open(), "ServerHello", "compression");
    let version = |contents: &[u8]| {
        let mut forged = Forged::new();
        forged.extensions(1, |list| {
            list.iter_mut().filter(|(number, _)| *number == 43).for_each(|(_, old)| *old = contents.to_vec());
        });
        forged.open()
    };
    assert_eq!(version(&[3, 3]).unwrap_err(), Error::Older(0x0303));
    assert_eq!(version(&[0x7f, 28]).unwrap_err(), Error::Older(0x7f1c));
    assert_malformed(version(&[3, 4, 0]), "ServerHello", "two bytes");
    assert_malformed(Forged::with(1, 16, &[]).open(), "ServerHello", "no place");
    let mut session = Forged::new();
    session.hellos[1][39] ^= 1;
    assert_malformed(session.open(), "ServerHello", "session id");
}

#[test]
fn keys_of_other_groups_and_bad_points_are_refused() {
    let share = |which: usize, change: fn(&mut Vec<u8>)| {
        let mut forged = Forged::new();
        forged.extensions(which, |list| {
            list.iter_mut().filter(|(number, _)| *number == 51).for_each(|(_, contents)| change(contents));
        });
        forged.open()
    };
    assert_eq!(share(1, |contents| contents[1] = 24).unwrap_err(), Error::Group(24));
    // The one that is offered is of P-256 alone.
    let other = share(1, |contents| *contents = [&[0, 29, 0, 32][..], &[9], &[0; 31]].concat());
    assert_malformed(other, "ServerHello", "no key");
    assert_malformed(share(1, |contents| contents[20] ^= 1), "ServerHello", "not valid");
    assert_malformed(share(0, |contents| contents[20] ^= 1), "ClientHello", "not valid");
    assert_malformed(share(1, |contents| contents.push(0)), "ServerHello", "too many");
    assert_malformed(
        share(0, |contents| *contents = [&[0, 138][..], &contents[2..], &contents[2..]].concat()),
        "ClientHello",
        "two keys",
    );
}

#[test]
fn messages_out_of_place_are_named() {
    let insert = |place: usize, kind: u8, body: &[u8]| {
        let mut forged = Forged::new();
        forged.flight.insert(place, message(kind, body));
        forged.open().unwrap_err()
    };
    assert_eq!(insert(1, 13, &[0, 0, 0]), Error::CertificateRequest);
    assert_eq!(insert(1, 25, &[0, 1]), Error::CompressedCertificate);
    assert_eq!(insert(3, 24, &[0]), Error::KeyUpdate(Side::Server));
    assert_eq!(
        insert(0, 4, &[]),
        Error::unexpected(Side::Server, "EncryptedExtensions", "handshake message 4")
    );
    let mut without = Forged::new();
    without.flight.remove(2);
    assert_eq!(
        without.open().unwrap_err(),
        Error::unexpected(Side::Server, "CertificateVerify", "handshake message 20")
    );
    let forged = Forged::new();
    let client = |kind: u8| {
        let messages = [message(kind, &[0]), forged.client()].concat();
        forged.open_as(&[(22, &messages, 0)], &[(22, &forged.server(), 0)]).unwrap_err()
    };
    assert_eq!(client(11), Error::ClientCertificate);
    assert_eq!(client(24), Error::KeyUpdate(Side::Client));
    assert_eq!(client(5), Error::EarlyData(Side::Client));
}

#[test]
fn the_server_s_extensions_answer_the_client_s_and_change_no_meaning() {
    assert_eq!(Forged::with(2, 42, &[]).open().unwrap_err(), Error::EarlyData(Side::Server));
    // Raw public keys; a maximal length of fragments; one that the client did not offer.
    for number in [20, 19, 1, 43] {
        assert_malformed(
            Forged::with(2, number, &[2]).open(),
            "EncryptedExtensions",
            "nothing can be proved",
        );
    }
    assert_malformed(Forged::with(2, 28, &[0x40, 1]).open(), "EncryptedExtensions", "does not offer");
    assert!(Forged::with(2, 10, &[0, 2, 0, 23]).open().is_ok());
    let mut named = Forged::new();
    named.extensions(2, |list| {
        list.retain(|(number, _)| *number != 0);
        list.push((0, vec![0]));
    });
    assert_malformed(named.open(), "EncryptedExtensions", "not empty");
    let mut bare = Forged::new();
    bare.flight[0] = message(8, &[]);
    assert_malformed(bare.open(), "EncryptedExtensions", "no list");
}

#[test]
fn certificates_and_schemes_that_are_not_accepted_are_refused() {
    let with = |place: usize, kind: u8, body: &[u8]| {
        let mut forged = Forged::new();
        forged.flight[place] = message(kind, body);
        forged.open()
    };
    assert_malformed(with(1, 11, &[1, 0, 0, 0, 0]), "Certificate", "request");
    assert_malformed(with(1, 11, &[0, 0, 0, 0]), "Certificate", "no certificate");
    let entry = [0, 0, 1, 7, 0, 0];
    let many = |count: u8| [&[0, 0, 0, 6 * count][..], &entry.repeat(count.into())].concat();
    assert!(with(1, 11, &many(16)).is_ok());
    assert!(matches!(with(1, 11, &many(17)), Err(Error::Limit { found: 17, limit: 16, .. })));
    // An extension that the client did not offer, and one that has no place there.
    for extension in [18, 10] {
        let entry = [&[0, 0, 0, 10, 0, 0, 1, 7, 0, 4, 0, extension][..], &[0, 0]].concat();
        assert!(matches!(with(1, 11, &entry), Err(Error::Malformed { what: "Certificate", .. })));
    }
    // PKCS #1; P-521; SHA-1; Ed25519; PSS with a key of its own kind.
    for scheme in [0x0401_u16, 0x0501, 0x0601, 0x0603, 0x0203, 0x0807, 0x0809] {
        let body = [&scheme.to_be_bytes()[..], &[0, 1, 7]].concat();
        assert_eq!(with(2, 15, &body).unwrap_err(), Error::Scheme(scheme));
    }
}

#[test]
fn signatures_are_of_the_server_over_this_handshake_with_the_scheme_s_curve() {
    for kind in [KeyAlgorithm::P256, KeyAlgorithm::P384, KeyAlgorithm::Rsa] {
        let authority = Authority::new();
        let recorded =
            connect(client_13(&authority, SECP256R1), server(&authority.issue(kind, HOST)), ROUNDS);
        let opened = assert_says(&recorded, &authority.roots(), b"first querysecond", b"");
        let check = |handshake: &Handshake| verify(handshake, HOST, &authority.roots(), NOW).is_ok();
        assert!(check(&opened.handshake));
        let true_scheme = opened.handshake.scheme;
        for scheme in [
            Scheme::EcdsaSha256,
            Scheme::EcdsaSha384,
            Scheme::PssSha256,
            Scheme::PssSha384,
            Scheme::PssSha512,
        ] {
            let mut handshake = opened.handshake.clone();
            handshake.scheme = scheme;
            assert_eq!(check(&handshake), scheme == true_scheme, "{kind:?} {scheme:?}");
        }
        // The scheme names the curve: no other one is tried.
        let algorithms = crate::wire::server::Authenticated::signature(&opened.handshake).algorithms;
        assert_eq!(algorithms.len(), 1);
        let mut handshake = opened.handshake;
        handshake.signed_hash = HashFunction::Sha256.hash(b"other messages");
        assert!(!check(&handshake));
    }
}

#[test]
fn finished_messages_are_checked_and_end_their_records() {
    let forged = Forged::new();
    let (client, server) = (forged.client(), forged.server());
    let flip = |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        *bytes.last_mut().unwrap() ^= 1;
        bytes
    };
    let wrong = forged.open_as(&[(22, &flip(&client), 0)], &[(22, &server, 0)]);
    assert_eq!(wrong.unwrap_err(), Error::Finished(Side::Client));
    let wrong = forged.open_as(&[(22, &client, 0)], &[(22, &flip(&server), 0)]);
    assert_eq!(wrong.unwrap_err(), Error::Finished(Side::Server));
    let longer = |bytes: &[u8]| [bytes, &[4, 0, 0, 0]].concat();
    assert_malformed(
        forged.open_as(&[(22, &client, 0)], &[(22, &longer(&server), 0)]),
        "Finished",
        "keys change",
    );
    assert_malformed(
        forged.open_as(&[(22, &longer(&client), 0)], &[(22, &server, 0)]),
        "Finished",
        "keys change",
    );
    let short = message(20, &[7; 12]);
    let result = forged.open_as(&[(22, &short, 0)], &[(22, &server, 0)]);
    assert_eq!(result.unwrap_err(), Error::Finished(Side::Client));
}

#[test]
fn contents_of_records_in_the_handshake_are_messages_or_alerts() {
    let forged = Forged::new();
    let (client, server) = (forged.client(), forged.server());
    let with = |content: Content<'_>| forged.open_as(&[(22, &client, 0)], &[content, (22, &server, 0)]);
    assert_eq!(
        with((21, &[2, 40], 0)).unwrap_err(),
        Error::Alert { side: Side::Server, level: 2, description: 40 }
    );
    assert_malformed(with((21, &[2], 0)), "a record of the handshake", "two bytes");
    assert_malformed(with((22, &[], 5)), "a record of the handshake", "empty");
    assert_malformed(with((20, &[1], 0)), "a record of the handshake", "type 20");
    assert_malformed(with((0, &[], 9)), "a protected record", "zeros");
    assert!(
        matches!(with((23, b"data", 0)), Err(Error::Unexpected { found, .. }) if found == "application data")
    );
    // Two records in the wrong order; nothing of the handshake at all.
    let (first, second) = server.split_at(100);
    let [own, other] = forged.bytes(&[(22, &client, 0)], &[(22, first, 0), (22, second, 0)]);
    let (hello, rest) = other.split_at(5 + forged.hellos[1].len());
    let (first, rest) = rest.split_at(5 + 100 + 1 + TAG_BYTES);
    let (second, rest) = rest.split_at(rest.len() - 35);
    let swapped = [hello, second, first, rest].concat();
    let result = Transcript::parse(&own, &swapped).unwrap().open(&forged_secrets());
    assert_eq!(result.unwrap_err(), Error::Sealed { side: Side::Server, sequence: 0 });
    let result = forged.open_as(&[(22, &client, 0)], &[]);
    assert_eq!(result.unwrap_err(), Error::Sealed { side: Side::Server, sequence: 0 });
}

#[test]
fn change_cipher_spec_comes_once_and_in_its_place() {
    let forged = Forged::new();
    let plain = forged.bytes(&[(22, &forged.client(), 0)], &[(22, &forged.server(), 0)]);
    let hello = 5 + forged.hellos[1].len();
    let spec = record(20, &[1]);
    let with = |at: usize, bytes: &[u8]| {
        let [client, server] = &plain;
        let server = [&server[..at], bytes, &server[at..]].concat();
        Transcript::parse(client, &server)?.open(&forged_secrets())
    };
    assert_eq!(with(hello, &spec), forged.open());
    for (at, bytes) in [(0, spec.clone()), (hello, spec.repeat(2)), (plain[1].len(), spec.clone())] {
        assert!(matches!(with(at, &bytes), Err(Error::Unexpected { .. })), "{at}");
    }
    for bytes in [&[0][..], &[1, 1], &[]] {
        assert_malformed(with(hello, &record(20, bytes)), "a record in the clear", "");
    }
}

#[test]
fn records_of_other_sizes_versions_and_kinds_are_refused() {
    let forged = Forged::new();
    let plain = forged.bytes(&[(22, &forged.client(), 0)], &[(22, &forged.server(), 0)]);
    let hello = 5 + forged.hellos[1].len();
    let after = |bytes: &[u8]| {
        let [client, server] = &plain;
        let server = [&server[..hello], bytes, &server[hello..]].concat();
        Transcript::parse(client, &server).and_then(|transcript| transcript.open(&forged_secrets()))
    };
    for length in [0, 16, (1 << 14) + 18] {
        assert_malformed(
            after(&record(23, &vec![7; length])),
            "a protected record",
            &format!("{length} bytes"),
        );
    }
    for length in [17, (1 << 14) + 17] {
        let result = after(&record(23, &vec![7; length]));
        assert_eq!(result.unwrap_err(), Error::Sealed { side: Side::Server, sequence: 0 });
    }
    assert_malformed(after(&[23, 3, 4, 0, 17]), "a protected record", "0x0304");
    assert_malformed(after(&[22, 3, 1, 0, 1, 0]), "a record in the clear", "0x0301");
    assert_malformed(after(&record(22, &[])), "a record in the clear", "0 bytes");
    assert_malformed(after(&[24, 3, 3, 0, 1, 0]), "a record", "type 24");
    assert_eq!(after(&record(21, &[2, 70])).unwrap_err(), Error::OnlyOlder);
    let [client, server] = &plain;
    let hello = 5 + forged.hellos[0].len();
    for more in [&forged.hellos[0][..], &[20, 0, 0, 0]] {
        let client = [&client[..hello], &record(22, more), &client[hello..]].concat();
        assert!(matches!(
            Transcript::parse(&client, server),
            Err(Error::Unexpected { side: Side::Client, expected: "a protected record", .. })
        ));
    }
    // A message in the clear after the hello, and a record in the clear after protected ones.
    assert!(matches!(after(&record(22, &forged.flight[0])), Err(Error::Unexpected { .. })));
    let [client, server] = &plain;
    let late = [&server[..], &record(21, &[1, 0])].concat();
    assert!(
        matches!(Transcript::parse(client, &late), Err(Error::Unexpected { found, .. }) if found == "an alert in the clear")
    );
}

#[test]
fn large_inputs_are_refused_by_name() {
    let forged = Forged::new();
    let [client, server] = forged.bytes(&[(22, &forged.client(), 0)], &[(22, &forged.server(), 0)]);
    let there = Transcript::parse(&client, &server).unwrap().server.len();
    let with = |records: usize| {
        let server = [&server[..], &record(23, &[0; 17]).repeat(records - there)].concat();
        Transcript::parse(&client, &server)
    };
    let most = super::super::super::frame::MAX_RECORDS;
    assert_eq!(with(most).unwrap().server.len(), most);
    assert!(matches!(with(most + 1), Err(Error::Limit { limit, .. }) if limit == most));
    let long = [11, 1, 0, 1];
    let result = forged.open_as(&[], &[(22, &long, 0)]);
    assert!(
        matches!(result, Err(Error::Limit { found, limit: MAX_MESSAGE, .. }) if found == MAX_MESSAGE + 1)
    );
    let parts = vec![(22, &[8; 1 << 14][..], 0); 9];
    let endless: Vec<Content<'_>> = core::iter::once((22, &[11, 1, 0, 0][..], 0)).chain(parts).collect();
    assert!(matches!(forged.open_as(&[], &endless), Err(Error::Limit { .. } | Error::Unexpected { .. })));
}
