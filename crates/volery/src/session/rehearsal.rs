//! A rehearsal: P's side of a session with nobody at the other end, to learn what a proof takes.
//!
//! The same prover runs the same statement. It has no witness (secrets are zero, and no claim is looked at),
//! its correlations are zero and cost nothing to make ([`volery_vole::correlations`]), and what it reads are
//! messages of the right length without content. So bytes, round trips and correlations are those of a real
//! proof, whatever the protocol, since it is the protocol's own code that sends and waits. (Over TLS each
//! party's hello also names the connection: some 70 bytes.) It takes the time that P needs for a proof, less
//! that for the correlations and for the witness: finding secrets, the evaluation before the proof, and
//! Robin's evaluation of all branches.
//!
//! Nothing secret takes part: a rehearsal has no peer, no key, and no values. What else a session can be used
//! for is refused in one: connections to websites, and files of correlations, which would be zeros.

use std::time::Duration;

use rand_core::CryptoRng;
use volery_channel::handshake::{Hello, Role};
use volery_channel::{Channel, Rehearsal, Stats, tags};
use volery_field::{Mac, Value};
use volery_vole::softspoken::FieldBits;
use volery_vole::subfield::{self, tree_size};
use volery_vole::{SessionId, base_ot, cot};
use volery_zk::soundness::Soundness;

use super::field::{ProverField, pool, pool_over};
use super::{Common, Options, Prover, Report};
use crate::{Error, os_rng};

/// Bytes of a frame's header.
const HEADER: usize = 5;

/// What a session takes that proves something once, from the first byte to the verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Bytes that P sends, with frames' headers (5 each); TLS and TCP add theirs.
    pub bytes_prover: u64,
    /// Bytes that V sends.
    pub bytes_verifier: u64,
    /// How often P waits for V after it has sent something, as in [`Stats::round_trips`].
    pub round_trips: u64,
    /// Correlations that are used: one for each secret and each multiplication, and what masks the checks.
    pub correlations: u64,
    /// The names of the field of values and of that of MACs.
    pub fields: [&'static str; 2],
    /// With what probability V accepts a false statement. [`Soundness::in_mode`] gives it for other
    /// challenges.
    pub soundness: Soundness,
    /// How long P worked here, without the making of correlations and without its witness.
    pub time: Duration,
}

impl Estimate {
    /// Both directions together.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes_prover.saturating_add(self.bytes_verifier)
    }
}

/// What a session takes in which `run` proves something; `run` is called with a prover that has nobody to
/// talk to.
///
/// ```
/// use volery::{Options, estimate, statements::AndChain, system::Bits};
///
/// let statement = AndChain::new(10_000);
/// let estimate = estimate(Options::default(), |prover, rng| prover.prove(Bits, &statement, rng))?;
/// assert_eq!(estimate.round_trips, 4);
/// # Ok::<(), volery::Error>(())
/// ```
///
/// # Errors
/// [`Error::Options`] for options that make no sense; what `run` returns.
pub fn estimate(
    options: Options,
    run: impl FnOnce(&mut Prover<Rehearsal>, &mut dyn CryptoRng) -> Result<Report, Error>,
) -> Result<Estimate, Error> {
    let mut prover = Prover::rehearse(|channel| channel, options)?;
    let report = run(&mut prover, &mut os_rng()?)?;
    Ok(prover.rehearsed(&report))
}

impl<C: Channel> Prover<C> {
    /// A prover for a rehearsal; `wrap` may put something around its channel.
    ///
    /// # Errors
    /// [`Error::Options`] for options that make no sense.
    pub fn rehearse(wrap: impl FnOnce(Rehearsal) -> C, options: Options) -> Result<Self, Error> {
        let (mut rng, mut other, mut channel) = (os_rng()?, Rehearsal::new(), wrap(Rehearsal::new()));
        let hello = |role, rng: &mut _| Ok::<_, Error>(Hello::new(role, options.session_parameters()?, rng));
        hello(Role::Prover, &mut rng)?.send(&mut channel)?;
        channel.send(tags::BASE_OT_SENDER, &[0; base_ot::SENDER_MESSAGE_BYTES])?;
        hello(Role::Verifier, &mut rng)?.send(&mut other)?;
        let theirs = usize::try_from(other.stats().bytes_sent).unwrap_or(0).saturating_sub(HEADER);
        channel.recv_exact(tags::HELLO, &mut vec![0; theirs])?;
        channel.recv_exact(tags::BASE_OT_RECEIVER, &mut vec![0; base_ot::receiver_message_bytes(128)])?;
        channel.send(tags::SOFT_SPOKEN_TREE, &vec![0; FieldBits::Eight.tree_message_bytes()])?;
        let id = SessionId::new([0; 32]);
        let common = Common { evaluates: false, ..Common::of(id, options, options.pool()?) };
        let plan = options.profile.plan();
        let pool = pool(cot::BlankParty::new(id), plan, &options, common.threads.clone(), &mut rng);
        Ok(Self { channel, common, pool, extension: None, field: None })
    }

    /// Refuses what blank correlations are not for.
    pub(crate) fn not_rehearsed(&self) -> Result<(), Error> {
        if self.pool.is_blank() {
            return Err(Error::Options("a rehearsal is of a proof, and of nothing else".into()));
        }
        Ok(())
    }

    /// What the session has taken so far, in which one proof was made, with this report; after a real proof
    /// what an estimate says of it.
    pub fn rehearsed(&self, report: &Report) -> Estimate {
        let Stats { bytes_sent, bytes_received, round_trips, .. } = self.channel.stats();
        let over_a_field = self.field.as_ref().map_or(0, |field| field.index());
        Estimate {
            bytes_prover: bytes_sent,
            bytes_verifier: bytes_received,
            round_trips,
            correlations: self.pool.index().saturating_add(over_a_field),
            fields: report.fields,
            soundness: report.soundness,
            time: report.time,
        }
    }
}

/// The end of a set-up over a field, in a rehearsal.
pub(super) fn finish_field<F: Value, M: Mac<F>>(
    common: &Common,
    channel: &mut dyn Channel,
    rng: &mut dyn CryptoRng,
) -> Result<ProverField<F, M>, Error> {
    channel.recv_exact(tags::BASE_OT_RECEIVER, &mut vec![0; base_ot::receiver_message_bytes(128)])?;
    channel.send(tags::SOFT_SPOKEN_TREE, &vec![0; tree_size::<F, M>().tree_message_bytes()])?;
    channel.flush()?;
    let party = subfield::BlankParty::<F, M>::new(common.id);
    Ok(ProverField { pool: pool_over::<F, M, _>(party, common, rng) })
}
