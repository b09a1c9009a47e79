//! The multiplications of a block, which wait for their check.
//!
//! Slot `i` claims `z_i = x_i y_i`. The `z_i` are the commitments of the block's pieces, in their order,
//! which all branches share. A secret value takes a slot as well, with the claim `z = z * 1`. So slots and
//! commitments always stay in step.

use std::sync::Arc;

use volery_field::Wipe as _;

use super::link::Piece;
use super::share::Share;

/// The number of slots that are worked on at once: a few operands of 16 KiB.
pub(super) const CHUNK: usize = 1 << 10;

/// `z_i = x_i y_i` for every slot.
pub struct Block<H: Share> {
    x: Vec<H::Wire>,
    y: Vec<H::Wire>,
    /// The pieces, each with the number of its commitments that are used.
    z: Vec<(Arc<Piece<H>>, usize)>,
}

impl<H: Share> Default for Block<H> {
    fn default() -> Self {
        Self { x: Vec::new(), y: Vec::new(), z: Vec::new() }
    }
}

impl<H: Share> Block<H> {
    /// The number of slots.
    pub(super) fn len(&self) -> usize {
        self.x.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    #[inline(always)]
    pub(super) fn push(&mut self, x: H::Wire, y: H::Wire) {
        self.x.push(x);
        self.y.push(y);
    }

    /// Adds the commitments of the slots that were pushed since the last piece.
    pub(super) fn end_piece(&mut self, piece: Arc<Piece<H>>, used: usize) {
        self.z.push((piece, used));
    }

    /// Calls `each` with the `x`, `y` and `z` of one chunk of slots after another, at most [`CHUNK`] in each.
    pub(super) fn chunks<E>(
        &self,
        mut each: impl FnMut(&[H::Wire], &[H::Wire], &[H::Wire]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut pieces = self.z.iter().map(|(piece, used)| piece.wires.get(..*used).unwrap_or_default());
        let mut rest: &[H::Wire] = &[];
        let mut z = Vec::with_capacity(CHUNK.min(self.x.len()));
        for (x, y) in self.x.chunks(CHUNK).zip(self.y.chunks(CHUNK)) {
            z.clear();
            while z.len() < x.len() {
                if rest.is_empty() {
                    let Some(next) = pieces.next() else { break };
                    rest = next;
                }
                let (now, later) = rest.split_at(rest.len().min(x.len() - z.len()));
                z.extend_from_slice(now);
                rest = later;
            }
            each(x, y, &z)?;
        }
        z.wipe();
        Ok(())
    }

    /// Frees all slots and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.x.clear();
        self.y.clear();
        self.z.clear();
    }
}

impl<H: Share> Drop for Block<H> {
    fn drop(&mut self) {
        let Self { x, y, z: _ } = self;
        x.wipe();
        y.wipe();
    }
}
