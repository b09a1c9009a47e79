//! Bad command lines and files: exit code 2, a reason, nothing on standard output, no secret in the message.

use crate::support::*;

const DIGEST: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

#[test]
fn bad_command_lines_are_refused_with_a_reason() {
    let (connect, listen) = (["--connect", "127.0.0.1:1"], ["--listen", "127.0.0.1:0"]);
    let pin = format!("sha256:{DIGEST}");
    for (args, message) in [
        (vec![], "Usage"),
        (vec!["frobnicate"], "unrecognized"),
        (vec!["prove", "sha256-preimage"], "--witness"),
        (join(&[&["verify"], ABC]), "where does the proof come from? Give --listen"),
        (join(&[&["prove"], ABC, &["--witness", "-"]]), "where does the proof go? Give --connect"),
        (join(&[&["verify"], ABC, &connect, &["--listen", "127.0.0.1:0"]]), "cannot be used with"),
        (join(&[&["verify"], ABC, &["--listen", "localhost"]]), "HOST:PORT"),
        (join(&[&["verify"], ABC, &["--listen", "unix:"]]), "path"),
        (join(&[&["verify"], ABC, &connect, &["--serve"]]), "cannot be used with"),
        (join(&[&["verify"], ABC, &["--serve"]]), "--listen"),
        (join(&[&["verify"], ABC, &["--serve", "--preprocessed", "V.vole", "proof"]]), "cannot be used with"),
        (join(&[&["verify"], ABC, &connect, &["--threads", "0"]]), "1..=64"),
        (join(&[&["verify"], ABC, &connect, &["--threads", "65"]]), "1..=64"),
        (join(&[&["verify"], ABC, &connect, &["--profile", "man"]]), "lan"),
        (join(&[&["verify"], ABC, &connect, &["--timeout=-1"]]), "timeout"),
        (join(&[&["verify"], ABC, &connect, &["--max-bytes", "12Q"]]), "number of bytes"),
        (join(&[&["verify"], ABC, &connect, &["--rho", "129"]]), "1..=128"),
        (join(&[&["verify"], ABC, &connect, &["--rho", "128"]]), "out of reach"),
        (join(&[&["verify"], ABC, &connect, &["--tls-pin", "sha256:00"]]), "64 hexadecimal"),
        (join(&[&["verify"], ABC, &connect, &["--tls-cert", "x"]]), "cannot be used with"),
        (join(&[&["verify"], ABC, &connect, &["--tls-cert", "x", "--tls-key", "y"]]), "cannot be used with"),
        (join(&[&["verify"], ABC, &listen, &["--tls-ca", "x"]]), "cannot be used with"),
        (join(&[&["verify"], ABC, &listen, &["--tls-pin", &pin]]), "cannot be used with"),
        (join(&[&["verify"], ABC, &connect, &["--tls-ca", "x", "--tls-pin", &pin]]), "cannot be used with"),
        (join(&[&["verify"], ABC, &listen, &["--tls-pin", "sha256:00"]]), "pin"),
        (join(&[&["verify"], ABC, &connect, &["--tls-name", "x"]]), "--tls-ca"),
        (join(&[&["verify"], ABC, &["proof"]]), "proof: no such file"),
        (join(&[&["verify"], ABC, &["--preprocessed", "V.vole"]]), "PROOF"),
        (join(&[&["bench", "--size", "5"]]), "<NAME>"),
        (join(&[&["bench", "boolean", "--size", "0"]]), "possible"),
        (join(&[&["bench", "boolean", "--size", "99999999999999999999"]]), "--size"),
        (vec!["demo", "--length", "0"], "--length"),
    ] {
        let ended = run(&args, "");
        assert!(ended.stderr.to_lowercase().contains(&message.to_lowercase()), "{args:?}: {ended:?}");
        ended.refused("");
    }
}

#[test]
fn bad_statements_are_refused_with_a_reason() {
    for (args, message) in [
        (vec!["sha257-preimage"], "neither a file nor a built-in statement"),
        (vec!["/nonexistent/circuit.txt"], "neither a file nor a built-in statement"),
        (vec!["sha256-preimage"], "`digest`"),
        (vec!["sha256-preimage", "--digest", DIGEST], "`length`"),
        (vec!["sha256-preimage", "--digest", "00", "--length", "3"], "64 hex digits"),
        (vec!["sha256-preimage", "--digest", DIGEST, "--length", "-3"], "'-3'"),
        (vec!["sha256-preimage", "--digest", DIGEST, "--length", "1e3"], "decimal"),
        (vec!["sha256-preimage", "--digest", DIGEST, "--length", "99999999999999999999"], "at most"),
        (vec!["aes128-key", "--plaintext", DIGEST, "--ciphertext", DIGEST], "32 hex digits"),
        (vec!["sha1-preimage", "--digest", DIGEST, "--length", "3", "--plaintext", "00"], "`plaintext`"),
        (vec!["sha256-preimage", "--digest", DIGEST, "--length", "3", "--public", "x"], "x: No such file"),
        (vec!["/"], "regular file"),
    ] {
        run(&join(&[&["info"], &args]), "").refused(message);
    }
}

/// Witnesses and public values may come from a pipe. The program would wait for a circuit from one, so it
/// refuses that.
#[test]
fn circuits_in_pipes_are_refused_before_they_are_opened_and_witnesses_in_pipes_are_read() {
    let dir = tempfile::tempdir().expect("a directory");
    let pipe = dir.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("there is mkfifo");
    assert!(made.success());
    let pipe = pipe.to_str().expect("UTF-8");
    let claim = write(dir.path(), "claim", "output 0 = 0x1");
    for args in [
        &["info", pipe][..],
        &["check", pipe, "--public", &claim, "--witness", "-"],
        &["verify", pipe, "--public", &claim, "--listen", "127.0.0.1:0"],
        &["info", "--public", &claim, "--any-of", pipe],
    ] {
        run(args, "0x3").refused("regular file");
    }
    let circuit = write(dir.path(), "c.txt", "1 3\n1 2\n1 1\n\n2 1 0 1 2 AND\n");
    let command = format!(
        "{} check {circuit} --public <(echo 'output 0 = 0x1') --witness <(echo 0x3)",
        env!("CARGO_BIN_EXE_volery")
    );
    let checked = std::process::Command::new("bash").args(["-c", &command]).output().expect("there is bash");
    assert!(checked.status.success(), "{checked:?}");
}

#[test]
fn bad_witnesses_are_refused_without_being_shown() {
    for (witness, message) in [
        ("0x61626", "6 hex digits"),
        ("0x6162637f", "6 hex digits"),
        ("0x6162zz", "hex digit"),
        ("616263", "0x"),
        ("", "message"),
        ("key = 0x616263", "no secret input"),
        ("0x616263\n0x616263", "too many"),
        ("\u{0}\u{1}\u{ff}", "ASCII"),
    ] {
        let ended = run(&join(&[&["check"], ABC, &["--witness", "-"]]), witness);
        assert!(!ended.stderr.contains("61626"), "{ended:?}");
        ended.refused(message);
    }
    run(&join(&[&["check"], ABC, &["--witness", "/nonexistent"]]), "").refused("/nonexistent");
}

#[test]
fn bad_circuits_and_claims_are_refused_with_their_place() {
    let dir = tempfile::tempdir().expect("a directory");
    let good = "1 3\n1 2\n1 1\n\n2 1 0 1 2 AND\n";
    for (circuit, claim, message) in [
        ("", "output 0 = 0x1", "c.txt, line 1"),
        ("1 3\n1 2\n1 1\n\n2 1 0 7 2 AND\n", "output 0 = 0x1", "c.txt, line 5, column 7"),
        ("4294967295 4294967295\n1 2\n1 1\n\n", "output 0 = 0x1", "c.txt, line"),
        (good, "output 0 = 0x2", "claim.txt, line 1"),
        (good, "output 0 = any", "nothing is claimed"),
        (good, "# nothing", "output 0"),
        (good, "output 1 = 0x1", "no input or output"),
    ] {
        let circuit = write(dir.path(), "c.txt", circuit);
        let claim = write(dir.path(), "claim.txt", claim);
        run(&["check", &circuit, "--public", &claim, "--witness", "-"], "0x3").refused(message);
    }
    let circuit = write(dir.path(), "c.txt", good);
    // True, and about nothing that is secret.
    let open = write(dir.path(), "open.txt", "input 0 = 0x3\noutput 0 = 0x1\n");
    let out = dir.path().join("out").to_str().expect("UTF-8").to_owned();
    let statement = [&*circuit, "--public", &open, "--witness", "-"];
    for command in
        [&["check"][..], &["prove", "--out", &out], &["prove", "--out", &out, "--protocol", "zkbpp"]]
    {
        run(&join(&[command, &statement]), "").refused("only what follows from public values");
    }
    run(&["check", &circuit, "--witness", "-"], "0x3").refused("--public");
    run(&["check", &circuit, "--public", "/nonexistent", "--witness", "-"], "0x3").refused("/nonexistent");
    run(&["check", &circuit, "--digest", "00", "--witness", "-"], "0x3").refused("--digest");
}
