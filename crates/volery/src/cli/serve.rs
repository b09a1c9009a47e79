//! `volery verify --serve`, and notaries: one prover after another, or several at once, until told to stop.
//!
//! Each session has a thread and limits of its own, and one that fails, however it fails, ends alone. A signal stops
//! the waiting for more; sessions under way may end, which their limits bound. A second signal ends the program at once.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use volery_channel::transport::Socket;

use super::args::VerifyArgs;
use super::connection::Endpoint;
use super::failure::Failure;
use super::progress::Progress;
use super::settle::Settled;
use super::{outcome, output};

/// How often the server looks whether it was told to stop.
const PULSE: Duration = Duration::from_millis(100);

/// Time for a session unless the command line says otherwise.
pub(crate) const SESSION_TIME: Duration = Duration::from_secs(600);

/// Runs the server.
pub(crate) fn run(args: &VerifyArgs, statement: &Settled<'_>, text: String) -> Result<(), Failure> {
    let stop = Stop::at_signals()?;
    let mut endpoint = Endpoint::new(&args.connection)?;
    endpoint.limits.total_time.get_or_insert(SESSION_TIME);
    if endpoint.limits.total_bytes.is_none() {
        endpoint.limits.total_bytes = Some(statement.predict()?.generous());
    }
    stop.sessions(&endpoint, args.serve.concurrency, args.serve.max_sessions, &|socket| {
        let peer = socket.peer();
        // A panic would be a defect of ours; it must not take the other sessions with it.
        let result =
            catch_unwind(AssertUnwindSafe(|| statement.verify(endpoint.greet(socket)?, &Progress::none())));
        let result = result.unwrap_or_else(|_| Err(Failure::session("internal error")));
        outcome::report(args.json, &text, &peer, &result)
    })
}

/// One session, from the accepted connection to its line of results; an error is that the line could not be written.
pub(crate) type Session<'a> = &'a (dyn Fn(Socket) -> Result<(), Failure> + Sync);

/// The wish of the owner that serving end.
///
/// It is made before the endpoint: whoever reads the address from its message may send a signal at once.
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// The first signal asks for the end; the second one ends the program.
    pub(crate) fn at_signals() -> Result<Self, Failure> {
        let failed = |error: std::io::Error| Failure::session(format!("signals: {error}"));
        let stop = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first signal must not find the flag set.
            let code = 128 + signal;
            signal_hook::flag::register_conditional_shutdown(signal, code, Arc::clone(&stop))
                .map_err(failed)?;
            signal_hook::flag::register(signal, Arc::clone(&stop)).map_err(failed)?;
        }
        Ok(Self(stop))
    }

    /// Runs sessions, so many at once, until a signal comes or there were `most`.
    pub(crate) fn sessions(
        &self,
        endpoint: &Endpoint,
        concurrency: u16,
        most: Option<u64>,
        session: Session<'_>,
    ) -> Result<(), Failure> {
        let server = Server { endpoint, concurrency: usize::from(concurrency), session };
        std::thread::scope(|scope| server.run(scope, most.unwrap_or(u64::MAX), self))
    }

    fn is_asked_for(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

struct Server<'a> {
    endpoint: &'a Endpoint,
    concurrency: usize,
    session: Session<'a>,
}

impl Server<'_> {
    fn run<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        mut left: u64,
        stop: &Stop,
    ) -> Result<(), Failure> {
        let mut sessions: Vec<ScopedJoinHandle<'_, Result<(), Failure>>> = Vec::new();
        while left > 0 && !stop.is_asked_for() {
            reap(&mut sessions)?;
            if sessions.len() >= self.concurrency {
                std::thread::sleep(PULSE / 10);
                continue;
            }
            match self.endpoint.accept(PULSE) {
                Ok(None) => {}
                Ok(Some(socket)) => {
                    left -= 1;
                    sessions.push(scope.spawn(move || (self.session)(socket)));
                }
                // Like too many open files: it passes.
                Err(failure) => {
                    output::message(&format!("volery: {failure}"));
                    std::thread::sleep(PULSE);
                }
            }
        }
        if stop.is_asked_for() && !sessions.is_empty() {
            output::message("stopping when the sessions under way have ended; once more to stop at once");
        }
        sessions.into_iter().try_for_each(finish)
    }
}

/// Forgets the sessions that have ended.
fn reap(sessions: &mut Vec<ScopedJoinHandle<'_, Result<(), Failure>>>) -> Result<(), Failure> {
    for index in (0..sessions.len()).rev() {
        if sessions.get(index).is_some_and(ScopedJoinHandle::is_finished) {
            finish(sessions.swap_remove(index))?;
        }
    }
    Ok(())
}

/// What is an error here is that the result could not be written: then serving has no use.
fn finish(session: ScopedJoinHandle<'_, Result<(), Failure>>) -> Result<(), Failure> {
    session.join().unwrap_or_else(|_| Err(Failure::session("internal error")))
}
