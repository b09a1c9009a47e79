//! The step from a proof to commitments: the conversion at the end of a session.

use rand_core::CryptoRng;
use volery_channel::Channel;
use volery_field::Gf128;
use volery_vole::supply::Stock;
use volery_vole::{Delta, SessionId};
use zeroize::Zeroizing;

use super::{Commitment, Layout, Openings, Place, Prover, Verifier};
use crate::Error;

/// A party's halves of the bits to commit to, after the proof about them: tags at P, keys at V. It has no
/// `Debug`, and is wiped on drop.
///
/// The conversion ends the session, because it opens V's delta. So both methods take the stock, V's also
/// takes delta, and the caller must already have dropped everything else made under this delta.
pub struct Halves {
    places: Vec<Place>,
    layout: Layout,
    halves: Zeroizing<Vec<Gf128>>,
}

impl Halves {
    /// The halves of the bits of these places, in order.
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

    /// P: all steps of the conversion. V may still refuse the last one.
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

    /// V: all steps of the conversion. Returns the commitments in the places' order.
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
