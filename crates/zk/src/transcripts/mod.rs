//! Tests that, if challenges are hashes, every message of either party enters the next one.
//!
//! Each party records the messages that it receives, the seed that its transcript would give after each
//! absorbed message, and the seeds that it draws. One bit of one message is flipped on its way. From that
//! message on, the receiver's record must differ from that of an honest run. No party has to accept anything
//! for that, so a message counts even if V refuses it right away.

mod deal;
mod modes;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::Duration;

use volery_channel::{Channel, Error as ChannelError, Limits, Stats, Tag, memory_pair};

/// What a party's record has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A message arrived.
    Received(Tag),
    /// A message went into the transcript: what a seed would be now.
    Absorbed([u8; 16]),
    /// A seed.
    Seed([u8; 16]),
}

thread_local! {
    static RECORD: RefCell<Option<Vec<Event>>> = const { RefCell::new(None) };
}

/// Adds to this thread's record, if one is kept.
pub(crate) fn note(event: Event) {
    RECORD.with_borrow_mut(|record| record.iter_mut().for_each(|record| record.push(event)));
}

/// A party's channel: flips the lowest bit of one message that it sends, and notes what it receives.
struct Tap<C> {
    inner: C,
    flip: Option<usize>,
    sent: Vec<Tag>,
}

impl<C: Channel> Channel for Tap<C> {
    fn send(&mut self, tag: Tag, payload: &[u8]) -> Result<(), ChannelError> {
        let mut payload = payload.to_vec();
        if let Some(first) = payload.first_mut()
            && self.flip == Some(self.sent.len())
        {
            *first ^= 1;
        }
        self.sent.push(tag);
        self.inner.send(tag, &payload)
    }

    fn recv(&mut self, tag: Tag, max: usize) -> Result<&[u8], ChannelError> {
        let payload = self.inner.recv(tag, max)?;
        note(Event::Received(tag));
        Ok(payload)
    }

    fn recv_exact(&mut self, tag: Tag, out: &mut [u8]) -> Result<(), ChannelError> {
        self.inner.recv_exact(tag, out)?;
        note(Event::Received(tag));
        Ok(())
    }

    fn recv_into(&mut self, tag: Tag, max: usize, out: &mut Vec<u8>) -> Result<(), ChannelError> {
        self.inner.recv_into(tag, max, out)?;
        note(Event::Received(tag));
        Ok(())
    }

    fn flush(&mut self) -> Result<(), ChannelError> {
        self.inner.flush()
    }

    fn fail(&mut self, reason: &str) {
        self.inner.fail(reason);
    }

    fn stats(&self) -> Stats {
        self.inner.stats()
    }

    fn binding(&self) -> Option<[u8; 32]> {
        self.inner.binding()
    }
}

/// One party of a proof.
type Party = fn(&mut dyn Channel) -> Result<(), crate::Error>;

/// The records of P and V, what each made of the other, and the messages that each sent.
struct Run {
    records: [Vec<Event>; 2],
    results: [Result<(), crate::Error>; 2],
    sent: [Vec<Tag>; 2],
}

/// A run in which message `at` of party `who` is flipped.
fn run(parties: [Party; 2], flip: Option<(usize, usize)>) -> Run {
    let read = Duration::from_secs(20);
    let (p, v) = memory_pair(&Limits { read, write: read, ..Limits::default() });
    let flip = |party| flip.and_then(|(who, at)| (who == party).then_some(at));
    let taps = [
        Tap { inner: p, flip: flip(0), sent: Vec::new() },
        Tap { inner: v, flip: flip(1), sent: Vec::new() },
    ];
    let results = std::thread::scope(|scope| {
        let threads: Vec<_> = (taps.into_iter().zip(parties))
            .map(|(mut tap, party)| {
                scope.spawn(move || {
                    RECORD.set(Some(Vec::new()));
                    let result = party(&mut tap);
                    let _ = result.as_ref().inspect_err(|error| tap.fail(&error.to_string()));
                    (RECORD.take().unwrap_or_default(), result, tap.sent)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect::<Vec<_>>()
    });
    let [p, v]: [_; 2] = results.try_into().expect("two parties");
    Run { records: [p.0, v.0], results: [p.1, v.1], sent: [p.2, v.2] }
}

fn seeds(record: &[Event]) -> Vec<[u8; 16]> {
    record.iter().filter_map(|event| if let Event::Seed(seed) = event { Some(*seed) } else { None }).collect()
}

/// What the transcript gives after a place in a record: the next seed or, where messages are absorbed, the
/// one that would be.
fn next(record: &[Event], at: usize, absorbed: bool) -> Option<[u8; 16]> {
    record[at..].iter().find_map(|event| match event {
        Event::Seed(seed) => Some(*seed),
        Event::Absorbed(seed) => absorbed.then_some(*seed),
        Event::Received(_) => None,
    })
}

fn every_message_is_in_the_next_seed(parties: [Party; 2]) {
    let honest = run(parties, None);
    assert_eq!(honest.results, [Ok(()), Ok(())]);
    assert!(seeds(&honest.records[0]).len() > 2);
    assert_eq!(seeds(&honest.records[0]), seeds(&honest.records[1]));
    for who in [0, 1] {
        let record = &honest.records[1 - who];
        let mut places = BTreeSet::new();
        for at in 0..honest.sent[who].len() {
            let changed = run(parties, Some((who, at)));
            let (other, what) = (&changed.records[1 - who], format!("message {at} of party {who}"));
            // Frames of different lanes arrive in another order than they are sent in: the place of a message
            // is where the records part.
            let Some(part) = record.iter().zip(other).position(|(a, b)| a != b) else {
                // V's bytes after the last seed serve nobody.
                let last = places.last().is_none_or(|place| next(record, *place + 1, false).is_none());
                assert!(who == 1 && last, "{what} is in no seed");
                continue;
            };
            let received = record[..part].iter().rposition(|event| matches!(event, Event::Received(_)));
            let received = received.expect("something was received");
            // P may read V's bytes for several batches before one seed.
            assert!(places.insert(received) || who == 1, "{what} changes nothing that another one does not");
            // P's message is absorbed at once; V's bytes are when the next seed is drawn.
            let [a, b] = [record, other].map(|record| next(record, received, who == 0));
            assert!(a.is_some() && a != b, "{what} is not in the next seed");
        }
        assert!(if who == 0 { places.len() == honest.sent[0].len() } else { !places.is_empty() });
    }
}
