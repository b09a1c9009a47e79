//! What can happen to bytes on their way.

use std::time::Duration;

use rand_core::Rng;

/// Something that happens once in a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    /// How many bytes have gone by before.
    pub(crate) at: usize,
    pub(crate) kind: Kind,
}

/// What happens.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// Bits of one byte are flipped: those of this mask, which is not zero.
    Flip(u8),
    /// So many bytes are lost.
    Drop(usize),
    /// So many bytes come twice.
    Repeat(usize),
    /// So many bytes are exchanged for zeros.
    Zero(usize),
    /// The stream ends.
    Cut,
    /// Nothing more comes, and the stream does not end.
    Silence,
    /// Everything after it is late.
    Pause(Duration),
}

impl Fault {
    /// Any of them, within the first `length` bytes.
    pub(crate) fn random(length: usize, rng: &mut impl Rng) -> Self {
        let count = 1 + rng.next_u32() as usize % 40;
        let kind = match rng.next_u32() % 10 {
            0..=3 => Kind::Flip(1 << (rng.next_u32() % 8)),
            4 => Kind::Drop(count),
            5 => Kind::Repeat(count),
            6 => Kind::Zero(count),
            7 => Kind::Cut,
            8 => Kind::Silence,
            // Up to three times what parties wait for.
            _ => Kind::Pause(Duration::from_millis(u64::from(rng.next_u32() % 3000))),
        };
        Self { at: rng.next_u32() as usize % length.max(1), kind }
    }
}

/// What becomes of `bytes`, which begin after `before` bytes of the stream: the bytes that go on, a pause to
/// make before the part that begins at an index of them, and whether anything can follow.
pub(crate) struct Outcome {
    pub(crate) bytes: Vec<u8>,
    pub(crate) pause: Option<(usize, Duration)>,
    pub(crate) end: Option<End>,
}

/// How a stream stops before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Cut,
    Silence,
}

impl Outcome {
    /// Without a fault.
    pub(crate) fn faithful(bytes: &[u8]) -> Self {
        Self { bytes: bytes.to_vec(), pause: None, end: None }
    }

    /// With `fault`. A fault that goes beyond the end of `bytes` ends there.
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
