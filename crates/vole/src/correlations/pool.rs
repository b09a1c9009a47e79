//! Correlations at hand, taken one at a time, from any source.

use volery_channel::Channel;
use volery_field::{Gf128, Wipe as _};
use zeroize::Zeroizing;

use super::{Chain, Correlation};
use crate::Error;

/// A source of correlations at one party: tags with their bits, or keys.
pub trait Source<T: Correlation = Gf128> {
    /// Replaces `out` by the next batch, at least one correlation.
    ///
    /// # Errors
    /// The source's errors, and the channel's if it needs one. After an error the source gives nothing more.
    fn refill(&mut self, channel: &mut dyn Channel, out: &mut Vec<T>) -> Result<(), Error>;

    /// Announces that correlations up to number `end` (counted from the first one ever given) will be taken
    /// and perhaps none after them, so that the source prepares neither too much nor too little; `None` if
    /// the number is unknown. Both parties must call this at the same place. The default does nothing.
    fn expect(&mut self, _end: Option<u64>) {}

    /// From now on makes no more correlations ahead of their use than the announced number takes, if the
    /// source would otherwise make a fixed number at a time. Both parties must call this at the same place.
    /// The default, for sources that do not, does nothing.
    fn fit(&mut self) {}

    /// Finishes every pending check. V calls it before it accepts anything made from the correlations given
    /// out so far, and P at the same place. The default, for sources without such checks, does nothing.
    ///
    /// # Errors
    /// As [`Source::refill`].
    fn settle(&mut self, _channel: &mut dyn Channel) -> Result<(), Error> {
        Ok(())
    }

    /// Whether V has answered in a round in a way that tells a P that has cheated delta, and P has not shown
    /// that it has not. Also so after a failure between the two. The default, for sources in which no answer
    /// tells delta, is no.
    fn is_exposed(&self) -> bool {
        false
    }

    /// Whether the next refill may have to wait for the peer. A caller with unsent messages of its own sends
    /// them first. If all correlations given out are taken, both parties' sources must give the same answer.
    fn may_wait(&self) -> bool;

    /// Whether these are zeros for a rehearsal, a run of P without a peer. P then has no witness either, and
    /// claims are not checked. The default is no.
    fn are_blank(&self) -> bool {
        false
    }

    /// The [`Chain`] of the first `taken` correlations ever given: of all batches up to that of the last one
    /// of them, and of no later batch, however many were given. For `taken = 0` it depends only on the
    /// session and the kind of the correlations. `taken` is never less than in an earlier call.
    ///
    /// P may have to wait for V's part of it. So the caller must have sent everything that V waits for before
    /// V reaches this place itself.
    ///
    /// # Errors
    /// [`Error::Misuse`] if the source is not linked, because then no challenge that tests these correlations
    /// may be a hash; any error of receiving, after which the source gives nothing more.
    fn chain(&mut self, channel: &mut dyn Channel, taken: u64) -> Result<Chain, Error>;
}

/// A batch of correlations and the source of the next batch; wiped on drop.
pub struct Pool<T: Correlation = Gf128> {
    source: Box<dyn Source<T> + Send>,
    batch: Vec<T>,
    next: usize,
    /// The number of correlations taken before this batch.
    before: u64,
    /// All correlations before this number were made ahead.
    made: u64,
}

impl<T: Correlation> Pool<T> {
    /// An empty pool.
    #[must_use]
    pub fn new(source: Box<dyn Source<T> + Send>) -> Self {
        Self { source, batch: Vec::new(), next: 0, before: 0, made: 0 }
    }

    /// Announces how many correlations will be taken next, if that is known; see [`Source::expect`].
    pub fn expect(&mut self, n: Option<u64>) {
        let index = self.index();
        self.source.expect(n.map(|n| index.saturating_add(n)));
    }

    /// Has rounds make no more than what is announced; see [`Source::fit`].
    pub fn fit(&mut self) {
        self.source.fit();
    }

    /// The correlations at hand, the next one first. They stay until [`Pool::advance`] marks them as used.
    #[must_use]
    pub fn at_hand(&self) -> &[T] {
        self.batch.get(self.next..).unwrap_or_default()
    }

    /// Marks the first `n` correlations at hand as used (all of them if there are fewer).
    pub fn advance(&mut self, n: usize) {
        self.next = self.next.saturating_add(n).min(self.batch.len());
    }

    /// Whether [`Pool::refill`] may have to wait for the peer.
    #[must_use]
    pub fn may_wait(&self) -> bool {
        self.source.may_wait()
    }

    /// Whether they are blank: see [`Source::are_blank`].
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.source.are_blank()
    }

    /// The number of correlations taken so far, which is the index of the next one.
    #[must_use]
    pub fn index(&self) -> u64 {
        self.before + self.next as u64
    }

    /// The [`Chain`] of all correlations taken so far. It is equal at both parties at the same
    /// [`Pool::index`], however far ahead either has made correlations. See [`Source::chain`].
    ///
    /// # Errors
    /// The source's.
    pub fn chain(&mut self, channel: &mut dyn Channel) -> Result<Chain, Error> {
        let result = self.source.chain(channel, self.index());
        if result.is_err() {
            self.burn();
        }
        result
    }

    /// Gets the next batch. Call it when nothing is at hand: the rest of the last batch would be lost.
    ///
    /// # Errors
    /// The source's.
    #[cold]
    pub fn refill(&mut self, channel: &mut dyn Channel) -> Result<(), Error> {
        self.before += self.batch.len() as u64;
        self.next = 0;
        let mut result = self.source.refill(channel, &mut self.batch);
        if result.is_ok() && self.batch.is_empty() {
            result = Err(Error::misuse("a source of correlations returned an empty batch"));
        }
        if result.is_err() {
            // Clears what the source left in the batch: correlations that were given out once must not be at
            // hand again.
            self.burn();
        }
        result
    }

    /// See [`Source::settle`].
    ///
    /// # Errors
    /// The source's.
    pub fn settle(&mut self, channel: &mut dyn Channel) -> Result<(), Error> {
        let result = self.source.settle(channel);
        if result.is_err() {
            self.burn();
        }
        result
    }

    /// See [`Source::is_exposed`].
    #[must_use]
    pub fn is_exposed(&self) -> bool {
        self.source.is_exposed()
    }

    /// Makes correlations ahead until at least `n` are at hand, so that the next `n` need no message. Both
    /// parties call it at the same place with the same `n`. The correlations take memory.
    ///
    /// # Errors
    /// As [`Pool::refill`].
    pub fn prepare(&mut self, channel: &mut dyn Channel, n: usize) -> Result<(), Error> {
        self.expect(Some(n as u64));
        self.reserve(n);
        self.make(channel, self.index().saturating_add(n as u64))
    }

    /// Makes room for `n` at hand, so that making them moves nothing. The room is for two million at most,
    /// because `n` may come from the peer.
    pub fn reserve(&mut self, n: usize) {
        // Batches are given whole, so the last one may go beyond `n`.
        let missing = (n.min(MOST_RESERVED) + ROOM).saturating_sub(self.at_hand().len());
        self.grow(missing);
    }

    /// Makes room for `n` more. If that moves the correlations at hand, the used ones stay behind, and
    /// everything that stays behind is wiped. So the batch is never longer than about twice what was at hand
    /// at once.
    fn grow(&mut self, n: usize) {
        if self.batch.capacity() - self.batch.len() < n {
            let at_hand = self.at_hand();
            // At least doubled, so that things rarely move.
            let mut larger = Vec::with_capacity(at_hand.len().saturating_add(n).max(2 * at_hand.len()));
            larger.extend_from_slice(at_hand);
            self.batch.wipe();
            self.batch = larger;
            self.before += self.next as u64;
            self.next = 0;
        }
    }

    /// Makes correlations ahead until all before number `end` are made, counted as in [`Pool::index`]. Both
    /// parties call it at the same place with the same `end`, whatever each has at hand: the size of a batch
    /// is each party's own choice.
    ///
    /// # Errors
    /// As [`Pool::refill`].
    pub fn make(&mut self, channel: &mut dyn Channel, end: u64) -> Result<(), Error> {
        self.made = self.made.max(end);
        let mut more = Zeroizing::new(Vec::new());
        while self.before + (self.batch.len() as u64) < end {
            let mut result = self.source.refill(channel, &mut more);
            if result.is_ok() && more.is_empty() {
                result = Err(Error::misuse("a source of correlations returned an empty batch"));
            }
            if let Err(error) = result {
                self.burn();
                return Err(error);
            }
            self.grow(more.len());
            self.batch.extend_from_slice(&more);
        }
        Ok(())
    }

    /// The number of correlations that were made ahead by [`Pool::prepare`] or [`Pool::make`] and are not
    /// taken yet. It is the same at both parties, although either may have more at hand.
    #[must_use]
    pub fn prepared(&self) -> u64 {
        self.made.saturating_sub(self.index())
    }

    /// Destroys the correlations at hand and their source with everything in it: after an abort nothing more
    /// may be done under the same delta.
    pub fn burn(&mut self) {
        self.batch.wipe();
        self.next = 0;
        self.made = 0;
        self.source = Box::new(Burnt { exposed: self.source.is_exposed() });
    }

    /// Takes as many correlations as are at hand and `out` has room for. Returns their number.
    pub fn take(&mut self, out: &mut [T]) -> usize {
        let n = self.at_hand().len().min(out.len());
        out[..n].copy_from_slice(&self.at_hand()[..n]);
        self.advance(n);
        n
    }

    /// Takes as many correlations as `out` holds.
    ///
    /// # Errors
    /// As [`Pool::refill`].
    pub fn fill(&mut self, channel: &mut dyn Channel, out: &mut [T]) -> Result<(), Error> {
        let mut done = 0;
        while done < out.len() {
            if self.at_hand().is_empty() {
                self.refill(channel)?;
            }
            done += self.take(&mut out[done..]);
        }
        Ok(())
    }
}

/// Room for the part of the last batch that exceeds the request, so that nothing moves with few threads.
const ROOM: usize = 1 << 14;

/// The most correlations that room is made for at once: more than usual connections take, and 32 MB.
const MOST_RESERVED: usize = 1 << 21;

/// The source of a pool after an error.
struct Burnt {
    /// Whether the source before it was exposed.
    exposed: bool,
}

impl<T: Correlation> Source<T> for Burnt {
    fn refill(&mut self, _channel: &mut dyn Channel, out: &mut Vec<T>) -> Result<(), Error> {
        out.wipe();
        Err(Error::misuse("these correlations were destroyed after an error"))
    }

    fn is_exposed(&self) -> bool {
        self.exposed
    }

    fn may_wait(&self) -> bool {
        false
    }

    fn chain(&mut self, _channel: &mut dyn Channel, _taken: u64) -> Result<Chain, Error> {
        Err(Error::misuse("these correlations were destroyed after an error"))
    }
}

impl<T: Correlation> Drop for Pool<T> {
    fn drop(&mut self) {
        self.batch.wipe();
    }
}

#[cfg(test)]
mod tests {
    use volery_channel::{Limits, memory_pair};

    use super::*;

    /// The numbers from 0 on, so many in a batch.
    struct Numbers(u64, u64);

    impl Source<u64> for Numbers {
        fn refill(&mut self, _channel: &mut dyn Channel, out: &mut Vec<u64>) -> Result<(), Error> {
            out.clear();
            out.extend(self.0..self.0 + self.1);
            self.0 += self.1;
            Ok(())
        }

        fn may_wait(&self) -> bool {
            false
        }

        fn chain(&mut self, _channel: &mut dyn Channel, _taken: u64) -> Result<Chain, Error> {
            Ok(Chain::from_bytes([0xd7; 32]))
        }
    }

    #[test]
    fn what_is_used_is_not_kept_and_the_count_goes_on_whatever_the_batches() {
        for batch in [1, 10, 777, 5000, 30_000] {
            let (mut channel, _peer) = memory_pair(&Limits::default());
            let mut pool = Pool::new(Box::new(Numbers(0, batch)));
            let mut taken = 0;
            // As many connections in one session.
            for n in [10_000_u64, 30_000, 3, 20_000, 20_000, 20_000, 20_000, 20_000, 20_000, 20_000] {
                pool.reserve(n as usize);
                for part in 1..=10 {
                    pool.make(&mut channel, taken + n * part / 10).unwrap();
                    assert_eq!(pool.index(), taken);
                    assert!(pool.at_hand().len() as u64 >= n * part / 10);
                }
                assert_eq!(pool.prepared(), n);
                let mut all = vec![0; n as usize];
                pool.fill(&mut channel, &mut all).unwrap();
                assert!(all.iter().copied().eq(taken..taken + n), "{batch}");
                taken += n;
                assert_eq!((pool.index(), pool.prepared()), (taken, 0));
                let most = 2 * (30_000 + ROOM + batch as usize);
                assert!(pool.batch.capacity() <= most, "{batch}: room for {}", pool.batch.capacity());
            }
        }
    }

    #[test]
    fn room_is_made_for_no_more_than_some_megabytes_whatever_is_asked_for() {
        let mut pool = Pool::new(Box::new(Numbers(0, 10)));
        pool.reserve(usize::MAX);
        assert!((MOST_RESERVED..2 * MOST_RESERVED).contains(&pool.batch.capacity()));
        let (mut channel, _peer) = memory_pair(&Limits::default());
        pool.make(&mut channel, 100).unwrap();
        assert!(pool.at_hand().iter().copied().eq(0..100));
    }
}
