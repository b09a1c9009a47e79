//! Messages that are tampered with, parties that depart from the protocol, and clients that ask for something
//! else.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustls::crypto::ring::kx_group::{SECP256R1, X25519};
use volery_channel::{Tag, tags};
use volery_testing::untouched;

use super::*;
use crate::modes::joint::testing::{Around, Bytes, Change, Client, Fetched};
use crate::page::disclosure::{Error as Disclosure, Proven, Refusal, Suite, TlsVersion};
use crate::wire::step::SHARE_BITS;
use crate::wire::transcript::testing::of_group;
use crate::wire::{server, transcript};

/// A version and a suite.
type Protocol = (TlsVersion, Suite);

const AES: Suite = Suite::Aes128GcmSha256;

/// A short connection.
const SHORT: &str = "GET / HTTP/1.1\r\nHost: data.example.com\r\nConnection: close\r\n\r\n";

fn site() -> Site {
    site_on(Group::P256)
}

/// A site on this group: the client of TLS 1.2 offers it alone, and the server knows no other.
fn site_on(group: Group) -> Site {
    let mut site = Site::new(KeyAlgorithm::P256, b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n42");
    let known = match group {
        Group::P256 => SECP256R1,
        Group::X25519 => X25519,
    };
    site.config = Arc::new(of_group(&site.config, known));
    site.group = group;
    site
}

fn short(site: &Site) -> Run<'_> {
    let patience = Duration::from_secs(30);
    Run { patience, ..Run::new(site, SHORT.as_bytes()) }
}

/// What is done to a message.
type Tamper = fn(&mut Vec<u8>);

fn invert(message: &mut Vec<u8>) {
    message.iter_mut().for_each(|byte| *byte = !*byte);
}

fn flip_first(message: &mut Vec<u8>) {
    message[0] ^= 1;
}

fn flip_last(message: &mut Vec<u8>) {
    if let Some(byte) = message.last_mut() {
        *byte ^= 1;
    }
}

/// Changes message number `at` (from 0) of this step.
fn at(step: Tag, at: usize, tamper: Tamper) -> Change {
    let mut seen = 0;
    Box::new(move |tag, message| {
        if tag == step {
            if seen == at {
                tamper(message);
            }
            seen += 1;
        }
    })
}

/// What both end with if that message of P's is changed.
fn prover_says(site: &Site, change: Change) -> (Result<Fetched, Error>, Result<Proven, Error>) {
    prover_changes(short(site), change)
}

fn prover_changes(run: Run<'_>, change: Change) -> (Result<Fetched, Error>, Result<Proven, Error>) {
    Run { changes: [change, Box::new(untouched)], ..run }.go()
}

/// Likewise of V's.
fn verifier_says(site: &Site, change: Change) -> (Result<Fetched, Error>, Result<Proven, Error>) {
    verifier_changes(short(site), change)
}

fn verifier_changes(run: Run<'_>, change: Change) -> (Result<Fetched, Error>, Result<Proven, Error>) {
    Run { changes: [Box::new(untouched), change], ..run }.go()
}

/// The steps of the messages of both parties in an honest run, with how many there are of each.
fn messages(run: Run<'_>) -> [Vec<(Tag, usize)>; 2] {
    let counts = [(); 2].map(|()| Arc::new(Mutex::new(Vec::<(Tag, usize)>::new())));
    let changes = counts.each_ref().map(|counts| {
        let counts = Arc::clone(counts);
        let count: Change = Box::new(move |tag, _: &mut Vec<u8>| {
            let mut counts = counts.lock().unwrap();
            match counts.iter_mut().find(|(other, _)| *other == tag) {
                Some((_, count)) => *count += 1,
                None => counts.push((tag, 1)),
            }
        });
        count
    });
    let (p, v) = Run { changes, ..run }.go();
    assert!(p.is_ok() && v.is_ok(), "{p:?} {v:?}");
    counts.map(|counts| counts.lock().unwrap().clone())
}

/// Those of a step's messages that are tampered with: all if there are few, else the first and the last.
fn borders(count: usize) -> Vec<usize> {
    if count <= 3 { (0..count).collect() } else { vec![0, count - 1] }
}

/// Of the products' messages the second is about the curve that the server does not choose: nobody uses it,
/// and nobody looks.
fn is_used(tag: Tag, place: usize) -> bool {
    place != 1 || ![tags::OLE_CHOICES, tags::OLE_PRODUCTS].contains(&tag)
}

/// The last one only.
fn last(count: usize) -> Vec<usize> {
    vec![count - 1]
}

/// Every `of`-th step of P's, from the first message of the preparation to the last of the proof.
fn changes_of_p_s_are_noticed(protocol: Protocol, of: usize, places: fn(usize) -> Vec<usize>) {
    let (site, (tls, suite)) = (site(), protocol);
    let run = || Run { tls, suite, ..short(&site) };
    let [prover, _] = messages(run());
    assert!(prover.len() > 20, "{prover:?}");
    for (tag, count) in prover.into_iter().step_by(of) {
        for place in places(count).into_iter().filter(|place| is_used(tag, *place)) {
            let (_, v) = prover_changes(run(), at(tag, place, invert));
            assert!(v.is_err(), "V accepts although message {place} of {count} of {tag} was changed");
        }
    }
}

#[test]
fn v_notices_whatever_is_changed_in_every_eighth_step_of_p_s() {
    changes_of_p_s_are_noticed((TlsVersion::Tls13, AES), 8, last);
}

#[test]
#[ignore = "long: about six hundred sessions"]
fn long_the_first_and_the_last_message_of_each_step_are_changed() {
    for tls in [TlsVersion::Tls12, TlsVersion::Tls13] {
        for suite in Suite::ALL {
            changes_of_p_s_are_noticed((tls, suite), 1, borders);
            changes_of_v_s_are_noticed((tls, suite), 1, borders);
        }
    }
}

/// Every `of`-th step of V's. A changed verdict or share of a tag is noticed like anything else.
fn changes_of_v_s_are_noticed(protocol: Protocol, of: usize, places: fn(usize) -> Vec<usize>) {
    let (site, (tls, suite)) = (site(), protocol);
    let run = || Run { tls, suite, ..short(&site) };
    let [_, verifier] = messages(run());
    assert!(verifier.len() > 15, "{verifier:?}");
    for (tag, count) in verifier.into_iter().step_by(of) {
        for place in places(count).into_iter().filter(|place| is_used(tag, *place)) {
            let (p, _) = verifier_changes(run(), at(tag, place, invert));
            assert!(p.is_err(), "P goes on although message {place} of {count} of {tag} was changed");
        }
    }
}

#[test]
fn p_notices_whatever_is_changed_in_every_eighth_step_of_v_s() {
    changes_of_v_s_are_noticed((TlsVersion::Tls13, AES), 8, last);
}

/// The other tests of changed messages are on P-256; of all their messages these depend on the curve.
#[test]
fn whatever_is_changed_in_the_key_exchange_on_x25519_is_noticed() {
    let site = site_on(Group::X25519);
    let prover = [tags::KEY_SERVER, tags::KEY_DENOMINATOR, tags::KEY_SLOPE];
    let verifier =
        [tags::KEY_SHARE, tags::KEY_FACTORS, tags::KEY_DENOMINATOR, tags::KEY_SLOPE, tags::KEY_OPENING];
    // Some bit of the last element, which stays a canonical one.
    for tag in prover {
        let (_, v) = prover_says(&site, at(tag, 0, flip_last));
        assert!(v.is_err(), "V accepts although P's {tag} was changed");
    }
    for tag in verifier {
        let (p, _) = verifier_says(&site, at(tag, 0, flip_last));
        assert!(p.is_err(), "P goes on although V's {tag} was changed");
    }
}

#[test]
fn a_record_altered_on_its_way_to_v_is_refused() {
    let site = site();
    // Messages: host, the client's bytes, the server's. Their last bytes are those of a tag.
    let (p, v) = prover_says(&site, at(tags::CLIENT_TRANSCRIPT, 2, flip_last));
    let alert = Refusal::Tag { side: Side::Server, sequence: 2 };
    assert_eq!(v.unwrap_err(), Error::Disclosure(Disclosure::Refused(alert)));
    p.unwrap_err();
    let (_, v) = prover_says(&site, at(tags::CLIENT_TRANSCRIPT, 1, flip_last));
    let request = Refusal::Tag { side: Side::Client, sequence: 1 };
    assert_eq!(v.unwrap_err(), Error::Disclosure(Disclosure::Refused(request)));
    // A byte of the request's ciphertext.
    let ciphertext: Tamper = |message| {
        let place = message.len() - 17;
        message[place] ^= 1;
    };
    let (_, v) = prover_says(&site, at(tags::CLIENT_TRANSCRIPT, 1, ciphertext));
    assert_eq!(v.unwrap_err(), Error::Disclosure(Disclosure::Refused(Refusal::Another("client's records"))));
}

#[test]
fn a_handshake_that_v_took_no_part_in_is_refused() {
    let site = site();
    // The client's random, behind the record's header and the message's, and its version.
    let random: Tamper = |message| message[5 + 4 + 2] ^= 1;
    let (_, v) = prover_says(&site, at(tags::CLIENT_TRANSCRIPT, 1, random));
    let refused = |part| Error::Disclosure(Disclosure::Refused(Refusal::Another(part)));
    assert_eq!(v.unwrap_err(), refused("master secret's seed"));
    // P says another hash than the handshake's when Finished is made.
    let (_, v) = prover_says(&site, at(tags::CLIENT_STEP, 3, flip_last));
    assert!(matches!(v, Err(Error::Garbling(_) | Error::Parties(_))), "{v:?}");
}

#[test]
fn another_committed_share_than_the_one_used_is_rejected() {
    for group in [Group::P256, Group::X25519] {
        another_committed_share_is_rejected(&site_on(group));
    }
    // And masks: V's shares would be of other values.
    let (_, v) = prover_says(&site(), at(tags::GARBLED_COMMITMENTS, 0, flip_first));
    assert!(v.unwrap_err().is_rejection());
}

fn another_committed_share_is_rejected(site: &Site) {
    // P's share is its only input of this length.
    let change: Change = Box::new(|tag, message| {
        if tag == tags::GARBLED_COMMITMENTS && 8 * message.len() == SHARE_BITS {
            flip_first(message);
        }
    });
    let (p, v) = prover_says(site, change);
    assert!(v.unwrap_err().is_rejection());
    assert!(p.unwrap_err().is_rejection());
}

#[test]
fn wrong_products_break_the_connection_before_anything_is_opened() {
    // Each element is off by one: P's errors depend on V's bits. The first message is of P-256, the second of
    // X25519.
    let off: Tamper = |message| message.as_chunks_mut::<32>().0.iter_mut().for_each(|x| x[0] ^= 1);
    for (group, place) in [(Group::P256, 0), (Group::X25519, 1)] {
        let (p, v) = prover_says(&site_on(group), at(tags::OLE_PRODUCTS, place, off));
        assert!(matches!(p, Err(Error::Disclosure(Disclosure::Refused(Refusal::Transcript(_))))), "{p:?}");
        v.unwrap_err();
    }
}

#[test]
fn v_can_open_no_other_share_and_no_other_value() {
    let site = site();
    let cheat = |result: Result<Fetched, Error>, at: Tag| match result {
        Err(Error::Parties(crate::Error::Cheat { step, .. })) => assert_eq!(step, at),
        Err(Error::Garbling(volery_garble::Error::Cheat { step, .. })) => assert_eq!(step, at),
        other => panic!("{other:?}"),
    };
    // t_V, big-endian on P-256 and little-endian on X25519: its lowest byte; and that of s_V.
    let [first, middle, last]: [Tamper; 3] =
        [|message| message[0] ^= 1, |message| message[31] ^= 1, |message| message[32] ^= 1];
    for (group, tamper) in
        [(Group::P256, middle), (Group::P256, last), (Group::X25519, first), (Group::X25519, last)]
    {
        let (p, _) = verifier_says(&site_on(group), at(tags::KEY_OPENING, 0, tamper));
        cheat(p, tags::KEY_OPENING);
    }
    let (p, _) = verifier_says(&site, at(tags::GARBLED_OPENING, 0, flip_first));
    cheat(p, tags::GARBLED_OPENING);
    // The share of the request's key stream is the last value that V returns: P would send another request.
    let [_, verifier] = messages(short(&site));
    let (_, count) = verifier.iter().find(|(tag, _)| *tag == tags::GARBLED_RETURN).unwrap();
    let (p, _) = verifier_says(&site, at(tags::GARBLED_RETURN, count - 1, flip_first));
    cheat(p, tags::GARBLED_RETURN);
}

#[test]
fn a_wrong_share_of_a_tag_makes_the_server_end_the_connection() {
    let site = site();
    for place in [0, 1] {
        let (p, v) = verifier_says(&site, at(tags::TAG_SHARE, place, flip_first));
        assert!(matches!(p, Err(Error::Disclosure(Disclosure::Refused(_)))), "{p:?}");
        v.unwrap_err();
    }
}

#[test]
fn servers_that_v_does_not_believe_are_refused() {
    let site = site();
    let refusal = |run: Run<'_>| match run.go() {
        (Err(_), Err(Error::Disclosure(Disclosure::Refused(Refusal::Server(error))))) => error,
        other => panic!("{other:?}"),
    };
    let strange = Site::new(KeyAlgorithm::P256, b"").authority.roots();
    assert!(matches!(refusal(Run { roots: strange, ..short(&site) }), server::Error::Chain(_)));
    let years = 10_000 * 365 * 24 * 3600;
    assert!(matches!(refusal(Run { ahead: years, ..short(&site) }), server::Error::Chain(_)));
    let error = refusal(Run { host: "other.example.com", ..short(&site) });
    assert!(matches!(error, server::Error::Sni { .. }), "{error:?}");
}

#[test]
fn a_false_claim_is_noticed_by_p_itself() {
    let site = Site::new(KeyAlgorithm::P256, &response(BODY));
    let claim = vec![Assertion::Number(Interval::between(37, 120))];
    let hide = vec![hide(Side::Server, Part::Json("user.age".into()), claim)];
    let (p, v) = Run { hide, ..short(&site) }.go();
    assert!(matches!(p, Err(Error::Disclosure(Disclosure::NotTrue(_)))), "{p:?}");
    assert!(!v.unwrap_err().is_rejection());
}

/// V is on the path, and answers the client's Finished message in the server's place. P has sent its request
/// by then; it finds out when V has opened its part, and says nothing of the connection.
#[test]
fn a_finished_message_that_is_not_the_server_s_is_found_out_by_p_before_it_says_anything() {
    let site = site();
    let said = Arc::new(Mutex::new(Vec::new()));
    let listen = Arc::clone(&said);
    let change: Change = Box::new(move |tag, _: &mut Vec<u8>| listen.lock().unwrap().push(tag));
    // Its record is the first after ChangeCipherSpec, whose record no handshake of this site contains.
    let bytes: Bytes = |[_, server]| {
        let spec = server.windows(6).position(|bytes| bytes == [20, 3, 3, 0, 1, 1]).unwrap();
        server[spec + 6 + 5 + 8] ^= 1;
    };
    let run = Run { bytes, changes: [change, Box::new(untouched)], ..short(&site) };
    let (p, v) = run.go();
    let refusal = Refusal::Tag { side: Side::Server, sequence: 0 };
    assert_eq!(p.unwrap_err(), Error::Disclosure(Disclosure::Refused(refusal)));
    v.unwrap_err();
    let said = said.lock().unwrap();
    assert!(said.contains(&tags::CLIENT_TRANSCRIPT) && !said.contains(&tags::WEB_CLAIMS), "{said:?}");
}

#[test]
fn bytes_that_are_no_connection_are_refused_by_p_before_it_says_anything() {
    let site = site();
    let (p, v) = Run { bytes: |[_, server]| server.truncate(40), ..short(&site) }.go();
    let error = p.unwrap_err();
    assert!(
        matches!(
            error,
            Error::Disclosure(Disclosure::Refused(Refusal::Transcript(transcript::Error::Truncated { .. })))
        ),
        "{error:?}"
    );
    v.unwrap_err();
}

const ZEROS: crate::wire::hash::HandshakeHash = crate::wire::hash::HandshakeHash::Sha256([0; 32]);

#[test]
fn a_client_that_asks_for_anything_else_ends_the_session() {
    type Ask = fn(&mut dyn Engine) -> Result<(), Error>;
    let agree: Ask = |engine| engine.agree(Group::P256, &[4; 65]);
    let seed: Ask = |engine| engine.master_secret(&crate::wire::prf::MasterSeed::SessionHash(ZEROS));
    let keys: Ask = |engine| engine.key_block(&[1; 32], &[2; 32]);
    let finished: Ask = |engine| engine.client_finished(&ZEROS).map(drop);
    let public: Ask = |engine| engine.public_key(Group::X25519).map(drop);
    let record: Ask = |engine| engine.encrypt(22, &[0; 16]).map(drop);
    let alert: Ask = |engine| engine.encrypt(21, &[1, 0]).map(drop);
    let long: Ask = |engine| engine.encrypt(23, &[0; 100]).map(drop);
    let read: Ask = |engine| engine.decrypt(&[0; 100]).map(drop);
    let cases: [(Ask, usize); 11] = [
        (read, 5),
        (read, 6),
        (seed, 1),
        (keys, 2),
        (finished, 3),
        (record, 4),
        (public, 2),
        (record, 5),
        (alert, 6),
        (long, 6),
        (agree, 0),
    ];
    let site = site();
    for (number, (ask, after)) in cases.into_iter().enumerate() {
        let (p, v) = short(&site).go_with(|engine| {
            // The calls to let pass before.
            let mut left = after;
            let before = move |inner: &mut dyn Engine| {
                if left == 0 {
                    ask(inner)?;
                }
                left = left.wrapping_sub(1);
                Ok(())
            };
            let mut other = Around { before: Box::new(before), ..Around::new(engine) };
            let result = Client::new(&site, true).fetch(&mut other, SHORT.as_bytes());
            // The session stays over.
            assert_eq!(other.inner.public_key(Group::P256), Err(Error::Over), "case {number}");
            result
        });
        match p.unwrap_err() {
            Error::Order { .. } => assert_ne!(number, 10),
            Error::Parties(crate::Error::Server { .. }) => assert_eq!(number, 10),
            other => panic!("case {number}: {other:?}"),
        }
        assert!(matches!(v, Err(Error::Parties(_) | Error::Garbling(_))), "case {number}: {v:?}");
    }
}

#[test]
fn v_prepares_nothing_that_other_sessions_have_the_memory_for() {
    let site = site();
    let budget = Budget::new(20_000_000);
    let limits = || Limits { budget: budget.clone(), ..Limits::default() };
    let (p, v) = Run { limits: limits(), ..short(&site) }.go();
    assert!(p.is_ok() && v.is_ok(), "{p:?} {v:?}");
    assert_eq!(budget.free(), 20_000_000, "what a session had is free again");
    let other = budget.take(15_000_000).unwrap();
    let (p, v) = Run { limits: limits(), ..short(&site) }.go();
    assert_eq!(v.unwrap_err(), Error::Busy);
    assert!(p.unwrap_err().to_string().contains("come again later"));
    drop(other);
    let long = vec![b'x'; 4000];
    let (_, v) = Run { limits: limits(), ..Run::new(&site, &long) }.go();
    assert!(matches!(v.unwrap_err(), Error::Limit { limit: 20_000_000, .. }));
    assert_eq!(budget.free(), 20_000_000);
}

/// Claims come to what the session has already.
#[test]
fn claims_that_v_has_no_memory_for_beside_the_tables_are_refused() {
    let site = Site::new(KeyAlgorithm::P256, &response(BODY));
    let run = |size| {
        let limits = Limits { budget: Budget::new(size), ..Limits::default() };
        Run { limits, hide: usual(), ..Run::new(&site, REQUEST.as_bytes()) }.go()
    };
    let Err(Error::Limit { asked: tables, limit: 0, .. }) = run(0).1 else { panic!("no memory at all") };
    let refusal = Refusal::Memory { ever: true };
    let (p, v) = run(tables as u64 + 1000);
    assert_eq!(v.unwrap_err(), Error::Disclosure(Disclosure::Refused(refusal.clone())));
    assert!(p.unwrap_err().to_string().contains(&refusal.to_string()));
    let (p, v) = run(2 * tables as u64);
    assert!(p.is_ok() && v.is_ok(), "{p:?} {v:?}");
}

#[test]
fn v_prepares_nothing_beyond_its_limits() {
    let site = site();
    let long = "x".repeat(Limits::default().query + 1);
    let (p, v) = Run::new(&site, long.as_bytes()).go();
    let limit = Limits::default().query;
    assert_eq!(v.unwrap_err(), Error::Limit { what: "a request", asked: limit + 1, limit });
    p.unwrap_err();
    let (p, _) = Run::new(&site, &vec![0; MAX_QUERY + 1]).go();
    assert_eq!(p.unwrap_err(), Error::Limit { what: "a request", asked: MAX_QUERY + 1, limit: MAX_QUERY });
}
