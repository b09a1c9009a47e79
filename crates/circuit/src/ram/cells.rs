//! What a memory holds at first, and P's memory.

use volery_field::{Element, Value};
use zeroize::Zeroize;

use crate::{Error, Peek};

/// What the first cells hold at first.
pub(super) enum Contents<F, W> {
    Public(Vec<F>),
    Committed(Vec<W>),
}

impl<F: Value, W> Contents<F, W> {
    /// The number of cells.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Public(values) => values.len(),
            Self::Committed(wires) => wires.len(),
        }
    }

    /// What is committed to.
    pub(super) fn committed(&self) -> &[W] {
        match self {
            Self::Public(_) => &[],
            Self::Committed(wires) => wires,
        }
    }

    /// What is public.
    pub(super) fn public(&self) -> &[F] {
        match self {
            Self::Public(values) => values,
            Self::Committed(_) => &[],
        }
    }

    /// Checks that there are cells for these.
    pub(super) fn check(&self, size: usize) -> Result<(), Error> {
        if self.len() <= size {
            return Ok(());
        }
        Err(Error::Public(format!("{} values at first in a memory of {size} cells", self.len())))
    }

    /// The value of a cell at first.
    fn value(&self, peek: &dyn Peek<F, W>, cell: usize) -> F {
        match self {
            Self::Public(values) => values.get(cell).copied(),
            Self::Committed(wires) => wires.get(cell).map(|wire| peek.value(wire)),
        }
        .unwrap_or(F::ZERO)
    }
}

/// P's memory: the cells, and the sink behind them. Made at the first access.
pub(super) struct Cells<F: Value>(pub(super) Vec<Cell<F>>);

/// A cell: its value and the time of the last access.
#[derive(Clone, Copy)]
pub(super) struct Cell<F> {
    pub(super) value: F,
    pub(super) time: u64,
}

impl<F: Value> Drop for Cells<F> {
    fn drop(&mut self) {
        self.0.iter_mut().for_each(|cell| {
            cell.value.zeroize();
            cell.time.zeroize();
        });
    }
}

impl<F: Value> Cells<F> {
    /// Makes `size` cells and the sink, if there are none yet.
    pub(super) fn fill<W>(&mut self, size: usize, contents: &Contents<F, W>, peek: &dyn Peek<F, W>) {
        if self.0.is_empty() {
            self.0 = (0..=size).map(|cell| Cell { value: contents.value(peek, cell), time: 0 }).collect();
        }
    }

    /// What an access at time `now` finds in this cell, which it visits. Beyond the memory there is nothing,
    /// and no proof will be made of that.
    pub(super) fn visit(&mut self, cell: Option<usize>, now: u64, new: Option<F>) -> Cell<F> {
        let Some(cell) = cell.and_then(|cell| self.0.get_mut(cell)) else {
            return Cell { value: F::ZERO, time: 0 };
        };
        let found = *cell;
        *cell = Cell { value: new.unwrap_or(found.value), time: now };
        found
    }
}

/// An element as an index, if it is a small integer.
pub(crate) fn small<F: Element>(x: F) -> Option<usize> {
    let [number, high @ ..] = x.to_packed();
    (high == [0; 3]).then(|| usize::try_from(number).ok()).flatten()
}
