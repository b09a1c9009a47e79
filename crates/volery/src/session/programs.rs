//! Runs of programs over a session.
//!
//! ```text
//! P                                              V
//! Begin(program, public input) <---------->      Begin(program, public input)
//! Run: the end, lengths        ----------->      V's terms, before it makes room
//! Run: journal, profile        ----------->      V's terms, and the profile's bounds
//! Begin(statement)             <---------->      Begin(statement), then as for every statement
//! ```
//!
//! Of a program that only P knows, V has bounds, and those stand in place of the program ([`Subject`]).
//!
//! A run whose proof is split over workers is announced alike, by the coordinators; then comes
//! [`Prover::prove_split`].
//!
//! The statement has the claim and the profile in it ([`ProgramRun`]), and V learns both from P. What P says
//! of its run depends on its secret input, so it comes after both parties have named the same program or
//! bounds and public input. The second `Begin` compares the digest of the whole statement, which every
//! challenge depends on.

use rand_core::CryptoRng;
use volery_channel::handshake::Begin;
use volery_channel::{Channel, ChannelExt as _, tags};
use volery_machine::proof::preamble::{Head, decode_body, encode_body};
use volery_machine::proof::shards::SplitRun;
use volery_machine::proof::{OnProgress, ProgramRun, RunClaim, Settings, Subject, Terms, WatchedRun};

use super::evaluate::something_claimed;
use super::system::{ProvesRuns, System};
use super::{Common, Prover, Report, Verifier};
use crate::Error;

/// Tells nobody.
const UNWATCHED: &OnProgress<'static> = &|_| ();

/// Bytes of a part of the body.
const PART: usize = 1 << 16;

impl Common {
    /// The message by which the parties agree on a program and its public input.
    fn agree(&self, system: impl System, subject: [u8; 32]) -> Result<Begin, Error> {
        if self.over {
            return Err(Error::Over);
        }
        if self.options.fiat_shamir {
            let reason = "the verifier must choose the challenges of a run: a prover that may hash again and again \
                          would find some that suit it";
            return Err(Error::Options(reason.into()));
        }
        let parameters = system.parameters(&self.options, self.proofs, None)?;
        Ok(Begin::new(subject, parameters))
    }
}

impl<C: Channel> Prover<C> {
    /// Proves that a program ran: first it says how the run ended and what it shows.
    ///
    /// That can depend on the secret input, and so can the number of bytes. A run
    /// [in a class](ProgramRun::in_class) shows what every run of the class shows.
    ///
    /// # Errors
    /// As [`Prover::prove`]; a rejection if V demands another run.
    pub fn prove_run(
        &mut self,
        system: impl ProvesRuns,
        run: &ProgramRun,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error> {
        self.prove_run_watched(system, run, UNWATCHED, rng)
    }

    /// As [`Prover::prove_run`]; `watch` is told how far the proof is.
    ///
    /// # Errors
    /// As [`Prover::prove_run`].
    pub fn prove_run_watched<Y: ProvesRuns>(
        &mut self,
        system: Y,
        run: &ProgramRun,
        watch: &OnProgress<'_>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error> {
        let (watched, unwatched) = (WatchedRun { run, watch }, WatchedRun { run, watch: UNWATCHED });
        let statement = Y::provable(&watched);
        let evaluate = || Y::evaluate(Y::provable(&unwatched));
        let announced = self.announce(system, run.subject(), run);
        let result = announced.and_then(|()| self.try_prove(&system, statement, evaluate, rng));
        self.conclude(result)
    }

    /// Says how a run ended and what it shows, before its proof is split over workers
    /// ([`Prover::prove_split`]).
    ///
    /// # Errors
    /// As [`Prover::prove_run`].
    pub fn announce_split_run(&mut self, system: impl ProvesRuns, run: &SplitRun) -> Result<(), Error> {
        let result = self.announce(system, run.subject(), run.run());
        self.conclude(result)
    }

    fn announce(&mut self, system: impl System, subject: [u8; 32], run: &ProgramRun) -> Result<(), Error> {
        let agreed = self.common.agree(system, subject)?;
        agreed.send(&mut self.channel)?;
        agreed.receive(&mut self.channel)?;
        self.channel.send(tags::RUN, &Head::of(run.claim(), run.profile()).encode())?;
        for part in encode_body(run.claim(), run.profile()).chunks(PART) {
            self.channel.send(tags::RUN, part)?;
        }
        Ok(())
    }
}

impl<C: Channel> Verifier<C> {
    /// Verifies a proof that this program, or one within these bounds, ran on this public input, within these
    /// terms. Returns how it ended and what it wrote, which both are proved.
    ///
    /// # Errors
    /// As [`Verifier::verify`]; a rejection if the run is not within the terms.
    pub fn verify_run(
        &mut self,
        system: impl ProvesRuns,
        (subject, public): (&Subject, &[u8]),
        settings: Settings,
        terms: &Terms,
        rng: &mut dyn CryptoRng,
    ) -> Result<(RunClaim, Report), Error> {
        self.verify_run_watched(system, (subject, public), settings, terms, UNWATCHED, rng)
    }

    /// As [`Verifier::verify_run`]; `watch` is told how far the proof is, once P has said how long it is.
    ///
    /// # Errors
    /// As [`Verifier::verify_run`].
    pub fn verify_run_watched<Y: ProvesRuns>(
        &mut self,
        system: Y,
        (subject, public): (&Subject, &[u8]),
        settings: Settings,
        terms: &Terms,
        watch: &OnProgress<'_>,
        rng: &mut dyn CryptoRng,
    ) -> Result<(RunClaim, Report), Error> {
        let digest = subject.digest(public, settings);
        let result = self.hear(system, digest, (subject, public), settings, terms).and_then(|run| {
            let watched = WatchedRun { run: &run, watch };
            let report = self.try_verify(&system, Y::provable(&watched), something_claimed, rng)?;
            Ok((run.claim().clone(), report))
        });
        self.conclude(result)
    }

    /// Hears how a run ended and what it shows, within these terms. Returns it in this many groups of
    /// segments (fewer if it has fewer segments), for [`Verifier::verify_split`]: nothing is proved yet.
    ///
    /// # Errors
    /// As [`Verifier::verify_run`]; [`volery_circuit::Error::Public`] for what cannot be split.
    pub fn hear_split_run(
        &mut self,
        system: impl ProvesRuns,
        (subject, public): (&Subject, &[u8]),
        (settings, groups): (Settings, usize),
        terms: &Terms,
    ) -> Result<SplitRun, Error> {
        let digest = SplitRun::subject_digest(subject.digest(public, settings), groups);
        let result = self.hear(system, digest, (subject, public), settings, terms);
        let result = result.and_then(|run| Ok(SplitRun::new(run, groups)?));
        self.conclude(result)
    }

    /// What P says of its run, as a statement. The parties agree on this digest before.
    fn hear(
        &mut self,
        system: impl System,
        digest: [u8; 32],
        (subject, public): (&Subject, &[u8]),
        settings: Settings,
        terms: &Terms,
    ) -> Result<ProgramRun, Error> {
        let agreed = self.common.agree(system, digest)?;
        agreed.send(&mut self.channel)?;
        agreed.receive(&mut self.channel)?;
        let rejected = |reason| Error::Proof(volery_zk::Error::Rejected { reason });
        let head = Head::decode(&self.channel.recv_array(tags::RUN)?, terms.journal)?;
        terms.ending.check(head.end()).map_err(rejected)?;
        let (mut body, mut part) = (Vec::new(), Vec::new());
        while body.len() < head.body() {
            // All parts but the last are full, so there is one way to send a body.
            let length = PART.min(head.body() - body.len());
            self.channel.recv_into(tags::RUN, length, &mut part)?;
            if part.len() != length {
                let reason = format!("a part of {} bytes, not {length}", part.len());
                return Err(volery_channel::Error::malformed(tags::RUN, reason).into());
            }
            body.extend_from_slice(&part);
        }
        let (claim, profile) = decode_body(&head, &body)?;
        terms.check(&claim, &profile, settings).map_err(rejected)?;
        Ok(ProgramRun::new(subject.clone(), public.to_vec(), claim, profile, settings)?)
    }
}
