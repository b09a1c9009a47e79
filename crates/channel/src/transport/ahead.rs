//! A transport from which bytes were taken already, to see what comes.

use std::io;

use super::{Interest, Transport};
use crate::platform::Instant;

/// Gives out bytes that were read from a transport before, and then those that follow.
#[derive(Debug)]
pub struct Ahead<T> {
    bytes: Vec<u8>,
    /// How many of them are given out.
    taken: usize,
    inner: T,
}

impl<T> Ahead<T> {
    /// `bytes`, then what comes from `inner`.
    pub fn new(bytes: Vec<u8>, inner: T) -> Self {
        Self { bytes, taken: 0, inner }
    }
}

impl<T: Transport> Transport for Ahead<T> {
    fn try_read(&mut self, out: &mut [u8]) -> io::Result<Option<usize>> {
        let rest = self.bytes.get(self.taken..).unwrap_or_default();
        if rest.is_empty() {
            return self.inner.try_read(out);
        }
        let count = rest.len().min(out.len());
        out.iter_mut().zip(rest).for_each(|(out, byte)| *out = *byte);
        self.taken += count;
        Ok(Some(count))
    }

    fn try_write(&mut self, bytes: &[u8]) -> io::Result<Option<usize>> {
        self.inner.try_write(bytes)
    }

    fn try_flush(&mut self) -> io::Result<bool> {
        self.inner.try_flush()
    }

    fn wait(&mut self, interest: Interest, deadline: Instant) -> io::Result<bool> {
        if interest.reads() && self.taken < self.bytes.len() {
            return Ok(true);
        }
        self.inner.wait(interest, deadline)
    }

    fn shutdown(&mut self) {
        self.inner.shutdown();
    }

    fn needs_linger(&self) -> bool {
        self.inner.needs_linger()
    }

    fn binding(&self) -> Option<[u8; 32]> {
        self.inner.binding()
    }
}
