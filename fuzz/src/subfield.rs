//! The making of correlations over a field: base VOLE, then rounds, from base OT on.

use volery_channel::{Channel, tags};
use volery_field::{Authenticated, F61};
use volery_vole::softspoken::{FieldBits, Receiver, Sender};
use volery_vole::subfield::{ProverParty, VerifierParty, tree_size};
use volery_vole::supply::{Plan, Stock, Supply};
use volery_vole::{Delta, Error, Params, SessionId};

use crate::replay::{against, rng};

const SESSION: SessionId = SessionId::new([0; 32]);

/// A short first stage, then rounds of toy size: the messages are those of real ones.
const PLAN: Plan = Plan {
    extension: 3 * 64,
    chunk: 64,
    long: 1 << 10,
    rounds: &[Params { log_k: 6, log_block: 4, trees: 20 }, Params { log_k: 7, log_block: 5, trees: 40 }],
};

/// Correlations taken: the first stage, a round of each size and the start of the next.
const TAKEN: usize = 3 * 64 + 20 * 16 + 40 * 32;

/// All that a verifier sends while correlations over F_{2^61-1} are made, at the prover.
pub fn subfield_prover(bytes: &[u8]) {
    let _ = against(bytes, |channel| as_prover(channel));
}

/// All that a prover sends, at the verifier.
pub fn subfield_verifier(bytes: &[u8]) {
    let _ = against(bytes, |channel| as_verifier(channel));
}

/// An honest prover.
///
/// # Errors
/// What its peer does wrong.
pub fn as_prover(channel: &mut dyn Channel) -> Result<(), Error> {
    let mut rng = rng(3);
    let bits = Receiver::setup(channel, &SESSION, FieldBits::Eight, &mut rng)?.fork("field")?;
    let trees = Receiver::setup(channel, &SESSION, tree_size::<F61, F61>(), &mut rng)?;
    let party = ProverParty::<F61, F61>::new(SESSION, trees, bits, &mut rng)?;
    let mut stock = Stock::new(Box::new(Supply::new(party, PLAN, None)));
    stock.fill(channel, &mut vec![Authenticated::default(); TAKEN])?;
    leave(channel)
}

/// An honest verifier.
///
/// # Errors
/// What its peer does wrong.
pub fn as_verifier(channel: &mut dyn Channel) -> Result<(), Error> {
    let mut rng = rng(2);
    let (bits, key) = (Delta::random(&mut rng), Delta::random(&mut rng));
    let bits = Sender::setup(channel, &SESSION, FieldBits::Eight, bits, &mut rng)?.fork("field")?;
    let trees = Sender::setup(channel, &SESSION, tree_size::<F61, F61>(), key, &mut rng)?;
    let party = VerifierParty::<F61, F61>::new(SESSION, trees, bits, &mut rng)?;
    let mut stock = Stock::new(Box::new(Supply::new(party, PLAN, None)));
    stock.fill(channel, &mut vec![F61::default(); TAKEN])?;
    leave(channel)
}

/// Nobody leaves while the other still sends: the verifier is ahead with the next round's trees.
fn leave(channel: &mut dyn Channel) -> Result<(), Error> {
    channel.send(tags::GOODBYE, &[])?;
    channel.recv(tags::GOODBYE, 0)?;
    Ok(channel.flush()?)
}
