//! From what a proof left to commitments: the conversion as the end of a session.

use rand_core::CryptoRng;
use volery_channel::Channel;
use volery_field::Gf128;
use volery_vole::supply::Stock;
use volery_vole::{Delta, SessionId};
use zeroize::Zeroizing;

use super::{Commitment, Layout, Openings, Place, Prover, Verifier};
use crate::Error;

/// A party's halves of the bits that are committed to, when the proof about them is over: tags at P, keys at
/// V. Without `Debug`, and wiped on drop.
///
/// What ends them ends the session: V's delta is opened. So both methods take the stock, V's takes delta, and
/// the caller must have dropped before whatever else is made under this delta.
pub struct Halves {
    places: Vec<Place>,
    layout: Layout,
    halves: Zeroizing<Vec<Gf128>>,
}

impl Halves {
    /// Those of the bits of these places, in their order.
    ///
    /// # Errors
    /// [`Error::Misuse`] unless there is one for each bit; as [`Layout::of_places`].
    pub fn new(places: Vec<Place>, halves: Zeroizing<Vec<Gf128>>) -> Result<Self, Error> {
        let layout = Layout::of_places(&places)?;
        if layout.bits() != halves.len() {
            let reason =
                format!("{} tags or keys of {} bits that are committed to", halves.len(), layout.bits());
            return Err(Error::Misuse(reason));
        }
        Ok(Self { places, layout, halves })
    }

    /// The places.
    #[must_use]
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// P: all steps of the conversion, the last of which V may still refuse.
    ///
    /// # Errors
    /// As [`Prover::commit`] and [`Prover::open`].
    pub fn commit<R: CryptoRng + ?Sized>(
        self,
        channel: &mut dyn Channel,
        session: &SessionId,
        mut stock: Stock,
        rng: &mut R,
    ) -> Result<Openings, Error> {
        let Self { places, layout, halves } = self;
        let prover = Prover::commit(channel, &mut stock, session, &layout, &halves, rng)?;
        let openings = prover.open(channel, stock)?;
        Openings::new(&places, openings).map_err(|error| Error::Misuse(error.to_string()))
    }

    /// V: all steps of the conversion. The commitments, in the places' order.
    ///
    /// # Errors
    /// As [`Verifier::receive`] and [`Verifier::reveal`].
    pub fn receive<R: CryptoRng + ?Sized>(
        self,
        channel: &mut dyn Channel,
        session: &SessionId,
        (delta, mut stock): (Delta, Stock),
        rng: &mut R,
    ) -> Result<Vec<Commitment>, Error> {
        let Self { layout, halves, .. } = self;
        let verifier = Verifier::receive(channel, &mut stock, &delta, session, &layout, &halves, rng)?;
        verifier.reveal(channel, delta, stock)
    }
}
