//! Work outside of Python: on a thread of its own, without the GIL, while the caller waits and Ctrl-C counts.
//!
//! Python's signal handler only takes a note. So the waiting thread asks for notes all the time. If there is
//! one, it stops the work and leaves it behind: the connection is shut down, so a party that waits for its
//! peer wakes up, fails, and wipes its secrets; a computation goes on until it next looks at its connection.

use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;

use crate::failure::Failure;

/// How often the waiting thread looks for signals.
const TICK: Duration = Duration::from_millis(50);

/// Stops work from another thread.
#[derive(Default)]
pub(crate) struct Stop {
    stopped: AtomicBool,
    sockets: Mutex<Vec<UnixStream>>,
}

impl Stop {
    /// Whether the work is to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    /// Shuts this connection down when the work is to stop.
    pub(crate) fn guard(&self, socket: impl AsFd) {
        // Shutting down is the same for every kind of socket.
        if let Ok(copy) = socket.as_fd().try_clone_to_owned() {
            locked(&self.sockets).push(UnixStream::from(copy));
        }
        if self.is_stopped() {
            self.stop();
        }
    }

    /// Forgets its connections, which are closed: no copy is to keep them open.
    pub(crate) fn release(&self) {
        locked(&self.sockets).clear();
    }

    /// Stops the work, now and for ever.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        for socket in locked(&self.sockets).drain(..) {
            // The peer may be gone already.
            let _ = socket.shutdown(Shutdown::Both);
        }
    }
}

pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where the result goes.
struct Slot<T> {
    result: Mutex<Option<T>>,
    filled: Condvar,
}

/// Runs `work` on a thread of its own and waits for it. `tick` runs meanwhile, with the GIL.
///
/// # Errors
/// What a signal's handler raises, `KeyboardInterrupt` above all, and what `tick` raises. The work was told
/// to stop then.
pub(crate) fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    stop: &Stop,
    tick: &dyn Fn(Python<'_>) -> PyResult<()>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let slot = Arc::new(Slot { result: Mutex::new(None), filled: Condvar::new() });
    let shared = Arc::clone(&slot);
    let thread = std::thread::Builder::new().name("volery".into()).spawn(move || {
        // A panic is a fault of the library. It is reported as an error, as every other failure.
        let result = catch_unwind(AssertUnwindSafe(work));
        *locked(&shared.result) = Some(result.ok());
        shared.filled.notify_all();
    });
    thread.map_err(|error| Failure::Session(format!("no thread for the work: {error}")))?;
    loop {
        let result = py.detach(|| {
            let guard = locked(&slot.result);
            let waited = slot.filled.wait_timeout_while(guard, TICK, |result| result.is_none());
            waited.unwrap_or_else(PoisonError::into_inner).0.take()
        });
        match result {
            Some(Some(value)) => return Ok(value),
            Some(None) => return Err(Failure::Session("internal error: a thread failed".into()).into()),
            None => {
                if let Err(error) = py.check_signals().and_then(|()| tick(py)) {
                    stop.stop();
                    return Err(error);
                }
            }
        }
    }
}

/// As [`interruptible`], of work that fails, and that no connection waits for.
pub(crate) fn alone<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    Ok(interruptible(py, &Stop::default(), &|_| Ok(()), work)??)
}
