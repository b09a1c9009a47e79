//! The instructions that every protocol of this module is written in (Mac'n'Cheese, section 4.1).
//!
//! ```text
//! Random -> [r]       Fix(x) -> [x]       Send(x) -> x       Reveal([x]) -> x       AssertZero([x])       challenge -> seed
//! ```
//!
//! and linear maps, which are operators of [`Wide`] and functions of [`Half`]. Whoever carries them out
//! decides what they cost and where the messages go; a protocol written in them can be run by itself or as
//! one of many branches that share all messages.
//!
//! Messages go in rounds. A protocol says what a round will hold ([`CommitProve::begin`]), since V must know
//! how long P's message is before it reads it, and takes it in any order; the challenge ends the round.
//! Everything that P sends is uniform: masked by a random correlation (Fix) or by a random commitment that
//! serves once (Send after Random).

use super::half::{Half, Wide};
use super::link::Ask;
use crate::Error;

/// The instructions. Values given to them count at P only; at V they are zero.
pub trait CommitProve<H: Half> {
    /// The party's way to hold commitments.
    fn half(&self) -> &H;

    /// Begins a round with this much in it.
    ///
    /// # Errors
    /// What broke the session; a message that is not what it must be.
    fn begin(&mut self, ask: Ask) -> Result<(), Error>;

    /// `Random`: a commitment to a uniform element that P knows.
    ///
    /// # Errors
    /// [`volery_circuit::Error::Misuse`] if the round has no more of them, here and in the other
    /// instructions.
    fn random(&mut self) -> Result<Wide<H::Mac>, Error>;

    /// `Fix`: a commitment to `x`.
    ///
    /// # Errors
    /// As [`CommitProve::random`].
    fn fix(&mut self, x: H::Mac) -> Result<Wide<H::Mac>, Error>;

    /// `Send`: P's `x`, at both parties. It must be uniform.
    ///
    /// # Errors
    /// As [`CommitProve::random`].
    fn send(&mut self, x: H::Mac) -> Result<H::Mac, Error>;

    /// `Random` for a value.
    ///
    /// # Errors
    /// As [`CommitProve::random`].
    fn random_value(&mut self) -> Result<H::Wire, Error>;

    /// `Fix` for a value.
    ///
    /// # Errors
    /// As [`CommitProve::random`].
    fn fix_value(&mut self, x: H::Value) -> Result<H::Wire, Error>;

    /// `Send` for a value.
    ///
    /// # Errors
    /// As [`CommitProve::random`].
    fn send_value(&mut self, x: H::Value) -> Result<H::Value, Error>;

    /// `AssertZero`: adds a linear query. All of them are combined into one with random coefficients (figure
    /// 5).
    fn query_zero(&mut self, x: Wide<H::Mac>);

    /// `Reveal`: P's value of `[x]`, which must be uniform, at both parties, and the query that it is that.
    ///
    /// # Errors
    /// As [`CommitProve::random`].
    fn reveal(&mut self, x: Wide<H::Mac>) -> Result<H::Mac, Error> {
        #[cfg(test)]
        let x = Wide { x: super::multiply::cheat::revealed(x.x), ..x };
        let value = self.send(x.x)?;
        let shown = self.half().wide_constant(value);
        self.query_zero(x - shown);
        Ok(value)
    }

    /// Ends the round: a seed that depends on everything before.
    ///
    /// # Errors
    /// What broke the session; as [`CommitProve::random`] if the round was not begun.
    fn challenge(&mut self) -> Result<[u8; 16], Error>;

    /// As [`CommitProve::challenge`]: a uniform element, neither 0 nor 1.
    ///
    /// # Errors
    /// As [`CommitProve::challenge`].
    fn challenge_element(&mut self) -> Result<H::Mac, Error> {
        use volery_field::Ring;
        let mut prg = volery_vole::Prg::new(self.challenge()?);
        let mut out = [H::Mac::ZERO];
        // No seed has a long run of such elements; the bound is for the type checker of termination in us.
        for _ in 0..64 {
            prg.elements(&mut out);
            if !out[0].is_zero() && out[0] != H::Mac::ONE {
                break;
            }
        }
        #[cfg(test)]
        super::multiply::cheat::hear(&out[0]);
        Ok(out[0])
    }
}
