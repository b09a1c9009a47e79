//! A session: two parties, one set-up, any number of proofs.
//!
//! ```text
//! P                                              V
//! Hello, base OT's point      <---------->       Hello, base OT's points
//! tree corrections            ----------->                                    set-up done
//! Begin(statement)            <---------->       Begin(statement)             before anything depends on a witness
//! proof                       <---------->                                    see volery_zk::quicksilver
//!                             <-----------       verdict
//! Begin(next statement)       <---------->       ...
//! ```
//!
//! Both parties send their first messages before they read the other's, so a proof of one small statement
//! takes four round trips from the connection to the verdict.
//!
//! Where challenges are hashes ([`Options::fiat_shamir`]), V also sends 32 bytes after each batch of
//! correlations (`Link`), and each challenge depends on those of all batches that it stands on: it absorbs
//! its own pool's chain, and the proof begins with the chain of every pool.
//!
//! After any error the session is over: the peer is told a reason that says nothing about secrets, the
//! correlations under V's delta and delta itself are wiped, and every later call fails.

mod estimate;
mod evaluate;
mod field;
mod making;
mod memory;
mod options;
#[cfg(feature = "programs")]
mod programs;
mod prover;
mod rehearsal;
mod report;
pub mod split;
pub mod system;
mod verifier;
#[cfg(feature = "web")]
mod web;

#[cfg(feature = "programs")]
pub use estimate::estimate_run;
pub use estimate::{Estimate, estimate, estimate_through};
pub use options::Options;
pub use prover::Prover;
pub use report::Report;
pub use verifier::Verifier;
pub use volery_channel::Network;
#[cfg(feature = "web")]
pub use web::{
    Attested, FetchedTogether, PageFault, PagePlan, PreparedProver, PreparedVerifier, ProvedPage, Signed,
    VerifiedPage, Watched, visit,
};

use volery_channel::handshake::{Begin, Session};
use volery_channel::platform::Instant;
use volery_channel::{Channel, tags};
use volery_vole::correlations::{Chain, Correlation, Pool};
use volery_vole::{SessionId, Transcript};
use volery_zk::quicksilver::Tally;

use field::FieldPool;
use report::Counted;
use system::System;

use crate::Error;

/// What both parties keep about a session, apart from its correlations.
struct Common {
    id: SessionId,
    options: Options,
    threads: Option<std::sync::Arc<rayon::ThreadPool>>,
    /// Proofs begun so far.
    proofs: u64,
    /// Whether an error ended the session.
    over: bool,
    /// Whether P evaluates a statement before it proves it.
    evaluates: bool,
    /// Claims about hidden parts of web pages that V knows besides those of [`volery_tls::claim`].
    #[cfg(feature = "web")]
    vocabulary: std::sync::Arc<dyn volery_tls::claim::Vocabulary>,
}

impl Common {
    fn new(session: &Session, options: Options, threads: Option<std::sync::Arc<rayon::ThreadPool>>) -> Self {
        Self::of(SessionId::new(*session.id()), options, threads)
    }

    fn of(id: SessionId, options: Options, threads: Option<std::sync::Arc<rayon::ThreadPool>>) -> Self {
        Self {
            id,
            options,
            threads,
            proofs: 0,
            over: false,
            evaluates: true,
            #[cfg(feature = "web")]
            vocabulary: web::no_claims(),
        }
    }

    /// Counts the session as over, until [`Common::conclude`] says that what is begun here went well: what a
    /// panic cuts short is not followed by anything.
    fn enter(&mut self) -> Result<(), Error> {
        match core::mem::replace(&mut self.over, true) {
            true => Err(Error::Over),
            false => Ok(()),
        }
    }

    /// The message that opens the next proof, of the statement with this digest and so many commitments.
    fn begin(
        &mut self,
        system: &impl System,
        digest: [u8; 32],
        commitments: Option<u64>,
    ) -> Result<Begin, Error> {
        system.allow(&self.options, commitments)?;
        self.enter()?;
        let parameters = system.parameters(&self.options, self.proofs, commitments)?;
        self.proofs += 1;
        Ok(Begin::new(digest, parameters))
    }

    /// The chain of every pool of the session where it is read now, which a proof's transcript begins with;
    /// none where V chooses.
    ///
    /// No seed rests on these alone: it absorbs its own pool's chain when it is asked for, and that goes
    /// back to the session's first batch. They say from the first message on which left-overs of an earlier
    /// proof this one stands on. And they say what *another* pool held: a challenge of the field's part
    /// absorbs the field's chain later, and not the bits'.
    fn chains(
        &self,
        pool: &mut Pool,
        field: &mut Option<Box<dyn FieldPool>>,
        channel: &mut dyn Channel,
    ) -> Result<Vec<Chain>, Error> {
        if !self.options.fiat_shamir {
            return Ok(Vec::new());
        }
        let mut chains = vec![pool.chain(channel)?];
        if let Some(field) = field {
            chains.push(field.chain(channel)?);
        }
        Ok(chains)
    }

    /// Makes `count` correlations, throws them away, and ends the session together with the peer.
    fn spend<T: Correlation>(
        &self,
        count: u64,
        pool: &mut Pool<T>,
        channel: &mut dyn Channel,
    ) -> Result<Report, Error> {
        let (start, before) = (Instant::now(), channel.stats());
        let end = pool.index().saturating_add(count);
        pool.expect(Some(count));
        // A batch counts as taken when the next one replaces it.
        while pool.index() < end {
            pool.refill(channel)?;
        }
        // Steps of the next stage may be on their way: nobody leaves before both have what they wait for.
        channel.send(tags::GOODBYE, &[])?;
        channel.recv(tags::GOODBYE, 0)?;
        let counted = Counted::bits(Tally::default(), &self.options);
        Ok(Report::new(counted, count, start.elapsed(), before, channel.stats()))
    }

    /// Ends the session if `result` is an error: tells the peer and destroys the correlations.
    fn conclude<T>(
        &mut self,
        result: Result<T, Error>,
        pool: &mut Pool,
        field: &mut Option<Box<dyn FieldPool>>,
        channel: &mut dyn Channel,
    ) -> Result<T, Error> {
        if let Err(error) = &result {
            self.burn(pool, field);
            channel.fail(error.public_reason());
        } else {
            self.over = false;
        }
        result
    }

    /// Ends the session without a word to the peer.
    fn burn(&mut self, pool: &mut Pool, field: &mut Option<Box<dyn FieldPool>>) {
        self.over = true;
        pool.burn();
        if let Some(field) = field {
            field.burn();
        }
    }
}

/// What is left of a session that ends in a pair of correlation files.
#[cfg(not(target_family = "wasm"))]
pub(crate) struct Parts<C> {
    pub(crate) channel: C,
    pub(crate) pool: Pool,
    /// V's global key.
    pub(crate) delta: Option<volery_vole::Delta>,
    common: Common,
}

#[cfg(not(target_family = "wasm"))]
impl<C> Parts<C> {
    /// The session's name and how its proofs are run; an error if the session is over.
    pub(crate) fn begin(&self) -> Result<(SessionId, volery_zk::quicksilver::bits::Settings), Error> {
        if self.common.over {
            return Err(Error::Over);
        }
        Ok((self.common.id, self.common.options.settings()))
    }

    /// Whether the correlations are linked, so that challenges may be hashes.
    pub(crate) fn are_linked(&self) -> bool {
        self.common.options.fiat_shamir
    }
}

/// The transcript that the challenges of a proof are hashed from, where nobody chooses them. `mode` is how
/// P's messages reach V: proofs of different modes have unrelated challenges. `chains` are those of every
/// pool where the proof begins; each challenge absorbs its pool's again where it has got to by then.
pub(crate) fn transcript(
    mode: &str,
    session: &SessionId,
    digest: &[u8; 32],
    interval: usize,
    first_correlation: u64,
    chains: &[Chain],
) -> Transcript {
    let mut transcript = Transcript::new("volery quicksilver boolean v2", session);
    transcript.absorb("mode", mode.as_bytes());
    transcript.absorb("statement", digest);
    transcript.absorb_number("interval", interval as u64);
    transcript.absorb_number("first correlation", first_correlation);
    transcript.absorb_number("stocks", chains.len() as u64);
    chains.iter().for_each(|chain| transcript.absorb("chain", chain.as_bytes()));
    transcript
}

/// The digest of a statement for the backend `B`.
pub(crate) fn digest<B: volery_circuit::Backend + ?Sized>(
    statement: &(impl volery_circuit::Statement<B> + ?Sized),
) -> [u8; 32] {
    let mut digest = volery_circuit::Digest::new();
    statement.identify(&mut digest);
    digest.finish()
}

#[cfg(test)]
mod forgeries;
#[cfg(test)]
mod tests;
