//! `volery web`, `notary`, `attestation`: a page of a website in this process, proved to a notary in another.

use crate::site::site;
use crate::support::*;

/// A page with a balance and a name.
fn page() -> Vec<u8> {
    let body = r#"{"name": "Ada", "balance": 5120, "currency": "EUR"}"#;
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
        .into_bytes()
}

/// A notary's key file and its public key.
fn key(dir: &std::path::Path) -> (String, String) {
    let file = dir.join("notary.key").display().to_string();
    let told = run(&["notary", "key", &file], "").expect(0, "").stdout;
    let public = told.trim().strip_prefix("public key ").expect("a key").to_owned();
    run(&["notary", "key", &file], "").refused("exists");
    (file, public)
}

#[test]
fn a_page_is_attested_with_one_field_in_a_range_and_the_rest_as_asked() {
    let dir = tempfile::tempdir().expect("a directory");
    let (port, _, pem) = site(page());
    let roots = write(dir.path(), "roots.pem", &pem);
    let (file, public) = key(dir.path());
    let port = port.to_string();
    let serving = [
        "notary",
        "serve",
        "--key",
        &file,
        "--roots",
        &roots,
        "--allow-private",
        "--port",
        &port,
        "--max-sessions",
        "2",
        "--listen",
        "127.0.0.1:0",
    ];
    let notary = Running::listening(&serving, "");
    let url = format!("https://localhost:{port}/account?id=7");
    let out = dir.path().join("page.attestation").display().to_string();
    let address = notary.address.clone();
    let prove = |least: &str, out: &str| {
        let claim = format!("response.json:balance in {least}..9999");
        let args = [
            "web",
            "prove",
            &url,
            "--notary",
            &address,
            "--notary-key",
            &public,
            "--roots",
            &roots,
            "--headers",
            "-",
            "--hide",
            "request.header:Cookie",
            "--hide",
            "request.target",
            "--hide",
            "response.json:name",
            "--assert",
            &claim,
            "--out",
            out,
            "--json",
        ];
        run(&args, "Cookie: session=secret-1234\n")
    };
    let told = prove("5000", &out).expect(0, "").object();
    assert_eq!((&told["result"], &told["signer"]), (&"attested".into(), &public.as_str().into()));
    let text = run(&["attestation", "verify", &out, "--key", &public], "").expect(0, "").stdout;
    assert!(text.contains("response json balance: is a number from 5000 to 9999"), "{text}");
    assert!(text.contains("EUR") && text.contains("localhost"), "{text}");
    for hidden in ["5120", "Ada", "secret", "account"] {
        assert!(!text.contains(hidden), "{hidden} in {text}");
    }
    // Not true, so the prover finds no proof, and nothing is written.
    let none = dir.path().join("none").display().to_string();
    prove("5121", &none).expect(1, "");
    assert!(!std::path::Path::new(&none).exists());
    let lines = notary.end().expect(0, "").objects();
    let results: Vec<_> = lines.iter().map(|line| line["result"].clone()).collect();
    assert_eq!(results, ["attested", "failed"]);
    assert!(!format!("{lines:?}").contains("5120"));

    // Another key, and a changed file.
    let other = "ab".repeat(32);
    run(&["attestation", "verify", &out, "--key", &other], "").expect(1, "signed by the key");
    let mut bytes = std::fs::read(&out).expect("readable");
    let place = bytes.windows(3).position(|part| part == b"EUR").expect("shown");
    bytes[place] = b'X';
    std::fs::write(&out, bytes).expect("writable");
    run(&["attestation", "verify", &out, "--key", &public], "").expect(1, "signature");
    run(&["attestation", "show", &out], "").expect(1, "signature");
}

#[test]
fn without_a_notary_both_parties_are_in_one_process() {
    let dir = tempfile::tempdir().expect("a directory");
    let (port, _, pem) = site(page());
    let roots = write(dir.path(), "roots.pem", &pem);
    let (url, out) = (format!("https://localhost:{port}/"), dir.path().join("a").display().to_string());
    let args =
        ["web", "prove", &url, "--roots", &roots, "--assert", "response.json:name = Ada", "--out", &out];
    let text = run(&args, "").expect(0, "no --notary").stdout;
    assert!(text.starts_with("attested") && text.contains("response json name: equals \"Ada\""), "{text}");
    run(&["attestation", "show", &out], "").expect(0, "whom the file names");
    // A certificate of nobody that is known.
    let none = dir.path().join("b").display().to_string();
    run(&["web", "prove", &url, "--out", &none], "").expect(3, "");
}

#[test]
fn words_that_make_no_sense_are_refused_before_anything_is_sent() {
    let refused = |args: &[&str], reason: &str| {
        let args = [&["web", "prove", "https://localhost/", "--out", "x"], args].concat();
        run(&args, "").refused(reason);
    };
    refused(&["--hide", "response.xml:a"], "is no part");
    refused(&["--assert", "response.json:a is 5"], "is no claim");
    refused(&["--header", "Host: a"], "the program sets this one itself");
    refused(&["--method", "get x"], "expected one like GET");
    run(&["web", "prove", "http://localhost/", "--out", "x"], "").refused("expected https://");
    run(&["notary", "serve", "--key", "/nowhere/key", "--listen", "127.0.0.1:0"], "").refused("/nowhere/key");
}
