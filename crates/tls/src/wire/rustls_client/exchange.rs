//! The key exchange of TLS 1.3, whose result P keeps: the handshake secret follows from it, and the TLS
//! library tells nobody.
//!
//! A client offers keys of both groups at once, so that no server has to ask for another hello. The library
//! does that for the parts of a hybrid group; here they are two groups of which the server takes one.

use core::cell::RefCell;

use rustls::crypto::{ActiveKeyExchange, SharedSecret, SupportedKxGroup};
use rustls::ffdhe_groups::FfdheGroup;
use rustls::{Error, NamedGroup};
use zeroize::Zeroizing;

use crate::wire::library::kx_group::{SECP256R1, X25519};

thread_local! {
    /// The result of this thread's last key exchange.
    static SHARED: RefCell<Option<Zeroizing<Vec<u8>>>> = const { RefCell::new(None) };
}

/// Both groups, offered at once.
static BOTH: Keeping = Keeping { group: X25519, and: Some(SECP256R1) };
/// The other one, which the library wants to know by itself, too.
static OTHER: Keeping = Keeping { group: SECP256R1, and: None };

/// The groups for a TLS library whose connection lives on one thread.
pub(crate) fn groups() -> Vec<&'static dyn SupportedKxGroup> {
    vec![&BOTH, &OTHER]
}

/// Takes what the last key exchange of this thread gave.
pub(crate) fn take() -> Option<Zeroizing<Vec<u8>>> {
    SHARED.take()
}

/// A group whose results are kept.
#[derive(Debug)]
struct Keeping {
    group: &'static dyn SupportedKxGroup,
    /// The group of the other key that is offered, if there is one.
    and: Option<&'static dyn SupportedKxGroup>,
}

impl SupportedKxGroup for Keeping {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        let other = self.and.map(SupportedKxGroup::start).transpose()?;
        Ok(Box::new(Started { own: self.group.start()?, other }))
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn name(&self) -> NamedGroup {
        self.group.name()
    }
}

/// Key exchanges of which the server finishes one.
struct Started {
    own: Box<dyn ActiveKeyExchange>,
    other: Option<Box<dyn ActiveKeyExchange>>,
}

/// Keeps a copy.
fn keep(secret: SharedSecret) -> SharedSecret {
    SHARED.set(Some(Zeroizing::new(secret.secret_bytes().to_vec())));
    secret
}

impl ActiveKeyExchange for Started {
    fn complete(self: Box<Self>, peer: &[u8]) -> Result<SharedSecret, Error> {
        self.own.complete(peer).map(keep)
    }

    fn hybrid_component(&self) -> Option<(NamedGroup, &[u8])> {
        let other = self.other.as_ref()?;
        Some((other.group(), other.pub_key()))
    }

    fn complete_hybrid_component(self: Box<Self>, peer: &[u8]) -> Result<SharedSecret, Error> {
        let other = self.other.ok_or_else(|| Error::General("there is no key of another group".into()))?;
        other.complete(peer).map(keep)
    }

    fn pub_key(&self) -> &[u8] {
        self.own.pub_key()
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn group(&self) -> NamedGroup {
        self.own.group()
    }
}
