//! What V demands of a run before it verifies it.

use super::profile::Profile;
use super::settings::Settings;
use super::statement::RunClaim;
use crate::End;

/// How a run must end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Somehow.
    Any,
    /// By `exit` with this code.
    Exit(u32),
    /// By a trap at this address, for any cause.
    Trap(u32),
}

impl Ending {
    /// Whether a run ended so.
    #[must_use]
    pub fn allows(self, end: End) -> bool {
        match (self, end) {
            (Self::Any, _) => true,
            (Self::Exit(code), End::Exit(found)) => code == found,
            (Self::Trap(place), End::Trap { pc, .. }) => place == pc,
            (Self::Exit(_) | Self::Trap(_), _) => false,
        }
    }

    /// Checks that a run ended so.
    ///
    /// # Errors
    /// What is different, in words.
    pub fn check(self, end: End) -> Result<(), String> {
        if self.allows(end) {
            Ok(())
        } else {
            Err(format!("the program ended by {end}, and {self} is claimed"))
        }
    }
}

impl core::fmt::Display for Ending {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Any => f.write_str("some end"),
            Self::Exit(code) => write!(f, "exit with code {code}"),
            Self::Trap(place) => write!(f, "a trap at {place:#010x}"),
        }
    }
}

/// What V demands of a run, and how long it may be. Both are checked before the proof begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// How it must end.
    pub ending: Ending,
    /// The most rows that V follows: steps, bytes that calls move, and the rows that fill up. As many words
    /// may be touched, each counted once in every segment, and the segments may be those of a run that takes
    /// as much time. So this also bounds V's memory, which is some 90 bytes for each word that the run uses.
    pub rows: u64,
    /// The longest journal, in bytes.
    pub journal: usize,
}

impl Default for Terms {
    /// Exit with code 0, 2^32 rows, a journal of 16 MiB.
    fn default() -> Self {
        Self { ending: Ending::Exit(0), rows: 1 << 32, journal: 16 << 20 }
    }
}

impl Terms {
    /// How the reason begins if V would have to do more work than [`Terms::rows`] allows.
    pub const TOO_LONG: &str = "the run is more work than this verifier accepts";

    /// Checks a claim and a profile. The journal's length is checked where it is read.
    ///
    /// # Errors
    /// What is different, in words.
    pub fn check(&self, claim: &RunClaim, profile: &Profile, settings: Settings) -> Result<(), String> {
        self.ending.check(claim.end)?;
        let segments = profile.segments.len().saturating_sub(1) as u64;
        // A row touches at most one word, and a segment without rows has tables.
        for (number, what) in [
            (profile.rows(), "rows of steps"),
            (profile.words(), "words of memory, counted in each segment"),
            (segments.saturating_mul(settings.steps.into()), "steps if all segments but the last are full"),
        ] {
            if number > self.rows {
                let (too_long, most) = (Self::TOO_LONG, self.rows);
                return Err(format!("{too_long}: it takes {number} {what}; {most} are accepted"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::profile::Counts;
    use super::super::trace::KINDS;
    use super::*;
    use crate::Cause;

    const TRAP: End = End::Trap { pc: 0x1_0008, cause: Cause::Breakpoint, value: 0 };

    #[test]
    fn a_run_ends_as_demanded_or_the_error_says_how_it_ended() {
        for (ending, end) in [
            (Ending::Any, End::Exit(7)),
            (Ending::Any, TRAP),
            (Ending::Exit(7), End::Exit(7)),
            (Ending::Trap(0x1_0008), TRAP),
        ] {
            assert_eq!(ending.check(end), Ok(()));
        }
        let said = |ending: Ending, end| ending.check(end).unwrap_err();
        assert_eq!(
            said(Ending::Exit(0), End::Exit(7)),
            "the program ended by exit with code 7, and exit with code 0 is claimed"
        );
        assert_eq!(
            said(Ending::Exit(0), TRAP),
            "the program ended by a trap at 0x00010008: breakpoint, and exit with code 0 is claimed"
        );
        assert!(said(Ending::Trap(0x1_0004), TRAP).ends_with("and a trap at 0x00010004 is claimed"));
        assert!(
            said(Ending::Trap(0x1_0008), End::Exit(0)).starts_with("the program ended by exit with code 0")
        );
    }

    /// Each of the three numbers is accepted up to the bound.
    #[test]
    fn a_run_that_is_too_long_is_refused() {
        let claim = RunClaim { end: End::Exit(0), journal: Vec::new() };
        let (terms, settings) =
            (Terms { rows: 50, ..Terms::default() }, Settings { steps: 10, ..Settings::default() });
        let check = |segments: usize, rows: u32, words: u32| {
            let empty = Counts { rows: [0; KINDS], words: 0 };
            let mut profile = Profile { segments: vec![empty; segments], fresh: Vec::new() };
            (profile.segments[0].rows[2], profile.segments[segments - 1].rows[3]) =
                (rows / 2, rows.div_ceil(2));
            (profile.segments[0].words, profile.segments[segments - 1].words) = (words / 2, 0);
            profile.segments[segments / 2].words += words.div_ceil(2);
            terms.check(&claim, &profile, settings)
        };
        assert_eq!(check(6, 50, 50), Ok(()));
        for (segments, rows, words, said) in [
            (6, 51, 50, "51 rows of steps"),
            (6, 50, 51, "51 words"),
            (7, 50, 50, "60 steps if all segments"),
        ] {
            let reason = check(segments, rows, words).unwrap_err();
            assert!(reason.starts_with(&format!("{}: it takes {said}", Terms::TOO_LONG)), "{reason}");
            assert!(reason.ends_with("; 50 are accepted"), "{reason}");
        }
    }
}
