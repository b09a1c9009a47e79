//! The end of a server that was told to stop.

use std::thread::Scope;
use std::time::{Duration, Instant};

use super::pace::Phase;
use super::{Floor, Running, STOPPING, Server, Service};
use crate::failure::Failure;
use crate::terminal;

/// The name of the bound on sessions after the signal to stop.
const DRAINED: &str = "the time (ms) for sessions under way after the signal to stop";
/// How long after that bound the sessions have to report their end.
const LAST_WORDS: Duration = Duration::from_secs(1);

impl<S: Service> Server<'_, S> {
    /// Lets the sessions under way end, and turns away everybody who comes.
    pub(super) fn drain<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        floor: &mut Floor<'scope>,
    ) -> Result<(), Failure> {
        floor.reap()?;
        if floor.running.is_empty() {
            return Ok(());
        }
        terminal::message(
            "stopping once the running sessions have ended; send the signal again to stop at once",
        );
        let Some(time) = self.capacity.drain else { return Ok(()) };
        let now = Instant::now();
        floor.running.iter().for_each(|connection| connection.pace.end(Phase { what: DRAINED, time }, now));
        while !floor.running.is_empty() {
            if now.elapsed() > time + LAST_WORDS {
                self.abandon(&floor.running, time)?;
            }
            if let Some(socket) = self.accept() {
                self.turn_away(scope, &mut floor.away, socket, STOPPING.to_owned())?;
            }
            floor.reap()?;
        }
        Ok(())
    }

    /// Ends the program although these sessions go on: their time is over, and they wait for something.
    fn abandon(&self, running: &[Running<'_>], time: Duration) -> Result<(), Failure> {
        let reason = format!(
            "the server stops, and this connection did not end within {} s (--drain-time)",
            time.as_secs_f64()
        );
        for connection in running.iter().filter(|connection| !connection.thread.is_finished()) {
            self.service.failed(&connection.peer, Failure::session(&reason))?;
        }
        std::process::exit(0)
    }
}
