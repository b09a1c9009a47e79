//! The multiplications of a block, which wait for their check.
//!
//! Slot `i` claims `z_i = x_i y_i`. The `z_i` are the commitments of the block's pieces in their order, which
//! all branches share; a secret value takes a slot too, with the claim `z = z * 1`, so that slots and
//! commitments never get out of step.

use std::sync::Arc;

use zeroize::Zeroize;

use super::half::Half;
use super::link::Piece;

/// Slots that are worked on at once: a few operands of 16 KiB.
pub(super) const CHUNK: usize = 1 << 10;

/// `z_i = x_i y_i` for every slot.
pub struct Block<H: Half> {
    x: Vec<H::Wire>,
    y: Vec<H::Wire>,
    /// Pieces with the number of their commitments that are used.
    z: Vec<(Arc<Piece<H>>, usize)>,
}

impl<H: Half> Default for Block<H> {
    fn default() -> Self {
        Self { x: Vec::new(), y: Vec::new(), z: Vec::new() }
    }
}

impl<H: Half> Block<H> {
    /// Slots.
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

    /// The commitments of the slots pushed since the last piece.
    pub(super) fn end_piece(&mut self, piece: Arc<Piece<H>>, used: usize) {
        self.z.push((piece, used));
    }

    /// Calls `each` with at most [`CHUNK`] slots after another: `x`, `y` and `z`.
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
        z.zeroize();
        Ok(())
    }

    /// Every slot is free again; the memory stays.
    pub(super) fn clear(&mut self) {
        self.x.clear();
        self.y.clear();
        self.z.clear();
    }
}

impl<H: Half> Drop for Block<H> {
    fn drop(&mut self) {
        let Self { x, y, z: _ } = self;
        x.zeroize();
        y.zeroize();
    }
}
