//! The key exchange: ECDHE on P-256 with the engine's key.

use std::sync::Arc;

use rustls::crypto::{ActiveKeyExchange, SharedSecret, SupportedKxGroup};
use rustls::ffdhe_groups::FfdheGroup;
use rustls::{Error, NamedGroup};

use super::session::Session;
use crate::key_exchange::POINT_BYTES;

/// P-256, with the current session's key.
#[derive(Debug)]
pub(super) struct P256;

impl SupportedKxGroup for P256 {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        let session = Session::current()?;
        let public = session.ask(|engine| engine.public_key())?;
        Ok(Box::new(Started { session, public }))
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn name(&self) -> NamedGroup {
        NamedGroup::secp256r1
    }
}

/// A key exchange that waits for the server's point.
struct Started {
    session: Arc<Session>,
    public: [u8; POINT_BYTES],
}

impl ActiveKeyExchange for Started {
    fn complete(self: Box<Self>, server: &[u8]) -> Result<SharedSecret, Error> {
        let point = server.to_vec();
        self.session.ask(move |engine| engine.agree(&point))?;
        Ok(SharedSecret::from(&self.session.handle()[..]))
    }

    fn pub_key(&self) -> &[u8] {
        &self.public
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn group(&self) -> NamedGroup {
        NamedGroup::secp256r1
    }
}
