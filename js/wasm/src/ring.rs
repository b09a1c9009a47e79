//! A transport over `PartyEnd` of `ring.js`: memory between this party and its WebSocket, which is in another
//! worker, or in this one if the engine suspends the party while it waits.

use std::cell::RefCell;
use std::io;
use std::time::Duration;

use volery_channel::platform::Instant;
use volery_channel::transport::{Interest, Transport};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// `PartyEnd` of `ring.js`.
    pub type Ring;

    /// The number of bytes read, 0 at the end, or -1 if there is nothing yet.
    #[wasm_bindgen(method, catch)]
    fn read(this: &Ring, out: &mut [u8]) -> Result<i32, JsValue>;

    /// The number of bytes written, 0 if nobody reads any more, or -1 if there is no room.
    #[wasm_bindgen(method, catch)]
    fn write(this: &Ring, bytes: &[u8]) -> Result<i32, JsValue>;

    /// Whether something can be read (1) or written (2). It blocks, or `party.js` has made it an import that
    /// suspends; such a one throws nothing, also if the session was aborted: `read` and `write` do.
    #[wasm_bindgen(method, catch)]
    fn wait(this: &Ring, interest: u32, milliseconds: f64) -> Result<bool, JsValue>;

    #[wasm_bindgen(method)]
    fn finish(this: &Ring);
}

thread_local! {
    /// This worker's ring. Channels must be `Send`, which values of JavaScript are not.
    static RING: RefCell<Option<Ring>> = const { RefCell::new(None) };
}

/// The transport over this worker's ring.
pub(crate) struct RingTransport(());

impl RingTransport {
    /// The transport over `ring`, in place of an earlier one.
    pub(crate) fn new(ring: Ring) -> Self {
        RING.with(|place| *place.borrow_mut() = Some(ring));
        Self(())
    }
}

impl Drop for RingTransport {
    /// The peer sees the connection end, and the memory may go.
    fn drop(&mut self) {
        self.shutdown();
        RING.with(|place| *place.borrow_mut() = None);
    }
}

/// Calls the ring. It throws only if the session was aborted.
fn ring<T>(call: impl FnOnce(&Ring) -> Result<T, JsValue>) -> io::Result<T> {
    RING.with(|ring| match &*ring.borrow() {
        Some(ring) => call(ring).map_err(|_| io::Error::other("aborted")),
        None => Err(io::ErrorKind::NotConnected.into()),
    })
}

/// A number of bytes; none if it is negative.
fn count(count: i32) -> Option<usize> {
    usize::try_from(count).ok()
}

impl Transport for RingTransport {
    fn try_read(&mut self, out: &mut [u8]) -> io::Result<Option<usize>> {
        Ok(count(ring(|ring| ring.read(out))?))
    }

    fn try_write(&mut self, bytes: &[u8]) -> io::Result<Option<usize>> {
        match count(ring(|ring| ring.write(bytes))?) {
            Some(0) if !bytes.is_empty() => Err(io::ErrorKind::BrokenPipe.into()),
            other => Ok(other),
        }
    }

    fn try_flush(&mut self) -> io::Result<bool> {
        Ok(true)
    }

    fn wait(&mut self, interest: Interest, deadline: Instant) -> io::Result<bool> {
        let interest = match interest {
            Interest::Read => 1,
            Interest::Write => 2,
            Interest::Either => 3,
        };
        let left = deadline.saturating_duration_since(Instant::now()).min(Duration::from_secs(1 << 20));
        ring(|ring| ring.wait(interest, left.as_secs_f64() * 1e3))
    }

    fn shutdown(&mut self) {
        // Without a ring there is nobody to tell.
        let _ = ring(|ring| {
            ring.finish();
            Ok(())
        });
    }

    fn needs_linger(&self) -> bool {
        false
    }

    fn binding(&self) -> Option<[u8; 32]> {
        None
    }
}
