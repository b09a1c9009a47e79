//! The memory that all sessions share. No single client gets all of it.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use volery::web::joint::Budget;

/// Memory for the sessions of all clients.
pub(super) struct Memory {
    budget: Budget,
    /// The most memory of one client's sessions together.
    each: u64,
    /// The budgets of the clients with a session.
    clients: Mutex<HashMap<IpAddr, Arc<Budget>>>,
}

impl Memory {
    pub(super) fn new(bytes: u64, each: u64) -> Self {
        Self { budget: Budget::new(bytes), each, clients: Mutex::default() }
    }

    /// The budget for a client's session, to be held until the session ends. A client on this machine may use
    /// all of it.
    pub(super) fn of(&self, client: Option<IpAddr>) -> Arc<Budget> {
        let Some(client) = client else { return Arc::new(self.budget.clone()) };
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        clients.retain(|_, budget| Arc::strong_count(budget) > 1);
        Arc::clone(clients.entry(client).or_insert_with(|| Arc::new(self.budget.part(self.each))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sessions_of_one_client_share_a_part_and_those_of_others_have_theirs() {
        let memory = Memory::new(100, 60);
        let [one, other] = ["10.0.0.1", "10.0.0.2"].map(|text| text.parse().ok());
        let first = memory.of(one);
        assert_eq!(*first, *memory.of(one), "one part for all sessions");
        assert_ne!(*first, *memory.of(other));
        assert_eq!([&first, &memory.of(other), &memory.of(None)].map(|budget| budget.free()), [60, 60, 100]);
        assert_eq!(*first, *memory.of(one), "as long as there is a session");
        drop(first);
        let _ = memory.of(other);
        assert_eq!(memory.clients.lock().expect("no panic").len(), 1, "who has gone is forgotten");
    }
}
