//! Tables on their way to V: read from the channel as they are used, or stored until the inputs come.

use std::collections::BTreeMap;

use volery_channel::{Channel, tags};
use volery_vole::correlations::Pool;

use super::Garbling;
use super::beside::Beside;
use super::packing::unpack;
use crate::Error;
use crate::decoding::Decoding;
use crate::gates::TableSource;

/// The longest message of tables: what the garbler passes on at once, plus the gates by which it may exceed
/// that.
const MOST: usize = 1 << 16;

/// The tables of one call, from the channel.
pub(super) struct FromChannel<'a> {
    channel: &'a mut dyn Channel,
    decoding: &'a mut Decoding,
    /// The correlations made after each message.
    beside: (&'a mut Beside, &'a mut Pool),
    /// The number of tables still to come.
    left: u64,
    garbling: Garbling,
    /// The last message.
    message: Vec<u8>,
}

impl<'a> FromChannel<'a> {
    pub(super) fn new(
        (channel, decoding): (&'a mut dyn Channel, &'a mut Decoding),
        beside: (&'a mut Beside, &'a mut Pool),
        tables: u64,
        garbling: Garbling,
    ) -> Self {
        Self { channel, decoding, beside, left: tables, garbling, message: Vec::new() }
    }
}

impl TableSource for FromChannel<'_> {
    fn next(&mut self, _size: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        if self.left == 0 {
            return Err(Error::misuse("a function does not make the same calls each time it runs"));
        }
        self.channel.recv_into(tags::GARBLED_TABLES, MOST, &mut self.message)?;
        self.decoding.absorb(&self.message);
        let tables = unpack(&self.message, out);
        let tables = tables.filter(|tables| *tables as u64 <= self.left).ok_or_else(|| {
            let reason = format!("{} bytes where {} tables are to come", self.message.len(), self.left);
            Error::malformed(tags::GARBLED_TABLES, reason)
        })?;
        self.left -= tables as u64;
        let (beside, pool) = &mut self.beside;
        beside.advance(self.channel, pool, tables)
    }
}

/// The number of a call's first pair of keys, and its tables.
type Call = (u64, Vec<u8>);

/// The tables of calls that wait for inputs, by their steps in the program.
pub(super) struct Deferred {
    calls: BTreeMap<usize, Call>,
    /// The number of bytes that may still be stored.
    room: u64,
    limit: u64,
}

impl Deferred {
    pub(super) fn new(limit: u64) -> Self {
        Self { calls: BTreeMap::new(), room: limit, limit }
    }

    /// Receives and stores the tables of the call that is step `number`.
    pub(super) fn store(
        &mut self,
        number: usize,
        first: u64,
        mut tables: FromChannel<'_>,
    ) -> Result<(), Error> {
        let bytes = tables.left.saturating_mul(tables.garbling.table_bytes() as u64);
        let limit = Error::Limit { what: "the bytes of tables that wait for inputs", limit: self.limit };
        self.room = self.room.checked_sub(bytes).ok_or(limit)?;
        // The size comes from this party's own function, within this party's limit: no message decides it.
        let mut all = Vec::with_capacity(usize::try_from(bytes).unwrap_or_default());
        let mut portion = Vec::new();
        while tables.left > 0 {
            tables.next(tables.garbling.table_bytes(), &mut portion)?;
            all.extend_from_slice(&portion);
        }
        self.calls.insert(number, (first, all));
        Ok(())
    }

    /// Removes and returns the tables of step `number`.
    pub(super) fn take(&mut self, number: usize) -> Result<Call, Error> {
        let call = self.calls.remove(&number).ok_or_else(|| Error::misuse("tables that were not kept"))?;
        self.room += call.1.len() as u64;
        Ok(call)
    }
}
