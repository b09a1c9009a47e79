//! Wrappers of channels that pass most calls on: a recorder, a counter, a queue, a tamperer.
//!
//! A channel has three ways to receive, and a binding that names the connection below. A wrapper that is
//! written by hand can forget one of them, and then a message goes unrecorded or a session unbound. So a
//! [`Layer`] has one place for each thing that it may want to do, and [`Layered`] does the rest.

use crate::channel::Channel;
use crate::error::Error;
use crate::stats::Stats;
use crate::tag::Tag;

/// The places where a wrapper may act. The defaults do what the channel below does.
pub trait Layer<C: Channel> {
    /// Sends a message, or whatever goes out in its place.
    ///
    /// # Errors
    /// As [`Channel::send`].
    fn send(&mut self, below: &mut C, tag: Tag, payload: &[u8]) -> Result<(), Error> {
        below.send(tag, payload)
    }

    /// Is called before the message of step `tag` is received.
    ///
    /// # Errors
    /// The layer's own. The message is not received then.
    fn before_receive(&mut self, _below: &mut C, _tag: Tag) -> Result<(), Error> {
        Ok(())
    }

    /// Is called with each message that was received.
    fn received(&mut self, _tag: Tag, _payload: &[u8]) {}

    /// Tells the peer why the party gives up.
    fn fail(&mut self, below: &mut C, reason: &str) {
        below.fail(reason);
    }

    /// The encrypted connection that the messages go over, as [`Channel::binding`].
    fn binding(&self, below: &C) -> Option<[u8; 32]> {
        below.binding()
    }
}

/// A channel wrapped in a layer.
pub struct Layered<C, L> {
    /// The channel below the layer.
    pub channel: C,
    /// The layer.
    pub layer: L,
}

impl<C: Channel, L: Layer<C>> Channel for Layered<C, L> {
    fn send(&mut self, tag: Tag, payload: &[u8]) -> Result<(), Error> {
        self.layer.send(&mut self.channel, tag, payload)
    }

    fn recv(&mut self, tag: Tag, max: usize) -> Result<&[u8], Error> {
        self.layer.before_receive(&mut self.channel, tag)?;
        let payload = self.channel.recv(tag, max)?;
        self.layer.received(tag, payload);
        Ok(payload)
    }

    fn recv_exact(&mut self, tag: Tag, out: &mut [u8]) -> Result<(), Error> {
        self.layer.before_receive(&mut self.channel, tag)?;
        self.channel.recv_exact(tag, out)?;
        self.layer.received(tag, out);
        Ok(())
    }

    fn recv_into(&mut self, tag: Tag, max: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        self.layer.before_receive(&mut self.channel, tag)?;
        self.channel.recv_into(tag, max, out)?;
        self.layer.received(tag, out);
        Ok(())
    }

    fn precedes(&mut self, other: Tag, step: Tag) -> Result<bool, Error> {
        self.channel.precedes(other, step)
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.channel.flush()
    }

    fn fail(&mut self, reason: &str) {
        self.layer.fail(&mut self.channel, reason);
    }

    fn foresee(&mut self, tag: Tag, length: usize) {
        self.channel.foresee(tag, length);
    }

    fn stats(&self) -> Stats {
        self.channel.stats()
    }

    fn binding(&self) -> Option<[u8; 32]> {
        self.layer.binding(&self.channel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ChannelExt as _, Rehearsal, tags};

    /// Records its calls; refuses to receive at the step `Error`.
    #[derive(Default)]
    struct Notes(Vec<(&'static str, Tag, usize)>);

    impl<C: Channel> Layer<C> for Notes {
        fn send(&mut self, below: &mut C, tag: Tag, payload: &[u8]) -> Result<(), Error> {
            self.0.push(("send", tag, payload.len()));
            below.send(tag, &payload[1..])
        }

        fn before_receive(&mut self, _below: &mut C, tag: Tag) -> Result<(), Error> {
            self.0.push(("before", tag, 0));
            if tag == tags::CHALLENGE { Err(Error::misuse("not now")) } else { Ok(()) }
        }

        fn received(&mut self, tag: Tag, payload: &[u8]) {
            self.0.push(("received", tag, payload.len()));
        }
    }

    #[test]
    fn a_layer_meets_every_message_whichever_way_it_is_received() {
        let mut channel = Layered { channel: Rehearsal::new(), layer: Notes::default() };
        channel.send(tags::MASKS, b"four").expect("sent");
        channel.recv(tags::TEST, 5).expect("zeros");
        channel.recv_into(tags::TEST, 6, &mut Vec::new()).expect("zeros");
        channel.recv_array::<7>(tags::TEST).expect("zeros");
        let noted: Vec<_> = channel.layer.0.iter().map(|(what, _, length)| (*what, *length)).collect();
        let received = [5, 6, 7].map(|length| [("before", 0), ("received", length)]);
        assert_eq!(noted, [&[("send", 4)], received.as_flattened()].concat());
        // What goes on is what the layer sent.
        let stats = channel.stats();
        assert_eq!((stats.bytes_sent, stats.frames_received), (5 + 3, 3));
    }

    #[test]
    fn what_a_layer_refuses_is_not_received() {
        let mut channel = Layered { channel: Rehearsal::new(), layer: Notes::default() };
        assert!(channel.recv(tags::CHALLENGE, 16).is_err());
        assert!(channel.recv_exact(tags::CHALLENGE, &mut [0; 16]).is_err());
        assert!(channel.recv_into(tags::CHALLENGE, 16, &mut Vec::new()).is_err());
        assert_eq!(channel.stats().frames_received, 0);
        assert!(channel.layer.0.iter().all(|(what, ..)| *what == "before"));
    }

    /// Passes everything on.
    struct Nothing;

    impl<C: Channel> Layer<C> for Nothing {}

    #[test]
    fn what_a_layer_does_not_care_for_is_the_channel_s_below() {
        let mut channel = Layered { channel: Rehearsal::new(), layer: Nothing };
        channel.foresee(tags::CHALLENGE, 17);
        assert!(channel.recv(tags::CHALLENGE, 16).is_err(), "another length was foreseen");
        channel.send(tags::MASKS, b"four").and_then(|()| channel.flush()).expect("sent");
        assert_eq!(channel.stats(), channel.channel.stats());
        assert_eq!(channel.binding(), None);
    }
}
