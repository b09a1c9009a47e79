//! A notary under load, with many clients at the same time, some of them hostile. It serves all honest ones,
//! and afterwards holds no more files, threads and memory than before.

use std::collections::HashSet;
use std::io::{Read as _, Write as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use volery_channel::tags::NOTARY_TOKEN;

use crate::fixture::{FIELDS, Fixture};
use crate::support::*;

/// The mode that costs a notary the most, for a page as small as this one.
const TOGETHER: &[&str] = &["--mode", "two-party", "--expect", "200"];

/// The resources of a process.
#[derive(Clone, Copy, Debug)]
struct Usage {
    files: usize,
    threads: usize,
    megabytes: u64,
}

/// The notary's resources now.
fn usage(fixture: &Fixture) -> Usage {
    let process = format!("/proc/{}", fixture.notary.child.id());
    let status = std::fs::read_to_string(format!("{process}/status")).expect("it lives");
    let number = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).expect(name);
        line.split_whitespace().next().and_then(|word| word.parse::<u64>().ok()).expect(name)
    };
    let files = std::fs::read_dir(format!("{process}/fd")).expect("it lives").count();
    Usage { files, threads: number("Threads:") as usize, megabytes: number("VmRSS:") / 1024 }
}

/// The notary's resources once all of its sessions have ended.
fn at_rest(fixture: &Fixture, before: Usage) -> Usage {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        let now = usage(fixture);
        if (now.files, now.threads) == (before.files, before.threads) {
            return now;
        }
        assert!(Instant::now() < end, "the notary keeps what sessions held: {now:?}, before {before:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Checks that the notary holds no more memory than `before`, except `allowance` megabytes that the allocator
/// keeps.
fn holds_no_more(now: Usage, before: Usage, allowance: u64) {
    assert!(now.megabytes <= before.megabytes + allowance, "{now:?}, before {before:?}");
}

/// Runs `count` provers at the same time, and checks that each gets its attestation.
fn prove_at_once(fixture: &Fixture, name: &str, count: usize, options: &[&str]) {
    std::thread::scope(|scope| {
        let one = |number| fixture.prove(&format!("{name}-{number}"), options);
        let all: Vec<_> = (0..count).map(|number| scope.spawn(move || one(number))).collect();
        for prover in all {
            prover.join().expect("no panic").expect(0, "");
        }
    });
    let written: HashSet<String> =
        (0..count).map(|number| fixture.path(&format!("{name}-{number}"))).collect();
    assert!(written.iter().all(|path| std::path::Path::new(path).exists()));
}

/// The number of sessions that ended with this word.
fn ended(fixture: Fixture, word: &str) -> usize {
    fixture.results().iter().filter(|other| *other == word).count()
}

#[test]
fn provers_beyond_the_slots_wait_in_the_queue_and_none_is_lost() {
    let fixture = Fixture::new(&["--concurrency", "2", "--per-client", "6"]);
    let before = usage(&fixture);
    prove_at_once(&fixture, "one-of", 6, &[]);
    at_rest(&fixture, before);
    assert_eq!(fixture.results(), ["accepted"; 6]);
}

/// Beginnings of a prover's first message, none of them complete.
fn beginnings() -> Vec<Vec<u8>> {
    let tag = NOTARY_TOKEN.byte();
    // All are sent within TLS. The last one is complete, but the session's first message is missing.
    vec![Vec::new(), vec![tag], vec![tag, 200, 0, 0, 0, 2], vec![tag, 1, 0, 0, 0], vec![tag, 1, 0, 0, 0, 2]]
}

pub(crate) fn a_client_that_is_silent_at_its_turn_loses_its_slot() {
    let patient = ["--timeout", "600", "--connect-timeout", "2"];
    let fixture = Fixture::new(&[&["--concurrency", "1", "--per-client", "2"], &patient[..]].concat());
    let before = usage(&fixture);
    let _silent = fixture.silent_session();
    fixture.prove("page", &[]).expect(0, "");
    at_rest(&fixture, before);
    let lines = fixture.lines();
    let reason = lines[0]["error"]["message"].as_str().expect("the first to go");
    assert!(reason.contains("when its turn has come"), "{reason}");
    assert_eq!((lines.len(), &lines[1]["result"]), (2, &"accepted".into()));
}

#[test]
fn silent_clients_occupy_no_slot_that_others_need() {
    // This is longer than a prover waits for the notary's first message. If a silent client had the slot, the
    // prover would wait in vain.
    let fixture = Fixture::new(&["--concurrency", "1", "--per-client", "64", "--connect-timeout", "600"]);
    let before = usage(&fixture);
    let mut silent = Vec::new();
    for beginning in beginnings().iter().cycle().take(20) {
        let mut socket = fixture.tls_client();
        socket.write_all(beginning).expect("sent");
        silent.push(socket);
    }
    fixture.prove("page", &[]).expect(0, "");
    drop(silent);
    at_rest(&fixture, before);
    let results = fixture.results();
    assert_eq!((results.len(), &results[0][..], &results[1][..]), (21, "accepted", "failed"), "{results:?}");
}

pub(crate) fn clients_that_trickle_their_first_message_are_dropped() {
    let fixture = Fixture::new(&["--connect-timeout", "2"]);
    let before = usage(&fixture);
    let sent = AtomicUsize::new(0);
    let message = [&[NOTARY_TOKEN.byte(), 1, 1, 0, 0, 2][..], &[b'x'; 256]].concat();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let mut socket = fixture.tls_client();
                // One byte at a time, each soon after the previous one.
                for byte in &message {
                    if socket.write_all(&[*byte]).is_err() {
                        break;
                    }
                    sent.fetch_add(1, Ordering::Relaxed);
                    std::thread::sleep(Duration::from_millis(50));
                }
                // The connection is closed without an answer.
                assert!(matches!(socket.read(&mut [0; 1]), Ok(0) | Err(_)));
            });
        }
    });
    assert!(sent.into_inner() < 3 * message.len(), "a message was heard out that came too slowly");
    at_rest(&fixture, before);
    assert_eq!(fixture.results(), ["failed"; 3]);
}

#[test]
fn messages_that_are_too_long_or_make_no_sense_end_their_own_session_alone() {
    let fixture = Fixture::new(&["--concurrency", "2", "--per-client", "64"]);
    let before = usage(&fixture);
    let tag = NOTARY_TOKEN.byte();
    let token = |rest: &[u8]| [&[tag, 1, 0, 0, 0, 1][..], rest].concat();
    let nonsense = [
        vec![tag, 0xff, 0xff, 0xff, 0xff],
        vec![tag, 2, 1, 0, 0],
        vec![tag, 0, 0, 0, 0],
        vec![0; 100],
        b"GET /metrics HTTP/1.1\r\n\r\n".to_vec(),
        token(&[1, 0xff, 0xff, 0xff, 0xff]),
        token(&[1, 0, 0, 0, 0]),
        token(&[0xff; 1000]),
    ];
    std::thread::scope(|scope| {
        let fixture = &fixture;
        let good = |number| scope.spawn(move || fixture.prove(&format!("page-{number}"), &[]));
        let good: Vec<_> = (0..3).map(good).collect();
        for bytes in &nonsense {
            scope.spawn(move || {
                let mut socket = fixture.tls_client();
                // The notary may close it before all is sent.
                let _ = socket.write_all(bytes);
                let _ = socket.read_to_end(&mut Vec::new());
            });
        }
        for prover in good {
            prover.join().expect("no panic").expect(0, "");
        }
    });
    // An honest prover with a request that is too long.
    let long = format!("Accept-Language: {}", "x".repeat(20_000));
    fixture.prove("none", &["--header", &long, "--mode", "two-party"]).expect(3, "");
    at_rest(&fixture, before);
    assert_eq!(ended(fixture, "accepted"), 3);
}

/// Starts provers and kills them, each a little later in its session than the one before, up to `length`.
fn killed(fixture: &Fixture, name: &str, count: u32, length: Duration, options: &[&str]) {
    for number in 0..count {
        let mut prover = spawn(&fixture.arguments(&format!("{name}-{number}"), options), FIELDS.as_bytes());
        std::thread::sleep(length * number / count);
        prover.kill().expect("it can be killed");
        prover.wait().expect("it has ended");
    }
}

/// Measures how long a session takes now.
fn length(fixture: &Fixture, out: &str, options: &[&str]) -> Duration {
    let start = Instant::now();
    fixture.prove(out, options).expect(0, "");
    start.elapsed()
}

#[test]
fn killed_provers_leave_nothing_behind() {
    let fixture = Fixture::new(&["--concurrency", "2", "--per-client", "64"]);
    let before = usage(&fixture);
    let length = length(&fixture, "first", &[]);
    killed(&fixture, "killed", 10, length, &[]);
    fixture.prove("last", &[]).expect(0, "");
    at_rest(&fixture, before);
    assert!(ended(fixture, "accepted") >= 2);
}

#[test]
#[ignore = "load: a hundred provers killed at all moments of their sessions, while others prove"]
fn load_killed_provers_harm_nobody_and_leave_nothing_behind() {
    let fixture = Fixture::new(&["--concurrency", "4", "--per-client", "64"]);
    let before = usage(&fixture);
    let length = length(&fixture, "first", TOGETHER);
    killed(&fixture, "killed", 20, length, TOGETHER);
    let warm = at_rest(&fixture, before);
    std::thread::scope(|scope| {
        let others = scope.spawn(|| {
            (0..10).for_each(|number| {
                fixture.prove(&format!("other-{number}"), TOGETHER).expect(0, "");
            })
        });
        killed(&fixture, "relayed", 50, length, &[]);
        killed(&fixture, "together", 50, 2 * length, TOGETHER);
        others.join().expect("nobody is harmed");
    });
    holds_no_more(at_rest(&fixture, before), warm, 64);
    assert!(ended(fixture, "accepted") >= 11);
}

#[test]
#[ignore = "load: 220 provers at the same time"]
fn load_twenty_sessions_at_once_and_two_hundred_in_the_queue_lose_none() {
    let fixture = Fixture::new(&["--concurrency", "20", "--per-client", "220"]);
    let before = usage(&fixture);
    prove_at_once(&fixture, "warm", 20, TOGETHER);
    let warm = at_rest(&fixture, before);
    prove_at_once(&fixture, "all", 220, TOGETHER);
    holds_no_more(at_rest(&fixture, before), warm, 64);
    assert_eq!(fixture.results(), ["accepted"; 240]);
}

#[test]
#[ignore = "load: 500 sessions"]
fn load_five_hundred_sessions_in_a_row_end_in_success() {
    let fixture = Fixture::new(&[]);
    let before = usage(&fixture);
    // Each fifth prover takes the mode that takes three times as long.
    let prove = |number: usize| {
        let options = if number.is_multiple_of(5) { TOGETHER } else { &[] };
        fixture.prove(&format!("page-{number}"), options).expect(0, "");
    };
    (0..50).for_each(prove);
    let warm = at_rest(&fixture, before);
    (50..500).for_each(prove);
    holds_no_more(at_rest(&fixture, before), warm, 32);
    assert_eq!(fixture.results(), ["accepted"; 500]);
}

#[test]
#[ignore = "load: 20 provers at the same time, five times"]
fn load_twenty_sessions_at_once_again_and_again_end_in_success() {
    let fixture = Fixture::new(&["--concurrency", "20", "--per-client", "40"]);
    let before = usage(&fixture);
    prove_at_once(&fixture, "warm", 20, TOGETHER);
    prove_at_once(&fixture, "warmer", 20, TOGETHER);
    let warm = at_rest(&fixture, before);
    for round in 0..3 {
        prove_at_once(&fixture, &format!("round-{round}"), 20, TOGETHER);
    }
    holds_no_more(at_rest(&fixture, before), warm, 64);
    assert_eq!(fixture.results(), ["accepted"; 100]);
}

/// How long the longest test takes: an hour, or as many minutes as `LOAD_MINUTES` says.
fn minutes() -> u64 {
    let set = std::env::var("LOAD_MINUTES").ok().map(|minutes| minutes.parse());
    set.transpose().expect("LOAD_MINUTES is a number").unwrap_or(60)
}

#[test]
#[ignore = "load: 200 sessions at the same time, for an hour"]
fn load_two_hundred_sessions_at_once_for_an_hour_leave_memory_flat() {
    const SESSIONS: usize = 200;
    // All clients are on this machine, and a handshake waits for its turn among 200.
    let patient = ["--timeout", "300", "--notary-timeout", "300"];
    let fixture = Fixture::new(
        &[
            &["--concurrency", "200", "--per-client", "400", "--memory", "3G"],
            &["--timeout", "600", "--connect-timeout", "600", "--max-wait", "300"][..],
        ]
        .concat(),
    );
    let before = usage(&fixture);
    let minutes = minutes();
    let end = Instant::now() + Duration::from_secs(60 * minutes);
    // Of the notary, while all are at work.
    let mut held = Vec::new();
    let done: usize = std::thread::scope(|scope| {
        let fixture = &fixture;
        let clients: Vec<_> = (0..SESSIONS)
            .map(|client| {
                // Each fourth takes the mode that takes three times as long.
                let mode = if client.is_multiple_of(4) { TOGETHER } else { &[] };
                scope.spawn(move || {
                    let mut done = 0;
                    while Instant::now() < end {
                        let options = [mode, &patient].concat();
                        fixture.prove(&format!("page-{client}"), &options).expect(0, "");
                        std::fs::remove_file(fixture.path(&format!("page-{client}"))).expect("written");
                        done += 1;
                    }
                    done
                })
            })
            .collect();
        while Instant::now() < end {
            std::thread::sleep(Duration::from_secs(15));
            held.push(usage(fixture));
        }
        clients.into_iter().map(|client| client.join().expect("no session fails")).sum()
    });
    // In the first third everything is touched that is ever needed.
    let greatest = |times: &[Usage]| times.iter().map(|time| time.megabytes).max().expect("some");
    let (first, rest) = held.split_at(held.len() / 3);
    let [first, rest] = [first, rest].map(greatest);
    println!("{done} sessions in {minutes} minutes; {first} MB at most in the first third, then {rest} MB");
    assert!(rest <= first + first / 10, "{held:?}");
    at_rest(&fixture, before);
    assert_eq!(fixture.results(), vec!["accepted"; done]);
}
