//! The destinations and sources of tables.

use crate::Error;

/// The approximate number of bytes of tables that are passed on at once: one message, well within the
/// second-level cache.
pub(crate) const PORTION: usize = 1 << 15;

/// Takes the tables of a garbled circuit, in order.
pub trait TableSink {
    /// Takes the next tables, which are whole.
    ///
    /// # Errors
    /// Any error of sending or storing them.
    fn put(&mut self, tables: &[u8]) -> Result<(), Error>;
}

/// Stores the tables in the vector.
impl TableSink for Vec<u8> {
    fn put(&mut self, tables: &[u8]) -> Result<(), Error> {
        self.extend_from_slice(tables);
        Ok(())
    }
}

/// Provides the tables of a garbled circuit, in order.
pub trait TableSource {
    /// Replaces the content of `out` by the next tables of `size` bytes each: at least one, and only whole
    /// ones.
    ///
    /// # Errors
    /// [`Error::Misuse`] if there are none left; any error of receiving them.
    fn next(&mut self, size: usize, out: &mut Vec<u8>) -> Result<(), Error>;
}

/// Reads tables from the slice that stores them.
impl TableSource for &[u8] {
    fn next(&mut self, size: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        let portion = PORTION / size.max(1) * size;
        let (now, later) = self.split_at(self.len().min(portion));
        if now.len() < size {
            return Err(Error::misuse("the circuit has more gates than were garbled"));
        }
        out.clear();
        out.extend_from_slice(now);
        *self = later;
        Ok(())
    }
}
