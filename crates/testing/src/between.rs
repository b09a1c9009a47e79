//! Two parties on two threads with a channel in memory between them.

use std::thread;
use std::time::Duration;

use volery_channel::{Channel, Framed, Limits, Tag, memory_pair, tags, transport::Memory};

use crate::tap::{Change, Edit, Edited, Tap};

/// One end of a channel in memory.
pub type Link = Framed<Memory>;

/// What a party does with its end.
type Party<'a> = Box<dyn FnOnce(Link) + Send + 'a>;

/// Limits with time-outs that suit a busy machine, and tests in which a message is missing.
#[must_use]
pub fn limits() -> Limits {
    let patience = Duration::from_secs(20);
    Limits { read: patience, write: patience, ..Limits::default() }
}

/// Runs both parties; each one's end is closed when it returns.
///
/// # Panics
/// If a party does.
pub fn between<P: Send, V: Send>(
    prover: impl FnOnce(&mut Link) -> P + Send,
    verifier: impl FnOnce(&mut Link) -> V + Send,
) -> (P, V) {
    between_within(&limits(), prover, verifier)
}

/// As [`between`], with other limits.
///
/// # Panics
/// If a party does.
pub fn between_within<P: Send, V: Send>(
    limits: &Limits,
    prover: impl FnOnce(&mut Link) -> P + Send,
    verifier: impl FnOnce(&mut Link) -> V + Send,
) -> (P, V) {
    between_owners(limits, |mut link| prover(&mut link), |mut link| verifier(&mut link))
}

/// As [`between_within`], of parties that own their ends.
///
/// # Panics
/// If a party does.
pub fn between_owners<P: Send, V: Send>(
    limits: &Limits,
    prover: impl FnOnce(Link) -> P + Send,
    verifier: impl FnOnce(Link) -> V + Send,
) -> (P, V) {
    let (mut p, mut v) = (None, None);
    in_two_threads(
        limits,
        Box::new(|link| p = Some(prover(link))),
        Box::new(|link| v = Some(verifier(link))),
    );
    (p.expect("P is done"), v.expect("V is done"))
}

/// Runs both parties. What it does is compiled once, and not for each pair of closures.
fn in_two_threads(limits: &Limits, prover: Party<'_>, verifier: Party<'_>) {
    let (p, v) = memory_pair(limits);
    thread::scope(|scope| {
        let prover = scope.spawn(move || prover(p));
        let verifier = scope.spawn(move || verifier(v));
        prover.join().expect("P does not panic");
        verifier.join().expect("V does not panic");
    });
}

/// As [`between_within`], with P's and V's messages passing through `edits`.
///
/// # Panics
/// If a party does.
pub fn between_edited<F, G, P: Send, V: Send>(
    limits: &Limits,
    (p_edit, v_edit): (F, G),
    prover: impl FnOnce(&mut Edited<&mut Link, F>) -> P + Send,
    verifier: impl FnOnce(&mut Edited<&mut Link, G>) -> V + Send,
) -> (P, V)
where
    F: FnMut(Tag, &mut Vec<u8>) + Send,
    G: FnMut(Tag, &mut Vec<u8>) + Send,
{
    between_within(
        limits,
        move |p| prover(&mut Edit::on(p, p_edit)),
        move |v| verifier(&mut Edit::on(v, v_edit)),
    )
}

/// What a party sent, message by message.
pub type Sent = Vec<(Tag, Vec<u8>)>;

/// A message of a party, 0 or 1, to be changed: who sends it, which of its messages it is, and how.
pub type Meddling = Option<(usize, usize, Change)>;

/// What P and V ended with, and all that they sent.
#[derive(Clone, Debug)]
pub struct End<T, E> {
    /// What P and V ended with.
    pub results: [Result<T, E>; 2],
    /// All that P and V sent, as they meant it.
    pub sent: [Sent; 2],
}

impl<T, E> End<T, E> {
    /// Tags and lengths of all messages.
    pub fn outline(&self) -> Vec<(u8, usize)> {
        self.sent.iter().flatten().map(|(tag, payload)| (tag.byte(), payload.len())).collect()
    }

    /// What both parties counted, who are content.
    ///
    /// # Panics
    /// If one of them is not, or counted otherwise.
    pub fn accepted(&self) -> T
    where
        T: Clone + PartialEq + core::fmt::Debug,
        E: PartialEq + core::fmt::Debug,
    {
        let [p, v] = &self.results;
        match (p, v) {
            (Ok(p), Ok(v)) if p == v => p.clone(),
            _ => panic!("P ended with {p:?}, V with {v:?}"),
        }
    }

    /// Bytes of P's messages.
    pub fn bytes(&self) -> usize {
        self.sent[0].iter().map(|(_, payload)| payload.len()).sum()
    }
}

/// Runs both parties and records what they send; `change` is done to one message. Who fails tells the peer,
/// as a session does.
///
/// # Panics
/// If a party does.
pub fn session<T: Send, E: core::fmt::Display + Send>(
    prove: impl FnOnce(&mut dyn Channel) -> Result<T, E> + Send,
    verify: impl FnOnce(&mut dyn Channel) -> Result<T, E> + Send,
    change: Meddling,
) -> End<T, E> {
    let change = |party| change.and_then(|(who, at, change)| (who == party).then_some((at, change)));
    let (p, v) = between(|p| tapped(p, change(0), prove), |v| tapped(v, change(1), verify));
    End { results: [p.0, v.0], sent: [p.1, v.1] }
}

/// One party of a [`session`].
fn tapped<T, E: core::fmt::Display>(
    channel: &mut Link,
    change: Option<(usize, Change)>,
    party: impl FnOnce(&mut dyn Channel) -> Result<T, E>,
) -> (Result<T, E>, Sent) {
    let mut tapped = Tap::on(channel, change);
    let result = party(&mut tapped).inspect_err(|error| tapped.fail(&error.to_string()));
    (result, tapped.layer.sent)
}

/// A channel to a peer that has sent these messages whatever it hears, and the peer.
///
/// # Panics
/// If they are more than a channel in memory holds.
#[must_use]
pub fn scripted(messages: &[(Tag, Vec<u8>)]) -> (Link, Link) {
    let (channel, mut peer) = memory_pair(&limits());
    for (tag, payload) in messages {
        peer.send(*tag, payload).expect("sent");
    }
    // Any step is surprised by this one, so nobody waits.
    peer.send(tags::TEST, &[]).and_then(|()| peer.flush()).expect("sent");
    (channel, peer)
}
