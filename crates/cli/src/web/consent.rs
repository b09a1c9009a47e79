//! Shows the user what will be signed, and asks, before the notary sees it.
//!
//! This takes a terminal. Without one, the user must agree beforehand (`--yes`) that the notary sees what is
//! not hidden (see [`volery::web::disclosure::Rest`]). Only what is typed after the question counts as an
//! answer.

use std::fs::File;
use std::io::{BufRead as _, BufReader, IsTerminal as _, stderr};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{QueueSelector, tcflush};
use volery::web::attestation::Statement;

use crate::failure::Failure;
use crate::terminal;

/// How long to wait for an answer: less than a notary waits for the prover's next message.
pub(super) const ANSWER_TIME: Duration = Duration::from_secs(25);

/// The terminal to ask at; none if nobody needs to be asked.
pub(super) struct Consent(Option<File>);

impl Consent {
    /// Opens the terminal, unless the user has said yes beforehand. Standard error must be a terminal, for
    /// the question; standard input may be in use for secrets. If the program is its own notary (`alone`),
    /// nobody else sees anything, so no terminal is needed.
    ///
    /// # Errors
    /// [`Failure::Input`] if there is no terminal.
    pub(super) fn new(yes: bool, alone: bool) -> Result<Self, Failure> {
        if yes {
            return Ok(Self(None));
        }
        let terminal = stderr().is_terminal().then(|| File::open("/dev/tty").ok()).flatten();
        if terminal.is_none() && alone {
            return Ok(Self(None));
        }
        let none = "there is no terminal to ask you on: give --yes to show the notary what is not hidden without asking \
                    (run without --notary first to see it)";
        terminal.map(|terminal| Self(Some(terminal))).ok_or_else(|| Failure::input(none))
    }

    /// Shows what will be signed, and asks whether it may be.
    pub(super) fn get(&self, statement: &Statement, time: Duration) -> Result<(), Failure> {
        let Some(terminal) = &self.0 else { return Ok(()) };
        let asked = || {
            forget(terminal)?;
            answer(terminal, time)
        };
        ask(statement, time, terminal::question, asked)
    }
}

/// As [`Consent::get`]. `answer` returns none if nobody answers in time.
fn ask(
    statement: &Statement,
    time: Duration,
    tell: impl FnOnce(&str),
    answer: impl FnOnce() -> Result<Option<String>, Failure>,
) -> Result<(), Failure> {
    tell(&format!(
        "The notary will see and sign this, and every reader of the attestation will see it:\n\n{statement}\n\
         Go on? [y/N] ({} s; --yes does not ask)",
        time.as_secs()
    ));
    match answer()? {
        Some(answer) if ["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str()) => Ok(()),
        Some(_) => Err(Failure::session("you said no, so nothing was shown to the notary")),
        None => Err(Failure::session(format!(
            "no answer in {} s, so nothing was shown to the notary, which does not wait longer. Run without --notary to \
             see what would be shown, or give --yes",
            time.as_secs()
        ))),
    }
}

/// Discards what was typed before the question.
fn forget(terminal: &File) -> Result<(), Failure> {
    tcflush(terminal, QueueSelector::IFlush).map_err(Failure::session)
}

/// Reads the next line at a terminal; none if none comes in time.
fn answer(terminal: &File, time: Duration) -> Result<Option<String>, Failure> {
    let time = Timespec { tv_sec: time.as_secs() as i64, tv_nsec: 0 };
    let ready = poll(&mut [PollFd::new(terminal, PollFlags::IN)], Some(&time)).map_err(Failure::session)?;
    if ready == 0 {
        return Ok(None);
    }
    let mut line = String::new();
    BufReader::new(terminal).read_line(&mut line).map_err(Failure::session)?;
    Ok(Some(line))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use rustix::fs::{Mode as Permissions, OFlags, open};
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use volery::web::attestation::{AttestedPayload, Context, Mode};
    use volery::web::disclosure::{Suite, TlsVersion};

    use super::*;

    fn statement() -> Statement {
        let request = b"GET /account HTTP/1.1";
        Statement {
            mode: Mode::TwoParty,
            tls: TlsVersion::Tls12,
            suite: Suite::Aes128GcmSha256,
            server_name: "example.com".into(),
            port: 443,
            alpn: true,
            certificate: [1; 32],
            time: 1_780_000_000,
            rounds: 1,
            pipelined: false,
            context: Context::default(),
            holder: None,
            query: AttestedPayload::revealing(request, core::slice::from_ref(&(0..request.len())))
                .expect("inside"),
            response: AttestedPayload::default(),
        }
    }

    #[test]
    fn only_a_yes_to_what_is_shown_is_one() {
        for (answer, expected) in
            [("y\n", true), (" YES\n", true), ("\n", false), ("", false), ("n\n", false), ("yellow\n", false)]
        {
            let mut told = String::new();
            let tell = |text: &str| told = text.to_owned();
            let asked = ask(&statement(), ANSWER_TIME, tell, || Ok(Some(answer.to_owned())));
            assert_eq!(asked.is_ok(), expected, "{answer:?}");
            assert!(told.contains("| GET /account HTTP/1.1") && told.contains("[y/N]"), "{told}");
        }
        assert!(ask(&statement(), ANSWER_TIME, |_| {}, || Ok(None)).is_err(), "silence is no yes");
    }

    #[test]
    fn those_who_said_yes_are_not_asked() {
        let consent = Consent::new(true, false).expect("nothing is needed");
        assert!(consent.0.is_none());
        assert_eq!(consent.get(&statement(), ANSWER_TIME), Ok(()));
    }

    /// Both ends of a terminal: the keyboard, and the program's end.
    fn terminal() -> (File, File) {
        let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&keyboard).and_then(|()| unlockpt(&keyboard)).expect("ours");
        let name = ptsname(&keyboard, Vec::new()).expect("it has a name");
        let program =
            open(&*name, OFlags::RDWR | OFlags::NOCTTY, Permissions::empty()).expect("its other end");
        (keyboard.into(), program.into())
    }

    #[test]
    fn what_was_typed_before_the_question_is_no_answer_to_it() {
        let (mut keyboard, program) = terminal();
        keyboard.write_all(b"yes\n").expect("typed");
        let long = Duration::from_secs(20);
        // The line has arrived, and a read would return it.
        let ready =
            poll(&mut [PollFd::new(&program, PollFlags::IN)], Some(&Timespec { tv_sec: 20, tv_nsec: 0 }));
        assert_eq!(ready, Ok(1));
        let consent = Consent(Some(program));
        let asked = consent.get(&statement(), Duration::ZERO).expect_err("nobody has answered");
        assert!(asked.to_string().contains("no answer in 0 s"), "{asked}");
        keyboard.write_all(b"no\n").expect("typed");
        let program = consent.0.expect("a terminal");
        assert_eq!(answer(&program, long), Ok(Some("no\n".into())));
    }
}
