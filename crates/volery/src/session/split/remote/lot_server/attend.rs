//! The lot server's side of each worker's connection, in a thread of its own.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use volery_channel::tls::{ServerConfig, Tls};
use volery_channel::transport::Socket;
use volery_channel::{Channel, ChannelExt as _, Framed, Limits, Stats, tags};
use zeroize::Zeroizing;

use super::{Answer, Asked, Expected, Rendezvous, Shared, Unidentified, WorkerEnd, name};
use crate::Error;
use crate::session::split::codec::MOST_RESULT;
use crate::session::split::remote::{receive_secret, send_job};
use crate::session::split::workers::MOST_ADDRESS;

/// Serves one connection. Whoever has no token is turned away without a word.
pub(super) fn serve(
    socket: Socket,
    config: &Arc<ServerConfig>,
    limits: &Limits,
    shared: &Shared,
    unidentified: Unidentified,
) {
    let Ok(tls) = Tls::accept(socket, Arc::clone(config), limits) else { return };
    let mut channel = Framed::new(tls, Limits { read: limits.connect, ..limits.clone() });
    let Ok(token) = channel.recv_array(tags::WORKER_TOKEN).map(Zeroizing::new) else { return };
    let Some(expected) = shared.expected().remove(&name(&token)) else { return };
    drop(unidentified);
    channel.renew(limits.clone());
    let Expected { lot, job, address, rendezvous, report, asked, answer } = expected;
    let mut place = None;
    let attended = attend(&mut channel, (&lot, &job), address, (&rendezvous, &mut place), shared);
    drop((lot, job));
    shared.count(Stats::default(), &channel);
    match attended {
        Ok(result) => {
            if report(WorkerEnd::Result(result)) {
                question(&mut channel, &asked, &answer, shared);
            }
        }
        Err(error) => {
            drop(channel);
            report(WorkerEnd::Gone(error.to_string()));
            rendezvous.call_off(place, shared);
        }
    }
}

/// How often a worker that waits to be asked hears that its coordinator is there.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// Asks a worker that has kept its boundary wires, whenever the coordinator wants to know, until it does not
/// any more.
fn question(channel: &mut dyn Channel, asked: &Receiver<Asked>, answer: &Answer, shared: &Shared) {
    let mut ask = |asked: Option<Asked>| {
        let before = channel.stats();
        // Empty: the coordinator is there.
        let question = asked.as_ref().map_or(&[][..], |asked| &asked.question);
        channel.send(tags::WORKER_COMBINE, question)?;
        channel.flush()?;
        let Some(Asked { answer: length, .. }) = asked else { return Ok(()) };
        loop {
            let said = receive_secret(channel, tags::WORKER_COMBINE, length)?;
            // Empty: it is at work.
            if !said.is_empty() {
                shared.count(before, channel);
                answer(Ok(&said));
                return Ok(());
            }
            if shared.is_closed() {
                return Err(Error::Split("the session has ended".into()));
            }
        }
    };
    let gone = loop {
        let result = match asked.recv_timeout(HEARTBEAT) {
            Ok(asked) => ask(Some(asked)).inspect_err(|error: &Error| answer(Err(error.to_string()))),
            Err(RecvTimeoutError::Timeout) if !shared.is_closed() => ask(None),
            Err(_) => return,
        };
        if let Err(error) = result {
            break error;
        }
    };
    // Whoever asks later hears the same.
    while asked.recv().is_ok() {
        answer(Err(gone.to_string()));
    }
}

/// Gives a worker its lot, and hears of it until it ends. `place` is where P's worker meets V's, once that is
/// known. Without `address`, which is gone in the end, nobody waits for a worker to say where it is.
fn attend(
    channel: &mut dyn Channel,
    (lot, job): (&[u8], &[u8]),
    address: Sender<String>,
    (rendezvous, place): (&Rendezvous, &mut Option<String>),
    shared: &Shared,
) -> Result<Zeroizing<Vec<u8>>, Error> {
    channel.send(tags::WORKER_LOT, lot)?;
    send_job(channel, job)?;
    let said = channel.recv(tags::WORKER_ADDRESS, MOST_ADDRESS)?.to_vec();
    // Empty: this is P's worker, which wants to hear.
    match String::from_utf8(said) {
        Ok(said) if said.is_empty() => {
            *place = rendezvous.place(shared);
            let Some(told) = place else {
                return Err(Error::Split("the session ended before its workers met".into()));
            };
            channel.send(tags::WORKER_ADDRESS, told.as_bytes())?;
            channel.flush()?;
        }
        Ok(said) => drop(address.send(said)),
        Err(_) => return Err(Error::Split("a worker's address is no text".into())),
    }
    loop {
        let result = receive_secret(channel, tags::WORKER_ENDED, MOST_RESULT)?;
        if !result.is_empty() {
            return Ok(result);
        }
        if shared.is_closed() {
            return Err(Error::Split("the session has ended".into()));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicBool, AtomicU64};
    use std::sync::mpsc::channel;

    use volery_channel::memory_pair;

    use super::super::Reply;
    use super::*;

    fn open() -> Shared {
        let traffic = [const { AtomicU64::new(0) }; 2];
        Shared { expected: Mutex::new(HashMap::new()), closed: AtomicBool::new(false), traffic }
    }

    /// A worker that says that it is at work before it answers.
    #[test]
    fn a_worker_that_adds_up_for_long_is_waited_for_while_it_says_that_it_does() {
        let (mut ours, mut theirs) = memory_pair(&Limits::default());
        let (ask, asked) = channel();
        let (sender, answers) = channel();
        let answer = move |reply: Reply<'_>| drop(sender.send(reply.map(<[u8]>::to_vec)));
        ask.send(Asked { question: vec![1], answer: 3 }).expect("asked");
        drop(ask);
        for said in [&[][..], &[], &[7; 3]] {
            theirs.send(tags::WORKER_COMBINE, said).expect("sent");
        }
        theirs.flush().expect("sent");
        question(&mut ours, &asked, &answer, &open());
        assert_eq!(answers.recv().expect("told"), Ok(vec![7; 3]));
        assert!(answers.try_recv().is_err());
    }

    /// A worker that is gone before it has answered, and is asked once more.
    #[test]
    fn a_worker_that_is_gone_is_said_to_be_whenever_it_is_asked() {
        let (mut ours, peer) = memory_pair(&Limits::default());
        let (ask, asked) = channel();
        let (sender, answers) = channel();
        let answer = move |reply: Reply<'_>| drop(sender.send(reply.map(<[u8]>::to_vec)));
        let shared = open();
        drop(peer);
        for n in [1, 2] {
            ask.send(Asked { question: vec![n], answer: 3 }).expect("asked");
        }
        drop(ask);
        question(&mut ours, &asked, &answer, &shared);
        assert!(answers.recv().expect("told").is_err() && answers.recv().expect("told").is_err());
        assert!(answers.try_recv().is_err());
    }
}
