//! Environment calls.

use super::end::{Cause, End};
use super::register::{A0, A1, A2, A7};
use super::step::trap;
use super::{Error, Machine, Stop};
use crate::Instruction;
use crate::observer::{Access, Call, Observer, Step};

const READ: u32 = 63;
const WRITE: u32 = 64;
const EXIT: u32 = 93;

const SECRET: u32 = 0;
const JOURNAL: u32 = 1;
const DEBUG: u32 = 2;
const PUBLIC: u32 = 3;

/// -EBADF.
const NO_SUCH_FILE: u32 = -9_i32 as u32;
/// -ENOSYS.
const NO_SUCH_CALL: u32 = -38_i32 as u32;

/// Bytes that one call transfers, at most: as on Linux, since a larger number would look like an error.
const MOST: u32 = 0x7fff_f000;
/// The same for debugging, where no limit of the run ends a program that writes again and again.
const MOST_DEBUG: u32 = 1 << 16;

/// Whether the machine serves calls of this number.
pub(crate) fn is_served(number: u32) -> bool {
    [READ, WRITE, EXIT].contains(&number)
}

/// The words of a range of addresses: for each the address of its first byte in the range, and how many there
/// are.
fn words(start: u32, length: u32) -> impl Iterator<Item = (u32, u32)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let address = start.wrapping_add(done);
        let count = (4 - address % 4).min(length - done);
        done += count;
        (count > 0).then_some((address, count))
    })
}

impl Machine<'_> {
    /// Carries out an `ecall`.
    pub(super) fn call<O: Observer>(&mut self, instruction: Instruction, o: &mut O) -> Result<(), Stop> {
        let number = self.registers[A7];
        let arguments = [A0, A1, A2].map(|register| self.registers[register]);
        let [file, buffer, length] = arguments;
        let result = match (number, file) {
            // `a0` stays.
            (EXIT, code) => code,
            (READ, SECRET | PUBLIC) => self.read(file, buffer, length, o)?,
            (WRITE, JOURNAL) => self.append(buffer, length.min(MOST), o)?,
            (WRITE, DEBUG) => self.debug(buffer, length.min(MOST_DEBUG), o),
            (READ | WRITE, _) => NO_SUCH_FILE,
            _ => NO_SUCH_CALL,
        };
        self.registers[A0] = result;
        o.call(&Call { number, arguments, result });
        let (pc, next) = (self.pc, self.pc.wrapping_add(4));
        self.retire(&Step { pc, instruction, left: 0, right: 0, result, next, access: None }, o);
        if number == EXIT { Err(Stop::End(End::Exit(file))) } else { Ok(()) }
    }

    /// Moves the next bytes of an input to the program's memory; returns how many.
    fn read<O: Observer>(&mut self, file: u32, buffer: u32, length: u32, o: &mut O) -> Result<u32, Stop> {
        let (input, beyond) = if file == SECRET { (self.secret, self.beyond) } else { (self.public, 0) };
        let left = input.len().saturating_add(beyond);
        let count = length.min(MOST).min(u32::try_from(left).unwrap_or(u32::MAX));
        if let Some((address, fault)) = self.memory.first_fault(buffer, count, true) {
            return Err(self.cannot_write(address, fault));
        }
        let parts = input.split_at_checked(count as usize).ok_or(Stop::Limit(Error::Input))?;
        let (mut bytes, rest) = parts;
        for (address, count) in words(buffer, count) {
            let (now, later) = bytes.split_at(count as usize);
            bytes = later;
            let shift = 8 * (address & 3);
            let value = now.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte));
            let mask = u32::MAX >> (32 - 8 * count);
            o.transfer(&self.write_bits(address, value << shift, mask << shift)?);
        }
        *(if file == SECRET { &mut self.secret } else { &mut self.public }) = rest;
        Ok(count)
    }

    /// Appends bytes of the program's memory to the journal.
    fn append<O: Observer>(&mut self, buffer: u32, count: u32, o: &mut O) -> Result<u32, Stop> {
        if let Some((address, _)) = self.memory.first_fault(buffer, count, false) {
            return Err(trap(self.pc, Cause::LoadOutside, address));
        }
        if self.limits.journal.saturating_sub(self.journal.len()) < count as usize {
            return Err(Stop::Limit(Error::Journal(self.limits.journal)));
        }
        for (address, count) in words(buffer, count) {
            let word = self.memory.word(address).unwrap_or_default();
            o.transfer(&Access { address: address & !3, old: word, new: word });
            let bytes = (word >> (8 * (address & 3))).to_le_bytes();
            self.journal.extend(bytes.iter().take(count as usize));
        }
        Ok(count)
    }

    /// Shows bytes of the program's memory to the observer: those before the first that is in no segment.
    fn debug<O: Observer>(&mut self, buffer: u32, count: u32, o: &mut O) -> u32 {
        let mut bytes = Vec::with_capacity(count as usize);
        for (address, count) in words(buffer, count) {
            let Some(word) = self.memory.word(address) else { break };
            bytes.extend((word >> (8 * (address & 3))).to_le_bytes().iter().take(count as usize));
        }
        o.debug(&bytes);
        count
    }
}
