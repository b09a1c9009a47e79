//! Attestations for contracts on blockchains: `notary key --contract`, `--contract-key`, `--contract-signer`,
//! `attestation typed-data`.

use serde_json::json;

use crate::fixture::{Fixture, key};
use crate::policy::{check_schema, policy};
use crate::support::*;

const OTHER: &str = "0x1111111111111111111111111111111111111111";

/// A key for contracts and its address.
fn contract_key(dir: &std::path::Path) -> (String, String) {
    let file = dir.join("contract.key").display().to_string();
    let told = run(&["notary", "key", &file, "--contract"], "").expect(0, "").stdout;
    let address = told.trim().strip_prefix("address ").expect("an address").to_owned();
    (file, address)
}

#[test]
fn keys_for_contracts_are_not_taken_for_others_and_are_private() {
    let dir = tempfile::tempdir().expect("a directory");
    let ((first, _), (second, address)) = (key(dir.path()), contract_key(dir.path()));
    run(&["notary", "key", &second, "--contract"], "").refused("exists");
    let shown = run(&["notary", "key", &second, "--show", "--json"], "").expect(0, "").object();
    assert_eq!(shown["address"], address.as_str());
    let serve = |key: &str, contract_key: &str| {
        run(&["notary", "serve", "--key", key, "--contract-key", contract_key, "--listen", "127.0.0.1:0"], "")
    };
    serve(&second, &second).refused("this is a key for contracts (--contract-key)");
    serve(&first, &first).refused("this is no key for contracts (`volery notary key --contract`)");
    let zero = write(dir.path(), "zero.key", &format!("0x{}\n", "0".repeat(64)));
    set_mode(&zero, 0o600);
    serve(&first, &zero).refused("not a secret key of secp256k1");
    set_mode(&second, 0o640);
    serve(&first, &second).refused("others than its owner");
}

#[test]
fn a_notary_signs_for_contracts_and_readers_see_and_demand_it() {
    let dir = tempfile::tempdir().expect("a directory");
    let (file, address) = contract_key(dir.path());
    let fixture = Fixture::new(&["--contract-key", &file]);
    let claim = ["--reveal", "request.query", "--reveal", "response.json:currency"];
    let claim = [&claim[..], &["--assert", "response.json:balance in 5000..9999"]].concat();
    let told = fixture.prove("page", &[&claim[..], &["--contract-signer", &address]].concat());
    assert_eq!(told.expect(0, "").object()["contract_signer"], address.as_str());

    let page = fixture.path("page");
    let verify = |more: &[&str]| {
        run(&[&["attestation", "verify", &page, "--key", &fixture.public][..], more].concat(), "")
    };
    verify(&["--contract-signer", &address])
        .expect(0, "")
        .says(&format!("\ncontracts signed for, by {address}\n"));
    verify(&["--contract-signer", OTHER]).expect(1, "who is not trusted with that");
    let told = verify(&["--json"]).expect(0, "").object();
    assert_eq!(told["contract_signer"], address.as_str());
    check_schema(&told);
    for (signer, code) in [(&*address, 0), (OTHER, 1)] {
        let policy = policy(&fixture, &json!({"contract_signers": [signer]}));
        let judged =
            run(&["attestation", "verify", &page, "--policy", &policy, "--json"], "").expect(code, "");
        check_schema(&judged.object());
    }
    let data = run(&["attestation", "typed-data", &page], "").expect(0, "compares the address").object();
    assert_eq!((&data["signer"], &data["primaryType"]), (&address.into(), &"Attestation".into()));
    let message = &data["message"];
    assert_eq!(
        [&message["host"], &message["path"], &message["query"]],
        [&json!("localhost"), &json!("/account"), &json!("id=7")]
    );
    let value = json!([{"part": "response.json:currency", "value": "\"EUR\""}]);
    let said = "is a number from 5000 to 9999";
    let said = json!([{"part": "response.json:balance", "class": "json-number", "claim": said}]);
    assert_eq!((&message["values"], &message["claims"]), (&value, &said));

    // A byte of the second signature.
    let mut bytes = std::fs::read(&page).expect("readable");
    let place = bytes.len() - 10;
    bytes[place] ^= 1;
    std::fs::write(&page, bytes).expect("writable");
    verify(&[]).expect(1, "the signature for contracts is wrong");
    run(&["attestation", "typed-data", &page], "").expect(1, "the signature for contracts is wrong");

    // Without the query in view contracts are told nothing: nothing is proved if that was asked for, and
    // otherwise there is one signature.
    fixture
        .prove("none", &["--contract-signer", data["signer"].as_str().expect("a text")])
        .expect(2, "hides a part of the request's query");
    fixture.prove("one", &[]).expect(0, "");
    let one = fixture.path("one");
    run(&["attestation", "typed-data", &one], "").refused("no signature for contracts");
    let demand = ["--contract-signer", OTHER];
    let verify = ["attestation", "verify", &one, "--key", &fixture.public];
    run(&[&verify[..], &demand].concat(), "").expect(1, "has no signature for contracts");
    // Another address than the notary's, and requests that share a connection.
    fixture.prove("none", &demand).expect(3, "its operator sets --contract-key");
    let then = write(fixture.dir.path(), "then", "GET /b\n\n");
    fixture
        .prove("none", &[&demand[..], &["--then", &then]].concat())
        .expect(2, "--apart gives each its own");
    assert_eq!(fixture.results(), ["accepted", "accepted", "failed", "failed"]);
}
