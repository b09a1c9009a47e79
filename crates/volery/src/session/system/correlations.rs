//! The correlations that a system takes: those over bits, which every session has, or those over a field
//! beside them.

use core::marker::PhantomData;
use std::time::Duration;

use rand_core::CryptoRng;
use volery_field::{Mac, Value};
use volery_vole::correlations::Plan;
use volery_vole::subfield;

use super::{ProverSeat, VerifierSeat};
use crate::Error;
use crate::session::field::{ProverField, ProverStart, VerifierField, VerifierStart, existing};
use crate::session::making::Trial;
use crate::session::{Options, Report, rehearsal};

/// What a proof's correlations are set up by. The first messages of a set-up leave together with `Begin`.
pub trait CorrelationSetup {
    /// P's first message, unless the set-up was made before.
    fn start_prover(seat: &mut ProverSeat<'_>, rng: &mut dyn CryptoRng)
    -> Result<Option<ProverStart>, Error>;

    /// The rest of P's set-up, if it was begun.
    fn finish_prover(
        seat: &mut ProverSeat<'_>,
        start: Option<ProverStart>,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error>;

    /// V's first message, unless the set-up was made before.
    fn start_verifier(
        seat: &mut VerifierSeat<'_>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Option<VerifierStart>, Error>;

    /// The rest of V's set-up, if it was begun.
    fn finish_verifier(
        seat: &mut VerifierSeat<'_>,
        start: Option<VerifierStart>,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error>;

    /// The stages of those over a field; of none, if there is no field.
    fn plan(options: &Options) -> Plan;

    /// P's side of trials: of correlations over bits and of those over the field.
    fn make_prover(seat: &mut ProverSeat<'_>, trials: [Trial; 2]) -> Result<[[Duration; 2]; 2], Error>;

    /// V's side of that.
    fn make_verifier(seat: &mut VerifierSeat<'_>, trials: [Trial; 2]) -> Result<[[Duration; 2]; 2], Error>;

    /// P's side of making so many correlations and throwing them away.
    fn spend_prover(seat: ProverSeat<'_>, count: u64) -> Result<Report, Error>;

    /// V's side of that.
    fn spend_verifier(seat: VerifierSeat<'_>, count: u64) -> Result<Report, Error>;
}

/// Those over bits alone.
#[derive(Debug)]
pub enum OfBits {}

impl CorrelationSetup for OfBits {
    fn start_prover(_: &mut ProverSeat<'_>, _: &mut dyn CryptoRng) -> Result<Option<ProverStart>, Error> {
        Ok(None)
    }

    fn finish_prover(
        _: &mut ProverSeat<'_>,
        _: Option<ProverStart>,
        _: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        Ok(())
    }

    fn start_verifier(
        _: &mut VerifierSeat<'_>,
        _: &mut dyn CryptoRng,
    ) -> Result<Option<VerifierStart>, Error> {
        Ok(None)
    }

    fn finish_verifier(
        _: &mut VerifierSeat<'_>,
        _: Option<VerifierStart>,
        _: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        Ok(())
    }

    fn plan(options: &Options) -> Plan {
        options.profile.plan()
    }

    fn make_prover(seat: &mut ProverSeat<'_>, trials: [Trial; 2]) -> Result<[[Duration; 2]; 2], Error> {
        Ok([trials[0].make(seat.pool, seat.channel)?, Default::default()])
    }

    fn make_verifier(seat: &mut VerifierSeat<'_>, trials: [Trial; 2]) -> Result<[[Duration; 2]; 2], Error> {
        Ok([trials[0].make(seat.pool, seat.channel)?, Default::default()])
    }

    fn spend_prover(seat: ProverSeat<'_>, count: u64) -> Result<Report, Error> {
        seat.common.spend(count, seat.pool, seat.channel)
    }

    fn spend_verifier(seat: VerifierSeat<'_>, count: u64) -> Result<Report, Error> {
        seat.common.spend(count, seat.pool, seat.channel)
    }
}

/// Those over the values `F`, with MACs in `M`, beside those over bits.
#[derive(Debug)]
pub struct OfField<F, M>(PhantomData<fn() -> (F, M)>);

impl<F: Value, M: Mac<F>> CorrelationSetup for OfField<F, M> {
    fn start_prover(
        seat: &mut ProverSeat<'_>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Option<ProverStart>, Error> {
        if existing::<ProverField<F, M>>(seat.field)?.is_some() {
            return Ok(None);
        }
        ProverStart::send(seat.channel, rng).map(Some)
    }

    fn finish_prover(
        seat: &mut ProverSeat<'_>,
        start: Option<ProverStart>,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        if let Some(start) = start {
            let made = match &mut seat.extension {
                Some(extension) => start.finish::<F, M>(seat.common, extension, seat.channel, rng)?,
                None => rehearsal::finish_field::<F, M>(seat.common, seat.channel, rng)?,
            };
            *seat.field = Some(Box::new(made));
        }
        Ok(())
    }

    fn start_verifier(
        seat: &mut VerifierSeat<'_>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Option<VerifierStart>, Error> {
        if existing::<VerifierField<F, M>>(seat.field)?.is_some() {
            return Ok(None);
        }
        VerifierStart::send(seat.channel, rng).map(Some)
    }

    fn finish_verifier(
        seat: &mut VerifierSeat<'_>,
        start: Option<VerifierStart>,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        if let Some(start) = start {
            let extension = seat.extension.as_deref_mut().ok_or(Error::Over)?;
            *seat.field = Some(Box::new(start.finish::<F, M>(seat.common, extension, seat.channel, rng)?));
        }
        Ok(())
    }

    fn plan(options: &Options) -> Plan {
        subfield::plan::<F, M>(options.profile)
    }

    fn make_prover(seat: &mut ProverSeat<'_>, trials: [Trial; 2]) -> Result<[[Duration; 2]; 2], Error> {
        let field = existing::<ProverField<F, M>>(seat.field)?.ok_or(Error::Over)?;
        let [bits, elements] = trials;
        Ok([bits.make(seat.pool, seat.channel)?, elements.make(&mut field.pool, seat.channel)?])
    }

    fn make_verifier(seat: &mut VerifierSeat<'_>, trials: [Trial; 2]) -> Result<[[Duration; 2]; 2], Error> {
        let field = existing::<VerifierField<F, M>>(seat.field)?.ok_or(Error::Over)?;
        let [bits, elements] = trials;
        Ok([bits.make(seat.pool, seat.channel)?, elements.make(&mut field.pool, seat.channel)?])
    }

    fn spend_prover(seat: ProverSeat<'_>, count: u64) -> Result<Report, Error> {
        let field = existing::<ProverField<F, M>>(seat.field)?.ok_or(Error::Over)?;
        seat.common.spend(count, &mut field.pool, seat.channel)
    }

    fn spend_verifier(seat: VerifierSeat<'_>, count: u64) -> Result<Report, Error> {
        let field = existing::<VerifierField<F, M>>(seat.field)?.ok_or(Error::Over)?;
        seat.common.spend(count, &mut field.pool, seat.channel)
    }
}
