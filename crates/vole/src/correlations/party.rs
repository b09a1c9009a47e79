//! The parts of the two parties in each step of a generator.

use volery_channel::{Channel, Tag};
use zeroize::{Zeroize, Zeroizing};

use crate::ferret::Params;
use crate::{Error, SessionId};

/// One party's share of a correlation.
pub trait Correlation: Copy + Default + Zeroize + Send + Sync + 'static {}

impl<T: Copy + Default + Zeroize + Send + Sync + 'static> Correlation for T {}

/// Where a generator's first correlations come from, and what each round starts from that starts a chain of
/// rounds: OT extension, base VOLE, or a [`Lot`](super::Lot).
pub trait Extension<T: Correlation> {
    /// Appends `n` correlations.
    ///
    /// # Errors
    /// The channel's, a failed check; that of a lot that is used up.
    fn extend(&mut self, n: usize, channel: &mut dyn Channel, out: &mut Vec<T>) -> Result<(), Error>;
}

/// A round that can be read.
pub trait Round: Sync {
    /// The type of its correlations.
    type Correlation: Correlation;

    /// Its size.
    fn params(&self) -> Params;

    /// Fills `out`, which is a block long, with block `tree`, which must exist.
    ///
    /// # Errors
    /// [`Error::Misuse`] before the round's check.
    fn block(&self, tree: usize, out: &mut [Self::Correlation]) -> Result<(), Error>;
}

/// A party's part in each step; see [`super`] for the order. A step of the other party does nothing.
pub trait Party {
    /// The party's share of a correlation.
    type Correlation: Correlation;
    /// The party's side of a round.
    type Round: Round<Correlation = Self::Correlation>;

    /// Whether this party is V.
    const IS_V: bool;
    /// Whether V has read all of P's messages of a round when it answers; if not, it has when it gives the
    /// verdict.
    const ANSWER_IS_LAST: bool;
    /// The step at which V sends its bytes for the chain.
    const LINK: Tag;
    /// Whether this is a rehearsal's party, whose correlations are zero.
    const IS_BLANK: bool = false;

    /// The name of its kind of correlations, for the chain.
    fn kind() -> String;

    /// The session.
    fn session(&self) -> &SessionId;

    /// The number of correlations that a round of this size starts from.
    fn base_len(params: &Params) -> usize;

    /// Appends `n` correlations that need no round.
    fn extend(
        &mut self,
        n: usize,
        channel: &mut dyn Channel,
        out: &mut Vec<Self::Correlation>,
    ) -> Result<(), Error>;

    /// Starts round `number` from `base`; V sends its trees.
    fn open(
        &mut self,
        number: u64,
        params: Params,
        base: Zeroizing<Vec<Self::Correlation>>,
        channel: &mut dyn Channel,
    ) -> Result<Self::Round, Error>;

    /// P receives the trees and sends the check.
    fn check(&mut self, round: &mut Self::Round, channel: &mut dyn Channel) -> Result<(), Error>;

    /// V receives the check and answers.
    fn answer(&mut self, round: &mut Self::Round, channel: &mut dyn Channel) -> Result<(), Error>;

    /// P receives and verifies the answer. If V must see P's value too, V receives it.
    fn verdict(&mut self, round: &mut Self::Round, channel: &mut dyn Channel) -> Result<(), Error>;
}
