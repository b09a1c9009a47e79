//! The step from a proof to commitments: the conversion at the end of a session.

use rand_core::CryptoRng;
use volery_channel::Channel;
use volery_field::Gf128;
use volery_vole::correlations::Pool;
use volery_vole::{Delta, SessionId};
use zeroize::Zeroizing;

use super::{Commitment, Layout, Openings, Place, Prover, Verifier};
use crate::Error;

/// A party's shares of the bits to commit to, after the proof about them: tags at P, keys at V. It has no
/// `Debug`, and is wiped on drop.
///
/// The conversion ends the session, because it opens V's delta. So both methods take the pool, V's also
/// takes delta, and the caller must already have dropped everything else made under this delta.
pub struct CommittedBits {
    places: Vec<Place>,
    layout: Layout,
    shares: Zeroizing<Vec<Gf128>>,
}

impl CommittedBits {
    /// The shares of the bits of these places, in order.
    ///
    /// # Errors
    /// [`Error::Misuse`] unless there is one for each bit; as [`Layout::of_places`].
    pub(crate) fn new(places: Vec<Place>, shares: Zeroizing<Vec<Gf128>>) -> Result<Self, Error> {
        let layout = Layout::of_places(&places)?;
        if layout.bits() != shares.len() {
            let reason =
                format!("{} tags or keys of {} bits that are committed to", shares.len(), layout.bits());
            return Err(Error::Misuse(reason));
        }
        Ok(Self { places, layout, shares })
    }

    /// P: all steps of the conversion. V may still refuse the last one.
    ///
    /// # Errors
    /// As [`Prover::commit`] and [`Prover::open`].
    pub fn commit<R: CryptoRng + ?Sized>(
        self,
        channel: &mut dyn Channel,
        session: &SessionId,
        mut pool: Pool,
        rng: &mut R,
    ) -> Result<Openings, Error> {
        let Self { places, layout, shares } = self;
        let prover = Prover::commit(channel, &mut pool, session, &layout, &shares, rng)?;
        let openings = prover.open(channel, pool)?;
        Openings::new(&places, openings).map_err(|error| Error::Misuse(error.to_string()))
    }

    /// V: all steps of the conversion. Returns the commitments in the places' order.
    ///
    /// # Errors
    /// As [`Verifier::receive`] and [`Verifier::reveal`].
    pub(crate) fn receive<R: CryptoRng + ?Sized>(
        self,
        channel: &mut dyn Channel,
        session: &SessionId,
        (delta, mut pool): (Delta, Pool),
        rng: &mut R,
    ) -> Result<Vec<Commitment>, Error> {
        let Self { layout, shares, .. } = self;
        let verifier = Verifier::receive(channel, &mut pool, &delta, session, &layout, &shares, rng)?;
        verifier.reveal(channel, delta, pool)
    }
}
