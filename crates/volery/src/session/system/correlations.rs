//! The correlations that a system takes: those over bits, which every session has, or those over a field
//! beside them.

use core::marker::PhantomData;
use std::time::Duration;

use rand_core::CryptoRng;
use volery_field::{Mac, Value};
use volery_vole::correlations::Plan;
use volery_vole::subfield;

use super::{ProverSide, VerifierSide};
use crate::Error;
use crate::session::field::{ProverField, ProverStart, VerifierField, VerifierStart, existing};
use crate::session::making::Trial;
use crate::session::{Options, Report, rehearsal};

/// What a proof's correlations are set up by. The first messages of a set-up leave together with `Begin`.
pub trait CorrelationSetup {
    /// P's first message, unless the set-up was made before.
    fn start_prover(side: &mut ProverSide<'_>, rng: &mut dyn CryptoRng)
    -> Result<Option<ProverStart>, Error>;

    /// The rest of P's set-up, if it was begun.
    fn finish_prover(
        side: &mut ProverSide<'_>,
        start: Option<ProverStart>,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error>;

    /// V's first message, unless the set-up was made before.
    fn start_verifier(
        side: &mut VerifierSide<'_>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Option<VerifierStart>, Error>;

    /// The rest of V's set-up, if it was begun.
    fn finish_verifier(
        side: &mut VerifierSide<'_>,
        start: Option<VerifierStart>,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error>;

    /// The stages of those over a field; of none, if there is no field.
    fn plan(options: &Options) -> Plan;

    /// P's side of trials: of correlations over bits and of those over the field.
    fn make_prover(side: &mut ProverSide<'_>, trials: [Trial; 2]) -> Result<[[Duration; 2]; 2], Error>;

    /// V's side of that.
    fn make_verifier(side: &mut VerifierSide<'_>, trials: [Trial; 2]) -> Result<[[Duration; 2]; 2], Error>;

    /// P's side of making so many correlations and throwing them away.
    fn spend_prover(side: ProverSide<'_>, count: u64) -> Result<Report, Error>;

    /// V's side of that.
    fn spend_verifier(side: VerifierSide<'_>, count: u64) -> Result<Report, Error>;
}

/// Those over bits alone.
#[derive(Debug)]
pub enum OfBits {}

impl CorrelationSetup for OfBits {
    fn start_prover(_: &mut ProverSide<'_>, _: &mut dyn CryptoRng) -> Result<Option<ProverStart>, Error> {
        Ok(None)
    }

    fn finish_prover(
        _: &mut ProverSide<'_>,
        _: Option<ProverStart>,
        _: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        Ok(())
    }

    fn start_verifier(
        _: &mut VerifierSide<'_>,
        _: &mut dyn CryptoRng,
    ) -> Result<Option<VerifierStart>, Error> {
        Ok(None)
    }

    fn finish_verifier(
        _: &mut VerifierSide<'_>,
        _: Option<VerifierStart>,
        _: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        Ok(())
    }

    fn plan(options: &Options) -> Plan {
        options.profile.plan()
    }

    fn make_prover(side: &mut ProverSide<'_>, trials: [Trial; 2]) -> Result<[[Duration; 2]; 2], Error> {
        Ok([trials[0].make(side.pool, side.channel)?, Default::default()])
    }

    fn make_verifier(side: &mut VerifierSide<'_>, trials: [Trial; 2]) -> Result<[[Duration; 2]; 2], Error> {
        Ok([trials[0].make(side.pool, side.channel)?, Default::default()])
    }

    fn spend_prover(side: ProverSide<'_>, count: u64) -> Result<Report, Error> {
        side.common.spend(count, side.pool, side.channel)
    }

    fn spend_verifier(side: VerifierSide<'_>, count: u64) -> Result<Report, Error> {
        side.common.spend(count, side.pool, side.channel)
    }
}

/// Those over the values `F`, with MACs in `M`, beside those over bits.
#[derive(Debug)]
pub struct OfField<F, M>(PhantomData<fn() -> (F, M)>);

impl<F: Value, M: Mac<F>> CorrelationSetup for OfField<F, M> {
    fn start_prover(
        side: &mut ProverSide<'_>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Option<ProverStart>, Error> {
        if existing::<ProverField<F, M>>(side.field)?.is_some() {
            return Ok(None);
        }
        ProverStart::send(side.channel, rng).map(Some)
    }

    fn finish_prover(
        side: &mut ProverSide<'_>,
        start: Option<ProverStart>,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        if let Some(start) = start {
            let made = match &mut side.extension {
                Some(extension) => start.finish::<F, M>(side.common, extension, side.channel, rng)?,
                None => rehearsal::finish_field::<F, M>(side.common, side.channel, rng)?,
            };
            *side.field = Some(Box::new(made));
        }
        Ok(())
    }

    fn start_verifier(
        side: &mut VerifierSide<'_>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Option<VerifierStart>, Error> {
        if existing::<VerifierField<F, M>>(side.field)?.is_some() {
            return Ok(None);
        }
        VerifierStart::send(side.channel, rng).map(Some)
    }

    fn finish_verifier(
        side: &mut VerifierSide<'_>,
        start: Option<VerifierStart>,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        if let Some(start) = start {
            let extension = side.extension.as_deref_mut().ok_or(Error::Over)?;
            *side.field = Some(Box::new(start.finish::<F, M>(side.common, extension, side.channel, rng)?));
        }
        Ok(())
    }

    fn plan(options: &Options) -> Plan {
        subfield::plan::<F, M>(options.profile)
    }

    fn make_prover(side: &mut ProverSide<'_>, trials: [Trial; 2]) -> Result<[[Duration; 2]; 2], Error> {
        let field = existing::<ProverField<F, M>>(side.field)?.ok_or(Error::Over)?;
        let [bits, elements] = trials;
        Ok([bits.make(side.pool, side.channel)?, elements.make(&mut field.pool, side.channel)?])
    }

    fn make_verifier(side: &mut VerifierSide<'_>, trials: [Trial; 2]) -> Result<[[Duration; 2]; 2], Error> {
        let field = existing::<VerifierField<F, M>>(side.field)?.ok_or(Error::Over)?;
        let [bits, elements] = trials;
        Ok([bits.make(side.pool, side.channel)?, elements.make(&mut field.pool, side.channel)?])
    }

    fn spend_prover(side: ProverSide<'_>, count: u64) -> Result<Report, Error> {
        let field = existing::<ProverField<F, M>>(side.field)?.ok_or(Error::Over)?;
        side.common.spend(count, &mut field.pool, side.channel)
    }

    fn spend_verifier(side: VerifierSide<'_>, count: u64) -> Result<Report, Error> {
        let field = existing::<VerifierField<F, M>>(side.field)?.ok_or(Error::Over)?;
        side.common.spend(count, &mut field.pool, side.channel)
    }
}
