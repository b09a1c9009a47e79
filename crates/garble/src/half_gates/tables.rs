//! Where tables go to and come from.

use volery_field::Gf128;

use crate::Error;

/// Bytes of an AND gate's table: `T_G || T_E`.
pub const TABLE_BYTES: usize = 32;

/// Tables handed on at once, in bytes: a message's worth, well inside the second-level cache.
pub(crate) const PORTION: usize = 1 << 15;

/// Takes the tables of a garbled circuit, in order.
pub trait Sink {
    /// Takes the next tables, [`TABLE_BYTES`] each.
    ///
    /// # Errors
    /// What sending or storing them meets.
    fn put(&mut self, tables: &[u8]) -> Result<(), Error>;
}

/// Stores them.
impl Sink for Vec<u8> {
    fn put(&mut self, tables: &[u8]) -> Result<(), Error> {
        self.extend_from_slice(tables);
        Ok(())
    }
}

/// Gives the tables of a garbled circuit, in order.
pub trait Source {
    /// Replaces what `out` holds by the next tables: at least one, whole ones only.
    ///
    /// # Errors
    /// [`Error::Misuse`] if there are none left; what receiving them meets.
    fn next(&mut self, out: &mut Vec<u8>) -> Result<(), Error>;
}

/// Stored ones.
impl Source for &[u8] {
    fn next(&mut self, out: &mut Vec<u8>) -> Result<(), Error> {
        let (now, later) = self.split_at(self.len().min(PORTION));
        if now.len() < TABLE_BYTES {
            return Err(Error::misuse("a circuit with more gates than were garbled"));
        }
        out.clear();
        out.extend_from_slice(now);
        *self = later;
        Ok(())
    }
}

/// `T_G || T_E`.
#[inline(always)]
pub(super) fn encode(table: [Gf128; 2]) -> [u8; TABLE_BYTES] {
    let mut out = [0; TABLE_BYTES];
    let (generator, evaluator) = out.split_at_mut(16);
    generator.copy_from_slice(&table[0].to_bytes());
    evaluator.copy_from_slice(&table[1].to_bytes());
    out
}

/// What [`encode`] wrote; every 32 bytes are a table.
#[inline(always)]
pub(super) fn decode(bytes: &[u8; TABLE_BYTES]) -> [Gf128; 2] {
    let (blocks, _) = bytes.as_chunks();
    // Two blocks of 16 bytes are what 32 are.
    core::array::from_fn(|i| blocks.get(i).map_or(Gf128::ZERO, |block| Gf128::from_bytes(*block)))
}
