//! Several requests on one connection.

use zeroize::Zeroizing;

use super::*;
use crate::page::dialogue::{Error as DialogueError, ReceivedResponses};
use crate::wire::transcript::testing::application;

fn answer(body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fn round(lengths: &[usize], read: bool) -> RoundRecords {
    RoundRecords { lengths: lengths.to_vec(), read }
}

/// A request for this, and its records.
fn get(target: &str, read: bool) -> (Vec<u8>, RoundRecords) {
    let request = format!("GET /{target} HTTP/1.1\r\nHost: data.example.com\r\n\r\n").into_bytes();
    let length = request.len();
    (request, round(&[10, length - 10], read))
}

/// What comes of a connection with these requests; `ask` makes them.
fn talk(
    engine: &mut Clear,
    answer: Answer,
    rounds: &[RoundRecords],
    mut ask: impl FnMut(usize, &ReceivedResponses) -> Result<Vec<u8>, String> + Send,
) -> Result<Captured, Error> {
    let site = Site::new(KeyAlgorithm::P256);
    let server = Local::new(&site.config, answer);
    let mut ask = |round: usize, heard: &ReceivedResponses| ask(round, heard).map(Zeroizing::new);
    converse(engine, server, &site.target(), rounds, &mut ask)
}

fn dialogue(result: Result<Captured, Error>) -> DialogueError {
    match result {
        Err(Error::Connection(Failure::Dialogue(error))) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn requests_that_wait_for_nothing_are_sent_together() {
    let answers = [answer("first"), answer("second"), answer("third")];
    let (requests, rounds): (Vec<_>, Vec<_>) =
        ["a", "b", "c"].map(|target| get(target, false)).into_iter().unzip();
    let mut engine = Clear::new(1);
    let said = requests.clone();
    let ask = |round: usize, heard: &ReceivedResponses| {
        assert!(heard.responses().is_empty() && heard.text().is_empty());
        Ok(said[round].clone())
    };
    let captured = talk(&mut engine, Answer::Each(answers.to_vec()), &rounds, ask).unwrap();
    let response = application(&open(captured.tls12(), &engine.master, Side::Server));
    assert_eq!(response, answers.concat());
    let lengths: Vec<usize> = rounds.iter().flat_map(|round| round.lengths.clone()).collect();
    assert_fits(&captured, &engine, &lengths, &requests.concat(), &answers.concat());
}

#[test]
fn a_later_request_is_made_of_what_an_earlier_response_says() {
    // The second response takes several records.
    let long = "x".repeat(40_000);
    let answers = [answer("token-1"), answer(&format!("token-2{long}")), answer("end"), answer("of all")];
    let rounds =
        [get("start", true).1, get("token-1", true).1, get("token-2", false).1, get("more", false).1];
    let ask = |round: usize, heard: &ReceivedResponses| {
        let text = |round: usize| {
            let body = heard.responses()[round].body.bytes(heard.text());
            String::from_utf8_lossy(&body[..7]).into_owned()
        };
        Ok(match round {
            0 => get("start", true).0,
            3 => get("more", false).0,
            later => get(&text(later - 1), true).0,
        })
    };
    let mut engine = Clear::new(1);
    let captured = talk(&mut engine, Answer::Each(answers.to_vec()), &rounds, ask).unwrap();
    assert_eq!(application(&open(captured.tls12(), &engine.master, Side::Server)), answers.concat());
    let requests = application(&open(captured.tls12(), &engine.master, Side::Client));
    let expected = ["start", "token-1", "token-2", "more"].map(|target| get(target, false).0).concat();
    assert_eq!(requests, expected);
    // The first response, then the records of the second, before the third request.
    let kinds: String = engine.asked[5..]
        .iter()
        .map(|asked| match asked {
            Asked::Encrypt(..) => 'e',
            Asked::Decrypt(_) => 'd',
            _ => '?',
        })
        .collect();
    assert_eq!(kinds, "eeedeedddeeee");
}

#[test]
fn a_server_that_takes_one_request_is_named_where_its_response_is_read() {
    let rounds = [get("a", true).1, get("b", false).1];
    let ask = |round: usize, _: &ReceivedResponses| Ok(get(["a", "b"][round], false).0);
    let closing = response("body");
    let error = dialogue(talk(&mut Clear::new(1), Answer::Notify(closing), &rounds, ask));
    assert_eq!(error, DialogueError::Last { round: 0, remaining: 1 });
    // Nothing says where this one ends but its end.
    for answer in
        [Answer::Notify(b"HTTP/1.1 200 OK\r\n\r\nbody".to_vec()), Answer::Silent(answer("x")[..9].to_vec())]
    {
        let error = dialogue(talk(&mut Clear::new(1), answer, &rounds, ask));
        assert_eq!(error, DialogueError::Ended { round: 0 });
    }
    let two = [answer("body"), answer("more")].concat();
    let error = dialogue(talk(&mut Clear::new(1), Answer::Notify(two), &rounds, ask));
    assert_eq!(error, DialogueError::Unasked { round: 0 });
}

#[test]
fn where_nothing_is_read_a_server_that_takes_one_request_is_captured() {
    let (requests, rounds): (Vec<_>, Vec<_>) =
        ["a", "b"].map(|target| get(target, false)).into_iter().unzip();
    let mut engine = Clear::new(1);
    let said = requests.clone();
    let ask = |round: usize, _: &ReceivedResponses| Ok(said[round].clone());
    let captured = talk(&mut engine, Answer::Notify(response("one")), &rounds, ask).unwrap();
    let text = application(&open(captured.tls12(), &engine.master, Side::Server));
    // Both parties refuse it when they read it.
    let error = crate::page::http::parse(&requests.concat(), &text, true).unwrap_err();
    assert_eq!(error, crate::page::http::Error::Unanswered { requests: 2, responses: 1 });
}

#[test]
fn a_request_that_is_not_made_ends_the_connection() {
    let rounds = [get("a", true).1, get("b", false).1];
    for fails in [0, 1] {
        let mut engine = Clear::new(1);
        let ask = |round: usize, _: &ReceivedResponses| {
            if round == fails { Err("no token".into()) } else { Ok(get("a", false).0) }
        };
        let error = dialogue(talk(&mut engine, Answer::Each(vec![answer("a"), answer("b")]), &rounds, ask));
        assert_eq!(error, DialogueError::Request { round: fails, reason: "no token".into() });
        let sent = engine.asked.iter().filter(|asked| matches!(asked, Asked::Encrypt(23, _))).count();
        assert_eq!(sent, 2 * fails);
    }
}

#[test]
fn rounds_that_cannot_be_read_in_this_order_are_refused_before_anything_is_sent() {
    for reads in [&[][..], &[true], &[true, true], &[false, true, false]] {
        let mut engine = Clear::new(1);
        let rounds: Vec<_> = reads.iter().map(|read| get("a", *read).1).collect();
        let result = talk(&mut engine, Answer::Each(Vec::new()), &rounds, |_, _| Ok(get("a", false).0));
        assert!(matches!(result, Err(Error::Connection(Failure::Misuse(_)))), "{reads:?}");
        assert!(engine.asked.is_empty());
    }
}
