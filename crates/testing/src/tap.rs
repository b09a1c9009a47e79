//! Cheating by mail: layers on a party's channel that record and change what it sends.

use volery_channel::{Channel, Error, Layer, Layered, Tag, tags};

/// What is done to one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// This bit is flipped, counted modulo the message's bits; an empty message stays.
    Flip(usize),
    /// All its bits are flipped.
    Invert,
    /// The last byte is cut off; of an empty message nothing.
    Truncate,
    /// One zero byte is appended.
    Extend,
    /// It is not sent.
    Drop,
    /// It is sent twice.
    Duplicate,
    /// It is sent after the message that follows it.
    Late,
    /// It is sent under another step's tag.
    Retag,
    /// An empty message of its step goes before it.
    Empty,
    /// All its bytes become this one.
    Fill(u8),
    /// The message given to [`Tap::replacing`] goes in its place.
    Replace,
}

impl Change {
    /// What can be done to a message as a whole, whatever is in it.
    pub const WHOLE: [Self; 9] = [
        Self::Truncate,
        Self::Extend,
        Self::Drop,
        Self::Duplicate,
        Self::Late,
        Self::Retag,
        Self::Empty,
        Self::Fill(0),
        Self::Fill(0xff),
    ];
}

/// Records what a party sends, and does one [`Change`] to one message.
pub struct Tap {
    change: Option<(usize, Change)>,
    /// The step whose messages are counted; none if all are.
    of: Option<Tag>,
    late: Option<(Tag, Vec<u8>)>,
    replacement: Vec<u8>,
    /// What the party sent, as it meant it.
    pub sent: crate::Sent,
}

/// A channel with a [`Tap`].
pub type Tapped<C> = Layered<C, Tap>;

impl Tap {
    /// On `channel`; with a change, to the message with that number.
    pub fn on<C: Channel>(channel: C, change: Option<(usize, Change)>) -> Tapped<C> {
        let layer = Self { change, of: None, late: None, replacement: Vec::new(), sent: Vec::new() };
        Layered { channel, layer }
    }

    /// On `channel`; only records.
    pub fn recorder<C: Channel>(channel: C) -> Tapped<C> {
        Self::on(channel, None)
    }

    /// Sends `replacement` in place of message number `at`.
    pub fn replacing<C: Channel>(channel: C, at: usize, replacement: Vec<u8>) -> Tapped<C> {
        let mut tapped = Self::on(channel, Some((at, Change::Replace)));
        tapped.layer.replacement = replacement;
        tapped
    }

    /// Changes message number `at` among those of the step `of`.
    pub fn among<C: Channel>(channel: C, of: Tag, at: usize, change: Change) -> Tapped<C> {
        let mut tapped = Self::on(channel, Some((at, change)));
        tapped.layer.of = Some(of);
        tapped
    }

    fn meddle<C: Channel>(
        &mut self,
        below: &mut C,
        change: Change,
        (tag, payload): (Tag, &[u8]),
    ) -> Result<(), Error> {
        let mut payload = payload.to_vec();
        match change {
            Change::Flip(bit) => {
                let bits = 8 * payload.len().max(1);
                if let Some(byte) = payload.get_mut(bit % bits / 8) {
                    *byte ^= 1 << (bit % 8);
                }
            }
            Change::Invert => payload.iter_mut().for_each(|byte| *byte = !*byte),
            Change::Truncate => drop(payload.pop()),
            Change::Extend => payload.push(0),
            Change::Drop => return Ok(()),
            Change::Duplicate => below.send(tag, &payload)?,
            Change::Late => {
                self.late = Some((tag, payload));
                return Ok(());
            }
            Change::Retag => {
                let other = if tag == tags::CHALLENGE { tags::REVEAL } else { tags::CHALLENGE };
                return below.send(other, &payload);
            }
            Change::Empty => below.send(tag, &[])?,
            Change::Fill(byte) => payload.fill(byte),
            Change::Replace => payload.clone_from(&self.replacement),
        }
        below.send(tag, &payload)
    }
}

impl<C: Channel> Layer<C> for Tap {
    fn send(&mut self, below: &mut C, tag: Tag, payload: &[u8]) -> Result<(), Error> {
        let counted = |tag: Tag| self.of.is_none_or(|of| of == tag);
        let number = self.sent.iter().filter(|(sent, _)| counted(*sent)).count();
        let change = self.change.filter(|(at, _)| counted(tag) && *at == number);
        self.sent.push((tag, payload.to_vec()));
        let late = self.late.take();
        match change {
            Some((_, change)) => self.meddle(below, change, (tag, payload))?,
            None => below.send(tag, payload)?,
        }
        late.map_or(Ok(()), |(tag, payload)| below.send(tag, &payload))
    }
}

/// Passes every message that a party sends through a function.
pub struct Edit<F>(F);

/// A channel with an [`Edit`].
pub type Edited<C, F = fn(Tag, &mut Vec<u8>)> = Layered<C, Edit<F>>;

impl<F: FnMut(Tag, &mut Vec<u8>)> Edit<F> {
    /// On `channel`, with `edit`.
    pub fn on<C: Channel>(channel: C, edit: F) -> Edited<C, F> {
        Layered { channel, layer: Self(edit) }
    }
}

impl<C: Channel, F: FnMut(Tag, &mut Vec<u8>)> Layer<C> for Edit<F> {
    fn send(&mut self, below: &mut C, tag: Tag, payload: &[u8]) -> Result<(), Error> {
        let mut payload = payload.to_vec();
        (self.0)(tag, &mut payload);
        below.send(tag, &payload)
    }
}

/// The [`Edit`] that changes nothing.
pub fn untouched(_: Tag, _: &mut Vec<u8>) {}

#[cfg(test)]
mod tests {
    use volery_channel::tags::{CHALLENGE, MASKS, REVEAL};
    use volery_channel::{Error, memory_pair};

    use super::*;

    /// What arrives of `a`, `bc` and `d`, of which the second one is tapped.
    fn arrives(tap: impl Fn(crate::Link) -> Tapped<crate::Link>) -> Vec<(Tag, Vec<u8>)> {
        let (p, mut v) = memory_pair(&crate::limits());
        let mut p = tap(p);
        for payload in [&b"a"[..], b"bc", b"d"] {
            p.send(MASKS, payload).expect("sent");
        }
        assert_eq!(p.layer.sent, [&b"a"[..], b"bc", b"d"].map(|sent| (MASKS, sent.to_vec())));
        p.flush().expect("sent");
        drop(p);
        let mut came = Vec::new();
        loop {
            match v.recv(MASKS, 9) {
                Ok(payload) => came.push((MASKS, payload.to_vec())),
                Err(Error::UnexpectedFrame { got, .. }) => {
                    assert_eq!(got, CHALLENGE.byte());
                    came.push((CHALLENGE, Vec::new()));
                    return came;
                }
                Err(Error::Closed { .. }) => return came,
                Err(error) => panic!("{error}"),
            }
        }
    }

    fn changed(change: Change) -> Vec<Vec<u8>> {
        let tapped = |p| Tap::on(p, Some((1, change)));
        arrives(tapped).into_iter().map(|(_, payload)| payload).collect()
    }

    #[test]
    fn each_change_is_done_to_the_one_message() {
        fn around<'a>(middle: &[&'a [u8]]) -> Vec<&'a [u8]> {
            [&[&b"a"[..]], middle, &[b"d"]].concat()
        }
        assert_eq!(changed(Change::Flip(9)), around(&[b"ba"]));
        assert_eq!(changed(Change::Flip(16 + 1)), around(&[b"\x60c"]));
        assert_eq!(changed(Change::Invert), around(&[&[!b'b', !b'c']]));
        assert_eq!(changed(Change::Truncate), around(&[b"b"]));
        assert_eq!(changed(Change::Extend), around(&[b"bc\0"]));
        assert_eq!(changed(Change::Drop), around(&[]));
        assert_eq!(changed(Change::Duplicate), around(&[b"bc", b"bc"]));
        assert_eq!(changed(Change::Late), [&b"a"[..], b"d", b"bc"]);
        assert_eq!(changed(Change::Empty), around(&[b"", b"bc"]));
        assert_eq!(changed(Change::Fill(7)), around(&[&[7, 7]]));
        // The message of another step ends the reading.
        assert_eq!(changed(Change::Retag), [&b"a"[..], b""]);
    }

    #[test]
    fn a_message_is_replaced_and_those_of_one_step_are_counted_alone() {
        let replaced = arrives(|p| Tap::replacing(p, 1, b"new".to_vec()));
        assert_eq!(replaced[1], (MASKS, b"new".to_vec()));
        let second = arrives(|p| Tap::among(p, MASKS, 2, Change::Invert));
        assert_eq!(second[2], (MASKS, vec![!b'd']));
        assert_eq!(arrives(|p| Tap::among(p, REVEAL, 0, Change::Drop)), arrives(Tap::recorder));
    }

    #[test]
    fn an_edit_meets_every_message_with_its_tag() {
        let (p, mut v) = memory_pair(&crate::limits());
        let mut p = Edit::on(p, |tag: Tag, payload: &mut Vec<u8>| {
            if tag == REVEAL {
                payload.push(1);
            }
        });
        for tag in [MASKS, REVEAL] {
            p.send(tag, b"x").expect("sent");
        }
        p.flush().expect("sent");
        assert_eq!(v.recv(MASKS, 9), Ok(&b"x"[..]));
        assert_eq!(v.recv(REVEAL, 9), Ok(&b"x\x01"[..]));
    }
}
