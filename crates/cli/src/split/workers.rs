//! Starts workers: processes of this program, or whatever the user's command does.

use std::io::{ErrorKind, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use volery::Error;
use volery::split::remote::{DeadWorkers, Invitation, LotOf, LotServer, Times};
use volery_channel::handshake::Role;
use volery_field::Ring;
use zeroize::Zeroizing;

use super::worker::INVITATION;
use crate::args::{ConnectionArgs, WorkersArgs};
use crate::failure::Failure;

/// The processes that were started. They end with their coordinator.
struct Processes(Mutex<Vec<Child>>);

impl Processes {
    /// Adds one, and forgets those that have ended.
    fn add(&self, child: Child) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain_mut(|child| matches!(child.try_wait(), Ok(None)));
        all.push(child);
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        let all = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        for child in all {
            // One that has brought its result is about to end by itself, or has ended.
            if let Ok(None) = child.try_wait() {
                let _ = child.kill();
            }
            let _ = child.wait();
        }
    }
}

/// What hands lots to this party's workers, and starts them.
pub(super) fn lot_server<'a, L: LotOf, M: Ring>(
    args: &'a WorkersArgs,
    role: Role,
    connection: &ConnectionArgs,
    job: impl FnMut(usize) -> Result<Zeroizing<Vec<u8>>, Error> + 'a,
) -> Result<LotServer<'a, L, M>, Failure> {
    let processes = Processes(Mutex::default());
    let timeout = connection.timeout.as_secs_f64().to_string();
    let role = match role {
        Role::Prover => "prover",
        Role::Verifier => "verifier",
    };
    let known = Arc::new(OnceLock::<DeadWorkers>::new());
    let dead_workers = Arc::clone(&known);
    let launch = move |shard: usize, invitation: &Invitation| {
        let started = start(args.launch.as_deref(), shard, role, &timeout, invitation).map_err(|error| {
            Error::Split(format!("the worker of shard {shard} cannot be started: {error}"))
        })?;
        match (started, dead_workers.get()) {
            (Started::Runs(child), _) => processes.add(child),
            (Started::IsDead, Some(dead_workers)) => dead_workers.add(invitation),
            // The server finds it when its time to come is over.
            (Started::IsDead, None) => {}
        }
        Ok(())
    };
    let times = Times { arrive: args.arrive, ..Times::default() };
    let server = LotServer::open(&args.lot_server, args.lot_server_reached_at.clone(), times, launch, job)?;
    // It has just been made, and is empty.
    let _ = known.set(server.dead_workers());
    Ok(server)
}

/// What became of a process that was started.
enum Started {
    Runs(Child),
    /// It ended before it had read its invitation, so it is a worker that is lost.
    IsDead,
}

/// Starts a worker. The invitation goes through a pipe or the environment, where other users do not see it.
fn start(
    launch: Option<&str>,
    shard: usize,
    role: &str,
    timeout: &str,
    invitation: &Invitation,
) -> std::io::Result<Started> {
    if let Some(launch) = launch {
        let mut shell = Command::new("sh");
        shell.args(["-c", launch]).env(INVITATION, invitation.to_text().as_str());
        shell.env("VOLERY_SHARD", shard.to_string()).stdin(Stdio::null()).stdout(Stdio::null());
        return shell.spawn().map(Started::Runs);
    }
    let mut program = Command::new(std::env::current_exe()?);
    program.args(["split", "worker", role, "--timeout", timeout]).env_remove(INVITATION);
    hand(program.stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?, &invitation.to_text())
}

/// Hands a process its invitation. One that does not take it is ended, and waited for.
fn hand(mut child: Child, invitation: &str) -> std::io::Result<Started> {
    let Some(mut pipe) = child.stdin.take() else { return Ok(Started::Runs(child)) };
    let Err(error) = pipe.write_all(invitation.as_bytes()) else { return Ok(Started::Runs(child)) };
    // It may have ended already.
    let _ = child.kill();
    child.wait()?;
    match error.kind() {
        ErrorKind::BrokenPipe => Ok(Started::IsDead),
        _ => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    fn shell(script: &str) -> Child {
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a shell")
    }

    /// It may die at any time, and that must not end the session.
    #[test]
    fn a_process_that_dies_before_it_has_its_invitation_is_a_lost_worker() {
        let mut child = shell("exec <&-; echo; exec sleep 600");
        let mut closed = [0];
        child.stdout.take().expect("a pipe").read_exact(&mut closed).expect("it has closed its input");
        let pid = child.id();
        assert!(matches!(hand(child, "an invitation"), Ok(Started::IsDead)));
        // It was waited for: nothing of it is left, not even its number.
        assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());

        let child = match hand(shell("cat"), "an invitation") {
            Ok(Started::Runs(child)) => child,
            _ => panic!("it runs"),
        };
        assert_eq!(child.wait_with_output().expect("it ends").stdout, b"an invitation");
    }
}
