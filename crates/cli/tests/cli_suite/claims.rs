//! What `web prove`, `web plan` and `attestation` say of names and claims: what does not fit a page, what is
//! not true of it, and what is the same in other words.

use serde_json::json;

use crate::fixture::Fixture;
use crate::plan::Place;
use crate::policy::policy;
use crate::support::*;

const BODY: &str = r#"{"s": "", "name": "Ada", "n": 1.5e3, "m": 5120, "list": [1, 22], "flag": true}"#;

fn answer(status: &str, body: &str) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len());
    (head + body).into_bytes()
}

/// What a plan says, a proof says, with the same exit code. Returns what the proof printed.
fn both(place: &Place, more: &[&str], code: i32, message: &str) -> Ended {
    place.plan(more, "").expect(code, message);
    let json = [more, &["--json"]].concat();
    let ended = place.prove("none", &json, "").expect(code, message);
    assert!(!std::path::Path::new(&place.path("none")).exists());
    ended
}

/// A proof that shows nothing of what was asked for would pass for one that does.
#[test]
fn a_part_to_reveal_that_is_not_there_is_refused_whatever_the_page_is() {
    let empty = Place::new(answer("302 Found", ""));
    both(&empty, &["--reveal", "response.json:currency"], 2, "has no body");
    let place = Place::new(answer("200 OK", BODY));
    for reveal in
        ["response.json:nope", "request.json:a", "request.query.x", "request.body", "response.trailer:a"]
    {
        // Also where all of the body shows.
        for more in [&["--reveal", reveal][..], &["--reveal", "response.body", "--reveal", reveal]] {
            let told = both(&place, more, 2, "").object();
            assert_eq!(told["error"]["kind"], "page", "{reveal}: {told}");
        }
    }
}

/// The page was fetched, and it is not what the user took it for. The session is sound.
#[test]
fn what_a_page_does_not_allow_is_a_mistake_of_the_user_and_no_failed_session() {
    let place = Place::new(answer("200 OK", BODY));
    for (more, message) in [
        (&["--hide", "response.json:nothing"][..], "nothing"),
        (&["--assert", "response.json:list >= 5"], "value by value"),
        (&["--commit", "response.json:flag"], "its length would tell"),
    ] {
        let told = both(&place, more, 2, message).object();
        let said = (&told["result"], &told["exit_code"], &told["error"]["kind"]);
        assert_eq!(said, (&"error".into(), &2.into(), &"page".into()), "{more:?}");
    }
    for (body, message) in
        [("<p>hello</p>", "JSON"), (r#"{"a": 1, "a": 2}"#, "twice"), ("true", "its length")]
    {
        let other = Place::new(answer("200 OK", body));
        let more = ["--hide", if body == "true" { "response.json:" } else { "response.json:a" }];
        both(&other, &more, 2, message);
    }
    // What is no part or no claim is found before anything is sent.
    let told = place.prove("none", &["--hide", "reply.body", "--json"], "").expect(2, "").object();
    assert_eq!(told["error"]["kind"], "input");
}

#[test]
fn of_two_opposite_claims_about_a_number_one_is_true() {
    let place = Place::new(answer("200 OK", BODY));
    for (part, holds) in [
        ("n", &["= 1500", "= 1500.0", "= 15e2", "one of 1500|3", "in 1500..1500", "!= 1501"][..]),
        ("m", &["= 5120.0", "= 5120", "!= 512", "one of 1|5.12e3"]),
    ] {
        let claims: Vec<_> = holds.iter().map(|claim| format!("response.json:{part} {claim}")).collect();
        let more: Vec<_> = claims.iter().flat_map(|claim| ["--assert", claim]).collect();
        place.plan(&more, "").expect(0, "");
        place.prove(part, &more, "").expect(0, "").says(&format!("{part} equals "));
    }
    for untrue in ["n != 1500", "n != 1.5e3", "n = 1501", "n one of 1501|3", "m != 5120.00", "m = -5120"] {
        both(&place, &["--assert", &format!("response.json:{untrue}")], 1, "not true");
    }
    // Texts are compared as texts.
    both(&place, &["--assert", "response.json:name = 5"], 1, "not true");
}

#[test]
fn a_claim_about_an_empty_value_is_not_true_or_the_value_is_to_be_shown() {
    let place = Place::new(answer("200 OK", BODY));
    for untrue in ["= Ada", "contains a", "one of a|b", "is digits", "length 1.."] {
        both(&place, &["--assert", &format!("response.json:s {untrue}")], 1, "(it is empty)");
    }
    for holds in ["!= Eve", "length 0..0"] {
        both(&place, &["--assert", &format!("response.json:s {holds}")], 2, "show it (--reveal)");
    }
    place.prove("shown", &["--reveal", "response.json:s"], "").expect(0, "").says("s = \"\"");
    for claim in ["response.json:s = ", "response.json:s !=", "response.json:name one of "] {
        let refused = place.prove("none", &["--assert", claim], "").expect(2, "its text is empty");
        assert!(refused.stderr.contains("is not a claim"), "{refused:?}");
    }
}

#[test]
fn a_path_is_claimed_with_its_slash_or_without() {
    let place = Place::new(answer("200 OK", BODY));
    for holds in ["= /account", "= account", "one of /a|/account", "!= /accounts"] {
        place.plan(&["--assert", &format!("request.path {holds}")], "").expect(0, "");
    }
    for untrue in ["!= /account", "= //account", "one of /a|/b"] {
        place.plan(&["--assert", &format!("request.path {untrue}")], "").expect(1, "not true");
    }
    place
        .prove("page", &["--assert", "request.path = /account"], "")
        .expect(0, "")
        .says("path equals \"account\"");
}

#[test]
fn a_claim_that_is_too_large_is_refused_with_limit_and_remedy() {
    let body = "x".repeat(9000);
    let place = Place::new(answer("200 OK", &body));
    let search = format!("response.body contains {}", "x".repeat(40));
    let refused =
        both(&place, &["--assert", &search], 2, "at most 131,072 (2^17): search for a shorter text");
    assert!(!refused.stderr.contains("public inputs"), "{refused:?}");
}

/// A reader has a nonce for each visit, and one policy.
#[test]
fn a_policy_is_used_with_the_context_of_the_command_line() {
    let fixture = Fixture::new(&[]);
    let told = ["--context", "visit 17", "--reveal", "response.json:currency"];
    fixture.prove("page", &told).expect(0, "");
    let page = fixture.path("page");
    let verify = |mut change: serde_json::Value, context: &str| {
        change["claims"] = json!(["response.json:currency one of EUR|USD"]);
        let policy = policy(&fixture, &change);
        run(&["attestation", "verify", &page, "--policy", &policy, "--context", context], "")
    };
    verify(json!({}), "visit 17").expect(0, "").says("context   visit 17");
    verify(json!({}), "visit 18").expect(1, "made for `visit 17`, not for the context `visit 18`");
    verify(json!({"context": "visit 17"}), "visit 17").expect(0, "");
    verify(json!({"context": "visit 18"}), "visit 17")
        .refused("demands the context visit 18, and --context visit 17");
}
