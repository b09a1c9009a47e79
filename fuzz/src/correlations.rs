//! The making of correlations: each message by itself, then everything in order.

use std::sync::OnceLock;

use volery_channel::{Channel, tags};
use volery_field::Gf128;
use volery_vole::correlations::{Generator, Plan, Pool};
use volery_vole::cot::{ProverParty, VerifierParty};
use volery_vole::softspoken::{self, FieldBits, Receiver, ReceiverSetup, Sender, SenderSetup};
use volery_vole::{Delta, Error, Params, SessionId, base_ot};

use crate::replay::{against, payloads, record, rng};

/// The session of the doors that the crate itself offers for fuzzing.
const SESSION: SessionId = SessionId::new([0; 32]);

/// The receiver's base OT message, at the sender.
pub fn base_ot_sender(bytes: &[u8]) {
    base_ot::fuzz::sender_finish(bytes, &mut rng(1));
}

/// The sender's base OT message, at the receiver.
pub fn base_ot_receiver(bytes: &[u8]) {
    base_ot::fuzz::receiver_finish(bytes, &mut rng(1));
}

/// The prover's base OT point and punctured trees, at the verifier; a first byte says how large the trees
/// are.
pub fn softspoken_trees(bytes: &[u8]) {
    let Some((kind, rest)) = bytes.split_first() else { return };
    let bits = if kind & 1 == 0 { FieldBits::Four } else { FieldBits::Eight };
    let (point, message) = rest.split_at(rest.len().min(base_ot::SENDER_MESSAGE_BYTES));
    let _ = softspoken::fuzz::trees(point, message, bits, &mut rng(2));
}

/// Correlations in the chunk that [`softspoken_chunk`] reads.
pub const ROWS: usize = 200;

/// The prover's extension message, at the verifier, after an honest set-up. None but the honest one is
/// accepted.
pub fn softspoken_chunk(bytes: &[u8]) {
    static HONEST: OnceLock<Extension> = OnceLock::new();
    let honest = HONEST.get_or_init(|| extension(FieldBits::Four));
    let sender = softspoken::fuzz::trees(&honest.point, &honest.trees, FieldBits::Four, &mut rng(2));
    let Ok(mut sender) = sender else { panic!("the verifier refuses honest trees") };
    if softspoken::fuzz::chunk(&mut sender, ROWS, bytes).is_ok() {
        assert_eq!(bytes, honest.chunk, "a forged extension is accepted");
    }
}

/// What an honest prover says to the verifier of [`softspoken_trees`] and [`softspoken_chunk`].
pub struct Extension {
    /// The base OT's point.
    pub point: Vec<u8>,
    /// The trees.
    pub trees: Vec<u8>,
    /// An extension by [`ROWS`].
    pub chunk: Vec<u8>,
}

/// Runs the honest prover.
///
/// # Panics
/// If it fails.
#[must_use]
pub fn extension(bits: FieldBits) -> Extension {
    let mut verifier = rng(2);
    let setup = SenderSetup::start(Delta::random(&mut verifier), &mut verifier).expect("a set-up");
    let prover = ReceiverSetup::start(&mut rng(3));
    let point = prover.message().to_vec();
    let points = setup.message().to_vec();
    let (frames, _) = record(
        move |channel| {
            let mut receiver = prover.finish(&SESSION, bits, &points, channel).expect("honest points");
            receiver.extend(channel, ROWS, &mut Vec::new()).expect("an extension");
        },
        |channel| {
            let _ = channel.recv(tags::SOFT_SPOKEN_TREE, 1 << 20);
            let _ = channel.recv(tags::SOFT_SPOKEN_EXTEND, 1 << 20);
        },
    );
    let [trees, chunk] = payloads(&frames).try_into().expect("two messages");
    Extension { point, trees, chunk }
}

/// One short stage of OT extension, then rounds of toy size: the messages are those of real ones.
const PLAN: Plan =
    Plan { extension: Plan::CHUNK, ..Plan::bits(&[Params { log_k: 9, log_block: 6, trees: 64 }]) };

/// Correlations taken: the first stage, one round and the start of the next.
const TAKEN: usize = Plan::CHUNK + 64 * 64;

/// All that a verifier sends while correlations are made, at the prover.
pub fn cot_prover(bytes: &[u8]) {
    let _ = against(bytes, |channel| cot_as_prover(channel));
}

/// All that a prover sends while correlations are made, at the verifier.
pub fn cot_verifier(bytes: &[u8]) {
    let _ = against(bytes, |channel| cot_as_verifier(channel));
}

/// An honest prover.
///
/// # Errors
/// What its peer does wrong.
pub fn cot_as_prover(channel: &mut dyn Channel) -> Result<(), Error> {
    let mut rng = rng(3);
    let extension = Receiver::setup(channel, &SESSION, FieldBits::Eight, &mut rng)?;
    let party = ProverParty::new(SESSION, extension, &mut rng);
    take(Pool::new(Box::new(Generator::linked(party, PLAN, None, &mut rng))), channel)
}

/// An honest verifier.
///
/// # Errors
/// What its peer does wrong.
pub fn cot_as_verifier(channel: &mut dyn Channel) -> Result<(), Error> {
    let mut rng = rng(2);
    let delta = Delta::random(&mut rng);
    let extension = Sender::setup(channel, &SESSION, FieldBits::Eight, delta.duplicate(), &mut rng)?;
    let party = VerifierParty::new(SESSION, extension, delta, &mut rng);
    take(Pool::new(Box::new(Generator::linked(party, PLAN, None, &mut rng))), channel)
}

fn take(mut pool: Pool, channel: &mut dyn Channel) -> Result<(), Error> {
    pool.fill(channel, &mut vec![Gf128::ZERO; TAKEN])?;
    pool.chain(channel)?;
    Ok(channel.flush()?)
}
