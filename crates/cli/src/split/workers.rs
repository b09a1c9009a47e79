//! Starts workers: processes of this program, or whatever the user's command does.

use std::io::Write as _;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use volery::Error;
use volery::split::remote::{Hall, Invitation, LotOf, Times};
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

/// A place where this party's workers come, and what starts them.
pub(super) fn hall<'a, L: LotOf, M: Ring>(
    args: &'a WorkersArgs,
    role: Role,
    connection: &ConnectionArgs,
    job: impl FnMut(usize) -> Result<Zeroizing<Vec<u8>>, Error> + 'a,
) -> Result<Hall<'a, L, M>, Failure> {
    let processes = Processes(Mutex::default());
    let timeout = connection.timeout.as_secs_f64().to_string();
    let role = match role {
        Role::Prover => "prover",
        Role::Verifier => "verifier",
    };
    let launch = move |shard: usize, invitation: &Invitation| {
        let child = start(args.launch.as_deref(), shard, role, &timeout, invitation).map_err(|error| {
            Error::Split(format!("the worker of shard {shard} cannot be started: {error}"))
        })?;
        processes.add(child);
        Ok(())
    };
    let times = Times { arrive: args.arrive, ..Times::default() };
    Ok(Hall::open(&args.hall, args.hall_reached_at.clone(), times, launch, job)?)
}

/// Starts a worker. The invitation goes through a pipe or the environment, where other users do not see it.
fn start(
    launch: Option<&str>,
    shard: usize,
    role: &str,
    timeout: &str,
    invitation: &Invitation,
) -> std::io::Result<Child> {
    if let Some(launch) = launch {
        let mut shell = Command::new("sh");
        shell.args(["-c", launch]).env(INVITATION, invitation.to_text().as_str());
        shell.env("VOLERY_SHARD", shard.to_string()).stdin(Stdio::null()).stdout(Stdio::null());
        return shell.spawn();
    }
    let mut program = Command::new(std::env::current_exe()?);
    program.args(["split", "worker", role, "--timeout", timeout]).env_remove(INVITATION);
    let mut child = program.stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
    if let Some(mut pipe) = child.stdin.take() {
        pipe.write_all(invitation.to_text().as_bytes())?;
    }
    Ok(child)
}
