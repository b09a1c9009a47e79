//! The last message: whether V accepts.

use volery_channel::{Channel, tags};

use crate::Error;

/// Tells P the result of its proof. For errors that are not about the proof, use [`Channel::fail`].
///
/// # Errors
/// Any error of the channel.
pub fn send(channel: &mut dyn Channel, accepted: bool) -> Result<(), Error> {
    channel.send(tags::VERDICT, &[accepted.into()])?;
    Ok(channel.flush()?)
}

/// Waits for V's verdict.
///
/// # Errors
/// [`Error::Rejected`] if the verdict is no; the channel's.
pub fn receive(channel: &mut dyn Channel) -> Result<(), Error> {
    match channel.recv(tags::VERDICT, 1)? {
        [1] => Ok(()),
        [0] => Err(Error::Rejected { reason: "the verifier's check failed".into() }),
        _ => Err(Error::Malformed { step: tags::VERDICT, reason: "neither yes nor no".into() }),
    }
}
