//! Proof systems: what a session's parties prove with.
//!
//! [`Prover::prove`](crate::Prover::prove) and [`Verifier::verify`](crate::Verifier::verify) take one beside
//! the statement. Both parties name the same one; a difference ends the proof before it begins, with its
//! name.
//!
//! | system | the statement is over | protocol |
//! |---|---|---|
//! | [`Bits`] | bits | QuickSilver, with Robin for disjunctions |
//! | [`Over`] | a field | the same |
//! | [`Mixed`] | bits and a field | QuickSilver over both, and links between them |
//! | [`Stacked`] | bits | Mac'n'Cheese, whose disjunctions may be nested |
//! | [`StackedOver`] | a field | the same |
//!
//! A system says which backends run the statement ([`System::Prover`], [`System::Verifier`], and
//! [`System::Evaluator`] before a proof), which correlations it takes, what the parties compare, and what
//! every challenge depends on. The steps around it are the same for all systems and are written once, in
//! [`Prover::prove`](crate::Prover::prove) and [`Verifier::verify`](crate::Verifier::verify).

mod bits;
pub(super) mod correlations;
mod mixed;
mod over;
#[cfg(feature = "programs")]
mod runs;
mod stacked;

pub use bits::Bits;
pub use mixed::Mixed;
pub use over::Over;
#[cfg(feature = "programs")]
pub use runs::ProvesRuns;
pub use stacked::{Stacked, StackedOver};

use rand_core::CryptoRng;
use volery_channel::Channel;
use volery_channel::handshake::Parameters;
use volery_circuit::{Backend, Error as StatementError, Statement};
use volery_vole::Delta;
use volery_vole::correlations::{Chain, Pool};

use super::field::FieldPool;
use super::memory::{Bytes, Rehearsed};
use super::report::Counted;
use super::{Common, Options};
use crate::Error;
use correlations::CorrelationSetup;

/// A proof system. There are those of this module and no others.
pub trait System: Copy + Send + Sync + sealed::Sealed {
    /// The backend that runs a statement at P.
    type Prover<'a>: Backend<Error = volery_zk::Error>;
    /// The backend that runs it at V.
    type Verifier<'a>: Backend<Error = volery_zk::Error>;
    /// The backend that P evaluates it on, before it proves it.
    type Evaluator: Backend<Error = StatementError>;
    /// The correlations that a proof takes.
    #[doc(hidden)]
    type Setup: CorrelationSetup;

    /// Refuses options with which a proof of so many commitments would be worth too little.
    // The bound is that of `Setup`, once more: older compilers (1.89) do not look at bounds of associated
    // types when they look for public items that nobody can reach.
    #[doc(hidden)]
    fn allow(&self, options: &Options, commitments: Option<u64>) -> Result<(), Error>
    where
        Self::Setup: CorrelationSetup;

    /// What the parties compare before proof number `number` of their session.
    #[doc(hidden)]
    fn parameters(
        &self,
        options: &Options,
        number: u64,
        commitments: Option<u64>,
    ) -> Result<Parameters, Error>;

    /// Evaluates a statement, as far as V may see how long that takes.
    #[doc(hidden)]
    fn evaluate<S: Statement<Self::Evaluator> + ?Sized>(statement: &S) -> Result<(), StatementError>;

    /// Bytes that a session keeps at P and at V which proves what was rehearsed.
    #[doc(hidden)]
    fn memory(&self, rehearsed: &Rehearsed<'_>) -> Bytes;

    /// P's proof, up to V's verdict.
    #[doc(hidden)]
    fn run_prover<S>(
        &self,
        side: ProverSide<'_>,
        proof: &Proof<'_>,
        statement: &S,
        rng: &mut dyn CryptoRng,
    ) -> Result<Counted, Error>
    where
        S: for<'a> Statement<Self::Prover<'a>> + ?Sized;

    /// V's part of that: its `Ok` means that the proof holds.
    #[doc(hidden)]
    fn run_verifier<S>(
        &self,
        side: VerifierSide<'_>,
        proof: &Proof<'_>,
        statement: &S,
        rng: &mut dyn CryptoRng,
    ) -> Result<Counted, Error>
    where
        S: for<'a> Statement<Self::Verifier<'a>> + ?Sized;
}

/// A statement that a system proves: it runs on the backends of both parties and on P's evaluator. For
/// helpers that leave the system open:
///
/// ```
/// use volery::system::{Provable, System};
/// use volery::{Channel, Error, Prover, os_rng};
///
/// /// Proves the statement twice.
/// fn twice<Y: System, C: Channel>(
///     prover: &mut Prover<C>,
///     system: Y,
///     statement: &impl Provable<Y>,
/// ) -> Result<(), Error> {
///     prover.prove(system, statement, &mut os_rng()?)?;
///     prover.prove(system, statement, &mut os_rng()?)?;
///     Ok(())
/// }
/// ```
pub trait Provable<Y: System>:
    for<'a> Statement<Y::Prover<'a>> + for<'a> Statement<Y::Verifier<'a>> + Statement<Y::Evaluator>
{
}

impl<Y, S> Provable<Y> for S
where
    Y: System,
    S: for<'a> Statement<Y::Prover<'a>>
        + for<'a> Statement<Y::Verifier<'a>>
        + Statement<Y::Evaluator>
        + ?Sized,
{
}

mod sealed {
    /// Keeps other implementations out: a system reaches into a session.
    pub trait Sealed {}
}

/// The proof that is being made.
#[derive(Debug)]
pub struct Proof<'a> {
    /// The statement's digest.
    pub(super) digest: [u8; 32],
    /// What [`Statement::commitments`] says.
    pub(super) commitments: Option<u64>,
    /// Those of every pool of the session, where this proof begins.
    pub(super) chains: &'a [Chain],
}

/// P's side of a session, as a system needs it.
pub struct ProverSide<'a> {
    pub(super) common: &'a Common,
    pub(super) pool: &'a mut Pool,
    pub(super) extension: Option<&'a mut volery_vole::softspoken::Receiver>,
    pub(super) field: &'a mut Option<Box<dyn FieldPool>>,
    pub(super) channel: &'a mut dyn Channel,
}

/// V's side of a session, as a system needs it.
pub struct VerifierSide<'a> {
    pub(super) common: &'a Common,
    pub(super) pool: &'a mut Pool,
    pub(super) delta: &'a Delta,
    pub(super) extension: Option<&'a mut volery_vole::softspoken::Sender>,
    pub(super) field: &'a mut Option<Box<dyn FieldPool>>,
    pub(super) channel: &'a mut dyn Channel,
}
