//! Where tables go to and come from.

use crate::Error;

/// Tables handed on at once, in bytes, about: a message's worth, well inside the second-level cache.
pub(crate) const PORTION: usize = 1 << 15;

/// Takes the tables of a garbled circuit, in order.
pub trait Sink {
    /// Takes the next tables, whole ones.
    ///
    /// # Errors
    /// What sending or storing them meets.
    fn put(&mut self, tables: &[u8]) -> Result<(), Error>;
}

/// A vector stores the tables that are written to it.
impl Sink for Vec<u8> {
    fn put(&mut self, tables: &[u8]) -> Result<(), Error> {
        self.extend_from_slice(tables);
        Ok(())
    }
}

/// Gives the tables of a garbled circuit, in order.
pub trait Source {
    /// Replaces what `out` holds by the next tables of `size` bytes each: at least one, whole ones only.
    ///
    /// # Errors
    /// [`Error::Misuse`] if there are none left; what receiving them meets.
    fn next(&mut self, size: usize, out: &mut Vec<u8>) -> Result<(), Error>;
}

/// Tables are read from a slice that stores them.
impl Source for &[u8] {
    fn next(&mut self, size: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        let portion = PORTION / size.max(1) * size;
        let (now, later) = self.split_at(self.len().min(portion));
        if now.len() < size {
            return Err(Error::misuse("a circuit with more gates than were garbled"));
        }
        out.clear();
        out.extend_from_slice(now);
        *self = later;
        Ok(())
    }
}
