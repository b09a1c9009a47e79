//! Connections of two parties with ChaCha20-Poly1305: what V believes, what they cost, and who notices which
//! cheat. The cheats in a tag's own protocol are with `wire::poly1305` and `joint::tag`.

use std::sync::Arc;
use std::time::Duration;

use ::poly1305::Poly1305;
use ::poly1305::universal_hash::{KeyInit as _, UniversalHash as _};
use proptest::prelude::*;
use volery_channel::{Tag, tags};
use volery_testing::untouched;

use super::*;
use crate::modes::joint::sizes::record_bytes;
use crate::modes::joint::testing::{Around, Change, Fetched, connect};
use crate::page::disclosure::{Error as Disclosure, Proven, Refusal, Suite, TlsVersion};
use crate::wire::poly1305;
use crate::wire::transcript::testing::of_suite;

const SUITE: Suite = Suite::ChaCha20Poly1305Sha256;
const VERSIONS: [TlsVersion; 2] = [TlsVersion::Tls12, TlsVersion::Tls13];

const SHORT: &str = "GET / HTTP/1.1\r\nHost: data.example.com\r\nConnection: close\r\n\r\n";
/// A short request on a connection that goes on.
const OPEN: &str = "GET / HTTP/1.1\r\nHost: data.example.com\r\n\r\n";
const FIRST: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 18\r\n\r\n{\"token\":\"t-0815\"}";

/// A server of this suite alone, without session tickets.
fn site(responses: &[&[u8]]) -> Site {
    let mut site = Site::several(KeyAlgorithm::P256, responses);
    let mut config = of_suite(&site.config, SUITE);
    config.send_tls13_tickets = 0;
    site.config = Arc::new(config);
    site
}

fn run<'a>(site: &'a Site, tls: TlsVersion, requests: &[&str]) -> Run<'a> {
    let requests = requests.iter().map(|request| request.as_bytes().to_vec()).collect();
    let patience = Duration::from_secs(30);
    Run { tls, suite: SUITE, requests, patience, ..Run::new(site, b"") }
}

#[test]
fn v_believes_a_server_in_both_versions() {
    let site = site(&[&response(BODY)]);
    for tls in VERSIONS {
        let (fetched, proven) = Run { hide: usual(), ..run(&site, tls, &[REQUEST]) }.go();
        assert_eq!(fetched.unwrap().response, response(BODY));
        let proven = proven.unwrap();
        let body = BODY.replace("36", "11").replace("1204", "1111");
        assert_eq!(proven.response.text, response(&body));
        let statement = proven.statement().unwrap();
        assert_eq!((statement.tls, statement.suite), (tls, SUITE));
    }
}

/// Two requests at once, so each record has a one-time key and products of its own.
#[test]
fn each_record_has_a_tag_of_its_own() {
    let site = site(&[FIRST, &response(BODY)]);
    let (fetched, proven) = run(&site, TlsVersion::Tls13, &[OPEN, SHORT]).go();
    assert_eq!(fetched.unwrap().response, [FIRST, &response(BODY)].concat());
    let proven = proven.unwrap();
    assert_eq!((proven.rounds, proven.pipelined), (2, true));
}

/// A response that does not end the connection, of this many bytes.
fn json_of(length: usize) -> Vec<u8> {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nX: ";
    format!("{head}{}\r\n\r\n{{\"a\": 123}}", "x".repeat(length - head.len() - 14)).into_bytes()
}

/// A connection whose first response is read before the second request, within this many bytes.
fn reading(site: &Site, tls: TlsVersion, read: usize) -> Run<'_> {
    Run { reads: vec![read], ..run(site, tls, &[OPEN, SHORT]) }
}

/// What a record with the first response takes.
fn first_bytes(tls: TlsVersion) -> usize {
    record_bytes(SUITE.aead(), FIRST.len() + usize::from(tls == TlsVersion::Tls13))
}

#[test]
fn a_response_is_read_while_the_connection_is_open() {
    let site = site(&[FIRST, &response(BODY)]);
    for tls in VERSIONS {
        let (fetched, proven) = reading(&site, tls, first_bytes(tls)).go();
        assert_eq!(fetched.unwrap().response, [FIRST, &response(BODY)].concat());
        let proven = proven.unwrap();
        assert_eq!((proven.rounds, proven.pipelined), (2, false));
    }
}

#[test]
fn no_more_is_read_than_was_prepared() {
    let first = json_of(70);
    let site = site(&[&first, &response(BODY)]);
    let tls = TlsVersion::Tls13;
    // A record of 65 to 128 bytes takes a block more than one of 58.
    let (asked, limit) = (record_bytes(SUITE.aead(), first.len() + 1), first_bytes(tls));
    let (p, v) = reading(&site, tls, limit).go();
    assert!(matches!(p, Err(Error::Limit { asked: a, limit: l, .. }) if (a, l) == (asked, limit)), "{p:?}");
    v.unwrap_err();
}

/// Tickets and several records, with what is left over of each kind.
#[test]
#[ignore = "long: some two million gates, twice"]
fn long_responses_are_read_past_session_tickets() {
    let long = json_of(800);
    let mut site = Site::several(KeyAlgorithm::P256, &[FIRST, &long, &response(BODY)]);
    site.config = Arc::new(of_suite(&site.config, SUITE));
    for tls in VERSIONS {
        let run = run(&site, tls, &[OPEN, OPEN, SHORT]);
        let (fetched, proven) = Run { reads: vec![1600, 1600], ..run }.go();
        assert_eq!(fetched.unwrap().response, [FIRST, &long, &response(BODY)].concat());
        assert_eq!(proven.unwrap().rounds, 3);
    }
}

/// What is garbled ahead, to the AND.
#[test]
fn a_connection_costs_what_the_documentation_says() {
    let sizes = |tls, length| Sizes { tls, suite: SUITE, ..Sizes::one(length, length) };
    let found = VERSIONS.map(|tls| [256, 2048].map(|length| sizes(tls, length).cost().unwrap().ands()));
    assert_eq!(found, [[351_432, 629_780], [386_657, 665_005]]);
    let tls = TlsVersion::Tls13;
    let rounds = vec![RoundSizes { query: 256, read: 1024 }, RoundSizes { query: 256, read: 0 }];
    let reading = Sizes { rounds, ..sizes(tls, 256) };
    let more = Sizes { rounds: vec![RoundSizes { query: 256, read: 0 }; 2], ..sizes(tls, 256) };
    assert_eq!(reading.cost().unwrap().ands() - more.cost().unwrap().ands(), 249_220);
}

/// Bytes in all, and round trips in the connection.
fn taken(tls: TlsVersion, suite: Suite, length: usize) -> (u64, u64) {
    let head = "GET / HTTP/1.1\r\nHost: data.example.com\r\nConnection: close\r\nX-Padding: ";
    let request = format!("{head}{}\r\n\r\n", "x".repeat(length - head.len() - 4));
    let body = (0..length).map(|n| response(&"b".repeat(n))).find(|body| body.len() == length).unwrap();
    let site = Site::new(KeyAlgorithm::P256, &body);
    let hide = vec![hide(Side::Client, Part::Header("x-padding".into()), Vec::new())];
    let (fetched, proven) = Run { hide, suite, ..run(&site, tls, &[&request]) }.go();
    proven.unwrap();
    let [prepared, known, end] = fetched.unwrap().stats;
    (bytes(end), (known - prepared).round_trips)
}

/// Two for tags, and in TLS 1.2 one for the key block, which is a block of the PRF longer.
#[test]
fn a_connection_takes_two_or_three_round_trips_more_than_with_aes() {
    for (tls, more) in VERSIONS.into_iter().zip([3, 2]) {
        let (all, trips) = taken(tls, SUITE, 256);
        assert!(all <= 11_000_000, "{all} bytes");
        assert_eq!(trips, taken(tls, Suite::Aes128GcmSha256, 256).1 + more, "{tls}");
    }
}

#[test]
#[ignore = "long: a request of two kilobytes"]
fn long_two_kilobytes_take_less_than_with_aes() {
    let (all, _) = taken(TlsVersion::Tls13, SUITE, 2048);
    assert!(all <= 18_500_000, "{all} bytes");
}

/// Changes the first bit of message number `at` (from 0) of this step.
fn at(step: Tag, at: usize) -> Change {
    let mut seen = 0;
    Box::new(move |tag, message| {
        if tag == step {
            if seen == at {
                message[0] ^= 1;
            }
            seen += 1;
        }
    })
}

const OF_P: [Tag; 3] = [tags::POLY1305_AHEAD, tags::POLY1305_FACTOR, tags::POLY1305_SUM];
const OF_V: [Tag; 1] = [tags::POLY1305_POWERS];

/// Whether an error is that of the check of the powers.
fn is_check(error: &Error) -> bool {
    let check = "the check of the powers of Poly1305's key";
    matches!(error, Error::Parties(crate::Error::Cheat { check: found, .. }) if *found == check)
}

/// One bit of each message about the tag of a record, which is the check's business: P sends nothing then.
fn changes_end_the_session_before_the_record(tls: TlsVersion, run: impl Fn() -> Run<'static>, place: usize) {
    let of = |party: usize, tag| {
        let mut changes: [Change; 2] = [Box::new(untouched), Box::new(untouched)];
        changes[party] = at(tag, place);
        Run { tls, changes, ..run() }.go()
    };
    let both = |(p, v): (Result<Fetched, Error>, Result<Proven, Error>), tag| {
        let (p, v) = (p.unwrap_err(), v.unwrap_err());
        assert!(is_check(&v), "{tls} {tag} {place}: {v:?}");
        // V's word may come first.
        assert!(is_check(&p) || matches!(p, Error::Parties(crate::Error::Channel(_))), "{tag}: {p:?}");
    };
    OF_P.into_iter().for_each(|tag| both(of(0, tag), tag));
    OF_V.into_iter().for_each(|tag| both(of(1, tag), tag));
}

fn leaked(responses: &[&[u8]]) -> &'static Site {
    Box::leak(Box::new(site(responses)))
}

#[test]
fn one_bit_of_each_message_about_a_tag_ends_the_session_in_tls_1_2() {
    let site = leaked(&[&response("42")]);
    // Of the request, after Finished.
    let run = || run(site, TlsVersion::Tls12, &[SHORT]);
    changes_end_the_session_before_the_record(TlsVersion::Tls12, run, 1);
}

#[test]
fn one_bit_of_each_message_about_a_tag_ends_the_session_in_tls_1_3() {
    let site = leaked(&[&response("42")]);
    let run = || run(site, TlsVersion::Tls13, &[SHORT]);
    changes_end_the_session_before_the_record(TlsVersion::Tls13, run, 0);
}

/// Of Finished, and of the record that is read: the client's are before it in these lists.
#[test]
#[ignore = "long: fifteen sessions"]
fn long_one_bit_of_each_other_message_about_a_tag_ends_the_session() {
    let site = leaked(&[FIRST, &response(BODY)]);
    let tls = TlsVersion::Tls12;
    changes_end_the_session_before_the_record(tls, || reading(site, tls, first_bytes(tls)), 0);
    for (tls, place) in [(TlsVersion::Tls12, 3), (TlsVersion::Tls13, 2)] {
        changes_end_the_session_before_the_record(tls, || reading(site, tls, first_bytes(tls)), place);
    }
}

/// The labels of V's inputs and of P's to the circuits of the last tag, and what V returns of it: the check's
/// answer, and its share of the tag.
#[test]
fn v_can_return_no_other_answer_and_no_other_share() {
    let site = site(&[&response("42")]);
    let run = || run(&site, TlsVersion::Tls13, &[SHORT]);
    let count = Arc::new(std::sync::Mutex::new(0));
    let counted = Arc::clone(&count);
    let note: Change = Box::new(move |tag, _: &mut Vec<u8>| {
        *counted.lock().unwrap() += usize::from(tag == tags::GARBLED_RETURN)
    });
    let (p, v) = Run { changes: [Box::new(untouched), note], ..run() }.go();
    assert!(p.is_ok() && v.is_ok(), "{p:?} {v:?}");
    let count = *count.lock().unwrap();
    for place in [count - 1, count - 2] {
        let (p, v) = Run { changes: [Box::new(untouched), at(tags::GARBLED_RETURN, place)], ..run() }.go();
        let step = tags::GARBLED_RETURN;
        assert!(
            matches!(&p, Err(Error::Garbling(volery_garble::Error::Cheat { step: found, .. })) if *found == step),
            "{p:?}"
        );
        v.unwrap_err();
        assert!(site.heard.lock().unwrap().is_empty(), "the server has heard the request");
    }
}

/// The record was changed on the wire, or P made it up: both parties see the same, and it is not what the
/// server said.
#[test]
fn nothing_is_read_of_a_record_with_a_wrong_tag() {
    let site = site(&[FIRST, &response(BODY)]);
    let tls = TlsVersion::Tls13;
    // A byte of the ciphertext, and one of the tag.
    for place in [3, FIRST.len() + 1] {
        let run = reading(&site, tls, first_bytes(tls));
        let requests = run.requests.clone();
        let (p, v) = run.go_with(|engine| {
            let change = move |payload: &mut Vec<u8>| payload[place] ^= 1;
            let mut wire = Around { read: Box::new(change), ..Around::new(engine) };
            connect(&mut wire, &site, &requests, 1)
        });
        let refusal = Refusal::Tag { side: Side::Server, sequence: 0 };
        assert_eq!(v.unwrap_err(), Error::Disclosure(Disclosure::Refused(refusal)), "{place}");
        p.unwrap_err();
    }
}

#[test]
fn v_cannot_take_a_tag_for_right_that_it_did_not_promise() {
    let site = site(&[FIRST, &response(BODY)]);
    let tls = TlsVersion::Tls12;
    let run = reading(&site, tls, first_bytes(tls));
    let (p, v) = Run { changes: [Box::new(untouched), at(tags::RECORD_PROMISE, 0)], ..run }.go();
    let step = tags::RECORD_OPENING;
    assert!(
        matches!(&p, Err(Error::Parties(crate::Error::Cheat { step: found, .. })) if *found == step),
        "{p:?}"
    );
    v.unwrap_err();
}

/// P changes the tag of the server's last record on its way to V, and opens the `s` under which that is
/// right. V's check in the clear holds then.
#[test]
fn p_can_open_no_other_one_time_key() {
    let site = site(&[&response("42")]);
    let (mut parts, mut record) = (0, Vec::new());
    let lie: Change = Box::new(move |tag, message| {
        parts += usize::from(tag == tags::CLIENT_TRANSCRIPT);
        if tag == tags::CLIENT_TRANSCRIPT && parts == 3 {
            let mut rest = &message[..];
            while let [_, _, _, high, low, ..] = rest {
                let (first, after) = rest.split_at(5 + usize::from(u16::from_be_bytes([*high, *low])));
                (record, rest) = (first.to_vec(), after);
            }
            *message.last_mut().unwrap() ^= 0x80;
        }
        if tag == tags::WEB_CLAIMS {
            let (header, payload) = record.split_at(5);
            let (ciphertext, true_tag) = payload.split_last_chunk::<16>().unwrap();
            let is_key = |key: &[u8]| tag_of(key, header, ciphertext)[..] == true_tag[..];
            let key = message.windows(32).position(is_key).unwrap();
            message[key + 31] ^= 0x80;
        }
    });
    let run = run(&site, TlsVersion::Tls13, &[SHORT]);
    let (p, v) = Run { changes: [lie, Box::new(untouched)], ..run }.go();
    assert!(v.unwrap_err().is_rejection());
    p.unwrap_err();
}

/// The tag of RFC 8439 under a one-time key.
fn tag_of(key: &[u8], header: &[u8], ciphertext: &[u8]) -> Vec<u8> {
    let mut state = Poly1305::new(key.try_into().unwrap());
    state.update_padded(header);
    state.update_padded(ciphertext);
    state.update_padded(&[header, ciphertext].map(|part| (part.len() as u64).to_le_bytes()).concat());
    state.finalize().to_vec()
}

/// As many products as the longest connection takes.
#[test]
fn the_longest_requests_have_their_products_in_one_call() {
    let rounds = vec![
        RoundSizes { query: MAX_QUERY / 2, read: MAX_READ },
        RoundSizes { query: MAX_QUERY / 2, read: 0 },
    ];
    for tls in VERSIONS {
        let sizes = Sizes { tls, suite: SUITE, rounds: rounds.clone(), proved: MAX_PROVED };
        assert!(sizes.label_correlations().is_ok(), "{} products", sizes.tag_products());
    }
}

proptest! {
    /// Whatever records the server sends: what they count is what was prepared for them.
    #[test]
    fn records_that_can_be_read_have_blocks_tags_and_products(
        read in 0..MAX_READ,
        lengths in prop::collection::vec(0..1500_usize, 0..40),
    ) {
        let rounds = vec![RoundSizes { query: 1, read }, RoundSizes { query: 1, read: 0 }];
        let sizes = Sizes { tls: TlsVersion::Tls13, suite: SUITE, rounds, proved: 0 };
        let own = sizes.tag_powers().map(poly1305::products).sum::<usize>();
        let mut left = [sizes.readable(), sizes.spare_blocks(), sizes.spare_tags(), sizes.tag_products() - own];
        for length in lengths {
            let products = poly1305::products(poly1305::powers(2 + length.div_ceil(16)));
            let takes = [record_bytes(SUITE.aead(), length), length.div_ceil(64), 1, products];
            if takes[0] > left[0] {
                continue;
            }
            for (left, takes) in left.iter_mut().zip(takes) {
                prop_assert!(takes <= *left, "{length} of {read}");
                *left -= takes;
            }
            prop_assert!(sizes.longest_read().is_some_and(|longest| length <= longest));
        }
    }
}
