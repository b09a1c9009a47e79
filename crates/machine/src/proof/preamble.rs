//! What P tells V before a proof, as bytes: the claim and the profile. V needs both to know the statement.
//!
//! ```text
//! head   end: u8 (0 exit, 1 trap) | code, or place of the trap: u32 | cause: u8 | its value: u32
//!        | bytes of the journal: u32 | segments: u32 | checks of the log: u32
//! body   the journal | for each segment its rows by kind and its words: u32 each
//!        | for each check its new words: u64
//! ```
//!
//! Numbers are little-endian. The head has a fixed length and gives that of the body, so V can look at it
//! before it makes room. Each claim and profile has one encoding. [`ProgramRun::new`] checks what a profile's
//! numbers mean.
//!
//! [`ProgramRun::new`]: super::ProgramRun::new

use volery_circuit::Error;

use super::profile::{Counts, MOST_SEGMENTS, Profile};
use super::statement::RunClaim;
use super::trace::KINDS;
use crate::{Cause, End};

/// Bytes of a segment's numbers.
const SEGMENT: usize = 4 * (KINDS + 1);

/// The fixed part of a preamble: the end of the run, and the lengths of the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    end: End,
    journal: usize,
    segments: usize,
    checks: usize,
}

fn refuse(what: impl core::fmt::Display) -> Error {
    Error::Public(format!("what the prover says of the run: {what}"))
}

/// A number that is a length, or may be one.
fn length(number: usize) -> [u8; 4] {
    u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes()
}

impl Head {
    /// Bytes of its encoding.
    pub const BYTES: usize = 22;

    /// That of a run with this claim and profile.
    #[must_use]
    pub fn of(claim: &RunClaim, profile: &Profile) -> Self {
        let (segments, checks) = (profile.segments.len(), profile.fresh.len());
        Self { end: claim.end, journal: claim.journal.len(), segments, checks }
    }

    /// Its encoding.
    #[must_use]
    pub fn encode(&self) -> [u8; Self::BYTES] {
        let (kind, place, cause, value) = match self.end {
            End::Exit(code) => (0, code, 0, 0),
            End::Trap { pc, cause, value } => (1, pc, cause as u8, value),
        };
        let mut bytes = [0; Self::BYTES];
        let lengths = [self.journal, self.segments, self.checks].map(length);
        let parts =
            [&[kind][..], &place.to_le_bytes(), &[cause], &value.to_le_bytes(), lengths.as_flattened()];
        for (to, from) in bytes.iter_mut().zip(parts.into_iter().flatten()) {
            *to = *from;
        }
        bytes
    }

    /// Reads an encoding, of a run with a journal of at most `journal` bytes.
    ///
    /// # Errors
    /// [`Error::Public`] for anything that [`Head::encode`] does not write, or that is longer than a run can
    /// be.
    pub fn decode(bytes: &[u8; Self::BYTES], journal: usize) -> Result<Self, Error> {
        let [kind, place @ .., _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _] = *bytes;
        let [_, _, _, _, _, cause, rest @ ..] = *bytes;
        let mut words = rest.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word));
        let place = place.first_chunk().map(|place| u32::from_le_bytes(*place)).unwrap_or_default();
        let mut next = || words.next().unwrap_or_default();
        let value = next();
        let end = match (kind, cause, value) {
            (0, 0, 0) => End::Exit(place),
            (1, cause, value) => {
                let cause = Cause::ALL.into_iter().find(|known| *known as u8 == cause);
                End::Trap {
                    pc: place,
                    cause: cause.ok_or_else(|| refuse("an unknown cause of a trap"))?,
                    value,
                }
            }
            _ => return Err(refuse("an unknown kind of end")),
        };
        let [said, segments, checks] = [next(), next(), next()].map(|length| length as usize);
        if said > journal {
            return Err(refuse(format_args!("a journal of {said} bytes; at most {journal} are accepted")));
        }
        if segments > MOST_SEGMENTS || checks > segments {
            return Err(refuse(format_args!(
                "{segments} segments and {checks} checks of memory; at most {MOST_SEGMENTS} are possible, and no \
                 more checks than segments"
            )));
        }
        Ok(Self { end, journal: said, segments, checks })
    }

    /// Bytes of the body that follows.
    #[must_use]
    pub fn body(&self) -> usize {
        self.journal + SEGMENT * self.segments + 8 * self.checks
    }

    /// The end of the run.
    #[must_use]
    pub fn end(&self) -> End {
        self.end
    }
}

/// The body of the preamble of a run with this claim and profile.
#[must_use]
pub fn encode_body(claim: &RunClaim, profile: &Profile) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(Head::of(claim, profile).body());
    bytes.extend_from_slice(&claim.journal);
    for counts in &profile.segments {
        let numbers = counts.rows.iter().chain([&counts.words]);
        numbers.for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
    }
    profile.fresh.iter().for_each(|fresh| bytes.extend_from_slice(&fresh.to_le_bytes()));
    bytes
}

/// Reads the body that follows `head`.
///
/// # Errors
/// [`Error::Public`] if it has another length than the head says.
pub fn decode_body(head: &Head, body: &[u8]) -> Result<(RunClaim, Profile), Error> {
    let parts = body.split_at_checked(head.journal).filter(|_| body.len() == head.body());
    let parts =
        parts.and_then(|(journal, rest)| Some((journal, rest.split_at_checked(SEGMENT * head.segments)?)));
    let (journal, (segments, checks)) =
        parts.ok_or_else(|| refuse(format_args!("{} bytes, not {}", body.len(), head.body())))?;
    let segments = segments.as_chunks::<SEGMENT>().0.iter().map(|segment| {
        let mut numbers = segment.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word));
        let rows = core::array::from_fn(|_| numbers.next().unwrap_or_default());
        Counts { rows, words: numbers.next().unwrap_or_default() }
    });
    let fresh = checks.as_chunks().0.iter().map(|number| u64::from_le_bytes(*number));
    let profile = Profile { segments: segments.collect(), fresh: fresh.collect() };
    Ok((RunClaim { end: head.end, journal: journal.to_vec() }, profile))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn run() -> (RunClaim, Profile) {
        let counts = |first| Counts { rows: core::array::from_fn(|i| first + i as u32), words: first };
        let end = End::Trap { pc: 0x1_0004, cause: Cause::StoreOutside, value: 0x1234_5678 };
        let profile =
            Profile { segments: vec![counts(3), counts(1 << 20), counts(0)], fresh: vec![7, 1 << 40] };
        (RunClaim { end, journal: b"journal".to_vec() }, profile)
    }

    #[test]
    fn what_was_said_is_read() {
        for end in [End::Exit(0), End::Exit(u32::MAX), run().0.end] {
            let (claim, profile) = (RunClaim { end, ..run().0 }, run().1);
            let (head, body) = (Head::of(&claim, &profile), encode_body(&claim, &profile));
            let read = Head::decode(&head.encode(), 7).unwrap();
            assert_eq!((read, read.end(), read.body()), (head, end, body.len()));
            assert_eq!(decode_body(&read, &body), Ok((claim, profile)));
        }
    }

    #[test]
    fn a_head_is_laid_out_as_documented() {
        let (claim, profile) = run();
        let expected = [1, 4, 0, 1, 0, 7, 0x78, 0x56, 0x34, 0x12, 7, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0];
        assert_eq!(Head::of(&claim, &profile).encode(), expected);
    }

    #[test]
    fn heads_of_no_run_are_refused() {
        let good = Head::of(&run().0, &run().1).encode();
        assert!(Head::decode(&good, 7).is_ok());
        assert!(matches!(Head::decode(&good, 6), Err(Error::Public(_))), "a journal beyond the limit");
        // The kind of the end, the cause, an exit with a cause, segments, checks.
        for (at, byte) in [(0, 2), (5, 9), (0, 0), (17, 1), (18, 4)] {
            let mut bytes = good;
            bytes[at] = byte;
            assert!(matches!(Head::decode(&bytes, 7), Err(Error::Public(_))), "byte {at}");
        }
    }

    #[test]
    fn bodies_of_other_lengths_are_refused() {
        let (claim, profile) = run();
        let (head, mut body) = (Head::of(&claim, &profile), encode_body(&claim, &profile));
        body.push(0);
        assert!(matches!(decode_body(&head, &body), Err(Error::Public(_))));
        body.truncate(body.len() - 2);
        assert!(matches!(decode_body(&head, &body), Err(Error::Public(_))));
        assert!(matches!(decode_body(&head, &[]), Err(Error::Public(_))));
    }

    proptest! {
        #[test]
        fn any_bytes_are_refused_or_the_one_encoding(bytes: [u8; Head::BYTES], kind in 0..2_u8, cause in 0..10_u8) {
            let mut bytes = bytes;
            (bytes[0], bytes[5]) = (kind, cause);
            bytes[16..].fill(0);
            (bytes[12], bytes[13]) = (0, 0);
            if let Ok(head) = Head::decode(&bytes, usize::MAX) {
                prop_assert_eq!(head.encode(), bytes);
            }
        }
    }
}
