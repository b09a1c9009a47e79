//! Connections to a party that listens for one peer, and a party that connects too early.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use crate::support::*;

const LISTEN: &[&str] = &["--listen", "127.0.0.1:0"];

fn verifier(args: &[&str]) -> Running {
    Running::listening(&join(&[&["verify"], ABC, LISTEN, args]), "")
}

fn prove(address: &str) -> Ended {
    run(&join(&[&["prove"], ABC, &["--witness", "-", "--connect", address]]), ABC_WITNESS)
}

/// Connects as four strays: one closes, one asks for a page, one sends a part of a message, one is silent.
fn strays(address: &str) -> Vec<TcpStream> {
    let connect = || TcpStream::connect(address).expect("connects");
    drop(connect());
    let mut health_check = connect();
    health_check.write_all(b"GET /health HTTP/1.1\r\nHost: example\r\n\r\n").expect("sent");
    let mut cut = connect();
    cut.write_all(&[1, 200, 0, 0, 0, b'V']).expect("sent");
    vec![health_check, cut, connect()]
}

pub(crate) fn strays_do_not_end_a_verifier_that_waits_for_one_prover() {
    let verifier = verifier(&["--json"]);
    let mut strays = strays(&verifier.address);
    // The health check hears why it is turned away, and its connection ends before the verifier does.
    let mut answer = Vec::new();
    strays[0].read_to_end(&mut answer).expect("closed in good order");
    assert!(String::from_utf8_lossy(&answer).starts_with("HTTP/1.1 426 "));
    prove(&verifier.address).expect(0, "");
    let ended = verifier.end().expect(0, "got no session");
    assert_eq!(ended.object()["result"], "accepted");
    drop(strays);
}

pub(crate) fn strays_do_not_end_a_prover_that_waits_for_one_verifier() {
    let args = join(&[&["prove"], ABC, &["--witness", "-"], LISTEN]);
    let prover = Running::listening(&args, ABC_WITNESS);
    let strays = strays(&prover.address);
    run(&join(&[&["verify"], ABC, &["--connect", &prover.address]]), "").expect(0, "");
    prover.end().expect(0, "got no session");
    drop(strays);
}

pub(crate) fn strays_do_not_end_the_making_of_correlations() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = |name: &str| dir.path().join(name).to_str().expect("UTF-8").to_owned();
    let (p, v) = (file("p.vole"), file("v.vole"));
    let verifier =
        Running::listening(&join(&[&["preprocess", "verifier", "--count", "1000", "--out", &v], LISTEN]), "");
    let strays = strays(&verifier.address);
    let connect = ["--count", "1000", "--out", &p, "--connect", &verifier.address];
    run(&join(&[&["preprocess", "prover"], &connect]), "").expect(0, "");
    verifier.end().expect(0, "got no session");
    drop(strays);
}

pub(crate) fn more_silent_connections_than_are_heard_at_once_do_not_keep_the_prover_out() {
    // They may be silent for longer than the test lasts.
    let verifier = verifier(&["--connect-timeout", "3600"]);
    let silent: Vec<_> = (0..200).map(|_| TcpStream::connect(&verifier.address).expect("connects")).collect();
    prove(&verifier.address).expect(0, "");
    // Those that are still there do not hold up its end.
    verifier.end().expect(0, "only --verbose reports more");
    drop(silent);
}

#[test]
fn a_second_prover_hears_that_the_verifier_is_busy_and_the_first_is_served_to_its_end() {
    use volery::statements::Sha256Preimage;
    use volery::system::Bits;
    let verifier = verifier(&[]);
    // It has said hello and may take its time.
    let mut first = prover_at(&verifier.address);
    prove(&verifier.address).expect(3, "busy: this party serves one peer only");
    let statement = Sha256Preimage::new(ABC_DIGEST, 3).expect("short");
    let statement = statement.with_message(volery::Zeroizing::new(b"abc".to_vec())).expect("fits");
    let mut rng = volery::os_rng().expect("randomness");
    first.prove(Bits, &statement, &mut rng).expect("accepted");
    verifier.end().expect(0, "told that this party is busy");
}

#[test]
fn a_lie_ends_the_session_of_the_one_peer() {
    let verifier = verifier(&[]);
    assert!(lie_to(&verifier.address).is_rejection());
    verifier.end().expect(1, "must be zero");
}

pub(crate) fn a_listening_party_gives_up_when_its_own_time_is_over_and_says_who_came() {
    let nobody = run(&join(&[&["verify"], ABC, LISTEN, &["--listen-timeout", "0.2", "--json"]]), "");
    let nobody = nobody.expect(3, "nobody connected").expect(3, "start the other party with --connect");
    assert_eq!(nobody.object()["result"], "error");

    let verifier = verifier(&["--listen-timeout", "2"]);
    let mut stray = TcpStream::connect(&verifier.address).expect("connects");
    stray.write_all(b"SSH-2.0-OpenSSH_9.9\r\n").expect("sent");
    verifier.end().expect(3, "one connection came and said no hello").expect(3, "SSH-2.0");
}

/// Addresses where nobody listens.
fn addresses(dir: &tempfile::TempDir) -> [String; 2] {
    let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
    let tcp = listener.local_addr().expect("bound").to_string();
    [tcp, format!("unix:{}", dir.path().join("socket").display())]
}

#[test]
fn a_party_that_connects_first_waits_for_the_other_one() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = |name: &str| dir.path().join(name).to_str().expect("UTF-8").to_owned();
    let [tcp, unix] = addresses(&dir);
    let (prove, verify) = (join(&[&["prove"], ABC, &["--witness", "-"]]), join(&[&["verify"], ABC]));
    let making = ["--count", "1000", "--out"];
    let (p, v) = (file("p.vole"), file("v.vole"));
    let [make_p, make_v] = [("prover", &p), ("verifier", &v)]
        .map(|(role, out)| join(&[&["preprocess", role], &making, &[out.as_str()]]));
    for (first, second, address) in [
        (&prove, &verify, &tcp),
        (&prove, &verify, &unix),
        (&verify, &prove, &unix),
        (&make_p, &make_v, &unix),
        (&make_v, &make_p, &tcp),
    ] {
        // The files of a pair are new files.
        for path in [&p, &v] {
            let _ = std::fs::remove_file(path);
        }
        let connect = ["--connect-timeout", "60", "--connect", address];
        let says = ": nobody listens yet; trying again for 60 s";
        let early = Running::saying(&join(&[first, &connect]), ABC_WITNESS, says);
        let late = Running::listening(&join(&[second, &["--listen", address]]), ABC_WITNESS);
        early.end().expect(0, "");
        late.end().expect(0, "");
    }
}
