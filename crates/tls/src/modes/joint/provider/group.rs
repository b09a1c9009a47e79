//! The key exchange: ECDHE with the engine's key.

use std::sync::Arc;

use rustls::crypto::{ActiveKeyExchange, SharedSecret, SupportedKxGroup};
use rustls::ffdhe_groups::FfdheGroup;
use rustls::{Error, NamedGroup};

use super::session::Session;
use crate::wire::key_exchange::Group;

/// A group, with the current session's key in it.
#[derive(Debug)]
pub(super) struct Ecdhe(pub(super) Group);

impl SupportedKxGroup for Ecdhe {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        let (session, group) = (Session::current()?, self.0);
        let public = session.ask(move |engine| engine.public_key(group))?;
        Ok(Box::new(Started { session, group, public }))
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn name(&self) -> NamedGroup {
        NamedGroup::from(self.0.number())
    }
}

/// A key exchange that waits for the server's point.
struct Started {
    session: Arc<Session>,
    group: Group,
    public: Vec<u8>,
}

impl ActiveKeyExchange for Started {
    fn complete(self: Box<Self>, server: &[u8]) -> Result<SharedSecret, Error> {
        let (group, point) = (self.group, server.to_vec());
        self.session.ask(move |engine| engine.agree(group, &point))?;
        Ok(SharedSecret::from(&self.session.handle()[..]))
    }

    fn pub_key(&self) -> &[u8] {
        &self.public
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn group(&self) -> NamedGroup {
        NamedGroup::from(self.group.number())
    }
}
