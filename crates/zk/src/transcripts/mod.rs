//! Tests that, if challenges are hashes, every message of either party enters the next one.
//!
//! Each party records the messages that it receives, the seed that its transcript would give after each
//! absorbed message, and the seeds that it draws. One bit of one message is flipped on its way. From that
//! message on, the receiver's record must differ from that of an honest run. No party has to accept anything
//! for that, so a message counts even if V refuses it right away.
//!
//! One bit is enough where a message is absorbed whole or not at all. Where several programs have a part of
//! each message, a bit of every byte is flipped.

mod deal;
mod modes;

use std::cell::RefCell;
use std::collections::BTreeSet;

use volery_channel::{Channel, Layer, Layered, Tag};
use volery_testing::{Change, Link, Tap, between};

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

/// Notes what a party receives.
struct Notes;

impl<C: Channel> Layer<C> for Notes {
    fn received(&mut self, tag: Tag, _payload: &[u8]) {
        note(Event::Received(tag));
    }
}

/// One party of a proof.
type Party = fn(&mut dyn Channel) -> Result<(), crate::Error>;

/// The records of P and V, what each made of the other, and the messages that each sent, with their lengths.
struct Run {
    records: [Vec<Event>; 2],
    results: [Result<(), crate::Error>; 2],
    sent: [Vec<(Tag, usize)>; 2],
}

/// A run in which the lowest bit of one byte of a message of party `who` is flipped: message `at`, that byte.
fn run(parties: [Party; 2], flip: Option<(usize, [usize; 2])>) -> Run {
    let flip =
        |party| flip.and_then(|(who, [at, byte])| (who == party).then_some((at, Change::Flip(8 * byte))));
    let party = |channel: &mut Link, flip, party: Party| {
        RECORD.set(Some(Vec::new()));
        let mut noted = Layered { channel: Tap::on(channel, flip), layer: Notes };
        let result = party(&mut noted);
        let _ = result.as_ref().inspect_err(|error| noted.fail(&error.to_string()));
        let sent = noted.channel.layer.sent.into_iter().map(|(tag, payload)| (tag, payload.len())).collect();
        (RECORD.take().unwrap_or_default(), result, sent)
    };
    let (p, v) = between(|p| party(p, flip(0), parties[0]), |v| party(v, flip(1), parties[1]));
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
            let changed = run(parties, Some((who, [at, 0])));
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

/// P's messages alone: what V draws has no parts.
fn every_byte_is_in_the_next_seed(parties: [Party; 2]) {
    let honest = run(parties, None);
    assert_eq!(honest.results, [Ok(()), Ok(())]);
    let [_, record] = &honest.records;
    for (at, (tag, length)) in honest.sent[0].iter().enumerate() {
        for byte in 0..*length {
            let what = format!("byte {byte} of message {at}, {tag}");
            let changed = run(parties, Some((0, [at, byte])));
            let Some(part) = record.iter().zip(&changed.records[1]).position(|(a, b)| a != b) else {
                panic!("{what} is in no seed");
            };
            let [a, b] = [record, &changed.records[1]].map(|record| next(record, part, true));
            assert!(a.is_some() && a != b, "{what} is not in the next seed");
        }
    }
}
