//! A verifier that serves many provers.

use std::io::Write;
use std::net::TcpStream;

use rustix::process::{Pid, Signal, kill_process};

use crate::guest;
use crate::support::*;

fn server(args: &[&str]) -> Running {
    server_of(ABC, args)
}

fn server_of(statement: &[&str], args: &[&str]) -> Running {
    let serve = ["--listen", "127.0.0.1:0", "--serve", "--json"];
    Running::listening(&join(&[&["verify"], statement, &serve, args]), "")
}

fn prove(address: &str) -> Ended {
    run(&join(&[&["prove"], ABC, &["--witness", "-", "--connect", address]]), ABC_WITNESS)
}

fn results(ended: &Ended) -> Vec<String> {
    let mut words: Vec<String> = ended.objects().iter().map(word_of).collect();
    words.sort();
    words
}

#[test]
fn bad_provers_do_not_disturb_good_ones_at_the_same_time() {
    let server = server(&["--concurrency", "8", "--timeout", "10"]);
    let address = server.address.as_str();
    let silent = TcpStream::connect(address).expect("connects");
    std::thread::scope(|scope| {
        let good: Vec<_> = (0..3).map(|_| scope.spawn(|| prove(address))).collect();
        let liar = scope.spawn(|| lie_to(address));
        scope.spawn(|| {
            let mut peer = TcpStream::connect(address).expect("connects");
            peer.write_all(&[0xff; 100]).expect("sent");
        });
        for prover in good {
            prover.join().expect("no panic").expect(0, "");
        }
        assert!(liar.join().expect("no panic").is_rejection());
    });
    // After all of them it still serves provers.
    prove(address).expect(0, "");
    drop(silent);
    kill_process(Pid::from_child(&server.child), Signal::TERM).expect("signals");
    let ended = server.end().expect(0, "");
    let expected = ["accepted", "accepted", "accepted", "accepted", "failed", "failed", "rejected"];
    assert_eq!(results(&ended), expected, "{ended:?}");
    // The server prints its provers' round trips.
    let info = run(&join(&[&["info"], ABC, &["--json"]]), "").expect(0, "").object();
    let accepted = ended.objects().into_iter().filter(|object| object["result"] == "accepted");
    for object in accepted {
        assert_eq!(object["round_trips"], info["protocols"][0]["round_trips"], "{object}");
    }
    assert!(
        ended.objects().iter().all(|object| object["peer"].as_str().is_some_and(|peer| !peer.is_empty()))
    );
}

#[test]
fn runs_of_programs_are_verified_and_a_prover_of_another_end_is_rejected() {
    let [program, public, right, wrong] =
        ["sum-c.elf", "public.txt", "secret.txt", "other-secret.txt"].map(|name| guest::path("sum", name));
    let statement = [&*program, "--public", &public];
    let server = server_of(&statement, &["--max-sessions", "2", "--concurrency", "2"]);
    let prove = |secret: &str, options: &[&str]| {
        let connect = ["--witness", secret, "--connect", &server.address];
        run(&join(&[&["prove"], &statement, &connect, options]), "")
    };
    let [honest, false_one] = std::thread::scope(|scope| {
        let provers = [
            scope.spawn(|| prove(&right, &[])),
            // The server accepts code 0 only.
            scope.spawn(|| prove(&wrong, &["--exit", "1"])),
        ];
        provers.map(|prover| prover.join().expect("no panic"))
    });
    honest.expect(0, "").says("journal: \"17 bytes\\n\"");
    assert_ne!(false_one.code, 0, "{false_one:?}");
    let ended = server.end().expect(0, "");
    assert_eq!(results(&ended), ["accepted", "rejected"], "{ended:?}");
    for object in ended.objects() {
        if object["result"] == "accepted" {
            assert_eq!((&object["code"], &object["journal"]), (&0.into(), &"31372062797465730a".into()));
            // Nobody knows before how long runs are.
            assert!(object["round_trips"].is_null(), "{object}");
        } else {
            let message = object["error"]["message"].as_str().expect("a message");
            assert!(message.contains("exit with code 1") && object["journal"].is_null(), "{object}");
        }
    }
}

#[test]
fn a_signal_while_nobody_is_there_ends_it_well() {
    for signal in [Signal::TERM, Signal::INT] {
        let server = server(&[]);
        kill_process(Pid::from_child(&server.child), signal).expect("signals");
        assert_eq!(server.end().expect(0, "").stdout, "");
    }
}

#[test]
fn it_stops_after_the_sessions_asked_for_one_after_another() {
    let server = server(&["--max-sessions", "2", "--concurrency", "1"]);
    prove(&server.address).expect(0, "");
    prove(&server.address).expect(0, "");
    assert_eq!(results(&server.end().expect(0, "")), ["accepted", "accepted"]);
}

pub(crate) fn a_session_over_its_time_ends_while_others_go_on() {
    let server = server(&["--max-time", "1", "--max-sessions", "2"]);
    let address = server.address.clone();
    let silent = prover_at(&address);
    prove(&address).expect(0, "");
    let ended = server.end().expect(0, "");
    assert_eq!(results(&ended), ["accepted", "failed"], "{ended:?}");
    assert!(ended.stdout.contains("milliseconds"), "{ended:?}");
    drop(silent);
}

pub(crate) fn silent_clients_occupy_no_slot_and_are_dropped_after_the_time_to_connect() {
    let server = server(&["--concurrency", "1", "--connect-timeout", "2", "--max-sessions", "3"]);
    let mut silent = [(); 2].map(|()| TcpStream::connect(&server.address).expect("connects"));
    // The rest of this message never comes.
    silent[1].write_all(&[1, 200, 0, 0, 0, 7]).expect("sent");
    prove(&server.address).expect(0, "");
    let ended = server.end().expect(0, "");
    assert_eq!(results(&ended), ["accepted", "failed", "failed"], "{ended:?}");
    drop(silent);
}
