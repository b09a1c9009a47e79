//! The terminal: progress, `--quiet`, `--verbose`, colours, completions, manual pages.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::support::*;

/// The two ends of a terminal: the screen, and the program's end.
fn terminal() -> (File, OwnedFd) {
    let screen = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&screen).and_then(|()| unlockpt(&screen)).expect("ours");
    let name = ptsname(&screen, Vec::new()).expect("it has a name");
    let program = open(&*name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("its other end");
    (File::from(screen), program)
}

/// Runs the program with standard error on a terminal. Returns its exit code, standard output and what the
/// terminal showed.
fn on_terminal(args: &[&str], variables: &[(&str, &str)]) -> Ended {
    let (mut screen, program) = terminal();
    let mut command = Command::new(env!("CARGO_BIN_EXE_volery"));
    command.args(args).env("TERM", "xterm-256color").env_remove("NO_COLOR").envs(variables.iter().copied());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(program);
    let child = command.spawn().expect("the program starts");
    // The program's end of the terminal is closed with it.
    drop(command);
    let seen = std::thread::spawn(move || {
        let (mut seen, mut part) = (Vec::new(), [0; 4096]);
        // On Linux a read fails once no program has the terminal open.
        while let Ok(count @ 1..) = screen.read(&mut part) {
            seen.extend_from_slice(&part[..count]);
        }
        String::from_utf8_lossy(&seen).into_owned()
    });
    let output = child.wait_with_output().expect("waits");
    Ended {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: seen.join().expect("read"),
    }
}

/// Writes the witness of [`ABC`] to a file.
fn witness(dir: &tempfile::TempDir) -> String {
    write(dir.path(), "witness.txt", ABC_WITNESS)
}

/// Runs a session whose prover has a terminal and the options `more`.
fn prove(more: &[&str]) -> Ended {
    let dir = tempfile::tempdir().expect("a directory");
    let witness = witness(&dir);
    let verifier = Running::listening(&join(&[&["verify"], ABC, &["--listen", "127.0.0.1:0"]]), "");
    let connect = ["--witness", &witness, "--connect", &verifier.address];
    let ended = on_terminal(&join(&[&["prove"], ABC, &connect, more]), &[]).expect(0, "");
    verifier.end().expect(0, "");
    ended
}

#[test]
fn a_proof_shows_a_bar_on_a_terminal_and_none_when_quiet() {
    let ended = prove(&[]);
    assert!(ended.stderr.contains('%') && ended.stderr.contains("checking the witness"), "{ended:?}");
    // Nothing of this is on standard output.
    assert!(!ended.stdout.contains('\u{1b}') && ended.stdout.starts_with("accepted: "), "{ended:?}");
    assert_eq!(prove(&["--quiet"]).stderr, "");
}

#[test]
fn the_proof_of_a_run_shows_its_steps() {
    let [program, public, secret] =
        ["sum-c.elf", "public.txt", "secret.txt"].map(|name| crate::guest::path("sum", name));
    let statement = [&*program, "--public", &public];
    let verifier = Running::listening(&join(&[&["verify"], &statement, &["--listen", "127.0.0.1:0"]]), "");
    let connect = ["--witness", &secret, "--connect", &verifier.address, "--pad-to", "65536"];
    let ended = on_terminal(&join(&[&["prove"], &statement, &connect]), &[]).expect(0, "running the program");
    assert!(ended.stderr.contains("0 of ") && ended.stderr.contains(" steps"), "{ended:?}");
    verifier.end().expect(0, "");
}

#[test]
fn commands_without_a_peer_show_what_they_do() {
    let dir = tempfile::tempdir().expect("a directory");
    let witness = witness(&dir);
    let proof = dir.path().join("proof").to_str().expect("UTF-8").to_owned();
    let prove = join(&[&["prove"], ABC, &["--witness", &witness, "--out", &proof]]);
    for (args, line) in [
        (join(&[&["check"], ABC, &["--witness", &witness]]), "checking the witness"),
        (prove, "making the proof"),
        (join(&[&["verify"], ABC, &[&proof]]), "verifying the proof"),
        (join(&[&["compute"], ABC, &["--witness", &witness]]), "computing"),
        (vec!["soundness"], "computing bounds"),
        (vec!["bench", "zkbpp", "--size", "3", "--sigma", "1"], "measuring zkbpp"),
        (vec!["bench", "preimage", "--size", "3"], "measuring preimage"),
        (join(&[&["info"], ABC]), "%"),
    ] {
        let ended = on_terminal(&args, &[]).expect(0, line);
        assert!(!ended.stdout.is_empty(), "{ended:?}");
        // A rate has three digits and a unit.
        let rates = ended.stderr.split_whitespace().filter_map(|word| word.strip_suffix("/s"));
        for rate in rates {
            assert!(rate.split_once('.').is_none_or(|(_, decimals)| decimals.len() <= 2), "{rate}");
        }
        if args[0] != "prove" {
            let quiet = on_terminal(&join(&[&args, &["-q"]]), &[]).expect(0, "");
            assert_eq!(quiet.stderr, "", "{args:?}");
        }
    }
}

#[test]
fn nothing_moves_where_there_is_no_terminal() {
    let (prover, verifier) = session([ABC, ABC], ABC_WITNESS, &[], &[]);
    assert_eq!(prover.expect(0, "").stderr, "");
    assert!(!verifier.expect(0, "").stderr.contains('%'));
    let checked = run(&join(&[&["check"], ABC, &["--witness", "-"]]), ABC_WITNESS).expect(0, "");
    assert_eq!(checked.stderr, "");
}

#[test]
fn quiet_says_nothing_but_errors_and_verbose_says_more() {
    let check =
        |more: &[&str], witness: &str| run(&join(&[&["check"], ABC, &["--witness", "-"], more]), witness);
    check(&["--quiet"], "0x616264").expect(1, "volery: rejected");
    // Each party reports what it does.
    let (prover, verifier) = session([ABC, ABC], ABC_WITNESS, &["-v"], &["--verbose"]);
    prover.expect(0, "connected to 127.0.0.1:").expect(0, "quicksilver over F2");
    verifier.expect(0, "said hello");
    run(&["soundness", "--quiet", "--verbose"], "").refused("cannot be used with");
    let few = |more: &[&str]| {
        let dir = tempfile::tempdir().expect("a directory");
        let (witness, out) = (witness(&dir), dir.path().join("proof").to_str().expect("UTF-8").to_owned());
        let args = ["--witness", &witness, "--out", &out, "--protocol", "zkbpp", "--sigma", "40"];
        run(&join(&[&["prove"], ABC, &args, more]), "").expect(0, "").stderr
    };
    assert!(few(&[]).contains("warning"));
    assert_eq!(few(&["-q"]), "");
}

#[test]
fn colours_follow_the_option_and_no_color() {
    let red = "\u{1b}[";
    let refused = |more: &[&str], variables: &[(&str, &str)]| {
        on_terminal(&join(&[&["check", "no-such-statement", "--witness", "x"], more]), variables)
            .expect(2, "no-such-statement")
            .stderr
    };
    // The moving line has escapes, too, so these are quiet.
    assert!(refused(&["-q"], &[]).contains(red));
    assert!(!refused(&["-q"], &[("NO_COLOR", "1")]).contains(red));
    assert!(!refused(&["-q", "--color", "never"], &[]).contains(red));
    assert!(!refused(&["-q"], &[("TERM", "dumb")]).contains(red));
    assert!(refused(&["-q", "--color=always"], &[("NO_COLOR", "1")]).contains(red));
    // Help has colours, too. A pipe gets none unless the option asks for them.
    assert!(!run(&["--help"], "").stdout.contains(red));
    assert!(run(&["--color", "always", "--help"], "").stdout.contains(red));
}

#[test]
fn shells_get_completions_of_every_command() {
    for (shell, sign) in [("bash", "complete -F"), ("zsh", "#compdef volery"), ("fish", "complete -c volery")]
    {
        let script = run(&["completions", shell], "").expect(0, "").stdout;
        assert!(script.contains(sign) && script.contains("prove-range"), "{shell}");
        assert!(!script.contains("bench-party"), "{shell}: it completes a hidden command");
    }
    run(&["completions", "no-such-shell"], "").refused("possible values");
}

#[test]
fn a_reader_that_has_seen_enough_of_a_page_is_no_failure() {
    let mut child = spawn(&["completions", "bash"], b"");
    // The script is longer than what a pipe holds.
    drop(child.stdout.take());
    let ended = child.wait_with_output().expect("ends");
    assert_eq!((ended.status.code(), String::from_utf8_lossy(&ended.stderr).as_ref()), (Some(0), ""));
}

#[test]
fn every_command_has_a_manual_page() {
    for (command, words) in [
        (&[][..], ["volery\\-prove(1)", "\\-\\-color"]),
        (&["prove"], ["\\-\\-witness", "STATEMENTS"]),
        (&["web", "prove"], ["\\-\\-notary\\-key", "CLAIMS"]),
    ] {
        let page = run(&join(&[&["man"], command]), "").expect(0, "").stdout;
        assert!(page.contains(".TH volery"), "{page}");
        for word in words {
            assert!(page.contains(word), "no {word} in the page of {command:?}:\n{page}");
        }
        assert!(!page.contains("bench\\-party"), "{command:?}");
    }
    run(&["man", "fly"], "").refused("there is no command `volery fly`");
    run(&["man", "bench-party"], "").refused("there is no command");
}
