//! What a web server and its client say, and what a notary signs.

use volery_tls::attestation::policy::Policy;
use volery_tls::attestation::{Attestation, Brief, Context, Mode, SigningKey};
use volery_tls::claim::{Assertion, Class, circuit};
use volery_tls::disclosure::Suite;
use volery_tls::disclosure::{Draft, Selection, TlsVersion};
use volery_tls::hash::HashFunction;
use volery_tls::http::json::{self, Decimal, Path};
use volery_tls::http::{self, Body};
use volery_tls::key_schedule::TrafficSecret;
use volery_tls::leaf::{LeafOpenings, Seed};
use volery_tls::presentation::{Presentation, Reveal};
use volery_tls::transcript::{ALERT, APPLICATION_DATA, HANDSHAKE, Record, Transcript, tls13};
use zeroize::Zeroizing;

use crate::replay::rng;

/// Two texts as one input: four bytes of length, big-endian, the first, the second.
#[must_use]
pub fn two(first: &[u8], second: &[u8]) -> Vec<u8> {
    let length = u32::try_from(first.len()).expect("seeds are small");
    [&length.to_be_bytes(), first, second].concat()
}

/// Takes [`two`] apart.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(u32::from_be_bytes(*length) as usize)
}

/// A connection's bytes, client and server. Records of what is accepted are numbered, of the right kinds and
/// sizes, and make up the encrypted part of their direction.
pub fn transcript(bytes: &[u8]) {
    let Some((client, server)) = split(bytes) else { return };
    let Ok(transcript) = Transcript::parse(client, server) else { return };
    for (records, bytes) in [(&transcript.client, client), (&transcript.server, server)] {
        for (i, record) in records.iter().enumerate() {
            assert_eq!(record.sequence, i as u64);
            match (i, record.content_type) {
                (0, HANDSHAKE) => assert_eq!(record.ciphertext.len(), 16),
                (1.., ALERT) => assert_eq!(record.ciphertext.len(), 2),
                (1.., APPLICATION_DATA) => assert!(record.ciphertext.len() <= 1 << 14),
                other => panic!("{other:?}"),
            }
        }
        let encrypted =
            |explicit| records.iter().flat_map(move |record| encode(record, explicit)).collect::<Vec<u8>>();
        // ChaCha20-Poly1305 has no explicit nonce: it is the record's number.
        let counted = records.iter().all(|record| record.explicit_nonce == record.sequence.to_be_bytes());
        assert!(bytes.ends_with(&encrypted(true)) || counted && bytes.ends_with(&encrypted(false)));
    }
    let _ = transcript.server_finished_hash(&[0; 16]);
}

fn encode(record: &Record, explicit: bool) -> Vec<u8> {
    let nonce = if explicit { &record.explicit_nonce[..] } else { &[] };
    let length = u16::try_from(nonce.len() + record.ciphertext.len() + 16).expect("a record is short");
    let header = [&[record.content_type, 3, 3], &length.to_be_bytes()[..]].concat();
    [&header[..], nonce, &record.ciphertext, &record.tag].concat()
}

/// A flag. If it is 0, the two traffic secrets of a handshake of TLS 1.3, then a connection's bytes,
/// client and server. If it is 1, the messages of the hellos, client's and server's, then the server's
/// protected messages before Finished: the connection is made of them, with tags and Finished messages
/// that are right. What is accepted is made of records that encode back.
pub fn transcript_tls13(bytes: &[u8]) {
    let _ = opens_tls13(bytes);
}

/// Whether the handshake of [`transcript_tls13`]'s input opens.
#[must_use]
pub fn opens_tls13(bytes: &[u8]) -> bool {
    let opens = || match bytes.split_first()? {
        (0, rest) => {
            let (secrets, rest) = rest.split_first_chunk::<64>()?;
            let (client, server) = split(rest)?;
            let secret = |bytes| TrafficSecret::from_bytes(HashFunction::Sha256, bytes);
            let [one, other] = [&secrets[..32], &secrets[32..]].map(secret);
            open_tls13(client, server, &tls13::HandshakeSecrets { client: one?, server: other? })
        }
        (1, rest) => {
            let (hellos, flight) = split(rest)?;
            let (client, server) = split(hellos)?;
            let hellos = [client, server].map(<[u8]>::to_vec);
            let fit = hellos.iter().all(|hello| hello.len() <= usize::from(u16::MAX));
            fit.then_some(())?;
            // The hellos say which suite it is.
            Suite::ALL.into_iter().find_map(|suite| {
                let [client, server] = tls13::forge::connection(suite, &hellos, flight);
                open_tls13(&client, &server, &tls13::forge::secrets_of(suite))
            })
        }
        _ => None,
    };
    opens().is_some()
}

fn open_tls13(client: &[u8], server: &[u8], secrets: &tls13::HandshakeSecrets) -> Option<()> {
    let transcript = tls13::Transcript::parse(client, server).ok()?;
    for (records, bytes) in [(&transcript.client, client), (&transcript.server, server)] {
        let encode = |record: &tls13::Record| {
            let length = u16::try_from(16 + record.ciphertext.len()).expect("a record is short");
            [&[23, 3, 3], &length.to_be_bytes()[..], &record.ciphertext, &record.tag].concat()
        };
        assert!(bytes.ends_with(&records.iter().flat_map(encode).collect::<Vec<u8>>()));
    }
    let before = [transcript.client.clone(), transcript.server.clone()];
    let opened = transcript.open(secrets).ok()?;
    for (before, after) in before.iter().zip([&opened.client, &opened.server]) {
        assert!(before.len() > after.len() && before.ends_with(after));
    }
    assert!((1..=16).contains(&opened.handshake.certificates.len()));
    Some(())
}

/// A flag, then requests and responses. Messages that are accepted make up the plaintexts, and their parts
/// lie in them.
pub fn http(bytes: &[u8]) {
    let Some((flag, rest)) = bytes.split_first() else { return };
    let Some((client, server)) = split(rest) else { return };
    let Ok(exchanges) = http::parse(client, server, flag & 1 == 1) else { return };
    let (mut sent, mut received) = (0, 0);
    for http::Exchange { request, response } in exchanges {
        assert_eq!((request.range.start, response.range.start), (sent, received));
        (sent, received) = (request.range.end, response.range.end);
        for (plaintext, range, headers, body) in [
            (client, request.range, request.headers, request.body),
            (server, response.range, response.headers, response.body),
        ] {
            check_body(&body, plaintext);
            for header in headers {
                assert!(range.start <= header.name.start && header.name.end < header.value.start + 1);
                assert!(header.value.end <= range.end);
            }
        }
    }
    assert_eq!((sent, received), (client.len(), server.len()));
}

fn check_body(body: &Body, plaintext: &[u8]) {
    let bytes = body.bytes(plaintext);
    assert_eq!(bytes.len(), body.length());
    let located = body.locate(0..body.length());
    assert_eq!(located, body.parts);
}

/// A path in the first line, then a JSON text; also a decimal number. The value that is found is one by
/// itself.
pub fn json(bytes: &[u8]) {
    let mut lines = bytes.splitn(2, |byte| *byte == b'\n');
    let (Some(Ok(path)), Some(text)) = (lines.next().map(core::str::from_utf8), lines.next()) else { return };
    if let Ok(number) = path.parse::<Decimal>() {
        assert_eq!(number.to_string().parse(), Ok(number));
    }
    let Ok(path) = path.parse::<Path>() else { return };
    assert_eq!(path.to_string().parse(), Ok(path.clone()));
    let Ok(value) = json::find(text, &path) else { return };
    let alone = &text[value.range.clone()];
    let again = json::find(alone, &Path::default()).expect("a value is a text");
    assert_eq!((again.kind, again.range), (value.kind, 0..alone.len()));
}

/// A byte of length, then a claim in words; the string that it is about. A circuit for that length is made,
/// or refused; the claim's words in JSON and in text are printable.
pub fn claim(bytes: &[u8]) {
    let Some((length, rest)) = bytes.split_first() else { return };
    let Ok(words) = core::str::from_utf8(rest) else { return };
    let Ok(claim) = words.parse::<Assertion>() else { return };
    assert!(claim.to_string().bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()));
    for class in [Class::Opaque, Class::JsonText, Class::Number, Class::Word] {
        if let Ok(circuit) = circuit(&claim, class, usize::from(*length)) {
            assert_eq!(circuit.input_wires(), 8 * u32::from(*length));
        }
    }
}

/// An attestation. What is accepted is shown, and writes the same bytes.
pub fn attestation(bytes: &[u8]) {
    let Ok(read) = Attestation::from_bytes(bytes) else { return };
    assert_eq!(read.to_bytes(), bytes);
    let statement = read.unverified();
    let shown = statement.to_string() + &Brief(statement).to_string() + &statement.summary().join("\n");
    assert!(!shown.chars().any(|c| c.is_control() && c != '\n'));
    let for_contracts = statement.check_for_contracts();
    if read.verify(read.claimed_signer()).is_ok() {
        let signed = read.contract_signer().is_some();
        assert!(signed == read.typed_data().is_ok() && (!signed || for_contracts.is_ok()));
    }
}

/// An attestation that commits to everything, what opens it, and a presentation that opens two of its parts.
///
/// # Panics
/// Never: the page is a proper one.
#[must_use]
pub fn presented() -> (Attestation, LeafOpenings, Presentation) {
    let request = b"GET /a?user=ada HTTP/1.1\r\nHost: example.com\r\n\r\n".to_vec();
    let body = r#"{"id": 7, "active": true, "name": "Ada"}"#;
    let response =
        format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let draft = Draft {
        mode: Mode::Proxy,
        tls: TlsVersion::Tls13,
        suite: Suite::Aes128GcmSha256,
        host: "example.com".into(),
        port: 443,
        alpn: true,
        certificate: Vec::new(),
        pipelined: false,
        context: Context::default(),
        leaves: Some(Seed::new(&mut rng(9))),
        closed: true,
        trusts_close: false,
        payload: [request, response.into_bytes()].map(Zeroizing::new),
    };
    let hide =
        draft.select(&Selection { commit_all: true, ..Selection::default() }).expect("it can be hidden");
    let statement = draft.expected(&hide, 1_780_000_000).expect("a proper page");
    let attestation =
        Attestation::sign(statement, &SigningKey::from_bytes(&[7; 32])).expect("a proper statement");
    let leaves = draft.leaf_openings(&hide).expect("a proper page").expect("leaves");
    let reveal = ["response.json:name", "request.query"];
    let reveal = reveal.map(|part| Reveal { part: part.parse().expect("a part"), bytes: None });
    let context = Context::new(b"reader").expect("short");
    let presentation = Presentation::new(&attestation, &leaves, &context, (&reveal, &[]), &mut rng(10));
    (attestation, leaves, presentation.expect("all is there"))
}

/// The presentation with a claim whose proof, and a signature that, are none.
#[must_use]
pub fn claiming(presentation: &Presentation) -> Vec<u8> {
    let mut bytes = presentation.to_bytes();
    // The number of claims, and the signature.
    bytes.truncate(bytes.len() - 4 - 64);
    bytes.extend([0, 0, 0, 1]);
    // Digits only, of one byte.
    bytes.extend([0x80, 0, 0, 0, 0, 0, 0, 1, 2, 7]);
    bytes.extend([0, 0, 0, 3, 1, 2, 3]);
    bytes.extend([0; 64]);
    bytes
}

/// A file of leaves. What is accepted writes the same bytes, and opens nothing but what it should.
pub fn leaves(bytes: &[u8]) {
    let Ok(read) = LeafOpenings::from_bytes(bytes) else { return };
    assert_eq!(*read.to_bytes(), bytes);
    let (attestation, honest, _) = presented();
    if let Ok(statement) = attestation.verify(attestation.claimed_signer())
        && read.check(statement).is_ok()
    {
        assert_eq!(*honest.to_bytes(), bytes);
    }
}

/// A presentation. What is accepted writes the same bytes; if the attestation is the honest one, only its
/// holder's presentation is believed.
pub fn presentation(bytes: &[u8]) {
    let Ok(read) = Presentation::from_bytes(bytes) else { return };
    assert_eq!(read.to_bytes(), bytes);
    let (attestation, _, honest) = presented();
    let believed = read.verify(attestation.claimed_signer()).is_ok();
    assert!(!believed || *read.attestation() != attestation || read == honest);
}

/// A reader's policy.
pub fn policy(bytes: &[u8]) {
    if let Ok(policy) = Policy::from_json(bytes) {
        // Nobody signed, and each policy demands at least one notary.
        assert!(policy.check(&[], 0).is_err());
    }
}
