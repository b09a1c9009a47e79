//! The two coordinators.

use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use volery::circuit::Error as StatementError;
use volery::field::{F2, F61, F61x2, Ring};
use volery::programs::proof::Settings as Cut;
use volery::split::remote::{Invitation, Kind, LotOf, LotServer};
use volery::split::statements::SplitRun;
use volery::split::{Dealt, Outcome, ProverLot, Sharded, VerifierLot, check};
use volery::system::{Bits, Over, ProvesRuns};
use volery::{Error, Prover, Verifier, Zeroizing, os_rng};
use volery_statement::{Ran, Wire, reached};

use super::Place;
use super::watched::{Told, Watched};
use super::whole::{GroupedRun, Whole, preimage_sizes, run_sizes};
use crate::failure::Failure;
use crate::session::{State, Terms, work};
use crate::worker::locked;

/// What a split proof was, and how the run ended if it is one of a program.
pub(super) struct Done {
    pub(super) outcome: Outcome,
    pub(super) run: Option<Ran>,
}

/// What became of a session, and the time that its set-up took.
type Ended = (State, Result<(Done, Duration), Failure>);

/// What a split proof needs besides its session and its statement. `launch` starts a worker.
pub(super) struct Proof {
    pub(super) place: Place,
    pub(super) launch: Py<PyAny>,
    pub(super) told: Told,
}

/// The outcome, if it is worth what the session's user asked for.
fn enough(outcome: Outcome, terms: &Terms) -> Result<Outcome, Failure> {
    if let Some(rho) = terms.rho {
        reached(rho, outcome.soundness_bits)?;
    }
    Ok(outcome)
}

impl Proof {
    pub(super) fn prove(self, whole: &Whole, state: State, terms: &Terms) -> Ended {
        // Before the peer is met: a wrong witness costs nobody a session, and shows nobody in which shard.
        let checked = match whole {
            Whole::Preimage(whole) if self.place.check => check::<F2, _>(whole).map_err(Failure::from),
            Whole::Preimage(_) => Ok(()),
            Whole::Run(whole) => whole.check(),
        };
        if let Err(failure) = checked {
            return (state, Err(failure));
        }
        match whole {
            Whole::Preimage(whole) => {
                let job = |n| whole.job(n).map(|job| Kind::Preimage.job(&job));
                work(state, terms, |prover| {
                    let outcome =
                        self.prove_over(Bits, prover, terms, (whole, &preimage_sizes(whole)), job)?;
                    Ok(Done { outcome, run: None })
                })
            }
            Whole::Run(whole) => match Kind::of_run(terms.rho, self.place.settings.retries) {
                Kind::RunLarge => self.prove_run(Over::<F61, F61x2>::new(), whole, state, terms),
                _ => self.prove_run(Over::<F61, F61>::new(), whole, state, terms),
            },
        }
    }

    fn prove_run<Y>(&self, system: Y, whole: &GroupedRun, state: State, terms: &Terms) -> Ended
    where
        Y: Dealt + ProvesRuns + Copy,
    {
        let kind = Kind::of_run(terms.rho, self.place.settings.retries);
        work(state, terms, |prover: &mut Prover<Wire>| {
            let run = whole.known()?;
            prover.announce_split_run(system, run)?;
            let job = |n| run.job(n).map(|job| kind.job(&job));
            let outcome = self.prove_over(system, prover, terms, (run, &run_sizes(run)), job)?;
            Ok(Done { outcome, run: Some(ran(run)) })
        })
    }

    fn prove_over<Y: Dealt + Copy>(
        &self,
        system: Y,
        prover: &mut Prover<Wire>,
        terms: &Terms,
        (whole, sizes): (&impl Sharded, &[u64]),
        job: impl FnMut(usize) -> Result<Zeroizing<Vec<u8>>, StatementError>,
    ) -> Result<Outcome, Failure> {
        let (layout, settings) = (whole.layout()?, self.place.settings);
        let mut lot_server = self.lot_server::<ProverLot<Y>, Y::Mac>(terms, sizes, job)?;
        let outcome = prover.prove_split(system, &layout, settings, &mut lot_server, &mut os_rng()?)?;
        enough(outcome, terms)
    }

    pub(super) fn verify(self, whole: &Whole, state: State, terms: &Terms) -> Ended {
        match whole {
            Whole::Preimage(whole) => {
                let job = |n| whole.job(n).map(|job| Kind::Preimage.job(&job));
                work(state, terms, |verifier| {
                    let sizes = preimage_sizes(whole);
                    let outcome = self.verify_over(Bits, verifier, terms, (whole, &sizes), job)?;
                    Ok(Done { outcome, run: None })
                })
            }
            Whole::Run(whole) => match Kind::of_run(terms.rho, self.place.settings.retries) {
                Kind::RunLarge => self.verify_run(Over::<F61, F61x2>::new(), whole, state, terms),
                _ => self.verify_run(Over::<F61, F61>::new(), whole, state, terms),
            },
        }
    }

    fn verify_run<Y>(&self, system: Y, whole: &GroupedRun, state: State, terms: &Terms) -> Ended
    where
        Y: Dealt + ProvesRuns + Copy,
    {
        let kind = Kind::of_run(terms.rho, self.place.settings.retries);
        work(state, terms, |verifier: &mut Verifier<Wire>| {
            let GroupedRun { of, groups, .. } = whole;
            let about = (&of.subject, &of.public[..]);
            let run = &verifier.hear_split_run(system, about, (Cut::default(), *groups), &of.terms)?;
            let job = |n| run.job(n).map(|job| kind.job(&job));
            let outcome = self.verify_over(system, verifier, terms, (run, &run_sizes(run)), job)?;
            Ok(Done { outcome, run: Some(ran(run)) })
        })
    }

    fn verify_over<Y: Dealt + Copy>(
        &self,
        system: Y,
        verifier: &mut Verifier<Wire>,
        terms: &Terms,
        (whole, sizes): (&impl Sharded, &[u64]),
        job: impl FnMut(usize) -> Result<Zeroizing<Vec<u8>>, StatementError>,
    ) -> Result<Outcome, Failure> {
        let (layout, settings) = (whole.layout()?, self.place.settings);
        let mut lot_server = self.lot_server::<VerifierLot<Y>, Y::Mac>(terms, sizes, job)?;
        let outcome = verifier.verify_split(system, &layout, settings, &mut lot_server, &mut os_rng()?)?;
        enough(outcome, terms)
    }

    /// A lot server for this party's workers, each of whose jobs is its shard.
    fn lot_server<'a, L: LotOf, M: Ring>(
        &'a self,
        terms: &Terms,
        sizes: &[u64],
        mut job: impl FnMut(usize) -> Result<Zeroizing<Vec<u8>>, StatementError> + 'a,
    ) -> Result<Watched<'a, L, M>, Error> {
        let job = move |shard| job(shard).map_err(Error::from);
        let launch = |shard, invitation: &Invitation| self.launch(shard, invitation);
        let Place { lot_server, reached_at, times, meet, .. } = &self.place;
        let lot_server =
            LotServer::open(lot_server, reached_at.clone(), *times, launch, job)?.meeting_at(meet.clone());
        let mut told = locked(&self.told.0);
        (told.dead_workers, told.sizes) = (Some(lot_server.dead_workers()), sizes.to_vec());
        Ok(Watched { lot_server, told: self.told.clone(), stop: Arc::clone(&terms.stop) })
    }

    /// Has Python start a worker with an invitation.
    fn launch(&self, shard: usize, invitation: &Invitation) -> Result<(), Error> {
        let text = invitation.to_text();
        let called = Python::attach(|py| self.launch.call1(py, (shard, text.as_str())).map(drop));
        called.map_err(|error| {
            let reason = format!("the worker of shard {shard} cannot be started: {error}");
            locked(&self.told.0).raised = Some(error);
            Error::Split(reason)
        })
    }
}

/// How a run ended.
fn ran(run: &SplitRun) -> Ran {
    let (run, claim) = (run.run(), run.run().claim());
    Ran::new(run.program(), claim.end, &claim.journal)
}
