//! The record of a protocol run from which challenges are drawn (Fiat-Shamir), and the run's identifier.
//!
//! A transcript absorbs items `(label, bytes)` in order, each with the lengths of its label and of itself. A
//! challenge is the hash of everything absorbed so far and of its own label, and later challenges depend on
//! it. Two transcripts that differ in protocol, session, any item or any border between items give unrelated
//! challenges.

use crate::hash::item;

/// The identifier of one session. Every hash and challenge of the session depends on it. It is public.
///
/// It must never repeat, and neither party alone may determine it. Use a hash of the handshake, which
/// includes a nonce of each party.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionId([u8; 32]);

impl SessionId {
    /// The session with the identifier `bytes`.
    #[must_use]
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The identifier.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// A public seed of `N` bytes from a [`Transcript`], which nobody chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChallengeSeed<const N: usize>([u8; N]);

impl<const N: usize> ChallengeSeed<N> {
    /// The seed.
    #[must_use]
    pub const fn into_bytes(self) -> [u8; N] {
        self.0
    }
}

const ABSORB: u8 = 0;
const CHALLENGE: u8 = 1;

/// The messages so far in one protocol run.
#[derive(Clone)]
pub struct Transcript(blake3::Hasher);

impl Transcript {
    /// The empty transcript of `protocol` in `session`.
    #[must_use]
    pub fn new(protocol: &str, session: &SessionId) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("volery 2026 transcript v1");
        item(&mut hasher, protocol.as_bytes());
        item(&mut hasher, session.as_bytes());
        Self(hasher)
    }

    /// Absorbs `bytes` under `label`.
    pub fn absorb(&mut self, label: &str, bytes: &[u8]) {
        self.0.update(&[ABSORB]);
        item(&mut self.0, label.as_bytes());
        item(&mut self.0, bytes);
    }

    /// Absorbs a number under `label`.
    pub fn absorb_number(&mut self, label: &str, number: u64) {
        self.absorb(label, &number.to_le_bytes());
    }

    /// The challenge `label`: `N` bytes that depend on everything absorbed before.
    #[must_use]
    pub fn challenge_seed<const N: usize>(&mut self, label: &str) -> ChallengeSeed<N> {
        self.0.update(&[CHALLENGE]);
        item(&mut self.0, label.as_bytes());
        self.0.update(&(N as u64).to_le_bytes());
        let mut seed = [0; N];
        self.0.finalize_xof().fill(&mut seed);
        ChallengeSeed(seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(protocol: &str, session: u8, items: &[(&str, &[u8])]) -> [u8; 16] {
        let mut transcript = Transcript::new(protocol, &SessionId::new([session; 32]));
        for (label, bytes) in items {
            transcript.absorb(label, bytes);
        }
        transcript.challenge_seed("c").into_bytes()
    }

    /// Our own format, pinned: a change of these bytes is a change of every protocol's wire version.
    #[test]
    fn challenges_are_those_of_wire_version_two() {
        let mut input = Vec::new();
        let mut put = |bytes: &[u8]| {
            input.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
            input.extend_from_slice(bytes);
        };
        put(b"p");
        put(&[3; 32]);
        input.push(0);
        let mut put = |bytes: &[u8]| {
            input.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
            input.extend_from_slice(bytes);
        };
        put(b"x");
        put(b"abc");
        input.push(1);
        input.extend_from_slice(&[1, 0, 0, 0, 0, 0, 0, 0, b'c', 16, 0, 0, 0, 0, 0, 0, 0]);
        let expected = blake3::derive_key("volery 2026 transcript v1", &input);
        assert_eq!(run("p", 3, &[("x", b"abc")]), expected[..16]);
    }

    #[test]
    fn everything_absorbed_changes_the_challenge() {
        let base = run("p", 1, &[("x", b"ab"), ("y", b"c")]);
        let others = [
            run("q", 1, &[("x", b"ab"), ("y", b"c")]),
            run("p", 2, &[("x", b"ab"), ("y", b"c")]),
            run("p", 1, &[("z", b"ab"), ("y", b"c")]),
            run("p", 1, &[("x", b"a"), ("y", b"bc")]),
            run("p", 1, &[("y", b"c"), ("x", b"ab")]),
            run("p", 1, &[("x", b"ab")]),
            run("p", 1, &[("x", b"ab"), ("y", b"c"), ("", b"")]),
        ];
        assert!(others.iter().all(|other| *other != base));
    }

    #[test]
    fn a_challenge_is_part_of_what_the_next_one_depends_on() {
        let mut one = Transcript::new("p", &SessionId::new([0; 32]));
        let mut two = one.clone();
        let first = one.challenge_seed::<32>("c");
        assert_ne!(first, one.challenge_seed("c"));
        let _ = two.challenge_seed::<32>("d");
        let _ = two.challenge_seed::<32>("c");
        assert_ne!(one.challenge_seed::<32>("e"), two.challenge_seed("e"));
    }
}
