//! Where workers of one lot find each other.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use volery_channel::{Channel, Limits, memory_pair};

use crate::Error;

/// One end of a connection.
pub(super) type End = Box<dyn Channel + Send>;

/// By token, the end that waits for the second to come; none once both have come.
pub(super) struct Meeting {
    waiting: Mutex<HashMap<[u8; 16], Option<End>>>,
    come: Condvar,
    limits: Limits,
}

impl Meeting {
    pub(super) fn new() -> Self {
        Self::within(&Limits { read: Duration::from_secs(20), ..Limits::default() })
    }

    /// One whose connections have these limits.
    pub(super) fn within(limits: &Limits) -> Self {
        Self { waiting: Mutex::default(), come: Condvar::new(), limits: limits.clone() }
    }

    /// A connection to whoever else comes with this token.
    pub(super) fn join(&self, token: [u8; 16]) -> Result<End, Error> {
        let mut waiting = self.waiting.lock().expect("no panic");
        if let Some(end) = waiting.get_mut(&token) {
            let end = end.take();
            self.come.notify_all();
            return end.ok_or_else(|| Error::Split("a third worker came with one token".into()));
        }
        let (ours, theirs) = memory_pair(&self.limits);
        waiting.insert(token, Some(Box::new(theirs)));
        Ok(Box::new(ours))
    }
}
