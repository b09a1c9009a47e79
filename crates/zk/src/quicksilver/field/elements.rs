//! The stream of masked elements, `d = w - u`, one for each commitment.
//!
//! A frame contains as many packed elements as its length says, so P may end a frame wherever it has to wait.

use volery_channel::{Channel, tags};
use volery_field::{Element, pack_elements, packed_bytes, unpack_elements};

use super::super::challenges::Challenges;
use crate::Error;

/// The number of elements in a full frame.
const FRAME: usize = 1 << 10;

/// P's side.
pub(super) struct ElementWriter<F> {
    waiting: Vec<F>,
    frame: Vec<u8>,
}

impl<F: Element> ElementWriter<F> {
    pub(super) fn new() -> Self {
        Self { waiting: Vec::with_capacity(FRAME), frame: Vec::new() }
    }

    /// Appends an element. Returns whether a frame is full now.
    #[inline(always)]
    pub(super) fn push(&mut self, d: F) -> bool {
        self.waiting.push(d);
        self.is_full()
    }

    /// The number of elements that still fit in the frame, at least one.
    #[inline(always)]
    pub(super) fn room(&self) -> usize {
        FRAME - self.waiting.len()
    }

    /// Appends at most [`ElementWriter::room`] elements. Returns whether a frame is full now.
    #[inline(always)]
    pub(super) fn extend(&mut self, elements: impl Iterator<Item = F>) -> bool {
        self.waiting.extend(elements);
        self.is_full()
    }

    /// Room for the next `n` elements, at most [`ElementWriter::room`], which the caller writes there.
    #[inline(always)]
    pub(super) fn places(&mut self, n: usize) -> &mut [F] {
        let start = self.waiting.len();
        self.waiting.resize(start + n, F::ZERO);
        &mut self.waiting[start..]
    }

    /// Whether the frame is full.
    #[inline(always)]
    pub(super) fn is_full(&self) -> bool {
        self.waiting.len() >= FRAME
    }

    /// Sends the current elements.
    pub(super) fn send(
        &mut self,
        challenges: &mut Challenges<'_>,
        channel: &mut dyn Channel,
    ) -> Result<(), Error> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        self.frame.clear();
        pack_elements(&self.waiting, &mut self.frame);
        self.waiting.clear();
        challenges.send(channel, tags::ELEMENTS, &self.frame)
    }
}

/// V's side.
pub(super) struct ElementReader<F> {
    elements: Vec<F>,
    next: usize,
    frame: Vec<u8>,
}

impl<F: Element> ElementReader<F> {
    pub(super) fn new() -> Self {
        Self { elements: Vec::new(), next: 0, frame: Vec::new() }
    }

    /// The next element, if it has arrived.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<F> {
        let element = self.elements.get(self.next).copied();
        self.next += usize::from(element.is_some());
        element
    }

    /// The elements that have arrived and were not taken.
    #[inline(always)]
    pub(super) fn at_hand(&self) -> &[F] {
        self.elements.get(self.next..).unwrap_or_default()
    }

    /// Marks the first `n` elements at hand as taken.
    #[inline(always)]
    pub(super) fn advance(&mut self, n: usize) {
        self.next = self.next.saturating_add(n).min(self.elements.len());
    }

    /// Receives a frame. Call it when no element is at hand.
    #[cold]
    pub(super) fn receive(
        &mut self,
        challenges: &mut Challenges<'_>,
        channel: &mut dyn Channel,
    ) -> Result<(), Error> {
        // Even after an error, elements that were taken are not taken again.
        self.elements.clear();
        self.next = 0;
        channel.recv_into(tags::ELEMENTS, packed_bytes::<F>(FRAME), &mut self.frame)?;
        let malformed = |reason| Error::Malformed { step: tags::ELEMENTS, reason };
        // An element has at least 8 bits, so no two counts have the same length.
        let count = self.frame.len() * 8 / F::BITS as usize;
        if count == 0 || packed_bytes::<F>(count) != self.frame.len() {
            return Err(malformed(format!("{} bytes are not a whole number of elements", self.frame.len())));
        }
        self.elements = unpack_elements(&self.frame, count).map_err(|error| malformed(error.to_string()))?;
        challenges.absorb(tags::ELEMENTS, &self.frame);
        Ok(())
    }

    /// Checks that nothing is left when the program has taken everything that P sent.
    pub(super) fn finish(&self) -> Result<(), Error> {
        if self.next < self.elements.len() {
            let reason =
                "elements beyond those of the block: the prover runs another program, or cheats".into();
            return Err(Error::Malformed { step: tags::ELEMENTS, reason });
        }
        Ok(())
    }
}
