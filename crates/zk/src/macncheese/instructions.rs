//! The instructions that every protocol of this module is written in (Mac'n'Cheese, section 4.1).
//!
//! ```text
//! Random -> [r]       Fix(x) -> [x]       Send(x) -> x       Reveal([x]) -> x       AssertZero([x])       challenge -> seed
//! ```
//!
//! and linear maps, which are operators of [`ElementShare`] and functions of [`Share`]. The implementation
//! decides what they cost and where the messages go. So the same protocol can run by itself, or as one of
//! many branches that share all messages.
//!
//! Messages go in rounds. V must know the length of P's message before it reads it, so a protocol says first
//! what a round will hold ([`CommitProve::begin`]). It then uses the round's parts in any order, and the
//! challenge ends the round. Everything that P sends is uniform: a random correlation masks it (Fix), or a
//! random commitment that is used once (Send after Random).

use super::link::Ask;
use super::share::Share;
use crate::Error;
use crate::shares::ElementShare;

/// The instructions. Their values have a meaning only at P; at V they are zero.
pub(super) trait CommitProve<H: Share> {
    /// This party's kind of shares.
    fn share(&self) -> &H;

    /// Begins a round that holds what is asked for.
    ///
    /// # Errors
    /// Any error that ends the session; [`Error::Malformed`] for a message of another form.
    fn begin(&mut self, ask: Ask) -> Result<(), Error>;

    /// `Random`: a commitment to a uniform element that P knows.
    ///
    /// # Errors
    /// [`volery_circuit::Error::Misuse`] if the round has none left.
    fn random(&mut self) -> Result<ElementShare<H::Mac>, Error>;

    /// `Fix`: a commitment to `x`.
    ///
    /// # Errors
    /// As [`CommitProve::random`].
    fn fix(&mut self, x: H::Mac) -> Result<ElementShare<H::Mac>, Error>;

    /// `Send`: gives P's `x` to both parties. It must be uniform.
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

    /// `AssertZero`: adds a linear query. Random coefficients combine all queries into one (figure 5).
    fn query_zero(&mut self, x: ElementShare<H::Mac>);

    /// `Reveal`: gives the value of `[x]` to both parties, and adds the query that it is that value. It must
    /// be uniform.
    ///
    /// # Errors
    /// As [`CommitProve::random`].
    fn reveal(&mut self, x: ElementShare<H::Mac>) -> Result<H::Mac, Error> {
        #[cfg(test)]
        let x = ElementShare { x: super::multiply::cheat::revealed(x.x), ..x };
        let value = self.send(x.x)?;
        let public = self.share().element_constant(value);
        self.query_zero(x - public);
        Ok(value)
    }

    /// Ends the round and returns a seed that depends on everything before.
    ///
    /// # Errors
    /// Any error that ends the session; [`volery_circuit::Error::Misuse`] if no round was begun.
    fn challenge(&mut self) -> Result<[u8; 16], Error>;

    /// As [`CommitProve::challenge`], and returns a uniform element other than 0 and 1.
    ///
    /// # Errors
    /// As [`CommitProve::challenge`].
    fn challenge_element(&mut self) -> Result<H::Mac, Error> {
        use volery_field::Ring;
        let mut prg = volery_vole::Prg::new(self.challenge()?);
        let mut out = [H::Mac::ZERO];
        // No seed gives a long run of zeros and ones. The bound makes it plain that this ends.
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
