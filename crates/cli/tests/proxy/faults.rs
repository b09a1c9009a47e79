//! Faults of a stream.

use std::time::Duration;

use rand_core::Rng;

/// One fault in a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    /// The number of bytes before it.
    pub(crate) at: usize,
    pub(crate) kind: Kind,
}

/// The kind of fault.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// The bits of this mask, which is not zero, are flipped in one byte.
    Flip(u8),
    /// This many bytes are lost.
    Drop(usize),
    /// This many bytes come twice.
    Repeat(usize),
    /// This many bytes become zeros.
    Zero(usize),
    /// The stream ends.
    Cut,
    /// No more bytes come, and the stream does not end.
    Silence,
    /// All bytes after it are late.
    Pause(Duration),
}

impl Fault {
    /// A random fault within the first `length` bytes.
    pub(crate) fn random(length: usize, rng: &mut impl Rng) -> Self {
        let count = 1 + rng.next_u32() as usize % 40;
        let kind = match rng.next_u32() % 10 {
            0..=3 => Kind::Flip(1 << (rng.next_u32() % 8)),
            4 => Kind::Drop(count),
            5 => Kind::Repeat(count),
            6 => Kind::Zero(count),
            7 => Kind::Cut,
            8 => Kind::Silence,
            // This is up to three times as long as parties wait.
            _ => Kind::Pause(Duration::from_millis(u64::from(rng.next_u32() % 3000))),
        };
        Self { at: rng.next_u32() as usize % length.max(1), kind }
    }
}

/// The result of a fault: the bytes to pass on, a pause before the part that begins at an index of them, and
/// whether the stream ends.
pub(crate) struct Outcome {
    pub(crate) bytes: Vec<u8>,
    pub(crate) pause: Option<(usize, Duration)>,
    pub(crate) end: Option<End>,
}

/// How a stream ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Cut,
    Silence,
}

impl Outcome {
    /// All bytes, without a fault.
    pub(crate) fn faithful(bytes: &[u8]) -> Self {
        Self { bytes: bytes.to_vec(), pause: None, end: None }
    }

    /// Applies `fault` to `bytes`, which begin after `before` bytes of the stream. A fault that reaches
    /// beyond `bytes` ends there.
    pub(crate) fn of(bytes: &[u8], before: usize, fault: &Fault) -> Self {
        let mut out = Self::faithful(bytes);
        let Some(at) = fault.at.checked_sub(before).filter(|at| *at < bytes.len()) else { return out };
        let until = |count: usize| bytes.len().min(at + count);
        match fault.kind {
            Kind::Flip(mask) => out.bytes[at] ^= mask,
            Kind::Drop(count) => drop(out.bytes.drain(at..until(count))),
            Kind::Repeat(count) => drop(out.bytes.splice(at..at, bytes[at..until(count)].iter().copied())),
            Kind::Zero(count) => out.bytes[at..until(count)].fill(0),
            Kind::Cut => {
                out.bytes.truncate(at);
                out.end = Some(End::Cut);
            }
            Kind::Silence => {
                out.bytes.truncate(at);
                out.end = Some(End::Silence);
            }
            Kind::Pause(time) => out.pause = Some((at, time)),
        }
        out
    }
}
