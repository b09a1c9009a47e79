//! The receive buffer: one contiguous run of the bytes that arrived and were not taken yet.

/// The least that a read asks for: large enough that the copying costs far more than the system calls.
const CHUNK: usize = 128 << 10;

/// A buffer that had to grow beyond this size returns its memory once it is empty.
const KEEP: usize = 1 << 20;

/// ```text
/// data:  | taken | live | spare |
///        0     start   end    data.len()
/// ```
/// `start <= end <= data.len()` always. All of `data` is initialised, so spare room is zeroed once, not at
/// each read.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    data: Vec<u8>,
    start: usize,
    end: usize,
}

impl Inbox {
    /// The bytes that arrived and were not taken yet.
    pub(super) fn live(&self) -> &[u8] {
        self.data.get(self.start..self.end).unwrap_or_default()
    }

    /// Takes the first `count` live bytes, or all of them if there are fewer. The slice is valid until the
    /// next change.
    pub(super) fn take(&mut self, count: usize) -> &[u8] {
        let start = self.start;
        self.start = start.saturating_add(count).min(self.end);
        self.data.get(start..self.start).unwrap_or_default()
    }

    /// Room for new bytes behind the live ones; the caller could use `wanted` bytes. Call
    /// [`commit`](Self::commit) with the number of bytes filled.
    ///
    /// The buffer grows to at most twice the live bytes, so a length that a peer merely announces reserves
    /// nothing.
    pub(super) fn spare(&mut self, wanted: usize) -> &mut [u8] {
        let live = self.end - self.start;
        let room = wanted.min(live).max(CHUNK);
        if self.data.len() - self.end < room.min(wanted.max(CHUNK / 2)) {
            self.data.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, live);
            if live == 0 && self.data.len() > KEEP {
                self.data = Vec::new();
            }
            if self.data.len() - live < room {
                self.data.resize(live + room, 0);
            }
        } else if live == 0 {
            (self.start, self.end) = (0, 0);
        }
        self.data.get_mut(self.end..).unwrap_or_default()
    }

    /// Makes the first `count` bytes of the spare room live.
    pub(super) fn commit(&mut self, count: usize) {
        self.end = self.end.saturating_add(count).min(self.data.len());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    fn put(inbox: &mut Inbox, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let spare = inbox.spare(bytes.len());
            let count = spare.len().min(bytes.len());
            spare[..count].copy_from_slice(&bytes[..count]);
            inbox.commit(count);
            bytes = &bytes[count..];
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn is_a_queue_of_bytes(steps in prop::collection::vec((any::<bool>(), 0usize..400_000), 1..30)) {
            let (mut inbox, mut model, mut next) = (Inbox::default(), VecDeque::new(), 0u8);
            for (write, count) in steps {
                if write {
                    let bytes: Vec<u8> = (0..count).map(|_| { next = next.wrapping_mul(5).wrapping_add(1); next }).collect();
                    put(&mut inbox, &bytes);
                    model.extend(bytes);
                } else {
                    let expected: Vec<u8> = model.drain(..count.min(model.len())).collect();
                    prop_assert_eq!(inbox.take(count), expected.as_slice());
                }
                prop_assert_eq!(inbox.live().len(), model.len());
            }
        }
    }

    #[test]
    fn an_announced_length_reserves_no_more_than_what_arrived() {
        let mut inbox = Inbox::default();
        assert!(inbox.spare(1 << 30).len() <= CHUNK);
        put(&mut inbox, &[0; 300_000]);
        inbox.spare(1 << 30);
        assert!(inbox.data.len() <= 4 * 300_000);
    }

    #[test]
    fn memory_of_a_long_frame_is_given_back() {
        let mut inbox = Inbox::default();
        put(&mut inbox, &vec![0; 3 << 20]);
        inbox.take(3 << 20);
        inbox.spare(usize::MAX);
        assert!(inbox.data.capacity() <= KEEP);
    }
}
