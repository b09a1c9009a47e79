//! Correlations at hand, one at a time, from wherever they come.

use volery_channel::Channel;
use volery_field::Gf128;
use zeroize::Zeroize;

use crate::Error;

/// A source of correlations, at one party: tags with their bits, or keys.
pub trait Correlations {
    /// Replaces `out` by the next batch, at least one correlation.
    ///
    /// # Errors
    /// The source's; the channel's, if it needs one. After an error the source gives nothing more.
    fn refill(&mut self, channel: &mut dyn Channel, out: &mut Vec<Gf128>) -> Result<(), Error>;

    /// Whether the next refill may have to wait for the peer. Who holds back messages of their own sends them first.
    fn may_wait(&self) -> bool;
}

/// A batch of correlations and the source of the next; wiped on drop.
pub struct Stock {
    source: Box<dyn Correlations + Send>,
    batch: Vec<Gf128>,
    next: usize,
    /// Correlations taken before this batch.
    before: u64,
}

impl Stock {
    /// An empty stock.
    #[must_use]
    pub fn new(source: Box<dyn Correlations + Send>) -> Self {
        Self { source, batch: Vec::new(), next: 0, before: 0 }
    }

    /// The next correlation if one is at hand; else [`Stock::refill`] gets more.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<Gf128> {
        let correlation = *self.batch.get(self.next)?;
        self.next += 1;
        Some(correlation)
    }

    /// Whether [`Stock::refill`] may have to wait for the peer.
    #[must_use]
    pub fn may_wait(&self) -> bool {
        self.source.may_wait()
    }

    /// Correlations taken so far: the index of the next one.
    #[must_use]
    pub fn index(&self) -> u64 {
        self.before + self.next as u64
    }

    /// Gets the next batch; call it when [`Stock::pop`] gave nothing (what is left of the last batch is lost).
    ///
    /// # Errors
    /// The source's.
    #[cold]
    pub fn refill(&mut self, channel: &mut dyn Channel) -> Result<(), Error> {
        self.before += self.batch.len() as u64;
        self.next = 0;
        self.source.refill(channel, &mut self.batch)
    }

    /// Takes as many correlations as `out` holds.
    ///
    /// # Errors
    /// As [`Stock::refill`].
    pub fn fill(&mut self, channel: &mut dyn Channel, out: &mut [Gf128]) -> Result<(), Error> {
        for out in out {
            *out = loop {
                match self.pop() {
                    Some(correlation) => break correlation,
                    None => self.refill(channel)?,
                }
            };
        }
        Ok(())
    }
}

impl Drop for Stock {
    fn drop(&mut self) {
        self.batch.zeroize();
    }
}
