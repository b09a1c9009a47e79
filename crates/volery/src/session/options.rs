//! What a session is run with.

use std::sync::Arc;

use volery_channel::handshake::Parameters;
use volery_vole::correlations::Profile;
use volery_zk::quicksilver::{bits::Settings, field};

use crate::Error;

/// How a session is run. Both parties need the same, threads excepted; a difference ends the handshake with
/// its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Fewest seconds or fewest bytes.
    pub profile: Profile,
    /// Whether challenges are hashes instead of V's choice: P's part of a proof is then one message, and
    /// soundness rests on the hash as well (see [`volery_zk::quicksilver::soundness`]). Each hash also
    /// depends on bytes that V sends after each batch of correlations, so P waits for those. Needed to store
    /// correlations ([`crate::stored::preprocess`]).
    pub fiat_shamir: bool,
    /// Threads of this party, at least 1; 64 at most.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { profile: Profile::Lan, fiat_shamir: false, threads: 1 }
    }
}

impl Options {
    /// Most threads that a party may ask for.
    pub const MAX_THREADS: usize = 64;

    /// The settings of the proofs.
    #[must_use]
    pub fn settings(&self) -> Settings {
        match self.profile {
            Profile::Lan => Settings::LAN,
            Profile::Wan => Settings::WAN,
        }
    }

    /// The settings of proofs over a field.
    #[must_use]
    pub fn settings_over(&self) -> field::Settings {
        match self.profile {
            Profile::Lan => field::Settings::LAN,
            Profile::Wan => field::Settings::WAN,
        }
    }

    /// What the parties compare when they meet.
    pub(super) fn session_parameters(&self) -> Result<Parameters, Error> {
        let parameters = Parameters::new()
            .with("profile", self.profile.name())?
            .with("correlations", "softspoken-8, ferret-halftree, local code v2")?;
        // With hashes for challenges, correlations are linked from the first one on.
        if self.fiat_shamir { Ok(parameters.with("challenges", "fiat-shamir")?) } else { Ok(parameters) }
    }

    /// What they compare before each proof by QuickSilver, whatever it is over.
    pub(super) fn proof_parameters(
        &self,
        number: u64,
        commitments: Option<u64>,
    ) -> Result<Parameters, Error> {
        self.parameters_of("quicksilver", number, commitments)
    }

    /// What they compare before each proof by `protocol`.
    pub(super) fn parameters_of(
        &self,
        protocol: &str,
        number: u64,
        commitments: Option<u64>,
    ) -> Result<Parameters, Error> {
        // What is prepared when depends on it, so it must be the same at both parties, whatever the witness.
        let commitments = commitments.map_or_else(|| "unknown".to_owned(), |n| n.to_string());
        Ok(Parameters::new()
            .with("protocol", protocol)?
            .with("challenges", if self.fiat_shamir { "fiat-shamir" } else { "interactive" })?
            .with("commitments", commitments)?
            .with("proof", number)?)
    }

    /// A pool for this party's threads; none for a single one.
    pub(crate) fn pool(&self) -> Result<Option<Arc<rayon::ThreadPool>>, Error> {
        if self.threads == 0 || self.threads > Self::MAX_THREADS {
            return Err(Error::Options(format!(
                "{} threads; 1 to {} are possible",
                self.threads,
                Self::MAX_THREADS
            )));
        }
        if self.threads == 1 {
            return Ok(None);
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads).build();
        Ok(Some(Arc::new(pool.map_err(|error| Error::Options(format!("no thread pool: {error}")))?)))
    }
}
