//! What V demands of a run before it verifies it.

use super::profile::Profile;
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
    /// The most rows that V follows: steps, bytes that calls move, and the rows that fill up.
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
    /// Checks a claim and a profile. The journal's length is checked where it is read.
    ///
    /// # Errors
    /// What is different, in words.
    pub fn check(&self, claim: &RunClaim, profile: &Profile) -> Result<(), String> {
        self.ending.check(claim.end)?;
        let rows = profile.rows();
        if rows > self.rows {
            return Err(format!(
                "the run takes {rows} rows of steps, and at most {} are accepted",
                self.rows
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn a_run_that_is_too_long_is_refused() {
        let mut profile = Profile::default();
        let claim = RunClaim { end: End::Exit(0), journal: Vec::new() };
        let terms = Terms { rows: 5, ..Terms::default() };
        profile
            .segments
            .push(super::super::profile::Counts { rows: [0; super::super::trace::KINDS], words: 0 });
        profile.segments[0].rows[2] = 5;
        assert_eq!(terms.check(&claim, &profile), Ok(()));
        profile.segments[0].rows[3] = 1;
        assert!(terms.check(&claim, &profile).is_err());
    }
}
