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

use rand_core::CryptoRng;
use volery_channel::handshake::{Hello, Parameters, Role};
use volery_channel::{Channel, Rehearsal, tags};
use volery_field::{Mac, Value};
use volery_vole::correlations::Plan;
use volery_vole::softspoken::FieldBits;
use volery_vole::subfield::{self, tree_size};
use volery_vole::{SessionId, base_ot, cot};

use super::field::{ProverField, pool, pool_over};
use super::{Common, Options, Prover};
use crate::{Error, os_rng};

/// Bytes of a frame's header.
const HEADER: usize = 5;

impl<C: Channel> Prover<C> {
    /// A prover for a rehearsal; `wrap` may put something around its channel.
    ///
    /// # Errors
    /// [`Error::Options`] for options that make no sense.
    pub(super) fn rehearse(wrap: impl FnOnce(Rehearsal) -> C, options: Options) -> Result<Self, Error> {
        let (mut rng, mut channel) = (os_rng()?, wrap(Rehearsal::new()));
        greet(options.session_parameters()?, &mut channel, &mut rng, |channel| {
            Ok(channel.send(tags::BASE_OT_SENDER, &[0; base_ot::SENDER_MESSAGE_BYTES])?)
        })?;
        receive_points(&mut channel)?;
        channel.send(tags::SOFT_SPOKEN_TREE, &vec![0; FieldBits::Eight.tree_message_bytes()])?;
        let id = SessionId::new([0; 32]);
        let common = Common { evaluates: false, ..Common::of(id, options, options.pool()?) };
        let plan = options.profile.plan();
        let pool = pool(cot::BlankParty::new(id), plan, &options, common.threads.clone(), &mut rng);
        Ok(Self { channel, common, pool, extension: None, field: None })
    }

    /// Refuses what blank correlations are not for.
    #[cfg(any(feature = "web", not(target_family = "wasm")))]
    pub(crate) fn not_rehearsed(&self) -> Result<(), Error> {
        if self.pool.is_blank() {
            return Err(Error::Options("a rehearsal is of a proof, and of nothing else".into()));
        }
        Ok(())
    }
}

/// Both hellos, with these parameters. P sends what `meanwhile` does before it reads V's.
pub(super) fn greet(
    parameters: Parameters,
    channel: &mut dyn Channel,
    rng: &mut dyn CryptoRng,
    meanwhile: impl FnOnce(&mut dyn Channel) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut other = Rehearsal::new();
    Hello::new(Role::Prover, parameters.clone(), rng).send(channel)?;
    meanwhile(channel)?;
    Hello::new(Role::Verifier, parameters, rng).send(&mut other)?;
    let theirs = usize::try_from(other.stats().bytes_sent).unwrap_or(0).saturating_sub(HEADER);
    Ok(channel.recv_exact(tags::HELLO, &mut vec![0; theirs])?)
}

/// The correlations over a field that P's worker of a split statement makes from its lot.
pub(super) fn field_of_lot<F: Value, M: Mac<F>>(
    common: &Common,
    plan: Plan,
    channel: &mut dyn Channel,
    rng: &mut dyn CryptoRng,
) -> Result<ProverField<F, M>, Error> {
    channel.send(tags::BASE_OT_SENDER, &[0; base_ot::SENDER_MESSAGE_BYTES])?;
    receive_points(channel)?;
    channel.send(tags::SOFT_SPOKEN_TREE, &vec![0; FieldBits::Eight.tree_message_bytes()])?;
    channel.flush()?;
    let party = subfield::BlankParty::<F, M>::of_lot(common.id);
    Ok(ProverField { pool: pool(party, plan, &common.options, common.threads.clone(), rng) })
}

/// V's message of the base OT, in its parts.
fn receive_points(channel: &mut dyn Channel) -> Result<(), Error> {
    for length in base_ot::parts(128) {
        channel.recv_exact(tags::BASE_OT_RECEIVER, &mut vec![0; length])?;
    }
    Ok(())
}

/// The end of a set-up over a field, in a rehearsal.
pub(super) fn finish_field<F: Value, M: Mac<F>>(
    common: &Common,
    channel: &mut dyn Channel,
    rng: &mut dyn CryptoRng,
) -> Result<ProverField<F, M>, Error> {
    receive_points(channel)?;
    channel.send(tags::SOFT_SPOKEN_TREE, &vec![0; tree_size::<F, M>().tree_message_bytes()])?;
    channel.flush()?;
    let party = subfield::BlankParty::<F, M>::new(common.id);
    Ok(ProverField { pool: pool_over::<F, M, _>(party, common, rng) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rehearsal_makes_no_files_of_correlations() {
        let dir = tempfile::tempdir().expect("a directory");
        let file = dir.path().join("file");
        let hashed = Options { fiat_shamir: true, ..Options::default() };
        let prover = Prover::rehearse(|channel| channel, hashed).expect("set up");
        let stored = crate::stored::preprocess::prover(prover, 256, &file, &mut |_| {}).map(drop);
        assert!(matches!(stored, Err(Error::Options(_))) && !file.exists(), "{stored:?}");
    }

    #[test]
    #[cfg(feature = "web")]
    fn a_rehearsal_makes_no_connection_to_a_website() {
        use volery_tls::joint::Sizes;
        use volery_tls::proxy::{Target, TlsVersion};
        use volery_tls::server::Roots;

        let prover = || Prover::rehearse(|channel| channel, Options::default()).expect("set up");
        let rng = os_rng().expect("randomness");
        let sizes = Sizes::one(100, 100);
        assert!(matches!(prover().prepare_web(sizes, rng).map(drop), Err(Error::Options(_))));
        let roots = Roots::none();
        let version = Some(TlsVersion::Tls12);
        let suite = None;
        let (roots, wait, max_received) = (&roots, core::time::Duration::from_secs(1), 100);
        let target = Target { host: "localhost", port: 1, roots, max_received, wait, version, suite };
        let fetched = prover().fetch(&target, b"GET / HTTP/1.1\r\n\r\n").map(drop);
        assert!(matches!(fetched, Err(Error::Options(_))));
    }
}
