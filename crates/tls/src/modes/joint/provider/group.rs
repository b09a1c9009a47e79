//! The key exchange: ECDHE with the engine's key.

use std::sync::Arc;

use rustls::crypto::{ActiveKeyExchange, SharedSecret, SupportedKxGroup};
use rustls::ffdhe_groups::FfdheGroup;
use rustls::{Error, NamedGroup};

use super::session::Session;
use crate::wire::key_exchange::Group;

/// The groups alone: a client of TLS 1.2 makes the key that the server asks for.
pub(super) static P256_ALONE: Ecdhe = Ecdhe { group: Group::P256, and: None };
pub(super) static X25519_ALONE: Ecdhe = Ecdhe { group: Group::X25519, and: None };
/// X25519, with a key of P-256 offered beside it: a client of TLS 1.3 offers both at once, so that no server
/// has to ask for another hello. The library does that for the parts of a hybrid group; here they are two
/// groups, and the server takes one of them.
pub(super) static BOTH: Ecdhe = Ecdhe { group: Group::X25519, and: Some(Group::P256) };

/// A group, with the current session's key in it.
#[derive(Debug)]
pub(super) struct Ecdhe {
    group: Group,
    /// The group of the other key that is offered, if there is one.
    and: Option<Group>,
}

impl SupportedKxGroup for Ecdhe {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        let session = Session::current()?;
        let key = |group| -> Result<Key, Error> {
            Ok(Key { group, public: session.ask(move |engine| engine.public_key(group))? })
        };
        let (own, other) = (key(self.group)?, self.and.map(key).transpose()?);
        Ok(Box::new(Started { own, other, session }))
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn name(&self) -> NamedGroup {
        NamedGroup::from(self.group.number())
    }
}

/// The client's key of a group.
struct Key {
    group: Group,
    public: Vec<u8>,
}

/// A key exchange that waits for the server's point.
struct Started {
    session: Arc<Session>,
    own: Key,
    other: Option<Key>,
}

impl Started {
    fn agree(&self, key: &Key, server: &[u8]) -> Result<SharedSecret, Error> {
        let (group, point) = (key.group, server.to_vec());
        self.session.ask(move |engine| engine.agree(group, &point))?;
        Ok(SharedSecret::from(&self.session.handle()[..]))
    }
}

impl ActiveKeyExchange for Started {
    fn complete(self: Box<Self>, server: &[u8]) -> Result<SharedSecret, Error> {
        self.agree(&self.own, server)
    }

    fn hybrid_component(&self) -> Option<(NamedGroup, &[u8])> {
        let Key { group, public } = self.other.as_ref()?;
        Some((NamedGroup::from(group.number()), public))
    }

    fn complete_hybrid_component(self: Box<Self>, server: &[u8]) -> Result<SharedSecret, Error> {
        match &self.other {
            Some(other) => self.agree(other, server),
            None => Err(Error::General("there is no key of another group".into())),
        }
    }

    fn pub_key(&self) -> &[u8] {
        &self.own.public
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn group(&self) -> NamedGroup {
        NamedGroup::from(self.own.group.number())
    }
}
