//! The state that the provider's objects share: access to the engine, and the first error.

use core::cell::RefCell;
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scoped_tls_hkt::scoped_thread_local;
use volery_channel::Latch;

use crate::modes::joint::client::{Failure, has_sentinel};
use crate::modes::joint::{Engine, Error};
use crate::wire::hash::HandshakeHash;
use crate::wire::key_schedule::TrafficSecret;
use crate::wire::prf::Random;
use crate::wire::suite::Suite;

/// Bytes of a handle.
pub(super) const HANDLE_BYTES: usize = 16;

/// How every handle begins. A real secret begins like this with probability 2^-64.
const NAMED: &[u8; 8] = b"session ";

/// Whether this is the handle of some session, and not a secret.
pub(super) fn is_handle(secret: &[u8]) -> bool {
    secret.starts_with(NAMED)
}

/// What rustls has instead of a secret: a session identifier, unique in the process.
pub(super) type Handle = [u8; HANDLE_BYTES];

/// A connection's session, as the provider sees it.
pub(in crate::modes::joint) struct Session {
    handle: Handle,
    /// The cipher suite that was prepared.
    suite: Suite,
    /// Whether the version was found out by a probe, so that the server has no reason for its sentinel.
    probed: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// After an error the engine gets no more calls.
    error: Latch<Error>,
    /// Whether rustls has got filler for an alert of its own.
    alert: bool,
    /// The randoms of client and server that the key block was derived from.
    key_block: Option<[Random; 2]>,
    /// The hash of both hellos, and the secrets of TLS 1.3's handshake that were derived from it.
    handshake: Option<(HandshakeHash, Secrets)>,
    /// The hash from which TLS 1.3's keys of data were derived.
    data: Option<HandshakeHash>,
}

/// The traffic secrets of TLS 1.3's handshake, client's first.
pub(super) type Secrets = [TrafficSecret; 2];

thread_local! {
    /// The session of this thread's TLS connection.
    static CURRENT: RefCell<Option<Arc<Session>>> = const { RefCell::new(None) };
}

scoped_thread_local! {
    /// The engine of this thread's session. There is none while it computes, so no call is within a call.
    static mut ENGINE: for<'a> &'a mut (dyn Engine + 'a)
}

/// Runs `tls` with a session that is this thread's until it returns, and whose calls reach `engine`. `probed`
/// says whether the version was found out by a probe.
///
/// # Panics
/// If `tls` or the engine panics.
pub(in crate::modes::joint) fn with_engine<T>(
    engine: &mut dyn Engine,
    probed: bool,
    tls: impl FnOnce(&Session) -> T,
) -> T {
    let (_, suite) = engine.protocol();
    let session = Arc::new(Session::new(suite, probed));
    let _entered = Entered::new(&session);
    ENGINE.set(engine, || tls(&session))
}

/// Makes a session the thread's current one until it is dropped.
pub(super) struct Entered(Option<Arc<Session>>);

impl Entered {
    pub(super) fn new(session: &Arc<Session>) -> Self {
        Self(CURRENT.replace(Some(Arc::clone(session))))
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

impl Session {
    pub(super) fn new(suite: Suite, probed: bool) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let mut handle = [0; HANDLE_BYTES];
        handle.iter_mut().zip(NAMED.iter().chain(b"........")).for_each(|(to, from)| *to = *from);
        if let Some(number) = handle.last_chunk_mut() {
            *number = NEXT.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        }
        Self { handle, suite, probed, state: Mutex::default() }
    }

    /// This thread's session.
    pub(in crate::modes::joint) fn current() -> Result<Arc<Self>, rustls::Error> {
        let current = CURRENT.with_borrow(Clone::clone);
        current.ok_or_else(|| rustls::Error::General("no session of two parties on this thread".into()))
    }

    /// The cipher suite that was prepared.
    pub(in crate::modes::joint) fn suite(&self) -> Suite {
        self.suite
    }

    /// The hash of messages with these bytes; `None` if they are not as many as the suite's hash has.
    pub(super) fn hash_of(&self, bytes: &[u8]) -> Option<HandshakeHash> {
        self.suite.hash().value(bytes)
    }

    pub(super) fn handle(&self) -> &Handle {
        &self.handle
    }

    /// The first error, if there was one.
    ///
    /// # Errors
    /// That error.
    pub(in crate::modes::joint) fn error(&self) -> Result<(), Error> {
        self.state().error.check()
    }

    /// Checks that rustls is about to send what the engine made. Call it before anything is sent.
    ///
    /// # Errors
    /// The first error, or one if rustls wants to send an alert and has got filler for it.
    pub(in crate::modes::joint) fn check(&self) -> Result<(), Error> {
        self.error()?;
        let alert = self.state().alert;
        if alert { Err(Failure::Tls("the TLS library wants to send an alert".into()).into()) } else { Ok(()) }
    }

    /// Calls the engine, unless there was an error before.
    pub(in crate::modes::joint) fn ask<T>(
        &self,
        call: impl FnOnce(&mut dyn Engine) -> Result<T, Error>,
    ) -> Result<T, rustls::Error> {
        if self.state().error.first().is_some() {
            return Err(latched());
        }
        // The engine that is there is the current session's, and an object may be older than that session.
        let current = CURRENT.with_borrow(|current| {
            current.as_ref().is_some_and(|current| core::ptr::eq(Arc::as_ptr(current), self))
        });
        if !current || !ENGINE.is_set() {
            return Err(self.misuse("the engine is gone in the middle of a connection"));
        }
        ENGINE.with(|engine| call(engine)).map_err(|error| self.latch(error))
    }

    /// Derives the key block once, however often it is asked for. A server that was found to speak TLS 1.2
    /// and whose random says that it speaks TLS 1.3 gets no further.
    pub(super) fn key_block(&self, client: Random, server: Random) -> Result<(), rustls::Error> {
        if self.probed && has_sentinel(&server) {
            return Err(self.latch(Failure::NotAsProbed.into()));
        }
        let before = self.state().key_block;
        match before {
            Some(before) if before == [client, server] => Ok(()),
            Some(_) => Err(self.misuse("keys of one session from other randoms")),
            None => {
                self.ask(move |engine| engine.key_block(&client, &server))?;
                self.state().key_block = Some([client, server]);
                Ok(())
            }
        }
    }

    /// The secrets of TLS 1.3's handshake, which are derived once, however often they are asked for.
    pub(super) fn handshake_secrets(&self, hash: HandshakeHash) -> Result<Secrets, rustls::Error> {
        let before = self.state().handshake.clone();
        match before {
            Some((before, secrets)) if before == hash => Ok(secrets),
            Some(_) => Err(self.misuse("secrets of one session from other hellos")),
            None => {
                let secrets = self.ask(move |engine| engine.handshake_secrets(&hash))?;
                self.state().handshake = Some((hash, secrets.clone()));
                Ok(secrets)
            }
        }
    }

    /// Derives TLS 1.3's keys of data once, however often they are asked for.
    pub(super) fn data_keys(&self, hash: HandshakeHash) -> Result<(), rustls::Error> {
        let before = self.state().data;
        match before {
            Some(before) if before == hash => Ok(()),
            Some(_) => Err(self.misuse("keys of one session from other messages")),
            None => {
                self.ask(move |engine| engine.data_keys(&hash))?;
                self.state().data = Some(hash);
                Ok(())
            }
        }
    }

    /// The secrets of TLS 1.3's handshake, if there are any.
    pub(in crate::modes::joint) fn known_secrets(&self) -> Option<Secrets> {
        self.state().handshake.as_ref().map(|(_, secrets)| secrets.clone())
    }

    /// Checks that a secret from rustls is this session's handle, possibly followed by more bytes.
    pub(super) fn own(&self, secret: &[u8]) -> Result<(), rustls::Error> {
        if secret.starts_with(&self.handle) {
            Ok(())
        } else {
            Err(self.misuse("the TLS library brought a secret of another session"))
        }
    }

    /// Notes that rustls got filler for an alert.
    pub(super) fn alert(&self) {
        self.state().alert = true;
    }

    /// Latches an error in this program or in the TLS library.
    pub(super) fn misuse(&self, reason: &'static str) -> rustls::Error {
        self.latch(Error::Parties(crate::Error::Misuse(reason.into())))
    }

    fn latch(&self, error: Error) -> rustls::Error {
        self.state().error.fail(error);
        latched()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic cannot leave the state half changed, so a poisoned lock is fine.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What rustls is told; the driver has the error itself.
fn latched() -> rustls::Error {
    rustls::Error::General("the two parties failed".into())
}
