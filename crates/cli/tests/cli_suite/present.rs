//! `volery web prove --commit-all` and `volery attestation present`: one attestation, and what its holder
//! shows of it to several readers.

use serde_json::json;

use crate::fixture::Fixture;
use crate::policy::{check_schema, policy};
use crate::support::*;

#[test]
fn one_attestation_is_presented_to_several_readers() {
    let fixture = Fixture::new(&[]);
    let hidden = ["--commit-all", "--reveal", "response.json:currency"];
    fixture.prove("page", &hidden).expect(0, "");
    let (page, leaves, key) = (fixture.path("page"), fixture.path("page.leaves"), fixture.public.as_str());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(&leaves).expect("written").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let present = |out: &str, more: &[&str]| {
        let out = fixture.path(out);
        run(&[&["attestation", "present", &page, "--opening", &leaves, "--out", &out][..], more].concat(), "")
    };
    let verify = |file: &str, more: &[&str]| {
        run(&[&["attestation", "verify", &fixture.path(file), "--key", key][..], more].concat(), "")
    };
    // Before anything is shown, the attestation shows nothing of it.
    let text = verify("page", &[]).expect(0, "").stdout;
    assert!(text.contains("holder    ") && !text.contains("Ada") && !text.contains("5120.75"), "{text}");

    let bank = ["--context", "bank", "--claim", "response.json:balance >= 5000", "--json"];
    let told = present("bank", &bank).expect(0, "").object();
    assert_eq!(told["claimed"][0]["part"], "json balance");
    let shop = ["--reveal", "response.json:name", "--reveal", "request.query", "--context", "shop"];
    let text = present("shop", &shop).expect(0, "").stdout;
    assert!(text.contains("opened    response json name: \"Ada\""), "{text}");

    let text = verify("bank", &["--context", "bank"]).expect(0, "").stdout;
    assert!(
        text.contains("proved    response json balance, 7 bytes: is a number of at least 5000"),
        "{text}"
    );
    assert!(text.contains("made for  bank") && !text.contains("Ada"), "{text}");
    let first = text.lines().next().expect("a line");
    assert!(
        first.contains("currency = \"EUR\"") && first.ends_with("balance is at least 5000 (proved)"),
        "{text}"
    );
    let told = verify("shop", &["--context", "shop", "--json"]).expect(0, "").object();
    assert_eq!(told["presentation"]["opened"][1]["text"], "Ada");
    let first = told["summary"][0].as_str().expect("a sentence");
    assert!(first.ends_with("request query = \"id=7\" (opened), name = \"Ada\" (opened)"), "{first}");
    check_schema(&told);

    // Of another reader, of none, and of somebody else's notary.
    verify("bank", &["--context", "shop"]).expect(1, "made for the context `bank`");
    verify("bank", &[]).expect(1, "none was asked for");
    let other = "ab".repeat(32);
    let told = run(
        &["attestation", "verify", &fixture.path("shop"), "--context", "shop", "--key", &other, "--json"],
        "",
    )
    .expect(1, "signed by the key")
    .object();
    assert_eq!(told["presentation"], json!(null));
    check_schema(&told);

    // A policy sees what is shown.
    let of = |change| policy(&fixture, &change);
    let claims = json!(["response.json:balance >= 1000", "response.json:currency one of EUR|USD"]);
    let by = |file: &str, policy: &str| {
        run(&["attestation", "verify", &fixture.path(file), "--policy", policy, "--json"], "")
    };
    let told = by("bank", &of(json!({"context": "bank", "claims": claims}))).expect(0, "").object();
    assert_eq!(told["policy"]["satisfied"], json!(true));
    check_schema(&told);
    let failed = |file: &str, change, rule: &str| {
        let told = by(file, &of(change)).expect(1, rule).object();
        assert_eq!(told["policy"]["rule"], rule);
        check_schema(&told);
    };
    failed("bank", json!({"context": "shop"}), "context");
    failed("bank", json!({}), "context");
    failed("page", json!({"claims": claims}), "claims");
    failed("shop", json!({"context": "shop", "claims": claims}), "claims");

    // What is not true, not there, or not a file of leaves.
    present("none", &["--claim", "response.json:balance >= 6000"]).expect(1, "not true");
    present("none", &["--reveal", "response.json:nothing"]).expect(2, "does not commit to it");
    present("none", &["--claim", "response.json:balance"]).expect(2, "is not a claim");
    present("bank", &["--reveal", "response.json:name"]).expect(2, "exists");
    let wrong = ["attestation", "present", &page, "--opening", &page, "--out", &fixture.path("none")];
    run(&wrong, "").expect(2, "not a file of leaves");
    assert!(!std::path::Path::new(&fixture.path("none")).exists());
    run(&["attestation", "show", &fixture.path("bank")], "").expect(2, "attestation verify");

    // A changed file.
    let mut bytes = std::fs::read(fixture.path("shop")).expect("readable");
    let at = bytes.len() - 70;
    bytes[at] ^= 1;
    std::fs::write(fixture.path("shop"), bytes).expect("writable");
    verify("shop", &["--context", "shop"]).expect(1, "the holder's signature is wrong");
    assert_eq!(fixture.results(), ["accepted"]);
}
