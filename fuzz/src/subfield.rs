//! The making of correlations over a field: base VOLE, then rounds.

use volery_channel::{Channel, Limits, memory_pair, tags};
use volery_field::{Authenticated, F61};
use volery_vole::correlations::{Generator, Plan, Pool};
use volery_vole::softspoken::{FieldBits, Receiver, Sender};
use volery_vole::subfield::{ProverParty, VerifierParty, tree_size};
use volery_vole::{Delta, Error, Params, SessionId};

use crate::replay::{against, rng};

const SESSION: SessionId = SessionId::new([0; 32]);

/// A short first stage, then rounds of toy size: the messages are those of real ones.
const PLAN: Plan = Plan {
    extension: 3 * 64,
    chunk: 64,
    long: 1 << 10,
    lead: 0,
    rounds: &[Params { log_k: 6, log_block: 4, trees: 20 }, Params { log_k: 7, log_block: 5, trees: 40 }],
};

/// Correlations taken: the first stage, a round of each size, and so much of a third one that V has answered
/// the fourth's check, which P opens when both settle.
const TAKEN: usize = 3 * 64 + 9 * 16 + (34 + 26) * 32;

/// What both parties hold after honest set-ups: for the paths' bits, and for the field's own trees.
struct Setup {
    prover: [Receiver; 2],
    verifier: [Sender; 2],
}

impl Setup {
    /// Made for each run, though base OT takes longer than all the rest of it: a fork serves once.
    fn honest() -> Self {
        let sizes = [FieldBits::Eight, tree_size::<F61, F61>()];
        let (mut left, mut right) = memory_pair(&Limits::default());
        std::thread::scope(|scope| {
            let prover = scope.spawn(move || {
                let mut rng = rng(3);
                let receivers = sizes
                    .map(|size| Receiver::setup(&mut left, &SESSION, size, &mut rng).expect("an honest run"));
                left.flush().expect("there is room");
                receivers
            });
            let mut rng = rng(2);
            let verifier = sizes.map(|size| {
                let delta = Delta::random(&mut rng);
                Sender::setup(&mut right, &SESSION, size, delta, &mut rng).expect("an honest run")
            });
            Self { prover: prover.join().expect("an honest run"), verifier }
        })
    }
}

/// All that a verifier sends after the set-up while correlations over F_{2^61-1} are made, at the prover.
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
    let [mut bits, mut trees] = Setup::honest().prover;
    let party =
        ProverParty::<F61, F61>::new(SESSION, trees.fork("field")?, bits.fork("paths")?, &mut rng(3))?;
    let mut pool = Pool::new(Box::new(Generator::linked(party, PLAN, None, &mut rng(4))));
    pool.fill(channel, &mut vec![Authenticated::default(); TAKEN])?;
    pool.settle(channel)?;
    pool.chain(channel)?;
    leave(channel)
}

/// An honest verifier.
///
/// # Errors
/// What its peer does wrong.
pub fn as_verifier(channel: &mut dyn Channel) -> Result<(), Error> {
    let [mut bits, mut trees] = Setup::honest().verifier;
    let party =
        VerifierParty::<F61, F61>::new(SESSION, trees.fork("field")?, bits.fork("paths")?, &mut rng(2))?;
    let mut pool = Pool::new(Box::new(Generator::linked(party, PLAN, None, &mut rng(4))));
    pool.fill(channel, &mut vec![F61::default(); TAKEN])?;
    pool.settle(channel)?;
    pool.chain(channel)?;
    leave(channel)
}

/// Nobody leaves while the other still sends: the verifier is ahead with the next round's trees.
fn leave(channel: &mut dyn Channel) -> Result<(), Error> {
    channel.send(tags::GOODBYE, &[])?;
    channel.recv(tags::GOODBYE, 0)?;
    Ok(channel.flush()?)
}
