//! A log of records that grows without being copied.
//!
//! Arguments keep the wires of millions of accesses until their challenge is drawn. A vector that grows moves
//! all of them again and again, to memory that the system has to clear first; that took up to a quarter of
//! the time of a proof. Beyond its first chunk, which is small, a log touches each byte once; when it is
//! emptied it keeps its chunks for what comes next.

/// Records of the same number of wires.
pub(crate) struct Records<W> {
    /// The number of wires of a record.
    stride: usize,
    /// The first one has room for [`FIRST`] records, and each other one for twice as many as the one before.
    chunks: Vec<Vec<W>>,
    /// The number of full chunks before the one that the last record is in.
    full: usize,
}

/// The number of records of the first chunk.
pub(crate) const FIRST: usize = 1 << 10;

impl<W> Records<W> {
    /// No records yet; each will have `stride` wires.
    pub(crate) const fn new(stride: usize) -> Self {
        Self { stride, chunks: Vec::new(), full: 0 }
    }

    /// The number of wires of a record.
    pub(crate) const fn stride(&self) -> usize {
        self.stride
    }

    /// The number of wires that a chunk has room for.
    const fn room(&self, chunk: usize) -> usize {
        (FIRST << chunk) * self.stride
    }

    /// The number of wires.
    pub(crate) fn wires(&self) -> usize {
        ((FIRST << self.full) - FIRST) * self.stride + self.chunks.get(self.full).map_or(0, Vec::len)
    }

    /// The number of records.
    pub(crate) fn len(&self) -> usize {
        self.wires().checked_div(self.stride).unwrap_or(0)
    }

    /// Where the next record's wires are appended, as many as all records have.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> &mut Vec<W> {
        if self.chunks.get(self.full).is_none_or(|chunk| chunk.len() >= self.room(self.full)) {
            self.go_on();
        }
        &mut self.chunks[self.full]
    }

    /// Goes on to the next chunk.
    #[cold]
    fn go_on(&mut self) {
        self.full += usize::from(!self.chunks.is_empty());
        if self.chunks.len() == self.full {
            // The first one grows, since most logs are short.
            self.chunks.push(Vec::with_capacity(if self.full == 0 { 0 } else { self.room(self.full) }));
        }
    }

    /// Record `i`; none beyond the last one.
    #[inline(always)]
    pub(crate) fn get(&self, i: usize) -> Option<&[W]> {
        let chunk = (i / FIRST + 1).ilog2();
        let at = (i + FIRST - (FIRST << chunk)) * self.stride;
        self.chunks.get(chunk as usize)?.get(at..at + self.stride)
    }

    /// The wires of all records, in chunks of a multiple of [`FIRST`] records; the last one may have fewer.
    pub(crate) fn chunks(&self) -> impl Iterator<Item = &[W]> {
        self.chunks.iter().map(|chunk| &chunk[..]).filter(|chunk| !chunk.is_empty())
    }

    /// Forgets all records, but keeps their memory.
    pub(crate) fn clear(&mut self) {
        self.chunks.iter_mut().for_each(Vec::clear);
        self.full = 0;
    }
}

#[cfg(test)]
impl<W> Records<W> {
    /// Wire `i` of all, for tests that lie about it.
    pub(crate) fn wire(&mut self, i: usize) -> &mut W {
        self.chunks.iter_mut().flatten().nth(i).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_what_was_pushed() {
        for stride in [1, 3, 5] {
            let mut log = Records::new(stride);
            assert_eq!((log.len(), log.wires(), log.chunks().count()), (0, 0, 0));
            for round in 0..2 {
                let count = [6 * FIRST + 5, FIRST][round];
                for i in 0..count {
                    log.next().extend((0..stride).map(|j| (round, i, j)));
                    if i % 1000 < 30 {
                        assert_eq!((log.len(), log.wires()), (i + 1, (i + 1) * stride));
                    }
                }
                for i in 0..count {
                    let record: Vec<_> = (0..stride).map(|j| (round, i, j)).collect();
                    assert_eq!(log.get(i), Some(&record[..]), "{stride} {round} {i}");
                }
                assert_eq!(log.get(count), None);
                let all: Vec<_> = log.chunks().flatten().copied().collect();
                let wanted = (0..count).flat_map(|i| (0..stride).map(move |j| (round, i, j)));
                assert_eq!(all, wanted.collect::<Vec<_>>());
                let full = log.chunks().count() - 1;
                assert!(log.chunks().take(full).all(|chunk| chunk.len() % (FIRST * stride) == 0));
                log.clear();
                assert_eq!((log.len(), log.get(0)), (0, None));
            }
        }
    }
}
