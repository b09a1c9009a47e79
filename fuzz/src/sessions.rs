//! Whole sessions: handshake, set-up and a proof. Slow (base OT takes milliseconds), but nothing is left out.

use volery::system::Bits;
use volery::{Error, Options, Prover, Verifier};
use volery_channel::Channel;

use crate::proofs::Chain;
use crate::replay::{against, rng};

/// All that a verifier sends in a session, at the prover.
pub fn session_prover(bytes: &[u8]) {
    let _ = against(bytes, |channel| as_prover(channel));
}

/// All that a prover sends in a session, at the verifier. With bit 0 of the first byte the statement is
/// false: then nothing is accepted.
pub fn session_verifier(bytes: &[u8]) {
    let Some((mode, rest)) = bytes.split_first() else { return };
    let lie = mode & 1 != 0;
    let statement = if lie { Chain::FALSE } else { Chain::TRUE };
    let result = against(rest, |channel| as_verifier(channel, &statement));
    assert!(!lie || result.is_err(), "a false statement is accepted");
}

/// An honest prover.
///
/// # Errors
/// What its peer does wrong.
pub fn as_prover(channel: &mut dyn Channel) -> Result<(), Error> {
    let mut rng = rng(3);
    Prover::start(channel, Options::default(), &mut rng)?.prove(Bits, &Chain::KNOWN, &mut rng)?;
    Ok(())
}

/// An honest verifier.
///
/// # Errors
/// What its peer does wrong.
pub fn as_verifier(channel: &mut dyn Channel, statement: &Chain) -> Result<(), Error> {
    let mut rng = rng(2);
    Verifier::start(channel, Options::default(), &mut rng)?.verify(Bits, statement, &mut rng)?;
    Ok(())
}
