//! `volery attestation verify --policy`, and the schema of what `--json` prints.

use serde_json::{Value, json};

use crate::fixture::Fixture;
use crate::support::*;

/// A policy for the fixture's page, with these keys instead.
pub(crate) fn policy(fixture: &Fixture, change: &Value) -> String {
    let port: u16 = fixture
        .url
        .rsplit(':')
        .next()
        .and_then(|rest| rest.split('/').next())
        .expect("a port")
        .parse()
        .expect("one");
    let mut policy = json!({
        "version": 1,
        "notaries": [{"name": "one", "keys": [{"key": fixture.public, "from": "2026-01-01"}]}],
        "host": "localhost",
        "port": port,
        "path": "/acc*",
        "modes": ["proxy"],
        "allow_hidden_words": true,
        "claims": ["response.json:balance >= 1000", "response.json:currency one of EUR|USD"],
        "max_age": 3600,
    });
    for (key, value) in change.as_object().expect("an object") {
        policy[key] = value.clone();
    }
    write(fixture.dir.path(), "policy.json", &policy.to_string())
}

#[test]
fn a_policy_is_satisfied_or_the_rule_that_fails_is_named() {
    let fixture = Fixture::new(&[]);
    let claim = ["--reveal", "response.json:currency", "--assert", "response.json:balance in 5000.."];
    fixture.prove("page", &claim).expect(0, "");
    let page = fixture.path("page");
    let verify = |change: Value, more: &[&str]| {
        let policy = policy(&fixture, &change);
        run(&[&["attestation", "verify", &page, "--policy", &policy][..], more].concat(), "")
    };
    let text = verify(json!({}), &[]).expect(0, "").stdout;
    let first = text.lines().next().expect("a line");
    assert!(
        first.starts_with("valid     https://localhost:") && first.contains("/account?<hidden>, 200, at 20"),
        "{text}"
    );
    assert!(first.ends_with("currency = \"EUR\", balance is at least 5000 (hidden)"), "{text}");
    assert!(text.ends_with("policy    satisfied, by one\n") && !text.contains("bytes 0.."), "{text}");
    let text = verify(json!({}), &["--verbose"]).expect(0, "").stdout;
    assert!(text.contains("  bytes 0..") && text.contains("response json balance, bytes"), "{text}");
    let told = verify(json!({}), &["--json"]).expect(0, "").object();
    assert_eq!(
        told["policy"],
        json!({"satisfied": true, "notaries": ["one"], "rule": null, "attestation": null, "reason": null})
    );
    check_schema(&told);
    for (change, rule) in [
        (json!({"claims": ["response.json:balance >= 6000"]}), "claims"),
        (json!({"path": "/other"}), "path"),
        (json!({"modes": ["two-party"]}), "mode"),
        (json!({"allow_hidden_words": false}), "hidden-words"),
        (json!({"notaries": [{"name": "two", "keys": [{"key": "ab".repeat(32)}]}]}), "notaries"),
        (
            json!({"notaries": [{"name": "one", "keys": [{"key": fixture.public, "until": "2026-01-01"}]}]}),
            "notaries",
        ),
    ] {
        let ended = verify(change, &["--json"]).expect(1, &format!("the policy's rule `{rule}`"));
        let told = ended.object();
        assert_eq!((&told["result"], &told["policy"]["rule"]), (&"rejected".into(), &rule.into()));
        assert_eq!((&told["attestation"], &told["policy"]["attestation"]), (&Value::Null, &1.into()));
        check_schema(&told);
    }
    let rejected = verify(json!({"status": 404}), &[]).expect(1, "the status of response 1 is 200, not 404");
    assert_eq!(rejected.stdout, "rejected\n");
    verify(json!({"hosts": "x"}), &[]).expect(2, "unknown field `hosts`");
    verify(json!({"version": 2}), &[]).expect(2, "version");
    verify(json!({}), &["--key", &fixture.public]).expect(2, "cannot be used with");
    // The same attestation twice is by one notary.
    let twice = policy(&fixture, &json!({}));
    let told = run(&["attestation", "verify", &page, &page, "--policy", &twice, "--json"], "")
        .expect(0, "")
        .object();
    assert_eq!(told["others"].as_array().map(Vec::len), Some(1));
    check_schema(&told);
    run(&["attestation", "verify", &page, &page, "--key", &fixture.public], "").expect(2, "--policy");
    run(&["attestation", "verify", &page], "").expect(2, "--key");
}

#[test]
fn a_key_is_shown_with_its_id() {
    let fixture = Fixture::new(&[]);
    let file = fixture.path("notary.key");
    let text = run(&["notary", "key", &file, "--show"], "").expect(0, "").stdout;
    let told = run(&["notary", "key", &file, "--show", "--json"], "").expect(0, "").object();
    let id = told["id"].as_str().expect("an id");
    assert_eq!(text, format!("public key {}\nid         {id}\n", fixture.public));
    assert_eq!((told["public_key"].as_str(), id.len()), (Some(&*fixture.public), 16));
    run(&["notary", "key", &fixture.path("none"), "--show"], "").expect(2, "none");
}

#[test]
fn what_is_printed_as_json_is_what_the_schema_says() {
    let fixture = Fixture::new(&[]);
    let options = [
        &["--hide", "response.json:name", "--commit", "response.json:points", "--context", "nonce"][..],
        &["--assert", "response.json:currency one of EUR|USD", "--assert", "response.json:currency != x"],
        &[
            "--assert",
            "response.json:currency characters 3..3",
            "--assert",
            "response.json:currency contains U",
        ],
        &["--assert", "response.json:currency at 0 E", "--assert", "response.json:currency matches [A-Z]+"],
        &["--assert", "response.json:currency length 1..9", "--assert", "request.query.id is digits"],
        &["--assert", "response.json:balance in 1..9000", "--assert", "response.json:balance > 5"],
    ];
    fixture.prove("page", &options.concat()).expect(0, "");
    let page = fixture.path("page");
    let shown = run(&["attestation", "show", &page, "--json"], "").expect(0, "").object();
    check_schema(&shown);
    let openings = fixture.path("page.openings");
    let verify = ["attestation", "verify", &page, "--key", &fixture.public, "--json", "--opening", &openings];
    let told = run(&verify, "").expect(0, "").object();
    assert_eq!(told["opened"][0]["text"], "7431");
    check_schema(&told);
    let other = "ab".repeat(32);
    let rejected =
        run(&["attestation", "verify", &page, "--key", &other, "--json"], "").expect(1, "").object();
    check_schema(&rejected);
    // Every kind of claim and part.
    for name in ["claims", "parts", "leaves"] {
        let path = format!("{}/../tls/tests/vectors/{name}.json", env!("CARGO_MANIFEST_DIR"));
        let read = serde_json::from_slice(&std::fs::read(path).expect("a vector")).expect("JSON");
        assert!(fits(&schema(), &json!({"$ref": "#/$defs/statement"}), &read), "{name}");
    }
    // The schema notices what it does not know.
    for change in ["/attestation/mode", "/attestation/query/length", "/signer", "/result"] {
        let mut wrong = told.clone();
        *wrong.pointer_mut(change).expect(change) = json!("other");
        assert!(!fits(&schema(), &schema(), &wrong), "{change}");
    }
    let mut more = told.clone();
    more["attestation"]["more"] = json!(1);
    assert!(!fits(&schema(), &schema(), &more));
}

fn schema() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/attestation.schema.json");
    serde_json::from_slice(&std::fs::read(path).expect("the schema")).expect("JSON")
}

pub(crate) fn check_schema(told: &Value) {
    assert!(fits(&schema(), &schema(), told), "{told:#}");
}

/// Whether a value is as a schema says, of the keywords that ours uses. A keyword that is not known fails.
fn fits(root: &Value, schema: &Value, value: &Value) -> bool {
    schema.as_object().expect("a schema").iter().all(|(keyword, rule)| match keyword.as_str() {
        "$schema" | "$id" | "$defs" | "title" => true,
        "$ref" => {
            let place = rule.as_str().and_then(|place| place.strip_prefix('#')).expect("a place");
            fits(root, root.pointer(place).expect(place), value)
        }
        "type" => match rule {
            Value::Array(all) => all.iter().any(|one| is_of(one, value)),
            one => is_of(one, value),
        },
        "const" => rule == value,
        "enum" => rule.as_array().is_some_and(|all| all.contains(value)),
        "oneOf" => {
            rule.as_array().is_some_and(|all| all.iter().filter(|one| fits(root, one, value)).count() == 1)
        }
        "pattern" => value.as_str().is_none_or(|text| has_pattern(rule.as_str().expect("a pattern"), text)),
        "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().expect("a number")),
        "maximum" => value.as_f64().is_none_or(|number| number <= rule.as_f64().expect("a number")),
        "items" => value.as_array().is_none_or(|all| all.iter().all(|one| fits(root, rule, one))),
        "required" => value.as_object().is_none_or(|object| {
            rule.as_array()
                .is_some_and(|keys| keys.iter().all(|key| object.contains_key(key.as_str().expect("a key"))))
        }),
        "properties" => value.as_object().is_none_or(|object| {
            object.iter().all(|(key, value)| rule.get(key).is_none_or(|rule| fits(root, rule, value)))
        }),
        "additionalProperties" => value.as_object().is_none_or(|object| {
            assert_eq!(rule, &json!(false));
            object.keys().all(|key| schema["properties"].get(key).is_some())
        }),
        other => panic!("the schema has the keyword {other}, which this test does not know"),
    })
}

fn is_of(kind: &Value, value: &Value) -> bool {
    match kind.as_str().expect("a type") {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the type {other}"),
    }
}

/// Whether a text is as one of the schema's patterns.
fn has_pattern(pattern: &str, text: &str) -> bool {
    let digits = |text: &str| text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    match pattern {
        "^[0-9a-f]{64}$" => text.len() == 64 && digits(text),
        "^0x[0-9a-f]{40}$" => text.strip_prefix("0x").is_some_and(|text| text.len() == 40 && digits(text)),
        "^([0-9a-f]{2})*$" => text.len().is_multiple_of(2) && digits(text),
        "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$" => {
            let form = text.bytes().map(|byte| if byte.is_ascii_digit() { b'0' } else { byte });
            form.eq(*b"0000-00-00T00:00:00Z")
        }
        other => panic!("the pattern {other}"),
    }
}
