//! The same proofs with the verifier at the other end of a channel, without Fiat-Shamir. So a prover has only
//! one attempt, and 40 bits of soundness are enough. (Commitments are hashes here, too.)
//!
//! ```text
//! V -> P   HeadPromise      what V wants proved (digest, protocol, sigma) and H(nonce, e)
//! P -> V   HeadFirst        header, and the first message (ZKB++: its digest)
//! V -> P   HeadChallenge    nonce, e
//! P -> V   HeadResponse     the opened views, in pieces
//! V -> P   Verdict          accepted
//! ```
//!
//! The paper's protocol is the middle three messages. It is zero-knowledge only against a verifier that draws
//! its challenge honestly. Here V commits to the challenge before it sees anything, so that it cannot choose.
//! A simulator learns `e` from the commitment (by a random oracle, or by rewinding V) before it makes up the
//! first message. P learns nothing about `e` from a hash with a nonce of 256 bits.
//!
//! P's salt and seeds depend on the promise. So even a prover whose generator repeats itself, after a
//! snapshot of its machine, gives only one answer to each first message, since another challenge needs
//! another promise.

use rand_core::CryptoRng;
use volery_channel::{Channel, ChannelExt, Tag, tags};
use volery_circuit::Witness;

use crate::challenge;
use crate::program::Program;
use crate::proof::{Header, Settings, Verified, commit, sigma};
use crate::rings::PublicRing;
use crate::{Error, Protocol};

/// The size of a piece of a long message, in bytes.
const PIECE: usize = 1 << 20;

/// The length of the digest of the first message, in bytes.
const DIGEST: usize = 32;

/// The length of the verifier's first message.
const PROMISE: usize = 32 + 32 + 1 + 2;

/// The commitment to a challenge.
fn promise(opening: &[u8; 64]) -> [u8; 32] {
    blake3::derive_key("volery 2026 mpcith promise of a challenge v1", opening)
}

/// What V wants proved, encoded; both parties compute it, and P compares.
fn wanted<R: PublicRing>(program: &Program<R>, settings: &Settings<'_>) -> [u8; PROMISE - 32] {
    let mut out = [0; PROMISE - 32];
    out[..32].copy_from_slice(program.digest());
    out[32] = settings.protocol.code();
    out[33..].copy_from_slice(&settings.parameters.sigma().to_le_bytes());
    out
}

/// Proves `program` for a witness from [`Program::witness`] to the verifier at the other end.
///
/// # Errors
/// [`Error::Mismatch`] if the verifier wants another statement or other settings; [`Error::Cheat`] if it does
/// not keep to its challenge; [`Error::Channel`], also if it does not accept; [`Error::Parameters`],
/// also for settings with a message.
pub fn prove<R: PublicRing>(
    channel: &mut (impl Channel + ?Sized),
    program: &Program<R>,
    witness: &Witness<R>,
    settings: Settings<'_>,
    rng: &mut impl CryptoRng,
) -> Result<(), Error> {
    no_message(&settings)?;
    let promised: [u8; PROMISE] = channel.recv_array(tags::HEAD_PROMISE)?;
    let (challenge_promised, theirs) = promised.split_at(32);
    compare(channel, theirs, &wanted(program, &settings))?;
    let (header, committed) = commit(program, witness, settings, &promised, rng)?;
    let mut message = header.encode();
    match header.protocol() {
        Protocol::Zkboo => message.extend_from_slice(committed.first()),
        Protocol::Zkbpp => message.extend_from_slice(&header.digest(None, committed.first())),
    }
    send(channel, tags::HEAD_FIRST, &message)?;
    let opening: [u8; 64] = channel.recv_array(tags::HEAD_CHALLENGE)?;
    if promise(&opening) != challenge_promised {
        let reason = "the challenge is not the one committed to";
        channel.fail(reason);
        return Err(Error::Cheat { party: "verifier", step: tags::HEAD_CHALLENGE, reason });
    }
    let challenge = challenge::expand(&challenge_of(&opening), header.repetitions());
    let mut response = Vec::new();
    committed.respond(&challenge, &mut response);
    send(channel, tags::HEAD_RESPONSE, &response)?;
    let [] = channel.recv_array(tags::VERDICT)?;
    Ok(())
}

/// Nobody but the verifier at the other end could read a message in such a proof.
fn no_message(settings: &Settings<'_>) -> Result<(), Error> {
    match settings.message {
        Some(_) => {
            Err(Error::Parameters("a message is bound by proofs in files, for anyone to verify".into()))
        }
        None => Ok(()),
    }
}

/// The part of an opened commitment from which challenges are expanded.
fn challenge_of(opening: &[u8; 64]) -> [u8; 32] {
    let mut challenge = [0; 32];
    challenge.copy_from_slice(&opening[32..]);
    challenge
}

/// Compares what the verifier wants proved with what this prover will prove.
fn compare(
    channel: &mut (impl Channel + ?Sized),
    theirs: &[u8],
    ours: &[u8; PROMISE - 32],
) -> Result<(), Error> {
    let what = match (theirs.get(..32) == ours.get(..32), theirs.get(32) == ours.get(32)) {
        (false, _) => "the statement",
        (_, false) => "the protocol",
        _ if theirs != ours => "the soundness",
        _ => return Ok(()),
    };
    channel.fail(&format!("the parties differ in {what}"));
    Err(Error::mismatch(what, "this prover's", "the one that the verifier wants"))
}

/// Verifies a proof of `program` by the prover at the other end, with exactly these settings.
///
/// # Errors
/// [`Error::Repetition`] and [`Error::Challenge`] for a wrong proof; [`Error::Mismatch`] and
/// [`Error::Malformed`] for an answer that does not fit; [`Error::Channel`].
pub fn verify<R: PublicRing>(
    channel: &mut (impl Channel + ?Sized),
    program: &Program<R>,
    settings: Settings<'_>,
    rng: &mut impl CryptoRng,
) -> Result<Verified, Error> {
    let result = try_verify(channel, program, settings, rng);
    match &result {
        // A failed channel has given the reason already.
        Ok(_) | Err(Error::Channel(_)) => {}
        Err(error) => channel.fail(&error.to_string()),
    }
    result
}

fn try_verify<R: PublicRing>(
    channel: &mut (impl Channel + ?Sized),
    program: &Program<R>,
    settings: Settings<'_>,
    rng: &mut impl CryptoRng,
) -> Result<Verified, Error> {
    no_message(&settings)?;
    let mut opening = [0; 64];
    rng.fill_bytes(&mut opening);
    let mut message = promise(&opening).to_vec();
    message.extend_from_slice(&wanted(program, &settings));
    channel.send(tags::HEAD_PROMISE, &message)?;

    let repetitions = settings.parameters.repetitions();
    let first = match settings.protocol {
        Protocol::Zkboo => program.shape().first().saturating_mul(repetitions),
        Protocol::Zkbpp => DIGEST,
    };
    let message = receive(channel, tags::HEAD_FIRST, Header::BYTES.saturating_add(first))?;
    let header = Header::decode(&message)?;
    header.suits(program, &settings.parameters.into())?;
    if (header.protocol(), header.parameters()) != (settings.protocol, settings.parameters) {
        return Err(Error::mismatch("the protocol", header.protocol(), settings.protocol));
    }
    let first = message.get(Header::BYTES..).unwrap_or_default();

    channel.send(tags::HEAD_CHALLENGE, &opening)?;
    let challenge = challenge::expand(&challenge_of(&opening), repetitions);
    let length = sigma::response_bytes(settings.protocol, program.shape(), &challenge);
    let response = receive(channel, tags::HEAD_RESPONSE, length)?;
    let given = Some(first).filter(|_| settings.protocol == Protocol::Zkboo);
    let implied = sigma::check(program, &header, &challenge, given, &response, settings.threads)?;
    if settings.protocol == Protocol::Zkbpp && header.digest(None, &implied) != *first {
        return Err(Error::Challenge);
    }
    channel.send(tags::VERDICT, &[])?;
    channel.flush()?;
    Ok(Verified { protocol: settings.protocol, parameters: settings.parameters })
}

/// Sends `message` in pieces.
fn send(channel: &mut (impl Channel + ?Sized), tag: Tag, message: &[u8]) -> Result<(), Error> {
    message.chunks(PIECE).try_for_each(|piece| channel.send(tag, piece))?;
    Ok(channel.flush()?)
}

/// Receives `length` bytes in the pieces of [`send`]. Memory grows as they arrive.
fn receive(channel: &mut (impl Channel + ?Sized), tag: Tag, length: usize) -> Result<Vec<u8>, Error> {
    let mut message = Vec::new();
    let mut piece = Vec::new();
    while message.len() < length {
        let expected = PIECE.min(length - message.len());
        channel.recv_into(tag, expected, &mut piece)?;
        if piece.len() != expected {
            let reason = format!("a piece of {} bytes, not {expected}", piece.len());
            return Err(Error::malformed(message.len(), tag.name(), reason));
        }
        message.extend_from_slice(&piece);
    }
    Ok(message)
}

#[cfg(test)]
mod tests;
